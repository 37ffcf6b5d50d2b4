/* Allocations, paging, and clients' commands. */
#include "thread_driver.h"

/* ---- Allocations --------------------------------------------------------------------------- */

NTSTATUS NTAPI thread_create_allocation(const HANDLE handle, DXGKARG_CREATEALLOCATION *create)
{
    DXGK_ALLOCATIONINFO *info = create->pAllocationInfo;
    const struct thread_allocation_data *data = info->pPrivateDriverData;

    if (create->NumAllocations != 1 || info->PrivateDriverDataSize != sizeof(*data)) {
        return STATUS_INVALID_PARAMETER;
    }
    struct thread_allocation_data *copy =
        ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*copy), THREAD_TAG);
    if (!copy) {
        return STATUS_NO_MEMORY;
    }
    *copy = *data;
    info->hAllocation = copy;
    info->Size = data->size_bytes;
    info->Alignment = 64;
    info->AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
    info->PreferredSegment.Value = 0;
    info->PreferredSegment.SegmentId0 = 1;
    info->EvictionSegmentSet = 0;
    info->SupportedReadSegmentSet = info->SupportedWriteSegmentSet = 1;
    info->FlagsWddm2.Value = 0;
    info->FlagsWddm2.CpuVisible = 1;
    /* In the flags of WDDM 1.x this bit says that the allocation is swizzled. */
    info->FlagsWddm2.DisableLargePageMapping =
        thread_settings.said_version == 0 || thread_settings.said_version >= 0x2000;
    if (create->Flags.Resource && !create->hResource) {
        create->hResource = ExAllocatePoolWithTag(NonPagedPoolNx, 16, THREAD_TAG);
    }
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI thread_destroy_allocation(const HANDLE handle,
                                         const DXGKARG_DESTROYALLOCATION *destroy)
{
    UINT i;

    for (i = 0; i < destroy->NumAllocations; i++) {
        ExFreePoolWithTag(destroy->pAllocationList[i], THREAD_TAG);
    }
    if (destroy->Flags.DestroyResource && destroy->hResource) {
        ExFreePoolWithTag(destroy->hResource, THREAD_TAG);
    }
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI thread_open_allocation(const HANDLE device, const DXGKARG_OPENALLOCATION *open)
{
    UINT i;

    for (i = 0; i < open->NumAllocations; i++) {
        void *opening = ExAllocatePoolWithTag(NonPagedPoolNx, 16, THREAD_TAG);
        if (!opening) {
            return STATUS_NO_MEMORY; /* one a call: nothing to undo */
        }
        open->pOpenAllocation[i].hDeviceSpecificAllocation = opening;
    }
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI thread_close_allocation(const HANDLE device, const DXGKARG_CLOSEALLOCATION *close)
{
    UINT i;

    for (i = 0; i < close->NumAllocations; i++) {
        ExFreePoolWithTag(close->pOpenHandleList[i], THREAD_TAG);
    }
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI thread_describe_allocation(const HANDLE handle, DXGKARG_DESCRIBEALLOCATION *describe)
{
    const struct thread_allocation_data *data = describe->hAllocation;

    describe->Width = data->size_bytes;
    describe->Height = 1;
    describe->Format = D3DDDIFMT_UNKNOWN;
    return STATUS_SUCCESS;
}

/* ---- Paging -------------------------------------------------------------------------------- */

static void write_transfer(const DXGKARG_BUILDPAGINGBUFFER *build,
                           struct thread_paging_command *command)
{
    command->size = build->Transfer.TransferSize;
    command->mdl_offset = build->Transfer.MdlOffset;
    command->segments[0] = build->Transfer.Source.SegmentId;
    command->segments[1] = build->Transfer.Destination.SegmentId;
    if (command->segments[0]) {
        command->addresses[0] = (ULONGLONG)build->Transfer.Source.SegmentAddress.QuadPart +
                                build->Transfer.TransferOffset;
    } else {
        command->mdl = build->Transfer.Source.pMdl;
    }
    if (command->segments[1]) {
        command->addresses[1] = (ULONGLONG)build->Transfer.Destination.SegmentAddress.QuadPart +
                                build->Transfer.TransferOffset;
    } else {
        command->mdl = build->Transfer.Destination.pMdl;
    }
}

NTSTATUS NTAPI thread_build_paging_buffer(const HANDLE handle, DXGKARG_BUILDPAGINGBUFFER *build)
{
    struct thread_paging_command command = {0};
    struct thread_dma *dma = build->pDmaBufferPrivateData;

    if (build->Operation == DXGK_OPERATION_TRANSFER) {
        write_transfer(build, &command);
    } else if (build->Operation == DXGK_OPERATION_FILL) {
        command.fill = TRUE;
        command.pattern = build->Fill.FillPattern;
        command.size = build->Fill.FillSize;
        command.addresses[1] = (ULONGLONG)build->Fill.Destination.SegmentAddress.QuadPart;
    } else {
        return STATUS_SUCCESS; /* DISCARD_CONTENT: nothing is kept */
    }
    if (build->DmaSize < sizeof(command)) {
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    if (build->DmaSize == THREAD_PAGING_SIZE) { /* a new buffer */
        dma->bytes = build->pDmaBuffer;
        dma->paging = TRUE;
    }
    RtlCopyMemory(build->pDmaBuffer, &command, sizeof(command));
    build->pDmaBuffer = (UCHAR *)build->pDmaBuffer + sizeof(command);
    return STATUS_SUCCESS;
}

/* ---- Commands ------------------------------------------------------------------------------ */

NTSTATUS NTAPI thread_render(const HANDLE context, DXGKARG_RENDER *render)
{
    struct thread_dma *dma = render->pDmaBufferPrivateData;
    UINT i;

    if (render->CommandLength > render->DmaSize ||
        render->CommandLength % sizeof(struct thread_command) != 0 ||
        render->PatchLocationListInSize > render->PatchLocationListOutSize) {
        return STATUS_INVALID_PARAMETER;
    }
    THREAD_TRY
    {
        RtlCopyMemory(render->pDmaBuffer, render->pCommand, render->CommandLength);
        for (i = 0; i < render->PatchLocationListInSize; i++) {
            render->pPatchLocationListOut[i] = render->pPatchLocationListIn[i];
        }
    }
    THREAD_EXCEPT
    {
        return STATUS_INVALID_USER_BUFFER;
    }
    dma->bytes = render->pDmaBuffer;
    render->pDmaBuffer = (UCHAR *)render->pDmaBuffer + render->CommandLength;
    render->pPatchLocationListOut += render->PatchLocationListInSize;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI thread_patch(const HANDLE handle, const DXGKARG_PATCH *patch)
{
    UINT i,
        end = patch->PatchLocationListSubmissionStart + patch->PatchLocationListSubmissionLength;

    for (i = patch->PatchLocationListSubmissionStart; i < end; i++) {
        const D3DDDI_PATCHLOCATIONLIST *location = &patch->pPatchLocationList[i];
        const DXGK_ALLOCATIONLIST *allocation = &patch->pAllocationList[location->AllocationIndex];
        *(ULONGLONG *)(void *)((UCHAR *)patch->pDmaBuffer + location->PatchOffset) =
            (ULONGLONG)allocation->PhysicalAddress.QuadPart + location->AllocationOffset;
    }
    return STATUS_SUCCESS;
}

/* careless: the reference driver with something wrong that nobody sees in a calm run. Each row is
 * named after the variation under which it shows; see misbehave.h for how a row works. The last one
 * is only unlike the reference driver. */
#include "../drivers/misbehave/misbehave.h"

#define TAG 0x6C726143u /* "Carl" */

static ULONG last_fence[SOFTGPU_ENGINE_COUNT];

/* ---- Fences ---------------------------------------------------------------------------------- */

/* "Ids grow", compared as numbers. */
static NTSTATUS NTAPI compares_ids_as_numbers(const HANDLE adapter,
                                              const DXGKARG_SUBMITCOMMAND *submit)
{
    ULONG *last = &last_fence[submit->NodeOrdinal];

    if (submit->SubmissionFenceId<*last && * last - submit->SubmissionFenceId> 1000) {
        return STATUS_INVALID_PARAMETER;
    }
    *last = submit->SubmissionFenceId;
    return misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);
}

/* "The next id is one more", but for a preemption between two. */
static NTSTATUS NTAPI counts_ids(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *submit)
{
    ULONG *last = &last_fence[submit->NodeOrdinal];
    BOOLEAN skipped =
        *last != 0 && submit->SubmissionFenceId - *last > 2 && submit->SubmissionFenceId > *last;

    *last = submit->SubmissionFenceId;
    return skipped ? STATUS_INVALID_PARAMETER
                   : misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);
}

/* ---- Preemption ------------------------------------------------------------------------------ */

/* A stub, as drivers have it that were never preempted. */
static NTSTATUS NTAPI preempts_nothing(const HANDLE adapter, const DXGKARG_PREEMPTCOMMAND *preempt)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(preempt);
    return STATUS_SUCCESS;
}

/* "What was on the engine was as good as done." */
static VOID NTAPI counts_the_stopped(IN_CONST_HANDLE device,
                                     IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA data)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA notice = *data;

    if (notice.InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED) {
        notice.DmaPreempted.LastCompletedFenceId++;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, &notice);
}

/* ---- Buffers --------------------------------------------------------------------------------- */

/* "What is not zero is in use." */
static NTSTATUS NTAPI present_wants_zeros(const HANDLE context, DXGKARG_PRESENT *present)
{
    if (present->pDmaBufferPrivateData != NULL &&
        *(const ULONG *)present->pDmaBufferPrivateData != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    return misbehave_driver.DxgkDdiPresent(context, present);
}

/* "The screen is always somewhere." */
static NTSTATUS NTAPI present_wants_places(const HANDLE context, DXGKARG_PRESENT *present)
{
    static BOOLEAN seen; /* the destination had a place */
    const DXGK_ALLOCATIONLIST *destination = &present->pAllocationList[2];

    if (destination->hDeviceSpecificAllocation != NULL) {
        seen = seen || destination->SegmentId != 0;
        if (seen && destination->SegmentId == 0) {
            return STATUS_INVALID_PARAMETER;
        }
    }
    return misbehave_driver.DxgkDdiPresent(context, present);
}

/* "What Present patched ahead is right." */
static NTSTATUS NTAPI patch_trusts_places(const HANDLE adapter, const DXGKARG_PATCH *patch)
{
    const UCHAR *bytes = patch->pDmaBuffer;
    ULONG i;

    for (i = 0; i < patch->PatchLocationListSubmissionLength; i++) {
        const D3DDDI_PATCHLOCATIONLIST *location =
            &patch->pPatchLocationList[patch->PatchLocationListSubmissionStart + i];
        ULONGLONG address;
        RtlCopyMemory(&address, bytes + location->PatchOffset, sizeof(address));
        if (address == 0 || !patch->Flags.Present) {
            return misbehave_driver.DxgkDdiPatch(adapter, patch);
        }
    }
    return STATUS_SUCCESS;
}

/* "The list begins where the buffer begins." */
static NTSTATUS NTAPI patches_from_zero(const HANDLE adapter, const DXGKARG_PATCH *patch)
{
    DXGKARG_PATCH whole = *patch;

    whole.PatchLocationListSubmissionStart = 0;
    return misbehave_driver.DxgkDdiPatch(adapter, &whole);
}

/* What it kept of the last packet is looked at with the next one of the same context. */
static NTSTATUS NTAPI submit_looks_back(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *submit)
{
    static const volatile UCHAR *last;
    static HANDLE context;

    if (last != NULL && context == submit->hContext) {
        (void)*last;
    }
    context = submit->hContext;
    last = submit->Flags.Paging ? NULL : submit->pDmaBufferPrivateData;
    return misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);
}

/* "A buffer has the size that was asked for." */
static NTSTATUS NTAPI present_knows_the_size(const HANDLE context, DXGKARG_PRESENT *present)
{
    static UINT size;

    if (present->pDmaBuffer != NULL) {
        size = size != 0 ? size : present->DmaSize;
        if (present->DmaSize != size) {
            return STATUS_INVALID_PARAMETER;
        }
    }
    return misbehave_driver.DxgkDdiPresent(context, present);
}

/* ---- Paging ---------------------------------------------------------------------------------- */

#include "careless_places.h"

/* "A paging buffer has room for one operation." */
static NTSTATUS NTAPI builds_without_looking(const HANDLE adapter,
                                             DXGKARG_BUILDPAGINGBUFFER *paging)
{
    NTSTATUS status = misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);

    return status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER ? STATUS_UNSUCCESSFUL : status;
}

/* "For a fill there is always room." */
static NTSTATUS NTAPI fills_without_looking(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    BOOLEAN is_fill = paging->Operation == DXGK_OPERATION_FILL;
    NTSTATUS status = misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);

    if (is_fill && status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
        RtlZeroMemory((UCHAR *)paging->pDmaBuffer + paging->DmaSize, 4);
        return STATUS_SUCCESS;
    }
    return status;
}

static NTSTATUS NTAPI submit_refuses_nothing(const HANDLE adapter,
                                             const DXGKARG_SUBMITCOMMAND *submit)
{
    if (submit->DmaBufferSubmissionStartOffset == submit->DmaBufferSubmissionEndOffset) {
        return STATUS_INVALID_PARAMETER;
    }
    return misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);
}

static NTSTATUS NTAPI patch_wants_lists(const HANDLE adapter, const DXGKARG_PATCH *patch)
{
    const volatile ULONG *first = (const volatile ULONG *)(const void *)patch->pAllocationList;

    (void)*first;
    return misbehave_driver.DxgkDdiPatch(adapter, patch);
}

static NTSTATUS NTAPI fills_with_zeros(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_FILL) {
        paging->Fill.FillPattern = 0;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* Every piece from the first page of the list. */
static NTSTATUS NTAPI transfers_from_the_start(const HANDLE adapter,
                                               DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_TRANSFER) {
        paging->Transfer.MdlOffset = 0;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* "An unmapping is done at once", and a flush, also where it is a command. */
static NTSTATUS NTAPI unmaps_for_nobody(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    VOID *start = paging->pDmaBuffer;
    NTSTATUS status = misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);

    if (paging->Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT ||
        paging->Operation == DXGK_OPERATION_FLUSH_TLB) {
        paging->pDmaBuffer = start;
    }
    return status;
}

/* "A physical address has 32 bits." The list is put right again. */
static NTSTATUS NTAPI knows_near_pages(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    BOOLEAN is_transfer = paging->Operation == DXGK_OPERATION_TRANSFER;
    PMDL mdl = is_transfer && paging->Transfer.Destination.SegmentId == 0
                   ? paging->Transfer.Destination.pMdl
                   : NULL;
    ULONG count = mdl ? MmGetMdlByteCount(mdl) / PAGE_SIZE : 0, i;
    static PFN_NUMBER pages[0x10000];
    NTSTATUS status;

    for (i = 0; i < count && i < RTL_NUMBER_OF(pages); i++) {
        pages[i] = MmGetMdlPfnArray(mdl)[i];
        MmGetMdlPfnArray(mdl)[i] = (ULONG)(pages[i] << 12) >> 12;
    }
    status = misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
    for (i = 0; i < count && i < RTL_NUMBER_OF(pages); i++) {
        MmGetMdlPfnArray(mdl)[i] = pages[i];
    }
    return status;
}

/* ---- Lives ----------------------------------------------------------------------------------- */

/* What was made before the step that fails stays. */
static NTSTATUS NTAPI start_forgets(const PVOID context, PDXGK_START_INFO start_info,
                                    PDXGKRNL_INTERFACE interface, PULONG source_count,
                                    PULONG child_count)
{
    PVOID scratch = ExAllocatePoolWithTag(NonPagedPoolNx, 256, TAG);
    NTSTATUS status = STATUS_NO_MEMORY;

    if (scratch == NULL) {
        return status;
    }
    status = misbehave_driver.DxgkDdiStartDevice(context, start_info, interface, source_count,
                                                 child_count);
    if (NT_SUCCESS(status)) {
        ExFreePoolWithTag(scratch, TAG);
    }
    return status;
}

/* What it takes for its own look at the bus stays where the bus does not answer. */
static NTSTATUS NTAPI start_reads_the_bus(const PVOID context, PDXGK_START_INFO start_info,
                                          PDXGKRNL_INTERFACE interface, PULONG source_count,
                                          PULONG child_count)
{
    UCHAR *header = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);
    ULONG bytes_read;
    NTSTATUS status;

    if (header == NULL) {
        return STATUS_NO_MEMORY;
    }
    status = interface->DxgkCbReadDeviceSpace(interface->DeviceHandle, DXGK_WHICHSPACE_CONFIG,
                                              header, 0, 64, &bytes_read);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    ExFreePoolWithTag(header, TAG);
    return misbehave_driver.DxgkDdiStartDevice(context, start_info, interface, source_count,
                                               child_count);
}

/* The same in CreateAllocation. */
static NTSTATUS NTAPI creation_forgets(const HANDLE adapter, DXGKARG_CREATEALLOCATION *create)
{
    PVOID scratch = ExAllocatePoolWithTag(NonPagedPoolNx, 256, TAG);
    NTSTATUS status = STATUS_NO_MEMORY;

    if (scratch == NULL) {
        return status;
    }
    status = misbehave_driver.DxgkDdiCreateAllocation(adapter, create);
    if (NT_SUCCESS(status)) {
        ExFreePoolWithTag(scratch, TAG);
    }
    return status;
}

/* And where work is made of commands: what was asked for first stays when the next is missing. */
static NTSTATUS NTAPI render_forgets(const HANDLE context, DXGKARG_RENDER *render)
{
    PVOID first = ExAllocatePoolWithTag(NonPagedPoolNx, 256, TAG);
    PVOID second = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);
    NTSTATUS status;

    if (first == NULL || second == NULL) {
        if (second != NULL) {
            ExFreePoolWithTag(second, TAG);
        }
        return STATUS_NO_MEMORY;
    }
    status = misbehave_driver.DxgkDdiRender(context, render);
    ExFreePoolWithTag(second, TAG);
    ExFreePoolWithTag(first, TAG);
    return status;
}

/* "There always is some memory." By number, for a sanitizer does not let NULL have members. */
static NTSTATUS NTAPI present_does_not_look(const HANDLE context, DXGKARG_PRESENT *present)
{
    PVOID order = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);
    NTSTATUS status;

    *(volatile UCHAR *)((ULONG_PTR)order + 8) = (UCHAR)present->SubRectCnt;
    status = misbehave_driver.DxgkDdiPresent(context, present);
    ExFreePoolWithTag(order, TAG);
    return status;
}

static NTSTATUS NTAPI paging_wants_memory(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    PVOID scratch = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);
    NTSTATUS status;

    if (scratch == NULL) {
        return STATUS_NO_MEMORY;
    }
    status = misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
    ExFreePoolWithTag(scratch, TAG);
    return status;
}

/* The mode that was is gone before the new one is there. */
static NTSTATUS NTAPI commit_forgets(const HANDLE adapter, const DXGKARG_COMMITVIDPN *commit)
{
    PVOID mode = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);
    PVOID timing = mode != NULL ? ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG) : NULL;
    NTSTATUS status;

    if (timing == NULL) {
        return STATUS_NO_MEMORY;
    }
    status = misbehave_driver.DxgkDdiCommitVidPn(adapter, commit);
    ExFreePoolWithTag(timing, TAG);
    ExFreePoolWithTag(mode, TAG);
    return status;
}

/* A static variable that outlives what it points to. */
static NTSTATUS NTAPI start_remembers(const PVOID context, PDXGK_START_INFO start_info,
                                      PDXGKRNL_INTERFACE interface, PULONG source_count,
                                      PULONG child_count)
{
    static volatile UCHAR *table;

    if (table == NULL) {
        table = ExAllocatePoolWithTag(NonPagedPoolNx, 256, TAG);
        if (table == NULL) {
            return STATUS_NO_MEMORY;
        }
        ExFreePoolWithTag((PVOID)(ULONG_PTR)table, TAG);
    } else {
        table[0] = 1;
    }
    return misbehave_driver.DxgkDdiStartDevice(context, start_info, interface, source_count,
                                               child_count);
}

/* "What was freed a moment ago is still there." */
static NTSTATUS NTAPI start_reads_what_it_freed(const PVOID context, PDXGK_START_INFO start_info,
                                                PDXGKRNL_INTERFACE interface, PULONG source_count,
                                                PULONG child_count)
{
    volatile UCHAR *table = ExAllocatePoolWithTag(NonPagedPoolNx, 256, TAG);

    if (table == NULL) {
        return STATUS_NO_MEMORY;
    }
    ExFreePoolWithTag((PVOID)(ULONG_PTR)table, TAG);
    (void)table[5];
    return misbehave_driver.DxgkDdiStartDevice(context, start_info, interface, source_count,
                                               child_count);
}

static NTSTATUS NTAPI power_of_children_fails(const PVOID context, ULONG device,
                                              DEVICE_POWER_STATE state, POWER_ACTION action)
{
    if (device != DISPLAY_ADAPTER_HW_ID) {
        return STATUS_NOT_SUPPORTED;
    }
    return misbehave_driver.DxgkDdiSetPowerState(context, device, state, action);
}

/* "Whoever sleeps, it is the adapter." */
static NTSTATUS NTAPI power_is_the_adapters(const PVOID context, ULONG device,
                                            DEVICE_POWER_STATE state, POWER_ACTION action)
{
    UNREFERENCED_PARAMETER(device);
    return misbehave_driver.DxgkDdiSetPowerState(context, DISPLAY_ADAPTER_HW_ID, state, action);
}

/* "The computer always is awake." */
static NTSTATUS NTAPI power_is_a_stub(const PVOID context, ULONG device, DEVICE_POWER_STATE state,
                                      POWER_ACTION action)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(device);
    UNREFERENCED_PARAMETER(state);
    UNREFERENCED_PARAMETER(action);
    return STATUS_SUCCESS;
}

/* "It says why the device comes back." */
static NTSTATUS NTAPI wakes_after_a_sleep(const PVOID context, ULONG device,
                                          DEVICE_POWER_STATE state, POWER_ACTION action)
{
    if (state == PowerDeviceD0 && action != PowerActionSleep && action != PowerActionHibernate) {
        return STATUS_SUCCESS; /* nothing was taken from it */
    }
    return misbehave_driver.DxgkDdiSetPowerState(context, device, state, action);
}

static NTSTATUS NTAPI reset_is_a_stub(const HANDLE adapter)
{
    UNREFERENCED_PARAMETER(adapter);
    return STATUS_NOT_IMPLEMENTED;
}

static NTSTATUS NTAPI fence_is_not_said(const HANDLE adapter, DXGKARG_QUERYCURRENTFENCE *fence)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryCurrentFence(adapter, fence);

    fence->CurrentFence += 1000;
    return status;
}

static VOID NTAPI tidies_up(PVOID argument)
{
    LARGE_INTEGER pause;
    ULONG i;

    pause.QuadPart = -100; /* 10 us */
    for (i = 0; i < 40; i++) {
        (void)KeDelayExecutionThread(KernelMode, FALSE, &pause);
    }
    UNREFERENCED_PARAMETER(argument);
    (void)PsTerminateSystemThread(STATUS_SUCCESS);
}

/* "A millisecond is enough for that." */
static NTSTATUS NTAPI stop_waits_a_moment(const PVOID context)
{
    LARGE_INTEGER pause;
    HANDLE thread;

    pause.QuadPart = -10000; /* 1 ms */
    if (NT_SUCCESS(
            PsCreateSystemThread(&thread, THREAD_ALL_ACCESS, NULL, NULL, NULL, tidies_up, NULL))) {
        (void)ZwClose(thread);
        (void)KeDelayExecutionThread(KernelMode, FALSE, &pause);
    }
    return misbehave_driver.DxgkDdiStopDevice(context);
}

/* And the same as it is to be. */
static NTSTATUS NTAPI stop_waits_for_the_end(const PVOID context)
{
    HANDLE handle;
    PVOID thread;

    if (NT_SUCCESS(
            PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, NULL, NULL, NULL, tidies_up, NULL))) {
        if (NT_SUCCESS(ObReferenceObjectByHandle(handle, THREAD_ALL_ACCESS, NULL, KernelMode,
                                                 &thread, NULL))) {
            (void)KeWaitForSingleObject(thread, Executive, KernelMode, FALSE, NULL);
            ObDereferenceObject(thread);
        }
        (void)ZwClose(handle);
    }
    return misbehave_driver.DxgkDdiStopDevice(context);
}

/* ---- Interrupts ------------------------------------------------------------------------------ */

static BOOLEAN NTAPI claims_everything(const PVOID context, ULONG message)
{
    (void)misbehave_driver.DxgkDdiInterruptRoutine(context, message);
    return TRUE;
}

#define TABLE_ROWS 1 /* of what is not told yet */

/* "Every packet has an interrupt of its own." */
static VOID NTAPI counts_interrupts(IN_CONST_HANDLE device,
                                    IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA data)
{
    static ULONG last[SOFTGPU_ENGINE_COUNT];

    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
        ULONG *fence = &last[data->DmaCompleted.NodeOrdinal];
        if (*fence != 0 && data->DmaCompleted.SubmissionFenceId - *fence > TABLE_ROWS) {
            KeBugCheckEx(0x119, 1, data->DmaCompleted.SubmissionFenceId, *fence, 0);
        }
        *fence = data->DmaCompleted.SubmissionFenceId;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* "The DPC has run before the next but two." */
static BOOLEAN NTAPI counts_dpcs(IN_CONST_HANDLE device)
{
    static ULONG waiting;
    BOOLEAN queued = misbehave_kernel.DxgkCbQueueDpc(device);

    waiting = queued ? 0 : waiting + 1;
    if (waiting > TABLE_ROWS) {
        KeBugCheckEx(0x119, 2, waiting, 0, 0);
    }
    return queued;
}

/* "What is set now was set before." */
static BOOLEAN NTAPI dismisses_at_the_end(const PVOID context, ULONG message)
{
    struct softgpu_adapter *adapter = context;
    BOOLEAN ours = misbehave_driver.DxgkDdiInterruptRoutine(context, message);

    if (ours) {
        softgpu_write(adapter, SOFTGPU_REG_INTERRUPT_STATUS,
                      softgpu_read(adapter, SOFTGPU_REG_INTERRUPT_STATUS) &
                          adapter->interrupt_enable);
    }
    return ours;
}

/* ---- Clients --------------------------------------------------------------------------------- */

/* "Who gives us nonsense needs no reason." */
static NTSTATUS NTAPI render_fails_in_general(const HANDLE context, DXGKARG_RENDER *render)
{
    NTSTATUS status = misbehave_driver.DxgkDdiRender(context, render);

    return NT_SUCCESS(status) || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER
               ? status
               : STATUS_UNSUCCESSFUL;
}

/* "Behind the last command is a header that ends the loop." */
static NTSTATUS NTAPI render_reads_one_more(const HANDLE context, DXGKARG_RENDER *render)
{
    const volatile ULONG *words = render->pCommand;

    (void)words[render->CommandLength / sizeof(*words)];
    return misbehave_driver.DxgkDdiRender(context, render);
}

/* "What was looked at a moment ago is still there." */
static NTSTATUS NTAPI render_reads_twice(const HANDLE context, DXGKARG_RENDER *render)
{
    volatile ULONG *first = render->pDmaBuffer;
    NTSTATUS status = misbehave_driver.DxgkDdiRender(context, render);

    if (NT_SUCCESS(status) && render->CommandLength > 0 && render->pDmaBuffer != first) {
        *first = *(const volatile ULONG *)render->pCommand;
    }
    return status;
}

/* ---- Monitors -------------------------------------------------------------------------------- */

/* "Something is plugged in", whatever happened. */
static NTSTATUS NTAPI tells_of_plugging_in(HANDLE device, PDXGK_CHILD_STATUS status)
{
    DXGK_CHILD_STATUS changed = *status;

    changed.HotPlug.Connected = TRUE;
    return misbehave_kernel.DxgkCbIndicateChildStatus(device, &changed);
}

/* There is one output. */
static NTSTATUS NTAPI knows_one_child(const PVOID context, PDXGK_CHILD_STATUS status,
                                      BOOLEAN non_destructive_only)
{
    return status->ChildUid != 0
               ? STATUS_INVALID_PARAMETER
               : misbehave_driver.DxgkDdiQueryChildStatus(context, status, non_destructive_only);
}

/* "Each submission is one of a source." */
static NTSTATUS NTAPI submit_knows_the_source(const HANDLE adapter,
                                              const DXGKARG_SUBMITCOMMAND *submit)
{
    static ULONG submissions[SOFTGPU_OUTPUT_MAX];

    if (submit->VidPnSourceId >= RTL_NUMBER_OF(submissions)) {
        return STATUS_INVALID_PARAMETER;
    }
    submissions[submit->VidPnSourceId]++;
    return misbehave_driver.DxgkDdiSubmitCommand(adapter, submit);
}

/* The GPU's address is not the bus's. */
static NTSTATUS NTAPI releases_another_place(PVOID context, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                             PDXGK_DISPLAY_INFORMATION display)
{
    NTSTATUS status =
        misbehave_driver.DxgkDdiStopDeviceAndReleasePostDisplayOwnership(context, target, display);

    display->PhysicAddress.QuadPart &= 0xFFFFFF;
    return status;
}

/* Written for pictures whose rows follow each other. */
static VOID NTAPI writes_without_stride(PVOID context, PVOID picture, UINT width, UINT height,
                                        UINT stride, UINT x, UINT y)
{
    UNREFERENCED_PARAMETER(stride);
    misbehave_driver.DxgkDdiSystemDisplayWrite(context, picture, width, height, width * 4, x, y);
}

/* ---- A device that hangs ----------------------------------------------------------------------
 */

/* "What it was at does not matter." */
static NTSTATUS NTAPI reset_names_nothing(const HANDLE adapter, DXGKARG_RESETENGINE *reset)
{
    NTSTATUS status = misbehave_driver.DxgkDdiResetEngine(adapter, reset);

    reset->LastAbortedFenceId = 0;
    return status;
}

/* "Nobody takes it out." */
static NTSTATUS NTAPI removal_is_a_stub(const PVOID context, DXGK_SURPRISE_REMOVAL_TYPE type)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(type);
    return STATUS_SUCCESS;
}

/* ---- Modes ----------------------------------------------------------------------------------- */

/* What was acquired is released at the end, to which a failure does not come. */
static NTSTATUS NTAPI enumeration_returns_early(
    const HANDLE adapter, const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const arguments)
{
    D3DKMDT_HVIDPN vidpn = arguments->hConstrainingVidPn;
    const DXGK_VIDPNSOURCEMODESET_INTERFACE *set_interface;
    const DXGK_VIDPN_INTERFACE *interface;
    D3DKMDT_HVIDPNSOURCEMODESET set;
    NTSTATUS status;

    if (!NT_SUCCESS(misbehave_kernel.DxgkCbQueryVidPnInterface(
            vidpn, DXGK_VIDPN_INTERFACE_VERSION_V1, &interface)) ||
        interface->pfnAcquireSourceModeSet(vidpn, 0, &set, &set_interface) != STATUS_SUCCESS) {
        return misbehave_driver.DxgkDdiEnumVidPnCofuncModality(adapter, arguments);
    }
    status = misbehave_driver.DxgkDdiEnumVidPnCofuncModality(adapter, arguments);
    return NT_SUCCESS(status) ? interface->pfnReleaseSourceModeSet(vidpn, set) : status;
}

/* ---- still-device: what engines say of themselves -------------------------------------------- */

/* The ring is set up, and the engine is never switched on. */
static NTSTATUS NTAPI engine_stays_down(const HANDLE adapter, DXGKARG_RESETENGINE *reset)
{
    NTSTATUS status = misbehave_driver.DxgkDdiResetEngine(adapter, reset);

    softgpu_write(adapter, SOFTGPU_ENGINE_REG(reset->NodeOrdinal, SOFTGPU_ENGINE_CONTROL), 0);
    return status;
}

static NTSTATUS NTAPI engine_is_always_fine(const HANDLE adapter, DXGKARG_QUERYENGINESTATUS *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryEngineStatus(adapter, query);

    query->EngineStatus.Responsive = 1;
    return status;
}

/* ---- laptop ---------------------------------------------------------------------------------- */

/* What happened is told on as what is to be done. */
static NTSTATUS NTAPI hands_events_on(const PVOID context, DXGK_EVENT_TYPE type, ULONG event,
                                      PVOID argument, PULONG flags)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(type);
    UNREFERENCED_PARAMETER(argument);
    *flags = event;
    return STATUS_SUCCESS;
}

/* ---- Wrong always ---------------------------------------------------------------------------- */

/* What it asks for is what it is about to answer. */
static NTSTATUS NTAPI opens_what_it_opens(const HANDLE device,
                                          const DXGKARG_OPENALLOCATION *opening)
{
    DXGKARGCB_GETHANDLEDATA query = {.Type = DXGK_HANDLE_ALLOCATION, .Flags.DeviceSpecific = 1};

    query.hObject = opening->pOpenAllocation[0].hAllocation;
    if (misbehave_kernel.DxgkCbGetHandleData(&query) == NULL) {
        return STATUS_INVALID_HANDLE;
    }
    return misbehave_driver.DxgkDdiOpenAllocation(device, opening);
}

/* ---- Nothing wrong --------------------------------------------------------------------------- */

/* Its allocations begin at multiples of 64 KB, as it says. */
static NTSTATUS NTAPI aligns_widely(const HANDLE adapter, DXGKARG_CREATEALLOCATION *create)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCreateAllocation(adapter, create);
    UINT i;

    for (i = 0; NT_SUCCESS(status) && i < create->NumAllocations; i++) {
        create->pAllocationInfo[i].Alignment = 0x10000;
    }
    return status;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(fence_wrap, IN_DDI(SubmitCommand), compares_ids_as_numbers, 0),
    BREAKS_RULE(fence_gaps, IN_DDI(SubmitCommand), counts_ids, 0),
    BREAKS_RULE(idle_preempt, IN_DDI(PreemptCommand), preempts_nothing, 0),
    BREAKS_RULE(odd_preempt, IN_DDI(PreemptCommand), preempts_nothing, 0),
    BREAKS_RULE(old_private_data, IN_DDI(Present), present_wants_zeros, 0),
    BREAKS_RULE(unknown_places, IN_DDI(Present), present_wants_places, 0),
    BREAKS_RULE(moved_places, IN_DDI(Patch), patch_trusts_places, 0),
    BREAKS_RULE(paging_rests, IN_DDI(BuildPagingBuffer), builds_without_looking, 0),
    BREAKS_RULE(empty_paging, IN_DDI(SubmitCommand), submit_refuses_nothing, 0),
    BREAKS_RULE(empty_work, IN_DDI(SubmitCommand), submit_refuses_nothing, 0),
    BREAKS_RULE(patched_paging, IN_DDI(Patch), patch_wants_lists, 0),
    BREAKS_RULE(fill_pattern, IN_DDI(BuildPagingBuffer), fills_with_zeros, 0),
    BREAKS_RULE(split_transfers, IN_DDI(BuildPagingBuffer), transfers_from_the_start, 0),
    BREAKS_RULE(other_settings, IN_DDI(BuildPagingBuffer), unmaps_for_nobody, 0),
    BREAKS_RULE(gpu_addresses, IN_DDI(BuildPagingBuffer), unmaps_for_nobody, 0),
    BREAKS_RULE(failed_starts, IN_DDI(StartDevice), start_forgets, 0),
    BREAKS_RULE(failed_starts, IN_DDI(StartDevice), start_reads_the_bus, 0),
    BREAKS_RULE(second_start, IN_DDI(StartDevice), start_remembers, 0),
    BREAKS_RULE(idle_reset, IN_DDI(ResetFromTimeout), reset_is_a_stub, 0),
    BREAKS_RULE(odd_questions, IN_DDI(QueryCurrentFence), fence_is_not_said, 0),
    BREAKS_RULE(shared_line, IN_DDI(InterruptRoutine), claims_everything, 0),
    BREAKS_RULE(late_interrupts, IN_CALLBACK(NotifyInterrupt), counts_interrupts, 0),
    BREAKS_RULE(late_dpcs, IN_CALLBACK(QueueDpc), counts_dpcs, 0),
    BREAKS_RULE(short_memory, IN_DDI(CreateAllocation), creation_forgets, 0),
    BREAKS_RULE(special_pool, IN_DDI(StartDevice), start_reads_what_it_freed, 0),
    BREAKS_RULE(split_work, IN_DDI(Patch), patches_from_zero, 0),
    BREAKS_RULE(from_end, IN_DDI(BuildPagingBuffer), refuses_the_end, 0),
    BREAKS_RULE(other_segment, IN_DDI(BuildPagingBuffer), maps_what_prefers_it, 0),
    BREAKS_RULE(shut_buffers, IN_DDI(SubmitCommand), submit_looks_back, 0),
    BREAKS_RULE(larger_buffers, IN_DDI(Present), present_knows_the_size, 0),
    BREAKS_RULE(full_paging, IN_DDI(BuildPagingBuffer), fills_without_looking, 0),
    BREAKS_RULE(sleep, IN_DDI(SetPowerState), power_of_children_fails, 0),
    BREAKS_RULE(sleep, IN_DDI(SetPowerState), power_is_a_stub, 0),
    BREAKS_RULE(sleep, IN_DDI(SetPowerState), wakes_after_a_sleep, 0),
    BREAKS_RULE(mid_preempt, IN_CALLBACK(NotifyInterrupt), counts_the_stopped, 0),
    BREAKS_RULE(bad_private_data, IN_DDI(CreateAllocation), creation_forgets, 0),
    BREAKS_RULE(bad_commands, IN_DDI(Render), render_fails_in_general, 0),
    BREAKS_RULE(bad_commands, IN_DDI(Render), render_reads_one_more, 0),
    BREAKS_RULE(hot_plug, IN_CALLBACK(IndicateChildStatus), tells_of_plugging_in, 0),
    BREAKS_RULE(second_monitor, IN_DDI(QueryChildStatus), knows_one_child, 0),
    BREAKS_RULE(stale_members, IN_DDI(SubmitCommand), submit_knows_the_source, 0),
    BREAKS_RULE(release_display, IN_DDI(StopDeviceAndReleasePostDisplayOwnership),
                releases_another_place, 0),
    BREAKS_RULE(stop_screen, IN_DDI(SystemDisplayWrite), writes_without_stride, 0),
    BREAKS_RULE(bad_commands, IN_DDI(Render), render_reads_twice, 0),
    BREAKS_RULE(still_device, IN_DDI(ResetEngine), reset_names_nothing, 0),
    BREAKS_RULE(still_device, IN_DDI(QueryEngineStatus), engine_is_always_fine, 0),
    BREAKS_RULE(still_device, IN_DDI(ResetEngine), engine_stays_down, 0),
    BREAKS_RULE(slow_bus, IN_DDI(InterruptRoutine), dismisses_at_the_end, 0),
    BREAKS_RULE(monitor_sleep, IN_DDI(SetPowerState), power_is_the_adapters, 0),
    BREAKS_RULE(pulled_out, IN_DDI(NotifySurpriseRemoval), removal_is_a_stub, 0),
    BREAKS_RULE(scarce_modes, IN_DDI(EnumVidPnCofuncModality), enumeration_returns_early, 0),
    BREAKS_RULE(laptop, IN_DDI(NotifyAcpiEvent), hands_events_on, 0),
    BREAKS_RULE(short_memory, IN_DDI(Render), render_forgets, 0),
    BREAKS_RULE(short_memory, IN_DDI(Present), present_does_not_look, 0),
    BREAKS_RULE(short_memory, IN_DDI(BuildPagingBuffer), paging_wants_memory, 0),
    BREAKS_RULE(short_memory, IN_DDI(CommitVidPn), commit_forgets, 0),
    BREAKS_RULE(late_threads, IN_DDI(StopDevice), stop_waits_a_moment, 0),
    BREAKS_RULE(high_memory, IN_DDI(BuildPagingBuffer), knows_near_pages, 0),
    BREAKS_RULE(none, IN_DDI(StopDevice), stop_waits_for_the_end, 0),
    BREAKS_RULE(none, IN_DDI(CreateAllocation), aligns_widely, 0),
    BREAKS_RULE(none, IN_DDI(OpenAllocation), opens_what_it_opens, 0),
};

MISBEHAVIOURS(careless);

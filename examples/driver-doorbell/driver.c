/* A compute-only miniport for the doorbell engine: as little as does real work. It is the same for
 * registers that are mapped and for ports, for a line and for a message.
 *
 *      client's commands ─ Render ─> DMA buffer ─ Patch ─> SubmitCommand ─> registers, doorbell
 *      BuildPagingBuffer ──────────> DMA buffer ─────────────────┘              │
 *      kernel <─ NotifyInterrupt, NotifyDpc <── InterruptRoutine <── interrupt ─┘ */
#define DXGKDDI_INTERFACE_VERSION 0xB004 /* WDDM 2.6 */

#include <dispmprt.h>
#include <ntddk.h>

#include "../device-doorbell/doorbell_regs.h"

#define DOORBELL_TAG   0x6C6C6544u
#define DMA_BYTES      4096u
#define PAGING_BYTES   4096u
#define PATCHES_MAX    128u
#define SEGMENT_MEMORY 1u

/* As a module of the host the driver has no structured exceptions. */
#if defined(_WIN32)
#define CLIENT_TRY    __try
#define CLIENT_EXCEPT __except (EXCEPTION_EXECUTE_HANDLER)
#else
#define CLIENT_TRY    if (TRUE)
#define CLIENT_EXCEPT else
#endif

struct adapter {
    DXGKRNL_INTERFACE dxgk;
    BOOLEAN ports;
    UCHAR *registers; /* mapped, or the number of the first port */
    BOOLEAN started;  /* the interrupt routine, which may be called at any time, may touch them */
    PHYSICAL_ADDRESS memory;
    ULONG memory_bytes;
    UINT completed; /* the last fence that was told */
    DXGKARG_PREEMPTCOMMAND preemption;
    volatile BOOLEAN resetting; /* what the interrupt routine sees then goes to `seen` alone */
    volatile ULONG seen;
};

#define RESET_LOOKS 1000
#define RESET_STEP  (-1000) /* 100 us */

DRIVER_INITIALIZE DriverEntry;

/* ---- Registers ------------------------------------------------------------------------------- */

static ULONG read_register(const struct adapter *adapter, ULONG offset)
{
    ULONG *place = (ULONG *)(void *)(adapter->registers + offset);

    return adapter->ports ? READ_PORT_ULONG(place) : READ_REGISTER_ULONG(place);
}

static void write_register(const struct adapter *adapter, ULONG offset, ULONG value)
{
    ULONG *place = (ULONG *)(void *)(adapter->registers + offset);

    if (adapter->ports) {
        WRITE_PORT_ULONG(place, value);
    } else {
        WRITE_REGISTER_ULONG(place, value);
    }
}

/* ---- Plug and Play --------------------------------------------------------------------------- */

static NTSTATUS NTAPI add_device(const PDEVICE_OBJECT device, PVOID *context)
{
    *context = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(struct adapter), DOORBELL_TAG);
    if (!*context) {
        return STATUS_NO_MEMORY;
    }
    RtlZeroMemory(*context, sizeof(struct adapter));
    return STATUS_SUCCESS;
}

/* The first range is the registers, the next the memory. */
static NTSTATUS take_resources(struct adapter *adapter, const CM_PARTIAL_RESOURCE_LIST *list)
{
    PHYSICAL_ADDRESS registers = {.QuadPart = 0};
    ULONG length = 0, i;

    for (i = 0; i < list->Count; i++) {
        const CM_PARTIAL_RESOURCE_DESCRIPTOR *resource = &list->PartialDescriptors[i];
        if (resource->Type == CmResourceTypePort) {
            registers = resource->u.Port.Start;
            length = resource->u.Port.Length;
            adapter->ports = TRUE;
        } else if (resource->Type == CmResourceTypeMemory && !length) {
            registers = resource->u.Memory.Start;
            length = resource->u.Memory.Length;
        } else if (resource->Type == CmResourceTypeMemory) {
            adapter->memory = resource->u.Memory.Start;
        }
    }
    if (!length || !adapter->memory.QuadPart) {
        return STATUS_DEVICE_CONFIGURATION_ERROR;
    }
    return adapter->dxgk.DxgkCbMapMemory(adapter->dxgk.DeviceHandle, registers, length,
                                         adapter->ports, FALSE, MmNonCached,
                                         (PVOID *)&adapter->registers);
}

static NTSTATUS NTAPI start_device(const PVOID context, PDXGK_START_INFO start,
                                   PDXGKRNL_INTERFACE interface, PULONG sources, PULONG children)
{
    struct adapter *adapter = context;
    DXGK_DEVICE_INFO info;
    NTSTATUS status;

    adapter->dxgk = *interface;
    adapter->completed = 0;
    adapter->resetting = FALSE;
    *sources = *children = 0;
    status = adapter->dxgk.DxgkCbGetDeviceInformation(adapter->dxgk.DeviceHandle, &info);
    if (NT_SUCCESS(status)) {
        status = take_resources(adapter, &info.TranslatedResourceList->List[0].PartialResourceList);
    }
    if (NT_SUCCESS(status)) {
        adapter->memory_bytes = read_register(adapter, DOORBELL_REG_MEMORY_BYTES);
        adapter->started = TRUE;
    }
    return status;
}

/* The interrupt routine is not inside. */
static BOOLEAN NTAPI end_interrupts(PVOID context)
{
    struct adapter *adapter = context;

    adapter->started = FALSE;
    return TRUE;
}

static NTSTATUS NTAPI stop_device(const PVOID context)
{
    struct adapter *adapter = context;
    BOOLEAN done;

    /* Other devices on the line go on interrupting. */
    (void)adapter->dxgk.DxgkCbSynchronizeExecution(adapter->dxgk.DeviceHandle, end_interrupts,
                                                   adapter, 0, &done);
    return adapter->dxgk.DxgkCbUnmapMemory(adapter->dxgk.DeviceHandle, adapter->registers);
}

static NTSTATUS NTAPI remove_device(const PVOID context)
{
    ExFreePoolWithTag(context, DOORBELL_TAG);
    return STATUS_SUCCESS;
}

static void NTAPI reset_device(const PVOID context)
{
}

static void NTAPI unload(void)
{
}

/* ---- Interrupts ------------------------------------------------------------------------------ */

static void tell(struct adapter *adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    adapter->dxgk.DxgkCbNotifyInterrupt(adapter->dxgk.DeviceHandle, data);
}

static BOOLEAN NTAPI interrupt_routine(const PVOID context, ULONG message)
{
    struct adapter *adapter = context;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
    ULONG status = adapter->started ? read_register(adapter, DOORBELL_REG_STATUS) : 0;
    UINT completed;

    if (!status || status == ~0u) {
        return FALSE; /* another device's, or this one is gone */
    }
    write_register(adapter, DOORBELL_REG_STATUS, status);
    if (adapter->resetting) {
        adapter->seen |= status;
        return TRUE;
    }
    completed = read_register(adapter, DOORBELL_REG_COMPLETED);
    if (completed != adapter->completed) {
        RtlZeroMemory(&data, sizeof(data));
        data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
        data.DmaCompleted.SubmissionFenceId = completed;
        adapter->completed = completed;
        tell(adapter, &data);
    }
    if (status & DOORBELL_STATUS_PREEMPTED) {
        RtlZeroMemory(&data, sizeof(data));
        data.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
        data.DmaPreempted.PreemptionFenceId = adapter->preemption.PreemptionFenceId;
        data.DmaPreempted.LastCompletedFenceId = completed;
        data.DmaPreempted.NodeOrdinal = adapter->preemption.NodeOrdinal;
        tell(adapter, &data);
    }
    adapter->dxgk.DxgkCbQueueDpc(adapter->dxgk.DeviceHandle);
    return TRUE;
}

static void NTAPI dpc_routine(const PVOID context)
{
    struct adapter *adapter = context;

    adapter->dxgk.DxgkCbNotifyDpc(adapter->dxgk.DeviceHandle);
}

/* ---- What it says of itself ------------------------------------------------------------------ */

static NTSTATUS query_caps(const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_DRIVERCAPS *caps = query->pOutputData;

    if (query->OutputDataSize < sizeof(*caps)) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    caps->HighestAcceptableAddress.QuadPart = -1;
    caps->SchedulingCaps.MultiEngineAware = 1;
    caps->SchedulingCaps.PreemptionAware = 1;
    caps->GpuEngineTopology.NbAsymetricProcessingNodes = 1;
    caps->WDDMVersion = (DXGK_WDDMVERSION)0x2600;
    caps->PreemptionCaps.GraphicsPreemptionGranularity =
        D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY;
    caps->PreemptionCaps.ComputePreemptionGranularity =
        D3DKMDT_COMPUTE_PREEMPTION_DMA_BUFFER_BOUNDARY;
    caps->MiscCaps.ComputeOnly = 1;
    return STATUS_SUCCESS;
}

static NTSTATUS query_segments(const struct adapter *adapter, const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_QUERYSEGMENTOUT4 *out = query->pOutputData;
    DXGK_SEGMENTDESCRIPTOR4 *segment = (void *)out->pSegmentDescriptor;

    out->NbSegment = 1;
    if (segment) {
        RtlZeroMemory(segment, sizeof(*segment));
        segment->Flags.CpuVisible = 1;
        segment->CpuTranslatedAddress = adapter->memory;
        segment->Size = adapter->memory_bytes;
        out->PagingBufferSize = PAGING_BYTES;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI query_adapter_info(const HANDLE handle, const DXGKARG_QUERYADAPTERINFO *query)
{
    switch (query->Type) {
    case DXGKQAITYPE_DRIVERCAPS:
        return query_caps(query);
    case DXGKQAITYPE_QUERYSEGMENT4:
        return query_segments(handle, query);
    default:
        return STATUS_NOT_SUPPORTED;
    }
}

static NTSTATUS NTAPI get_node_metadata(const HANDLE handle, UINT node,
                                        DXGKARG_GETNODEMETADATA *out)
{
    RtlZeroMemory(out, sizeof(*out));
    out->EngineType = DXGK_ENGINE_TYPE_COPY;
    return STATUS_SUCCESS;
}

/* ---- Devices, contexts, allocations ---------------------------------------------------------- */

/* The engine knows none of them: each is a few bytes that are its handle. */
static NTSTATUS make_handle(HANDLE *out)
{
    *out = ExAllocatePoolWithTag(NonPagedPoolNx, 16, DOORBELL_TAG);
    return *out ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static NTSTATUS NTAPI free_handle(const HANDLE handle)
{
    ExFreePoolWithTag(handle, DOORBELL_TAG);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI create_device(const HANDLE handle, DXGKARG_CREATEDEVICE *create)
{
    return make_handle(&create->hDevice);
}

static NTSTATUS NTAPI create_context(const HANDLE device, DXGKARG_CREATECONTEXT *create)
{
    create->ContextInfo.DmaBufferSize = DMA_BYTES;
    create->ContextInfo.AllocationListSize = 16;
    create->ContextInfo.PatchLocationListSize = PATCHES_MAX;
    return make_handle(&create->hContext);
}

static NTSTATUS NTAPI create_allocation(const HANDLE handle, DXGKARG_CREATEALLOCATION *create)
{
    DXGK_ALLOCATIONINFO *info = create->pAllocationInfo;
    const struct doorbell_allocation *data = info->pPrivateDriverData;
    struct doorbell_allocation *copy;

    if (create->NumAllocations != 1 || info->PrivateDriverDataSize != sizeof(*data) ||
        data->bytes == 0 || data->bytes % 4 != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    copy = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*copy), DOORBELL_TAG);
    if (!copy) {
        return STATUS_NO_MEMORY;
    }
    *copy = *data;
    info->hAllocation = copy;
    info->Size = data->bytes;
    info->Alignment = 64;
    info->AllocationPriority = D3DDDI_ALLOCATIONPRIORITY_NORMAL;
    info->PreferredSegment.Value = 0; /* nothing of it is what it was */
    info->PreferredSegment.SegmentId0 = SEGMENT_MEMORY;
    info->SupportedReadSegmentSet = info->SupportedWriteSegmentSet = 1u << (SEGMENT_MEMORY - 1);
    info->EvictionSegmentSet = 0;
    info->FlagsWddm2.Value = 0;
    info->FlagsWddm2.CpuVisible = 1;
    return create->Flags.Resource && !create->hResource ? make_handle(&create->hResource)
                                                        : STATUS_SUCCESS;
}

static NTSTATUS NTAPI destroy_allocation(const HANDLE handle,
                                         const DXGKARG_DESTROYALLOCATION *destroy)
{
    UINT i;

    for (i = 0; i < destroy->NumAllocations; i++) {
        free_handle(destroy->pAllocationList[i]);
    }
    if (destroy->Flags.DestroyResource && destroy->hResource) {
        free_handle(destroy->hResource);
    }
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI open_allocation(const HANDLE device, const DXGKARG_OPENALLOCATION *open)
{
    NTSTATUS status = STATUS_SUCCESS;
    UINT i;

    for (i = 0; i < open->NumAllocations && NT_SUCCESS(status); i++) {
        status = make_handle(&open->pOpenAllocation[i].hDeviceSpecificAllocation);
    }
    while (!NT_SUCCESS(status) && i > 1) {
        free_handle(open->pOpenAllocation[--i - 1].hDeviceSpecificAllocation);
    }
    return status;
}

static NTSTATUS NTAPI close_allocation(const HANDLE device, const DXGKARG_CLOSEALLOCATION *close)
{
    UINT i;

    for (i = 0; i < close->NumAllocations; i++) {
        free_handle(close->pOpenHandleList[i]);
    }
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI describe_allocation(const HANDLE handle, DXGKARG_DESCRIBEALLOCATION *describe)
{
    const struct doorbell_allocation *data = describe->hAllocation;

    describe->Width = data->bytes;
    describe->Height = 1;
    describe->Format = D3DDDIFMT_UNKNOWN;
    return STATUS_SUCCESS;
}

/* ---- Paging ---------------------------------------------------------------------------------- */

/* A side of a transfer: an offset in the engine's memory, or the page of an MDL; *room is how far
 * it goes on. */
static ULONGLONG side(UINT segment, PHYSICAL_ADDRESS address, PMDL mdl, SIZE_T offset, SIZE_T *room)
{
    if (segment) {
        return (ULONGLONG)address.QuadPart + offset;
    }
    *room = PAGE_SIZE - offset % PAGE_SIZE;
    return ((ULONGLONG)MmGetMdlPfnArray(mdl)[offset / PAGE_SIZE] << PAGE_SHIFT) +
           offset % PAGE_SIZE + DOORBELL_SYSTEM;
}

/* One command for each page; goes on at MultipassOffset when the buffer was too small. */
static NTSTATUS build_transfer(DXGKARG_BUILDPAGINGBUFFER *build)
{
    struct doorbell_command *command = build->pDmaBuffer;
    const struct doorbell_command *end = command + build->DmaSize / sizeof(*command);
    SIZE_T size = build->Transfer.TransferSize;
    SIZE_T mdl_begin = (SIZE_T)build->Transfer.MdlOffset * PAGE_SIZE;
    SIZE_T done = build->MultipassOffset;

    for (; done < size && command < end; command++) {
        SIZE_T room = PAGE_SIZE;
        SIZE_T from = build->Transfer.Source.SegmentId ? build->Transfer.TransferOffset : mdl_begin;
        SIZE_T to =
            build->Transfer.Destination.SegmentId ? build->Transfer.TransferOffset : mdl_begin;
        RtlZeroMemory(command, sizeof(*command));
        command->opcode = DOORBELL_COPY;
        command->source =
            side(build->Transfer.Source.SegmentId, build->Transfer.Source.SegmentAddress,
                 build->Transfer.Source.pMdl, from + done, &room);
        command->destination =
            side(build->Transfer.Destination.SegmentId, build->Transfer.Destination.SegmentAddress,
                 build->Transfer.Destination.pMdl, to + done, &room);
        command->bytes = (ULONG)(room < size - done ? room : size - done);
        done += command->bytes;
    }
    build->pDmaBuffer = command;
    build->MultipassOffset = (UINT)done;
    return done < size ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER : STATUS_SUCCESS;
}

static NTSTATUS NTAPI build_paging_buffer(const HANDLE handle, DXGKARG_BUILDPAGINGBUFFER *build)
{
    struct doorbell_command *command = build->pDmaBuffer;

    if (build->Operation == DXGK_OPERATION_TRANSFER) {
        return build_transfer(build);
    }
    if (build->Operation != DXGK_OPERATION_FILL) {
        return STATUS_SUCCESS; /* DISCARD_CONTENT: nothing is kept */
    }
    if (build->DmaSize < sizeof(*command)) {
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    RtlZeroMemory(command, sizeof(*command));
    command->opcode = DOORBELL_FILL;
    command->pattern = build->Fill.FillPattern;
    command->bytes = (ULONG)build->Fill.FillSize;
    command->destination = (ULONGLONG)build->Fill.Destination.SegmentAddress.QuadPart;
    build->pDmaBuffer = command + 1;
    return STATUS_SUCCESS;
}

/* ---- Commands -------------------------------------------------------------------------------- */

/* A client may reach allocations only: every address of its commands is one that Patch writes. */
static BOOLEAN is_patched(const DXGKARG_RENDER *render, ULONG offset)
{
    UINT i;

    for (i = 0; i < render->PatchLocationListInSize; i++) {
        if (render->pPatchLocationListOut[i].PatchOffset == offset) {
            return TRUE;
        }
    }
    return FALSE;
}

static BOOLEAN commands_accept(const DXGKARG_RENDER *render)
{
    const struct doorbell_command *commands = render->pDmaBuffer;
    ULONG count = render->CommandLength / sizeof(*commands), i;

    for (i = 0; i < count; i++) {
        ULONG at = i * sizeof(*commands);
        if ((commands[i].opcode != DOORBELL_FILL && commands[i].opcode != DOORBELL_COPY) ||
            commands[i].bytes % 4 != 0 ||
            !is_patched(render, at + FIELD_OFFSET(struct doorbell_command, destination)) ||
            (commands[i].opcode == DOORBELL_COPY &&
             !is_patched(render, at + FIELD_OFFSET(struct doorbell_command, source)))) {
            return FALSE;
        }
    }
    for (i = 0; i < render->PatchLocationListInSize; i++) {
        D3DDDI_PATCHLOCATIONLIST *patch = &render->pPatchLocationListOut[i];
        if (patch->AllocationIndex >= render->AllocationListSize ||
            patch->PatchOffset > render->CommandLength - sizeof(ULONGLONG)) {
            return FALSE;
        }
        /* Between commands the buffer may be cut, wherever the client thinks that it may. */
        patch->SplitOffset = patch->PatchOffset - patch->PatchOffset % sizeof(*commands);
        if (i > 0 && patch->SplitOffset < patch[-1].SplitOffset) {
            return FALSE;
        }
    }
    return TRUE;
}

static NTSTATUS NTAPI render(const HANDLE context, DXGKARG_RENDER *render)
{
    UINT i;

    if (render->CommandLength > render->DmaSize || render->CommandLength == 0 ||
        render->CommandLength % sizeof(struct doorbell_command) != 0 ||
        render->PatchLocationListInSize > render->PatchLocationListOutSize) {
        return STATUS_INVALID_PARAMETER;
    }
    CLIENT_TRY
    {
        RtlCopyMemory(render->pDmaBuffer, render->pCommand, render->CommandLength);
        for (i = 0; i < render->PatchLocationListInSize; i++) {
            render->pPatchLocationListOut[i] = render->pPatchLocationListIn[i];
        }
    }
    CLIENT_EXCEPT
    {
        return STATUS_INVALID_USER_BUFFER;
    }
    if (!commands_accept(render)) {
        return STATUS_ILLEGAL_INSTRUCTION;
    }
    render->pDmaBuffer = (UCHAR *)render->pDmaBuffer + render->CommandLength;
    render->pPatchLocationListOut += render->PatchLocationListInSize;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI patch(const HANDLE handle, const DXGKARG_PATCH *patch)
{
    UINT i = patch->PatchLocationListSubmissionStart;
    UINT end = i + patch->PatchLocationListSubmissionLength;

    for (; i < end; i++) {
        const D3DDDI_PATCHLOCATIONLIST *location = &patch->pPatchLocationList[i];
        const DXGK_ALLOCATIONLIST *allocation = &patch->pAllocationList[location->AllocationIndex];
        *(ULONGLONG *)(void *)((UCHAR *)patch->pDmaBuffer + location->PatchOffset) =
            (ULONGLONG)allocation->PhysicalAddress.QuadPart + location->AllocationOffset;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI submit_command(const HANDLE handle, const DXGKARG_SUBMITCOMMAND *submit)
{
    const struct adapter *adapter = handle;
    ULONGLONG buffer = (ULONGLONG)submit->DmaBufferPhysicalAddress.QuadPart +
                       submit->DmaBufferSubmissionStartOffset;

    write_register(adapter, DOORBELL_REG_BUFFER_LOW, (ULONG)buffer);
    write_register(adapter, DOORBELL_REG_BUFFER_HIGH, (ULONG)(buffer >> 32));
    write_register(adapter, DOORBELL_REG_LENGTH,
                   submit->DmaBufferSubmissionEndOffset - submit->DmaBufferSubmissionStartOffset);
    write_register(adapter, DOORBELL_REG_FENCE, submit->SubmissionFenceId);
    write_register(adapter, DOORBELL_REG_DOORBELL, 1);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI preempt_command(const HANDLE handle, const DXGKARG_PREEMPTCOMMAND *preempt)
{
    struct adapter *adapter = handle;

    adapter->preemption = *preempt;
    write_register(adapter, DOORBELL_REG_PREEMPT, 1);
    return STATUS_SUCCESS;
}

/* ---- Recovery -------------------------------------------------------------------------------- */

/* Nothing but what runs is left then; an engine that stands still has no way out of it. */
static NTSTATUS NTAPI reset_from_timeout(const HANDLE handle)
{
    struct adapter *adapter = handle;
    LARGE_INTEGER step;
    ULONG i;

    step.QuadPart = RESET_STEP;
    adapter->seen = 0;
    adapter->resetting = TRUE;
    write_register(adapter, DOORBELL_REG_PREEMPT, 1);
    for (i = 0; i < RESET_LOOKS && !(adapter->seen & DOORBELL_STATUS_PREEMPTED); i++) {
        (void)KeDelayExecutionThread(KernelMode, FALSE, &step);
    }
    adapter->completed = read_register(adapter, DOORBELL_REG_COMPLETED);
    adapter->resetting = FALSE;
    return adapter->seen & DOORBELL_STATUS_PREEMPTED ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
}

static NTSTATUS NTAPI restart_from_timeout(const HANDLE handle)
{
    return STATUS_SUCCESS;
}

/* ---- Entry ----------------------------------------------------------------------------------- */

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registry_path)
{
    DRIVER_INITIALIZATION_DATA table;

    RtlZeroMemory(&table, sizeof(table));
    table.Version = DXGKDDI_INTERFACE_VERSION;
    table.DxgkDdiAddDevice = add_device;
    table.DxgkDdiStartDevice = start_device;
    table.DxgkDdiStopDevice = stop_device;
    table.DxgkDdiRemoveDevice = remove_device;
    table.DxgkDdiInterruptRoutine = interrupt_routine;
    table.DxgkDdiDpcRoutine = dpc_routine;
    table.DxgkDdiResetDevice = reset_device;
    table.DxgkDdiResetFromTimeout = reset_from_timeout;
    table.DxgkDdiRestartFromTimeout = restart_from_timeout;
    table.DxgkDdiUnload = unload;
    table.DxgkDdiQueryAdapterInfo = query_adapter_info;
    table.DxgkDdiGetNodeMetadata = get_node_metadata;
    table.DxgkDdiCreateDevice = create_device;
    table.DxgkDdiDestroyDevice = free_handle;
    table.DxgkDdiCreateContext = create_context;
    table.DxgkDdiDestroyContext = free_handle;
    table.DxgkDdiCreateAllocation = create_allocation;
    table.DxgkDdiDestroyAllocation = destroy_allocation;
    table.DxgkDdiOpenAllocation = open_allocation;
    table.DxgkDdiCloseAllocation = close_allocation;
    table.DxgkDdiDescribeAllocation = describe_allocation;
    table.DxgkDdiBuildPagingBuffer = build_paging_buffer;
    table.DxgkDdiRender = render;
    table.DxgkDdiPatch = patch;
    table.DxgkDdiSubmitCommand = submit_command;
    table.DxgkDdiPreemptCommand = preempt_command;
    return DxgkInitialize(driver, registry_path, &table);
}

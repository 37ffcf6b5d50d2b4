/* state.c: memory in which an engine keeps the state of a context while another one runs.
 *
 * With the setting ContextState every context has some. VidMm makes it resident before a packet of
 * the context goes to the hardware (CCA-003), and may move it between two of them; where it is we
 * hear from paging operations alone:
 *
 *   INIT_CONTEXT_RESOURCE   its first place: we write the state that a new context has
 *   TRANSFER, MAP_APERTURE_SEGMENT (or 2), UNMAP_APERTURE_SEGMENT
 *                           another place, or none that the GPU sees; hAllocation is our
 *                           hDriverAllocation
 *
 * A context with virtual addresses has one for its state, which stays when the memory moves: page
 * tables say where that is. Where the paging engine has such addresses, too, it writes the state by
 * one, and SetRootPageTable has the new root written there:
 *
 *   UPDATE_CONTEXT_ALLOCATION   what we gave DxgkCbUpdateContextAllocation (UCA-003)
 *
 * SubmitCommand gives the engine the address with the packet that enters the context. Where
 * dxgkrnl asks for the null context before the memory moves (SUBMIT-041), the engine keeps the
 * state until then, or until another context runs. */
#include "softgpu.h"

/* Where engines do not see by addresses what moves by them, nobody tells us where it is. */
static BOOLEAN has_state(const struct softgpu_adapter *adapter,
                         const struct softgpu_context *context)
{
    const struct softgpu_settings *settings = &adapter->settings;

    if (!settings->context_state || context->system) {
        return FALSE;
    }
    return context->space != 0 || !settings->gpu_mmu || !settings->paging_virtual;
}

static NTSTATUS give_address(const struct softgpu_adapter *adapter, struct softgpu_context *context)
{
    DXGKARGCB_MAPCONTEXTALLOCATION map;

    if (context->space == 0) {
        return STATUS_SUCCESS;
    }
    RtlZeroMemory(&map, sizeof(map));
    map.hAllocation = context->memory.kernel_handle;
    map.SizeInPages = 1;
    map.Protection.Write = 1;
    context->memory.virtual_address =
        adapter->dxgk.DxgkCbMapContextAllocation(adapter->dxgk.DeviceHandle, &map);
    return context->memory.virtual_address != 0 ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

NTSTATUS softgpu_state_create(struct softgpu_adapter *adapter, struct softgpu_context *context)
{
    ULONG aperture = softgpu_aperture_segment(adapter);
    DXGKARGCB_CREATECONTEXTALLOCATION create;
    NTSTATUS status;

    RtlZeroMemory(&context->memory, sizeof(context->memory));
    if (!has_state(adapter, context)) {
        return STATUS_SUCCESS;
    }
    context->memory.magic = SOFTGPU_STATE_MAGIC;
    context->memory.context_id = context->id;
    context->memory.kept = adapter->settings.preemption_aware != 0;
    RtlZeroMemory(&create, sizeof(create));
    create.hAdapter = adapter->dxgk.DeviceHandle;
    create.hContext = context->kernel_handle;
    create.hDriverAllocation = &context->memory;
    create.Size = PAGE_SIZE;
    create.Alignment = PAGE_SIZE;
    create.SupportedSegmentSet = (1u << (aperture - 1)) - 1; /* video memory */
    if (adapter->settings.context_state == 2) {
        /* These three together give the CPU an address for as long as it lives (INITCTX-005). */
        create.SupportedSegmentSet = 1u << (aperture - 1);
        create.Flags.CpuVisible = 1;
        create.Flags.Protected = 1;
        context->memory.seen_by_cpu = TRUE;
    }
    status = adapter->dxgk.DxgkCbCreateContextAllocation(&create);
    if (NT_SUCCESS(status)) {
        context->memory.kernel_handle = create.hAllocation;
        status = give_address(adapter, context);
        if (!NT_SUCCESS(status)) {
            softgpu_state_destroy(adapter, context);
        }
    }
    return status;
}

ULONGLONG softgpu_state_address(const struct softgpu_context *context)
{
    return context->space != 0 ? context->memory.virtual_address : context->memory.address;
}

void softgpu_state_destroy(const struct softgpu_adapter *adapter, struct softgpu_context *context)
{
    if (context->memory.kernel_handle != NULL) {
        adapter->dxgk.DxgkCbDestroyContextAllocation(adapter->dxgk.DeviceHandle,
                                                     context->memory.kernel_handle);
        context->memory.kernel_handle = NULL;
    }
}

static struct softgpu_context_memory *memory_of(HANDLE allocation)
{
    struct softgpu_context_memory *memory = allocation;

    return memory != NULL && memory->magic == SOFTGPU_STATE_MAGIC ? memory : NULL;
}

static ULONGLONG new_address(const struct softgpu_adapter *adapter,
                             const DXGKARG_BUILDPAGINGBUFFER *paging)
{
    switch (paging->Operation) {
    case DXGK_OPERATION_TRANSFER:
        return paging->Transfer.TransferSize == 0 || paging->Transfer.Destination.SegmentId == 0
                   ? 0
                   : (ULONGLONG)paging->Transfer.Destination.SegmentAddress.QuadPart;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
        return softgpu_segment_address(adapter, paging->MapApertureSegment.SegmentId,
                                       (ULONGLONG)paging->MapApertureSegment.OffsetInPages
                                           << SOFTGPU_PAGE_SHIFT);
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
        return softgpu_segment_address(adapter, paging->MapApertureSegment2.SegmentId,
                                       (ULONGLONG)paging->MapApertureSegment2.OffsetInPages
                                           << SOFTGPU_PAGE_SHIFT);
    default:
        return 0;
    }
}

void softgpu_state_moved(const struct softgpu_adapter *adapter,
                         const DXGKARG_BUILDPAGINGBUFFER *paging)
{
    struct softgpu_context_memory *memory;

    switch (paging->Operation) {
    case DXGK_OPERATION_TRANSFER:
        memory = memory_of(paging->Transfer.hAllocation);
        break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
        memory = memory_of(paging->MapApertureSegment.hAllocation);
        break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
        memory = memory_of(paging->MapApertureSegment2.hAllocation);
        break;
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
        memory = memory_of(paging->UnmapApertureSegment.hAllocation);
        break;
    default:
        return;
    }
    if (memory != NULL) {
        memory->address = new_address(adapter, paging);
    }
}

/* The CPU has an address where it was asked for, and nowhere else (INITCTX-006). */
static void init_by_cpu(const struct softgpu_context_memory *memory, void *address)
{
    struct softgpu_context_state *state = address;

    RtlZeroMemory(state, PAGE_SIZE);
    state->magic = SOFTGPU_STATE_MAGIC;
    state->context = memory->context_id;
}

static struct softgpu_command_write write_pair(ULONGLONG address, ULONG low, ULONG high)
{
    struct softgpu_command_write write;

    RtlZeroMemory(&write, sizeof(write));
    write.header = SOFTGPU_COMMAND(SOFTGPU_OP_WRITE, SOFTGPU_COMMAND_WORDS_OF(write));
    write.flags = SOFTGPU_WRITE_64;
    write.address = softgpu_address_of(address);
    write.value_low = low;
    write.value_high = high;
    return write;
}

/* A page of zeros, and who it belongs to at its start. Commands of the paging buffer name it as the
 * paging engine sees it: by a virtual address, if we are given one (INITCTX-007). */
NTSTATUS softgpu_state_init(DXGKARG_BUILDPAGINGBUFFER *paging)
{
    struct softgpu_context_memory *memory = memory_of(paging->InitContextResource.hAllocation);
    ULONGLONG address = paging->InitContextResource.Destination.GpuVirtualAddress;
    struct softgpu_command_fill fill;
    struct softgpu_command_write write;
    UCHAR *cursor = paging->pDmaBuffer;

    if (memory == NULL) {
        return STATUS_SUCCESS; /* not ours: there is nothing to write */
    }
    if (address == 0) {
        address = (ULONGLONG)paging->InitContextResource.Destination.SegmentAddress.QuadPart;
        memory->address = address;
    }
    if (memory->seen_by_cpu) {
        init_by_cpu(memory, paging->InitContextResource.Destination.VirtualAddress);
        return STATUS_SUCCESS;
    }
    if (paging->DmaSize < sizeof(fill) + sizeof(write)) {
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    RtlZeroMemory(&fill, sizeof(fill));
    fill.header = SOFTGPU_COMMAND(SOFTGPU_OP_FILL, SOFTGPU_COMMAND_WORDS_OF(fill));
    fill.address = softgpu_address_of(address);
    fill.size_low = PAGE_SIZE;
    write = write_pair(address, SOFTGPU_STATE_MAGIC, memory->context_id);
    RtlCopyMemory(cursor, &fill, sizeof(fill));
    RtlCopyMemory(cursor + sizeof(fill), &write, sizeof(write));
    paging->pDmaBuffer = cursor + sizeof(fill) + sizeof(write);
    return STATUS_SUCCESS;
}

/* The root table that the state is of has changed. Inside SetRootPageTable dxgkrnl cannot wait for
 * the engine; it has the state written before the context runs again. */
void softgpu_state_new_root(const struct softgpu_adapter *adapter,
                            const struct softgpu_context *context, ULONGLONG root)
{
    DXGKARGCB_UPDATECONTEXTALLOCATION update;

    if (context->memory.kernel_handle == NULL || !adapter->settings.paging_virtual) {
        return;
    }
    RtlZeroMemory(&update, sizeof(update));
    update.hAllocation = context->memory.kernel_handle;
    update.pPrivateDriverData = &root;
    update.PrivateDriverDataSize = sizeof(root);
    (void)adapter->dxgk.DxgkCbUpdateContextAllocation(adapter->dxgk.DeviceHandle, &update);
}

NTSTATUS softgpu_state_update(DXGKARG_BUILDPAGINGBUFFER *paging)
{
    struct softgpu_command_write write;
    ULONGLONG address = paging->UpdateContextAllocation.ContextAllocation;
    ULONGLONG root;

    if (paging->UpdateContextAllocation.DriverPrivateDataSize != sizeof(root)) {
        return STATUS_INVALID_PARAMETER; /* none of ours */
    }
    if (paging->DmaSize < sizeof(write)) {
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    RtlCopyMemory(&root, paging->UpdateContextAllocation.pDriverPrivateData, sizeof(root));
    write = write_pair(address + FIELD_OFFSET(struct softgpu_context_state, root_low), (ULONG)root,
                       (ULONG)(root >> 32));
    RtlCopyMemory(paging->pDmaBuffer, &write, sizeof(write));
    paging->pDmaBuffer = (UCHAR *)paging->pDmaBuffer + sizeof(write);
    return STATUS_SUCCESS;
}

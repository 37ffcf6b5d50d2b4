/* queue.c: hardware contexts, hardware queues, and what is submitted to them.
 *
 *   process ── device ── hardware context: an address space, on one node
 *                          +── hardware queue: a ring of submissions, and a progress fence
 *
 *   ValidateSubmitCommand ─> SubmitCommandToHwQueue: an entry in the ring, the doorbell
 *                            ─> the GPU runs it when its turn has come; the progress fence in
 *                               memory is written ─> MONITORED_FENCE_SIGNALED (queue_event.c)
 *
 * No fence ids, no preemption: dxgkrnl looks at the progress fence, and the GPU changes contexts by
 * itself (schedule.c). Calls for different queues come at once (HWQ-001); each touches its own. */
#include "softgpu.h"

BOOLEAN softgpu_node_has_queues(const struct softgpu_adapter *adapter, ULONG node)
{
    switch (adapter->settings.hw_scheduling) {
    case 0:
        return FALSE;
    case 1:
        return node == SOFTGPU_ENGINE_COMPUTE;
    default:
        return node == SOFTGPU_ENGINE_COMPUTE || node == adapter->settings.paging_node;
    }
}

/* ---- Contexts -------------------------------------------------------------------------------- */

static BOOLEAN take_context_slot(struct softgpu_hw *hw, struct softgpu_hw_context *context)
{
    for (context->slot = 0; context->slot < SOFTGPU_HWCONTEXT_COUNT; context->slot++) {
        if (InterlockedCompareExchangePointer((PVOID volatile *)&hw->contexts[context->slot],
                                              context, NULL) == NULL) {
            return TRUE;
        }
    }
    return FALSE;
}

/* It begins in the normal band, and resumed; dxgkrnl says more before the first submission
 * (HWQ-018). */
NTSTATUS NTAPI softgpu_create_hw_context(const HANDLE device_handle,
                                         DXGKARG_CREATEHWCONTEXT *create)
{
    struct softgpu_device *device = device_handle;
    struct softgpu_adapter *adapter = device->adapter;
    struct softgpu_hw_context *context;

    PAGED_CODE();

    if (!softgpu_node_has_queues(adapter, create->NodeOrdinal) || device->process == NULL ||
        create->PrivateDriverDataSize != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    /* The interrupt routine looks at it: nonpaged. */
    context = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*context), SOFTGPU_TAG_QUEUE);
    if (context == NULL) {
        return STATUS_NO_MEMORY;
    }
    context->base.device = device;
    context->base.kernel_handle = create->hHwContext;
    context->base.node = create->NodeOrdinal;
    context->schedule.band = SOFTGPU_BAND_NORMAL;
    if (!softgpu_space_open(adapter, &context->base)) {
        ExFreePoolWithTag(context, SOFTGPU_TAG_QUEUE);
        return STATUS_NO_MEMORY;
    }
    if (!take_context_slot(adapter->hw, context)) {
        softgpu_space_close(adapter, &context->base);
        ExFreePoolWithTag(context, SOFTGPU_TAG_QUEUE);
        return STATUS_NO_MEMORY;
    }
    softgpu_context_program(adapter, context);
    create->ContextCaps.Value = 0;
    create->hHwContext = context; /* HWQ-011 */
    return STATUS_SUCCESS;
}

struct forget {
    struct softgpu_adapter *adapter;
    struct softgpu_hw_context *context;
};

/* The interrupt routine walks the contexts. */
static BOOLEAN NTAPI forget_context(PVOID argument)
{
    struct forget *forget = argument;

    softgpu_write(forget->adapter,
                  SOFTGPU_HWCONTEXT_REG(forget->context->slot, SOFTGPU_HWCONTEXT_CONTROL), 0);
    forget->adapter->hw->contexts[forget->context->slot] = NULL;
    return TRUE;
}

/* Its queues are gone, and the GPU does not run it. */
NTSTATUS NTAPI softgpu_destroy_hw_context(const HANDLE context_handle)
{
    struct softgpu_hw_context *context = context_handle;
    struct softgpu_adapter *adapter = context->base.device->adapter;
    struct forget forget = {adapter, context};

    PAGED_CODE();

    softgpu_synchronize(adapter, forget_context, &forget);
    softgpu_space_close(adapter, &context->base);
    ExFreePoolWithTag(context, SOFTGPU_TAG_QUEUE);
    return STATUS_SUCCESS;
}

/* ---- Queues ---------------------------------------------------------------------------------- */

static NTSTATUS make_ring(struct softgpu_hw_queue *queue)
{
    PHYSICAL_ADDRESS highest;
    SIZE_T bytes = SOFTGPU_QUEUE_ENTRIES * sizeof(struct softgpu_hwqueue_entry);

    highest.QuadPart = (LONGLONG)(SOFTGPU_SYSTEM_SIZE - 1);
    queue->ring = MmAllocateContiguousMemory(bytes, highest);
    if (queue->ring == NULL) {
        return STATUS_NO_MEMORY;
    }
    RtlZeroMemory(queue->ring, bytes);
    queue->ring_address =
        SOFTGPU_SYSTEM_BASE + (ULONGLONG)MmGetPhysicalAddress(queue->ring).QuadPart;
    return STATUS_SUCCESS;
}

static BOOLEAN take_queue_slot(struct softgpu_hw *hw, struct softgpu_hw_queue *queue)
{
    for (queue->slot = 0; queue->slot < SOFTGPU_HWQUEUE_COUNT; queue->slot++) {
        if (InterlockedCompareExchangePointer((PVOID volatile *)&hw->queues[queue->slot], queue,
                                              NULL) == NULL) {
            return TRUE;
        }
    }
    return FALSE;
}

/* The progress fence is mapped in the context's process (HWQ-010); the CPU's address of it is for
 * looking alone. */
NTSTATUS NTAPI softgpu_create_hw_queue(const HANDLE context_handle, DXGKARG_CREATEHWQUEUE *create)
{
    struct softgpu_hw_context *context = context_handle;
    struct softgpu_adapter *adapter = context->base.device->adapter;
    struct softgpu_hw_queue *queue;
    NTSTATUS status;

    PAGED_CODE();

    if (create->PrivateDriverDataSize != 0 ||
        (create->Flags.UserModeSubmission && !adapter->settings.user_submission)) {
        return STATUS_INVALID_PARAMETER;
    }
    queue = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*queue), SOFTGPU_TAG_QUEUE);
    if (queue == NULL) {
        return STATUS_NO_MEMORY;
    }
    queue->context = context;
    queue->kernel_handle = create->hHwQueue;
    queue->progress = create->HwQueueProgressFenceCPUVirtualAddress;
    queue->users = create->Flags.UserModeSubmission != 0;
    status = queue->users ? STATUS_SUCCESS : make_ring(queue);
    if (NT_SUCCESS(status) && !take_queue_slot(adapter->hw, queue)) {
        if (queue->ring != NULL) {
            MmFreeContiguousMemory(queue->ring);
        }
        status = STATUS_NO_MEMORY;
    }
    if (!NT_SUCCESS(status)) {
        ExFreePoolWithTag(queue, SOFTGPU_TAG_QUEUE);
        return status;
    }
    softgpu_queue_program(adapter, queue);
    create->hHwQueue = queue;
    return STATUS_SUCCESS;
}

static BOOLEAN NTAPI forget_queue(PVOID argument)
{
    struct softgpu_hw_queue *queue = argument;
    struct softgpu_adapter *adapter = queue->context->base.device->adapter;

    softgpu_write(adapter, SOFTGPU_HWQUEUE_REG(queue->slot, SOFTGPU_HWQUEUE_CONTROL), 0);
    adapter->hw->queues[queue->slot] = NULL;
    return TRUE;
}

/* What is still in it, of a device that was lost, is dropped: on return of the write nobody reads
 * the ring any more. */
NTSTATUS NTAPI softgpu_destroy_hw_queue(const HANDLE queue_handle)
{
    struct softgpu_hw_queue *queue = queue_handle;

    PAGED_CODE();

    softgpu_synchronize(queue->context->base.device->adapter, forget_queue, queue);
    if (queue->ring != NULL) {
        MmFreeContiguousMemory(queue->ring);
    }
    ExFreePoolWithTag(queue, SOFTGPU_TAG_QUEUE);
    return STATUS_SUCCESS;
}

/* ---- Submissions ----------------------------------------------------------------------------- */

/* Once for each submission with private data. A buffer that the GPU has executed before is refused
 * (VALID-020): its progress fence is there already. */
NTSTATUS softgpu_validate_for_queues(const struct softgpu_adapter *adapter,
                                     const DXGKARG_VALIDATESUBMITCOMMAND *arguments)
{
    const struct softgpu_hw_queue *queue;
    ULONG i;

    for (i = 0; i < arguments->ContextCount; i++) {
        queue = arguments->Context[i];
        if (queue == NULL || queue->context->base.device->adapter != adapter ||
            *queue->progress >= arguments->HwQueueProgressFenceId) {
            return STATUS_INVALID_PARAMETER;
        }
    }
    if (!softgpu_is_client_data(arguments->pPrivateDriverData, arguments->UmdPrivateDataSize) ||
        !softgpu_is_command_range(&softgpu_settings, arguments->Commands,
                                  arguments->CommandLength)) {
        return STATUS_INVALID_USER_BUFFER;
    }
    return STATUS_SUCCESS;
}

/* Up to DISPATCH_LEVEL. Appends the buffer and does not wait (HWQ-009). Of the private data nothing
 * is kept: it dies when this returns (HWQ-006). What nobody looked at, of clients without private
 * data, the device looks at: it stops for a buffer that is none, and its context is lost.
 *
 * The progress fence is written by the buffer's last command, or by the device behind the buffer
 * where the node says so (HWQ-008). Either way the device tells of the end. */
NTSTATUS NTAPI softgpu_submit_command_to_hw_queue(const HANDLE adapter_handle,
                                                  const DXGKARG_SUBMITCOMMANDTOHWQUEUE *submit)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct softgpu_hw_queue *queue = submit->hHwQueue;
    struct softgpu_hwqueue_entry *entry = &queue->ring[queue->tail];
    ULONG head = softgpu_read(adapter, SOFTGPU_HWQUEUE_REG(queue->slot, SOFTGPU_HWQUEUE_HEAD));
    ULONG next = (queue->tail + 1) % SOFTGPU_QUEUE_ENTRIES;

    if (!adapter->gone && next == head) {
        return STATUS_INSUFFICIENT_RESOURCES; /* MaxInFlightHwQueueBuffers is less than that */
    }
    RtlZeroMemory(entry, sizeof(*entry));
    entry->flags = SOFTGPU_ENTRY_INTERRUPT;
    if (adapter->settings.fence_release) {
        entry->flags |= SOFTGPU_ENTRY_FENCE;
    }
    if (submit->Flags.Paging) {
        entry->flags |= SOFTGPU_ENTRY_PRIVILEGED; /* we wrote it */
    }
    entry->size_bytes = submit->DmaBufferSize;
    entry->address_low = (ULONG)submit->DmaBufferVirtualAddress;
    entry->address_high = (ULONG)(submit->DmaBufferVirtualAddress >> 32);
    entry->fence_address_low = (ULONG)submit->HwQueueProgressFenceGpuVa;
    entry->fence_address_high = (ULONG)(submit->HwQueueProgressFenceGpuVa >> 32);
    entry->fence_low = (ULONG)submit->HwQueueProgressFenceId;
    entry->fence_high = (ULONG)(submit->HwQueueProgressFenceId >> 32);
    queue->tail = next;
    KeMemoryBarrier(); /* the entry before the tail */
    softgpu_write(adapter, SOFTGPU_HWQUEUE_REG(queue->slot, SOFTGPU_HWQUEUE_TAIL), queue->tail);
    return STATUS_SUCCESS;
}

/* The last command of a buffer that the kernel has us build (HWQ-013); all kinds of buffers have
 * the same commands. */
NTSTATUS NTAPI softgpu_signal_fence(const HANDLE context_handle,
                                    DXGKARG_SIGNALMONITOREDFENCE *arguments)
{
    struct softgpu_command_fence64 fence;

    UNREFERENCED_PARAMETER(context_handle);
    PAGED_CODE();

    if (arguments->DmaSize < sizeof(fence)) {
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    RtlZeroMemory(&fence, sizeof(fence));
    fence.header = SOFTGPU_COMMAND(SOFTGPU_OP_FENCE64, SOFTGPU_COMMAND_WORDS_OF(fence));
    fence.address = softgpu_address_of(arguments->MonitoredFenceGpuVa);
    fence.value_low = (ULONG)arguments->MonitoredFenceValue;
    fence.value_high = (ULONG)(arguments->MonitoredFenceValue >> 32);
    RtlCopyMemory(arguments->pDmaBuffer, &fence, sizeof(fence));
    arguments->pDmaBuffer = (UCHAR *)arguments->pDmaBuffer + sizeof(fence);
    arguments->DmaSize -= sizeof(fence);
    return STATUS_SUCCESS;
}

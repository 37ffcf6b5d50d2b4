/* Paging by a hardware queue of the system's; see the header. The page of the queue's fence is a
 * buffer of the paging space, like those that it runs. */
#include "dxgk/paging_queue.h"
#include "dxgk/hwqueue_parts.h"
#include "dxgk/submission.h"
#include "dxgk/work.h"

#include <inttypes.h>
#include <string.h>

/* Ids grow over the end of 32 bits: a driver that writes half of a fence is seen. */
#define FIRST_ID   UINT64_C(0xFFFFFFF8)
#define START_NS   (5 * NS_PER_S) /* what the CPU does at once takes no time */
#define EXPECTED   "the 64-bit value that was given, at the end of the paging buffer's commands"
#define PAGE_COUNT 1

/* ---- The page of the fence ------------------------------------------------------------------- */

NTSTATUS dxgk_paging_page_make(struct dxgk_adapter *adapter, struct dxgk_fence_page *page)
{
    const struct vidmm_dma_pool_options options = {
        .size_bytes = MACHINE_PAGE_SIZE,
        .space = &adapter->system_space.memory,
        .buffer_count_max = PAGE_COUNT,
        .paging = true,
    };
    NTSTATUS status = vidmm_dma_pool_init(&page->pool, adapter->vidmm, &options);

    if (NT_SUCCESS(status)) {
        status = vidmm_dma_acquire(&page->pool, &page->buffer);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    page->view = page->buffer->bytes;
    page->address = page->buffer->virtual_address;
    memset(page->view, 0, MACHINE_PAGE_SIZE);
    dxgk_paging_kick(adapter);
    return dxgk_wait_paging(adapter, vidmm_paging_queued(adapter->vidmm),
                            machine_now_ns() + START_NS);
}

/* Its address stays the paging space's, which ends behind it. */
void dxgk_paging_page_end(struct dxgk_adapter *adapter, struct dxgk_fence_page *page)
{
    struct vidmm_wait wait;

    if (page->buffer) {
        vidmm_dma_release(page->buffer);
    }
    while (vidmm_dma_pool_retire(&page->pool, &wait) == STATUS_PENDING) {
        dxgk_wait_memory(adapter, &wait, MACHINE_NEVER);
    }
    vidmm_dma_pool_fini(&page->pool);
    *page = (struct dxgk_fence_page){0};
}

/* ---- The queue ------------------------------------------------------------------------------- */

NTSTATUS dxgk_paging_queue_begin(struct dxgk_adapter *adapter)
{
    const struct dxgk_hwcontext_request request = {.node = adapter->paging_node};
    const struct dxgk_hwqueue_request plain = {{{{0}}}};
    struct dxgk_hwcontext *context;
    struct dxgk_hwqueue *queue;

    if (!adapter->engines[adapter->paging_node].scheduled || !adapter->mmu.pages) {
        return STATUS_SUCCESS;
    }
    NTSTATUS status = dxgk_hwcontext_create(adapter->system_device, &request, &context);
    if (NT_SUCCESS(status)) {
        status = dxgk_hwqueue_create(context, &plain, &queue);
    }
    if (NT_SUCCESS(status)) {
        queue->last_id = FIRST_ID - 1;
        adapter->paging.queue = queue;
    }
    return status; /* the rest goes with the system's device */
}

void dxgk_paging_queue_end(struct dxgk_adapter *adapter)
{
    struct dxgk_hwqueue *queue = adapter->paging.queue;

    if (queue) {
        adapter->paging.queue = NULL;
        NTSTATUS status = dxgk_hwcontext_destroy(queue->owner); /* with its queue */
        CHECK_THAT(NT_SUCCESS(status));                         /* nobody else knows of it */
    }
}

struct dxgk_context *dxgk_paging_stream(const struct dxgk_adapter *adapter)
{
    return adapter->paging.queue ? &adapter->paging.queue->base : adapter->system_context;
}

/* ---- The end of a part ----------------------------------------------------------------------- */

/* Who does not write the fence as it should be breaks this. */
static enum contract_rule rule_of(const struct dxgk_adapter *adapter)
{
    return adapter->engines[adapter->paging_node].fence_release ? CONTRACT_JUDGES(HWQ_008)
           : ddi_has(&adapter->ddi, POINT_SignalMonitoredFence) ? CONTRACT_JUDGES(HWQ_013)
                                                                : CONTRACT_JUDGES(SMF_001);
}

/* Where the driver stopped; what it left is outside its room only by a fatal breach. */
static void take(struct dxgk_adapter *adapter, struct dxgk_paging_signal *signal, const void *end,
                 const void *private_end)
{
    const struct vidmm_dma_buffer *dma = signal->buffer->dma;
    size_t at = (size_t)((const uint8_t *)end - dma->bytes);
    size_t private_at = (size_t)((const uint8_t *)private_end - dma->private_data);

    if (at >= signal->at && at <= adapter->paging_buffer_size + DXGK_SIGNAL_BYTES) {
        signal->at = (UINT)at;
    }
    if (private_at >= signal->private_at && private_at <= adapter->paging_private_size) {
        signal->private_at = (UINT)private_at;
    }
}

static void *private_of(const struct dxgk_paging_signal *signal)
{
    uint8_t *bytes = signal->buffer->dma->private_data;

    return bytes ? bytes + signal->private_at : NULL;
}

static NTSTATUS signal_by_ddi(struct dxgk_adapter *adapter, struct dxgk_paging_signal *signal)
{
    const struct dxgk_hwqueue *queue = adapter->paging.queue;
    const struct vidmm_dma_buffer *dma = signal->buffer->dma;
    DXGKARG_SIGNALMONITOREDFENCE arguments = {
        .KernelSubmissionType = DXGK_KERNEL_SUBMISSION_BUILD_PAGING_BUFFER,
        .pDmaBuffer = dma->bytes + signal->at,
        .DmaBufferGpuVirtualAddress = dma->virtual_address,
        .DmaSize = adapter->paging_buffer_size + DXGK_SIGNAL_BYTES - signal->at,
        .pDmaBufferPrivateData = private_of(signal),
        .DmaBufferPrivateDataSize = adapter->paging_private_size - signal->private_at,
        .MonitoredFenceGpuVa = queue->page.address,
        .MonitoredFenceValue = signal->progress_id,
        .MonitoredFenceCpuVa = queue->page.view,
        .hHwQueue = queue->base.driver_handle,
    };
    NTSTATUS status = ddi_signal_monitored_fence(&adapter->ddi, queue->owner->base.driver_handle,
                                                 &arguments, signal->object);

    take(adapter, signal, arguments.pDmaBuffer, arguments.pDmaBufferPrivateData);
    return status;
}

static void keep(void *context, DXGKARG_BUILDPAGINGBUFFER *arguments)
{
}

static NTSTATUS signal_by_operation(struct dxgk_adapter *adapter, struct dxgk_paging_signal *signal)
{
    const struct dxgk_hwqueue *queue = adapter->paging.queue;
    const struct vidmm_dma_buffer *dma = signal->buffer->dma;
    const struct ddi_corrector corrector = {keep, NULL};
    DXGKARG_BUILDPAGINGBUFFER arguments = {
        .pDmaBuffer = dma->bytes + signal->at,
        .DmaSize = adapter->paging_buffer_size + DXGK_SIGNAL_BYTES - signal->at,
        .pDmaBufferPrivateData = private_of(signal),
        .DmaBufferPrivateDataSize = adapter->paging_private_size - signal->private_at,
        .Operation = DXGK_OPERATION_SIGNAL_MONITORED_FENCE,
        .SignalMonitoredFence.MonitoredFenceGpuVa = queue->page.address,
        .SignalMonitoredFence.MonitoredFenceValue = signal->progress_id,
        .hSystemContext = adapter->system_context->driver_handle,
        .DmaBufferGpuVirtualAddress = dma->virtual_address,
        .DmaBufferWriteOffset = signal->at,
    };

    record_count("paging_operations.SignalMonitoredFence", 1);
    NTSTATUS status = ddi_build_paging_buffer(&adapter->ddi, adapter->ddi.miniport_context,
                                              &arguments, &corrector, signal->object);
    take(adapter, signal, arguments.pDmaBuffer, arguments.pDmaBufferPrivateData);
    return status;
}

void dxgk_paging_queue_signal(struct dxgk_adapter *adapter, struct dxgk_paging_signal *signal)
{
    bool has_ddi = ddi_has(&adapter->ddi, POINT_SignalMonitoredFence);

    CHECK_THAT(task_self() == adapter->worker);
    signal->progress_id = ++adapter->paging.queue->last_id;
    if (adapter->engines[adapter->paging_node].fence_release) {
        return; /* the node does it by itself */
    }
    NTSTATUS status =
        has_ddi ? signal_by_ddi(adapter, signal) : signal_by_operation(adapter, signal);
    if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
        contract_breach(
            &(struct contract_finding){.rule = rule_of(adapter), .object = signal->object},
            "a write of the fence, which any GPU has room for",
            "INSUFFICIENT_DMA_BUFFER for the signal at the end of a paging buffer, with %u bytes "
            "left",
            adapter->paging_buffer_size + DXGK_SIGNAL_BYTES - signal->at);
    }
}

/* ---- The fence ------------------------------------------------------------------------------- */

static uint64_t value_of(const struct dxgk_hwqueue *queue)
{
    return __atomic_load_n((const uint64_t *)queue->page.view, __ATOMIC_ACQUIRE);
}

/* Before it is given to the GPU, nobody may have written its id, or more. */
static void judge_value(struct dxgk_adapter *adapter, const struct dxgk_packet *packet)
{
    const struct dxgk_hwqueue *queue = adapter->paging.queue;
    const struct contract_finding finding = {.rule = rule_of(adapter),
                                             .object = packet->vidsch.object};
    uint64_t id = packet->vidsch.progress_id;

    contract_count(finding.rule);
    if (value_of(queue) >= id) {
        contract_breach(&finding, EXPECTED,
                        "the progress fence of paging at 0x%" PRIX64 " has 0x%" PRIX64
                        ", and 0x%" PRIX64
                        " was to be written by commands that the GPU has not been given",
                        queue->page.address, value_of(queue), id);
    }
}

/* ---- Submitting ------------------------------------------------------------------------------ */

NTSTATUS dxgk_paging_queue_submit(struct dxgk_packet *packet, const struct dxgk_block *block)
{
    struct dxgk_adapter *adapter = packet->adapter;
    const struct dxgk_hwqueue *queue = dxgk_hwqueue_of(packet->context);
    const DXGKARG_SUBMITCOMMANDTOHWQUEUE arguments = {
        .hHwQueue = packet->context->driver_handle,
        .HwQueueProgressFenceId = packet->vidsch.progress_id,
        .DmaBufferVirtualAddress = packet->paging.buffer->dma->virtual_address + packet->start,
        .DmaBufferSize = packet->end - packet->start,
        .DmaBufferPrivateDataSize = block->size_bytes,
        .pDmaBufferPrivateData = block->bytes,
        .Flags = packet->flags,
        .HwQueueProgressFenceGpuVa = queue->page.address,
        .HwQueueProgressFenceCpuVa = queue->page.view,
    };

    judge_value(adapter, packet);
    return ddi_submit_command_to_hw_queue(&adapter->ddi, adapter->ddi.miniport_context, &arguments,
                                          packet->vidsch.object);
}

/* ---- What goes wrong ------------------------------------------------------------------------- */

bool dxgk_paging_queue_is_wrong(const struct dxgk_adapter *adapter,
                                const struct dxgk_packet *packet)
{
    const struct dxgk_hwqueue *queue = adapter->paging.queue;

    return queue && packet->context == &queue->base &&
           value_of(queue) < queue->base.vidsch.progress; /* it went back */
}

bool dxgk_paging_queue_judge(struct dxgk_adapter *adapter, const struct dxgk_packet *packet)
{
    const struct dxgk_hwqueue *queue = adapter->paging.queue;

    if (!queue || packet->context != &queue->base) {
        return false;
    }
    struct contract_finding finding = {
        .rule = rule_of(adapter),
        .object = packet->vidsch.object,
    };
    contract_breach(&finding, EXPECTED,
                    "a paging buffer of the hardware queue was to leave 0x%" PRIX64
                    " in the progress fence at 0x%" PRIX64 ", and the fence has 0x%" PRIX64
                    " though it was submitted %" PRIu64 " ms before",
                    packet->vidsch.progress_id, queue->page.address, value_of(queue),
                    (machine_now_ns() - packet->submitted_ns) / NS_PER_MS);
    return true;
}

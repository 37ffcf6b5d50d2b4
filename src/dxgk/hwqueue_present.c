/* Present by hardware queues: as in contexts with GPU virtual addresses (present_virtual.c), but
 * for the driver's function, and for how a buffer ends.
 *
 *   PresentToHwQueue ─> a buffer ─> SignalMonitoredFence, PRESENTBLT, writes the fence behind the
 *   commands; not where the node does so by itself ─> SubmitCommandToHwQueue with Present
 *   INSUFFICIENT_DMA_BUFFER ─> the same for each part
 *
 *   ids: the client's is the last part's; parts before take those that it left out, one each
 *   nothing was drawn ─> the fence is written by the kernel when all before it is done
 *
 * How large such a buffer is no page says, nor which ids parts have: docs/choices.md. */
#include "dxgk/hwqueue_present.h"
#include "dxgk/hwqueue_parts.h"
#include "dxgk/present_virtual.h"
#include "dxgk/submission.h"

#include <string.h>

static bool can_present(const struct dxgk_hwqueue *queue)
{
    const struct dxgk_adapter *adapter = queue->base.device->adapter;

    return ddi_has(&adapter->ddi, POINT_PresentToHwQueue) &&
           (adapter->engines[queue->base.node].fence_release ||
            ddi_has(&adapter->ddi, POINT_SignalMonitoredFence));
}

HANDLE dxgk_flips_as(const struct dxgk_context *context)
{
    return dxgk_is_hwqueue(context)
               ? container_of(context, const struct dxgk_hwqueue, base)->owner->base.driver_handle
               : context->driver_handle;
}

/* ---- The end of a buffer --------------------------------------------------------------------- */

/* 0: the client left out too few. */
static uint64_t choose_id(const struct dxgk_hwqueue *queue, const struct dxgk_passes *passes)
{
    uint64_t next = queue->last_id + 1, last = passes->progress_id;

    if (last == 0) {
        return next < UINT64_MAX ? next : 0;
    }
    if (passes->more) {
        return next < last ? next : 0;
    }
    return next <= last ? last : 0;
}

static void *private_of(const struct dxgk_dma *dma)
{
    uint8_t *bytes = dma->buffer->private_data;

    return bytes ? bytes + dma->private_used : NULL;
}

/* Where the driver stopped; what it left is outside its room only by a fatal breach. */
static void take(struct dxgk_dma *dma, const DXGKARG_SIGNALMONITOREDFENCE *answer)
{
    size_t at = (size_t)((const uint8_t *)answer->pDmaBuffer - dma->buffer->bytes);
    size_t private_at = (size_t)((const uint8_t *)answer->pDmaBufferPrivateData -
                                 (const uint8_t *)dma->buffer->private_data);

    if (at >= dma->used && at <= dma->size + DXGK_SIGNAL_BYTES) {
        dma->used = (UINT)at;
    }
    if (private_at >= dma->private_used && private_at <= dma->private_size) {
        dma->private_used = (UINT)private_at;
    }
}

static void signal_end(struct dxgk_hwqueue *queue, struct dxgk_dma *dma)
{
    struct dxgk_adapter *adapter = queue->base.device->adapter;
    UINT room = dma->size + DXGK_SIGNAL_BYTES - dma->used;
    DXGKARG_SIGNALMONITOREDFENCE arguments = {
        .KernelSubmissionType = DXGK_KERNEL_SUBMISSION_PRESENTBLT,
        .pDmaBuffer = dma->buffer->bytes + dma->used,
        .DmaBufferGpuVirtualAddress = dma->buffer->virtual_address,
        .DmaSize = room,
        .pDmaBufferPrivateData = private_of(dma),
        .DmaBufferPrivateDataSize = dma->private_size - dma->private_used,
        .MonitoredFenceGpuVa = queue->page.address,
        .MonitoredFenceValue = dma->progress_id,
        .MonitoredFenceCpuVa = queue->page.view,
        .hHwQueue = queue->base.driver_handle,
    };

    contract_canary_write(dma->buffer->bytes + dma->size + DXGK_SIGNAL_BYTES);
    NTSTATUS status = ddi_signal_monitored_fence(&adapter->ddi, queue->owner->base.driver_handle,
                                                 &arguments, queue->base.object);
    take(dma, &arguments);
    if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(HWQ_013),
                                                   .object = queue->base.object},
                        "a write of the fence, which any GPU has room for",
                        "INSUFFICIENT_DMA_BUFFER for the signal at the end of a Present, with %u "
                        "bytes left",
                        room);
    }
}

/* The driver may forget the private data when they were submitted [HWQ-006]: they get a block of
 * their own, which goes then. */
static struct dxgk_block *copy_private(const struct dxgk_adapter *adapter,
                                       const struct dxgk_dma *dma)
{
    struct dxgk_block *block = dxgk_block_new((struct dxgk_adapter *)adapter, dma->private_size);

    if (block && block->bytes) {
        memcpy(block->bytes, dma->buffer->private_data, dma->private_size);
    }
    return block;
}

NTSTATUS dxgk_hwqueue_present_end(const struct dxgk_passes *passes, struct dxgk_dma *dma)
{
    struct dxgk_hwqueue *queue = dxgk_hwqueue_of(passes->context);
    const struct dxgk_adapter *adapter = queue->base.device->adapter;

    dma->progress_id = choose_id(queue, passes);
    if (dma->progress_id == 0) {
        return passes->more ? STATUS_INSUFFICIENT_RESOURCES : STATUS_INVALID_PARAMETER;
    }
    queue->last_id = dma->progress_id;
    if (!adapter->engines[queue->base.node].fence_release) {
        queue->ending = true;
        signal_end(queue, dma);
        queue->ending = false;
        wait_queue_wake(&queue->base.changed, UINT_MAX);
    }
    dma->block = copy_private(adapter, dma);
    return dma->block ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

/* ---- The road -------------------------------------------------------------------------------- */

void dxgk_hwqueue_present_fill(struct dxgk_packet *packet)
{
    struct dxgk_dma *dma = packet->dma;

    dxgk_hwqueue_of(packet->context)->pending_count++;
    packet->vidsch.progress_id = dma->progress_id;
    packet->submission.block = dma->block;
    packet->submission.address = dma->buffer->virtual_address;
    packet->submission.size = dma->used;
    dma->block = NULL;
}

bool dxgk_hwqueue_present_signals(const struct dxgk_packet *packet)
{
    return packet->road == &dxgk_road_hwqueue_present &&
           !packet->adapter->engines[packet->context->node].fence_release;
}

static void present_submit(struct dxgk_packet *packet)
{
    dxgk_written_note(packet);
    dxgk_hwqueue_hand_over(packet);
}

static void present_done(struct dxgk_packet *packet, NTSTATUS status)
{
    dxgk_hwqueue_done(packet, status);
    dxgk_dma_put(packet->dma);
}

const struct dxgk_road dxgk_road_hwqueue_present = {
    .name = "present by hardware queue",
    .kind = VIDSCH_PACKET_HW_QUEUE,
    .writer = "DxgkDdiPresentToHwQueue",
    .prepare = dxgk_virtual_prepare,
    .submit = present_submit,
    .progress = dxgk_virtual_progress,
    .recall = dxgk_virtual_recall,
    .done = present_done,
};

/* ---- Nothing was drawn ----------------------------------------------------------------------- */

/* All before it is done, and nothing behind it has begun: nobody else writes the fence now. */
static void pass_submit(struct dxgk_packet *packet)
{
    struct dxgk_hwqueue *queue = dxgk_hwqueue_of(packet->context);
    uint64_t id = packet->vidsch.progress_id;

    queue->given_id = id; /* the kernel's own */
    __atomic_store_n((uint64_t *)queue->page.view, id, __ATOMIC_RELEASE);
    sync_fence_poll(&queue->fence->core->object);
    (void)vidsch_progress(&queue->base.vidsch, id);
    vidsch_complete(&packet->vidsch, STATUS_SUCCESS);
}

static void pass_done(struct dxgk_packet *packet, NTSTATUS status)
{
    dxgk_hwqueue_of(packet->context)->pending_count--;
    wait_queue_wake(&packet->context->changed, UINT_MAX);
}

static const struct dxgk_road pass_road = {
    .name = "present of nothing",
    .kind = VIDSCH_PACKET_SOFTWARE,
    .submit = pass_submit,
    .done = pass_done,
};

/* The caller is inside the queue. */
static NTSTATUS push_pass(struct dxgk_hwqueue *queue, uint64_t progress_id)
{
    struct dxgk_packet *packet = dxgk_packet_new(&queue->base, &pass_road);

    if (!packet) {
        return STATUS_NO_MEMORY;
    }
    packet->vidsch.progress_id = queue->last_id = progress_id;
    queue->pending_count++;
    dxgk_packet_push(packet);
    return STATUS_SUCCESS;
}

static NTSTATUS pass(struct dxgk_hwqueue *queue, uint64_t progress_id)
{
    NTSTATUS status = STATUS_SUCCESS;

    if (!life_enter(&queue->base.life)) {
        return STATUS_INVALID_HANDLE;
    }
    if (!dxgk_hwqueue_wait_for_room(queue, 0)) {
        status = STATUS_DEVICE_REMOVED;
    } else if (queue->last_id < progress_id) { /* else what was drawn has it, or one behind it */
        status = push_pass(queue, progress_id);
    }
    life_leave(&queue->base.life);
    return status;
}

/* id: 0 is the kernel's own choice. */
static NTSTATUS accept(const struct dxgk_hwqueue *queue, uint64_t id)
{
    bool good = !queue->users && (id == 0 || (id > queue->last_id && id != UINT64_MAX));

    if (!can_present(queue)) {
        return STATUS_NOT_SUPPORTED;
    }
    return good ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

NTSTATUS dxgk_hwqueue_pass(struct dxgk_hwqueue *queue, uint64_t progress_id)
{
    NTSTATUS status = accept(queue, progress_id);

    return NT_SUCCESS(status) && progress_id != 0 ? pass(queue, progress_id) : status;
}

NTSTATUS dxgk_hwqueue_present(struct dxgk_hwqueue *queue,
                              const struct dxgk_present_request *request)
{
    bool flips = request->flags.Flip || request->flags.FlipWithNoWait;
    uint64_t id = request->progress_id;
    NTSTATUS status = accept(queue, id);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (id != 0 && flips) {
        return STATUS_INVALID_PARAMETER;
    }
    status = dxgk_present(&queue->base, request);
    return NT_SUCCESS(status) && id != 0 ? pass(queue, id) : status;
}

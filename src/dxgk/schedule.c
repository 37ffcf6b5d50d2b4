/* What vidsch needs of the world: residency before a packet, Patch and SubmitCommand for it, the
 * notices of interrupts, and the worker that does what may not be done in a DPC. */
#include "dxgk/internal.h"

#include <stdlib.h>
#include <string.h>

static struct dxgk_packet *packet_of(struct vidsch_packet *base)
{
    return container_of(base, struct dxgk_packet, vidsch);
}

static struct dxgk_adapter *adapter_of(struct vidsch *vidsch)
{
    return container_of(vidsch, struct dxgk_adapter, vidsch);
}

/* ---- Packets ------------------------------------------------------------------------------- */

static void packet_done(struct vidsch_packet *base, NTSTATUS status);

struct dxgk_packet *dxgk_packet_new(struct dxgk_context *context, enum vidsch_packet_kind kind)
{
    struct dxgk_adapter *adapter = context->device->adapter;
    struct list *link = list_pop_front(&adapter->free_packets);
    struct dxgk_packet *packet =
        link ? container_of(link, struct dxgk_packet, wait_link) : calloc(1, sizeof *packet);

    if (!packet) {
        return NULL;
    }
    struct vidmm_use use = packet->use; /* keeps its arrays */
    *packet = (struct dxgk_packet){.adapter = adapter, .context = context};
    if (link) {
        packet->use = use;
    } else {
        vidmm_use_init(&packet->use, adapter->vidmm);
    }
    packet->vidsch.kind = kind;
    packet->vidsch.done = packet_done;
    list_init(&packet->wait_link);
    return packet;
}

void dxgk_packet_free(struct dxgk_packet *packet)
{
    list_push_front(&packet->adapter->free_packets, &packet->wait_link);
}

void dxgk_packet_push(struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;
    unsigned node = packet->context->node;

    vidsch_push(&packet->context->vidsch, &packet->vidsch);
    vidsch_run(&adapter->vidsch, node);
}

static void count_end(struct dxgk_adapter *adapter, struct dxgk_packet *packet, NTSTATUS status)
{
    if (!vidsch_kind_is_hardware(packet->vidsch.kind)) {
        return;
    }
    if (status == VIDSCH_STATUS_CANCELLED) {
        adapter->totals.cancelled++;
    } else if (NT_SUCCESS(status)) {
        adapter->totals.completed++;
    } else {
        adapter->totals.lost++;
    }
}

/* At DISPATCH_LEVEL or below; may not wait. */
static void packet_done(struct vidsch_packet *base, NTSTATUS status)
{
    struct dxgk_packet *packet = packet_of(base);
    struct dxgk_adapter *adapter = packet->adapter;
    struct dxgk_context *context = packet->context;

    count_end(adapter, packet, status);
    if (status == STATUS_NO_MEMORY || status == STATUS_GRAPHICS_NO_VIDEO_MEMORY) {
        context->device->out_of_memory = adapter->losses_wanted = true;
        dxgk_worker_kick(adapter);
    }
    if (packet->waiting) {
        list_remove(&packet->wait_link);
    }
    vidmm_use_retire(&packet->use);
    if (packet->paging) {
        dxgk_paging_packet_done(packet, status);
    } else if (packet->flip) {
        dxgk_flip_done(packet, status);
    } else if (packet->sync) {
        dxgk_sync_packet_done(packet, status);
    }
    if (packet->dma) {
        dxgk_dma_put(packet->dma);
    }
    dxgk_packet_free(packet);
    wait_queue_wake(&context->changed, UINT_MAX);
    wait_queue_wake(&adapter->idle_changed, UINT_MAX);
    dxgk_residency_changed(adapter, true);
}

/* ---- Residency ----------------------------------------------------------------------------- */

static void wait_for_memory(struct dxgk_packet *packet, bool any)
{
    packet->waiting = true;
    packet->wait_any = any;
    list_push_back(&packet->adapter->residency_waiters, &packet->wait_link);
}

void dxgk_residency_changed(struct dxgk_adapter *adapter, bool any)
{
    struct list ready;

    if (list_empty(&adapter->residency_waiters)) {
        return;
    }
    list_init(&ready);
    list_for_each_safe (link, &adapter->residency_waiters) {
        struct dxgk_packet *packet = container_of(link, struct dxgk_packet, wait_link);
        if ((packet->wait_any && any) ||
            (!packet->wait_any && vidmm_paging_reached(adapter->vidmm, packet->paging_sequence))) {
            list_remove(link);
            list_push_back(&ready, link);
        }
    }
    for (struct list *link; (link = list_pop_front(&ready)) != NULL;) {
        struct dxgk_packet *packet = container_of(link, struct dxgk_packet, wait_link);
        packet->waiting = false;
        vidsch_prepared(&packet->vidsch, STATUS_SUCCESS);
    }
}

/* The part that did not fit becomes a packet of its own, right behind. */
static bool split(struct dxgk_packet *packet, size_t end)
{
    struct dxgk_dma *dma = packet->dma;
    UINT offset = dma->patches[end].SplitOffset;

    if (offset <= packet->start || offset >= packet->end) {
        contract_breach(&(struct contract_finding){.rule = RULE_RENDER_018,
                                                   .object = packet->vidsch.object,
                                                   .bugcheck = 0x10E,
                                                   .bugcheck_arguments = {8}},
                        "a SplitOffset inside the DMA buffer's part",
                        "SplitOffset %u of patch element %zu, part [%u, %u)", offset, end,
                        packet->start, packet->end);
        return false;
    }
    struct dxgk_packet *rest = dxgk_packet_new(packet->context, packet->vidsch.kind);
    if (!rest) {
        return false;
    }
    rest->dma = dma;
    dma->packet_count++;
    rest->start = offset;
    rest->end = packet->end;
    rest->private_end = packet->private_end;
    rest->patch_first = end;
    rest->patch_count = dma->patch_count - end;
    rest->flags = packet->flags;
    rest->bindings_stay = true;
    packet->end = offset;
    packet->patch_count = end - packet->patch_first;
    record_count("memory.splits", 1);
    vidsch_push_after(&packet->vidsch, &rest->vidsch);
    return true;
}

static enum vidsch_prepare prepare_failed(NTSTATUS *status, NTSTATUS value)
{
    *status = value;
    return VIDSCH_PREPARE_FAILED;
}

static enum vidsch_prepare wait_for_paging(struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;

    dxgk_paging_pump(adapter);
    if (vidmm_paging_reached(adapter->vidmm, packet->paging_sequence)) {
        return VIDSCH_PREPARE_READY;
    }
    wait_for_memory(packet, false);
    return VIDSCH_PREPARE_PENDING;
}

static enum vidsch_prepare prepare_resident(struct dxgk_packet *packet, NTSTATUS *status)
{
    struct dxgk_dma *dma = packet->dma;
    const struct vidmm_prepare_request request = {
        .references = dma->references,
        .count = dma->reference_count,
        .first = packet->patch_first,
        .bindings_stay = packet->bindings_stay,
        .may_split = dma->by_patch,
    };
    struct vidmm_prepare_result result = {0};

    vidmm_prepare(&packet->use, &request, &result);
    switch (result.outcome) {
    case VIDMM_SPLIT:
        if (!split(packet, result.end)) {
            return prepare_failed(status, STATUS_NO_MEMORY);
        }
        break;
    case VIDMM_READY:
        break;
    case VIDMM_WAIT:
        wait_for_memory(packet, true);
        dxgk_paging_pump(packet->adapter);
        return VIDSCH_PREPARE_PENDING;
    default:
        return prepare_failed(status, result.status);
    }
    packet->resident = true;
    packet->paging_sequence = result.paging_sequence;
    if (dma->buffer->paging_sequence > packet->paging_sequence) {
        packet->paging_sequence = dma->buffer->paging_sequence;
    }
    return wait_for_paging(packet);
}

static enum vidsch_prepare backend_prepare(struct vidsch *vidsch, struct vidsch_packet *base,
                                           NTSTATUS *status)
{
    struct dxgk_packet *packet = packet_of(base);

    if (packet->paging || !packet->dma) {
        return VIDSCH_PREPARE_READY;
    }
    return packet->resident ? wait_for_paging(packet) : prepare_resident(packet, status);
}

/* ---- Patch and submit ---------------------------------------------------------------------- */

/* Final addresses of every allocation in the list [PATCH-011]. */
static void place_list(struct dxgk_dma *dma)
{
    for (UINT i = 0; i < dma->allocation_count; i++) {
        if (dma->targets[i]) {
            dxgk_allocation_list_place(&dma->allocations[i], dma->targets[i]);
        }
    }
}

static uint64_t dma_address(const struct vidmm_dma_buffer *buffer)
{
    return buffer->segment ? buffer->address : buffer->physical_address;
}

/* What the arguments say of the buffer and the part of it that is submitted. */
static DXGKARG_PATCH patch_of(const struct dxgk_packet *packet,
                              const struct vidmm_dma_buffer *buffer, UINT size, UINT private_size)
{
    return (DXGKARG_PATCH){
        .hContext = packet->context->driver_handle,
        .DmaBufferSegmentId = buffer->segment,
        .DmaBufferPhysicalAddress.QuadPart = (LONGLONG)dma_address(buffer),
        .pDmaBuffer = buffer->bytes,
        .DmaBufferSize = size,
        .DmaBufferSubmissionStartOffset = packet->start,
        .DmaBufferSubmissionEndOffset = packet->end,
        .pDmaBufferPrivateData = buffer->private_data,
        .DmaBufferPrivateDataSize = private_size,
        .DmaBufferPrivateDataSubmissionStartOffset = packet->private_start,
        .DmaBufferPrivateDataSubmissionEndOffset = packet->private_end,
        .SubmissionFenceId = packet->vidsch.fence_id,
    };
}

static void patch(struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;
    struct dxgk_dma *dma = packet->dma;
    DXGKARG_PATCH arguments = patch_of(packet, dma->buffer, dma->size, dma->private_size);

    arguments.pAllocationList = dma->allocations;
    arguments.AllocationListSize = dma->allocation_count;
    arguments.pPatchLocationList = dma->patches;
    arguments.PatchLocationListSize = dma->patch_count;
    arguments.PatchLocationListSubmissionStart = (UINT)packet->patch_first;
    arguments.PatchLocationListSubmissionLength = (UINT)packet->patch_count;
    arguments.Flags.Present = packet->flags.Present;
    arguments.Flags.NullRendering = packet->flags.NullRendering;
    arguments.Flags.RedirectedPresent = packet->flags.RedirectedPresent;
    place_list(dma);
    ddi_patch(&adapter->ddi, adapter->ddi.miniport_context, &arguments, packet->vidsch.object);
}

/* Documents disagree whether Patch is called for paging buffers; with the option it is, with empty
 * lists and nothing to change [PAGE-028]. */
static void patch_paging(struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;
    DXGKARG_PATCH arguments = patch_of(packet, packet->paging_buffer->dma,
                                       adapter->paging_buffer_size, adapter->paging_private_size);

    arguments.Flags.Paging = 1;
    ddi_patch(&adapter->ddi, adapter->ddi.miniport_context, &arguments, packet->vidsch.object);
}

static void fill_paging(struct dxgk_packet *packet, DXGKARG_SUBMITCOMMAND *arguments)
{
    struct paging_buffer *buffer = packet->paging_buffer;
    struct dxgk_adapter *adapter = packet->adapter;

    arguments->DmaBufferSegmentId = buffer->dma->segment;
    arguments->DmaBufferPhysicalAddress.QuadPart = (LONGLONG)dma_address(buffer->dma);
    arguments->DmaBufferSize = adapter->paging_buffer_size;
    arguments->pDmaBufferPrivateData = buffer->dma->private_data;
    arguments->DmaBufferPrivateDataSize = adapter->paging_private_size;
    arguments->Flags.Paging = 1;
}

static void fill_rendering(struct dxgk_packet *packet, DXGKARG_SUBMITCOMMAND *arguments)
{
    struct dxgk_dma *dma = packet->dma;

    arguments->DmaBufferSegmentId = dma->buffer->segment;
    arguments->DmaBufferPhysicalAddress.QuadPart = (LONGLONG)dma_address(dma->buffer);
    arguments->DmaBufferSize = dma->size;
    arguments->pDmaBufferPrivateData = dma->buffer->private_data;
    arguments->DmaBufferPrivateDataSize = dma->private_size;
    if (packet->flags.Flip || packet->flags.FlipWithNoWait) {
        arguments->VidPnSourceId = packet->vidpn_source;
        arguments->FlipInterval = packet->interval;
    }
}

static enum vidsch_submit backend_submit(struct vidsch *vidsch, struct vidsch_packet *base,
                                         NTSTATUS *status)
{
    struct dxgk_packet *packet = packet_of(base);
    struct dxgk_adapter *adapter = adapter_of(vidsch);

    if (adapter->lost) {
        *status = VIDSCH_STATUS_LOST; /* no hardware takes it */
        return VIDSCH_SUBMIT_REJECTED;
    }
    DXGKARG_SUBMITCOMMAND arguments = {
        .hContext = packet->context->driver_handle,
        .DmaBufferSubmissionStartOffset = packet->start,
        .DmaBufferSubmissionEndOffset = packet->end,
        .DmaBufferPrivateDataSubmissionStartOffset = packet->private_start,
        .DmaBufferPrivateDataSubmissionEndOffset = packet->private_end,
        .SubmissionFenceId = base->fence_id,
        .Flags = packet->flags,
        .NodeOrdinal = packet->context->node,
    };

    if (packet->paging) {
        if (adapter->options.patch_paging) {
            patch_paging(packet);
        }
        fill_paging(packet, &arguments);
    } else if (packet->dma) {
        KERNEL_DUTY(SUBMIT_007, vidmm_paging_reached(adapter->vidmm, packet->paging_sequence));
        patch(packet);
        fill_rendering(packet, &arguments);
    }
    arguments.Flags.Resubmission = adapter->wddm_version >= 0x2000 && base->resubmission_count > 0;
    vidmm_use_submitted(&packet->use, packet->context->node, base->fence_id);
    adapter->totals.submitted += base->resubmission_count == 0;
    NTSTATUS answer =
        ddi_submit_command(&adapter->ddi, adapter->ddi.miniport_context, &arguments, base->object);
    /* Anything else stopped the system. */
    KERNEL_DUTY(SUBMIT_004,
                answer == STATUS_SUCCESS || !ddi_has(&adapter->ddi, POINT_SubmitCommand));
    return VIDSCH_SUBMIT_DONE;
}

/* For a packet that never reached the hardware and never will [CANCEL-002]. */
static void backend_cancel(struct vidsch *vidsch, struct vidsch_packet *base)
{
    struct dxgk_packet *packet = packet_of(base);
    struct dxgk_adapter *adapter = adapter_of(vidsch);
    struct dxgk_dma *dma = packet->dma;

    if (!adapter->caps.SchedulingCaps.CancelCommandAware || !dma ||
        !ddi_has(&adapter->ddi, POINT_CancelCommand)) {
        return;
    }
    const DXGKARG_CANCELCOMMAND arguments = {
        .hContext = packet->context->driver_handle,
        .pDmaBuffer = dma->buffer->bytes,
        .DmaBufferSize = dma->size,
        .DmaBufferSubmissionStartOffset = packet->start,
        .DmaBufferSubmissionEndOffset = packet->end,
        .pDmaBufferPrivateData = dma->buffer->private_data,
        .DmaBufferPrivateDataSize = dma->private_size,
        .DmaBufferPrivateDataSubmissionStartOffset = packet->private_start,
        .DmaBufferPrivateDataSubmissionEndOffset = packet->private_end,
        .pAllocationList = dma->allocations,
        .AllocationListSize = dma->allocation_count,
        .pPatchLocationList = dma->patches,
        .PatchLocationListSize = dma->patch_count,
        .PatchLocationListSubmissionStart = (UINT)packet->patch_first,
        .PatchLocationListSubmissionLength = (UINT)packet->patch_count,
    };
    KERNEL_DUTY(CANCEL_002, !base->submitted);
    NTSTATUS answer =
        ddi_cancel_command(&adapter->ddi, adapter->ddi.miniport_context, &arguments, base->object);
    KERNEL_DUTY(CANCEL_004, answer == STATUS_SUCCESS);
}

static void backend_execute(struct vidsch *vidsch, struct vidsch_packet *base)
{
    dxgk_flip_execute(packet_of(base));
}

static void backend_preempt(struct vidsch *vidsch, unsigned node, uint32_t preemption_id,
                            enum vidsch_preempt_reason reason)
{
    struct dxgk_adapter *adapter = adapter_of(vidsch);
    const DXGKARG_PREEMPTCOMMAND arguments = {.PreemptionFenceId = preemption_id,
                                              .NodeOrdinal = node};

    adapter->totals.preempted++;
    ddi_preempt_command(&adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
}

static bool backend_query_fence(struct vidsch *vidsch, unsigned node, uint32_t *fence_id)
{
    struct dxgk_adapter *adapter = adapter_of(vidsch);
    DXGKARG_QUERYCURRENTFENCE arguments = {.NodeOrdinal = node};

    if (!ddi_has(&adapter->ddi, POINT_QueryCurrentFence) ||
        !NT_SUCCESS(
            ddi_query_current_fence(&adapter->ddi, adapter->ddi.miniport_context, &arguments, 0))) {
        return false;
    }
    *fence_id = arguments.CurrentFence;
    return true;
}

static void backend_timed_out(struct vidsch *vidsch, unsigned node, struct vidsch_packet *packet)
{
    dxgk_reset(adapter_of(vidsch), node, packet ? packet_of(packet) : NULL);
}

static void backend_context_hit(struct vidsch *vidsch, struct vidsch_context *base)
{
    struct dxgk_context *context = container_of(base, struct dxgk_context, vidsch);

    dxgk_device_lose(context->device, context->device == adapter_of(vidsch)->guilty
                                          ? D3DKMT_DEVICEEXECUTION_HUNG
                                          : D3DKMT_DEVICEEXECUTION_RESET);
}

static void backend_kick(struct vidsch *vidsch, unsigned node)
{
    dxgk_worker_kick(adapter_of(vidsch));
}

static void tick_due(struct machine_timer *timer)
{
    struct dxgk_adapter *adapter = timer->context;

    adapter->tick_wanted = true;
    dxgk_worker_kick(adapter);
}

static void backend_arm(struct vidsch *vidsch, uint64_t when_ns)
{
    struct dxgk_adapter *adapter = adapter_of(vidsch);

    if (when_ns == MACHINE_NEVER) {
        machine_timer_cancel(&adapter->tick_timer);
    } else {
        machine_timer_set(&adapter->tick_timer, when_ns);
    }
}

static const struct vidsch_backend backend = {
    .prepare = backend_prepare,
    .submit = backend_submit,
    .execute = backend_execute,
    .cancel = backend_cancel,
    .preempt = backend_preempt,
    .query_fence = backend_query_fence,
    .timed_out = backend_timed_out,
    .context_hit = backend_context_hit,
    .kick = backend_kick,
    .arm = backend_arm,
};

/* ---- Notices of the hardware --------------------------------------------------------------- */

/* At device level: stores a word, nothing else [INT-006]. */
void dxgk_notify_interrupt(struct ddi_adapter *ddi, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    struct dxgk_adapter *adapter = dxgk_adapter_of(ddi);
    unsigned node;

    switch (data->InterruptType) {
    case DXGK_INTERRUPT_DMA_COMPLETED:
        node = data->DmaCompleted.NodeOrdinal;
        if (node < adapter->node_count) {
            adapter->notices[node].completed = true;
            adapter->notices[node].completed_fence = data->DmaCompleted.SubmissionFenceId;
            adapter->notice_mask |= UINT64_C(1) << node;
            record_event(EVENT_FENCE_REPORTED, adapter->object,
                         data->DmaCompleted.SubmissionFenceId, node);
        }
        break;
    case DXGK_INTERRUPT_DMA_PREEMPTED:
        node = data->DmaPreempted.NodeOrdinal;
        if (node < adapter->node_count) {
            adapter->notices[node].preempted = true;
            adapter->notices[node].preemption_id = data->DmaPreempted.PreemptionFenceId;
            adapter->notices[node].preempted_last = data->DmaPreempted.LastCompletedFenceId;
            adapter->notice_mask |= UINT64_C(1) << node;
        }
        break;
    case DXGK_INTERRUPT_DMA_PAGE_FAULTED:
        node = data->DmaPageFaulted.NodeOrdinal;
        if (node < adapter->node_count) {
            adapter->notices[node].faulted = true;
            adapter->notices[node].faulted_fence = data->DmaPageFaulted.FaultedFenceId;
            adapter->notice_mask |= UINT64_C(1) << node;
        }
        break;
    case DXGK_INTERRUPT_CRTC_VSYNC:
        dxgk_display_vsync_notice(adapter, data);
        break;
    default:
        break;
    }
}

static void serve_node(struct dxgk_adapter *adapter, unsigned node)
{
    struct node_notice notice = adapter->notices[node];

    adapter->notices[node] = (struct node_notice){0};
    if (notice.completed) {
        vidsch_retire(&adapter->vidsch, node, notice.completed_fence);
    }
    if (notice.preempted) {
        vidsch_preempted(&adapter->vidsch, node, notice.preemption_id, notice.preempted_last);
    }
    if (notice.faulted) {
        adapter->fault_mask |= UINT64_C(1) << node;
        dxgk_worker_kick(adapter);
    }
}

/* In the driver's DPC. */
void dxgk_notify_dpc(struct ddi_adapter *ddi)
{
    struct dxgk_adapter *adapter = dxgk_adapter_of(ddi);

    while (adapter->notice_mask) {
        unsigned node = (unsigned)__builtin_ctzll(adapter->notice_mask);
        adapter->notice_mask &= ~(UINT64_C(1) << node);
        serve_node(adapter, node);
    }
    dxgk_display_vsync_dpc(adapter);
}

/* ---- The worker ---------------------------------------------------------------------------- */

void dxgk_worker_kick(struct dxgk_adapter *adapter)
{
    adapter->worker_wanted = true;
    if (adapter->worker) {
        task_wake(adapter->worker);
    }
}

static void serve_faults(struct dxgk_adapter *adapter)
{
    while (adapter->fault_mask) {
        unsigned node = (unsigned)__builtin_ctzll(adapter->fault_mask);
        adapter->fault_mask &= ~(UINT64_C(1) << node);
        dxgk_reset(adapter, node, NULL);
    }
}

/* A device whose work cannot be made resident is in error, as after a GPU's exception. */
static void serve_losses(struct dxgk_adapter *adapter)
{
    if (!adapter->losses_wanted) {
        return;
    }
    adapter->losses_wanted = false;
    list_for_each (link, &adapter->devices) {
        struct dxgk_device *device = container_of(link, struct dxgk_device, link);
        if (device->out_of_memory && !device->lost) {
            dxgk_device_lose(device, D3DKMT_DEVICEEXECUTION_ERROR_OUTOFMEMORY);
        }
    }
}

static void work(void *argument)
{
    struct dxgk_adapter *adapter = argument;

    while (!adapter->worker_stop) {
        if (!adapter->worker_wanted) {
            task_block(MACHINE_NEVER);
            continue;
        }
        adapter->worker_wanted = false;
        serve_faults(adapter);
        serve_losses(adapter);
        dxgk_residency_changed(adapter, true);
        dxgk_paging_pump(adapter);
        dxgk_display_work(adapter);
        vidsch_run_all(&adapter->vidsch);
        if (adapter->tick_wanted) {
            adapter->tick_wanted = false;
            vidsch_tick(&adapter->vidsch);
        }
    }
    adapter->worker_ended = true;
    wait_queue_wake(&adapter->idle_changed, UINT_MAX);
}

NTSTATUS dxgk_schedule_init(struct dxgk_adapter *adapter)
{
    const struct vidsch_config config = {
        .node_count = adapter->node_count,
        .hw_queue_depth = adapter->caps.SchedulingCaps.HwQueuePacketCap,
        .tdr_delay_ns = adapter->options.tdr_delay_ns,
        .first_fence_id = adapter->options.first_fence_id,
        .parent = adapter->object,
    };
    const struct task_options options = {.name = "dxgk worker", .daemon = true, .priority = 1};

    list_init(&adapter->free_packets);
    machine_timer_init(&adapter->tick_timer, tick_due, adapter);
    NTSTATUS status = vidsch_init(&adapter->vidsch, &backend, &config);
    if (NT_SUCCESS(status)) {
        status = task_create(&options, work, adapter, &adapter->worker);
    }
    return status;
}

void dxgk_schedule_fini(struct dxgk_adapter *adapter)
{
    if (adapter->worker) {
        adapter->worker_stop = true;
        task_wake(adapter->worker);
        while (!adapter->worker_ended) {
            wait_queue_wait(&adapter->idle_changed, MACHINE_NEVER);
        }
        task_put(adapter->worker);
        adapter->worker = NULL;
    }
    machine_timer_cancel(&adapter->tick_timer);
    vidsch_fini(&adapter->vidsch);
    for (struct list *link;
         adapter->free_packets.next && (link = list_pop_front(&adapter->free_packets)) != NULL;) {
        struct dxgk_packet *packet = container_of(link, struct dxgk_packet, wait_link);
        vidmm_use_fini(&packet->use);
        free(packet);
    }
}

bool dxgk_adapter_wait_idle(struct dxgk_adapter *adapter, uint64_t deadline_ns)
{
    return vidsch_wait_idle(&adapter->vidsch, deadline_ns);
}

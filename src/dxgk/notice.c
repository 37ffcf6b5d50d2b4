/* What the hardware reports by way of the driver: an interrupt leaves one word a node, its DPC acts
 * on it. */
#include "dxgk/display_only.h"
#include "dxgk/doorbell.h"
#include "dxgk/fence_memory.h"
#include "dxgk/native.h"
#include "dxgk/page_fault.h"
#include "dxgk/present_virtual.h"
#include "dxgk/schedule_log.h"
#include "dxgk/work.h"

/* Behind the scheduler's end nobody is there to whom a notice would say anything: what a driver
 * reports of a preemption while it stops the device. */
static bool hear(struct dxgk_adapter *adapter, unsigned node)
{
    adapter->told_of_nodes++;
    return node < adapter->node_count && !adapter->engines[node].muted &&
           adapter->state != DXGK_ADAPTER_STOPPED;
}

/* Of nodes that schedule hardware queues by themselves. */
static void notice_of_queues(struct dxgk_adapter *adapter,
                             const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    unsigned node;

    switch (data->InterruptType) {
    case DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED:
        node = data->MonitoredFenceSignaled.NodeOrdinal;
        if (hear(adapter, node)) {
            adapter->notices[node].signalled = true;
            adapter->engines[node].claimed_at_signal = adapter->ddi.claimed_interrupts + 1;
            adapter->notice_mask |= UINT64_C(1) << node;
        }
        break;
    case DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED:
        node = data->HwQueuePageFaulted.NodeOrdinal;
        if (hear(adapter, node)) {
            dxgk_fault_of_queue(adapter, data);
        }
        break;
    case DXGK_INTERRUPT_SCHEDULING_LOG_INTERRUPT:
        node = data->SchedulingLogInterrupt.NodeOrdinal;
        if (hear(adapter, node)) {
            adapter->notices[node].logged = true;
            adapter->notice_mask |= UINT64_C(1) << node;
        }
        break;
    case DXGK_INTERRUPT_PERIODIC_MONITORED_FENCE_SIGNALED:
        dxgk_periodic_notice(adapter, data);
        break;
    case DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED:
        dxgk_native_notice(adapter, data);
        break;
    case DXGK_INTERRUPT_GPU_ENGINE_STATE_CHANGE:
        dxgk_engine_state_notice(adapter, data);
        break;
    case DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED:
        dxgk_suspension_notice(adapter, data);
        break;
    default:
        break;
    }
}

/* At device level: stores a word, nothing else [INT-006]. */
void dxgk_notify_interrupt(struct ddi_adapter *ddi, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    struct dxgk_adapter *adapter = dxgk_adapter_of(ddi);
    unsigned node;

    switch (data->InterruptType) {
    case DXGK_INTERRUPT_DMA_COMPLETED:
        node = data->DmaCompleted.NodeOrdinal;
        if (hear(adapter, node)) {
            dxgk_judge_answer(adapter, node, data->DmaCompleted.SubmissionFenceId);
            adapter->notices[node].completed = true;
            adapter->notices[node].completed_fence = data->DmaCompleted.SubmissionFenceId;
            adapter->notice_mask |= UINT64_C(1) << node;
            record_event(EVENT_FENCE_REPORTED, adapter->object,
                         data->DmaCompleted.SubmissionFenceId, node);
        }
        break;
    case DXGK_INTERRUPT_DMA_PREEMPTED:
        node = data->DmaPreempted.NodeOrdinal;
        if (hear(adapter, node)) {
            adapter->notices[node].preempted = true;
            adapter->notices[node].preemption_id = data->DmaPreempted.PreemptionFenceId;
            adapter->notices[node].preempted_last = data->DmaPreempted.LastCompletedFenceId;
            adapter->notice_mask |= UINT64_C(1) << node;
        }
        break;
    case DXGK_INTERRUPT_DMA_PAGE_FAULTED:
        node = data->DmaPageFaulted.NodeOrdinal;
        if (hear(adapter, node)) {
            dxgk_fault_of_packet(adapter, data);
        }
        break;
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY:
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2:
    case DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3:
        dxgk_planes_vsync_notice(adapter, data);
        dxgk_periodic_vsync(adapter, data->CrtcVsyncWithMultiPlaneOverlay2.VidPnTargetId);
        break;
    case DXGK_INTERRUPT_CRTC_VSYNC:
        dxgk_display_vsync_notice(adapter, data);
        dxgk_periodic_vsync(adapter, data->CrtcVsync.VidPnTargetId);
        break;
    case DXGK_INTERRUPT_DISPLAYONLY_PRESENT_PROGRESS:
        dxgk_composed_notice(adapter, data);
        break;
    default:
        notice_of_queues(adapter, data);
        break;
    }
    dxgk_plug_with_notice(adapter);
}

static void serve_node(struct dxgk_adapter *adapter, unsigned node)
{
    struct node_notice notice = adapter->notices[node];

    adapter->notices[node] = (struct node_notice){0};
    bool faulted = notice.faulted && dxgk_fault_note(adapter, node);
    if (notice.completed) {
        vidsch_retire(&adapter->vidsch, node, notice.completed_fence);
    }
    if (notice.signalled) {
        (void)dxgk_hwqueues_look(adapter, node);
        dxgk_fences_look_all(adapter);
        dxgk_space_may_rest(adapter);
    }
    if (notice.logged) {
        dxgk_log_told(adapter, node);
    }
    if (notice.preempted) {
        dxgk_ask_behind_preemption(adapter, node, notice.preempted_last);
        uint32_t expected = vidsch_last_completed(&adapter->vidsch, node);
        adapter->engines[node].by_preemption = true;
        bool taken = vidsch_preempted(&adapter->vidsch, node, notice.preemption_id,
                                      notice.preempted_last) == VIDSCH_REPORT_OK;
        adapter->engines[node].by_preemption = false;
        adapter->engines[node].odd.told = !taken;
        adapter->engines[node].odd.request = notice.preemption_id;
        adapter->engines[node].odd.last_completed = notice.preempted_last;
        adapter->engines[node].odd.expected = expected;
        dxgk_space_may_rest(adapter);
    }
    if (faulted) {
        adapter->fault_mask |= UINT64_C(1) << node;
        dxgk_worker_kick(adapter);
    }
}

void dxgk_notice_serve(struct dxgk_adapter *adapter, unsigned node)
{
    adapter->notice_mask &= ~(UINT64_C(1) << node);
    serve_node(adapter, node);
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
    dxgk_suspension_dpc(adapter);
    dxgk_native_dpc(adapter);
    dxgk_natives_tell(adapter);
    dxgk_display_vsync_dpc(adapter);
    dxgk_periodic_dpc(adapter);
    dxgk_composed_dpc(adapter);
}

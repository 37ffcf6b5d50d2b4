/* The tracker's life, and who in it follows which call. See tracker.h. */
#include "contract/tracker.h"

#include <stdlib.h>

#include <xxhash.h>

#include "base/check.h"
#include "contract/cover.h"
#include "contract/doorbells.h"
#include "contract/internal.h"
#include "machine/machine.h"
#include "nt/nt.h"

/* ---- Life ------------------------------------------------------------------------------------ */

struct contract_tracker *contract_tracker_create(uint32_t adapter_object,
                                                 unsigned interface_version, const bool *has)
{
    struct contract_tracker *tracker = calloc(1, sizeof *tracker);

    CHECK_THAT(tracker);
    tracker->adapter_object = adapter_object;
    tracker->interface_version = interface_version;
    abi_features_init(&tracker->features, abi_version_of(interface_version), &(DXGK_DRIVERCAPS){0});
    tracker->has = has;
    list_init(&tracker->stale_tables);
    contract_cover_note(tracker);
    return tracker;
}

void contract_tracker_destroy(struct contract_tracker *tracker)
{
    if (tracker) {
        track_objects_fini(tracker);
        track_buffers_fini(tracker);
        track_memory_fini(tracker);
        track_tables_fini(tracker);
        free(tracker);
    }
}

uint64_t contract_hash(const void *bytes, size_t size)
{
    return size ? XXH3_64bits(bytes, size) : 0;
}

/* ---- Who is inside --------------------------------------------------------------------------- */

bool contract_counts_inside(const struct contract_call *call)
{
    return call->tracker && call->point < POINT_DDI_COUNT && call->point != POINT_DpcRoutine &&
           call->point != POINT_InterruptRoutine && call->point != POINT_ResetDevice &&
           call->irql_before < MACHINE_IRQL_DISPATCH && task_self();
}

static void enter(struct contract_call *call)
{
    struct contract_tracker *tracker = call->tracker;
    const struct task *task = task_self();
    unsigned at = CONTRACT_INSIDE_MAX;

    for (unsigned i = tracker->inside_end; i-- > 0;) {
        if (tracker->inside[i].task == task) {
            tracker->inside[i].depth++;
            return;
        }
        at = tracker->inside[i].task ? at : i;
    }
    if (at == CONTRACT_INSIDE_MAX && tracker->inside_end < CONTRACT_INSIDE_MAX) {
        at = tracker->inside_end++;
    }
    if (at < CONTRACT_INSIDE_MAX) { /* with more threads than that some go unseen */
        tracker->inside[at] = (struct contract_inside){
            .task = task,
            .process = nt_exists() ? nt_process_current() : NULL,
            .point = call->point,
            .level = contract_point_info(call->point)->level,
            .depth = 1,
        };
    }
}

bool contract_is_inside(const struct contract_tracker *tracker, enum contract_point point)
{
    const struct task *task = task_self();

    for (unsigned i = 0; i < tracker->inside_end; i++) {
        if (tracker->inside[i].task == task) {
            return task && tracker->inside[i].point == point;
        }
    }
    return false;
}

static void leave(struct contract_call *call)
{
    struct contract_tracker *tracker = call->tracker;
    const struct task *task = task_self();

    for (unsigned i = 0; i < tracker->inside_end; i++) {
        if (tracker->inside[i].task == task && --tracker->inside[i].depth == 0) {
            tracker->inside[i].task = NULL;
        }
    }
    while (tracker->inside_end > 0 && !tracker->inside[tracker->inside_end - 1].task) {
        tracker->inside_end--;
    }
}

/* ---- Interrupts ------------------------------------------------------------------------------ */

static void begin_service(struct contract_call *call)
{
    struct contract_tracker *tracker = call->tracker;

    tracker->interrupt.service_depth++;
    tracker->interrupt.notified = tracker->interrupt.crtc_notified = false;
    tracker->interrupt.queued_dpc = false;
    tracker->interrupt.served_when_gone = tracker->removed;
}

/* The line may be shared: the routine of a device that is gone looks at its cause as ever. */
static void end_service(struct contract_call *call)
{
    struct contract_tracker *tracker = call->tracker;

    tracker->interrupt.service_depth--;
    if (tracker->interrupt.served_when_gone) {
        tracker->mmio_count_at_removal += call->register_accesses;
    }
}

void contract_synchronised(struct contract_tracker *tracker, bool begins)
{
    tracker->interrupt.synchronised_depth += begins ? 1u : -1u;
}

static void begin_notice(struct contract_call *call)
{
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data = call->arguments;
    struct contract_tracker *tracker = call->tracker;

    tracker->interrupt.notice_depth++;
    tracker->interrupt.notified = true;
    tracker->interrupt.wants_dpc = true;
    tracker->interrupt.crtc_notified |= data->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC ||
                                        contract_tells_planes(call) ||
                                        contract_tells_flip_queue(call);
    tracker->notices_without_dpc++;
    track_notify_nodes(call);
    track_notify_display(call);
    track_notify_planes(call);
    if (data->InterruptType == DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED) {
        track_suspended(call);
    }
}

static void end_notice(struct contract_call *call)
{
    call->tracker->interrupt.notice_depth--;
}

static void queue_dpc(struct contract_call *call)
{
    call->tracker->interrupt.wants_dpc = false;
    call->tracker->interrupt.queued_dpc = true;
    call->tracker->interrupt.dpc_is_queued = true;
}

static void notify_dpc(struct contract_call *call)
{
    call->tracker->notices_without_dpc = 0;
    call->tracker->interrupt.silent_since_ns = 0;
}

static void begin_dpc(struct contract_call *call)
{
    call->tracker->dpc_depth++;
    call->tracker->interrupt.dpc_is_queued = false;
    call->tracker->interrupt.dpcs++;
}

static void end_dpc(struct contract_call *call)
{
    struct contract_tracker *tracker = call->tracker;

    tracker->dpc_depth--;
    if (tracker->notices_without_dpc > 0 && !tracker->interrupt.dpc_is_queued &&
        !tracker->removed && tracker->interrupt.silent_since_ns == 0) {
        tracker->interrupt.silent_since_ns = machine_now_ns();
    }
}

/* ---- Recovery -------------------------------------------------------------------------------- */

static void begin_cancel(struct contract_call *call)
{
    const DXGKARG_CANCELCOMMAND *cancel = call->arguments;
    struct contract_object *context = contract_context_find(call->tracker, cancel->hContext);

    if (context && cancel->DmaBufferVirtualAddress) {
        contract_validated_forget(
            context,
            &(struct contract_validated){.commands = cancel->DmaBufferVirtualAddress,
                                         .length = cancel->DmaBufferSize,
                                         .client_bytes = cancel->DmaBufferUmdPrivateDataSize,
                                         .data_bytes = cancel->DmaBufferPrivateDataSize},
            cancel->pDmaBufferPrivateData);
    }
    if (context && context->node < CONTRACT_NODES_MAX) {
        call->tracker->nodes[context->node].cancels++;
    }
    call->tracker->cancel_depth++;
}

static void end_cancel(struct contract_call *call)
{
    call->tracker->cancel_depth--;
}

static void reset(struct contract_call *call)
{
    call->tracker->in_reset = true;
    call->tracker->interrupt.wants_dpc = false;
    track_reset_nodes(call->tracker);
    track_reset_queues(call->tracker, CONTRACT_NODES_MAX);
    track_reset_memory(call->tracker);
    track_reset_tables(call->tracker);
    track_reset_context_allocations(call->tracker);
    track_reset_display(call->tracker);
}

static void restart(struct contract_call *call)
{
    call->tracker->in_reset = false;
    track_queues_woken(call);
}

/* From here on the display may be another, and has no address yet. */
static void begin_commit(struct contract_call *call)
{
    const DXGKARG_COMMITVIDPN *commit = call->before;

    for (UINT i = 0; i < CONTRACT_SOURCES_MAX; i++) {
        call->tracker->sources[i].renewed |=
            commit->AffectedVidPnSourceId == D3DDDI_ID_ALL || commit->AffectedVidPnSourceId == i;
    }
}

/* ---- Following ------------------------------------------------------------------------------- */

/* Before the driver runs. */
static track_fn *const at_entry[POINT_COUNT] = {
    [POINT_CommitVidPn] = begin_commit,
    [POINT_QueryAdapterInfo] = track_question,
    [POINT_NotifySurpriseRemoval] = track_removing,
    [POINT_SubmitCommand] = track_submit,
    [POINT_SubmitCommandVirtual] = track_submit_virtual,
    [POINT_SetRootPageTable] = track_set_root,
    [POINT_DestroyProcess] = track_destroy_process,
    [POINT_Patch] = track_patch,
    [POINT_PreemptCommand] = track_preempt,
    [POINT_CancelCommand] = begin_cancel,
    [POINT_DestroyAllocation] = track_destroy_allocation,
    [POINT_CloseAllocation] = track_close_allocation,
    [POINT_DestroyContext] = track_destroy_context,
    [POINT_DestroyHwContext] = track_destroy_hw_context,
    [POINT_DestroyHwQueue] = track_destroy_hw_queue,
    [POINT_SubmitCommandToHwQueue] = track_submit_to_queue,
    [POINT_SetContextSchedulingProperties] = track_set_properties,
    [POINT_SetupPriorityBands] = track_bands,
    [POINT_CloseNativeFence] = track_close_fence,
    [POINT_DestroyOverlay] = track_destroy_overlay,
    [POINT_ConnectDoorbell] = track_connect_doorbell,
    [POINT_DestroyPeriodicFrameNotification] = track_destroy_notification,
    [POINT_SuspendContext] = track_suspend,
    [POINT_ResumeContext] = track_resume,
    [POINT_ResetHwEngine] = track_begin_reset_hw_engine,
    [POINT_ResumeHwEngine] = track_resume_hw_engine,
    [POINT_CbInvalidateHwContext] = track_invalidate,
    [POINT_DestroyDevice] = track_destroy_device,
    [POINT_SetVidPnSourceAddress] = track_source_address,
    [POINT_SetVidPnSourceAddressWithMultiPlaneOverlay] = track_planes,
    [POINT_SetVidPnSourceAddressWithMultiPlaneOverlay2] = track_planes,
    [POINT_SetVidPnSourceAddressWithMultiPlaneOverlay3] = track_planes,
    [POINT_PostMultiPlaneOverlayPresent] = track_planes_posted,
    [POINT_CancelFlips] = track_cancel_flips,
    [POINT_CancelQueuedFlips] = track_cancel_queued_flips,
    [POINT_QueryDependentEngineGroup] = track_engine_group,
    [POINT_SetPowerState] = track_power,
    [POINT_RestartFromTimeout] = track_queues_at_rest,
    [POINT_SetPowerComponentFState] = track_component_asked,
    [POINT_PowerRuntimeControlRequest] = track_runtime_begins,
    [POINT_CbCompleteFStateTransition] = track_component_completed,
    [POINT_OpenAllocation] = track_begin_open,
    [POINT_Render] = track_begin_render,
    [POINT_RenderKm] = track_begin_render,
    [POINT_Present] = track_begin_present,
    [POINT_PresentToHwQueue] = track_begin_present,
    [POINT_InterruptRoutine] = begin_service,
    [POINT_DpcRoutine] = begin_dpc,
    [POINT_CbUpdateContextAllocation] = track_update_context_allocation,
    [POINT_CbNotifyInterrupt] = begin_notice,
    [POINT_CbQueueDpc] = queue_dpc,
    [POINT_CbNotifyDpc] = notify_dpc,
    [POINT_CbIndicateChildStatus] = track_child_status,
    [POINT_CbQueryFeatureSupport] = track_feature_declared,
};

/* When it came back, whatever it answered. */
static track_fn *const at_return[POINT_COUNT] = {
    [POINT_SubmitCommandVirtual] = track_end_submit_virtual,
    [POINT_SubmitCommandToHwQueue] = track_end_submit_to_queue,
    [POINT_SuspendContext] = track_end_suspend,
    [POINT_ResumeHwEngine] = track_end_resume_hw_engine,
    [POINT_DestroyNativeFence] = track_destroy_fence,
    [POINT_ConnectDoorbell] = track_end_connect_doorbell,
    [POINT_DisconnectDoorbell] = track_disconnect_doorbell,
    [POINT_DestroyDoorbell] = track_destroy_doorbell,
    [POINT_CbDisconnectDoorbell] = track_doorbell_taken_back,
    [POINT_CancelCommand] = end_cancel,
    [POINT_InterruptRoutine] = end_service,
    [POINT_DpcRoutine] = end_dpc,
    [POINT_CbNotifyInterrupt] = end_notice,
    [POINT_CbGetHandleData] = track_handle_data,
    [POINT_SetVidPnSourceAddress] = track_source_answer,
    [POINT_SetVidPnSourceAddressWithMultiPlaneOverlay] = track_planes_answer,
    [POINT_SetVidPnSourceAddressWithMultiPlaneOverlay2] = track_planes_answer,
    [POINT_SetVidPnSourceAddressWithMultiPlaneOverlay3] = track_planes_answer,
    [POINT_CheckMultiPlaneOverlaySupport] = track_planes_asked,
    [POINT_CheckMultiPlaneOverlaySupport2] = track_planes_asked,
    [POINT_CheckMultiPlaneOverlaySupport3] = track_planes_asked,
    [POINT_SetFlipQueueLogBuffer] = track_flip_log,
    [POINT_OpenAllocation] = track_end_open,
    [POINT_Render] = track_render,
    [POINT_RenderKm] = track_render,
    [POINT_Present] = track_present,
    [POINT_PresentToHwQueue] = track_present,
    [POINT_BuildPagingBuffer] = track_paging,
    [POINT_SignalMonitoredFence] = track_signal_fence,
    [POINT_MapCpuHostAperture] = track_map_host,
    [POINT_UnmapCpuHostAperture] = track_unmap_host,
    [POINT_AcquireSwizzlingRange] = track_acquire_range,
    [POINT_ReleaseSwizzlingRange] = track_release_range,
    [POINT_GetRootPageTableSize] = track_root_size,
    [POINT_ResetFromTimeout] = reset,
    [POINT_RestartFromTimeout] = restart,
    [POINT_AddDevice] = track_add_device,
    [POINT_StartDevice] = track_start_device,
    [POINT_SetPowerState] = track_queues_woken,
    [POINT_SetPowerComponentFState] = track_component_answered,
    [POINT_PowerRuntimeControlRequest] = track_runtime_told,
    [POINT_CbSetPowerComponentActive] = track_component_active,
    [POINT_CbSetPowerComponentIdle] = track_component_idle,
    [POINT_StopDevice] = track_stop_device,
    [POINT_QueryFeatureSupport] = track_feature_support,
    [POINT_FeatureInterfaceDereference] = track_interface_given_back,
};

/* When it succeeded. */
static track_fn *const at_success[POINT_COUNT] = {
    [POINT_RemoveDevice] = track_remove_device,
    [POINT_StopDeviceAndReleasePostDisplayOwnership] = track_release,
    [POINT_NotifySurpriseRemoval] = track_removal,
    [POINT_QueryAdapterInfo] = track_answer,
    [POINT_GetNodeMetadata] = track_node_metadata,
    [POINT_CreateProcess] = track_create_process,
    [POINT_ValidateSubmitCommand] = track_validate,
    [POINT_CreateDevice] = track_create_device,
    [POINT_CreateContext] = track_create_context,
    [POINT_CreateHwContext] = track_create_hw_context,
    [POINT_CreateHwQueue] = track_create_hw_queue,
    [POINT_CreateNativeFence] = track_create_fence,
    [POINT_CreateDoorbell] = track_create_doorbell,
    [POINT_CreatePeriodicFrameNotification] = track_create_notification,
    [POINT_OpenNativeFence] = track_open_fence,
    [POINT_CreateOverlay] = track_create_overlay,
    [POINT_ResetHwEngine] = track_reset_hw_engine,
    [POINT_CreateAllocation] = track_create_allocation,
    [POINT_CbCreateContextAllocation] = track_create_context_allocation,
    [POINT_CbDestroyContextAllocation] = track_destroy_context_allocation,
    [POINT_QueryCurrentFence] = track_query_fence,
    [POINT_ResetEngine] = track_reset_engine,
    [POINT_CommitVidPn] = track_commit_vidpn,
    [POINT_QueryChildRelations] = track_children,
    [POINT_QueryChildStatus] = track_child_asked,
    [POINT_QueryDeviceDescriptor] = track_descriptor,
    [POINT_GetChildContainerId] = track_container,
    [POINT_CalibrateGpuClock] = track_clock,
    [POINT_SetVidPnSourceVisibility] = track_visibility,
    [POINT_QueryInterface] = track_interface,
};

static void run(track_fn *follow, struct contract_call *call)
{
    if (follow) {
        follow(call);
    }
}

void contract_follow(struct contract_call *call, enum contract_moment moment)
{
    if (!call->tracker) {
        return;
    }
    if (moment == MOMENT_BEFORE) {
        if (call->counts_inside) {
            enter(call);
        }
        run(at_entry[call->point], call);
        return;
    }
    if (call->counts_inside) {
        leave(call);
    }
    track_leaving_removed(call);
    run(at_return[call->point], call);
    if (has_succeeded(call)) {
        run(at_success[call->point], call);
    }
}

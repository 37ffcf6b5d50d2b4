/* Flips that wait in the device, and what is told of them. */
#include "misbehave.h"

typedef DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3 planes_form;

static DXGK_FLIPQUEUE_LOG_ENTRY *log_of_top; /* of plane 0 of the first source */
static ULONG entries_of_top;

static NTSTATUS NTAPI log_is_seen(const HANDLE adapter,
                                  const DXGKARG_SETFLIPQUEUELOGBUFFER *arguments)
{
    if (arguments->VidPnSourceId == 0 && arguments->LayerIndex == 0) {
        log_of_top = arguments->LogBufferAddress;
        entries_of_top = arguments->NumberOfEntries;
    }
    return misbehave_driver.DxgkDdiSetFlipQueueLogBuffer(adapter, arguments);
}

static void see_the_log(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiSetFlipQueueLogBuffer = log_is_seen;
}

static BOOLEAN is_of_queue(const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    return data->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3 &&
           data->CrtcVsyncWithMultiPlaneOverlay3.MultiPlaneOverlayVsyncInfoCount != 0;
}

/* ---- Flips ----------------------------------------------------------------------------------- */

static NTSTATUS NTAPI drains_what_is_empty(const HANDLE adapter, planes_form *arguments)
{
    if (misbehave_once()) {
        arguments->OutputFlags.Value = 0;
        arguments->OutputFlags.HwFlipQueueDrainNeeded = 1;
        return STATUS_RETRY;
    }
    return misbehave_driver.DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3(adapter, arguments);
}

/* "Planes have one image." */
static NTSTATUS NTAPI both_eyes_see_the_left(const HANDLE adapter, planes_form *arguments)
{
    NTSTATUS status;
    UINT flags = arguments->InputFlags.Value;

    arguments->InputFlags.FlipStereo = 0;
    status =
        misbehave_driver.DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3(adapter, arguments);
    arguments->InputFlags.Value = flags;
    return status;
}

static NTSTATUS NTAPI drains_all_and_nothing(const HANDLE adapter, planes_form *arguments)
{
    NTSTATUS status =
        misbehave_driver.DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3(adapter, arguments);

    if (status == STATUS_RETRY) {
        arguments->OutputFlags.HwFlipQueueDrainNeeded = 0;
        arguments->OutputFlags.HwFlipQueueDrainAllPlanes = 1;
    }
    return status;
}

static NTSTATUS NTAPI time_is_ignored(const HANDLE adapter, planes_form *arguments)
{
    planes_form changed = *arguments;
    NTSTATUS status;

    changed.TargetFlipTime = 0;
    status = misbehave_driver.DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3(adapter, &changed);
    arguments->OutputFlags = changed.OutputFlags;
    return status;
}

/* ---- The log --------------------------------------------------------------------------------- */

/* What another overtook is logged as if it had been shown with that. */
static VOID NTAPI overtaken_are_shown(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    ULONG i;

    for (i = 0; is_of_queue(data) && log_of_top != NULL && i + 1 < entries_of_top; i++) {
        if (log_of_top[i].PresentTimestamp == DXGK_HWFLIPQUEUE_TIMESTAMP_CANCELLED) {
            ULONG next = i + 1;

            while (next + 1 < entries_of_top && log_of_top[next].PresentTimestamp == 0) {
                next++;
            }
            log_of_top[i].PresentTimestamp = log_of_top[next].PresentTimestamp;
        }
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

static VOID NTAPI log_ends_behind_itself(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (is_of_queue(data) && entries_of_top != 0 && misbehave_once()) {
        data->CrtcVsyncWithMultiPlaneOverlay3.pMultiPlaneOverlayVsyncInfo[0]
            .FirstFreeFlipQueueLogEntryIndex = entries_of_top;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* As if nothing had happened since the log was given. */
static VOID NTAPI log_stands_still(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    UINT i;

    for (i = 0; is_of_queue(data) &&
                i < data->CrtcVsyncWithMultiPlaneOverlay3.MultiPlaneOverlayVsyncInfoCount;
         i++) {
        data->CrtcVsyncWithMultiPlaneOverlay3.pMultiPlaneOverlayVsyncInfo[i]
            .FirstFreeFlipQueueLogEntryIndex = 0;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* "Index" is that of the last entry: what it holds is told when the next one is there. */
static void say_last(ULONG *index)
{
    *index -= *index != 0;
}

static VOID NTAPI index_is_of_the_last(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    UINT i;

    for (i = 0; is_of_queue(data) &&
                i < data->CrtcVsyncWithMultiPlaneOverlay3.MultiPlaneOverlayVsyncInfoCount;
         i++) {
        say_last(&data->CrtcVsyncWithMultiPlaneOverlay3.pMultiPlaneOverlayVsyncInfo[i]
                      .FirstFreeFlipQueueLogEntryIndex);
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

static NTSTATUS NTAPI answer_is_of_the_last(const HANDLE adapter,
                                            DXGKARG_UPDATEFLIPQUEUELOG *update)
{
    NTSTATUS status = misbehave_driver.DxgkDdiUpdateFlipQueueLog(adapter, update);

    say_last(&update->FirstFreeFlipQueueLogEntryIndex);
    return status;
}

static void say_the_last(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiUpdateFlipQueueLog = answer_is_of_the_last;
}

static NTSTATUS NTAPI answer_stands_still(const HANDLE adapter, DXGKARG_UPDATEFLIPQUEUELOG *update)
{
    NTSTATUS status = misbehave_driver.DxgkDdiUpdateFlipQueueLog(adapter, update);

    update->FirstFreeFlipQueueLogEntryIndex = 0;
    return status;
}

static void stand_still(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiUpdateFlipQueueLog = answer_stands_still;
}

/* "What vertical syncs told." */
static NTSTATUS NTAPI device_is_not_asked(const HANDLE adapter, DXGKARG_UPDATEFLIPQUEUELOG *update)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(update);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI update_fails(const HANDLE adapter, DXGKARG_UPDATEFLIPQUEUELOG *update)
{
    (void)misbehave_driver.DxgkDdiUpdateFlipQueueLog(adapter, update);
    return misbehave_once() ? STATUS_UNSUCCESSFUL : STATUS_SUCCESS;
}

static NTSTATUS NTAPI log_is_kept(const HANDLE adapter,
                                  const DXGKARG_SETFLIPQUEUELOGBUFFER *arguments)
{
    NTSTATUS status = misbehave_driver.DxgkDdiSetFlipQueueLogBuffer(adapter, arguments);

    return arguments->LogBufferAddress == NULL && misbehave_once() ? STATUS_NO_MEMORY : status;
}

/* ---- Cancelling ------------------------------------------------------------------------------ */

/* They stay where they are. */
static NTSTATUS NTAPI nothing_is_taken_back(const HANDLE adapter, DXGKARG_CANCELFLIPS *cancel)
{
    UINT i;

    UNREFERENCED_PARAMETER(adapter);
    for (i = 0; i < cancel->PlaneCount; i++) {
        cancel->ppPlanes[i]->PresentIdCancelled = cancel->ppPlanes[i]->PresentIdCancelRequested;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI takes_back_what_comes(const HANDLE adapter, DXGKARG_CANCELFLIPS *cancel)
{
    if (misbehave_once()) {
        cancel->ppPlanes[0]->PresentIdCancelled = ~0ull;
        return STATUS_SUCCESS;
    }
    return misbehave_driver.DxgkDdiCancelFlips(adapter, cancel);
}

/* Those that the device has shown, too, of which nobody has heard. */
static NTSTATUS NTAPI all_are_said_to_go(const HANDLE adapter, DXGKARG_CANCELFLIPS *cancel)
{
    UINT64 first = cancel->PlaneCount > 0 ? cancel->ppPlanes[0]->PresentIdCancelRequested : 0;
    NTSTATUS status = misbehave_driver.DxgkDdiCancelFlips(adapter, cancel);
    UINT i;

    for (i = 0; i < cancel->PlaneCount; i++) {
        if (cancel->ppPlanes[i]->PresentIdCancelled != 0) {
            cancel->ppPlanes[i]->PresentIdCancelled = first;
        }
    }
    return status;
}

/* Plane by plane, by a driver that has both. */
static NTSTATUS NTAPI all_at_once_is_not_there(const HANDLE adapter, DXGKARG_CANCELFLIPS *cancel)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(cancel);
    return STATUS_NOT_IMPLEMENTED;
}

static NTSTATUS NTAPI plane_keeps_its_flips(const HANDLE adapter, DXGKARG_CANCELQUEUEDFLIPS *cancel)
{
    UNREFERENCED_PARAMETER(adapter);
    cancel->PresentIdCancelled = cancel->PresentIdCancelRequested;
    return STATUS_SUCCESS;
}

static void keep_of_planes(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiCancelQueuedFlips = plane_keeps_its_flips;
}

static NTSTATUS NTAPI plane_takes_back_what_comes(const HANDLE adapter,
                                                  DXGKARG_CANCELQUEUEDFLIPS *cancel)
{
    UNREFERENCED_PARAMETER(adapter);
    cancel->PresentIdCancelled = misbehave_once() ? ~0ull : 0;
    return STATUS_SUCCESS;
}

static void take_back_too_much(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiCancelQueuedFlips = plane_takes_back_what_comes;
}

static NTSTATUS NTAPI plane_is_not_there(const HANDLE adapter, DXGKARG_CANCELQUEUEDFLIPS *cancel)
{
    UNREFERENCED_PARAMETER(adapter);
    cancel->PresentIdCancelled = 0;
    return misbehave_once() ? STATUS_NOT_IMPLEMENTED : STATUS_SUCCESS;
}

static void implement_neither(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiCancelQueuedFlips = plane_is_not_there;
}

/* ---- Interrupts ------------------------------------------------------------------------------ */

static NTSTATUS NTAPI every_sync_interrupts(const HANDLE adapter,
                                            const DXGKARG_SETINTERRUPTTARGETPRESENTID *target)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(target);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI no_flip_interrupts(const HANDLE adapter,
                                         const DXGKARG_SETINTERRUPTTARGETPRESENTID *target)
{
    DXGKARG_SETINTERRUPTTARGETPRESENTID changed = *target;

    if (changed.InterruptTargetPresentId != 0) {
        changed.InterruptTargetPresentId = ~0ull;
    }
    return misbehave_driver.DxgkDdiSetInterruptTargetPresentId(adapter, &changed);
}

/* Of planes that need no interrupt nothing is told by one, and all when somebody asks. */
static UINT64 wanted_from[8];

static NTSTATUS NTAPI target_is_kept(const HANDLE adapter,
                                     const DXGKARG_SETINTERRUPTTARGETPRESENTID *target)
{
    wanted_from[target->LayerIndex & 7] = target->InterruptTargetPresentId;
    return misbehave_driver.DxgkDdiSetInterruptTargetPresentId(adapter, target);
}

static void keep_targets(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiSetInterruptTargetPresentId = target_is_kept;
}

static VOID NTAPI tells_of_what_interrupts(const HANDLE device,
                                           DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA changed = *data;
    DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO3 told[8];
    UINT i, count = 0;

    for (i = 0; is_of_queue(data) && i < 8 &&
                i < data->CrtcVsyncWithMultiPlaneOverlay3.MultiPlaneOverlayVsyncInfoCount;
         i++) {
        told[count] = data->CrtcVsyncWithMultiPlaneOverlay3.pMultiPlaneOverlayVsyncInfo[i];
        count += wanted_from[told[count].LayerIndex & 7] != ~0ull;
    }
    if (count != 0) {
        changed.CrtcVsyncWithMultiPlaneOverlay3.MultiPlaneOverlayVsyncInfoCount = count;
        changed.CrtcVsyncWithMultiPlaneOverlay3.pMultiPlaneOverlayVsyncInfo = told;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, &changed);
}

/* "The primary is what matters." */
static VOID NTAPI tells_of_plane_0_alone(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA changed = *data;

    if (is_of_queue(data) &&
        data->CrtcVsyncWithMultiPlaneOverlay3.MultiPlaneOverlayVsyncInfoCount > 1) {
        changed.CrtcVsyncWithMultiPlaneOverlay3.MultiPlaneOverlayVsyncInfoCount = 1;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, &changed);
}

/* What the flips that go would have shown stays what the source has. */
static NTSTATUS NTAPI what_goes_stays(const HANDLE context, DXGKARG_CANCELFLIPS *cancel)
{
    struct softgpu_source *source =
        &((struct softgpu_adapter *)context)->source[cancel->VidPnSourceId];
    ULONGLONG address = source->address;
    NTSTATUS status = misbehave_driver.DxgkDdiCancelFlips(context, cancel);

    source->address = address;
    return status;
}

static NTSTATUS NTAPI nobody_is_asked(DXGKARGCB_QUERYFEATURESUPPORT *asked)
{
    asked->Enabled = TRUE;
    return STATUS_SUCCESS;
}

static void tell_of_no_features(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiQueryInterface = NULL;
}

#define SET_PLANES IN_DDI(SetVidPnSourceAddressWithMultiPlaneOverlay3)
#define NOTIFY     IN_CALLBACK(NotifyInterrupt)

static const struct misbehaviour rows[] = {
    BREAKS_RULE(MPO_007, SET_PLANES, drains_what_is_empty, SCENE_QUEUED),
    BREAKS_RULE(MPO_007, SET_PLANES, drains_all_and_nothing, SCENE_QUEUED),
    BREAKS_RULE(PRES_044, SET_PLANES, both_eyes_see_the_left,
                SCENE_QUEUED_MODES | SCENE_MORE_RULES),
    BREAKS_RULE_BESIDE(MPO_013, NOTIFY, overtaken_are_shown, SCENE_QUEUED, see_the_log),
    BREAKS_RULE(MPO_014, IN_DDI(CancelFlips), nothing_is_taken_back, SCENE_QUEUED),
    BREAKS_RULE(MPO_014, IN_DDI(CancelFlips), takes_back_what_comes, SCENE_QUEUED),
    BREAKS_RULE(MPO_014, IN_DDI(CancelFlips), all_are_said_to_go, SCENE_QUEUED),
    BREAKS_RULE(SHOW_001, IN_DDI(CancelFlips), what_goes_stays, SCENE_QUEUED),
    BREAKS_RULE(MPO_029, IN_DDI(UpdateFlipQueueLog), device_is_not_asked, SCENE_QUEUED),
    BREAKS_RULE_BESIDE(MPO_014, IN_DDI(CancelFlips), all_at_once_is_not_there, SCENE_QUEUED,
                       keep_of_planes),
    BREAKS_RULE_BESIDE(MPO_014, IN_DDI(CancelFlips), all_at_once_is_not_there, SCENE_QUEUED,
                       take_back_too_much),
    BREAKS_RULE_BESIDE(MPO_026, IN_DDI(CancelFlips), all_at_once_is_not_there, SCENE_QUEUED,
                       implement_neither),
    BREAKS_RULE_BESIDE(MPO_023, NOTIFY, log_ends_behind_itself, SCENE_QUEUED, see_the_log),
    BREAKS_RULE(MPO_024, SET_PLANES, time_is_ignored, SCENE_QUEUED),
    BREAKS_RULE(MPO_025, IN_DDI(SetInterruptTargetPresentId), every_sync_interrupts, SCENE_QUEUED),
    BREAKS_RULE(MPO_025, IN_DDI(SetInterruptTargetPresentId), no_flip_interrupts, SCENE_QUEUED),
    BREAKS_RULE(MPO_026, IN_DDI(UpdateFlipQueueLog), update_fails, SCENE_QUEUED),
    BREAKS_RULE(MPO_026, IN_DDI(SetFlipQueueLogBuffer), log_is_kept, SCENE_QUEUED),
    BREAKS_RULE_BESIDE(MPO_027, IN_CALLBACK(QueryFeatureSupport), nobody_is_asked, SCENE_QUEUED,
                       tell_of_no_features),
    BREAKS_RULE_BESIDE(MPO_029, NOTIFY, log_stands_still, SCENE_QUEUED, stand_still),
    BREAKS_RULE_BESIDE(MPO_029, NOTIFY, index_is_of_the_last, SCENE_QUEUED, say_the_last),
    BREAKS_NO_RULE_BESIDE(NOTIFY, tells_of_what_interrupts, SCENE_QUEUED, keep_targets),
    BREAKS_RULE(MPO_029, NOTIFY, tells_of_plane_0_alone, SCENE_QUEUED_PLANES),
};

MISBEHAVIOURS(flips);

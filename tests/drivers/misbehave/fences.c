/* fences.c: native fences whose values are not written, and notices of fences that are none. */
#include "misbehave.h"

static NTSTATUS NTAPI monitored_value_is_forgotten(const DXGKARG_UPDATEMONITOREDVALUES *update)
{
    return misbehave_once() ? STATUS_SUCCESS
                            : misbehave_driver.DxgkDdiUpdateMonitoredValues(update);
}

static NTSTATUS NTAPI current_value_is_forgotten(const DXGKARG_UPDATECURRENTVALUESFROMCPU *update)
{
    return misbehave_once() ? STATUS_SUCCESS
                            : misbehave_driver.DxgkDdiUpdateCurrentValuesFromCpu(update);
}

static NTSTATUS NTAPI monitored_value_is_refused(const DXGKARG_UPDATEMONITOREDVALUES *update)
{
    return misbehave_once() ? STATUS_UNSUCCESSFUL
                            : misbehave_driver.DxgkDdiUpdateMonitoredValues(update);
}

static NTSTATUS NTAPI current_value_is_refused(const DXGKARG_UPDATECURRENTVALUESFROMCPU *update)
{
    return misbehave_once() ? STATUS_UNSUCCESSFUL
                            : misbehave_driver.DxgkDdiUpdateCurrentValuesFromCpu(update);
}

/* "One fence changes at a time." */
static NTSTATUS NTAPI monitored_value_of_the_first(const DXGKARG_UPDATEMONITOREDVALUES *update)
{
    DXGKARG_UPDATEMONITOREDVALUES first = *update;

    first.NumFences = update->NumFences > 1 && misbehave_once() ? 1 : update->NumFences;
    return misbehave_driver.DxgkDdiUpdateMonitoredValues(&first);
}

static NTSTATUS NTAPI current_value_of_the_first(const DXGKARG_UPDATECURRENTVALUESFROMCPU *update)
{
    DXGKARG_UPDATECURRENTVALUESFROMCPU first = *update;

    first.NumFences = update->NumFences > 1 && misbehave_once() ? 1 : update->NumFences;
    return misbehave_driver.DxgkDdiUpdateCurrentValuesFromCpu(&first);
}

/* The low half: values were small as long as anybody looked. */
static NTSTATUS NTAPI current_value_in_half(const DXGKARG_UPDATECURRENTVALUESFROMCPU *update)
{
    UINT i;

    for (i = 0; i < update->NumFences && update->UpdatedValueArray[i] >> 32 == 0; i++) {
    }
    if (i < update->NumFences && misbehave_once()) {
        for (i = 0; i < update->NumFences; i++) {
            *(volatile ULONG *)update->CurrentValueKernelCpuVa[i] =
                (ULONG)update->UpdatedValueArray[i];
        }
        return STATUS_SUCCESS;
    }
    return misbehave_driver.DxgkDdiUpdateCurrentValuesFromCpu(update);
}

/* The process's handle, or whatever lay there. */
static void tell_of_no_fence(UINT count)
{
    static HANDLE handles[1];
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;

    if (misbehave_once()) {
        handles[0] = (HANDLE)&misbehave_driver;
        RtlZeroMemory(&data, sizeof(data));
        data.InterruptType = DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED;
        data.NativeFenceSignaled.SignaledNativeFenceCount = count;
        data.NativeFenceSignaled.pSignaledNativeFenceArray = handles;
        misbehave_kernel.DxgkCbNotifyInterrupt(misbehave_kernel.DeviceHandle, &data);
    }
}

static NTSTATUS NTAPI notice_of_no_fence(const DXGKARG_UPDATEMONITOREDVALUES *update)
{
    tell_of_no_fence(1);
    return misbehave_driver.DxgkDdiUpdateMonitoredValues(update);
}

/* Of an array that nobody counted. */
static NTSTATUS NTAPI notice_without_end(const DXGKARG_UPDATEMONITOREDVALUES *update)
{
    tell_of_no_fence(~0u);
    return misbehave_driver.DxgkDdiUpdateMonitoredValues(update);
}

/* It takes for granted what it should ask for. */
static NTSTATUS NTAPI feature_is_there(IN_CONST_HANDLE device,
                                       INOUT_PDXGKARGCB_ISFEATUREENABLED2 asked)
{
    UNREFERENCED_PARAMETER(device);
    asked->Result.Enabled = 1;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI feature_has_no_interface(IN_CONST_HANDLE device,
                                               INOUT_PDXGKARGCB_QUERYFEATUREINTERFACE arguments)
{
    UNREFERENCED_PARAMETER(device);
    UNREFERENCED_PARAMETER(arguments);
    return STATUS_NOT_SUPPORTED;
}

static void NTAPI keep_nothing(PVOID context)
{
    UNREFERENCED_PARAMETER(context);
}

static NTSTATUS NTAPI feature_is_not_asked_for(HANDLE device, DXGK_SERVICES services, PINTERFACE to)
{
    DXGK_FEATURE_INTERFACE *feature = (DXGK_FEATURE_INTERFACE *)to;

    if (services != DxgkServicesFeature) {
        return misbehave_kernel.DxgkCbQueryServices(device, services, to);
    }
    feature->InterfaceReference = feature->InterfaceDereference = keep_nothing;
    feature->IsFeatureEnabled = feature_is_there;
    feature->QueryFeatureInterface = feature_has_no_interface;
    return STATUS_SUCCESS;
}

/* ---- Before each vertical sync --------------------------------------------------------------- */

static NTSTATUS NTAPI notification_without_handle(DXGKARG_CREATEPERIODICFRAMENOTIFICATION *create)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCreatePeriodicFrameNotification(create);

    create->hNotification = NULL; /* "the id does" */
    return status;
}

static NTSTATUS NTAPI notification_is_pending(DXGKARG_CREATEPERIODICFRAMENOTIFICATION *create)
{
    (void)misbehave_driver.DxgkDdiCreatePeriodicFrameNotification(create);
    return STATUS_PENDING;
}

/* The device counts in ns. */
static NTSTATUS NTAPI notification_in_its_units(DXGKARG_CREATEPERIODICFRAMENOTIFICATION *create)
{
    DXGKARG_CREATEPERIODICFRAMENOTIFICATION spoiled = *create;
    NTSTATUS status;

    spoiled.Time = spoiled.Time / 100 + 1;
    status = misbehave_driver.DxgkDdiCreatePeriodicFrameNotification(&spoiled);
    create->hNotification = spoiled.hNotification;
    return status;
}

/* "Behind the vertical sync." */
static NTSTATUS NTAPI notification_behind(DXGKARG_CREATEPERIODICFRAMENOTIFICATION *create)
{
    DXGKARG_CREATEPERIODICFRAMENOTIFICATION spoiled = *create;
    NTSTATUS status;

    spoiled.Time = 166000 - spoiled.Time;
    status = misbehave_driver.DxgkDdiCreatePeriodicFrameNotification(&spoiled);
    create->hNotification = spoiled.hNotification;
    return status;
}

static NTSTATUS NTAPI notification_is_kept(const DXGKARG_DESTROYPERIODICFRAMENOTIFICATION *destroy)
{
    UNREFERENCED_PARAMETER(destroy);
    return STATUS_SUCCESS;
}

/* Its number among those of the output. */
static VOID NTAPI notification_by_number(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (data->InterruptType == DXGK_INTERRUPT_PERIODIC_MONITORED_FENCE_SIGNALED) {
        data->PeriodicMonitoredFenceSignaled.NotificationID--;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* What is due is told with whatever comes next, again and again. */
static VOID NTAPI notification_twice(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    static UINT target, first;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA again = *data;

    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
    if (data->InterruptType != DXGK_INTERRUPT_PERIODIC_MONITORED_FENCE_SIGNALED) {
        return;
    }
    if (first == 0 || data->PeriodicMonitoredFenceSignaled.NotificationID <= first) {
        target = data->PeriodicMonitoredFenceSignaled.VidPnTargetId;
        first = data->PeriodicMonitoredFenceSignaled.NotificationID;
    } else if (data->PeriodicMonitoredFenceSignaled.VidPnTargetId == target) {
        again.PeriodicMonitoredFenceSignaled.NotificationID = first;
        misbehave_kernel.DxgkCbNotifyInterrupt(device, &again);
    }
}

/* A timer that nobody starts again. */
static VOID NTAPI notification_once(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    static UINT told;

    if (data->InterruptType != DXGK_INTERRUPT_PERIODIC_MONITORED_FENCE_SIGNALED || told++ < 2) {
        misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
    }
}

static BOOLEAN one_is_gone;

static NTSTATUS NTAPI one_goes(const DXGKARG_DESTROYPERIODICFRAMENOTIFICATION *destroy)
{
    one_is_gone = TRUE;
    return misbehave_driver.DxgkDdiDestroyPeriodicFrameNotification(destroy);
}

static void beside_notices(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiDestroyPeriodicFrameNotification = one_goes;
}

/* The interrupt of an output is switched off with the first of its notifications that goes. */
static VOID NTAPI notices_end_with_one(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (!one_is_gone || data->InterruptType != DXGK_INTERRUPT_PERIODIC_MONITORED_FENCE_SIGNALED) {
        misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
    }
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(FENCE_020, IN_DDI(CreatePeriodicFrameNotification), notification_without_handle,
                SCENE_VIRTUAL | SCENE_MORE_RULES),
    BREAKS_RULE(FENCE_020, IN_DDI(CreatePeriodicFrameNotification), notification_is_pending,
                SCENE_VIRTUAL | SCENE_MORE_RULES),
    BREAKS_RULE(FENCE_023, IN_DDI(CreatePeriodicFrameNotification), notification_in_its_units,
                SCENE_VIRTUAL | SCENE_ADVICE),
    BREAKS_RULE(FENCE_023, IN_DDI(CreatePeriodicFrameNotification), notification_behind,
                SCENE_VIRTUAL | SCENE_ADVICE),
    BREAKS_RULE(FENCE_022, IN_DDI(DestroyPeriodicFrameNotification), notification_is_kept,
                SCENE_VIRTUAL),
    BREAKS_RULE(FENCE_022, IN_CALLBACK(NotifyInterrupt), notification_by_number,
                SCENE_VIRTUAL | SCENE_MORE_RULES),
    BREAKS_RULE(FENCE_023, IN_CALLBACK(NotifyInterrupt), notification_once, SCENE_VIRTUAL),
    BREAKS_RULE(FENCE_023, IN_CALLBACK(NotifyInterrupt), notification_twice,
                SCENE_VIRTUAL | SCENE_MORE_RULES),
    BREAKS_RULE_BESIDE(FENCE_023, IN_CALLBACK(NotifyInterrupt), notices_end_with_one, SCENE_VIRTUAL,
                       beside_notices),
    BREAKS_RULE(FENCE_006, IN_DDI(UpdateMonitoredValues), monitored_value_is_forgotten,
                SCENE_VIRTUAL),
    BREAKS_RULE(FENCE_010, IN_DDI(UpdateCurrentValuesFromCpu), current_value_is_forgotten,
                SCENE_VIRTUAL),
    BREAKS_RULE(FENCE_006, IN_DDI(UpdateMonitoredValues), monitored_value_of_the_first,
                SCENE_VIRTUAL),
    BREAKS_RULE(FENCE_010, IN_DDI(UpdateCurrentValuesFromCpu), current_value_of_the_first,
                SCENE_VIRTUAL),
    BREAKS_RULE(FENCE_010, IN_DDI(UpdateCurrentValuesFromCpu), current_value_in_half,
                SCENE_VIRTUAL),
    BREAKS_RULE(FENCE_006, IN_DDI(UpdateMonitoredValues), monitored_value_is_refused,
                SCENE_VIRTUAL),
    BREAKS_RULE(FENCE_010, IN_DDI(UpdateCurrentValuesFromCpu), current_value_is_refused,
                SCENE_VIRTUAL),
    BREAKS_RULE(FENCE_007, IN_DDI(UpdateMonitoredValues), notice_of_no_fence, SCENE_VIRTUAL),
    BREAKS_RULE(FENCE_007, IN_DDI(UpdateMonitoredValues), notice_without_end, SCENE_VIRTUAL),
    BREAKS_RULE(FENCE_008, IN_CALLBACK(QueryServices), feature_is_not_asked_for, SCENE_VIRTUAL),
};

MISBEHAVIOURS(fences);

/* The driver's duties: native fences, their values, and what it tells of them. */
#include "contract/internal.h"
#include "contract/tracker.h"

static bool monitored_values_are_written(struct contract_call *call)
{
    const DXGKARG_UPDATEMONITOREDVALUES *update = call->before;

    for (UINT i = 0; i < update->NumFences; i++) {
        UINT64 is = *(const UINT64 *)update->MonitoredValueKernelCpuVa[i];
        if (is != update->UpdatedValueArray[i]) {
            return contract_say(call, "UpdatedValueArray in each fence's monitored value",
                                "fence %u of %u has %llu, not %llu", i, update->NumFences,
                                (unsigned long long)is,
                                (unsigned long long)update->UpdatedValueArray[i]);
        }
    }
    return true;
}

static bool values_were_the_drivers(const struct contract_call *call)
{
    const DXGKARG_UPDATECURRENTVALUESFROMCPU *update = call->before;

    return has_succeeded(call) && !update->Flags.NotificationOnly;
}

/* The GPU may have signalled a larger one meanwhile. */
static bool current_values_are_written(struct contract_call *call)
{
    const DXGKARG_UPDATECURRENTVALUESFROMCPU *update = call->before;

    for (UINT i = 0; i < update->NumFences; i++) {
        UINT64 is = *(const volatile UINT64 *)update->CurrentValueKernelCpuVa[i];
        if (is < update->UpdatedValueArray[i]) {
            return contract_say(call, "UpdatedValueArray in each fence's current value",
                                "fence %u of %u has %llu, not %llu", i, update->NumFences,
                                (unsigned long long)is,
                                (unsigned long long)update->UpdatedValueArray[i]);
        }
    }
    return true;
}

static bool tells_of_fences(const struct contract_call *call)
{
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data = call->arguments;

    return data->InterruptType == DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED;
}

static bool fences_live(struct contract_call *call)
{
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data = call->arguments;
    const HANDLE *handles = data->NativeFenceSignaled.pSignaledNativeFenceArray;

    for (UINT i = 0; handles && i < data->NativeFenceSignaled.SignaledNativeFenceCount; i++) {
        if (!contract_fence_named(call->tracker, handles[i])) {
            return contract_say(call, "hGlobalNativeFence of fences that live, or NULL for all",
                                "element %u of pSignaledNativeFenceArray is %p", i, handles[i]);
        }
    }
    return true;
}

static bool fence_is_its_own(struct contract_call *call)
{
    const DXGKARG_CREATENATIVEFENCE *given = call->before, *answered = call->arguments;

    return answered->hGlobalNativeFence != given->hGlobalNativeFence ||
           contract_say(call, "the driver's own handle in hGlobalNativeFence",
                        "hGlobalNativeFence is still the kernel's handle");
}

static const struct contract_row rows[] = {
    AFTER(FENCE_006, UpdateMonitoredValues, monitored_values_are_written, WHEN(has_succeeded),
          LEAVES_OUT("that the GPU knows of the new values when the call returns: one that does "
                     "not tells too little, and FENCE-007 finds that")),
    AFTER(FENCE_006, UpdateMonitoredValues, STATUS_IN(STATUS_SUCCESS), STOPS(0x119, 0x12)),
    AFTER(FENCE_010, UpdateCurrentValuesFromCpu, current_values_are_written,
          WHEN(values_were_the_drivers)),
    AFTER(FENCE_010, UpdateCurrentValuesFromCpu, STATUS_IN(STATUS_SUCCESS), STOPS(0x119, 0x13)),
    BEFORE(FENCE_007, CbNotifyInterrupt, fences_live, WHEN(tells_of_fences)),
    AFTER(
        FENCE_020, CreatePeriodicFrameNotification,
        STATUS_IN(STATUS_SUCCESS, STATUS_NO_MEMORY, STATUS_INVALID_PARAMETER, STATUS_UNSUCCESSFUL)),
    AFTER(FENCE_009, CreateNativeFence, fence_is_its_own, WHEN(has_succeeded), ADVISES),
};

const struct contract_family contract_family_fences = FAMILY_OF(rows);

/* Features of the system that a driver has to ask for before it makes use of them.
 *
 * By the interface DxgkServicesFeature of DxgkCbQueryServices there is one, native fences, in its
 * version 1; by DxgkCbQueryFeatureSupport, since WDDM 2.9, there are the hardware flip queue and
 * hardware scheduling. All others are not known. */
#include "ddi/internal.h"

#include <string.h>

#include "base/record.h"

#define NATIVE_FENCE_VERSION 1u

static void NTAPI keep_nothing(PVOID context)
{
}

static NTSTATUS NTAPI is_feature_enabled(IN_CONST_HANDLE device,
                                         INOUT_PDXGKARGCB_ISFEATUREENABLED2 arguments)
{
    const void *caller = __builtin_return_address(0);
    struct ddi_adapter *adapter = ddi_adapter_of_handle(device);

    nt_look_at_irql("IsFeatureEnabled", MACHINE_IRQL_PASSIVE, caller);
    if (!adapter || !arguments) {
        nt_misuse(NT_MISUSE_HANDLE, "IsFeatureEnabled", caller,
                  "%p is not the DeviceHandle of DXGKRNL_INTERFACE, or there are no arguments",
                  device);
        return STATUS_INVALID_PARAMETER;
    }
    arguments->Result = (DXGK_ISFEATUREENABLED_RESULT){0};
    if (arguments->FeatureId == DXGK_FEATURE_NATIVE_FENCE) {
        arguments->Result.Version = NATIVE_FENCE_VERSION;
        arguments->Result.Enabled = arguments->Result.KnownFeature = 1;
        adapter->asked_for_native_fences = true;
    }
    return STATUS_SUCCESS;
}

/* Values of fences in the memory of one GPU are kept in system memory: that type is not offered. */
static NTSTATUS NTAPI native_fence_caps(DXGKARGCB_FEATURE_NATIVEFENCE_CAPS_1 *caps)
{
    *caps = (DXGKARGCB_FEATURE_NATIVEFENCE_CAPS_1){.SupportOptimizedDefaultFenceType = 1};
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI query_feature_interface(IN_CONST_HANDLE device,
                                              INOUT_PDXGKARGCB_QUERYFEATUREINTERFACE arguments)
{
    DXGKCBINT_FEATURE_NATIVEFENCE_1 interface;
    NTSTATUS(NTAPI * function)(DXGKARGCB_FEATURE_NATIVEFENCE_CAPS_1 *) = native_fence_caps;

    if (!ddi_adapter_of_handle(device) || !arguments || !arguments->Interface ||
        arguments->InterfaceSize < sizeof interface) {
        return STATUS_INVALID_PARAMETER;
    }
    if (arguments->FeatureId != DXGK_FEATURE_NATIVE_FENCE ||
        arguments->Version != NATIVE_FENCE_VERSION) {
        return STATUS_NOT_SUPPORTED;
    }
    memcpy(&interface.GetOSCaps, &function, sizeof interface.GetOSCaps);
    memcpy(arguments->Interface, &interface, sizeof interface);
    return STATUS_SUCCESS;
}

/* Hardware that schedules by itself is what released drivers need for the flip queue; one whose
 * support is experimental may do without. Which of the DDIs it must have no page says (guess): all
 * but one of the two that cancel. */
static bool may_queue_flips(const struct ddi_adapter *adapter, UINT state)
{
    return ddi_has(adapter, POINT_SetVidPnSourceAddressWithMultiPlaneOverlay3) &&
           ddi_has(adapter, POINT_SetFlipQueueLogBuffer) &&
           ddi_has(adapter, POINT_UpdateFlipQueueLog) &&
           ddi_has(adapter, POINT_SetInterruptTargetPresentId) &&
           (ddi_has(adapter, POINT_CancelFlips) || ddi_has(adapter, POINT_CancelQueuedFlips)) &&
           (state == DXGK_FEATURE_SUPPORT_EXPERIMENTAL || ddi_has(adapter, POINT_CreateHwQueue));
}

NTSTATUS ddi_query_feature_support(struct ddi_adapter *adapter,
                                   DXGKARGCB_QUERYFEATURESUPPORT *asked)
{
    bool supported = asked->DriverSupportState >= DXGK_FEATURE_SUPPORT_EXPERIMENTAL &&
                     asked->DriverSupportState <= DXGK_FEATURE_SUPPORT_ALWAYS_ON;

    asked->Enabled = FALSE;
    if (asked->FeatureId == DXGK_FEATURE_HWFLIPQUEUE) {
        asked->Enabled = supported && may_queue_flips(adapter, asked->DriverSupportState);
        adapter->flip_queue_allowed = asked->Enabled;
    } else if (asked->FeatureId == DXGK_FEATURE_HWSCH) {
        asked->Enabled = supported && ddi_has(adapter, POINT_CreateHwQueue);
    }
    record_count("callbacks.features_asked", 1);
    return STATUS_SUCCESS;
}

void ddi_fill_features(const struct ddi_adapter *adapter, DXGK_FEATURE_INTERFACE *out)
{
    *out = (DXGK_FEATURE_INTERFACE){
        .Size = sizeof *out,
        .Version = DXGK_FEATURE_INTERFACE_VERSION_1,
        .Context = adapter->interface.DeviceHandle,
        .InterfaceReference = keep_nothing,
        .InterfaceDereference = keep_nothing,
        .IsFeatureEnabled = is_feature_enabled,
        .QueryFeatureInterface = query_feature_interface,
    };
}

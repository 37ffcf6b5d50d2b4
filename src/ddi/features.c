/* Features of the system that a driver has to ask for before it makes use of them.
 *
 * By the interface DxgkServicesFeature of DxgkCbQueryServices it asks about each that negotiation.c
 * knows, and gets the kernel's side of two, native fences in version 1, the sample in 4 and 5; by
 * DxgkCbQueryFeatureSupport, since WDDM 2.9, about the hardware flip queue and hardware scheduling.
 * All others are not known. */
#include "ddi/internal.h"

#include <string.h>

#include "base/record.h"

#define NATIVE_FENCE_VERSION 1u

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
    DXGK_FEATURE_ID id = arguments->FeatureId;
    ddi_negotiate_early(adapter, id);
    arguments->Result = ddi_feature_state(adapter, id);
    if (id == DXGK_FEATURE_NATIVE_FENCE) {
        adapter->asked_for_native_fences = true;
        adapter->told_of_native_fences = arguments->Result.Enabled;
    }
    return STATUS_SUCCESS;
}

/* Values of fences in the memory of one GPU are kept in system memory: that type is not offered. */
static NTSTATUS NTAPI native_fence_caps(DXGKARGCB_FEATURE_NATIVEFENCE_CAPS_1 *caps)
{
    *caps = (DXGKARGCB_FEATURE_NATIVEFENCE_CAPS_1){.SupportOptimizedDefaultFenceType = 1};
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI sample_value(HANDLE device, DXGKARGCB_FEATURE_SAMPLE_GETVALUE *value)
{
    *value = (DXGKARGCB_FEATURE_SAMPLE_GETVALUE){.Value = DDI_SAMPLE_VALUE};
    return STATUS_SUCCESS;
}

/* Each of these interfaces is one function. */
static NTSTATUS NTAPI query_feature_interface(IN_CONST_HANDLE device,
                                              INOUT_PDXGKARGCB_QUERYFEATUREINTERFACE arguments)
{
    NTSTATUS(NTAPI * caps)(DXGKARGCB_FEATURE_NATIVEFENCE_CAPS_1 *) = native_fence_caps;
    NTSTATUS(NTAPI * value)(HANDLE, DXGKARGCB_FEATURE_SAMPLE_GETVALUE *) = sample_value;

    if (!ddi_adapter_of_handle(device) || !arguments || !arguments->Interface ||
        arguments->InterfaceSize < sizeof(PVOID)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (arguments->FeatureId == DXGK_FEATURE_NATIVE_FENCE &&
        arguments->Version == NATIVE_FENCE_VERSION) {
        memcpy(arguments->Interface, &caps, sizeof caps);
    } else if (arguments->FeatureId == DXGK_FEATURE_SAMPLE &&
               (arguments->Version == 4 || arguments->Version == 5)) {
        memcpy(arguments->Interface, &value, sizeof value);
    } else {
        return STATUS_NOT_SUPPORTED;
    }
    arguments->InterfaceSize = sizeof(PVOID);
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

void ddi_allow_flip_queue(struct ddi_adapter *adapter)
{
    adapter->flip_queue_allowed |= may_queue_flips(adapter, DXGK_FEATURE_SUPPORT_STABLE);
}

NTSTATUS ddi_query_feature_support(struct ddi_adapter *adapter,
                                   DXGKARGCB_QUERYFEATURESUPPORT *asked)
{
    /* "The driver cannot operate without it": that stays on. */
    bool off =
        ddi_features_are_off() && asked->DriverSupportState != DXGK_FEATURE_SUPPORT_ALWAYS_ON;
    bool supported = !off && asked->DriverSupportState >= DXGK_FEATURE_SUPPORT_EXPERIMENTAL &&
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
        .InterfaceReference = ddi_service_reference,
        .InterfaceDereference = ddi_service_dereference,
        .IsFeatureEnabled = is_feature_enabled,
        .QueryFeatureInterface = query_feature_interface,
    };
}

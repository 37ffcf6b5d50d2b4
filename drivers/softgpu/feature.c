/* feature.c: what this driver has of WDDM's features, since WDDM 3.2, where dxgkrnl asks for it.
 *
 *   QueryInterface(GUID_WDDM_INTERFACE_FEATURE)
 *     +-- QueryFeatureSupport     which versions of a feature; in this configuration (FEATURE-001)
 *     +-- QueryFeatureInterface   the functions of a version, where it has some (FEATURE-004)
 *
 * None of them is experimental. The sample is the one with functions: they count with what a
 * function of dxgkrnl answers. */
#include <initguid.h>

#include "softgpu.h"

#define SAMPLE_LEAST  3 /* has no functions */
#define SAMPLE_NEWEST 5

typedef NTSTATUS NTAPI softgpu_get_value(HANDLE device, DXGKARGCB_FEATURE_SAMPLE_GETVALUE *value);

/* ---- The sample ------------------------------------------------------------------------------ */

static NTSTATUS sample_value(const struct softgpu_adapter *adapter, ULONG *value)
{
    DXGKARGCB_FEATURE_SAMPLE_GETVALUE asked;
    NTSTATUS status;

    RtlZeroMemory(&asked, sizeof(asked));
    status = ((softgpu_get_value *)adapter->sample_value)(adapter->dxgk.DeviceHandle, &asked);
    *value = asked.Value;
    return status;
}

static NTSTATUS NTAPI add_value(HANDLE context, DXGKARG_FEATURE_SAMPLE_ADDVALUE *arguments)
{
    ULONG value;
    NTSTATUS status = sample_value(context, &value);

    if (NT_SUCCESS(status)) {
        arguments->OutputValue = arguments->InputValue + value;
    }
    return status;
}

static NTSTATUS NTAPI subtract_value(HANDLE context,
                                     DXGKARG_FEATURE_SAMPLE_SUBTRACTVALUE *arguments)
{
    ULONG value;
    NTSTATUS status = sample_value(context, &value);

    if (NT_SUCCESS(status)) {
        arguments->OutputValue = arguments->InputValue - value;
    }
    return status;
}

/* dxgkrnl's half of the same version. */
static NTSTATUS find_sample_value(struct softgpu_adapter *adapter, USHORT version)
{
    HANDLE handle = adapter->dxgk.DeviceHandle;
    DXGKARGCB_QUERYFEATUREINTERFACE asked;
    DXGKCBINT_FEATURE_SAMPLE_4 sample;
    DXGK_FEATURE_INTERFACE feature;
    NTSTATUS status;

    RtlZeroMemory(&feature, sizeof(feature));
    feature.Size = sizeof(feature);
    feature.Version = DXGK_FEATURE_INTERFACE_VERSION_1;
    status = adapter->dxgk.DxgkCbQueryServices(handle, DxgkServicesFeature, (PINTERFACE)&feature);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    RtlZeroMemory(&asked, sizeof(asked));
    asked.FeatureId = DXGK_FEATURE_SAMPLE;
    asked.Version = version;
    asked.InterfaceSize = sizeof(sample);
    asked.Interface = &sample;
    status = feature.QueryFeatureInterface(handle, &asked);
    if (NT_SUCCESS(status)) {
        adapter->sample_value = sample.GetValue;
    }
    feature.InterfaceDereference(feature.Context);
    return status;
}

/* ---- What there is --------------------------------------------------------------------------- */

static void say(DXGKARG_QUERYFEATURESUPPORT *arguments, BOOLEAN configured, USHORT least,
                USHORT newest)
{
    arguments->SupportedByDriver = TRUE;
    arguments->SupportedOnCurrentConfig = configured;
    arguments->MinSupportedVersion = least;
    arguments->MaxSupportedVersion = newest;
}

static NTSTATUS NTAPI query_feature_support(const HANDLE context,
                                            DXGKARG_QUERYFEATURESUPPORT *arguments)
{
    const struct softgpu_adapter *adapter = context;
    const struct softgpu_settings *settings = &adapter->settings;

    PAGED_CODE();
    arguments->SupportedByDriver = arguments->SupportedOnCurrentConfig = FALSE;
    arguments->MinSupportedVersion = arguments->MaxSupportedVersion = 0;
    switch (arguments->FeatureId) {
    case DXGK_FEATURE_HWSCH:
        say(arguments, settings->hw_scheduling != 0, 1, 1);
        break;
    case DXGK_FEATURE_HWFLIPQUEUE:
        say(arguments, settings->flip_queue != 0, 1, 1);
        break;
    case DXGK_FEATURE_NATIVE_FENCE:
        say(arguments, settings->native_fences && settings->gpu_mmu, 1, 1);
        break;
    case DXGK_FEATURE_SAMPLE:
        say(arguments, TRUE, SAMPLE_LEAST, SAMPLE_NEWEST);
        break;
    default:
        break;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI query_feature_interface(const HANDLE context,
                                              DXGKARG_QUERYFEATUREINTERFACE *arguments)
{
    const DXGKDDIINT_FEATURE_SAMPLE_5 sample = {(PVOID)(ULONG_PTR)add_value,
                                                (PVOID)(ULONG_PTR)subtract_value};
    ULONG bytes = arguments->Version == 4 ? (ULONG)sizeof(DXGKDDIINT_FEATURE_SAMPLE_4)
                                          : (ULONG)sizeof(sample); /* the older is its beginning */
    struct softgpu_adapter *adapter = context;
    NTSTATUS status;

    PAGED_CODE();
    if (arguments->FeatureId != DXGK_FEATURE_SAMPLE ||
        (arguments->Version != 4 && arguments->Version != 5)) {
        return STATUS_NOT_SUPPORTED;
    }
    if (arguments->InterfaceSize < bytes) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    status = find_sample_value(adapter, arguments->Version);
    if (NT_SUCCESS(status)) {
        RtlCopyMemory(arguments->Interface, &sample, bytes);
        arguments->InterfaceSize = (USHORT)bytes;
    }
    return status;
}

/* ---- The interface --------------------------------------------------------------------------- */

static void NTAPI reference(PVOID context)
{
    InterlockedIncrement(&((struct softgpu_adapter *)context)->feature_references);
}

static void NTAPI dereference(PVOID context)
{
    InterlockedDecrement(&((struct softgpu_adapter *)context)->feature_references);
}

NTSTATUS NTAPI softgpu_query_interface(const PVOID miniport_device_context, PQUERY_INTERFACE query)
{
    DXGKDDI_FEATURE_INTERFACE interface;

    PAGED_CODE();
    if (!IsEqualGUID(query->InterfaceType, &GUID_WDDM_INTERFACE_FEATURE) ||
        query->DeviceUid != DISPLAY_ADAPTER_HW_ID ||
        query->Version < DXGKDDI_FEATURE_INTERFACE_VERSION_1) {
        return STATUS_NOT_SUPPORTED;
    }
    if (query->Size < sizeof(interface)) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    RtlZeroMemory(&interface, sizeof(interface));
    interface.Size = sizeof(interface);
    interface.Version = DXGKDDI_FEATURE_INTERFACE_VERSION_1;
    interface.Context = miniport_device_context;
    interface.InterfaceReference = reference;
    interface.InterfaceDereference = dereference;
    interface.QueryFeatureSupport = query_feature_support;
    interface.QueryFeatureInterface = query_feature_interface;
    reference(miniport_device_context); /* for who asked */
    RtlCopyMemory(query->Interface, &interface, sizeof(interface));
    return STATUS_SUCCESS;
}

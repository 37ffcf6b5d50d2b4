/* Mistakes about features: the interface that tells of them, and what it tells. */
#include "misbehave.h"

static PDXGKDDI_QUERYFEATURESUPPORT support;
static PDXGKDDI_QUERYFEATUREINTERFACE interface_of;

/* NULL: it is another one, or was refused. */
static DXGKDDI_FEATURE_INTERFACE *offered(const PVOID context, PQUERY_INTERFACE query,
                                          NTSTATUS *status)
{
    DXGKDDI_FEATURE_INTERFACE *interface = (DXGKDDI_FEATURE_INTERFACE *)(PVOID)query->Interface;

    *status = misbehave_driver.DxgkDdiQueryInterface(context, query);
    if (!NT_SUCCESS(*status)) {
        return NULL;
    }
    support = interface->QueryFeatureSupport;
    interface_of = interface->QueryFeatureInterface;
    return interface;
}

/* A QueryInterface that changes one thing of what is offered. */
#define OFFERS(name, change)                                                 \
    static NTSTATUS NTAPI name(const PVOID context, PQUERY_INTERFACE query)  \
    {                                                                        \
        NTSTATUS status;                                                     \
        DXGKDDI_FEATURE_INTERFACE *offer = offered(context, query, &status); \
        if (offer) {                                                         \
            change;                                                          \
        }                                                                    \
        return status;                                                       \
    }

/* The same with another function in the place of the driver's. */
#define SUPPORTS(name, change)                                                                 \
    static NTSTATUS NTAPI name##_support(const HANDLE adapter, DXGKARG_QUERYFEATURESUPPORT *a) \
    {                                                                                          \
        NTSTATUS status = support(adapter, a);                                                 \
        change;                                                                                \
        return status;                                                                         \
    }                                                                                          \
    OFFERS(name, offer->QueryFeatureSupport = name##_support)
#define HANDS_OUT(name, change)                                                                    \
    static NTSTATUS NTAPI name##_interface(const HANDLE adapter, DXGKARG_QUERYFEATUREINTERFACE *a) \
    {                                                                                              \
        NTSTATUS status = interface_of(adapter, a);                                                \
        PVOID *functions = a->Interface;                                                           \
        change;                                                                                    \
        return status;                                                                             \
    }                                                                                              \
    OFFERS(name, offer->QueryFeatureInterface = name##_interface)

/* ---- The interface --------------------------------------------------------------------------- */

OFFERS(interface_is_its_header, offer->Size = sizeof(INTERFACE))
OFFERS(interface_is_newer, offer->Version = DXGKDDI_FEATURE_INTERFACE_VERSION_2)
OFFERS(interface_cannot_go, offer->InterfaceDereference = NULL)
/* "of version 2": a function more. */
OFFERS(interface_is_longer, ((DXGKDDI_FEATURE_INTERFACE_2 *)offer)->QueryFeatureSupport2 = support)

static NTSTATUS NTAPI interface_is_not_ready(const PVOID context, PQUERY_INTERFACE query)
{
    NTSTATUS status;

    return offered(context, query, &status) ? STATUS_DEVICE_NOT_READY : status;
}

/* ---- What it tells --------------------------------------------------------------------------- */

SUPPORTS(version_is_nothing, a->MinSupportedVersion = 0)
SUPPORTS(
    versions_are_swapped, if (a->FeatureId == DXGK_FEATURE_SAMPLE) {
        USHORT least = a->MinSupportedVersion;
        a->MinSupportedVersion = a->MaxSupportedVersion;
        a->MaxSupportedVersion = least;
    })
SUPPORTS(permission_is_taken_for_a_question,
         a->SupportedByDriver = a->SupportedByDriver && !a->AllowExperimental)
SUPPORTS(features_are_unknown, status = a->SupportedByDriver ? status : STATUS_INVALID_PARAMETER)
/* Its config has none of them: no native fences here. */
SUPPORTS(configuration_has_nothing, a->SupportedOnCurrentConfig = FALSE)

static NTSTATUS NTAPI flips_are_an_experiment(DXGKARGCB_QUERYFEATURESUPPORT *asked)
{
    asked->DriverSupportState = DXGK_FEATURE_SUPPORT_EXPERIMENTAL;
    return misbehave_kernel.DxgkCbQueryFeatureSupport(asked);
}

HANDS_OUT(size_is_taken_away, (void)functions; a->InterfaceSize = 0)
HANDS_OUT(function_is_missing, functions[0] = NULL)
HANDS_OUT(functions_of_tomorrow, functions[2] = functions[1])
HANDS_OUT(functions_are_swapped, PVOID first = functions[0]; functions[0] = functions[1];
          functions[1] = first)

static NTSTATUS NTAPI refuse_functions(const HANDLE adapter, DXGKARG_QUERYFEATUREINTERFACE *a)
{
    UNREFERENCED_PARAMETER(adapter);
    a->InterfaceSize = 0;
    return STATUS_NOT_SUPPORTED;
}
OFFERS(functions_are_refused, offer->QueryFeatureInterface = refuse_functions)

/* ---- What the kernel hands out --------------------------------------------------------------- */

static void NTAPI keep(PVOID context)
{
    UNREFERENCED_PARAMETER(context);
}

static NTSTATUS NTAPI service_is_kept(HANDLE device, DXGK_SERVICES services, PINTERFACE to)
{
    NTSTATUS status = misbehave_kernel.DxgkCbQueryServices(device, services, to);

    if (NT_SUCCESS(status)) {
        to->InterfaceDereference = keep; /* instead of calling it */
    }
    return status;
}

static PINTERFACE_DEREFERENCE give_back;

static void NTAPI give_back_twice(PVOID context)
{
    give_back(context);
    give_back(context);
}

static NTSTATUS NTAPI service_goes_twice(HANDLE device, DXGK_SERVICES services, PINTERFACE to)
{
    NTSTATUS status = misbehave_kernel.DxgkCbQueryServices(device, services, to);

    if (NT_SUCCESS(status)) {
        give_back = to->InterfaceDereference;
        to->InterfaceDereference = give_back_twice;
    }
    return status;
}

#define QUERY    IN_DDI(QueryInterface)
#define SERVICES IN_CALLBACK(QueryServices)

static const struct misbehaviour rows[] = {
    BREAKS_RULE(QIF_002, QUERY, interface_is_its_header, SCENE_VIRTUAL),
    BREAKS_RULE(QIF_002, QUERY, interface_is_newer, SCENE_VIRTUAL),
    BREAKS_RULE(QIF_002, QUERY, interface_cannot_go, SCENE_VIRTUAL),
    BREAKS_RULE(QIF_002, QUERY, interface_is_longer, SCENE_VIRTUAL),
    BREAKS_NO_RULE(QUERY, interface_is_not_ready, SCENE_VIRTUAL),
    BREAKS_RULE(FEATURE_001, QUERY, version_is_nothing, SCENE_VIRTUAL),
    BREAKS_RULE(FEATURE_001, QUERY, versions_are_swapped, SCENE_VIRTUAL),
    BREAKS_RULE(FEATURE_002, IN_CALLBACK(QueryFeatureSupport), flips_are_an_experiment,
                SCENE_QUEUED),
    BREAKS_RULE(FEATURE_003, QUERY, permission_is_taken_for_a_question,
                SCENE_VIRTUAL | SCENE_ADVICE),
    BREAKS_NO_RULE(QUERY, features_are_unknown, SCENE_VIRTUAL),
    BREAKS_NO_RULE(QUERY, configuration_has_nothing, SCENE_VIRTUAL),
    BREAKS_RULE(FEATURE_004, QUERY, size_is_taken_away, SCENE_VIRTUAL),
    BREAKS_RULE(FEATURE_004, QUERY, function_is_missing, SCENE_VIRTUAL),
    BREAKS_RULE(FEATURE_004, QUERY, functions_of_tomorrow, SCENE_VIRTUAL),
    BREAKS_NO_RULE(QUERY, functions_are_refused, SCENE_VIRTUAL),
    BREAKS_RULE(FEATURE_007, QUERY, functions_are_swapped, SCENE_VIRTUAL | SCENE_ADVICE),
    BREAKS_RULE(QIF_003, SERVICES, service_is_kept, SCENE_VIRTUAL | SCENE_ADVICE),
    BREAKS_RULE(QIF_003, SERVICES, service_goes_twice, SCENE_VIRTUAL | SCENE_ADVICE),
};

MISBEHAVIOURS(features);

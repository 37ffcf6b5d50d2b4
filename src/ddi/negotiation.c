/* What a driver tells of its features by an interface of its own, since WDDM 3.2.
 *
 *     QueryInterface(GUID_WDDM_INTERFACE_FEATURE) ─> DXGKDDI_FEATURE_INTERFACE
 *     QueryFeatureSupport, for each feature ─> enabled: driver and configuration support it, and
 *                                              a version that the system has
 *     QueryFeatureInterface, for what is enabled and has an interface
 *     InterfaceDereference, before the device is stopped
 *
 * All of it happens when StartDevice has succeeded; if the driver asks before, in StartDevice,
 * whether a feature is enabled, it is asked about that one first. A driver without the interface is
 * believed what it says by other means. */
#include "ddi/internal.h"

#include <string.h>

#include <video.h>

#include "base/record.h"

/* Features whose support is the driver's to tell, and which versions of each the system has; 0: it
 * knows it and lacks it. */
static const struct known_feature {
    DXGK_FEATURE_ID id;
    UINT16 least, newest;
} known[] = {
    {DXGK_FEATURE_HWSCH, 1, 1},
    {DXGK_FEATURE_HWFLIPQUEUE, 1, 1},
    {DXGK_FEATURE_LDA_GPUPV, 0, 0},
    {DXGK_FEATURE_KMD_SIGNAL_CPU_EVENT, 0, 0},
    {DXGK_FEATURE_USER_MODE_SUBMISSION, 0, 0},
    {DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD, 0, 0},
    {DXGK_FEATURE_SAMPLE, 3, 5},
    {DXGK_FEATURE_PAGE_BASED_MEMORY_MANAGER, 0, 0},
    {DXGK_FEATURE_KERNEL_MODE_TESTING, 0, 0},
    {DXGK_FEATURE_NATIVE_FENCE, 1, 1},
};
_Static_assert(sizeof known / sizeof known[0] == DDI_FEATURES, "each has its place");

static bool are_off; /* as an older system has them, or one whose user wants none */

void ddi_features_off(bool off)
{
    are_off = off;
}

bool ddi_features_are_off(void)
{
    return are_off;
}

static unsigned place_of(DXGK_FEATURE_ID id)
{
    unsigned i = 0;

    while (i < DDI_FEATURES && known[i].id != id) {
        i++;
    }
    return i;
}

/* ---- The calls ------------------------------------------------------------------------------- */

static NTSTATUS query_support(struct ddi_adapter *adapter, DXGKARG_QUERYFEATURESUPPORT *asked)
{
    struct ddi_call call;

    ddi_enter_with(&call, adapter, POINT_QueryFeatureSupport, adapter->miniport_context, asked,
                   sizeof *asked, 0);
    DXGKARG_QUERYFEATURESUPPORT *lent =
        ddi_lend(&call.lent, asked, sizeof *asked, "DXGKARG_QUERYFEATURESUPPORT", DDI_LEND_ANSWERS);
    return ddi_leave(&call, NT_CALL_DRIVER(NULL, adapter->negotiation.interface.QueryFeatureSupport,
                                           (adapter->miniport_context, lent)));
}

static NTSTATUS query_interface_of(struct ddi_adapter *adapter,
                                   DXGKARG_QUERYFEATUREINTERFACE *asked)
{
    struct ddi_call call;

    ddi_enter_with(&call, adapter, POINT_QueryFeatureInterface, adapter->miniport_context, asked,
                   sizeof *asked, 0);
    DXGKARG_QUERYFEATUREINTERFACE *lent = ddi_lend(
        &call.lent, asked, sizeof *asked, "DXGKARG_QUERYFEATUREINTERFACE", DDI_LEND_ANSWERS);
    return ddi_leave(&call,
                     NT_CALL_DRIVER(NULL, adapter->negotiation.interface.QueryFeatureInterface,
                                    (adapter->miniport_context, lent)));
}

static void dereference(struct ddi_adapter *adapter, const DXGKDDI_FEATURE_INTERFACE *interface)
{
    struct ddi_call call;

    if (interface->InterfaceDereference) {
        ddi_enter_with(&call, adapter, POINT_FeatureInterfaceDereference, interface->Context, NULL,
                       0, 0);
        NT_CALL_DRIVER(NULL, interface->InterfaceDereference, (interface->Context));
        ddi_leave(&call, STATUS_SUCCESS);
    }
}

typedef NTSTATUS NTAPI add_value_fn(HANDLE adapter, DXGKARG_FEATURE_SAMPLE_ADDVALUE *value);

/* Both structures are an input and an output: one type for both functions. */
static void ask_sample(struct ddi_adapter *adapter, PVOID function, bool subtracts)
{
    struct contract_sample_call asked = {
        .subtracts = subtracts, .value = DDI_SAMPLE_VALUE, .input = 3 * DDI_SAMPLE_VALUE};
    DXGKARG_FEATURE_SAMPLE_ADDVALUE sum = {.InputValue = asked.input};
    struct ddi_call call;
    add_value_fn *add;
    NTSTATUS status;

    memcpy(&add, &function, sizeof add);
    ddi_enter_with(&call, adapter, POINT_FeatureSampleValue, adapter->miniport_context, &asked,
                   sizeof asked, 0);
    DXGKARG_FEATURE_SAMPLE_ADDVALUE *lent =
        ddi_lend(&call.lent, &sum, sizeof sum, "DXGKARG_FEATURE_SAMPLE_ADDVALUE", DDI_LEND_ANSWERS);
    status = NT_CALL_DRIVER(NULL, add, (adapter->miniport_context, lent));
    ddi_take_back(&call.lent);
    asked.output = sum.OutputValue;
    (void)ddi_leave(&call, status);
}

/* ---- The interface --------------------------------------------------------------------------- */

static bool is_usable(const DXGKDDI_FEATURE_INTERFACE *interface)
{
    return interface->Size == sizeof *interface &&
           interface->Version == DXGKDDI_FEATURE_INTERFACE_VERSION_1 &&
           interface->QueryFeatureSupport && interface->QueryFeatureInterface;
}

/* Its DeviceUid is the adapter's: a public driver wants that. */
static void take_interface(struct ddi_adapter *adapter)
{
    struct ddi_negotiation *negotiation = &adapter->negotiation;
    DXGKDDI_FEATURE_INTERFACE *interface;
    QUERY_INTERFACE query;

    if (negotiation->held || !ddi_has(adapter, POINT_QueryInterface) ||
        adapter->driver->version < contract_point_info(POINT_QueryFeatureSupport)->since) {
        return;
    }
    interface = nt_memory_hand(sizeof *interface, "Interface of QueryInterface");
    if (!interface) {
        return;
    }
    contract_canary_write(interface + 1);
    query = (QUERY_INTERFACE){.InterfaceType = &contract_feature_interface,
                              .Size = sizeof *interface,
                              .Version = DXGKDDI_FEATURE_INTERFACE_VERSION_1,
                              .Interface = (PINTERFACE)(void *)interface,
                              .DeviceUid = DISPLAY_ADAPTER_HW_ID};
    if (NT_SUCCESS(ddi_query_interface(adapter, &query))) {
        negotiation->held = true;
        negotiation->interface = *interface;
        negotiation->usable = is_usable(&negotiation->interface);
    }
    nt_memory_free(interface);
    adapter->driver->has[POINT_QueryFeatureSupport] =
        adapter->driver->has[POINT_QueryFeatureInterface] =
            adapter->driver->has[POINT_FeatureInterfaceDereference] = negotiation->usable;
}

/* ---- Agreeing -------------------------------------------------------------------------------- */

static void ask(struct ddi_adapter *adapter, unsigned place, bool with_permission)
{
    DXGKARG_QUERYFEATURESUPPORT asked = {.FeatureId = known[place].id,
                                         .AllowExperimental = with_permission};
    struct ddi_feature *feature = &adapter->negotiation.features[place];
    NTSTATUS status = query_support(adapter, &asked);
    UINT16 newest = asked.MaxSupportedVersion < known[place].newest ? asked.MaxSupportedVersion
                                                                    : known[place].newest;

    *feature = (struct ddi_feature){.by_driver = NT_SUCCESS(status) && asked.SupportedByDriver};
    feature->on_config = feature->by_driver && asked.SupportedOnCurrentConfig;
    if (!are_off && feature->on_config && newest >= known[place].least &&
        newest >= asked.MinSupportedVersion && asked.MinSupportedVersion != 0) {
        feature->version = newest;
    }
    record_count("callbacks.features_negotiated", 1);
}

/* The only feature with an interface that a page describes: its version 4 adds, 5 subtracts, too.
 * What they count with is what GetValue of the system's interface answers. */
static void try_sample(struct ddi_adapter *adapter, UINT16 version)
{
    size_t count = version == 4 ? 1 : version == 5 ? 2 : 0;
    PVOID *functions =
        count ? nt_memory_hand(count * sizeof *functions, "the feature's Interface") : NULL;
    DXGKARG_QUERYFEATUREINTERFACE asked = {.FeatureId = DXGK_FEATURE_SAMPLE,
                                           .Version = version,
                                           .InterfaceSize = (UINT16)(count * sizeof *functions),
                                           .Interface = functions};

    if (!functions) {
        return;
    }
    contract_canary_write(functions + count);
    NTSTATUS status = query_interface_of(adapter, &asked);
    adapter->driver->has[POINT_FeatureSampleValue] = NT_SUCCESS(status);
    PVOID given[2] = {0};
    memcpy(given, functions, NT_SUCCESS(status) ? count * sizeof *functions : 0);
    nt_memory_free(functions);
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        if (given[i]) {
            ask_sample(adapter, given[i], i == 1);
        }
    }
}

void ddi_negotiate(struct ddi_adapter *adapter)
{
    const struct ddi_feature *features = adapter->negotiation.features;

    take_interface(adapter);
    if (!adapter->negotiation.usable) {
        return;
    }
    /* Experimental ones are not wanted: that is how the driver is left. */
    for (unsigned i = 0; i < DDI_FEATURES; i++) {
        ask(adapter, i, true);
        ask(adapter, i, false);
    }
    if (features[place_of(DXGK_FEATURE_HWFLIPQUEUE)].version > 0) {
        ddi_allow_flip_queue(adapter);
    }
    try_sample(adapter, features[place_of(DXGK_FEATURE_SAMPLE)].version);
}

void ddi_negotiate_early(struct ddi_adapter *adapter, DXGK_FEATURE_ID id)
{
    if (ddi_current_point() == POINT_StartDevice && place_of(id) < DDI_FEATURES) {
        take_interface(adapter);
        if (adapter->negotiation.usable) {
            ask(adapter, place_of(id), false);
        }
    }
}

void ddi_negotiation_end(struct ddi_adapter *adapter)
{
    const DXGKDDI_FEATURE_INTERFACE interface = adapter->negotiation.interface;
    bool held = adapter->negotiation.held;

    adapter->negotiation = (struct ddi_negotiation){.held = false};
    if (held) {
        dereference(adapter, &interface);
    }
}

DXGK_ISFEATUREENABLED_RESULT ddi_feature_state(const struct ddi_adapter *adapter,
                                               DXGK_FEATURE_ID id)
{
    DXGK_ISFEATUREENABLED_RESULT result = {0};
    unsigned place = place_of(id);

    if (place == DDI_FEATURES) {
        return result;
    }
    const struct ddi_feature *feature = &adapter->negotiation.features[place];
    result.KnownFeature = 1;
    if (adapter->negotiation.usable) {
        result.Version = feature->version;
        result.Enabled = feature->version != 0;
        result.SupportedByDriver = feature->by_driver;
        result.SupportedOnCurrentConfig = feature->on_config;
    } else if (!are_off && (id == DXGK_FEATURE_NATIVE_FENCE ||
                            (id == DXGK_FEATURE_HWFLIPQUEUE && adapter->flip_queue_allowed))) {
        result.Version = result.Enabled = 1;
    }
    return result;
}

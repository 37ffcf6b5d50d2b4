/* Rules of the interface by which a driver tells what features it has, since WDDM 3.2. */
#include "contract/internal.h"

#include <string.h>

const GUID contract_feature_interface = {
    0x94bb3993, 0xc6c3, 0x4da7, {0x89, 0x49, 0xa1, 0x13, 0x82, 0x32, 0xe7, 0x59}};

bool contract_is_feature_query(const struct contract_call *call)
{
    const QUERY_INTERFACE *asked = call->before;

    return memcmp(asked->InterfaceType, &contract_feature_interface, sizeof(GUID)) == 0;
}

/* ---- The interface --------------------------------------------------------------------------- */

static bool offers(const struct contract_call *call)
{
    return has_succeeded(call) && contract_is_feature_query(call);
}

static bool interface_is_of_the_version(struct contract_call *call)
{
    const QUERY_INTERFACE *asked = call->before;
    const INTERFACE *got = asked->Interface;

    return (got->Size == asked->Size && got->Version == asked->Version) ||
           contract_say(call,
                        "Size and Version of the DXGKDDI_FEATURE_INTERFACE that was asked for",
                        "Size %u and Version %u, for %u bytes and version %u", got->Size,
                        got->Version, asked->Size, asked->Version);
}

static bool functions_are_set(struct contract_call *call)
{
    const QUERY_INTERFACE *asked = call->before;
    const DXGKDDI_FEATURE_INTERFACE *got =
        (const DXGKDDI_FEATURE_INTERFACE *)(const void *)asked->Interface;
    const char *missing = !got->InterfaceReference      ? "InterfaceReference"
                          : !got->InterfaceDereference  ? "InterfaceDereference"
                          : !got->QueryFeatureSupport   ? "QueryFeatureSupport"
                          : !got->QueryFeatureInterface ? "QueryFeatureInterface"
                                                        : NULL;

    return !missing || contract_say(call, "all functions of the interface that is returned",
                                    "%s is NULL", missing);
}

/* ---- What the driver tells ------------------------------------------------------------------- */

static bool says_supported(const struct contract_call *call)
{
    const DXGKARG_QUERYFEATURESUPPORT *told = call->arguments;

    return has_succeeded(call) && told->SupportedByDriver;
}

static bool versions_are_a_range(struct contract_call *call)
{
    const DXGKARG_QUERYFEATURESUPPORT *told = call->arguments;

    return (told->MinSupportedVersion != 0 &&
            told->MaxSupportedVersion >= told->MinSupportedVersion) ||
           contract_say(
               call, "versions from 1 on of a feature with SupportedByDriver, the least first",
               "MinSupportedVersion %u, MaxSupportedVersion %u for feature 0x%X",
               told->MinSupportedVersion, told->MaxSupportedVersion, (unsigned)told->FeatureId);
}

static const struct contract_feature *asked_about(const struct contract_call *call)
{
    const DXGKARG_QUERYFEATURESUPPORT *asked = call->before;

    return contract_feature_find(call->tracker, asked->FeatureId);
}

static bool is_without_permission(const struct contract_call *call)
{
    const DXGKARG_QUERYFEATURESUPPORT *asked = call->before;

    return has_succeeded(call) && !asked->AllowExperimental;
}

static bool experimental_is_unsupported(struct contract_call *call)
{
    const struct contract_feature *feature = asked_about(call);

    if (!feature || !feature->experimental) {
        return contract_no_case(call);
    }
    return !says_supported(call) ||
           contract_say(call, "an experimental feature unsupported with AllowExperimental FALSE",
                        "SupportedByDriver TRUE for feature 0x%X, whose DriverSupportState was "
                        "DXGK_FEATURE_SUPPORT_EXPERIMENTAL in DxgkCbQueryFeatureSupport",
                        (unsigned)feature->id);
}

static bool permission_takes_nothing(struct contract_call *call)
{
    const struct contract_feature *feature = asked_about(call);

    if (!feature || !feature->asked_with_permission) {
        return contract_no_case(call);
    }
    return feature->permitted || !says_supported(call) ||
           contract_say(call, "a supported feature supported with AllowExperimental TRUE, too",
                        "SupportedByDriver TRUE for feature 0x%X with AllowExperimental FALSE, and "
                        "not with TRUE",
                        (unsigned)feature->id);
}

/* The buffer has the size of what is asked for. */
static bool size_is_of_the_interface(struct contract_call *call)
{
    const DXGKARG_QUERYFEATUREINTERFACE *told = call->arguments, *asked = call->before;

    return told->InterfaceSize == asked->InterfaceSize ||
           contract_say(call, "InterfaceSize as the interface that is returned has it",
                        "InterfaceSize %u, and version %u of feature 0x%X has %u bytes",
                        told->InterfaceSize, asked->Version, (unsigned)asked->FeatureId,
                        asked->InterfaceSize);
}

static bool feature_functions_are_set(struct contract_call *call)
{
    const DXGKARG_QUERYFEATUREINTERFACE *asked = call->before;
    const void *const *functions = asked->Interface;

    for (unsigned i = 0; i < asked->InterfaceSize / sizeof *functions; i++) {
        if (!functions[i]) {
            return contract_say(call, "all functions of the feature's interface",
                                "function %u of version %u of feature 0x%X is NULL", i,
                                asked->Version, (unsigned)asked->FeatureId);
        }
    }
    return true;
}

static bool sample_counts(struct contract_call *call)
{
    const struct contract_sample_call *sample = call->arguments;
    UINT right = sample->subtracts ? sample->input - sample->value : sample->input + sample->value;

    return sample->output == right ||
           contract_say(call,
                        sample->subtracts ? "InputValue less what GetValue answers"
                                          : "InputValue and what GetValue answers",
                        "OutputValue %u of %s, for %u and %u", sample->output,
                        sample->subtracts ? "SubtractValue" : "AddValue", sample->input,
                        sample->value);
}

/* ---- The kernel ------------------------------------------------------------------------------ */

static bool feature_is_enabled(struct contract_call *call)
{
    const DXGKARG_QUERYFEATUREINTERFACE *asked = call->arguments;
    const struct contract_feature *feature = contract_feature_find(call->tracker, asked->FeatureId);

    return (feature && feature->enabled && asked->Version >= feature->least &&
            asked->Version <= feature->newest && asked->Interface) ||
           contract_say(call, "an interface of an enabled feature, in a version of the driver's",
                        "version %u of feature 0x%X", asked->Version, (unsigned)asked->FeatureId);
}

static bool is_given_back_once(struct contract_call *call)
{
    const struct contract_negotiation *negotiation = &call->tracker->negotiation;

    return (negotiation->held && call->first == negotiation->context) ||
           contract_say(call, "an interface that is held, by its Context", "Context %p",
                        call->first);
}

static bool nothing_is_held(struct contract_call *call)
{
    return !call->tracker->negotiation.held ||
           contract_say(call, "the feature interface given back", "it is still held");
}

static const struct contract_row rows[] = {
    AFTER(QIF_002, QueryInterface, interface_is_of_the_version, WHEN(offers)),
    AFTER(QIF_002, QueryInterface, functions_are_set, WHEN(offers)),
    AFTER(QIF_002, QueryInterface, UNTOUCHED_BEHIND(QUERY_INTERFACE, Interface, Size, 1),
          WHEN(contract_is_feature_query)),
    AFTER(FEATURE_001, QueryFeatureSupport, versions_are_a_range, WHEN(says_supported)),
    AFTER(FEATURE_002, QueryFeatureSupport, experimental_is_unsupported,
          WHEN(is_without_permission)),
    AFTER(FEATURE_003, QueryFeatureSupport, permission_takes_nothing, WHEN(is_without_permission)),
    AFTER(FEATURE_004, QueryFeatureInterface, size_is_of_the_interface, WHEN(has_succeeded)),
    AFTER(FEATURE_004, QueryFeatureInterface, feature_functions_are_set, WHEN(has_succeeded)),
    AFTER(FEATURE_004, QueryFeatureInterface,
          UNTOUCHED_BEHIND(DXGKARG_QUERYFEATUREINTERFACE, Interface, InterfaceSize, 1)),
    AFTER(FEATURE_007, FeatureSampleValue, sample_counts, WHEN(has_succeeded)),
    KERNEL(FEATURE_005, QueryFeatureInterface, feature_is_enabled),
    KERNEL(FEATURE_006, FeatureInterfaceDereference, is_given_back_once),
    KERNEL(FEATURE_006, StopDevice, nothing_is_held),
    KERNEL(FEATURE_006, StopDeviceAndReleasePostDisplayOwnership, nothing_is_held),
    KERNEL(FEATURE_006, RemoveDevice, nothing_is_held),
};

const struct contract_family contract_family_features = FAMILY_OF(rows);

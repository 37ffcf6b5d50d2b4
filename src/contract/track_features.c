/* Features: what the driver said of them by the interface that it hands out for that. */
#include "contract/internal.h"

#include <string.h>

struct contract_feature *contract_feature_find(struct contract_tracker *tracker, DXGK_FEATURE_ID id)
{
    for (unsigned i = 0; i < CONTRACT_FEATURES_MAX; i++) {
        struct contract_feature *feature = &tracker->negotiation.list[i];
        if (feature->known && feature->id == id) {
            return feature;
        }
    }
    return NULL;
}

static struct contract_feature *take_place(struct contract_tracker *tracker, DXGK_FEATURE_ID id)
{
    struct contract_feature *feature = contract_feature_find(tracker, id);

    for (unsigned i = 0; !feature && i < CONTRACT_FEATURES_MAX; i++) {
        if (!tracker->negotiation.list[i].known) {
            feature = &tracker->negotiation.list[i];
            *feature = (struct contract_feature){.known = true, .id = id};
        }
    }
    return feature;
}

void track_feature_declared(struct contract_call *call)
{
    const DXGKARGCB_QUERYFEATURESUPPORT *asked = call->arguments;
    struct contract_feature *feature = take_place(call->tracker, asked->FeatureId);

    if (feature) {
        feature->experimental = asked->DriverSupportState == DXGK_FEATURE_SUPPORT_EXPERIMENTAL;
    }
}

void track_interface(struct contract_call *call)
{
    const QUERY_INTERFACE *asked = call->before;

    if (contract_is_feature_query(call)) {
        call->tracker->negotiation.held = asked->Interface->InterfaceDereference != NULL;
        call->tracker->negotiation.context = asked->Interface->Context;
    }
}

void track_interface_given_back(struct contract_call *call)
{
    call->tracker->negotiation.held = false;
    memset(call->tracker->negotiation.list, 0, sizeof call->tracker->negotiation.list);
}

void track_feature_support(struct contract_call *call)
{
    const DXGKARG_QUERYFEATURESUPPORT *told = call->arguments, *asked = call->before;
    struct contract_feature *feature = take_place(call->tracker, asked->FeatureId);
    bool supported = NT_SUCCESS(call->status) && told->SupportedByDriver;

    if (feature) {
        feature->enabled = supported && told->SupportedOnCurrentConfig;
        feature->least = told->MinSupportedVersion;
        feature->newest = told->MaxSupportedVersion;
        feature->asked_with_permission = asked->AllowExperimental;
        feature->permitted = asked->AllowExperimental && supported;
    }
}

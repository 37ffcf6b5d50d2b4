/* The part of the tracker that is about features that drivers tell of, since WDDM 3.2. */
#ifndef CONTRACT_NEGOTIATION_H
#define CONTRACT_NEGOTIATION_H

#include <stdbool.h>

#include <d3dkmddi.h>

/* What the driver said of one: track_features.c. */
struct contract_feature {
    bool known; /* this place is taken */
    DXGK_FEATURE_ID id;
    bool experimental; /* by DriverSupportState of DxgkCbQueryFeatureSupport */
    bool enabled;      /* the newest answer has both booleans */
    UINT16 least, newest;
    bool asked_with_permission; /* by the call before */
    bool permitted;             /* and supported then */
};

#define CONTRACT_FEATURES_MAX 16

struct contract_negotiation {
    bool held;     /* an interface that is to be given back */
    PVOID context; /* of it */
    struct contract_feature list[CONTRACT_FEATURES_MAX];
};

struct contract_tracker;
/* NULL: nothing was said of it, or there is no place for more. */
struct contract_feature *contract_feature_find(struct contract_tracker *tracker,
                                               DXGK_FEATURE_ID id);

#endif

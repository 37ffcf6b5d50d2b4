/* The part of the tracker that is about power components. */
#ifndef CONTRACT_COMPONENTS_H
#define CONTRACT_COMPONENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "contract/contract.h"

/* What the driver said of its power components, and was asked of them: track_power.c. */
#define CONTRACT_COMPONENTS_MAX 64

struct contract_component {
    bool known;        /* described */
    bool completes;    /* DriverCompletesFStateTransition */
    bool moving;       /* asked for another state, and not there yet */
    UINT states;       /* how many it has */
    UINT state;        /* it was asked for */
    uint64_t since_ns; /* moving */
    unsigned holds;    /* of DxgkCbSetPowerComponentActive */
    UINT type, mapped; /* of ComponentMapping, and the number in it */
};

struct contract_components {
    UINT count; /* the driver says; more than are kept here are not judged */
    enum contract_runtime told;
    bool older; /* a life of the device that nobody followed may have left some held */
    struct contract_component list[CONTRACT_COMPONENTS_MAX];
};

#endif

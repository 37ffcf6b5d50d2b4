/* A driver's power components, as components.c moves them and components_ask.c asks for them. */
#ifndef DXGK_COMPONENTS_INTERNAL_H
#define DXGK_COMPONENTS_INTERNAL_H

#include "dxgk/work.h"

struct dxgk_component {
    DXGK_POWER_RUNTIME_COMPONENT info;
    UINT state;        /* F-state that the driver was asked for last */
    UINT from;         /* the one before, if nothing has ended on the engine since */
    unsigned users;    /* of the kernel's, who need it now */
    unsigned holds;    /* the driver's */
    bool moving;       /* the call, or what the driver does about it, is not over */
    bool called;       /* DxgkDdiSetPowerComponentFState has not returned */
    bool handed;       /* another thread is about to, or has not come back */
    bool early;        /* work came when the driver had said that it is there, and was inside */
    bool visited;      /* while providers are followed */
    uint64_t moved_ns; /* when it was asked to, and the call was over */
};

struct dxgk_components {
    struct dxgk_adapter *adapter;
    UINT count;
    struct wait_queue changed; /* one is not moving any more, or its call is over */
    struct machine_timer timer;
    bool armed, due;
    bool ends; /* none rests any more */
    bool dark; /* the monitors are at rest */
    struct dxgk_component list[];
};

#endif

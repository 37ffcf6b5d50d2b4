/* reset_client.h: a client whose adapter is reset at every point that may switch of a road. */
#ifndef TESTS_DXGK_RESET_CLIENT_H
#define TESTS_DXGK_RESET_CLIENT_H

#include "drydock/workload.h"

enum reset_road {
    RESET_RENDER,
    RESET_PRESENT,
    RESET_GDI,
    RESET_PAGING, /* more than fits: evictions and the way back */
    RESET_FLIP,
    RESET_SHOW,
    RESET_OVERLAY,
    RESET_SYNC,
    RESET_READ, /* no road: a client reads what a reset clears */
    RESET_ROAD_COUNT
};

/* Chosen before the run. */
extern enum reset_road reset_road;
extern const struct drydock_workload reset_client;

#endif

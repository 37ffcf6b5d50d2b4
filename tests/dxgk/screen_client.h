/* screen_client.h: somebody changes what the screen shows at every point of another's change. */
#ifndef TESTS_DXGK_SCREEN_CLIENT_H
#define TESTS_DXGK_SCREEN_CLIENT_H

#include "drydock/workload.h"

enum screen_call {
    SCREEN_SHOW,    /* a mode change to the other's own primary */
    SCREEN_FLIP,    /* to it */
    SCREEN_DESTROY, /* of the primary that is shown when he begins */
    SCREEN_SMALLER, /* as SHOW, and his primary is of the smallest mode */
    SCREEN_TURN     /* of the primary that is shown when he begins, by 180 degrees */
};

/* Chosen before the run: who is visited, and what the visitor does. */
extern enum screen_call screen_caller, screen_visitor;
extern const struct drydock_workload screen_client;

#endif

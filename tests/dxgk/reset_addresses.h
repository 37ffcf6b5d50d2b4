/* reset_addresses.h: as reset_client.h, of the roads that need GPU virtual addresses. */
#ifndef TESTS_DXGK_RESET_ADDRESSES_H
#define TESTS_DXGK_RESET_ADDRESSES_H

#include "drydock/workload.h"

enum reset_addressed_road {
    RESET_SUBMISSION, /* by virtual address */
    RESET_UPDATE,     /* of addresses, behind work and before it */
    RESET_QUEUED,     /* a Present by a hardware queue */
    RESET_DRAWN,      /* for GDI */
    RESET_SWITCH,     /* to the null context, before a context's memory goes with it */
};

/* Chosen before the run. */
extern enum reset_addressed_road reset_addressed_road;
extern const struct drydock_workload reset_addresses;

#endif

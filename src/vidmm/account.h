/* Accounts: who pays. One for each process on an adapter.
 *
 * What can be placed in a group of segments is shared out evenly among the accounts. That is no
 * limit: under pressure, those who have more than their share give up first. */
#ifndef VIDMM_ACCOUNT_H
#define VIDMM_ACCOUNT_H

#include <stdint.h>

#include "base/list.h"
#include "vidmm/segment.h"

struct vidmm;

struct vidmm_account {
    struct vidmm *vidmm;

    /* vidmm->lock. */
    struct list link;
    uint64_t budget_bytes[VIDMM_GROUP_COUNT]; /* its share */
    uint64_t usage_bytes[VIDMM_GROUP_COUNT];  /* placed in segments of the group */
    /* On residency lists: in all, and of that what can be in no other group. */
    uint64_t demand_bytes, group_demand_bytes[VIDMM_GROUP_COUNT];
};

void vidmm_account_init(struct vidmm_account *account, struct vidmm *vidmm);
/* Allocations that are left, since other processes use them too, count for nobody from then on.
 * Accepts a zeroed struct. */
void vidmm_account_fini(struct vidmm_account *account);

#endif

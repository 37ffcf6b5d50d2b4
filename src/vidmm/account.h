/* Accounts: who pays. One for each process on an adapter.
 *
 * What can be placed in a group of segments is shared out evenly among the accounts, behind what
 * they have reserved. That is no limit: under pressure, those who have more than their share give
 * up first. */
#ifndef VIDMM_ACCOUNT_H
#define VIDMM_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/status.h"
#include "vidmm/segment.h"

struct vidmm;

struct vidmm_account {
    struct vidmm *vidmm;

    /* vidmm->lock. */
    struct list link;
    uint64_t budget_bytes[VIDMM_GROUP_COUNT];      /* its share, with what it reserved */
    uint64_t reservation_bytes[VIDMM_GROUP_COUNT]; /* of that, whatever others do */
    uint64_t usage_bytes[VIDMM_GROUP_COUNT];       /* placed in segments of the group */
    /* On residency lists: in all, and of that what can be in no other group. */
    uint64_t demand_bytes, group_demand_bytes[VIDMM_GROUP_COUNT];
};

void vidmm_account_init(struct vidmm_account *account, struct vidmm *vidmm);
/* Allocations that are left, since other processes use them too, count for nobody from then on.
 * Accepts a zeroed struct. */
void vidmm_account_fini(struct vidmm_account *account);

struct vidmm_account_info {
    uint64_t budget_bytes, usage_bytes, reservation_bytes;
    uint64_t reservable_bytes; /* what it could reserve in all */
};
void vidmm_account_info(struct vidmm_account *account, enum vidmm_group group,
                        struct vidmm_account_info *out);
/* By how much what it wants in place is more than its share now: of a group, of its own, or of all
 * together. */
uint64_t vidmm_account_over(struct vidmm_account *account);
/* Numbers that grow: whenever shares change, and whenever something leaves its place for somebody
 * else's sake. */
struct vidmm_pressure {
    uint64_t share_changes, evictions;
};
void vidmm_pressure(struct vidmm *vidmm, struct vidmm_pressure *out);
/* Instead of what it had reserved. INVALID_PARAMETER: more than it can; nothing changes. */
NTSTATUS MUST_CHECK vidmm_account_reserve(struct vidmm_account *account, enum vidmm_group group,
                                          uint64_t bytes);

struct vidmm_trim {
    uint64_t wanted_bytes;
    bool only_out; /* leave alone what has its place still */
};
/* Throws away what it has offered, the oldest first, until so many bytes are gone; how many are.
 * CPU locks and work that runs keep what they look at. */
uint64_t vidmm_account_trim(struct vidmm_account *account, const struct vidmm_trim *trim);

#endif

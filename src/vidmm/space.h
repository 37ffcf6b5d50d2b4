/* Spaces: who pays. One for each process on an adapter; GPU virtual addresses will live here.
 *
 * What can be placed in a group of segments is shared out evenly among the spaces. That is no
 * limit: under pressure, those who have more than their share give up first. */
#ifndef VIDMM_SPACE_H
#define VIDMM_SPACE_H

#include <stdint.h>

#include "base/list.h"
#include "vidmm/segment.h"

struct vidmm;

struct vidmm_space {
    struct vidmm *vidmm;

    /* vidmm->lock. */
    struct list link;
    uint64_t budget_bytes[VIDMM_GROUP_COUNT]; /* its share */
    uint64_t usage_bytes[VIDMM_GROUP_COUNT];  /* placed in segments of the group */
};

void vidmm_space_init(struct vidmm_space *space, struct vidmm *vidmm);
/* Allocations that are left, since other processes use them too, count for nobody from then on.
 * Accepts a zeroed struct. */
void vidmm_space_fini(struct vidmm_space *space);

#endif

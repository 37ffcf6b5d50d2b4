/* support.h: somebody else's turn at a chosen point that may switch of a task's call. */
#ifndef TESTS_DXGK_SUPPORT_H
#define TESTS_DXGK_SUPPORT_H

#include <stdbool.h>

#include "machine/machine.h"

/* At the point with number `wanted` of the caller's call, counted from 0, the visitor goes as far
 * as he gets without the caller. */
struct points {
    struct task *caller, *visitor;
    unsigned wanted, reached;
    bool at_block; /* also at the first that blocks, whatever its number */
    bool fired, visiting;
    bool over; /* set by the visitor when he is done */
};

/* From here on the points of the running task are counted; the visitor is in points_wait(). */
void points_begin(struct points *points);
/* To here. True: the call had the point. The visitor has his turn now at the latest. */
bool points_end(struct points *points);
/* The visitor's task: until it is its turn. */
void points_wait(struct points *points);

#endif

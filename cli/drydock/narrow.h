/* Narrowing: which variations of a set a finding needs.
 *
 * A set in which something is seen becomes smaller by trials, each of which is a whole run. Trials
 * are dear and come two at a time, so the order is fixed and a search goes by thirds: of a set in
 * which one of n is needed it takes about 2 log3 n trials, and as many for each further one. */
#ifndef NARROW_H
#define NARROW_H

#include <stdbool.h>

#include "machine/vary.h"

#define NARROW_AT_ONCE 2

struct narrowing {
    /* Is it seen with each of these sets? Takes the answers into seen[] and returns how many there
     * are, of the first ones: fewer when trials run out, 0 when there are no more. */
    unsigned (*try_sets)(void *context, const struct vary_set *sets, unsigned count, bool *seen);
    void *context;
};

/* In: a set with which it is seen. Out: the smallest that the trials came to; with each set that is
 * given back it was seen. True: the search came to its end, and without the last that was found it
 * is not seen. */
bool narrow(const struct narrowing *narrowing, struct vary_set *set);

#endif

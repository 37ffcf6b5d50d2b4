/* The second lock of a driver's process; see seal.c. */
#ifndef SEAL_H
#define SEAL_H

#include <stdbool.h>
#include <stdint.h>

#define SEAL_RANGES_MAX 96u

struct seal_range {
    uint64_t begin, end; /* addresses; end is behind it */
};

struct seal_ranges {
    struct seal_range at[SEAL_RANGES_MAX];
    unsigned count;
    bool full;
};

/* What was in memory before the driver: code from which system calls may be made, and all that
 * nobody may unmap, move or cover. */
struct seal {
    struct seal_ranges code, kept;
};

/* Looks at what is there; while files can be opened. False: it cannot be known. */
bool seal_prepare(struct seal *seal);
/* Shuts the lock for good. False: the running kernel does not take it. */
bool seal_close(const struct seal *seal);

#endif

/* Policies: the order of eviction among allocations of the same priority. */
#ifndef VIDMM_POLICY_H
#define VIDMM_POLICY_H

#include <stdint.h>

/* What policies know of an allocation. Ticks count prepares. */
struct vidmm_history {
    uint64_t size_bytes;
    uint64_t last_tick; /* of the last use; 0: never */
    uint64_t interval;  /* smoothed ticks between uses; 0: unknown */
    uint64_t latest[2]; /* ticks between the last uses, and between those before; 0: unknown */
    uint64_t off[2];    /* how far off an estimate was: the smoothed one, and that of turns */
    uint64_t use_count;
    uint64_t placed_tick;
};

struct vidmm_policy {
    const char *name;
    /* The allocation is used at `tick`. Comes before history->last_tick and use_count change. */
    void (*used)(struct vidmm_history *history, uint64_t tick);
    /* Greater goes first. Equal: older placement goes first. */
    uint64_t (*value)(const struct vidmm_history *history, uint64_t tick);
};
extern const struct vidmm_policy vidmm_policy_lru;
extern const struct vidmm_policy vidmm_policy_etr; /* estimated time remaining; the default */
extern const struct vidmm_policy vidmm_policy_mru;

#endif

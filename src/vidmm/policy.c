/* Policies of eviction.
 *
 * ETR, the default, estimates when an allocation is used next: its last use plus the smoothed time
 * between uses. The one that is farthest from that moment goes: either its use is far in the
 * future, or it is long overdue and therefore dead. (After Shah, Jain, Lin: "Effective Mimicry of
 * Belady's MIN Policy", HPCA 2022, moved from cache lines to allocations.) */
#include "vidmm/policy.h"

static void no_used(struct vidmm_history *history, uint64_t tick)
{
}

static uint64_t lru_value(const struct vidmm_history *history, uint64_t tick)
{
    return tick - history->last_tick;
}

static uint64_t mru_value(const struct vidmm_history *history, uint64_t tick)
{
    return history->last_tick;
}

static void etr_used(struct vidmm_history *history, uint64_t tick)
{
    if (history->last_tick == 0) {
        return;
    }
    uint64_t interval = tick - history->last_tick;
    history->interval = history->interval == 0 ? interval : (history->interval + interval + 1) / 2;
}

static uint64_t etr_value(const struct vidmm_history *history, uint64_t tick)
{
    uint64_t age = tick - history->last_tick;

    /* Used once: nothing is known, so it counts as overdue by its age. */
    if (history->interval == 0) {
        return age;
    }
    return history->interval > age ? history->interval - age : age - history->interval;
}

const struct vidmm_policy vidmm_policy_lru = {"lru", no_used, lru_value};
const struct vidmm_policy vidmm_policy_mru = {"mru", no_used, mru_value};
const struct vidmm_policy vidmm_policy_etr = {"etr", etr_used, etr_value};

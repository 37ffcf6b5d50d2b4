/* Policies of eviction.
 *
 * ETR, the default, estimates when an allocation is used next: its last use plus the smoothed time
 * between uses, or the one before last where uses take turns. The one that is farthest from that
 * moment goes: either its use is far in the future, or it is long overdue and therefore dead.
 * (After Shah, Jain, Lin: "Effective Mimicry of Belady's MIN Policy", HPCA 2022, moved from cache
 * lines to allocations.) */
#include "vidmm/policy.h"

#include <stdbool.h>

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

/* ---- ETR ------------------------------------------------------------------------------------- */

enum { SMOOTHED, TURNS }; /* estimates: places in history->off */

static uint64_t difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static void note_error(uint64_t *off, uint64_t estimate, uint64_t interval)
{
    *off = (3 * *off + difference(estimate, interval)) / 4;
}

static void etr_used(struct vidmm_history *history, uint64_t tick)
{
    if (history->last_tick == 0) {
        return;
    }
    uint64_t interval = tick - history->last_tick;
    if (history->latest[1]) {
        note_error(&history->off[SMOOTHED], history->interval, interval);
        note_error(&history->off[TURNS], history->latest[1], interval);
    }
    history->interval = history->interval == 0 ? interval : (history->interval + interval + 1) / 2;
    history->latest[1] = history->latest[0];
    history->latest[0] = interval;
}

/* Who goes there and back over what he has comes by after a short time and a long one in turns, as
 * the one before last was. That is believed where it was clearly the better estimate. */
static uint64_t etr_estimate(const struct vidmm_history *history)
{
    bool turns = history->latest[1] && 2 * history->off[TURNS] <= history->off[SMOOTHED];

    return turns ? history->latest[1] : history->interval;
}

static uint64_t etr_value(const struct vidmm_history *history, uint64_t tick)
{
    uint64_t age = tick - history->last_tick;

    /* Used once: nothing is known, so it counts as overdue by its age. */
    return history->interval == 0 ? age : difference(etr_estimate(history), age);
}

const struct vidmm_policy vidmm_policy_lru = {"lru", no_used, lru_value};
const struct vidmm_policy vidmm_policy_mru = {"mru", no_used, mru_value};
const struct vidmm_policy vidmm_policy_etr = {"etr", etr_used, etr_value};

/* What a scheduling log says against what the driver was told of bands, quanta and grace periods
 * [HWQ-030 to HWQ-035]. Advice: a GPU has some leeway in all of it, and knows of waits that nobody
 * else sees. So a case alone says nothing; what is told is what most of several show.
 *
 *   RUNNING of A   ─ somebody better is READY ─────────────> the order
 *   READY of A, and RUNNING of B right behind it ──────────> A was preempted by B: how long it ran,
 *                                                            and how long B had waited
 *   A runs, and B that comes before it is READY ───────────> how long it goes on
 *
 * Contexts are unknown until they are named, and again when something changed that the log does not
 * tell: their places, a suspension, a reset, a gap. */
#ifndef DXGK_SCHEDULE_JUDGE_H
#define DXGK_SCHEDULE_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include <d3dkmddi.h>

struct dxgk_adapter;
struct dxgk_hwcontext;
struct dxgk_process;

/* Of a hardware context: what its node's log said of it last. */
struct dxgk_logged {
    DXGK_SCHEDULING_LOG_CONTEXT_STATE state;
    uint64_t since_ns, epoch; /* known, if the epoch is the node's */
};

enum dxgk_period {
    PERIOD_GRACE_OF_BAND, /* of the one that preempts; by the band */
    PERIOD_GRACE_OF_BAND_LAST = PERIOD_GRACE_OF_BAND + DXGK_SCHEDULING_PRIORITY_BAND_COUNT - 1,
    PERIOD_OF_PROCESS, /* likewise */
    PERIOD_OF_PROCESS_LAST = PERIOD_OF_PROCESS + DXGK_SCHEDULING_PRIORITY_BAND_COUNT - 1,
    PERIOD_GRACE_OF_LOWER,
    PERIOD_QUANTUM,
    PERIOD_COUNT
};

/* The cases of one period. */
struct dxgk_tally {
    unsigned cases, early, late;
    uint64_t longest_early_ns, shortest_late_ns;
};

/* Of a node. */
struct dxgk_schedule_judge {
    uint64_t epoch;
    struct dxgk_hwcontext *running, *left; /* left: READY by the last entry, after it had run */
    /* Who ran last, and since when nobody else has; and so of the process. */
    const struct dxgk_hwcontext *turn;
    const struct dxgk_process *process;
    uint64_t turn_since_ns, process_since_ns;
    struct dxgk_tally tallies[PERIOD_COUNT];
    unsigned choices, wrong_choices;
    DXGK_SCHEDULING_PRIORITY_BAND wrong_band, better_band; /* of the last */
    int wrong_priority, better_priority;
    /* While FOCUS and NORMAL both have work. */
    uint64_t last_ns, shared_ns, normal_ns;
    unsigned starved, shared;
};

struct dxgk_logged_entry {
    struct dxgk_hwcontext *context;
    DXGK_SCHEDULING_LOG_CONTEXT_STATE state;
    uint64_t at_ns; /* by the GPU's clock */
};

void dxgk_judge_entry(struct dxgk_adapter *adapter, struct dxgk_schedule_judge *judge,
                      const struct dxgk_logged_entry *entry);
void dxgk_judge_forget(struct dxgk_schedule_judge *judge);
/* The context is about to end. */
void dxgk_judge_gone(struct dxgk_schedule_judge *judge, const struct dxgk_hwcontext *context);
/* At the end of the log. */
void dxgk_judge_tell(const struct dxgk_adapter *adapter, const struct dxgk_schedule_judge *judge,
                     unsigned node);

#endif

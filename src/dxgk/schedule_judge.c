/* Bands and quanta, by what a scheduling log says; see schedule_judge.h. */
#include "dxgk/schedule_judge.h"
#include "dxgk/bands.h"
#include "dxgk/hwqueue_parts.h"

#include <inttypes.h>

#define IDLE     DXGK_SCHEDULING_PRIORITY_BAND_IDLE
#define NORMAL   DXGK_SCHEDULING_PRIORITY_BAND_NORMAL
#define FOCUS    DXGK_SCHEDULING_PRIORITY_BAND_FOCUS
#define REALTIME DXGK_SCHEDULING_PRIORITY_BAND_REALTIME

#define CASES_MIN    4u
#define SLACK_NS     UINT64_C(1000000)  /* beyond twice the time: where a GPU can stop */
#define TOGETHER_NS  UINT64_C(50000)    /* what may be behind each other in a log */
#define SHARED_NS    UINT64_C(40000000) /* in which NORMAL should have had its share */
#define SHARE_FACTOR 3                  /* that it may be less */

/* ---- What is known --------------------------------------------------------------------------- */

static bool is_known(const struct dxgk_schedule_judge *judge, const struct dxgk_hwcontext *context)
{
    return context->logged.epoch == judge->epoch && context->place.told &&
           context->stop == VIDSCH_QUEUE_GOES;
}

static bool waits(const struct dxgk_schedule_judge *judge, const struct dxgk_hwcontext *context)
{
    return is_known(judge, context) &&
           context->logged.state >= DXGK_SCHEDULING_LOG_CONTEXT_STATE_READY;
}

static const struct dxgk_process *process_of(const struct dxgk_hwcontext *context)
{
    return context->base.device->process;
}

/* Above 0: a comes before b, whatever their turns are. */
static int before(const struct dxgk_hwcontext *a, const struct dxgk_hwcontext *b)
{
    if (a->place.band != b->place.band) {
        return (int)a->place.band - (int)b->place.band;
    }
    if (a->place.band == REALTIME && a->place.level != b->place.level) {
        return a->place.level - b->place.level;
    }
    return process_of(a) == process_of(b) ? a->place.in_process - b->place.in_process : 0;
}

/* NORMAL may have its turn before FOCUS, for its share. */
static bool is_share(const struct dxgk_hwcontext *lower, const struct dxgk_hwcontext *higher)
{
    return lower->place.band == NORMAL && higher->place.band == FOCUS;
}

/* ---- How long -------------------------------------------------------------------------------- */

/* What the one that leaves may expect of the one that comes, and the longest that is right. */
struct allowance {
    enum dxgk_period period;
    uint64_t least_ns, most_ns;
};

static bool allowance_of(const struct dxgk_hwcontext *leaver, const struct dxgk_hwcontext *comer,
                         struct allowance *out)
{
    DXGK_SCHEDULING_PRIORITY_BAND band = comer->place.band;
    const struct dxgk_band *values = &dxgk_bands[band];
    int order = before(comer, leaver);

    if (order < 0 || (order > 0 && band == leaver->place.band && band == REALTIME)) {
        return false; /* a share, or a level of REALTIME, of which no period speaks */
    }
    if (band != leaver->place.band) {
        *out = (struct allowance){PERIOD_GRACE_OF_BAND + band, values->grace_ns, values->grace_ns};
    } else if (order > 0) {
        *out = (struct allowance){PERIOD_GRACE_OF_LOWER, DXGK_GRACE_LOWER_NS, DXGK_GRACE_LOWER_NS};
    } else if (process_of(leaver) != process_of(comer)) {
        *out = (struct allowance){PERIOD_OF_PROCESS + band, values->process_quantum_ns,
                                  values->process_quantum_ns + values->process_grace_ns};
    } else {
        *out = (struct allowance){PERIOD_QUANTUM, DXGK_QUANTUM_NS,
                                  DXGK_QUANTUM_NS + DXGK_GRACE_SAME_NS};
    }
    return true;
}

static bool is_grace(enum dxgk_period period)
{
    return period <= PERIOD_GRACE_OF_BAND_LAST || period == PERIOD_GRACE_OF_LOWER;
}

/* ---- The order ------------------------------------------------------------------------------- */

/* Between its buffers it was READY, and nobody else ran: it goes on for its grace period, which is
 * judged when it leaves. */
static bool goes_on(const struct dxgk_schedule_judge *judge, const struct dxgk_hwcontext *chosen,
                    const struct dxgk_hwcontext *better, uint64_t at_ns)
{
    struct allowance allowance;

    return judge->turn == chosen && judge->left == chosen &&
           allowance_of(chosen, better, &allowance) && is_grace(allowance.period) &&
           at_ns <= better->logged.since_ns + 2 * allowance.most_ns;
}

static int priority_in(const struct dxgk_hwcontext *context)
{
    return context->place.band == REALTIME ? context->place.level : context->place.in_process;
}

static void look_at_choice(struct dxgk_adapter *adapter, struct dxgk_schedule_judge *judge,
                           const struct dxgk_logged_entry *entry)
{
    const struct dxgk_hwcontext *chosen = entry->context, *better = NULL;
    bool any = false;

    list_for_each (outer, &adapter->devices) {
        struct dxgk_device *device = container_of(outer, struct dxgk_device, life.link);
        list_for_each (link, &device->contexts) {
            struct dxgk_context *base = container_of(link, struct dxgk_context, life.link);
            if (base->life.kind != DXGK_KIND_HW_CONTEXT || base->node != chosen->base.node ||
                base == &chosen->base) {
                continue;
            }
            const struct dxgk_hwcontext *other = dxgk_hwcontext_of(base);
            if (!waits(judge, other)) {
                continue;
            }
            any |= before(other, chosen) != 0;
            if (before(other, chosen) > 0 && !is_share(chosen, other) &&
                !goes_on(judge, chosen, other, entry->at_ns) &&
                entry->at_ns >= other->logged.since_ns + TOGETHER_NS) {
                better = other;
            }
        }
    }
    judge->choices += any;
    if (better) {
        judge->wrong_choices++;
        judge->wrong_band = chosen->place.band;
        judge->better_band = better->place.band;
        judge->wrong_priority = priority_in(chosen);
        judge->better_priority = priority_in(better);
    }
}

/* ---- Their time ------------------------------------------------------------------------------ */

static void count_late(struct dxgk_tally *tally, const struct allowance *allowance, uint64_t ns)
{
    if (ns > 2 * allowance->most_ns + SLACK_NS) {
        tally->late++;
        tally->shortest_late_ns =
            tally->shortest_late_ns && tally->shortest_late_ns < ns ? tally->shortest_late_ns : ns;
    }
}

static void count_early(struct dxgk_tally *tally, const struct allowance *allowance, uint64_t ns)
{
    if (ns < allowance->least_ns / 4 * 3) {
        tally->early++;
        tally->longest_early_ns = tally->longest_early_ns > ns ? tally->longest_early_ns : ns;
    }
}

/* The next one runs right behind it, with work left. */
static void look_at_preemption(struct dxgk_schedule_judge *judge,
                               const struct dxgk_hwcontext *comer, uint64_t at_ns)
{
    const struct dxgk_hwcontext *leaver = judge->left;
    struct allowance allowance;

    if (!waits(judge, leaver) || !waits(judge, comer) ||
        leaver->logged.since_ns + TOGETHER_NS < at_ns || !allowance_of(leaver, comer, &allowance)) {
        return;
    }
    struct dxgk_tally *tally = &judge->tallies[allowance.period];
    uint64_t left_ns = leaver->logged.since_ns, came_ns = comer->logged.since_ns;
    bool of_process =
        allowance.period >= PERIOD_OF_PROCESS && allowance.period <= PERIOD_OF_PROCESS_LAST;
    uint64_t began_ns = of_process ? judge->process_since_ns : judge->turn_since_ns;
    uint64_t both_ns = came_ns > began_ns ? came_ns : began_ns;

    if (came_ns > left_ns || (is_grace(allowance.period) && came_ns <= began_ns)) {
        return; /* it left for another reason */
    }
    tally->cases++;
    count_early(tally, &allowance, left_ns - (is_grace(allowance.period) ? both_ns : began_ns));
    count_late(tally, &allowance, left_ns - both_ns);
}

/* It ended by itself; who came meanwhile has waited for longer than it should. */
static void look_at_end(struct dxgk_adapter *adapter, struct dxgk_schedule_judge *judge,
                        const struct dxgk_logged_entry *entry)
{
    const struct dxgk_hwcontext *leaver = entry->context;
    uint64_t began_ns = judge->turn_since_ns;

    list_for_each (outer, &adapter->devices) {
        struct dxgk_device *device = container_of(outer, struct dxgk_device, life.link);
        list_for_each (link, &device->contexts) {
            struct dxgk_context *base = container_of(link, struct dxgk_context, life.link);
            struct allowance allowance;
            if (base->life.kind != DXGK_KIND_HW_CONTEXT || base->node != leaver->base.node ||
                base == &leaver->base || !waits(judge, dxgk_hwcontext_of(base)) ||
                !allowance_of(leaver, dxgk_hwcontext_of(base), &allowance)) {
                continue;
            }
            uint64_t came_ns = dxgk_hwcontext_of(base)->logged.since_ns;
            uint64_t both_ns = came_ns > began_ns ? came_ns : began_ns;
            struct dxgk_tally *tally = &judge->tallies[allowance.period];
            unsigned late = tally->late;
            count_late(tally, &allowance, entry->at_ns > both_ns ? entry->at_ns - both_ns : 0);
            tally->cases += tally->late - late;
        }
    }
}

/* ---- The share of NORMAL --------------------------------------------------------------------- */

static bool band_has_work(struct dxgk_adapter *adapter, const struct dxgk_schedule_judge *judge,
                          const struct dxgk_logged_entry *entry, DXGK_SCHEDULING_PRIORITY_BAND band)
{
    list_for_each (outer, &adapter->devices) {
        struct dxgk_device *device = container_of(outer, struct dxgk_device, life.link);
        list_for_each (link, &device->contexts) {
            struct dxgk_context *base = container_of(link, struct dxgk_context, life.link);
            if (base->life.kind != DXGK_KIND_HW_CONTEXT ||
                base->node != entry->context->base.node) {
                continue;
            }
            const struct dxgk_hwcontext *other = dxgk_hwcontext_of(base);
            if (is_known(judge, other) && other->place.band == band &&
                other->logged.state != DXGK_SCHEDULING_LOG_CONTEXT_STATE_IDLE) {
                return true;
            }
        }
    }
    return false;
}

/* The time since the last entry, as things were then. */
static void count_share(struct dxgk_adapter *adapter, struct dxgk_schedule_judge *judge,
                        const struct dxgk_logged_entry *entry)
{
    uint64_t ns = entry->at_ns > judge->last_ns ? entry->at_ns - judge->last_ns : 0;
    const struct dxgk_hwcontext *running = judge->running;

    if (judge->last_ns == 0 || !band_has_work(adapter, judge, entry, NORMAL) ||
        !band_has_work(adapter, judge, entry, FOCUS)) {
        judge->shared_ns = judge->normal_ns = 0;
    } else {
        bool ours = running && is_known(judge, running);
        judge->shared_ns += ours && running->place.band <= FOCUS ? ns : 0;
        judge->normal_ns += ours && running->place.band == NORMAL ? ns : 0;
    }
    judge->last_ns = entry->at_ns;
    if (judge->shared_ns >= SHARED_NS) {
        judge->shared++;
        judge->starved +=
            judge->normal_ns * 100 * SHARE_FACTOR < judge->shared_ns * DXGK_NORMAL_PERCENT;
        judge->shared_ns = judge->normal_ns = 0;
    }
}

/* ---- Entries --------------------------------------------------------------------------------- */

static void begins(struct dxgk_adapter *adapter, struct dxgk_schedule_judge *judge,
                   const struct dxgk_logged_entry *entry)
{
    look_at_choice(adapter, judge, entry);
    if (judge->left && judge->left != entry->context) {
        look_at_preemption(judge, entry->context, entry->at_ns);
    }
    if (judge->turn != entry->context) {
        judge->turn = entry->context;
        judge->turn_since_ns = entry->at_ns;
    }
    if (judge->process != process_of(entry->context) || judge->process_since_ns == 0) {
        judge->process = process_of(entry->context);
        judge->process_since_ns = entry->at_ns;
    }
    judge->running = entry->context;
    judge->left = NULL;
}

static void ends(struct dxgk_adapter *adapter, struct dxgk_schedule_judge *judge,
                 const struct dxgk_logged_entry *entry)
{
    if (!is_known(judge, entry->context)) {
        return;
    }
    if (entry->state == DXGK_SCHEDULING_LOG_CONTEXT_STATE_IDLE) {
        look_at_end(adapter, judge, entry);
        judge->left = NULL;
    } else {
        judge->left = entry->context;
    }
}

void dxgk_judge_entry(struct dxgk_adapter *adapter, struct dxgk_schedule_judge *judge,
                      const struct dxgk_logged_entry *entry)
{
    struct dxgk_logged *logged = &entry->context->logged;
    bool ran = judge->running == entry->context &&
               logged->state == DXGK_SCHEDULING_LOG_CONTEXT_STATE_RUNNING;

    count_share(adapter, judge, entry);
    if (entry->state == DXGK_SCHEDULING_LOG_CONTEXT_STATE_RUNNING) {
        begins(adapter, judge, entry);
    } else if (ran) {
        ends(adapter, judge, entry);
        judge->running = NULL;
    }
    /* From READY to READY_STANDBY it waits on. */
    if (logged->epoch != judge->epoch ||
        entry->state != DXGK_SCHEDULING_LOG_CONTEXT_STATE_READY_STANDBY ||
        logged->state != DXGK_SCHEDULING_LOG_CONTEXT_STATE_READY) {
        logged->since_ns = entry->at_ns;
    }
    logged->state = entry->state;
    logged->epoch = judge->epoch;
}

void dxgk_judge_forget(struct dxgk_schedule_judge *judge)
{
    judge->epoch++;
    judge->running = judge->left = NULL;
    judge->turn = NULL;
    judge->process_since_ns = 0;
    judge->last_ns = judge->shared_ns = judge->normal_ns = 0;
}

void dxgk_judge_gone(struct dxgk_schedule_judge *judge, const struct dxgk_hwcontext *context)
{
    judge->running = judge->running == context ? NULL : judge->running;
    judge->left = judge->left == context ? NULL : judge->left;
    judge->turn = judge->turn == context ? NULL : judge->turn;
}

/* ---- What is told ---------------------------------------------------------------------------- */

static const char *band_name(DXGK_SCHEDULING_PRIORITY_BAND band)
{
    static const char *const names[] = {"IDLE", "NORMAL", "FOCUS", "REALTIME"};

    return names[band];
}

static void tell_choices(const struct dxgk_adapter *adapter,
                         const struct dxgk_schedule_judge *judge, unsigned node)
{
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(HWQ_030),
                                             .object = adapter->object};

    contract_count(RULE_HWQ_030);
    if (judge->wrong_choices < CASES_MIN || judge->wrong_choices * 4 < judge->choices) {
        return;
    }
    contract_breach(&finding,
                    "the context of the highest priorityBand first, then that of the highest "
                    "priority within the process, or in REALTIME of the highest level",
                    "by the log of node %u %u of %u times a context began to run while a better "
                    "one was READY; the last time one of band %s, priority %d, before one of band "
                    "%s, priority %d",
                    node, judge->wrong_choices, judge->choices, band_name(judge->wrong_band),
                    judge->wrong_priority, band_name(judge->better_band), judge->better_priority);
}

static void tell_share(const struct dxgk_adapter *adapter, const struct dxgk_schedule_judge *judge,
                       unsigned node)
{
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(HWQ_034),
                                             .object = adapter->object};

    contract_count(RULE_HWQ_034);
    if (judge->starved > 0 && judge->starved * 2 >= judge->shared) {
        contract_breach(
            &finding,
            "targetNormalBandPercentage of the GPU for the NORMAL band while FOCUS has "
            "work, too",
            "by the log of node %u, in %u of %u times of %" PRIu64 " ms in which both had work, "
            "NORMAL had less than a third of its %d percent",
            node, judge->starved, judge->shared, SHARED_NS / 1000000, DXGK_NORMAL_PERCENT);
    }
}

/* The members that say it, and the time in ns. */
struct period_words {
    enum contract_rule rule;
    const char *member, *band;
    uint64_t ns;
};

static struct period_words words_of(enum dxgk_period period)
{
    if (period <= PERIOD_GRACE_OF_BAND_LAST) {
        unsigned band = period - PERIOD_GRACE_OF_BAND;
        return (struct period_words){CONTRACT_JUDGES(HWQ_031), "gracePeriodForBand",
                                     band_name(band), dxgk_bands[band].grace_ns};
    }
    if (period <= PERIOD_OF_PROCESS_LAST) {
        unsigned band = period - PERIOD_OF_PROCESS;
        return (struct period_words){CONTRACT_JUDGES(HWQ_033), "processQuantumForBand",
                                     band_name(band), dxgk_bands[band].process_quantum_ns};
    }
    return period == PERIOD_QUANTUM
               ? (struct period_words){CONTRACT_JUDGES(HWQ_032), "quantum", "", DXGK_QUANTUM_NS}
               : (struct period_words){CONTRACT_JUDGES(HWQ_035), "gracePeriodLowerPriority", "",
                                       DXGK_GRACE_LOWER_NS};
}

/* Within a buffer; else nobody can be left before its end, and all of them may be long. */
static bool can_stop(const struct dxgk_adapter *adapter)
{
    const D3DKMDT_PREEMPTION_CAPS *caps = &adapter->caps.PreemptionCaps;

    return caps->GraphicsPreemptionGranularity > D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY &&
           caps->ComputePreemptionGranularity > D3DKMDT_COMPUTE_PREEMPTION_DMA_BUFFER_BOUNDARY;
}

static void tell_period(const struct dxgk_adapter *adapter, const struct dxgk_tally *tally,
                        const struct period_words *words, unsigned node)
{
    const struct contract_finding finding = {.rule = words->rule, .object = adapter->object};
    bool early = tally->early >= CASES_MIN && tally->early * 4 >= tally->cases * 3;
    bool late = can_stop(adapter) && tally->late >= CASES_MIN && tally->late * 2 >= tally->cases;

    contract_count(words->rule);
    if (early || late) {
        contract_breach(
            &finding, "times by the scheduler's log that come near those it was given, in 100 ns",
            "%s%s%s is %" PRIu64 " us (%" PRIu64 " units of 100 ns); by the log of node %u a "
            "context that others waited for %s in %u of %u cases, %s %" PRIu64 " us",
            words->member, words->band[0] ? " of " : "", words->band, words->ns / 1000,
            words->ns / 100, node, early ? "was left earlier" : "went on for far longer",
            early ? tally->early : tally->late, tally->cases, early ? "at most" : "at least",
            (early ? tally->longest_early_ns : tally->shortest_late_ns) / 1000);
    }
}

void dxgk_judge_tell(const struct dxgk_adapter *adapter, const struct dxgk_schedule_judge *judge,
                     unsigned node)
{
    if (judge->choices > 0) {
        record_count("schedule_log.choices_judged", judge->choices);
        tell_choices(adapter, judge, node);
    }
    if (judge->shared > 0) {
        tell_share(adapter, judge, node);
    }
    for (unsigned i = 0; i < PERIOD_COUNT; i++) {
        struct period_words words = words_of(i);
        if (judge->tallies[i].cases > 0) {
            record_count("schedule_log.times_judged", judge->tallies[i].cases);
            tell_period(adapter, &judge->tallies[i], &words, node);
        }
    }
}

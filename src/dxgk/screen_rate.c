/* Whether vertical syncs come at the rate of the mode [SHOW-007]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dxgk/work.h"

#define VSYNC_WAIT_NS (500 * NS_PER_MS)

#define RATE_FACTOR 4 /* interrupts and DPCs may be late, and one vertical sync may be missed */

#define LONG_LOOK   15
#define LITTLE_PART 40 /* one in so many of a period is more than clocks differ by */

#define MILLIHERTZ_UNSAID 60000u

uint64_t dxgk_frame_ns(const struct dxgk_source *source)
{
    UINT rate = source->mode.refresh_millihertz;

    return NS_PER_S * 1000 / (rate ? rate : MILLIHERTZ_UNSAID);
}

static bool is_a_little_off(uint64_t period_ns, uint64_t expected_ns)
{
    uint64_t off_ns = period_ns > expected_ns ? period_ns - expected_ns : expected_ns - period_ns;

    return off_ns > expected_ns / LITTLE_PART;
}

static int by_length(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

    return one < other ? -1 : one > other;
}

/* One interrupt that is late makes two periods wrong, and one that is missed makes one: the median
 * is neither. Public drivers without a display engine count by timers, so it is advice. */
static void look_longer(struct dxgk_source *source, uint64_t expected_ns)
{
    uint64_t periods_ns[LONG_LOOK], before_ns = machine_now_ns();

    for (unsigned i = 0; i < LONG_LOOK; i++) {
        if (!present_wait_vsync(&source->present, machine_now_ns() + VSYNC_WAIT_NS)) {
            return;
        }
        periods_ns[i] = machine_now_ns() - before_ns;
        before_ns += periods_ns[i];
    }
    qsort(periods_ns, LONG_LOOK, sizeof *periods_ns, by_length);
    uint64_t median_ns = periods_ns[LONG_LOOK / 2];
    if (is_a_little_off(median_ns, expected_ns)) {
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_007), .advice = true},
            "vertical syncs at the rate of the mode",
            "of %u vertical syncs of target %u half came after %llu us or less; VSyncFreq of the "
            "mode that CommitVidPn set makes that %llu us",
            LONG_LOOK, source->target, (unsigned long long)(median_ns / NS_PER_US),
            (unsigned long long)(expected_ns / NS_PER_US));
    }
}

void dxgk_screen_judge_rate(struct dxgk_source *source, uint64_t period_ns)
{
    uint64_t rate = source->mode.refresh_millihertz, expected_ns = dxgk_frame_ns(source);

    if (rate == 0) {
        return; /* the driver does not say */
    }
    contract_count(RULE_SHOW_007);
    if (period_ns > expected_ns * RATE_FACTOR || period_ns < expected_ns / RATE_FACTOR) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_007)},
                        "vertical syncs at the rate of the mode",
                        "two vertical syncs of target %u came within %llu.%03llu ms; VSyncFreq of "
                        "the mode that CommitVidPn set, %llu.%03llu Hz, makes that %llu.%03llu ms",
                        source->target, (unsigned long long)(period_ns / NS_PER_MS),
                        (unsigned long long)(period_ns / NS_PER_US % 1000),
                        (unsigned long long)(rate / 1000), (unsigned long long)(rate % 1000),
                        (unsigned long long)(expected_ns / NS_PER_MS),
                        (unsigned long long)(expected_ns / NS_PER_US % 1000));
    } else if (is_a_little_off(period_ns, expected_ns)) {
        look_longer(source, expected_ns);
    }
}

void dxgk_screen_judge_lit(struct dxgk_source *source)
{
    struct dxgk_adapter *adapter = source->adapter;
    uint64_t resets = adapter->totals.resets;

    if (!source->active || !source->visible || !source->shown ||
        !dxgk_source_tells_vsyncs(source)) {
        return;
    }
    bool came = present_wait_vsync(&source->present, machine_now_ns() + VSYNC_WAIT_NS);
    if (adapter->state != DXGK_ADAPTER_RUNNING || adapter->presence != DXGK_THERE ||
        adapter->totals.resets != resets || adapter->still.on || source->changing ||
        !source->active || !source->visible || !source->shown ||
        !dxgk_source_tells_vsyncs(source)) {
        return; /* who was held up meanwhile may have hidden it */
    }
    contract_count(RULE_SHOW_007);
    if (!came) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_007)},
                        "vertical syncs, which ControlInterrupt has switched on",
                        "behind %s, CommitVidPn%s, SetVidPnSourceAddress, ControlInterrupt and "
                        "SetVidPnSourceVisibility of source %u no vertical sync of target %u was "
                        "told for %u ms",
                        adapter->begun_by ? adapter->begun_by : "the start",
                        adapter->path_power.PathPowerTransition
                            ? " with PathPowerTransition and without PathPoweredOff"
                            : "",
                        source->index, source->target, (unsigned)(VSYNC_WAIT_NS / NS_PER_MS));
    }
}

static bool is_waited_for(struct dxgk_source *source)
{
    return source->present.listeners > 0 || present_source_pending(&source->present) > 0 ||
           !list_empty(&source->flips);
}

/* Where the device was set up and interrupted no more since, that may be where it lost them. */
static void name_last(const struct dxgk_adapter *adapter, char *ddi, size_t size)
{
    bool since = adapter->set_by && adapter->ddi.claimed_interrupts == adapter->claimed_before;
    const char *call = since ? adapter->set_by : "DxgkDdiControlInterrupt";

    snprintf(ddi, size, "%.*s", (int)strcspn(call, " "), call);
}

#define SILENT_NS (5 * NS_PER_S)

/* Something goes on, and a flip that the driver was told of has waited for long. Vertical syncs
 * that are told of another target are found where they come. */
static bool is_silent_for_long(struct dxgk_source *source)
{
    const struct present_flip *oldest = present_source_oldest(&source->present);
    uint64_t now_ns = machine_now_ns();

    return oldest && oldest->programmed_ns != 0 && source->vsyncs_elsewhere == 0 &&
           now_ns - oldest->programmed_ns >= SILENT_NS &&
           now_ns - source->present.vsync_ns >= SILENT_NS;
}

bool dxgk_adapter_judge_silence(struct dxgk_adapter *adapter, bool everything_waits)
{
    bool silent = false;
    char ddi[64];

    name_last(adapter, ddi, sizeof ddi);
    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        if (adapter->state != DXGK_ADAPTER_RUNNING || adapter->presence != DXGK_THERE ||
            adapter->asleep || dxgk_adapter_stands_still(adapter) || source->changing ||
            !dxgk_source_owes_vsyncs(source) || !is_waited_for(source) ||
            (!everything_waits && !is_silent_for_long(source))) {
            continue;
        }
        silent = true;
        contract_count(RULE_SHOW_007);
        contract_breach(
            &(struct contract_finding){
                .rule = CONTRACT_JUDGES(SHOW_007), .object = adapter->object, .ddi = ddi},
            "vertical syncs, which ControlInterrupt has switched on",
            "clients wait for vertical syncs of target %u, and none %s: after "
            "CommitVidPn, SetVidPnSourceAddress and SetVidPnSourceVisibility of source "
            "%u, and ControlInterrupt, which switched them on behind %s, %s; %llu were told before",
            source->target, everything_waits ? "will come" : "comes", source->index,
            adapter->begun_by ? adapter->begun_by : "the start",
            everything_waits ? "the device has nothing to do any more"
                             : "none was told for 5 s and more",
            (unsigned long long)source->present.vsync_count);
    }
    return silent;
}

/* The kernel waits for those of the first target alone; public drivers may tell no others. */
void dxgk_screen_judge_second(struct dxgk_source *source, UINT first,
                              const struct dxgk_screens_kept *kept)
{
    if (dxgk_source_tells_vsyncs(source)) {
        return;
    }
    bool came = present_wait_vsync(&source->present, machine_now_ns() + VSYNC_WAIT_NS);
    contract_count(RULE_SHOW_007);
    if (!came && !dxgk_screens_disturbed(kept)) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_007),
                                                   .ddi = "DxgkDdiControlInterrupt",
                                                   .advice = true},
                        "vertical syncs of each target, which ControlInterrupt has switched on",
                        "vertical syncs are on, CommitVidPn gave source %u a path to target %u "
                        "beside that to target %u, and none of target %u was told for %u ms",
                        source->index, source->target, first, source->target,
                        (unsigned)(VSYNC_WAIT_NS / NS_PER_MS));
    }
}

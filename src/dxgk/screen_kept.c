/* What the monitors show, kept for as long as something is done that must not change it: who is not
 * meant by a commit keeps his picture, who is comes back to it.
 *
 * Only pictures on which nobody drew meanwhile, and for which nobody else was shown, tell. */
#include <stdio.h>

#include "dxgk/display_composed.h"
#include "dxgk/overlay.h"
#include "dxgk/work.h"

static bool is_still(const struct dxgk_source *source)
{
    const struct dxgk_allocation *shown = source->shown;

    if (source->composed) { /* the driver keeps its picture, and clients wait outside */
        return source->active && source->visible && !source->composed->stale;
    }
    return source->active && source->visible && shown && shown->packet_count == 0 &&
           shown->memory.lock_count == 0 && source->present.programmed_count == 0 &&
           !dxgk_planes_shown(source) && /* whose surfaces are others, too */
           !dxgk_overlays_lie_over(source) && !dxgk_planes_going(source);
}

static uint64_t uses_of(const struct dxgk_source *source)
{
    return source->shown ? source->shown->uses : 0;
}

static bool is_blank(const struct dxgk_source *source)
{
    return source->shown && source->shown->uses == 0 && !source->composed;
}

/* Hardware may take the address of a mode at the next vertical sync. */
static bool is_early(const struct dxgk_source *source)
{
    return source->mode_ns != 0 && machine_now_ns() < source->mode_ns + DXGK_LONGEST_FRAME_NS;
}

/* The worker waits for nobody. */
static void let_latch(const struct dxgk_adapter *adapter, const struct dxgk_source *except)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        const struct dxgk_source *source = &adapter->sources[i];
        while (source != except && is_still(source) && is_early(source) &&
               task_self() != adapter->worker) {
            task_block(source->mode_ns + DXGK_LONGEST_FRAME_NS);
        }
    }
}

void dxgk_screens_keep(struct dxgk_adapter *adapter, const struct dxgk_source *except,
                       struct dxgk_screens_kept *out)
{
    let_latch(adapter, except);
    *out = (struct dxgk_screens_kept){.adapter = adapter, .resets = adapter->totals.resets};
    for (unsigned i = 0; i < adapter->source_count; i++) {
        const struct dxgk_source *source = &adapter->sources[i];
        if (source == except || !is_still(source)) {
            continue;
        }
        out->shown[i] = source->shown;
        out->uses[i] = uses_of(source);
        /* What the worker shows again after a reset may be on its way; what nobody has drawn on
         * has no picture that would have to stay. */
        out->saw[i] = !adapter->reshowing && !is_early(source) && !is_blank(source) &&
                      dxgk_screen_hash(source, &out->seen[i]);
    }
}

bool dxgk_screens_disturbed(const struct dxgk_screens_kept *kept)
{
    const struct dxgk_adapter *adapter = kept->adapter;

    return adapter->state != DXGK_ADAPTER_RUNNING || adapter->presence != DXGK_THERE ||
           adapter->totals.resets != kept->resets;
}

bool dxgk_screen_tells(const struct dxgk_screens_kept *kept, const struct dxgk_source *source)
{
    unsigned i = source->index;

    return !dxgk_screens_disturbed(kept) && kept->saw[i] && is_still(source) &&
           source->shown == kept->shown[i] && uses_of(source) == kept->uses[i];
}

bool dxgk_screen_is_kept(const struct dxgk_screens_kept *kept, const struct dxgk_source *source)
{
    uint64_t now;

    return dxgk_screen_hash(source, &now) && now == kept->seen[source->index];
}

/* Still so after a frame: outputs may show it anew from their next vertical sync on. The worker
 * waits for nobody, and tells nothing. */
static bool stays_away(const struct dxgk_screens_kept *kept, const struct dxgk_source *source)
{
    if (dxgk_screen_is_kept(kept, source) || task_self() == kept->adapter->worker) {
        return false;
    }
    task_block(machine_now_ns() + DXGK_LONGEST_FRAME_NS);
    return dxgk_screen_tells(kept, source) && !dxgk_screen_is_kept(kept, source);
}

void dxgk_screens_judge_others(const struct dxgk_screens_kept *kept,
                               const struct dxgk_source *affected, const char *commit)
{
    struct dxgk_adapter *adapter = kept->adapter;

    for (unsigned i = 0; i < adapter->source_count; i++) {
        const struct dxgk_source *source = &adapter->sources[i];
        if (source == affected || !dxgk_screen_tells(kept, source)) {
            continue;
        }
        contract_count(RULE_VIDPN_011);
        if (stays_away(kept, source)) {
            contract_breach(
                &(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_011),
                                           .ddi = "DxgkDdiCommitVidPn"},
                "the paths of other sources left as they are",
                "after CommitVidPn %s, with AffectedVidPnSourceId %u, target %u no longer shows "
                "the picture that source %u showed",
                commit, affected->index, source->target, source->index);
        }
    }
}

/* A device that is given a mode, an address and visibility shows it, unless something of it is as
 * at power-on. True: it is seen. */
static bool judge_woken(const struct dxgk_screens_kept *kept, const struct dxgk_source *source,
                        const char *call)
{
    contract_count(RULE_SHOW_001);
    if (dxgk_screen_is_kept(kept, source)) {
        return true;
    }
    if (source->changing || !stays_away(kept, source) || source->changing) {
        return false;
    }
    contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_001),
                                               .ddi = "DxgkDdiSetPowerState"},
                    "the surface that a source showed before, when it is visible again",
                    "behind %s, with CommitVidPn, SetVidPnSourceAddress and "
                    "SetVidPnSourceVisibility after it, target %u %s of source %u as before",
                    call, source->target,
                    dxgk_screen_is_black(source) ? "is dark, and not lit by the surface"
                                                 : "does not show the surface",
                    source->index);
    return false;
}

void dxgk_screens_judge_woken(const struct dxgk_screens_kept *kept, const char *call,
                              bool lost_power)
{
    struct dxgk_adapter *adapter = kept->adapter;
    char behind[96];

    snprintf(behind, sizeof behind, ", behind %s", call);
    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        if (!source->composed && !source->ramped && dxgk_screen_tells(kept, source) &&
            judge_woken(kept, source, call) && lost_power && source->examined) {
            dxgk_pointer_exam_woken(source, behind);
        }
    }
}

/* ---- Nothing at all ------------------------------------------------------------------------- */

/* Ought its monitor to be sent a picture? */
static bool is_to_be_lit(const struct dxgk_source *source)
{
    const struct dxgk_adapter *adapter = source->adapter;
    struct pci_picture picture;

    return adapter->state == DXGK_ADAPTER_RUNNING && adapter->presence == DXGK_THERE &&
           !dxgk_clients_are_held() && !adapter->still.on && !adapter->reshowing &&
           source->active && source->visible && source->shown && !dxgk_planes_all_off(source) &&
           !pci_scanout(adapter->ddi.slot, dxgk_output_of(adapter, source->target), &picture);
}

#define TRAINS_NS (1 * NS_PER_S) /* a link, until the monitor has a picture, in the driver's time */

/* Still so behind that, all the while. */
static bool stays_dark(const struct dxgk_source *source)
{
    const struct dxgk_adapter *adapter = source->adapter;
    uint64_t resets = adapter->totals.resets, end_ns = machine_now_ns() + TRAINS_NS;
    bool dark;

    while ((dark = is_to_be_lit(source)) && machine_now_ns() < end_ns) {
        task_block(machine_now_ns() + DXGK_LONGEST_FRAME_NS);
    }
    return dark && adapter->totals.resets == resets;
}

/* Nobody changes it meanwhile, and what is done for another has gone by. */
void dxgk_screen_judge_lost(struct dxgk_adapter *adapter, unsigned number, bool was_seen)
{
    if (number >= adapter->source_count || !pci_has_scanout(adapter->ddi.slot)) {
        return;
    }
    const struct dxgk_source *source = &adapter->sources[number];
    dxgk_display_begin_changes(adapter);
    bool lost = stays_dark(source);
    dxgk_display_end_changes(adapter);
    contract_count(RULE_SHOW_001);
    if (lost) {
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_001), .advice = !was_seen},
            "a primary scanned while its source is visible",
            "source %u is visible and has a surface, and target %u is dark, which %s",
            source->index, source->target,
            was_seen ? "showed its pictures before" : "has shown none, as far as the device tells");
    }
}

/* ---- One picture ----------------------------------------------------------------------------- */

struct dxgk_untouched dxgk_source_touch(const struct dxgk_source *source)
{
    return (struct dxgk_untouched){source->shown->uses, source->adapter->totals.resets};
}

bool dxgk_source_is_untouched(const struct dxgk_source *source, const struct dxgk_untouched *since)
{
    const struct dxgk_allocation *shown = source->shown;
    const struct dxgk_adapter *adapter = source->adapter;

    return shown && shown->packet_count == 0 && shown->memory.lock_count == 0 &&
           shown->uses == since->uses && adapter->totals.resets == since->resets &&
           adapter->state == DXGK_ADAPTER_RUNNING && dxgk_adapter_has_hardware(adapter) &&
           !adapter->still.on;
}

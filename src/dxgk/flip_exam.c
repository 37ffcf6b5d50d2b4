/* Looks at the first flips: is the new surface seen from the vertical sync on that follows, or at
 * once, as the flip said [FLIP-004]? Only pictures on which nobody draws meanwhile tell. */
#include "dxgk/overlay.h"
#include "dxgk/work.h"

/* Nobody draws on the surface that is shown, nor on the one that shall be: its flip is the only
 * packet that names it. */
static bool is_quiet(const struct dxgk_flip *flip)
{
    const struct dxgk_allocation *shown = flip->source->shown, *next = flip->allocation;

    return !dxgk_overlays_lie_over(flip->source) && shown && shown != next &&
           shown->packet_count == 0 && shown->memory.lock_count == 0 && next->packet_count == 1 &&
           next->memory.lock_count == 0;
}

bool dxgk_screen_look_before(struct dxgk_flip *flip)
{
    const struct dxgk_source *source = flip->source;

    if (!is_quiet(flip) || !dxgk_screen_hash(source, &flip->seen_before)) {
        return false;
    }
    flip->shown_before = source->shown;
    flip->uses_before = source->shown->uses;
    flip->uses_next = flip->allocation->uses;
    return true;
}

/* Since then. The surface that was shown is not looked at once it is not shown any more. */
static bool nobody_drew(const struct dxgk_flip *flip)
{
    const struct dxgk_source *source = flip->source;

    return flip->allocation->uses == flip->uses_next && flip->allocation->memory.lock_count == 0 &&
           (source->shown != flip->shown_before ||
            (is_quiet(flip) && source->shown->uses == flip->uses_before));
}

/* One may have met the vertical sync; not two, one after the other. */
void dxgk_screen_judge_flip(struct dxgk_flip *flip)
{
    struct dxgk_source *source = flip->source;
    uint64_t after;

    if (!nobody_drew(flip) || !dxgk_screen_hash(source, &after)) {
        return;
    }
    contract_count(RULE_FLIP_004);
    source->flips_at_once = after != flip->seen_before ? source->flips_at_once + 1 : 0;
    if (source->flips_at_once == 2) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(FLIP_004)},
                        "a surface scanned out from the vertical sync on that follows",
                        "with FlipOnNextVSync target %u showed the new surface at once, in the "
                        "middle of a picture: it tears",
                        source->target);
    }
}

#define SHOWN_LATEST_NS (5 * NS_PER_S)
#define SYNCS_MIN       8 /* that were told: the device runs, and its interrupts come */

static void judge_oldest(struct dxgk_source *source)
{
    const struct present_flip *oldest = present_source_oldest(&source->present);
    uint64_t now_ns = machine_now_ns();

    if (!oldest || now_ns - oldest->programmed_ns < SHOWN_LATEST_NS) {
        return;
    }
    const struct dxgk_flip *flip = container_of(oldest, const struct dxgk_flip, base);
    if (dxgk_flip_is_commanded(flip)) {
        return; /* see dxgk_flip_command_judge() */
    }
    uint64_t syncs = source->present.vsync_count - oldest->programmed_vsync;
    if (syncs < SYNCS_MIN && source->vsyncs_elsewhere < SYNCS_MIN) {
        return;
    }
    contract_count(RULE_FLIP_004);
    contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(FLIP_004),
                                               .object = source->adapter->object},
                    "a flip shown after at most two vertical syncs, and its address told by "
                    "DXGK_INTERRUPT_CRTC_VSYNC of its target",
                    "source %u was flipped to 0x%llX %llu ms before the run's time limit, and that "
                    "was never told; since then target %u, where it is shown, had %llu vertical "
                    "syncs told%s",
                    source->index, (unsigned long long)oldest->address,
                    (unsigned long long)((now_ns - oldest->programmed_ns) / NS_PER_MS),
                    source->target, (unsigned long long)syncs,
                    syncs == 0 ? ", and other targets many" : "");
}

void dxgk_flip_command_judge(struct dxgk_source *source)
{
    const struct present_flip *oldest = present_source_oldest(&source->present);
    const struct dxgk_flip *flip =
        oldest ? container_of(oldest, const struct dxgk_flip, base) : NULL;

    if (!flip || !dxgk_flip_is_commanded(flip) || !dxgk_flip_command_ran(flip) ||
        !source->visible || source->changing || source->reshow != DXGK_RESHOW_DONE ||
        dxgk_adapter_stands_still(source->adapter)) {
        return;
    }
    contract_count(RULE_PRES_035);
    if (source->present.vsync_count - oldest->programmed_vsync < SYNCS_MIN) {
        return;
    }
    contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(PRES_035),
                                               .object = flip->allocation->object},
                    "commands of DxgkDdiPresent that point the scan-out to the source, and its "
                    "address in the vertical syncs that follow",
                    "the buffer of a flip of source %u to 0x%llX ran, and %u vertical syncs of "
                    "target %u later that address was not told yet",
                    source->index, (unsigned long long)oldest->address, SYNCS_MIN, source->target);
    present_source_cancel(&source->present, VIDSCH_STATUS_CANCELLED);
}

void dxgk_adapter_judge_flips(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        if (adapter->state == DXGK_ADAPTER_RUNNING && !adapter->asleep &&
            !dxgk_adapter_stands_still(adapter) && source->active && source->visible &&
            !source->changing) {
            judge_oldest(source);
        }
    }
}

/* A device may take it over with the next line. */
#define LINES_NS (50 * NS_PER_US)

void dxgk_screen_look_at_immediate(struct dxgk_flip *flip)
{
    struct dxgk_source *source = flip->source;
    uint64_t syncs = source->present.vsync_count, after;

    source->immediate_looked_at++;
    machine_spend(LINES_NS);
    flip->looked_at = true;
    flip->stood = nobody_drew(flip) && dxgk_screen_hash(source, &after) &&
                  after == flip->seen_before && source->present.vsync_count == syncs;
}

/* Now the new surface is seen: whether it looks like the old one. */
void dxgk_screen_judge_immediate(struct dxgk_flip *flip)
{
    struct dxgk_source *source = flip->source;
    uint64_t now;

    if (!flip->looked_at || !nobody_drew(flip) || !dxgk_screen_hash(source, &now)) {
        return;
    }
    contract_count(RULE_FLIP_004);
    bool late = flip->stood && now != flip->seen_before;
    source->immediate_late = late ? source->immediate_late + 1 : 0;
    if (source->immediate_late == 2) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(FLIP_004)},
                        "a surface scanned out at once with FlipImmediate",
                        "with FlipImmediate target %u went on showing the old surface, and the new "
                        "one from the vertical sync on",
                        source->target);
    }
}

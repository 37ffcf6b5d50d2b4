/* A source whose path is scaled, when its picture was seen so for the first time: is it gone while
 * it is hidden, does it come back, is the pointer where it was set? What the pixels of a client
 * have to become its client knows (dxgk_source_compare()), and where that is wrong nothing else is
 * looked at; here pictures that are sent are compared with each other. */
#include <stdlib.h>
#include <string.h>

#include "dxgk/overlay.h"
#include "dxgk/work.h"

#define CLONED 16u /* the first bit of those that stand for clones */

static const char *const names[] = {
    [D3DKMDT_VPPS_CENTERED] = "D3DKMDT_VPPS_CENTERED",
    [D3DKMDT_VPPS_STRETCHED] = "D3DKMDT_VPPS_STRETCHED",
    [D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX] = "D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX",
    [D3DKMDT_VPPS_CUSTOM] = "D3DKMDT_VPPS_CUSTOM",
};

const char *dxgk_scaling_name(D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling)
{
    return (size_t)scaling < sizeof names / sizeof *names && names[scaling] ? names[scaling]
                                                                            : "no scaling";
}

/* Advice: no kernel is known that sets a scaling so, but a driver that cannot has an answer for it.
 */
void dxgk_screen_judge_updated(const struct dxgk_source *source, bool same)
{
    contract_count(RULE_VIDPN_016);
    if (!same) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_016),
                                                   .ddi = "DxgkDdiUpdateActiveVidPnPresentPath",
                                                   .advice = true},
                        "the path programmed with its new settings, or an error",
                        "UpdateActiveVidPnPresentPath set %s of the path from source %u to target "
                        "%u with STATUS_SUCCESS, and the monitor showed another picture than when "
                        "CommitVidPn followed with the same path",
                        dxgk_scaling_name(source->mode.scaling), source->index, source->target);
    }
}

/* ---- Visibility ----------------------------------------------------------------------------- */

struct seen {
    uint32_t *pixels; /* without alpha */
    size_t count;
    struct dxgk_untouched since;
};

static bool look(const struct dxgk_source *source, struct seen *out)
{
    *out =
        (struct seen){dxgk_screen_sent(source), (size_t)source->target_width * source->target_lines,
                      dxgk_source_touch(source)};
    return out->pixels != NULL;
}

static bool is_black(const struct seen *seen)
{
    for (size_t i = 0; i < seen->count; i++) {
        if (seen->pixels[i]) {
            return false;
        }
    }
    return true;
}

static bool is_seen(const struct dxgk_source *source, const struct seen *seen)
{
    uint32_t *now = dxgk_screen_sent(source);
    bool same = now && memcmp(now, seen->pixels, seen->count * sizeof *now) == 0;

    free(now);
    return same;
}

static void judge_visibility(const struct dxgk_source *source, bool visible, bool same)
{
    contract_count(RULE_SHOW_001);
    if (visible != same) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_001)},
                        "a primary scanned while its source is visible, and only then",
                        visible ? "source %u, whose path has %s, is visible again, and target %u "
                                  "does not show what it showed before it was hidden"
                                : "source %u, whose path has %s, is not visible, and target %u "
                                  "still shows its picture",
                        source->index, dxgk_scaling_name(source->mode.scaling), source->target);
    }
}

/* False: the picture did not come back, or is drawn on. */
static bool hide_and_show(struct dxgk_source *source, const struct seen *seen)
{
    bool back = true;

    for (unsigned visible = 0; visible < 2 && !is_black(seen); visible++) {
        if (!NT_SUCCESS(dxgk_source_set_visible(source, visible))) {
            return source->visible;
        }
        bool same = dxgk_screen_settle(source) && is_seen(source, seen);
        bool tells = dxgk_source_is_untouched(source, &seen->since);
        if (tells) {
            judge_visibility(source, visible, same);
        }
        back = tells && (!visible || same);
    }
    return back;
}

static void examine(struct dxgk_source *source, bool with_pointer)
{
    struct seen seen;

    if (!dxgk_screen_settle(source) || !look(source, &seen)) {
        return;
    }
    if (ddi_has(&source->adapter->ddi, POINT_GetScanLine)) {
        dxgk_screen_exam_lines(source);
    }
    if (hide_and_show(source, &seen) && with_pointer) {
        dxgk_pointer_exam_scaled(source, &seen.since);
    }
    free(seen.pixels);
}

/* Upright: where a turned picture has the pointer nobody has said. */
static bool can_be_examined(const struct dxgk_source *source)
{
    return source->rotation == D3DDDI_ROTATION_IDENTITY && source->visible && source->shown &&
           vidmm_pin_holds(&source->pin) && !dxgk_planes_shown(source) &&
           !dxgk_overlays_lie_over(source) &&
           !(source->scaled.examined & 1u << source->mode.scaling % CLONED);
}

void dxgk_screen_exam_scaled(struct dxgk_source *source)
{
    if (source->composed || !can_be_examined(source)) {
        return;
    }
    dxgk_source_begin_change(source);
    dxgk_source_end_flips(source);
    if (can_be_examined(source)) { /* it may be another by now */
        source->scaled.examined |= 1u << source->mode.scaling % CLONED;
        examine(source, true);
    }
    dxgk_source_end_change(source);
}

void dxgk_screen_exam_cloned(struct dxgk_source *source)
{
    unsigned bit = 1u << (source->mode.scaling % CLONED + CLONED);

    if (!(source->scaled.examined & bit)) {
        source->scaled.examined |= bit;
        examine(source, false);
    }
}

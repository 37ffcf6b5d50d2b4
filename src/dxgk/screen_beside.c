/* Two pointers at once: that of another source is shown where one's own is, at the same place. What
 * a driver keeps for the adapter alone, though each source has its own, shows there. */
#include <stdlib.h>
#include <string.h>

#include "dxgk/overlay.h"
#include "dxgk/planes_parts.h"
#include "dxgk/work.h"

static bool point_at(const struct dxgk_source *source, int x, int y, bool visible)
{
    struct ddi_adapter *ddi = &source->adapter->ddi;
    const DXGKARG_SETPOINTERPOSITION position = {
        .VidPnSourceId = source->index, .X = x, .Y = y, .Flags.Visible = visible};

    return NT_SUCCESS(ddi_set_pointer_position(ddi, ddi->miniport_context, &position, 0));
}

/* Scaled and turned ones are looked at elsewhere, each by itself. */
static bool is_plain(const struct dxgk_source *source)
{
    return source->visible && source->shown && source->rotation == D3DDDI_ROTATION_IDENTITY &&
           !dxgk_is_scaled(source->mode.scaling) && !dxgk_planes_shown(source) &&
           !dxgk_overlays_lie_over(source);
}

/* Of a monitor that is dark nothing is known. */
static bool any_colour(const uint32_t *pixels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (pixels[i]) {
            return true;
        }
    }
    return false;
}

static void exam(const struct dxgk_source *source, struct dxgk_source *other, int x, int y)
{
    if (!is_plain(other)) {
        return;
    }
    const struct dxgk_untouched since = dxgk_source_touch(other);
    const size_t count = (size_t)other->target_width * other->target_lines;
    uint32_t *before = dxgk_screen_sent(other), *after = NULL;

    /* Its own is told anew: the two calls differ in nothing but the source. */
    if (before && any_colour(before, count) && point_at(source, x, y, true) &&
        point_at(other, x, y, true) && dxgk_screen_settle(other)) {
        after = dxgk_screen_sent(other);
    }
    if (after && dxgk_source_is_untouched(other, &since)) {
        contract_count(RULE_SHOW_002);
        if (memcmp(before, after, count * sizeof *after) == 0) {
            contract_breach(
                &(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_002),
                                           .ddi = "DxgkDdiSetPointerPosition",
                                           .advice = true},
                "a pointer of its own for each source, at its own place",
                "after SetPointerPosition(%d, %d) with Visible 1 for source %u, while the pointer "
                "of source %u was seen at the same place of its own target, target %u shows none",
                x, y, other->index, source->index, other->target);
        }
    }
    (void)point_at(other, x, y, false);
    (void)point_at(source, x, y, true); /* one pointer may serve all */
    free(before);
    free(after);
}

void dxgk_screen_exam_beside(const struct dxgk_source *source, int x, int y)
{
    struct dxgk_adapter *adapter = source->adapter;

    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *other = &adapter->sources[i];
        if (other != source && other->shown) {
            exam(source, other, x, y);
        }
    }
}

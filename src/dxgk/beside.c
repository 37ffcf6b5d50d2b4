/* Beside a source that shows something, the mode of another one is set anew.
 *
 *   clients wait outside, all work is done ─> the other source goes dark, if it shows anything ─>
 *   CommitVidPn of the VidPN as it is, for that source alone ─> it is shown again ─> what the
 *   others show is compared with before
 *
 * The driver may program all of its outputs then: out of what it was told of each, be that a mode
 * set, a flip, a flip by command, or a palette [VIDPN-011]. */
#include "dxgk/display_only.h"
#include "dxgk/vidpn.h"
#include "dxgk/work.h"

static bool shows(const struct dxgk_source *source)
{
    return source->active && source->visible &&
           (source->composed || (source->shown && vidmm_pin_holds(&source->pin)));
}

static bool has_path(const struct dxgk_source *source)
{
    return source->active &&
           vidpn_path_find(source->adapter->active_vidpn, source->index, source->target) != NULL;
}

static bool can_change_now(const struct dxgk_adapter *adapter)
{
    return adapter->state == DXGK_ADAPTER_RUNNING && adapter->presence < DXGK_TOLD &&
           !adapter->reshowing && adapter->active_vidpn;
}

/* One that has a path, and beside which another shows something; NULL: there is none. */
static struct dxgk_source *choose(struct dxgk_adapter *adapter, unsigned which)
{
    struct dxgk_source *chosen = NULL;
    bool others = false;

    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[(i + which) % adapter->source_count];
        if (!chosen && has_path(source)) {
            chosen = source;
        } else {
            others |= shows(source);
        }
    }
    return others ? chosen : NULL;
}

static void commit_again(struct dxgk_source *source)
{
    struct dxgk_adapter *adapter = source->adapter;
    struct dxgk_screens_kept kept;
    bool was_visible = source->visible, has_surface = shows(source);

    dxgk_screens_keep(adapter, source, &kept);
    dxgk_source_hide(source);
    NTSTATUS status = dxgk_vidpn_commit(adapter, source->index, has_surface ? source->shown : NULL);
    if (was_visible && source->composed) {
        dxgk_composed_show(source);
    } else if (was_visible && has_surface && vidmm_pin_holds(&source->pin)) {
        (void)dxgk_source_light(source);
    } else if (was_visible) {
        source->set_mode = true; /* a reset: the worker shows it again */
    }
    if (NT_SUCCESS(status)) {
        dxgk_screens_judge_others(&kept, source, "of its mode anew");
    }
}

void dxgk_commit_beside(const struct dxgk_source *shown)
{
    struct dxgk_adapter *adapter = shown->adapter;
    struct dxgk_source *other = NULL;

    if (!vary_happens(VARY_SECOND_MONITOR, 2)) {
        return;
    }
    dxgk_display_begin_changes(adapter);
    for (unsigned i = 0; can_change_now(adapter) && i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        other = source != shown && has_path(source) ? source : other;
    }
    if (other && !dxgk_screens_are_drawn_on(adapter)) {
        commit_again(other);
    }
    dxgk_display_end_changes(adapter);
}

bool dxgk_adapter_commit_beside(struct dxgk_adapter *adapter, unsigned which, uint64_t deadline_ns)
{
    bool happened = false;

    if (!dxgk_hold_clients(adapter, deadline_ns)) {
        return false;
    }
    dxgk_display_begin_changes(adapter);
    struct dxgk_source *source = can_change_now(adapter) ? choose(adapter, which) : NULL;
    if (source) {
        commit_again(source);
        happened = true;
    }
    dxgk_display_end_changes(adapter);
    dxgk_let_clients_go();
    return happened;
}

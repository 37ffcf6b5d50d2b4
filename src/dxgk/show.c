/* Shows a surface on a source, in a mode and an orientation that fit it.
 *
 *   pin it ─ all work ends ─ the change of the source in hand ─┬ the mode is the same: CommitVidPn
 *                                                              ├ another: the driver agrees on it,
 *                                                              │   hidden, CommitVidPn
 *                                                              └ only turned, smoothly: Update-
 *                                                                  ActiveVidPnPresentPath, no more
 *   SetVidPnSourceAddress ─ vertical syncs on ─ SetVidPnSourceVisibility
 *
 * What other monitors show stays as it is. */
#include "dxgk/overlay.h"
#include "dxgk/vidpn.h"
#include "dxgk/work.h"

#include <stdio.h>

#define FRAMES_MAX    3u /* less a moment */
#define VSYNC_WAIT_NS (500 * NS_PER_MS)
#define DARK_NS       (50 * NS_PER_MS)

struct showing {
    struct dxgk_source *source;
    struct dxgk_allocation *allocation;
    struct dxgk_view view;
};

/* The size of a client's own surface its driver alone knows: that of the mode, then. */
static struct dxgk_view view_of(const struct dxgk_source *source,
                                const struct dxgk_allocation *allocation, D3DDDI_ROTATION rotation)
{
    const struct dxgk_mode *mode = &source->mode;

    return allocation->standard
               ? (struct dxgk_view){allocation->width,
                                    allocation->height,
                                    allocation->format,
                                    rotation,
                                    false,
                                    source->scaled.wanted}
               : (struct dxgk_view){mode->width, mode->height,       mode->format,
                                    rotation,    allocation->stereo, source->scaled.wanted};
}

bool dxgk_source_fits(const struct dxgk_source *source, const struct dxgk_allocation *allocation)
{
    bool stereo = source->mode.type != D3DKMDT_RMT_GRAPHICS;
    bool indices = source->mode.format == D3DDDIFMT_P8;

    return allocation->stereo == stereo &&
           (!allocation->standard || (allocation->format == D3DDDIFMT_P8) == indices) &&
           (!allocation->standard ||
            (allocation->width == source->mode.width && allocation->height == source->mode.height));
}

static bool is_other_view(const struct showing *showing)
{
    return !dxgk_source_fits(showing->source, showing->allocation) ||
           showing->view.rotation != showing->source->rotation ||
           showing->view.scaling != showing->source->scaled.committed;
}

/* The path alone is turned, while its picture is seen: nothing else changes. */
static bool is_smooth_turn(const struct showing *showing)
{
    const struct dxgk_source *source = showing->source;

    return source->adapter->caps.SupportSmoothRotation && source->visible &&
           source->shown == showing->allocation && dxgk_source_fits(source, showing->allocation) &&
           showing->view.rotation != source->rotation &&
           showing->view.scaling == source->scaled.committed;
}

/* The same of its scaling, between sizes that differ before and after. */
static bool is_rescaled(const struct showing *showing)
{
    const struct dxgk_source *source = showing->source;

    return source->visible && source->shown == showing->allocation &&
           dxgk_source_fits(source, showing->allocation) &&
           showing->view.rotation == source->rotation && dxgk_is_scaled(source->mode.scaling) &&
           dxgk_is_scaled(showing->view.scaling) &&
           showing->view.scaling != source->scaled.committed;
}

/* What the hardware takes at its next vertical sync, or from a queue, is seen a moment later. */
static bool goes_dark(const struct dxgk_source *source)
{
    const struct dxgk_adapter *adapter = source->adapter;
    uint64_t resets = adapter->totals.resets;

    if (dxgk_target_is_black(adapter, source->target)) {
        return true;
    }
    task_block(machine_now_ns() + DARK_NS);
    return !dxgk_adapter_has_hardware(adapter) || adapter->totals.resets != resets ||
           adapter->still.on || source->visible || dxgk_target_is_black(adapter, source->target);
}

void dxgk_source_judge_dark(const struct dxgk_source *source)
{
    if (!dxgk_adapter_has_hardware(source->adapter)) {
        return;
    }
    contract_count(RULE_SHOW_001);
    if (!goes_dark(source)) {
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_001),
                                       .ddi = "DxgkDdiCommitVidPn"},
            "a source that is not visible not scanned",
            "SetVidPnSourceVisibility hid source %u, CommitVidPn followed, and %u ms later target "
            "%u shows a picture, before SetVidPnSourceAddress told an address and "
            "SetVidPnSourceVisibility showed it again",
            source->index, (unsigned)(DARK_NS / NS_PER_MS), source->target);
    }
}

/* No page says that an address lights nothing: advice. */
static void judge_hidden_address(const struct dxgk_source *source)
{
    if (!dxgk_adapter_has_hardware(source->adapter)) {
        return;
    }
    contract_count(RULE_SHOW_001);
    if (!goes_dark(source)) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_001),
                                                   .ddi = "DxgkDdiSetVidPnSourceAddress",
                                                   .advice = true},
                        "a source that is not visible not scanned, also when it has an address",
                        "SetVidPnSourceVisibility hid source %u, CommitVidPn and "
                        "SetVidPnSourceAddress followed, and target %u shows a picture, before "
                        "SetVidPnSourceVisibility showed it again",
                        source->index, source->target);
    }
}

/* Another mode: the driver agrees on it, the source goes dark, and it is committed. Where that
 * fails, what was seen is seen again. */
static NTSTATUS commit_other_view(const struct showing *showing)
{
    struct dxgk_source *source = showing->source;
    bool was_visible = source->visible;
    struct dxgk_vidpn *vidpn;

    NTSTATUS status = dxgk_vidpn_open_change(source, &showing->view, &vidpn);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    dxgk_source_hide(source);
    status = dxgk_vidpn_commit_source(source->adapter, vidpn, source->index,
                                      showing->allocation->driver_handle);
    if (NT_SUCCESS(status)) {
        dxgk_vidpn_take(source, vidpn);
        source->scaled.committed = showing->view.scaling;
        if (was_visible && !source->visible) {
            dxgk_source_judge_dark(source);
        }
        return status;
    }
    vidpn_destroy(vidpn);
    if (was_visible && source->shown && vidmm_pin_holds(&source->pin)) {
        dxgk_source_light(source);
    }
    return status;
}

static NTSTATUS commit_view(const struct showing *showing)
{
    struct dxgk_source *source = showing->source;
    struct dxgk_screens_kept kept;
    char what[64];

    snprintf(what, sizeof what, "of %u x %u pixels", showing->view.width, showing->view.height);
    dxgk_screens_keep(source->adapter, source, &kept);
    NTSTATUS status = is_other_view(showing)
                          ? commit_other_view(showing)
                          : dxgk_vidpn_commit(source->adapter, source->index, showing->allocation);
    dxgk_screens_judge_others(&kept, source, what);
    return status;
}

/* Of two calls that belong together the second comes some vertical syncs later. */
static void linger(const struct dxgk_source *source)
{
    if (vary_happens(VARY_SLOW_MODES, 2)) {
        uint64_t most_ns = FRAMES_MAX * dxgk_frame_ns(source);
        task_block(machine_now_ns() + vary_below(VARY_SLOW_MODES, most_ns));
    }
}

/* They were on before the mode was set, and nobody has switched them off. */
static bool keeps_vsyncs(const struct dxgk_source *source)
{
    return vary_on(VARY_SLOW_MODES) && dxgk_source_tells_vsyncs(source);
}

static void judge_kept_vsyncs(struct dxgk_source *source, uint64_t resets)
{
    const struct dxgk_adapter *adapter = source->adapter;
    bool came = present_wait_vsync(&source->present, machine_now_ns() + VSYNC_WAIT_NS);

    if (adapter->state != DXGK_ADAPTER_RUNNING || adapter->presence != DXGK_THERE ||
        adapter->totals.resets != resets || adapter->still.on) {
        return;
    }
    contract_count(RULE_SHOW_007);
    if (!came) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_007),
                                                   .ddi = "DxgkDdiCommitVidPn"},
                        "vertical syncs, which ControlInterrupt had switched on, behind another "
                        "mode, too",
                        "vertical syncs were on, CommitVidPn set a mode of source %u, and when "
                        "SetVidPnSourceAddress and SetVidPnSourceVisibility had followed none of "
                        "target %u was told for %u ms",
                        source->index, source->target, (unsigned)(VSYNC_WAIT_NS / NS_PER_MS));
        source->adapter->vsyncs_on = false; /* the run goes on */
        (void)dxgk_source_enable_vsync(source);
    }
}

/* The surface is pinned, unless a reset comes: the caller looks for that afterwards. */
static NTSTATUS program_mode(const struct showing *showing)
{
    struct dxgk_source *source = showing->source;
    bool was_visible = source->visible, kept = keeps_vsyncs(source);
    uint64_t resets = source->adapter->totals.resets;
    NTSTATUS status = commit_view(showing);

    if (NT_SUCCESS(status)) {
        linger(source);
        if (was_visible && !source->visible) {
            dxgk_source_judge_dark(source);
        }
        source->stereo_flags = 0;
        status = dxgk_source_set_mode_address(source, showing->allocation);
    }
    if (NT_SUCCESS(status)) {
        status = dxgk_source_enable_vsync(source);
    }
    if (NT_SUCCESS(status) && !source->visible) {
        linger(source);
        if (was_visible) {
            judge_hidden_address(source);
        }
        status = dxgk_source_set_visible(source, true);
    }
    if (NT_SUCCESS(status) && kept) {
        judge_kept_vsyncs(source, resets);
    }
    return status;
}

/* A driver may refuse it, and is asked for the mode then: false. The first time, too, after it was:
 * what is seen then was to be seen before. */
static bool rescale(const struct showing *showing, NTSTATUS *status)
{
    struct dxgk_source *source = showing->source;
    unsigned bit = 1u << showing->view.scaling % 32;
    struct dxgk_untouched since = dxgk_source_touch(source);
    uint64_t updated, committed;

    *status = dxgk_vidpn_rescale(source, showing->view.scaling);
    if (!NT_SUCCESS(*status)) {
        return false;
    }
    source->scaled.committed = showing->view.scaling;
    if (source->scaled.updated & bit) {
        return true;
    }
    source->scaled.updated |= bit;
    bool known = dxgk_screen_settle(source) && dxgk_screen_hash(source, &updated);
    *status = program_mode(showing);
    if (NT_SUCCESS(*status) && known && dxgk_screen_settle(source) &&
        dxgk_screen_hash(source, &committed) && dxgk_source_is_untouched(source, &since)) {
        dxgk_screen_judge_updated(source, updated == committed);
    }
    return true;
}

/* With the change in hand, nobody programs a flip. False: a reset took the pin, and what the screen
 * was told. Otherwise the source has the pin by now, or it failed. */
static bool show_pinned(const struct showing *showing, struct vidmm_pin *pin, NTSTATUS *status)
{
    struct dxgk_source *source = showing->source;
    struct vidmm_location location;

    dxgk_overlays_end(source);
    dxgk_source_end_flips(source);
    dxgk_screen_exam_planes(source);
    KERNEL_DUTY(PRES_054, !is_other_view(showing) || !dxgk_screens_are_drawn_on(source->adapter));
    if (is_smooth_turn(showing)) {
        *status = dxgk_vidpn_turn(source, showing->view.rotation);
        return true;
    }
    if (is_rescaled(showing) && rescale(showing, status)) {
        return true;
    }
    *status = program_mode(showing);
    if (!vidmm_pin_holds(pin)) {
        return false;
    }
    if (NT_SUCCESS(*status)) {
        vidmm_allocation_location(&showing->allocation->memory, &location);
        present_source_shown(&source->present, location.address);
        dxgk_source_replace_shown(source, showing->allocation, pin);
    }
    return true;
}

/* A VidPN is changed by whoever has the changes of all its sources in hand. */
static bool show_once(const struct showing *showing, struct vidmm_pin *pin, NTSTATUS *status)
{
    struct dxgk_source *source = showing->source;
    bool other = is_other_view(showing);
    bool all = other || !source->examined; /* the exam sets other sources' pointers */

    if (all) {
        dxgk_display_begin_changes(source->adapter);
    } else {
        dxgk_source_begin_change(source);
    }
    bool settled = other == is_other_view(showing) &&
                   (!other || !dxgk_screens_are_drawn_on(source->adapter)) &&
                   show_pinned(showing, pin, status);
    if (settled && NT_SUCCESS(*status) && !source->examined) {
        source->examined = true;
        dxgk_screen_exam(source);
    }
    if (settled && NT_SUCCESS(*status) && other && showing->view.stereo &&
        !dxgk_is_scaled(source->mode.scaling) && !source->stereo_examined) {
        source->stereo_examined = true;
        dxgk_screen_exam_stereo(source);
    }
    if (all) {
        dxgk_display_end_changes(source->adapter);
    } else {
        dxgk_source_end_change(source);
    }
    return settled;
}

static NTSTATUS show(const struct showing *showing)
{
    struct dxgk_adapter *adapter = showing->source->adapter;
    bool settled = false;
    NTSTATUS status;

    do {
        struct vidmm_pin pin = {0};
        status = dxgk_surface_pin(showing->allocation, &pin);
        if (!NT_SUCCESS(status)) {
            return status;
        }
        /* A mode change shows its first surface with the GPU idle (level two). */
        dxgk_screens_wait_presents(adapter);
        dxgk_adapter_wait_idle(adapter, MACHINE_NEVER);
        settled = show_once(showing, &pin, &status);
        dxgk_surface_unpin(adapter, &pin);
        if (!settled && !dxgk_adapter_has_hardware(adapter)) {
            return STATUS_DEVICE_REMOVED;
        }
    } while (!settled);
    return status;
}

NTSTATUS dxgk_source_show(struct dxgk_adapter *adapter, unsigned index,
                          struct dxgk_opening *primary, D3DDDI_ROTATION rotation)
{
    if (index >= adapter->source_count || !adapter->sources[index].active) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!life_enter(&primary->life)) {
        return STATUS_INVALID_HANDLE;
    }
    struct dxgk_source *source = &adapter->sources[index];
    NTSTATUS status = show(&(struct showing){source, primary->allocation,
                                             view_of(source, primary->allocation, rotation)});
    life_leave(&primary->life);
    return status;
}

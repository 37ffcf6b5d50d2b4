/* Clones: for some moments a source is shown on the monitor of another target, too, in its size or
 * scaled; and one that is scaled itself is shown there in its own size (clone_scaled.c).
 *
 *   clients wait outside, all work is done ─> whoever is shown on that target goes dark, and its
 *   path goes ─> a second path from the source ─> committed, address, visibility: both show the
 *   same ─> each target is examined by itself ─> a flip there and back ─> the path goes again, and
 *   what was shown is shown
 *
 * A driver that does not support such a VidPN, or offers neither a mode of that size for the target
 * nor a scaling, is asked for nothing more. Nothing but what monitors show is judged: which of them
 * syncs with a flip is not; that nothing is told of one is advice. */
#include "dxgk/clone_parts.h"
#include "dxgk/vidpn.h"
#include "dxgk/work.h"

#include <stdio.h>
#include <stdlib.h>

#define FLIP_NS (500 * NS_PER_MS)

bool dxgk_clone_is_disturbed(const struct cloning *cloning)
{
    return dxgk_screens_disturbed(&cloning->kept) || !vidmm_pin_holds(&cloning->source->pin);
}

/* ---- What is seen --------------------------------------------------------------------------- */

/* Of the target; false: the device model cannot tell. */
static bool hash_of(const struct cloning *cloning, UINT target, uint64_t *hash)
{
    return dxgk_target_hash(cloning->adapter, target, hash);
}

static bool shows_as_before(const struct cloning *cloning, UINT target)
{
    uint64_t now;

    return hash_of(cloning, target, &now) && now == cloning->kept.seen[cloning->source->index];
}

/* The second target has vertical syncs of its own, at another rate perhaps. */
static void wait_for_second(void)
{
    task_block(machine_now_ns() + DXGK_LONGEST_FRAME_NS);
}

/* Also where no vertical sync of the first target comes any more, and other interrupts do. */
static bool may_be_seen(const struct cloning *cloning)
{
    const struct ddi_adapter *ddi = &cloning->adapter->ddi;
    uint64_t claimed = ddi->claimed_interrupts;
    bool seen = dxgk_screen_settle(cloning->source) || ddi->claimed_interrupts != claimed;

    wait_for_second();
    return seen && !dxgk_clone_is_disturbed(cloning);
}

/* Both monitors show what the first one showed; true if so. */
static bool judge_commit(struct cloning *cloning)
{
    struct dxgk_source *source = cloning->source;

    if (!may_be_seen(cloning) || !dxgk_screen_tells(&cloning->kept, source)) {
        return false;
    }
    bool first = shows_as_before(cloning, cloning->first);
    bool alike = !dxgk_clone_differs(cloning);
    bool second = !alike || shows_as_before(cloning, cloning->second);
    char seen[64];

    contract_count(RULE_SHOW_001);
    if (!first || !second) {
        if (first || second) {
            snprintf(seen, sizeof seen, "target %u does not show its surface",
                     first ? cloning->second : cloning->first);
        } else {
            snprintf(seen, sizeof seen, "neither of them shows its surface");
        }
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_001)},
                        "a visible source's surface on each target that it has a path to",
                        "source %u has paths to target %u and target %u in the VidPN that was "
                        "committed, and after CommitVidPn, SetVidPnSourceAddress with ModeChange "
                        "and SetVidPnSourceVisibility %s",
                        source->index, cloning->first, cloning->second, seen);
    }
    bool right = first && second && (alike || dxgk_clone_judge_scaled(source, cloning->second));
    cloning->second_known = hash_of(cloning, cloning->second, &cloning->second_seen) && right &&
                            !dxgk_target_is_black(cloning->adapter, cloning->second);
    return right;
}

/* As if the path were the source's only one: it is hidden and shown, and pointed on. */
static void examine(struct cloning *cloning, UINT target)
{
    struct dxgk_source *source = cloning->source;
    struct dxgk_vidpn *vidpn = cloning->adapter->active_vidpn;
    const struct vidpn_path *own = vidpn_path_find(vidpn, source->index, cloning->first);
    struct vidpn_path only = *vidpn_path_find(vidpn, source->index, target);

    only.source_modes = own->source_modes;
    dxgk_vidpn_keep_mode(cloning->adapter, &only);
    if (target == cloning->second) {
        dxgk_screen_judge_second(source, cloning->first, &cloning->kept);
    }
    dxgk_screen_exam(source);
    dxgk_vidpn_keep_mode(cloning->adapter, own);
}

/* ---- A flip --------------------------------------------------------------------------------- */

/* The episode waits for it, and owns it. */
static void flip_done(struct present_flip *base, NTSTATUS status)
{
}

/* Returns when a vertical sync said that it is shown, or after some time. */
void dxgk_clone_flip_to(struct cloning *cloning, struct dxgk_allocation *allocation,
                        const struct vidmm_pin *pin, DXGK_SETVIDPNSOURCEADDRESS_FLAGS flags)
{
    struct dxgk_source *source = cloning->source;
    struct dxgk_flip *flip = calloc(1, sizeof *flip);
    struct vidmm_location location;

    if (!flip || dxgk_clone_is_disturbed(cloning) || !vidmm_pin_holds(pin)) {
        free(flip);
        return;
    }
    vidmm_allocation_location(&allocation->memory, &location);
    list_init(&flip->link);
    flip->source = source;
    flip->allocation = allocation;
    flip->context = cloning->context->driver_handle;
    flip->flags = flags;
    flip->flags.FlipOnNextVSync = 1;
    flip->base.interval = 1;
    flip->base.address = location.address;
    flip->base.object = allocation->object;
    flip->base.done = flip_done;
    present_flip_push(&source->present, &flip->base);
    if (!present_wait_flips(&source->present, machine_now_ns() + FLIP_NS)) {
        present_source_cancel(&source->present, VIDSCH_STATUS_CANCELLED);
    }
    dpc_flush_all();
    free(flip);
}

/* One of them shows another picture than before. */
static void judge_flip(const struct cloning *cloning, uint64_t before)
{
    struct dxgk_screen_wrong unused;
    uint64_t first, second;

    wait_for_second();
    if (dxgk_clone_is_disturbed(cloning) || !hash_of(cloning, cloning->first, &first) ||
        !hash_of(cloning, cloning->second, &second)) {
        return;
    }
    if (dxgk_clone_differs(cloning)) { /* as if both were in one size */
        second = second == cloning->second_seen                                ? before
                 : dxgk_clone_shows(cloning->source, cloning->second, &unused) ? first
                                                                               : second;
    }
    if (first == before && second == before) {
        return;
    }
    contract_count(RULE_FLIP_012);
    if (first != second) {
        UINT changed = first == before ? cloning->second : cloning->first;
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(FLIP_012)},
                        "the source's surface on each target that the VidPN has a path to",
                        "source %u has paths to target %u and target %u in the VidPN that was "
                        "committed; after SetVidPnSourceAddress with FlipOnNextVSync target %u "
                        "shows another surface than before, and target %u shows %s",
                        cloning->source->index, cloning->first, cloning->second, changed,
                        changed == cloning->first ? cloning->second : cloning->first,
                        first == before || second == before ? "the one before"
                                                            : "neither of these two");
    }
}

/* Pictures that look alike tell nothing. */
static void flip_there_and_back(struct cloning *cloning)
{
    const DXGK_SETVIDPNSOURCEADDRESS_FLAGS plain = {.Value = 0};
    struct dxgk_source *source = cloning->source;
    uint64_t before;

    if (!cloning->next || !hash_of(cloning, cloning->first, &before)) {
        return;
    }
    dxgk_clone_flip_to(cloning, cloning->next, &cloning->pin, plain);
    if (dxgk_screen_settle(source)) {
        judge_flip(cloning, before);
    }
    if (!dxgk_clone_is_disturbed(cloning)) {
        dxgk_clone_flip_to(cloning, source->shown, &source->pin, plain);
    }
}

/* ---- The surface to flip to ----------------------------------------------------------------- */

/* Before the screens are in hand: the worker places it. */
static void take_next(struct cloning *cloning)
{
    struct dxgk_allocation *next = dxgk_source_next_primary(cloning->source);

    if (!next || !life_enter(&next->life)) {
        return;
    }
    struct dxgk_life *context = &dxgk_device_first_context(next->owner)->life;
    life_get(context);
    if (NT_SUCCESS(dxgk_surface_pin(next, &cloning->pin)) && life_enter(context)) {
        cloning->next = next;
        cloning->context = container_of(context, struct dxgk_context, life);
        return;
    }
    dxgk_surface_unpin(cloning->adapter, &cloning->pin);
    life_put(context);
    life_leave(&next->life);
}

static void let_next_go(struct cloning *cloning)
{
    if (!cloning->next) {
        return;
    }
    dxgk_surface_unpin(cloning->adapter, &cloning->pin);
    life_leave(&cloning->context->life);
    life_put(&cloning->context->life);
    life_leave(&cloning->next->life);
}

/* ---- From one target to two, and back ------------------------------------------------------- */

/* Dark, and without its path. */
static bool clear_second(struct cloning *cloning)
{
    struct dxgk_source *other = cloning->other;

    if (!other) {
        return true;
    }
    cloning->other_was_visible = other->visible;
    dxgk_source_hide(other);
    return NT_SUCCESS(dxgk_vidpn_drop_path(cloning->adapter, other->index, cloning->second));
}

static void light(struct dxgk_source *source)
{
    if (source->shown && vidmm_pin_holds(&source->pin)) {
        dxgk_source_light(source);
    } else {
        source->set_mode = true; /* a reset: the worker shows it again */
    }
}

/* Clients, who are let go then, may look at it at once. */
static void light_and_settle(struct dxgk_source *source)
{
    light(source);
    (void)dxgk_screen_settle(source);
}

static void restore_second(struct cloning *cloning)
{
    struct dxgk_source *other = cloning->other;
    struct dxgk_failure failure = {.ours = false};

    if (!other) {
        return;
    }
    if (vidpn_path_find(cloning->adapter->active_vidpn, cloning->source->index, cloning->second)) {
        return; /* it was refused that it goes: a target has one path */
    }
    if (!vidpn_path_find(cloning->adapter->active_vidpn, other->index, cloning->second) &&
        !NT_SUCCESS(dxgk_vidpn_restore_path(other, &failure))) {
        return;
    }
    if (cloning->other_was_visible && !other->visible) {
        light_and_settle(other);
    }
}

/* Whatever a monitor without a path shows, it is not what the source shows elsewhere. */
static void judge_end(const struct cloning *cloning)
{
    const struct dxgk_source *source = cloning->source;
    uint64_t now;

    wait_for_second();
    if (!cloning->second_known || dxgk_clone_is_disturbed(cloning)) {
        return;
    }
    contract_count(RULE_VIDPN_011);
    if (hash_of(cloning, cloning->second, &now) && now == cloning->second_seen) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_011),
                                                   .ddi = "DxgkDdiCommitVidPn"},
                        "the paths of the source that is named by AffectedVidPnSourceId as they "
                        "are in the new VidPN, and none of before",
                        "CommitVidPn with AffectedVidPnSourceId %u and a VidPN in which source %u "
                        "has a path to target %u and none to target %u any more; target %u shows "
                        "its surface as before",
                        source->index, source->index, cloning->first, cloning->second,
                        cloning->second);
    }
}

static void end_clone(struct cloning *cloning)
{
    struct dxgk_source *source = cloning->source;

    dxgk_source_hide(source);
    NTSTATUS status = dxgk_vidpn_drop_path(cloning->adapter, source->index, cloning->second);
    light(source);
    if (dxgk_screen_settle(source) && dxgk_screen_tells(&cloning->kept, source)) {
        if (NT_SUCCESS(status)) {
            judge_end(cloning);
        }
        contract_count(RULE_SHOW_001);
        if (!dxgk_screen_is_kept(&cloning->kept, source)) {
            contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_001)},
                            "a primary scanned while its source is visible",
                            "after a VidPN without the second path of source %u, to target %u, was "
                            "committed, with SetVidPnSourceAddress and SetVidPnSourceVisibility "
                            "after it, target %u does not show the surface as before",
                            source->index, cloning->second, cloning->first);
        }
    }
}

/* Where its monitor has no mode of that size, the path can be scaled alone; where it cannot be
 * scaled, not. In stereo it never is, nor beside one that is scaled: what two scalers make of a
 * picture may differ. */
static bool add_second(struct cloning *cloning)
{
    struct dxgk_source *source = cloning->source;
    bool as_it_is =
        source->mode.type != D3DKMDT_RMT_GRAPHICS || dxgk_is_scaled(source->mode.scaling);

    cloning->scaled &= !as_it_is;
    bool added = NT_SUCCESS(dxgk_vidpn_add_clone(source, cloning->second, cloning->scaled));
    if (!added && !as_it_is) {
        cloning->scaled = !cloning->scaled;
        added = NT_SUCCESS(dxgk_vidpn_add_clone(source, cloning->second, cloning->scaled));
    }
    return added;
}

static bool clone(struct cloning *cloning)
{
    struct dxgk_source *source = cloning->source;

    if (!clear_second(cloning)) {
        restore_second(cloning);
        return false;
    }
    bool cloned = add_second(cloning);
    if (cloned) {
        light(source);
        bool same = judge_commit(cloning) && !dxgk_clone_is_disturbed(cloning);
        if (same && source->mode.type != D3DKMDT_RMT_GRAPHICS) {
            dxgk_clone_examine_stereo(cloning);
        } else if (same && dxgk_clone_differs(cloning)) {
            dxgk_clone_exam_scaled(cloning);
            flip_there_and_back(cloning);
        } else if (same) {
            examine(cloning, cloning->second);
            examine(cloning, cloning->first);
            flip_there_and_back(cloning);
        }
        end_clone(cloning);
    } else if (!source->visible) {
        light_and_settle(source);
    }
    restore_second(cloning);
    return cloned;
}

/* ---- Which one ------------------------------------------------------------------------------ */

static struct dxgk_source *source_of_target(struct dxgk_adapter *adapter, UINT target)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        if (source->active && source->target == target &&
            vidpn_path_find(adapter->active_vidpn, i, target)) {
            return source;
        }
    }
    return NULL;
}

static bool can_be_cloned(const struct dxgk_source *source)
{
    return source->active && source->visible && source->shown && vidmm_pin_holds(&source->pin) &&
           source->rotation == D3DDDI_ROTATION_IDENTITY &&
           (source->mode.type == D3DKMDT_RMT_GRAPHICS || !dxgk_is_scaled(source->mode.scaling));
}

static bool choose_target(struct cloning *cloning)
{
    struct dxgk_adapter *adapter = cloning->adapter;

    cloning->first = cloning->source->target;
    for (ULONG i = 0; adapter->children && i < adapter->child_count; i++) {
        const struct dxgk_child *child = &adapter->children[i];
        if (child->connected && contract_is_output(child->descriptor.ChildDeviceType) &&
            child->descriptor.ChildUid != cloning->first) {
            cloning->second = child->descriptor.ChildUid;
            cloning->other = source_of_target(adapter, cloning->second);
            return true;
        }
    }
    return false;
}

static struct dxgk_source *choose(struct dxgk_adapter *adapter, const struct dxgk_clone_wish *wish)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[(i + wish->which) % adapter->source_count];
        if (can_be_cloned(source) && (!wish->of_scaled || dxgk_is_scaled(source->mode.scaling))) {
            return source;
        }
    }
    return NULL;
}

static bool can_change_now(const struct dxgk_adapter *adapter)
{
    return adapter->state == DXGK_ADAPTER_RUNNING && adapter->presence < DXGK_TOLD &&
           !adapter->reshowing && adapter->active_vidpn;
}

static bool clone_in_hand(struct cloning *cloning)
{
    struct dxgk_adapter *adapter = cloning->adapter;

    dxgk_display_begin_changes(adapter);
    dxgk_screens_keep(adapter, NULL, &cloning->kept);
    bool happened = can_change_now(adapter) && can_be_cloned(cloning->source) &&
                    !dxgk_screen_is_black(cloning->source) && clone(cloning);
    dxgk_display_end_changes(adapter);
    return happened;
}

bool dxgk_adapter_clone(struct dxgk_adapter *adapter, const struct dxgk_clone_wish *wish,
                        uint64_t deadline_ns)
{
    struct cloning cloning = {.adapter = adapter, .scaled = wish->scaled};
    bool happened = false;

    if (adapter->display_only || (wish->of_scaled && !choose(adapter, wish)) ||
        !dxgk_hold_clients(adapter, deadline_ns)) {
        return false;
    }
    cloning.source = can_change_now(adapter) ? choose(adapter, wish) : NULL;
    if (cloning.source && choose_target(&cloning)) {
        take_next(&cloning);
        happened = (cloning.next || !wish->flips) && clone_in_hand(&cloning);
        let_next_go(&cloning);
    }
    dxgk_let_clients_go();
    return happened;
}

void dxgk_screen_exam_stereo(struct dxgk_source *source)
{
    struct cloning cloning = {.adapter = source->adapter, .source = source};
    struct dxgk_device *owner = source->shown ? source->shown->owner : NULL;
    struct dxgk_context *context = owner ? dxgk_device_first_context(owner) : NULL;

    if (!context || !can_change_now(source->adapter) || !can_be_cloned(source) ||
        !choose_target(&cloning) || !life_enter(&context->life)) {
        return;
    }
    cloning.context = context;
    dxgk_screens_keep(source->adapter, NULL, &cloning.kept);
    clone(&cloning);
    life_leave(&context->life);
}

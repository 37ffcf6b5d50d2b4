/* What the driver was told to show, and what its vertical syncs say is shown. */
#include "contract/tracker.h"

#include <string.h>

#include "contract/internal.h"

static struct contract_source *source_of(const struct contract_call *call, UINT index)
{
    return index < CONTRACT_SOURCES_MAX ? &call->tracker->sources[index] : NULL;
}

/* Until an address is given they may show anything, and targets another source than before. */
static void forget_targets(struct contract_tracker *tracker)
{
    for (unsigned i = 0; i < tracker->listed_children; i++) {
        tracker->children[i].told_given = false;
    }
}

void track_commit_vidpn(struct contract_call *call)
{
    const DXGKARG_COMMITVIDPN *commit = call->before;

    for (UINT i = 0; i < CONTRACT_SOURCES_MAX; i++) {
        if (commit->AffectedVidPnSourceId == D3DDDI_ID_ALL || commit->AffectedVidPnSourceId == i) {
            call->tracker->sources[i].committed = true;
            call->tracker->sources[i].renewed = true;
            call->tracker->sources[i].shown_known = false;
            track_forget_planes(&call->tracker->sources[i]);
        }
    }
    forget_targets(call->tracker);
}

/* ---- Flips ----------------------------------------------------------------------------------- */

static void drop_first(struct contract_source *source, unsigned count)
{
    source->pending_count -= count;
    source->waited = 0;
    memmove(source->pending, source->pending + count,
            source->pending_count * sizeof source->pending[0]);
}

/* Clones change one after another, each with its vertical sync. */
static unsigned late_notices(const struct contract_call *call)
{
    return CONTRACT_LATE_VSYNCS * (call->tracker->child_count ? call->tracker->child_count : 1);
}

static void show(const struct contract_call *call, struct contract_source *source, uint64_t address)
{
    source->before_left = source->shown_known ? late_notices(call) : 0;
    source->shown_before = source->shown;
    source->shown = address;
}

static void take_flip(struct contract_source *source, uint64_t address)
{
    if (source->pending_count == CONTRACT_PENDING_MAX) {
        drop_first(source, 1);
    }
    source->waited = source->pending_count ? source->waited : 0;
    source->pending[source->pending_count++] = address;
}

static void forget(struct contract_source *source)
{
    track_forget_planes(source);
    source->retry_wanted = false;
    source->pending_count = 0;
    source->shown_known = false;
}

void track_source_address(struct contract_call *call)
{
    const DXGKARG_SETVIDPNSOURCEADDRESS *arguments = call->arguments;
    struct contract_source *source = source_of(call, arguments->VidPnSourceId);
    uint64_t address = (uint64_t)arguments->PrimaryAddress.QuadPart;

    if (!source) {
        return;
    }
    source->addresses[source->address_count++ % CONTRACT_ADDRESSES_MAX] = address;
    source->renewed = false;
    track_forget_planes(source); /* it turns them off [FLIP-013] */
    if (arguments->Flags.ModeChange) {
        source->pending_count = 0; /* it shows at once, instead of whatever waited */
    }
    if (arguments->Flags.FlipOnNextVSync && !arguments->Flags.ModeChange) {
        take_flip(source, address);
        source->commanded = false;
    } else {
        /* A notice that is on its way tells what was shown until now, which nobody knows. */
        source->unsure_left = source->shown_known ? source->unsure_left : late_notices(call);
        show(call, source, address);
        source->shown_known = true;
    }
}

/* A buffer that flips was submitted; NULL: where to, nobody knows. */
void track_flip_command(struct contract_source *source, const uint64_t *address)
{
    if (!address) {
        forget(source);
        return;
    }
    source->addresses[source->address_count++ % CONTRACT_ADDRESSES_MAX] = *address;
    source->renewed = false;
    take_flip(source, *address);
    source->commanded = true;
}

/* A flip that the driver refused waits for nothing. */
void track_source_answer(struct contract_call *call)
{
    const DXGKARG_SETVIDPNSOURCEADDRESS *before = call->before;
    struct contract_source *source = source_of(call, before->VidPnSourceId);

    if (!source || has_succeeded(call)) {
        return;
    }
    source->shown_known = false;
    if (before->Flags.FlipOnNextVSync && source->pending_count) {
        source->pending_count--;
    }
}

/* Without a picture no vertical sync speaks of flips. */
void track_visibility(struct contract_call *call)
{
    const DXGKARG_SETVIDPNSOURCEVISIBILITY *before = call->before;
    struct contract_source *source = source_of(call, before->VidPnSourceId);

    if (source && !before->Visible) {
        source->shown_known &= source->pending_count == 0; /* some of them may have been shown */
        source->pending_count = 0;
        track_forget_planes(source);
    }
}

/* What is shown after a change of power the next address says; until then it may be what firmware
 * lit. */
void track_power(struct contract_call *call)
{
    const struct contract_power *asked = call->extra;

    track_reset_display(call->tracker);
    forget_targets(call->tracker);
    for (unsigned i = 0; i < CONTRACT_SOURCES_MAX; i++) {
        call->tracker->sources[i].renewed = true;
    }
    track_forget_clocks(call->tracker);
    if (asked->device == DISPLAY_ADAPTER_HW_ID) { /* of a child, engines run */
        track_queues_at_rest(call);
        for (unsigned i = 0; i < CONTRACT_NODES_MAX; i++) {
            call->tracker->nodes[i].slept = true;
        }
    }
}

bool contract_shows_or_waits(const struct contract_source *source, uint64_t address)
{
    bool found =
        address == source->shown || (source->before_left && address == source->shown_before);

    for (unsigned i = 0; i < source->pending_count && !found; i++) {
        found = source->pending[i] == address;
    }
    return source->shown_known && found;
}

bool contract_may_show(const struct contract_source *source, uint64_t address)
{
    return !source->shown_known || source->unsure_left || contract_shows_or_waits(source, address);
}

/* The flip that a vertical sync shows is over, and those before it are. Or the notice is another
 * target's, or late, and tells the old surface, to which a later flip leads back: those between are
 * believed for some time. */
static void take_vsync(const struct contract_call *call, struct contract_source *source)
{
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data = call->arguments;
    uint64_t address = (uint64_t)data->CrtcVsync.PhysicalAddress.QuadPart;
    UINT target = data->CrtcVsync.VidPnTargetId;
    bool is_old = source->shown_known && address == source->shown;

    source->before_left -= source->before_left > 0;
    source->unsure_left -= source->unsure_left > 0;
    for (unsigned i = 0; i < source->pending_count; i++) {
        if (source->pending[i] == address) {
            source->unsure_left = is_old && i ? late_notices(call) + i : source->unsure_left;
            drop_first(source, i + 1);
            show(call, source, address);
            return;
        }
    }
    if (address == source->shown && source->pending_count && !source->commanded) {
        source->waited_target = source->waited ? source->waited_target : target;
        source->waited += source->waited_target == target;
    }
}

/* Which source a target shows is not said at the door: the address tells. */
void track_notify_display(struct contract_call *call)
{
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data = call->arguments;

    if (data->InterruptType != DXGK_INTERRUPT_CRTC_VSYNC) {
        return;
    }
    for (UINT i = 0; i < call->tracker->source_count && i < CONTRACT_SOURCES_MAX; i++) {
        take_vsync(call, &call->tracker->sources[i]);
    }
}

void track_reset_display(struct contract_tracker *tracker)
{
    for (unsigned i = 0; i < CONTRACT_SOURCES_MAX; i++) {
        forget(&tracker->sources[i]);
    }
}

bool contract_any_is_renewed(const struct contract_tracker *tracker)
{
    bool any = false;

    for (unsigned i = 0; i < tracker->source_count && i < CONTRACT_SOURCES_MAX; i++) {
        any |= tracker->sources[i].committed && tracker->sources[i].renewed;
    }
    return any;
}

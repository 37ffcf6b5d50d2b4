/* What the driver was told to show, and what its vertical syncs say is shown. */
#include "contract/tracker.h"

#include <string.h>

#include "contract/internal.h"

static struct contract_source *source_of(const struct contract_call *call, UINT index)
{
    return index < CONTRACT_SOURCES_MAX ? &call->tracker->sources[index] : NULL;
}

void track_commit_vidpn(struct contract_call *call)
{
    const DXGKARG_COMMITVIDPN *commit = call->before;

    for (UINT i = 0; i < CONTRACT_SOURCES_MAX; i++) {
        if (commit->AffectedVidPnSourceId == D3DDDI_ID_ALL || commit->AffectedVidPnSourceId == i) {
            call->tracker->sources[i].committed = true;
        }
    }
}

/* ---- Flips ----------------------------------------------------------------------------------- */

static void drop_first(struct contract_source *source, unsigned count)
{
    source->pending_count -= count;
    memmove(source->pending, source->pending + count,
            source->pending_count * sizeof source->pending[0]);
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
    if (arguments->Flags.ModeChange) {
        source->pending_count = 0; /* it shows at once, instead of whatever waited */
    } else if (arguments->Flags.FlipOnNextVSync) {
        if (source->pending_count == CONTRACT_PENDING_MAX) {
            drop_first(source, 1);
        }
        source->pending[source->pending_count++] = address;
    }
}

/* A flip that the driver refused waits for nothing. */
void track_source_answer(struct contract_call *call)
{
    const DXGKARG_SETVIDPNSOURCEADDRESS *before = call->before;
    struct contract_source *source = source_of(call, before->VidPnSourceId);

    if (source && !has_succeeded(call) && before->Flags.FlipOnNextVSync && source->pending_count) {
        source->pending_count--;
    }
}

/* Without a picture no vertical sync speaks of flips. */
void track_visibility(struct contract_call *call)
{
    const DXGKARG_SETVIDPNSOURCEVISIBILITY *before = call->before;
    struct contract_source *source = source_of(call, before->VidPnSourceId);

    if (source && !before->Visible) {
        source->pending_count = 0;
    }
}

/* The flip that a vertical sync shows is over, and those before it are. Which source a target shows
 * is not said at the door: the address tells. */
void track_notify_display(struct contract_call *call)
{
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data = call->arguments;

    if (data->InterruptType != DXGK_INTERRUPT_CRTC_VSYNC) {
        return;
    }
    for (UINT i = 0; i < call->tracker->source_count && i < CONTRACT_SOURCES_MAX; i++) {
        struct contract_source *source = &call->tracker->sources[i];
        for (unsigned k = 0; k < source->pending_count; k++) {
            if (source->pending[k] == (uint64_t)data->CrtcVsync.PhysicalAddress.QuadPart) {
                drop_first(source, k + 1);
                break;
            }
        }
    }
}

void track_reset_display(struct contract_tracker *tracker)
{
    for (unsigned i = 0; i < CONTRACT_SOURCES_MAX; i++) {
        tracker->sources[i].pending_count = 0;
    }
}

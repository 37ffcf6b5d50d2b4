/* Overlay planes: what the driver was given to show, and what vertical syncs tell of it. */
#include "contract/tracker.h"

#include <string.h>

#include "contract/internal.h"

#define ARGUMENTS DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3

static struct contract_source *source_of(const struct contract_call *call, UINT index)
{
    return index < CONTRACT_SOURCES_MAX ? &call->tracker->sources[index] : NULL;
}

static void give(struct contract_source *source, const DXGK_MULTIPLANE_OVERLAY_PLANE3 *plane)
{
    if (plane->LayerIndex >= CONTRACT_PLANES_MAX) {
        return;
    }
    source->planes[plane->LayerIndex].asked = plane->PresentId;
    source->planes[plane->LayerIndex].awaited = true;
    source->planes[plane->LayerIndex].waited = 0;
    if (plane->LayerIndex == 0 && plane->InputFlags.Enabled && plane->ContextCount > 0) {
        source->addresses[source->address_count++ % CONTRACT_ADDRESSES_MAX] =
            (uint64_t)plane->ppContextData[0]->SegmentAddress.QuadPart;
    }
}

void track_forget_planes(struct contract_source *source)
{
    for (UINT i = 0; i < CONTRACT_PLANES_MAX; i++) {
        source->planes[i].awaited = false;
    }
}

void track_planes(struct contract_call *call)
{
    const ARGUMENTS *arguments = call->arguments;
    struct contract_source *source = source_of(call, arguments->VidPnSourceId);

    for (UINT i = 0; source && i < arguments->PlaneCount && i < CONTRACT_PLANES_MAX; i++) {
        call->tracker->planes_given[i] = arguments->ppPlanes[i];
        give(source, arguments->ppPlanes[i]);
    }
    if (source) { /* no vertical sync tells its address while planes are shown */
        source->pending_count = 0;
        source->shown_known = false;
    }
}

void track_planes_answer(struct contract_call *call)
{
    const ARGUMENTS *before = call->before, *after = call->arguments;
    struct contract_source *source = source_of(call, before->VidPnSourceId);

    if (!source) {
        return;
    }
    source->retry_wanted = call->status == STATUS_RETRY && after->OutputFlags.PrePresentNeeded;
    for (UINT i = 0; i < before->PlaneCount && i < CONTRACT_PLANES_MAX; i++) {
        const DXGK_MULTIPLANE_OVERLAY_PLANE3 *plane = call->tracker->planes_given[i];
        UINT layer = plane->LayerIndex;
        if (layer < CONTRACT_PLANES_MAX && call->status != STATUS_SUCCESS) {
            source->planes[layer].awaited = false;
        } else if (layer < CONTRACT_PLANES_MAX && plane->OutputFlags.PostPresentNeeded) {
            call->tracker->posts_wanted |= 1u << layer;
        }
    }
}

void track_planes_asked(struct contract_call *call)
{
    const DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3 *after = call->arguments;

    call->tracker->planes_supported = has_succeeded(call) && after->Supported;
}

void track_planes_posted(struct contract_call *call)
{
    const DXGKARG_POSTMULTIPLANEOVERLAYPRESENT *arguments = call->arguments;

    if (arguments->LayerIndex < CONTRACT_PLANES_MAX) {
        call->tracker->posts_wanted &= ~(1u << arguments->LayerIndex);
    }
}

/* Which source a target shows is not said at the door: PresentIds are nobody else's. */
static void take_plane(struct contract_tracker *tracker,
                       const DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2 *told)
{
    for (UINT i = 0; i < CONTRACT_SOURCES_MAX; i++) {
        struct contract_plane *plane = &tracker->sources[i].planes[told->LayerIndex];
        if (plane->asked != 0 && told->PresentId == plane->asked) {
            plane->awaited = false;
        }
    }
    tracker->posts_wanted |= told->Flags.PostPresentNeeded ? 1u << told->LayerIndex : 0;
}

void track_notify_planes(struct contract_call *call)
{
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data = call->arguments;
    UINT count = data->CrtcVsyncWithMultiPlaneOverlay2.MultiPlaneOverlayVsyncInfoCount;

    if (data->InterruptType != DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2) {
        return;
    }
    for (UINT i = 0; i < CONTRACT_SOURCES_MAX; i++) {
        for (UINT k = 0; k < CONTRACT_PLANES_MAX; k++) {
            struct contract_plane *plane = &call->tracker->sources[i].planes[k];
            plane->waited += plane->awaited;
        }
    }
    for (UINT i = 0; i < count && i < CONTRACT_PLANES_MAX; i++) {
        const DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2 *told =
            &data->CrtcVsyncWithMultiPlaneOverlay2.pMultiPlaneOverlayVsyncInfo[i];
        if (told->LayerIndex < CONTRACT_PLANES_MAX) {
            take_plane(call->tracker, told);
        }
    }
}

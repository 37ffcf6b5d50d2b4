/* Overlay planes: what the driver was given to show, and what vertical syncs tell of it. */
#include "contract/tracker.h"

#include <string.h>

#include "contract/internal.h"

typedef DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY first_arguments;
typedef DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY2 second_arguments;
typedef DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3 third_arguments;

/* ---- All forms in one ------------------------------------------------------------------------ */

struct contract_planes_call contract_planes_of(const struct contract_call *call)
{
    if (call->point == POINT_SetVidPnSourceAddressWithMultiPlaneOverlay) {
        const first_arguments *first = call->before ? call->before : call->arguments;
        return (struct contract_planes_call){first->VidPnSourceId, first->PlaneCount, false};
    }
    if (call->point == POINT_SetVidPnSourceAddressWithMultiPlaneOverlay2) {
        const second_arguments *second = call->before ? call->before : call->arguments;
        return (struct contract_planes_call){second->VidPnSourceId, second->PlaneCount, false};
    }
    const third_arguments *third = call->before ? call->before : call->arguments;
    return (struct contract_planes_call){third->VidPnSourceId, third->PlaneCount, true};
}

#define OLDER_GIVEN(plane)                                                                        \
    (struct contract_plane_given)                                                                 \
    {                                                                                             \
        .layer = (plane)->LayerIndex, .on = (plane)->Enabled, .allocation = (plane)->hAllocation, \
        .segment = (plane)->AllocationSegment,                                                    \
        .address = (uint64_t)(plane)->AllocationAddress.QuadPart                                  \
    }

struct contract_plane_given contract_plane_given(const struct contract_call *call, UINT i)
{
    if (call->point == POINT_SetVidPnSourceAddressWithMultiPlaneOverlay) {
        return OLDER_GIVEN(&((const first_arguments *)call->arguments)->pPlanes[i]);
    }
    if (call->point == POINT_SetVidPnSourceAddressWithMultiPlaneOverlay2) {
        return OLDER_GIVEN(&((const second_arguments *)call->arguments)->pPlanes[i]);
    }
    const DXGK_MULTIPLANE_OVERLAY_PLANE3 *plane =
        ((const third_arguments *)call->arguments)->ppPlanes[i];
    const DXGK_PRIMARYCONTEXTDATA *data =
        plane->InputFlags.Enabled && plane->ContextCount ? plane->ppContextData[0] : NULL;
    return (struct contract_plane_given){
        .layer = plane->LayerIndex,
        .on = plane->InputFlags.Enabled,
        .present_id = plane->PresentId,
        .allocation = data ? data->hAllocation : NULL,
        .segment = data ? data->SegmentId : 0,
        .address = data ? (uint64_t)data->SegmentAddress.QuadPart : 0,
    };
}

static const DXGKARGCB_NOTIFY_INTERRUPT_DATA *notice_of(const struct contract_call *call)
{
    return call->arguments;
}

bool contract_tells_old_planes(const struct contract_call *call)
{
    return notice_of(call)->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY;
}

bool contract_tells_planes(const struct contract_call *call)
{
    return notice_of(call)->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2 ||
           contract_tells_old_planes(call);
}

bool contract_tells_flip_queue(const struct contract_call *call)
{
    return notice_of(call)->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3;
}

UINT contract_planes_said(const struct contract_call *call)
{
    return contract_tells_old_planes(call)
               ? notice_of(call)->CrtcVsyncWithMultiPlaneOverlay.MultiPlaneOverlayVsyncInfoCount
               : notice_of(call)->CrtcVsyncWithMultiPlaneOverlay2.MultiPlaneOverlayVsyncInfoCount;
}

UINT contract_planes_told(const struct contract_call *call)
{
    UINT said = contract_planes_said(call);
    bool can_be = said <= call->tracker->caps.MaxOverlayPlanes;

    return !can_be ? 0 : said < CONTRACT_PLANES_MAX ? said : CONTRACT_PLANES_MAX;
}

struct contract_plane_told contract_plane_told(const struct contract_call *call, UINT i)
{
    if (contract_tells_old_planes(call)) {
        const DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO *first =
            &notice_of(call)->CrtcVsyncWithMultiPlaneOverlay.pMultiPlaneOverlayVsyncInfo[i];
        return (struct contract_plane_told){
            .layer = first->LayerIndex,
            .on = first->Enabled,
            .address = (uint64_t)first->PhysicalAddress.QuadPart,
        };
    }
    const DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2 *second =
        &notice_of(call)->CrtcVsyncWithMultiPlaneOverlay2.pMultiPlaneOverlayVsyncInfo[i];
    return (struct contract_plane_told){
        .layer = second->LayerIndex,
        .present_id = second->PresentId,
        .wants_post = second->Flags.PostPresentNeeded,
    };
}

/* ---- What was given -------------------------------------------------------------------------- */

static struct contract_source *source_of(const struct contract_call *call, UINT index)
{
    return index < CONTRACT_SOURCES_MAX ? &call->tracker->sources[index] : NULL;
}

static void give(struct contract_source *source, const struct contract_plane_given *given,
                 bool third)
{
    if (given->layer >= CONTRACT_PLANES_MAX) {
        return;
    }
    struct contract_plane *plane = &source->planes[given->layer];
    plane->asked = third ? given->present_id : 1;
    plane->ids[plane->id_count++ % CONTRACT_PLANE_IDS_MAX] = plane->asked;
    plane->on = given->on;
    plane->awaited = true;
    plane->waited = 0;
    if (given->on) {
        plane->places[plane->place_count++ % CONTRACT_PLANE_PLACES_MAX] = given->address;
    }
    if (given->layer == 0 && given->on) {
        source->addresses[source->address_count++ % CONTRACT_ADDRESSES_MAX] = given->address;
    }
}

void track_forget_planes(struct contract_source *source)
{
    for (UINT i = 0; i < CONTRACT_PLANES_MAX; i++) {
        source->planes[i].awaited = false;
        source->planes[i].queued = 0;
    }
}

void track_planes(struct contract_call *call)
{
    struct contract_planes_call planes = contract_planes_of(call);
    struct contract_source *source = source_of(call, planes.source);

    for (UINT i = 0; source && i < planes.count && i < CONTRACT_PLANES_MAX; i++) {
        struct contract_plane_given given = contract_plane_given(call, i);
        if (planes.third) {
            call->tracker->planes.given[i] =
                ((const third_arguments *)call->arguments)->ppPlanes[i];
        }
        give(source, &given, planes.third);
    }
    if (source) { /* no vertical sync tells its address while planes are shown */
        source->pending_count = 0;
        source->shown_known = false;
    }
}

bool contract_plane_has_id(const struct contract_plane *plane, uint64_t id)
{
    bool found = false;

    for (unsigned i = 0; i < plane->id_count && i < CONTRACT_PLANE_IDS_MAX; i++) {
        found |= plane->ids[i] == id;
    }
    return found;
}

bool contract_plane_was_asked(const struct contract_plane *plane, uint64_t id)
{
    bool forgets = plane->id_count > CONTRACT_PLANE_IDS_MAX;

    return contract_plane_has_id(plane, id) ||
           (forgets && id < plane->ids[plane->id_count % CONTRACT_PLANE_IDS_MAX]);
}

static void note_post(struct contract_tracker *tracker, struct contract_post post)
{
    post.wanted = true;
    tracker->planes.posts[tracker->planes.post_count++ % CONTRACT_POSTS_MAX] = post;
}

static void take_third_answer(struct contract_call *call, struct contract_source *source,
                              UINT count)
{
    const third_arguments *after = call->arguments;

    for (UINT i = 0;
         contract_queues_flips(call) && has_succeeded(call) && i < count && i < CONTRACT_PLANES_MAX;
         i++) {
        UINT layer = call->tracker->planes.given[i]->LayerIndex;
        if (layer < CONTRACT_PLANES_MAX) {
            source->planes[layer].target = after->TargetFlipTime;
            source->planes[layer].queued = call->tracker->planes.given[i]->PresentId;
        }
    }
    source->retry_wanted = call->status == STATUS_RETRY && after->OutputFlags.PrePresentNeeded;
    for (UINT i = 0; i < count && i < CONTRACT_PLANES_MAX; i++) {
        const DXGK_MULTIPLANE_OVERLAY_PLANE3 *plane = call->tracker->planes.given[i];
        if (plane->LayerIndex < CONTRACT_PLANES_MAX && call->status == STATUS_SUCCESS &&
            plane->OutputFlags.PostPresentNeeded) {
            note_post(call->tracker, (struct contract_post){.layer = plane->LayerIndex,
                                                            .present_id = plane->PresentId});
        }
    }
}

void track_planes_answer(struct contract_call *call)
{
    struct contract_planes_call planes = contract_planes_of(call);
    struct contract_source *source = source_of(call, planes.source);

    if (!source) {
        return;
    }
    for (UINT i = 0; i < planes.count && i < CONTRACT_PLANES_MAX; i++) {
        UINT layer = contract_plane_given(call, i).layer;
        if (layer < CONTRACT_PLANES_MAX && call->status != STATUS_SUCCESS) {
            source->planes[layer].awaited = false;
        }
    }
    if (planes.third) {
        take_third_answer(call, source, planes.count);
    }
}

void track_planes_asked(struct contract_call *call)
{
    bool supported = false;

    switch (call->point) {
    case POINT_CheckMultiPlaneOverlaySupport:
        supported = ((const DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT *)call->arguments)->Supported;
        break;
    case POINT_CheckMultiPlaneOverlaySupport2:
        supported = ((const DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT2 *)call->arguments)->Supported;
        break;
    default:
        supported = ((const DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3 *)call->arguments)->Supported;
        break;
    }
    call->tracker->planes.supported = has_succeeded(call) && supported;
}

void track_planes_posted(struct contract_call *call)
{
    const DXGKARG_POSTMULTIPLANEOVERLAYPRESENT *arguments = call->arguments;

    struct contract_post *post = contract_post_wanted(call->tracker, arguments);

    if (post) {
        post->wanted = false;
    }
}

struct contract_post *contract_post_wanted(struct contract_tracker *tracker,
                                           const DXGKARG_POSTMULTIPLANEOVERLAYPRESENT *asked)
{
    for (unsigned i = 0; i < CONTRACT_POSTS_MAX; i++) {
        struct contract_post *post = &tracker->planes.posts[i];
        if (post->wanted && post->layer == asked->LayerIndex &&
            post->present_id == asked->PresentID &&
            (!post->target_known || post->target == asked->VidPnTargetId)) {
            return post;
        }
    }
    return NULL;
}

bool contract_queues_flips(const struct contract_call *call)
{
    return call->tracker->caps.MaxHwQueuedFlips > 1;
}

/* Whatever the driver makes of it [MPO-014]. Whose times count from now on only the flips say that
 * are left: later ones than the next flip's may be gone. */
static void forget_queued(struct contract_call *call, UINT index, UINT layer)
{
    struct contract_source *source = source_of(call, index);

    if (source && layer < CONTRACT_PLANES_MAX) {
        source->planes[layer].target = source->planes[layer].queued = 0;
    }
}

void track_cancel_flips(struct contract_call *call)
{
    const DXGKARG_CANCELFLIPS *arguments = call->arguments;
    struct contract_planes *planes = &call->tracker->planes;

    for (UINT i = 0; i < arguments->PlaneCount && i < CONTRACT_PLANES_MAX; i++) {
        planes->cancelled[i] = arguments->ppPlanes[i];
        planes->cancel_layers[i] = arguments->ppPlanes[i]->LayerIndex;
        planes->cancel_first[i] = arguments->ppPlanes[i]->PresentIdCancelRequested;
        forget_queued(call, arguments->VidPnSourceId, arguments->ppPlanes[i]->LayerIndex);
    }
}

void track_cancel_queued_flips(struct contract_call *call)
{
    const DXGKARG_CANCELQUEUEDFLIPS *arguments = call->arguments;

    forget_queued(call, arguments->VidPnSourceId, arguments->LayerIndex);
}

void track_flip_log(struct contract_call *call)
{
    const DXGKARG_SETFLIPQUEUELOGBUFFER *arguments = call->arguments;
    struct contract_source *source = source_of(call, arguments->VidPnSourceId);

    if (source && arguments->LayerIndex < CONTRACT_PLANES_MAX) {
        struct contract_plane *plane = &source->planes[arguments->LayerIndex];
        plane->log = has_succeeded(call) ? arguments->LogBufferAddress : NULL;
        plane->log_count = arguments->NumberOfEntries;
        plane->target = plane->queued = 0;
    }
}

/* ---- What vertical syncs tell ---------------------------------------------------------------- */

/* Which source a target shows is not said at the door: PresentIds are nobody else's. */
static void take_third(struct contract_tracker *tracker, const struct contract_plane_told *told,
                       UINT target)
{
    for (UINT i = 0; i < CONTRACT_SOURCES_MAX; i++) {
        struct contract_plane *plane = &tracker->sources[i].planes[told->layer];
        if (plane->asked != 0 && told->present_id == plane->asked) {
            plane->awaited = false;
        }
    }
    if (told->wants_post) {
        note_post(tracker, (struct contract_post){.layer = told->layer,
                                                  .present_id = told->present_id,
                                                  .target_known = true,
                                                  .target = target});
    }
}

/* Of the older forms the address says it; a plane that is off may be left out [INT-013]. */
static void take_older(struct contract_call *call, UINT layer)
{
    bool on = false;
    uint64_t address = 0;

    for (UINT k = 0; k < contract_planes_told(call); k++) {
        struct contract_plane_told told = contract_plane_told(call, k);
        if (told.layer == layer) {
            on = told.on;
            address = told.address;
        }
    }
    for (UINT i = 0; i < CONTRACT_SOURCES_MAX; i++) {
        struct contract_plane *plane = &call->tracker->sources[i].planes[layer];
        unsigned newest = plane->place_count - 1;
        plane->awaited &=
            plane->on ? !on || plane->places[newest % CONTRACT_PLANE_PLACES_MAX] != address : on;
    }
}

/* What became of its flips nobody hears from a vertical sync of an older form [MPO-023]. */
static void forget_all_queued(struct contract_tracker *tracker)
{
    for (UINT i = 0; i < CONTRACT_SOURCES_MAX; i++) {
        for (UINT k = 0; k < CONTRACT_PLANES_MAX; k++) {
            tracker->sources[i].planes[k].queued = 0;
        }
    }
}

void track_notify_planes(struct contract_call *call)
{
    if (contract_queues_flips(call) &&
        (contract_tells_planes(call) ||
         notice_of(call)->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC)) {
        forget_all_queued(call->tracker);
    }
    if (!contract_tells_planes(call)) {
        return;
    }
    for (UINT i = 0; i < CONTRACT_SOURCES_MAX; i++) {
        for (UINT k = 0; k < CONTRACT_PLANES_MAX; k++) {
            struct contract_plane *plane = &call->tracker->sources[i].planes[k];
            plane->waited += plane->awaited;
        }
    }
    if (contract_tells_old_planes(call)) {
        for (UINT k = 0; k < CONTRACT_PLANES_MAX; k++) {
            take_older(call, k);
        }
        return;
    }
    for (UINT i = 0; i < contract_planes_told(call); i++) {
        struct contract_plane_told told = contract_plane_told(call, i);
        if (told.layer < CONTRACT_PLANES_MAX) {
            take_third(call->tracker, &told,
                       notice_of(call)->CrtcVsyncWithMultiPlaneOverlay2.VidPnTargetId);
        }
    }
}

/* Overlay planes: what vertical syncs tell of them, and the flips that end by it.
 *
 * Since WDDM 2.1 a notice has the PresentId of each plane [MPO-008]. Before that it has an address
 * [MPO-020]: a flip is over when each plane shows what it was given. A flip that changes no address
 * is over with the second notice after it, for the first may be of a sync before it. */
#include "dxgk/planes_parts.h"
#include "dxgk/work.h"

#define PLAIN_MAX  8u  /* notices in a row that tell nothing of planes */
#define UNTOLD_MAX 64u /* and of planes, since a flip that none of them tells */

static UINT most_planes(const struct dxgk_source *source)
{
    UINT most = source->adapter->caps.MaxOverlayPlanes;

    return most < DXGK_PLANES_MAX ? most : DXGK_PLANES_MAX;
}

static void take_second(struct dxgk_source *source, const DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2 *info)
{
    struct dxgk_layers *layers = source->layers;

    if (info->LayerIndex < DXGK_PLANES_MAX) {
        layers->told[info->LayerIndex].id = info->PresentId;
        if (info->Flags.PostPresentNeeded) {
            dxgk_planes_want_post(source, info->LayerIndex, info->PresentId);
        }
    }
}

static void take_first(struct dxgk_layers *layers, const DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO *info)
{
    if (info->LayerIndex < DXGK_PLANES_MAX) {
        layers->told[info->LayerIndex].on = info->Enabled != 0;
        layers->told[info->LayerIndex].address = (uint64_t)info->PhysicalAddress.QuadPart;
    }
}

/* More than there can be are not looked at [INT-013]. */
static void take(struct dxgk_source *source, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    struct dxgk_layers *layers = source->layers;
    UINT most = most_planes(source);

    layers->notices++;
    layers->plain_notices = 0;
    layers->told_any = layers->synced = true;
    if (data->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3) {
        dxgk_flip_queue_take(source, data);
        return;
    }
    layers->told_older = true;
    if (data->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2) {
        UINT count = data->CrtcVsyncWithMultiPlaneOverlay2.MultiPlaneOverlayVsyncInfoCount;
        for (UINT k = 0; k < count && count <= most; k++) {
            take_second(source,
                        &data->CrtcVsyncWithMultiPlaneOverlay2.pMultiPlaneOverlayVsyncInfo[k]);
        }
        return;
    }
    UINT count = data->CrtcVsyncWithMultiPlaneOverlay.MultiPlaneOverlayVsyncInfoCount;
    for (UINT k = 0; k < DXGK_PLANES_MAX; k++) {
        layers->told[k].on = false; /* who is not told of shows nothing */
    }
    for (UINT k = 0; k < count && count <= most; k++) {
        take_first(layers, &data->CrtcVsyncWithMultiPlaneOverlay.pMultiPlaneOverlayVsyncInfo[k]);
    }
}

void dxgk_planes_vsync_notice(struct dxgk_adapter *adapter,
                              const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    /* All forms begin with it. */
    D3DDDI_VIDEO_PRESENT_TARGET_ID target = data->CrtcVsyncWithMultiPlaneOverlay2.VidPnTargetId;

    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        if (source->layers && source->active && source->target == target) {
            take(source, data);
            adapter->vsync_mask |= 1u << i;
        }
    }
}

static const struct dxgk_flip *of_planes(const struct present_flip *base)
{
    const struct dxgk_flip *flip = base ? container_of(base, const struct dxgk_flip, base) : NULL;

    return flip && flip->planes ? flip : NULL;
}

static bool is_told(const struct dxgk_layers *layers, const struct dxgk_planes *planes,
                    const struct dxgk_plane *plane)
{
    const struct dxgk_plane_told *told = &layers->told[plane->layer];

    if (layers->queue) {
        return dxgk_flip_queue_told(layers, plane->layer, planes->present_id);
    }
    return planes->words.form == DXGK_PLANES_THIRD
               ? told->id >= planes->present_id
               : told->on == plane->enabled && (!told->on || told->address == plane->address);
}

/* Of a flip that was programmed: does the last notice say that it is shown? */
static bool latches(const struct present_flip *base)
{
    const struct dxgk_flip *flip = of_planes(base);
    const struct dxgk_layers *layers = flip ? flip->source->layers : NULL;
    bool all =
        flip && (flip->planes->words.form == DXGK_PLANES_THIRD ||
                 layers->notices - flip->planes->notices_before >= flip->planes->notices_wanted);

    for (UINT i = 0; all && i < flip->planes->count; i++) {
        all = is_told(layers, flip->planes, &flip->planes->planes[i]);
    }
    return all;
}

static bool is_latched(const struct present_flip *base, const void *unused)
{
    return latches(base);
}

static const struct dxgk_flip *oldest_of_planes(struct dxgk_source *source)
{
    return of_planes(present_source_oldest(&source->present));
}

/* It was found by then, in the notices themselves [MPO-008, MPO-020]: the run goes on. */
static void end_untold(struct dxgk_source *source)
{
    const struct dxgk_flip *oldest = oldest_of_planes(source);

    if (oldest && oldest->planes->notices_wanted > 0 &&
        source->layers->notices - oldest->planes->notices_before >= UNTOLD_MAX &&
        !source->layers->queue) {
        present_source_cancel(&source->present, VIDSCH_STATUS_CANCELLED);
    }
}

void dxgk_planes_serve(struct dxgk_source *source)
{
    struct dxgk_layers *layers = source->layers;

    if (!layers || !layers->told_any) {
        return;
    }
    layers->told_any = false;
    if (layers->queue && layers->told_older && oldest_of_planes(source)) {
        dxgk_flip_queue_judge_older(source);
    }
    layers->told_older = false;
    if (layers->queue) {
        dxgk_flip_queue_serve(source);
    }
    if (!layers->synced) {
        present_source_end_those(&source->present, is_latched, NULL, STATUS_SUCCESS);
        present_source_advance(&source->present);
        dxgk_flip_queue_set_interrupts(source);
        return;
    }
    layers->synced = false;
    /* Flips of other planes may stand behind it, and be over with the same sync [MPO-002]. */
    const struct present_flip *newest = present_source_newest(&source->present, latches);
    present_vsync(&source->present, newest          ? newest->address
                                    : layers->shown ? layers->shown_id | DXGK_OF_PLANES
                                                    : DXGK_NO_ADDRESS);
    if (layers->posts) {
        dxgk_worker_kick(source->adapter);
    }
    end_untold(source);
    dxgk_flip_queue_set_interrupts(source);
}

/* A notice without planes tells nothing of theirs, and the flip would never end. */
void dxgk_planes_judge_plain(struct dxgk_source *source, unsigned notices)
{
    struct dxgk_layers *layers = source->layers;
    const struct dxgk_flip *flip = layers ? oldest_of_planes(source) : NULL;

    if (!flip || flip->planes->notices_wanted == 0) {
        return;
    }
    contract_count(RULE_MPO_021);
    layers->plain_notices += notices;
    if (layers->plain_notices < PLAIN_MAX) {
        return;
    }
    layers->plain_notices = 0;
    contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(MPO_021),
                                               .object = source->adapter->object},
                    "a vertical sync that tells of planes, from the call on that gives the "
                    "source some",
                    "source %u was given planes, and %u notices in a row of target %u, on which "
                    "it is shown, were DXGK_INTERRUPT_CRTC_VSYNC",
                    source->index, PLAIN_MAX, source->target);
    dxgk_flip_queue_forget(source);
    present_source_cancel(&source->present, VIDSCH_STATUS_CANCELLED);
}

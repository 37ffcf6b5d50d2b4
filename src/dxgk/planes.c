/* Overlay planes: what clients ask for, on its way to the driver and to the screen.
 *
 * They go the road of a flip (flip.c), which asks here where planes differ: more surfaces are
 * pinned, the driver is told by SetVidPnSourceAddressWithMultiPlaneOverlay3, at device level and,
 * if it says so, once more at PASSIVE_LEVEL [MPO-007], and a vertical sync ends it by the PresentId
 * of each of its planes [MPO-008]. Flips of planes are therefore programmed by the worker alone. */
#include "dxgk/work.h"

#include <stdlib.h>
#include <string.h>

#define NO_ADDRESS UINT64_MAX          /* of no flip */
#define OF_PLANES  (UINT64_C(1) << 63) /* in the address of a flip: the rest is its PresentId */

struct plane {
    UINT layer;
    bool enabled;
    struct dxgk_opening *opening; /* inside, until the flip is done */
    struct vidmm_pin pin;
    uint64_t paging_sequence;
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 attributes;
    UINT immediate_line;
};

struct dxgk_planes {
    UINT count, duration;
    uint64_t present_id;
    bool latched;
    struct plane planes[DXGK_PLANES_MAX];
    /* What the driver is handed, each part with a page behind it that nobody may touch. */
    DXGK_MULTIPLANE_OVERLAY_PLANE3 *handed, **list;
    DXGK_PRIMARYCONTEXTDATA *contexts, **context_list;
};

/* What a source shows in a plane; layer 0 has its picture in source->shown. */
struct layer {
    bool on;
    struct dxgk_allocation *allocation;
    struct vidmm_pin pin;
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 attributes;
};

struct dxgk_layers {
    struct layer layers[DXGK_PLANES_MAX];
    uint64_t drops;                 /* how often they went while they were shown, or never came */
    bool shown;                     /* the planes are, since the last flip or mode change */
    uint64_t shown_id;              /* the newest that is */
    uint64_t told[DXGK_PLANES_MAX]; /* PresentIds, by vertical syncs; at device level */
    bool told_any;                  /* since the last DPC */
    uint32_t posts;                 /* planes that want PostMultiPlaneOverlayPresent */
};

static struct dxgk_allocation *allocation_of(const struct plane *plane)
{
    return plane->opening ? plane->opening->allocation : NULL;
}

NTSTATUS dxgk_planes_start(struct dxgk_source *source)
{
    if (!dxgk_adapter_has_planes(source->adapter)) {
        return STATUS_SUCCESS;
    }
    source->layers = calloc(1, sizeof *source->layers);
    return source->layers ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

void dxgk_planes_stop(struct dxgk_source *source)
{
    dxgk_planes_drop(source);
    free(source->layers);
    source->layers = NULL;
}

/* ---- What a source shows --------------------------------------------------------------------- */

static void replace_layer(struct dxgk_source *source, struct layer *layer, struct plane *plane)
{
    struct dxgk_allocation *before = layer->allocation;
    struct vidmm_pin pin_before = layer->pin;

    *layer = (struct layer){0};
    if (plane && plane->enabled) {
        layer->on = true;
        layer->attributes = plane->attributes;
    }
    if (plane && plane->enabled && plane->layer > 0) {
        layer->allocation = allocation_of(plane);
        layer->pin = plane->pin;
        plane->pin = (struct vidmm_pin){0};
        life_get(&layer->allocation->life);
    }
    dxgk_surface_unpin(source->adapter, &pin_before);
    if (before) {
        life_put(&before->life);
    }
}

void dxgk_planes_drop(struct dxgk_source *source)
{
    if (!source->layers) {
        return;
    }
    for (UINT i = 0; i < DXGK_PLANES_MAX; i++) {
        replace_layer(source, &source->layers->layers[i], NULL);
    }
    source->layers->drops += source->layers->shown;
    source->layers->shown = false;
}

bool dxgk_planes_show(const struct dxgk_source *source, const struct dxgk_allocation *allocation)
{
    bool found = false;

    for (UINT i = 0; source->layers && i < DXGK_PLANES_MAX; i++) {
        found |= source->layers->layers[i].allocation == allocation;
    }
    return found;
}

uint64_t dxgk_planes_drops(const struct dxgk_adapter *adapter, unsigned source)
{
    return source < adapter->source_count && adapter->sources[source].layers
               ? adapter->sources[source].layers->drops
               : 0;
}

bool dxgk_planes_shown(const struct dxgk_source *source)
{
    return source->layers && source->layers->shown;
}

struct dxgk_allocation *dxgk_plane_shown(const struct dxgk_source *source, UINT layer,
                                         DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 *attributes)
{
    const struct layer *shown = &source->layers->layers[layer];

    *attributes = shown->attributes;
    if (!shown->on) {
        return NULL;
    }
    return layer == 0 ? source->shown : shown->allocation;
}

void dxgk_planes_latched(struct dxgk_flip *flip)
{
    struct dxgk_source *source = flip->source;
    struct dxgk_planes *planes = flip->planes;

    for (UINT i = 0; i < planes->count; i++) {
        struct plane *plane = &planes->planes[i];
        if (plane->layer == 0 && plane->enabled) {
            dxgk_source_replace_shown(source, allocation_of(plane), &plane->pin);
        }
        replace_layer(source, &source->layers->layers[plane->layer], plane);
    }
    planes->latched = true;
    source->layers->shown = true;
    source->layers->shown_id = planes->present_id;
}

/* ---- A flip of planes ------------------------------------------------------------------------ */

static void planes_free(struct dxgk_planes *planes)
{
    if (planes) {
        nt_memory_free(planes->handed);
        nt_memory_free(planes->list);
        nt_memory_free(planes->contexts);
        nt_memory_free(planes->context_list);
        free(planes);
    }
}

static struct dxgk_planes *planes_new(const struct dxgk_planes_request *request)
{
    struct dxgk_planes *planes = calloc(1, sizeof *planes);
    UINT count = request->count;

    if (!planes) {
        return NULL;
    }
    planes->handed = nt_memory_hand(count * sizeof *planes->handed, "ppPlanes[]");
    planes->list = nt_memory_hand(count * sizeof(void *), "ppPlanes");
    planes->contexts = nt_memory_hand(count * sizeof *planes->contexts, "ppContextData[]");
    planes->context_list = nt_memory_hand(count * sizeof(void *), "ppContextData");
    if (!planes->handed || !planes->list || !planes->contexts || !planes->context_list) {
        planes_free(planes);
        return NULL;
    }
    planes->count = count;
    planes->duration = request->duration;
    return planes;
}

static void take_planes(struct dxgk_planes *planes, const struct dxgk_planes_request *request)
{
    for (UINT i = 0; i < request->count; i++) {
        const struct dxgk_plane_request *asked = &request->planes[i];
        struct plane *plane = &planes->planes[i];
        *plane = (struct plane){.layer = asked->layer,
                                .enabled = asked->enabled,
                                .opening = asked->enabled ? asked->opening : NULL,
                                .attributes = asked->attributes,
                                .immediate_line = asked->immediate_line};
        if (plane->opening) {
            life_use_more(&plane->opening->life);
            dxgk_allocation_packet(plane->opening->allocation, 1, false);
        }
    }
}

NTSTATUS dxgk_planes_make(const struct dxgk_planes_request *request, struct dxgk_planes **out)
{
    *out = planes_new(request);
    if (!*out) {
        return STATUS_NO_MEMORY;
    }
    take_planes(*out, request);
    return STATUS_SUCCESS;
}

void dxgk_planes_done(struct dxgk_adapter *adapter, struct dxgk_planes *planes)
{
    for (UINT i = 0; i < planes->count; i++) {
        struct plane *plane = &planes->planes[i];
        dxgk_surface_unpin(adapter, &plane->pin);
        if (plane->opening) {
            dxgk_allocation_packet(plane->opening->allocation, -1, false);
            life_leave(&plane->opening->life);
        }
    }
    planes_free(planes);
}

void dxgk_planes_ended(struct dxgk_flip *flip)
{
    flip->source->layers->drops += !flip->planes->latched;
    dxgk_planes_done(flip->source->adapter, flip->planes);
}

void dxgk_planes_unpin(struct dxgk_planes *planes)
{
    for (UINT i = 0; i < planes->count; i++) {
        vidmm_unpin(&planes->planes[i].pin);
    }
}

bool dxgk_planes_written(const struct dxgk_planes *planes)
{
    bool any = false;

    for (UINT i = 0; i < planes->count; i++) {
        const struct dxgk_allocation *allocation = allocation_of(&planes->planes[i]);
        any |= allocation && allocation->write_count > 0;
    }
    return any;
}

bool dxgk_planes_fit(const struct dxgk_source *source, const struct dxgk_planes *planes)
{
    const struct plane *first = &planes->planes[0];

    return !first->enabled || first->layer > 0 || dxgk_source_fits(source, allocation_of(first));
}

static bool pin_plane(struct dxgk_adapter *adapter, struct plane *plane, NTSTATUS *status)
{
    struct vidmm_prepare_result result;

    if (!vidmm_pin_holds(&plane->pin)) {
        vidmm_pin(&plane->pin, &allocation_of(plane)->memory, &result);
        *status = result.outcome == VIDMM_FAILED ? result.status : STATUS_SUCCESS;
        if (result.outcome != VIDMM_READY) {
            return false;
        }
        plane->paging_sequence = result.paging_sequence;
    }
    return vidmm_paging_reached(adapter->vidmm, plane->paging_sequence);
}

bool dxgk_planes_pin(struct dxgk_adapter *adapter, struct dxgk_planes *planes, NTSTATUS *status)
{
    bool ready = true;

    for (UINT i = 0; i < planes->count && NT_SUCCESS(*status); i++) {
        if (planes->planes[i].enabled) {
            ready &= pin_plane(adapter, &planes->planes[i], status);
        }
    }
    return ready && NT_SUCCESS(*status);
}

uint64_t dxgk_planes_number(struct dxgk_adapter *adapter, struct dxgk_planes *planes)
{
    planes->present_id = ++adapter->present_id; /* grows for each plane, whoever shows it */
    return planes->present_id | OF_PLANES;
}

/* ---- Telling the driver ---------------------------------------------------------------------- */

static void fill_plane(const struct dxgk_flip *flip, UINT i)
{
    const struct dxgk_planes *planes = flip->planes;
    const struct plane *plane = &planes->planes[i];
    DXGK_MULTIPLANE_OVERLAY_PLANE3 *out = &planes->handed[i];

    *out = (DXGK_MULTIPLANE_OVERLAY_PLANE3){
        .LayerIndex = plane->layer,
        .PresentId = planes->present_id,
        .MaxImmediateFlipLine = plane->immediate_line,
    };
    out->InputFlags.Enabled = plane->enabled;
    out->InputFlags.FlipImmediate = flip->flags.FlipImmediate;
    out->InputFlags.FlipOnNextVSync = flip->flags.FlipOnNextVSync;
    planes->list[i] = out;
    if (plane->enabled) {
        struct vidmm_location location;
        vidmm_allocation_location(&allocation_of(plane)->memory, &location);
        planes->contexts[i] = (DXGK_PRIMARYCONTEXTDATA){
            .hContext = flip->context,
            .hAllocation = allocation_of(plane)->driver_handle,
            .SegmentId = (WORD)location.segment,
            .SegmentAddress.QuadPart = (LONGLONG)location.address,
        };
        planes->context_list[i] = &planes->contexts[i];
        out->ContextCount = 1;
        out->ppContextData = &planes->context_list[i];
        out->PlaneAttributes = plane->attributes;
    }
}

struct telling {
    struct dxgk_flip *flip;
    DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3 arguments;
    NTSTATUS status;
};

static bool tell(void *context)
{
    struct telling *telling = context;
    struct dxgk_flip *flip = telling->flip;
    struct dxgk_adapter *adapter = flip->source->adapter;

    for (UINT i = 0; i < flip->planes->count; i++) {
        fill_plane(flip, i);
    }
    telling->arguments.VidPnSourceId = flip->source->index;
    telling->arguments.PlaneCount = flip->planes->count;
    telling->arguments.ppPlanes = flip->planes->list;
    telling->arguments.Duration = flip->planes->duration;
    telling->status = ddi_set_vidpn_source_address_with_multi_plane_overlay3(
        &adapter->ddi, adapter->ddi.miniport_context, &telling->arguments, flip->base.object);
    return true;
}

/* What an immediate flip left to be done later [MPO-010]. */
static void note_answers(const struct dxgk_flip *flip)
{
    for (UINT i = 0; i < flip->planes->count; i++) {
        if (flip->planes->handed[i].OutputFlags.PostPresentNeeded) {
            flip->source->layers->posts |= 1u << flip->planes->planes[i].layer;
        }
    }
}

NTSTATUS dxgk_planes_program(struct dxgk_flip *flip)
{
    struct dxgk_source *source = flip->source;
    struct telling telling = {.flip = flip};

    CHECK_THAT(irql_current() == MACHINE_IRQL_PASSIVE);
    if (source->adapter->ddi.interrupt) {
        interrupt_synchronize(source->adapter->ddi.interrupt, tell, &telling);
    } else {
        tell(&telling);
    }
    if (telling.status == STATUS_RETRY && telling.arguments.OutputFlags.PrePresentNeeded &&
        dxgk_adapter_has_hardware(source->adapter)) {
        telling.arguments = (DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3){0};
        telling.arguments.InputFlags.RetryAtLowerIrql = 1;
        tell(&telling);
    }
    if (telling.status == STATUS_SUCCESS) {
        note_answers(flip);
    }
    return telling.status == STATUS_RETRY ? STATUS_UNSUCCESSFUL : telling.status;
}

/* ---- Vertical syncs -------------------------------------------------------------------------- */

void dxgk_planes_vsync_notice(struct dxgk_adapter *adapter,
                              const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    UINT count = data->CrtcVsyncWithMultiPlaneOverlay2.MultiPlaneOverlayVsyncInfoCount;

    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        if (!source->layers || !source->active ||
            source->target != data->CrtcVsyncWithMultiPlaneOverlay2.VidPnTargetId) {
            continue;
        }
        for (UINT k = 0; k < count && k < DXGK_PLANES_MAX; k++) {
            const DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2 *told =
                &data->CrtcVsyncWithMultiPlaneOverlay2.pMultiPlaneOverlayVsyncInfo[k];
            if (told->LayerIndex < DXGK_PLANES_MAX) {
                source->layers->told[told->LayerIndex] = told->PresentId;
                source->layers->posts |= told->Flags.PostPresentNeeded ? 1u << told->LayerIndex : 0;
            }
        }
        source->layers->told_any = true;
        adapter->vsync_mask |= 1u << i;
    }
}

static bool is_told(const struct dxgk_source *source, const struct dxgk_planes *planes)
{
    bool all = true;

    for (UINT i = 0; i < planes->count; i++) {
        all &= source->layers->told[planes->planes[i].layer] >= planes->present_id;
    }
    return all;
}

void dxgk_planes_serve(struct dxgk_source *source)
{
    struct dxgk_layers *layers = source->layers;

    if (!layers || !layers->told_any) {
        return;
    }
    layers->told_any = false;
    const struct present_flip *oldest = present_source_oldest(&source->present);
    const struct dxgk_flip *flip = oldest ? container_of(oldest, struct dxgk_flip, base) : NULL;
    bool latches = flip && flip->planes && is_told(source, flip->planes);
    present_vsync(&source->present, latches         ? flip->base.address
                                    : layers->shown ? layers->shown_id | OF_PLANES
                                                    : NO_ADDRESS);
    if (layers->posts) {
        dxgk_worker_kick(source->adapter);
    }
}

static void post(struct dxgk_source *source)
{
    struct dxgk_adapter *adapter = source->adapter;

    while (source->layers->posts && dxgk_adapter_has_hardware(adapter)) {
        UINT layer = (UINT)__builtin_ctz(source->layers->posts);
        const DXGKARG_POSTMULTIPLANEOVERLAYPRESENT arguments = {
            .VidPnTargetId = source->target,
            .PhysicalAdapterMask = 1,
            .LayerIndex = layer,
            .PresentID = source->layers->told[layer],
        };
        source->layers->posts &= ~(1u << layer);
        (void)ddi_post_multi_plane_overlay_present(&adapter->ddi, adapter->ddi.miniport_context,
                                                   &arguments, 0);
    }
}

void dxgk_planes_work(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        if (source->layers) {
            present_source_advance(&source->present);
            post(source);
        }
    }
}

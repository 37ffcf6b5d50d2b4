/* Overlay planes: what clients ask for, on its way to the driver and to the screen.
 *
 * They go the road of a flip (flip.c), which asks here where planes differ: more surfaces are
 * pinned, the driver is told in its own form (planes_tell.c), and a vertical sync ends it by what
 * it tells of each of its planes (planes_sync.c). */
#include "dxgk/planes_parts.h"
#include "dxgk/work.h"

#include <stdlib.h>
#include <string.h>

NTSTATUS dxgk_planes_start(struct dxgk_source *source)
{
    if (!dxgk_adapter_has_planes(source->adapter)) {
        return STATUS_SUCCESS;
    }
    source->layers = calloc(1, sizeof *source->layers);
    return source->layers ? dxgk_flip_queue_start(source) : STATUS_NO_MEMORY;
}

void dxgk_planes_stop(struct dxgk_source *source)
{
    dxgk_planes_drop(source);
    dxgk_flip_queue_stop(source);
    free(source->layers);
    source->layers = NULL;
}

/* ---- What a source shows --------------------------------------------------------------------- */

static void replace_layer(struct dxgk_source *source, struct dxgk_layer *layer,
                          struct dxgk_plane *plane)
{
    struct dxgk_allocation *before = layer->allocation;
    struct vidmm_pin pin_before = layer->pin;

    *layer = (struct dxgk_layer){0};
    if (plane && plane->enabled) {
        layer->on = true;
        layer->attributes = plane->attributes;
    }
    if (plane && plane->enabled && plane->layer > 0) {
        layer->allocation = dxgk_plane_allocation(plane);
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
    if (source->layers->shown) {
        source->layers->drops++;
        source->layers->dropped_ns = machine_now_ns();
    }
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

bool dxgk_planes_all_off(const struct dxgk_source *source)
{
    bool on = !dxgk_planes_shown(source);

    for (UINT i = 0; source->layers && i < DXGK_PLANES_MAX; i++) {
        on |= source->layers->layers[i].on;
    }
    return !on;
}

bool dxgk_planes_going(const struct dxgk_source *source)
{
    const struct dxgk_layers *layers = source->layers;

    return layers && layers->drops > 0 &&
           machine_now_ns() - layers->dropped_ns < dxgk_frame_ns(source);
}

struct dxgk_allocation *dxgk_plane_shown(const struct dxgk_source *source, UINT layer,
                                         DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 *attributes)
{
    const struct dxgk_layer *shown = &source->layers->layers[layer];

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
        struct dxgk_plane *plane = &planes->planes[i];
        if (plane->layer == 0 && plane->enabled) {
            source->stereo_flags = dxgk_flip_modifiers(flip->flags);
            dxgk_source_replace_shown(source, dxgk_plane_allocation(plane), &plane->pin);
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
        dxgk_planes_words_fini(&planes->words);
        free(planes);
    }
}

static struct dxgk_planes *planes_new(const struct dxgk_planes_request *request,
                                      enum dxgk_planes_form form)
{
    struct dxgk_planes *planes = calloc(1, sizeof *planes);

    if (planes && !dxgk_planes_words_init(&planes->words, form, request->count)) {
        planes_free(planes);
        return NULL;
    }
    if (planes) {
        planes->count = request->count;
        planes->duration = request->duration;
    }
    return planes;
}

static void take_planes(struct dxgk_planes *planes, const struct dxgk_planes_request *request)
{
    for (UINT i = 0; i < request->count; i++) {
        const struct dxgk_plane_request *asked = &request->planes[i];
        struct dxgk_plane *plane = &planes->planes[i];
        *plane = (struct dxgk_plane){.layer = asked->layer,
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

NTSTATUS dxgk_planes_make(const struct dxgk_adapter *adapter,
                          const struct dxgk_planes_request *request, struct dxgk_planes **out)
{
    *out = planes_new(request, dxgk_adapter_planes_form(adapter));
    if (!*out) {
        return STATUS_NO_MEMORY;
    }
    take_planes(*out, request);
    return STATUS_SUCCESS;
}

void dxgk_planes_done(struct dxgk_adapter *adapter, struct dxgk_planes *planes)
{
    for (UINT i = 0; i < planes->count; i++) {
        struct dxgk_plane *plane = &planes->planes[i];
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
        const struct dxgk_allocation *allocation = dxgk_plane_allocation(&planes->planes[i]);
        any |= allocation && allocation->write_count > 0;
    }
    return any;
}

bool dxgk_planes_fit(const struct dxgk_source *source, const struct dxgk_planes *planes)
{
    const struct dxgk_plane *first = &planes->planes[0];

    return !first->enabled || first->layer > 0 ||
           dxgk_source_fits(source, dxgk_plane_allocation(first));
}

static bool pin_plane(struct dxgk_adapter *adapter, struct dxgk_plane *plane, NTSTATUS *status)
{
    struct vidmm_prepare_result result;

    if (!vidmm_pin_holds(&plane->pin)) {
        vidmm_pin(&plane->pin, &dxgk_plane_allocation(plane)->memory, &result);
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
    /* Where addresses go by tables, too: planes are there that the device tells of by it. */
    if (adapter->present_id == 0 &&
        (vary_happens(VARY_FENCE_GAPS, 1) || vary_on(VARY_GPU_ADDRESSES))) {
        adapter->present_id = UINT32_MAX - 1; /* it has 64 bits, and is longer than 32 soon */
    }
    planes->present_id = ++adapter->present_id; /* grows for each plane, whoever shows it */
    return planes->present_id | DXGK_OF_PLANES;
}

static UINT layers_of(const struct dxgk_planes *planes)
{
    UINT mask = 0;

    for (UINT i = 0; i < planes->count; i++) {
        mask |= 1u << planes->planes[i].layer;
    }
    return mask;
}

bool dxgk_planes_beside(const struct present_flip *base, const struct present_flip *other)
{
    const struct dxgk_planes *planes = container_of(base, const struct dxgk_flip, base)->planes;
    const struct dxgk_planes *others = container_of(other, const struct dxgk_flip, base)->planes;

    return planes && others && (layers_of(planes) & layers_of(others)) == 0;
}

/* One update of a plane waits for its vertical sync at a time [FLIP-014]. */
static bool are_free(const struct present_source *present, const struct present_flip *base)
{
    bool all = true;

    list_for_each (link, &present->programmed) {
        all &= dxgk_planes_beside(base, container_of(link, const struct present_flip, link));
    }
    return all;
}

/* The driver may come to PASSIVE_LEVEL: the worker tells it. */
bool dxgk_planes_may_program(struct dxgk_source *source, const struct present_flip *base)
{
    const struct dxgk_flip *flip = container_of(base, const struct dxgk_flip, base);

    if (source->layers->queue ? base->retry && !dxgk_flip_queue_is_drained(flip)
                              : !are_free(&source->present, base)) {
        return false;
    }
    if (irql_current() != MACHINE_IRQL_PASSIVE) {
        dxgk_worker_kick(source->adapter);
        return false;
    }
    return true;
}

/* What an immediate flip left to be done later [MPO-010]. */
static void post(struct dxgk_source *source)
{
    struct dxgk_adapter *adapter = source->adapter;

    while (source->layers->posts && dxgk_adapter_has_hardware(adapter)) {
        UINT layer = (UINT)__builtin_ctz(source->layers->posts);
        const DXGKARG_POSTMULTIPLANEOVERLAYPRESENT arguments = {
            .VidPnTargetId = source->layers->post_targets[layer],
            .PhysicalAdapterMask = 1,
            .LayerIndex = layer,
            .PresentID = source->layers->post_ids[layer],
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
            dxgk_flip_queue_work(source);
            post(source);
        }
    }
}

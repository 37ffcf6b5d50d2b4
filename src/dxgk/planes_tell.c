/* Overlay planes: the driver is told, in its form.
 *
 * Since WDDM 2.1 by SetVidPnSourceAddressWithMultiPlaneOverlay3, at device level and, if it says
 * so, once more at PASSIVE_LEVEL [MPO-007]: flips of planes are therefore programmed by the worker
 * alone. Before that by ...Overlay2 (WDDM 2.0) or ...Overlay (WDDM 1.3), at device level. */
#include "dxgk/planes_parts.h"
#include "dxgk/work.h"

#include <string.h>

typedef DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY first_arguments;
typedef DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY2 second_arguments;
typedef DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3 third_arguments;

/* ---- Forms ----------------------------------------------------------------------------------- */

DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES2
dxgk_plane_second(const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 *attributes)
{
    return (DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES2){
        .Flags = attributes->Flags,
        .SrcRect = attributes->SrcRect,
        .DstRect = attributes->DstRect,
        .ClipRect = attributes->ClipRect,
        .Rotation = attributes->Rotation,
        .Blend = attributes->Blend,
        .VideoFrameFormat = DXGK_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT_PROGRESSIVE,
        .ColorSpaceType = attributes->ColorSpaceType,
        .StereoFormat = DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT_MONO,
        .StereoFlipMode = DXGK_MULTIPLANE_OVERLAY_STEREO_FLIP_NONE,
        .StretchQuality = attributes->StretchQuality,
    };
}

DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES
dxgk_plane_first(const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 *attributes)
{
    return (DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES){
        .Flags = attributes->Flags,
        .SrcRect = attributes->SrcRect,
        .DstRect = attributes->DstRect,
        .ClipRect = attributes->ClipRect,
        .Rotation = attributes->Rotation,
        .Blend = attributes->Blend,
        .VideoFrameFormat = DXGK_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT_PROGRESSIVE,
        .StereoFormat = DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT_MONO,
        .StereoFlipMode = DXGK_MULTIPLANE_OVERLAY_STEREO_FLIP_NONE,
        .StretchQuality = attributes->StretchQuality,
    };
}

static bool third_init(struct dxgk_planes_words *words, UINT count)
{
    words->handed = nt_memory_hand(count * sizeof(DXGK_MULTIPLANE_OVERLAY_PLANE3), "ppPlanes[]");
    words->list = nt_memory_hand(count * sizeof(void *), "ppPlanes");
    words->contexts = nt_memory_hand(count * sizeof *words->contexts, "ppContextData[]");
    words->context_list = nt_memory_hand(count * sizeof(void *), "ppContextData");
    words->arguments = nt_memory_hand(sizeof(third_arguments), "the planes of a flip");
    return words->handed && words->list && words->contexts && words->context_list &&
           words->arguments;
}

static bool older_init(struct dxgk_planes_words *words, UINT count)
{
    bool second = words->form == DXGK_PLANES_SECOND;

    words->handed = nt_memory_hand(count * (second ? sizeof(DXGK_MULTIPLANE_OVERLAY_PLANE2)
                                                   : sizeof(DXGK_MULTIPLANE_OVERLAY_PLANE)),
                                   "pPlanes");
    words->arguments = nt_memory_hand(second ? sizeof(second_arguments) : sizeof(first_arguments),
                                      "the planes of a flip");
    return words->handed && words->arguments;
}

bool dxgk_planes_words_init(struct dxgk_planes_words *words, enum dxgk_planes_form form, UINT count)
{
    *words = (struct dxgk_planes_words){.form = form};
    bool good = form == DXGK_PLANES_THIRD ? third_init(words, count) : older_init(words, count);
    if (!good) {
        dxgk_planes_words_fini(words);
    }
    return good;
}

void dxgk_planes_words_fini(struct dxgk_planes_words *words)
{
    nt_memory_free(words->handed);
    nt_memory_free(words->list);
    nt_memory_free(words->contexts);
    nt_memory_free(words->context_list);
    nt_memory_free(words->arguments);
    *words = (struct dxgk_planes_words){0};
}

/* ---- Words ----------------------------------------------------------------------------------- */

static struct vidmm_location place_of(struct dxgk_plane *plane)
{
    struct vidmm_location location = {0};

    if (plane->enabled) {
        vidmm_allocation_location(&dxgk_plane_allocation(plane)->memory, &location);
    }
    plane->address = location.address;
    return location;
}

static void fill_third(const struct dxgk_flip *flip, UINT i)
{
    struct dxgk_planes *planes = flip->planes;
    struct dxgk_planes_words *words = &planes->words;
    struct dxgk_plane *plane = &planes->planes[i];
    DXGK_MULTIPLANE_OVERLAY_PLANE3 *out = (DXGK_MULTIPLANE_OVERLAY_PLANE3 *)words->handed + i;

    *out = (DXGK_MULTIPLANE_OVERLAY_PLANE3){
        .LayerIndex = plane->layer,
        .PresentId = planes->present_id,
        .MaxImmediateFlipLine = plane->immediate_line,
    };
    out->InputFlags.Enabled = plane->enabled;
    out->InputFlags.FlipImmediate = flip->flags.FlipImmediate;
    out->InputFlags.FlipOnNextVSync = flip->flags.FlipOnNextVSync;
    words->list[i] = out;
    if (plane->enabled) {
        struct vidmm_location location = place_of(plane);
        words->contexts[i] = (DXGK_PRIMARYCONTEXTDATA){
            .hContext = flip->context,
            .hAllocation = dxgk_plane_allocation(plane)->driver_handle,
            .SegmentId = (WORD)location.segment,
            .SegmentAddress.QuadPart = (LONGLONG)location.address,
        };
        words->context_list[i] = &words->contexts[i];
        out->ContextCount = 1;
        out->ppContextData = &words->context_list[i];
        out->PlaneAttributes = plane->attributes;
    }
}

/* Besides their attributes the planes of the older forms are alike. */
#define FILL_OLDER(out, plane, attributes_of)                                 \
    do {                                                                      \
        struct vidmm_location location = place_of(plane);                     \
        *(out) = (__typeof__(*(out))){.LayerIndex = (plane)->layer,           \
                                      .Enabled = (plane)->enabled,            \
                                      .AllocationSegment = location.segment}; \
        if ((plane)->enabled) {                                               \
            (out)->AllocationAddress.QuadPart = (LONGLONG)location.address;   \
            (out)->hAllocation = dxgk_plane_allocation(plane)->driver_handle; \
            (out)->PlaneAttributes = attributes_of(&(plane)->attributes);     \
        }                                                                     \
    } while (0)

/* And so are the arguments. */
#define TELL_OLDER(call, type, plane_type, attributes_of, flip)                                    \
    do {                                                                                           \
        struct dxgk_adapter *adapter = (flip)->source->adapter;                                    \
        struct dxgk_planes *planes = (flip)->planes;                                               \
        plane_type *handed = planes->words.handed;                                                 \
        type *arguments = planes->words.arguments;                                                 \
        *arguments = (type){.ContextCount = (flip)->context ? 1 : 0,                               \
                            .Context[0] = (flip)->context,                                         \
                            .Flags = (flip)->flags,                                                \
                            .VidPnSourceId = (flip)->source->index,                                \
                            .PlaneCount = planes->count,                                           \
                            .pPlanes = handed,                                                     \
                            .Duration = planes->duration};                                         \
        for (UINT i = 0; i < planes->count; i++) {                                                 \
            FILL_OLDER(&handed[i], &planes->planes[i], attributes_of);                             \
        }                                                                                          \
        return call(&adapter->ddi, adapter->ddi.miniport_context, arguments, (flip)->base.object); \
    } while (0)

static NTSTATUS tell_first(const struct dxgk_flip *flip)
{
    TELL_OLDER(ddi_set_vidpn_source_address_with_multi_plane_overlay, first_arguments,
               DXGK_MULTIPLANE_OVERLAY_PLANE, dxgk_plane_first, flip);
}

static NTSTATUS tell_second(const struct dxgk_flip *flip)
{
    TELL_OLDER(ddi_set_vidpn_source_address_with_multi_plane_overlay2, second_arguments,
               DXGK_MULTIPLANE_OVERLAY_PLANE2, dxgk_plane_second, flip);
}

static NTSTATUS tell_third(const struct dxgk_flip *flip)
{
    struct dxgk_adapter *adapter = flip->source->adapter;
    third_arguments *arguments = flip->planes->words.arguments;

    for (UINT i = 0; i < flip->planes->count; i++) {
        fill_third(flip, i);
    }
    arguments->VidPnSourceId = flip->source->index;
    arguments->InputFlags.FlipStereo = flip->flags.FlipStereo;
    arguments->InputFlags.FlipStereoTemporaryMono = flip->flags.FlipStereoTemporaryMono;
    arguments->InputFlags.FlipStereoPreferRight = flip->flags.FlipStereoPreferRight;
    arguments->PlaneCount = flip->planes->count;
    arguments->ppPlanes = flip->planes->words.list;
    arguments->Duration = flip->planes->duration;
    arguments->TargetFlipTime = flip->planes->target;
    return ddi_set_vidpn_source_address_with_multi_plane_overlay3(
        &adapter->ddi, adapter->ddi.miniport_context, arguments, flip->base.object);
}

/* ---- Telling --------------------------------------------------------------------------------- */

/* From here on vertical syncs are to tell it; at device level, between two of them. */
static void note_given(const struct dxgk_flip *flip)
{
    struct dxgk_layers *layers = flip->source->layers;
    struct dxgk_planes *planes = flip->planes;
    bool seen = false;

    for (UINT i = 0; i < planes->count; i++) {
        const struct dxgk_plane *plane = &planes->planes[i];
        struct dxgk_plane_told *given = &layers->given[plane->layer];
        seen |= plane->enabled != given->on || plane->address != given->address;
        *given = (struct dxgk_plane_told){.on = plane->enabled, .address = plane->address};
    }
    planes->notices_before = layers->notices;
    planes->notices_wanted = seen && layers->shown ? 1 : 2;
    layers->plain_notices = 0;
}

struct telling {
    struct dxgk_flip *flip;
    NTSTATUS status;
    /* Flips were pending when the call began: of its source; of any. */
    bool waited, waited_anywhere;
};

static bool tell(void *context)
{
    struct telling *telling = context;
    struct dxgk_flip *flip = telling->flip;
    bool queued = flip->source->layers->queue != NULL;

    if (queued) {
        telling->waited = dxgk_flip_queue_waits(flip, false);
        telling->waited_anywhere = dxgk_flip_queue_waits(flip, true);
        dxgk_flip_queue_give(flip); /* it may be told of before the call returns */
    }
    switch (flip->planes->words.form) {
    case DXGK_PLANES_FIRST:
        telling->status = tell_first(flip);
        break;
    case DXGK_PLANES_SECOND:
        telling->status = tell_second(flip);
        break;
    default:
        telling->status = tell_third(flip);
        break;
    }
    if (queued && telling->status != STATUS_SUCCESS) {
        dxgk_flip_queue_refused(flip);
    } else {
        note_given(flip);
    }
    return true;
}

/* What an immediate flip left to be done later [MPO-010]. */
static void note_answers(const struct dxgk_flip *flip)
{
    const DXGK_MULTIPLANE_OVERLAY_PLANE3 *handed = flip->planes->words.handed;

    for (UINT i = 0; i < flip->planes->count; i++) {
        if (handed[i].OutputFlags.PostPresentNeeded) {
            dxgk_planes_want_post(flip->source, flip->planes->planes[i].layer,
                                  flip->planes->present_id);
        }
    }
}

/* Once more when nothing waits in the hardware; of what was drained already when it was called the
 * driver cannot ask that [MPO-007]. */
static bool waits_for_drain(struct telling *telling)
{
    struct dxgk_flip *flip = telling->flip;
    const third_arguments *arguments = flip->planes->words.arguments;

    if (telling->status != STATUS_RETRY || !flip->source->layers->queue ||
        !arguments->OutputFlags.HwFlipQueueDrainNeeded) {
        return false;
    }
    flip->planes->lower = arguments->OutputFlags.PrePresentNeeded;
    flip->planes->drains_all = arguments->OutputFlags.HwFlipQueueDrainAllSources;
    contract_count(RULE_MPO_007);
    flip->base.retry = flip->planes->drains_all ? telling->waited_anywhere : telling->waited;
    if (flip->base.retry) {
        dxgk_worker_kick(flip->source->adapter); /* they may be over by now */
    } else {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(MPO_007),
                                                   .object = flip->source->adapter->object},
                        "STATUS_RETRY with HwFlipQueueDrainNeeded only while flips wait in the "
                        "hardware's queue",
                        "STATUS_RETRY, OutputFlags 0x%X, for PresentId %llu of source %u, and no "
                        "flip was pending",
                        arguments->OutputFlags.Value, (unsigned long long)flip->planes->present_id,
                        flip->source->index);
    }
    record_count("present.drains", flip->base.retry);
    return flip->base.retry;
}

static NTSTATUS end_third(struct telling *telling)
{
    struct dxgk_flip *flip = telling->flip;
    third_arguments *arguments = flip->planes->words.arguments;

    if (waits_for_drain(telling)) {
        return STATUS_RETRY;
    }
    if (telling->status == STATUS_RETRY && arguments->OutputFlags.PrePresentNeeded &&
        !arguments->OutputFlags.HwFlipQueueDrainNeeded && !flip->planes->lower &&
        dxgk_adapter_has_hardware(flip->source->adapter)) {
        *arguments = (third_arguments){0};
        arguments->InputFlags.RetryAtLowerIrql = 1;
        tell(telling);
        if (waits_for_drain(telling)) {
            return STATUS_RETRY;
        }
    }
    if (telling->status == STATUS_SUCCESS) {
        note_answers(flip);
    }
    return telling->status == STATUS_RETRY ? STATUS_UNSUCCESSFUL : telling->status;
}

/* Whether it is told at PASSIVE_LEVEL at once: it was told before, and had to wait. */
static bool begin_call(struct dxgk_flip *flip)
{
    bool third = flip->planes->words.form == DXGK_PLANES_THIRD;

    if (third) {
        third_arguments *arguments = flip->planes->words.arguments;
        *arguments = (third_arguments){0};
        arguments->InputFlags.RetryAtLowerIrql = flip->planes->lower;
    }
    return third && flip->planes->lower;
}

NTSTATUS dxgk_planes_program(struct dxgk_flip *flip)
{
    struct dxgk_source *source = flip->source;
    struct telling telling = {.flip = flip};

    CHECK_THAT(irql_current() == MACHINE_IRQL_PASSIVE);
    if (source->present.programmed_count > 1) {
        record_count("present.planes_beside", 1);
    }
    if (source->layers->queue && !dxgk_flip_queue_ready(flip)) {
        return STATUS_NO_MEMORY;
    }
    bool lower = begin_call(flip);
    if (source->adapter->ddi.interrupt && !lower) {
        interrupt_synchronize(source->adapter->ddi.interrupt, tell, &telling);
    } else {
        tell(&telling);
    }
    /* What a driver of the older forms answers is judged; the next form takes no failure. */
    NTSTATUS status =
        flip->planes->words.form == DXGK_PLANES_THIRD ? end_third(&telling) : telling.status;
    dxgk_flip_queue_set_interrupts(source);
    return status;
}

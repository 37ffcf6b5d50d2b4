/* Rules of overlay planes, in their three forms. What is seen of them dxgk judges. */
#include "contract/internal.h"

#include <limits.h>

#include "contract/tracker.h"
#include "machine/machine.h"

#define ARGUMENTS DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3

static bool flips_wait_for_no_queue(const struct contract_call *call)
{
    return !contract_queues_flips(call);
}

static bool was_at_device_level(const struct contract_call *call)
{
    return call->irql >= MACHINE_IRQL_DEVICE_FIRST;
}

/* Only once more, and only in a call that was not that already. */
static bool retry_has_a_reason(struct contract_call *call)
{
    const ARGUMENTS *after = call->arguments;

    if (call->status != STATUS_RETRY) {
        return contract_no_case(call);
    }
    if (!was_at_device_level(call) &&
        !(after->OutputFlags.HwFlipQueueDrainNeeded && contract_queues_flips(call))) {
        return contract_say(call, "an end of it at PASSIVE_LEVEL",
                            "STATUS_RETRY in the call that PrePresentNeeded had asked for");
    }
    return after->OutputFlags.PrePresentNeeded ||
           (after->OutputFlags.HwFlipQueueDrainNeeded && contract_queues_flips(call)) ||
           contract_say(call, "PrePresentNeeded with STATUS_RETRY",
                        "STATUS_RETRY, and OutputFlags.Value is 0x%X", after->OutputFlags.Value);
}

/* The other two say how much, not whether. */
static bool drains_are_asked_for_whole(struct contract_call *call)
{
    const ARGUMENTS *after = call->arguments;

    if (call->status != STATUS_RETRY || !contract_queues_flips(call)) {
        return contract_no_case(call);
    }
    return after->OutputFlags.HwFlipQueueDrainNeeded ||
           (!after->OutputFlags.HwFlipQueueDrainAllPlanes &&
            !after->OutputFlags.HwFlipQueueDrainAllSources) ||
           contract_say(call,
                        "HwFlipQueueDrainNeeded with HwFlipQueueDrainAllPlanes and "
                        "HwFlipQueueDrainAllSources",
                        "OutputFlags.Value is 0x%X", after->OutputFlags.Value);
}

static UINT given(const struct contract_call *call)
{
    UINT count = ((const ARGUMENTS *)call->before)->PlaneCount;

    return count < CONTRACT_PLANES_MAX ? count : CONTRACT_PLANES_MAX;
}

static bool later_work_is_of_immediate_flips(struct contract_call *call)
{
    for (UINT i = 0; i < given(call); i++) {
        const DXGK_MULTIPLANE_OVERLAY_PLANE3 *plane = call->tracker->planes.given[i];
        bool at_once =
            plane->InputFlags.FlipImmediate || plane->OutputFlags.FlipConvertedToImmediate;
        if (!at_once &&
            (plane->OutputFlags.PostPresentNeeded || plane->OutputFlags.HsyncInterruptCompletion)) {
            return contract_say(call,
                                "PostPresentNeeded and HsyncInterruptCompletion for immediate "
                                "flips alone",
                                "OutputFlags 0x%X of plane %u, which waits for its vertical sync",
                                plane->OutputFlags.Value, plane->LayerIndex);
        }
    }
    return true;
}

static bool flips_wait_where_they_must(struct contract_call *call)
{
    for (UINT i = 0; i < given(call); i++) {
        const DXGK_MULTIPLANE_OVERLAY_PLANE3 *plane = call->tracker->planes.given[i];
        if (plane->OutputFlags.FlipConvertedToImmediate && plane->InputFlags.FlipOnNextVSync &&
            plane->MaxImmediateFlipLine == UINT_MAX) { /* of other flips it is ignored */
            return contract_say(call, "a flip that waits for its vertical sync",
                                "FlipConvertedToImmediate for plane %u, whose "
                                "MaxImmediateFlipLine is -1",
                                plane->LayerIndex);
        }
    }
    return true;
}

/* ---- Vertical syncs -------------------------------------------------------------------------- */

static bool tells_new_planes(const struct contract_call *call)
{
    return contract_tells_planes(call) && !contract_tells_old_planes(call);
}

/* The page of the stop says of an index "greater than" the most that there are, and of a driver
 * that supports planes. */
static bool stops(const struct contract_call *call, UINT layer)
{
    return call->tracker->caps.SupportMultiPlaneOverlay &&
           layer > call->tracker->caps.MaxOverlayPlanes;
}

static bool planes_exist_for(struct contract_call *call, bool stopping)
{
    UINT most = call->tracker->caps.MaxOverlayPlanes;

    for (UINT i = 0; i < contract_planes_told(call); i++) {
        UINT layer = contract_plane_told(call, i).layer;
        if (layer >= most && stops(call, layer) == stopping) {
            return contract_say(call, "planes below MaxOverlayPlanes",
                                "pMultiPlaneOverlayVsyncInfo[%u].LayerIndex is %u of %u", i, layer,
                                most);
        }
    }
    return true;
}

static bool planes_could_exist(struct contract_call *call)
{
    return planes_exist_for(call, true);
}

static bool planes_exist(struct contract_call *call)
{
    return planes_exist_for(call, false);
}

static bool planes_are_told_in_order(struct contract_call *call)
{
    UINT most = call->tracker->caps.MaxOverlayPlanes;

    if (contract_planes_said(call) > most) {
        return contract_say(call, "at most MaxOverlayPlanes planes",
                            "MultiPlaneOverlayVsyncInfoCount is %u of %u",
                            contract_planes_said(call), most);
    }
    for (UINT i = 0; i < contract_planes_told(call); i++) {
        UINT layer = contract_plane_told(call, i).layer;
        if (i > 0 && contract_plane_told(call, i - 1).layer >= layer) {
            return contract_say(call, "planes from the top down, each once",
                                "pMultiPlaneOverlayVsyncInfo[%u].LayerIndex is %u, that before it "
                                "%u",
                                i, layer, contract_plane_told(call, i - 1).layer);
        }
    }
    return true;
}

static bool was_asked(const struct contract_call *call, UINT layer, uint64_t id)
{
    bool found = id == 0; /* of a plane that shows nothing yet */

    for (UINT i = 0; i < CONTRACT_SOURCES_MAX && !found; i++) {
        const struct contract_plane *plane = &call->tracker->sources[i].planes[layer];
        found = id <= plane->asked && plane->asked != 0;
    }
    return found;
}

static bool was_given_to_it(const struct contract_call *call, UINT layer, uint64_t id)
{
    bool found = id == 0;

    for (UINT i = 0; i < CONTRACT_SOURCES_MAX && !found; i++) {
        found = contract_plane_was_asked(&call->tracker->sources[i].planes[layer], id);
    }
    return found;
}

/* One of another plane says of this one's flips as much, as long as it is compared. */
static bool ids_are_the_planes(struct contract_call *call)
{
    for (UINT i = 0; i < contract_planes_told(call); i++) {
        struct contract_plane_told told = contract_plane_told(call, i);
        if (told.layer < CONTRACT_PLANES_MAX && was_asked(call, told.layer, told.present_id) &&
            !was_given_to_it(call, told.layer, told.present_id)) {
            return contract_say(call, "of each plane the PresentId of a flip of its own",
                                "plane %u tells PresentId %llu, which it was not given", told.layer,
                                (unsigned long long)told.present_id);
        }
    }
    return true;
}

static bool ids_were_given(struct contract_call *call)
{
    for (UINT i = 0; i < contract_planes_told(call); i++) {
        struct contract_plane_told told = contract_plane_told(call, i);
        if (told.layer < CONTRACT_PLANES_MAX && !was_asked(call, told.layer, told.present_id)) {
            return contract_say(call, "a PresentId that the plane was given",
                                "plane %u tells PresentId %llu", told.layer,
                                (unsigned long long)told.present_id);
        }
    }
    return true;
}

/* An address in the plane; in plane 0 one that a flip gave to the source, too. */
static bool was_given(const struct contract_source *source, UINT layer, uint64_t address)
{
    const struct contract_plane *plane = &source->planes[layer];
    bool found = false;

    for (UINT i = 0; i < plane->place_count && i < CONTRACT_PLANE_PLACES_MAX; i++) {
        found |= plane->places[i] == address;
    }
    for (UINT i = 0; layer == 0 && i < source->address_count && i < CONTRACT_ADDRESSES_MAX; i++) {
        found |= source->addresses[i] == address;
    }
    return found;
}

static bool places_were_given(struct contract_call *call)
{
    for (UINT i = 0; i < contract_planes_told(call); i++) {
        struct contract_plane_told told = contract_plane_told(call, i);
        bool found = !told.on || told.layer >= CONTRACT_PLANES_MAX;
        for (UINT k = 0; k < CONTRACT_SOURCES_MAX && !found; k++) {
            found = was_given(&call->tracker->sources[k], told.layer, told.address);
        }
        if (!found) {
            return contract_say(call, "for a plane that is Enabled an address that it was given",
                                "plane %u tells 0x%llX", told.layer,
                                (unsigned long long)told.address);
        }
    }
    return true;
}

/* Clones and other outputs have notices of their own. */
static unsigned patience(const struct contract_call *call)
{
    unsigned outputs = call->tracker->child_count ? call->tracker->child_count : 1;

    return (CONTRACT_LATE_VSYNCS + 1) * outputs;
}

/* The first plane whose flip nobody tells, said once; NULL: none. */
static const struct contract_plane *untold(const struct contract_call *call, UINT *source,
                                           UINT *layer)
{
    for (UINT i = 0; i < CONTRACT_SOURCES_MAX; i++) {
        for (UINT k = 0; k < CONTRACT_PLANES_MAX; k++) {
            struct contract_plane *plane = &call->tracker->sources[i].planes[k];
            if (plane->awaited && plane->waited == patience(call)) {
                plane->waited++;
                *source = i;
                *layer = k;
                return plane;
            }
        }
    }
    return NULL;
}

static bool flips_are_told(struct contract_call *call)
{
    UINT source, layer;
    const struct contract_plane *plane = untold(call, &source, &layer);

    return !plane ||
           contract_say(call, "the PresentId of each plane's flip, when it is shown",
                        "%u notices of planes since PresentId %llu was given to plane %u of source "
                        "%u, and none tells it",
                        patience(call), (unsigned long long)plane->asked, layer, source);
}

static bool places_are_told(struct contract_call *call)
{
    UINT source, layer;
    const struct contract_plane *plane = untold(call, &source, &layer);

    if (plane && !plane->on) {
        return contract_say(call, "a plane that was turned off told so, or not at all",
                            "%u notices of planes since plane %u of source %u was given Enabled 0, "
                            "and each tells it Enabled",
                            patience(call), layer, source);
    }
    return !plane ||
           contract_say(call, "the address of each plane's flip, when it is shown",
                        "%u notices of planes since 0x%llX was given to plane %u of source %u, and "
                        "none tells it, Enabled",
                        patience(call),
                        (unsigned long long)
                            plane->places[(plane->place_count - 1) % CONTRACT_PLANE_PLACES_MAX],
                        layer, source);
}

/* ---- The flip queue -------------------------------------------------------------------------- */

#define RANGE_WANTED \
    "in PresentIdCancelled 0, or the first of the flips that were cancelled, up to the newest"

static bool is_range(struct contract_call *call, UINT i, uint64_t cancelled)
{
    const struct contract_planes *planes = &call->tracker->planes;
    UINT source = ((const DXGKARG_CANCELFLIPS *)call->before)->VidPnSourceId;
    UINT layer = planes->cancel_layers[i];
    uint64_t last = source < CONTRACT_SOURCES_MAX && layer < CONTRACT_PLANES_MAX
                        ? call->tracker->sources[source].planes[layer].asked
                        : 0;

    return cancelled == 0 || (cancelled >= planes->cancel_first[i] && cancelled <= last) ||
           contract_say(call, RANGE_WANTED, "%llu for plane %u; %llu to %llu were to be cancelled",
                        (unsigned long long)cancelled, layer,
                        (unsigned long long)planes->cancel_first[i], (unsigned long long)last);
}

/* The same of one plane. */
static bool cancels_a_range(struct contract_call *call)
{
    const DXGKARG_CANCELQUEUEDFLIPS *asked = call->before, *answer = call->arguments;
    bool known = asked->VidPnSourceId < CONTRACT_SOURCES_MAX &&
                 asked->LayerIndex < CONTRACT_PLANES_MAX && call->status == STATUS_SUCCESS;
    uint64_t last =
        known ? call->tracker->sources[asked->VidPnSourceId].planes[asked->LayerIndex].asked : 0;

    if (!known) {
        return contract_no_case(call);
    }
    return answer->PresentIdCancelled == 0 ||
           (answer->PresentIdCancelled >= asked->PresentIdCancelRequested &&
            answer->PresentIdCancelled <= last) ||
           contract_say(call, RANGE_WANTED, "%llu for plane %u; %llu to %llu were to be cancelled",
                        (unsigned long long)answer->PresentIdCancelled, asked->LayerIndex,
                        (unsigned long long)asked->PresentIdCancelRequested,
                        (unsigned long long)last);
}

/* Planes that have one flip lose it together: those of a call have the same ones [MPO-030]. */
static bool cancels_whole_flips(struct contract_call *call)
{
    const struct contract_planes *planes = &call->tracker->planes;
    UINT count = ((const DXGKARG_CANCELFLIPS *)call->before)->PlaneCount;

    if (call->status != STATUS_SUCCESS) {
        return contract_no_case(call);
    }
    for (UINT i = 0; i < count && i < CONTRACT_PLANES_MAX; i++) {
        uint64_t cancelled = planes->cancelled[i]->PresentIdCancelled;
        uint64_t first = planes->cancelled[0]->PresentIdCancelled;
        if (!is_range(call, i, cancelled)) {
            return false;
        }
        if (cancelled != first) {
            return contract_say(call, "all planes of an interlocked flip cancelled, or none",
                                "of PresentId %llu plane %u says %llu in PresentIdCancelled, and "
                                "plane %u %llu",
                                (unsigned long long)planes->cancel_first[0],
                                planes->cancel_layers[0], (unsigned long long)first,
                                planes->cancel_layers[i], (unsigned long long)cancelled);
        }
    }
    return true;
}

static bool log_is_let_go(struct contract_call *call)
{
    const DXGKARG_SETFLIPQUEUELOGBUFFER *arguments = call->arguments;
    bool may_fail = arguments->LogBufferAddress != NULL;

    return call->status == STATUS_SUCCESS ||
           (may_fail &&
            (call->status == STATUS_NO_MEMORY || call->status == STATUS_NOT_IMPLEMENTED)) ||
           contract_say(call, "STATUS_SUCCESS, or for a log that is there one of its page",
                        "%s for LogBufferAddress %p", status_name(call->status),
                        (const void *)arguments->LogBufferAddress);
}

static const struct contract_row rows[] = {
    AFTER(GEN_010, GetPostCompositionCaps, FILLED(DXGKARG_GETPOSTCOMPOSITIONCAPS, MaxStretchFactor),
          WHEN(has_succeeded)),
    AFTER(GEN_010, GetPostCompositionCaps, FILLED(DXGKARG_GETPOSTCOMPOSITIONCAPS, MaxShrinkFactor),
          WHEN(has_succeeded)),
    AFTER(MPO_014, CancelFlips, cancels_whole_flips),
    AFTER(MPO_014, CancelQueuedFlips, cancels_a_range,
          LEAVES_OUT("that planes of one flip lose it together")),
    AFTER(MPO_026, SetFlipQueueLogBuffer, log_is_let_go),
    AFTER(MPO_026, UpdateFlipQueueLog, STATUS_IN(STATUS_SUCCESS)),
    AFTER(MPO_026, SetInterruptTargetPresentId, STATUS_IN(STATUS_SUCCESS)),
    AFTER(MPO_026, CancelFlips, STATUS_IN(STATUS_SUCCESS, STATUS_NOT_IMPLEMENTED)),
    AFTER(MPO_026, CancelQueuedFlips, STATUS_IN(STATUS_SUCCESS)),
    AFTER(MPO_004, SetVidPnSourceAddressWithMultiPlaneOverlay3,
          STATUS_IN(STATUS_SUCCESS, STATUS_RETRY), WHEN(flips_wait_for_no_queue), STOPS(0x119, 0xB),
          SAYS("CheckMultiPlaneOverlaySupport3 had said yes")),
    /* Of a driver that queues flips that is a reset, mostly. */
    AFTER(MPO_004, SetVidPnSourceAddressWithMultiPlaneOverlay3,
          STATUS_IN(STATUS_SUCCESS, STATUS_RETRY), WHEN(contract_queues_flips),
          SAYS("CheckMultiPlaneOverlaySupport3 had said yes")),
    AFTER(MPO_004, SetVidPnSourceAddressWithMultiPlaneOverlay, STATUS_IN(STATUS_SUCCESS),
          STOPS(0x119, 0xB), SAYS("CheckMultiPlaneOverlaySupport had said yes")),
    AFTER(MPO_006, SetVidPnSourceAddressWithMultiPlaneOverlay2, STATUS_IN(STATUS_SUCCESS)),
    AFTER(MPO_007, SetVidPnSourceAddressWithMultiPlaneOverlay3, retry_has_a_reason),
    AFTER(MPO_007, SetVidPnSourceAddressWithMultiPlaneOverlay3, drains_are_asked_for_whole),
    AFTER(MPO_009, SetVidPnSourceAddressWithMultiPlaneOverlay3, flips_wait_where_they_must,
          LEAVES_OUT("lines other than -1: whether scan-out had reached them")),
    AFTER(MPO_010, SetVidPnSourceAddressWithMultiPlaneOverlay3, later_work_is_of_immediate_flips),
    AFTER(MPO_011, PostMultiPlaneOverlayPresent, STATUS_IN(STATUS_SUCCESS), STOPS(0x119, 0xF)),
    BEFORE(INT_013, CbNotifyInterrupt, planes_could_exist, WHEN(contract_tells_planes),
           STOPS(0x119, 0xE)),
    BEFORE(INT_013, CbNotifyInterrupt, planes_exist, WHEN(contract_tells_planes)),
    BEFORE(INT_013, CbNotifyInterrupt, planes_are_told_in_order, WHEN(contract_tells_planes)),
    BEFORE(MPO_008, CbNotifyInterrupt, ids_were_given, WHEN(tells_new_planes)),
    BEFORE(MPO_008, CbNotifyInterrupt, ids_are_the_planes, WHEN(tells_new_planes), ADVISES),
    BEFORE(MPO_008, CbNotifyInterrupt, flips_are_told, WHEN(tells_new_planes)),
    BEFORE(MPO_020, CbNotifyInterrupt, places_were_given, WHEN(contract_tells_old_planes)),
    BEFORE(MPO_020, CbNotifyInterrupt, places_are_told, WHEN(contract_tells_old_planes)),
};

const struct contract_family contract_family_planes = FAMILY_OF(rows);

/* The kernel's own duties: overlay planes. */
#include "contract/internal.h"
#include "contract/tracker.h"

#include "machine/machine.h"
#include "nt/nt.h"

#include <string.h>

#define ARGUMENTS DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3

static const ARGUMENTS *planes_of(const struct contract_call *call)
{
    return call->arguments;
}

static bool planes_ascend(struct contract_call *call)
{
    struct contract_planes_call planes = contract_planes_of(call);
    UINT most = call->tracker->caps.MaxOverlayPlanes;

    for (UINT i = 0; i < planes.count && i < most; i++) {
        UINT layer = contract_plane_given(call, i).layer;
        if (layer >= most || (i > 0 && contract_plane_given(call, i - 1).layer >= layer)) {
            return contract_say(call, "planes in ascending order, each once", "[%u] is plane %u", i,
                                layer);
        }
    }
    return KERNEL_KEEPS(call, planes.count > 0 && planes.count <= most,
                        "as many planes as the array has", "%u of %u", planes.count, most);
}

static bool planes_have_places(struct contract_call *call)
{
    for (UINT i = 0; i < contract_planes_of(call).count; i++) {
        struct contract_plane_given plane = contract_plane_given(call, i);
        const struct contract_object *allocation =
            contract_object_find(call->tracker, TRACKED_ALLOCATION, plane.allocation);
        if (plane.on &&
            (!allocation || plane.segment == 0 ||
             !contract_in_segment(call->tracker, plane.segment, plane.address, allocation->size))) {
            return contract_say(call, "where the surface of the plane is", "plane %u: %p",
                                plane.layer, plane.allocation);
        }
    }
    return true;
}

static bool retry_was_wanted(struct contract_call *call)
{
    const ARGUMENTS *planes = planes_of(call);
    bool again = planes->InputFlags.RetryAtLowerIrql;
    bool wanted = planes->VidPnSourceId < CONTRACT_SOURCES_MAX &&
                  call->tracker->sources[planes->VidPnSourceId].retry_wanted;

    return KERNEL_KEEPS(call,
                        again ? wanted && call->irql < MACHINE_IRQL_DISPATCH
                              : call->irql >= MACHINE_IRQL_DEVICE_FIRST,
                        "at device IRQL, and at PASSIVE_LEVEL after PrePresentNeeded",
                        "IRQL %u, RetryAtLowerIrql %d, PrePresentNeeded %d", call->irql, again,
                        wanted);
}

static bool post_was_wanted(struct contract_call *call)
{
    const DXGKARG_POSTMULTIPLANEOVERLAYPRESENT *post = call->arguments;

    return KERNEL_KEEPS(
        call,
        call->irql < MACHINE_IRQL_DISPATCH && contract_post_wanted(call->tracker, post) != NULL,
        "at PASSIVE_LEVEL, for a plane with PostPresentNeeded, the flip it was set "
        "for and its target",
        "IRQL %u, plane %u, PresentID %llu, target %u", call->irql, (unsigned)post->LayerIndex,
        (unsigned long long)post->PresentID, (unsigned)post->VidPnTargetId);
}

static bool is_flip_of_planes(const struct contract_call *call)
{
    return ((const DXGKARG_PRESENT *)call->arguments)->Flags.FlipWithMultiPlaneOverlay;
}

static bool planes_were_agreed_on(struct contract_call *call)
{
    const DXGKARG_PRESENT *present = call->arguments;
    const DXGK_PRESENTMULTIPLANEOVERLAYINFO *info = present->pPresentMultiPlaneOverlayInfo;

    if (!call->tracker->planes.supported || !call->tracker->caps.SupportMultiPlaneOverlay) {
        return contract_say(call, "overlay planes only where CheckMultiPlaneOverlaySupport agreed",
                            "FlipWithMultiPlaneOverlay, and the driver did not");
    }
    for (UINT i = 0; info && i < info->PlaneListCount; i++) {
        HANDLE handle = info->pPlaneList[i].hDeviceSpecificAllocation;
        if (info->pPlaneList[i].Enabled
                ? !contract_object_find(call->tracker, TRACKED_OPENING, handle)
                : handle != NULL) {
            return contract_say(call, "openings that live in planes that are enabled",
                                "plane %u: %p", info->pPlaneList[i].LayerIndex, handle);
        }
    }
    return KERNEL_KEEPS(call, info && info->PlaneListCount > 0, "planes to flip", "%p",
                        (const void *)info);
}

/* ---- The flip queue -------------------------------------------------------------------------- */

static const struct contract_plane *plane_of(const struct contract_call *call, UINT i)
{
    const ARGUMENTS *planes = planes_of(call);
    UINT layer = planes->ppPlanes[i]->LayerIndex;

    return planes->VidPnSourceId < CONTRACT_SOURCES_MAX && layer < CONTRACT_PLANES_MAX
               ? &call->tracker->sources[planes->VidPnSourceId].planes[layer]
               : NULL;
}

static bool time_goes_on(struct contract_call *call)
{
    const ARGUMENTS *planes = planes_of(call);

    for (UINT i = 0; i < planes->PlaneCount && i < CONTRACT_PLANES_MAX; i++) {
        const struct contract_plane *plane = plane_of(call, i);
        if (plane && planes->TargetFlipTime < plane->target) {
            return contract_say(call, "a TargetFlipTime not before that of a flip that is pending",
                                "%llu for plane %u, which had %llu",
                                (unsigned long long)planes->TargetFlipTime,
                                planes->ppPlanes[i]->LayerIndex, (unsigned long long)plane->target);
        }
    }
    return true;
}

static bool log_was_given(struct contract_call *call)
{
    const ARGUMENTS *planes = planes_of(call);

    for (UINT i = 0; i < planes->PlaneCount && i < CONTRACT_PLANES_MAX; i++) {
        const struct contract_plane *plane = plane_of(call, i);
        if (plane && !plane->log) {
            return contract_say(call, "a log for each plane before its first flip", "plane %u",
                                planes->ppPlanes[i]->LayerIndex);
        }
    }
    return true;
}

/* Was the newest flip told of, or one that overtook it? Elements that nobody wrote are no flips. */
static bool is_told(const struct contract_plane *plane)
{
    bool told = false;

    for (UINT i = 0; i < plane->log_count; i++) {
        DXGK_FLIPQUEUE_LOG_ENTRY entry;
        memcpy(&entry, &plane->log[i], sizeof entry);
        told |= entry.PresentId == plane->queued;
    }
    return told;
}

/* One whose time has come is not looked at: a driver that tells nothing of it is given up. */
static bool log_rests(struct contract_call *call)
{
    const DXGKARG_SETFLIPQUEUELOGBUFFER *given = call->arguments;

    if (given->VidPnSourceId >= CONTRACT_SOURCES_MAX || given->LayerIndex >= CONTRACT_PLANES_MAX) {
        return true; /* nothing is known of it */
    }
    const struct contract_plane *plane =
        &call->tracker->sources[given->VidPnSourceId].planes[given->LayerIndex];
    uint64_t now = nt_performance_counter();
    return KERNEL_KEEPS(call,
                        !plane->log || plane->queued == 0 || plane->target <= now ||
                            !has_device(call) || is_told(plane),
                        "no other log, and none less, while a flip of the plane is outstanding",
                        "PresentId %llu of plane %u of source %u, in %llu ticks",
                        (unsigned long long)plane->queued, given->LayerIndex, given->VidPnSourceId,
                        (unsigned long long)(plane->target - now));
}

static bool is_among(const DXGKARG_CANCELFLIPS *cancel, UINT layer)
{
    bool found = false;

    for (UINT i = 0; i < cancel->PlaneCount; i++) {
        found |= cancel->ppPlanes[i]->LayerIndex == layer;
    }
    return found;
}

/* "The set of planes passed in such cases must correspond to a pending interlocked flip". */
static bool planes_are_a_flips(struct contract_call *call)
{
    const DXGKARG_CANCELFLIPS *cancel = call->arguments;

    if (cancel->PlaneCount == 0 || cancel->VidPnSourceId >= CONTRACT_SOURCES_MAX) {
        return contract_say(call, "the planes of a flip", "%u of source %u", cancel->PlaneCount,
                            cancel->VidPnSourceId);
    }
    const struct contract_source *source = &call->tracker->sources[cancel->VidPnSourceId];
    uint64_t id = cancel->ppPlanes[0]->PresentIdCancelRequested;
    for (UINT i = 0; i < cancel->PlaneCount; i++) {
        if (cancel->ppPlanes[i]->PresentIdCancelRequested != id) {
            return contract_say(call, "one PresentId for all planes", "%llu for plane %u",
                                (unsigned long long)cancel->ppPlanes[i]->PresentIdCancelRequested,
                                cancel->ppPlanes[i]->LayerIndex);
        }
    }
    for (UINT i = 0; i < CONTRACT_PLANES_MAX; i++) {
        if (contract_plane_has_id(&source->planes[i], id) != is_among(cancel, i)) {
            return contract_say(call, "the planes that the flip has", "plane %u %s PresentId %llu",
                                i, is_among(cancel, i) ? "has no" : "is left out of",
                                (unsigned long long)id);
        }
    }
    return true;
}

static const struct contract_row rows[] = {
    KERNEL(MPO_030, CancelFlips, planes_are_a_flips,
           LEAVES_OUT("that the flip still waits; CancelQueuedFlips, which has one plane each")),
    KERNEL(MPO_028, SetFlipQueueLogBuffer, log_rests, WHEN(contract_queues_flips),
           LEAVES_OUT("flips that the driver was asked to take back, or did not tell when their "
                      "time came, and that none is left at a mode change; the kernel looks at it "
                      "where it takes the log back")),
    KERNEL(MPO_012, SetVidPnSourceAddressWithMultiPlaneOverlay3, time_goes_on,
           WHEN(contract_queues_flips)),
    KERNEL(MPO_015, SetVidPnSourceAddressWithMultiPlaneOverlay3, log_was_given,
           WHEN(contract_queues_flips)),
    KERNEL(MPO_005, SetVidPnSourceAddressWithMultiPlaneOverlay, planes_ascend),
    KERNEL(MPO_005, SetVidPnSourceAddressWithMultiPlaneOverlay2, planes_ascend),
    KERNEL(MPO_005, SetVidPnSourceAddressWithMultiPlaneOverlay3, planes_ascend),
    KERNEL(MPO_007, SetVidPnSourceAddressWithMultiPlaneOverlay3, retry_was_wanted),
    KERNEL(FLIP_007, SetVidPnSourceAddressWithMultiPlaneOverlay, planes_have_places),
    KERNEL(FLIP_007, SetVidPnSourceAddressWithMultiPlaneOverlay2, planes_have_places),
    KERNEL(FLIP_007, SetVidPnSourceAddressWithMultiPlaneOverlay3, planes_have_places),
    KERNEL(MPO_011, PostMultiPlaneOverlayPresent, post_was_wanted),
    KERNEL(PRES_045, Present, planes_were_agreed_on, WHEN(is_flip_of_planes)),
};

const struct contract_family contract_family_kernel_planes = FAMILY_OF(rows);

/* Rules of overlay planes, in the form of WDDM 2.1. What is seen of them dxgk judges. */
#include "contract/internal.h"

#include <limits.h>

#include "contract/tracker.h"
#include "machine/machine.h"

#define ARGUMENTS DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3

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
    if (!was_at_device_level(call)) {
        return contract_say(call, "an end of it at PASSIVE_LEVEL",
                            "STATUS_RETRY in the call that PrePresentNeeded had asked for");
    }
    return after->OutputFlags.PrePresentNeeded ||
           contract_say(call, "PrePresentNeeded with STATUS_RETRY",
                        "STATUS_RETRY, and OutputFlags.Value is 0x%X", after->OutputFlags.Value);
}

static UINT given(const struct contract_call *call)
{
    UINT count = ((const ARGUMENTS *)call->before)->PlaneCount;

    return count < CONTRACT_PLANES_MAX ? count : CONTRACT_PLANES_MAX;
}

static bool later_work_is_of_immediate_flips(struct contract_call *call)
{
    for (UINT i = 0; i < given(call); i++) {
        const DXGK_MULTIPLANE_OVERLAY_PLANE3 *plane = call->tracker->planes_given[i];
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
        const DXGK_MULTIPLANE_OVERLAY_PLANE3 *plane = call->tracker->planes_given[i];
        if (plane->OutputFlags.FlipConvertedToImmediate &&
            (plane->MaxImmediateFlipLine == UINT_MAX || plane->InputFlags.FlipImmediate)) {
            return contract_say(call, "a flip that waits for its vertical sync",
                                "FlipConvertedToImmediate for plane %u, whose "
                                "MaxImmediateFlipLine is -1",
                                plane->LayerIndex);
        }
    }
    return true;
}

/* ---- Vertical syncs -------------------------------------------------------------------------- */

static const DXGKARGCB_NOTIFY_INTERRUPT_DATA *notice_of(const struct contract_call *call)
{
    return call->arguments;
}

static bool is_of_planes(const struct contract_call *call)
{
    return notice_of(call)->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2;
}

static UINT told_count(const struct contract_call *call)
{
    return notice_of(call)->CrtcVsyncWithMultiPlaneOverlay2.MultiPlaneOverlayVsyncInfoCount;
}

static const DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2 *told_at(const struct contract_call *call, UINT i)
{
    return &notice_of(call)->CrtcVsyncWithMultiPlaneOverlay2.pMultiPlaneOverlayVsyncInfo[i];
}

static bool planes_exist(struct contract_call *call)
{
    UINT most = call->tracker->caps.MaxOverlayPlanes;

    for (UINT i = 0; i < told_count(call) && i < most; i++) {
        if (told_at(call, i)->LayerIndex >= most) {
            return contract_say(call, "planes below MaxOverlayPlanes",
                                "pMultiPlaneOverlayVsyncInfo[%u].LayerIndex is %u of %u", i,
                                (unsigned)told_at(call, i)->LayerIndex, most);
        }
    }
    return told_count(call) <= most ||
           contract_say(call, "at most MaxOverlayPlanes planes",
                        "MultiPlaneOverlayVsyncInfoCount is %u of %u", told_count(call), most);
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

static bool ids_were_given(struct contract_call *call)
{
    for (UINT i = 0; i < told_count(call) && i < CONTRACT_PLANES_MAX; i++) {
        UINT layer = told_at(call, i)->LayerIndex;
        if (layer < CONTRACT_PLANES_MAX && !was_asked(call, layer, told_at(call, i)->PresentId)) {
            return contract_say(call, "a PresentId that the plane was given",
                                "plane %u tells PresentId %llu", layer,
                                (unsigned long long)told_at(call, i)->PresentId);
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

static bool flips_are_told(struct contract_call *call)
{
    for (UINT i = 0; i < CONTRACT_SOURCES_MAX; i++) {
        for (UINT k = 0; k < CONTRACT_PLANES_MAX; k++) {
            struct contract_plane *plane = &call->tracker->sources[i].planes[k];
            if (plane->awaited && plane->waited == patience(call)) {
                plane->waited++; /* said once */
                return contract_say(call, "the PresentId of each plane's flip, when it is shown",
                                    "%u notices of planes since PresentId %llu was given to plane "
                                    "%u of source %u, and none tells it",
                                    patience(call), (unsigned long long)plane->asked, k, i);
            }
        }
    }
    return true;
}

static const struct contract_row rows[] = {
    AFTER(MPO_004, SetVidPnSourceAddressWithMultiPlaneOverlay3,
          STATUS_IN(STATUS_SUCCESS, STATUS_RETRY),
          SAYS("CheckMultiPlaneOverlaySupport3 had said yes")),
    AFTER(MPO_007, SetVidPnSourceAddressWithMultiPlaneOverlay3, retry_has_a_reason,
          LEAVES_OUT("HwFlipQueueDrainNeeded: there are no hardware flip queues")),
    AFTER(MPO_009, SetVidPnSourceAddressWithMultiPlaneOverlay3, flips_wait_where_they_must,
          LEAVES_OUT("lines other than -1: whether scan-out had reached them")),
    AFTER(MPO_010, SetVidPnSourceAddressWithMultiPlaneOverlay3, later_work_is_of_immediate_flips),
    AFTER(MPO_011, PostMultiPlaneOverlayPresent, STATUS_IN(STATUS_SUCCESS)),
    BEFORE(INT_013, CbNotifyInterrupt, planes_exist, WHEN(is_of_planes)),
    BEFORE(MPO_008, CbNotifyInterrupt, ids_were_given, WHEN(is_of_planes)),
    BEFORE(MPO_008, CbNotifyInterrupt, flips_are_told, WHEN(is_of_planes)),
};

const struct contract_family contract_family_planes = FAMILY_OF(rows);

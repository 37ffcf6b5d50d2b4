/* The kernel's own duties: overlays of WDDM 1.x. */
#include "contract/internal.h"
#include "contract/tracker.h"

static bool is_within_caps(struct contract_call *call)
{
    unsigned count = contract_overlay_count(call->tracker);

    return KERNEL_KEEPS(call, count < call->tracker->caps.MaxOverlays,
                        "not more overlays than MaxOverlays", "%u live, of %u", count,
                        call->tracker->caps.MaxOverlays);
}

static bool is_shown_source(struct contract_call *call)
{
    const DXGKARG_CREATEOVERLAY *create = call->arguments;
    const struct contract_tracker *tracker = call->tracker;
    UINT source = create->VidPnSourceId;

    return KERNEL_KEEPS(call,
                        source < tracker->source_count && source < CONTRACT_SOURCES_MAX &&
                            tracker->sources[source].committed,
                        "a source with a committed path", "source %u of %u", source,
                        tracker->source_count);
}

/* Where an allocation is, as a call says. */
struct place {
    HANDLE allocation;
    UINT segment;
    uint64_t address;
};

static bool is_its_place(struct contract_call *call, struct place place)
{
    const struct contract_object *allocation =
        contract_object_find(call->tracker, TRACKED_ALLOCATION, place.allocation);
    bool right =
        allocation && place.segment != 0 &&
        contract_in_segment(call->tracker, place.segment, place.address, allocation->size) &&
        (allocation->segment == 0 ||
         (allocation->segment == place.segment && allocation->address == place.address));

    return KERNEL_KEEPS(call, right, "an allocation that lives, where paging put it",
                        "segment %u, 0x%llX, allocation %p", place.segment,
                        (unsigned long long)place.address, place.allocation);
}

static struct place place_of(const DXGK_OVERLAYINFO *info)
{
    return (struct place){info->hAllocation, info->SegmentId,
                          (uint64_t)info->PhysicalAddress.QuadPart};
}

static bool created_place(struct contract_call *call)
{
    const DXGKARG_CREATEOVERLAY *create = call->arguments;

    return is_its_place(call, place_of(&create->OverlayInfo));
}

static bool updated_place(struct contract_call *call)
{
    const DXGKARG_UPDATEOVERLAY *update = call->arguments;

    return is_its_place(call, place_of(&update->OverlayInfo));
}

static bool flipped_place(struct contract_call *call)
{
    const DXGKARG_FLIPOVERLAY *flip = call->arguments;

    return is_its_place(call, (struct place){flip->hSource, flip->SrcSegmentId,
                                             (uint64_t)flip->SrcPhysicalAddress.QuadPart});
}

static bool none_lives(struct contract_call *call)
{
    unsigned count = contract_overlay_count(call->tracker);

    return KERNEL_KEEPS(call, count == 0, "no overlay that lives", "%u", count);
}

static const struct contract_row rows[] = {
    KERNEL(OVL_006, CreateOverlay, is_within_caps,
           LEAVES_OUT("that one thread at a time is inside: GEN-002 judges it")),
    KERNEL(OVL_007, UpdateOverlay, HANDLE_LIVES(TRACKED_OVERLAY)),
    KERNEL(OVL_007, FlipOverlay, HANDLE_LIVES(TRACKED_OVERLAY)),
    KERNEL(OVL_007, DestroyOverlay, HANDLE_LIVES(TRACKED_OVERLAY)),
    KERNEL(OVL_008, CreateOverlay, created_place),
    KERNEL(OVL_008, UpdateOverlay, updated_place),
    KERNEL(OVL_008, FlipOverlay, flipped_place),
    KERNEL(OVL_009, CreateOverlay, is_shown_source),
    KERNEL(OVL_010, SetPowerState, none_lives,
           LEAVES_OUT("a reset, which comes without warning, and a change of the VidPN, which is "
                      "level two")),
    KERNEL(OVL_010, StopDevice, none_lives),
};

const struct contract_family contract_family_kernel_overlays = FAMILY_OF(rows);

/* Rules of what the driver says of itself. An adapter whose caps contradict themselves cannot be
 * started. */
#include "contract/internal.h"

#include "machine/machine.h"

static bool caps_came(const struct contract_call *call)
{
    DXGK_DRIVERCAPS caps;

    return contract_caps_answered(call, &caps);
}

static bool segments_came(const struct contract_call *call)
{
    struct contract_segments_answer answer;

    return contract_segments_answered(call, &answer);
}

/* What lies between two descriptors belongs to none that the driver can know: nothing is written
 * there, but by one who goes from one to the next by the size of his own structure. 0: nothing. */
static size_t first_between_descriptors(const struct contract_call *call)
{
    const uint8_t *bytes = call->kept.descriptors.first;
    size_t stride = call->kept.descriptors.stride_bytes;

    for (UINT i = 0; i + 1 < call->kept.descriptors.count; i++) {
        for (size_t at = sizeof(DXGK_SEGMENTDESCRIPTOR4); at < stride; at++) {
            if (bytes[i * stride + at] != 0) {
                return i * stride + at;
            }
        }
    }
    return 0;
}

static bool new_descriptors_came(const struct contract_call *call)
{
    const DXGKARG_QUERYADAPTERINFO *asked = call->before;

    return call->kept.descriptors.first && segments_came(call) &&
           asked->Type == DXGKQAITYPE_QUERYSEGMENT4;
}

/* Where the kernel finds them. */
static bool descriptors_came(const struct contract_call *call)
{
    return call->kept.descriptors.first && segments_came(call) &&
           (!new_descriptors_came(call) || first_between_descriptors(call) == 0);
}

/* ---- DXGK_DRIVERCAPS -------------------------------------------------------------------------
 */

static bool scheduling_goes_together(struct contract_call *call)
{
    DXGK_DRIVERCAPS all;

    if (!contract_caps_answered(call, &all)) {
        return true;
    }
    DXGK_VIDSCHCAPS caps = all.SchedulingCaps;
    if ((caps.PreemptionAware || caps.NoDmaPatching || caps.CancelCommandAware) &&
        !caps.MultiEngineAware) {
        return contract_say(call, "MultiEngineAware = 1",
                            "SchedulingCaps is 0x%X: PreemptionAware, NoDmaPatching or "
                            "CancelCommandAware without MultiEngineAware",
                            caps.Value);
    }
    return !caps.NoDmaPatching || caps.PreemptionAware ||
           contract_say(call, "PreemptionAware = 1",
                        "SchedulingCaps is 0x%X: NoDmaPatching without PreemptionAware",
                        caps.Value);
}

/* Of drivers with outputs that render: a display-only driver has no flips. False: *otherwise is
 * what a row says then. */
static bool owes_flips(struct contract_call *call, DXGK_DRIVERCAPS *caps, bool *otherwise)
{
    struct abi_features features;

    *otherwise = true;
    if (!contract_caps_answered(call, caps)) {
        return false;
    }
    abi_features_init(&features, call->tracker->features.version, caps);
    if (!features.flips_by_register || !contract_is_full_graphics(call->tracker)) {
        *otherwise = contract_no_case(call);
        return false;
    }
    return true;
}

static bool flips_by_registers(struct contract_call *call)
{
    DXGK_DRIVERCAPS caps;
    bool otherwise;

    if (!owes_flips(call, &caps, &otherwise)) {
        return otherwise;
    }
    return caps.FlipCaps.FlipOnVSyncMmIo || caps.FlipCaps.Value == 0 ||
           contract_say(call, "FlipOnVSyncMmIo of a WDDM 1.2 display driver", "FlipCaps is 0x%X",
                        caps.FlipCaps.Value);
}

/* A public driver of WDDM 1.2 has no FlipCaps at all, and Windows runs it without flips: advice. */
static bool flips_at_all(struct contract_call *call)
{
    DXGK_DRIVERCAPS caps;
    bool otherwise;

    if (!owes_flips(call, &caps, &otherwise)) {
        return otherwise;
    }
    return caps.FlipCaps.Value != 0 ||
           contract_say(call, "FlipOnVSyncMmIo of a WDDM 1.2 display driver", "FlipCaps is 0x0");
}

#define WDDM_1_2 0x1200u
#define WDDM_1_3 0x1300u

/* The version that the caps are of; 0: they did not come, or are of a driver that computes alone,
 * which has features of its own. */
static unsigned version_of_caps(const struct contract_call *call, DXGK_DRIVERCAPS *caps)
{
    struct abi_features features;

    if (!contract_caps_answered(call, caps) || caps->MiscCaps.ComputeOnly) {
        return 0;
    }
    abi_features_init(&features, call->tracker->features.version, caps);
    return features.wddm_version;
}

/* Each of a kind of driver: with outputs, one that renders, one that does both. */
static bool mandatory_caps_are_set(struct contract_call *call)
{
    const struct contract_tracker *tracker = call->tracker;
    DXGK_DRIVERCAPS caps;

    if (version_of_caps(call, &caps) < WDDM_1_2) {
        return contract_no_case(call);
    }
    bool shows = tracker->source_count > 0, renders = tracker->has[POINT_CreateDevice];
    bool preempts = renders && caps.SchedulingCaps.PreemptionAware; /* or as Windows 7 did */
    const struct {
        const char *name;
        bool is_asked_for, is_set;
    } features[] = {
        {"SupportNonVGA", shows, caps.SupportNonVGA},
        {"SupportSmoothRotation", shows, caps.SupportSmoothRotation},
        {"PreemptionCaps.GraphicsPreemptionGranularity", preempts,
         caps.PreemptionCaps.GraphicsPreemptionGranularity != D3DKMDT_GRAPHICS_PREEMPTION_NONE},
        {"PreemptionCaps.ComputePreemptionGranularity", preempts,
         caps.PreemptionCaps.ComputePreemptionGranularity != D3DKMDT_COMPUTE_PREEMPTION_NONE},
        {"SupportDirectFlip", shows && renders, caps.SupportDirectFlip},
    };
    for (size_t i = 0; i < sizeof features / sizeof features[0]; i++) {
        if (features[i].is_asked_for && !features[i].is_set) {
            return contract_say(call,
                                "the caps of all that WDDM 1.2 makes mandatory for this kind of "
                                "driver; without them Windows may start its basic display driver",
                                "%s is 0 of a driver of WDDMVersion 0x%X", features[i].name,
                                version_of_caps(call, &caps));
        }
    }
    return true;
}

static bool flips_independently(struct contract_call *call)
{
    DXGK_DRIVERCAPS caps;

    if (version_of_caps(call, &caps) < WDDM_1_3 || !contract_is_full_graphics(call->tracker)) {
        return contract_no_case(call);
    }
    return caps.FlipCaps.FlipIndependent ||
           contract_say(call, "FlipIndependent of a WDDM 1.3 display driver", "FlipCaps is 0x%X",
                        caps.FlipCaps.Value);
}

static bool addressing_goes_together(struct contract_call *call)
{
    DXGK_DRIVERCAPS all;

    if (!contract_caps_answered(call, &all)) {
        return true;
    }
    DXGK_VIDMMCAPS caps = all.MemoryManagementCaps;
    if (!caps.VirtualAddressingSupported) {
        return contract_no_case(call);
    }
    return caps.GpuMmuSupported || caps.IoMmuSupported ||
           contract_say(call, "GpuMmuSupported or IoMmuSupported",
                        "MemoryManagementCaps is 0x%X: VirtualAddressingSupported alone",
                        caps.Value);
}

static bool version_is_registered(struct contract_call *call)
{
    struct abi_features features;
    DXGK_DRIVERCAPS caps;

    if (!contract_caps_answered(call, &caps)) {
        return true;
    }
    abi_features_init(&features, call->tracker->features.version, &caps);
    return features.wddm_version <= features.wddm_version_max ||
           contract_say(call, "a WDDM version that the registered interface version has",
                        "WDDMVersion is 0x%X with interface version 0x%X", features.wddm_version,
                        call->tracker->interface_version);
}

static bool engine_resets_are_there(struct contract_call *call)
{
    static const enum contract_point needed[] = {POINT_ResetEngine, POINT_QueryEngineStatus,
                                                 POINT_QueryDependentEngineGroup};
    DXGK_DRIVERCAPS caps;

    if (!contract_caps_answered(call, &caps) || !caps.SupportPerEngineTDR) {
        return contract_no_case(call);
    }
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        if (!call->tracker->has[needed[i]]) {
            return contract_say(call,
                                "ResetEngine, QueryEngineStatus and QueryDependentEngineGroup "
                                "with SupportPerEngineTDR",
                                "%s is missing", contract_point_info(needed[i])->name);
        }
    }
    return true;
}

/* Reserved in the newest header: what a later version named, an older driver may have known of.
 * WDDMVersion is said to be reserved, and everybody sets it. */
static bool reserved_caps_are_zero(struct contract_call *call)
{
    DXGK_DRIVERCAPS caps;

    if (!contract_caps_answered(call, &caps)) {
        return true;
    }
    const struct {
        const char *name;
        UINT reserved;
    } members[] = {
        {"GammaRampCaps", caps.GammaRampCaps.Reserved},
        {"PresentationCaps", caps.PresentationCaps.Reserved},
        {"FlipCaps", caps.FlipCaps.Reserved},
        {"SchedulingCaps", caps.SchedulingCaps.Reserved},
        {"MemoryManagementCaps", caps.MemoryManagementCaps.Reserved},
    };
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (members[i].reserved) {
            return contract_say(call, "reserved bits of the caps left 0",
                                "the reserved bits of %s are 0x%X", members[i].name,
                                members[i].reserved);
        }
    }
    return true;
}

static bool reserved_of_segments_is_zero(struct contract_call *call)
{
    struct contract_segments_answer answer;

    if (!contract_segments_answered(call, &answer)) {
        return true;
    }
    for (UINT i = 0; i < call->kept.descriptors.count; i++) {
        if (answer.segments[i].flags.Reserved) {
            return contract_say(call, "reserved bits of segment flags left 0",
                                "the flags of segment %u are 0x%X", i + 1,
                                answer.segments[i].flags.Value);
        }
    }
    return true;
}

/* ---- Flips: what every driver can do ---------------------------------------------------------
 */

static bool is_plain_flip(const struct contract_call *call)
{
    const DXGKARG_PRESENT *present = call->before;

    return present->Flags.Flip && (present->FlipInterval == D3DDDI_FLIPINTERVAL_ONE ||
                                   (present->FlipInterval == D3DDDI_FLIPINTERVAL_IMMEDIATE &&
                                    call->tracker->caps.FlipCaps.FlipImmediateMmIo));
}

/* A flip at the next vertical sync, or at once where the caps say so: no driver may call the
 * request itself wrong. What else can go wrong is Present's own business. */
static bool plain_flips_are_taken(struct contract_call *call)
{
    static const NTSTATUS refusals[] = {STATUS_ILLEGAL_INSTRUCTION, STATUS_PRIVILEGED_INSTRUCTION,
                                        STATUS_GRAPHICS_CANNOTCOLORCONVERT};
    const DXGKARG_PRESENT *present = call->before;

    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        if (call->status == refusals[i]) {
            return contract_say(call, "a flip of interval 0 or 1, whatever FlipInterval says",
                                "%s for interval %d", status_name(call->status),
                                (int)present->FlipInterval);
        }
    }
    return true;
}

/* ---- Segments -------------------------------------------------------------------------------- */

/* Their ends may lie beyond all addresses: what a driver says need not make sense. */
static bool overlap(const struct contract_segment *a, const struct contract_segment *b)
{
    return a->base <= b->base ? b->base - a->base < a->size : a->base - b->base < b->size;
}

/* Of the first two forms of descriptors: a public driver, which says nowhere where memory is. */
static bool has_no_addresses(const struct contract_call *call, const struct contract_segment *a,
                             const struct contract_segment *b)
{
    const DXGKARG_QUERYADAPTERINFO *query = call->before;

    return query->Type != DXGKQAITYPE_QUERYSEGMENT4 && a->base == 0 && b->base == 0;
}

static bool segments_are_apart(struct contract_call *call,
                               const struct contract_segments_answer *answer)
{
    for (UINT i = 0; i < answer->count; i++) {
        for (UINT j = 0; j < i; j++) {
            const struct contract_segment *one = &answer->segments[j];
            const struct contract_segment *other = &answer->segments[i];
            if (!one->flags.Agp && !other->flags.Agp && overlap(one, other) &&
                !has_no_addresses(call, one, other)) {
                return contract_say(
                    call, "segments that do not overlap",
                    "segment %u of 0x%llX bytes at 0x%llX and segment %u of 0x%llX bytes at "
                    "0x%llX overlap",
                    j + 1, (unsigned long long)one->size, (unsigned long long)one->base, i + 1,
                    (unsigned long long)other->size, (unsigned long long)other->base);
            }
        }
    }
    return true;
}

static bool descriptors_are_a_stride_apart(struct contract_call *call)
{
    size_t at = first_between_descriptors(call);

    return at == 0 ||
           contract_say(call, "descriptors that are SegmentDescriptorStride bytes apart",
                        "SegmentDescriptorStride is %zu and DXGK_SEGMENTDESCRIPTOR4 has %zu bytes; "
                        "byte %zu, which lies between two of %u descriptors, was written",
                        call->kept.descriptors.stride_bytes, sizeof(DXGK_SEGMENTDESCRIPTOR4), at,
                        call->kept.descriptors.count);
}

static bool segments_can_be_told_apart(struct contract_call *call)
{
    struct contract_segments_answer answer;

    if (!contract_segments_answered(call, &answer)) {
        return true;
    }
    if (answer.has_descriptors && answer.count != call->kept.descriptors.count) {
        return contract_say(call, "the number of segments that was counted before",
                            "%u segments were counted, now there are %u",
                            call->kept.descriptors.count, answer.count);
    }
    if (answer.count == 0 || answer.count > CONTRACT_SEGMENTS_MAX) {
        return contract_say(call, "1 to 32 segments",
                            "QueryAdapterInfo(QUERYSEGMENT*) answered %u segments", answer.count);
    }
    return !answer.has_descriptors || segments_are_apart(call, &answer);
}

/* The pages of QUERYSEGMENT4 say nothing of apertures. */
static bool paging_buffers_in_apertures(struct contract_call *call)
{
    const DXGKARG_QUERYADAPTERINFO *asked = call->before;
    struct contract_segments_answer answer;

    if (!contract_segments_answered(call, &answer)) {
        return true;
    }
    UINT id = answer.paging_segment;
    bool any = asked->Type == DXGKQAITYPE_QUERYSEGMENT4;
    if (id == 0) {
        return contract_no_case(call);
    }
    return (id <= call->kept.descriptors.count &&
            (any || answer.segments[id - 1].flags.Aperture || answer.segments[id - 1].flags.Agp)) ||
           contract_say(call, "an aperture segment, or 0", "PagingBufferSegmentId is %u", id);
}

/* Every byte of it, or of its lower half, is the one that fresh pool is filled with. */
static bool is_uninitialized(uint64_t value)
{
    return value == 0xA5A5A5A5A5A5A5A5u || value == 0xA5A5A5A5u;
}

/* None of less than 1 MiB is beside a limit that is just so many times larger. */
static bool differ_by_unit(uint64_t one, uint64_t other)
{
    uint64_t small = one < other ? one : other, large = one < other ? other : one;

    return small != 0 && small < 1u << 20 &&
           (small << MACHINE_PAGE_SHIFT == large || small << 10 == large);
}

/* The limit of all apertures tells of one only where there is no other; 0: there is. */
static uint64_t limit_of_one(const struct contract_call *call,
                             const struct contract_segments_answer *answer)
{
    unsigned apertures = 0;
    for (UINT i = 0; i < call->kept.descriptors.count; i++) {
        apertures += contract_is_aperture(&answer->segments[i]);
    }
    return apertures == 1 ? call->tracker->caps.ApertureSegmentCommitLimit : 0;
}

static bool size_makes_sense(struct contract_call *call, UINT id,
                             const struct contract_segment *segment, uint64_t all)
{
    if (is_uninitialized(segment->size)) {
        return contract_say(call, "a multiple of 4096 that is not 0",
                            "segment %u has size 0x%llX, which is memory that nobody initialised",
                            id, (unsigned long long)segment->size);
    }
    if (!segment->flags.Agp && (segment->size == 0 || segment->size % MACHINE_PAGE_SIZE != 0)) {
        return contract_say(call, "a multiple of 4096 that is not 0", "segment %u has size 0x%llX",
                            id, (unsigned long long)segment->size);
    }
    if (contract_is_aperture(segment) && !segment->flags.Agp &&
        (differ_by_unit(segment->size, all) ||
         differ_by_unit(segment->size, segment->commit_limit))) {
        return contract_say(call, "Size, CommitLimit and ApertureSegmentCommitLimit in bytes",
                            "aperture segment %u has Size 0x%llX and CommitLimit 0x%llX, and "
                            "ApertureSegmentCommitLimit is 0x%llX: one is another in pages, or KiB",
                            id, (unsigned long long)segment->size,
                            (unsigned long long)segment->commit_limit, (unsigned long long)all);
    }
    return true;
}

static bool sizes_make_sense(struct contract_call *call)
{
    struct contract_segments_answer answer;

    if (!contract_segments_answered(call, &answer)) {
        return true;
    }
    for (UINT i = 0; i < call->kept.descriptors.count; i++) {
        if (!size_makes_sense(call, i + 1, &answer.segments[i], limit_of_one(call, &answer))) {
            return false;
        }
    }
    return true;
}

/* The limit is read of apertures only; the pages of QUERYSEGMENT4 say so. */
static bool old_descriptors_came(const struct contract_call *call)
{
    return descriptors_came(call) &&
           ((const DXGKARG_QUERYADAPTERINFO *)call->before)->Type != DXGKQAITYPE_QUERYSEGMENT4;
}

static bool limits_are_the_sizes(struct contract_call *call)
{
    struct contract_segments_answer answer;

    if (!contract_segments_answered(call, &answer)) {
        return true;
    }
    for (UINT i = 0; i < call->kept.descriptors.count; i++) {
        const struct contract_segment *segment = &answer.segments[i];
        if (!contract_is_aperture(segment) && segment->commit_limit != segment->size) {
            return contract_say(call, "CommitLimit of a memory segment equal to its Size",
                                "memory segment %u has size 0x%llX and commit limit 0x%llX; the "
                                "size counts",
                                i + 1, (unsigned long long)segment->size,
                                (unsigned long long)segment->commit_limit);
        }
    }
    return true;
}

/* By its page an aperture segment holds no more than its CommitLimit, which is nothing then. What a
 * kernel does with 0 no page says: Drydock takes the size. */
static bool apertures_hold_something(struct contract_call *call)
{
    struct contract_segments_answer answer;

    if (!contract_segments_answered(call, &answer)) {
        return contract_no_case(call);
    }
    for (UINT i = 0; i < call->kept.descriptors.count; i++) {
        const struct contract_segment *segment = &answer.segments[i];
        if (contract_is_aperture(segment) && segment->size != 0 && segment->commit_limit == 0) {
            return contract_say(call, "CommitLimit of an aperture segment, in bytes",
                                "aperture segment %u has size 0x%llX and CommitLimit 0; the size "
                                "counts",
                                i + 1, (unsigned long long)segment->size);
        }
    }
    return true;
}

/* 0 leaves it to the kernel; less than one aperture can hold is a practice to avoid. */
static bool apertures_may_be_full(struct contract_call *call)
{
    uint64_t limit = call->tracker->caps.ApertureSegmentCommitLimit;
    struct contract_segments_answer answer;

    if (!contract_segments_answered(call, &answer) || limit == 0) {
        return contract_no_case(call);
    }
    for (UINT i = 0; i < call->kept.descriptors.count; i++) {
        const struct contract_segment *segment = &answer.segments[i];
        uint64_t own = segment->commit_limit;
        own = own < segment->size ? own : segment->size;
        /* How large the chipset's is the driver hears after its caps were asked for. */
        if (contract_is_aperture(segment) && !segment->flags.Agp && limit < own) {
            return contract_say(call,
                                "ApertureSegmentCommitLimit, in bytes, no less than what an "
                                "aperture segment holds",
                                "ApertureSegmentCommitLimit of DXGK_DRIVERCAPS is %llu bytes, and "
                                "aperture segment %u holds %llu; no more than the former is mapped",
                                (unsigned long long)limit, i + 1, (unsigned long long)own);
        }
    }
    return true;
}

static bool one_aperture_in_2_x(struct contract_call *call)
{
    const DXGKARG_QUERYADAPTERINFO *asked = call->before;
    struct contract_segments_answer answer;
    unsigned apertures = 0;

    if (!contract_segments_answered(call, &answer) || asked->Type != DXGKQAITYPE_QUERYSEGMENT4) {
        return contract_no_case(call);
    }
    for (UINT i = 0; i < call->kept.descriptors.count; i++) {
        apertures += answer.segments[i].flags.Aperture;
    }
    if (apertures == 0 && call->tracker->caps.MiscCaps.ComputeOnly) {
        return contract_no_case(call);
    }
    return apertures == 1 || contract_say(call, "exactly one aperture segment",
                                          "%u of the %u descriptors have Flags.Aperture", apertures,
                                          call->kept.descriptors.count);
}

static bool has_chipset_segment(const struct contract_call *call)
{
    struct contract_segments_answer answer;

    if (!descriptors_came(call) || !contract_segments_answered(call, &answer)) {
        return false;
    }
    for (UINT i = 0; i < call->kept.descriptors.count; i++) {
        if (answer.segments[i].flags.Agp) {
            return true;
        }
    }
    return false;
}

/* The adapter does not start otherwise. */
static bool chipset_segment_may_be(struct contract_call *call)
{
    struct contract_segments_answer answer;
    DXGK_SEGMENTFLAGS alone = {.Agp = 1};
    unsigned count = 0;

    if (!contract_segments_answered(call, &answer)) {
        return true;
    }
    for (UINT i = 0; i < call->kept.descriptors.count; i++) {
        const struct contract_segment *segment = &answer.segments[i];
        if (!segment->flags.Agp) {
            continue;
        }
        if (segment->size == 0) {
            return contract_say(call, "no segment with Flags.Agp without an AGP aperture",
                                "segment %u has it, and AgpApertureSize is 0", i + 1);
        }
        if (segment->flags.Value != alone.Value) {
            return contract_say(call, "Flags.Agp without any other flag",
                                "the flags of segment %u are 0x%X", i + 1, segment->flags.Value);
        }
        count++;
    }
    return count == 1 ||
           contract_say(call, "one AGP-type segment", "%u descriptors have Flags.Agp", count);
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static bool node_is_described(struct contract_call *call)
{
    const UINT *node = call->extra;

    return call->status == STATUS_SUCCESS ||
           contract_say(call, "STATUS_SUCCESS for every node",
                        "%s for node %u; GpuEngineTopology.NbAsymetricProcessingNodes is %u",
                        status_name(call->status), node ? *node : 0,
                        call->tracker->caps.GpuEngineTopology.NbAsymetricProcessingNodes);
}

static bool came_of_renderer(const struct contract_call *call)
{
    return caps_came(call) && call->tracker->has[POINT_CreateDevice];
}

/* ---- Hybrid systems -------------------------------------------------------------------------- */

static bool tiers_came(const struct contract_call *call)
{
    DXGK_DRIVERCAPS caps;

    return contract_caps_answered(call, &caps) &&
           (caps.MemoryManagementCaps.CrossAdapterResourceTexture ||
            caps.MemoryManagementCaps.CrossAdapterResourceScanout);
}

static bool tiers_go_together(struct contract_call *call)
{
    DXGK_DRIVERCAPS all;

    if (!contract_caps_answered(call, &all)) {
        return true;
    }
    DXGK_VIDMMCAPS caps = all.MemoryManagementCaps;
    return (caps.CrossAdapterResource &&
            (caps.CrossAdapterResourceTexture || !caps.CrossAdapterResourceScanout)) ||
           contract_say(call,
                        "CrossAdapterResource beneath CrossAdapterResourceTexture, and both "
                        "beneath CrossAdapterResourceScanout",
                        "CrossAdapterResource is %u, CrossAdapterResourceTexture %u, "
                        "CrossAdapterResourceScanout %u",
                        caps.CrossAdapterResource, caps.CrossAdapterResourceTexture,
                        caps.CrossAdapterResourceScanout);
}

static bool is_hybrid(const struct contract_call *call)
{
    DXGK_DRIVERCAPS caps;

    return contract_caps_answered(call, &caps) && caps.HybridDiscrete;
}

static bool hybrid_shares(struct contract_call *call)
{
    DXGK_DRIVERCAPS caps;

    return !contract_caps_answered(call, &caps) || caps.MemoryManagementCaps.CrossAdapterResource ||
           contract_say(call, "CrossAdapterResource of a hybrid discrete adapter",
                        "HybridDiscrete is %u, and CrossAdapterResource 0", caps.HybridDiscrete);
}

static bool hybrid_shows_nothing(struct contract_call *call)
{
    unsigned sources = call->tracker->source_count;

    return sources == 0 ||
           contract_say(call, "no video present sources of a hybrid discrete adapter",
                        "HybridDiscrete is set, and StartDevice said that there are %u", sources);
}

static bool nodes_can_be_asked_about(struct contract_call *call)
{
    return call->tracker->has[POINT_GetNodeMetadata] ||
           contract_say(call, "DxgkDdiGetNodeMetadata of a WDDM 1.3 driver that renders",
                        "it is missing");
}

/* Asked when the caps came, for no page says that a driver without them is not loaded. */
static bool gpu_can_be_reset(struct contract_call *call)
{
    return call->tracker->has[POINT_ResetFromTimeout] ||
           contract_say(call, "DxgkDdiResetFromTimeout of a driver that renders", "it is missing");
}

static bool gpu_can_be_started_again(struct contract_call *call)
{
    return call->tracker->has[POINT_RestartFromTimeout] ||
           contract_say(call,
                        "DxgkDdiRestartFromTimeout of a driver that renders, if it only returns "
                        "STATUS_SUCCESS",
                        "it is missing");
}

static bool is_of_a_part(const struct contract_call *call)
{
    return contract_physical_answered(call) && call->tracker->caps.SchedulingCaps.MultiEngineAware;
}

/* There is one physical adapter, whose nodes the caps have counted already. */
static bool nodes_are_counted_alike(struct contract_call *call)
{
    const DXGK_PHYSICALADAPTERCAPS *physical =
        ((const DXGKARG_QUERYADAPTERINFO *)call->before)->pOutputData;
    UINT nodes = call->tracker->caps.GpuEngineTopology.NbAsymetricProcessingNodes;

    return physical->NumExecutionNodes == nodes ||
           contract_say(call, "as many nodes as the caps have",
                        "DXGK_PHYSICALADAPTERCAPS.NumExecutionNodes is %u, and "
                        "GpuEngineTopology.NbAsymetricProcessingNodes of DXGK_DRIVERCAPS is %u",
                        physical->NumExecutionNodes, nodes);
}

/* In WDDM 2.x this one counts, and the other is what a driver once said. Where the caps leave it at
 * 0, who answers the newer question has said it there. */
static bool paging_nodes_are_alike(struct contract_call *call)
{
    const DXGK_PHYSICALADAPTERCAPS *physical =
        ((const DXGKARG_QUERYADAPTERINFO *)call->before)->pOutputData;
    UINT node = call->tracker->caps.MemoryManagementCaps.PagingNode;

    return node == 0 || physical->PagingNodeIndex == node ||
           contract_say(call, "the paging node that the caps have",
                        "DXGK_PHYSICALADAPTERCAPS.PagingNodeIndex is %u, and "
                        "MemoryManagementCaps.PagingNode of DXGK_DRIVERCAPS, which does not count "
                        "in WDDM 2.x, is %u",
                        physical->PagingNodeIndex, node);
}

/* ---- Questions of a newer system ------------------------------------------------------------- */

static bool is_of_no_version(const struct contract_call *call)
{
    const DXGKARG_QUERYADAPTERINFO *asked = call->before;

    return (UINT)asked->Type >= CONTRACT_QUESTION_UNKNOWN;
}

static bool is_refused(struct contract_call *call)
{
    const DXGKARG_QUERYADAPTERINFO *asked = call->before;

    return !NT_SUCCESS(call->status) ||
           contract_say(call, "an error for a type that the driver does not know",
                        "%s for type %u, which no version of the interface has",
                        status_name(call->status), (UINT)asked->Type);
}

static const struct contract_row rows[] = {
    AFTER(GEN_009, QueryAdapterInfo,
          UNTOUCHED_BEHIND(DXGKARG_QUERYADAPTERINFO, pOutputData, OutputDataSize, 1),
          STOPS(0x10E, 0x12)),
    AFTER(CAPS_001, QueryAdapterInfo, scheduling_goes_together, WHEN(caps_came), ENDS_START),
    AFTER(CAPS_004, QueryAdapterInfo, addressing_goes_together, WHEN(caps_came)),
    AFTER(CAPS_018, QueryAdapterInfo, tiers_go_together, WHEN(tiers_came), ENDS_START),
    AFTER(CAPS_018, QueryAdapterInfo, hybrid_shares, WHEN(is_hybrid)),
    AFTER(CAPS_018, QueryAdapterInfo, hybrid_shows_nothing, WHEN(is_hybrid), ADVISES),
    AFTER(CAPS_011, QueryAdapterInfo, version_is_registered, WHEN(caps_came),
          LEAVES_OUT("whether the caps go with the version; that compute-only drivers declare 2.6, "
                     "which is no matter of WDDM 1.x")),
    AFTER(CAPS_002, QueryAdapterInfo, flips_by_registers, WHEN(caps_came),
          LEAVES_OUT("advice for render-only drivers")),
    AFTER(CAPS_002, QueryAdapterInfo, flips_at_all, WHEN(caps_came), ADVISES),
    AFTER(CAPS_014, QueryAdapterInfo, mandatory_caps_are_set, WHEN(caps_came), ADVISES,
          LEAVES_OUT("SupportPerEngineTDR and SupportKernelModeCommandBuffer: see the check")),
    AFTER(CAPS_015, QueryAdapterInfo, flips_independently, WHEN(caps_came), ADVISES),
    AFTER(CAPS_003, Present, plain_flips_are_taken, WHEN(is_plain_flip)),
    AFTER(ENGRST_001, QueryAdapterInfo, engine_resets_are_there, WHEN(caps_came),
          FEATURE(engine_resets)),
    AFTER(CAPS_005, QueryAdapterInfo, descriptors_are_a_stride_apart, WHEN(new_descriptors_came)),
    AFTER(CAPS_007, QueryAdapterInfo, sizes_make_sense, WHEN(descriptors_came)),
    AFTER(CAPS_007, QueryAdapterInfo, limits_are_the_sizes, WHEN(old_descriptors_came), ADVISES),
    AFTER(CAPS_007, QueryAdapterInfo, apertures_hold_something, WHEN(descriptors_came), ADVISES),
    AFTER(CAPS_007, QueryAdapterInfo, apertures_may_be_full, WHEN(descriptors_came), ADVISES),
    AFTER(CAPS_005, QueryAdapterInfo, segments_can_be_told_apart, WHEN(segments_came),
          LEAVES_OUT("descriptors that the first call writes: there is no place to write them")),
    AFTER(CAPS_006, QueryAdapterInfo, paging_buffers_in_apertures, WHEN(descriptors_came)),
    AFTER(CAPS_008, QueryAdapterInfo, one_aperture_in_2_x, WHEN(descriptors_came)),
    AFTER(CAPS_012, QueryAdapterInfo, chipset_segment_may_be, WHEN(has_chipset_segment),
          ENDS_START),
    AFTER(CAPS_010, GetNodeMetadata, node_is_described),
    AFTER(CAPS_010, QueryAdapterInfo, nodes_are_counted_alike, WHEN(is_of_a_part), ADVISES),
    AFTER(CAPS_010, QueryAdapterInfo, paging_nodes_are_alike, WHEN(is_of_a_part), ADVISES),
    AFTER(GEN_010, GetNodeMetadata, FILLED(DXGKARG_GETNODEMETADATA, EngineType),
          WHEN(has_succeeded)),
    AFTER(CAPS_010, QueryAdapterInfo, nodes_can_be_asked_about, WHEN(came_of_renderer),
          FEATURE(node_metadata)),
    AFTER(TDR_002, QueryAdapterInfo, gpu_can_be_reset, WHEN(came_of_renderer)),
    AFTER(TDR_009, QueryAdapterInfo, gpu_can_be_started_again, WHEN(came_of_renderer)),
    AFTER(GEN_006, QueryAdapterInfo, reserved_caps_are_zero, WHEN(caps_came),
          LEAVES_OUT("what drivers answer besides caps and segments")),
    AFTER(GEN_006, QueryAdapterInfo, reserved_of_segments_is_zero, WHEN(descriptors_came)),
    AFTER(CAPS_013, QueryAdapterInfo, is_refused, WHEN(is_of_no_version)),
};

const struct contract_family contract_family_caps = FAMILY_OF(rows);

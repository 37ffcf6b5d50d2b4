/* What the driver said of itself: caps, segments, nodes; read out of its own answers.
 *
 * Where the answer lies, and how much of it there can be, is taken before the driver runs. */
#include "contract/tracker.h"

#include <stdio.h>
#include <string.h>

#include "contract/cover.h"
#include "contract/doorbells.h"
#include "contract/internal.h"
#include "machine/machine.h"

/* ---- Answers --------------------------------------------------------------------------------- */

static const DXGKARG_QUERYADAPTERINFO *asked(const struct contract_call *call)
{
    return call->before;
}

static bool answered(const struct contract_call *call, DXGK_QUERYADAPTERINFOTYPE type, size_t size)
{
    return has_succeeded(call) && asked(call)->Type == type && asked(call)->pOutputData &&
           asked(call)->OutputDataSize >= size;
}

bool contract_caps_answered(const struct contract_call *call, DXGK_DRIVERCAPS *caps)
{
    size_t has = abi_size(ABI_SIZE_OF_DXGK_DRIVERCAPS, call->tracker->features.version);

    if (!answered(call, DXGKQAITYPE_DRIVERCAPS, 1)) {
        return false;
    }
    if (has > asked(call)->OutputDataSize) {
        has = asked(call)->OutputDataSize;
    }
    memset(caps, 0, sizeof *caps);
    memcpy(caps, asked(call)->pOutputData, has);
    return true;
}

/* Memory without a limit has its size as one: public drivers leave the member alone. */
static uint64_t limit_of(DXGK_SEGMENTFLAGS flags, uint64_t size, uint64_t said)
{
    return !flags.Aperture && said == 0 ? size : said;
}

/* The forms differ in layout, not in what they say. */
#define DEFINE_READ_SEGMENTS(function, output_type, descriptor_type)             \
    static void function(const struct contract_call *call,                       \
                         struct contract_segments_answer *answer)                \
    {                                                                            \
        const output_type *out = asked(call)->pOutputData;                       \
        const descriptor_type *descriptors = call->kept.descriptors.first;       \
                                                                                 \
        answer->count = out->NbSegment;                                          \
        answer->paging_segment = out->PagingBufferSegmentId;                     \
        answer->paging_buffer_size = out->PagingBufferSize;                      \
        answer->paging_private_size = out->PagingBufferPrivateDataSize;          \
        for (UINT i = 0; descriptors && i < call->kept.descriptors.count; i++) { \
            const descriptor_type *from = &descriptors[i];                       \
            answer->segments[i] = (struct contract_segment){                     \
                from->Flags, (uint64_t)from->BaseAddress.QuadPart, from->Size,   \
                limit_of(from->Flags, from->Size, from->CommitLimit), 0,         \
                (uint64_t)from->CpuTranslatedAddress.QuadPart};                  \
        }                                                                        \
    }

DEFINE_READ_SEGMENTS(read_segments_1, DXGK_QUERYSEGMENTOUT, DXGK_SEGMENTDESCRIPTOR)
DEFINE_READ_SEGMENTS(read_segments_3, DXGK_QUERYSEGMENTOUT3, DXGK_SEGMENTDESCRIPTOR3)

static UINT host_pages(const DXGK_SEGMENTDESCRIPTOR4 *descriptor)
{
    return descriptor->Flags.SupportsCpuHostAperture ? descriptor->CpuHostAperture.SizeInPages : 0;
}

static void read_segments_4(const struct contract_call *call,
                            struct contract_segments_answer *answer)
{
    const DXGK_QUERYSEGMENTOUT4 *out = asked(call)->pOutputData;
    const unsigned char *bytes = call->kept.descriptors.first;

    answer->count = out->NbSegment;
    answer->paging_segment = out->PagingBufferSegmentId;
    answer->paging_buffer_size = out->PagingBufferSize;
    answer->paging_private_size = out->PagingBufferPrivateDataSize;
    for (UINT i = 0; bytes && i < call->kept.descriptors.count; i++) {
        const DXGK_SEGMENTDESCRIPTOR4 *from =
            (const void *)(bytes + i * call->kept.descriptors.stride_bytes);
        /* Of this descriptor the limit counts for aperture segments only. */
        answer->segments[i] = (struct contract_segment){
            from->Flags, (uint64_t)from->BaseAddress.QuadPart, from->Size,
            from->Flags.Aperture ? from->CommitLimit : from->Size, host_pages(from),
            (uint64_t)from->CpuTranslatedAddress.QuadPart};
    }
}

/* Where it is and how large it is, the driver need not say. */
static void place_in_chipset(const struct contract_call *call,
                             struct contract_segments_answer *answer)
{
    const DXGK_QUERYSEGMENTIN *chipset = &call->tracker->chipset;

    for (UINT i = 0; i < call->kept.descriptors.count && i < CONTRACT_SEGMENTS_MAX; i++) {
        struct contract_segment *segment = &answer->segments[i];
        if (segment->flags.Agp) {
            segment->base = (uint64_t)chipset->AgpApertureBase.QuadPart;
            segment->size = segment->commit_limit = (uint64_t)chipset->AgpApertureSize.QuadPart;
        }
    }
}

bool contract_segments_answered(const struct contract_call *call,
                                struct contract_segments_answer *answer)
{
    *answer =
        (struct contract_segments_answer){.has_descriptors = call->kept.descriptors.first != NULL};
    if (answered(call, DXGKQAITYPE_QUERYSEGMENT, sizeof(DXGK_QUERYSEGMENTOUT))) {
        read_segments_1(call, answer);
    } else if (answered(call, DXGKQAITYPE_QUERYSEGMENT3, sizeof(DXGK_QUERYSEGMENTOUT3))) {
        read_segments_3(call, answer);
    } else if (answered(call, DXGKQAITYPE_QUERYSEGMENT4, sizeof(DXGK_QUERYSEGMENTOUT4))) {
        read_segments_4(call, answer);
    } else {
        return false;
    }
    place_in_chipset(call, answer);
    return true;
}

bool contract_mmu_answered(const struct contract_call *call, DXGK_GPUMMUCAPS *caps)
{
    if (!answered(call, DXGKQAITYPE_GPUMMUCAPS, sizeof *caps)) {
        return false;
    }
    memcpy(caps, asked(call)->pOutputData, sizeof *caps);
    return true;
}

bool contract_level_answered(const struct contract_call *call, DXGK_PAGE_TABLE_LEVEL_DESC *level)
{
    if (!answered(call, DXGKQAITYPE_PAGETABLELEVELDESC, sizeof *level) ||
        call->kept.level >= CONTRACT_TABLE_LEVELS) {
        return false;
    }
    memcpy(level, asked(call)->pOutputData, sizeof *level);
    return true;
}

UINT contract_table_segment(const struct contract_tracker *tracker, UINT segment)
{
    return segment == tracker->segment_count + 1 ? 0 : segment;
}

/* ---- Following ------------------------------------------------------------------------------- */

/* The driver is to fill in descriptors: as many as the kernel made room for, which is what the
 * driver counted before. */
static void keep_descriptors(struct contract_call *call, const void *first, size_t stride_bytes)
{
    UINT count = call->tracker->segments_counted[asked(call)->Type];

    call->kept.descriptors.first = first;
    call->kept.descriptors.stride_bytes = stride_bytes;
    call->kept.descriptors.count = count < CONTRACT_SEGMENTS_MAX ? count : CONTRACT_SEGMENTS_MAX;
}

static void keep_chipset(struct contract_call *call)
{
    if (asked(call)->pInputData && asked(call)->InputDataSize >= sizeof(DXGK_QUERYSEGMENTIN)) {
        memcpy(&call->tracker->chipset, asked(call)->pInputData, sizeof(DXGK_QUERYSEGMENTIN));
    }
}

void track_question(struct contract_call *call)
{
    const void *out = asked(call)->pOutputData;

    switch (asked(call)->Type) {
    case DXGKQAITYPE_QUERYSEGMENT:
        keep_chipset(call);
        keep_descriptors(call, ((const DXGK_QUERYSEGMENTOUT *)out)->pSegmentDescriptor,
                         sizeof(DXGK_SEGMENTDESCRIPTOR));
        break;
    case DXGKQAITYPE_QUERYSEGMENT3:
        keep_chipset(call);
        keep_descriptors(call, ((const DXGK_QUERYSEGMENTOUT3 *)out)->pSegmentDescriptor,
                         sizeof(DXGK_SEGMENTDESCRIPTOR3));
        break;
    case DXGKQAITYPE_QUERYSEGMENT4:
        keep_descriptors(call, ((const DXGK_QUERYSEGMENTOUT4 *)out)->pSegmentDescriptor,
                         ((const DXGK_QUERYSEGMENTOUT4 *)out)->SegmentDescriptorStride);
        break;
    case DXGKQAITYPE_PAGETABLELEVELDESC: {
        const DXGK_QUERYPAGETABLELEVELDESCIN *in = asked(call)->pInputData;
        call->kept.level = in ? in->LevelIndex : CONTRACT_TABLE_LEVELS;
        break;
    }
    case DXGKQAITYPE_POWERCOMPONENTINFO:
        call->kept.level = asked(call)->pInputData ? *(const UINT *)asked(call)->pInputData
                                                   : CONTRACT_COMPONENTS_MAX;
        break;
    case DXGKQAITYPE_QUERYMMUCOUNT:
        call->tracker->device_mmus.asked = true;
        contract_cover_note(call->tracker);
        break;
    default:
        break;
    }
}

bool contract_reaches_memory(const struct contract_tracker *tracker)
{
    uint64_t highest = (uint64_t)tracker->caps.HighestAcceptableAddress.QuadPart;

    return !tracker->have_caps || highest + 1 == 0 || highest + 1 >= ram_bytes();
}

/* Start fails if the GPU cannot reach all of memory [CAPS-009]; that is no breach of the driver. */
static void look_at_reach(struct contract_tracker *tracker)
{
    char reason[160];

    if (!contract_reaches_memory(tracker)) {
        snprintf(reason, sizeof reason,
                 "HighestAcceptableAddress 0x%llX does not reach all of the computer's memory "
                 "(0x%llX)",
                 (unsigned long long)tracker->caps.HighestAcceptableAddress.QuadPart,
                 (unsigned long long)ram_bytes());
        track_refusal(tracker, RULE_CAPS_009, reason);
    }
}

/* Nodes are those of drivers with contexts; others have one. */
static unsigned count_nodes(const struct contract_tracker *tracker)
{
    return tracker->features.engine_topology && tracker->caps.SchedulingCaps.MultiEngineAware &&
                   tracker->has[POINT_CreateContext]
               ? tracker->caps.GpuEngineTopology.NbAsymetricProcessingNodes
               : 1;
}

static void keep_caps(struct contract_tracker *tracker, const DXGK_DRIVERCAPS *caps)
{
    tracker->have_caps = true;
    tracker->caps = *caps;
    abi_features_init(&tracker->features, tracker->features.version, caps);
    tracker->node_count = count_nodes(tracker);
    tracker->paging_node =
        tracker->features.engine_topology ? caps->MemoryManagementCaps.PagingNode : 0;
    look_at_reach(tracker);
    contract_cover_note(tracker);
}

static void keep_segments(struct contract_tracker *tracker, DXGK_QUERYADAPTERINFOTYPE type,
                          const struct contract_segments_answer *answer)
{
    if (!answer->has_descriptors) {
        tracker->segments_counted[type] = answer->count;
        return;
    }
    tracker->segment_count = tracker->segments_counted[type];
    if (tracker->segment_count > CONTRACT_SEGMENTS_MAX) {
        tracker->segment_count = CONTRACT_SEGMENTS_MAX;
    }
    memcpy(&tracker->segments[1], answer->segments,
           tracker->segment_count * sizeof tracker->segments[0]);
    tracker->paging_segment = answer->paging_segment;
    tracker->paging_buffer_size = answer->paging_buffer_size;
    tracker->paging_private_size = answer->paging_private_size;
    contract_cover_note(tracker);
}

static void keep_mmus(struct contract_tracker *tracker, const DXGK_QUERYMMUSOUT *answer)
{
    struct contract_device_mmus *mmus = &tracker->device_mmus;

    mmus->count = mmus->counted <= DXGK_MAX_MMUS ? mmus->counted : 0;
    for (unsigned i = 0; i < mmus->count; i++) {
        mmus->bytes[i] = answer->MmuDescriptors[i].Size;
    }
    contract_cover_note(tracker);
}

bool contract_physical_answered(const struct contract_call *call)
{
    return answered(call, DXGKQAITYPE_PHYSICALADAPTERCAPS,
                    offsetof(DXGK_PHYSICALADAPTERCAPS, PagingNodeIndex) + sizeof(WORD));
}

void track_answer(struct contract_call *call)
{
    struct contract_tracker *tracker = call->tracker;
    struct contract_segments_answer answer;
    DXGK_PAGE_TABLE_LEVEL_DESC level;
    DXGK_GPUMMUCAPS mmu;
    DXGK_DRIVERCAPS caps;

    if (contract_caps_answered(call, &caps)) {
        keep_caps(tracker, &caps);
    } else if (contract_segments_answered(call, &answer)) {
        keep_segments(tracker, asked(call)->Type, &answer);
    } else if (contract_physical_answered(call)) {
        const DXGK_PHYSICALADAPTERCAPS *physical = asked(call)->pOutputData;
        tracker->paging_node = physical->PagingNodeIndex;
        tracker->gives_iommu_addresses =
            tracker->features.iommu_addresses &&
            asked(call)->OutputDataSize >=
                offsetof(DXGK_PHYSICALADAPTERCAPS, Flags) + sizeof physical->Flags &&
            physical->Flags.GpuVaIommuRequired;
    } else if (contract_mmu_answered(call, &mmu)) {
        tracker->mmu.known = true;
        tracker->mmu.caps = mmu;
    } else if (answered(call, DXGKQAITYPE_QUERYMMUCOUNT, sizeof(DXGK_QUERYMMUCOUNTOUT))) {
        const DXGK_QUERYMMUCOUNTOUT *mmus = asked(call)->pOutputData;
        tracker->device_mmus.counted = mmus->MmuCount;
    } else if (answered(call, DXGKQAITYPE_QUERYMMUS, sizeof(DXGK_QUERYMMUSOUT))) {
        keep_mmus(tracker, asked(call)->pOutputData);
    } else if (answered(call, DXGKQAITYPE_NUMPOWERCOMPONENTS, sizeof(UINT))) {
        track_components_counted(tracker, *(const UINT *)asked(call)->pOutputData);
    } else if (answered(call, DXGKQAITYPE_POWERCOMPONENTINFO,
                        sizeof(DXGK_POWER_RUNTIME_COMPONENT))) {
        track_component_described(tracker, call->kept.level, asked(call)->pOutputData);
    } else if (contract_level_answered(call, &level)) {
        tracker->mmu.levels_known |= 1u << call->kept.level;
        tracker->mmu.levels[call->kept.level] = level;
    }
}

void track_node_metadata(struct contract_call *call)
{
    const DXGKARG_GETNODEMETADATA *answer = call->arguments;
    struct contract_tracker *tracker = call->tracker;
    UINT node = *(const UINT *)call->extra;

    track_user_nodes(tracker, answer);
    if (NT_SUCCESS(call->status) && node < 64 && tracker->features.wddm2 &&
        answer->GpuMmuSupported) {
        tracker->mmu_nodes |= UINT64_C(1) << node;
    }
    if (NT_SUCCESS(call->status) && node < 64 && tracker->features.in_flight_limit &&
        answer->Flags.RingBufferFenceRelease) {
        tracker->late_fence_nodes |= UINT64_C(1) << node;
    }
}

/* What the driver says of itself: caps, segments, nodes; and whether it makes sense.
 *
 * Follows dxgkarg_queryadapterinfo and wddm-driver-and-feature-caps. A breach of the consistency
 * rules fails the start, as on Windows; the refusal names rule and value. */
#include "dxgk/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dxgk_refuse(struct dxgk_failure *failure, enum contract_rule rule, uint32_t object,
                 const char *expected, const char *format, ...)
{
    char actual[160];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(actual, sizeof actual, format, arguments);
    va_end(arguments);
    snprintf(failure->text, sizeof failure->text, "%s: %s", contract_rule_info(rule)->id, actual);
    contract_breach(&(struct contract_finding){.rule = rule, .object = object}, expected, "%s",
                    actual);
}

NTSTATUS dxgk_query_adapter(struct dxgk_adapter *adapter, DXGK_QUERYADAPTERINFOTYPE type,
                            const void *input, UINT input_size, void *output, UINT output_size)
{
    DXGKARG_QUERYADAPTERINFO arguments = {
        .Type = type,
        .pInputData = (void *)input,
        .InputDataSize = input_size,
        .pOutputData = output,
        .OutputDataSize = output_size,
    };

    return ddi_query_adapter_info(&adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
}

static NTSTATUS query_driver_caps(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    enum abi_version version = adapter->ddi.driver->version;
    size_t size = abi_size(ABI_SIZE_OF_DXGK_DRIVERCAPS, version);
    NTSTATUS status =
        dxgk_query_adapter(adapter, DXGKQAITYPE_DRIVERCAPS, NULL, 0, &adapter->caps, (UINT)size);

    if (!NT_SUCCESS(status)) {
        snprintf(failure->text, sizeof failure->text, "QueryAdapterInfo(DRIVERCAPS) failed with %s",
                 status_name(status));
        return status;
    }
    adapter->ddi.shadow.caps = adapter->caps;
    adapter->ddi.shadow.have_caps = true;
    abi_features_init(&adapter->features, version, &adapter->caps);
    return STATUS_SUCCESS;
}

/* ---- Consistency of the caps --------------------------------------------------------------- */

static bool check_scheduling_caps(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    DXGK_VIDSCHCAPS caps = adapter->caps.SchedulingCaps;
    bool dependent = caps.PreemptionAware || caps.NoDmaPatching || caps.CancelCommandAware;

    contract_count(RULE_CAPS_001);
    if (dependent && !caps.MultiEngineAware) {
        dxgk_refuse(failure, CONTRACT_JUDGES(CAPS_001), adapter->object, "MultiEngineAware = 1",
                    "SchedulingCaps is 0x%X: PreemptionAware, NoDmaPatching or CancelCommandAware "
                    "without MultiEngineAware",
                    caps.Value);
        return false;
    }
    if (caps.NoDmaPatching && !caps.PreemptionAware) {
        dxgk_refuse(failure, CONTRACT_JUDGES(CAPS_001), adapter->object, "PreemptionAware = 1",
                    "SchedulingCaps is 0x%X: NoDmaPatching without PreemptionAware", caps.Value);
        return false;
    }
    return true;
}

static bool check_memory_caps(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    DXGK_VIDMMCAPS caps = adapter->caps.MemoryManagementCaps;

    contract_count(RULE_CAPS_004);
    if (caps.VirtualAddressingSupported && !caps.GpuMmuSupported && !caps.IoMmuSupported) {
        dxgk_refuse(failure, CONTRACT_JUDGES(CAPS_004), adapter->object,
                    "GpuMmuSupported or IoMmuSupported",
                    "MemoryManagementCaps is 0x%X: VirtualAddressingSupported alone", caps.Value);
        return false;
    }
    return true;
}

/* Work goes to the driver by physical addresses and Patch; a driver that wants GPU virtual
 * addresses would get none, and is told so rather than led astray. */
static bool check_addressing(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    DXGK_VIDMMCAPS caps = adapter->caps.MemoryManagementCaps;

    if (!adapter->features.virtual_addressing) {
        return true;
    }
    failure->ours = true;
    snprintf(failure->text, sizeof failure->text,
             "the driver asks for GPU virtual addresses (MemoryManagementCaps 0x%X), which Drydock "
             "does not have yet",
             caps.Value);
    return false;
}

static bool check_version(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    const struct abi_features *features = &adapter->features;

    /* The rules go by what counts. */
    adapter->ddi.shadow.caps.WDDMVersion = (DXGK_WDDMVERSION)features->wddm_version;
    contract_count(RULE_CAPS_011);
    if (features->wddm_version > features->wddm_version_max) {
        dxgk_refuse(failure, CONTRACT_JUDGES(CAPS_011), adapter->object,
                    "a WDDM version that the registered interface version has",
                    "WDDMVersion is 0x%X with interface version 0x%X", features->wddm_version,
                    adapter->ddi.driver->interface_version);
        return false;
    }
    return true;
}

static bool check_flips(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    contract_count(RULE_CAPS_002);
    if (adapter->features.flips_by_register && adapter->full_graphics &&
        !adapter->caps.FlipCaps.FlipOnVSyncMmIo) {
        dxgk_refuse(failure, CONTRACT_JUDGES(CAPS_002), adapter->object,
                    "FlipOnVSyncMmIo of a WDDM 1.2 display driver", "FlipCaps is 0x%X",
                    adapter->caps.FlipCaps.Value);
        return false;
    }
    return true;
}

static bool check_reach(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    uint64_t highest = (uint64_t)adapter->caps.HighestAcceptableAddress.QuadPart;

    contract_count(CONTRACT_JUDGES(CAPS_009));
    if (highest + 1 != 0 && highest + 1 < ram_bytes()) {
        snprintf(failure->text, sizeof failure->text,
                 "CAPS-009: HighestAcceptableAddress 0x%llX does not reach all of the computer's "
                 "memory (0x%llX)",
                 (unsigned long long)highest, (unsigned long long)ram_bytes());
        return false;
    }
    return true;
}

/* ---- Segments ------------------------------------------------------------------------------ */

/* A descriptor of any version, in the newest form. */
struct segment {
    DXGK_SEGMENTFLAGS flags;
    uint64_t base, cpu_address, size, commit_limit;
    unsigned bank_count;
    const SIZE_T *bank_ends;
};

struct segment_answer {
    UINT count;
    UINT paging_segment, paging_buffer_size, paging_private_size;
    struct segment segments[VIDMM_SEGMENT_COUNT_MAX];
};

static NTSTATUS too_many(struct dxgk_adapter *adapter, UINT count, struct dxgk_failure *failure)
{
    dxgk_refuse(failure, CONTRACT_JUDGES(CAPS_005), adapter->object, "1 to 32 segments",
                "QueryAdapterInfo(QUERYSEGMENT*) answered %u segments", count);
    return STATUS_INVALID_PARAMETER;
}

/* QUERYSEGMENT and QUERYSEGMENT3 have the same fields in structures of different layout: the first
 * call asks for the count, the second for the descriptors [CAPS-005]. */
#define DEFINE_QUERY_SEGMENTS(function, type, descriptor_type, output_type)                       \
    static NTSTATUS function(struct dxgk_adapter *adapter, struct segment_answer *answer,         \
                             struct dxgk_failure *failure)                                        \
    {                                                                                             \
        descriptor_type descriptors[VIDMM_SEGMENT_COUNT_MAX] = {0};                               \
        DXGK_QUERYSEGMENTIN input = {0};                                                          \
        output_type output = {0};                                                                 \
                                                                                                  \
        NTSTATUS status =                                                                         \
            dxgk_query_adapter(adapter, type, &input, sizeof input, &output, sizeof output);      \
        if (!NT_SUCCESS(status)) {                                                                \
            return status;                                                                        \
        }                                                                                         \
        if (output.NbSegment == 0 || output.NbSegment > VIDMM_SEGMENT_COUNT_MAX) {                \
            return too_many(adapter, output.NbSegment, failure);                                  \
        }                                                                                         \
        answer->count = output.NbSegment;                                                         \
        output.pSegmentDescriptor = descriptors;                                                  \
        status = dxgk_query_adapter(adapter, type, &input, sizeof input, &output, sizeof output); \
        for (UINT i = 0; i < answer->count; i++) {                                                \
            answer->segments[i] = (struct segment){                                               \
                .flags = descriptors[i].Flags,                                                    \
                .base = (uint64_t)descriptors[i].BaseAddress.QuadPart,                            \
                .cpu_address = (uint64_t)descriptors[i].CpuTranslatedAddress.QuadPart,            \
                .size = descriptors[i].Size,                                                      \
                .commit_limit = descriptors[i].CommitLimit,                                       \
                .bank_count = descriptors[i].NbOfBanks,                                           \
                .bank_ends = descriptors[i].pBankRangeTable,                                      \
            };                                                                                    \
        }                                                                                         \
        answer->paging_segment = output.PagingBufferSegmentId;                                    \
        answer->paging_buffer_size = output.PagingBufferSize;                                     \
        answer->paging_private_size = output.PagingBufferPrivateDataSize;                         \
        return status;                                                                            \
    }

DEFINE_QUERY_SEGMENTS(query_segments_1, DXGKQAITYPE_QUERYSEGMENT, DXGK_SEGMENTDESCRIPTOR,
                      DXGK_QUERYSEGMENTOUT)
DEFINE_QUERY_SEGMENTS(query_segments_3, DXGKQAITYPE_QUERYSEGMENT3, DXGK_SEGMENTDESCRIPTOR3,
                      DXGK_QUERYSEGMENTOUT3)

/* QUERYSEGMENT4 is walked by the stride that the kernel gives [CAPS-005]. */
static NTSTATUS query_segments_4(struct dxgk_adapter *adapter, struct segment_answer *answer,
                                 struct dxgk_failure *failure)
{
    enum { STRIDE = sizeof(DXGK_SEGMENTDESCRIPTOR4) };
    static BYTE bytes[VIDMM_SEGMENT_COUNT_MAX * STRIDE];
    DXGK_QUERYSEGMENTIN4 input = {0};
    DXGK_QUERYSEGMENTOUT4 output = {.SegmentDescriptorStride = STRIDE};

    NTSTATUS status = dxgk_query_adapter(adapter, DXGKQAITYPE_QUERYSEGMENT4, &input, sizeof input,
                                         &output, sizeof output);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (output.NbSegment == 0 || output.NbSegment > VIDMM_SEGMENT_COUNT_MAX) {
        return too_many(adapter, output.NbSegment, failure);
    }
    memset(bytes, 0, sizeof bytes);
    answer->count = output.NbSegment;
    output.pSegmentDescriptor = bytes;
    output.SegmentDescriptorStride = STRIDE;
    status = dxgk_query_adapter(adapter, DXGKQAITYPE_QUERYSEGMENT4, &input, sizeof input, &output,
                                sizeof output);
    for (UINT i = 0; i < answer->count; i++) {
        const DXGK_SEGMENTDESCRIPTOR4 *descriptor =
            (const DXGK_SEGMENTDESCRIPTOR4 *)(const void *)(bytes + i * STRIDE);
        answer->segments[i] = (struct segment){
            .flags = descriptor->Flags,
            .base = (uint64_t)descriptor->BaseAddress.QuadPart,
            .cpu_address = (uint64_t)descriptor->CpuTranslatedAddress.QuadPart,
            .size = descriptor->Size,
            /* Of this descriptor the limit counts for aperture segments only: drivers leave it 0
             * for memory. */
            .commit_limit = descriptor->Flags.Aperture ? descriptor->CommitLimit : descriptor->Size,
        };
    }
    answer->paging_segment = output.PagingBufferSegmentId;
    answer->paging_buffer_size = output.PagingBufferSize;
    answer->paging_private_size = output.PagingBufferPrivateDataSize;
    return status;
}

static bool check_segment(struct dxgk_adapter *adapter, unsigned id, const struct segment *segment,
                          struct dxgk_failure *failure)
{
    contract_count(RULE_CAPS_007);
    if (segment->size == 0 || segment->size % MACHINE_PAGE_SIZE != 0) {
        dxgk_refuse(failure, CONTRACT_JUDGES(CAPS_007), adapter->object,
                    "a multiple of 4096 that is not 0", "segment %u has size 0x%llX", id,
                    (unsigned long long)segment->size);
        return false;
    }
    if (!segment->flags.Aperture && segment->commit_limit != segment->size) {
        dxgk_refuse(failure, CONTRACT_JUDGES(CAPS_007), adapter->object,
                    "CommitLimit equal to Size",
                    "memory segment %u has size 0x%llX and commit limit 0x%llX", id,
                    (unsigned long long)segment->size, (unsigned long long)segment->commit_limit);
        return false;
    }
    return true;
}

static bool overlap(const struct segment *a, const struct segment *b)
{
    return a->base < b->base + b->size && b->base < a->base + a->size;
}

static bool check_segments(struct dxgk_adapter *adapter, const struct segment_answer *answer,
                           struct dxgk_failure *failure)
{
    for (UINT i = 0; i < answer->count; i++) {
        if (!check_segment(adapter, i + 1, &answer->segments[i], failure)) {
            return false;
        }
        for (UINT j = 0; j < i; j++) {
            if (overlap(&answer->segments[i], &answer->segments[j])) {
                dxgk_refuse(failure, CONTRACT_JUDGES(CAPS_005), adapter->object,
                            "segments that do not overlap", "segments %u and %u overlap", j + 1,
                            i + 1);
                return false;
            }
        }
    }
    contract_count(RULE_CAPS_006);
    if (answer->paging_segment > answer->count ||
        (answer->paging_segment != 0 &&
         !answer->segments[answer->paging_segment - 1].flags.Aperture)) {
        dxgk_refuse(failure, CONTRACT_JUDGES(CAPS_006), adapter->object,
                    "an aperture segment, or 0", "PagingBufferSegmentId is %u",
                    answer->paging_segment);
        return false;
    }
    if (answer->paging_buffer_size == 0 || answer->paging_buffer_size > 64u << 20) {
        snprintf(failure->text, sizeof failure->text, "PagingBufferSize is %u",
                 answer->paging_buffer_size);
        return false;
    }
    return true;
}

static uint32_t vidmm_flags(DXGK_SEGMENTFLAGS flags)
{
    return (flags.Aperture ? VIDMM_SEGMENT_APERTURE : 0) |
           (flags.CpuVisible ? VIDMM_SEGMENT_CPU_VISIBLE : 0) |
           (flags.CacheCoherent ? VIDMM_SEGMENT_CACHE_COHERENT : 0) |
           (flags.PreservedDuringStandby ? VIDMM_SEGMENT_PRESERVED : 0) |
           (flags.Use64KBPages ? VIDMM_SEGMENT_PAGES_64K : 0);
}

static void keep_segments(struct dxgk_adapter *adapter, const struct segment_answer *answer)
{
    adapter->segment_count = adapter->info.segment_count = answer->count;
    adapter->ddi.shadow.segment_count = answer->count;
    for (UINT i = 0; i < answer->count; i++) {
        const struct segment *segment = &answer->segments[i];
        adapter->segments[i] = (struct vidmm_segment_options){
            .flags = vidmm_flags(segment->flags),
            .base_address = segment->base,
            .size_bytes = segment->size,
            .commit_limit_bytes = segment->commit_limit,
            .cpu_base_address = segment->cpu_address,
            .group = segment->flags.Aperture ? VIDMM_GROUP_NON_LOCAL : VIDMM_GROUP_LOCAL,
        };
        adapter->info.segments[i].flags = segment->flags;
        adapter->info.segments[i].base = segment->base;
        adapter->info.segments[i].size = segment->size;
        adapter->info.segments[i].commit_limit = segment->commit_limit;
        adapter->ddi.shadow.segments[i + 1] = (struct contract_segment){
            segment->flags, segment->base, segment->size, segment->commit_limit};
    }
    adapter->paging_segment = answer->paging_segment;
    adapter->paging_buffer_size = answer->paging_buffer_size;
    adapter->paging_private_size = answer->paging_private_size;
    adapter->ddi.shadow.paging_segment = answer->paging_segment;
    adapter->ddi.shadow.paging_buffer_size = answer->paging_buffer_size;
    adapter->ddi.shadow.paging_private_size = answer->paging_private_size;
}

static NTSTATUS query_segments(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    static NTSTATUS (*const ask[])(struct dxgk_adapter *, struct segment_answer *,
                                   struct dxgk_failure *) = {
        [ABI_QUERY_SEGMENT] = query_segments_1,
        [ABI_QUERY_SEGMENT3] = query_segments_3,
        [ABI_QUERY_SEGMENT4] = query_segments_4,
    };
    struct segment_answer answer = {0};
    NTSTATUS status = ask[adapter->features.segment_query](adapter, &answer, failure);

    if (!NT_SUCCESS(status)) {
        if (!failure->text[0]) {
            snprintf(failure->text, sizeof failure->text,
                     "QueryAdapterInfo(QUERYSEGMENT*) failed with %s", status_name(status));
        }
        return status;
    }
    if (!check_segments(adapter, &answer, failure)) {
        return STATUS_INVALID_PARAMETER;
    }
    keep_segments(adapter, &answer);
    return STATUS_SUCCESS;
}

/* ---- Nodes --------------------------------------------------------------------------------- */

static NTSTATUS query_nodes(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    const struct abi_features *features = &adapter->features;
    UINT count = adapter->contexts && features->engine_topology
                     ? adapter->caps.GpuEngineTopology.NbAsymetricProcessingNodes
                     : 1;

    if (count == 0 || count > VIDSCH_NODE_COUNT_MAX) {
        snprintf(failure->text, sizeof failure->text,
                 "GpuEngineTopology.NbAsymetricProcessingNodes is %u, not 1 to %u", count,
                 VIDSCH_NODE_COUNT_MAX);
        return STATUS_INVALID_PARAMETER;
    }
    adapter->node_count = adapter->info.node_count = count;
    adapter->ddi.shadow.node_count = count;
    adapter->paging_node =
        features->engine_topology ? adapter->caps.MemoryManagementCaps.PagingNode : 0;
    if (adapter->paging_node >= count) {
        snprintf(failure->text, sizeof failure->text,
                 "MemoryManagementCaps.PagingNode is %u of %u nodes", adapter->paging_node, count);
        return STATUS_INVALID_PARAMETER;
    }
    adapter->info.paging_node = adapter->paging_node;
    for (UINT i = 0; i < count && features->node_metadata; i++) {
        DXGKARG_GETNODEMETADATA metadata = {0};
        NTSTATUS status = ddi_get_node_metadata(&adapter->ddi, i, &metadata);
        if (status == STATUS_NOT_SUPPORTED) {
            break; /* the rules of GetNodeMetadata say so [CAPS-010] */
        }
        adapter->info.nodes[i].engine_type = (unsigned)metadata.EngineType;
        nt_text_from_wide((const uint16_t *)metadata.FriendlyName,
                          sizeof metadata.FriendlyName / sizeof metadata.FriendlyName[0],
                          adapter->info.nodes[i].name, sizeof adapter->info.nodes[i].name);
    }
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_caps_query(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    NTSTATUS status = query_driver_caps(adapter, failure);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (!check_scheduling_caps(adapter, failure) || !check_memory_caps(adapter, failure) ||
        !check_version(adapter, failure) || !check_flips(adapter, failure) ||
        !check_reach(adapter, failure)) {
        return STATUS_INVALID_PARAMETER;
    }
    adapter->contexts = adapter->caps.SchedulingCaps.MultiEngineAware &&
                        ddi_has(&adapter->ddi, POINT_CreateContext);
    status = query_segments(adapter, failure);
    if (NT_SUCCESS(status)) {
        status = query_nodes(adapter, failure);
    }
    if (NT_SUCCESS(status)) {
        status = dxgk_ask_the_rest(adapter, failure);
    }
    if (NT_SUCCESS(status) && !check_addressing(adapter, failure)) {
        status = STATUS_NOT_SUPPORTED;
    }
    return status;
}

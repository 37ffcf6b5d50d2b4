/* What the driver says of itself: caps, segments, nodes; and whether Drydock can work with it.
 *
 * Follows dxgkarg_queryadapterinfo and wddm-driver-and-feature-caps. The rules about caps are the
 * door's, which reads the same answers by itself: a breach of some of them fails the start, and the
 * failure's text is the judge's. What is looked at here keeps the engines out of trouble. */
#include "dxgk/device_mmu.h"
#include "dxgk/gart.h"
#include "dxgk/host_aperture.h"
#include "dxgk/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The start fails: the judge of the driver's answers says why, along with the breach. */
static bool is_refused(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    const char *refusal = ddi_refusal(&adapter->ddi);

    if (refusal) {
        snprintf(failure->text, sizeof failure->text, "%s", refusal);
    }
    return refusal != NULL;
}

/* Behind the place for an answer: the canary that the rules look at, and room for a driver that
 * answers as a newer version would. Behind that, nothing. */
#define OUTPUT_BEHIND          (4096 + CONTRACT_CANARY_BYTES)
#define NEWER_DESCRIPTOR_BYTES 32

/* The parameters are the members of DXGKARG_QUERYADAPTERINFO, by which questions are asked. The
 * driver gets copies. */
NTSTATUS dxgk_query_adapter(struct dxgk_adapter *adapter, DXGK_QUERYADAPTERINFOTYPE type,
                            const void *input, UINT input_size, void *output, UINT output_size)
{
    void *in = nt_memory_hand(input_size, "pInputData of QueryAdapterInfo");
    uint8_t *out = nt_memory_hand(output_size + OUTPUT_BEHIND, "pOutputData of QueryAdapterInfo");
    const DXGKARG_QUERYADAPTERINFO arguments = {
        .Type = type,
        .pInputData = input_size ? in : NULL,
        .InputDataSize = input_size,
        .pOutputData = out,
        .OutputDataSize = output_size,
    };
    NTSTATUS status = STATUS_NO_MEMORY;

    if (in && out) {
        if (input_size) {
            memcpy(in, input, input_size);
        }
        memcpy(out, output, output_size); /* pointers to arrays, for one */
        contract_canary_write(out + output_size);
        status =
            ddi_query_adapter_info(&adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
        memcpy(output, out, output_size);
    }
    nt_memory_free(in);
    nt_memory_free(out);
    return status;
}

static NTSTATUS query_driver_caps(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    enum abi_version version = adapter->ddi.driver->version;
    size_t size = abi_size(ABI_SIZE_OF_DXGK_DRIVERCAPS, version);
    NTSTATUS status =
        dxgk_query_adapter(adapter, DXGKQAITYPE_DRIVERCAPS, NULL, 0, &adapter->caps, (UINT)size);

    if (!NT_SUCCESS(status)) {
        snprintf(failure->text, sizeof failure->text,
                 "QueryAdapterInfo(DRIVERCAPS) failed with %s, of OutputDataSize %zu: the "
                 "DXGK_DRIVERCAPS of %s, which was registered; headers of another "
                 "DXGKDDI_INTERFACE_VERSION have another size",
                 status_name(status), size, abi_version_info(version)->name);
        return status;
    }
    /* Whatever lies there, the driver's version has no more. */
    memset((char *)&adapter->caps + size, 0, sizeof adapter->caps - size);
    adapter->info.has_caps = true;
    if (is_refused(adapter, failure)) {
        return STATUS_INVALID_PARAMETER;
    }
    abi_features_init(&adapter->features, version, &adapter->caps);
    return STATUS_SUCCESS;
}

/* ---- Segments ------------------------------------------------------------------------------ */

/* A descriptor of any version, in the newest form. */
struct segment {
    DXGK_SEGMENTFLAGS flags;
    uint64_t base, cpu_address, size, commit_limit;
    UINT host_pages; /* of a CPU host aperture, which is at cpu_address then */
};

struct segment_answer {
    UINT count;
    UINT paging_segment, paging_buffer_size, paging_private_size;
    struct segment segments[VIDMM_SEGMENT_COUNT_MAX];
};

/* QUERYSEGMENT and QUERYSEGMENT3 have the same fields in structures of different layout: the first
 * call asks for the count, the second for the descriptors [CAPS-005]. */
#define DEFINE_QUERY_SEGMENTS(function, type, descriptor_type, output_type)                       \
    static NTSTATUS function(struct dxgk_adapter *adapter, struct segment_answer *answer)         \
    {                                                                                             \
        descriptor_type descriptors[VIDMM_SEGMENT_COUNT_MAX] = {0};                               \
        DXGK_QUERYSEGMENTIN input = dxgk_gart_described(adapter);                                 \
        output_type output = {0};                                                                 \
                                                                                                  \
        NTSTATUS status =                                                                         \
            dxgk_query_adapter(adapter, type, &input, sizeof input, &output, sizeof output);      \
        if (!NT_SUCCESS(status)) {                                                                \
            return status;                                                                        \
        }                                                                                         \
        if (output.NbSegment == 0 || output.NbSegment > VIDMM_SEGMENT_COUNT_MAX) {                \
            return STATUS_INVALID_PARAMETER;                                                      \
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

/* QUERYSEGMENT4 is walked by the stride that the kernel gives, which is that of a structure longer
 * than the driver knows, as on a system that is newer [CAPS-005]. */
static NTSTATUS query_segments_4(struct dxgk_adapter *adapter, struct segment_answer *answer)
{
    enum { STRIDE = sizeof(DXGK_SEGMENTDESCRIPTOR4) + NEWER_DESCRIPTOR_BYTES };
    static BYTE bytes[VIDMM_SEGMENT_COUNT_MAX * STRIDE];
    DXGK_QUERYSEGMENTIN4 input = {0};
    DXGK_QUERYSEGMENTOUT4 output = {.SegmentDescriptorStride = STRIDE};

    NTSTATUS status = dxgk_query_adapter(adapter, DXGKQAITYPE_QUERYSEGMENT4, &input, sizeof input,
                                         &output, sizeof output);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (output.NbSegment == 0 || output.NbSegment > VIDMM_SEGMENT_COUNT_MAX) {
        return STATUS_INVALID_PARAMETER;
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
            .host_pages = descriptor->Flags.SupportsCpuHostAperture
                              ? descriptor->CpuHostAperture.SizeInPages
                              : 0,
            .size = descriptor->Size,
            .commit_limit = descriptor->CommitLimit,
        };
    }
    answer->paging_segment = output.PagingBufferSegmentId;
    answer->paging_buffer_size = output.PagingBufferSize;
    answer->paging_private_size = output.PagingBufferPrivateDataSize;
    return status;
}

/* In the chipset's aperture, as much of it as possible: the driver need not say where it is, nor
 * how large. */
static void place_in_chipset(struct segment *segment)
{
    segment->base = GART_BASE;
    segment->size = segment->commit_limit = DXGK_GART_USABLE_BYTES;
}

/* Addresses of the bus are no addresses of the GPU's own, and a driver that says nowhere where its
 * memory is tells segments apart by their numbers. */
static bool overlap(const struct segment *a, const struct segment *b)
{
    return !a->flags.Agp && !b->flags.Agp && (a->base != 0 || b->base != 0) &&
           a->base < b->base + b->size && b->base < a->base + a->size;
}

/* Can the memory manager work with this segment, beside those before it? */
static bool is_usable(const struct segment_answer *answer, UINT index)
{
    const struct segment *segment = &answer->segments[index];

    if (segment->size == 0 || segment->size % MACHINE_PAGE_SIZE != 0 ||
        segment->base + segment->size < segment->base) {
        return false;
    }
    for (UINT i = 0; i < index; i++) {
        if (overlap(segment, &answer->segments[i])) {
            return false;
        }
    }
    return true;
}

/* What the CPU is told to find there must be there: in a BAR, or in memory that the driver set
 * aside for it. */
static bool is_behind(const struct segment *segment)
{
    if (segment->host_pages > 0) {
        return pci_is_memory(segment->cpu_address,
                             segment->host_pages * dxgk_host_aperture_page_bytes(segment->flags));
    }
    return !segment->flags.CpuVisible || segment->flags.Aperture ||
           bus_has_memory_at(segment->cpu_address, segment->size);
}

static uint32_t vidmm_flags(DXGK_SEGMENTFLAGS flags)
{
    return (flags.Aperture ? VIDMM_SEGMENT_APERTURE : 0) |
           (flags.Agp ? VIDMM_SEGMENT_APERTURE | VIDMM_SEGMENT_CHIPSET : 0) |
           (flags.CpuVisible ? VIDMM_SEGMENT_CPU_VISIBLE : 0) |
           (flags.CacheCoherent ? VIDMM_SEGMENT_CACHE_COHERENT : 0) |
           (flags.PreservedDuringStandby ? VIDMM_SEGMENT_PRESERVED : 0) |
           (flags.Use64KBPages ? VIDMM_SEGMENT_PAGES_64K : 0);
}

static bool check_segments(const struct segment_answer *answer, struct dxgk_failure *failure)
{
    for (UINT i = 0; i < answer->count; i++) {
        if (!is_usable(answer, i)) {
            snprintf(failure->text, sizeof failure->text,
                     "segment %u of %u cannot be used: base 0x%llX, size 0x%llX", i + 1,
                     answer->count, (unsigned long long)answer->segments[i].base,
                     (unsigned long long)answer->segments[i].size);
            return false;
        }
        if (!is_behind(&answer->segments[i])) {
            snprintf(failure->text, sizeof failure->text,
                     "segment %u of %u is larger than what is there: the CPU shall see 0x%llX %s "
                     "at 0x%llX, and they are not all in the device's memory",
                     i + 1, answer->count,
                     answer->segments[i].host_pages > 0
                         ? (unsigned long long)answer->segments[i].host_pages
                         : (unsigned long long)answer->segments[i].size,
                     answer->segments[i].host_pages > 0 ? "pages of a CPU host aperture" : "bytes",
                     (unsigned long long)answer->segments[i].cpu_address);
            return false;
        }
    }
    UINT paging = answer->paging_segment;
    if (paging > answer->count ||
        (paging && !(vidmm_flags(answer->segments[paging - 1].flags) & VIDMM_SEGMENT_APERTURE))) {
        failure->ours = paging <= answer->count;
        snprintf(failure->text, sizeof failure->text, "PagingBufferSegmentId is %u%s", paging,
                 failure->ours ? ", a memory segment, which Drydock does not do yet" : "");
        return false;
    }
    if (answer->paging_buffer_size == 0 || answer->paging_buffer_size > 64u << 20) {
        snprintf(failure->text, sizeof failure->text, "PagingBufferSize is %u",
                 answer->paging_buffer_size);
        return false;
    }
    if (answer->paging_private_size > 16u << 20) {
        snprintf(failure->text, sizeof failure->text, "PagingBufferPrivateDataSize is %u",
                 answer->paging_private_size);
        return false;
    }
    return true;
}

/* What may be mapped at a time. The driver may give a limit for all apertures together; the
 * chipset's, which it hears of after its caps were asked for, is not counted. */
static uint64_t aperture_limit(const struct dxgk_adapter *adapter, const struct segment *segment)
{
    uint64_t own = segment->commit_limit != 0 ? segment->commit_limit : segment->size;
    uint64_t all = adapter->caps.ApertureSegmentCommitLimit;

    return all != 0 && all < own && !segment->flags.Agp ? all : own;
}

static void keep_segments(struct dxgk_adapter *adapter, const struct segment_answer *answer)
{
    adapter->segment_count = adapter->info.segment_count = answer->count;
    for (UINT i = 0; i < answer->count; i++) {
        const struct segment *segment = &answer->segments[i];
        uint32_t flags = vidmm_flags(segment->flags);
        bool aperture = (flags & VIDMM_SEGMENT_APERTURE) != 0;
        if (segment->host_pages > 0 && ddi_has(&adapter->ddi, POINT_MapCpuHostAperture) &&
            ddi_has(&adapter->ddi, POINT_UnmapCpuHostAperture)) {
            flags |= VIDMM_SEGMENT_HOST_APERTURE;
        }
        adapter->segments[i] = (struct vidmm_segment_options){
            .flags = flags,
            .base_address = segment->base,
            .size_bytes = segment->size,
            /* Of memory the size is the limit. */
            .commit_limit_bytes = aperture ? aperture_limit(adapter, segment) : segment->size,
            .cpu_base_address = segment->cpu_address,
            .group = aperture ? VIDMM_GROUP_NON_LOCAL : VIDMM_GROUP_LOCAL,
        };
        adapter->info.segments[i].flags = segment->flags;
        adapter->info.segments[i].base = segment->base;
        adapter->info.segments[i].size = segment->size;
        adapter->info.segments[i].host_pages = segment->host_pages;
        adapter->info.segments[i].commit_limit = segment->commit_limit;
    }
    adapter->paging_segment = answer->paging_segment;
    adapter->paging_buffer_size = answer->paging_buffer_size;
    adapter->paging_private_size = answer->paging_private_size;
}

static NTSTATUS query_segments(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    static NTSTATUS (*const ask[])(struct dxgk_adapter *, struct segment_answer *) = {
        [ABI_QUERY_SEGMENT] = query_segments_1,
        [ABI_QUERY_SEGMENT3] = query_segments_3,
        [ABI_QUERY_SEGMENT4] = query_segments_4,
    };
    struct segment_answer answer = {0};
    NTSTATUS status = ask[adapter->features.segment_query](adapter, &answer);

    for (UINT i = 0; NT_SUCCESS(status) && i < answer.count; i++) {
        if (answer.segments[i].flags.Agp) {
            place_in_chipset(&answer.segments[i]);
        }
    }
    if (NT_SUCCESS(status)) {
        keep_segments(adapter, &answer); /* also of an adapter that will not start: to be told */
    }
    if (is_refused(adapter, failure)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!NT_SUCCESS(status)) {
        snprintf(failure->text, sizeof failure->text,
                 "QueryAdapterInfo(QUERYSEGMENT*) failed with %s", status_name(status));
        return status;
    }
    if (!check_segments(&answer, failure)) {
        return STATUS_INVALID_PARAMETER;
    }
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
        bool addresses = adapter->caps.MemoryManagementCaps.GpuMmuSupported
                             ? metadata.GpuMmuSupported
                             : metadata.IoMmuSupported;
        adapter->mmu.nodes |= (uint64_t)(features->wddm2 && addresses) << i;
        adapter->engines[i].scheduled = addresses && features->hardware_queues &&
                                        metadata.Flags.ContextSchedulingSupported &&
                                        dxgk_has_hwqueues(adapter);
        adapter->engines[i].user_submission = adapter->engines[i].scheduled &&
                                              metadata.Flags.UserModeSubmission &&
                                              dxgk_has_doorbells(adapter);
        adapter->engines[i].in_flight_max =
            features->in_flight_limit ? metadata.Flags.MaxInFlightHwQueueBuffers : 0;
        adapter->engines[i].fence_release =
            features->in_flight_limit && metadata.Flags.RingBufferFenceRelease;
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
    ddi_check_caps(adapter->ddi.driver, &adapter->caps);
    adapter->ddi.low_irql_preempt =
        adapter->features.wddm2 && adapter->caps.SchedulingCaps.LowIrqlPreemptCommand;
    if (adapter->display_only) {
        return STATUS_SUCCESS; /* no segments, no nodes, no addresses */
    }
    ram_limit((uint64_t)adapter->caps.HighestAcceptableAddress.QuadPart); /* enough: CAPS-009 */
    adapter->contexts = adapter->caps.SchedulingCaps.MultiEngineAware &&
                        ddi_has(&adapter->ddi, POINT_CreateContext);
    status = query_segments(adapter, failure);
    if (NT_SUCCESS(status)) {
        status = query_nodes(adapter, failure);
    }
    if (NT_SUCCESS(status)) {
        status = dxgk_ask_the_rest(adapter, failure);
        dxgk_device_mmus_ask(adapter);
    }
    status = NT_SUCCESS(status) ? dxgk_mmu_query(adapter, failure) : status;
    if (NT_SUCCESS(status)) {
        dxgk_natives_ask(adapter);
        dxgk_doorbells_ask(adapter);
    }
    return status;
}

/* Rules of an adapter's life and of what it says of itself. What keeps it from starting at all is
 * in dxgk/caps.c. */
#include "contract/internal.h"
#include "machine/machine.h"

/* The kernel preset what StartDevice did not set. */
#define NOT_SET 0xFFFFFFFFu

static bool counts_are_set(struct contract_call *call)
{
    const struct contract_shadow *shadow = call->shadow;

    return (shadow->source_count != NOT_SET && shadow->child_count != NOT_SET) ||
           contract_say(call, "NumberOfVideoPresentSources and NumberOfChildren set",
                        "%s was left alone",
                        shadow->source_count == NOT_SET ? "NumberOfVideoPresentSources"
                                                        : "NumberOfChildren");
}

static bool has_failed(const struct contract_call *call)
{
    return !has_succeeded(call);
}

static bool context_is_given_on_success_only(struct contract_call *call)
{
    const PVOID *context = call->extra;

    return !context || !*context ||
           contract_say(call, "no context from a failed AddDevice", "%s with a context",
                        status_name(call->status));
}

static bool node_is_described(struct contract_call *call)
{
    const UINT *node = call->extra;

    return call->status == STATUS_SUCCESS ||
           contract_say(call, "STATUS_SUCCESS for every node", "%s for node %u",
                        status_name(call->status), node ? *node : 0);
}

/* ---- Caps ------------------------------------------------------------------------------------ */

static const void *output_of(const struct contract_call *call, DXGK_QUERYADAPTERINFOTYPE type,
                             size_t size)
{
    const DXGKARG_QUERYADAPTERINFO *query = call->arguments;

    return has_succeeded(call) && query->Type == type && query->OutputDataSize >= size
               ? query->pOutputData
               : NULL;
}

static const char *missing_engine_reset(const bool *has)
{
    return !has[POINT_ResetEngine]         ? "DxgkDdiResetEngine"
           : !has[POINT_QueryEngineStatus] ? "DxgkDdiQueryEngineStatus"
                                           : "DxgkDdiQueryDependentEngineGroup";
}

static bool engine_resets_are_there(struct contract_call *call)
{
    const DXGK_DRIVERCAPS *caps =
        output_of(call, DXGKQAITYPE_DRIVERCAPS,
                  offsetof(DXGK_DRIVERCAPS, SupportPerEngineTDR) + sizeof(BOOLEAN));
    const bool *has = call->shadow->has;

    return !caps || !has || !caps->SupportPerEngineTDR ||
           (has[POINT_ResetEngine] && has[POINT_QueryEngineStatus] &&
            has[POINT_QueryDependentEngineGroup]) ||
           contract_say(call,
                        "ResetEngine, QueryEngineStatus and QueryDependentEngineGroup with "
                        "SupportPerEngineTDR",
                        "%s is missing", missing_engine_reset(has));
}

/* The second of the two calls fills the descriptors in. */
static bool one_aperture_in_2_x(struct contract_call *call)
{
    const DXGK_QUERYSEGMENTOUT4 *out =
        output_of(call, DXGKQAITYPE_QUERYSEGMENT4, sizeof(DXGK_QUERYSEGMENTOUT4));
    unsigned apertures = 0;

    if (!out || !out->pSegmentDescriptor) {
        return true;
    }
    for (UINT i = 0; i < out->NbSegment && i < CONTRACT_SEGMENTS_MAX; i++) {
        const DXGK_SEGMENTDESCRIPTOR4 *segment =
            (const void *)(out->pSegmentDescriptor + i * out->SegmentDescriptorStride);
        apertures += segment->Flags.Aperture;
    }
    /* The article speaks of GPUs with virtual addresses. Public drivers without them, that put all
     * allocations in memory segments, report no aperture: they must not be blamed. */
    if (apertures == 0 && !call->shadow->caps.MemoryManagementCaps.VirtualAddressingSupported) {
        return true;
    }
    return apertures == 1 ||
           contract_say(call, "exactly one aperture segment", "%u of them", apertures);
}

/* ---- Removal --------------------------------------------------------------------------------- */

static bool is_removed(const struct contract_call *call)
{
    return call->shadow->removed;
}

static bool hardware_is_left_alone(struct contract_call *call)
{
    uint64_t count = mmio_access_count() - call->shadow->mmio_count_at_removal;

    return count == 0 || contract_say(call, "no access to a device that is gone",
                                      "%llu register accesses since NotifySurpriseRemoval",
                                      (unsigned long long)count);
}

static const struct contract_row rows[] = {
    AFTER(PNP_001, AddDevice, context_is_given_on_success_only, WHEN(has_failed)),
    AFTER(PNP_003, StartDevice, counts_are_set, WHEN(has_succeeded)),
    BEFORE(PNP_013, CbGetHandleData, IRQL_AT_MOST(MACHINE_IRQL_APC)),
    AFTER(PNP_007, SetPowerState, SUCCEEDS),
    AFTER(PNP_008, NotifySurpriseRemoval, SUCCEEDS),
    AFTER(PNP_008, StopDevice, hardware_is_left_alone, WHEN(is_removed)),
    AFTER(CAPS_008, QueryAdapterInfo, one_aperture_in_2_x),
    AFTER(CAPS_010, GetNodeMetadata, node_is_described,
          LEAVES_OUT("that the DDI is there, and what it answers for nodes that do not exist")),
    AFTER(ENGRST_001, QueryAdapterInfo, engine_resets_are_there, SINCE(WIN8)),
};

const struct contract_family contract_family_adapter = FAMILY_OF(rows);

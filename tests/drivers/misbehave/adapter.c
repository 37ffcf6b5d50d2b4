/* adapter.c: wrong caps, and a wrong start. */
#include "misbehave.h"

static NTSTATUS caps(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query,
                     DXGK_DRIVERCAPS **out)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);

    *out = query->Type == DXGKQAITYPE_DRIVERCAPS ? query->pOutputData : NULL;
    return status;
}

/* Preemption without contexts. */
static NTSTATUS NTAPI preemption_without_contexts(const HANDLE adapter,
                                                  const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_DRIVERCAPS *out;
    NTSTATUS status = caps(adapter, query, &out);

    if (out != NULL) {
        out->SchedulingCaps.MultiEngineAware = 0;
    }
    return status;
}

static NTSTATUS NTAPI reaches_too_little(const HANDLE adapter,
                                         const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_DRIVERCAPS *out;
    NTSTATUS status = caps(adapter, query, &out);

    if (out != NULL) {
        out->HighestAcceptableAddress.QuadPart = 0xFFFFFF;
    }
    return status;
}

static NTSTATUS NTAPI newer_than_registered(const HANDLE adapter,
                                            const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_DRIVERCAPS *out;
    NTSTATUS status = caps(adapter, query, &out);

    if (out != NULL) {
        out->WDDMVersion = (DXGK_WDDMVERSION)0x2000;
    }
    return status;
}

static DXGK_QUERYSEGMENTOUT3 *segments(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query,
                                       NTSTATUS *status)
{
    *status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);
    return query->Type == DXGKQAITYPE_QUERYSEGMENT3 ? query->pOutputData : NULL;
}

static NTSTATUS NTAPI overlapping_segments(const HANDLE adapter,
                                           const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status;
    DXGK_QUERYSEGMENTOUT3 *out = segments(adapter, query, &status);

    if (out != NULL && out->pSegmentDescriptor != NULL) {
        out->pSegmentDescriptor[1].BaseAddress = out->pSegmentDescriptor[0].BaseAddress;
    }
    return status;
}

static NTSTATUS NTAPI paging_buffer_in_memory_segment(const HANDLE adapter,
                                                      const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status;
    DXGK_QUERYSEGMENTOUT3 *out = segments(adapter, query, &status);

    if (out != NULL) {
        out->PagingBufferSegmentId = 1;
    }
    return status;
}

static NTSTATUS NTAPI commit_limit_below_size(const HANDLE adapter,
                                              const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status;
    DXGK_QUERYSEGMENTOUT3 *out = segments(adapter, query, &status);

    if (out != NULL && out->pSegmentDescriptor != NULL) {
        out->pSegmentDescriptor[0].CommitLimit -= PAGE_SIZE;
    }
    return status;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(CAPS_001, IN_DDI(QueryAdapterInfo), preemption_without_contexts, SCENE_REFUSED),
    BREAKS_RULE(CAPS_005, IN_DDI(QueryAdapterInfo), overlapping_segments, SCENE_REFUSED),
    BREAKS_RULE(CAPS_006, IN_DDI(QueryAdapterInfo), paging_buffer_in_memory_segment,
                SCENE_REFUSED),
    BREAKS_RULE(CAPS_007, IN_DDI(QueryAdapterInfo), commit_limit_below_size, SCENE_REFUSED),
    BREAKS_RULE(CAPS_009, IN_DDI(QueryAdapterInfo), reaches_too_little, SCENE_REFUSED),
    BREAKS_RULE(CAPS_011, IN_DDI(QueryAdapterInfo), newer_than_registered, SCENE_REFUSED),
};

MISBEHAVIOURS(adapter);

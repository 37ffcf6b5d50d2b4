/* What a client asks the kernel that nobody has to be asked for: numbers, and what there is. */
#include "d3dkmt/internal.h"

#include <string.h>

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Members that nothing here counts are 0. */
static NTSTATUS count_adapter(struct dxgk_adapter *adapter,
                              D3DKMT_QUERYSTATISTICS_ADAPTER_INFORMATION *out)
{
    struct dxgk_adapter_numbers numbers;

    dxgk_adapter_numbers(adapter, &numbers);
    out->NbSegments = numbers.segment_count;
    out->NodeCount = numbers.node_count;
    out->VidPnSourceCount = numbers.source_count;
    out->TdrDetectedCount = numbers.reset_count;
    return STATUS_SUCCESS;
}

static NTSTATUS count_process(struct dxgk_adapter *adapter,
                              D3DKMT_QUERYSTATISTICS_PROCESS_ADAPTER_INFORMATION *out)
{
    struct dxgk_adapter_numbers numbers;

    dxgk_adapter_numbers(adapter, &numbers);
    out->NbSegments = numbers.segment_count;
    out->NodeCount = numbers.node_count;
    out->VidPnSourceCount = numbers.source_count;
    return STATUS_SUCCESS;
}

/* Segments are counted from 0 here, as nodes are; their ids begin at 1. */
static NTSTATUS count_segment(struct dxgk_adapter *adapter, ULONG segment,
                              D3DKMT_QUERYSTATISTICS_SEGMENT_INFORMATION *out)
{
    struct dxgk_segment_numbers numbers;

    if (segment >= CONTRACT_SEGMENTS_MAX || !dxgk_segment_numbers(adapter, segment + 1, &numbers)) {
        return STATUS_INVALID_PARAMETER;
    }
    out->CommitLimit = numbers.limit_bytes;
    out->BytesCommitted = out->BytesResident = numbers.placed_bytes;
    out->Aperture = numbers.aperture;
    return STATUS_SUCCESS;
}

static NTSTATUS count_node(struct dxgk_adapter *adapter, ULONG node,
                           D3DKMT_QUERYSTATISTICS_NODE_INFORMATION *out)
{
    struct dxgk_node_numbers numbers;

    if (!dxgk_node_numbers(adapter, node, &numbers)) {
        return STATUS_INVALID_PARAMETER;
    }
    out->GlobalInformation.RunningTime.QuadPart = (LONGLONG)(numbers.ran_ns / 100);
    out->SystemInformation.RunningTime.QuadPart = (LONGLONG)(numbers.system_ran_ns / 100);
    return STATUS_SUCCESS;
}

static NTSTATUS count_group(struct client_call *call, struct dxgk_adapter *adapter,
                            D3DKMT_QUERYSTATISTICS *query)
{
    D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_GROUP_INFORMATION *out =
        &query->QueryResult.ProcessSegmentGroupInformation;
    struct dxgk_memory_info info;

    if ((unsigned)query->QueryProcessSegmentGroup > D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = dxgk_process_memory(call->process, adapter,
                                          (unsigned)query->QueryProcessSegmentGroup, &info);
    if (NT_SUCCESS(status)) {
        out->Budget = info.budget_bytes;
        out->Usage = info.usage_bytes;
        out->Requested = info.reservation_bytes;
    }
    return status;
}

static NTSTATUS query_statistics(struct client_call *call, D3DKMT_QUERYSTATISTICS *query)
{
    struct dxgk_adapter *adapter = dxgk_adapter_by_luid(query->AdapterLuid);
    D3DKMT_QUERYSTATISTICS_RESULT *result = &query->QueryResult;

    if (!adapter || !client_names_caller(query->hProcess)) {
        return STATUS_INVALID_PARAMETER;
    }
    memset(result, 0, sizeof *result);
    switch (query->Type) {
    case D3DKMT_QUERYSTATISTICS_ADAPTER:
        return count_adapter(adapter, &result->AdapterInformation);
    case D3DKMT_QUERYSTATISTICS_PROCESS_ADAPTER:
        return count_process(adapter, &result->ProcessAdapterInformation);
    case D3DKMT_QUERYSTATISTICS_SEGMENT:
        return count_segment(adapter, query->QuerySegment.SegmentId, &result->SegmentInformation);
    case D3DKMT_QUERYSTATISTICS_NODE:
        return count_node(adapter, query->QueryNode.NodeId, &result->NodeInformation);
    case D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_GROUP:
        return count_group(call, adapter, query);
    default:
        return STATUS_NOT_SUPPORTED;
    }
}
CLIENT_CALL_FILLING(QueryStatistics, query_statistics, D3DKMT_QUERYSTATISTICS)

/* ---- The adapter ----------------------------------------------------------------------------- */

static NTSTATUS hold_clocks(struct client_call *call, const D3DKMT_SETSTABLEPOWERSTATE *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);

    return adapter ? dxgk_adapter_hold_clocks(adapter, arguments->Enabled) : NO_SUCH_OBJECT;
}
CLIENT_CALL_IN(SetStablePowerState, hold_clocks, D3DKMT_SETSTABLEPOWERSTATE)

/* What a driver is told of the same (ddi/features.c). */
static NTSTATUS ask_for_feature(struct client_call *call, D3DKMT_ISFEATUREENABLED *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);

    if (!adapter) {
        return NO_SUCH_OBJECT;
    }
    arguments->Result = dxgk_adapter_feature(adapter, arguments->FeatureId);
    if (arguments->FeatureId == DXGK_FEATURE_NATIVE_FENCE) {
        bool there = dxgk_adapter_has_natives(adapter);
        arguments->Result.Version = there;
        arguments->Result.Enabled = there;
        arguments->Result.SupportedByDriver = arguments->Result.SupportedOnCurrentConfig = there;
    }
    return STATUS_SUCCESS;
}
CLIENT_CALL(IsFeatureEnabled, ask_for_feature, D3DKMT_ISFEATUREENABLED)

/* Every process here sees its devices lost, and goes on; the rest is the driver's affair. */
static NTSTATUS ask_for_removal(struct client_call *call,
                                D3DKMT_GETPROCESSDEVICEREMOVALSUPPORT *arguments)
{
    struct dxgk_adapter *adapter = dxgk_adapter_by_luid(arguments->AdapterLuid);

    if (!adapter || !client_names_caller(arguments->hProcess)) {
        return STATUS_INVALID_PARAMETER;
    }
    arguments->Support = dxgk_adapter_stands_removal(adapter);
    return STATUS_SUCCESS;
}
CLIENT_CALL(GetProcessDeviceRemovalSupport, ask_for_removal, D3DKMT_GETPROCESSDEVICEREMOVALSUPPORT)

/* ---- What is shared -------------------------------------------------------------------------- */

/* There is one adapter at most. */
static NTSTATUS luid_of_shared(struct client_call *call,
                               D3DKMT_GETSHAREDRESOURCEADAPTERLUID *arguments)
{
    const void *resource = arguments->hGlobalShare
                               ? shared_of(call, arguments->hGlobalShare)
                               : client_shared_resource(call, arguments->hNtHandle);
    struct dxgk_adapter *adapter = dxgk_adapter_first();

    if (!resource || !adapter) {
        return STATUS_INVALID_PARAMETER;
    }
    arguments->AdapterLuid = dxgk_adapter_luid(adapter);
    return STATUS_SUCCESS;
}
CLIENT_CALL(GetSharedResourceAdapterLuid, luid_of_shared, D3DKMT_GETSHAREDRESOURCEADAPTERLUID)

/* reset.c: what happens when the device does not answer in time.
 *
 * Whole adapter:  ResetFromTimeout -> (dxgkrnl cleans up) -> RestartFromTimeout
 * One engine:     QueryDependentEngineGroup, QueryEngineStatus -> ResetEngine
 *
 * dxgkrnl has written a dump (CollectDbgInfo) and waited for its threads to leave the driver
 * before it resets the adapter; nothing else runs here then. */
#include "softgpu.h"

/* On return the device neither reads nor writes memory (TDR-003), and every node has completed
 * what was submitted: nothing in flight will be reported any more (TDR-004). */
NTSTATUS NTAPI softgpu_reset_from_timeout(const HANDLE adapter_handle)
{
    struct softgpu_adapter *adapter = adapter_handle;
    ULONG node;

    PAGED_CODE();

    softgpu_hardware_quiet(adapter);
    adapter->in_reset = TRUE;
    for (node = 0; node < SOFTGPU_ENGINE_COUNT; node++) {
        struct softgpu_engine *engine = &adapter->engines[node];

        engine->last_completed = engine->last_submitted;
        engine->last_reported = engine->last_submitted;
        adapter->events->fence[node] = engine->last_submitted;
    }
    return STATUS_SUCCESS;
}

/* The clean-up is done: rings, aperture and outputs are set up again (TDR-009). */
NTSTATUS NTAPI softgpu_restart_from_timeout(const HANDLE adapter_handle)
{
    struct softgpu_adapter *adapter = adapter_handle;

    PAGED_CODE();

    adapter->in_reset = FALSE;
    softgpu_hardware_resume(adapter);
    return STATUS_SUCCESS;
}

/* The engines are independent: resetting one takes down that one only (ENGRST-012). */
NTSTATUS NTAPI softgpu_query_dependent_engine_group(const HANDLE adapter_handle,
                                                    DXGKARG_QUERYDEPENDENTENGINEGROUP *group)
{
    struct softgpu_adapter *adapter = adapter_handle;

    PAGED_CODE();

    if (group->NodeOrdinal >= softgpu_node_count(adapter)) {
        return STATUS_INVALID_PARAMETER;
    }
    group->DependentNodeOrdinalMask = 1ull << group->NodeOrdinal;
    return STATUS_SUCCESS;
}

/* An engine is responsive if it has nothing to do, or has got on since it was asked last
 * (ENGRST-011). The first question finds it responsive unless it has faulted. */
NTSTATUS NTAPI softgpu_query_engine_status(const HANDLE adapter_handle,
                                           DXGKARG_QUERYENGINESTATUS *query)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct softgpu_engine *engine;
    ULONG status, head, fence;

    PAGED_CODE();

    if (query->NodeOrdinal >= softgpu_node_count(adapter)) {
        return STATUS_INVALID_PARAMETER;
    }
    engine = &adapter->engines[query->NodeOrdinal];
    status = softgpu_read(adapter, SOFTGPU_ENGINE_REG(query->NodeOrdinal, SOFTGPU_ENGINE_STATUS));
    head = softgpu_read(adapter, SOFTGPU_ENGINE_REG(query->NodeOrdinal, SOFTGPU_ENGINE_RING_HEAD));
    fence = (ULONG)adapter->events->fence[query->NodeOrdinal];

    query->EngineStatus.Value = 0;
    query->EngineStatus.Responsive = !(status & SOFTGPU_STATUS_FAULTED) &&
                                     (!(status & SOFTGPU_STATUS_BUSY) || !engine->status_valid ||
                                      engine->status_head != head || engine->status_fence != fence);
    engine->status_head = head;
    engine->status_fence = fence;
    engine->status_valid = (status & SOFTGPU_STATUS_BUSY) != 0;
    return STATUS_SUCCESS;
}

struct engine_reset {
    struct softgpu_adapter *adapter;
    ULONG node;
    ULONG aborted;
};

/* At device IRQL, so that no fence of this engine is reported from now on (ENGRST-010). */
static BOOLEAN NTAPI reset_engine(PVOID argument)
{
    struct engine_reset *reset = argument;
    struct softgpu_adapter *adapter = reset->adapter;
    struct softgpu_engine *engine = &adapter->engines[reset->node];
    ULONG head = softgpu_read(adapter, SOFTGPU_ENGINE_REG(reset->node, SOFTGPU_ENGINE_RING_HEAD));
    ULONG fence = (ULONG)adapter->events->fence[reset->node];
    ULONG aborted;

    if (engine->used && softgpu_fence_newer(fence, engine->last_completed)) {
        engine->last_completed = fence;
    }
    /* The packet at the head is the one that is broken off; none if the ring is empty. */
    aborted = head % SOFTGPU_RING_PACKETS == engine->tail
                  ? engine->last_completed
                  : engine->slots[head % SOFTGPU_RING_PACKETS].fence;
    softgpu_write(adapter, SOFTGPU_ENGINE_REG(reset->node, SOFTGPU_ENGINE_RESET),
                  SOFTGPU_RESET_KEY);

    engine->last_completed = aborted; /* ENGRST-006 */
    engine->last_reported = aborted;
    adapter->events->fence[reset->node] = aborted;
    reset->aborted = aborted;
    return TRUE;
}

/* Success means: the engine is reset, its ring is empty, it takes new packets (ENGRST-003).
 * dxgkrnl puts the device of the aborted packet in error and submits the others again. */
NTSTATUS NTAPI softgpu_reset_engine(const HANDLE adapter_handle, DXGKARG_RESETENGINE *arguments)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct engine_reset reset = {adapter, arguments->NodeOrdinal, 0};

    PAGED_CODE();

    if (arguments->NodeOrdinal >= softgpu_node_count(adapter)) {
        return STATUS_INVALID_PARAMETER;
    }
    softgpu_synchronize(adapter, reset_engine, &reset);
    softgpu_engine_setup(adapter, arguments->NodeOrdinal);
    arguments->LastAbortedFenceId = reset.aborted;
    return STATUS_SUCCESS;
}

/* exclusive.c: between DxgkDdiBeginExclusiveAccess and DxgkDdiEndExclusiveAccess. */
#include "misbehave.h"

static NTSTATUS NTAPI stays_silent(const HANDLE adapter, DXGKARG_BEGINEXCLUSIVEACCESS *begin)
{
    return STATUS_SUCCESS;
}

/* The engine is given something to fetch, and nothing to do. */
static NTSTATUS NTAPI fetches_meanwhile(const HANDLE adapter, DXGKARG_BEGINEXCLUSIVEACCESS *begin)
{
    struct softgpu_adapter *softgpu = adapter;
    struct softgpu_engine *engine = &softgpu->engines[SOFTGPU_ENGINE_COPY];

    RtlZeroMemory(&engine->ring[engine->tail], sizeof(engine->ring[0]));
    engine->slots[engine->tail].private_data = NULL;
    engine->tail = (engine->tail + 1) % SOFTGPU_RING_PACKETS;
    WRITE_REGISTER_ULONG(
        (volatile ULONG *)(softgpu->registers +
                           SOFTGPU_ENGINE_REG(SOFTGPU_ENGINE_COPY, SOFTGPU_ENGINE_RING_TAIL)),
        engine->tail);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI ends_exclusive_access(const HANDLE adapter, DXGKARG_ENDEXCLUSIVEACCESS *end)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI is_isolated(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);

    if (NT_SUCCESS(status) && query->Type == DXGKQAITYPE_DRIVERCAPS) {
        DXGK_DRIVERCAPS *caps = query->pOutputData;
        caps->MemoryManagementCaps.IoMmuSecureModeSupported = 1;
    }
    return status;
}

static void isolate(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiEndExclusiveAccess = ends_exclusive_access;
    table->DxgkDdiQueryAdapterInfo = is_isolated;
}

static NTSTATUS NTAPI sees_no_reset(const HANDLE adapter, DXGKARG_BEGINEXCLUSIVEACCESS *begin)
{
    return STATUS_SUCCESS;
}

/* Nothing comes between a reset that is asked for and its first step. */
static void isolate_without_dump(PDRIVER_INITIALIZATION_DATA table)
{
    isolate(table);
    table->DxgkDdiCollectDbgInfo = NULL;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE_BESIDE(PNP_011, IN_DDI(BeginExclusiveAccess), fetches_meanwhile, SCENE_LISTS,
                       isolate),
    BREAKS_NO_RULE_BESIDE(IN_DDI(BeginExclusiveAccess), stays_silent, SCENE_LISTS, isolate),
    BREAKS_NO_RULE_BESIDE(IN_DDI(BeginExclusiveAccess), sees_no_reset, SCENE_RESET_MEANWHILE,
                          isolate_without_dump),
};

MISBEHAVIOURS(exclusive);

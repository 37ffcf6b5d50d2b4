/* Memory that a driver made for a context goes while a callback waits with it; see memory_client.h.
 * The threads of the driver are the client's, at the door that the driver has. */
#include "memory_client.h"

#include <string.h>

#include <ntddk.h>

#include "addressed.h"
#include "dxgk/context_memory.h"
#include "dxgk/internal.h"
#include "support.h"

#define POINTS_MAX 20000

static const struct drydock_workload_host *host;

static struct {
    struct addressed client;
    struct dxgk_adapter *adapter;
    struct dxgk_context_memory *memory; /* the context's; looked at until it is destroyed */
    HANDLE handle;
    struct points points;
    bool ends_context, held;
    NTSTATUS destroyed;
} stage;

/* One more beside the driver's own, in its name, without an address: nothing keeps its memory. */
static bool make_memory(void)
{
    const DXGKRNL_INTERFACE *door = &stage.adapter->ddi.interface;
    DXGKARGCB_CREATECONTEXTALLOCATION create = {
        .hAdapter = door->DeviceHandle,
        .hContext = (HANDLE)(uintptr_t)stage.client.context,
        .hDriverAllocation = stage.memory->driver_handle,
        .Size = MACHINE_PAGE_SIZE,
        .Alignment = MACHINE_PAGE_SIZE,
        .SupportedSegmentSet = 1,
    };
    NTSTATUS status = door->DxgkCbCreateContextAllocation(&create);

    stage.handle = create.hAllocation;
    stage.memory = dxgk_context_memory_find(stage.adapter, stage.handle);
    if (!NT_SUCCESS(status) || !stage.memory) {
        host->fail(host, "DxgkCbCreateContextAllocation gave 0x%08X", (unsigned)status);
    }
    return NT_SUCCESS(status) && stage.memory;
}

static bool set_stage(bool ends_context)
{
    bool there;

    memset(&stage, 0, sizeof stage);
    stage.ends_context = ends_context;
    if (!addressed_open(&stage.client, host, SOFTGPU_ENGINE_COMPUTE, &there)) {
        return false;
    }
    struct dxgk_life *life = dxgk_handle_peek(stage.client.context, DXGK_KIND_CONTEXT, NULL);
    struct dxgk_context *context = life ? container_of(life, struct dxgk_context, life) : NULL;
    if (!context || list_empty(&context->memories)) {
        host->fail(host, "the driver made no memory for its context");
        return false;
    }
    stage.adapter = context->device->adapter;
    stage.memory = container_of(context->memories.next, struct dxgk_context_memory, life.link);
    stage.handle = stage.memory->handle;
    return ends_context || make_memory(); /* the context's own the driver destroys with it */
}

/* The CPU has it where it is backed: the GPU's place for it waits for that to end. */
static void hold(void)
{
    struct vidmm_wait wait;
    void *address;

    stage.memory->memory.flags |= VIDMM_ALLOCATION_CPU_VISIBLE; /* as if asked for */
    stage.held = vidmm_lock(&stage.memory->memory, VIDMM_LOCK_IGNORE_SYNC, &address, &wait) ==
                 STATUS_SUCCESS;
    if (!stage.held) {
        host->fail(host, "the CPU cannot have it");
    }
}

static NTSTATUS destroy_memory(void)
{
    const DXGKRNL_INTERFACE *door = &stage.adapter->ddi.interface;

    if (stage.held && !NT_SUCCESS(vidmm_unlock(&stage.memory->memory))) {
        host->fail(host, "the CPU cannot let it go");
    }
    return stage.ends_context
               ? D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){stage.client.context})
               : door->DxgkCbDestroyContextAllocation(door->DeviceHandle, stage.handle);
}

static void destroyer(void *argument)
{
    points_wait(&stage.points);
    stage.destroyed = destroy_memory();
    stage.points.over = true;
}

/* ---- The callbacks --------------------------------------------------------------------------- */

static NTSTATUS call_update(void)
{
    const DXGKRNL_INTERFACE *door = &stage.adapter->ddi.interface;
    UINT64 root = 0;

    return door->DxgkCbUpdateContextAllocation(
        door->DeviceHandle,
        &(DXGKARGCB_UPDATECONTEXTALLOCATION){.hAllocation = stage.handle,
                                             .pPrivateDriverData = &root,
                                             .PrivateDriverDataSize = sizeof root});
}

static NTSTATUS call_map(void)
{
    const DXGKRNL_INTERFACE *door = &stage.adapter->ddi.interface;
    const DXGKARGCB_MAPCONTEXTALLOCATION map = {.hAllocation = stage.handle, .SizeInPages = 1};

    return door->DxgkCbMapContextAllocation(door->DeviceHandle, &map) ? STATUS_SUCCESS
                                                                      : STATUS_INVALID_HANDLE;
}

static const struct call {
    const char *name;
    NTSTATUS (*make)(void);
    bool held; /* it waits until the memory is destroyed, and is refused */
} calls[] = {
    {"DxgkCbUpdateContextAllocation", call_update},
    {"DxgkCbUpdateContextAllocation, held", call_update, .held = true},
    {"DxgkCbMapContextAllocation", call_map},
};

/* ---- Point by point -------------------------------------------------------------------------- */

static void check(const struct call *call, NTSTATUS status, size_t handles)
{
    unsigned point = stage.points.wanted;
    bool refused = status == STATUS_INVALID_HANDLE || status == STATUS_INVALID_PARAMETER;

    host->count(host, refused ? "memory.refused" : "memory.done", 1);
    if (!refused && (!NT_SUCCESS(status) || call->held)) {
        host->fail(host, "%s gave 0x%08X at point %u", call->name, (unsigned)status, point);
    }
    if (!NT_SUCCESS(stage.destroyed)) {
        host->fail(host, "its end gave 0x%08X at point %u of %s", (unsigned)stage.destroyed, point,
                   call->name);
    }
    if (dxgk_context_memory_find(stage.adapter, stage.handle)) {
        host->fail(host, "it is found after point %u of %s", point, call->name);
    }
    D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){stage.client.gpu.device});
    D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){stage.client.gpu.adapter});
    if (dxgk_handle_count() != handles || dxgk_context_memories_exist()) {
        host->fail(host, "something is left after point %u of %s", point, call->name);
    }
}

/* False: the callback has no such point. */
static bool at_point(const struct call *call, bool ends_context, unsigned point)
{
    size_t handles = dxgk_handle_count();

    if (!set_stage(ends_context)) {
        return false;
    }
    stage.points = (struct points){.wanted = point, .at_block = call->held};
    if (call->held) {
        hold();
    }
    struct drydock_process *other = host->start_thread(host, "destroyer", destroyer, NULL);
    while (!stage.points.visitor) {
        host->yield(host);
    }
    points_begin(&stage.points);
    NTSTATUS status = call->make();
    bool had = points_end(&stage.points);
    host->join(host, other);
    check(call, status, handles);
    return had;
}

/* Tables that are restored without hardware are not written: nobody is told of them. */
static void give_root_without_hardware(void)
{
    struct dxgk_life *life = dxgk_handle_peek(stage.client.context, DXGK_KIND_CONTEXT, NULL);
    uint64_t called = dxgk_driver_task_calls();

    stage.adapter->state = DXGK_ADAPTER_LOST;
    NTSTATUS status = dxgk_space_give_root(container_of(life, struct dxgk_context, life));
    stage.adapter->state = DXGK_ADAPTER_RUNNING;
    if (!NT_SUCCESS(status) || dxgk_driver_task_calls() != called) {
        host->fail(host, "without hardware the driver is told of a root table");
    }
}

/* A reset waits for the driver to come back: who needs not wait meanwhile gets an address. */
static void map_before_a_reset(void)
{
    if (!set_stage(false)) {
        return;
    }
    give_root_without_hardware();
    stage.adapter->state = DXGK_ADAPTER_RESETTING;
    NTSTATUS status = call_map();
    stage.adapter->state = DXGK_ADAPTER_RUNNING;
    if (!NT_SUCCESS(status)) {
        host->fail(host, "DxgkCbMapContextAllocation gives nothing before a reset");
    }
    (void)destroy_memory();
    D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){stage.client.gpu.device});
    D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){stage.client.gpu.adapter});
}

static void run(const struct drydock_workload_host *given)
{
    host = given;
    map_before_a_reset();
    for (unsigned i = 0; i < 2 * sizeof calls / sizeof *calls; i++) {
        const struct call *call = &calls[i / 2];
        unsigned point = 0;
        while (!host->failed(host) && point < POINTS_MAX && at_point(call, i % 2, point)) {
            point++;
        }
        host->count(host, "memory.rows", 1);
        host->count(host, "memory.points", point);
        if (point == POINTS_MAX) {
            host->fail(host, "%s never ends", call->name);
        }
    }
}

const struct drydock_workload memory_client = {.abi = DRYDOCK_WORKLOAD_ABI,
                                               .name = "memory of contexts",
                                               .description = "destroyed while in use",
                                               .run = run};

/* Clients that race with themselves, leave, or draw their arguments by lot; see hostile_client.h.
 */
#include "hostile_client.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "hostile_support.h"

/* ---- Threads --------------------------------------------------------------------------------- */

static struct {
    struct hostile client;
    bool over;
    unsigned presents, refusals;
} shared;

static void present_on(void *argument)
{
    while (!shared.over) {
        D3DKMT_PRESENT present = hostile_blt(&shared.client);
        D3DKMT_LOCK lock = {.hDevice = shared.client.device,
                            .hAllocation = shared.client.other.hAllocation};
        NTSTATUS status = D3DKMTPresent(&present);

        if (status == STATUS_SUCCESS) {
            shared.presents++;
        } else if (status == STATUS_INVALID_HANDLE || status == STATUS_INVALID_PARAMETER) {
            shared.refusals++;
        } else {
            host->fail(host, "a present of what may be gone gave 0x%08X", (unsigned)status);
        }
        if (D3DKMTLock(&lock) == STATUS_SUCCESS) {
            const D3DKMT_UNLOCK2 unlock = {lock.hDevice, lock.hAllocation};
            if (D3DKMTUnlock2(&unlock) < 0) { /* destroyed meanwhile */
                shared.refusals++;
            }
        }
        host->sleep_until(host, host->now_ns(host) + 1000);
    }
}

static void run_threads(const struct drydock_workload_host *given)
{
    struct drydock_process *threads[3];

    host = given;
    memset(&shared, 0, sizeof shared);
    shared.client = hostile_open();
    for (unsigned i = 0; i < 3; i++) {
        threads[i] = host->start_thread(host, "presenter", present_on, NULL);
    }
    for (unsigned i = 0; i < 60; i++) {
        struct drydock_standard_allocation *victim =
            i % 2 ? &shared.client.surface : &shared.client.other;
        const D3DKMT_DESTROYALLOCATION destroy = {.hDevice = shared.client.device,
                                                  .hResource = victim->hResource};
        EXPECT(STATUS_SUCCESS, D3DKMTDestroyAllocation(&destroy));
        host->sleep_until(host, host->now_ns(host) + 3000);
        struct drydock_standard_allocation fresh = hostile_surface(shared.client.device);
        EXPECT(STATUS_SUCCESS, drydock_create_standard_allocation(&fresh));
        *victim = fresh;
        host->sleep_until(host, host->now_ns(host) + 5000);
    }
    shared.over = true;
    for (unsigned i = 0; i < 3; i++) {
        host->join(host, threads[i]);
    }
    host->count(host, "test.presents", shared.presents);
    host->count(host, "test.refusals", shared.refusals);
    hostile_close(&shared.client);
}

const struct drydock_workload hostile_threads = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                 .name = "threads",
                                                 .description = "destroyed while in use",
                                                 .run = run_threads};

/* ---- Leaving --------------------------------------------------------------------------------- */

static void leave(void *argument)
{
    struct hostile client = hostile_open();
    D3DKMT_LOCK lock = {.hDevice = client.device, .hAllocation = client.surface.hAllocation};
    D3DKMT_PRESENT present = hostile_blt(&client);
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence = {.hDevice = client.device,
                                                 .Info.Type = D3DDDI_FENCE};

    EXPECT(STATUS_SUCCESS, D3DKMTLock(&lock));
    EXPECT(STATUS_SUCCESS, D3DKMTPresent(&present));
    EXPECT(STATUS_SUCCESS, D3DKMTCreateSynchronizationObject2(&fence));
    *(struct hostile *)argument = client;
}

static void run_leaver(const struct drydock_workload_host *given)
{
    struct hostile left;

    host = given;
    for (unsigned i = 0; i < 3; i++) {
        struct drydock_process *process = host->start_process(host, "leaver", leave, &left);
        host->join(host, process);
        hostile_use_handle(left.device);
        hostile_use_handle(left.surface.hAllocation);
        hostile_use_handle(left.surface.hGlobalShare);
    }
}

const struct drydock_workload hostile_leaver = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                .name = "leaver",
                                                .description = "leaves everything open",
                                                .run = run_leaver};

/* ---- Random arguments ------------------------------------------------------------------------ */

static uint32_t number(void)
{
    return (uint32_t)(host->random(host, 1) >> 13);
}

static UINT any_count(void)
{
    static const UINT counts[] = {0,  1,  2,   3,   31,   32,      33,
                                  64, 65, 256, 257, 4096, INT_MAX, UINT_MAX};

    return counts[number() % (sizeof counts / sizeof *counts)];
}

static LONG any_coordinate(void)
{
    static const LONG coordinates[] = {INT_MIN, INT_MIN + 1, -40000,      -1,     0,  1,
                                       7,       31,          32,          33,     63, 64,
                                       65,      100000,      INT_MAX - 1, INT_MAX};

    return coordinates[number() % (sizeof coordinates / sizeof *coordinates)];
}

static RECT any_rect(void)
{
    return (RECT){any_coordinate(), any_coordinate(), any_coordinate(), any_coordinate()};
}

static D3DKMT_HANDLE any_handle(const struct hostile *client)
{
    const D3DKMT_HANDLE handles[] = {client->adapter,
                                     client->device,
                                     client->context,
                                     client->surface.hAllocation,
                                     client->other.hAllocation,
                                     client->surface.hResource,
                                     client->other.hGlobalShare,
                                     0,
                                     number()};

    return handles[number() % (sizeof handles / sizeof *handles)];
}

static void any_present(const struct hostile *client)
{
    RECT rects[64];
    D3DKMT_PRESENT present = {
        .hContext = number() % 4 ? client->context : any_handle(client),
        .hSource = number() % 4 ? client->surface.hAllocation : any_handle(client),
        .hDestination = number() % 4 ? client->other.hAllocation : any_handle(client),
        .DstRect = any_rect(),
        .SrcRect = any_rect(),
        .Color = number(),
        .VidPnSourceId = any_count(),
        .FlipInterval = number() % 3 ? 0 : number() % 7,
        .pSrcSubRects = rects,
    };

    present.SubRectCnt = number() % 2 ? 0 : any_count();
    if (present.SubRectCnt > 64) {
        present.pSrcSubRects = NULL;
    }
    for (unsigned i = 0; i < 64; i++) {
        rects[i] = any_rect();
    }
    present.Flags.Value = number() % 2 ? 1u << number() % 3 : number() & number();
    present.Flags.DstRectValid = number() % 2;
    present.Flags.SrcRectValid = number() % 2;
    (void)!D3DKMTPresent(&present);
}

static void any_render(const struct hostile *client)
{
    uint32_t *words = client->space.pCommandBuffer;
    D3DKMT_RENDER render = {
        .hContext = client->context,
        .CommandOffset = number() % 3 ? 0 : any_count(),
        .CommandLength = number() % 2 ? number() % 256 * 4 : any_count(),
        .AllocationCount = number() % 2 ? number() % 4 : any_count(),
        .PatchLocationCount = number() % 2 ? 0 : any_count(),
        .Flags.NullRendering = number() % 8 == 0,
    };

    for (unsigned i = 0; i < 256 && i < client->space.CommandBufferSize / 4; i++) {
        words[i] = number() % 3 ? number() % 64 : number();
    }
    words[0] = (number() % 0x32) << 16 | number() % 32;
    if (words[0] >> 16 == 0x07) { /* a hang that was asked for would end as one */
        words[0] = 0;
    }
    for (unsigned i = 0; i < 4 && i < client->space.AllocationListSize; i++) {
        client->space.pAllocationList[i].hAllocation = any_handle(client);
        client->space.pAllocationList[i].Value = number();
    }
    (void)!D3DKMTRender(&render);
}

static void any_small_call(const struct hostile *client)
{
    D3DKMT_HANDLE handle = any_handle(client);
    uint8_t bytes[64] = {0};
    D3DKMT_LOCK lock = {
        .hDevice = any_handle(client), .hAllocation = handle, .Flags.Value = number() & number()};
    D3DKMT_CREATECONTEXT context = {.hDevice = client->device,
                                    .NodeOrdinal = any_count(),
                                    .EngineAffinity = any_count(),
                                    .pPrivateDriverData = bytes,
                                    .PrivateDriverDataSize = number() % 65};
    D3DKMT_QUERYADAPTERINFO query = {client->adapter, number() % 90, bytes, number() % 65};

    switch (number() % 6) {
    case 0:
        lock.Flags.DonotEvict = 0;
        if (D3DKMTLock(&lock) >= 0) {
            (void)!D3DKMTUnlock2(&(D3DKMT_UNLOCK2){lock.hDevice, handle});
        }
        break;
    case 1:
        if (D3DKMTCreateContext(&context) >= 0) {
            (void)!D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){context.hContext});
        }
        break;
    case 2:
        (void)!D3DKMTQueryAdapterInfo(&query);
        break;
    case 3:
        (void)!D3DKMTEscape(&(D3DKMT_ESCAPE){.hAdapter = client->adapter,
                                             .hDevice = number() % 2 ? handle : 0,
                                             .pPrivateDriverData = bytes,
                                             .PrivateDriverDataSize = number() % 65});
        break;
    case 4:
        (void)!D3DKMTEvict(&(D3DKMT_EVICT){
            .hDevice = client->device, .NumAllocations = 1, .AllocationList = &handle});
        break;
    default:
        (void)!D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){handle});
        break;
    }
}

static void run_arguments(const struct drydock_workload_host *given)
{
    host = given;
    struct hostile client = hostile_open();

    for (unsigned i = 0; i < 3000; i++) {
        switch (number() % 3) {
        case 0:
            any_present(&client);
            break;
        case 1:
            any_render(&client);
            break;
        default:
            any_small_call(&client);
            break;
        }
        host->count(host, "test.calls", 1);
    }
    hostile_close(&client);
}

const struct drydock_workload hostile_arguments = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                   .name = "arguments",
                                                   .description = "random arguments",
                                                   .run = run_arguments};

/* Clients of the thread driver: more memory than there is, and work that is preempted in its
 * middle. What each buffer copies is known, so that every byte can be looked at in the end. */
#include "thread_client.h"

#include <ntddk.h>

#include <d3dkmthk.h>

#include "thread_driver/thread_umd.h"

#define CLIENT_COUNT     3
#define ALLOCATION_COUNT 6
#define ALLOCATION_BYTES (768u << 10)
#define ROUND_COUNT      60
#define NS_PER_MS        1000000u

/* ---- A client ------------------------------------------------------------------------------ */

struct client {
    const struct drydock_workload_host *host;
    unsigned number;
    int priority;
    unsigned work_ms; /* of each buffer; it can be preempted there */
    D3DKMT_HANDLE adapter, device, context;
    struct thread_command *commands;
    D3DDDI_ALLOCATIONLIST *allocation_list;
    D3DDDI_PATCHLOCATIONLIST *patches;
    D3DKMT_HANDLE allocations[ALLOCATION_COUNT];
    uint32_t contents[ALLOCATION_COUNT]; /* seeds of their bytes */
};

static bool good(struct client *client, NTSTATUS status, const char *what)
{
    if (status < 0) {
        client->host->fail(client->host, "%s failed with 0x%08X", what, (unsigned)status);
    }
    return status >= 0;
}

#define GOOD(call) good(client, call, #call)

static bool open_device(struct client *client)
{
    D3DKMT_OPENADAPTERFROMLUID adapter = {
        .AdapterLuid = {client->host->adapter_luid_low, client->host->adapter_luid_high}};
    D3DKMT_CREATEDEVICE device = {0};
    D3DKMT_CREATECONTEXT context = {.EngineAffinity = 1};
    D3DKMT_SETCONTEXTSCHEDULINGPRIORITY priority = {.Priority = client->priority};

    if (!GOOD(D3DKMTOpenAdapterFromLuid(&adapter))) {
        return false;
    }
    device.hAdapter = client->adapter = adapter.hAdapter;
    if (!GOOD(D3DKMTCreateDevice(&device))) {
        return false;
    }
    context.hDevice = client->device = device.hDevice;
    if (!GOOD(D3DKMTCreateContext(&context))) {
        return false;
    }
    priority.hContext = client->context = context.hContext;
    client->commands = context.pCommandBuffer;
    client->allocation_list = context.pAllocationList;
    client->patches = context.pPatchLocationList;
    return GOOD(D3DKMTSetContextSchedulingPriority(&priority));
}

static bool create_allocation(struct client *client, D3DKMT_HANDLE *out)
{
    struct thread_allocation_data data = {.size_bytes = ALLOCATION_BYTES};
    D3DDDI_ALLOCATIONINFO info = {.pPrivateDriverData = &data,
                                  .PrivateDriverDataSize = sizeof data};
    D3DKMT_CREATEALLOCATION create = {
        .hDevice = client->device, .NumAllocations = 1, .pAllocationInfo = &info};

    if (!GOOD(D3DKMTCreateAllocation(&create))) {
        return false;
    }
    *out = info.hAllocation;
    return true;
}

/* Fills the allocation, or counts the words that are wrong. */
static uint64_t touch(struct client *client, unsigned index, bool write)
{
    D3DKMT_LOCK lock = {.hDevice = client->device,
                        .hAllocation = client->allocations[index],
                        .Flags.LockEntire = 1,
                        .Flags.ReadOnly = !write};
    const D3DKMT_UNLOCK unlock = {.hDevice = client->device,
                                  .NumAllocations = 1,
                                  .phAllocations = &client->allocations[index]};
    uint64_t wrong = 0;

    if (!GOOD(D3DKMTLock(&lock))) {
        return 1;
    }
    uint32_t *words = lock.pData;
    for (uint32_t i = 0; i < ALLOCATION_BYTES / sizeof *words; i++) {
        uint32_t word = client->contents[index] * 0x9E3779B1u + i;
        if (write) {
            words[i] = word;
        } else {
            wrong += words[i] != word;
        }
    }
    GOOD(D3DKMTUnlock(&unlock));
    return wrong;
}

static void name_address(struct client *client, unsigned patch, unsigned allocation, size_t offset,
                         unsigned piece)
{
    client->patches[patch] = (D3DDDI_PATCHLOCATIONLIST){
        .AllocationIndex = allocation,
        .SlotId = patch + 1,
        .AllocationOffset = piece * (ALLOCATION_BYTES / 4),
        .PatchOffset = (UINT)offset,
    };
}

/* Work, then a copy in four pieces. */
static bool render(struct client *client, unsigned to, unsigned from)
{
    D3DKMT_RENDER render = {.hContext = client->context, .AllocationCount = 2};
    unsigned count = 0, patches = 0;

    client->commands[count++] =
        (struct thread_command){.opcode = THREAD_WORK, .amount = client->work_ms};
    for (unsigned piece = 0; piece < 4; piece++) {
        size_t at = count * sizeof(struct thread_command);
        client->commands[count++] =
            (struct thread_command){.opcode = THREAD_COPY, .amount = ALLOCATION_BYTES / 4};
        name_address(client, patches++, 0, at + offsetof(struct thread_command, destination),
                     piece);
        name_address(client, patches++, 1, at + offsetof(struct thread_command, source), piece);
    }
    client->allocation_list[0] =
        (D3DDDI_ALLOCATIONLIST){.hAllocation = client->allocations[to], .WriteOperation = 1};
    client->allocation_list[1] = (D3DDDI_ALLOCATIONLIST){.hAllocation = client->allocations[from]};
    render.CommandLength = count * (UINT)sizeof(struct thread_command);
    render.PatchLocationCount = patches;
    if (!GOOD(D3DKMTRender(&render))) {
        return false;
    }
    client->commands = render.pNewCommandBuffer;
    client->allocation_list = render.pNewAllocationList;
    client->patches = render.pNewPatchLocationList;
    client->contents[to] = client->contents[from];
    return true;
}

static void check_all(struct client *client)
{
    for (unsigned i = 0; i < ALLOCATION_COUNT; i++) {
        uint64_t wrong = touch(client, i, false);
        client->host->count(client->host, "test.words_wrong", wrong);
        if (wrong) {
            client->host->fail(client->host, "client %u: %llu words of allocation %u are wrong",
                               client->number, (unsigned long long)wrong, i);
        }
    }
}

/* What the first client leaves open its process's end closes. */
static void close_device(struct client *client)
{
    const D3DKMT_DESTROYCONTEXT context = {client->context};
    const D3DKMT_DESTROYDEVICE device = {client->device};
    const D3DKMT_CLOSEADAPTER adapter = {client->adapter};

    if (client->number > 0) {
        GOOD(D3DKMTDestroyContext(&context));
        GOOD(D3DKMTDestroyDevice(&device));
        GOOD(D3DKMTCloseAdapter(&adapter));
    }
}

static void run_client(void *argument)
{
    struct client *client = argument;
    const struct drydock_workload_host *host = client->host;

    if (!open_device(client)) {
        return;
    }
    for (unsigned i = 0; i < ALLOCATION_COUNT; i++) {
        if (!create_allocation(client, &client->allocations[i])) {
            return;
        }
        client->contents[i] = client->number * 100 + i;
        touch(client, i, true);
    }
    for (unsigned round = 0; round < ROUND_COUNT && !host->failed(host); round++) {
        unsigned to = (unsigned)(host->random(host, client->number) % ALLOCATION_COUNT);
        unsigned from = (unsigned)(host->random(host, client->number) % ALLOCATION_COUNT);
        if (to != from && !render(client, to, from)) {
            return;
        }
        host->sleep_until(host, host->now_ns(host) + 3 * NS_PER_MS);
    }
    check_all(client);
    close_device(client);
}

static void run_clients(const struct drydock_workload_host *host)
{
    struct client clients[CLIENT_COUNT] = {
        {.host = host, .number = 0, .priority = -5, .work_ms = 40},
        {.host = host, .number = 1, .priority = 0, .work_ms = 1},
        {.host = host, .number = 2, .priority = 5, .work_ms = 1},
    };
    struct drydock_process *processes[CLIENT_COUNT];

    for (unsigned i = 0; i < CLIENT_COUNT; i++) {
        processes[i] = host->start_process(host, "client", run_client, &clients[i]);
    }
    for (unsigned i = 0; i < CLIENT_COUNT; i++) {
        host->join(host, processes[i]);
    }
}

const struct drydock_workload thread_workload = {
    .abi = DRYDOCK_WORKLOAD_ABI, .name = "copies", .run = run_clients};

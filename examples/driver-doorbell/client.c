/* A client of the doorbell driver: has the engine fill and copy, and looks at every word. */
#include <drydock/client.h>
#include <drydock/workload.h>

#include "../device-doorbell/doorbell_regs.h"

#define BYTES_MAX   (64u << 10)
#define BUFFERS_MAX 64u

enum { OPTION_ROUNDS, OPTION_BUFFERS };

static const struct drydock_option options[] = {
    [OPTION_ROUNDS] = {"rounds", "fills and copies", 20, 1, 100000},
    [OPTION_BUFFERS] = {"buffers", "of 64 KiB; many do not fit at once", 2, 2, BUFFERS_MAX},
    {0},
};

/* What an allocation holds: so many words of a pattern, then anything. */
struct content {
    uint32_t pattern, bytes;
};

struct client {
    const struct drydock_workload_host *host;
    D3DKMT_HANDLE device, context, allocations[BUFFERS_MAX];
    struct content contents[BUFFERS_MAX];
    struct doorbell_command *commands;
    D3DDDI_ALLOCATIONLIST *list;
    D3DDDI_PATCHLOCATIONLIST *patches;
};

static bool good(struct client *client, NTSTATUS status, const char *what)
{
    if (status < 0) {
        client->host->fail(client->host, "%s failed with 0x%08X", what, (unsigned)status);
    }
    return status >= 0;
}

static bool open_device(struct client *client)
{
    D3DKMT_OPENADAPTERFROMLUID adapter = {
        .AdapterLuid = {client->host->adapter_luid_low, client->host->adapter_luid_high}};
    D3DKMT_CREATEDEVICE device = {0};
    D3DKMT_CREATECONTEXT context = {.EngineAffinity = 1};

    if (!good(client, D3DKMTOpenAdapterFromLuid(&adapter), "D3DKMTOpenAdapterFromLuid")) {
        return false;
    }
    device.hAdapter = adapter.hAdapter;
    if (!good(client, D3DKMTCreateDevice(&device), "D3DKMTCreateDevice")) {
        return false;
    }
    client->device = context.hDevice = device.hDevice;
    if (!good(client, D3DKMTCreateContext(&context), "D3DKMTCreateContext")) {
        return false;
    }
    client->context = context.hContext;
    client->commands = context.pCommandBuffer;
    client->list = context.pAllocationList;
    client->patches = context.pPatchLocationList;
    return true;
}

static bool create_allocation(struct client *client, D3DKMT_HANDLE *out)
{
    struct doorbell_allocation data = {.bytes = BYTES_MAX};
    D3DDDI_ALLOCATIONINFO info = {.pPrivateDriverData = &data,
                                  .PrivateDriverDataSize = sizeof data};
    D3DKMT_CREATEALLOCATION create = {
        .hDevice = client->device, .NumAllocations = 1, .pAllocationInfo = &info};

    if (!good(client, D3DKMTCreateAllocation(&create), "D3DKMTCreateAllocation")) {
        return false;
    }
    *out = info.hAllocation;
    return true;
}

static void name_address(struct client *client, unsigned patch, unsigned allocation, size_t offset)
{
    client->patches[patch] = (D3DDDI_PATCHLOCATIONLIST){
        .AllocationIndex = allocation, .SlotId = patch + 1, .PatchOffset = (UINT)offset};
}

/* Fills two allocations: one with a pattern, the other with a copy of it. */
static bool render(struct client *client, const unsigned pair[2], struct content content)
{
    D3DKMT_RENDER render = {
        .hContext = client->context,
        .CommandLength = 2 * sizeof(struct doorbell_command),
        .AllocationCount = 2,
        .PatchLocationCount = 3,
    };
    const size_t second = sizeof(struct doorbell_command);

    client->commands[0] = (struct doorbell_command){
        .opcode = DOORBELL_FILL, .bytes = content.bytes, .pattern = content.pattern};
    client->commands[1] =
        (struct doorbell_command){.opcode = DOORBELL_COPY, .bytes = content.bytes};
    for (unsigned i = 0; i < 2; i++) {
        client->list[i] = (D3DDDI_ALLOCATIONLIST){.hAllocation = client->allocations[pair[i]],
                                                  .WriteOperation = 1};
        client->contents[pair[i]] = content;
    }
    name_address(client, 0, 0, offsetof(struct doorbell_command, destination));
    name_address(client, 1, 0, second + offsetof(struct doorbell_command, source));
    name_address(client, 2, 1, second + offsetof(struct doorbell_command, destination));
    if (!good(client, D3DKMTRender(&render), "D3DKMTRender")) {
        return false;
    }
    client->commands = render.pNewCommandBuffer;
    client->list = render.pNewAllocationList;
    client->patches = render.pNewPatchLocationList;
    return true;
}

/* Waits for the engine. */
static void look(struct client *client, unsigned index)
{
    const struct content *content = &client->contents[index];
    D3DKMT_LOCK lock = {.hDevice = client->device,
                        .hAllocation = client->allocations[index],
                        .Flags.LockEntire = 1,
                        .Flags.ReadOnly = 1};
    const D3DKMT_UNLOCK unlock = {client->device, 1, &client->allocations[index]};
    unsigned wrong = 0;

    if (!good(client, D3DKMTLock(&lock), "D3DKMTLock")) {
        return;
    }
    for (uint32_t i = 0; i < content->bytes / 4; i++) {
        wrong += ((const uint32_t *)lock.pData)[i] != content->pattern;
    }
    client->host->count(client->host, "doorbell.words_checked", content->bytes / 4);
    if (wrong) {
        client->host->fail(client->host, "%u of %u words of buffer %u are wrong", wrong,
                           content->bytes / 4, index);
    }
    good(client, D3DKMTUnlock(&unlock), "D3DKMTUnlock");
}

static void run(const struct drydock_workload_host *host)
{
    struct client client = {.host = host};
    unsigned count = (unsigned)host->values[OPTION_BUFFERS].number;
    bool fine = open_device(&client);

    for (unsigned i = 0; i < count && fine; i++) {
        fine = create_allocation(&client, &client.allocations[i]);
    }
    for (uint64_t i = 0; i < host->values[OPTION_ROUNDS].number && fine; i++) {
        unsigned first = (unsigned)(host->random(host, 0) % count);
        const unsigned pair[2] = {
            first, (first + 1 + (unsigned)(host->random(host, 1) % (count - 1))) % count};
        fine = render(&client, pair,
                      (struct content){
                          .pattern = (uint32_t)host->random(host, 2),
                          .bytes = 4 + (uint32_t)(host->random(host, 3) % (BYTES_MAX / 4)) * 4,
                      });
        look(&client, pair[1]);
        fine = fine && !host->failed(host);
    }
    for (unsigned i = 0; i < count && fine; i++) {
        look(&client, i);
    }
}

DRYDOCK_WORKLOAD_EXPORT const struct drydock_workload drydock_workload;
const struct drydock_workload drydock_workload = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "doorbell",
    .description = "fills and copies by the doorbell engine",
    .run = run,
    .options = options,
};

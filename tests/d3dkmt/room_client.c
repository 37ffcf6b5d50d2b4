/* A process works, and rests; another one takes all of video memory that it is given, down to
 * single pages; then the first works again, at the same addresses. See room_client.h. */
#include "room_client.h"

#include "addressed.h"
#include "hostile_support.h"

#define BLOCK_BYTES (UINT64_C(64) << 10)
#define PAGE_BYTES  UINT64_C(4096)
#define MOST        64
#define FLAGS       (SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_VRAM_ONLY)

struct worker {
    struct addressed client;
    struct memory_block block, commands;
};

static void expect_that(bool holds, const char *what, int line)
{
    if (!holds) {
        host->fail(host, "room_client.c:%d: %s does not hold", line, what);
    }
}
#define HOLDS_TRUE(condition) expect_that(condition, #condition, __LINE__)

static bool begin(struct worker *worker)
{
    bool there;

    if (!addressed_open(&worker->client, host, SOFTGPU_ENGINE_COMPUTE, &there)) {
        return false;
    }
    HOLDS_TRUE(
        addressed_block(&worker->client, BLOCK_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &worker->block) &&
        addressed_block(&worker->client, PAGE_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &worker->commands));
    return true;
}

/* Everything that it asked for is in place at the same time. */
static void work(struct worker *worker, uint32_t pattern)
{
    struct command_writer writer;

    writer_begin(&writer, &worker->client, &worker->commands);
    writer_fill(&writer, worker->block.address, BLOCK_BYTES, pattern);
    HOLDS_TRUE(writer_end(&writer) && addressed_wait(&worker->client));
    const uint32_t *words = addressed_lock(&worker->client, &worker->block);
    for (unsigned i = 0; words && i < BLOCK_BYTES / sizeof *words; i++) {
        if (words[i] != pattern) {
            host->fail(host, "word %u is %X, not %X", i, words[i], pattern);
            break;
        }
    }
    addressed_unlock(&worker->client, &worker->block);
}

/* Whatever the share: all that there is. */
static bool have_it(struct addressed *other, const struct memory_block *wanted)
{
    D3DDDI_MAKERESIDENT make = {.hPagingQueue = other->queue,
                                .NumAllocations = 1,
                                .AllocationList = &wanted->allocation,
                                .Flags.CantTrimFurther = 1};
    NTSTATUS status = D3DKMTMakeResident(&make);

    return status != STATUS_NO_MEMORY &&
           addressed_wait_paging(other, status, make.PagingFenceValue, "D3DKMTMakeResident");
}

static void take_all(void *context)
{
    struct memory_block blocks[MOST];
    struct worker other;
    unsigned count = 0;

    if (!begin(&other)) {
        return;
    }
    for (uint64_t size = UINT64_C(8) << 20; size >= PAGE_BYTES && count < MOST; size /= 2) {
        bool good = true;
        while (good && count < MOST && addressed_make(&other.client, size, FLAGS, &blocks[count])) {
            good = have_it(&other.client, &blocks[count]);
            if (good) {
                count++;
            } else {
                addressed_destroy(&other.client, &blocks[count]);
            }
        }
    }
    host->count(host, "room.taken", count);
    work(&other, 0x22222222);
    while (count > 0) {
        addressed_destroy(&other.client, &blocks[--count]);
    }
    addressed_close(&other.client);
}

static void run(const struct drydock_workload_host *given)
{
    struct worker first;

    hostile_host = given;
    if (!begin(&first)) {
        return;
    }
    for (uint32_t turn = 1; turn <= 2; turn++) {
        work(&first, turn * 0x01010101);
        struct drydock_process *process = host->start_process(host, "room", take_all, NULL);
        if (process) {
            host->join(host, process);
        }
    }
    work(&first, 0x33333333);
    addressed_close(&first.client);
}

const struct drydock_workload room_client = {.abi = DRYDOCK_WORKLOAD_ABI,
                                             .name = "room client",
                                             .description = "memory to the last page",
                                             .run = run};

/* ---- Before there is a context --------------------------------------------------------------- */

static void run_early(const struct drydock_workload_host *given)
{
    D3DKMT_OPENADAPTERFROMLUID adapter = {
        .AdapterLuid = {given->adapter_luid_low, given->adapter_luid_high}};
    D3DKMT_CREATEDEVICE device = {0};
    D3DKMT_CREATEPAGINGQUEUE queue = {0};
    struct memory_block block;
    uint64_t first, second;

    hostile_host = given;
    EXPECT(STATUS_SUCCESS, D3DKMTOpenAdapterFromLuid(&adapter));
    device.hAdapter = adapter.hAdapter;
    EXPECT(STATUS_SUCCESS, D3DKMTCreateDevice(&device));
    queue.hDevice = device.hDevice;
    EXPECT(STATUS_SUCCESS, D3DKMTCreatePagingQueue(&queue));
    struct addressed client = {
        .gpu = {given, adapter.hAdapter, device.hDevice},
        .queue = queue.hPagingQueue,
        .queue_fence = queue.hSyncObject,
        .queue_value = queue.FenceValueCPUVirtualAddress,
    };
    HOLDS_TRUE(addressed_make(&client, BLOCK_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &block));
    HOLDS_TRUE(addressed_reside(&client, &block, 1));
    const struct mapping_request request = {
        .block = &block, .page_count = BLOCK_BYTES / PAGE_BYTES, .write = true};
    HOLDS_TRUE(addressed_map(&client, &request, &first));
    HOLDS_TRUE(addressed_map(&client, &request, &second));
    const uint64_t places[] = {second, first};
    for (unsigned i = 0; i < 2; i++) {
        EXPECT(STATUS_SUCCESS,
               D3DKMTFreeGpuVirtualAddress(&(D3DKMT_FREEGPUVIRTUALADDRESS){
                   .hAdapter = adapter.hAdapter, .BaseAddress = places[i], .Size = BLOCK_BYTES}));
    }
    addressed_close(&client);
}

const struct drydock_workload early_addresses = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                 .name = "early",
                                                 .description = "addresses before contexts",
                                                 .run = run_early};

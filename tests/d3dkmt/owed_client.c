/* A process works, and rests; another one takes all of the computer's memory, and what its page
 * tables had. Then the first works again: see owed_client.h. */
#include "owed_client.h"

#include "addressed.h"
#include "hostile_support.h"
#include "machine/machine.h"

#include <stdlib.h>

#define PAGE_BYTES  UINT64_C(4096)
#define BLOCK_BYTES (8 * PAGE_BYTES)
#define LEFT_PAGES  16
#define MOST        512 /* more than are left, with those of tables and of freed memory */
#define FLAGS       (SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_APERTURE_ONLY)
#define SOON_NS     UINT64_C(500000000)
#define LATE_NS     UINT64_C(4000000000)
#define A_WHILE_NS  UINT64_C(1000000)
#define KEPT_MOST   256

struct worker {
    struct addressed client;
    struct memory_block block, commands;
};

static struct drydock_event *taken;
static struct memory_block pages[MOST];
static unsigned page_count;
static bool comes_back;

static void expect_that(bool holds, const char *what, int line)
{
    if (!holds) {
        host->fail(host, "owed_client.c:%d: %s does not hold", line, what);
    }
}
#define HOLDS_TRUE(condition) expect_that(condition, #condition, __LINE__)

/* All memory but so many pages. */
struct hoard {
    uint64_t *frames;
    size_t count;
};

static struct hoard take(size_t left)
{
    size_t free_pages = ram_free_bytes() / PAGE_BYTES;
    struct hoard hoard = {.count = free_pages > left ? free_pages - left : 0};
    const struct ram_request request = {.page_count = hoard.count};

    hoard.frames = malloc((hoard.count + 1) * sizeof *hoard.frames);
    if (hoard.count > 0 && !NT_SUCCESS(ram_alloc_frames(&request, hoard.frames))) {
        hoard.count = 0;
    }
    return hoard;
}

static void give_back(struct hoard *hoard)
{
    ram_free_frames(hoard->frames, hoard->count);
    free(hoard->frames);
}

/* One after the other, until there are none, tables made way or not. */
static void take_pages(struct addressed *other)
{
    bool resident = true;

    while (page_count < MOST && resident) {
        struct memory_block *page = &pages[page_count];
        uint64_t trim;
        HOLDS_TRUE(addressed_make(other, PAGE_BYTES, FLAGS, page));
        HOLDS_TRUE(addressed_try_reside(other, page, &resident, &trim));
        page_count++;
    }
    HOLDS_TRUE(page_count < MOST);
}

/* What the kernel frees of its own meanwhile is not to reach who waits: it is taken as it comes. */
static size_t keep_all(struct hoard *kept, size_t most)
{
    uint64_t until_ns = host->now_ns(host) + LATE_NS;
    size_t count = 0;

    while (host->now_ns(host) < until_ns) {
        host->sleep_until(host, host->now_ns(host) + A_WHILE_NS);
        if (ram_free_bytes() > 0 && count < most) {
            kept[count++] = take(0);
        }
    }
    HOLDS_TRUE(count < most);
    return count;
}

static void take_all(void *context)
{
    static struct hoard kept[KEPT_MOST];
    struct addressed other;
    size_t kept_count = 0;
    bool there;

    if (!addressed_open(&other, host, SOFTGPU_ENGINE_COMPUTE, &there)) {
        return;
    }
    struct hoard most = take(LEFT_PAGES);
    take_pages(&other);
    struct hoard rest = take(0);
    host->event_signal(host, taken);
    if (comes_back) {
        host->sleep_until(host, host->now_ns(host) + SOON_NS);
    } else {
        kept_count = keep_all(kept, KEPT_MOST);
    }
    while (page_count > 0) {
        addressed_destroy(&other, &pages[--page_count]);
    }
    if (comes_back) { /* that is enough */
        host->sleep_until(host, host->now_ns(host) + SOON_NS);
    }
    while (kept_count > 0) {
        give_back(&kept[--kept_count]);
    }
    give_back(&rest);
    give_back(&most);
    addressed_close(&other);
}

/* What the driver has for a context is memory that the first one's tables make way for. */
static void make_context(void *context)
{
    struct addressed other;
    bool there;

    if (!addressed_open(&other, host, SOFTGPU_ENGINE_COMPUTE, &there)) {
        return;
    }
    struct hoard all = take(0);
    if (addressed_also_begin(&other)) {
        addressed_also_end(&other);
        host->count(host, "owed.contexts", 1);
    }
    give_back(&all);
    addressed_close(&other);
}

static void begin_work(struct worker *worker)
{
    struct command_writer writer;

    writer_begin(&writer, &worker->client, &worker->commands);
    writer_fill(&writer, worker->block.address, BLOCK_BYTES, 0x01010101);
    HOLDS_TRUE(writer_end(&writer));
}

static bool is_lost(const struct worker *worker)
{
    D3DKMT_GETDEVICESTATE state = {.hDevice = worker->client.gpu.device,
                                   .StateType = D3DKMT_DEVICESTATE_EXECUTION};

    EXPECT(STATUS_SUCCESS, D3DKMTGetDeviceState(&state));
    return state.ExecutionState == D3DKMT_DEVICEEXECUTION_ERROR_OUTOFMEMORY;
}

static bool begin(struct worker *worker)
{
    bool there;

    return addressed_open(&worker->client, host, SOFTGPU_ENGINE_COMPUTE, &there) &&
           addressed_block(&worker->client, BLOCK_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY,
                           &worker->block) &&
           addressed_block(&worker->client, PAGE_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY,
                           &worker->commands);
}

static void run(const struct drydock_workload_host *given, bool returned)
{
    struct worker worker;

    hostile_host = given;
    comes_back = returned;
    taken = host->event_create(host);
    HOLDS_TRUE(taken && begin(&worker));
    begin_work(&worker);
    HOLDS_TRUE(addressed_wait(&worker.client));
    struct drydock_process *process = host->start_process(host, "owed", take_all, NULL);
    if (process && host->event_wait(host, taken, DRYDOCK_NEVER)) {
        uint64_t begun_ns = host->now_ns(host);
        begin_work(&worker);
        if (returned) {
            HOLDS_TRUE(addressed_wait(&worker.client));
            HOLDS_TRUE(host->now_ns(host) - begun_ns >= SOON_NS / 2);
        } else {
            host->sleep_until(host, begun_ns + SOON_NS);
            HOLDS_TRUE(!is_lost(&worker));
            host->sleep_until(host, begun_ns + LATE_NS);
            HOLDS_TRUE(is_lost(&worker));
        }
        host->join(host, process);
    }
    host->event_destroy(host, taken);
    addressed_close(&worker.client);
}

static void run_returned(const struct drydock_workload_host *given)
{
    run(given, true);
}

static void run_context(const struct drydock_workload_host *given)
{
    struct worker worker;

    hostile_host = given;
    HOLDS_TRUE(begin(&worker));
    begin_work(&worker);
    HOLDS_TRUE(addressed_wait(&worker.client));
    struct drydock_process *process = host->start_process(host, "owed", make_context, NULL);
    if (process) {
        host->join(host, process);
    }
    begin_work(&worker);
    HOLDS_TRUE(addressed_wait(&worker.client));
    addressed_close(&worker.client);
}

static void run_for_ever(const struct drydock_workload_host *given)
{
    run(given, false);
}

const struct drydock_workload owed_and_returned = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                   .name = "owed and returned",
                                                   .description = "memory that comes back",
                                                   .run = run_returned};
const struct drydock_workload owed_for_ever = {.abi = DRYDOCK_WORKLOAD_ABI,
                                               .name = "owed for ever",
                                               .description = "memory that does not come back",
                                               .run = run_for_ever};
const struct drydock_workload owed_to_context = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                 .name = "owed to context",
                                                 .description = "memory that a context wants",
                                                 .run = run_context};

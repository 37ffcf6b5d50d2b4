/* Page faults: a client uses an address where nothing is mapped, or writes where it may only
 * read, with more work queued behind. Its device is lost, and that is all: who looked on is called
 * neither hung nor faulty, and whoever comes next finds a GPU that works. See results.h. */
#include "results.h"

#include "addressed.h"

#define PAGE_BYTES    4096u
#define COMMAND_BYTES PAGE_BYTES
#define BLOCK_BYTES   0x10000u
#define BEHIND        6 /* submissions: more than the hardware is given at once */
#define PATTERN       0x600D0000u
#define SITE_FAULTING 40
#define PATIENCE_NS   UINT64_C(200000000) /* who waits may be let go before its device is lost */
#define STEP_NS       UINT64_C(1000000)

enum faulting { WRITES, READS, EXECUTES, WRITES_READ_ONLY, FAULTINGS }; /* one of three, the last */

static const struct {
    const char *doing, *place;
} doings[FAULTINGS] = {
    {"wrote to", "where its process has nothing"},
    {"read from", "where its process has nothing"},
    {"had commands at", "where its process has nothing"},
    {"wrote to", "which is mapped for reading alone (UPDATE_PAGE_TABLE, DXGK_PTE.ReadOnly)"},
};

struct culprit {
    struct addressed client;
    struct memory_block commands, block, behind;
    struct command_writer writer; /* of what comes behind */
    uint64_t nowhere; /* a range that is reserved, and shows nothing; or is for reading alone */
};

static bool make_memory(struct addressed *client, struct memory_block *commands,
                        struct memory_block *block)
{
    return addressed_block(client, COMMAND_BYTES,
                           SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_APERTURE_ONLY, commands) &&
           addressed_block(client, BLOCK_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, block);
}

static bool fill(struct addressed *client, const struct memory_block *commands,
                 const struct memory_block *block, uint32_t pattern)
{
    struct command_writer writer;

    writer_begin(&writer, client, commands);
    writer_fill(&writer, block->address, BLOCK_BYTES, pattern);
    return writer_end(&writer);
}

/* ---- Who does it --------------------------------------------------------------------------- */

static bool submit_fault(struct culprit *culprit, enum faulting faulting)
{
    const struct memory_block nowhere = {culprit->commands.allocation, culprit->nowhere,
                                         COMMAND_BYTES};
    uint64_t to = culprit->block.address, from = culprit->nowhere;
    struct command_writer writer;

    writer_begin(&writer, &culprit->client, faulting == EXECUTES ? &nowhere : &culprit->commands);
    if (faulting == WRITES || faulting == WRITES_READ_ONLY) {
        writer_fill(&writer, culprit->nowhere, BLOCK_BYTES, PATTERN);
    } else {
        writer_copy(&writer, to, from, BLOCK_BYTES);
    }
    return writer_end(&writer);
}

/* The commands behind have a block of their own: those that fault are not run yet. They are written
 * and run before, for memory of a device that is to be lost cannot be locked. */
static bool prepare_behind(struct culprit *culprit)
{
    if (!addressed_block(&culprit->client, COMMAND_BYTES,
                         SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_APERTURE_ONLY, &culprit->behind)) {
        return false;
    }
    writer_begin(&culprit->writer, &culprit->client, &culprit->behind);
    writer_fill(&culprit->writer, culprit->block.address, BLOCK_BYTES, PATTERN);
    return writer_end(&culprit->writer) && addressed_wait(&culprit->client);
}

static void queue_behind(struct culprit *culprit)
{
    for (unsigned i = 0; i < BEHIND && writer_again(&culprit->writer); i++) {
    }
}

static bool judge_culprit(struct culprit *culprit, enum faulting faulting)
{
    struct gpu *gpu = &culprit->client.gpu;
    const struct drydock_workload_host *host = gpu->host;
    uint64_t until_ns = host->now_ns(host) + PATIENCE_NS;
    bool lost;

    while (!(lost = gpu_state(gpu) != D3DKMT_DEVICEEXECUTION_ACTIVE) &&
           host->now_ns(host) < until_ns) {
        host->sleep_until(host, host->now_ns(host) + STEP_NS);
    }
    if (!lost) {
        host->fail(host, "a client %s 0x%llX, %s: its work went on, and its device was not lost",
                   doings[faulting].doing, (unsigned long long)culprit->nowhere,
                   doings[faulting].place);
    }
    host->count(host, "virtual.faults", lost);
    return lost;
}

static bool find_place(struct culprit *culprit, enum faulting faulting)
{
    const struct mapping_request readable = {.block = &culprit->block,
                                             .page_count = BLOCK_BYTES / PAGE_BYTES};

    if (culprit->client.shared) {
        culprit->nowhere = PAGE_BYTES; /* no process has memory there */
        return true;
    }
    return faulting == WRITES_READ_ONLY
               ? addressed_map(&culprit->client, &readable, &culprit->nowhere)
               : addressed_reserve(&culprit->client, BLOCK_BYTES, &culprit->nowhere);
}

static bool run_culprit(const struct drydock_workload_host *host, unsigned node,
                        enum faulting faulting)
{
    struct culprit culprit = {0};
    bool there;

    if (!addressed_open(&culprit.client, host, node, &there)) {
        return false;
    }
    bool good = make_memory(&culprit.client, &culprit.commands, &culprit.block) &&
                find_place(&culprit, faulting) &&
                fill(&culprit.client, &culprit.commands, &culprit.block, PATTERN) &&
                addressed_wait(&culprit.client) && prepare_behind(&culprit);
    if (good) {
        culprit.client.gpu.may_be_lost = true;
        if (submit_fault(&culprit, faulting)) {
            queue_behind(&culprit);
            addressed_wait(&culprit.client);
        }
        good = judge_culprit(&culprit, faulting);
    }
    addressed_close(&culprit.client);
    return good;
}

/* ---- Who does not -------------------------------------------------------------------------- */

/* A reset of the whole adapter may take the memory of others, and with it their device. */
static bool judge_onlooker(struct addressed *onlooker)
{
    const struct drydock_workload_host *host = onlooker->gpu.host;
    D3DKMT_DEVICEEXECUTION_STATE state = gpu_state(&onlooker->gpu);
    bool good = state == D3DKMT_DEVICEEXECUTION_ACTIVE || state == D3DKMT_DEVICEEXECUTION_RESET;

    if (!good) {
        host->fail(host,
                   "another client made page faults; the device of one that did nothing is "
                   "in state %s",
                   gpu_state_name(state));
    }
    return good;
}

static bool judge_work(struct addressed *client, const struct memory_block *block)
{
    const struct drydock_workload_host *host = client->gpu.host;
    const uint32_t *words = addressed_lock(client, block);

    for (unsigned i = 0; words && i < BLOCK_BYTES / 4; i++) {
        if (words[i] != PATTERN) {
            host->fail(host,
                       "a fill after other clients' page faults left 0x%08X at offset 0x%X, "
                       "not 0x%08X",
                       words[i], i * 4, PATTERN);
            break;
        }
    }
    if (words) {
        addressed_unlock(client, block);
    }
    return words && !host->failed(host);
}

static bool run_newcomer(const struct drydock_workload_host *host, unsigned node)
{
    struct memory_block commands, block;
    struct addressed client;
    bool there;

    if (!addressed_open(&client, host, node, &there)) {
        return false;
    }
    bool good = make_memory(&client, &commands, &block) &&
                fill(&client, &commands, &block, PATTERN) && addressed_wait(&client) &&
                judge_work(&client, &block);
    addressed_close(&client);
    return good;
}

bool result_of_page_faults(const struct drydock_workload_host *host, unsigned node)
{
    struct memory_block commands, block;
    struct addressed onlooker;
    bool there;

    if (!addressed_open(&onlooker, host, node, &there)) {
        return !there;
    }
    bool good = make_memory(&onlooker, &commands, &block) &&
                fill(&onlooker, &commands, &block, PATTERN) && addressed_wait(&onlooker);
    onlooker.gpu.may_be_lost = true;
    enum faulting faulting = host->random(host, SITE_FAULTING) % WRITES_READ_ONLY;
    good = good && run_culprit(host, node, faulting) &&
           (onlooker.shared || run_culprit(host, node, WRITES_READ_ONLY)) &&
           judge_onlooker(&onlooker) && run_newcomer(host, node);
    addressed_close(&onlooker);
    return good;
}

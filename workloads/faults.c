/* Page faults: a client uses an address where nothing is mapped, or writes where it may only
 * read, with more work queued behind, in a context and, where the node has some, in a hardware
 * queue. Its device is lost, it is told where and how, and that is all: who looked on is called
 * neither hung nor faulty, and whoever comes next finds a GPU that works. See results.h. */
#include "results.h"

#include "queue_client.h"

#define PAGE_BYTES    4096u
#define COMMAND_BYTES PAGE_BYTES
#define BLOCK_BYTES   0x10000u
#define KEPT          3 /* culprits, so that of two in hardware queues the first lives still */
#define BEHIND        6 /* submissions: more than the hardware is given at once */
#define BEFORE        8 /* fills */
#define PATTERN       0x600D0000u
#define PATIENCE_NS   UINT64_C(200000000) /* who waits may be let go before its device is lost */
#define STEP_NS       UINT64_C(1000000)

enum faulting { WRITES, READS, EXECUTES, WRITES_READ_ONLY, FAULTINGS };

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
    struct queue_stream stream;   /* what it faults in, if that is a hardware queue */
    bool queued;
    bool together;    /* no signal between its submissions: a node may have several of them */
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

/* The context's, or the queue's next submission. */
static bool submit(struct culprit *culprit, struct command_writer *writer)
{
    if (!culprit->queued) {
        return culprit->together ? writer_close(writer) && writer_submit(writer)
                                 : writer_end(writer);
    }
    uint64_t value = stream_next(&culprit->stream, 1);
    if (culprit->stream.fence_address) {
        writer_fence(writer, culprit->stream.fence_address, value);
    }
    return writer_close(writer) &&
           stream_submit(&culprit->stream, writer->block->address, writer->used_bytes);
}

static bool wait(struct culprit *culprit)
{
    return culprit->queued ? addressed_wait_fence(&culprit->client, culprit->stream.fence,
                                                  culprit->stream.value)
                           : addressed_wait(&culprit->client);
}

/* Something goes before what faults, in commands of its own, so that the rest is there by then, as
 * far as the hardware takes it. */
static bool keep_busy(struct culprit *culprit)
{
    struct memory_block before;
    struct command_writer writer;

    if (!addressed_block(&culprit->client, COMMAND_BYTES,
                         SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_APERTURE_ONLY, &before)) {
        return false;
    }
    writer_begin(&writer, &culprit->client, &before);
    for (unsigned i = 0; i < BEFORE; i++) {
        writer_fill(&writer, culprit->block.address, BLOCK_BYTES, PATTERN);
    }
    return submit(culprit, &writer);
}

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
    return submit(culprit, &writer);
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
    return submit(culprit, &culprit->writer) && wait(culprit);
}

static void queue_behind(struct culprit *culprit)
{
    if (culprit->together && !writer_submit(&culprit->writer)) {
        return;
    }
    for (unsigned i = 0; !culprit->queued && i < BEHIND && writer_again(&culprit->writer); i++) {
    }
    for (unsigned i = 0; culprit->queued && i < BEHIND; i++) {
        (void)stream_next(&culprit->stream, 1);
        if (!stream_submit(&culprit->stream, culprit->behind.address, culprit->writer.used_bytes)) {
            return;
        }
    }
}

/* What the driver told of it. */
static void judge_notice(struct culprit *culprit, enum faulting faulting)
{
    const struct drydock_workload_host *host = culprit->client.gpu.host;
    D3DKMT_GETDEVICESTATE state = {.hDevice = culprit->client.gpu.device,
                                   .StateType = D3DKMT_DEVICESTATE_PAGE_FAULT};
    bool writes = faulting == WRITES || faulting == WRITES_READ_ONLY;
    const char *how = culprit->queued ? "HWQUEUE_PAGE_FAULTED" : "DMA_PAGE_FAULTED";

    if (gpu_state(&culprit->client.gpu) != D3DKMT_DEVICEEXECUTION_ERROR_DMAPAGEFAULT ||
        D3DKMTGetDeviceState(&state) < 0) {
        return;
    }
    uint64_t address = state.PageFaultState.FaultedVirtualAddress;
    bool told_write = (state.PageFaultState.PageFaultFlags & DXGK_PAGE_FAULT_WRITE) != 0;
    if (address - culprit->nowhere >= BLOCK_BYTES) {
        host->breaks(host, "INT-016",
                     "a client %s 0x%llX, %s; %s told FaultedVirtualAddress 0x%llX",
                     doings[faulting].doing, (unsigned long long)culprit->nowhere,
                     doings[faulting].place, how, (unsigned long long)address);
    } else if (told_write != writes) {
        host->breaks(host, "INT-016",
                     "a client %s 0x%llX, %s; %s told PageFaultFlags 0x%X, %s "
                     "DXGK_PAGE_FAULT_WRITE",
                     doings[faulting].doing, (unsigned long long)culprit->nowhere,
                     doings[faulting].place, how, (unsigned)state.PageFaultState.PageFaultFlags,
                     told_write ? "with" : "without");
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
    if (lost) {
        judge_notice(culprit, faulting);
    }
    host->count(host, culprit->queued ? "virtual.queue_faults" : "virtual.faults", lost);
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

/* In a hardware queue, if that is asked for and there are some. False: there is no client, or it is
 * to be closed all the same. */
static bool run_culprit(struct culprit *culprit, enum faulting faulting, bool queued)
{
    if (queued) {
        if (!stream_open(&culprit->stream, &culprit->client)) {
            return false;
        }
        culprit->queued = culprit->stream.queue != 0;
    }
    bool good = make_memory(&culprit->client, &culprit->commands, &culprit->block) &&
                find_place(culprit, faulting) &&
                fill(&culprit->client, &culprit->commands, &culprit->block, PATTERN) &&
                addressed_wait(&culprit->client) && prepare_behind(culprit);
    if (good && culprit->queued == queued) {
        culprit->client.gpu.may_be_lost = true;
        culprit->together = faulting == EXECUTES && !queued;
        if ((faulting != EXECUTES || keep_busy(culprit)) && submit_fault(culprit, faulting)) {
            queue_behind(culprit);
            wait(culprit);
        }
        good = judge_culprit(culprit, faulting);
    }
    return good;
}

/* One after the other. Each lives on, without its device, until some others were lost: he is not
 * told of again in their place. */
static bool run_culprits(const struct drydock_workload_host *host, unsigned node, bool shared)
{
    struct culprit culprits[KEPT] = {0};
    bool open[KEPT] = {false}, good = true, there;

    for (unsigned i = 0; good && i < 2 * FAULTINGS; i++) {
        struct culprit *culprit = &culprits[i % KEPT];
        enum faulting faulting = i / 2;
        if (faulting == WRITES_READ_ONLY && shared) {
            break;
        }
        if (open[i % KEPT]) {
            addressed_close(&culprit->client);
        }
        *culprit = (struct culprit){0};
        open[i % KEPT] = good = addressed_open(&culprit->client, host, node, &there);
        good = good && run_culprit(culprit, faulting, i % 2 != 0);
    }
    for (unsigned i = 0; i < KEPT; i++) {
        if (open[i]) {
            addressed_close(&culprits[i].client);
        }
    }
    return good;
}

/* Two engines that fault at about the same time: one interrupt may tell of both. */
static bool run_pair(const struct drydock_workload_host *host, const unsigned nodes[2])
{
    struct culprit culprits[2] = {0};
    bool open[2] = {false}, good = true, there = true;

    for (unsigned i = 0; good && i < 2; i++) {
        struct culprit *culprit = &culprits[i];
        open[i] = good = addressed_open(&culprit->client, host, nodes[i], &there);
        good = good && make_memory(&culprit->client, &culprit->commands, &culprit->block) &&
               find_place(culprit, READS) &&
               fill(&culprit->client, &culprit->commands, &culprit->block, PATTERN) &&
               addressed_wait(&culprit->client);
    }
    for (unsigned i = 0; good && i < 2; i++) {
        culprits[i].client.gpu.may_be_lost = true;
        (void)submit_fault(&culprits[i], READS);
    }
    for (unsigned i = 0; good && i < 2; i++) {
        wait(&culprits[i]);
        good = judge_culprit(&culprits[i], READS);
    }
    for (unsigned i = 0; i < 2; i++) {
        if (open[i]) {
            addressed_close(&culprits[i].client);
        }
    }
    host->count(host, "virtual.fault_pairs", good);
    return good || !there;
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
    good = good && run_culprits(host, node, onlooker.shared) &&
           (node == SOFTGPU_ENGINE_COPY ||
            run_pair(host, (const unsigned[2]){node, SOFTGPU_ENGINE_COPY})) &&
           judge_onlooker(&onlooker) && run_newcomer(host, node);
    addressed_close(&onlooker);
    return good;
}

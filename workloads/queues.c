/* queues: several streams of several processes on one node, hardware queues where it has them and
 * contexts where not, that wait for each other: within a process by the streams' own fences, across
 * processes by fences that are shared. What comes out is compared, and the device's own time says
 * whether a wait was one.
 *
 *   process 0    a ─> b ─> sum ── baton 0 ──┐        a: stream 0 counts up
 *   process 1    a ─> b ────────────────────┴> sum   b: stream 1 multiplies and adds
 *   ...                                              sum: stream 2, after the process before it
 *
 * Then one stream is given more at once than its ring has room for (full_queue.c), and several
 * compete (bands.c).
 *
 * Other drivers have hardware contexts and queues made and ended: nobody knows their commands. */
#include "bands.h"
#include "full_queue.h"
#include "queue_client.h"
#include "queue_present.h"
#include "workloads.h"

#include <stdlib.h>
#include <string.h>

#define PROCESSES_MAX 4
#define STREAM_COUNT  3
#define BATCHES       3 /* waited for by the CPU */
#define BATCH_ROUNDS  3 /* submitted together */
#define ROUNDS        (BATCHES * BATCH_ROUNDS)
#define PAGE_BYTES    4096u
#define BLOCK_BYTES   (16 * PAGE_BYTES)
#define BLOCK_WORDS   (BLOCK_BYTES / 4)
#define SLICE_BYTES   512u /* of the command block, for a submission */
#define STAMPS_BYTES  PAGE_BYTES
#define SITE_KEY      0
#define SITE_STEP     1

enum { BLOCK_A, BLOCK_B, BLOCK_SUM, BLOCK_COUNT };

struct stamps {
    uint64_t begin, end; /* of a round's sum, ns of the device */
};

struct party;

/* What all processes know of each other. */
struct company {
    const struct drydock_workload_host *host;
    unsigned count;
    HANDLE batons[PROCESSES_MAX + 1]; /* fences: how many rounds the process has done */
    struct party *parties[PROCESSES_MAX + 1];
};

struct party {
    struct company *company;
    unsigned index;
    struct addressed client;
    struct queue_stream streams[STREAM_COUNT];
    D3DKMT_HANDLE own, before; /* batons; `before` 0: nobody is before it */
    struct memory_block commands, blocks[BLOCK_COUNT], times;
    uint32_t keys[ROUNDS], factors[ROUNDS];
    struct stamps stamps[ROUNDS];
    unsigned rounds_done;
};

/* ---- Batons --------------------------------------------------------------------------------- */

static bool open_baton(struct party *party, unsigned index, D3DKMT_HANDLE *out)
{
    D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 open = {.hNtHandle = party->company->batons[index],
                                               .hDevice = party->client.gpu.device};

    open.Flags.Shared = open.Flags.NtSecuritySharing = 1;
    bool good = gpu_check(&party->client.gpu, D3DKMTOpenSyncObjectFromNtHandle2(&open),
                          "D3DKMTOpenSyncObjectFromNtHandle2");
    *out = open.hSyncObject;
    return good;
}

/* By the first process, for all; its handles stay until the end. */
static bool make_batons(struct party *first)
{
    struct company *company = first->company;
    struct gpu *gpu = &first->client.gpu;
    bool good = true;

    for (unsigned i = 0; good && i < company->count; i++) {
        D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {.hDevice = gpu->device,
                                                      .Info.Type = D3DDDI_MONITORED_FENCE};
        create.Info.Flags.Shared = create.Info.Flags.NtSecuritySharing = 1;
        good =
            gpu_check(gpu, D3DKMTCreateSynchronizationObject2(&create),
                      "D3DKMTCreateSynchronizationObject2 of a shared monitored fence") &&
            gpu_check(gpu, D3DKMTShareObjects(1, &create.hSyncObject, NULL, 0, &company->batons[i]),
                      "D3DKMTShareObjects of a fence");
    }
    return good;
}

/* Whatever became of this process, nobody waits for it any more. */
static void let_others_go(struct party *party)
{
    UINT64 value = ROUNDS;
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU signal = {.hDevice = party->client.gpu.device,
                                                              .ObjectCount = 1,
                                                              .ObjectHandleArray = &party->own,
                                                              .FenceValueArray = &value};

    if (party->own && party->rounds_done < ROUNDS) {
        (void)D3DKMTSignalSynchronizationObjectFromCpu(&signal);
    }
}

/* ---- A round -------------------------------------------------------------------------------- */

static uint64_t slice_of(unsigned round, unsigned stream)
{
    return (uint64_t)(round % BATCH_ROUNDS * STREAM_COUNT + stream) * SLICE_BYTES;
}

/* The last command tells of the end where the stream's fence is the GPU's to write. */
static unsigned write_end(struct command_writer *writer, struct queue_stream *stream,
                          uint64_t begin)
{
    if (stream->fence_address) {
        writer_fence(writer, stream->fence_address, stream->value);
    }
    return writer->used_bytes - (unsigned)begin;
}

static void write_commands(struct party *party, struct command_writer *writer, unsigned round,
                           unsigned stream)
{
    const struct memory_block *a = &party->blocks[BLOCK_A], *b = &party->blocks[BLOCK_B];
    const struct memory_block *sum = &party->blocks[BLOCK_SUM];
    uint64_t stamps = party->times.address + round % BATCH_ROUNDS * sizeof(struct stamps);

    switch (stream) {
    case 0:
        writer_compute(writer, &(struct compute_request){.kernel = SOFTGPU_KERNEL_IOTA,
                                                         .count = BLOCK_WORDS,
                                                         .scalar = party->keys[round],
                                                         .result = a->address});
        break;
    case 1:
        writer_compute(writer, &(struct compute_request){.kernel = SOFTGPU_KERNEL_MAD,
                                                         .count = BLOCK_WORDS,
                                                         .scalar = party->factors[round],
                                                         .result = b->address,
                                                         .a = a->address,
                                                         .b = a->address});
        break;
    default:
        writer_stamp(writer, stamps);
        writer_compute(writer, &(struct compute_request){.kernel = SOFTGPU_KERNEL_ADD,
                                                         .count = BLOCK_WORDS,
                                                         .result = sum->address,
                                                         .a = a->address,
                                                         .b = b->address});
        writer_stamp(writer, stamps + sizeof(uint64_t));
        break;
    }
}

static bool send(struct party *party, unsigned round, unsigned stream)
{
    struct queue_stream *to = &party->streams[stream];
    uint64_t begin = slice_of(round, stream);
    struct command_writer writer;

    /* Values may have gaps. */
    stream_next(to, 1 + party->company->host->random(party->company->host, SITE_STEP) % 3);
    writer_begin(&writer, &party->client, &party->commands);
    writer.used_bytes = (unsigned)begin;
    write_commands(party, &writer, round, stream);
    unsigned size_bytes = write_end(&writer, to, begin);
    return writer_close(&writer) && stream_submit(to, party->commands.address + begin, size_bytes);
}

/* Each stream waits for the one before it, the first for the last of the round before. */
static bool send_round(struct party *party, unsigned round)
{
    struct queue_stream *streams = party->streams;

    party->keys[round] = (uint32_t)party->company->host->random(party->company->host, SITE_KEY);
    party->factors[round] = party->keys[round] >> 7 | 1;
    return (round == 0 || stream_wait(&streams[0], streams[2].fence, streams[2].value)) &&
           send(party, round, 0) && stream_wait(&streams[1], streams[0].fence, streams[0].value) &&
           send(party, round, 1) && stream_wait(&streams[2], streams[1].fence, streams[1].value) &&
           (!party->before || stream_wait(&streams[2], party->before, round + 1)) &&
           send(party, round, 2) && stream_signal(&streams[2], party->own, round + 1);
}

static bool compare(struct party *party, unsigned round)
{
    const struct drydock_workload_host *host = party->company->host;
    const uint32_t *words = addressed_lock(&party->client, &party->blocks[BLOCK_SUM]);
    unsigned wrong = 0, first = 0;
    uint32_t factor = party->factors[round] + 2, key = party->keys[round];

    for (uint32_t i = 0; words && i < BLOCK_WORDS; i++) {
        if (words[i] != (key + i) * factor) {
            first = wrong++ ? first : i;
        }
    }
    if (wrong) {
        host->fail(host,
                   "process %u, round %u: %u of %u words that three streams made one after the "
                   "other are wrong, the first at offset 0x%X: 0x%08X, not 0x%08X",
                   party->index, round, wrong, BLOCK_WORDS, first * 4, words[first],
                   (key + first) * factor);
    }
    if (words) {
        addressed_unlock(&party->client, &party->blocks[BLOCK_SUM]);
        host->count(host, "queues.words_checked", BLOCK_WORDS);
    }
    return words && !wrong;
}

static bool read_stamps(struct party *party, unsigned first)
{
    const struct stamps *stamps = addressed_lock(&party->client, &party->times);

    if (!stamps) {
        return false;
    }
    memcpy(&party->stamps[first], stamps, BATCH_ROUNDS * sizeof *stamps);
    addressed_unlock(&party->client, &party->times);
    return true;
}

/* While the streams run: some GPUs have their contexts leave for that. */
static bool map_meanwhile(struct party *party)
{
    const struct mapping_request request = {.block = &party->blocks[BLOCK_SUM],
                                            .page_count = BLOCK_BYTES / PAGE_BYTES};
    uint64_t address;

    return addressed_map(&party->client, &request, &address) &&
           addressed_free(&party->client, address, BLOCK_BYTES);
}

static bool run_batch(struct party *party, unsigned batch)
{
    unsigned first = batch * BATCH_ROUNDS, last = first + BATCH_ROUNDS - 1;
    struct queue_stream *end = &party->streams[STREAM_COUNT - 1];

    for (unsigned round = first; round <= last; round++) {
        if (!send_round(party, round)) {
            return false;
        }
    }
    if (!map_meanwhile(party) || !stream_refuses(end, party->commands.address, SLICE_BYTES) ||
        !addressed_wait_fence(&party->client, end->fence, end->value) || !compare(party, last) ||
        !read_stamps(party, first)) {
        return false;
    }
    party->rounds_done = last + 1;
    party->company->host->count(party->company->host, "queues.rounds", BATCH_ROUNDS);
    return true;
}

/* ---- Processes ------------------------------------------------------------------------------ */

static bool set_up(struct party *party)
{
    const unsigned flags = SOFTGPU_UMD_VIRTUAL_ONLY;
    bool good = addressed_block(&party->client, PAGE_BYTES * 2, flags | SOFTGPU_UMD_APERTURE_ONLY,
                                &party->commands) &&
                addressed_block(&party->client, STAMPS_BYTES, flags | SOFTGPU_UMD_APERTURE_ONLY,
                                &party->times);

    for (unsigned i = 0; good && i < BLOCK_COUNT; i++) {
        good = addressed_block(&party->client, BLOCK_BYTES, flags, &party->blocks[i]);
    }
    for (unsigned i = 0; good && i < STREAM_COUNT; i++) {
        good = stream_open(&party->streams[i], &party->client);
    }
    if (good && party->index % 2 == 1) {
        stream_goes_over(&party->streams[0]);
    }
    return good;
}

/* Half of them end their streams with the last work under way; of the others the device does it. */
static void close_streams(struct party *party)
{
    for (unsigned i = 0; party->index % 2 == 0 && i < STREAM_COUNT; i++) {
        stream_close(&party->streams[i]);
    }
}

static void go_through(struct party *party)
{
    const struct drydock_workload_host *host = party->company->host;
    bool good = set_up(party) && open_baton(party, party->index, &party->own) &&
                (party->index == 0 || open_baton(party, party->index - 1, &party->before));

    for (unsigned batch = 0; good && batch < BATCHES && !host->failed(host); batch++) {
        good = run_batch(party, batch);
    }
    if (good && party->streams[0].queue) {
        host->count(host, "queues.hardware", STREAM_COUNT);
    }
    if (good && send(party, 0, 0)) {
        close_streams(party);
    }
    let_others_go(party);
}

static void other_process(void *argument)
{
    struct party *party = argument;
    bool there;

    if (addressed_open(&party->client, party->company->host, SOFTGPU_ENGINE_COMPUTE, &there)) {
        go_through(party);
        addressed_close(&party->client);
    }
}

/* A process' sum began when that of the process before it had ended, by the device's clock. */
static void look_at_times(const struct company *company)
{
    for (unsigned i = 1; i < company->count; i++) {
        const struct party *party = company->parties[i], *before = company->parties[i - 1];
        for (unsigned round = 0; round < party->rounds_done && round < before->rounds_done;
             round++) {
            if (party->stamps[round].begin < before->stamps[round].end) {
                company->host->fail(
                    company->host,
                    "round %u of process %u began at %llu ns, before that of process %u, which it "
                    "waits for, had ended (%llu ns)",
                    round, i, (unsigned long long)party->stamps[round].begin, i - 1,
                    (unsigned long long)before->stamps[round].end);
                return;
            }
        }
    }
}

static bool make_parties(struct company *company)
{
    for (unsigned i = 0; i < company->count; i++) {
        company->parties[i] = calloc(1, sizeof *company->parties[i]);
        if (!company->parties[i]) {
            company->host->fail(company->host, "no memory");
            return false;
        }
        company->parties[i]->company = company;
        company->parties[i]->index = i;
    }
    return true;
}

static void run_together(struct company *company)
{
    const struct drydock_workload_host *host = company->host;
    struct drydock_process *processes[PROCESSES_MAX] = {0};
    struct party *first = company->parties[0];

    if (make_batons(first)) {
        for (unsigned i = 1; i < company->count; i++) {
            processes[i - 1] =
                host->start_process(host, "queues", other_process, company->parties[i]);
        }
        go_through(first);
        for (unsigned i = 1; i < company->count; i++) {
            if (processes[i - 1]) {
                host->join(host, processes[i - 1]);
            }
        }
        look_at_times(company);
    }
    for (unsigned i = 0; i < company->count; i++) {
        if (company->batons[i]) {
            (void)drydock_close_handle(&(struct drydock_handle){company->batons[i]});
        }
    }
}

static void run_streams(const struct drydock_workload_host *host)
{
    struct company company = {
        .host = host,
        .count = 1 + (host->process_count > PROCESSES_MAX ? PROCESSES_MAX : host->process_count)};
    bool there = false;

    if (make_parties(&company) &&
        addressed_open(&company.parties[0]->client, host, SOFTGPU_ENGINE_COMPUTE, &there)) {
        if (!company.parties[0]->client.shared) {
            run_together(&company);
        }
        addressed_close(&company.parties[0]->client);
    }
    for (unsigned i = 0; i < company.count; i++) {
        free(company.parties[i]);
    }
}

/* A driver whose commands nobody knows. */
static void make_and_end(const struct drydock_workload_host *host)
{
    for (unsigned node = 0; node < gpu_node_count(host); node++) {
        struct addressed client;
        bool there = false, queues = false;
        if (!addressed_open(&client, host, node, &there)) {
            continue;
        }
        bool good = client.shared || (streams_come_and_go(&client, node, &queues) &&
                                      streams_leave_nothing(&client, node));
        host->count(host, "queues.made", queues);
        addressed_close(&client);
        if (!good) {
            return;
        }
    }
}

static void run(const struct drydock_workload_host *host)
{
    if (!(host->capabilities & DRYDOCK_DRIVER_IS_SOFTGPU)) {
        make_and_end(host);
    } else if (gpu_node_count(host) > SOFTGPU_ENGINE_COMPUTE) {
        run_streams(host);
        if (!host->failed(host)) {
            fill_a_queue(host, SOFTGPU_ENGINE_COMPUTE);
        }
        if (!host->failed(host)) {
            compete_in_bands(host, SOFTGPU_ENGINE_COMPUTE);
        }
    }
    if (!host->failed(host)) {
        (void)present_in_queues(host);
    }
}

const struct drydock_workload workload_queues = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "queues",
    .description = "processes whose hardware queues wait for each other; contexts where none are",
    .run = run,
};

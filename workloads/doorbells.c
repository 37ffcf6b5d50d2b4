/* doorbells: processes that give their hardware queues work by themselves, with more queues than
 * the device has doorbells, so that one takes another's away. Each process has three streams on one
 * node that wait for each other by words in memory, which the GPU looks at; what comes out is
 * compared. Entries that are done are spoiled: one that is done again is seen.
 *
 *   a ─> b ─> sum ─> a ...      a: stream 0 counts up; b: stream 1 multiplies and adds; sum: both
 *
 * In between a ring is exchanged for a longer one, and processes end with work under way: half of
 * them end their streams, of the others the device does it. Of other drivers doorbells are made,
 * connected and ended: nobody knows their commands. */
#include "doorbell_client.h"
#include "workloads.h"

#include <stdlib.h>
#include <string.h>

#define PROCESSES_MAX 4
#define BATCHES       4 /* waited for by the CPU */
#define BATCH_ROUNDS  3 /* rung together */
#define ROUNDS        (BATCHES * BATCH_ROUNDS)
#define PAGE_BYTES    4096u
#define BLOCK_BYTES   (4 * PAGE_BYTES)
#define BLOCK_WORDS   (BLOCK_BYTES / 4)
#define SLICE_BYTES   512u /* of the command block, for a submission */
#define RING_ENTRIES  128u
#define PASSED_BEGIN  (BATCH_ROUNDS * STREAM_COUNT * SLICE_BYTES) /* commands of spoiled entries */
#define PASSED_MARK   UINT64_C(0x7061737365642021)
#define HANGING_ROUND (ROUNDS / 2)
#define SITE_KEY      0
#define SITE_PAUSE    1
#define PAUSE_NS_MAX  UINT64_C(60000000)

enum { STREAM_A, STREAM_B, STREAM_SUM, STREAM_COUNT };

struct party {
    const struct drydock_workload_host *host;
    unsigned index;
    struct addressed client;
    struct bell_stream streams[STREAM_COUNT];
    struct memory_block commands, blocks[STREAM_COUNT], marks;
    uint32_t keys[ROUNDS];
    bool there;
    bool hangs, may_be_lost; /* some command of it never ends; of one that is there */
};

/* ---- A round --------------------------------------------------------------------------------- */

static uint64_t mark_of(const struct party *party, unsigned stream)
{
    return party->marks.address + stream * sizeof(uint64_t);
}

static uint32_t factor_of(uint32_t key)
{
    return key >> 7 | 1;
}

static void write_work(struct party *party, struct command_writer *writer, unsigned round,
                       unsigned stream)
{
    uint32_t key = party->keys[round];
    uint64_t a = party->blocks[STREAM_A].address, b = party->blocks[STREAM_B].address;
    const struct compute_request work[STREAM_COUNT] = {
        [STREAM_A] = {.kernel = SOFTGPU_KERNEL_IOTA, .scalar = key, .result = a},
        [STREAM_B] =
            {.kernel = SOFTGPU_KERNEL_MAD, .scalar = factor_of(key), .result = b, .a = a, .b = a},
        [STREAM_SUM] = {.kernel = SOFTGPU_KERNEL_ADD,
                        .result = party->blocks[STREAM_SUM].address,
                        .a = a,
                        .b = b},
    };
    struct compute_request request = work[stream];

    request.count = BLOCK_WORDS;
    writer_compute(writer, &request);
}

/* Behind the one before it: of the same round, or the last one of the round before. */
static bool send(struct party *party, unsigned round, unsigned stream)
{
    struct bell_stream *to = &party->streams[stream];
    uint64_t begin = (uint64_t)(round % BATCH_ROUNDS * STREAM_COUNT + stream) * SLICE_BYTES;
    unsigned before = (stream + STREAM_COUNT - 1) % STREAM_COUNT;
    struct command_writer writer;

    to->value++;
    writer_begin(&writer, &party->client, &party->commands);
    writer.used_bytes = (unsigned)begin;
    writer_wait(&writer, mark_of(party, before), stream == STREAM_A ? round : round + 1);
    write_work(party, &writer, round, stream);
    if (party->hangs && round == HANGING_ROUND && stream == STREAM_B) {
        writer_hang(&writer);
    }
    writer_fence(&writer, mark_of(party, stream), round + 1);
    writer_fence(&writer, to->fence_address, to->value);
    unsigned size_bytes = writer.used_bytes - (unsigned)begin;
    return writer_close(&writer) && bell_submit(to, party->commands.address + begin, size_bytes);
}

static bool send_round(struct party *party, unsigned round)
{
    party->keys[round] = (uint32_t)party->host->random(party->host, SITE_KEY);
    for (unsigned i = 0; i < STREAM_COUNT; i++) {
        if (!send(party, round, i)) {
            return false;
        }
    }
    return true;
}

static bool compare(struct party *party, unsigned round)
{
    const uint32_t *words = addressed_lock(&party->client, &party->blocks[STREAM_SUM]);
    uint32_t key = party->keys[round], factor = factor_of(key) + 2;
    unsigned wrong = 0, first = 0;

    for (uint32_t i = 0; words && i < BLOCK_WORDS; i++) {
        if (words[i] != (key + i) * factor) {
            first = wrong++ ? first : i;
        }
    }
    if (wrong) {
        party->host->fail(
            party->host,
            "process %u, round %u: %u of %u words that three queues made by doorbells "
            "are wrong, the first at offset 0x%X: 0x%08X, not 0x%08X",
            party->index, round, wrong, BLOCK_WORDS, first * 4, words[first],
            (key + first) * factor);
    }
    if (words) {
        addressed_unlock(&party->client, &party->blocks[STREAM_SUM]);
        party->host->count(party->host, "doorbells.words_checked", BLOCK_WORDS);
    }
    return words && !wrong;
}

static uint64_t passed_mark(const struct party *party)
{
    return party->marks.address + STREAM_COUNT * sizeof(uint64_t);
}

/* What is done stays in the rings as something else. */
static bool spoil_passed(struct party *party)
{
    struct command_writer writer;
    bool good = true;

    writer_begin(&writer, &party->client, &party->commands);
    writer.used_bytes = PASSED_BEGIN;
    writer_fence(&writer, passed_mark(party), PASSED_MARK);
    unsigned size_bytes = writer.used_bytes - PASSED_BEGIN;
    good = writer_close(&writer);
    for (unsigned i = 0; good && i < STREAM_COUNT; i++) {
        good = bell_spoil(&party->streams[i], party->commands.address + PASSED_BEGIN, size_bytes);
    }
    return good;
}

static bool none_passed_ran(struct party *party)
{
    const uint64_t *marks = addressed_lock(&party->client, &party->marks);

    if (!marks) {
        return false;
    }
    bool ran = marks[STREAM_COUNT] != 0;
    addressed_unlock(&party->client, &party->marks);
    if (ran) {
        party->host->fail(party->host,
                          "process %u: the device ran an entry of a doorbell's ring that was done "
                          "long ago: when its queue was set up again, behind D3, a reset or "
                          "ConnectDoorbell, it did not begin where it had been in the ring",
                          party->index);
    }
    return !ran;
}

static bool run_batch(struct party *party, unsigned batch)
{
    unsigned first = batch * BATCH_ROUNDS, last = first + BATCH_ROUNDS - 1;
    struct bell_stream *end = &party->streams[STREAM_SUM];

    for (unsigned round = first; round <= last; round++) {
        if (!send_round(party, round)) {
            return false;
        }
    }
    if (!addressed_wait_fence(&party->client, end->fence, end->value) || !none_passed_ran(party) ||
        !compare(party, last) || !spoil_passed(party)) {
        return false;
    }
    party->host->count(party->host, "doorbells.rounds", BATCH_ROUNDS);
    return true;
}

/* ---- Processes ------------------------------------------------------------------------------- */

/* Memory has no content before. */
static bool clear_marks(struct party *party)
{
    uint64_t *marks = addressed_lock(&party->client, &party->marks);

    if (!marks) {
        return false;
    }
    memset(marks, 0, (STREAM_COUNT + 1) * sizeof *marks);
    addressed_unlock(&party->client, &party->marks);
    return true;
}

static bool set_up(struct party *party)
{
    const unsigned flags = SOFTGPU_UMD_VIRTUAL_ONLY;
    bool good = true;

    party->there = true;
    for (unsigned i = 0; good && party->there && i < STREAM_COUNT; i++) {
        good = bell_open(&party->streams[i], &party->client, RING_ENTRIES, &party->there);
    }
    if (!good || !party->there) {
        return good;
    }
    good = addressed_block(&party->client, PAGE_BYTES * 2, flags | SOFTGPU_UMD_APERTURE_ONLY,
                           &party->commands) &&
           addressed_block(&party->client, PAGE_BYTES, flags | SOFTGPU_UMD_APERTURE_ONLY,
                           &party->marks) &&
           clear_marks(party);
    for (unsigned i = 0; good && i < STREAM_COUNT; i++) {
        good = addressed_block(&party->client, BLOCK_BYTES, flags, &party->blocks[i]);
    }
    return good;
}

static bool exchange_ring(struct party *party, unsigned batch)
{
    return batch % 2 == 0 || bell_resize(&party->streams[batch % STREAM_COUNT], RING_ENTRIES * 2);
}

/* As one that waits for its user, with its rings as they are: the computer may sleep meanwhile. */
static void rest_a_while(const struct drydock_workload_host *host)
{
    host->sleep_until(host, host->now_ns(host) + host->random(host, SITE_PAUSE) % PAUSE_NS_MAX);
}

static void go_through(struct party *party)
{
    const struct drydock_workload_host *host = party->host;
    bool good = set_up(party);

    party->client.gpu.may_be_lost = party->may_be_lost;
    if (!party->there) {
        return;
    }
    for (unsigned batch = 0; good && batch < BATCHES && !host->failed(host); batch++) {
        rest_a_while(host);
        good = exchange_ring(party, batch) && run_batch(party, batch) &&
               bell_refuses(&party->streams[batch % STREAM_COUNT], party->commands.address,
                            SLICE_BYTES);
    }
    if (good) {
        host->count(host, "doorbells.queues", STREAM_COUNT);
    }
    if (party->hangs && good) {
        host->fail(host, "a client's command that never ends, in a queue that it submits to by "
                         "itself, did not cost it its device");
    }
    host->count(host, "hang.doorbells_hung", party->hangs && !good);
    good = good && send_round(party, 0);
    for (unsigned i = 0; good && party->index % 2 == 0 && i < STREAM_COUNT; i++) {
        bell_close(&party->streams[i]);
    }
}

static void process(void *argument)
{
    struct party *party = argument;
    bool there = false;

    if (addressed_open(&party->client, party->host, SOFTGPU_ENGINE_COMPUTE, &there)) {
        if (!party->client.shared) {
            go_through(party);
        }
        addressed_close(&party->client);
    }
}

/* The last process hangs, if one is to. */
static void run_together(const struct drydock_workload_host *host, bool hangs)
{
    unsigned count =
        1 + (host->process_count > PROCESSES_MAX - 1 ? PROCESSES_MAX - 1 : host->process_count);
    struct drydock_process *processes[PROCESSES_MAX] = {0};
    struct party *parties = calloc(count, sizeof *parties);

    if (!parties) {
        host->fail(host, "no memory");
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        parties[i].host = host;
        parties[i].index = i;
        parties[i].hangs = hangs && i == count - 1;
        parties[i].may_be_lost = hangs; /* with the adapter, where the node pages, too */
        if (i > 0) {
            processes[i] = host->start_process(host, "doorbells", process, &parties[i]);
        }
    }
    process(&parties[0]);
    for (unsigned i = 1; i < count; i++) {
        if (processes[i]) {
            host->join(host, processes[i]);
        }
    }
    free(parties);
}

/* A driver whose commands nobody knows. */
static void make_and_end(const struct drydock_workload_host *host)
{
    for (unsigned node = 0; node < gpu_node_count(host); node++) {
        struct addressed client;
        bool there = false, bells = false;
        if (!addressed_open(&client, host, node, &there)) {
            continue;
        }
        bool good = client.shared || bells_come_and_go(&client, node, &bells);
        host->count(host, "doorbells.made", bells);
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
        run_together(host, false);
    }
}

void hang_by_doorbell(const struct drydock_workload_host *host)
{
    if (gpu_node_count(host) > SOFTGPU_ENGINE_COMPUTE) {
        run_together(host, true);
    }
}

const struct drydock_workload workload_doorbells = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "doorbells",
    .description = "processes that submit to hardware queues by themselves, by doorbells",
    .run = run,
};

/* A stream of work that is given more at once than its ring has room for; see full_queue.h.
 *
 *   one that lasts ─> DEPTH small ones behind it, each of which writes words of its own
 *
 * While the first runs, as many are on the hardware as the driver says in
 * MaxInFlightHwQueueBuffers, and a ring of fewer than DEPTH entries wraps in their midst. */
#include "full_queue.h"
#include "queue_client.h"

#define DEPTH          600u /* some more than rings have entries */
#define SLICE_BYTES    256u /* commands of a small one */
#define PART_WORDS     4u
#define LASTS_PIECES   200u
#define PIECE_NS       1000000u
#define TIMES          2u /* the second begins elsewhere in the ring */
#define SITE_KEY       2
#define PAGE_BYTES     4096u
#define COMMANDS_BYTES (DEPTH * SLICE_BYTES + PAGE_BYTES)
#define RESULT_BYTES   (DEPTH * PART_WORDS * 4 + PAGE_BYTES)

struct pile {
    const struct drydock_workload_host *host;
    struct addressed client;
    struct queue_stream stream;
    struct memory_block commands, results;
    uint32_t key;
    unsigned bytes[DEPTH + 1]; /* of commands; the last is the long one */
};

static unsigned begin_of(unsigned index)
{
    return index * SLICE_BYTES;
}

static void begin(struct command_writer *writer, unsigned index)
{
    writer->used_bytes = begin_of(index);
}

/* The last command tells of the end where the stream's fence is the GPU's to write. */
static void end(struct pile *pile, struct command_writer *writer, unsigned index, uint64_t value)
{
    if (pile->stream.fence_address) {
        writer_fence(writer, pile->stream.fence_address, value);
    }
    pile->bytes[index] = writer->used_bytes - begin_of(index);
}

/* Words of its own, and one that all write: the last of them stays. */
static void write_small(struct pile *pile, struct command_writer *writer, unsigned index)
{
    struct compute_request request = {.kernel = SOFTGPU_KERNEL_IOTA,
                                      .count = PART_WORDS,
                                      .scalar = pile->key + index * PART_WORDS,
                                      .result = pile->results.address + index * PART_WORDS * 4};

    writer_compute(writer, &request);
    request.count = 1;
    request.scalar = pile->key + index;
    request.result = pile->results.address + DEPTH * PART_WORDS * 4;
    writer_compute(writer, &request);
}

static bool write_all(struct pile *pile)
{
    uint64_t value = pile->stream.value + 1;
    struct command_writer writer;

    writer_begin(&writer, &pile->client, &pile->commands);
    begin(&writer, DEPTH);
    for (unsigned i = 0; i < LASTS_PIECES; i++) {
        writer_delay(&writer, PIECE_NS);
    }
    end(pile, &writer, DEPTH, value++);
    for (unsigned i = 0; i < DEPTH; i++) {
        begin(&writer, i);
        write_small(pile, &writer, i);
        end(pile, &writer, i, value++);
    }
    return writer_close(&writer);
}

static bool send(struct pile *pile, unsigned index)
{
    (void)stream_next(&pile->stream, 1);
    return stream_submit(&pile->stream, pile->commands.address + begin_of(index),
                         pile->bytes[index]);
}

static bool compare(struct pile *pile)
{
    const uint32_t *words = addressed_lock(&pile->client, &pile->results);
    unsigned wrong = 0, first = 0;

    if (!words) {
        return false;
    }
    for (unsigned i = 0; i < DEPTH * PART_WORDS; i++) {
        if (words[i] != pile->key + i) {
            first = wrong++ ? first : i;
        }
    }
    uint32_t last = words[DEPTH * PART_WORDS] - pile->key;
    addressed_unlock(&pile->client, &pile->results);
    pile->host->count(pile->host, "queues.words_checked", DEPTH * PART_WORDS);
    if (wrong || last != DEPTH - 1) {
        pile->host->fail(pile->host,
                         "of %u buffers that were given to one %s at once %u words are wrong, the "
                         "first of buffer %u, and the last one that ran was %u, though all are "
                         "said to be done: work was left out, or ran for another's",
                         DEPTH, pile->stream.queue ? "hardware queue" : "context", wrong,
                         first / PART_WORDS, last);
    }
    return !wrong && last == DEPTH - 1;
}

static bool fill_once(struct pile *pile)
{
    pile->key = (uint32_t)pile->host->random(pile->host, SITE_KEY);
    bool good = write_all(pile) && send(pile, DEPTH);

    for (unsigned i = 0; good && i < DEPTH; i++) {
        good = send(pile, i);
    }
    return good && addressed_wait_fence(&pile->client, pile->stream.fence, pile->stream.value) &&
           compare(pile);
}

static bool open_pile(struct pile *pile)
{
    const unsigned flags = SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_APERTURE_ONLY;

    return addressed_block(&pile->client, COMMANDS_BYTES, flags, &pile->commands) &&
           addressed_block(&pile->client, RESULT_BYTES, flags, &pile->results) &&
           stream_open(&pile->stream, &pile->client);
}

void fill_a_queue(const struct drydock_workload_host *host, unsigned node)
{
    struct pile pile = {.host = host};
    bool there = false;

    if (!addressed_open(&pile.client, host, node, &there)) {
        return;
    }
    bool good =
        !pile.client.shared && streams_leave_nothing(&pile.client, node) && open_pile(&pile);
    for (unsigned i = 0; good && i < TIMES; i++) {
        good = fill_once(&pile);
        host->count(host, "queues.filled", good);
    }
    addressed_close(&pile.client);
}

/* A hardware queue faults; when its engine goes on behind the reset another client's work hangs
 * there, and a third client's waits behind both. Who did what is told to each, and the third goes
 * on. See behind_client.h. */
#include "behind_client.h"

#include "queue_client.h"

#define PAGE_BYTES  UINT64_C(4096)
#define BLOCK_BYTES UINT64_C(65536)
#define CHAIN       4 /* submissions of the third client */
#define SLICE_BYTES 256u
#define SITE_DELAY  0
#define DELAY_NS    300000 /* at most, between the fault and the hang */
#define FLAGS       (SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_APERTURE_ONLY)

static const struct drydock_workload_host *host;

struct party {
    struct addressed client;
    struct queue_stream stream;
    struct memory_block commands, block;
    D3DKMT_DEVICEEXECUTION_STATE wanted;
    void (*act)(struct party *party);
    struct drydock_event *ready, *go;
};

/* ---- What each does -------------------------------------------------------------------------- */

/* A fill of the block, or of an address where nothing is, and the fence. */
static bool send_fill(struct party *party, unsigned slice, uint64_t to, uint32_t pattern)
{
    struct command_writer writer;

    (void)stream_next(&party->stream, 1);
    writer_begin(&writer, &party->client, &party->commands);
    writer.used_bytes = slice * SLICE_BYTES;
    writer_fill(&writer, to, PAGE_BYTES, pattern);
    writer_fence(&writer, party->stream.fence_address, party->stream.value);
    unsigned size_bytes = writer.used_bytes - slice * SLICE_BYTES;
    return writer_close(&writer) &&
           stream_submit(&party->stream, party->commands.address + slice * SLICE_BYTES, size_bytes);
}

static void fault(struct party *party)
{
    uint64_t address = party->block.address;

    addressed_free(&party->client, address, BLOCK_BYTES);
    (void)send_fill(party, 0, address, 0xDEADBEEF);
}

static void hang(struct party *party)
{
    struct command_writer writer;

    (void)stream_next(&party->stream, 1);
    writer_begin(&writer, &party->client, &party->commands);
    writer_hang(&writer);
    writer_fence(&writer, party->stream.fence_address, party->stream.value);
    if (writer_close(&writer)) {
        (void)stream_submit(&party->stream, party->commands.address, writer.used_bytes);
    }
}

static void work(struct party *party)
{
    for (unsigned i = 0; i < CHAIN; i++) {
        if (!send_fill(party, i, party->block.address + i * PAGE_BYTES, 0x01010101u * (i + 1))) {
            return;
        }
    }
}

/* ---- The clients ----------------------------------------------------------------------------- */

static bool open_party(struct party *party)
{
    bool there;

    return addressed_open(&party->client, host, SOFTGPU_ENGINE_COMPUTE, &there) &&
           addressed_block(&party->client, PAGE_BYTES, FLAGS, &party->commands) &&
           addressed_block(&party->client, BLOCK_BYTES, FLAGS, &party->block) &&
           stream_open(&party->stream, &party->client);
}

static void compare(struct party *party)
{
    const uint32_t *words = addressed_lock(&party->client, &party->block);

    for (unsigned i = 0; words && i < CHAIN; i++) {
        uint32_t found = words[i * PAGE_BYTES / 4], pattern = 0x01010101u * (i + 1);
        if (found != pattern) {
            host->fail(host, "0x%08X where 0x%08X was filled in", found, pattern);
        }
    }
    addressed_unlock(&party->client, &party->block);
    host->count(host, "behind.went_on", words != NULL);
}

static void take_part(void *argument)
{
    struct party *party = argument;

    if (!open_party(party)) {
        host->event_signal(host, party->ready);
        return;
    }
    party->client.gpu.may_be_lost = true;
    host->event_signal(host, party->ready);
    host->event_wait(host, party->go, DRYDOCK_NEVER);
    party->act(party);
    host->event_signal(host, party->ready);
    addressed_wait_fence(&party->client, party->stream.fence, party->stream.value);
    D3DKMT_DEVICEEXECUTION_STATE state = gpu_state(&party->client.gpu);
    if (state != party->wanted) {
        host->fail(host, "a device is told to be %s, not %s", gpu_state_name(state),
                   gpu_state_name(party->wanted));
    } else if (state == D3DKMT_DEVICEEXECUTION_ACTIVE) {
        compare(party);
    }
    host->count(host, "behind.verdicts", 1);
    addressed_close(&party->client);
}

#define PARTIES 3

static void run(const struct drydock_workload_host *given)
{
    static struct party parties[PARTIES];
    struct drydock_process *processes[PARTIES];

    host = given;
    parties[0] = (struct party){.act = fault, .wanted = D3DKMT_DEVICEEXECUTION_ERROR_DMAPAGEFAULT};
    parties[1] = (struct party){.act = hang, .wanted = D3DKMT_DEVICEEXECUTION_HUNG};
    parties[2] = (struct party){.act = work, .wanted = D3DKMT_DEVICEEXECUTION_ACTIVE};
    for (unsigned i = 0; i < PARTIES; i++) {
        parties[i].ready = host->event_create(host);
        parties[i].go = host->event_create(host);
        processes[i] = host->start_process(host, "party", take_part, &parties[i]);
        host->event_wait(host, parties[i].ready, DRYDOCK_NEVER);
    }
    for (unsigned i = 0; i < PARTIES; i++) { /* each has submitted before the next one does */
        host->event_signal(host, parties[i].go);
        host->event_wait(host, parties[i].ready, DRYDOCK_NEVER);
        host->sleep_until(host, host->now_ns(host) + host->random(host, SITE_DELAY) % DELAY_NS);
    }
    for (unsigned i = 0; i < PARTIES; i++) {
        host->join(host, processes[i]);
        host->event_destroy(host, parties[i].ready);
        host->event_destroy(host, parties[i].go);
    }
}

const struct drydock_workload behind_a_fault = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                .name = "behind a fault",
                                                .description = "one faults, another hangs",
                                                .run = run};

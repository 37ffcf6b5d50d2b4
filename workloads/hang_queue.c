/* A hardware queue hangs, and those of other processes wait behind it on the same node; see
 * results.h.
 *
 *   culprit      good work ─> "begun", and a command that never ends ─> more work behind it
 *   neighbours   good work ─> once it has begun: a chain of work that has to wait
 *                  time-out ─> the engine or the adapter is reset ─> each chain is done, and right
 *                  (who lost his device besides makes a new one, and goes on)
 *
 * The culprit's is the node's oldest work: nobody else's was there when it began. */
#include "queue_client.h"
#include "results.h"

#include <stdlib.h>

#define NEIGHBOURS   2
#define STREAMS      2 /* of a neighbour, and of the culprit */
#define CHAIN        5 /* submissions of a stream */
#define PAGE_BYTES   4096u
#define PART_WORDS   512u /* of a submission */
#define SLICE_BYTES  256u /* its commands */
#define BLOCK_BYTES  (STREAMS * CHAIN * PART_WORDS * 4)
#define BEGUN_NS     UINT64_C(1000000000)
#define STEP_NS      UINT64_C(100000)
#define SITE_STREAMS 60 /* plus the neighbour */

struct hang_scene {
    const struct drydock_workload_host *host;
    unsigned node;
    struct drydock_event *warm, *begun;
    bool told; /* that it has begun, or never will */
};

struct party {
    struct hang_scene *scene;
    unsigned index;
    struct addressed client;
    struct queue_stream streams[STREAMS];
    struct memory_block commands, block;
    uint32_t key;
};

/* ---- Work ---------------------------------------------------------------------------------- */

static bool open_party(struct party *party, bool *there)
{
    const unsigned flags = SOFTGPU_UMD_VIRTUAL_ONLY;

    if (!addressed_open(&party->client, party->scene->host, party->scene->node, there)) {
        return false;
    }
    bool good = addressed_block(&party->client, PAGE_BYTES * 2, flags | SOFTGPU_UMD_APERTURE_ONLY,
                                &party->commands) &&
                addressed_block(&party->client, BLOCK_BYTES, flags | SOFTGPU_UMD_APERTURE_ONLY,
                                &party->block);
    for (unsigned i = 0; good && i < STREAMS; i++) {
        good = stream_open(&party->streams[i], &party->client);
    }
    if (!good) {
        addressed_close(&party->client);
    }
    return good;
}

static unsigned part_of(unsigned stream, unsigned link)
{
    return stream * CHAIN + link;
}

/* Each fills a part of the block of its own with numbers that go up. */
static bool send_link(struct party *party, unsigned stream, unsigned link)
{
    struct queue_stream *to = &party->streams[stream];
    unsigned part = part_of(stream, link), begin = part * SLICE_BYTES;
    struct command_writer writer;

    (void)stream_next(to, 1);
    writer_begin(&writer, &party->client, &party->commands);
    writer.used_bytes = begin;
    writer_compute(
        &writer, &(struct compute_request){.kernel = SOFTGPU_KERNEL_IOTA,
                                           .count = PART_WORDS,
                                           .scalar = party->key + part,
                                           .result = party->block.address + part * PART_WORDS * 4});
    writer_fence(&writer, to->fence_address, to->value);
    unsigned size_bytes = writer.used_bytes - begin;
    return writer_close(&writer) && stream_submit(to, party->commands.address + begin, size_bytes);
}

static bool send_chains(struct party *party)
{
    const struct drydock_workload_host *host = party->scene->host;

    party->key = (uint32_t)host->random(host, SITE_STREAMS + party->index);
    for (unsigned link = 0; link < CHAIN; link++) {
        for (unsigned stream = 0; stream < STREAMS; stream++) {
            if (!send_link(party, stream, link)) {
                return false;
            }
        }
    }
    return true;
}

static bool wait_for_chains(struct party *party)
{
    for (unsigned i = 0; i < STREAMS; i++) {
        const struct queue_stream *stream = &party->streams[i];
        if (!addressed_wait_fence(&party->client, stream->fence, stream->value)) {
            return false;
        }
    }
    return true;
}

static bool compare(struct party *party, const char *when)
{
    const struct drydock_workload_host *host = party->scene->host;
    const uint32_t *words = addressed_lock(&party->client, &party->block);
    const unsigned count = STREAMS * CHAIN * PART_WORDS;
    unsigned wrong = 0, first = 0;

    for (unsigned i = 0; words && i < count; i++) {
        if (words[i] != party->key + i / PART_WORDS + i % PART_WORDS) {
            first = wrong++ ? first : i;
        }
    }
    if (words) {
        addressed_unlock(&party->client, &party->block);
    }
    if (wrong) {
        host->count(host, "hang.wrong_results", 1);
        host->fail(host,
                   "%u of %u words that hardware queues made %s are wrong, the first in submission "
                   "%u of queue %u of its process, though their progress fences have been written: "
                   "work was left out, or ran for a buffer that was another's",
                   wrong, count, when, first / PART_WORDS % CHAIN, first / PART_WORDS / CHAIN);
    }
    return words && !wrong;
}

/* ---- Neighbours ---------------------------------------------------------------------------- */

static bool work_once(struct party *party, const char *when)
{
    return send_chains(party) && wait_for_chains(party) && compare(party, when);
}

static bool is_innocent(struct party *party)
{
    const struct drydock_workload_host *host = party->scene->host;
    D3DKMT_DEVICEEXECUTION_STATE state = gpu_state(&party->client.gpu);

    if (state == D3DKMT_DEVICEEXECUTION_HUNG) {
        host->fail(host,
                   "a client whose hardware queues waited behind one that hung is told to be HUNG: "
                   "DxgkDdiResetHwEngine invalidated its context without CollateralDamage, or its "
                   "work was not run after DxgkDdiResumeHwEngine");
    }
    return state == D3DKMT_DEVICEEXECUTION_ACTIVE;
}

/* Its work was in the queues when the reset came. */
static void wait_behind(struct party *party)
{
    const struct drydock_workload_host *host = party->scene->host;
    bool there;

    party->client.gpu.may_be_lost = true;
    if (send_chains(party) && wait_for_chains(party) && is_innocent(party)) {
        host->count(host, "hang.queues_went_on", compare(party, "behind one that hung"));
        return;
    }
    if (host->failed(host) || is_innocent(party)) {
        return;
    }
    host->count(host, "hang.neighbour_devices_lost", 1);
    addressed_close(&party->client);
    if (open_party(party, &there)) {
        work_once(party, "after a reset, on a device that was made after it,");
    }
}

static void neighbour_run(void *argument)
{
    struct party *party = argument;
    struct hang_scene *scene = party->scene;
    bool there = false, opened = open_party(party, &there);
    bool good = opened && work_once(party, "before one hung");

    scene->host->event_signal(scene->host, scene->warm);
    scene->host->event_wait(scene->host, scene->begun, DRYDOCK_NEVER);
    if (good && !scene->host->failed(scene->host)) {
        wait_behind(party);
    }
    if (opened) {
        addressed_close(&party->client);
    }
}

/* ---- The culprit --------------------------------------------------------------------------- */

static void let_neighbours_go(struct hang_scene *scene)
{
    for (unsigned i = 0; i < NEIGHBOURS && !scene->told; i++) {
        scene->host->event_signal(scene->host, scene->begun);
    }
    scene->told = true;
}

/* A fence that the GPU writes before it hangs: the client sees it. */
static bool submit_hang(struct party *party, const volatile uint64_t **begun)
{
    struct gpu *gpu = &party->client.gpu;
    struct queue_stream *stream = &party->streams[0];
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {.hDevice = gpu->device,
                                                  .Info.Type = D3DDDI_MONITORED_FENCE};
    const unsigned begin = STREAMS * CHAIN * SLICE_BYTES;
    struct command_writer writer;

    if (!gpu_check(gpu, D3DKMTCreateSynchronizationObject2(&create),
                   "D3DKMTCreateSynchronizationObject2 of a monitored fence")) {
        return false;
    }
    *begun = create.Info.MonitoredFence.FenceValueCPUVirtualAddress;
    (void)stream_next(stream, 1);
    writer_begin(&writer, &party->client, &party->commands);
    writer.used_bytes = begin;
    writer_fence(&writer, create.Info.MonitoredFence.FenceValueGPUVirtualAddress, 1);
    writer_hang(&writer);
    writer_fence(&writer, stream->fence_address, stream->value);
    unsigned size_bytes = writer.used_bytes - begin;
    return writer_close(&writer) &&
           stream_submit(stream, party->commands.address + begin, size_bytes);
}

/* After the reset. */
static void check_verdict(struct party *party)
{
    const struct drydock_workload_host *host = party->scene->host;
    D3DKMT_DEVICEEXECUTION_STATE state = gpu_state(&party->client.gpu);
    struct queue_stream *stream = &party->streams[1];

    (void)stream_next(stream, 1);
    NTSTATUS status = stream_try_submit(stream, party->commands.address, SLICE_BYTES);
    if (state != D3DKMT_DEVICEEXECUTION_HUNG) {
        host->fail(host,
                   "the device of the client whose hardware queue never ends is told to be %s, and "
                   "not HUNG: DxgkDdiResetHwEngine called the damage of its context collateral, or "
                   "that of another context not (DXGK_INVALIDATEHWCONTEXTFLAGS.CollateralDamage)",
                   gpu_state_name(state));
    }
    if (status != STATUS_DEVICE_REMOVED) {
        host->fail(host,
                   "D3DKMTSubmitCommandToHwQueue on a lost device gives %s, not "
                   "STATUS_DEVICE_REMOVED",
                   host->status_name(host, status));
    }
    host->count(host, "hang.queues_hung", 1);
}

static void hang(struct party *party)
{
    const struct drydock_workload_host *host = party->scene->host;
    uint64_t until_ns = host->now_ns(host) + BEGUN_NS;
    const volatile uint64_t *begun = NULL;

    if (!work_once(party, "before they hung")) {
        return;
    }
    party->client.gpu.may_be_lost = true;
    if (!submit_hang(party, &begun)) {
        return;
    }
    while (*begun == 0 && host->now_ns(host) < until_ns) {
        host->sleep_until(host, host->now_ns(host) + STEP_NS);
    }
    for (unsigned link = 0; link < CHAIN; link++) {
        if (!send_link(party, 0, link) || !send_link(party, 1, link)) {
            break;
        }
    }
    let_neighbours_go(party->scene);
    addressed_wait_fence(&party->client, party->streams[0].fence, party->streams[0].value);
    if (!host->failed(host)) {
        check_verdict(party);
    }
}

static void culprit_run(void *argument)
{
    struct party *party = argument;
    struct hang_scene *scene = party->scene;
    bool there = false;

    if (open_party(party, &there)) {
        hang(party);
        addressed_close(&party->client);
    }
    let_neighbours_go(scene);
}

/* ---- The whole ----------------------------------------------------------------------------- */

static struct drydock_process *start(struct hang_scene *scene, struct party *party, bool culprit)
{
    const struct drydock_workload_host *host = scene->host;
    struct drydock_process *process =
        host->start_process(host, culprit ? "hang-culprit" : "hang-neighbour",
                            culprit ? culprit_run : neighbour_run, party);

    if (!process) {
        host->fail(host, "a client process cannot be started");
    }
    return process;
}

static void run_scene(struct hang_scene *scene, struct party *parties)
{
    const struct drydock_workload_host *host = scene->host;
    struct drydock_process *processes[NEIGHBOURS + 1] = {NULL};
    unsigned started = 0;

    for (; started < NEIGHBOURS; started++) {
        parties[started] = (struct party){.scene = scene, .index = started};
        processes[started] = start(scene, &parties[started], false);
        if (!processes[started]) {
            break;
        }
        host->event_wait(host, scene->warm, DRYDOCK_NEVER);
    }
    parties[NEIGHBOURS] = (struct party){.scene = scene, .index = NEIGHBOURS};
    processes[NEIGHBOURS] = host->failed(host) ? NULL : start(scene, &parties[NEIGHBOURS], true);
    if (!processes[NEIGHBOURS]) {
        let_neighbours_go(scene);
    }
    for (unsigned i = 0; i <= NEIGHBOURS; i++) {
        if (processes[i]) {
            host->join(host, processes[i]);
        }
    }
}

static bool has_queues(const struct drydock_workload_host *host, unsigned node)
{
    struct addressed client;
    struct queue_stream stream;
    bool there = false, has = false;

    if (addressed_open(&client, host, node, &there)) {
        has = !client.shared && stream_open(&stream, &client) && stream.queue != 0;
        addressed_close(&client);
    }
    return has;
}

void result_of_a_hung_queue(const struct drydock_workload_host *host, unsigned node)
{
    struct hang_scene scene = {.host = host, .node = node};
    struct party *parties;

    if (!has_queues(host, node)) {
        return;
    }
    parties = calloc(NEIGHBOURS + 1, sizeof *parties);
    scene.warm = host->event_create(host);
    scene.begun = host->event_create(host);
    if (parties && scene.warm && scene.begun) {
        run_scene(&scene, parties);
    } else {
        host->fail(host, "no memory");
    }
    if (scene.warm) {
        host->event_destroy(host, scene.warm);
    }
    if (scene.begun) {
        host->event_destroy(host, scene.begun);
    }
    free(parties);
}

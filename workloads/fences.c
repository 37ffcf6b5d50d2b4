/* fences: two processes that hand a number to and fro by two shared fences: signalled by the CPU,
 * by a context, and by commands where somebody knows them; waited for in a call, with an event, by
 * a context, and by the GPU itself where the fences are native.
 *
 *   process 0    signal "there" = n ────────> waits for "back" >= n
 *   process 1    waits for "there" >= n ──> signal "back" = n
 *
 * Once with monitored fences, and once with native ones, where the driver has them: numbers that
 * grow out of 32 bits. Of these a crowd is signalled by one buffer, too: more than anybody would
 * have a list for; and some by one call of the CPU's. */
#include "queue_client.h"
#include "workloads.h"

#define ROUNDS      12
#define PAGE_BYTES  4096u
#define BLOCK_BYTES (4 * PAGE_BYTES)
#define SITE_SIGNAL 0
#define SITE_WAIT   1
#define PATTERN     0x46454E43u /* "FENC" */
#define CROWD       48
#define TOGETHER    5
#define NEAR_32BITS 0xFFFFFFFAull /* the rounds lead beyond */

enum { THERE, BACK, FENCE_COUNT };
enum signal_way { BY_CPU, BY_CONTEXT, BY_COMMAND, SIGNAL_WAYS };
enum wait_way { IN_CALL, WITH_EVENT, ON_CONTEXT, BY_GPU, WAIT_WAYS };

struct opened {
    D3DKMT_HANDLE fence;
    const volatile uint64_t *value;
    uint64_t address, monitored; /* for commands; monitored: of a native fence */
};

struct game {
    const struct drydock_workload_host *host;
    HANDLE shared[FENCE_COUNT];
    unsigned node;
    bool native;
    uint64_t first; /* values begin behind it */
    bool over; /* one of them has ended early */
};

struct player {
    struct game *game;
    struct addressed client;
    struct opened fences[FENCE_COUNT];
    struct queue_stream stream; /* of the GPU's own waits, if it is a hardware queue */
    struct memory_block commands, waits, block;
    HANDLE event;
    unsigned index, rounds_done;
};

static bool check(struct player *player, NTSTATUS status, const char *what)
{
    return gpu_check(&player->client.gpu, status, what);
}

static bool knows_commands(const struct player *player)
{
    return player->game->host->capabilities & DRYDOCK_DRIVER_IS_SOFTGPU;
}

/* ---- Fences --------------------------------------------------------------------------------- */

static bool make_native(struct player *player, D3DKMT_HANDLE *fence, bool *there)
{
    D3DKMT_CREATENATIVEFENCE create = {.hDevice = player->client.gpu.device};

    create.Info.Flags.Shared = create.Info.Flags.NtSecuritySharing = 1;
    create.Info.InitialFenceValue = player->game->first;
    NTSTATUS status = D3DKMTCreateNativeFence(&create);
    *there = status != STATUS_NOT_SUPPORTED;
    *fence = create.hSyncObject;
    return *there && check(player, status, "D3DKMTCreateNativeFence");
}

static bool make_native_fence(struct player *player, HANDLE *shared)
{
    D3DKMT_HANDLE fence;
    bool there;

    return make_native(player, &fence, &there) &&
           check(player, D3DKMTShareObjects(1, &fence, NULL, 0, shared),
                 "D3DKMTShareObjects of a native fence");
}

static bool open_native_fence(struct player *player, HANDLE shared, struct opened *out)
{
    D3DKMT_OPENNATIVEFENCEFROMNTHANDLE open = {.hNtHandle = shared,
                                               .hDevice = player->client.gpu.device};

    open.Flags.Shared = open.Flags.NtSecuritySharing = 1;
    bool good = check(player, D3DKMTOpenNativeFenceFromNtHandle(&open),
                      "D3DKMTOpenNativeFenceFromNtHandle");
    *out = (struct opened){open.hSyncObject, open.NativeFenceMapping.CurrentValueCpuVa,
                           open.NativeFenceMapping.CurrentValueGpuVa,
                           open.NativeFenceMapping.MonitoredValueGpuVa};
    return good;
}

static bool make_fence(struct player *player, HANDLE *shared)
{
    if (player->game->native) {
        return make_native_fence(player, shared);
    }
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {.hDevice = player->client.gpu.device,
                                                  .Info.Type = D3DDDI_MONITORED_FENCE};

    create.Info.Flags.Shared = create.Info.Flags.NtSecuritySharing = 1;
    return check(player, D3DKMTCreateSynchronizationObject2(&create),
                 "D3DKMTCreateSynchronizationObject2 of a shared monitored fence") &&
           check(player, D3DKMTShareObjects(1, &create.hSyncObject, NULL, 0, shared),
                 "D3DKMTShareObjects of a fence");
}

static bool open_fence(struct player *player, HANDLE shared, struct opened *out)
{
    if (player->game->native) {
        return open_native_fence(player, shared, out);
    }
    D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 open = {.hNtHandle = shared,
                                               .hDevice = player->client.gpu.device};

    open.Flags.Shared = open.Flags.NtSecuritySharing = 1;
    bool good = check(player, D3DKMTOpenSyncObjectFromNtHandle2(&open),
                      "D3DKMTOpenSyncObjectFromNtHandle2");
    *out = (struct opened){open.hSyncObject, open.MonitoredFence.FenceValueCPUVirtualAddress,
                           open.MonitoredFence.FenceValueGPUVirtualAddress, 0};
    return good;
}

/* ---- Signals -------------------------------------------------------------------------------- */

static bool signal_by_cpu(struct player *player, const struct opened *fence, uint64_t value)
{
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU signal = {.hDevice = player->client.gpu.device,
                                                              .ObjectCount = 1,
                                                              .ObjectHandleArray = &fence->fence,
                                                              .FenceValueArray = &value};

    return check(player, D3DKMTSignalSynchronizationObjectFromCpu(&signal),
                 "D3DKMTSignalSynchronizationObjectFromCpu");
}

static bool signal_by_context(struct player *player, const struct opened *fence, uint64_t value)
{
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU signal = {.hContext = player->client.context,
                                                              .ObjectCount = 1,
                                                              .ObjectHandleArray = &fence->fence,
                                                              .MonitoredFenceValueArray = &value};

    return check(player, D3DKMTSignalSynchronizationObjectFromGpu(&signal),
                 "D3DKMTSignalSynchronizationObjectFromGpu");
}

/* Behind some other work: who sees the value sees that, too. */
static bool signal_by_command(struct player *player, const struct opened *fence, uint64_t value)
{
    struct command_writer writer;

    if (!addressed_wait(&player->client)) { /* the commands of the round before */
        return false;
    }
    writer_begin(&writer, &player->client, &player->commands);
    writer_fill(&writer, player->block.address, BLOCK_BYTES, PATTERN + (uint32_t)value);
    if (fence->monitored) {
        writer_signal(&writer, fence->address, fence->monitored, value);
    } else {
        writer_fence(&writer, fence->address, value);
    }
    player->game->host->count(player->game->host, "fences.written", 1);
    return writer_end(&writer);
}

static bool signal(struct player *player, unsigned which, uint64_t value)
{
    const struct opened *fence = &player->fences[which];
    unsigned ways = fence->address && player->block.address ? SIGNAL_WAYS : BY_COMMAND;

    switch (player->game->host->random(player->game->host, SITE_SIGNAL) % ways) {
    case BY_CPU:
        return signal_by_cpu(player, fence, value);
    case BY_CONTEXT:
        return signal_by_context(player, fence, value);
    default:
        return signal_by_command(player, fence, value);
    }
}

/* ---- Waits ---------------------------------------------------------------------------------- */

static bool wait_for_event(struct player *player)
{
    return check(player,
                 drydock_wait_event(&(struct drydock_event_wait){player->event, UINT64_MAX}),
                 "drydock_wait_event");
}

/* For any of two, where the other one cannot come. */
static bool wait_with_event(struct player *player, const struct opened *fence, uint64_t value)
{
    const D3DKMT_HANDLE fences[] = {player->client.fence, fence->fence};
    const UINT64 values[] = {player->client.last_value + 1, value};
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait = {.hDevice = player->client.gpu.device,
                                                       .ObjectCount = 2,
                                                       .ObjectHandleArray = fences,
                                                       .FenceValueArray = values,
                                                       .hAsyncEvent = player->event};

    wait.Flags.WaitAny = 1;
    return check(player, D3DKMTWaitForSynchronizationObjectFromCpu(&wait),
                 "D3DKMTWaitForSynchronizationObjectFromCpu with an event") &&
           wait_for_event(player);
}

/* The context waits, and sets the event when it goes on. */
static bool wait_on_context(struct player *player, const struct opened *fence, uint64_t value)
{
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU wait = {.hContext = player->client.context,
                                                             .ObjectCount = 1,
                                                             .ObjectHandleArray = &fence->fence,
                                                             .MonitoredFenceValueArray = &value};
    D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2 set = {.BroadcastContextCount = 1,
                                                      .BroadcastContextArray =
                                                          &player->client.context,
                                                      .CpuEventHandle = player->event};

    set.Flags.EnqueueCpuEvent = 1;
    return check(player, D3DKMTWaitForSynchronizationObjectFromGpu(&wait),
                 "D3DKMTWaitForSynchronizationObjectFromGpu") &&
           check(player, D3DKMTSignalSynchronizationObjectFromGpu2(&set),
                 "D3DKMTSignalSynchronizationObjectFromGpu2 with an event") &&
           wait_for_event(player);
}

/* In the middle of a buffer; its queue's fence says that the GPU has gone on. */
static bool wait_by_gpu(struct player *player, const struct opened *fence, uint64_t value)
{
    struct command_writer writer;

    stream_next(&player->stream, 1);
    writer_begin(&writer, &player->client, &player->waits);
    writer_wait(&writer, fence->address, value);
    writer_fence(&writer, player->stream.fence_address, player->stream.value);
    unsigned size_bytes = writer.used_bytes;
    player->game->host->count(player->game->host, "fences.waits_of_the_gpu", 1);
    return writer_close(&writer) &&
           stream_submit(&player->stream, player->waits.address, size_bytes) &&
           addressed_wait_fence(&player->client, player->stream.fence, player->stream.value);
}

static bool wait_for(struct player *player, unsigned which, uint64_t value)
{
    const struct drydock_workload_host *host = player->game->host;
    const struct opened *fence = &player->fences[which];
    unsigned ways = player->stream.queue && fence->monitored ? WAIT_WAYS : BY_GPU;
    bool good;

    switch (host->random(host, SITE_WAIT) % ways) {
    case IN_CALL:
        good = addressed_wait_fence(&player->client, fence->fence, value);
        break;
    case WITH_EVENT:
        good = wait_with_event(player, fence, value);
        break;
    case ON_CONTEXT:
        good = wait_on_context(player, fence, value);
        break;
    default:
        good = wait_by_gpu(player, fence, value);
        break;
    }
    good = good && check(player,
                         gpu_state(&player->client.gpu) == D3DKMT_DEVICEEXECUTION_ACTIVE
                             ? STATUS_SUCCESS
                             : STATUS_DEVICE_REMOVED,
                         "waiting for a fence");
    if (good && *fence->value < value) {
        host->fail(host, "process %u: a wait for the value %llu of a fence was over at %llu",
                   player->index, (unsigned long long)value, (unsigned long long)*fence->value);
        good = false;
    }
    return good;
}

/* ---- Processes ------------------------------------------------------------------------------ */

static bool set_up(struct player *player)
{
    struct drydock_client_event event = {.automatic = TRUE};
    const unsigned flags = SOFTGPU_UMD_VIRTUAL_ONLY;
    bool good = check(player, drydock_create_event(&event), "drydock_create_event");

    player->event = event.hEvent;
    if (good && knows_commands(player) && player->client.writes_fences) {
        good = addressed_block(&player->client, PAGE_BYTES, flags | SOFTGPU_UMD_APERTURE_ONLY,
                               &player->commands) &&
               addressed_block(&player->client, PAGE_BYTES, flags | SOFTGPU_UMD_APERTURE_ONLY,
                               &player->waits) &&
               addressed_block(&player->client, BLOCK_BYTES, flags, &player->block) &&
               (!player->game->native || stream_open(&player->stream, &player->client));
    }
    for (unsigned i = 0; good && i < FENCE_COUNT; i++) {
        good = open_fence(player, player->game->shared[i], &player->fences[i]);
    }
    return good;
}

static bool play(struct player *player)
{
    for (unsigned round = 1; round <= ROUNDS && !player->game->over; round++) {
        uint64_t value = player->game->first + round;
        bool good = player->index == 0
                        ? signal(player, THERE, value) && wait_for(player, BACK, value)
                        : wait_for(player, THERE, value) && signal(player, BACK, value);
        if (!good) {
            return false;
        }
        player->rounds_done++;
    }
    return true;
}

/* Whatever became of this process, nobody waits for it any more. */
static void let_other_go(struct player *player)
{
    const struct opened *fence = &player->fences[player->index == 0 ? THERE : BACK];
    UINT64 value = player->game->first + ROUNDS;
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU signal = {.hDevice = player->client.gpu.device,
                                                              .ObjectCount = 1,
                                                              .ObjectHandleArray = &fence->fence,
                                                              .FenceValueArray = &value};

    if (player->rounds_done < ROUNDS) {
        player->game->over = true;
        if (fence->fence) {
            (void)D3DKMTSignalSynchronizationObjectFromCpu(&signal);
        }
    }
}

static void go_through(struct player *player)
{
    const struct drydock_workload_host *host = player->game->host;

    if (set_up(player) && play(player)) {
        (void)addressed_wait(&player->client);
    }
    let_other_go(player);
    host->count(host, "fences.rounds", player->rounds_done);
    if (player->event) {
        (void)drydock_close_handle(&(struct drydock_handle){player->event});
    }
}

static void other_process(void *argument)
{
    struct player *player = argument;
    bool there;

    if (!addressed_open(&player->client, player->game->host, player->game->node, &there)) {
        player->game->over = true;
        return;
    }
    go_through(player);
    addressed_close(&player->client);
}

static void run_game(struct game *game, struct player *first)
{
    const struct drydock_workload_host *host = game->host;
    struct player second = {.game = game, .index = 1};

    if (make_fence(first, &game->shared[THERE]) && make_fence(first, &game->shared[BACK])) {
        struct drydock_process *other = host->start_process(host, "fences", other_process, &second);
        if (other) {
            go_through(first);
            host->join(host, other);
        }
    }
    for (unsigned i = 0; i < FENCE_COUNT; i++) {
        if (game->shared[i]) {
            (void)drydock_close_handle(&(struct drydock_handle){game->shared[i]});
        }
    }
}

/* ---- Many at once --------------------------------------------------------------------------- */

struct one_of_many {
    D3DKMT_CREATENATIVEFENCE native;
    HANDLE event;
};

/* Each with an event of its own: of a wait for all of several the kernel looks for one at a time.
 */
static bool expect_one(struct player *player, UINT64 value, struct one_of_many *one)
{
    struct drydock_client_event event = {.automatic = TRUE};

    one->native = (D3DKMT_CREATENATIVEFENCE){.hDevice = player->client.gpu.device};
    if (!check(player, drydock_create_event(&event), "drydock_create_event") ||
        !check(player, D3DKMTCreateNativeFence(&one->native),
               "D3DKMTCreateNativeFence of one of many")) {
        return false;
    }
    one->event = event.hEvent;
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait = {.hDevice = player->client.gpu.device,
                                                             .ObjectCount = 1,
                                                             .ObjectHandleArray =
                                                                 &one->native.hSyncObject,
                                                             .FenceValueArray = &value,
                                                             .hAsyncEvent = one->event};
    return check(player, D3DKMTWaitForSynchronizationObjectFromCpu(&wait),
                 "D3DKMTWaitForSynchronizationObjectFromCpu for one of many native fences");
}

static void forget_all(struct player *player, const struct one_of_many *fences, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (fences[i].event) {
            (void)drydock_close_handle(&(struct drydock_handle){fences[i].event});
        }
    }
    player->event = NULL;
}

/* All of them in one buffer, behind which nothing comes that anybody would be told of. */
static bool signal_crowd(struct player *player)
{
    struct one_of_many crowd[CROWD] = {0};
    struct command_writer writer;
    bool good = true;

    for (unsigned i = 0; good && i < CROWD; i++) {
        good = expect_one(player, 1, &crowd[i]);
    }
    writer_begin(&writer, &player->client, &player->commands);
    for (unsigned i = 0; good && i < CROWD; i++) {
        const D3DDDI_NATIVEFENCEMAPPING *mapping = &crowd[i].native.Info.NativeFenceMapping;
        writer_signal(&writer, mapping->CurrentValueGpuVa, mapping->MonitoredValueGpuVa, 1);
    }
    good = good && writer_end(&writer);
    for (unsigned i = 0; good && i < CROWD; i++) {
        player->event = crowd[i].event;
        good = wait_for_event(player);
    }
    forget_all(player, crowd, CROWD);
    return good && addressed_wait(&player->client);
}

/* Of each another value, and each is waited for. */
static bool signal_together(struct player *player)
{
    const struct drydock_workload_host *host = player->game->host;
    struct one_of_many fences[TOGETHER] = {0};
    D3DKMT_HANDLE handles[TOGETHER];
    UINT64 values[TOGETHER];
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU signal = {.hDevice = player->client.gpu.device,
                                                              .ObjectCount = TOGETHER,
                                                              .ObjectHandleArray = handles,
                                                              .FenceValueArray = values};
    bool good = true;

    for (unsigned i = 0; good && i < TOGETHER; i++) {
        values[i] = NEAR_32BITS + i * 3;
        good = expect_one(player, values[i], &fences[i]);
        handles[i] = fences[i].native.hSyncObject;
    }
    good = good && check(player, D3DKMTSignalSynchronizationObjectFromCpu(&signal),
                         "D3DKMTSignalSynchronizationObjectFromCpu of several native fences");
    for (unsigned i = 0; good && i < TOGETHER; i++) {
        const volatile UINT64 *value = fences[i].native.Info.NativeFenceMapping.CurrentValueCpuVa;
        player->event = fences[i].event;
        good = wait_for_event(player);
        if (good && *value < values[i]) { /* of a lost device it is the largest */
            host->fail(host, "native fence %u of %u of one call has %llu, not %llu", i, TOGETHER,
                       (unsigned long long)*value, (unsigned long long)values[i]);
            good = false;
        }
    }
    forget_all(player, fences, TOGETHER);
    return good;
}

static bool run_crowd(const struct drydock_workload_host *host, unsigned node)
{
    struct game game = {.host = host, .node = node, .native = true};
    struct player player = {.game = &game};
    D3DKMT_HANDLE fence;
    bool there;

    if (!addressed_open(&player.client, host, node, &there)) {
        return !there;
    }
    bool good = make_native(&player, &fence, &there) && signal_together(&player);
    if (good && knows_commands(&player) && player.client.writes_fences) {
        good = addressed_block(&player.client, PAGE_BYTES,
                               SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_APERTURE_ONLY,
                               &player.commands) &&
               signal_crowd(&player);
        host->count(host, "fences.crowds", good);
    }
    addressed_close(&player.client);
    return good || !there;
}

/* Each with a device of its own. */
static bool run_on(const struct drydock_workload_host *host, unsigned node, bool native)
{
    struct game game = {
        .host = host, .node = node, .native = native, .first = native ? NEAR_32BITS : 0};
    struct player first = {.game = &game};
    D3DKMT_HANDLE fence;
    bool there;

    if (!addressed_open(&first.client, host, node, &there)) {
        return there;
    }
    if (!native || make_native(&first, &fence, &there)) {
        run_game(&game, &first);
        host->count(host, native ? "fences.native_games" : "fences.games", 1);
    }
    addressed_close(&first.client);
    return true;
}

/* On the first node where the driver has contexts with addresses; of the software GPU where its
 * queues are. */
static void run(const struct drydock_workload_host *host)
{
    unsigned count = gpu_node_count(host), node = 0;

    if (host->capabilities & DRYDOCK_DRIVER_IS_SOFTGPU && count > SOFTGPU_ENGINE_COMPUTE) {
        node = SOFTGPU_ENGINE_COMPUTE;
    }
    for (; node < count && !host->failed(host); node++) {
        if (run_on(host, node, false)) {
            if (!host->failed(host)) {
                (void)(run_on(host, node, true) && !host->failed(host) && run_crowd(host, node));
            }
            return;
        }
    }
}

const struct drydock_workload workload_fences = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "fences",
    .description = "two processes that hand numbers on by fences, of CPU, contexts and commands",
    .run = run,
};

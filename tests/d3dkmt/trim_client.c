/* Clients that are told to trim: by how much, when, in which order; and routines that end what they
 * are told for. See trim_client.h. */
#include "trim_client.h"

#include "addressed.h"
#include "hostile_support.h"

#define BLOCK_BYTES (UINT64_C(5) << 20) /* two are more than half of 16 MiB */
#define SMALL_BYTES (UINT64_C(64) << 10)
#define PERIODS     8
#define MILLISECOND UINT64_C(1000000)
#define FLAGS       (SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_VRAM_ONLY)

static void expect_that(bool holds, const char *what, int line)
{
    if (!holds) {
        host->fail(host, "trim_client.c:%d: %s does not hold", line, what);
    }
}
#define HOLDS_TRUE(condition) expect_that(condition, #condition, __LINE__)

/* What a routine was told, and what it does for it. */
struct told {
    struct addressed *client;
    struct memory_block *victim; /* evicted when the client is over its share; or NULL */
    void *handle;                /* not NULL: it unregisters itself and ends its device */
    uint64_t sleep_ns;
    unsigned calls, restarts, periods, budgets;
    uint64_t bytes;
};

static struct addressed client, second;
static struct memory_block blocks[2], small, commands;

static void APIENTRY hear(D3DKMT_TRIMNOTIFICATION *notice);

static D3DKMT_REGISTERTRIMNOTIFICATION arguments_of(struct told *told)
{
    return (D3DKMT_REGISTERTRIMNOTIFICATION){
        .AdapterLuid = {host->adapter_luid_low, host->adapter_luid_high},
        .hDevice = told->client->gpu.device,
        .Callback = hear,
        .Context = told,
    };
}

static void *register_it(struct told *told)
{
    D3DKMT_REGISTERTRIMNOTIFICATION arguments = arguments_of(told);

    EXPECT(STATUS_SUCCESS, D3DKMTRegisterTrimNotification(&arguments));
    return arguments.Handle;
}

static NTSTATUS unregister(void *handle)
{
    return D3DKMTUnregisterTrimNotification(
        &(D3DKMT_UNREGISTERTRIMNOTIFICATION){.Handle = handle, .Callback = hear});
}

static void APIENTRY hear(D3DKMT_TRIMNOTIFICATION *notice)
{
    struct told *told = notice->Context;

    told->calls++;
    told->restarts += notice->Flags.RestartPeriodicTrim;
    told->periods += notice->Flags.PeriodicTrim;
    HOLDS_TRUE(!notice->Flags.PeriodicTrim || !notice->Flags.RestartPeriodicTrim);
    HOLDS_TRUE(notice->Flags.Value != 0 && notice->Flags.Reserved == 0);
    HOLDS_TRUE((notice->NumBytesToTrim > 0) == notice->Flags.TrimToBudget);
    if (notice->Flags.TrimToBudget) {
        told->budgets++;
        told->bytes = notice->NumBytesToTrim;
        if (told->victim) {
            HOLDS_TRUE(addressed_evict(told->client, told->victim, 1));
        }
    }
    if (told->handle) {
        EXPECT(STATUS_SUCCESS, unregister(told->handle));
        addressed_close(told->client);
    }
    if (told->sleep_ns) {
        host->sleep_until(host, host->now_ns(host) + told->sleep_ns);
    }
}

/* ---- Somebody else ------------------------------------------------------------------------- */

static struct {
    struct drydock_event *go; /* ends */
    unsigned periods;         /* works before that */
    bool there;
} other;

static bool fill(struct addressed *whose, const struct memory_block *where,
                 const struct memory_block *list)
{
    struct command_writer writer;

    writer_begin(&writer, whose, list);
    writer_fill(&writer, where->address, 4096, 0x5A5A5A5A);
    return writer_end(&writer) && addressed_wait(whose);
}

/* Has a share while it is there; its last routine runs still when its only thread has ended. */
static void neighbour(void *argument)
{
    struct addressed own;
    struct memory_block block, list;
    bool there;

    HOLDS_TRUE(addressed_open(&own, host, SOFTGPU_ENGINE_COMPUTE, &there));
    struct told told = {.client = &own, .sleep_ns = MILLISECOND};
    if (other.periods > 0) {
        register_it(&told);
        HOLDS_TRUE(addressed_block(&own, BLOCK_BYTES, FLAGS, &block) &&
                   addressed_block(&own, 4096, SOFTGPU_UMD_VIRTUAL_ONLY, &list));
    }
    for (unsigned i = 0; i < other.periods; i++) {
        other.there = true;
        HOLDS_TRUE(fill(&own, &block, &list));
        host->sleep_until(host, host->now_ns(host) + 15 * MILLISECOND);
    }
    other.there = true;
    host->event_wait(host, other.go, DRYDOCK_NEVER);
    if (other.periods > 0) {
        HOLDS_TRUE(told.calls > 0);
        HOLDS_TRUE(fill(&own, &block, &list)); /* something to be told of */
    }
}

static struct drydock_process *neighbour_comes(unsigned periods)
{
    other.periods = periods;
    other.there = false;
    struct drydock_process *process = host->start_process(host, "neighbour", neighbour, NULL);
    while (!other.there) {
        host->yield(host);
    }
    return process;
}

static void neighbour_goes(struct drydock_process *process)
{
    host->event_signal(host, other.go);
    host->join(host, process);
}

/* ---- What is told --------------------------------------------------------------------------- */

static void refuse(struct told *told)
{
    D3DKMT_REGISTERTRIMNOTIFICATION bad[] = {arguments_of(told), arguments_of(told),
                                             arguments_of(told), arguments_of(told)};
    void *handle = register_it(told);

    bad[0].hDevice = client.queue;
    bad[1].Callback = NULL;
    bad[2].AdapterLuid.LowPart++;
    bad[3].AdapterLuid.HighPart++;
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        EXPECT(STATUS_INVALID_PARAMETER, D3DKMTRegisterTrimNotification(&bad[i]));
        HOLDS_TRUE(bad[i].Handle == NULL);
    }
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTRegisterTrimNotification((void *)8));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTRegisterTrimNotification(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTUnregisterTrimNotification(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, unregister(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, unregister((void *)(uintptr_t)client.gpu.device));
    EXPECT(STATUS_INVALID_PARAMETER, unregister((void *)((uintptr_t)handle | (uintptr_t)1 << 32)));
    EXPECT(STATUS_INVALID_PARAMETER,
           D3DKMTUnregisterTrimNotification(
               &(D3DKMT_UNREGISTERTRIMNOTIFICATION){.Handle = handle, .Callback = NULL}));
    EXPECT(STATUS_SUCCESS, unregister(handle));
    EXPECT(STATUS_INVALID_PARAMETER, unregister(handle));
}

static uint64_t budget(void)
{
    D3DKMT_QUERYVIDEOMEMORYINFO info = {.hAdapter = client.gpu.adapter,
                                        .MemorySegmentGroup = D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL};

    EXPECT(STATUS_SUCCESS, D3DKMTQueryVideoMemoryInfo(&info));
    return info.Budget;
}

static void hear_of_a_smaller_share(void)
{
    struct told told = {.client = &client, .victim = &blocks[1]}, idle = {.client = &second};
    void *handle = register_it(&told), *none = register_it(&idle);

    host->sleep_until(host, host->now_ns(host) + 100 * MILLISECOND);
    HOLDS_TRUE(told.calls == 0); /* all is its own */
    struct drydock_process *process = neighbour_comes(0);
    while (told.budgets == 0) {
        host->yield(host);
    }
    host->sleep_until(host, host->now_ns(host) + MILLISECOND);
    HOLDS_TRUE(told.budgets == 1 && told.bytes == 2 * BLOCK_BYTES + SMALL_BYTES - budget());
    HOLDS_TRUE(idle.calls == 0); /* it has nothing in place, and then nothing is too much */
    EXPECT(STATUS_SUCCESS, unregister(none));
    EXPECT(STATUS_SUCCESS, unregister(handle));
    neighbour_goes(process);
    HOLDS_TRUE(addressed_reside(&client, &blocks[1], 1));
}

/* A routine may end what it is told for; another one, unregistered, hears nothing. */
static void end_while_being_told(void)
{
    struct told ends = {.client = &second}, gone = {.client = &client};

    EXPECT(STATUS_SUCCESS, unregister(register_it(&gone)));
    HOLDS_TRUE(addressed_block(&second, SMALL_BYTES, FLAGS, &small));
    ends.handle = register_it(&ends);
    struct drydock_process *process = neighbour_comes(0);
    while (ends.budgets == 0) {
        host->yield(host);
    }
    host->sleep_until(host, host->now_ns(host) + MILLISECOND);
    HOLDS_TRUE(ends.calls == 1 && gone.calls == 0);
    EXPECT(STATUS_INVALID_PARAMETER, unregister(ends.handle));
    neighbour_goes(process);
}

/* Two take the memory from each other: now and then both hear of it. */
static void hear_of_pressure(void)
{
    struct told told = {.client = &client};

    register_it(&told);
    struct drydock_process *process = neighbour_comes(PERIODS);
    for (unsigned i = 0; i < PERIODS; i++) {
        HOLDS_TRUE(fill(&client, &blocks[0], &commands));
        host->sleep_until(host, host->now_ns(host) + 15 * MILLISECOND);
    }
    HOLDS_TRUE(told.restarts == 1 && told.periods > 0 && told.budgets > 0);
    neighbour_goes(process);
}

static void run(const struct drydock_workload_host *given)
{
    bool there;

    hostile_host = given;
    other.go = host->event_create(host);
    if (!addressed_open(&client, given, SOFTGPU_ENGINE_COMPUTE, &there) ||
        !addressed_open(&second, given, SOFTGPU_ENGINE_COMPUTE, &there)) {
        return;
    }
    HOLDS_TRUE(addressed_block(&client, BLOCK_BYTES, FLAGS, &blocks[0]) &&
               addressed_block(&client, BLOCK_BYTES, FLAGS, &blocks[1]) &&
               addressed_block(&client, SMALL_BYTES, FLAGS, &commands));
    refuse(&(struct told){.client = &client});
    hear_of_a_smaller_share();
    end_while_being_told();
    hear_of_pressure();
    host->event_destroy(host, other.go);
    addressed_close(&client);
}

const struct drydock_workload trim_client = {.abi = DRYDOCK_WORKLOAD_ABI,
                                             .name = "trim client",
                                             .description = "clients that are told to trim",
                                             .run = run};

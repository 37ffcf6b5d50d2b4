/* Events of a computer's life that a calm run does without: lives of the device before the one that
 * counts, and what happens to an adapter while nobody works with it. */
#include "host/internal.h"

#include <limits.h>
#include <string.h>

#define ATTEMPTS_MAX  48 /* starts that fail, each at another request */
#define RESET_WAIT_NS (1 * NS_PER_S)
#define RESETS_MAX    2 /* further ones could look like an adapter that is broken */
#define ESCAPE_BYTES  64

/* Of what comes in the middle of a workload, and between two. */
#define EVENTS_MAX  4
#define WITHIN_NS   (100 * NS_PER_MS) /* of the beginning of a workload, or of the event before */
#define PATIENCE_NS (20 * NS_PER_MS)
#define ATTEMPTS    25

/* ---- Starts that fail ------------------------------------------------------------------------ */

/* The request of the driver, counted from 1 in each attempt, that fails; 0: none. */
static struct {
    unsigned fails, asked;
    bool came;
} failure_at;

static bool start_fails(void)
{
    if (!failure_at.fails || ++failure_at.asked != failure_at.fails) {
        return false;
    }
    vary_happened(VARY_FAILED_STARTS);
    return failure_at.came = true;
}

/* In hardware context there is no current DDI. */
bool host_fails_allocation(void *ctx, uint32_t tag, size_t size, const void *caller)
{
    switch (ddi_current_point()) {
    case POINT_AddDevice:
    case POINT_StartDevice:
        return start_fails();
    case POINT_CreateDevice:
    case POINT_CreateContext:
    case POINT_CreateAllocation:
    case POINT_OpenAllocation:
        return vary_happens(VARY_SHORT_MEMORY, 6);
    default:
        return false;
    }
}

static void live_shortly(void)
{
    struct dxgk_failure failure;

    if (NT_SUCCESS(host_start_adapter(&failure, NULL))) {
        dxgk_adapter_stop(host.adapter);
        host.adapter = NULL;
    }
    host_remove_device();
}

static void fail_starts(void)
{
    failure_at.came = true;
    for (unsigned i = 1; failure_at.came && i <= ATTEMPTS_MAX; i++) {
        failure_at.fails = i;
        failure_at.asked = 0;
        failure_at.came = false;
        live_shortly();
    }
    failure_at.fails = 0;
}

void host_live_before(void)
{
    if (vary_on(VARY_FAILED_STARTS)) {
        fail_starts();
    }
    if (vary_happens(VARY_SECOND_START, 1)) {
        live_shortly();
    }
}

/* ---- Sleep, monitors ------------------------------------------------------------------------- */

static struct {
    struct task *task;
    struct wait_queue ended;
    unsigned sleeps, rests, plugs; /* of the whole run */
    bool stop, has_ended;
} events;

static bool sleeps_again(void)
{
    return events.sleeps < EVENTS_MAX && vary_on(VARY_SLEEP);
}

static bool plugs_again(void)
{
    return events.plugs < EVENTS_MAX && vary_on(VARY_HOT_PLUG);
}

static bool sleep_once(uint64_t patience_ns)
{
    uint64_t activity = 0;

    if (!dxgk_adapter_sleep(host.adapter, machine_now_ns() + patience_ns, &activity)) {
        return false;
    }
    vary_happened(VARY_SLEEP);
    events.sleeps++;
    if (activity > 0) {
        host_finding("DEVICE", "a device at rest after DxgkDdiSetPowerState to D3", false, 0, NULL,
                     "it raised interrupts or accessed memory %llu times while it was in D3",
                     (unsigned long long)activity);
    }
    return true;
}

static bool monitors_rest_again(void)
{
    return events.rests < EVENTS_MAX && vary_on(VARY_MONITOR_SLEEP);
}

static bool rest_once(uint64_t patience_ns)
{
    if (!dxgk_adapter_rest_monitors(host.adapter, machine_now_ns() + patience_ns)) {
        return false;
    }
    vary_happened(VARY_MONITOR_SLEEP);
    events.rests++;
    return true;
}

static bool plug_once(uint64_t patience_ns)
{
    unsigned which = (unsigned)vary_below(VARY_HOT_PLUG, 2);

    if (!dxgk_adapter_replug(host.adapter, which, machine_now_ns() + patience_ns)) {
        return false;
    }
    vary_happened(VARY_HOT_PLUG);
    events.plugs++;
    return true;
}

/* At a moment that the seed chooses, or soon after, when all rests. */
static void try_within(enum variation variation, bool (*once)(uint64_t patience_ns))
{
    task_block(machine_now_ns() + vary_below(variation, WITHIN_NS));
    for (unsigned i = 0; !events.stop && i < ATTEMPTS && !once(PATIENCE_NS); i++) {
        task_block(machine_now_ns() + PATIENCE_NS);
    }
}

/* In the middle of a workload. */
static void interfere(void *argument)
{
    if (sleeps_again()) {
        try_within(VARY_SLEEP, sleep_once);
    }
    if (monitors_rest_again()) {
        try_within(VARY_MONITOR_SLEEP, rest_once);
    }
    if (plugs_again()) {
        try_within(VARY_HOT_PLUG, plug_once);
    }
    events.has_ended = true;
    wait_queue_wake(&events.ended, UINT_MAX);
}

void host_workload_begins(void)
{
    const struct task_options options = {.name = "events", .stack_bytes = 1u << 20};

    if (!sleeps_again() && !monitors_rest_again() && !plugs_again()) {
        return;
    }
    events.stop = events.has_ended = false;
    wait_queue_init(&events.ended);
    NTSTATUS status = task_create(&options, interfere, NULL, &events.task);
    CHECK_THAT(NT_SUCCESS(status));
}

void host_workload_ended(void)
{
    if (!events.task) {
        return;
    }
    events.stop = true;
    task_wake(events.task);
    while (!events.has_ended) {
        wait_queue_wait(&events.ended, MACHINE_NEVER);
    }
    task_put(events.task);
    events.task = NULL;
}

/* ---- Between two workloads ------------------------------------------------------------------- */

static uint64_t resets(void)
{
    struct dxgk_totals totals;

    dxgk_adapter_totals(host.adapter, &totals);
    return totals.resets;
}

static void reset_idle(void)
{
    static unsigned count;
    unsigned resets_max = vary_on(VARY_STILL_DEVICE) ? RESETS_MAX - 1 : RESETS_MAX;
    uint64_t before = resets(), deadline_ns = machine_now_ns() + RESET_WAIT_NS;

    if (!host.driver.table.DxgkDdiResetFromTimeout ||
        !host.driver.table.DxgkDdiRestartFromTimeout || count == resets_max ||
        !vary_happens(VARY_IDLE_RESET, 1)) {
        return;
    }
    count++;
    dxgk_adapter_force_reset(host.adapter);
    while (resets() == before && machine_now_ns() < deadline_ns) {
        task_block(machine_now_ns() + NS_PER_MS);
    }
    dxgk_adapter_wait_idle(host.adapter, deadline_ns);
}

/* Of one size after the other, each at the end of what may be read. */
static void escape_nonsense(void)
{
    static const UINT sizes[] = {0, 1, 4, 8, 16, 24, ESCAPE_BYTES, ESCAPE_BYTES * 8};
    bool zeros = vary_below(VARY_ODD_QUESTIONS, 2) == 0;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t *bytes = sizes[i] > 0 ? nt_memory_hand(sizes[i], "a client's Escape") : NULL;
        struct dxgk_escape_request request = {
            .private_data = bytes,
            .private_size = bytes ? sizes[i] : 0,
        };
        for (UINT at = 0; at < request.private_size; at++) {
            bytes[at] = zeros ? 0 : (uint8_t)vary_below(VARY_ODD_QUESTIONS, 256);
        }
        dxgk_escape(host.adapter, &request);
        if (bytes) {
            nt_memory_free(bytes);
        }
    }
}

void host_pause_between(void)
{
    while (dxgk_adapter_stands_still(host.adapter)) {
        task_block(machine_now_ns() + NS_PER_MS);
    }
    if (host.adapter && vary_happens(VARY_ODD_QUESTIONS, 1)) {
        dxgk_adapter_ask(host.adapter);
        escape_nonsense();
    }
    if (host.adapter) {
        reset_idle();
    }
    if (host.adapter && sleeps_again()) {
        sleep_once(PATIENCE_NS);
    }
    if (host.adapter && plugs_again()) {
        plug_once(PATIENCE_NS);
    }
}

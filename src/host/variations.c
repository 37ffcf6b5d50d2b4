/* Events of a computer's life that a calm run does without: what happens to an adapter while
 * clients work with it, and while nobody does. */
#include "host/internal.h"

#include <limits.h>
#include <string.h>

#define RESET_WAIT_NS (1 * NS_PER_S)
#define RESETS_MAX    2 /* further ones could look like an adapter that is broken */
#define ESCAPE_BYTES  64

/* Of what comes in the middle of a workload, and between two. */
#define EVENTS_MAX  4
#define BESIDE_MAX  24
#define BESIDE_EACH 2                 /* in a workload */
#define CLONES_MAX  4                 /* each looks at many pictures */
#define WITHIN_NS   (100 * NS_PER_MS) /* of the beginning of a workload, or of the event before */
#define PATIENCE_NS (20 * NS_PER_MS)
#define ATTEMPTS    25

/* Of the moment at which the device is pulled out. */
#define PULL_SHIFTS   9 /* submissions, as a power of two */
#define PULL_STEP_NS  500
#define ESCAPE_NS     (1 * NS_PER_S)
#define HIBERNATES_NS (1 * NS_PER_S) /* for work to end, or it is pulled out as it is */

/* ---- What happens while a workload runs ------------------------------------------------------ */

/* A task beside the clients. Once it is to stop it brings what it is at to its end. */
struct happening {
    struct task *task;
    struct wait_queue ended;
    bool stop, has_ended;
    bool may_stay; /* the run ends without it */
};

static void begin_happening(struct happening *happening, const char *name, task_entry *entry)
{
    const struct task_options options = {
        .name = name, .stack_bytes = 1u << 20, .daemon = happening->may_stay};

    happening->stop = happening->has_ended = false;
    wait_queue_init(&happening->ended);
    NTSTATUS status = task_create(&options, entry, happening, &happening->task);
    CHECK_THAT(NT_SUCCESS(status));
}

/* The last that its task does. */
static void say_ended(struct happening *happening)
{
    happening->has_ended = true;
    wait_queue_wake(&happening->ended, UINT_MAX);
}

static void end_happening(struct happening *happening)
{
    if (!happening->task) {
        return;
    }
    happening->stop = true;
    task_wake(happening->task);
    while (!happening->has_ended) {
        wait_queue_wait(&happening->ended, MACHINE_NEVER);
    }
    task_put(happening->task);
    happening->task = NULL;
}

/* ---- Sleep, monitors ------------------------------------------------------------------------- */

static struct {
    struct happening happening, cloning;
    unsigned sleeps, rests, plugs, clones, besides; /* of the whole run */
} events;

static bool sleeps_again(void)
{
    return events.sleeps < EVENTS_MAX && (vary_on(VARY_SLEEP) || vary_on(VARY_NO_CONTEXT));
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
    if (vary_on(VARY_SLEEP)) {
        vary_happened(VARY_SLEEP);
    }
    events.sleeps++;
    if (activity > 0) {
        host_finding("DEVICE", "a device at rest after DxgkDdiSetPowerState to D3", false, 0, NULL,
                     "it raised interrupts or accessed memory %llu times while it was in D3, in "
                     "which a monitor was pulled out and plugged in",
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

static bool clones_again(void)
{
    return events.clones < CLONES_MAX && vary_on(VARY_CLONED);
}

static bool clone_once(uint64_t patience_ns)
{
    struct dxgk_clone_wish wish = {.which = (unsigned)vary_below(VARY_CLONED, 2),
                                   .flips = events.clones > 0,
                                   .of_scaled = events.clones + 1 == CLONES_MAX};

    wish.scaled = vary_below(VARY_CLONED, 2) == events.clones;

    if (!dxgk_adapter_clone(host.adapter, &wish, machine_now_ns() + patience_ns)) {
        return false;
    }
    vary_happened(VARY_CLONED);
    events.clones++;
    return true;
}

/* At a moment that the seed chooses, or soon after, when all rests. */
static void try_within(const struct happening *happening, enum variation variation,
                       bool (*once)(uint64_t patience_ns))
{
    task_block(machine_now_ns() + vary_below(variation, WITHIN_NS));
    for (unsigned i = 0; !happening->stop && i < ATTEMPTS && !once(PATIENCE_NS); i++) {
        task_block(machine_now_ns() + PATIENCE_NS);
    }
}

static bool besides_again(void)
{
    return events.besides < BESIDE_MAX && vary_on(VARY_SECOND_MONITOR);
}

/* The source that most clients do not show on, mostly. */
static bool beside_once(uint64_t patience_ns)
{
    unsigned which = vary_below(VARY_SECOND_MONITOR, 4) > 0;

    if (!dxgk_adapter_commit_beside(host.adapter, which, machine_now_ns() + patience_ns)) {
        return false;
    }
    vary_happened(VARY_SECOND_MONITOR);
    events.besides++;
    return true;
}

/* In the middle of a workload. */
static void interfere(void *argument)
{
    if (sleeps_again()) {
        try_within(argument, VARY_SLEEP, sleep_once);
    }
    if (monitors_rest_again()) {
        try_within(argument, VARY_MONITOR_SLEEP, rest_once);
    }
    if (plugs_again()) {
        try_within(argument, VARY_HOT_PLUG, plug_once);
    }
    for (unsigned i = 0; i < BESIDE_EACH && besides_again(); i++) {
        try_within(argument, VARY_SECOND_MONITOR, beside_once);
    }
    say_ended(argument);
}

/* Beside them; the first time anything that is shown will do, later it is what can be flipped. */
static void show_twice(void *argument)
{
    const struct happening *happening = argument;

    while (!happening->stop && clones_again()) {
        try_within(happening, VARY_CLONED, clone_once);
    }
    say_ended(argument);
}

/* ---- The device is pulled out ---------------------------------------------------------------- */

/* Of two pairs of parts one each has it on: each way comes in one of them. */
static struct {
    struct happening happening;
    unsigned workload; /* in which it happens, from 1; 0: not drawn yet */
    bool done, asleep; /* it is missed when the computer comes back from hibernation */
} pull;

/* In this workload? One of the user's own need not know how devices are lost. */
static bool pulls_in(unsigned workload)
{
    if (pull.done || !vary_on(VARY_PULLED_OUT) || !dxgk_adapter_stands_removal(host.adapter)) {
        return false;
    }
    if (!pull.workload) {
        pull.workload = 1 + (unsigned)vary_below(VARY_PULLED_OUT, host.options->workload_count);
        pull.asleep = host_is_of_second_pair();
    }
    return workload + 1 >= pull.workload;
}

static void pull_now(void)
{
    pull.done = true;
    vary_happened(VARY_PULLED_OUT);
    if (!pull.asleep ||
        !dxgk_adapter_remove_asleep(host.adapter, machine_now_ns() + HIBERNATES_NS)) {
        (void)dxgk_adapter_surprise_remove(host.adapter);
    }
}

static bool has_work_done(void)
{
    struct dxgk_totals totals;

    dxgk_adapter_totals(host.adapter, &totals);
    return totals.work + host.work_before > 0;
}

/* At a submission that the seed chooses, and a moment later, when it is on its way, if some work
 * was done by then: a run of which nothing is left says nothing. Who is in the driver then would
 * read ones that nobody told him of: his leaving is waited for. */
static void pull_out(void *argument)
{
    const struct happening *happening = argument;
    unsigned first = 1u << vary_below(VARY_PULLED_OUT, PULL_SHIFTS);
    uint64_t step_ns = PULL_STEP_NS << vary_below(VARY_PULLED_OUT, 8);

    dxgk_adapter_wake_at(host.adapter, first + (unsigned)vary_below(VARY_PULLED_OUT, first));
    while (!happening->stop && dxgk_adapter_awaits(host.adapter)) {
        task_block(MACHINE_NEVER);
    }
    dxgk_adapter_wake_at(host.adapter, 0);
    if (!happening->stop) {
        task_block(machine_now_ns() + vary_below(VARY_PULLED_OUT, step_ns));
    }
    while (!happening->stop && (!has_work_done() || !dxgk_adapter_is_left_alone(host.adapter))) {
        task_block(machine_now_ns() + step_ns);
        step_ns += step_ns < NS_PER_MS ? step_ns : 0;
    }
    if (!happening->stop) {
        pull_now();
    }
    say_ended(argument);
}

void host_workload_begins(unsigned workload)
{
    if (sleeps_again() || monitors_rest_again() || plugs_again() || besides_again()) {
        begin_happening(&events.happening, "events", interfere);
    }
    if (clones_again()) {
        begin_happening(&events.cloning, "clones", show_twice);
    }
    if (!host.options->workload_paths[workload] && pulls_in(workload)) {
        begin_happening(&pull.happening, "pull out", pull_out);
    }
}

/* What met no submission comes in the next workload, and at last between two. */
void host_workload_ended(unsigned workload)
{
    end_happening(&events.happening);
    end_happening(&events.cloning);
    end_happening(&pull.happening);
    if (workload + 1 == host.options->workload_count && pulls_in(workload)) {
        pull_now();
    }
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
    unsigned resets_max =
        vary_on(VARY_STILL_DEVICE) || vary_on(VARY_STARVED_THREADS) ? RESETS_MAX - 1 : RESETS_MAX;
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

static struct happening escapes = {.may_stay = true};
static enum variation escapes_of;

static void send_escapes(void *argument)
{
    host.escaped = dxgk_escape_learned(host.adapter, escapes_of, &host.escapes);
    say_ended(argument);
}

/* A driver may wait as long as a client tells it to, and what the client says is made up: nobody
 * waits for that, and it is no fault. */
bool host_send_escapes(void)
{
    uint64_t sent;

    if (!vary_happens(VARY_ODD_QUESTIONS, 1) && !vary_happens(VARY_BAD_PRIVATE_DATA, 1)) {
        return true;
    }
    escapes_of = vary_on(VARY_ODD_QUESTIONS) ? VARY_ODD_QUESTIONS : VARY_BAD_PRIVATE_DATA;
    begin_happening(&escapes, "a client of escapes", send_escapes);
    do {
        sent = host.escapes;
        wait_queue_wait(&escapes.ended, machine_now_ns() + ESCAPE_NS);
    } while (!escapes.has_ended && host.escapes != sent);
    if (!escapes.has_ended) {
        record_count("learned.escape_stays", 1);
        return false;
    }
    end_happening(&escapes);
    return true;
}

/* A client asks with as much room as it likes for what its driver's user-mode half asks. */
static void ask_nonsense(void)
{
    static const UINT sizes[] = {1, 4, 8, 20, 64, 512};
    uint64_t answer[64] = {0};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        (void)dxgk_adapter_query_private(host.adapter, answer, sizes[i]);
    }
}

/* Whoever sees the system stop, or another driver follow, sat before a desktop: where monitors or
 * the adapter slept meanwhile, other clients leave the screen without a picture. */
static bool comes_last(unsigned index)
{
    const char *name = host.options->workloads[index]->name;

    return (vary_on(VARY_STOP_SCREEN) || vary_on(VARY_RELEASE_DISPLAY)) &&
           (strcmp(name, "desktop") == 0 || strcmp(name, "screen") == 0);
}

void host_order_workloads(unsigned *order)
{
    unsigned count = 0;

    for (unsigned last = 0; last < 2; last++) {
        for (unsigned i = 0; i < host.options->workload_count; i++) {
            if (comes_last(i) == last) {
                order[count++] = i;
            }
        }
    }
}

void host_pause_between(void)
{
    while (dxgk_adapter_stands_still(host.adapter)) {
        task_block(machine_now_ns() + NS_PER_MS);
    }
    if (host.adapter) {
        dxgk_adapter_ask_clocks(host.adapter);
    }
    if (host.adapter && vary_happens(VARY_ODD_QUESTIONS, 1)) {
        dxgk_adapter_ask(host.adapter);
        escape_nonsense();
        ask_nonsense();
    }
    if (host.adapter && vary_happens(VARY_LAPTOP, 1)) {
        dxgk_adapter_tell_events(host.adapter);
    }
    if (host.adapter) {
        reset_idle();
        (void)dxgk_adapter_exchange_domain(host.adapter, machine_now_ns() + PATIENCE_NS);
    }
    if (host.adapter && sleeps_again()) {
        sleep_once(PATIENCE_NS);
    }
    if (host.adapter && plugs_again()) {
        plug_once(PATIENCE_NS);
    }
}

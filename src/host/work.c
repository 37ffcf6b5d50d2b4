/* The workloads: runs each in a client process of its own and serves what it asks of its host. */
#include "host/work.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/option.h"
#include "base/status.h"

#define WORK_STACK_BYTES    (1u << 20)
#define TDR_DELAY_SYSTEM_NS (2 * NS_PER_S)
#define ANSWER_MAX          640
#define HASHED_AT_ONCE      1024u
#define FRAMES_MAX          64 /* pictures kept of one workload */

static struct list clients = {&clients, &clients};
struct work *host_work_now;

/* The client that a process object belongs to: every process here is one of ours. */
static struct client *client_of(struct dxgk_process *process)
{
    list_for_each (link, &clients) {
        struct client *client = container_of(link, struct client, link);
        if (client->process == process) {
            return client;
        }
    }
    return NULL;
}

unsigned host_client_workload(void)
{
    struct client *client = client_of(dxgk_process_current());

    return client ? client->work->index : host_work_now ? host_work_now->index : 0;
}

/* ---- Time and chance ---------------------------------------------------------------------------
 */

static uint64_t now_ns(const struct drydock_workload_host *base)
{
    return machine_now_ns();
}

static void sleep_until(const struct drydock_workload_host *base, uint64_t time_ns)
{
    host_serve(base);
    host_say_waits(host_work_of(base), time_ns == DRYDOCK_NEVER ? "sleep_until" : NULL);
    while (machine_now_ns() < time_ns) {
        task_block(time_ns);
    }
    host_say_waits(host_work_of(base), NULL);
    machine_yield();
    host_served();
}

static uint64_t random_number(const struct drydock_workload_host *base, uint32_t site)
{
    /* Every workload has a thousand sites of its own. */
    return machine_random(RANDOM_SITE_WORKLOAD + host_work_of(base)->index * 1000u + site % 1000u);
}

static void yield(const struct drydock_workload_host *base)
{
    host_serve(base);
    machine_yield();
    host_served();
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

static void put_client(struct client *client)
{
    if (--client->thread_count == 0) {
        client->ending = true; /* a routine that it registered may run still */
        dxgk_process_set_current(NULL);
        dxgk_process_destroy(client->process);
        list_remove(&client->link);
        free(client);
    }
}

static void run_thread(void *argument)
{
    struct drydock_process *thread = argument;

    dxgk_process_set_current(thread->client->process);
    dxgk_refusal_keep(&thread->refusal);
    task_serve(NULL);
    thread->entry(thread->argument);
    host_serve(&thread->client->work->base);
    put_client(thread->client);
    thread->ended = true;
    wait_queue_wake(&thread->end, UINT_MAX);
}

static struct drydock_process *start(struct client *client, const char *name,
                                     drydock_process_entry *entry, void *argument)
{
    const struct task_options options = {.name = name, .stack_bytes = WORK_STACK_BYTES};
    struct drydock_process *thread = calloc(1, sizeof *thread);

    if (!thread) {
        return NULL;
    }
    *thread = (struct drydock_process){
        .mark = WORK_ALIVE, .client = client, .entry = entry, .argument = argument};
    wait_queue_init(&thread->end);
    client->thread_count++;
    if (!NT_SUCCESS(task_create(&options, run_thread, thread, &thread->task))) {
        client->thread_count--;
        free(thread);
        return NULL;
    }
    thread->name = task_name(thread->task);
    list_push_back(&client->work->threads, &thread->link);
    return thread;
}

static struct drydock_process *start_process(const struct drydock_workload_host *base,
                                             const char *name, drydock_process_entry *entry,
                                             void *argument)
{
    struct client *client = calloc(1, sizeof *client);
    struct drydock_process *process = NULL;

    if (!client) {
        return NULL;
    }
    client->work = host_work_of(base);
    if (NT_SUCCESS(dxgk_process_create(name, &client->process))) {
        dxgk_process_set_author(client->process, client->work->index + 1);
        process = start(client, name, entry, argument);
        if (!process) {
            dxgk_process_destroy(client->process);
        }
    }
    if (process) {
        list_push_back(&clients, &client->link);
    } else {
        free(client);
    }
    return process;
}

static struct drydock_process *start_thread(const struct drydock_workload_host *base,
                                            const char *name, drydock_process_entry *entry,
                                            void *argument)
{
    struct client *client = client_of(dxgk_process_current());

    return client && !client->ending ? start(client, name, entry, argument) : NULL;
}

static void drop_thread(struct drydock_process *thread)
{
    list_remove(&thread->link);
    task_put(thread->task);
    thread->mark = 0;
    free(thread);
}

static void join(const struct drydock_workload_host *base, struct drydock_process *process)
{
    host_judge_mark(base, process->mark, "it joined a process or thread");
    if (!process->ended) { /* the client's memory: looked at before it is served */
        host_serve(base);
        host_say_waits(host_work_of(base), "join");
        while (!process->ended) {
            wait_queue_wait(&process->end, MACHINE_NEVER);
        }
        host_say_waits(host_work_of(base), NULL);
        host_served();
    }
    drop_thread(process);
}

/* ---- Telling --------------------------------------------------------------------------------- */

static void progress(const struct drydock_workload_host *base, uint64_t done, uint64_t total)
{
    struct record_header *header = record_header(host.record);
    struct work *work = host_work_of(base);

    /* In thousandths of all workloads, for whoever watches the record. */
    if (total > 0) {
        header->progress =
            (uint32_t)((work->index * 1000u + done * 1000u / total) / host.options->workload_count);
    }
}

static void note(const struct drydock_workload_host *base, const char *format, ...)
{
    char text[RECORD_TEXT_MAX], line[RECORD_TEXT_MAX + 32];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(line, sizeof line, "%s: %s", host_work_of(base)->workload->name, text);
    record_note(line);
}

/* The call of the running thread of a client that failed last; NULL: none, or another thread's. */
static const struct dxgk_refusal *last_refusal(void)
{
    const struct dxgk_refusal *refusal = dxgk_refusal_here();

    return refusal && refusal->task == task_object(task_self()) ? refusal : NULL;
}

/* If it was refused for the client's own mistake, or was about a device that it gave up itself. */
static const struct dxgk_refusal *own_refusal(void)
{
    const struct dxgk_refusal *refusal = last_refusal();

    return refusal && (refusal->call || refusal->marked) ? refusal : NULL;
}

/* Nothing that the client did wrong, and nobody asked the driver: it has not got that, or Drydock
 * has not, or there is no room left. */
static bool is_beyond_both(const struct dxgk_refusal *refusal)
{
    return refusal->status == STATUS_NOT_SUPPORTED || refusal->status == STATUS_NO_MEMORY ||
           refusal->status == STATUS_INSUFFICIENT_RESOURCES;
}

/* The work of a user's workload ended behind a call that the driver never heard of. */
static void fail_refused(struct work *work, const struct dxgk_refusal *refusal, const char *text)
{
    bool beyond = !refusal->marked && is_beyond_both(refusal);
    char *why = beyond ? host.idle : host.refused;
    size_t size = beyond ? sizeof host.idle : sizeof host.refused;
    const char *path = host.options->workload_paths[work->index];

    work->failed = true;
    work->failed_itself |= !beyond;
    if (refusal->marked) {
        snprintf(why, size,
                 "workload %s: %s; its device was lost, for it had marked that as being in error "
                 "(D3DKMTMarkDeviceAsError), had the adapter reset, or had submitted commands "
                 "that are, or go, where it has nothing in memory",
                 path, text);
    } else {
        snprintf(
            why, size,
            "workload %s: %s; its own call of %s was refused with %s before the driver was asked",
            path, text, refusal->call, status_name(refusal->status));
    }
    record_note(why);
}

/* What is missing is Drydock's, and no verdict about the driver. True: that is why. */
static bool is_for_lack(struct work *work, const char *text)
{
    const struct dxgk_refusal *refusal = last_refusal();

    if (!refusal || !refusal->lacking) {
        return false;
    }
    work->failed = true;
    if (!host.lacks[0]) {
        snprintf(host.lacks, sizeof host.lacks,
                 "Drydock does not have %s, which a client called: %s: %s", refusal->lacking,
                 work->workload->name, text);
    }
    return true;
}

/* What the running thread did last: a call that failed, or one that showed a wrong result? */
static bool call_failed(void)
{
    const struct dxgk_refusal *refusal = last_refusal();

    return refusal && !NT_SUCCESS(refusal->status);
}

/* The DDI whose answer the text speaks of, or NULL. */
static const char *refusing_ddi(const char *text)
{
    const struct dxgk_refusal *refusal = last_refusal();

    return refusal && refusal->ddi && strstr(text, status_name(refusal->status)) ? refusal->ddi
                                                                                 : NULL;
}

/* ", the answer of DxgkDdiOpenAllocation, in which DxgkCbGetHandleData ...", if it was an answer;
 * else who wrote what the client found, or nothing. */
static void answer_text(const char *said, char *text, size_t size)
{
    const struct dxgk_refusal *refusal = last_refusal();
    const char *ddi = refusing_ddi(said);
    char more[ANSWER_MAX - 128];

    text[0] = '\0';
    if (ddi && ddi_failure_denial(ddi, refusal->status, more, sizeof more)) {
        snprintf(text, size, ", the answer of %s, in which %s", ddi, more);
    } else if (ddi) {
        snprintf(text, size, ", the answer of %s", ddi);
    } else if (strstr(said, "STATUS_DEVICE_REMOVED") &&
               dxgk_turned_down_text(dxgk_process_current(), more, sizeof more)) {
        snprintf(text, size, "; %s", more);
    } else if (refusal && NT_SUCCESS(refusal->status) &&
               dxgk_written_text(dxgk_process_current(), more, sizeof more)) {
        snprintf(text, size, "; %s", more);
    }
}

/* Was the adapter reset after a time-out that Windows would not have seen? */
static bool timed_out_early(void)
{
    uint64_t delay_ns = host.options->tdr_delay_ns;
    bool late;

    return delay_ns && delay_ns < TDR_DELAY_SYSTEM_NS &&
           dxgk_adapter_timeout(host.adapter, &late) && late;
}

/* Its device stands still, or did: a reset took devices of clients with their memory and work.
 * Where it took nobody's, everything goes on as if nothing had been. */
static bool lost_by_still(const struct work *work)
{
    return dxgk_adapter_stands_still(host.adapter) ||
           dxgk_adapter_still_losses(host.adapter) != work->still_losses;
}

/* Why wrong results of a workload are nobody's fault: a reset took devices and memory, and work
 * ended lost, or the device is gone. NULL: there is no reason. */
static const char *excuse(const struct work *work)
{
    if (dxgk_adapter_is_missing(host.adapter)) {
        return "the device was pulled out";
    }
    if (lost_by_still(work)) {
        return "the device stood still";
    }
    return dxgk_adapter_took_bystander(host.adapter)
               ? "a fault of another client's work had it reset"
               : NULL;
}

static bool is_excused(struct work *work, const char *text)
{
    const char *why = excuse(work);

    if (why) {
        work->failed = host.excused = true;
        note(&work->base, "ended early, for %s: %s", why, text);
    }
    return why != NULL;
}

/* The kernel's own tables do not fit, as a fence or a queue needs them; or the device that was
 * asked for is too small for the work: what fails for that says nothing about the driver. Segments
 * of a device as it comes are as large as the driver makes them. */
static bool is_for_room(struct work *work, const char *text)
{
    const struct dxgk_refusal *refusal = last_refusal();
    const char *device = host.options->device_options;
    const char *why = NULL;

    if (!refusal || refusal->ddi || refusal->status != STATUS_GRAPHICS_NO_VIDEO_MEMORY) {
        return false;
    }
    if (dxgk_adapter_lacks_tables(host.adapter)) {
        why = "video memory has no room for page tables";
    } else if (device && device[0] && dxgk_adapter_lacks_size(host.adapter)) {
        why = "no segment of this device is as large as an allocation";
    } else {
        return false;
    }
    work->failed = host.excused = true;
    note(&work->base, "ended early, for %s: %s", why, text);
    return true;
}

/* What is wrong after such a reset says nothing about the driver. */
static void give_up(struct work *work, const char *text)
{
    unsigned long long delay_us = host.options->tdr_delay_ns / 1000;

    work->failed = true;
    if (!host.idle[0]) {
        snprintf(host.idle, sizeof host.idle,
                 "%s: %s; the adapter was reset after a time-out of %llu us, and a system gives "
                 "2 s: take a longer --tdr-delay",
                 work->workload->name, text, delay_us);
    }
    note(&work->base, "%s; the adapter was reset after a time-out of %llu us", text, delay_us);
}

static void fail(const struct drydock_workload_host *base, const char *format, ...)
{
    struct work *work = host_work_of(base);
    const char *path = host.options->workload_paths[work->index];
    const struct dxgk_refusal *refusal = path ? own_refusal() : NULL;
    char text[RECORD_TEXT_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *timeout = dxgk_adapter_timeout(host.adapter, NULL);

    if (is_excused(work, text) || is_for_lack(work, text) || is_for_room(work, text)) {
        return;
    }
    if (!refusal && timed_out_early()) {
        give_up(work, text);
        return;
    }
    if (refusal) {
        fail_refused(work, refusal, text);
        return;
    }
    work->failed = true;
    if (work->failed_itself) { /* a client that goes on behind that stumbles over itself */
        note(base, "and then: %s", text);
        return;
    }
    const char *clue = dxgk_adapter_clue(host.adapter, call_failed());
    char answer[ANSWER_MAX];
    answer_text(text, answer, sizeof answer);
    char said[DXGK_FRAME_SAID_MAX];
    dxgk_adapter_frame_said(host.adapter, said);
    host_finding("WORKLOAD", "the workload's work done right", false, 0, NULL, "%s: %s%s%s%s%s%s%s",
                 work->workload->name, text, answer, clue ? "; maybe since " : "", clue ? clue : "",
                 timeout ? "; after a " : "", timeout ? timeout : "", said);
}

static void lost(const struct drydock_workload_host *base, const char *format, ...)
{
    char text[RECORD_TEXT_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (timed_out_early()) {
        give_up(host_work_of(base), text);
    } else if (dxgk_adapter_is_removed(host.adapter)) {
        fail(base, "%s", text);
    } else {
        fail(base, "%s; the adapter was reset after a time-out", text);
    }
}

static const char *name_status(const struct drydock_workload_host *base, int32_t status)
{
    return status_name(status);
}

static uint64_t reset_count(void)
{
    struct dxgk_totals totals = {0};

    if (host.adapter) {
        dxgk_adapter_totals(host.adapter, &totals);
    }
    return totals.resets;
}

/* A time-out took what was drawn: that names no rule of drawing. */
static bool timed_out_since(const struct work *work)
{
    return reset_count() != work->resets && dxgk_adapter_timed_out(host.adapter);
}

static void breaks(const struct drydock_workload_host *base, const char *id, const char *format,
                   ...)
{
    const char *expected = NULL;
    enum contract_rule rule = host_result_rule(id, &expected);
    char text[RECORD_TEXT_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bool is_advice =
        rule != CONTRACT_RULE_COUNT && contract_rule_info(rule)->reaction == CONTRACT_NOTE;
    if (rule == CONTRACT_RULE_COUNT || timed_out_early() || timed_out_since(host_work_of(base)) ||
        excuse(host_work_of(base))) {
        if (!is_advice) {
            fail(base, "%s: %s", id, text);
        }
        return;
    }
    const char *clue = dxgk_adapter_clue(host.adapter, false);
    char answer[ANSWER_MAX];

    answer_text(text, answer, sizeof answer);
    host_work_of(base)->failed |= !is_advice;
    contract_breach(&(struct contract_finding){.rule = rule}, expected, "%s: %s%s%s%s",
                    host_work_of(base)->workload->name, text, answer, clue ? "; maybe since " : "",
                    clue ? clue : "");
}

static bool has_failed(const struct drydock_workload_host *base)
{
    return host_work_of(base)->failed;
}

static void count(const struct drydock_workload_host *base, const char *name, uint64_t add)
{
    /* What it counts as wrong when its device stood still, or is gone, is not. */
    if (!excuse(host_work_of(base))) {
        record_count(name, add);
    }
}

/* What stands in X does not count. */
static uint64_t hash_row(const uint32_t *row, unsigned width, uint64_t hash)
{
    uint32_t seen[HASHED_AT_ONCE];

    for (unsigned x = 0; x < width; x += HASHED_AT_ONCE) {
        unsigned count = width - x < HASHED_AT_ONCE ? width - x : HASHED_AT_ONCE;
        for (unsigned i = 0; i < count; i++) {
            seen[i] = row[x + i] & 0xFFFFFF;
        }
        hash = XXH3_64bits_withSeed(seen, (size_t)count * 4, hash);
    }
    return hash;
}

static uint64_t hash_picture(const void *pixels, unsigned width, unsigned height, unsigned stride)
{
    uint64_t hash = width ^ (uint64_t)height << 32;

    for (unsigned y = 0; y < height; y++) {
        hash = hash_row((const void *)((const char *)pixels + (size_t)y * stride), width, hash);
    }
    return hash;
}

static void frame(const struct drydock_workload_host *base, const char *name, const void *pixels,
                  unsigned width, unsigned height, unsigned stride_bytes)
{
    struct work *work = host_work_of(base);

    if (width == 0 || height == 0 || width > 16384 || height > 16384 || stride_bytes < width * 4) {
        return;
    }
    unsigned number = ++work->frame_count;
    record_event(EVENT_FRAME, 0, number, hash_picture(pixels, width, height, stride_bytes));
    if (number > FRAMES_MAX) {
        return;
    }
    const struct record_blob blob = {.size = (uint64_t)stride_bytes * (height - 1) + width * 4u,
                                     .width = width,
                                     .height = height,
                                     .stride = stride_bytes,
                                     .kind = RECORD_BLOB_FRAME,
                                     .workload = work->index,
                                     .number = number,
                                     .label = record_text(name)};
    record_add_blob(&blob, pixels);
}

static void holds(const struct drydock_workload_host *base, const char *id)
{
    const char *expected = NULL;
    enum contract_rule rule = host_result_rule(id, &expected);

    if (rule != CONTRACT_RULE_COUNT) {
        contract_count(rule);
    }
}

static uint64_t planes_gone(const struct drydock_workload_host *unused, unsigned source)
{
    return host.adapter ? dxgk_planes_drops(host.adapter, source) : 0;
}

/* ---- Running --------------------------------------------------------------------------------- */

static uint32_t capabilities(void)
{
    uint32_t flags = host.driver.display_only ? DRYDOCK_DRIVER_IS_DISPLAY_ONLY : 0;

    if (strcmp(pci_device_name(host.slot), "softgpu") == 0) {
        flags |= DRYDOCK_DEVICE_IS_SOFTGPU;
        if (host.options->driver_speaks_softgpu) {
            flags |= DRYDOCK_DRIVER_IS_SOFTGPU;
        }
    }
    if (vary_on(VARY_IDLE_RESET)) {
        flags |= DRYDOCK_RUN_HAS_RESETS;
    }
    if (host.adapter && dxgk_adapter_has_overlays(host.adapter)) {
        flags |= DRYDOCK_DRIVER_HAS_OVERLAYS;
    }
    if (host.adapter && dxgk_adapter_has_planes(host.adapter)) {
        flags |= DRYDOCK_DRIVER_HAS_PLANES |
                 (dxgk_adapter_queues_flips(host.adapter) ? DRYDOCK_DRIVER_QUEUES_FLIPS : 0);
    }
    return flags;
}

/* What the user said to the workload, or what its table says. */
static const struct drydock_value *values_of(const struct work *work, struct option_values *room)
{
    const struct drydock_value *given = host.options->workload_values[work->index];

    if (!given) {
        bool fine = option_values_read(
            room, work->workload->abi >= 2 ? work->workload->options : NULL, NULL, NULL, 0);
        CHECK_THAT(fine);
        given = room->values;
    }
    return given;
}

static void fill_host(struct work *work)
{
    const struct host_options *options = host.options;
    LUID luid = dxgk_adapter_luid(host.adapter);

    work->base = (struct drydock_workload_host){
        .size_bytes = sizeof work->base,
        .adapter_luid_low = luid.LowPart,
        .adapter_luid_high = luid.HighPart,
        .capabilities = capabilities(),
        .driver_name = host.image->name,
        .seed = options->seed,
        .duration_ns = options->duration_ns,
        .process_count = options->process_count ? options->process_count : 1,
        .images = options->images,
        .image_count = options->image_count,
        .now_ns = now_ns,
        .sleep_until = sleep_until,
        .random = random_number,
        .start_process = start_process,
        .start_thread = start_thread,
        .join = join,
        .yield = yield,
        .event_create = host_event_create,
        .event_destroy = host_event_destroy,
        .event_signal = host_event_signal,
        .event_wait = host_event_wait,
        .progress = progress,
        .note = note,
        .fail = fail,
        .failed = has_failed,
        .breaks = breaks,
        .count = count,
        .frame = frame,
        .scanout = host_scanout,
        .values = values_of(work, &work->initial_values),
        .lost = lost,
        .status_name = name_status,
        .allocation_data = options->allocation_data,
        .allocation_data_count = options->allocation_data_count,
        .planes_gone = planes_gone,
        .scanout_eye = host_scanout_eye,
        .compare = host_compare,
        .holds = holds,
    };
}

static void run_workload(void *argument)
{
    struct work *work = argument;

    work->workload->run(&work->base);
}

/* What run() left behind. A thread that still runs would go on with a host that is gone. */
static void clear_threads(struct work *work)
{
    list_for_each_safe (link, &work->threads) {
        struct drydock_process *thread = container_of(link, struct drydock_process, link);
        if (!thread->ended) {
            host_client_blame(work->index,
                              "run() returned while \"%s\", which it started, still runs",
                              thread->name);
            machine_halt();
        }
        drop_thread(thread);
    }
}

static void run_one(unsigned index)
{
    struct work work = {.workload = host.options->workloads[index], .index = index};

    list_init(&work.threads);
    fill_host(&work);
    record_event(EVENT_MARK, 0, record_text(work.workload->name), 0);
    struct drydock_process *process =
        start_process(&work.base, work.workload->name, run_workload, &work);
    CHECK_THAT(process);
    host_work_now = &work;
    work.still_losses = dxgk_adapter_still_losses(host.adapter);
    work.resets = reset_count();
    host_workload_begins(index);
    /* A workload of the user's own need not know how devices are lost. */
    dxgk_adapter_may_stand_still(host.adapter, !host.options->workload_paths[index]);
    dxgk_adapter_say_work_ends(host.adapter, host.options->workload_ends[index]);
    while (!process->ended) {
        wait_queue_wait(&process->end, MACHINE_NEVER);
    }
    host_workload_ended(index);
    dxgk_adapter_may_stand_still(host.adapter, false);
    clear_threads(&work);
    host_work_now = NULL;
    dxgk_adapter_say_work_ends(host.adapter, false);
    progress(&work.base, 1, 1);
    nt_pool_check();
}

/* Behind which workload the device is stopped and started again; the last has nobody behind it. */
static unsigned choose_restart(void)
{
    unsigned count = host.options->workload_count;

    return vary_on(VARY_SECOND_START) && count > 1
               ? (unsigned)vary_below(VARY_SECOND_START, count - 1)
               : count;
}

void host_run_workloads(void)
{
    unsigned restart = choose_restart(), order[HOST_WORKLOADS_MAX];

    host_order_workloads(order);
    for (unsigned i = 0; i < host.options->workload_count; i++) {
        run_one(order[i]);
        if (dxgk_adapter_is_removed(host.adapter)) {
            if (!host_plug_in_again()) {
                return;
            }
        } else if (i == restart && vary_happens(VARY_SECOND_START, 1) && !host_start_again()) {
            return;
        }
        host_pause_between();
    }
}

/* Events and objects in words, and the history of an object. */
#include "observe/internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

#define OBJECTS_MAX        (1u << 24)
#define HISTORY_EVENTS_MAX (1u << 18) /* looked at, so that many breaches stay quick */

/* ---- The index of objects -------------------------------------------------------------------- */

/* Kinds are kept for longer than events, so that numbers within a kind are the same for whoever
 * reads early or late. */
static bool index_objects(struct observe *observe)
{
    const struct record_header *header = record_header(observe->record);
    uint32_t numbers[OBJECT_KIND_COUNT] = {0};
    uint64_t count = header->object_count;

    observe->object_count = count < OBJECTS_MAX ? (uint32_t)count + 1 : OBJECTS_MAX;
    observe->objects = calloc(observe->object_count, sizeof *observe->objects);
    if (!observe->objects) {
        return false;
    }
    for (uint32_t i = 1; i < observe->object_count && i < RECORD_OBJECTS_MAX; i++) {
        uint8_t kind = header->object_kinds[i];
        if (kind < OBJECT_KIND_COUNT) {
            observe->objects[i] = (struct observe_object){.kind = kind, .number = ++numbers[kind]};
        }
    }
    return true;
}

/* The events that the ring still has lie in one piece and end at the newest. */
static void bound_events(struct observe *observe)
{
    uint64_t count = record_header(observe->record)->event_count;
    uint64_t low = 0, high = count;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (record_event_at(observe->record, middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    observe->first_event = low;
    observe->event_count = count;
}

struct observe *observe_create_view(const struct observe_run *run, struct record *record)
{
    struct observe *observe = calloc(1, sizeof *observe);

    if (!observe) {
        return NULL;
    }
    *observe = (struct observe){.run = run, .record = record, .names = run->names};
    bound_events(observe);
    if (!index_objects(observe)) {
        free(observe);
        return NULL;
    }
    return observe;
}

struct observe *observe_create(const struct observe_run *run)
{
    struct observe *observe = observe_create_view(run, run->parts[0].record);

    if (observe && !observe_join_parts(observe)) {
        observe_destroy(observe);
        return NULL;
    }
    return observe;
}

void observe_destroy(struct observe *observe)
{
    if (observe) {
        observe_join_free(observe->join);
        free(observe->objects);
        free(observe);
    }
}

struct record *observe_record(struct observe *observe)
{
    return observe->join->record;
}

/* ---- Names ----------------------------------------------------------------------------------- */

const struct observe_object *observe_object(const struct observe *observe, uint32_t object)
{
    static const struct observe_object unknown;

    return object < observe->object_count ? &observe->objects[object] : &unknown;
}

void observe_object_text(const struct observe *observe, uint32_t object, char *text, size_t size)
{
    const struct observe_object *known = observe_object(observe, object);

    if (known->kind == OBJECT_NONE) {
        snprintf(text, size, "object %u", object);
        return;
    }
    snprintf(text, size, "%s %u", record_object_name((enum object_kind)known->kind), known->number);
}

static const char *name_or_number(const char *(*lookup)(unsigned), uint64_t number,
                                  const char *what)
{
    static char text[48];
    const char *name = lookup && number <= UINT32_MAX ? lookup((unsigned)number) : NULL;

    if (name) {
        return name;
    }
    snprintf(text, sizeof text, "%s %" PRIu64, what, number);
    return text;
}

const char *observe_point(const struct observe *observe, unsigned point)
{
    return name_or_number(observe->names->point, point, "call");
}

const char *observe_stage_name(enum run_stage stage)
{
    static const char *const names[] = {
        [RUN_STAGE_NONE] = "none", [RUN_STAGE_LOAD] = "load",   [RUN_STAGE_ENTRY] = "entry",
        [RUN_STAGE_ADD] = "add",   [RUN_STAGE_START] = "start", [RUN_STAGE_CAPS] = "caps",
        [RUN_STAGE_WORK] = "work", [RUN_STAGE_STOP] = "stop",   [RUN_STAGE_UNLOAD] = "unload",
        [RUN_STAGE_DONE] = "done",
    };

    return (unsigned)stage < sizeof names / sizeof names[0] ? names[stage] : "unknown";
}

const char *observe_outcome_name(enum run_outcome outcome)
{
    static const char *const names[] = {
        [RUN_OUTCOME_NONE] = "none",
        [RUN_OUTCOME_PASS] = "pass",
        [RUN_OUTCOME_BREACH] = "breach",
        [RUN_OUTCOME_REFUSED] = "refused",
        [RUN_OUTCOME_USAGE] = "usage",
        [RUN_OUTCOME_OWN_FAULT] = "own_fault",
        [RUN_OUTCOME_INCONCLUSIVE] = "inconclusive",
        [RUN_OUTCOME_DEVICE_FAULT] = "device_fault",
        [RUN_OUTCOME_UNSUPPORTED] = "unsupported",
        [RUN_OUTCOME_WORKLOAD_FAULT] = "workload_fault",
        [RUN_OUTCOME_FAULT] = "fault",
    };

    return (unsigned)outcome < sizeof names / sizeof names[0] ? names[outcome] : "unknown";
}

/* ---- Events in words ------------------------------------------------------------------------- */

static void call_text(struct observe *observe, const struct event *event, char *text, size_t size)
{
    const char *name = observe_point(observe, (unsigned)(event->a & 0xFFFF));
    const char *status = status_name((NTSTATUS)(event->a >> 32));

    switch (event->kind) {
    case EVENT_DDI_ENTER:
        snprintf(text, size, "%s called", name);
        break;
    case EVENT_DDI_LEAVE:
        snprintf(text, size, "%s returned %s", name, status);
        break;
    case EVENT_CALLBACK:
        snprintf(text, size, "driver calls %s (0x%" PRIX64 ")", name, event->b);
        break;
    default:
        snprintf(text, size, "%s answered %s", name, status);
        break;
    }
}

static void packet_text(struct observe *observe, const struct event *event, char *text, size_t size)
{
    unsigned fence = (unsigned)event->a, node = (unsigned)event->b;
    char context[64];

    switch (event->kind) {
    case EVENT_PACKET_QUEUED:
        observe_object_text(observe, (uint32_t)event->a, context, sizeof context);
        snprintf(text, size, "%s packet queued on %s, node %u",
                 name_or_number(observe->names->packet_kind, event->b & 0xFF, "kind"), context,
                 (unsigned)(event->b >> 8));
        break;
    case EVENT_PACKET_SUBMIT:
        snprintf(text, size, "submitted to node %u with fence %u", node, fence);
        break;
    case EVENT_PACKET_DONE:
        snprintf(text, size, "done with %s, fence %u", status_name((NTSTATUS)(uint32_t)event->a),
                 node);
        break;
    case EVENT_PACKET_PREEMPTED:
        snprintf(text, size, "preempted on node %u, fence %u", node, fence);
        break;
    case EVENT_PACKET_CANCELLED:
        snprintf(text, size, "cancelled, node %u", node);
        break;
    case EVENT_FENCE_REPORTED:
        snprintf(text, size, "fence %u reported by node %u", fence, node);
        break;
    case EVENT_PREEMPT_REQUEST:
        snprintf(text, size, "preemption of node %u asked for, fence %u", node, fence);
        break;
    default:
        snprintf(text, size, "time-out of node %u", node);
        break;
    }
}

static const char *queue_state_name(uint64_t state)
{
    static const char *const names[] = {"idle", [OBSERVE_QUEUE_RUNNING] = "running", "ready",
                                        "ready, the next"};

    return state < sizeof names / sizeof names[0] ? names[state] : "in no known state";
}

static void memory_text(struct observe *observe, const struct event *event, char *text, size_t size)
{
    switch (event->kind) {
    case EVENT_PAGING_OP:
        snprintf(text, size, "paging %s, segment %u, %" PRIu64 " bytes",
                 name_or_number(observe->names->paging_operation, event->a & 0xFFFF, "operation"),
                 (unsigned)(event->a >> 16), event->b);
        break;
    case EVENT_ALLOC_PLACED:
    case EVENT_ALLOC_EVICTED:
        snprintf(text, size, "%s segment %u at 0x%" PRIX64,
                 event->kind == EVENT_ALLOC_PLACED ? "placed in" : "evicted from",
                 (unsigned)event->a, event->b);
        break;
    default:
        snprintf(text, size, "content checked, hash %016" PRIx64, event->a);
        break;
    }
}

static void display_text(const struct event *event, char *text, size_t size)
{
    switch (event->kind) {
    case EVENT_PRESENT:
        snprintf(text, size, "present, flags 0x%" PRIX64, event->a);
        break;
    case EVENT_FLIP:
        snprintf(text, size, "flip of source %u to 0x%" PRIX64, (unsigned)(event->a & 0xFF),
                 event->a >> 8);
        break;
    case EVENT_VSYNC:
        snprintf(text, size, "vsync of source %u, shows 0x%" PRIX64, (unsigned)event->a, event->b);
        break;
    default:
        snprintf(text, size, "frame %u, hash %016" PRIx64, (unsigned)event->a, event->b);
        break;
    }
}

static void pool_text(const struct event *event, char *text, size_t size)
{
    char tag[5] = "";

    for (unsigned i = 0; i < 4; i++) {
        unsigned char letter = (unsigned char)(event->b >> (8 * i));
        tag[i] = (char)(letter >= ' ' && letter < 127 ? letter : '.');
    }
    snprintf(text, size, "pool: %" PRIu64 " bytes '%s' %s", event->a, tag,
             event->kind == EVENT_POOL ? "allocated" : "freed");
}

static void other_text(struct observe *observe, const struct event *event, char *text, size_t size)
{
    const struct record_breach *breach;

    switch (event->kind) {
    case EVENT_RUN_STAGE:
        snprintf(text, size, "stage: %s", observe_stage_name((enum run_stage)event->a));
        break;
    case EVENT_OBJECT_NEW:
    case EVENT_OBJECT_DEAD:
        snprintf(text, size, "%s", event->kind == EVENT_OBJECT_NEW ? "made" : "destroyed");
        break;
    case EVENT_BREACH:
        breach = record_breach_at(observe->record, (uint32_t)event->b);
        snprintf(text, size, "breach: %s", breach ? breach->rule : "?");
        break;
    case EVENT_MARK:
        snprintf(text, size, "\"%s\"", record_text_at(observe->record, (uint32_t)event->a));
        break;
    case EVENT_VARIATION:
        snprintf(text, size, "variation: %s", record_text_at(observe->record, (uint32_t)event->a));
        break;
    case EVENT_TASK_RUN:
        snprintf(text, size, "runs");
        break;
    case EVENT_TASK_NEW:
        snprintf(text, size, "task %s begins", record_text_at(observe->record, (uint32_t)event->a));
        break;
    case EVENT_EXPORT_CALL:
        snprintf(text, size, "driver calls %s",
                 name_or_number(observe->names->kernel_export, event->a, "export"));
        break;
    case EVENT_RESET:
        snprintf(text, size, "reset %s", event->a ? "ends" : "begins");
        break;
    case EVENT_FENCE_SIGNAL:
    case EVENT_FENCE_WAIT:
        snprintf(text, size, "%s %" PRIu64,
                 event->kind == EVENT_FENCE_SIGNAL ? "signalled" : "waited for", event->a);
        break;
    case EVENT_QUEUE_STATE:
        snprintf(text, size, "%s on node %" PRIu64 " by its scheduling log, since %" PRIu64 " ns",
                 queue_state_name(event->a & 0xFF), event->a >> 8, event->b);
        break;
    case EVENT_GPU_BEGIN:
    case EVENT_GPU_END:
        snprintf(text, size, "engine %u %s command %" PRIu64, (unsigned)event->a,
                 event->kind == EVENT_GPU_BEGIN ? "begins" : "ends", event->b);
        break;
    default:
        snprintf(text, size, "%s (0x%" PRIX64 ", 0x%" PRIX64 ")",
                 record_event_name((enum event_kind)event->kind), event->a, event->b);
        break;
    }
}

void observe_event_text(struct observe *observe, const struct event *event, char *text, size_t size)
{
    if (event->kind >= EVENT_DDI_ENTER && event->kind <= EVENT_CALLBACK_DONE) {
        call_text(observe, event, text, size);
    } else if (event->kind >= EVENT_PACKET_QUEUED && event->kind <= EVENT_TIMEOUT) {
        packet_text(observe, event, text, size);
    } else if (event->kind >= EVENT_PAGING_OP && event->kind <= EVENT_ALLOC_CONTENT) {
        memory_text(observe, event, text, size);
    } else if (event->kind >= EVENT_PRESENT && event->kind <= EVENT_FRAME) {
        display_text(event, text, size);
    } else if (event->kind == EVENT_POOL || event->kind == EVENT_POOL_FREE) {
        pool_text(event, text, size);
    } else {
        other_text(observe, event, text, size);
    }
}

/* ---- Histories ------------------------------------------------------------------------------- */

static bool belongs(const struct event *event, uint32_t object)
{
    if (object == 0) {
        /* No object: what the driver and its callers did last. */
        return event->kind >= EVENT_DDI_ENTER && event->kind <= EVENT_CALLBACK_DONE;
    }
    return event->object == object && event->kind != EVENT_TASK_RUN;
}

void observe_event_line(struct observe *observe, const struct event *event,
                        char line[OBSERVE_LINE_MAX])
{
    char what[OBSERVE_LINE_MAX - 96], object[64] = "";

    observe_event_text(observe, event, what, sizeof what);
    if (event->object) {
        observe_object_text(observe, event->object, object, sizeof object);
    }
    snprintf(line, OBSERVE_LINE_MAX, "%" PRIu64 ".%06u ms cpu %u irql %u %s%s%s",
             event->time_ns / 1000000, (unsigned)(event->time_ns % 1000000), event->cpu,
             event->irql, object, object[0] ? ": " : "", what);
}

unsigned observe_history(struct observe *observe, const struct record_breach *breach,
                         char lines[OBSERVE_HISTORY_MAX][OBSERVE_LINE_MAX])
{
    uint64_t found[OBSERVE_HISTORY_MAX];
    uint64_t end = breach->event_index, looked_at = 0;
    unsigned count = 0;

    if (end > observe->event_count) {
        end = observe->event_count;
    }
    while (end > observe->first_event && count < OBSERVE_HISTORY_MAX &&
           looked_at++ < HISTORY_EVENTS_MAX) {
        const struct event *event = record_event_at(observe->record, --end);
        if (event && belongs(event, breach->object)) {
            found[count++] = end;
        }
    }
    for (unsigned i = 0; i < count; i++) {
        observe_event_line(observe, record_event_at(observe->record, found[count - 1 - i]),
                           lines[i]);
    }
    return count;
}

/* The lanes of the timeline: which event of the record begins, ends or marks what on which track.
 *
 *     CPU n          tasks as they run; interrupts, DPCs and the driver's calls in them on top
 *     task threads   the driver's calls that a task makes
 *     context n      packets that wait in the context's queue, one row each
 *     GPU queues     packets from submission to their end, as typed render stages
 *     engine n       commands as the device carries them out
 *     paging, display, recovery, breaches, marks
 *
 * The ring may have lost the beginning of anything: an end without a beginning is left out. */
#include "observe/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"

#define CPUS_MAX    64u
#define ENGINES_MAX 64u
#define SOURCES_MAX 16u
#define NODES_MAX   64u
#define KINDS_MAX   16u
#define ROWS_MAX    32u
#define POINTS_MAX  1024u
#define STAGE_KINDS 1000u /* numbers of interned stages: queues below, kinds of packets above */

/* What is known of an object on the way; which fields mean something follows from its kind. */
struct lane_object {
    uint32_t rows;    /* context: bits of rows in use */
    uint32_t context; /* packet */
    uint32_t fence;
    uint64_t submitted_ns;
    uint8_t node, kind, row;
    bool queued, running, described;
    uint32_t depth; /* task: open slices */
    uint32_t name;  /* task: text offset */
};

struct lanes {
    struct observe *observe;
    struct trace_writer *writer;
    struct lane_object *objects;
    struct {
        uint32_t task;
        unsigned depth;   /* open slices of interrupts, DPCs and calls in them */
        unsigned nesting; /* interrupts and DPCs alone */
        bool described, running;
    } cpus[CPUS_MAX];
    bool engine_described[ENGINES_MAX], engine_open[ENGINES_MAX];
    bool schedule_described[ENGINES_MAX];
    uint32_t scheduled[ENGINES_MAX]; /* the context that runs; 0: none */
    bool source_described[SOURCES_MAX];
    bool queue_described[NODES_MAX], kind_described[KINDS_MAX];
    bool point_described[POINTS_MAX];
    bool single_described[TRACK_KIND_COUNT];
    bool stage_open;
    unsigned resets;
};

static struct lane_object *object_of(struct lanes *lanes, uint64_t object)
{
    return object > 0 && object < lanes->observe->object_count ? &lanes->objects[object] : NULL;
}

/* ---- Slices and marks ------------------------------------------------------------------------ */

static void put(struct lanes *lanes, const struct event *event, uint64_t track,
                enum trace_phase phase, const char *name)
{
    trace_put_event(lanes->writer,
                    &(struct trace_event){
                        .time_ns = event->time_ns, .track = track, .phase = phase, .name = name});
}

/* A track of which there is one. */
static uint64_t single_track(struct lanes *lanes, enum trace_track kind)
{
    static const char *const names[TRACK_KIND_COUNT] = {
        [TRACK_STAGES] = "stages",     [TRACK_PAGING] = "paging", [TRACK_RECOVERY] = "recovery",
        [TRACK_BREACHES] = "breaches", [TRACK_MARKS] = "marks",
    };

    if (!lanes->single_described[kind]) {
        lanes->single_described[kind] = true;
        trace_describe_track(lanes->writer, trace_track_id(kind, 0), names[kind],
                             kind == TRACK_STAGES ? 0 : 1000 + (int)kind);
    }
    return trace_track_id(kind, 0);
}

static void put_mark(struct lanes *lanes, const struct event *event, uint64_t track)
{
    char text[OBSERVE_LINE_MAX], object[64];

    observe_event_text(lanes->observe, event, text, sizeof text);
    observe_object_text(lanes->observe, event->object, object, sizeof object);
    trace_put_event(lanes->writer, &(struct trace_event){
                                       .time_ns = event->time_ns,
                                       .track = track,
                                       .phase = TRACE_INSTANT,
                                       .name = text,
                                       .label = event->object ? "object" : NULL,
                                       .text = object,
                                   });
}

/* ---- Processors and tasks -------------------------------------------------------------------- */

static uint64_t cpu_track(struct lanes *lanes, unsigned cpu)
{
    char name[32];

    if (!lanes->cpus[cpu].described) {
        lanes->cpus[cpu].described = true;
        snprintf(name, sizeof name, "CPU %u", cpu);
        trace_describe_track(lanes->writer, trace_track_id(TRACK_CPU, cpu), name, 10 + (int)cpu);
    }
    return trace_track_id(TRACK_CPU, cpu);
}

static const char *task_name(struct lanes *lanes, uint32_t task)
{
    const struct lane_object *object = object_of(lanes, task);
    static char
        name[128]; /* a trace tells it at each turn of the task: a record's lie stays short */

    snprintf(name, sizeof name, "%s",
             object ? record_text_at(lanes->observe->record, object->name) : "");
    return name[0] ? name : "task";
}

static uint64_t task_track(struct lanes *lanes, uint32_t task)
{
    struct lane_object *object = object_of(lanes, task);

    if (object && !object->described) {
        object->described = true;
        trace_describe_thread(lanes->writer, task, task_name(lanes, task));
    }
    return trace_track_id(TRACK_TASK, task);
}

static void end_slices(struct lanes *lanes, const struct event *event)
{
    unsigned cpu = event->cpu;

    /* Interrupts are over before tasks switch; should one be open, its end is lost. */
    for (; lanes->cpus[cpu].depth > 0; lanes->cpus[cpu].depth--) {
        put(lanes, event, cpu_track(lanes, cpu), TRACE_END, NULL);
    }
    lanes->cpus[cpu].nesting = 0;
    if (lanes->cpus[cpu].running) {
        put(lanes, event, cpu_track(lanes, cpu), TRACE_END, NULL);
        lanes->cpus[cpu].running = false;
    }
}

static void task_event(struct lanes *lanes, const struct event *event)
{
    struct lane_object *task = object_of(lanes, event->object);
    unsigned cpu = event->cpu;

    switch (event->kind) {
    case EVENT_TASK_NEW:
        if (task) {
            task->name = (uint32_t)event->a;
        }
        break;
    case EVENT_TASK_RUN:
        end_slices(lanes, event);
        lanes->cpus[cpu].task = event->object;
        lanes->cpus[cpu].running = true;
        put(lanes, event, cpu_track(lanes, cpu), TRACE_BEGIN, task_name(lanes, event->object));
        break;
    default:
        if (lanes->cpus[cpu].task == event->object) {
            end_slices(lanes, event);
        }
        break;
    }
}

static void nested_event(struct lanes *lanes, const struct event *event, bool begins,
                         const char *name)
{
    unsigned cpu = event->cpu;

    if (begins) {
        lanes->cpus[cpu].depth++;
        lanes->cpus[cpu].nesting++;
        put(lanes, event, cpu_track(lanes, cpu), TRACE_BEGIN, name);
    } else if (lanes->cpus[cpu].nesting > 0) {
        lanes->cpus[cpu].depth--;
        lanes->cpus[cpu].nesting--;
        put(lanes, event, cpu_track(lanes, cpu), TRACE_END, NULL);
    }
}

/* ---- Calls of the driver --------------------------------------------------------------------- */

static uint64_t point_name(struct lanes *lanes, unsigned point)
{
    if (point < POINTS_MAX && !lanes->point_described[point]) {
        lanes->point_described[point] = true;
        trace_intern_name(lanes->writer, point + 1, observe_point(lanes->observe, point));
    }
    return point < POINTS_MAX ? point + 1 : 0;
}

static void put_call(struct lanes *lanes, const struct event *event, uint64_t track,
                     enum trace_phase phase)
{
    unsigned point = (unsigned)(event->a & 0xFFFF);
    bool leaves = event->kind == EVENT_DDI_LEAVE;
    char object[64];

    observe_object_text(lanes->observe, event->object, object, sizeof object);
    trace_put_event(lanes->writer,
                    &(struct trace_event){
                        .time_ns = event->time_ns,
                        .track = track,
                        .phase = phase,
                        .name_number = point_name(lanes, point),
                        .name = "call",
                        .label = leaves          ? "status"
                                 : event->object ? "object"
                                                 : NULL,
                        .text = leaves ? status_name((NTSTATUS)(event->a >> 32)) : object,
                    });
}

static void call_event(struct lanes *lanes, const struct event *event)
{
    unsigned cpu = event->cpu;
    bool nested = lanes->cpus[cpu].nesting > 0;
    struct lane_object *task = object_of(lanes, lanes->cpus[cpu].task);
    uint64_t track;

    if (nested || !task) {
        track = cpu_track(lanes, cpu);
    } else {
        track = task_track(lanes, lanes->cpus[cpu].task);
    }
    if (event->kind == EVENT_CALLBACK) {
        put_call(lanes, event, track, TRACE_INSTANT);
        return;
    }
    uint32_t *depth = nested || !task ? &lanes->cpus[cpu].depth : &task->depth;
    if (event->kind == EVENT_DDI_ENTER) {
        ++*depth;
        put_call(lanes, event, track, TRACE_BEGIN);
    } else if (*depth > (nested ? lanes->cpus[cpu].nesting : 0)) {
        --*depth;
        put_call(lanes, event, track, TRACE_END);
    }
}

/* ---- Packets --------------------------------------------------------------------------------- */

static const char *kind_name(struct lanes *lanes, unsigned kind)
{
    const char *name =
        lanes->observe->names->packet_kind ? lanes->observe->names->packet_kind(kind) : NULL;

    return name ? name : "packet";
}

static uint64_t row_track(struct lanes *lanes, uint32_t context, unsigned row)
{
    uint64_t track = trace_track_id(TRACK_CONTEXT, (uint64_t)context << 8 | row);
    struct lane_object *object = object_of(lanes, context);
    char name[80], text[64];

    /* Rows are taken from the lowest: the first use of the highest so far describes it. */
    if (object && object->depth <= row) {
        object->depth = row + 1;
        observe_object_text(lanes->observe, context, text, sizeof text);
        snprintf(name, sizeof name, "%s queue", text);
        trace_describe_track(lanes->writer, track, name, 500);
    }
    return track;
}

static void packet_queued(struct lanes *lanes, const struct event *event)
{
    struct lane_object *packet = object_of(lanes, event->object);
    struct lane_object *context = object_of(lanes, event->a);
    unsigned row = 0;

    if (!packet || !context) {
        return;
    }
    packet->context = (uint32_t)event->a;
    packet->kind = (uint8_t)(event->b & 0xFF);
    packet->node = (uint8_t)(event->b >> 8);
    while (row < ROWS_MAX && context->rows & UINT32_C(1) << row) {
        row++;
    }
    if (row < ROWS_MAX) {
        context->rows |= UINT32_C(1) << row;
        packet->row = (uint8_t)row;
        packet->queued = true;
        put(lanes, event, row_track(lanes, packet->context, row), TRACE_BEGIN,
            kind_name(lanes, packet->kind));
    }
}

static void packet_leaves_queue(struct lanes *lanes, const struct event *event,
                                struct lane_object *packet)
{
    struct lane_object *context = object_of(lanes, packet->context);

    if (packet->queued && context) {
        packet->queued = false;
        context->rows &= ~(UINT32_C(1) << packet->row);
        put(lanes, event, row_track(lanes, packet->context, packet->row), TRACE_END, NULL);
    }
}

static uint64_t queue_number(struct lanes *lanes, unsigned node)
{
    char name[48];

    if (!lanes->queue_described[node]) {
        lanes->queue_described[node] = true;
        snprintf(name, sizeof name, "node %u hardware queue", node);
        trace_intern_stage(lanes->writer, node + 1, name, "packets the driver was given", false);
    }
    return node + 1;
}

static uint64_t stage_number(struct lanes *lanes, unsigned kind)
{
    if (!lanes->kind_described[kind]) {
        lanes->kind_described[kind] = true;
        trace_intern_stage(lanes->writer, STAGE_KINDS + kind, kind_name(lanes, kind),
                           "kind of packet", kind == 0);
    }
    return STAGE_KINDS + kind;
}

static void packet_stops(struct lanes *lanes, const struct event *event, struct lane_object *packet,
                         const char *end)
{
    struct lane_object *context = object_of(lanes, packet->context);

    if (!packet->running) {
        return;
    }
    packet->running = false;
    if (packet->node >= NODES_MAX || packet->kind >= KINDS_MAX) {
        return;
    }
    if (context && !context->described) {
        context->described = true;
        trace_intern_context(lanes->writer, packet->context);
    }
    trace_put_stage(lanes->writer, &(struct trace_stage){
                                       .time_ns = packet->submitted_ns,
                                       .duration_ns = event->time_ns - packet->submitted_ns,
                                       .id = event->object,
                                       .queue = queue_number(lanes, packet->node),
                                       .stage = stage_number(lanes, packet->kind),
                                       .context = packet->context,
                                       .fence = packet->fence,
                                       .end = end,
                                   });
}

static void packet_event(struct lanes *lanes, const struct event *event)
{
    struct lane_object *packet = object_of(lanes, event->object);

    if (!packet) {
        return;
    }
    switch (event->kind) {
    case EVENT_PACKET_QUEUED:
        packet_queued(lanes, event);
        break;
    case EVENT_PACKET_SUBMIT:
        packet_leaves_queue(lanes, event, packet);
        packet->running = event->a != 0; /* what takes no fence runs nowhere */
        packet->fence = (uint32_t)event->a;
        packet->node = (uint8_t)event->b;
        packet->submitted_ns = event->time_ns;
        break;
    case EVENT_PACKET_DONE:
        packet_leaves_queue(lanes, event, packet);
        packet_stops(lanes, event, packet, status_name((NTSTATUS)(uint32_t)event->a));
        break;
    case EVENT_PACKET_PREEMPTED:
        packet_stops(lanes, event, packet, "preempted");
        put_mark(lanes, event, single_track(lanes, TRACK_RECOVERY));
        break;
    default:
        packet_leaves_queue(lanes, event, packet);
        packet_stops(lanes, event, packet, "cancelled");
        put_mark(lanes, event, single_track(lanes, TRACK_RECOVERY));
        break;
    }
}

/* ---- The device and the display -------------------------------------------------------------- */

static void engine_event(struct lanes *lanes, const struct event *event)
{
    uint64_t track = trace_track_id(TRACK_ENGINE, event->a);
    bool begins = event->kind == EVENT_GPU_BEGIN;
    char name[48];

    if (event->a >= ENGINES_MAX) {
        return;
    }
    if (!lanes->engine_described[event->a]) {
        lanes->engine_described[event->a] = true;
        snprintf(name, sizeof name, "engine %u", (unsigned)event->a);
        trace_describe_track(lanes->writer, track, name, 200 + (int)event->a);
    }
    if (lanes->engine_open[event->a]) {
        put(lanes, event, track, TRACE_END, NULL);
    }
    lanes->engine_open[event->a] = begins;
    if (begins) {
        snprintf(name, sizeof name, "command %" PRIu64, event->b);
        put(lanes, event, track, TRACE_BEGIN, name);
    }
}

/* By the node's own log: which hardware context runs, at the time that the log says. */
static void schedule_event(struct lanes *lanes, const struct event *event)
{
    uint64_t node = event->a >> 8, track = trace_track_id(TRACK_SCHEDULE, node);
    bool runs = (event->a & 0xFF) == OBSERVE_QUEUE_RUNNING;
    struct trace_event drawn = {.time_ns = event->b, .track = track, .phase = TRACE_END};
    char name[64];

    if (node >= ENGINES_MAX) {
        return;
    }
    if (!lanes->schedule_described[node]) {
        lanes->schedule_described[node] = true;
        snprintf(name, sizeof name, "scheduling log of node %u", (unsigned)node);
        trace_describe_track(lanes->writer, track, name, 300 + (int)node);
    }
    if (lanes->scheduled[node] != 0 && (runs || lanes->scheduled[node] == event->object)) {
        trace_put_event(lanes->writer, &drawn);
        lanes->scheduled[node] = 0;
    }
    if (runs) {
        observe_object_text(lanes->observe, event->object, name, sizeof name);
        drawn.phase = TRACE_BEGIN;
        drawn.name = name;
        trace_put_event(lanes->writer, &drawn);
        lanes->scheduled[node] = event->object;
    }
}

static void display_event(struct lanes *lanes, const struct event *event)
{
    uint64_t source = event->kind == EVENT_FLIP    ? event->a & 0xFF
                      : event->kind == EVENT_VSYNC ? event->a
                                                   : 0;
    char name[48];

    if (source >= SOURCES_MAX) {
        return;
    }
    if (!lanes->source_described[source]) {
        lanes->source_described[source] = true;
        snprintf(name, sizeof name, "display source %u", (unsigned)source);
        trace_describe_track(lanes->writer, trace_track_id(TRACK_DISPLAY, source), name,
                             100 + (int)source);
    }
    put_mark(lanes, event, trace_track_id(TRACK_DISPLAY, source));
}

static void reset_event(struct lanes *lanes, const struct event *event)
{
    uint64_t track = single_track(lanes, TRACK_RECOVERY);

    if (event->a == 0) {
        lanes->resets++;
        put(lanes, event, track, TRACE_BEGIN, "reset");
    } else if (lanes->resets > 0) {
        lanes->resets--;
        put(lanes, event, track, TRACE_END, NULL);
    }
}

static void stage_event(struct lanes *lanes, const struct event *event)
{
    uint64_t track = single_track(lanes, TRACK_STAGES);

    if (lanes->stage_open) {
        put(lanes, event, track, TRACE_END, NULL);
    }
    lanes->stage_open = event->a != RUN_STAGE_DONE;
    if (lanes->stage_open) {
        put(lanes, event, track, TRACE_BEGIN, observe_stage_name((enum run_stage)event->a));
    }
}

/* ---- All of them ----------------------------------------------------------------------------- */

static void draw(struct lanes *lanes, const struct event *event)
{
    if (event->cpu >= CPUS_MAX) {
        return;
    }
    switch (event->kind) {
    case EVENT_RUN_STAGE:
        stage_event(lanes, event);
        break;
    case EVENT_DDI_ENTER:
    case EVENT_DDI_LEAVE:
    case EVENT_CALLBACK:
        call_event(lanes, event);
        break;
    case EVENT_BREACH:
        put_mark(lanes, event, single_track(lanes, TRACK_BREACHES));
        break;
    case EVENT_MARK:
        put_mark(lanes, event, single_track(lanes, TRACK_MARKS));
        break;
    case EVENT_TASK_NEW:
    case EVENT_TASK_RUN:
    case EVENT_TASK_END:
        task_event(lanes, event);
        break;
    case EVENT_INTERRUPT:
    case EVENT_INTERRUPT_END:
        nested_event(lanes, event, event->kind == EVENT_INTERRUPT, "interrupt");
        break;
    case EVENT_DPC:
    case EVENT_DPC_END:
        nested_event(lanes, event, event->kind == EVENT_DPC, "DPC");
        break;
    case EVENT_PACKET_QUEUED:
    case EVENT_PACKET_SUBMIT:
    case EVENT_PACKET_DONE:
    case EVENT_PACKET_PREEMPTED:
    case EVENT_PACKET_CANCELLED:
        packet_event(lanes, event);
        break;
    case EVENT_PREEMPT_REQUEST:
    case EVENT_TIMEOUT:
        put_mark(lanes, event, single_track(lanes, TRACK_RECOVERY));
        break;
    case EVENT_RESET:
        reset_event(lanes, event);
        break;
    case EVENT_PAGING_OP:
    case EVENT_ALLOC_EVICTED:
        put_mark(lanes, event, single_track(lanes, TRACK_PAGING));
        break;
    case EVENT_PRESENT:
    case EVENT_FLIP:
    case EVENT_VSYNC:
    case EVENT_FRAME:
        display_event(lanes, event);
        break;
    case EVENT_GPU_BEGIN:
    case EVENT_GPU_END:
        engine_event(lanes, event);
        break;
    case EVENT_QUEUE_STATE:
        schedule_event(lanes, event);
        break;
    default:
        break;
    }
}

/* Events between two looks at the clock. */
#define EVENTS_AT_ONCE 1024u

/* False, with ETIME: the time was up. */
static bool draw_events(struct lanes *lanes, uint64_t deadline_ns)
{
    const struct observe *observe = lanes->observe;

    for (uint64_t i = observe->first_event; i < observe->event_count; i++) {
        const struct event *event = record_event_at(observe->record, i);
        if (i % EVENTS_AT_ONCE == 0 && observe_time_is_up(deadline_ns)) {
            errno = ETIME;
            return false;
        }
        if (event) {
            draw(lanes, event);
        }
    }
    return true;
}

static bool draw_all(struct observe *observe, FILE *file, uint64_t deadline_ns)
{
    struct lanes *lanes = calloc(1, sizeof *lanes);
    bool fine = false;

    if (!lanes) {
        return false;
    }
    lanes->observe = observe;
    lanes->objects = calloc(observe->object_count, sizeof *lanes->objects);
    lanes->writer = trace_writer_create(file);
    if (lanes->objects && lanes->writer) {
        trace_describe_process(lanes->writer, record_header(observe->record)->driver);
        fine = draw_events(lanes, deadline_ns);
    }
    if (lanes->writer) {
        fine = trace_writer_destroy(lanes->writer) && fine;
    }
    free(lanes->objects);
    free(lanes);
    return fine;
}

bool observe_write_trace(struct observe *observe, const struct observe_folder *to)
{
    FILE *file = observe_create_file(to->folder, OBSERVE_TRACE_FILE);

    if (!file) {
        return false;
    }
    errno = 0;
    if (observe_close_file(file, draw_all(observe, file, to->deadline_ns))) {
        return true;
    }
    int error = errno;
    unlinkat(to->folder, OBSERVE_TRACE_FILE, 0); /* half a trace is none */
    errno = error;
    return false;
}

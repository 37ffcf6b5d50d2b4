/* Packets of a Perfetto trace, encoded by protobuf-c. A trace is its packets one after the other:
 * a file of many one-packet traces is one trace of many packets. */
#include "observe/trace.h"

#include <stdlib.h>

#include "observe/perfetto.pb-c.h"

#define SEQUENCE         1
#define NAMES_START      1 /* sequence flags */
#define NAMES_NEEDED     2
#define ORDER_BY_RANK    3
#define CATEGORY_OTHER   0
#define CATEGORY_GRAPHIC 1

struct trace_writer {
    FILE *file;
    uint8_t *bytes;
    size_t capacity;
    bool failed, begun;
};

struct trace_writer *trace_writer_create(FILE *file)
{
    struct trace_writer *writer = calloc(1, sizeof *writer);

    if (writer) {
        writer->file = file;
    }
    return writer;
}

bool trace_writer_destroy(struct trace_writer *writer)
{
    bool fine = !writer->failed;

    free(writer->bytes);
    free(writer);
    return fine;
}

static bool reserve(struct trace_writer *writer, size_t size)
{
    if (size <= writer->capacity) {
        return true;
    }
    uint8_t *bytes = realloc(writer->bytes, size * 2);
    if (!bytes) {
        return false;
    }
    writer->bytes = bytes;
    writer->capacity = size * 2;
    return true;
}

static void put_packet(struct trace_writer *writer, Perfetto__TracePacket *packet)
{
    Perfetto__Trace trace = PERFETTO__TRACE__INIT;

    packet->has_trusted_packet_sequence_id = true;
    packet->trusted_packet_sequence_id = SEQUENCE;
    packet->has_sequence_flags = true;
    packet->sequence_flags = writer->begun ? NAMES_NEEDED : NAMES_START;
    writer->begun = true;
    trace.n_packet = 1;
    trace.packet = &packet;
    size_t size = perfetto__trace__get_packed_size(&trace);
    if (!reserve(writer, size)) {
        writer->failed = true;
        return;
    }
    perfetto__trace__pack(&trace, writer->bytes);
    writer->failed |= fwrite(writer->bytes, 1, size, writer->file) != size;
}

/* The generated structures take char *, and only read it. */
static char *text(const char *constant)
{
    return (char *)(uintptr_t)constant;
}

/* ---- Tracks ---------------------------------------------------------------------------------- */

uint64_t trace_track_id(enum trace_track kind, uint64_t number)
{
    return (uint64_t)(kind + 1) << 40 | number;
}

static void put_track(struct trace_writer *writer, Perfetto__TrackDescriptor *track)
{
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

    packet.track_descriptor = track;
    put_packet(writer, &packet);
}

void trace_describe_process(struct trace_writer *writer, const char *name)
{
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
    Perfetto__ProcessDescriptor process = PERFETTO__PROCESS_DESCRIPTOR__INIT;

    process.has_pid = true;
    process.pid = TRACE_PROCESS;
    process.process_name = text(name);
    track.has_uuid = true;
    track.uuid = trace_track_id(TRACK_PROCESS, 0);
    track.process = &process;
    track.has_child_ordering = true;
    track.child_ordering = ORDER_BY_RANK;
    put_track(writer, &track);
}

void trace_describe_thread(struct trace_writer *writer, uint32_t task, const char *name)
{
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;
    Perfetto__ThreadDescriptor thread = PERFETTO__THREAD_DESCRIPTOR__INIT;

    thread.has_pid = thread.has_tid = true;
    thread.pid = TRACE_PROCESS;
    thread.tid = (int32_t)task;
    thread.thread_name = text(name);
    track.has_uuid = track.has_parent_uuid = true;
    track.uuid = trace_track_id(TRACK_TASK, task);
    track.parent_uuid = trace_track_id(TRACK_PROCESS, 0);
    track.thread = &thread;
    put_track(writer, &track);
}

void trace_describe_track(struct trace_writer *writer, uint64_t id, const char *name, int rank)
{
    Perfetto__TrackDescriptor track = PERFETTO__TRACK_DESCRIPTOR__INIT;

    track.has_uuid = track.has_parent_uuid = track.has_sibling_order_rank = true;
    track.uuid = id;
    track.parent_uuid = trace_track_id(TRACK_PROCESS, 0);
    track.name = text(name);
    track.sibling_order_rank = rank;
    put_track(writer, &track);
}

/* ---- Names ----------------------------------------------------------------------------------- */

static void put_names(struct trace_writer *writer, Perfetto__InternedData *data)
{
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;

    packet.interned_data = data;
    put_packet(writer, &packet);
}

void trace_intern_name(struct trace_writer *writer, uint64_t number, const char *name)
{
    Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
    Perfetto__EventName entry = PERFETTO__EVENT_NAME__INIT, *entries = &entry;

    entry.has_iid = true;
    entry.iid = number;
    entry.name = text(name);
    data.n_event_names = 1;
    data.event_names = &entries;
    put_names(writer, &data);
}

void trace_intern_context(struct trace_writer *writer, uint32_t context)
{
    Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
    Perfetto__GraphicsContext entry = PERFETTO__GRAPHICS_CONTEXT__INIT, *entries = &entry;

    entry.has_iid = entry.has_pid = true;
    entry.iid = context;
    entry.pid = TRACE_PROCESS;
    data.n_graphics_contexts = 1;
    data.graphics_contexts = &entries;
    put_names(writer, &data);
}

void trace_intern_stage(struct trace_writer *writer, uint64_t number, const char *name,
                        const char *description, bool graphics)
{
    Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
    Perfetto__RenderStage entry = PERFETTO__RENDER_STAGE__INIT, *entries = &entry;

    entry.has_iid = entry.has_category = true;
    entry.iid = number;
    entry.name = text(name);
    entry.description = text(description);
    entry.category = graphics ? CATEGORY_GRAPHIC : CATEGORY_OTHER;
    data.n_gpu_specifications = 1;
    data.gpu_specifications = &entries;
    put_names(writer, &data);
}

/* ---- Events ---------------------------------------------------------------------------------- */

void trace_put_event(struct trace_writer *writer, const struct trace_event *event)
{
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
    Perfetto__TrackEvent track_event = PERFETTO__TRACK_EVENT__INIT;
    Perfetto__DebugAnnotation note = PERFETTO__DEBUG_ANNOTATION__INIT, *notes = &note;

    packet.has_timestamp = true;
    packet.timestamp = event->time_ns;
    packet.track_event = &track_event;
    track_event.has_type = track_event.has_track_uuid = true;
    track_event.type = event->phase;
    track_event.track_uuid = event->track;
    if (event->phase != TRACE_END && event->name_number) {
        track_event.has_name_iid = true;
        track_event.name_iid = event->name_number;
    } else if (event->phase != TRACE_END) {
        track_event.name = text(event->name);
    }
    if (event->label) {
        note.name = text(event->label);
        note.string_value = text(event->text);
        note.has_uint_value = !event->text;
        note.uint_value = event->value;
        track_event.n_debug_annotations = 1;
        track_event.debug_annotations = &notes;
    }
    put_packet(writer, &packet);
}

void trace_put_stage(struct trace_writer *writer, const struct trace_stage *stage)
{
    Perfetto__TracePacket packet = PERFETTO__TRACE_PACKET__INIT;
    Perfetto__GpuRenderStageEvent event = PERFETTO__GPU_RENDER_STAGE_EVENT__INIT;
    Perfetto__ExtraData extra = PERFETTO__EXTRA_DATA__INIT, *extras = &extra;

    packet.has_timestamp = true;
    packet.timestamp = stage->time_ns;
    packet.gpu_render_stage_event = &event;
    event.has_event_id = event.has_duration = event.has_context = true;
    event.has_submission_id = event.has_hw_queue_iid = event.has_stage_iid = true;
    event.event_id = stage->id;
    event.duration = stage->duration_ns;
    event.context = stage->context;
    event.submission_id = stage->fence;
    event.hw_queue_iid = stage->queue;
    event.stage_iid = stage->stage;
    extra.name = text("end");
    extra.value = text(stage->end);
    event.n_extra_data = 1;
    event.extra_data = &extras;
    put_packet(writer, &packet);
}

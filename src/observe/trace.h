/* Writing packets of a Perfetto trace: trace.c knows the format, lanes.c what is drawn where. */
#ifndef OBSERVE_TRACE_H
#define OBSERVE_TRACE_H

#include "observe/internal.h"

#define TRACE_PROCESS 1 /* the process that all lanes belong to */

/* Tracks by kind and number; a number fits into 32 bits. */
enum trace_track {
    TRACK_PROCESS,
    TRACK_STAGES,
    TRACK_CPU,
    TRACK_TASK, /* number: the task's object */
    TRACK_ENGINE,
    TRACK_CONTEXT, /* number: the context's object, and a row of its queue */
    TRACK_SCHEDULE, /* number: the node */
    TRACK_PAGING,
    TRACK_DISPLAY, /* number: the source */
    TRACK_RECOVERY,
    TRACK_BREACHES,
    TRACK_MARKS,
    TRACK_KIND_COUNT
};

enum trace_phase { TRACE_BEGIN = 1, TRACE_END, TRACE_INSTANT };

struct trace_writer;

struct trace_writer *trace_writer_create(FILE *file);
/* False if something could not be written. */
bool trace_writer_destroy(struct trace_writer *writer);

uint64_t trace_track_id(enum trace_track kind, uint64_t number);
void trace_describe_process(struct trace_writer *writer, const char *name);
/* A track that is a thread for the viewer, or one below the process. */
void trace_describe_thread(struct trace_writer *writer, uint32_t task, const char *name);
void trace_describe_track(struct trace_writer *writer, uint64_t track, const char *name, int rank);

/* A name that is used often: given once, then by its number (not 0). */
void trace_intern_name(struct trace_writer *writer, uint64_t number, const char *name);

struct trace_event {
    uint64_t time_ns, track;
    enum trace_phase phase;
    uint64_t name_number; /* of an interned name, or 0 and: */
    const char *name;
    const char *label; /* one annotation; NULL: none */
    uint64_t value;
    const char *text; /* the annotation's value if not NULL */
};
void trace_put_event(struct trace_writer *writer, const struct trace_event *event);

void trace_intern_context(struct trace_writer *writer, uint32_t context);
void trace_intern_stage(struct trace_writer *writer, uint64_t number, const char *name,
                        const char *description, bool graphics);

struct trace_stage {
    uint64_t time_ns, duration_ns, id;
    uint64_t queue, stage; /* numbers of interned stages */
    uint32_t context, fence;
    const char *end; /* how it ended */
};
void trace_put_stage(struct trace_writer *writer, const struct trace_stage *stage);

#endif

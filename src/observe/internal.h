/* What the files of observe/ share. */
#ifndef OBSERVE_INTERNAL_H
#define OBSERVE_INTERNAL_H

#include "observe/observe.h"

/* What is seen of one record. */
struct observe {
    const struct observe_run *run;
    struct record *record;
    const struct observe_names *names;
    struct observe_join *join;         /* of all parts; NULL in what is seen of one */
    uint64_t first_event, event_count; /* those the ring still has: [first, count) */

    /* Kinds and numbers within the kind, by object; too high a number is OBJECT_NONE. */
    struct observe_object *objects;
    uint32_t object_count;
};

/* Is the processor time of files used up? 0: there is no limit. */
bool observe_time_is_up(uint64_t deadline_ns);

struct observe_object {
    uint8_t kind;    /* enum object_kind */
    uint32_t number; /* of its kind, from 1 */
};

/* Part views and where the findings of the joined record come from. */
struct observe_join {
    struct record *record; /* sums; the part's own if there is only one */
    bool record_is_ours;
    struct observe *parts[OBSERVE_PARTS_MAX];
    uint64_t events_written, events_kept;
    struct {
        uint32_t part, index; /* where it was seen first */
        uint32_t seen_in;     /* a bit for each part */
    } breaches[RECORD_BREACHES_MAX];
};

/* What is seen of one record: no parts. */
struct observe *observe_create_view(const struct observe_run *run, struct record *record);
bool observe_join_parts(struct observe *observe);
void observe_join_free(struct observe_join *join);
/* How bad an outcome is: a finding about the driver outranks everything, a pass nothing. */
unsigned observe_outcome_rank(enum run_outcome outcome);

/* The index-th finding of the whole; NULL behind the last. */
struct observe_finding {
    struct observe *view;               /* the part that saw it first ... */
    const struct record_breach *breach; /* ... and how it saw it */
    const struct observe_part *part;
    const struct observe_need *need; /* or NULL */
    const char *replay;
    uint32_t count; /* in all parts */
    uint32_t seen_in;
};
bool observe_finding_at(struct observe *observe, uint32_t index, struct observe_finding *finding);
/* How what the finding names is mended, or NULL. */
const char *observe_mending(const struct observe *observe, const struct record_breach *breach);
/* Where to read about it, in at most OBSERVE_LINE_MAX bytes; or false. */
bool observe_page(const struct observe *observe, const struct record_breach *breach, char *text);
/* "calm, varied-2" */
void observe_parts_text(const struct observe *observe, uint32_t seen_in, char *text, size_t size);

const struct observe_object *observe_object(const struct observe *observe, uint32_t object);
/* "packet 7", or "object 12" if it is not known what it is. */
void observe_object_text(const struct observe *observe, uint32_t object, char *text, size_t size);
/* Names with a number in their place if there is none: never NULL, valid until the next call. */
const char *observe_point(const struct observe *observe, unsigned point);

/* What of a kind this driver and version have, and how much of it was reached. */
enum observe_cover {
    OBSERVE_DDIS,
    OBSERVE_RULES, /* that judge the driver */
    OBSERVE_KERNEL_RULES,
    OBSERVE_MEMBERS,
    OBSERVE_PAGING,
    OBSERVE_CALLBACKS,
    OBSERVE_EXPORTS,
    OBSERVE_COVER_COUNT
};
struct observe_covered {
    unsigned reached, all;
};
struct observe_covered observe_covered(const struct observe *observe, enum observe_cover kind);
/* The index-th thing of the kind, whether or not this driver has it: false behind the last. `name`
 * is NULL for what nobody knows. */
struct observe_thing {
    const char *name;
    bool could;
    uint64_t count;
};
bool observe_thing_at(const struct observe *observe, enum observe_cover kind, unsigned index,
                      struct observe_thing *thing);
json_t *observe_number(uint64_t value);
json_t *observe_coverage(struct observe *observe);
/* "a,b" as a list; "none" is empty. */
json_t *observe_variations(const char *list);

const char *observe_duty_name(enum observe_duty duty); /* "driver" */
/* Rules that the run looked at, by duty; all looks together. */
uint64_t observe_looks(const struct observe *observe, unsigned judged[OBSERVE_DUTY_COUNT]);

/* The last events about the breach's object up to the breach, oldest first. */
unsigned observe_history(struct observe *observe, const struct record_breach *breach,
                         char lines[OBSERVE_HISTORY_MAX][OBSERVE_LINE_MAX]);

/* ---- timeouts.c ------------------------------------------------------------------------------ */

#define OBSERVE_QUEUE_RUNNING 1u /* the state of EVENT_QUEUE_STATE, as in a scheduling log */
#define OBSERVE_TIMEOUTS_MAX  16u

struct observe_timeout {
    uint64_t at_ns;
    uint32_t packet; /* the oldest that the node had; 0: none */
    unsigned node, submissions;
    const char *packet_kind;         /* NULL: not known */
    uint64_t submitted_ns, asked_ns; /* the last time, and when preemption was asked; 0: never */
    const char *reset_by;            /* the call of the driver; NULL: none */
    bool answered;
    int32_t answer; /* its status */
};

/* Of one part. How many there were; the first of them are told. */
unsigned observe_timeouts(const struct observe *view,
                          struct observe_timeout timeouts[OBSERVE_TIMEOUTS_MAX]);
void observe_timeout_text(const struct observe *view, const struct observe_timeout *timeout,
                          char *text, size_t size);

/* ---- picture.c ------------------------------------------------------------------------------- */

#define OBSERVE_NAME_MAX        40
#define OBSERVE_INFO_BYTES_MAX  (4u << 20)
#define OBSERVE_DEBUG_BYTES_MAX (64u << 10)
#define OBSERVE_DEBUG_MAX       9999u

/* A walk over the record's blobs that believes nothing it has not looked at. Begins as {0}. */
struct observe_pictures {
    uint32_t index, workload, number;
    uint64_t end; /* of what was told */
};

/* The next blob that may be told, and its bytes; NULL behind the last. */
const void *observe_next_blob(struct observe *observe, struct observe_pictures *at,
                              struct record_blob *blob);
void observe_picture_name(const struct record_blob *blob, char name[OBSERVE_NAME_MAX]);

/* A walk over the debug information of one part's record, or the screens in it. Begins as {0}, or
 * {.screens = true}. */
struct observe_debug {
    bool screens;
    uint32_t index, number;
    uint64_t end;
};

const void *observe_next_debug(struct record *record, struct observe_debug *at,
                               struct record_blob *blob);
void observe_debug_name(unsigned part, const struct record_blob *blob, char name[OBSERVE_NAME_MAX]);
void observe_screen_name(unsigned part, const struct record_blob *blob,
                         char name[OBSERVE_NAME_MAX]);

#endif

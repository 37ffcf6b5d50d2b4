/* What the files of observe/ share. */
#ifndef OBSERVE_INTERNAL_H
#define OBSERVE_INTERNAL_H

#include "observe/observe.h"

struct observe {
    const struct observe_run *run;
    struct record *record;
    const struct observe_names *names;
    uint64_t first_event, event_count; /* those the ring still has: [first, count) */

    /* Kinds and numbers within the kind, by object; too high a number is OBJECT_NONE. */
    struct observe_object *objects;
    uint32_t object_count;
};

struct observe_object {
    uint8_t kind;    /* enum object_kind */
    uint32_t number; /* of its kind, from 1 */
};

const struct observe_object *observe_object(const struct observe *observe, uint32_t object);
/* "packet 7", or "object 12" if it is not known what it is. */
void observe_object_text(const struct observe *observe, uint32_t object, char *text, size_t size);
/* Names with a number in their place if there is none: never NULL, valid until the next call. */
const char *observe_point(const struct observe *observe, unsigned point);

const char *observe_duty_name(enum observe_duty duty); /* "driver" */
/* Rules that the run looked at, by duty; all looks together. */
uint64_t observe_looks(const struct observe *observe, unsigned judged[OBSERVE_DUTY_COUNT]);

/* The last events about the breach's object up to the breach, oldest first. */
unsigned observe_history(struct observe *observe, const struct record_breach *breach,
                         char lines[OBSERVE_HISTORY_MAX][OBSERVE_LINE_MAX]);

/* A name that the record gave, made fit for a file name in a folder; false if it is not. */
bool observe_file_name_is_safe(const char *name);

#endif

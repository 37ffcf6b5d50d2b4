/* observe: readers of the event record, for people and for machines.
 *
 *                            ┌── observe_report()          report.json
 *     record ── observe_create() ── observe_write_pictures()  frame-*.png, debug-*.bin, documents
 *                            ├── observe_write_trace()     trace.pftrace
 *                            └── observe_summary()         the verdict in words
 *
 * The record was written by a process that a foreign driver may have damaged. Readers believe no
 * count, offset or text in it without a look, and are used only when that process has ended.
 *
 * A run has parts, each with a record of its own. Numbers of the report are sums, findings are told
 * once with the parts that saw them, pictures and the trace are the first part's; see join.c.
 *
 * The record holds numbers for DDIs, rules and exports; their names come in struct observe_names
 * from whoever knows them, so that this folder knows nothing but the record.
 *
 * Nothing here depends on the wall clock: two runs with one seed have equal files. */
#ifndef OBSERVE_OBSERVE_H
#define OBSERVE_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "base/record.h"

#define OBSERVE_SCHEMA      "drydock-report-3"
#define OBSERVE_HISTORY_MAX 16
#define OBSERVE_LINE_MAX    256
#define OBSERVE_FRAMES_MAX  9999u /* pictures of one workload */

/* The files that a run leaves, besides frame-<workload>-<number>.png. */
#define OBSERVE_REPORT_FILE "report.json"
#define OBSERVE_TRACE_FILE  "trace.pftrace"
#define OBSERVE_INFO_FILE   "info.json"

/* Whose duty a rule is. The kernel is Drydock itself. */
enum observe_duty { OBSERVE_DRIVER, OBSERVE_KERNEL, OBSERVE_BOTH, OBSERVE_DUTY_COUNT };

/* The rules of one duty: how many there are, this build judges, a test saw broken and named. */
struct observe_rules {
    unsigned count, enforced, tested;
};

/* A function answers NULL for a number it does not know. */
struct observe_names {
    const char *(*point)(unsigned point); /* "DxgkDdiPatch", "DxgkCbNotifyDpc" */
    unsigned ddi_count;                   /* points below are calls of the driver */
    const char *ddi_prefix;             /* of their names, that a short line leaves out; or NULL */
    unsigned callback_count;            /* the next ones are its calls of the kernel */
    const char *(*rule)(unsigned rule); /* "SUBMIT-003" */
    enum observe_duty (*duty)(unsigned rule);
    const char *(*kernel_export)(unsigned index);
    const char *(*paging_operation)(unsigned kind); /* "Transfer" */
    const char *(*packet_kind)(unsigned kind);      /* "render" */
    bool (*resets)(unsigned point); /* is it a call that resets the hardware? NULL: none is */
    const char *(*member)(unsigned index);         /* "SUBMITCOMMAND.Flags.Paging" */
    const char *(*operation)(unsigned number);     /* as the DDI numbers them: "TRANSFER" */
    const char *(*variation)(unsigned index);      /* "fence-wrap" */
    const char *(*why_not_called)(unsigned point); /* what a run would need, or lacks */
    /* Of a finding's name: how it is mended, or NULL, and where to read, or false; `ddi` is what
     * it was seen in. Both may be missing. */
    const char *(*mending)(const char *finding);
    bool (*page)(const char *finding, const char *ddi, char *text, size_t size);
};

/* How the run was kept from the rest of the computer. */
struct observe_sandbox {
    bool process, no_new_privileges, filesystem, system_calls, limits;
};

#define OBSERVE_PARTS_MAX 32

/* A part of the run, from power-on to power-off. */
struct observe_part {
    const char *name;
    struct record *record;
    uint64_t seed;
    const char *variations; /* names with commas, or "none" */
    const char *replay;     /* the command that runs it alone */
    struct observe_sandbox sandbox;
};

/* With how few variations a finding was seen again. */
struct observe_need {
    unsigned part, breach;    /* the part that saw it first, and its number there */
    const char *variations;   /* names with commas, or "none" */
    const char *const *texts; /* the same in words */
    unsigned text_count;
    const char *replay; /* the command that runs just that */
};

struct observe_run {
    const struct observe_part *parts;
    unsigned part_count;              /* at least one; OBSERVE_PARTS_MAX at most */
    const struct observe_need *needs; /* of those findings for which it is known */
    unsigned need_count;
    const struct observe_names *names;
    const char *version;
    const char *replay; /* the command that runs all parts again */
    /* The source place of the first address in a text, and what is behind it; or NULL. */
    const char *(*source_place)(const char *text, const char **rest);
    unsigned rule_count;
    struct observe_rules rules[OBSERVE_DUTY_COUNT];
};

struct observe;

/* NULL if memory is short. The run and all it points to stay the caller's and must live on. */
struct observe *observe_create(const struct observe_run *run);
void observe_destroy(struct observe *observe);
/* The outcome of the whole is in this record's header: the only part's, or one that joins them. */
struct record *observe_record(struct observe *observe);

/* A new reference, or NULL if memory is short. */
json_t *observe_report(struct observe *observe);
/* Exit status of the tool: a file that is no driver image at all is a mistake of usage. */
int observe_exit_status(struct record *record);
const char *observe_outcome_name(enum run_outcome outcome);
const char *observe_stage_name(enum run_stage stage);

/* Where files go. The clock decides only when a record has more to write than time was given. */
struct observe_folder {
    int folder;           /* an open directory */
    uint64_t deadline_ns; /* of CLOCK_PROCESS_CPUTIME_ID; 0: none */
};

/* A new file, never one that is there, never through a link. NULL: errno says why. */
FILE *observe_create_file(int folder, const char *name);
/* Closes it; false, with errno, if it was not written or cannot be closed in full. */
bool observe_close_file(FILE *file, bool written);
/* Writes every picture and document of the record into the folder, up to the first that cannot be
 * written. False: errno says why; ETIME: the time was up. */
bool observe_write_pictures(struct observe *observe, const struct observe_folder *to);
/* The same for the trace of the events. */
bool observe_write_trace(struct observe *observe, const struct observe_folder *to);

/* The verdict and what led to it. Colours if the terminal wants them. */
void observe_summary(struct observe *observe, FILE *to, bool colours);

/* One event in words, without its time. */
void observe_event_text(struct observe *observe, const struct event *event, char *text,
                        size_t size);

/* The same with its time, its processor and the object it is about. */
void observe_event_line(struct observe *observe, const struct event *event,
                        char line[OBSERVE_LINE_MAX]);

#endif

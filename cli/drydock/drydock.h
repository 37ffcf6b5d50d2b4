/* What the files of the drydock command share.
 *
 *     main.c ── options.c ─┬─ run.c ─┬─ parts.c ── supervise.c ── sandbox.c ── host_run()
 *                          │         │     └──── needs.c, narrow.c  once more, less varied
 *                          │         ├─ steps.c   once more, interrupted at each instruction
 *                          │         ├─ output.c  the folder of --out
 *                          │         ├─ junit.c   the file of --junit
 *                          │         └─ lines.c   the file of --lines; places.c
 *                          │              └─ symbolizer.c   what is where in the sources
 *                          ├─ inspect.c  info, imports
 *                          ├─ variations.c
 *                          ├─ diff.c
 *                          └─ rules.c
 *     files.c reads what the user names, inf.c a setup information file, plugin.c loads it; nothing
 * is read once the child is locked in. */
#ifndef DRYDOCK_H
#define DRYDOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "host/host.h"
#include "observe/observe.h"

enum exit_status {
    EXIT_CLEAN = 0,
    EXIT_BREACH = 1,
    EXIT_USAGE = 2,
    EXIT_OWN_FAULT = 3,
    EXIT_INCONCLUSIVE = 4,
    EXIT_PLUGIN_FAULT = 5,
};

#define IMAGES_MAX 64

/* ---- options.c ------------------------------------------------------------------------------- */

enum command {
    COMMAND_NONE,
    COMMAND_RUN,
    COMMAND_INFO,
    COMMAND_IMPORTS,
    COMMAND_RULES,
    COMMAND_VARIATIONS,
    COMMAND_DIFF,
    COMMAND_GDB,
    COMMAND_VERSIONS,
};

/* What --step asks for; see steps.c. */
struct step_options {
    bool given, all;
    unsigned point;       /* enum contract_point; unless all */
    uint64_t call;        /* its number, from 1 on; 0: one in the middle of the run */
    uint64_t first, last; /* instructions; 0: all */
};

struct options {
    enum command command;
    int argc; /* as they were given, for the command that runs it again */
    char **argv;
    const char *argument;        /* the driver, or a rule; NULL: none */
    const char *second_argument; /* of diff */
    bool json, in_process, require_sandbox, keep_events;
    const char *out, *junit, *lines, *registry, *inf, *images, *allocation_data;
    const char *device; /* NAME[,options], or options alone */
    const char *policy; /* a name or a path */
    const char *workloads[HOST_WORKLOADS_MAX];
    unsigned workload_count;
    bool seed_given, duration_given, parts_given;
    struct step_options step;
    const char *vary;       /* one part, with these variations; NULL: parts as they come */
    unsigned part_count;    /* with the calm one */
    bool narrow;            /* look which variations a finding needs */
    bool until_finding;     /* no part behind the first that has one */
    uint64_t real_limit_ns; /* of the whole run, by the wall clock; 0: none */
    struct host_setting settings[HOST_SETTINGS_MAX];         /* of --alternative */
    struct host_setting address_settings[HOST_SETTINGS_MAX]; /* of --addresses */
    struct host_options host;
};

/* Returns false if the program is to end with *status: after --help, or wrong options. */
bool options_parse(int argc, char **argv, struct options *options, enum exit_status *status);

/* ---- files.c --------------------------------------------------------------------------------- */

/* Every .png of a folder, by name. False: a sentence is in error. */
bool images_read(const char *folder, struct drydock_image images[IMAGES_MAX], unsigned *count,
                 char *error, size_t error_size);
#define ALLOCATION_DATA_MAX 64
/* The lines of a file of --allocation-data; README has the form. False: a sentence is in error. */
bool allocation_data_read(const char *path,
                          struct drydock_allocation_data data[ALLOCATION_DATA_MAX], unsigned *count,
                          char *error, size_t error_size);
bool file_is_elf(const void *bytes, size_t size);

/* The built-in driver; size 0 if this build has none. */
extern const unsigned char builtin_driver[];
extern const unsigned char builtin_driver_end[];
#define BUILTIN_DRIVER_NAME "softgpu.sys"
/* Reads options->argument, or takes the built-in driver. False: a sentence is in error. */
bool driver_choose(struct options *options, char *error, size_t error_size);

/* ---- plugin.c -------------------------------------------------------------------------------- */

/* Load what the user named into options->host. False: a sentence is in error. */
bool device_choose(struct options *options, char *error, size_t error_size);
bool policy_choose(struct options *options, char *error, size_t error_size);
/* In the place of a workload's name: all of ours; and none of those named before, as a replay says
 * it of a part that has fewer. */
#define WORKLOADS_ALL  "all"
#define WORKLOADS_NONE "none"
bool workloads_choose(struct options *options, char *error, size_t error_size);
/* The end of the tool: libraries that were loaded have no part in it. */
_Noreturn void plugins_leave(enum exit_status status);

/* ---- output.c -------------------------------------------------------------------------------- */

struct parts;

/* The folder of --out, locked; folder -1: none is wanted. */
struct output {
    const char *path;
    int folder;
};

/* Each says on standard error what does not work. */
bool output_open(const char *path, struct output *output);
bool output_write_pictures(const struct output *output, struct observe *observe);
bool output_write_report(const struct output *output, const json_t *report);
/* The events of each part, for drydock diff. */
#define OUTPUT_EVENTS_FORMAT "events-%s.bin"
bool output_write_events(const struct output *output, const struct parts *parts);
void output_close(struct output *output);

/* ---- junit.c --------------------------------------------------------------------------------- */

/* Writes the report as JUnit's XML. False: it was said why not. */
bool junit_write(const char *path, json_t *report);

/* ---- waivers.c ------------------------------------------------------------------------------- */

/* "CAPS-007,LEAK"; a file with a name and a reason in each line. False: a sentence was said. */
bool waivers_take_list(const char *list);
bool waivers_take_file(const char *path);
/* For the report: [{"rule", "reason"}], a new reference. */
json_t *waivers_value(void);

/* ---- supervise.c ----------------------------------------------------------------------------- */

/* A child and what it does. */
struct supervision {
    struct record *record;
    void (*work)(void *argument); /* runs in the child */
    void *argument;
    const struct host_options *host; /* what runs there */
    struct observe_sandbox sandbox;  /* out: how far it came */
    bool cut_short;                  /* out: a limit or the user ended it, or it never began */
};

struct supervisions {
    struct supervision *jobs; /* at most PARTS_MAX */
    unsigned count, at_once;
    const struct options *options; /* what all have in common */
    const struct parts *over;      /* whose records no child may reach, either; or NULL */
    bool is_trial;                 /* what the children print is nobody's */
    bool progress;                 /* show it on standard error */
    bool until_finding;            /* no job behind the first whose record has one */
};

/* Runs each job in a child that gave up its rights and reaches no record but its own, so many at
 * once; waits for their ends, and sees to it that each record has an outcome. The real limit counts
 * from the first call. Returns how many jobs count: what the others began is worth nothing. */
unsigned supervise(const struct supervisions *supervisions);

/* ---- sandbox.c ------------------------------------------------------------------------------- */

/* Gives up the rights of this process for good. If the driver is an ELF module, it and its
 * libraries can still be opened, else no file. */
void sandbox_enter(const struct options *options, struct observe_sandbox *out);
/* When the driver is in memory: what was there before it stays as it is from now on. */
void sandbox_seal(void);
/* For a process that is about to become a tool: it may read the file and the system's libraries,
 * for so many seconds of processor time. */
bool sandbox_tool(const char *file, unsigned seconds);
/* Ends the process; whoever else does is told as the one who did. */
_Noreturn void sandbox_leave(void);

/* ---- own_settings.c -------------------------------------------------------------------------- */

/* The user's own choice, of alternatives or of addresses, comes first. */
void own_settings_choose(struct host_options *host);

/* ---- parts.c --------------------------------------------------------------------------------- */

#define PARTS_MAX    16
#define REPLAY_BYTES 12288

/* One run from power-on to power-off. */
struct part {
    struct host_options host;
    struct record *record;
    char name[24];
    char variations[VARY_LIST_MAX];
    char replay[REPLAY_BYTES];
};

#define NEEDS_MAX       2 /* findings whose needs are looked for */
#define NEED_TEXTS_MAX  5
#define NEED_TEXT_BYTES 1024

/* What a finding needs, and where its words are. */
struct need {
    struct observe_need told;
    char variations[VARY_LIST_MAX], replay[REPLAY_BYTES];
    char texts[NEED_TEXTS_MAX][NEED_TEXT_BYTES];
    const char *text_list[NEED_TEXTS_MAX];
};

#define STEPS_MAX 64 /* calls */

/* What came of stepping one call. */
struct step_summary {
    const char *ddi;
    uint64_t call, instructions;
    unsigned trials, stops, interrupts, findings;
};

struct parts {
    struct part all[PARTS_MAX];
    struct observe_part told[PARTS_MAX]; /* for the report; of the same order */
    unsigned count;
    char replay[REPLAY_BYTES]; /* of all of them */
    struct need needs[NEEDS_MAX];
    struct observe_need needs_told[NEEDS_MAX]; /* for the report */
    unsigned need_count;
    struct step_summary steps[STEPS_MAX];
    unsigned step_count;
};

/* Reads and chooses what the options name. False: a sentence is in error. */
bool parts_gather(struct options *options, char *error, size_t error_size);
/* Runs all parts as the options say; afterwards each has a record with an outcome. False: a message
 * was given. Either way parts_destroy() is for the caller. */
bool parts_run(struct options *options, struct parts *parts);
void parts_destroy(struct parts *parts);
/* A record of its own, and what finish_part() says. False: a message was given. */
bool part_make(struct part *part, const struct options *options);
/* The names of its variations, and the command that runs it; says_variations: with --vary. */
void part_describe(const struct options *options, struct part *part, bool says_variations);
/* Runs one; the argument of a supervision. */
void part_work(void *part);
/* One more, as the user said, with a record. NULL: a message was given. */
struct part *part_add(struct parts *parts, const struct options *options);
/* When it is what it shall be: the words of the report on it. */
void part_finish(const struct options *options, struct part *part, struct observe_part *told);

/* ---- steps.c --------------------------------------------------------------------------------- */

/* The argument of --step: DDI, DDI:CALL, DDI:CALL:N, DDI:CALL:N-M, all or none. False: it is none
 * of those. */
bool steps_read(const char *text, struct step_options *out);
/* One call, one instruction: a run like any other. */
bool steps_is_one_trial(const struct step_options *step);
/* What the run then does; lives as long as the program. */
const struct ddi_step *steps_one(const struct step_options *step);
/* In the words of --step. */
void steps_describe(const struct ddi_step *step, char *text, size_t size);
/* A calm part, and a part for each trial that found something. False: a message was given. */
bool steps_run(const struct options *options, struct parts *parts);
void steps_tell(const struct parts *parts, FILE *to);
/* For the report: a new reference. */
json_t *steps_value(const struct parts *parts);

/* ---- needs.c --------------------------------------------------------------------------------- */

/* Runs varied parts with findings again, until it is known which variations those need. */
void needs_find(const struct options *options, struct parts *parts);

/* ---- places.c -------------------------------------------------------------------------------- */

/* Looks the driver's addresses of all findings up in its debug data. */
void places_find(const struct options *options, const struct parts *parts);
/* What the first address of the text is in the sources, "Function, source.c:12"; *rest is behind
 * it. NULL: there is none that is known. */
const char *places_text(const char *text, const char **rest);

/* ---- The commands ---------------------------------------------------------------------------- */

enum exit_status run_command(struct options *options);
enum exit_status info_command(struct options *options);
/* What the driver said of itself in that run; NULL: nothing. */
json_t *info_find(struct record *record);
enum exit_status versions_command(struct options *options);
enum exit_status imports_command(struct options *options);
enum exit_status rules_command(const struct options *options);
enum exit_status variations_command(const struct options *options);
enum exit_status diff_command(const struct options *options);
/* Does not return when it is well. */
enum exit_status gdb_command(struct options *options);

extern const struct observe_names record_names;
/* What of the contract this build judges, by whose duty it is. */
void count_rules(struct observe_rules by_duty[OBSERVE_DUTY_COUNT]);
bool colours_wanted(void);

/* "drydock: ..." on standard error. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

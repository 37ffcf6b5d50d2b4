/* drydock run: gathers what the run needs, has it run, and tells what came of it. */
#include "drydock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "contract/contract.h"
#include "nt/nt.h"
#include "vidmm/vidmm.h"

#ifndef DRYDOCK_VERSION
#define DRYDOCK_VERSION "unknown"
#endif

#define EVENTS_KEPT  (UINT64_C(1) << 20)
#define BLOB_BYTES   (UINT64_C(512) << 20)
#define REPLAY_BYTES 4096

/* ---- Names for the readers of the record ----------------------------------------------------- */

static const char *point_name(unsigned point)
{
    return point < POINT_COUNT ? contract_point_info((enum contract_point)point)->name : NULL;
}

static const char *rule_name(unsigned rule)
{
    return rule < CONTRACT_RULE_COUNT ? contract_rule_info((enum contract_rule)rule)->id : NULL;
}

static enum observe_duty rule_duty(unsigned rule)
{
    switch (contract_rule_info((enum contract_rule)rule)->duty) {
    case CONTRACT_DRIVER:
        return OBSERVE_DRIVER;
    case CONTRACT_KERNEL:
        return OBSERVE_KERNEL;
    default:
        return OBSERVE_BOTH;
    }
}

static const char *export_name(unsigned index)
{
    size_t count;
    const struct nt_export *exports = nt_exports(&count);

    return index < count ? exports[index].name : NULL;
}

static const char *paging_name(unsigned kind)
{
    return kind < VIDMM_OP_KIND_COUNT ? vidmm_op_name((enum vidmm_op_kind)kind) : NULL;
}

static const char *packet_name(unsigned kind)
{
    static const char *const names[] = {"render",         "present",          "paging", "flip",
                                        "context switch", "flip by register", "wait",   "signal"};

    return kind < sizeof names / sizeof names[0] ? names[kind] : NULL;
}

const struct observe_names record_names = {
    .point = point_name,
    .ddi_count = POINT_DDI_COUNT,
    .rule = rule_name,
    .duty = rule_duty,
    .kernel_export = export_name,
    .paging_operation = paging_name,
    .packet_kind = packet_name,
};

/* ---- What the run needs ---------------------------------------------------------------------- */

static bool read_registry(struct options *options, char *error, size_t error_size)
{
    void *bytes = NULL;
    size_t size;

    if (!options->registry) {
        return true;
    }
    if (!file_read(options->registry, 16u << 20, &bytes, &size, error, error_size)) {
        return false;
    }
    options->host.registry =
        (struct host_file){.name = options->registry, .bytes = bytes, .size = size};
    return true;
}

static bool read_images(struct options *options, char *error, size_t error_size)
{
    static struct drydock_image images[IMAGES_MAX];

    options->host.images = images;
    return !options->images ||
           images_read(options->images, images, &options->host.image_count, error, error_size);
}

static bool gather(struct options *options, char *error, size_t error_size)
{
    return driver_choose(options, error, error_size) && read_registry(options, error, error_size) &&
           read_images(options, error, error_size) && device_choose(options, error, error_size) &&
           workloads_choose(options, error, error_size);
}

/* ---- One run --------------------------------------------------------------------------------- */

struct work {
    const struct options *options;
    struct record *record;
};

static void work(void *argument)
{
    const struct work *work = argument;

    host_run(&work->options->host, work->record);
}

struct record *run_once(struct options *options, struct observe_sandbox *sandbox)
{
    struct record *record = record_create(EVENTS_KEPT, BLOB_BYTES);
    struct work job = {.options = options, .record = record};
    char error[1024];

    *sandbox = (struct observe_sandbox){0};
    if (!record) {
        complain("out of memory");
        return NULL;
    }
    record_attach(record);
    snprintf(record_header(record)->driver, sizeof record_header(record)->driver, "%s",
             options->argument ? options->argument : BUILTIN_DRIVER_NAME);
    record_header(record)->seed = options->host.seed;
    if (!gather(options, error, sizeof error)) {
        record_set_outcome(RUN_OUTCOME_USAGE, "%s", error);
        record_finish(record);
    } else if (options->in_process) {
        work(&job);
    } else {
        *sandbox = supervise(&(struct supervision){
            .record = record,
            .options = options,
            .work = work,
            .argument = &job,
            .progress = isatty(STDERR_FILENO) && !options->host.verbose,
        });
    }
    return record;
}

/* ---- The command that runs it again ---------------------------------------------------------- */

static void append_word(char *line, size_t size, const char *word)
{
    size_t used = strlen(line);
    bool plain =
        word[0] != '\0' && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789-_./=,:+@%") == strlen(word);

    if (plain) {
        snprintf(line + used, size - used, "%s%s", used ? " " : "", word);
        return;
    }
    used += (size_t)snprintf(line + used, size - used, "%s'", used ? " " : "");
    for (; *word && used + 8 < size; word++) {
        used += (size_t)snprintf(line + used, size - used, *word == '\'' ? "'\\''" : "%c", *word);
    }
    if (used + 2 < size) {
        memcpy(line + used, "'", 2);
    }
}

static void describe_replay(const struct options *options, int argc, char **argv, char *line,
                            size_t size)
{
    char seed[32];

    line[0] = '\0';
    for (int i = 0; i < argc; i++) {
        append_word(line, size - 64, argv[i]);
    }
    if (!options->seed_given) {
        append_word(line, size, "--seed");
        snprintf(seed, sizeof seed, "%llu", (unsigned long long)options->host.seed);
        append_word(line, size, seed);
    }
}

/* ---- Telling --------------------------------------------------------------------------------- */

static bool write_report(const char *folder, const json_t *report)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/report.json", folder);
    if (json_dump_file(report, path, JSON_INDENT(2)) != 0) {
        complain("%s: %s", path, strerror(errno));
        return false;
    }
    return true;
}

static bool write_files(struct observe *observe, const char *folder, const json_t *report)
{
    char path[4096];
    bool fine;

    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        complain("%s: %s", folder, strerror(errno));
        return false;
    }
    fine = write_report(folder, report);
    if (!observe_write_pictures(observe, folder)) {
        complain("%s: a picture cannot be written: %s", folder, strerror(errno));
        fine = false;
    }
    snprintf(path, sizeof path, "%s/trace.pftrace", folder);
    if (!observe_write_trace(observe, path)) {
        complain("%s: %s", path, strerror(errno));
        fine = false;
    }
    return fine;
}

static enum exit_status tell(const struct options *options, const struct observe_run *run)
{
    struct observe *observe = observe_create(run);
    json_t *report = observe ? observe_report(observe) : NULL;
    int status = observe_exit_status(run->record);

    if (!report) {
        complain("out of memory");
        observe_destroy(observe);
        return EXIT_OWN_FAULT;
    }
    observe_summary(observe, stderr, colours_wanted());
    if (options->out) {
        if (!write_files(observe, options->out, report)) {
            status = status == EXIT_CLEAN ? EXIT_USAGE : status;
        } else {
            fprintf(stderr, "  files     %s\n", options->out);
        }
    }
    if (options->json) {
        json_dumpf(report, stdout, JSON_INDENT(2));
        putchar('\n');
    }
    json_decref(report);
    observe_destroy(observe);
    return (enum exit_status)status;
}

enum exit_status run_command(struct options *options)
{
    struct observe_run run = {
        .names = &record_names,
        .version = DRYDOCK_VERSION,
        .rule_count = CONTRACT_RULE_COUNT,
    };
    static char replay[REPLAY_BYTES];

    describe_replay(options, options->argc, options->argv, replay, sizeof replay);
    count_rules(run.rules);
    run.replay = replay;
    run.record = run_once(options, &run.sandbox);
    if (!run.record) {
        return EXIT_OWN_FAULT;
    }
    enum exit_status status = tell(options, &run);
    record_destroy(run.record);
    return status;
}

/* drydock run: has it run, and tells what came of it. */
#include "drydock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "contract/contract.h"
#include "nt/nt.h"
#include "vidmm/vidmm.h"

#ifndef DRYDOCK_VERSION
#define DRYDOCK_VERSION "unknown"
#endif

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
    int status = observe ? observe_exit_status(observe_record(observe)) : EXIT_OWN_FAULT;

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
    static struct parts parts;
    struct observe_run run = {
        .names = &record_names,
        .version = DRYDOCK_VERSION,
        .rule_count = CONTRACT_RULE_COUNT,
    };
    enum exit_status status = EXIT_OWN_FAULT;

    count_rules(run.rules);
    if (parts_run(options, &parts)) {
        run.replay = parts.replay;
        run.parts = parts.told;
        run.part_count = parts.count;
        status = tell(options, &run);
    }
    parts_destroy(&parts);
    return status;
}

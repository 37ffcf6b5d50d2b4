/* drydock run: has it run, and tells what came of it. */
#include "drydock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contract/contract.h"
#include "ddi/ddi.h"
#include "lines.h"
#include "nt/nt.h"
#include "vidmm/vidmm.h"
#include "vidsch/vidsch.h"

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
    static const char *const names[VIDSCH_PACKET_KIND_COUNT] = {
        [VIDSCH_PACKET_RENDER] = "render",
        [VIDSCH_PACKET_PRESENT] = "present",
        [VIDSCH_PACKET_PAGING] = "paging",
        [VIDSCH_PACKET_CONTEXT_SWITCH] = "context switch",
        [VIDSCH_PACKET_HW_QUEUE] = "hardware queue",
        [VIDSCH_PACKET_SOFTWARE] = "software",
        [VIDSCH_PACKET_WAIT] = "wait",
        [VIDSCH_PACKET_SIGNAL] = "signal",
    };

    return kind < VIDSCH_PACKET_KIND_COUNT ? names[kind] : NULL;
}

static bool resets(unsigned point)
{
    return point == POINT_ResetFromTimeout || point == POINT_ResetEngine ||
           point == POINT_ResetHwEngine;
}

static const char *variation_name(unsigned index)
{
    return index < VARY_COUNT ? vary_info((enum variation)index)->name : NULL;
}

const struct observe_names record_names = {
    .point = point_name,
    .ddi_count = POINT_DDI_COUNT,
    .ddi_prefix = "DxgkDdi",
    .callback_count = POINT_DriverEntry - POINT_FIRST_CALLBACK,
    .rule = rule_name,
    .duty = rule_duty,
    .kernel_export = export_name,
    .paging_operation = paging_name,
    .packet_kind = packet_name,
    .resets = resets,
    .member = contract_member_name,
    .operation = contract_operation_name,
    .variation = variation_name,
    .why_not_called = ddi_why_not_called,
    .mending = contract_mending,
    .page = contract_page,
};

/* ---- Telling --------------------------------------------------------------------------------- */

static bool print_report(const json_t *report)
{
    if (json_dumpf(report, stdout, JSON_INDENT(2)) != 0 || putchar('\n') < 0 ||
        fflush(stdout) != 0) {
        complain("standard output: %s", strerror(errno));
        return false;
    }
    return true;
}

static void unsay_pass(struct record *record, const char *why)
{
    if (observe_exit_status(record) == EXIT_CLEAN) {
        record_attach(record);
        record_set_outcome(RUN_OUTCOME_USAGE, "%s", why);
    }
}

/* What could not be written is no pass, and the report, written last, does not say so. */
static enum exit_status tell(const struct options *options, const struct output *output,
                             const struct observe_run *run, const struct parts *parts)
{
    bool steps = options->step.given && !steps_is_one_trial(&options->step);

    struct observe *observe = observe_create(run);
    bool fine = observe && output_write_pictures(output, observe);

    if (observe && !fine) {
        unsay_pass(observe_record(observe), "the files of the run cannot be written");
    }
    json_t *report = observe ? observe_report(observe) : NULL;
    if (!report) {
        complain("no memory for the report: %s", strerror(errno));
        observe_destroy(observe);
        return EXIT_OWN_FAULT;
    }
    json_object_set_new(report, "waivers", waivers_value());
    fine = (!options->lines || lines_write(options->lines)) && fine;
    if (options->lines) {
        json_object_set_new(json_object_get(report, "coverage"), "source", lines_value());
    }
    if (steps) {
        json_object_set_new(report, "steps", steps_value(parts));
    }
    fine = output_write_report(output, report) && fine;
    fine = (!options->junit || junit_write(options->junit, report)) && fine;
    fine = (!options->json || print_report(report)) && fine;
    if (!fine) {
        unsay_pass(observe_record(observe), "the report cannot be written");
    }
    observe_summary(observe, stderr, colours_wanted());
    if (steps) {
        steps_tell(parts, stderr);
    }
    if (options->lines) {
        lines_tell(stderr);
    }
    if (output->path && fine) {
        fprintf(stderr, "  files     %s\n", output->path);
    }
    enum exit_status status = (enum exit_status)observe_exit_status(observe_record(observe));
    json_decref(report);
    observe_destroy(observe);
    return status;
}

enum exit_status run_command(struct options *options)
{
    static struct parts parts;
    struct observe_run run = {
        .names = &record_names,
        .version = DRYDOCK_VERSION,
        .rule_count = CONTRACT_RULE_COUNT,
        .source_place = places_text,
    };
    enum exit_status status = EXIT_OWN_FAULT;
    struct output output;

    if (!output_open(options->out, &output)) {
        return EXIT_USAGE;
    }
    count_rules(run.rules);
    if (parts_run(options, &parts)) {
        run.replay = parts.replay;
        places_find(options, &parts);
        run.parts = parts.told;
        run.part_count = parts.count;
        run.needs = parts.needs_told;
        run.need_count = parts.need_count;
        bool kept = !options->keep_events || output_write_events(&output, &parts);
        status = tell(options, &output, &run, &parts);
        if (!kept && status == EXIT_CLEAN) {
            status = EXIT_USAGE;
        }
    }
    parts_destroy(&parts);
    output_close(&output);
    return status;
}

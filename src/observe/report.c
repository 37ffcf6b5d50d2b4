/* The report as a JSON document. */
#include "observe/internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

int observe_exit_status(struct record *record)
{
    const struct record_header *header = record_header(record);

    switch ((enum run_outcome)header->outcome) {
    case RUN_OUTCOME_PASS:
        return 0;
    case RUN_OUTCOME_BREACH:
    case RUN_OUTCOME_FAULT:
        return 1;
    case RUN_OUTCOME_REFUSED:
        return header->stage <= RUN_STAGE_LOAD ? 2 : 1;
    case RUN_OUTCOME_USAGE:
        return 2;
    case RUN_OUTCOME_INCONCLUSIVE:
    case RUN_OUTCOME_UNSUPPORTED:
        return 4;
    case RUN_OUTCOME_DEVICE_FAULT:
    case RUN_OUTCOME_WORKLOAD_FAULT:
        return 5;
    default:
        return 3;
    }
}

/* Texts of the record are bytes; the document holds UTF-8 only. */
static json_t *text_value(const char *text)
{
    json_t *value = json_string(text);
    char plain[4096];

    if (value) {
        return value;
    }
    snprintf(plain, sizeof plain, "%s", text);
    text_make_plain(plain, strlen(plain));
    return json_string(plain);
}

static json_t *hex_value(uint64_t value)
{
    return json_sprintf("0x%" PRIX64, value);
}

/* ---- Counters -------------------------------------------------------------------------------- */

/* Groups that stand at the top of the report, with the names that are always there. */
static const struct {
    const char *prefix, *key;
    const char *always[8];
} groups[] = {
    {"paging", "paging_operations", {NULL}},
    {"fences", "fences", {"submitted", "completed", "lost", "cancelled", "preempted", "resets"}},
    {"memory", "memory", {"paged_in", "paged_out", "lost", "evictions"}},
    {"present", "present", {"frames", "flips", "wrong_pixels"}},
    {"scheduling", "scheduling", {"contexts", "ran_us", "wanted_us"}},
};

#define GROUP_COUNT (sizeof groups / sizeof groups[0])

/* The object that holds "b" of "a.b", made on the way. */
static json_t *nest(json_t *object, char *path, const char **leaf)
{
    char *dot;

    while ((dot = strchr(path, '.')) != NULL) {
        *dot = '\0';
        json_t *inner = json_object_get(object, path);
        if (!json_is_object(inner)) {
            inner = json_object();
            json_object_set_new(object, path, inner);
        }
        object = inner;
        path = dot + 1;
    }
    *leaf = path;
    return object;
}

/* A table of JSON takes no key that is not UTF-8. */
static void make_plain(char *name)
{
    for (; *name; name++) {
        if ((unsigned char)*name >= 128) {
            *name = '?';
        }
    }
}

static void put_counter(json_t *report, json_t *others, const struct record_counter *counter)
{
    char name[sizeof counter->name];
    const char *leaf;
    json_t *into = others;
    char *path = name;

    memcpy(name, counter->name, sizeof name);
    name[sizeof name - 1] = '\0';
    make_plain(name);
    for (size_t i = 0; i < GROUP_COUNT; i++) {
        size_t length = strlen(groups[i].prefix);
        if (strncmp(name, groups[i].prefix, length) == 0 && name[length] == '.') {
            into = json_object_get(report, groups[i].key);
            path = name + length + 1;
        }
    }
    into = nest(into, path, &leaf);
    json_object_set_new(into, leaf, observe_number(counter->value));
}

static double take_number(json_t *from, const char *name)
{
    double number = json_number_value(json_object_get(from, name));

    json_object_del(from, name);
    return number;
}

/* Jain's index of the shares: their sum squared, of their number times the sum of their squares. */
static void put_fairness(json_t *scheduling)
{
    double sum = take_number(scheduling, "shares");
    double squares = take_number(scheduling, "squared_shares");
    double contexts = json_number_value(json_object_get(scheduling, "contexts"));

    json_object_set_new(scheduling, "fairness",
                        squares > 0 ? json_real(sum * sum / (contexts * squares)) : json_null());
}

static void put_counters(struct observe *observe, json_t *report)
{
    const struct record_header *header = record_header(observe->join->record);
    uint32_t count = header->counter_count;
    json_t *others = json_object();

    for (size_t i = 0; i < GROUP_COUNT; i++) {
        json_t *group = json_object();
        for (size_t j = 0; j < 8 && groups[i].always[j]; j++) {
            json_object_set_new(group, groups[i].always[j], json_integer(0));
        }
        json_object_set_new(report, groups[i].key, group);
    }
    for (uint32_t i = 0; i < count && i < RECORD_COUNTERS_MAX; i++) {
        put_counter(report, others, &header->counters[i]);
    }
    json_object_set_new(report, "counters", others);
    put_fairness(json_object_get(report, "scheduling"));
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static json_t *ddis(struct observe *observe)
{
    const struct record_header *header = record_header(observe->join->record);
    json_t *all = json_object();

    for (unsigned i = 0; i < observe->names->ddi_count && i < RECORD_DDI_MAX; i++) {
        if (header->ddi[i].calls > 0) {
            json_object_set_new(all, observe_point(observe, i),
                                json_pack("{s:o, s:o}", "calls",
                                          observe_number(header->ddi[i].calls), "failures",
                                          observe_number(header->ddi[i].failures)));
        }
    }
    return all;
}

/* ---- The contract ---------------------------------------------------------------------------- */

static const char *weight_name(uint32_t weight)
{
    return weight == RECORD_ADVICE ? "advice" : weight == RECORD_WAIVED ? "waived" : "breach";
}

/* The names of those parts that have a bit. */
static json_t *part_names(const struct observe *observe, uint32_t seen_in)
{
    json_t *names = json_array();

    for (unsigned i = 0; i < observe->run->part_count; i++) {
        if (seen_in & 1u << i) {
            json_array_append_new(names, text_value(observe->run->parts[i].name));
        }
    }
    return names;
}

static json_t *source_places(const struct observe *observe, const char *text)
{
    json_t *list = json_array();
    const char *place;

    while (observe->run->source_place &&
           (place = observe->run->source_place(text, &text)) != NULL) {
        json_array_append_new(list, text_value(place));
    }
    return list;
}

static json_t *need_texts(const struct observe_need *need)
{
    json_t *texts = json_array();

    for (unsigned i = 0; need && i < need->text_count; i++) {
        json_array_append_new(texts, text_value(need->texts[i]));
    }
    return texts;
}

static json_t *finding_value(struct observe *observe, const struct observe_finding *finding)
{
    static char lines[OBSERVE_HISTORY_MAX][OBSERVE_LINE_MAX];
    json_t *arguments = json_array(), *history = json_array(), *value = json_object();
    const struct record_breach *breach = finding->breach;
    unsigned count = observe_history(finding->view, breach, lines);
    char object[64] = "", page[OBSERVE_LINE_MAX];

    for (unsigned i = 0; i < count; i++) {
        json_array_append_new(history, text_value(lines[i]));
    }
    for (unsigned i = 0; i < 4; i++) {
        json_array_append_new(arguments, hex_value(breach->bugcheck_argument[i]));
    }
    if (breach->object) {
        observe_object_text(finding->view, breach->object, object, sizeof object);
    }
    json_object_set_new(value, "rule", text_value(breach->rule));
    json_object_set_new(value, "ddi", text_value(breach->ddi));
    json_object_set_new(value, "expected", text_value(breach->expected));
    json_object_set_new(value, "actual", text_value(breach->actual));
    json_object_set_new(value, "object", breach->object ? json_string(object) : json_null());
    json_object_set_new(value, "bugcheck",
                        breach->bugcheck ? hex_value(breach->bugcheck) : json_null());
    json_object_set_new(value, "arguments", arguments);
    json_object_set_new(value, "count", json_integer(finding->count));
    json_object_set_new(value, "fatal", json_boolean(breach->fatal));
    json_object_set_new(value, "weight", json_string(weight_name(breach->weight)));
    json_object_set_new(value, "source", source_places(observe, breach->actual));
    const char *mending = observe_mending(observe, breach);
    json_object_set_new(value, "mend", mending ? json_string(mending) : json_null());
    json_object_set_new(value, "page",
                        observe_page(observe, breach, page) ? json_string(page) : json_null());
    json_object_set_new(value, "history", history);
    json_object_set_new(value, "parts", part_names(observe, finding->seen_in));
    json_object_set_new(value, "needs",
                        finding->need ? observe_variations(finding->need->variations)
                                      : json_null());
    json_object_set_new(value, "needs_text", need_texts(finding->need));
    json_object_set_new(value, "replay", text_value(finding->replay));
    return value;
}

const char *observe_duty_name(enum observe_duty duty)
{
    static const char *const names[] = {"driver", "kernel", "both"};

    return names[duty];
}

static uint64_t looks_at(const struct record_header *header, unsigned rule)
{
    return header->rule_checks[RECORD_DRIVER][rule] + header->rule_checks[RECORD_KERNEL][rule];
}

uint64_t observe_looks(const struct observe *observe, unsigned judged[OBSERVE_DUTY_COUNT])
{
    const struct record_header *header = record_header(observe->join->record);
    uint64_t looks = 0;

    for (unsigned i = 0; i < OBSERVE_DUTY_COUNT; i++) {
        judged[i] = 0;
    }
    for (unsigned i = 0; i < observe->run->rule_count && i < RECORD_RULES_MAX; i++) {
        uint64_t of_rule = looks_at(header, i);
        looks += of_rule;
        judged[observe->names->duty(i)] += of_rule > 0;
    }
    return looks;
}

/* Rules by whose duty they are: a count of all says little of how well a driver is judged. */
static json_t *rules_by_duty(const struct observe *observe, const unsigned *judged)
{
    json_t *value = json_object();

    for (unsigned i = 0; i < OBSERVE_DUTY_COUNT; i++) {
        const struct observe_rules *rules = &observe->run->rules[i];
        json_object_set_new(value, observe_duty_name((enum observe_duty)i),
                            json_pack("{s:i, s:i, s:i, s:i}", "rules", (int)rules->count,
                                      "enforced", (int)rules->enforced, "tested",
                                      (int)rules->tested, "judged", (int)judged[i]));
    }
    return value;
}

static json_t *contract(struct observe *observe)
{
    const struct record_header *header = record_header(observe->join->record);
    json_t *breaches = json_array(), *value = json_object(), *by_rule = json_object();
    struct observe_finding finding;
    unsigned judged[OBSERVE_DUTY_COUNT], enforced = 0, tested = 0;
    uint64_t checks = observe_looks(observe, judged);

    for (unsigned i = 0; i < observe->run->rule_count && i < RECORD_RULES_MAX; i++) {
        const char *id = observe->names->rule(i);
        if (looks_at(header, i) > 0 && id) {
            json_object_set_new(by_rule, id, observe_number(looks_at(header, i)));
        }
    }
    for (uint32_t i = 0; observe_finding_at(observe, i, &finding); i++) {
        json_array_append_new(breaches, finding_value(observe, &finding));
    }
    for (unsigned i = 0; i < OBSERVE_DUTY_COUNT; i++) {
        enforced += observe->run->rules[i].enforced;
        tested += observe->run->rules[i].tested;
    }
    json_object_set_new(value, "rules", json_integer(observe->run->rule_count));
    json_object_set_new(value, "enforced", json_integer(enforced));
    json_object_set_new(value, "tested", json_integer(tested));
    json_object_set_new(value, "by_duty", rules_by_duty(observe, judged));
    json_object_set_new(value, "checks", observe_number(checks));
    json_object_set_new(value, "breaches", breaches);
    json_object_set_new(value, "checks_by_rule", by_rule);
    return value;
}

/* ---- The rest -------------------------------------------------------------------------------- */

static json_t *notes(struct observe *observe)
{
    json_t *list = json_array();
    const char *note;

    for (uint32_t i = 0; (note = record_note_at(observe->join->record, i)) != NULL; i++) {
        json_array_append_new(list, text_value(note));
    }
    return list;
}

static json_t *frames(struct observe *observe)
{
    struct observe_pictures at = {0};
    json_t *list = json_array();
    char name[OBSERVE_NAME_MAX];
    struct record_blob blob;

    while (observe_next_blob(observe, &at, &blob)) {
        if (blob.kind == RECORD_BLOB_FRAME) {
            observe_picture_name(&blob, name);
            json_array_append_new(
                list, json_pack("{s:s, s:o, s:I, s:I}", "file", name, "label",
                                text_value(record_text_at(observe->record, blob.label)), "width",
                                (json_int_t)blob.width, "height", (json_int_t)blob.height));
        }
    }
    return list;
}

/* What the driver left of its device's state before it was reset: files beside the report. */
static json_t *debug_information(struct observe *observe)
{
    json_t *list = json_array();
    char name[OBSERVE_NAME_MAX];
    struct record_blob blob;

    for (unsigned part = 0; part < observe->run->part_count; part++) {
        struct observe_debug at = {0};
        while (observe_next_debug(observe->join->parts[part]->record, &at, &blob)) {
            observe_debug_name(part, &blob, name);
            json_array_append_new(
                list, json_pack("{s:s, s:o, s:o, s:I, s:I, s:I}", "file", name, "part",
                                text_value(observe->run->parts[part].name), "time_ns",
                                observe_number(blob.time_ns), "reason", (json_int_t)blob.reason,
                                "bucketing_key", (json_int_t)blob.bucket, "bytes",
                                (json_int_t)blob.size));
        }
    }
    return list;
}

/* What the monitor showed when the system had stopped and its screen been drawn by the driver. */
static json_t *stop_screens(struct observe *observe)
{
    json_t *list = json_array();
    char name[OBSERVE_NAME_MAX];
    struct record_blob blob;

    for (unsigned part = 0; part < observe->run->part_count; part++) {
        struct observe_debug at = {.screens = true};
        while (observe_next_debug(observe->join->parts[part]->record, &at, &blob)) {
            observe_screen_name(part, &blob, name);
            json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:I, s:I}", "file", name, "part",
                                                  text_value(observe->run->parts[part].name),
                                                  "time_ns", observe_number(blob.time_ns), "width",
                                                  (json_int_t)blob.width, "height",
                                                  (json_int_t)blob.height));
        }
    }
    return list;
}

/* What all parts could give up. */
static json_t *sandbox(const struct observe_run *run)
{
    struct observe_sandbox all = run->parts[0].sandbox;

    for (unsigned i = 1; i < run->part_count; i++) {
        const struct observe_sandbox *part = &run->parts[i].sandbox;
        all.process &= part->process;
        all.no_new_privileges &= part->no_new_privileges;
        all.filesystem &= part->filesystem;
        all.system_calls &= part->system_calls;
        all.limits &= part->limits;
    }
    return json_pack("{s:b, s:b, s:b, s:b, s:b}", "process", (int)all.process, "no_new_privileges",
                     (int)all.no_new_privileges, "filesystem", (int)all.filesystem, "system_calls",
                     (int)all.system_calls, "limits", (int)all.limits);
}

static json_t *events(const struct observe_join *join)
{
    return json_pack("{s:o, s:o}", "written", observe_number(join->events_written), "kept",
                     observe_number(join->events_kept));
}

/* ---- Parts ----------------------------------------------------------------------------------- */

static json_t *digest_value(uint64_t digest)
{
    return digest ? json_sprintf("%016" PRIx64, digest) : json_null();
}

static json_t *parts(const struct observe_run *run)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < run->part_count; i++) {
        const struct observe_part *part = &run->parts[i];
        const struct record_header *header = record_header(part->record);
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:s, s:o, s:s, s:o, s:o}", "name",
                            text_value(part->name), "seed", observe_number(part->seed),
                            "variations", observe_variations(part->variations), "outcome",
                            observe_outcome_name((enum run_outcome)header->outcome), "message",
                            text_value(header->message), "stage",
                            observe_stage_name((enum run_stage)header->stage), "digest",
                            digest_value(header->digest), "replay", text_value(part->replay)));
    }
    return list;
}

static json_t *timeouts(struct observe *observe)
{
    struct observe_timeout found[OBSERVE_TIMEOUTS_MAX];
    char text[OBSERVE_LINE_MAX * 2];
    json_t *list = json_array();

    for (unsigned part = 0; part < observe->run->part_count; part++) {
        const struct observe *view = observe->join->parts[part];
        unsigned count = observe_timeouts(view, found);
        for (unsigned i = 0; i < count && i < OBSERVE_TIMEOUTS_MAX; i++) {
            observe_timeout_text(view, &found[i], text, sizeof text);
            json_array_append_new(
                list,
                json_pack("{s:o, s:i, s:o, s:o, s:o, s:o}", "part",
                          text_value(observe->run->parts[part].name), "node", (int)found[i].node,
                          "time_ns", observe_number(found[i].at_ns), "packet",
                          found[i].packet_kind ? text_value(found[i].packet_kind) : json_null(),
                          "submissions", observe_number(found[i].submissions), "text",
                          text_value(text)));
        }
    }
    return list;
}

json_t *observe_report(struct observe *observe)
{
    const struct record_header *header = record_header(observe->join->record);
    const struct observe_run *run = observe->run;
    json_t *report = json_object();

    if (!report) {
        return NULL;
    }
    json_object_set_new(report, "schema", json_string(OBSERVE_SCHEMA));
    json_object_set_new(report, "version", json_string(run->version));
    json_object_set_new(report, "driver", text_value(header->driver));
    json_object_set_new(report, "seed", observe_number(header->seed));
    json_object_set_new(report, "digest", digest_value(header->digest));
    json_object_set_new(report, "outcome",
                        json_string(observe_outcome_name((enum run_outcome)header->outcome)));
    json_object_set_new(report, "message", text_value(header->message));
    json_object_set_new(report, "stage",
                        json_string(observe_stage_name((enum run_stage)header->stage)));
    json_object_set_new(report, "virtual_time_ns", observe_number(header->now_ns));
    json_object_set_new(report, "events", events(observe->join));
    json_object_set_new(report, "ddi", ddis(observe));
    put_counters(observe, report);
    json_object_set_new(report, "contract", contract(observe));
    json_object_set_new(report, "coverage", observe_coverage(observe));
    json_object_set_new(report, "parts", parts(run));
    json_object_set_new(report, "timeouts", timeouts(observe));
    json_object_set_new(report, "notes", notes(observe));
    json_object_set_new(report, "frames", frames(observe));
    json_object_set_new(report, "debug_information", debug_information(observe));
    json_object_set_new(report, "stop_screens", stop_screens(observe));
    json_object_set_new(report, "sandbox", sandbox(run));
    json_object_set_new(report, "replay", text_value(run->replay));
    return report;
}

/* drydock diff A B: where two runs begin to differ.
 *
 * A and B are folders that --out filled. Their reports are compared, and part by part the events,
 * where --keep-events kept them: the first that differs is told in words, with what came before.
 * Two runs of one driver with one seed differ in nothing. */
#include "drydock.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/record_file.h"
#include "base/text.h"
#include "contract/contract.h"

#define BEFORE_SHOWN 6u

struct side {
    const char *path;
    json_t *report;
};

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

/* A line on standard output; whatever the files say, a terminal is not told to do anything. */
static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
    char line[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text_make_plain(line, strlen(line));
    puts(line);
}

/* ---- Reports --------------------------------------------------------------------------------- */

static bool read_report(struct side *side)
{
    char path[4096];
    json_error_t error;

    if (snprintf(path, sizeof path, "%s/" OBSERVE_REPORT_FILE, side->path) >= (int)sizeof path) {
        complain("diff: the name of the folder is too long");
        return false;
    }
    side->report = json_load_file(path, 0, &error);
    if (!side->report) {
        complain("%s: %s; diff compares two folders that --out filled", path, error.text);
        return false;
    }
    if (strcmp(text_of(side->report, "schema"), OBSERVE_SCHEMA) != 0) {
        complain("%s: not a report of this version (%s)", path, OBSERVE_SCHEMA);
        return false;
    }
    return true;
}

/* A value of the report in few words: what differs inside an array is not told. */
static void value_text(const json_t *value, char *text, size_t size)
{
    char *dumped = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;

    snprintf(text, size, "%s", dumped ? dumped : "nothing");
    free(dumped);
}

static unsigned tell_difference(const char *name, const json_t *a, const json_t *b)
{
    char one[160], other[160];

    value_text(a, one, sizeof one);
    value_text(b, other, sizeof other);
    say("  %s: %s, then %s", name, one, other);
    return 1;
}

static unsigned compare(const char *name, const json_t *a, const json_t *b);

static unsigned compare_objects(const char *prefix, const json_t *a, const json_t *b)
{
    unsigned differences = 0;
    char name[256];
    json_t *value;
    const char *key;

    json_object_foreach((json_t *)(uintptr_t)a, key, value)
    {
        snprintf(name, sizeof name, "%s%s%s", prefix, prefix[0] ? "." : "", key);
        differences += compare(name, value, json_object_get(b, key));
    }
    json_object_foreach((json_t *)(uintptr_t)b, key, value)
    {
        if (!json_object_get(a, key)) {
            snprintf(name, sizeof name, "%s%s%s", prefix, prefix[0] ? "." : "", key);
            differences += tell_difference(name, NULL, value);
        }
    }
    return differences;
}

static unsigned compare(const char *name, const json_t *a, const json_t *b)
{
    if (json_is_object(a) && json_is_object(b)) {
        return compare_objects(name, a, b);
    }
    return json_equal(a, b) ? 0 : tell_difference(name, a, b);
}

/* ---- Findings -------------------------------------------------------------------------------- */

static const json_t *breaches_of(const struct side *side)
{
    return json_object_get(json_object_get(side->report, "contract"), "breaches");
}

static bool has_finding(const struct side *side, const json_t *wanted)
{
    const json_t *breaches = breaches_of(side), *breach;
    size_t i;

    json_array_foreach(breaches, i, breach)
    {
        if (strcmp(text_of(breach, "rule"), text_of(wanted, "rule")) == 0 &&
            strcmp(text_of(breach, "ddi"), text_of(wanted, "ddi")) == 0 &&
            strcmp(text_of(breach, "expected"), text_of(wanted, "expected")) == 0) {
            return true;
        }
    }
    return false;
}

static unsigned findings_of_one(const struct side *one, const struct side *other)
{
    const json_t *breaches = breaches_of(one), *breach;
    unsigned count = 0;
    size_t i;

    json_array_foreach(breaches, i, breach)
    {
        if (!has_finding(other, breach)) {
            say("  only %s: %s in %s: %s", one->path, text_of(breach, "rule"),
                text_of(breach, "ddi"), text_of(breach, "actual"));
            count++;
        }
    }
    return count;
}

/* ---- Events ---------------------------------------------------------------------------------- */

static struct record *load_events(const struct side *side, const char *part)
{
    char path[4096], error[4352];
    struct record *record = NULL;
    FILE *there;

    if (!strchr(part, '/') &&
        snprintf(path, sizeof path, "%s/" OUTPUT_EVENTS_FORMAT, side->path, part) <
            (int)sizeof path &&
        (there = fopen(path, "re")) != NULL) {
        fclose(there);
        record = record_load(path, error, sizeof error);
        if (!record) {
            complain("%s", error);
        }
    }
    return record;
}

static struct observe *reader_of(struct record *record, struct observe_part *part,
                                 struct observe_run *run)
{
    *part = (struct observe_part){.name = "", .record = record, .variations = "", .replay = ""};
    *run = (struct observe_run){.parts = part,
                                .part_count = 1,
                                .names = &record_names,
                                .version = "",
                                .replay = "",
                                .rule_count = CONTRACT_RULE_COUNT};
    return observe_create(run);
}

static void put_event(struct observe *reader, const char *mark, uint64_t index)
{
    const struct event *event = record_event_at(observe_record(reader), index);
    char text[OBSERVE_LINE_MAX];

    if (!event) {
        say("  %s  the record ends", mark);
        return;
    }
    observe_event_line(reader, event, text);
    say("  %s  %s", mark, text);
}

static bool same_event(struct record *a, struct record *b, uint64_t index)
{
    const struct event *one = record_event_at(a, index), *other = record_event_at(b, index);

    return one && other && memcmp(one, other, sizeof *one) == 0;
}

/* The ring has lost what came before. */
static uint64_t first_kept(struct record *record)
{
    const struct record_header *header = record_header(record);

    return header->event_count > header->event_capacity
               ? header->event_count - header->event_capacity
               : 0;
}

static void tell_first_difference(const char *part, struct record *a, struct record *b)
{
    uint64_t a_count = record_header(a)->event_count, b_count = record_header(b)->event_count;
    uint64_t end = a_count > b_count ? a_count : b_count;
    uint64_t index = first_kept(a) < first_kept(b) ? first_kept(a) : first_kept(b);
    struct observe_part parts[2];
    struct observe_run runs[2];

    while (index < end && !record_event_at(a, index) && !record_event_at(b, index)) {
        index++; /* the rings of both have lost it */
    }
    uint64_t first = index;
    while (index < end && same_event(a, b, index)) {
        index++;
    }
    if (index == end) {
        printf("part %s: %" PRIu64 " events are the same\n", part, end - first);
        return;
    }
    struct observe *one = reader_of(a, &parts[0], &runs[0]);
    struct observe *other = reader_of(b, &parts[1], &runs[1]);
    if (one && other) {
        uint64_t before = index - first < BEFORE_SHOWN ? index - first : BEFORE_SHOWN;
        printf("part %s: event %" PRIu64 " is the first that differs\n", part, index);
        for (uint64_t i = index - before; i < index; i++) {
            put_event(one, " ", i);
        }
        put_event(one, "<", index);
        put_event(other, ">", index);
    }
    observe_destroy(one);
    observe_destroy(other);
}

static void compare_events(const struct side sides[2])
{
    const json_t *parts = json_object_get(sides[0].report, "parts"), *part;
    size_t i;

    json_array_foreach(parts, i, part)
    {
        const char *name = text_of(part, "name");
        struct record *a = load_events(&sides[0], name), *b = load_events(&sides[1], name);
        if (a && b) {
            tell_first_difference(name, a, b);
        } else {
            say("part %s: no events to compare; --keep-events keeps them", name);
        }
        record_destroy(a);
        record_destroy(b);
    }
}

/* ---- The command ----------------------------------------------------------------------------- */

static const char *const compared[] = {"driver",          "seed",    "digest",
                                       "outcome",         "message", "stage",
                                       "virtual_time_ns", "ddi",     "paging_operations",
                                       "fences",          "memory",  "present",
                                       "counters"};

enum exit_status diff_command(const struct options *options)
{
    struct side sides[2] = {{.path = options->argument}, {.path = options->second_argument}};
    enum exit_status status = EXIT_USAGE;
    unsigned differences = 0;

    if (read_report(&sides[0]) && read_report(&sides[1])) {
        differences += findings_of_one(&sides[0], &sides[1]);
        differences += findings_of_one(&sides[1], &sides[0]);
        for (size_t i = 0; i < sizeof compared / sizeof compared[0]; i++) {
            differences += compare(compared[i], json_object_get(sides[0].report, compared[i]),
                                   json_object_get(sides[1].report, compared[i]));
        }
        compare_events(sides);
        say("%s", differences ? "the runs differ" : "the runs are the same");
        status = differences ? EXIT_BREACH : EXIT_CLEAN;
    }
    json_decref(sides[0].report);
    json_decref(sides[1].report);
    return status;
}

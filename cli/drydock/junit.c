/* --junit: the report as the XML that build servers read.
 *
 *     testsuite "parts"     a case for each part: did it pass
 *     testsuite "contract"  a case for each rule that the driver was judged by, and for each
 *                           finding: what is broken has its sentences
 *
 * It is made of the report alone, so that both say the same. There is no schema but habit: nothing
 * here is beyond what the common readers take. */
#include "drydock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

static void put_attribute(FILE *file, const char *name, const char *text)
{
    fprintf(file, " %s=\"", name);
    text_put_xml(file, text);
    fputc('"', file);
}

static void begin_case(FILE *file, const char *class, const char *name)
{
    fputs("    <testcase", file);
    put_attribute(file, "classname", class);
    put_attribute(file, "name", name);
    fputc('>', file);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

enum verdict { VERDICT_PASS, VERDICT_FAILURE, VERDICT_ERROR, VERDICT_SKIPPED, VERDICT_COUNT };

/* A driver fails; what is nobody's verdict about it is no failure of it. */
static enum verdict verdict_of(const char *outcome)
{
    static const struct {
        const char *outcome;
        enum verdict verdict;
    } known[] = {{"pass", VERDICT_PASS},
                 {"breach", VERDICT_FAILURE},
                 {"fault", VERDICT_FAILURE},
                 {"refused", VERDICT_FAILURE},
                 {"inconclusive", VERDICT_SKIPPED},
                 {"unsupported", VERDICT_SKIPPED}};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].outcome, outcome) == 0) {
            return known[i].verdict;
        }
    }
    return VERDICT_ERROR;
}

static void begin_suite(FILE *file, const char *name, size_t tests, const size_t *counts)
{
    fprintf(file,
            "  <testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
            "skipped=\"%zu\">\n",
            name, tests, counts[VERDICT_FAILURE], counts[VERDICT_ERROR], counts[VERDICT_SKIPPED]);
}

static void put_parts(FILE *file, const json_t *report)
{
    static const char *const elements[] = {NULL, "failure", "error", "skipped"};
    const json_t *parts = json_object_get(report, "parts"), *part;
    size_t counts[VERDICT_COUNT] = {0}, i;

    json_array_foreach(parts, i, part)
    {
        counts[verdict_of(text_of(part, "outcome"))]++;
    }
    begin_suite(file, "parts", json_array_size(parts), counts);
    json_array_foreach(parts, i, part)
    {
        const char *element = elements[verdict_of(text_of(part, "outcome"))];
        begin_case(file, "drydock.parts", text_of(part, "name"));
        if (element) {
            fprintf(file, "<%s", element);
            put_attribute(file, "type", text_of(part, "outcome"));
            put_attribute(file, "message", text_of(part, "message"));
            fputs("/>", file);
        }
        fputs("</testcase>\n", file);
    }
    fputs("  </testsuite>\n", file);
}

/* ---- Rules and findings ---------------------------------------------------------------------- */

static bool counts_against(const json_t *breach)
{
    return strcmp(text_of(breach, "weight"), "breach") == 0;
}

static bool is_broken(const json_t *breaches, const char *rule)
{
    const json_t *breach;
    size_t i;

    json_array_foreach(breaches, i, breach)
    {
        if (strcmp(text_of(breach, "rule"), rule) == 0) {
            return true;
        }
    }
    return false;
}

static void put_line(FILE *file, const json_t *breach, const char *name)
{
    if (text_of(breach, name)[0]) {
        fprintf(file, "%s: ", name);
        text_put_xml(file, text_of(breach, name));
        fputc('\n', file);
    }
}

/* A list, a line for each. */
static void put_texts(FILE *file, const json_t *breach, const char *label, const char *name)
{
    const json_t *text;
    size_t i;

    json_array_foreach(json_object_get(breach, name), i, text)
    {
        fprintf(file, "%s: ", label);
        text_put_xml(file, json_string_value(text));
        fputc('\n', file);
    }
}

static void put_breach(FILE *file, const json_t *breach)
{
    static const char *const lines[] = {"expected", "actual", "mend", "page", "replay"};
    bool counts = counts_against(breach);
    size_t i;

    begin_case(file, text_of(breach, "ddi"), text_of(breach, "rule"));
    fputs(counts ? "<failure" : "<system-out>", file);
    if (counts) {
        put_attribute(file, "type", text_of(breach, "rule"));
        put_attribute(file, "message", text_of(breach, "actual"));
        fputc('>', file);
    } else {
        fprintf(file, "%s: ", text_of(breach, "weight"));
    }
    for (i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        put_line(file, breach, lines[i]);
    }
    put_texts(file, breach, "source", "source");
    put_texts(file, breach, "needs", "needs_text");
    fprintf(file, "</%s></testcase>\n", counts ? "failure" : "system-out");
}

static void put_contract(FILE *file, json_t *report)
{
    json_t *contract = json_object_get(report, "contract");
    json_t *rules = json_object_get(contract, "checks_by_rule"), *looks;
    const json_t *breaches = json_object_get(contract, "breaches"), *breach;
    size_t counts[VERDICT_COUNT] = {0}, tests = json_array_size(breaches), i;
    const char *rule;

    json_array_foreach(breaches, i, breach)
    {
        counts[VERDICT_FAILURE] += counts_against(breach);
    }
    json_object_foreach(rules, rule, looks)
    {
        tests += !is_broken(breaches, rule);
    }
    begin_suite(file, "contract", tests, counts);
    json_array_foreach(breaches, i, breach)
    {
        put_breach(file, breach);
    }
    json_object_foreach(rules, rule, looks)
    {
        if (!is_broken(breaches, rule)) {
            begin_case(file, "drydock.rules", rule);
            fputs("</testcase>\n", file);
        }
    }
    fputs("  </testsuite>\n", file);
}

bool junit_write(const char *path, json_t *report)
{
    FILE *file = fopen(path, "we");
    bool fine = file != NULL;

    if (file) {
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", file);
        put_attribute(file, "name", text_of(report, "driver"));
        fputs(">\n", file);
        put_parts(file, report);
        put_contract(file, report);
        fputs("</testsuites>\n", file);
        fine = !ferror(file);
        fine = fclose(file) == 0 && fine;
    }
    if (!fine) {
        complain("--junit %s: %s", path, strerror(errno));
    }
    return fine;
}

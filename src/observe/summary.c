/* The verdict for people: one line that says it, then what led to it. */
#include "observe/internal.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

struct paint {
    const char *good, *bad, *weak, *strong, *off;
};

static const struct paint plain = {"", "", "", "", ""};
static const struct paint coloured = {"\033[1;32m", "\033[1;31m", "\033[2m", "\033[1m", "\033[0m"};

#define BREACHES_SHOWN 12u

static void put_line(FILE *to, const char *label, const char *text)
{
    fprintf(to, "    %-9s ", label);
    text_put(to, text);
    fputc('\n', to);
}

static void put_places(const struct observe *observe, FILE *to, const char *text)
{
    const char *place;

    while (observe->run->source_place &&
           (place = observe->run->source_place(text, &text)) != NULL) {
        put_line(to, "source", place);
    }
}

static void put_verdict(struct observe *observe, FILE *to, const struct paint *paint)
{
    const struct record_header *header = record_header(observe->join->record);
    enum run_outcome outcome = (enum run_outcome)header->outcome;
    bool good = outcome == RUN_OUTCOME_PASS;

    fprintf(to, "%s%s%s ", good ? paint->good : paint->bad, observe_outcome_name(outcome),
            paint->off);
    if (header->stage > RUN_STAGE_NONE) {
        text_put(to, header->driver);
        fputs(good ? "" : ": ", to);
    }
    if (!good) {
        text_put(to, header->message);
    }
    fputc('\n', to);
}

/* How it is mended, and where to read. */
static void put_help(const struct observe *observe, FILE *to, const struct record_breach *breach)
{
    char page[OBSERVE_LINE_MAX];
    const char *mending = observe_mending(observe, breach);

    if (mending) {
        put_line(to, "mend", mending);
    }
    if (observe_page(observe, breach, page)) {
        put_line(to, "read", page);
    }
}

static void put_finding(struct observe *observe, FILE *to, const struct paint *paint,
                        const struct observe_finding *finding)
{
    static char lines[OBSERVE_HISTORY_MAX][OBSERVE_LINE_MAX];
    const struct record_breach *breach = finding->breach;
    unsigned count = observe_history(finding->view, breach, lines);
    char object[64], seen_in[256];

    fprintf(to, "\n%s", breach->weight == RECORD_COUNTS ? paint->bad : paint->weak);
    fputs(breach->weight == RECORD_ADVICE   ? "advice: "
          : breach->weight == RECORD_WAIVED ? "waived: "
                                            : "",
          to);
    text_put(to, breach->rule);
    fprintf(to, "%s in ", paint->off);
    text_put(to, breach->ddi);
    if (finding->count > 1) {
        fprintf(to, ", %u times", finding->count);
    }
    fputc('\n', to);
    put_line(to, "expected", breach->expected);
    put_line(to, "actual", breach->actual);
    put_places(observe, to, breach->actual);
    put_help(observe, to, breach);
    if (breach->bugcheck) {
        fprintf(to,
                "    bug check 0x%X (0x%" PRIX64 ", 0x%" PRIX64 ", 0x%" PRIX64 ", 0x%" PRIX64 ")\n",
                breach->bugcheck, breach->bugcheck_argument[0], breach->bugcheck_argument[1],
                breach->bugcheck_argument[2], breach->bugcheck_argument[3]);
    }
    if (count > 0) {
        object[0] = '\0';
        if (breach->object) {
            observe_object_text(finding->view, breach->object, object, sizeof object);
        }
        put_line(to, "history", object[0] ? object : "the last calls");
    }
    for (unsigned i = 0; i < count; i++) {
        fprintf(to, "%s      ", paint->weak);
        text_put(to, lines[i]);
        fprintf(to, "%s\n", paint->off);
    }
    if (observe->run->part_count > 1) {
        observe_parts_text(observe, finding->seen_in, seen_in, sizeof seen_in);
        put_line(to, "parts", seen_in);
    }
    for (unsigned i = 0; finding->need && i < finding->need->text_count; i++) {
        put_line(to, "needs", finding->need->texts[i]);
    }
    put_line(to, "replay", finding->replay);
}

static void put_breaches(struct observe *observe, FILE *to, const struct paint *paint)
{
    struct observe_finding finding;
    uint32_t index = 0;

    for (; observe_finding_at(observe, index, &finding); index++) {
        if (index < BREACHES_SHOWN) {
            put_finding(observe, to, paint, &finding);
        }
    }
    if (index > BREACHES_SHOWN) {
        fprintf(to, "\n... and %u more; the report has them all\n", index - BREACHES_SHOWN);
    }
    if (index > 0) {
        fputc('\n', to);
    }
}

static uint64_t value(struct observe *observe, const char *name)
{
    return record_counter(observe->join->record, name);
}

/* ", 2 waived, 1 advice" */
static void put_uncounted(struct observe *observe, FILE *to)
{
    const struct record_breach *breach;
    unsigned advice = 0, waived = 0;

    for (uint32_t i = 0; (breach = record_breach_at(observe->join->record, i)) != NULL; i++) {
        advice += breach->weight == RECORD_ADVICE;
        waived += breach->weight == RECORD_WAIVED;
    }
    if (waived > 0) {
        fprintf(to, ", %u waived", waived);
    }
    if (advice > 0) {
        fprintf(to, ", %u advice", advice);
    }
    fputc('\n', to);
}

static void put_numbers(struct observe *observe, FILE *to)
{
    const struct record_header *header = record_header(observe->join->record);
    unsigned judged[OBSERVE_DUTY_COUNT];
    uint64_t calls = 0, checks = observe_looks(observe, judged);

    for (unsigned i = 0; i < observe->names->ddi_count && i < RECORD_DDI_MAX; i++) {
        calls += header->ddi[i].calls;
    }
    fprintf(to, "  driver    %" PRIu64 " calls in %" PRIu64 ".%03u s of virtual time\n", calls,
            header->now_ns / 1000000000, (unsigned)(header->now_ns / 1000000 % 1000));
    fprintf(to, "  contract  %" PRIu64 " checks, %u breach%s", checks, header->counting_breaches,
            header->counting_breaches == 1 ? "" : "es");
    put_uncounted(observe, to);
    fputs("  rules     judged:", to);
    for (unsigned i = 0; i < OBSERVE_DUTY_COUNT; i++) {
        fprintf(to, "%s %u of %u about %s%s", i ? "," : "", judged[i], observe->run->rules[i].count,
                i == OBSERVE_BOTH ? "" : "the ", observe_duty_name((enum observe_duty)i));
    }
    fputc('\n', to);
    fprintf(to,
            "  fences    %" PRIu64 " submitted, %" PRIu64 " completed, %" PRIu64
            " cancelled, %" PRIu64 " lost\n",
            value(observe, "fences.submitted"), value(observe, "fences.completed"),
            value(observe, "fences.cancelled"), value(observe, "fences.lost"));
    fprintf(to,
            "  memory    %" PRIu64 " KiB paged in, %" PRIu64 " KiB paged out, %" PRIu64
            " bytes lost\n",
            value(observe, "memory.paged_in") / 1024, value(observe, "memory.paged_out") / 1024,
            value(observe, "memory.lost"));
    fprintf(to, "  present   %" PRIu64 " frames, %" PRIu64 " flips, %" PRIu64 " wrong pixels\n",
            value(observe, "present.frames"), value(observe, "present.flips"),
            value(observe, "present.wrong_pixels"));
}

#define NEVER_SHOWN 8u

static bool was_never_called(const struct observe_thing *thing)
{
    return thing->name && thing->could && thing->count == 0;
}

static const char *without_prefix(const struct observe *observe, const char *name)
{
    const char *prefix = observe->names->ddi_prefix ? observe->names->ddi_prefix : "";

    return strncmp(name, prefix, strlen(prefix)) == 0 ? name + strlen(prefix) : name;
}

/* "; never called: A, B, C (and 11 more: report)" */
static void put_never_called(const struct observe *observe, FILE *to)
{
    struct observe_thing thing;
    unsigned never = 0;

    for (unsigned i = 0; observe_thing_at(observe, OBSERVE_DDIS, i, &thing); i++) {
        if (was_never_called(&thing) && never++ < NEVER_SHOWN) {
            fprintf(to, "%s%s", never == 1 ? "; never called: " : ", ",
                    without_prefix(observe, thing.name));
        }
    }
    if (never > NEVER_SHOWN) {
        fprintf(to, " (and %u more: report)", never - NEVER_SHOWN);
    }
    fputc('\n', to);
}

/* "  uncalled  A: it takes ..." of each of those. */
static void put_reasons(const struct observe *observe, FILE *to)
{
    struct observe_thing thing;
    unsigned never = 0;

    for (unsigned i = 0; observe->names->why_not_called &&
                         observe_thing_at(observe, OBSERVE_DDIS, i, &thing);
         i++) {
        if (was_never_called(&thing) && never++ < NEVER_SHOWN) {
            fprintf(to, "  uncalled  %s: %s\n", without_prefix(observe, thing.name),
                    observe->names->why_not_called(i));
        }
    }
}

static void put_coverage(const struct observe *observe, FILE *to)
{
    static const struct {
        enum observe_cover kind;
        const char *name;
    } kinds[] = {{OBSERVE_DDIS, "DDIs"},
                 {OBSERVE_PAGING, "paging operations"},
                 {OBSERVE_MEMBERS, "members"},
                 {OBSERVE_RULES, "rules"}};

    fputs("  coverage ", to);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct observe_covered covered = observe_covered(observe, kinds[i].kind);
        fprintf(to, "%s %u of %u %s", i ? "," : "", covered.reached, covered.all, kinds[i].name);
    }
    put_never_called(observe, to);
    put_reasons(observe, to);
}

/* How each part ended that did not pass; how many did. */
static void put_parts(struct observe *observe, FILE *to)
{
    const struct observe_run *run = observe->run;
    unsigned passed = 0;

    for (unsigned i = 0; i < run->part_count; i++) {
        const struct record_header *header = record_header(run->parts[i].record);
        if (header->outcome == RUN_OUTCOME_PASS) {
            passed++;
            continue;
        }
        fprintf(to, "  part      %s: %s: ", run->parts[i].name,
                observe_outcome_name((enum run_outcome)header->outcome));
        text_put(to, header->message);
        fputc('\n', to);
    }
    fprintf(to, "  parts     %u of %u pass: one calm, %u varied\n", passed, run->part_count,
            run->part_count - 1);
}

#define TIMEOUTS_SHOWN 4u

/* "  time-out  calm, node 0 at 812 ms: packet 12 (render) ..." */
static void put_timeouts(struct observe *observe, FILE *to)
{
    struct observe_timeout timeouts[OBSERVE_TIMEOUTS_MAX];
    char text[OBSERVE_LINE_MAX * 2];
    unsigned shown = 0, all = 0;

    for (unsigned part = 0; part < observe->run->part_count; part++) {
        const struct observe *view = observe->join->parts[part];
        unsigned count = observe_timeouts(view, timeouts);
        all += count;
        for (unsigned i = 0; i < count && i < OBSERVE_TIMEOUTS_MAX && shown < TIMEOUTS_SHOWN; i++) {
            observe_timeout_text(view, &timeouts[i], text, sizeof text);
            fprintf(to, "  time-out  %s, ", observe->run->parts[part].name);
            text_put(to, text);
            fputc('\n', to);
            shown++;
        }
    }
    if (all > shown) {
        fprintf(to, "  time-out  ... and %u more; the report has them\n", all - shown);
    }
}

#define NOTES_SHOWN 8u

static void put_notes(const struct observe *observe, FILE *to)
{
    const char *note;
    uint32_t all = 0;

    for (; (note = record_note_at(observe->join->record, all)) != NULL; all++) {
        if (all < NOTES_SHOWN) {
            fputs("  note      ", to);
            text_put(to, note);
            fputc('\n', to);
        }
    }
    if (all > NOTES_SHOWN) {
        fprintf(to, "  note      ... and %u more; the report has them\n", all - NOTES_SHOWN);
    }
}

void observe_summary(struct observe *observe, FILE *to, bool colours)
{
    const struct record_header *header = record_header(observe->join->record);
    const struct paint *paint = colours ? &coloured : &plain;

    put_breaches(observe, to, paint);
    put_verdict(observe, to, paint);
    if (header->stage >= RUN_STAGE_WORK) {
        put_numbers(observe, to);
        put_timeouts(observe, to);
        put_coverage(observe, to);
    }
    if (header->stage > RUN_STAGE_LOAD && observe->run->part_count > 1) {
        put_parts(observe, to);
    }
    put_notes(observe, to);
    if (header->stage <= RUN_STAGE_LOAD) {
        return;
    }
    fprintf(to, "  seed      %" PRIu64 ", digest %016" PRIx64 "\n", header->seed, header->digest);
}

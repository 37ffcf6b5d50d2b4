/* Several records of one run as one: sums of what was counted, each finding once, the worst
 * outcome.
 *
 * What parts say is believed no more than the record of one run is: names end in their arrays,
 * counts are bounded, and the sums go into a record that no driver ever saw. */
#include "observe/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#define JOIN_EVENTS 64u

unsigned observe_outcome_rank(enum run_outcome outcome)
{
    switch (outcome) {
    case RUN_OUTCOME_PASS:
        return 0;
    case RUN_OUTCOME_INCONCLUSIVE:
    case RUN_OUTCOME_UNSUPPORTED:
        return 1;
    case RUN_OUTCOME_USAGE:
        return 2;
    case RUN_OUTCOME_DEVICE_FAULT:
    case RUN_OUTCOME_WORKLOAD_FAULT:
        return 3;
    case RUN_OUTCOME_REFUSED:
        return 5;
    case RUN_OUTCOME_BREACH:
        return 6;
    case RUN_OUTCOME_FAULT:
        return 7; /* what ends a run is told before what it went on after */
    default:
        return 4; /* ours, and what nobody knows */
    }
}

/* ---- Sums ------------------------------------------------------------------------------------ */

static void add_calls(struct record_header *sum, const struct record_header *part)
{
    for (unsigned i = 0; i < RECORD_DDI_MAX; i++) {
        sum->ddi[i].calls += part->ddi[i].calls;
        sum->ddi[i].failures += part->ddi[i].failures;
        sum->ddi[i].registered |= part->ddi[i].registered != 0;
    }
    for (unsigned who = 0; who < RECORD_JUDGED_COUNT; who++) {
        for (unsigned i = 0; i < RECORD_RULES_MAX; i++) {
            sum->rule_checks[who][i] += part->rule_checks[who][i];
            sum->rule_applies[who][i] |= part->rule_applies[who][i] != 0;
        }
    }
}

static void add_reach(struct record_reach *sum, const struct record_reach *part, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        sum[i].could |= part[i].could != 0;
        sum[i].count += part[i].count;
    }
}

static void add_coverage(struct record_header *sum, const struct record_header *part)
{
    add_reach(sum->members, part->members, RECORD_MEMBERS_MAX);
    add_reach(sum->paging, part->paging, RECORD_PAGING_MAX);
    add_reach(sum->callbacks, part->callbacks, RECORD_CALLBACK_MAX);
    add_reach(sum->exports, part->exports, RECORD_EXPORTS_MAX);
}

static void add_counters(const struct record_header *part)
{
    for (uint32_t i = 0; i < part->counter_count && i < RECORD_COUNTERS_MAX; i++) {
        char name[sizeof part->counters[i].name];
        memcpy(name, part->counters[i].name, sizeof name);
        name[sizeof name - 1] = '\0';
        if (name[0]) {
            record_count(name, part->counters[i].value);
        }
    }
}

static void add_notes(struct record *part)
{
    const char *note;

    for (uint32_t i = 0; (note = record_note_at(part, i)) != NULL; i++) {
        record_note(note);
    }
}

static void add_breaches(struct observe_join *join, unsigned part, struct record *record)
{
    const struct record_breach *breach;

    for (uint32_t i = 0; (breach = record_breach_at(record, i)) != NULL; i++) {
        uint32_t place = record_add_breach(breach);
        if (place >= RECORD_BREACHES_MAX) {
            return;
        }
        if (join->breaches[place].seen_in == 0) {
            join->breaches[place].part = part;
            join->breaches[place].index = i;
        }
        join->breaches[place].seen_in |= 1u << part;
    }
}

/* ---- Together -------------------------------------------------------------------------------- */

static enum run_outcome outcome_of(const struct observe_part *part)
{
    return (enum run_outcome)record_header(part->record)->outcome;
}

/* The first of the worst speaks for all. */
static void join_outcome(const struct observe_run *run)
{
    const struct observe_part *worst = &run->parts[0];

    for (unsigned i = 1; i < run->part_count; i++) {
        if (observe_outcome_rank(outcome_of(&run->parts[i])) >
            observe_outcome_rank(outcome_of(worst))) {
            worst = &run->parts[i];
        }
    }
    record_set_stage((enum run_stage)record_header(worst->record)->stage);
    record_set_outcome(outcome_of(worst), "%s%s%s", record_header(worst->record)->message,
                       worst == run->parts ? "" : ", in part ",
                       worst == run->parts ? "" : worst->name);
}

static uint64_t join_digest(const struct observe_run *run)
{
    uint64_t digests[OBSERVE_PARTS_MAX];

    for (unsigned i = 0; i < run->part_count; i++) {
        digests[i] = record_header(run->parts[i].record)->digest;
        if (digests[i] == 0) {
            return 0; /* a process that died has not closed its digest */
        }
    }
    return XXH3_64bits(digests, run->part_count * sizeof digests[0]);
}

static void fill_joined(struct observe_join *join, const struct observe_run *run)
{
    struct record_header *sum = record_header(join->record);
    const struct record_header *first = record_header(run->parts[0].record);
    struct record *before = record_current();
    uint64_t now_ns = 0;

    record_attach(join->record);
    memcpy(sum->driver, first->driver, sizeof sum->driver);
    sum->seed = first->seed;
    for (unsigned i = 0; i < run->part_count; i++) {
        struct record *part = run->parts[i].record;
        now_ns += record_header(part)->now_ns;
        add_calls(sum, record_header(part));
        add_coverage(sum, record_header(part));
        add_counters(record_header(part));
        add_notes(part);
        add_breaches(join, i, part);
    }
    join_outcome(run);
    sum->now_ns = now_ns;
    sum->digest = join_digest(run);
    record_attach(before);
}

static void point_at_own_breaches(struct observe_join *join)
{
    for (uint32_t i = 0; record_breach_at(join->record, i); i++) {
        join->breaches[i].index = i;
        join->breaches[i].seen_in = 1;
    }
}

bool observe_join_parts(struct observe *observe)
{
    const struct observe_run *run = observe->run;
    struct observe_join *join = calloc(1, sizeof *join);

    observe->join = join;
    if (!join) {
        return false;
    }
    for (unsigned i = 0; i < run->part_count; i++) {
        join->parts[i] = observe_create_view(run, run->parts[i].record);
        if (!join->parts[i]) {
            return false;
        }
        join->events_written += join->parts[i]->event_count;
        join->events_kept += join->parts[i]->event_count - join->parts[i]->first_event;
    }
    if (run->part_count == 1) {
        join->record = run->parts[0].record;
        point_at_own_breaches(join);
        return true;
    }
    join->record = record_create(JOIN_EVENTS, 0);
    join->record_is_ours = true;
    if (join->record) {
        fill_joined(join, run);
    }
    return join->record != NULL;
}

void observe_join_free(struct observe_join *join)
{
    if (!join) {
        return;
    }
    for (unsigned i = 0; i < OBSERVE_PARTS_MAX; i++) {
        observe_destroy(join->parts[i]);
    }
    if (join->record_is_ours) {
        record_destroy(join->record);
    }
    free(join);
}

/* ---- Findings -------------------------------------------------------------------------------- */

static const struct observe_need *need_of(const struct observe_run *run, unsigned part,
                                          unsigned breach)
{
    for (unsigned i = 0; i < run->need_count; i++) {
        if (run->needs[i].part == part && run->needs[i].breach == breach) {
            return &run->needs[i];
        }
    }
    return NULL;
}

/* The place of a finding in the record: first those that count, then what is told beside them, each
 * in the order in which they came. */
static const struct record_breach *in_order(struct record *record, uint32_t *index)
{
    const struct record_breach *breach;
    uint32_t left = *index;

    for (unsigned told = 0; told < 2; told++) {
        for (uint32_t i = 0; (breach = record_breach_at(record, i)) != NULL; i++) {
            if ((breach->weight != RECORD_COUNTS) == (told != 0) && left-- == 0) {
                *index = i;
                return breach;
            }
        }
    }
    return NULL;
}

bool observe_finding_at(struct observe *observe, uint32_t index, struct observe_finding *finding)
{
    const struct observe_join *join = observe->join;
    const struct record_breach *joined = in_order(join->record, &index);

    if (!joined) {
        return false;
    }
    uint32_t part = join->breaches[index].part;
    const struct observe_need *need = need_of(observe->run, part, join->breaches[index].index);
    *finding = (struct observe_finding){
        .view = join->parts[part],
        .breach = record_breach_at(join->parts[part]->record, join->breaches[index].index),
        .part = &observe->run->parts[part],
        .need = need,
        .replay = need ? need->replay : observe->run->parts[part].replay,
        .count = joined->count,
        .seen_in = join->breaches[index].seen_in,
    };
    return finding->breach != NULL;
}

const char *observe_mending(const struct observe *observe, const struct record_breach *breach)
{
    return observe->names->mending ? observe->names->mending(breach->rule) : NULL;
}

bool observe_page(const struct observe *observe, const struct record_breach *breach, char *text)
{
    return observe->names->page &&
           observe->names->page(breach->rule, breach->ddi, text, OBSERVE_LINE_MAX);
}

void observe_parts_text(const struct observe *observe, uint32_t seen_in, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < observe->run->part_count && used < size; i++) {
        if (seen_in & 1u << i) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     observe->run->parts[i].name);
        }
    }
}

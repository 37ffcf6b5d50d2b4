/* drydock run --step: one call of a DDI again and again, each time interrupted at another of its
 * instructions.
 *
 *     part "calm" ── how often is the DDI called? ── a look at one call: how many instructions, and
 *                                                    which touch what the interrupt's side touches
 *          trials, supervised children, two at a time: the same run with the call interrupted
 *          behind instruction n ── what breaks there and not in "calm" is a part of the report
 *
 * A run is the same each time up to the chosen instruction, so that a trial needs no copy of the
 * state before the call: it begins at power-on. The instructions that touch shared memory come
 * first, then those between them. Their number ends the search, and the limit of the run. */
#include "drydock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "contract/contract.h"
#include "ddi/ddi.h"
#include "machine/machine.h"

#define AT_ONCE       2
#define CALLS_MAX     4 /* of one DDI */
#define CALLS_OF_ALL  2
#define BATCH         8 /* trials, after which is looked for findings */
#define TRIALS_OF_ONE 128u
#define TRIALS_OF_ALL 32u   /* of each DDI */
#define TRIALS_ASKED  4096u /* where the user says which instructions */
#define DURATION_NS   (5 * NS_PER_MS)
#define PARTS_FOUND   8

/* What --step all means: what shares most with interrupts. */
static const enum contract_point usual[] = {
    POINT_SubmitCommand,
    POINT_SubmitCommandVirtual,
    POINT_PreemptCommand,
    POINT_BuildPagingBuffer,
    POINT_Render,
    POINT_Present,
    POINT_CancelCommand,
    POINT_SetVidPnSourceAddress,
    POINT_ControlInterrupt,
    POINT_QueryCurrentFence,
    POINT_DpcRoutine,
    POINT_PresentDisplayOnly,
    POINT_ControlInterrupt2,
    POINT_SubmitCommandToHwQueue,
};

/* Instructions: those that touch shared memory come first. */
enum which { ALL_INSTRUCTIONS, SHARED_INSTRUCTIONS, OTHER_INSTRUCTIONS };

/* The search in one DDI. */
struct search {
    const struct options *options;
    struct parts *parts;
    struct ddi_step step; /* of the look, and then of a trial */
    uint64_t first, last; /* instructions */
    unsigned trials_max;
    enum which which;
    uint64_t order[TRIALS_ASKED];
    unsigned order_count;
    struct step_summary *told;
};

/* ---- The command line ------------------------------------------------------------------------ */

static bool number_at(const char **at, uint64_t *number)
{
    unsigned digits = 0;

    for (*number = 0; **at >= '0' && **at <= '9' && digits < 12; (*at)++, digits++) {
        *number = *number * 10 + (uint64_t)(**at - '0');
    }
    return digits > 0 && *number > 0;
}

static bool find_point(const char *name, size_t length, enum contract_point *out)
{
    for (unsigned i = 0; i < POINT_DDI_COUNT; i++) {
        const char *full = contract_point_info((enum contract_point)i)->name;
        const char *brief = strncmp(full, "DxgkDdi", 7) == 0 ? full + 7 : full;
        if ((strlen(full) == length && memcmp(full, name, length) == 0) ||
            (strlen(brief) == length && memcmp(brief, name, length) == 0)) {
            *out = (enum contract_point)i;
            return (enum contract_point)i != POINT_InterruptRoutine;
        }
    }
    return false;
}

/* Behind the name: nothing, ":CALL", ":CALL:N" or ":CALL:N-M". */
static bool read_numbers(const char *at, struct step_options *out)
{
    if (*at == '\0') {
        return true;
    }
    at++;
    if (!number_at(&at, &out->call)) {
        return false;
    }
    if (*at == '\0') {
        return true;
    }
    if (*at++ != ':' || !number_at(&at, &out->first)) {
        return false;
    }
    out->last = out->first;
    if (*at == '-') {
        at++;
        if (!number_at(&at, &out->last) || out->last < out->first ||
            out->last - out->first >= TRIALS_ASKED) {
            return false;
        }
    }
    return *at == '\0';
}

bool steps_read(const char *text, struct step_options *out)
{
    size_t length = strcspn(text, ":");
    enum contract_point point = POINT_COUNT;

    *out = (struct step_options){.given = strcmp(text, "none") != 0};
    if (!out->given) {
        return true;
    }
    out->all = strcmp(text, "all") == 0;
    if (!out->all && (!find_point(text, length, &point) || !read_numbers(text + length, out))) {
        return false;
    }
    out->point = point;
    return true;
}

void steps_describe(const struct ddi_step *step, char *text, size_t size)
{
    const char *name = contract_point_info(step->point)->name;

    snprintf(text, size, "%s:%" PRIu64 ":%" PRIu64,
             strncmp(name, "DxgkDdi", 7) == 0 ? name + 7 : name, step->call, step->instruction);
}

const struct ddi_step *steps_one(const struct step_options *step)
{
    static struct ddi_step one;

    one = (struct ddi_step){
        .point = (enum contract_point)step->point, .call = step->call, .instruction = step->first};
    return &one;
}

bool steps_is_one_trial(const struct step_options *step)
{
    return step->given && step->first != 0 && step->first == step->last;
}

/* ---- Runs ------------------------------------------------------------------------------------ */

/* A short run: no client that waits for a time-out, unless the user names it. */
static void shorten(struct part *part, const struct options *options)
{
    struct host_options *host = &part->host;

    if (!options->duration_given) {
        host->duration_ns = DURATION_NS;
    }
    if (options->workload_count > 0) {
        return;
    }
    host->workload_count = 0;
    for (unsigned i = 0; i < options->host.workload_count; i++) {
        if (strcmp(options->host.workloads[i]->name, "hang") != 0) {
            unsigned to = host->workload_count++;
            host->workloads[to] = options->host.workloads[i];
            host->workload_values[to] = options->host.workload_values[i];
            host->workload_ends[to] = options->host.workload_ends[i];
            host->workload_paths[to] = options->host.workload_paths[i];
        }
    }
}

/* False: they did not come to their own ends, or could not begin. */
static bool run_parts(const struct search *search, struct part *parts, unsigned count)
{
    struct supervision jobs[BATCH];
    bool fine = true;

    for (unsigned i = 0; i < count; i++) {
        jobs[i] = (struct supervision){
            .record = parts[i].record,
            .work = part_work,
            .argument = &parts[i],
            .host = &parts[i].host};
    }
    supervise(&(struct supervisions){
        .jobs = jobs,
        .count = count,
        .at_once = AT_ONCE,
        .options = search->options,
        .over = search->parts,
        .is_trial = true,
        .progress = isatty(STDERR_FILENO) && !search->options->host.verbose,
    });
    for (unsigned i = 0; i < count; i++) {
        fine &= !jobs[i].cut_short;
    }
    return fine;
}

/* The calm part once more, with one call stepped. */
static bool make_trial(const struct search *search, const struct ddi_step *step, struct part *part)
{
    *part = search->parts->all[0];
    part->host.step = step;
    part->host.verbose = false;
    return part_make(part, search->options);
}

/* ---- Findings -------------------------------------------------------------------------------- */

static bool is_in(struct record *record, const struct record_breach *breach)
{
    const struct record_breach *seen;

    for (uint32_t i = 0; (seen = record_breach_at(record, i)) != NULL; i++) {
        if (strcmp(seen->rule, breach->rule) == 0 && strcmp(seen->ddi, breach->ddi) == 0) {
            return true;
        }
    }
    return false;
}

/* Something that no part of the report has, or an end that is nobody's finding. */
static bool tells_news(const struct parts *parts, struct record *record)
{
    const struct record_breach *breach;

    for (uint32_t i = 0; (breach = record_breach_at(record, i)) != NULL; i++) {
        bool known = breach->weight != RECORD_COUNTS;
        for (unsigned part = 0; part < parts->count && !known; part++) {
            known = is_in(parts->all[part].record, breach);
        }
        if (!known) {
            return true;
        }
    }
    return record_header(record)->outcome == RUN_OUTCOME_OWN_FAULT;
}

/* The trial becomes a part, with its record. */
static void keep(struct search *search, const struct part *trial, const struct ddi_step *step)
{
    static struct ddi_step steps[PARTS_MAX];
    struct parts *parts = search->parts;
    struct part *part = &parts->all[parts->count];

    steps[parts->count] = *step;
    *part = *trial;
    part->host.step = &steps[parts->count];
    snprintf(part->name, sizeof part->name, "step-%u", parts->count);
    part_finish(search->options, part, &parts->told[parts->count]);
    parts->count++;
}

/* ---- One DDI --------------------------------------------------------------------------------- */

static void add_instruction(struct search *search, uint64_t instruction)
{
    if (instruction < search->first || instruction > search->last ||
        search->order_count == search->trials_max) {
        return;
    }
    for (unsigned i = 0; i < search->order_count; i++) {
        if (search->order[i] == instruction) {
            return;
        }
    }
    search->order[search->order_count++] = instruction;
}

/* Those right before an access to shared memory, and then all, or so many with equal steps. */
static void choose_instructions(struct search *search, struct record *record)
{
    uint64_t count = search->last - search->first + 1;
    uint64_t stride = (count + search->trials_max - 1) / search->trials_max;
    char name[32];

    for (unsigned i = 0; i < STEP_SHARED_MAX; i++) {
        snprintf(name, sizeof name, DDI_STEP_SHARED_COUNTER, i);
        add_instruction(search, record_counter(record, name));
    }
    unsigned shared = search->order_count;
    for (uint64_t at = search->first; search->which != SHARED_INSTRUCTIONS && at <= search->last;
         at += stride) {
        add_instruction(search, at);
    }
    if (search->which == OTHER_INSTRUCTIONS) {
        search->order_count -= shared;
        memmove(search->order, search->order + shared,
                search->order_count * sizeof search->order[0]);
    }
}

/* Calls that have not long to wait for an interrupt, the shortest wait first: something was under
 * way when they came. Of so many, spread over the run. How many there are; one in the middle where
 * none is interrupted; 0: the search is over. */
static unsigned choose_calls(struct search *search, uint64_t calls, uint64_t chosen[CALLS_MAX])
{
    static struct part probes[BATCH];
    static struct ddi_step steps[BATCH];
    uint64_t waits_ns[CALLS_MAX];
    unsigned made = 0, count = 0;

    for (unsigned i = 0; i < BATCH; i++) {
        uint64_t call = 1 + (calls - 1) * (2 * i + 1) / (2 * BATCH);
        if (made > 0 && steps[made - 1].call == call) {
            continue;
        }
        steps[made] =
            (struct ddi_step){.point = search->step.point, .call = call, .instruction = 1};
        if (!make_trial(search, &steps[made], &probes[made])) {
            break;
        }
        made++;
    }
    bool fine = made > 0 && run_parts(search, probes, made);
    for (unsigned i = 0; i < made; i++) {
        uint64_t wait_ns = record_counter(probes[i].record, "step.waited_ns");
        bool interrupted = record_counter(probes[i].record, "step.interrupted") > 0;
        unsigned place = count < CALLS_MAX ? count : CALLS_MAX;
        while (interrupted && place > 0 && waits_ns[place - 1] > wait_ns) {
            place--;
        }
        if (interrupted && place < CALLS_MAX) {
            count += count < CALLS_MAX;
            for (unsigned k = count - 1; k > place; k--) {
                waits_ns[k] = waits_ns[k - 1];
                chosen[k] = chosen[k - 1];
            }
            waits_ns[place] = wait_ns;
            chosen[place] = steps[i].call;
        }
        record_destroy(probes[i].record);
    }
    if (count == 0) {
        chosen[count++] = calls / 2 + 1;
    }
    return fine ? count : 0;
}

/* How long the call is. False: it cannot be known. */
static bool look(struct search *search)
{
    static struct part part;

    search->step.instruction = 0;
    if (!make_trial(search, &search->step, &part)) {
        return false;
    }
    bool fine = run_parts(search, &part, 1);
    uint64_t length = record_counter(part.record, "step.instructions");
    search->told->instructions = length;
    if (search->first == 0 || search->last > length) {
        search->first = search->first == 0 ? 1 : search->first;
        search->last = length;
    }
    if (fine && length > 0 && search->first <= search->last) {
        choose_instructions(search, part.record);
    }
    record_destroy(part.record);
    return fine;
}

/* False: the search is over. */
static bool run_batch(struct search *search, unsigned first)
{
    static struct part trials[BATCH];
    static struct ddi_step steps[BATCH];
    unsigned made = 0;

    while (made < BATCH && first + made < search->order_count) {
        steps[made] = search->step;
        steps[made].instruction = search->order[first + made];
        if (!make_trial(search, &steps[made], &trials[made])) {
            break;
        }
        made++;
    }
    bool fine = made > 0 && run_parts(search, trials, made);
    for (unsigned i = 0; i < made; i++) {
        bool is_kept = fine && search->parts->count <= PARTS_FOUND &&
                       tells_news(search->parts, trials[i].record);
        search->told->trials += fine;
        search->told->stops += record_counter(trials[i].record, "step.stood") > 0;
        search->told->interrupts += record_counter(trials[i].record, "step.interrupted") > 0;
        if (is_kept) {
            keep(search, &trials[i], &steps[i]);
            search->told->findings++;
        } else {
            record_destroy(trials[i].record);
        }
    }
    return fine;
}

/* False: no time is left, or no memory. */
static bool step_call(struct search *search, uint64_t call, enum which which)
{
    const struct step_options *asked = &search->options->step;
    bool fine;

    search->step.call = call;
    search->first = asked->first;
    search->last = asked->last;
    search->which = which;
    search->trials_max = asked->all ? TRIALS_OF_ALL : asked->first ? TRIALS_ASKED : TRIALS_OF_ONE;
    search->order_count = 0;
    search->told = &search->parts->steps[search->parts->step_count++];
    *search->told =
        (struct step_summary){.ddi = contract_point_info(search->step.point)->name, .call = call};
    fine = look(search);
    for (unsigned i = 0; i < search->order_count && fine && search->told->findings == 0;
         i += BATCH) {
        fine = run_batch(search, i);
    }
    return fine;
}

/* The call that the user named; else of some what touches shared memory, for what they find in it
 * is not the same each time, and then one as a whole. */
static bool step_ddi(struct search *search, enum contract_point point)
{
    const struct step_options *asked = &search->options->step;
    uint64_t calls = record_header(search->parts->all[0].record)->ddi[point].calls;
    uint64_t chosen[CALLS_MAX];

    search->step = (struct ddi_step){.point = point};
    if (asked->call != 0 || calls == 0) {
        return calls < asked->call || calls == 0 ||
               step_call(search, asked->call, ALL_INSTRUCTIONS);
    }
    unsigned count = choose_calls(search, calls, chosen);
    count = asked->all && count > CALLS_OF_ALL ? CALLS_OF_ALL : count;
    for (unsigned i = 0; i < count; i++) {
        if (!step_call(search, chosen[i], SHARED_INSTRUCTIONS)) {
            return false;
        }
        if (search->told->findings > 0) {
            return true;
        }
    }
    return count > 0 && (asked->all || step_call(search, chosen[0], OTHER_INSTRUCTIONS));
}

/* ---- The whole ------------------------------------------------------------------------------- */

static bool run_calm(struct search *search)
{
    struct parts *parts = search->parts;
    struct part *part = part_add(parts, search->options);

    if (!part) {
        return false;
    }
    snprintf(part->name, sizeof part->name, "calm");
    shorten(part, search->options);
    part_finish(search->options, part, &parts->told[0]);
    struct supervision job = {
        .record = part->record, .work = part_work, .argument = part, .host = &part->host};
    supervise(
        &(struct supervisions){.jobs = &job, .count = 1, .at_once = 1, .options = search->options});
    parts->told[0].sandbox = job.sandbox;
    return true;
}

bool steps_run(const struct options *options, struct parts *parts)
{
    static struct search search;
    bool fine = true;

    search = (struct search){.options = options, .parts = parts};
    if (!run_calm(&search)) {
        return false;
    }
    for (unsigned i = 0; options->step.all && fine && i < sizeof usual / sizeof usual[0]; i++) {
        fine = step_ddi(&search, usual[i]);
    }
    if (!options->step.all) {
        fine = step_ddi(&search, (enum contract_point)options->step.point);
    }
    if (!fine && record_header(parts->all[0].record)->outcome == RUN_OUTCOME_PASS) {
        record_attach(parts->all[0].record);
        record_set_outcome(RUN_OUTCOME_INCONCLUSIVE,
                           "the search of --step was ended by a limit, or for want of memory");
    }
    return true;
}

void steps_tell(const struct parts *parts, FILE *to)
{
    for (unsigned i = 0; i < parts->step_count; i++) {
        const struct step_summary *step = &parts->steps[i];
        fprintf(to,
                "  stepped   call %" PRIu64 " of %s: %" PRIu64
                " instructions, %u trials, %u stops, "
                "interrupted in %u, %u finding%s\n",
                step->call, step->ddi, step->instructions, step->trials, step->stops,
                step->interrupts, step->findings, step->findings == 1 ? "" : "s");
    }
    if (parts->step_count == 0) {
        fprintf(to, "  stepped   nothing: no such call came, or no time was left\n");
    }
}

json_t *steps_value(const struct parts *parts)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < parts->step_count; i++) {
        const struct step_summary *step = &parts->steps[i];
        json_array_append_new(
            list, json_pack("{s:s, s:I, s:I, s:i, s:i, s:i, s:i}", "ddi", step->ddi, "call",
                            (json_int_t)step->call, "instructions", (json_int_t)step->instructions,
                            "trials", (int)step->trials, "stops", (int)step->stops, "interrupted",
                            (int)step->interrupts, "findings", (int)step->findings));
    }
    return list;
}

/* The contract's machinery: points, rows, judging, breaches. */
#include "contract/contract.h"

#include "contract/cover.h"
#include "contract/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/fill.h"
#include "base/record.h"
#include "machine/machine.h"

const struct contract_point_info contract_points[POINT_COUNT] = {
#define DDI(ddi_name, irql_level, class_name)                                              \
    [POINT_##ddi_name] = {"DxgkDdi" #ddi_name, (enum abi_version)ABI_SINCE_DDI_##ddi_name, \
                          CONTRACT_IRQL_##irql_level, 0, CONTRACT_LEVEL_##class_name},
#include "contract/ddis.def"
#undef DDI
#define IRQL_PASSIVE  0
#define IRQL_APC      1
#define IRQL_DISPATCH 2
#define IRQL_DIRQL    12
#define IRQL_HIGH     15
#define DXGK_CALLBACK(callback_name, irql_maximum)                               \
    [POINT_Cb##callback_name] = {"DxgkCb" #callback_name,                        \
                                 (enum abi_version)ABI_SINCE_CB_##callback_name, \
                                 CONTRACT_IRQL_ANY, IRQL_##irql_maximum, CONTRACT_LEVEL_LEVEL_0},
#include "contract/callbacks.def"
#undef DXGK_CALLBACK
    [POINT_DriverEntry] = {.name = "DriverEntry"},
    [POINT_DxgkInitialize] = {.name = "DxgkInitialize"},
    [POINT_KernelExport] = {.name = "kernel export"},
    [POINT_VidPnInterface] = {.name = "VidPN interface"},
};

static struct contract_hooks hooks;
static void (*tamper)(struct contract_call *call);
static bool judges_nothing;

/* What a call reads of a row, so that the many rows of a call lie close together. The row itself is
 * opened if it is one of the rarer kinds of data, and for its breach. */
struct step {
    const struct contract_row *row;
    contract_check_fn *check;    /* NULL: a row of data, or one that remembers */
    contract_value_fn *remember; /* NULL: nothing */
    uint16_t counter;            /* of looks, in the record's table for both sides */
    uint16_t field, other;       /* of data that is looked at here: offsets */
    uint8_t slot;                /* of call->remembered */
    uint8_t question;            /* of the chain, that says whether the row applies */
    uint8_t gate;                /* the same, or ALWAYS of what remembers: its way is another */
    enum contract_look look : 8; /* of data that is looked at here; else LOOK_CHECK */
    bool wide;                   /* its members have eight bytes, not four */
    bool stands; /* judges here; otherwise it remembers here, and judges after the call */
    bool own;    /* the kernel is judged */
};

/* What decides whether rows apply to a call: most rows of a chain have the same few. */
struct question {
    contract_when_fn *when; /* NULL: every call of an adapter that has the feature */
    uint16_t feature;
};
#define ALWAYS 31u /* the answer that is yes; of the others a chain has fewer, bits of a word */

/* Steps in the order of families, chained by point and moment, and those of BuildPagingBuffer by
 * operation, too: a call looks at its own rows only. One that remembers something stands in the
 * chain of both moments. */
#define STEPS_MAX   4096
#define CHAIN_COUNT (POINT_COUNT + CONTRACT_OPERATION_OTHER + 1)
static struct step steps[STEPS_MAX];
static struct chain {
    unsigned first, count, slots;
    bool fills; /* some say FILLED */
    unsigned question_count;
    struct question questions[ALWAYS];
} chains[CHAIN_COUNT][2];
static bool chained;

_Static_assert(CONTRACT_RULE_COUNT <= RECORD_RULES_MAX, "the record has a counter for each rule");

typedef void place_fn(struct chain *chain, const struct contract_row *row, unsigned moment);

/* In every chain that the row belongs to. */
static void place_row(const struct contract_row *row, place_fn *place)
{
    bool is_paging = row->point == POINT_BuildPagingBuffer;
    unsigned first = is_paging ? POINT_COUNT : row->point;
    unsigned end = is_paging ? CHAIN_COUNT : row->point + 1;

    for (unsigned i = first; i < end; i++) {
        if (row->what.operations && !(row->what.operations >> (i - first) & 1)) {
            continue;
        }
        if (row->moment == MOMENT_BEFORE || row->what.remember) {
            place(&chains[i][MOMENT_BEFORE], row, MOMENT_BEFORE);
        }
        if (row->moment == MOMENT_AFTER) {
            place(&chains[i][MOMENT_AFTER], row, MOMENT_AFTER);
        }
    }
}

static void count_row(struct chain *chain, const struct contract_row *row, unsigned moment)
{
    chain->count++;
}

static uint8_t question_of(struct chain *chain, const struct contract_what *what)
{
    struct question *asked = chain->questions;
    unsigned i = 0;

    if (!what->when && what->feature == CONTRACT_NO_FEATURE) {
        return ALWAYS;
    }
    while (i < chain->question_count &&
           (asked[i].when != what->when || asked[i].feature != what->feature)) {
        i++;
    }
    if (i == chain->question_count) {
        CHECK_THAT(i < ALWAYS);
        asked[i] = (struct question){what->when, what->feature};
        chain->question_count++;
    }
    return (uint8_t)i;
}

/* Data that is compared as it lies there: whole members of the arguments. */
static void set_look(struct step *step, const struct contract_what *what)
{
    bool one = what->look == LOOK_ZERO || what->look == LOOK_NOT_ZERO;
    bool two = what->look == LOOK_AT_MOST_OTHER;

    step->look = LOOK_CHECK;
    if ((one || (two && what->field.size == what->other.size)) && !what->each.elements.name &&
        (what->field.size == 4 || what->field.size == 8) && what->field.offset <= UINT16_MAX &&
        what->other.offset <= UINT16_MAX) {
        step->look = what->look;
        step->wide = what->field.size == 8;
        step->field = (uint16_t)what->field.offset;
        step->other = (uint16_t)what->other.offset;
    }
}

static void chain_row(struct chain *chain, const struct contract_row *row, unsigned moment)
{
    struct step *step = &steps[chain->first + chain->count++];

    CHECK_THAT(chain->slots < CONTRACT_REMEMBERED_MAX || !row->what.remember);
    *step = (struct step){
        .row = row,
        .check = row->what.look == LOOK_CHECK && !row->what.remember ? row->what.check : NULL,
        .remember = row->what.remember,
        .counter = (uint16_t)((row->judges == CONTRACT_KERNEL ? RECORD_RULES_MAX : 0) + row->rule),
        .slot = (uint8_t)chain->slots,
        .question = question_of(chain, &row->what),
        .gate = row->what.remember ? ALWAYS : question_of(chain, &row->what),
        .stands = (unsigned)row->moment == moment,
        .own = row->judges == CONTRACT_KERNEL,
    };
    set_look(step, &row->what);
    chain->slots += row->what.remember != NULL;
    chain->fills = chain->fills || row->what.remember == contract_is_filled;
}

/* First how many there are, then where each chain begins, then all of them. */
static __attribute__((cold, noinline)) void chain_rows(void)
{
    const struct contract_row *row;
    unsigned used = 0;

    for (unsigned i = 0; (row = contract_row_at(i)) != NULL; i++) {
        place_row(row, count_row);
    }
    for (unsigned i = 0; i < 2 * CHAIN_COUNT; i++) {
        struct chain *chain = &chains[i / 2][i % 2];
        chain->first = used;
        used += chain->count;
        chain->count = 0;
    }
    CHECK_THAT(used <= STEPS_MAX);
    for (unsigned i = 0; (row = contract_row_at(i)) != NULL; i++) {
        place_row(row, chain_row);
    }
    chained = true;
}

void contract_set_hooks(const struct contract_hooks *new_hooks)
{
    hooks = *new_hooks;
}

void contract_set_tamper(void (*new_tamper)(struct contract_call *call))
{
    tamper = new_tamper;
}

void contract_set_judging(bool judging)
{
    judges_nothing = !judging;
}

void contract_count(enum contract_rule rule)
{
    struct record *record = record_current();

    if (record && (unsigned)rule < RECORD_RULES_MAX) {
        record_header(record)->rule_checks[RECORD_DRIVER][rule]++;
    }
}

void contract_count_own(enum contract_rule rule)
{
    struct record *record = record_current();

    if (record && (unsigned)rule < RECORD_RULES_MAX) {
        record_header(record)->rule_checks[RECORD_KERNEL][rule]++;
    }
}

/* True: the driver is blamed for it; else it is advice, or the user allowed it. */
static bool store(const struct contract_finding *finding, const char *ddi, const char *expected,
                  const char *actual)
{
    const struct contract_rule_info *info = &contract_rules[finding->rule];
    bool is_note = finding->advice || info->reaction == CONTRACT_NOTE;
    struct record_breach breach = {.count = 1,
                                   .object = finding->object,
                                   .bugcheck = is_note ? 0 : finding->bugcheck,
                                   .fatal = !is_note && (finding->bugcheck || finding->fatal),
                                   .weight = is_note ? RECORD_ADVICE : RECORD_COUNTS};

    if (record_breaches_are_sealed()) {
        return false;
    }
    snprintf(breach.rule, sizeof breach.rule, "%s", info->id);
    snprintf(breach.ddi, sizeof breach.ddi, "%s", ddi);
    snprintf(breach.expected, sizeof breach.expected, "%s", expected);
    snprintf(breach.actual, sizeof breach.actual, "%s", actual);
    fill_explain(breach.actual, sizeof breach.actual);
    if (hooks.remark && !is_note) {
        hooks.remark(&breach);
    }
    memcpy(breach.bugcheck_argument, finding->bugcheck_arguments, sizeof breach.bugcheck_argument);
    uint32_t index = record_add_breach(&breach);
    record_event(EVENT_BREACH, finding->object, finding->rule, index);
    if (is_note || record_is_waived(info->id)) {
        return false;
    }
    if (breach.fatal && hooks.fatal) {
        hooks.fatal(&breach);
    }
    return true;
}

void contract_breach(const struct contract_finding *finding, const char *expected,
                     const char *format, ...)
{
    char actual[RECORD_TEXT_MAX];
    va_list arguments;

    /* A finding that no site names would be judged, and listed as not judged. */
    CHECK_THAT(contract_rule_judged(finding->rule) & CONTRACT_DRIVER);
    contract_count(finding->rule);
    va_start(arguments, format);
    vsnprintf(actual, sizeof actual, format, arguments);
    va_end(arguments);
    store(finding, finding->ddi ? finding->ddi : contract_rules[finding->rule].ddi, expected,
          actual);
}

void contract_own_breach(enum contract_rule rule, const char *file, int line, const char *condition)
{
    char text[RECORD_TEXT_MAX];

    snprintf(text, sizeof text, "kernel duty %s: %s", contract_rules[rule].id, condition);
    check_failed(file, line, contract_rules[rule].ddi, text);
}

bool contract_say(struct contract_call *call, const char *expected, const char *format, ...)
{
    va_list arguments;

    snprintf(call->expected, sizeof call->expected, "%s", expected);
    va_start(arguments, format);
    vsnprintf(call->actual, sizeof call->actual, format, arguments);
    va_end(arguments);
    return false;
}

static bool breach_of_call(const struct contract_row *row, struct contract_call *call)
{
    struct contract_finding finding = {
        .rule = row->rule,
        .object = call->object    ? call->object
                  : call->tracker ? call->tracker->adapter_object
                                  : 0,
        .bugcheck = row->what.bugcheck,
        .bugcheck_arguments = {row->what.bugcheck_sub, (uint32_t)call->status},
        .advice = row->what.advises,
    };
    return store(&finding, contract_points[call->point].name,
                 call->expected[0] ? call->expected : contract_rules[row->rule].text, call->actual);
}

/* Does a rule of this question speak of the call? What cannot break it is no look at it. */
static inline bool holds(const struct question *question, const struct contract_call *call)
{
    return contract_has_feature(call->tracker, question->feature) &&
           (!question->when || question->when(call));
}

/* All questions of the chain at once: what they say depends on nothing but the call. */
static inline uint32_t ask(const struct chain *chain, const struct contract_call *call)
{
    const struct question *question = chain->questions;
    uint32_t answers = UINT32_C(1) << ALWAYS;

    for (unsigned i = 0; i < chain->question_count; i++, question++) {
        answers |= (uint32_t)holds(question, call) << i;
    }
    return answers;
}

/* Where the tracker says that it met an object that is mixed up with another. Before there is an
 * adapter no rows look objects up. */
static inline bool *met_mixed_up(const struct contract_call *call)
{
    static bool nobody;

    return call->tracker ? &call->tracker->met_mixed_up : &nobody;
}

/* Of looks, by the steps' counters. */
static inline uint64_t *counts_of_looks(void)
{
    static uint64_t unrecorded[RECORD_JUDGED_COUNT][RECORD_RULES_MAX];
    uint64_t *counts = record_rule_checks();

    return counts ? counts : unrecorded[0];
}

/* As every row finds it. */
static inline void clear_finding(struct contract_call *call)
{
    call->expected[0] = call->actual[0] = '\0';
    call->no_case = false;
}

static __attribute__((cold, noinline)) void breach_of_row(const struct contract_row *row,
                                                          struct contract_call *call)
{
    if (row->judges == CONTRACT_KERNEL) {
        contract_own_breach(row->rule, contract_points[call->point].name, 0,
                            call->expected[0] ? call->actual : contract_rules[row->rule].text);
    }
    bool blamed = breach_of_call(row, call);
    if (blamed && row->what.ends_start) {
        track_refusal(call->tracker, row->rule, call->actual);
    }
    clear_finding(call);
}

/* A look that was no plain one: it found something, or nothing to look at, or what it is about the
 * driver made unclear (see tracker.h). */
static __attribute__((noinline)) void judge_closer(const struct step *step,
                                                   struct contract_call *call, bool kept)
{
    bool *mixed_up = met_mixed_up(call);

    if (step->own && *mixed_up) {
        clear_finding(call);
    } else {
        counts_of_looks()[step->counter] += !call->no_case;
        call->no_case = false;
        if (!kept) {
            breach_of_row(step->row, call);
        }
    }
    *mixed_up = false;
}

static inline uint64_t member_at(const struct step *step, const struct contract_call *call,
                                 unsigned offset)
{
    const unsigned char *at = (const unsigned char *)call->arguments + offset;
    uint64_t value = 0;

    if (step->wide) {
        memcpy(&value, at, 8);
    } else {
        memcpy(&value, at, 4);
    }
    return value;
}

/* Of a row of data. */
static inline bool is_kept(const struct step *step, struct contract_call *call)
{
    bool kept = false;

    switch (step->look) {
    case LOOK_ZERO:
        kept = member_at(step, call, step->field) == 0;
        break;
    case LOOK_NOT_ZERO:
        kept = member_at(step, call, step->field) != 0;
        break;
    case LOOK_AT_MOST_OTHER:
        kept = member_at(step, call, step->field) <= member_at(step, call, step->other);
        break;
    default:
        break;
    }
    return kept || contract_look(step->row, call); /* which has the words */
}

/* Of a row that remembers. True: it judges now, and has what it remembered. */
static bool remember(const struct step *step, struct contract_call *call)
{
    if (step->stands) {
        call->scratch = call->remembered[step->slot];
    } else {
        call->remembered[step->slot] =
            step->remember == contract_is_filled ? 0 : step->remember(call);
    }
    return step->stands;
}

/* A step by itself, whatever it is. */
static __attribute__((noinline)) void take(const struct chain *chain, const struct step *step,
                                           struct contract_call *call)
{
    bool judges = !step->remember || remember(step, call);

    *met_mixed_up(call) = false;
    if (judges && (step->question == ALWAYS || holds(&chain->questions[step->question], call))) {
        judge_closer(step, call, step->check ? step->check(call) : is_kept(step, call));
    }
}

/* All others than those that find something take the short way through here. */
static void judge_chain(const struct chain *chain, struct contract_call *call)
{
    const struct step *step = &steps[chain->first], *end = step + chain->count;
    bool *mixed_up = met_mixed_up(call);
    uint64_t *counts = counts_of_looks();
    bool kept;

    *mixed_up = false;
    uint32_t answers = ask(chain, call);
    if (__builtin_expect(*mixed_up, 0)) {
        for (; step < end; step++) {
            take(chain, step, call); /* to know whether it was this one */
        }
        return;
    }
    for (; step < end; step++) {
        if (!(answers >> step->gate & 1)) {
            continue;
        }
        if (step->check) {
            kept = step->check(call);
        } else if (step->remember) {
            take(chain, step, call);
            continue;
        } else {
            kept = is_kept(step, call);
        }
        if (__builtin_expect(!kept | call->no_case | *mixed_up, 0)) {
            judge_closer(step, call, kept);
        } else {
            counts[step->counter]++;
        }
    }
}

/* Behind those of the points stand those of operations; BuildPagingBuffer's own stays empty. */
static const struct chain *chain_of(const struct contract_call *call, enum contract_moment moment)
{
    const DXGKARG_BUILDPAGINGBUFFER *paging = call->before;
    unsigned index = call->point;

    if (__builtin_expect(!chained, 0)) {
        chain_rows();
    }
    if (index == POINT_BuildPagingBuffer) {
        index = (unsigned)paging->Operation;
        index = POINT_COUNT + (index < CONTRACT_OPERATION_OTHER ? index : CONTRACT_OPERATION_OTHER);
    }
    return &chains[index][moment];
}

static void judge_rows(const struct chain *chain, struct contract_call *call)
{
    clear_finding(call);
    if (chain->count > 0 && !__builtin_expect(judges_nothing, 0)) {
        judge_chain(chain, call);
    }
}

/* What the driver is to fill in: taken away before the call, looked for after it. */
static __attribute__((noinline)) void fill(const struct chain *chain, struct contract_call *call,
                                           enum contract_moment moment)
{
    for (const struct step *step = &steps[chain->first]; step < &steps[chain->first + chain->count];
         step++) {
        if (step->remember != contract_is_filled) {
            continue;
        }
        if (moment == MOMENT_BEFORE) {
            contract_unfill(step->row, call);
        } else {
            call->remembered[step->slot] = contract_refill(step->row, call);
        }
    }
}

/* Of every DDI, and no rule's: the routine raised the level, or kept a spin lock. */
static void judge_irql(struct contract_call *call)
{
    if (call->irql_after != call->irql &&
        (call->point < POINT_DDI_COUNT || call->point == POINT_DriverEntry)) {
        if (hooks.irql_left) {
            hooks.irql_left(contract_points[call->point].name, call->irql, call->irql_after);
        }
    }
}

void contract_before(struct contract_call *call)
{
    if (__builtin_expect(tamper != NULL, 0)) {
        tamper(call);
    }
    /* The rows after the call look at what the driver was given, not at what it made of it. */
    if (call->before) {
        memcpy(call->before, call->arguments, call->size_bytes);
    }
    contract_cover_arguments(call);
    call->counts_inside = contract_counts_inside(call);
    const struct chain *chain = chain_of(call, MOMENT_BEFORE);
    judge_rows(chain, call);
    contract_follow(call, MOMENT_BEFORE);
    if (chain->fills) {
        fill(chain, call, MOMENT_BEFORE);
    }
}

void contract_after(struct contract_call *call)
{
    const struct chain *chain = chain_of(call, MOMENT_AFTER);

    judge_irql(call);
    if (chain->fills) {
        fill(chain, call, MOMENT_AFTER);
    }
    call->overwritten = NULL;
    judge_rows(chain, call);
    if (call->overwritten) {
        contract_canary_write(call->overwritten); /* it is told, and not again as damaged pool */
    }
    contract_follow(call, MOMENT_AFTER);
}

static size_t canary_room(const void *end)
{
    size_t rest = (0 - (uintptr_t)end) % MACHINE_PAGE_SIZE;

    return rest < CONTRACT_CANARY_BYTES ? rest : CONTRACT_CANARY_BYTES;
}

void contract_canary_write(void *end)
{
    memset(end, CONTRACT_CANARY, canary_room(end));
}

size_t contract_canary_kept(const void *end)
{
    return fill_first_other(end, CONTRACT_CANARY, canary_room(end));
}

bool contract_canary_intact(const void *end)
{
    return contract_canary_kept(end) == canary_room(end);
}

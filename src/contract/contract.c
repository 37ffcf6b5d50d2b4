/* The contract's machinery: points, rows, judging, breaches. */
#include "contract/contract.h"

#include "contract/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/record.h"

static const struct contract_point_info points[POINT_COUNT] = {
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

/* Rows in the order of families, chained by point and moment: a call looks at its own rows only.
 * One that remembers something stands in the chain of both moments. */
#define ROWS_MAX 2048
struct link {
    const struct contract_row *row;
    uint8_t slot; /* of call->remembered */
};
static struct link chain[ROWS_MAX];
static uint16_t chain_first[POINT_COUNT][2], chain_count[POINT_COUNT][2];
static bool chained;

static bool stands_in(const struct contract_row *row, unsigned point, unsigned moment)
{
    return (unsigned)row->point == point &&
           ((unsigned)row->moment == moment || (row->what.remember && moment == MOMENT_BEFORE));
}

static unsigned chain_moment(unsigned point, unsigned moment, unsigned used)
{
    const struct contract_row *row;
    unsigned first = used, slot = 0;

    for (unsigned i = 0; (row = contract_row_at(i)) != NULL; i++) {
        if (stands_in(row, point, moment)) {
            CHECK_THAT(used < ROWS_MAX && slot < CONTRACT_REMEMBERED_MAX);
            chain[used++] = (struct link){row, (uint8_t)slot};
            slot += row->what.remember != NULL;
        }
    }
    chain_first[point][moment] = (uint16_t)first;
    chain_count[point][moment] = (uint16_t)(used - first);
    return used;
}

static void chain_rows(void)
{
    unsigned used = 0;

    for (unsigned point = 0; point < POINT_COUNT; point++) {
        used = chain_moment(point, MOMENT_BEFORE, used);
        used = chain_moment(point, MOMENT_AFTER, used);
    }
    chained = true;
}

const struct contract_point_info *contract_point_info(enum contract_point point)
{
    CHECK_THAT((unsigned)point < POINT_COUNT);
    return &points[point];
}

void contract_set_hooks(const struct contract_hooks *new_hooks)
{
    hooks = *new_hooks;
}

void contract_set_tamper(void (*new_tamper)(struct contract_call *call))
{
    tamper = new_tamper;
}

void contract_count(enum contract_rule rule)
{
    struct record *record = record_current();

    if (record && (unsigned)rule < RECORD_RULES_MAX) {
        record_header(record)->rule_checks[rule]++;
    }
}

static void store(const struct contract_finding *finding, const char *ddi, const char *expected,
                  const char *actual)
{
    struct record_breach breach = {.count = 1,
                                   .object = finding->object,
                                   .bugcheck = finding->bugcheck,
                                   .fatal = finding->bugcheck != 0 || finding->fatal};

    snprintf(breach.rule, sizeof breach.rule, "%s", contract_rules[finding->rule].id);
    snprintf(breach.ddi, sizeof breach.ddi, "%s", ddi);
    snprintf(breach.expected, sizeof breach.expected, "%s", expected);
    snprintf(breach.actual, sizeof breach.actual, "%s", actual);
    memcpy(breach.bugcheck_argument, finding->bugcheck_arguments, sizeof breach.bugcheck_argument);
    uint32_t index = record_add_breach(&breach);
    record_event(EVENT_BREACH, finding->object, finding->rule, index);
    if (breach.fatal && hooks.fatal) {
        hooks.fatal(finding->bugcheck, finding->bugcheck_arguments);
    }
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

static void breach_of_call(enum contract_rule rule, struct contract_call *call, uint32_t bugcheck,
                           uint64_t bugcheck_sub)
{
    struct contract_finding finding = {
        .rule = rule,
        .object = call->object    ? call->object
                  : call->tracker ? call->tracker->adapter_object
                                  : 0,
        .bugcheck = bugcheck,
        .bugcheck_arguments = {bugcheck_sub, (uint32_t)call->status},
    };
    store(&finding, points[call->point].name,
          call->expected[0] ? call->expected : contract_rules[rule].text, call->actual);
}

/* Does the rule speak of the call? What cannot break it is no look at it. */
static bool applies(const struct contract_row *row, const struct contract_call *call)
{
    const struct contract_what *what = &row->what;

    if (what->feature != CONTRACT_NO_FEATURE) {
        const bool *feature =
            (const void *)((const unsigned char *)&call->tracker->features + what->feature - 1);
        if (!*feature) {
            return false;
        }
    }
    return !what->when || what->when(call);
}

static void judge_row(const struct contract_row *row, struct contract_call *call)
{
    bool own = row->judges == CONTRACT_KERNEL;

    if (call->tracker) {
        call->tracker->met_mixed_up = false;
    }
    if (!applies(row, call)) {
        return;
    }
    call->expected[0] = call->actual[0] = '\0';
    bool kept = contract_look(row, call);
    if (own && call->tracker && call->tracker->met_mixed_up) {
        return; /* which object the call is about the driver made unclear: see tracker.h */
    }
    contract_count(row->rule);
    if (kept) {
        return;
    }
    if (own) {
        contract_own_breach(row->rule, points[call->point].name, 0,
                            call->expected[0] ? call->actual : contract_rules[row->rule].text);
    }
    breach_of_call(row->rule, call, row->what.bugcheck, row->what.bugcheck_sub);
    if (row->what.ends_start) {
        track_refusal(call->tracker, row->rule, call->actual);
    }
}

static void judge_rows(struct contract_call *call, enum contract_moment moment)
{
    if (!chained) {
        chain_rows();
    }
    unsigned first = chain_first[call->point][moment];
    unsigned count = chain_count[call->point][moment];
    for (unsigned i = first; i < first + count; i++) {
        const struct contract_row *row = chain[i].row;
        if (row->moment != moment) {
            call->remembered[chain[i].slot] = row->what.remember(call);
            continue;
        }
        if (row->what.remember) {
            call->scratch = call->remembered[chain[i].slot];
        }
        judge_row(row, call);
    }
}

/* Of every DDI, so not a row [GEN-007]. */
static void judge_irql(struct contract_call *call)
{
    if (call->irql_after != call->irql &&
        (call->point < POINT_DDI_COUNT || call->point == POINT_DriverEntry)) {
        contract_say(call, "the IRQL that the DDI was called at", "it returned at IRQL %u, not %u",
                     call->irql_after, call->irql);
        contract_count(RULE_GEN_007);
        breach_of_call(CONTRACT_JUDGES(GEN_007), call, 0, 0);
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
    judge_rows(call, MOMENT_BEFORE);
    contract_follow(call, MOMENT_BEFORE);
}

void contract_after(struct contract_call *call)
{
    judge_irql(call);
    judge_rows(call, MOMENT_AFTER);
    contract_follow(call, MOMENT_AFTER);
}

bool contract_canary_intact(const void *end)
{
    const unsigned char *bytes = end;

    /* All equal to the first one: eight times faster than a loop, and every call looks. */
    return bytes[0] == CONTRACT_CANARY && memcmp(bytes, bytes + 1, CONTRACT_CANARY_BYTES - 1) == 0;
}

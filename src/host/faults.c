/* What the driver does wrong outside the rules of its DDIs: faults, damaged pool, bug checks,
 * kernel functions at the wrong IRQL, leaks. Each becomes a breach in the record, with a location.
 */
#include "host/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "base/fill.h"

const char *host_point_name(void)
{
    enum contract_point point = ddi_current_point();

    return point < POINT_COUNT ? contract_point_info(point)->name : "the driver";
}

/* Ends the run from wherever it is. */
static _Noreturn void end_run(enum run_outcome outcome, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static _Noreturn void end_run(enum run_outcome outcome, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    record_set_outcome(outcome, "%s", text);
    machine_halt();
}

static void keep_breach(const struct record_breach *breach)
{
    if (host.speaks_last) {
        return;
    }
    uint32_t index = record_add_breach(breach);

    record_event(EVENT_BREACH, 0, RECORD_RULES_MAX, index);
}

/* Findings that count speak for themselves. */
_Noreturn void host_end_after_waived(const struct record_breach *breach)
{
    if (record_header(host.record)->counting_breaches == 0) {
        record_set_outcome(RUN_OUTCOME_INCONCLUSIVE,
                           "the run cannot go on after what was allowed: %s in %s: %s",
                           breach->rule, breach->ddi, breach->actual);
    }
    machine_halt();
}

void host_finding(const char *name, const char *expected, bool fatal, uint32_t bugcheck,
                  const uint64_t *bugcheck_arguments, const char *format, ...)
{
    struct record_breach breach = {.count = 1, .bugcheck = bugcheck, .fatal = fatal};
    va_list arguments;

    CHECK_THAT(contract_other_finding(name)); /* findings.def has it */
    if (!fatal && host.escaped && strcmp(name, "DEVICE") == 0) {
        breach.weight = RECORD_ADVICE; /* as its client's escapes left it */
    }
    if (host.speaks_last) {
        machine_halt();
    }
    snprintf(breach.rule, sizeof breach.rule, "%s", name);
    snprintf(breach.ddi, sizeof breach.ddi, "%s", host_point_name());
    snprintf(breach.expected, sizeof breach.expected, "%s", expected);
    va_start(arguments, format);
    vsnprintf(breach.actual, sizeof breach.actual, format, arguments);
    va_end(arguments);
    fill_explain(breach.actual, sizeof breach.actual);
    host_remark(&breach);
    if (bugcheck_arguments) {
        memcpy(breach.bugcheck_argument, bugcheck_arguments, sizeof breach.bugcheck_argument);
    }
    keep_breach(&breach);
    if (fatal && record_is_waived(name)) {
        host_end_after_waived(&breach);
    }
    if (fatal) {
        end_run(RUN_OUTCOME_FAULT, "%s in %s: %s", name, breach.ddi, breach.actual);
    }
}

_Noreturn void host_breach(const struct contract_finding *finding, const char *expected,
                           const char *actual)
{
    struct record_breach allowed = {.count = 1};

    contract_breach(finding, expected, "%s", actual);
    snprintf(allowed.rule, sizeof allowed.rule, "%s", contract_rule_info(finding->rule)->id);
    snprintf(allowed.ddi, sizeof allowed.ddi, "%s", host_point_name());
    snprintf(allowed.actual, sizeof allowed.actual, "%s", actual);
    host_end_after_waived(&allowed);
}

/* ---- The contract ---------------------------------------------------------------------------- */

static void fatal_breach(const struct record_breach *breach)
{
    if (breach->bugcheck) {
        end_run(RUN_OUTCOME_BREACH, "%s in %s: %s (bug check 0x%X)", breach->rule, breach->ddi,
                breach->actual, breach->bugcheck);
    }
    end_run(RUN_OUTCOME_BREACH, "%s in %s: %s", breach->rule, breach->ddi, breach->actual);
}

/* ---- The kernel's services ------------------------------------------------------------------- */

/* The rule that forbids services above their level in the DDI that the driver is in; false: none
 * does, and the pages of the services alone say it. */
static bool irql_rule(enum contract_rule *rule)
{
    switch (ddi_current_point()) {
    case POINT_SubmitCommand:
        *rule = CONTRACT_JUDGES(SUBMIT_002);
        return true;
    case POINT_InterruptRoutine:
        *rule = CONTRACT_JUDGES(INT_021);
        return true;
    case POINT_SetVidPnSourceAddress:
        *rule = CONTRACT_JUDGES(FLIP_002);
        return true;
    default:
        return false;
    }
}

static void irql_finding(const char *expected, const char *actual)
{
    enum contract_rule rule;

    if (host.speaks_last) {
        machine_halt(); /* what it waits for may never come */
    }
    if (irql_rule(&rule)) {
        contract_breach(&(struct contract_finding){.rule = rule, .ddi = host_point_name()},
                        expected, "%s", actual);
    } else {
        host_finding("IRQL", expected, false, 0, NULL, "%s", actual);
    }
}

static void irql_violation(void *ctx, const char *name, uint8_t irql, uint8_t limit,
                           const void *caller)
{
    char where[LOADER_TEXT_MAX], actual[RECORD_TEXT_MAX];

    loader_location_text(caller, where, sizeof where);
    snprintf(actual, sizeof actual, "%s at IRQL %u (limit %u) from %s", name, irql, limit, where);
    irql_finding("kernel services at the IRQL they allow", actual);
}

static void irql_left(const char *ddi, uint8_t called, uint8_t returned)
{
    struct record_breach breach = {.rule = "IRQL", .count = 1};

    snprintf(breach.ddi, sizeof breach.ddi, "%s", ddi);
    snprintf(breach.expected, sizeof breach.expected,
             "it returns at the IRQL that it was called at");
    snprintf(breach.actual, sizeof breach.actual, "called at IRQL %u, it returned at IRQL %u%s",
             called, returned,
             returned == MACHINE_IRQL_DISPATCH ? " (a spin lock that was kept does this)" : "");
    keep_breach(&breach);
}

static void misuse(void *ctx, enum nt_misuse kind, const char *name, const char *text,
                   const void *caller)
{
    char where[LOADER_TEXT_MAX], actual[RECORD_TEXT_MAX];

    loader_location_text(caller, where, sizeof where);
    if (kind == NT_MISUSE_WAIT_IRQL) {
        snprintf(actual, sizeof actual, "%s: %s from %s", name, text, where);
        irql_finding("no waiting above APC_LEVEL", actual);
        return;
    }
    host_finding("MISUSE", nt_misuse_expects(kind), kind == NT_MISUSE_SPIN_DEADLOCK, 0, NULL,
                 caller ? "%s: %s, called from %s" : "%s: %s", name, text, where);
}

static void registers(void *ctx, const char *what, const char *names, const void *routine)
{
    struct record_breach breach = {.rule = "REGISTERS", .count = 1};
    char where[LOADER_TEXT_MAX];

    loader_location_text(routine, where, sizeof where);
    snprintf(breach.ddi, sizeof breach.ddi, "%s", what ? what : host_point_name());
    snprintf(breach.expected, sizeof breach.expected,
             "registers that are the caller's come back as they were");
    snprintf(breach.actual, sizeof breach.actual, "%s changed by %s", names, where);
    keep_breach(&breach);
}

static void advice(void *ctx, const char *name, const char *text, const void *caller)
{
    char where[LOADER_TEXT_MAX], note[LOADER_TEXT_MAX + 256];

    loader_location_text(caller, where, sizeof where);
    snprintf(note, sizeof note, "advice: %s: %s, called from %s", name, text, where);
    record_note(note);
    record_count("driver.advice", 1);
}

static void pool_corruption(void *ctx, const struct nt_pool_corruption *corruption)
{
    static const char *const damages[] = {"written before its begin", "written past its end",
                                          "written after it was freed"};
    char block[HOST_BLOCK_MAX], freed[NT_ORIGIN_MAX + 32] = "";

    /* What is freed is shut to clients: a device may still write there that was told wrongly. */
    if (corruption->block.of_client && corruption->damage != NT_POOL_USE_AFTER_FREE) {
        host_client_blame(host_client_workload(), "%s, %zu bytes, was %s at offset %lld (0x%02X)",
                          corruption->block.kind, corruption->block.size,
                          damages[corruption->damage], (long long)corruption->offset,
                          corruption->found);
        machine_halt();
    }
    host_block_text(&corruption->block, block);
    if (corruption->freed_by.caller) {
        snprintf(freed, sizeof freed, "; it was freed at ");
        nt_origin_text(&corruption->freed_by, freed + strlen(freed), NT_ORIGIN_MAX);
    }
    const uint64_t arguments[4] = {0x20};
    /* The bytes around a block are put back as they were: who allows the damage may go on. */
    host_finding("POOL", "pool blocks written inside their bounds", !record_is_waived("POOL"), 0x19,
                 arguments, "%s, was %s at offset %lld (0x%02X)%s", block,
                 damages[corruption->damage], (long long)corruption->offset, corruption->found,
                 freed);
}

/* Not _Noreturn: that is no part of a function's type, and pointers to these have it. */
static __attribute__((noreturn)) void bugcheck(void *ctx, const struct nt_stop *stop)
{
    const uint64_t *arguments = stop->arguments;
    char where[LOADER_TEXT_MAX];

    loader_location_text(stop->caller, where, sizeof where);
    host_finding(
        "BUGCHECK", "a driver that does not stop the system", false, stop->code, arguments,
        stop->asked ? "KeBugCheckEx(0x%X, 0x%llX, 0x%llX, 0x%llX, 0x%llX) from %s"
                    : "bug check 0x%X (0x%llX, 0x%llX, 0x%llX, 0x%llX) of a service called from %s",
        stop->code, (unsigned long long)arguments[0], (unsigned long long)arguments[1],
        (unsigned long long)arguments[2], (unsigned long long)arguments[3], where);
    if (stop->asked) {
        end_run(RUN_OUTCOME_FAULT, "the driver called KeBugCheckEx(0x%X) at %s", stop->code, where);
    }
    end_run(RUN_OUTCOME_FAULT, "the system stops with bug check 0x%X in a service called at %s",
            stop->code, where);
}

static __attribute__((noreturn)) void raise_status(void *ctx, NTSTATUS status, unsigned count,
                                                   const uint64_t *parameters)
{
    loader_raise_with((uint32_t)status, count, parameters);
}

static void symbol(void *ctx, const void *address, char *text, size_t size)
{
    loader_location_text(address, text, size);
}

static void log_line(void *ctx, const char *line)
{
    record_event(EVENT_MARK, 0, record_text_printed(line), 0);
    if (host.options->verbose) {
        fprintf(stderr, "driver: %s\n", line);
    }
}

/* ---- Exceptions ------------------------------------------------------------------------------ */

static bool foreign_runs(void *ctx)
{
    return host_device_runs(NULL) || host_policy_runs() || host_client_runs();
}

#define FILLED_MAX 48

/* The processor does not tell an address that no page could have; a pointer out of memory that
 * nobody initialised is one. "; rcx is 0xA5A5A5A5A5A5A5A5", or nothing. */
static const char *filled_register(const struct loader_fault *fault, char text[FILLED_MAX])
{
    static const char *const names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                        "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

    text[0] = '\0';
    for (unsigned i = 0; i < 16 && fault->access_address == UINT64_MAX; i++) {
        uint64_t value = fault->context->gpr[i];
        if (fill_name(value, sizeof value)) {
            snprintf(text, FILLED_MAX, "; %s is 0x%llX", names[i], (unsigned long long)value);
            break;
        }
    }
    return text;
}

/* What a driver that reads such a register takes for an index leads anywhere. */
static const char *device_state(void)
{
    if (!host.adapter || !pci_is_removed(dxgk_adapter_slot(host.adapter))) {
        return "";
    }
    return dxgk_adapter_is_removed(host.adapter)
               ? "; its device was pulled out, as the driver was told: all registers read as ones"
               : "; its device was pulled out, and nobody told the driver yet: all registers read "
                 "as ones";
}

/* Code, or data, that only DriverEntry may use. */
static void discarded(const struct loader_fault *fault)
{
    const void *address = (const void *)fault->access_address;
    const uint64_t arguments[4] = {fault->access_address, fault->access == LOADER_ACCESS_WRITE,
                                   (uintptr_t)fault->address};
    const char *by = fault->access != LOADER_ACCESS_EXECUTE ? fault->caller
                     : fault->backtrace_count > 1           ? fault->backtrace[1]
                                                            : "";
    char what[LOADER_TEXT_MAX];

    loader_location_text(address, what, sizeof what);
    host_finding("FAULT", "code and data for DriverEntry used before it returns", true, 0x50,
                 arguments, "%s, in the section %s, was %s after DriverEntry returned%s%s", what,
                 loader_section_name(address),
                 fault->access == LOADER_ACCESS_EXECUTE ? "called" : "used", by[0] ? ", from " : "",
                 by);
}

/* The kernel comes for a timer or a DPC, and finds no memory. */
static void gone_timer(const struct loader_fault *fault)
{
    const uint64_t arguments[4] = {fault->access_address, fault->access == LOADER_ACCESS_WRITE,
                                   (uintptr_t)fault->address};
    char where[NT_ORIGIN_MAX];
    bool is_discarded = loader_is_discarded((const void *)fault->access_address);

    nt_origin_text(nt_touched, where, sizeof where);
    host_finding("FAULT", "a timer or a DPC in memory that stays as long as it is queued", true,
                 0x50, arguments, "the one that was set or queued at %s lies at 0x%llx, %s", where,
                 (unsigned long long)fault->access_address,
                 is_discarded ? "in a section that is gone behind DriverEntry"
                              : "where nothing is any more");
}

#define DIRECTION_FLAG 0x400 /* Drydock's code never sets it */
#define NULL_ENTRY_MAX 160
#define NULL_END       0x10000 /* up to here an address is a member of NULL */

/* Where the NULL may come from, if it is one. */
static const char *null_entry(const struct loader_fault *fault, char text[NULL_ENTRY_MAX])
{
    text[0] = 0;
    if (fault->access != LOADER_ACCESS_NONE && fault->access_address < NULL_END) {
        ddi_handed_null(text, NULL_ENTRY_MAX);
    }
    return text;
}

/* In a call or a routine of the driver, and on no stack that there is: Drydock's own code never
 * leaves its. */
static bool is_stack_lost(const struct loader_fault *fault)
{
    uintptr_t place = (uintptr_t)fault->context->gpr[4];
    const void *from, *to;

    if (!task_self() || (ddi_current_point() >= POINT_COUNT && !task_stack_mark()) ||
        task_in_driver_stack(place)) {
        return false;
    }
    task_stack_bounds(&from, &to);
    return place < (uintptr_t)from || place > (uintptr_t)to;
}

static void unhandled(void *ctx, const struct loader_fault *fault)
{
    if (host.loads) { /* the process dies of it next */
        record_set_outcome(RUN_OUTCOME_REFUSED, "%s cannot be loaded: %s",
                           host.options->driver_module, fault->summary);
        return;
    }
    if (host.speaks_last) {
        machine_halt();
    }
    if (host_device_runs(NULL)) {
        host_device_fault(fault);
    }
    if (host_policy_runs()) {
        host_policy_fault(fault);
    }
    if (host_client_runs() && !fault->image) {
        host_client_fault(fault);
    }
    if (host_touch(fault)) {
        return;
    }
    if (fault->kind == LOADER_FAULT_HOST && nt_touched) {
        gone_timer(fault);
    }
    if (fault->kind == LOADER_FAULT_HOST && task_in_driver_stack(fault->context->gpr[4])) {
        host_finding("FAULT", "a stack on which the frames of callers stay as they are", true, 0x7E,
                     (const uint64_t[4]){fault->code, (uintptr_t)fault->address},
                     "%s: what the driver called last ran over the frames above it",
                     fault->summary);
    }
    if (fault->kind == LOADER_FAULT_HOST && is_stack_lost(fault)) {
        host_finding("FAULT", "a stack pointer that leads to the driver's stack", true, 0x7E,
                     (const uint64_t[4]){fault->code, (uintptr_t)fault->address},
                     "%s: the stack pointer is 0x%llx", fault->summary,
                     (unsigned long long)fault->context->gpr[4]);
    }
    if (fault->kind == LOADER_FAULT_HOST && fault->context->eflags & DIRECTION_FLAG &&
        dxgk_process_current()) {
        host_client_blame(host_client_workload(), "it called with the direction flag set: %s",
                          fault->summary);
        machine_halt();
    }
    if (fault->kind == LOADER_FAULT_HOST) {
        record_set_outcome(RUN_OUTCOME_OWN_FAULT, "%s", fault->summary);
        machine_halt();
    }
    const uint64_t arguments[4] = {fault->code, (uintptr_t)fault->address};
    char filled[FILLED_MAX], null[NULL_ENTRY_MAX];

    if (fault->access != LOADER_ACCESS_NONE &&
        loader_is_discarded((const void *)fault->access_address)) {
        discarded(fault);
    }
    if (fault->kind == LOADER_FAULT_STACK_OVERFLOW) {
        const uint64_t double_fault[4] = {8};
        host_finding("STACK", "no more on a kernel stack than its 24 KB", true, 0x7F, double_fault,
                     "%s", fault->summary);
    }
    /* 0x7E: a system thread got an exception that nobody handles. */
    host_finding("FAULT", "no exception that nobody handles", true, 0x7E, arguments, "%s%s%s%s",
                 fault->summary, filled_register(fault, filled), null_entry(fault, null),
                 device_state());
}

static const void *place_of(const void *context)
{
    const ucontext_t *state = context;

    return (const void *)(uintptr_t)state->uc_mcontext.gregs[REG_RIP];
}

/* The driver itself, and not what it called. */
static bool is_driver(const void *place)
{
    return !host_device_runs(NULL) && (loader_image_at(place) || nt_is_stack_probe(place));
}

static bool stack_spent(void *ctx, const void *context, const void *fault_address)
{
    (void)ctx;
    return task_stack_spent(fault_address) && is_driver(place_of(context));
}

static bool fault_filter(void *ctx, void *context, void *fault_address)
{
    const void *place = place_of(context);

    if (!stack_spent(ctx, context, fault_address) &&
        task_stack_open(fault_address, is_driver(place))) {
        return true;
    }
    if (host_device_runs(NULL)) {
        return false;
    }
    return ram_change_fault(context, fault_address) || machine_copy_fault(context) ||
           mmio_emulate_fault(context, fault_address) ||
           (loader_image_at(place) && port_emulate_fault(context));
}

void host_forbidden_system_call(const void *address, int number)
{
    char where[LOADER_TEXT_MAX];

    if (!loader_image_at(address)) {
        return;
    }
    loader_location_text(address, where, sizeof where);
    host_finding("FAULT", "a driver that calls the kernel's exports only", true, 0, NULL,
                 "system call %d made at %s", number, where);
}

static bool stack_bounds(void *ctx, uintptr_t *low, uintptr_t *high)
{
    const void *from, *to;

    if (!task_self()) {
        return false;
    }
    task_stack_bounds(&from, &to);
    *low = (uintptr_t)from;
    *high = (uintptr_t)to;
    return true;
}

/* Told, and no fault of the driver. */
static void lacking(const char *name, const char *where)
{
    struct record_breach breach = {.rule = "IMPORT", .count = 1, .weight = RECORD_ADVICE};

    snprintf(breach.ddi, sizeof breach.ddi, "%s", host_point_name());
    snprintf(breach.expected, sizeof breach.expected, "kernel functions that Drydock has");
    snprintf(breach.actual, sizeof breach.actual, "%s is missing; called from %s", name, where);
    keep_breach(&breach);
}

static void unresolved(void *ctx, const char *name, const void *caller)
{
    char where[LOADER_TEXT_MAX];

    loader_location_text(caller, where, sizeof where);
    record_count("imports.missing_calls", 1);
    if (!host.lacks[0]) {
        snprintf(host.lacks, sizeof host.lacks,
                 "Drydock does not have the kernel's %s, which the driver called from %s", name,
                 where);
    }
    lacking(name, where);
}

bool host_export_exists(const char *name)
{
    size_t count;
    const struct nt_export *exports = ddi_exports(&count);
    struct loader_binding binding;

    for (size_t i = 0; i < count; i++) {
        if (strcmp(exports[i].name, name) == 0) {
            return true;
        }
    }
    return nt_export_find(name) != NULL || loader_resolve_builtin(name, &binding);
}

static bool resolve(void *ctx, const char *dll, const char *name, struct loader_binding *out)
{
    size_t count;
    const struct nt_export *exports = ddi_exports(&count);

    for (size_t i = 0; i < count; i++) {
        if (strcmp(exports[i].name, name) == 0) {
            *out = (struct loader_binding){exports[i].address, exports[i].is_data};
            return true;
        }
    }
    const struct nt_export *found = nt_export_find(name);
    if (found) {
        *out = (struct loader_binding){found->address, found->is_data};
    }
    return found != NULL;
}

static bool is_pageable_code(void *ctx, const void *address)
{
    (void)ctx;
    return loader_is_pageable_code(address);
}

static bool lock_section(void *ctx, const void *address, bool lock)
{
    (void)ctx;
    return loader_section_lock(address, lock);
}

static void pageable_code(void *ctx, const char *name, const void *address, bool calls)
{
    char where[LOADER_TEXT_MAX], actual[RECORD_TEXT_MAX];

    loader_location_text(address, where, sizeof where);
    if (calls) {
        snprintf(actual, sizeof actual,
                 "code at %s, in the section %s, runs at IRQL %u: it calls %s", where,
                 loader_section_name(address), irql_current(), name);
    } else {
        snprintf(actual, sizeof actual, "%s at %s, in the section %s, is called at IRQL %u",
                 name ? name : "the routine", where, loader_section_name(address), irql_current());
    }
    irql_finding("pageable code used at or below APC_LEVEL", actual);
}

static bool image_data(void *ctx, const void *address, bool *writable)
{
    (void)ctx;
    return loader_data_at(address, writable);
}

static bool perform(void *ctx, uint64_t *gpr, uint64_t *rip, uint64_t *flags)
{
    bool is_stepped = step_pause(), performed = nt_perform(gpr, rip, flags);

    (void)ctx;
    if (is_stepped) {
        step_resume();
    }
    return performed;
}

static enum loader_step step(void *ctx, const void *place, const uint64_t *gpr)
{
    static const enum loader_step answers[] = {
        [STEP_NONE] = LOADER_STEP_NONE,
        [STEP_ON] = LOADER_STEP_ON,
        [STEP_OFF] = LOADER_STEP_OFF,
        [STEP_CALL] = LOADER_STEP_CALL,
    };

    (void)ctx;
    return answers[step_trapped(
        &(struct step_trap){.place = place,
                            .gpr = gpr,
                            .is_drivers = loader_image_at(place) && !host_device_runs(NULL)})];
}

static void stepped(void *ctx)
{
    (void)ctx;
    step_stand();
}

static void standing(void *ctx, struct nt_standing *out)
{
    (void)ctx;
    ddi_standing(out);
}

/* What somebody does to the device then, the adapter knows. */
static void flushed(void *ctx)
{
    (void)ctx;
    dxgk_moment();
}

void host_faults_install(void)
{
    static const struct contract_hooks contract = {
        .fatal = fatal_breach, .irql_left = irql_left, .remark = host_remark};
    static const struct nt_hooks nt = {
        .irql_violation = irql_violation,
        .misuse = misuse,
        .advice = advice,
        .pool_corruption = pool_corruption,
        .bugcheck = bugcheck,
        .raise = raise_status,
        .symbol = symbol,
        .registers = registers,
        .image_data = image_data,
        .is_pageable_code = is_pageable_code,
        .lock_section = lock_section,
        .pageable_code = pageable_code,
        .log = log_line,
        .lacks = unresolved,
        .fail_allocation = host_fails_allocation,
        .fails_again = host_fails_again,
        .call = host_call,
        .call_text = host_call_text,
        .standing = standing,
        .routine = ddi_step_routine,
        .flushed = flushed,
    };
    static const struct loader_host loader = {
        .resolve = resolve,
        .unresolved = unresolved,
        .fault_filter = fault_filter,
        .stack_bounds = stack_bounds,
        .stack_spent = stack_spent,
        .page_gone = host_page_gone,
        .is_foreign = foreign_runs,
        .perform = perform,
        .step = step,
        .stepped = stepped,
        .admit = host_touch_is_admitted,
        .is_fatal_access = host_touch_is_fatal,
        .unhandled = unhandled,
    };

    contract_set_hooks(&contract);
    NTSTATUS status = nt_init(&nt);
    CHECK_THAT(NT_SUCCESS(status));
    loader_init(&loader);
    host_party_install();
}

/* ---- Leaks ----------------------------------------------------------------------------------- */

#define LEAKS_MAX 64

/* Blocks of one place: the first of them, told with the others' number. */
struct leaks {
    struct {
        struct nt_pool_block first;
        unsigned count;
        size_t bytes;
    } places[LEAKS_MAX];
    unsigned count;
};

static void leaked_block(void *ctx, const struct nt_pool_block *block)
{
    struct leaks *leaks = ctx;

    for (unsigned i = 0; i < leaks->count; i++) {
        if (leaks->places[i].first.from.caller == block->from.caller) {
            leaks->places[i].count++;
            leaks->places[i].bytes += block->size;
            return;
        }
    }
    if (leaks->count < LEAKS_MAX) {
        leaks->places[leaks->count].first = *block;
        leaks->places[leaks->count].count = 1;
        leaks->places[leaks->count++].bytes = block->size;
    }
}

static void tell_blocks(const struct leaks *leaks)
{
    for (unsigned i = 0; i < leaks->count; i++) {
        const struct nt_pool_block *block = &leaks->places[i].first;
        char tag[5], where[NT_ORIGIN_MAX], more[64] = "";

        nt_pool_tag_text(block->tag, tag);
        nt_origin_text(&block->from, where, sizeof where);
        if (leaks->places[i].count > 1) {
            snprintf(more, sizeof more, ", the first of %u with %zu bytes", leaks->places[i].count,
                     leaks->places[i].bytes);
        }
        host_finding("LEAK", "all pool freed at unload", false, 0, NULL,
                     "block '%s' of %zu bytes (%s, allocation %llu%s) from %s", tag, block->size,
                     block->type, (unsigned long long)block->serial, more, where);
    }
}

static void leaked_thing(void *ctx, const char *kind, const char *text)
{
    host_finding("LEAK", "everything given back at unload", false, 0, NULL, "%s: %s", kind, text);
}

void host_check_leaks(void)
{
    static struct leaks leaks;

    nt_pool_check();
    nt_pool_report(leaked_block, &leaks);
    tell_blocks(&leaks);
    nt_leak_report(leaked_thing, NULL);
    ddi_leak_report(leaked_thing, NULL);
}

/* nt/export.c: the table of exports and the check at the top of each. */
#include "nt/internal.h"

#include <stdlib.h>
#include <string.h>

/* The addresses only, by assembler name: a row does not depend on how a header declares it. */
#define NT_EXPORT(name, ceiling, flags)            extern char address_of_##name[] __asm__(#name);
#define NT_EXPORT_AS(name, symbol, ceiling, flags) extern char address_of_##name[] __asm__(#symbol);
#define NT_DATA(name)                              extern char address_of_##name[] __asm__(#name);
#include "nt/exports.def"
#undef NT_EXPORT
#undef NT_EXPORT_AS
#undef NT_DATA

static const uint8_t flags_of[EXPORT_ID_COUNT] = {
#define NT_EXPORT(name, ceiling, flags)            flags,
#define NT_EXPORT_AS(name, symbol, ceiling, flags) flags,
#define NT_DATA(name)                              QUIET,
#include "nt/exports.def"
#undef NT_EXPORT
#undef NT_EXPORT_AS
#undef NT_DATA
};

static const struct nt_export rows[EXPORT_ID_COUNT] = {
#define NT_EXPORT(name, ceiling, flags) {#name, address_of_##name, false, NT_IRQL_##ceiling},
#define NT_EXPORT_AS(name, symbol, ceiling, flags) \
    {#name, address_of_##name, false, NT_IRQL_##ceiling},
#define NT_DATA(name) {#name, address_of_##name, true, NT_IRQL_ANY},
#include "nt/exports.def"
#undef NT_EXPORT
#undef NT_EXPORT_AS
#undef NT_DATA
};

static uint64_t calls[EXPORT_ID_COUNT];
static enum export_id last;

static struct nt_export sorted[EXPORT_ID_COUNT];

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct nt_export *)a)->name, ((const struct nt_export *)b)->name);
}

const struct nt_export *nt_exports(size_t *count)
{
    if (!sorted[0].name) {
        memcpy(sorted, rows, sizeof(sorted));
        for (size_t i = 0; i < EXPORT_ID_COUNT; i++) {
            /* Our symbol is a pointer to what a driver's import table points at. */
            if (sorted[i].is_data) {
                memcpy(&sorted[i].address, rows[i].address, sizeof(sorted[i].address));
            }
        }
        qsort(sorted, EXPORT_ID_COUNT, sizeof(sorted[0]), compare_names);
    }
    if (count) {
        *count = EXPORT_ID_COUNT;
    }
    return sorted;
}

const struct nt_export *nt_export_find(const char *name)
{
    struct nt_export key = {.name = name};

    return bsearch(&key, nt_exports(NULL), EXPORT_ID_COUNT, sizeof(key), compare_names);
}

uint64_t nt_export_calls(const struct nt_export *entry)
{
    for (size_t i = 0; i < EXPORT_ID_COUNT; i++) {
        if (strcmp(rows[i].name, entry->name) == 0) {
            return calls[i];
        }
    }
    return 0;
}

bool nt_is_stack_probe(const void *place)
{
    extern const char crt_chkstk[], crt_chkstk_end[] __attribute__((visibility("hidden")));

    return (const char *)place >= crt_chkstk && (const char *)place < crt_chkstk_end;
}

const char *nt_export_last(void)
{
    return rows[last].name;
}

const char *export_name(enum export_id id)
{
    return rows[id].name;
}

static void report_irql(enum export_id id, uint8_t irql, uint8_t limit, const void *caller)
{
    if (nt_hooks.irql_violation) {
        nt_hooks.irql_violation(nt_hooks.ctx, rows[id].name, irql, limit, caller);
    }
}

void nt_look_at_irql(const char *service, uint8_t ceiling, const void *caller)
{
    if (nt_exists() && irql_current() > ceiling && nt_hooks.irql_violation) {
        nt_hooks.irql_violation(nt_hooks.ctx, service, irql_current(), ceiling, caller);
    }
}

/* What a thread of the kernel has on x64, and what an export's own frame may add before it looks:
 * sanitizers make frames larger. */
#if defined(__SANITIZE_ADDRESS__)
#define WITH_LARGE_FRAMES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_LARGE_FRAMES 1
#endif
#endif
#ifdef WITH_LARGE_FRAMES
#define STACK_BYTES_MAX (52 << 10)
#else
#define STACK_BYTES_MAX (26 << 10)
#endif

/* Drydock's stacks are larger, and its own frames lie on them, too: what counts is what the driver
 * used since it was called, and only when it calls by itself. */
static __attribute__((noinline)) void stack_is_deep(enum export_id id, const void *caller,
                                                    size_t used)
{
    struct export_call call = {id, caller};

    if (!driver_image_at(caller)) {
        return;
    }
    task_set_stack_mark(0);   /* told once in this call of the driver */
    record_driver_runs(true); /* which goes on */
    misuse(NT_MISUSE_STACK, &call,
           "the driver is %zu KB deep on its stack, and a kernel stack has 24", used >> 10);
}

static inline void check_stack(enum export_id id, const void *caller)
{
    uintptr_t mark = task_stack_mark();
    intptr_t used = (intptr_t)(mark - (uintptr_t)__builtin_frame_address(0));

    if (mark && used > STACK_BYTES_MAX) {
        stack_is_deep(id, caller, (size_t)used);
    }
}

/* The latest promise of a wait; the task is only compared with. */
static struct {
    const struct task *task; /* NULL: none is open */
    struct export_call call;
} promise;

void export_promise_wait(const struct export_call *call)
{
    promise.task = task_self();
    promise.call = *call;
}

/* An interrupt, or a DPC, on the same stack promised nothing. */
static __attribute__((noinline)) void keep_promise(enum export_id id)
{
    if (promise.task != task_self() || irql_current() > APC_LEVEL) {
        return;
    }
    promise.task = NULL;
    if (id != EXPORT_ID_KeWaitForSingleObject && id != EXPORT_ID_KeWaitForMultipleObjects) {
        misuse(NT_MISUSE_ARGUMENT, &promise.call,
               "Wait is TRUE, but the next call is %s and no wait", rows[id].name);
    }
}

static bool is_pageable(const void *code)
{
    return nt_hooks.is_pageable_code && nt_hooks.is_pageable_code(nt_hooks.ctx, code);
}

void nt_look_at_routine(const char *what, const void *routine)
{
    if (irql_current() > APC_LEVEL && is_pageable(routine)) {
        nt_hooks.pageable_code(nt_hooks.ctx, what, routine, false);
    }
    if (what && nt_hooks.routine) {
        (void)nt_hooks.routine(nt_hooks.ctx, what, false);
    }
}

static bool lowers_irql(enum export_id id)
{
    return id == EXPORT_ID_KeReleaseSpinLock || id == EXPORT_ID_KeLowerIrql ||
           id == EXPORT_ID_KeReleaseInStackQueuedSpinLock ||
           id == EXPORT_ID_KeReleaseInterruptSpinLock || id == EXPORT_ID_IoReleaseCancelSpinLock ||
           id == EXPORT_ID_ExReleaseSpinLockExclusive || id == EXPORT_ID_ExReleaseSpinLockShared;
}

/* The stub through which an import is called: a jump through memory. */
static bool is_import_stub(const uint8_t *code)
{
    static const uint8_t landing[] = {0xF3, 0x0F, 0x1E, 0xFA};

    code += memcmp(code, landing, sizeof(landing)) == 0 ? sizeof(landing) : 0;
    code += *code == 0xF2 || *code == 0x48; /* bnd, rex.w */
    return code[0] == 0xFF && code[1] == 0x25;
}

/* Whether the driver's code in front of `caller` called a routine of its own: that one ended with a
 * jump to us, left no trace, and may lie anywhere. */
static bool is_jumped_to(const void *caller)
{
    const uint8_t *call = (const uint8_t *)caller - 5;
    int32_t distance;

    if (*call != 0xE8) {
        return false;
    }
    memcpy(&distance, call + 1, sizeof(distance));
    const uint8_t *target = (const uint8_t *)caller + distance;
    return driver_image_at(target) && driver_image_at(target + 8) && !is_import_stub(target);
}

static void look_at_call(enum export_id id, const void *caller)
{
    if (__builtin_expect(promise.task != NULL, 0)) {
        keep_promise(id);
    }
    check_stack(id, caller);
    if (rows[id].irql_max < NT_IRQL_ANY && irql_current() > rows[id].irql_max) {
        report_irql(id, irql_current(), rows[id].irql_max, caller);
    }
    /* Behind the call its code runs at this level, unless that is what the call ends. */
    if (irql_current() > APC_LEVEL && is_pageable(caller) &&
        !(lowers_irql(id) && is_jumped_to(caller))) {
        nt_hooks.pageable_code(nt_hooks.ctx, rows[id].name, caller, true);
    }
    if (flags_of[id] & RECORD) {
        record_event(EVENT_EXPORT_CALL, 0, id, 0);
    }
    if (flags_of[id] & YIELD) {
        machine_yield();
        last = id;
    }
}

bool export_enter(enum export_id id, const void *caller)
{
    bool is_stepped = step_pause();

    calls[id]++;
    last = id;
    if (nt_exists()) { /* functions that need no kernel work without one */
        look_at_call(id, caller);
    }
    return is_stepped;
}

void export_irql_above(const struct export_call *call, uint8_t ceiling)
{
    if (nt_exists() && irql_current() > ceiling) {
        report_irql(call->id, irql_current(), ceiling, call->caller);
    }
}

void export_irql_below(const struct export_call *call, uint8_t floor)
{
    if (nt_exists() && irql_current() < floor) {
        report_irql(call->id, irql_current(), floor, call->caller);
    }
}

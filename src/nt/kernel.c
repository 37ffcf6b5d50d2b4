/* nt/kernel.c: the kernel's beginning and end, and how it speaks to its host. */
#include "nt/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct nt_hooks nt_hooks;
static uint64_t made_to_fail; /* allocations */
static unsigned allocations_spared;

static bool exists;

/* Where advice was given: a call that is made a million times is told once. */
#define ADVICE_MAX 256
static struct export_call advised[ADVICE_MAX];
static unsigned advised_count;

NTSTATUS nt_init(const struct nt_hooks *hooks)
{
    NTSTATUS status;

    CHECK_THAT(!exists);
    CHECK_THAT(machine_exists());
    nt_hooks = hooks ? *hooks : (struct nt_hooks){0};
    status = pool_start();
    if (!NT_SUCCESS(status)) {
        return status;
    }
    advised_count = 0;
    allocations_spared = 0;
    wait_start();
    spin_start();
    ex_spin_start();
    interrupt_start();
    crt_start();
    object_start();
    process_start();
    exists = true;
    return STATUS_SUCCESS;
}

void nt_fini(void)
{
    if (!exists) {
        return;
    }
    dbg_flush();
    exists = false;
    service_stop();
    device_stop();
    interrupt_stop();
    work_stop();
    remove_lock_stop();
    fx_stop();
    callback_stop();
    view_stop();
    registration_stop();
    timer_stop();
    dpc_stop();
    resource_stop();
    lookaside_stop();
    mapping_stop();
    pages_stop();
    io_mapping_stop();
    contiguous_stop();
    object_stop();
    thread_stop();
    process_stop();
    wait_stop();
    lock_order_stop();
    pool_stop();
    nt_hooks = (struct nt_hooks){0};
}

bool nt_exists(void)
{
    return exists;
}

/* ---- Speaking to the host -------------------------------------------------------------------- */

const char *nt_misuse_expects(enum nt_misuse kind)
{
    static const char *const right[NT_MISUSE_COUNT] = {
        [NT_MISUSE_WAIT_IRQL] = "no waiting above APC_LEVEL",
        [NT_MISUSE_IRQL_ORDER] = "IRQLs raised upwards, and lowered to what they were",
        [NT_MISUSE_SPIN_DEADLOCK] = "a spin lock released before its CPU takes it again",
        [NT_MISUSE_SPIN_OWNER] = "a spin lock released by the CPU that holds it",
        [NT_MISUSE_LOCK_OWNER] = "a lock taken by who does not have it, released by who has",
        [NT_MISUSE_LOCK_KIND] = "one kind of routines for one lock",
        [NT_MISUSE_LOCK_ORDER] = "two locks taken in one order wherever both are held",
        [NT_MISUSE_APCS] = "a lock taken while APCs are kept away",
        [NT_MISUSE_POOL_FREE] = "memory freed once, as it was allocated",
        [NT_MISUSE_POOL_IN_USE] = "memory freed when nothing uses it any more",
        [NT_MISUSE_POOL_SIZE] = "an allocation of a size that can be",
        [NT_MISUSE_MDL] = "an MDL in the state that the routine asks for",
        [NT_MISUSE_MAPPING] = "a mapping undone once, as it was made",
        [NT_MISUSE_REGISTER] = "registers used inside a mapping of them",
        [NT_MISUSE_HANDLE] = "a handle that is open",
        [NT_MISUSE_OBJECT] = "an initialised object of the routine's type, not gone yet",
        [NT_MISUSE_ARGUMENT] = "arguments that the documentation allows",
        [NT_MISUSE_ADDRESS] = "an address of memory that has a physical one",
        [NT_MISUSE_STACK] = "a kernel stack of 24 KB is enough",
        [NT_MISUSE_STACK_LEFT] = "what the kernel still uses lies in memory that stays",
        [NT_MISUSE_REGISTRATION] = "DDIs that go together are registered together",
    };

    CHECK_THAT((unsigned)kind < NT_MISUSE_COUNT);
    return right[kind];
}

static void tell_misuse(enum nt_misuse kind, const char *service, const void *caller,
                        const char *format, va_list arguments)
{
    char text[NT_ORIGIN_MAX + 128];

    if (nt_hooks.misuse) {
        vsnprintf(text, sizeof(text), format, arguments);
        nt_hooks.misuse(nt_hooks.ctx, kind, service, text, caller);
    }
}

void misuse(enum nt_misuse kind, const struct export_call *call, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    tell_misuse(kind, export_name(call->id), call->caller, format, arguments);
    va_end(arguments);
}

void nt_misuse(enum nt_misuse kind, const char *service, const void *caller, const char *format,
               ...)
{
    va_list arguments;

    va_start(arguments, format);
    tell_misuse(kind, service, caller, format, arguments);
    va_end(arguments);
}

void advise(const struct export_call *call, const char *text)
{
    for (unsigned i = 0; i < advised_count; i++) {
        if (advised[i].id == call->id && advised[i].caller == call->caller) {
            return;
        }
    }
    if (advised_count < ADVICE_MAX && nt_hooks.advice) {
        advised[advised_count++] = *call;
        nt_hooks.advice(nt_hooks.ctx, export_name(call->id), text, call->caller);
    }
}

_Noreturn void stop_system(const struct nt_stop *stop)
{
    if (nt_hooks.bugcheck) {
        nt_hooks.bugcheck(nt_hooks.ctx, stop);
    }
    fprintf(stderr, "bug check 0x%X (0x%llX, 0x%llX, 0x%llX, 0x%llX)\n", stop->code,
            (unsigned long long)stop->arguments[0], (unsigned long long)stop->arguments[1],
            (unsigned long long)stop->arguments[2], (unsigned long long)stop->arguments[3]);
    machine_halt();
}

_Noreturn void bugcheck_from(const void *caller, uint32_t code, uint64_t a, uint64_t b, uint64_t c,
                             uint64_t d)
{
    stop_system(&(struct nt_stop){.code = code, .arguments = {a, b, c, d}, .caller = caller});
}

_Noreturn void raise_status(NTSTATUS status)
{
    if (nt_hooks.raise) {
        nt_hooks.raise(nt_hooks.ctx, status, 0, NULL);
    }
    /* KMODE_EXCEPTION_NOT_HANDLED */
    bugcheck_from(__builtin_return_address(0), 0x1E, (uint32_t)status, 0, 0, 0);
}

void nt_symbol_text(const void *address, char *text, size_t size)
{
    if (nt_hooks.symbol) {
        nt_hooks.symbol(nt_hooks.ctx, address, text, size);
    } else {
        snprintf(text, size, "%p", address);
    }
}

struct nt_origin origin_of(const void *caller)
{
    return (struct nt_origin){caller, nt_hooks.call ? nt_hooks.call(nt_hooks.ctx) : 0};
}

void nt_origin_text(const struct nt_origin *from, char *text, size_t size)
{
    nt_symbol_text(from->caller, text, size);
    size_t used = strlen(text);
    if (from->call && nt_hooks.call_text) {
        nt_hooks.call_text(nt_hooks.ctx, from->call, text + used, size - used);
    }
}

void log_line(const char *text)
{
    if (nt_hooks.log) {
        nt_hooks.log(nt_hooks.ctx, text);
    }
}

bool allocation_fails(uint32_t tag, size_t size, const void *caller)
{
    bool fails = !allocations_spared && nt_hooks.fail_allocation &&
                 nt_hooks.fail_allocation(nt_hooks.ctx, tag, size, caller);

    made_to_fail += fails;
    return fails;
}

void allocation_failed(void)
{
    if (nt_hooks.memory_short) {
        nt_hooks.memory_short(nt_hooks.ctx);
    }
}

bool nt_allocation_fails_again(bool wanted)
{
    return nt_hooks.fails_again && nt_hooks.fails_again(nt_hooks.ctx, wanted);
}

void nt_spare_allocations(int change)
{
    CHECK_THAT(change >= 0 || allocations_spared > 0);
    allocations_spared += (unsigned)change;
}

uint64_t nt_allocation_failures(void)
{
    return made_to_fail;
}

bool nt_allocation_fails(size_t size, const void *caller)
{
    return allocation_fails(0, size, caller);
}

/* ---- Leaks ----------------------------------------------------------------------------------- */

void leak(struct leak_visitor *visitor, const char *kind, const char *format, ...)
{
    char text[NT_ORIGIN_MAX + 128];
    va_list arguments;

    visitor->count++;
    if (visitor->visit) {
        va_start(arguments, format);
        vsnprintf(text, sizeof(text), format, arguments);
        va_end(arguments);
        visitor->visit(visitor->ctx, kind, text);
    }
}

size_t nt_leak_report(void (*visit)(void *ctx, const char *kind, const char *text), void *ctx)
{
    struct leak_visitor visitor = {.visit = visit, .ctx = ctx};

    handle_leaks(&visitor);
    thread_leaks(&visitor);
    timer_leaks(&visitor);
    dpc_leaks(&visitor);
    work_leaks(&visitor);
    interrupt_leaks(&visitor);
    remove_lock_leaks(&visitor);
    fx_leaks(&visitor);
    callback_leaks(&visitor);
    view_leaks(&visitor);
    registration_leaks(&visitor);
    resource_leaks(&visitor);
    lookaside_leaks(&visitor);
    mapping_leaks(&visitor);
    pages_leaks(&visitor);
    io_mapping_leaks(&visitor);
    contiguous_leaks(&visitor);
    return visitor.count;
}

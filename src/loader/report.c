/* Says in words what nobody handled: the fault, the place, the way there. */
#include "loader/internal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/status.h"

enum {
    FRAMES_WALKED_MAX = 512,
};

const char *loader_code_name(uint32_t code)
{
    switch (code) {
    case LOADER_DATATYPE_MISALIGNMENT:
        return "datatype misalignment";
    case LOADER_BREAKPOINT:
        return "breakpoint";
    case LOADER_SINGLE_STEP:
        return "single step";
    case LOADER_ACCESS_VIOLATION:
        return "access violation";
    case LOADER_IN_PAGE_ERROR:
        return "in-page error";
    case LOADER_ILLEGAL_INSTRUCTION:
        return "illegal instruction";
    case LOADER_NONCONTINUABLE:
        return "attempt to continue after a noncontinuable exception";
    case LOADER_INVALID_DISPOSITION:
        return "an exception handler gave an answer that does not exist";
    case LOADER_BAD_STACK:
        return "bad stack while unwinding";
    case LOADER_FLOAT_FAULT:
        return "floating-point fault";
    case LOADER_FLOAT_DIVIDE_BY_ZERO:
        return "floating-point division by zero";
    case LOADER_INTEGER_DIVIDE_BY_ZERO:
        return "integer division by zero";
    case LOADER_INTEGER_OVERFLOW:
        return "integer overflow";
    case LOADER_PRIVILEGED_INSTRUCTION:
        return "privileged instruction";
    case LOADER_STACK_OVERFLOW:
        return "stack overflow";
    case LOADER_STACK_BUFFER_OVERRUN:
        return "stack buffer overrun or fast fail";
    case LOADER_ASSERTION_FAILURE:
        return "assertion failure";
    default:
        break;
    }
    const char *status = status_name((NTSTATUS)code); /* as kernel functions raise them */
    return status[0] == 'S' ? status : "exception";
}

/* ---- The way there --------------------------------------------------------------------------- */

/* One frame outwards over driver, loader and host code alike. *function is its start, 0 if unknown.
 */
static bool step_any(struct walk *walk, uintptr_t *function)
{
    const struct loader_image *image = loader_image_at((void *)(uintptr_t)walk->context.rip);
    struct unwind_frame frame;

    *function = 0;
    if (image && image->kind == LOADER_KIND_PE &&
        !loader_is_discarded((void *)(uintptr_t)walk->context.rip)) {
        walk->exact = false;
        if (!unwind_driver_frame(image, &walk->stack, &walk->context, &frame)) {
            return false;
        }
        *function = frame.function ? (uintptr_t)image->base + frame.function->begin : 0;
        return true;
    }
    if (walk->exact && !unwind_is_host_code(walk->context.rip)) {
        /* A jump to nowhere: the return address is on top of the stack. */
        uintptr_t at = walk->context.gpr[4];

        if (at < walk->stack.low || at > walk->stack.high - 8) {
            return false;
        }
        walk->context.rip = *(const uint64_t *)at;
        walk->context.gpr[4] += 8;
        walk->exact = false;
        return true;
    }
    if (!unwind_host_frame(&walk->stack, &walk->context, walk->exact, function)) {
        return false;
    }
    walk->exact = false;
    return true;
}

bool report_find_host_call(const struct loader_context *context, struct host_call *call)
{
    struct walk walk;
    uintptr_t function;

    walk_begin(&walk, context, true);
    for (int i = 0; i < FRAMES_WALKED_MAX && step_any(&walk, &function); i++) {
        if (loader_image_at((void *)(uintptr_t)walk.context.rip)) {
            *call = (struct host_call){.function = function, .return_address = walk.context.rip};
            return true;
        }
    }
    return false;
}

#define CALLERS_MAX 2 /* what a driver's own memcpy was called for, and by whom */

static void add_caller(struct loader_fault *fault, const void *place, unsigned index)
{
    char where[LOADER_TEXT_MAX];
    size_t used = strlen(fault->callers);

    loader_location_text(place, where, sizeof where);
    snprintf(fault->callers + used, sizeof fault->callers - used, "%s%s",
             index == 0 ? "from " : ", from ", where);
}

static void add_backtrace(struct loader_fault *fault, const struct loader_context *context,
                          bool exact)
{
    unsigned callers = 0;
    struct walk walk;
    uintptr_t function;

    walk_begin(&walk, context, exact);
    do {
        const void *place = (const void *)(uintptr_t)walk.context.rip;

        if (!fault->image && (fault->image = loader_image_at(place)) != NULL) {
            loader_location_text(place, fault->caller, sizeof(fault->caller));
        } else if (fault->image && callers < CALLERS_MAX) {
            if (loader_image_at(place)) {
                add_caller(fault, place, callers++);
            } else {
                callers = CALLERS_MAX; /* who called the driver is no frame of its own */
            }
        }
        fault->frames[fault->backtrace_count] = place;
        loader_location_text(place, fault->backtrace[fault->backtrace_count++], LOADER_TEXT_MAX);
    } while (fault->backtrace_count < LOADER_BACKTRACE_MAX && step_any(&walk, &function));
}

unsigned loader_backtrace(const void *ucontext, const void **frames, unsigned max)
{
    struct loader_context context = {0};
    struct walk walk;
    uintptr_t function;
    unsigned count = 0;

    context_of_signal(&context, ucontext);
    walk_begin(&walk, &context, true);
    while (count < max) {
        frames[count++] = (const void *)(uintptr_t)walk.context.rip;
        if (!step_any(&walk, &function)) {
            break;
        }
    }
    return count;
}

/* ---- In words -------------------------------------------------------------------------------- */

static void describe_access(struct loader_fault *fault, const struct loader_exception *record)
{
    static const enum loader_access kinds[] = {
        [0] = LOADER_ACCESS_READ, [1] = LOADER_ACCESS_WRITE, [8] = LOADER_ACCESS_EXECUTE};

    if ((record->code == LOADER_ACCESS_VIOLATION || record->code == LOADER_IN_PAGE_ERROR) &&
        record->parameter_count >= 2) {
        fault->access =
            record->parameters[0] <= 8 ? kinds[record->parameters[0]] : LOADER_ACCESS_READ;
        fault->access_address = record->parameters[1];
    }
}

/* The import whose function begins there, else the host's symbol. */
static void name_host_function(const struct loader_image *image, uintptr_t function, char *text,
                               size_t text_size)
{
    Dl_info info = {0};

    for (size_t i = 0; image && i < image->import_count; i++) {
        if ((uintptr_t)image->imports[i].address == function) {
            snprintf(text, text_size, "%s", image->imports[i].name);
            return;
        }
    }
    if (dladdr((void *)function, &info) && info.dli_sname) {
        snprintf(text, text_size, "%s", info.dli_sname);
    } else {
        loader_location_text((void *)function, text, text_size);
    }
}

static void write_access(const struct loader_fault *fault, char *text, size_t text_size)
{
    static const char *const verbs[] = {"", " reading", " writing", " executing"};

    text[0] = 0;
    if (fault->access != LOADER_ACCESS_NONE) {
        snprintf(text, text_size, "%s 0x%llx", verbs[fault->access],
                 (unsigned long long)fault->access_address);
    }
}

static const char *instruction_name(const struct loader_exception *record)
{
    /* fault.c leaves the mnemonic of a privileged instruction in the first parameter. */
    return record->code == LOADER_PRIVILEGED_INSTRUCTION && record->parameter_count
               ? fault_instruction(record->parameters[0])
               : NULL;
}

static void write_summary(struct loader_fault *fault, const struct loader_exception *record)
{
    char access[64];
    const char *instruction = instruction_name(record);
    const char *called = fault->callers[0] ? ", called " : "";
    char *text = fault->summary;
    size_t size = sizeof(fault->summary);

    write_access(fault, access, sizeof(access));
    switch (fault->kind) {
    case LOADER_FAULT_HOST_CALL:
        snprintf(text, size,
                 "%s (0x%08x)%s in %s, called from %s%s%s: the driver gave it a bad pointer",
                 fault->code_name, fault->code, access, fault->host_function, fault->caller,
                 fault->callers[0] ? ", " : "", fault->callers);
        return;
    case LOADER_FAULT_STACK_OVERFLOW:
        snprintf(text, size,
                 "stack overflow at %s: the driver used up its kernel stack, which has 24 KB",
                 loader_image_at(fault->address) || !fault->image ? fault->where : fault->caller);
        return;
    case LOADER_FAULT_FAST_FAIL:
        snprintf(text, size,
                 "fast fail (0x%08x), code %llu, at %s%s%s: the driver asked to be stopped",
                 fault->code, (unsigned long long)record->parameters[0], fault->where, called,
                 fault->callers);
        return;
    case LOADER_FAULT_NESTED:
        snprintf(text, size,
                 "%s (0x%08x)%s at %s: exceptions within exception handlers without end",
                 fault->code_name, fault->code, access, fault->where);
        return;
    case LOADER_FAULT_HOST:
        snprintf(text, size, "%s (0x%08x)%s at %s, with no driver code on the stack",
                 fault->code_name, fault->code, access, fault->where);
        return;
    default:
        snprintf(text, size, "%s (0x%08x)%s%s%s at %s%s%s, handled by no driver frame",
                 fault->code_name, fault->code, access, instruction ? ": " : "",
                 instruction ? instruction : "", fault->where, called, fault->callers);
    }
}

static void make_report(struct loader_fault *fault, enum loader_fault_kind kind,
                        const struct loader_exception *record, const struct loader_context *context,
                        bool exact)
{
    struct host_call call;

    *fault = (struct loader_fault){
        .kind = kind,
        .code = record->code,
        .code_name = loader_code_name(record->code),
        .address = record->address ? record->address : (const void *)(uintptr_t)context->rip,
        .parameter_count = record->parameter_count,
        .context = context,
    };
    if (!instruction_name(record)) {
        memcpy(fault->parameters, record->parameters, sizeof(fault->parameters));
    }
    loader_location_text(fault->address, fault->where, sizeof(fault->where));
    describe_access(fault, record);
    add_backtrace(fault, context, exact);
    if (kind == LOADER_FAULT_HOST_CALL && report_find_host_call(context, &call)) {
        name_host_function(fault->image, call.function, fault->host_function,
                           sizeof(fault->host_function));
    }
    write_summary(fault, record);
}

/* A fault while the report is being made ends the process; one in the callback is the host's to
 * stop. */
static void tell_host(enum loader_fault_kind kind, const struct loader_exception *record,
                      const struct loader_context *context, bool exact)
{
    static _Thread_local struct loader_fault fault;
    static _Thread_local bool reporting;

    if (reporting) {
        fprintf(stderr, "drydock: a fault while reporting a fault: 0x%08x\n", record->code);
        abort();
    }
    reporting = true;
    make_report(&fault, kind, record, context, exact);
    reporting = false;
    if (loader_host_now.unhandled) {
        loader_host_now.unhandled(loader_host_now.ctx, &fault);
    }
}

_Noreturn void report_unhandled(enum loader_fault_kind kind, const struct loader_exception *record,
                                const struct loader_context *context, bool exact)
{
    tell_host(kind, record, context, exact);
    fprintf(stderr, "drydock: unhandled %s (0x%08x)\n", loader_code_name(record->code),
            record->code);
    abort();
}

void report_host_fault(const struct loader_exception *record, const struct loader_context *context)
{
    tell_host(LOADER_FAULT_HOST, record, context, true);
}

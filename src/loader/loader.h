/* Driver images: maps a PE32+ .sys (or an ELF module of the same driver) and carries its
 * exceptions.
 *
 *      bytes ──> headers checked ──> mapped at 0x2800_0000_0000… ──> relocated ──> imports bound
 *                                                                                     │
 *      driver code ── call ──> counting thunk ──> host export (ms_abi)       unknown names: a stub
 *           │ SIGSEGV…                                 │ loader_raise()
 *           └─────────────> dispatch over .pdata <─────┘
 *                             ├── filters, __finally, __except ──> driver code again
 *                             └── nobody ──> loader_host.unhandled(), which never returns
 *
 * Terms. An *image* is one loaded driver. A *binding* is what the host gives for an imported name.
 * The *host* is whoever fills in struct loader_host: this folder knows nothing of the kernel above
 * it. A *crossing* is an exception that leaves a host function on its way to the driver's handler.
 *
 * The file is foreign: every offset, size, count and address in it is checked, and what is wrong is
 * said in words that name the place. Image addresses depend only on the order of loading.
 *
 * One loader a process: signal handlers and image addresses are the process's own. Loading and
 * unloading is for one thread at a time; looking up addresses, raising and faulting is free on any
 * thread (and any coroutine) that called loader_thread_init().
 *
 * Example:
 *      loader_init(&host);
 *      if (!loader_load_file("foo.sys", &image, &error)) complain(error.text);
 *      NTSTATUS (MSABI *entry)(void *, void *) = (void *)image->entry;
 */
#ifndef LOADER_LOADER_H
#define LOADER_LOADER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOADER_MS_ABI __attribute__((ms_abi))

/* The first image lies here; the next ones above it. Free under AddressSanitizer too. */
#define LOADER_IMAGE_ADDRESS_FIRST 0x280000000000ull
#define LOADER_IMAGE_SIZE_MAX      (256ull << 20)

enum {
    LOADER_TEXT_MAX = 160,     /* bytes of a location text, with its zero */
    LOADER_ERROR_MAX = 640,    /* bytes of an error text, with its zero */
    LOADER_BACKTRACE_MAX = 32, /* frames in a report */
    LOADER_WARNING_MAX = 8,    /* warnings kept for one image */
    LOADER_PARAMETER_MAX = 15, /* of an exception */
};

/* Exception codes that the loader itself makes; the values are NTSTATUS. */
#define LOADER_DATATYPE_MISALIGNMENT  0x80000002u
#define LOADER_BREAKPOINT             0x80000003u
#define LOADER_SINGLE_STEP            0x80000004u
#define LOADER_ACCESS_VIOLATION       0xC0000005u
#define LOADER_IN_PAGE_ERROR          0xC0000006u
#define LOADER_ILLEGAL_INSTRUCTION    0xC000001Du
#define LOADER_NONCONTINUABLE         0xC0000025u
#define LOADER_INVALID_DISPOSITION    0xC0000026u
#define LOADER_LONG_JUMP              0x80000026u
#define LOADER_UNWIND                 0xC0000027u
#define LOADER_BAD_STACK              0xC0000028u
#define LOADER_FLOAT_FAULT            0xC0000090u
#define LOADER_FLOAT_DIVIDE_BY_ZERO   0xC000008Eu
#define LOADER_INTEGER_DIVIDE_BY_ZERO 0xC0000094u
#define LOADER_INTEGER_OVERFLOW       0xC0000095u
#define LOADER_PRIVILEGED_INSTRUCTION 0xC0000096u
#define LOADER_STACK_OVERFLOW         0xC00000FDu
#define LOADER_STACK_BUFFER_OVERRUN   0xC0000409u
#define LOADER_ASSERTION_FAILURE      0xC0000420u

/* ---- Images ---------------------------------------------------------------------------------- */

struct loader_error {
    char text[LOADER_ERROR_MAX];
};

enum loader_kind {
    LOADER_KIND_PE,
    LOADER_KIND_ELF,
};

struct loader_binding {
    void *address; /* function or variable of the host */
    bool is_data;  /* a variable: the import holds its address, no thunk counts its uses */
};

struct loader_import {
    const char *dll; /* as the file spells it; "" for an ELF module */
    const char *name;
    bool found;
    bool is_data;
    const void *address;   /* the host's function or variable; NULL if not found */
    const uint32_t *calls; /* times the driver called it; NULL if that is not counted */
};

struct loader_export {
    const char *name;
    const void *address; /* NULL for a forwarder */
};

struct loader_section {
    char name[9];
    uint32_t rva, size; /* as mapped, size not rounded */
    bool readable, writable, executable;
};

/* A loaded (or only inspected) driver. Owned by the loader until loader_unload(); read-only to
 * others. */
struct loader_image {
    enum loader_kind kind;
    bool mapped;   /* false: inspected, addresses mean nothing */
    char name[64]; /* last part of the path: "foo.sys" */
    uint8_t *base;
    size_t size;
    const void *entry;
    uint64_t preferred_base; /* what the file asked for: debuggers and map files count from there */
    uint32_t timestamp, checksum;
    uint16_t subsystem;
    bool is_dll;
    size_t import_count, export_count, section_count;
    const struct loader_import *imports;
    const struct loader_export *exports;
    const struct loader_section *sections;
    size_t warning_count;
    char warnings[LOADER_WARNING_MAX][LOADER_TEXT_MAX];
    struct loader_image_private *priv;
};

/* Loads for execution. False: error says why and nothing is left behind. */
bool loader_load_file(const char *path, struct loader_image **out, struct loader_error *error);
bool loader_load_bytes(const char *name, const void *bytes, size_t size, struct loader_image **out,
                       struct loader_error *error);
/* Reads headers, sections, imports and exports; runs nothing, so needs no loader_init(). The
 * imports' `found` is filled in if a host with resolve() was given to loader_init(). */
bool loader_inspect_file(const char *path, struct loader_image **out, struct loader_error *error);
bool loader_inspect_bytes(const char *name, const void *bytes, size_t size,
                          struct loader_image **out, struct loader_error *error);
/* Of a loaded or an inspected image; NULL is fine. */
void loader_unload(struct loader_image *image);

const void *loader_export_find(const struct loader_image *image, const char *name);
/* The image that holds the address, or NULL. */
const struct loader_image *loader_image_at(const void *address);
/* Is there data of an image, which is no code? *writable: may the driver change it? */
bool loader_data_at(const void *address, bool *writable);
/* The name of the section of an image that holds the address, or NULL. */
const char *loader_section_name(const void *address);
/* Is it code in a section named PAGE..., which may be out of memory above APC_LEVEL? */
bool loader_is_pageable_code(const void *address);
/* The driver locks the section into memory, or no longer does; false: there is none, or no lock. */
bool loader_section_lock(const void *address, bool lock);
/* DriverEntry is done: what only it needs, discardable sections named INIT..., is there no more. */
void loader_discard(struct loader_image *image);
bool loader_is_discarded(const void *address);
/* What the driver may write is kept as it is, before DriverEntry; false: it cannot be. */
bool loader_keep(struct loader_image *image);
/* As it was kept, and with all its sections, so that DriverEntry can be called once more; false:
 * it cannot be. Nothing of the driver runs, and nobody holds anything that lies in it. */
bool loader_renew(struct loader_image *image);

/* Places of an image's code, each the beginning of an instruction, whose file they come from is
 * trusted in that. */
struct loader_cover {
    const uint32_t *offsets; /* from the image's base on, ascending */
    size_t count;
    uint8_t *reached; /* out: 1 for each place that was run, as soon as it was */
};
/* From now on *cover, which outlives the image, is told what is run of a loaded one: one at a time.
 * False: error says why, and nothing is told. */
bool loader_cover(const struct loader_image *image, const struct loader_cover *cover,
                  struct loader_error *error);
/* "foo.sys+0x1234" in a driver, "KeSetEvent+0x12" in the host if its symbol is known, else hex. */
void loader_location_text(const void *address, char *text, size_t text_size);

/* ---- Exceptions ------------------------------------------------------------------------------ */

/* The processor state in the documented layout of the x64 CONTEXT. */
struct loader_context {
    uint64_t home[6];
    uint32_t flags, mxcsr;
    uint16_t cs, ds, es, fs, gs, ss;
    uint32_t eflags;
    uint64_t dr[6];
    uint64_t gpr[16]; /* rax rcx rdx rbx rsp rbp rsi rdi r8 … r15, as instructions number them */
    uint64_t rip;
    struct {
        uint16_t control_word, status_word;
        uint8_t tag_word, reserved1;
        uint16_t error_opcode;
        uint32_t error_offset;
        uint16_t error_selector, reserved2;
        uint32_t data_offset;
        uint16_t data_selector, reserved3;
        uint32_t mxcsr, mxcsr_mask;
        uint64_t st[8][2];
        uint64_t xmm[16][2];
        uint8_t reserved4[96];
    } fx __attribute__((aligned(16))); /* as FXSAVE writes it */
    uint64_t vector[26][2];
    uint64_t vector_control, debug_control, last_branch_to, last_branch_from;
    uint64_t last_exception_to, last_exception_from;
} __attribute__((aligned(16)));

/* In the documented layout of the x64 EXCEPTION_RECORD. */
struct loader_exception {
    uint32_t code, flags;
    struct loader_exception *nested;
    const void *address;
    uint32_t parameter_count;
    uint64_t parameters[LOADER_PARAMETER_MAX];
};

enum loader_fault_kind {
    LOADER_FAULT_UNHANDLED,      /* an exception of driver code that no driver frame handles */
    LOADER_FAULT_HOST_CALL,      /* a host function faulted on what the driver gave it */
    LOADER_FAULT_STACK_OVERFLOW, /* the driver used up its stack */
    LOADER_FAULT_FAST_FAIL, /* the driver asked to be stopped (security cookie, list corruption) */
    LOADER_FAULT_NESTED,    /* exceptions within exceptions, without end */
    LOADER_FAULT_HOST,      /* the host's own fault: no driver frame on the stack */
};

enum loader_access {
    LOADER_ACCESS_NONE,
    LOADER_ACCESS_READ,
    LOADER_ACCESS_WRITE,
    LOADER_ACCESS_EXECUTE,
};

struct loader_fault {
    enum loader_fault_kind kind;
    uint32_t code;
    const char *code_name; /* "access violation" */
    const void *address;   /* of the instruction */
    char where[LOADER_TEXT_MAX];
    enum loader_access access;
    uintptr_t access_address;
    char host_function[LOADER_TEXT_MAX]; /* LOADER_FAULT_HOST_CALL: what the driver had called */
    char caller[LOADER_TEXT_MAX];        /* the driver's frame nearest to the fault */
    char callers[LOADER_TEXT_MAX];       /* the next ones: "from a, from b", or empty */
    char summary[LOADER_ERROR_MAX];      /* all of it as one sentence */
    uint32_t parameter_count;
    uint64_t parameters[LOADER_PARAMETER_MAX];
    const struct loader_image *image; /* of the nearest driver frame; NULL if there is none */
    unsigned backtrace_count;
    char backtrace[LOADER_BACKTRACE_MAX]
                  [LOADER_TEXT_MAX];          /* driver and host frames, innermost first */
    const void *frames[LOADER_BACKTRACE_MAX]; /* the same as addresses */
    const struct loader_context *context;
};

enum loader_step {
    LOADER_STEP_NONE, /* nobody steps: the trap is the driver's own */
    LOADER_STEP_ON,
    LOADER_STEP_OFF,
    LOADER_STEP_CALL,
};

/* What the loader asks of its host. Any callback may be NULL. */
struct loader_host {
    void *ctx;
    /* The host's function or variable of that name; false if there is none. */
    bool (*resolve)(void *ctx, const char *dll, const char *name, struct loader_binding *out);
    /* The driver called an import that was not found. If this returns, the driver gets
     * STATUS_NOT_IMPLEMENTED. */
    void (*unresolved)(void *ctx, const char *name, const void *caller);
    /* First look at a fault, inside the signal handler: true if it is dealt with and the
     * instruction (or what the ucontext now says) may go on. */
    bool (*fault_filter)(void *ctx, void *ucontext, void *fault_address);
    /* The usable stack the thread (or coroutine) runs on now; called inside the signal handler.
     * NULL or false: the thread's own stack. */
    bool (*stack_bounds)(void *ctx, uintptr_t *low, uintptr_t *high);
    /* A fault that is not dealt with: is it the driver's stack that came to its end there? In the
     * signal handler. */
    bool (*stack_spent)(void *ctx, const void *ucontext, const void *fault_address);
    /* A page is gone that was mapped of a file, and with it whatever a report would read there: may
     * end the process. */
    void (*page_gone)(void *ctx, uintptr_t address);
    /* Does the host run code of another party just now, which is none of its drivers? A fault is
     * that one's: it is LOADER_FAULT_HOST, and no handler of a driver sees it. */
    bool (*is_foreign)(void *ctx);
    /* A fault of a driver's instruction, on the driver's stack: true if it was performed and the
     * driver goes on with these registers (as instructions number them). The instruction at *rip
     * was fetched: its bytes can be read, and no others need be there. */
    bool (*perform)(void *ctx, uint64_t *gpr, uint64_t *rip, uint64_t *flags);
    /* Nothing can be read at this address: true if now it can, and who wanted to goes on. On the
     * stack that faulted. */
    bool (*admit)(void *ctx, uintptr_t address);
    /* The trap flag was set: `place` is the next instruction, gpr as it will find them. In the
     * signal handler.
     * LOADER_STEP_CALL has stepped() called, on the stack of the code that was stopped, which goes
     * on afterwards without steps. Without it a trap is an exception of the driver's. */
    enum loader_step (*step)(void *ctx, const void *place, const uint64_t *gpr);
    void (*stepped)(void *ctx);
    /* Is an access to this address no exception but the end, whoever would handle it? */
    bool (*is_fatal_access)(void *ctx, uintptr_t address);
    /* Host frames below this stack pointer are about to be dropped, for a handler in the driver
     * takes over: locks and records that belong to them must go. */
    void (*unwound)(void *ctx, const void *stack_pointer);
    /* Nobody handles it: must not return. Runs on the stack that faulted (on a spare one after a
     * stack overflow). If it returns for LOADER_FAULT_HOST, the signal takes its former course; for
     * the others the process aborts. */
    void (*unhandled)(void *ctx, const struct loader_fault *fault);
    /* May an exception pass from a callback through the host function that called it, into the
     * driver frame that called that? A kernel that keeps state in such functions says no. */
    bool cross_host_callbacks;
};

/* Installs the signal handlers and keeps a copy of *host. May be called again, with another host or
 * after somebody else set handlers for the same signals. */
void loader_init(const struct loader_host *host);
/* Restores the former handlers. Images stay loaded. */
void loader_fini(void);
/* Sets up again what code that was loaded may have changed: the handlers and the signal stack. */
void loader_init_again(void);
/* Gives the calling OS thread its signal stack; loader_init() does it for its own thread. */
void loader_thread_init(void);
void loader_thread_fini(void);

/* Raises an exception in the driver that called the host, from anywhere inside the host function.
 */
_Noreturn void loader_raise(uint32_t code);
_Noreturn void loader_raise_with(uint32_t code, unsigned parameter_count,
                                 const uint64_t *parameters);
/* As loader_raise, for a record the driver made (RtlRaiseException). If a filter answers
 * EXCEPTION_CONTINUE_EXECUTION, the driver goes on behind its call; the host function does not. */
_Noreturn void loader_raise_record(const struct loader_exception *record);

/* The code that a ucontext_t (of a signal handler, or getcontext()) is in, and its callers,
 * innermost first; at most `max`. How many. */
unsigned loader_backtrace(const void *ucontext, const void **frames, unsigned max);

/* Where in a driver the exception came from that is being dispatched, for no call leads back to the
 * driver from there; or one that was handled, if it comes from one place over and over. Else NULL.
 */
const void *loader_exception_place(void);

/* Names that the loader serves itself when the host does not: __C_specific_handler (always),
 * ExRaiseStatus, ExRaiseAccessViolation, ExRaiseDatatypeMisalignment, RtlRaiseStatus,
 * RtlRaiseException, RtlCaptureContext, _setjmp, _setjmpex, longjmp, RtlUnwind, RtlUnwindEx. */
bool loader_resolve_builtin(const char *name, struct loader_binding *out);

/* "access violation" for 0xC0000005; "exception" for a code it does not know. */
const char *loader_code_name(uint32_t code);

#endif

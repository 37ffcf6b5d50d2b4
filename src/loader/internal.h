/* What the files of the loader share: PE structures, image memory, unwinding steps. */
#ifndef LOADER_INTERNAL_H
#define LOADER_INTERNAL_H

#include "loader/loader.h"

#include <string.h>

enum {
    PAGE_SIZE = 4096,
    GUARD_SIZE = 65536,  /* unmapped before and after each image */
    PE_SECTION_MAX = 96, /* what Windows accepts */
    PE_DIRECTORY_COUNT = 16,
    PE_IMPORT_DLL_MAX = 64,
    PE_IMPORT_MAX = 16384,
    PE_EXPORT_MAX = 65536,
    PE_NAME_MAX = 256,
};

enum pe_directory_index {
    PE_DIRECTORY_EXPORT = 0,
    PE_DIRECTORY_IMPORT = 1,
    PE_DIRECTORY_EXCEPTION = 3,
    PE_DIRECTORY_RELOCATION = 5,
    PE_DIRECTORY_TLS = 9,
    PE_DIRECTORY_LOAD_CONFIG = 10,
    PE_DIRECTORY_DELAY_IMPORT = 13,
    PE_DIRECTORY_CLR = 14,
};

/* Of the file and section headers. */
static const uint16_t pe_file_relocations_stripped = 0x0001;
static const uint16_t pe_file_dll = 0x2000;
static const uint16_t pe_subsystem_native = 1;
static const uint32_t pe_section_execute = 0x20000000;
static const uint32_t pe_section_read = 0x40000000;
static const uint32_t pe_section_write = 0x80000000;

struct pe_directory {
    uint32_t rva, size;
};

struct pe_section {
    char name[9];
    uint32_t rva, virtual_size; /* virtual_size: bytes that exist in memory */
    uint32_t raw_offset, raw_size;
    uint32_t flags;
    unsigned locks; /* of the driver: its pages stay in memory */
    bool discarded;
};

/* The headers of a file, all checked against its size. */
struct pe_layout {
    uint64_t preferred_base;
    uint32_t entry_rva, image_size, headers_size, timestamp, checksum;
    uint16_t subsystem, characteristics;
    struct pe_directory directories[PE_DIRECTORY_COUNT];
    unsigned section_count;
    struct pe_section sections[PE_SECTION_MAX];
};

/* An entry of .pdata, as in the file. */
struct pe_function {
    uint32_t begin, end, unwind;
};

struct loader_image_private {
    struct loader_image *next; /* by ascending address */
    uint8_t *reservation;      /* guards, image, guard, thunks */
    size_t reservation_size;
    uint8_t *thunks; /* code, one thunk an import */
    uint32_t *calls; /* counters, one an import */
    struct pe_layout layout;
    struct loader_import *imports;
    struct loader_export *exports;
    struct loader_section *sections;
    const struct pe_function *functions; /* in the image */
    size_t function_count;
    void *elf;     /* of dlopen() */
    uint8_t *kept; /* loader_keep(); NULL: nothing is */
};

/* Unaligned little-endian reads. */
static inline uint16_t load16(const void *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static inline uint32_t load32(const void *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static inline uint64_t load64(const void *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static inline size_t round_up(size_t value, size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* Always returns false, so that `return loader_error_set(…)` reads well. */
bool loader_error_set(struct loader_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void loader_warn(struct loader_image *image, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* pe.c: file headers. */
bool pe_parse(struct loader_image *image, const uint8_t *bytes, size_t size,
              struct loader_error *error);
/* True if [rva, rva + size) lies inside one section, or inside the headers. */
bool pe_range_ok(const struct loader_image *image, uint64_t rva, uint64_t size);
/* The memory at rva, or NULL. */
void *pe_at(const struct loader_image *image, uint64_t rva, uint64_t size);
/* A zero-terminated printable name at rva, or NULL. */
const char *pe_name_at(const struct loader_image *image, uint64_t rva);
const struct pe_section *pe_section_at(const struct loader_image *image, uint64_t rva);

/* map.c: memory, relocation, protection, function table, security cookie. */
bool pe_map(struct loader_image *image, const uint8_t *bytes, bool for_execution,
            struct loader_error *error);
bool pe_relocate(struct loader_image *image, struct loader_error *error);
bool pe_functions_check(struct loader_image *image, struct loader_error *error);
bool pe_cookie_set(struct loader_image *image, struct loader_error *error);
bool pe_protect(struct loader_image *image, struct loader_error *error);
/* False: errno says why. */
bool pe_protect_section(const struct loader_image *image, const struct pe_section *section);
void pe_unmap(struct loader_image *image);

/* sections.c */
void sections_loaded(const struct loader_image *image);
/* None is locked, and those that DriverEntry needs are there. */
bool sections_renew(struct loader_image *image);

/* cover.c: is it a place that nobody has run yet? It can be run then. In signal handlers. */
bool cover_reached(uintptr_t place);
void cover_forget(const struct loader_image *image);

/* imports.c: reading imports and exports, binding. */
bool pe_imports_read(struct loader_image *image, struct loader_error *error);
bool pe_imports_bind(struct loader_image *image, struct loader_error *error);
bool pe_exports_read(struct loader_image *image, struct loader_error *error);
size_t pe_thunks_size(size_t import_count);

/* elf.c: driver modules built for the host. */
bool elf_load(struct loader_image *image, const char *path, struct loader_error *error);
bool elf_inspect(struct loader_image *image, const uint8_t *bytes, size_t size,
                 struct loader_error *error);
void elf_unload(struct loader_image *image);
/* As loader_data_at, for an address in an ELF module. */
bool elf_data_at(const void *address, bool *writable);

/* image.c */
extern struct loader_image *loader_images; /* loaded, by ascending address */
extern struct loader_host loader_host_now; /* as given to loader_init */

/* unwind.c: one frame of driver code. */
enum {
    UNWIND_HANDLER_NONE = 0,
    UNWIND_HANDLER_EXCEPTION = 1,
    UNWIND_HANDLER_TERMINATION = 2,
};

struct unwind_frame {
    const struct loader_image *image;
    const struct pe_function *function; /* NULL: a leaf without unwind data */
    uintptr_t control_pc;
    uintptr_t establisher;
    bool exact; /* control_pc is the very instruction, not the one behind a call */
    uint8_t handler_flags;
    uint32_t handler_rva, handler_data_rva; /* 0: none, or not for this place (prolog, epilog) */
};

/* The stack that may be read while unwinding. */
struct stack_range {
    uintptr_t low, high;
};

const struct pe_function *unwind_function_at(const struct loader_image *image, uintptr_t pc);
/* Describes the frame that *context is in and turns *context into its caller's. False if the unwind
 * data or the stack cannot be trusted. */
bool unwind_driver_frame(const struct loader_image *image, const struct stack_range *stack,
                         struct loader_context *context, struct unwind_frame *frame);

/* dwarf.c: one frame of host code. False at the end of the stack. *function is the function's
 * start. exact: the state is of a fault, not of a call, so the place is that very instruction. */
bool unwind_host_frame(const struct stack_range *stack, struct loader_context *context, bool exact,
                       uintptr_t *function);
bool unwind_is_host_code(uintptr_t pc);

/* ---- seh.c: who handles an exception ---- */

enum {
    EXCEPTION_NONCONTINUABLE = 0x01,
    EXCEPTION_UNWINDING = 0x02,
    EXCEPTION_EXIT_UNWIND = 0x04,
    EXCEPTION_NESTED_CALL = 0x10,
    EXCEPTION_TARGET_UNWIND = 0x20,
    EXCEPTION_COLLIDED_UNWIND = 0x40,
};

/* In the documented layout of the x64 DISPATCHER_CONTEXT. */
struct dispatcher {
    uint64_t control_pc, image_base;
    const struct pe_function *function;
    uint64_t establisher, target_ip;
    struct loader_context *context;
    const void *handler;
    const void *handler_data;
    void *history;
    uint32_t scope_index, fill;
};

/* Lies on the stack between the loader and driver code that it calls while it handles an exception,
 * so that an exception in that code finds the one it came out of. */
struct frame_link {
    uint64_t magic;
    bool unwinding;
    unsigned depth; /* of exceptions within exceptions */
    struct dispatcher dispatcher;
    bool frame_exact, origin_exact;      /* struct unwind_frame.exact, of the frame and of origin */
    const struct loader_context *origin; /* where the handled exception was raised */
};

/* A walk from frame to frame, over driver code, our own calls of it and, if allowed, host code. */
struct walk {
    struct loader_context context; /* the next frame */
    struct stack_range stack;
    unsigned depth;
    bool exact; /* the context is of a fault, not of a call */
    bool first;
    bool over_callbacks;      /* may it go from a callback through the host into its caller? */
    bool dropped_host_frames; /* by the last step */
    const struct frame_link *collided; /* the last step met an unwind in progress */
};

enum walk_step {
    WALK_DRIVER,
    WALK_END,
    WALK_BROKEN,
};

void walk_begin(struct walk *walk, const struct loader_context *context, bool exact);
enum walk_step walk_next(struct walk *walk, struct unwind_frame *frame);
/* The name that fault.c put into the parameter of a privileged instruction; NULL: it did not. */
const char *fault_instruction(uint64_t parameter);
/* The stack that holds the stack pointer; an empty one if none is known to. */
struct stack_range stack_of(uintptr_t stack_pointer);

/* Finds a handler and goes there, or reports. The context is the driver's, at the exception. */
_Noreturn void exception_dispatch(struct loader_exception *record, struct loader_context *context,
                                  bool exact);
/* __C_specific_handler, in the drivers' convention. */
LOADER_MS_ABI int loader_c_specific_handler(struct loader_exception *record, void *establisher,
                                            struct loader_context *context,
                                            struct dispatcher *dispatcher);

/* Where an unwind goes. */
struct unwind_target {
    uint64_t establisher, ip, value;
    const struct jump_buffer *jump; /* the state there, if it is not that of the frame; or NULL */
    const struct loader_context *origin;
    bool origin_exact;
    unsigned depth;
};

/* The state of the driver's frame that called the host; false if it is gone, for it jumped to its
 * last call: *context is a state in the host then. */
bool exception_origin(struct loader_context *context);
/* Runs the __finally blocks from origin to the target's frame and goes on there. */
_Noreturn void exception_unwind(const struct unwind_target *target,
                                struct loader_exception *record);
/* Goes on at the target, at once. The context is a state of its frame. */
_Noreturn void exception_land(const struct unwind_target *target, struct loader_context *context);
/* The target cannot be reached. */
_Noreturn void exception_bad_stack(const struct unwind_target *target);

/* ---- jump.c: setjmp and longjmp, RtlUnwind ---- */

/* In the documented layout of the x64 _JUMP_BUFFER. */
struct jump_buffer {
    uint64_t frame, rbx, rsp, rbp, rsi, rdi, r12_to_r15[4], rip;
    uint32_t mxcsr;
    uint16_t control_word, spare;
    uint64_t xmm6_to_15[10][2];
};

void jump_apply(const struct jump_buffer *jump, struct loader_context *context);
/* Drivers call these, in their convention; and loader_setjmp_for_driver. */
LOADER_MS_ABI _Noreturn void loader_long_jump(const struct jump_buffer *buffer, int value);
LOADER_MS_ABI void loader_unwind(uint64_t frame, uint64_t place,
                                 const struct loader_exception *given, uint64_t value);
LOADER_MS_ABI void loader_unwind_ex(uint64_t frame, uint64_t place,
                                    const struct loader_exception *given, uint64_t value,
                                    void *context, void *history);

/* ---- report.c: what nobody handles ---- */

_Noreturn void report_unhandled(enum loader_fault_kind kind, const struct loader_exception *record,
                                const struct loader_context *context, bool exact);
/* For LOADER_FAULT_HOST: comes back if the host's callback does. */
void report_host_fault(const struct loader_exception *record, const struct loader_context *context);
/* The nearest driver frame, and what it had called, for a state in host code. */
struct host_call {
    uintptr_t function, return_address;
};
bool report_find_host_call(const struct loader_context *context, struct host_call *call);

/* fault.c: the registers of a ucontext_t. */
void context_of_signal(struct loader_context *context, const void *ucontext);

/* context.S */
void loader_context_capture(struct loader_context *context);
LOADER_MS_ABI void loader_capture_for_driver(struct loader_context *context);
LOADER_MS_ABI int loader_setjmp_for_driver(struct jump_buffer *buffer, void *frame);
_Noreturn void loader_context_resume(const struct loader_context *context);
uint64_t loader_call_driver(const void *function, const void *a, const void *b, const void *c,
                            const void *d, struct frame_link *link);
extern const char loader_call_driver_return[];

/* Tells AddressSanitizer that the frames in [low, high) are gone. */
void stack_forget(uintptr_t low, uintptr_t high);

#endif

/* nt: the services of the Windows kernel that a display miniport imports.
 *
 * Two sides. Towards drivers there are some hundred functions under their documented names
 * (KeSetEvent, ExAllocatePool2 ...), declared by include/wdk, with the Windows x64 convention and
 * real semantics on the simulated machine. Towards the rest of the house there is this header.
 *
 *      driver ── import ──> nt_export_find() ──> KeSetEvent(...)
 *                                                  │ IRQL above the ceiling, misuse, corruption,
 *                                                  │ bug check, exception
 *                                                  v
 *                                              nt_hooks: the host decides what it means
 *
 * Terms. An *export* is a function or variable that drivers may import; src/nt/exports.def has one
 * row for each. Its *ceiling* is the highest IRQL it may be called at. *Misuse* is a call that
 * Windows may let pass or answer with a crash and that is wrong in any case. *Advice* is about a
 * call that works and that the documents ask not to make.
 *
 * Ownership: there is one kernel in a process, made by nt_init() after machine_create() and ended
 * by nt_fini() before machine_destroy(). What drivers allocate lives in the machine's RAM at
 * addresses that are the same in every run; what nt remembers about it lives outside their reach.
 *
 * Locking: in simulation code between two points that may switch is atomic, and nt's own tables
 * are only touched in such pieces.
 *
 * This header names WDK structures by their tags only, so that including it does not bring the
 * WDK. */
#ifndef NT_NT_H
#define NT_NT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "machine/machine.h"
#include "nt/given.h"

struct _DEVICE_OBJECT;
struct _DRIVER_OBJECT;
struct _KEVENT;
struct _MDL;
struct _UNICODE_STRING;

/* ---- What the kernel tells its host ---------------------------------------------------------- */

enum nt_misuse {
    NT_MISUSE_WAIT_IRQL,     /* a wait that may block, above APC_LEVEL */
    NT_MISUSE_IRQL_ORDER,    /* raised to a lower level, lowered to a higher one */
    NT_MISUSE_SPIN_DEADLOCK, /* a CPU takes a spin lock that it holds */
    NT_MISUSE_SPIN_OWNER,    /* releases a spin lock that it does not hold */
    NT_MISUSE_LOCK_OWNER,    /* the same for mutexes, resources, push locks */
    NT_MISUSE_LOCK_KIND,     /* one lock taken by routines that do not go together */
    NT_MISUSE_LOCK_ORDER,    /* two locks taken in both orders, by who can meet */
    NT_MISUSE_APCS,          /* a lock taken without keeping APCs away */
    NT_MISUSE_POOL_FREE,     /* frees what is not allocated, twice, or with another tag */
    NT_MISUSE_POOL_IN_USE,   /* frees memory with an armed timer, a queued DPC or a waiter in it */
    NT_MISUSE_POOL_SIZE,     /* allocates nothing or absurdly much */
    NT_MISUSE_MDL,           /* an MDL in the wrong state */
    NT_MISUSE_MAPPING,       /* unmaps what is not mapped, or with another size */
    NT_MISUSE_REGISTER,      /* register access to an address that is no mapping */
    NT_MISUSE_HANDLE,        /* a handle that is not open */
    NT_MISUSE_OBJECT,     /* reference count below zero, object of another type, not initialised */
    NT_MISUSE_ARGUMENT,   /* an argument that the documentation excludes */
    NT_MISUSE_ADDRESS,    /* asks for the physical address of memory that has none */
    NT_MISUSE_STACK,      /* uses more stack than a kernel thread has */
    NT_MISUSE_STACK_LEFT, /* returns, and the kernel still uses an object on its stack */
    NT_MISUSE_REGISTRATION, /* a DDI is not registered that another one makes necessary */
    NT_MISUSE_COUNT
};

/* What a driver does that does not misuse: "memory freed once, as it was allocated". */
const char *nt_misuse_expects(enum nt_misuse kind);

/* The end of the system. */
struct nt_stop {
    uint32_t code;
    uint64_t arguments[4];
    const void *caller; /* in the driver */
    bool asked;         /* by KeBugCheck or KeBugCheckEx; else a service found it out */
};

/* Where a driver asked for something, and in which call of it, as the host counts them; 0: in none
 * that is known. */
struct nt_origin {
    const void *caller;
    uint64_t call;
};

struct nt_pool_block {
    const void *address;
    size_t size;
    uint32_t tag;
    const char *type;      /* "nonpaged", "paged", "executable nonpaged", "contiguous" */
    const char *kind;      /* NULL: a block of pool of the driver's; else what it is */
    bool handed;           /* by the kernel to the driver, with its size */
    bool of_client;        /* a client writes there, too */
    struct nt_origin from; /* who allocated it */
    uint64_t serial;       /* 1 for the first allocation of the run */
};

enum nt_pool_damage {
    NT_POOL_UNDERRUN,       /* bytes before the block were written */
    NT_POOL_OVERRUN,        /* bytes after it */
    NT_POOL_USE_AFTER_FREE, /* bytes of it, after it was freed */
};

struct nt_pool_corruption {
    enum nt_pool_damage damage;
    struct nt_pool_block block;
    struct nt_origin freed_by; /* NT_POOL_USE_AFTER_FREE */
    int64_t offset;            /* of the first bad byte, from the block's begin */
    uint8_t expected, found;
};

/* Whom the running code of the driver may meet; zeros where nothing is known. */
struct nt_standing {
    bool called;         /* by the graphics kernel, in a DDI */
    bool alone;          /* no other thread is in the driver meanwhile */
    unsigned level;      /* no other of that number; 0: of none */
    const void *process; /* no other thread of it, in a DDI; or NULL */
    uint64_t thread;     /* of the driver's own; or 0 */
};

/* What the host does when the driver is wrong. Any may be NULL. Callbacks that are not noreturn may
 * return; nt then does the least harmful thing it can. */
struct nt_hooks {
    void *ctx;
    /* limit is the ceiling; or the floor, if irql lies below it. */
    void (*irql_violation)(void *ctx, const char *export_name, uint8_t irql, uint8_t limit,
                           const void *caller);
    void (*misuse)(void *ctx, enum nt_misuse kind, const char *export_name, const char *text,
                   const void *caller);
    /* What works and should not be done: no failure. Once for each place. */
    void (*advice)(void *ctx, const char *export_name, const char *text, const void *caller);
    void (*pool_corruption)(void *ctx, const struct nt_pool_corruption *corruption);
    /* Without it: a line on standard error and machine_halt(). */
    void (*bugcheck)(void *ctx, const struct nt_stop *stop) __attribute__((noreturn));
    /* An exception in the driver's frame that called the export. Without it: bug check 0x1E. */
    void (*raise)(void *ctx, NTSTATUS status, unsigned count, const uint64_t *parameters)
        __attribute__((noreturn));
    /* "softgpu.sys+0x1234" for a caller's address. Without it: hex. */
    void (*symbol)(void *ctx, const void *address, char *text, size_t size);
    /* Is there data of a driver's image (not code)? Without it: of none. */
    bool (*image_data)(void *ctx, const void *address, bool *writable);
    /* Is it code of a driver that may be out of memory above APC_LEVEL? Without it: none is. */
    bool (*is_pageable_code)(void *ctx, const void *address);
    /* Its section is locked into memory, or no longer. False: it is in none, or was not locked. */
    bool (*lock_section)(void *ctx, const void *address, bool lock);
    /* Such code calls an export, or is called (name is "a DPC routine", or NULL for a DDI). */
    void (*pageable_code)(void *ctx, const char *name, const void *address, bool calls);
    /* One line of DbgPrint, without its line end. */
    void (*log)(void *ctx, const char *line);
    /* A routine of the driver came back without what it must keep: names is "rbx, xmm6". what is
     * "a work item", NULL for a DDI. The run goes on with the values of before. */
    void (*registers)(void *ctx, const char *what, const char *names, const void *routine);
    /* A routine of the driver's own is called next: NT_WORK_ITEM, say; or an NT_SYSTEM_THREAD goes
     * on behind a wait. True: it is stepped from there (machine/step.h). */
    bool (*routine)(void *ctx, const char *what, bool goes_on);
    /* A service was called that is not there, and answers STATUS_NOT_IMPLEMENTED. */
    void (*lacks)(void *ctx, const char *name, const void *caller);
    /* Fault injection: true makes the allocation fail. size is 0 for handles and the like. */
    bool (*fail_allocation)(void *ctx, uint32_t tag, size_t size, const void *caller);
    /* An allocation failed by itself, for there is no such memory. */
    void (*memory_short)(void *ctx);
    /* Will the one that failed last fail again, if the task calls the driver again with the same?
     * It does not, where it is not wanted. */
    bool (*fails_again)(void *ctx, bool wanted);
    /* All DPCs that were queued have run, at PASSIVE_LEVEL, and the driver goes on in a moment. May
     * switch. */
    void (*flushed)(void *ctx);
    /* The call of the driver that runs, and what a leak report says of it: " in DxgkDdiRender".
     * Without the first it is 0, which the second is never asked about. */
    uint64_t (*call)(void *ctx);
    void (*call_text)(void *ctx, uint64_t call, char *text, size_t size);
    /* Without it: nobody is in a DDI. */
    void (*standing)(void *ctx, struct nt_standing *out);
};

/* After machine_create(). A copy of *hooks is kept; NULL means no hook at all. */
/* Is a service of another folder to fail for want of memory? */
bool nt_allocation_fails(size_t size, const void *caller);
/* How many were made to fail so far. */
uint64_t nt_allocation_failures(void);
/* Will the last of these fail again, if the task asks for the same again, and is it to? */
bool nt_allocation_fails_again(bool wanted);
/* +1: from now on none is, until each who asked for it takes it back by -1; 0: as it is. */
void nt_spare_allocations(int change);

NTSTATUS MUST_CHECK nt_init(const struct nt_hooks *hooks);
/* Frees everything of nt's own, also after machine_halt(). */
void nt_fini(void);
bool nt_exists(void);

/* A service that a layer above offers is called: above its ceiling it is the driver's fault. */
void nt_look_at_irql(const char *service, uint8_t ceiling, const void *caller);
/* Misuse of a service that a layer above offers; it names the service and the driver's place. */
RARE __attribute__((format(printf, 4, 5))) void
nt_misuse(enum nt_misuse kind, const char *service, const void *caller, const char *format, ...);

/* For a driver's instruction that faulted: performs it if it is one that compilers put in the place
 * of a kernel's service (processor_perform() of machine.h). May switch. */
bool nt_perform(uint64_t *gpr, uint64_t *rip, uint64_t *flags);

/* ---- Calling the driver ------------------------------------------------------------------------
 */

struct nt_driver_call {
    const void *routine;
    const char *what; /* "a work item"; NULL for a DDI, whose name the door knows */
};

/* What steps go through (struct nt_hooks::routine). */
#define NT_DPC_ROUTINE     "a DPC routine"
#define NT_WORK_ITEM       "a work item"
#define NT_SYSTEM_THREAD   "a system thread"
#define NT_TIMERS_CALLBACK "a timer's callback"

/* Calls a routine of the driver and sees to it that the registers that are not its own, the
 * direction and alignment check flags and the floating point control words come back as they were:
 *
 *     NT_CALL_DRIVER(NT_WORK_ITEM, item->routine, (item->context));
 *
 * Up to eight arguments, none of them a floating point number on the stack. nt_guard finds the call
 * in the register of the static chain, which the convention of drivers does not use. */
#define NT_CALL_DRIVER(what_text, routine_called, arguments)                 \
    (nt_look_at_routine(what_text, (const void *)(routine_called)),          \
     __builtin_call_with_static_chain(                                       \
         ((__typeof__(routine_called))(uintptr_t)nt_guard)arguments,         \
         &(struct nt_driver_call){.routine = (const void *)(routine_called), \
                                  .what = (what_text)}))
/* While the kernel reads or writes a timer or a DPC whose time has come: who set or queued it. */
extern const struct nt_origin *nt_touched;
/* Is it in memory at this IRQL? */
void nt_look_at_routine(const char *what, const void *routine);
#define NT_GUARD_NAMES_MAX 256
/* Of any routine's type, so of none. */
extern const unsigned char nt_guard[] __attribute__((visibility("hidden")));

/* ---- Exports --------------------------------------------------------------------------------- */

enum nt_irql_ceiling {
    NT_IRQL_PASSIVE = 0,
    NT_IRQL_APC = 1,
    NT_IRQL_DISPATCH = 2,
    NT_IRQL_ANY = 15,
};

struct nt_export {
    const char *name;
    void *address; /* of the function, or of the variable if is_data */
    bool is_data;
    uint8_t irql_max;
};

/* Sorted by name (strcmp). */
const struct nt_export *nt_exports(size_t *count);
const struct nt_export *nt_export_find(const char *name);
/* Calls so far; 0 for data and for functions that do not count theirs. */
uint64_t nt_export_calls(const struct nt_export *entry);
/* In 100 ns since 1601. */
uint64_t nt_system_time(void);
uint64_t nt_performance_counter(void); /* that of KeQueryPerformanceCounter: 10 MHz */
/* Is it in the function that touches the pages of a large frame for the driver? */
bool nt_is_stack_probe(const void *place);
/* The export whose checks run now or ran last: for texts about faults inside an export. */
const char *nt_export_last(void);

/* ---- Pool ------------------------------------------------------------------------------------ */

/* Looks at redzones and freed memory and reports damage through the hook, once each. Returns how
 * many damaged blocks were found. The first looks at everything, the second at the newest block and
 * at a few others in turn, cheap enough for every call of a driver. */
size_t nt_pool_check(void);
size_t nt_pool_check_some(void);

/* Blocks that are allocated now, oldest first, that the driver allocated (not nt for itself). */
void nt_pool_report(void (*visit)(void *ctx, const struct nt_pool_block *block), void *ctx);
struct nt_pool_totals {
    uint64_t blocks, bytes, allocations, frees, failures;
    uint64_t peak_bytes;
};
void nt_pool_totals(struct nt_pool_totals *totals);
/* "softG" style tag text, with '.' for what cannot be printed. */
void nt_pool_tag_text(uint32_t tag, char text[5]);
/* The allocated block that holds the address; false if none does. */
bool nt_pool_find(const void *address, struct nt_pool_block *out);
bool nt_is_image_data(const void *address); /* which the driver may write to */

/* Which Windows the kernel says that it is: Windows 11 24H2, 10.0.26100, until it is told another,
 * a guess of what drivers of these headers expect. What it does is the same. */
struct nt_version {
    unsigned major, minor, build;
};
void nt_set_version(const struct nt_version *version);
/* "6.1", "10.0.19041": those of Windows Vista and later. Where no build is given it is that of the
 * last one of this name. False: there is none such. */
bool nt_version_read(const char *text, struct nt_version *version);

/* Special pool: from now on the blocks of drivers lie on pages of their own, against a page without
 * access, and their pages are shut when they are freed; see pool_special.c. */
enum nt_special_pool {
    NT_SPECIAL_POOL_OFF,
    NT_SPECIAL_POOL_AFTER, /* the shut page follows the block */
    NT_SPECIAL_POOL_BEFORE
};
void nt_pool_set_special(enum nt_special_pool where);
/* Which block a touch of a page that special pool keeps shut was meant for. */
struct nt_pool_touch {
    struct nt_pool_block block;
    bool freed;
    bool pageable; /* inside of a block that may be paged out: the IRQL was too high */
    struct nt_origin freed_by;
    int64_t offset; /* from the block's begin */
};
bool nt_pool_explain(const void *address, struct nt_pool_touch *out);

/* Memory that drivers may touch but that nt or a higher layer owns; not in the leak report. */
void *nt_memory_alloc(size_t size, uint32_t tag); /* zeroed; NULL if there is none */
/* The same for what the driver is handed with its size: it ends at a page without access, as nearly
 * as alignment lets it; `what` (a literal) names it to who leaves it, or comes when it is freed. */
void *nt_memory_hand(size_t size, const char *what);
/* What was handed out, and the driver left on that side by reading: the page behind it may be read
 * now, and holds a pattern. False: it has no shut page behind it. */
bool nt_memory_open_behind(const void *memory);
/* The same for what a client writes: shut whenever it is freed, and what is damaged around it is
 * told as the client's (nt_pool_block.of_client). */
void *nt_memory_client(size_t size, const char *what);
/* The same for what lies in the client's own pages, which nobody locks: shut above APC_LEVEL. */
void *nt_memory_client_paged(size_t size, const char *what);
void nt_memory_free(void *memory);

/* ---- Leaks of everything else ---------------------------------------------------------------- */

/* Handles, threads, timers, work items, mappings, locked MDLs, contiguous memory ... that are
 * still alive: one line each. Returns how many. */
size_t nt_leak_report(void (*visit)(void *ctx, const char *kind, const char *text), void *ctx);

/* Judges what a routine of the driver left behind in the thread that called it: mutexes, critical
 * regions. what is "a work item", name the function under which it is told. */
void nt_thread_check_return(const char *what, const char *name, const void *routine);

/* The same for a routine that is called in a thread which may have been in regions before: the
 * driver's own, of an outer call. */
struct nt_regions {
    unsigned mutexes, mutex_apcs, critical, guarded;
};
void nt_regions_now(struct nt_regions *out);
void nt_regions_check(const char *name, const struct nt_regions *before);

/* Judges what is left on the stack that a routine ran on, below task_stack_mark(). */
void nt_stack_check(const char *name);

/* ---- Drivers and devices --------------------------------------------------------------------- */

/* service_name "softgpu" gives the driver object \Driver\softgpu and the key
 * \Registry\Machine\System\CurrentControlSet\Services\softgpu, made if it is not there. */
NTSTATUS MUST_CHECK nt_driver_object_create(const char *service_name, struct _DRIVER_OBJECT **out);
/* The second argument of DriverEntry; lives as long as the driver object. */
struct _UNICODE_STRING *nt_driver_registry_path(struct _DRIVER_OBJECT *driver);
void nt_driver_object_destroy(struct _DRIVER_OBJECT *driver);
/* Says where the image lies (DriverStart, DriverSize, DriverSection are read by some drivers). */
void nt_driver_object_set_image(struct _DRIVER_OBJECT *driver, void *base, size_t size);

/* A physical device object for a PCI slot: what AddDevice gets. Answers IRP_MN_QUERY_INTERFACE for
 * the PCI bus, IRP_MN_READ_CONFIG and WRITE_CONFIG, IoGetDeviceProperty, and its registry keys. */
NTSTATUS MUST_CHECK nt_device_create(struct pci_slot *slot, struct _DEVICE_OBJECT **out);
/* Which driver's software key IoOpenDeviceRegistryKey opens; done when the device gets a driver. */
NTSTATUS MUST_CHECK nt_device_set_driver(struct _DEVICE_OBJECT *device,
                                         struct _DRIVER_OBJECT *driver);
struct pci_slot *nt_device_slot(struct _DEVICE_OBJECT *device); /* NULL if it is none of ours */
/* As applications name the device by an interface of this class, in lower case; empty: no device is
 * there. */
void nt_device_interface_name(const struct pci_slot *slot, const char *interface_class, char *name,
                              size_t size);
/* Registry path of the device's software key (where the adapter's settings are); UTF-8. */
const char *nt_device_software_key(struct _DEVICE_OBJECT *device);
/* "Device Parameters" below its hardware key: what PLUGPLAY_REGKEY_DEVICE opens. */
const char *nt_device_parameters_key(struct _DEVICE_OBJECT *device);
void nt_device_destroy(struct _DEVICE_OBJECT *device);

/* Answers a control code of a device of the kernel's own; *written is the size of the answer. */
typedef NTSTATUS nt_control_routine(uint32_t code, void *output, size_t output_size,
                                    size_t *written);
/* A device that drivers find by name ("\\Device\\DxgKrnl") and send internal control codes to;
 * ZwLoadDriver of its service says that it is loaded. Lives until nt_fini(). */
NTSTATUS MUST_CHECK nt_control_device_create(const char *service_name, const char *device_name,
                                             nt_control_routine *routine);

/* ---- Registry -------------------------------------------------------------------------------- */
/* Text format, UTF-8, one item a line, ';' or '#' begins a comment at a line's start:
 *
 *     [\Registry\Machine\System\CurrentControlSet\Services\softgpu\Parameters]
 *     "WddmVersion"=dword:00002000          hexadecimal, as in .reg files
 *     "Budget"=qword:0000000100000000
 *     "Name"="text with \\ and \" escaped"
 *     "Path"=expand:"%SystemRoot%\\x"
 *     "List"=multi:"one","two"
 *     "Blob"=hex:01,02,ff                   may go on after a line that ends in ,\
 *     "Odd"=hex(7):61,00,00,00              any type by number
 *     "Gone"=-                              removes a value
 *     [-\Registry\Machine\...]              removes a key with all below it
 *
 * HKEY_LOCAL_MACHINE\ and HKLM\ are other names for \Registry\Machine\. Names ignore case. */

struct nt_registry_error {
    unsigned line; /* 0: not about a line */
    char text[160];
};

#define NT_REGISTRY_SERVICES "\\Registry\\Machine\\System\\CurrentControlSet\\Services"

/* All or nothing. Works before nt_init() and without a machine. */
bool nt_registry_load_text(const char *text, size_t size, struct nt_registry_error *error);
NTSTATUS nt_registry_create_key(const char *path);
NTSTATUS nt_registry_set_dword(const char *path, const char *name, uint32_t value);
NTSTATUS nt_registry_set_string(const char *path, const char *name, const char *text);
bool nt_registry_get_dword(const char *path, const char *name, uint32_t *value);
/* The value's data; false if there is none. *bytes is valid until the value changes. */
bool nt_registry_get(const char *path, const char *name, uint32_t *type, const void **bytes,
                     size_t *size);
bool nt_registry_key_exists(const char *path);
/* Everything as text that nt_registry_load_text() reads; malloc'ed. NULL: no memory. */
char *nt_registry_dump(void);
void nt_registry_clear(void);

/* registry_asked.c: a value that the driver asked for and that was not there. */
struct nt_registry_asked {
    char key[256];
    char name[64];
    bool as_number; /* into room for a number and no more, or by the type REG_DWORD */
};

/* In the order in which they were asked for first; NULL behind the last. */
const struct nt_registry_asked *nt_registry_asked_at(size_t index);
/* Asked whenever a number is not there: true, and *value is set from then on. NULL: nobody is. */
typedef bool nt_registry_answer_routine(const char *key, const char *name, uint32_t *value);
void nt_registry_answer(nt_registry_answer_routine *routine);

/* ---- Memory descriptor lists ----------------------------------------------------------------- */

/* An MDL, marked locked, for frames that the caller owns and keeps until the MDL is freed. Freed
 * with nt_mdl_free(). NULL if there is no memory. */
struct _MDL *nt_mdl_from_frames(const uint64_t *frames, size_t page_count, size_t byte_offset,
                                size_t byte_count);
void nt_mdl_free(struct _MDL *mdl); /* unmaps it first if somebody mapped it */
const uint64_t *nt_mdl_frames(const struct _MDL *mdl, size_t *page_count);

/* ---- Events, threads, time from the outside -------------------------------------------------- */

/* KeSetEvent without its checks, for hardware context and for the layers above. */
void nt_event_signal(struct _KEVENT *event);
/* Opens an event that a client or driver knows by handle; false if the handle is no event. The
 * reference is given back with nt_object_put(). */
bool nt_event_from_handle(uint64_t handle, struct _KEVENT **out);
void nt_object_put(void *object);
/* A new event by handle, for nt_handle_close(); `automatic`: each signal lets one wait pass. */
NTSTATUS MUST_CHECK nt_event_create(bool automatic, uint64_t *handle);
/* For a client: waits for it, as KeWaitForSingleObject does; false: the deadline came first. */
bool nt_event_wait(struct _KEVENT *event, uint64_t deadline_ns);
/* Does the task wait so, without a deadline, for what no driver has a reference to? */
bool nt_event_task_waits(const struct task *task);
/* The same for what a driver has a reference to, and may set. */
bool nt_event_task_waits_for_driver(const struct task *task);
/* Is it signalled? An automatic one is not any more then. */
bool nt_event_take(struct _KEVENT *event);
NTSTATUS nt_handle_close(uint64_t handle);
/* A handle to what another layer has, which `end` is told of when the last handle and reference are
 * gone, in the context of who gave it back. */
NTSTATUS MUST_CHECK nt_wrap(void *inside, void (*end)(void *inside), uint64_t *handle);
/* What such a handle stands for, with a reference for nt_object_put(*object); NULL: it is none. */
void *nt_wrapped(uint64_t handle, void **object);
/* As the object manager compares names: upper and lower case are one. */
bool nt_same_name(const struct _UNICODE_STRING *one, const struct _UNICODE_STRING *other);

/* Process identities of clients: PsGetCurrentProcess(Id) of a task answers with its process.
 * Without one it is the System process, id 4. */
struct nt_process;
struct nt_process *nt_process_create(const char *image_name);
void nt_process_destroy(struct nt_process *process);
void nt_process_set_current(struct nt_process *process); /* of the running task; NULL: System */
struct nt_process *nt_process_current(void);             /* NULL: System */
uint64_t nt_process_id(const struct nt_process *process);
bool nt_process_is(uint64_t id); /* somebody has it */
/* Held by the one thread of the process that is in the driver. */
struct gate *nt_process_gate(struct nt_process *process);
void *nt_process_object(struct nt_process *process); /* the PEPROCESS; NULL gives System's */

/* From now on threads and work items of drivers get no processor where they would begin or come
 * back from a wait, as where others are more important. False: no driver has any. In hardware
 * context, or above. */
bool nt_threads_starve(void);
void nt_threads_feed(void);

/* ---- Texts ----------------------------------------------------------------------------------- */

/* Windows-flavoured formatting (%I64x, %wZ, %ls, %lx is 32 bits) into UTF-8. Returns the length it
 * would have; never writes past size and always ends with a zero if size > 0. */
int nt_format(char *out, size_t size, const char *format, __builtin_ms_va_list arguments);
/* UTF-16 to UTF-8; count in characters. Returns bytes written without the zero. */
size_t nt_text_from_wide(const uint16_t *wide, size_t count, char *out, size_t size);
void nt_text_from_unicode_string(const struct _UNICODE_STRING *string, char *out, size_t size);

/* Where a caller is, by the host's symbol hook. */
void nt_symbol_text(const void *address, char *text, size_t size);
/* The same with the call that it was in. */
#define NT_ORIGIN_MAX 384
void nt_origin_text(const struct nt_origin *from, char *text, size_t size);

/* A mapping of device memory that the caller unmaps; what of it is touched later can be told:
 * "offset 0x10 of the mapping of 4096 bytes of the device at 0x..., which was unmapped at ...".
 * Of one that is there what lies in the empty pages behind it can: "offset 0x1000 of the mapping of
 * 4096 bytes of the device at 0x...", and of MmMapIoSpace's ", mapped at ...". False: it is in
 * neither. `of` is "device", or what else was mapped; it stays. */
#define NT_MAPPING_TEXT_MAX (NT_ORIGIN_MAX + 160)
void nt_mapping_gone(const void *view, size_t size, const char *of, uint64_t physical,
                     const void *caller);
bool nt_mapping_text(const void *address, char *text, size_t size);
/* The same of an address in system space where the pages of an MDL were mapped, or in the empty
 * pages behind them:
 * "offset 4096 of the mapping of 4096 bytes of an MDL, mapped at ...", or later "which was
 * unmapped at ...". */
bool nt_mdl_view_text(const void *address, char *text, size_t size);

#endif

/* nt/internal.h: what the files of nt share. The WDK comes first: its macros must not meet ours. */
#ifndef NT_INTERNAL_H
#define NT_INTERNAL_H

#include <ntifs.h>

#include "base/check.h"
#include "base/list.h"
#include "base/record.h"
#include "machine/machine.h"
#include "nt/nt.h"

/* ---- Exports (export.c) ---------------------------------------------------------------------- */

enum export_flags {
    QUIET = 0,
    YIELD = 1,  /* a point that may switch */
    RECORD = 2, /* leaves an event */
};

enum export_id {
#define NT_EXPORT(name, ceiling, flags)            EXPORT_ID_##name,
#define NT_EXPORT_AS(name, symbol, ceiling, flags) EXPORT_ID_##name,
#define NT_DATA(name)                              EXPORT_ID_##name,
#include "nt/exports.def"
#undef NT_EXPORT
#undef NT_EXPORT_AS
#undef NT_DATA
    EXPORT_ID_COUNT
};

/* The call that runs: who was called, by whom. */
struct export_call {
    enum export_id id;
    const void *caller;
};

/* Stands at the top of each export. */
#define NT_EXPORT_ENTER(name)                                               \
    __attribute__((cleanup(export_leave), unused)) bool export_is_stepped = \
        export_enter(EXPORT_ID_##name, __builtin_return_address(0))
/* The same, for exports whose body wants to name itself in a complaint. */
#define NT_EXPORT_CALL(name)                                               \
    ((struct export_call){EXPORT_ID_##name, __builtin_return_address(0)}); \
    NT_EXPORT_ENTER(name)

/* True: the call was stepped until here (machine/step.h), and is behind the export. */
bool export_enter(enum export_id id, const void *caller);
static inline void export_leave(const bool *is_stepped)
{
    if (__builtin_expect(*is_stepped, 0)) {
        step_resume();
    }
}
const char *export_name(enum export_id id);
/* KeSetEvent and its kind with Wait: the next call of this thread has to be a wait. */
void export_promise_wait(const struct export_call *call);
/* For limits that depend on the arguments, and for floors. */
void export_irql_above(const struct export_call *call, uint8_t ceiling);
void export_irql_below(const struct export_call *call, uint8_t floor);

/* ---- The kernel as a whole (kernel.c) -------------------------------------------------------- */

extern struct nt_hooks nt_hooks;

RARE __attribute__((format(printf, 3, 4))) void
misuse(enum nt_misuse kind, const struct export_call *call, const char *format, ...);
/* Told once for each place of the driver. */
RARE void advise(const struct export_call *call, const char *text);
RARE _Noreturn void raise_status(NTSTATUS status);
RARE _Noreturn void stop_system(const struct nt_stop *stop);
/* A service found the driver beyond help. */
_Noreturn void bugcheck_from(const void *caller, uint32_t code, uint64_t a, uint64_t b, uint64_t c,
                             uint64_t d);
void log_line(const char *text);
/* A place of the driver, in the call that runs now. */
struct nt_origin origin_of(const void *caller);
/* True if the host wants this allocation to fail. */
bool allocation_fails(uint32_t tag, size_t size, const void *caller);
void allocation_failed(void); /* that was none of those */

/* One line of a leak report. */
struct leak_visitor {
    void (*visit)(void *ctx, const char *kind, const char *text);
    void *ctx;
    size_t count;
};
__attribute__((format(printf, 3, 4))) void leak(struct leak_visitor *visitor, const char *kind,
                                                const char *format, ...);

/* ---- Pool (ex_pool.c) ------------------------------------------------------------------------ */

/* The tag that reads abcd in memory. */
#define POOL_TAG(a, b, c, d) \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/* What is handed out without a shut page behind it is so much longer, for the canary of whoever
 * watches it. */
#define HANDED_SPARE 64

enum pool_type { POOL_TYPE_NONPAGED, POOL_TYPE_PAGED, POOL_TYPE_EXECUTABLE };

struct pool_request {
    size_t size;
    uint32_t tag;
    enum pool_type type;
    bool zeroed;
    bool cache_aligned; /* begins with a cache line */
    bool internal;      /* nt's or a higher layer's own: not a leak of the driver */
    const char *kind;   /* internal, and the driver is handed it: what it is */
    bool of_client;     /* internal, and a client writes there */
    bool pageable;      /* as paged pool is */
    const void *caller;
};

NTSTATUS pool_start(void);
void pool_stop(void);
void *pool_allocate(const struct pool_request *request);
/* tag 0: any. False, and a misuse is reported, if that is no allocated block. */
bool pool_free(void *memory, uint32_t tag, const struct export_call *call);
bool pool_free_internal(void *memory);

/* ---- Where pool memory lies (pool_store.c) --------------------------------------------------- */

struct pool_chunk {
    struct list link;
    uint64_t frame;
    size_t page_count;
    uint8_t *base;
    uint8_t *view;    /* special pool: where the driver sees the pages; NULL once they are shut */
    size_t slot_size; /* 0: one large block */
    unsigned slots_per_page, block_count;
    bool special;
    struct list kept_link; /* special_keeps */
    uint64_t kept_as;      /* 0: it is not kept */
    struct pool_block *blocks;
};

enum pool_block_state { POOL_BLOCK_FREE, POOL_BLOCK_LIVE, POOL_BLOCK_QUARANTINE };

struct object;

struct pool_block {
    struct list link; /* in the class's free list, live or quarantine */
    struct pool_chunk *chunk;
    uint8_t *memory; /* what the driver has */
    uint8_t *bytes;  /* the same, as the kernel sees it: always there */
    size_t size;     /* as asked for */
    uint32_t tag;
    uint16_t front_size; /* of the redzone before memory */
    uint8_t class;       /* of its slot; not for large blocks */
    enum pool_block_state state;
    enum pool_type type;
    bool internal, of_client, pageable, damaged;
    const char *kind; /* as requested */
    struct nt_origin from;
    struct nt_origin freed_by;
    uint64_t serial;
    struct object *object; /* whose body it is, or NULL; ob_object.c's */
};

struct pool_block *pool_store_new(const struct pool_request *request);
void pool_store_free(struct pool_block *block, const void *caller);
struct pool_block *pool_store_find(const void *address);
bool pool_store_check(struct pool_block *block);
/* Is it the block as its owner sees it, not another view of the same pages? */
bool pool_store_is_owners(const struct pool_block *block, const void *address);
/* What is allocated, oldest first, then what waits in quarantine. */
void pool_store_visit(void (*visit)(void *ctx, const struct pool_block *block), void *ctx);
void pool_store_describe(const struct pool_block *block, struct nt_pool_block *out);

/* ---- Blocks against pages that are shut (pool_special.c) ------------------------------------- */

void special_stop(void);
/* Is the block to be a special one? */
bool special_takes(const struct pool_request *request);
/* Opens the chunk's pages where the driver is to see them. False: there is no room. */
bool special_open(struct pool_chunk *chunk);
/* The block there is locked in memory: no IRQL shuts it from now on. */
void special_lock(const void *address);
/* Shuts them for good. */
void special_shut(struct pool_chunk *chunk);
/* Was the freed block handed out often enough that its pages stay open, full of the freed pattern,
 * for a later one of its size? special_take_kept finds it, unless it is let go before. */
bool special_keeps(struct pool_block *block);
struct pool_block *special_take_kept(const struct pool_request *request);
void special_let_go(struct pool_chunk *chunk);
/* Where in its pages the block begins. */
size_t special_offset(const struct pool_request *request, size_t page_count);
/* Its frames are about to have another owner; what it was stays known for a while. */
void special_retire(const struct pool_block *block);
/* The freed block that began at the address, or NULL. */
struct pool_block *special_find_freed(const void *address);

/* ---- Texts (text.c, format.c) ---------------------------------------------------------------- */

uint32_t text_next_utf8(const char *text, size_t size, size_t *at);
uint32_t text_next_utf16(const uint16_t *text, size_t count, size_t *at);
WCHAR text_upcase(WCHAR c); /* rtl_string.c */
size_t text_put_utf8(uint32_t c, char out[4]);
size_t text_put_utf16(uint32_t c, uint16_t out[2]);
/* malloc'ed, ends with a zero that *size_bytes does not count. */
uint16_t *text_to_wide(const char *text, size_t length, size_t *size_bytes);
char *text_from_unicode_string(const struct _UNICODE_STRING *string); /* malloc'ed */

/* Where formatted text goes: units of the format's own width, at most capacity of them; count is
 * how many there would be. No zero is added. */
struct format_sink {
    void *out;
    size_t capacity, count;
    bool wide;
};
void format_run(struct format_sink *sink, const void *format, __builtin_ms_va_list arguments);

/* ---- Registry (registry.c) ------------------------------------------------------------------- */

#define REGISTRY_DEPTH_MAX      64  /* Windows has 512 */
#define REGISTRY_KEY_NAME_MAX   255 /* bytes of UTF-8 */
#define REGISTRY_VALUE_NAME_MAX 16383
#define REGISTRY_PATH_MAX       (REGISTRY_DEPTH_MAX * (REGISTRY_KEY_NAME_MAX + 1) + 1)

/* registry_names.c: a name among its kind; text is its owner's. */
struct registry_name {
    struct registry_name *next;
    char *text;
    uint32_t hash;
};

struct registry_names {
    struct registry_name **buckets;
    size_t capacity, count; /* capacity: a power of two, or 0 */
};

bool registry_names_add(struct registry_names *names, struct registry_name *entry);
void registry_names_remove(struct registry_names *names, struct registry_name *entry);
struct registry_name *registry_names_find(const struct registry_names *names, const char *text,
                                          size_t length);

struct registry_value {
    struct list link;
    struct registry_name name;
    uint32_t type;
    size_t size;
    uint8_t *data;
};

struct registry_key {
    struct list link;
    struct registry_key *parent; /* NULL: the root, or deleted */
    struct registry_name name;
    unsigned depth, reference_count;
    bool deleted, is_volatile;
    struct list children, values; /* as they were made */
    struct registry_names child_names, value_names;
};

struct registry_key *registry_root(void);
/* base NULL: path is absolute. NULL if there is no such key. */
struct registry_key *registry_key_find(struct registry_key *base, const char *path);
struct registry_key *registry_key_make(struct registry_key *base, const char *path, bool *created);
/* Finds the key or makes it below a parent that exists, as drivers may. */
NTSTATUS registry_key_create(struct registry_key *base, const char *path, bool is_volatile,
                             bool *created, struct registry_key **out);
void registry_key_get(struct registry_key *key);
void registry_key_put(struct registry_key *key);
NTSTATUS registry_key_delete(struct registry_key *key);
void registry_key_delete_tree(struct registry_key *key);
bool registry_key_path(const struct registry_key *key, char *out, size_t size);
struct registry_key *registry_child_at(struct registry_key *key, size_t index);
struct registry_value *registry_value_at(struct registry_key *key, size_t index);
struct registry_value *registry_value_find(struct registry_key *key, const char *name);
/* For a driver that asks for it: as_number, where nothing but a number has room. */
struct registry_value *registry_value_asked(struct registry_key *key, const char *name,
                                            bool as_number);
void registry_asked_forget(void);
NTSTATUS registry_value_set(struct registry_key *key, const char *name, uint32_t type,
                            const void *data, size_t size);
bool registry_value_delete(struct registry_key *key, const char *name);

/* ---- Dispatcher objects (ke_wait.c) ---------------------------------------------------------- */

/* Kinds of DISPATCHER_HEADER.Type; the numbers are Windows' own. */
enum dispatcher_type {
    DISPATCHER_EVENT_NOTIFICATION = 0,
    DISPATCHER_EVENT_SYNCHRONIZATION = 1,
    DISPATCHER_MUTANT = 2,
    DISPATCHER_PROCESS = 3,
    DISPATCHER_SEMAPHORE = 5,
    DISPATCHER_THREAD = 6,
    DISPATCHER_TIMER_NOTIFICATION = 8,
    DISPATCHER_TIMER_SYNCHRONIZATION = 9,
};

void wait_start(void);
void wait_stop(void);
void dispatcher_init(DISPATCHER_HEADER *header, enum dispatcher_type type, size_t size,
                     LONG signal_state);
/* Hands the object's signal on to those who wait for it. */
void dispatcher_signalled(DISPATCHER_HEADER *header);
/* The deadline of a Windows time-out: absent, relative (negative) or a system time. */
uint64_t deadline_of(const LARGE_INTEGER *timeout);
/* Who gives seconds from now without their sign means 1601. */
void advise_of_the_past(const LARGE_INTEGER *time, const struct export_call *call);
/* An event or the like inside [memory, +size) that somebody waits for; NULL if there is none. */
const char *wait_object_in(const void *memory, size_t size);

/* Waits that belong to an address, for locks whose word has no room for a queue. */
enum wait_status address_wait(const void *address, uint64_t deadline_ns);
void address_wake_all(const void *address);

/* ---- IRQL and spin locks (ke_irql.c) --------------------------------------------------------- */

void spin_start(void);
/* Spin locks that the current CPU holds for drivers. */
unsigned spin_locks_held_now(void);
/* Takes the locks of interrupts into that count. */
void spin_locks_count(int change);
KIRQL spin_raise(KIRQL level, const struct export_call *call);
void spin_lower(KIRQL level, const struct export_call *call);
/* For the functions that expect DISPATCH_LEVEL already; the second ends what the first did. */
void spin_require_dispatch(const struct export_call *call);
void spin_undo_dispatch(void);

/* ---- Timers, DPCs (ke_timer.c, ke_dpc.c) ----------------------------------------------------- */

void timer_stop(void);
/* Where what is armed, or queued, in [memory, +size) was so; NULL: nothing is. */
const struct nt_origin *timer_armed_in(const void *memory, size_t size);
/* Cancels what lies in memory that is about to go. */
void timer_forget_in(const void *memory, size_t size);
/* Where a timer was armed, which may lie elsewhere, whose DPC lies there; and leaves it out. */
const struct nt_origin *timer_dpc_in(const void *memory, size_t size);
void timer_forget_dpc_in(const void *memory, size_t size);
void timer_leaks(struct leak_visitor *visitor);
void dpc_stop(void);
const struct nt_origin *dpc_queued_in(const void *memory, size_t size);
void dpc_leaks(struct leak_visitor *visitor);
void dpc_forget_in(const void *memory, size_t size);
bool dpc_remove_kdpc(KDPC *dpc);
/* Queues a driver's DPC from any context. */
bool dpc_insert(KDPC *dpc, void *argument1, void *argument2, const struct nt_origin *from);

/* What this kernel says it is, a workstation. */
#define PRODUCT_WORKSTATION 1
extern struct nt_version version_ours;

/* ---- Time (ke_time.c) ------------------------------------------------------------------------ */

#define TICKS_PER_MS          10000u /* of 100 ns */
#define CLOCK_INTERRUPT_100NS 156250u
#define TIME_QUERY_NS         50

uint64_t time_system_100ns(void); /* since 1601 */
uint64_t time_interrupt_100ns(void);

/* ---- Threads and processes (ps_thread.c, ps_process.c) --------------------------------------- */

struct nt_thread {
    DISPATCHER_HEADER header; /* first: the driver waits for it, and *Thread is its address */
    struct list link;
    struct task *task; /* of a system thread that runs; with a reference */
    uint64_t id;
    bool system; /* made by PsCreateSystemThread */
    NTSTATUS exit_status;
    PKSTART_ROUTINE start;
    void *context;
    KPRIORITY priority;
    unsigned critical_depth, guarded_depth; /* KeEnterCriticalRegion, KeEnterGuardedRegion */
    unsigned mutex_count, mutex_apc_depth;  /* that are owned; that keep APCs away */
    unsigned critical_told, guarded_told;   /* that a routine left behind: another may end them */
    struct nt_origin from;
    char name[32];
};

void thread_stop(void);
struct nt_thread *thread_current(void);
/* A driver's thread that could run gets its processor now, or later: when it is fed again, if all
 * are starved. May switch. */
void thread_comes_late(void);
/* The time at which what could run now does. */
uint64_t thread_ready_ns(void);
bool thread_is_starved(void);
/* Normal kernel APCs; all of them. */
bool thread_apcs_disabled(void);
bool thread_all_apcs_disabled(void);
/* False: there is none to leave, not even one that a routine was told to have left behind. */
bool thread_leave_region(unsigned *depth, unsigned *told);
void thread_leaks(struct leak_visitor *visitor);
/* Ids of threads and processes come from one row. */
uint64_t process_next_id(void);
void process_start(void);
void process_stop(void);

/* ---- Objects and handles (ob_object.c) ------------------------------------------------------- */

struct object_type {
    const char *name;
    void (*destroy)(void *body);
    GENERIC_MAPPING rights; /* what the generic ones stand for; zeros: the common ones */
};

extern struct object_type object_type_event, object_type_thread, object_type_process,
    object_type_key, object_type_file, object_type_section, object_type_driver, object_type_device,
    object_type_token, object_type_semaphore, object_type_mutant, object_type_timer;

void object_start(void);
void object_stop(void);
/* A zeroed body with one reference; lies in memory that drivers can reach. */
void *object_create(struct object_type *type, size_t body_size);
void object_get(void *body);
/* The newest reference goes to a driver, which may drop it by ObDereferenceObject. */
void object_give(void *body, const void *caller); /* a reference: in the driver */
/* A driver drops a reference: misuse if none was given to it. */
LONG_PTR object_dereference(void *body, const struct export_call *call);
/* False if that is no live object. */
bool object_put(void *body);
bool object_is_given(const void *body); /* does a driver have references? */
bool object_exists(const void *body);
struct object_type *object_type_of(const void *body);
struct handle_request {
    ULONG access;     /* may have generic rights, and MAXIMUM_ALLOWED */
    ULONG attributes; /* OBJ_KERNEL_HANDLE */
    const void *caller;
};
/* The request of a function that has OBJECT_ATTRIBUTES, or NULL. */
struct handle_request handle_request_of(ULONG access, const OBJECT_ATTRIBUTES *attributes,
                                        const void *caller);
NTSTATUS handle_open(void *body, const struct handle_request *request, HANDLE *out);
/* What the handle was opened for; everything for the pseudo handles, nothing for others. */
ULONG handle_access(HANDLE handle);
NTSTATUS handle_close(HANDLE handle);
/* With a reference, as ObReferenceObjectByHandle. type NULL: any. */
NTSTATUS handle_reference(HANDLE handle, const struct object_type *type, void **body);
void handle_leaks(struct leak_visitor *visitor);

/* ---- Keys by handle (zw_registry.c) ---------------------------------------------------------- */

NTSTATUS key_handle_open(struct registry_key *key, const struct handle_request *request,
                         HANDLE *out);
/* What the kernel does not refuse its own drivers, but their pages ask for, is advice: `rights`. */
NTSTATUS key_from_handle(HANDLE handle, ULONG rights, const struct export_call *call,
                         struct registry_key **out);

/* ---- Drivers, devices, requests (io_*.c) ----------------------------------------------------- */

bool unicode_string_make(UNICODE_STRING *string, const char *text);
const char *driver_service(const DRIVER_OBJECT *driver);
DEVICE_OBJECT *device_object_new(DRIVER_OBJECT *driver, size_t size, ULONG extension_size,
                                 DEVICE_TYPE type);
/* service and caller: in whose name is told what the driver wrote over. */
void device_object_delete(DEVICE_OBJECT *device, const char *service, const void *caller);
struct pdo;
struct pdo *pdo_of(DEVICE_OBJECT *device); /* NULL if it is no physical device object */
struct pci_slot *device_slot_at(unsigned bus, unsigned slot_number, unsigned function);
struct pci_slot *device_slot_of_vector(unsigned vector);
void device_stop(void);
void service_stop(void); /* io_service.c */
void pci_driver_fill(DRIVER_OBJECT *driver);
/* The last step of a request: completion routines, then whoever made it. */
void irp_complete(IRP *irp);

/* ---- The rest -------------------------------------------------------------------------------- */

void dbg_flush(void); /* dbg.c: the line that has no end yet */
/* ex_work.c */
void work_stop(void);
bool work_is_any(void);  /* a driver has work items */
void work_goes_on(void); /* those that are queued may run again */
void work_leaks(struct leak_visitor *visitor);
/* Who queued a work item that lies inside [memory, +size), or NULL; is there an IO_WORKITEM that is
 * initialised? */
const struct nt_origin *work_queued_in(const void *memory, size_t size);
bool work_item_in(const void *memory, size_t size);
void work_forget_in(const void *memory, size_t size);
void ex_spin_start(void); /* ex_spin_lock.c */
/* ex_lookaside.c: lists that are not deleted. */
void lookaside_stop(void);
void lookaside_leaks(struct leak_visitor *visitor);
/* Where one in this memory was initialised; NULL: there is none. */
const struct nt_origin *lookaside_in(const void *memory, size_t size);
void lookaside_forget_in(const void *memory, size_t size);
void resource_stop(void); /* ex_resource.c */
void resource_leaks(struct leak_visitor *visitor);
bool resource_in(const void *memory, size_t size);
void resource_forget_in(const void *memory, size_t size);

/* Locks in both orders (lock_order.c). */
enum lock_kind { LOCK_MUTEX, LOCK_SPIN };
/* Before it is waited for, or after it was had without waiting. */
void lock_order_take(enum lock_kind kind, const void *address, bool waits,
                     const struct export_call *call);
void lock_order_drop(enum lock_kind kind, const void *address);
void lock_order_forget(const void *address); /* it is made anew */
void lock_order_stop(void);

void io_mapping_stop(void); /* mm_io.c */
void interrupt_start(void); /* ke_interrupt.c */
void interrupt_stop(void);
void interrupt_leaks(struct leak_visitor *visitor);
void callback_stop(void); /* ex_misc.c */
void callback_leaks(struct leak_visitor *visitor);
void remove_lock_stop(void); /* io_remove_lock.c */
void remove_lock_leaks(struct leak_visitor *visitor);
void fx_stop(void); /* po_fx.c */
void fx_leaks(struct leak_visitor *visitor);
void view_stop(void); /* zw_file.c */
void view_leaks(struct leak_visitor *visitor);
void registration_stop(void); /* po_etw.c */
void registration_leaks(struct leak_visitor *visitor);
void crt_start(void);                       /* crt_wide.c */
void *driver_image_at(const void *address); /* io_driver.c: base of the driver that holds it */
void mapping_stop(void);                    /* mm_mdl.c */
void mapping_leaks(struct leak_visitor *visitor);
#define MDL_TAG POOL_TAG('M', 'd', 'l', ' ')
/* A new MDL in pool; internal: no driver's. */
MDL *mdl_new(uintptr_t address, uint64_t length, bool internal, const void *caller);
/* Its pages go: nobody may have them mapped. */
void mdl_unmap_freed(MDL *mdl, const struct export_call *call);
void pages_stop(void); /* mm_pages.c */
void pages_leaks(struct leak_visitor *visitor);
void contiguous_stop(void); /* mm_contiguous.c */
void contiguous_leaks(struct leak_visitor *visitor);
bool contiguous_holds(const void *address);
/* As nt_pool_check, nt_pool_check_some and nt_pool_explain, of these blocks alone. */
size_t contiguous_check(void);
size_t contiguous_check_some(void);
bool contiguous_explain(const void *address, struct nt_pool_touch *out);
bool mdl_view_is_kernels(const void *address);     /* mm_mdl.c */
bool host_memory_is_readable(const void *address); /* mm_address.c */
/* As ram_physical_of, and makes RAM of stacks and of the driver's data when they are asked about.
 */
bool driver_physical_of(const void *address, uint64_t *physical);
/* May it be memory of a client? False for what is certainly the kernel's. */
bool user_range_accept(const volatile void *address, size_t length);
bool memory_is_readable(const void *address, size_t size);
bool memory_is_writable(const void *address, size_t size);
void io_mapping_leaks(struct leak_visitor *visitor);

/* ---- Exports that include/wdk does not declare ----------------------------------------------- */

NTSTATUS NTAPI ZwLoadDriver(PUNICODE_STRING DriverServiceName);
NTSTATUS NTAPI ZwUnloadDriver(PUNICODE_STRING DriverServiceName);
PCHAR NTAPI PsGetProcessImageFileName(PEPROCESS Process);
NTSTATUS NTAPI PsGetThreadExitStatus(PETHREAD Thread);
LONG_PTR NTAPI ObfReferenceObject(PVOID Object);
LONG_PTR NTAPI ObfDereferenceObject(PVOID Object);
VOID NTAPI ExAcquirePushLockExclusiveEx(PEX_PUSH_LOCK PushLock, ULONG Flags);
VOID NTAPI ExAcquirePushLockSharedEx(PEX_PUSH_LOCK PushLock, ULONG Flags);
VOID NTAPI ExReleasePushLockExclusiveEx(PEX_PUSH_LOCK PushLock, ULONG Flags);
VOID NTAPI ExReleasePushLockSharedEx(PEX_PUSH_LOCK PushLock, ULONG Flags);
VOID NTAPI ExReInitializeRundownProtection(PEX_RUNDOWN_REF RunRef);
VOID NTAPI ExRundownCompleted(PEX_RUNDOWN_REF RunRef);

#endif

/* machine: the simulated computer. Executor, clock, randomness, CPUs with IRQL, memory, PCI.
 *
 * There is one machine in a process. Everything that runs is a *task* on its executor: client
 * threads, kernel workers, driver threads. Interrupt and DPC routines run on the stack of whatever
 * task the CPU was running, or on the CPU's idle task. Device models and timers run in *hardware
 * context*: between tasks, on no CPU; they must not block.
 *
 *        task_create          picked by the policy             task_block
 *     new ──────────> ready ────────────────────> on a CPU ───────────────> blocked
 *                       ^                           │  │                       │
 *                       └───── machine_yield ───────┘  └──> ended    task_wake │
 *                       └──────────────────────────────────────────────────────┘
 *
 * In simulation all tasks are coroutines on one OS thread. Control moves only inside the functions
 * of this header that say "may switch"; between two such points code is atomic. What runs next is
 * chosen from the seed: same seed, same inputs, same run.
 *
 * Time is virtual. The CPUs work at the same time: one that is in machine_spend() is busy until
 * that much has passed (it can still be interrupted), the others meanwhile do what they can at no
 * cost, and when all are busy or idle the clock goes on to whichever end or timer comes first. Code
 * that polls without ever spending time is charged a microsecond per thousand fruitless yields.
 *
 * A task at DISPATCH_LEVEL or above keeps its CPU; tasks on the other CPUs still run. So a spin
 * lock is a real lock here, and a deadlock of spin locks is found and reported.
 *
 * Locking: `struct mutex` guards the data of an engine for a few instructions. Nobody may hold one
 * at a point that may switch (checked), so in simulation it is never contended; ranks are checked
 * on every lock. A form with real threads fits behind the same functions. */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"
#include "base/list.h"
#include "base/lock_annotations.h"
#include "base/status.h"
#include "drydock/device.h"
#include "machine/dma_count.h"
#include "machine/dma_watch.h"
#include "machine/firmware.h"
#include "machine/gart.h"
#include "machine/held.h"
#include "machine/iommu.h"
#include "machine/pageable.h"
#include "machine/polls.h"
#include "machine/step.h"
#include "machine/vary.h"

#define MACHINE_PAGE_SIZE     4096u
#define MACHINE_PAGE_SHIFT    12
#define MACHINE_CPU_COUNT_MAX 8
#define MACHINE_NEVER         UINT64_MAX /* a deadline that never comes */

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

/* ---- The machine ------------------------------------------------------------------------- */

enum machine_policy {
    MACHINE_POLICY_RANDOM,     /* any runnable task, by the seed; switches often */
    MACHINE_POLICY_ROUND_ROBIN /* oldest first, switches only when it must: for benchmarks */
};

struct machine_config {
    uint64_t seed;
    uint64_t ram_bytes; /* 0: 1 GiB. Reserved, not touched, until used */
    unsigned cpu_count; /* 0: 4 */
    enum machine_policy policy;
    struct vary_set variations;
};

NTSTATUS MUST_CHECK machine_create(const struct machine_config *config);
void machine_destroy(void);
bool machine_exists(void);
unsigned machine_cpu_count(void);

/* Why machine_run() came back. */
enum machine_stop {
    MACHINE_STOP_DONE,     /* every task that is not a daemon has ended */
    MACHINE_STOP_DEADLINE, /* virtual time reached the deadline */
    MACHINE_STOP_DEADLOCK, /* somebody waits and nothing can ever wake him */
    MACHINE_STOP_HALTED,   /* machine_halt() was called */
    MACHINE_STOP_WATCHDOG, /* one task ran too long in real time without a point that may switch */
};

/* Runs tasks until one of the reasons above. Not from a task. */
enum machine_stop machine_run(uint64_t deadline_ns);

/* A task that reaches no point that may switch for this much processor time (not wall-clock time: a
 * debugger or a busy host does no harm) ends the run; 0: never. See polls.h for calls. */
void machine_set_watchdog_ms(unsigned ms);
/* Called before the run ends so, inside a signal handler: a ucontext_t says where the task was. */
typedef void machine_watchdog_hook(void *context, void *ucontext);
void machine_set_watchdog_hook(machine_watchdog_hook *hook, void *context);

/* Ends machine_run() from inside a task, a routine or hardware context: a bug check. The task's
 * stack is left as it is and never resumed. */
_Noreturn void machine_halt(void);
/* Its deadline comes at this time at the latest. */
void machine_end_by(uint64_t deadline_ns);
/* From now on the other processors stand still wherever they are, as in a bug check before its end:
 * the caller goes on, in a task at MACHINE_IRQL_HIGH, and ends the run by machine_halt(). */
void machine_stop_others(void);

/* After such an end: what is done in a system that has stopped, where nobody else runs. Outside of
 * tasks, on a stack like a driver's; an end of it by machine_halt(), or by a watchdog that nothing
 * pacifies, is an end of this alone. False: it ended so, or there is no memory. Once in a run. */
bool machine_speak_last(void (*function)(void *argument), void *argument);

/* ---- Clock and randomness ---------------------------------------------------------------- */

/* Virtual nanoseconds since power-on. */
uint64_t machine_now_ns(void);

/* Lets virtual time pass on this CPU while it does something else's work; may switch. In hardware
 * context or outside any task it only moves the clock and does not switch. */
void machine_spend(uint64_t ns);

/* A point that may switch: serves this CPU's interrupts and DPCs that its IRQL allows, and may let
 * another task run. Every kernel export and DDI boundary calls it. Outside tasks: does nothing. */
void machine_yield(void);

/* For tests that want to be at every point: called wherever a task comes to one that may switch,
 * before anything happens there. It may let others run itself (its own points are told, too),
 * unless `blocks`: the task is about to block, and the hook may only wake others. NULL: none. */
typedef void machine_point_hook(void *context, bool blocks);
void machine_set_point_hook(machine_point_hook *hook, void *context);

/* Counter-based: the n-th number of a site depends on seed, site and n alone, so that a new site
 * does not shift old seeds. Sites below 1000 are the machine's own; plug-ins use 1000 and up. */
uint64_t machine_random(uint32_t site);
/* In [0, bound); bound > 0. */
uint64_t machine_random_below(uint32_t site, uint64_t bound);
/* Fills memory that nobody initialised with what its last owner left. False: the run has a pattern
 * there, which the caller writes (VARY_OLD_MEMORY). */
bool machine_old_bytes(void *memory, size_t size);

enum machine_random_site {
    RANDOM_SITE_SWITCH = 1,
    RANDOM_SITE_PICK,
    RANDOM_SITE_FRAMES,
    RANDOM_SITE_INTERRUPT_CPU,
    RANDOM_SITE_COOKIE,
    RANDOM_SITE_THREADED_DPC,
    RANDOM_SITE_VIDSCH = 100,
    RANDOM_SITE_VIDMM = 200,
    RANDOM_SITE_PRESENT = 300,
    RANDOM_SITE_DXGK = 400,
    RANDOM_SITE_DEVICE = 500, /* plus the device's own site, modulo 100 */
    RANDOM_SITE_WORKLOAD = 1000,
};

/* ---- Tasks ------------------------------------------------------------------------------- */

struct task;
typedef void task_entry(void *argument);

struct task_options {
    const char *name;
    size_t stack_bytes; /* 0: 256 KiB, plus a guard page */
    int priority;       /* higher runs first under ROUND_ROBIN; 0 normal */
    bool daemon;        /* does not keep machine_run() going */
};

/* The first switch to the task happens at a later point that may switch. A task that returns from
 * its entry ends; its memory is freed when the last reference (the creator's, task_put) is gone. */
NTSTATUS MUST_CHECK task_create(const struct task_options *options, task_entry *entry,
                                void *argument, struct task **out);
void task_get(struct task *task);
void task_put(struct task *task);

/* Who runs, in the open, since it is asked at every turn; machine alone writes it. */
struct machine_here {
    struct task *self;    /* whose stack this is; NULL on the executor's and the thread's */
    unsigned hardware;    /* depth of hardware context */
    const uint8_t *level; /* the IRQL of the CPU that counts here */
};
extern struct machine_here machine_here;

/* NULL in hardware context and outside machine_run(). */
static inline struct task *task_self(void)
{
    return machine_here.hardware ? NULL : machine_here.self;
}

_Noreturn void task_exit(void);
bool task_ended(const struct task *task);
bool task_is_blocked(const struct task *task); /* and nobody has woken it */
uint32_t task_object(const struct task *task); /* its number in the record */
const char *task_name(const struct task *task);
bool task_is_daemon(const struct task *task);
/* Each task that waits: its stack, from where it stopped to its top. */
typedef void task_teller(void *ctx, struct task *task, const void *from, const void *to);
void task_each_waiting(task_teller *tell, void *ctx);
void task_each_busy(task_teller *tell, void *ctx); /* that could go on */
/* The stack of the running task: [low, high). For overflow checks. */
void task_stack_bounds(const void **low, const void **high);

/* Where on the running task's stack a driver's own use of it begins; 0: it is in no driver. Whoever
 * calls a driver sets it and puts back what it was. */
uintptr_t task_stack_mark(void);
uintptr_t task_set_stack_mark(uintptr_t mark); /* what it was before */

/* Where a driver's part of the running task's stack begins. It has the room of a kernel's stack,
 * DRIVER_STACK_BYTES. UINTPTR_MAX: it has none of its own. Who calls a driver goes there first. */
extern uintptr_t task_driver_stack __attribute__((visibility("hidden")));
#define DRIVER_STACK_BYTES (UINT64_C(24) << 10)
/* Does the driver, or what it called, run on its part of the stack? */
bool task_in_driver_stack(uintptr_t stack_pointer);
/* For faults, in a signal handler. Does the address lie where the driver's part ends, and more than
 * a kernel's stack below where the driver was called? */
bool task_stack_spent(const void *address);
/* Opens the pages there: for what the driver called, or for a routine of his that was called from
 * further down and has not used that much; false: the address is in none of them. */
bool task_stack_open(const void *address, bool for_driver);
bool task_stack_has_line(void); /* false: in this build no such pages are shut */

/* One pointer per task and slot for the layers above. */
enum task_slot {
    TASK_SLOT_NT_THREAD,
    TASK_SLOT_PROCESS, /* the process that drivers see */
    TASK_SLOT_CLIENT,  /* and the client that it belongs to */
    TASK_SLOT_SERVED,  /* while a client waits for us: what serves it. NULL: its own code runs */
    TASK_SLOT_AUTHOR,  /* of a client's code: whose it is, as the record is told, a number */
    TASK_SLOT_REFUSAL, /* of a client's thread: what its last call was answered */
    TASK_SLOT_DDI,
    TASK_SLOT_DDI_CALLS, /* how many it began, as a number */
    TASK_SLOT_LOADER,
    TASK_SLOT_REGISTERS, /* machine's own: register accesses, as a number */
    TASK_SLOT_WRITES,    /* those of them that only write */
    TASK_SLOT_COUNT
};
/* CPUs that the running task may use, a bit each; 0: all. One that is on another moves when its
 * IRQL is below DISPATCH_LEVEL. May switch. */
void task_set_affinity(uint64_t cpus);
uint64_t task_affinity(void);
void task_set_slot(struct task *task, enum task_slot slot, void *value);
void *task_slot(const struct task *task, enum task_slot slot);
/* The running task is a client's and served by this from now on; NULL: its own code runs. */
void task_serve(void *server);

enum wait_status { WAIT_WOKEN, WAIT_TIMED_OUT };

/* Blocks the running task until task_wake() or the deadline (absolute). A wake that came between
 * the caller's last look and this call is not lost: it returns at once. IRQL <= APC_LEVEL. */
enum wait_status task_block(uint64_t deadline_ns);
/* The running code is a task's, and no DPC's, whatever the IRQL is by now. */
bool task_may_block(void);
/* Any context. Waking a task that is not blocked makes its next task_block() return at once. */
void task_wake(struct task *task);

/* A queue of tasks that wait for the same thing, in order of arrival. No wake is remembered:
 * look at the condition, then wait, with no point between that may switch. */
struct wait_queue {
    struct list waiters;
};
void wait_queue_init(struct wait_queue *queue);
enum wait_status wait_queue_wait(struct wait_queue *queue, uint64_t deadline_ns);
/* Wakes the first `count` waiters; returns how many there were. UINT_MAX: all. */
unsigned wait_queue_wake(struct wait_queue *queue, unsigned count);

/* ---- Locks ------------------------------------------------------------------------------- */

/* A lock's rank is its place in the order of docs/locking.md; taking a lower rank while holding
 * a higher or equal one is our bug and stops the run. */
enum lock_rank {
    LOCK_RANK_ADAPTER = 10,
    LOCK_RANK_DEVICE = 15,
    LOCK_RANK_DDI = 20,
    LOCK_RANK_VIDMM = 40,
    LOCK_RANK_PRESENT = 45,
    LOCK_RANK_VIDSCH = 50,
    LOCK_RANK_SYNC = 55,
    LOCK_RANK_HANDLES = 58,
    LOCK_RANK_NT = 60,
};

struct LOCK_TYPE("mutex") mutex {
    uint64_t rank_bit; /* 2^rank; 0: not made yet */
    bool held;
};

void mutex_init(struct mutex *lock, enum lock_rank rank);
void mutex_fini(struct mutex *lock);

/* The ranks of the mutexes that are held, a bit each: nobody switches with one held, so they are
 * all of whoever runs, and each is above those that were held before it. */
extern uint64_t machine_ranks_held;

static inline void mutex_lock(struct mutex *lock) TAKES(*lock);
static inline void mutex_unlock(struct mutex *lock) DROPS(*lock);

static inline void mutex_lock(struct mutex *lock) LOCK_PRIMITIVE
{
    uint64_t held = machine_ranks_held;

    CHECK_THAT(held < lock->rank_bit); /* all of them are lower, and so it is not held itself */
    machine_ranks_held = held | lock->rank_bit;
    lock->held = true;
}

/* In any order. */
static inline void mutex_unlock(struct mutex *lock) LOCK_PRIMITIVE
{
    CHECK_THAT(lock->held);
    machine_ranks_held &= ~lock->rank_bit;
    lock->held = false;
}

/* A lock that may be held while waiting and across driver calls: the DDI threading levels.
 * Shared or exclusive, in order of arrival. IRQL <= APC_LEVEL; may switch. */
struct gate {
    struct wait_queue waiting;
    unsigned shared_count;
    struct task *owner; /* of the exclusive hold, or NULL */
    unsigned exclusive_waiting;
};
void gate_init(struct gate *gate);
void gate_enter_shared(struct gate *gate);
void gate_leave_shared(struct gate *gate);
/* False if the deadline came first. */
bool gate_enter_exclusive(struct gate *gate, uint64_t deadline_ns);
void gate_leave_exclusive(struct gate *gate);

/* ---- CPUs, IRQL, DPCs, interrupts -------------------------------------------------------- */

enum {
    MACHINE_IRQL_PASSIVE = 0,
    MACHINE_IRQL_APC = 1,
    MACHINE_IRQL_DISPATCH = 2,
    MACHINE_IRQL_DEVICE_FIRST = 5, /* device lines get 5 .. 12 */
    MACHINE_IRQL_HIGH = 15,
};

unsigned cpu_current(void); /* 0 outside tasks */
/* No CPU is above PASSIVE_LEVEL, or has an interrupt or a DPC waiting. */
bool cpu_all_calm(void);
/* Of the current CPU; HIGH in hardware context. */
static inline uint8_t irql_current(void)
{
    return machine_here.hardware ? MACHINE_IRQL_HIGH : *machine_here.level;
}
/* For how long the current CPU has been at DISPATCH_LEVEL or above without a break; below it: 0. */
uint64_t irql_high_ns(void);
/* Does a routine of cpu_broadcast() run? */
bool cpu_is_broadcasting(void);
/* Runs routine for each CPU in turn, the current one last, as its interrupt of the highest kind:
 * all others stand still meanwhile. Nothing in it may wait or spin. */
void cpu_broadcast(void (*routine)(void *context), void *context);
/* Raises and returns the old level. Raising to a lower level is the caller's bug: see nt, which
 * checks for the driver. Raising to DISPATCH or above ties the task to its CPU. */
uint8_t irql_raise(uint8_t level);
/* Lowers; serves what the new level allows; may switch. */
void irql_lower(uint8_t level);

struct spin_lock {
    uintptr_t owner_cpu_plus_one; /* 0: free. One word, so that a driver's KSPIN_LOCK can hold it */
};
enum spin_status { SPIN_ACQUIRED, SPIN_SELF_DEADLOCK };
/* At DISPATCH_LEVEL or above; may let other CPUs run while it spins. SPIN_SELF_DEADLOCK: nobody can
 * ever let it go. This CPU holds it, or waits for itself by way of CPUs that spin for its locks, or
 * the word names no CPU at all. */
enum spin_status spin_lock_acquire(struct spin_lock *lock);
bool spin_lock_try(struct spin_lock *lock);
/* False if this CPU does not own it. */
bool spin_lock_release(struct spin_lock *lock);

/* A deferred routine: runs once at DISPATCH_LEVEL, on the CPU it was queued from unless chosen. */
struct dpc {
    struct list link;
    void (*routine)(struct dpc *dpc);
    void *context;
    uint32_t number; /* in the record */
    bool queued;
};
void dpc_init(struct dpc *dpc, void (*routine)(struct dpc *dpc), void *context);
bool dpc_queue(struct dpc *dpc); /* false: it was queued already. Any context */
/* On a CPU of the caller's choice, or where dpc_queue() would (UINT_MAX); before all others there
 * if first. */
bool dpc_queue_on(struct dpc *dpc, unsigned cpu, bool first);
bool dpc_remove(struct dpc *dpc);
/* Waits until every DPC queued so far on every CPU has run. PASSIVE_LEVEL; may switch. */
void dpc_flush_all(void);

/* Runs routine at a virtual time, in hardware context. */
struct machine_timer {
    size_t place; /* in the machine's heap, while armed */
    uint64_t due_ns, sequence;
    void (*routine)(struct machine_timer *timer);
    void *context;
    bool armed;
};
void machine_timer_init(struct machine_timer *timer, void (*routine)(struct machine_timer *timer),
                        void *context);
void machine_timer_set(struct machine_timer *timer, uint64_t due_ns); /* re-arms if armed */
bool machine_timer_cancel(struct machine_timer *timer);

/* An interrupt line or message that a routine serves. */
struct interrupt;
typedef bool interrupt_routine(void *context, unsigned message);

struct interrupt_options {
    unsigned line;          /* from pci_resources */
    unsigned message_count; /* 0: lines; otherwise messages line .. line + count - 1 */
    unsigned line_count;    /* lines, each with message 0; 0: one */
    uint8_t irql;
    interrupt_routine *routine; /* true: it was ours */
    void *context;
    struct spin_lock *lock; /* shared by several interrupts; NULL: one of its own */
    /* lost-interrupts: what the device raised stays away for a while; in hardware context. NULL:
     * nothing does. */
    void (*lost)(void *context);
};
NTSTATUS MUST_CHECK interrupt_connect(const struct interrupt_options *options,
                                      struct interrupt **out);
void interrupt_disconnect(struct interrupt *interrupt);
/* Runs routine at the interrupt's IRQL, excluding its service routine on every CPU. A call from
 * inside the excluded code would hang on real hardware: ask first. Here it runs at once. */
bool interrupt_synchronize(struct interrupt *interrupt, bool (*routine)(void *context),
                           void *context);
/* Raises to the interrupt's level and takes the lock that its service routine holds, until the
 * other gives it back and lowers. SPIN_SELF_DEADLOCK: nobody can ever let it go, and nothing was
 * taken. False: this CPU does not hold it. Both may switch. */
enum spin_status interrupt_lock(struct interrupt *interrupt, uint8_t *old_irql);
bool interrupt_unlock(struct interrupt *interrupt, uint8_t old_irql);
/* Told when a service routine can never have its lock: whoever holds it was interrupted on this CPU
 * or waits for a lock of the interrupted code. If it comes back, the routine runs without. */
void interrupt_set_deadlock_hook(void (*hook)(void *context), void *context);
/* Does this CPU run the service routine, or a synchronized one, right now? */
bool interrupt_in_service_here(const struct interrupt *interrupt);
uint8_t interrupt_irql(const struct interrupt *interrupt);
/* A level line that nobody claims this often in a row is reported (count so far). */
uint64_t interrupt_unclaimed_count(void);
/* How often in a row the level line was claimed, and stayed up all the time until the routine came
 * back: whoever claims it does not dismiss it. */
uint64_t interrupt_claimed_up(const struct interrupt *interrupt);
/* Nothing more comes of a level line that stayed up whatever the routine said, so many times. */
bool interrupt_is_masked(const struct interrupt *interrupt);
/* A level line that its device, or another one on it, holds up. */
bool interrupt_is_up(const struct interrupt *interrupt);
/* Has the device raised what is still on its way? NULL: no. */
bool interrupt_is_late(const struct interrupt *interrupt);
/* ... and may be lost? It comes at once when somebody found it. */
bool interrupt_is_lost(const struct interrupt *interrupt);
void interrupt_find(struct interrupt *interrupt);
/* Is what is served here and now the interrupt of another device alone? */
bool interrupt_is_anothers(const struct interrupt *interrupt);
/* The other device asks for one now, in one of so many cases, if there is one (shared-line). */
void interrupt_vary_shared(unsigned one_in);
/* It asks when a device was pulled out, of whom its routine does not know yet. */
void interrupt_vary_removed(void);
/* It asks while a call of the driver stands still between two instructions: step.h. */
void interrupt_within(void);
/* Does a routine of any run, in this context or one that it interrupted? */
bool interrupt_any_in_service_here(void);
/* How often a routine said that it was its device's, so far. */
uint64_t interrupt_served_count(void);

/* ---- Physical memory --------------------------------------------------------------------- */
/* RAM begins at physical 0 and has a hole below 4 GiB: from 3 GiB on, or with the variation
 * high-memory from its middle on. BARs lie above all RAM.
 * A *frame* is a physical address >> 12. Frame 0 is never handed out. */

struct ram_request {
    size_t page_count;
    uint64_t low, high; /* allowed physical addresses [low, high]; high 0: no bound */
    uint64_t alignment; /* bytes, contiguous only; 0: a page */
    uint64_t boundary;  /* bytes, contiguous only: the block does not cross a multiple; 0: none */
    bool leaves_rest;   /* some of the last frames are not for this one, but for the system */
};

/* Scattered on purpose: runs of a few frames in random order. All or nothing. */
NTSTATUS MUST_CHECK ram_alloc_frames(const struct ram_request *request, uint64_t *frames);
/* One block; *frame is its first. */
NTSTATUS MUST_CHECK ram_alloc_contiguous(const struct ram_request *request, uint64_t *frame);
/* Each of them is about to be touched through ram_at(): a hint, for speed alone. */
void ram_expect(const uint64_t *frames, size_t page_count);
void ram_free_frames(const uint64_t *frames, size_t page_count);
void ram_free_contiguous(uint64_t frame, size_t page_count);
uint64_t ram_bytes(void);
uint64_t ram_free_bytes(void);
uint64_t ram_low_bytes(void); /* of it, below the hole */
uint64_t ram_end(void);       /* the first physical address above all RAM */
/* From now on nothing above this physical address is handed out: a device reaches no further. */
void ram_limit(uint64_t highest);

/* A direct view of physical [address, +size); NULL if that is not RAM. */
void *ram_at(uint64_t physical_address, size_t size);
/* Like ram_at, but also sees memory BARs. */
void *bus_memory_at(uint64_t physical_address, size_t size);
/* Whether it has a view of that, which nobody is about to look at: no page of it is fetched. */
bool bus_has_memory_at(uint64_t physical_address, uint64_t size);

/* A contiguous virtual view of frames, at an address that is the same in every run. Frames may
 * be those of a memory BAR. NULL if address space is short. */
void *ram_map_frames(const uint64_t *frames, size_t page_count, bool writable);
/* The same, at an address that devices get to know as well: a multiple of 64 KiB. */
void *ram_map_shared(const uint64_t *frames, size_t page_count);
/* The pages that stay empty behind a view, so that running over its end faults: as many as it has
 * itself, for who goes through a picture column by column, or takes it for twice as large, does not
 * come to the page right behind it first; and one more, which lies before the next view. */
size_t ram_empty_behind(size_t page_count);
/* The same view of other frames, as many; false: the computer's limits. */
bool ram_view_lead(void *view, const uint64_t *frames, size_t page_count);
void ram_unmap_frames(void *view, size_t page_count);
/* What the size bytes from begin on in a view are (a literal), for who explains faults: behind each
 * view is a page without access. */
void ram_view_name(void *view, const char *what, size_t begin, size_t size);
/* Shuts a view of frames, all of it: who touches it faults. */
void ram_view_shut(void *view);
void ram_view_open(void *view);
/* The page behind the view, which no view has: from now on it can be read, and holds redzone. */
void ram_view_open_behind(void *view);
/* From that page of a view with a name on, as by a client that gives its memory back: who touches
 * it may expect that, and catch the fault. ram_taken_at() says what it is, and how far from its
 * begin the address is; NULL: nothing such. */
void ram_view_take(void *view, size_t first_page);
const char *ram_taken_at(const void *address, size_t *offset);
/* changing.c. From now on the word at the offset has another value as soon as it was read once.
 * False: not so, for another view is changing. The view is as it was, but for the word, after the
 * end, which says whether the word changed. */
bool ram_view_change(void *view, size_t size, size_t offset, uint32_t value);
bool ram_view_change_end(void);
/* In the signal handler: true, if it was that. */
bool ram_change_fault(void *ucontext, const void *address);

/* The thing that an address in a view, or in the page behind or before one, is nearest to: what the
 * view was named for, or all of a view without a name. */
struct ram_thing {
    const char *what; /* NULL: it has no name */
    int64_t
        offset; /* of the address from the thing's begin: outside if negative, or size and more */
    size_t size;
    bool shut;
};
bool ram_thing_near(const void *address, struct ram_thing *out);

/* The physical address behind a pointer into RAM's direct view, a mapped view, a memory BAR or an
 * adopted page. False for any other memory. */
bool ram_physical_of(const void *pointer, uint64_t *physical_address);

/* Makes a page of private memory that is mapped, a stack's or a driver image's, a page of RAM where
 * it lies; false if no frame is free. The address must not be RAM's yet. ram_disown() makes private
 * again what of [low, +size) was adopted. */
bool ram_adopt(const void *address, bool writable);
void ram_disown(const void *low, size_t size);
/* lend.c. Place for a structure that a driver sees while one call runs, at any IRQL; what it is (a
 * literal) is for who explains faults. Behind it nobody can write. NULL: there is none, or it is
 * longer than a page. */
void *lent_take(size_t size, const char *what);
void lent_give_back(void *place);
void lent_set_behind(bool zeros); /* to be read there; else bytes of nobody's, as at first */
/* Is the address in a place, or behind it? */
bool lent_holds(const void *address);
/* True for an address behind the structure. */
bool lent_near(const void *address, struct ram_thing *out);
/* Lies the address among the stacks of tasks? It may be a guard, where nothing is mapped. */
bool stacks_hold(const void *address);

/* ---- PCI --------------------------------------------------------------------------------- */

struct pci_slot; /* a device in its slot */
struct pci_resources {
    struct {
        uint64_t base, size; /* size 0: no such BAR */
        bool registers, ports, prefetchable;
    } bars[DEVICE_BAR_COUNT];
    bool platform;             /* told of by firmware: no configuration space */
    unsigned interrupt_line;   /* for interrupt_connect */
    unsigned message_count, line_count; /* granted messages, or level lines: the other is 0 */
    unsigned interrupt_vector; /* as drivers see it */
    uint8_t interrupt_irql;
    char firmware_id[9]; /* of a platform device */
    uint16_t bus, slot_number, function;
};

struct pci_picture {
    const void *pixels; /* 32-bit BGRX rows, valid until the device is called again */
    unsigned width, height, stride_bytes;
};

/* Where the picture of the firmware lies: 32-bit BGRX rows in a BAR of memory. */
struct pci_firmware_picture {
    uint64_t physical;
    unsigned width, height, stride_bytes;
};

#define PCI_ERROR_MAX 320

struct pci_options {
    bool messages; /* grant messages if the device offers them */
    char *error;   /* PCI_ERROR_MAX bytes for why the device cannot be plugged in, or NULL */
};

/* Told of every access of a device to physical memory that is not there, in hardware context. */
typedef void pci_fault_hook(void *context, struct pci_slot *slot, uint64_t physical_address,
                            size_t size, bool write);
void pci_set_fault_hook(pci_fault_hook *hook, void *context);
/* Told that a device model did what it must not; ends the run and does not return. */
typedef void pci_model_hook(void *context, struct pci_slot *slot, const char *text);
void pci_set_model_hook(pci_model_hook *hook, void *context);

/* Has the model make its device and plugs it in; BARs and lines are assigned.
 * INVALID_PARAMETER: the user's options; STATUS_INVALID_DEVICE_REQUEST: the model's fault. */
NTSTATUS MUST_CHECK pci_plug(const struct device_model *model, const char *device_options,
                             const struct pci_options *options, struct pci_slot **out);
void pci_unplug(struct pci_slot *slot); /* destroys the device */
/* Reads give all ones from now on, and it has no interrupts; another device's on a shared line may
 * come before this returns. */
void pci_surprise_remove(struct pci_slot *slot);
/* Its registers read as ones from that access on, counted from 1, and it has no interrupts: it is
 * pulled out while somebody is in the driver. 0: not any more, if that has not come. */
void pci_leave_at(struct pci_slot *slot, unsigned access);
bool pci_is_removed(const struct pci_slot *slot), pci_is_silent(const struct pci_slot *slot);
/* What was pulled out is there again, as after power-on; nobody has it mapped. */
void pci_plug_in(struct pci_slot *slot);
/* Its BARs lie elsewhere from now on, as when resources are given out anew; nobody has them mapped.
 * They stay where they are if there is no other place. */
void pci_move(struct pci_slot *slot);
/* A device at rest, until pci_reset(). From `off` on it has no power either: its registers read as
 * ones and forget what is written, and it has no interrupts; another device's on a shared line may
 * come before this returns. May switch. */
void pci_power_down(struct pci_slot *slot, bool off);
struct pci_touches {
    uint64_t count;   /* of accesses to registers since pci_power_down(), without those of
                         interrupt routines: the line may be another's, and late ones */
    const void *from; /* the code that the first came from; NULL: not known */
    uint8_t irql;     /* at which it came */
};
struct pci_touches pci_touches(const struct pci_slot *slot);
/* Those of what was asked for before the device came to rest, while it runs. */
struct pci_touches pci_late_touches(const struct pci_slot *slot);
void pci_is_late(struct pci_slot *slot, bool late);
const struct pci_resources *pci_resources(const struct pci_slot *slot);
struct device *pci_device(struct pci_slot *slot);
const char *pci_device_name(const struct pci_slot *slot);
void pci_reset(struct pci_slot *slot);
/* Settings: registers that nothing but the start of a driver wrote, and that read back what was
 * written. From _begin() on writes are followed, those until _started() as of the start. _note(),
 * when the device has nothing to do and its power is about to go, reads them; _lost(), behind the
 * next pci_reset(), tells one after the other of those that have another value at power-on and
 * were not written since: *cursor is 0 at first. False: no more. */
struct pci_setting {
    unsigned bar, size; /* in bytes */
    uint64_t offset, value, power_on;
};
void pci_settings_begin(struct pci_slot *slot);
void pci_settings_started(struct pci_slot *slot);
void pci_settings_note(struct pci_slot *slot);
bool pci_settings_lost(const struct pci_slot *slot, unsigned *cursor, struct pci_setting *out);
bool pci_settings_lost_yet(const struct pci_slot *slot, struct pci_setting *out); /* not its own */
/* The device's clock stands: calls that it asked for by call_at() do not come, registers answer as
 * they stand. What has become due meanwhile comes when the clock starts. */
void pci_clock_stop(struct pci_slot *slot);
void pci_clock_start(struct pci_slot *slot);
/* What the device did of itself so far: interrupts raised, pieces of memory written or mapped. */
uint64_t pci_activity(const struct pci_slot *slot);
/* That, and how often it was given time: it ran, or looked at the clock. As long as this stays the
 * same it has got on with nothing. */
uint64_t pci_steps(const struct pci_slot *slot);
/* An address that the device asked the IOMMU for, and that led nowhere. */
#define PCI_PASID_FAILURES 64
struct pci_pasid_failure {
    uint64_t address;
    uint32_t pasid;
    bool told; /* pci_pasid_tell() */
};
/* The newest is number 0; false: there were no more, or they are forgotten. */
bool pci_pasid_failed(const struct pci_slot *slot, unsigned number, struct pci_pasid_failure *out);
/* A fault was told of it: another is of something else. */
void pci_pasid_tell(struct pci_slot *slot, unsigned number);
/* How many of them came since the last question, and whether that is all that failed: they are few,
 * and the device remembers nothing by which it could fail without asking. */
unsigned pci_pasid_news(struct pci_slot *slot, bool *knows_all);
/* The last line that the model gave for the log of the run, behind those of the same moment if
 * there is room, and when, once; false: none since the last. */
#define PCI_SAID_MAX 160
bool pci_take_said(struct pci_slot *slot, char text[PCI_SAID_MAX], uint64_t *when_ns);
/* What the monitor on an output shows; false if it is dark or the device has none. */
bool pci_scanout(struct pci_slot *slot, unsigned output, struct pci_picture *out);
bool pci_has_scanout(const struct pci_slot *slot); /* false above is then a dark output */
/* What one eye saw there last; false: it is not in stereo, or the model knows nothing of that. */
bool pci_scanout_eye(struct pci_slot *slot, unsigned output, bool right, struct pci_picture *out);
/* Pulls the monitor out of an output, or plugs it in; false: the model knows nothing of that. */
bool pci_set_monitor(struct pci_slot *slot, unsigned output, bool connected);
/* One that was pulled out is another from now on; false: the model has no other. */
bool pci_exchange_monitor(struct pci_slot *slot, unsigned output);
/* The EDID of the monitor at an output, and how long it is; 0: none, or nobody knows. */
size_t pci_monitor_says(struct pci_slot *slot, unsigned output, uint8_t *bytes, size_t size);
/* Does some device go there by itself, by what it was told? What for. */
bool pci_device_goes_to(uint64_t physical, uint64_t size, char *text, size_t text_size);
/* Did the device write that there as the end of something? False: no, or nobody knows. */
bool pci_released(struct pci_slot *slot, uint64_t physical, uint64_t value);
/* Where in system memory an address of the device's own leads; false: nowhere, or nobody knows. */
bool pci_look_up(struct pci_slot *slot, uint64_t address, uint64_t *physical);
/* Page tables that the device goes by: device.h. False: no more, or nobody knows. What it does to
 * answer is no step of its own. */
bool pci_address_space(struct pci_slot *slot, unsigned *space, struct device_address_space *found);
bool pci_translate(struct pci_slot *slot, unsigned space, uint64_t address,
                   struct device_translation *translation);
bool pci_remembered(struct pci_slot *slot, unsigned space, uint64_t *cursor,
                    struct device_remembered *found);
/* Which byte of the device's memory a memory BAR shows the CPU at an address of the bus. False:
 * none. And the device's memory behind the BAR that is at this address, from an offset on, whatever
 * the BAR shows; NULL: there is none. */
bool pci_bar_shows(uint64_t physical, uint64_t *offset);
const void *pci_bar_behind(uint64_t physical, uint64_t offset, size_t size);
/* Is all of it in one BAR of memory, whatever that shows? */
bool pci_is_memory(uint64_t physical, uint64_t size);
/* The picture that firmware lit the device up with at power-on; false: there is none. */
bool pci_firmware_picture(const struct pci_slot *slot, struct pci_firmware_picture *out);
/* The slot whose device model is running now, NULL if none is: whose fault a fault is. */
struct pci_slot *pci_in_model(void);
/* "64 bytes behind the end of its BAR 0" for an address near the memory of a slot's BARs, or "". */
void pci_place_text(const struct pci_slot *slot, uintptr_t address, char *text, size_t text_size);

/* Configuration space, any size and alignment inside 4096 bytes; beyond the end: all ones. */
void pci_config_read(struct pci_slot *slot, unsigned offset, void *bytes, unsigned size);
void pci_config_write(struct pci_slot *slot, unsigned offset, const void *bytes, unsigned size);

/* Maps a physical range of BARs or RAM for drivers (MmMapIoSpace). Register BARs come as addresses
 * that fault on direct access and are served by mmio_read/mmio_write. NULL: nothing is there. */
void *io_map(uint64_t physical_address, size_t size);
/* False if that was no mapping of this size. */
bool io_unmap(void *view, size_t size);
size_t io_mapping_count(void);

/* A mapping by its address: the one that holds it, or the one that it lies behind with nothing but
 * the empty pages between. */
struct io_near {
    const void *begin;
    size_t size;
    uint64_t physical;
};
bool io_mapping_near(const void *address, struct io_near *near);

/* Doorbells. A range that clients write to, and that leads where the kernel says: to what a driver
 * has mapped, or to memory; or nowhere: then it is memory that nobody reads. Its address stays.
 * Each access faults and is performed, as those of registers are. NULL: no room. */
void *io_client_open(size_t size);
void io_client_close(void *client);
/* To this address of a driver's; NULL: nowhere. What is not there any more is nowhere, too. */
void io_client_lead(void *client, void *address);
/* How many bytes from the address on are one piece of a mapping, or memory, as far as `size`; 0:
 * none. */
size_t io_reaches(const void *address, size_t size);

/* Register access by mapped address, for READ_REGISTER_* and friends. Falls back to a plain access
 * for memory. May switch. False: not a mapping (the driver's mistake). */
void mmio_from(const void *caller); /* the code that the next access comes from */
bool mmio_read(const void *address, unsigned size, uint64_t *value);
bool mmio_write(void *address, unsigned size, uint64_t value);
/* I/O ports, for READ_PORT_* and friends. May switch. False: nothing answers at that port; a read
 * gives all ones then. */
bool port_exists(uint64_t port, unsigned size);
bool port_read(uint64_t port, unsigned size, uint64_t *value);
bool port_write(uint64_t port, unsigned size, uint64_t value);
/* For the fault handler: performs an in or out instruction, also where nothing answers; false if
 * the instruction is neither. The bytes at the instruction must be readable. */
bool port_emulate_fault(void *context);
/* How many accesses to registers there were so far; by the running task, and what interrupts ran
 * on its stack. */
uint64_t mmio_access_count(void);
uint64_t mmio_access_count_of_task(void);
uint64_t mmio_write_count_of_task(void); /* those of them that only wrote */
/* For the fault handler: performs the access of an instruction that touched a register BAR
 * directly, with *context a ucontext_t; false if the address or the instruction is not ours. */
bool mmio_emulate_fault(void *context, const void *fault_address);

/* ---- What only a kernel's code may do ---------------------------------------------------- */

/* What compilers put into a kernel's code instead of a call, and a process may not do. */
struct processor {
    /* Memory of the running CPU, by its offset, and memory that all share, by its address: only
     * read. False: nobody knows what lies there. */
    bool (*of_cpu)(uint64_t offset, unsigned size, uint64_t *value);
    bool (*shared)(uint64_t address, unsigned size, uint64_t *value);
    void (*set_irql)(uint8_t level, const void *caller); /* may switch */
};
/* For code that faulted with these registers (gpr as instructions number them), outside the signal
 * handler: performs the instruction and moves rip behind it. False: it is none of those. May
 * switch. Of the bytes at *rip no more are read than the instruction has. */
bool processor_perform(const struct processor *processor, uint64_t *gpr, uint64_t *rip,
                       uint64_t *flags);

/* ---- Memory of others -------------------------------------------------------------------- */

/* Copies between addresses that need not be good ones; false when an access faulted, with the bytes
 * before it copied. Needs a fault handler that asks machine_copy_fault(). Does not switch. */
bool machine_copy(void *to, const void *from, size_t size);
/* Can all of it be read and written? Changes nothing. */
bool machine_is_writable(void *address, size_t size);
/* For the fault handler: ends a copy that faulted; false if *context, a ucontext_t, is in none. */
bool machine_copy_fault(void *context);

#endif

/* What the files of the machine share: the state of the one machine, its tasks and CPUs, and the
 * map of fixed addresses.
 *
 * One OS thread executes everything. Besides the tasks' stacks there are the thread's own, on which
 * machine_run() was called, and the executor's, on which timers and device models run and where the
 * machine waits for time to pass:
 *
 *      thread ──machine_run──> executor <──nothing runnable, timer due── task <──> task
 *        ^───────────stop───────────┘           └──next task──> task
 *        ^───────────machine_halt, watchdog─────────────────────┘
 *
 * A CPU always has a running task, be it its idle task; `machine.cpu` and `machine_here.self` say
 * which of them has the OS thread now. */
#ifndef MACHINE_INTERNAL_H
#define MACHINE_INTERNAL_H

#include "base/record.h"
#include "machine/context.h"
#include "machine/machine.h"

/* ---- Fixed addresses --------------------------------------------------------------------- */

#if defined(__SANITIZE_THREAD__)
#define MACHINE_LOW_ADDRESSES 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define MACHINE_LOW_ADDRESSES 1
#endif
#endif

#ifdef MACHINE_LOW_ADDRESSES
/* ThreadSanitizer lets programs live only where its own shadow is not. */
#define ADDRESS_RAM       UINT64_C(0x001000000000)
#define ADDRESS_VIEWS     UINT64_C(0x002000000000)
#define ADDRESS_IO        UINT64_C(0x003000000000)
#define ADDRESS_STACKS    UINT64_C(0x004000000000)
#define ADDRESS_LENT      UINT64_C(0x004800000000)
#define ADDRESS_BARS      UINT64_C(0x005000000000)
#define ADDRESS_WINDOW    UINT64_C(0x000800000000)
#define ADDRESS_BARS_SIZE UINT64_C(0x001000000000)
#else
#define ADDRESS_RAM       UINT64_C(0x200000000000)
#define ADDRESS_VIEWS     UINT64_C(0x210000000000)
#define ADDRESS_IO        UINT64_C(0x220000000000)
#define ADDRESS_STACKS    UINT64_C(0x230000000000)
#define ADDRESS_LENT      UINT64_C(0x238000000000)
#define ADDRESS_BARS      UINT64_C(0x240000000000)
#define ADDRESS_WINDOW    UINT64_C(0x004000000000) /* bytes kept for each of them */
#define ADDRESS_BARS_SIZE UINT64_C(0x010000000000)
#endif

/* Keeps [address, +size) for us, without access. False, with a word on standard error, if
 * something lies there. */
bool address_reserve(uint64_t address, uint64_t size, const char *what);
/* Takes access away again, keeping the range. */
void address_vacate(void *address, size_t size);
/* All of it is about to be touched: fetched at once, which is cheaper than a fault for each page. A
 * wish: a kernel that does not know it does nothing. */
void address_expect(void *address, size_t size);

/* ---- CPUs -------------------------------------------------------------------------------- */

#define LINE_COUNT_MAX 256
#define LINE_NONE      LINE_COUNT_MAX
#define LINE_WORDS     (LINE_COUNT_MAX / 64)

struct cpu {
    unsigned index;
    uint8_t irql;
    uint64_t high_since_ns;       /* where irql is DISPATCH or above */
    uint8_t pending_irql;         /* the highest of the pending lines; 0: none */
    uint64_t pending[LINE_WORDS]; /* lines, one bit each */
    unsigned dpcs_running;        /* whose routines have begun, one within the other */
    struct list dpcs;
    struct list held_dpcs; /* queued, and not to run before the timer; see dpc.c */
    struct machine_timer held_timer;
    struct task *running; /* never NULL once the machine runs */
    struct task *idle;
    uint32_t shown; /* object number of whom the record says to run here */
    const struct spin_lock *spinning_on;
    uint64_t busy_until; /* its task spends time until then */
};

/* Every change of cpu->irql but executor.c's: the time above is counted from where it begins. */
void cpu_set_irql(struct cpu *cpu, uint8_t level);

static inline bool cpu_has_work(const struct cpu *cpu)
{
    return cpu->pending_irql > cpu->irql ||
           (cpu->irql < MACHINE_IRQL_DISPATCH && !list_empty(&cpu->dpcs));
}

/* The IRQL at which code runs from now on. */
static inline void irql_show(uint8_t level)
{
    record_context.irql = level;
    pageable_level(level);
}

/* Serves interrupts and DPCs as far as the current CPU's IRQL allows. */
void cpu_serve(void);
void dpc_drain(struct cpu *cpu);
/* Delivers the most urgent line that is above the CPU's IRQL. */
void interrupt_deliver(struct cpu *cpu);
/* The CPU that gets what the hardware starts now. */
struct cpu *cpu_for_hardware(void);

/* ---- Tasks ------------------------------------------------------------------------------- */

enum task_state { TASK_READY, TASK_RUNNING, TASK_BLOCKED, TASK_ENDED };

/* Stacks: stack.c. */
struct stack {
    char *low;
    size_t bytes;
    char *line;        /* the pages below the driver's part; NULL: too small for one */
    size_t shut_bytes; /* of them, from the lowest */
};

/* What a call of the driver reads: polls.c. */
#define POLLS_PLACES 8
struct polls {
    bool in_call;
    uint64_t count;     /* places met in this call; the last POLLS_PLACES of them are known */
    uint64_t fruitless; /* reads, less what was got on with */
    unsigned looks;     /* of the watchdog that met the call at work */
    uint64_t writes, writes_seen; /* of registers; at its latest look */
    struct {
        uint64_t place, value;
    } places[POLLS_PLACES];
};
void polls_read(unsigned bar, uint64_t offset, uint64_t value);
void polls_wrote(void);
uint64_t polls_ns(void); /* more than it takes anyhow, for a read that is to come */

struct task {
    struct context context;
    struct stack stack;
    task_entry *entry;
    void *argument;
    char name[48];
    uint32_t object;
    int priority;
    bool daemon, idle;

    enum task_state state;
    struct cpu *cpu;   /* while it runs */
    uint64_t affinity; /* CPUs that may run it; 0: all */
    uintptr_t stack_mark;
    uint8_t irql; /* while it does not */
    bool wake_pending;
    enum wait_status wait_result;
    struct machine_timer deadline;
    unsigned reference_count;
    size_t ready_index;
    struct list ready_link, all_link;
    void *slots[TASK_SLOT_COUNT];
    struct polls polls;
};

bool stack_alloc(size_t bytes, struct stack *out);
void stack_free(struct stack *stack);
bool stacks_create(void);
void stacks_destroy(void);
bool lent_create(void);
void lent_destroy(void);
/* This task's stack is the one that drivers are called on; NULL: none is. */
void stack_show(const struct task *task);
/* May nobody read it, on the running task's stack? */
bool task_stack_is_shut(const void *address);
/* Shuts the pages below the driver's part again, if somebody opened them. */
void stack_shut(struct stack *stack);
/* What a routine of the driver finds in its local variables (VARY_OLD_MEMORY). */
void stack_soil(const struct stack *stack);

NTSTATUS task_create_idle(struct cpu *cpu);
void task_release_stack(struct task *task);
/* Puts a blocked task back among the ready ones. */
void task_unblock(struct task *task, enum wait_status result);

/* One who waits, on his own stack. */
struct waiter {
    struct list link;
    struct task *task;
    bool woken, exclusive;
};
/* Waits until woken is set; on a time-out the waiter is taken off its list. */
enum wait_status waiter_wait(struct waiter *waiter, uint64_t deadline_ns);
void waiter_wake(struct waiter *waiter);

/* ---- The machine ------------------------------------------------------------------------- */

struct machine_state {
    bool exists, running, dead;
    bool speaks_last; /* machine_speak_last() runs */
    struct machine_config config;

    /* The hot part: read at every yield. */
    struct cpu *cpu;           /* the last or current one */
    struct pci_slot *in_model; /* whose device model runs now, or NULL */
    const struct cpu *lent;    /* whose broadcast routine runs; NULL: none */
    uint32_t dpc_count;        /* DPCs are numbered in order of their making */
    unsigned held_interrupts;  /* that have to come yet; 0: nothing waits for them. See dpc.c */
    bool hold_is_due;          /* of the next DPC that is queued */
    bool hold_is_over;         /* they came, and it waited for them */
    int countdown;             /* yields until the next switch */
    const struct cpu *alone;   /* the others stand still; NULL: they do not */
    uint64_t progress;         /* grows at every switching point: what the watchdog looks at */
    uint64_t now_ns;
    uint64_t due_ns;                /* of the next timer, or MACHINE_NEVER */
    uint64_t stop_ns;               /* the executor must look: the next timer or the deadline */
    machine_point_hook *point_hook; /* of tests */
    void *point_context;

    uint64_t deadline_ns;
    enum machine_stop stop;
    struct cpu cpus[MACHINE_CPU_COUNT_MAX];
    struct cpu outside; /* for code outside tasks */

    struct context thread, executor, last;
    struct stack executor_stack, last_stack;
    void (*call)(void *argument); /* what a task wants done on the executor's stack */
    void *call_argument;
    struct task *resume; /* goes on at once when the executor has fired its timers */
    struct task *ended;  /* its stack is freed by whoever runs next */

    struct list all;
    size_t task_count;
    struct list ready_list; /* ROUND_ROBIN: by priority, then age */
    struct task **ready;    /* RANDOM */
    size_t ready_count, ready_capacity;
    unsigned live_count; /* tasks that keep the run going */
    unsigned turn;
    unsigned still_slices; /* slices in which time stood still */
    uint64_t slice_ns;
    unsigned slices_patience;
};

extern struct machine_state machine;

/* The CPU whose IRQL counts here: machine_here.level points into it. */
static inline struct cpu *cpu_here(void)
{
    return machine_here.self ? machine.cpu : &machine.outside;
}

static inline bool in_task(void)
{
    return machine_here.self && !machine_here.hardware;
}

/* Whose client's code runs now, for whoever finds the process dead. */
static inline void task_show_client(void)
{
    const struct task *self = machine_here.self;
    bool runs = self && self->slots[TASK_SLOT_CLIENT] && !self->slots[TASK_SLOT_SERVED];

    record_plugged_runs(RECORD_PLUGGED_CLIENT,
                        runs ? (uint32_t)(uintptr_t)self->slots[TASK_SLOT_AUTHOR] : 0);
}

/* Moves the running task to a CPU that it may use, if it is not on one and may leave this. */
void task_settle(void);

bool executor_create(void);
/* The first act of a context that was switched to for the first time. */
void executor_arrived(void);
void executor_destroy(void);
void ready_add(struct task *task);
/* Gives the running task's CPU away: the task is blocked or, with let_others, only lets others
 * have a turn. Comes back when the task runs again. */
void executor_dispatch(void);
void executor_let_others(void);
_Noreturn void executor_end_task(void);
/* Fires due timers and calls the routine on the executor's stack; no task runs in between. */
void executor_call(void (*routine)(void *argument), void *argument);
/* Leaves machine_run() for good, from any stack. */
_Noreturn void executor_abandon(enum machine_stop stop);
static inline void executor_clock_changed(void)
{
    machine.stop_ns = machine.due_ns < machine.deadline_ns ? machine.due_ns : machine.deadline_ns;
}
/* Moves the clock without firing anything. */
void clock_move(uint64_t ns);
void clock_begin(void);

/* The first timer due at now, disarmed; NULL if there is none. */
struct machine_timer *timers_take_due(uint64_t now_ns);
void timers_reset(void);
void random_reset(uint64_t seed);
void steps_reset(void);
void compared_reset(void);
void old_reset(void);
/* As machine_old_bytes, of a stack below what is used. */
void old_stack_bytes(void *memory, size_t size);
void interrupts_reset(void);
void mutexes_reset(void);
void watchdog_start(void);
void watchdog_stop(void);

/* ---- Lines ------------------------------------------------------------------------------- */

/* count neighbouring lines, the first a multiple of count; LINE_NONE if there are none. */
unsigned lines_alloc(unsigned count, bool level);
void lines_free(unsigned first, unsigned count);
void line_set(unsigned line, bool asserted);

/* ---- Memory ------------------------------------------------------------------------------ */

bool ram_create(uint64_t bytes);
void ram_destroy(void);
/* The file and the offset behind physical memory; *run is how far it goes on, at least a page. */
bool ram_backing(uint64_t physical, int *fd, uint64_t *offset, uint64_t *run);

/* adopt.c */
bool adopted_physical_of(const void *pointer, uint64_t *physical);
void adopted_forget_all(void);

enum view_kind { VIEW_FRAMES, VIEW_REGISTERS, VIEW_MEMORY, VIEW_CLIENT };

/* A range of a window that is in use. */
struct view {
    uintptr_t base;
    size_t page_count;
    size_t area_count; /* VIEW_FRAMES: of the host's, with what is empty behind it */
    enum view_kind kind;
    uint64_t *frames;   /* VIEW_FRAMES */
    const char *what;   /* VIEW_FRAMES: what somebody was given there; NULL: nothing is told */
    size_t begin, size; /* of it, in the view */
    bool shut;          /* VIEW_FRAMES: nobody may touch it */
    bool on_bus;        /* VIEW_FRAMES: of a BAR, and writable */
    bool taken;         /* by ram_view_take(): some of it is shut */
    bool behind;        /* by ram_view_open_behind(): the page behind it can be read */
    uint64_t physical;  /* the others: of base */
    uintptr_t user;     /* what the driver was given */
    size_t user_size;
    struct pci_slot *slot; /* VIEW_REGISTERS */
    unsigned bar;
    uint64_t bar_offset; /* of base */
    uint8_t *dummy;      /* VIEW_CLIENT: what is there while it leads nowhere */
    void *leads;         /* VIEW_CLIENT: an address of a driver's; NULL: nowhere */
};

/* A range of addresses in which views are made, one after the other with a page between. An
 * address is used again only when the window has been gone through: stale pointers fault. */
struct window {
    uintptr_t base, end, cursor;
    struct view **views; /* by address */
    size_t count, capacity;
    size_t area_count; /* of all views */
    struct view *last; /* found last */
};

bool window_open(struct window *window, uint64_t base, const char *what);
void window_close(struct window *window);
struct view *window_add(struct window *window, size_t page_count, size_t alignment);
struct view *window_find(struct window *window, const void *address);
/* The last view that begins at or before an address; NULL: none. */
struct view *window_before(const struct window *window, uintptr_t address);
void window_remove(struct window *window, struct view *view);
/* Maps memory behind the view's pages [first, +count), which are one physical piece. */
bool view_map_physical(struct view *view, size_t first, uint64_t physical, size_t count,
                       bool writable);

/* Pages of a BAR show something else: the views of them follow. */
void ram_views_follow(uint64_t physical, uint64_t size);
void io_views_follow(const struct pci_slot *slot, unsigned bar, uint64_t offset, uint64_t size);

bool io_create(void);
void io_destroy(void);
bool io_physical_of(const void *pointer, uint64_t *physical);
/* The slot's views read as all ones from now on; with destroyed they also forget the slot. */
void io_slot_gone(struct pci_slot *slot, bool destroyed);
const void *io_accessor(void); /* the code that the access comes from; NULL: not known */
uint8_t io_access_irql(void);   /* at which it is made */
bool io_access_is_served(void); /* is it made by an interrupt routine? */

void gart_destroy(void);

/* ---- PCI --------------------------------------------------------------------------------- */

#define CONFIG_BYTES 4096u

struct config_space {
    uint8_t bytes[CONFIG_BYTES];
    uint8_t writable[CONFIG_BYTES]; /* bits that a write changes */
    uint64_t held_words; /* of the first 64: the header's and the capabilities'; not the device's */
};

#define PCI_BAR_NOTHING_PAGES 64u

struct pci_bar {
    int fd;     /* a memory BAR's file; -1: registers, ports, or none */
    char *view; /* where the device sees it */
    /* Which page of the file each page shows; NULL: itself. Those behind the memory: nothing. */
    uint32_t *shown;
    uint64_t *expected; /* a bit per chunk of the file: somebody has looked there */
};

/* How the device's interrupts travel: what the driver enabled last. */
enum message_way { WAY_LINE, WAY_MSI, WAY_MSIX };

#define MESSAGE_WORDS (DEVICE_MESSAGE_COUNT_MAX / 64)

struct pci_messages {
    unsigned count;   /* of the device; at least 1 */
    unsigned offered; /* by MSI-X, or by MSI; 0: neither is there */
    enum message_way way;
    uint64_t asserted[MESSAGE_WORDS], pending[MESSAGE_WORDS];
    unsigned msi_at, msix_at; /* in configuration space; 0: not there */
    bool msi_maskable;
    unsigned table_bar; /* DEVICE_BAR_COUNT: there is no MSI-X */
    uint32_t table_offset, pending_offset;
    uint32_t table[DEVICE_MESSAGE_COUNT_MAX][4]; /* address low and high, data, control */
};

struct pci_slot {
    struct device_bus bus;
    struct device *device;
    struct device_operations operations; /* the device's; nothing in it is NULL but scanout
                                            and light_up */
    const struct device_model *model;
    struct device_description description;
    struct device_capability capabilities[DEVICE_CAPABILITIES_MAX];
    struct pci_resources resources;
    struct pci_bar bars[DEVICE_BAR_COUNT];
    struct config_space config;
    struct pci_messages messages;
    struct list link, ticks, ticks_free;
    unsigned line_count;
    bool wants_messages; /* pci_options.messages */
    bool described, created, removed;
    bool rests, unpowered; /* pci_power_down() */
    unsigned leaves_in;    /* accesses; 0: it does not. pci_leave_at() */
    struct pci_touches touches, late_touches;
    bool late;                            /* pci_is_late() */
    struct pci_firmware_picture firmware; /* width 0: none */
    uint32_t firmware_gap;                /* behind each of its rows, bytes; at each power-on */
    bool firmware_known;                  /* the one before is chosen */
    bool still;                           /* its clock stands */
    uint64_t dma_count;                   /* pci_dma_count() */
    uint64_t activity, looks;             /* pci_activity(), pci_steps() */
    struct pci_pasid_failure failures[PCI_PASID_FAILURES]; /* pci_pasid_failed(); a ring */
    unsigned failure_count, failures_asked;                /* pci_pasid_news() */
    bool remembers;                                        /* it asked by pasid_translate */
    char said[PCI_SAID_MAX];                               /* pci_take_said() */
    uint64_t said_ns;
    struct pci_settings *settings; /* pci_settings.c; NULL: nobody asked for them */
    char error[PCI_ERROR_MAX]; /* why it cannot be plugged in */
};

/* Around every call of a device model. */
static inline void model_enter(struct pci_slot *slot)
{
    machine_here.hardware++;
    machine.in_model = slot;
    record_plugged_runs(RECORD_PLUGGED_MODEL, 1);
}

static inline void model_leave(void)
{
    __asm__ volatile("cld"); /* a model's own code may have counted down */
    machine.in_model = NULL;
    record_plugged_runs(RECORD_PLUGGED_MODEL, 0);
    machine_here.hardware--;
}

/* The model did what it must not: tells the host, who ends the run. Returns in tests only. */
RARE void model_wrong(struct pci_slot *slot, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* pci_describe.c: takes the description over, and gives the device its place. False: slot->error.
 */
bool slot_describe(struct pci_slot *slot, const struct device_description *description);
void slot_release(struct pci_slot *slot);
/* pci_settings.c: a register was written; the power is gone, and true: the model was asked what is
 * left, and is to be reset again; it gives up, and does so for nothing if it was asked alone. */
void settings_written(struct pci_slot *slot, unsigned bar, uint64_t offset, unsigned size,
                      uint64_t value);
bool settings_lose(struct pci_slot *slot);
void settings_give_up(struct pci_slot *slot);
/* pci_firmware.c: power-on, for the screen. */
void slot_light_up(struct pci_slot *slot);
void slot_addresses_reset(void);

/* pci_config.c */
#define CONFIG_COMMAND        0x04u
#define CONFIG_FIRST_FREE     0x40u
#define CONFIG_CLASSIC_BYTES  0x100u
#define COMMAND_PORTS         0x0001u
#define COMMAND_MEMORY        0x0002u
#define COMMAND_BUS_MASTER    0x0004u
#define COMMAND_NO_INTERRUPTS 0x0400u /* legacy line off: messages are used */

void config_init(struct pci_slot *slot);
uint16_t config_command(const struct pci_slot *slot);
uint32_t config_word(const struct pci_slot *slot, unsigned offset);
/* Bytes that a capability takes, with id and link. */
unsigned capability_bytes(const struct device_capability *capability);

/* pci_message.c */
void messages_init(struct pci_slot *slot);
unsigned pci_line_count(const struct pci_slot *slot);
/* The MSI-X table as the bus driver leaves it. */
void messages_table_init(struct pci_slot *slot);
void message_set(struct pci_slot *slot, unsigned message, bool asserted);
/* All down, nothing pending. */
void messages_clear(struct pci_slot *slot);
/* Configuration space has changed. */
void messages_changed(struct pci_slot *slot);
uint32_t messages_pending_word(const struct pci_slot *slot, unsigned index);
bool messages_line_up(const struct pci_slot *slot);
/* An access to the MSI-X table or the pending bits; false: it is the model's. */
bool message_table_read(struct pci_slot *slot, uint64_t offset, unsigned size, uint64_t *value);
bool message_table_write(struct pci_slot *slot, uint64_t offset, unsigned size, uint64_t value);

struct bar_hit {
    struct pci_slot *slot;
    unsigned bar;
    uint64_t offset;
    bool registers;
};
/* The BAR that holds [physical, +size) wholly. */
bool pci_find_bar(uint64_t physical, uint64_t size, struct bar_hit *hit);
/* The BAR that holds ports [port, +size) wholly. */
bool pci_find_port(uint64_t port, unsigned size, struct bar_hit *hit);
/* pci_show.c. The file behind the hit, and for how many bytes in one piece: the pages with those
 * `wanted`, not 0, at most, where it has to look for the end. */
bool pci_bar_backing(const struct bar_hit *hit, uint64_t wanted, int *fd, uint64_t *offset,
                     uint64_t *run);
/* Where the device sees what the BAR shows there; NULL: not in one piece, or it shows nothing. */
void *pci_bar_view(const struct bar_hit *hit, uint64_t size);
bool pci_bar_can_be_viewed(const struct bar_hit *hit, uint64_t size); /* and fetches none of it */
/* Nobody has looked at its memory of this size yet; false: there is no room to note who does. */
bool pci_bar_expects(struct pci_bar *bar, uint64_t size);
bool pci_bar_show(struct device_bus *bus, unsigned bar, uint64_t offset, uint64_t size,
                  uint64_t from);
bool pci_messages_on(struct device_bus *bus);
bool pci_physical_of(const void *pointer, uint64_t *physical);
/* pci_look.c: as pci_device_goes_to(), one device. */
bool pci_goes_to(struct pci_slot *slot, uint64_t physical, uint64_t size, char *text,
                 size_t text_size);
bool pci_may_master(struct pci_slot *slot); /* it is there, and bus mastering on */
/* The bus's own of these names. */
void *pci_pasid_map(struct device_bus *bus, uint32_t pasid, uint64_t address, size_t size,
                    enum device_pasid_access access, size_t *mapped_size);
bool pci_pasid_translate(struct device_bus *bus, uint32_t pasid, uint64_t address,
                         struct device_pasid_page *page);
uint64_t pci_register_read(struct pci_slot *slot, unsigned bar, uint64_t offset, unsigned size);
void pci_register_write(struct pci_slot *slot, unsigned bar, uint64_t offset, unsigned size,
                        uint64_t value);
void pci_create(void);
void pci_destroy_all(void);

/* ---- Instructions ------------------------------------------------------------------------ */

enum instruction_kind {
    INSTRUCTION_LOAD,     /* register = memory, extended as told */
    INSTRUCTION_STORE,    /* memory = register or immediate */
    INSTRUCTION_ALU,      /* memory = memory op source, and flags */
    INSTRUCTION_ALU_LOAD, /* register = register op memory, and flags */
    INSTRUCTION_MULTIPLY, /* rdx and rax = rax * memory, and flags */
    INSTRUCTION_XCHG,
};

enum alu_operation {
    ALU_ADD,
    ALU_OR,
    ALU_ADC,
    ALU_SBB,
    ALU_AND,
    ALU_SUB,
    ALU_XOR,
    ALU_CMP, /* as encoded */
    ALU_TEST,
    ALU_MULTIPLY, /* signed, the lower half */
};

struct instruction {
    enum instruction_kind kind;
    enum alu_operation alu;
    unsigned length;
    unsigned size;          /* of the memory operand, bytes */
    unsigned register_size; /* of the register operand */
    unsigned register_index;
    bool high_byte; /* ah, ch, dh, bh */
    bool of_cpu;    /* the address counts from gs */
    bool sign_extend;
    bool immediate;
    uint64_t value; /* the immediate */
    uint64_t address;
};

/* gpr as instructions number registers. False: not one of those we perform. */
bool instruction_decode(const uint8_t *code, uint64_t rip, const uint64_t *gpr,
                        struct instruction *out);
/* The memory that an instruction of any kind is about to touch: its own operand, not the stack's.
 * False: none, or it is not known. No more of the bytes are read than the instruction has. */
struct access {
    uint64_t address;
    bool writes;
    bool atomic;   /* nobody comes between its read and its write */
    unsigned size; /* bytes; of one that repeats itself those of one time */
    bool stores;   /* it writes, and reads nothing there */
};
bool access_decode(const uint8_t *code, uint64_t rip, const uint64_t *gpr, struct access *out);
/* The two sides that an instruction is about to compare; the first may be in memory, and stands at
 * the address then. False: it compares nothing, or it is not known. */
struct comparison {
    unsigned size; /* bytes */
    bool in_memory;
    uint64_t address, first, second;
};
bool comparison_decode(const uint8_t *code, const uint64_t *gpr, struct comparison *out);
/* With *memory as it is: what becomes of registers, rflags and *memory; true: write it. */
bool instruction_perform(const struct instruction *instruction, uint64_t *gpr, uint64_t *flags,
                         uint64_t *memory);
/* Moves between a register and cr8, which is the interrupt level. */
struct level_instruction {
    bool writes;
    unsigned length, register_index;
};
bool level_instruction_decode(const uint8_t *code, struct level_instruction *out);
/* in and out, but for the string forms. */
struct port_instruction {
    bool out, immediate;
    unsigned length, size;
    uint8_t port; /* if immediate; otherwise it is in dx */
};
bool port_instruction_decode(const uint8_t *code, struct port_instruction *out);

/* Performs op on operands of size bytes; *flags is rflags. */
uint64_t alu_perform(enum alu_operation op, unsigned size, uint64_t a, uint64_t b, uint64_t *flags);

#endif

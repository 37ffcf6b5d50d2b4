/* Mapped I/O space: views of BARs and memory for drivers, and register access through them.
 *
 * A view of registers is a range without access. The register functions look the address up; an
 * instruction that touches it directly faults, and mmio_emulate_fault() performs it. Each mapping
 * has addresses of its own, so that a use after unmapping faults. So do the ranges by which clients
 * come to such a view, or to memory: doorbells. */
#include "machine/internal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* A driver is likely to be in the middle of something when it touches its registers. */
#define REGISTERS_A_SHARED_INTERRUPT 16
#define READ_NS                      200u /* a read waits for the answer, a write is posted */
#define WRITE_NS                     20u
#define SLOW_NS_MAX                  (64 * NS_PER_US) /* a link that leaves its power saving */
#define ACCESSES_A_SLOW_ONE          64
#define ACCESSES_A_SLOW_ONE_HIGH     2  /* above DISPATCH_LEVEL: there it matters most */
#define WRITES_A_PROMPT_ONE          4  /* after which the device is given time ... */
#define READS_A_PROMPT_ONE           16 /* ... */
#define FIRST_WRITES                 6  /* of a register: such a one in every second case, ... */
#define PROMPT_LENGTH_FIRST          14 /* ... of 16 us or more, for all that may come of it */
#define REGISTERS_FOLLOWED           1024
#define PROMPT_LENGTHS               21 /* of 1 ns, 2 ns, 4 ns ... 1 ms */
#define PROMPT_LENGTHS_HIGH          17 /* above DISPATCH_LEVEL: ... 64 us */
#define ONES_PIECE_BYTES             (UINT64_C(2) << 20)

static struct window views;
static int ones = -1; /* what show_ones() shows; made before the sandbox is closed to new files */
static uint8_t written[REGISTERS_FOLLOWED]; /* how often, up to FIRST_WRITES */

bool io_create(void)
{
    memset(written, 0, sizeof written);
    ones = memfd_create("drydock-ones", MFD_CLOEXEC);
    return ones >= 0 && ftruncate(ones, ONES_PIECE_BYTES) == 0 &&
           window_open(&views, ADDRESS_IO, "views of devices");
}

void io_destroy(void)
{
    window_close(&views);
    if (ones >= 0) {
        close(ones);
        ones = -1;
    }
}

/* ---- Mapping ----------------------------------------------------------------------------- */

/* Is all of it RAM, or all of it one BAR? *hit->slot is NULL for RAM. */
static bool target_find(uint64_t physical, size_t size, struct bar_hit *hit)
{
    uint64_t end;

    *hit = (struct bar_hit){0};
    return size && !add_overflows_u64(physical, size, &end) &&
           (ram_at(physical, size) || pci_find_bar(physical, size, hit));
}

/* Of memory in views, which take two of the areas that the host has for a process (ram.c). */
#define MEMORY_AREAS_MAX ((size_t)8192)

void *io_map(uint64_t physical, size_t size)
{
    uint64_t begin = align_down(physical, MACHINE_PAGE_SIZE);
    struct bar_hit hit;
    struct view *view;

    if (!target_find(physical, size, &hit)) {
        return NULL;
    }
    view = window_add(&views,
                      (align_up(physical + size, MACHINE_PAGE_SIZE) - begin) >> MACHINE_PAGE_SHIFT,
                      MACHINE_PAGE_SIZE);
    if (!view) {
        return NULL;
    }
    view->kind = hit.registers ? VIEW_REGISTERS : VIEW_MEMORY;
    view->physical = begin;
    view->user = view->base + (uintptr_t)(physical - begin);
    view->user_size = size;
    view->slot = hit.slot;
    view->bar = hit.bar;
    view->bar_offset = hit.offset - (hit.slot ? physical - begin : 0);
    if (view->kind == VIEW_MEMORY) {
        view->area_count = 2;
        views.area_count += view->area_count;
    }
    if (view->kind == VIEW_MEMORY && (views.area_count > MEMORY_AREAS_MAX ||
                                      !view_map_physical(view, 0, begin, view->page_count, true))) {
        window_remove(&views, view);
        return NULL;
    }
    return (void *)view->user;
}

bool io_unmap(void *address, size_t size)
{
    struct view *view = window_find(&views, address);

    if (!view || view->kind == VIEW_CLIENT || view->user != (uintptr_t)address ||
        view->user_size != size) {
        return false;
    }
    window_remove(&views, view);
    return true;
}

bool io_mapping_near(const void *address, struct io_near *near)
{
    uintptr_t at = (uintptr_t)address;
    struct view *view = at >= views.base && at < views.end ? window_before(&views, at) : NULL;
    size_t pages = view ? view->page_count + ram_empty_behind(view->page_count) : 0;

    if (!view || view->kind == VIEW_CLIENT || at - view->base >= pages << MACHINE_PAGE_SHIFT) {
        return false;
    }
    *near = (struct io_near){(const void *)view->user, view->user_size,
                             view->physical + (view->user - view->base)};
    return true;
}

size_t io_mapping_count(void)
{
    return views.count;
}

bool io_physical_of(const void *pointer, uint64_t *physical)
{
    struct view *view = window_find(&views, pointer);

    if (!view || view->kind != VIEW_MEMORY) {
        return false;
    }
    *physical = view->physical + ((uintptr_t)pointer - view->base);
    return true;
}

/* Nothing answers: every read gives ones, every write is lost. */
static void show_ones(const struct view *view)
{
    size_t bytes = view->page_count * MACHINE_PAGE_SIZE;
    size_t piece = bytes < ONES_PIECE_BYTES ? bytes : ONES_PIECE_BYTES;
    char *first = (char *)view->base;

    CHECK_THAT(mmap(first, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, ones, 0) !=
               MAP_FAILED);
    memset(first, 0xFF, piece);
    for (size_t at = 0; at < bytes; at += piece) {
        size_t length = bytes - at < piece ? bytes - at : piece;
        bool shown = mmap(first + at, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, ones,
                          0) != MAP_FAILED;
        CHECK_THAT(shown || errno == ENOMEM);
        if (!shown) { /* who maps that much has used up what a process may map */
            address_vacate(first + at, length);
        }
    }
}

void io_slot_gone(struct pci_slot *slot, bool destroyed)
{
    for (size_t i = 0; i < views.count; i++) {
        struct view *view = views.views[i];
        if (view->slot != slot) {
            continue;
        }
        if (view->kind == VIEW_MEMORY) {
            show_ones(view);
        }
        if (destroyed) {
            view->slot = NULL;
        }
    }
}

void io_views_follow(const struct pci_slot *slot, unsigned bar, uint64_t offset, uint64_t size)
{
    for (size_t i = 0; i < views.count; i++) {
        struct view *view = views.views[i];
        uint64_t bytes = (uint64_t)view->page_count << MACHINE_PAGE_SHIFT;
        uint64_t begin = offset > view->bar_offset ? offset : view->bar_offset;
        uint64_t end =
            offset + size < view->bar_offset + bytes ? offset + size : view->bar_offset + bytes;
        if (view->kind == VIEW_MEMORY && view->slot == slot && view->bar == bar && begin < end) {
            uint64_t at = begin - view->bar_offset;
            CHECK_THAT(view_map_physical(view, at >> MACHINE_PAGE_SHIFT, view->physical + at,
                                         (end - begin) >> MACHINE_PAGE_SHIFT, true));
        }
    }
}

/* ---- Register access --------------------------------------------------------------------- */

static bool size_accept(unsigned size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

/* The view of registers that holds all of the access, and the offset in the BAR. */
static struct view *register_view(uintptr_t address, unsigned size, uint64_t *offset)
{
    struct view *view = window_find(&views, (const void *)address);

    if (!view || view->kind != VIEW_REGISTERS || address < view->user ||
        !range_fits(address - view->user, size, view->user_size)) {
        return NULL;
    }
    *offset = view->bar_offset + (address - view->base);
    return view;
}

static bool is_memory(uintptr_t address, unsigned size)
{
    uint64_t physical;

    return ram_physical_of((const void *)address, &physical) &&
           ram_physical_of((const void *)(address + size - 1), &physical);
}

static uint64_t register_accesses;
static const void *accessor;

/* Of an access that the executor makes for a task: what was true of the task then. */
static struct {
    bool by_executor, is_served;
    uint8_t irql;
} access_of;

void mmio_from(const void *caller)
{
    accessor = caller;
}

const void *io_accessor(void)
{
    return accessor;
}

uint8_t io_access_irql(void)
{
    return access_of.by_executor ? access_of.irql : irql_current();
}

bool io_access_is_served(void)
{
    return access_of.by_executor ? access_of.is_served : interrupt_any_in_service_here();
}

/* For signals that come while a handler waits for the executor: its own stack is in use. */
static char spare_signal_stack[65536];

static void access_by_executor(void (*routine)(void *argument), void *argument, greg_t rip)
{
    const stack_t spare = {.ss_sp = spare_signal_stack, .ss_size = sizeof spare_signal_stack};
    stack_t former;
    bool lent = sigaltstack(&spare, &former) == 0; /* not where the handler's is not disarmed */

    accessor = (const void *)(uintptr_t)rip;
    access_of.is_served = interrupt_any_in_service_here();
    access_of.irql = irql_current();
    access_of.by_executor = true;
    executor_call(routine, argument);
    access_of.by_executor = false;
    if (lent) {
        sigaltstack(&former, NULL);
    }
}

uint64_t mmio_access_count(void)
{
    return register_accesses;
}

uint64_t mmio_access_count_of_task(void)
{
    return in_task() ? (uintptr_t)machine_here.self->slots[TASK_SLOT_REGISTERS] : 0;
}

uint64_t mmio_write_count_of_task(void)
{
    return in_task() ? (uintptr_t)machine_here.self->slots[TASK_SLOT_WRITES] : 0;
}

static void count_in(enum task_slot place)
{
    void **slot = &machine_here.self->slots[place];

    *slot = (void *)((uintptr_t)*slot + 1);
}

static void count_one(bool only_writes)
{
    register_accesses++;
    if (in_task()) {
        count_in(TASK_SLOT_REGISTERS);
        if (only_writes) {
            count_in(TASK_SLOT_WRITES);
            polls_wrote();
        }
    }
}

static void count_access(bool only_writes)
{
    count_one(only_writes);
    interrupt_vary_shared(REGISTERS_A_SHARED_INTERRUPT);
}

/* How long an access waits until the device gets it; the device goes on meanwhile. */
static uint64_t slow_ns(void)
{
    bool high = vary_on(VARY_SLOW_BUS) && irql_current() > MACHINE_IRQL_DISPATCH;

    return vary_happens(VARY_SLOW_BUS, high ? ACCESSES_A_SLOW_ONE_HIGH : ACCESSES_A_SLOW_ONE)
               ? 1 + vary_below(VARY_SLOW_BUS, SLOW_NS_MAX)
               : 0;
}

/* A write is posted, unless those before it are waiting, too. True: time passed, and others may
 * have run. */
static bool write_waits(void)
{
    uint64_t ns = slow_ns();

    if (ns > 0) {
        machine_spend(ns);
    }
    return ns > 0;
}

/* How long it is from the access to the driver's next instruction: most often no time. Of short
 * and long work of a device each may end in it. */
static uint64_t prompt_ns(unsigned one_in, unsigned shortest)
{
    bool high = vary_on(VARY_PROMPT_DEVICE) && irql_current() > MACHINE_IRQL_DISPATCH;
    unsigned lengths = high ? PROMPT_LENGTHS_HIGH : PROMPT_LENGTHS;

    return vary_happens(VARY_PROMPT_DEVICE, one_in)
               ? UINT64_C(1) << (shortest + vary_below(VARY_PROMPT_DEVICE, lengths - shortest))
               : 0;
}

/* After a write. What a driver notes for the first command of a part of its device was never there
 * before, and it has that one chance to come too late. */
static uint64_t write_prompt_ns(unsigned bar, uint64_t offset)
{
    uint8_t *count = &written[(offset / sizeof(uint32_t) + bar * 97u) % REGISTERS_FOLLOWED];

    if (*count < FIRST_WRITES) {
        ++*count;
        return prompt_ns(2, PROMPT_LENGTH_FIRST);
    }
    return prompt_ns(WRITES_A_PROMPT_ONE, 0);
}

/* After a read. May switch. */
static void read_is_over(void)
{
    uint64_t ns = prompt_ns(READS_A_PROMPT_ONE, 0);

    if (ns > 0) {
        machine_spend(ns);
    } else {
        machine_yield();
    }
}

bool mmio_read(const void *address, unsigned size, uint64_t *value)
{
    uintptr_t at = (uintptr_t)address;
    struct view *view;
    uint64_t offset;

    if (!size_accept(size)) {
        return false;
    }
    view = register_view(at, size, &offset);
    if (!view) {
        if (!is_memory(at, size)) {
            return false;
        }
        *value = 0;
        memcpy(value, address, size);
        machine_yield();
        return true;
    }
    machine_spend(READ_NS + slow_ns() + polls_ns());
    /* Time has passed, others may have run: the mapping may be gone. */
    view = register_view(at, size, &offset);
    if (!view) {
        return false;
    }
    count_access(false);
    unsigned bar = view->bar;
    *value = pci_register_read(view->slot, bar, offset, size);
    polls_read(bar, offset, *value);
    read_is_over();
    return true;
}

bool mmio_write(void *address, unsigned size, uint64_t value)
{
    uintptr_t at = (uintptr_t)address;
    struct view *view;
    uint64_t offset;

    if (!size_accept(size)) {
        return false;
    }
    view = register_view(at, size, &offset);
    if (view) {
        if (write_waits() && !(view = register_view(at, size, &offset))) {
            return false;
        }
        unsigned bar = view->bar;
        count_access(true);
        pci_register_write(view->slot, bar, offset, size, value);
        machine_spend(WRITE_NS + write_prompt_ns(bar, offset));
        return true;
    }
    if (!is_memory(at, size)) {
        return false;
    }
    memcpy(address, &value, size);
    machine_yield();
    return true;
}

/* ---- Clients ----------------------------------------------------------------------------- */

void *io_client_open(size_t size)
{
    size_t pages = align_up(size, MACHINE_PAGE_SIZE) >> MACHINE_PAGE_SHIFT;
    uint8_t *dummy = size ? calloc(pages, MACHINE_PAGE_SIZE) : NULL;
    struct view *view = dummy ? window_add(&views, pages, MACHINE_PAGE_SIZE) : NULL;

    if (!view) {
        free(dummy);
        return NULL;
    }
    view->kind = VIEW_CLIENT;
    view->user = view->base;
    view->user_size = size;
    view->dummy = dummy;
    return (void *)view->base;
}

static struct view *client_view(void *client)
{
    struct view *view = window_find(&views, client);

    CHECK_THAT(view && view->kind == VIEW_CLIENT && view->user == (uintptr_t)client);
    return view;
}

void io_client_close(void *client)
{
    window_remove(&views, client_view(client));
}

void io_client_lead(void *client, void *address)
{
    client_view(client)->leads = address;
}

size_t io_reaches(const void *address, size_t size)
{
    uintptr_t at = (uintptr_t)address;
    const struct view *view = window_find(&views, address);
    uint64_t physical;
    size_t bytes = 0;

    if (view && view->kind != VIEW_CLIENT && at >= view->user &&
        at - view->user < view->user_size) {
        bytes = view->user_size - (at - view->user);
        return bytes < size ? bytes : size;
    }
    while (bytes < size && ram_physical_of((const void *)(at + bytes), &physical)) {
        bytes += MACHINE_PAGE_SIZE - (at + bytes) % MACHINE_PAGE_SIZE;
    }
    return bytes < size ? bytes : size;
}

/* ---- Ports ------------------------------------------------------------------------------- */

bool port_exists(uint64_t port, unsigned size)
{
    struct bar_hit hit;

    return pci_find_port(port, size, &hit);
}

bool port_read(uint64_t port, unsigned size, uint64_t *value)
{
    struct bar_hit hit;

    machine_spend(READ_NS + slow_ns() + polls_ns());
    /* Looked up when the time has passed: the device may be gone by then. */
    if (!pci_find_port(port, size, &hit)) {
        *value = UINT64_MAX;
        return false;
    }
    count_access(false);
    *value = pci_register_read(hit.slot, hit.bar, hit.offset, size);
    polls_read(hit.bar, hit.offset, *value);
    read_is_over();
    return true;
}

bool port_write(uint64_t port, unsigned size, uint64_t value)
{
    struct bar_hit hit;

    (void)write_waits();
    bool found = pci_find_port(port, size, &hit);
    if (found) {
        count_access(true);
        pci_register_write(hit.slot, hit.bar, hit.offset, size, value);
    }
    machine_spend(WRITE_NS + prompt_ns(WRITES_A_PROMPT_ONE, 0));
    return found;
}

/* ---- Direct access ----------------------------------------------------------------------- */

/* ucontext's place for each register in the order of instructions. */
static const int gpr_places[16] = {
    REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

static uint64_t mask_of(unsigned size)
{
    return size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
}

static void perform(const struct instruction *instruction, struct view *view, uint64_t offset,
                    uint64_t *gpr, uint64_t *flags)
{
    unsigned size = instruction->size;
    uint64_t memory = 0;

    if (instruction->kind != INSTRUCTION_STORE) {
        memory = pci_register_read(view->slot, view->bar, offset, size);
    }
    if (instruction_perform(instruction, gpr, flags, &memory)) {
        pci_register_write(view->slot, view->bar, offset, size, memory);
    }
}

struct emulation {
    struct instruction instruction;
    struct view *view; /* of registers; NULL: `bytes` */
    uint8_t *bytes;
    uint64_t offset, flags;
    uint64_t gpr[16];
};

static void emulate(void *argument)
{
    struct emulation *emulation = argument;
    uint64_t value = 0;

    if (emulation->view) {
        perform(&emulation->instruction, emulation->view, emulation->offset, emulation->gpr,
                &emulation->flags);
        return;
    }
    memcpy(&value, emulation->bytes, emulation->instruction.size);
    if (instruction_perform(&emulation->instruction, emulation->gpr, &emulation->flags, &value)) {
        memcpy(emulation->bytes, &value, emulation->instruction.size);
    }
}

/* Where a client's access leads. False: it leaves the range. */
static bool follow(struct emulation *emulation, const struct view *client)
{
    uintptr_t address = (uintptr_t)emulation->instruction.address;
    unsigned size = emulation->instruction.size;
    uintptr_t offset = address - client->user, to = (uintptr_t)client->leads + offset;

    if (address < client->user ||
        !range_fits(offset, size, (uint64_t)client->page_count << MACHINE_PAGE_SHIFT)) {
        return false;
    }
    emulation->view = client->leads ? register_view(to, size, &emulation->offset) : NULL;
    if (!emulation->view) {
        bool memory = client->leads && is_memory(to, size);
        emulation->bytes = memory ? (uint8_t *)to : client->dummy + offset;
    }
    return true;
}

bool mmio_emulate_fault(void *context, const void *fault_address)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    uint64_t rip = (uint64_t)registers[REG_RIP];
    struct emulation emulation = {.view = window_find(&views, fault_address),
                                  .flags = (uint64_t)registers[REG_EFL]};

    if (!emulation.view || emulation.view->kind == VIEW_MEMORY) {
        return false;
    }
    for (int i = 0; i < 16; i++) {
        emulation.gpr[i] = (uint64_t)registers[gpr_places[i]];
    }
    /* The instruction has been fetched, so its bytes can be read; no more than it has are. */
    if (!instruction_decode((const uint8_t *)(uintptr_t)rip, rip, emulation.gpr,
                            &emulation.instruction) ||
        emulation.instruction.of_cpu) {
        return false;
    }
    if (emulation.view->kind == VIEW_CLIENT) {
        if (!follow(&emulation, emulation.view)) {
            return false;
        }
    } else if (!(emulation.view = register_view((uintptr_t)emulation.instruction.address,
                                                emulation.instruction.size, &emulation.offset))) {
        return false;
    }
    /* A signal's stack is small, and no other task may run while it is in use: the executor fires
     * what is due and talks to the device. */
    clock_move(READ_NS + slow_ns());
    count_one(emulation.instruction.kind == INSTRUCTION_STORE);
    access_by_executor(emulate, &emulation, (greg_t)rip);
    /* What the device does then is seen when the driver comes to a call of the kernel. */
    if (emulation.view) {
        clock_move(write_prompt_ns(emulation.view->bar, emulation.offset));
    }
    for (int i = 0; i < 16; i++) {
        registers[gpr_places[i]] = (greg_t)emulation.gpr[i];
    }
    registers[REG_EFL] = (greg_t)emulation.flags;
    registers[REG_RIP] = (greg_t)(rip + emulation.instruction.length);
    return true;
}

/* ---- in and out -------------------------------------------------------------------------- */

#define TRAP_PROTECTION 13 /* what an in or out of a process ends in */

struct port_access {
    struct port_instruction instruction;
    uint64_t rax, port;
};

static void perform_port(void *argument)
{
    struct port_access *access = argument;
    unsigned size = access->instruction.size;
    uint64_t mask = mask_of(size), value = UINT64_MAX;
    struct bar_hit hit;
    bool found = pci_find_port(access->port, size, &hit);

    if (access->instruction.out && found) {
        pci_register_write(hit.slot, hit.bar, hit.offset, size, access->rax & mask);
    } else if (!access->instruction.out) {
        if (found) {
            value = pci_register_read(hit.slot, hit.bar, hit.offset, size);
        }
        /* As with every register: 32 bits clear the upper half, fewer leave the rest alone. */
        access->rax = size == 4 ? value & mask : (access->rax & ~mask) | (value & mask);
    }
}

bool port_emulate_fault(void *context)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    struct port_access access = {.rax = (uint64_t)registers[REG_RAX]};

    if (registers[REG_TRAPNO] != TRAP_PROTECTION ||
        !port_instruction_decode((const uint8_t *)(uintptr_t)registers[REG_RIP],
                                 &access.instruction)) {
        return false;
    }
    access.port = access.instruction.immediate ? access.instruction.port
                                               : (uint64_t)registers[REG_RDX] & 0xFFFF;
    clock_move((access.instruction.out ? WRITE_NS : READ_NS) + slow_ns());
    count_access(access.instruction.out);
    access_by_executor(perform_port, &access, registers[REG_RIP]);
    registers[REG_RAX] = (greg_t)access.rax;
    registers[REG_RIP] += access.instruction.length;
    return true;
}

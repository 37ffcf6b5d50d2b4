/* Interrupt lines and messages: from the device's wire to the service routine.
 *
 * A level line is pending while it is asserted and not in service; an edge is pending once, and one
 * that comes during its own service is kept until that ends. The CPU is chosen when a line becomes
 * pending. Service routines of one interrupt never run on two CPUs at a time: they hold its lock,
 * which interrupt_synchronize() takes, too. */
#include "machine/internal.h"

#include <stdlib.h>
#include <string.h>

#define INTERRUPTS_MAX     64
#define UNCLAIMED_MASK     10000u /* deliveries in a row that nobody claims, then the line is cut */
#define LAST_ENTRIES_MAX   64     /* of time for an interrupt before the routine is disconnected */
#define INTERRUPT_ENTRY_NS 500u
#define LATE_NS_MAX        (200 * NS_PER_US)
#define LOST_NS_MAX        (NS_PER_MS)
#define LOST_ONE_IN        16

struct interrupt {
    struct interrupt_options options;
    unsigned line_count;
    struct spin_lock own_lock, *lock;
    unsigned serving;
};

struct line {
    bool allocated, level;
    bool asserted; /* level: the wire; edge: came while in service */
    bool in_service, masked;
    struct cpu *pending_on;
    uint8_t irql; /* of its interrupts; 0: nobody is connected */
    uint64_t unclaimed;
    uint64_t claimed_up;       /* level: deliveries in a row that were claimed, and left it up */
    bool of_another;           /* level: a device that is not there asks, too */
    bool up_meanwhile;         /* level: the wire was up while such a delivery was served */
    struct machine_timer late; /* what was asked for comes when it fires */
    bool lost;                 /* likewise, or when somebody found it */
};

static struct line lines[LINE_COUNT_MAX];
static struct interrupt *interrupts[INTERRUPTS_MAX];
static uint64_t unclaimed_total, served_total;
static void (*deadlock_hook)(void *context);
static void *deadlock_context;

void interrupt_set_deadlock_hook(void (*hook)(void *context), void *context)
{
    deadlock_hook = hook;
    deadlock_context = context;
}

void interrupts_reset(void)
{
    deadlock_hook = NULL;
    for (size_t i = 0; i < INTERRUPTS_MAX; i++) {
        free(interrupts[i]);
        interrupts[i] = NULL;
    }
    memset(lines, 0, sizeof(lines)); /* after the timers */
    unclaimed_total = served_total = 0;
}

/* ---- Lines ------------------------------------------------------------------------------- */

static void cpu_update_pending(struct cpu *cpu)
{
    uint8_t highest = 0;

    for (unsigned word = 0; word < LINE_WORDS; word++) {
        for (uint64_t left = cpu->pending[word]; left; left &= left - 1) {
            const struct line *line = &lines[64 * word + (unsigned)__builtin_ctzll(left)];
            highest = line->irql > highest ? line->irql : highest;
        }
    }
    cpu->pending_irql = highest;
}

static void pend(unsigned index)
{
    struct line *line = &lines[index];

    if (line->pending_on || line->in_service || line->masked || line->irql == 0) {
        return;
    }
    line->pending_on = cpu_for_hardware();
    line->pending_on->pending[index / 64] |= UINT64_C(1) << index % 64;
    cpu_update_pending(line->pending_on);
}

static void unpend(unsigned index)
{
    struct cpu *cpu = lines[index].pending_on;

    if (cpu) {
        cpu->pending[index / 64] &= ~(UINT64_C(1) << index % 64);
        lines[index].pending_on = NULL;
        cpu_update_pending(cpu);
    }
}

static void edge_came(unsigned index)
{
    lines[index].asserted = lines[index].in_service;
    pend(index);
}

static bool comes_late(unsigned index);

void line_set(unsigned index, bool asserted)
{
    struct line *line = &lines[index];

    if (index >= LINE_COUNT_MAX) {
        return;
    }
    if (!line->level) {
        if (asserted && line->irql == 0) {
            record_count("machine.interrupts_unconnected", 1);
        } else if (asserted && !comes_late(index)) {
            edge_came(index);
        }
        return;
    }
    line->asserted = asserted;
    line->up_meanwhile |= asserted;
    if (asserted) {
        if (!comes_late(index)) {
            pend(index);
        }
    } else {
        if (!line->of_another) {
            unpend(index);
        }
        line->unclaimed = line->claimed_up = 0;
    }
}

unsigned lines_alloc(unsigned count, bool level)
{
    for (unsigned first = 0; first + count <= LINE_COUNT_MAX; first += count) {
        unsigned used = 0;
        for (unsigned i = 0; i < count; i++) {
            used += lines[first + i].allocated;
        }
        if (used == 0) {
            for (unsigned i = 0; i < count; i++) {
                lines[first + i] = (struct line){.allocated = true, .level = level};
            }
            return first;
        }
    }
    return LINE_NONE;
}

void lines_free(unsigned first, unsigned count)
{
    for (unsigned i = first; i < first + count && i < LINE_COUNT_MAX; i++) {
        unpend(i);
        machine_timer_cancel(&lines[i].late);
        lines[i].allocated = lines[i].asserted = false;
    }
}

/* ---- Variations -------------------------------------------------------------------------- */

static void late_line_came(struct machine_timer *timer)
{
    unsigned index = (unsigned)(container_of(timer, struct line, late) - lines);

    lines[index].lost = false;
    if (!lines[index].level) {
        edge_came(index);
    } else if (lines[index].asserted) {
        pend(index);
    }
}

static bool serves(const struct interrupt *interrupt, unsigned line)
{
    return line >= interrupt->options.line &&
           line < interrupt->options.line + interrupt->line_count;
}

/* Who is told; nobody: it is not lost. */
static struct interrupt *who_may_miss(unsigned index)
{
    for (size_t i = 0; i < INTERRUPTS_MAX; i++) {
        if (interrupts[i] && serves(interrupts[i], index) && interrupts[i]->options.lost) {
            return interrupts[i];
        }
    }
    return NULL;
}

/* True: it will come later. */
static bool comes_late(unsigned index)
{
    struct line *line = &lines[index];
    struct interrupt *missing = NULL;
    uint64_t delay_ns = LOST_NS_MAX;

    if (line->late.armed) {
        return true;
    }
    if (line->irql == 0 || line->pending_on) {
        return false;
    }
    missing = who_may_miss(index);
    if (missing && vary_happens(VARY_LOST_INTERRUPTS, LOST_ONE_IN)) {
        line->lost = true;
    } else if (vary_happens(VARY_LATE_INTERRUPTS, 3)) {
        delay_ns = 1 + vary_below(VARY_LATE_INTERRUPTS, LATE_NS_MAX);
    } else {
        return false;
    }
    machine_timer_init(&line->late, late_line_came, NULL);
    machine_timer_set(&line->late, machine_now_ns() + delay_ns);
    if (line->lost) {
        missing->options.lost(missing->options.context);
    }
    return true;
}

static bool any_is(const struct interrupt *interrupt, bool lost)
{
    for (unsigned i = 0; interrupt && i < interrupt->line_count; i++) {
        const struct line *line = &lines[interrupt->options.line + i];
        if (line->late.armed && (line->lost || !lost)) {
            return true;
        }
    }
    return false;
}

bool interrupt_is_late(const struct interrupt *interrupt)
{
    return any_is(interrupt, false);
}

bool interrupt_is_lost(const struct interrupt *interrupt)
{
    return any_is(interrupt, true);
}

void interrupt_find(struct interrupt *interrupt)
{
    for (unsigned i = 0; interrupt && i < interrupt->line_count; i++) {
        struct line *line = &lines[interrupt->options.line + i];
        if (line->lost && machine_timer_cancel(&line->late)) {
            late_line_came(&line->late);
        }
    }
}

static void vary_of_another(enum variation variation, unsigned one_in)
{
    for (size_t i = 0; i < INTERRUPTS_MAX; i++) {
        if (interrupts[i] && lines[interrupts[i]->options.line].level &&
            vary_happens(variation, one_in)) {
            lines[interrupts[i]->options.line].of_another = true;
            pend(interrupts[i]->options.line);
        }
    }
}

void interrupt_vary_shared(unsigned one_in)
{
    if (vary_on(VARY_SHARED_LINE)) {
        vary_of_another(VARY_SHARED_LINE, one_in);
    }
}

void interrupt_vary_removed(void)
{
    vary_of_another(vary_on(VARY_SHARED_LINE) ? VARY_SHARED_LINE : VARY_PULLED_OUT, 1);
}

/* Messages are a device's own. */
void interrupt_within(void)
{
    for (size_t i = 0; i < INTERRUPTS_MAX; i++) {
        if (interrupts[i] && lines[interrupts[i]->options.line].level) {
            lines[interrupts[i]->options.line].of_another = true;
            pend(interrupts[i]->options.line);
        }
    }
}

bool interrupt_is_up(const struct interrupt *interrupt)
{
    for (unsigned i = 0; i < interrupt->line_count; i++) {
        const struct line *line = &lines[interrupt->options.line + i];
        if (line->level && line->asserted) {
            return true;
        }
    }
    return false;
}

bool interrupt_is_anothers(const struct interrupt *interrupt)
{
    if (!lines[interrupt->options.line].of_another) {
        return false;
    }
    for (unsigned i = 0; i < interrupt->line_count; i++) {
        const struct line *line = &lines[interrupt->options.line + i];
        if (line->asserted || line->up_meanwhile) {
            return false;
        }
    }
    return true;
}

/* ---- Connecting -------------------------------------------------------------------------- */

/* The level of a line is that of its most urgent interrupt. */
static void line_update_irql(unsigned index)
{
    struct line *line = &lines[index];

    line->irql = 0;
    for (size_t i = 0; i < INTERRUPTS_MAX; i++) {
        if (interrupts[i] && serves(interrupts[i], index) &&
            interrupts[i]->options.irql > line->irql) {
            line->irql = interrupts[i]->options.irql;
        }
    }
    if (line->irql == 0) {
        unpend(index);
    } else if (line->level && line->asserted) {
        pend(index);
    }
    if (line->pending_on) {
        cpu_update_pending(line->pending_on);
    }
}

static bool options_accept(const struct interrupt_options *options, unsigned count)
{
    if (!options->routine || options->irql <= MACHINE_IRQL_DISPATCH ||
        options->irql > MACHINE_IRQL_HIGH || options->line >= LINE_COUNT_MAX ||
        count > LINE_COUNT_MAX - options->line) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        if (!lines[options->line + i].allocated) {
            return false;
        }
    }
    return true;
}

NTSTATUS interrupt_connect(const struct interrupt_options *options, struct interrupt **out)
{
    unsigned lines_only = options->line_count ? options->line_count : 1;
    unsigned count = options->message_count ? options->message_count : lines_only;
    struct interrupt *interrupt;
    size_t place = 0;

    if (!options_accept(options, count)) {
        return STATUS_INVALID_PARAMETER;
    }
    while (place < INTERRUPTS_MAX && interrupts[place]) {
        place++;
    }
    interrupt = place < INTERRUPTS_MAX ? calloc(1, sizeof(*interrupt)) : NULL;
    if (!interrupt) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    interrupt->options = *options;
    interrupt->line_count = count;
    interrupt->lock = options->lock ? options->lock : &interrupt->own_lock;
    interrupts[place] = interrupt;
    for (unsigned i = 0; i < count; i++) {
        lines[options->line + i].masked = false;
        lines[options->line + i].unclaimed = lines[options->line + i].claimed_up = 0;
        line_update_irql(options->line + i);
    }
    *out = interrupt;
    interrupt_vary_shared(1);
    return STATUS_SUCCESS;
}

static void let_it_be_served(void)
{
    clock_move(INTERRUPT_ENTRY_NS);
    machine.progress++;
    executor_let_others();
}

/* Until the last moment others on the line interrupt. */
static void share_a_last_time(const struct interrupt *interrupt)
{
    const struct line *line = &lines[interrupt->options.line];

    interrupt_vary_shared(1);
    for (unsigned i = 0; i < LAST_ENTRIES_MAX && line->of_another && line->pending_on; i++) {
        let_it_be_served();
    }
}

void interrupt_disconnect(struct interrupt *interrupt)
{
    if (!interrupt) {
        return;
    }
    if (in_task() && vary_on(VARY_SHARED_LINE)) {
        share_a_last_time(interrupt);
    }
    /* A routine that runs on another CPU is waited for; after a halt it never ends. */
    while (interrupt->serving && in_task()) {
        let_it_be_served();
    }
    for (size_t i = 0; i < INTERRUPTS_MAX; i++) {
        if (interrupts[i] == interrupt) {
            interrupts[i] = NULL;
        }
    }
    for (unsigned i = 0; i < interrupt->line_count; i++) {
        line_update_irql(interrupt->options.line + i);
    }
    free(interrupt);
}

bool interrupt_in_service_here(const struct interrupt *interrupt)
{
    return interrupt->lock->owner_cpu_plus_one == (uintptr_t)cpu_current() + 1;
}

uint8_t interrupt_irql(const struct interrupt *interrupt)
{
    return interrupt->options.irql;
}

bool interrupt_any_in_service_here(void)
{
    for (unsigned i = 0; i < INTERRUPTS_MAX; i++) {
        if (interrupts[i] && interrupts[i]->serving && interrupt_in_service_here(interrupts[i])) {
            return true;
        }
    }
    return false;
}

uint64_t interrupt_served_count(void)
{
    return served_total;
}

uint64_t interrupt_unclaimed_count(void)
{
    return unclaimed_total;
}

/* ---- Serving ----------------------------------------------------------------------------- */

bool interrupt_synchronize(struct interrupt *interrupt, bool (*routine)(void *context),
                           void *context)
{
    uint8_t old = irql_current();
    bool result;

    if (old < interrupt->options.irql) {
        irql_raise(interrupt->options.irql);
    }
    /* From inside its own routine the exclusion is there already. */
    if (spin_lock_acquire(interrupt->lock) == SPIN_ACQUIRED) {
        result = routine(context);
        interrupt->lock->owner_cpu_plus_one = 0;
    } else {
        result = routine(context);
    }
    irql_lower(old);
    return result;
}

enum spin_status interrupt_lock(struct interrupt *interrupt, uint8_t *old_irql)
{
    uint8_t old = irql_current();

    if (old < interrupt->options.irql) {
        irql_raise(interrupt->options.irql);
    }
    if (spin_lock_acquire(interrupt->lock) == SPIN_SELF_DEADLOCK) {
        irql_lower(old);
        return SPIN_SELF_DEADLOCK;
    }
    *old_irql = old;
    return SPIN_ACQUIRED;
}

bool interrupt_unlock(struct interrupt *interrupt, uint8_t old_irql)
{
    if (!spin_lock_release(interrupt->lock)) {
        return false;
    }
    irql_lower(old_irql);
    return true;
}

static bool serve_one(struct interrupt *interrupt, unsigned message)
{
    bool claimed, locked;

    interrupt->serving++;
    locked = spin_lock_acquire(interrupt->lock) == SPIN_ACQUIRED;
    if (!locked && deadlock_hook) {
        deadlock_hook(deadlock_context);
    }
    claimed = interrupt->options.routine(interrupt->options.context, message);
    /* Not checked for its owner: a routine that lowered its IRQL may have changed the CPU. */
    if (locked) {
        interrupt->lock->owner_cpu_plus_one = 0;
    }
    interrupt->serving--;
    return claimed;
}

static unsigned message_of(const struct interrupt *interrupt, unsigned index)
{
    return interrupt->options.message_count ? index - interrupt->options.line : 0;
}

/* A shared line asks its routines in order of connection until one says it was its own. */
static bool serve_line(unsigned index)
{
    for (size_t i = 0; i < INTERRUPTS_MAX; i++) {
        struct interrupt *interrupt = interrupts[i];
        if (interrupt && serves(interrupt, index) &&
            serve_one(interrupt, message_of(interrupt, index))) {
            return true;
        }
    }
    return false;
}

static void mask(unsigned index, const char *why)
{
    lines[index].masked = true;
    record_event(EVENT_MARK, 0, record_text(why), index);
}

static void count_claims(unsigned index, bool claimed)
{
    struct line *line = &lines[index];

    if (claimed) {
        served_total++;
        line->unclaimed = 0;
        if (line->level && line->asserted && ++line->claimed_up >= UNCLAIMED_MASK) {
            mask(index, "an interrupt line stays asserted whoever claims it: masked");
        }
        return;
    }
    unclaimed_total++;
    record_count("machine.interrupts_unclaimed", 1);
    if (line->level && line->asserted && ++line->unclaimed >= UNCLAIMED_MASK) {
        mask(index, "an interrupt line stays asserted and nobody claims it: masked");
    }
}

bool interrupt_is_masked(const struct interrupt *interrupt)
{
    for (unsigned i = 0; i < interrupt->line_count; i++) {
        if (lines[interrupt->options.line + i].masked) {
            return true;
        }
    }
    return false;
}

uint64_t interrupt_claimed_up(const struct interrupt *interrupt)
{
    uint64_t most = 0;

    for (unsigned i = 0; i < interrupt->line_count; i++) {
        const struct line *line = &lines[interrupt->options.line + i];
        most = line->claimed_up > most ? line->claimed_up : most;
    }
    return most;
}

static unsigned most_urgent(const struct cpu *cpu)
{
    for (unsigned word = 0; word < LINE_WORDS; word++) {
        for (uint64_t left = cpu->pending[word]; left; left &= left - 1) {
            unsigned index = 64 * word + (unsigned)__builtin_ctzll(left);
            if (lines[index].irql == cpu->pending_irql) {
                return index;
            }
        }
    }
    return LINE_NONE;
}

/* The other lines of who is served may be up, and be dismissed by the same routine, which may be in
 * service for one of them. */
static void watch_lines(unsigned index)
{
    bool was_up = lines[index].up_meanwhile;

    lines[index].up_meanwhile = lines[index].asserted;
    for (size_t i = 0; i < INTERRUPTS_MAX; i++) {
        const struct interrupt *interrupt = interrupts[i];
        unsigned count = interrupt && serves(interrupt, index) && !interrupt->options.message_count
                             ? interrupt->line_count
                             : 0;
        bool serving = interrupt && interrupt->serving;
        for (unsigned n = 0; count > 1 && n < count; n++) {
            struct line *line = &lines[interrupt->options.line + n];
            bool up = line == &lines[index] ? was_up : line->up_meanwhile;
            line->up_meanwhile = (serving && up) || line->asserted;
        }
    }
}

void interrupt_deliver(struct cpu *cpu)
{
    unsigned index = most_urgent(cpu);
    uint8_t old = cpu->irql;
    /* What is interrupted may spin; the routine does not. */
    const struct spin_lock *spinning_on = cpu->spinning_on;
    struct line *line;
    bool claimed;

    CHECK_THAT(index < LINE_COUNT_MAX);
    line = &lines[index];
    unpend(index);
    line->in_service = true;
    watch_lines(index);
    line->asserted = line->level && line->asserted;
    cpu->spinning_on = NULL;
    cpu_set_irql(cpu, line->irql);
    record_event(EVENT_INTERRUPT, 0, index, 0);
    clock_move(INTERRUPT_ENTRY_NS);
    claimed = serve_line(index);
    record_event(EVENT_INTERRUPT_END, 0, index, claimed);
    cpu_set_irql(cpu, old);
    cpu->spinning_on = spinning_on;
    line->in_service = false;
    if (!line->of_another || claimed || line->up_meanwhile) {
        count_claims(index, claimed);
    }
    line->of_another = false;
    if (line->asserted) {
        pend(index);
        line->asserted = line->level;
    }
}

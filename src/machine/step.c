/* Single-stepping of one call: the trap flag, what is counted, and the interrupt between. */
#include "machine/step.h"

#include <string.h>

#include "machine/internal.h"

/* A call into the host that neither pauses nor ends is given up, and a call of the driver whose
 * instructions repeat themselves for long, as those do that fill memory: each time is a trap, and a
 * picture that is filled row by row would take seconds. */
#define HOST_TRAPS_MAX (UINT64_C(1) << 12)
#define REPEATS_MAX    (UINT64_C(1) << 12)
#define STAND_NS_MIN   NS_PER_US        /* a look at who can run */
#define STAND_LOOK_NS  (50 * NS_PER_US) /* so often over() is asked */

#if defined(__SANITIZE_THREAD__)
#define CAN_STEP false /* signals of the processor come late there */
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CAN_STEP false
#endif
#endif
#ifndef CAN_STEP
#define CAN_STEP true
#endif

bool step_is_on, step_is_wanted;

static struct {
    struct step_request request;
    const struct task *owner; /* whose call is stepped; NULL: none */
    uintptr_t entry;          /* the stack pointer at the driver's first instruction; 0: not yet */
    const void *last;         /* the last trap's place in the driver */
    const void *place;
    uint64_t executed, host_traps, repeats, waited_ns;
    unsigned shared;
    uint64_t shared_at[STEP_SHARED_MAX];
    bool shared_found;              /* the next instruction is such an access */
    const void *unguarded, *others; /* struct step_result */
    const void *changed, *changed_others;
    bool handed;                       /* a store that read nothing there before ... */
    uint64_t registers_before, number; /* ... behind so many accesses to registers; of the call */
    bool stood, lost, interrupted;
    bool kept_out; /* of a call with a client: who has locked something may keep out the others */
    struct step_access access;
} step;

/* ---- Shared memory ------------------------------------------------------------------------- */

#define WORDS_MAX  1024u /* a power of two, of which half are used */
#define WORD_SHIFT 3

static struct word {
    uintptr_t number; /* address >> WORD_SHIFT; 0: free */
    bool written;
    uint64_t read_by;  /* the number of the call that read it last */
    uint8_t plainly;   /* bytes that were written above DISPATCH_LEVEL by no interlocked access */
    const void *place; /* the latest of those */
} words[WORDS_MAX];
static unsigned word_count;

/* What calls for clients wrote, whoever comes next. */
#define OF_CLIENTS_MAX 8192u /* a power of two, of which half are used */

static struct word_of_clients {
    uintptr_t number; /* as above */
    uint64_t writer;  /* the client of the latest call that wrote it */
    bool of_many;
    uint64_t call;         /* the number of the one that touched it last: these are its bytes */
    uint8_t read, written; /* read, and not written since; written */
    uint8_t seen, blind;   /* read at any time; written before that */
} of_clients[OF_CLIENTS_MAX];
static unsigned of_clients_count;

/* ---- Beginning and end --------------------------------------------------------------------- */

/* Below what the compiler may keep under the stack pointer. */
#define CHANGE_FLAGS(change)                      \
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\t" \
                     "pushfq\n\t" change "\n\t"   \
                     "popfq\n\t"                  \
                     "lea 128(%%rsp), %%rsp"      \
                     :                            \
                     :                            \
                     : "cc", "memory")

void steps_reset(void)
{
    memset(&step, 0, sizeof step);
    memset(words, 0, sizeof words);
    memset(of_clients, 0, sizeof of_clients);
    word_count = of_clients_count = 0;
    step_is_on = step_is_wanted = false;
}

bool step_begin(const struct step_request *request)
{
    bool is_free = !step.owner || (step.request.yields && !step_is_on);

    if (!CAN_STEP || !is_free || !in_task()) {
        return false;
    }
    step.request = *request;
    step.owner = task_self();
    step.last = step.place = NULL;
    step.entry = request->goes_on ? UINTPTR_MAX : 0; /* all that is above it may run, too */
    step.shared = 0;
    step.shared_found = false;
    step.unguarded = step.others = step.changed = step.changed_others = NULL;
    step.handed = step.kept_out = false;
    step.number++;
    step.executed = step.host_traps = step.repeats = 0;
    step.stood = step.lost = false;
    step_is_on = step_is_wanted = !request->goes_on;
    return true;
}

static void end_of(struct step_result *out)
{
    step.owner = NULL;
    bool over = step.handed && mmio_access_count_of_task() > step.registers_before;
    *out = (struct step_result){.executed = step.executed,
                                .shared = step.shared,
                                .unguarded = step.unguarded,
                                .others = step.others,
                                .changed = over ? step.changed : step.unguarded,
                                .changed_others = over ? step.changed_others : step.others,
                                .whole = !step.stood && !step.lost,
                                .stood = step.stood};
    memcpy(out->shared_at, step.shared_at, sizeof out->shared_at);
}

bool step_end(struct step_result *out)
{
    if (!step.owner || step.owner != task_self()) {
        return false;
    }
    step_pause();
    end_of(out);
    return true;
}

bool step_take_back(struct step_result *out)
{
    if (!step.owner || !step.request.yields || step_is_on) {
        return false;
    }
    end_of(out);
    return true;
}

void step_off(void)
{
    step.lost |= step.owner != machine_here.self;
    CHANGE_FLAGS("andq $-0x101, (%%rsp)");
    step_is_on = step_is_wanted = false;
}

void step_resume(void)
{
    /* Its call may have ended meanwhile, by way of a handler. */
    if (step.owner == task_self() && !step.stood && !step.lost) {
        step.host_traps = 0;
        step_is_on = true;
        CHANGE_FLAGS("orq $0x100, (%%rsp)");
    }
}

/* Nothing stands in the way of others. */
static bool may_stand(void)
{
    return in_task() && !machine.lent && machine_ranks_held == 0;
}

/* ---- What is shared ------------------------------------------------------------------------ */

static unsigned word_place(uintptr_t number)
{
    unsigned place = (unsigned)(number * UINT64_C(0x9E3779B97F4A7C15) >> 54) % WORDS_MAX;

    while (words[place].number != 0 && words[place].number != number) {
        place = (place + 1) % WORDS_MAX;
    }
    return place;
}

/* What is on its own stack is nobody else's, what a sanitizer notes of that is its own, and
 * registers of the device are not memory. */
static bool is_memory(uintptr_t address)
{
    const void *low, *high;

    task_stack_bounds(&low, &high);
    return (address < (uintptr_t)low || address >= (uintptr_t)high) &&
           address - ADDRESS_IO >= ADDRESS_WINDOW && !context_is_sanitizers(address);
}

/* Of the word that the access begins in, and of those behind. */
static uint8_t bytes_within(const struct access *access, unsigned word)
{
    unsigned first = access->address & ((1u << WORD_SHIFT) - 1);
    unsigned end = first + access->size, begin = word << WORD_SHIFT;

    if (end <= begin) {
        return 0;
    }
    unsigned up_to = end - begin < 8 ? end - begin : 8;
    return (uint8_t)((1u << up_to) - (word == 0 ? 1u << first : 1u));
}

/* What reaches beyond the first word is not followed, but among clients. */
static uint8_t bytes_of(const struct access *access)
{
    return bytes_within(access, 0);
}

static void learn(const struct step_trap *trap, const struct access *access)
{
    struct word *word = &words[word_place(access->address >> WORD_SHIFT)];

    if (word->number == 0 && word_count < WORDS_MAX / 2) {
        word->number = access->address >> WORD_SHIFT;
        word_count++;
    }
    if (word->number == 0 || !access->writes) {
        return;
    }
    word->written = true;
    if (!access->atomic && irql_current() > MACHINE_IRQL_DISPATCH) {
        word->plainly |= bytes_of(access);
        word->place = trap->place;
    }
}

/* Both write it, and what one makes of what it has read is lost. Who reads alone may mean it. */
static void look_for_race(const struct step_trap *trap, const struct access *access,
                          struct word *word)
{
    bool stores = access->stores && word->read_by != step.number;

    if (!access->writes) {
        word->read_by = step.number;
    }
    if (!access->writes || access->atomic || !(word->plainly & bytes_of(access))) {
        return;
    }
    if (!step.unguarded) {
        step.unguarded = trap->place;
        step.others = word->place;
    }
    if (stores) {
        step.handed = true;
        step.registers_before = mmio_access_count_of_task();
    } else if (!step.changed) {
        step.changed = trap->place;
        step.changed_others = word->place;
    }
}

static bool is_within(uintptr_t address, uintptr_t window)
{
    return address - window < ADDRESS_WINDOW;
}

/* What a call works with alone: the structures that it was lent, and others' stacks. */
static bool is_lent(uintptr_t address)
{
    return is_within(address, ADDRESS_LENT) || is_within(address, ADDRESS_STACKS);
}

static bool is_mapped(uintptr_t address)
{
    return is_within(address, ADDRESS_RAM) || is_within(address, ADDRESS_VIEWS) ||
           address - ADDRESS_BARS < ADDRESS_BARS_SIZE;
}

static struct word_of_clients *word_of_clients(uintptr_t number, bool makes)
{
    unsigned place = (unsigned)(number * UINT64_C(0x9E3779B97F4A7C15) >> 40) % OF_CLIENTS_MAX;

    while (of_clients[place].number != 0 && of_clients[place].number != number) {
        place = (place + 1) % OF_CLIENTS_MAX;
    }
    if (of_clients[place].number == 0) {
        if (!makes || of_clients_count == OF_CLIENTS_MAX / 2) {
            return NULL;
        }
        of_clients_count++;
        of_clients[place] =
            (struct word_of_clients){.number = number, .writer = step.request.client};
    }
    return &of_clients[place];
}

static void of_this_call(struct word_of_clients *word)
{
    if (word->call != step.number) {
        word->call = step.number;
        word->read = word->written = word->seen = word->blind = 0;
    }
}

/* The bytes that others may not have changed. What it reads and writes in one instruction it has
 * not read before. */
static uint8_t torn_bytes(const struct word_of_clients *word, const struct access *access)
{
    uint8_t bytes = bytes_of(access);

    if (!word->of_many && word->writer == step.request.client) {
        return 0;
    }
    return access->writes ? (access->stores ? word->read & bytes : 0) : word->written & bytes;
}

static void note_access(struct word_of_clients *word, const struct access *access, uint8_t bytes)
{
    of_this_call(word);
    if (!access->writes || !access->stores) {
        word->seen |= bytes;
    }
    if (!access->writes) {
        word->read |= bytes;
        return;
    }
    word->read &= (uint8_t)~bytes;
    word->written |= bytes;
    word->blind |= bytes & (uint8_t)~word->seen;
    word->of_many |= word->writer != step.request.client;
    word->writer = step.request.client;
}

/* It wrote all of it without a look at what was there, as others did before. */
static bool is_blind(uintptr_t number)
{
    const struct word_of_clients *word = word_of_clients(number, false);

    return word && word->call == step.number && word->of_many && word->blind == UINT8_MAX;
}

static unsigned blind_words_around(uintptr_t number)
{
    uintptr_t first = number, end = number;

    if (!is_blind(number)) {
        return 0;
    }
    while (number - first < STEP_BLIND_MAX - 1 && is_blind(first - 1)) {
        first--;
    }
    while (end - first < STEP_BLIND_MAX && is_blind(end)) {
        end++;
    }
    return (unsigned)(end - first);
}

static uint64_t mask_of(uint8_t bytes)
{
    uint64_t mask = 0;

    for (unsigned i = 0; i < 8; i++) {
        mask |= bytes & 1u << i ? UINT64_C(0xFF) << 8 * i : 0;
    }
    return mask;
}

static bool is_shared_by_clients(struct word_of_clients *word, const struct access *access)
{
    of_this_call(word);
    uint8_t torn = torn_bytes(word, access);
    const struct step_access at = {.word = (const void *)(word->number << WORD_SHIFT),
                                   .mask = mask_of(torn),
                                   .writes = access->writes,
                                   .mapped = is_mapped(access->address),
                                   .blind = access->writes ? 0 : blind_words_around(word->number)};

    if (torn == 0 || !step.request.is_about(&at)) {
        return false;
    }
    step.access = at;
    return true;
}

/* An interlocked operation may be a lock of the driver's own: who spins on it waits for ever while
 * its holder stands. At APC_LEVEL a fast mutex is held. */
static void look_at_clients(const struct access *access)
{
    step.kept_out |= access->atomic;
    if (step.kept_out || irql_current() != MACHINE_IRQL_PASSIVE || is_lent(access->address)) {
        return;
    }
    uintptr_t first = access->address >> WORD_SHIFT;
    for (unsigned i = 0; bytes_within(access, i) != 0; i++) {
        struct word_of_clients *word = word_of_clients(first + i, access->writes);
        if (!word) {
            continue;
        }
        if (i == 0 && is_shared_by_clients(word, access)) {
            step.shared++;
            step.shared_found = true;
        }
        note_access(word, access, bytes_within(access, i));
    }
}

bool step_has_written(uint64_t value, bool (*read)(const void *word, uint64_t *out))
{
    uint64_t is;

    for (unsigned i = 0; i < OF_CLIENTS_MAX; i++) {
        const void *word = (const void *)(of_clients[i].number << WORD_SHIFT);
        if (of_clients[i].number != 0 && of_clients[i].call == step.number &&
            of_clients[i].written == UINT8_MAX && word != step.access.word && read(word, &is) &&
            is == value) {
            return true;
        }
    }
    return false;
}

const struct step_access *step_access(void)
{
    return &step.access;
}

/* The next instruction's operand; nobody is kept out of it by the level at which this runs. */
static void look_at_memory(const struct step_trap *trap)
{
    struct access access;

    step.shared_found = false;
    if (!access_decode(trap->place, (uintptr_t)trap->place, trap->gpr, &access) ||
        !is_memory(access.address)) {
        return;
    }
    if (step.request.client != 0) {
        look_at_clients(&access);
        return;
    }
    if (step.request.learns) {
        learn(trap, &access);
        return;
    }
    struct word *word = &words[word_place(access.address >> WORD_SHIFT)];
    if (word->number != 0 && (word->written || access.writes) &&
        irql_current() <= MACHINE_IRQL_DISPATCH) {
        look_for_race(trap, &access, word);
        if (step.shared < STEP_SHARED_MAX) {
            step.shared_at[step.shared] = step.executed;
        }
        step.shared++;
        step.shared_found = true;
    }
}

bool step_has_learned(void)
{
    return word_count > 0;
}

/* ---- The trap ------------------------------------------------------------------------------ */

static uintptr_t stack_pointer_of(const struct step_trap *trap)
{
    return (uintptr_t)trap->gpr[4];
}

static enum step_answer in_host(const struct step_trap *trap)
{
    step.last = NULL;
    step.lost = ++step.host_traps > HOST_TRAPS_MAX;
    /* The call has returned, or will be found to have. */
    step_is_on = !step.lost && (step.entry == 0 || stack_pointer_of(trap) <= step.entry);
    return step_is_on ? STEP_ON : STEP_OFF;
}

static bool is_the_one(void)
{
    return (step.request.after != 0 && step.executed >= step.request.after) ||
           (step.request.shared != 0 && step.shared_found && step.shared >= step.request.shared);
}

enum step_answer step_trapped(const struct step_trap *trap)
{
    if (!step.owner) {
        return STEP_NONE;
    }
    if (!step_is_on || step.owner != machine_here.self) {
        step_is_on = false;
        return STEP_OFF;
    }
    if (!trap->is_drivers) {
        return in_host(trap);
    }
    if (trap->place == step.last) {
        step.lost = ++step.repeats > REPEATS_MAX;
        step_is_on = !step.lost;
        return step_is_on ? STEP_ON : STEP_OFF;
    }
    step.entry = step.entry ? step.entry : stack_pointer_of(trap);
    step.last = step.place = trap->place;
    step.host_traps = 0;
    if (step.request.looks) {
        step.request.looks(trap);
    } else {
        look_at_memory(trap);
    }
    if (!is_the_one() || !may_stand()) {
        step.executed++;
        step.lost = step.executed == step.request.instructions_max;
        step_is_on = !step.lost;
        return step_is_on ? STEP_ON : STEP_OFF;
    }
    step_is_on = false;
    step.stood = true;
    return STEP_CALL;
}

static enum step_level level_here(void)
{
    uint8_t irql = irql_current();

    return irql < MACHINE_IRQL_DISPATCH    ? STEP_LEVEL_LOW
           : irql == MACHINE_IRQL_DISPATCH ? STEP_LEVEL_DISPATCH
                                           : STEP_LEVEL_HIGH;
}

void step_stand(void)
{
    const struct step_request request = step.request; /* who yields may have no steps any more */
    uint64_t began_ns = machine.now_ns, until = began_ns + request.patience_ns[level_here()];
    uint64_t served = interrupt_served_count();

    step.interrupted = false;
    if (request.came) {
        request.came();
    }
    while (machine.now_ns < until &&
           (request.over ? !request.over() : interrupt_served_count() == served)) {
        uint64_t last = request.over && until - machine.now_ns > STAND_LOOK_NS
                            ? machine.now_ns + STAND_LOOK_NS
                            : until;
        uint64_t next = machine.due_ns < last ? machine.due_ns : last;
        machine_spend(next > machine.now_ns + STAND_NS_MIN ? next - machine.now_ns : STAND_NS_MIN);
    }
    step.interrupted = interrupt_served_count() != served;
    step.waited_ns = machine.now_ns - began_ns;
    if (!step.interrupted && request.anothers) {
        interrupt_within();
    }
    machine_spend(request.afterwards_ns);
}

const void *step_place(uint64_t *executed)
{
    *executed = step.executed;
    return step.place;
}

bool step_was_interrupted(uint64_t *waited_ns)
{
    if (waited_ns) {
        *waited_ns = step.waited_ns;
    }
    return step.interrupted;
}

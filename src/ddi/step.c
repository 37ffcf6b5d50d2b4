/* Which calls of the driver are stepped, and after which instruction an interrupt comes: those of
 * the variation interrupt-within, drawn from the seed, or the one that the user named.
 *
 * How long a call is, in instructions, shows when it was stepped to its end; until then the draw is
 * a guess. All counts are of the driver's instructions and of calls, never of time. */
#include "ddi/internal.h"

#include <stdio.h>
#include <string.h>

/* A step costs a signal: 2 us, and several times that under a hypervisor. */
#define INSTRUCTIONS_MAX   12000u /* of a run's stepped calls together */
#define OF_ONE_MAX         4000u  /* ... of one DDI */
#define OF_OTHERS_MAX      400u   /* ... of one with which interrupts have less to do */
#define OF_ROUTINES_MAX    6000u  /* ... of the driver's own routines */
#define OF_A_CALL_MAX      3000u  /* one that draws, say, has many */
#define OF_WANTED_MAX      200000u
#define UNKNOWN_RARER      4u /* so many times, while nothing was learned yet */
#define OFTEN              2u /* of the first calls of a DDI one in so many is stepped ... */
#define SELDOM             6u /* ... where interrupts have less to do with it ... */
#define CALLS_A_RARER      8u /* ... and after so many one in one more */
#define GUESS_SHIFTS       6u
#define GUESS_MIN          16u
#define GUESS_SHARED       4u /* accesses */
#define ANYWHERE_ONE_IN    4u
#define LEARNED_LAST       256u /* of a routine's calls */
#define LONG_ONE_IN        8u   /* of those below DISPATCH_LEVEL */
#define PATIENCE_NS        NS_PER_MS
#define PATIENCE_LONG_NS   (20 * NS_PER_MS) /* for a vertical sync */
#define PATIENCE_HIGH_NS   (64 * NS_PER_US)
#define AFTERWARDS_NS      (20 * NS_PER_US)
#define AFTERWARDS_LONG_NS (400 * NS_PER_US)
#define CLUE_NS            (5 * NS_PER_MS) /* how long after it a stop is told beside a finding */

bool ddi_steps;

static struct ddi_step wanted; /* call 0: none */

/* What is stepped: calls of a DDI, or runs of a routine of the driver's own. */
struct walk {
    uint64_t calls;
    bool known;       /* one was stepped to its end, or far; of those: */
    uint64_t longest; /* instructions */
    unsigned shared;  /* most accesses to memory that the interrupt's side uses */
    uint64_t stepped; /* instructions, of all calls */
};
static struct walk points[POINT_COUNT];
static uint64_t stepped; /* instructions, of all calls */

/* Whose end nobody tells. What ends interrupts' work comes first: it is learned from, too. */
static const char *const routine_names[] = {NT_DPC_ROUTINE, NT_WORK_ITEM, NT_SYSTEM_THREAD,
                                            NT_TIMERS_CALLBACK};
#define ROUTINES (sizeof routine_names / sizeof routine_names[0])
static struct walk routines[ROUTINES];
static uint64_t routines_stepped; /* instructions */
static unsigned routine_stepped;  /* the one that has the steps, as struct step_request::yields */

/* The latest stop. */
static struct {
    enum contract_point point;
    const char *routine; /* NULL: it was a call of that DDI */
    uint64_t call, executed, when_ns, count;
    const void *place;
} latest;

static struct {
    enum contract_point point;
    const struct task *task; /* NULL: nobody wants to know */
    bool steps;              /* ddi_steps, without it */
    uint64_t executed;       /* in the run */
} compares;

#define RACES_TOLD 32u
static const void *races_told[RACES_TOLD]; /* the places of those that were told */
static unsigned race_count;

/* A call of another run may have ended it. */
static void compares_reset(void)
{
    compares.task = NULL;
    compares.executed = 0;
}

void ddi_step_choose(const struct ddi_step *step)
{
    wanted = step ? *step : (struct ddi_step){0};
    memset(points, 0, sizeof points);
    memset(routines, 0, sizeof routines);
    routines_stepped = 0;
    memset(&latest, 0, sizeof latest);
    stepped = 0;
    race_count = 0;
    ddi_beside_reset();
    compares_reset();
    ddi_steps = wanted.call != 0 || vary_on(VARY_INTERRUPT_WITHIN) || vary_on(VARY_CLIENTS_WITHIN);
}

static void note_place(void)
{
    latest.place = step_place(&latest.executed);
    latest.when_ns = machine_now_ns();
    latest.count++;
}

void ddi_step_stands(void)
{
    const struct ddi_call *call = ddi_call_here();

    latest.point = call->contract.point;
    latest.routine = NULL;
    latest.call = call->number;
    note_place();
}

static void varied_came(void)
{
    ddi_step_stands();
    vary_happened(VARY_INTERRUPT_WITHIN);
}

static void wanted_came(void)
{
    ddi_step_stands();
    record_event(EVENT_MARK, 0, record_text("a call stands still"), latest.executed);
}

/* The routine may be asked about a device that is on its way up or down, as everything may that
 * shares a line; who asks for nothing of the kind is spared that. */
static bool is_about_power(enum contract_point point)
{
    return point == POINT_SetPowerState || point == POINT_StartDevice || point == POINT_StopDevice;
}

static bool begin_wanted(enum contract_point point, uint64_t number)
{
    if (point != wanted.point || number != wanted.call) {
        return false;
    }
    return step_begin(&(struct step_request){
        .after = wanted.instruction,
        .instructions_max = OF_WANTED_MAX,
        .patience_ns = {PATIENCE_LONG_NS, PATIENCE_LONG_NS, PATIENCE_HIGH_NS},
        .afterwards_ns = AFTERWARDS_LONG_NS,
        .anothers = !is_about_power(point),
        .came = wanted_came,
    });
}

/* The first calls of all kinds, and then ever fewer: what they touch changes little. */
static bool begin_learning(uint64_t number)
{
    if ((number & (number - 1)) != 0 || number > LEARNED_LAST) {
        return false;
    }
    return step_begin(&(struct step_request){.learns = true, .instructions_max = OF_A_CALL_MAX});
}

static uint64_t draw_instruction(const struct walk *walk)
{
    uint64_t guess = GUESS_MIN << vary_below(VARY_INTERRUPT_WITHIN, GUESS_SHIFTS);

    if (walk->known && (guess > walk->longest || vary_below(VARY_INTERRUPT_WITHIN, 2) == 0)) {
        guess = walk->longest;
    }
    return guess > 0 ? 1 + vary_below(VARY_INTERRUPT_WITHIN, guess) : 1;
}

/* Mostly before it touches what the interrupt's side uses; now and then anywhere. One more access
 * than was ever seen may be there, for what is known of that side grows. */
static void draw_place(const struct walk *walk, struct step_request *request)
{
    bool none = walk->known && walk->shared == 0;

    if (vary_below(VARY_INTERRUPT_WITHIN, none ? 2 : ANYWHERE_ONE_IN) == 0) {
        request->after = draw_instruction(walk);
    } else {
        unsigned most = walk->known ? walk->shared + 1 : GUESS_SHARED;
        request->shared = 1 + (unsigned)vary_below(VARY_INTERRUPT_WITHIN, most);
    }
}

/* Of questions about modes most is the kernel's code, which is stepped through, too. A vertical
 * sync between a commit and the first address that is programmed shows what was there before, and
 * the rules do not know that yet. */
static bool is_left_out(enum contract_point point)
{
    switch (point) {
    case POINT_IsSupportedVidPn:
    case POINT_EnumVidPnCofuncModality:
    case POINT_RecommendFunctionalVidPn:
    case POINT_RecommendMonitorModes:
    case POINT_CommitVidPn:
    case POINT_SetVidPnSourceAddress:
    case POINT_SetVidPnSourceVisibility:
        return true;
    default:
        return false;
    }
}

/* What interrupts end, begin or change. */
static bool is_about_interrupts(enum contract_point point)
{
    switch (point) {
    case POINT_SubmitCommand:
    case POINT_SubmitCommandVirtual:
    case POINT_SubmitCommandToHwQueue:
    case POINT_PreemptCommand:
    case POINT_CancelCommand:
    case POINT_BuildPagingBuffer:
    case POINT_QueryCurrentFence:
    case POINT_ControlInterrupt:
    case POINT_ControlInterrupt2:
    case POINT_ControlInterrupt3:
    case POINT_PresentDisplayOnly:
    case POINT_DpcRoutine:
    case POINT_ResetEngine:
    case POINT_ResetFromTimeout:
    case POINT_RestartFromTimeout:
        return true;
    default:
        return false;
    }
}

static void note_steps(struct walk *walk, const struct step_result *result)
{
    walk->stepped += result->executed;
    if (result->stood) {
        return;
    }
    walk->known = true;
    if (result->executed > walk->longest) {
        walk->longest = result->executed;
    }
    if (result->shared > walk->shared) {
        walk->shared = result->shared < STEP_SHARED_MAX ? result->shared : STEP_SHARED_MAX;
    }
}

static bool is_drawn(uint64_t one_in)
{
    return vary_below(VARY_INTERRUPT_WITHIN,
                      step_has_learned() ? one_in : one_in * UNKNOWN_RARER) == 0;
}

static uint64_t draw_afterwards_ns(void)
{
    return vary_below(VARY_INTERRUPT_WITHIN, 2) == 0 ? AFTERWARDS_LONG_NS : AFTERWARDS_NS;
}

static bool begin_varied(enum contract_point point, uint64_t number)
{
    bool often = is_about_interrupts(point);
    uint64_t one_in = (often ? OFTEN : SELDOM) + number / CALLS_A_RARER;

    if (stepped >= INSTRUCTIONS_MAX || is_left_out(point) ||
        points[point].stepped >= (often ? OF_ONE_MAX : OF_OTHERS_MAX) || !is_drawn(one_in)) {
        return false;
    }
    bool is_long = vary_below(VARY_INTERRUPT_WITHIN, LONG_ONE_IN) == 0;
    struct step_request request = {
        .instructions_max = OF_A_CALL_MAX,
        .patience_ns = {is_long ? PATIENCE_LONG_NS : PATIENCE_NS, PATIENCE_NS, PATIENCE_HIGH_NS},
        .afterwards_ns = draw_afterwards_ns(),
        .anothers = vary_on(VARY_SHARED_LINE) && !is_about_power(point),
        .came = varied_came,
    };
    draw_place(&points[point], &request);
    return step_begin(&request);
}

/* ---- What a client's bytes are compared with ------------------------------------------------- */

#define OF_COMPARISONS_MAX 3000u /* what is refused is refused soon */
#define COMPARISONS_TOGETHER 60000u /* instructions of a run */

void ddi_compares_begin(enum contract_point point, const void *bytes, size_t size,
                        const bool *known)
{
    compared_begin(bytes, size, known);
    compares.point = point;
    compares.task = task_self();
    compares.steps = ddi_steps;
    ddi_steps = true;
}

unsigned ddi_compares_end(struct compared out[COMPARED_MAX])
{
    compares.task = NULL;
    ddi_steps = compares.steps;
    return compared_end(out);
}

static bool begin_comparing(struct ddi_call *call)
{
    if (!compares.task || compares.task != task_self() || call->contract.point != compares.point) {
        return false;
    }
    compares.task = NULL;
    if (compares.executed >= COMPARISONS_TOGETHER) {
        return false;
    }
    call->is_compared = step_begin(
        &(struct step_request){.looks = compared_look, .instructions_max = OF_COMPARISONS_MAX});
    return call->is_compared;
}

/* ---- The driver's own routines --------------------------------------------------------------- */

static void end_routine(void)
{
    struct step_result result;

    if (step_take_back(&result)) {
        routines_stepped += result.executed;
        note_steps(&routines[routine_stepped], &result);
    }
}

static void routine_came(void)
{
    latest.routine = routine_names[routine_stepped];
    latest.call = routines[routine_stepped].calls;
    note_place();
    vary_happened(VARY_INTERRUPT_WITHIN);
}

/* The first runs of a DPC routine are learned from. */
static bool draw_routine(unsigned which, struct step_request *request)
{
    const struct walk *walk = &routines[which];

    if (which == 0 && (walk->calls & (walk->calls - 1)) == 0 && walk->calls <= LEARNED_LAST) {
        request->learns = true;
        return true;
    }
    if (routines_stepped >= OF_ROUTINES_MAX || !is_drawn(OFTEN + walk->calls / CALLS_A_RARER)) {
        return false;
    }
    bool is_long = vary_below(VARY_INTERRUPT_WITHIN, LONG_ONE_IN) == 0;
    request->patience_ns[STEP_LEVEL_LOW] = is_long ? PATIENCE_LONG_NS : PATIENCE_NS;
    request->patience_ns[STEP_LEVEL_DISPATCH] = PATIENCE_NS;
    request->patience_ns[STEP_LEVEL_HIGH] = PATIENCE_HIGH_NS;
    request->afterwards_ns = draw_afterwards_ns();
    request->came = routine_came;
    draw_place(walk, request);
    return true;
}

bool ddi_step_routine(void *unused, const char *what, bool goes_on)
{
    struct step_request request = {
        .yields = true, .goes_on = goes_on, .instructions_max = OF_A_CALL_MAX};
    unsigned which = 0;

    ddi_beside_pass(NULL, false); /* nobody tells its end: it may go on whatever comes */
    if (!ddi_steps || wanted.call || !vary_on(VARY_INTERRUPT_WITHIN)) {
        return false;
    }
    while (which < ROUTINES && strcmp(routine_names[which], what) != 0) {
        which++;
    }
    if (which == ROUTINES) {
        return false;
    }
    end_routine();
    routines[which].calls++;
    if (!draw_routine(which, &request) || !step_begin(&request)) {
        return false;
    }
    routine_stepped = which;
    return true;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

void ddi_step_begin(void)
{
    struct ddi_call *call = ddi_call_here();
    enum contract_point point = call ? call->contract.point : POINT_COUNT;

    if (!call || call->quiet) {
        return;
    }
    uint64_t number = ++points[point].calls;
    call->number = number;
    end_routine();
    ddi_beside_pass(call, false);
    if (begin_comparing(call)) {
        return;
    }
    bool within = wanted.call != 0 || vary_on(VARY_INTERRUPT_WITHIN);
    if (within && (point == POINT_InterruptRoutine || point == POINT_DpcRoutine)) {
        call->is_stepped = begin_learning(number);
    }
    if (call->is_stepped || point == POINT_InterruptRoutine) {
        return;
    }
    if (within) {
        call->is_stepped = wanted.call ? begin_wanted(point, number) : begin_varied(point, number);
    }
    if (!call->is_stepped && !wanted.call && vary_on(VARY_CLIENTS_WITHIN)) {
        call->is_stepped = call->is_beside = ddi_beside_begin(call);
    }
}

static void count_wanted(const struct step_result *result)
{
    char name[32];
    uint64_t waited_ns;
    bool interrupted = step_was_interrupted(&waited_ns) && result->stood;

    record_count("step.instructions", result->executed);
    record_count("step.stood", result->stood);
    record_count("step.interrupted", interrupted);
    record_count("step.waited_ns", interrupted ? waited_ns : 0);
    for (unsigned i = 0; i < result->shared && i < STEP_SHARED_MAX; i++) {
        snprintf(name, sizeof name, DDI_STEP_SHARED_COUNTER, i);
        record_count(name, result->shared_at[i]);
    }
}

/* ---- What is written on both sides ----------------------------------------------------------- */

static bool was_told(const void *place)
{
    for (unsigned i = 0; i < race_count; i++) {
        if (races_told[i] == place) {
            return true;
        }
    }
    return race_count == RACES_TOLD;
}

/* No interrupt comes from a device that begins, ends or is being reset. */
static bool may_be_interrupted(enum contract_point point)
{
    switch (point) {
    case POINT_AddDevice:
    case POINT_RemoveDevice:
    case POINT_ResetDevice:
    case POINT_ResetFromTimeout:
    case POINT_RestartFromTimeout:
    case POINT_StopDeviceAndReleasePostDisplayOwnership:
    case POINT_Unload:
        return false;
    default:
        return !is_about_power(point);
    }
}

/* One request is under way for a node: what is stored of it before the device hears of it no
 * interrupt is about. */
static bool hands_over(enum contract_point point)
{
    return point == POINT_PreemptCommand;
}

static void judge_race(const struct ddi_call *call, const struct step_result *result)
{
    char place[DDI_DENIAL_MAX], others[DDI_DENIAL_MAX];
    const char *name = contract_point_info(call->contract.point)->name;
    bool hands = hands_over(call->contract.point);
    const void *unguarded = hands ? result->changed : result->unguarded;

    if (!step_has_learned() || !may_be_interrupted(call->contract.point)) {
        return;
    }
    contract_count(RULE_INT_022);
    if (!unguarded || was_told(unguarded)) {
        return;
    }
    races_told[race_count++] = unguarded;
    nt_symbol_text(unguarded, place, sizeof place);
    nt_symbol_text(hands ? result->changed_others : result->others, others, sizeof others);
    contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(INT_022), .ddi = name},
                    "what the interrupt routine writes, too, written under "
                    "DxgkCbSynchronizeExecution or by interlocked operations",
                    "%s writes memory at %s that the interrupt routine writes at %s; an interrupt "
                    "between its read and its write, or between two writes, is forgotten",
                    name, place, others);
}

void ddi_step_end(struct ddi_call *call)
{
    enum contract_point point = call->contract.point;
    struct step_result result;

    ddi_beside_pass(call, true);
    if (call->is_compared) {
        if (step_end(&result)) {
            compares.executed += result.executed;
        }
        return;
    }
    if (!call->is_stepped || !step_end(&result)) {
        return;
    }
    if (call->is_beside) {
        ddi_beside_end(call, &result);
        return;
    }
    stepped += result.executed;
    note_steps(&points[point], &result);
    judge_race(call, &result);
    if (wanted.call == call->number && wanted.point == point) {
        count_wanted(&result);
    }
}

/* Where no interrupt came, time alone went by: that tells of what the call itself did, and of
 * nothing else that happened to come then. */
static bool is_clue(const char *about)
{
    return step_was_interrupted(NULL) || latest.routine ||
           strcmp(contract_point_info(latest.point)->name, about) == 0;
}

bool ddi_step_text(const char *about, char *text, size_t size)
{
    uint64_t ago_ns = machine_now_ns() - latest.when_ns;
    char where[DDI_DENIAL_MAX];

    if (latest.count == 0 || (!wanted.call && (ago_ns > CLUE_NS || !is_clue(about)))) {
        return false;
    }
    nt_symbol_text(latest.place, where, sizeof where);
    snprintf(text, size, "%s %llu of %s %s after %llu instructions, at %s",
             latest.routine ? "run" : "call", (unsigned long long)latest.call,
             latest.routine ? latest.routine : contract_point_info(latest.point)->name,
             step_was_interrupted(NULL) ? "was interrupted" : "stood still, without an interrupt,",
             (unsigned long long)latest.executed, where);
    return true;
}

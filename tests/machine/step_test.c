/* Steps: what is counted, where a call stops, and what is learned of the interrupt's side. The
 * traps are told by hand; no processor steps here. */
#include "machine/support.h"

#include <string.h>

#include "machine/step.h"

#define NOP 0x90

/* A driver's code: two accesses to `shared` and one to `own`, with rax and rcx their addresses. */
static const uint8_t code[] = {NOP, 0x8B, 0x10, NOP, 0x89, 0x11, 0x89, 0x10, 0xC3};
enum { AT_BEGIN = 0, AT_LOAD = 1, AT_NOP = 3, AT_OWN = 4, AT_STORE = 6, AT_END = 8 };
static const unsigned places[] = {AT_BEGIN, AT_LOAD, AT_NOP, AT_OWN, AT_STORE, AT_END};

static uint64_t shared, own;
static unsigned came, apart; /* what is loaded and what is stored are so many bytes apart */

static enum step_answer trap_at(unsigned place, bool is_drivers)
{
    uint64_t gpr[16] = {(uintptr_t)&shared + (place == AT_STORE ? apart : 0), (uintptr_t)&own, 0, 0,
                        0x1000};

    return step_trapped(
        &(struct step_trap){.place = code + place, .gpr = gpr, .is_drivers = is_drivers});
}

/* The call, until it stands or ends. Where it stood; AT_END + 1: nowhere. */
static unsigned walk(const struct step_request *request, struct step_result *result)
{
    unsigned stood = AT_END + 1;

    assert_true(step_begin(request));
    for (size_t i = 0; i < sizeof places / sizeof places[0] && stood > AT_END; i++) {
        enum step_answer answer = trap_at(places[i], true);
        stood = answer == STEP_CALL ? places[i] : stood;
    }
    assert_true(step_end(result));
    return stood;
}

static void all(void *argument)
{
    struct step_result result;

    assert_int_equal(trap_at(AT_BEGIN, true), STEP_NONE);
    assert_int_equal(walk(&(struct step_request){0}, &result), AT_END + 1);
    assert_int_equal(result.executed, 6);
    assert_true(result.whole && !result.stood);
    assert_int_equal(result.shared, 0);

    assert_int_equal(walk(&(struct step_request){.after = 3}, &result), AT_OWN);
    assert_int_equal(result.executed, 3);
    assert_true(result.stood && !result.whole);

    /* The interrupt's side writes the shared word. */
    assert_false(step_has_learned());
    assert_true(step_begin(&(struct step_request){.learns = true}));
    assert_int_equal(trap_at(AT_STORE, true), STEP_ON);
    assert_true(step_end(&result));
    assert_true(step_has_learned());

    assert_int_equal(walk(&(struct step_request){0}, &result), AT_END + 1);
    assert_int_equal(result.shared, 2);
    assert_int_equal(result.shared_at[0], 1);
    assert_int_equal(result.shared_at[1], 4);
    assert_int_equal(walk(&(struct step_request){.shared = 1}, &result), AT_LOAD);
    assert_int_equal(walk(&(struct step_request){.shared = 2}, &result), AT_STORE);
    assert_int_equal(walk(&(struct step_request){.shared = 3}, &result), AT_END + 1);
}

static void a_call_stands_where_it_is_told(void **state)
{
    skip_without_signals();
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    spawn("steps", all, NULL);
    assert_int_equal(machine_run(MACHINE_NEVER), MACHINE_STOP_DONE);
    machine_destroy();
}

static bool is_anybodys(const struct step_access *access)
{
    return access->word == &shared;
}

/* The call reads the word, and writes it behind that. */
static void clients(void *argument)
{
    struct step_request request = {.client = 1, .is_about = is_anybodys};
    struct step_result result;

    walk(&request, &result);
    walk(&request, &result);
    assert_int_equal(result.shared, 0); /* one client alone */
    request.client = 2;
    walk(&request, &result);
    assert_int_equal(result.shared, 1);
    request.shared = 1;
    assert_int_equal(walk(&request, &result), AT_STORE);
    assert_true(result.stood && step_access()->writes && step_access()->word == &shared);
    assert_true(step_access()->mask == UINT32_MAX);
    apart = 4; /* its neighbour in the word */
    assert_int_equal(walk(&request, &result), AT_END + 1);
    assert_int_equal(result.shared, 0);
    apart = 0;
}

static void a_call_stands_before_it_writes_what_clients_share(void **state)
{
    skip_without_signals();
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    spawn("steps", clients, NULL);
    assert_int_equal(machine_run(MACHINE_NEVER), MACHINE_STOP_DONE);
    machine_destroy();
}

static void others(void *argument)
{
    struct step_result result;

    assert_true(step_begin(&(struct step_request){.after = 2}));
    assert_false(step_begin(&(struct step_request){.after = 1}));
    assert_int_equal(trap_at(AT_BEGIN, true), STEP_ON);
    /* Its own repetitions and the host's instructions are not counted. */
    assert_int_equal(trap_at(AT_BEGIN, true), STEP_ON);
    assert_int_equal(trap_at(AT_END, false), STEP_ON);
    assert_true(step_pause());
    assert_false(step_pause());
    assert_int_equal(trap_at(AT_LOAD, true), STEP_OFF);
    assert_true(step_end(&result));
    assert_int_equal(result.executed, 1);
    assert_false(step_end(&result));
}

static void only_the_drivers_instructions_count(void **state)
{
    skip_without_signals();
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    spawn("steps", others, NULL);
    assert_int_equal(machine_run(MACHINE_NEVER), MACHINE_STOP_DONE);
    machine_destroy();
}

/* Whose end nobody tells makes way for the next while it is not running. */
static void who_makes_way(void *argument)
{
    const struct step_request routine = {.yields = true, .goes_on = true};
    struct step_result result;

    assert_true(step_begin(&(struct step_request){.yields = true}));
    assert_int_equal(trap_at(AT_BEGIN, true), STEP_ON);
    assert_false(step_begin(&routine));
    assert_false(step_take_back(&result));
    assert_true(step_pause());
    assert_true(step_take_back(&result));
    assert_int_equal(result.executed, 1);
    assert_false(step_take_back(&result));

    /* Behind a wait nothing is stepped before it goes on; then whatever called is, too. */
    assert_true(step_begin(&routine));
    assert_false(step_is_on);
    assert_true(step_begin(&(struct step_request){0}));
    assert_int_equal(trap_at(AT_LOAD, true), STEP_ON);
    assert_true(step_pause());
    assert_false(step_begin(&routine)); /* a call does not make way */
    assert_false(step_take_back(&result));
    assert_true(step_end(&result));
}

static void a_routine_makes_way_for_a_call(void **state)
{
    skip_without_signals();
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    spawn("steps", who_makes_way, NULL);
    assert_int_equal(machine_run(MACHINE_NEVER), MACHINE_STOP_DONE);
    machine_destroy();
}

/* The store is the last of these; what goes to the device behind it comes after. */
static void call(const unsigned *at, size_t count, bool tells_device, struct step_result *result)
{
    uintptr_t registers = mmio_access_count_of_task();

    assert_true(step_begin(&(struct step_request){0}));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(trap_at(at[i], true), STEP_ON);
    }
    task_set_slot(task_self(), TASK_SLOT_REGISTERS, (void *)(registers + tells_device));
    assert_true(step_end(result));
}

/* What both write is told, and apart what may be handed over: stored unseen, before the device is
 * told. */
static void races(void *argument)
{
    static const unsigned stores[] = {AT_BEGIN, AT_STORE}, looks[] = {AT_LOAD, AT_STORE};
    struct step_result result;
    uint8_t old = irql_raise(MACHINE_IRQL_HIGH);

    assert_true(step_begin(&(struct step_request){.learns = true}));
    assert_int_equal(trap_at(AT_STORE, true), STEP_ON);
    assert_true(step_end(&result));
    irql_lower(old);
    call(stores, 1, true, &result);
    assert_null(result.unguarded);
    call(stores, 2, true, &result);
    assert_ptr_equal(result.unguarded, code + AT_STORE);
    assert_ptr_equal(result.others, code + AT_STORE);
    assert_null(result.changed);
    call(stores, 2, false, &result);
    assert_ptr_equal(result.changed, code + AT_STORE);
    call(looks, 2, true, &result);
    assert_ptr_equal(result.unguarded, code + AT_STORE);
    assert_ptr_equal(result.changed, code + AT_STORE);
    assert_ptr_equal(result.changed_others, code + AT_STORE);
}

static void what_is_handed_to_the_device_is_told_apart(void **state)
{
    skip_without_signals();
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    spawn("steps", races, NULL);
    assert_int_equal(machine_run(MACHINE_NEVER), MACHINE_STOP_DONE);
    machine_destroy();
}

/* A copy of megabytes is one instruction, and a trap for each time. */
static void repetition(void *argument)
{
    unsigned traps = 0;
    struct step_result result;

    assert_true(step_begin(&(struct step_request){.after = 2}));
    while (trap_at(AT_BEGIN, true) == STEP_ON) {
        traps++;
    }
    assert_in_range(traps, 1000, 100000);
    assert_int_equal(trap_at(AT_LOAD, true), STEP_OFF);
    assert_true(step_end(&result));
    assert_false(result.whole || result.stood);
}

/* Rows of a picture, each of which is short. */
static void rows(void *argument)
{
    unsigned times = 0;
    struct step_result result;

    assert_true(step_begin(&(struct step_request){0}));
    while (trap_at(times++ % 100 != 0 ? AT_STORE : AT_LOAD, true) == STEP_ON) {
        assert_in_range(times, 0, 100000);
    }
    assert_in_range(times, 1000, 100000);
    assert_true(step_end(&result));
    assert_false(result.whole || result.stood);
}

static void short_repetitions_are_counted_together(void **state)
{
    skip_without_signals();
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    spawn("steps", rows, NULL);
    assert_int_equal(machine_run(MACHINE_NEVER), MACHINE_STOP_DONE);
    machine_destroy();
}

static void a_call_that_repeats_an_instruction_for_long_runs_on(void **state)
{
    skip_without_signals();
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    spawn("steps", repetition, NULL);
    assert_int_equal(machine_run(MACHINE_NEVER), MACHINE_STOP_DONE);
    machine_destroy();
}

static void count(void)
{
    came++;
}

static void stand(void *argument)
{
    const uint64_t *patience_ns = argument;
    struct step_result result;
    uint64_t before = machine_now_ns();

    assert_true(step_begin(&(struct step_request){
        .after = 1,
        .patience_ns = {patience_ns[0], patience_ns[1], patience_ns[2]},
        .afterwards_ns = 5 * NS_PER_US,
        .came = count,
    }));
    assert_int_equal(trap_at(AT_BEGIN, true), STEP_ON);
    assert_int_equal(trap_at(AT_LOAD, true), STEP_CALL);
    irql_raise(MACHINE_IRQL_DISPATCH);
    step_stand();
    irql_lower(MACHINE_IRQL_PASSIVE);
    assert_in_range(machine_now_ns() - before, patience_ns[1], patience_ns[1] + 10 * NS_PER_US);
    assert_int_equal(came, 1);
    assert_false(step_was_interrupted(NULL));
    assert_true(step_end(&result));
}

static void without_an_interrupt_it_goes_on_when_its_patience_ends(void **state)
{
    static uint64_t patience_ns[STEP_LEVEL_COUNT] = {NS_PER_MS, 100 * NS_PER_US, NS_PER_US};

    skip_without_signals();
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    spawn("steps", stand, patience_ns);
    assert_int_equal(machine_run(MACHINE_NEVER), MACHINE_STOP_DONE);
    machine_destroy();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_stands_where_it_is_told),
        cmocka_unit_test(a_call_stands_before_it_writes_what_clients_share),
        cmocka_unit_test(what_is_handed_to_the_device_is_told_apart),
        cmocka_unit_test(only_the_drivers_instructions_count),
        cmocka_unit_test(a_routine_makes_way_for_a_call),
        cmocka_unit_test(a_call_that_repeats_an_instruction_for_long_runs_on),
        cmocka_unit_test(short_repetitions_are_counted_together),
        cmocka_unit_test(without_an_interrupt_it_goes_on_when_its_patience_ends),
    };
    return cmocka_run_group_tests_name("step", tests, NULL, NULL);
}

/* Interrupts and DPCs: nesting, levels, storms, flushing. */
#include "machine/support.h"

#include "machine/fake_device.h"

static struct pci_slot *slot;
static struct fake_device *fake;
static struct interrupt *interrupt;
static uint32_t *registers;
static unsigned served, dpcs_run;
static unsigned isr_cpu, dpc_cpu;
static struct dpc dpc;
static bool claim;
static uint64_t high_ns; /* the longest that was over when a routine began */

static void note_high(void)
{
    high_ns = irql_high_ns() > high_ns ? irql_high_ns() : high_ns;
}

static void dpc_routine(struct dpc *self)
{
    note_high();
    assert_int_equal(irql_current(), MACHINE_IRQL_DISPATCH);
    dpc_cpu = cpu_current();
    dpcs_run++;
}

static bool service(void *context, unsigned message)
{
    uint64_t status;

    note_high();
    assert_int_equal(irql_current(), pci_resources(slot)->interrupt_irql);
    served++;
    isr_cpu = cpu_current();
    if (!claim) {
        return false;
    }
    assert_true(mmio_read(&registers[FAKE_STATUS], 4, &status));
    if (status == 0) {
        return false;
    }
    assert_true(mmio_write(&registers[FAKE_STATUS], 4, status));
    dpc_queue(&dpc);
    return true;
}

static void plug(bool messages)
{
    struct pci_options pci = {.messages = messages};
    struct interrupt_options options;

    served = dpcs_run = 0;
    claim = true;
    assert_int_equal(pci_plug(&fake_model, NULL, &pci, &slot), STATUS_SUCCESS);
    fake = fake_device_of(pci_device(slot));
    registers = io_map(pci_resources(slot)->bars[FAKE_REGISTER_BAR].base, 4096);
    assert_non_null(registers);
    dpc_init(&dpc, dpc_routine, NULL);
    options = (struct interrupt_options){
        .line = pci_resources(slot)->interrupt_line,
        .message_count = pci_resources(slot)->message_count,
        .irql = pci_resources(slot)->interrupt_irql,
        .routine = service,
    };
    assert_int_equal(interrupt_connect(&options, &interrupt), STATUS_SUCCESS);
}

static void start(uint64_t seed, bool messages)
{
    machine_start(seed, MACHINE_POLICY_RANDOM, 4);
    plug(messages);
}

static void finish(void)
{
    interrupt_disconnect(interrupt);
    machine_destroy();
}

static void ask_for_tick(void *argument)
{
    assert_true(mmio_write(&registers[FAKE_TIMER], 4, 5000));
    machine_spend(20 * NS_PER_US);
}

static void an_interrupt_is_served_and_its_dpc_runs(void **state)
{
    for (int messages = 0; messages < 2; messages++) {
        for (uint64_t seed = 1; seed < 10; seed++) {
            start(seed, messages);
            assert_int_equal(pci_resources(slot)->message_count, messages ? 4 : 0);
            spawn("ask", ask_for_tick, NULL);
            assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
            assert_int_equal(fake->ticks, 1);
            assert_int_equal(served, 1);
            assert_int_equal(dpcs_run, 1);
            assert_int_equal(isr_cpu, dpc_cpu);
            assert_int_equal(interrupt_unclaimed_count(), 0);
            finish();
        }
    }
}

static void ask_now_and_then(void *argument)
{
    for (unsigned i = 0; i < 20; i++) {
        assert_true(mmio_write(&registers[FAKE_TIMER], 4, 5000));
        machine_spend(10 * NS_PER_MS);
    }
}

/* Time at DISPATCH_LEVEL and above is that of the routine alone, and not since the last one. */
static void each_routine_has_time_of_its_own(void **state)
{
    start(1, false);
    high_ns = 0;
    spawn("ask", ask_now_and_then, NULL);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
    assert_int_equal(served, 20);
    assert_int_equal(dpcs_run, 20);
    assert_true(high_ns < NS_PER_MS);
    finish();
}

static void ask_at_high_level(void *argument)
{
    uint8_t old = irql_raise(MACHINE_IRQL_HIGH);

    for (unsigned i = 0; i < 20; i++) {
        assert_true(mmio_write(&registers[FAKE_CONTROL], 4, 1));
        machine_spend(1000);
    }
    /* One CPU alone, and it does not listen. */
    assert_int_equal(served, 0);
    irql_lower(MACHINE_IRQL_DISPATCH);
    assert_int_equal(served, 1);
    assert_int_equal(dpcs_run, 0);
    irql_lower(old);
    assert_int_equal(dpcs_run, 1);
}

static void a_raised_level_holds_interrupts_back(void **state)
{
    struct machine_config config = {.seed = 4, .ram_bytes = 64u << 20, .cpu_count = 1};
    struct interrupt_options options;

    served = dpcs_run = 0;
    claim = true;
    assert_int_equal(machine_create(&config), STATUS_SUCCESS);
    assert_int_equal(pci_plug(&fake_model, NULL, NULL, &slot), STATUS_SUCCESS);
    registers = io_map(pci_resources(slot)->bars[FAKE_REGISTER_BAR].base, 4096);
    dpc_init(&dpc, dpc_routine, NULL);
    options = (struct interrupt_options){.line = pci_resources(slot)->interrupt_line,
                                         .irql = pci_resources(slot)->interrupt_irql,
                                         .routine = service};
    assert_int_equal(interrupt_connect(&options, &interrupt), STATUS_SUCCESS);
    spawn("ask", ask_at_high_level, NULL);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
    finish();
}

static char nesting[16];
static unsigned nesting_count;
static uint32_t *low_registers, *high_registers;

static bool low_service(void *context, unsigned message)
{
    nesting[nesting_count++] = 'l';
    assert_true(mmio_write(&low_registers[FAKE_STATUS], 4, 1));
    assert_true(mmio_write(&high_registers[FAKE_CONTROL], 4, 1));
    machine_yield();
    nesting[nesting_count++] = 'L';
    return true;
}

static bool high_service(void *context, unsigned message)
{
    nesting[nesting_count++] = 'h';
    assert_true(mmio_write(&high_registers[FAKE_STATUS], 4, 1));
    /* The lower one has to wait until both are over. */
    if (nesting_count < 4) {
        assert_true(mmio_write(&low_registers[FAKE_CONTROL], 4, 1));
    }
    machine_yield();
    nesting[nesting_count++] = 'H';
    return true;
}

static struct interrupt *connect(struct pci_slot *which, interrupt_routine *routine)
{
    struct interrupt_options options = {.line = pci_resources(which)->interrupt_line,
                                        .irql = pci_resources(which)->interrupt_irql,
                                        .routine = routine};
    struct interrupt *connected;

    assert_int_equal(interrupt_connect(&options, &connected), STATUS_SUCCESS);
    return connected;
}

static void raise_low(void *argument)
{
    assert_true(mmio_write(&low_registers[FAKE_CONTROL], 4, 1));
    machine_spend(NS_PER_MS);
}

static void a_higher_interrupt_interrupts_a_lower_one(void **state)
{
    struct pci_slot *low, *high;
    struct interrupt *low_interrupt, *high_interrupt;

    nesting_count = 0;
    machine_start(1, MACHINE_POLICY_RANDOM, 1);
    assert_int_equal(pci_plug(&fake_model, NULL, NULL, &low), STATUS_SUCCESS);
    assert_int_equal(pci_plug(&fake_model, NULL, NULL, &high), STATUS_SUCCESS);
    assert_true(pci_resources(low)->interrupt_irql < pci_resources(high)->interrupt_irql);
    low_registers = io_map(pci_resources(low)->bars[FAKE_REGISTER_BAR].base, 4096);
    high_registers = io_map(pci_resources(high)->bars[FAKE_REGISTER_BAR].base, 4096);
    low_interrupt = connect(low, low_service);
    high_interrupt = connect(high, high_service);
    spawn("raise", raise_low, NULL);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
    nesting[nesting_count] = '\0';
    assert_string_equal(nesting, "lhHLlhHL");
    interrupt_disconnect(low_interrupt);
    interrupt_disconnect(high_interrupt);
    machine_destroy();
}

static void raise_and_wait(void *argument)
{
    assert_true(mmio_write(&registers[FAKE_CONTROL], 4, 1));
    task_block(NS_PER_S);
}

static void a_line_nobody_claims_is_masked(void **state)
{
    start(3, false);
    claim = false;
    spawn("raise", raise_and_wait, NULL);
    assert_int_equal(machine_run(2 * NS_PER_S), MACHINE_STOP_DONE);
    assert_int_equal(served, 10000);
    assert_int_equal(interrupt_unclaimed_count(), 10000);
    assert_true(interrupt_is_masked(interrupt));
    finish();
}

static void hold(void *argument)
{
    dpc_hold_for_interrupts(1000);
    dpc_queue(&dpc);
    task_block(machine_now_ns() + 15 * NS_PER_MS);
    assert_int_equal(dpcs_run, 0);
    task_block(machine_now_ns() + 10 * NS_PER_MS);
    assert_int_equal(dpcs_run, 1); /* nobody interrupted */

    dpc_hold_for_interrupts(1); /* and the first hold is forgotten */
    dpc_queue(&dpc);
    task_block(machine_now_ns() + NS_PER_MS);
    assert_int_equal(dpcs_run, 1);
    dpc_interrupt_claimed();
    task_block(machine_now_ns() + NS_PER_MS);
    assert_int_equal(dpcs_run, 2);
    assert_true(dpc_hold_was_seen());

    dpc_hold_for_interrupts(5);
    dpc_hold_forget();
    dpc_queue(&dpc);
    task_block(machine_now_ns() + NS_PER_MS);
    assert_int_equal(dpcs_run, 3);
    assert_false(dpc_hold_was_seen());
}

static void a_dpc_is_held_for_interrupts_and_not_for_ever(void **state)
{
    start(3, false);
    spawn("hold", hold, NULL);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
    finish();
}

static void a_vanished_device_sends_nothing(void **state)
{
    start(3, false);
    pci_surprise_remove(slot);
    spawn("raise", ask_for_tick, NULL);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
    assert_int_equal(served, 0);
    finish();
}

static unsigned inside;

static bool synchronized(void *context)
{
    assert_int_equal(irql_current(), interrupt_irql(interrupt));
    assert_true(interrupt_in_service_here(interrupt));
    inside++;
    for (unsigned i = 0; i < 5; i++) {
        machine_yield();
        assert_int_equal(inside, 1);
    }
    inside--;
    return true;
}

static void synchronize_task(void *argument)
{
    for (unsigned i = 0; i < 10; i++) {
        assert_true(interrupt_synchronize(interrupt, synchronized, NULL));
        assert_true(mmio_write(&registers[FAKE_CONTROL], 4, 1));
    }
    machine_spend(10 * NS_PER_US);
}

static void synchronized_routines_exclude_each_other(void **state)
{
    for (uint64_t seed = 1; seed < 10; seed++) {
        inside = 0;
        start(seed, true);
        for (unsigned i = 0; i < 4; i++) {
            spawn("sync", synchronize_task, NULL);
        }
        assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
        assert_true(served > 0);
        finish();
    }
}

static void flush_task(void *argument)
{
    struct dpc many[10];
    unsigned before = dpcs_run;

    irql_raise(MACHINE_IRQL_DISPATCH);
    for (unsigned i = 0; i < 10; i++) {
        dpc_init(&many[i], dpc_routine, NULL);
        assert_true(dpc_queue(&many[i]));
        assert_false(dpc_queue(&many[i]));
    }
    assert_true(dpc_remove(&many[3]));
    assert_false(dpc_remove(&many[3]));
    assert_int_equal(dpcs_run, before);
    irql_lower(MACHINE_IRQL_PASSIVE);
    dpc_flush_all();
    assert_true(dpcs_run >= before + 9);
}

static void flushing_waits_for_all_dpcs(void **state)
{
    for (uint64_t seed = 1; seed < 10; seed++) {
        dpcs_run = 0;
        machine_start(seed, MACHINE_POLICY_RANDOM, 4);
        spawn("flush", flush_task, NULL);
        spawn("flush", flush_task, NULL);
        assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
        assert_int_equal(dpcs_run, 18);
        machine_destroy();
    }
}

static void again(struct dpc *self)
{
    dpcs_run++;
    dpc_queue(self);
}

static void requeue_task(void *argument)
{
    dpc_queue(argument);
    machine_spend(NS_PER_S);
}

/* A DPC that queues itself for ever starves its CPU but not the clock. */
static void an_endless_dpc_meets_the_deadline(void **state)
{
    struct dpc endless;

    machine_start(1, MACHINE_POLICY_RANDOM, 1);
    dpc_init(&endless, again, NULL);
    spawn("requeue", requeue_task, &endless);
    assert_int_equal(machine_run(100 * NS_PER_US), MACHINE_STOP_DEADLINE);
    assert_true(dpcs_run > 10);
    machine_destroy();
}

static void halting_service(struct dpc *self)
{
    machine_halt();
}

static void halting_in_a_dpc_ends_the_run(void **state)
{
    struct dpc halting;

    machine_start(1, MACHINE_POLICY_RANDOM, 4);
    dpc_init(&halting, halting_service, NULL);
    spawn("requeue", requeue_task, &halting);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_HALTED);
    machine_destroy();
}

/* ---- Under variations ---------------------------------------------------------------------- */

static void machine_start_varied(uint64_t seed, enum variation variation)
{
    struct machine_config config = {.seed = seed, .ram_bytes = 64u << 20, .cpu_count = 4};

    config.variations.on[variation] = true;
    assert_int_equal(machine_create(&config), STATUS_SUCCESS);
}

static bool raise_more(void *context, unsigned message)
{
    unsigned *left = context;

    served++;
    if (*left > 0) {
        --*left;
        fake_interrupt(fake, true);
    }
    return true;
}

static void raise_first(void *argument)
{
    assert_true(mmio_write(&registers[FAKE_CONTROL], 4, 1));
    machine_spend(10 * NS_PER_MS);
}

/* A message is an edge: what comes late does not come twice, nor is it lost while another is in
 * service. */
static void each_message_is_served_once_though_it_comes_late(void **state)
{
    for (uint64_t seed = 1; seed < 40; seed++) {
        unsigned left = 10;
        machine_start_varied(seed, VARY_LATE_INTERRUPTS);
        plug(true);
        interrupt_disconnect(interrupt);
        const struct interrupt_options options = {
            .line = pci_resources(slot)->interrupt_line,
            .message_count = pci_resources(slot)->message_count,
            .irql = pci_resources(slot)->interrupt_irql,
            .routine = raise_more,
            .context = &left,
        };
        assert_int_equal(interrupt_connect(&options, &interrupt), STATUS_SUCCESS);
        spawn("raise", raise_first, NULL);
        assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
        assert_int_equal(left, 0);
        assert_int_equal(served, 11);
        finish();
    }
}

static void queue_and_remove(void *argument)
{
    struct dpc late;
    uint8_t old = irql_raise(MACHINE_IRQL_DISPATCH);

    dpc_init(&late, dpc_routine, NULL);
    for (unsigned i = 0; i < 40; i++) {
        assert_true(dpc_queue(&late));
        assert_true(dpc_remove(&late));
    }
    assert_true(dpc_queue(&late));
    irql_lower(old);
    machine_spend(NS_PER_MS);
    assert_int_equal(dpcs_run, 1);
}

static void a_late_dpc_that_is_removed_leaves_nothing_behind(void **state)
{
    for (uint64_t seed = 1; seed < 10; seed++) {
        dpcs_run = 0;
        machine_start_varied(seed, VARY_LATE_DPCS);
        spawn("remove", queue_and_remove, NULL);
        assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
        machine_destroy();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interrupt_is_served_and_its_dpc_runs),
        cmocka_unit_test(each_routine_has_time_of_its_own),
        cmocka_unit_test(a_raised_level_holds_interrupts_back),
        cmocka_unit_test(a_higher_interrupt_interrupts_a_lower_one),
        cmocka_unit_test(a_line_nobody_claims_is_masked),
        cmocka_unit_test(a_dpc_is_held_for_interrupts_and_not_for_ever),
        cmocka_unit_test(a_vanished_device_sends_nothing),
        cmocka_unit_test(synchronized_routines_exclude_each_other),
        cmocka_unit_test(flushing_waits_for_all_dpcs),
        cmocka_unit_test(an_endless_dpc_meets_the_deadline),
        cmocka_unit_test(halting_in_a_dpc_ends_the_run),
        cmocka_unit_test(each_message_is_served_once_though_it_comes_late),
        cmocka_unit_test(a_late_dpc_that_is_removed_leaves_nothing_behind),
    };
    return cmocka_run_group_tests_name("interrupt", tests, NULL, NULL);
}

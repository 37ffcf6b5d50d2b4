/* Mapped I/O space: register access by function and by plain instruction. */
#include <signal.h>

#include "machine/support.h"

#include "machine/fake_device.h"

static struct pci_slot *slot;
static struct fake_device *fake;
static volatile uint32_t *registers;
static unsigned unhandled;

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

static void plug(void)
{
    assert_int_equal(pci_plug(&fake_model, NULL, NULL, &slot), STATUS_SUCCESS);
    fake = fake_device_of(pci_device(slot));
    registers = io_map(pci_resources(slot)->bars[FAKE_REGISTER_BAR].base, 4096);
    assert_non_null((const void *)registers);
}

static void start(void)
{
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    plug();
}

static void access_task(void *argument)
{
    uint64_t before = machine_now_ns();
    uint64_t value;
    volatile uint32_t *plain = &registers[FAKE_PLAIN];

    assert_true(mmio_write((void *)plain, 4, 0x12345678));
    assert_true(mmio_read((const void *)plain, 4, &value));
    assert_int_equal(value, 0x12345678);
    assert_true(mmio_read((const char *)plain + 1, 1, &value));
    assert_int_equal(value, 0x56);
    assert_true(mmio_read((const void *)plain, 8, &value));
    assert_int_equal(value, 0x12345678);
    assert_true(machine_now_ns() > before);
    assert_false(mmio_read((const void *)&registers[1024], 4, &value));
    assert_false(mmio_read((const char *)&registers[1024] - 2, 4, &value));
    assert_false(mmio_write(&value, 4, 0));
    assert_false(mmio_read((const void *)plain, 3, &value));
}

static void registers_are_reached_by_function(void **state)
{
    start();
    spawn("access", access_task, NULL);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
    machine_destroy();
}

static void poll_for_ever(void *argument)
{
    unsigned *reads = argument;
    uint64_t value;

    mmio_call_begins();
    for (; *reads < 2u << 20; ++*reads) {
        assert_true(mmio_read((const void *)&registers[FAKE_PLAIN], 4, &value));
    }
    mmio_call_ends();
}

static void who_polls_for_ever_comes_to_the_time_limit(void **state)
{
    unsigned reads = 0;

    start();
    spawn("poll", poll_for_ever, &reads);
    assert_int_equal(machine_run(10 * NS_PER_S), MACHINE_STOP_DEADLINE);
    assert_in_range(reads, 1u << 20, (1u << 20) + 200);
    machine_destroy();
}

/* A status that is looked at once in so many writes of the same, and beside every read. */
static void write_for_long(void *argument)
{
    unsigned *writes = argument;
    uint64_t value;

    mmio_call_begins();
    for (; *writes < 2u << 20; ++*writes) {
        assert_true(mmio_write((void *)&registers[FAKE_PLAIN], 4, 7));
        if (*writes % 64 == 0) {
            assert_true(mmio_read((const void *)&registers[FAKE_PLAIN], 4, &value));
        }
    }
    for (unsigned i = 0; i < 1000; i++) {
        assert_true(mmio_read((const void *)&registers[FAKE_PLAIN], 4, &value));
    }
    mmio_call_ends();
}

/* One table of registers, over and over: of zeros, each of which is another one's. */
static void read_for_long(void *argument)
{
    unsigned *reads = argument;
    uint64_t value;

    mmio_call_begins();
    for (; *reads < 2u << 20; ++*reads) {
        assert_true(mmio_read((const void *)&registers[16 + *reads % 512], 4, &value));
    }
    mmio_call_ends();
}

/* A port of data behind which something new stands now and then, and a status before each. */
static void read_a_port_for_long(void *argument)
{
    unsigned *reads = argument;
    uint64_t value;

    mmio_call_begins();
    for (; *reads < 2u << 20; *reads += 2) {
        fake->registers[FAKE_PLAIN] = *reads / 16;
        assert_true(mmio_read((const void *)&registers[FAKE_STATUS], 4, &value));
        assert_true(mmio_read((const void *)&registers[FAKE_PLAIN], 4, &value));
    }
    mmio_call_ends();
}

static void who_gets_on_comes_to_its_end(void **state)
{
    static task_entry *const entries[] = {write_for_long, read_for_long, read_a_port_for_long};

    for (unsigned i = 0; i < sizeof entries / sizeof *entries; i++) {
        unsigned count = 0;
        start();
        spawn("long", entries[i], &count);
        assert_int_equal(machine_run(10 * NS_PER_S), MACHINE_STOP_DONE);
        assert_int_equal(count, 2u << 20);
        machine_destroy();
    }
}

/* A bit changes now and then, and nothing comes of it. */
static void poll_a_changing_one(void *argument)
{
    unsigned *reads = argument;
    uint64_t value;

    mmio_call_begins();
    for (; *reads < 4u << 20; ++*reads) {
        fake->registers[FAKE_PLAIN] = *reads / 1000;
        assert_true(mmio_read((const void *)&registers[FAKE_PLAIN], 4, &value));
    }
    mmio_call_ends();
}

static void a_bit_that_changes_is_no_progress(void **state)
{
    unsigned reads = 0;

    start();
    spawn("poll", poll_a_changing_one, &reads);
    assert_int_equal(machine_run(10 * NS_PER_S), MACHINE_STOP_DEADLINE);
    assert_in_range(reads, 1u << 20, (1u << 20) + (1u << 18));
    machine_destroy();
}

static void mappings_are_counted_and_checked(void **state)
{
    uint64_t base, physical, value;
    char *view;

    start();
    base = pci_resources(slot)->bars[FAKE_MEMORY_BAR].base;
    assert_int_equal(io_mapping_count(), 1);
    assert_null(io_map(base + (1 << 20) - 4, 8));
    assert_null(io_map(UINT64_MAX - 2, 8));
    assert_null(io_map(base, 0));
    view = io_map(base + 0x1234, 0x3000);
    assert_non_null(view);
    assert_int_equal((uintptr_t)view % 4096, 0x234);
    assert_int_equal(io_mapping_count(), 2);
    *view = 9;
    assert_int_equal(
        ((char *)fake->bus->operations->bar_memory(fake->bus, FAKE_MEMORY_BAR))[0x1234], 9);
    assert_true(mmio_read(view, 1, &value));
    assert_int_equal(value, 9);
    assert_true(ram_physical_of(view + 5, &physical));
    assert_true(physical == base + 0x1239);
    assert_false(io_unmap(view, 0x2000));
    assert_false(io_unmap(view + 1, 0x3000));
    assert_true(io_unmap(view, 0x3000));
    assert_false(io_unmap(view, 0x3000));
    assert_false(mmio_read(view, 1, &value));
    view = io_map(0x5000, 4096); /* memory itself */
    assert_non_null(view);
    *view = 3;
    assert_int_equal(*(char *)ram_at(0x5000, 1), 3);
    assert_int_equal(io_mapping_count(), 2);
    machine_destroy();
}

static void handle_fault(int number, siginfo_t *info, void *context)
{
    if (!mmio_emulate_fault(context, info->si_addr)) {
        unhandled++;
        signal(SIGSEGV, SIG_DFL);
    }
}

static void direct_task(void *argument)
{
    volatile uint8_t *bytes = (volatile uint8_t *)registers;
    volatile uint64_t *wide = (volatile uint64_t *)(volatile void *)registers;
    unsigned polls = 0;

    registers[FAKE_PLAIN] = 0x80000005;
    assert_int_equal(registers[FAKE_PLAIN], 0x80000005);
    assert_true((int64_t)(int32_t)registers[FAKE_PLAIN] == -0x7FFFFFFB);
    assert_int_equal(bytes[4 * FAKE_PLAIN], 5);
    registers[FAKE_PLAIN] |= 0x100;
    registers[FAKE_PLAIN] += 3;
    registers[FAKE_PLAIN] &= ~1u;
    assert_int_equal(registers[FAKE_PLAIN], 0x80000108);
    registers[FAKE_PLAIN + 1] = 7;
    assert_true(wide[FAKE_PLAIN / 2] == UINT64_C(0x780000108));
    /* Polling without any call: time passes, the device works. */
    registers[FAKE_TIMER] = 100000;
    while (!(registers[FAKE_STATUS] & 1)) {
        polls++;
    }
    assert_true(polls > 100);
    assert_int_equal(fake->ticks, 1);
}

static void run_with_faults(void (*task)(void *argument))
{
    struct sigaction action = {.sa_sigaction = handle_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigaction former;
    static char stack[65536];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack), .ss_flags = (int)SS_AUTODISARM};

    unhandled = 0;
    sigaltstack(&alternate, NULL);
    sigaction(SIGSEGV, &action, &former);
    spawn("direct", task, NULL);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
    sigaction(SIGSEGV, &former, NULL);
    assert_int_equal(unhandled, 0);
    machine_destroy();
}

static void plain_instructions_are_performed(void **state)
{
    skip_without_signals();
    start();
    run_with_faults(direct_task);
}

static void read_slowly(void *argument)
{
    fake->busy_ns = 120 * NS_PER_MS; /* two looks or three: four would end it */
    registers[FAKE_PLAIN] = 5;
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(registers[FAKE_PLAIN], 5);
    }
}

/* The watchdog looks while the device's code runs, in the middle of the handler of a fault. */
static void the_watchdog_spares_what_a_handler_waits_for(void **state)
{
    skip_without_signals();
    start();
    machine_set_watchdog_ms(200); /* it looks each 50 ms */
    run_with_faults(read_slowly);
    machine_set_watchdog_ms(10000);
}

/* Firmware goes word by word into one register, for longer than a call may take that gets nowhere.
 */
static void load(void *argument)
{
    clock_t began = clock();

    mmio_call_begins();
    while (clock() - began < CLOCKS_PER_SEC) {
        registers[FAKE_PLAIN] = 5;
    }
    mmio_call_ends();
}

static void load_for_ever(void *argument)
{
    mmio_call_begins();
    for (;;) {
        assert_true(mmio_write((void *)(uintptr_t)&registers[FAKE_PLAIN], 4, 5));
    }
}

static void the_watchdog_spares_who_loads(void **state)
{
    skip_without_signals();
    machine_set_watchdog_ms(100);
    machine_set_watchdog_call_ms(100); /* that is 600 ms of a call */
    start();
    run_with_faults(load);
    start();
    spawn("for ever", load_for_ever, NULL);
    assert_int_equal(machine_run(MACHINE_NEVER), MACHINE_STOP_WATCHDOG);
    machine_destroy();
    machine_set_watchdog_ms(10000);
    machine_set_watchdog_call_ms(500);
}

enum { READS = 2000, READS_NS = READS * 200 };

/* Drivers that Microsoft's compiler built have no calls for registers. */
static void read_often(void *argument)
{
    uint64_t before = machine_now_ns();

    for (unsigned i = 0; i < READS; i++) {
        (void)registers[FAKE_PLAIN];
    }
    assert_true(machine_now_ns() - before > 2 * READS_NS);
}

static void a_slow_bus_is_slow_for_plain_instructions(void **state)
{
    struct machine_config config = {.seed = 1, .ram_bytes = 64u << 20, .cpu_count = 2};

    skip_without_signals();
    config.variations.on[VARY_SLOW_BUS] = true;
    assert_int_equal(machine_create(&config), STATUS_SUCCESS);
    plug();
    run_with_faults(read_often);
}

enum { RINGS = 200, WORK_NS = 1000 };

/* How often the device has done what a write asked for when the write returns. */
static void ring_often(void *argument)
{
    unsigned *done = argument;

    for (unsigned i = 0; i < RINGS; i++) {
        unsigned before = fake->ticks;
        assert_true(mmio_write((void *)&registers[FAKE_TIMER], 4, WORK_NS));
        *done += fake->ticks != before;
        machine_spend(2 * WORK_NS);
    }
}

static unsigned rings_done(bool prompt)
{
    struct machine_config config = {.seed = 1, .ram_bytes = 64u << 20, .cpu_count = 2};
    unsigned done = 0;

    config.variations.on[VARY_PROMPT_DEVICE] = prompt;
    assert_int_equal(machine_create(&config), STATUS_SUCCESS);
    plug();
    spawn("rings", ring_often, &done);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
    machine_destroy();
    return done;
}

static void a_prompt_device_is_done_when_the_write_returns(void **state)
{
    assert_int_equal(rings_done(false), 0);
    assert_in_range(rings_done(true), RINGS / 20, RINGS / 2);
}

/* A client's address stays, wherever it leads. */
static void ring_as_client(void *argument)
{
    char *client = argument;
    volatile uint32_t *word = (volatile uint32_t *)(void *)(client + 4 * FAKE_PLAIN);
    volatile uint32_t *memory = ram_at(0x6000, 4096);
    size_t size = 4096;

    *word = 5; /* nowhere */
    assert_int_equal(*word, 5);
    io_client_lead(client, (void *)registers);
    *word = 6;
    assert_int_equal(registers[FAKE_PLAIN], 6);
    registers[FAKE_PLAIN] = 7;
    assert_int_equal(*word, 7);
    io_client_lead(client, (char *)(uintptr_t)memory + 8);
    *word = 8;
    assert_int_equal(memory[FAKE_PLAIN + 2], 8);
    io_client_lead(client, NULL);
    *word = 9;
    assert_int_equal(registers[FAKE_PLAIN], 7);
    assert_int_equal(memory[FAKE_PLAIN + 2], 8);
    io_client_lead(client, (void *)registers);
    assert_true(io_unmap((void *)registers, size));
    *word = 10; /* to what is not there any more */
    assert_int_equal(*word, 10);
}

static void clients_addresses_lead_where_the_kernel_says(void **state)
{
    char *client;

    skip_without_signals();
    start();
    client = io_client_open(4096);
    assert_non_null(client);
    assert_false(io_unmap(client, 4096));
    assert_int_equal(io_reaches((const void *)registers, 8192), 4096);
    assert_int_equal(io_reaches((const char *)registers + 4092, 8), 4);
    assert_int_equal(io_reaches(ram_at(0x6000, 1), 64), 64);
    assert_int_equal(io_reaches(client, 1), 0);
    assert_int_equal(io_reaches(NULL, 1), 0);
    spawn("client", ring_as_client, client);
    struct sigaction action = {.sa_sigaction = handle_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigaction former;
    static char stack[65536];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
    sigaltstack(&alternate, NULL);
    sigaction(SIGSEGV, &action, &former);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
    sigaction(SIGSEGV, &former, NULL);
    io_client_close(client);
    machine_destroy();
}

static bool reads_plainly(void *context, unsigned message)
{
    unsigned *served = context;

    *served += registers[FAKE_PLAIN] == 0;
    fake->bus->operations->interrupt_set(fake->bus, 0, false);
    return true;
}

static void interrupt_in_rest(void *argument)
{
    pci_power_down(slot, false);
    for (unsigned i = 0; i < 16; i++) {
        fake->bus->operations->interrupt_set(fake->bus, 0, true);
        machine_spend(NS_PER_MS);
    }
    assert_int_equal(pci_touches(slot).count, 0);
    uint8_t old = irql_raise(MACHINE_IRQL_DISPATCH);
    assert_int_equal(registers[FAKE_PLAIN], 0);
    irql_lower(old);
    assert_int_equal(pci_touches(slot).count, 1);
    assert_int_equal(pci_touches(slot).irql, MACHINE_IRQL_DISPATCH);
    assert_non_null(pci_touches(slot).from);
}

/* On whatever CPU it runs: the line may be another device's, too. */
static void an_interrupt_routine_may_ask_a_device_at_rest(void **state)
{
    struct interrupt *interrupt;
    unsigned served = 0;

    skip_without_signals();
    machine_start(1, MACHINE_POLICY_RANDOM, 4);
    plug();
    struct interrupt_options options = {.line = pci_resources(slot)->interrupt_line,
                                        .irql = pci_resources(slot)->interrupt_irql,
                                        .routine = reads_plainly,
                                        .context = &served};
    assert_int_equal(interrupt_connect(&options, &interrupt), STATUS_SUCCESS);
    run_with_faults(interrupt_in_rest);
    assert_int_equal(served, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_are_reached_by_function),
        cmocka_unit_test(who_polls_for_ever_comes_to_the_time_limit),
        cmocka_unit_test(who_gets_on_comes_to_its_end),
        cmocka_unit_test(a_bit_that_changes_is_no_progress),
        cmocka_unit_test(mappings_are_counted_and_checked),
        cmocka_unit_test(plain_instructions_are_performed),
        cmocka_unit_test(the_watchdog_spares_what_a_handler_waits_for),
        cmocka_unit_test(the_watchdog_spares_who_loads),
        cmocka_unit_test(clients_addresses_lead_where_the_kernel_says),
        cmocka_unit_test(a_slow_bus_is_slow_for_plain_instructions),
        cmocka_unit_test(a_prompt_device_is_done_when_the_write_returns),
        cmocka_unit_test(an_interrupt_routine_may_ask_a_device_at_rest),
    };
    return cmocka_run_group_tests_name("io", tests, NULL, NULL);
}

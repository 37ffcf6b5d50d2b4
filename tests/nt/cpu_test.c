/* Which processor runs what: DPC targets and importance, threaded DPCs, affinity, broadcasts; and
 * stalling one. */
#include "nt/support.h"

#define ROUNDS 40

static KDPC dpc, other_dpc;
static KEVENT done;
static unsigned runs, passive_runs, wrong_cpu, expected_cpu;
static char order[8];
static unsigned order_length;

static VOID NTAPI see_cpu(PKDPC self, PVOID context, PVOID argument1, PVOID argument2)
{
    runs++;
    wrong_cpu += KeGetCurrentProcessorNumber() != expected_cpu;
    passive_runs += KeGetCurrentIrql() == PASSIVE_LEVEL;
    KeSetEvent(&done, 0, FALSE);
}

static void wait_for_run(void)
{
    LARGE_INTEGER second = {.QuadPart = -10000000};

    assert_int_equal(KeWaitForSingleObject(&done, Executive, KernelMode, FALSE, &second),
                     STATUS_SUCCESS);
}

static void run_on_targets(void)
{
    runs = passive_runs = wrong_cpu = 0;
    KeInitializeEvent(&done, SynchronizationEvent, FALSE);
    for (unsigned i = 0; i < ROUNDS; i++) {
        expected_cpu = i % 2;
        KeSetTargetProcessorDpc(&dpc, (CCHAR)expected_cpu);
        assert_true(KeInsertQueueDpc(&dpc, NULL, NULL));
        wait_for_run();
        machine_yield();
    }
    assert_int_equal(runs, ROUNDS);
    assert_int_equal(wrong_cpu, 0);
}

KERNEL_TEST(a_dpc_runs_on_its_target)
{
    KeInitializeDpc(&dpc, see_cpu, NULL);
    run_on_targets();
    assert_int_equal(passive_runs, 0);
    KeSetTargetProcessorDpc(&dpc, 99);
    assert_int_equal(seen.misuses[NT_MISUSE_ARGUMENT], 1);
}

KERNEL_TEST(a_threaded_dpc_mostly_runs_in_a_thread)
{
    KeInitializeThreadedDpc(&dpc, see_cpu, NULL);
    run_on_targets();
    assert_true(passive_runs > ROUNDS / 2);
    assert_true(passive_runs < ROUNDS);
    for (unsigned i = 0; i < ROUNDS; i++) {
        runs = 0;
        assert_true(KeInsertQueueDpc(&dpc, NULL, NULL));
        KeFlushQueuedDpcs();
        assert_int_equal(runs, 1);
    }
    assert_int_equal(misuse_count(), 0);
}

static VOID NTAPI see_order(PKDPC self, PVOID context, PVOID argument1, PVOID argument2)
{
    order[order_length++] = self == &dpc ? 'a' : 'b';
}

KERNEL_TEST(an_important_dpc_comes_first)
{
    KIRQL old;

    order_length = 0;
    KeInitializeDpc(&dpc, see_order, NULL);
    KeInitializeDpc(&other_dpc, see_order, NULL);
    KeSetImportanceDpc(&other_dpc, HighImportance);
    old = KfRaiseIrql(DISPATCH_LEVEL);
    KeInsertQueueDpc(&dpc, NULL, NULL);
    KeInsertQueueDpc(&other_dpc, NULL, NULL);
    KeLowerIrql(old);
    KeFlushQueuedDpcs();
    assert_memory_equal(order, "ba", 2);
}

static unsigned at_work;

static void keep_moving(void *argument)
{
    while (at_work) {
        machine_spend(NS_PER_US);
        machine_yield();
    }
}

KERNEL_TEST(a_thread_runs_where_its_affinity_says)
{
    at_work = 1;
    for (unsigned i = 0; i < 3; i++) {
        spawn("other", keep_moving, NULL);
    }
    for (unsigned i = 0; i < ROUNDS; i++) {
        KAFFINITY mask = (KAFFINITY)1 << i % 2;
        KeSetSystemAffinityThread(mask);
        for (unsigned j = 0; j < 8; j++) {
            assert_int_equal(KeGetCurrentProcessorNumber(), i % 2);
            machine_spend(500);
            machine_yield();
        }
        assert_int_equal(KeSetSystemAffinityThreadEx(3), mask);
        KeRevertToUserAffinityThread();
        assert_int_equal(KeSetSystemAffinityThreadEx(0), 0);
    }
    KeSetSystemAffinityThread((KAFFINITY)1 << 40);
    assert_int_equal(seen.misuses[NT_MISUSE_ARGUMENT], 1);
    at_work = 0;
}

/* Above APC_LEVEL a thread stays where it is; it moves when it comes down. */
KERNEL_TEST(an_affinity_set_at_a_raised_level_counts_afterwards)
{
    KIRQL old = KfRaiseIrql(DISPATCH_LEVEL);
    ULONG cpu = KeGetCurrentProcessorNumber();

    KeSetSystemAffinityThread((KAFFINITY)1 << !cpu);
    assert_int_equal(KeGetCurrentProcessorNumber(), cpu);
    KeLowerIrql(old);
    assert_int_equal(KeGetCurrentProcessorNumber(), !cpu);
}

static KAFFINITY cpus_seen;
static unsigned broadcast_runs;

static ULONG_PTR NTAPI on_each(ULONG_PTR argument)
{
    assert_int_equal(argument, 5);
    assert_true(KeGetCurrentIrql() >= IPI_LEVEL);
    broadcast_runs++;
    cpus_seen |= (KAFFINITY)1 << KeGetCurrentProcessorNumber();
    return KeGetCurrentProcessorNumber();
}

KERNEL_TEST(a_broadcast_runs_on_every_processor)
{
    KIRQL old = KfRaiseIrql(DISPATCH_LEVEL);

    cpus_seen = broadcast_runs = 0;
    assert_int_equal(KeIpiGenericCall(on_each, 5), KeGetCurrentProcessorNumber());
    assert_int_equal(broadcast_runs, 2);
    assert_int_equal(cpus_seen, 3);
    assert_int_equal(KeGetCurrentIrql(), DISPATCH_LEVEL);
    KeLowerIrql(old);
}

/* One place that calls, whatever the compiler unrolls; the assignment keeps it from being a jump.
 */
static __attribute__((noinline)) void stall(ULONG microseconds)
{
    KeStallExecutionProcessor(microseconds);
    runs++;
}

KERNEL_TEST(a_long_stall_is_advised_against_and_an_absurd_one_told)
{
    KIRQL old;

    stall(50);
    assert_int_equal(seen.advices, 0);
    for (unsigned i = 0; i < 10; i++) {
        stall(100);
    }
    assert_int_equal(seen.advices, 1); /* once for each place */
    stall(600000);                     /* at PASSIVE_LEVEL others still run */
    assert_int_equal(misuse_count(), 0);
    old = KfRaiseIrql(DISPATCH_LEVEL);
    stall(600000);
    assert_int_equal(seen.misuses[NT_MISUSE_ARGUMENT], 1);
    KeLowerIrql(old);
}

KERNEL_TEST(many_short_stalls_without_a_break_are_an_absurd_one)
{
    KIRQL old = KfRaiseIrql(DISPATCH_LEVEL);

    for (unsigned i = 0; i < 50000; i++) {
        if (i == 25000) {
            KeLowerIrql(old); /* others came to run */
            old = KfRaiseIrql(DISPATCH_LEVEL);
        }
        stall(50);
    }
    assert_int_equal(misuse_count(), 0);
    for (unsigned i = 0; i < 25000; i++) {
        stall(50);
    }
    assert_int_equal(seen.misuses[NT_MISUSE_ARGUMENT], 1);
    KeLowerIrql(old);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KERNEL_UNIT_TEST(a_dpc_runs_on_its_target),
        KERNEL_UNIT_TEST(a_threaded_dpc_mostly_runs_in_a_thread),
        KERNEL_UNIT_TEST(an_important_dpc_comes_first),
        KERNEL_UNIT_TEST(a_thread_runs_where_its_affinity_says),
        KERNEL_UNIT_TEST(an_affinity_set_at_a_raised_level_counts_afterwards),
        KERNEL_UNIT_TEST(a_broadcast_runs_on_every_processor),
        KERNEL_UNIT_TEST(a_long_stall_is_advised_against_and_an_absurd_one_told),
        KERNEL_UNIT_TEST(many_short_stalls_without_a_break_are_an_absurd_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Spin locks, fast mutexes, resources, push locks, rundown protection, DPCs, work items. */
#include "nt/support.h"

static KSPIN_LOCK spin;
static int inside, inside_max;

static void enter(void)
{
    inside_max = ++inside > inside_max ? inside : inside_max;
    machine_spend(200);
    machine_yield();
    inside--;
}

static KSPIN_LOCK queued_spin;
static int inside_queued;

static void enter_queued(void)
{
    assert_int_equal(inside_queued++, 0);
    machine_spend(200);
    machine_yield();
    inside_queued--;
}

static void use_spin_lock(void *argument)
{
    for (unsigned i = 0; i < 50; i++) {
        KIRQL old;
        KLOCK_QUEUE_HANDLE handle;
        KeAcquireSpinLock(&spin, &old);
        assert_int_equal(KeGetCurrentIrql(), DISPATCH_LEVEL);
        enter();
        KeReleaseSpinLock(&spin, old);
        KeAcquireInStackQueuedSpinLock(&queued_spin, &handle);
        enter_queued();
        KeReleaseInStackQueuedSpinLock(&handle);
        assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    }
}

static void run_users(task_entry *entry)
{
    inside = inside_max = 0;
    for (unsigned i = 0; i < 4; i++) {
        spawn("user", entry, NULL);
    }
    assert_int_equal(machine_run(10 * NS_PER_S), MACHINE_STOP_DONE);
    assert_int_equal(inside_max, 1);
    assert_int_equal(misuse_count(), 0);
    assert_int_equal(seen.irql_violations, 0);
}

static void a_spin_lock_excludes(void **state)
{
    KeInitializeSpinLock(&spin);
    run_users(use_spin_lock);
}

static void take_twice(void *argument)
{
    KIRQL old;

    KeInitializeSpinLock(&spin);
    KeAcquireSpinLock(&spin, &old);
    KeAcquireSpinLockAtDpcLevel(&spin);
}

static void taking_a_spin_lock_twice_is_a_bug_check(void **state)
{
    assert_int_equal(run_task(take_twice, NULL), MACHINE_STOP_HALTED);
    assert_int_equal(seen.bugcheck, SPIN_LOCK_ALREADY_OWNED);
    assert_int_equal(seen.misuses[NT_MISUSE_SPIN_DEADLOCK], 1);
}

KERNEL_TEST(spin_lock_mistakes_are_told)
{
    KIRQL old;

    KeInitializeSpinLock(&spin);
    KeAcquireSpinLockAtDpcLevel(&spin); /* at PASSIVE_LEVEL */
    assert_int_equal(seen.irql_violations, 1);
    KeReleaseSpinLockFromDpcLevel(&spin);
    assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    KeAcquireSpinLock(&spin, &old);
    KeLowerIrql(PASSIVE_LEVEL); /* holding it */
    assert_int_equal(seen.misuses[NT_MISUSE_IRQL_ORDER], 1);
    old = KfRaiseIrql(DISPATCH_LEVEL);
    KeReleaseSpinLock(&spin, old);
    KfRaiseIrql(DISPATCH_LEVEL);
    KeReleaseSpinLock(&spin, PASSIVE_LEVEL); /* not held */
    assert_int_equal(seen.misuses[NT_MISUSE_SPIN_OWNER], 1);
}

static FAST_MUTEX first_mutex, second_mutex, gate_mutex;

static void take_both(FAST_MUTEX *first, FAST_MUTEX *second)
{
    ExAcquireFastMutex(first);
    ExAcquireFastMutex(second);
    ExReleaseFastMutex(second);
    ExReleaseFastMutex(first);
}

static void take_first_then_second(void *argument)
{
    take_both(&first_mutex, &second_mutex);
}

static void take_second_then_first(void *argument)
{
    take_both(&second_mutex, &first_mutex);
}

static void take_second_then_first_inside(void *argument)
{
    ExAcquireFastMutex(&gate_mutex);
    take_both(&second_mutex, &first_mutex);
    ExReleaseFastMutex(&gate_mutex);
}

static void take_first_then_second_inside(void *argument)
{
    ExAcquireFastMutex(&gate_mutex);
    take_both(&first_mutex, &second_mutex);
    ExReleaseFastMutex(&gate_mutex);
}

/* One after the other: nobody waits. */
static void run_after_each_other(task_entry *a, task_entry *b)
{
    ExInitializeFastMutex(&first_mutex);
    ExInitializeFastMutex(&second_mutex);
    ExInitializeFastMutex(&gate_mutex);
    spawn("a", a, NULL);
    assert_int_equal(machine_run(10 * NS_PER_S), MACHINE_STOP_DONE);
    spawn("b", b, NULL);
    assert_int_equal(machine_run(10 * NS_PER_S), MACHINE_STOP_DONE);
}

static void locks_in_both_orders_are_told(void **state)
{
    run_after_each_other(take_first_then_second, take_second_then_first);
    assert_int_equal(seen.misuses[NT_MISUSE_LOCK_ORDER], 1);
    assert_int_equal(misuse_count(), 1);
}

static void locks_in_one_order_are_not(void **state)
{
    run_after_each_other(take_first_then_second, take_first_then_second);
    assert_int_equal(misuse_count(), 0);
}

/* Who holds the third one keeps the other out. */
static void a_common_lock_excuses_both_orders(void **state)
{
    run_after_each_other(take_first_then_second_inside, take_second_then_first_inside);
    assert_int_equal(misuse_count(), 0);
}

KERNEL_TEST(one_thread_may_take_locks_in_both_orders)
{
    ExInitializeFastMutex(&first_mutex);
    ExInitializeFastMutex(&second_mutex);
    take_both(&first_mutex, &second_mutex);
    take_both(&second_mutex, &first_mutex);
    assert_int_equal(misuse_count(), 0);
}

static void use_rw_lock(EX_SPIN_LOCK *lock, unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        KIRQL old = ExAcquireSpinLockExclusive(lock);
        enter();
        ExReleaseSpinLockExclusive(lock, old);
        old = KfRaiseIrql(DISPATCH_LEVEL);
        ExAcquireSpinLockSharedAtDpcLevel(lock);
        assert_int_equal(inside, 0);
        if (ExTryConvertSharedSpinLockExclusive(lock)) {
            enter();
            ExReleaseSpinLockExclusiveFromDpcLevel(lock);
        } else {
            ExReleaseSpinLockSharedFromDpcLevel(lock);
        }
        KeLowerIrql(old);
    }
}

static EX_SPIN_LOCK rw_spin;

static void use_the_rw_lock(void *argument)
{
    use_rw_lock(&rw_spin, 30);
}

static void a_reader_writer_lock_excludes(void **state)
{
    rw_spin = 0;
    run_users(use_the_rw_lock);
    assert_int_equal(rw_spin, 0);
}

static void take_a_wild_rw_lock(void *argument)
{
    KIRQL old;

    rw_spin = (EX_SPIN_LOCK)0xA5A5A5A5;
    old = ExAcquireSpinLockExclusive(&rw_spin);
    ExReleaseSpinLockExclusive(&rw_spin, old);
}

static void a_reader_writer_lock_that_nobody_initialised_is_told(void **state)
{
    assert_int_equal(run_task(take_a_wild_rw_lock, NULL), MACHINE_STOP_DONE);
    assert_int_equal(seen.misuses[NT_MISUSE_ARGUMENT], 1);
    assert_int_equal(rw_spin, 0);
}

static void take_rw_twice(void *argument)
{
    rw_spin = 0;
    ExAcquireSpinLockExclusive(&rw_spin);
    ExAcquireSpinLockExclusive(&rw_spin);
}

static void write_while_reading(void *argument)
{
    rw_spin = 0;
    ExAcquireSpinLockShared(&rw_spin);
    ExAcquireSpinLockExclusiveAtDpcLevel(&rw_spin);
}

static void a_reader_writer_lock_that_its_holder_waits_for_is_told(void **state)
{
    task_entry *const entries[] = {take_rw_twice, write_while_reading};

    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(run_task(entries[i], NULL), MACHINE_STOP_HALTED);
        assert_int_equal(seen.misuses[NT_MISUSE_SPIN_DEADLOCK], 1);
        kernel_stop(state);
        kernel_start(state);
    }
}

KERNEL_TEST(a_reader_writer_lock_knows_its_holder)
{
    rw_spin = 0;
    KfRaiseIrql(DISPATCH_LEVEL);
    ExReleaseSpinLockShared(&rw_spin, DISPATCH_LEVEL);
    assert_int_equal(seen.misuses[NT_MISUSE_SPIN_OWNER], 1);
    ExAcquireSpinLockShared(&rw_spin);
    ExReleaseSpinLockExclusive(&rw_spin, DISPATCH_LEVEL);
    assert_int_equal(seen.misuses[NT_MISUSE_SPIN_OWNER], 2);
    ExReleaseSpinLockShared(&rw_spin, PASSIVE_LEVEL);
    assert_int_equal(misuse_count(), 2);
}

/* Where all who take it run at one level above DISPATCH_LEVEL, that is right. */
KERNEL_TEST(a_reader_writer_lock_is_taken_above_dispatch_level)
{
    rw_spin = 0;
    KfRaiseIrql(DISPATCH_LEVEL + 3);
    ExAcquireSpinLockExclusiveAtDpcLevel(&rw_spin);
    ExReleaseSpinLockExclusiveFromDpcLevel(&rw_spin);
    ExAcquireSpinLockSharedAtDpcLevel(&rw_spin);
    ExReleaseSpinLockSharedFromDpcLevel(&rw_spin);
    KeLowerIrql(PASSIVE_LEVEL);
    assert_int_equal(seen.irql_violations, 0);
    assert_int_equal(misuse_count(), 0);
}

KERNEL_TEST(a_spin_lock_is_plain_or_queued)
{
    KLOCK_QUEUE_HANDLE handle;
    KIRQL old;

    KeInitializeSpinLock(&spin);
    KeAcquireInStackQueuedSpinLock(&spin, &handle);
    KeReleaseInStackQueuedSpinLock(&handle);
    KeInitializeSpinLock(&spin); /* a new life */
    KeAcquireSpinLock(&spin, &old);
    KeReleaseSpinLock(&spin, old);
    assert_int_equal(misuse_count(), 0);
    KeAcquireInStackQueuedSpinLock(&spin, &handle);
    KeReleaseInStackQueuedSpinLock(&handle);
    assert_int_equal(seen.misuses[NT_MISUSE_LOCK_KIND], 1);
}

KERNEL_TEST(a_spin_lock_in_memory_that_was_freed_is_forgotten)
{
    KLOCK_QUEUE_HANDLE handle;

    for (unsigned i = 0; i < 50; i++) {
        KSPIN_LOCK *lock = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*lock), TAG);
        KIRQL old;
        if (i & 1) {
            KeAcquireSpinLock(lock, &old);
            KeReleaseSpinLock(lock, old);
        } else {
            KeAcquireInStackQueuedSpinLock(lock, &handle);
            KeReleaseInStackQueuedSpinLock(&handle);
        }
        ExFreePoolWithTag(lock, TAG);
    }
    assert_int_equal(misuse_count(), 0);
}

KERNEL_TEST(locks_for_dpcs_are_taken_at_either_level)
{
    KLOCK_QUEUE_HANDLE handle;
    KIRQL old;

    for (KIRQL level = PASSIVE_LEVEL; level <= DISPATCH_LEVEL; level += DISPATCH_LEVEL) {
        KIRQL before = KfRaiseIrql(level);
        KeInitializeSpinLock(&spin);
        old = KeAcquireSpinLockForDpc(&spin);
        assert_int_equal(KeGetCurrentIrql(), DISPATCH_LEVEL);
        KeReleaseSpinLockForDpc(&spin, old);
        assert_int_equal(KeGetCurrentIrql(), level);
        KeInitializeSpinLock(&spin);
        KeAcquireInStackQueuedSpinLockForDpc(&spin, &handle);
        assert_int_equal(KeGetCurrentIrql(), DISPATCH_LEVEL);
        KeReleaseInStackQueuedSpinLockForDpc(&handle);
        assert_int_equal(KeGetCurrentIrql(), level);
        KeLowerIrql(before);
    }
    assert_int_equal(misuse_count(), 0);
}

static FAST_MUTEX fast;

static void use_fast_mutex(void *argument)
{
    for (unsigned i = 0; i < 50; i++) {
        ExAcquireFastMutex(&fast);
        assert_int_equal(KeGetCurrentIrql(), APC_LEVEL);
        enter();
        ExReleaseFastMutex(&fast);
        assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    }
}

static void a_fast_mutex_excludes(void **state)
{
    ExInitializeFastMutex(&fast);
    run_users(use_fast_mutex);
}

KERNEL_TEST(a_fast_mutex_knows_its_owner)
{
    ExInitializeFastMutex(&fast);
    ExReleaseFastMutex(&fast);
    assert_int_equal(seen.misuses[NT_MISUSE_LOCK_OWNER], 1);
    assert_true(ExTryToAcquireFastMutex(&fast));
    assert_false(ExTryToAcquireFastMutex(&fast));
    ExReleaseFastMutex(&fast);
}

KERNEL_TEST(a_fast_mutex_that_was_never_initialised_is_told)
{
    memset(&fast, 0, sizeof(fast));
    assert_false(ExTryToAcquireFastMutex(&fast));
    assert_int_equal(seen.misuses[NT_MISUSE_OBJECT], 1);
    memset(&fast, 0xA5, sizeof(fast)); /* as fresh pool is: somebody seems to own it */
    ExAcquireFastMutex(&fast);
    assert_int_equal(seen.misuses[NT_MISUSE_OBJECT], 2);
    ExReleaseFastMutex(&fast);
    memset(&fast, 0xDD, sizeof(fast));
    assert_false(ExTryToAcquireFastMutex(&fast));
    assert_int_equal(seen.misuses[NT_MISUSE_OBJECT], 3);
}

KERNEL_TEST(a_fast_mutex_is_released_at_its_level)
{
    ExInitializeFastMutex(&fast);
    ExAcquireFastMutex(&fast);
    KeLowerIrql(PASSIVE_LEVEL);
    ExReleaseFastMutex(&fast);
    assert_int_equal(seen.irql_violations, 1);
    assert_int_equal(seen.violated_limit, APC_LEVEL);
}

KERNEL_TEST(unsafe_mutexes_want_apcs_kept_away)
{
    KGUARDED_MUTEX guarded;

    ExInitializeFastMutex(&fast);
    KeEnterCriticalRegion();
    ExAcquireFastMutexUnsafe(&fast);
    ExReleaseFastMutexUnsafe(&fast);
    KeLeaveCriticalRegion();
    KeInitializeGuardedMutex(&guarded);
    KeEnterGuardedRegion();
    KeAcquireGuardedMutexUnsafe(&guarded);
    assert_false(KeTryToAcquireGuardedMutex(&guarded));
    KeReleaseGuardedMutexUnsafe(&guarded);
    KeLeaveGuardedRegion();
    assert_int_equal(misuse_count(), 0);
    ExAcquireFastMutexUnsafe(&fast);
    assert_int_equal(seen.misuses[NT_MISUSE_APCS], 1);
    KeEnterCriticalRegion(); /* keeps away normal kernel APCs alone */
    KeAcquireGuardedMutexUnsafe(&guarded);
    assert_int_equal(seen.misuses[NT_MISUSE_APCS], 2);
}

static ERESOURCE resource;

KERNEL_TEST(a_resource_wants_apcs_kept_away)
{
    KMUTEX mutex;

    ExInitializeResourceLite(&resource);
    ExAcquireResourceExclusiveLite(&resource, TRUE);
    assert_int_equal(seen.misuses[NT_MISUSE_APCS], 1);
    ExReleaseResourceLite(&resource);
    ExAcquireResourceSharedLite(&resource, TRUE);
    assert_int_equal(seen.misuses[NT_MISUSE_APCS], 2);
    ExReleaseResourceLite(&resource);
    ExEnterCriticalRegionAndAcquireResourceShared(&resource);
    ExReleaseResourceAndLeaveCriticalRegion(&resource);
    /* Whoever holds a mutex gets none either. */
    KeInitializeMutex(&mutex, 0);
    KeWaitForSingleObject(&mutex, Executive, KernelMode, FALSE, NULL);
    assert_true(KeAreApcsDisabled());
    assert_false(KeAreAllApcsDisabled());
    ExAcquireResourceExclusiveLite(&resource, TRUE);
    ExReleaseResourceForThreadLite(&resource, ExGetCurrentResourceThread());
    KeReleaseMutex(&mutex, FALSE);
    assert_false(KeAreApcsDisabled());
    assert_int_equal(misuse_count(), 2);
    ExReleaseResourceForThreadLite(&resource, ExGetCurrentResourceThread());
    assert_int_equal(seen.misuses[NT_MISUSE_LOCK_OWNER], 1);
    ExDeleteResourceLite(&resource);
}

static bool writer_came;

static void write_resource(void *argument)
{
    KeEnterCriticalRegion();
    ExAcquireResourceExclusiveLite(&resource, TRUE);
    writer_came = true;
    ExReleaseResourceLite(&resource);
    KeLeaveCriticalRegion();
}

/* With one writer waiting: who comes shared before it, who behind it. */
KERNEL_TEST(shared_holders_come_before_or_behind_a_writer_as_they_ask)
{
    writer_came = false;
    ExInitializeResourceLite(&resource);
    KeEnterCriticalRegion();
    ExAcquireResourceSharedLite(&resource, TRUE);
    spawn("writer", write_resource, NULL);
    machine_spend(NS_PER_MS);
    assert_true(ExAcquireResourceSharedLite(&resource, FALSE)); /* holds it already */
    assert_true(ExAcquireSharedStarveExclusive(&resource, FALSE));
    assert_false(ExAcquireSharedWaitForExclusive(&resource, FALSE));
    assert_false(writer_came);
    for (unsigned i = 0; i < 3; i++) {
        ExReleaseResourceLite(&resource);
    }
    assert_true(ExAcquireSharedWaitForExclusive(&resource, TRUE));
    assert_true(writer_came);
    ExReleaseResourceLite(&resource);
    ExAcquireResourceExclusiveLite(&resource, TRUE);
    ExConvertExclusiveToSharedLite(&resource);
    assert_false(ExIsResourceAcquiredExclusiveLite(&resource));
    ExReleaseResourceLite(&resource);
    KeLeaveCriticalRegion();
    ExDeleteResourceLite(&resource);
    assert_int_equal(misuse_count(), 0);
}

static int sharers, sharers_max;

static void use_resource(void *argument)
{
    for (unsigned i = 0; i < 30; i++) {
        KeEnterCriticalRegion();
        ExAcquireResourceSharedLite(&resource, TRUE);
        sharers_max = ++sharers > sharers_max ? sharers : sharers_max;
        assert_int_equal(inside, 0);
        machine_spend(500);
        sharers--;
        ExReleaseResourceLite(&resource);
        ExAcquireResourceExclusiveLite(&resource, TRUE);
        assert_int_equal(sharers, 0);
        assert_true(ExAcquireResourceExclusiveLite(&resource, FALSE));
        enter();
        ExReleaseResourceLite(&resource);
        ExReleaseResourceLite(&resource);
        KeLeaveCriticalRegion();
    }
}

static void a_resource_is_shared_or_exclusive(void **state)
{
    sharers = sharers_max = 0;
    assert_int_equal(ExInitializeResourceLite(&resource), STATUS_SUCCESS);
    assert_int_equal(nt_leak_report(NULL, NULL), 1);
    run_users(use_resource);
    assert_true(sharers_max > 1);
    assert_int_equal(ExDeleteResourceLite(&resource), STATUS_SUCCESS);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
}

static EX_RUNDOWN_REF rundown;
static bool rundown_over;

static void hold_rundown(void *argument)
{
    assert_true(ExAcquireRundownProtection(&rundown));
    machine_spend(NS_PER_MS);
    assert_false(rundown_over);
    ExReleaseRundownProtection(&rundown);
}

KERNEL_TEST(rundown_waits_for_the_last_user)
{
    LARGE_INTEGER pause = {.QuadPart = -1000};

    rundown_over = false;
    ExInitializeRundownProtection(&rundown);
    spawn("holder", hold_rundown, NULL);
    KeDelayExecutionThread(KernelMode, FALSE, &pause);
    ExWaitForRundownProtectionRelease(&rundown);
    rundown_over = true;
    assert_true(machine_now_ns() >= NS_PER_MS);
    assert_false(ExAcquireRundownProtection(&rundown));
}

static KDPC dpc;
static unsigned dpc_runs;
static KEVENT done;

static VOID NTAPI dpc_routine(PKDPC self, PVOID context, PVOID argument1, PVOID argument2)
{
    assert_ptr_equal(context, &dpc_runs);
    assert_ptr_equal(argument1, (PVOID)1);
    assert_int_equal(KeGetCurrentIrql(), DISPATCH_LEVEL);
    dpc_runs++;
    KeSetEvent(&done, 0, FALSE);
}

KERNEL_TEST(a_dpc_runs_once_however_often_it_is_queued)
{
    KIRQL old;

    dpc_runs = 0;
    KeInitializeEvent(&done, NotificationEvent, FALSE);
    KeInitializeDpc(&dpc, dpc_routine, &dpc_runs);
    old = KfRaiseIrql(DISPATCH_LEVEL);
    assert_true(KeInsertQueueDpc(&dpc, (PVOID)1, NULL));
    assert_false(KeInsertQueueDpc(&dpc, (PVOID)2, NULL));
    assert_int_equal(dpc_runs, 0);
    KeLowerIrql(old);
    KeWaitForSingleObject(&done, Executive, KernelMode, FALSE, NULL);
    assert_int_equal(dpc_runs, 1);
    old = KfRaiseIrql(DISPATCH_LEVEL);
    assert_true(KeInsertQueueDpc(&dpc, (PVOID)1, NULL));
    assert_true(KeRemoveQueueDpc(&dpc));
    KeLowerIrql(old);
    KeFlushQueuedDpcs();
    assert_int_equal(dpc_runs, 1);
    memset(&dpc, 0, sizeof(dpc));
    assert_false(KeInsertQueueDpc(&dpc, NULL, NULL));
    assert_int_equal(seen.misuses[NT_MISUSE_OBJECT], 1);
}

static unsigned work_done;

static VOID NTAPI work_routine(PVOID context)
{
    assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    if (++work_done == 5) {
        KeSetEvent(context, 0, FALSE);
    }
}

static VOID NTAPI io_work_routine(PDEVICE_OBJECT device, PVOID context)
{
    KeSetEvent(context, 0, FALSE);
}

KERNEL_TEST(work_items_run_on_a_thread)
{
    WORK_QUEUE_ITEM items[5];
    PIO_WORKITEM io;

    work_done = 0;
    KeInitializeEvent(&done, SynchronizationEvent, FALSE);
    for (unsigned i = 0; i < 5; i++) {
        ExInitializeWorkItem(&items[i], work_routine, &done);
        ExQueueWorkItem(&items[i], DelayedWorkQueue);
    }
    KeWaitForSingleObject(&done, Executive, KernelMode, FALSE, NULL);
    assert_int_equal(work_done, 5);
    io = IoAllocateWorkItem(NULL);
    assert_int_equal(nt_leak_report(NULL, NULL), 1);
    IoQueueWorkItem(io, io_work_routine, DelayedWorkQueue, &done);
    KeWaitForSingleObject(&done, Executive, KernelMode, FALSE, NULL);
    IoFreeWorkItem(io);
    IoFreeWorkItem(io);
    assert_int_equal(seen.misuses[NT_MISUSE_OBJECT], 1);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
}

static KMUTEX kept;

static VOID NTAPI careless_work(PVOID context)
{
    KeWaitForSingleObject(&kept, Executive, KernelMode, FALSE, NULL);
    KeEnterCriticalRegion();
    KeSetEvent(context, 0, FALSE);
}

KERNEL_TEST(a_work_item_leaves_no_mutex_and_no_region_behind)
{
    LARGE_INTEGER pause = {.QuadPart = -100000};
    WORK_QUEUE_ITEM item;

    KeInitializeMutex(&kept, 0);
    KeInitializeEvent(&done, SynchronizationEvent, FALSE);
    ExInitializeWorkItem(&item, careless_work, &done);
    ExQueueWorkItem(&item, DelayedWorkQueue);
    KeWaitForSingleObject(&done, Executive, KernelMode, FALSE, NULL);
    KeDelayExecutionThread(KernelMode, FALSE, &pause);
    assert_int_equal(seen.misuses[NT_MISUSE_LOCK_OWNER], 2);
}

/* Who ends what another left behind, which was told, is not to blame. */
KERNEL_TEST(what_one_call_leaves_behind_the_next_may_end)
{
    KGUARDED_MUTEX guarded;
    struct nt_regions before;

    KeInitializeMutex(&kept, 0);
    KeInitializeGuardedMutex(&guarded);
    nt_regions_now(&before);
    KeWaitForSingleObject(&kept, Executive, KernelMode, FALSE, NULL);
    KeAcquireGuardedMutex(&guarded);
    KeEnterCriticalRegion();
    nt_regions_check("one", &before);
    assert_int_equal(misuse_count(), 2);
    assert_false(KeAreApcsDisabled());

    nt_regions_now(&before);
    KeReleaseMutex(&kept, FALSE);
    KeReleaseGuardedMutex(&guarded);
    KeLeaveCriticalRegion();
    nt_regions_check("next", &before);
    assert_int_equal(misuse_count(), 2);
    assert_false(KeAreApcsDisabled());
    KeLeaveCriticalRegion();
    assert_int_equal(misuse_count(), 3);
}

static VOID NTAPI slow_work(PVOID context)
{
    KeWaitForSingleObject(context, Executive, KernelMode, FALSE, NULL);
}

static char told[128];

static void keep_told(void *ctx, const char *kind, const char *text)
{
    snprintf(told, sizeof told, "%s: %s", kind, text);
}

KERNEL_TEST(a_work_item_that_runs_or_waits_is_still_there)
{
    LARGE_INTEGER pause = {.QuadPart = -100000};
    WORK_QUEUE_ITEM item;

    KeInitializeEvent(&done, SynchronizationEvent, FALSE);
    ExInitializeWorkItem(&item, slow_work, &done);
    ExQueueWorkItem(&item, DelayedWorkQueue);
    assert_int_equal(nt_leak_report(keep_told, NULL), 1);
    assert_non_null(strstr(told, "work item: still queued"));
    KeDelayExecutionThread(KernelMode, FALSE, &pause);
    assert_int_equal(nt_leak_report(keep_told, NULL), 1);
    assert_non_null(strstr(told, "work item: still runs"));
    KeSetEvent(&done, 0, FALSE);
    KeDelayExecutionThread(KernelMode, FALSE, &pause);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
}

KERNEL_TEST(lists_under_a_lock_keep_their_order)
{
    LIST_ENTRY head, entries[2];

    InitializeListHead(&head);
    KeInitializeSpinLock(&spin);
    assert_null(ExInterlockedInsertTailList(&head, &entries[0], &spin));
    assert_ptr_equal(ExInterlockedInsertTailList(&head, &entries[1], &spin), &entries[0]);
    assert_ptr_equal(ExInterlockedRemoveHeadList(&head, &spin), &entries[0]);
    assert_ptr_equal(ExInterlockedRemoveHeadList(&head, &spin), &entries[1]);
    assert_null(ExInterlockedRemoveHeadList(&head, &spin));
    assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KERNEL_UNIT_TEST(a_spin_lock_excludes),
        KERNEL_UNIT_TEST(taking_a_spin_lock_twice_is_a_bug_check),
        KERNEL_UNIT_TEST(spin_lock_mistakes_are_told),
        KERNEL_UNIT_TEST(a_reader_writer_lock_excludes),
        KERNEL_UNIT_TEST(a_reader_writer_lock_that_nobody_initialised_is_told),
        KERNEL_UNIT_TEST(a_reader_writer_lock_that_its_holder_waits_for_is_told),
        KERNEL_UNIT_TEST(a_reader_writer_lock_knows_its_holder),
        KERNEL_UNIT_TEST(a_reader_writer_lock_is_taken_above_dispatch_level),
        KERNEL_UNIT_TEST(a_spin_lock_is_plain_or_queued),
        KERNEL_UNIT_TEST(a_spin_lock_in_memory_that_was_freed_is_forgotten),
        KERNEL_UNIT_TEST(locks_for_dpcs_are_taken_at_either_level),
        KERNEL_UNIT_TEST(locks_in_both_orders_are_told),
        KERNEL_UNIT_TEST(locks_in_one_order_are_not),
        KERNEL_UNIT_TEST(a_common_lock_excuses_both_orders),
        KERNEL_UNIT_TEST(one_thread_may_take_locks_in_both_orders),
        KERNEL_UNIT_TEST(a_fast_mutex_excludes),
        KERNEL_UNIT_TEST(a_fast_mutex_knows_its_owner),
        KERNEL_UNIT_TEST(a_fast_mutex_that_was_never_initialised_is_told),
        KERNEL_UNIT_TEST(a_fast_mutex_is_released_at_its_level),
        KERNEL_UNIT_TEST(unsafe_mutexes_want_apcs_kept_away),
        KERNEL_UNIT_TEST(a_resource_wants_apcs_kept_away),
        KERNEL_UNIT_TEST(shared_holders_come_before_or_behind_a_writer_as_they_ask),
        KERNEL_UNIT_TEST(a_resource_is_shared_or_exclusive),
        KERNEL_UNIT_TEST(rundown_waits_for_the_last_user),
        KERNEL_UNIT_TEST(a_dpc_runs_once_however_often_it_is_queued),
        KERNEL_UNIT_TEST(work_items_run_on_a_thread),
        KERNEL_UNIT_TEST(a_work_item_leaves_no_mutex_and_no_region_behind),
        KERNEL_UNIT_TEST(what_one_call_leaves_behind_the_next_may_end),
        KERNEL_UNIT_TEST(a_work_item_that_runs_or_waits_is_still_there),
        KERNEL_UNIT_TEST(lists_under_a_lock_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

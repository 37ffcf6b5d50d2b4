/* Waiting: events, mutexes, semaphores, threads, timers; time-outs, any and all. */
#include "nt/support.h"

static KEVENT event, other;
static unsigned woken;

static LARGE_INTEGER after_ms(int64_t ms)
{
    return (LARGE_INTEGER){.QuadPart = -ms * 10000};
}

static void waiter(void *argument)
{
    assert_int_equal(KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, NULL),
                     STATUS_SUCCESS);
    woken++;
}

static void setter(void *argument)
{
    machine_spend(NS_PER_MS);
    assert_int_equal(KeSetEvent(&event, 0, FALSE), 0);
}

static void run_waiters(EVENT_TYPE type)
{
    woken = 0;
    KeInitializeEvent(&event, type, FALSE);
    for (unsigned i = 0; i < 3; i++) {
        spawn("waiter", waiter, NULL);
    }
    spawn("setter", setter, NULL);
}

static void a_notification_event_wakes_all(void **state)
{
    run_waiters(NotificationEvent);
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
    assert_int_equal(woken, 3);
    assert_int_equal(KeReadStateEvent(&event), 1);
}

static void a_synchronization_event_wakes_one(void **state)
{
    run_waiters(SynchronizationEvent);
    assert_int_equal(machine_run(MACHINE_NEVER), MACHINE_STOP_DEADLOCK);
    assert_int_equal(woken, 1);
    assert_int_equal(KeReadStateEvent(&event), 0);
}

KERNEL_TEST(time_outs_are_relative_or_absolute)
{
    LARGE_INTEGER timeout = after_ms(5), now;
    uint64_t begin = machine_now_ns();

    KeInitializeEvent(&event, NotificationEvent, FALSE);
    assert_int_equal(KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, &timeout),
                     STATUS_TIMEOUT);
    assert_true(machine_now_ns() - begin >= 5 * NS_PER_MS);
    assert_true(machine_now_ns() - begin < 6 * NS_PER_MS);
    KeQuerySystemTimePrecise(&now);
    timeout.QuadPart = now.QuadPart + 30000;
    begin = machine_now_ns();
    assert_int_equal(KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, &timeout),
                     STATUS_TIMEOUT);
    assert_true(machine_now_ns() - begin >= 3 * NS_PER_MS - NS_PER_US);
    timeout.QuadPart = 0;
    assert_int_equal(KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, &timeout),
                     STATUS_TIMEOUT);
}

KERNEL_TEST(wait_for_any_takes_one_signal)
{
    void *objects[] = {&event, &other};
    LARGE_INTEGER zero = {0};

    KeInitializeEvent(&event, SynchronizationEvent, FALSE);
    KeInitializeEvent(&other, SynchronizationEvent, TRUE);
    assert_int_equal(
        KeWaitForMultipleObjects(2, objects, WaitAny, Executive, KernelMode, FALSE, NULL, NULL),
        STATUS_WAIT_0 + 1);
    assert_int_equal(KeReadStateEvent(&other), 0);
    assert_int_equal(
        KeWaitForMultipleObjects(2, objects, WaitAny, Executive, KernelMode, FALSE, &zero, NULL),
        STATUS_TIMEOUT);
}

static void set_both(void *argument)
{
    machine_spend(NS_PER_MS);
    KeSetEvent(&event, 0, FALSE);
    machine_spend(NS_PER_MS);
    KeSetEvent(&other, 0, FALSE);
}

KERNEL_TEST(wait_for_all_takes_none_until_it_has_all)
{
    void *objects[] = {&event, &other};
    LARGE_INTEGER timeout = after_ms(1);

    KeInitializeEvent(&event, SynchronizationEvent, FALSE);
    KeInitializeEvent(&other, SynchronizationEvent, FALSE);
    spawn("setter", set_both, NULL);
    timeout.QuadPart -= 5000;
    assert_int_equal(
        KeWaitForMultipleObjects(2, objects, WaitAll, Executive, KernelMode, FALSE, &timeout, NULL),
        STATUS_TIMEOUT);
    assert_int_equal(KeReadStateEvent(&event), 1);
    assert_int_equal(
        KeWaitForMultipleObjects(2, objects, WaitAll, Executive, KernelMode, FALSE, NULL, NULL),
        STATUS_WAIT_0);
    assert_int_equal(KeReadStateEvent(&event), 0);
    assert_int_equal(KeReadStateEvent(&other), 0);
}

static KMUTEX mutex;
static int inside, inside_max;

static void use_mutex(void *argument)
{
    for (unsigned i = 0; i < 50; i++) {
        KeWaitForMutexObject(&mutex, Executive, KernelMode, FALSE, NULL);
        KeWaitForMutexObject(&mutex, Executive, KernelMode, FALSE, NULL);
        inside_max = ++inside > inside_max ? inside : inside_max;
        machine_spend(100);
        machine_yield();
        inside--;
        KeReleaseMutex(&mutex, FALSE);
        KeReleaseMutex(&mutex, FALSE);
    }
}

static void a_mutex_excludes_and_recurses(void **state)
{
    inside = inside_max = 0;
    KeInitializeMutex(&mutex, 0);
    for (unsigned i = 0; i < 4; i++) {
        spawn("user", use_mutex, NULL);
    }
    assert_int_equal(machine_run(NS_PER_S), MACHINE_STOP_DONE);
    assert_int_equal(inside_max, 1);
    assert_int_equal(KeReadStateMutex(&mutex), 1);
}

KERNEL_TEST(releasing_a_foreign_mutex_raises)
{
    KeInitializeMutex(&mutex, 0);
    assert_int_equal(RAISED_BY(KeReleaseMutex(&mutex, FALSE)), STATUS_MUTANT_NOT_OWNED);
    assert_int_equal(misuse_count(), 0); /* the driver may catch it */
}

KERNEL_TEST(a_semaphore_counts)
{
    KSEMAPHORE semaphore;
    LARGE_INTEGER zero = {0};

    KeInitializeSemaphore(&semaphore, 1, 3);
    assert_int_equal(KeReleaseSemaphore(&semaphore, 0, 2, FALSE), 1);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(KeWaitForSingleObject(&semaphore, Executive, KernelMode, FALSE, &zero),
                         STATUS_SUCCESS);
    }
    assert_int_equal(KeWaitForSingleObject(&semaphore, Executive, KernelMode, FALSE, &zero),
                     STATUS_TIMEOUT);
    assert_int_equal(RAISED_BY(KeReleaseSemaphore(&semaphore, 0, 4, FALSE)),
                     STATUS_SEMAPHORE_LIMIT_EXCEEDED);
}

/* One place that calls each. */
static __attribute__((noinline)) NTSTATUS wait_until(LONGLONG time)
{
    LARGE_INTEGER timeout = {.QuadPart = time};
    NTSTATUS status = KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, &timeout);

    KeDelayExecutionThread(KernelMode, FALSE, &timeout);
    return status;
}

KERNEL_TEST(a_wait_until_1601_is_advised_against)
{
    LARGE_INTEGER now;

    KeInitializeEvent(&event, NotificationEvent, FALSE);
    KeQuerySystemTime(&now);
    assert_int_equal(wait_until(-10000), STATUS_TIMEOUT);
    assert_int_equal(wait_until(now.QuadPart - 1), STATUS_TIMEOUT);
    assert_int_equal(seen.advices, 0);
    assert_int_equal(wait_until(10000000), STATUS_TIMEOUT); /* "a second" */
    assert_int_equal(seen.advices, 2);
    assert_int_equal(misuse_count(), 0);
}

static KEVENT thread_may_end;

static VOID NTAPI thread_routine(PVOID context)
{
    LARGE_INTEGER pause = after_ms(2);

    *(HANDLE *)context = PsGetCurrentThreadId();
    KeWaitForSingleObject(&thread_may_end, Executive, KernelMode, FALSE, NULL);
    KeDelayExecutionThread(KernelMode, FALSE, &pause);
    PsTerminateSystemThread(STATUS_ABANDONED);
}

KERNEL_TEST(a_thread_is_waited_for_through_its_handle)
{
    OBJECT_ATTRIBUTES attributes;
    CLIENT_ID id;
    HANDLE handle, seen_id = NULL;
    PVOID thread;

    InitializeObjectAttributes(&attributes, NULL, OBJ_KERNEL_HANDLE, NULL, NULL);
    KeInitializeEvent(&thread_may_end, NotificationEvent, FALSE);
    assert_int_equal(PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, &attributes, NULL, &id,
                                          thread_routine, &seen_id),
                     STATUS_SUCCESS);
    assert_int_equal(ObReferenceObjectByHandle(handle, THREAD_ALL_ACCESS, *PsThreadType, KernelMode,
                                               &thread, NULL),
                     STATUS_SUCCESS);
    assert_int_equal(nt_leak_report(NULL, NULL), 3); /* handle, reference and thread */
    assert_int_equal(ZwClose(handle), STATUS_SUCCESS);
    KeSetEvent(&thread_may_end, 0, FALSE);
    assert_int_equal(KeWaitForSingleObject(thread, Executive, KernelMode, FALSE, NULL),
                     STATUS_SUCCESS);
    assert_ptr_equal(seen_id, id.UniqueThread);
    ObDereferenceObject(thread);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
    assert_int_equal(misuse_count(), 0);
    ObDereferenceObject(thread);
    assert_int_equal(seen.misuses[NT_MISUSE_OBJECT], 1);
    ZwClose(handle);
    assert_int_equal(seen.misuses[NT_MISUSE_HANDLE], 1);
}

static unsigned dpc_runs;
static KIRQL dpc_irql;

static VOID NTAPI count_dpc(PKDPC dpc, PVOID context, PVOID argument1, PVOID argument2)
{
    dpc_runs++;
    dpc_irql = KeGetCurrentIrql();
}

static char told[256];

static void keep_told(void *ctx, const char *kind, const char *text)
{
    snprintf(told, sizeof told, "%s: %s", kind, text);
}

/* What is told of it names the call in which it was queued. */
KERNEL_TEST(a_queued_dpc_is_still_there)
{
    DRIVER_OBJECT *driver;
    KIRQL old;
    KDPC dpc;

    seen.call = 7;
    assert_int_equal(nt_driver_object_create("test", &driver), STATUS_SUCCESS);
    nt_driver_object_set_image(driver, (void *)(uintptr_t)count_dpc, 1);
    KeInitializeDpc(&dpc, count_dpc, NULL);
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    assert_true(KeInsertQueueDpc(&dpc, NULL, NULL));
    assert_int_equal(nt_leak_report(keep_told, NULL), 1);
    assert_non_null(strstr(told, "DPC: still queued"));
    assert_non_null(strstr(told, " in call 7"));
    KeLowerIrql(old);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
    nt_driver_object_set_image(driver, NULL, 0);
    nt_driver_object_destroy(driver);
}

KERNEL_TEST(a_timer_signals_and_queues_its_dpc)
{
    KTIMER timer;
    KDPC dpc;

    dpc_runs = 0;
    KeInitializeDpc(&dpc, count_dpc, NULL);
    KeInitializeTimerEx(&timer, SynchronizationTimer);
    assert_false(KeSetTimerEx(&timer, after_ms(3), 2, &dpc));
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(KeWaitForSingleObject(&timer, Executive, KernelMode, FALSE, NULL),
                         STATUS_SUCCESS);
    }
    assert_true(KeCancelTimer(&timer));
    assert_false(KeCancelTimer(&timer));
    KeFlushQueuedDpcs();
    assert_int_equal(dpc_runs, 4);
    assert_int_equal(dpc_irql, DISPATCH_LEVEL);
    assert_true(machine_now_ns() >= 9 * NS_PER_MS);
}

/* ---- Timers of the system's ---- */

static unsigned ex_runs, ex_ends;
static bool ex_deletes_itself;

static VOID NTAPI ex_ended(PVOID context)
{
    ex_ends++;
}

static BOOLEAN ex_delete(PEX_TIMER timer, BOOLEAN cancel, BOOLEAN wait)
{
    EXT_DELETE_PARAMETERS parameters;

    ExInitializeDeleteTimerParameters(&parameters);
    parameters.DeleteCallback = ex_ended;
    return ExDeleteTimer(timer, cancel, wait, &parameters);
}

static VOID NTAPI ex_ran(PEX_TIMER timer, PVOID context)
{
    ex_runs++;
    if (ex_deletes_itself) {
        assert_false(ex_delete(timer, FALSE, FALSE));
        assert_int_equal(ex_ends, 0); /* it is inside */
    }
}

static PEX_TIMER ex_start(bool deletes_itself)
{
    PEX_TIMER timer = ExAllocateTimer(ex_ran, NULL, EX_TIMER_NOTIFICATION);

    ex_runs = ex_ends = 0;
    ex_deletes_itself = deletes_itself;
    return timer;
}

static void sleep_ms(unsigned ms)
{
    LARGE_INTEGER due = after_ms(ms);

    KeDelayExecutionThread(KernelMode, FALSE, &due);
}

/* The callback may delete its own timer, which lives until it has returned. */
KERNEL_TEST(a_timer_is_deleted_by_its_callback)
{
    PEX_TIMER timer = ex_start(true);

    assert_false(ExSetTimer(timer, -20000, 0, NULL));
    sleep_ms(10);
    assert_int_equal(ex_runs, 1);
    assert_int_equal(ex_ends, 1);
    assert_int_equal(misuse_count(), 0);
    assert_int_equal(nt_pool_check(), 0);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
}

/* Without Cancel it expires before it goes: once, also if it is periodic. */
KERNEL_TEST(a_deleted_timer_expires_once_more)
{
    PEX_TIMER timer = ex_start(false);

    ExSetTimer(timer, -20000, 20000, NULL);
    assert_false(ex_delete(timer, FALSE, FALSE));
    assert_int_equal(ex_ends, 0);
    sleep_ms(20);
    assert_int_equal(ex_runs, 1);
    assert_int_equal(ex_ends, 1);
    timer = ex_start(false);
    ExSetTimer(timer, -20000, 0, NULL);
    assert_true(ex_delete(timer, TRUE, TRUE));
    assert_int_equal(ex_ends, 1);
    sleep_ms(20);
    assert_int_equal(ex_runs, 0);
    assert_int_equal(misuse_count(), 0);
    assert_int_equal(nt_pool_check(), 0);
    assert_false(ExCancelTimer(timer, NULL));
    assert_false(ex_delete(timer, TRUE, TRUE));
    assert_int_equal(seen.misuses[NT_MISUSE_OBJECT], 2);
    assert_int_equal(ex_ends, 1);
}

static void wait_at_dispatch(void *argument)
{
    LARGE_INTEGER zero = {0};

    KeInitializeEvent(&event, NotificationEvent, FALSE);
    KfRaiseIrql(DISPATCH_LEVEL);
    assert_int_equal(KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, &zero),
                     STATUS_TIMEOUT);
    assert_int_equal(misuse_count(), 0);
    KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, NULL);
}

static void blocking_at_dispatch_is_a_bug_check(void **state)
{
    assert_int_equal(run_task(wait_at_dispatch, NULL), MACHINE_STOP_HALTED);
    assert_int_equal(seen.bugcheck, ATTEMPTED_SWITCH_FROM_DPC);
    assert_int_equal(seen.misuses[NT_MISUSE_WAIT_IRQL], 1);
}

KERNEL_TEST(waiting_for_rubbish_is_misuse)
{
    char rubbish[64] = {0};

    assert_int_equal(KeWaitForSingleObject(rubbish, Executive, KernelMode, FALSE, NULL),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(seen.misuses[NT_MISUSE_OBJECT], 1);
}

static void wait_for_nothing(void *argument)
{
    KeWaitForSingleObject(NULL, Executive, KernelMode, FALSE, NULL);
}

static void waiting_for_nothing_is_a_bug_check(void **state)
{
    assert_int_equal(run_task(wait_for_nothing, NULL), MACHINE_STOP_HALTED);
    assert_int_equal(seen.bugcheck, IRQL_NOT_LESS_OR_EQUAL);
    assert_int_equal(seen.misuses[NT_MISUSE_OBJECT], 1);
}

KERNEL_TEST(the_finest_timer_resolution_that_was_asked_for_counts)
{
    assert_int_equal(ExSetTimerResolution(10000, TRUE), 10000);
    assert_int_equal(ExSetTimerResolution(20000, TRUE), 10000);
    assert_int_equal(ExSetTimerResolution(1, TRUE), 5000);
    ExSetTimerResolution(0, FALSE);
    ExSetTimerResolution(0, FALSE);
    assert_int_equal(ExSetTimerResolution(0, FALSE), 156250);
}

KERNEL_TEST(a_thread_without_a_process_is_a_system_thread)
{
    assert_true(PsIsSystemThread(PsGetCurrentThread()));
}

KERNEL_TEST(an_entry_of_the_error_log_has_its_bounds)
{
    void *entry = IoAllocateErrorLogEntry(NULL, 64);

    assert_non_null(entry);
    IoFreeErrorLogEntry(entry);
    assert_null(IoAllocateErrorLogEntry(NULL, 255));
    assert_null(IoAllocateErrorLogEntry(NULL, 0));
}

KERNEL_TEST(a_signal_that_promises_a_wait_is_followed_by_one)
{
    LARGE_INTEGER now = {.QuadPart = 0};
    KSEMAPHORE semaphore;

    KeInitializeEvent(&event, NotificationEvent, FALSE);
    KeInitializeSemaphore(&semaphore, 0, 9);
    KeSetEvent(&event, 0, TRUE);
    KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, &now);
    KeReleaseSemaphore(&semaphore, 0, 1, TRUE);
    KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, &now);
    KeSetEvent(&event, 0, FALSE);
    KeClearEvent(&event);
    assert_int_equal(misuse_count(), 0);
    KeSetEvent(&event, 0, TRUE);
    KeClearEvent(&event);
    assert_int_equal(seen.misuses[NT_MISUSE_ARGUMENT], 1);
    KeClearEvent(&event); /* told once */
    KeReleaseSemaphore(&semaphore, 0, 1, TRUE);
    KeReadStateSemaphore(&semaphore);
    assert_int_equal(seen.misuses[NT_MISUSE_ARGUMENT], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KERNEL_UNIT_TEST(a_notification_event_wakes_all),
        KERNEL_UNIT_TEST(a_signal_that_promises_a_wait_is_followed_by_one),
        KERNEL_UNIT_TEST(a_synchronization_event_wakes_one),
        KERNEL_UNIT_TEST(time_outs_are_relative_or_absolute),
        KERNEL_UNIT_TEST(wait_for_any_takes_one_signal),
        KERNEL_UNIT_TEST(wait_for_all_takes_none_until_it_has_all),
        KERNEL_UNIT_TEST(a_mutex_excludes_and_recurses),
        KERNEL_UNIT_TEST(releasing_a_foreign_mutex_raises),
        KERNEL_UNIT_TEST(a_semaphore_counts),
        KERNEL_UNIT_TEST(a_thread_is_waited_for_through_its_handle),
        KERNEL_UNIT_TEST(a_queued_dpc_is_still_there),
        KERNEL_UNIT_TEST(a_timer_signals_and_queues_its_dpc),
        KERNEL_UNIT_TEST(a_timer_is_deleted_by_its_callback),
        KERNEL_UNIT_TEST(a_deleted_timer_expires_once_more),
        KERNEL_UNIT_TEST(blocking_at_dispatch_is_a_bug_check),
        KERNEL_UNIT_TEST(waiting_for_nothing_is_a_bug_check),
        KERNEL_UNIT_TEST(waiting_for_rubbish_is_misuse),
        KERNEL_UNIT_TEST(a_wait_until_1601_is_advised_against),
        KERNEL_UNIT_TEST(the_finest_timer_resolution_that_was_asked_for_counts),
        KERNEL_UNIT_TEST(a_thread_without_a_process_is_a_system_thread),
        KERNEL_UNIT_TEST(an_entry_of_the_error_log_has_its_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

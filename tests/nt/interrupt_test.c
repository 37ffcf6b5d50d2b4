/* Interrupts that drivers connect by themselves: by vector, by line, by message; their spin locks.
 */
#include "nt/support.h"

#include "machine/fake_device.h"

static struct pci_slot *slot;
static DEVICE_OBJECT *device;
static uint32_t *registers;
static PKINTERRUPT interrupt;
static KEVENT served_event;
static KDPC dpc;
static unsigned served, inside, overlaps;
static ULONG served_message;

/* Counts who is inside beside it, and gives the others every chance to come in. */
static void dwell(void)
{
    overlaps += inside++ > 0;
    for (unsigned i = 0; i < 4; i++) {
        machine_spend(200);
        machine_yield();
    }
    inside--;
}

static VOID NTAPI tell(PKDPC self, PVOID context, PVOID argument1, PVOID argument2)
{
    KeSetEvent(&served_event, 0, FALSE);
}

static BOOLEAN serve_device(void)
{
    uint64_t status;

    dwell();
    assert_true(mmio_read(&registers[FAKE_STATUS], 4, &status));
    if (status == 0) {
        return FALSE;
    }
    served++;
    assert_true(mmio_write(&registers[FAKE_STATUS], 4, status));
    KeInsertQueueDpc(&dpc, NULL, NULL);
    return TRUE;
}

static BOOLEAN NTAPI service(PKINTERRUPT self, PVOID context)
{
    assert_ptr_equal(context, &served);
    return serve_device();
}

static BOOLEAN NTAPI message_service(PKINTERRUPT self, PVOID context, ULONG message)
{
    assert_ptr_equal(context, &served);
    served_message = message;
    return serve_device();
}

static void plug(bool messages)
{
    struct pci_options options = {.messages = messages};

    served = inside = overlaps = 0;
    assert_int_equal(pci_plug(&fake_model, NULL, &options, &slot), STATUS_SUCCESS);
    assert_int_equal(nt_device_create(slot, &device), STATUS_SUCCESS);
    registers = io_map(pci_resources(slot)->bars[FAKE_REGISTER_BAR].base, 4096);
    assert_non_null(registers);
    KeInitializeEvent(&served_event, SynchronizationEvent, FALSE);
    KeInitializeDpc(&dpc, tell, NULL);
}

static void connect_line(void)
{
    IO_CONNECT_INTERRUPT_PARAMETERS parameters = {
        .Version = CONNECT_LINE_BASED,
        .LineBased = {.PhysicalDeviceObject = device,
                      .InterruptObject = &interrupt,
                      .ServiceRoutine = service,
                      .ServiceContext = &served},
    };

    assert_int_equal(IoConnectInterruptEx(&parameters), STATUS_SUCCESS);
    assert_non_null(interrupt);
}

static void disconnect(void)
{
    IO_DISCONNECT_INTERRUPT_PARAMETERS parameters = {
        .Version = CONNECT_LINE_BASED, .ConnectionContext.InterruptObject = interrupt};

    IoDisconnectInterruptEx(&parameters);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
}

static void ask(void)
{
    assert_true(mmio_write(&registers[FAKE_CONTROL], 4, 1));
}

static void wait_until_served(void)
{
    LARGE_INTEGER second = {.QuadPart = -10000000};

    assert_int_equal(KeWaitForSingleObject(&served_event, Executive, KernelMode, FALSE, &second),
                     STATUS_SUCCESS);
}

KERNEL_TEST(a_line_is_served)
{
    plug(false);
    connect_line();
    ask();
    wait_until_served();
    assert_int_equal(served, 1);
    disconnect();
    ask();
    machine_spend(NS_PER_MS);
    assert_int_equal(served, 1);
    assert_int_equal(misuse_count(), 0);
}

KERNEL_TEST(messages_have_an_object_each_and_share_a_lock)
{
    PIO_INTERRUPT_MESSAGE_INFO table = NULL;
    IO_CONNECT_INTERRUPT_PARAMETERS parameters = {
        .Version = CONNECT_MESSAGE_BASED,
        .MessageBased = {.ConnectionContext.InterruptMessageTable = &table,
                         .MessageServiceRoutine = message_service,
                         .ServiceContext = &served,
                         .FallBackServiceRoutine = service},
    };
    IO_DISCONNECT_INTERRUPT_PARAMETERS end = {.Version = CONNECT_MESSAGE_BASED};

    plug(true);
    parameters.MessageBased.PhysicalDeviceObject = device;
    assert_int_equal(IoConnectInterruptEx(&parameters), STATUS_SUCCESS);
    assert_int_equal(parameters.Version, CONNECT_MESSAGE_BASED);
    assert_int_equal(table->MessageCount, pci_resources(slot)->message_count);
    assert_int_equal(table->UnifiedIrql, pci_resources(slot)->interrupt_irql);
    assert_ptr_not_equal(table->MessageInfo[0].InterruptObject,
                         table->MessageInfo[1].InterruptObject);
    served_message = 99;
    ask();
    wait_until_served();
    assert_int_equal(served_message, 0);
    IoDisconnectInterrupt(table->MessageInfo[0].InterruptObject); /* not alone */
    assert_int_equal(seen.misuses[NT_MISUSE_OBJECT], 1);
    end.ConnectionContext.InterruptMessageTable = table;
    IoDisconnectInterruptEx(&end);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
    IoDisconnectInterruptEx(&end);
    assert_int_equal(seen.misuses[NT_MISUSE_OBJECT], 2);
}

KERNEL_TEST(without_messages_the_fallback_is_connected)
{
    IO_CONNECT_INTERRUPT_PARAMETERS parameters = {
        .Version = CONNECT_MESSAGE_BASED,
        .MessageBased = {.ConnectionContext.InterruptObject = &interrupt,
                         .MessageServiceRoutine = message_service,
                         .ServiceContext = &served},
    };

    plug(false);
    parameters.MessageBased.PhysicalDeviceObject = device;
    assert_int_equal(IoConnectInterruptEx(&parameters), STATUS_NOT_FOUND);
    parameters.MessageBased.FallBackServiceRoutine = service;
    assert_int_equal(IoConnectInterruptEx(&parameters), STATUS_SUCCESS);
    assert_int_equal(parameters.Version, CONNECT_LINE_BASED);
    ask();
    wait_until_served();
    assert_int_equal(served, 1);
    disconnect();
}

KERNEL_TEST(a_vector_is_connected_fully_specified)
{
    KSPIN_LOCK lock = 0;
    IO_CONNECT_INTERRUPT_PARAMETERS parameters = {
        .Version = CONNECT_FULLY_SPECIFIED,
        .FullySpecified = {.InterruptObject = &interrupt,
                           .ServiceRoutine = service,
                           .ServiceContext = &served,
                           .SpinLock = &lock},
    };

    plug(false);
    parameters.FullySpecified.Vector = 0xFFF;
    assert_int_equal(IoConnectInterruptEx(&parameters), STATUS_INVALID_PARAMETER);
    parameters.FullySpecified.Vector = pci_resources(slot)->interrupt_vector;
    parameters.FullySpecified.SynchronizeIrql = 3; /* below the device's */
    assert_int_equal(IoConnectInterruptEx(&parameters), STATUS_INVALID_PARAMETER);
    assert_int_equal(seen.misuses[NT_MISUSE_ARGUMENT], 2);
    parameters.FullySpecified.SynchronizeIrql = 12;
    assert_int_equal(IoConnectInterruptEx(&parameters), STATUS_SUCCESS);
    assert_int_equal(KeAcquireInterruptSpinLock(interrupt), PASSIVE_LEVEL);
    assert_int_equal(KeGetCurrentIrql(), 12);
    assert_int_not_equal(lock, 0); /* the driver's own */
    KeReleaseInterruptSpinLock(interrupt, PASSIVE_LEVEL);
    assert_int_equal(lock, 0);
    assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    ask();
    wait_until_served();
    disconnect();
}

static unsigned users;

static void use_lock(void *argument)
{
    for (unsigned i = 0; i < 30; i++) {
        KIRQL old = KeAcquireInterruptSpinLock(interrupt);
        assert_int_equal(KeGetCurrentIrql(), pci_resources(slot)->interrupt_irql);
        dwell();
        ask();
        KeReleaseInterruptSpinLock(interrupt, old);
        assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
    }
    users--;
}

static BOOLEAN NTAPI dwell_synchronized(PVOID context)
{
    dwell();
    return TRUE;
}

KERNEL_TEST(the_lock_keeps_out_the_routine_and_other_threads)
{
    plug(false);
    connect_line();
    users = 2;
    spawn("user", use_lock, NULL);
    spawn("user", use_lock, NULL);
    while (users > 0) {
        assert_true(KeSynchronizeExecution(interrupt, dwell_synchronized, NULL));
        machine_spend(NS_PER_US);
    }
    wait_until_served();
    assert_true(served > 0);
    assert_int_equal(overlaps, 0);
    assert_int_equal(misuse_count(), 0);
    assert_int_equal(seen.irql_violations, 0);
    disconnect();
}

static void take_twice(void *argument)
{
    plug(false);
    connect_line();
    KeAcquireInterruptSpinLock(interrupt);
    KeAcquireInterruptSpinLock(interrupt);
}

static void taking_the_lock_twice_is_told(void **state)
{
    assert_int_equal(run_task(take_twice, NULL), MACHINE_STOP_HALTED);
    assert_int_equal(seen.misuses[NT_MISUSE_SPIN_DEADLOCK], 1);
    assert_int_equal(seen.bugcheck, SPIN_LOCK_ALREADY_OWNED);
}

static void synchronize_under_it(void *argument)
{
    plug(false);
    connect_line();
    KeAcquireInterruptSpinLock(interrupt);
    KeSynchronizeExecution(interrupt, dwell_synchronized, NULL);
}

static void synchronizing_under_the_lock_is_told(void **state)
{
    assert_int_equal(run_task(synchronize_under_it, NULL), MACHINE_STOP_HALTED);
    assert_int_equal(seen.misuses[NT_MISUSE_SPIN_DEADLOCK], 1);
}

/* The level that keeps the routine away is given up: it comes, and spins on its own CPU's lock. */
KERNEL_TEST(lowering_the_level_under_the_lock_is_told)
{
    KIRQL old;

    plug(false);
    connect_line();
    old = KeAcquireInterruptSpinLock(interrupt);
    KeLowerIrql(old);
    assert_int_equal(seen.misuses[NT_MISUSE_IRQL_ORDER], 1);
    for (unsigned i = 0; i < 20; i++) {
        ask();
        machine_spend(NS_PER_MS);
    }
    assert_true(served > 0);
    assert_true(seen.misuses[NT_MISUSE_SPIN_DEADLOCK] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KERNEL_UNIT_TEST(a_line_is_served),
        KERNEL_UNIT_TEST(messages_have_an_object_each_and_share_a_lock),
        KERNEL_UNIT_TEST(without_messages_the_fallback_is_connected),
        KERNEL_UNIT_TEST(a_vector_is_connected_fully_specified),
        KERNEL_UNIT_TEST(the_lock_keeps_out_the_routine_and_other_threads),
        KERNEL_UNIT_TEST(taking_the_lock_twice_is_told),
        KERNEL_UNIT_TEST(synchronizing_under_the_lock_is_told),
        KERNEL_UNIT_TEST(lowering_the_level_under_the_lock_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

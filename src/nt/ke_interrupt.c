/* nt/ke_interrupt.c: interrupt objects of drivers, for those that connect their own.
 *
 * A display miniport's routine is connected by the graphics kernel; these functions serve drivers
 * that go to the I/O manager for it: for a vector, for the line of a device, or for its messages,
 * each of which has an object of its own and all of which share a lock. */
#include "nt/internal.h"

#include <limits.h>
#include <stdlib.h>

struct _KINTERRUPT {
    struct list link;
    struct interrupt *machine;
    PKSERVICE_ROUTINE routine;
    PKMESSAGE_SERVICE_ROUTINE message_routine; /* instead, for messages */
    void *context;
    struct nt_origin from;
    ULONG message;
    struct message_table *table; /* of all the device's messages; NULL: connected alone */
};

struct message_table {
    struct list link;
    struct spin_lock lock;
    IO_INTERRUPT_MESSAGE_INFO *info; /* what the driver sees */
};

/* What all ways to connect have in common. */
struct connection {
    const struct pci_resources *resources;
    PKSERVICE_ROUTINE routine;
    PKMESSAGE_SERVICE_ROUTINE message_routine;
    void *context;
    struct spin_lock *lock; /* NULL: one of its own */
    KIRQL irql;             /* of the routine; 0: that of the device */
    struct message_table *table;
};

static struct list interrupts = {&interrupts, &interrupts}, tables = {&tables, &tables};

static void deadlocked(void *context)
{
    struct export_call call = {EXPORT_ID_KeAcquireInterruptSpinLock, NULL};

    misuse(NT_MISUSE_SPIN_DEADLOCK, &call,
           "a service routine waits for ever for its lock: the holder was interrupted by it, or "
           "waits for a spin lock of the code it interrupted");
}

void interrupt_start(void)
{
    interrupt_set_deadlock_hook(deadlocked, NULL);
}

static bool serve(void *context, unsigned message)
{
    struct _KINTERRUPT *interrupt = context;
    uintptr_t mark = task_set_stack_mark((uintptr_t)__builtin_frame_address(0));
    bool ours = interrupt->message_routine
                    ? NT_CALL_DRIVER("a service routine", interrupt->message_routine,
                                     (interrupt, interrupt->context, interrupt->message))
                    : NT_CALL_DRIVER("a service routine", interrupt->routine,
                                     (interrupt, interrupt->context));

    task_set_stack_mark(mark);
    return ours;
}

/* ---- Connecting ------------------------------------------------------------------------------ */

/* message: which one; with UINT_MAX, the line or all messages. */
static NTSTATUS connect(const struct connection *connection, unsigned message,
                        const struct export_call *call, PKINTERRUPT *out)
{
    const struct pci_resources *resources = connection->resources;
    struct interrupt_options options = {.routine = serve, .lock = connection->lock};
    struct _KINTERRUPT *interrupt = calloc(1, sizeof(*interrupt));
    NTSTATUS status;

    if (!interrupt) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    interrupt->routine = connection->routine;
    interrupt->message_routine = connection->message_routine;
    interrupt->context = connection->context;
    interrupt->from = origin_of(call->caller);
    interrupt->table = connection->table;
    options.line = resources->interrupt_line;
    options.message_count = resources->message_count;
    options.line_count = resources->line_count;
    if (message != UINT_MAX) {
        interrupt->message = message;
        options.line += message;
        options.message_count = 1;
    }
    options.irql = resources->interrupt_irql;
    if (connection->irql > options.irql) {
        options.irql = connection->irql;
    }
    options.context = interrupt;
    status = interrupt_connect(&options, &interrupt->machine);
    if (!NT_SUCCESS(status)) {
        free(interrupt);
        return status;
    }
    list_push_back(&interrupts, &interrupt->link);
    *out = interrupt;
    return STATUS_SUCCESS;
}

/* The arguments that every way to connect takes. */
static bool accepts(const struct connection *connection, const struct export_call *call)
{
    if (!connection->routine && !connection->message_routine) {
        misuse(NT_MISUSE_ARGUMENT, call, "connects an interrupt without a service routine");
        return false;
    }
    if (connection->irql && connection->irql < connection->resources->interrupt_irql) {
        misuse(NT_MISUSE_ARGUMENT, call, "SynchronizeIrql %u lies below the interrupt's level %u",
               connection->irql, connection->resources->interrupt_irql);
        return false;
    }
    if (connection->lock && connection->lock->owner_cpu_plus_one > MACHINE_CPU_COUNT_MAX) {
        misuse(NT_MISUSE_ARGUMENT, call, "the spin lock was never initialised");
        return false;
    }
    return true;
}

static NTSTATUS connect_vector(const struct connection *connection, ULONG vector,
                               const struct export_call *call, PKINTERRUPT *out)
{
    struct connection found = *connection;
    struct pci_slot *slot = device_slot_of_vector(vector);

    *out = NULL;
    if (!slot) {
        misuse(NT_MISUSE_ARGUMENT, call, "no device has interrupt vector 0x%x", vector);
        return STATUS_INVALID_PARAMETER;
    }
    found.resources = pci_resources(slot);
    return accepts(&found, call) ? connect(&found, UINT_MAX, call, out) : STATUS_INVALID_PARAMETER;
}

NTSTATUS NTAPI IoConnectInterrupt(PKINTERRUPT *InterruptObject, PKSERVICE_ROUTINE ServiceRoutine,
                                  PVOID ServiceContext, PKSPIN_LOCK SpinLock, ULONG Vector,
                                  KIRQL Irql, KIRQL SynchronizeIrql, KINTERRUPT_MODE InterruptMode,
                                  BOOLEAN ShareVector, KAFFINITY ProcessorEnableMask,
                                  BOOLEAN FloatingSave)
{
    struct export_call call = NT_EXPORT_CALL(IoConnectInterrupt);
    struct connection connection = {.routine = ServiceRoutine,
                                    .context = ServiceContext,
                                    .lock = (struct spin_lock *)SpinLock,
                                    .irql = SynchronizeIrql};

    return connect_vector(&connection, Vector, &call, InterruptObject);
}

static NTSTATUS connect_fully(IO_CONNECT_INTERRUPT_FULLY_SPECIFIED_PARAMETERS *parameters,
                              const struct export_call *call)
{
    struct connection connection = {.routine = parameters->ServiceRoutine,
                                    .context = parameters->ServiceContext,
                                    .lock = (struct spin_lock *)parameters->SpinLock,
                                    .irql = parameters->SynchronizeIrql};

    return connect_vector(&connection, parameters->Vector, call, parameters->InterruptObject);
}

static NTSTATUS connect_line(IO_CONNECT_INTERRUPT_LINE_BASED_PARAMETERS *parameters,
                             const struct pci_resources *resources, const struct export_call *call)
{
    struct connection connection = {.resources = resources,
                                    .routine = parameters->ServiceRoutine,
                                    .context = parameters->ServiceContext,
                                    .lock = (struct spin_lock *)parameters->SpinLock,
                                    .irql = parameters->SynchronizeIrql};

    *parameters->InterruptObject = NULL;
    if (resources->message_count) {
        return STATUS_NOT_FOUND; /* the device was given messages, and has no line */
    }
    return accepts(&connection, call)
               ? connect(&connection, UINT_MAX, call, parameters->InterruptObject)
               : STATUS_INVALID_PARAMETER;
}

/* ---- Messages -------------------------------------------------------------------------------- */

static void disconnect(struct _KINTERRUPT *interrupt)
{
    interrupt_disconnect(interrupt->machine);
    list_remove(&interrupt->link);
    free(interrupt);
}

static void table_free(struct message_table *table)
{
    list_for_each_safe (link, &interrupts) {
        struct _KINTERRUPT *interrupt = container_of(link, struct _KINTERRUPT, link);
        if (interrupt->table == table) {
            disconnect(interrupt);
        }
    }
    list_remove(&table->link);
    nt_memory_free(table->info);
    free(table);
}

static struct message_table *table_new(const struct connection *connection)
{
    struct message_table *table = calloc(1, sizeof(*table));
    const struct pci_resources *resources = connection->resources;
    size_t entries = resources->message_count * sizeof(IO_INTERRUPT_MESSAGE_INFO_ENTRY);

    if (!table) {
        return NULL;
    }
    table->info = nt_memory_alloc(offsetof(IO_INTERRUPT_MESSAGE_INFO, MessageInfo) + entries,
                                  POOL_TAG('I', 'o', 'M', 's'));
    if (!table->info) {
        free(table);
        return NULL;
    }
    table->info->UnifiedIrql = resources->interrupt_irql;
    if (connection->irql > table->info->UnifiedIrql) {
        table->info->UnifiedIrql = connection->irql;
    }
    table->info->MessageCount = resources->message_count;
    list_push_back(&tables, &table->link);
    return table;
}

static void fill_entry(IO_INTERRUPT_MESSAGE_INFO_ENTRY *entry,
                       const struct pci_resources *resources, unsigned message)
{
    entry->TargetProcessorSet = 1;
    entry->MessageData = resources->interrupt_vector + message;
    entry->Vector = resources->interrupt_vector + message;
    entry->Irql = resources->interrupt_irql;
    entry->Mode = Latched;
    entry->Polarity = InterruptPolarityUnknown;
}

static NTSTATUS connect_messages(const IO_CONNECT_INTERRUPT_MESSAGE_BASED_PARAMETERS *parameters,
                                 struct connection *connection, const struct export_call *call)
{
    struct message_table *table = table_new(connection);

    *parameters->ConnectionContext.InterruptMessageTable = NULL;
    if (!table) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    connection->table = table;
    connection->lock = connection->lock ? connection->lock : &table->lock;
    for (unsigned i = 0; i < table->info->MessageCount; i++) {
        IO_INTERRUPT_MESSAGE_INFO_ENTRY *entry = &table->info->MessageInfo[i];
        NTSTATUS status = connect(connection, i, call, &entry->InterruptObject);
        if (!NT_SUCCESS(status)) {
            table_free(table);
            return status;
        }
        fill_entry(entry, connection->resources, i);
    }
    *parameters->ConnectionContext.InterruptMessageTable = table->info;
    return STATUS_SUCCESS;
}

/* *version says afterwards whether it was the fallback that was connected. */
static NTSTATUS connect_message_based(IO_CONNECT_INTERRUPT_MESSAGE_BASED_PARAMETERS *parameters,
                                      const struct pci_resources *resources, ULONG *version,
                                      const struct export_call *call)
{
    struct connection connection = {.resources = resources,
                                    .message_routine = parameters->MessageServiceRoutine,
                                    .context = parameters->ServiceContext,
                                    .lock = (struct spin_lock *)parameters->SpinLock,
                                    .irql = parameters->SynchronizeIrql};

    if (resources->message_count) {
        return accepts(&connection, call) ? connect_messages(parameters, &connection, call)
                                          : STATUS_INVALID_PARAMETER;
    }
    *parameters->ConnectionContext.InterruptObject = NULL;
    if (!parameters->FallBackServiceRoutine) {
        return STATUS_NOT_FOUND;
    }
    connection.message_routine = NULL;
    connection.routine = parameters->FallBackServiceRoutine;
    *version = CONNECT_LINE_BASED;
    return accepts(&connection, call)
               ? connect(&connection, UINT_MAX, call, parameters->ConnectionContext.InterruptObject)
               : STATUS_INVALID_PARAMETER;
}

NTSTATUS NTAPI IoConnectInterruptEx(PIO_CONNECT_INTERRUPT_PARAMETERS Parameters)
{
    struct export_call call = NT_EXPORT_CALL(IoConnectInterruptEx);
    struct pdo *pdo;

    if (Parameters->Version == CONNECT_FULLY_SPECIFIED ||
        Parameters->Version == CONNECT_FULLY_SPECIFIED_GROUP) {
        return connect_fully(&Parameters->FullySpecified, &call);
    }
    if (Parameters->Version != CONNECT_LINE_BASED && Parameters->Version != CONNECT_MESSAGE_BASED) {
        misuse(NT_MISUSE_ARGUMENT, &call, "there is no way %u to connect", Parameters->Version);
        return STATUS_INVALID_PARAMETER;
    }
    /* The first member of all of them. */
    pdo = pdo_of(Parameters->LineBased.PhysicalDeviceObject);
    if (!pdo) {
        misuse(NT_MISUSE_OBJECT, &call, "that is no physical device object");
        return STATUS_INVALID_PARAMETER;
    }
    const struct pci_resources *resources =
        pci_resources(nt_device_slot(Parameters->LineBased.PhysicalDeviceObject));
    return Parameters->Version == CONNECT_LINE_BASED
               ? connect_line(&Parameters->LineBased, resources, &call)
               : connect_message_based(&Parameters->MessageBased, resources, &Parameters->Version,
                                       &call);
}

/* ---- Disconnecting --------------------------------------------------------------------------- */

static struct _KINTERRUPT *check(PKINTERRUPT interrupt, const struct export_call *call)
{
    list_for_each (link, &interrupts) {
        if (container_of(link, struct _KINTERRUPT, link) == interrupt) {
            return interrupt;
        }
    }
    misuse(NT_MISUSE_OBJECT, call, "that is no connected interrupt");
    return NULL;
}

static void disconnect_alone(PKINTERRUPT interrupt, const struct export_call *call)
{
    if (!check(interrupt, call)) {
        return;
    }
    if (interrupt->table) {
        misuse(NT_MISUSE_OBJECT, call,
               "that interrupt is one of a message table: disconnect the table");
        return;
    }
    disconnect(interrupt);
}

VOID NTAPI IoDisconnectInterrupt(PKINTERRUPT InterruptObject)
{
    struct export_call call = NT_EXPORT_CALL(IoDisconnectInterrupt);
    disconnect_alone(InterruptObject, &call);
}

VOID NTAPI IoDisconnectInterruptEx(PIO_DISCONNECT_INTERRUPT_PARAMETERS Parameters)
{
    struct export_call call = NT_EXPORT_CALL(IoDisconnectInterruptEx);

    if (Parameters->Version != CONNECT_MESSAGE_BASED) {
        disconnect_alone(Parameters->ConnectionContext.InterruptObject, &call);
        return;
    }
    list_for_each (link, &tables) {
        struct message_table *table = container_of(link, struct message_table, link);
        if (table->info == Parameters->ConnectionContext.InterruptMessageTable) {
            table_free(table);
            return;
        }
    }
    misuse(NT_MISUSE_OBJECT, &call, "that is no connected message table");
}

/* ---- Excluding the service routine ----------------------------------------------------------- */

static _Noreturn void deadlock(PKINTERRUPT interrupt, const struct export_call *call)
{
    misuse(NT_MISUSE_SPIN_DEADLOCK, call, "CPU %u already holds the spin lock of this interrupt",
           cpu_current());
    bugcheck_from(call->caller, SPIN_LOCK_ALREADY_OWNED, (uintptr_t)interrupt, 0, 0, 0);
}

struct synchronized {
    PKSYNCHRONIZE_ROUTINE routine;
    void *context;
};

static bool run_synchronized(void *context)
{
    struct synchronized *synchronized = context;

    return NT_CALL_DRIVER("a synchronized routine", synchronized->routine, (synchronized->context));
}

BOOLEAN NTAPI KeSynchronizeExecution(PKINTERRUPT Interrupt,
                                     PKSYNCHRONIZE_ROUTINE SynchronizeRoutine,
                                     PVOID SynchronizeContext)
{
    struct export_call call = NT_EXPORT_CALL(KeSynchronizeExecution);
    struct synchronized synchronized = {SynchronizeRoutine, SynchronizeContext};

    if (!check(Interrupt, &call)) {
        return FALSE;
    }
    if (interrupt_in_service_here(Interrupt->machine)) {
        deadlock(Interrupt, &call);
    }
    export_irql_above(&call, interrupt_irql(Interrupt->machine));
    return interrupt_synchronize(Interrupt->machine, run_synchronized, &synchronized);
}

KIRQL NTAPI KeAcquireInterruptSpinLock(PKINTERRUPT Interrupt)
{
    struct export_call call = NT_EXPORT_CALL(KeAcquireInterruptSpinLock);
    uint8_t old = irql_current();

    if (!check(Interrupt, &call)) {
        return old;
    }
    export_irql_above(&call, interrupt_irql(Interrupt->machine));
    if (interrupt_lock(Interrupt->machine, &old) == SPIN_SELF_DEADLOCK) {
        deadlock(Interrupt, &call);
    }
    spin_locks_count(1);
    return old;
}

VOID NTAPI KeReleaseInterruptSpinLock(PKINTERRUPT Interrupt, KIRQL OldIrql)
{
    struct export_call call = NT_EXPORT_CALL(KeReleaseInterruptSpinLock);

    if (!check(Interrupt, &call)) {
        return;
    }
    if (!interrupt_in_service_here(Interrupt->machine)) {
        misuse(NT_MISUSE_SPIN_OWNER, &call, "CPU %u does not hold the spin lock of this interrupt",
               cpu_current());
        return;
    }
    if (OldIrql > irql_current()) {
        misuse(NT_MISUSE_IRQL_ORDER, &call, "lowers the IRQL from %u to the higher %u",
               irql_current(), OldIrql);
        OldIrql = irql_current();
    }
    spin_locks_count(-1);
    interrupt_unlock(Interrupt->machine, OldIrql);
}

void interrupt_leaks(struct leak_visitor *visitor)
{
    list_for_each (link, &interrupts) {
        const struct _KINTERRUPT *interrupt = container_of(link, struct _KINTERRUPT, link);
        char where[NT_ORIGIN_MAX];
        nt_origin_text(&interrupt->from, where, sizeof(where));
        leak(visitor, "interrupt", "still connected, by %s", where);
    }
}

void interrupt_stop(void)
{
    list_for_each_safe (link, &tables) {
        table_free(container_of(link, struct message_table, link));
    }
    list_for_each_safe (link, &interrupts) {
        disconnect(container_of(link, struct _KINTERRUPT, link));
    }
}

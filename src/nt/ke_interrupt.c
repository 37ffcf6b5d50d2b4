/* nt/ke_interrupt.c: interrupt objects of drivers, for those that connect their own.
 *
 * A display miniport's routine is connected by the graphics kernel; these functions serve drivers
 * that go to the I/O manager for it. */
#include "nt/internal.h"

#include <stdlib.h>

struct _KINTERRUPT {
    struct list link;
    struct interrupt *machine;
    PKSERVICE_ROUTINE routine;
    void *context;
    const void *caller;
    KIRQL irql;
};

static struct list interrupts = {&interrupts, &interrupts};

static bool serve(void *context, unsigned message)
{
    struct _KINTERRUPT *interrupt = context;

    return interrupt->routine(interrupt, interrupt->context);
}

NTSTATUS NTAPI IoConnectInterrupt(PKINTERRUPT *InterruptObject, PKSERVICE_ROUTINE ServiceRoutine,
                                  PVOID ServiceContext, PKSPIN_LOCK SpinLock, ULONG Vector,
                                  KIRQL Irql, KIRQL SynchronizeIrql, KINTERRUPT_MODE InterruptMode,
                                  BOOLEAN ShareVector, KAFFINITY ProcessorEnableMask,
                                  BOOLEAN FloatingSave)
{
    struct export_call call = NT_EXPORT_CALL(IoConnectInterrupt);
    struct pci_slot *slot = device_slot_of_vector(Vector);
    struct interrupt_options options = {.routine = serve};
    struct _KINTERRUPT *interrupt;
    NTSTATUS status;

    *InterruptObject = NULL;
    if (!slot) {
        misuse(NT_MISUSE_ARGUMENT, &call, "no device has interrupt vector 0x%x", Vector);
        return STATUS_INVALID_PARAMETER;
    }
    interrupt = calloc(1, sizeof(*interrupt));
    if (!interrupt) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    interrupt->routine = ServiceRoutine;
    interrupt->context = ServiceContext;
    interrupt->caller = call.caller;
    options.line = pci_resources(slot)->interrupt_line;
    options.message_count = pci_resources(slot)->message_count;
    options.irql = pci_resources(slot)->interrupt_irql;
    options.context = interrupt;
    interrupt->irql = options.irql;
    status = interrupt_connect(&options, &interrupt->machine);
    if (!NT_SUCCESS(status)) {
        free(interrupt);
        return status;
    }
    list_push_back(&interrupts, &interrupt->link);
    *InterruptObject = interrupt;
    return STATUS_SUCCESS;
}

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

static void disconnect(struct _KINTERRUPT *interrupt)
{
    interrupt_disconnect(interrupt->machine);
    list_remove(&interrupt->link);
    free(interrupt);
}

VOID NTAPI IoDisconnectInterrupt(PKINTERRUPT InterruptObject)
{
    struct export_call call = NT_EXPORT_CALL(IoDisconnectInterrupt);

    if (check(InterruptObject, &call)) {
        disconnect(InterruptObject);
    }
}

struct synchronized {
    PKSYNCHRONIZE_ROUTINE routine;
    void *context;
};

static bool run_synchronized(void *context)
{
    struct synchronized *synchronized = context;

    return synchronized->routine(synchronized->context);
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
    return interrupt_synchronize(Interrupt->machine, run_synchronized, &synchronized);
}

/* The lock of an interrupt cannot be held across calls in this machine; raising to its level keeps
 * it out on this CPU, and other CPUs are excluded as long as nothing switches. */
KIRQL NTAPI KeAcquireInterruptSpinLock(PKINTERRUPT Interrupt)
{
    struct export_call call = NT_EXPORT_CALL(KeAcquireInterruptSpinLock);

    return check(Interrupt, &call) ? irql_raise(Interrupt->irql) : irql_current();
}

VOID NTAPI KeReleaseInterruptSpinLock(PKINTERRUPT Interrupt, KIRQL OldIrql)
{
    struct export_call call = NT_EXPORT_CALL(KeReleaseInterruptSpinLock);

    if (check(Interrupt, &call) && OldIrql <= irql_current()) {
        irql_lower(OldIrql);
    }
}

void interrupt_leaks(struct leak_visitor *visitor)
{
    list_for_each (link, &interrupts) {
        const struct _KINTERRUPT *interrupt = container_of(link, struct _KINTERRUPT, link);
        char where[128];
        nt_symbol_text(interrupt->caller, where, sizeof(where));
        leak(visitor, "interrupt", "still connected, by %s", where);
    }
}

void interrupt_stop(void)
{
    list_for_each_safe (link, &interrupts) {
        disconnect(container_of(link, struct _KINTERRUPT, link));
    }
}

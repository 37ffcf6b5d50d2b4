/* nt/ke_dpc.c: deferred procedure calls of drivers.
 *
 * A KDPC that is queued has an entry here with the machine's own DPC in it; the driver's structure
 * only shows (DpcData) that it is queued. */
#include "nt/internal.h"

#include <stdlib.h>

#define KDPC_TYPE          19 /* DpcObject */
#define KDPC_THREADED_TYPE 24 /* ThreadedDpcObject; runs as any other here */

/* KDPC.Number counts from here when a processor was chosen. */
#define MAXIMUM_PROCESSORS_MARK 2048

struct queued_dpc {
    struct list link;
    struct dpc machine;
    KDPC *dpc;
    void *argument1, *argument2;
};

static struct list queued = {&queued, &queued};

static struct queued_dpc *find(const KDPC *dpc)
{
    list_for_each (link, &queued) {
        struct queued_dpc *entry = container_of(link, struct queued_dpc, link);
        if (entry->dpc == dpc) {
            return entry;
        }
    }
    return NULL;
}

/* A routine has to come back at the level and with the locks it was called with. */
static void check_return(const void *routine, uint8_t irql, unsigned locks)
{
    struct export_call call = {EXPORT_ID_KeInsertQueueDpc, routine};

    if (spin_locks_held_now() > locks) {
        misuse(NT_MISUSE_SPIN_OWNER, &call, "a DPC routine returned holding a spin lock");
    }
    if (irql_current() == irql) {
        return;
    }
    misuse(NT_MISUSE_IRQL_ORDER, &call, "a DPC routine returned at IRQL %u instead of %u",
           irql_current(), irql);
    if (irql_current() > irql) {
        irql_lower(irql);
    } else {
        irql_raise(irql);
    }
}

static void run(struct dpc *machine)
{
    struct queued_dpc entry = *(struct queued_dpc *)machine->context;
    uint8_t irql = irql_current();
    unsigned locks = spin_locks_held_now();
    PKDEFERRED_ROUTINE routine = entry.dpc->DeferredRoutine;

    list_remove(&((struct queued_dpc *)machine->context)->link);
    free(machine->context);
    entry.dpc->DpcData = NULL; /* from here on it may be queued again */
    routine(entry.dpc, entry.dpc->DeferredContext, entry.argument1, entry.argument2);
    check_return((const void *)routine, irql, locks);
}

bool dpc_insert(KDPC *dpc, void *argument1, void *argument2)
{
    struct queued_dpc *entry;

    if (find(dpc)) {
        return false;
    }
    entry = calloc(1, sizeof(*entry));
    CHECK_THAT(entry != NULL);
    entry->dpc = dpc;
    entry->argument1 = argument1;
    entry->argument2 = argument2;
    dpc_init(&entry->machine, run, entry);
    list_push_back(&queued, &entry->link);
    dpc->SystemArgument1 = argument1;
    dpc->SystemArgument2 = argument2;
    dpc->DpcData = dpc;
    dpc_queue(&entry->machine);
    return true;
}

bool dpc_remove_kdpc(KDPC *dpc)
{
    struct queued_dpc *entry = find(dpc);

    if (!entry || !dpc_remove(&entry->machine)) {
        return false;
    }
    list_remove(&entry->link);
    free(entry);
    dpc->DpcData = NULL;
    return true;
}

bool dpc_queued_in(const void *memory, size_t size)
{
    const char *low = memory;

    list_for_each (link, &queued) {
        const char *dpc = (const char *)container_of(link, struct queued_dpc, link)->dpc;
        if (dpc >= low && dpc < low + size) {
            return true;
        }
    }
    return false;
}

void dpc_forget_in(const void *memory, size_t size)
{
    const char *low = memory;

    list_for_each_safe (link, &queued) {
        KDPC *dpc = container_of(link, struct queued_dpc, link)->dpc;
        if ((const char *)dpc >= low && (const char *)dpc < low + size) {
            dpc_remove_kdpc(dpc);
        }
    }
}

void dpc_stop(void)
{
    list_for_each_safe (link, &queued) {
        struct queued_dpc *entry = container_of(link, struct queued_dpc, link);
        dpc_remove(&entry->machine);
        list_remove(&entry->link);
        free(entry);
    }
}

static void init(KDPC *dpc, UCHAR type, PKDEFERRED_ROUTINE routine, void *context,
                 const struct export_call *call)
{
    if (find(dpc)) {
        misuse(NT_MISUSE_OBJECT, call, "initialises a DPC that is queued");
        dpc_remove_kdpc(dpc);
    }
    *dpc = (KDPC){.Type = type,
                  .Importance = MediumImportance,
                  .DeferredRoutine = routine,
                  .DeferredContext = context};
}

VOID NTAPI KeInitializeDpc(PRKDPC Dpc, PKDEFERRED_ROUTINE DeferredRoutine, PVOID DeferredContext)
{
    struct export_call call = NT_EXPORT_CALL(KeInitializeDpc);
    init(Dpc, KDPC_TYPE, DeferredRoutine, DeferredContext, &call);
}

VOID NTAPI KeInitializeThreadedDpc(PRKDPC Dpc, PKDEFERRED_ROUTINE DeferredRoutine,
                                   PVOID DeferredContext)
{
    struct export_call call = NT_EXPORT_CALL(KeInitializeThreadedDpc);
    init(Dpc, KDPC_THREADED_TYPE, DeferredRoutine, DeferredContext, &call);
}

BOOLEAN NTAPI KeInsertQueueDpc(PRKDPC Dpc, PVOID SystemArgument1, PVOID SystemArgument2)
{
    struct export_call call = NT_EXPORT_CALL(KeInsertQueueDpc);

    if ((Dpc->Type != KDPC_TYPE && Dpc->Type != KDPC_THREADED_TYPE) || !Dpc->DeferredRoutine) {
        misuse(NT_MISUSE_OBJECT, &call, "the DPC is not initialised or overwritten");
        return FALSE;
    }
    return dpc_insert(Dpc, SystemArgument1, SystemArgument2);
}

BOOLEAN NTAPI KeRemoveQueueDpc(PRKDPC Dpc)
{
    NT_EXPORT_ENTER(KeRemoveQueueDpc);
    return dpc_remove_kdpc(Dpc);
}

/* A DPC runs on the CPU it is queued from, in order: importance and target are kept, not obeyed. */
VOID NTAPI KeSetImportanceDpc(PRKDPC Dpc, KDPC_IMPORTANCE Importance)
{
    NT_EXPORT_ENTER(KeSetImportanceDpc);
    Dpc->Importance = (UCHAR)Importance;
}

VOID NTAPI KeSetTargetProcessorDpc(PRKDPC Dpc, CCHAR Number)
{
    NT_EXPORT_ENTER(KeSetTargetProcessorDpc);
    Dpc->Number = (USHORT)((UCHAR)Number + MAXIMUM_PROCESSORS_MARK);
}

NTSTATUS NTAPI KeSetTargetProcessorDpcEx(PKDPC Dpc, PPROCESSOR_NUMBER ProcNumber)
{
    NT_EXPORT_ENTER(KeSetTargetProcessorDpcEx);
    if (ProcNumber->Group != 0 || ProcNumber->Number >= machine_cpu_count()) {
        return STATUS_INVALID_PARAMETER;
    }
    Dpc->Number = (USHORT)(ProcNumber->Number + MAXIMUM_PROCESSORS_MARK);
    return STATUS_SUCCESS;
}

VOID NTAPI KeFlushQueuedDpcs(VOID)
{
    NT_EXPORT_ENTER(KeFlushQueuedDpcs);
    if (irql_current() > PASSIVE_LEVEL) {
        return; /* reported; it would wait for itself */
    }
    dpc_flush_all();
}

/* nt/ke_dpc.c: deferred procedure calls of drivers.
 *
 * A KDPC that is queued has an entry here with the machine's own DPC in it; the driver's structure
 * only shows (DpcData) that it is queued. A threaded one mostly goes on to a thread and runs there
 * at PASSIVE_LEVEL; now and then, as the seed wants, it runs like any other, which its driver has
 * to be ready for. */
#include "nt/internal.h"

#include <limits.h>
#include <stdlib.h>

#define KDPC_TYPE          19 /* DpcObject */
#define KDPC_THREADED_TYPE 24 /* ThreadedDpcObject */

/* One threaded DPC of so many runs at DISPATCH_LEVEL. */
#define THREADED_AT_DISPATCH 4

/* KDPC.Number counts from here when a processor was chosen. */
#define MAXIMUM_PROCESSORS_MARK 2048

struct queued_dpc {
    struct list link;
    struct dpc machine;
    KDPC *dpc;
    void *argument1, *argument2;
    struct nt_origin from; /* who queued it; a timer of his */
    bool threaded;         /* waits for the thread */
};

static struct list queued = {&queued, &queued};
static struct list threaded = {&threaded, &threaded}; /* that the thread has to run */
static struct task *thread;
static bool thread_busy;

static struct queued_dpc *find(const KDPC *dpc)
{
    list_for_each (link, &queued) {
        struct queued_dpc *entry = container_of(link, struct queued_dpc, link);
        if (entry->dpc == dpc) {
            return entry;
        }
    }
    list_for_each (link, &threaded) {
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

static void run_entry(struct queued_dpc *queued_entry)
{
    struct queued_dpc entry = *queued_entry;
    uint8_t irql = irql_current();
    unsigned locks = spin_locks_held_now();
    nt_touched = &entry.from;
    PKDEFERRED_ROUTINE routine = entry.dpc->DeferredRoutine;
    uintptr_t mark = task_set_stack_mark((uintptr_t)__builtin_frame_address(0));

    list_remove(&queued_entry->link);
    free(queued_entry);
    entry.dpc->DpcData = NULL; /* from here on it may be queued again */
    nt_touched = NULL;
    NT_CALL_DRIVER(NT_DPC_ROUTINE, routine,
                   (entry.dpc, entry.dpc->DeferredContext, entry.argument1, entry.argument2));
    nt_stack_check("a DPC routine");
    task_set_stack_mark(mark);
    check_return((const void *)routine, irql, locks);
}

/* ---- Threaded DPCs --------------------------------------------------------------------------- */

static unsigned target_of(const KDPC *dpc)
{
    unsigned number = dpc->Number;

    return number >= MAXIMUM_PROCESSORS_MARK ? number - MAXIMUM_PROCESSORS_MARK : UINT_MAX;
}

static void thread_main(void *argument)
{
    for (;;) {
        struct queued_dpc *entry;
        unsigned target;
        if (list_empty(&threaded)) {
            thread_busy = false;
            address_wake_all(&thread_busy);
            address_wait(&threaded, MACHINE_NEVER);
            continue;
        }
        thread_busy = true;
        entry = container_of(threaded.next, struct queued_dpc, link);
        target = target_of(entry->dpc);
        task_set_affinity(target < machine_cpu_count() ? UINT64_C(1) << target : 0);
        /* It may have been removed while this thread changed its CPU. */
        if (!list_empty(&threaded)) {
            run_entry(container_of(threaded.next, struct queued_dpc, link));
        }
    }
}

static bool thread_exists(void)
{
    struct task_options options = {.name = "threaded DPCs", .daemon = true};

    return thread || NT_SUCCESS(task_create(&options, thread_main, NULL, &thread));
}

static void run(struct dpc *machine)
{
    struct queued_dpc *entry = machine->context;

    nt_touched = &entry->from;
    bool threaded_one = entry->dpc->Type == KDPC_THREADED_TYPE;
    nt_touched = NULL;
    if (threaded_one && thread_exists() &&
        machine_random_below(RANDOM_SITE_THREADED_DPC, THREADED_AT_DISPATCH) != 0) {
        list_remove(&entry->link);
        list_push_back(&threaded, &entry->link);
        entry->threaded = true;
        address_wake_all(&threaded);
        return;
    }
    run_entry(entry);
}

/* ---- The queue ------------------------------------------------------------------------------- */

bool dpc_insert(KDPC *dpc, void *argument1, void *argument2, const struct nt_origin *from)
{
    struct queued_dpc *entry;

    if (find(dpc)) {
        return false;
    }
    entry = calloc(1, sizeof(*entry));
    CHECK_THAT(entry != NULL);
    entry->dpc = dpc;
    entry->from = *from;
    entry->argument1 = argument1;
    entry->argument2 = argument2;
    dpc_init(&entry->machine, run, entry);
    list_push_back(&queued, &entry->link);
    dpc->SystemArgument1 = argument1;
    dpc->SystemArgument2 = argument2;
    dpc->DpcData = dpc;
    dpc_queue_on(&entry->machine, target_of(dpc), dpc->Importance == HighImportance);
    return true;
}

static bool take_out(struct queued_dpc *entry)
{
    if (!entry->threaded && !dpc_remove(&entry->machine)) {
        return false;
    }
    list_remove(&entry->link);
    free(entry);
    return true;
}

bool dpc_remove_kdpc(KDPC *dpc)
{
    struct queued_dpc *entry = find(dpc);

    if (!entry || !take_out(entry)) {
        return false;
    }
    dpc->DpcData = NULL;
    return true;
}

static struct queued_dpc *first_in(const struct list *list, const void *memory, size_t size)
{
    list_for_each (link, list) {
        struct queued_dpc *entry = container_of(link, struct queued_dpc, link);
        if ((uintptr_t)entry->dpc - (uintptr_t)memory < size) {
            return entry;
        }
    }
    return NULL;
}

const struct nt_origin *dpc_queued_in(const void *memory, size_t size)
{
    const struct queued_dpc *entry = first_in(&queued, memory, size);

    entry = entry ? entry : first_in(&threaded, memory, size);
    return entry ? &entry->from : NULL;
}

/* The DPCs themselves stay as they are: frames of others lie on a stack that was left. */
void dpc_forget_in(const void *memory, size_t size)
{
    struct queued_dpc *entry;

    while ((entry = first_in(&queued, memory, size)) != NULL && take_out(entry)) {
    }
    while ((entry = first_in(&threaded, memory, size)) != NULL && take_out(entry)) {
    }
}

static void tell_queued(const struct list *list, struct leak_visitor *visitor)
{
    char where[NT_ORIGIN_MAX], routine[128];

    list_for_each (link, list) {
        const struct queued_dpc *entry = container_of(link, struct queued_dpc, link);
        if (driver_image_at((const void *)entry->dpc->DeferredRoutine)) {
            nt_symbol_text((const void *)entry->dpc->DeferredRoutine, routine, sizeof(routine));
            nt_origin_text(&entry->from, where, sizeof(where));
            leak(visitor, "DPC", "still queued, routine %s, queued at %s", routine, where);
        }
    }
}

void dpc_leaks(struct leak_visitor *visitor)
{
    tell_queued(&queued, visitor);
    tell_queued(&threaded, visitor);
}

void dpc_stop(void)
{
    struct list *link;

    list_for_each_safe (each, &queued) {
        struct queued_dpc *entry = container_of(each, struct queued_dpc, link);
        dpc_remove(&entry->machine);
        list_remove(&entry->link);
        free(entry);
    }
    while ((link = list_pop_front(&threaded)) != NULL) {
        free(container_of(link, struct queued_dpc, link));
    }
    thread_busy = false;
    if (thread) {
        task_put(thread);
        thread = NULL;
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
    const struct nt_origin from = origin_of(call.caller);

    return dpc_insert(Dpc, SystemArgument1, SystemArgument2, &from);
}

BOOLEAN NTAPI KeRemoveQueueDpc(PRKDPC Dpc)
{
    NT_EXPORT_ENTER(KeRemoveQueueDpc);
    return dpc_remove_kdpc(Dpc);
}

VOID NTAPI KeSetImportanceDpc(PRKDPC Dpc, KDPC_IMPORTANCE Importance)
{
    NT_EXPORT_ENTER(KeSetImportanceDpc);
    Dpc->Importance = (UCHAR)Importance;
}

VOID NTAPI KeSetTargetProcessorDpc(PRKDPC Dpc, CCHAR Number)
{
    struct export_call call = NT_EXPORT_CALL(KeSetTargetProcessorDpc);

    if ((UCHAR)Number >= machine_cpu_count()) {
        misuse(NT_MISUSE_ARGUMENT, &call, "there is no processor %d", Number);
        return;
    }
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
    while (thread_busy || !list_empty(&threaded)) {
        address_wait(&thread_busy, MACHINE_NEVER);
    }
    if (nt_hooks.flushed) {
        nt_hooks.flushed(nt_hooks.ctx);
    }
}

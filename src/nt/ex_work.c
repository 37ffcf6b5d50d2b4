/* nt/ex_work.c: work items: routines that run later on the kernel's own threads.
 *
 * A few workers serve one queue; they are made when the first item is queued. The kinds of queues
 * differ in priority on Windows; here the executor's order comes from the seed. */
#include "nt/internal.h"

#include <stdlib.h>
#include <string.h>

#define WORKER_COUNT 3

struct queued_work {
    struct list link;
    void *item; /* the driver's WORK_QUEUE_ITEM or IO_WORKITEM: for finding it again */
    void (*run)(struct queued_work *work);
    PWORKER_THREAD_ROUTINE routine;
    void *parameter;
};

struct _IO_WORKITEM {
    struct list link; /* of all that are allocated */
    void *io_object;
    PIO_WORKITEM_ROUTINE routine;
    PIO_WORKITEM_ROUTINE_EX routine_ex;
    void *context;
    const void *creator;
    bool queued, embedded;
};

static struct list queue = {&queue, &queue}, io_items = {&io_items, &io_items};
static struct task *workers[WORKER_COUNT];

/* ---- Workers --------------------------------------------------------------------------------- */

static void check_return(const void *routine)
{
    struct export_call call = {EXPORT_ID_ExQueueWorkItem, routine};

    if (irql_current() != PASSIVE_LEVEL) {
        /* WORKER_THREAD_RETURNED_AT_BAD_IRQL on Windows */
        misuse(NT_MISUSE_IRQL_ORDER, &call, "a work item returned at IRQL %u", irql_current());
        irql_lower(PASSIVE_LEVEL);
    }
}

static void worker_main(void *argument)
{
    for (;;) {
        struct list *link = list_pop_front(&queue);
        struct queued_work *work;
        if (!link) {
            address_wait(&queue, MACHINE_NEVER);
            continue;
        }
        work = container_of(link, struct queued_work, link);
        work->run(work);
        check_return((const void *)work->routine);
        free(work);
        machine_yield();
    }
}

static bool workers_start(void)
{
    struct task_options options = {.name = "kernel worker", .daemon = true};

    for (unsigned i = 0; i < WORKER_COUNT && !workers[i]; i++) {
        if (!NT_SUCCESS(task_create(&options, worker_main, NULL, &workers[i]))) {
            return i > 0;
        }
    }
    return true;
}

static bool is_queued(const void *item)
{
    list_for_each (link, &queue) {
        if (container_of(link, struct queued_work, link)->item == item) {
            return true;
        }
    }
    return false;
}

static void enqueue(struct queued_work *work)
{
    list_push_back(&queue, &work->link);
    CHECK_THAT(workers_start());
    address_wake_all(&queue);
}

static struct queued_work *work_new(void *item, void (*run)(struct queued_work *work))
{
    struct queued_work *work = calloc(1, sizeof(*work));

    CHECK_THAT(work != NULL);
    work->item = item;
    work->run = run;
    return work;
}

void work_stop(void)
{
    struct list *link;

    while ((link = list_pop_front(&queue)) != NULL) {
        free(container_of(link, struct queued_work, link));
    }
    list_init(&io_items); /* their memory goes with the pool */
    for (unsigned i = 0; i < WORKER_COUNT; i++) {
        if (workers[i]) {
            task_put(workers[i]);
            workers[i] = NULL;
        }
    }
}

/* ---- Executive work items -------------------------------------------------------------------- */

static void run_executive(struct queued_work *work)
{
    work->routine(work->parameter);
}

VOID NTAPI ExQueueWorkItem(PWORK_QUEUE_ITEM WorkItem, WORK_QUEUE_TYPE QueueType)
{
    struct export_call call = NT_EXPORT_CALL(ExQueueWorkItem);
    struct queued_work *work;

    if (is_queued(WorkItem) || !WorkItem->WorkerRoutine) {
        misuse(NT_MISUSE_OBJECT, &call,
               WorkItem->WorkerRoutine ? "queues a work item that is queued"
                                       : "queues a work item without a routine");
        return;
    }
    work = work_new(WorkItem, run_executive);
    work->routine = WorkItem->WorkerRoutine;
    work->parameter = (void *)WorkItem->Parameter;
    enqueue(work);
}

/* ---- I/O work items -------------------------------------------------------------------------- */

static void run_io(struct queued_work *work)
{
    struct _IO_WORKITEM *item = work->item;
    struct _IO_WORKITEM copy = *item;

    item->queued = false; /* the routine may free or queue it again */
    if (copy.routine_ex) {
        work->routine = (PWORKER_THREAD_ROUTINE)(uintptr_t)copy.routine_ex;
        copy.routine_ex(copy.io_object, copy.context, item);
    } else {
        work->routine = (PWORKER_THREAD_ROUTINE)(uintptr_t)copy.routine;
        copy.routine(copy.io_object, copy.context);
    }
}

static void io_item_init(struct _IO_WORKITEM *item, void *io_object, const void *creator)
{
    memset(item, 0, sizeof(*item));
    item->io_object = io_object;
    item->creator = creator;
    list_push_back(&io_items, &item->link);
}

PIO_WORKITEM NTAPI IoAllocateWorkItem(PDEVICE_OBJECT DeviceObject)
{
    struct export_call call = NT_EXPORT_CALL(IoAllocateWorkItem);
    struct pool_request request = {.size = sizeof(struct _IO_WORKITEM),
                                   .tag = POOL_TAG('I', 'o', 'W', 'k'),
                                   .internal = true,
                                   .caller = call.caller};
    struct _IO_WORKITEM *item;

    if (allocation_fails(request.tag, request.size, call.caller)) {
        return NULL;
    }
    item = pool_allocate(&request);
    if (item) {
        io_item_init(item, DeviceObject, call.caller);
    }
    return item;
}

static bool is_io_item(const struct _IO_WORKITEM *item, const struct export_call *call)
{
    list_for_each (link, &io_items) {
        if (container_of(link, struct _IO_WORKITEM, link) == item) {
            return true;
        }
    }
    misuse(NT_MISUSE_OBJECT, call, "that is no work item, or it is freed");
    return false;
}

VOID NTAPI IoFreeWorkItem(PIO_WORKITEM IoWorkItem)
{
    struct export_call call = NT_EXPORT_CALL(IoFreeWorkItem);

    if (!is_io_item(IoWorkItem, &call)) {
        return;
    }
    if (IoWorkItem->queued) {
        misuse(NT_MISUSE_POOL_IN_USE, &call, "frees a work item that is queued");
        return;
    }
    list_remove(&IoWorkItem->link);
    pool_free_internal(IoWorkItem);
}

VOID NTAPI IoInitializeWorkItem(PVOID IoObject, PIO_WORKITEM IoWorkItem)
{
    struct export_call call = NT_EXPORT_CALL(IoInitializeWorkItem);

    io_item_init(IoWorkItem, IoObject, call.caller);
    IoWorkItem->embedded = true;
}

VOID NTAPI IoUninitializeWorkItem(PIO_WORKITEM IoWorkItem)
{
    struct export_call call = NT_EXPORT_CALL(IoUninitializeWorkItem);

    if (is_io_item(IoWorkItem, &call)) {
        list_remove(&IoWorkItem->link);
    }
}

ULONG NTAPI IoSizeofWorkItem(VOID)
{
    NT_EXPORT_ENTER(IoSizeofWorkItem);
    return sizeof(struct _IO_WORKITEM);
}

static void queue_io(struct _IO_WORKITEM *item, PIO_WORKITEM_ROUTINE routine,
                     PIO_WORKITEM_ROUTINE_EX routine_ex, void *context,
                     const struct export_call *call)
{
    if (!is_io_item(item, call)) {
        return;
    }
    if (item->queued) {
        misuse(NT_MISUSE_OBJECT, call, "queues a work item that is queued");
        return;
    }
    item->routine = routine;
    item->routine_ex = routine_ex;
    item->context = context;
    item->queued = true;
    enqueue(work_new(item, run_io));
}

VOID NTAPI IoQueueWorkItem(PIO_WORKITEM IoWorkItem, PIO_WORKITEM_ROUTINE WorkerRoutine,
                           WORK_QUEUE_TYPE QueueType, PVOID Context)
{
    struct export_call call = NT_EXPORT_CALL(IoQueueWorkItem);
    queue_io(IoWorkItem, WorkerRoutine, NULL, Context, &call);
}

VOID NTAPI IoQueueWorkItemEx(PIO_WORKITEM IoWorkItem, PIO_WORKITEM_ROUTINE_EX WorkerRoutine,
                             WORK_QUEUE_TYPE QueueType, PVOID Context)
{
    struct export_call call = NT_EXPORT_CALL(IoQueueWorkItemEx);
    queue_io(IoWorkItem, NULL, WorkerRoutine, Context, &call);
}

void work_leaks(struct leak_visitor *visitor)
{
    char where[128];

    list_for_each (link, &io_items) {
        const struct _IO_WORKITEM *item = container_of(link, struct _IO_WORKITEM, link);
        nt_symbol_text(item->creator, where, sizeof(where));
        leak(visitor, "work item", "%s, allocated at %s", item->queued ? "queued" : "not freed",
             where);
    }
    list_for_each (link, &queue) {
        const struct queued_work *work = container_of(link, struct queued_work, link);
        if (work->run == run_executive) {
            nt_symbol_text((const void *)work->routine, where, sizeof(where));
            leak(visitor, "work item", "still queued, routine %s", where);
        }
    }
}

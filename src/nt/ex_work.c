/* nt/ex_work.c: work items: routines that run later on the kernel's own threads.
 *
 * A few workers serve one queue; they are made when the first item is queued. The kinds of queues
 * differ in priority on Windows; here the executor's order comes from the seed.
 *
 * Nothing of ours lies in the driver's memory: an item may be freed, or its block written over,
 * while it is queued. What is queued is a copy, and items are found again by their address. */
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
    /* Of an IO_WORKITEM. */
    PIO_WORKITEM_ROUTINE io_routine;
    PIO_WORKITEM_ROUTINE_EX io_routine_ex;
    void *io_object;
    struct nt_origin from; /* who queued it */
    uint64_t ready_ns;     /* the time of its routine; others run first */
};

/* What a driver holds or embeds; its size is what IoSizeofWorkItem() says. */
struct _IO_WORKITEM {
    uint64_t unused[8];
};

struct io_item {
    struct list link; /* of all there are */
    struct _IO_WORKITEM *driver_side;
    void *io_object;
    struct nt_origin from;
    bool embedded; /* in memory of the driver's own */
    bool freed;    /* while it was queued: that was reported */
};

static struct list queue = {&queue, &queue}, io_items = {&io_items, &io_items};
static struct list running = {&running, &running}; /* off the queue, and not over */
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
    task_set_affinity(0);
    nt_thread_check_return("a work item", export_name(call.id), routine);
}

/* The first whose time has come, off the queue; or NULL, and when the next one's comes. */
static struct queued_work *take_ready(uint64_t *next_ns)
{
    if (thread_is_starved()) {
        return NULL; /* work_goes_on() wakes us */
    }
    list_for_each (link, &queue) {
        struct queued_work *work = container_of(link, struct queued_work, link);
        if (work->ready_ns <= machine_now_ns()) {
            list_remove(link);
            return work;
        }
        *next_ns = work->ready_ns < *next_ns ? work->ready_ns : *next_ns;
    }
    return NULL;
}

static void worker_main(void *argument)
{
    for (;;) {
        uint64_t next_ns = MACHINE_NEVER;
        struct queued_work *work = take_ready(&next_ns);
        if (!work) {
            address_wait(&queue, next_ns);
            continue;
        }
        list_push_back(&running, &work->link);
        task_set_stack_mark((uintptr_t)__builtin_frame_address(0));
        work->run(work);
        check_return((const void *)work->routine);
        nt_stack_check("a work item");
        task_set_stack_mark(0);
        list_remove(&work->link);
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
    work->ready_ns = thread_ready_ns();
    list_push_back(&queue, &work->link);
    CHECK_THAT(workers_start());
    address_wake_all(&queue);
}

static struct queued_work *work_new(void *item, void (*run)(struct queued_work *work),
                                    const struct export_call *call)
{
    struct queued_work *work = calloc(1, sizeof(*work));

    CHECK_THAT(work != NULL);
    work->item = item;
    work->run = run;
    work->from = origin_of(call->caller);
    return work;
}

bool work_is_any(void)
{
    return !list_empty(&queue) || !list_empty(&running) || !list_empty(&io_items);
}

void work_goes_on(void)
{
    address_wake_all(&queue);
}

void work_stop(void)
{
    struct list *link;

    while ((link = list_pop_front(&queue)) != NULL) {
        free(container_of(link, struct queued_work, link));
    }
    while ((link = list_pop_front(&running)) != NULL) {
        free(container_of(link, struct queued_work, link));
    }
    while ((link = list_pop_front(&io_items)) != NULL) {
        free(container_of(link, struct io_item, link)); /* the driver's side goes with the pool */
    }
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
    NT_CALL_DRIVER(NT_WORK_ITEM, work->routine, (work->parameter));
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
    work = work_new(WorkItem, run_executive, &call);
    work->routine = WorkItem->WorkerRoutine;
    work->parameter = (void *)WorkItem->Parameter;
    enqueue(work);
}

/* ---- I/O work items -------------------------------------------------------------------------- */

static void run_io(struct queued_work *work)
{
    if (work->io_routine_ex) {
        work->routine = (PWORKER_THREAD_ROUTINE)(uintptr_t)work->io_routine_ex;
        NT_CALL_DRIVER(NT_WORK_ITEM, work->io_routine_ex,
                       (work->io_object, work->parameter, work->item));
    } else {
        work->routine = (PWORKER_THREAD_ROUTINE)(uintptr_t)work->io_routine;
        NT_CALL_DRIVER(NT_WORK_ITEM, work->io_routine, (work->io_object, work->parameter));
    }
}

static struct io_item *io_item_find(const struct _IO_WORKITEM *driver_side)
{
    list_for_each (link, &io_items) {
        struct io_item *item = container_of(link, struct io_item, link);
        if (item->driver_side == driver_side) {
            return item;
        }
    }
    return NULL;
}

static struct io_item *io_item_check(const struct _IO_WORKITEM *driver_side,
                                     const struct export_call *call)
{
    struct io_item *item = io_item_find(driver_side);

    if (!item) {
        misuse(NT_MISUSE_OBJECT, call, "that is no work item, or it is freed");
    }
    return item;
}

static void io_item_new(struct _IO_WORKITEM *driver_side, void *io_object, bool embedded,
                        const void *creator)
{
    struct io_item *item = calloc(1, sizeof(*item));

    CHECK_THAT(item != NULL);
    memset(driver_side, 0, sizeof(*driver_side));
    item->driver_side = driver_side;
    item->io_object = io_object;
    item->embedded = embedded;
    item->from = origin_of(creator);
    list_push_back(&io_items, &item->link);
}

static void io_item_forget(struct io_item *item)
{
    list_remove(&item->link);
    free(item);
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
        io_item_new(item, DeviceObject, false, call.caller);
    }
    return item;
}

VOID NTAPI IoFreeWorkItem(PIO_WORKITEM IoWorkItem)
{
    struct export_call call = NT_EXPORT_CALL(IoFreeWorkItem);
    struct io_item *item = io_item_check(IoWorkItem, &call);

    if (!item) {
        return;
    }
    if (item->embedded) {
        misuse(NT_MISUSE_OBJECT, &call,
               "that work item was not allocated: use IoUninitializeWorkItem");
        return;
    }
    if (is_queued(IoWorkItem)) {
        misuse(NT_MISUSE_POOL_IN_USE, &call, "frees a work item that is queued");
        item->freed = true;
        return;
    }
    io_item_forget(item);
    pool_free_internal(IoWorkItem);
}

VOID NTAPI IoInitializeWorkItem(PVOID IoObject, PIO_WORKITEM IoWorkItem)
{
    struct export_call call = NT_EXPORT_CALL(IoInitializeWorkItem);
    struct io_item *item = io_item_find(IoWorkItem);

    if (item) {
        misuse(NT_MISUSE_OBJECT, &call, "initialises a work item that is initialised");
        io_item_forget(item);
    }
    io_item_new(IoWorkItem, IoObject, true, call.caller);
}

VOID NTAPI IoUninitializeWorkItem(PIO_WORKITEM IoWorkItem)
{
    struct export_call call = NT_EXPORT_CALL(IoUninitializeWorkItem);
    struct io_item *item = io_item_check(IoWorkItem, &call);

    if (!item) {
        return;
    }
    if (!item->embedded) {
        misuse(NT_MISUSE_OBJECT, &call, "that work item was allocated: use IoFreeWorkItem");
        return;
    }
    /* Its routine runs all the same: somebody may wait for it. */
    if (is_queued(IoWorkItem)) {
        misuse(NT_MISUSE_POOL_IN_USE, &call,
               "uninitialises a work item that is queued: wait until its routine has run");
    }
    io_item_forget(item);
}

ULONG NTAPI IoSizeofWorkItem(VOID)
{
    NT_EXPORT_ENTER(IoSizeofWorkItem);
    return sizeof(struct _IO_WORKITEM);
}

static void queue_io(struct _IO_WORKITEM *driver_side, const struct queued_work *routines,
                     const struct export_call *call)
{
    const struct io_item *item = io_item_check(driver_side, call);
    struct queued_work *work;

    if (!item) {
        return;
    }
    if (is_queued(driver_side)) {
        misuse(NT_MISUSE_OBJECT, call, "queues a work item that is queued");
        return;
    }
    if (!routines->io_routine && !routines->io_routine_ex) {
        misuse(NT_MISUSE_ARGUMENT, call, "queues a work item without a routine");
        return;
    }
    work = work_new(driver_side, run_io, call);
    work->io_routine = routines->io_routine;
    work->io_routine_ex = routines->io_routine_ex;
    work->parameter = routines->parameter;
    work->io_object = item->io_object;
    enqueue(work);
}

VOID NTAPI IoQueueWorkItem(PIO_WORKITEM IoWorkItem, PIO_WORKITEM_ROUTINE WorkerRoutine,
                           WORK_QUEUE_TYPE QueueType, PVOID Context)
{
    struct export_call call = NT_EXPORT_CALL(IoQueueWorkItem);
    struct queued_work routines = {.io_routine = WorkerRoutine, .parameter = Context};

    queue_io(IoWorkItem, &routines, &call);
}

VOID NTAPI IoQueueWorkItemEx(PIO_WORKITEM IoWorkItem, PIO_WORKITEM_ROUTINE_EX WorkerRoutine,
                             WORK_QUEUE_TYPE QueueType, PVOID Context)
{
    struct export_call call = NT_EXPORT_CALL(IoQueueWorkItemEx);
    struct queued_work routines = {.io_routine_ex = WorkerRoutine, .parameter = Context};

    queue_io(IoWorkItem, &routines, &call);
}

/* ---- Items in memory that goes ----------------------------------------------------------------
 */

static bool lies_in(const void *item, const void *memory, size_t size)
{
    return (uintptr_t)item - (uintptr_t)memory < size;
}

const struct nt_origin *work_queued_in(const void *memory, size_t size)
{
    list_for_each (link, &queue) {
        const struct queued_work *work = container_of(link, struct queued_work, link);
        if (lies_in(work->item, memory, size)) {
            return &work->from;
        }
    }
    return NULL;
}

bool work_item_in(const void *memory, size_t size)
{
    list_for_each (link, &io_items) {
        if (lies_in(container_of(link, struct io_item, link)->driver_side, memory, size)) {
            return true;
        }
    }
    return false;
}

void work_forget_in(const void *memory, size_t size)
{
    list_for_each_safe (link, &queue) {
        struct queued_work *work = container_of(link, struct queued_work, link);
        if (lies_in(work->item, memory, size)) {
            list_remove(&work->link);
            free(work);
        }
    }
    list_for_each_safe (link, &io_items) {
        struct io_item *item = container_of(link, struct io_item, link);
        if (lies_in(item->driver_side, memory, size)) {
            io_item_forget(item);
        }
    }
}

/* Those of the I/O manager keep their driver in memory, and have been told. */
static void tell_executive(const struct list *list, const char *state, struct leak_visitor *visitor)
{
    char where[NT_ORIGIN_MAX], routine[128];

    list_for_each (link, list) {
        const struct queued_work *work = container_of(link, struct queued_work, link);
        if (work->run == run_executive) {
            nt_symbol_text((const void *)work->routine, routine, sizeof(routine));
            nt_origin_text(&work->from, where, sizeof(where));
            leak(visitor, "work item", "%s, routine %s, queued at %s", state, routine, where);
        }
    }
}

void work_leaks(struct leak_visitor *visitor)
{
    char where[NT_ORIGIN_MAX];

    list_for_each (link, &io_items) {
        const struct io_item *item = container_of(link, struct io_item, link);
        if (item->freed) {
            continue; /* its memory goes with the pool */
        }
        nt_origin_text(&item->from, where, sizeof(where));
        leak(visitor, "work item", "%s, %s at %s",
             is_queued(item->driver_side) ? "queued" : "not freed",
             item->embedded ? "initialised" : "allocated", where);
    }
    tell_executive(&queue, "still queued", visitor);
    tell_executive(&running, "still runs", visitor);
}

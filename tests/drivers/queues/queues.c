/* The reference driver with hardware queues that no device knows of: a timer completes what was
 * submitted, one submission of each queue a tick, by writing the progress fence as a driver with
 * RingBufferFenceRelease does, and tells of it.
 *
 * The value Queues of the service key says what goes wrong:
 *   1  it is never told that a fence was written
 *   2  one submission never ends
 *   3  one submission is refused
 *   4  one submission is not found valid
 *   5  no hardware queue can be made
 *   6  fences are told of again and again, also if nothing was written
 *   7  as 2, and the engine can be reset alone
 *   8  a request to suspend a context is not answered, and the engine can be reset alone
 *   9  as 7, but the engine cannot be resumed */
#include "../../../drivers/softgpu/softgpu.h"

#undef DxgkInitialize
#undef DriverEntry

enum {
    WELL,
    SILENT,
    HANGS,
    REFUSES,
    DOUBTS,
    POOR,
    TALKATIVE,
    HANGS_ALONE,
    NEVER_SUSPENDS,
    NEVER_RESUMES
};

#define NODE          SOFTGPU_ENGINE_COMPUTE
#define IN_FLIGHT_MAX 3
#define WAITING_MAX   64
#define TICK_100NS    200
#define BAD_ONE       5 /* the submission that goes wrong, counted from 1 */
#define CONTEXT_TAG   0x73636851u
#define QUEUE_TAG     0x73716851u

NTSTATUS NTAPI queues_DxgkInitialize(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path,
                                     PDRIVER_INITIALIZATION_DATA table);
NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path);
NTSTATUS NTAPI softgpu_DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path);
NTSTATUS NTAPI DxgkInitialize(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path,
                              PDRIVER_INITIALIZATION_DATA table);

struct context {
    ULONG mark;
    BOOLEAN set_up, suspended, asked; /* asked: and not told yet */
    ULONG64 suspend_fence;
    ULONG queue_count;
    HANDLE kernel;
};

struct queue {
    LIST_ENTRY link;
    struct context *context;
    HANDLE kernel;
    volatile ULONG64 *fence;
    ULONG64 waiting[WAITING_MAX];
    ULONG count;
};

static DRIVER_INITIALIZATION_DATA below;
static DXGKRNL_INTERFACE kernel;
static ULONG way, submissions, validations;
static LIST_ENTRY queues;
static KSPIN_LOCK lock; /* of the queues */
static KTIMER timer;
static KDPC dpc;

/* ---- The clockwork --------------------------------------------------------------------------- */

static BOOLEAN NTAPI tell(PVOID argument)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;

    (void)argument;
    RtlZeroMemory(&data, sizeof(data));
    data.InterruptType = DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED;
    data.MonitoredFenceSignaled.NodeOrdinal = NODE;
    kernel.DxgkCbNotifyInterrupt(kernel.DeviceHandle, &data);
    (void)kernel.DxgkCbQueueDpc(kernel.DeviceHandle);
    return TRUE;
}

static BOOLEAN NTAPI tell_suspended(PVOID argument)
{
    const struct context *context = argument;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;

    RtlZeroMemory(&data, sizeof(data));
    data.InterruptType = DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED;
    data.SuspendContextCompleted.hContext = argument;
    data.SuspendContextCompleted.ContextSuspendFence = context->suspend_fence;
    kernel.DxgkCbNotifyInterrupt(kernel.DeviceHandle, &data);
    (void)kernel.DxgkCbQueueDpc(kernel.DeviceHandle);
    return TRUE;
}

static void arm(void)
{
    LARGE_INTEGER due;

    due.QuadPart = -TICK_100NS;
    (void)KeSetTimer(&timer, due, &dpc);
}

/* The lock is held. */
static BOOLEAN complete_one(struct queue *queue)
{
    if (queue->count == 0 || queue->waiting[0] == 0 || queue->context->suspended) {
        return FALSE;
    }
    *queue->fence = queue->waiting[0];
    RtlMoveMemory(queue->waiting, queue->waiting + 1, --queue->count * sizeof(queue->waiting[0]));
    return TRUE;
}

static void NTAPI tick(PKDPC self, PVOID context, PVOID first, PVOID second)
{
    struct context *asked = NULL;
    BOOLEAN any = FALSE, result;

    (void)self, (void)context, (void)first, (void)second;
    KeAcquireSpinLockAtDpcLevel(&lock);
    for (PLIST_ENTRY link = queues.Flink; link != &queues; link = link->Flink) {
        struct queue *queue = CONTAINING_RECORD(link, struct queue, link);
        any |= complete_one(queue);
        asked = queue->context->asked ? queue->context : asked;
    }
    if (asked != NULL) {
        asked->asked = FALSE;
        asked->suspended = TRUE;
    }
    KeReleaseSpinLockFromDpcLevel(&lock);
    if (asked != NULL) {
        (void)kernel.DxgkCbSynchronizeExecution(kernel.DeviceHandle, tell_suspended, asked, 0,
                                                &result);
    }
    if (any) {
        arm();
    }
    if (any && way != SILENT) {
        (void)kernel.DxgkCbSynchronizeExecution(kernel.DeviceHandle, tell, NULL, 0, &result);
    }
}

/* ---- DDIs ------------------------------------------------------------------------------------ */

static NTSTATUS NTAPI get_node_metadata(const HANDLE adapter, UINT node,
                                        DXGKARG_GETNODEMETADATA *metadata)
{
    NTSTATUS status = below.DxgkDdiGetNodeMetadata(adapter, node, metadata);

    if (node == NODE) {
        metadata->Flags.ContextSchedulingSupported = 1;
        metadata->Flags.RingBufferFenceRelease = 1;
        metadata->Flags.MaxInFlightHwQueueBuffers = IN_FLIGHT_MAX;
    }
    return status;
}

static NTSTATUS NTAPI create_context(const HANDLE device, DXGKARG_CREATEHWCONTEXT *arguments)
{
    struct context *context = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*context), CONTEXT_TAG);

    (void)device;
    if (context == NULL) {
        return STATUS_NO_MEMORY;
    }
    RtlZeroMemory(context, sizeof(*context));
    context->mark = CONTEXT_TAG;
    context->kernel = arguments->hHwContext;
    arguments->hHwContext = context;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI destroy_context(const HANDLE handle)
{
    ExFreePoolWithTag(handle, CONTEXT_TAG);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI set_properties(const HANDLE adapter,
                                     const DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES *arguments)
{
    (void)adapter;
    ((struct context *)arguments->hContext)->set_up = TRUE;
    return STATUS_SUCCESS;
}

/* Unless nothing of it is under way. */
static NTSTATUS NTAPI suspend(const HANDLE adapter, const DXGKARG_SUSPENDCONTEXT *arguments)
{
    struct context *context = arguments->hContext;
    KIRQL irql;

    (void)adapter;
    if (way == NEVER_SUSPENDS) {
        return STATUS_PENDING;
    }
    if (context->suspended) {
        return STATUS_SUCCESS;
    }
    KeAcquireSpinLock(&lock, &irql);
    context->suspend_fence = arguments->contextSuspendFence;
    context->asked = TRUE;
    KeReleaseSpinLock(&lock, irql);
    arm();
    return STATUS_PENDING;
}

static NTSTATUS NTAPI resume(const HANDLE adapter, const DXGKARG_RESUMECONTEXT *arguments)
{
    struct context *context = arguments->hContext;

    (void)adapter;
    context->suspended = context->asked = FALSE;
    arm();
    return STATUS_SUCCESS;
}

/* All that stood is over. */
static NTSTATUS NTAPI reset_engine(const HANDLE adapter, DXGKARG_RESETHWENGINE *arguments)
{
    struct context *hurt = NULL;
    KIRQL irql;

    (void)adapter, (void)arguments;
    if (way != HANGS_ALONE && way != NEVER_SUSPENDS && way != NEVER_RESUMES) {
        return STATUS_UNSUCCESSFUL;
    }
    KeAcquireSpinLock(&lock, &irql);
    for (PLIST_ENTRY link = queues.Flink; link != &queues; link = link->Flink) {
        struct queue *queue = CONTAINING_RECORD(link, struct queue, link);
        hurt = queue->count > 0 ? queue->context : hurt;
        queue->count = 0;
    }
    KeReleaseSpinLock(&lock, irql);
    if (hurt != NULL) {
        const DXGKARGCB_INVALIDATEHWCONTEXT invalidate = {
            kernel.DeviceHandle, hurt->kernel, {{{0}}}};
        return kernel.DxgkCbInvalidateHwContext(&invalidate);
    }
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI resume_engine(const HANDLE adapter, DXGKARG_RESUMEHWENGINE *arguments)
{
    (void)adapter, (void)arguments;
    arm();
    return way == NEVER_RESUMES ? STATUS_UNSUCCESSFUL : STATUS_SUCCESS;
}

static NTSTATUS NTAPI create_queue(const HANDLE context, DXGKARG_CREATEHWQUEUE *arguments)
{
    struct queue *queue;
    KIRQL irql;

    queue = way == POOR ? NULL : ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*queue), QUEUE_TAG);
    if (queue == NULL) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    RtlZeroMemory(queue, sizeof(*queue));
    queue->context = context;
    queue->kernel = arguments->hHwQueue;
    queue->fence = arguments->HwQueueProgressFenceCPUVirtualAddress;
    arguments->hHwQueue = queue;
    KeAcquireSpinLock(&lock, &irql);
    InsertTailList(&queues, &queue->link);
    KeReleaseSpinLock(&lock, irql);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI destroy_queue(const HANDLE handle)
{
    struct queue *queue = handle;
    KIRQL irql;

    KeAcquireSpinLock(&lock, &irql);
    RemoveEntryList(&queue->link);
    KeReleaseSpinLock(&lock, irql);
    ExFreePoolWithTag(queue, QUEUE_TAG);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI submit(const HANDLE adapter, const DXGKARG_SUBMITCOMMANDTOHWQUEUE *arguments)
{
    struct queue *queue = arguments->hHwQueue;
    BOOLEAN bad = ++submissions == BAD_ONE, result;
    KIRQL irql;

    (void)adapter;
    if ((bad && way == REFUSES) || !queue->context->set_up) {
        return STATUS_INVALID_PARAMETER;
    }
    KeAcquireSpinLock(&lock, &irql);
    NT_ASSERT(queue->count < IN_FLIGHT_MAX);
    queue->waiting[queue->count++] =
        bad && (way == HANGS || way == HANGS_ALONE || way == NEVER_RESUMES)
            ? 0
            : arguments->HwQueueProgressFenceId;
    KeReleaseSpinLock(&lock, irql);
    arm();
    if (way == TALKATIVE) {
        (void)kernel.DxgkCbSynchronizeExecution(kernel.DeviceHandle, tell, NULL, 0, &result);
    }
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI validate(const HANDLE adapter, DXGKARG_VALIDATESUBMITCOMMAND *arguments)
{
    if (!arguments->Flags.HardwareQueueSubmission) {
        return below.DxgkDdiValidateSubmitCommand(adapter, arguments);
    }
    return ++validations == BAD_ONE && way == DOUBTS ? STATUS_INVALID_USER_BUFFER : STATUS_SUCCESS;
}

static VOID NTAPI set_root(const HANDLE adapter, const DXGKARG_SETROOTPAGETABLE *arguments)
{
    if (((const struct context *)arguments->hContext)->mark != CONTEXT_TAG) {
        below.DxgkDdiSetRootPageTable(adapter, arguments);
    }
}

static NTSTATUS NTAPI reset(const HANDLE adapter)
{
    NTSTATUS status = below.DxgkDdiResetFromTimeout(adapter);
    KIRQL irql;

    KeAcquireSpinLock(&lock, &irql);
    for (PLIST_ENTRY link = queues.Flink; link != &queues; link = link->Flink) {
        CONTAINING_RECORD(link, struct queue, link)->count = 0;
    }
    KeReleaseSpinLock(&lock, irql);
    return status;
}

/* ---- Start and end --------------------------------------------------------------------------- */

static NTSTATUS NTAPI start_device(const PVOID context, PDXGK_START_INFO start_info,
                                   PDXGKRNL_INTERFACE interface, PULONG source_count,
                                   PULONG child_count)
{
    ULONG size = interface->Size < sizeof(kernel) ? interface->Size : (ULONG)sizeof(kernel);

    RtlZeroMemory(&kernel, sizeof(kernel));
    RtlCopyMemory(&kernel, interface, size);
    return below.DxgkDdiStartDevice(context, start_info, interface, source_count, child_count);
}

static NTSTATUS NTAPI stop_device(const PVOID context)
{
    (void)KeCancelTimer(&timer);
    KeFlushQueuedDpcs();
    return below.DxgkDdiStopDevice(context);
}

static ULONG read_way(PUNICODE_STRING registry_path)
{
    union {
        KEY_VALUE_PARTIAL_INFORMATION header;
        UCHAR bytes[sizeof(KEY_VALUE_PARTIAL_INFORMATION) + 16];
    } information;
    OBJECT_ATTRIBUTES attributes;
    UNICODE_STRING name;
    ULONG length, value = WELL;
    HANDLE key;

    InitializeObjectAttributes(&attributes, registry_path, OBJ_KERNEL_HANDLE | OBJ_CASE_INSENSITIVE,
                               NULL, NULL);
    RtlInitUnicodeString(&name, L"Queues");
    if (!NT_SUCCESS(ZwOpenKey(&key, KEY_READ, &attributes))) {
        return value;
    }
    if (NT_SUCCESS(ZwQueryValueKey(key, &name, KeyValuePartialInformation, &information,
                                   sizeof(information), &length)) &&
        information.header.Type == REG_DWORD) {
        RtlCopyMemory(&value, information.header.Data, sizeof(value));
    }
    ZwClose(key);
    return value;
}

/* What the reference driver calls instead of DxgkInitialize. */
NTSTATUS NTAPI queues_DxgkInitialize(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path,
                                     PDRIVER_INITIALIZATION_DATA table)
{
    below = *table;
    way = read_way(registry_path);
    submissions = validations = 0;
    InitializeListHead(&queues);
    KeInitializeSpinLock(&lock);
    KeInitializeTimer(&timer);
    KeInitializeDpc(&dpc, tick, NULL);
    table->DxgkDdiStartDevice = start_device;
    table->DxgkDdiStopDevice = stop_device;
    table->DxgkDdiGetNodeMetadata = get_node_metadata;
    table->DxgkDdiCreateHwContext = create_context;
    table->DxgkDdiDestroyHwContext = destroy_context;
    table->DxgkDdiSetContextSchedulingProperties = set_properties;
    table->DxgkDdiSuspendContext = suspend;
    table->DxgkDdiResumeContext = resume;
    table->DxgkDdiResetHwEngine = reset_engine;
    table->DxgkDdiResumeHwEngine = resume_engine;
    table->DxgkDdiCreateHwQueue = create_queue;
    table->DxgkDdiDestroyHwQueue = destroy_queue;
    table->DxgkDdiSubmitCommandToHwQueue = submit;
    table->DxgkDdiValidateSubmitCommand = validate;
    table->DxgkDdiSetRootPageTable = set_root;
    table->DxgkDdiResetFromTimeout = reset;
    return DxgkInitialize(driver_object, registry_path, table);
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    return softgpu_DriverEntry(driver_object, registry_path);
}

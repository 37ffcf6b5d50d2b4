/* nt/io_irp.c: request packets: made, sent down a device stack, completed.
 *
 *      IoBuild... / IoAllocateIrp ──IoCallDriver──> next stack location's driver
 *                     ^                                      │
 *      freed for what the kernel built <──completion routines┴──IoCompleteRequest
 */
#include "nt/internal.h"

#include <string.h>

#define IO_TYPE_IRP       6
#define IRP_TAG           POOL_TAG('I', 'r', 'p', ' ')
#define SYSTEM_BUFFER_TAG POOL_TAG('I', 'o', 'S', 'B')
/* IRP.AllocationFlags: the kernel built it and frees it at its end. */
#define IRP_FREED_AT_END 0x80

static IO_STACK_LOCATION *stack_of(IRP *irp)
{
    return (IO_STACK_LOCATION *)(irp + 1);
}

static void irp_init(IRP *irp, USHORT size, CCHAR stack_size)
{
    memset(irp, 0, size);
    irp->Type = IO_TYPE_IRP;
    irp->Size = size;
    irp->StackCount = stack_size;
    irp->CurrentLocation = (CHAR)(stack_size + 1);
    irp->Tail.Overlay.CurrentStackLocation = stack_of(irp) + stack_size;
    InitializeListHead(&irp->ThreadListEntry);
}

static IRP *irp_new(CCHAR stack_size, bool internal, const void *caller)
{
    struct pool_request request = {.size = IoSizeOfIrp((size_t)stack_size),
                                   .tag = IRP_TAG,
                                   .internal = internal,
                                   .caller = caller};
    IRP *irp = stack_size > 0 ? pool_allocate(&request) : NULL;

    if (irp) {
        irp_init(irp, (USHORT)request.size, stack_size);
    }
    return irp;
}

/* How much of the caller's buffer the request may fill: the first parameter of all that have one.
 */
static ULONG output_length(IRP *irp)
{
    return stack_of(irp)[irp->StackCount - 1].Parameters.Read.Length;
}

/* What came into the system buffer goes to the caller's. */
static void copy_back(IRP *irp, const struct export_call *call)
{
    ULONG_PTR size = irp->IoStatus.Information;
    ULONG room = output_length(irp);

    if (!(irp->Flags & IRP_INPUT_OPERATION) || NT_ERROR(irp->IoStatus.Status)) {
        return;
    }
    if (size > room) {
        misuse(NT_MISUSE_ARGUMENT, call,
               "completes with Information %llu for an output buffer of %u bytes",
               (unsigned long long)size, room);
        size = room;
    }
    memcpy(irp->UserBuffer, irp->AssociatedIrp.SystemBuffer, size);
}

static void release_buffers(IRP *irp, const struct export_call *call)
{
    if (irp->Flags & IRP_DEALLOCATE_BUFFER) {
        copy_back(irp, call);
        if (!pool_free_internal(irp->AssociatedIrp.SystemBuffer)) {
            pool_free(irp->AssociatedIrp.SystemBuffer, SYSTEM_BUFFER_TAG, call);
        }
    }
    while (irp->MdlAddress) {
        MDL *mdl = irp->MdlAddress;
        irp->MdlAddress = mdl->Next;
        if (mdl->MdlFlags & MDL_PAGES_LOCKED) {
            MmUnlockPages(mdl);
        }
        IoFreeMdl(mdl);
    }
}

static void free_built(IRP *irp, const struct export_call *call)
{
    release_buffers(irp, call);
    if (irp->UserIosb) {
        *irp->UserIosb = irp->IoStatus;
    }
    if (irp->UserEvent) {
        nt_event_signal(irp->UserEvent);
    }
    if (!pool_free_internal(irp)) {
        pool_free(irp, IRP_TAG, call);
    }
}

static bool wants_routine(const IO_STACK_LOCATION *location, const IRP *irp)
{
    UCHAR when = NT_SUCCESS(irp->IoStatus.Status) ? SL_INVOKE_ON_SUCCESS : SL_INVOKE_ON_ERROR;

    if (irp->Cancel) {
        when |= SL_INVOKE_ON_CANCEL;
    }

    return location->CompletionRoutine && (location->Control & when);
}

static void complete(IRP *irp, const struct export_call *call)
{
    while (irp->CurrentLocation <= irp->StackCount) {
        IO_STACK_LOCATION *location = irp->Tail.Overlay.CurrentStackLocation;
        DEVICE_OBJECT *above;
        irp->PendingReturned = (location->Control & SL_PENDING_RETURNED) != 0;
        irp->CurrentLocation++;
        irp->Tail.Overlay.CurrentStackLocation++;
        above = irp->CurrentLocation <= irp->StackCount
                    ? irp->Tail.Overlay.CurrentStackLocation->DeviceObject
                    : NULL;
        if (wants_routine(location, irp)) {
            NTSTATUS status = NT_CALL_DRIVER("a completion routine", location->CompletionRoutine,
                                             (above, irp, location->Context));
            if (status == STATUS_MORE_PROCESSING_REQUIRED) {
                return;
            }
        } else if (irp->PendingReturned && above) {
            /* Nobody at this layer could say so to the one above. */
            IoMarkIrpPending(irp);
        }
    }
    if (irp->AllocationFlags & IRP_FREED_AT_END) {
        free_built(irp, call);
    }
}

void irp_complete(IRP *irp)
{
    const struct export_call call = {EXPORT_ID_IoCompleteRequest, NULL};

    complete(irp, &call);
}

static NTSTATUS call_driver(DEVICE_OBJECT *device, IRP *irp, const struct export_call *call)
{
    IO_STACK_LOCATION *location;

    if (object_type_of(device) != &object_type_device) {
        misuse(NT_MISUSE_OBJECT, call, "that is no device object");
        return STATUS_INVALID_PARAMETER;
    }
    if (irp->CurrentLocation <= 1) {
        bugcheck_from(call->caller, NO_MORE_IRP_STACK_LOCATIONS, (uintptr_t)irp, 0, 0, 0);
    }
    irp->CurrentLocation--;
    location = --irp->Tail.Overlay.CurrentStackLocation;
    location->DeviceObject = device;
    if (location->MajorFunction > IRP_MJ_MAXIMUM_FUNCTION) {
        irp->IoStatus.Status = STATUS_INVALID_DEVICE_REQUEST;
        irp_complete(irp);
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    return NT_CALL_DRIVER("a dispatch routine",
                          device->DriverObject->MajorFunction[location->MajorFunction],
                          (device, irp));
}

NTSTATUS NTAPI IoCallDriver(PDEVICE_OBJECT DeviceObject, PIRP Irp)
{
    struct export_call call = NT_EXPORT_CALL(IoCallDriver);
    return call_driver(DeviceObject, Irp, &call);
}

NTSTATUS NTAPI PoCallDriver(PDEVICE_OBJECT DeviceObject, PIRP Irp)
{
    struct export_call call = NT_EXPORT_CALL(PoCallDriver);
    return call_driver(DeviceObject, Irp, &call);
}

VOID NTAPI IoCompleteRequest(PIRP Irp, CCHAR PriorityBoost)
{
    struct export_call call = NT_EXPORT_CALL(IoCompleteRequest);

    if (Irp->CurrentLocation > Irp->StackCount) {
        bugcheck_from(call.caller, MULTIPLE_IRP_COMPLETE_REQUESTS, (uintptr_t)Irp, 0, 0, 0);
    }
    if (Irp->IoStatus.Status == STATUS_PENDING) {
        misuse(NT_MISUSE_ARGUMENT, &call,
               "completes a request with STATUS_PENDING: set the final status first");
    }
    if (Irp->CancelRoutine) {
        misuse(NT_MISUSE_OBJECT, &call,
               "completes a request that has a cancel routine: take it back by "
               "IoSetCancelRoutine first");
        IoSetCancelRoutine(Irp, NULL);
    }
    complete(Irp, &call);
}

/* The driver cannot be unloaded here before its routine has run: nothing to hold. */
NTSTATUS NTAPI IoSetCompletionRoutineEx(PDEVICE_OBJECT DeviceObject, PIRP Irp,
                                        PIO_COMPLETION_ROUTINE CompletionRoutine, PVOID Context,
                                        BOOLEAN InvokeOnSuccess, BOOLEAN InvokeOnError,
                                        BOOLEAN InvokeOnCancel)
{
    struct export_call call = NT_EXPORT_CALL(IoSetCompletionRoutineEx);

    if (object_type_of(DeviceObject) != &object_type_device) {
        misuse(NT_MISUSE_OBJECT, &call, "that is no device object");
        return STATUS_INVALID_PARAMETER;
    }
    if (!CompletionRoutine && (InvokeOnSuccess || InvokeOnError || InvokeOnCancel)) {
        misuse(NT_MISUSE_ARGUMENT, &call, "asks for a routine and names none");
        return STATUS_INVALID_PARAMETER;
    }
    if (Irp->CurrentLocation <= 1) {
        bugcheck_from(call.caller, NO_MORE_IRP_STACK_LOCATIONS, (uintptr_t)Irp, 0, 0, 0);
    }
    IoSetCompletionRoutine(Irp, CompletionRoutine, Context, InvokeOnSuccess, InvokeOnError,
                           InvokeOnCancel);
    return STATUS_SUCCESS;
}

/* ---- Making ---------------------------------------------------------------------------------- */

PIRP NTAPI IoAllocateIrp(CCHAR StackSize, BOOLEAN ChargeQuota)
{
    struct export_call call = NT_EXPORT_CALL(IoAllocateIrp);
    return irp_new(StackSize, false, call.caller);
}

VOID NTAPI IoFreeIrp(PIRP Irp)
{
    struct export_call call = NT_EXPORT_CALL(IoFreeIrp);
    pool_free(Irp, IRP_TAG, &call);
}

VOID NTAPI IoInitializeIrp(PIRP Irp, USHORT PacketSize, CCHAR StackSize)
{
    NT_EXPORT_ENTER(IoInitializeIrp);
    irp_init(Irp, PacketSize, StackSize);
}

VOID NTAPI IoReuseIrp(PIRP Irp, NTSTATUS Iostatus)
{
    NT_EXPORT_ENTER(IoReuseIrp);
    irp_init(Irp, Irp->Size, Irp->StackCount);
    Irp->IoStatus.Status = Iostatus;
}

/* An IRP that the kernel frees when it completes, and that tells iosb and event. One that is not
 * internal may be freed by the driver, whose completion routine has taken it back. */
static IRP *build(DEVICE_OBJECT *device, UCHAR major, bool internal, IO_STATUS_BLOCK *iosb,
                  const struct export_call *call)
{
    IRP *irp;

    if (object_type_of(device) != &object_type_device) {
        misuse(NT_MISUSE_OBJECT, call, "that is no device object");
        return NULL;
    }
    if (allocation_fails(IRP_TAG, 0, call->caller)) {
        return NULL;
    }
    irp = irp_new(device->StackSize, internal, call->caller);
    if (irp) {
        irp->AllocationFlags = IRP_FREED_AT_END;
        irp->UserIosb = iosb;
        irp->Tail.Overlay.Thread = (PETHREAD)thread_current();
        IoGetNextIrpStackLocation(irp)->MajorFunction = major;
    }
    return irp;
}

static void discard(IRP *irp, const struct export_call *call)
{
    irp->UserIosb = NULL;
    irp->Flags &= ~(ULONG)IRP_INPUT_OPERATION;
    free_built(irp, call);
}

/* A system buffer of its own with the input in it; output from it goes to the caller's buffer when
 * the request completes. */
struct buffered {
    const void *input;
    ULONG input_length;
    void *output;
    ULONG output_length;
};

static bool give_system_buffer(IRP *irp, const struct buffered *buffers, bool internal,
                               const struct export_call *call)
{
    struct pool_request request = {.size = buffers->input_length,
                                   .tag = SYSTEM_BUFFER_TAG,
                                   .zeroed = true,
                                   .internal = internal,
                                   .caller = call->caller};

    if (buffers->output_length > request.size) {
        request.size = buffers->output_length;
    }
    if (request.size == 0) {
        return true;
    }
    irp->AssociatedIrp.SystemBuffer = pool_allocate(&request);
    if (!irp->AssociatedIrp.SystemBuffer) {
        return false;
    }
    irp->Flags |= IRP_BUFFERED_IO | IRP_DEALLOCATE_BUFFER;
    if (buffers->input_length) {
        memcpy(irp->AssociatedIrp.SystemBuffer, buffers->input, buffers->input_length);
    }
    if (buffers->output_length) {
        irp->UserBuffer = buffers->output;
        irp->Flags |= IRP_INPUT_OPERATION;
    }
    return true;
}

static bool give_mdl(IRP *irp, void *buffer, ULONG length, LOCK_OPERATION operation)
{
    MDL *mdl;

    if (length == 0) {
        return true;
    }
    if (!memory_is_readable(buffer, length)) {
        return false;
    }
    mdl = IoAllocateMdl(buffer, length, FALSE, FALSE, NULL);
    if (!mdl) {
        return false;
    }
    irp->MdlAddress = mdl;
    MmProbeAndLockPages(mdl, KernelMode, operation);
    return true;
}

static bool give_control_buffers(IRP *irp, ULONG code, const struct buffered *buffers,
                                 const struct export_call *call)
{
    struct buffered input = {buffers->input, buffers->input_length, NULL, 0};

    switch (code & 3) {
    case METHOD_BUFFERED:
        return give_system_buffer(irp, buffers, true, call);
    case METHOD_IN_DIRECT:
    case METHOD_OUT_DIRECT:
        return give_system_buffer(irp, &input, true, call) &&
               give_mdl(irp, buffers->output, buffers->output_length,
                        (code & 3) == METHOD_IN_DIRECT ? IoReadAccess : IoWriteAccess);
    default:
        irp->UserBuffer = buffers->output;
        return true;
    }
}

PIRP NTAPI IoBuildDeviceIoControlRequest(ULONG IoControlCode, PDEVICE_OBJECT DeviceObject,
                                         PVOID InputBuffer, ULONG InputBufferLength,
                                         PVOID OutputBuffer, ULONG OutputBufferLength,
                                         BOOLEAN InternalDeviceIoControl, PKEVENT Event,
                                         PIO_STATUS_BLOCK IoStatusBlock)
{
    struct export_call call = NT_EXPORT_CALL(IoBuildDeviceIoControlRequest);
    UCHAR major = InternalDeviceIoControl ? IRP_MJ_INTERNAL_DEVICE_CONTROL : IRP_MJ_DEVICE_CONTROL;
    const struct buffered buffers = {InputBuffer, InputBufferLength, OutputBuffer,
                                     OutputBufferLength};
    IRP *irp = build(DeviceObject, major, true, IoStatusBlock, &call);
    IO_STACK_LOCATION *next;

    if (!irp) {
        return NULL;
    }
    if (!give_control_buffers(irp, IoControlCode, &buffers, &call)) {
        discard(irp, &call);
        return NULL;
    }
    irp->UserEvent = Event;
    next = IoGetNextIrpStackLocation(irp);
    next->Parameters.DeviceIoControl.IoControlCode = IoControlCode;
    next->Parameters.DeviceIoControl.InputBufferLength = InputBufferLength;
    next->Parameters.DeviceIoControl.OutputBufferLength = OutputBufferLength;
    if ((IoControlCode & 3) == METHOD_NEITHER) {
        next->Parameters.DeviceIoControl.Type3InputBuffer = InputBuffer;
    }
    return irp;
}

/* What a request for the file system or a device moves, and who hears of its end. */
struct fsd_request {
    DEVICE_OBJECT *device;
    ULONG major;
    void *buffer;
    ULONG length;
    const LARGE_INTEGER *offset;
    KEVENT *event;
    IO_STATUS_BLOCK *iosb;
    bool internal;
};

/* As the device wants its transfers: buffered, direct, or as the address is. */
static bool give_transfer_buffers(IRP *irp, const struct fsd_request *request,
                                  const struct export_call *call)
{
    bool read = request->major == IRP_MJ_READ;
    struct buffered in = {NULL, 0, request->buffer, request->length};
    struct buffered out = {request->buffer, request->length, NULL, 0};

    if (request->device->Flags & DO_BUFFERED_IO) {
        return give_system_buffer(irp, read ? &in : &out, request->internal, call);
    }
    if (request->device->Flags & DO_DIRECT_IO) {
        return give_mdl(irp, request->buffer, request->length, read ? IoWriteAccess : IoReadAccess);
    }
    irp->UserBuffer = request->buffer;
    return true;
}

static IRP *build_fsd(const struct fsd_request *request, const struct export_call *call)
{
    IRP *irp =
        build(request->device, (UCHAR)request->major, request->internal, request->iosb, call);

    if (!irp) {
        return NULL;
    }
    if (request->major == IRP_MJ_READ || request->major == IRP_MJ_WRITE) {
        IO_STACK_LOCATION *next = IoGetNextIrpStackLocation(irp);
        next->Parameters.Read.Length = request->length;
        next->Parameters.Read.ByteOffset.QuadPart = request->offset ? request->offset->QuadPart : 0;
        if (!give_transfer_buffers(irp, request, call)) {
            discard(irp, call);
            return NULL;
        }
    }
    irp->UserEvent = request->event;
    return irp;
}

PIRP NTAPI IoBuildSynchronousFsdRequest(ULONG MajorFunction, PDEVICE_OBJECT DeviceObject,
                                        PVOID Buffer, ULONG Length, PLARGE_INTEGER StartingOffset,
                                        PKEVENT Event, PIO_STATUS_BLOCK IoStatusBlock)
{
    struct export_call call = NT_EXPORT_CALL(IoBuildSynchronousFsdRequest);
    const struct fsd_request request = {DeviceObject,   MajorFunction, Buffer,        Length,
                                        StartingOffset, Event,         IoStatusBlock, true};

    return build_fsd(&request, &call);
}

PIRP NTAPI IoBuildAsynchronousFsdRequest(ULONG MajorFunction, PDEVICE_OBJECT DeviceObject,
                                         PVOID Buffer, ULONG Length, PLARGE_INTEGER StartingOffset,
                                         PIO_STATUS_BLOCK IoStatusBlock)
{
    struct export_call call = NT_EXPORT_CALL(IoBuildAsynchronousFsdRequest);
    const struct fsd_request request = {DeviceObject,   MajorFunction, Buffer,        Length,
                                        StartingOffset, NULL,          IoStatusBlock, false};

    return build_fsd(&request, &call);
}

/* ---- Cancelling ------------------------------------------------------------------------------ */

static KSPIN_LOCK cancel_lock;

VOID NTAPI IoAcquireCancelSpinLock(PKIRQL Irql)
{
    NT_EXPORT_ENTER(IoAcquireCancelSpinLock);
    *Irql = KeAcquireSpinLockRaiseToDpc(&cancel_lock);
}

VOID NTAPI IoReleaseCancelSpinLock(KIRQL Irql)
{
    NT_EXPORT_ENTER(IoReleaseCancelSpinLock);
    KeReleaseSpinLock(&cancel_lock, Irql);
}

BOOLEAN NTAPI IoCancelIrp(PIRP Irp)
{
    PDRIVER_CANCEL routine;
    KIRQL old;

    NT_EXPORT_ENTER(IoCancelIrp);
    IoAcquireCancelSpinLock(&old);
    Irp->Cancel = TRUE;
    routine = IoSetCancelRoutine(Irp, NULL);
    if (!routine) {
        IoReleaseCancelSpinLock(old);
        return FALSE;
    }
    Irp->CancelIrql = old;
    NT_CALL_DRIVER("a cancel routine", routine, /* releases the lock */
                   (IoGetCurrentIrpStackLocation(Irp)->DeviceObject, Irp));
    return TRUE;
}

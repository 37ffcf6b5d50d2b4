/* nt/io_irp.c: request packets: made, sent down a device stack, completed.
 *
 *      IoBuild... / IoAllocateIrp ──IoCallDriver──> next stack location's driver
 *                     ^                                      │
 *      freed for what the kernel built <──completion routines┴──IoCompleteRequest
 */
#include "nt/internal.h"

#include <string.h>

#define IO_TYPE_IRP 6
#define IRP_TAG     POOL_TAG('I', 'r', 'p', ' ')
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

static void free_built(IRP *irp)
{
    if (irp->UserIosb) {
        *irp->UserIosb = irp->IoStatus;
    }
    if (irp->UserEvent) {
        nt_event_signal(irp->UserEvent);
    }
    pool_free_internal(irp);
}

static bool wants_routine(const IO_STACK_LOCATION *location, const IRP *irp)
{
    UCHAR when = irp->Cancel                        ? SL_INVOKE_ON_CANCEL
                 : NT_SUCCESS(irp->IoStatus.Status) ? SL_INVOKE_ON_SUCCESS
                                                    : SL_INVOKE_ON_ERROR;

    return location->CompletionRoutine && (location->Control & when);
}

void irp_complete(IRP *irp)
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
        if (wants_routine(location, irp) &&
            location->CompletionRoutine(above, irp, location->Context) ==
                STATUS_MORE_PROCESSING_REQUIRED) {
            return;
        }
    }
    if (irp->AllocationFlags & IRP_FREED_AT_END) {
        free_built(irp);
    }
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
    return device->DriverObject->MajorFunction[location->MajorFunction](device, irp);
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
    irp_complete(Irp);
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

/* An IRP that the kernel frees when it completes, and that tells iosb and event. */
static IRP *build(DEVICE_OBJECT *device, UCHAR major, KEVENT *event, IO_STATUS_BLOCK *iosb,
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
    irp = irp_new(device->StackSize, true, call->caller);
    if (irp) {
        irp->AllocationFlags = IRP_FREED_AT_END;
        irp->UserEvent = event;
        irp->UserIosb = iosb;
        irp->Tail.Overlay.Thread = (PETHREAD)thread_current();
        IoGetNextIrpStackLocation(irp)->MajorFunction = major;
    }
    return irp;
}

/* The buffers are handed over as they are: callers here are kernel drivers alone. */
PIRP NTAPI IoBuildDeviceIoControlRequest(ULONG IoControlCode, PDEVICE_OBJECT DeviceObject,
                                         PVOID InputBuffer, ULONG InputBufferLength,
                                         PVOID OutputBuffer, ULONG OutputBufferLength,
                                         BOOLEAN InternalDeviceIoControl, PKEVENT Event,
                                         PIO_STATUS_BLOCK IoStatusBlock)
{
    struct export_call call = NT_EXPORT_CALL(IoBuildDeviceIoControlRequest);
    UCHAR major = InternalDeviceIoControl ? IRP_MJ_INTERNAL_DEVICE_CONTROL : IRP_MJ_DEVICE_CONTROL;
    IRP *irp = build(DeviceObject, major, Event, IoStatusBlock, &call);
    IO_STACK_LOCATION *next;

    if (!irp) {
        return NULL;
    }
    next = IoGetNextIrpStackLocation(irp);
    next->Parameters.DeviceIoControl.IoControlCode = IoControlCode;
    next->Parameters.DeviceIoControl.InputBufferLength = InputBufferLength;
    next->Parameters.DeviceIoControl.OutputBufferLength = OutputBufferLength;
    next->Parameters.DeviceIoControl.Type3InputBuffer = InputBuffer;
    irp->AssociatedIrp.SystemBuffer = InputBuffer ? InputBuffer : OutputBuffer;
    irp->UserBuffer = OutputBuffer;
    return irp;
}

static IRP *build_fsd(ULONG major, DEVICE_OBJECT *device, void *buffer, ULONG length,
                      const LARGE_INTEGER *offset, KEVENT *event, IO_STATUS_BLOCK *iosb,
                      const struct export_call *call)
{
    IRP *irp = build(device, (UCHAR)major, event, iosb, call);

    if (irp && (major == IRP_MJ_READ || major == IRP_MJ_WRITE)) {
        IO_STACK_LOCATION *next = IoGetNextIrpStackLocation(irp);
        next->Parameters.Read.Length = length;
        next->Parameters.Read.ByteOffset.QuadPart = offset ? offset->QuadPart : 0;
        irp->UserBuffer = buffer;
        irp->AssociatedIrp.SystemBuffer = buffer;
    }
    return irp;
}

PIRP NTAPI IoBuildSynchronousFsdRequest(ULONG MajorFunction, PDEVICE_OBJECT DeviceObject,
                                        PVOID Buffer, ULONG Length, PLARGE_INTEGER StartingOffset,
                                        PKEVENT Event, PIO_STATUS_BLOCK IoStatusBlock)
{
    struct export_call call = NT_EXPORT_CALL(IoBuildSynchronousFsdRequest);
    return build_fsd(MajorFunction, DeviceObject, Buffer, Length, StartingOffset, Event,
                     IoStatusBlock, &call);
}

PIRP NTAPI IoBuildAsynchronousFsdRequest(ULONG MajorFunction, PDEVICE_OBJECT DeviceObject,
                                         PVOID Buffer, ULONG Length, PLARGE_INTEGER StartingOffset,
                                         PIO_STATUS_BLOCK IoStatusBlock)
{
    struct export_call call = NT_EXPORT_CALL(IoBuildAsynchronousFsdRequest);
    IRP *irp = build_fsd(MajorFunction, DeviceObject, Buffer, Length, StartingOffset, NULL,
                         IoStatusBlock, &call);

    return irp;
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
    routine(IoGetCurrentIrpStackLocation(Irp)->DeviceObject, Irp); /* releases the lock */
    return TRUE;
}

/* nt/io_misc.c: timers of devices, the error log, WMI, questions about processes. */
#include "nt/internal.h"

#include <stdlib.h>
#include <string.h>

#define ERROR_LOG_LIMIT_SIZE 240 /* of an entry with all its texts */

/* ---- Device timers: once a second ------------------------------------------------------------ */

struct _IO_TIMER {
    struct list link;
    KTIMER timer;
    KDPC dpc;
    DEVICE_OBJECT *device;
    PIO_TIMER_ROUTINE routine;
    void *context;
};

static VOID NTAPI io_timer_dpc(PKDPC dpc, PVOID context, PVOID argument1, PVOID argument2)
{
    struct _IO_TIMER *timer = context;

    NT_CALL_DRIVER("a timer's routine", timer->routine, (timer->device, timer->context));
}

NTSTATUS NTAPI IoInitializeTimer(PDEVICE_OBJECT DeviceObject, PIO_TIMER_ROUTINE TimerRoutine,
                                 PVOID Context)
{
    struct _IO_TIMER *timer = DeviceObject->Timer;

    NT_EXPORT_ENTER(IoInitializeTimer);
    if (!timer) {
        timer = nt_memory_alloc(sizeof(*timer), POOL_TAG('I', 'o', 'T', 'i'));
        if (!timer) {
            return STATUS_INSUFFICIENT_RESOURCES;
        }
        KeInitializeTimer(&timer->timer);
        KeInitializeDpc(&timer->dpc, io_timer_dpc, timer);
        timer->device = DeviceObject;
        DeviceObject->Timer = timer;
    }
    timer->routine = TimerRoutine;
    timer->context = Context;
    return STATUS_SUCCESS;
}

VOID NTAPI IoStartTimer(PDEVICE_OBJECT DeviceObject)
{
    LARGE_INTEGER second = {.QuadPart = -10000000};

    NT_EXPORT_ENTER(IoStartTimer);
    KeSetTimerEx(&DeviceObject->Timer->timer, second, 1000, &DeviceObject->Timer->dpc);
}

VOID NTAPI IoStopTimer(PDEVICE_OBJECT DeviceObject)
{
    NT_EXPORT_ENTER(IoStopTimer);
    KeCancelTimer(&DeviceObject->Timer->timer);
}

/* ---- Error log ------------------------------------------------------------------------------- */

PVOID NTAPI IoAllocateErrorLogEntry(PVOID IoObject, UCHAR EntrySize)
{
    NT_EXPORT_ENTER(IoAllocateErrorLogEntry);
    if (EntrySize == 0 || EntrySize > ERROR_LOG_LIMIT_SIZE) {
        return NULL;
    }
    return nt_memory_alloc(EntrySize, POOL_TAG('I', 'o', 'E', 'r'));
}

VOID NTAPI IoFreeErrorLogEntry(PVOID ElEntry)
{
    struct export_call call = NT_EXPORT_CALL(IoFreeErrorLogEntry);

    if (!pool_free_internal(ElEntry)) {
        misuse(NT_MISUSE_POOL_FREE, &call, "that is no entry of the error log");
    }
}

VOID NTAPI IoWriteErrorLogEntry(PVOID ElEntry)
{
    struct export_call call = NT_EXPORT_CALL(IoWriteErrorLogEntry);

    log_line("the driver wrote an entry to the system's error log");
    if (!pool_free_internal(ElEntry)) {
        misuse(NT_MISUSE_POOL_FREE, &call, "that is no entry of the error log");
    }
}

/* ---- What nobody listens to ------------------------------------------------------------------ */

NTSTATUS NTAPI IoWMIRegistrationControl(PDEVICE_OBJECT DeviceObject, ULONG Action)
{
    NT_EXPORT_ENTER(IoWMIRegistrationControl);
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI IoReportTargetDeviceChangeAsynchronous(PDEVICE_OBJECT PhysicalDeviceObject,
                                                      PVOID NotificationStructure, PVOID Callback,
                                                      PVOID Context)
{
    NT_EXPORT_ENTER(IoReportTargetDeviceChangeAsynchronous);
    return STATUS_SUCCESS;
}

BOOLEAN NTAPI IoIs32bitProcess(PIRP Irp)
{
    NT_EXPORT_ENTER(IoIs32bitProcess);
    return FALSE;
}

/* ---- System information: nothing is told ----------------------------------------------------- */

/* No header has it: drivers that want it declare it themselves, each with types of its own. */
NTSTATUS NTAPI ZwQuerySystemInformation(ULONG SystemInformationClass, PVOID SystemInformation,
                                        ULONG SystemInformationLength, PULONG ReturnLength);

NTSTATUS NTAPI ZwQuerySystemInformation(ULONG SystemInformationClass, PVOID SystemInformation,
                                        ULONG SystemInformationLength, PULONG ReturnLength)
{
    NT_EXPORT_ENTER(ZwQuerySystemInformation);
    if (ReturnLength) {
        *ReturnLength = 0;
    }
    return STATUS_INVALID_INFO_CLASS;
}

NTSTATUS NTAPI ZwQueryInformationProcess(HANDLE ProcessHandle, ULONG ProcessInformationClass,
                                         PVOID ProcessInformation, ULONG ProcessInformationLength,
                                         PULONG ReturnLength)
{
    NT_EXPORT_ENTER(ZwQueryInformationProcess);
    if (ReturnLength) {
        *ReturnLength = 0;
    }
    return STATUS_INVALID_INFO_CLASS;
}

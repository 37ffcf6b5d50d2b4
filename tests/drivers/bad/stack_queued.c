/* A driver that comes back while a DPC on its stack is queued. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

static KDEFERRED_ROUTINE late;

static VOID NTAPI late(PKDPC dpc, PVOID context, PVOID argument1, PVOID argument2)
{
    UNREFERENCED_PARAMETER(dpc);
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(argument1);
    UNREFERENCED_PARAMETER(argument2);
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    KDPC dpc;

    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    KeInitializeDpc(&dpc, late, NULL);
    KeSetTargetProcessorDpc(&dpc, (CCHAR)(KeGetCurrentProcessorNumberEx(NULL) == 0));
    KeInsertQueueDpc(&dpc, NULL, NULL);
    return STATUS_UNSUCCESSFUL;
}

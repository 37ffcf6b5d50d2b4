/* A driver that comes back, and the DPC of its timer is on the stack. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

static KDEFERRED_ROUTINE late;
static KTIMER timer;

static VOID NTAPI late(PKDPC dpc, PVOID context, PVOID argument1, PVOID argument2)
{
    UNREFERENCED_PARAMETER(dpc);
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(argument1);
    UNREFERENCED_PARAMETER(argument2);
}

static VOID arm(PKDPC dpc)
{
    LARGE_INTEGER due = {.QuadPart = -100000};

    KeInitializeDpc(dpc, late, NULL);
    KeInitializeTimer(&timer);
    KeSetTimer(&timer, due, dpc);
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    KDPC dpc;

    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    arm(&dpc);
    KeCancelTimer(&timer); /* and again, as a helper of the driver would */
    arm(&dpc);
    return STATUS_UNSUCCESSFUL;
}

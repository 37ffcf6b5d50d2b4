/* A driver whose DPC, which runs on the stack of whoever was interrupted, puts too much there. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

static ULONG sum;

/* Frames of less than a page, so that nobody looks for the end of the stack beforehand. */
static __attribute__((noinline)) ULONG add(ULONG depth)
{
    volatile UCHAR table[2048];

    table[depth] = (UCHAR)depth;
    table[sizeof(table) - 1 - depth] = (UCHAR)(depth + (depth < 20 ? add(depth + 1) : 0));
    return table[depth] + table[sizeof(table) - 1 - depth];
}

static VOID NTAPI routine(PKDPC dpc, PVOID context, PVOID first, PVOID second)
{
    UNREFERENCED_PARAMETER(dpc);
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(first);
    UNREFERENCED_PARAMETER(second);
    sum = add(0);
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    static KDPC dpc;
    LARGE_INTEGER soon = {.QuadPart = -10000};

    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    KeInitializeDpc(&dpc, routine, NULL);
    KeInsertQueueDpc(&dpc, NULL, NULL);
    KeDelayExecutionThread(KernelMode, FALSE, &soon);
    return STATUS_UNSUCCESSFUL;
}

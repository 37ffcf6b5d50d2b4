/* A driver that reads paged pool with a spin lock held; what is locked in memory it may. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

#define TAG  ((ULONG)('B' | 'a' << 8 | 'd' << 16 | 'P' << 24))
#define SIZE 128

static ULONG sum(const volatile UCHAR *bytes)
{
    ULONG result = 0, i;

    for (i = 0; i < SIZE; i++) {
        result += bytes[i];
    }
    return result;
}

static void read_locked(UCHAR *bytes)
{
    MDL *mdl = IoAllocateMdl(bytes, SIZE, FALSE, FALSE, NULL);
    KIRQL old;

    if (mdl != NULL) {
        MmProbeAndLockPages(mdl, KernelMode, IoReadAccess);
        KeRaiseIrql(DISPATCH_LEVEL, &old);
        DbgPrint("locked: %u\n", sum(bytes));
        KeLowerIrql(old);
        MmUnlockPages(mdl);
        IoFreeMdl(mdl);
    }
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    UCHAR *locked = ExAllocatePool2(POOL_FLAG_PAGED, SIZE, TAG);
    UCHAR *bytes = ExAllocatePool2(POOL_FLAG_PAGED, SIZE, TAG);
    KSPIN_LOCK lock;
    KIRQL old;

    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    KeInitializeSpinLock(&lock);
    if (locked != NULL && bytes != NULL) {
        read_locked(locked);
        KeRaiseIrql(APC_LEVEL, &old);
        DbgPrint("at APC_LEVEL: %u\n", sum(bytes));
        KeLowerIrql(old);
        KeAcquireSpinLock(&lock, &old);
        DbgPrint("at DISPATCH_LEVEL: %u\n", sum(bytes));
        KeReleaseSpinLock(&lock, old);
        ExFreePoolWithTag(bytes, TAG);
        ExFreePoolWithTag(locked, TAG);
    }
    return STATUS_UNSUCCESSFUL;
}

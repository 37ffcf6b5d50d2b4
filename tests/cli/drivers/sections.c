/* A driver whose code lies in sections that the kernel treats by their names: what is done there
 * too late, or at too high a level, is said by the registry value Wrong. */
#include <ntddk.h>

#include <dispmprt.h>

DRIVER_INITIALIZE DriverEntry;

#undef IN
#define IN(section_name) __attribute__((section(section_name), noinline))

static KSPIN_LOCK lock;
static KTIMER timer;
static volatile ULONG count;
static ULONG wrong;

IN("INIT") static ULONG number_at_start(PUNICODE_STRING path)
{
    static WCHAR key[256];
    ULONG value = 0;
    RTL_QUERY_REGISTRY_TABLE table[2] = {
        {.Flags = RTL_QUERY_REGISTRY_DIRECT, .Name = L"Wrong", .EntryContext = &value}};

    if (path && path->Length < sizeof(key)) {
        RtlCopyMemory(key, path->Buffer, path->Length);
        RtlQueryRegistryValues(RTL_REGISTRY_ABSOLUTE, key, table, NULL, NULL);
    }
    return value;
}

/* On Windows its pages may go where it holds the lock. */
IN("PAGE") static void count_with_lock(void)
{
    KIRQL old;

    KeAcquireSpinLock(&lock, &old);
    count++;
    KeReleaseSpinLock(&lock, old);
    count++;
}

/* Lies where it may, and ends with a jump: KeReleaseSpinLock returns to its caller's code. */
static __attribute__((noinline)) void count_locked_elsewhere(void)
{
    KIRQL old;

    KeAcquireSpinLock(&lock, &old);
    count++;
    KeReleaseSpinLock(&lock, old);
}

IN("PAGE") static void count_elsewhere(void)
{
    count_locked_elsewhere();
    count++;
}

/* Small, and called once: yet it stays where it was put. */
static void count_locked_once(void)
{
    KIRQL old;

    KeAcquireSpinLock(&lock, &old);
    count++;
    KeCancelTimer(&timer);
    KeReleaseSpinLock(&lock, old);
}

IN("PAGE") static void count_once(void)
{
    count_locked_once();
    count++;
}

IN("PAGEDPC") static VOID NTAPI dpc_main(PKDPC object, PVOID context, PVOID first, PVOID second)
{
    UNREFERENCED_PARAMETER(object);
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(first);
    UNREFERENCED_PARAMETER(second);
    count++;
}

static NTSTATUS NTAPI add_device(const PDEVICE_OBJECT device, PVOID *context)
{
    static KDPC dpc;
    LARGE_INTEGER soon = {.QuadPart = -10000};
    PVOID locked = NULL;

    UNREFERENCED_PARAMETER(device);
    UNREFERENCED_PARAMETER(context);
    if (wrong == 1) {
        count += number_at_start(NULL);
    } else if (wrong == 2) {
        count_with_lock();
    } else if (wrong == 5) { /* not at all */
        count_elsewhere();
    } else if (wrong == 6) { /* not at all */
        count_once();
    } else if (wrong == 3 || wrong == 4) {
        if (wrong == 4) { /* not at all */
            locked = MmLockPagableDataSection((PVOID)(ULONG_PTR)dpc_main);
        }
        KeInitializeDpc(&dpc, dpc_main, NULL);
        KeInsertQueueDpc(&dpc, NULL, NULL);
        KeDelayExecutionThread(KernelMode, FALSE, &soon);
        if (locked) {
            MmUnlockPagableImageSection(locked);
        }
    }
    return STATUS_UNSUCCESSFUL;
}

static VOID NTAPI unload(void)
{
}

static NTSTATUS NTAPI never_called(void)
{
    return STATUS_UNSUCCESSFUL;
}

IN("INIT") NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    static DRIVER_INITIALIZATION_DATA table;
    PVOID *routines = (PVOID *)(PVOID)&table;

    wrong = number_at_start(registry_path);
    KeInitializeSpinLock(&lock);
    KeInitializeTimer(&timer);
    for (ULONG i = 1; i < FIELD_OFFSET(DRIVER_INITIALIZATION_DATA, DxgkDdiLinkDevice) / 8; i++) {
        routines[i] = (PVOID)(ULONG_PTR)never_called;
    }
    table.Version = DXGKDDI_INTERFACE_VERSION_VISTA;
    table.DxgkDdiAddDevice = add_device;
    table.DxgkDdiUnload = unload;
    return DxgkInitialize(driver_object, registry_path, &table);
}

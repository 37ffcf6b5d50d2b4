/* What the kernel handed out, or a driver handed it, written over while the kernel uses it: by
 * `number`, all words or the one that `other` counts from 1; then the object is used on. */
#include "deeds.h"

#include <string.h>

#include "looking.h"

enum { TAG = 'lopS' };

static u64 number, other;
static struct deed_stage stage;

static u64 handle(void)
{
    return stage.interface ? stage.interface[1] : 0;
}

/* The words of a structure that the kernel handed: all, or one of them. */
static void spoil(void *object, SIZE_T size)
{
    u64 *words = object, value = number;

    if (value == 0x7E870012) {
        value = (u64)(ULONG_PTR)object;
    }
    for (SIZE_T i = 0; i < size / 8; i++) {
        if (other == 0 || other == i + 1) {
            words[i] = value;
        }
    }
}

static void spoils_driver(void)
{
    spoil(stage.driver, sizeof(*stage.driver));
}

static void spoils_extension(void)
{
    spoil(stage.driver->DriverExtension, sizeof(*stage.driver->DriverExtension));
}

static void spoils_device(void)
{
    if (stage.device) {
        spoil(stage.device, sizeof(*stage.device));
    }
}

static void spoils_interface(void)
{
    if (stage.interface) {
        spoil(stage.interface, 0x100);
    }
}

static void spoils_arguments(void)
{
    for (unsigned i = 0; i < 8; i++) {
        u64 value;
        if (stage.arguments[i] > 0x10000 && peek(stage.arguments[i], &value)) {
            __try {
                spoil((void *)stage.arguments[i], 128);
            } __except (EXCEPTION_EXECUTE_HANDLER) {
            }
        }
    }
}

static void spoils_thread(void)
{
    spoil(PsGetCurrentThread(), 256);
}

static void spoils_process(void)
{
    spoil(PsGetCurrentProcess(), 256);
}

static void spoils_pcr(void)
{
    for (u64 i = 0; i < 512; i += 8) {
        if (other == 0 || other == i / 8 + 1) {
            __asm__ volatile("movq %0, %%gs:(%1)" : : "r"(number), "r"(i) : "memory");
        }
    }
}

static void spoils_shared_page(void)
{
    poke(0xFFFFF78000000000ull + other, number);
    spoil((void *)0xFFFFF78000000000ull, 64);
}

static KDPC dpc;
static KTIMER timer;
static KEVENT event;
static KSEMAPHORE semaphore;
static KMUTEX mutex;
static FAST_MUTEX fast_mutex;
static ERESOURCE resource;
static NPAGED_LOOKASIDE_LIST lookaside;
static WORK_QUEUE_ITEM work;
static LIST_ENTRY list;
static KSPIN_LOCK lock;
static EX_RUNDOWN_REF rundown;
static IO_REMOVE_LOCK remove_lock;
static RTL_AVL_TABLE table;

static void NTAPI nothing_dpc(PKDPC object, PVOID context, PVOID a, PVOID b)
{
}

static void NTAPI nothing(PVOID context)
{
}

static void NTAPI waits(PVOID context)
{
    LARGE_INTEGER time = {.QuadPart = -100000};

    KeWaitForSingleObject(context, Executive, KernelMode, FALSE, &time);
    PsTerminateSystemThread(STATUS_SUCCESS);
}

static void start_waiter(PVOID object)
{
    LARGE_INTEGER soon = {.QuadPart = -1000};
    OBJECT_ATTRIBUTES attributes;
    HANDLE thread;

    InitializeObjectAttributes(&attributes, NULL, OBJ_KERNEL_HANDLE, NULL, NULL);
    if (NT_SUCCESS(PsCreateSystemThread(&thread, THREAD_ALL_ACCESS, &attributes, NULL, NULL, waits,
                                        object))) {
        ZwClose(thread);
    }
    KeDelayExecutionThread(KernelMode, FALSE, &soon);
}

static void later(void)
{
    LARGE_INTEGER time = {.QuadPart = -200000};

    if (KeGetCurrentIrql() == PASSIVE_LEVEL) {
        KeDelayExecutionThread(KernelMode, FALSE, &time);
    }
}

static void spoils_dpc(void)
{
    KIRQL old;

    KeInitializeDpc(&dpc, nothing_dpc, NULL);
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    KeInsertQueueDpc(&dpc, NULL, NULL);
    spoil(&dpc, sizeof(dpc));
    KeLowerIrql(old);
    later();
    KeRemoveQueueDpc(&dpc);
}

static void spoils_timer(void)
{
    LARGE_INTEGER soon = {.QuadPart = -10000};

    KeInitializeDpc(&dpc, nothing_dpc, NULL);
    KeInitializeTimer(&timer);
    KeSetTimerEx(&timer, soon, 1, &dpc);
    spoil(&timer, sizeof(timer));
    later();
    KeCancelTimer(&timer);
}

static void spoils_event(void)
{
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    start_waiter(&event);
    spoil(&event, sizeof(event));
    KeSetEvent(&event, 0, FALSE);
    later();
}

static void spoils_semaphore(void)
{
    KeInitializeSemaphore(&semaphore, 0, 10);
    start_waiter(&semaphore);
    spoil(&semaphore, sizeof(semaphore));
    KeReleaseSemaphore(&semaphore, 0, 1, FALSE);
    later();
}

static void spoils_mutex(void)
{
    KeInitializeMutex(&mutex, 0);
    KeWaitForSingleObject(&mutex, Executive, KernelMode, FALSE, NULL);
    start_waiter(&mutex);
    spoil(&mutex, sizeof(mutex));
    KeReleaseMutex(&mutex, FALSE);
    later();
}

static void spoils_fast_mutex(void)
{
    ExInitializeFastMutex(&fast_mutex);
    ExAcquireFastMutex(&fast_mutex);
    spoil(&fast_mutex, sizeof(fast_mutex));
    ExReleaseFastMutex(&fast_mutex);
    later();
}

static void spoils_resource(void)
{
    ExInitializeResourceLite(&resource);
    KeEnterCriticalRegion();
    ExAcquireResourceExclusiveLite(&resource, TRUE);
    spoil(&resource, sizeof(resource));
    ExReleaseResourceLite(&resource);
    KeLeaveCriticalRegion();
    ExDeleteResourceLite(&resource);
}

static void spoils_lookaside(void)
{
    ExInitializeNPagedLookasideList(&lookaside, NULL, NULL, 0, 64, TAG, 0);
    PVOID entry = ExAllocateFromNPagedLookasideList(&lookaside);
    ExFreeToNPagedLookasideList(&lookaside, entry);
    spoil(&lookaside, sizeof(lookaside));
    entry = ExAllocateFromNPagedLookasideList(&lookaside);
    ExFreeToNPagedLookasideList(&lookaside, entry);
    ExDeleteNPagedLookasideList(&lookaside);
}

static void spoils_work(void)
{
    ExInitializeWorkItem(&work, nothing, NULL);
    ExQueueWorkItem(&work, DelayedWorkQueue);
    spoil(&work, sizeof(work));
    later();
}

static void spoils_list(void)
{
    LIST_ENTRY entry;

    InitializeListHead(&list);
    KeInitializeSpinLock(&lock);
    ExInterlockedInsertTailList(&list, &entry, &lock);
    spoil(&list, sizeof(list));
    ExInterlockedInsertHeadList(&list, &entry, &lock);
    ExInterlockedRemoveHeadList(&list, &lock);
}

static void spoils_lock(void)
{
    KIRQL old;

    KeInitializeSpinLock(&lock);
    KeAcquireSpinLock(&lock, &old);
    spoil(&lock, sizeof(lock));
    KeReleaseSpinLock(&lock, old);
    spoil(&lock, sizeof(lock));
    KeAcquireSpinLock(&lock, &old);
}

static void spoils_rundown(void)
{
    ExInitializeRundownProtection(&rundown);
    ExAcquireRundownProtection(&rundown);
    spoil(&rundown, sizeof(rundown));
    ExReleaseRundownProtection(&rundown);
    ExWaitForRundownProtectionRelease(&rundown);
}

static void spoils_remove_lock(void)
{
    IoInitializeRemoveLock(&remove_lock, TAG, 0, 0);
    IoAcquireRemoveLock(&remove_lock, NULL);
    spoil(&remove_lock, sizeof(remove_lock));
    IoReleaseRemoveLockAndWait(&remove_lock, NULL);
}

static RTL_GENERIC_COMPARE_RESULTS NTAPI compare(PRTL_AVL_TABLE t, PVOID a, PVOID b)
{
    return *(ULONG *)a < *(ULONG *)b ? GenericLessThan : GenericGreaterThan;
}

static PVOID NTAPI take(PRTL_AVL_TABLE t, CLONG size)
{
    return ExAllocatePoolWithTag(NonPagedPoolNx, size, TAG);
}

static void NTAPI give(PRTL_AVL_TABLE t, PVOID block)
{
    ExFreePoolWithTag(block, TAG);
}

static void spoils_table(void)
{
    RtlInitializeGenericTableAvl(&table, compare, take, give, NULL);
    for (ULONG i = 0; i < 8; i++) {
        RtlInsertElementGenericTableAvl(&table, &i, sizeof(i), NULL);
    }
    spoil(&table, sizeof(table));
    ULONG one = 1;
    RtlLookupElementGenericTableAvl(&table, &one);
    RtlInsertElementGenericTableAvl(&table, &one, sizeof(one), NULL);
    RtlDeleteElementGenericTableAvl(&table, &one);
    RtlEnumerateGenericTableAvl(&table, TRUE);
}

static void spoils_mdl(void)
{
    PUCHAR block = ExAllocatePoolWithTag(NonPagedPoolNx, 8192, TAG);
    PMDL mdl = IoAllocateMdl(block, 8192, FALSE, FALSE, NULL);

    MmProbeAndLockPages(mdl, KernelMode, IoModifyAccess);
    (void)MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority);
    spoil(mdl, sizeof(*mdl) + 16);
    (void)MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority);
    MmUnlockPages(mdl);
    IoFreeMdl(mdl);
}

static void spoils_pages(void)
{
    PHYSICAL_ADDRESS low = {0}, high = {.QuadPart = -1}, skip = {0};
    PMDL mdl = MmAllocatePagesForMdl(low, high, skip, 16384);

    if (mdl) {
        PVOID at = MmMapLockedPagesSpecifyCache(mdl, KernelMode, MmCached, NULL, FALSE,
                                                NormalPagePriority);
        spoil(mdl, sizeof(*mdl) + 32);
        MmUnmapLockedPages(at, mdl);
        MmFreePagesFromMdl(mdl);
        ExFreePool(mdl);
    }
}

static void spoils_irp(void)
{
    PIRP irp = IoAllocateIrp(4, FALSE);

    spoil(irp, sizeof(*irp) + 64);
    if (stage.device) {
        IoCallDriver(stage.device, irp);
    }
    IoFreeIrp(irp);
}

static void spoils_created_device(void)
{
    PDEVICE_OBJECT device;

    if (NT_SUCCESS(
            IoCreateDevice(stage.driver, 64, NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &device))) {
        spoil(device, sizeof(*device));
        IoDeleteDevice(device);
    }
}

static void spoils_work_item(void)
{
    PIO_WORKITEM item = stage.device ? IoAllocateWorkItem(stage.device) : NULL;

    if (item) {
        spoil(item, 128);
        IoQueueWorkItem(item, (PIO_WORKITEM_ROUTINE)(ULONG_PTR)nothing_dpc, DelayedWorkQueue, NULL);
        later();
        IoFreeWorkItem(item);
    }
}

static void spoils_dma_adapter(void)
{
    DEVICE_DESCRIPTION description = {.Version = DEVICE_DESCRIPTION_VERSION,
                                      .Master = TRUE,
                                      .ScatterGather = TRUE,
                                      .MaximumLength = 1 << 20};
    ULONG registers;
    PDMA_ADAPTER adapter = IoGetDmaAdapter(stage.device, &description, &registers);

    if (adapter) {
        PHYSICAL_ADDRESS where;
        PDMA_OPERATIONS routines = adapter->DmaOperations;
        PVOID block = routines->AllocateCommonBuffer(adapter, 4096, &where, FALSE);
        spoil(adapter, 64);
        routines->FreeCommonBuffer(adapter, 4096, where, block, FALSE);
        routines->PutDmaAdapter(adapter);
    }
}

static void spoils_context(void)
{
    /* What the driver was given as its own handle of the kernel. */
    u64 value;

    if (peek(handle(), &value)) {
        poke(handle(), number);
    }
}

#define SPOIL(name)                         \
    {                                       \
        L"spoils_" L## #name, spoils_##name \
    }
static const struct {
    const wchar_t *name;
    void (*run)(void);
} spoils[] = {
    SPOIL(driver),   SPOIL(extension),      SPOIL(device),    SPOIL(interface),   SPOIL(arguments),
    SPOIL(thread),   SPOIL(process),        SPOIL(pcr),       SPOIL(shared_page), SPOIL(dpc),
    SPOIL(timer),    SPOIL(event),          SPOIL(semaphore), SPOIL(mutex),       SPOIL(fast_mutex),
    SPOIL(resource), SPOIL(lookaside),      SPOIL(work),      SPOIL(list),        SPOIL(lock),
    SPOIL(rundown),  SPOIL(remove_lock),    SPOIL(table),     SPOIL(mdl),         SPOIL(pages),
    SPOIL(irp),      SPOIL(created_device), SPOIL(work_item), SPOIL(dma_adapter), SPOIL(context),
};

BOOLEAN spoil_do(const struct deed_stage *of, const wchar_t *name, ULONG_PTR first,
                 ULONG_PTR second)
{
    for (unsigned i = 0; i < ARRAYSIZE(spoils); i++) {
        if (wcscmp(spoils[i].name, name) == 0) {
            stage = *of;
            number = first;
            other = second;
            DbgPrint("hostile: begins\n");
            spoils[i].run();
            DbgPrint("hostile: is done\n");
            return TRUE;
        }
    }
    return FALSE;
}

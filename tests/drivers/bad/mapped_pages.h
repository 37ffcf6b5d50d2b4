/* mapped_pages.h: a driver that maps pages of pool a second time by an MDL, reads at AT within a
 * handler, before or after it unmaps them (LATE), and does not start. */
#ifndef BAD_MAPPED_PAGES_H
#define BAD_MAPPED_PAGES_H

#include <ntddk.h>

#define TAG ((ULONG)('B' | 'a' << 8 | 'd' << 16 | 'M' << 24))

DRIVER_INITIALIZE DriverEntry;

static void read_at(volatile UCHAR *mapped)
{
    __try {
        DbgPrint("the byte is %u\n", mapped[AT]);
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        DbgPrint("no byte\n");
    }
}

static void map_and_read(PMDL mdl)
{
    volatile UCHAR *mapped = MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority);

    if (mapped != NULL && !LATE)
        read_at(mapped);
    MmUnlockPages(mdl);
    if (mapped != NULL && LATE)
        read_at(mapped);
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    PVOID block = ExAllocatePool2(POOL_FLAG_PAGED, 2 * PAGE_SIZE, TAG);
    PMDL mdl = block ? IoAllocateMdl(block, 2 * PAGE_SIZE, FALSE, FALSE, NULL) : NULL;

    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    if (mdl != NULL) {
        MmProbeAndLockPages(mdl, KernelMode, IoReadAccess);
        map_and_read(mdl);
        IoFreeMdl(mdl);
    }
    if (block != NULL)
        ExFreePoolWithTag(block, TAG);
    return STATUS_UNSUCCESSFUL;
}

#endif

/* nt/mm_address.c: reserved mappings, user memory, and which host addresses exist. */
#include "nt/internal.h"

#include <errno.h>
#include <sys/mman.h>

/* Is the page there at all? An access may still fault if it is protected. */
bool host_memory_is_mapped(const void *address)
{
    unsigned char resident;
    void *page = (void *)((uintptr_t)address & ~(uintptr_t)(PAGE_SIZE - 1));

    if ((uintptr_t)address < PAGE_SIZE) {
        return false;
    }
    /* A sandbox that forbids the question gets the benefit of the doubt. */
    return mincore(page, 1, &resident) == 0 || (errno != ENOMEM && errno != EINVAL);
}

bool memory_is_readable(const void *address, size_t size)
{
    uintptr_t at = (uintptr_t)address, end;

    if (size == 0) {
        return true;
    }
    if (__builtin_add_overflow(at, size - 1, &end)) {
        return false;
    }
    for (at &= ~(uintptr_t)(PAGE_SIZE - 1); at <= end; at += PAGE_SIZE) {
        if (!host_memory_is_mapped((const void *)at)) {
            return false;
        }
        if (at > UINTPTR_MAX - PAGE_SIZE) {
            break;
        }
    }
    return true;
}

/* ---- User memory: clients live in the same address space, so only the range is looked at ----- */

static void probe(const volatile void *address, SIZE_T length, ULONG alignment)
{
    if (length == 0) {
        return;
    }
    if (alignment && (uintptr_t)address % alignment) {
        raise_status(STATUS_DATATYPE_MISALIGNMENT);
    }
    if (!memory_is_readable((const void *)address, length)) {
        raise_status(STATUS_ACCESS_VIOLATION);
    }
}

VOID NTAPI ProbeForRead(const volatile VOID *Address, SIZE_T Length, ULONG Alignment)
{
    NT_EXPORT_ENTER(ProbeForRead);
    probe(Address, Length, Alignment);
}

VOID NTAPI ProbeForWrite(volatile VOID *Address, SIZE_T Length, ULONG Alignment)
{
    NT_EXPORT_ENTER(ProbeForWrite);
    probe(Address, Length, Alignment);
}

/* The memory stays as it is: there is nobody who could take it away. The handle is never 0. */
HANDLE NTAPI MmSecureVirtualMemory(PVOID Address, SIZE_T Size, ULONG ProbeMode)
{
    NT_EXPORT_ENTER(MmSecureVirtualMemory);
    return memory_is_readable(Address, Size) ? Address : NULL;
}

VOID NTAPI MmUnsecureVirtualMemory(HANDLE SecureHandle)
{
    NT_EXPORT_ENTER(MmUnsecureVirtualMemory);
}

/* ---- The driver's own pages are never paged out ---------------------------------------------- */

PVOID NTAPI MmPageEntireDriver(PVOID AddressWithinSection)
{
    NT_EXPORT_ENTER(MmPageEntireDriver);
    return AddressWithinSection;
}

VOID NTAPI MmResetDriverPaging(PVOID AddressWithinSection)
{
    NT_EXPORT_ENTER(MmResetDriverPaging);
}

PVOID NTAPI MmLockPagableDataSection(PVOID AddressWithinSection)
{
    NT_EXPORT_ENTER(MmLockPagableDataSection);
    return AddressWithinSection;
}

VOID NTAPI MmUnlockPagableImageSection(PVOID ImageSectionHandle)
{
    NT_EXPORT_ENTER(MmUnlockPagableImageSection);
}

PVOID NTAPI MmGetSystemRoutineAddress(PUNICODE_STRING SystemRoutineName)
{
    const struct nt_export *entry;
    char name[128];

    NT_EXPORT_ENTER(MmGetSystemRoutineAddress);
    nt_text_from_unicode_string(SystemRoutineName, name, sizeof(name));
    entry = nt_export_find(name);
    return entry ? entry->address : NULL;
}

MM_SYSTEMSIZE NTAPI MmQuerySystemSize(VOID)
{
    NT_EXPORT_ENTER(MmQuerySystemSize);
    return MmLargeSystem;
}

/* ---- Reserved mappings: none can be had, as when address space is short ---------------------- */

PVOID NTAPI MmAllocateMappingAddress(SIZE_T NumberOfBytes, ULONG PoolTag)
{
    NT_EXPORT_ENTER(MmAllocateMappingAddress);
    return NULL;
}

VOID NTAPI MmFreeMappingAddress(PVOID BaseAddress, ULONG PoolTag)
{
    struct export_call call = NT_EXPORT_CALL(MmFreeMappingAddress);
    misuse(NT_MISUSE_MAPPING, &call, "%p was never reserved", BaseAddress);
}

PVOID NTAPI MmMapLockedPagesWithReservedMapping(PVOID MappingAddress, ULONG PoolTag,
                                                PMDL MemoryDescriptorList,
                                                MEMORY_CACHING_TYPE CacheType)
{
    struct export_call call = NT_EXPORT_CALL(MmMapLockedPagesWithReservedMapping);
    misuse(NT_MISUSE_MAPPING, &call, "%p was never reserved", MappingAddress);
    return NULL;
}

VOID NTAPI MmUnmapReservedMapping(PVOID BaseAddress, ULONG PoolTag, PMDL MemoryDescriptorList)
{
    struct export_call call = NT_EXPORT_CALL(MmUnmapReservedMapping);
    misuse(NT_MISUSE_MAPPING, &call, "%p was never reserved", BaseAddress);
}

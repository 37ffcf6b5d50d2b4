/* nt/mm_address.c: reserved mappings, user memory, and which host addresses exist. */
#include "nt/internal.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* May the page be read? The host's kernel is asked to copy from it for a call that it then refuses:
 * no fault, no effect, and no right that the driver's process lacks. */
bool host_memory_is_readable(const void *address)
{
    const long no_such_question = -1;
    void *page = (void *)((uintptr_t)address & ~(uintptr_t)(PAGE_SIZE - 1));

    if ((uintptr_t)address < PAGE_SIZE) {
        return false;
    }
    return syscall(SYS_rt_sigprocmask, no_such_question, page, NULL, sizeof(uint64_t)) == 0 ||
           errno != EFAULT;
}

/* May the page be written to? The same for writing: an atomic operation that changes no bit. */
static bool host_memory_is_writable(const void *address)
{
    void *page = (void *)((uintptr_t)address & ~(uintptr_t)(PAGE_SIZE - 1));

    if ((uintptr_t)address < PAGE_SIZE) {
        return false;
    }
    return syscall(SYS_futex, page, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0, page,
                   FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0)) >= 0 ||
           errno != EFAULT;
}

/* Does every page of the range answer? */
static bool range_answers(const void *address, size_t size, bool (*answers)(const void *))
{
    uintptr_t at = (uintptr_t)address, end;

    if (size == 0) {
        return true;
    }
    if (__builtin_add_overflow(at, size - 1, &end)) {
        return false;
    }
    for (at &= ~(uintptr_t)(PAGE_SIZE - 1); at <= end; at += PAGE_SIZE) {
        if (!answers((const void *)at)) {
            return false;
        }
        if (at > UINTPTR_MAX - PAGE_SIZE) {
            break;
        }
    }
    return true;
}

bool memory_is_readable(const void *address, size_t size)
{
    return range_answers(address, size, host_memory_is_readable);
}

bool memory_is_writable(const void *address, size_t size)
{
    return range_answers(address, size, host_memory_is_writable);
}

bool nt_is_image_data(const void *address)
{
    bool writable = false;

    return nt_hooks.image_data && nt_hooks.image_data(nt_hooks.ctx, address, &writable) && writable;
}

/* ---- Physical addresses ---------------------------------------------------------------------- */

bool driver_physical_of(const void *address, uint64_t *physical)
{
    bool writable = true, data;

    if (ram_physical_of(address, physical)) {
        return true;
    }
    data = stacks_hold(address) || lent_holds(address) ||
           (nt_hooks.image_data && nt_hooks.image_data(nt_hooks.ctx, address, &writable));
    return data && host_memory_is_readable(address) && ram_adopt(address, writable) &&
           ram_physical_of(address, physical);
}

/* The borders of Windows on x64. Clients and the kernel share the lower half here, so that they say
 * of a pointer only whether it could be a client's. */
static PVOID highest_user_address = (PVOID)0x7FFFFFFEFFFF;
static PVOID system_range_start = (PVOID)0xFFFF800000000000;
static ULONG_PTR user_probe_address = 0x7FFFFFFF0000;
PVOID *__imp_MmHighestUserAddress = &highest_user_address;
PVOID *__imp_MmSystemRangeStart = &system_range_start;
ULONG_PTR *__imp_MmUserProbeAddress = &user_probe_address;

/* ---- User memory: clients live in the same address space ------------------------------------- */

/* Is it memory that is the kernel's for certain: the driver's own? What the layers above hand over
 * may be a client's, and so may the stack of a client's thread. */
static bool is_kernel_memory(const void *address)
{
    const struct pool_block *block = pool_store_find(address);
    const void *low, *high;

    /* The pool is known by its frames: a client's view of them is another address. */
    if (block && pool_store_is_owners(block, address)) {
        return block->state != POOL_BLOCK_LIVE || !block->internal;
    }
    if ((uintptr_t)address >= MmUserProbeAddress || driver_image_at(address) ||
        contiguous_holds(address) || mdl_view_is_kernels(address) || lent_holds(address)) {
        return true;
    }
    if (!task_self() || nt_process_current()) {
        return false;
    }
    task_stack_bounds(&low, &high);
    return address >= low && address < high;
}

bool user_range_accept(const volatile void *address, size_t length)
{
    uintptr_t last;

    return length == 0 ||
           (!__builtin_add_overflow((uintptr_t)address, length - 1, &last) &&
            !is_kernel_memory((const void *)address) && !is_kernel_memory((const void *)last));
}

/* Reading is probed by the range alone: who reads meets what is not there. */
static void probe(const volatile void *address, SIZE_T length, ULONG alignment,
                  bool (*answers)(const void *))
{
    if (length == 0) {
        return;
    }
    if (alignment && (uintptr_t)address % alignment) {
        raise_status(STATUS_DATATYPE_MISALIGNMENT);
    }
    if (!user_range_accept(address, length) ||
        (answers && !range_answers((const void *)address, length, answers))) {
        raise_status(STATUS_ACCESS_VIOLATION);
    }
}

VOID NTAPI ProbeForRead(const volatile VOID *Address, SIZE_T Length, ULONG Alignment)
{
    NT_EXPORT_ENTER(ProbeForRead);
    probe(Address, Length, Alignment, NULL);
}

VOID NTAPI ProbeForWrite(volatile VOID *Address, SIZE_T Length, ULONG Alignment)
{
    NT_EXPORT_ENTER(ProbeForWrite);
    probe(Address, Length, Alignment, host_memory_is_writable);
}

/* The memory stays as it is: there is nobody who could take it away. The handle is never 0. */
HANDLE NTAPI MmSecureVirtualMemory(PVOID Address, SIZE_T Size, ULONG ProbeMode)
{
    NT_EXPORT_ENTER(MmSecureVirtualMemory);
    return user_range_accept(Address, Size) && memory_is_readable(Address, Size) ? Address : NULL;
}

VOID NTAPI MmUnsecureVirtualMemory(HANDLE SecureHandle)
{
    NT_EXPORT_ENTER(MmUnsecureVirtualMemory);
}

/* ---- The driver's own pages ---------------------------------------------- */

PVOID NTAPI MmPageEntireDriver(PVOID AddressWithinSection)
{
    NT_EXPORT_ENTER(MmPageEntireDriver);
    return AddressWithinSection;
}

VOID NTAPI MmResetDriverPaging(PVOID AddressWithinSection)
{
    NT_EXPORT_ENTER(MmResetDriverPaging);
}

/* The handle is an address in the section. */
static void lock_section(PVOID address, bool lock, const struct export_call *call)
{
    if (nt_hooks.lock_section && !nt_hooks.lock_section(nt_hooks.ctx, address, lock) &&
        driver_image_at(address)) {
        misuse(NT_MISUSE_ARGUMENT, call,
               lock ? "no section holds the address" : "the section is not locked");
    }
}

PVOID NTAPI MmLockPagableDataSection(PVOID AddressWithinSection)
{
    struct export_call call = NT_EXPORT_CALL(MmLockPagableDataSection);

    lock_section(AddressWithinSection, true, &call);
    return AddressWithinSection;
}

VOID NTAPI MmUnlockPagableImageSection(PVOID ImageSectionHandle)
{
    struct export_call call = NT_EXPORT_CALL(MmUnlockPagableImageSection);

    lock_section(ImageSectionHandle, false, &call);
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
    return allocation_is_short();
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

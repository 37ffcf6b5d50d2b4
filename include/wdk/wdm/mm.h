/* wdm/mm.h: memory: MDLs, I/O space, contiguous memory, mappings, sections. */

#ifndef _WDM_MM_H_
#define _WDM_MM_H_

#include <wdm/ke.h>

#define PAGE_SIZE  0x1000
#define PAGE_SHIFT 12L
#define ROUND_TO_SIZE(length, alignment) \
    ((((ULONG_PTR)(length)) + ((alignment) - 1)) & ~(ULONG_PTR)((alignment) - 1))
#define ROUND_TO_PAGES(size) (((ULONG_PTR)(size) + PAGE_SIZE - 1) & ~((ULONG_PTR)PAGE_SIZE - 1))
#define BYTES_TO_PAGES(size) (((size) >> PAGE_SHIFT) + (((size) & (PAGE_SIZE - 1)) != 0))
#define BYTE_OFFSET(va)      ((ULONG)((LONG_PTR)(va) & (PAGE_SIZE - 1)))
#define PAGE_ALIGN(va)       ((PVOID)((ULONG_PTR)(va) & ~((ULONG_PTR)PAGE_SIZE - 1)))
#define ADDRESS_AND_SIZE_TO_SPAN_PAGES(va, size) \
    ((BYTE_OFFSET(va) + ((SIZE_T)(size)) + (PAGE_SIZE - 1)) >> PAGE_SHIFT)
#define COMPUTE_PAGES_SPANNED(va, size)  ADDRESS_AND_SIZE_TO_SPAN_PAGES(va, size)
#define IS_ALIGNED(value, alignment)     ((((ULONG_PTR)(value)) & ((alignment) - 1)) == 0)
#define ALIGN_DOWN_BY(length, alignment) ((ULONG_PTR)(length) & ~((ULONG_PTR)(alignment) - 1))
#define ALIGN_UP_BY(length, alignment) \
    ALIGN_DOWN_BY((ULONG_PTR)(length) + (alignment) - 1, alignment)
#define ALIGN_DOWN(length, type)                  ALIGN_DOWN_BY(length, sizeof(type))
#define ALIGN_UP(length, type)                    ALIGN_UP_BY(length, sizeof(type))
#define ALIGN_DOWN_POINTER_BY(address, alignment) ((PVOID)ALIGN_DOWN_BY(address, alignment))
#define ALIGN_UP_POINTER_BY(address, alignment)   ((PVOID)ALIGN_UP_BY(address, alignment))

typedef ULONG_PTR PFN_NUMBER, *PPFN_NUMBER;
typedef LONG_PTR SPFN_NUMBER;
typedef UCHAR MM_PHYSICAL_PAD;

typedef enum _MEMORY_CACHING_TYPE_ORIG { MmFrameBufferCached = 2 } MEMORY_CACHING_TYPE_ORIG;
typedef enum _MEMORY_CACHING_TYPE {
    MmNonCached = 0,
    MmCached = 1,
    MmWriteCombined = MmFrameBufferCached,
    MmHardwareCoherentCached,
    MmNonCachedUnordered,
    MmUSWCCached,
    MmMaximumCacheType,
    MmNotMapped = -1
} MEMORY_CACHING_TYPE;

typedef enum _LOCK_OPERATION { IoReadAccess, IoWriteAccess, IoModifyAccess } LOCK_OPERATION;
typedef enum _MM_PAGE_PRIORITY {
    LowPagePriority = 0,
    NormalPagePriority = 16,
    HighPagePriority = 32
} MM_PAGE_PRIORITY;
#define MdlMappingNoWrite   0x80000000
#define MdlMappingNoExecute 0x40000000

/* The page frame numbers stand behind the structure: MmGetMdlPfnArray. */
typedef struct _MDL {
    struct _MDL *Next;
    CSHORT Size;
    CSHORT MdlFlags;
    struct _EPROCESS *Process;
    PVOID MappedSystemVa;
    PVOID StartVa;
    ULONG ByteCount;
    ULONG ByteOffset;
} MDL, *PMDL;
typedef PMDL PMDLX;

#define MDL_MAPPED_TO_SYSTEM_VA     0x0001
#define MDL_PAGES_LOCKED            0x0002
#define MDL_SOURCE_IS_NONPAGED_POOL 0x0004
#define MDL_ALLOCATED_FIXED_SIZE    0x0008
#define MDL_PARTIAL                 0x0010
#define MDL_PARTIAL_HAS_BEEN_MAPPED 0x0020
#define MDL_IO_PAGE_READ            0x0040
#define MDL_WRITE_OPERATION         0x0080
#define MDL_LOCKED_PAGE_TABLES      0x0100
#define MDL_FREE_EXTRA_PTES         0x0200
#define MDL_DESCRIBES_AWE           0x0400
#define MDL_IO_SPACE                0x0800
#define MDL_NETWORK_HEADER          0x1000
#define MDL_MAPPING_CAN_FAIL        0x2000
#define MDL_PAGE_CONTENTS_INVARIANT 0x4000
#define MDL_INTERNAL                0x8000

#define MmGetMdlPfnArray(mdl)       ((PPFN_NUMBER)((mdl) + 1))
#define MmGetMdlVirtualAddress(mdl) ((PVOID)((PCHAR)((mdl)->StartVa) + (mdl)->ByteOffset))
#define MmGetMdlByteCount(mdl)      ((mdl)->ByteCount)
#define MmGetMdlByteOffset(mdl)     ((mdl)->ByteOffset)
#define MmGetMdlBaseVa(mdl)         ((mdl)->StartVa)
#define MmInitializeMdl(mdl, va, length)                                                         \
    do {                                                                                         \
        (mdl)->Next = NULL;                                                                      \
        (mdl)->Size = (CSHORT)(sizeof(MDL) +                                                     \
                               sizeof(PFN_NUMBER) * ADDRESS_AND_SIZE_TO_SPAN_PAGES(va, length)); \
        (mdl)->MdlFlags = 0;                                                                     \
        (mdl)->StartVa = PAGE_ALIGN(va);                                                         \
        (mdl)->ByteOffset = BYTE_OFFSET(va);                                                     \
        (mdl)->ByteCount = (ULONG)(length);                                                      \
    } while (0)
#define MmPrepareMdlForReuse(mdl)                                 \
    do {                                                          \
        if (((mdl)->MdlFlags & MDL_PARTIAL_HAS_BEEN_MAPPED) != 0) \
            MmUnmapLockedPages((mdl)->MappedSystemVa, (mdl));     \
    } while (0)

typedef struct _PHYSICAL_MEMORY_RANGE {
    PHYSICAL_ADDRESS BaseAddress;
    LARGE_INTEGER NumberOfBytes;
} PHYSICAL_MEMORY_RANGE, *PPHYSICAL_MEMORY_RANGE;

#define PAGE_NOACCESS          0x01
#define PAGE_READONLY          0x02
#define PAGE_READWRITE         0x04
#define PAGE_WRITECOPY         0x08
#define PAGE_EXECUTE           0x10
#define PAGE_EXECUTE_READ      0x20
#define PAGE_EXECUTE_READWRITE 0x40
#define PAGE_GUARD             0x100
#define PAGE_NOCACHE           0x200
#define PAGE_WRITECOMBINE      0x400
#define MEM_COMMIT             0x00001000
#define MEM_RESERVE            0x00002000
#define MEM_RELEASE            0x00008000
#define SEC_COMMIT             0x08000000

#define MM_DONT_ZERO_ALLOCATION               0x00000001
#define MM_ALLOCATE_FROM_LOCAL_NODE_ONLY      0x00000002
#define MM_ALLOCATE_FULLY_REQUIRED            0x00000004
#define MM_ALLOCATE_NO_WAIT                   0x00000008
#define MM_ALLOCATE_PREFER_CONTIGUOUS         0x00000010
#define MM_ALLOCATE_REQUIRE_CONTIGUOUS_CHUNKS 0x00000020
#define MM_ALLOCATE_FAST_LARGE_PAGES          0x00000040
typedef ULONG NODE_REQUIREMENT;
#define MM_ANY_NODE_OK 0x80000000

/* ---- MDLs ---- */

NTKERNELAPI VOID NTAPI MmProbeAndLockPages(PMDL MemoryDescriptorList, KPROCESSOR_MODE AccessMode,
                                           LOCK_OPERATION Operation);
NTKERNELAPI VOID NTAPI MmUnlockPages(PMDL MemoryDescriptorList);
NTKERNELAPI VOID NTAPI MmBuildMdlForNonPagedPool(PMDL MemoryDescriptorList);
NTKERNELAPI PVOID NTAPI MmMapLockedPages(PMDL MemoryDescriptorList, KPROCESSOR_MODE AccessMode);
NTKERNELAPI PVOID NTAPI MmMapLockedPagesSpecifyCache(PMDL MemoryDescriptorList,
                                                     KPROCESSOR_MODE AccessMode,
                                                     MEMORY_CACHING_TYPE CacheType,
                                                     PVOID RequestedAddress,
                                                     ULONG BugCheckOnFailure, ULONG Priority);
NTKERNELAPI VOID NTAPI MmUnmapLockedPages(PVOID BaseAddress, PMDL MemoryDescriptorList);
NTKERNELAPI PMDL NTAPI MmAllocatePagesForMdl(PHYSICAL_ADDRESS LowAddress,
                                             PHYSICAL_ADDRESS HighAddress,
                                             PHYSICAL_ADDRESS SkipBytes, SIZE_T TotalBytes);
NTKERNELAPI PMDL NTAPI MmAllocatePagesForMdlEx(PHYSICAL_ADDRESS LowAddress,
                                               PHYSICAL_ADDRESS HighAddress,
                                               PHYSICAL_ADDRESS SkipBytes, SIZE_T TotalBytes,
                                               MEMORY_CACHING_TYPE CacheType, ULONG Flags);
NTKERNELAPI VOID NTAPI MmFreePagesFromMdl(PMDL MemoryDescriptorList);
NTKERNELAPI NTSTATUS NTAPI MmProtectMdlSystemAddress(PMDL MemoryDescriptorList, ULONG NewProtect);
NTKERNELAPI PVOID NTAPI MmAllocateMappingAddress(SIZE_T NumberOfBytes, ULONG PoolTag);
NTKERNELAPI VOID NTAPI MmFreeMappingAddress(PVOID BaseAddress, ULONG PoolTag);
NTKERNELAPI PVOID NTAPI MmMapLockedPagesWithReservedMapping(PVOID MappingAddress, ULONG PoolTag,
                                                            PMDL MemoryDescriptorList,
                                                            MEMORY_CACHING_TYPE CacheType);
NTKERNELAPI VOID NTAPI MmUnmapReservedMapping(PVOID BaseAddress, ULONG PoolTag,
                                              PMDL MemoryDescriptorList);
NTKERNELAPI NTSTATUS NTAPI MmAdvanceMdl(PMDL Mdl, ULONG NumberOfBytes);
NTKERNELAPI SIZE_T NTAPI MmSizeOfMdl(PVOID Base, SIZE_T Length);

FORCEINLINE PVOID MmGetSystemAddressForMdlSafe(PMDL mdl, ULONG priority)
{
    if (mdl->MdlFlags & (MDL_MAPPED_TO_SYSTEM_VA | MDL_SOURCE_IS_NONPAGED_POOL))
        return mdl->MappedSystemVa;
    return MmMapLockedPagesSpecifyCache(mdl, KernelMode, MmCached, NULL, FALSE, priority);
}
#define MmGetSystemAddressForMdl(mdl) MmGetSystemAddressForMdlSafe(mdl, HighPagePriority)

/* ---- physical memory ---- */

NTKERNELAPI PVOID NTAPI MmMapIoSpace(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes,
                                     MEMORY_CACHING_TYPE CacheType);
NTKERNELAPI PVOID NTAPI MmMapIoSpaceEx(PHYSICAL_ADDRESS PhysicalAddress, SIZE_T NumberOfBytes,
                                       ULONG Protect);
NTKERNELAPI VOID NTAPI MmUnmapIoSpace(PVOID BaseAddress, SIZE_T NumberOfBytes);
NTKERNELAPI PVOID NTAPI MmAllocateContiguousMemory(SIZE_T NumberOfBytes,
                                                   PHYSICAL_ADDRESS HighestAcceptableAddress);
NTKERNELAPI PVOID NTAPI MmAllocateContiguousMemorySpecifyCache(
    SIZE_T NumberOfBytes, PHYSICAL_ADDRESS LowestAcceptableAddress,
    PHYSICAL_ADDRESS HighestAcceptableAddress, PHYSICAL_ADDRESS BoundaryAddressMultiple,
    MEMORY_CACHING_TYPE CacheType);
NTKERNELAPI PVOID NTAPI MmAllocateContiguousMemorySpecifyCacheNode(
    SIZE_T NumberOfBytes, PHYSICAL_ADDRESS LowestAcceptableAddress,
    PHYSICAL_ADDRESS HighestAcceptableAddress, PHYSICAL_ADDRESS BoundaryAddressMultiple,
    MEMORY_CACHING_TYPE CacheType, NODE_REQUIREMENT PreferredNode);
NTKERNELAPI PVOID NTAPI MmAllocateContiguousNodeMemory(SIZE_T NumberOfBytes,
                                                       PHYSICAL_ADDRESS LowestAcceptableAddress,
                                                       PHYSICAL_ADDRESS HighestAcceptableAddress,
                                                       PHYSICAL_ADDRESS BoundaryAddressMultiple,
                                                       ULONG Protect,
                                                       NODE_REQUIREMENT PreferredNode);
NTKERNELAPI VOID NTAPI MmFreeContiguousMemory(PVOID BaseAddress);
NTKERNELAPI VOID NTAPI MmFreeContiguousMemorySpecifyCache(PVOID BaseAddress, SIZE_T NumberOfBytes,
                                                          MEMORY_CACHING_TYPE CacheType);
NTKERNELAPI PVOID NTAPI MmAllocateNonCachedMemory(SIZE_T NumberOfBytes);
NTKERNELAPI VOID NTAPI MmFreeNonCachedMemory(PVOID BaseAddress, SIZE_T NumberOfBytes);
NTKERNELAPI PHYSICAL_ADDRESS NTAPI MmGetPhysicalAddress(PVOID BaseAddress);
NTKERNELAPI PVOID NTAPI MmGetVirtualForPhysical(PHYSICAL_ADDRESS PhysicalAddress);
NTKERNELAPI PPHYSICAL_MEMORY_RANGE NTAPI MmGetPhysicalMemoryRanges(VOID);
NTKERNELAPI BOOLEAN NTAPI MmIsAddressValid(PVOID VirtualAddress);
NTKERNELAPI BOOLEAN NTAPI MmIsNonPagedSystemAddressValid(PVOID VirtualAddress);

typedef union _MM_COPY_ADDRESS {
    PVOID VirtualAddress;
    PHYSICAL_ADDRESS PhysicalAddress;
} MM_COPY_ADDRESS, *PMMCOPY_ADDRESS;
#define MM_COPY_MEMORY_PHYSICAL 0x1
#define MM_COPY_MEMORY_VIRTUAL  0x2
NTKERNELAPI NTSTATUS NTAPI MmCopyMemory(PVOID TargetAddress, MM_COPY_ADDRESS SourceAddress,
                                        SIZE_T NumberOfBytes, ULONG Flags,
                                        PSIZE_T NumberOfBytesTransferred);

/* ---- the driver's own pages, user memory ---- */

NTKERNELAPI PVOID NTAPI MmPageEntireDriver(PVOID AddressWithinSection);
NTKERNELAPI VOID NTAPI MmResetDriverPaging(PVOID AddressWithinSection);
NTKERNELAPI PVOID NTAPI MmLockPagableDataSection(PVOID AddressWithinSection);
NTKERNELAPI VOID NTAPI MmUnlockPagableImageSection(PVOID ImageSectionHandle);
#define MmLockPagableCodeSection(address) MmLockPagableDataSection((PVOID)(address))
NTKERNELAPI PVOID NTAPI MmGetSystemRoutineAddress(PUNICODE_STRING SystemRoutineName);
NTKERNELAPI HANDLE NTAPI MmSecureVirtualMemory(PVOID Address, SIZE_T Size, ULONG ProbeMode);
NTKERNELAPI VOID NTAPI MmUnsecureVirtualMemory(HANDLE SecureHandle);
NTKERNELAPI NTSTATUS NTAPI MmMapViewInSystemSpace(PVOID Section, PVOID *MappedBase,
                                                  PSIZE_T ViewSize);
NTKERNELAPI NTSTATUS NTAPI MmUnmapViewInSystemSpace(PVOID MappedBase);
typedef enum _MM_SYSTEM_SIZE { MmSmallSystem, MmMediumSystem, MmLargeSystem } MM_SYSTEMSIZE;
NTKERNELAPI MM_SYSTEMSIZE NTAPI MmQuerySystemSize(VOID);

NTKERNELAPI VOID NTAPI ProbeForRead(const volatile VOID *Address, SIZE_T Length, ULONG Alignment);
NTKERNELAPI VOID NTAPI ProbeForWrite(volatile VOID *Address, SIZE_T Length, ULONG Alignment);

#endif /* _WDM_MM_H_ */

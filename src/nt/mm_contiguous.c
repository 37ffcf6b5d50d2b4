/* nt/mm_contiguous.c: physically contiguous memory, and questions about addresses. */
#include "nt/internal.h"

#include <stdlib.h>
#include <string.h>

struct contiguous {
    struct list link;
    uint8_t *address;
    size_t size;
    uint64_t frame;
    size_t page_count;
    const char *kind;
    const void *caller;
};

static struct list blocks = {&blocks, &blocks};

/* ---- Contiguous memory ----------------------------------------------------------------------- */

static void *allocate(SIZE_T size, uint64_t low, uint64_t high, uint64_t boundary, const char *kind,
                      const struct export_call *call)
{
    struct ram_request request = {.low = low, .high = high, .boundary = boundary};
    struct contiguous *block;

    if (size == 0 || size > ram_bytes() || (boundary & (boundary - 1)) != 0) {
        misuse(NT_MISUSE_ARGUMENT, call, "%llu bytes with a boundary of 0x%llx",
               (unsigned long long)size, (unsigned long long)boundary);
        return NULL;
    }
    if (allocation_fails(0, size, call->caller)) {
        return NULL;
    }
    block = calloc(1, sizeof(*block));
    request.page_count = (size + PAGE_SIZE - 1) / PAGE_SIZE;
    if (!block || !NT_SUCCESS(ram_alloc_contiguous(&request, &block->frame))) {
        free(block);
        return NULL;
    }
    block->page_count = request.page_count;
    block->size = size;
    block->kind = kind;
    block->caller = call->caller;
    block->address = ram_at(block->frame << PAGE_SHIFT, block->page_count * PAGE_SIZE);
    CHECK_THAT(block->address != NULL);
    list_push_back(&blocks, &block->link);
    return block->address;
}

static void release(void *address, SIZE_T size, const struct export_call *call)
{
    list_for_each (link, &blocks) {
        struct contiguous *block = container_of(link, struct contiguous, link);
        if (block->address != address) {
            continue;
        }
        if (size && size != block->size) {
            misuse(NT_MISUSE_POOL_FREE, call, "frees %llu bytes of a block of %llu",
                   (unsigned long long)size, (unsigned long long)block->size);
        }
        list_remove(&block->link);
        ram_free_contiguous(block->frame, block->page_count);
        free(block);
        return;
    }
    misuse(NT_MISUSE_POOL_FREE, call, "%p is no block of contiguous memory, or is free", address);
}

void contiguous_leaks(struct leak_visitor *visitor)
{
    list_for_each (link, &blocks) {
        const struct contiguous *block = container_of(link, struct contiguous, link);
        char where[128];
        nt_symbol_text(block->caller, where, sizeof(where));
        leak(visitor, block->kind, "%llu bytes, allocated at %s", (unsigned long long)block->size,
             where);
    }
}

void contiguous_stop(void)
{
    list_for_each_safe (link, &blocks) {
        struct contiguous *block = container_of(link, struct contiguous, link);
        list_remove(&block->link);
        ram_free_contiguous(block->frame, block->page_count);
        free(block);
    }
}

bool contiguous_holds(const void *address)
{
    list_for_each (link, &blocks) {
        const struct contiguous *block = container_of(link, struct contiguous, link);
        if ((uintptr_t)address - (uintptr_t)block->address < block->page_count * PAGE_SIZE) {
            return true;
        }
    }
    return false;
}

/* The highest acceptable address is inclusive. */
static uint64_t highest(PHYSICAL_ADDRESS address)
{
    return address.QuadPart < 0 ? 0 : (uint64_t)address.QuadPart;
}

PVOID NTAPI MmAllocateContiguousMemory(SIZE_T NumberOfBytes,
                                       PHYSICAL_ADDRESS HighestAcceptableAddress)
{
    struct export_call call = NT_EXPORT_CALL(MmAllocateContiguousMemory);
    return allocate(NumberOfBytes, 0, highest(HighestAcceptableAddress), 0, "contiguous memory",
                    &call);
}

PVOID NTAPI MmAllocateContiguousMemorySpecifyCache(SIZE_T NumberOfBytes,
                                                   PHYSICAL_ADDRESS LowestAcceptableAddress,
                                                   PHYSICAL_ADDRESS HighestAcceptableAddress,
                                                   PHYSICAL_ADDRESS BoundaryAddressMultiple,
                                                   MEMORY_CACHING_TYPE CacheType)
{
    struct export_call call = NT_EXPORT_CALL(MmAllocateContiguousMemorySpecifyCache);
    return allocate(NumberOfBytes, (uint64_t)LowestAcceptableAddress.QuadPart,
                    highest(HighestAcceptableAddress), (uint64_t)BoundaryAddressMultiple.QuadPart,
                    "contiguous memory", &call);
}

PVOID NTAPI MmAllocateContiguousMemorySpecifyCacheNode(SIZE_T NumberOfBytes,
                                                       PHYSICAL_ADDRESS LowestAcceptableAddress,
                                                       PHYSICAL_ADDRESS HighestAcceptableAddress,
                                                       PHYSICAL_ADDRESS BoundaryAddressMultiple,
                                                       MEMORY_CACHING_TYPE CacheType,
                                                       NODE_REQUIREMENT PreferredNode)
{
    struct export_call call = NT_EXPORT_CALL(MmAllocateContiguousMemorySpecifyCacheNode);
    return allocate(NumberOfBytes, (uint64_t)LowestAcceptableAddress.QuadPart,
                    highest(HighestAcceptableAddress), (uint64_t)BoundaryAddressMultiple.QuadPart,
                    "contiguous memory", &call);
}

PVOID NTAPI MmAllocateContiguousNodeMemory(SIZE_T NumberOfBytes,
                                           PHYSICAL_ADDRESS LowestAcceptableAddress,
                                           PHYSICAL_ADDRESS HighestAcceptableAddress,
                                           PHYSICAL_ADDRESS BoundaryAddressMultiple, ULONG Protect,
                                           NODE_REQUIREMENT PreferredNode)
{
    struct export_call call = NT_EXPORT_CALL(MmAllocateContiguousNodeMemory);
    return allocate(NumberOfBytes, (uint64_t)LowestAcceptableAddress.QuadPart,
                    highest(HighestAcceptableAddress), (uint64_t)BoundaryAddressMultiple.QuadPart,
                    "contiguous memory", &call);
}

VOID NTAPI MmFreeContiguousMemory(PVOID BaseAddress)
{
    struct export_call call = NT_EXPORT_CALL(MmFreeContiguousMemory);
    release(BaseAddress, 0, &call);
}

VOID NTAPI MmFreeContiguousMemorySpecifyCache(PVOID BaseAddress, SIZE_T NumberOfBytes,
                                              MEMORY_CACHING_TYPE CacheType)
{
    struct export_call call = NT_EXPORT_CALL(MmFreeContiguousMemorySpecifyCache);
    release(BaseAddress, NumberOfBytes, &call);
}

PVOID NTAPI MmAllocateNonCachedMemory(SIZE_T NumberOfBytes)
{
    struct export_call call = NT_EXPORT_CALL(MmAllocateNonCachedMemory);
    return allocate(NumberOfBytes, 0, 0, 0, "noncached memory", &call);
}

VOID NTAPI MmFreeNonCachedMemory(PVOID BaseAddress, SIZE_T NumberOfBytes)
{
    struct export_call call = NT_EXPORT_CALL(MmFreeNonCachedMemory);
    release(BaseAddress, NumberOfBytes, &call);
}

/* ---- Addresses ------------------------------------------------------------------------------- */

PHYSICAL_ADDRESS NTAPI MmGetPhysicalAddress(PVOID BaseAddress)
{
    struct export_call call = NT_EXPORT_CALL(MmGetPhysicalAddress);
    PHYSICAL_ADDRESS result = {.QuadPart = 0};
    uint64_t physical;

    if (driver_physical_of(BaseAddress, &physical)) {
        result.QuadPart = (LONGLONG)physical;
    } else {
        misuse(NT_MISUSE_ADDRESS, &call, "%p is not in the machine's memory", BaseAddress);
    }
    return result;
}

PVOID NTAPI MmGetVirtualForPhysical(PHYSICAL_ADDRESS PhysicalAddress)
{
    NT_EXPORT_ENTER(MmGetVirtualForPhysical);
    return bus_memory_at((uint64_t)PhysicalAddress.QuadPart, 1);
}

/* An array that ends with a zero entry; the caller frees it. RAM has a hole at 3..4 GiB. */
PPHYSICAL_MEMORY_RANGE NTAPI MmGetPhysicalMemoryRanges(VOID)
{
    struct export_call call = NT_EXPORT_CALL(MmGetPhysicalMemoryRanges);
    const uint64_t hole = UINT64_C(3) << 30, above = UINT64_C(4) << 30;
    struct pool_request request = {.size = 3 * sizeof(PHYSICAL_MEMORY_RANGE),
                                   .tag = POOL_TAG('M', 'm', 'P', 'r'),
                                   .zeroed = true,
                                   .caller = call.caller};
    PHYSICAL_MEMORY_RANGE *ranges = pool_allocate(&request);
    uint64_t low = ram_bytes() < hole ? ram_bytes() : hole;

    if (!ranges) {
        return NULL;
    }
    ranges[0].BaseAddress.QuadPart = PAGE_SIZE; /* frame 0 is never handed out */
    ranges[0].NumberOfBytes.QuadPart = (LONGLONG)(low - PAGE_SIZE);
    if (ram_bytes() > low) {
        ranges[1].BaseAddress.QuadPart = (LONGLONG)above;
        ranges[1].NumberOfBytes.QuadPart = (LONGLONG)(ram_bytes() - low);
    }
    return ranges;
}

static bool address_is_valid(const void *address)
{
    uint64_t physical;

    return ram_physical_of(address, &physical) || host_memory_is_readable(address);
}

BOOLEAN NTAPI MmIsAddressValid(PVOID VirtualAddress)
{
    NT_EXPORT_ENTER(MmIsAddressValid);
    return address_is_valid(VirtualAddress);
}

BOOLEAN NTAPI MmIsNonPagedSystemAddressValid(PVOID VirtualAddress)
{
    NT_EXPORT_ENTER(MmIsNonPagedSystemAddressValid);
    return address_is_valid(VirtualAddress);
}

NTSTATUS NTAPI MmCopyMemory(PVOID TargetAddress, MM_COPY_ADDRESS SourceAddress,
                            SIZE_T NumberOfBytes, ULONG Flags, PSIZE_T NumberOfBytesTransferred)
{
    const void *source;

    NT_EXPORT_ENTER(MmCopyMemory);
    *NumberOfBytesTransferred = 0;
    if (Flags == MM_COPY_MEMORY_PHYSICAL) {
        source = ram_at((uint64_t)SourceAddress.PhysicalAddress.QuadPart, NumberOfBytes);
    } else if (Flags == MM_COPY_MEMORY_VIRTUAL) {
        source = memory_is_readable(SourceAddress.VirtualAddress, NumberOfBytes)
                     ? SourceAddress.VirtualAddress
                     : NULL;
    } else {
        return STATUS_INVALID_PARAMETER_4;
    }
    if (!source) {
        return STATUS_INVALID_ADDRESS;
    }
    memcpy(TargetAddress, source, NumberOfBytes);
    *NumberOfBytesTransferred = NumberOfBytes;
    return STATUS_SUCCESS;
}

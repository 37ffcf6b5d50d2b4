/* nt/mm_contiguous.c: physically contiguous memory, and questions about addresses.
 *
 *      | block ..., from a page's begin | redzone to the page's end | no access |
 *
 * A block is a view of its own. What is freed is gone, as on Windows, and of the latest ones it
 * stays known what they were. Nobody promises what a new block holds: it begins uninitialised. */
#include "nt/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/fill.h"

#define REDZONE_BYTE FILL_REDZONE
#define FILL_MAX     (256u << 10) /* of a new block; larger ones are left as the machine has them */
#define RETIRED_MAX  64u

struct contiguous {
    struct list link;
    uint8_t *address;
    size_t size;
    uint64_t frame;
    size_t page_count;
    const char *kind;
    struct nt_origin from;
    struct nt_origin freed_by;
};

static struct list blocks = {&blocks, &blocks};
static struct list *cursor = &blocks;          /* contiguous_check_some goes on there */
static struct contiguous retired[RETIRED_MAX]; /* a ring; their frames are others' now */
static unsigned retired_count;                 /* ever */

/* ---- Damage ---------------------------------------------------------------------------------- */

static void describe(const struct contiguous *block, struct nt_pool_block *out)
{
    *out = (struct nt_pool_block){
        .address = block->address,
        .size = block->size,
        .kind = block->kind,
        .type = "contiguous",
        .from = block->from,
    };
}

static size_t redzone_size(const struct contiguous *block)
{
    return block->page_count * PAGE_SIZE - block->size;
}

/* Damage is reported once; the pattern is put back. */
static bool check(struct contiguous *block)
{
    uint8_t *redzone = block->address + block->size;
    size_t size = redzone_size(block), at = 0;

    if (size == 0 || (redzone[0] == REDZONE_BYTE && memcmp(redzone, redzone + 1, size - 1) == 0)) {
        return true;
    }
    while (redzone[at] == REDZONE_BYTE) {
        at++;
    }
    struct nt_pool_corruption corruption = {
        .damage = NT_POOL_OVERRUN,
        .offset = (int64_t)(block->size + at),
        .expected = REDZONE_BYTE,
        .found = redzone[at],
    };
    memset(redzone, REDZONE_BYTE, size);
    if (nt_hooks.pool_corruption) {
        describe(block, &corruption.block);
        nt_hooks.pool_corruption(nt_hooks.ctx, &corruption);
    }
    return false;
}

size_t contiguous_check(void)
{
    size_t damaged = 0;

    list_for_each (link, &blocks) {
        damaged += !check(container_of(link, struct contiguous, link));
    }
    return damaged;
}

size_t contiguous_check_some(void)
{
    cursor = cursor->next;
    if (cursor == &blocks) {
        cursor = cursor->next;
    }
    return cursor != &blocks && !check(container_of(cursor, struct contiguous, link));
}

/* The block, or the page behind it, holds the address. */
static bool is_about(const struct contiguous *block, uintptr_t at)
{
    return block->address && at - (uintptr_t)block->address < (block->page_count + 1) * PAGE_SIZE;
}

bool contiguous_explain(const void *address, struct nt_pool_touch *out)
{
    const struct contiguous *found = NULL;

    for (unsigned i = 0; i < RETIRED_MAX; i++) {
        found = is_about(&retired[i], (uintptr_t)address) ? &retired[i] : found;
    }
    list_for_each (link, &blocks) {
        const struct contiguous *block = container_of(link, struct contiguous, link);
        found = is_about(block, (uintptr_t)address) ? block : found;
    }
    if (!found) {
        return false;
    }
    *out = (struct nt_pool_touch){
        .freed = found->freed_by.caller != NULL,
        .freed_by = found->freed_by,
        .offset = (int64_t)((uintptr_t)address - (uintptr_t)found->address),
    };
    describe(found, &out->block);
    return true;
}

/* ---- Contiguous memory ----------------------------------------------------------------------- */

static void *view_of(const struct contiguous *block)
{
    uint64_t *frames = malloc(block->page_count * sizeof(*frames));
    void *view = NULL;

    for (size_t i = 0; frames && i < block->page_count; i++) {
        frames[i] = block->frame + i;
    }
    if (frames) {
        view = ram_map_frames(frames, block->page_count, true);
    }
    free(frames);
    return view;
}

static struct contiguous *block_new(const struct ram_request *request)
{
    struct contiguous *block = calloc(1, sizeof(*block));

    if (!block || !NT_SUCCESS(ram_alloc_contiguous(request, &block->frame))) {
        free(block);
        return NULL;
    }
    block->page_count = request->page_count;
    block->address = view_of(block);
    if (!block->address) {
        ram_free_contiguous(block->frame, block->page_count);
        free(block);
        return NULL;
    }
    return block;
}

static void *allocate(SIZE_T size, uint64_t low, uint64_t high, uint64_t boundary, const char *kind,
                      const struct export_call *call)
{
    struct ram_request request = {
        .low = low, .high = high, .boundary = boundary, .leaves_rest = true};
    struct contiguous *block;

    if (size == 0 || (boundary & (boundary - 1)) != 0) {
        misuse(NT_MISUSE_ARGUMENT, call, "%llu bytes with a boundary of 0x%llx",
               (unsigned long long)size, (unsigned long long)boundary);
        return NULL;
    }
    if (size > ram_bytes() || allocation_fails(0, size, call->caller)) {
        allocation_failed();
        return NULL;
    }
    request.page_count = (size + PAGE_SIZE - 1) / PAGE_SIZE;
    block = block_new(&request);
    if (!block) {
        allocation_failed();
        return NULL;
    }
    block->size = size;
    block->kind = kind;
    block->from = origin_of(call->caller);
    if (!machine_old_bytes(block->address, size < FILL_MAX ? size : FILL_MAX)) {
        memset(block->address, FILL_UNINITIALIZED, size < FILL_MAX ? size : FILL_MAX);
    }
    memset(block->address + size, REDZONE_BYTE, redzone_size(block));
    list_push_back(&blocks, &block->link);
    return block->address;
}

static void block_free(struct contiguous *block)
{
    if (cursor == &block->link) {
        cursor = block->link.prev;
    }
    list_remove(&block->link);
    ram_unmap_frames(block->address, block->page_count);
    ram_free_contiguous(block->frame, block->page_count);
    free(block);
}

/* What a device reads or writes there from now on is somebody else's. */
static void check_devices(const struct contiguous *block, const struct export_call *call)
{
    char what[128];

    if (pci_device_goes_to(block->frame << PAGE_SHIFT, block->size, what, sizeof(what))) {
        misuse(NT_MISUSE_POOL_IN_USE, call,
               "frees memory that the device goes to by itself: %s (allocated there: %llu bytes)",
               what, (unsigned long long)block->size);
    }
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
        check(block);
        check_devices(block, call);
        block->freed_by = origin_of(call->caller);
        retired[retired_count++ % RETIRED_MAX] = *block;
        block_free(block);
        return;
    }
    misuse(NT_MISUSE_POOL_FREE, call, "%p is no block of contiguous memory, or is free", address);
}

void contiguous_leaks(struct leak_visitor *visitor)
{
    list_for_each (link, &blocks) {
        const struct contiguous *block = container_of(link, struct contiguous, link);
        char where[NT_ORIGIN_MAX];
        nt_origin_text(&block->from, where, sizeof(where));
        leak(visitor, block->kind, "%llu bytes, allocated at %s", (unsigned long long)block->size,
             where);
    }
}

void contiguous_stop(void)
{
    list_for_each_safe (link, &blocks) {
        block_free(container_of(link, struct contiguous, link));
    }
    memset(retired, 0, sizeof(retired));
    retired_count = 0;
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

/* Where its owner sees a byte of a block; NULL: no block has it. */
static void *address_in_block(uint64_t physical)
{
    list_for_each (link, &blocks) {
        const struct contiguous *block = container_of(link, struct contiguous, link);
        uint64_t offset = physical - (block->frame << PAGE_SHIFT);
        if (offset < block->page_count * PAGE_SIZE) {
            return block->address + offset;
        }
    }
    return NULL;
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

void *nt_contiguous_allocate(const struct nt_given_request *request, const void *caller)
{
    const struct export_call call = {EXPORT_ID_MmAllocateContiguousMemory, caller};

    return allocate(request->size, request->low, request->high, request->boundary,
                    "contiguous memory", &call);
}

void nt_contiguous_free(void *address, const void *caller)
{
    const struct export_call call = {EXPORT_ID_MmFreeContiguousMemory, caller};

    release(address, 0, &call);
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
    void *block = address_in_block((uint64_t)PhysicalAddress.QuadPart);

    return block ? block : bus_memory_at((uint64_t)PhysicalAddress.QuadPart, 1);
}

/* An array that ends with a zero entry; the caller frees it. RAM has a hole below 4 GiB. */
PPHYSICAL_MEMORY_RANGE NTAPI MmGetPhysicalMemoryRanges(VOID)
{
    struct export_call call = NT_EXPORT_CALL(MmGetPhysicalMemoryRanges);
    struct pool_request request = {.size = 3 * sizeof(PHYSICAL_MEMORY_RANGE),
                                   .tag = POOL_TAG('M', 'm', 'P', 'r'),
                                   .zeroed = true,
                                   .caller = call.caller};
    PHYSICAL_MEMORY_RANGE *ranges = pool_allocate(&request);
    uint64_t low = ram_low_bytes();

    if (!ranges) {
        return NULL;
    }
    ranges[0].BaseAddress.QuadPart = PAGE_SIZE; /* frame 0 is never handed out */
    ranges[0].NumberOfBytes.QuadPart = (LONGLONG)(low - PAGE_SIZE);
    if (ram_bytes() > low) {
        ranges[1].BaseAddress.QuadPart = (LONGLONG)(ram_end() - (ram_bytes() - low));
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

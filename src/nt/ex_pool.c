/* nt/ex_pool.c: pool, as drivers call it. Where the memory lies is pool_store.c's matter. */
#include "nt/internal.h"

#define TAG_NONE          POOL_TAG('N', 'o', 'n', 'e')
#define TAG_INTERNAL      POOL_TAG('D', 'r', 'y', 'd')
#define PAGED_POOL_BIT    1
#define CACHE_ALIGNED_BIT 4 /* of a POOL_TYPE */
#define POOL_FLAGS_KNOWN                                                                           \
    (POOL_FLAG_USE_QUOTA | POOL_FLAG_UNINITIALIZED | POOL_FLAG_SESSION | POOL_FLAG_CACHE_ALIGNED | \
     POOL_FLAG_RAISE_ON_FAILURE | POOL_FLAG_NON_PAGED | POOL_FLAG_NON_PAGED_EXECUTE |              \
     POOL_FLAG_PAGED)
#define POOL_FLAGS_OPTIONAL 0xFFFFFFFF00000000ull /* unknown bits up here are ignored */

void *pool_allocate(const struct pool_request *request)
{
    struct pool_block *block;

    if (!request->internal && allocation_fails(request->tag, request->size, request->caller)) {
        return NULL;
    }
    block = pool_store_new(request);
    if (!block && !request->internal) {
        allocation_failed();
    }
    if (!block) {
        return NULL;
    }
    if (!request->internal) {
        record_event(EVENT_POOL, 0, request->size, request->tag);
    }
    return block->memory;
}

static const char *state_text(const struct pool_block *block, const void *memory)
{
    if (!block) {
        return "it is no pool memory";
    }
    if (block->state == POOL_BLOCK_QUARANTINE) {
        return "it is free already";
    }
    if (block->state == POOL_BLOCK_FREE) {
        return "it is not allocated";
    }
    return block->memory == memory ? NULL : "it does not begin there";
}

/* Does something wait there for its time? `from`: where it came to, or NULL. */
static bool is_busy(const struct nt_origin *from, const char *what, const struct export_call *call)
{
    char where[NT_ORIGIN_MAX];

    if (!from) {
        return false;
    }
    nt_origin_text(from, where, sizeof(where));
    misuse(NT_MISUSE_POOL_IN_USE, call, "frees memory with %s at %s", what, where);
    return true;
}

/* Things that would go on to use the memory. */
static void check_idle(const struct pool_block *block, const struct export_call *call)
{
    const char *waiter = wait_object_in(block->memory, block->size);

    if (is_busy(timer_armed_in(block->memory, block->size), "an armed timer in it, set", call)) {
        timer_forget_in(block->memory, block->size);
    }
    if (is_busy(timer_dpc_in(block->memory, block->size), "the DPC of an armed timer in it, set",
                call)) {
        timer_forget_dpc_in(block->memory, block->size);
    }
    if (is_busy(dpc_queued_in(block->memory, block->size), "a queued DPC in it, queued", call)) {
        dpc_forget_in(block->memory, block->size);
    }
    if (!is_busy(work_queued_in(block->memory, block->size), "a queued work item in it, queued",
                 call) &&
        work_item_in(block->memory, block->size)) {
        misuse(NT_MISUSE_POOL_IN_USE, call,
               "frees memory with a work item in it that is not uninitialised");
    }
    work_forget_in(block->memory, block->size);
    if (resource_in(block->memory, block->size)) {
        misuse(NT_MISUSE_POOL_IN_USE, call,
               "frees memory with an ERESOURCE in it: delete it first");
        resource_forget_in(block->memory, block->size);
    }
    if (is_busy(lookaside_in(block->memory, block->size),
                "a look-aside list in it that is not deleted, initialised", call)) {
        lookaside_forget_in(block->memory, block->size);
    }
    if (waiter) {
        misuse(NT_MISUSE_POOL_IN_USE, call, "frees memory with an object that \"%s\" waits for",
               waiter);
    }
}

bool pool_free(void *memory, uint32_t tag, const struct export_call *call)
{
    struct pool_block *block = memory ? pool_store_find(memory) : NULL;
    const char *wrong;
    char has[5], given[5];

    block = block ? block : special_find_freed(memory);
    wrong = state_text(block, memory);
    if (wrong || block->internal) {
        misuse(NT_MISUSE_POOL_FREE, call, "cannot free %p: %s", memory,
               wrong ? wrong : "it belongs to the kernel");
        return false;
    }
    if (tag && tag != block->tag) {
        nt_pool_tag_text(block->tag, has);
        nt_pool_tag_text(tag, given);
        misuse(NT_MISUSE_POOL_FREE, call, "frees a block of tag '%s' with tag '%s'", has, given);
    }
    if (block->type == POOL_TYPE_PAGED) {
        export_irql_above(call, APC_LEVEL);
    }
    check_idle(block, call);
    record_event(EVENT_POOL_FREE, 0, block->size, block->tag);
    pool_store_free(block, call->caller);
    return true;
}

bool pool_free_internal(void *memory)
{
    struct pool_block *block = pool_store_find(memory);

    if (state_text(block, memory) || !block->internal) {
        return false;
    }
    pool_store_free(block, __builtin_return_address(0));
    return true;
}

void *nt_memory_alloc(size_t size, uint32_t tag)
{
    struct pool_request request = {.size = size,
                                   .tag = tag ? tag : TAG_INTERNAL,
                                   .zeroed = true,
                                   .internal = true,
                                   .caller = __builtin_return_address(0)};

    return pool_allocate(&request);
}

static void *hand(struct pool_request *request)
{
    if (!special_takes(request)) {
        request->size += HANDED_SPARE;
    }
    return pool_allocate(request);
}

void *nt_memory_hand(size_t size, const char *what)
{
    struct pool_request request = {.size = size,
                                   .tag = TAG_INTERNAL,
                                   .zeroed = true,
                                   .internal = true,
                                   .kind = what,
                                   .caller = __builtin_return_address(0)};

    return hand(&request);
}

static void *hand_clients(size_t size, const char *what, bool pageable, const void *caller)
{
    struct pool_request request = {.size = size,
                                   .tag = TAG_INTERNAL,
                                   .zeroed = true,
                                   .internal = true,
                                   .kind = what,
                                   .of_client = true,
                                   .pageable = pageable,
                                   .caller = caller};

    return hand(&request);
}

void *nt_memory_client(size_t size, const char *what)
{
    return hand_clients(size, what, false, __builtin_return_address(0));
}

void *nt_memory_client_paged(size_t size, const char *what)
{
    return hand_clients(size, what, true, __builtin_return_address(0));
}

void nt_memory_free(void *memory)
{
    if (memory) {
        CHECK_THAT(pool_free_internal(memory));
    }
}

/* ---- Allocation by pool type ----------------------------------------------------------------- */

static void check_request(const struct pool_request *request, const struct export_call *call)
{
    if (request->size == 0) {
        misuse(NT_MISUSE_POOL_SIZE, call, "allocates 0 bytes");
    }
    if (request->tag == 0) {
        misuse(NT_MISUSE_ARGUMENT, call, "allocates with tag 0");
    }
    if (request->type == POOL_TYPE_PAGED) {
        export_irql_above(call, APC_LEVEL);
    }
}

static enum pool_type type_of(POOL_TYPE type)
{
    if (type & PAGED_POOL_BIT) {
        return POOL_TYPE_PAGED;
    }
    return type & NonPagedPoolNx ? POOL_TYPE_NONPAGED : POOL_TYPE_EXECUTABLE;
}

static void *allocate_by_type(POOL_TYPE type, SIZE_T size, ULONG tag, bool raise,
                              const struct export_call *call)
{
    struct pool_request request = {.size = size,
                                   .tag = tag,
                                   .type = type_of(type),
                                   .zeroed = (type & POOL_ZERO_ALLOCATION) != 0,
                                   .cache_aligned = (type & CACHE_ALIGNED_BIT) != 0,
                                   .caller = call->caller};
    void *memory;

    check_request(&request, call);
    memory = pool_allocate(&request);
    if (!memory && (raise || type & POOL_RAISE_IF_ALLOCATION_FAILURE)) {
        raise_status(STATUS_INSUFFICIENT_RESOURCES);
    }
    return memory;
}

PVOID NTAPI ExAllocatePool(POOL_TYPE PoolType, SIZE_T NumberOfBytes)
{
    struct export_call call = NT_EXPORT_CALL(ExAllocatePool);
    return allocate_by_type(PoolType, NumberOfBytes, TAG_NONE, false, &call);
}

PVOID NTAPI ExAllocatePoolWithTag(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag)
{
    struct export_call call = NT_EXPORT_CALL(ExAllocatePoolWithTag);
    return allocate_by_type(PoolType, NumberOfBytes, Tag, false, &call);
}

PVOID NTAPI ExAllocatePoolWithTagPriority(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag,
                                          EX_POOL_PRIORITY Priority)
{
    struct export_call call = NT_EXPORT_CALL(ExAllocatePoolWithTagPriority);
    return allocate_by_type(PoolType, NumberOfBytes, Tag, false, &call);
}

/* Quota is not charged. Unlike the others it raises by default. */
PVOID NTAPI ExAllocatePoolWithQuotaTag(POOL_TYPE PoolType, SIZE_T NumberOfBytes, ULONG Tag)
{
    struct export_call call = NT_EXPORT_CALL(ExAllocatePoolWithQuotaTag);
    return allocate_by_type(PoolType, NumberOfBytes, Tag,
                            !(PoolType & POOL_QUOTA_FAIL_INSTEAD_OF_RAISE), &call);
}

/* ---- Allocation by flags --------------------------------------------------------------------- */

static bool flags_are_valid(POOL_FLAGS flags)
{
    POOL_FLAGS kinds =
        flags & (POOL_FLAG_NON_PAGED | POOL_FLAG_NON_PAGED_EXECUTE | POOL_FLAG_PAGED);

    return kinds && (kinds & (kinds - 1)) == 0 &&
           (flags & ~(POOL_FLAGS_KNOWN | POOL_FLAGS_OPTIONAL)) == 0;
}

static void *allocate_by_flags(POOL_FLAGS flags, SIZE_T size, ULONG tag,
                               const struct export_call *call)
{
    struct pool_request request = {.size = size,
                                   .tag = tag,
                                   .zeroed = !(flags & POOL_FLAG_UNINITIALIZED),
                                   .cache_aligned = (flags & POOL_FLAG_CACHE_ALIGNED) != 0,
                                   .caller = call->caller};
    void *memory = NULL;

    request.type = flags & POOL_FLAG_PAGED               ? POOL_TYPE_PAGED
                   : flags & POOL_FLAG_NON_PAGED_EXECUTE ? POOL_TYPE_EXECUTABLE
                                                         : POOL_TYPE_NONPAGED;
    check_request(&request, call);
    if (!flags_are_valid(flags)) {
        misuse(NT_MISUSE_ARGUMENT, call, "pool flags 0x%llx", (unsigned long long)flags);
    } else if (size > 0 && tag != 0) {
        memory = pool_allocate(&request);
    }
    if (!memory && flags & POOL_FLAG_RAISE_ON_FAILURE) {
        raise_status(STATUS_INSUFFICIENT_RESOURCES);
    }
    return memory;
}

PVOID NTAPI ExAllocatePool2(POOL_FLAGS Flags, SIZE_T NumberOfBytes, ULONG Tag)
{
    struct export_call call = NT_EXPORT_CALL(ExAllocatePool2);
    return allocate_by_flags(Flags, NumberOfBytes, Tag, &call);
}

PVOID NTAPI ExAllocatePool3(POOL_FLAGS Flags, SIZE_T NumberOfBytes, ULONG Tag,
                            PCPOOL_EXTENDED_PARAMETER ExtendedParameters,
                            ULONG ExtendedParametersCount)
{
    struct export_call call = NT_EXPORT_CALL(ExAllocatePool3);
    return allocate_by_flags(Flags, NumberOfBytes, Tag, &call);
}

/* ---- Freeing --------------------------------------------------------------------------------- */

VOID NTAPI ExFreePool(PVOID P)
{
    struct export_call call = NT_EXPORT_CALL(ExFreePool);
    pool_free(P, 0, &call);
}

VOID NTAPI ExFreePoolWithTag(PVOID P, ULONG Tag)
{
    struct export_call call = NT_EXPORT_CALL(ExFreePoolWithTag);
    pool_free(P, Tag, &call);
}

VOID NTAPI ExFreePool2(PVOID P, ULONG Tag, PCPOOL_EXTENDED_PARAMETER ExtendedParameters,
                       ULONG ExtendedParametersCount)
{
    struct export_call call = NT_EXPORT_CALL(ExFreePool2);
    pool_free(P, Tag, &call);
}

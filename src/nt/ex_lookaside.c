/* nt/ex_lookaside.c: look-aside lists.
 *
 * Every allocation goes to the pool and every free comes back to it: nothing is cached, so that the
 * pool sees each block's owner, its overruns and its late uses. The counters are kept.
 *
 * The system has each list in a list of its own, from which deleting takes it: one that is not
 * deleted when its memory goes is known here. */
#include "nt/internal.h"

#include <stdlib.h>
#include <string.h>

/* Blocks that are out: TotalAllocates counts failed attempts, too. */
#define IN_USE(list) ((list)->Future[0])

/* Bits that EX_LOOKASIDE_LIST_EX_FLAGS... put into the pool type. */
#define FLAGS_KNOWN \
    (EX_LOOKASIDE_LIST_EX_FLAGS_RAISE_ON_FAIL | EX_LOOKASIDE_LIST_EX_FLAGS_FAIL_NO_RAISE)

static void *allocate_block(POOL_TYPE type, SIZE_T size, ULONG tag, const void *caller)
{
    struct pool_request request = {
        .size = size,
        .tag = tag,
        .type = type & 1 ? POOL_TYPE_PAGED : POOL_TYPE_NONPAGED,
        .caller = caller,
    };
    void *memory = pool_allocate(&request);

    if (!memory && type & POOL_RAISE_IF_ALLOCATION_FAILURE) {
        raise_status(STATUS_INSUFFICIENT_RESOURCES);
    }
    return memory;
}

/* ---- What is not deleted yet ----------------------------------------------------------------- */

struct lookaside {
    struct list link;
    const void *driver_side;
    struct nt_origin from;
};

static struct list lookasides = {&lookasides, &lookasides};

static void forget(struct lookaside *lookaside)
{
    list_remove(&lookaside->link);
    free(lookaside);
}

void lookaside_forget_in(const void *memory, size_t size)
{
    list_for_each_safe (link, &lookasides) {
        struct lookaside *lookaside = container_of(link, struct lookaside, link);
        if ((uintptr_t)lookaside->driver_side - (uintptr_t)memory < size) {
            forget(lookaside);
        }
    }
}

static void remember(const void *driver_side, const void *caller)
{
    struct lookaside *lookaside = malloc(sizeof(*lookaside));

    CHECK_THAT(lookaside != NULL);
    lookaside_forget_in(driver_side, 1);
    *lookaside = (struct lookaside){.driver_side = driver_side, .from = origin_of(caller)};
    list_push_back(&lookasides, &lookaside->link);
}

void lookaside_stop(void)
{
    list_for_each_safe (link, &lookasides) {
        forget(container_of(link, struct lookaside, link));
    }
}

const struct nt_origin *lookaside_in(const void *memory, size_t size)
{
    list_for_each (link, &lookasides) {
        const struct lookaside *lookaside = container_of(link, struct lookaside, link);
        if ((uintptr_t)lookaside->driver_side - (uintptr_t)memory < size) {
            return &lookaside->from;
        }
    }
    return NULL;
}

void lookaside_leaks(struct leak_visitor *visitor)
{
    list_for_each (link, &lookasides) {
        const struct lookaside *lookaside = container_of(link, struct lookaside, link);
        char where[NT_ORIGIN_MAX];
        nt_origin_text(&lookaside->from, where, sizeof(where));
        leak(visitor, "look-aside list", "not deleted, initialised at %s", where);
    }
}

/* ---- What a list calls if its driver names nothing: drivers call it, too, see init() --------- */

static PVOID NTAPI allocate_default(POOL_TYPE type, SIZE_T size, ULONG tag)
{
    return allocate_block(type, size, tag, __builtin_return_address(0));
}

static PVOID NTAPI allocate_default_ex(POOL_TYPE type, SIZE_T size, ULONG tag,
                                       PLOOKASIDE_LIST_EX lookaside)
{
    return allocate_block(type, size, tag, __builtin_return_address(0));
}

static VOID NTAPI free_default(PVOID memory)
{
    struct export_call call = {EXPORT_ID_ExFreePool, __builtin_return_address(0)};
    pool_free(memory, 0, &call);
}

static VOID NTAPI free_default_ex(PVOID memory, PLOOKASIDE_LIST_EX lookaside)
{
    struct export_call call = {EXPORT_ID_ExFreePool, __builtin_return_address(0)};
    pool_free(memory, lookaside->L.Tag, &call);
}

/* ---- The lists ------------------------------------------------------------------------------ */

static void *allocate(GENERAL_LOOKASIDE_POOL *list, void *lookaside, bool extended,
                      const struct export_call *call)
{
    void *memory;

    list->TotalAllocates++;
    list->AllocateMisses++;
    if (extended && list->AllocateEx != allocate_default_ex) {
        memory = list->AllocateEx(list->Type, list->Size, list->Tag, lookaside);
    } else if (!extended && list->Allocate != allocate_default) {
        memory = list->Allocate(list->Type, list->Size, list->Tag);
    } else {
        memory = allocate_block(list->Type, list->Size, list->Tag, call->caller);
    }
    IN_USE(list) += memory != NULL;
    return memory;
}

static void release(GENERAL_LOOKASIDE_POOL *list, void *lookaside, bool extended, void *memory,
                    const struct export_call *call)
{
    list->TotalFrees++;
    list->FreeMisses++;
    IN_USE(list) -= IN_USE(list) > 0;
    if (extended && list->FreeEx != free_default_ex) {
        list->FreeEx(memory, lookaside);
    } else if (!extended && list->Free != free_default) {
        list->Free(memory);
    } else {
        pool_free(memory, list->Tag, call);
    }
}

/* Headers may have allocate() and release() as inline functions, which look into the list of free
 * entries and call through the members of the list: those are never NULL therefore. With a depth of
 * 0 they give each entry back at once, so that its next use is seen. */
static void init(GENERAL_LOOKASIDE_POOL *list, POOL_TYPE type, SIZE_T size, ULONG tag)
{
    memset(list, 0, sizeof(*list));
    list->Type = type;
    list->Size = (ULONG)size;
    list->Tag = tag;
    list->MaximumDepth = 256;
    InitializeListHead(&list->ListEntry);
}

static void check_deleted(GENERAL_LOOKASIDE_POOL *list, const struct export_call *call)
{
    lookaside_forget_in(list, 1);
    if (IN_USE(list) > 0) {
        misuse(NT_MISUSE_POOL_FREE, call, "deletes a look-aside list with %u entries in use",
               IN_USE(list));
    }
}

/* The members of the three kinds are one layout; only the alignment differs, and that of pool,
 * where drivers have them, is less than two of them are declared with. */
#define POOL_PART(list) ((GENERAL_LOOKASIDE_POOL *)(void *)(list))

VOID NTAPI ExInitializeNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside,
                                           PALLOCATE_FUNCTION Allocate, PFREE_FUNCTION Free,
                                           ULONG Flags, SIZE_T Size, ULONG Tag, USHORT Depth)
{
    NT_EXPORT_ENTER(ExInitializeNPagedLookasideList);
    remember(POOL_PART(Lookaside), __builtin_return_address(0));
    init(POOL_PART(Lookaside),
         (POOL_TYPE)(NonPagedPoolNx | (Flags & POOL_RAISE_IF_ALLOCATION_FAILURE)), Size, Tag);
    POOL_PART(Lookaside)->Allocate = Allocate ? Allocate : allocate_default;
    POOL_PART(Lookaside)->Free = Free ? Free : free_default;
}

VOID NTAPI ExDeleteNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside)
{
    struct export_call call = NT_EXPORT_CALL(ExDeleteNPagedLookasideList);
    check_deleted(POOL_PART(Lookaside), &call);
}

PVOID NTAPI ExAllocateFromNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside)
{
    struct export_call call = NT_EXPORT_CALL(ExAllocateFromNPagedLookasideList);
    return allocate(POOL_PART(Lookaside), Lookaside, false, &call);
}

VOID NTAPI ExFreeToNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside, PVOID Entry)
{
    struct export_call call = NT_EXPORT_CALL(ExFreeToNPagedLookasideList);
    release(POOL_PART(Lookaside), Lookaside, false, Entry, &call);
}

VOID NTAPI ExInitializePagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside,
                                          PALLOCATE_FUNCTION Allocate, PFREE_FUNCTION Free,
                                          ULONG Flags, SIZE_T Size, ULONG Tag, USHORT Depth)
{
    NT_EXPORT_ENTER(ExInitializePagedLookasideList);
    remember(POOL_PART(Lookaside), __builtin_return_address(0));
    init(POOL_PART(Lookaside), (POOL_TYPE)(PagedPool | (Flags & POOL_RAISE_IF_ALLOCATION_FAILURE)),
         Size, Tag);
    POOL_PART(Lookaside)->Allocate = Allocate ? Allocate : allocate_default;
    POOL_PART(Lookaside)->Free = Free ? Free : free_default;
}

VOID NTAPI ExDeletePagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside)
{
    struct export_call call = NT_EXPORT_CALL(ExDeletePagedLookasideList);
    check_deleted(POOL_PART(Lookaside), &call);
}

PVOID NTAPI ExAllocateFromPagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside)
{
    struct export_call call = NT_EXPORT_CALL(ExAllocateFromPagedLookasideList);
    return allocate(POOL_PART(Lookaside), Lookaside, false, &call);
}

VOID NTAPI ExFreeToPagedLookasideList(PPAGED_LOOKASIDE_LIST Lookaside, PVOID Entry)
{
    struct export_call call = NT_EXPORT_CALL(ExFreeToPagedLookasideList);
    release(POOL_PART(Lookaside), Lookaside, false, Entry, &call);
}

NTSTATUS NTAPI ExInitializeLookasideListEx(PLOOKASIDE_LIST_EX Lookaside,
                                           PALLOCATE_FUNCTION_EX Allocate, PFREE_FUNCTION_EX Free,
                                           POOL_TYPE PoolType, ULONG Flags, SIZE_T Size, ULONG Tag,
                                           USHORT Depth)
{
    NT_EXPORT_ENTER(ExInitializeLookasideListEx);
    if (Flags == FLAGS_KNOWN || Flags & ~FLAGS_KNOWN) { /* one or none */
        return STATUS_INVALID_PARAMETER_5;
    }
    if (Flags & EX_LOOKASIDE_LIST_EX_FLAGS_RAISE_ON_FAIL) {
        PoolType = (POOL_TYPE)(PoolType | POOL_RAISE_IF_ALLOCATION_FAILURE);
    } else if (Flags & EX_LOOKASIDE_LIST_EX_FLAGS_FAIL_NO_RAISE) {
        PoolType = (POOL_TYPE)(PoolType | POOL_QUOTA_FAIL_INSTEAD_OF_RAISE);
    }
    remember(&Lookaside->L, __builtin_return_address(0));
    init(&Lookaside->L, PoolType, Size, Tag);
    Lookaside->L.AllocateEx = Allocate ? Allocate : allocate_default_ex;
    Lookaside->L.FreeEx = Free ? Free : free_default_ex;
    return STATUS_SUCCESS;
}

VOID NTAPI ExDeleteLookasideListEx(PLOOKASIDE_LIST_EX Lookaside)
{
    struct export_call call = NT_EXPORT_CALL(ExDeleteLookasideListEx);
    check_deleted(&Lookaside->L, &call);
}

PVOID NTAPI ExAllocateFromLookasideListEx(PLOOKASIDE_LIST_EX Lookaside)
{
    struct export_call call = NT_EXPORT_CALL(ExAllocateFromLookasideListEx);
    return allocate(&Lookaside->L, Lookaside, true, &call);
}

VOID NTAPI ExFreeToLookasideListEx(PLOOKASIDE_LIST_EX Lookaside, PVOID Entry)
{
    struct export_call call = NT_EXPORT_CALL(ExFreeToLookasideListEx);
    release(&Lookaside->L, Lookaside, true, Entry, &call);
}

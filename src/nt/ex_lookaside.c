/* nt/ex_lookaside.c: look-aside lists.
 *
 * Every allocation goes to the pool and every free comes back to it: nothing is cached, so that the
 * pool sees each block's owner, its overruns and its late uses. The counters are kept. */
#include "nt/internal.h"

#include <string.h>

/* Blocks that are out: TotalAllocates counts failed attempts, too. */
#define IN_USE(list) ((list)->Future[0])

/* Bits that EX_LOOKASIDE_LIST_EX_FLAGS... put into the pool type. */
#define FLAGS_KNOWN \
    (EX_LOOKASIDE_LIST_EX_FLAGS_RAISE_ON_FAIL | EX_LOOKASIDE_LIST_EX_FLAGS_FAIL_NO_RAISE)

static void *allocate(GENERAL_LOOKASIDE_POOL *list, void *lookaside, bool extended,
                      const struct export_call *call)
{
    struct pool_request request = {
        .size = list->Size,
        .tag = list->Tag,
        .type = list->Type & 1 ? POOL_TYPE_PAGED : POOL_TYPE_NONPAGED,
        .caller = call->caller,
    };
    void *memory;

    list->TotalAllocates++;
    list->AllocateMisses++;
    if (extended && list->AllocateEx) {
        memory = list->AllocateEx(list->Type, list->Size, list->Tag, lookaside);
    } else if (!extended && list->Allocate) {
        memory = list->Allocate(list->Type, list->Size, list->Tag);
    } else {
        memory = pool_allocate(&request);
        if (!memory && list->Type & POOL_RAISE_IF_ALLOCATION_FAILURE) {
            raise_status(STATUS_INSUFFICIENT_RESOURCES);
        }
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
    if (extended && list->FreeEx) {
        list->FreeEx(memory, lookaside);
    } else if (!extended && list->Free) {
        list->Free(memory);
    } else {
        pool_free(memory, list->Tag, call);
    }
}

static void init(GENERAL_LOOKASIDE_POOL *list, POOL_TYPE type, SIZE_T size, ULONG tag)
{
    memset(list, 0, sizeof(*list));
    list->Type = type;
    list->Size = (ULONG)size;
    list->Tag = tag;
    list->Depth = 4;
    list->MaximumDepth = 256;
    InitializeListHead(&list->ListEntry);
}

static void check_deleted(GENERAL_LOOKASIDE_POOL *list, const struct export_call *call)
{
    if (IN_USE(list) > 0) {
        misuse(NT_MISUSE_POOL_FREE, call, "deletes a look-aside list with %u entries in use",
               IN_USE(list));
    }
}

/* The members of the three kinds are one layout; only the alignment differs. */
#define POOL_PART(list) ((GENERAL_LOOKASIDE_POOL *)&(list)->L)

VOID NTAPI ExInitializeNPagedLookasideList(PNPAGED_LOOKASIDE_LIST Lookaside,
                                           PALLOCATE_FUNCTION Allocate, PFREE_FUNCTION Free,
                                           ULONG Flags, SIZE_T Size, ULONG Tag, USHORT Depth)
{
    NT_EXPORT_ENTER(ExInitializeNPagedLookasideList);
    init(POOL_PART(Lookaside),
         (POOL_TYPE)(NonPagedPoolNx | (Flags & POOL_RAISE_IF_ALLOCATION_FAILURE)), Size, Tag);
    Lookaside->L.Allocate = Allocate;
    Lookaside->L.Free = Free;
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
    init(POOL_PART(Lookaside), (POOL_TYPE)(PagedPool | (Flags & POOL_RAISE_IF_ALLOCATION_FAILURE)),
         Size, Tag);
    Lookaside->L.Allocate = Allocate;
    Lookaside->L.Free = Free;
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
    init(&Lookaside->L, PoolType, Size, Tag);
    Lookaside->L.AllocateEx = Allocate;
    Lookaside->L.FreeEx = Free;
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

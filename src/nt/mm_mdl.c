/* nt/mm_mdl.c: memory descriptor lists.
 *
 *                      MmBuildMdlForNonPagedPool ──> SOURCE_IS_NONPAGED_POOL (mapped where it is)
 *      IoAllocateMdl ──┤
 *                      MmProbeAndLockPages ──> PAGES_LOCKED ──map──> MAPPED_TO_SYSTEM_VA
 *      nt_mdl_from_frames, MmAllocatePagesForMdl ──^   └──unlock──> (nothing)
 *
 * The frames of locked memory are scattered; a mapping is a new view of them. An MDL has one view
 * for the system at most, and beside it or without it any number of views for clients. */
#include "nt/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MDL_BYTES_MAX (UINT64_C(2) << 30)

struct mapping {
    struct list link;
    MDL *mdl;
    void *view;
    size_t page_count;
    size_t offset, size; /* what was mapped, in the view */
    bool user;           /* for a client: not what MappedSystemVa says */
    struct nt_origin from;
};

static struct list mappings = {&mappings, &mappings};

#define GONE_MAX 32

/* The newest that were unmapped, a ring: no view is made where another was. */
static struct mapping gone[GONE_MAX];
static unsigned gone_count;

static size_t page_count_of(const MDL *mdl)
{
    return ADDRESS_AND_SIZE_TO_SPAN_PAGES((uintptr_t)mdl->ByteOffset, mdl->ByteCount);
}

/* The MDL's view for the system, or any one for a client. */
static struct mapping *mapping_of(const MDL *mdl, bool user)
{
    list_for_each (link, &mappings) {
        struct mapping *mapping = container_of(link, struct mapping, link);
        if (mapping->mdl == mdl && mapping->user == user) {
            return mapping;
        }
    }
    return NULL;
}

static struct mapping *user_mapping_at(const MDL *mdl, const void *address)
{
    list_for_each (link, &mappings) {
        struct mapping *mapping = container_of(link, struct mapping, link);
        if (mapping->mdl == mdl && mapping->user &&
            (const char *)mapping->view + mdl->ByteOffset == address) {
            return mapping;
        }
    }
    return NULL;
}

bool mdl_view_is_kernels(const void *address)
{
    list_for_each (link, &mappings) {
        const struct mapping *mapping = container_of(link, struct mapping, link);
        if (!mapping->user &&
            (uintptr_t)address - (uintptr_t)mapping->view < mapping->page_count * PAGE_SIZE) {
            return true;
        }
    }
    return false;
}

/* How far behind the begin of what is mapped; false: neither there nor in the empty pages. */
static bool reaches(const struct mapping *mapping, const void *address, int64_t *offset)
{
    int64_t at = (int64_t)((uintptr_t)address - (uintptr_t)mapping->view);
    size_t pages = mapping->page_count + ram_empty_behind(mapping->page_count);

    *offset = at - (int64_t)mapping->offset;
    return at >= 0 && (size_t)at < pages * PAGE_SIZE;
}

static void place_text(const struct mapping *mapping, int64_t offset, const char *then, char *text,
                       size_t size)
{
    char where[NT_ORIGIN_MAX];

    nt_origin_text(&mapping->from, where, sizeof(where));
    snprintf(text, size, "offset %lld of the mapping of %zu bytes of an MDL, %s at %s",
             (long long)offset, mapping->size, then, where);
}

bool nt_mdl_view_text(const void *address, char *text, size_t size)
{
    int64_t offset;

    list_for_each (link, &mappings) {
        const struct mapping *mapping = container_of(link, struct mapping, link);
        if (!mapping->user && reaches(mapping, address, &offset)) {
            place_text(mapping, offset, "mapped", text, size);
            return true;
        }
    }
    for (unsigned i = 0; i < gone_count && i < GONE_MAX; i++) {
        const struct mapping *mapping = &gone[(gone_count - 1 - i) % GONE_MAX];
        if (reaches(mapping, address, &offset)) {
            place_text(mapping, offset, "which was unmapped", text, size);
            return true;
        }
    }
    return false;
}

/* caller: who unmaps it; NULL: nobody, the kernel itself ends. */
static void mapping_drop(struct mapping *mapping, const void *caller)
{
    ram_unmap_frames(mapping->view, mapping->page_count);
    if (caller && !mapping->user) {
        gone[gone_count % GONE_MAX] = *mapping;
        gone[gone_count++ % GONE_MAX].from = origin_of(caller);
    }
    list_remove(&mapping->link);
    free(mapping);
}

/* Clients must be gone from memory that is given back. */
static void drop_user_mappings(const MDL *mdl, const struct export_call *call)
{
    struct mapping *mapping = mapping_of(mdl, true);

    if (mapping) {
        misuse(NT_MISUSE_MDL, call, "the MDL is still mapped for a client");
    }
    for (; mapping; mapping = mapping_of(mdl, true)) {
        mapping_drop(mapping, call->caller);
    }
}

void mdl_unmap_freed(MDL *mdl, const struct export_call *call)
{
    struct mapping *mapping = mapping_of(mdl, false);

    drop_user_mappings(mdl, call);
    if (mapping) {
        misuse(NT_MISUSE_MDL, call, "frees pages that are mapped");
        mapping_drop(mapping, call->caller);
    }
}

void mapping_stop(void)
{
    list_for_each_safe (link, &mappings) {
        mapping_drop(container_of(link, struct mapping, link), NULL);
    }
    gone_count = 0; /* the next kernel has the same addresses again */
}

void mapping_leaks(struct leak_visitor *visitor)
{
    list_for_each (link, &mappings) {
        const struct mapping *mapping = container_of(link, struct mapping, link);
        char where[NT_ORIGIN_MAX];
        nt_origin_text(&mapping->from, where, sizeof(where));
        leak(visitor, "mapping", "%zu page(s) of an MDL, mapped at %s", mapping->page_count, where);
    }
}

/* ---- Making ---------------------------------------------------------------------------------- */

MDL *mdl_new(uintptr_t address, uint64_t length, bool internal, const void *caller)
{
    size_t pages = ADDRESS_AND_SIZE_TO_SPAN_PAGES(address, length);
    struct pool_request request = {.size = sizeof(MDL) + pages * sizeof(PFN_NUMBER),
                                   .tag = MDL_TAG,
                                   .zeroed = true,
                                   .internal = internal,
                                   .caller = caller};
    MDL *mdl;

    if (length > MDL_BYTES_MAX) {
        return NULL;
    }
    mdl = pool_allocate(&request);
    if (mdl) {
        mdl->Size = (CSHORT)request.size; /* wraps for long lists, as on Windows */
        mdl->StartVa = (void *)(address & ~(uintptr_t)(PAGE_SIZE - 1));
        mdl->ByteOffset = BYTE_OFFSET(address);
        mdl->ByteCount = (ULONG)length;
    }
    return mdl;
}

struct _MDL *nt_mdl_from_frames(const uint64_t *frames, size_t page_count, size_t byte_offset,
                                size_t byte_count)
{
    MDL *mdl;

    if (byte_offset >= PAGE_SIZE || byte_count > page_count * PAGE_SIZE - byte_offset) {
        return NULL;
    }
    mdl = mdl_new(byte_offset, byte_count, true, __builtin_return_address(0));
    if (mdl) {
        memcpy(MmGetMdlPfnArray(mdl), frames, page_count_of(mdl) * sizeof(PFN_NUMBER));
        mdl->MdlFlags = MDL_PAGES_LOCKED | MDL_WRITE_OPERATION;
    }
    return mdl;
}

void nt_mdl_free(struct _MDL *mdl)
{
    if (!mdl) {
        return;
    }
    list_for_each_safe (link, &mappings) {
        struct mapping *mapping = container_of(link, struct mapping, link);
        if (mapping->mdl == mdl) {
            mapping_drop(mapping, NULL);
        }
    }
    nt_memory_free(mdl);
}

const uint64_t *nt_mdl_frames(const struct _MDL *mdl, size_t *page_count)
{
    *page_count = page_count_of(mdl);
    return (const uint64_t *)MmGetMdlPfnArray(mdl);
}

PMDL NTAPI IoAllocateMdl(PVOID VirtualAddress, ULONG Length, BOOLEAN SecondaryBuffer,
                         BOOLEAN ChargeQuota, PIRP Irp)
{
    struct export_call call = NT_EXPORT_CALL(IoAllocateMdl);
    MDL *mdl = mdl_new((uintptr_t)VirtualAddress, Length, false, call.caller);

    if (mdl && Irp) {
        MDL **place = &Irp->MdlAddress;
        while (SecondaryBuffer && *place) {
            place = &(*place)->Next;
        }
        *place = mdl;
    }
    return mdl;
}

VOID NTAPI IoFreeMdl(PMDL Mdl)
{
    struct export_call call = NT_EXPORT_CALL(IoFreeMdl);
    struct mapping *mapping = mapping_of(Mdl, false);

    drop_user_mappings(Mdl, &call);
    if (mapping && !(Mdl->MdlFlags & MDL_PARTIAL)) {
        misuse(NT_MISUSE_MDL, &call, "frees an MDL that is mapped");
    }
    if (mapping) {
        mapping_drop(mapping, call.caller);
    }
    if (Mdl->MdlFlags & MDL_PAGES_LOCKED && !(Mdl->MdlFlags & MDL_PARTIAL)) {
        misuse(NT_MISUSE_MDL, &call, "frees an MDL whose pages are locked");
    }
    pool_free(Mdl, MDL_TAG, &call);
}

SIZE_T NTAPI MmSizeOfMdl(PVOID Base, SIZE_T Length)
{
    NT_EXPORT_ENTER(MmSizeOfMdl);
    return sizeof(MDL) + ADDRESS_AND_SIZE_TO_SPAN_PAGES(Base, Length) * sizeof(PFN_NUMBER);
}

/* ---- Filling --------------------------------------------------------------------------------- */

/* The frames behind the MDL's address range; false if some of it is not the machine's memory. */
static bool fill_frames(MDL *mdl)
{
    PFN_NUMBER *frames = MmGetMdlPfnArray(mdl);
    size_t pages = page_count_of(mdl);

    for (size_t i = 0; i < pages; i++) {
        uint64_t physical;
        if (!driver_physical_of((char *)mdl->StartVa + i * PAGE_SIZE, &physical)) {
            return false;
        }
        frames[i] = physical >> PAGE_SHIFT;
    }
    return true;
}

VOID NTAPI MmBuildMdlForNonPagedPool(PMDL MemoryDescriptorList)
{
    struct export_call call = NT_EXPORT_CALL(MmBuildMdlForNonPagedPool);
    MDL *mdl = MemoryDescriptorList;
    struct nt_pool_block block;

    if (mdl->MdlFlags & (MDL_PAGES_LOCKED | MDL_MAPPED_TO_SYSTEM_VA | MDL_PARTIAL)) {
        misuse(NT_MISUSE_MDL, &call, "the MDL is in use (flags 0x%x)", mdl->MdlFlags & 0xFFFF);
        return;
    }
    if (nt_pool_find(MmGetMdlVirtualAddress(mdl), &block) && strcmp(block.type, "paged") == 0) {
        misuse(NT_MISUSE_MDL, &call, "the memory is paged pool");
    }
    if (!fill_frames(mdl)) {
        misuse(NT_MISUSE_ADDRESS, &call, "%p is not in the machine's memory",
               MmGetMdlVirtualAddress(mdl));
        return;
    }
    mdl->MdlFlags |= MDL_SOURCE_IS_NONPAGED_POOL;
    mdl->MappedSystemVa = MmGetMdlVirtualAddress(mdl);
}

VOID NTAPI MmProbeAndLockPages(PMDL MemoryDescriptorList, KPROCESSOR_MODE AccessMode,
                               LOCK_OPERATION Operation)
{
    struct export_call call = NT_EXPORT_CALL(MmProbeAndLockPages);
    MDL *mdl = MemoryDescriptorList;

    if (mdl->MdlFlags & (MDL_PAGES_LOCKED | MDL_SOURCE_IS_NONPAGED_POOL | MDL_PARTIAL)) {
        misuse(NT_MISUSE_MDL, &call, "the MDL is in use (flags 0x%x)", mdl->MdlFlags & 0xFFFF);
        return;
    }
    if ((AccessMode != KernelMode &&
         !user_range_accept(MmGetMdlVirtualAddress(mdl), mdl->ByteCount)) ||
        !fill_frames(mdl)) {
        raise_status(STATUS_ACCESS_VIOLATION);
    }
    special_lock(MmGetMdlVirtualAddress(mdl));
    mdl->MdlFlags |= MDL_PAGES_LOCKED;
    if (Operation != IoReadAccess) {
        mdl->MdlFlags |= MDL_WRITE_OPERATION;
    }
}

VOID NTAPI MmUnlockPages(PMDL MemoryDescriptorList)
{
    struct export_call call = NT_EXPORT_CALL(MmUnlockPages);
    MDL *mdl = MemoryDescriptorList;
    struct mapping *mapping = mapping_of(mdl, false);

    if (!(mdl->MdlFlags & MDL_PAGES_LOCKED)) {
        misuse(NT_MISUSE_MDL, &call, "the MDL's pages are not locked");
        return;
    }
    drop_user_mappings(mdl, &call);
    if (mapping) { /* Windows unmaps too */
        mapping_drop(mapping, call.caller);
        mdl->MappedSystemVa = NULL;
    }
    mdl->MdlFlags &= ~(MDL_PAGES_LOCKED | MDL_WRITE_OPERATION | MDL_MAPPED_TO_SYSTEM_VA);
}

/* ---- Mapping --------------------------------------------------------------------------------- */

/* A new view of the MDL's pages; NULL if there is no room for it. */
static struct mapping *mapping_new(MDL *mdl, bool writable, bool user,
                                   const struct export_call *call)
{
    struct mapping *mapping =
        allocation_fails(MDL_TAG, 0, call->caller) ? NULL : calloc(1, sizeof(*mapping));

    if (!mapping) {
        return NULL;
    }
    mapping->mdl = mdl;
    mapping->user = user;
    mapping->page_count = page_count_of(mdl);
    mapping->offset = mdl->ByteOffset;
    mapping->size = mdl->ByteCount;
    mapping->from = origin_of(call->caller);
    mapping->view =
        ram_map_frames((const uint64_t *)MmGetMdlPfnArray(mdl), mapping->page_count, writable);
    if (!mapping->view) {
        allocation_failed();
        free(mapping);
        return NULL;
    }
    list_push_back(&mappings, &mapping->link);
    return mapping;
}

static void *map_for_system(MDL *mdl, bool writable, const struct export_call *call)
{
    struct mapping *mapping;

    if (mdl->MdlFlags & (MDL_MAPPED_TO_SYSTEM_VA | MDL_SOURCE_IS_NONPAGED_POOL)) {
        misuse(NT_MISUSE_MDL, call, "the MDL is mapped already");
        return mdl->MappedSystemVa;
    }
    if (!(mdl->MdlFlags & (MDL_PAGES_LOCKED | MDL_PARTIAL))) {
        misuse(NT_MISUSE_MDL, call, "the MDL's pages are not locked");
        return NULL;
    }
    mapping = mapping_new(mdl, writable, false, call);
    if (!mapping) {
        return NULL;
    }
    mdl->MappedSystemVa = (char *)mapping->view + mdl->ByteOffset;
    mdl->MdlFlags |= MDL_MAPPED_TO_SYSTEM_VA;
    if (mdl->MdlFlags & MDL_PARTIAL) {
        mdl->MdlFlags |= MDL_PARTIAL_HAS_BEEN_MAPPED;
    }
    return mdl->MappedSystemVa;
}

/* Beside whatever the system sees of it; nonpaged pool may be shown to clients, too. */
static void *map_for_client(MDL *mdl, bool writable, const struct export_call *call)
{
    struct mapping *mapping;

    export_irql_above(call, APC_LEVEL);
    if (!(mdl->MdlFlags & (MDL_PAGES_LOCKED | MDL_PARTIAL | MDL_SOURCE_IS_NONPAGED_POOL))) {
        misuse(NT_MISUSE_MDL, call, "the MDL's pages are not locked");
        return NULL;
    }
    mapping = mapping_new(mdl, writable, true, call);
    if (!mapping) {
        raise_status(STATUS_INSUFFICIENT_RESOURCES);
    }
    return (char *)mapping->view + mdl->ByteOffset;
}

PVOID NTAPI MmMapLockedPagesSpecifyCache(PMDL MemoryDescriptorList, KPROCESSOR_MODE AccessMode,
                                         MEMORY_CACHING_TYPE CacheType, PVOID RequestedAddress,
                                         ULONG BugCheckOnFailure, ULONG Priority)
{
    struct export_call call = NT_EXPORT_CALL(MmMapLockedPagesSpecifyCache);
    bool writable = !(Priority & MdlMappingNoWrite);
    void *address;

    if (AccessMode != KernelMode) {
        return map_for_client(MemoryDescriptorList, writable, &call);
    }
    address = map_for_system(MemoryDescriptorList, writable, &call);
    if (!address && BugCheckOnFailure) {
        bugcheck_from(call.caller, NO_MORE_SYSTEM_PTES, 0, 0, 0, 0);
    }
    return address;
}

PVOID NTAPI MmMapLockedPages(PMDL MemoryDescriptorList, KPROCESSOR_MODE AccessMode)
{
    struct export_call call = NT_EXPORT_CALL(MmMapLockedPages);
    void *address;

    if (AccessMode != KernelMode) {
        return map_for_client(MemoryDescriptorList, true, &call);
    }
    address = map_for_system(MemoryDescriptorList, true, &call);
    if (!address) {
        bugcheck_from(call.caller, NO_MORE_SYSTEM_PTES, 0, 0, 0, 0);
    }
    return address;
}

static void unmap(MDL *mdl, const void *address, const struct export_call *call)
{
    struct mapping *mapping = user_mapping_at(mdl, address);

    if (mapping) {
        export_irql_above(call, APC_LEVEL);
        mapping_drop(mapping, call->caller);
        return;
    }
    mapping = mapping_of(mdl, false);
    if (!mapping || address != mdl->MappedSystemVa) {
        misuse(NT_MISUSE_MAPPING, call,
               mapping ? "%p is not where the MDL is mapped" : "%p: the MDL is not mapped",
               address);
        return;
    }
    mapping_drop(mapping, call->caller);
    mdl->MappedSystemVa = NULL;
    mdl->MdlFlags &= ~(MDL_MAPPED_TO_SYSTEM_VA | MDL_PARTIAL_HAS_BEEN_MAPPED);
}

VOID NTAPI MmUnmapLockedPages(PVOID BaseAddress, PMDL MemoryDescriptorList)
{
    struct export_call call = NT_EXPORT_CALL(MmUnmapLockedPages);
    unmap(MemoryDescriptorList, BaseAddress, &call);
}

VOID NTAPI IoBuildPartialMdl(PMDL SourceMdl, PMDL TargetMdl, PVOID VirtualAddress, ULONG Length)
{
    struct export_call call = NT_EXPORT_CALL(IoBuildPartialMdl);
    /* Counted, for of pages alone it is 0. */
    uintptr_t source = (uintptr_t)SourceMdl->StartVa + SourceMdl->ByteOffset;
    uintptr_t begin = (uintptr_t)VirtualAddress;
    size_t first, pages, room;

    if (begin < source || begin - source > SourceMdl->ByteCount) {
        misuse(NT_MISUSE_MDL, &call, "the part begins outside the source MDL");
        return;
    }
    if (Length == 0) {
        Length = SourceMdl->ByteCount - (ULONG)(begin - source);
    }
    pages = ADDRESS_AND_SIZE_TO_SPAN_PAGES(begin, Length);
    room = ((size_t)(USHORT)TargetMdl->Size - sizeof(MDL)) / sizeof(PFN_NUMBER);
    if (Length > SourceMdl->ByteCount - (begin - source) || pages > room) {
        misuse(NT_MISUSE_MDL, &call, "%u bytes do not fit the source or the target MDL", Length);
        return;
    }
    first = (begin - (uintptr_t)SourceMdl->StartVa) >> PAGE_SHIFT;
    memcpy(MmGetMdlPfnArray(TargetMdl), MmGetMdlPfnArray(SourceMdl) + first,
           pages * sizeof(PFN_NUMBER));
    TargetMdl->StartVa = PAGE_ALIGN(begin);
    TargetMdl->ByteOffset = BYTE_OFFSET(begin);
    TargetMdl->ByteCount = Length;
    TargetMdl->MdlFlags &= ~MDL_SOURCE_IS_NONPAGED_POOL; /* of what it showed before */
    TargetMdl->MdlFlags |= MDL_PARTIAL;
    if (SourceMdl->MdlFlags & (MDL_MAPPED_TO_SYSTEM_VA | MDL_SOURCE_IS_NONPAGED_POOL)) {
        TargetMdl->MdlFlags |= MDL_SOURCE_IS_NONPAGED_POOL;
        TargetMdl->MappedSystemVa = (char *)SourceMdl->MappedSystemVa + (begin - source);
    }
}

NTSTATUS NTAPI MmAdvanceMdl(PMDL Mdl, ULONG NumberOfBytes)
{
    size_t before, pages;

    NT_EXPORT_ENTER(MmAdvanceMdl);
    if (NumberOfBytes >= Mdl->ByteCount) {
        return STATUS_INVALID_PARAMETER_2;
    }
    before = page_count_of(Mdl);
    pages = (Mdl->ByteOffset + (size_t)NumberOfBytes) >> PAGE_SHIFT;
    memmove(MmGetMdlPfnArray(Mdl), MmGetMdlPfnArray(Mdl) + pages,
            (before - pages) * sizeof(PFN_NUMBER));
    Mdl->StartVa = (char *)Mdl->StartVa + pages * PAGE_SIZE;
    Mdl->ByteOffset = (Mdl->ByteOffset + NumberOfBytes) & (PAGE_SIZE - 1);
    Mdl->ByteCount -= NumberOfBytes;
    if (Mdl->MappedSystemVa) {
        Mdl->MappedSystemVa = (char *)Mdl->MappedSystemVa + NumberOfBytes;
    }
    return STATUS_SUCCESS;
}

/* Protections of a view are not changed later: the request is refused, which drivers must bear. */
NTSTATUS NTAPI MmProtectMdlSystemAddress(PMDL MemoryDescriptorList, ULONG NewProtect)
{
    struct export_call call = NT_EXPORT_CALL(MmProtectMdlSystemAddress);

    if (!(MemoryDescriptorList->MdlFlags & MDL_MAPPED_TO_SYSTEM_VA)) {
        misuse(NT_MISUSE_MDL, &call, "the MDL is not mapped");
        return STATUS_NOT_MAPPED_VIEW;
    }
    return NewProtect == PAGE_READWRITE || NewProtect == PAGE_EXECUTE_READWRITE
               ? STATUS_SUCCESS
               : STATUS_NOT_SUPPORTED;
}

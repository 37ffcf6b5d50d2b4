/* nt/mm_pages.c: pages that a driver asks for by themselves, MmAllocatePagesForMdl and relatives.
 *
 * Which pages belong to which MDL is kept here: what the MDL says is the driver's to spoil. */
#include "nt/internal.h"

#include <stdlib.h>
#include <string.h>

#define PAGES_BYTES_MAX (UINT64_C(2) << 30)

struct owned_pages {
    struct list link;
    const MDL *mdl; /* by its address alone: it may be freed */
    struct nt_origin from;
    size_t count;
    uint64_t frames[];
};

static struct list all_owned = {&all_owned, &all_owned};

static void own(struct owned_pages *owned, MDL *mdl, size_t count)
{
    owned->mdl = mdl;
    owned->count = count;
    memcpy(owned->frames, MmGetMdlPfnArray(mdl), count * sizeof(owned->frames[0]));
    list_push_back(&all_owned, &owned->link);
}

static struct owned_pages *owned_by(const MDL *mdl)
{
    list_for_each (link, &all_owned) {
        struct owned_pages *owned = container_of(link, struct owned_pages, link);
        if (owned->mdl == mdl) {
            return owned;
        }
    }
    return NULL;
}

static void give_back(struct owned_pages *owned)
{
    ram_free_frames(owned->frames, owned->count);
    list_remove(&owned->link);
    free(owned);
}

void pages_stop(void)
{
    list_for_each_safe (link, &all_owned) {
        struct owned_pages *owned = container_of(link, struct owned_pages, link);
        list_remove(&owned->link); /* the frames go with the machine */
        free(owned);
    }
}

void pages_leaks(struct leak_visitor *visitor)
{
    list_for_each (link, &all_owned) {
        const struct owned_pages *owned = container_of(link, struct owned_pages, link);
        char where[NT_ORIGIN_MAX];
        nt_origin_text(&owned->from, where, sizeof(where));
        leak(visitor, "pages", "%zu page(s) of MmAllocatePagesForMdl, from %s", owned->count,
             where);
    }
}

static void clear_pages(const uint64_t *frames, size_t page_count)
{
    for (size_t i = 0; i < page_count; i++) {
        memset(ram_at(frames[i] << PAGE_SHIFT, PAGE_SIZE), 0, PAGE_SIZE);
    }
}

/* All or as many as there are: half as many each time it fails. */
static size_t allocate_frames(struct ram_request *request, uint64_t *frames, bool all,
                              bool contiguous)
{
    for (; request->page_count > 0; request->page_count /= 2) {
        NTSTATUS status =
            contiguous ? ram_alloc_contiguous(request, frames) : ram_alloc_frames(request, frames);
        if (NT_SUCCESS(status)) {
            for (size_t i = 1; contiguous && i < request->page_count; i++) {
                frames[i] = frames[0] + i;
            }
            return request->page_count;
        }
        allocation_failed();
        if (all) {
            break;
        }
    }
    return 0;
}

static MDL *allocate_pages(PHYSICAL_ADDRESS low, PHYSICAL_ADDRESS high, PHYSICAL_ADDRESS skip,
                           SIZE_T size, ULONG flags, const struct export_call *call)
{
    struct ram_request request = {.low = (uint64_t)low.QuadPart,
                                  .high = high.QuadPart < 0 ? 0 : (uint64_t)high.QuadPart,
                                  .page_count = (size + PAGE_SIZE - 1) / PAGE_SIZE,
                                  .leaves_rest = true};
    bool contiguous = (flags & MM_ALLOCATE_REQUIRE_CONTIGUOUS_CHUNKS) != 0;
    struct owned_pages *owned;
    size_t got;
    MDL *mdl;

    if (size == 0 || size > PAGES_BYTES_MAX || request.page_count > ram_bytes() / PAGE_SIZE) {
        return NULL;
    }
    if (contiguous && skip.QuadPart > 0) { /* here SkipBytes is the size of a chunk */
        request.alignment = (uint64_t)skip.QuadPart;
    }
    owned = malloc(sizeof(*owned) + request.page_count * sizeof(owned->frames[0]));
    mdl = owned ? mdl_new(0, request.page_count * PAGE_SIZE, false, call->caller) : NULL;
    if (!mdl) {
        goto err_free_owned;
    }
    got = allocate_frames(&request, (uint64_t *)MmGetMdlPfnArray(mdl),
                          (flags & MM_ALLOCATE_FULLY_REQUIRED) != 0, contiguous);
    if (got == 0) {
        goto err_free_mdl;
    }
    if (!(flags & MM_DONT_ZERO_ALLOCATION)) {
        clear_pages((const uint64_t *)MmGetMdlPfnArray(mdl), got);
    }
    mdl->ByteCount = (ULONG)(got * PAGE_SIZE);
    mdl->MdlFlags = MDL_PAGES_LOCKED | MDL_WRITE_OPERATION;
    own(owned, mdl, got);
    owned->from = origin_of(call->caller);
    return mdl;

err_free_mdl:
    pool_free(mdl, MDL_TAG, call);
err_free_owned:
    free(owned);
    return NULL;
}

PMDL NTAPI MmAllocatePagesForMdl(PHYSICAL_ADDRESS LowAddress, PHYSICAL_ADDRESS HighAddress,
                                 PHYSICAL_ADDRESS SkipBytes, SIZE_T TotalBytes)
{
    struct export_call call = NT_EXPORT_CALL(MmAllocatePagesForMdl);
    return allocate_pages(LowAddress, HighAddress, SkipBytes, TotalBytes, 0, &call);
}

PMDL NTAPI MmAllocatePagesForMdlEx(PHYSICAL_ADDRESS LowAddress, PHYSICAL_ADDRESS HighAddress,
                                   PHYSICAL_ADDRESS SkipBytes, SIZE_T TotalBytes,
                                   MEMORY_CACHING_TYPE CacheType, ULONG Flags)
{
    struct export_call call = NT_EXPORT_CALL(MmAllocatePagesForMdlEx);
    return allocate_pages(LowAddress, HighAddress, SkipBytes, TotalBytes, Flags, &call);
}

static void free_pages(MDL *mdl, const struct export_call *call)
{
    struct owned_pages *owned = owned_by(mdl);

    if (!owned) {
        misuse(NT_MISUSE_MDL, call, "the MDL is not from MmAllocatePagesForMdl, or is freed");
        return;
    }
    mdl_unmap_freed(mdl, call);
    if (memcmp(owned->frames, MmGetMdlPfnArray(mdl), owned->count * sizeof(owned->frames[0])) !=
        0) {
        misuse(NT_MISUSE_MDL, call, "the MDL's pages are not those that it was allocated with");
    }
    give_back(owned);
    mdl->MdlFlags &= ~(MDL_PAGES_LOCKED | MDL_MAPPED_TO_SYSTEM_VA);
}

/* Frees the pages; the MDL itself is freed by ExFreePool. */
VOID NTAPI MmFreePagesFromMdl(PMDL MemoryDescriptorList)
{
    struct export_call call = NT_EXPORT_CALL(MmFreePagesFromMdl);
    free_pages(MemoryDescriptorList, &call);
}

MDL *nt_pages_allocate(const struct nt_given_request *request, const void *caller)
{
    const struct export_call call = {EXPORT_ID_MmAllocatePagesForMdlEx, caller};
    const PHYSICAL_ADDRESS low = {.QuadPart = (LONGLONG)request->low};
    const PHYSICAL_ADDRESS high = {.QuadPart = request->high ? (LONGLONG)request->high : -1};
    const PHYSICAL_ADDRESS skip = {.QuadPart = (LONGLONG)request->skip};

    return allocate_pages(low, high, skip, request->size,
                          request->flags | MM_ALLOCATE_FULLY_REQUIRED, &call);
}

void nt_pages_free(MDL *mdl, const void *caller)
{
    const struct export_call call = {EXPORT_ID_MmFreePagesFromMdl, caller};

    free_pages(mdl, &call);
    (void)pool_free(mdl, MDL_TAG, &call);
}

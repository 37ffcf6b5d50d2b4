/* ddi/memory.c: memory that drivers ask the graphics kernel for, so that it is in the domain of the
 * IOMMU: objects of physical memory with their views and address descriptor lists (WDDM 2.9).
 *
 *      Create ─> object ── Open, or hAdapter ──> adapter's object ── AllocateAdl ──> addresses
 *                  └── Map ──> views of CPUs
 *
 * Pages are mapped one to one: a logical address is the physical one. Handles are numbers, so that
 * one of something else is found. */
#include "ddi/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PHYSICAL_HANDLES UINT64_C(0xD100000000000000)
#define ADAPTER_HANDLES  UINT64_C(0xD200000000000000)
#define ADL_TAG          0x6C644144u /* "DAdl" */
#define OBJECT_BYTES_MAX (UINT64_C(1) << 30)

#define BUGCHECK_SYSMM          0x1E4u /* VIDEO_DXGKRNL_SYSMM_FATAL_ERROR */
#define SYSMM_UNLOCKED_WITH_ADL 5u
#define SYSMM_OBJECT_LEAKED     6u
#define SYSMM_ADL_LEAKED        7u

struct memory_view {
    struct list link;
    void *address;
    size_t page_count;
    size_t size; /* of a view of BARs, which may end inside a page; else whole pages */
    uint64_t physical;
};

struct memory_adl {
    struct list link;
    DXGK_ADL adl; /* the driver's to read */
    const void *caller;
    DXGK_PAGE_NUMBER pages[];
};

static struct list objects = {&objects, &objects};
static uint64_t last_number;

static HANDLE physical_handle(const struct memory_object *object)
{
    return (HANDLE)(PHYSICAL_HANDLES + object->number * 16);
}

static HANDLE adapter_handle(const struct memory_object *object)
{
    return (HANDLE)(ADAPTER_HANDLES + object->number * 16);
}

struct memory_object *memory_find_physical(HANDLE handle, enum contract_point made_by)
{
    list_for_each (link, &objects) {
        struct memory_object *object = container_of(link, struct memory_object, link);
        if (physical_handle(object) == handle && !object->destroyed && object->made_by == made_by) {
            return object;
        }
    }
    return NULL;
}

static struct memory_object *find_opened(HANDLE handle)
{
    list_for_each (link, &objects) {
        struct memory_object *object = container_of(link, struct memory_object, link);
        if (adapter_handle(object) == handle && object->adapter) {
            return object;
        }
    }
    return NULL;
}

void memory_complain_of_handle(const struct ddi_callback *callback, HANDLE handle)
{
    nt_misuse(NT_MISUSE_ARGUMENT, contract_point_info(callback->contract.point)->name,
              callback->caller, "%p is no handle of this kind, or what it was of is gone",
              (void *)handle);
}

/* ---- Objects --------------------------------------------------------------------------------- */

struct memory_object *memory_object_new(struct ddi_adapter *adapter, size_t page_count,
                                        const struct ddi_callback *callback)
{
    struct memory_object *object =
        calloc(1, sizeof *object + page_count * sizeof object->frames[0]);

    if (!object) {
        return NULL;
    }
    object->number = ++last_number;
    object->adapter = adapter;
    object->page_count = page_count;
    object->caller = callback->caller;
    object->made_by = callback->contract.point;
    list_init(&object->views);
    list_init(&object->adls);
    return object;
}

HANDLE memory_keep(struct memory_object *object)
{
    list_push_back(&objects, &object->link);
    return physical_handle(object);
}

static bool is_of_bars(const struct memory_object *object)
{
    return object->type == DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE;
}

/* Contiguous memory keeps what its last owner left; pages of an MDL or a section are zeros. */
static void clear(const struct memory_object *object)
{
    for (size_t i = 0; i < object->page_count; i++) {
        void *page = ram_at(object->frames[i] << PAGE_SHIFT, PAGE_SIZE);
        if (object->type != DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY ||
            !machine_old_bytes(page, PAGE_SIZE)) {
            memset(page, 0, PAGE_SIZE);
        }
    }
}

uint64_t memory_highest(PHYSICAL_ADDRESS address)
{
    return address.QuadPart < 0 ? 0 : (uint64_t)address.QuadPart;
}

static bool take_contiguous(struct memory_object *object,
                            const DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT *asked)
{
    const struct ram_request request = {
        .page_count = object->page_count,
        .low = (uint64_t)asked->ContiguousMemory.LowestAcceptableAddress.QuadPart,
        .high = memory_highest(asked->ContiguousMemory.HighestAcceptableAddress),
        .boundary = (uint64_t)asked->ContiguousMemory.BoundaryAddressMultiple.QuadPart,
        .leaves_rest = true,
    };

    if ((request.boundary & (request.boundary - 1)) != 0 ||
        !NT_SUCCESS(ram_alloc_contiguous(&request, &object->frames[0]))) {
        return false;
    }
    for (size_t i = 1; i < object->page_count; i++) {
        object->frames[i] = object->frames[0] + i;
    }
    return true;
}

/* Its pages are taken as the kind of object wants them. */
static bool take_pages(struct memory_object *object,
                       const DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT *asked)
{
    struct ram_request request = {.page_count = object->page_count, .leaves_rest = true};
    bool taken = true;

    switch (asked->Type) {
    case DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY:
        taken = take_contiguous(object, asked);
        break;
    case DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE: /* nothing is taken: they are there */
        for (size_t i = 0; i < object->page_count; i++) {
            object->frames[i] = ((uint64_t)asked->IOSpace.BaseAddress.QuadPart >> PAGE_SHIFT) + i;
        }
        return true;
    case DXGK_PHYSICAL_MEMORY_TYPE_MDL:
        request.low = (uint64_t)asked->Mdl.LowAddress.QuadPart;
        request.high = memory_highest(asked->Mdl.HighAddress);
        taken = NT_SUCCESS(ram_alloc_frames(&request, object->frames));
        break;
    case DXGK_PHYSICAL_MEMORY_TYPE_SECTION:
        taken = NT_SUCCESS(ram_alloc_frames(&request, object->frames));
        break;
    }
    if (taken) {
        clear(object);
    }
    return taken;
}

/* Memory, or registers. Only of these is a view made: what large memory shows may be no view. */
static bool is_on_bus(uint64_t physical, uint64_t size)
{
    void *view;

    if (bus_has_memory_at(physical, size) || pci_is_memory(physical, size)) {
        return true;
    }
    view = size <= OBJECT_BYTES_MAX ? io_map(physical, size) : NULL;
    return view && io_unmap(view, size);
}

/* Whoever uses it later is told who took it away, if somebody of the driver's did. */
static void view_drop(const struct memory_object *object, struct memory_view *view,
                      const void *caller)
{
    if (caller) {
        nt_mapping_gone(view->address, view->size, is_of_bars(object) ? "device" : "memory object",
                        view->physical, caller);
    }
    if (is_of_bars(object)) {
        CHECK_THAT(io_unmap(view->address, view->size));
    } else {
        ram_unmap_frames(view->address, view->page_count);
    }
    list_remove(&view->link);
    free(view);
}

static void adl_drop(struct memory_adl *adl)
{
    list_remove(&adl->link);
    nt_memory_free(adl);
}

void memory_object_drop(struct memory_object *object, const void *caller)
{
    list_for_each_safe (link, &object->views) {
        view_drop(object, container_of(link, struct memory_view, link), caller);
    }
    list_for_each_safe (link, &object->adls) {
        adl_drop(container_of(link, struct memory_adl, link));
    }
    if (object->page_count && object->type == DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY) {
        ram_free_contiguous(object->frames[0], object->page_count);
    } else if (object->page_count && !is_of_bars(object)) {
        ram_free_frames(object->frames, object->page_count);
    }
    list_remove(&object->link);
    free(object);
}

struct found {
    enum contract_point point;
    unsigned subcode; /* of bug check 0x1E4 */
    const char *text;
    const void *caller; /* who made what is left */
};

static void breach(const struct memory_object *object, const struct found *found)
{
    char where[NT_ORIGIN_MAX];

    nt_origin_text(&(struct nt_origin){.caller = found->caller}, where, sizeof where);
    contract_breach(
        &(struct contract_finding){
            .rule = CONTRACT_JUDGES(PNP_014),
            .ddi = contract_point_info(found->point)->name,
            .object = object->adapter ? object->adapter->object : 0,
            .bugcheck = BUGCHECK_SYSMM,
            .bugcheck_arguments = {found->subcode},
        },
        "lists of addresses freed before their memory goes, and both before the adapter is gone",
        "%s, made at %s", found->text, where);
}

/* The memory is unlocked, or the object destroyed whose other half keeps it: no list may describe
 * it. Of one object that is told once. */
static void judge_lists(struct memory_object *object, const struct ddi_callback *callback)
{
    contract_count(RULE_PNP_014);
    if (!list_empty(&object->adls) && !object->lists_are_told) {
        object->lists_are_told = true;
        breach(object, &(struct found){callback->contract.point, SYSMM_UNLOCKED_WITH_ADL,
                                       "memory goes that a list of addresses still describes",
                                       object->caller});
    }
}

/* And no device may go there by itself. */
static void judge_unlocked(const struct memory_object *object, const struct ddi_callback *callback)
{
    char what[128];

    for (size_t i = 0; i < object->page_count && !is_of_bars(object); i++) {
        if (pci_device_goes_to(object->frames[i] << PAGE_SHIFT, PAGE_SIZE, what, sizeof what)) {
            nt_misuse(NT_MISUSE_POOL_IN_USE, contract_point_info(callback->contract.point)->name,
                      callback->caller, "frees memory that the device goes to by itself: %s", what);
            break;
        }
    }
}

/* ---- Objects of physical memory -------------------------------------------------------------- */

static NTSTATUS create(struct ddi_adapter *adapter, const struct ddi_callback *callback,
                       DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT *asked)
{
    size_t page_count = (asked->Size + PAGE_SIZE - 1) >> PAGE_SHIFT;
    struct memory_object *object;

    if (asked->Size == 0 || (unsigned)asked->Type > DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE ||
        (asked->Type == DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE &&
         asked->IOSpace.BaseAddress.QuadPart % PAGE_SIZE != 0)) {
        nt_misuse(NT_MISUSE_ARGUMENT, "DxgkCbCreatePhysicalMemoryObject", callback->caller,
                  "%llu bytes of type %d", (unsigned long long)asked->Size, (int)asked->Type);
        return STATUS_INVALID_PARAMETER;
    }
    if (asked->Type == DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE) {
        if (!is_on_bus((uint64_t)asked->IOSpace.BaseAddress.QuadPart, asked->Size)) {
            ddi_callback_denied(callback, "IO space at 0x%llx, %llu bytes, where no device is",
                                (unsigned long long)asked->IOSpace.BaseAddress.QuadPart,
                                (unsigned long long)asked->Size);
            ddi_callback_failed(STATUS_NO_MEMORY); /* to who asked, it comes to that */
            return STATUS_INVALID_PARAMETER;
        }
    } else if (asked->Size > OBJECT_BYTES_MAX) {
        return STATUS_NO_MEMORY;
    }
    object = nt_allocation_fails(asked->Size, callback->caller)
                 ? NULL
                 : memory_object_new(adapter, page_count, callback);
    if (!object) {
        return STATUS_NO_MEMORY;
    }
    object->type = asked->Type;
    object->size = is_of_bars(object) ? asked->Size : (uint64_t)page_count << PAGE_SHIFT;
    if (!take_pages(object, asked)) {
        free(object);
        return STATUS_NO_MEMORY;
    }
    asked->hPhysicalMemoryObject = memory_keep(object);
    asked->hAdapterMemoryObject = adapter ? adapter_handle(object) : NULL;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI cb_create_physical_memory(DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT *asked)
{
    struct ddi_adapter *adapter = NULL;
    struct ddi_callback callback;

    if (!asked ||
        (asked->hAdapter &&
         !(adapter = ddi_adapter_called(asked->hAdapter, POINT_CbCreatePhysicalMemoryObject)))) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!adapter) {
        ddi_callback_count(POINT_CbCreatePhysicalMemoryObject);
    }
    ddi_callback_enter(&callback, adapter ? adapter : ddi_current_adapter(),
                       POINT_CbCreatePhysicalMemoryObject, asked, asked->Size);
    return ddi_callback_leave(&callback, create(adapter, &callback, asked));
}

/* An object whose adapter's half is given stays until both are gone. */
static void let_go(struct memory_object *object, bool physical, bool opened,
                   const struct ddi_callback *callback)
{
    judge_lists(object, callback);
    if (opened) {
        judge_unlocked(object, callback);
        list_for_each_safe (link, &object->adls) {
            adl_drop(container_of(link, struct memory_adl, link));
        }
        object->adapter = NULL;
    }
    object->destroyed |= physical;
    if (object->destroyed && !object->adapter) {
        memory_object_drop(object, callback->caller);
    }
}

static void NTAPI cb_destroy_physical_memory(const DXGKARGCB_DESTROY_PHYSICAL_MEMORY_OBJECT *asked)
{
    struct ddi_callback callback;
    struct memory_object *object;

    ddi_callback_count(POINT_CbDestroyPhysicalMemoryObject);
    ddi_callback_enter(&callback, ddi_current_adapter(), POINT_CbDestroyPhysicalMemoryObject,
                       (void *)(uintptr_t)asked, 0);
    object = asked ? memory_find_physical(asked->hPhysicalMemoryObject,
                                          POINT_CbCreatePhysicalMemoryObject)
                   : NULL;
    if (!object ||
        (asked->hAdapterMemoryObject && find_opened(asked->hAdapterMemoryObject) != object)) {
        memory_complain_of_handle(&callback, asked && !object ? asked->hPhysicalMemoryObject
                                             : asked          ? asked->hAdapterMemoryObject
                                                              : NULL);
    } else {
        let_go(object, true, asked->hAdapterMemoryObject != NULL, &callback);
    }
    ddi_callback_leave(&callback, STATUS_SUCCESS);
}

static NTSTATUS NTAPI cb_open_physical_memory(DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT *asked)
{
    struct ddi_adapter *adapter =
        asked ? ddi_adapter_called(asked->hAdapter, POINT_CbOpenPhysicalMemoryObject) : NULL;
    struct ddi_callback callback;
    struct memory_object *object;

    if (!adapter) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbOpenPhysicalMemoryObject, asked, 0);
    object = memory_find_physical(asked->hPhysicalMemoryObject, POINT_CbCreatePhysicalMemoryObject);
    if (!object) {
        memory_complain_of_handle(&callback, asked->hPhysicalMemoryObject);
    } else if (object->adapter) {
        nt_misuse(NT_MISUSE_ARGUMENT, "DxgkCbOpenPhysicalMemoryObject", callback.caller,
                  "%p is opened already, by its DxgkCbCreatePhysicalMemoryObject with an hAdapter "
                  "or by an earlier call",
                  (void *)asked->hPhysicalMemoryObject);
    }
    if (!object || object->adapter) {
        return ddi_callback_leave(&callback, STATUS_INVALID_PARAMETER);
    }
    object->adapter = adapter;
    asked->hAdapterMemoryObject = adapter_handle(object);
    return ddi_callback_leave(&callback, STATUS_SUCCESS);
}

static void NTAPI cb_close_physical_memory(const DXGKARGCB_CLOSE_PHYSICAL_MEMORY_OBJECT *asked)
{
    struct ddi_callback callback;
    struct memory_object *object;

    ddi_callback_count(POINT_CbClosePhysicalMemoryObject);
    ddi_callback_enter(&callback, ddi_current_adapter(), POINT_CbClosePhysicalMemoryObject,
                       (void *)(uintptr_t)asked, 0);
    object = asked ? find_opened(asked->hAdapterMemoryObject) : NULL;
    if (object) {
        let_go(object, false, true, &callback);
    } else {
        memory_complain_of_handle(&callback, asked ? asked->hAdapterMemoryObject : NULL);
    }
    ddi_callback_leave(&callback, STATUS_SUCCESS);
}

/* ---- Views ----------------------------------------------------------------------------------- */

/* A BAR may be smaller than a page, and registers are not memory. */
static bool show(const struct memory_object *object, size_t first, struct memory_view *view)
{
    uint64_t left = object->size - ((uint64_t)first << PAGE_SHIFT);

    view->physical = object->frames[first] << PAGE_SHIFT;
    view->size = view->page_count << PAGE_SHIFT;
    if (is_of_bars(object)) {
        view->size = view->size < left ? view->size : left;
        view->address = io_map(view->physical, view->size);
    } else {
        view->address = ram_map_frames(&object->frames[first], view->page_count, true);
    }
    return view->address != NULL;
}

static NTSTATUS map(struct memory_object *object, const struct ddi_callback *callback,
                    DXGKARGCB_MAP_PHYSICAL_MEMORY *asked)
{
    size_t first = asked->Offset >> PAGE_SHIFT, inside = asked->Offset % PAGE_SIZE;
    struct memory_view *view;

    if (asked->Size == 0 || !range_fits(asked->Offset, asked->Size, object->size)) {
        nt_misuse(NT_MISUSE_ARGUMENT, "DxgkCbMapPhysicalMemory", callback->caller,
                  "%llu bytes at offset %llu of an object of %llu bytes",
                  (unsigned long long)asked->Size, (unsigned long long)asked->Offset,
                  (unsigned long long)object->size);
        return STATUS_INVALID_PARAMETER;
    }
    view = nt_allocation_fails(asked->Size, callback->caller) ? NULL : calloc(1, sizeof *view);
    if (!view) {
        return STATUS_NO_MEMORY;
    }
    view->page_count = (inside + asked->Size + PAGE_SIZE - 1) >> PAGE_SHIFT;
    if (!show(object, first, view)) {
        free(view);
        return STATUS_NO_MEMORY;
    }
    list_push_back(&object->views, &view->link);
    asked->pMappedAddress = view->address;
    asked->Offset = inside;
    asked->Size = view->size;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI cb_map_physical_memory(DXGKARGCB_MAP_PHYSICAL_MEMORY *asked)
{
    struct ddi_callback callback;
    struct memory_object *object;

    ddi_callback_count(POINT_CbMapPhysicalMemory);
    if (!asked) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, ddi_current_adapter(), POINT_CbMapPhysicalMemory, asked, 0);
    object = memory_find_physical(asked->hPhysicalMemoryObject, POINT_CbCreatePhysicalMemoryObject);
    if (!object) {
        memory_complain_of_handle(&callback, asked->hPhysicalMemoryObject);
        return ddi_callback_leave(&callback, STATUS_INVALID_PARAMETER);
    }
    return ddi_callback_leave(&callback, map(object, &callback, asked));
}

static void NTAPI cb_unmap_physical_memory(const DXGKARGCB_UNMAP_PHYSICAL_MEMORY *asked)
{
    struct ddi_callback callback;
    struct memory_object *object;
    bool found = false;

    ddi_callback_count(POINT_CbUnmapPhysicalMemory);
    ddi_callback_enter(&callback, ddi_current_adapter(), POINT_CbUnmapPhysicalMemory,
                       (void *)(uintptr_t)asked, 0);
    object = asked ? memory_find_physical(asked->hPhysicalMemoryObject,
                                          POINT_CbCreatePhysicalMemoryObject)
                   : NULL;
    if (object) {
        list_for_each_safe (link, &object->views) {
            struct memory_view *view = container_of(link, struct memory_view, link);
            if (view->address == asked->pBaseAddress) {
                view_drop(object, view, callback.caller);
                found = true;
            }
        }
    }
    if (!found) {
        nt_misuse(NT_MISUSE_ARGUMENT, "DxgkCbUnmapPhysicalMemory", callback.caller,
                  "no view of that object begins at %p", asked ? asked->pBaseAddress : NULL);
    }
    ddi_callback_leave(&callback, STATUS_SUCCESS);
}

/* ---- Address descriptor lists ---------------------------------------------------------------- */

static bool lies_in_one_piece(const struct memory_object *object)
{
    return object->type == DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY || is_of_bars(object);
}

/* One piece where that is asked for; else page by page, which a driver has to look at. */
static NTSTATUS make_adl(struct memory_object *object, const struct ddi_callback *callback,
                         DXGKARGCB_ALLOCATE_ADL *asked)
{
    size_t first = asked->Offset >> PAGE_SHIFT, count = asked->Size >> PAGE_SHIFT;
    bool one = lies_in_one_piece(object) &&
               (asked->Flags.RequireContiguous || asked->Flags.PreferContiguous);
    struct memory_adl *made;

    if (count == 0 || asked->Offset % PAGE_SIZE || asked->Size % PAGE_SIZE ||
        !range_fits(first, count, object->page_count) || asked->Flags.Reserved ||
        (asked->Flags.RequireContiguous && !lies_in_one_piece(object))) {
        nt_misuse(NT_MISUSE_ARGUMENT, "DxgkCbAllocateAdl", callback->caller,
                  "%llu bytes at offset %llu, flags 0x%x, of an object of %zu pages and type %d",
                  (unsigned long long)asked->Size, (unsigned long long)asked->Offset,
                  asked->Flags.Value, object->page_count, (int)object->type);
        return STATUS_INVALID_PARAMETER;
    }
    made = nt_allocation_fails(asked->Size, callback->caller)
               ? NULL
               : nt_memory_alloc(sizeof *made + count * sizeof made->pages[0], ADL_TAG);
    if (!made) {
        return STATUS_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        made->pages[i] = object->frames[first + i];
    }
    made->caller = callback->caller;
    made->adl.PageCount = (UINT32)count;
    made->adl.Flags.Contiguous = one;
    if (one) {
        made->adl.BasePageNumber = made->pages[0];
    } else {
        made->adl.Pages = made->pages;
    }
    list_push_back(&object->adls, &made->link);
    asked->pAdl = &made->adl;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI cb_allocate_adl(DXGKARGCB_ALLOCATE_ADL *asked)
{
    struct ddi_callback callback;
    struct memory_object *object;

    ddi_callback_count(POINT_CbAllocateAdl);
    if (!asked) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, ddi_current_adapter(), POINT_CbAllocateAdl, asked, 0);
    object = find_opened(asked->hAdapterMemoryObject);
    if (!object) {
        memory_complain_of_handle(&callback, asked->hAdapterMemoryObject);
        return ddi_callback_leave(&callback, STATUS_INVALID_PARAMETER);
    }
    return ddi_callback_leave(&callback, make_adl(object, &callback, asked));
}

static void NTAPI cb_free_adl(const DXGKARGCB_FREE_ADL *asked)
{
    struct memory_object *object = asked ? find_opened(asked->hAdapterMemoryObject) : NULL;
    struct ddi_callback callback;
    bool found = false;

    ddi_callback_count(POINT_CbFreeAdl);
    ddi_callback_enter(&callback, ddi_current_adapter(), POINT_CbFreeAdl, (void *)(uintptr_t)asked,
                       0);
    if (object) {
        list_for_each_safe (link, &object->adls) {
            struct memory_adl *adl = container_of(link, struct memory_adl, link);
            if (&adl->adl == asked->pAdl) {
                adl_drop(adl);
                found = true;
            }
        }
    }
    if (!found) {
        nt_misuse(NT_MISUSE_ARGUMENT, "DxgkCbFreeAdl", callback.caller,
                  "%p is no list of that object", asked ? (void *)asked->pAdl : NULL);
    }
    ddi_callback_leave(&callback, STATUS_SUCCESS);
}

/* ---- The end --------------------------------------------------------------------------------- */

/* What is left when the adapter is gone nobody can give back any more. Blocks and pages of WDDM 2.4
 * are told as leaks like any other, and so is, at the unload, what the rule of WDDM 2.9 does not
 * speak of: a mapping of 2.4, and memory that is open for nobody. */
void ddi_forget_memory(struct ddi_adapter *adapter)
{
    list_for_each_safe (link, &objects) {
        struct memory_object *object = container_of(link, struct memory_object, link);
        if (object->adapter != adapter) {
            continue;
        }
        if (object->made_by == POINT_CbMapMdlToIoMmu) {
            object->adapter = NULL;
            continue;
        }
        contract_count(RULE_PNP_014);
        if (!list_empty(&object->adls)) {
            struct memory_adl *adl = container_of(object->adls.next, struct memory_adl, link);
            breach(object, &(struct found){POINT_CbAllocateAdl, SYSMM_ADL_LEAKED,
                                           "the adapter is gone and a list of addresses is left",
                                           adl->caller});
        } else if (!object->block && !object->pages) {
            breach(object, &(struct found){object->made_by, SYSMM_OBJECT_LEAKED,
                                           "the adapter is gone and an object of memory is left",
                                           object->caller});
        }
        memory_object_drop(object, NULL);
    }
}

void ddi_leak_report(void (*visit)(void *ctx, const char *kind, const char *text), void *ctx)
{
    list_for_each_safe (link, &objects) {
        struct memory_object *object = container_of(link, struct memory_object, link);
        char where[NT_ORIGIN_MAX], text[NT_ORIGIN_MAX + 128];

        nt_origin_text(&(struct nt_origin){.caller = object->caller}, where, sizeof where);
        snprintf(text, sizeof text, "of %s, by %s", contract_point_info(object->made_by)->name,
                 where);
        visit(ctx, object->page_count ? "memory object" : "mapping", text);
        memory_object_drop(object, NULL);
    }
}

void ddi_fill_memory(DXGKRNL_INTERFACE *interface)
{
    memory_fill_older(interface);
    interface->DxgkCbCreatePhysicalMemoryObject = cb_create_physical_memory;
    interface->DxgkCbDestroyPhysicalMemoryObject = cb_destroy_physical_memory;
    interface->DxgkCbMapPhysicalMemory = cb_map_physical_memory;
    interface->DxgkCbUnmapPhysicalMemory = cb_unmap_physical_memory;
    interface->DxgkCbAllocateAdl = cb_allocate_adl;
    interface->DxgkCbFreeAdl = cb_free_adl;
    interface->DxgkCbOpenPhysicalMemoryObject = cb_open_physical_memory;
    interface->DxgkCbClosePhysicalMemoryObject = cb_close_physical_memory;
}

/* ddi/memory.h: what memory.c and memory_older.c share. */
#ifndef DDI_MEMORY_H
#define DDI_MEMORY_H

#include "ddi/internal.h"

/* One of each Create, and of each call of WDDM 2.4, which have no frames here. */
struct memory_object {
    struct list link;
    uint64_t number;
    struct ddi_adapter *adapter; /* NULL: nobody opened it */
    DXGK_PHYSICAL_MEMORY_TYPE type;
    bool destroyed;      /* the adapter's object is there alone */
    bool lists_are_told; /* they were there when it was destroyed */
    void *block;         /* of nt_contiguous_allocate() */
    MDL *pages;          /* of nt_pages_allocate() */
    const void *caller;
    enum contract_point made_by;
    struct list views, adls;
    uint64_t size;
    size_t page_count;
    uint64_t frames[];
};

struct memory_object *memory_object_new(struct ddi_adapter *adapter, size_t page_count,
                                        const struct ddi_callback *callback);
/* Into the list of all; its handle. */
HANDLE memory_keep(struct memory_object *object);
/* Frees it; `caller` of the driver's takes its views away, or NULL. */
void memory_object_drop(struct memory_object *object, const void *caller);
struct memory_object *memory_find_physical(HANDLE handle, enum contract_point made_by);
void memory_complain_of_handle(const struct ddi_callback *callback, HANDLE handle);
uint64_t memory_highest(PHYSICAL_ADDRESS address); /* negative: none, as 0 */
void memory_fill_older(DXGKRNL_INTERFACE *interface);

#endif

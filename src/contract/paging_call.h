/* What the families of the kernel's own duties in paging ask of one call of BuildPagingBuffer. */
#ifndef CONTRACT_PAGING_CALL_H
#define CONTRACT_PAGING_CALL_H

#include "contract/internal.h"
#include "machine/machine.h"

static inline const DXGKARG_BUILDPAGINGBUFFER *paging_of(const struct contract_call *call)
{
    return call->arguments;
}

static inline bool paging_is(const struct contract_call *call,
                             DXGK_BUILDPAGINGBUFFER_OPERATION operation)
{
    return paging_of(call)->Operation == operation;
}

/* NULL: there is none of this number. */
static inline const struct contract_segment *paging_segment(const struct contract_call *call,
                                                            UINT segment)
{
    return segment >= 1 && segment <= call->tracker->segment_count
               ? &call->tracker->segments[segment]
               : NULL;
}

/* NULL: none is named, or it is not known. */
static inline const struct contract_object *paging_allocation(const struct contract_call *call,
                                                              HANDLE handle)
{
    return handle ? contract_object_find(call->tracker, TRACKED_ALLOCATION, handle) : NULL;
}

/* So many bytes in whole pages. */
static inline uint64_t paging_whole_pages(uint64_t bytes)
{
    return (bytes + MACHINE_PAGE_SIZE - 1) / MACHINE_PAGE_SIZE * MACHINE_PAGE_SIZE;
}

/* An operation that comes again, in a fresh buffer: it was looked at. */
static inline bool paging_comes_again(const struct contract_call *call)
{
    return call->tracker->paging.repeat;
}

/* The same, or again because the driver was busy. */
static inline bool paging_repeats(const struct contract_call *call)
{
    return call->tracker->paging.repeat || call->tracker->paging.busy;
}

/* A duty: the list holds so many bytes from this page of it on, all of them locked. kernel_paging.c
 */
bool paging_mdl_holds(struct contract_call *call, const MDL *mdl, uint64_t first, uint64_t bytes);

#endif

/* Memory that a service of another folder gives out in nt's name: as MmAllocateContiguousMemory and
 * MmAllocatePagesForMdlEx, all or nothing, asked for at `caller`, and what frees it again, the MDL
 * with its pages. */
#ifndef NT_GIVEN_H
#define NT_GIVEN_H

#include <stddef.h>
#include <stdint.h>

struct _MDL;

/* Physical addresses; high 0: no bound. */
struct nt_given_request {
    size_t size;
    uint64_t low, high;
    uint64_t boundary; /* of contiguous memory */
    uint64_t skip;     /* of pages, with `flags` as MmAllocatePagesForMdlEx has them */
    uint32_t flags;
};

void *nt_contiguous_allocate(const struct nt_given_request *request, const void *caller);
void nt_contiguous_free(void *address, const void *caller);
struct _MDL *nt_pages_allocate(const struct nt_given_request *request, const void *caller);
void nt_pages_free(struct _MDL *mdl, const void *caller);

#endif

/* Where page tables lie, as the tracker has it: see track_tables.c and table_places.c.
 *
 * A table that is written first in another place than the one of the same pages stands in for that
 * (`replaced`). Until NotifyEviction says that the other leaves, this one `succeeds` it; if it was
 * walked when the new one was written, its leaving is `unannounced`; and if entries of it were
 * valid, it is `left_valid` until all of them are written invalid there. */
#ifndef CONTRACT_TABLES_H
#define CONTRACT_TABLES_H

#include "contract/tracker.h"

/* The one that an address in the paging process shows from its begin on; NULL: none. */
struct contract_table *contract_table_shown_at(const struct contract_tracker *tracker,
                                               uint64_t address);

/* Memory of a segment; of the computer, if that is 0. */
struct contract_extent {
    UINT segment;
    uint64_t offset, bytes;
};

/* Does anything in its range show otherwise than a TLB may know? */
bool contract_flush_is_wanted(const struct contract_tracker *tracker,
                              const DXGK_BUILDPAGINGBUFFER_FLUSHTLB *flush);
/* The same range as the last one, and nothing has changed in between. */
bool contract_flush_comes_again(const struct contract_tracker *tracker,
                                const DXGK_BUILDPAGINGBUFFER_FLUSHTLB *flush);
bool contract_is_at(const D3DGPU_PHYSICAL_ADDRESS *a, const D3DGPU_PHYSICAL_ADDRESS *b);
bool contract_table_has_valid(const struct contract_table *table);
uint64_t contract_table_bytes(const struct contract_tracker *tracker,
                              const struct contract_table_key *key);
/* Are there levels whose tables lie in the segment? */
bool contract_has_tables_in(const struct contract_tracker *tracker, UINT segment);
/* Is it walked where it lies now, by the entry above it, or as a root that a context has? */
bool contract_table_is_used(struct contract_tracker *tracker, const struct contract_table *table);

/* A table in the extent, or one that was there when it was walked and of whose leaving nothing was
 * said, of a process with contexts; but for the one with the key, where it lies now. NULL: none is
 * known. */
const struct contract_table *contract_table_used_in(struct contract_tracker *tracker,
                                                    const struct contract_extent *where,
                                                    const struct contract_table_key *key);
/* The same of one that has entries which are valid, or was left so. */
const struct contract_table *contract_table_valid_in(const struct contract_tracker *tracker,
                                                     const struct contract_extent *where,
                                                     const struct contract_table_key *key);

#endif

/* Where page tables lie, as the tracker has it: see track_tables.c.
 *
 * A table that is written first in another place than the one of the same pages stands in for that
 * (`replaced`). Until NotifyEviction says that the other leaves, this one `succeeds` it. */
#ifndef CONTRACT_TABLES_H
#define CONTRACT_TABLES_H

#include "contract/tracker.h"

/* The one that an address in the paging process shows from its begin on; NULL: none. */
struct contract_table *contract_table_shown_at(const struct contract_tracker *tracker,
                                               uint64_t address);
#endif

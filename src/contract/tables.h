/* Where page tables lie, as the tracker has it: see track_tables.c.
 *
 * A table that is written first in another place than the one of the same pages stands in for that
 * (`replaced`). Until NotifyEviction says that the other leaves, this one `succeeds` it; and if
 * entries led there when the new one was written, its leaving is `unannounced`. */
#ifndef CONTRACT_TABLES_H
#define CONTRACT_TABLES_H

#include "contract/tracker.h"

/* The one that an address in the paging process shows from its begin on; NULL: none. */
struct contract_table *contract_table_shown_at(const struct contract_tracker *tracker,
                                               uint64_t address);
/* Another table that lies there, or did when it was in use and nothing was said of its leaving, of
 * a process with contexts; NULL: none is known. */
const struct contract_table *contract_table_in_use_at(struct contract_tracker *tracker,
                                                      const D3DGPU_PHYSICAL_ADDRESS *place,
                                                      const struct contract_table_key *key);

#endif

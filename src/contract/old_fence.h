/* What a fence that looks old may come of. */
#ifndef CONTRACT_OLD_FENCE_H
#define CONTRACT_OLD_FENCE_H

#include "contract/tracker.h"

/* The end of a sentence: "" if neither a reset nor a sleep lies between. */
const char *contract_reset_text(const struct contract_node *node, uint32_t fence);

#endif

/* What an address that no flip gave may come of. */
#ifndef CONTRACT_PART_H
#define CONTRACT_PART_H

#include "base/part.h"
#include "contract/tracker.h"

/* Whether it is a part of an address that a source was given, as where half of it was not
 * written. */
bool contract_part_of_given(const struct contract_tracker *tracker, uint64_t address,
                            char text[PART_TEXT_MAX]);

#endif

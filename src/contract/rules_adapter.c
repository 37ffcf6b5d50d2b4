/* Rules of the family: adapter. */
#include "contract/internal.h"

const struct contract_family contract_family_adapter = {0};

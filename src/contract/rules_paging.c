/* Rules of the family: paging. */
#include "contract/internal.h"

const struct contract_family contract_family_paging = {0};

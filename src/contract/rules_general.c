/* Rules of the family: general. */
#include "contract/internal.h"

const struct contract_family contract_family_general = {0};

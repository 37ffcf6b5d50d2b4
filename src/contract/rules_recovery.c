/* Rules of the family: recovery. */
#include "contract/internal.h"

const struct contract_family contract_family_recovery = {0};

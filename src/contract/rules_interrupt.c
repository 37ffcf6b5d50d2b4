/* Rules of the family: interrupt. */
#include "contract/internal.h"

const struct contract_family contract_family_interrupt = {0};

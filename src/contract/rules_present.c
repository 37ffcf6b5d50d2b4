/* Rules of the family: present. */
#include "contract/internal.h"

const struct contract_family contract_family_present = {0};

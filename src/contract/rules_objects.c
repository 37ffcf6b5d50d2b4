/* Rules of the family: objects. */
#include "contract/internal.h"

const struct contract_family contract_family_objects = {0};

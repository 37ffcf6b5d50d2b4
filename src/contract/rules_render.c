/* Rules of the family: render. */
#include "contract/internal.h"

const struct contract_family contract_family_render = {0};

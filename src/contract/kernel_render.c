/* The kernel's own duties: render. */
#include "contract/internal.h"

const struct contract_family contract_family_kernel_render = {0};

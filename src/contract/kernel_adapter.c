/* The kernel's own duties: adapter. */
#include "contract/internal.h"

const struct contract_family contract_family_kernel_adapter = {0};

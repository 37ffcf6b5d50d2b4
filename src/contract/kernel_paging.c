/* The kernel's own duties: paging. */
#include "contract/internal.h"

const struct contract_family contract_family_kernel_paging = {0};

/* The kernel's own duties: call. */
#include "contract/internal.h"

const struct contract_family contract_family_kernel_call = {0};

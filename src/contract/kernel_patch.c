/* The kernel's own duties: patch. */
#include "contract/internal.h"

const struct contract_family contract_family_kernel_patch = {0};

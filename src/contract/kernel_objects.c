/* The kernel's own duties: objects. */
#include "contract/internal.h"

const struct contract_family contract_family_kernel_objects = {0};

/* The kernel's own duties: present. */
#include "contract/internal.h"

const struct contract_family contract_family_kernel_present = {0};

/* A place that is built, and that nobody links. */
#include "linked_sites.h"

#include "contract/contract.h"

void unlinked_duty(int value)
{
    KERNEL_DUTY(SUBMIT_032, value == 0);
}

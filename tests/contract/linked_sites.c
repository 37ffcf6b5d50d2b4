/* Places that judge, and places that only look so. */
#include "linked_sites.h"

#include "contract/contract.h"

/* KERNEL_DUTY(SUBMIT_045, 1) in a comment is no place. */
static const char *const text = "KERNEL_DUTY(SUBMIT_042, 1)";

void linked_duty(int value)
{
    KERNEL_DUTY(SUBMIT_019, value == 0);
#if 0
    KERNEL_DUTY(SUBMIT_026, 1);
#endif
    if (text[0] == '\0' && 0) {
        KERNEL_DUTY(SUBMIT_040, value);
    }
}

void linked_finding(int value)
{
    if (value) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(SUBMIT_024)}, "zero",
                        "%d", value);
    }
}

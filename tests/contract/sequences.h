/* sequences: what a wrong kernel called before, told to the judge by the calls themselves. The
 * driver does not run in them; its answers are made up. */
#ifndef TESTS_SEQUENCES_H
#define TESTS_SEQUENCES_H

#include "contract/contract.h"

#define NOBODY ((HANDLE)(uintptr_t)8)

extern bool sequence_within; /* such a call: it is not spoilt itself */

/* A call about the adapter at PASSIVE_LEVEL that the driver answered with success. */
void precede(const struct contract_call *call, enum contract_point point, void *arguments,
             size_t size);
/* SetPowerState, which the driver answered. */
void precede_power(const struct contract_call *call, const struct contract_power *asked);
/* The call itself, with this answer. */
void precede_copy(const struct contract_call *call, NTSTATUS answer);
/* The driver said that its caps are these. */
void say_caps(const struct contract_call *call, const DXGK_DRIVERCAPS *caps);
/* The driver said that no segment of its is coherent with the CPU's caches, and that there is one
 * more: another like the first. */
void say_segments(const struct contract_call *call);

/* Each returns true if the call is of the kind that it precedes. */
bool submit_in_preemption(struct contract_call *call);
bool submit_unknown_buffer(struct contract_call *call);
bool fill_twice(struct contract_call *call);
bool render_other_repeat(struct contract_call *call);
bool present_fewer(struct contract_call *call);
bool present_others(struct contract_call *call);
bool flip_too_many(struct contract_call *call);
bool device_in_use(struct contract_call *call);
bool context_busy(struct contract_call *call);
bool two_dpcs(struct contract_call *call);
bool started_twice(struct contract_call *call);

#endif

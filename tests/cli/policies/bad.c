/* A policy that is wrong in the way that HOW says. */
#include <drydock/policy.h>

#include <stdlib.h>

#ifndef WRONG_ABI
#define WRONG_ABI DRYDOCK_POLICY_ABI
#endif

static uint32_t pick(void *state, const struct drydock_context *ready, uint32_t count,
                     uint64_t now_ns)
{
#if HOW == 1 /* nobody */
    return count;
#elif HOW == 2 /* nowhere */
    *(volatile uint32_t *)16 = count;
#elif HOW == 3 /* never */
    for (volatile int forever = 1; forever;) {
    }
#elif HOW == 4 /* at the end */
    exit(0);
#endif
    return 0;
}

#if HOW == 5 /* everybody, at once */
static uint64_t stop(void *state, const struct drydock_context *running, uint64_t since_ns,
                     const struct drydock_context *next, uint64_t now_ns)
{
    return now_ns;
}
#else
#define stop NULL
#endif

DRYDOCK_POLICY const struct drydock_policy drydock_policy = {
    .abi = WRONG_ABI, .name = "bad", .pick = pick, .should_preempt = stop};

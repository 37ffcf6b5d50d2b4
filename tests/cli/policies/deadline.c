/* Earliest deadline first. It breaks where it is told of another packet than the one that runs: of
 * one that it has not picked; and where the time of a context is less than it was. */
#include <drydock/policy.h>

struct seen {
    uint32_t wrong;
};

static uint64_t deadline_ns(const struct drydock_context *context)
{
    int priority = context->priority < 0 ? 0 : context->priority;

    return context->is_system ? 0 : context->ready_since_ns + (uint64_t)(32 - priority) * 1000000;
}

static uint32_t pick(void *state, const struct drydock_context *ready, uint32_t count,
                     uint64_t now_ns)
{
    struct seen *seen = state;
    uint32_t first = 0;

    for (uint32_t i = 0; i < count; i++) {
        seen->wrong |= ready[i].ran_ns < ready[i].words[1];
        ready[i].words[1] = ready[i].ran_ns;
    }

    for (uint32_t i = 1; i < count; i++) {
        first = deadline_ns(&ready[i]) < deadline_ns(&ready[first]) ? i : first;
    }
    if (seen->wrong) {
        return count;
    }
    ready[first].words[0] = ready[first].packet;
    return first;
}

static uint64_t should_preempt(void *state, const struct drydock_context *running,
                               uint64_t since_ns, const struct drydock_context *next,
                               uint64_t now_ns)
{
    struct seen *seen = state;

    seen->wrong |= running->packet > running->words[0] || running->ran_ns < running->words[1];
    running->words[1] = running->ran_ns;
    return deadline_ns(next) < deadline_ns(running) ? now_ns : DRYDOCK_NEVER;
}

/* With the packet that left, complete or not. */
static void ran(void *state, const struct drydock_context *context, uint64_t ran_ns)
{
    struct seen *seen = state;

    seen->wrong |= context->ran_ns < ran_ns;
}

DRYDOCK_POLICY const struct drydock_policy drydock_policy = {
    .abi = DRYDOCK_POLICY_ABI,
    .name = "deadline",
    .state_bytes = sizeof(struct seen),
    .pick = pick,
    .should_preempt = should_preempt,
    .ran = ran,
};

/* Lottery scheduling: each context holds tickets, more with a higher priority, and a draw says who
 * is next; who runs for longer than its quantum is asked to stop. So nobody starves, and over time
 * each gets the node in the measure of its tickets. README.md says how it is built. */
#include <drydock/policy.h>

struct lottery {
    uint64_t drawn; /* how often: the draws are a hash of it, the same in each run */
};

/* 1 at priority 0, 2 at 4, 16 at 16. */
static uint64_t tickets(const struct drydock_context *context)
{
    int priority = context->priority < 0 ? 0 : context->priority;

    return UINT64_C(1) << (priority / 4);
}

static uint64_t next_number(struct lottery *lottery)
{
    uint64_t number = ++lottery->drawn * UINT64_C(0x9E3779B97F4A7C15);

    number = (number ^ number >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    number = (number ^ number >> 27) * UINT64_C(0x94D049BB133111EB);
    return number ^ number >> 31;
}

/* Paging first: others wait for what it brings. */
static uint32_t pick(void *state, const struct drydock_context *ready, uint32_t count,
                     uint64_t now_ns)
{
    uint64_t all = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (ready[i].is_system) {
            return i;
        }
        all += tickets(&ready[i]);
    }
    uint64_t drawn = next_number(state) % all;
    uint32_t chosen = 0;
    while (drawn >= tickets(&ready[chosen])) {
        drawn -= tickets(&ready[chosen++]);
    }
    return chosen;
}

static uint64_t should_preempt(void *state, const struct drydock_context *running,
                               uint64_t since_ns, const struct drydock_context *next,
                               uint64_t now_ns)
{
    if (running->is_system || next->is_system) {
        return DRYDOCK_NEVER;
    }
    return since_ns + running->quantum_ns;
}

DRYDOCK_POLICY const struct drydock_policy drydock_policy = {
    .abi = DRYDOCK_POLICY_ABI,
    .name = "lottery",
    .state_bytes = sizeof(struct lottery),
    .pick = pick,
    .should_preempt = should_preempt,
};

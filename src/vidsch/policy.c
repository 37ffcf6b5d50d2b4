/* vidsch/policy.c: the policies that come with the scheduler. A policy sees contexts become ready
 * and not ready, and says which is next and when the hardware should be asked to stop. */
#include "vidsch/internal.h"

/* ---- priority: strict between levels, round robin by quantum within one ---------------------- */

enum { WORD_USED_NS }; /* of context->policy_words: what it used up of its quantum */

struct priority_state {
    struct list levels[VIDSCH_PRIORITY_COUNT]; /* ready contexts; the first has the turn */
    uint32_t occupied;                         /* bit n: levels[n] is not empty */
    bool in_process;                           /* some context came with an in-process priority */
};

static struct vidsch_context *context_of(struct list *link)
{
    return container_of(link, struct vidsch_context, policy_link);
}

static void priority_init(void *opaque, const struct vidsch_node *node)
{
    struct priority_state *state = opaque;

    for (unsigned i = 0; i < VIDSCH_PRIORITY_COUNT; i++) {
        list_init(&state->levels[i]);
    }
}

static void priority_on_ready(void *opaque, struct vidsch_context *context)
{
    struct priority_state *state = opaque;

    list_push_back(&state->levels[context->priority], &context->policy_link);
    state->occupied |= UINT32_C(1) << context->priority;
    state->in_process |= context->in_process_priority != 0;
}

static void priority_on_unready(void *opaque, struct vidsch_context *context)
{
    struct priority_state *state = opaque;

    list_remove(&context->policy_link);
    if (list_empty(&state->levels[context->priority])) {
        state->occupied &= ~(UINT32_C(1) << context->priority);
    }
}

/* The process has the turn; among its contexts on this level the most urgent takes it. */
static struct vidsch_context *most_urgent_of_process(struct list *level,
                                                     struct vidsch_context *first)
{
    struct vidsch_context *best = first;

    list_for_each (link, level) {
        struct vidsch_context *other = context_of(link);

        if (other->process == first->process &&
            other->in_process_priority > best->in_process_priority) {
            best = other;
        }
    }
    return best;
}

static struct vidsch_context *priority_pick(void *opaque, bool system_only)
{
    struct priority_state *state = opaque;

    for (uint32_t left = state->occupied; left;) {
        unsigned priority = 31 - (unsigned)__builtin_clz(left);
        struct list *level = &state->levels[priority];
        struct vidsch_context *first = context_of(level->next);

        if (!system_only) {
            return state->in_process && first->process ? most_urgent_of_process(level, first)
                                                       : first;
        }
        list_for_each (link, level) {
            if (context_of(link)->system) {
                return context_of(link);
            }
        }
        left &= ~(UINT32_C(1) << priority);
    }
    return NULL;
}

static uint64_t priority_should_preempt(void *opaque, const struct vidsch_packet *oldest,
                                        uint64_t slice_since_ns,
                                        const struct vidsch_context *candidate, uint64_t now_ns)
{
    const struct vidsch_context *running = oldest->context;

    if (running->system || candidate->system || candidate == running ||
        candidate->priority < running->priority) {
        return MACHINE_NEVER;
    }
    if (candidate->priority > running->priority) {
        return now_ns;
    }
    return vidsch_after_ns(slice_since_ns, running->quantum_ns);
}

static void priority_on_done(void *opaque, struct vidsch_packet *packet, uint64_t ran_ns)
{
    struct priority_state *state = opaque;
    struct vidsch_context *context = packet->context;

    context->policy_words[WORD_USED_NS] += ran_ns;
    if (context->policy_words[WORD_USED_NS] < context->quantum_ns) {
        return;
    }
    context->policy_words[WORD_USED_NS] = 0;
    if (context->ready) { /* the turn goes to the next */
        list_remove(&context->policy_link);
        list_push_back(&state->levels[context->priority], &context->policy_link);
    }
}

const struct vidsch_policy vidsch_policy_priority = {
    .name = "priority",
    .state_size = sizeof(struct priority_state),
    .init = priority_init,
    .on_ready = priority_on_ready,
    .on_unready = priority_on_unready,
    .pick = priority_pick,
    .should_preempt = priority_should_preempt,
    .on_done = priority_on_done,
};

/* ---- fifo: the packet that was pushed first, of those that may go --------------------------- */

struct fifo_state {
    struct list ready;
};

static void fifo_init(void *opaque, const struct vidsch_node *node)
{
    struct fifo_state *state = opaque;

    list_init(&state->ready);
}

static void fifo_on_ready(void *opaque, struct vidsch_context *context)
{
    struct fifo_state *state = opaque;

    list_push_back(&state->ready, &context->policy_link);
}

static void fifo_on_unready(void *opaque, struct vidsch_context *context)
{
    list_remove(&context->policy_link);
}

static struct vidsch_context *fifo_pick(void *opaque, bool system_only)
{
    struct fifo_state *state = opaque;
    struct vidsch_context *best = NULL;

    list_for_each (link, &state->ready) {
        struct vidsch_context *context = context_of(link);

        if (system_only && !context->system) {
            continue;
        }
        if (!best || vidsch_head(context)->sequence < vidsch_head(best)->sequence) {
            best = context;
        }
    }
    return best;
}

const struct vidsch_policy vidsch_policy_fifo = {
    .name = "fifo",
    .state_size = sizeof(struct fifo_state),
    .init = fifo_init,
    .on_ready = fifo_on_ready,
    .on_unready = fifo_on_unready,
    .pick = fifo_pick,
};

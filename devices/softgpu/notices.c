/* notices.c: interrupts that come once in each frame of an output, so long before its vsync.
 *
 *   ---|------------------*----|------------------*----|---   *: its bit in NOTICES_DUE
 *
 * A tick is asked for the next of them while the output is enabled and any is on. */
#include "internal.h"

static bool is_on(const struct output *output)
{
    bool any = false;
    for (unsigned i = 0; i < SOFTGPU_NOTICE_COUNT; i++)
        any |= output->notices[i] != 0;
    return any && (output->control & SOFTGPU_OUTPUT_ENABLE);
}

/* When the notice comes next, after `now`. */
static uint64_t time_of(const struct output *output, unsigned slot, uint64_t now)
{
    uint64_t period = display_period(output), before = output->notices[slot] % period;
    uint64_t first = output->epoch_ns + period - before;
    if (now < first)
        return first;
    return first + ((now - first) / period + 1) * period;
}

void notices_update(struct output *output)
{
    uint64_t now = softgpu_now(output->gpu), next = UINT64_MAX;
    output->notice_generation = (output->notice_generation + 1) & TICK_GENERATION_MASK;
    if (!is_on(output))
        return;
    for (unsigned i = 0; i < SOFTGPU_NOTICE_COUNT; i++) {
        uint64_t time = output->notices[i] ? time_of(output, i, now) : UINT64_MAX;
        next = time < next ? time : next;
    }
    output->notice_ns = next;
    softgpu_call_at(output->gpu, next, TICK_NOTICE, output->index, output->notice_generation);
}

void notices_tick(struct output *output, uint64_t generation)
{
    if (generation != output->notice_generation || !is_on(output))
        return;
    for (unsigned i = 0; i < SOFTGPU_NOTICE_COUNT; i++) {
        if (output->notices[i] && time_of(output, i, output->notice_ns - 1) == output->notice_ns)
            output->notices_due |= 1u << i;
    }
    notices_update(output);
    interrupt_raise(output->gpu, SOFTGPU_INTERRUPT_NOTICE(output->index));
}

void notices_write(struct output *output, uint32_t reg, uint32_t value)
{
    if (reg == SOFTGPU_OUTPUT_NOTICES_DUE) {
        output->notices_due &= ~value;
        return;
    }
    unsigned slot = (reg - SOFTGPU_OUTPUT_NOTICE(0)) / 4;
    output->notices[slot] = value;
    if (!value)
        output->notices_due &= ~(1u << slot);
    notices_update(output);
}

uint32_t notices_read(const struct output *output, uint32_t reg)
{
    return reg == SOFTGPU_OUTPUT_NOTICES_DUE
               ? output->notices_due
               : output->notices[(reg - SOFTGPU_OUTPUT_NOTICE(0)) / 4];
}

void notices_reset(struct output *output)
{
    for (unsigned i = 0; i < SOFTGPU_NOTICE_COUNT; i++)
        output->notices[i] = 0;
    output->notices_due = 0;
    notices_update(output);
}

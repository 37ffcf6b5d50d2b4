/* log.c: the scheduling log of an engine.
 *
 *   memory   | header: next entry, wraparounds | entry 0 | entry 1 | ... |
 *
 * An entry is written first, then the first eight bytes of the header at once, so that a reader
 * never sees a count of an entry that is not there. The device counts by itself: what else stands
 * in the header it neither reads nor changes. A log that cannot be written is switched off. */
#include "internal.h"

void log_begin(struct engine *engine, bool enabled)
{
    struct engine_schedule *schedule = &engine->schedule;
    schedule->log.enabled = enabled && schedule->log.entries > 0;
    schedule->log.next = schedule->log.wraparounds = 0;
}

static bool write_entry(struct engine *engine, const struct softgpu_log_entry *entry)
{
    struct engine_schedule *schedule = &engine->schedule;
    struct access access = {
        .gpu = engine->gpu, .privileged = true, .space = schedule->log.space, .engine = engine};
    uint64_t place = schedule->log.address + sizeof(struct softgpu_log_header) +
                     (uint64_t)schedule->log.next * sizeof(*entry);
    uint32_t counts[2] = {schedule->log.next + 1, schedule->log.wraparounds};
    if (counts[0] >= schedule->log.entries) {
        counts[0] = 0;
        counts[1]++;
    }
    if ((schedule->log.space && !mmu_has_space(engine->gpu, schedule->log.space)) ||
        !address_check(&access, place, sizeof(*entry)) ||
        !address_write(&access, place, entry, sizeof(*entry)) ||
        !address_write(&access, schedule->log.address, counts, sizeof(counts)))
        return false;
    bool reached = schedule->log.next == schedule->log.interrupt_entry;
    schedule->log.next = counts[0];
    schedule->log.wraparounds = counts[1];
    if (reached)
        interrupt_raise(engine->gpu, SOFTGPU_INTERRUPT_LOG(engine->index));
    return true;
}

void log_state(struct engine *engine, struct hw_context *context, uint32_t state)
{
    uint64_t now = softgpu_now(engine->gpu);
    struct softgpu_log_entry entry = {.time_low = (uint32_t)now,
                                      .time_high = (uint32_t)(now >> 32),
                                      .context_low = (uint32_t)context->id,
                                      .context_high = (uint32_t)(context->id >> 32),
                                      .state = state};
    if (context->logged == state)
        return;
    context->logged = state;
    if (engine->schedule.log.enabled && !write_entry(engine, &entry)) {
        engine->schedule.log.enabled = false;
        softgpu_log(engine->gpu, "engine %u cannot write its scheduling log at %#llx",
                    engine->index, (unsigned long long)engine->schedule.log.address);
    }
}

/* log.c: the scheduling log of an engine.
 *
 *   memory   | header: next entry, wraparounds | entry 0 | entry 1 | ... |
 *
 * An entry is written first, then the first eight bytes of the header at once, so that a reader
 * never sees a count of an entry that is not there. The header is read with the first entry since
 * the log was switched on, which may be before its page tables are there again; it goes on there,
 * and from then on the device counts by itself. A log that cannot be read or written is switched
 * off. */
#include "internal.h"

static struct access access_of(struct engine *engine)
{
    return (struct access){.gpu = engine->gpu,
                           .privileged = true,
                           .space = engine->schedule.log.space,
                           .engine = engine};
}

static bool is_there(struct engine *engine, uint64_t place, uint64_t size)
{
    struct access access = access_of(engine);
    return mmu_has_space(engine->gpu, engine->schedule.log.space) &&
           address_check(&access, place, size);
}

static void end(struct engine *engine)
{
    engine->schedule.log.enabled = false;
    softgpu_log(engine->gpu, "engine %u has no scheduling log at %#llx", engine->index,
                (unsigned long long)engine->schedule.log.address);
}

void log_begin(struct engine *engine, bool enabled)
{
    struct engine_schedule *schedule = &engine->schedule;
    schedule->log.enabled = enabled && schedule->log.entries > 0;
    schedule->log.counted = false;
}

/* Where the log goes on. */
static bool take_counts(struct engine *engine)
{
    struct engine_schedule *schedule = &engine->schedule;
    struct access access = access_of(engine);
    uint32_t counts[2];
    if (schedule->log.counted)
        return true;
    if (!is_there(engine, schedule->log.address, sizeof(counts)) ||
        !address_read(&access, schedule->log.address, counts, sizeof(counts)))
        return false;
    schedule->log.next = counts[0] < schedule->log.entries ? counts[0] : 0;
    schedule->log.wraparounds = counts[1];
    schedule->log.counted = true;
    return true;
}

static bool write_entry(struct engine *engine, const struct softgpu_log_entry *entry)
{
    struct engine_schedule *schedule = &engine->schedule;
    struct access access = access_of(engine);
    if (!take_counts(engine))
        return false;
    uint64_t place = schedule->log.address + sizeof(struct softgpu_log_header) +
                     (uint64_t)schedule->log.next * sizeof(*entry);
    uint32_t counts[2] = {schedule->log.next + 1, schedule->log.wraparounds};
    if (counts[0] >= schedule->log.entries) {
        counts[0] = 0;
        counts[1]++;
    }
    if (!is_there(engine, place, sizeof(*entry)) ||
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
    if (engine->schedule.log.enabled && !write_entry(engine, &entry))
        end(engine);
}

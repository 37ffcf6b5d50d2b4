/* flips.c: flips of planes that wait in the device until their time has come.
 *
 *   registers ──QUEUE_COMMIT──> waiting ──vsync, and TIME has come──> layers ──> monitor
 *                                  │                  └─────────────> log, for the driver
 *                                  └──QUEUE_CANCEL──> gone
 *
 * Of several whose time has come each plane shows the last. */
#include "internal.h"

#include <string.h>

#define ALL_PLANES ((1u << SOFTGPU_PLANE_MAX) - 1)

static uint64_t with_half(uint64_t pair, bool high, uint32_t value)
{
    return high ? (uint32_t)pair | (uint64_t)value << 32 : (pair & ~0xFFFFFFFFull) | value;
}

static uint32_t half_of(uint64_t pair, bool high)
{
    return (uint32_t)(high ? pair >> 32 : pair);
}

static bool is_enabled(const struct output *output)
{
    return output->control & SOFTGPU_OUTPUT_ENABLE;
}

/* ---- Log ---- */

static void write_line(struct flip_queue *queue, const struct flip_line *line)
{
    if (queue->log_count == SOFTGPU_FLIP_LOG_MAX) {
        queue->log_first = (queue->log_first + 1) % SOFTGPU_FLIP_LOG_MAX;
        queue->log_count--;
    }
    queue->log[(queue->log_first + queue->log_count) % SOFTGPU_FLIP_LOG_MAX] = *line;
    queue->log_count++;
}

static void take_line(struct flip_queue *queue)
{
    if (queue->log_count) {
        queue->log_first = (queue->log_first + 1) % SOFTGPU_FLIP_LOG_MAX;
        queue->log_count--;
    }
}

/* ---- Leaving the queue ---- */

/* Planes that one of the flips behind it has, of the first `count`. */
static uint32_t covered_by(const struct flip_queue *queue, unsigned index, unsigned count)
{
    uint32_t mask = 0;

    for (unsigned i = index + 1; i < count; i++)
        mask |= queue->waiting[i].mask;
    return mask;
}

static void forget_first(struct flip_queue *queue, unsigned count)
{
    queue->length -= count;
    memmove(queue->waiting, queue->waiting + count, queue->length * sizeof(queue->waiting[0]));
}

/* The first `count` leave together. */
static void leave(struct output *output, unsigned count, uint64_t now_ns)
{
    struct flip_queue *queue = &output->flips;

    for (unsigned i = 0; i < count; i++) {
        const struct queued_flip *flip = &queue->waiting[i];
        uint32_t seen = flip->mask & ~covered_by(queue, i, count);
        for (unsigned plane = 0; plane < SOFTGPU_PLANE_MAX; plane++) {
            if (!(flip->mask & 1u << plane))
                continue;
            write_line(queue, &(struct flip_line){.plane = plane,
                                                  .tag = flip->layers[plane].tag,
                                                  .time_ns = seen & 1u << plane ? now_ns : 0});
            if (seen & 1u << plane)
                output->layers[plane] = flip->layers[plane];
        }
    }
    forget_first(queue, count);
    output->layered = output->has_picture = true;
}

bool flips_latch(struct output *output, uint64_t vsync_ns)
{
    struct flip_queue *queue = &output->flips;
    unsigned count = 0;

    while (count < queue->length && queue->waiting[count].not_before_ns <= vsync_ns)
        count++;
    if (count)
        leave(output, count, vsync_ns);
    return count > 0;
}

void flips_latch_all(struct output *output)
{
    if (output->flips.length)
        leave(output, output->flips.length, softgpu_now(output->gpu));
}

/* When the next that is shown at once is due. */
static void ask_for_tick(struct output *output)
{
    struct flip_queue *queue = &output->flips;
    unsigned i = 0;

    queue->generation = (queue->generation + 1) & TICK_GENERATION_MASK;
    while (i < queue->length && !queue->waiting[i].at_once)
        i++;
    if (i < queue->length)
        softgpu_call_at(output->gpu, queue->waiting[i].not_before_ns, TICK_FLIPS, output->index,
                        queue->generation);
}

/* Those for which now is the time, and all before them. */
static void show_at_once(struct output *output)
{
    struct flip_queue *queue = &output->flips;
    uint64_t now_ns = softgpu_now(output->gpu);
    unsigned count = 0;

    for (unsigned i = 0; i < queue->length; i++)
        if (queue->waiting[i].at_once && queue->waiting[i].not_before_ns <= now_ns)
            count = i + 1;
    if (count) {
        leave(output, count, now_ns);
        interrupt_raise(output->gpu, SOFTGPU_INTERRUPT_FLIP(output->index));
    }
    ask_for_tick(output);
}

void flips_tick(struct output *output, uint64_t generation)
{
    if (generation == output->flips.generation && is_enabled(output))
        show_at_once(output);
}

static void commit(struct output *output, uint32_t value)
{
    struct flip_queue *queue = &output->flips;
    uint32_t mask = value & ALL_PLANES, when = value >> 8;

    if (!mask || (when != SOFTGPU_FLIP_VSYNC && when != SOFTGPU_FLIP_IMMEDIATE) ||
        queue->length == SOFTGPU_FLIP_QUEUE_MAX)
        return;
    struct queued_flip *flip = &queue->waiting[queue->length++];
    *flip = (struct queued_flip){.mask = mask,
                                 .not_before_ns = queue->next_ns,
                                 .at_once = when == SOFTGPU_FLIP_IMMEDIATE && !output->gpu->latch};
    memcpy(flip->layers, output->staged, sizeof(flip->layers));
    if (!is_enabled(output))
        flips_latch_all(output);
    else if (flip->at_once)
        show_at_once(output);
    display_update(output);
}

/* What has the least tag of those that are taken out. */
static uint64_t tag_of(const struct queued_flip *flip)
{
    return flip->layers[__builtin_ctz(flip->mask)].tag;
}

static void cancel(struct output *output)
{
    struct flip_queue *queue = &output->flips;
    unsigned kept = 0;

    queue->cancelled = 0;
    for (unsigned i = 0; i < queue->length; i++) {
        uint64_t tag = tag_of(&queue->waiting[i]);
        if (tag >= queue->cancel) {
            if (!queue->cancelled || tag < queue->cancelled)
                queue->cancelled = tag;
            continue;
        }
        queue->waiting[kept++] = queue->waiting[i];
    }
    queue->length = kept;
    ask_for_tick(output);
}

void flips_empty(struct output *output)
{
    output->flips.length = 0;
    ask_for_tick(output);
}

void flips_reset(struct output *output)
{
    uint64_t generation = output->flips.generation;

    memset(&output->flips, 0, sizeof(output->flips));
    output->flips.generation = generation;
}

bool flips_interrupt(const struct output *output)
{
    bool any = false;

    for (unsigned i = 0; i < SOFTGPU_PLANE_MAX; i++) {
        uint64_t wanted = output->flips.interrupt[i];
        any |= !wanted || (wanted != UINT64_MAX && output->layers[i].tag >= wanted);
    }
    return any;
}

/* ---- Registers ---- */

static const struct flip_line *oldest_line(const struct flip_queue *queue)
{
    static const struct flip_line none;

    return queue->log_count ? &queue->log[queue->log_first] : &none;
}

uint32_t flips_read(const struct output *output, uint32_t reg)
{
    const struct flip_queue *queue = &output->flips;
    bool high = reg & 4;

    if (reg >= SOFTGPU_OUTPUT_QUEUE_INTERRUPT(0))
        return half_of(queue->interrupt[(reg - SOFTGPU_OUTPUT_QUEUE_INTERRUPT(0)) / 8], high);
    switch (reg) {
    case SOFTGPU_OUTPUT_QUEUE_TIME:
    case SOFTGPU_OUTPUT_QUEUE_TIME + 4:
        return half_of(queue->next_ns, high);
    case SOFTGPU_OUTPUT_QUEUE_LENGTH:
        return queue->length;
    case SOFTGPU_OUTPUT_QUEUE_CANCELLED:
    case SOFTGPU_OUTPUT_QUEUE_CANCELLED + 4:
        return half_of(queue->cancelled, high);
    case SOFTGPU_OUTPUT_QUEUE_LOG_TAG:
    case SOFTGPU_OUTPUT_QUEUE_LOG_TAG + 4:
        return half_of(oldest_line(queue)->tag, high);
    case SOFTGPU_OUTPUT_QUEUE_LOG_TIME:
    case SOFTGPU_OUTPUT_QUEUE_LOG_TIME + 4:
        return half_of(oldest_line(queue)->time_ns, high);
    case SOFTGPU_OUTPUT_QUEUE_LOG_PLANE:
        return oldest_line(queue)->plane;
    case SOFTGPU_OUTPUT_QUEUE_LOG_COUNT:
        return queue->log_count;
    default:
        return 0;
    }
}

void flips_write(struct output *output, uint32_t reg, uint32_t value)
{
    struct flip_queue *queue = &output->flips;
    bool high = reg & 4;

    if (reg >= SOFTGPU_OUTPUT_QUEUE_INTERRUPT(0)) {
        uint64_t *wanted = &queue->interrupt[(reg - SOFTGPU_OUTPUT_QUEUE_INTERRUPT(0)) / 8];
        *wanted = with_half(*wanted, high, value);
        return;
    }
    switch (reg) {
    case SOFTGPU_OUTPUT_QUEUE_TIME:
    case SOFTGPU_OUTPUT_QUEUE_TIME + 4:
        queue->next_ns = with_half(queue->next_ns, high, value);
        break;
    case SOFTGPU_OUTPUT_QUEUE_COMMIT:
        commit(output, value);
        break;
    case SOFTGPU_OUTPUT_QUEUE_CANCEL:
        queue->cancel = with_half(queue->cancel, false, value);
        break;
    case SOFTGPU_OUTPUT_QUEUE_CANCEL + 4:
        queue->cancel = with_half(queue->cancel, true, value);
        cancel(output);
        break;
    case SOFTGPU_OUTPUT_QUEUE_LOG_COUNT:
        take_line(queue);
        break;
    default:
        break;
    }
}

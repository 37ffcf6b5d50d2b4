/* queues.c: the registers of hardware contexts, queues and bands.
 *
 *   0x8000   queues     control, ring, doorbell
 *   0xC000   contexts   engine, address space, priority, suspend and resume
 *   0xE000   bands, and which queue a doorbell is bound to
 *   0x10000  doorbells, a page each
 *
 * A queue that is switched off, or whose context is, drops its entries at once, also the one that
 * the engine has in work. What makes no sense is not taken: a register reads back what counts. */
#include "internal.h"

#include <stdio.h>
#include <string.h>

#define QUEUE_BLOCK    0x8000u
#define CONTEXT_BLOCK  0xC000u
#define BAND_BLOCK     0xE000u
#define BLOCK_SIZE     0x40u
#define BAND_SIZE      0x10u
#define NORMAL_MAX     50u
#define RING_ALIGNMENT 0xFFFu

static uint32_t half(uint64_t value, uint32_t reg)
{
    return (uint32_t)(reg & 4 ? value >> 32 : value);
}

static void set_half(uint64_t *value, uint32_t reg, uint32_t bits)
{
    *value = reg & 4 ? (uint32_t)*value | (uint64_t)bits << 32 : (*value & ~0xFFFFFFFFull) | bits;
}

static struct engine *engine_of(struct softgpu *gpu, const struct hw_context *context)
{
    return &gpu->engines[context->control >> 8]; /* it was looked at when it was written */
}

struct hw_context *hw_context_of(struct softgpu *gpu, const struct hw_queue *queue)
{
    return queue->control ? &gpu->hw.contexts[queue->control >> 8] : NULL;
}

/* ---- Queues ---- */

static void disable_queue(struct softgpu *gpu, struct hw_queue *queue)
{
    struct hw_context *context = hw_context_of(gpu, queue);
    uint32_t number = (uint32_t)(queue - gpu->hw.queues);
    queue->control = 0;
    queue->head = queue->tail = 0;
    for (unsigned i = 0; i < SOFTGPU_DOORBELL_COUNT; i++) {
        if (gpu->hw.doorbells[i] == number + 1)
            gpu->hw.doorbells[i] = 0;
    }
    if (context)
        schedule_drop(engine_of(gpu, context), queue);
}

static void control_queue(struct softgpu *gpu, struct hw_queue *queue, uint32_t value)
{
    uint32_t context = value >> 8, number = (uint32_t)(queue - gpu->hw.queues);
    disable_queue(gpu, queue);
    if ((value & 0xFF & ~SOFTGPU_HWQUEUE_CLIENT) != SOFTGPU_HWQUEUE_ENABLE ||
        context >= SOFTGPU_HWCONTEXT_COUNT || !gpu->hw.contexts[context].control)
        return;
    queue->control = value;
    queue->head = queue->tail = queue->ring_size ? queue->first % queue->ring_size : 0;
    if (gpu->hw.queue_limit <= number)
        gpu->hw.queue_limit = number + 1;
}

static void ring_queue(struct softgpu *gpu, struct hw_queue *queue, uint32_t tail)
{
    struct hw_context *context = hw_context_of(gpu, queue);
    if (!context)
        return;
    queue->tail = tail; /* one outside of the ring stops the engine when it gets there */
    struct engine *engine = engine_of(gpu, context);
    if (context->logged == SOFTGPU_LOG_IDLE && queue->head != tail)
        log_state(engine, context, SOFTGPU_LOG_READY);
    schedule_kick(engine);
}

void hw_ring(struct softgpu *gpu, uint32_t offset, uint32_t value)
{
    uint32_t doorbell = offset / SOFTGPU_DOORBELL_SIZE;
    if (offset % SOFTGPU_DOORBELL_SIZE || doorbell >= SOFTGPU_DOORBELL_COUNT ||
        !gpu->hw.doorbells[doorbell])
        return;
    struct hw_queue *queue = &gpu->hw.queues[gpu->hw.doorbells[doorbell] - 1];
    if (hw_is_clients(queue))
        ring_queue(gpu, queue, value);
}

static uint32_t queue_read(const struct hw_queue *queue, uint32_t reg)
{
    switch (reg) {
    case SOFTGPU_HWQUEUE_CONTROL:
        return queue->control;
    case SOFTGPU_HWQUEUE_RING_SIZE:
        return queue->ring_size;
    case SOFTGPU_HWQUEUE_RING_BASE:
    case SOFTGPU_HWQUEUE_RING_BASE + 4:
        return half(queue->ring_base, reg);
    case SOFTGPU_HWQUEUE_HEAD:
        return queue->head;
    case SOFTGPU_HWQUEUE_TAIL:
        return queue->tail;
    case SOFTGPU_HWQUEUE_READ:
    case SOFTGPU_HWQUEUE_READ + 4:
        return half(queue->read, reg);
    case SOFTGPU_HWQUEUE_FIRST:
        return queue->first;
    default:
        return 0;
    }
}

static void queue_write(struct softgpu *gpu, struct hw_queue *queue, uint32_t reg, uint32_t value)
{
    switch (reg) {
    case SOFTGPU_HWQUEUE_CONTROL:
        control_queue(gpu, queue, value);
        break;
    case SOFTGPU_HWQUEUE_TAIL:
        ring_queue(gpu, queue, value);
        break;
    case SOFTGPU_HWQUEUE_RING_SIZE:
        if (!queue->control && value <= SOFTGPU_HWQUEUE_RING_MAX && (value & (value - 1)) == 0)
            queue->ring_size = value;
        break;
    case SOFTGPU_HWQUEUE_RING_BASE:
    case SOFTGPU_HWQUEUE_RING_BASE + 4:
        if (!queue->control)
            set_half(&queue->ring_base, reg, reg & 4 ? value : value & ~RING_ALIGNMENT);
        break;
    case SOFTGPU_HWQUEUE_READ:
    case SOFTGPU_HWQUEUE_READ + 4:
        if (!queue->control)
            set_half(&queue->read, reg, reg & 4 ? value : value & ~3u);
        break;
    case SOFTGPU_HWQUEUE_FIRST:
        queue->first = value;
        break;
    default:
        break;
    }
}

/* ---- Contexts ---- */

/* A context begins without priority and resumed. What it was called stays. */
static void control_context(struct softgpu *gpu, struct hw_context *context, uint32_t value)
{
    uint32_t number = (uint32_t)(context - gpu->hw.contexts), engine = value >> 8;
    for (unsigned i = 0; context->control && i < gpu->hw.queue_limit; i++) {
        if (hw_context_of(gpu, &gpu->hw.queues[i]) == &gpu->hw.contexts[number])
            disable_queue(gpu, &gpu->hw.queues[i]);
    }
    for (unsigned i = 0; i < SOFTGPU_ENGINE_COUNT; i++) {
        if (gpu->engines[i].schedule.context == context)
            gpu->engines[i].schedule.context = NULL;
    }
    bool good = (value & 0xFF) == SOFTGPU_HWCONTEXT_ENABLE && engine < SOFTGPU_ENGINE_COUNT;
    context->control = good ? value : 0;
    context->suspending = context->suspended = context->lost = false;
    context->suspend_fence = context->suspended_fence = 0;
    context->logged = SOFTGPU_LOG_IDLE;
    context->turn = 0;
}

void hw_suspended(struct engine *engine, struct hw_context *context)
{
    context->suspending = false;
    context->suspended = true;
    context->suspended_fence = context->suspend_fence;
    interrupt_raise(engine->gpu, SOFTGPU_INTERRUPT_SUSPENDED(engine->index));
}

static void suspend(struct engine *engine, struct hw_context *context)
{
    bool in_work = engine->schedule.running && engine->schedule.context == context;
    if (!in_work) {
        hw_suspended(engine, context);
        return;
    }
    context->suspending = true; /* it leaves at the next place */
    schedule_kick(engine);
}

static void command_context(struct softgpu *gpu, struct hw_context *context, uint32_t command)
{
    if (!context->control)
        return;
    struct engine *engine = engine_of(gpu, context);
    if (command == SOFTGPU_HWCONTEXT_SUSPEND) {
        suspend(engine, context);
    } else if (command == SOFTGPU_HWCONTEXT_RESUME) {
        context->suspending = context->suspended = false;
        schedule_kick(engine);
    }
}

static uint32_t context_status(const struct softgpu *gpu, const struct hw_context *context)
{
    const struct engine *engine = &gpu->engines[context->control >> 8];
    bool running = engine->schedule.running && engine->schedule.context == context;
    return (running ? SOFTGPU_HWCONTEXT_IS_RUNNING : 0) |
           (context->suspended ? SOFTGPU_HWCONTEXT_IS_SUSPENDED : 0) |
           (context->lost ? SOFTGPU_HWCONTEXT_IS_LOST : 0);
}

/* The registers that hold 32 bits, and mean nothing more; NULL: another one. */
static uint32_t *context_word(struct hw_context *context, uint32_t reg)
{
    switch (reg) {
    case SOFTGPU_HWCONTEXT_SPACE:
        return &context->space;
    case SOFTGPU_HWCONTEXT_QUANTUM:
        return &context->quantum_ns;
    case SOFTGPU_HWCONTEXT_GRACE_SAME:
        return &context->grace_same_ns;
    case SOFTGPU_HWCONTEXT_GRACE_LOWER:
        return &context->grace_lower_ns;
    default:
        return NULL;
    }
}

static uint32_t context_read(const struct softgpu *gpu, const struct hw_context *context,
                             uint32_t reg)
{
    const uint32_t *word = context_word((struct hw_context *)context, reg);
    if (word)
        return *word;
    switch (reg) {
    case SOFTGPU_HWCONTEXT_CONTROL:
        return context->control;
    case SOFTGPU_HWCONTEXT_BAND:
        return context->band;
    case SOFTGPU_HWCONTEXT_PRIORITY:
        return (uint32_t)context->priority;
    case SOFTGPU_HWCONTEXT_ID:
    case SOFTGPU_HWCONTEXT_ID + 4:
        return half(context->id, reg);
    case SOFTGPU_HWCONTEXT_SUSPEND_FENCE:
    case SOFTGPU_HWCONTEXT_SUSPEND_FENCE + 4:
        return half(context->suspend_fence, reg);
    case SOFTGPU_HWCONTEXT_SUSPENDED:
    case SOFTGPU_HWCONTEXT_SUSPENDED + 4:
        return half(context->suspended_fence, reg);
    case SOFTGPU_HWCONTEXT_STATUS:
        return context_status(gpu, context);
    default:
        return 0;
    }
}

static void context_write(struct softgpu *gpu, struct hw_context *context, uint32_t reg,
                          uint32_t value)
{
    uint32_t *word = context_word(context, reg);
    if (word) {
        *word = value;
        return;
    }
    switch (reg) {
    case SOFTGPU_HWCONTEXT_CONTROL:
        control_context(gpu, context, value);
        break;
    case SOFTGPU_HWCONTEXT_BAND:
        context->band = value < SOFTGPU_BAND_COUNT ? value : SOFTGPU_BAND_IDLE;
        break;
    case SOFTGPU_HWCONTEXT_PRIORITY:
        context->priority = (int32_t)value;
        break;
    case SOFTGPU_HWCONTEXT_ID:
    case SOFTGPU_HWCONTEXT_ID + 4:
        set_half(&context->id, reg, value);
        break;
    case SOFTGPU_HWCONTEXT_SUSPEND_FENCE:
    case SOFTGPU_HWCONTEXT_SUSPEND_FENCE + 4:
        set_half(&context->suspend_fence, reg, value);
        break;
    case SOFTGPU_HWCONTEXT_COMMAND:
        command_context(gpu, context, value);
        break;
    default:
        break;
    }
}

/* ---- Bands ---- */

static uint32_t *band_word(struct softgpu *gpu, uint32_t offset)
{
    struct hw_band *band = &gpu->hw.bands[offset / BAND_SIZE % SOFTGPU_BAND_COUNT];
    if (offset >= SOFTGPU_BAND_COUNT * BAND_SIZE)
        return NULL;
    switch (offset % BAND_SIZE) {
    case SOFTGPU_BAND_GRACE:
        return &band->grace_ns;
    case SOFTGPU_BAND_PROCESS_QUANTUM:
        return &band->process_quantum_ns;
    case SOFTGPU_BAND_PROCESS_GRACE:
        return &band->process_grace_ns;
    default:
        return NULL;
    }
}

/* ---- Doorbells ---- */

static uint32_t *doorbell_word(struct softgpu *gpu, uint32_t offset)
{
    uint32_t number = (offset - SOFTGPU_REG_DOORBELL(0)) / 4;
    return offset >= SOFTGPU_REG_DOORBELL(0) && number < SOFTGPU_DOORBELL_COUNT
               ? &gpu->hw.doorbells[number]
               : NULL;
}

/* ---- All of them ---- */

bool hw_goes_to(const struct softgpu *gpu, uint64_t physical, uint64_t size, char *text,
                size_t text_size)
{
    for (unsigned i = 0; i < gpu->hw.queue_limit; i++) {
        const struct hw_queue *queue = &gpu->hw.queues[i];
        uint64_t length = (uint64_t)queue->ring_size * sizeof(struct softgpu_hwqueue_entry);
        if ((queue->control & SOFTGPU_HWQUEUE_ENABLE) && !hw_is_clients(queue) &&
            address_meets(queue->ring_base, length, physical, size)) {
            snprintf(text, text_size, "the ring of hardware queue %u, which is enabled", i);
            return true;
        }
    }
    return false;
}

bool hw_released(const struct softgpu *gpu, const void *place, uint64_t value)
{
    for (unsigned i = 0; place && i < HW_RELEASES; i++) {
        if (gpu->hw.releases[i].place == place && gpu->hw.releases[i].value == value)
            return true;
    }
    return false;
}

uint32_t hw_read(const struct softgpu *gpu, uint32_t offset)
{
    const struct hw_queues *hw = &gpu->hw;
    const uint32_t *doorbell = doorbell_word((struct softgpu *)gpu, offset);
    if (doorbell)
        return *doorbell;
    if (offset == SOFTGPU_REG_NORMAL_SHARE)
        return hw->normal_share;
    if (offset >= BAND_BLOCK) {
        const uint32_t *word = band_word((struct softgpu *)gpu, offset - BAND_BLOCK);
        return word ? *word : 0;
    }
    if (offset >= CONTEXT_BLOCK)
        return context_read(gpu, &hw->contexts[(offset - CONTEXT_BLOCK) / BLOCK_SIZE],
                            offset % BLOCK_SIZE);
    return queue_read(&hw->queues[(offset - QUEUE_BLOCK) / BLOCK_SIZE], offset % BLOCK_SIZE);
}

void hw_write(struct softgpu *gpu, uint32_t offset, uint32_t value)
{
    struct hw_queues *hw = &gpu->hw;
    uint32_t *doorbell = doorbell_word(gpu, offset);
    if (doorbell) {
        *doorbell = value <= SOFTGPU_HWQUEUE_COUNT ? value : 0;
    } else if (offset == SOFTGPU_REG_NORMAL_SHARE) {
        hw->normal_share = value <= NORMAL_MAX ? value : NORMAL_MAX;
    } else if (offset >= BAND_BLOCK) {
        uint32_t *word = band_word(gpu, offset - BAND_BLOCK);
        if (word)
            *word = value;
    } else if (offset >= CONTEXT_BLOCK) {
        context_write(gpu, &hw->contexts[(offset - CONTEXT_BLOCK) / BLOCK_SIZE],
                      offset % BLOCK_SIZE, value);
    } else {
        queue_write(gpu, &hw->queues[(offset - QUEUE_BLOCK) / BLOCK_SIZE], offset % BLOCK_SIZE,
                    value);
    }
}

void hw_reset(struct softgpu *gpu)
{
    memset(&gpu->hw, 0, sizeof(gpu->hw));
}

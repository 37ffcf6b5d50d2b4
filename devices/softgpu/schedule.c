/* schedule.c: which hardware queue an engine has in work.
 *
 * The order of contexts that have work:
 *   1. the band; NORMAL goes before FOCUS while it gets its share
 *   2. in REALTIME the priority
 *   3. the process (the tag of its address space): that of the last choice until its quantum is
 *      over, then the one that was chosen longest ago
 *   4. the priority in the process
 *   5. the context, and of its queues one, in the same manner
 *
 * Who is better than what is in work waits as long as the grace period of the two says. */
#include "internal.h"

#include <string.h>

#define SWITCH_NS          400     /* to another context */
#define QUANTUM_DEFAULT_NS 1000000 /* where a register says 0 */
#define DOORBELL_NS        100

/* ---- Who has work ---- */

static bool has_entry(const struct hw_queue *queue)
{
    return (queue->control & SOFTGPU_HWQUEUE_ENABLE) &&
           (queue->begun || queue->head != queue->tail);
}

bool schedule_has_work(const struct softgpu *gpu, const struct hw_context *context)
{
    uint32_t number = (uint32_t)(context - gpu->hw.contexts);
    for (unsigned i = 0; i < gpu->hw.queue_limit; i++) {
        const struct hw_queue *queue = &gpu->hw.queues[i];
        if (has_entry(queue) && queue->control >> 8 == number)
            return true;
    }
    return false;
}

static bool may_run(const struct engine *engine, const struct hw_context *context)
{
    return context && context->control == SOFTGPU_HWCONTEXT_OF_ENGINE(engine->index) &&
           !context->suspended && !context->suspending && !context->lost;
}

static uint32_t process_of(const struct engine *engine, const struct hw_context *context)
{
    return context->space < SOFTGPU_SPACE_COUNT ? engine->gpu->mmu.spaces[context->space].tag : 0;
}

/* ---- The order ---- */

struct candidate {
    struct hw_queue *queue; /* NULL: nobody */
    struct hw_context *context;
};

static uint32_t rank_of(const struct engine *engine, const struct hw_context *context)
{
    if (context->band == SOFTGPU_BAND_NORMAL && engine->schedule.boosted)
        return SOFTGPU_BAND_FOCUS * 2 + 1;
    return context->band * 2;
}

static uint64_t quantum(uint32_t register_ns)
{
    return register_ns ? register_ns : QUANTUM_DEFAULT_NS;
}

/* Is it of the process that was chosen last, whose quantum is not over? */
static bool keeps_process(const struct engine *engine, const struct hw_context *context)
{
    const struct engine_schedule *schedule = &engine->schedule;
    uint64_t whole = quantum(engine->gpu->hw.bands[context->band].process_quantum_ns);
    return schedule->context &&
           process_of(engine, schedule->context) == process_of(engine, context) &&
           softgpu_now(engine->gpu) - schedule->process_since_ns < whole;
}

static bool keeps_context(const struct engine *engine, const struct hw_context *context)
{
    const struct engine_schedule *schedule = &engine->schedule;
    return schedule->context == context &&
           softgpu_now(engine->gpu) - schedule->context_since_ns < quantum(context->quantum_ns);
}

/* When the process was chosen last. */
static uint64_t process_turn(const struct engine *engine, uint32_t process)
{
    uint64_t turn = 0;
    for (unsigned i = 0; i < SOFTGPU_HWCONTEXT_COUNT; i++) {
        const struct hw_context *context = &engine->gpu->hw.contexts[i];
        if ((context->control & SOFTGPU_HWCONTEXT_ENABLE) && context->turn > turn &&
            process_of(engine, context) == process)
            turn = context->turn;
    }
    return turn;
}

/* Of two processes in one band. */
static bool process_is_before(const struct engine *engine, const struct hw_context *a,
                              const struct hw_context *b)
{
    bool a_keeps = keeps_process(engine, a), b_keeps = keeps_process(engine, b);
    if (a_keeps != b_keeps)
        return a_keeps;
    return process_turn(engine, process_of(engine, a)) <
           process_turn(engine, process_of(engine, b));
}

static bool context_is_before(const struct engine *engine, const struct hw_context *a,
                              const struct hw_context *b)
{
    uint32_t a_rank = rank_of(engine, a), b_rank = rank_of(engine, b);
    if (a_rank != b_rank)
        return a_rank > b_rank;
    if (a->band == SOFTGPU_BAND_REALTIME && a->priority != b->priority)
        return a->priority > b->priority;
    if (process_of(engine, a) != process_of(engine, b))
        return process_is_before(engine, a, b);
    if (a->priority != b->priority)
        return a->priority > b->priority;
    bool a_keeps = keeps_context(engine, a), b_keeps = keeps_context(engine, b);
    return a_keeps != b_keeps ? a_keeps : a->turn < b->turn;
}

/* The first in the order; not one that waits, and looks again later. */
static struct candidate choose(const struct engine *engine)
{
    struct hw_queues *hw = &engine->gpu->hw;
    uint64_t now = softgpu_now(engine->gpu);
    struct candidate best = {0};
    for (unsigned i = 0; i < hw->queue_limit; i++) {
        struct hw_queue *queue = &hw->queues[i];
        struct hw_context *context = hw_context_of(engine->gpu, queue);
        if (!has_entry(queue) || !may_run(engine, context) || queue->look_ns > now)
            continue;
        bool before = !best.queue ||
                      (context == best.context ? queue->turn < best.queue->turn
                                               : context_is_before(engine, context, best.context));
        if (before)
            best = (struct candidate){queue, context};
    }
    return best;
}

/* How long the one in work may go on although the other comes before it. */
static uint64_t grace_of(const struct engine *engine, const struct hw_context *other)
{
    const struct hw_context *current = engine->schedule.context;
    const struct hw_band *band = &engine->gpu->hw.bands[other->band];
    if (other->band != current->band)
        return other->band == SOFTGPU_BAND_IDLE ? 0 : band->grace_ns;
    if (process_of(engine, other) != process_of(engine, current))
        return band->process_grace_ns;
    return other->priority > current->priority ? other->grace_lower_ns : other->grace_same_ns;
}

/* ---- The share of NORMAL ---- */

static bool waits_in_band(const struct engine *engine, uint32_t band)
{
    const struct hw_queues *hw = &engine->gpu->hw;
    for (unsigned i = 0; i < hw->queue_limit; i++) {
        const struct hw_context *context = hw_context_of(engine->gpu, &hw->queues[i]);
        if (has_entry(&hw->queues[i]) && may_run(engine, context) && context->band == band)
            return true;
    }
    return false;
}

/* The time since it was asked last is the running context's. */
static void count_share(struct engine *engine)
{
    struct engine_schedule *schedule = &engine->schedule;
    const struct hw_queues *hw = &engine->gpu->hw;
    uint64_t now = softgpu_now(engine->gpu);
    int64_t elapsed = (int64_t)(now - schedule->counted_ns);
    schedule->counted_ns = now;
    if (!hw->normal_share || !waits_in_band(engine, SOFTGPU_BAND_NORMAL)) {
        schedule->boosted = false;
        return;
    }
    if (schedule->running && schedule->context) {
        if (schedule->context->band == SOFTGPU_BAND_FOCUS)
            schedule->credit_ns += elapsed * hw->normal_share / (100 - hw->normal_share);
        else if (schedule->context->band == SOFTGPU_BAND_NORMAL)
            schedule->credit_ns -= elapsed;
    }
    int64_t whole = (int64_t)quantum(hw->bands[SOFTGPU_BAND_NORMAL].process_quantum_ns);
    if (schedule->credit_ns >= whole)
        schedule->boosted = true;
    if (schedule->credit_ns <= 0) {
        schedule->credit_ns = 0;
        schedule->boosted = false;
    }
}

/* ---- Leaving and entering ---- */

static void trace(struct engine *engine, bool begin)
{
    struct device_bus *bus = engine->gpu->bus;
    if (engine->in_packet != begin)
        bus->operations->trace(bus, begin, engine->index,
                               pair(engine->packet.fence_low, engine->packet.fence_high));
    engine->in_packet = begin;
}

/* The queue in work keeps its place. */
static void leave(struct engine *engine)
{
    struct engine_schedule *schedule = &engine->schedule;
    struct hw_queue *queue = schedule->running;
    queue->begun = true;
    queue->place = (struct work_place){.packet = engine->packet,
                                       .offset = engine->offset,
                                       .progress = engine->progress,
                                       .backoff_ns = engine->backoff_ns,
                                       .started = engine->started};
    trace(engine, false);
    schedule->running = NULL;
    schedule->wanted_since_ns = 0;
    engine->phase = ENGINE_IDLE;
    engine->waiting = false;
}

/* Has it work that could go on now? */
static bool is_ready(const struct engine *engine, const struct hw_context *context)
{
    uint64_t now = softgpu_now(engine->gpu);
    for (unsigned i = 0; i < engine->gpu->hw.queue_limit; i++) {
        const struct hw_queue *queue = &engine->gpu->hw.queues[i];
        if (has_entry(queue) && queue->look_ns <= now &&
            hw_context_of(engine->gpu, queue) == context)
            return true;
    }
    return false;
}

/* What the log says of the last context, when another one runs, or nobody. One whose queues all
 * wait is not ready. */
static void tell_left(struct engine *engine)
{
    struct hw_context *context = engine->schedule.context;
    if (context)
        log_state(engine, context,
                  is_ready(engine, context) ? SOFTGPU_LOG_READY : SOFTGPU_LOG_IDLE);
    if (context && context->suspending)
        hw_suspended(engine, context);
}

static void change_context(struct engine *engine, struct hw_context *context, uint64_t *spent_ns)
{
    struct engine_schedule *schedule = &engine->schedule;
    uint64_t now = softgpu_now(engine->gpu);
    struct hw_context *last = schedule->context;
    bool same_process = last && process_of(engine, last) == process_of(engine, context);
    if (last != context) {
        tell_left(engine);
        *spent_ns += SWITCH_NS;
    }
    if (!same_process || !keeps_process(engine, context))
        schedule->process_since_ns = now;
    if (last != context || !keeps_context(engine, context))
        schedule->context_since_ns = now;
    context->turn = ++engine->gpu->hw.turns;
    schedule->context = context;
    log_state(engine, context, SOFTGPU_LOG_RUNNING);
}

static bool fail(struct engine *engine, uint32_t reason, uint64_t address)
{
    struct fault fault = {.reason = reason, .address = address};
    engine->offset = 0;
    engine_fail(engine, &fault, 0);
    return false;
}

static bool entry_is_valid(const struct softgpu_hwqueue_entry *entry)
{
    bool fence = entry->flags & SOFTGPU_ENTRY_FENCE;
    return !(entry->flags & ~SOFTGPU_ENTRY_FLAGS) && entry->size_bytes % 4 == 0 &&
           entry->address_low % 4 == 0 && (!fence || entry->fence_address_low % 8 == 0);
}

static bool fetch_entry(struct engine *engine, struct hw_queue *queue, uint32_t space)
{
    bool clients = hw_is_clients(queue);
    struct access access = {
        .gpu = engine->gpu, .privileged = !clients, .space = clients ? space : 0, .engine = engine};
    struct softgpu_hwqueue_entry *entry = &queue->entry;
    uint64_t place = queue->ring_base + (uint64_t)queue->head * sizeof(*entry);
    memset(&engine->packet, 0, sizeof(engine->packet));
    if (queue->tail >= queue->ring_size)
        return fail(engine, SOFTGPU_FAULT_RING, queue->tail);
    if (clients && !mmu_has_space(engine->gpu, space))
        return fail(engine, SOFTGPU_FAULT_PACKET, place);
    if (!address_read(&access, place, entry, sizeof(*entry)))
        return fail(engine, access.fault.reason, access.fault.address);
    engine->packet = (struct softgpu_packet){
        .type_flags =
            SOFTGPU_PACKET_EXECUTE | space << SOFTGPU_PACKET_VMID_SHIFT |
            (entry->flags & SOFTGPU_ENTRY_PRIVILEGED ? SOFTGPU_PACKET_FLAG_PRIVILEGED : 0),
        .address_low = entry->address_low,
        .address_high = entry->address_high,
        .size_bytes = entry->size_bytes,
        .fence_low = entry->fence_low,
        .fence_high = entry->fence_high,
    };
    if (!entry_is_valid(entry) || (clients && (entry->flags & SOFTGPU_ENTRY_PRIVILEGED)) ||
        !mmu_has_space(engine->gpu, space)) {
        engine->packet.type_flags = 0;
        return fail(engine, SOFTGPU_FAULT_PACKET, place);
    }
    engine->offset = engine->progress = engine->backoff_ns = 0;
    engine->started = false;
    return true;
}

static bool enter(struct engine *engine, const struct candidate *next, uint64_t *spent_ns)
{
    struct hw_queue *queue = next->queue;
    change_context(engine, next->context, spent_ns);
    engine->schedule.running = queue;
    queue->turn = next->context->turn;
    queue->look_ns = 0;
    if (queue->begun) {
        engine->packet = queue->place.packet;
        engine->offset = queue->place.offset;
        engine->progress = queue->place.progress;
        engine->backoff_ns = queue->place.backoff_ns;
        engine->started = queue->place.started;
        queue->begun = false;
    } else if (!fetch_entry(engine, queue, next->context->space)) {
        return false;
    }
    engine->phase = ENGINE_BUFFER;
    trace(engine, true);
    return true;
}

/* ---- For engine.c ---- */

/* Must it go, or has somebody better waited long enough? */
static bool is_left(struct engine *engine)
{
    struct engine_schedule *schedule = &engine->schedule;
    uint64_t now = softgpu_now(engine->gpu);
    if (!schedule->enabled || engine->head != engine->tail || !may_run(engine, schedule->context))
        return true;
    struct candidate best = choose(engine);
    if (!best.queue || best.context == schedule->context) {
        schedule->wanted_since_ns = 0;
        return false;
    }
    if (!schedule->wanted_since_ns)
        schedule->wanted_since_ns = now;
    return now - schedule->wanted_since_ns >= grace_of(engine, best.context);
}

bool schedule_turn(struct engine *engine, uint64_t *spent_ns)
{
    struct engine_schedule *schedule = &engine->schedule;
    if (!engine->gpu->hw.queue_limit)
        return true;
    count_share(engine);
    if (schedule->running) {
        if (!preempt_is_place(engine) || !is_left(engine))
            return true;
        leave(engine);
    }
    if (engine->phase != ENGINE_IDLE)
        return true;
    bool own = !schedule->enabled || engine->head != engine->tail; /* the ring goes first */
    struct candidate next = own ? (struct candidate){0} : choose(engine);
    if (next.queue)
        return enter(engine, &next, spent_ns);
    tell_left(engine);
    return true;
}

bool schedule_block(struct engine *engine)
{
    struct engine_schedule *schedule = &engine->schedule;
    struct hw_queue *queue = schedule->running;
    if (!queue)
        return false;
    queue->look_ns = softgpu_now(engine->gpu) + engine->backoff_ns;
    if (!choose(engine).queue) {
        queue->look_ns = 0;
        return false;
    }
    leave(engine);
    return true;
}

/* The entry's fence. It has its own alignment, and so lies in one piece. */
static bool release(struct access *access, uint64_t address, uint64_t value)
{
    struct hw_queues *hw = &access->gpu->hw;
    if (!address_write(access, address, &value, sizeof(value)))
        return false;
    hw->releases[hw->release_count++ % HW_RELEASES] =
        (struct hw_release){address_map_whole(access, address, sizeof(value), ACCESS_WRITE), value};
    return true;
}

bool schedule_finish(struct engine *engine)
{
    struct engine_schedule *schedule = &engine->schedule;
    struct hw_queue *queue = schedule->running;
    const struct softgpu_hwqueue_entry *entry = &queue->entry;
    uint64_t value = pair(entry->fence_low, entry->fence_high);
    uint32_t head = (queue->head + 1) & (queue->ring_size - 1);
    struct access access = {.gpu = engine->gpu,
                            .privileged = !hw_is_clients(queue),
                            .space = engine->packet.type_flags >> SOFTGPU_PACKET_VMID_SHIFT,
                            .engine = engine};
    count_share(engine);
    if ((entry->flags & SOFTGPU_ENTRY_FENCE) &&
        !release(&access, pair(entry->fence_address_low, entry->fence_address_high), value)) {
        engine_fail(engine, &access.fault, 0);
        return false;
    }
    if (hw_is_clients(queue) && queue->read &&
        !address_write(&access, queue->read, &head, sizeof(head))) {
        engine_fail(engine, &access.fault, 0);
        return false;
    }
    engine->gpu->counters.packets++;
    queue->head = head;
    schedule->running = NULL;
    schedule->wanted_since_ns = 0;
    engine->phase = ENGINE_IDLE;
    trace(engine, false);
    if (entry->flags & SOFTGPU_ENTRY_INTERRUPT)
        interrupt_raise(engine->gpu, SOFTGPU_INTERRUPT_USER(engine->index));
    return true;
}

void schedule_sleep(struct engine *engine)
{
    const struct hw_queues *hw = &engine->gpu->hw;
    uint64_t next = UINT64_MAX, now = softgpu_now(engine->gpu);
    for (unsigned i = 0; engine->schedule.enabled && i < hw->queue_limit; i++) {
        const struct hw_queue *queue = &hw->queues[i];
        if (has_entry(queue) && may_run(engine, hw_context_of(engine->gpu, queue)) &&
            queue->look_ns < next)
            next = queue->look_ns;
    }
    if (next != UINT64_MAX) {
        engine->waiting = true;
        engine_schedule(engine, next > now ? next - now : 0);
    }
}

/* ---- For queues.c ---- */

void schedule_kick(struct engine *engine)
{
    bool waits = engine->waiting && engine->wait_output < 0 &&
                 (engine->schedule.running || engine->phase == ENGINE_IDLE);
    if (engine->schedule.enabled && !engine->faulted &&
        (engine->control & SOFTGPU_CONTROL_ENABLE) && (!engine->busy || waits))
        engine_schedule(engine, DOORBELL_NS);
}

void schedule_drop(struct engine *engine, struct hw_queue *queue)
{
    queue->begun = false;
    queue->look_ns = 0;
    if (engine->schedule.running != queue)
        return;
    trace(engine, false);
    engine->schedule.running = NULL;
    if (engine->faulted)
        return;
    engine->phase = ENGINE_IDLE;
    engine->waiting = false;
    engine->wait_output = -1;
    engine_schedule(engine, DOORBELL_NS);
}

void schedule_reset(struct engine *engine)
{
    struct engine_schedule *schedule = &engine->schedule;
    struct hw_queues *hw = &engine->gpu->hw;
    if (schedule->running && schedule->context)
        schedule->context->lost = true;
    for (unsigned i = 0; i < SOFTGPU_HWCONTEXT_COUNT; i++) {
        struct hw_context *context = &hw->contexts[i];
        if (context->suspending && context->control >> 8 == engine->index) {
            context->suspending = false;
            context->suspended = true;
            context->suspended_fence = context->suspend_fence;
        }
    }
    memset(schedule, 0, sizeof(*schedule));
}

/* ---- Registers of an engine ---- */

uint32_t schedule_read(const struct engine *engine, uint32_t reg)
{
    const struct engine_schedule *schedule = &engine->schedule;
    switch (reg) {
    case SOFTGPU_ENGINE_SCHEDULE:
        return schedule->enabled ? SOFTGPU_SCHEDULE_ENABLE : 0;
    case SOFTGPU_ENGINE_SCHEDULED_CONTEXT:
        return schedule->running ? (uint32_t)(schedule->context - engine->gpu->hw.contexts) + 1 : 0;
    case SOFTGPU_ENGINE_LOG_ADDRESS:
        return (uint32_t)schedule->log.address;
    case SOFTGPU_ENGINE_LOG_ADDRESS + 4:
        return (uint32_t)(schedule->log.address >> 32);
    case SOFTGPU_ENGINE_LOG_SPACE:
        return schedule->log.space;
    case SOFTGPU_ENGINE_LOG_ENTRIES:
        return schedule->log.entries;
    case SOFTGPU_ENGINE_LOG_INTERRUPT:
        return schedule->log.interrupt_entry;
    case SOFTGPU_ENGINE_LOG_CONTROL:
        return schedule->log.enabled ? SOFTGPU_LOG_ENABLE : 0;
    default:
        return 0;
    }
}

void schedule_write(struct engine *engine, uint32_t reg, uint32_t value)
{
    struct engine_schedule *schedule = &engine->schedule;
    switch (reg) {
    case SOFTGPU_ENGINE_SCHEDULE:
        schedule->enabled = value & SOFTGPU_SCHEDULE_ENABLE;
        schedule_kick(engine);
        break;
    case SOFTGPU_ENGINE_LOG_ADDRESS:
        schedule->log.address = (schedule->log.address & ~0xFFFFFFFFull) | (value & ~7u);
        break;
    case SOFTGPU_ENGINE_LOG_ADDRESS + 4:
        schedule->log.address = (uint32_t)schedule->log.address | (uint64_t)value << 32;
        break;
    case SOFTGPU_ENGINE_LOG_SPACE:
        schedule->log.space = value;
        break;
    case SOFTGPU_ENGINE_LOG_ENTRIES:
        schedule->log.entries = value;
        break;
    case SOFTGPU_ENGINE_LOG_INTERRUPT:
        schedule->log.interrupt_entry = value;
        break;
    case SOFTGPU_ENGINE_LOG_CONTROL:
        log_begin(engine, value & SOFTGPU_LOG_ENABLE);
        break;
    default:
        break;
    }
}

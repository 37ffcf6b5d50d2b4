/* engine.c: rings, packets and the time they take.
 *
 *             doorbell              buffer done            fence written
 *   IDLE ───────────────> BUFFER ───────────────> ENDING ───────────────> IDLE, next packet
 *                           │  a slice a tick        (ticks when the last slice's time is over)
 *                           ├─ fault ──> faulted      until it is reset
 *                           ├─ HANG  ──> no tick any more, until it is reset
 *                           └─ preemption ──> IDLE, ring emptied (preempt.c)
 *
 * An engine does work at the beginning of the time that the work takes: it moves the bytes of a
 * slice, then asks to be called when the slice's time is over. Short commands are done together
 * until QUANTUM_NS are used; what can be seen from outside (fences, time stamps, interrupts)
 * happens at its exact time. An engine has at most one tick outstanding; `generation` tells it from
 * those that a reset or an earlier wake-up has made stale. */
#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOORBELL_NS        100
#define PACKET_NS          40
#define QUANTUM_NS         2000
#define RING_SIZE_MAX      65536u
#define FETCH_BUFFER_BYTES (0x10000u * 4)

bool engine_init(struct softgpu *gpu, unsigned index)
{
    struct engine *engine = &gpu->engines[index];
    engine->gpu = gpu;
    engine->index = index;
    engine->wait_output = -1;
    engine->fetch_buffer = malloc(FETCH_BUFFER_BYTES);
    engine->scratch = malloc(SCRATCH_BYTES);
    return engine->fetch_buffer && engine->scratch;
}

void engine_fini(struct engine *engine)
{
    free(engine->fetch_buffer);
    free(engine->scratch);
}

/* ---- Small helpers ---- */

void engine_schedule(struct engine *engine, uint64_t delay_ns)
{
    struct softgpu *gpu = engine->gpu;
    engine->busy = true;
    engine->generation = (engine->generation + 1) & TICK_GENERATION_MASK;
    softgpu_call_at(gpu, softgpu_now(gpu) + delay_ns, TICK_ENGINE, engine->index,
                    engine->generation);
}

static void trace(struct engine *engine, bool begin)
{
    struct device_bus *bus = engine->gpu->bus;
    if (engine->in_packet != begin)
        bus->operations->trace(bus, begin, engine->index,
                               pair(engine->packet.fence_low, engine->packet.fence_high));
    engine->in_packet = begin;
}

static const char *fault_name(uint32_t reason)
{
    static const char *const names[] = {
        [SOFTGPU_FAULT_BUS] = "no system memory",
        [SOFTGPU_FAULT_ADDRESS] = "an address outside of all memory",
        [SOFTGPU_FAULT_PAGE] = "no valid entry in the aperture's table",
        [SOFTGPU_FAULT_NO_EXECUTE] = "commands where none may be",
        [SOFTGPU_FAULT_RANGE] = "an address that the tables do not reach",
        [SOFTGPU_FAULT_TABLE] = "a page table where no memory is",
        [SOFTGPU_FAULT_STATE] = "no state of that context",
        [SOFTGPU_FAULT_LEFT] = "a state that moved before the engine had left its context",
        [SOFTGPU_FAULT_CONTEXT] = "a buffer of another hardware context than it is in",
        [SOFTGPU_FAULT_PRIVILEGE] = "a command without privilege",
        [SOFTGPU_FAULT_OPCODE] = "no such command here",
        [SOFTGPU_FAULT_LENGTH] = "a wrong length",
        [SOFTGPU_FAULT_OPERAND] = "a value that is not allowed",
        [SOFTGPU_FAULT_PACKET] = "a packet that is none",
        [SOFTGPU_FAULT_RING] = "a tail outside of the ring",
        [SOFTGPU_FAULT_READ_ONLY] = "a write to a page that is read only",
        [SOFTGPU_FAULT_INJECTED] = "as it was asked to",
    };

    return reason < sizeof(names) / sizeof(names[0]) && names[reason] ? names[reason] : "no reason";
}

static void stop_at(struct engine *engine, const struct fault *fault, uint32_t command)
{
    engine->faulted = true;
    engine->fault = *fault;
    engine->fault_command = command;
    engine->busy = false;
    engine->waiting = false;
    engine->wait_output = -1;
    engine->generation = (engine->generation + 1) & TICK_GENERATION_MASK;
    trace(engine, false);
}

void engine_fail(struct engine *engine, const struct fault *fault, uint32_t command)
{
    stop_at(engine, fault, command);
    softgpu_log(engine->gpu, "engine %u faulted, %s at %#llx, command %#x at offset %u",
                engine->index, fault_name(fault->reason), (unsigned long long)fault->address,
                command, engine->offset);
    interrupt_raise(engine->gpu, SOFTGPU_INTERRUPT_FAULT(engine->index));
}

void engine_fail_in_state(struct engine *engine, const struct fault *fault, uint32_t context,
                          uint32_t space)
{
    stop_at(engine, fault, 0);
    softgpu_log(engine->gpu,
                "engine %u faulted, %s at %#llx, where the packet has the state of context %u, in "
                "address space %u",
                engine->index, fault_name(fault->reason), (unsigned long long)fault->address,
                context, space);
    interrupt_raise(engine->gpu, SOFTGPU_INTERRUPT_FAULT(engine->index));
}

static void fail_packet(struct engine *engine, uint32_t reason, uint64_t address)
{
    struct fault fault = {.reason = reason, .address = address};
    engine_fail(engine, &fault, 0);
}

bool engine_write_fence(struct engine *engine, uint64_t value, struct fault *fault)
{
    struct access access = {.gpu = engine->gpu, .privileged = true};
    if (engine->gpu->test_unlocked) {
        value += (uint64_t)(int64_t)(int32_t)engine->test_fence_offset;
        engine->test_fence_offset = 0;
    }
    engine->fence = value;
    if (!engine->fence_address ||
        address_write(&access, engine->fence_address, &value, sizeof(value)))
        return true;
    *fault = access.fault;
    return false;
}

/* ---- Packets ---- */

static bool packet_is_valid(const struct softgpu *gpu, const struct softgpu_packet *packet)
{
    uint32_t type = packet->type_flags & SOFTGPU_PACKET_TYPE_MASK;
    uint32_t known = SOFTGPU_PACKET_TYPE_MASK | SOFTGPU_PACKET_FLAGS;
    bool state = type == SOFTGPU_PACKET_CONTEXT && packet->type_flags & SOFTGPU_PACKET_FLAG_STATE;
    if ((type == SOFTGPU_PACKET_EXECUTE || state) &&
        mmu_has_space(gpu, packet->type_flags >> SOFTGPU_PACKET_VMID_SHIFT))
        known |= 0xFFFFu << SOFTGPU_PACKET_VMID_SHIFT;
    if (type == SOFTGPU_PACKET_CONTEXT)
        known |= SOFTGPU_PACKET_FLAG_STATE;
    if (state)
        known |= SOFTGPU_PACKET_FLAG_KEEP;
    if (type == SOFTGPU_PACKET_EXECUTE && packet->type_flags & SOFTGPU_PACKET_FLAG_OF_CONTEXT)
        known |= SOFTGPU_PACKET_FLAG_OF_CONTEXT | 0xFFFFu << SOFTGPU_PACKET_VMID_SHIFT;
    if (packet->type_flags & ~known)
        return false; /* an address space is named that cannot be, or reserved flags are */
    switch (type) {
    case SOFTGPU_PACKET_NOP:
    case SOFTGPU_PACKET_FENCE:
        return true;
    case SOFTGPU_PACKET_CONTEXT:
        return !(packet->type_flags & SOFTGPU_PACKET_FLAG_STATE) || packet->address_low % 8 == 0;
    case SOFTGPU_PACKET_EXECUTE:
        return packet->address_low % 4 == 0 && packet->size_bytes % 4 == 0 &&
               packet->start % 4 == 0 && packet->start <= packet->size_bytes;
    default:
        return false;
    }
}

/* The packet is the engine's own copy: where it named a context, it names no address space
 * afterwards. False: it is for another context than the engine is in. */
static bool packet_is_of_context(struct engine *engine)
{
    struct softgpu_packet *packet = &engine->packet;
    uint32_t flags = packet->type_flags;
    if (!(flags & SOFTGPU_PACKET_FLAG_OF_CONTEXT))
        return true;
    packet->type_flags &= ~(SOFTGPU_PACKET_FLAG_OF_CONTEXT | 0xFFFFu << SOFTGPU_PACKET_VMID_SHIFT);
    return flags >> SOFTGPU_PACKET_VMID_SHIFT == (engine->context & 0xFFFFu);
}

static bool fetch_packet(struct engine *engine)
{
    struct access access = {.gpu = engine->gpu, .privileged = true};
    struct softgpu_packet *packet = &engine->packet;
    uint64_t place = engine->ring_base + (uint64_t)engine->head * SOFTGPU_PACKET_SIZE;
    if (!address_read(&access, place, packet, sizeof(*packet))) {
        memset(packet, 0, sizeof(*packet));
        engine_fail(engine, &access.fault, 0);
        return false;
    }
    if (!packet_is_valid(engine->gpu, packet)) {
        fail_packet(engine, SOFTGPU_FAULT_PACKET, place);
        return false;
    }
    if (!packet_is_of_context(engine)) {
        fail_packet(engine, SOFTGPU_FAULT_CONTEXT, engine->context);
        return false;
    }
    bool execute = (packet->type_flags & SOFTGPU_PACKET_TYPE_MASK) == SOFTGPU_PACKET_EXECUTE;
    engine->offset = execute ? packet->start : 0;
    engine->progress = execute ? packet->progress : 0;
    engine->started = false;
    engine->backoff_ns = 0;
    engine->phase = execute ? ENGINE_BUFFER : ENGINE_ENDING;
    trace(engine, true);
    return true;
}

static bool finish_packet(struct engine *engine)
{
    if (engine->schedule.running)
        return schedule_finish(engine);
    const struct softgpu_packet *packet = &engine->packet;
    uint32_t type = packet->type_flags & SOFTGPU_PACKET_TYPE_MASK;
    struct fault fault;
    if (type == SOFTGPU_PACKET_CONTEXT) {
        if (!engine_change_context(engine))
            return false;
    }
    if ((packet->type_flags & SOFTGPU_PACKET_FLAG_FENCE) &&
        !engine_write_fence(engine, pair(packet->fence_low, packet->fence_high), &fault)) {
        engine_fail(engine, &fault, 0);
        return false;
    }
    engine->gpu->counters.packets++;
    engine->head = (engine->head + 1) & (engine->ring_size - 1);
    engine->phase = ENGINE_IDLE;
    trace(engine, false);
    if (packet->type_flags & SOFTGPU_PACKET_FLAG_INTERRUPT)
        interrupt_raise(engine->gpu, SOFTGPU_INTERRUPT_FENCE(engine->index));
    return true;
}

/* ---- The loop ---- */

static void command_finished(struct engine *engine, const struct command *command)
{
    engine->offset += command->word_count * 4;
    engine->progress = 0;
    engine->backoff_ns = 0;
    engine->gpu->counters.commands++;
}

/* One slice of the buffer. False: the tick is over. */
static bool run_buffer(struct engine *engine, uint64_t *spent_ns)
{
    if (engine->offset >= engine->packet.size_bytes) {
        engine->phase = ENGINE_ENDING;
        return true;
    }
    struct command command;
    enum command_result result = command_step(engine, &command, *spent_ns);
    uint64_t cost_ns = command.cost_ns;
    if (engine->gpu->test_unlocked && engine->test_slow_down > 1)
        cost_ns *= engine->test_slow_down;
    *spent_ns += cost_ns;
    if (result == COMMAND_DONE || result == COMMAND_CONTINUE || command.progress)
        engine->started = true;
    engine->progress = command.progress;
    switch (result) {
    case COMMAND_DONE:
        command_finished(engine, &command);
        return true;
    case COMMAND_CONTINUE:
        return true;
    case COMMAND_WAIT:
        engine->waiting = engine->backoff_ns != 0;
        if (engine->waiting && schedule_block(engine)) {
            *spent_ns = 0; /* the time belongs to others */
            return true;
        }
        engine_schedule(engine, *spent_ns);
        return false;
    case COMMAND_WAIT_FLIP:
        engine->waiting = true;
        engine->busy = true; /* engine_flip_latched calls */
        return false;
    case COMMAND_HANG:
        engine->started = true;
        engine->busy = true; /* nobody calls */
        return false;
    case COMMAND_FAULT:
        engine_fail(engine, &command.access.fault, command.words ? command.words[0] : 0);
        return false;
    }
    return false;
}

static void run(struct engine *engine)
{
    uint64_t spent_ns = 0;
    for (;;) {
        if (engine->preempt_requested && preempt_possible(engine) && !spent_ns) {
            preempt_complete(engine);
            return;
        }
        if (!(engine->control & SOFTGPU_CONTROL_ENABLE) ||
            (!spent_ns && !schedule_turn(engine, &spent_ns)))
            return;
        if (spent_ns && (spent_ns >= QUANTUM_NS || engine->phase == ENGINE_ENDING ||
                         engine->preempt_requested)) {
            engine_schedule(engine, spent_ns);
            return;
        }
        switch (engine->phase) {
        case ENGINE_IDLE:
            if (engine->head == engine->tail) {
                schedule_sleep(engine);
                return;
            }
            if (!fetch_packet(engine))
                return;
            spent_ns += PACKET_NS;
            break;
        case ENGINE_BUFFER:
            if (!run_buffer(engine, &spent_ns))
                return;
            break;
        case ENGINE_ENDING:
            if (!finish_packet(engine))
                return;
            break;
        }
    }
}

void engine_tick(struct engine *engine, uint64_t generation)
{
    if (generation != engine->generation || engine->faulted)
        return;
    engine->busy = false;
    engine->waiting = false;
    engine->wait_output = -1;
    run(engine);
}

void engine_flip_latched(struct softgpu *gpu, unsigned output)
{
    for (unsigned i = 0; i < SOFTGPU_ENGINE_COUNT; i++) {
        if (gpu->engines[i].wait_output == (int)output)
            engine_schedule(&gpu->engines[i], 0);
    }
}

void engine_doorbell(struct engine *engine, uint32_t tail)
{
    if (engine->faulted)
        return;
    if (tail >= engine->ring_size) {
        fail_packet(engine, SOFTGPU_FAULT_RING, tail);
        return;
    }
    engine->tail = tail;
    if ((engine->control & SOFTGPU_CONTROL_ENABLE) && !engine->busy && engine->head != tail)
        engine_schedule(engine, DOORBELL_NS);
    else
        schedule_kick(engine);
}

void engine_reset(struct engine *engine)
{
    struct softgpu *gpu = engine->gpu;
    trace(engine, false);
    engine->control = 0;
    engine->ring_base = engine->fence_address = engine->preempt_address = 0;
    engine->ring_size = engine->head = engine->tail = 0;
    engine->phase = ENGINE_IDLE;
    engine->busy = engine->waiting = false;
    engine->wait_output = -1;
    engine->generation = (engine->generation + 1) & TICK_GENERATION_MASK;
    memset(&engine->packet, 0, sizeof(engine->packet));
    engine->offset = engine->progress = engine->backoff_ns = 0;
    engine->fence = 0;
    engine_forget_context(engine);
    schedule_reset(engine);
    engine->preempt_requested = false;
    memset(&engine->preempted, 0, sizeof(engine->preempted));
    engine->faulted = false;
    memset(&engine->fault, 0, sizeof(engine->fault));
    engine->fault_command = 0;
    engine->power = SOFTGPU_POWER_ON;
    mmu_forget_all(&engine->tlb);
    interrupt_forget(gpu, 0xFu << (engine->index * 4) | SOFTGPU_INTERRUPT_LOG(engine->index) |
                              SOFTGPU_INTERRUPT_SUSPENDED(engine->index));
}

/* ---- Registers ---- */

static uint32_t status(const struct engine *engine)
{
    uint32_t bits = 0;
    if (engine->busy || engine->phase != ENGINE_IDLE || engine->head != engine->tail)
        bits |= SOFTGPU_STATUS_BUSY;
    if (engine->faulted)
        bits |= SOFTGPU_STATUS_FAULTED;
    if (engine->preempt_requested)
        bits |= SOFTGPU_STATUS_PREEMPTING;
    if (engine->waiting)
        bits |= SOFTGPU_STATUS_WAITING;
    return bits;
}

static uint32_t fault_access(const struct engine *engine)
{
    uint32_t space = engine->packet.type_flags >> SOFTGPU_PACKET_VMID_SHIFT;
    return space ? engine->fault.access | engine->fault.level << 8 | space << 16 : 0;
}

static uint32_t fault_read(const struct engine *engine, uint32_t reg)
{
    if (!engine->faulted)
        return 0;
    switch (reg) {
    case SOFTGPU_ENGINE_FAULT_REASON:
        return engine->fault.reason;
    case SOFTGPU_ENGINE_FAULT_OFFSET:
        return engine->offset;
    case SOFTGPU_ENGINE_FAULT_ADDRESS:
        return (uint32_t)engine->fault.address;
    case SOFTGPU_ENGINE_FAULT_ADDRESS + 4:
        return (uint32_t)(engine->fault.address >> 32);
    case SOFTGPU_ENGINE_FAULT_ACCESS:
        return fault_access(engine);
    case SOFTGPU_ENGINE_FAULT_COMMAND:
        return engine->fault_command;
    case SOFTGPU_ENGINE_FAULT_FENCE:
        return engine->packet.fence_low;
    case SOFTGPU_ENGINE_FAULT_FENCE + 4:
        return engine->packet.fence_high;
    case SOFTGPU_ENGINE_FAULT_QUEUE:
        return engine->schedule.running
                   ? (uint32_t)(engine->schedule.running - engine->gpu->hw.queues) + 1
                   : 0;
    default:
        return 0;
    }
}

static uint32_t preempt_read(const struct engine *engine, uint32_t reg)
{
    switch (reg) {
    case SOFTGPU_ENGINE_PREEMPT_DONE:
        return engine->preempted.done;
    case SOFTGPU_ENGINE_PREEMPT_STATE:
        return engine->preempted.state;
    case SOFTGPU_ENGINE_PREEMPT_HEAD:
        return engine->preempted.head;
    case SOFTGPU_ENGINE_PREEMPT_OFFSET:
        return engine->preempted.offset;
    case SOFTGPU_ENGINE_PREEMPT_PROGRESS:
        return engine->preempted.progress;
    case SOFTGPU_ENGINE_PREEMPT_FENCE:
        return engine->preempted.fence_low;
    case SOFTGPU_ENGINE_PREEMPT_FENCE + 4:
        return engine->preempted.fence_high;
    case SOFTGPU_ENGINE_PREEMPT_ADDRESS:
        return (uint32_t)engine->preempt_address;
    case SOFTGPU_ENGINE_PREEMPT_ADDRESS + 4:
        return (uint32_t)(engine->preempt_address >> 32);
    default:
        return 0;
    }
}

uint32_t engine_read(struct engine *engine, uint32_t reg)
{
    if (reg == SOFTGPU_ENGINE_POWER)
        return engine->power;
    if (engine->power == SOFTGPU_POWER_OFF)
        return ~0u;
    if (reg >= SOFTGPU_ENGINE_SCHEDULE)
        return schedule_read(engine, reg);
    if (reg >= SOFTGPU_ENGINE_FAULT_REASON)
        return fault_read(engine, reg);
    if (reg >= SOFTGPU_ENGINE_PREEMPT)
        return preempt_read(engine, reg);
    switch (reg) {
    case SOFTGPU_ENGINE_CONTROL:
        return engine->control;
    case SOFTGPU_ENGINE_STATUS:
        return status(engine);
    case SOFTGPU_ENGINE_RING_BASE:
        return (uint32_t)engine->ring_base;
    case SOFTGPU_ENGINE_RING_BASE + 4:
        return (uint32_t)(engine->ring_base >> 32);
    case SOFTGPU_ENGINE_RING_SIZE:
        return engine->ring_size;
    case SOFTGPU_ENGINE_RING_HEAD:
        return engine->head;
    case SOFTGPU_ENGINE_RING_TAIL:
        return engine->tail;
    case SOFTGPU_ENGINE_FENCE_ADDRESS:
        return (uint32_t)engine->fence_address;
    case SOFTGPU_ENGINE_FENCE_ADDRESS + 4:
        return (uint32_t)(engine->fence_address >> 32);
    case SOFTGPU_ENGINE_FENCE:
        return (uint32_t)engine->fence;
    case SOFTGPU_ENGINE_FENCE + 4:
        return (uint32_t)(engine->fence >> 32);
    case SOFTGPU_ENGINE_CONTEXT:
        return engine->context;
    default:
        return 0;
    }
}

static void set_low(uint64_t *value, uint32_t bits)
{
    *value = (*value & ~0xFFFFFFFFull) | bits;
}

static void set_high(uint64_t *value, uint32_t bits)
{
    *value = (uint32_t)*value | (uint64_t)bits << 32;
}

static void write_control(struct engine *engine, uint32_t value)
{
    engine->control = value & (SOFTGPU_CONTROL_ENABLE | SOFTGPU_CONTROL_GRANULARITY_MASK);
    bool work = engine->head != engine->tail || engine->phase != ENGINE_IDLE;
    if ((value & SOFTGPU_CONTROL_ENABLE) && work && !engine->busy && !engine->faulted)
        engine_schedule(engine, DOORBELL_NS);
    else
        schedule_kick(engine);
}

/* The ring may be moved only while the engine is disabled and has nothing in its hands. */
static void write_ring(struct engine *engine, uint32_t reg, uint32_t value)
{
    if ((engine->control & SOFTGPU_CONTROL_ENABLE) || engine->busy || engine->phase != ENGINE_IDLE)
        return;
    if (reg == SOFTGPU_ENGINE_RING_BASE)
        set_low(&engine->ring_base, value & ~(SOFTGPU_PAGE_SIZE - 1));
    else if (reg == SOFTGPU_ENGINE_RING_BASE + 4)
        set_high(&engine->ring_base, value);
    else if (value <= RING_SIZE_MAX && (value & (value - 1)) == 0)
        engine->ring_size = value;
    engine->head = engine->tail = 0;
}

/* An engine that works on goes on: who switches it off has lost what it was at. */
static void write_power(struct engine *engine, uint32_t value)
{
    if (value > SOFTGPU_POWER_OFF)
        return;
    if (value != SOFTGPU_POWER_ON && (engine->busy || engine->phase != ENGINE_IDLE))
        softgpu_log(engine->gpu, "engine %u is put to rest with work in its hands", engine->index);
    if (value == SOFTGPU_POWER_OFF)
        engine_reset(engine);
    engine->power = value;
}

static bool rests(const struct engine *engine, uint32_t reg)
{
    if (engine->power == SOFTGPU_POWER_ON)
        return false;
    softgpu_log(engine->gpu, "engine %u rests: what is written to its register 0x%02x is lost",
                engine->index, reg);
    return true;
}

bool engine_goes_to(const struct engine *engine, uint64_t physical, uint64_t size, char *text,
                    size_t text_size)
{
    uint64_t length = (uint64_t)engine->ring_size * sizeof(struct softgpu_packet);
    const char *what = address_meets(engine->ring_base, length, physical, size) ? "ring"
                       : address_meets(engine->fence_address, sizeof(uint64_t), physical, size)
                           ? "fence"
                           : NULL;
    if (!(engine->control & SOFTGPU_CONTROL_ENABLE) || !what)
        return false;
    snprintf(text, text_size, "the %s of engine %u, which is enabled", what, engine->index);
    return true;
}

void engine_write(struct engine *engine, uint32_t reg, uint32_t value)
{
    if (reg == SOFTGPU_ENGINE_POWER) {
        write_power(engine, value);
        return;
    }
    if (rests(engine, reg))
        return;
    switch (reg) {
    case SOFTGPU_ENGINE_CONTROL:
        write_control(engine, value);
        break;
    case SOFTGPU_ENGINE_RING_BASE:
    case SOFTGPU_ENGINE_RING_BASE + 4:
    case SOFTGPU_ENGINE_RING_SIZE:
        write_ring(engine, reg, value);
        break;
    case SOFTGPU_ENGINE_RING_TAIL:
        engine_doorbell(engine, value);
        break;
    case SOFTGPU_ENGINE_FENCE_ADDRESS:
        set_low(&engine->fence_address, value);
        break;
    case SOFTGPU_ENGINE_FENCE_ADDRESS + 4:
        set_high(&engine->fence_address, value);
        break;
    case SOFTGPU_ENGINE_RESET:
        if (value == SOFTGPU_RESET_KEY) {
            engine_reset(engine);
            interrupt_acknowledge(engine->gpu, 0);
            test_after_reset(engine->gpu);
        }
        break;
    case SOFTGPU_ENGINE_PREEMPT:
        preempt_request(engine, value);
        break;
    case SOFTGPU_ENGINE_PREEMPT_ADDRESS:
        set_low(&engine->preempt_address, value);
        break;
    case SOFTGPU_ENGINE_PREEMPT_ADDRESS + 4:
        set_high(&engine->preempt_address, value);
        break;
    default:
        schedule_write(engine, reg, value);
        break;
    }
}

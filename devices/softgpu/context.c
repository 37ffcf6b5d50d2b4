/* context.c: contexts that an engine enters and leaves, and the state that it keeps of one.
 *
 *   CONTEXT ─> leaves: what it keeps is written back ─> enters: the state is read and checked
 *
 * State in memory that an engine keeps is old: it says so by having been entered once more than
 * left, in the engine's epoch. Where it was moved before the engine left, it says so for ever. */
#include "internal.h"

#include <string.h>

static bool fail(struct engine *engine, const struct access *access, uint32_t context)
{
    engine_fail_in_state(engine, &access->fault, context, access->space);
    return false;
}

static bool fail_state(struct engine *engine, uint32_t reason, uint64_t place)
{
    struct fault fault = {.reason = reason, .address = place};
    engine_fail(engine, &fault, 0);
    return false;
}

static struct access access_for(struct engine *engine, uint32_t space)
{
    return (struct access){
        .gpu = engine->gpu, .privileged = true, .space = space, .engine = engine};
}

static bool leave(struct engine *engine)
{
    struct access access = access_for(engine, engine->kept.space);
    uint64_t place = engine->kept.place;
    struct softgpu_context_state state;
    if (!place)
        return true;
    engine->kept.place = 0;
    if (!address_read(&access, place, &state, sizeof(state)))
        return fail(engine, &access, engine->kept.context);
    if (state.magic != SOFTGPU_STATE_MAGIC || state.context != engine->kept.context)
        return fail_state(engine, SOFTGPU_FAULT_LEFT, place);
    state.left_low = state.entered_low;
    state.left_high = state.entered_high;
    return address_write(&access, place, &state, sizeof(state)) ||
           fail(engine, &access, engine->kept.context);
}

static bool is_old(const struct engine *engine, const struct softgpu_context_state *state)
{
    return state->epoch == engine->epoch &&
           (state->left_low != state->entered_low || state->left_high != state->entered_high);
}

/* The packet's state is one of that context, with its root table. */
static bool is_right(const struct engine *engine, const struct softgpu_context_state *state,
                     uint32_t space)
{
    uint64_t root = pair(state->root_low, state->root_high);
    return state->magic == SOFTGPU_STATE_MAGIC && state->context == engine->packet.fence_low &&
           (!space || !root || root == engine->gpu->mmu.spaces[space].root);
}

static bool enter(struct engine *engine)
{
    const struct softgpu_packet *packet = &engine->packet;
    uint32_t space = packet->type_flags >> SOFTGPU_PACKET_VMID_SHIFT;
    bool keep = packet->type_flags & SOFTGPU_PACKET_FLAG_KEEP;
    struct access access = access_for(engine, space);
    uint64_t place = pair(packet->address_low, packet->address_high);
    struct softgpu_context_state state;
    if (!address_read(&access, place, &state, sizeof(state)))
        return fail(engine, &access, packet->fence_low);
    if (!is_right(engine, &state, space))
        return fail_state(engine, SOFTGPU_FAULT_STATE, place);
    if (keep && is_old(engine, &state))
        return fail_state(engine, SOFTGPU_FAULT_LEFT, place);
    uint64_t entered = pair(state.entered_low, state.entered_high) + 1;
    state.entered_low = (uint32_t)entered;
    state.entered_high = (uint32_t)(entered >> 32);
    if (keep) {
        state.epoch = engine->epoch;
        engine->kept.place = place;
        engine->kept.space = space;
        engine->kept.context = state.context;
    }
    return address_write(&access, place, &state, sizeof(state)) ||
           fail(engine, &access, packet->fence_low);
}

bool engine_change_context(struct engine *engine)
{
    if (!leave(engine) ||
        ((engine->packet.type_flags & SOFTGPU_PACKET_FLAG_STATE) && !enter(engine)))
        return false;
    engine->context = engine->packet.fence_low;
    return true;
}

void engine_forget_context(struct engine *engine)
{
    engine->context = 0;
    memset(&engine->kept, 0, sizeof(engine->kept));
    engine->epoch = ++engine->gpu->epochs;
}

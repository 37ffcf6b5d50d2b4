/* The null context of a node. A GPU may keep the state of the context that it ran last, and write
 * it back where it is when another one is entered. Before memory of a context goes from its place,
 * the GPU is asked to leave that context, unless it surely has [SUBMIT-041]:
 *
 *   submitted ──> perhaps on the GPU ──a later packet of another context is done──> left
 *                         │                                                          ^
 *        its memory is to move ─> an empty packet of no context, with ContextSwitch ─┘
 *
 * A reset, or power that was gone, ends it, too. */
#include "dxgk/context_memory.h"
#include "dxgk/work.h"

/* ---- Who is on the GPU --------------------------------------------------------------------- */

/* Work of a hardware queue is no context that the kernel sends the node to: what a context had
 * there before may be there still. */
void dxgk_entered(struct dxgk_packet *packet)
{
    struct dxgk_engine *engine = &packet->adapter->engines[packet->context->node];

    if (packet->vidsch.kind == VIDSCH_PACKET_HW_QUEUE) {
        return;
    }
    packet->entry = packet->context->entry = ++engine->entries;
}

void dxgk_entry_done(const struct dxgk_packet *packet)
{
    struct dxgk_engine *engine = &packet->adapter->engines[packet->context->node];

    if (packet->entry > engine->done.entry) {
        engine->done.entry = packet->entry;
        engine->done.context = packet->context->life.number;
    }
}

void dxgk_entry_forget(struct dxgk_adapter *adapter, unsigned node)
{
    adapter->engines[node].forgotten = adapter->engines[node].entries;
}

void dxgk_entries_forget(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->node_count; i++) {
        dxgk_entry_forget(adapter, i);
    }
}

static bool may_be_entered(const struct dxgk_context *context)
{
    const struct dxgk_engine *engine = &context->device->adapter->engines[context->node];

    return context->entry > engine->forgotten &&
           !(engine->done.entry > context->entry && engine->done.context != context->life.number);
}

/* ---- The packet ---------------------------------------------------------------------------- */

/* The last commands that ran are a client's by virtual address: the driver of such contexts sees
 * nothing else. */
static void submit_virtual(struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;
    DXGKARG_SUBMITCOMMANDVIRTUAL arguments = {
        .SubmissionFenceId = packet->vidsch.fence_id,
        .Flags = packet->flags,
        .NodeOrdinal = packet->context->node,
    };

    arguments.Flags.Resubmission = packet->vidsch.resubmission_count > 0;
    (void)ddi_submit_command_virtual(&adapter->ddi, adapter->ddi.miniport_context, &arguments,
                                     packet->vidsch.object);
}

static void null_submit(struct dxgk_packet *packet)
{
    DXGKARG_SUBMITCOMMAND arguments = {
        .SubmissionFenceId = packet->vidsch.fence_id,
        .Flags = packet->flags,
        .NodeOrdinal = packet->context->node,
    };

    if (packet->leaves_virtual || !ddi_has(&packet->adapter->ddi, POINT_SubmitCommand)) {
        submit_virtual(packet);
    } else {
        dxgk_submit_command(packet, &arguments);
    }
}

static void null_done(struct dxgk_packet *packet, NTSTATUS status)
{
    packet->adapter->engines[packet->context->node].leaving = false;
    dxgk_worker_kick(packet->adapter); /* what waited to be built */
}

static const struct dxgk_road null_road = {
    .name = "context switch",
    .kind = VIDSCH_PACKET_CONTEXT_SWITCH,
    .submit = null_submit,
    .done = null_done,
};

/* NULL: no memory. */
static struct dxgk_context *null_context(struct dxgk_adapter *adapter, unsigned node)
{
    struct dxgk_engine *engine = &adapter->engines[node];

    if (!engine->null) {
        (void)dxgk_context_make_null(adapter->system_device, node, &engine->null);
    }
    return engine->null;
}

/* False: there is no memory for it. */
static bool leave(const struct dxgk_context *context)
{
    struct dxgk_adapter *adapter = context->device->adapter;
    struct dxgk_engine *engine = &adapter->engines[context->node];
    struct dxgk_context *null = null_context(adapter, context->node);
    struct dxgk_packet *packet = null ? dxgk_packet_new(null, &null_road) : NULL;

    if (!packet) {
        return false;
    }
    packet->flags.ContextSwitch = 1;
    packet->leaves_virtual = context->virtual_addresses;
    engine->leaving = true;
    record_count("submissions.context_switches", 1);
    dxgk_packet_push(packet);
    return true;
}

static bool is_asked(const struct dxgk_adapter *adapter)
{
    return adapter->caps.SchedulingCaps.PreemptionAware && adapter->state == DXGK_ADAPTER_RUNNING &&
           dxgk_adapter_has_hardware(adapter);
}

/* ---- Before its memory goes ---------------------------------------------------------------- */

/* What is unmapped, moved or forgotten was in its place until now. */
static bool takes_away(const struct vidmm_op *op)
{
    switch (op->kind) {
    case VIDMM_OP_TRANSFER:
    case VIDMM_OP_VIRTUAL_TRANSFER:
        return op->move.source.segment != 0;
    case VIDMM_OP_UNMAP_APERTURE:
        return !op->aperture.temporary;
    case VIDMM_OP_UPDATE_TABLE:
        return op->update.entries == VIDMM_ENTRIES_INVALID;
    case VIDMM_OP_DISCARD:
        return true;
    default:
        return false;
    }
}

static bool concerns(const struct dxgk_context_memory *memory, const struct dxgk_context *context)
{
    return (!memory->context || memory->context == context) && may_be_entered(context);
}

/* One that may be on the GPU; NULL: none. */
static struct dxgk_context *entered_of(const struct dxgk_context_memory *memory)
{
    list_for_each (link, &memory->device->contexts) {
        struct dxgk_context *context = container_of(link, struct dxgk_context, life.link);
        if (concerns(memory, context)) {
            return context;
        }
    }
    return NULL;
}

/* The same of a space whose tables leave: the GPU may keep a state that it writes back by address.
 */
static struct dxgk_context *entered_in(const struct dxgk_adapter *adapter,
                                       const struct vidmm_space *space)
{
    list_for_each (outer, &adapter->devices) {
        const struct dxgk_device *device = container_of(outer, struct dxgk_device, life.link);
        list_for_each (link, &device->contexts) {
            struct dxgk_context *context = container_of(link, struct dxgk_context, life.link);
            if (device->process && &device->process->space.memory == space &&
                dxgk_context_memory_any(context) && may_be_entered(context)) {
                return context;
            }
        }
    }
    return NULL;
}

/* Whom the GPU has to leave before the operation is built. NULL: nobody. */
static struct dxgk_context *to_leave(const struct dxgk_adapter *adapter, const struct vidmm_op *op)
{
    if (op->kind == VIDMM_OP_UPDATE_TABLE && op->update.away) {
        return entered_in(adapter, op->space);
    }
    if (!op->allocation || !(op->allocation->flags & VIDMM_ALLOCATION_CONTEXT) || !takes_away(op)) {
        return NULL;
    }
    return entered_of(container_of(op->allocation, struct dxgk_context_memory, memory));
}

bool dxgk_context_left(const struct dxgk_adapter *adapter)
{
    const struct vidmm_op *op = dxgk_context_memories_exist() && is_asked(adapter)
                                    ? vidmm_paging_peek(adapter->vidmm)
                                    : NULL;
    const struct dxgk_context *context = op ? to_leave(adapter, op) : NULL;

    if (!context) {
        return true;
    }
    if (adapter->engines[context->node].leaving || leave(context)) {
        return false;
    }
    return true; /* no memory: as on systems before this packet was */
}

void dxgk_context_leave(struct dxgk_context *context)
{
    struct dxgk_adapter *adapter = context->device->adapter;
    const struct dxgk_engine *engine = &adapter->engines[context->node];

    while (dxgk_context_memory_any(context) && may_be_entered(context) && is_asked(adapter)) {
        if (!engine->leaving && !leave(context)) {
            return;
        }
        if (engine->leaving) { /* it may have been done at once */
            wait_queue_wait(&engine->null->changed, MACHINE_NEVER);
        }
    }
}

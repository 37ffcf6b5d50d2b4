/* Paging: turns vidmm's operations into BuildPagingBuffer calls and packets on the paging node.
 *
 *     vidmm_paging_next ─> build (once or, with INSUFFICIENT_DMA_BUFFER, several times)
 *          │                    └─> each produced part: one packet of the system context
 *          └─ nothing produced: done when everything before it is
 *     last packet done ─> vidmm_paging_done, in the order handed out
 *
 * The worker builds, and nobody else: whoever made vidmm queue operations kicks it. The operation
 * in hand is what it could not finish building for the time being:
 *
 *     none in hand ──vidmm_paging_next──> building ──built──> none in hand
 *                                          │    ^
 *                          no buffer is free    │ the worker comes round again
 *                                          v    │
 *                                         in hand ──a reset──> given up
 *
 * Operations are packed into a paging buffer one behind the other [PAGE-008]. Where the paging node
 * has GPU virtual addresses, packets name theirs in the system's space [PAGE-024]. */
#include "dxgk/companion.h"
#include "dxgk/context_memory.h"
#include "dxgk/device_mmu.h"
#include "dxgk/gart.h"
#include "dxgk/leads.h"
#include "dxgk/paging_queue.h"
#include "dxgk/paging_room.h"
#include "dxgk/ranges.h"
#include "dxgk/work.h"

#include <stdlib.h>

#include <xxhash.h>

#define NO_PROGRESS_MAX 8 /* fresh buffers in a row without progress: PAGE-007 */

/* ---- The end of operations ------------------------------------------------------------------- */

/* Ends operations from the front while they are complete; vidmm wants them in order. */
static void finish_in_order(struct dxgk_adapter *adapter)
{
    bool any = false;

    while (!list_empty(&adapter->paging.running)) {
        struct paging_operation *operation =
            container_of(adapter->paging.running.next, struct paging_operation, link);
        if (!operation->built || operation->packet_count > 0) {
            break;
        }
        list_remove(&operation->link);
        dxgk_paging_release(operation);
        dxgk_paging_look(adapter, operation);
        dxgk_ranges_after(adapter, operation->op);
        /* What ended before a reset, and is heard of behind it, may be lost: vram_lost. */
        operation->op->unseen =
            adapter->state == DXGK_ADAPTER_RESETTING || adapter->state == DXGK_ADAPTER_LOST;
        vidmm_paging_done(operation->op, operation->status);
        dxgk_copied_free(operation);
        dxgk_companion_leave(operation);
        free(operation);
        any = true;
    }
    if (any) {
        dxgk_leads_look(adapter);
        dxgk_memory_changed(adapter);
        dxgk_paging_kick(adapter); /* for what waited for these */
    }
}

void dxgk_paging_part_done(struct dxgk_packet *packet, NTSTATUS status)
{
    struct dxgk_adapter *adapter = packet->adapter;
    struct paging_operation *operation = packet->paging.operation;
    struct paging_buffer *buffer = packet->paging.buffer;

    CHECK_THAT(operation->packet_count > 0 && buffer->packet_count > 0);
    if (!NT_SUCCESS(status)) {
        operation->status = status;
    }
    operation->packet_count--;
    buffer->packet_count--;
    dxgk_paging_give_buffer_back(adapter, buffer);
    if (adapter->paging.in_hand) {
        dxgk_worker_kick(adapter); /* may have waited for this buffer */
    }
    finish_in_order(adapter);
}

/* ---- Building -------------------------------------------------------------------------------- */

/* What one call of the driver came to. */
struct outcome {
    NTSTATUS status;
    UINT end, private_end; /* where it stopped writing in the buffer */
    bool moved_on;         /* with another multipass offset than before */
    uint64_t progress_id;  /* of a hardware queue: what the part's end signals; 0: none */
};

/* One call's outcome as a packet: [used, end) of the buffer. */
static bool push_part(struct dxgk_adapter *adapter, struct paging_operation *operation,
                      const struct outcome *outcome)
{
    struct dxgk_context *stream = dxgk_companion_or(operation, dxgk_paging_stream(adapter));
    struct dxgk_packet *packet = dxgk_packet_new(stream, dxgk_paging_road(adapter));
    struct paging_buffer *buffer = adapter->paging.current;

    if (!packet) {
        return false;
    }
    packet->paging.operation = operation;
    packet->paging.buffer = buffer;
    packet->start = buffer->used;
    packet->end = outcome->end;
    packet->private_start = buffer->private_used;
    packet->private_end = outcome->private_end;
    packet->flags.Paging = 1;
    packet->vidsch.progress_id = outcome->progress_id;
    buffer->used = outcome->end;
    buffer->private_used = outcome->private_end;
    buffer->packet_count++;
    operation->packet_count++;
    vidsch_push(&stream->vidsch, &packet->vidsch); /* the worker runs the node */
    return true;
}

static void call_driver(struct dxgk_adapter *adapter, struct paging_operation *operation,
                        struct outcome *outcome)
{
    struct paging_buffer *buffer = adapter->paging.current;
    UINT size = adapter->paging_buffer_size, private_size = adapter->paging_private_size;
    uint8_t *private_data = buffer->dma->private_data;
    DXGKARG_BUILDPAGINGBUFFER arguments = {
        .pDmaBuffer = buffer->dma->bytes + buffer->used,
        .DmaSize = size - buffer->used,
        .pDmaBufferPrivateData = private_data ? private_data + buffer->private_used : NULL,
        .DmaBufferPrivateDataSize = private_size - buffer->private_used,
        .MultipassOffset = operation->op->owner_multipass,
    };

    if (adapter->features.wddm2) {
        arguments.hSystemContext =
            dxgk_companion_or(operation, adapter->system_context)->driver_handle;
        arguments.DmaBufferWriteOffset = buffer->used;
        arguments.DmaBufferGpuVirtualAddress = buffer->dma->virtual_address;
    }
    outcome->status = dxgk_paging_tell(adapter, operation, &arguments);
    size_t end = (size_t)((uint8_t *)arguments.pDmaBuffer - buffer->dma->bytes);
    size_t private_end = (size_t)((uint8_t *)arguments.pDmaBufferPrivateData - private_data);
    /* A pointer outside the buffer is a fatal breach [PAGE-009, PAGE-017]; never use it. */
    outcome->end = end >= buffer->used && end <= size ? (UINT)end : buffer->used;
    outcome->private_end = private_end >= buffer->private_used && private_end <= private_size
                               ? (UINT)private_end
                               : buffer->private_used;
    outcome->moved_on = arguments.MultipassOffset != operation->op->owner_multipass;
    operation->op->owner_multipass = arguments.MultipassOffset;
}

static void end_building(struct paging_operation *operation, NTSTATUS status)
{
    CHECK_THAT(!operation->built);
    operation->built = true;
    if (!NT_SUCCESS(status)) {
        operation->status = status;
    }
}

/* Did a fresh buffer help? Not if MultipassOffset stays and what the driver wrote, if anything, is
 * what it wrote into the last one: then it will write it for ever. */
static bool got_on(struct dxgk_adapter *adapter, const struct outcome *outcome)
{
    const uint8_t *bytes = adapter->paging.current->dma->bytes;
    uint64_t content = XXH3_64bits(bytes, outcome->end), before = adapter->paging.last_content;

    adapter->paging.last_content = content;
    return outcome->moved_on || (outcome->end > 0 && content != before);
}

static void no_progress(struct dxgk_adapter *adapter, struct paging_operation *operation,
                        UINT bytes)
{
    if (++adapter->paging.no_progress < NO_PROGRESS_MAX) {
        return;
    }
    struct dxgk_allocation *allocation = dxgk_paging_allocation(operation->op);
    contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(PAGE_007),
                                               .object = allocation ? allocation->object : 0,
                                               .fatal = true},
                    "progress with an empty paging buffer of PagingBufferSize",
                    "INSUFFICIENT_DMA_BUFFER %u times in a row for %s, each time with "
                    "MultipassOffset left at 0x%X and %s%u bytes written to a fresh buffer of %u",
                    NO_PROGRESS_MAX, vidmm_op_name(operation->op->kind),
                    operation->op->owner_multipass, bytes > 0 ? "the same " : "", bytes,
                    adapter->paging_buffer_size);
    end_building(operation, STATUS_UNSUCCESSFUL);
}

/* A packet without commands; not while a reset is cleaned up after, for it would run later, and not
 * by virtual address [SUBV-006]. */
static bool wants_empty_part(const struct dxgk_adapter *adapter, NTSTATUS status)
{
    return NT_SUCCESS(status) && !adapter->mmu.pages && adapter->state == DXGK_ADAPTER_RUNNING &&
           vary_happens(VARY_EMPTY_PAGING, 2);
}

/* What goes to a hardware queue ends by writing its progress fence. */
static void signal_end(struct dxgk_adapter *adapter, const struct paging_operation *operation,
                       struct outcome *outcome)
{
    struct dxgk_paging_signal signal = {
        .buffer = adapter->paging.current,
        .at = outcome->end,
        .private_at = outcome->private_end,
        .object = operation->op->allocation ? operation->op->allocation->object : 0,
    };

    if (!adapter->paging.queue) {
        return;
    }
    dxgk_paging_queue_signal(adapter, &signal);
    outcome->end = signal.at;
    outcome->private_end = signal.private_at;
    outcome->progress_id = signal.progress_id;
}

static void build_once(struct dxgk_adapter *adapter, struct paging_operation *operation)
{
    struct outcome outcome = {0};

    while (dxgk_paging_leave_little(adapter, operation, &outcome.end, &outcome.private_end)) {
        signal_end(adapter, operation, &outcome);
        adapter->paging.current->fresh = false;
        if (!push_part(adapter, operation, &outcome)) {
            end_building(operation, STATUS_NO_MEMORY);
            return;
        }
    }
    bool fresh = adapter->paging.current->fresh;
    call_driver(adapter, operation, &outcome);
    adapter->paging.current->fresh = false;
    UINT bytes = outcome.end - adapter->paging.current->used;
    dxgk_paging_note_size(adapter, operation, outcome.status, bytes);
    bool produced = bytes > 0, helped = !fresh || got_on(adapter, &outcome);
    bool submitted = produced || wants_empty_part(adapter, outcome.status);
    if (submitted) {
        signal_end(adapter, operation, &outcome);
        dxgk_paging_note_part(adapter, outcome.end - adapter->paging.current->used);
    }
    if (submitted && !push_part(adapter, operation, &outcome)) {
        outcome.status = STATUS_NO_MEMORY;
    }
    if (outcome.status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
        contract_count(RULE_PAGE_007);
        if (fresh && !helped) {
            no_progress(adapter, operation, bytes);
        } else if (produced || outcome.moved_on) {
            adapter->paging.no_progress = 0;
        }
        dxgk_paging_close_buffer(adapter);
        return;
    }
    adapter->paging.no_progress = 0;
    if (NT_SUCCESS(outcome.status)) {
        vidmm_paging_told(operation->op);
    }
    if (NT_SUCCESS(outcome.status) && dxgk_paging_fills_up(adapter, operation, bytes)) {
        operation->op->owner_multipass = operation->op->owner_calls = 0;
        return;
    }
    end_building(operation, outcome.status);
    if (adapter->paging.current->used > adapter->paging_buffer_size) {
        dxgk_paging_close_buffer(adapter); /* the signal took the last of it */
    }
}

/* False: no buffer is free. */
static bool build(struct dxgk_adapter *adapter, struct paging_operation *operation)
{
    while (!operation->built) {
        if (dxgk_computer_does(adapter, operation->op)) {
            end_building(operation, dxgk_computer_do(adapter, operation->op));
        } else if (dxgk_computer_is_alone(adapter)) {
            end_building(operation, STATUS_DEVICE_REMOVED);
        } else if (vidmm_op_is_immediate(operation->op)) {
            end_building(operation, dxgk_pagetable_do(adapter, operation));
        } else if (dxgk_paging_have_buffer(adapter)) {
            build_once(adapter, operation);
        } else {
            return false;
        }
    }
    return true;
}

/* The driver's own copy: what it writes there, nobody reads. */
static bool list_pages(struct paging_operation *operation)
{
    const struct vidmm_op *op = operation->op;

    operation->pages =
        nt_memory_hand(op->frame_count * sizeof *operation->pages, "the pages of Adl");
    for (size_t i = 0; operation->pages && i < op->frame_count; i++) {
        operation->pages[i] = op->frames[i];
    }
    return operation->pages != NULL;
}

/* Are pages of system memory told by a list? */
static bool has_list(const struct vidmm_op *op)
{
    return op->kind == VIDMM_OP_TRANSFER || op->kind == VIDMM_OP_MAP_APERTURE ||
           (op->kind == VIDMM_OP_INIT_CONTEXT && op->fill.destination.segment == 0);
}

static bool describe_memory(const struct dxgk_adapter *adapter, struct paging_operation *operation)
{
    const struct vidmm_op *op = operation->op;

    if (dxgk_computer_does(adapter, op)) {
        return true; /* nobody is told */
    }
    if (op->frames && op->kind == VIDMM_OP_MAP_APERTURE && adapter->features.address_lists) {
        return list_pages(operation) && dxgk_aperture_view(operation);
    }
    if (op->kind == VIDMM_OP_SPECIAL_LOCK) { /* there is no MdlOffset: it begins with the piece */
        size_t count = op->frame_count - op->frame_first;
        operation->mdl =
            nt_mdl_from_frames(op->frames + op->frame_first, count, 0, count * MACHINE_PAGE_SIZE);
        return operation->mdl != NULL;
    }
    if (op->frames && has_list(op)) {
        operation->mdl =
            nt_mdl_from_frames(op->frames, op->frame_count, 0, op->frame_count * MACHINE_PAGE_SIZE);
        return operation->mdl != NULL;
    }
    return dxgk_device_mmu_describe(operation);
}

/* NULL: none may be started now. */
static struct paging_operation *take_operation(struct dxgk_adapter *adapter,
                                               struct vidmm_op *(*next)(struct vidmm *vidmm))
{
    struct paging_operation *operation = calloc(1, sizeof *operation);

    if (!operation || !(operation->op = next(adapter->vidmm))) {
        free(operation);
        return NULL;
    }
    dxgk_companion_enter(adapter, operation);
    dxgk_paging_beside(adapter, operation);
    list_push_back(&adapter->paging.running, &operation->link);
    dxgk_aperture_before(adapter, operation);
    dxgk_gart_before(adapter, operation->op);
    dxgk_copied_before(adapter, operation);
    if (!describe_memory(adapter, operation) || !dxgk_pagetable_prepare(adapter, operation)) {
        end_building(operation, STATUS_NO_MEMORY);
    }
    return operation;
}

void dxgk_paging_build(struct dxgk_adapter *adapter)
{
    CHECK_THAT(task_self() == adapter->worker);
    while (adapter->paging.in_hand || vidmm_paging_waiting(adapter->vidmm)) {
        if (!adapter->paging.in_hand && !dxgk_context_left(adapter)) {
            return;
        }
        if (!adapter->paging.in_hand &&
            !(adapter->paging.in_hand = take_operation(adapter, vidmm_paging_next))) {
            break;
        }
        if (!dxgk_companion_turn(adapter, adapter->paging.in_hand) ||
            !dxgk_space_rests(adapter->paging.in_hand) ||
            !build(adapter, adapter->paging.in_hand)) {
            return;
        }
        adapter->paging.in_hand = NULL;
        finish_in_order(adapter);
    }
    if (!vary_happens(VARY_PAGING_RESTS, 1)) {
        dxgk_paging_close_buffer(adapter); /* so that it can be used from its start again */
    }
}

void dxgk_paging_kick(struct dxgk_adapter *adapter)
{
    if (vidmm_paging_waiting(adapter->vidmm)) {
        dxgk_worker_kick(adapter);
    }
}

/* ---- Reset ----------------------------------------------------------------------------------- */

bool dxgk_paging_abandon(struct dxgk_adapter *adapter, uint64_t deadline_ns)
{
    CHECK_THAT(task_self() == adapter->worker);
    if (adapter->display_only) {
        return true; /* there is no memory to page */
    }
    struct vidsch_context *system = &dxgk_paging_stream(adapter)->vidsch;

    vidsch_context_cancel(system); /* what did not get to the hardware was built for other memory */
    if (!vidsch_context_wait_idle(system, deadline_ns) ||
        !dxgk_companions_abandon(adapter, deadline_ns)) {
        return false;
    }
    if (adapter->paging.in_hand) {
        end_building(adapter->paging.in_hand, STATUS_DEVICE_REMOVED);
        adapter->paging.in_hand = NULL;
    }
    finish_in_order(adapter);
    dxgk_spaces_go_on(adapter);
    dxgk_paging_close_buffer(adapter);
    adapter->paging.no_progress = 0;
    CHECK_THAT(list_empty(&adapter->paging.running));
    return true;
}

void dxgk_paging_clean_up(struct dxgk_adapter *adapter)
{
    const unsigned buffer_max = adapter->paging.buffer_max;
    struct paging_operation *operation;

    CHECK_THAT(task_self() == adapter->worker);
    /* Whatever the driver writes for the hardware runs after the restart: no buffer comes back. */
    if (buffer_max == DXGK_PAGING_BUFFERS_MAX) {
        adapter->paging.buffer_max = DXGK_PAGING_BUFFERS_CLEANING;
    }
    while ((operation = take_operation(adapter, vidmm_reset_next))) {
        if (!build(adapter, operation)) {
            end_building(operation, STATUS_NO_MEMORY);
        }
        finish_in_order(adapter);
    }
    adapter->paging.buffer_max = buffer_max;
    dxgk_paging_close_buffer(adapter);
}

/* Paging: turns vidmm's operations into BuildPagingBuffer calls and packets on the paging node.
 *
 *     vidmm_paging_next ─> build (once or, with INSUFFICIENT_DMA_BUFFER, several times)
 *          │                    └─> each produced part: one packet of the system context
 *          └─ nothing produced: done when everything before it is
 *     last packet done ─> vidmm_paging_done, in the order handed out
 *
 * Operations are packed into a paging buffer one behind the other [PAGE-008]; a buffer is reused
 * when all its packets are done. One task at a time builds; others leave it to him. */
#include "dxgk/internal.h"

#include <stdlib.h>
#include <string.h>

#define NO_PROGRESS_MAX 8 /* fresh buffers in a row without progress: PAGE-007 */

/* ---- What vidmm asks ----------------------------------------------------------------------- */

static void *map_segment(struct vidmm *vidmm, unsigned segment, uint64_t offset, size_t size)
{
    const struct vidmm_segment_options *options = vidmm_segment(vidmm, segment);

    return bus_memory_at(options->cpu_base_address + offset, size);
}

static void unmap_segment(struct vidmm *vidmm, unsigned segment, uint64_t offset, void *view,
                          size_t size)
{
    /* The view is the bus's own: nothing to undo. */
}

static bool read_segment(struct vidmm *vidmm, unsigned segment, uint64_t offset, void *bytes,
                         size_t size)
{
    const struct vidmm_segment_options *options = vidmm_segment(vidmm, segment);
    const void *memory = options->flags & VIDMM_SEGMENT_CPU_VISIBLE
                             ? bus_memory_at(options->cpu_base_address + offset, size)
                             : NULL;

    if (memory) {
        memcpy(bytes, memory, size);
    }
    return memory != NULL;
}

static void shadow_mismatch(struct vidmm *vidmm, const struct vidmm_mismatch *mismatch)
{
    enum contract_rule rule =
        mismatch->op->kind == VIDMM_OP_FILL ? CONTRACT_JUDGES(FILL_003) : CONTRACT_JUDGES(XFER_020);
    const struct vidmm_allocation *allocation = mismatch->op->allocation;

    contract_breach(
        &(struct contract_finding){.rule = rule, .object = allocation ? allocation->object : 0},
        "destination bytes equal to the source when the paging fence completes",
        "%s: byte 0x%llX is 0x%02X, expected 0x%02X; %llu bytes differ",
        vidmm_op_name(mismatch->op->kind), (unsigned long long)mismatch->offset, mismatch->actual,
        mismatch->expected, (unsigned long long)mismatch->wrong_bytes);
    record_count("memory.lost", mismatch->wrong_bytes);
}

const struct vidmm_backend dxgk_vidmm_backend = {
    .map_segment = map_segment,
    .unmap_segment = unmap_segment,
    .read_segment = read_segment,
    .shadow_mismatch = shadow_mismatch,
};

/* ---- Arguments of an operation --------------------------------------------------------------- */

static struct dxgk_allocation *allocation_of(const struct vidmm_op *op)
{
    return op->allocation ? container_of(op->allocation, struct dxgk_allocation, memory) : NULL;
}

static HANDLE driver_allocation(const struct vidmm_op *op)
{
    struct dxgk_allocation *allocation = allocation_of(op);

    return allocation ? allocation->driver_handle : NULL;
}

/* The device that owns the allocation; NULL for primaries and DMA buffers [MAPAP-002]. */
static HANDLE driver_device(const struct vidmm_op *op)
{
    struct dxgk_allocation *allocation = allocation_of(op);

    return allocation && !allocation->primary && allocation->owner
               ? allocation->owner->driver_handle
               : NULL;
}

/* Fills in one side of a transfer: a segment's address, or the MDL. */
#define FILL_SIDE(target, side, system_mdl)                              \
    do {                                                                 \
        (target).SegmentId = (side).segment;                             \
        if ((side).segment) {                                            \
            (target).SegmentAddress.QuadPart = (LONGLONG)(side).address; \
        } else {                                                         \
            (target).pMdl = (system_mdl);                                \
        }                                                                \
    } while (0)

static void fill_transfer(struct paging_operation *operation, DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    const struct vidmm_op *op = operation->op;
    const struct dxgk_allocation *allocation = allocation_of(op);
    bool swizzled = allocation && allocation->info.Flags.Swizzled;

    arguments->Operation = DXGK_OPERATION_TRANSFER;
    arguments->Transfer.hAllocation = driver_allocation(op);
    arguments->Transfer.TransferOffset = (UINT)op->move.offset;
    arguments->Transfer.TransferSize = op->move.size_bytes;
    FILL_SIDE(arguments->Transfer.Source, op->move.source, operation->mdl);
    FILL_SIDE(arguments->Transfer.Destination, op->move.destination, operation->mdl);
    arguments->Transfer.Flags.Swizzle = swizzled && op->move.destination.segment != 0;
    arguments->Transfer.Flags.Unswizzle = swizzled && op->move.source.segment != 0;
    arguments->Transfer.Flags.AllocationIsIdle = op->idle;
    arguments->Transfer.Flags.TransferStart = op->move.start;
    arguments->Transfer.Flags.TransferEnd = op->move.end;
    arguments->Transfer.MdlOffset = (UINT)op->frame_first;
}

static void fill_aperture(struct paging_operation *operation, DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    const struct vidmm_op *op = operation->op;

    if (op->kind == VIDMM_OP_MAP_APERTURE) {
        arguments->Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT;
        arguments->MapApertureSegment.hDevice = driver_device(op);
        arguments->MapApertureSegment.hAllocation = driver_allocation(op);
        arguments->MapApertureSegment.SegmentId = op->aperture.segment;
        arguments->MapApertureSegment.OffsetInPages = op->aperture.page_first;
        arguments->MapApertureSegment.NumberOfPages = op->aperture.page_count;
        arguments->MapApertureSegment.pMdl = operation->mdl;
        arguments->MapApertureSegment.Flags.CacheCoherent = op->aperture.coherent;
        arguments->MapApertureSegment.MdlOffset = (ULONG)op->frame_first;
        return;
    }
    arguments->Operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
    arguments->UnmapApertureSegment.hDevice = driver_device(op);
    arguments->UnmapApertureSegment.hAllocation = driver_allocation(op);
    arguments->UnmapApertureSegment.SegmentId = op->aperture.segment;
    arguments->UnmapApertureSegment.OffsetInPages = op->aperture.page_first;
    arguments->UnmapApertureSegment.NumberOfPages = op->aperture.page_count;
    arguments->UnmapApertureSegment.DummyPage.QuadPart =
        (LONGLONG)(op->aperture.dummy_frame << MACHINE_PAGE_SHIFT);
}

static void fill_arguments(struct paging_operation *operation, DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    const struct vidmm_op *op = operation->op;

    switch (op->kind) {
    case VIDMM_OP_TRANSFER:
        fill_transfer(operation, arguments);
        break;
    case VIDMM_OP_FILL:
        arguments->Operation = DXGK_OPERATION_FILL;
        arguments->Fill.hAllocation = driver_allocation(op);
        arguments->Fill.FillSize = op->fill.size_bytes;
        arguments->Fill.FillPattern = op->fill.pattern;
        arguments->Fill.Destination.SegmentId = op->fill.destination.segment;
        arguments->Fill.Destination.SegmentAddress.QuadPart =
            (LONGLONG)(op->fill.destination.address);
        break;
    case VIDMM_OP_DISCARD:
        arguments->Operation = DXGK_OPERATION_DISCARD_CONTENT;
        arguments->DiscardContent.hAllocation = driver_allocation(op);
        arguments->DiscardContent.Flags.AllocationIsIdle = op->idle;
        arguments->DiscardContent.SegmentId = op->discard.source.segment;
        arguments->DiscardContent.SegmentAddress.QuadPart = (LONGLONG)op->discard.source.address;
        break;
    case VIDMM_OP_MAP_APERTURE:
    case VIDMM_OP_UNMAP_APERTURE:
        fill_aperture(operation, arguments);
        break;
    default:
        CHECK_THAT(!"an operation that this kernel never queues");
    }
}

static const char *const operation_counters[] = {
    [DXGK_OPERATION_TRANSFER] = "paging_operations.Transfer",
    [DXGK_OPERATION_FILL] = "paging_operations.Fill",
    [DXGK_OPERATION_DISCARD_CONTENT] = "paging_operations.DiscardContent",
    [DXGK_OPERATION_MAP_APERTURE_SEGMENT] = "paging_operations.MapApertureSegment",
    [DXGK_OPERATION_UNMAP_APERTURE_SEGMENT] = "paging_operations.UnmapApertureSegment",
};

/* ---- Buffers --------------------------------------------------------------------------------- */

static struct paging_buffer *make_buffer(struct dxgk_adapter *adapter)
{
    struct paging_buffer *buffer;
    struct vidmm_dma_buffer *dma;

    if (adapter->paging.buffer_count == adapter->paging.buffer_max ||
        !NT_SUCCESS(vidmm_dma_acquire(&adapter->paging.pool, &dma))) {
        return NULL;
    }
    buffer = calloc(1, sizeof *buffer);
    if (!buffer) {
        vidmm_dma_release(dma);
        return NULL;
    }
    buffer->dma = dma;
    list_init(&buffer->link);
    adapter->paging.buffer_count++;
    return buffer;
}

static struct paging_buffer *take_buffer(struct dxgk_adapter *adapter)
{
    struct list *link = list_pop_front(&adapter->paging.free);
    struct paging_buffer *buffer =
        link ? container_of(link, struct paging_buffer, link) : make_buffer(adapter);

    if (!buffer) {
        return NULL;
    }
    buffer->used = buffer->private_used = 0;
    buffer->closed = false;
    buffer->fresh = true;
    /* The first use of a buffer finds its private data zero [PAGE-010]. */
    memset(buffer->dma->private_data, 0, adapter->paging_private_size);
    memset(buffer->dma->private_data + adapter->paging_private_size, CONTRACT_CANARY,
           CONTRACT_CANARY_BYTES);
    memset(buffer->dma->bytes + adapter->paging_buffer_size, CONTRACT_CANARY,
           CONTRACT_CANARY_BYTES);
    return buffer;
}

static void give_buffer_back(struct dxgk_adapter *adapter, struct paging_buffer *buffer)
{
    if (buffer->closed && buffer->packet_count == 0) {
        list_push_back(&adapter->paging.free, &buffer->link);
    }
}

static void close_buffer(struct dxgk_adapter *adapter)
{
    struct paging_buffer *buffer = adapter->paging.current;

    adapter->paging.current = NULL;
    if (buffer) {
        buffer->closed = true;
        give_buffer_back(adapter, buffer);
    }
}

/* ---- The road of paging packets ------------------------------------------------------------ */

/* Documents disagree whether Patch is called for paging buffers; with the option it is, with empty
 * lists and nothing to change [PAGE-028]. */
static void patch_paging(struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;
    DXGKARG_PATCH arguments;

    dxgk_patch_fill(packet, packet->paging.buffer->dma, &arguments);
    arguments.DmaBufferSize = adapter->paging_buffer_size;
    arguments.DmaBufferPrivateDataSize = adapter->paging_private_size;
    arguments.Flags.Paging = 1;
    ddi_patch(&adapter->ddi, adapter->ddi.miniport_context, &arguments, packet->vidsch.object);
}

static void paging_submit(struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;
    DXGKARG_SUBMITCOMMAND arguments;

    if (adapter->options.patch_paging) {
        patch_paging(packet);
    }
    dxgk_submit_fill(packet, packet->paging.buffer->dma, &arguments);
    arguments.DmaBufferSize = adapter->paging_buffer_size;
    arguments.DmaBufferPrivateDataSize = adapter->paging_private_size;
    dxgk_submit_command(packet, &arguments);
}

static void paging_done(struct dxgk_packet *packet, NTSTATUS status);

static const struct dxgk_road paging_road = {
    .name = "paging",
    .kind = VIDSCH_PACKET_PAGING,
    .submit = paging_submit,
    .done = paging_done,
};

/* ---- Building -------------------------------------------------------------------------------- */

/* One call's outcome as a packet: [used, end) of the buffer. */
static bool submit_part(struct dxgk_adapter *adapter, struct paging_operation *operation,
                        struct paging_buffer *buffer, UINT end, UINT private_end)
{
    struct dxgk_packet *packet = dxgk_packet_new(adapter->system_context, &paging_road);

    if (!packet) {
        return false;
    }
    packet->paging.operation = operation;
    packet->paging.buffer = buffer;
    packet->start = buffer->used;
    packet->end = end;
    packet->private_start = buffer->private_used;
    packet->private_end = private_end;
    packet->flags.Paging = 1;
    buffer->used = end;
    buffer->private_used = private_end;
    buffer->packet_count++;
    operation->packet_count++;
    vidsch_push(&adapter->system_context->vidsch, &packet->vidsch);
    return true;
}

/* Whoever pumps, the driver finds itself outside of every client's process [PAGE-001]. */
static NTSTATUS build_in_system_process(struct dxgk_adapter *adapter,
                                        DXGKARG_BUILDPAGINGBUFFER *arguments,
                                        struct dxgk_allocation *allocation)
{
    struct nt_process *process = nt_process_current();

    nt_process_set_current(NULL);
    adapter->paging.in_driver = true;
    NTSTATUS status = ddi_build_paging_buffer(&adapter->ddi, adapter->ddi.miniport_context,
                                              arguments, allocation ? allocation->object : 0);
    adapter->paging.in_driver = false;
    nt_process_set_current(process);
    if (adapter->resetting) {
        wait_queue_wake(&adapter->idle_changed, UINT_MAX); /* see dxgk_paging_wait_outside() */
    }
    return status;
}

static NTSTATUS call_driver(struct dxgk_adapter *adapter, struct paging_operation *operation,
                            struct paging_buffer *buffer, UINT *end, UINT *private_end)
{
    UINT size = adapter->paging_buffer_size, private_size = adapter->paging_private_size;
    DXGKARG_BUILDPAGINGBUFFER arguments = {
        .pDmaBuffer = buffer->dma->bytes + buffer->used,
        .DmaSize = size - buffer->used,
        .pDmaBufferPrivateData = buffer->dma->private_data + buffer->private_used,
        .DmaBufferPrivateDataSize = private_size - buffer->private_used,
        .MultipassOffset = operation->op->owner_multipass,
    };
    struct dxgk_allocation *allocation = allocation_of(operation->op);

    fill_arguments(operation, &arguments);
    if (adapter->features.wddm2) {
        arguments.hSystemContext = adapter->system_context->driver_handle;
        arguments.DmaBufferWriteOffset = buffer->used;
    }
    record_count(operation_counters[arguments.Operation], operation->op->owner_multipass == 0);
    NTSTATUS status = build_in_system_process(adapter, &arguments, allocation);
    size_t produced = (size_t)((uint8_t *)arguments.pDmaBuffer - buffer->dma->bytes);
    size_t private_used =
        (size_t)((uint8_t *)arguments.pDmaBufferPrivateData - buffer->dma->private_data);
    /* A pointer outside the buffer is a fatal breach [PAGE-009, PAGE-017]; never use it. */
    *end = produced >= buffer->used && produced <= size ? (UINT)produced : buffer->used;
    *private_end = private_used >= buffer->private_used && private_used <= private_size
                       ? (UINT)private_used
                       : buffer->private_used;
    operation->op->owner_multipass = arguments.MultipassOffset;
    return status;
}

static void no_progress(struct dxgk_adapter *adapter, struct paging_operation *operation)
{
    if (++adapter->paging.no_progress < NO_PROGRESS_MAX) {
        return;
    }
    struct dxgk_allocation *allocation = allocation_of(operation->op);
    contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(PAGE_007),
                                               .object = allocation ? allocation->object : 0,
                                               .fatal = true},
                    "progress with an empty paging buffer of PagingBufferSize",
                    "INSUFFICIENT_DMA_BUFFER %u times in a row for %s", NO_PROGRESS_MAX,
                    vidmm_op_name(operation->op->kind));
    operation->status = STATUS_UNSUCCESSFUL;
    operation->built = true;
}

static void end_building(struct paging_operation *operation, NTSTATUS status)
{
    operation->status = status;
    operation->built = true;
}

/* Legal once: nothing references it after the node is quiet; ask with the idle flag. */
static void wait_until_quiet(struct dxgk_adapter *adapter, struct paging_operation *operation)
{
    operation->op->idle = true;
    vidsch_run(&adapter->vidsch, adapter->paging_node);
    vidsch_wait_idle(&adapter->vidsch, MACHINE_NEVER);
}

/* One call of the driver and what comes of it. */
static void build_part(struct dxgk_adapter *adapter, struct paging_operation *operation,
                       struct paging_buffer *buffer)
{
    UINT end, private_end, multipass = operation->op->owner_multipass;
    bool fresh = buffer->fresh;
    NTSTATUS status = call_driver(adapter, operation, buffer, &end, &private_end);
    bool produced = end > buffer->used;

    if (operation->built) {
        return; /* given up by a reset while a thread was stuck in the driver */
    }
    buffer->fresh = false;
    if (produced && !submit_part(adapter, operation, buffer, end, private_end)) {
        status = STATUS_NO_MEMORY;
    }
    if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
        close_buffer(adapter);
        if (fresh && !produced && multipass == operation->op->owner_multipass) {
            no_progress(adapter, operation);
        }
        return;
    }
    adapter->paging.no_progress = 0;
    if (status == STATUS_GRAPHICS_ALLOCATION_BUSY && !operation->op->idle) {
        wait_until_quiet(adapter, operation);
        return;
    }
    if (NT_SUCCESS(status)) {
        vidmm_paging_told(operation->op);
    }
    end_building(operation, NT_SUCCESS(status) ? STATUS_SUCCESS : status);
}

/* False: no buffer is free; the operation waits for one. May switch: a reset may come meanwhile,
 * and then it is not built any more. */
static bool build(struct dxgk_adapter *adapter, struct paging_operation *operation)
{
    if (adapter->lost && !operation->built) {
        /* Bookkeeping alone: there is no hardware to do it. */
        end_building(operation, STATUS_DEVICE_REMOVED);
    }
    operation->in_hand = true;
    while (!operation->built) {
        if (!adapter->paging.current && !(adapter->paging.current = take_buffer(adapter))) {
            break;
        }
        build_part(adapter, operation, adapter->paging.current);
    }
    operation->in_hand = false;
    return operation->built;
}

static struct paging_operation *begin(struct dxgk_adapter *adapter, struct vidmm_op *op)
{
    struct paging_operation *operation = calloc(1, sizeof *operation);

    CHECK_THAT(operation);
    operation->op = op;
    list_push_back(&adapter->paging.running, &operation->link);
    if (op->frames && (op->kind == VIDMM_OP_TRANSFER || op->kind == VIDMM_OP_MAP_APERTURE)) {
        operation->mdl =
            nt_mdl_from_frames(op->frames, op->frame_count, 0, op->frame_count * MACHINE_PAGE_SIZE);
        CHECK_THAT(operation->mdl);
    }
    return operation;
}

/* What a reset revoked ends when nobody has it any more, everything else in its order. */
static bool may_end(const struct paging_operation *operation)
{
    return operation->built && !operation->in_hand && operation->packet_count == 0;
}

static void end_operation(struct paging_operation *operation)
{
    list_remove(&operation->link);
    if (operation->mdl) {
        nt_mdl_free(operation->mdl);
    }
    vidmm_paging_done(operation->op, operation->status);
    free(operation);
}

/* Ends operations from the front while they are complete; vidmm wants them in order. */
static void finish_in_order(struct dxgk_adapter *adapter)
{
    bool any = false;

    list_for_each_safe (link, &adapter->paging.running) {
        struct paging_operation *operation = container_of(link, struct paging_operation, link);
        if (may_end(operation)) {
            end_operation(operation);
            any = true;
        } else if (!operation->op->revoked) {
            break;
        }
    }
    if (any) {
        wait_queue_wake(&adapter->idle_changed, UINT_MAX);
        dxgk_packets_progress(adapter);
        if (vidmm_paging_waiting(adapter->vidmm)) {
            dxgk_worker_kick(adapter);
        }
    }
}

static void paging_done(struct dxgk_packet *packet, NTSTATUS status)
{
    struct dxgk_adapter *adapter = packet->adapter;
    struct paging_operation *operation = packet->paging.operation;
    struct paging_buffer *buffer = packet->paging.buffer;

    if (!NT_SUCCESS(status)) {
        operation->status = status;
    }
    operation->packet_count--;
    buffer->packet_count--;
    give_buffer_back(adapter, buffer);
    if (adapter->paging.building) {
        dxgk_worker_kick(adapter); /* may have waited for this buffer */
    }
    finish_in_order(adapter);
}

/* The next operation to build, or one that could not go on for want of a buffer. */
static struct paging_operation *next_operation(struct dxgk_adapter *adapter)
{
    struct paging_operation *operation = adapter->paging.building;

    if (adapter->resetting) {
        return NULL;
    }
    adapter->paging.building = NULL;
    if (!operation) {
        struct vidmm_op *op = vidmm_paging_next(adapter->vidmm);
        operation = op ? begin(adapter, op) : NULL;
    }
    return operation;
}

static void pump_once(struct dxgk_adapter *adapter)
{
    struct paging_operation *operation;

    while ((operation = next_operation(adapter)) != NULL) {
        if (!build(adapter, operation)) {
            adapter->paging.building = operation;
            return;
        }
        finish_in_order(adapter);
    }
    /* Without more work the buffer is closed, so that it can be used from its start again. */
    if (!adapter->resetting) {
        close_buffer(adapter);
    }
}

void dxgk_paging_pump(struct dxgk_adapter *adapter)
{
    if (irql_current() >= MACHINE_IRQL_DISPATCH) {
        dxgk_worker_kick(adapter);
        return;
    }
    adapter->paging.pump_again = true;
    if (adapter->paging.pumping) {
        return; /* whoever is at it looks again */
    }
    adapter->paging.pumping = true;
    while (adapter->paging.pump_again) {
        adapter->paging.pump_again = false;
        pump_once(adapter);
    }
    adapter->paging.pumping = false;
    vidsch_run(&adapter->vidsch, adapter->paging_node);
}

/* ---- Reset ----------------------------------------------------------------------------------- */

bool dxgk_paging_wait_outside(struct dxgk_adapter *adapter, uint64_t deadline_ns)
{
    while (adapter->paging.in_driver) {
        if (wait_queue_wait(&adapter->idle_changed, deadline_ns) == WAIT_TIMED_OUT) {
            return !adapter->paging.in_driver;
        }
    }
    return true;
}

/* What the driver has to forget is told by the task that resets, whoever pumps at other times. */
static void tell_to_forget(struct dxgk_adapter *adapter)
{
    struct vidmm_op *op;

    while ((op = vidmm_reset_next(adapter->vidmm)) != NULL) {
        struct paging_operation *operation = begin(adapter, op);
        if (!build(adapter, operation)) {
            end_building(operation, STATUS_NO_MEMORY);
        }
        finish_in_order(adapter);
    }
    close_buffer(adapter);
}

void dxgk_paging_reset(struct dxgk_adapter *adapter)
{
    /* What did not get to the hardware was built for memory as it was. */
    if (adapter->system_context) {
        vidsch_context_cancel(&adapter->system_context->vidsch);
    }
    vidmm_reset(adapter->vidmm);
    list_for_each (link, &adapter->paging.running) {
        end_building(container_of(link, struct paging_operation, link), STATUS_DEVICE_REMOVED);
    }
    adapter->paging.building = NULL;
    adapter->paging.no_progress = 0;
    close_buffer(adapter);
    finish_in_order(adapter);
    tell_to_forget(adapter);
}

/* ---- Waiting --------------------------------------------------------------------------------- */

NTSTATUS dxgk_wait_paging(struct dxgk_adapter *adapter, uint64_t sequence, uint64_t deadline_ns)
{
    dxgk_paging_pump(adapter);
    while (!vidmm_paging_reached(adapter->vidmm, sequence)) {
        if (wait_queue_wait(&adapter->idle_changed, deadline_ns) == WAIT_TIMED_OUT) {
            return STATUS_TIMEOUT;
        }
        /* The waiter may be the worker: nobody else would hand over the next packet. */
        dxgk_paging_pump(adapter);
    }
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_wait_memory(struct dxgk_adapter *adapter, const struct vidmm_wait *wait,
                          uint64_t deadline_ns)
{
    uint64_t progress = vidmm_progress(adapter->vidmm);

    dxgk_paging_pump(adapter);
    if (wait->kind == VIDMM_WAIT_NONE) {
        return STATUS_SUCCESS;
    }
    if (wait->kind == VIDMM_WAIT_PAGING) {
        return dxgk_wait_paging(adapter, wait->paging_sequence, deadline_ns);
    }
    while (vidmm_progress(adapter->vidmm) == progress) {
        if (wait_queue_wait(&adapter->idle_changed, deadline_ns) == WAIT_TIMED_OUT) {
            return STATUS_TIMEOUT;
        }
    }
    return STATUS_SUCCESS;
}

/* ---- Life ------------------------------------------------------------------------------------ */

/* In an aperture, paging buffers are mapped by paging. All that will ever be there come first, so
 * that whatever is built into one finds it mapped: by the CPU, for there is nowhere to put commands
 * before. */
static NTSTATUS map_buffers_ahead(struct dxgk_adapter *adapter)
{
    struct paging_buffer *buffer;

    adapter->paging.buffer_max = DXGK_PAGING_BUFFERS_MAPPED;
    while ((buffer = make_buffer(adapter)) != NULL) {
        list_push_back(&adapter->paging.free, &buffer->link);
    }
    adapter->paging.buffer_max = adapter->paging.buffer_count;
    return adapter->paging.buffer_count > 0 ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

NTSTATUS dxgk_paging_init(struct dxgk_adapter *adapter)
{
    const struct vidmm_dma_pool_options options = {
        .size_bytes =
            align_up(adapter->paging_buffer_size + CONTRACT_CANARY_BYTES, MACHINE_PAGE_SIZE),
        .segments = adapter->paging_segment ? VIDMM_SEGMENT_BIT(adapter->paging_segment) : 0,
        .private_bytes = adapter->paging_private_size + CONTRACT_CANARY_BYTES,
        .buffer_count_max = DXGK_PAGING_BUFFERS_MAX,
        .paging = true,
    };

    list_init(&adapter->paging.free);
    list_init(&adapter->paging.running);
    adapter->paging.buffer_max = DXGK_PAGING_BUFFERS_MAX;
    NTSTATUS status = vidmm_dma_pool_init(&adapter->paging.pool, adapter->vidmm, &options);
    return NT_SUCCESS(status) && adapter->paging_segment ? map_buffers_ahead(adapter) : status;
}

static void release_free_buffers(struct dxgk_adapter *adapter)
{
    close_buffer(adapter);
    for (struct list *link; (link = list_pop_front(&adapter->paging.free)) != NULL;) {
        struct paging_buffer *buffer = container_of(link, struct paging_buffer, link);
        vidmm_dma_release(buffer->dma);
        free(buffer);
        adapter->paging.buffer_count--;
    }
}

void dxgk_paging_fini(struct dxgk_adapter *adapter)
{
    struct vidmm_wait wait;

    if (!adapter->paging.pool.vidmm) {
        return;
    }
    dxgk_wait_paging(adapter, vidmm_paging_queued(adapter->vidmm), MACHINE_NEVER);
    release_free_buffers(adapter);
    while (vidmm_dma_pool_retire(&adapter->paging.pool, &wait) == STATUS_PENDING) {
        dxgk_wait_memory(adapter, &wait, MACHINE_NEVER);
        release_free_buffers(adapter); /* unmapping the others took one */
    }
    vidmm_dma_pool_fini(&adapter->paging.pool);
}

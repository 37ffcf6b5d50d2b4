/* Buffers that paging commands are written to: one is filled after the other, and each comes back
 * when its packets are done.
 *
 * Those that an aperture or the paging space shows are all made, and mapped, before anything is
 * built. */
#include "dxgk/fence_memory.h"
#include "dxgk/paging_queue.h"
#include "dxgk/paging_room.h"
#include "dxgk/schedule_log.h"
#include "dxgk/work.h"

#include <stdlib.h>
#include <string.h>

#define AHEAD_NS    (5 * NS_PER_S) /* what the CPU does at once takes no time */
#define SCANTY_MAX  6u             /* operations of a kind that find too little room on purpose */
#define FLUSHED_MAX 3000u          /* before them, together */

/* ---- Buffers --------------------------------------------------------------------------------- */

static bool make_buffer(struct dxgk_adapter *adapter)
{
    struct vidmm_dma_buffer *dma;
    struct paging_buffer *buffer;

    if (adapter->paging.buffer_count >= adapter->paging.buffer_max ||
        !(buffer = calloc(1, sizeof *buffer))) {
        return false;
    }
    if (vidmm_dma_acquire(&adapter->paging.pool, &dma) != STATUS_SUCCESS) {
        free(buffer);
        return false;
    }
    buffer->dma = dma;
    list_push_back(&adapter->paging.free, &buffer->link);
    adapter->paging.buffer_count++;
    return true;
}

static void begin_buffer(struct dxgk_adapter *adapter, struct paging_buffer *buffer)
{
    CHECK_THAT(buffer->packet_count == 0);
    list_remove(&buffer->link);
    vidmm_dma_wake(buffer->dma);
    buffer->used = buffer->private_used = 0;
    buffer->closed = false;
    buffer->fresh = true;
    if (buffer->dma->private_data) {
        if (!vary_happens(VARY_OLD_PRIVATE_DATA, 1)) {
            memset(buffer->dma->private_data, 0, adapter->paging_private_size);
        }
        contract_canary_write(buffer->dma->private_data + adapter->paging_private_size);
    }
    contract_canary_write(buffer->dma->bytes + adapter->paging_buffer_size);
    if (adapter->paging.queue) {
        contract_canary_write(buffer->dma->bytes + adapter->paging_buffer_size + DXGK_SIGNAL_BYTES);
    }
    adapter->paging.current = buffer;
}

bool dxgk_paging_have_buffer(struct dxgk_adapter *adapter)
{
    if (adapter->paging.current) {
        return true;
    }
    if (list_empty(&adapter->paging.free) && !make_buffer(adapter)) {
        return false;
    }
    begin_buffer(adapter, container_of(adapter->paging.free.next, struct paging_buffer, link));
    return true;
}

void dxgk_paging_give_buffer_back(struct dxgk_adapter *adapter, struct paging_buffer *buffer)
{
    if (buffer->closed && buffer->packet_count == 0) {
        vidmm_dma_rest(buffer->dma);
        list_push_back(&adapter->paging.free, &buffer->link);
    }
}

void dxgk_paging_close_buffer(struct dxgk_adapter *adapter)
{
    struct paging_buffer *buffer = adapter->paging.current;

    adapter->paging.current = NULL;
    if (buffer) {
        buffer->closed = true;
        dxgk_paging_give_buffer_back(adapter, buffer);
    }
}

/* ---- Little room ----------------------------------------------------------------------------- */

void dxgk_paging_note_size(struct dxgk_adapter *adapter, const struct paging_operation *operation,
                           NTSTATUS status, UINT bytes)
{
    if (NT_SUCCESS(status) && bytes > 0 && operation->op->owner_calls == 1) {
        adapter->paging.usual[operation->op->kind] = bytes;
    }
}

/* Hardly enough for the one that comes next, and nothing for the one behind it; or not enough. */
UINT dxgk_paging_little_rest(const struct dxgk_adapter *adapter)
{
    UINT sizes[VIDMM_OP_KIND_COUNT], count = 0;

    for (unsigned i = 0; i < VIDMM_OP_KIND_COUNT; i++) {
        if (adapter->paging.usual[i] > 0) {
            sizes[count++] = adapter->paging.usual[i];
        }
    }
    UINT size = count > 0 ? sizes[vary_below(VARY_FULL_PAGING, count)] : 0;
    return size > 0 && vary_below(VARY_FULL_PAGING, 2) ? (UINT)vary_below(VARY_FULL_PAGING, size)
                                                       : size;
}

void dxgk_paging_note_part(struct dxgk_adapter *adapter, UINT bytes)
{
    UINT unit = adapter->paging.unit;

    while (bytes > 0) {
        UINT left = unit % bytes;
        unit = bytes;
        bytes = left;
    }
    adapter->paging.unit = unit;
}

/* Less than such an operation was written in the last time: by one unit, two and more, and what is
 * next to nothing in turn; then anything. */
static UINT scanty_rest(const struct dxgk_adapter *adapter, UINT usual, unsigned round)
{
    UINT units = usual / adapter->paging.unit, step = round / 2 + 1;

    if (units < 2) {
        return 0;
    }
    UINT left = step < units ? step : 1 + (UINT)vary_below(VARY_FULL_PAGING, units - 1);
    return (round % 2 == 0 ? units - left : left) * adapter->paging.unit;
}

static void correct_nothing(void *context, DXGKARG_BUILDPAGINGBUFFER *arguments)
{
}

/* The paging process forgets all that it translated, which it may at any time, but while its root
 * is on its way to another place, behind `sequence`. */
static bool flush_once(struct dxgk_adapter *adapter, uint64_t sequence, UINT *at, UINT *private_at)
{
    struct paging_buffer *buffer = adapter->paging.current;
    uint8_t *bytes = buffer->dma->bytes, *private_data = buffer->dma->private_data;
    const struct ddi_corrector corrector = {correct_nothing, NULL};
    struct vidmm_root root;
    DXGKARG_BUILDPAGINGBUFFER arguments = {
        .Operation = DXGK_OPERATION_FLUSH_TLB,
        .pDmaBuffer = bytes + *at,
        .DmaSize = adapter->paging_buffer_size - *at,
        .pDmaBufferPrivateData = private_data ? private_data + *private_at : NULL,
        .DmaBufferPrivateDataSize = adapter->paging_private_size - *private_at,
        .hSystemContext = adapter->system_context->driver_handle,
        .DmaBufferWriteOffset = *at,
        .DmaBufferGpuVirtualAddress = buffer->dma->virtual_address,
    };

    vidmm_space_root(&adapter->system_space.memory, &root);
    if (root.paging_sequence >= sequence) {
        return false;
    }
    arguments.FlushTlb.RootPageTableAddress.SegmentId = root.place.segment;
    arguments.FlushTlb.RootPageTableAddress.SegmentOffset = root.place.offset;
    arguments.FlushTlb.hProcess = adapter->system_space.driver_handle;
    NTSTATUS status = ddi_build_paging_buffer(&adapter->ddi, adapter->ddi.miniport_context,
                                              &arguments, &corrector, 0);
    size_t end = (size_t)((uint8_t *)arguments.pDmaBuffer - bytes);
    if (!NT_SUCCESS(status) || end <= *at || end > adapter->paging_buffer_size) {
        return false;
    }
    *at = (UINT)end;
    *private_at =
        private_data ? (UINT)((uint8_t *)arguments.pDmaBufferPrivateData - private_data) : 0;
    return true;
}

/* Of each kind some, and not too many flushes before them together. */
static bool may_be_scanty(struct dxgk_adapter *adapter, const struct paging_operation *operation)
{
    enum vidmm_op_kind kind = operation->op->kind;
    UINT flush = adapter->paging.usual[VIDMM_OP_FLUSH_TLB];

    /* Flushes are the system context's: they do not run where a companion does. */
    return operation->op->owner_calls == 0 && !operation->companion && adapter->mmu.pages &&
           flush > 0 && adapter->paging.usual[kind] > 0 && adapter->paging.unit > 0 &&
           adapter->state == DXGK_ADAPTER_RUNNING && adapter->paging.scanty[kind] < SCANTY_MAX &&
           adapter->paging.flushed_before + adapter->paging_buffer_size / flush < FLUSHED_MAX &&
           vary_happens(VARY_FULL_PAGING, 2);
}

/* What goes before an operation, one part after the other, leaves it that little. The parts are the
 * operation's. */
bool dxgk_paging_leave_little(struct dxgk_adapter *adapter, struct paging_operation *operation,
                              UINT *end, UINT *private_end)
{
    const struct paging_buffer *buffer = adapter->paging.current;
    enum vidmm_op_kind kind = operation->op->kind;
    UINT part =
        adapter->paging.usual[VIDMM_OP_FLUSH_TLB] + (adapter->paging.queue ? DXGK_SIGNAL_BYTES : 0);

    if (!operation->looked && may_be_scanty(adapter, operation)) {
        UINT usual = adapter->paging.usual[kind], most = usual > part ? usual - part : 0;
        UINT rest = scanty_rest(adapter, usual, adapter->paging.scanty[kind]++);
        operation->rest = rest < most ? rest : most; /* the last flush may leave as much again */
        operation->scanty = buffer;
    }
    operation->looked = true;
    *end = buffer->used;
    *private_end = buffer->private_used;
    if (operation->scanty != buffer || operation->op->owner_calls > 0 ||
        buffer->used > adapter->paging_buffer_size ||
        adapter->paging_buffer_size - buffer->used < operation->rest + part ||
        !flush_once(adapter, operation->op->sequence, end, private_end)) {
        operation->scanty = NULL;
        return false;
    }
    adapter->paging.flushed_before++;
    return true;
}

static void release_free_buffers(struct dxgk_adapter *adapter)
{
    dxgk_paging_close_buffer(adapter);
    for (struct list *link; (link = list_pop_front(&adapter->paging.free)) != NULL;) {
        struct paging_buffer *buffer = container_of(link, struct paging_buffer, link);
        vidmm_dma_release(buffer->dma);
        free(buffer);
        adapter->paging.buffer_count--;
    }
}

/* ---- Life ------------------------------------------------------------------------------------ */

/* In an aperture, or under addresses of their own, paging buffers are mapped by paging. All that
 * will ever be there come first, so that whatever is built into one finds it mapped: by the CPU,
 * for there is nowhere to put commands before. */
static NTSTATUS map_buffers_ahead(struct dxgk_adapter *adapter)
{
    adapter->paging.buffer_max = DXGK_PAGING_BUFFERS_MAPPED;
    while (make_buffer(adapter)) {
    }
    adapter->paging.buffer_max = adapter->paging.buffer_count;
    return adapter->paging.buffer_count > 0 ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

/* The tables of the paging space are written before any command runs. */
static NTSTATUS show_buffers_ahead(struct dxgk_adapter *adapter)
{
    NTSTATUS status = map_buffers_ahead(adapter);

    return NT_SUCCESS(status) ? dxgk_wait_paging(adapter, vidmm_paging_queued(adapter->vidmm),
                                                 machine_now_ns() + AHEAD_NS)
                              : status;
}

/* By a hardware queue. */
static bool signals(const struct dxgk_adapter *adapter)
{
    return adapter->mmu.pages && adapter->engines[adapter->paging_node].scheduled;
}

static size_t buffer_bytes(const struct dxgk_adapter *adapter)
{
    size_t signal_bytes = signals(adapter) ? DXGK_SIGNAL_BYTES : 0;

    return align_up(adapter->paging_buffer_size + signal_bytes, MACHINE_PAGE_SIZE);
}

uint64_t dxgk_paging_buffer_addresses(const struct dxgk_adapter *adapter)
{
    uint64_t bytes = buffer_bytes(adapter);

    return DXGK_PAGING_BUFFERS_MAPPED * (bytes + MACHINE_PAGE_SIZE) + /* a page apart */
           (signals(adapter) ? 2 * MACHINE_PAGE_SIZE : 0) +           /* the queue's fence */
           dxgk_log_addresses(adapter);
}

NTSTATUS dxgk_paging_init(struct dxgk_adapter *adapter)
{
    const bool is_virtual = adapter->mmu.pages;
    const unsigned segment = is_virtual ? 0 : adapter->paging_segment;
    const struct vidmm_dma_pool_options options = {
        .size_bytes = buffer_bytes(adapter),
        .segments = segment ? VIDMM_SEGMENT_BIT(segment) : 0,
        .space = is_virtual ? &adapter->system_space.memory : NULL,
        .private_bytes = adapter->paging_private_size,
        .buffer_count_max = DXGK_PAGING_BUFFERS_CLEANING,
        .paging = true,
    };

    adapter->paging.buffer_max = DXGK_PAGING_BUFFERS_MAX;
    if (adapter->display_only) {
        return STATUS_SUCCESS; /* there is no memory to page */
    }
    NTSTATUS status = vidmm_dma_pool_init(&adapter->paging.pool, adapter->vidmm, &options);
    if (NT_SUCCESS(status) && is_virtual) {
        status = show_buffers_ahead(adapter);
        status = NT_SUCCESS(status) ? dxgk_logs_begin(adapter) : status;
        return NT_SUCCESS(status) ? dxgk_paging_queue_begin(adapter) : status;
    }
    if (NT_SUCCESS(status) && segment) {
        status = map_buffers_ahead(adapter);
        dxgk_paging_kick(adapter); /* or it would wait for the first other operation */
    }
    return status;
}

/* Also for what is queued meanwhile. */
static void wait_all_paging(struct dxgk_adapter *adapter)
{
    while (!vidmm_paging_reached(adapter->vidmm, vidmm_paging_queued(adapter->vidmm))) {
        dxgk_wait_paging(adapter, vidmm_paging_queued(adapter->vidmm), MACHINE_NEVER);
    }
}

void dxgk_paging_fini(struct dxgk_adapter *adapter)
{
    struct vidmm_wait wait;
    NTSTATUS status;

    if (!adapter->paging.pool.vidmm) {
        return;
    }
    dxgk_fence_views_end(&adapter->system_space);
    dxgk_fence_memories_end(adapter);
    wait_all_paging(adapter);
    dxgk_paging_queue_end(adapter);
    dxgk_logs_end(adapter);
    do { /* what ended just now is taken out of the tables, too; unmapping the others takes one */
        wait_all_paging(adapter);
        release_free_buffers(adapter);
        status = vidmm_dma_pool_retire(&adapter->paging.pool, &wait);
        dxgk_wait_memory(adapter, &wait, MACHINE_NEVER);
    } while (status == STATUS_PENDING ||
             !vidmm_paging_reached(adapter->vidmm, vidmm_paging_queued(adapter->vidmm)));
    vidmm_dma_pool_fini(&adapter->paging.pool);
}

/* ---- Room ------------------------------------------------------------------------------------ */

bool dxgk_adapter_lacks_tables(struct dxgk_adapter *adapter)
{
    struct vidmm_statistics statistics = {0};

    if (adapter->vidmm) {
        vidmm_statistics(adapter->vidmm, &statistics);
    }
    return statistics.tables_refused > 0;
}

bool dxgk_adapter_lacks_size(struct dxgk_adapter *adapter)
{
    struct vidmm_statistics statistics = {0};

    if (adapter->vidmm) {
        vidmm_statistics(adapter->vidmm, &statistics);
    }
    return statistics.over_segments > 0;
}

/* ---- At the end ------------------------------------------------------------------------------ */

void dxgk_adapter_count_memory(struct dxgk_adapter *adapter)
{
    struct vidmm_statistics statistics;

    vidmm_statistics(adapter->vidmm, &statistics);
    record_count("memory.paged_in", statistics.paged_in_bytes);
    record_count("memory.paged_out", statistics.paged_out_bytes);
    record_count("memory.lost", 0); /* paging.c counts: what a move lost */
    record_count("memory.lost_in_resets", statistics.lost_bytes); /* and clients were told */
    record_count("memory.filled", statistics.filled_bytes);
    record_count("memory.evictions", statistics.evictions);
    record_count("memory.tables_evicted", statistics.spaces_evicted);
    record_count("memory.shadow_checks", statistics.shadow_checks);
    record_count("memory.shadow_mismatches", statistics.shadow_mismatches);
}

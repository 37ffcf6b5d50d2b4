/* The arguments of BuildPagingBuffer: vidmm's operations in the WDK's words; and what vidmm asks of
 * the world. */
#include "dxgk/context_memory.h"
#include "dxgk/device_mmu.h"
#include "dxgk/gart.h"
#include "dxgk/host_aperture.h"
#include "dxgk/ranges.h"
#include "dxgk/work.h"

#include <string.h>

/* ---- What vidmm asks ----------------------------------------------------------------------- */

static void *map_segment(struct vidmm *vidmm, const struct vidmm_allocation *allocation,
                         const struct vidmm_location *place, size_t size)
{
    const struct vidmm_segment_options *options = vidmm_segment(vidmm, place->segment);

    return options->flags & VIDMM_SEGMENT_HOST_APERTURE
               ? dxgk_host_aperture_map(vidmm_owner(vidmm), allocation, place, size)
               : bus_memory_at(options->cpu_base_address + place->offset, size);
}

/* Otherwise the view is the bus's own: nothing to undo. Its parameters are fixed by struct
 * vidmm_backend, as those of segment_bytes. */
static void unmap_segment(struct vidmm *vidmm, const struct vidmm_location *place, void *view,
                          size_t size)
{
    if (vidmm_segment(vidmm, place->segment)->flags & VIDMM_SEGMENT_HOST_APERTURE) {
        dxgk_host_aperture_unmap(vidmm_owner(vidmm), place, view);
    }
}

/* NULL where the CPU sees nothing. The parameters are the backend's. */
static const uint8_t *segment_bytes(struct vidmm *vidmm, unsigned segment, uint64_t offset,
                                    size_t size)
{
    const struct vidmm_segment_options *options = vidmm_segment(vidmm, segment);

    return options->flags & VIDMM_SEGMENT_CPU_VISIBLE
               ? bus_memory_at(options->cpu_base_address + offset, size)
           : options->flags & VIDMM_SEGMENT_HOST_APERTURE
               ? dxgk_host_aperture_behind(vidmm_owner(vidmm), segment, offset, size)
               : NULL;
}

/* From where to where, as its author thinks of it. */
static const char *way_of(const struct vidmm_op *op)
{
    if (op->kind == VIDMM_OP_FILL || op->kind == VIDMM_OP_VIRTUAL_FILL) {
        return "a segment";
    }
    bool from = op->move.source.segment != 0, to = op->move.destination.segment != 0;
    return from && to ? "one segment to another"
           : from     ? "a segment to the MDL's pages"
                      : "the MDL's pages to a segment";
}

#define EXPECTED_FILL "FillPattern in every byte of the range when the paging fence completes"
#define EXPECTED_MOVE "destination bytes equal to the source when the paging fence completes"

/* A view at its alternate address: which side is wrong nobody sees. */
static enum contract_rule special_lock_rule(const struct vidmm_op *op)
{
    return op->move.offset > 0            ? CONTRACT_JUDGES(SPLOCK_003)
           : op->move.source.segment == 0 ? CONTRACT_JUDGES(SPLOCK_004)
                                          : CONTRACT_JUDGES(SPLOCK_005);
}

static enum contract_rule rule_of(struct vidmm *vidmm, const struct vidmm_mismatch *mismatch,
                                  const char **expected)
{
    switch (mismatch->op->kind) {
    case VIDMM_OP_FILL:
        *expected = EXPECTED_FILL;
        return CONTRACT_JUDGES(FILL_003);
    case VIDMM_OP_VIRTUAL_FILL:
        *expected = EXPECTED_FILL;
        return dxgk_paging_judge_bytes(vidmm_owner(vidmm), mismatch, expected);
    case VIDMM_OP_VIRTUAL_TRANSFER:
        *expected = EXPECTED_MOVE;
        return mismatch->at_rest ? CONTRACT_JUDGES(XFER_020)
                                 : dxgk_paging_judge_bytes(vidmm_owner(vidmm), mismatch, expected);
    case VIDMM_OP_SPECIAL_LOCK:
        *expected =
            "the bytes that the client saw through the range, at its alternate address as in "
            "the segment, when the paging fence completes";
        return special_lock_rule(mismatch->op);
    default:
        *expected = EXPECTED_MOVE;
        return CONTRACT_JUDGES(XFER_020);
    }
}

static enum contract_rule conversion_rule(const struct vidmm_op *op)
{
    return op->kind == VIDMM_OP_SPECIAL_LOCK ? CONTRACT_JUDGES(SPLOCK_007)
                                             : CONTRACT_JUDGES(XFER_012);
}

/* What was swizzled did not come back. */
static void unswizzled_wrong(const struct vidmm_mismatch *mismatch)
{
    const struct vidmm_op *op = mismatch->op;
    const struct contract_finding finding = {.rule = conversion_rule(op),
                                             .object = op->allocation->object};

    contract_breach(&finding,
                    "after Unswizzle the linear bytes that the allocation had before Swizzle",
                    "%s of %s with Unswizzle: the bytes there are not those that were swizzled "
                    "before, and nobody wrote to the allocation since",
                    vidmm_op_name(op->kind), way_of(op));
}

/* The rules that a wrong byte would have broken: they are judged where no byte is wrong, too. */
static void shadow_match(struct vidmm *vidmm, const struct vidmm_op *op)
{
    const struct dxgk_adapter *adapter = vidmm_owner(vidmm);

    if (adapter->presence == DXGK_THERE) {
        contract_count(op->kind == VIDMM_OP_FILL           ? CONTRACT_JUDGES(FILL_003)
                       : op->kind == VIDMM_OP_VIRTUAL_FILL ? CONTRACT_JUDGES(VFILL_003)
                       : op->move.unswizzle                ? conversion_rule(op)
                       : op->kind == VIDMM_OP_SPECIAL_LOCK ? special_lock_rule(op)
                                                           : CONTRACT_JUDGES(XFER_020));
        if (op->kind == VIDMM_OP_VIRTUAL_TRANSFER && op->move.offset != 0) {
            contract_count(CONTRACT_JUDGES(VXFER_003)); /* which could have been added */
        }
    }
}

static void shadow_mismatch(struct vidmm *vidmm, const struct vidmm_mismatch *mismatch)
{
    struct dxgk_adapter *adapter = vidmm_owner(vidmm);
    const char *expected;

    if (adapter->presence != DXGK_THERE) { /* pulled out: its memory reads as ones */
        return;
    }
    if (mismatch->converted) {
        unswizzled_wrong(mismatch);
        return;
    }
    enum contract_rule rule = rule_of(vidmm, mismatch, &expected);
    const struct vidmm_allocation *allocation = mismatch->op->allocation;
    struct contract_finding finding = {.rule = rule, .object = allocation ? allocation->object : 0};
    char explained[DXGK_EXPLAINED_MAX];

    if (mismatch->at_rest) {
        contract_breach(&finding, "bytes in system memory that only paging operations change",
                        "the allocation's bytes changed there while no operation ran: something "
                        "wrote to where it was moved from or to");
        return;
    }
    dxgk_explain_bytes(mismatch, explained, sizeof explained);
    contract_breach(&finding, expected,
                    "%s of %s: byte 0x%llX is 0x%02X, expected 0x%02X; %llu bytes differ%s%s",
                    vidmm_op_name(mismatch->op->kind), way_of(mismatch->op),
                    (unsigned long long)mismatch->offset, mismatch->actual, mismatch->expected,
                    (unsigned long long)mismatch->wrong_bytes,
                    dxgk_paging_judge_clue(adapter, mismatch), explained);
    record_count("memory.lost", mismatch->wrong_bytes);
}

const struct vidmm_backend dxgk_vidmm_backend = {
    .map_segment = map_segment,
    .unmap_segment = unmap_segment,
    .segment_bytes = segment_bytes,
    .root_bytes = dxgk_mmu_root_bytes,
    .signal_queue = dxgk_signal_queue,
    .shadow_match = shadow_match,
    .shadow_mismatch = shadow_mismatch,
};

static const char *const operation_counters[] = {
    [DXGK_OPERATION_TRANSFER] = "paging_operations.Transfer",
    [DXGK_OPERATION_SPECIAL_LOCK_TRANSFER] = "paging_operations.SpecialLockTransfer",
    [DXGK_OPERATION_FILL] = "paging_operations.Fill",
    [DXGK_OPERATION_DISCARD_CONTENT] = "paging_operations.DiscardContent",
    [DXGK_OPERATION_MAP_APERTURE_SEGMENT] = "paging_operations.MapApertureSegment",
    [DXGK_OPERATION_UNMAP_APERTURE_SEGMENT] = "paging_operations.UnmapApertureSegment",
    [DXGK_OPERATION_MAP_APERTURE_SEGMENT2] = "paging_operations.MapApertureSegment2",
    [DXGK_OPERATION_VIRTUAL_TRANSFER] = "paging_operations.VirtualTransfer",
    [DXGK_OPERATION_VIRTUAL_FILL] = "paging_operations.VirtualFill",
    [DXGK_OPERATION_INIT_CONTEXT_RESOURCE] = "paging_operations.InitContextResource",
    [DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION] = "paging_operations.UpdateContextAllocation",
    [DXGK_OPERATION_UPDATE_PAGE_TABLE] = "paging_operations.UpdatePageTable",
    [DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES] = "paging_operations.CopyPageTableEntries",
    [DXGK_OPERATION_READ_PHYSICAL] = "paging_operations.ReadPhysical",
    [DXGK_OPERATION_WRITE_PHYSICAL] = "paging_operations.WritePhysical",
    [DXGK_OPERATION_FLUSH_TLB] = "paging_operations.FlushTlb",
    [DXGK_OPERATION_NOTIFY_RESIDENCY] = "paging_operations.NotifyResidency",
    [DXGK_OPERATION_NOTIFY_FENCE_RESIDENCY] = "paging_operations.NotifyFenceResidency",
    [DXGK_OPERATION_NOTIFY_ALLOC] = "paging_operations.NotifyAllocation",
    [DXGK_OPERATION_MAP_MMU] = "paging_operations.MapMmu",
    [DXGK_OPERATION_UNMAP_MMU] = "paging_operations.UnmapMmu",
    [DXGK_OPERATION_NOTIFY_RESIDENCY2] = "paging_operations.NotifyResidency2",
};

/* ---- What the driver's CPU sees [MAPAP2-009] ------------------------------------------------- */

/* Made with the first mapping, it stays as long as the memory does: the next mapping may be built
 * before the end of this one is done. */
bool dxgk_aperture_view(const struct paging_operation *operation)
{
    const struct vidmm_op *op = operation->op;
    struct dxgk_allocation *allocation = dxgk_paging_allocation(op);

    if (!allocation || allocation->aperture_view || !allocation->wants_view) {
        return true;
    }
    allocation->aperture_view = ram_map_frames(op->frames, op->frame_count, true);
    return allocation->aperture_view != NULL;
}

void dxgk_aperture_view_end(struct dxgk_allocation *allocation)
{
    if (allocation->aperture_view) {
        ram_unmap_frames(allocation->aperture_view,
                         allocation->memory.size_bytes / MACHINE_PAGE_SIZE);
        allocation->aperture_view = NULL;
    }
}

/* ---- Arguments of an operation --------------------------------------------------------------- */

struct dxgk_allocation *dxgk_paging_allocation(const struct vidmm_op *op)
{
    const uint32_t others =
        VIDMM_ALLOCATION_TABLE | VIDMM_ALLOCATION_CONTEXT | VIDMM_ALLOCATION_KERNEL;

    return op->allocation && !(op->allocation->flags & others)
               ? container_of(op->allocation, struct dxgk_allocation, memory)
               : NULL;
}

/* Page tables are vidmm's own; this is the driver's, and no client's. */
static const struct dxgk_context_memory *context_memory(const struct vidmm_op *op)
{
    return op->allocation && op->allocation->flags & VIDMM_ALLOCATION_CONTEXT
               ? container_of(op->allocation, struct dxgk_context_memory, memory)
               : NULL;
}

HANDLE dxgk_paging_handle(const struct vidmm_op *op)
{
    const struct dxgk_allocation *allocation = dxgk_paging_allocation(op);
    const struct dxgk_context_memory *memory = context_memory(op);

    if (memory) {
        return memory->driver_handle;
    }
    return allocation ? allocation->driver_handle : NULL;
}

/* Whose handle the driver is given with the operation: the device that owns the allocation. NULL:
 * there is none, for primaries and DMA buffers [MAPAP-002], or it has gone. */
static struct dxgk_device *device_of(const struct vidmm_op *op)
{
    struct dxgk_allocation *allocation = dxgk_paging_allocation(op);
    bool names_device = op->kind == VIDMM_OP_MAP_APERTURE || op->kind == VIDMM_OP_UNMAP_APERTURE;

    if (names_device && context_memory(op)) {
        return context_memory(op)->handle ? context_memory(op)->device : NULL;
    }
    return names_device && allocation && !allocation->primary ? allocation->owner : NULL;
}

static HANDLE driver_device(const struct vidmm_op *op)
{
    const struct dxgk_device *device = device_of(op);

    CHECK_THAT(!device || device->paging_calls > 0);
    return device ? device->driver_handle : NULL;
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

static void fill_transfer(const struct paging_operation *operation,
                          DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    const struct vidmm_op *op = operation->op;

    arguments->Operation = DXGK_OPERATION_TRANSFER;
    arguments->Transfer.hAllocation = dxgk_paging_handle(op);
    arguments->Transfer.TransferOffset = (UINT)op->move.offset;
    arguments->Transfer.TransferSize = op->move.size_bytes;
    FILL_SIDE(arguments->Transfer.Source, op->move.source, operation->mdl);
    FILL_SIDE(arguments->Transfer.Destination, op->move.destination, operation->mdl);
    arguments->Transfer.Flags.Swizzle = op->move.swizzle;
    arguments->Transfer.Flags.Unswizzle = op->move.unswizzle;
    arguments->Transfer.Flags.AllocationIsIdle = op->idle;
    arguments->Transfer.Flags.TransferStart = op->move.start;
    arguments->Transfer.Flags.TransferEnd = op->move.end;
    arguments->Transfer.MdlOffset = (UINT)op->frame_first;
}

/* The MDL's first page is the piece's: the structure has no member that says otherwise. */
static void fill_special_lock(const struct paging_operation *operation,
                              DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    const struct vidmm_op *op = operation->op;
    const struct dxgk_allocation *allocation = dxgk_paging_allocation(op);
    UINT data;

    arguments->Operation = DXGK_OPERATION_SPECIAL_LOCK_TRANSFER;
    arguments->SpecialLockTransfer.hAllocation = dxgk_paging_handle(op);
    arguments->SpecialLockTransfer.TransferOffset = (UINT)op->move.offset;
    arguments->SpecialLockTransfer.TransferSize = op->move.size_bytes;
    FILL_SIDE(arguments->SpecialLockTransfer.Source, op->move.source, operation->mdl);
    FILL_SIDE(arguments->SpecialLockTransfer.Destination, op->move.destination, operation->mdl);
    arguments->SpecialLockTransfer.Flags.Swizzle = op->move.swizzle;
    arguments->SpecialLockTransfer.Flags.Unswizzle = op->move.unswizzle;
    arguments->SpecialLockTransfer.Flags.AllocationIsIdle = op->idle;
    arguments->SpecialLockTransfer.Flags.TransferStart = op->move.start;
    arguments->SpecialLockTransfer.Flags.TransferEnd = op->move.end;
    arguments->SpecialLockTransfer.SwizzlingRangeId = dxgk_range_of(allocation, &data);
    arguments->SpecialLockTransfer.SwizzlingRangeData = data;
}

/* Both forms of a list [MAPAP2-004]: contiguous where the pages happen to be. */
static DXGK_ADL list_of(const struct paging_operation *operation)
{
    const struct vidmm_op *op = operation->op;
    DXGK_ADL list = {.PageCount = (UINT32)op->frame_count};

    for (size_t i = 1; i < op->frame_count; i++) {
        if (op->frames[i] != op->frames[0] + i) {
            list.Pages = operation->pages;
            return list;
        }
    }
    list.Flags.Contiguous = 1;
    list.BasePageNumber = op->frames[0];
    return list;
}

static void fill_map2(const struct paging_operation *operation,
                      DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    const struct vidmm_op *op = operation->op;
    const struct dxgk_allocation *allocation = dxgk_paging_allocation(op);

    arguments->Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT2;
    arguments->MapApertureSegment2.hDevice = driver_device(op);
    arguments->MapApertureSegment2.hAllocation = dxgk_paging_handle(op);
    arguments->MapApertureSegment2.SegmentId = op->aperture.segment;
    arguments->MapApertureSegment2.OffsetInPages = op->aperture.page_first;
    arguments->MapApertureSegment2.NumberOfPages = op->aperture.page_count;
    arguments->MapApertureSegment2.Adl = list_of(operation);
    arguments->MapApertureSegment2.Flags.CacheCoherent = op->aperture.coherent;
    arguments->MapApertureSegment2.AdlOffset = (ULONG)op->frame_first;
    arguments->MapApertureSegment2.CpuVisibleAddress =
        allocation ? allocation->aperture_view : NULL;
}

static void fill_aperture(const struct paging_operation *operation,
                          DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    const struct vidmm_op *op = operation->op;

    if (op->kind == VIDMM_OP_MAP_APERTURE && operation->pages) {
        fill_map2(operation, arguments);
        return;
    }
    if (op->kind == VIDMM_OP_MAP_APERTURE) {
        arguments->Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT;
        arguments->MapApertureSegment.hDevice = driver_device(op);
        arguments->MapApertureSegment.hAllocation = dxgk_paging_handle(op);
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
    arguments->UnmapApertureSegment.hAllocation = dxgk_paging_handle(op);
    arguments->UnmapApertureSegment.SegmentId = op->aperture.segment;
    arguments->UnmapApertureSegment.OffsetInPages = op->aperture.page_first;
    arguments->UnmapApertureSegment.NumberOfPages = op->aperture.page_count;
    arguments->UnmapApertureSegment.DummyPage.QuadPart =
        (LONGLONG)(op->aperture.dummy_frame << MACHINE_PAGE_SHIFT);
}

static void fill_init(const struct paging_operation *operation,
                      DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    const struct vidmm_op *op = operation->op;

    arguments->Operation = DXGK_OPERATION_INIT_CONTEXT_RESOURCE;
    arguments->InitContextResource.hAllocation = dxgk_paging_handle(op);
    FILL_SIDE(arguments->InitContextResource.Destination, op->fill.destination, operation->mdl);
    arguments->InitContextResource.Destination.GpuVirtualAddress = op->fill.destination_address;
    arguments->InitContextResource.Destination.VirtualAddress = context_memory(op)->address;
}

static void fill_arguments(const struct paging_operation *operation,
                           DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    const struct vidmm_op *op = operation->op;

    switch (op->kind) {
    case VIDMM_OP_TRANSFER:
        fill_transfer(operation, arguments);
        break;
    case VIDMM_OP_SPECIAL_LOCK:
        fill_special_lock(operation, arguments);
        break;
    case VIDMM_OP_FILL:
        arguments->Operation = DXGK_OPERATION_FILL;
        arguments->Fill.hAllocation = dxgk_paging_handle(op);
        arguments->Fill.FillSize = op->fill.size_bytes;
        arguments->Fill.FillPattern = op->fill.pattern;
        arguments->Fill.Destination.SegmentId = op->fill.destination.segment;
        arguments->Fill.Destination.SegmentAddress.QuadPart =
            (LONGLONG)(op->fill.destination.address);
        break;
    case VIDMM_OP_INIT_CONTEXT:
        fill_init(operation, arguments);
        break;
    case VIDMM_OP_DISCARD:
        arguments->Operation = DXGK_OPERATION_DISCARD_CONTENT;
        arguments->DiscardContent.hAllocation = dxgk_paging_handle(op);
        arguments->DiscardContent.Flags.AllocationIsIdle = op->idle;
        arguments->DiscardContent.SegmentId = op->discard.source.segment;
        arguments->DiscardContent.SegmentAddress.QuadPart = (LONGLONG)op->discard.source.address;
        break;
    case VIDMM_OP_MAP_APERTURE:
    case VIDMM_OP_UNMAP_APERTURE:
        fill_aperture(operation, arguments);
        break;
    default:
        if (dxgk_pagetable_fill(operation, arguments) || dxgk_gart_fill(operation, arguments) ||
            dxgk_device_mmu_fill(operation, arguments)) {
            break;
        }
        CHECK_THAT(!"an operation that this kernel never queues");
    }
}

/* A driver destroys memory of its contexts when it likes. */
static void name_again(void *context, DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    const struct paging_operation *operation = context;

    if (context_memory(operation->op)) {
        fill_arguments(operation, arguments);
    }
}

/* The device that it names lives as long as the call, which may wait at the door before it is made.
 */
NTSTATUS dxgk_paging_tell(struct dxgk_adapter *adapter, const struct paging_operation *operation,
                          DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    struct dxgk_device *device = device_of(operation->op);

    CHECK_THAT(task_self() == adapter->worker && !operation->built);
    if (device) {
        life_get(&device->life);
        device->paging_calls++;
    }
    fill_arguments(operation, arguments);
    if (operation->op->kind == VIDMM_OP_INIT_CONTEXT && operation->op->owner_calls == 0) {
        dxgk_context_memory_spoil(adapter, operation->op);
    }
    record_count(operation_counters[arguments->Operation], operation->op->owner_multipass == 0);
    if (operation->op->owner_calls < VIDMM_OWNER_OFFSETS) {
        operation->op->owner_offsets[operation->op->owner_calls] = arguments->MultipassOffset;
    }
    operation->op->owner_calls++;
    const struct ddi_corrector corrector = {name_again, (void *)operation};
    NTSTATUS status =
        ddi_build_paging_buffer(&adapter->ddi, adapter->ddi.miniport_context, arguments, &corrector,
                                operation->op->allocation ? operation->op->allocation->object : 0);
    if (device) {
        if (--device->paging_calls == 0) {
            dxgk_device_child_gone(device);
        }
        life_put(&device->life);
    }
    return status;
}

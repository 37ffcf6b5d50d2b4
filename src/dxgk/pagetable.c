/* Operations on page tables, and by GPU virtual address, in the WDK's words.
 *
 *     vidmm_op_entries ─> struct vidmm_pte ─> DXGK_PTE, in memory that ends behind the last
 *
 * PageAddress is a number of pages of 4 KiB from the begin of the segment, of system memory the
 * page's frame number [UPT-021]; entries count pages of 4 KiB, except in tables of 64 KiB pages
 * [UPT-017]. */
#include "dxgk/native.h"
#include "dxgk/work.h"

#include <string.h>

static DXGK_PTE entry_of(const struct vidmm_pte *pte)
{
    DXGK_PTE entry = {.Flags = 0};

    entry.Valid = (pte->flags & VIDMM_PTE_VALID) != 0;
    entry.Zero = (pte->flags & VIDMM_PTE_ZERO) != 0;
    entry.CacheCoherent = (pte->flags & VIDMM_PTE_CACHE_COHERENT) != 0;
    entry.ReadOnly = (pte->flags & VIDMM_PTE_READ_ONLY) != 0;
    entry.NoExecute = (pte->flags & VIDMM_PTE_NO_EXECUTE) != 0;
    entry.Segment = pte->segment & 31;
    entry.PageTablePageSize = pte->flags & VIDMM_PTE_LEAF_64K ? DXGK_PTE_PAGE_TABLE_PAGE_64KB
                                                              : DXGK_PTE_PAGE_TABLE_PAGE_4KB;
    entry.PageAddress = pte->offset >> MACHINE_PAGE_SHIFT;
    KERNEL_DUTY(UPT_021, pte->segment < 32 && pte->offset % MACHINE_PAGE_SIZE == 0);
    return entry;
}

/* As many as the operation has; one, if all are alike [UPT-008]. NULL: no memory. */
static DXGK_PTE *make_entries(const struct vidmm_op *op, bool leaf_64k)
{
    enum { TAKEN_MAX = 64 };
    struct vidmm_pte taken[TAKEN_MAX];
    uint32_t count = op->update.repeat ? 1 : op->update.count;
    DXGK_PTE *entries = nt_memory_hand(count * sizeof *entries, "pPageTableEntries");

    for (uint32_t first = 0, part; entries && first < count; first += part) {
        part = count - first < TAKEN_MAX ? count - first : TAKEN_MAX;
        vidmm_op_entries(op, first, part, leaf_64k, taken);
        for (uint32_t i = 0; i < part; i++) {
            entries[first + i] = entry_of(&taken[i]);
        }
    }
    return entries;
}

/* A directory above leaves of both sizes. */
static bool has_both(const struct dxgk_adapter *adapter, const struct vidmm_op *op)
{
    return op->update.level == 1 && adapter->mmu.options.flags & VIDMM_MMU_DUAL;
}

/* What is copied once the commands run, whatever is there then [CPTE-003]. */
static bool make_ranges(struct paging_operation *operation)
{
    const struct vidmm_copy *copy = &operation->op->copy;

    operation->ranges = nt_memory_hand(copy->range_count * sizeof *operation->ranges, "pRanges");
    for (unsigned i = 0; operation->ranges && i < copy->range_count; i++) {
        operation->ranges[i] = (DXGK_BUILDPAGINGBUFFER_COPY_RANGE){
            .NumPageTableEntries = copy->ranges[i].count,
            .SrcPageTableAddress = copy->ranges[i].source_address,
            .DstPageTableAddress = copy->ranges[i].destination_address,
            .SrcStartPteIndex = copy->ranges[i].source_first,
            .DstStartPteIndex = copy->ranges[i].destination_first,
        };
    }
    return operation->ranges != NULL;
}

bool dxgk_pagetable_prepare(const struct dxgk_adapter *adapter, struct paging_operation *operation)
{
    const struct vidmm_op *op = operation->op;

    if (op->kind == VIDMM_OP_COPY_ENTRIES) {
        return make_ranges(operation);
    }
    if (op->kind != VIDMM_OP_UPDATE_TABLE) {
        return true;
    }
    operation->entries = make_entries(op, false);
    if (operation->entries && has_both(adapter, op)) {
        operation->entries_64k = make_entries(op, true);
        return operation->entries_64k != NULL;
    }
    return operation->entries != NULL;
}

void dxgk_paging_release(struct paging_operation *operation)
{
    if (operation->mdl) {
        nt_mdl_free(operation->mdl);
    }
    dxgk_space_goes_on(operation);
    nt_memory_free(operation->pages);
    nt_memory_free(operation->entries);
    nt_memory_free(operation->entries_64k);
    nt_memory_free(operation->ranges);
    operation->ranges = NULL;
    operation->entries = operation->entries_64k = NULL;
}

static HANDLE process_of(const struct vidmm_space *memory)
{
    return container_of(memory, struct dxgk_space, memory)->driver_handle;
}

static void fill_place(DXGK_PAGETABLEUPDATEADDRESS *address, const struct vidmm_op *op)
{
    switch (op->update.mode) {
    case VIDMM_UPDATE_CPU:
        address->CpuVirtual = vidmm_op_table_view((struct vidmm_op *)(uintptr_t)op);
        break;
    case VIDMM_UPDATE_GPU_VIRTUAL:
        address->GpuVirtual = op->update.table_address;
        break;
    case VIDMM_UPDATE_GPU_PHYSICAL:
        address->GpuPhysical.SegmentId = op->update.place.segment;
        address->GpuPhysical.SegmentOffset = op->update.place.offset;
        break;
    }
}

static void fill_update(const struct paging_operation *operation,
                        DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update = &arguments->UpdatePageTable;
    const struct vidmm_op *op = operation->op;

    arguments->Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;
    update->PageTableLevel = op->update.level;
    update->hAllocation = op->update.entries == VIDMM_ENTRIES_PAGES ? dxgk_paging_handle(op) : NULL;
    fill_place(&update->PageTableAddress, op);
    update->pPageTableEntries = operation->entries;
    update->pPageTableEntries64KB = operation->entries_64k;
    update->StartIndex = op->update.first;
    update->NumPageTableEntries = op->update.count;
    update->Flags.Repeat = op->update.repeat;
    update->Flags.InitialUpdate = op->update.initial;
    update->Flags.NotifyEviction = op->update.eviction;
    update->Flags.Use64KBPages = op->update.leaf_64k;
    update->Flags.NativeFence = op->update.entries == VIDMM_ENTRIES_PAGES && op->allocation &&
                                (op->allocation->flags & VIDMM_ALLOCATION_NATIVE_FENCE) != 0;
    update->DriverProtection = op->update.driver_protection;
    update->AllocationOffsetInBytes = op->update.allocation_offset;
    update->hProcess = process_of(op->update.space);
    update->UpdateMode = (DXGK_PAGETABLEUPDATEMODE)op->update.mode; /* mmu.c: they count alike */
    update->FirstPteVirtualAddress = op->update.address;
}

static void fill_flush(const struct vidmm_op *op, DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    arguments->Operation = DXGK_OPERATION_FLUSH_TLB;
    arguments->FlushTlb.RootPageTableAddress.SegmentId = op->flush.root.segment;
    arguments->FlushTlb.RootPageTableAddress.SegmentOffset = op->flush.root.offset;
    arguments->FlushTlb.hProcess = process_of(op->flush.space);
    arguments->FlushTlb.StartVirtualAddress = op->flush.start;
    arguments->FlushTlb.EndVirtualAddress = op->flush.end;
}

static DXGK_MEMORY_TRANSFER_DIRECTION direction_of(bool from_local, bool to_local)
{
    if (from_local && to_local) {
        return DXGK_MEMORY_TRANSFER_LOCAL_TO_LOCAL;
    }
    return from_local ? DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM : DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL;
}

/* As the pages of both sides are: where a leaf of 64 KiB pages shows them, the flags say so. Page
 * tables are named only to those who asked for it by a cap. */
static void fill_transfer(const struct vidmm_op *op, DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL *transfer = &arguments->TransferVirtual;
    const struct vidmm_move *move = &op->move;

    arguments->Operation = DXGK_OPERATION_VIRTUAL_TRANSFER;
    transfer->hAllocation = dxgk_paging_handle(op);
    transfer->AllocationOffsetInBytes = move->offset;
    transfer->TransferSizeInBytes = move->size_bytes;
    transfer->SourceVirtualAddress = move->source_address;
    transfer->DestinationVirtualAddress = move->destination_address;
    transfer->TransferDirection =
        direction_of(move->source.segment != 0, move->destination.segment != 0);
    transfer->Flags.Src64KBPages = move->source_64k;
    transfer->Flags.Dst64KBPages = move->destination_64k;
    transfer->SourcePageTable = move->source_table;
    transfer->DestinationPageTable = move->destination_table;
}

static void fill_fill(const struct vidmm_op *op, DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL *fill = &arguments->FillVirtual;

    arguments->Operation = DXGK_OPERATION_VIRTUAL_FILL;
    fill->hAllocation = dxgk_paging_handle(op);
    fill->AllocationOffsetInBytes = op->fill.offset;
    fill->FillSizeInBytes = op->fill.size_bytes;
    fill->FillPattern = op->fill.pattern;
    fill->DestinationVirtualAddress = op->fill.destination_address;
}

static void fill_context(const struct vidmm_op *op, DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    arguments->Operation = DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION;
    arguments->UpdateContextAllocation.ContextAllocation = op->context.address;
    arguments->UpdateContextAllocation.ContextAllocationSize = op->context.size_bytes;
    arguments->UpdateContextAllocation.pDriverPrivateData =
        (void *)(uintptr_t)op->context.private_data;
    arguments->UpdateContextAllocation.DriverPrivateDataSize = (UINT)op->context.private_bytes;
}

static void fill_copy(const struct paging_operation *operation,
                      DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    arguments->Operation = DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES;
    arguments->CopyPageTableEntries.NumRanges = operation->op->copy.range_count;
    arguments->CopyPageTableEntries.pRanges = operation->ranges;
}

static void fill_notice(const struct vidmm_op *op, DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    arguments->Operation = DXGK_OPERATION_NOTIFY_RESIDENCY;
    arguments->NotifyResidency.hAllocation = dxgk_paging_handle(op);
    arguments->NotifyResidency.PhysicalAddress.SegmentId = op->notice.place.segment;
    arguments->NotifyResidency.PhysicalAddress.SegmentOffset = op->notice.place.offset;
    arguments->NotifyResidency.Resident = op->notice.resident;
}

/* A piece of what is about to leave system memory, which the paging space shows meanwhile, or the
 * IOMMU, by which its process sees it until then. */
static void fill_leaving(const struct vidmm_op *op, DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC *notice = &arguments->NotifyAllocation;

    arguments->Operation = DXGK_OPERATION_NOTIFY_ALLOC;
    notice->hAllocation = dxgk_paging_handle(op);
    notice->Flags.Eviction = op->kind == VIDMM_OP_NOTIFY_EVICTION;
    notice->Flags.IoMmuUnmap = op->kind == VIDMM_OP_NOTIFY_UNMAP;
    notice->hKmdProcessHandle = op->kind == VIDMM_OP_NOTIFY_UNMAP ? process_of(op->space) : NULL;
    notice->OffsetInBytes = op->notice.offset;
    notice->SizeInBytes = op->notice.size_bytes;
    notice->GpuVirtualAddressAtOffset = op->notice.address;
}

bool dxgk_pagetable_fill(const struct paging_operation *operation,
                         DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    switch (operation->op->kind) {
    case VIDMM_OP_VIRTUAL_TRANSFER:
        fill_transfer(operation->op, arguments);
        return true;
    case VIDMM_OP_VIRTUAL_FILL:
        fill_fill(operation->op, arguments);
        return true;
    case VIDMM_OP_UPDATE_TABLE:
        fill_update(operation, arguments);
        return true;
    case VIDMM_OP_FLUSH_TLB:
        fill_flush(operation->op, arguments);
        return true;
    case VIDMM_OP_UPDATE_CONTEXT:
        fill_context(operation->op, arguments);
        return true;
    case VIDMM_OP_COPY_ENTRIES:
        fill_copy(operation, arguments);
        return true;
    case VIDMM_OP_NOTIFY_RESIDENCY:
        fill_notice(operation->op, arguments);
        return true;
    case VIDMM_OP_NOTIFY_FENCE:
        dxgk_native_fill(operation->op, arguments);
        return true;
    case VIDMM_OP_NOTIFY_EVICTION:
    case VIDMM_OP_NOTIFY_UNMAP:
        fill_leaving(operation->op, arguments);
        return true;
    default:
        return false;
    }
}

#define ARBITRARY_BYTE 0xA5

/* What a table's memory held before is arbitrary [UPT-009]: then it shows whether anybody wrote. */
static void spoil_table(struct vidmm_op *op)
{
    void *table = op->update.initial ? vidmm_op_table_view(op) : NULL;

    if (table) {
        memset(table, ARBITRARY_BYTE, vidmm_op_table_bytes(op));
    }
}

static void judge_written(struct vidmm_op *op)
{
    const uint8_t *table = op->update.initial ? vidmm_op_table_view(op) : NULL;
    uint64_t bytes = vidmm_op_table_bytes(op), same = 0;

    while (table && same < bytes && table[same] == ARBITRARY_BYTE) {
        same++;
    }
    contract_count(RULE_UPT_005);
    if (table && same == bytes) { /* advice: a paravirtual driver passes the entries to its host */
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(UPT_005), .advice = true},
            "a table that is written when the call returns",
            "UpdatePageTable with DXGK_PAGETABLEUPDATE_CPU_VIRTUAL, InitialUpdate and pDmaBuffer "
            "NULL: none of the 0x%llX bytes of the table of level %u changed",
            (unsigned long long)bytes, op->update.level);
    }
}

/* Another buffer cannot help who was given none. */
static void judge_unfinished(const struct vidmm_op *op, NTSTATUS status)
{
    if (status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(UPT_005), .fatal = true},
                        "a table that is written when the call returns",
                        "STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER for UpdatePageTable with "
                        "DXGK_PAGETABLEUPDATE_CPU_VIRTUAL, which comes with pDmaBuffer NULL and "
                        "DmaSize and DmaBufferPrivateDataSize 0: %u entries of a table of level "
                        "%u, for the CPU to write",
                        op->update.count, op->update.level);
    }
}

/* There is no buffer [UPT-005]. */
NTSTATUS dxgk_pagetable_do(struct dxgk_adapter *adapter, struct paging_operation *operation)
{
    DXGKARG_BUILDPAGINGBUFFER arguments = {
        .MultipassOffset = operation->op->owner_multipass,
        .hSystemContext = adapter->system_context->driver_handle,
    };
    NTSTATUS status = STATUS_SUCCESS;

    if (operation->op->kind == VIDMM_OP_SET_ROOT) {
        dxgk_space_tell_root(adapter, operation->op);
    } else {
        spoil_table(operation->op);
        status = dxgk_paging_tell(adapter, operation, &arguments);
        judge_unfinished(operation->op, status);
        /* Of a device that is pulled out, which the driver may have heard of, nobody reads it. */
        if (NT_SUCCESS(status) && adapter->presence == DXGK_THERE) {
            judge_written(operation->op);
        }
    }
    if (NT_SUCCESS(status)) {
        vidmm_paging_told(operation->op);
    }
    return status;
}

/* What documents leave open; see device_mmu.h.
 *
 *     QUERYMMUCOUNT, QUERYMMUS ─> ranges of addresses, each of DXGK_MMUDESCRIPTOR.Size bytes
 *     DXGK_ALLOCATIONINFO.MmuSet, bit n ─> MMU n shows the allocation while it has a place:
 *         MAP_MMU behind what brought it, UNMAP_MMU before what takes it away
 *     AccessedPhysically and ExplicitResidencyNotification ─> NOTIFY_RESIDENCY2 for each part, in
 *         the place of NOTIFY_RESIDENCY
 *
 * SegmentId 0 stands for system memory: Adl has numbers of its pages, Mdl the pages of the part.
 * Otherwise Adl has the numbers of pages of the segment, which follow each other. */
#include "dxgk/device_mmu.h"

#include <string.h>

/* ---- What the driver has --------------------------------------------------------------------- */

static unsigned ask_count(struct dxgk_adapter *adapter)
{
    const DXGK_QUERYMMUCOUNTIN input = {.PhysicalAdapterIndex = 0};
    DXGK_QUERYMMUCOUNTOUT output = {.MmuCount = 0};
    NTSTATUS status = dxgk_query_adapter(adapter, DXGKQAITYPE_QUERYMMUCOUNT, &input, sizeof input,
                                         &output, sizeof output);

    return NT_SUCCESS(status) && output.MmuCount <= VIDMM_DEVICE_MMU_COUNT_MAX ? output.MmuCount
                                                                               : 0;
}
_Static_assert(VIDMM_DEVICE_MMU_COUNT_MAX == DXGK_MAX_MMUS, "as many as there may be");

void dxgk_device_mmus_ask(struct dxgk_adapter *adapter)
{
    struct dxgk_device_mmus *mmus = &adapter->device_mmus;
    const DXGK_QUERYMMUSIN input = {.PhysicalAdapterIndex = 0};

    mmus->notices_in_parts = adapter->options.undocumented_paging &&
                             adapter->features.device_mmus && adapter->features.wddm2;
    unsigned count = mmus->notices_in_parts ? ask_count(adapter) : 0;
    if (count == 0) {
        return;
    }
    DXGK_MMUDESCRIPTOR *descriptors =
        nt_memory_hand(count * sizeof *descriptors, "MmuDescriptors of QUERYMMUS");
    DXGK_QUERYMMUSOUT output = {.MmuDescriptors = descriptors, .DisplayMmuId = DXGK_INVALID_MMU_ID};
    if (descriptors) {
        memset(descriptors, 0, count * sizeof *descriptors);
        NTSTATUS status = dxgk_query_adapter(adapter, DXGKQAITYPE_QUERYMMUS, &input, sizeof input,
                                             &output, sizeof output);
        mmus->count = NT_SUCCESS(status) ? count : 0;
    }
    for (unsigned i = 0; i < mmus->count; i++) {
        mmus->bytes[i] = align_down(descriptors[i].Size, MACHINE_PAGE_SIZE);
    }
    nt_memory_free(descriptors);
}

uint32_t dxgk_device_mmu_set(const struct dxgk_adapter *adapter, const DXGK_ALLOCATIONINFO *info)
{
    return adapter->device_mmus.count > 0 ? info->MmuSet : 0;
}

/* ---- Operations ------------------------------------------------------------------------------ */

static bool describe_map(struct paging_operation *operation)
{
    const struct vidmm_op *op = operation->op;

    if (op->device.segment != 0) {
        return true;
    }
    operation->pages =
        nt_memory_hand(op->device.page_count * sizeof *operation->pages, "the pages of Adl");
    for (uint64_t i = 0; operation->pages && i < op->device.page_count; i++) {
        operation->pages[i] = op->frames[op->frame_first + i];
    }
    return operation->pages != NULL;
}

bool dxgk_device_mmu_describe(struct paging_operation *operation)
{
    const struct vidmm_op *op = operation->op;

    if (op->kind == VIDMM_OP_MAP_MMU) {
        return describe_map(operation);
    }
    if (op->kind == VIDMM_OP_NOTIFY_PART && op->notice.resident && op->notice.place.segment == 0) {
        operation->mdl =
            nt_mdl_from_frames(op->frames + op->frame_first,
                               op->notice.size_bytes / MACHINE_PAGE_SIZE, 0, op->notice.size_bytes);
        return operation->mdl != NULL;
    }
    return true;
}

/* Both forms of a list, as in MAP_APERTURE_SEGMENT2. */
static DXGK_ADL list_of(const struct paging_operation *operation)
{
    const struct vidmm_device_range *range = &operation->op->device;
    DXGK_ADL list = {.PageCount = (UINT32)range->page_count, .Flags.Contiguous = 1};

    if (range->segment != 0) {
        list.BasePageNumber = range->offset / MACHINE_PAGE_SIZE;
        return list;
    }
    list.BasePageNumber = operation->pages[0];
    for (uint64_t i = 1; i < range->page_count; i++) {
        if (operation->pages[i] != operation->pages[0] + i) {
            list.Flags.Contiguous = 0;
            list.Pages = operation->pages;
            break;
        }
    }
    return list;
}

static void fill_map(const struct paging_operation *operation, DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    const struct vidmm_device_range *range = &operation->op->device;

    arguments->Operation = DXGK_OPERATION_MAP_MMU;
    arguments->MmapMmu.hAllocation = dxgk_paging_handle(operation->op);
    arguments->MmapMmu.VirtualAddress = range->address;
    arguments->MmapMmu.MmuId = (UINT16)range->mmu;
    arguments->MmapMmu.SegmentId = (UINT16)range->segment;
    arguments->MmapMmu.AllocationOffsetInPages = (UINT)range->page_first;
    arguments->MmapMmu.Adl = list_of(operation);
}

static void fill_unmap(const struct vidmm_op *op, DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    arguments->Operation = DXGK_OPERATION_UNMAP_MMU;
    arguments->UnmapMmu.hAllocation = dxgk_paging_handle(op);
    arguments->UnmapMmu.VirtualAddress = op->device.address;
    arguments->UnmapMmu.MmuId = (UINT16)op->device.mmu;
    arguments->UnmapMmu.AllocationOffset = (UINT)op->device.page_first;
    arguments->UnmapMmu.NumberOfPages = (UINT)op->device.page_count;
}

static void fill_notice(const struct paging_operation *operation,
                        DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY2 *notice = &arguments->NotifyResidency2;
    const struct vidmm_op *op = operation->op;

    arguments->Operation = DXGK_OPERATION_NOTIFY_RESIDENCY2;
    notice->hAllocation = dxgk_paging_handle(op);
    notice->AllocationOffsetInPages = (UINT)(op->notice.offset / MACHINE_PAGE_SIZE);
    notice->SizeInPages = (UINT)(op->notice.size_bytes / MACHINE_PAGE_SIZE);
    notice->SegmentId = (UINT16)op->notice.place.segment;
    notice->Resident = op->notice.resident;
    if (operation->mdl) {
        notice->Mdl = operation->mdl;
    } else {
        notice->PhysicalAddress.SegmentId = op->notice.place.segment;
        notice->PhysicalAddress.SegmentOffset = op->notice.place.offset;
    }
}

bool dxgk_device_mmu_fill(const struct paging_operation *operation,
                          DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    switch (operation->op->kind) {
    case VIDMM_OP_MAP_MMU:
        fill_map(operation, arguments);
        return true;
    case VIDMM_OP_UNMAP_MMU:
        fill_unmap(operation->op, arguments);
        return true;
    case VIDMM_OP_NOTIFY_PART:
        fill_notice(operation, arguments);
        return true;
    default:
        return false;
    }
}

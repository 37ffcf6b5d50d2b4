/* Segments, apertures and paging: where the kernel put what, and how paging buffers fill. */
#include "contract/tracker.h"

#include <stdlib.h>

#include "base/check.h"
#include "contract/internal.h"
#include "machine/machine.h"

void track_memory_fini(struct contract_tracker *tracker)
{
    for (unsigned i = 0; i <= CONTRACT_SEGMENTS_MAX; i++) {
        free(tracker->apertures[i].mapped);
        free(tracker->host_apertures[i].mapped);
    }
}

bool contract_in_segment(const struct contract_tracker *tracker, UINT segment, uint64_t address,
                         uint64_t size)
{
    if (segment == 0) {
        return range_fits(address, size, ram_end());
    }
    if (segment > tracker->segment_count) {
        return false;
    }
    const struct contract_segment *at = &tracker->segments[segment];
    return address >= at->base && range_fits(address - at->base, size, at->size);
}

bool contract_in_place(struct contract_tracker *tracker, HANDLE handle, UINT segment,
                       uint64_t address)
{
    const struct contract_object *opening =
        handle ? contract_object_find(tracker, TRACKED_OPENING, handle) : NULL;
    const struct contract_object *allocation =
        opening && opening->target
            ? contract_object_find(tracker, TRACKED_ALLOCATION, opening->target)
            : NULL;

    if (!contract_in_segment(tracker, segment, address, allocation ? allocation->size : 1)) {
        return false;
    }
    return !allocation || !allocation->alignment || !tracker->features.plain_alignment ||
           (address - tracker->segments[segment].base) % allocation->alignment == 0;
}

/* ---- Apertures ------------------------------------------------------------------------------- */

bool contract_pages_mapped(const struct contract_aperture *aperture, uint64_t first, uint64_t count,
                           bool wanted)
{
    for (uint64_t page = first; page < first + count; page++) {
        bool mapped =
            page < aperture->page_count && (aperture->mapped[page / 64] >> (page % 64) & 1) != 0;
        if (mapped != wanted) {
            return false;
        }
    }
    return true;
}

struct pages {
    UINT segment;
    uint64_t first, count;
};

static void make_room(struct contract_aperture *aperture, uint64_t page_count)
{
    if (!aperture->mapped) {
        aperture->page_count = page_count;
        aperture->mapped = calloc(page_count / 64 + 1, sizeof *aperture->mapped);
        CHECK_THAT(aperture->mapped);
    }
}

static void mark(struct contract_aperture *aperture, struct pages pages, bool mapped)
{
    for (uint64_t page = pages.first;
         page < pages.first + pages.count && page < aperture->page_count; page++) {
        uint64_t bit = UINT64_C(1) << (page % 64);
        uint64_t *word = &aperture->mapped[page / 64];
        aperture->mapped_count += mapped && !(*word & bit);
        aperture->mapped_count -= !mapped && (*word & bit);
        *word = mapped ? *word | bit : *word & ~bit;
    }
}

static void set_mapped(struct contract_tracker *tracker, struct pages pages, bool mapped)
{
    if (pages.segment == 0 || pages.segment > tracker->segment_count) {
        return;
    }
    struct contract_aperture *aperture = &tracker->apertures[pages.segment];
    make_room(aperture, tracker->segments[pages.segment].size >> MACHINE_PAGE_SHIFT);
    mark(aperture, pages, mapped);
}

static void mark_host(struct contract_tracker *tracker, UINT segment, const UINT32 *pages,
                      UINT64 count)
{
    struct contract_aperture *aperture = &tracker->host_apertures[segment];

    make_room(aperture, tracker->segments[segment].host_pages);
    for (UINT64 i = 0; i < count; i++) {
        const struct pages one = {segment, pages[i], 1};
        mark(aperture, one, !contract_pages_mapped(aperture, pages[i], 1, true));
    }
}

void track_map_host(struct contract_call *call)
{
    const DXGKARG_MAPCPUHOSTAPERTURE *map = call->arguments;

    if (NT_SUCCESS(call->status) && map->SegmentId <= call->tracker->segment_count) {
        mark_host(call->tracker, map->SegmentId, map->pCpuHostAperturePages, map->NumberOfPages);
    }
}

void track_unmap_host(struct contract_call *call)
{
    const DXGKARG_UNMAPCPUHOSTAPERTURE *unmap = call->arguments;

    if (NT_SUCCESS(call->status) && unmap->SegmentId <= call->tracker->segment_count) {
        mark_host(call->tracker, unmap->SegmentId, unmap->pCpuHostAperturePages,
                  unmap->NumberOfPages);
    }
}

/* ---- Places ---------------------------------------------------------------------------------- */

static bool is_memory(const struct contract_tracker *tracker, UINT segment)
{
    return segment != 0 && segment <= tracker->segment_count &&
           !contract_is_aperture(&tracker->segments[segment]);
}

bool contract_has_chipset_segment(const struct contract_tracker *tracker)
{
    for (unsigned id = 1; id <= tracker->segment_count; id++) {
        if (tracker->segments[id].flags.Agp) {
            return true;
        }
    }
    return false;
}

static void place(struct contract_tracker *tracker, HANDLE handle, UINT segment, uint64_t address)
{
    struct contract_object *allocation =
        handle ? contract_object_find(tracker, TRACKED_ALLOCATION, handle) : NULL;

    if (allocation) {
        allocation->segment = segment;
        allocation->address = segment ? address : 0;
    }
}

static void follow_transfer(struct contract_tracker *tracker,
                            const DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    uint64_t end = arguments->Transfer.TransferOffset + arguments->Transfer.TransferSize;

    tracker->paging.transferring =
        !arguments->Transfer.Flags.TransferEnd && arguments->Transfer.TransferSize != 0;
    tracker->paging.transfer_allocation = arguments->Transfer.hAllocation;
    tracker->paging.transfer_next = end;
    if (arguments->Transfer.TransferSize == 0) {
        place(tracker, arguments->Transfer.hAllocation, 0, 0);
    } else if (is_memory(tracker, arguments->Transfer.Destination.SegmentId)) {
        place(tracker, arguments->Transfer.hAllocation, arguments->Transfer.Destination.SegmentId,
              (uint64_t)arguments->Transfer.Destination.SegmentAddress.QuadPart);
    } else if (arguments->Transfer.Flags.TransferEnd) {
        place(tracker, arguments->Transfer.hAllocation, 0, 0);
    }
}

/* As a transfer; which range the allocation is seen through the ranges' own calls say. */
static void follow_special_lock(struct contract_tracker *tracker,
                                const DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    HANDLE handle = arguments->SpecialLockTransfer.hAllocation;
    struct contract_object *allocation = contract_object_find(tracker, TRACKED_ALLOCATION, handle);
    UINT to = arguments->SpecialLockTransfer.Destination.SegmentId;

    tracker->paging.transferring = !arguments->SpecialLockTransfer.Flags.TransferEnd;
    tracker->paging.transfer_allocation = handle;
    tracker->paging.transfer_next =
        arguments->SpecialLockTransfer.TransferOffset + arguments->SpecialLockTransfer.TransferSize;
    if (is_memory(tracker, to)) {
        place(tracker, handle, to,
              (uint64_t)arguments->SpecialLockTransfer.Destination.SegmentAddress.QuadPart);
    } else if (arguments->SpecialLockTransfer.Flags.TransferEnd) {
        place(tracker, handle, 0, 0);
    }
    if (allocation && arguments->SpecialLockTransfer.Flags.TransferEnd) {
        allocation->left_under_lock = to == 0;
    }
}

/* ---- Swizzling ranges ------------------------------------------------------------------------ */

void track_acquire_range(struct contract_call *call)
{
    const DXGKARG_ACQUIRESWIZZLINGRANGE *asked = call->before;
    struct contract_tracker *tracker = call->tracker;

    if (call->status == STATUS_SUCCESS && asked->RangeId < CONTRACT_RANGES_MAX) {
        tracker->ranges[asked->RangeId] =
            (struct contract_range){asked->hAllocation, asked->PrivateDriverData};
    }
}

void track_release_range(struct contract_call *call)
{
    const DXGKARG_RELEASESWIZZLINGRANGE *asked = call->arguments;

    if (asked->RangeId < CONTRACT_RANGES_MAX) {
        call->tracker->ranges[asked->RangeId] = (struct contract_range){0};
    }
}

static void follow_fill(struct contract_tracker *tracker,
                        const DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    struct contract_object *allocation =
        contract_object_find(tracker, TRACKED_ALLOCATION, arguments->Fill.hAllocation);

    if (allocation && allocation->segment == 0) { /* a later piece lies behind the first */
        place(tracker, arguments->Fill.hAllocation, arguments->Fill.Destination.SegmentId,
              (uint64_t)arguments->Fill.Destination.SegmentAddress.QuadPart);
    }
}

/* Where the addresses lead says where the allocation is; a later piece lies behind the first. */
static void follow_virtual(struct contract_tracker *tracker,
                           const DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    bool fill = arguments->Operation == DXGK_OPERATION_VIRTUAL_FILL;
    HANDLE allocation =
        fill ? arguments->FillVirtual.hAllocation : arguments->TransferVirtual.hAllocation;
    uint64_t address = fill ? arguments->FillVirtual.DestinationVirtualAddress
                            : arguments->TransferVirtual.DestinationVirtualAddress;
    uint64_t offset = fill ? arguments->FillVirtual.AllocationOffsetInBytes
                           : arguments->TransferVirtual.AllocationOffsetInBytes;
    struct contract_translation at;

    if (contract_translate(tracker, tracker->system_process, address >> MACHINE_PAGE_SHIFT, &at)) {
        UINT segment = (UINT)at.now.Segment;
        bool known = segment > 0 && segment <= tracker->segment_count;
        uint64_t base = known ? tracker->segments[segment].base : 0;
        place(tracker, allocation, known ? segment : 0,
              base + (at.now.PageAddress << MACHINE_PAGE_SHIFT) - offset);
    }
}

static void follow_init(struct contract_tracker *tracker,
                        const DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    HANDLE handle = arguments->InitContextResource.hAllocation;
    struct contract_object *allocation = contract_object_find(tracker, TRACKED_ALLOCATION, handle);
    UINT segment = arguments->InitContextResource.Destination.SegmentId;

    if (allocation && segment <= tracker->segment_count) {
        allocation->initialised = true;
        if (!contract_is_aperture(&tracker->segments[segment])) {
            place(tracker, handle, segment,
                  (uint64_t)arguments->InitContextResource.Destination.SegmentAddress.QuadPart);
        }
    }
}

static void follow_residency(struct contract_tracker *tracker,
                             const DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY *notice)
{
    struct contract_object *allocation =
        contract_object_find(tracker, TRACKED_ALLOCATION, notice->hAllocation);

    if (allocation) {
        allocation->told_resident = notice->Resident;
        allocation->told_place = notice->PhysicalAddress;
    }
}

static void follow_residency_of_part(struct contract_tracker *tracker,
                                     const DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY2 *notice)
{
    struct contract_object *allocation =
        contract_object_find(tracker, TRACKED_ALLOCATION, notice->hAllocation);
    uint64_t end = ((uint64_t)notice->AllocationOffsetInPages + notice->SizeInPages)
                   << MACHINE_PAGE_SHIFT;

    if (!allocation) {
        return;
    }
    allocation->part_next = end < allocation->size ? end : 0;
    allocation->told_place.SegmentId = notice->SegmentId;
    if (allocation->part_next == 0) {
        allocation->told_resident = notice->Resident;
    }
}

/* Of what a reset took away nobody says that it is gone. */
static void follow_mmu(struct contract_tracker *tracker, HANDLE handle, uint64_t pages, bool shows)
{
    struct contract_object *allocation = contract_object_find(tracker, TRACKED_ALLOCATION, handle);

    if (allocation) {
        allocation->mmu_pages = shows                           ? allocation->mmu_pages + pages
                                : pages < allocation->mmu_pages ? allocation->mmu_pages - pages
                                                                : 0;
    }
}

static void follow_eviction(struct contract_tracker *tracker,
                            const DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC *notice)
{
    struct contract_object *allocation =
        contract_object_find(tracker, TRACKED_ALLOCATION, notice->hAllocation);

    if (allocation && notice->Flags.Eviction) {
        allocation->notice_next = notice->OffsetInBytes + notice->SizeInBytes;
        if (allocation->notice_next >= allocation->size) {
            allocation->notice_next = 0;
        }
    }
}

static void follow_operation(struct contract_tracker *tracker,
                             const DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    switch (arguments->Operation) {
    case DXGK_OPERATION_TRANSFER:
        follow_transfer(tracker, arguments);
        break;
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
        follow_special_lock(tracker, arguments);
        break;
    case DXGK_OPERATION_FILL:
        follow_fill(tracker, arguments);
        break;
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
    case DXGK_OPERATION_VIRTUAL_FILL:
        follow_virtual(tracker, arguments);
        break;
    case DXGK_OPERATION_INIT_CONTEXT_RESOURCE:
        follow_init(tracker, arguments);
        break;
    case DXGK_OPERATION_DISCARD_CONTENT:
        place(tracker, arguments->DiscardContent.hAllocation, 0, 0);
        break;
    case DXGK_OPERATION_NOTIFY_RESIDENCY:
        follow_residency(tracker, &arguments->NotifyResidency);
        break;
    case DXGK_OPERATION_NOTIFY_RESIDENCY2:
        follow_residency_of_part(tracker, &arguments->NotifyResidency2);
        break;
    case DXGK_OPERATION_MAP_MMU:
        follow_mmu(tracker, arguments->MmapMmu.hAllocation, arguments->MmapMmu.Adl.PageCount, true);
        break;
    case DXGK_OPERATION_UNMAP_MMU:
        follow_mmu(tracker, arguments->UnmapMmu.hAllocation, arguments->UnmapMmu.NumberOfPages,
                   false);
        break;
    case DXGK_OPERATION_NOTIFY_ALLOC:
        follow_eviction(tracker, &arguments->NotifyAllocation);
        break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
        set_mapped(tracker,
                   (struct pages){arguments->MapApertureSegment.SegmentId,
                                  arguments->MapApertureSegment.OffsetInPages,
                                  arguments->MapApertureSegment.NumberOfPages},
                   true);
        break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
        set_mapped(tracker,
                   (struct pages){arguments->MapApertureSegment2.SegmentId,
                                  arguments->MapApertureSegment2.OffsetInPages,
                                  arguments->MapApertureSegment2.NumberOfPages},
                   true);
        break;
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
        set_mapped(tracker,
                   (struct pages){arguments->UnmapApertureSegment.SegmentId,
                                  arguments->UnmapApertureSegment.OffsetInPages,
                                  arguments->UnmapApertureSegment.NumberOfPages},
                   false);
        break;
    default:
        break;
    }
}

/* ---- Paging buffers -------------------------------------------------------------------------- */

static void keep_part(struct contract_tracker *tracker, const DXGKARG_BUILDPAGINGBUFFER *before,
                      UINT produced, UINT private_used)
{
    struct contract_paging *paging = &tracker->paging;
    UINT start = tracker->paging_buffer_size - before->DmaSize;
    UINT private_start = tracker->paging_private_size - before->DmaBufferPrivateDataSize;

    if (paging->part_count == CONTRACT_PARTS_MAX) {
        paging->parts_lost = true;
        return;
    }
    unsigned at = (paging->part_first + paging->part_count++) % CONTRACT_PARTS_MAX;
    paging->parts[at] = (struct contract_part){.start = start,
                                               .end = start + produced,
                                               .private_start = private_start,
                                               .private_end = private_start + private_used,
                                               .address = before->DmaBufferGpuVirtualAddress,
                                               .epoch = tracker->epoch};
}

/* The signal ends what was built last; nothing else of paging changes by it. */
static void end_part(struct contract_tracker *tracker, UINT produced, UINT private_used)
{
    struct contract_paging *paging = &tracker->paging;
    unsigned last = (paging->part_first + paging->part_count - 1) % CONTRACT_PARTS_MAX;

    paging->next += produced;
    paging->left -= produced < paging->left ? produced : paging->left;
    if (paging->private_next) {
        paging->private_next += private_used;
    }
    paging->private_left -= private_used;
    if (paging->part_count > 0 && !paging->parts_lost) {
        paging->parts[last].end += produced;
        paging->parts[last].private_end += private_used;
    }
}

void track_signal_fence(struct contract_call *call)
{
    const DXGKARG_SIGNALMONITOREDFENCE *before = call->before, *after = call->arguments;
    uint64_t produced = contract_moved(before->pDmaBuffer, after->pDmaBuffer);
    uint64_t private_used =
        contract_moved(before->pDmaBufferPrivateData, after->pDmaBufferPrivateData);

    if (before->KernelSubmissionType == DXGK_KERNEL_SUBMISSION_BUILD_PAGING_BUFFER &&
        produced <= before->DmaSize && private_used <= before->DmaBufferPrivateDataSize) {
        call->tracker->signalled = before->MonitoredFenceValue;
        end_part(call->tracker, (UINT)produced, (UINT)private_used);
    }
}

void track_take_part(struct contract_tracker *tracker)
{
    struct contract_paging *paging = &tracker->paging;

    while (paging->part_count > 0) {
        unsigned epoch = paging->parts[paging->part_first].epoch;
        paging->part_first = (paging->part_first + 1) % CONTRACT_PARTS_MAX;
        paging->part_count--;
        if (epoch == tracker->epoch) {
            return; /* those from before a reset may have been lost with it */
        }
    }
}

static bool has_idle_flag(const DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return paging->Operation == DXGK_OPERATION_TRANSFER ||
           paging->Operation == DXGK_OPERATION_SPECIAL_LOCK_TRANSFER ||
           paging->Operation == DXGK_OPERATION_DISCARD_CONTENT;
}

void track_paging(struct contract_call *call)
{
    const DXGKARG_BUILDPAGINGBUFFER *before = call->before, *after = call->arguments;
    struct contract_tracker *tracker = call->tracker;
    struct contract_paging *paging = &tracker->paging;

    if (!before->pDmaBuffer) {
        if (has_succeeded(call)) {
            track_tables(tracker, before);
        }
        return;
    }
    uint64_t moved = contract_moved(before->pDmaBuffer, after->pDmaBuffer);
    uint64_t private_moved =
        contract_moved(before->pDmaBufferPrivateData, after->pDmaBufferPrivateData);
    UINT produced = moved <= before->DmaSize ? (UINT)moved : before->DmaSize;
    UINT private_used = private_moved <= before->DmaBufferPrivateDataSize
                            ? (UINT)private_moved
                            : before->DmaBufferPrivateDataSize;
    if (before->Operation == DXGK_OPERATION_SIGNAL_MONITORED_FENCE) {
        tracker->signalled = before->SignalMonitoredFence.MonitoredFenceValue;
        end_part(tracker, produced, private_used);
        return;
    }
    /* Private data of an operation that produced nothing belong to no packet. */
    private_used = produced ? private_used : 0;
    paging->repeat = call->status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    bool is_busy = call->status == STATUS_GRAPHICS_ALLOCATION_BUSY;
    paging->busy = is_busy && has_idle_flag(before);
    paging->open = !paging->repeat;
    paging->base =
        (const unsigned char *)before->pDmaBuffer - (tracker->paging_buffer_size - before->DmaSize);
    paging->address = before->DmaBufferGpuVirtualAddress;
    paging->next = (const unsigned char *)before->pDmaBuffer + produced;
    paging->left = before->DmaSize - produced;
    paging->private_next = before->pDmaBufferPrivateData
                               ? (const unsigned char *)before->pDmaBufferPrivateData + private_used
                               : NULL;
    paging->private_left = before->DmaBufferPrivateDataSize - private_used;
    paging->last = *before;
    paging->multipass = after->MultipassOffset;
    if (produced) {
        keep_part(tracker, before, produced, private_used);
    }
    /* BUSY for an operation that knows no idle flag is a breach [PAGE-006]; the kernel goes on. */
    if (has_succeeded(call) || (is_busy && !paging->busy)) {
        follow_operation(tracker, before);
        track_tables(tracker, before);
        if (before->Operation == DXGK_OPERATION_FLUSH_TLB) {
            tracker->flush_written |= moved != 0 || private_moved != 0;
            tracker->flush_left_out |= moved == 0 && private_moved == 0;
        }
        track_context_update(tracker, before);
    }
}

void track_reset_memory(struct contract_tracker *tracker)
{
    tracker->epoch++;
    tracker->paging.repeat = tracker->paging.busy = tracker->paging.transferring = false;
}

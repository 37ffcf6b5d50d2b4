/* paging.c: DxgkDdiBuildPagingBuffer.
 *
 * VidMm describes one movement of memory; the driver writes the commands for it into a paging
 * buffer. VidMm packs several operations into one buffer, and sends it off when it is full:
 *
 *   entry   pDmaBuffer at the first free byte, DmaSize bytes left
 *   return  pDmaBuffer one past the last byte written (PAGE-009)
 *   STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER: this much fitted; call again with a fresh buffer. How
 *           far we are is in MultipassOffset: here, the pages that are done. (PAGE-004)
 *
 * No other failure exists (PAGE-002). The device has no hidden state of an allocation, so it never
 * needs an allocation idle: STATUS_GRAPHICS_ALLOCATION_BUSY is never returned. */
#include "softgpu.h"

/* One side of a transfer, at its first byte. */
struct side {
    BOOLEAN is_list;
    ULONGLONG address;        /* of a segment */
    const PFN_NUMBER *frames; /* of an MDL */
};

static BOOLEAN has_room(const DXGKARG_BUILDPAGINGBUFFER *paging, ULONG bytes)
{
    return paging->DmaSize >= bytes;
}

static void append(DXGKARG_BUILDPAGINGBUFFER *paging, UCHAR **cursor, const void *command,
                   ULONG bytes)
{
    RtlCopyMemory(*cursor, command, bytes);
    *cursor += bytes;
    paging->pDmaBuffer = *cursor;
}

/* ---- Transfer -------------------------------------------------------------------------------- */

static struct side make_side(ULONG segment, LARGE_INTEGER address, const MDL *mdl,
                             ULONG transfer_offset, ULONG mdl_offset)
{
    struct side side;

    RtlZeroMemory(&side, sizeof(side));
    if (segment != 0) {
        /* Segment base and the allocation's place in it are in the address; TransferOffset counts
         * on this side only (XFER-004, XFER-009). */
        side.address = (ULONGLONG)address.QuadPart + transfer_offset;
    } else {
        side.is_list = TRUE;
        side.frames = MmGetMdlPfnArray((MDL *)mdl) + mdl_offset; /* XFER-011 */
    }
    return side;
}

static NTSTATUS copy_linear(DXGKARG_BUILDPAGINGBUFFER *paging, ULONGLONG destination,
                            ULONGLONG source, ULONGLONG bytes)
{
    struct softgpu_command_copy copy;
    UCHAR *cursor = paging->pDmaBuffer;

    if (!has_room(paging, sizeof(copy))) {
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    RtlZeroMemory(&copy, sizeof(copy));
    copy.header = SOFTGPU_COMMAND(SOFTGPU_OP_COPY, SOFTGPU_COMMAND_WORDS_OF(copy));
    copy.destination = softgpu_address_of(destination);
    copy.source = softgpu_address_of(source);
    copy.size_low = (ULONG)bytes;
    copy.size_high = (ULONG)(bytes >> 32);
    append(paging, &cursor, &copy, sizeof(copy));
    return STATUS_SUCCESS;
}

/* Between a segment and the pages of an MDL; as many pages as fit, each costs eight bytes. */
static NTSTATUS copy_pages(DXGKARG_BUILDPAGINGBUFFER *paging, ULONGLONG address,
                           const PFN_NUMBER *frames, BOOLEAN to_list, ULONGLONG bytes)
{
    struct softgpu_command_copy_pages copy;
    ULONGLONG page_total = (bytes + PAGE_SIZE - 1) >> PAGE_SHIFT;
    ULONGLONG done, left_bytes, part_bytes, room, frame;
    ULONG pages, i, pages_max;
    UCHAR *cursor = paging->pDmaBuffer;

    /* A command's length is a 16-bit number of words. */
    pages_max = (0xFFFFu - (ULONG)SOFTGPU_COMMAND_WORDS_OF(copy)) / 2;
    room = paging->DmaSize;
    done = paging->MultipassOffset;
    while (done < page_total) {
        if (room < sizeof(copy) + sizeof(frame)) {
            return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
        }
        pages = pages_max;
        if (pages > page_total - done) {
            pages = (ULONG)(page_total - done);
        }
        if (pages > (room - sizeof(copy)) / sizeof(frame)) {
            pages = (ULONG)((room - sizeof(copy)) / sizeof(frame));
        }
        left_bytes = bytes - (done << PAGE_SHIFT);
        part_bytes = (ULONGLONG)pages << PAGE_SHIFT;
        if (part_bytes > left_bytes) {
            part_bytes = left_bytes;
        }

        RtlZeroMemory(&copy, sizeof(copy));
        copy.header =
            SOFTGPU_COMMAND(SOFTGPU_OP_COPY_PAGES, SOFTGPU_COMMAND_WORDS_OF(copy) + pages * 2);
        copy.flags = to_list ? SOFTGPU_PAGES_TO_LIST : 0;
        copy.address = softgpu_address_of(address + (done << PAGE_SHIFT));
        copy.size_low = (ULONG)part_bytes;
        copy.size_high = (ULONG)(part_bytes >> 32);
        copy.page_count = pages;
        append(paging, &cursor, &copy, sizeof(copy));
        for (i = 0; i < pages; i++) {
            frame = frames[done + i];
            append(paging, &cursor, &frame, sizeof(frame));
        }
        room -= sizeof(copy) + pages * sizeof(frame);
        done += pages;
        paging->MultipassOffset = (ULONG)done;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS transfer(DXGKARG_BUILDPAGINGBUFFER *paging, const struct side *source,
                         const struct side *destination, ULONGLONG bytes)
{
    /* After a reset: the content is gone already, only our books would change (XFER-007). */
    if (bytes == 0) {
        return STATUS_SUCCESS;
    }
    if (!source->is_list && !destination->is_list) {
        return copy_linear(paging, destination->address, source->address, bytes);
    }
    if (source->is_list && destination->is_list) {
        return STATUS_INVALID_PARAMETER; /* dxgkrnl never asks for it (XFER-008) */
    }
    if (destination->is_list) {
        return copy_pages(paging, source->address, destination->frames, TRUE, bytes);
    }
    return copy_pages(paging, destination->address, source->frames, FALSE, bytes);
}

static NTSTATUS build_transfer(DXGKARG_BUILDPAGINGBUFFER *paging)
{
    struct side source, destination;

    if (paging->Transfer.TransferSize == 0) {
        return STATUS_SUCCESS; /* the content is lost: there is nothing to copy (XFER-007) */
    }
    if (paging->Transfer.Flags.Swizzle || paging->Transfer.Flags.Unswizzle) {
        return softgpu_convert_transfer(paging);
    }
    source = make_side(paging->Transfer.Source.SegmentId, paging->Transfer.Source.SegmentAddress,
                       paging->Transfer.Source.pMdl, paging->Transfer.TransferOffset,
                       paging->Transfer.MdlOffset);
    destination =
        make_side(paging->Transfer.Destination.SegmentId,
                  paging->Transfer.Destination.SegmentAddress, paging->Transfer.Destination.pMdl,
                  paging->Transfer.TransferOffset, paging->Transfer.MdlOffset);
    return transfer(paging, &source, &destination, paging->Transfer.TransferSize);
}

/* To and from the pages behind an alternate CPU address; there is no page offset (SPLOCK-004). */
static NTSTATUS build_special_lock_transfer(DXGKARG_BUILDPAGINGBUFFER *paging)
{
    struct side source = make_side(paging->SpecialLockTransfer.Source.SegmentId,
                                   paging->SpecialLockTransfer.Source.SegmentAddress,
                                   paging->SpecialLockTransfer.Source.pMdl,
                                   paging->SpecialLockTransfer.TransferOffset, 0);
    struct side destination = make_side(paging->SpecialLockTransfer.Destination.SegmentId,
                                        paging->SpecialLockTransfer.Destination.SegmentAddress,
                                        paging->SpecialLockTransfer.Destination.pMdl,
                                        paging->SpecialLockTransfer.TransferOffset, 0);

    return transfer(paging, &source, &destination, paging->SpecialLockTransfer.TransferSize);
}

/* ---- Fill and the small ones ----------------------------------------------------------------- */

static NTSTATUS build_fill(DXGKARG_BUILDPAGINGBUFFER *paging)
{
    struct softgpu_command_fill fill;
    UCHAR *cursor = paging->pDmaBuffer;
    ULONGLONG bytes = paging->Fill.FillSize;

    if (bytes == 0) {
        return STATUS_SUCCESS;
    }
    if (!has_room(paging, sizeof(fill))) {
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    RtlZeroMemory(&fill, sizeof(fill));
    fill.header = SOFTGPU_COMMAND(SOFTGPU_OP_FILL, SOFTGPU_COMMAND_WORDS_OF(fill));
    fill.pattern = paging->Fill.FillPattern;
    fill.address = softgpu_address_of((ULONGLONG)paging->Fill.Destination.SegmentAddress.QuadPart);
    fill.size_low = (ULONG)bytes;
    fill.size_high = (ULONG)(bytes >> 32);
    append(paging, &cursor, &fill, sizeof(fill));
    return STATUS_SUCCESS;
}

/* The value does not matter, the access does: it orders what went before (RDPHYS-001). The engine
 * reads by copying to the scratch page. */
static NTSTATUS build_read_physical(const struct softgpu_adapter *adapter,
                                    DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return copy_linear(paging, adapter->scratch_address,
                       (ULONGLONG)paging->ReadPhysical.PhysicalAddress.QuadPart, sizeof(ULONG));
}

static NTSTATUS build_write_physical(DXGKARG_BUILDPAGINGBUFFER *paging)
{
    struct softgpu_command_write write;
    UCHAR *cursor = paging->pDmaBuffer;

    if (!has_room(paging, sizeof(write))) {
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    RtlZeroMemory(&write, sizeof(write));
    write.header = SOFTGPU_COMMAND(SOFTGPU_OP_WRITE, SOFTGPU_COMMAND_WORDS_OF(write));
    write.address =
        softgpu_address_of((ULONGLONG)paging->WritePhysical.PhysicalAddress.QuadPart & ~3ull);
    append(paging, &cursor, &write, sizeof(write));
    return STATUS_SUCCESS;
}

/* What only an adapter with virtual addresses is asked for. */
static NTSTATUS build_virtual(struct softgpu_adapter *adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    switch (paging->Operation) {
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
        return softgpu_virtual_transfer(paging);
    case DXGK_OPERATION_VIRTUAL_FILL:
        return softgpu_virtual_fill(paging);
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
        return softgpu_update_page_table(adapter, paging);
    case DXGK_OPERATION_FLUSH_TLB:
        return softgpu_flush_tlb(adapter, paging);
    case DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION:
        return softgpu_state_update(paging);
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES:
        return softgpu_copy_page_table_entries(paging);
    case DXGK_OPERATION_NOTIFY_RESIDENCY:
        return softgpu_notify_residency(adapter, paging);
    case DXGK_OPERATION_NOTIFY_RESIDENCY2:
        return softgpu_notify_residency2(adapter, paging);
    case DXGK_OPERATION_NOTIFY_ALLOC:
        return softgpu_notify_allocation(paging);
    case DXGK_OPERATION_NOTIFY_FENCE_RESIDENCY:
        return softgpu_notify_fence_residency(adapter, paging);
    case DXGK_OPERATION_SIGNAL_MONITORED_FENCE:
        return softgpu_signal_monitored_fence(paging);
    default:
        /* Operations that neither our version nor our caps imply. Saying so is better than
         * pretending. */
        return STATUS_NOT_SUPPORTED;
    }
}

static NTSTATUS build(struct softgpu_adapter *adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    softgpu_state_moved(adapter, paging);
    softgpu_range_moved(adapter, paging);
    switch (paging->Operation) {
    case DXGK_OPERATION_TRANSFER:
        return build_transfer(paging);
    case DXGK_OPERATION_FILL:
        return build_fill(paging);
    case DXGK_OPERATION_DISCARD_CONTENT:
        return STATUS_SUCCESS; /* no state is kept for a place in video memory (DISC-005) */
    case DXGK_OPERATION_READ_PHYSICAL:
        return build_read_physical(adapter, paging);
    case DXGK_OPERATION_WRITE_PHYSICAL:
        return build_write_physical(paging);
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
        return softgpu_map_aperture(adapter, paging);
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
        return softgpu_map_aperture2(adapter, paging);
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
        return softgpu_unmap_aperture(adapter, paging);
    case DXGK_OPERATION_INIT_CONTEXT_RESOURCE:
        return softgpu_state_init(paging);
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
        return paging->SpecialLockTransfer.Flags.Swizzle ||
                       paging->SpecialLockTransfer.Flags.Unswizzle
                   ? softgpu_convert_special_lock_transfer(paging)
                   : build_special_lock_transfer(paging);
    case DXGK_OPERATION_MAP_MMU:
        return softgpu_map_window(adapter, paging);
    case DXGK_OPERATION_UNMAP_MMU:
        return softgpu_unmap_window(adapter, paging);
    default:
        return softgpu_has_addresses(&adapter->settings) ? build_virtual(adapter, paging)
                                                         : STATUS_NOT_SUPPORTED;
    }
}

NTSTATUS NTAPI softgpu_build_paging_buffer(const HANDLE adapter_handle,
                                           DXGKARG_BUILDPAGINGBUFFER *paging)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct softgpu_dma_private *private_data = paging->pDmaBufferPrivateData;
    const void *start = paging->pDmaBuffer;
    NTSTATUS status;

    PAGED_CODE();

    status = build(adapter, paging);
    /* A private range for each submission of this buffer: the pointer goes on (SUBMIT-024). When
     * there is no room for one more, that submission has none. */
    if (paging->pDmaBuffer != start && private_data != NULL &&
        paging->DmaBufferPrivateDataSize >= sizeof(*private_data)) {
        RtlZeroMemory(private_data, sizeof(*private_data));
        private_data->magic = SOFTGPU_DMA_MAGIC;
        private_data->flags = SOFTGPU_DMA_PRIVILEGED;
        paging->pDmaBufferPrivateData = private_data + 1;
    }
    return status;
}

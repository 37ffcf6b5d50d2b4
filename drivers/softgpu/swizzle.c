/* swizzle.c: surfaces whose pages stand in another order in video memory (WDDM 1.x).
 *
 * softgpu_regs.h has the layout: pages are dealt out to four banks. The engines that draw know it;
 * a surface of a command says it. VidMm knows only that there is one, by the flag Swizzled, and
 * says when the driver has to convert: what the CPU is going to see leaves video memory with
 * Unswizzle, and what it has seen comes back with Swizzle (XFER-012, SPLOCK-007). What goes and
 * comes back without that stays as it is.
 *
 * The copy engine has no command for it and needs none: a bank's pages follow one another in video
 * memory, and on the other side they are every fourth one of the list. So a conversion is a copy
 * for each bank, with that list.
 *
 *     piece of the allocation    TransferOffset ... : pages of the rows, on the list's side
 *     in video memory            anywhere in the banks: counted from the allocation's begin */
#include "softgpu.h"

#define FRAME_BYTES ((ULONG)sizeof(ULONGLONG))

struct conversion {
    ULONGLONG address; /* of place 0 */
    ULONG bank_pages;
    const PFN_NUMBER *frames; /* the first one is that of first_page */
    BOOLEAN to_list;
    ULONG first_page, page_count;
};

/* What lies in one bank. */
struct run {
    ULONG page, count; /* in the order of the rows; the next ones are four pages on */
};

/* Where `done` pages have been copied. FALSE: that is all. */
static BOOLEAN find_run(const struct conversion *conversion, ULONG done, struct run *run)
{
    ULONG end = conversion->first_page + conversion->page_count, first, bank;

    for (bank = 0; bank < SOFTGPU_BANK_COUNT; bank++) {
        first = conversion->first_page +
                (bank + SOFTGPU_BANK_COUNT - conversion->first_page % SOFTGPU_BANK_COUNT) %
                    SOFTGPU_BANK_COUNT;
        run->count = first < end ? (end - first + SOFTGPU_BANK_COUNT - 1) / SOFTGPU_BANK_COUNT : 0;
        if (done < run->count) {
            run->page = first + done * SOFTGPU_BANK_COUNT;
            run->count -= done;
            return TRUE;
        }
        done -= run->count;
    }
    return FALSE;
}

/* How many of the run's pages one command takes, in that many bytes. */
static ULONG fitting(const struct run *run, ULONGLONG room)
{
    const ULONG header = sizeof(struct softgpu_command_copy_pages);
    ULONG most =
        (0xFFFFu - header / sizeof(ULONG)) / 2; /* its length is a 16-bit number of words */

    if (room < header) {
        return 0;
    }
    most = most < (room - header) / FRAME_BYTES ? most : (ULONG)((room - header) / FRAME_BYTES);
    return most < run->count ? most : run->count;
}

static UCHAR *write_copy(UCHAR *cursor, const struct conversion *conversion, const struct run *run)
{
    struct softgpu_command_copy_pages copy;
    ULONGLONG frame;
    ULONG i;

    RtlZeroMemory(&copy, sizeof(copy));
    copy.header =
        SOFTGPU_COMMAND(SOFTGPU_OP_COPY_PAGES, SOFTGPU_COMMAND_WORDS_OF(copy) + run->count * 2);
    copy.flags = conversion->to_list ? SOFTGPU_PAGES_TO_LIST : 0;
    copy.address = softgpu_address_of(
        conversion->address +
        ((ULONGLONG)SOFTGPU_BANK_PLACE(run->page, conversion->bank_pages) << PAGE_SHIFT));
    copy.size_low = run->count << PAGE_SHIFT;
    copy.page_count = run->count;
    RtlCopyMemory(cursor, &copy, sizeof(copy));
    cursor += sizeof(copy);
    for (i = 0; i < run->count; i++) {
        frame = conversion->frames[run->page - conversion->first_page + i * SOFTGPU_BANK_COUNT];
        RtlCopyMemory(cursor, &frame, sizeof(frame));
        cursor += sizeof(frame);
    }
    return cursor;
}

/* MultipassOffset counts pages, in the order of the banks (PAGE-004). */
static NTSTATUS convert(DXGKARG_BUILDPAGINGBUFFER *paging, const struct conversion *conversion)
{
    UCHAR *cursor = paging->pDmaBuffer;
    const UCHAR *end = cursor + paging->DmaSize;
    struct run run;

    while (find_run(conversion, paging->MultipassOffset, &run)) {
        run.count = fitting(&run, (ULONGLONG)(end - cursor));
        if (run.count == 0) {
            return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
        }
        cursor = write_copy(cursor, conversion, &run);
        paging->pDmaBuffer = cursor;
        paging->MultipassOffset += run.count;
    }
    return STATUS_SUCCESS;
}

NTSTATUS softgpu_convert_transfer(DXGKARG_BUILDPAGINGBUFFER *paging)
{
    const struct softgpu_allocation *allocation =
        softgpu_allocation_of(paging->Transfer.hAllocation);
    struct conversion conversion;

    if (allocation == NULL || allocation->bank_pages == 0) {
        return STATUS_INVALID_PARAMETER; /* not Swizzled: dxgkrnl never asks for it */
    }
    conversion.to_list = paging->Transfer.Flags.Unswizzle;
    conversion.address =
        (ULONGLONG)(conversion.to_list ? paging->Transfer.Source.SegmentAddress.QuadPart
                                       : paging->Transfer.Destination.SegmentAddress.QuadPart);
    conversion.bank_pages = allocation->bank_pages;
    conversion.frames = MmGetMdlPfnArray(conversion.to_list ? paging->Transfer.Destination.pMdl
                                                            : paging->Transfer.Source.pMdl) +
                        paging->Transfer.MdlOffset;
    conversion.first_page = paging->Transfer.TransferOffset >> PAGE_SHIFT;
    conversion.page_count = (ULONG)(paging->Transfer.TransferSize >> PAGE_SHIFT);
    return convert(paging, &conversion);
}

/* The MDL begins with the piece (SPLOCK-004). */
NTSTATUS softgpu_convert_special_lock_transfer(DXGKARG_BUILDPAGINGBUFFER *paging)
{
    const struct softgpu_allocation *allocation =
        softgpu_allocation_of(paging->SpecialLockTransfer.hAllocation);
    struct conversion conversion;

    if (allocation == NULL || allocation->bank_pages == 0) {
        return STATUS_INVALID_PARAMETER;
    }
    conversion.to_list = paging->SpecialLockTransfer.Flags.Unswizzle;
    conversion.address =
        (ULONGLONG)(conversion.to_list
                        ? paging->SpecialLockTransfer.Source.SegmentAddress.QuadPart
                        : paging->SpecialLockTransfer.Destination.SegmentAddress.QuadPart);
    conversion.bank_pages = allocation->bank_pages;
    conversion.frames =
        MmGetMdlPfnArray(conversion.to_list ? paging->SpecialLockTransfer.Destination.pMdl
                                            : paging->SpecialLockTransfer.Source.pMdl);
    conversion.first_page = paging->SpecialLockTransfer.TransferOffset >> PAGE_SHIFT;
    conversion.page_count = (ULONG)(paging->SpecialLockTransfer.TransferSize >> PAGE_SHIFT);
    return convert(paging, &conversion);
}

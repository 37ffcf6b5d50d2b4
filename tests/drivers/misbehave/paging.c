/* paging.c: wrong answers to BuildPagingBuffer. */
#include "misbehave.h"

/* Always "does not fit", without having done anything. */
static NTSTATUS NTAPI paging_never_fits(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

/* The last page of a transfer is left out. */
static NTSTATUS NTAPI transfer_too_short(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_TRANSFER && paging->Transfer.TransferSize > PAGE_SIZE) {
        paging->Transfer.TransferSize -= paging->Transfer.TransferSize - PAGE_SIZE;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

static NTSTATUS NTAPI fill_with_another_pattern(const HANDLE adapter,
                                                DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_FILL) {
        paging->Fill.FillPattern ^= 1;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(PAGE_007, IN_DDI(BuildPagingBuffer), paging_never_fits, SCENE_PLAIN),
    BREAKS_RULE(XFER_020, IN_DDI(BuildPagingBuffer), transfer_too_short, SCENE_CONTENT),
    BREAKS_RULE(FILL_003, IN_DDI(BuildPagingBuffer), fill_with_another_pattern, SCENE_CONTENT),
};

MISBEHAVIOURS(paging);

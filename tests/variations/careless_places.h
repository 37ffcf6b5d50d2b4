/* What the careless think of places: where in a segment, and in which. Of careless.c alone. */
#ifndef TESTS_VARIATIONS_CARELESS_PLACES_H
#define TESTS_VARIATIONS_CARELESS_PLACES_H

#include "../drivers/misbehave/misbehave.h"

/* "Below the end", where up to the end is meant. */
static NTSTATUS NTAPI refuses_the_end(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    ULONGLONG base, size, end;

    if (paging->Operation == DXGK_OPERATION_FILL) {
        softgpu_vram_segment(adapter, paging->Fill.Destination.SegmentId, &base, &size);
        end = (ULONGLONG)paging->Fill.Destination.SegmentAddress.QuadPart + paging->Fill.FillSize;
        if (end + PAGE_SIZE > base + size) {
            return STATUS_INVALID_PARAMETER;
        }
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* "What prefers video memory is there." */
static NTSTATUS NTAPI maps_what_prefers_it(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    const struct softgpu_allocation *mapped = paging->MapApertureSegment.hAllocation;

    if (paging->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT && mapped != NULL &&
        !(mapped->info.flags & (SOFTGPU_UMD_PREFER_APERTURE | SOFTGPU_UMD_APERTURE_ONLY))) {
        return STATUS_INVALID_PARAMETER;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

#endif

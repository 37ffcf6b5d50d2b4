/* paging.c: BuildPagingBuffer done wrong. */
#include "misbehave.h"

/* Always "does not fit", without having done anything. */
static NTSTATUS NTAPI paging_never_fits(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(paging);
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

/* How far a transfer came is lost: each buffer begins with it again. */
static NTSTATUS NTAPI transfer_begins_again(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    NTSTATUS status = misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);

    if (paging->Operation != DXGK_OPERATION_TRANSFER || status != STATUS_SUCCESS) {
        return status;
    }
    paging->MultipassOffset = 0;
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

/* Of a transfer only the first page is moved. */
static NTSTATUS NTAPI transfer_too_short(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_TRANSFER && paging->Transfer.TransferSize > PAGE_SIZE) {
        paging->Transfer.TransferSize = PAGE_SIZE;
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

/* The answers that depend on the operation alone. */
static NTSTATUS answer(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging,
                       DXGK_BUILDPAGINGBUFFER_OPERATION operation, NTSTATUS status)
{
    return paging->Operation == operation
               ? status
               : misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

static NTSTATUS NTAPI transfer_fails(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return answer(adapter, paging, DXGK_OPERATION_TRANSFER, STATUS_INVALID_PARAMETER);
}

static NTSTATUS NTAPI fill_is_unknown(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return answer(adapter, paging, DXGK_OPERATION_FILL, STATUS_NOT_SUPPORTED);
}

static NTSTATUS NTAPI fill_is_busy(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return answer(adapter, paging, DXGK_OPERATION_FILL, STATUS_GRAPHICS_ALLOCATION_BUSY);
}

static NTSTATUS NTAPI map_fails(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return answer(adapter, paging, DXGK_OPERATION_MAP_APERTURE_SEGMENT, STATUS_NO_MEMORY);
}

static NTSTATUS NTAPI unmap_fails(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return answer(adapter, paging, DXGK_OPERATION_UNMAP_APERTURE_SEGMENT, STATUS_NO_MEMORY);
}

static NTSTATUS NTAPI map_wants_an_allocation(const HANDLE adapter,
                                              DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT &&
        paging->MapApertureSegment.hAllocation == NULL) {
        return STATUS_INVALID_HANDLE;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* ---- Bounds -----------------------------------------------------------------------------------
 */

static NTSTATUS NTAPI paging_pointer_too_far(const HANDLE adapter,
                                             DXGKARG_BUILDPAGINGBUFFER *paging)
{
    UCHAR *begin = paging->pDmaBuffer;
    ULONG size = paging->DmaSize;
    NTSTATUS status = misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);

    if (misbehave_once()) {
        paging->pDmaBuffer = begin + size + 8;
    }
    return status;
}

static NTSTATUS NTAPI paging_pointer_forgotten(const HANDLE adapter,
                                               DXGKARG_BUILDPAGINGBUFFER *paging)
{
    UCHAR *begin = paging->pDmaBuffer;
    NTSTATUS status = misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);

    if (paging->Operation == DXGK_OPERATION_FILL && paging->pDmaBuffer != begin &&
        misbehave_once()) {
        paging->pDmaBuffer = begin;
    }
    return status;
}

static NTSTATUS NTAPI paging_writes_too_far(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    UCHAR *end = (UCHAR *)paging->pDmaBuffer + paging->DmaSize;

    if (misbehave_once()) {
        end[0] = 0;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

static NTSTATUS NTAPI paging_private_too_far(const HANDLE adapter,
                                             DXGKARG_BUILDPAGINGBUFFER *paging)
{
    UCHAR *begin = paging->pDmaBufferPrivateData;
    ULONG size = paging->DmaBufferPrivateDataSize;
    NTSTATUS status = misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);

    if (misbehave_once()) {
        paging->pDmaBufferPrivateData = begin + size + 8;
    }
    return status;
}

/* ---- What the engine cannot do ----------------------------------------------------------------
 */

static NTSTATUS spoil_command(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging, ULONG word)
{
    ULONG *first = paging->pDmaBuffer;
    NTSTATUS status = misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);

    if ((ULONG *)paging->pDmaBuffer > first && misbehave_at(3)) {
        *first = word;
    }
    return status;
}

static NTSTATUS NTAPI paging_faults(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return spoil_command(adapter, paging, 0xFFFFFFFF);
}

static NTSTATUS NTAPI paging_hangs(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return spoil_command(adapter, paging, SOFTGPU_COMMAND(SOFTGPU_OP_HANG, 1));
}

/* ---- After a reset ----------------------------------------------------------------------------
 */

static NTSTATUS NTAPI empty_transfer_with_commands(const HANDLE adapter,
                                                   DXGKARG_BUILDPAGINGBUFFER *paging)
{
    NTSTATUS status = misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);

    if (paging->Operation == DXGK_OPERATION_TRANSFER && paging->Transfer.TransferSize == 0) {
        *(ULONG *)paging->pDmaBuffer = SOFTGPU_COMMAND(SOFTGPU_OP_NOP, 1);
        paging->pDmaBuffer = (UCHAR *)paging->pDmaBuffer + sizeof(ULONG);
    }
    return status;
}

static NTSTATUS NTAPI clean_up_touches_the_gpu(const HANDLE adapter,
                                               DXGKARG_BUILDPAGINGBUFFER *paging)
{
    const struct softgpu_adapter *softgpu = adapter;

    if (softgpu->in_reset) {
        (void)softgpu_read(softgpu, SOFTGPU_REG_ID);
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* ---- The page that the kernel watches ---------------------------------------------------------
 */

static NTSTATUS NTAPI writes_the_dummy_page(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT) {
        UCHAR *dummy = MmGetVirtualForPhysical(paging->UnmapApertureSegment.DummyPage);
        dummy[100] = 1;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* ---- What the aperture leads to ---------------------------------------------------------------
 */

/* "Up to, not with, the last one." */
static NTSTATUS NTAPI map_leaves_the_last_out(const HANDLE adapter,
                                              DXGKARG_BUILDPAGINGBUFFER *paging)
{
    const struct softgpu_adapter *softgpu = adapter;
    BOOLEAN maps = paging->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT;
    SIZE_T last = maps ? paging->MapApertureSegment.OffsetInPages +
                             paging->MapApertureSegment.NumberOfPages - 1
                       : 0;
    ULONGLONG before = softgpu->aperture_table[last];
    NTSTATUS status = misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);

    if (maps && paging->MapApertureSegment.NumberOfPages > 1) {
        softgpu->aperture_table[last] = before;
    }
    return status;
}

/* A page number that is off by one: not one page is right. */
static NTSTATUS NTAPI map_shows_the_neighbours(const HANDLE adapter,
                                               DXGKARG_BUILDPAGINGBUFFER *paging)
{
    const struct softgpu_adapter *softgpu = adapter;
    BOOLEAN maps = paging->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT;
    SIZE_T first = maps ? paging->MapApertureSegment.OffsetInPages : 0;
    NTSTATUS status = misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);

    for (SIZE_T i = 0; maps && i < paging->MapApertureSegment.NumberOfPages; i++) {
        softgpu->aperture_table[first + i] += 1u << PAGE_SHIFT;
    }
    return status;
}

/* "Whoever maps the range next writes it anew." */
static NTSTATUS NTAPI unmap_is_a_stub(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return paging->Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT
               ? STATUS_SUCCESS
               : misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* "The pages follow one another": they did in every test. */
static NTSTATUS NTAPI list_is_contiguous(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2 &&
        !paging->MapApertureSegment2.Adl.Flags.Contiguous) {
        paging->MapApertureSegment2.Adl.BasePageNumber = paging->MapApertureSegment2.Adl.Pages[0];
        paging->MapApertureSegment2.Adl.Flags.Contiguous = 1;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* "A contiguous list begins with its page", and not with AdlOffset. */
static NTSTATUS NTAPI list_begins_at_its_base(const HANDLE adapter,
                                              DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2 &&
        paging->MapApertureSegment2.Adl.Flags.Contiguous) {
        paging->MapApertureSegment2.AdlOffset = 0;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* "The list is of what is mapped", and that begins with its first page. */
static NTSTATUS NTAPI list_offset_is_left_out(const HANDLE adapter,
                                              DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2) {
        paging->MapApertureSegment2.AdlOffset = 0;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

static NTSTATUS NTAPI map_offset_is_left_out(const HANDLE adapter,
                                             DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT) {
        paging->MapApertureSegment.MdlOffset = 0;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* "What a list mapped has an end of its own", which will surely come. */
static NTSTATUS NTAPI list_has_no_end(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return answer(adapter, paging, DXGK_OPERATION_UNMAP_APERTURE_SEGMENT, STATUS_NOT_SUPPORTED);
}

/* "The cap speaks of what the hardware can do", and the operation is the old one. */
static NTSTATUS NTAPI list_is_unknown(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return paging->Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2
               ? STATUS_NOT_SUPPORTED
               : misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* ---- States of contexts ----------------------------------------------------------------------
 */

/* "The kernel knows my handle." The right one is asked for, too. */
static NTSTATUS NTAPI memory_of_my_own(INOUT_PDXGKARGCB_CREATECONTEXTALLOCATION request)
{
    DXGKARGCB_CREATECONTEXTALLOCATION wrong = *request;

    wrong.hContext = request->hDriverAllocation;
    (void)misbehave_kernel.DxgkCbCreateContextAllocation(&wrong);
    return misbehave_kernel.DxgkCbCreateContextAllocation(request);
}

/* "All of it is of the context." */
static NTSTATUS NTAPI memory_of_both(const HANDLE adapter, DXGKARG_CREATEDEVICE *create)
{
    DXGKARGCB_CREATECONTEXTALLOCATION request;

    if (!create->Flags.SystemDevice && misbehave_once()) {
        RtlZeroMemory(&request, sizeof(request));
        request.ContextAllocationFlags.SharedAcrossContexts = 1;
        request.hAdapter = misbehave_kernel.DeviceHandle;
        request.hDevice = request.hContext = create->hDevice;
        request.Size = PAGE_SIZE;
        request.SupportedSegmentSet = 1;
        if (NT_SUCCESS(misbehave_kernel.DxgkCbCreateContextAllocation(&request))) {
            (void)misbehave_kernel.DxgkCbDestroyContextAllocation(misbehave_kernel.DeviceHandle,
                                                                  request.hAllocation);
        }
    }
    return misbehave_driver.DxgkDdiCreateDevice(adapter, create);
}

/* No page says how many there may be; one that is not to be had is want of memory. */
static NTSTATUS NTAPI much_memory(const HANDLE adapter, DXGKARG_CREATEDEVICE *create)
{
    DXGKARGCB_CREATECONTEXTALLOCATION request;
    NTSTATUS status = STATUS_SUCCESS;
    HANDLE made[64];
    ULONG count = 0;

    while (!create->Flags.SystemDevice && NT_SUCCESS(status) && count < RTL_NUMBER_OF(made)) {
        RtlZeroMemory(&request, sizeof(request));
        request.ContextAllocationFlags.SharedAcrossContexts = 1;
        request.hAdapter = misbehave_kernel.DeviceHandle;
        request.hDevice = create->hDevice;
        request.Size = PAGE_SIZE;
        request.SupportedSegmentSet = 1;
        status = misbehave_kernel.DxgkCbCreateContextAllocation(&request);
        made[count] = request.hAllocation;
        count += NT_SUCCESS(status);
    }
    if (!NT_SUCCESS(status) && (status != STATUS_NO_MEMORY || count < 16)) {
        KeBugCheckEx(MANUALLY_INITIATED_CRASH, count, (ULONG)status, 0, 0);
    }
    while (count > 0) {
        (void)misbehave_kernel.DxgkCbDestroyContextAllocation(misbehave_kernel.DeviceHandle,
                                                              made[--count]);
    }
    return misbehave_driver.DxgkDdiCreateDevice(adapter, create);
}

/* "Whoever comes last gives it back." */
static NTSTATUS NTAPI memory_is_given_back_twice(IN_CONST_HANDLE adapter,
                                                 IN_CONST_HANDLE allocation)
{
    NTSTATUS status = misbehave_kernel.DxgkCbDestroyContextAllocation(adapter, allocation);

    if (misbehave_once()) {
        (void)misbehave_kernel.DxgkCbDestroyContextAllocation(adapter, allocation);
    }
    return status;
}

/* "It goes with its context." */
static NTSTATUS NTAPI memory_is_not_given_back(IN_CONST_HANDLE adapter, IN_CONST_HANDLE allocation)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(allocation);
    return STATUS_SUCCESS;
}

/* "Every context has a state", also those of the system. */
static NTSTATUS NTAPI memory_for_the_system(const HANDLE device, DXGKARG_CREATECONTEXT *create)
{
    const struct softgpu_device *softgpu = device;
    DXGKARGCB_CREATECONTEXTALLOCATION request;

    if (create->Flags.SystemContext) {
        RtlZeroMemory(&request, sizeof(request));
        request.hAdapter = softgpu->adapter->dxgk.DeviceHandle;
        request.hContext = create->hContext;
        request.Size = PAGE_SIZE;
        request.SupportedSegmentSet = 1;
        (void)misbehave_kernel.DxgkCbCreateContextAllocation(&request);
    }
    return misbehave_driver.DxgkDdiCreateContext(device, create);
}

/* "New memory is as good as a new state." */
static NTSTATUS NTAPI state_is_left_as_it_is(const HANDLE adapter,
                                             DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return paging->Operation == DXGK_OPERATION_INIT_CONTEXT_RESOURCE
               ? STATUS_SUCCESS
               : misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* ---- Swizzling ranges ------------------------------------------------------------------------ */

/* "It is a transfer: MDL to segment and back, and the client writes nothing meanwhile." */
static NTSTATUS NTAPI special_lock_is_a_stub(const HANDLE adapter,
                                             DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return paging->Operation == DXGK_OPERATION_SPECIAL_LOCK_TRANSFER &&
                   paging->SpecialLockTransfer.Destination.SegmentId == 0
               ? STATUS_SUCCESS
               : misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

static NTSTATUS NTAPI special_lock_comes_back_short(const HANDLE adapter,
                                                    DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_SPECIAL_LOCK_TRANSFER &&
        paging->SpecialLockTransfer.Destination.SegmentId != 0) {
        paging->SpecialLockTransfer.TransferSize = PAGE_SIZE;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

static NTSTATUS NTAPI special_lock_is_unknown(const HANDLE adapter,
                                              DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return answer(adapter, paging, DXGK_OPERATION_SPECIAL_LOCK_TRANSFER, STATUS_NOT_SUPPORTED);
}

static NTSTATUS NTAPI range_has_no_memory(const HANDLE adapter,
                                          DXGKARG_ACQUIRESWIZZLINGRANGE *acquire)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(acquire);
    return STATUS_NO_MEMORY;
}

static NTSTATUS NTAPI range_is_left_unsaid(const HANDLE adapter,
                                           DXGKARG_ACQUIRESWIZZLINGRANGE *acquire)
{
    NTSTATUS status = misbehave_driver.DxgkDdiAcquireSwizzlingRange(adapter, acquire);

    acquire->CPUTranslatedAddress.QuadPart = 0;
    return status;
}

/* "SegmentId says where it is." */
static NTSTATUS NTAPI range_is_at_the_segment(const HANDLE adapter,
                                              DXGKARG_ACQUIRESWIZZLINGRANGE *acquire)
{
    const struct softgpu_adapter *softgpu = adapter;
    NTSTATUS status = misbehave_driver.DxgkDdiAcquireSwizzlingRange(adapter, acquire);

    acquire->CPUTranslatedAddress.QuadPart = softgpu->vram_physical.QuadPart;
    return status;
}

static NTSTATUS NTAPI range_is_larger(const HANDLE adapter, DXGKARG_ACQUIRESWIZZLINGRANGE *acquire)
{
    NTSTATUS status = misbehave_driver.DxgkDdiAcquireSwizzlingRange(adapter, acquire);

    acquire->RangeSize += PAGE_SIZE;
    return status;
}

static NTSTATUS NTAPI range_is_not_released(const HANDLE adapter,
                                            const DXGKARG_RELEASESWIZZLINGRANGE *release)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(release);
    return STATUS_INVALID_PARAMETER;
}

/* "The engines read either layout; the bytes are what they were." */
static NTSTATUS NTAPI unswizzle_is_a_copy(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_TRANSFER) {
        paging->Transfer.Flags.Unswizzle = 0;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

static NTSTATUS NTAPI special_lock_is_a_copy(const HANDLE adapter,
                                             DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_SPECIAL_LOCK_TRANSFER) {
        paging->SpecialLockTransfer.Flags.Unswizzle = 0;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* "All video memory is in the BAR." */
static NTSTATUS NTAPI range_is_in_place(const HANDLE adapter,
                                        DXGKARG_ACQUIRESWIZZLINGRANGE *acquire)
{
    const struct softgpu_adapter *softgpu = adapter;
    const struct softgpu_allocation *allocation = acquire->hAllocation;
    NTSTATUS status = misbehave_driver.DxgkDdiAcquireSwizzlingRange(adapter, acquire);

    acquire->CPUTranslatedAddress.QuadPart = softgpu->vram_physical.QuadPart + allocation->place;
    return status;
}

/* ---- The chipset's aperture ------------------------------------------------------------------ */

/* "The data is irrelevant." */
static NTSTATUS NTAPI read_physical_is_a_stub(const HANDLE adapter,
                                              DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return answer(adapter, paging, DXGK_OPERATION_READ_PHYSICAL, STATUS_SUCCESS);
}

static NTSTATUS NTAPI read_physical_is_unknown(const HANDLE adapter,
                                               DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return answer(adapter, paging, DXGK_OPERATION_READ_PHYSICAL, STATUS_NOT_SUPPORTED);
}

/* "Any access will do." */
static NTSTATUS NTAPI read_physical_writes(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_READ_PHYSICAL) {
        paging->Operation = DXGK_OPERATION_WRITE_PHYSICAL; /* of the same members */
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

static NTSTATUS NTAPI write_physical_is_a_stub(const HANDLE adapter,
                                               DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return answer(adapter, paging, DXGK_OPERATION_WRITE_PHYSICAL, STATUS_SUCCESS);
}

/* A cache line at its begin, it thinks. */
static NTSTATUS NTAPI write_physical_is_rounded(const HANDLE adapter,
                                                DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_WRITE_PHYSICAL) {
        paging->WritePhysical.PhysicalAddress.QuadPart &= ~(LONGLONG)(PAGE_SIZE - 1);
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(RDPHYS_001, IN_DDI(BuildPagingBuffer), read_physical_is_a_stub,
                SCENE_CHIPSET | SCENE_CONTENT),
    BREAKS_RULE(RDPHYS_001, IN_DDI(BuildPagingBuffer), read_physical_writes,
                SCENE_CHIPSET | SCENE_CONTENT),
    BREAKS_RULE(WRPHYS_001, IN_DDI(BuildPagingBuffer), write_physical_is_a_stub,
                SCENE_CHIPSET | SCENE_CONTENT),
    BREAKS_RULE(WRPHYS_001, IN_DDI(BuildPagingBuffer), write_physical_is_rounded,
                SCENE_CHIPSET | SCENE_CONTENT),
    BREAKS_RULE(PAGE_020, IN_DDI(BuildPagingBuffer), read_physical_is_unknown,
                SCENE_CHIPSET | SCENE_MORE_RULES),
    BREAKS_RULE(SPLOCK_005, IN_DDI(BuildPagingBuffer), special_lock_is_a_stub,
                SCENE_RANGES | SCENE_CONTENT),
    BREAKS_RULE(SPLOCK_004, IN_DDI(BuildPagingBuffer), special_lock_comes_back_short,
                SCENE_RANGES | SCENE_CONTENT),
    BREAKS_RULE(XFER_012, IN_DDI(BuildPagingBuffer), unswizzle_is_a_copy,
                SCENE_SWIZZLED | SCENE_CONTENT),
    BREAKS_RULE(SPLOCK_007, IN_DDI(BuildPagingBuffer), special_lock_is_a_copy,
                SCENE_SWIZZLED | SCENE_CONTENT),
    BREAKS_RULE(SWZ_003, IN_DDI(AcquireSwizzlingRange), range_is_in_place,
                SCENE_SWIZZLED | SCENE_CONTENT),
    BREAKS_RULE(PAGE_020, IN_DDI(BuildPagingBuffer), special_lock_is_unknown,
                SCENE_RANGES | SCENE_MORE_RULES),
    BREAKS_RULE(SWZ_002, IN_DDI(AcquireSwizzlingRange), range_has_no_memory, SCENE_RANGES),
    BREAKS_RULE(SWZ_003, IN_DDI(AcquireSwizzlingRange), range_is_left_unsaid, SCENE_RANGES),
    BREAKS_RULE(SWZ_003, IN_DDI(AcquireSwizzlingRange), range_is_at_the_segment, SCENE_RANGES),
    BREAKS_RULE(SWZ_003, IN_DDI(AcquireSwizzlingRange), range_is_larger, SCENE_RANGES),
    BREAKS_RULE(SWZ_004, IN_DDI(ReleaseSwizzlingRange), range_is_not_released, SCENE_RANGES),
    BREAKS_RULE(PAGE_002, IN_DDI(BuildPagingBuffer), transfer_fails, SCENE_PLAIN),
    BREAKS_RULE(PAGE_006, IN_DDI(BuildPagingBuffer), fill_is_busy, SCENE_PLAIN),
    BREAKS_RULE(PAGE_007, IN_DDI(BuildPagingBuffer), paging_never_fits, SCENE_PLAIN),
    BREAKS_RULE(PAGE_007, IN_DDI(BuildPagingBuffer), transfer_begins_again, SCENE_PLAIN),
    BREAKS_RULE(PAGE_009, IN_DDI(BuildPagingBuffer), paging_pointer_too_far, SCENE_PLAIN),
    BREAKS_RULE(PAGE_009, IN_DDI(BuildPagingBuffer), paging_pointer_forgotten, SCENE_PLAIN),
    BREAKS_RULE(PAGE_014, IN_DDI(BuildPagingBuffer), paging_writes_too_far, SCENE_PLAIN),
    BREAKS_RULE(PAGE_017, IN_DDI(BuildPagingBuffer), paging_private_too_far, SCENE_PLAIN),
    BREAKS_RULE(PAGE_020, IN_DDI(BuildPagingBuffer), fill_is_unknown, SCENE_MORE_RULES),
    BREAKS_RULE(MAPAP_001, IN_DDI(BuildPagingBuffer), map_fails, SCENE_PLAIN),
    BREAKS_RULE(MAPAP_004, IN_DDI(BuildPagingBuffer), map_wants_an_allocation, SCENE_APERTURE_DMA),
    BREAKS_RULE(UNMAPAP_005, IN_DDI(BuildPagingBuffer), unmap_fails, SCENE_PLAIN),
    BREAKS_RULE(UNMAPAP_004, IN_DDI(BuildPagingBuffer), writes_the_dummy_page, SCENE_PLAIN),
    BREAKS_RULE(MAPAP_007, IN_DDI(BuildPagingBuffer), map_leaves_the_last_out, SCENE_CONTENT),
    BREAKS_RULE(MAPAP_007, IN_DDI(BuildPagingBuffer), map_shows_the_neighbours, SCENE_CONTENT),
    BREAKS_RULE(UNMAPAP_003, IN_DDI(BuildPagingBuffer), unmap_is_a_stub, SCENE_CONTENT),
    BREAKS_RULE(MAPAP2_004, IN_DDI(BuildPagingBuffer), list_is_contiguous,
                SCENE_LISTS | SCENE_CONTENT),
    BREAKS_RULE(MAPAP2_004, IN_DDI(BuildPagingBuffer), list_is_unknown, SCENE_LISTS),
    BREAKS_RULE(MAPAP_007, IN_DDI(BuildPagingBuffer), map_offset_is_left_out, SCENE_CONTENT),
    BREAKS_RULE(MAPAP2_007, IN_DDI(BuildPagingBuffer), list_offset_is_left_out,
                SCENE_LISTS | SCENE_CONTENT),
    BREAKS_RULE(MAPAP2_007, IN_DDI(BuildPagingBuffer), list_begins_at_its_base,
                SCENE_LISTS | SCENE_CONTENT),
    BREAKS_RULE(MAPAP2_011, IN_DDI(BuildPagingBuffer), list_has_no_end, SCENE_LISTS),
    BREAKS_RULE(CCA_001, IN_DDI(CreateContext), memory_for_the_system, SCENE_STATES),
    BREAKS_RULE(CCA_002, IN_CALLBACK(CreateContextAllocation), memory_of_my_own, SCENE_STATES),
    BREAKS_RULE(CCA_002, IN_DDI(CreateDevice), memory_of_both, SCENE_STATES | SCENE_ADVICE),
    BREAKS_NO_RULE(IN_DDI(CreateDevice), much_memory, SCENE_STATES),
    BREAKS_RULE(CCA_004, IN_CALLBACK(DestroyContextAllocation), memory_is_given_back_twice,
                SCENE_STATES),
    BREAKS_RULE(CCA_009, IN_CALLBACK(DestroyContextAllocation), memory_is_not_given_back,
                SCENE_STATES),
    BREAKS_RULE(INITCTX_003, IN_DDI(BuildPagingBuffer), state_is_left_as_it_is,
                SCENE_STATES | SCENE_ADVICE),
    BREAKS_NO_RULE(IN_DDI(BuildPagingBuffer), paging_faults, SCENE_LOST),
    BREAKS_NO_RULE(IN_DDI(BuildPagingBuffer), paging_hangs, SCENE_LOST),
    BREAKS_NO_RULE(IN_DDI(BuildPagingBuffer), empty_transfer_with_commands, SCENE_HANG),
    BREAKS_RULE(TDR_006, IN_DDI(BuildPagingBuffer), clean_up_touches_the_gpu, SCENE_HANG),
    BREAKS_RULE(XFER_020, IN_DDI(BuildPagingBuffer), transfer_too_short, SCENE_CONTENT),
    BREAKS_RULE(FILL_003, IN_DDI(BuildPagingBuffer), fill_with_another_pattern, SCENE_CONTENT),
};

MISBEHAVIOURS(paging);

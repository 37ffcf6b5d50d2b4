/* kernel_work.c: short ways to call the DDIs of work: paging, rendering, and their objects. */
#include "kernel.h"

/* ---- Paging ---- */

static void submit_paging(uint64_t physical, ULONG used, void *private_data)
{
    DXGKARG_SUBMITCOMMAND submit;
    memset(&submit, 0, sizeof(submit));
    submit.DmaBufferPhysicalAddress.QuadPart = (LONGLONG)physical;
    submit.DmaBufferSize = used;
    submit.DmaBufferSubmissionEndOffset = used;
    submit.pDmaBufferPrivateData = private_data;
    submit.SubmissionFenceId = ++kernel.fence;
    submit.Flags.Paging = 1;
    submit.NodeOrdinal = SOFTGPU_ENGINE_COPY;
    kernel.irql = DISPATCH_LEVEL;
    assert_int_equal(kernel.table.DxgkDdiSubmitCommand(kernel.adapter, &submit), STATUS_SUCCESS);
    kernel.irql = PASSIVE_LEVEL;
    kernel_wait_fence(SOFTGPU_ENGINE_COPY, kernel.fence);
}

unsigned kernel_page(const DXGKARG_BUILDPAGINGBUFFER *operation, ULONG buffer_bytes)
{
    DXGKARG_BUILDPAGINGBUFFER paging = *operation;
    uint64_t physical = kernel_pages((buffer_bytes + 4095) / 4096);
    UCHAR private_data[64];
    unsigned buffers = 0;
    NTSTATUS status;
    do {
        UCHAR *buffer = kernel_ram(physical);
        memset(private_data, 0, sizeof(private_data));
        paging.pDmaBuffer = buffer;
        paging.DmaSize = buffer_bytes;
        paging.pDmaBufferPrivateData = private_data;
        paging.DmaBufferPrivateDataSize = sizeof(private_data);
        status = kernel.table.DxgkDdiBuildPagingBuffer(kernel.adapter, &paging);
        assert_true(status == STATUS_SUCCESS || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
        ULONG used = (ULONG)((UCHAR *)paging.pDmaBuffer - buffer);
        assert_true(used <= buffer_bytes);
        assert_true(used != 0 || status == STATUS_SUCCESS);
        if (used)
            submit_paging(physical, used, private_data);
        buffers++;
    } while (status != STATUS_SUCCESS);
    return buffers;
}

/* ---- Rendering ---- */

void kernel_dma_init(struct kernel_dma *dma, ULONG size, ULONG patch_capacity)
{
    memset(dma, 0, sizeof(*dma));
    dma->physical = kernel_pages((size + 4095) / 4096);
    dma->size = size;
    dma->private_size = sizeof(dma->private_data);
    dma->patch_capacity = patch_capacity;
}

NTSTATUS kernel_render(HANDLE context, struct kernel_dma *dma, const void *commands, ULONG bytes,
                       UINT *multipass)
{
    DXGKARG_RENDER render;
    NTSTATUS status;
    memset(&render, 0, sizeof(render));
    render.pCommand = commands;
    render.CommandLength = bytes;
    render.pDmaBuffer = kernel_ram(dma->physical);
    render.DmaSize = dma->size;
    render.pDmaBufferPrivateData = dma->private_data;
    render.DmaBufferPrivateDataSize = dma->private_size;
    render.pAllocationList = dma->allocations;
    render.AllocationListSize = dma->allocation_count;
    render.pPatchLocationListOut = dma->patches;
    render.PatchLocationListOutSize = dma->patch_capacity;
    render.MultipassOffset = multipass ? *multipass : 0;
    status = kernel.table.DxgkDdiRender(context, &render);
    if (status == STATUS_SUCCESS || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
        dma->used = (ULONG)((UCHAR *)render.pDmaBuffer - (UCHAR *)kernel_ram(dma->physical));
        dma->patch_count = (ULONG)(render.pPatchLocationListOut - dma->patches);
        assert_true(dma->used <= dma->size && dma->patch_count <= dma->patch_capacity);
    }
    if (multipass)
        *multipass = render.MultipassOffset;
    return status;
}

ULONG kernel_submit_range(HANDLE context, struct kernel_dma *dma, ULONG start, ULONG end,
                          ULONG fence)
{
    DXGKARG_SUBMITCOMMAND submit;
    DXGKARG_PATCH patch;
    memset(&patch, 0, sizeof(patch));
    patch.hContext = context;
    patch.DmaBufferPhysicalAddress.QuadPart = (LONGLONG)dma->physical;
    patch.pDmaBuffer = kernel_ram(dma->physical);
    patch.DmaBufferSize = dma->size;
    patch.DmaBufferSubmissionStartOffset = start;
    patch.DmaBufferSubmissionEndOffset = end;
    patch.pDmaBufferPrivateData = dma->private_data;
    patch.DmaBufferPrivateDataSize = dma->private_size;
    patch.pAllocationList = dma->allocations;
    patch.AllocationListSize = dma->allocation_count;
    patch.pPatchLocationList = dma->patches;
    patch.PatchLocationListSize = dma->patch_count;
    patch.PatchLocationListSubmissionLength = dma->patch_count;
    patch.SubmissionFenceId = fence;
    assert_int_equal(kernel.table.DxgkDdiPatch(kernel.adapter, &patch), STATUS_SUCCESS);

    memset(&submit, 0, sizeof(submit));
    submit.hContext = context;
    submit.DmaBufferPhysicalAddress.QuadPart = (LONGLONG)dma->physical;
    submit.DmaBufferSize = dma->size;
    submit.DmaBufferSubmissionStartOffset = start;
    submit.DmaBufferSubmissionEndOffset = end;
    submit.pDmaBufferPrivateData = dma->private_data;
    submit.DmaBufferPrivateDataSize = dma->private_size;
    submit.DmaBufferPrivateDataSubmissionEndOffset = dma->private_size;
    submit.SubmissionFenceId = fence;
    kernel.irql = DISPATCH_LEVEL;
    assert_int_equal(kernel.table.DxgkDdiSubmitCommand(kernel.adapter, &submit), STATUS_SUCCESS);
    kernel.irql = PASSIVE_LEVEL;
    return fence;
}

ULONG kernel_submit(HANDLE context, struct kernel_dma *dma)
{
    return kernel_submit_range(context, dma, 0, dma->used, ++kernel.fence);
}

/* ---- Objects ---- */

HANDLE kernel_create_device(void)
{
    DXGKARG_CREATEDEVICE create;
    memset(&create, 0, sizeof(create));
    create.hDevice = &kernel;
    assert_int_equal(kernel.table.DxgkDdiCreateDevice(kernel.adapter, &create), STATUS_SUCCESS);
    assert_non_null(create.hDevice);
    return create.hDevice;
}

HANDLE kernel_create_context(HANDLE device, ULONG node)
{
    DXGKARG_CREATECONTEXT create;
    memset(&create, 0, sizeof(create));
    create.NodeOrdinal = node;
    create.EngineAffinity = 1;
    assert_int_equal(kernel.table.DxgkDdiCreateContext(device, &create), STATUS_SUCCESS);
    assert_true(create.ContextInfo.DmaBufferSize >= 4096);
    return create.hContext;
}

NTSTATUS kernel_create_allocation(HANDLE device, const struct softgpu_umd_allocation *umd,
                                  uint64_t place, struct kernel_allocation *allocation)
{
    DXGKARG_CREATEALLOCATION create;
    DXGKARG_OPENALLOCATION open;
    DXGK_OPENALLOCATIONINFO open_info;
    NTSTATUS status;
    memset(allocation, 0, sizeof(*allocation));
    allocation->place = place;
    allocation->umd = *umd;
    allocation->info.pPrivateDriverData = &allocation->umd;
    allocation->info.PrivateDriverDataSize = sizeof(allocation->umd);
    memset(&create, 0, sizeof(create));
    create.NumAllocations = 1;
    create.pAllocationInfo = &allocation->info;
    status = kernel.table.DxgkDdiCreateAllocation(kernel.adapter, &create);
    if (status != STATUS_SUCCESS)
        return status;
    allocation->driver = allocation->info.hAllocation;

    memset(&open, 0, sizeof(open));
    memset(&open_info, 0, sizeof(open_info));
    assert_true(kernel.handle_count < KERNEL_HANDLES_MAX);
    kernel.handles[kernel.handle_count] = allocation->driver;
    open_info.hAllocation = kernel.handle_count++;
    open_info.pPrivateDriverData = &allocation->umd;
    open_info.PrivateDriverDataSize = sizeof(allocation->umd);
    open.NumAllocations = 1;
    open.pOpenAllocation = &open_info;
    open.Flags.Create = 1;
    assert_int_equal(kernel.table.DxgkDdiOpenAllocation(device, &open), STATUS_SUCCESS);
    allocation->open = open_info.hDeviceSpecificAllocation;
    return STATUS_SUCCESS;
}

void kernel_destroy_allocation(HANDLE device, struct kernel_allocation *allocation)
{
    DXGKARG_CLOSEALLOCATION close = {.NumAllocations = 1, .pOpenHandleList = &allocation->open};
    DXGKARG_DESTROYALLOCATION destroy = {.NumAllocations = 1,
                                         .pAllocationList = &allocation->driver};
    assert_int_equal(kernel.table.DxgkDdiCloseAllocation(device, &close), STATUS_SUCCESS);
    assert_int_equal(kernel.table.DxgkDdiDestroyAllocation(kernel.adapter, &destroy),
                     STATUS_SUCCESS);
}

ULONG kernel_dma_add(struct kernel_dma *dma, const struct kernel_allocation *allocation,
                     BOOLEAN write, BOOLEAN resident)
{
    DXGK_ALLOCATIONLIST *entry = &dma->allocations[dma->allocation_count];
    entry->hDeviceSpecificAllocation = allocation->open;
    entry->WriteOperation = write;
    entry->SegmentId = resident ? 1 : 0;
    entry->PhysicalAddress.QuadPart = (LONGLONG)allocation->place;
    return dma->allocation_count++;
}

/* context.c: devices and contexts.
 *
 * A device stands for one client of the adapter, a context for a stream of its work on one node. A
 * driver that is not MultiEngineAware has no contexts: dxgkrnl passes device handles wherever a
 * context handle would stand. */
#include "softgpu.h"

#define DMA_BUFFER_BYTES_MIN 4096u
#define DMA_BUFFER_BYTES_MAX 0x40000u
#define PATCH_LIST_MIN       16u
#define PATCH_LIST_MAX       4096u

struct softgpu_context *softgpu_context_of(const struct softgpu_adapter *adapter, HANDLE handle)
{
    if (handle == NULL) {
        return NULL; /* paging */
    }
    if (adapter->settings.multi_engine_aware) {
        return handle;
    }
    return &((struct softgpu_device *)handle)->context;
}

static ULONG new_context_id(struct softgpu_adapter *adapter)
{
    ULONG id;

    do {
        id = (ULONG)InterlockedIncrement(&adapter->next_context_id);
    } while (id == 0 || id == ~0u); /* the null context, and "unknown" */
    return id;
}

/* DMA buffers live in contiguous system memory (set 0) or in the aperture (CTX-012). */
static ULONG dma_segment_set(const struct softgpu_adapter *adapter)
{
    return adapter->settings.dma_in_aperture ? 1u << (softgpu_aperture_segment(adapter) - 1) : 0;
}

/* ---- Devices --------------------------------------------------------------------------------- */

NTSTATUS NTAPI softgpu_create_device(const HANDLE adapter_handle, DXGKARG_CREATEDEVICE *create)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct softgpu_device *device;

    PAGED_CODE();

    device = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*device), SOFTGPU_TAG_DEVICE);
    if (device == NULL) {
        return STATUS_NO_MEMORY;
    }
    device->adapter = adapter;
    device->kernel_handle = create->hDevice; /* for callbacks about this device (CTX-018) */
    device->context.device = device;
    device->context.node = SOFTGPU_ENGINE_3D;
    device->context.id = new_context_id(adapter);
    if (softgpu_has_addresses(&adapter->settings)) {
        device->process = create->hKmdProcess;
    }

    /* A driver without contexts is asked for the sizes here (CTX-019); with them, the same place
     * holds Flags. */
    if (!adapter->settings.multi_engine_aware && create->pInfo != NULL) {
        create->pInfo->DmaBufferSize = adapter->settings.dma_buffer_bytes;
        create->pInfo->DmaBufferSegmentSet = dma_segment_set(adapter);
        create->pInfo->DmaBufferPrivateDataSize = softgpu_private_bytes(&softgpu_settings);
        create->pInfo->AllocationListSize = SOFTGPU_ALLOCATION_LIST_SIZE;
        create->pInfo->PatchLocationListSize = SOFTGPU_PATCH_LIST_SIZE;
        create->pInfo->Flags.GuaranteedDmaBufferContract = 0;
    }
    create->hDevice = device;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI softgpu_destroy_device(const HANDLE device_handle)
{
    PAGED_CODE();

    ExFreePoolWithTag(device_handle, SOFTGPU_TAG_DEVICE);
    return STATUS_SUCCESS;
}

/* ---- Contexts -------------------------------------------------------------------------------- */

/* A client may ask for buffers of another size; what it asks for is checked (CTX-009). */
static BOOLEAN read_wishes(const DXGKARG_CREATECONTEXT *create, struct softgpu_umd_context *wishes)
{
    RtlZeroMemory(wishes, sizeof(*wishes));
    if (create->PrivateDriverDataSize == 0) {
        return TRUE;
    }
    if (create->pPrivateDriverData == NULL || create->PrivateDriverDataSize != sizeof(*wishes)) {
        return FALSE;
    }
    RtlCopyMemory(wishes, create->pPrivateDriverData, sizeof(*wishes));
    if (wishes->magic != SOFTGPU_UMD_CONTEXT_MAGIC || wishes->version != SOFTGPU_UMD_VERSION) {
        return FALSE;
    }
    if (wishes->dma_buffer_bytes != 0 && (wishes->dma_buffer_bytes < DMA_BUFFER_BYTES_MIN ||
                                          wishes->dma_buffer_bytes > DMA_BUFFER_BYTES_MAX)) {
        return FALSE;
    }
    return wishes->patch_list_entries == 0 || (wishes->patch_list_entries >= PATCH_LIST_MIN &&
                                               wishes->patch_list_entries <= PATCH_LIST_MAX);
}

/* All engines copy entries of page tables. */
static ULONG companion_node(const struct softgpu_adapter *adapter)
{
    ULONG wanted = adapter->settings.companion_node;

    return wanted == 0 || wanted > softgpu_node_count(adapter) ? adapter->settings.paging_node
                                                               : wanted - 1;
}

NTSTATUS NTAPI softgpu_create_context(const HANDLE device_handle, DXGKARG_CREATECONTEXT *create)
{
    struct softgpu_device *device = device_handle;
    struct softgpu_adapter *adapter = device->adapter;
    struct softgpu_context *context;
    struct softgpu_umd_context wishes;
    NTSTATUS status;

    PAGED_CODE();

    if (create->NodeOrdinal >= softgpu_node_count(adapter) || !read_wishes(create, &wishes)) {
        return STATUS_GRAPHICS_DRIVER_MISMATCH; /* the only error but NO_MEMORY (CTX-002) */
    }
    /* SubmitCommand looks at it: nonpaged. */
    context = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*context), SOFTGPU_TAG_CONTEXT);
    if (context == NULL) {
        return STATUS_NO_MEMORY;
    }
    context->device = device;
    context->kernel_handle = create->hContext;
    context->node = create->NodeOrdinal;
    context->id = new_context_id(adapter);
    context->system = create->Flags.SystemContext;
    if (softgpu_has_addresses(&adapter->settings) && create->Flags.VirtualAddressing) {
        if (device->process == NULL || !softgpu_space_open(adapter, context)) {
            status = device->process == NULL ? STATUS_GRAPHICS_DRIVER_MISMATCH : STATUS_NO_MEMORY;
            ExFreePoolWithTag(context, SOFTGPU_TAG_CONTEXT);
            return status;
        }
        if (context->system) {
            /* That of the process's first context; paging companions come later. */
            (void)InterlockedCompareExchange(&adapter->system_space, (LONG)context->space, 0);
        }
    }

    status = softgpu_state_create(adapter, context);
    if (!NT_SUCCESS(status)) {
        softgpu_space_close(adapter, context);
        ExFreePoolWithTag(context, SOFTGPU_TAG_CONTEXT);
        return STATUS_NO_MEMORY;
    }

    create->ContextInfo.DmaBufferSize =
        wishes.dma_buffer_bytes ? wishes.dma_buffer_bytes : adapter->settings.dma_buffer_bytes;
    create->ContextInfo.DmaBufferSegmentSet = dma_segment_set(adapter);
    create->ContextInfo.DmaBufferPrivateDataSize = softgpu_private_bytes(&softgpu_settings);
    create->ContextInfo.AllocationListSize = SOFTGPU_ALLOCATION_LIST_SIZE; /* CTX-007: 256 */
    create->ContextInfo.PatchLocationListSize =
        wishes.patch_list_entries ? wishes.patch_list_entries : SOFTGPU_PATCH_LIST_SIZE;
    create->ContextInfo.Reserved = 0;
    if (adapter->settings.wddm_version >= 0x2000) {
        create->ContextInfo.Caps.Value = 0; /* the structure is shorter before */
        create->ContextInfo.PagingCompanionNodeId = companion_node(adapter);
    }
    if (context->space != 0) {
        create->ContextInfo.DmaBufferPrivateDataSize = SOFTGPU_PRIVATE_BYTES_VIRTUAL;
        create->ContextInfo.Caps.NoPatchingRequired = 1;
        create->ContextInfo.Caps.DriverManagesResidency = 1;
        create->ContextInfo.Caps.UseIoMmu = adapter->settings.io_mmu != 0;
    }
    create->hContext = context;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI softgpu_destroy_context(const HANDLE context_handle)
{
    struct softgpu_context *context = context_handle;

    PAGED_CODE();

    softgpu_state_destroy(context->device->adapter, context);
    softgpu_space_close(context->device->adapter, context);
    ExFreePoolWithTag(context, SOFTGPU_TAG_CONTEXT);
    return STATUS_SUCCESS;
}

/* fence.c: native fences: words of memory that the GPU waits for and signals by itself.
 *
 *   fence (CreateNativeFence)             the adapter's
 *     +-- local fence (OpenNativeFence)   a process's view; commands name the values by address
 *
 *   a CPU waits ─> UpdateMonitoredValues: the least value that is waited for, less one
 *   SIGNAL (a command) ─> current value; larger than the monitored one? ─> interrupt ─> which
 *   fences are beyond theirs ─> NATIVE_FENCE_SIGNALED
 *
 * Engines read the monitored value from memory with each SIGNAL, behind their write of the current
 * one: nothing of it is kept elsewhere, and a value that dxgkrnl reads behind the call was written
 * with knowledge of the new one, or tells by itself (FENCE-006). */
#include "softgpu.h"

/* ---- Whether there are any ------------------------------------------------------------------- */

/* Before the caps say so (FENCE-008). */
void softgpu_fences_start(struct softgpu_adapter *adapter)
{
    HANDLE handle = adapter->dxgk.DeviceHandle;
    DXGKARGCB_ISFEATUREENABLED2 asked;
    DXGK_FEATURE_INTERFACE feature;
    NTSTATUS status;

    InitializeListHead(&adapter->fences);
    adapter->native_fences = FALSE;
    if (!adapter->settings.native_fences || !adapter->settings.gpu_mmu) {
        return;
    }
    RtlZeroMemory(&feature, sizeof(feature));
    feature.Size = sizeof(feature);
    feature.Version = DXGK_FEATURE_INTERFACE_VERSION_1;
    status = adapter->dxgk.DxgkCbQueryServices(handle, DxgkServicesFeature, (PINTERFACE)&feature);
    if (!NT_SUCCESS(status)) {
        return;
    }
    RtlZeroMemory(&asked, sizeof(asked));
    asked.FeatureId = DXGK_FEATURE_NATIVE_FENCE;
    status = feature.IsFeatureEnabled(handle, &asked);
    adapter->native_fences = NT_SUCCESS(status) && asked.Result.Enabled;
    feature.InterfaceDereference(feature.Context);
}

NTSTATUS softgpu_query_fence_caps(const struct softgpu_adapter *adapter,
                                  const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_NATIVE_FENCE_CAPS caps;

    if (!adapter->native_fences || query->OutputDataSize < sizeof(caps)) {
        return STATUS_INVALID_PARAMETER;
    }
    RtlZeroMemory(&caps, sizeof(caps));
    caps.MonitoredValueStride = sizeof(ULONGLONG);
    caps.MapToGpuSystemProcess = adapter->settings.native_fences == 2;
    RtlCopyMemory(query->pOutputData, &caps, sizeof(caps));
    return STATUS_SUCCESS;
}

/* ---- Fences ---------------------------------------------------------------------------------- */

static BOOLEAN NTAPI add_fence(PVOID argument)
{
    struct softgpu_fence *fence = argument;

    InsertTailList(&fence->adapter->fences, &fence->link);
    return TRUE;
}

static BOOLEAN NTAPI remove_fence(PVOID argument)
{
    struct softgpu_fence *fence = argument;

    RemoveEntryList(&fence->link);
    return TRUE;
}

NTSTATUS NTAPI softgpu_create_native_fence(const HANDLE adapter_handle,
                                           DXGKARG_CREATENATIVEFENCE *create)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct softgpu_fence *fence;

    PAGED_CODE();

    /* The interrupt routine looks at it: nonpaged. */
    fence = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*fence), SOFTGPU_TAG_FENCE);
    if (fence == NULL) {
        return STATUS_NO_MEMORY;
    }
    fence->adapter = adapter;
    fence->kernel_handle = create->hGlobalNativeFence;
    softgpu_synchronize(adapter, add_fence, fence);
    create->hGlobalNativeFence = fence;
    return STATUS_SUCCESS;
}

/* No process has it open any more (FENCE-009): nobody tells of it behind this. */
NTSTATUS NTAPI softgpu_destroy_native_fence(DXGKARG_DESTROYNATIVEFENCE *destroy)
{
    struct softgpu_fence *fence = destroy->hGlobalNativeFence;

    PAGED_CODE();

    softgpu_synchronize(fence->adapter, remove_fence, fence);
    ExFreePoolWithTag(fence, SOFTGPU_TAG_FENCE);
    return STATUS_SUCCESS;
}

/* Its addresses are the client's to write in commands; there is nothing to program. */
NTSTATUS NTAPI softgpu_open_native_fence(const HANDLE adapter_handle, DXGKARG_OPENNATIVEFENCE *open)
{
    struct softgpu_local_fence *local;

    UNREFERENCED_PARAMETER(adapter_handle);
    PAGED_CODE();

    local = ExAllocatePool2(POOL_FLAG_PAGED, sizeof(*local), SOFTGPU_TAG_FENCE);
    if (local == NULL) {
        return STATUS_NO_MEMORY;
    }
    local->fence = open->hGlobalNativeFence;
    open->hLocalNativeFence = local;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI softgpu_close_native_fence(const HANDLE adapter_handle,
                                          DXGKARG_CLOSENATIVEFENCE *close)
{
    UNREFERENCED_PARAMETER(adapter_handle);
    PAGED_CODE();

    ExFreePoolWithTag(close->hLocalNativeFence, SOFTGPU_TAG_FENCE);
    return STATUS_SUCCESS;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* At device IRQL, so that the interrupt routine does not run meanwhile. */
NTSTATUS NTAPI softgpu_update_monitored_values(const DXGKARG_UPDATEMONITOREDVALUES *update)
{
    UINT i;

    for (i = 0; i < update->NumFences; i++) {
        *(volatile ULONGLONG *)update->MonitoredValueKernelCpuVa[i] = update->UpdatedValueArray[i];
    }
    KeMemoryBarrier(); /* dxgkrnl reads the current values behind this */
    return STATUS_SUCCESS;
}

/* Engines that wait look at memory by themselves: nobody has to be woken. */
NTSTATUS NTAPI softgpu_update_current_values(const DXGKARG_UPDATECURRENTVALUESFROMCPU *update)
{
    UINT i;

    for (i = 0; i < update->NumFences && !update->Flags.NotificationOnly; i++) {
        *(volatile ULONGLONG *)update->CurrentValueKernelCpuVa[i] = update->UpdatedValueArray[i];
    }
    KeMemoryBarrier();
    return STATUS_SUCCESS;
}

struct places {
    struct softgpu_fence *fence;
    const DXGK_FENCE_RESIDENCY_INFO *info;
};

static BOOLEAN NTAPI keep_places(PVOID argument)
{
    struct places *places = argument;

    places->fence->current = places->info->CurrentValueKernelCpuVa;
    places->fence->monitored = places->info->MonitoredValueKernelCpuVa;
    return TRUE;
}

NTSTATUS softgpu_notify_fence_residency(struct softgpu_adapter *adapter,
                                        const DXGKARG_BUILDPAGINGBUFFER *paging)
{
    UINT i;

    for (i = 0; i < paging->NotifyFenceResidency.NumFences; i++) {
        const DXGK_FENCE_RESIDENCY_INFO *info = &paging->NotifyFenceResidency.FenceResidencyInfo[i];
        struct places places = {info->hGlobalNativeFence, info};

        softgpu_synchronize(adapter, keep_places, &places);
    }
    return STATUS_SUCCESS;
}

/* ---- What the GPU tells ---------------------------------------------------------------------- */

ULONG softgpu_fence_interrupts(const struct softgpu_adapter *adapter)
{
    ULONG node, bits = 0;

    for (node = 0; node < SOFTGPU_ENGINE_COUNT && adapter->settings.native_fences; node++) {
        bits |= SOFTGPU_INTERRUPT_SIGNAL(node);
    }
    return bits;
}

/* How many fences are beyond their monitored values; more than a notice names, if it is not known
 * of some. One that dxgkrnl has served meanwhile has a larger monitored value by now. */
static UINT collect(struct softgpu_adapter *adapter)
{
    LIST_ENTRY *link;
    UINT count = 0;

    for (link = adapter->fences.Flink; link != &adapter->fences; link = link->Flink) {
        const struct softgpu_fence *fence = CONTAINING_RECORD(link, struct softgpu_fence, link);

        if (fence->current == NULL) {
            return SOFTGPU_FENCES_TOLD + 1;
        }
        if (*fence->current > *fence->monitored) {
            if (count < SOFTGPU_FENCES_TOLD) {
                adapter->fences_told[count] = fence->kernel_handle;
            }
            count++;
        }
    }
    return count;
}

void softgpu_report_fences(struct softgpu_adapter *adapter, ULONG status)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
    ULONG node;
    UINT count;

    for (node = 0; node < SOFTGPU_ENGINE_COUNT; node++) {
        if (!adapter->native_fences || !(status & SOFTGPU_INTERRUPT_SIGNAL(node))) {
            continue;
        }
        count = collect(adapter);
        if (count == 0) {
            continue;
        }
        RtlZeroMemory(&data, sizeof(data));
        data.InterruptType = DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED;
        data.NativeFenceSignaled.NodeOrdinal = node;
        data.NativeFenceSignaled.EngineOrdinal = 0;
        if (count <= SOFTGPU_FENCES_TOLD) {
            data.NativeFenceSignaled.SignaledNativeFenceCount = count;
            data.NativeFenceSignaled.pSignaledNativeFenceArray = adapter->fences_told;
        }
        softgpu_notify(adapter, &data);
    }
}

/* Entry, Plug and Play, and what the driver says of itself. */
#include "thread_driver.h"

DRIVER_INITIALIZE DriverEntry;
static DXGKDDI_ADD_DEVICE add_device;
static DXGKDDI_START_DEVICE start_device;
static DXGKDDI_STOP_DEVICE stop_device;
static DXGKDDI_REMOVE_DEVICE remove_device;
static DXGKDDI_INTERRUPT_ROUTINE interrupt_routine;
static DXGKDDI_DPC_ROUTINE dpc_routine;
static DXGKDDI_RESET_DEVICE reset_device;
static DXGKDDI_RESETFROMTIMEOUT reset_from_timeout;
static DXGKDDI_RESTARTFROMTIMEOUT restart_from_timeout;
static DXGKDDI_UNLOAD unload;
static DXGKDDI_QUERYADAPTERINFO query_adapter_info;
static DXGKDDI_GETNODEMETADATA get_node_metadata;
static DXGKDDI_CREATEDEVICE create_device;
static DXGKDDI_DESTROYDEVICE destroy_device;
static DXGKDDI_CREATECONTEXT create_context;
static DXGKDDI_DESTROYCONTEXT destroy_context;

struct thread_settings thread_settings;
static void *memory;

/* ---- Plug and Play ------------------------------------------------------------------------- */

static NTSTATUS NTAPI add_device(const PDEVICE_OBJECT device, PVOID *context)
{
    /* Not cleared: the pool's own pattern shows what is used before it was written. */
    *context = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(struct thread_adapter), THREAD_TAG);
    return *context ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static NTSTATUS NTAPI start_device(const PVOID context, PDXGK_START_INFO start,
                                   PDXGKRNL_INTERFACE interface, PULONG sources, PULONG children)
{
    struct thread_adapter *adapter = context;
    DXGK_DEVICE_INFO info;
    NTSTATUS status;

    adapter->dxgk = *interface; /* by this driver's idea of its size */
    adapter->memory = memory;
    adapter->memory_address = MmGetPhysicalAddress(memory);
    adapter->stop = FALSE;
    adapter->last_completed = 0;
    *sources = *children = 0;
    status = adapter->dxgk.DxgkCbGetDeviceInformation(adapter->dxgk.DeviceHandle, &info);
    return NT_SUCCESS(status) ? thread_gpu_start(adapter) : status;
}

static NTSTATUS NTAPI stop_device(const PVOID context)
{
    thread_gpu_stop(context);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI remove_device(const PVOID context)
{
    ExFreePoolWithTag(context, THREAD_TAG);
    return STATUS_SUCCESS;
}

/* There is no hardware that could interrupt. */
static BOOLEAN NTAPI interrupt_routine(const PVOID context, ULONG message)
{
    return FALSE;
}

static void NTAPI dpc_routine(const PVOID context)
{
    struct thread_adapter *adapter = context;

    adapter->dxgk.DxgkCbNotifyDpc(adapter->dxgk.DeviceHandle);
}

static void NTAPI reset_device(const PVOID context)
{
}

/* What is queued is done first: nothing of it hangs. */
static NTSTATUS NTAPI reset_from_timeout(const HANDLE handle)
{
    struct thread_adapter *adapter = handle;

    thread_gpu_stop(adapter);
    adapter->stop = FALSE;
    return thread_gpu_start(adapter);
}

static NTSTATUS NTAPI restart_from_timeout(const HANDLE handle)
{
    return STATUS_SUCCESS;
}

static void NTAPI unload(void)
{
    MmFreeContiguousMemory(memory);
    memory = NULL;
}

/* ---- What it says of itself ---------------------------------------------------------------- */

static NTSTATUS query_caps(const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_DRIVERCAPS *caps = query->pOutputData;

    if (query->OutputDataSize < sizeof(*caps)) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    caps->HighestAcceptableAddress.QuadPart = -1;
    caps->SchedulingCaps.MultiEngineAware = 1;
    caps->SchedulingCaps.PreemptionAware = 1;
    caps->GpuEngineTopology.NbAsymetricProcessingNodes = 1;
    caps->WDDMVersion = (DXGK_WDDMVERSION)thread_settings.said_version;
    caps->PreemptionCaps.GraphicsPreemptionGranularity =
        D3DKMDT_GRAPHICS_PREEMPTION_PRIMITIVE_BOUNDARY;
    caps->PreemptionCaps.ComputePreemptionGranularity =
        D3DKMDT_COMPUTE_PREEMPTION_DISPATCH_BOUNDARY;
    caps->MiscCaps.ComputeOnly = 1;
    return STATUS_SUCCESS;
}

/* The structure of the model that it says it follows, and no other. */
static NTSTATUS query_segments3(const struct thread_adapter *adapter,
                                const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_QUERYSEGMENTOUT3 *out = query->pOutputData;

    if (thread_settings.said_version == 0 || thread_settings.said_version >= 0x2000) {
        return STATUS_NOT_SUPPORTED;
    }
    out->NbSegment = 1;
    if (out->pSegmentDescriptor) {
        out->pSegmentDescriptor->Flags.CpuVisible = 1;
        out->pSegmentDescriptor->CpuTranslatedAddress = adapter->memory_address;
        out->pSegmentDescriptor->Size = THREAD_MEMORY_BYTES;
        out->pSegmentDescriptor->CommitLimit = THREAD_MEMORY_BYTES;
        out->PagingBufferSize = THREAD_PAGING_SIZE;
        out->PagingBufferPrivateDataSize = sizeof(struct thread_dma);
    }
    return STATUS_SUCCESS;
}

static NTSTATUS query_segments4(const struct thread_adapter *adapter,
                                const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_QUERYSEGMENTOUT4 *out = query->pOutputData;

    if (thread_settings.said_version != 0 && thread_settings.said_version < 0x2000) {
        return STATUS_NOT_SUPPORTED;
    }
    out->NbSegment = 1;
    if (out->pSegmentDescriptor) {
        DXGK_SEGMENTDESCRIPTOR4 *segment = (void *)out->pSegmentDescriptor;
        RtlZeroMemory(segment, sizeof(*segment)); /* with it CommitLimit: it is no aperture */
        segment->Flags.CpuVisible = 1;
        segment->CpuTranslatedAddress = adapter->memory_address;
        segment->Size = THREAD_MEMORY_BYTES;
        out->PagingBufferSize = THREAD_PAGING_SIZE;
        out->PagingBufferPrivateDataSize = sizeof(struct thread_dma);
    }
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI query_adapter_info(const HANDLE handle, const DXGKARG_QUERYADAPTERINFO *query)
{
    switch (query->Type) {
    case DXGKQAITYPE_DRIVERCAPS:
        return query_caps(query);
    case DXGKQAITYPE_QUERYSEGMENT3:
        return query_segments3(handle, query);
    case DXGKQAITYPE_QUERYSEGMENT4:
        return query_segments4(handle, query);
    default:
        return STATUS_NOT_SUPPORTED;
    }
}

static NTSTATUS NTAPI get_node_metadata(const HANDLE handle, UINT node,
                                        DXGKARG_GETNODEMETADATA *out)
{
    RtlZeroMemory(out, sizeof(*out));
    out->EngineType = DXGK_ENGINE_TYPE_OTHER;
    return STATUS_SUCCESS;
}

/* ---- Devices and contexts ------------------------------------------------------------------ */

static NTSTATUS NTAPI create_device(const HANDLE handle, DXGKARG_CREATEDEVICE *create)
{
    create->hDevice = ExAllocatePoolWithTag(NonPagedPoolNx, 16, THREAD_TAG);
    return create->hDevice ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static NTSTATUS NTAPI destroy_device(const HANDLE device)
{
    ExFreePoolWithTag(device, THREAD_TAG);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI create_context(const HANDLE device, DXGKARG_CREATECONTEXT *create)
{
    create->hContext = ExAllocatePoolWithTag(NonPagedPoolNx, 16, THREAD_TAG);
    if (!create->hContext) {
        return STATUS_NO_MEMORY;
    }
    create->ContextInfo.DmaBufferSize = THREAD_DMA_BYTES;
    create->ContextInfo.DmaBufferSegmentSet = 0;
    create->ContextInfo.DmaBufferPrivateDataSize = sizeof(struct thread_dma);
    create->ContextInfo.AllocationListSize = 16;
    create->ContextInfo.PatchLocationListSize = THREAD_PATCHES_MAX;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI destroy_context(const HANDLE context)
{
    ExFreePoolWithTag(context, THREAD_TAG);
    return STATUS_SUCCESS;
}

/* ---- Entry --------------------------------------------------------------------------------- */

static void read_setting(HANDLE key, const WCHAR *text, ULONG *setting)
{
    union {
        KEY_VALUE_PARTIAL_INFORMATION header;
        UCHAR bytes[sizeof(KEY_VALUE_PARTIAL_INFORMATION) + sizeof(ULONG)];
    } value;
    UNICODE_STRING name;
    ULONG length;

    RtlInitUnicodeString(&name, text);
    if (NT_SUCCESS(ZwQueryValueKey(key, &name, KeyValuePartialInformation, &value, sizeof(value),
                                   &length)) &&
        value.header.Type == REG_DWORD) {
        RtlCopyMemory(setting, value.header.Data, sizeof(ULONG));
    }
}

static void read_settings(PUNICODE_STRING path)
{
    OBJECT_ATTRIBUTES attributes;
    HANDLE key;

    thread_settings.said_version = 0x2600;
    InitializeObjectAttributes(&attributes, path, OBJ_KERNEL_HANDLE, NULL, NULL);
    if (!NT_SUCCESS(ZwOpenKey(&key, KEY_READ, &attributes))) {
        return;
    }
    read_setting(key, L"SaidVersion", &thread_settings.said_version);
    ZwClose(key);
}

static void fill_table(DRIVER_INITIALIZATION_DATA *table)
{
    table->Version = DXGKDDI_INTERFACE_VERSION;
    table->DxgkDdiAddDevice = add_device;
    table->DxgkDdiStartDevice = start_device;
    table->DxgkDdiStopDevice = stop_device;
    table->DxgkDdiRemoveDevice = remove_device;
    table->DxgkDdiInterruptRoutine = interrupt_routine;
    table->DxgkDdiDpcRoutine = dpc_routine;
    table->DxgkDdiResetDevice = reset_device;
    table->DxgkDdiResetFromTimeout = reset_from_timeout;
    table->DxgkDdiRestartFromTimeout = restart_from_timeout;
    table->DxgkDdiUnload = unload;
    table->DxgkDdiQueryAdapterInfo = query_adapter_info;
    table->DxgkDdiGetNodeMetadata = get_node_metadata;
    table->DxgkDdiCreateDevice = create_device;
    table->DxgkDdiDestroyDevice = destroy_device;
    table->DxgkDdiCreateContext = create_context;
    table->DxgkDdiDestroyContext = destroy_context;
    table->DxgkDdiCreateAllocation = thread_create_allocation;
    table->DxgkDdiDestroyAllocation = thread_destroy_allocation;
    table->DxgkDdiOpenAllocation = thread_open_allocation;
    table->DxgkDdiCloseAllocation = thread_close_allocation;
    table->DxgkDdiDescribeAllocation = thread_describe_allocation;
    table->DxgkDdiBuildPagingBuffer = thread_build_paging_buffer;
    table->DxgkDdiRender = thread_render;
    table->DxgkDdiPatch = thread_patch;
    table->DxgkDdiSubmitCommand = thread_submit_command;
    table->DxgkDdiPreemptCommand = thread_preempt_command;
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registry_path)
{
    PHYSICAL_ADDRESS lowest = {.QuadPart = 0}, highest = {.QuadPart = -1}, none = {.QuadPart = 0};
    DRIVER_INITIALIZATION_DATA table;
    NTSTATUS status;

    read_settings(registry_path);
    memory = MmAllocateContiguousMemorySpecifyCache(THREAD_MEMORY_BYTES, lowest, highest, none,
                                                    MmWriteCombined);
    if (!memory) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    RtlZeroMemory(&table, sizeof(table));
    fill_table(&table);
    status = DxgkInitialize(driver, registry_path, &table);
    if (!NT_SUCCESS(status)) {
        unload();
    }
    return status;
}

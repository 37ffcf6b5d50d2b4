/* device.c: the life of an adapter: add, start, stop, remove, power.
 *
 *   AddDevice -> StartDevice -> ... -> StopDevice -> RemoveDevice
 *                    ^_______________________|  (resources may change)
 *
 * All of them at PASSIVE_LEVEL and one at a time (threading level three). */
#include "softgpu.h"

/* Allocates the adapter's context; dxgkrnl passes it to every other DDI. The device is not
 * touched before StartDevice. */
NTSTATUS NTAPI softgpu_add_device(const PDEVICE_OBJECT physical_device,
                                  PVOID *miniport_device_context)
{
    struct softgpu_adapter *adapter;

    PAGED_CODE();

    if (physical_device == NULL || miniport_device_context == NULL) {
        return STATUS_INVALID_PARAMETER;
    }
    *miniport_device_context = NULL;
    /* Interrupt and DPC routines use it: nonpaged. */
    adapter = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*adapter), SOFTGPU_TAG_ADAPTER);
    if (adapter == NULL) {
        return STATUS_NO_MEMORY;
    }
    adapter->physical_device = physical_device;
    adapter->settings = softgpu_settings;
    *miniport_device_context = adapter;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI softgpu_remove_device(const PVOID miniport_device_context)
{
    PAGED_CODE();

    ExFreePoolWithTag(miniport_device_context, SOFTGPU_TAG_ADAPTER);
    return STATUS_SUCCESS;
}

/* ---- Start ------------------------------------------------------------------------------------
 */

struct resources {
    PHYSICAL_ADDRESS registers, vram;
    ULONG vram_bytes;
};

/* The registers are the range that has their size; the larger one is video memory. */
static BOOLEAN find_resources(const CM_RESOURCE_LIST *list, struct resources *found)
{
    const CM_PARTIAL_RESOURCE_LIST *partial;
    ULONG i;

    RtlZeroMemory(found, sizeof(*found));
    if (list == NULL || list->Count == 0) {
        return FALSE;
    }
    partial = &list->List[0].PartialResourceList;
    for (i = 0; i < partial->Count; i++) {
        const CM_PARTIAL_RESOURCE_DESCRIPTOR *resource = &partial->PartialDescriptors[i];

        if (resource->Type != CmResourceTypeMemory) {
            continue;
        }
        if (resource->u.Memory.Length == SOFTGPU_REGISTERS_SIZE) {
            found->registers = resource->u.Memory.Start;
        } else if (resource->u.Memory.Length > found->vram_bytes) {
            found->vram = resource->u.Memory.Start;
            found->vram_bytes = resource->u.Memory.Length;
        }
    }
    return found->registers.QuadPart != 0 && found->vram_bytes != 0;
}

static void unmap(struct softgpu_adapter *adapter)
{
    HANDLE handle = adapter->dxgk.DeviceHandle;

    if (adapter->registers != NULL) {
        (void)adapter->dxgk.DxgkCbUnmapMemory(handle, (PVOID)adapter->registers);
        adapter->registers = NULL;
    }
    if (adapter->vram != NULL) {
        (void)adapter->dxgk.DxgkCbUnmapMemory(handle, adapter->vram);
        adapter->vram = NULL;
    }
}

static NTSTATUS map(struct softgpu_adapter *adapter, const struct resources *resources)
{
    HANDLE handle = adapter->dxgk.DeviceHandle;
    PVOID address;
    NTSTATUS status;

    status = adapter->dxgk.DxgkCbMapMemory(handle, resources->registers, SOFTGPU_REGISTERS_SIZE,
                                           FALSE, FALSE, MmNonCached, &address);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    adapter->registers = address;
    status = adapter->dxgk.DxgkCbMapMemory(handle, resources->vram, resources->vram_bytes, FALSE,
                                           FALSE, MmWriteCombined, &address);
    if (!NT_SUCCESS(status)) {
        unmap(adapter);
        return status;
    }
    adapter->vram = address;
    adapter->vram_physical = resources->vram;
    adapter->vram_bytes = resources->vram_bytes;
    return STATUS_SUCCESS;
}

/* Keeps the callback table (PNP-002), finds the device, and brings it to work. On a failure
 * everything is given back: StopDevice will not be called. */
NTSTATUS NTAPI softgpu_start_device(const PVOID miniport_device_context,
                                    PDXGK_START_INFO start_info, PDXGKRNL_INTERFACE interface,
                                    PULONG source_count, PULONG child_count)
{
    struct softgpu_adapter *adapter = miniport_device_context;
    DXGK_DEVICE_INFO information;
    struct resources resources;
    SIZE_T interface_size;
    NTSTATUS status;

    UNREFERENCED_PARAMETER(start_info);
    PAGED_CODE();

    /* The table has the size of the version that was registered, which may be less than what this
     * file was compiled with. */
    interface_size = interface->Size;
    if (interface_size > sizeof(adapter->dxgk)) {
        interface_size = sizeof(adapter->dxgk);
    }
    RtlZeroMemory(&adapter->dxgk, sizeof(adapter->dxgk));
    RtlCopyMemory(&adapter->dxgk, interface, interface_size);

    RtlZeroMemory(&information, sizeof(information));
    status = adapter->dxgk.DxgkCbGetDeviceInformation(adapter->dxgk.DeviceHandle, &information);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (!find_resources(information.TranslatedResourceList, &resources)) {
        return STATUS_DEVICE_CONFIGURATION_ERROR;
    }

    adapter->agp_base = (ULONGLONG)information.AgpApertureBase.QuadPart;
    adapter->agp_bytes = adapter->settings.agp_segment ? information.AgpApertureSize : 0;
    adapter->gone = 0;
    adapter->in_reset = FALSE;
    status = map(adapter, &resources);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    status = softgpu_hardware_start(adapter);
    if (!NT_SUCCESS(status)) {
        unmap(adapter);
        return status;
    }
    softgpu_fences_start(adapter);
    if (adapter->settings.sources > adapter->output_count) {
        adapter->settings.sources = adapter->output_count;
    }

    adapter->started = TRUE;
    *source_count = adapter->settings.sources;
    *child_count = adapter->output_count; /* one monitor connector for each output */
    return STATUS_SUCCESS;
}

static void stop(struct softgpu_adapter *adapter, BOOLEAN keep_picture)
{
    if (adapter->started) {
        adapter->started = FALSE;
        softgpu_hardware_stop(adapter, keep_picture);
        KeFlushQueuedDpcs(); /* one that was queued, or runs still, reads registers */
        unmap(adapter);
    }
}

/* The opposite of StartDevice; dxgkrnl has closed everything above it. */
NTSTATUS NTAPI softgpu_stop_device(const PVOID miniport_device_context)
{
    PAGED_CODE();

    stop(miniport_device_context, FALSE);
    return STATUS_SUCCESS;
}

/* ---- Power, removal, system stop ------------------------------------------------------------- */

/* Must not fail (PNP-007), not even for a child that has gone. dxgkrnl evicts what would be lost
 * before D3; rings and outputs are ours to restore. */
NTSTATUS NTAPI softgpu_set_power_state(const PVOID miniport_device_context, ULONG device_uid,
                                       DEVICE_POWER_STATE state, POWER_ACTION action)
{
    struct softgpu_adapter *adapter = miniport_device_context;

    UNREFERENCED_PARAMETER(action);
    PAGED_CODE();

    if (device_uid != DISPLAY_ADAPTER_HW_ID || !adapter->started) {
        return STATUS_SUCCESS; /* connectors have no power of their own */
    }
    if (state == PowerDeviceD0) {
        softgpu_hardware_resume(adapter);
        softgpu_components_restore(adapter);
    } else {
        softgpu_hardware_quiet(adapter);
        KeFlushQueuedDpcs(); /* one that was queued reads registers (PNP-030) */
    }
    return STATUS_SUCCESS;
}

/* From here on no register is touched, whatever else is called to clean up (PNP-008). Other DDIs
 * may be running at this moment. */
NTSTATUS NTAPI softgpu_notify_surprise_removal(PVOID miniport_device_context,
                                               DXGK_SURPRISE_REMOVAL_TYPE type)
{
    struct softgpu_adapter *adapter = miniport_device_context;

    UNREFERENCED_PARAMETER(type);

    InterlockedExchange(&adapter->gone, 1);
    return STATUS_SUCCESS;
}

/* Any IRQL, in the middle of a bug check: back to a state that a boot loader could take over. */
void NTAPI softgpu_reset_device(const PVOID miniport_device_context)
{
    struct softgpu_adapter *adapter = miniport_device_context;

    softgpu_write(adapter, SOFTGPU_REG_INTERRUPT_ENABLE, 0);
    softgpu_write(adapter, SOFTGPU_REG_RESET, SOFTGPU_RESET_KEY);
}

/* For who draws after us: the target shows its source's memory, the others go dark. Any IRQL. */
static void light_one(struct softgpu_adapter *adapter, ULONG target)
{
    struct softgpu_output *output = &adapter->output[target];
    struct softgpu_source *source = &adapter->source[output->source];
    ULONG i;

    for (i = 0; i < adapter->output_count; i++) {
        if (i != target) {
            adapter->output[i].source = SOFTGPU_INFINITE_TARGET;
        }
    }
    source->visible = TRUE;
    softgpu_planes_off(source);
    /* Whoever draws is told of one size: that of the picture. */
    RtlZeroMemory(&output->scaler, sizeof(output->scaler));
    output->width = source->width;
    output->height = source->height;
    for (i = 0; i < adapter->output_count; i++) {
        softgpu_output_program(adapter, i);
        softgpu_write(adapter, SOFTGPU_OUTPUT_REG(i, SOFTGPU_OUTPUT_CURSOR_CONTROL), 0);
    }
}

/* Stops, but leaves the last picture of the target on the screen and says where it is, for the
 * driver that comes after us. Zeros say that there is none. */
NTSTATUS NTAPI softgpu_stop_device_and_release_display(PVOID miniport_device_context,
                                                       D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                                       PDXGK_DISPLAY_INFORMATION display)
{
    struct softgpu_adapter *adapter = miniport_device_context;
    const struct softgpu_source *source;

    PAGED_CODE();

    RtlZeroMemory(display, sizeof(*display));
    display->TargetId = target;
    if (target < adapter->output_count &&
        adapter->output[target].source < adapter->settings.sources) {
        source = &adapter->source[adapter->output[target].source];
        if (source->address != 0 && softgpu_format_bytes(source->format) == 4 &&
            source->address + (ULONGLONG)source->pitch_bytes * source->height <=
                adapter->vram_bytes) {
            softgpu_host_aperture_off(adapter); /* whoever draws next knows nothing of it */
            RtlZeroMemory(adapter->vram + source->address,
                          (SIZE_T)source->pitch_bytes * source->height);
            light_one(adapter, target);
            display->Width = source->width;
            display->Height = source->height;
            display->Pitch = source->pitch_bytes;
            display->ColorFormat = softgpu_format_to_d3d(source->format);
            display->PhysicAddress.QuadPart =
                adapter->vram_physical.QuadPart + (LONGLONG)source->address;
        }
    }
    stop(adapter, TRUE);
    return STATUS_SUCCESS;
}

/* After a bug check, at any IRQL, interrupts off: may the system draw on this target? The mode
 * stays as it is; the picture is drawn into the primary that is shown. */
NTSTATUS NTAPI softgpu_system_display_enable(PVOID miniport_device_context,
                                             D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                             PDXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS flags,
                                             UINT *width, UINT *height, D3DDDIFORMAT *format)
{
    struct softgpu_adapter *adapter = miniport_device_context;
    const struct softgpu_source *source;
    ULONG node;

    UNREFERENCED_PARAMETER(flags);

    if (target >= adapter->output_count ||
        adapter->output[target].source >= adapter->settings.sources) {
        return STATUS_NOT_SUPPORTED;
    }
    source = &adapter->source[adapter->output[target].source];
    if (source->address == 0 || softgpu_format_bytes(source->format) != 4 ||
        source->address + (ULONGLONG)source->pitch_bytes * source->height > adapter->vram_bytes) {
        return STATUS_NOT_SUPPORTED;
    }
    for (node = 0; node < SOFTGPU_ENGINE_COUNT; node++) {
        softgpu_write(adapter, SOFTGPU_ENGINE_REG(node, SOFTGPU_ENGINE_RESET), SOFTGPU_RESET_KEY);
    }
    softgpu_host_aperture_off(adapter); /* the CPU draws where the picture is */
    light_one(adapter, target);
    *width = source->width;
    *height = source->height;
    *format = D3DDDIFMT_X8R8G8B8;
    return STATUS_SUCCESS;
}

/* Copies a 32-bit picture to the source shown by the first lit output, cut to its size. */
void NTAPI softgpu_system_display_write(PVOID miniport_device_context, PVOID picture,
                                        UINT picture_width, UINT picture_height,
                                        UINT picture_stride, UINT x, UINT y)
{
    struct softgpu_adapter *adapter = miniport_device_context;
    const struct softgpu_source *source;
    ULONG i, row;

    for (i = 0; i < adapter->output_count; i++) {
        if (adapter->output[i].source < adapter->settings.sources) {
            break;
        }
    }
    if (i == adapter->output_count) {
        return;
    }
    source = &adapter->source[adapter->output[i].source];
    if (x >= source->width || y >= source->height) {
        return;
    }
    if (picture_width > source->width - x) {
        picture_width = source->width - x;
    }
    for (row = 0; row < picture_height && row < source->height - y; row++) {
        RtlCopyMemory(adapter->vram + source->address + (SIZE_T)(y + row) * source->pitch_bytes +
                          (SIZE_T)x * 4,
                      (const UCHAR *)picture + (SIZE_T)row * picture_stride,
                      (SIZE_T)picture_width * 4);
    }
}

/* ---- The computer ---------------------------------------------------------------------------- */

/* The device tells of monitors by itself. A dock may have connectors that it knows nothing of, and
 * the keys for the displays ask for what is recommended. */
NTSTATUS NTAPI softgpu_notify_acpi_event(const PVOID miniport_device_context, DXGK_EVENT_TYPE type,
                                         ULONG event, PVOID argument, PULONG flags)
{
    UNREFERENCED_PARAMETER(miniport_device_context);
    UNREFERENCED_PARAMETER(argument);
    PAGED_CODE();

    *flags = 0;
    if (type == DxgkPowerStateEvent) {
        return STATUS_SUCCESS;
    }
    switch (event) {
    case ACPI_NOTIFY_CYCLE_DISPLAY_HOTKEY:
    case ACPI_NOTIFY_PANEL_SWITCH:
        *flags = DXGK_ACPI_CHANGE_DISPLAY_MODE;
        break;
    case ACPI_NOTIFY_DOCK_EVENT:
    case ACPI_NOTIFY_DEVICE_HOTPLUG:
        *flags = DXGK_ACPI_POLL_DISPLAY_CHILDREN;
        break;
    default:
        break;
    }
    return STATUS_SUCCESS;
}

/* ---- DDIs that this device has nothing to do for --------------------------------------------- */

NTSTATUS NTAPI softgpu_dispatch_io_request(const PVOID miniport_device_context, ULONG source,
                                           PVIDEO_REQUEST_PACKET packet)
{
    UNREFERENCED_PARAMETER(miniport_device_context);
    UNREFERENCED_PARAMETER(source);
    UNREFERENCED_PARAMETER(packet);
    return STATUS_NOT_SUPPORTED;
}

void NTAPI softgpu_control_etw_logging(BOOLEAN enable, ULONG flags, UCHAR level)
{
    UNREFERENCED_PARAMETER(enable);
    UNREFERENCED_PARAMETER(flags);
    UNREFERENCED_PARAMETER(level);
}

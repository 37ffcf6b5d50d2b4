/* driver.c: registration, start and stop, power, caps, the child. */
#include "framebuffer.h"

static DXGKDDI_ADD_DEVICE add_device;
static DXGKDDI_START_DEVICE start_device;
static DXGKDDI_STOP_DEVICE stop_device;
static DXGKDDI_REMOVE_DEVICE remove_device;
static DXGKDDI_DISPATCH_IO_REQUEST dispatch_io_request;
static DXGKDDI_INTERRUPT_ROUTINE interrupt_routine;
static DXGKDDI_DPC_ROUTINE dpc_routine;
static DXGKDDI_QUERY_CHILD_RELATIONS query_child_relations;
static DXGKDDI_QUERY_CHILD_STATUS query_child_status;
static DXGKDDI_QUERY_DEVICE_DESCRIPTOR query_device_descriptor;
static DXGKDDI_SET_POWER_STATE set_power_state;
static DXGKDDI_RESET_DEVICE reset_device;
static DXGKDDI_UNLOAD unload;
static DXGKDDI_QUERYADAPTERINFO query_adapter_info;
static DXGKDDI_STOP_DEVICE_AND_RELEASE_POST_DISPLAY_OWNERSHIP stop_and_release;

/* ---- Life ------------------------------------------------------------------------------------ */

static NTSTATUS NTAPI add_device(const PDEVICE_OBJECT physical_device, PVOID *context)
{
    struct framebuffer *framebuffer;

    UNREFERENCED_PARAMETER(physical_device);
    PAGED_CODE();

    framebuffer = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*framebuffer), FRAMEBUFFER_TAG);
    *context = framebuffer;
    return framebuffer != NULL ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static NTSTATUS NTAPI remove_device(const PVOID context)
{
    PAGED_CODE();

    ExFreePoolWithTag(context, FRAMEBUFFER_TAG);
    return STATUS_SUCCESS;
}

static NTSTATUS map_screen(struct framebuffer *framebuffer)
{
    const DXGK_DISPLAY_INFORMATION *screen = &framebuffer->screen;

    if (screen->Width == 0 || screen->Height == 0 || screen->Pitch < screen->Width * 4 ||
        screen->ColorFormat != D3DDDIFMT_X8R8G8B8) {
        return STATUS_UNSUCCESSFUL; /* no picture to go on in */
    }
    framebuffer->memory = MmMapIoSpace(screen->PhysicAddress,
                                       (SIZE_T)screen->Pitch * screen->Height, MmWriteCombined);
    return framebuffer->memory != NULL ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

static NTSTATUS NTAPI start_device(const PVOID context, PDXGK_START_INFO start_info,
                                   PDXGKRNL_INTERFACE interface, PULONG source_count,
                                   PULONG child_count)
{
    struct framebuffer *framebuffer = context;
    SIZE_T size = interface->Size;
    NTSTATUS status;

    UNREFERENCED_PARAMETER(start_info);
    PAGED_CODE();

    if (size > sizeof(framebuffer->dxgk)) {
        size = sizeof(framebuffer->dxgk);
    }
    RtlZeroMemory(&framebuffer->dxgk, sizeof(framebuffer->dxgk));
    RtlCopyMemory(&framebuffer->dxgk, interface, size);
    RtlZeroMemory(&framebuffer->screen, sizeof(framebuffer->screen));
    status = framebuffer->dxgk.DxgkCbAcquirePostDisplayOwnership(framebuffer->dxgk.DeviceHandle,
                                                                 &framebuffer->screen);
    if (NT_SUCCESS(status)) {
        status = map_screen(framebuffer);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    framebuffer->visible = FALSE;
    framebuffer->powered = TRUE;
    framebuffer->rotation = D3DKMDT_VPPR_IDENTITY;
    framebuffer->shown.cx = framebuffer->screen.Width;
    framebuffer->shown.cy = framebuffer->screen.Height;
    framebuffer->presents = 0;
    *source_count = 1;
    *child_count = 1;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI stop_device(const PVOID context)
{
    struct framebuffer *framebuffer = context;

    PAGED_CODE();

    if (framebuffer->memory != NULL) {
        MmUnmapIoSpace(framebuffer->memory,
                       (SIZE_T)framebuffer->screen.Pitch * framebuffer->screen.Height);
        framebuffer->memory = NULL;
    }
    return STATUS_SUCCESS;
}

/* The picture stays as it is, black, for the driver that follows. */
static NTSTATUS NTAPI stop_and_release(const PVOID context, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                       PDXGK_DISPLAY_INFORMATION information)
{
    struct framebuffer *framebuffer = context;

    PAGED_CODE();

    if (target != FRAMEBUFFER_TARGET && target != D3DDDI_ID_UNINITIALIZED) {
        return STATUS_INVALID_PARAMETER;
    }
    framebuffer_blacken(framebuffer);
    *information = framebuffer->screen;
    information->TargetId = FRAMEBUFFER_TARGET;
    return stop_device(context);
}

static void NTAPI unload(void)
{
}

static NTSTATUS NTAPI set_power_state(const PVOID context, ULONG device, DEVICE_POWER_STATE state,
                                      POWER_ACTION action)
{
    struct framebuffer *framebuffer = context;

    UNREFERENCED_PARAMETER(action);
    PAGED_CODE();

    if (device == DISPLAY_ADAPTER_HW_ID) {
        framebuffer->powered = state == PowerDeviceD0;
    }
    return STATUS_SUCCESS;
}

static void NTAPI reset_device(const PVOID context)
{
    UNREFERENCED_PARAMETER(context); /* the screen is in the mode of the firmware already */
}

static NTSTATUS NTAPI dispatch_io_request(const PVOID context, ULONG source,
                                          PVIDEO_REQUEST_PACKET packet)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(source);
    UNREFERENCED_PARAMETER(packet);
    return STATUS_NOT_SUPPORTED;
}

/* ---- Interrupts ------------------------------------------------------------------------------ */

/* Nothing that firmware left interrupts for us. */
static BOOLEAN NTAPI interrupt_routine(const PVOID context, ULONG message)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(message);
    return FALSE;
}

static void NTAPI dpc_routine(const PVOID context)
{
    const struct framebuffer *framebuffer = context;

    framebuffer->dxgk.DxgkCbNotifyDpc(framebuffer->dxgk.DeviceHandle);
}

/* ---- What it is ------------------------------------------------------------------------------ */

/* Of the version that was registered the structure is shorter than that of these headers: what does
 * not fit is of a later one. */
static NTSTATUS NTAPI query_adapter_info(const HANDLE adapter,
                                         const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGK_DRIVERCAPS caps;

    UNREFERENCED_PARAMETER(adapter);
    PAGED_CODE();

    if (query->Type != DXGKQAITYPE_DRIVERCAPS ||
        query->OutputDataSize < RTL_SIZEOF_THROUGH_FIELD(DXGK_DRIVERCAPS, SupportSmoothRotation)) {
        return STATUS_NOT_SUPPORTED;
    }
    RtlZeroMemory(&caps, sizeof(caps));
    caps.HighestAcceptableAddress.QuadPart = -1;
    caps.WDDMVersion = DXGKDDI_WDDMv1_3;
    caps.SupportNonVGA = TRUE;
    caps.SupportSmoothRotation = TRUE;
    RtlCopyMemory(query->pOutputData, &caps,
                  query->OutputDataSize < sizeof(caps) ? query->OutputDataSize : sizeof(caps));
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI query_child_relations(const PVOID context, PDXGK_CHILD_DESCRIPTOR children,
                                            ULONG size_bytes)
{
    DXGK_VIDEO_OUTPUT_CAPABILITIES *video = &children[0].ChildCapabilities.Type.VideoOutput;

    UNREFERENCED_PARAMETER(context);
    PAGED_CODE();

    if (size_bytes < 2 * sizeof(*children)) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    children[0].ChildDeviceType = TypeVideoOutput;
    children[0].ChildCapabilities.HpdAwareness = HpdAwarenessAlwaysConnected;
    video->InterfaceTechnology = D3DKMDT_VOT_INTERNAL;
    video->MonitorOrientationAwareness = D3DKMDT_MOA_NONE;
    children[0].ChildUid = FRAMEBUFFER_TARGET;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI query_child_status(const PVOID context, PDXGK_CHILD_STATUS status,
                                         BOOLEAN non_destructive_only)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(non_destructive_only);
    PAGED_CODE();

    if (status->ChildUid != FRAMEBUFFER_TARGET || status->Type != StatusConnection) {
        return STATUS_INVALID_PARAMETER;
    }
    status->HotPlug.Connected = TRUE;
    return STATUS_SUCCESS;
}

/* Nobody reads the monitor's EDID here. */
static NTSTATUS NTAPI query_device_descriptor(const PVOID context, ULONG child_uid,
                                              PDXGK_DEVICE_DESCRIPTOR descriptor)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(child_uid);
    UNREFERENCED_PARAMETER(descriptor);
    PAGED_CODE();

    return STATUS_MONITOR_NO_DESCRIPTOR;
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    KMDDOD_INITIALIZATION_DATA table;

    RtlZeroMemory(&table, sizeof(table));
    table.Version = DXGKDDI_INTERFACE_VERSION_WDDM1_3;
    table.DxgkDdiAddDevice = add_device;
    table.DxgkDdiStartDevice = start_device;
    table.DxgkDdiStopDevice = stop_device;
    table.DxgkDdiRemoveDevice = remove_device;
    table.DxgkDdiDispatchIoRequest = dispatch_io_request;
    table.DxgkDdiInterruptRoutine = interrupt_routine;
    table.DxgkDdiDpcRoutine = dpc_routine;
    table.DxgkDdiQueryChildRelations = query_child_relations;
    table.DxgkDdiQueryChildStatus = query_child_status;
    table.DxgkDdiQueryDeviceDescriptor = query_device_descriptor;
    table.DxgkDdiSetPowerState = set_power_state;
    table.DxgkDdiResetDevice = reset_device;
    table.DxgkDdiUnload = unload;
    table.DxgkDdiQueryAdapterInfo = query_adapter_info;
    table.DxgkDdiIsSupportedVidPn = framebuffer_is_supported_vidpn;
    table.DxgkDdiRecommendFunctionalVidPn = framebuffer_recommend_functional_vidpn;
    table.DxgkDdiEnumVidPnCofuncModality = framebuffer_enum_vidpn_cofunc_modality;
    table.DxgkDdiSetVidPnSourceVisibility = framebuffer_set_visibility;
    table.DxgkDdiCommitVidPn = framebuffer_commit_vidpn;
    table.DxgkDdiUpdateActiveVidPnPresentPath = framebuffer_update_path;
    table.DxgkDdiRecommendMonitorModes = framebuffer_recommend_monitor_modes;
    table.DxgkDdiQueryVidPnHWCapability = framebuffer_query_vidpn_hw_capability;
    table.DxgkDdiPresentDisplayOnly = framebuffer_present;
    table.DxgkDdiStopDeviceAndReleasePostDisplayOwnership = stop_and_release;
    table.DxgkDdiSystemDisplayEnable = framebuffer_system_display_enable;
    table.DxgkDdiSystemDisplayWrite = framebuffer_system_display_write;
    return DxgkInitializeDisplayOnlyDriver(driver_object, registry_path, &table);
}

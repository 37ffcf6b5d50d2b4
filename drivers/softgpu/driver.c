/* driver.c: the driver's entry and the table of its DDIs. */
#include "softgpu.h"

#include "gdi.h"

DRIVER_INITIALIZE DriverEntry;
static DXGKDDI_UNLOAD softgpu_unload;

struct softgpu_settings softgpu_settings;

static void fill_in_pnp(DRIVER_INITIALIZATION_DATA *table)
{
    table->DxgkDdiAddDevice = softgpu_add_device;
    table->DxgkDdiStartDevice = softgpu_start_device;
    table->DxgkDdiStopDevice = softgpu_stop_device;
    table->DxgkDdiRemoveDevice = softgpu_remove_device;
    table->DxgkDdiDispatchIoRequest = softgpu_dispatch_io_request;
    table->DxgkDdiInterruptRoutine = softgpu_interrupt_routine;
    table->DxgkDdiDpcRoutine = softgpu_dpc_routine;
    table->DxgkDdiQueryChildRelations = softgpu_query_child_relations;
    table->DxgkDdiQueryChildStatus = softgpu_query_child_status;
    table->DxgkDdiQueryDeviceDescriptor = softgpu_query_device_descriptor;
    table->DxgkDdiGetChildContainerId = softgpu_get_child_container_id;
    table->DxgkDdiSetPowerState = softgpu_set_power_state;
    table->DxgkDdiNotifyAcpiEvent = softgpu_notify_acpi_event;
    table->DxgkDdiResetDevice = softgpu_reset_device;
    table->DxgkDdiUnload = softgpu_unload;
    table->DxgkDdiQueryInterface = softgpu_query_interface;
    table->DxgkDdiControlEtwLogging = softgpu_control_etw_logging;
    table->DxgkDdiNotifySurpriseRemoval = softgpu_notify_surprise_removal;
    table->DxgkDdiStopDeviceAndReleasePostDisplayOwnership =
        softgpu_stop_device_and_release_display;
    table->DxgkDdiSystemDisplayEnable = softgpu_system_display_enable;
    table->DxgkDdiSystemDisplayWrite = softgpu_system_display_write;
}

static void fill_in_rendering(DRIVER_INITIALIZATION_DATA *table)
{
    table->DxgkDdiQueryAdapterInfo = softgpu_query_adapter_info;
    table->DxgkDdiGetNodeMetadata = softgpu_get_node_metadata;
    table->DxgkDdiCreateDevice = softgpu_create_device;
    table->DxgkDdiDestroyDevice = softgpu_destroy_device;
    table->DxgkDdiCreateContext = softgpu_create_context;
    table->DxgkDdiDestroyContext = softgpu_destroy_context;
    table->DxgkDdiCreateAllocation = softgpu_create_allocation;
    table->DxgkDdiDestroyAllocation = softgpu_destroy_allocation;
    table->DxgkDdiOpenAllocation = softgpu_open_allocations;
    table->DxgkDdiCloseAllocation = softgpu_close_allocations;
    table->DxgkDdiDescribeAllocation = softgpu_describe_allocation;
    table->DxgkDdiGetStandardAllocationDriverData = softgpu_get_standard_allocation_data;
    table->DxgkDdiRender = softgpu_render;
    table->DxgkDdiPresent = softgpu_present;
    table->DxgkDdiPatch = softgpu_patch;
    table->DxgkDdiSubmitCommand = softgpu_submit_command;
    table->DxgkDdiPreemptCommand = softgpu_preempt_command;
    table->DxgkDdiCancelCommand = softgpu_cancel_command;
    table->DxgkDdiBuildPagingBuffer = softgpu_build_paging_buffer;
    table->DxgkDdiQueryCurrentFence = softgpu_query_current_fence;
    table->DxgkDdiResetFromTimeout = softgpu_reset_from_timeout;
    table->DxgkDdiRestartFromTimeout = softgpu_restart_from_timeout;
    table->DxgkDdiQueryDependentEngineGroup = softgpu_query_dependent_engine_group;
    table->DxgkDdiQueryEngineStatus = softgpu_query_engine_status;
    table->DxgkDdiResetEngine = softgpu_reset_engine;
    table->DxgkDdiEscape = softgpu_escape;
    table->DxgkDdiCollectDbgInfo = softgpu_collect_dbg_info;
    table->DxgkDdiCalibrateGpuClock = softgpu_calibrate_gpu_clock;
    if (softgpu_settings.wddm_version >= 0x2000) {
        table->DxgkDdiSetStablePowerState = softgpu_set_stable_power_state;
    }
    table->DxgkDdiFormatHistoryBuffer = softgpu_format_history_buffer;
    table->DxgkDdiSetPowerComponentFState = softgpu_set_power_component_f_state;
    table->DxgkDdiPowerRuntimeControlRequest = softgpu_power_runtime_control;
    if (softgpu_settings.gpu_mmu) {
        table->DxgkDdiGetRootPageTableSize = softgpu_get_root_page_table_size;
        table->DxgkDdiSetRootPageTable = softgpu_set_root_page_table;
    }
    if (softgpu_has_addresses(&softgpu_settings)) {
        table->DxgkDdiCreateProcess = softgpu_create_process;
        table->DxgkDdiDestroyProcess = softgpu_destroy_process;
        table->DxgkDdiSubmitCommandVirtual = softgpu_submit_command_virtual;
        table->DxgkDdiValidateUpdateAllocationProperty = softgpu_validate_update_property;
    }
    if (softgpu_settings.gdi) {
        table->DxgkDdiRenderKm = softgpu_render_km;
        if (softgpu_settings.gpu_mmu) {
            table->DxgkDdiRenderGdi = softgpu_render_gdi;
        }
    }
    if (softgpu_settings.validates) {
        table->DxgkDdiValidateSubmitCommand = softgpu_validate_submit_command;
    }
    if (softgpu_settings.host_aperture) {
        table->DxgkDdiMapCpuHostAperture = softgpu_map_host_aperture;
        table->DxgkDdiUnmapCpuHostAperture = softgpu_unmap_host_aperture;
    }
    if (softgpu_settings.ranges) {
        table->DxgkDdiAcquireSwizzlingRange = softgpu_acquire_range;
        table->DxgkDdiReleaseSwizzlingRange = softgpu_release_range;
    }
}

/* Hardware queues, as WDDM 2.4 has them; 2.5 added two. */
static void fill_in_queues(DRIVER_INITIALIZATION_DATA *table)
{
    table->DxgkDdiCreateHwContext = softgpu_create_hw_context;
    table->DxgkDdiDestroyHwContext = softgpu_destroy_hw_context;
    table->DxgkDdiCreateHwQueue = softgpu_create_hw_queue;
    table->DxgkDdiDestroyHwQueue = softgpu_destroy_hw_queue;
    table->DxgkDdiSubmitCommandToHwQueue = softgpu_submit_command_to_hw_queue;
    table->DxgkDdiSetupPriorityBands = softgpu_setup_priority_bands;
    table->DxgkDdiSetContextSchedulingProperties = softgpu_set_context_scheduling_properties;
    table->DxgkDdiSetSchedulingLogBuffer = softgpu_set_scheduling_log_buffer;
    table->DxgkDdiSuspendContext = softgpu_suspend_context;
    table->DxgkDdiResumeContext = softgpu_resume_context;
    table->DxgkDdiResetHwEngine = softgpu_reset_hw_engine;
    table->DxgkDdiResumeHwEngine = softgpu_resume_hw_engine;
    if (softgpu_settings.wddm_version >= 0x2500) {
        table->DxgkDdiPresentToHwQueue = softgpu_present_to_hw_queue;
    }
    if (softgpu_settings.wddm_version >= 0x2500 && softgpu_settings.signal_fence) {
        table->DxgkDdiSignalMonitoredFence = softgpu_signal_fence;
    }
}

/* As WDDM 3.1 has them. */
static void fill_in_doorbells(DRIVER_INITIALIZATION_DATA *table)
{
    table->DxgkDdiCreateDoorbell = softgpu_create_doorbell;
    table->DxgkDdiConnectDoorbell = softgpu_connect_doorbell;
    table->DxgkDdiDisconnectDoorbell = softgpu_disconnect_doorbell;
    table->DxgkDdiDestroyDoorbell = softgpu_destroy_doorbell;
    table->DxgkDdiNotifyWorkSubmission = softgpu_notify_work_submission;
}

/* As WDDM 3.2 has them. Logs are for queues that clients submit to by themselves. */
static void fill_in_fences(DRIVER_INITIALIZATION_DATA *table)
{
    table->DxgkDdiCreateNativeFence = softgpu_create_native_fence;
    table->DxgkDdiDestroyNativeFence = softgpu_destroy_native_fence;
    table->DxgkDdiOpenNativeFence = softgpu_open_native_fence;
    table->DxgkDdiCloseNativeFence = softgpu_close_native_fence;
    table->DxgkDdiUpdateMonitoredValues = softgpu_update_monitored_values;
    table->DxgkDdiUpdateCurrentValuesFromCpu = softgpu_update_current_values;
}

/* Of the three forms the newest that this version has. */
static void fill_in_planes(DRIVER_INITIALIZATION_DATA *table)
{
    if (softgpu_settings.wddm_version < 0x2000) {
        table->DxgkDdiCheckMultiPlaneOverlaySupport = softgpu_check_planes;
        table->DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay = softgpu_set_planes;
    } else if (softgpu_settings.wddm_version < SOFTGPU_PLANES_OLD) {
        table->DxgkDdiCheckMultiPlaneOverlaySupport2 = softgpu_check_planes2;
        table->DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay2 = softgpu_set_planes2;
    } else {
        table->DxgkDdiCheckMultiPlaneOverlaySupport3 = softgpu_check_planes3;
        table->DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3 = softgpu_set_planes3;
        table->DxgkDdiPostMultiPlaneOverlayPresent = softgpu_post_planes;
        table->DxgkDdiGetMultiPlaneOverlayCaps = softgpu_get_plane_caps;
    }
    if (softgpu_settings.flip_queue) {
        table->DxgkDdiSetFlipQueueLogBuffer = softgpu_set_flip_log;
        table->DxgkDdiUpdateFlipQueueLog = softgpu_update_flip_log;
        if (softgpu_settings.flip_cancel != SOFTGPU_CANCEL_QUEUED) {
            table->DxgkDdiCancelFlips = softgpu_cancel_flips;
        }
        if (softgpu_settings.flip_cancel != SOFTGPU_CANCEL_FLIPS) {
            table->DxgkDdiCancelQueuedFlips = softgpu_cancel_queued_flips;
        }
        table->DxgkDdiSetInterruptTargetPresentId = softgpu_set_flip_interrupt;
    }
}

static void fill_in_display(DRIVER_INITIALIZATION_DATA *table)
{
    table->DxgkDdiSetPalette = softgpu_set_palette;
    table->DxgkDdiSetDisplayPrivateDriverFormat = softgpu_set_format;
    table->DxgkDdiSetPointerPosition = softgpu_set_pointer_position;
    table->DxgkDdiSetPointerShape = softgpu_wake_and_set_pointer_shape;
    table->DxgkDdiIsSupportedVidPn = softgpu_is_supported_vidpn;
    table->DxgkDdiRecommendFunctionalVidPn = softgpu_recommend_functional_vidpn;
    table->DxgkDdiRecommendVidPnTopology = softgpu_recommend_vidpn_topology;
    table->DxgkDdiRecommendMonitorModes = softgpu_recommend_monitor_modes;
    table->DxgkDdiEnumVidPnCofuncModality = softgpu_enum_vidpn_cofunc_modality;
    table->DxgkDdiCommitVidPn = softgpu_commit_vidpn;
    table->DxgkDdiUpdateActiveVidPnPresentPath = softgpu_update_active_vidpn_present_path;
    table->DxgkDdiQueryVidPnHWCapability = softgpu_query_vidpn_hw_capability;
    table->DxgkDdiSetVidPnSourceAddress = softgpu_set_vidpn_source_address;
    table->DxgkDdiSetVidPnSourceVisibility = softgpu_set_vidpn_source_visibility;
    table->DxgkDdiGetScanLine = softgpu_get_scan_line;
    table->DxgkDdiControlInterrupt = softgpu_control_interrupt;
    table->DxgkDdiStopCapture = softgpu_stop_capture;
    if (softgpu_settings.wddm_version >= 0x2200) {
        table->DxgkDdiGetPostCompositionCaps = softgpu_get_post_caps;
        table->DxgkDdiCreatePeriodicFrameNotification = softgpu_create_frame_notification;
        table->DxgkDdiDestroyPeriodicFrameNotification = softgpu_destroy_frame_notification;
    }
    if (softgpu_settings.overlay_planes) {
        fill_in_planes(table);
    }
    if (softgpu_settings.overlays) {
        table->DxgkDdiCreateOverlay = softgpu_create_overlay;
        table->DxgkDdiUpdateOverlay = softgpu_update_overlay;
        table->DxgkDdiFlipOverlay = softgpu_flip_overlay;
        table->DxgkDdiDestroyOverlay = softgpu_destroy_overlay;
    }
}

/* Called once when the image is loaded. A display miniport has no dispatch table of its own: it
 * hands its DDIs to dxgkrnl and returns dxgkrnl's answer as its own. */
NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    DRIVER_INITIALIZATION_DATA table;

    softgpu_settings_read(registry_path, &softgpu_settings);

    RtlZeroMemory(&table, sizeof(table));
    /* Everything that dxgkrnl reads or writes from now on has the size it has in this version. */
    table.Version = softgpu_settings.interface_version;
    fill_in_pnp(&table);
    fill_in_rendering(&table);
    if (softgpu_settings.hw_scheduling) {
        fill_in_queues(&table);
    }
    if (softgpu_settings.user_submission) {
        fill_in_doorbells(&table);
    }
    if (softgpu_settings.native_fences) {
        fill_in_fences(&table);
    }
    fill_in_display(&table);

    return DxgkInitialize(driver_object, registry_path, &table);
}

/* The image is about to go; RemoveDevice has been called for every adapter, and nothing is kept
 * outside of adapters. */
static void NTAPI softgpu_unload(void)
{
}

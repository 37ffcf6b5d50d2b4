/* What the system tells a driver, and asks it for, that has to do with no client's work: events of
 * the computer, requests of the old video port, interfaces, clocks, tracing. */
#include "dxgk/vidpn.h"
#include "dxgk/work.h"

#include <string.h>

/* ---- Events of the computer ------------------------------------------------------------------ */

static ULONG off_and_on[] = {0, 1};

/* A lid that is closed and opened, a plug that is pulled and put back, a dock, the keys for the
 * displays: as the page has them. */
static const struct contract_event events[] = {
    {DxgkPowerStateEvent, PO_CB_AC_STATUS, &off_and_on[0]},
    {DxgkPowerStateEvent, PO_CB_LID_SWITCH_STATE, &off_and_on[0]},
    {DxgkPowerStateEvent, PO_CB_LID_SWITCH_STATE, &off_and_on[1]},
    {DxgkPowerStateEvent, PO_CB_AC_STATUS, &off_and_on[1]},
    {DxgkAcpiEvent, ACPI_NOTIFY_CYCLE_DISPLAY_HOTKEY, NULL},
    {DxgkAcpiEvent, ACPI_NOTIFY_PANEL_SWITCH, NULL},
    {DxgkAcpiEvent, ACPI_NOTIFY_DEVICE_HOTPLUG, NULL},
    {DxgkAcpiEvent, ACPI_NOTIFY_DOCK_EVENT, NULL},
    {DxgkDockingEvent, ACPI_NOTIFY_DOCK_EVENT, NULL},
    {DxgkAcpiEvent, ACPI_NOTIFY_VIDEO_WAKEUP, NULL},
};

/* What the driver would show now. With the monitors of before that is no reason to change what is
 * shown: a recommendation is looked at and left. */
static void ask_recommendation(struct dxgk_adapter *adapter)
{
    struct dxgk_vidpn *vidpn =
        adapter->active_vidpn && ddi_has(&adapter->ddi, POINT_RecommendFunctionalVidPn)
            ? vidpn_create(adapter)
            : NULL;

    if (vidpn) {
        dxgk_vidpn_connect_outputs(adapter, vidpn, false);
        if (vidpn->path_count > 0) {
            dxgk_vidpn_recommend(adapter, vidpn, DXGK_RFVR_HOTKEY);
        }
        vidpn_destroy(vidpn);
    }
}

void dxgk_adapter_tell_events(struct dxgk_adapter *adapter)
{
    ULONG *flags = ddi_has(&adapter->ddi, POINT_NotifyAcpiEvent)
                       ? nt_memory_hand(sizeof *flags, "AcpiFlags of NotifyAcpiEvent")
                       : NULL;

    for (size_t i = 0; flags && i < sizeof events / sizeof *events; i++) {
        struct contract_event event = events[i];
        if (!NT_SUCCESS(ddi_notify_acpi_event(&adapter->ddi, &event, flags))) {
            continue; /* then the flags mean nothing */
        }
        if (*flags & DXGK_ACPI_POLL_DISPLAY_CHILDREN) {
            (void)dxgk_adapter_poll(adapter, true, false);
        }
        if (*flags & (DXGK_ACPI_CHANGE_DISPLAY_MODE | DXGK_ACPI_CHANGE_DISPLAY_TOPOLOGY)) {
            ask_recommendation(adapter);
        }
    }
    nt_memory_free(flags);
}

/* ---- Video requests -------------------------------------------------------------------------- */

/* The two that are left of the video port's: the first is answered with what is known of the
 * colours, the second with what a television at the source could do. */
#define VIDEO_PARAMETERS_BYTES 356u
#define VIDEO_PARAMETERS_GET   1u /* dwCommand, behind the GUID and dwOffset */
#define COMMAND_AT             20u

static void request_video(struct dxgk_adapter *adapter, UINT source, ULONG code, ULONG size_bytes)
{
    static const GUID parameters = {
        0x02C62061, 0x1097, 0x11D1, {0x92, 0x0F, 0x00, 0xA0, 0x24, 0xDF, 0x15, 0x6E}};
    const ULONG command = VIDEO_PARAMETERS_GET;
    uint8_t *bytes = nt_memory_hand(size_bytes, "OutputBuffer of DispatchIoRequest");
    STATUS_BLOCK *status = nt_memory_hand(sizeof *status, "StatusBlock of DispatchIoRequest");
    VIDEO_REQUEST_PACKET packet = {.IoControlCode = code,
                                   .StatusBlock = status,
                                   .OutputBuffer = bytes,
                                   .OutputBufferLength = size_bytes};

    if (!bytes || !status) {
        nt_memory_free(bytes);
        nt_memory_free(status);
        return;
    }
    contract_canary_write(bytes + size_bytes);
    if (code == IOCTL_VIDEO_HANDLE_VIDEOPARAMETERS) {
        memcpy(bytes, &parameters, sizeof parameters);
        memcpy(bytes + COMMAND_AT, &command, sizeof command);
        packet.InputBuffer = bytes;
        packet.InputBufferLength = size_bytes;
    }
    ddi_dispatch_io_request(&adapter->ddi, source, &packet);
    nt_memory_free(bytes);
    nt_memory_free(status);
}

/* ---- Interfaces ------------------------------------------------------------------------------ */

#define INTERFACE_BYTES 256u

/* Of a type that nobody has. */
static void ask_unknown_interface(struct dxgk_adapter *adapter)
{
    static const GUID nobodys = {
        0x9D1E6A04, 0x7C53, 0x4B28, {0xA1, 0x0F, 0x62, 0xE8, 0x3B, 0x95, 0xD7, 0x40}};
    INTERFACE *interface = ddi_has(&adapter->ddi, POINT_QueryInterface)
                               ? nt_memory_hand(INTERFACE_BYTES, "Interface of QueryInterface")
                               : NULL;
    QUERY_INTERFACE query = {.InterfaceType = &nobodys,
                             .Size = INTERFACE_BYTES,
                             .Version = 1,
                             .Interface = interface,
                             .DeviceUid = DISPLAY_ADAPTER_HW_ID};

    if (interface) {
        ddi_query_interface(&adapter->ddi, &query);
        nt_memory_free(interface);
    }
}

/* ---- Clocks, tracing ------------------------------------------------------------------------- */

#define CLOCKS_APART_NS (200 * NS_PER_US) /* any counter has gone on by then */

static void calibrate_clocks(struct dxgk_adapter *adapter)
{
    DXGKARG_CALIBRATEGPUCLOCK *clock =
        ddi_has(&adapter->ddi, POINT_CalibrateGpuClock)
            ? nt_memory_hand(sizeof *clock, "pClockCalibration of CalibrateGpuClock")
            : NULL;

    for (UINT i = 0; clock && i < 2 * adapter->node_count; i++) {
        if (i % 2 != 0) {
            task_block(machine_now_ns() + CLOCKS_APART_NS);
        }
        memset(clock, 0, sizeof *clock);
        ddi_calibrate_gpu_clock(&adapter->ddi, i / 2, clock);
    }
    nt_memory_free(clock);
}

/* As when a tracing session begins and ends. */
static void trace(struct dxgk_adapter *adapter)
{
    ddi_control_etw_logging(&adapter->ddi, true, 4);
    calibrate_clocks(adapter);
    ddi_control_etw_logging(&adapter->ddi, false, 0);
}

/* As a profiler asks before it measures, and when it is done. What the clocks tell is true of those
 * that are held, too [CLOCK-001]. */
static void hold_clocks(struct dxgk_adapter *adapter)
{
    if (!ddi_has(&adapter->ddi, POINT_SetStablePowerState)) {
        return;
    }
    ddi_set_stable_power_state(&adapter->ddi, true);
    calibrate_clocks(adapter);
    ddi_set_stable_power_state(&adapter->ddi, false);
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* A topology for no source in particular, out of nothing. */
static void ask_topology(struct dxgk_adapter *adapter)
{
    struct dxgk_vidpn *vidpn =
        adapter->active_vidpn && ddi_has(&adapter->ddi, POINT_RecommendVidPnTopology)
            ? vidpn_create(adapter)
            : NULL;

    if (!vidpn) {
        return;
    }
    const DXGKARG_RECOMMENDVIDPNTOPOLOGY arguments = {
        .hVidPn = vidpn_handle(vidpn),
        .RequestReason = DXGK_RVT_INITIALIZATION_NOLKG,
    };
    vidpn->access = VIDPN_CHANGE_ALL;
    NTSTATUS status =
        ddi_recommend_vidpn_topology(&adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
    vidpn->access = VIDPN_READ;
    vidpn_judge_kept(vidpn, "DxgkDdiRecommendVidPnTopology");
    contract_count(RULE_VIDPN_014);
    if (status == STATUS_SUCCESS && vidpn->path_count == 0) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_014)},
                        "a topology from RecommendVidPnTopology that succeeds",
                        "STATUS_SUCCESS, and the topology is empty");
    }
    vidpn_destroy(vidpn);
}

void dxgk_system_asks(struct dxgk_adapter *adapter)
{
    for (UINT i = 0; i < adapter->source_count && ddi_has(&adapter->ddi, POINT_DispatchIoRequest);
         i++) {
        request_video(adapter, i, IOCTL_VIDEO_QUERY_COLOR_CAPABILITIES,
                      sizeof(VIDEO_COLOR_CAPABILITIES));
        request_video(adapter, i, IOCTL_VIDEO_HANDLE_VIDEOPARAMETERS, VIDEO_PARAMETERS_BYTES);
    }
    ask_unknown_interface(adapter);
    ask_topology(adapter);
    trace(adapter);
    hold_clocks(adapter);
}

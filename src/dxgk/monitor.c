/* The monitor interface: what drivers may ask about a connected monitor. */
#include "dxgk/vidpn.h"

static NTSTATUS NTAPI monitor_acquire(D3DKMDT_ADAPTER handle, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                      D3DKMDT_HMONITORSOURCEMODESET *set,
                                      const DXGK_MONITORSOURCEMODESET_INTERFACE **interface)
{
    struct ddi_adapter *ddi = ddi_adapter_of_handle(handle);

    if (!ddi || !set || !interface) {
        return STATUS_INVALID_PARAMETER;
    }
    struct mode_set *modes = dxgk_monitor_modes(dxgk_adapter_of(ddi), target);
    if (!modes) {
        return STATUS_GRAPHICS_MONITOR_NOT_CONNECTED;
    }
    modes->acquired = 1;
    *set = (D3DKMDT_HMONITORSOURCEMODESET)(void *)modes;
    *interface = &dxgk_monitor_set_interface;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI monitor_release(D3DKMDT_ADAPTER handle, D3DKMDT_HMONITORSOURCEMODESET set)
{
    struct mode_set *modes = mode_set_of(set, MODE_MONITOR);

    if (!modes) {
        return STATUS_INVALID_PARAMETER;
    }
    mode_set_destroy(modes);
    return STATUS_SUCCESS;
}

/* Monitors of the simulated computer come without range limits or further descriptors. */
static NTSTATUS NTAPI monitor_get_ranges(D3DKMDT_ADAPTER handle,
                                         D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                         D3DKMDT_HMONITORFREQUENCYRANGESET *set,
                                         const DXGK_MONITORFREQUENCYRANGESET_INTERFACE **interface)
{
    return STATUS_NOT_SUPPORTED;
}

static NTSTATUS NTAPI monitor_get_descriptors(D3DKMDT_ADAPTER handle,
                                              D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                              D3DKMDT_HMONITORDESCRIPTORSET *set,
                                              const DXGK_MONITORDESCRIPTORSET_INTERFACE **interface)
{
    return STATUS_NOT_SUPPORTED;
}

static const DXGK_MONITOR_INTERFACE monitor_interface = {
    .Version = DXGK_MONITOR_INTERFACE_VERSION_V1,
    .pfnAcquireMonitorSourceModeSet = monitor_acquire,
    .pfnReleaseMonitorSourceModeSet = monitor_release,
    .pfnGetMonitorFrequencyRangeSet = monitor_get_ranges,
    .pfnGetMonitorDescriptorSet = monitor_get_descriptors,
};

NTSTATUS dxgk_monitor_interface(struct ddi_adapter *adapter, DXGK_MONITOR_INTERFACE_VERSION version,
                                const DXGK_MONITOR_INTERFACE **interface)
{
    if (version != DXGK_MONITOR_INTERFACE_VERSION_V1) {
        return STATUS_NOT_SUPPORTED;
    }
    *interface = &monitor_interface;
    return STATUS_SUCCESS;
}

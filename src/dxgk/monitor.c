/* The monitor interface: what drivers may ask about a connected monitor; and paths whose monitors
 * are switched off. */
#include "dxgk/vidpn.h"
#include "dxgk/work.h"

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

/* ---- Their power --------------------------------------------------------------------------- */

static bool rests(const struct dxgk_adapter *adapter, UINT target, uint64_t resting)
{
    for (ULONG i = 0; adapter->children && i < adapter->child_count; i++) {
        if (adapter->children[i].descriptor.ChildUid == target) {
            return resting >> i % 64 & 1;
        }
    }
    return false;
}

void dxgk_paths_switch_off(struct dxgk_adapter *adapter, uint64_t resting)
{
    adapter->path_power =
        (DXGKARG_COMMITVIDPN_FLAGS){.PathPowerTransition = 1, .PathPoweredOff = 1};
    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        if (source->active && rests(adapter, source->target, resting)) {
            (void)dxgk_vidpn_commit(adapter, i, source->shown);
            dxgk_source_lose_vsyncs(source);
        }
    }
    adapter->path_power.PathPoweredOff = 0;
}

static void judge_stays_off(const struct dxgk_source *source)
{
    struct dxgk_adapter *adapter = source->adapter;
    struct pci_picture picture;

    if (adapter->state != DXGK_ADAPTER_RUNNING || !dxgk_adapter_has_hardware(adapter)) {
        return;
    }
    contract_count(RULE_VIDPN_017);
    if (pci_scanout(adapter->ddi.slot, dxgk_output_of(adapter, source->target), &picture)) {
        contract_breach(
            &(struct contract_finding){
                .rule = CONTRACT_JUDGES(VIDPN_017), .ddi = "DxgkDdiCommitVidPn", .advice = true},
            "a monitor that is off left off by a commit with PathPoweredOff",
            "target %u was told off by CommitVidPn with PathPowerTransition and PathPoweredOff, "
            "and its monitor is at rest; behind CommitVidPn with PathPoweredOff alone, as for a "
            "mode that changed meanwhile, it is sent a picture",
            source->target);
    }
}

void dxgk_paths_change_while_off(struct dxgk_adapter *adapter)
{
    const DXGKARG_COMMITVIDPN_FLAGS before = adapter->path_power;

    adapter->path_power = (DXGKARG_COMMITVIDPN_FLAGS){.PathPoweredOff = 1};
    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        bool there = adapter->active_vidpn && adapter->presence < DXGK_TOLD &&
                     dxgk_adapter_has_hardware(adapter);
        if (there && source->active && source->path_off &&
            NT_SUCCESS(dxgk_vidpn_commit(adapter, i, source->shown)) && !adapter->display_only) {
            judge_stays_off(source);
        }
    }
    adapter->path_power = before;
}

void dxgk_paths_are_on(struct dxgk_adapter *adapter)
{
    adapter->path_power = (DXGKARG_COMMITVIDPN_FLAGS){0};
    for (unsigned i = 0; i < adapter->source_count; i++) {
        adapter->sources[i].path_off = false;
    }
}

/* What clients ask of an adapter besides work, and what they set for their processes: see asked.h.
 */
#include "dxgk/asked.h"
#include "dxgk/bands.h"
#include "dxgk/display_composed.h"
#include "dxgk/native_parts.h"
#include "dxgk/vidpn.h"
#include "dxgk/work.h"

#include <stdlib.h>
#include <string.h>

/* ---- Registry -------------------------------------------------------------------------------- */

void dxgk_adapter_registry_key(const struct dxgk_adapter *adapter, bool service, char *out,
                               size_t size)
{
    nt_text_from_unicode_string(service
                                    ? nt_driver_registry_path(adapter->ddi.driver->driver_object)
                                    : &adapter->registry_path,
                                out, size);
}

/* ---- Priorities ------------------------------------------------------------------------------ */

/* A class moves all contexts of a process by as much as two steps of their own; the highest level
 * is the system's. */
unsigned dxgk_context_level(const struct dxgk_context *context)
{
    const struct dxgk_process *process = context->device->process;
    int class = process ? process->class_offset : 0;
    int level = VIDSCH_PRIORITY_NORMAL + 2 * context->priority + 4 * class;
    int highest = VIDSCH_PRIORITY_SYSTEM - 1;

    return (unsigned)(level < 0 ? 0 : level > highest ? highest : level);
}

/* May switch: its node goes on with whoever comes first now. */
static void reorder(struct dxgk_context *context)
{
    vidsch_context_set_priority(&context->vidsch, dxgk_context_level(context), context->in_process);
    if (context->life.kind == DXGK_KIND_HW_CONTEXT) {
        dxgk_hwcontext_place_anew(context);
    }
}

NTSTATUS dxgk_context_set_priority(struct dxgk_context *context, int priority)
{
    if (priority < -7 || priority > 7) {
        return STATUS_INVALID_PARAMETER;
    }
    context->priority = priority;
    reorder(context);
    return STATUS_SUCCESS;
}

int dxgk_context_priority(const struct dxgk_context *context)
{
    return context->priority;
}

NTSTATUS dxgk_context_set_in_process(struct dxgk_context *context, int priority)
{
    if (priority < -7 || priority > 7) {
        return STATUS_INVALID_PARAMETER;
    }
    context->in_process = priority;
    reorder(context);
    return STATUS_SUCCESS;
}

int dxgk_context_in_process(const struct dxgk_context *context)
{
    return context->in_process;
}

/* The first of the process's contexts that is not where it belongs, with a reference; or NULL. */
static struct dxgk_context *first_to_move(const struct dxgk_process *process)
{
    list_for_each (outer, &process->devices) {
        const struct dxgk_device *device = container_of(outer, struct dxgk_device, process_link);
        list_for_each (link, &device->contexts) {
            struct dxgk_context *context = container_of(link, struct dxgk_context, life.link);
            if (context->life.state == LIFE_LIVING &&
                context->vidsch.priority != dxgk_context_level(context)) {
                life_get(&context->life);
                return context;
            }
        }
    }
    return NULL;
}

NTSTATUS dxgk_process_set_class(struct dxgk_process *process, D3DKMT_SCHEDULINGPRIORITYCLASS class)
{
    struct dxgk_context *context;

    if ((unsigned)class > D3DKMT_SCHEDULINGPRIORITYCLASS_REALTIME) {
        return STATUS_INVALID_PARAMETER;
    }
    process->class_offset = (int)class - D3DKMT_SCHEDULINGPRIORITYCLASS_NORMAL;
    while ((context = first_to_move(process)) != NULL) {
        reorder(context);
        life_put(&context->life);
    }
    return STATUS_SUCCESS;
}

D3DKMT_SCHEDULINGPRIORITYCLASS dxgk_process_class(const struct dxgk_process *process)
{
    return (D3DKMT_SCHEDULINGPRIORITYCLASS)(process->class_offset +
                                            D3DKMT_SCHEDULINGPRIORITYCLASS_NORMAL);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

void dxgk_adapter_numbers(struct dxgk_adapter *adapter, struct dxgk_adapter_numbers *out)
{
    *out = (struct dxgk_adapter_numbers){
        .segment_count = adapter->info.segment_count,
        .node_count = adapter->node_count,
        .source_count = adapter->source_count,
        .reset_count = adapter->vidsch.reset_count,
    };
}

bool dxgk_segment_numbers(struct dxgk_adapter *adapter, unsigned segment,
                          struct dxgk_segment_numbers *out)
{
    struct vidmm_segment_use use;

    if (!adapter->vidmm || !vidmm_segment_use(adapter->vidmm, segment, &use)) {
        return false;
    }
    *out = (struct dxgk_segment_numbers){use.limit_bytes, use.placed_bytes, use.aperture};
    return true;
}

bool dxgk_node_numbers(struct dxgk_adapter *adapter, unsigned node, struct dxgk_node_numbers *out)
{
    if (node >= adapter->node_count) {
        return false;
    }
    vidsch_node_ran(&adapter->vidsch, node, &out->ran_ns, &out->system_ran_ns);
    return true;
}

/* ---- Devices --------------------------------------------------------------------------------- */

/* What is on the hardware runs to its end; the rest is cancelled [CANCEL-002]. */
NTSTATUS dxgk_device_mark_error(struct dxgk_device *device)
{
    if (device->life.state != LIFE_LIVING) {
        return STATUS_INVALID_HANDLE;
    }
    device->marked |= !dxgk_device_is_lost(device);
    dxgk_device_lose_soon(device, D3DKMT_DEVICEEXECUTION_ERROR_DMAFAULT);
    return STATUS_SUCCESS;
}

/* ---- The driver ------------------------------------------------------------------------------ */

enum dxgk_adapter_kind dxgk_adapter_kind(const struct dxgk_adapter *adapter)
{
    if (adapter->display_only) {
        return DXGK_DISPLAY_ONLY;
    }
    return adapter->caps.MiscCaps.ComputeOnly ? DXGK_COMPUTE_ONLY : DXGK_RENDERS;
}

NTSTATUS dxgk_adapter_calibrate(struct dxgk_adapter *adapter, unsigned node,
                                DXGKARG_CALIBRATEGPUCLOCK *out)
{
    if (!dxgk_adapter_has_hardware(adapter)) {
        return STATUS_DEVICE_REMOVED;
    }
    if (node >= adapter->node_count) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!ddi_has(&adapter->ddi, POINT_CalibrateGpuClock)) {
        return STATUS_NOT_SUPPORTED;
    }
    DXGKARG_CALIBRATEGPUCLOCK *clock =
        nt_memory_hand(sizeof *clock, "pClockCalibration of CalibrateGpuClock");
    if (!clock) {
        return STATUS_NO_MEMORY;
    }
    NTSTATUS status = ddi_calibrate_gpu_clock(&adapter->ddi, node, clock);
    *out = *clock;
    nt_memory_free(clock);
    return status;
}

void dxgk_adapter_ask_clocks(struct dxgk_adapter *adapter)
{
    DXGKARG_CALIBRATEGPUCLOCK clock;

    for (unsigned i = 0; i < adapter->node_count; i++) {
        dxgk_wait_awake();
        (void)dxgk_adapter_calibrate(adapter, i, &clock);
    }
}

bool dxgk_adapter_has_natives(const struct dxgk_adapter *adapter)
{
    return dxgk_has_natives(adapter);
}

DXGK_ISFEATUREENABLED_RESULT dxgk_adapter_feature(const struct dxgk_adapter *adapter,
                                                  DXGK_FEATURE_ID id)
{
    return ddi_feature_state(&adapter->ddi, id);
}

NTSTATUS dxgk_adapter_hold_clocks(struct dxgk_adapter *adapter, bool hold)
{
    dxgk_wait_awake();
    if (!dxgk_adapter_has_hardware(adapter)) {
        return STATUS_DEVICE_REMOVED;
    }
    if (!ddi_has(&adapter->ddi, POINT_SetStablePowerState)) {
        return STATUS_NOT_SUPPORTED;
    }
    ddi_set_stable_power_state(&adapter->ddi, hold);
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_adapter_poll(struct dxgk_adapter *adapter, bool interruptible, bool destructive)
{
    if (!dxgk_adapter_has_hardware(adapter)) {
        return STATUS_DEVICE_REMOVED;
    }
    for (ULONG i = 0; i < adapter->child_count; i++) {
        const DXGK_CHILD_DESCRIPTOR *child = &adapter->children[i].descriptor;
        DXGK_CHILD_DEVICE_HPD_AWARENESS awareness = child->ChildCapabilities.HpdAwareness;
        DXGK_CHILD_STATUS status = {.Type = StatusConnection, .ChildUid = child->ChildUid};
        if (awareness == HpdAwarenessPolled ||
            (interruptible && awareness == HpdAwarenessInterruptible)) {
            ddi_query_child_status(&adapter->ddi, &status, !destructive);
        }
    }
    return STATUS_SUCCESS;
}

/* ---- Colours --------------------------------------------------------------------------------- */

static bool can_show(const struct dxgk_adapter *adapter, const D3DKMDT_GAMMA_RAMP *ramp)
{
    return ramp->Type == D3DDDI_GAMMARAMP_RGB256x3x16 &&
           adapter->caps.GammaRampCaps.Gamma_Rgb256x3x16 &&
           ddi_has(&adapter->ddi, POINT_UpdateActiveVidPnPresentPath);
}

/* The ramp is the path's until the next one, or until its mode changes. */
NTSTATUS dxgk_source_update_gamma(struct dxgk_source *source, const D3DKMDT_GAMMA_RAMP *ramp)
{
    struct dxgk_adapter *adapter = source->adapter;
    const struct vidpn_path *path =
        adapter->active_vidpn
            ? vidpn_path_find(adapter->active_vidpn, source->index, source->target)
            : NULL;

    if (!dxgk_adapter_has_hardware(adapter)) {
        return STATUS_DEVICE_REMOVED; /* since the caller looked */
    }
    if (!path) {
        return STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY;
    }
    DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH arguments = {.VidPnPresentPathInfo = path->info};
    arguments.VidPnPresentPathInfo.GammaRamp = *ramp;
    NTSTATUS status = ddi_update_active_vidpn_present_path(
        &adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
    if (NT_SUCCESS(status)) {
        source->ramped = ramp->Type != D3DDDI_GAMMARAMP_DEFAULT;
    }
    if (NT_SUCCESS(status) && source->composed) {
        source->composed->ramped = ramp->Type != D3DDDI_GAMMARAMP_DEFAULT;
    }
    return status;
}

NTSTATUS dxgk_source_set_gamma(struct dxgk_adapter *adapter, unsigned source,
                               const D3DKMDT_GAMMA_RAMP *ramp)
{
    if (source >= adapter->source_count || !adapter->sources[source].active) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!dxgk_adapter_has_hardware(adapter)) {
        return STATUS_DEVICE_REMOVED;
    }
    bool anew = ramp->Type == D3DDDI_GAMMARAMP_DEFAULT;
    if (anew && !adapter->caps.GammaRampCaps.Gamma_Rgb256x3x16) {
        return STATUS_SUCCESS; /* they are as they are */
    }
    if (!anew && !can_show(adapter, ramp)) {
        return STATUS_NOT_SUPPORTED;
    }
    dxgk_source_begin_change(&adapter->sources[source]);
    NTSTATUS status = dxgk_source_update_gamma(&adapter->sources[source], ramp);
    dxgk_source_end_change(&adapter->sources[source]);
    return status;
}

/* ---- Palettes -------------------------------------------------------------------------------- */

/* The driver is handed the last elements of a block, and faults behind them. */
static NTSTATUS give_palette(struct dxgk_source *source, UINT first, UINT count)
{
    struct dxgk_adapter *adapter = source->adapter;
    size_t size = count * sizeof *source->palette;
    D3DKMDT_PALETTEDATA *entries = nt_memory_hand(size, "pLookupTable");

    if (!entries) {
        return STATUS_NO_MEMORY;
    }
    memcpy(entries, source->palette + first, size);
    const DXGKARG_SETPALETTE arguments = {.VidPnSourceId = source->index,
                                          .FirstEntry = first,
                                          .NumEntries = count,
                                          .pLookupTable = entries};
    NTSTATUS status = ddi_set_palette(&adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
    nt_memory_free(entries);
    return status;
}

void dxgk_source_restore_palette(struct dxgk_source *source)
{
    if (source->palette && source->mode.palette) {
        give_palette(source, 0, DXGK_PALETTE_SIZE);
    }
}

static NTSTATUS change_palette(struct dxgk_source *source, const struct dxgk_colours *colours)
{
    if (!dxgk_adapter_has_hardware(source->adapter)) {
        return STATUS_DEVICE_REMOVED;
    }
    if (!source->active || !source->mode.palette ||
        !ddi_has(&source->adapter->ddi, POINT_SetPalette)) {
        return STATUS_NOT_SUPPORTED;
    }
    if (!source->palette) {
        source->palette = calloc(DXGK_PALETTE_SIZE, sizeof *source->palette);
    }
    if (!source->palette) {
        return STATUS_NO_MEMORY;
    }
    memcpy(source->palette + colours->first, colours->entries,
           colours->count * sizeof *source->palette);
    return give_palette(source, colours->first, colours->count);
}

NTSTATUS dxgk_source_set_palette(struct dxgk_adapter *adapter, unsigned index,
                                 const struct dxgk_colours *colours)
{
    if (index >= adapter->source_count || colours->count == 0 ||
        colours->first >= DXGK_PALETTE_SIZE ||
        colours->count > DXGK_PALETTE_SIZE - colours->first) {
        return STATUS_INVALID_PARAMETER;
    }
    struct dxgk_source *source = &adapter->sources[index];
    /* With the GPU idle (level two), as a mode change. */
    dxgk_screens_wait_presents(adapter);
    dxgk_adapter_wait_idle(adapter, MACHINE_NEVER);
    dxgk_source_begin_change(source);
    NTSTATUS status = change_palette(source, colours);
    dxgk_source_end_change(source);
    if (NT_SUCCESS(status)) {
        dxgk_commit_beside(source);
    }
    return status;
}

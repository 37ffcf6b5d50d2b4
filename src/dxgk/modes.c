/* Modes: makes the driver agree on a VidPN, chooses modes in it, commits it.
 *
 *   paths of all connected outputs ─ IsSupportedVidPn ─ no ─> RecommendFunctionalVidPn
 *        │ yes                                                       │
 *   RecommendMonitorModes, EnumVidPnCofuncModality: the driver offers mode sets
 *   pin a target mode (preferred, else largest), ask again, pin the fitting source mode, ask again
 *   IsSupportedVidPn, CommitVidPn
 *
 * modes_exam.c asks what else a kernel asks while it looks for a VidPN. */
#include "dxgk/vidpn.h"

#include <stdio.h>
#include <string.h>

NTSTATUS dxgk_vidpn_refuse(struct dxgk_failure *failure, const char *what, NTSTATUS status)
{
    snprintf(failure->text, sizeof failure->text, "%s: %s", what, status_name(status));
    return NT_SUCCESS(status) ? STATUS_GRAPHICS_INVALID_VIDPN : status;
}

/* ---- Monitors ------------------------------------------------------------------------------ */

static struct dxgk_child *child_of_target(struct dxgk_adapter *adapter, UINT target)
{
    for (ULONG i = 0; i < adapter->child_count; i++) {
        if (adapter->children[i].descriptor.ChildUid == target) {
            return &adapter->children[i];
        }
    }
    return NULL;
}

/* The first detailed timing of an EDID is the monitor's preferred mode. */
static bool preferred_timing(const struct dxgk_child *child, D3DKMDT_VIDEO_SIGNAL_INFO *signal)
{
    const uint8_t *timing = child->edid + 54;
    unsigned clock = timing[0] | (unsigned)timing[1] << 8; /* 10 kHz */

    if (child->descriptor_size < 128 || clock == 0) {
        return false;
    }
    unsigned active_x = timing[2] | (timing[4] & 0xF0u) << 4;
    unsigned blank_x = timing[3] | (timing[4] & 0x0Fu) << 8;
    unsigned active_y = timing[5] | (timing[7] & 0xF0u) << 4;
    unsigned blank_y = timing[6] | (timing[7] & 0x0Fu) << 8;
    *signal = (D3DKMDT_VIDEO_SIGNAL_INFO){
        .VideoStandard = D3DKMDT_VSS_OTHER,
        .TotalSize = {active_x + blank_x, active_y + blank_y},
        .ActiveSize = {active_x, active_y},
        .PixelRate = clock * 10000u,
    };
    signal->HSyncFreq = (D3DDDI_RATIONAL){clock * 10000u, active_x + blank_x};
    signal->VSyncFreq =
        (D3DDDI_RATIONAL){clock * 10000u, (active_x + blank_x) * (active_y + blank_y)};
    signal->ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
    return true;
}

struct mode_set *dxgk_monitor_modes(struct dxgk_adapter *adapter, UINT target)
{
    struct dxgk_child *child = child_of_target(adapter, target);
    struct mode_set *set = child && child->connected ? mode_set_create(NULL, MODE_MONITOR) : NULL;
    D3DKMDT_VIDEO_SIGNAL_INFO signal;

    if (!set || !preferred_timing(child, &signal)) {
        return set;
    }
    struct mode_node *node = mode_set_draft(set);
    if (node) {
        node->mode.monitor.VideoSignalInfo = signal;
        node->mode.monitor.ColorBasis = D3DKMDT_CB_SRGB;
        node->mode.monitor.Origin = D3DKMDT_MCO_MONITORDESCRIPTOR;
        node->mode.monitor.Preference = D3DKMDT_MP_PREFERRED;
        mode_set_add(node);
        set->pinned = node; /* what AcquirePreferredModeInfo answers */
    }
    return set;
}

void dxgk_vidpn_recommend_modes(struct dxgk_adapter *adapter, UINT target)
{
    struct mode_set *set = dxgk_monitor_modes(adapter, target);

    if (!set) {
        return;
    }
    const DXGKARG_RECOMMENDMONITORMODES arguments = {
        .VideoPresentTargetId = target,
        .hMonitorSourceModeSet = (D3DKMDT_HMONITORSOURCEMODESET)(void *)set,
        .pMonitorSourceModeSetInterface = &dxgk_monitor_set_interface,
    };
    ddi_recommend_monitor_modes(&adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
    vidpn_judge_monitor_set(set, "DxgkDdiRecommendMonitorModes");
    mode_set_destroy(set);
}

/* ---- Asking the driver --------------------------------------------------------------------- */

bool dxgk_vidpn_supported(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn)
{
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    DXGKARG_ISSUPPORTEDVIDPN arguments;
    NTSTATUS status;

    do {
        arguments = (DXGKARG_ISSUPPORTEDVIDPN){.hDesiredVidPn = vidpn ? vidpn_handle(vidpn) : NULL};
        status =
            ddi_is_supported_vidpn(&adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
    } while (dxgk_tries_again(status, &attempt));
    if (vidpn) {
        vidpn_judge_kept(vidpn, "DxgkDdiIsSupportedVidPn");
    }
    return NT_SUCCESS(status) && arguments.IsVidPnSupported;
}

NTSTATUS dxgk_vidpn_enumerate(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn,
                              D3DKMDT_ENUMCOFUNCMODALITY_PIVOT_TYPE pivot,
                              const struct vidpn_path *path)
{
    const DXGKARG_ENUMVIDPNCOFUNCMODALITY arguments = {
        .hConstrainingVidPn = vidpn_handle(vidpn),
        .EnumPivotType = pivot,
        .EnumPivot = {pivot == D3DKMDT_EPT_NOPIVOT || pivot == D3DKMDT_EPT_VIDPNTARGET
                          ? D3DDDI_ID_ALL
                          : path->info.VidPnSourceId,
                      pivot == D3DKMDT_EPT_NOPIVOT || pivot == D3DKMDT_EPT_VIDPNSOURCE
                          ? D3DDDI_ID_ALL
                          : path->info.VidPnTargetId},
    };

    vidpn_forget_support(vidpn);
    vidpn->enumeration = &arguments;
    vidpn->access = VIDPN_CHANGE_SETS;
    NTSTATUS status =
        ddi_enum_vidpn_cofunc_modality(&adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
    vidpn->access = VIDPN_READ;
    vidpn->enumeration = NULL;
    vidpn_judge_kept(vidpn, "DxgkDdiEnumVidPnCofuncModality");
    return status;
}

static NTSTATUS enumerate(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn)
{
    return dxgk_vidpn_enumerate(adapter, vidpn, D3DKMDT_EPT_NOPIVOT, NULL);
}

static bool is_lit(const struct dxgk_child *child)
{
    return child->connected && contract_is_output(child->descriptor.ChildDeviceType);
}

/* One path from source i to the i-th connected output; crossed, of as many outputs as there are
 * sources, to the i-th last. */
void dxgk_vidpn_connect_outputs(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn,
                                bool crossed)
{
    UINT count = 0, source = 0;

    for (ULONG i = 0; i < adapter->child_count && count < adapter->source_count; i++) {
        count += is_lit(&adapter->children[i]);
    }
    for (ULONG i = 0; i < adapter->child_count && source < count; i++) {
        const struct dxgk_child *child = &adapter->children[i];
        if (is_lit(child)) {
            UINT from = crossed ? count - 1 - source : source;
            dxgk_vidpn_recommend_modes(adapter, child->descriptor.ChildUid);
            vidpn_add_path(vidpn, from, child->descriptor.ChildUid);
            source++;
        }
    }
}

NTSTATUS dxgk_vidpn_recommend(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn,
                              DXGK_RECOMMENDFUNCTIONALVIDPN_REASON reason)
{
    D3DDDI_VIDEO_PRESENT_TARGET_ID targets[VIDPN_PATHS_MAX];
    UINT count = 0;

    for (unsigned i = 0; i < vidpn->path_count; i++) {
        targets[count++] = vidpn->paths[i].info.VidPnTargetId;
    }
    vidpn->path_count = 0;
    const DXGKARG_RECOMMENDFUNCTIONALVIDPN arguments = {
        .NumberOfVidPnTargets = count,
        .pVidPnTargetPrioritizationVector = targets,
        .hRecommendedFunctionalVidPn = vidpn_handle(vidpn),
        .RequestReason = reason,
    };
    vidpn->access = VIDPN_CHANGE_ALL;
    NTSTATUS status =
        ddi_recommend_functional_vidpn(&adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
    vidpn->access = VIDPN_READ;
    vidpn_judge_kept(vidpn, "DxgkDdiRecommendFunctionalVidPn");
    if (status == STATUS_SUCCESS) {
        vidpn_judge_functional(vidpn);
    }
    return status;
}

/* ---- Choosing ------------------------------------------------------------------------------ */

static uint64_t area(D3DKMDT_2DREGION size)
{
    return (uint64_t)size.cx * size.cy;
}

struct mode_node *dxgk_vidpn_target_of_size(struct mode_set *set, D3DKMDT_2DREGION size)
{
    struct mode_node *best = NULL;

    list_for_each (link, &set->modes) {
        struct mode_node *node = container_of(link, struct mode_node, link);
        D3DKMDT_2DREGION active = node->mode.target.VideoSignalInfo.ActiveSize;
        bool preferred = node->mode.target.Preference == D3DKMDT_MP_PREFERRED;
        if (active.cx == size.cx && active.cy == size.cy && (!best || preferred)) {
            best = node;
        }
    }
    return best;
}

struct mode_node *dxgk_vidpn_target_liked(struct mode_set *set)
{
    struct mode_node *best = NULL;

    list_for_each (link, &set->modes) {
        struct mode_node *node = container_of(link, struct mode_node, link);
        if (node->mode.target.Preference == D3DKMDT_MP_PREFERRED) {
            return node;
        }
        if (!best || area(node->mode.target.VideoSignalInfo.ActiveSize) >
                         area(best->mode.target.VideoSignalInfo.ActiveSize)) {
            best = node;
        }
    }
    return best;
}

static bool is_32_bit(D3DDDIFORMAT format)
{
    return format == D3DDDIFMT_A8R8G8B8 || format == D3DDDIFMT_X8R8G8B8;
}

/* A 32-bit graphics mode of the target's size; else the largest graphics mode. */
static struct mode_node *choose_source(struct mode_set *set, const struct mode_node *target)
{
    struct mode_node *best = NULL;

    list_for_each (link, &set->modes) {
        struct mode_node *node = container_of(link, struct mode_node, link);
        const D3DKMDT_VIDPN_SOURCE_MODE *mode = &node->mode.source;
        const D3DKMDT_GRAPHICS_RENDERING_FORMAT *format = &mode->Format.Graphics;
        if (mode->Type != D3DKMDT_RMT_GRAPHICS) {
            continue;
        }
        if (target && is_32_bit(format->PixelFormat) &&
            area(format->PrimSurfSize) == area(target->mode.target.VideoSignalInfo.ActiveSize)) {
            return node;
        }
        if (!best ||
            area(format->PrimSurfSize) > area(best->mode.source.Format.Graphics.PrimSurfSize)) {
            best = node;
        }
    }
    return best;
}

static NTSTATUS pin_targets(struct dxgk_vidpn *vidpn)
{
    for (unsigned i = 0; i < vidpn->path_count; i++) {
        struct mode_set *set = vidpn->paths[i].target_modes;
        if (set && set->pinned) {
            continue; /* a path that is shown already */
        }
        if (!set || !(set->pinned = dxgk_vidpn_target_liked(set))) {
            return STATUS_GRAPHICS_DATASET_IS_EMPTY;
        }
    }
    return STATUS_SUCCESS;
}

static NTSTATUS pin_sources(struct dxgk_vidpn *vidpn)
{
    for (unsigned i = 0; i < vidpn->path_count; i++) {
        struct mode_set *set = vidpn->paths[i].source_modes;
        struct mode_set *targets = vidpn->paths[i].target_modes;
        if (set && set->pinned) {
            continue;
        }
        if (!set || !(set->pinned = choose_source(set, targets ? targets->pinned : NULL))) {
            return STATUS_GRAPHICS_DATASET_IS_EMPTY;
        }
        vidpn->paths[i].info.ContentTransformation.Scaling =
            dxgk_vidpn_scaling_between(&vidpn->paths[i]);
        vidpn->paths[i].info.ContentTransformation.Rotation = D3DKMDT_VPPR_IDENTITY;
    }
    return STATUS_SUCCESS;
}

/* ---- Committing ---------------------------------------------------------------------------- */

NTSTATUS dxgk_vidpn_commit_source(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn,
                                  UINT source, HANDLE primary)
{
    const DXGKARG_COMMITVIDPN arguments = {
        .hFunctionalVidPn = vidpn_handle(vidpn),
        .AffectedVidPnSourceId = source,
        .MonitorConnectivityChecks = D3DKMDT_MCC_ENFORCE,
        .hPrimaryAllocation = primary,
        .Flags = adapter->path_power,
    };
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    bool off = arguments.Flags.PathPoweredOff, kept = source < adapter->source_count;
    NTSTATUS status;

    if (kept) {
        adapter->sources[source].path_off |= off; /* in the call already */
    }
    do {
        status = ddi_commit_vidpn(&adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
    } while (dxgk_tries_again(status, &attempt));
    if (kept) {
        adapter->sources[source].path_off = off;
    }
    vidpn_judge_kept(vidpn, "DxgkDdiCommitVidPn");
    dxgk_periodics_begin_anew(adapter, "DxgkDdiCommitVidPn");
    return status;
}

void dxgk_vidpn_keep_mode(struct dxgk_adapter *adapter, const struct vidpn_path *path)
{
    if (path->info.VidPnSourceId >= adapter->source_count) {
        return;
    }
    struct dxgk_source *source = &adapter->sources[path->info.VidPnSourceId];
    const D3DKMDT_GRAPHICS_RENDERING_FORMAT *format =
        &path->source_modes->pinned->mode.source.Format.Graphics;
    const D3DKMDT_VIDEO_SIGNAL_INFO *signal =
        &path->target_modes->pinned->mode.target.VideoSignalInfo;
    source->target_lines = signal->ActiveSize.cy;
    source->target_width = signal->ActiveSize.cx;
    source->target = path->info.VidPnTargetId;
    source->mode = (struct dxgk_mode){
        .width = format->PrimSurfSize.cx,
        .height = format->PrimSurfSize.cy,
        .refresh_millihertz = dxgk_vidpn_millihertz(signal),
        .format = format->PixelFormat,
        .type = path->source_modes->pinned->mode.source.Type,
        .palette = dxgk_format_has_palette(format),
        .scaling = path->info.ContentTransformation.Scaling,
    };
    source->rotation = source->active ? source->rotation : D3DDDI_ROTATION_IDENTITY;
    source->active = true;
}

/* The first time the driver's answers are examined. */
NTSTATUS dxgk_vidpn_agree(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn, bool first,
                          struct dxgk_failure *failure)
{
    NTSTATUS status = enumerate(adapter, vidpn);

    if (!NT_SUCCESS(status)) {
        return dxgk_vidpn_refuse(failure, "DxgkDdiEnumVidPnCofuncModality", status);
    }
    if (first) {
        dxgk_modes_list(adapter, vidpn);
        dxgk_modes_exam_offer(adapter, vidpn);
        dxgk_modes_exam_scarce(adapter, vidpn);
    }
    status = pin_targets(vidpn);
    if (!NT_SUCCESS(status) || status == STATUS_GRAPHICS_DATASET_IS_EMPTY) {
        return dxgk_vidpn_refuse(failure, "EnumVidPnCofuncModality offered no target mode", status);
    }
    status = enumerate(adapter, vidpn);
    if (NT_SUCCESS(status)) {
        if (first) {
            dxgk_modes_exam_sources(adapter, vidpn);
            dxgk_modes_exam_scarce(adapter, vidpn);
        }
        status = pin_sources(vidpn);
    }
    if (!NT_SUCCESS(status) || status == STATUS_GRAPHICS_DATASET_IS_EMPTY) {
        return dxgk_vidpn_refuse(failure, "EnumVidPnCofuncModality offered no source mode", status);
    }
    status = enumerate(adapter, vidpn);
    if (!NT_SUCCESS(status) || !dxgk_vidpn_supported(adapter, vidpn)) {
        return dxgk_vidpn_refuse(
            failure, "the driver does not support the VidPN whose modes it offered", status);
    }
    return STATUS_SUCCESS;
}

/* Which source goes to which output is ours to choose, as far as the driver supports it. NULL:
 * memory is short. */
static struct dxgk_vidpn *connect_sources(struct dxgk_adapter *adapter)
{
    struct dxgk_vidpn *vidpn = vidpn_create(adapter);

    if (vidpn && vary_on(VARY_SECOND_MONITOR) && vary_below(VARY_SECOND_MONITOR, 4) > 0) {
        dxgk_vidpn_connect_outputs(adapter, vidpn, true);
        if (vidpn->path_count > 1 && dxgk_vidpn_supported(adapter, vidpn)) {
            return vidpn;
        }
        vidpn_destroy(vidpn);
        vidpn = vidpn_create(adapter);
    }
    if (vidpn) {
        dxgk_vidpn_connect_outputs(adapter, vidpn, false);
    }
    return vidpn;
}

NTSTATUS dxgk_vidpn_bring_up(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    struct dxgk_vidpn *vidpn = connect_sources(adapter);

    if (!vidpn) {
        return STATUS_NO_MEMORY;
    }
    adapter->active_vidpn = vidpn;
    if (vidpn->path_count == 0) {
        return STATUS_SUCCESS; /* no monitor: a headless adapter */
    }
    if (!dxgk_vidpn_supported(adapter, vidpn)) {
        NTSTATUS status = dxgk_vidpn_recommend(adapter, vidpn, DXGK_RFVR_UNINITIALIZED);
        if (!NT_SUCCESS(status)) {
            return dxgk_vidpn_refuse(
                failure,
                "DxgkDdiIsSupportedVidPn does not support paths alone, on which modes, scaling and "
                "rotation are not chosen yet; and DxgkDdiRecommendFunctionalVidPn knows no other "
                "VidPN",
                status);
        }
    }
    NTSTATUS status = dxgk_vidpn_agree(adapter, vidpn, true, failure);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    dxgk_modes_exam_rest(adapter, vidpn);
    for (unsigned i = 0; i < vidpn->path_count; i++) {
        status = dxgk_vidpn_commit_source(adapter, vidpn, vidpn->paths[i].info.VidPnSourceId, NULL);
        if (!NT_SUCCESS(status)) {
            return dxgk_vidpn_refuse(failure, "DxgkDdiCommitVidPn", status);
        }
        dxgk_vidpn_keep_mode(adapter, &vidpn->paths[i]);
    }
    for (unsigned i = 0; i < adapter->source_count; i++) {
        adapter->sources[i].scaled.committed = D3DKMDT_VPPS_UNINITIALIZED;
    }
    dxgk_modes_exam_committed(adapter, vidpn);
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_vidpn_commit(struct dxgk_adapter *adapter, unsigned source,
                           struct dxgk_allocation *primary)
{
    return dxgk_vidpn_commit_source(adapter, adapter->active_vidpn, source,
                                    primary ? primary->driver_handle : NULL);
}

void dxgk_vidpn_tear_down(struct dxgk_adapter *adapter)
{
    vidpn_destroy(adapter->active_vidpn);
    adapter->active_vidpn = NULL;
}

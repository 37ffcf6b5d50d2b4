/* Judges what drivers do to a VidPN through its interfaces, which do not pass the door: the modes
 * that they add, the sets that they replace, and what they keep. */
#include "dxgk/vidpn.h"

/* ---- Modes ---------------------------------------------------------------------------------- */

static bool is_empty(D3DKMDT_2DREGION size)
{
    return size.cx == 0 || size.cy == 0;
}

/* What is wrong with a mode, or NULL. */
/* 0: of another format, nothing is said. */
static UINT pixel_bytes(D3DDDIFORMAT format)
{
    switch (format) {
    case D3DDDIFMT_A8R8G8B8:
    case D3DDDIFMT_X8R8G8B8:
    case D3DDDIFMT_A8B8G8R8:
    case D3DDDIFMT_X8B8G8R8:
        return 4;
    case D3DDDIFMT_R8G8B8:
        return 3;
    case D3DDDIFMT_R5G6B5:
        return 2;
    case D3DDDIFMT_P8:
        return 1;
    default:
        return 0;
    }
}

/* One that was left 0 is the driver's own affair: a primary has a pitch of its own. */
static bool holds_a_row(const D3DKMDT_GRAPHICS_RENDERING_FORMAT *format)
{
    return format->Stride == 0 ||
           format->Stride >= (uint64_t)format->PrimSurfSize.cx * pixel_bytes(format->PixelFormat);
}

static const char *fault_of_source(const D3DKMDT_VIDPN_SOURCE_MODE *mode)
{
    const D3DKMDT_GRAPHICS_RENDERING_FORMAT *format = &mode->Format.Graphics;

    if (mode->Type == D3DKMDT_RMT_UNINITIALIZED) {
        return "Type is D3DKMDT_RMT_UNINITIALIZED";
    }
    if (!dxgk_mode_is_graphics(mode)) {
        return NULL;
    }
    if (is_empty(format->PrimSurfSize)) {
        return "Format.Graphics.PrimSurfSize is empty";
    }
    if (is_empty(format->VisibleRegionSize)) {
        return "Format.Graphics.VisibleRegionSize is empty";
    }
    if (format->VisibleRegionSize.cx > format->PrimSurfSize.cx ||
        format->VisibleRegionSize.cy > format->PrimSurfSize.cy) {
        return "Format.Graphics.VisibleRegionSize is larger than PrimSurfSize";
    }
    if (format->PixelFormat == D3DDDIFMT_UNKNOWN) {
        return "Format.Graphics.PixelFormat is D3DDDIFMT_UNKNOWN";
    }
    if (!holds_a_row(format)) {
        return "Format.Graphics.Stride, in bytes, is less than a row of PrimSurfSize";
    }
    return format->PixelValueAccessMode == D3DKMDT_PVAM_UNINITIALIZED
               ? "Format.Graphics.PixelValueAccessMode is D3DKMDT_PVAM_UNINITIALIZED"
               : NULL;
}

/* Hz; 0: it is not specified, or no frequency that a monitor has. */
static double hertz_of(D3DDDI_RATIONAL rate)
{
    return rate.Numerator == D3DKMDT_FREQUENCY_NOTSPECIFIED ||
                   rate.Denominator == D3DKMDT_FREQUENCY_NOTSPECIFIED
               ? 0
               : (double)rate.Numerator / rate.Denominator;
}

/* What is meant are wrong units. Two fields to a picture, what somebody rounds, and public drivers
 * that count a row for each column: 3.6 times too many on the widest monitor. */
#define RATES_APART 5.0

/* A horizontal period is a row of the whole signal, of which so many come in a vertical one; a
 * pixel clock counts the pixels of it. */
static const char *fault_of_rates(const D3DKMDT_VIDEO_SIGNAL_INFO *signal)
{
    double vertical = hertz_of(signal->VSyncFreq), horizontal = hertz_of(signal->HSyncFreq);
    double rows = vertical * signal->TotalSize.cy;

    if (signal->TotalSize.cy == D3DKMDT_DIMENSION_NOTSPECIFIED || rows <= 0 || horizontal <= 0) {
        return NULL;
    }
    return horizontal * RATES_APART < rows || rows * RATES_APART < horizontal
               ? "VideoSignalInfo.HSyncFreq, in Hz, is not VSyncFreq times the rows of TotalSize"
               : NULL;
}

/* A part in so many is more than roundings make. */
#define RATES_LITTLE 40

/* Fields of half the rows, and clocks that send a pixel twice, are what they are. */
static bool agree(double a, double b)
{
    for (double factor = 0.5; factor <= 2; factor *= 2) {
        double off = a * factor > b ? a * factor - b : b - a * factor;
        if (off * RATES_LITTLE <= b) {
            return true;
        }
    }
    return false;
}

/* Of numbers that are about right, and do not belong together: nobody but a monitor minds. */
static const char *slip_of_rates(const D3DKMDT_VIDEO_SIGNAL_INFO *signal)
{
    double vertical = hertz_of(signal->VSyncFreq), horizontal = hertz_of(signal->HSyncFreq);
    double rows = vertical * signal->TotalSize.cy, pixels = horizontal * signal->TotalSize.cx;

    if (rows <= 0 || horizontal <= 0) {
        return NULL;
    }
    if (signal->TotalSize.cy != D3DKMDT_DIMENSION_NOTSPECIFIED && !agree(horizontal, rows)) {
        return "VideoSignalInfo.HSyncFreq is a little off VSyncFreq times the rows of TotalSize, "
               "which has those of the blank, too";
    }
    return signal->TotalSize.cx != D3DKMDT_DIMENSION_NOTSPECIFIED && signal->PixelRate != 0 &&
                   signal->PixelRate != D3DKMDT_FREQUENCY_NOTSPECIFIED &&
                   !agree((double)signal->PixelRate, pixels)
               ? "VideoSignalInfo.PixelRate is not HSyncFreq times the columns of TotalSize, which "
                 "has those of the blank, too"
               : NULL;
}

static const char *fault_of_signal(const D3DKMDT_VIDEO_SIGNAL_INFO *signal)
{
    if (is_empty(signal->ActiveSize)) {
        return "VideoSignalInfo.ActiveSize is empty";
    }
    if (signal->TotalSize.cx < signal->ActiveSize.cx ||
        signal->TotalSize.cy < signal->ActiveSize.cy) {
        return "VideoSignalInfo.TotalSize is smaller than ActiveSize";
    }
    if (signal->VSyncFreq.Denominator == 0) {
        return "VideoSignalInfo.VSyncFreq has the Denominator 0";
    }
    if (signal->HSyncFreq.Denominator == 0) {
        return "VideoSignalInfo.HSyncFreq has the Denominator 0";
    }
    return fault_of_rates(signal);
}

static bool is_specified(D3DDDI_RATIONAL rate)
{
    return rate.Numerator != D3DKMDT_FREQUENCY_NOTSPECIFIED &&
           rate.Denominator != D3DKMDT_FREQUENCY_NOTSPECIFIED;
}

/* Where the system makes the vertical syncs up, for a display-only driver that does not control
 * them, their frequency is not the driver's to say; where they are the device's, it is [DOD-003].
 * That the second holds for a driver of full graphics no page says: *advice. */
static const char *fault_of_control(const struct mode_node *node, bool *advice)
{
    const struct dxgk_adapter *adapter = node->set->vidpn ? node->set->vidpn->adapter : NULL;
    const D3DKMDT_VIDEO_SIGNAL_INFO *signal = &node->mode.target.VideoSignalInfo;

    if (node->set->kind != MODE_TARGET || !adapter) {
        return NULL;
    }
    const bool *has = adapter->ddi.driver->has;
    *advice = !adapter->display_only;
    if (!adapter->display_only || (has[POINT_ControlInterrupt] && has[POINT_GetScanLine])) {
        return is_specified(signal->VSyncFreq)
                   ? NULL
                   : "VideoSignalInfo.VSyncFreq is D3DKMDT_FREQUENCY_NOTSPECIFIED, which is for "
                     "display-only drivers without ControlInterrupt [DOD-003]; systems were seen "
                     "to refuse it with STATUS_GRAPHICS_INVALID_FREQUENCY";
    }
    return is_specified(signal->VSyncFreq) || is_specified(signal->HSyncFreq)
               ? "VideoSignalInfo has a frequency, of a display-only driver without "
                 "ControlInterrupt, whose frequencies are D3DKMDT_FREQUENCY_NOTSPECIFIED "
                 "[DOD-003]"
               : NULL;
}

static D3DKMDT_MODE_PREFERENCE preference_of(const struct mode_node *node)
{
    return node->set->kind == MODE_TARGET ? node->mode.target.Preference
                                          : node->mode.monitor.Preference;
}

static const char *fault_of_mode(const struct mode_node *node,
                                 const D3DKMDT_VIDEO_SIGNAL_INFO *signal)
{
    if (node->set->kind == MODE_SOURCE) {
        return fault_of_source(&node->mode.source);
    }
    return preference_of(node) == D3DKMDT_MP_UNINITIALIZED
               ? "Preference is D3DKMDT_MP_UNINITIALIZED"
               : fault_of_signal(signal);
}

void vidpn_judge_mode(const struct mode_node *node)
{
    const D3DKMDT_VIDEO_SIGNAL_INFO *signal = node->set->kind == MODE_TARGET
                                                  ? &node->mode.target.VideoSignalInfo
                                                  : &node->mode.monitor.VideoSignalInfo;
    const D3DKMDT_2DREGION size = node->set->kind == MODE_SOURCE
                                      ? node->mode.source.Format.Graphics.PrimSurfSize
                                      : signal->ActiveSize;
    const char *fault = fault_of_mode(node, signal);
    bool advice = false;

    contract_count(RULE_VIDPN_004);
    fault = fault ? fault : fault_of_control(node, &advice);
    if (!fault && node->set->kind != MODE_SOURCE) {
        fault = slip_of_rates(signal);
        advice = fault != NULL;
    }
    if (fault) {
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_004), .advice = advice},
            "a mode whose members are filled in",
            "the %s mode of %u x %u pixels that was added: %s", mode_kind_name(node->set->kind),
            size.cx, size.cy, fault);
    }
}

/* ---- Sets that must stay -------------------------------------------------------------------- */

static bool is_pivot(const struct dxgk_vidpn *vidpn, enum mode_kind kind, UINT id)
{
    const DXGKARG_ENUMVIDPNCOFUNCMODALITY *enumeration = vidpn->enumeration;

    return kind == MODE_SOURCE ? enumeration->EnumPivotType == D3DKMDT_EPT_VIDPNSOURCE &&
                                     enumeration->EnumPivot.VidPnSourceId == id
                               : enumeration->EnumPivotType == D3DKMDT_EPT_VIDPNTARGET &&
                                     enumeration->EnumPivot.VidPnTargetId == id;
}

void vidpn_judge_replacement(const struct dxgk_vidpn *vidpn, const struct mode_set *before,
                             bool keeps_pinned, UINT id)
{
    if (!vidpn->enumeration) {
        return;
    }
    contract_count(RULE_VIDPN_002);
    bool pivot = is_pivot(vidpn, before->kind, id);
    if (pivot || (before->pinned && !keeps_pinned)) {
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_002)},
            "the pivot's set left as it is, and a pinned mode left in its set",
            "the mode set of %s %u, which %s, was replaced%s", mode_kind_name(before->kind), id,
            pivot ? "is the pivot" : "has a pinned mode", pivot ? "" : " by one without that mode");
    }
}

/* ---- What is kept --------------------------------------------------------------------------- */

struct kept {
    unsigned sets, new_sets, modes, new_modes, paths, new_paths;
    enum mode_kind kind; /* of the first set that is not as it was */
    bool any_set;
};

static void add_set(struct kept *kept, struct mode_set *set)
{
    unsigned drafts = 0;

    list_for_each (link, &set->drafts) {
        drafts++;
    }
    bool is_new = set->vidpn && !set->assigned && !set->replaced;
    if ((set->acquired || set->modes_acquired || drafts || is_new) && !kept->any_set) {
        kept->kind = set->kind;
        kept->any_set = true;
    }
    kept->sets += set->acquired;
    kept->new_sets += is_new;
    kept->modes += set->modes_acquired;
    list_for_each (link, &set->modes) {
        container_of(link, struct mode_node, link)->acquired = 0;
    }
    kept->new_modes += drafts;
    set->acquired = set->modes_acquired = 0; /* told once */
    vidpn_lent_forget(set);
}

static struct kept kept_of(struct dxgk_vidpn *vidpn)
{
    struct kept kept = {.paths = vidpn->paths_acquired};

    list_for_each (link, &vidpn->sets) {
        add_set(&kept, container_of(link, struct mode_set, link));
    }
    list_for_each (link, &vidpn->drafts) {
        kept.new_paths++;
    }
    vidpn->paths_acquired = 0;
    vidpn_lent_forget(vidpn);
    return kept;
}

static const char *place_of(enum mode_kind kind)
{
    return kind == MODE_SOURCE   ? " of a source"
           : kind == MODE_TARGET ? " of a target"
                                 : " of a monitor";
}

static void say_kept(const char *ddi, const struct kept *kept)
{
    const struct {
        unsigned count;
        const char *what, *function;
    } words[] = {
        {kept->paths, "path info", "pfnReleasePathInfo"},
        {kept->new_paths, "new path info", "pfnAddPath or pfnReleasePathInfo"},
        {kept->modes, "mode info", "pfnReleaseModeInfo"},
        {kept->new_modes, "new mode info", "pfnAddMode or pfnReleaseModeInfo"},
        {kept->sets, "mode set", "pfnReleaseSourceModeSet or pfnReleaseTargetModeSet"},
        {kept->new_sets,
         kept->kind == MODE_SOURCE   ? "new source mode set, of pfnCreateNewSourceModeSet,"
         : kept->kind == MODE_TARGET ? "new target mode set, of pfnCreateNewTargetModeSet,"
                                     : "new mode set",
         "pfnAssignSourceModeSet, pfnAssignTargetModeSet or a release"},
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (words[i].count) {
            contract_breach(
                &(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_005), .ddi = ddi},
                "everything that was acquired or created released, added or assigned",
                "%s returned and kept %u %s%s that was never given to %s", ddi, words[i].count,
                words[i].what, i >= 2 && i < 5 ? place_of(kept->kind) : "", words[i].function);
            return;
        }
    }
}

void vidpn_judge_kept(struct dxgk_vidpn *vidpn, const char *ddi)
{
    struct kept kept = kept_of(vidpn);

    contract_count(RULE_VIDPN_005);
    for (struct mode_set *set; (set = monitor_set_kept()) != NULL; mode_set_destroy(set)) {
        add_set(&kept, set);
    }
    say_kept(ddi, &kept);
}

void vidpn_judge_monitor_set(struct mode_set *set, const char *ddi)
{
    struct kept kept = {0};

    contract_count(RULE_VIDPN_005);
    add_set(&kept, set);
    say_kept(ddi, &kept);
}

void vidpn_judge_released(const char *what, const char *function, const char *why)
{
    contract_count(RULE_VIDPN_015);
    if (why) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_015)},
                        "each thing released once, and not after it was added or assigned",
                        "%s was given to %s, and %s", what, function, why);
    }
}

void vidpn_judge_held(const char *what, const char *function, bool released)
{
    contract_count(RULE_VIDPN_015);
    if (released) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_015)},
                        "what was released used no more",
                        "%s was given to %s after it was released: acquire the next one first",
                        what, function);
    }
}

/* ---- Its own word --------------------------------------------------------------------------- */

static D3DKMDT_2DREGION source_size(const struct vidpn_path *path)
{
    return path->source_modes->pinned->mode.source.Format.Graphics.PrimSurfSize;
}

static D3DKMDT_2DREGION target_size(const struct vidpn_path *path)
{
    return path->target_modes->pinned->mode.target.VideoSignalInfo.ActiveSize;
}

/* What it lacks, or NULL. */
static const char *what_is_missing(struct dxgk_vidpn *vidpn)
{
    if (vidpn->path_count == 0) {
        return "it has no path";
    }
    for (unsigned i = 0; i < vidpn->path_count; i++) {
        const struct vidpn_path *path = &vidpn->paths[i];
        if (!path->source_modes || !path->source_modes->pinned) {
            return "no mode is pinned on the source of a path";
        }
        if (!path->target_modes || !path->target_modes->pinned) {
            return "no mode is pinned on the target of a path";
        }
    }
    return dxgk_vidpn_supported(vidpn->adapter, vidpn)
               ? NULL
               : "IsSupportedVidPn of the same driver does not support it";
}

void vidpn_judge_functional(struct dxgk_vidpn *vidpn)
{
    const char *missing = what_is_missing(vidpn);

    contract_count(RULE_VIDPN_013);
    if (missing) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_013)},
                        "a functional VidPN from RecommendFunctionalVidPn that succeeds", "%s",
                        missing);
    }
}

/* A scaling that cannot be had on the path may be refused at the commit, and nowhere else. */
static bool may_end_commit(NTSTATUS status)
{
    return NT_SUCCESS(status) || status == STATUS_NO_MEMORY ||
           status == STATUS_INSUFFICIENT_RESOURCES ||
           status == STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY ||
           status == STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED;
}

void vidpn_judge_commit(const struct dxgk_vidpn *vidpn, NTSTATUS status)
{
    const struct vidpn_path *path = &vidpn->paths[0];
    const D3DKMDT_2DREGION source = source_size(path), target = target_size(path);

    contract_count(RULE_VIDPN_006);
    if (!may_end_commit(status)) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_006),
                                                   .ddi = "DxgkDdiCommitVidPn"},
                        "a VidPN committed that IsSupportedVidPn said is supported",
                        "CommitVidPn answered %s for source %u of %u x %u on target %u of %u x %u "
                        "pixels",
                        status_name(status), path->info.VidPnSourceId, source.cx, source.cy,
                        path->info.VidPnTargetId, target.cx, target.cy);
    }
}

void vidpn_judge_no_scaling(const struct dxgk_vidpn *vidpn)
{
    const struct vidpn_path *path = &vidpn->paths[0];
    const D3DKMDT_2DREGION source = source_size(path), target = target_size(path);

    contract_count(RULE_VIDPN_006);
    contract_breach(
        &(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_006),
                                   .ddi = "DxgkDdiIsSupportedVidPn"},
        "IsVidPnSupported FALSE for sizes that cannot be had, or a scaling for them in "
        "ScalingSupport",
        "IsSupportedVidPn supports source %u of %u x %u on target %u of %u x %u pixels; "
        "EnumVidPnCofuncModality offers D3DKMDT_VPPS_IDENTITY alone for them, which "
        "needs equal sizes",
        path->info.VidPnSourceId, source.cx, source.cy, path->info.VidPnTargetId, target.cx,
        target.cy);
}

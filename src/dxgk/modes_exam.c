/* What a kernel asks about VidPNs besides the one that it commits: whether nothing can be shown,
 * whether sizes may differ, what goes with a pivot; and whether the driver's answers go together.
 *
 *     offer     everything is open: what is supported, what the monitor prefers, sizes that differ
 *     sources   the targets are pinned: does the driver support the source modes that it offers?
 *     rest      the VidPN is settled: nothing at all, and each kind of pivot on a copy
 *     committed its capabilities, twice */
#include "dxgk/vidpn.h"

#include <string.h>

#define QUESTIONS_MAX 24 /* modes of one path that are asked about */

/* ---- The offer ------------------------------------------------------------------------------ */

static bool is_size(const struct mode_node *node, D3DKMDT_2DREGION size)
{
    D3DKMDT_2DREGION active = node->mode.target.VideoSignalInfo.ActiveSize;

    return active.cx == size.cx && active.cy == size.cy;
}

static bool is_preferred(const struct mode_node *node)
{
    return (node->mode.target.Preference & 3) == D3DKMDT_MP_PREFERRED;
}

/* The monitor's own timing, if it tells one and the driver offers a mode of that size. */
static void judge_preference(struct dxgk_adapter *adapter, const struct vidpn_path *path)
{
    struct mode_set *monitor = dxgk_monitor_modes(adapter, path->info.VidPnTargetId);
    bool offered = false, preferred = false;

    if (!monitor) {
        return;
    }
    D3DKMDT_2DREGION native = monitor->pinned
                                  ? monitor->pinned->mode.monitor.VideoSignalInfo.ActiveSize
                                  : (D3DKMDT_2DREGION){0, 0};
    mode_set_destroy(monitor);
    list_for_each (link, &path->target_modes->modes) {
        const struct mode_node *node = container_of(link, struct mode_node, link);
        offered |= is_size(node, native);
        preferred |= is_size(node, native) && is_preferred(node);
    }
    if (!offered) {
        return;
    }
    contract_count(RULE_VIDPN_010);
    if (!preferred) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_010)},
                        "the mode of the monitor's own timing preferred",
                        "the first timing of the EDID at target %u has %u x %u pixels; a mode of "
                        "that size is offered, and its Preference is another",
                        path->info.VidPnTargetId, native.cx, native.cy);
    }
}

/* The first source mode of another size than the target mode; NULL: there is none. */
static struct mode_node *other_size(struct mode_set *sources, const struct mode_node *target)
{
    list_for_each (link, &sources->modes) {
        struct mode_node *node = container_of(link, struct mode_node, link);
        if (node->mode.source.Type == D3DKMDT_RMT_GRAPHICS &&
            !is_size(target, node->mode.source.Format.Graphics.PrimSurfSize)) {
            return node;
        }
    }
    return NULL;
}

bool vidpn_has_sets(const struct vidpn_path *path)
{
    return path->source_modes && path->target_modes && !list_empty(&path->source_modes->modes) &&
           !list_empty(&path->target_modes->modes);
}

struct dxgk_vidpn *dxgk_modes_copy_open(struct dxgk_adapter *adapter,
                                        const struct dxgk_vidpn *vidpn, unsigned path_count)
{
    struct dxgk_vidpn *copy = vidpn_create(adapter);

    for (unsigned i = 0; copy && i < path_count; i++) {
        vidpn_add_path(copy, vidpn->paths[i].info.VidPnSourceId,
                       vidpn->paths[i].info.VidPnTargetId);
    }
    if (copy && (!NT_SUCCESS(dxgk_vidpn_enumerate(adapter, copy, D3DKMDT_EPT_NOPIVOT, NULL)) ||
                 !vidpn_has_sets(&copy->paths[0]))) {
        vidpn_destroy(copy);
        copy = NULL;
    }
    return copy;
}

/* A scaling between sizes that differ; identity is none. */
static D3DKMDT_VIDPN_PRESENT_PATH_SCALING
choose_scaling(const D3DKMDT_VIDPN_PRESENT_PATH_SCALING_SUPPORT *support)
{
    return support->Centered                 ? D3DKMDT_VPPS_CENTERED
           : support->Stretched              ? D3DKMDT_VPPS_STRETCHED
           : support->AspectRatioCenteredMax ? D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX
           : support->Custom                 ? D3DKMDT_VPPS_CUSTOM
                                             : D3DKMDT_VPPS_IDENTITY;
}

/* The driver called the pinned modes supported: there is a scaling for them, with which they can be
 * committed. */
static void hold_to_its_word(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn)
{
    struct vidpn_path *path = &vidpn->paths[0];
    D3DKMDT_VIDPN_PRESENT_PATH_TRANSFORMATION *content = &path->info.ContentTransformation;
    D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling = choose_scaling(&content->ScalingSupport);

    if (scaling == D3DKMDT_VPPS_IDENTITY) {
        vidpn_judge_no_scaling(vidpn);
        return;
    }
    content->Scaling = scaling;
    content->Rotation = D3DKMDT_VPPR_IDENTITY;
    if (dxgk_vidpn_supported(adapter, vidpn)) {
        vidpn_judge_commit(
            vidpn, dxgk_vidpn_commit_source(adapter, vidpn, path->info.VidPnSourceId, NULL));
    }
}

/* What cannot be had by itself cannot be had beside a further path, of which everything is open. */
static void ask_beside_another(struct dxgk_adapter *adapter, struct dxgk_vidpn *refused,
                               const struct dxgk_vidpn *vidpn)
{
    const D3DKMDT_VIDPN_PRESENT_PATH *path = &refused->paths[0].info;
    const D3DKMDT_VIDPN_PRESENT_PATH *other = &vidpn->paths[1].info;

    if (vidpn->path_count < 2 ||
        !vidpn_add_path(refused, other->VidPnSourceId, other->VidPnTargetId)) {
        return;
    }
    contract_count(RULE_VIDPN_001);
    if (dxgk_vidpn_supported(adapter, refused)) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_001)},
                        "each path of a VidPN looked at",
                        "IsSupportedVidPn does not support the pinned modes of the path from "
                        "source %u to target %u; with a second path behind it, from source %u to "
                        "target %u, of which nothing is pinned, it supports both",
                        path->VidPnSourceId, path->VidPnTargetId, other->VidPnSourceId,
                        other->VidPnTargetId);
    }
}

/* Both modes were offered, each by itself; how one becomes the other is open, or nothing is to be
 * scaled, which cannot be. False: it is supported, or there is no such pair. */
static bool ask_refused(struct dxgk_adapter *adapter, const struct dxgk_vidpn *vidpn, bool open)
{
    struct dxgk_vidpn *copy = dxgk_modes_copy_open(adapter, vidpn, 1);
    struct vidpn_path *path = copy ? &copy->paths[0] : NULL;
    bool refused = false;

    if (path) {
        path->target_modes->pinned =
            container_of(path->target_modes->modes.next, struct mode_node, link);
        path->source_modes->pinned = other_size(path->source_modes, path->target_modes->pinned);
    }
    if (path && path->source_modes->pinned) {
        if (!open) {
            path->info.ContentTransformation.Scaling = D3DKMDT_VPPS_IDENTITY;
            path->info.ContentTransformation.Rotation = D3DKMDT_VPPR_IDENTITY;
        }
        refused = !dxgk_vidpn_supported(adapter, copy);
        if (refused) {
            ask_beside_another(adapter, copy, vidpn);
        } else if (open &&
                   NT_SUCCESS(dxgk_vidpn_enumerate(adapter, copy, D3DKMDT_EPT_NOPIVOT, NULL))) {
            hold_to_its_word(adapter, copy);
        }
    }
    vidpn_destroy(copy);
    return refused;
}

static void ask_sizes_that_differ(struct dxgk_adapter *adapter, const struct dxgk_vidpn *vidpn)
{
    if (!ask_refused(adapter, vidpn, true)) {
        ask_refused(adapter, vidpn, false);
    }
}

static bool fits_within(const struct mode_node *source, const struct mode_node *target)
{
    D3DKMDT_2DREGION size = source->mode.source.Format.Graphics.PrimSurfSize;
    D3DKMDT_2DREGION active = target->mode.target.VideoSignalInfo.ActiveSize;

    return source->mode.source.Type == D3DKMDT_RMT_GRAPHICS && size.cx <= active.cx &&
           size.cy <= active.cy && !is_size(target, size);
}

/* How many pairs with a picture smaller than its mode there are, centered; and are all refused? */
static unsigned ask_centered_pairs(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn,
                                   struct vidpn_path *path, bool *refused)
{
    unsigned asked = 0;

    *refused = true;
    list_for_each (at, &path->target_modes->modes) {
        path->target_modes->pinned = container_of(at, struct mode_node, link);
        list_for_each (link, &path->source_modes->modes) {
            struct mode_node *source = container_of(link, struct mode_node, link);
            if (!*refused || asked == QUESTIONS_MAX) {
                return asked;
            }
            if (fits_within(source, path->target_modes->pinned)) {
                path->source_modes->pinned = source;
                asked++;
                *refused = !dxgk_vidpn_supported(adapter, vidpn);
            }
        }
    }
    return asked;
}

/* Of a picture that fills its mode it says nothing that identity does not. */
static void ask_what_centered_means(struct dxgk_adapter *adapter, const struct dxgk_vidpn *vidpn)
{
    struct dxgk_vidpn *copy = dxgk_modes_copy_open(adapter, vidpn, 1);
    struct vidpn_path *path = copy ? &copy->paths[0] : NULL;
    bool refused = false;

    if (path && path->info.ContentTransformation.ScalingSupport.Centered) {
        path->info.ContentTransformation.Scaling = D3DKMDT_VPPS_CENTERED;
        path->info.ContentTransformation.Rotation = D3DKMDT_VPPR_IDENTITY;
        unsigned asked = ask_centered_pairs(adapter, copy, path, &refused);
        contract_count(RULE_VIDPN_007);
        if (asked > 0 && refused) { /* that some pair must be supported no page says */
            contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_007),
                                                       .ddi = "DxgkDdiEnumVidPnCofuncModality",
                                                       .advice = true},
                            "a scaling that the path supports",
                            "the path from source %u to target %u is said to support Centered, and "
                            "IsSupportedVidPn supports none of %u pairs with Scaling "
                            "D3DKMDT_VPPS_CENTERED and a source mode smaller than the target mode",
                            path->info.VidPnSourceId, path->info.VidPnTargetId, asked);
        }
    }
    vidpn_destroy(copy);
}

void dxgk_modes_exam_offer(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn)
{
    for (unsigned i = 0; i < vidpn->path_count; i++) {
        struct vidpn_path *path = &vidpn->paths[i];
        dxgk_modes_judge_support(path, NULL);
        if (!vidpn_has_sets(path)) {
            return;
        }
        judge_preference(adapter, path);
        dxgk_modes_judge_identity(path);
    }
    ask_sizes_that_differ(adapter, vidpn);
    ask_what_centered_means(adapter, vidpn);
}

/* ---- With the targets pinned ---------------------------------------------------------------- */

static void ask_each(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn,
                     struct vidpn_path *path)
{
    D3DKMDT_2DREGION active = path->target_modes->pinned->mode.target.VideoSignalInfo.ActiveSize;
    char format[CONTRACT_FORMAT_MAX];
    unsigned asked = 0;

    list_for_each (link, &path->source_modes->modes) {
        struct mode_node *node = container_of(link, struct mode_node, link);
        D3DKMDT_2DREGION size = node->mode.source.Format.Graphics.PrimSurfSize;
        if (asked++ == QUESTIONS_MAX) {
            break;
        }
        path->source_modes->pinned = node;
        contract_count(RULE_VIDPN_003);
        if (!dxgk_vidpn_supported(adapter, vidpn)) {
            contract_breach(
                &(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_003)},
                "source modes that go with the pinned mode of the target",
                "with %u x %u pinned at target %u a source mode of %u x %u in %s was offered, and "
                "IsSupportedVidPn does not support it",
                active.cx, active.cy, path->info.VidPnTargetId, size.cx, size.cy,
                contract_format_text(node->mode.source.Format.Graphics.PixelFormat, format));
            break;
        }
    }
    path->source_modes->pinned = NULL;
}

void dxgk_modes_exam_sources(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn)
{
    for (unsigned i = 0; i < vidpn->path_count; i++) {
        struct vidpn_path *path = &vidpn->paths[i];
        if (vidpn_has_sets(path) && path->target_modes->pinned && !path->source_modes->pinned) {
            ask_each(adapter, vidpn, path);
        }
    }
}

/* ---- The rest ------------------------------------------------------------------------------- */

/* The source mode with the fewest pixels. */
static struct mode_node *smallest_source(struct mode_set *sources)
{
    struct mode_node *smallest = NULL;

    list_for_each (link, &sources->modes) {
        struct mode_node *node = container_of(link, struct mode_node, link);
        D3DKMDT_2DREGION size = node->mode.source.Format.Graphics.PrimSurfSize, least;
        if (node->mode.source.Type != D3DKMDT_RMT_GRAPHICS) {
            continue;
        }
        least = smallest ? smallest->mode.source.Format.Graphics.PrimSurfSize : size;
        if (!smallest || (uint64_t)size.cx * size.cy < (uint64_t)least.cx * least.cy) {
            smallest = node;
        }
    }
    return smallest;
}

static void say_target(const struct vidpn_path *path, const struct mode_node *refused)
{
    D3DKMDT_2DREGION size = path->source_modes->pinned->mode.source.Format.Graphics.PrimSurfSize;
    D3DKMDT_2DREGION active = refused->mode.target.VideoSignalInfo.ActiveSize;

    contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_003),
                                               .ddi = "DxgkDdiEnumVidPnCofuncModality"},
                    "target modes that go with the pinned mode of the source",
                    "with a mode of %u x %u pinned at source %u a mode of %u x %u was offered for "
                    "target %u, and IsSupportedVidPn does not support it, as it does others",
                    size.cx, size.cy, path->info.VidPnSourceId, active.cx, active.cy,
                    path->info.VidPnTargetId);
}

/* Where none is supported, something else is wrong. */
static void ask_each_target(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn,
                            struct vidpn_path *path)
{
    const struct mode_node *refused = NULL;
    unsigned asked = 0;
    bool any = false;

    list_for_each (link, &path->target_modes->modes) {
        struct mode_node *node = container_of(link, struct mode_node, link);
        if (asked++ == QUESTIONS_MAX) {
            break;
        }
        path->target_modes->pinned = node;
        bool supported = dxgk_vidpn_supported(adapter, vidpn);
        any |= supported;
        refused = supported || refused ? refused : node;
    }
    path->target_modes->pinned = NULL;
    contract_count(RULE_VIDPN_003);
    if (any && refused) {
        say_target(path, refused);
    }
}

/* As who chooses a resolution first, and then a frequency of the monitor. */
static void ask_targets(struct dxgk_adapter *adapter, const struct dxgk_vidpn *vidpn)
{
    struct dxgk_vidpn *copy = dxgk_modes_copy_open(adapter, vidpn, 1);
    struct vidpn_path *path = copy ? &copy->paths[0] : NULL;

    if (!copy) {
        return;
    }
    path->source_modes->pinned = smallest_source(path->source_modes);
    if (path->source_modes->pinned && dxgk_vidpn_supported(adapter, copy) &&
        NT_SUCCESS(dxgk_vidpn_enumerate(adapter, copy, D3DKMDT_EPT_NOPIVOT, NULL)) &&
        vidpn_has_sets(path) && path->source_modes->pinned) {
        ask_each_target(adapter, copy, path);
    }
    vidpn_destroy(copy);
}

/* Some target can show it, if nothing else is asked for; or there is no memory to ask. */
static bool can_be_shown(struct dxgk_adapter *adapter, UINT source)
{
    bool shown = false;

    for (ULONG i = 0; i < adapter->child_count && !shown; i++) {
        const DXGK_CHILD_DESCRIPTOR *child = &adapter->children[i].descriptor;
        bool is_output = contract_is_output(child->ChildDeviceType);
        struct dxgk_vidpn *vidpn = is_output ? vidpn_create(adapter) : NULL;
        shown = is_output && (!vidpn || !vidpn_add_path(vidpn, source, child->ChildUid) ||
                              dxgk_vidpn_supported(adapter, vidpn));
        vidpn_destroy(vidpn);
    }
    return shown;
}

/* A driver may support a path only where a monitor is. */
static bool all_connected(const struct dxgk_adapter *adapter)
{
    bool all = true;

    for (ULONG i = 0; i < adapter->child_count; i++) {
        const struct dxgk_child *child = &adapter->children[i];
        all &= child->connected || !contract_is_output(child->descriptor.ChildDeviceType);
    }
    return all;
}

static void ask_sources(struct dxgk_adapter *adapter)
{
    if (!all_connected(adapter)) {
        return;
    }
    for (UINT i = 0; i < adapter->source_count; i++) {
        contract_count(RULE_PNP_003);
        if (!can_be_shown(adapter, i)) {
            contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(PNP_003)},
                            "NumberOfVideoPresentSources of StartDevice: sources that can be shown",
                            "source %u of %u: IsSupportedVidPn supports it on no target, not even "
                            "alone with every mode open",
                            i, adapter->source_count);
            return;
        }
    }
}

void dxgk_modes_exam_rest(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn)
{
    dxgk_vidpn_supported(adapter, NULL);
    ask_sources(adapter);
    ask_targets(adapter, vidpn);
    dxgk_modes_turn_pivots(adapter, vidpn);
    dxgk_modes_pin_scalings(adapter, vidpn);
}

/* ---- What was committed --------------------------------------------------------------------- */

#define NAMED_BITS 0x1Fu /* what every version of the structure has */

static bool ask_capabilities(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn,
                             const struct vidpn_path *path, uint32_t *bits)
{
    DXGKARG_QUERYVIDPNHWCAPABILITY arguments = {
        .hFunctionalVidPn = vidpn_handle(vidpn),
        .SourceId = path->info.VidPnSourceId,
        .TargetId = path->info.VidPnTargetId,
    };

    memcpy(&arguments.VidPnHWCaps, bits, sizeof *bits);
    NTSTATUS status =
        ddi_query_vidpn_hw_capability(&adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
    vidpn_judge_kept(vidpn, "DxgkDdiQueryVidPnHWCapability");
    memcpy(bits, &arguments.VidPnHWCaps, sizeof *bits);
    return NT_SUCCESS(status);
}

void dxgk_modes_exam_committed(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn)
{
    for (unsigned i = 0;
         ddi_has(&adapter->ddi, POINT_QueryVidPnHWCapability) && i < vidpn->path_count; i++) {
        uint32_t low = 0, high = NAMED_BITS;
        if (!ask_capabilities(adapter, vidpn, &vidpn->paths[i], &low) ||
            !ask_capabilities(adapter, vidpn, &vidpn->paths[i], &high)) {
            return;
        }
        contract_count(RULE_VIDPN_008);
        if ((low ^ high) & NAMED_BITS) {
            contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_008)},
                            "each capability set, whatever the member held",
                            "bits 0x%X of VidPnHWCaps were left as they came: 0x%X became 0x%X, "
                            "and 0 became 0x%X",
                            (low ^ high) & NAMED_BITS, NAMED_BITS, high, low);
            return;
        }
    }
}

/* What goes with a pivot: EnumVidPnCofuncModality on a copy, with each kind of pivot of the first
 * path. The pivot stays as it was, all else is offered anew, of each path. */
#include "dxgk/vidpn.h"

#include <string.h>

/* ---- What paths support ---------------------------------------------------------------------- */

static bool any_bit(const void *support, size_t size)
{
    const unsigned char *bytes = support;

    for (size_t i = 0; i < size; i++) {
        if (bytes[i]) {
            return true;
        }
    }
    return false;
}

void dxgk_modes_judge_support(const struct vidpn_path *path, const char *pivot)
{
    const D3DKMDT_VIDPN_PRESENT_PATH_TRANSFORMATION *content = &path->info.ContentTransformation;
    bool scaling = any_bit(&content->ScalingSupport, sizeof content->ScalingSupport);
    bool rotation = any_bit(&content->RotationSupport, sizeof content->RotationSupport);

    contract_count(RULE_VIDPN_007);
    if (!scaling || !rotation) {
        /* A public display-only driver mistakes the kind of the pivot, and another one, which is
         * shipped, never tells anything; both run. */
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_007),
                                                   .ddi = "DxgkDdiEnumVidPnCofuncModality",
                                                   .advice = pivot || (!scaling && !rotation)},
                        "what the path supports told by pfnUpdatePathSupportInfo",
                        "the path from source %u to target %u supports no %s at all%s%s",
                        path->info.VidPnSourceId, path->info.VidPnTargetId,
                        scaling    ? "rotation"
                        : rotation ? "scaling"
                                   : "scaling and no rotation",
                        pivot ? "; the pivot is that of the first path, by " : "",
                        pivot ? pivot : "");
    }
}

static bool has_equal_sizes(const struct vidpn_path *path)
{
    list_for_each (link, &path->source_modes->modes) {
        const struct mode_node *node = container_of(link, struct mode_node, link);
        if (dxgk_mode_is_graphics(&node->mode.source) &&
            dxgk_vidpn_target_of_size(path->target_modes,
                                      node->mode.source.Format.Graphics.PrimSurfSize)) {
            return true;
        }
    }
    return false;
}

/* That there must be such a pair no page says; what else should identity be for? */
void dxgk_modes_judge_identity(const struct vidpn_path *path)
{
    contract_count(RULE_VIDPN_007);
    if (path->info.ContentTransformation.ScalingSupport.Identity && !has_equal_sizes(path)) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_007),
                                                   .ddi = "DxgkDdiEnumVidPnCofuncModality",
                                                   .advice = true},
                        "a scaling that the path supports",
                        "the path from source %u to target %u is said to support Identity, and no "
                        "source mode has the size of a target mode, of all that are offered",
                        path->info.VidPnSourceId, path->info.VidPnTargetId);
    }
}

/* ---- Pivots ---------------------------------------------------------------------------------- */

static void clear(struct mode_set **set)
{
    mode_set_destroy(*set);
    *set = NULL;
}

/* Nothing is left of what was offered before but the pivot. */
static void clear_beside_pivot(struct dxgk_vidpn *vidpn,
                               D3DKMDT_ENUMCOFUNCMODALITY_PIVOT_TYPE pivot)
{
    for (unsigned i = 0; i < vidpn->path_count; i++) {
        struct vidpn_path *path = &vidpn->paths[i];
        D3DKMDT_VIDPN_PRESENT_PATH_TRANSFORMATION *content = &path->info.ContentTransformation;
        if (i > 0 || pivot != D3DKMDT_EPT_SCALING) {
            memset(&content->ScalingSupport, 0, sizeof content->ScalingSupport);
        }
        if (i > 0 || pivot != D3DKMDT_EPT_ROTATION) {
            memset(&content->RotationSupport, 0, sizeof content->RotationSupport);
        }
        if (i > 0 || pivot != D3DKMDT_EPT_VIDPNSOURCE) {
            clear(&path->source_modes);
        }
        if (i > 0 || pivot != D3DKMDT_EPT_VIDPNTARGET) {
            clear(&path->target_modes);
        }
    }
}

static const char *const pivot_names[] = {
    [D3DKMDT_EPT_VIDPNSOURCE] = "the mode set of its source",
    [D3DKMDT_EPT_VIDPNTARGET] = "the mode set of its target",
    [D3DKMDT_EPT_SCALING] = "its scaling",
    [D3DKMDT_EPT_ROTATION] = "its rotation",
};

/* The pivot is one thing of one path: all else is offered anew. */
static bool judge_pivot(const struct dxgk_vidpn *vidpn, D3DKMDT_ENUMCOFUNCMODALITY_PIVOT_TYPE pivot)
{
    const D3DKMDT_VIDPN_PRESENT_PATH *of = &vidpn->paths[0].info;

    contract_count(RULE_VIDPN_003);
    for (unsigned i = 0; i < vidpn->path_count; i++) {
        const struct vidpn_path *path = &vidpn->paths[i];
        if (vidpn_has_sets(path)) {
            continue;
        }
        bool sources = path->source_modes && !list_empty(&path->source_modes->modes);
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_003),
                                                   .ddi = "DxgkDdiEnumVidPnCofuncModality"},
                        "mode sets offered for each source and target but the pivot",
                        "of %u paths that from source %u to target %u is the pivot's, by %s; for "
                        "%s %u, whose set was empty, no mode is offered",
                        vidpn->path_count, of->VidPnSourceId, of->VidPnTargetId, pivot_names[pivot],
                        sources ? "target" : "source",
                        sources ? path->info.VidPnTargetId : path->info.VidPnSourceId);
        return false;
    }
    return true;
}

static bool is_open(const D3DKMDT_VIDPN_PRESENT_PATH_TRANSFORMATION *content)
{
    return content->Scaling == D3DKMDT_VPPS_UNPINNED && content->Rotation == D3DKMDT_VPPR_UNPINNED;
}

/* The same of what the paths support; and what is the pivot stays as it was. */
static void judge_pivot_support(const struct dxgk_vidpn *vidpn,
                                D3DKMDT_ENUMCOFUNCMODALITY_PIVOT_TYPE pivot,
                                const D3DKMDT_VIDPN_PRESENT_PATH_TRANSFORMATION *before)
{
    const D3DKMDT_VIDPN_PRESENT_PATH_TRANSFORMATION *after =
        &vidpn->paths[0].info.ContentTransformation;
    const bool scaling = pivot == D3DKMDT_EPT_SCALING;
    const bool rotation = pivot == D3DKMDT_EPT_ROTATION;
    const bool changed = (scaling && memcmp(&before->ScalingSupport, &after->ScalingSupport,
                                            sizeof after->ScalingSupport) != 0) ||
                         (rotation && memcmp(&before->RotationSupport, &after->RotationSupport,
                                             sizeof after->RotationSupport) != 0);

    /* A pivot that was not told before need not be told now. */
    const bool nothing =
        (scaling && !any_bit(&before->ScalingSupport, sizeof before->ScalingSupport)) ||
        (rotation && !any_bit(&before->RotationSupport, sizeof before->RotationSupport));

    for (unsigned i = nothing ? 1 : 0; i < vidpn->path_count; i++) {
        if (is_open(&vidpn->paths[i].info.ContentTransformation)) {
            dxgk_modes_judge_support(&vidpn->paths[i], pivot_names[pivot]);
        }
    }
    contract_count(RULE_VIDPN_002);
    if (changed) { /* no kernel is known to look at it */
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_002),
                                       .ddi = "DxgkDdiEnumVidPnCofuncModality",
                                       .advice = true},
            "the pivot as it was",
            "the pivot is the %s of the path from source %u to target %u, and what the path "
            "supports of it was changed",
            scaling ? "scaling" : "rotation", vidpn->paths[0].info.VidPnSourceId,
            vidpn->paths[0].info.VidPnTargetId);
    }
}

/* Fewer than the driver would tell of the pivot: whoever writes them anew is seen. */
static void narrow(D3DKMDT_VIDPN_PRESENT_PATH_TRANSFORMATION *content)
{
    if (content->RotationSupport.Identity) {
        memset(&content->RotationSupport, 0, sizeof content->RotationSupport);
        content->RotationSupport.Identity = 1;
    }
    if (content->ScalingSupport.Identity) {
        memset(&content->ScalingSupport, 0, sizeof content->ScalingSupport);
        content->ScalingSupport.Identity = 1;
    }
}

void dxgk_modes_turn_pivots(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn)
{
    static const D3DKMDT_ENUMCOFUNCMODALITY_PIVOT_TYPE pivots[] = {
        D3DKMDT_EPT_VIDPNTARGET, D3DKMDT_EPT_VIDPNSOURCE, D3DKMDT_EPT_SCALING,
        D3DKMDT_EPT_ROTATION};
    struct dxgk_vidpn *copy = dxgk_modes_copy_open(adapter, vidpn, vidpn->path_count);

    for (size_t i = 0; copy && i < sizeof pivots / sizeof pivots[0]; i++) {
        if (!vidpn_has_sets(&copy->paths[0])) {
            break;
        }
        narrow(&copy->paths[0].info.ContentTransformation);
        clear_beside_pivot(copy, pivots[i]);
        const D3DKMDT_VIDPN_PRESENT_PATH_TRANSFORMATION before =
            copy->paths[0].info.ContentTransformation;
        if (NT_SUCCESS(dxgk_vidpn_enumerate(adapter, copy, pivots[i], &copy->paths[0])) &&
            judge_pivot(copy, pivots[i])) {
            judge_pivot_support(copy, pivots[i], &before);
        }
    }
    vidpn_destroy(copy);
}

/* ---- Scalings that are pinned ---------------------------------------------------------------- */

#define QUESTIONS_MAX 24 /* source modes that are asked about */

static const D3DKMDT_VIDPN_PRESENT_PATH_SCALING scalings[] = {
    D3DKMDT_VPPS_IDENTITY, D3DKMDT_VPPS_CENTERED, D3DKMDT_VPPS_STRETCHED,
    D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX, D3DKMDT_VPPS_CUSTOM};

/* The scaling is one of the constraints that an enumeration must honour. Advice: whether a system
 * pins it before the modes no page says. */
static void judge_pinned(struct dxgk_adapter *adapter, struct dxgk_vidpn *vidpn)
{
    struct vidpn_path *path = &vidpn->paths[0];
    unsigned asked = 0;

    contract_count(RULE_VIDPN_003);
    list_for_each (link, &path->source_modes->modes) {
        path->source_modes->pinned = container_of(link, struct mode_node, link);
        if (asked++ == QUESTIONS_MAX) {
            break;
        }
        if (!dxgk_vidpn_supported(adapter, vidpn)) {
            D3DKMDT_2DREGION size =
                path->source_modes->pinned->mode.source.Format.Graphics.PrimSurfSize;
            D3DKMDT_2DREGION active =
                path->target_modes->pinned->mode.target.VideoSignalInfo.ActiveSize;
            contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_003),
                                                       .ddi = "DxgkDdiEnumVidPnCofuncModality",
                                                       .advice = true},
                            "source modes that go with the scaling and the target mode pinned",
                            "with Scaling %s and %u x %u pinned at target %u a source mode of %u x "
                            "%u was offered, and IsSupportedVidPn does not support it",
                            path->info.ContentTransformation.Scaling == D3DKMDT_VPPS_IDENTITY
                                ? "D3DKMDT_VPPS_IDENTITY"
                                : dxgk_scaling_name(path->info.ContentTransformation.Scaling),
                            active.cx, active.cy, path->info.VidPnTargetId, size.cx, size.cy);
            return;
        }
    }
}

void dxgk_modes_pin_scalings(struct dxgk_adapter *adapter, const struct dxgk_vidpn *vidpn)
{
    for (size_t i = 0; i < sizeof scalings / sizeof scalings[0]; i++) {
        struct dxgk_vidpn *copy = dxgk_modes_copy_open(adapter, vidpn, 1);
        struct vidpn_path *path = copy ? &copy->paths[0] : NULL;

        if (path && dxgk_vidpn_can_scale(path, scalings[i]) &&
            (scalings[i] != D3DKMDT_VPPS_IDENTITY ||
             path->info.ContentTransformation.ScalingSupport.Identity)) {
            path->info.ContentTransformation.Scaling = scalings[i];
            path->info.ContentTransformation.Rotation = D3DKMDT_VPPR_IDENTITY;
            path->target_modes->pinned = dxgk_vidpn_target_liked(path->target_modes);
            if (path->target_modes->pinned &&
                NT_SUCCESS(dxgk_vidpn_enumerate(adapter, copy, D3DKMDT_EPT_NOPIVOT, NULL)) &&
                vidpn_has_sets(path) && path->target_modes->pinned) {
                judge_pinned(adapter, copy);
            }
        }
        vidpn_destroy(copy);
    }
}

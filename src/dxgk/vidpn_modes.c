/* The interfaces through which drivers read and fill a VidPN's mode sets: DXGK_VIDPN_INTERFACE and
 * those of source, target and monitor mode sets. */
#include "dxgk/vidpn.h"

/* ---- Mode sets ----------------------------------------------------------------------------- */

static struct mode_node *node_in(struct list *nodes, const void *mode)
{
    list_for_each (link, nodes) {
        struct mode_node *node = container_of(link, struct mode_node, link);
        if ((const void *)&node->mode == mode) {
            return node;
        }
    }
    return NULL;
}

/* The driver is handed the mode, or told that there is none. */
static const void *acquire(struct mode_set *set, struct mode_node *node)
{
    if (!node) {
        return NULL;
    }
    node->acquired++;
    set->modes_acquired++;
    switch (set->kind) {
    case MODE_SOURCE:
        return vidpn_lend(set, &node->mode, sizeof node->mode.source, "a mode info of a source");
    case MODE_TARGET:
        return vidpn_lend(set, &node->mode, sizeof node->mode.target, "a mode info of a target");
    default:
        return vidpn_lend(set, &node->mode, sizeof node->mode.monitor, "a mode info of a monitor");
    }
}

/* A member of the set, by what the driver sees of it; or NULL. */
static struct mode_node *member_of(struct mode_set *set, const void *seen, bool *released)
{
    return node_in(&set->modes, vidpn_lent_original(set, seen, released));
}

static NTSTATUS set_count(struct mode_set *set, SIZE_T *count)
{
    if (!set || !count) {
        return STATUS_INVALID_PARAMETER;
    }
    *count = set->count;
    return STATUS_SUCCESS;
}

static NTSTATUS set_first(struct mode_set *set, const void **mode)
{
    if (!set || !mode) {
        return STATUS_INVALID_PARAMETER;
    }
    *mode = acquire(set, list_empty(&set->modes)
                             ? NULL
                             : container_of(set->modes.next, struct mode_node, link));
    return *mode ? STATUS_SUCCESS : STATUS_GRAPHICS_DATASET_IS_EMPTY;
}

static NTSTATUS set_next(struct mode_set *set, const void *previous, const void **mode)
{
    bool released = false;
    struct mode_node *node = set ? member_of(set, previous, &released) : NULL;

    if (!node || !mode) {
        return set ? STATUS_GRAPHICS_MODE_NOT_IN_MODESET : STATUS_INVALID_PARAMETER;
    }
    vidpn_judge_held("a mode info", "pfnAcquireNextModeInfo", released);
    *mode = acquire(set, node->link.next == &set->modes
                             ? NULL
                             : container_of(node->link.next, struct mode_node, link));
    return *mode ? STATUS_SUCCESS : STATUS_GRAPHICS_NO_MORE_ELEMENTS_IN_DATASET;
}

static NTSTATUS set_pinned(struct mode_set *set, const void **mode)
{
    if (!set || !mode) {
        return STATUS_INVALID_PARAMETER;
    }
    *mode = acquire(set, set->pinned);
    return *mode ? STATUS_SUCCESS : STATUS_GRAPHICS_MODE_NOT_PINNED;
}

static NTSTATUS set_release(struct mode_set *set, const void *mode)
{
    struct mode_node *draft = set ? node_in(&set->drafts, mode) : NULL;
    bool released = false;
    struct mode_node *member = set ? member_of(set, mode, &released) : NULL;

    if (!set) {
        return STATUS_INVALID_PARAMETER;
    }
    vidpn_judge_released(set->kind == MODE_SOURCE   ? "a mode info of a source"
                         : set->kind == MODE_TARGET ? "a mode info of a target"
                                                    : "a mode info of a monitor",
                         "pfnReleaseModeInfo",
                         draft || (member && member->acquired && !released) ? NULL
                         : member ? "its set has it: pfnAddMode took it over, or it was released "
                                    "before"
                                  : "it is no mode info of that set, or was released before");
    if (draft) {
        list_remove(&draft->link);
        nt_memory_free(draft);
    } else if (member && member->acquired) {
        member->acquired--;
        set->modes_acquired--;
        vidpn_lent_back(set, mode);
    }
    return STATUS_SUCCESS;
}

static NTSTATUS set_create(struct mode_set *set, void **mode)
{
    struct mode_node *node = NULL;

    if (set && mode && !(set->vidpn && vidpn_making_fails(set->vidpn))) {
        node = mode_set_draft(set);
    }
    if (!node) {
        return set && mode ? STATUS_NO_MEMORY : STATUS_INVALID_PARAMETER;
    }
    *mode = &node->mode;
    return STATUS_SUCCESS;
}

static bool same_rate(D3DDDI_RATIONAL a, D3DDDI_RATIONAL b)
{
    return (uint64_t)a.Numerator * b.Denominator == (uint64_t)b.Numerator * a.Denominator;
}

static bool same_size(D3DKMDT_2DREGION a, D3DKMDT_2DREGION b)
{
    return a.cx == b.cx && a.cy == b.cy;
}

static bool same_signal(const D3DKMDT_VIDEO_SIGNAL_INFO *a, const D3DKMDT_VIDEO_SIGNAL_INFO *b)
{
    return a->VideoStandard == b->VideoStandard && same_size(a->TotalSize, b->TotalSize) &&
           same_size(a->ActiveSize, b->ActiveSize) && same_rate(a->VSyncFreq, b->VSyncFreq) &&
           same_rate(a->HSyncFreq, b->HSyncFreq) && a->PixelRate == b->PixelRate &&
           a->ScanLineOrdering == b->ScanLineOrdering;
}

static bool same_format(const D3DKMDT_VIDPN_SOURCE_MODE *a, const D3DKMDT_VIDPN_SOURCE_MODE *b)
{
    const D3DKMDT_GRAPHICS_RENDERING_FORMAT *first = &a->Format.Graphics;
    const D3DKMDT_GRAPHICS_RENDERING_FORMAT *second = &b->Format.Graphics;

    return dxgk_mode_is_graphics(a) && a->Type == b->Type &&
           same_size(first->PrimSurfSize, second->PrimSurfSize) &&
           same_size(first->VisibleRegionSize, second->VisibleRegionSize) &&
           first->Stride == second->Stride && first->PixelFormat == second->PixelFormat &&
           first->ColorBasis == second->ColorBasis &&
           first->PixelValueAccessMode == second->PixelValueAccessMode;
}

/* A mode like that one, or NULL. */
static struct mode_node *equal_in(const struct mode_set *set, const struct mode_node *wanted)
{
    list_for_each (link, &set->modes) {
        struct mode_node *node = container_of(link, struct mode_node, link);
        bool same = set->kind == MODE_SOURCE ? same_format(&node->mode.source, &wanted->mode.source)
                    : set->kind == MODE_TARGET ? same_signal(&node->mode.target.VideoSignalInfo,
                                                             &wanted->mode.target.VideoSignalInfo)
                                               : same_signal(&node->mode.monitor.VideoSignalInfo,
                                                             &wanted->mode.monitor.VideoSignalInfo);
        if (same) {
            return node;
        }
    }
    return NULL;
}

static NTSTATUS set_add(struct mode_set *set, const void *mode)
{
    struct mode_node *node = set ? node_in(&set->drafts, mode) : NULL;

    if (!node) {
        bool released;
        return set && member_of(set, mode, &released) ? STATUS_GRAPHICS_MODE_ALREADY_IN_MODESET
                                                      : STATUS_INVALID_PARAMETER;
    }
    vidpn_judge_mode(node);
    if (equal_in(set, node)) {
        return STATUS_GRAPHICS_MODE_ALREADY_IN_MODESET; /* it stays a draft, to be released */
    }
    mode_set_add(node);
    return STATUS_SUCCESS;
}

static NTSTATUS set_pin(struct mode_set *set, UINT id)
{
    if (!set) {
        return STATUS_INVALID_PARAMETER;
    }
    list_for_each (link, &set->modes) {
        struct mode_node *node = container_of(link, struct mode_node, link);
        if (node->id == id) {
            set->pinned = node;
            return STATUS_SUCCESS;
        }
    }
    return STATUS_GRAPHICS_MODE_NOT_IN_MODESET;
}

/* The typed functions of a mode set interface, all on the common ones above. */
#define MODE_SET_FUNCTIONS(prefix, handle_type, mode_type, kind)                    \
    static NTSTATUS NTAPI prefix##_count(handle_type set, SIZE_T *count)            \
    {                                                                               \
        return set_count(mode_set_of(set, kind), count);                            \
    }                                                                               \
    static NTSTATUS NTAPI prefix##_first(handle_type set, const mode_type **mode)   \
    {                                                                               \
        return set_first(mode_set_of(set, kind), (const void **)mode);              \
    }                                                                               \
    static NTSTATUS NTAPI prefix##_next(handle_type set, const mode_type *previous, \
                                        const mode_type **mode)                     \
    {                                                                               \
        return set_next(mode_set_of(set, kind), previous, (const void **)mode);     \
    }                                                                               \
    static NTSTATUS NTAPI prefix##_release(handle_type set, const mode_type *mode)  \
    {                                                                               \
        return set_release(mode_set_of(set, kind), mode);                           \
    }                                                                               \
    static NTSTATUS NTAPI prefix##_create(handle_type set, mode_type **mode)        \
    {                                                                               \
        return set_create(mode_set_of(set, kind), (void **)mode);                   \
    }                                                                               \
    static NTSTATUS NTAPI prefix##_add(handle_type set, mode_type *mode)            \
    {                                                                               \
        return set_add(mode_set_of(set, kind), mode);                               \
    }

MODE_SET_FUNCTIONS(source_set, D3DKMDT_HVIDPNSOURCEMODESET, D3DKMDT_VIDPN_SOURCE_MODE, MODE_SOURCE)
MODE_SET_FUNCTIONS(target_set, D3DKMDT_HVIDPNTARGETMODESET, D3DKMDT_VIDPN_TARGET_MODE, MODE_TARGET)
MODE_SET_FUNCTIONS(monitor_set, D3DKMDT_HMONITORSOURCEMODESET, D3DKMDT_MONITOR_SOURCE_MODE,
                   MODE_MONITOR)

#define PINNED_FUNCTION(prefix, handle_type, mode_type, kind)                      \
    static NTSTATUS NTAPI prefix##_pinned(handle_type set, const mode_type **mode) \
    {                                                                              \
        return set_pinned(mode_set_of(set, kind), (const void **)mode);            \
    }

PINNED_FUNCTION(source_set, D3DKMDT_HVIDPNSOURCEMODESET, D3DKMDT_VIDPN_SOURCE_MODE, MODE_SOURCE)
PINNED_FUNCTION(target_set, D3DKMDT_HVIDPNTARGETMODESET, D3DKMDT_VIDPN_TARGET_MODE, MODE_TARGET)

/* The monitor's own, else one that the driver added so. */
static NTSTATUS NTAPI monitor_set_preferred(D3DKMDT_HMONITORSOURCEMODESET handle,
                                            const D3DKMDT_MONITOR_SOURCE_MODE **mode)
{
    struct mode_set *set = mode_set_of(handle, MODE_MONITOR);

    if (!set || !mode) {
        return STATUS_INVALID_PARAMETER;
    }
    struct mode_node *found = set->pinned;
    list_for_each (link, &set->modes) {
        struct mode_node *node = container_of(link, struct mode_node, link);
        bool preferred = (node->mode.monitor.Preference & 3) == D3DKMDT_MP_PREFERRED;
        found = !found && preferred ? node : found;
    }
    *mode = acquire(set, found);
    return *mode ? STATUS_SUCCESS : STATUS_GRAPHICS_NO_PREFERRED_MODE;
}

static NTSTATUS NTAPI source_set_pin(D3DKMDT_HVIDPNSOURCEMODESET set,
                                     D3DKMDT_VIDEO_PRESENT_SOURCE_MODE_ID id)
{
    return set_pin(mode_set_of(set, MODE_SOURCE), id);
}

static NTSTATUS NTAPI target_set_pin(D3DKMDT_HVIDPNTARGETMODESET set,
                                     D3DKMDT_VIDEO_PRESENT_TARGET_MODE_ID id)
{
    return set_pin(mode_set_of(set, MODE_TARGET), id);
}

static const DXGK_VIDPNSOURCEMODESET_INTERFACE source_interface = {
    source_set_count,   source_set_first,  source_set_next, source_set_pinned,
    source_set_release, source_set_create, source_set_add,  source_set_pin,
};

static const DXGK_VIDPNTARGETMODESET_INTERFACE target_interface = {
    target_set_count,   target_set_first,  target_set_next, target_set_pinned,
    target_set_release, target_set_create, target_set_add,  target_set_pin,
};

const DXGK_MONITORSOURCEMODESET_INTERFACE dxgk_monitor_set_interface = {
    .pfnGetNumModes = monitor_set_count,
    .pfnAcquirePreferredModeInfo = monitor_set_preferred,
    .pfnAcquireFirstModeInfo = monitor_set_first,
    .pfnAcquireNextModeInfo = monitor_set_next,
    .pfnCreateNewModeInfo = monitor_set_create,
    .pfnAddMode = monitor_set_add,
    .pfnReleaseModeInfo = monitor_set_release,
};

/* ---- The VidPN interface ------------------------------------------------------------------- */

static NTSTATUS NTAPI vidpn_get_topology(D3DKMDT_HVIDPN handle, D3DKMDT_HVIDPNTOPOLOGY *topology,
                                         const DXGK_VIDPNTOPOLOGY_INTERFACE **interface)
{
    if (!vidpn_of(handle) || !topology || !interface) {
        return STATUS_GRAPHICS_INVALID_VIDPN;
    }
    *topology = (D3DKMDT_HVIDPNTOPOLOGY)(void *)handle;
    *interface = &dxgk_topology_interface;
    return STATUS_SUCCESS;
}

/* The place that holds the set assigned to a source or target: on any of its paths. */
static struct mode_set **assigned_set(struct dxgk_vidpn *vidpn, enum mode_kind kind, UINT id)
{
    for (unsigned i = 0; vidpn && i < vidpn->path_count; i++) {
        struct vidpn_path *path = &vidpn->paths[i];
        if (kind == MODE_SOURCE && path->info.VidPnSourceId == id) {
            return &path->source_modes;
        }
        if (kind == MODE_TARGET && path->info.VidPnTargetId == id) {
            return &path->target_modes;
        }
    }
    return NULL;
}

static NTSTATUS not_there(enum mode_kind kind)
{
    return kind == MODE_SOURCE ? STATUS_GRAPHICS_SOURCE_NOT_IN_TOPOLOGY
                               : STATUS_GRAPHICS_TARGET_NOT_IN_TOPOLOGY;
}

static NTSTATUS acquire_set(D3DKMDT_HVIDPN handle, enum mode_kind kind, UINT id, void **set)
{
    struct dxgk_vidpn *vidpn = vidpn_of(handle);
    struct mode_set **place = assigned_set(vidpn, kind, id);

    if (!vidpn || !set) {
        return STATUS_GRAPHICS_INVALID_VIDPN;
    }
    *set = NULL;
    if (!place) {
        return not_there(kind);
    }
    /* Public drivers ask the set that nobody assigned yet for its pinned mode: it is empty. */
    if (!*place && (*place = mode_set_create(vidpn, kind)) != NULL) {
        (*place)->assigned = true;
    }
    if (!*place) {
        return STATUS_NO_MEMORY;
    }
    *set = *place;
    (*place)->acquired++;
    return STATUS_SUCCESS;
}

static NTSTATUS release_set(D3DKMDT_HVIDPN handle, enum mode_kind kind, const void *set)
{
    struct mode_set *found = mode_set_of(set, kind);

    if (!vidpn_of(handle) || !found) {
        return STATUS_GRAPHICS_INVALID_VIDPN;
    }
    vidpn_judge_released(kind == MODE_SOURCE ? "a mode set of a source" : "a mode set of a target",
                         kind == MODE_SOURCE ? "pfnReleaseSourceModeSet"
                                             : "pfnReleaseTargetModeSet",
                         found->acquired || !found->assigned
                             ? NULL
                             : "it is assigned: that took it over, or it was released before");
    if (found->acquired) {
        found->acquired--;
    }
    if (!found->assigned && !found->acquired) {
        mode_set_destroy(found); /* created and never assigned, or replaced meanwhile */
    }
    return STATUS_SUCCESS;
}

static NTSTATUS create_set(D3DKMDT_HVIDPN handle, enum mode_kind kind, UINT id, void **set)
{
    struct dxgk_vidpn *vidpn = vidpn_of(handle);

    if (!vidpn || !set) {
        return STATUS_GRAPHICS_INVALID_VIDPN;
    }
    if (!assigned_set(vidpn, kind, id)) {
        return not_there(kind);
    }
    *set = vidpn_making_fails(vidpn) ? NULL : mode_set_create(vidpn, kind);
    return *set ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

/* Puts another set in the place of one. What the driver still holds of the old one it releases. */
static void replace_set(struct mode_set *before, struct mode_set *set)
{
    if (before->pinned && !set->pinned) {
        set->pinned = equal_in(set, before->pinned);
    }
    before->assigned = false;
    before->replaced = true;
    if (!before->acquired && !before->modes_acquired) {
        mode_set_destroy(before);
    }
}

static NTSTATUS assign_set(D3DKMDT_HVIDPN handle, enum mode_kind kind, UINT id, const void *set)
{
    struct dxgk_vidpn *vidpn = vidpn_of(handle);
    struct mode_set **place = assigned_set(vidpn, kind, id);
    struct mode_set *found = mode_set_of(set, kind);

    if (!vidpn || !found || found->vidpn != vidpn || found->replaced ||
        vidpn->access == VIDPN_READ) {
        return STATUS_GRAPHICS_INVALID_VIDPN;
    }
    if (!place) {
        return not_there(kind);
    }
    struct mode_set *before = *place;
    if (before != found && found->assigned) {
        return STATUS_GRAPHICS_INVALID_VIDPN; /* another's */
    }
    if (before && before != found) {
        bool keeps = !before->pinned || equal_in(found, before->pinned);
        vidpn_judge_replacement(vidpn, before, keeps, id);
        if (!keeps) {
            mode_set_destroy(found); /* this failure takes it from the driver */
            return STATUS_GRAPHICS_PINNED_MODE_MUST_REMAIN_IN_SET;
        }
        replace_set(before, found);
    }
    *place = found;
    found->assigned = true;
    return STATUS_SUCCESS;
}

#define VIDPN_SET_FUNCTIONS(prefix, handle_type, interface_type, interface_value, kind)        \
    static NTSTATUS NTAPI prefix##_acquire(D3DKMDT_HVIDPN vidpn, UINT id, handle_type *set,    \
                                           const interface_type **interface)                   \
    {                                                                                          \
        *interface = &interface_value;                                                         \
        return acquire_set(vidpn, kind, id, (void **)set);                                     \
    }                                                                                          \
    static NTSTATUS NTAPI prefix##_release_set(D3DKMDT_HVIDPN vidpn, handle_type set)          \
    {                                                                                          \
        return release_set(vidpn, kind, set);                                                  \
    }                                                                                          \
    static NTSTATUS NTAPI prefix##_create_set(D3DKMDT_HVIDPN vidpn, UINT id, handle_type *set, \
                                              const interface_type **interface)                \
    {                                                                                          \
        *interface = &interface_value;                                                         \
        return create_set(vidpn, kind, id, (void **)set);                                      \
    }                                                                                          \
    static NTSTATUS NTAPI prefix##_assign(D3DKMDT_HVIDPN vidpn, UINT id, handle_type set)      \
    {                                                                                          \
        return assign_set(vidpn, kind, id, set);                                               \
    }

VIDPN_SET_FUNCTIONS(vidpn_source, D3DKMDT_HVIDPNSOURCEMODESET, DXGK_VIDPNSOURCEMODESET_INTERFACE,
                    source_interface, MODE_SOURCE)
VIDPN_SET_FUNCTIONS(vidpn_target, D3DKMDT_HVIDPNTARGETMODESET, DXGK_VIDPNTARGETMODESET_INTERFACE,
                    target_interface, MODE_TARGET)

static NTSTATUS NTAPI vidpn_assign_multisampling(D3DKMDT_HVIDPN handle,
                                                 D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                                 SIZE_T count,
                                                 const D3DDDI_MULTISAMPLINGMETHOD *methods)
{
    /* Methods are accepted; this kernel asks for no multisampled primary. */
    return vidpn_of(handle) ? STATUS_SUCCESS : STATUS_GRAPHICS_INVALID_VIDPN;
}

static const DXGK_VIDPN_INTERFACE vidpn_interface = {
    .Version = DXGK_VIDPN_INTERFACE_VERSION_V1,
    .pfnGetTopology = vidpn_get_topology,
    .pfnAcquireSourceModeSet = vidpn_source_acquire,
    .pfnReleaseSourceModeSet = vidpn_source_release_set,
    .pfnCreateNewSourceModeSet = vidpn_source_create_set,
    .pfnAssignSourceModeSet = vidpn_source_assign,
    .pfnAssignMultisamplingMethodSet = vidpn_assign_multisampling,
    .pfnAcquireTargetModeSet = vidpn_target_acquire,
    .pfnReleaseTargetModeSet = vidpn_target_release_set,
    .pfnCreateNewTargetModeSet = vidpn_target_create_set,
    .pfnAssignTargetModeSet = vidpn_target_assign,
};

NTSTATUS dxgk_vidpn_interface(D3DKMDT_HVIDPN vidpn, DXGK_VIDPN_INTERFACE_VERSION version,
                              const DXGK_VIDPN_INTERFACE **interface)
{
    if (!vidpn_of(vidpn)) {
        return STATUS_GRAPHICS_INVALID_VIDPN;
    }
    if (version != DXGK_VIDPN_INTERFACE_VERSION_V1) {
        return STATUS_NOT_SUPPORTED;
    }
    *interface = &vidpn_interface;
    return STATUS_SUCCESS;
}

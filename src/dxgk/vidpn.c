/* VidPN objects and the interfaces through which drivers read and fill them.
 *
 * Follows the pages of DXGK_VIDPN_INTERFACE, DXGK_VIDPNTOPOLOGY_INTERFACE and the mode set
 * interfaces. Handles are checked against the list of living objects: a stale or foreign one is
 * answered with its documented status. */
#include "dxgk/vidpn.h"

#include <stdlib.h>
#include <string.h>

#define VIDPN_MAGIC    0x564E4950u
#define MODE_SET_MAGIC 0x5345544Du

static struct list living_vidpns = {&living_vidpns, &living_vidpns};
static struct list monitor_sets = {&monitor_sets, &monitor_sets};

struct path_draft {
    struct list link;
    D3DKMDT_VIDPN_PRESENT_PATH info;
};

/* ---- Objects ------------------------------------------------------------------------------- */

struct dxgk_vidpn *vidpn_create(struct dxgk_adapter *adapter)
{
    struct dxgk_vidpn *vidpn = nt_memory_alloc(sizeof *vidpn, 0);

    if (vidpn) {
        vidpn->magic = VIDPN_MAGIC;
        vidpn->adapter = adapter;
        list_init(&vidpn->sets);
        list_init(&vidpn->drafts);
        list_push_back(&living_vidpns, &vidpn->link);
    }
    return vidpn;
}

static void free_nodes(struct list *nodes)
{
    for (struct list *link; (link = list_pop_front(nodes)) != NULL;) {
        nt_memory_free(container_of(link, struct mode_node, link));
    }
}

void mode_set_destroy(struct mode_set *set)
{
    free_nodes(&set->modes);
    free_nodes(&set->drafts);
    list_remove(&set->link);
    set->magic = 0;
    nt_memory_free(set);
}

void vidpn_destroy(struct dxgk_vidpn *vidpn)
{
    if (!vidpn) {
        return;
    }
    while (!list_empty(&vidpn->sets)) {
        mode_set_destroy(container_of(vidpn->sets.next, struct mode_set, link));
    }
    for (struct list *link; (link = list_pop_front(&vidpn->drafts)) != NULL;) {
        nt_memory_free(container_of(link, struct path_draft, link));
    }
    list_remove(&vidpn->link);
    vidpn->magic = 0;
    nt_memory_free(vidpn);
}

struct mode_set *mode_set_create(struct dxgk_vidpn *vidpn, enum mode_kind kind)
{
    struct mode_set *set = nt_memory_alloc(sizeof *set, 0);

    if (set) {
        set->magic = MODE_SET_MAGIC;
        set->kind = kind;
        set->vidpn = vidpn;
        set->next_id = 1;
        list_init(&set->modes);
        list_init(&set->drafts);
        list_push_back(vidpn ? &vidpn->sets : &monitor_sets, &set->link);
    }
    return set;
}

static void init_source(D3DKMDT_VIDPN_SOURCE_MODE *mode, UINT id)
{
    mode->Id = id;
    mode->Type = D3DKMDT_RMT_UNINITIALIZED;
}

struct mode_node *mode_set_draft(struct mode_set *set)
{
    struct mode_node *node = nt_memory_alloc(sizeof *node, 0);

    if (node) {
        node->set = set;
        node->id = set->next_id++;
        if (set->kind == MODE_SOURCE) {
            init_source(&node->mode.source, node->id);
        } else if (set->kind == MODE_TARGET) {
            node->mode.target.Id = node->id;
        } else {
            node->mode.monitor.Id = node->id;
        }
        list_push_back(&set->drafts, &node->link);
    }
    return node;
}

void mode_set_add(struct mode_node *node)
{
    list_remove(&node->link);
    list_push_back(&node->set->modes, &node->link);
    node->added = true;
    node->set->count++;
}

static struct dxgk_vidpn *vidpn_of(D3DKMDT_HVIDPN handle)
{
    list_for_each (link, &living_vidpns) {
        struct dxgk_vidpn *vidpn = container_of(link, struct dxgk_vidpn, link);
        if ((void *)vidpn == (void *)handle) {
            return vidpn;
        }
    }
    return NULL;
}

static bool holds_set(struct list *sets, const void *handle)
{
    list_for_each (link, sets) {
        if ((void *)container_of(link, struct mode_set, link) == handle) {
            return true;
        }
    }
    return false;
}

struct mode_set *mode_set_of(const void *handle, enum mode_kind kind)
{
    bool found = kind == MODE_MONITOR && holds_set(&monitor_sets, handle);

    list_for_each (link, &living_vidpns) {
        if (found) {
            break;
        }
        found = holds_set(&container_of(link, struct dxgk_vidpn, link)->sets, handle);
    }
    struct mode_set *set = found ? (struct mode_set *)(uintptr_t)handle : NULL;
    return set && set->kind == kind ? set : NULL;
}

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

/* ---- Topology ------------------------------------------------------------------------------ */

static struct vidpn_path *find_path(struct dxgk_vidpn *vidpn, UINT source, UINT target)
{
    for (unsigned i = 0; i < vidpn->path_count; i++) {
        if (vidpn->paths[i].info.VidPnSourceId == source &&
            vidpn->paths[i].info.VidPnTargetId == target) {
            return &vidpn->paths[i];
        }
    }
    return NULL;
}

static void default_path(D3DKMDT_VIDPN_PRESENT_PATH *info)
{
    info->ImportanceOrdinal = D3DKMDT_VPPI_PRIMARY;
    info->ContentTransformation.Scaling = D3DKMDT_VPPS_UNPINNED;
    info->ContentTransformation.Rotation = D3DKMDT_VPPR_UNPINNED;
    info->VidPnTargetColorBasis = D3DKMDT_CB_SRGB;
    info->VidPnTargetColorCoeffDynamicRanges.FirstChannel = 8;
    info->VidPnTargetColorCoeffDynamicRanges.SecondChannel = 8;
    info->VidPnTargetColorCoeffDynamicRanges.ThirdChannel = 8;
    info->Content = D3DKMDT_VPPC_GRAPHICS;
    info->CopyProtection.CopyProtectionType = D3DKMDT_VPPMT_NOPROTECTION;
    info->GammaRamp.Type = D3DDDI_GAMMARAMP_DEFAULT;
}

bool vidpn_add_path(struct dxgk_vidpn *vidpn, UINT source, UINT target)
{
    if (vidpn->path_count == VIDPN_PATHS_MAX || find_path(vidpn, source, target)) {
        return false;
    }
    struct vidpn_path *path = &vidpn->paths[vidpn->path_count];
    *path = (struct vidpn_path){0};
    default_path(&path->info);
    path->info.VidPnSourceId = source;
    path->info.VidPnTargetId = target;
    path->info.ImportanceOrdinal =
        (D3DKMDT_VIDPN_PRESENT_PATH_IMPORTANCE)(D3DKMDT_VPPI_PRIMARY + vidpn->path_count);
    vidpn->path_count++;
    return true;
}

static struct dxgk_vidpn *topology_of(D3DKMDT_HVIDPNTOPOLOGY handle)
{
    return vidpn_of((D3DKMDT_HVIDPN)(void *)handle);
}

static NTSTATUS NTAPI topology_get_num_paths(D3DKMDT_HVIDPNTOPOLOGY handle, SIZE_T *count)
{
    struct dxgk_vidpn *vidpn = topology_of(handle);

    if (!vidpn || !count) {
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    }
    *count = vidpn->path_count;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI topology_get_num_paths_from_source(D3DKMDT_HVIDPNTOPOLOGY handle,
                                                         D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                                         SIZE_T *count)
{
    struct dxgk_vidpn *vidpn = topology_of(handle);

    if (!vidpn || !count) {
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    }
    if (source >= vidpn->adapter->source_count) {
        return STATUS_GRAPHICS_INVALID_VIDEO_PRESENT_SOURCE;
    }
    *count = 0;
    for (unsigned i = 0; i < vidpn->path_count; i++) {
        *count += vidpn->paths[i].info.VidPnSourceId == source;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI topology_enum_path_targets(D3DKMDT_HVIDPNTOPOLOGY handle,
                                                 D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                                 D3DKMDT_VIDPN_PRESENT_PATH_INDEX index,
                                                 D3DDDI_VIDEO_PRESENT_TARGET_ID *target)
{
    struct dxgk_vidpn *vidpn = topology_of(handle);

    if (!vidpn || !target) {
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    }
    for (unsigned i = 0; i < vidpn->path_count; i++) {
        if (vidpn->paths[i].info.VidPnSourceId == source && index-- == 0) {
            *target = vidpn->paths[i].info.VidPnTargetId;
            return STATUS_SUCCESS;
        }
    }
    return STATUS_GRAPHICS_SOURCE_NOT_IN_TOPOLOGY;
}

static NTSTATUS NTAPI topology_get_path_source(D3DKMDT_HVIDPNTOPOLOGY handle,
                                               D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                               D3DDDI_VIDEO_PRESENT_SOURCE_ID *source)
{
    struct dxgk_vidpn *vidpn = topology_of(handle);

    if (!vidpn || !source) {
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    }
    for (unsigned i = 0; i < vidpn->path_count; i++) {
        if (vidpn->paths[i].info.VidPnTargetId == target) {
            *source = vidpn->paths[i].info.VidPnSourceId;
            return STATUS_SUCCESS;
        }
    }
    return STATUS_GRAPHICS_TARGET_NOT_IN_TOPOLOGY;
}

static NTSTATUS NTAPI topology_acquire_path(D3DKMDT_HVIDPNTOPOLOGY handle,
                                            D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                            D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                            const D3DKMDT_VIDPN_PRESENT_PATH **info)
{
    struct dxgk_vidpn *vidpn = topology_of(handle);
    struct vidpn_path *path = vidpn ? find_path(vidpn, source, target) : NULL;

    if (!vidpn || !info) {
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    }
    if (!path) {
        return STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY;
    }
    *info = &path->info;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI topology_acquire_first(D3DKMDT_HVIDPNTOPOLOGY handle,
                                             const D3DKMDT_VIDPN_PRESENT_PATH **info)
{
    struct dxgk_vidpn *vidpn = topology_of(handle);

    if (!vidpn || !info) {
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    }
    *info = vidpn->path_count ? &vidpn->paths[0].info : NULL;
    return *info ? STATUS_SUCCESS : STATUS_GRAPHICS_DATASET_IS_EMPTY;
}

static NTSTATUS NTAPI topology_acquire_next(D3DKMDT_HVIDPNTOPOLOGY handle,
                                            const D3DKMDT_VIDPN_PRESENT_PATH *previous,
                                            const D3DKMDT_VIDPN_PRESENT_PATH **info)
{
    struct dxgk_vidpn *vidpn = topology_of(handle);

    if (!vidpn || !info) {
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    }
    for (unsigned i = 0; i < vidpn->path_count; i++) {
        if (&vidpn->paths[i].info == previous) {
            *info = i + 1 < vidpn->path_count ? &vidpn->paths[i + 1].info : NULL;
            return *info ? STATUS_SUCCESS : STATUS_GRAPHICS_NO_MORE_ELEMENTS_IN_DATASET;
        }
    }
    return STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY;
}

static NTSTATUS NTAPI topology_update_support(D3DKMDT_HVIDPNTOPOLOGY handle,
                                              const D3DKMDT_VIDPN_PRESENT_PATH *info)
{
    struct dxgk_vidpn *vidpn = topology_of(handle);

    if (!vidpn || !info) {
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    }
    struct vidpn_path *path = find_path(vidpn, info->VidPnSourceId, info->VidPnTargetId);
    if (!path) {
        return STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY;
    }
    path->info.ContentTransformation.ScalingSupport = info->ContentTransformation.ScalingSupport;
    path->info.ContentTransformation.RotationSupport = info->ContentTransformation.RotationSupport;
    path->info.CopyProtection.CopyProtectionSupport = info->CopyProtection.CopyProtectionSupport;
    return STATUS_SUCCESS;
}

static struct path_draft *draft_of(struct dxgk_vidpn *vidpn, const D3DKMDT_VIDPN_PRESENT_PATH *info)
{
    list_for_each (link, &vidpn->drafts) {
        struct path_draft *draft = container_of(link, struct path_draft, link);
        if (&draft->info == info) {
            return draft;
        }
    }
    return NULL;
}

static NTSTATUS NTAPI topology_release_path(D3DKMDT_HVIDPNTOPOLOGY handle,
                                            const D3DKMDT_VIDPN_PRESENT_PATH *info)
{
    struct dxgk_vidpn *vidpn = topology_of(handle);
    struct path_draft *draft = vidpn ? draft_of(vidpn, info) : NULL;

    if (draft) {
        list_remove(&draft->link);
        nt_memory_free(draft);
    }
    return vidpn ? STATUS_SUCCESS : STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
}

static NTSTATUS NTAPI topology_create_path(D3DKMDT_HVIDPNTOPOLOGY handle,
                                           D3DKMDT_VIDPN_PRESENT_PATH **info)
{
    struct dxgk_vidpn *vidpn = topology_of(handle);
    struct path_draft *draft = vidpn && info ? nt_memory_alloc(sizeof *draft, 0) : NULL;

    if (!draft) {
        return vidpn && info ? STATUS_NO_MEMORY : STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    }
    default_path(&draft->info);
    list_push_back(&vidpn->drafts, &draft->link);
    *info = &draft->info;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI topology_add_path(D3DKMDT_HVIDPNTOPOLOGY handle,
                                        D3DKMDT_VIDPN_PRESENT_PATH *info)
{
    struct dxgk_vidpn *vidpn = topology_of(handle);
    struct path_draft *draft = vidpn ? draft_of(vidpn, info) : NULL;

    if (!draft) {
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    }
    D3DKMDT_VIDPN_PRESENT_PATH copy = draft->info;
    if (!vidpn_add_path(vidpn, copy.VidPnSourceId, copy.VidPnTargetId)) {
        return STATUS_GRAPHICS_PATH_ALREADY_IN_TOPOLOGY;
    }
    vidpn->paths[vidpn->path_count - 1].info = copy;
    topology_release_path(handle, info);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI topology_remove_path(D3DKMDT_HVIDPNTOPOLOGY handle,
                                           D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                           D3DDDI_VIDEO_PRESENT_TARGET_ID target)
{
    struct dxgk_vidpn *vidpn = topology_of(handle);
    struct vidpn_path *path = vidpn ? find_path(vidpn, source, target) : NULL;

    if (!path) {
        return vidpn ? STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY
                     : STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    }
    unsigned index = (unsigned)(path - vidpn->paths);
    memmove(path, path + 1, (vidpn->path_count - index - 1) * sizeof *path);
    vidpn->path_count--;
    return STATUS_SUCCESS;
}

static const DXGK_VIDPNTOPOLOGY_INTERFACE topology_interface = {
    .pfnGetNumPaths = topology_get_num_paths,
    .pfnGetNumPathsFromSource = topology_get_num_paths_from_source,
    .pfnEnumPathTargetsFromSource = topology_enum_path_targets,
    .pfnGetPathSourceFromTarget = topology_get_path_source,
    .pfnAcquirePathInfo = topology_acquire_path,
    .pfnAcquireFirstPathInfo = topology_acquire_first,
    .pfnAcquireNextPathInfo = topology_acquire_next,
    .pfnUpdatePathSupportInfo = topology_update_support,
    .pfnReleasePathInfo = topology_release_path,
    .pfnCreateNewPathInfo = topology_create_path,
    .pfnAddPath = topology_add_path,
    .pfnRemovePath = topology_remove_path,
};

/* ---- Mode sets ----------------------------------------------------------------------------- */

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
    *mode = list_empty(&set->modes) ? NULL
                                    : &container_of(set->modes.next, struct mode_node, link)->mode;
    return *mode ? STATUS_SUCCESS : STATUS_GRAPHICS_DATASET_IS_EMPTY;
}

static NTSTATUS set_next(struct mode_set *set, const void *previous, const void **mode)
{
    struct mode_node *node = set ? node_in(&set->modes, previous) : NULL;

    if (!node || !mode) {
        return set ? STATUS_GRAPHICS_MODE_NOT_IN_MODESET : STATUS_INVALID_PARAMETER;
    }
    *mode = node->link.next == &set->modes
                ? NULL
                : &container_of(node->link.next, struct mode_node, link)->mode;
    return *mode ? STATUS_SUCCESS : STATUS_GRAPHICS_NO_MORE_ELEMENTS_IN_DATASET;
}

static NTSTATUS set_pinned(struct mode_set *set, const void **mode)
{
    if (!set || !mode) {
        return STATUS_INVALID_PARAMETER;
    }
    *mode = set->pinned ? &set->pinned->mode : NULL;
    return *mode ? STATUS_SUCCESS : STATUS_GRAPHICS_MODE_NOT_PINNED;
}

static NTSTATUS set_release(struct mode_set *set, const void *mode)
{
    struct mode_node *draft = set ? node_in(&set->drafts, mode) : NULL;

    if (draft) {
        list_remove(&draft->link);
        nt_memory_free(draft);
    }
    return set ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

static NTSTATUS set_create(struct mode_set *set, void **mode)
{
    struct mode_node *node = set && mode ? mode_set_draft(set) : NULL;

    if (!node) {
        return set && mode ? STATUS_NO_MEMORY : STATUS_INVALID_PARAMETER;
    }
    *mode = &node->mode;
    return STATUS_SUCCESS;
}

static NTSTATUS set_add(struct mode_set *set, const void *mode)
{
    struct mode_node *node = set ? node_in(&set->drafts, mode) : NULL;

    if (!node) {
        return set && node_in(&set->modes, mode) ? STATUS_GRAPHICS_MODE_ALREADY_IN_MODESET
                                                 : STATUS_INVALID_PARAMETER;
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
    static NTSTATUS NTAPI prefix##_pinned(handle_type set, const mode_type **mode)  \
    {                                                                               \
        return set_pinned(mode_set_of(set, kind), (const void **)mode);             \
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
    .pfnAcquirePreferredModeInfo = monitor_set_pinned,
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
    *interface = &topology_interface;
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
    *set = place ? *place : NULL;
    if (!place) {
        return not_there(kind);
    }
    return *set ? STATUS_SUCCESS : STATUS_GRAPHICS_DATASET_IS_EMPTY;
}

static NTSTATUS release_set(D3DKMDT_HVIDPN handle, enum mode_kind kind, const void *set)
{
    struct mode_set *found = mode_set_of(set, kind);

    if (!vidpn_of(handle) || !found) {
        return STATUS_GRAPHICS_INVALID_VIDPN;
    }
    if (!found->assigned) {
        mode_set_destroy(found); /* created and never assigned */
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
    *set = mode_set_create(vidpn, kind);
    return *set ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

static NTSTATUS assign_set(D3DKMDT_HVIDPN handle, enum mode_kind kind, UINT id, const void *set)
{
    struct dxgk_vidpn *vidpn = vidpn_of(handle);
    struct mode_set **place = assigned_set(vidpn, kind, id);
    struct mode_set *found = mode_set_of(set, kind);

    if (!vidpn || !found || found->vidpn != vidpn) {
        return STATUS_GRAPHICS_INVALID_VIDPN;
    }
    if (!place) {
        return not_there(kind);
    }
    if (*place && *place != found) {
        mode_set_destroy(*place);
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

/* The topology of a VidPN as drivers see it: DXGK_VIDPNTOPOLOGY_INTERFACE. The handle is that of
 * the VidPN. A path that the driver makes is a draft until it is added. */
#include "dxgk/vidpn.h"

#include <string.h>

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

/* NULL: there is none. */
static const D3DKMDT_VIDPN_PRESENT_PATH *acquire(struct dxgk_vidpn *vidpn, struct vidpn_path *path)
{
    if (!path) {
        return NULL;
    }
    vidpn->paths_acquired++;
    return vidpn_lend(vidpn, &path->info, sizeof path->info, "a path info of a VidPN");
}

static NTSTATUS NTAPI topology_acquire_path(D3DKMDT_HVIDPNTOPOLOGY handle,
                                            D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                            D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                            const D3DKMDT_VIDPN_PRESENT_PATH **info)
{
    struct dxgk_vidpn *vidpn = topology_of(handle);
    struct vidpn_path *path = vidpn ? vidpn_path_find(vidpn, source, target) : NULL;

    if (!vidpn || !info) {
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    }
    if (!path) {
        return STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY;
    }
    *info = acquire(vidpn, path);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI topology_acquire_first(D3DKMDT_HVIDPNTOPOLOGY handle,
                                             const D3DKMDT_VIDPN_PRESENT_PATH **info)
{
    struct dxgk_vidpn *vidpn = topology_of(handle);

    if (!vidpn || !info) {
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    }
    *info = acquire(vidpn, vidpn->path_count ? &vidpn->paths[0] : NULL);
    return *info ? STATUS_SUCCESS : STATUS_GRAPHICS_DATASET_IS_EMPTY;
}

static NTSTATUS NTAPI topology_acquire_next(D3DKMDT_HVIDPNTOPOLOGY handle,
                                            const D3DKMDT_VIDPN_PRESENT_PATH *previous,
                                            const D3DKMDT_VIDPN_PRESENT_PATH **info)
{
    struct dxgk_vidpn *vidpn = topology_of(handle);
    bool released;

    if (!vidpn || !info) {
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    }
    previous = vidpn_lent_original(vidpn, previous, &released);
    vidpn_judge_held("a path info", "pfnAcquireNextPathInfo", released);
    for (unsigned i = 0; i < vidpn->path_count; i++) {
        if (&vidpn->paths[i].info == previous) {
            *info = acquire(vidpn, i + 1 < vidpn->path_count ? &vidpn->paths[i + 1] : NULL);
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
    struct vidpn_path *path = vidpn_path_find(vidpn, info->VidPnSourceId, info->VidPnTargetId);
    if (!path) {
        return STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY;
    }
    if (vidpn->access == VIDPN_READ) {
        return STATUS_ACCESS_DENIED;
    }
    path->info.ContentTransformation.ScalingSupport = info->ContentTransformation.ScalingSupport;
    if (!vidpn->adapter->features.shaped_scalings) { /* the system clears them */
        path->info.ContentTransformation.ScalingSupport.AspectRatioCenteredMax = 0;
        path->info.ContentTransformation.ScalingSupport.Custom = 0;
    }
    path->info.ContentTransformation.RotationSupport = info->ContentTransformation.RotationSupport;
    path->info.CopyProtection.CopyProtectionSupport = info->CopyProtection.CopyProtectionSupport;
    vidpn_lent_changed(vidpn, &path->info);
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
    bool released;

    if (!vidpn) {
        return STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    }
    (void)vidpn_lent_original(vidpn, info, &released);
    vidpn_judge_released("a path info", "pfnReleasePathInfo",
                         draft || (vidpn->paths_acquired && !released)
                             ? NULL
                             : "the driver holds none: pfnAddPath took it over, or it was released "
                               "before");
    if (draft) {
        list_remove(&draft->link);
        nt_memory_free(draft);
    } else if (vidpn->paths_acquired && !released) {
        vidpn->paths_acquired--;
        vidpn_lent_back(vidpn, info);
    }
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI topology_create_path(D3DKMDT_HVIDPNTOPOLOGY handle,
                                           D3DKMDT_VIDPN_PRESENT_PATH **info)
{
    struct dxgk_vidpn *vidpn = topology_of(handle);
    struct path_draft *draft = NULL;

    if (vidpn && info && !vidpn_making_fails(vidpn)) {
        draft = nt_memory_alloc(sizeof *draft, 0);
    }
    if (!draft) {
        return vidpn && info ? STATUS_NO_MEMORY : STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    }
    vidpn_path_init(&draft->info);
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
    if (vidpn->access != VIDPN_CHANGE_ALL) {
        return STATUS_ACCESS_DENIED;
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
    struct vidpn_path *path = vidpn ? vidpn_path_find(vidpn, source, target) : NULL;

    if (!path) {
        return vidpn ? STATUS_GRAPHICS_PATH_NOT_IN_TOPOLOGY
                     : STATUS_GRAPHICS_INVALID_VIDPN_TOPOLOGY;
    }
    if (vidpn->access != VIDPN_CHANGE_ALL) {
        return STATUS_ACCESS_DENIED;
    }
    unsigned index = (unsigned)(path - vidpn->paths);
    memmove(path, path + 1, (vidpn->path_count - index - 1) * sizeof *path);
    vidpn->path_count--;
    return STATUS_SUCCESS;
}

const DXGK_VIDPNTOPOLOGY_INTERFACE dxgk_topology_interface = {
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

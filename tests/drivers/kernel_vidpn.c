/* kernel_vidpn.c: a VidPN of one path, with the interfaces that show it to the driver. */
#include "kernel_parts.h"

static NTSTATUS NTAPI get_num_paths_from_source(D3DKMDT_HVIDPNTOPOLOGY const topology,
                                                const D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                                SIZE_T *count)
{
    *count = source == kernel.path.VidPnSourceId;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI acquire_first_path(D3DKMDT_HVIDPNTOPOLOGY const topology,
                                         const D3DKMDT_VIDPN_PRESENT_PATH **path)
{
    *path = &kernel.path;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI acquire_next_path(D3DKMDT_HVIDPNTOPOLOGY const topology,
                                        const D3DKMDT_VIDPN_PRESENT_PATH *const path,
                                        const D3DKMDT_VIDPN_PRESENT_PATH **next)
{
    *next = NULL;
    return STATUS_GRAPHICS_NO_MORE_ELEMENTS_IN_DATASET;
}

static NTSTATUS NTAPI release_path(D3DKMDT_HVIDPNTOPOLOGY const topology,
                                   const D3DKMDT_VIDPN_PRESENT_PATH *const path)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI update_path_support(D3DKMDT_HVIDPNTOPOLOGY const topology,
                                          const D3DKMDT_VIDPN_PRESENT_PATH *path)
{
    kernel.path = *path;
    return STATUS_SUCCESS;
}

static const DXGK_VIDPNTOPOLOGY_INTERFACE topology_interface = {
    .pfnGetNumPathsFromSource = get_num_paths_from_source,
    .pfnAcquireFirstPathInfo = acquire_first_path,
    .pfnAcquireNextPathInfo = acquire_next_path,
    .pfnReleasePathInfo = release_path,
    .pfnUpdatePathSupportInfo = update_path_support,
};

static NTSTATUS NTAPI pinned_source(D3DKMDT_HVIDPNSOURCEMODESET const set,
                                    const D3DKMDT_VIDPN_SOURCE_MODE **mode)
{
    *mode = kernel.pinned ? &kernel.source_mode : NULL;
    return kernel.pinned ? STATUS_SUCCESS : STATUS_GRAPHICS_MODE_NOT_PINNED;
}

static NTSTATUS NTAPI release_source_mode(D3DKMDT_HVIDPNSOURCEMODESET const set,
                                          const D3DKMDT_VIDPN_SOURCE_MODE *const mode)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI create_source_mode(D3DKMDT_HVIDPNSOURCEMODESET const set,
                                         D3DKMDT_VIDPN_SOURCE_MODE **mode)
{
    static D3DKMDT_VIDPN_SOURCE_MODE fresh;
    memset(&fresh, 0, sizeof(fresh));
    *mode = &fresh;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI add_source_mode(D3DKMDT_HVIDPNSOURCEMODESET set,
                                      D3DKMDT_VIDPN_SOURCE_MODE *const mode)
{
    kernel.source_modes_added++;
    return STATUS_SUCCESS;
}

static const DXGK_VIDPNSOURCEMODESET_INTERFACE source_interface = {
    .pfnAcquirePinnedModeInfo = pinned_source,
    .pfnReleaseModeInfo = release_source_mode,
    .pfnCreateNewModeInfo = create_source_mode,
    .pfnAddMode = add_source_mode,
};

static NTSTATUS NTAPI pinned_target(D3DKMDT_HVIDPNTARGETMODESET const set,
                                    const D3DKMDT_VIDPN_TARGET_MODE **mode)
{
    *mode = kernel.pinned ? &kernel.target_mode : NULL;
    return kernel.pinned ? STATUS_SUCCESS : STATUS_GRAPHICS_MODE_NOT_PINNED;
}

static NTSTATUS NTAPI release_target_mode(D3DKMDT_HVIDPNTARGETMODESET const set,
                                          const D3DKMDT_VIDPN_TARGET_MODE *const mode)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI create_target_mode(D3DKMDT_HVIDPNTARGETMODESET const set,
                                         D3DKMDT_VIDPN_TARGET_MODE **mode)
{
    static D3DKMDT_VIDPN_TARGET_MODE fresh;
    memset(&fresh, 0, sizeof(fresh));
    *mode = &fresh;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI add_target_mode(D3DKMDT_HVIDPNTARGETMODESET set,
                                      D3DKMDT_VIDPN_TARGET_MODE *const mode)
{
    kernel.target_modes_added++;
    return STATUS_SUCCESS;
}

static const DXGK_VIDPNTARGETMODESET_INTERFACE target_interface = {
    .pfnAcquirePinnedModeInfo = pinned_target,
    .pfnReleaseModeInfo = release_target_mode,
    .pfnCreateNewModeInfo = create_target_mode,
    .pfnAddMode = add_target_mode,
};

static NTSTATUS NTAPI get_topology(D3DKMDT_HVIDPN const vidpn, D3DKMDT_HVIDPNTOPOLOGY *topology,
                                   const DXGK_VIDPNTOPOLOGY_INTERFACE **interface)
{
    *interface = &topology_interface;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI get_source_set(D3DKMDT_HVIDPN const vidpn,
                                     const D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                     D3DKMDT_HVIDPNSOURCEMODESET *set,
                                     const DXGK_VIDPNSOURCEMODESET_INTERFACE **interface)
{
    *set = (D3DKMDT_HVIDPNSOURCEMODESET)(ULONG_PTR)8;
    *interface = &source_interface;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI release_source_set(D3DKMDT_HVIDPN const vidpn,
                                         D3DKMDT_HVIDPNSOURCEMODESET const set)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI assign_source_set(D3DKMDT_HVIDPN vidpn,
                                        const D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                        D3DKMDT_HVIDPNSOURCEMODESET const set)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI get_target_set(D3DKMDT_HVIDPN const vidpn,
                                     const D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                     D3DKMDT_HVIDPNTARGETMODESET *set,
                                     const DXGK_VIDPNTARGETMODESET_INTERFACE **interface)
{
    *set = (D3DKMDT_HVIDPNTARGETMODESET)(ULONG_PTR)8;
    *interface = &target_interface;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI release_target_set(D3DKMDT_HVIDPN const vidpn,
                                         D3DKMDT_HVIDPNTARGETMODESET const set)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI assign_target_set(D3DKMDT_HVIDPN vidpn,
                                        const D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                        D3DKMDT_HVIDPNTARGETMODESET const set)
{
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI kernel_query_vidpn_interface(D3DKMDT_HVIDPN const vidpn,
                                            const DXGK_VIDPN_INTERFACE_VERSION version,
                                            const DXGK_VIDPN_INTERFACE **interface)
{
    static const DXGK_VIDPN_INTERFACE vidpn_interface = {
        .Version = DXGK_VIDPN_INTERFACE_VERSION_V1,
        .pfnGetTopology = get_topology,
        .pfnAcquireSourceModeSet = get_source_set,
        .pfnReleaseSourceModeSet = release_source_set,
        .pfnCreateNewSourceModeSet = get_source_set,
        .pfnAssignSourceModeSet = assign_source_set,
        .pfnAcquireTargetModeSet = get_target_set,
        .pfnReleaseTargetModeSet = release_target_set,
        .pfnCreateNewTargetModeSet = get_target_set,
        .pfnAssignTargetModeSet = assign_target_set,
    };
    *interface = &vidpn_interface;
    return STATUS_SUCCESS;
}

/* Overlays of WDDM 1.x. */
#include "misbehave.h"

/* ---- What is answered ------------------------------------------------------------------------ */

static NTSTATUS NTAPI overlays_are_not_there(const HANDLE adapter, DXGKARG_CREATEOVERLAY *create)
{
    return misbehave_once() ? STATUS_NOT_SUPPORTED
                            : misbehave_driver.DxgkDdiCreateOverlay(adapter, create);
}

/* What is refused is taken all the same, and never given back. */
static NTSTATUS NTAPI refused_overlays_stay(const HANDLE adapter, DXGKARG_CREATEOVERLAY *create)
{
    static ULONG refused;
    NTSTATUS status = refused < SOFTGPU_OVERLAY_MAX
                          ? misbehave_driver.DxgkDdiCreateOverlay(adapter, create)
                          : STATUS_INSUFFICIENT_RESOURCES;

    refused += status != STATUS_SUCCESS;
    return status;
}

/* "One is for the pointer." */
static NTSTATUS NTAPI one_is_kept_back(const HANDLE adapter_handle, DXGKARG_CREATEOVERLAY *create)
{
    const struct softgpu_adapter *adapter = adapter_handle;
    ULONG live = 0, i;

    for (i = 0; i < adapter->settings.overlays; i++) {
        live += adapter->overlay[i].adapter != NULL;
    }
    return live + 1 < adapter->settings.overlays
               ? misbehave_driver.DxgkDdiCreateOverlay(adapter_handle, create)
               : STATUS_INSUFFICIENT_RESOURCES;
}

static NTSTATUS NTAPI overlay_has_no_handle(const HANDLE adapter, DXGKARG_CREATEOVERLAY *create)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCreateOverlay(adapter, create);

    if (NT_SUCCESS(status) && misbehave_once()) {
        (void)misbehave_driver.DxgkDdiDestroyOverlay(create->hOverlay);
        create->hOverlay = NULL;
    }
    return status;
}

static NTSTATUS NTAPI update_fails(const HANDLE overlay, const DXGKARG_UPDATEOVERLAY *update)
{
    return misbehave_once() ? STATUS_UNSUCCESSFUL
                            : misbehave_driver.DxgkDdiUpdateOverlay(overlay, update);
}

/* What the other two may say. */
static NTSTATUS NTAPI flip_lacks_resources(const HANDLE overlay, const DXGKARG_FLIPOVERLAY *flip)
{
    return misbehave_once() ? STATUS_INSUFFICIENT_RESOURCES
                            : misbehave_driver.DxgkDdiFlipOverlay(overlay, flip);
}

static NTSTATUS NTAPI end_fails(const HANDLE overlay)
{
    NTSTATUS status = misbehave_driver.DxgkDdiDestroyOverlay(overlay);

    return misbehave_once() ? STATUS_UNSUCCESSFUL : status;
}

/* ---- What is shown --------------------------------------------------------------------------- */

static NTSTATUS NTAPI overlay_is_wide(const HANDLE adapter, DXGKARG_CREATEOVERLAY *create)
{
    NTSTATUS status;
    RECT *to = &create->OverlayInfo.DstRect;

    to->right++;
    status = misbehave_driver.DxgkDdiCreateOverlay(adapter, create);
    to->right--;
    return status;
}

/* What was described at the beginning, in another place. */
static NTSTATUS NTAPI part_stays(const HANDLE overlay, const DXGKARG_UPDATEOVERLAY *update)
{
    DXGKARG_UPDATEOVERLAY changed = *update;

    changed.OverlayInfo.SrcRect.right -= changed.OverlayInfo.SrcRect.left;
    changed.OverlayInfo.SrcRect.bottom -= changed.OverlayInfo.SrcRect.top;
    changed.OverlayInfo.SrcRect.left = changed.OverlayInfo.SrcRect.top = 0;
    return misbehave_driver.DxgkDdiUpdateOverlay(overlay, &changed);
}

static NTSTATUS NTAPI place_stays(const HANDLE overlay, const DXGKARG_UPDATEOVERLAY *update)
{
    UNREFERENCED_PARAMETER(overlay);
    UNREFERENCED_PARAMETER(update);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI picture_stays(const HANDLE overlay, const DXGKARG_FLIPOVERLAY *flip)
{
    UNREFERENCED_PARAMETER(overlay);
    UNREFERENCED_PARAMETER(flip);
    return STATUS_SUCCESS;
}

/* The handle is free again, and the picture stays. */
static NTSTATUS NTAPI overlay_stays(const HANDLE handle)
{
    struct softgpu_overlay *overlay = handle;

    overlay->adapter = NULL;
    return STATUS_SUCCESS;
}

static const struct softgpu_adapter *shown_by;

static NTSTATUS NTAPI overlay_is_remembered(const HANDLE adapter, DXGKARG_CREATEOVERLAY *create)
{
    shown_by = adapter;
    return misbehave_driver.DxgkDdiCreateOverlay(adapter, create);
}

static void remember_overlays(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiCreateOverlay = overlay_is_remembered;
}

/* As it does to planes. */
static NTSTATUS NTAPI flip_ends_overlays(const HANDLE adapter,
                                         const DXGKARG_SETVIDPNSOURCEADDRESS *arguments)
{
    ULONG i;

    for (i = 0; shown_by == adapter && !arguments->Flags.ModeChange && i < SOFTGPU_OVERLAY_MAX;
         i++) {
        ULONG base = SOFTGPU_OVERLAY_REG(arguments->VidPnSourceId, i, 0);

        softgpu_write(adapter, base + SOFTGPU_PLANE_CONTROL, 0);
        softgpu_write(adapter, base + SOFTGPU_OVERLAY_COMMIT, SOFTGPU_FLIP_VSYNC);
    }
    return misbehave_driver.DxgkDdiSetVidPnSourceAddress(adapter, arguments);
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(OVL_001, IN_DDI(CreateOverlay), overlays_are_not_there, SCENE_OVERLAYS),
    BREAKS_RULE(OVL_001, IN_DDI(CreateOverlay), refused_overlays_stay, SCENE_OVERLAYS),
    BREAKS_RULE(OVL_001, IN_DDI(CreateOverlay), one_is_kept_back, SCENE_OVERLAYS | SCENE_ADVICE),
    BREAKS_RULE(OVL_002, IN_DDI(CreateOverlay), overlay_has_no_handle, SCENE_OVERLAYS),
    BREAKS_RULE(OVL_003, IN_DDI(UpdateOverlay), update_fails, SCENE_OVERLAYS),
    BREAKS_RULE(OVL_004, IN_DDI(FlipOverlay), flip_lacks_resources, SCENE_OVERLAYS),
    BREAKS_RULE(OVL_005, IN_DDI(DestroyOverlay), end_fails, SCENE_OVERLAYS | SCENE_ADVICE),
    BREAKS_RULE(OVL_011, IN_DDI(CreateOverlay), overlay_is_wide, SCENE_OVERLAYS),
    BREAKS_RULE(OVL_012, IN_DDI(UpdateOverlay), part_stays, SCENE_OVERLAYS),
    BREAKS_RULE(OVL_012, IN_DDI(UpdateOverlay), place_stays, SCENE_OVERLAYS),
    BREAKS_RULE(OVL_013, IN_DDI(FlipOverlay), picture_stays, SCENE_OVERLAYS),
    BREAKS_RULE(OVL_014, IN_DDI(DestroyOverlay), overlay_stays, SCENE_OVERLAYS),
    BREAKS_RULE_BESIDE(OVL_015, IN_DDI(SetVidPnSourceAddress), flip_ends_overlays, SCENE_OVERLAYS,
                       remember_overlays),
};

MISBEHAVIOURS(overlays);

/* Paths whose ends have other sizes. The device's scaler has a picture and a window of the mode:
 * softgpu_scaler.h. */
#include "misbehave.h"

/* What the driver put there goes to the device with the next commit, or at once. */
static struct softgpu_scaler *scaler_of(const HANDLE handle)
{
    struct softgpu_adapter *adapter = (struct softgpu_adapter *)handle;

    return &adapter->output[0].scaler;
}

static BOOLEAN is_scaled(const HANDLE handle)
{
    return scaler_of(handle)->source_size != 0;
}

static void program(const HANDLE handle)
{
    softgpu_scaler_program((struct softgpu_adapter *)handle, 0);
}

/* Borders are counted from the right and from below, all of them. */
static NTSTATUS NTAPI window_in_the_corner(const HANDLE adapter,
                                           const DXGKARG_COMMITVIDPN *const commit)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCommitVidPn(adapter, commit);

    if (NT_SUCCESS(status) && is_scaled(adapter)) {
        scaler_of(adapter)->window_position *= 2;
        program(adapter);
    }
    return status;
}

/* Of the picture a part is taken that has the shape of the window. */
static NTSTATUS NTAPI picture_is_cut(const HANDLE adapter, const DXGKARG_COMMITVIDPN *const commit)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCommitVidPn(adapter, commit);
    struct softgpu_scaler *scaler = scaler_of(adapter);

    if (NT_SUCCESS(status) && is_scaled(adapter)) {
        scaler->source_size -= scaler->source_size / 4 & 0xFFFF;
        program(adapter);
    }
    return status;
}

/* "What is turned is not scaled." */
static NTSTATUS NTAPI turned_lies_in_the_middle(const HANDLE handle,
                                                const DXGKARG_COMMITVIDPN *const commit)
{
    const struct softgpu_adapter *adapter = (const struct softgpu_adapter *)handle;
    NTSTATUS status = misbehave_driver.DxgkDdiCommitVidPn(handle, commit);
    struct softgpu_scaler *scaler = scaler_of(handle);

    if (NT_SUCCESS(status) && is_scaled(handle) && adapter->source[0].quarter_turns != 0) {
        ULONG width = adapter->output[0].width - (scaler->source_size & 0xFFFF);
        ULONG height = adapter->output[0].height - (scaler->source_size >> 16);

        scaler->window_position = width / 2 | height / 2 << 16;
        scaler->window_size = scaler->source_size;
        program(handle);
    }
    return status;
}

/* "It comes with the next commit." */
static NTSTATUS NTAPI scaling_is_not_made(const HANDLE adapter,
                                          const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH *update)
{
    return update->VidPnPresentPathInfo.ContentTransformation.Scaling == D3DKMDT_VPPS_IDENTITY
               ? misbehave_driver.DxgkDdiUpdateActiveVidPnPresentPath(adapter, update)
               : STATUS_SUCCESS;
}

/* A driver that cannot is asked for the mode. */
static NTSTATUS NTAPI scaling_is_refused(const HANDLE adapter,
                                         const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH *update)
{
    return update->VidPnPresentPathInfo.ContentTransformation.Scaling == D3DKMDT_VPPS_IDENTITY
               ? misbehave_driver.DxgkDdiUpdateActiveVidPnPresentPath(adapter, update)
               : STATUS_GRAPHICS_PATH_CONTENT_GEOMETRY_TRANSFORMATION_NOT_SUPPORTED;
}

/* Pixels of the screen, where those of the picture are meant. */
static NTSTATUS NTAPI position_of_the_screen(const HANDLE adapter,
                                             const DXGKARG_SETPOINTERPOSITION *position)
{
    const struct softgpu_scaler *scaler = scaler_of(adapter);
    DXGKARG_SETPOINTERPOSITION changed = *position;

    if (is_scaled(adapter)) {
        changed.X += (INT)(scaler->window_size & 0xFFFF) / 8;
    }
    return misbehave_driver.DxgkDdiSetPointerPosition(adapter, &changed);
}

/* The scaler keeps its last picture. */
static NTSTATUS NTAPI scaled_stays_seen(const HANDLE adapter,
                                        const DXGKARG_SETVIDPNSOURCEVISIBILITY *visibility)
{
    return is_scaled(adapter) && !visibility->Visible
               ? STATUS_SUCCESS
               : misbehave_driver.DxgkDdiSetVidPnSourceVisibility(adapter, visibility);
}

/* "Below the picture nothing is sent", whose lines are counted in pairs. */
static NTSTATUS NTAPI blank_below_the_picture(const HANDLE adapter, DXGKARG_GETSCANLINE *line)
{
    NTSTATUS status = misbehave_driver.DxgkDdiGetScanLine(adapter, line);

    if (is_scaled(adapter)) {
        line->InVerticalBlank = line->ScanLine >= scaler_of(adapter)->source_size >> 17;
    }
    return status;
}

/* "What has an address is to be seen." */
static NTSTATUS NTAPI address_shows(const HANDLE adapter,
                                    const DXGKARG_SETVIDPNSOURCEADDRESS *address)
{
    NTSTATUS status = misbehave_driver.DxgkDdiSetVidPnSourceAddress(adapter, address);
    const DXGKARG_SETVIDPNSOURCEVISIBILITY shown = {address->VidPnSourceId, TRUE};

    return NT_SUCCESS(status) && address->Flags.ModeChange
               ? misbehave_driver.DxgkDdiSetVidPnSourceVisibility(adapter, &shown)
               : status;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(SHOW_013, IN_DDI(CommitVidPn), window_in_the_corner,
                SCENE_MODES | SCENE_MORE_RULES),
    BREAKS_RULE(SHOW_013, IN_DDI(CommitVidPn), picture_is_cut, SCENE_MODES | SCENE_MORE_RULES),
    BREAKS_RULE(SHOW_013, IN_DDI(CommitVidPn), turned_lies_in_the_middle,
                SCENE_MODES | SCENE_MORE_RULES),
    BREAKS_RULE(VIDPN_016, IN_DDI(UpdateActiveVidPnPresentPath), scaling_is_not_made,
                SCENE_MODES | SCENE_ADVICE),
    BREAKS_NO_RULE(IN_DDI(UpdateActiveVidPnPresentPath), scaling_is_refused, SCENE_MODES),
    BREAKS_RULE(SHOW_002, IN_DDI(SetPointerPosition), position_of_the_screen, SCENE_MODES),
    BREAKS_RULE(SHOW_001, IN_DDI(SetVidPnSourceVisibility), scaled_stays_seen,
                SCENE_MODES | SCENE_MORE_RULES),
    BREAKS_RULE(SHOW_001, IN_DDI(SetVidPnSourceAddress), address_shows, SCENE_MODES | SCENE_ADVICE),
    BREAKS_RULE(SHOW_003, IN_DDI(GetScanLine), blank_below_the_picture, SCENE_MODES | SCENE_ADVICE),
};

MISBEHAVIOURS(scaled);

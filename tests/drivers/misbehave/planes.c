/* Overlay planes, in their forms. */
#include "misbehave.h"

#define PLANES 2

typedef DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY first_form;
typedef DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY2 second_form;
typedef DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3 third_form;

static NTSTATUS pass(const HANDLE adapter, const second_form *arguments)
{
    return misbehave_driver.DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay2(adapter, arguments);
}

static BOOLEAN is_one_that_is_on(const second_form *arguments, UINT layer)
{
    return arguments->PlaneCount == 1 && arguments->pPlanes[0].LayerIndex == layer &&
           arguments->pPlanes[0].Enabled;
}

/* ---- What is shown --------------------------------------------------------------------------- */

/* Who is not named goes off. */
static NTSTATUS NTAPI planes_are_all(const HANDLE adapter, const second_form *arguments)
{
    static DXGK_MULTIPLANE_OVERLAY_PLANE2 planes[PLANES]; /* of a call at device level: one */
    static second_form changed;

    if (!is_one_that_is_on(arguments, 1)) {
        return pass(adapter, arguments);
    }
    RtlZeroMemory(&planes[0], sizeof(planes[0]));
    planes[1] = arguments->pPlanes[0];
    changed = *arguments;
    changed.PlaneCount = PLANES;
    changed.pPlanes = planes;
    return pass(adapter, &changed);
}

/* What is over the primary comes back with it. */
static NTSTATUS NTAPI planes_come_back(const HANDLE context,
                                       const DXGKARG_SETVIDPNSOURCEVISIBILITY *arguments)
{
    ((struct softgpu_adapter *)context)->source[arguments->VidPnSourceId].layered = FALSE;
    return misbehave_driver.DxgkDdiSetVidPnSourceVisibility(context, arguments);
}

static volatile LONG top_waits; /* plane 0 was given a picture, and no vsync came since */

/* One call for each vsync: the next is lost. */
static NTSTATUS NTAPI second_call_is_lost(const HANDLE adapter, const second_form *arguments)
{
    if (is_one_that_is_on(arguments, 1) && top_waits) {
        return STATUS_SUCCESS;
    }
    top_waits = is_one_that_is_on(arguments, 0);
    return pass(adapter, arguments);
}

static VOID NTAPI vsync_shows_the_top(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    if (data->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY) {
        top_waits = 0;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

static void lose_second_calls(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay2 = second_call_is_lost;
}

static NTSTATUS NTAPI clip_is_ignored(const HANDLE adapter, const second_form *arguments)
{
    UINT i;

    for (i = 0; i < arguments->PlaneCount; i++) {
        arguments->pPlanes[i].PlaneAttributes.ClipRect =
            arguments->pPlanes[i].PlaneAttributes.DstRect;
    }
    return pass(adapter, arguments);
}

static NTSTATUS NTAPI mirrors_the_wrong_way(const HANDLE adapter, third_form *arguments)
{
    UINT i;

    for (i = 0; i < arguments->PlaneCount; i++) {
        DXGK_MULTIPLANE_OVERLAY_FLAGS *flags = &arguments->ppPlanes[i]->PlaneAttributes.Flags;
        UINT swapped = flags->VerticalFlip;

        flags->VerticalFlip = flags->HorizontalFlip;
        flags->HorizontalFlip = swapped;
    }
    return misbehave_driver.DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3(adapter, arguments);
}

/* ---- What is answered ------------------------------------------------------------------------ */

static NTSTATUS NTAPI first_planes_fail(const HANDLE adapter, const first_form *arguments)
{
    (void)misbehave_driver.DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay(adapter, arguments);
    return STATUS_INVALID_PARAMETER;
}

static NTSTATUS NTAPI planes_come_later(const HANDLE adapter, const second_form *arguments)
{
    NTSTATUS status = pass(adapter, arguments);

    return misbehave_once() ? STATUS_PENDING : status;
}

static NTSTATUS NTAPI nobody_asks(const HANDLE adapter,
                                  DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT2 *check)
{
    return misbehave_driver.DxgkDdiCheckMultiPlaneOverlaySupport2(adapter, check);
}

/* "While it is asked the screen rests", and nobody wakes it. */
static NTSTATUS NTAPI darkens_when_asked(const HANDLE adapter,
                                         DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT2 *check)
{
    static ULONG asked;

    if (++asked == 4) {
        softgpu_write(adapter, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_SIZE), 0);
    }
    return misbehave_driver.DxgkDdiCheckMultiPlaneOverlaySupport2(adapter, check);
}

/* ---- What vertical syncs tell ---------------------------------------------------------------- */

static BOOLEAN is_of_planes(const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    return data->InterruptType == DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY &&
           data->CrtcVsyncWithMultiPlaneOverlay.MultiPlaneOverlayVsyncInfoCount == PLANES;
}

static VOID NTAPI planes_tell_the_top(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO *told =
        data->CrtcVsyncWithMultiPlaneOverlay.pMultiPlaneOverlayVsyncInfo;

    if (is_of_planes(data)) {
        told[1].PhysicalAddress = told[0].PhysicalAddress;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

static VOID NTAPI planes_are_never_off(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    static PHYSICAL_ADDRESS lower;
    DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO *told =
        data->CrtcVsyncWithMultiPlaneOverlay.pMultiPlaneOverlayVsyncInfo;

    if (is_of_planes(data)) {
        lower = told[1].Enabled ? told[1].PhysicalAddress : lower;
        told[1].Enabled = TRUE;
        told[1].PhysicalAddress = lower;
    }
    misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
}

/* As it does without planes. */
static VOID NTAPI vsync_without_planes(const HANDLE device, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA plain;

    if (!is_of_planes(data)) {
        misbehave_kernel.DxgkCbNotifyInterrupt(device, data);
        return;
    }
    RtlZeroMemory(&plain, sizeof(plain));
    plain.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC;
    plain.CrtcVsync.VidPnTargetId = data->CrtcVsyncWithMultiPlaneOverlay.VidPnTargetId;
    plain.CrtcVsync.PhysicalAddress =
        data->CrtcVsyncWithMultiPlaneOverlay.pMultiPlaneOverlayVsyncInfo[0].PhysicalAddress;
    misbehave_kernel.DxgkCbNotifyInterrupt(device, &plain);
}

/* "There is none" is no answer without numbers. */
static NTSTATUS NTAPI post_caps_say_nothing(const HANDLE adapter,
                                            DXGKARG_GETPOSTCOMPOSITIONCAPS *caps)
{
    return misbehave_once() ? STATUS_SUCCESS
                            : misbehave_driver.DxgkDdiGetPostCompositionCaps(adapter, caps);
}

#define SET_FIRST  IN_DDI(SetVidPnSourceAddressWithMultiPlaneOverlay)
#define SET_SECOND IN_DDI(SetVidPnSourceAddressWithMultiPlaneOverlay2)
#define SET_THIRD  IN_DDI(SetVidPnSourceAddressWithMultiPlaneOverlay3)

static const struct misbehaviour rows[] = {
    BREAKS_RULE(MPO_016, IN_DDI(SetVidPnSourceVisibility), planes_come_back, SCENE_PLANES),
    BREAKS_RULE(MPO_001, SET_SECOND, planes_are_all, SCENE_PLANES),
    BREAKS_RULE_BESIDE(MPO_002, IN_CALLBACK(NotifyInterrupt), vsync_shows_the_top, SCENE_PLANES,
                       lose_second_calls),
    BREAKS_RULE(MPO_003, SET_SECOND, clip_is_ignored, SCENE_PLANES),
    BREAKS_RULE(MPO_003, SET_THIRD, mirrors_the_wrong_way, SCENE_NEWEST_PLANES),
    BREAKS_RULE(MPO_004, SET_FIRST, first_planes_fail, SCENE_FIRST_PLANES),
    BREAKS_RULE(MPO_006, SET_SECOND, planes_come_later, SCENE_PLANES),
    BREAKS_RULE(MPO_020, IN_CALLBACK(NotifyInterrupt), planes_tell_the_top, SCENE_PLANES),
    BREAKS_RULE(MPO_020, IN_CALLBACK(NotifyInterrupt), planes_are_never_off, SCENE_FIRST_PLANES),
    BREAKS_RULE(MPO_021, IN_CALLBACK(NotifyInterrupt), vsync_without_planes, SCENE_PLANES),
    BREAKS_RULE(GEN_010, IN_DDI(GetPostCompositionCaps), post_caps_say_nothing, SCENE_VIRTUAL),
    BREAKS_RULE(SHOW_001, IN_DDI(CheckMultiPlaneOverlaySupport2), darkens_when_asked, SCENE_PLANES),
    BREAKS_RULE(MPO_022, IN_DDI(CheckMultiPlaneOverlaySupport2), nobody_asks,
                SCENE_PLANES | SCENE_LEFT_OUT),
};

MISBEHAVIOURS(planes);

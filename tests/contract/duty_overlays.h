/* duty_overlays.h: what a kernel that mistook overlays would have handed to the driver. A part of
 * duty_test.c, whose words it uses. */
#ifndef TESTS_CONTRACT_DUTY_OVERLAYS_H
#define TESTS_CONTRACT_DUTY_OVERLAYS_H

#define CREATE_OVERLAY(name, change) SPOIL(name, DXGKARG_CREATEOVERLAY, true, change)
#define UPDATE_OVERLAY(name, change) SPOIL(name, DXGKARG_UPDATEOVERLAY, true, change)
#define FLIP_OVERLAY(name, change)   SPOIL(name, DXGKARG_FLIPOVERLAY, true, change)

CREATE_OVERLAY(overlay_too_many, SAY_CAPS(caps->MaxOverlays = 0))
CREATE_OVERLAY(overlay_far, a->OverlayInfo.PhysicalAddress.QuadPart = FAR)
CREATE_OVERLAY(overlay_of_no_source, a->VidPnSourceId = 3)
UPDATE_OVERLAY(overlay_of_nobody, call->first = NOBODY)
UPDATE_OVERLAY(overlay_of_nothing, a->OverlayInfo.hAllocation = NOBODY)
FLIP_OVERLAY(overlay_elsewhere, a->SrcPhysicalAddress.QuadPart += 4096)

/* While one lives. */
UPDATE_OVERLAY(overlay_asleep,
               precede_power(call, &(const struct contract_power){DISPLAY_ADAPTER_HW_ID,
                                                                  PowerDeviceD3, PowerActionSleep}))
UPDATE_OVERLAY(overlay_stopped, precede(call, POINT_StopDevice, NULL, 0))

#define OVERLAY_ROWS                                                              \
    TESTS_RULE(OVL_006, CreateOverlay, overlay_too_many, SCENE_OVERLAYS),         \
        TESTS_RULE(OVL_007, UpdateOverlay, overlay_of_nobody, SCENE_OVERLAYS),    \
        TESTS_RULE(OVL_007, FlipOverlay, overlay_of_nobody, SCENE_OVERLAYS),      \
        TESTS_RULE(OVL_007, DestroyOverlay, overlay_of_nobody, SCENE_OVERLAYS),   \
        TESTS_RULE(OVL_008, CreateOverlay, overlay_far, SCENE_OVERLAYS),          \
        TESTS_RULE(OVL_008, UpdateOverlay, overlay_of_nothing, SCENE_OVERLAYS),   \
        TESTS_RULE(OVL_008, FlipOverlay, overlay_elsewhere, SCENE_OVERLAYS),      \
        TESTS_RULE(OVL_009, CreateOverlay, overlay_of_no_source, SCENE_OVERLAYS), \
        TESTS_RULE(OVL_010, UpdateOverlay, overlay_asleep, SCENE_OVERLAYS),       \
        TESTS_RULE(OVL_010, UpdateOverlay, overlay_stopped, SCENE_OVERLAYS)

#endif

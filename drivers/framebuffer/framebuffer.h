/* framebuffer.h: a display-only miniport driver for any device that firmware lit.
 *
 * It sets no mode: it goes on in the picture that it finds (DxgkCbAcquirePostDisplayOwnership), and
 * copies there what dxgkrnl composed, turned if the path is. Smaller pictures lie in the middle, or
 * are scaled.
 *
 *   driver.c   registration, start and stop, power, caps, the child
 *   vidpn.c    one source on one target, in one mode; what is smaller lies in its middle
 *   present.c  DxgkDdiPresentDisplayOnly, and the screen of a system that stops
 *   scale.c    pictures that are scaled to the screen */
#ifndef FRAMEBUFFER_H
#define FRAMEBUFFER_H

#include <dispmprt.h>
#include <ntddk.h>
#include <windef.h>

#define FRAMEBUFFER_TAG    ((ULONG)('F' | 'b' << 8 | 'u' << 16 | 'f' << 24))
#define FRAMEBUFFER_TARGET 0u
#define FRAMEBUFFER_SOURCE 0u

/* All of it is touched in calls that dxgkrnl keeps apart, but for what is said. */
struct framebuffer {
    DXGKRNL_INTERFACE dxgk;
    DXGK_DISPLAY_INFORMATION screen; /* as the firmware left it */
    UCHAR *memory;                   /* its rows; NULL while stopped */
    D3DKMDT_2DREGION shown;          /* the size of the source, in the middle of the screen */
    D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling; /* or scaled to it */
    BOOLEAN visible, powered;
    D3DKMDT_VIDPN_PRESENT_PATH_ROTATION rotation; /* of the path; counter-clockwise */
    ULONG presents;                               /* every second one ends by a notice */
};

/* driver.c */
DRIVER_INITIALIZE DriverEntry;

/* present.c */
DXGKDDI_PRESENTDISPLAYONLY framebuffer_present;
DXGKDDI_SYSTEM_DISPLAY_ENABLE framebuffer_system_display_enable;
DXGKDDI_SYSTEM_DISPLAY_WRITE framebuffer_system_display_write;
void framebuffer_blacken(struct framebuffer *framebuffer);
BOOLEAN framebuffer_turns(const struct framebuffer *framebuffer,
                          const DXGKARG_PRESENT_DISPLAYONLY *present);

/* scale.c */
BOOLEAN framebuffer_scales(const struct framebuffer *framebuffer);
void framebuffer_draw_scaled(const struct framebuffer *framebuffer,
                             const DXGKARG_PRESENT_DISPLAYONLY *present);

/* vidpn.c */
DXGKDDI_ISSUPPORTEDVIDPN framebuffer_is_supported_vidpn;
DXGKDDI_RECOMMENDFUNCTIONALVIDPN framebuffer_recommend_functional_vidpn;
DXGKDDI_ENUMVIDPNCOFUNCMODALITY framebuffer_enum_vidpn_cofunc_modality;
DXGKDDI_SETVIDPNSOURCEVISIBILITY framebuffer_set_visibility;
DXGKDDI_COMMITVIDPN framebuffer_commit_vidpn;
DXGKDDI_UPDATEACTIVEVIDPNPRESENTPATH framebuffer_update_path;
DXGKDDI_RECOMMENDMONITORMODES framebuffer_recommend_monitor_modes;
DXGKDDI_QUERYVIDPNHWCAPABILITY framebuffer_query_vidpn_hw_capability;

#endif

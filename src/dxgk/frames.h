/* frames.h: pictures of the system for a driver that has a display and nothing else, as clients
 * give them. See display_only.c. */
#ifndef DXGK_FRAMES_H
#define DXGK_FRAMES_H

#include <stdbool.h>

#include <d3dkmddi.h>
#include <d3dkmthk.h>

struct dxgk_adapter;

/* What the system's composer drew for a driver that has a display and nothing else. */
struct dxgk_frame {
    const void *pixels; /* 32-bit rows: the whole picture of the source as it shall be */
    unsigned width, height, stride_bytes;
    const D3DKMT_MOVE_RECT *moves; /* parts that are on the screen already, elsewhere; first */
    const RECT *dirty;             /* parts to be copied from pixels; then */
    unsigned move_count, dirty_count;
};
#define DXGK_FRAME_RECTS_MAX 1024u
/* Presents it; the first of a source is presented whole. The rectangles lie in the picture, and
 * what they leave out is as before. It is upright for who looks at the screen: of a path that is
 * turned by 90 degrees as wide as its mode is high. May switch. */
NTSTATUS dxgk_source_compose(struct dxgk_adapter *adapter, unsigned source,
                             const struct dxgk_frame *frame);
/* What the device's model complained of since the last one was handed down, as the end of a
 * sentence; empty of a driver that renders. */
#define DXGK_FRAME_SAID_MAX 208
void dxgk_adapter_frame_said(struct dxgk_adapter *adapter, char text[DXGK_FRAME_SAID_MAX]);
/* The size of one of the source's modes, and how its path is turned; the frames that follow are of
 * it. STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED: the driver does not offer that. May switch. */
struct dxgk_arrangement {
    UINT width, height;
    D3DDDI_ROTATION rotation;
    /* IDENTITY, or upright in the mode that the monitor likes best: CENTERED in its middle,
     * STRETCHED to all of it, ASPECTRATIOCENTEREDMAX as large as it can be there. */
    D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling;
};
NTSTATUS dxgk_source_arrange(struct dxgk_adapter *adapter, unsigned source,
                             const struct dxgk_arrangement *wanted);

#endif

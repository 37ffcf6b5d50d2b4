/* planes.h: overlay planes, in the three forms that dxgkrnl had for them. softgpu.h opens this.
 *
 *   planes_old.c   WDDM 1.3 and 2.0: an address for each plane, told back by vsync
 *   planes.c       since WDDM 2.1: a PresentId for each plane, told back by vsync
 *                  and what the forms have in common: what can be shown, and showing it */
#ifndef SOFTGPU_PLANES_H
#define SOFTGPU_PLANES_H

#include "flips.h"
#include "overlay.h"

struct softgpu_allocation;

#define SOFTGPU_PLANES_OLD 0x2100u /* WDDM versions before it have the old forms */

/* One plane of a call, in whatever form it came. */
struct softgpu_plane {
    ULONG layer;
    BOOLEAN on;
    ULONGLONG tag; /* the device tells it since the plane is shown so */
    const struct softgpu_allocation *allocation; /* of one that is on, as what follows */
    ULONGLONG address;
    ULONG right_offset; /* to the image of the right eye; 0: both see one */
    const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 *attributes;
};

/* The planes of a call of one source. */
struct softgpu_planes {
    struct softgpu_adapter *adapter;
    ULONG source, count;
    BOOLEAN immediate, prefer_right; /* a monitor with one image shows the right one */
    ULONGLONG target;                /* TargetFlipTime, of drivers that queue flips */
    struct softgpu_plane plane[SOFTGPU_PLANE_MAX];
};

/* What old forms gave a source's planes: of each the last two, one shown and one on its way. A tag
 * is a number of the calls. (isr) */
struct softgpu_planes_given {
    ULONG calls;
    struct {
        ULONG tag;
        BOOLEAN on;
        ULONGLONG address;
        DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES attributes;
    } last[SOFTGPU_PLANE_MAX][2];
};

/* ---- planes.c -------------------------------------------------------------------------------- */

BOOLEAN softgpu_can_show(const struct softgpu_allocation *allocation,
                         const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 *attributes);
/* How its register has them. */
ULONG softgpu_plane_control(const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 *attributes);
/* Has the source such planes, and can it show them? */
BOOLEAN softgpu_planes_possible(const struct softgpu_planes *planes);
/* Writes the registers (isr); the argument is a struct softgpu_planes. */
BOOLEAN NTAPI softgpu_planes_show(PVOID argument);
/* Tells what an output shows since its last vsync; FALSE: it shows no planes (isr). */
BOOLEAN softgpu_report_planes(struct softgpu_adapter *adapter, ULONG output);
NTSTATUS softgpu_validate_planes(const DXGK_PRESENTMULTIPLANEOVERLAYINFO *info);
DXGKDDI_CHECKMULTIPLANEOVERLAYSUPPORT3 softgpu_check_planes3;
DXGKDDI_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3 softgpu_set_planes3;
DXGKDDI_POSTMULTIPLANEOVERLAYPRESENT softgpu_post_planes;
DXGKDDI_GETMULTIPLANEOVERLAYCAPS softgpu_get_plane_caps;
DXGKDDI_GETPOSTCOMPOSITIONCAPS softgpu_get_post_caps;

/* ---- planes_old.c ---------------------------------------------------------------------------- */

/* As softgpu_report_planes(), of a source that shows planes. */
void softgpu_report_old_planes(struct softgpu_adapter *adapter, ULONG output, ULONG source);
DXGKDDI_CHECKMULTIPLANEOVERLAYSUPPORT softgpu_check_planes;
DXGKDDI_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY softgpu_set_planes;
DXGKDDI_CHECKMULTIPLANEOVERLAYSUPPORT2 softgpu_check_planes2;
DXGKDDI_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY2 softgpu_set_planes2;

#endif

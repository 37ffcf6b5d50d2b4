/* For the client face, a room of dxgk.h, which includes it: pictures of GDI, which Windows' own
 * display driver has the GPU draw where the driver offers it
 * (gdi-hardware-acceleration.md; PresentationCaps.SupportKernelModeCommandBuffer). */
#ifndef DXGK_GDI_H
#define DXGK_GDI_H

#include <d3dkmddi.h>

#include <stdbool.h>

#include "base/status.h"

struct dxgk_adapter;
struct dxgk_context;
struct dxgk_device;
struct dxgk_opening;
struct dxgk_process;

#define DXGK_GDI_COMMANDS_MAX 256  /* of a call */
#define DXGK_GDI_RECTS_MAX    4096 /* of a command */

/* One picture operation. What it does not have is 0 or NULL. */
struct dxgk_gdi_command {
    DXGK_RENDERKM_OPERATION operation;
    struct dxgk_opening *destination, *source;
    struct dxgk_opening *table, *scratch; /* CLEARTYPEBLEND: of gammas, and for the driver's use */
    RECT to, from;                        /* the source of text is `to`, moved by offset_x and _y */
    WORD rop, rop3;
    UINT color, color2;
    BYTE alpha;     /* SourceConstantAlpha */
    bool has_alpha; /* SourceHasAlpha, HonorAlpha */
    bool mirror_x, mirror_y;
    UINT gamma; /* a row of the table, or D3DKM_INVALID_GAMMA_INDEX */
    INT offset_x, offset_y;
    UINT rect_count; /* 0: all of `to` */
    const RECT *rects;
};

/* NOT_SUPPORTED: the driver draws nothing for GDI. *caps: DXGK_PRESENTATIONCAPS.Value. */
NTSTATUS MUST_CHECK dxgk_gdi_check(const struct dxgk_adapter *adapter, bool virtual_addresses,
                                   UINT *caps);
/* As dxgk_device_create(), a device for GDI. */
NTSTATUS MUST_CHECK dxgk_gdi_device_create(struct dxgk_adapter *adapter,
                                           struct dxgk_process *process, struct dxgk_device **out);

/* Draws the commands, each behind the one before, of standard allocations that the context's device
 * has open. INVALID_PARAMETER: not what GDI asks for; NOT_SUPPORTED: what the driver's caps leave
 * out. Else what the driver answers. May switch. */
NTSTATUS dxgk_gdi_draw(struct dxgk_context *context, const struct dxgk_gdi_command *commands,
                       UINT count);

#endif

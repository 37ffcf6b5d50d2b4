/* present.c: pictures into the framebuffer.
 *
 * Moves are done on the screen itself, one after the other, then what is dirty is copied from the
 * picture that dxgkrnl composed [DOD-002]. With Flags.Rotate the picture is upright for who looks
 * at a turned screen: a part that was moved lies in it at its new place, and is copied from there.
 * Every second present ends by a notice instead of by its return value: a driver may do either
 * [DOD-001]. */
#include "framebuffer.h"

static UCHAR *pixel_at(const struct framebuffer *framebuffer, LONG x, LONG y)
{
    return framebuffer->memory + (SIZE_T)y * framebuffer->screen.Pitch + (SIZE_T)x * 4;
}

/* The same of what the source shows, which may be smaller than the screen. */
static UCHAR *shown_at(const struct framebuffer *framebuffer, LONG x, LONG y)
{
    return pixel_at(framebuffer, x + (LONG)(framebuffer->screen.Width - framebuffer->shown.cx) / 2,
                    y + (LONG)(framebuffer->screen.Height - framebuffer->shown.cy) / 2);
}

/* The areas may overlap: rows go in the order that reads each before it is written. */
static void move(const struct framebuffer *framebuffer, const D3DKMT_MOVE_RECT *part)
{
    LONG width = part->DestRect.right - part->DestRect.left;
    LONG height = part->DestRect.bottom - part->DestRect.top;
    LONG i, row;

    for (i = 0; i < height; i++) {
        row = part->DestRect.top > part->SourcePoint.y ? height - 1 - i : i;
        RtlMoveMemory(shown_at(framebuffer, part->DestRect.left, part->DestRect.top + row),
                      shown_at(framebuffer, part->SourcePoint.x, part->SourcePoint.y + row),
                      (SIZE_T)width * 4);
    }
}

static void copy(const struct framebuffer *framebuffer, const DXGKARG_PRESENT_DISPLAYONLY *present,
                 const RECT *part)
{
    const UCHAR *from = present->pSource;
    LONG row;

    for (row = part->top; row < part->bottom; row++) {
        RtlCopyMemory(shown_at(framebuffer, part->left, row),
                      from + (SSIZE_T)row * present->Pitch + (SSIZE_T)part->left * 4,
                      (SIZE_T)(part->right - part->left) * 4);
    }
}

static BOOLEAN fits(const struct framebuffer *framebuffer, const RECT *part, BOOLEAN on_side)
{
    ULONG width = on_side ? framebuffer->shown.cy : framebuffer->shown.cx;
    ULONG height = on_side ? framebuffer->shown.cx : framebuffer->shown.cy;

    return part->left >= 0 && part->top >= 0 && part->left <= part->right &&
           part->top <= part->bottom && (ULONG)part->right <= width &&
           (ULONG)part->bottom <= height;
}

/* Where a pixel of the upright picture is on the screen. */
static ULONG *turned_pixel(const struct framebuffer *framebuffer, LONG x, LONG y)
{
    LONG right = (LONG)framebuffer->shown.cx - 1, bottom = (LONG)framebuffer->shown.cy - 1;

    switch (framebuffer->rotation) {
    case D3DKMDT_VPPR_ROTATE90:
        return (ULONG *)shown_at(framebuffer, y, bottom - x);
    case D3DKMDT_VPPR_ROTATE180:
        return (ULONG *)shown_at(framebuffer, right - x, bottom - y);
    default:
        return (ULONG *)shown_at(framebuffer, right - y, x);
    }
}

static void copy_turned(const struct framebuffer *framebuffer,
                        const DXGKARG_PRESENT_DISPLAYONLY *present, const RECT *part)
{
    LONG x, y;

    for (y = part->top; y < part->bottom; y++) {
        const ULONG *from =
            (const ULONG *)((const UCHAR *)present->pSource + (SSIZE_T)y * present->Pitch);

        for (x = part->left; x < part->right; x++) {
            *turned_pixel(framebuffer, x, y) = from[x];
        }
    }
}

static void draw_turned(const struct framebuffer *framebuffer,
                        const DXGKARG_PRESENT_DISPLAYONLY *present)
{
    BOOLEAN on_side = framebuffer->rotation != D3DKMDT_VPPR_ROTATE180;
    ULONG i;

    for (i = 0; i < present->NumMoves; i++) {
        if (fits(framebuffer, &present->pMoves[i].DestRect, on_side)) {
            copy_turned(framebuffer, present, &present->pMoves[i].DestRect);
        }
    }
    for (i = 0; i < present->NumDirtyRects; i++) {
        if (fits(framebuffer, &present->pDirtyRect[i], on_side)) {
            copy_turned(framebuffer, present, &present->pDirtyRect[i]);
        }
    }
}

static void draw(const struct framebuffer *framebuffer, const DXGKARG_PRESENT_DISPLAYONLY *present)
{
    ULONG i;

    for (i = 0; i < present->NumMoves; i++) {
        if (fits(framebuffer, &present->pMoves[i].DestRect, FALSE)) {
            move(framebuffer, &present->pMoves[i]);
        }
    }
    for (i = 0; i < present->NumDirtyRects; i++) {
        if (fits(framebuffer, &present->pDirtyRect[i], FALSE)) {
            copy(framebuffer, present, &present->pDirtyRect[i]);
        }
    }
}

/* Does anybody want it turned, and is the path? */
BOOLEAN framebuffer_turns(const struct framebuffer *framebuffer,
                          const DXGKARG_PRESENT_DISPLAYONLY *present)
{
    return present->Flags.Rotate && (framebuffer->rotation == D3DKMDT_VPPR_ROTATE90 ||
                                     framebuffer->rotation == D3DKMDT_VPPR_ROTATE180 ||
                                     framebuffer->rotation == D3DKMDT_VPPR_ROTATE270);
}

/* ---- The end of a present -------------------------------------------------------------------- */

static BOOLEAN NTAPI tell(PVOID context)
{
    struct framebuffer *framebuffer = context;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA notice;

    RtlZeroMemory(&notice, sizeof(notice));
    notice.InterruptType = DXGK_INTERRUPT_DISPLAYONLY_PRESENT_PROGRESS;
    notice.DisplayOnlyPresentProgress.VidPnSourceId = FRAMEBUFFER_SOURCE;
    notice.DisplayOnlyPresentProgress.ProgressId = DXGK_PRESENT_DISPLAYONLY_PROGRESS_ID_COMPLETE;
    framebuffer->dxgk.DxgkCbNotifyInterrupt(framebuffer->dxgk.DeviceHandle, &notice);
    return framebuffer->dxgk.DxgkCbQueueDpc(framebuffer->dxgk.DeviceHandle);
}

NTSTATUS NTAPI framebuffer_present(const HANDLE adapter, const DXGKARG_PRESENT_DISPLAYONLY *present)
{
    struct framebuffer *framebuffer = (struct framebuffer *)adapter;
    BOOLEAN result;

    PAGED_CODE();

    if (present->VidPnSourceId != FRAMEBUFFER_SOURCE || present->BytesPerPixel != 4) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!framebuffer->visible || !framebuffer->powered) {
        return STATUS_SUCCESS; /* nobody sees it */
    }
    if (framebuffer_scales(framebuffer)) {
        framebuffer_draw_scaled(framebuffer, present);
    } else if (framebuffer_turns(framebuffer, present)) {
        draw_turned(framebuffer, present);
    } else {
        draw(framebuffer, present);
    }
    if (framebuffer->presents++ % 2 == 0) {
        return STATUS_SUCCESS;
    }
    if (!NT_SUCCESS(framebuffer->dxgk.DxgkCbSynchronizeExecution(framebuffer->dxgk.DeviceHandle,
                                                                 tell, framebuffer, 0, &result))) {
        return STATUS_SUCCESS; /* it is done all the same */
    }
    return STATUS_PENDING;
}

void framebuffer_blacken(struct framebuffer *framebuffer)
{
    ULONG row;

    for (row = 0; framebuffer->memory != NULL && row < framebuffer->screen.Height; row++) {
        RtlZeroMemory(pixel_at(framebuffer, 0, (LONG)row), (SIZE_T)framebuffer->screen.Width * 4);
    }
}

/* ---- The screen of a system that stops ------------------------------------------------------- */

/* At any IRQL, and nobody else runs any more. */
NTSTATUS NTAPI framebuffer_system_display_enable(const PVOID context,
                                                 D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                                 PDXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS flags,
                                                 UINT *width, UINT *height, D3DDDIFORMAT *format)
{
    struct framebuffer *framebuffer = context;

    UNREFERENCED_PARAMETER(flags);
    if (framebuffer->memory == NULL ||
        (target != FRAMEBUFFER_TARGET && target != D3DDDI_ID_UNINITIALIZED)) {
        return STATUS_UNSUCCESSFUL;
    }
    framebuffer_blacken(framebuffer);
    *width = framebuffer->screen.Width;
    *height = framebuffer->screen.Height;
    *format = framebuffer->screen.ColorFormat;
    return STATUS_SUCCESS;
}

void NTAPI framebuffer_system_display_write(const PVOID context, PVOID source, UINT width,
                                            UINT height, UINT stride, UINT x, UINT y)
{
    struct framebuffer *framebuffer = context;
    UINT row;

    if (x > framebuffer->screen.Width || width > framebuffer->screen.Width - x) {
        return;
    }
    for (row = 0; row < height && y + row < framebuffer->screen.Height; row++) {
        RtlCopyMemory(pixel_at(framebuffer, (LONG)x, (LONG)(y + row)),
                      (const UCHAR *)source + (SIZE_T)row * stride, (SIZE_T)width * 4);
    }
}

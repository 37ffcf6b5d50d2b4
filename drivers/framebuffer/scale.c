/* scale.c: pictures of another size than the screen, scaled to it: each pixel of the screen is the
 * nearest one of the picture, which may have to be turned. Custom is, here, as much of the screen
 * within borders as the picture's shape allows, for monitors that cut off the edges.
 *
 * What moved is copied from the picture, where it lies at its new place, as what is dirty is: on
 * the screen the two places may be rounded otherwise. */
#include "framebuffer.h"

#define BORDER_PART 16 /* of the width and of the height, each */

BOOLEAN framebuffer_scales(const struct framebuffer *framebuffer)
{
    return framebuffer->scaling == D3DKMDT_VPPS_STRETCHED ||
           framebuffer->scaling == D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX ||
           framebuffer->scaling == D3DKMDT_VPPS_CUSTOM;
}

/* The part of the screen that shows the picture: all of it, or the largest of the same shape, on
 * all of it or within borders. */
static RECT find_part(const struct framebuffer *framebuffer)
{
    LONG width = (LONG)framebuffer->screen.Width, height = (LONG)framebuffer->screen.Height;
    LONG shown_width = (LONG)framebuffer->shown.cx, shown_height = (LONG)framebuffer->shown.cy;
    RECT part = {0, 0, width, height};

    if (framebuffer->scaling == D3DKMDT_VPPS_CUSTOM) {
        width -= 2 * (width / BORDER_PART);
        height -= 2 * (height / BORDER_PART);
    }
    if (framebuffer->scaling != D3DKMDT_VPPS_STRETCHED) {
        if ((LONGLONG)shown_width * height > (LONGLONG)shown_height * width) {
            height = (LONG)((LONGLONG)width * shown_height / shown_width);
        } else {
            width = (LONG)((LONGLONG)height * shown_width / shown_height);
        }
        part.left = (part.right - width) / 2;
        part.top = (part.bottom - height) / 2;
        part.right = part.left + width;
        part.bottom = part.top + height;
    }
    return part;
}

/* The pixel of the picture, of `from` ones in a row, that the n-th of `to` shows. */
static LONG nearest(LONG n, LONG from, LONG to)
{
    return (LONG)((2 * (LONGLONG)n + 1) * from / (2 * (LONGLONG)to));
}

/* The first that shows none before `edge`. */
static LONG first_from(LONG edge, LONG from, LONG to)
{
    LONG n = (LONG)((LONGLONG)edge * to / from);

    n = n > 0 ? n - 1 : 0;
    while (n < to && nearest(n, from, to) < edge) {
        n++;
    }
    return n;
}

/* Where a pixel of the picture as it is shown lies in the one that was handed down. */
static const ULONG *source_pixel(const struct framebuffer *framebuffer,
                                 const DXGKARG_PRESENT_DISPLAYONLY *present, LONG x, LONG y)
{
    LONG right = (LONG)framebuffer->shown.cx - 1, bottom = (LONG)framebuffer->shown.cy - 1;
    LONG from_x = x, from_y = y;

    if (framebuffer_turns(framebuffer, present)) {
        switch (framebuffer->rotation) {
        case D3DKMDT_VPPR_ROTATE90:
            from_x = bottom - y;
            from_y = x;
            break;
        case D3DKMDT_VPPR_ROTATE180:
            from_x = right - x;
            from_y = bottom - y;
            break;
        default:
            from_x = y;
            from_y = right - x;
            break;
        }
    }
    return (const ULONG *)((const UCHAR *)present->pSource + (SSIZE_T)from_y * present->Pitch) +
           from_x;
}

/* The same of a part of it, the other way round. */
static RECT shown_rect(const struct framebuffer *framebuffer,
                       const DXGKARG_PRESENT_DISPLAYONLY *present, const RECT *rect)
{
    LONG width = (LONG)framebuffer->shown.cx, height = (LONG)framebuffer->shown.cy;
    RECT turned = *rect;

    if (framebuffer_turns(framebuffer, present)) {
        switch (framebuffer->rotation) {
        case D3DKMDT_VPPR_ROTATE90:
            turned = (RECT){rect->top, height - rect->right, rect->bottom, height - rect->left};
            break;
        case D3DKMDT_VPPR_ROTATE180:
            turned = (RECT){width - rect->right, height - rect->bottom, width - rect->left,
                            height - rect->top};
            break;
        default:
            turned = (RECT){width - rect->bottom, rect->left, width - rect->top, rect->right};
            break;
        }
    }
    return turned;
}

static void copy(const struct framebuffer *framebuffer, const DXGKARG_PRESENT_DISPLAYONLY *present,
                 const RECT *dirty)
{
    RECT part = find_part(framebuffer);
    LONG width = part.right - part.left, height = part.bottom - part.top;
    LONG shown_width = (LONG)framebuffer->shown.cx, shown_height = (LONG)framebuffer->shown.cy;
    LONG right = first_from(dirty->right, shown_width, width);
    LONG bottom = first_from(dirty->bottom, shown_height, height);
    LONG x, y;

    for (y = first_from(dirty->top, shown_height, height); y < bottom; y++) {
        LONG v = nearest(y, shown_height, height);
        ULONG *to =
            (ULONG *)(framebuffer->memory + (SIZE_T)(part.top + y) * framebuffer->screen.Pitch) +
            part.left;

        for (x = first_from(dirty->left, shown_width, width); x < right; x++) {
            to[x] = *source_pixel(framebuffer, present, nearest(x, shown_width, width), v);
        }
    }
}

static BOOLEAN is_inside(const struct framebuffer *framebuffer, const RECT *rect)
{
    return rect->left >= 0 && rect->top >= 0 && rect->left <= rect->right &&
           rect->top <= rect->bottom && (ULONG)rect->right <= framebuffer->shown.cx &&
           (ULONG)rect->bottom <= framebuffer->shown.cy;
}

static void draw(const struct framebuffer *framebuffer, const DXGKARG_PRESENT_DISPLAYONLY *present,
                 const RECT *rect)
{
    RECT shown = shown_rect(framebuffer, present, rect);

    if (is_inside(framebuffer, &shown)) {
        copy(framebuffer, present, &shown);
    }
}

void framebuffer_draw_scaled(const struct framebuffer *framebuffer,
                             const DXGKARG_PRESENT_DISPLAYONLY *present)
{
    ULONG i;

    for (i = 0; i < present->NumMoves; i++) {
        draw(framebuffer, present, &present->pMoves[i].DestRect);
    }
    for (i = 0; i < present->NumDirtyRects; i++) {
        draw(framebuffer, present, &present->pDirtyRect[i]);
    }
}

/* scale.c: pictures of another size than the screen, scaled to it: each pixel of the screen is the
 * nearest one of the picture. Custom is, here, as much of the screen within borders as the
 * picture's shape allows, for monitors that cut off the edges.
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
        const ULONG *from =
            (const ULONG *)((const UCHAR *)present->pSource +
                            (SSIZE_T)nearest(y, shown_height, height) * present->Pitch);
        ULONG *to =
            (ULONG *)(framebuffer->memory + (SIZE_T)(part.top + y) * framebuffer->screen.Pitch) +
            part.left;

        for (x = first_from(dirty->left, shown_width, width); x < right; x++) {
            to[x] = from[nearest(x, shown_width, width)];
        }
    }
}

static BOOLEAN is_inside(const struct framebuffer *framebuffer, const RECT *rect)
{
    return rect->left >= 0 && rect->top >= 0 && rect->left <= rect->right &&
           rect->top <= rect->bottom && (ULONG)rect->right <= framebuffer->shown.cx &&
           (ULONG)rect->bottom <= framebuffer->shown.cy;
}

void framebuffer_draw_scaled(const struct framebuffer *framebuffer,
                             const DXGKARG_PRESENT_DISPLAYONLY *present)
{
    ULONG i;

    for (i = 0; i < present->NumMoves; i++) {
        if (is_inside(framebuffer, &present->pMoves[i].DestRect)) {
            copy(framebuffer, present, &present->pMoves[i].DestRect);
        }
    }
    for (i = 0; i < present->NumDirtyRects; i++) {
        if (is_inside(framebuffer, &present->pDirtyRect[i])) {
            copy(framebuffer, present, &present->pDirtyRect[i]);
        }
    }
}

/* What the display-only driver has not got: see pointer.h. */
#include "pointer.h"

#define SIDE_MAX 64u

static PDXGKDDI_QUERYADAPTERINFO query;

static struct {
    ULONG mistake;
    DXGK_POINTERFLAGS kind;
    LONG width, height, pitch;
    UCHAR shape[SIDE_MAX * SIDE_MAX * 4];
    ULONG beneath[SIDE_MAX * SIDE_MAX];
    LONG x, y;
    BOOLEAN seen;
} pointer;

/* The part of the screen that shows a picture that is stretched, or scaled with its shape. */
static RECT scaled_part(const struct framebuffer *of)
{
    LONG width = (LONG)of->screen.Width, height = (LONG)of->screen.Height;
    RECT part = {0, 0, width, height};

    if (of->scaling == D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX) {
        if ((LONGLONG)of->shown.cx * height > (LONGLONG)of->shown.cy * width) {
            height = (LONG)((LONGLONG)width * of->shown.cy / of->shown.cx);
        } else {
            width = (LONG)((LONGLONG)height * of->shown.cx / of->shown.cy);
        }
        part.left = (part.right - width) / 2;
        part.top = (part.bottom - height) / 2;
        part.right = part.left + width;
        part.bottom = part.top + height;
    }
    return part;
}

/* It lies over what is scaled as it is: its corner alone moves with the picture. */
static ULONG *scaled_at(const struct framebuffer *of, LONG dx, LONG dy)
{
    RECT part = scaled_part(of);
    BOOLEAN unscaled = pointer.mistake == POINTER_PLACE_UNSCALED;
    LONG x = unscaled ? pointer.x
                      : (LONG)((LONGLONG)pointer.x * (part.right - part.left) / (LONG)of->shown.cx);
    LONG y = unscaled ? pointer.y
                      : (LONG)((LONGLONG)pointer.y * (part.bottom - part.top) / (LONG)of->shown.cy);

    x += part.left + dx;
    y += part.top + dy;
    return x < part.left || y < part.top || x >= part.right || y >= part.bottom
               ? NULL
               : (ULONG *)(of->memory + (SIZE_T)y * of->screen.Pitch + (SIZE_T)x * 4);
}

static ULONG *screen_at(const struct framebuffer *of, LONG dx, LONG dy)
{
    LONG x = pointer.x + dx, y = pointer.y + dy;

    if (framebuffer_scales(of)) {
        return scaled_at(of, dx, dy);
    }
    if (pointer.mistake == POINTER_EDGE_UNEVEN && x < 0) {
        x = 0;
    }
    if (x < 0 || y < 0 || (ULONG)x >= of->shown.cx || (ULONG)y >= of->shown.cy) {
        return NULL;
    }
    x += (LONG)(of->screen.Width - of->shown.cx) / 2;
    y += (LONG)(of->screen.Height - of->shown.cy) / 2;
    return (ULONG *)(of->memory + (SIZE_T)y * of->screen.Pitch + (SIZE_T)x * 4);
}

static ULONG bit_at(LONG x, LONG y)
{
    return pointer.shape[y * pointer.pitch + x / 8] >> (7 - x % 8) & 1;
}

static ULONG combined(const struct framebuffer *of, LONG x, LONG y, ULONG beneath)
{
    BOOLEAN no_xor = pointer.mistake == POINTER_NO_XOR ||
                     (pointer.mistake == POINTER_NO_XOR_SCALED && framebuffer_scales(of));
    ULONG pixel;

    if (pointer.kind.Monochrome) {
        beneath = bit_at(x, y) ? beneath : 0;
        return bit_at(x, y + pointer.height) && pointer.mistake != POINTER_ONE_MASK
                   ? beneath ^ 0xFFFFFF
                   : beneath;
    }
    RtlCopyMemory(&pixel, pointer.shape + (SIZE_T)y * pointer.pitch + (SIZE_T)x * 4, sizeof(pixel));
    if (pointer.kind.MaskedColor) {
        return pixel >> 24 == 0 ? pixel : no_xor ? beneath : beneath ^ (pixel & 0xFFFFFF);
    }
    return pixel >> 24 ? pixel : beneath;
}

static void draw(const struct framebuffer *of)
{
    LONG i;

    for (i = 0; i < pointer.width * pointer.height; i++) {
        ULONG *pixel = screen_at(of, i % pointer.width, i / pointer.width);

        if (pixel != NULL) {
            pointer.beneath[i] = *pixel;
            *pixel = combined(of, i % pointer.width, i / pointer.width, *pixel);
        }
    }
    pointer.seen = TRUE;
}

/* Backwards: a pixel that was drawn twice has what it was first. */
static void undraw(const struct framebuffer *of)
{
    LONG i;

    for (i = pointer.width * pointer.height - 1; pointer.seen && i >= 0; i--) {
        ULONG *pixel = screen_at(of, i % pointer.width, i / pointer.width);

        if (pixel != NULL) {
            *pixel = pointer.beneath[i];
        }
    }
    pointer.seen = FALSE;
}

static NTSTATUS NTAPI set_shape(const HANDLE adapter, const DXGKARG_SETPOINTERSHAPE *shape)
{
    SIZE_T size = (SIZE_T)shape->Pitch * shape->Height * (shape->Flags.Monochrome ? 2 : 1);

    if (shape->Width > SIDE_MAX || shape->Height > SIDE_MAX || size > sizeof(pointer.shape)) {
        return STATUS_NOT_SUPPORTED;
    }
    undraw((const struct framebuffer *)adapter);
    RtlCopyMemory(pointer.shape, shape->pPixels, size);
    pointer.kind = shape->Flags;
    pointer.width = (LONG)shape->Width;
    pointer.height = (LONG)shape->Height;
    pointer.pitch = (LONG)shape->Pitch;
    if (pointer.mistake == POINTER_SHAPE_SHOWS) {
        draw((const struct framebuffer *)adapter);
    }
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI set_position(const HANDLE adapter, const DXGKARG_SETPOINTERPOSITION *position)
{
    const struct framebuffer *of = (const struct framebuffer *)adapter;

    if (!position->Flags.Visible && pointer.mistake == POINTER_STAYS_SEEN) {
        return STATUS_SUCCESS;
    }
    undraw(of);
    pointer.x = position->X;
    pointer.y = position->Y;
    if (position->Flags.Visible) {
        draw(of);
    }
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI say_pointer(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *arguments)
{
    NTSTATUS status = query(adapter, arguments);

    if (NT_SUCCESS(status) && arguments->Type == DXGKQAITYPE_DRIVERCAPS) {
        DXGK_DRIVERCAPS *caps = arguments->pOutputData;

        caps->MaxPointerWidth = SIDE_MAX;
        caps->MaxPointerHeight = SIDE_MAX;
        caps->PointerCaps.Color = 1;
        caps->PointerCaps.Monochrome = 1;
        caps->PointerCaps.MaskedColor = 1;
    }
    return status;
}

void pointer_register(PKMDDOD_INITIALIZATION_DATA table, ULONG mistake)
{
    pointer.mistake = mistake;
    query = table->DxgkDdiQueryAdapterInfo;
    table->DxgkDdiQueryAdapterInfo = say_pointer;
    table->DxgkDdiSetPointerShape = set_shape;
    table->DxgkDdiSetPointerPosition = set_position;
}

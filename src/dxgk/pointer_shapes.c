/* Gives the driver shapes of the pointer, of the kinds and sizes that its caps have [SHOW-008].
 * That each is taken the answer says; screen_exam.c looks at what comes of one. */
#include "dxgk/work.h"

#include <string.h>

#define HOT_X            9 /* is in positions already: these are of the shape's corner */
#define HOT_Y            6
#define LARGEST_SIDE_MAX 512u

bool dxgk_pointer_give(struct dxgk_source *source, const struct dxgk_pointer_shape *given)
{
    struct dxgk_adapter *adapter = source->adapter;
    const DXGKARG_SETPOINTERSHAPE shape = {
        .Flags = given->flags,
        .Width = given->width,
        .Height = given->height,
        .Pitch = given->pitch,
        .VidPnSourceId = source->index,
        .pPixels = given->pixels,
        .XHot = HOT_X,
        .YHot = HOT_Y,
    };
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    NTSTATUS status;

    do {
        status = ddi_set_pointer_shape(&adapter->ddi, adapter->ddi.miniport_context, &shape, 0);
    } while (dxgk_tries_again(status, &attempt));
    if (!source->visible) { /* a driver may want no shape for it */
        return NT_SUCCESS(status);
    }
    contract_count(RULE_SHOW_008);
    if (!NT_SUCCESS(status) && status != STATUS_NO_MEMORY &&
        status != STATUS_INSUFFICIENT_RESOURCES) {
        const char *kind = given->flags.Monochrome ? "Monochrome"
                           : given->flags.Color    ? "Color"
                                                   : "MaskedColor";
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_008)},
            "a shape of a kind that PointerCaps has, no larger than MaxPointerWidth and "
            "MaxPointerHeight, taken",
            "PointerCaps.%s is 1, MaxPointerWidth %u and MaxPointerHeight %u, and "
            "SetPointerShape answered %s for a shape with Flags.%s of %u x %u pixels",
            kind, adapter->caps.MaxPointerWidth, adapter->caps.MaxPointerHeight,
            status_name(status), kind, given->width, given->height);
    }
    return NT_SUCCESS(status);
}

/* All transparent. */
static void try_largest(struct dxgk_source *source)
{
    const DXGK_DRIVERCAPS *caps = &source->adapter->caps;
    UINT width =
        caps->MaxPointerWidth < LARGEST_SIDE_MAX ? caps->MaxPointerWidth : LARGEST_SIDE_MAX;
    UINT height =
        caps->MaxPointerHeight < LARGEST_SIDE_MAX ? caps->MaxPointerHeight : LARGEST_SIDE_MAX;
    size_t size = (size_t)width * height * 4;
    uint8_t *pixels = caps->PointerCaps.Color ? nt_memory_alloc(size, 0) : NULL;

    if (pixels) {
        memset(pixels, 0, size);
        dxgk_pointer_give(source, &(struct dxgk_pointer_shape){.flags.Color = 1,
                                                               .width = width,
                                                               .height = height,
                                                               .pitch = width * 4,
                                                               .pixels = pixels});
    }
    nt_memory_free(pixels);
}

void dxgk_pointer_try_shapes(struct dxgk_source *source, unsigned side)
{
    const DXGK_POINTERFLAGS *caps = &source->adapter->caps.PointerCaps;
    uint8_t *bytes = nt_memory_alloc((size_t)side * side * 4, 0);
    struct dxgk_pointer_shape shape = {.width = side, .height = side, .pixels = bytes};

    if (bytes && caps->Monochrome) {
        memset(bytes, 0xFF, (size_t)side * side / 8); /* AND: the screen stays */
        shape.flags = (DXGK_POINTERFLAGS){.Monochrome = 1};
        shape.pitch = side / 8;
        dxgk_pointer_give(source, &shape);
    }
    if (bytes && caps->MaskedColor) {
        memset(bytes, 0, (size_t)side * side * 4); /* black */
        shape.flags = (DXGK_POINTERFLAGS){.MaskedColor = 1};
        shape.pitch = side * 4;
        dxgk_pointer_give(source, &shape);
    }
    nt_memory_free(bytes);
    try_largest(source);
}

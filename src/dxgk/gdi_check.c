/* What GDI may ask of a driver: the guarantees of the pages of DXGK_GDIARG_..., and what the
 * driver's PresentationCaps leave out. A client's mistake ends here. */
#include "dxgk/gdi_parts.h"

#include <stdlib.h>

#define COORDINATE_MAX   32767
#define GAMMA_ROWS       16u
#define GAMMA_ROW_PIXELS 512u

static bool is_rect(const RECT *rect)
{
    return rect->left < rect->right && rect->top < rect->bottom && rect->left >= -COORDINATE_MAX &&
           rect->top >= -COORDINATE_MAX && rect->right <= COORDINATE_MAX &&
           rect->bottom <= COORDINATE_MAX;
}

static LONG width_of(const RECT *rect)
{
    return rect->right - rect->left;
}

static LONG height_of(const RECT *rect)
{
    return rect->bottom - rect->top;
}

static RECT surface_of(const struct dxgk_opening *opening)
{
    return (RECT){0, 0, (LONG)opening->allocation->width, (LONG)opening->allocation->height};
}

static bool cut(const RECT *a, const RECT *b, RECT *out)
{
    *out = (RECT){
        .left = a->left > b->left ? a->left : b->left,
        .top = a->top > b->top ? a->top : b->top,
        .right = a->right < b->right ? a->right : b->right,
        .bottom = a->bottom < b->bottom ? a->bottom : b->bottom,
    };
    return out->left < out->right && out->top < out->bottom;
}

static RECT moved(const RECT *rect, LONG dx, LONG dy)
{
    return (RECT){rect->left + dx, rect->top + dy, rect->right + dx, rect->bottom + dy};
}

static bool contains(const RECT *outer, const RECT *inner)
{
    return inner->left >= outer->left && inner->top >= outer->top && inner->right <= outer->right &&
           inner->bottom <= outer->bottom;
}

/* ---- Surfaces -------------------------------------------------------------------------------- */

static bool is_bgr32(const struct dxgk_opening *opening)
{
    D3DDDIFORMAT format = opening->allocation->format;

    return format == D3DDDIFMT_A8R8G8B8 || format == D3DDDIFMT_X8R8G8B8;
}

static bool is_usable(const struct dxgk_context *context, const struct dxgk_opening *opening)
{
    return opening && opening->device == context->device && opening->allocation->standard &&
           (context->virtual_addresses || dxgk_opening_is_listed(opening));
}

static bool is_colored(const struct dxgk_context *context, const struct dxgk_opening *opening)
{
    return is_usable(context, opening) && is_bgr32(opening);
}

static bool is_copy(const struct dxgk_gdi_command *command)
{
    return command->operation == DXGK_GDIOP_BITBLT && command->rop == DXGK_GDIROP_SRCCOPY;
}

static bool is_table(const struct dxgk_context *context, const struct dxgk_opening *opening)
{
    return is_usable(context, opening) &&
           opening->allocation->gdi_type == D3DKMDT_GDISURFACE_LOOKUPTABLE &&
           opening->allocation->format == D3DDDIFMT_A8 &&
           opening->allocation->width >= GAMMA_ROW_PIXELS &&
           opening->allocation->height >= GAMMA_ROWS;
}

/* What the driver leaves there is nobody's; one that needs none may get none. */
static bool is_scratch(const struct dxgk_context *context, const struct dxgk_gdi_command *command)
{
    if (!command->scratch) {
        return command->operation != DXGK_GDIOP_CLEARTYPEBLEND ||
               context->device->adapter->caps.PresentationCaps.NoTempSurfaceForClearTypeBlend;
    }
    return is_colored(context, command->scratch) &&
           command->scratch->allocation != command->destination->allocation &&
           command->scratch->allocation != command->source->allocation;
}

/* A table of gammas is 8 bits a pixel and brought by a copy from its like. */
static bool are_surfaces_sound(const struct dxgk_context *context,
                               const struct dxgk_gdi_command *command)
{
    bool has_source = command->operation != DXGK_GDIOP_COLORFILL;

    if (is_copy(command)) {
        return is_usable(context, command->destination) && is_usable(context, command->source) &&
               (command->destination->allocation->format == command->source->allocation->format ||
                (is_bgr32(command->destination) && is_bgr32(command->source)));
    }
    return is_colored(context, command->destination) &&
           (has_source ? is_colored(context, command->source) : !command->source) &&
           (!command->table || is_table(context, command->table)) && is_scratch(context, command);
}

/* ---- What the caps leave out ----------------------------------------------------------------- */

static bool is_overlapping(const struct dxgk_gdi_command *command)
{
    RECT common;

    return cut(&command->to, &command->from, &common);
}

/* [GDI-008] */
static bool is_left_out(const struct dxgk_adapter *adapter, const struct dxgk_gdi_command *command)
{
    const DXGK_PRESENTATIONCAPS *caps = &adapter->caps.PresentationCaps;
    bool same = command->source && command->source->allocation == command->destination->allocation;
    bool overlapping = same && is_overlapping(command);

    switch (command->operation) {
    case DXGK_GDIOP_BITBLT:
        return (command->rop == DXGK_GDIROP_ROP3 && !caps->SupportAllBltRops) ||
               (same && caps->NoSameBitmapBitBlt) ||
               (overlapping && caps->NoSameBitmapOverlappedBitBlt);
    case DXGK_GDIOP_COLORFILL:
        return command->rop == DXGK_GDIROPCF_ROP3 && !caps->SupportAllBltRops;
    case DXGK_GDIOP_STRETCHBLT:
        return ((command->mirror_x || command->mirror_y) && !caps->SupportMirrorStretchBlt) ||
               (same && caps->NoSameBitmapStretchBlt) ||
               (overlapping && caps->NoSameBitmapOverlappedStretchBlt);
    case DXGK_GDIOP_ALPHABLEND:
        return (same && caps->NoSameBitmapAlphaBlend) ||
               (overlapping && caps->NoSameBitmapOverlappedAlphaBlend);
    case DXGK_GDIOP_TRANSPARENTBLT:
        return overlapping || (same && caps->NoSameBitmapTransparentBlt);
    default:
        return false;
    }
}

/* ---- Commands -------------------------------------------------------------------------------- */

static bool is_rop_sound(const struct dxgk_gdi_command *command)
{
    switch (command->operation) {
    case DXGK_GDIOP_BITBLT:
        return command->rop >= DXGK_GDIROP_SRCCOPY && command->rop <= DXGK_GDIROP_ROP3 &&
               command->rop3 <= 0xFF;
    case DXGK_GDIOP_COLORFILL:
        return command->rop >= DXGK_GDIROPCF_PATCOPY && command->rop <= DXGK_GDIROPCF_ROP3 &&
               command->rop3 <= 0xFF;
    default:
        return command->rop == 0 && command->rop3 == 0;
    }
}

static bool is_gamma_sound(const struct dxgk_gdi_command *command)
{
    if (command->operation != DXGK_GDIOP_CLEARTYPEBLEND) {
        return !command->table && !command->scratch;
    }
    return command->gamma == D3DKM_INVALID_GAMMA_INDEX ||
           (command->gamma < GAMMA_ROWS && command->table);
}

/* From places of the destination to the source's; of other commands they are not read. */
static bool are_offsets_sound(const struct dxgk_gdi_command *command)
{
    return command->operation != DXGK_GDIOP_CLEARTYPEBLEND ||
           (command->offset_x >= -COORDINATE_MAX && command->offset_x <= COORDINATE_MAX &&
            command->offset_y >= -COORDINATE_MAX && command->offset_y <= COORDINATE_MAX);
}

/* What of the source is read for `to` lies inside of it, but for copies of one size, of which the
 * rectangles alone do. */
static bool is_source_sound(const struct dxgk_gdi_command *command)
{
    RECT surface;

    if (!command->source || command->operation == DXGK_GDIOP_CLEARTYPEBLEND) {
        return true;
    }
    surface = surface_of(command->source);
    if (command->operation == DXGK_GDIOP_BITBLT) {
        return width_of(&command->to) == width_of(&command->from) &&
               height_of(&command->to) == height_of(&command->from);
    }
    return contains(&surface, &command->from);
}

static NTSTATUS check(const struct dxgk_context *context, const struct dxgk_gdi_command *command)
{
    if (command->operation == DXGK_GDIOP_ESCAPE) {
        return command->destination || command->source || command->table || command->scratch ||
                       command->rect_count
                   ? STATUS_INVALID_PARAMETER
                   : STATUS_SUCCESS;
    }
    if (command->operation < DXGK_GDIOP_BITBLT || command->operation > DXGK_GDIOP_CLEARTYPEBLEND ||
        command->rect_count > DXGK_GDI_RECTS_MAX || !is_rect(&command->to) ||
        (command->source && command->operation != DXGK_GDIOP_CLEARTYPEBLEND &&
         !is_rect(&command->from)) ||
        !is_rop_sound(command) || !is_gamma_sound(command) || !are_offsets_sound(command) ||
        !are_surfaces_sound(context, command) || !is_source_sound(command)) {
        return STATUS_INVALID_PARAMETER;
    }
    return is_left_out(context->device->adapter, command) ? STATUS_NOT_SUPPORTED : STATUS_SUCCESS;
}

/* Where pixels may be written so that all that is read lies in the source. */
static bool area_of(const struct dxgk_gdi_command *command, RECT *area)
{
    RECT surface = surface_of(command->destination), source, there;

    if (!cut(&command->to, &surface, area)) {
        return false;
    }
    if (command->operation == DXGK_GDIOP_BITBLT) {
        source = surface_of(command->source);
        there = moved(&source, command->to.left - command->from.left,
                      command->to.top - command->from.top);
        return cut(area, &there, area);
    }
    if (command->operation == DXGK_GDIOP_CLEARTYPEBLEND) {
        source = surface_of(command->source);
        there = moved(&source, -command->offset_x, -command->offset_y);
        return cut(area, &there, area);
    }
    return true;
}

/* [GDI-007]: sub-rectangles are inside of the destination's surface. */
static NTSTATUS cut_rects(const struct dxgk_gdi_command *command, struct gdi_part *part)
{
    UINT count = command->rect_count ? command->rect_count : 1;
    const RECT *rects = command->rect_count ? command->rects : &command->to;
    RECT area;

    *part = (struct gdi_part){.command = command};
    if (command->operation == DXGK_GDIOP_ESCAPE) {
        return STATUS_SUCCESS;
    }
    part->rects = malloc(count * sizeof *part->rects);
    if (!part->rects) {
        return STATUS_NO_MEMORY;
    }
    bool any = area_of(command, &area);
    for (UINT i = 0; i < count && any; i++) {
        if (cut(&rects[i], &area, &part->rects[part->rect_count])) {
            part->rect_count++;
        }
    }
    return STATUS_SUCCESS;
}

void dxgk_gdi_parts_free(struct gdi_part *parts, UINT count)
{
    for (UINT i = 0; i < count; i++) {
        free(parts[i].rects);
    }
    free(parts);
}

NTSTATUS dxgk_gdi_parts(const struct dxgk_context *context, const struct dxgk_gdi_command *commands,
                        UINT *count, struct gdi_part **out)
{
    struct gdi_part *parts = calloc(*count, sizeof *parts);
    NTSTATUS status = parts ? STATUS_SUCCESS : STATUS_NO_MEMORY;
    UINT kept = 0;

    for (UINT i = 0; i < *count && NT_SUCCESS(status); i++) {
        status = check(context, &commands[i]);
        if (NT_SUCCESS(status)) {
            status = cut_rects(&commands[i], &parts[kept]);
        }
        if (NT_SUCCESS(status) &&
            (parts[kept].rect_count > 0 || commands[i].operation == DXGK_GDIOP_ESCAPE)) {
            kept++;
        } else if (parts) {
            free(parts[kept].rects);
            parts[kept].rects = NULL;
        }
    }
    if (!NT_SUCCESS(status) || kept == 0) {
        dxgk_gdi_parts_free(parts, parts ? kept : 0);
        parts = NULL;
    }
    *count = kept;
    *out = parts;
    return status;
}

NTSTATUS dxgk_gdi_check(const struct dxgk_adapter *adapter, bool virtual_addresses, UINT *caps)
{
    *caps = adapter->caps.PresentationCaps.Value;
    return adapter->caps.PresentationCaps.SupportKernelModeCommandBuffer &&
                   ddi_has(&adapter->ddi, virtual_addresses ? POINT_RenderGdi : POINT_RenderKm)
               ? STATUS_SUCCESS
               : STATUS_NOT_SUPPORTED;
}

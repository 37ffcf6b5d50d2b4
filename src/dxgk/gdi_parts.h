/* GDI's pictures: what gdi.c and gdi_check.c share, and the roads of their packets. */
#ifndef DXGK_GDI_PARTS_H
#define DXGK_GDI_PARTS_H

#include "dxgk/internal.h"

#define GDI_COLOR_ON_COLOR  3u          /* of wingdi.h: pixels are left out, or repeated */
#define GDI_BATCH_BYTES_MAX (64u << 10) /* commands of a call; one alone may be longer */
#define GDI_LIST_MAX        64u         /* allocations of a call */

/* A command that draws something, or nobody knows, with the rectangles that are left of it. */
struct gdi_part {
    const struct dxgk_gdi_command *command;
    RECT *rects; /* its own */
    UINT rect_count;
    UINT destination, source, table, scratch; /* in the list of its call */
};

/* What goes down in one call. */
struct gdi_batch {
    struct gdi_part parts[DXGK_GDI_COMMANDS_MAX];
    UINT part_count, allocation_count;
    struct dxgk_opening *openings[GDI_LIST_MAX];
    size_t bytes;
    bool draws;
};

extern const struct dxgk_road dxgk_road_gdi, dxgk_road_gdi_virtual;

/* Looks whether GDI asks for such things, and cuts rectangles to what may be drawn; *count of the
 * parts are left, and freed by dxgk_gdi_parts_free() but where none is. */
NTSTATUS MUST_CHECK dxgk_gdi_parts(const struct dxgk_context *context,
                                   const struct dxgk_gdi_command *commands, UINT *count,
                                   struct gdi_part **parts);
void dxgk_gdi_parts_free(struct gdi_part *parts, UINT count);

#endif

/* rects.c: the geometry of a present. A RECT's right and bottom lie outside of it. */
#include "softgpu.h"

RECT softgpu_rect_offset(const RECT *rect, LONG x, LONG y)
{
    RECT result = {rect->left + x, rect->top + y, rect->right + x, rect->bottom + y};

    return result;
}

BOOLEAN softgpu_rect_is_empty(const RECT *rect)
{
    return rect->left >= rect->right || rect->top >= rect->bottom;
}

BOOLEAN softgpu_rect_intersect(const RECT *a, const RECT *b, RECT *out)
{
    out->left = a->left > b->left ? a->left : b->left;
    out->top = a->top > b->top ? a->top : b->top;
    out->right = a->right < b->right ? a->right : b->right;
    out->bottom = a->bottom < b->bottom ? a->bottom : b->bottom;
    return !softgpu_rect_is_empty(out);
}

/* width and height are those of the surface, after the turn. Clockwise by 90 degrees the point
 * (x, y) comes to (width - 1 - y, x). */
RECT softgpu_rect_turn(const RECT *rect, ULONG quarter_turns, LONG width, LONG height)
{
    RECT result = *rect;

    switch (quarter_turns) {
    case 1:
        result.left = width - rect->bottom;
        result.top = rect->left;
        result.right = width - rect->top;
        result.bottom = rect->right;
        break;
    case 2:
        result.left = width - rect->right;
        result.top = height - rect->bottom;
        result.right = width - rect->left;
        result.bottom = height - rect->top;
        break;
    case 3:
        result.left = rect->top;
        result.top = height - rect->right;
        result.right = rect->bottom;
        result.bottom = height - rect->left;
        break;
    default:
        break;
    }
    return result;
}

/* TRUE if moving to `target` overwrites what has to be read for `other`. */
static BOOLEAN overwrites(const RECT *target, const RECT *other, LONG dx, LONG dy)
{
    RECT source = softgpu_rect_offset(other, -dx, -dy), common;

    return softgpu_rect_intersect(target, &source, &common);
}

/* Rectangles that do not overlap and are all moved the same way can always be put in such an order:
 * of those that are left, some one overwrites no other's source. */
ULONG *softgpu_rects_order(const RECT *rects, ULONG count, LONG dx, LONG dy)
{
    ULONG *order, *waiting; /* waiting[i]: how many sources rectangle i would overwrite; or done */
    ULONG i, j, next, placed;

    order = ExAllocatePool2(POOL_FLAG_PAGED, 2 * (SIZE_T)count * sizeof(*order), SOFTGPU_TAG_TEMP);
    if (order == NULL) {
        return NULL;
    }
    waiting = order + count;
    for (i = 0; i < count; i++) {
        for (j = 0; j < count; j++) {
            waiting[i] += i != j && overwrites(&rects[i], &rects[j], dx, dy);
        }
    }
    for (placed = 0; placed < count; placed++) {
        next = count;
        for (i = 0; i < count; i++) {
            if (waiting[i] != ~0u && (next == count || waiting[i] < waiting[next])) {
                next = i;
            }
        }
        order[placed] = next;
        waiting[next] = ~0u;
        for (i = 0; i < count; i++) {
            if (waiting[i] != ~0u && overwrites(&rects[i], &rects[next], dx, dy)) {
                waiting[i]--;
            }
        }
    }
    return order;
}

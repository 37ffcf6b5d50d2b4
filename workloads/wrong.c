/* What leads from a wrong pixel to the call: the latest Presents of a device with their rectangles,
 * and pictures of what was expected and where it differs. */
#include "wrong.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRESENTS_KEPT 512u
#define WRONG_COLOUR  0xFF2020u

struct present {
    uint64_t number;
    D3DKMT_HANDLE destination;
    RECT from, to;
    bool has_from;
    unsigned rect_count;
    RECT *rects; /* where it draws, if it is not all of `to`; NULL: that is not known */
    D3DKMT_PRESENTFLAGS flags;
};

struct gpu_drawn {
    uint64_t count;
    struct present presents[PRESENTS_KEPT];
};

/* ---- Presents ------------------------------------------------------------------------------ */

static RECT around(const RECT *rects, unsigned count)
{
    RECT all = rects[0];

    for (unsigned i = 1; i < count; i++) {
        all.left = rects[i].left < all.left ? rects[i].left : all.left;
        all.top = rects[i].top < all.top ? rects[i].top : all.top;
        all.right = rects[i].right > all.right ? rects[i].right : all.right;
        all.bottom = rects[i].bottom > all.bottom ? rects[i].bottom : all.bottom;
    }
    return all;
}

static bool is_stretched(const D3DKMT_PRESENT *present)
{
    const RECT *from = &present->SrcRect, *to = &present->DstRect;

    return present->Flags.DstRectValid && present->Flags.SrcRectValid &&
           (from->right - from->left != to->right - to->left ||
            from->bottom - from->top != to->bottom - to->top);
}

/* Sub-rectangles are the source's. */
static RECT *keep_rects(const D3DKMT_PRESENT *present)
{
    unsigned count = present->SubRectCnt;
    bool moved = present->Flags.DstRectValid && present->Flags.SrcRectValid;
    LONG dx = moved ? present->DstRect.left - present->SrcRect.left : 0;
    LONG dy = moved ? present->DstRect.top - present->SrcRect.top : 0;
    RECT *rects = count > 0 && !is_stretched(present) ? malloc(count * sizeof *rects) : NULL;

    for (unsigned i = 0; rects && i < count; i++) {
        const RECT *rect = &present->pSrcSubRects[i];
        rects[i] = (RECT){rect->left + dx, rect->top + dy, rect->right + dx, rect->bottom + dy};
    }
    return rects;
}

/* Without DstRect the sub-rectangles say where it draws. */
void wrong_note_present(struct gpu *gpu, const D3DKMT_PRESENT *present)
{
    if (!gpu->drawn && !(gpu->drawn = calloc(1, sizeof *gpu->drawn))) {
        return;
    }
    struct present *kept = &gpu->drawn->presents[gpu->drawn->count % PRESENTS_KEPT];
    free(kept->rects);
    *kept = (struct present){
        .number = ++gpu->drawn->count,
        .destination = present->hDestination,
        .from = present->SrcRect,
        .has_from = present->Flags.SrcRectValid,
        .rect_count = present->SubRectCnt,
        .rects = keep_rects(present),
        .flags = present->Flags,
    };
    if (present->Flags.DstRectValid) {
        kept->to = present->DstRect;
    } else if (present->SubRectCnt > 0) {
        kept->to = around(present->pSrcSubRects, present->SubRectCnt);
    }
}

void wrong_forget(struct gpu *gpu)
{
    for (unsigned i = 0; gpu->drawn && i < PRESENTS_KEPT; i++) {
        free(gpu->drawn->presents[i].rects);
    }
    free(gpu->drawn);
    gpu->drawn = NULL;
}

static bool holds(const RECT *rect, struct box pixel)
{
    return rect->left <= pixel.left && pixel.left < rect->right && rect->top <= pixel.top &&
           pixel.top < rect->bottom;
}

static bool lists(const struct present *present, struct box pixel)
{
    bool listed = !present->rects;

    for (unsigned i = 0; present->rects && i < present->rect_count && !listed; i++) {
        listed = holds(&present->rects[i], pixel);
    }
    return listed;
}

/* *around: a later one whose rectangle holds the pixel, and whose list does not. */
static const struct present *last_at(const struct gpu *gpu, const struct wrong_picture *wrong,
                                     const struct present **around)
{
    const struct gpu_drawn *drawn = gpu->drawn;

    *around = NULL;
    for (uint64_t back = 1; drawn && back <= drawn->count && back <= PRESENTS_KEPT; back++) {
        const struct present *present = &drawn->presents[(drawn->count - back) % PRESENTS_KEPT];
        bool there = present->destination == wrong->surface && holds(&present->to, wrong->first);
        if (there && lists(present, wrong->first)) {
            return present;
        }
        if (there && !*around) {
            *around = present;
        }
    }
    return NULL;
}

static const char *kind_of(const struct present *present)
{
    return present->flags.ColorFill     ? "ColorFill"
           : present->flags.SrcColorKey ? "Blt with SrcColorKey"
                                        : "Blt";
}

static void describe(const struct present *present, char text[WRONG_TEXT_MAX])
{
    char from[96] = "", rects[48] = "";

    if (present->has_from) {
        snprintf(from, sizeof from, " from SrcRect (%d, %d)-(%d, %d)", (int)present->from.left,
                 (int)present->from.top, (int)present->from.right, (int)present->from.bottom);
    }
    if (present->rect_count > 0) {
        snprintf(rects, sizeof rects, ", in %u sub-rectangles", present->rect_count);
    }
    snprintf(text, WRONG_TEXT_MAX,
             "; it was drawn last by the client's Present %llu: %s%s to (%d, %d)-(%d, %d)%s",
             (unsigned long long)present->number, kind_of(present), from, (int)present->to.left,
             (int)present->to.top, (int)present->to.right, (int)present->to.bottom, rects);
}

static void describe_around(const struct present *present, char text[WRONG_TEXT_MAX])
{
    size_t used = strlen(text);

    snprintf(text + used, WRONG_TEXT_MAX - used,
             "; Present %llu%s, %s within (%d, %d)-(%d, %d), has the pixel in none of its %u "
             "sub-rectangles",
             (unsigned long long)present->number, used ? ", which came later" : "",
             kind_of(present), (int)present->to.left, (int)present->to.top, (int)present->to.right,
             (int)present->to.bottom, present->rect_count);
}

/* ---- Pictures ------------------------------------------------------------------------------ */

/* What was expected, darker, and what is wrong in a colour that stands out. */
static void leave_difference(const struct gpu *gpu, const struct wrong_picture *wrong)
{
    const struct picture *expected = wrong->expected;
    struct picture difference;
    char name[48];

    if (!picture_create(expected->width, expected->height, &difference)) {
        return;
    }
    for (unsigned y = 0; y < expected->height; y++) {
        const uint32_t *mine = picture_at(expected, 0, (int)y);
        const uint32_t *theirs =
            (const void *)((const char *)wrong->pixels + (size_t)y * wrong->stride_bytes);
        uint32_t *to = picture_at(&difference, 0, (int)y);
        for (unsigned x = 0; x < expected->width; x++) {
            to[x] = (mine[x] ^ theirs[x]) & 0xFFFFFF ? WRONG_COLOUR : mine[x] >> 2 & 0x3F3F3F;
        }
    }
    snprintf(name, sizeof name, "%s-difference", wrong->name);
    gpu->host->frame(gpu->host, name, difference.pixels, difference.width, difference.height,
                     difference.width * 4);
    picture_destroy(&difference);
}

void wrong_tell(struct gpu *gpu, const struct wrong_picture *wrong, char text[WRONG_TEXT_MAX])
{
    const struct picture *expected = wrong->expected;
    const struct present *around;
    const struct present *last = last_at(gpu, wrong, &around);
    char name[48];

    text[0] = '\0';
    if (last) {
        describe(last, text);
    }
    if (around) {
        describe_around(around, text);
    }
    snprintf(name, sizeof name, "%s-expected", wrong->name);
    gpu->host->frame(gpu->host, name, expected->pixels, expected->width, expected->height,
                     expected->width * 4);
    leave_difference(gpu, wrong);
}

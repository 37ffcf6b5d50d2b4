/* The picture that a display-only driver reads, and when it reads it no longer. */
#include "dxgk/display_composed.h"
#include "dxgk/work.h"

#include <stdlib.h>
#include <string.h>

size_t dxgk_composed_room(const struct dxgk_mode *mode, unsigned gap)
{
    size_t rows = mode->width > mode->height ? mode->width : mode->height;

    return ((size_t)mode->width * mode->height + rows * gap) * 4;
}

void dxgk_composed_use_again(struct dxgk_source *source)
{
    size_t count = dxgk_composed_room(&source->mode, source->composed->gap) / 4;

    for (size_t i = 0; i < count; i++) {
        source->composed->pixels[i] = USED_PIXEL;
    }
}

void dxgk_composed_lend_no_longer(struct dxgk_source *source)
{
    struct dxgk_composed *composed = source->composed;
    size_t bytes = dxgk_composed_room(&source->mode, composed->gap);

    if (!composed->inside || composed->kept || !composed->pends ||
        composed->progress != DXGK_PRESENT_DISPLAYONLY_PROGRESS_ID_COMPLETE) {
        return;
    }
    composed->kept = malloc(bytes);
    if (composed->kept) {
        memcpy(composed->kept, composed->pixels, bytes);
        dxgk_composed_use_again(source);
    }
}

void dxgk_composed_bring_back(struct dxgk_source *source)
{
    struct dxgk_composed *composed = source->composed;

    composed->inside = false;
    if (composed->kept) {
        memcpy(composed->pixels, composed->kept, dxgk_composed_room(&source->mode, composed->gap));
        free(composed->kept);
        composed->kept = NULL;
    }
}

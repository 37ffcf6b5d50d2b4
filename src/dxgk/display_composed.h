/* What display_only.c, which presents frames, and display_look.c, which looks at them, share. */
#ifndef DXGK_DISPLAY_COMPOSED_H
#define DXGK_DISPLAY_COMPOSED_H

#include "dxgk/display_only.h"

#define USED_PIXEL 0xFF7E15C9u /* what is written where a present has been */

struct dxgk_composed {
    uint32_t *pixels; /* what the driver reads: upright if it rotates, else as it is scanned out */
    unsigned gap;     /* between rows, in pixels */
    unsigned pitch;   /* of the rows of this frame */
    bool rotates;     /* this frame: the driver turns it */
    unsigned turned;  /* presents to a turned path so far */
    uint32_t *expected; /* what the monitor must show, without gaps; stale until a whole frame was
                         * presented */
    D3DKMT_MOVE_RECT *moves; /* the driver's lists, DXGK_FRAME_RECTS_MAX each */
    RECT *dirty;
    bool stale;    /* the next one is presented whole */
    bool examined; /* its pointer */
    /* Interrupt level writes the first, its DPC the second. */
    bool told, ended;
    DXGK_PRESENT_DISPLAY_ONLY_PROGRESS_ID progress;
    struct wait_queue changed;
};

/* Where a rectangle of the driver's lists is on the screen. */
RECT dxgk_composed_on_screen(const struct dxgk_source *source, const RECT *rect);
/* What the device's model said last, if it did since that was asked, as the end of a sentence. */
#define DXGK_SAID_MAX (PCI_SAID_MAX + 40)
void dxgk_device_word(const struct dxgk_source *source, char text[DXGK_SAID_MAX]);
/* Compares, a picture later if need be. May switch. */
bool dxgk_screen_settled(const struct dxgk_source *source, const uint32_t *expected,
                         struct dxgk_screen_wrong *out);
void dxgk_composed_judge(struct dxgk_source *source, const struct dxgk_frame *frame);
/* Once, when the first frame is seen; the change is in hand. May switch. */
void dxgk_composed_exam_pointer(struct dxgk_source *source);

#endif

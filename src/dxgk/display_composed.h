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
    bool ramp_examined;
    bool ramped;   /* seen through a ramp that somebody set: nobody compares */
    bool was_lit;  /* the monitor showed something of its mode's size */
    bool was_dark; /* said already, until it is lit again */
    /* Interrupt level writes the first, its DPC the second; told while none is under way: stray. */
    bool told, ended;
    bool under_way, stray;
    bool pends; /* the last present ended by a notice, and none came since that nobody waits for */
    bool inside;    /* of the call; the notice that all is done may come there, too */
    uint32_t *kept; /* the picture of who told so, until the call returns; NULL: it is in pixels */
    DXGK_PRESENT_DISPLAY_ONLY_PROGRESS_ID progress;
    struct wait_queue changed;
};

/* display_lent.c: bytes for a picture that is upright, or lies on its side. */
size_t dxgk_composed_room(const struct dxgk_mode *mode, unsigned gap);
/* The present is over, whether it was done or not: the next picture comes to the same place. */
void dxgk_composed_use_again(struct dxgk_source *source);
/* Whoever says in the call that it is done reads no more of it either: until the call returns the
 * picture is elsewhere. Not of drivers that tell of whatever their device has done, and have
 * copied the picture when they return [DOD-001]. */
void dxgk_composed_lend_no_longer(struct dxgk_source *source);
void dxgk_composed_bring_back(struct dxgk_source *source);
/* Where a rectangle of the driver's lists is on the screen. */
RECT dxgk_composed_on_screen(const struct dxgk_source *source, const RECT *rect);
/* What the device's model said last, if it did since that was asked, as the end of a sentence. */
#define DXGK_SAID_MAX (PCI_SAID_MAX + 40)
void dxgk_device_word(const struct dxgk_source *source, char text[DXGK_SAID_MAX]);
/* The same of a present that never ends, or a notice that named another source. */
void dxgk_composed_say_why(const struct dxgk_source *source, char said[DXGK_SAID_MAX]);
/* display_seen.c: what is seen instead, as the end of a sentence, where nearly all of the picture
 * says so; false, and an empty text: it does not. */
bool dxgk_composed_say_seen(const struct dxgk_source *source, const struct dxgk_screen_wrong *wrong,
                            char *text, size_t size);
/* Compares, a picture later if need be. May switch. */
bool dxgk_screen_settled(const struct dxgk_source *source, const uint32_t *expected,
                         struct dxgk_screen_wrong *out);
void dxgk_composed_judge(struct dxgk_source *source, const struct dxgk_frame *frame);
/* Once, when the first frame is seen; the change is in hand. May switch. */
void dxgk_composed_exam_pointer(struct dxgk_source *source);
/* display_gamma.c: its ramp, likewise. */
void dxgk_composed_exam_gamma(struct dxgk_source *source);
/* asked.c: as dxgk_source_set_gamma(), of who has the change in hand. */
NTSTATUS dxgk_source_update_gamma(struct dxgk_source *source, const D3DKMDT_GAMMA_RAMP *ramp);

#endif

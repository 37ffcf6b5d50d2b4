/* oracle.h: what a Present means, pixel by pixel, in plain words of C: from the documents of
 * DXGKARG_PRESENT and the choices of docs/choices.md alone. It shares no line with anybody who
 * draws, and knows nothing of a driver.
 *
 *   before ──┐
 *            ├── oracle_judge ──> how many pixels are wrong, and the first: in what was to be
 *   after  ──┘                    written, or outside of it
 *
 * A channel has a lowest and a highest code that is right. They are one where documents fix it: a
 * copy between equal formats, a fill, what is not written. They differ where a format is narrowed
 * or widened, where a curve is rounded, and where a stretch is free in its filter. */
#ifndef WORKLOADS_ORACLE_H
#define WORKLOADS_ORACLE_H

#include <d3dkmthk.h>

#include "picture.h"

struct oracle_picture {
    unsigned width, height, pitch;
    D3DDDIFORMAT format; /* one that oracle_knows() */
    const uint8_t *bytes;
};

bool oracle_knows(D3DDDIFORMAT format);
unsigned oracle_pixel_bytes(D3DDDIFORMAT format);

enum oracle_filter {
    ORACLE_ANY_FILTER, /* nothing is known but where a pixel comes from */
    ORACLE_NEAREST,
    ORACLE_BILINEAR,
};

struct oracle_present {
    const struct oracle_picture *from; /* as it is before the call; NULL: a fill */
    struct box from_box, to_box;       /* of one size: not stretched */
    const struct box *boxes;           /* of the source, or where a fill goes to; may leave it */
    unsigned count;                    /* 0: all of it */
    uint32_t color;                    /* A8R8G8B8, as a client gives it */
    bool source_key, destination_key, linear_to_srgb;
    enum oracle_filter filter;
    bool strict; /* narrowed by cutting, widened by repeating, and fills have their alpha */
};

/* Of a format's own codes: red, green, blue, alpha. */
struct oracle_range {
    bool counts[4];
    unsigned low[4], high[4];
};

enum oracle_part {
    ORACLE_OUTSIDE, /* of what the call may write */
    ORACLE_KEYED,   /* a key keeps it as it is */
    ORACLE_WRITTEN,
};

struct oracle_verdict {
    uint64_t wrong, keyed; /* the second: that a key keeps as they are */
    int x, y;              /* the first */
    enum oracle_part part;
    bool as_before; /* it is as it was before */
    struct oracle_range expected;
    unsigned is[4];
};

/* Both pictures are the destination; false: no memory. */
bool oracle_judge(const struct oracle_present *present, const struct oracle_picture *before,
                  const struct oracle_picture *after, struct oracle_verdict *out);

/* The colours of the screen, for a look: of what is expected (the lowest codes), of a picture, and
 * where they differ. `out` has the size of the picture. */
bool oracle_paint(const struct oracle_present *present, const struct oracle_picture *before,
                  const struct oracle_picture *after, struct picture out[3]);

#endif

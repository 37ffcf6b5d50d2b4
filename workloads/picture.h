/* picture.h: pictures in the CPU's memory and the operations of the GPU, done by pixman, or row by
 * row where pixels stay what they are: the reference that a GPU's work is compared with.
 *
 * Pixels are 0xXXRRGGBB; what stands in XX does not count. */
#ifndef WORKLOADS_PICTURE_H
#define WORKLOADS_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct picture {
    unsigned width, height;
    uint32_t *pixels; /* rows without gaps */
};

/* Right and bottom are outside. */
struct box {
    int left, top, right, bottom;
};

static inline int box_width(struct box box)
{
    return box.right - box.left;
}

static inline int box_height(struct box box)
{
    return box.bottom - box.top;
}

static inline struct box box_at(int x, int y, int width, int height)
{
    return (struct box){x, y, x + width, y + height};
}

static inline bool box_is_empty(struct box box)
{
    return box.left >= box.right || box.top >= box.bottom;
}

struct box box_intersect(struct box a, struct box b);

bool picture_create(unsigned width, unsigned height, struct picture *out); /* black */
void picture_destroy(struct picture *picture);

static inline struct box picture_box(const struct picture *picture)
{
    return (struct box){0, 0, (int)picture->width, (int)picture->height};
}

static inline uint32_t *picture_at(const struct picture *picture, int x, int y)
{
    return &picture->pixels[(size_t)y * picture->width + (size_t)x];
}

/* The colours of pixels without what stands above them; or, by their alpha, over what is there. The
 * line: x and y of the first, and the way to the next. */
void picture_put_line(struct picture *to, const int line[4], const uint32_t *from, int count,
                      bool blends);
/* No channel is further off. */
bool picture_is_near(uint32_t a, uint32_t b, int steps);
/* From `begin` on, before `end`. */
bool picture_colours_differ(const uint32_t *a, const uint32_t *b, int begin, int end);

void picture_fill(struct picture *to, struct box box, uint32_t colour);

/* Both may be the same picture, and the boxes may overlap. What lies outside of either is left
 * out. */
void picture_copy(struct picture *to, int x, int y, const struct picture *from, struct box box);

/* Leaves pixels of the colour `key` out. */
void picture_copy_keyed(struct picture *to, int x, int y, const struct picture *from,
                        struct box box, uint32_t key);

/* Makes each pixel `factor` times as large, either way. The result must lie inside of `to`. */
void picture_enlarge(struct picture *to, int x, int y, const struct picture *from, struct box box,
                     unsigned factor);

/* Porter-Duff OVER of a picture 0xAARRGGBB with alpha multiplied in; opacity 0 to 255. */
void picture_over(struct picture *to, int x, int y, const struct picture *from, unsigned opacity);

/* How many pixels differ. Rows of `other` are stride_bytes apart. first gets the place of the first
 * that does. */
uint64_t picture_compare(const struct picture *picture, const void *other, size_t stride_bytes,
                         struct box *first);

#endif

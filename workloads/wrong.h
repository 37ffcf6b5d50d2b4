/* wrong.h: pictures and words for a picture that is wrong: what was expected, where it differs, and
 * which Present drew there last. */
#ifndef WORKLOADS_WRONG_H
#define WORKLOADS_WRONG_H

#include "gpu.h"

#define WRONG_TEXT_MAX 320

struct gpu_drawn;

/* A Present of this device that succeeded. Keeps the latest. */
void wrong_note_present(struct gpu *gpu, const D3DKMT_PRESENT *present);
void wrong_forget(struct gpu *gpu);

/* Leaves the pictures `<name>-expected` and `<name>-difference`, and in the text who drew the pixel
 * last on the surface: "the last Present to that pixel, number 57 of its context: Blt from ..." */
struct wrong_picture {
    const char *name;
    D3DKMT_HANDLE surface;
    const struct picture *expected;
    const void *pixels;
    unsigned stride_bytes;
    struct box first; /* the first wrong pixel */
};
void wrong_tell(struct gpu *gpu, const struct wrong_picture *wrong, char text[WRONG_TEXT_MAX]);

#endif

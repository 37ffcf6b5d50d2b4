/* wrong.h: pictures and words for a picture that is wrong: what was expected, where it differs, and
 * which Present drew there last; and which one drew around that pixel later, for a driver may have
 * drawn too much. */
#ifndef WORKLOADS_WRONG_H
#define WORKLOADS_WRONG_H

#include "gpu.h"

#define WRONG_TEXT_MAX 480

struct gpu_drawn;

/* A Present of this device that succeeded. Keeps the latest. */
void wrong_note_present(struct gpu *gpu, const D3DKMT_PRESENT *present);
void wrong_forget(struct gpu *gpu);

/* Leaves the pictures `<name>-expected` and `<name>-difference`, and in the text who drew the pixel
 * last on the surface: "it was drawn last by the client's Present 57: Blt from SrcRect ...". */
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

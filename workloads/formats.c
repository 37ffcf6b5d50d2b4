/* Presents on surfaces of other formats than a screen's: Color is A8R8G8B8 whatever the surface
 * holds, for a fill and as a key, and a copy from one format to another keeps the colours
 * [PRES-025]. Of the software GPU's driver: no page says which of these a kernel asks others for.
 * See results.h. */
#include "results.h"

#include "canvas.h"

#define SIDE 32

/* Each part is all or nothing, so that no rounding counts. */
#define GROUND 0x0000FFu
#define DRAWN  0xFF0000u
#define KEPT   0xFFFF00u

static const struct format {
    D3DDDIFORMAT format;
    const char *name;
    unsigned pixel_bytes;
} formats[] = {
    {D3DDDIFMT_A8B8G8R8, "A8B8G8R8", 4},
    {D3DDDIFMT_R5G6B5, "R5G6B5", 2},
};

static const struct box quarter = {4, 4, SIDE / 2, SIDE / 2};
static const struct box beside = {SIDE / 2, 6, SIDE - 2, 20};

/* A pixel of the surface as a colour of the screen. */
static uint32_t read_pixel(const struct format *format, const uint8_t *row, int x)
{
    const uint8_t *pixel = row + (unsigned)x * format->pixel_bytes;

    if (format->format == D3DDDIFMT_A8B8G8R8) {
        return (uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2];
    }
    unsigned word = pixel[0] | (unsigned)pixel[1] << 8;
    return (word >> 11 ? 0xFF0000u : 0) | (word >> 5 & 0x3F ? 0x00FF00u : 0) |
           (word & 0x1F ? 0x0000FFu : 0);
}

struct work {
    struct gpu *gpu;
    const struct format *format;
    struct surface surface, other; /* of that format */
};

static bool judge(const struct work *work, const struct surface *surface,
                  const struct picture *expected, const char *done)
{
    const uint8_t *bytes = gpu_lock(work->gpu, surface, true);
    bool good = bytes != NULL;

    for (int y = 0; good && y < SIDE; y++) {
        for (int x = 0; good && x < SIDE; x++) {
            uint32_t is = read_pixel(work->format, bytes + (size_t)y * surface->pitch, x);
            uint32_t wanted = *picture_at(expected, x, y) & 0xFFFFFF;
            good = is == wanted;
            if (!good) {
                work->gpu->host->fail(work->gpu->host,
                                      "after %s, of a surface of the format %s, the pixel (%d, %d) "
                                      "has the colour 0x%06X, not 0x%06X (PRES-025)",
                                      done, work->format->name, x, y, is, wanted);
            }
        }
    }
    if (bytes) {
        gpu_unlock(work->gpu, surface);
    }
    return good;
}

static bool fill(struct work *work, const struct surface *surface, struct picture *picture)
{
    struct gpu *gpu = work->gpu;

    picture_fill(picture, picture_box(picture), GROUND);
    picture_fill(picture, quarter, DRAWN);
    picture_fill(picture, beside, KEPT);
    return gpu_fill(gpu, surface, picture_box(picture), GROUND) &&
           gpu_fill(gpu, surface, quarter, DRAWN) && gpu_fill(gpu, surface, beside, KEPT) &&
           gpu_wait_idle(gpu) && judge(work, surface, picture, "Present (ColorFill)");
}

/* From the first surface to the second, which has one colour: all but the key. */
static bool copy_keyed(struct work *work, struct picture *picture)
{
    const uint32_t key = 0xFF000000u | DRAWN;
    struct box whole = picture_box(picture);
    struct gpu *gpu = work->gpu;

    if (!gpu_fill(gpu, &work->other, whole, KEPT)) {
        return false;
    }
    NTSTATUS status = gpu_try_blt(gpu, &work->other, whole, &work->surface, whole, &key);
    if (is_refusal(status)) {
        return gpu_wait_idle(gpu);
    }
    picture_fill(picture, quarter, KEPT);
    return gpu_check(gpu, status, "D3DKMTPresent (Blt, SrcColorKey)") && gpu_wait_idle(gpu) &&
           judge(work, &work->other, picture, "Present (Blt, SrcColorKey)");
}

static bool copy_converted(struct work *work, struct picture *picture)
{
    struct box whole = picture_box(picture);
    struct gpu *gpu = work->gpu;
    struct canvas from = {0};

    bool good = canvas_create(gpu, SIDE, SIDE, false, &from) &&
                canvas_fill(gpu, &from, whole, DRAWN) && canvas_fill(gpu, &from, beside, GROUND);
    NTSTATUS status = good ? gpu_try_blt(gpu, &work->surface, whole, &from.surface, whole, NULL)
                           : STATUS_NOT_SUPPORTED;
    if (good && !is_refusal(status)) {
        picture_copy(picture, 0, 0, &from.picture, whole);
        good = gpu_check(gpu, status, "D3DKMTPresent (Blt, to another format)") &&
               gpu_wait_idle(gpu) &&
               judge(work, &work->surface, picture, "Present (Blt) from X8R8G8B8");
    }
    canvas_destroy(gpu, &from);
    return good;
}

/* False: the driver makes none. */
static bool make(struct work *work)
{
    struct drydock_standard_allocation description = {.kind = DRYDOCK_SURFACE_SHADOW,
                                                      .width = SIDE,
                                                      .height = SIDE,
                                                      .format = work->format->format};

    return gpu_surface_try_create(work->gpu, &description, &work->surface) >= 0 &&
           gpu_surface_try_create(work->gpu, &description, &work->other) >= 0;
}

static bool run(struct work *work)
{
    struct picture picture;
    bool good = true;

    if (!picture_create(SIDE, SIDE, &picture)) {
        return false;
    }
    if (make(work)) {
        good = fill(work, &work->surface, &picture) && copy_keyed(work, &picture) &&
               copy_converted(work, &picture);
        work->gpu->host->count(work->gpu->host, "surfaces.formats", good);
    }
    gpu_surface_destroy(work->gpu, &work->surface);
    gpu_surface_destroy(work->gpu, &work->other);
    picture_destroy(&picture);
    return good && !work->gpu->lost;
}

bool result_of_formats(struct gpu *gpu)
{
    bool good = true;

    if (!(gpu->host->capabilities & DRYDOCK_DRIVER_IS_SOFTGPU)) {
        return true;
    }
    for (size_t i = 0; good && i < sizeof formats / sizeof *formats; i++) {
        struct work work = {.gpu = gpu, .format = &formats[i]};
        good = run(&work);
    }
    return good;
}

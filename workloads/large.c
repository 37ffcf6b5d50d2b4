/* One surface of more than half of video memory, which leaves it and comes back whole. A driver
 * writes some bytes for each of its pages: they do not all fit into one paging buffer, however much
 * of that is left, so that it begins with a part. Its corners have a picture, and are looked at. */
#include "large.h"

#define SHARE_OF_16 9 /* beside what is shown, wherever that lies */
#define BYTES_MIN   (UINT64_C(33) << 20)
#define BYTES_MAX   (UINT64_C(72) << 20)
#define WIDTH       2048u
#define PIXEL_BYTES 4u
#define CORNER      64u

struct large {
    struct gpu gpu;
    struct surface surface, piece;
    struct picture picture;
};

static bool make(struct large *large, D3DDDIFORMAT format, uint64_t bytes)
{
    struct drydock_standard_allocation standard = {
        .kind = DRYDOCK_SURFACE_PRIMARY,
        .width = WIDTH,
        .height = (UINT)(bytes / (WIDTH * PIXEL_BYTES)),
        .format = format,
    };

    if (gpu_surface_try_create(&large->gpu, &standard, &large->surface) < 0) {
        large->surface = (struct surface){0};
        large->gpu.host->note(large->gpu.host, "no surface of %u x %u pixels is made",
                              standard.width, standard.height);
        return false;
    }
    return gpu_surface_create(&large->gpu, DRYDOCK_SURFACE_SHADOW, CORNER, CORNER, format, false,
                              &large->piece) &&
           picture_create(CORNER, CORNER, &large->picture);
}

static struct box last_corner(const struct large *large)
{
    return box_at((int)(WIDTH - CORNER), (int)(large->surface.height - CORNER), (int)CORNER,
                  (int)CORNER);
}

static bool draw(struct large *large)
{
    struct gpu *gpu = &large->gpu;
    struct box whole = picture_box(&large->picture), last = last_corner(large);

    picture_fill(&large->picture, whole, 0x204060);
    picture_fill(&large->picture, box_at(3, 7, 41, 19), 0xE0C080);
    return gpu_upload(gpu, &large->piece, &large->picture) &&
           gpu_blt(gpu, &large->surface, 0, 0, &large->piece, whole) &&
           gpu_blt(gpu, &large->surface, last.left, last.top, &large->piece, whole);
}

static bool look_at(struct large *large, struct box corner, const char *which)
{
    struct gpu *gpu = &large->gpu;
    struct box first;

    if (!gpu_blt(gpu, &large->piece, 0, 0, &large->surface, corner)) {
        return false;
    }
    uint64_t wrong = gpu_compare(gpu, &large->piece, &large->picture, &first);
    if (wrong > 0 && wrong < UINT64_MAX) {
        gpu->host->fail(gpu->host,
                        "%llu pixels of the %s corner of a surface of %u x %u are wrong after it "
                        "left video memory and came back",
                        (unsigned long long)wrong, which, large->surface.width,
                        large->surface.height);
    }
    return wrong == 0;
}

static bool move(struct large *large)
{
    bool good = draw(large) && gpu_wait_idle(&large->gpu) &&
                gpu_evict(&large->gpu, &large->surface) &&
                look_at(large, picture_box(&large->picture), "first") &&
                look_at(large, last_corner(large), "last");

    if (good) {
        large->gpu.host->count(large->gpu.host, "pressure.large_bytes", large->surface.size_bytes);
    }
    return good;
}

void large_moves(const struct drydock_workload_host *host, const D3DKMT_DISPLAYMODE *mode,
                 uint64_t memory_bytes)
{
    uint64_t bytes = memory_bytes / 16 * SHARE_OF_16;
    struct large large = {0};

    bytes = bytes > BYTES_MAX ? BYTES_MAX : bytes;
    if (bytes < BYTES_MIN || !gpu_is_32_bit(mode->Format) || !gpu_open(&large.gpu, host, 0)) {
        return;
    }
    if (make(&large, mode->Format, bytes)) {
        move(&large);
    }
    picture_destroy(&large.picture);
    gpu_surface_destroy(&large.gpu, &large.piece);
    gpu_surface_destroy(&large.gpu, &large.surface);
    gpu_close(&large.gpu);
}

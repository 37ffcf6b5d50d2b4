/* The picture of a second monitor: painted once, shown beside the desktop, flipped to and looked at
 * again whenever the desktop is. Whatever is done to the first monitor, this one's stays. */
#include "second.h"

#include <stdlib.h>

#include "drydock/client.h"

#define SOURCE  1
#define STRIPES 8
#define LABEL_W 40
#define LABEL_H 24
#define LABEL_X 16 /* of whoever sees the picture turned */
#define LABEL_Y 12

static bool query_mode(struct gpu *gpu, D3DKMT_DISPLAYMODE *mode)
{
    return gpu_display_mode(gpu->adapter, SOURCE, mode) && mode->Width >= STRIPES &&
           gpu_is_32_bit(mode->Format);
}

static bool create_primary(struct second *second, const D3DKMT_DISPLAYMODE *mode)
{
    struct drydock_standard_allocation primary = {
        .hDevice = second->gpu->device,
        .kind = DRYDOCK_SURFACE_PRIMARY,
        .width = mode->Width,
        .height = mode->Height,
        .format = mode->Format,
        .source = SOURCE,
    };

    if (!gpu_check(second->gpu, drydock_create_standard_allocation(&primary),
                   "creating the primary of the second source")) {
        return false;
    }
    second->surface = (struct surface){.allocation = primary.hAllocation,
                                       .resource = primary.hResource,
                                       .width = mode->Width,
                                       .height = mode->Height};
    return true;
}

/* Stripes of its own colours. */
static bool paint(struct second *second)
{
    int width = (int)second->picture.width, height = (int)second->picture.height;

    for (int i = 0; i < STRIPES; i++) {
        struct box box = {width * i / STRIPES, 0, width * (i + 1) / STRIPES, height};
        uint32_t colour = 0x184060u + 0x1A0B06u * (uint32_t)i;
        picture_fill(&second->picture, box, colour);
        if (!gpu_fill(second->gpu, &second->surface, box, colour)) {
            return false;
        }
    }
    return gpu_wait_idle(second->gpu);
}

static NTSTATUS try_mode(const struct second *second, D3DDDI_ROTATION rotation)
{
    const D3DKMT_SETDISPLAYMODE mode = {.hDevice = second->gpu->device,
                                        .hPrimaryAllocation = second->surface.allocation,
                                        .ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE,
                                        .DisplayOrientation = rotation};

    return D3DKMTSetDisplayMode(&mode);
}

static bool set_mode(const struct second *second)
{
    return gpu_check_mode(second->gpu, try_mode(second, D3DDDI_ROTATION_IDENTITY),
                          "D3DKMTSetDisplayMode of the second source");
}

static bool show(const struct second *second)
{
    const D3DKMT_VIDPNSOURCEOWNER_TYPE type = D3DKMT_VIDPNSOURCEOWNER_SHARED;
    const D3DDDI_VIDEO_PRESENT_SOURCE_ID source = SOURCE;
    const D3DKMT_SETVIDPNSOURCEOWNER owner = {.hDevice = second->gpu->device,
                                              .pType = &type,
                                              .pVidPnSourceId = &source,
                                              .VidPnSourceCount = 1};

    return gpu_check(second->gpu, D3DKMTSetVidPnSourceOwner(&owner), "D3DKMTSetVidPnSourceOwner") &&
           set_mode(second);
}

bool second_show(struct second *second, struct gpu *gpu)
{
    D3DKMT_DISPLAYMODE mode;

    *second = (struct second){.gpu = gpu};
    if (!query_mode(gpu, &mode)) {
        return true; /* there is none */
    }
    second->shown = picture_create(mode.Width, mode.Height, &second->picture) &&
                    create_primary(second, &mode) && paint(second) && show(second);
    return second->shown && second_compare(second);
}

bool second_flip(const struct second *second)
{
    D3DKMT_PRESENT present = {
        .hContext = second->gpu ? second->gpu->context : 0,
        .hSource = second->surface.allocation,
        .VidPnSourceId = SOURCE,
        .FlipInterval = D3DDDI_FLIPINTERVAL_ONE,
        .Flags.Flip = 1,
    };

    if (!second->shown) {
        return true;
    }
    NTSTATUS status = D3DKMTPresent(&present);
    return status == STATUS_INVALID_PARAMETER || /* the monitor is away, or has another mode */
           gpu_check(second->gpu, status, "D3DKMTPresent (Flip) of the second source");
}

bool second_set_mode(const struct second *second)
{
    return !second->shown || set_mode(second);
}

/* `rule`: what a wrong picture breaks, after what was done; NULL: nobody drew there. */
static bool compare(const struct second *second, const char *rule, const char *done)
{
    const struct drydock_workload_host *host = second->gpu->host;
    unsigned width, height, stride;
    const void *pixels;
    struct box first;

    if (second->shown) {
        gpu_let_latch(second->gpu, SOURCE, &second->picture);
    }
    if (!second->shown || !host->scanout(host, SOURCE, &pixels, &width, &height, &stride)) {
        return true;
    }
    if (width != second->picture.width || height != second->picture.height) {
        host->fail(host, "the second monitor shows %u x %u pixels, its mode has %u x %u", width,
                   height, second->picture.width, second->picture.height);
        return false;
    }
    uint64_t wrong = picture_compare(&second->picture, pixels, stride, &first);
    if (wrong) {
        host->count(host, "present.wrong_pixels", wrong);
    }
    if (wrong && rule) {
        host->breaks(host, rule,
                     "after %s %llu pixels of the second monitor's scan-out are wrong, the first "
                     "at (%d, %d)",
                     done, (unsigned long long)wrong, first.left, first.top);
    } else if (wrong) {
        host->fail(host,
                   "%llu pixels of the second monitor's scan-out are wrong, the first at (%d, %d); "
                   "nobody drew there",
                   (unsigned long long)wrong, first.left, first.top);
    } else if (rule) {
        host->holds(host, rule);
    }
    return wrong == 0;
}

bool second_compare(const struct second *second)
{
    return compare(second, NULL, NULL);
}

/* ---- Turned ---------------------------------------------------------------------------------- */

static bool make_label(struct gpu *gpu, struct surface *label, struct picture *picture)
{
    if (!picture_create(LABEL_W, LABEL_H, picture)) {
        return false;
    }
    for (unsigned i = 0; i < LABEL_W * LABEL_H; i++) {
        picture->pixels[i] = 0xE0A040u - i % LABEL_W * 0x040000u - i / LABEL_W * 0x0500u;
    }
    return gpu_surface_create(gpu, DRYDOCK_SURFACE_SHADOW, LABEL_W, LABEL_H, D3DDDIFMT_X8R8G8B8,
                              false, label) &&
           gpu_upload(gpu, label, picture);
}

/* Upside down, it comes to the other corner. False: it failed, or the monitor shows it wrong. */
static bool draw_turned(struct second *second, const struct surface *label,
                        const struct picture *picture)
{
    const D3DKMT_PRESENT present = {
        .hContext = second->gpu->context,
        .hSource = label->allocation,
        .hDestination = second->surface.allocation,
        .DstRect = {LABEL_X, LABEL_Y, LABEL_X + LABEL_W, LABEL_Y + LABEL_H},
        .SrcRect = {0, 0, LABEL_W, LABEL_H},
        .Flags = {.Blt = 1, .DstRectValid = 1, .SrcRectValid = 1, .Rotate = 1},
    };
    D3DKMT_PRESENT asked = present;
    NTSTATUS status = D3DKMTPresent(&asked);

    if (status == STATUS_GRAPHICS_CANNOTCOLORCONVERT || status == STATUS_NOT_SUPPORTED) {
        return true; /* it can be refused */
    }
    if (!gpu_check(second->gpu, status, "D3DKMTPresent (Blt, Rotate) of the second source") ||
        !gpu_wait_idle(second->gpu)) {
        return false;
    }
    for (int i = 0; i < LABEL_W * LABEL_H; i++) {
        int x = (int)second->picture.width - 1 - LABEL_X - i % LABEL_W;
        int y = (int)second->picture.height - 1 - LABEL_Y - i / LABEL_W;
        *picture_at(&second->picture, x, y) = picture->pixels[i];
    }
    return compare(second, "PRES-041",
                   "Present (Blt, with Rotate) to a primary of the second source, whose path was "
                   "turned by 180 degrees while the first source's was not,");
}

bool second_turn(struct second *second)
{
    struct surface label = {0};
    struct picture picture = {0};

    if (!second->shown || second->picture.width < 2 * (LABEL_X + LABEL_W) ||
        second->picture.height < 2 * (LABEL_Y + LABEL_H)) {
        return true;
    }
    bool good = make_label(second->gpu, &label, &picture);
    if (good) {
        NTSTATUS status = try_mode(second, D3DDDI_ROTATION_180);
        good = status == STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED ||
               (gpu_check_mode(second->gpu, status,
                               "D3DKMTSetDisplayMode of the second source, turned") &&
                draw_turned(second, &label, &picture) && set_mode(second));
    }
    gpu_surface_destroy(second->gpu, &label);
    picture_destroy(&picture);
    return good && second_compare(second);
}

void second_destroy(struct second *second)
{
    if (second->gpu) {
        gpu_surface_destroy(second->gpu, &second->surface);
        picture_destroy(&second->picture);
    }
}

/* The picture of a second monitor: painted once, shown beside the desktop, flipped to and looked at
 * again whenever the desktop is. Whatever is done to the first monitor, this one's stays. */
#include "second.h"

#include <stdlib.h>

#include "drydock/client.h"

#define SOURCE  1
#define STRIPES 8

static bool query_mode(struct gpu *gpu, D3DKMT_CURRENTDISPLAYMODE *mode)
{
    const D3DKMT_QUERYADAPTERINFO query = {
        .hAdapter = gpu->adapter,
        .Type = KMTQAITYPE_CURRENTDISPLAYMODE,
        .pPrivateDriverData = mode,
        .PrivateDriverDataSize = sizeof *mode,
    };

    *mode = (D3DKMT_CURRENTDISPLAYMODE){.VidPnSourceId = SOURCE};
    return D3DKMTQueryAdapterInfo(&query) >= 0 && mode->DisplayMode.Width >= STRIPES &&
           (mode->DisplayMode.Format == D3DDDIFMT_X8R8G8B8 ||
            mode->DisplayMode.Format == D3DDDIFMT_A8R8G8B8);
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

static bool set_mode(const struct second *second)
{
    const D3DKMT_SETDISPLAYMODE mode = {.hDevice = second->gpu->device,
                                        .hPrimaryAllocation = second->surface.allocation,
                                        .ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE,
                                        .DisplayOrientation = D3DDDI_ROTATION_IDENTITY};

    return gpu_check_mode(second->gpu, D3DKMTSetDisplayMode(&mode),
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
    D3DKMT_CURRENTDISPLAYMODE mode;

    *second = (struct second){.gpu = gpu};
    if (!query_mode(gpu, &mode)) {
        return true; /* there is none */
    }
    second->shown =
        picture_create(mode.DisplayMode.Width, mode.DisplayMode.Height, &second->picture) &&
        create_primary(second, &mode.DisplayMode) && paint(second) && show(second);
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

bool second_compare(const struct second *second)
{
    const struct drydock_workload_host *host = second->gpu->host;
    unsigned width, height, stride;
    const void *pixels;
    struct box first;

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
        host->fail(host,
                   "%llu pixels of the second monitor's scan-out are wrong, the first at (%d, %d); "
                   "nobody drew there",
                   (unsigned long long)wrong, first.left, first.top);
    }
    return wrong == 0;
}

void second_destroy(struct second *second)
{
    if (second->gpu) {
        gpu_surface_destroy(second->gpu, &second->surface);
        picture_destroy(&second->picture);
    }
}

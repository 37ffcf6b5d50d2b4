/* A screen in stereo: primaries with an image for each eye.
 *
 *   the mode ─ FlipStereo, at the next vertical sync and at once ─ with FlipStereoPreferRight ─
 *   FlipStereoTemporaryMono, where the mode has it ─ and back; copies of either image
 *
 * After each flip both eyes are looked at, where the device can tell what they see. Images are
 * painted by commands, and how a primary holds two of them is the driver's own: so it takes one
 * whose allocations and commands are known, that of the software GPU. */
#include "stereo.h"

#include <stdio.h>

#include "softgpu_client.h"

#define MODES_MAX 64
#define BAND      0xC8D060u

enum eye { LEFT, RIGHT, EYES };

struct stereo {
    struct gpu *gpu;
    D3DKMT_DISPLAYMODE mode;
    struct surface primaries[2], copy;
    struct picture images[2][EYES]; /* what the primaries hold */
};

/* What was done last; and the rule that a wrong picture breaks, or NULL. */
struct step {
    const char *done, *rule;
};

/* ---- Painting -------------------------------------------------------------------------------- */

static uint32_t colour_of(unsigned primary, enum eye eye)
{
    static const uint32_t colours[2][EYES] = {{0x204880u, 0x802830u}, {0x2C6A34u, 0x6A3C78u}};

    return colours[primary][eye];
}

/* One colour and a band, at another height for each eye. */
static bool paint(struct stereo *stereo, unsigned primary)
{
    const struct surface *to = &stereo->primaries[primary];
    unsigned eighth = to->height / 8;
    struct commands commands;

    commands_begin(&commands, stereo->gpu);
    for (int eye = LEFT; eye < EYES; eye++) {
        struct picture *image = &stereo->images[primary][eye];
        unsigned at = eye == RIGHT ? softgpu_right_image(to) : 0, top = eighth * (1u + 3u * eye);
        const struct box band = {0, (int)top, (int)to->width, (int)(top + eighth)};

        picture_fill(image, picture_box(image), colour_of(primary, eye));
        picture_fill(image, band, BAND);
        commands_fill(&commands, to, at, to->pitch * to->height, colour_of(primary, eye));
        commands_fill(&commands, to, at + top * to->pitch, eighth * to->pitch, BAND);
    }
    return commands_end(&commands) && gpu_wait_idle(stereo->gpu);
}

/* ---- Looking --------------------------------------------------------------------------------- */

static void tell(const struct stereo *stereo, const struct picture *expected,
                 const struct step *step, const char *what)
{
    const struct drydock_workload_host *host = stereo->gpu->host;

    host->frame(host, "stereo-expected", expected->pixels, expected->width, expected->height,
                expected->width * 4);
    if (step->rule) {
        host->breaks(host, step->rule, "after %s %s", step->done, what);
    } else {
        host->fail(host, "after %s %s", step->done, what);
    }
}

static bool look_at(const struct stereo *stereo, bool right, const struct picture *expected,
                    const struct step *step)
{
    const struct drydock_workload_host *host = stereo->gpu->host;
    unsigned width, height, stride;
    const void *pixels;
    struct box first;
    char what[240];

    if (!host->scanout_eye(host, 0, right, &pixels, &width, &height, &stride)) {
        return true; /* the device cannot tell */
    }
    if (width != expected->width || height != expected->height) {
        return true; /* the screen is another's meanwhile: what it shows there is judged there */
    }
    uint64_t wrong = picture_compare(expected, pixels, stride, &first);
    host->count(host, "present.scanouts_checked", 1);
    if (wrong) {
        const uint32_t *row = (const void *)((const uint8_t *)pixels + (size_t)first.top * stride);
        snprintf(what, sizeof what,
                 "%llu pixels that the %s eye sees are wrong; the first at (%d, %d): 0x%06X, "
                 "expected 0x%06X",
                 (unsigned long long)wrong, right ? "right" : "left", first.left, first.top,
                 row[first.left] & 0xFFFFFF,
                 *picture_at(expected, first.left, first.top) & 0xFFFFFF);
        host->count(host, "present.wrong_pixels", wrong);
        tell(stereo, expected, step, what);
    } else if (step->rule) {
        host->holds(host, step->rule);
    }
    return wrong == 0;
}

/* The vertical sync that ends a flip is the left eye's; the right one's is behind it. */
static bool wait_for_both(const struct stereo *stereo)
{
    const D3DKMT_WAITFORVERTICALBLANKEVENT wait = {.hAdapter = stereo->gpu->adapter,
                                                   .hDevice = stereo->gpu->device};

    for (unsigned i = 0; i < 2; i++) {
        if (D3DKMTWaitForVerticalBlankEvent(&wait) < 0) {
            return false; /* it is dark: a device that was lost */
        }
    }
    return true;
}

static bool look(const struct stereo *stereo, const struct picture *left,
                 const struct picture *right, const struct step *step)
{
    const struct drydock_workload_host *host = stereo->gpu->host;

    return !host->failed(host) && look_at(stereo, false, left, step) &&
           look_at(stereo, true, right, step);
}

/* ---- Showing --------------------------------------------------------------------------------- */

static bool show(const struct stereo *stereo)
{
    const D3DKMT_SETDISPLAYMODE mode = {
        .hDevice = stereo->gpu->device,
        .hPrimaryAllocation = stereo->primaries[0].allocation,
        .ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE,
        .DisplayOrientation = D3DDDI_ROTATION_IDENTITY,
    };

    return gpu_check_mode(stereo->gpu, D3DKMTSetDisplayMode(&mode),
                          "D3DKMTSetDisplayMode of a stereo primary") &&
           (!wait_for_both(stereo) ||
            look(stereo, &stereo->images[0][LEFT], &stereo->images[0][RIGHT],
                 &(struct step){"a change to a stereo mode (CommitVidPn with a source mode of Type "
                                "D3DKMDT_RMT_GRAPHICS_STEREO..., SetVidPnSourceAddress)",
                                NULL}));
}

struct flip {
    unsigned primary;
    D3DDDI_FLIPINTERVAL_TYPE interval;
    D3DKMT_PRESENTFLAGS flags;
    const char *done;
};

static bool call_flip(const struct stereo *stereo, const struct flip *flip)
{
    D3DKMT_PRESENT present = {
        .hContext = stereo->gpu->context,
        .hSource = stereo->primaries[flip->primary].allocation,
        .FlipInterval = flip->interval,
        .Flags = flip->flags,
    };

    return gpu_check(stereo->gpu, D3DKMTPresent(&present), "D3DKMTPresent (Flip, stereo)") &&
           gpu_wait_idle(stereo->gpu);
}

static bool flip_once(const struct stereo *stereo, const struct flip *flip)
{
    const struct drydock_workload_host *host = stereo->gpu->host;
    const struct picture *images = stereo->images[flip->primary];
    enum eye right = flip->flags.FlipStereoTemporaryMono ? LEFT : RIGHT;

    if (!call_flip(stereo, flip)) {
        return false;
    }
    host->count(host, "modes.stereo_flips", 1);
    return !wait_for_both(stereo) ||
           look(stereo, &images[LEFT], &images[right], &(struct step){flip->done, "PRES-044"});
}

static bool flip_all(const struct stereo *stereo)
{
    static const struct flip flips[] = {
        {1, D3DDDI_FLIPINTERVAL_ONE, {.Flip = 1, .FlipStereo = 1}, "a flip with FlipStereo"},
        {0,
         D3DDDI_FLIPINTERVAL_IMMEDIATE,
         {.Flip = 1, .FlipStereo = 1},
         "a flip with FlipStereo and an interval of 0"},
        {1,
         D3DDDI_FLIPINTERVAL_ONE,
         {.Flip = 1, .FlipStereoTemporaryMono = 1},
         "a flip with FlipStereoTemporaryMono"},
        {0,
         D3DDDI_FLIPINTERVAL_ONE,
         {.Flip = 1, .FlipStereo = 1, .FlipStereoPreferRight = 1},
         "a flip with FlipStereo and FlipStereoPreferRight, to a monitor that shows both images"},
    };
    bool good = true;

    for (size_t i = 0; good && i < sizeof flips / sizeof *flips; i++) {
        good =
            (flips[i].flags.FlipStereoTemporaryMono && !stereo->mode.Flags.AdvancedScanCapable) ||
            flip_once(stereo, &flips[i]);
    }
    return good;
}

/* ---- Copies ---------------------------------------------------------------------------------- */

static bool copy_image(struct stereo *stereo, enum eye eye)
{
    const struct picture *expected = &stereo->images[1][eye];
    D3DKMT_PRESENT present = {
        .hContext = stereo->gpu->context,
        .hSource = stereo->primaries[1].allocation,
        .hDestination = stereo->copy.allocation,
        .Flags = {.Blt = 1, .BltStereoUseRight = eye == RIGHT},
    };
    struct box first;
    char what[160];

    if (!gpu_check(stereo->gpu, D3DKMTPresent(&present), "D3DKMTPresent (Blt, stereo)") ||
        !gpu_wait_idle(stereo->gpu)) {
        return false;
    }
    uint64_t wrong = gpu_compare(stereo->gpu, &stereo->copy, expected, &first);
    if (wrong != 0 && wrong != UINT64_MAX) {
        snprintf(what, sizeof what,
                 "%llu pixels of the copy are wrong; the first at (%d, %d), where 0x%06X is "
                 "expected",
                 (unsigned long long)wrong, first.left, first.top,
                 *picture_at(expected, first.left, first.top) & 0xFFFFFF);
        tell(stereo, expected,
             &(struct step){eye == RIGHT ? "a Blt with BltStereoUseRight from a stereo primary to "
                                           "a surface with one image"
                                         : "a Blt without BltStereoUseRight from a stereo primary "
                                           "to a surface with one image",
                            "PRES-044"},
             what);
    }
    return wrong == 0;
}

static bool copy_both(struct stereo *stereo)
{
    return gpu_surface_create(stereo->gpu, DRYDOCK_SURFACE_SHADOW, stereo->mode.Width,
                              stereo->mode.Height, D3DDDIFMT_X8R8G8B8, false, &stereo->copy) &&
           copy_image(stereo, LEFT) && copy_image(stereo, RIGHT);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static bool find_mode(struct stereo *stereo, const D3DKMT_DISPLAYMODE *size)
{
    static D3DKMT_DISPLAYMODE modes[MODES_MAX];
    D3DKMT_GETDISPLAYMODELIST list = {
        .hAdapter = stereo->gpu->adapter, .pModeList = modes, .ModeCount = MODES_MAX};

    if (D3DKMTGetDisplayModeList(&list) < 0) {
        return false;
    }
    for (unsigned i = 0; i < list.ModeCount; i++) {
        if (modes[i].Flags.Stereo && modes[i].Width == size->Width &&
            modes[i].Height == size->Height) {
            stereo->mode = modes[i];
            return true;
        }
    }
    return false;
}

static bool make(struct stereo *stereo)
{
    bool good = true;

    for (unsigned i = 0; i < 2 && good; i++) {
        good = softgpu_stereo_primary(stereo->gpu, &stereo->mode, &stereo->primaries[i]);
        for (int eye = LEFT; eye < EYES && good; eye++) {
            good = picture_create(stereo->mode.Width, stereo->mode.Height, &stereo->images[i][eye]);
        }
        good = good && paint(stereo, i);
    }
    return good;
}

bool stereo_show(struct gpu *gpu, const D3DKMT_DISPLAYMODE *size)
{
    struct stereo stereo = {.gpu = gpu};

    if (!(gpu->host->capabilities & DRYDOCK_DRIVER_IS_SOFTGPU) || !find_mode(&stereo, size)) {
        return true;
    }
    bool good = make(&stereo) && show(&stereo) && flip_all(&stereo) && copy_both(&stereo);
    for (unsigned i = 0; i < 2; i++) {
        gpu_surface_destroy(gpu, &stereo.primaries[i]);
        for (int eye = LEFT; eye < EYES; eye++) {
            picture_destroy(&stereo.images[i][eye]);
        }
    }
    gpu_surface_destroy(gpu, &stereo.copy);
    return good;
}

/* A gamma ramp of the screen, of a driver that says that it has ramps: is the picture seen through
 * it, and afterwards as it is? A device model may show pictures as they are before the ramp, and a
 * mode that is set meanwhile ends it: then nobody can tell.
 *
 * A workload is a client and shares no code with the kernel, whose display_gamma.c does the same
 * for drivers with a display alone. */
#include "modes.h"

#define LATCH_NS UINT64_C(50000000)
#define ROUNDED  4 /* a converter of 6 bits leaves out so much */

/* Each channel has its own. 0: blue. */
static unsigned ramped(unsigned value, unsigned channel)
{
    return channel == 0 ? value * 3 / 4 : channel == 1 ? value / 2 + 100 : 255 - value;
}

static uint32_t ramped_colour(uint32_t colour)
{
    uint32_t out = 0;

    for (unsigned i = 0; i < 3; i++) {
        out |= ramped(colour >> 8 * i & 0xFF, i) << 8 * i;
    }
    return out;
}

/* With low bytes that are none of a colour's. */
static USHORT entry(unsigned value, unsigned channel)
{
    unsigned high = ramped(value, channel);

    return (USHORT)(high << 8 | (high ^ 0x80));
}

static NTSTATUS set_ramp(const struct modes_scene *scene)
{
    D3DDDI_GAMMA_RAMP_RGB256x3x16 table;
    const D3DKMT_SETGAMMARAMP set = {.hDevice = scene->gpu.device,
                                     .Type = D3DDDI_GAMMARAMP_RGB256x3x16,
                                     .pGammaRampRgb256x3x16 = &table,
                                     .Size = sizeof table};

    for (unsigned i = 0; i < 256; i++) {
        table.Blue[i] = entry(i, 0);
        table.Green[i] = entry(i, 1);
        table.Red[i] = entry(i, 2);
    }
    return D3DKMTSetGammaRamp(&set);
}

struct ramp {
    bool same, ramped; /* all pixels, as they are in the picture, or through the ramp */
    unsigned x, y;     /* the first that is not seen through it */
    uint32_t is, was;
};

/* False: all are the same. */
static bool judge_ramp(const struct picture *screen, const void *pixels, unsigned stride,
                       struct ramp *out)
{
    *out = (struct ramp){.same = true, .ramped = true};
    for (unsigned y = 0; y < screen->height; y++) {
        const uint32_t *row = (const void *)((const char *)pixels + (size_t)y * stride);
        const uint32_t *wanted = picture_at(screen, 0, (int)y);
        for (unsigned x = 0; x < screen->width; x++) {
            out->same &= picture_is_near(row[x], wanted[x], 0);
            if (out->ramped && !picture_is_near(row[x], ramped_colour(wanted[x]), ROUNDED)) {
                *out =
                    (struct ramp){out->same, false, x, y, row[x] & 0xFFFFFF, wanted[x] & 0xFFFFFF};
            }
        }
    }
    return !out->same;
}

/* False: there is none, or it makes no difference. */
static bool is_seen(const struct modes_scene *scene, struct ramp *out)
{
    const struct drydock_workload_host *host = scene->gpu.host;
    unsigned width, height, stride;
    const void *pixels;

    host->sleep_until(host, host->now_ns(host) + LATCH_NS);
    return host->scanout(host, 0, &pixels, &width, &height, &stride) &&
           width == scene->screen.width && height == scene->screen.height &&
           judge_ramp(&scene->screen, pixels, stride, out);
}

bool modes_show_gamma(struct modes_scene *scene)
{
    const struct drydock_workload_host *host = scene->gpu.host;
    const D3DKMT_SETGAMMARAMP none = {.hDevice = scene->gpu.device,
                                      .Type = D3DDDI_GAMMARAMP_DEFAULT};
    struct ramp ramp;

    if (set_ramp(scene) < 0) {
        return true; /* it has none; any error of the driver is an answer */
    }
    bool seen = is_seen(scene, &ramp);
    if (seen && !ramp.ramped) {
        host->breaks(host, "VIDPN-016",
                     "a ramp D3DDDI_GAMMARAMP_RGB256x3x16 was set (UpdateActiveVidPnPresentPath), "
                     "and pixel (%u, %u), 0x%06X in the picture, is seen as 0x%06X; through the "
                     "ramp it is 0x%06X",
                     ramp.x, ramp.y, ramp.was, ramp.is, ramped_colour(ramp.was));
        (void)D3DKMTSetGammaRamp(&none); /* the next workload compares pictures, too */
        return false;
    }
    if (seen) {
        host->holds(host, "VIDPN-016");
    }
    return D3DKMTSetGammaRamp(&none) < 0 || !seen ||
           modes_look(scene, &(struct modes_step){"D3DDDI_GAMMARAMP_DEFAULT behind another ramp "
                                                  "(UpdateActiveVidPnPresentPath)",
                                                  "VIDPN-016"});
}

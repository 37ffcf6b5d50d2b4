/* overlays.c: overlays of an output, each taken over by itself, over whatever the output shows.
 *
 *   registers ──COMMIT──> waiting ──vsync──> shown ──overlays_compose──> monitor
 *                  └───────immediate──────────┘ */
#include "internal.h"

#include <string.h>

#define OVERLAY_BYTES (SOFTGPU_OVERLAY_REG(0, 1, 0) - SOFTGPU_OVERLAY_REG(0, 0, 0))
#define CONTROLS      (SOFTGPU_PLANE_ENABLE | SOFTGPU_OVERLAY_KEY)

uint32_t overlays_read(const struct output *output, uint32_t reg)
{
    const struct layer *staged = &output->overlays[reg / OVERLAY_BYTES].staged;

    reg %= OVERLAY_BYTES;
    return reg <= SOFTGPU_PLANE_CONTROL    ? layer_read(staged, reg)
           : reg == SOFTGPU_OVERLAY_COLOUR ? staged->key
                                           : 0;
}

static void take_over(struct overlay *overlay)
{
    overlay->shown = overlay->waiting;
    overlay->waits = false;
}

static void commit(struct output *output, struct overlay *overlay, uint32_t when)
{
    if (when != SOFTGPU_FLIP_VSYNC && when != SOFTGPU_FLIP_IMMEDIATE)
        return;
    overlay->waiting = overlay->staged;
    overlay->waits = true;
    if (when == SOFTGPU_FLIP_VSYNC && (output->control & SOFTGPU_OUTPUT_ENABLE))
        display_update(output);
    else
        take_over(overlay);
}

void overlays_write(struct output *output, uint32_t reg, uint32_t value)
{
    struct overlay *overlay = &output->overlays[reg / OVERLAY_BYTES];

    reg %= OVERLAY_BYTES;
    if (reg == SOFTGPU_OVERLAY_COMMIT)
        commit(output, overlay, value);
    else if (reg == SOFTGPU_OVERLAY_COLOUR)
        overlay->staged.key = value & 0xFFFFFF;
    else if (reg == SOFTGPU_PLANE_CONTROL)
        overlay->staged.control = value & CONTROLS;
    else if (reg < SOFTGPU_PLANE_CONTROL)
        layer_write(&overlay->staged, reg, value);
}

bool overlays_wait(const struct output *output)
{
    bool any = false;

    for (unsigned i = 0; i < SOFTGPU_OVERLAY_MAX; i++)
        any |= output->overlays[i].waits;
    return any;
}

void overlays_latch(struct output *output)
{
    for (unsigned i = 0; i < SOFTGPU_OVERLAY_MAX; i++)
        if (output->overlays[i].waits)
            take_over(&output->overlays[i]);
}

void overlays_reset(struct output *output)
{
    memset(output->overlays, 0, sizeof(output->overlays));
}

bool overlays_shown(const struct output *output)
{
    for (unsigned i = 0; i < SOFTGPU_OVERLAY_MAX; i++) {
        if (output->overlays[i].shown.control & SOFTGPU_PLANE_ENABLE)
            return true;
    }
    return false;
}

bool overlays_compose(struct output *output)
{
    bool all = true;

    for (unsigned i = SOFTGPU_OVERLAY_MAX; i-- > 0;) /* the first is on top */
        all &= layer_compose(output, &output->overlays[i].shown);
    return all;
}

/* What monitors show, for workloads that compare it. */
#include "host/internal.h"

static unsigned output_of(unsigned source)
{
    return host.adapter ? dxgk_adapter_output(host.adapter, source) : source;
}

/* While monitors sleep the screen is dark. */
static void wait_awake(const struct drydock_workload_host *base)
{
    host_serve(base);
    dxgk_wait_awake();
    host_served();
}

/* Sources whose picture was seen, and that have been judged since, in bits. */
static uint32_t seen_lit, judged_dark;

static void judge_lost(const struct drydock_workload_host *base, unsigned source)
{
    if (host.adapter && source < 32 && !(judged_dark >> source & 1)) {
        judged_dark |= UINT32_C(1) << source;
        host_serve(base);
        dxgk_screen_judge_lost(host.adapter, source, seen_lit >> source & 1);
        host_served();
    }
}

static void note_lit(unsigned source)
{
    if (source < 32) {
        seen_lit |= UINT32_C(1) << source;
        judged_dark &= ~(UINT32_C(1) << source);
    }
}

bool host_scanout(const struct drydock_workload_host *base, unsigned source, const void **pixels,
                  unsigned *width, unsigned *height, unsigned *stride_bytes)
{
    struct pci_picture picture;

    wait_awake(base);
    if (!pci_scanout(host.slot, output_of(source), &picture)) {
        judge_lost(base, source);
        return false;
    }
    note_lit(source);
    *pixels = picture.pixels;
    *width = picture.width;
    *height = picture.height;
    *stride_bytes = picture.stride_bytes;
    return true;
}

bool host_scanout_eye(const struct drydock_workload_host *base, unsigned source, bool right,
                      const void **pixels, unsigned *width, unsigned *height,
                      unsigned *stride_bytes)
{
    struct pci_picture picture;

    wait_awake(base);
    if (!pci_scanout_eye(host.slot, output_of(source), right, &picture)) {
        return false;
    }
    *pixels = picture.pixels;
    *width = picture.width;
    *height = picture.height;
    *stride_bytes = picture.stride_bytes;
    return true;
}

bool host_compare(const struct drydock_workload_host *base, unsigned source, const uint32_t *pixels,
                  const struct drydock_window *window, struct drydock_wrong_pixel *wrong)
{
    struct dxgk_screen_wrong found;
    RECT where;
    const struct dxgk_expected expected = {pixels, window ? &where : NULL};

    wait_awake(base);
    if (window) {
        where = (RECT){window->left, window->top, window->right, window->bottom};
    }
    if (!host.adapter || !dxgk_source_compare(host.adapter, source, &expected, &found)) {
        return false;
    }
    *wrong = (struct drydock_wrong_pixel){found.x, found.y, found.seen, found.count};
    return true;
}

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

bool host_scanout(const struct drydock_workload_host *base, unsigned source, const void **pixels,
                  unsigned *width, unsigned *height, unsigned *stride_bytes)
{
    struct pci_picture picture;

    wait_awake(base);
    if (!pci_scanout(host.slot, output_of(source), &picture)) {
        return false;
    }
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

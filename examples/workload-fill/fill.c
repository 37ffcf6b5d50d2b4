/* A workload of one's own, as small as it can be: fills a surface in stripes by Present, looks at
 * every pixel, and leaves a picture. README.md says how it is built. */
#include <drydock/client.h>
#include <drydock/workload.h>

#define WIDTH  256u
#define HEIGHT 128u
#define STRIPE 16

static const uint32_t colours[] = {0x264653, 0x2A9D8F, 0xE9C46A, 0xF4A261, 0xE76F51};

struct fill {
    const struct drydock_workload_host *host;
    D3DKMT_HANDLE adapter, device, context;
    struct drydock_standard_allocation surface;
};

static bool good(struct fill *fill, NTSTATUS status, const char *what)
{
    if (status < 0) {
        fill->host->fail(fill->host, "%s failed with 0x%08X", what, (unsigned)status);
    }
    return status >= 0;
}

static bool open_device(struct fill *fill)
{
    D3DKMT_OPENADAPTERFROMLUID adapter = {
        .AdapterLuid = {fill->host->adapter_luid_low, fill->host->adapter_luid_high}};
    D3DKMT_CREATEDEVICE device = {0};
    D3DKMT_CREATECONTEXT context = {.EngineAffinity = 1};

    if (!good(fill, D3DKMTOpenAdapterFromLuid(&adapter), "D3DKMTOpenAdapterFromLuid")) {
        return false;
    }
    fill->adapter = device.hAdapter = adapter.hAdapter;
    if (!good(fill, D3DKMTCreateDevice(&device), "D3DKMTCreateDevice")) {
        return false;
    }
    fill->device = context.hDevice = device.hDevice;
    if (!good(fill, D3DKMTCreateContext(&context), "D3DKMTCreateContext")) {
        return false;
    }
    fill->context = context.hContext;
    return true;
}

static uint32_t colour_of_row(unsigned y)
{
    return colours[y / STRIPE % (sizeof colours / sizeof *colours)];
}

static bool draw(struct fill *fill)
{
    fill->surface = (struct drydock_standard_allocation){
        .hDevice = fill->device,
        .kind = DRYDOCK_SURFACE_SHADOW,
        .width = WIDTH,
        .height = HEIGHT,
        .format = D3DDDIFMT_X8R8G8B8,
    };
    if (!good(fill, drydock_create_standard_allocation(&fill->surface),
              "drydock_create_standard_allocation")) {
        return false;
    }
    for (int y = 0; y < (int)HEIGHT; y += STRIPE) {
        D3DKMT_PRESENT present = {
            .hContext = fill->context,
            .hDestination = fill->surface.hAllocation,
            .DstRect = {0, y, (int)WIDTH, y + STRIPE},
            .Color = 0xFF000000 | colour_of_row((unsigned)y),
            .Flags.ColorFill = 1,
            .Flags.DstRectValid = 1,
        };
        if (!good(fill, D3DKMTPresent(&present), "D3DKMTPresent")) {
            return false;
        }
    }
    return true;
}

static void look(struct fill *fill)
{
    D3DKMT_LOCK lock = {
        .hDevice = fill->device,
        .hAllocation = fill->surface.hAllocation,
        .Flags.ReadOnly = 1,
    };
    unsigned wrong = 0;

    if (!good(fill, D3DKMTLock(&lock), "D3DKMTLock")) { /* waits for the GPU */
        return;
    }
    for (unsigned y = 0; y < HEIGHT; y++) {
        const uint32_t *row = (const void *)((const char *)lock.pData + y * fill->surface.pitch);
        for (unsigned x = 0; x < WIDTH; x++) {
            wrong += (row[x] & 0xFFFFFF) != colour_of_row(y);
        }
    }
    fill->host->count(fill->host, "fill.pixels_checked", WIDTH * HEIGHT);
    if (wrong) {
        fill->host->fail(fill->host, "%u pixels are wrong", wrong);
    }
    fill->host->frame(fill->host, "fill", lock.pData, WIDTH, HEIGHT, fill->surface.pitch);
    const D3DKMT_UNLOCK unlock = {fill->device, 1, &fill->surface.hAllocation};
    good(fill, D3DKMTUnlock(&unlock), "D3DKMTUnlock");
}

/* What is left open is closed when the process ends, which is when this returns. */
static void run(const struct drydock_workload_host *host)
{
    struct fill fill = {.host = host};

    if (open_device(&fill) && draw(&fill)) {
        look(&fill);
    }
}

DRYDOCK_WORKLOAD_EXPORT const struct drydock_workload drydock_workload;
const struct drydock_workload drydock_workload = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "fill",
    .description = "stripes by ColorFill, every pixel looked at",
    .run = run,
};

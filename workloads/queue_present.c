/* Pictures copied by hardware queues, each Present with an id that the queue's fence has when it is
 * done; see the header.
 *
 *   fill ─> copy ─> copy of many rectangles, more than a buffer has room for ─> copy of nothing
 *   ─> copy without an id ─> the fence, and the picture ─> a primary is filled, and shown then */
#include "queue_present.h"
#include "canvas.h"
#include "results.h"

#include <string.h>

#define WIDTH      96
#define HEIGHT     64
#define BOXES      2048 /* several buffers */
#define PARTS_MAX  4096 /* ids that are left for the parts of one Present */
#define SITE_BOXES 7
#define GROUND     0x204060u

struct queue_client {
    struct gpu gpu;
    D3DKMT_HANDLE context, queue, fence;
    uint64_t last; /* id that was given out */
    struct canvas from, to;
};

static bool check(struct queue_client *client, NTSTATUS status, const char *what)
{
    return gpu_check(&client->gpu, status, what);
}

/* ---- Presents ------------------------------------------------------------------------------- */

static RECT rect_of(struct box box)
{
    return (RECT){box.left, box.top, box.right, box.bottom};
}

/* The boxes are the source's; the copy goes `dx` to the right, and `dy` down. */
struct copy {
    struct box box;
    int dx, dy;
    const RECT *parts;
    unsigned count;
};

static D3DKMT_PRESENT copying(const struct queue_client *client, const struct copy *copy)
{
    struct box to = {copy->box.left + copy->dx, copy->box.top + copy->dy,
                     copy->box.right + copy->dx, copy->box.bottom + copy->dy};
    D3DKMT_PRESENT present = {
        .hSource = client->from.surface.allocation,
        .hDestination = client->to.surface.allocation,
        .SrcRect = rect_of(copy->box),
        .DstRect = rect_of(to),
        .SubRectCnt = copy->count,
        .pSrcSubRects = copy->parts,
    };

    present.Flags.Blt = present.Flags.SrcRectValid = present.Flags.DstRectValid = 1;
    return present;
}

static NTSTATUS submit(struct queue_client *client, const D3DKMT_PRESENT *present, unsigned step)
{
    const D3DKMT_SUBMITPRESENTBLTTOHWQUEUE submit = {.hHwQueue = client->queue,
                                                     .HwQueueProgressFenceId = client->last + step,
                                                     .PrivatePresentData = *present};
    NTSTATUS status = D3DKMTSubmitPresentBltToHwQueue(&submit);

    client->last += NT_SUCCESS(status) ? step : 0;
    return status;
}

static bool copy(struct queue_client *client, const struct copy *wanted, unsigned step)
{
    const D3DKMT_PRESENT present = copying(client, wanted);

    return check(client, submit(client, &present, step), "D3DKMTSubmitPresentBltToHwQueue (Blt)");
}

static NTSTATUS fill(struct queue_client *client, struct box box, uint32_t colour)
{
    D3DKMT_PRESENT present = {.hDestination = client->to.surface.allocation,
                              .Color = colour | 0xFF000000,
                              .DstRect = rect_of(box)};

    present.Flags.ColorFill = present.Flags.DstRectValid = 1;
    return submit(client, &present, PARTS_MAX);
}

/* ---- Pictures ------------------------------------------------------------------------------- */

static bool make_pictures(struct queue_client *client)
{
    struct picture picture;

    if (!picture_create(WIDTH, HEIGHT, &picture)) {
        return false;
    }
    for (unsigned y = 0; y < HEIGHT; y++) {
        for (unsigned x = 0; x < WIDTH; x++) {
            *picture_at(&picture, (int)x, (int)y) = 0xFF000000 | (x * 0x020103u + y * 0x030502u);
        }
    }
    return canvas_from_picture(&client->gpu, &picture, &client->from) &&
           canvas_create(&client->gpu, WIDTH, HEIGHT, false, &client->to);
}

static bool copy_whole(struct queue_client *client)
{
    const struct copy wanted = {.box = box_at(3, 5, WIDTH / 2, HEIGHT / 2), .dx = 20, .dy = 11};

    picture_copy(&client->to.picture, 23, 16, &client->from.picture, wanted.box);
    return copy(client, &wanted, PARTS_MAX);
}

/* There may be too few for it; what was drawn is drawn again. */
static bool copy_with_two_ids(struct queue_client *client, const struct copy *wanted)
{
    const D3DKMT_PRESENT present = copying(client, wanted);
    NTSTATUS status = submit(client, &present, 2);

    if (status == STATUS_INSUFFICIENT_RESOURCES) {
        client->gpu.host->count(client->gpu.host, "queues.too_few_ids", 1);
        client->last += 2;
        return true;
    }
    return check(client, status, "D3DKMTSubmitPresentBltToHwQueue (Blt, sub-rectangles)");
}

/* More than one buffer: the parts before the last take ids that are left out. */
static bool copy_parts(struct queue_client *client)
{
    const struct drydock_workload_host *host = client->gpu.host;
    static RECT parts[BOXES];
    const struct copy wanted = {.box = box_at(0, 0, WIDTH - 7, HEIGHT - 4),
                                .dx = 7,
                                .dy = 4,
                                .parts = parts,
                                .count = BOXES};

    for (unsigned i = 0; i < BOXES; i++) {
        uint64_t drawn = host->random(host, SITE_BOXES);
        int x = (int)(drawn % (WIDTH - 8)), y = (int)(drawn / WIDTH % (HEIGHT - 5));
        struct box box = box_at(x, y, 1, 1);
        parts[i] = rect_of(box);
        picture_copy(&client->to.picture, x + 7, y + 4, &client->from.picture, box);
    }
    return copy_with_two_ids(client, &wanted) && copy(client, &wanted, PARTS_MAX);
}

/* All of it is beside the surface: the fence comes to its id all the same. */
static bool copy_nothing(struct queue_client *client)
{
    const struct copy wanted = {.box = box_at(0, 0, 8, 8), .dx = WIDTH + 5, .dy = 0};

    return copy(client, &wanted, PARTS_MAX);
}

/* The kernel chooses the id. */
static bool copy_without_id(struct queue_client *client)
{
    const struct copy wanted = {.box = box_at(40, 2, 30, 9), .dx = -38, .dy = 50};
    D3DKMT_SUBMITPRESENTTOHWQUEUE submitted = {.hHwQueues = &client->queue,
                                               .PrivatePresentData = copying(client, &wanted)};

    if (!check(client, D3DKMTSubmitPresentToHwQueue(&submitted), "D3DKMTSubmitPresentToHwQueue")) {
        return false;
    }
    client->last++;
    picture_copy(&client->to.picture, 2, 52, &client->from.picture, wanted.box);
    return true;
}

static bool wait_for_all(struct queue_client *client)
{
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait = {.hDevice = client->gpu.device,
                                                             .ObjectCount = 1,
                                                             .ObjectHandleArray = &client->fence,
                                                             .FenceValueArray = &client->last};

    return check(client, D3DKMTWaitForSynchronizationObjectFromCpu(&wait),
                 "D3DKMTWaitForSynchronizationObjectFromCpu") &&
           gpu_wait_idle(&client->gpu);
}

static bool compare(struct queue_client *client)
{
    const struct drydock_workload_host *host = client->gpu.host;
    struct box first = {0};
    uint64_t wrong = canvas_compare(&client->gpu, &client->to, &first);

    if (wrong > 0 && wrong < UINT64_MAX) {
        host->breaks(host, "HWQ-012",
                     "a fill and copies by a hardware queue (PresentToHwQueue): %llu of %u pixels "
                     "are wrong, the first at (%d, %d)",
                     (unsigned long long)wrong, WIDTH * HEIGHT, first.left, first.top);
    }
    host->count(host, "queues.pixels_checked", WIDTH * HEIGHT);
    return wrong == 0;
}

/* ---- On the screen -------------------------------------------------------------------------- */

#define SHOWN    0xA05070u
#define LATER_NS UINT64_C(100000000)

static bool make_primaries(struct queue_client *client, const D3DKMT_DISPLAYMODE *mode,
                           struct surface primaries[2])
{
    struct gpu *gpu = &client->gpu;
    D3DKMT_SETDISPLAYMODE change = {.hDevice = gpu->device,
                                    .ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE,
                                    .DisplayOrientation = D3DDDI_ROTATION_IDENTITY};

    for (unsigned i = 0; i < 2; i++) {
        if (!gpu_surface_create(gpu, DRYDOCK_SURFACE_PRIMARY, mode->Width, mode->Height,
                                mode->Format, false, &primaries[i])) {
            return false;
        }
    }
    change.hPrimaryAllocation = primaries[0].allocation;
    return gpu_own(gpu) &&
           gpu_check_mode(gpu, D3DKMTSetDisplayMode(&change), "D3DKMTSetDisplayMode");
}

/* The fill takes its time; who flips before it is done shows what was there before. */
static bool fill_and_flip(struct queue_client *client, const struct surface *primary)
{
    struct box whole = box_at(0, 0, (int)primary->width, (int)primary->height);
    D3DKMT_PRESENT filling = {.hDestination = primary->allocation,
                              .Color = SHOWN | 0xFF000000,
                              .DstRect = rect_of(whole)};
    D3DKMT_SUBMITPRESENTTOHWQUEUE flip = {
        .hHwQueues = &client->queue,
        .PrivatePresentData = {.hSource = primary->allocation,
                               .FlipInterval = D3DDDI_FLIPINTERVAL_ONE,
                               .Flags.Flip = 1},
    };

    filling.Flags.ColorFill = filling.Flags.DstRectValid = 1;
    return check(client, submit(client, &filling, PARTS_MAX),
                 "D3DKMTSubmitPresentBltToHwQueue (ColorFill)") &&
           check(client, D3DKMTSubmitPresentToHwQueue(&flip),
                 "D3DKMTSubmitPresentToHwQueue (Flip)") &&
           wait_for_all(client);
}

/* How many pixels of the monitor have another colour; nobody can tell: none. */
static uint64_t count_wrong(const struct queue_client *client, const struct surface *primary,
                            struct box *first)
{
    const struct drydock_workload_host *host = client->gpu.host;
    unsigned width, height, stride;
    struct picture expected;
    const void *pixels;

    if (!host->scanout(host, 0, &pixels, &width, &height, &stride) || width != primary->width ||
        height != primary->height || !picture_create(width, height, &expected)) {
        return 0; /* the screen may be another's meanwhile */
    }
    picture_fill(&expected, picture_box(&expected), SHOWN);
    uint64_t wrong = picture_compare(&expected, pixels, stride, first);
    picture_destroy(&expected);
    return wrong;
}

/* What is right some frames later came too late; else it never comes. */
static bool look(struct queue_client *client, const struct surface *primary)
{
    const struct drydock_workload_host *host = client->gpu.host;
    struct box first, later;
    uint64_t wrong = count_wrong(client, primary, &first);

    if (wrong > 0) {
        host->sleep_until(host, host->now_ns(host) + LATER_NS);
        if (count_wrong(client, primary, &later) == 0) {
            host->breaks(host, "HWQ-008",
                         "a flip that a hardware queue made when the fence had the id of a fill of "
                         "the primary: the monitor showed %llu pixels of another colour, the first "
                         "at (%d, %d), and the filled primary some frames later",
                         (unsigned long long)wrong, first.left, first.top);
        } else {
            host->breaks(
                host, "HWQ-012",
                "a fill of a primary by a hardware queue (PresentToHwQueue), and a flip to "
                "it: the monitor shows %llu pixels of another colour than 0x%06X, the "
                "first at (%d, %d)",
                (unsigned long long)wrong, SHOWN, first.left, first.top);
        }
    }
    host->count(host, "present.scanouts_checked", 1);
    return wrong == 0;
}

static bool show(struct queue_client *client)
{
    struct surface primaries[2] = {{0}};
    D3DKMT_DISPLAYMODE mode;

    if (!gpu_display_mode(client->gpu.adapter, 0, &mode) || !gpu_is_32_bit(mode.Format)) {
        return true; /* nothing is shown */
    }
    bool good = make_primaries(client, &mode, primaries) && fill_and_flip(client, &primaries[1]) &&
                look(client, &primaries[1]);
    client->gpu.host->count(client->gpu.host, "flips.by_queue", good);
    for (unsigned i = 0; i < 2; i++) {
        gpu_surface_destroy(&client->gpu, &primaries[i]);
    }
    return good;
}

/* ---- The queue ------------------------------------------------------------------------------ */

static bool open_queue(struct queue_client *client, unsigned node)
{
    D3DKMT_CREATEHWCONTEXT context = {
        .hDevice = client->gpu.device, .NodeOrdinal = node, .EngineAffinity = 1};

    if (!NT_SUCCESS(D3DKMTCreateHwContext(&context))) {
        return false; /* the kernel schedules the node, or the driver wants data of its own */
    }
    D3DKMT_CREATEHWQUEUE queue = {.hHwContext = context.hHwContext};
    client->context = context.hHwContext;
    if (!NT_SUCCESS(D3DKMTCreateHwQueue(&queue))) {
        return false;
    }
    client->queue = queue.hHwQueue;
    client->fence = queue.hHwQueueProgressFence;
    client->last = 0;
    return true;
}

static void close_queue(struct queue_client *client)
{
    if (client->context) {
        check(client, D3DKMTDestroyHwContext(&(D3DKMT_DESTROYHWCONTEXT){client->context}),
              "D3DKMTDestroyHwContext");
        client->context = client->queue = 0;
    }
}

/* An engine need not know how to draw, and how large its buffer is is a guess of the kernel's: what
 * the first one is answered says so. */
static bool draws(struct queue_client *client, bool *good)
{
    const struct drydock_workload_host *host = client->gpu.host;
    NTSTATUS status = fill(client, picture_box(&client->to.picture), GROUND);

    if (is_refusal(status) || status == STATUS_ILLEGAL_INSTRUCTION ||
        status == STATUS_INVALID_USER_BUFFER || status == STATUS_INSUFFICIENT_RESOURCES) {
        host->count(host, "queues.no_presents", 1);
        return false;
    }
    *good = check(client, status, "D3DKMTSubmitPresentBltToHwQueue (ColorFill)");
    return *good;
}

/* With the first queue that is there. */
static bool can_copy(struct queue_client *client, bool *good)
{
    if (!client->from.surface.allocation && work_can_copy(client->gpu.host)) {
        *good = make_pictures(client);
    }
    return *good && client->from.surface.allocation;
}

static bool run_node(struct queue_client *client, unsigned node)
{
    bool good = true;

    if (open_queue(client, node) && can_copy(client, &good) && draws(client, &good)) {
        picture_fill(&client->to.picture, picture_box(&client->to.picture), GROUND);
        good = copy_whole(client) && copy_parts(client) && copy_nothing(client) &&
               copy_without_id(client) && wait_for_all(client) && compare(client) && show(client);
        client->gpu.host->count(client->gpu.host, "presents.by_queue", good);
    }
    close_queue(client);
    return good;
}

bool present_in_queues(const struct drydock_workload_host *host)
{
    unsigned nodes = gpu_node_count(host);
    struct queue_client client = {0};

    if (!gpu_open(&client.gpu, host, 0)) {
        return false;
    }
    bool good = true;
    for (unsigned node = 0; good && node < nodes; node++) {
        good = run_node(&client, node);
    }
    canvas_destroy(&client.gpu, &client.from);
    canvas_destroy(&client.gpu, &client.to);
    gpu_close(&client.gpu);
    return good;
}

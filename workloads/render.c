/* render: the software GPU's own commands through D3DKMTRender, every result checked by the CPU.
 *
 *   picture       a landscape of triangles and translucent discs, on the 3D engine
 *   arithmetic    chains of compute kernels
 *   copies        overlapping and odd ones on the copy engine
 *   many          hundreds of allocations in one command buffer, in a context whose patch list is
 * so short that the driver needs many passes order         one context waits for a fence that
 * another signals priorities    threads whose contexts have different priorities, at the same time
 *   preemption    steps that are broken off for more urgent work, each to run once
 *
 * It stands for a user-mode driver: the model for a workload that knows another command set. */
#include "art.h"
#include "results.h"
#include "softgpu_client.h"
#include "workloads.h"

#include <stdlib.h>
#include <string.h>

#define PICTURE_WIDTH  768u
#define PICTURE_HEIGHT 432u
#define GRID_COLUMNS   48
#define GRID_ROWS      27
#define SUBPIXEL       16
#define ELEMENTS       16384u
#define MANY           160u
#define MANY_BYTES     8192u
#define THREADS        3
#define PACE_NS        UINT64_C(12000000) /* from one part to the next */
#define SITE_PICTURE   0
#define SITE_DATA      1
#define SITE_THREAD    10 /* plus the thread */

static bool expect(const struct drydock_workload_host *host, bool right, const char *what)
{
    host->count(host, "render.checks", 1);
    if (!right) {
        host->count(host, "render.wrong_results", 1);
        host->fail(host, "the GPU's result is wrong: %s", what);
    }
    return right;
}

/* ---- The picture ---------------------------------------------------------------------------- */

struct vertex {
    int x, y; /* in 1/16 pixels */
};

/* Inside of the edge a to b; a centre on it counts if the edge is a top or left one (clockwise). */
static bool is_inside(struct vertex a, struct vertex b, int x, int y)
{
    int64_t dx = b.x - a.x, dy = b.y - a.y;
    int64_t side = dx * (y - a.y) - dy * (x - a.x);

    return side > 0 || (side == 0 && (dy < 0 || (dy == 0 && dx > 0)));
}

static void reference_triangle(struct picture *to, struct vertex a, struct vertex b,
                               struct vertex c, uint32_t colour)
{
    int64_t area = (int64_t)(b.x - a.x) * (c.y - a.y) - (int64_t)(c.x - a.x) * (b.y - a.y);
    struct vertex second = area < 0 ? c : b, third = area < 0 ? b : c;

    if (area == 0) {
        return;
    }
    for (int y = 0; y < (int)to->height; y++) {
        int centre_y = y * SUBPIXEL + SUBPIXEL / 2;
        if ((centre_y < a.y && centre_y < b.y && centre_y < c.y) ||
            (centre_y > a.y && centre_y > b.y && centre_y > c.y)) {
            continue;
        }
        for (int x = 0; x < (int)to->width; x++) {
            int centre_x = x * SUBPIXEL + SUBPIXEL / 2;
            if (is_inside(a, second, centre_x, centre_y) &&
                is_inside(second, third, centre_x, centre_y) &&
                is_inside(third, a, centre_x, centre_y)) {
                *picture_at(to, x, y) = colour;
            }
        }
    }
}

/* A part of the reference only, so that it does not cost the square of what it draws. */
static void reference_in_box(struct picture *to, const struct vertex corners[3], uint32_t colour)
{
    int left = corners[0].x, right = left, top = corners[0].y, bottom = top;
    struct vertex moved[3];
    struct picture part;

    for (unsigned i = 1; i < 3; i++) {
        left = corners[i].x < left ? corners[i].x : left;
        right = corners[i].x > right ? corners[i].x : right;
        top = corners[i].y < top ? corners[i].y : top;
        bottom = corners[i].y > bottom ? corners[i].y : bottom;
    }
    struct box box = box_intersect((struct box){left / SUBPIXEL - 1, top / SUBPIXEL - 1,
                                                right / SUBPIXEL + 2, bottom / SUBPIXEL + 2},
                                   picture_box(to));
    if (box_is_empty(box) ||
        !picture_create((unsigned)box_width(box), (unsigned)box_height(box), &part)) {
        return;
    }
    picture_copy(&part, 0, 0, to, box);
    for (unsigned i = 0; i < 3; i++) {
        moved[i] =
            (struct vertex){corners[i].x - box.left * SUBPIXEL, corners[i].y - box.top * SUBPIXEL};
    }
    reference_triangle(&part, moved[0], moved[1], moved[2], colour);
    picture_copy(to, box.left, box.top, &part, picture_box(&part));
    picture_destroy(&part);
}

static void add_triangle(struct commands *commands, const struct surface *target,
                         const struct vertex corners[3], uint32_t colour)
{
    struct softgpu_command_triangles *triangles = commands_add(
        commands, SOFTGPU_OP_TRIANGLES, sizeof *triangles + 3 * sizeof(struct softgpu_vertex), 1);

    if (!triangles) {
        return;
    }
    struct softgpu_vertex *vertices = (struct softgpu_vertex *)(triangles + 1);
    triangles->destination = commands_surface(commands, target, SOFTGPU_FORMAT_BGRX8, true);
    triangles->clip.right = (int)target->width;
    triangles->clip.bottom = (int)target->height;
    triangles->triangle_count = 1;
    for (unsigned i = 0; i < 3; i++) {
        vertices[i] = (struct softgpu_vertex){corners[i].x, corners[i].y, colour};
    }
}

/* The grid's points stand a little off their places, but for those at the border. */
static struct vertex grid_point(uint32_t seed, int column, int row)
{
    int width = (int)PICTURE_WIDTH * SUBPIXEL, height = (int)PICTURE_HEIGHT * SUBPIXEL;
    struct vertex point = {width * column / GRID_COLUMNS, height * row / GRID_ROWS};

    if (column > 0 && column < GRID_COLUMNS) {
        point.x += (int)(art_noise(column * 1.7, row * 2.3, seed) * width / GRID_COLUMNS * 0.55);
    }
    if (row > 0 && row < GRID_ROWS) {
        point.y += (int)(art_noise(column * 2.1, row * 1.9, seed + 9) * height / GRID_ROWS * 0.55);
    }
    return point;
}

static uint32_t colour_below(const struct picture *look, const struct vertex corners[3])
{
    int x = (corners[0].x + corners[1].x + corners[2].x) / (3 * SUBPIXEL);
    int y = (corners[0].y + corners[1].y + corners[2].y) / (3 * SUBPIXEL);

    x = x >= (int)look->width ? (int)look->width - 1 : x < 0 ? 0 : x;
    y = y >= (int)look->height ? (int)look->height - 1 : y < 0 ? 0 : y;
    return *picture_at(look, x, y) | 0xFF000000;
}

static void draw_mesh(struct commands *commands, const struct surface *target,
                      struct picture *expected, const struct picture *look, uint32_t seed)
{
    for (int row = 0; row < GRID_ROWS; row++) {
        for (int column = 0; column < GRID_COLUMNS; column++) {
            struct vertex a = grid_point(seed, column, row);
            struct vertex b = grid_point(seed, column + 1, row);
            struct vertex c = grid_point(seed, column, row + 1);
            struct vertex d = grid_point(seed, column + 1, row + 1);
            struct vertex upper[3] = {a, b, c}, lower[3] = {b, c, d}; /* either winding */
            uint32_t upper_colour = colour_below(look, upper);
            uint32_t lower_colour = colour_below(look, lower);
            add_triangle(commands, target, upper, upper_colour);
            add_triangle(commands, target, lower, lower_colour);
            reference_in_box(expected, upper, upper_colour);
            reference_in_box(expected, lower, lower_colour);
        }
    }
}

/* A soft disc, alpha multiplied in. */
static void paint_disc(struct picture *picture, uint32_t colour)
{
    double half = picture->width / 2.0;

    for (int y = 0; y < (int)picture->height; y++) {
        for (int x = 0; x < (int)picture->width; x++) {
            double dx = (x + 0.5 - half) / half, dy = (y + 0.5 - half) / half;
            double alpha = 1 - (dx * dx + dy * dy);
            alpha = alpha <= 0 ? 0 : alpha * alpha;
            uint32_t mixed = art_mix(0, colour, alpha) & 0xFFFFFF;
            *picture_at(picture, x, y) = (uint32_t)(alpha * 255 + 0.5) << 24 | mixed;
        }
    }
}

static bool draw_discs(struct commands *commands, const struct surface *target,
                       struct picture *expected, const struct surface *disc,
                       const struct picture *disc_picture, uint32_t seed)
{
    int size = (int)disc->width;

    for (int i = 0; i < 14; i++) {
        int x = (int)((art_noise(i * 3.7, 1, seed + 3) + 1) * 0.5 * ((int)PICTURE_WIDTH - size));
        int y = (int)((art_noise(i * 2.9, 5, seed + 4) + 1) * 0.5 * ((int)PICTURE_HEIGHT - size));
        struct softgpu_command_over *over =
            commands_add(commands, SOFTGPU_OP_OVER, sizeof *over, 2);
        if (!over) {
            return false;
        }
        over->opacity = 60 + (unsigned)i * 15;
        over->destination = commands_surface(commands, target, SOFTGPU_FORMAT_BGRX8, true);
        over->source = commands_surface(commands, disc, SOFTGPU_FORMAT_BGRA8, false);
        over->x = x;
        over->y = y;
        over->source_rect = (struct softgpu_rect){0, 0, size, size};
        picture_over(expected, x, y, disc_picture, over->opacity);
    }
    return true;
}

static bool draw_picture(struct gpu *gpu, struct picture *look, struct picture *expected,
                         struct picture *disc_picture, uint32_t seed)
{
    struct surface target = {0}, disc = {0};
    struct commands commands;
    struct box first;
    bool good =
        softgpu_picture(gpu, PICTURE_WIDTH, PICTURE_HEIGHT, SOFTGPU_FORMAT_BGRX8, &target) &&
        softgpu_picture(gpu, disc_picture->width, disc_picture->height, SOFTGPU_FORMAT_BGRA8,
                        &disc);

    if (good) {
        art_wallpaper(look, seed);
        paint_disc(disc_picture, 0xFFF0C8);
        commands_begin(&commands, gpu);
        good = gpu_upload(gpu, &disc, disc_picture);
        draw_mesh(&commands, &target, expected, look, seed);
        good = good && draw_discs(&commands, &target, expected, &disc, disc_picture, seed);
        gpu->redirected = true; /* [SUBMIT-037] */
        good = good && commands_end(&commands);
        gpu->redirected = false;
    }
    if (good) {
        uint64_t wrong = gpu_compare(gpu, &target, expected, &first);
        good = expect(gpu->host, wrong == 0, "triangles and discs");
        const void *pixels = gpu_lock(gpu, &target, true);
        if (pixels) {
            gpu->host->frame(gpu->host, "render", pixels, target.width, target.height,
                             target.pitch);
            gpu_unlock(gpu, &target);
        }
    }
    gpu_surface_destroy(gpu, &target);
    gpu_surface_destroy(gpu, &disc);
    return good;
}

static bool run_picture(const struct drydock_workload_host *host)
{
    uint32_t seed = (uint32_t)host->random(host, SITE_PICTURE);
    struct picture look = {0}, expected = {0}, disc = {0};
    struct gpu gpu;
    bool good = picture_create(PICTURE_WIDTH, PICTURE_HEIGHT, &look) &&
                picture_create(PICTURE_WIDTH, PICTURE_HEIGHT, &expected) &&
                picture_create(96, 96, &disc) && gpu_open(&gpu, host, NODE_3D);

    if (good) {
        good = draw_picture(&gpu, &look, &expected, &disc, seed);
        gpu_close(&gpu);
    }
    picture_destroy(&look);
    picture_destroy(&expected);
    picture_destroy(&disc);
    return good;
}

/* ---- Arithmetic ------------------------------------------------------------------------------ */

static uint32_t hash_of(const uint32_t *values, unsigned count)
{
    uint32_t hash = 0x811C9DC5u;

    for (unsigned i = 0; i < count; i++) {
        for (unsigned byte = 0; byte < 4; byte++) {
            hash = (hash ^ (values[i] >> (byte * 8) & 0xFF)) * 0x01000193u;
        }
    }
    return hash;
}

/* a = i + s; b = 2 a; c = b * m + a; then sum and hash of c. */
static bool run_arithmetic(const struct drydock_workload_host *host)
{
    uint32_t start = (uint32_t)host->random(host, SITE_DATA), factor = start >> 7 | 1;
    uint32_t *expected = malloc(ELEMENTS * sizeof *expected);
    struct surface buffers[4] = {0};
    struct commands commands;
    struct gpu gpu;
    uint32_t sum = 0;

    if (!expected || !gpu_open(&gpu, host, NODE_COMPUTE)) {
        free(expected);
        return false;
    }
    for (unsigned i = 0; i < ELEMENTS; i++) {
        uint32_t a = start + i;
        expected[i] = 2 * a * factor + a;
        sum += expected[i];
    }
    bool good = softgpu_buffers(&gpu, ELEMENTS * 4, 0, buffers, 4);
    if (good) {
        const struct surface *a = &buffers[0], *b = &buffers[1], *c = &buffers[2];
        commands_begin(&commands, &gpu);
        commands_compute(&commands, SOFTGPU_KERNEL_IOTA, a, 0, NULL, NULL, ELEMENTS, start);
        commands_compute(&commands, SOFTGPU_KERNEL_ADD, b, 0, a, a, ELEMENTS, 0);
        commands_compute(&commands, SOFTGPU_KERNEL_MAD, c, 0, b, a, ELEMENTS, factor);
        commands_compute(&commands, SOFTGPU_KERNEL_SUM, &buffers[3], 0, c, NULL, ELEMENTS, 0);
        commands_compute(&commands, SOFTGPU_KERNEL_HASH, &buffers[3], 4, c, NULL, ELEMENTS, 0);
        good = commands_end(&commands);
    }
    const uint32_t *c = good ? gpu_lock(&gpu, &buffers[2], true) : NULL;
    const uint32_t *results = good ? gpu_lock(&gpu, &buffers[3], true) : NULL;
    if (c && results) {
        good = expect(host, memcmp(c, expected, ELEMENTS * 4) == 0, "multiply and add") &&
               expect(host, results[0] == sum, "sum") &&
               expect(host, results[1] == hash_of(expected, ELEMENTS), "hash");
        gpu_unlock(&gpu, &buffers[2]);
        gpu_unlock(&gpu, &buffers[3]);
    }
    for (unsigned i = 0; i < 4; i++) {
        gpu_surface_destroy(&gpu, &buffers[i]);
    }
    gpu_close(&gpu);
    free(expected);
    return good && c && results;
}

/* ---- Copies ---------------------------------------------------------------------------------- */

static void reference_fill(uint8_t *bytes, unsigned offset, unsigned size, uint32_t pattern)
{
    for (unsigned i = 0; i < size; i++) {
        bytes[offset + i] = (uint8_t)(pattern >> (i % 4 * 8));
    }
}

/* Odd sizes, odd offsets, and within one buffer overlapping ranges. */
static void add_copies(struct commands *commands, const struct surface *buffers, uint8_t *expected,
                       unsigned size_bytes)
{
    const struct drydock_workload_host *host = commands->gpu->host;
    uint8_t *first = expected, *second = expected + size_bytes;

    for (unsigned i = 0; i < 24; i++) {
        uint64_t chance = host->random(host, SITE_DATA);
        unsigned bytes = 1 + (unsigned)(chance % (size_bytes / 4));
        unsigned from = (unsigned)(chance >> 16) % (size_bytes - bytes);
        unsigned to = (unsigned)(chance >> 40) % (size_bytes - bytes);
        if (i % 3 == 0) {
            commands_fill(commands, &buffers[0], to, bytes, (uint32_t)(chance >> 8));
            reference_fill(first, to, bytes, (uint32_t)(chance >> 8));
        } else if (i % 3 == 1) {
            commands_copy(commands, &buffers[0], to, &buffers[0], from, bytes);
            memmove(first + to, first + from, bytes);
        } else {
            commands_copy(commands, &buffers[1], to, &buffers[0], from, bytes);
            memcpy(second + to, first + from, bytes);
        }
    }
}

static bool run_copies(const struct drydock_workload_host *host)
{
    enum { BYTES = 200000 };
    uint8_t *expected = calloc(2, BYTES);
    struct surface buffers[2] = {0};
    struct commands commands;
    struct gpu gpu;

    if (!expected || !gpu_open(&gpu, host, softgpu_copy_node(host))) {
        free(expected);
        return false;
    }
    bool good =
        softgpu_buffer(&gpu, BYTES, SOFTGPU_UMD_VRAM_ONLY, &buffers[0]) &&
        softgpu_buffer(&gpu, BYTES, SOFTGPU_UMD_APERTURE_ONLY | SOFTGPU_UMD_CACHED, &buffers[1]);
    if (good) {
        commands_begin(&commands, &gpu);
        for (unsigned i = 0; i < 2; i++) {
            commands_fill(&commands, &buffers[i], 0, BYTES, 0x04030201u + i);
            reference_fill(expected + i * BYTES, 0, BYTES, 0x04030201u + i);
        }
        add_copies(&commands, buffers, expected, BYTES);
        good = commands_end(&commands);
    }
    for (unsigned i = 0; i < 2 && good; i++) {
        const void *bytes = gpu_lock(&gpu, &buffers[i], true);
        good = bytes && expect(host, memcmp(bytes, expected + i * BYTES, BYTES) == 0, "copies");
        if (bytes) {
            gpu_unlock(&gpu, &buffers[i]);
        }
    }
    gpu_surface_destroy(&gpu, &buffers[0]);
    gpu_surface_destroy(&gpu, &buffers[1]);
    gpu_close(&gpu);
    free(expected);
    return good;
}

/* ---- Many allocations, many passes ----------------------------------------------------------- */

/* A value is written to the first and handed on from one to the next. */
static bool pass_on(struct gpu *gpu, struct surface *buffers)
{
    uint32_t value = (uint32_t)gpu->host->random(gpu->host, SITE_DATA);
    struct commands commands;
    unsigned wrong = 0;

    commands_begin(&commands, gpu);
    commands_fill(&commands, &buffers[0], 0, MANY_BYTES, value);
    for (unsigned i = 1; i < MANY; i++) {
        commands_copy(&commands, &buffers[i], 0, &buffers[i - 1], 0, MANY_BYTES);
        commands_fill(&commands, &buffers[i], i * 4, 4, value + i);
    }
    if (!commands_end(&commands)) {
        return false;
    }
    for (unsigned i = 0; i < MANY; i += 13) {
        const uint32_t *words = gpu_lock(gpu, &buffers[i], true);
        if (!words) {
            return false;
        }
        for (unsigned word = 0; word < MANY_BYTES / 4; word++) {
            wrong += words[word] != (word > 0 && word <= i ? value + word : value);
        }
        gpu_unlock(gpu, &buffers[i]);
    }
    return expect(gpu->host, wrong == 0, "a value handed on through many allocations");
}

static bool run_many(const struct drydock_workload_host *host)
{
    const struct softgpu_umd_context short_lists = {
        .magic = SOFTGPU_UMD_CONTEXT_MAGIC,
        .version = SOFTGPU_UMD_VERSION,
        .patch_list_entries = 16,
    };
    struct surface *buffers = calloc(MANY, sizeof *buffers);
    struct gpu gpu;

    if (!buffers ||
        !gpu_open_with(&gpu, host, softgpu_copy_node(host), &short_lists, sizeof short_lists)) {
        free(buffers);
        return false;
    }
    bool good = softgpu_buffers(&gpu, MANY_BYTES, SOFTGPU_UMD_PREFER_APERTURE, buffers, MANY) &&
                pass_on(&gpu, buffers);
    for (unsigned i = 0; i < MANY; i++) {
        gpu_surface_destroy(&gpu, &buffers[i]);
    }
    gpu_close(&gpu);
    free(buffers);
    return good;
}

/* ---- Order between contexts ------------------------------------------------------------------ */

static bool wait_or_signal(struct gpu *gpu, D3DKMT_HANDLE context, D3DKMT_HANDLE fence,
                           uint64_t value, bool signal)
{
    if (signal) {
        D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 arguments = {.hContext = context, .ObjectCount = 1};
        arguments.ObjectHandleArray[0] = fence;
        arguments.Fence.FenceValue = value;
        return gpu_check(gpu, D3DKMTSignalSynchronizationObject2(&arguments),
                         "D3DKMTSignalSynchronizationObject2");
    }
    D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2 arguments = {.hContext = context, .ObjectCount = 1};
    arguments.ObjectHandleArray[0] = fence;
    arguments.Fence.FenceValue = value;
    return gpu_check(gpu, D3DKMTWaitForSynchronizationObject2(&arguments),
                     "D3DKMTWaitForSynchronizationObject2");
}

/* The copy engine works slowly and signals; compute, asked before, must see what it wrote. */
static bool run_in_order(struct gpu *gpu, struct gpu *compute, D3DKMT_HANDLE fence,
                         const struct surface *buffers)
{
    uint32_t value = (uint32_t)gpu->host->random(gpu->host, SITE_DATA);
    struct commands commands;

    if (!wait_or_signal(gpu, compute->context, fence, 7, false)) {
        return false;
    }
    commands_begin(&commands, compute);
    commands_compute(&commands, SOFTGPU_KERNEL_SUM, &buffers[1], 0, &buffers[0], NULL, 1024, 0);
    if (!commands_end(&commands)) {
        return false;
    }
    commands_begin(&commands, gpu);
    commands_delay(&commands, 200000);
    commands_fill(&commands, &buffers[0], 0, 4096, value);
    if (!commands_end(&commands) || !wait_or_signal(gpu, gpu->context, fence, 7, true)) {
        return false;
    }
    const uint32_t *sum = gpu_lock(gpu, &buffers[1], true);
    bool good = sum && expect(gpu->host, *sum == value * 1024, "a fence between two contexts");
    if (sum) {
        gpu_unlock(gpu, &buffers[1]);
    }
    return good;
}

static bool run_order(const struct drydock_workload_host *host)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence = {.Info.Type = D3DDDI_FENCE};
    D3DKMT_CREATECONTEXT context = {.NodeOrdinal = NODE_COMPUTE, .EngineAffinity = 1};
    struct surface buffers[2] = {0};
    struct gpu gpu;

    if (!gpu_open(&gpu, host, softgpu_copy_node(host))) {
        return false;
    }
    fence.hDevice = context.hDevice = gpu.device;
    bool good = gpu_check(&gpu, D3DKMTCreateContext(&context), "D3DKMTCreateContext") &&
                gpu_check(&gpu, D3DKMTCreateSynchronizationObject2(&fence),
                          "D3DKMTCreateSynchronizationObject2") &&
                softgpu_buffers(&gpu, 4096, 0, buffers, 2);
    if (good) {
        struct gpu compute = gpu; /* the same device, the other context */
        const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT destroy = {fence.hSyncObject};
        compute.context = context.hContext;
        compute.commands = context.pCommandBuffer;
        compute.command_bytes = context.CommandBufferSize;
        compute.allocations = context.pAllocationList;
        compute.allocation_count = context.AllocationListSize;
        good = run_in_order(&gpu, &compute, fence.hSyncObject, buffers);
        gpu_check(&gpu, D3DKMTDestroySynchronizationObject(&destroy),
                  "D3DKMTDestroySynchronizationObject");
    }
    gpu_surface_destroy(&gpu, &buffers[0]);
    gpu_surface_destroy(&gpu, &buffers[1]);
    gpu_close(&gpu); /* the second context goes with the device */
    return good;
}

/* ---- Priorities ------------------------------------------------------------------------------ */

struct worker {
    const struct drydock_workload_host *host;
    unsigned index;
    int priority;
};

static bool work(struct gpu *gpu, const struct worker *worker, struct surface *buffers)
{
    const struct drydock_workload_host *host = worker->host;
    uint32_t start = (uint32_t)host->random(host, SITE_THREAD + worker->index), sum = 0;
    struct commands commands;

    for (unsigned i = 0; i < 4096; i++) {
        sum += start + i;
    }
    commands_begin(&commands, gpu);
    commands_compute(&commands, SOFTGPU_KERNEL_IOTA, &buffers[0], 0, NULL, NULL, 4096, start);
    commands_delay(&commands, 20000);
    commands_compute(&commands, SOFTGPU_KERNEL_SUM, &buffers[1], 0, &buffers[0], NULL, 4096, 0);
    if (!commands_end(&commands)) {
        return false;
    }
    const uint32_t *result = gpu_lock(gpu, &buffers[1], true);
    bool good = result && expect(host, *result == sum, "a context of another priority");
    if (result) {
        gpu_unlock(gpu, &buffers[1]);
    }
    return good;
}

static void worker_run(void *argument)
{
    const struct worker *worker = argument;
    struct surface buffers[2] = {0};
    struct gpu gpu;

    if (!gpu_open(&gpu, worker->host, NODE_COMPUTE)) {
        return;
    }
    const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY priority = {gpu.context, worker->priority};
    bool good = gpu_check(&gpu, D3DKMTSetContextSchedulingPriority(&priority),
                          "D3DKMTSetContextSchedulingPriority") &&
                softgpu_buffers(&gpu, 16384, 0, buffers, 2);
    for (unsigned i = 0; i < 12 && good; i++) {
        good = work(&gpu, worker, buffers);
    }
    gpu_surface_destroy(&gpu, &buffers[0]);
    gpu_surface_destroy(&gpu, &buffers[1]);
    gpu_close(&gpu);
}

static bool run_priorities(const struct drydock_workload_host *host)
{
    struct drydock_process *threads[THREADS];
    struct worker workers[THREADS];
    unsigned started = 0;

    for (; started < THREADS; started++) {
        workers[started] = (struct worker){host, started, (int)started * 2 - 2};
        threads[started] = host->start_thread(host, "render-worker", worker_run, &workers[started]);
        if (!threads[started]) {
            host->fail(host, "a thread cannot be started");
            break;
        }
    }
    for (unsigned i = 0; i < started; i++) {
        host->join(host, threads[i]);
    }
    return !host->failed(host);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void run(const struct drydock_workload_host *host)
{
    static bool (*const parts[])(const struct drydock_workload_host *host) = {
        run_copies,           run_many,
        result_of_preemption, /* on any engine */
        result_of_refusals,   result_of_null_rendering,
        run_arithmetic,       run_order,
        run_priorities,
    };
    unsigned part_count = sizeof parts / sizeof *parts;
    uint64_t start = host->now_ns(host);

    if (!(host->capabilities & DRYDOCK_DRIVER_IS_SOFTGPU)) {
        host->note(host, "left out: it knows the commands of the built-in driver only");
        return;
    }
    if (gpu_node_count(host) <= NODE_COMPUTE) {
        host->note(host, "arithmetic is left out: the driver offers one engine");
        part_count = 5;
    }
    host->count(host, "render.wrong_results", 0);
    if (!run_picture(host)) {
        return;
    }
    for (unsigned i = 0;; i++) {
        uint64_t elapsed = host->now_ns(host) - start;
        if (i >= part_count && elapsed >= host->duration_ns) {
            break;
        }
        host->progress(host, elapsed < host->duration_ns ? elapsed : host->duration_ns,
                       host->duration_ns);
        uint64_t next = host->now_ns(host) + PACE_NS;
        if (!parts[i % part_count](host)) {
            break;
        }
        host->sleep_until(host, next);
        host->count(host, "render.parts", 1);
    }
}

const struct drydock_workload workload_render = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "render",
    .description = "command buffers of the software GPU on all engines, results checked",
    .run = run,
};

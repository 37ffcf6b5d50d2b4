/* Presents as other windows and other sizes make them: stretched with a list of what is seen, and
 * moved within a surface, each way. See results.h. */
#include "results.h"

#include <string.h>

#include "canvas.h"

#define FROM_SIDE 64
#define TO_SIDE   128
#define GROUND    0x204060u

/* ---- Stretched, with a list ------------------------------------------------------------------ */

#define LISTED   4
#define ROWS_MAX 16
#define ROW      2

/* One in each quarter of the source. All coordinates are even, and none comes near to where two
 * colours meet: what a driver does between pixels does not count. */
static const struct box listed[LISTED] = {
    {18, 18, 26, 22}, {36, 18, 44, 22}, {18, 38, 22, 44}, {36, 40, 44, 44}};

static uint32_t quarter_colour(const struct box *box)
{
    return 0x904020u + (box->left >= FROM_SIDE / 2 ? 0x3060u : 0) +
           (box->top >= FROM_SIDE / 2 ? 0x200080u : 0);
}

/* Larger, smaller, and with corners that lie outside of the surface. */
static const struct {
    struct box from, to;
} stretches[] = {
    {{0, 0, FROM_SIDE, FROM_SIDE}, {0, 0, TO_SIDE, TO_SIDE}},
    {{0, 0, FROM_SIDE, FROM_SIDE}, {32, 16, 32 + FROM_SIDE / 2, 16 + FROM_SIDE / 2}},
    {{16, 16, 48, 48}, {-32, -24, 96, 104}},
};

/* Where a box of the source comes to. */
static struct box stretched(unsigned which, const struct box *box)
{
    struct box from = stretches[which].from, to = stretches[which].to;

    return (struct box){
        to.left + (box->left - from.left) * box_width(to) / box_width(from),
        to.top + (box->top - from.top) * box_height(to) / box_height(from),
        to.left + (box->right - from.left) * box_width(to) / box_width(from),
        to.top + (box->bottom - from.top) * box_height(to) / box_height(from),
    };
}

/* The list in rows, or the boxes as they are, or the first alone. */
static unsigned make_list(unsigned length, struct box *out)
{
    unsigned count = 0;

    for (unsigned i = 0; i < LISTED && length > 1; i++) {
        struct box left = listed[i];
        while (length > LISTED && box_height(left) > ROW) {
            out[count++] = box_at(left.left, left.top, box_width(left), ROW);
            left.top += ROW;
        }
        out[count++] = left;
    }
    if (length == 1) {
        out[count++] = listed[0];
    }
    return count;
}

static bool judge_stretch(struct gpu *gpu, const struct canvas *to, unsigned which, unsigned count)
{
    const struct box *source = &stretches[which].from, *target = &stretches[which].to;
    struct box first = {0};
    uint64_t wrong = canvas_compare(gpu, to, &first);

    if (wrong > 0 && wrong < UINT64_MAX) {
        bool inside = (*picture_at(&to->picture, first.left, first.top) & 0xFFFFFF) != GROUND;
        gpu->host->breaks(gpu->host, "PRES-028",
                          "Present (Blt, stretched from (%d, %d)-(%d, %d) to (%d, %d)-(%d, %d)) "
                          "with %u sub-rectangles: %llu pixels are wrong, the first at (%d, %d), "
                          "%s the sub-rectangles, which say what may be written",
                          source->left, source->top, source->right, source->bottom, target->left,
                          target->top, target->right, target->bottom, count,
                          (unsigned long long)wrong, first.left, first.top,
                          inside ? "inside" : "outside of");
    }
    return wrong == 0;
}

static bool stretch_list(struct gpu *gpu, struct canvas *to, const struct surface *from,
                         const unsigned which[2])
{
    struct box boxes[ROWS_MAX];
    const struct gpu_copy copy = {.to = &to->surface,
                                  .to_box = stretches[which[0]].to,
                                  .from = from,
                                  .from_box = stretches[which[0]].from,
                                  .boxes = boxes,
                                  .count = make_list(which[1], boxes)};

    if (!canvas_fill(gpu, to, picture_box(&to->picture), GROUND)) {
        return false;
    }
    NTSTATUS status = gpu_try_copy(gpu, &copy);
    if (is_refusal(status)) {
        return true; /* the hardware does not stretch */
    }
    for (unsigned i = 0; i < copy.count; i++) {
        picture_fill(&to->picture, stretched(which[0], &boxes[i]), quarter_colour(&boxes[i]));
    }
    return gpu_check(gpu, status, "D3DKMTPresent (Blt, stretched, sub-rectangles)") &&
           gpu_wait_idle(gpu) && judge_stretch(gpu, to, which[0], copy.count);
}

static bool make_quarters(struct gpu *gpu, struct canvas *out)
{
    const int half = FROM_SIDE / 2;
    struct picture picture;

    if (!picture_create(FROM_SIDE, FROM_SIDE, &picture)) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        struct box quarter = box_at(i % 2 * half, i / 2 * half, half, half);
        picture_fill(&picture, quarter, quarter_colour(&quarter));
    }
    return canvas_from_picture(gpu, &picture, out);
}

static bool stretch_all(struct gpu *gpu)
{
    static const unsigned lengths[] = {LISTED, 1, ROWS_MAX};
    struct canvas from = {0}, to = {0};
    bool good = make_quarters(gpu, &from) && canvas_create(gpu, TO_SIDE, TO_SIDE, false, &to);

    for (unsigned i = 0; good && i < sizeof stretches / sizeof *stretches; i++) {
        good = stretch_list(gpu, &to, &from.surface, (unsigned[]){i, lengths[i]});
    }
    canvas_destroy(gpu, &from);
    canvas_destroy(gpu, &to);
    return good;
}

/* ---- Moved within a surface ------------------------------------------------------------------ */

#define TILE     32
#define TILES    (TO_SIDE / TILE)
#define MOVED    (TILES * TILES)
#define SITE_MIX 901

static const struct {
    int dx, dy;
} moves[] = {{0, 5}, {0, -3}, {7, 0}, {-2, 0}, {4, 6}, {-9, -1}, {6, -7}, {-1, 8}};

/* The tiles of what is moved, in an order in which none is overwritten before it was read: also a
 * driver that takes them one by one is right. */
static void order_tiles(struct box whole, int dx, int dy, struct box *out)
{
    for (int i = 0; i < MOVED; i++) {
        int row = dy > 0 ? TILES - 1 - i / TILES : i / TILES;
        int column = dx > 0 ? TILES - 1 - i % TILES : i % TILES;
        out[i] = box_intersect(box_at(column * TILE, row * TILE, TILE, TILE), whole);
    }
}

static struct box shifted(struct box box, int dx, int dy)
{
    return (struct box){box.left + dx, box.top + dy, box.right + dx, box.bottom + dy};
}

static bool move_tiles(struct gpu *gpu, struct canvas *field, unsigned which, bool *refused)
{
    int dx = moves[which].dx, dy = moves[which].dy;
    struct box whole = picture_box(&field->picture), boxes[MOVED], first = {0};
    struct box from = box_intersect(whole, shifted(whole, -dx, -dy));
    const struct gpu_copy copy = {.to = &field->surface,
                                  .to_box = shifted(from, dx, dy),
                                  .from = &field->surface,
                                  .from_box = from,
                                  .boxes = boxes,
                                  .count = MOVED};

    order_tiles(from, dx, dy, boxes);
    NTSTATUS status = gpu_try_copy(gpu, &copy);
    *refused = is_refusal(status);
    if (*refused || !gpu_check(gpu, status, "D3DKMTPresent (Blt within a surface)") ||
        !gpu_wait_idle(gpu)) {
        return false;
    }
    picture_copy(&field->picture, from.left + dx, from.top + dy, &field->picture, from);
    uint64_t wrong = canvas_compare(gpu, field, &first);
    if (wrong > 0 && wrong < UINT64_MAX) {
        gpu->host->breaks(gpu->host, "PRES-028",
                          "Present (Blt) within one surface, which moves %d sub-rectangles by (%d, "
                          "%d), in an order in which none is overwritten before it is read: %llu "
                          "pixels are wrong, the first at (%d, %d)",
                          MOVED, dx, dy, (unsigned long long)wrong, first.left, first.top);
    }
    return wrong == 0;
}

static bool move_all(struct gpu *gpu)
{
    struct canvas field = {0};
    struct picture picture;
    bool refused = false, good = picture_create(TO_SIDE, TO_SIDE, &picture);

    if (good) {
        uint32_t seed = (uint32_t)gpu->host->random(gpu->host, SITE_MIX);
        for (uint32_t i = 0; i < TO_SIDE * TO_SIDE; i++) {
            picture.pixels[i] = ((i + seed) * 2654435761u >> 4) & 0xFFFFFF;
        }
        good = canvas_from_picture(gpu, &picture, &field);
    }
    for (unsigned i = 0; good && i < sizeof moves / sizeof *moves; i++) {
        good = move_tiles(gpu, &field, i, &refused);
    }
    canvas_destroy(gpu, &field);
    return good || refused;
}

/* ---- Surfaces of windows --------------------------------------------------------------------- */

#define WIDE 52 /* not what a pitch is likely to be a multiple of */

/* False: something went wrong, which the host was told. No page says that Present has to copy to
 * such surfaces, or from one to the other: a driver may refuse; what it takes has to be right. */
static bool copy_through(struct gpu *gpu, const struct canvas *from, const struct surface *texture,
                         const struct surface *staging, const char *kind)
{
    struct box whole = picture_box(&from->picture), first = {0};
    NTSTATUS status = gpu_try_blt(gpu, texture, whole, &from->surface, whole, NULL);

    if (status >= 0) {
        status = gpu_try_blt(gpu, staging, whole, texture, whole, NULL);
    }
    if (is_refusal(status) || status == STATUS_INVALID_PARAMETER) {
        return true;
    }
    if (!gpu_check(gpu, status, "D3DKMTPresent (Blt, GDI surfaces)")) {
        return false;
    }
    uint64_t wrong = gpu_compare(gpu, staging, &from->picture, &first);
    if (wrong > 0 && wrong < UINT64_MAX) {
        gpu->host->fail(gpu->host,
                        "%llu pixels of a GDI surface (STAGING_CPUVISIBLE), to which a picture was "
                        "copied through another one (%s), are wrong, the first at (%d, %d)",
                        (unsigned long long)wrong, kind, first.left, first.top);
    }
    return wrong == 0;
}

/* A driver may know none of them. What it draws for another adapter to show it copies to a surface
 * that both reach, without a stretch and in the same colours. The CPU looks at STAGING_CPUVISIBLE
 * alone. */
static bool through_texture(struct gpu *gpu, enum drydock_surface_kind kind, const char *name)
{
    struct drydock_standard_allocation description = {
        .kind = kind, .width = WIDE, .height = FROM_SIDE, .format = D3DDDIFMT_X8R8G8B8};
    struct surface texture = {0}, staging = {0};
    struct canvas from = {0};
    bool there = gpu_surface_try_create(gpu, &description, &texture) >= 0;

    description.kind = DRYDOCK_SURFACE_GDI_STAGING;
    bool seen = gpu_surface_try_create(gpu, &description, &staging) >= 0;
    if (there && !seen) {
        gpu->host->note(gpu->host,
                        "left out: copies through %s, without STAGING_CPUVISIBLE to see them by",
                        name);
    }
    bool good = !there || !seen ||
                (canvas_create(gpu, WIDE, FROM_SIDE, false, &from) &&
                 canvas_fill(gpu, &from, box_at(3, 5, 40, 50), 0x30A0C0) &&
                 canvas_fill(gpu, &from, box_at(20, 30, 32, 9), 0xC05010) &&
                 copy_through(gpu, &from, &texture, &staging, name));
    canvas_destroy(gpu, &from);
    gpu_surface_destroy(gpu, &texture);
    gpu_surface_destroy(gpu, &staging);
    return good && !gpu->lost;
}

/* ---- Memory of the client -------------------------------------------------------------------- */

#define HEAP_ROWS 32
#define HEAP_ROW  4096

static NTSTATUS make_heap(struct gpu *gpu, const struct drydock_memory *memory, struct surface *out)
{
    D3DKMT_CREATESTANDARDALLOCATION heap = {.Type = D3DKMT_STANDARDALLOCATIONTYPE_EXISTINGHEAP,
                                            .ExistingHeapData.Size = memory->size_bytes};
    D3DDDI_ALLOCATIONINFO2 info = {.pSystemMem = memory->address};
    D3DKMT_CREATEALLOCATION create = {
        .hDevice = gpu->device,
        .NumAllocations = 1,
        .pAllocationInfo2 = &info,
        .pStandardAllocation = &heap,
        .Flags = {.StandardAllocation = 1, .ExistingSysMem = 1, .CreateResource = 1},
    };
    NTSTATUS status = D3DKMTCreateAllocation2(&create);

    *out = (struct surface){.allocation = info.hAllocation,
                            .resource = create.hResource,
                            .width = HEAP_ROW / 4,
                            .height = HEAP_ROWS,
                            .pitch = HEAP_ROW};
    return status;
}

/* What the GPU writes there, the client finds in its own memory, also after it was away. */
static bool look_into_heap(struct gpu *gpu, const struct surface *heap, const uint32_t *words)
{
    unsigned wrong = 0;

    for (unsigned round = 0; round < 2 && wrong == 0; round++) {
        uint32_t colour = GROUND + round;
        if (!gpu_fill(gpu, heap, box_at(0, 0, (int)heap->width, HEAP_ROWS), colour) ||
            !gpu_wait_idle(gpu) || !gpu_evict(gpu, heap)) {
            return false;
        }
        for (unsigned i = 0; i < HEAP_ROWS * HEAP_ROW / 4; i++) {
            wrong += (words[i] & 0xFFFFFF) != colour;
        }
    }
    if (wrong) {
        gpu->host->fail(gpu->host,
                        "%u pixels of memory that a client has, and that was filled as a surface, "
                        "are wrong",
                        wrong);
    }
    return wrong == 0;
}

/* A surface of the kind GDI_EXISTINGSYSMEM; only the driver that is known here is asked for it. */
static bool in_own_memory(struct gpu *gpu)
{
    struct drydock_memory memory = {.size_bytes = HEAP_ROWS * HEAP_ROW};
    struct surface heap;

    if (!(gpu->host->capabilities & DRYDOCK_DRIVER_IS_SOFTGPU)) {
        return true;
    }
    if (!gpu_check(gpu, drydock_allocate_memory(&memory), "drydock_allocate_memory")) {
        return false;
    }
    NTSTATUS status = make_heap(gpu, &memory, &heap);
    bool good = status == STATUS_NOT_SUPPORTED || /* before Windows 7 */
                (gpu_check(gpu, status, "D3DKMTCreateAllocation2 of an existing heap") &&
                 look_into_heap(gpu, &heap, memory.address));
    if (status >= 0) {
        gpu_surface_destroy(gpu, &heap);
    }
    return gpu_check(gpu, drydock_free_memory(&memory), "drydock_free_memory") && good;
}

bool result_of_kinds(struct gpu *gpu)
{
    return stretch_all(gpu) && move_all(gpu) &&
           through_texture(gpu, DRYDOCK_SURFACE_GDI_TEXTURE, "TEXTURE") &&
           through_texture(gpu, DRYDOCK_SURFACE_CROSS_ADAPTER, "TEXTURE_CROSSADAPTER") &&
           in_own_memory(gpu);
}

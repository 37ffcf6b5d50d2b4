/* Pieces of work whose result names the rule that was broken: see results.h. */
#include "results.h"

#include <stdlib.h>
#include <string.h>

#include "addressed.h"
#include "canvas.h"
#include "softgpu_client.h"

/* ---- Sub-rectangles ------------------------------------------------------------------------ */

#define SIDE   64
#define GROUND 0x203040u
#define DRAWN  0xD0A070u

/* They cover neither the surface nor the smallest rectangle around them. */
static const struct box listed[] = {{8, 8, 24, 24}, {40, 8, 56, 24}, {8, 40, 56, 56}};

#define LISTED (sizeof listed / sizeof *listed)

static bool is_listed(int x, int y)
{
    for (size_t i = 0; i < LISTED; i++) {
        if (x >= listed[i].left && x < listed[i].right && y >= listed[i].top &&
            y < listed[i].bottom) {
            return true;
        }
    }
    return false;
}

static bool judge_sub_rects(struct gpu *gpu, const struct surface *to, const uint8_t *bytes)
{
    for (int y = 0; y < SIDE; y++) {
        const uint32_t *row = (const void *)(bytes + (size_t)y * to->pitch);
        for (int x = 0; x < SIDE; x++) {
            uint32_t wanted = is_listed(x, y) ? DRAWN : GROUND, is = row[x] & 0xFFFFFF;
            if (is != wanted) {
                gpu->host->breaks(
                    gpu->host, "PRES-028",
                    "Present (Blt) into a surface of %d x %d pixels, list (8, 8)-(24, 24), (40, "
                    "8)-(56, 24), (8, 40)-(56, 56): the pixel (%d, %d), %s the list, is 0x%06X; it "
                    "was 0x%06X, the source is 0x%06X",
                    SIDE, SIDE, x, y, is_listed(x, y) ? "in" : "outside of", is, GROUND, DRAWN);
                return false;
            }
        }
    }
    gpu->host->holds(gpu->host, "PRES-028");
    return true;
}

/* No page says that Windows asks for copies between shadow surfaces, and a public driver has none:
 * what is there stays. What is composed by them is no picture to judge by. */
static bool copies_nothing(struct gpu *gpu, const struct surface *to, const struct surface *from,
                           const struct picture *ground)
{
    struct box first;

    if (gpu->host->failed(gpu->host) || !gpu_upload(gpu, to, ground) ||
        !gpu_blt(gpu, to, 0, 0, from, picture_box(ground)) || !gpu_wait_idle(gpu) ||
        gpu_compare(gpu, to, ground, &first) != 0) {
        return false;
    }
    gpu->host->note(gpu->host, "left out: a Blt from a shadow surface to another changes nothing, "
                               "and the pictures here are composed by them");
    return true;
}

/* The same without a list. What is wrong there, no list is to blame for. */
static bool draw_whole(struct gpu *gpu, const struct surface *to, const struct surface *from,
                       const struct picture *drawn, const struct picture *ground)
{
    struct box first;

    if (!gpu_blt(gpu, to, 0, 0, from, picture_box(drawn)) || !gpu_wait_idle(gpu)) {
        return false;
    }
    uint64_t wrong = gpu_compare(gpu, to, drawn, &first);
    if (wrong > 0 && wrong < UINT64_MAX && !copies_nothing(gpu, to, from, ground)) {
        gpu->host->fail(gpu->host, "%llu pixels are wrong after a Blt of %d x %d pixels",
                        (unsigned long long)wrong, SIDE, SIDE);
    }
    return wrong == 0;
}

static bool draw_listed(struct gpu *gpu, const struct surface *to, const struct surface *from)
{
    if (!gpu_blt_boxes(gpu, to, from, listed, LISTED) || !gpu_wait_idle(gpu)) {
        return false;
    }
    const uint8_t *bytes = gpu_lock(gpu, to, true);
    bool good = bytes && judge_sub_rects(gpu, to, bytes);
    if (bytes) {
        gpu_unlock(gpu, to);
    }
    return good;
}

bool result_of_sub_rects(struct gpu *gpu)
{
    struct surface from = {0}, to = {0};
    struct picture drawn = {0}, ground = {0};
    bool good = false;

    if (!picture_create(SIDE, SIDE, &drawn) || !picture_create(SIDE, SIDE, &ground)) {
        gpu->host->fail(gpu->host, "no memory");
        goto out;
    }
    picture_fill(&drawn, picture_box(&drawn), DRAWN);
    picture_fill(&ground, picture_box(&ground), GROUND);
    good = gpu_surface_create(gpu, DRYDOCK_SURFACE_SHADOW, SIDE, SIDE, D3DDDIFMT_X8R8G8B8, false,
                              &from) &&
           gpu_surface_create(gpu, DRYDOCK_SURFACE_SHADOW, SIDE, SIDE, D3DDDIFMT_X8R8G8B8, false,
                              &to) &&
           gpu_upload(gpu, &from, &drawn) && draw_whole(gpu, &to, &from, &drawn, &ground) &&
           gpu_upload(gpu, &to, &ground) && draw_listed(gpu, &to, &from);
    gpu_surface_destroy(gpu, &from);
    gpu_surface_destroy(gpu, &to);
out:
    picture_destroy(&drawn);
    picture_destroy(&ground);
    return good;
}

/* ---- Rows ---------------------------------------------------------------------------------- */

#define NARROW_SIDE 19 /* pixels either way: hardly any hardware has rows of just so many bytes */

/* From the first word of that colour to the second; 0: there are other than NARROW_SIDE, or they
 * are not evenly apart. */
static unsigned distance_of(const struct surface *surface, const uint32_t *words, uint32_t colour)
{
    size_t first = 0, last = 0, found = 0, apart = 0;

    for (size_t i = 0; i < surface->size_bytes / sizeof *words; i++) {
        if ((words[i] & 0xFFFFFF) != colour) {
            continue;
        }
        if (found == 0) {
            first = i;
        } else if (found == 1) {
            apart = i - first;
        } else if (i - last != apart) {
            return 0;
        }
        last = i;
        found++;
    }
    return found == NARROW_SIDE ? (unsigned)(apart * sizeof *words) : 0;
}

/* A column, drawn by the driver: it goes from row to row as he has them. */
static void judge_pitch(struct gpu *gpu, const struct surface *surface, const uint32_t *words)
{
    unsigned apart = distance_of(surface, words, DRAWN);

    if (apart != 0 && apart != surface->pitch) {
        gpu->host->breaks(gpu->host, "ALLOC-025",
                          "GetStandardAllocationDriverData told Pitch %u of a shadow surface of %d "
                          "x %d pixels of 4 bytes; what Present (ColorFill) draws there has its "
                          "rows %u bytes apart",
                          surface->pitch, NARROW_SIDE, NARROW_SIDE, apart);
    }
}

bool result_of_pitch(struct gpu *gpu)
{
    struct surface surface = {0};
    bool good = gpu_surface_create(gpu, DRYDOCK_SURFACE_SHADOW, NARROW_SIDE, NARROW_SIDE,
                                   D3DDDIFMT_X8R8G8B8, false, &surface) &&
                gpu_fill(gpu, &surface, (struct box){0, 0, NARROW_SIDE, NARROW_SIDE}, GROUND) &&
                gpu_fill(gpu, &surface, (struct box){1, 0, 2, NARROW_SIDE}, DRAWN) &&
                gpu_wait_idle(gpu);
    const uint32_t *words = good ? gpu_lock(gpu, &surface, true) : NULL;

    if (words) {
        judge_pitch(gpu, &surface, words);
        gpu_unlock(gpu, &surface);
    }
    gpu_surface_destroy(gpu, &surface);
    return words && !gpu->host->failed(gpu->host);
}

/* ---- Long lists ---------------------------------------------------------------------------- */

#define FIELD      256 /* pixels either way */
#define CELL       4
#define CELLS      (FIELD / CELL)
#define MANY       (CELLS * CELLS / 2)
#define SITE_CELLS 900

/* Every second cell, as on a board. */
static struct box *make_board(void)
{
    struct box *boxes = malloc(MANY * sizeof *boxes);

    for (int i = 0; boxes && i < MANY; i++) {
        int row = i * 2 / CELLS, column = i * 2 % CELLS + row % 2;
        boxes[i] = box_at(column * CELL, row * CELL, CELL, CELL);
    }
    return boxes;
}

/* The place of a pixel in the list, from 1; 0: none of it. */
static unsigned number_of(const struct box *boxes, unsigned count, const struct box *pixel)
{
    for (unsigned i = 0; i < count; i++) {
        if (!box_is_empty(box_intersect(boxes[i], *pixel))) {
            return i + 1;
        }
    }
    return 0;
}

static bool judge_board(struct gpu *gpu, const struct canvas *to, const struct box *boxes,
                        bool filled)
{
    struct box first = {0};
    uint64_t wrong = canvas_compare(gpu, to, &first);

    if (wrong > 0 && wrong < UINT64_MAX && filled && canvas_fills_nothing(gpu)) {
        return true;
    }
    if (wrong > 0 && wrong < UINT64_MAX) {
        unsigned number = number_of(boxes, MANY, &first);
        gpu->host->breaks(gpu->host, "PRES-028",
                          "Present (%s) with a list of %d rectangles of %d x %d pixels: %llu "
                          "pixels are wrong, the first at (%d, %d), %s %u%s",
                          filled ? "ColorFill" : "Blt", MANY, CELL, CELL,
                          (unsigned long long)wrong, first.left, first.top,
                          number ? "in rectangle" : "outside of the list, which ends with number",
                          number ? number : MANY,
                          number ? "; was the list gone on with where the last pass ended?" : "");
    }
    return wrong == 0;
}

static bool draw_board(struct gpu *gpu, struct canvas *to, const struct canvas *from,
                       const struct box *boxes)
{
    return canvas_copy_boxes(gpu, to, from, boxes, MANY) && gpu_wait_idle(gpu) &&
           judge_board(gpu, to, boxes, false) &&
           canvas_fill_boxes(gpu, to, 0x3070F0, boxes, MANY) && gpu_wait_idle(gpu) &&
           judge_board(gpu, to, boxes, true);
}

static void paint_cells(struct picture *picture, const struct drydock_workload_host *host)
{
    uint32_t seed = (uint32_t)host->random(host, SITE_CELLS);

    for (unsigned y = 0; y < picture->height; y++) {
        for (unsigned x = 0; x < picture->width; x++) {
            *picture_at(picture, (int)x, (int)y) =
                ((x * 2654435761u) ^ (y * 40503u + seed)) & 0xFFFFFF;
        }
    }
}

static bool make_field(struct gpu *gpu, struct canvas *out)
{
    struct picture picture;

    if (!picture_create(FIELD, FIELD, &picture)) {
        return false;
    }
    paint_cells(&picture, gpu->host);
    return canvas_from_picture(gpu, &picture, out);
}

bool result_of_many_rects(struct gpu *gpu)
{
    struct canvas from = {0}, to = {0};
    struct box *boxes = make_board();
    bool good = boxes && make_field(gpu, &from) && canvas_create(gpu, FIELD, FIELD, false, &to) &&
                draw_board(gpu, &to, &from, boxes);

    canvas_destroy(gpu, &from);
    canvas_destroy(gpu, &to);
    free(boxes);
    return good;
}

/* ---- Moved rectangles ---------------------------------------------------------------------- */

#define ROW_HEIGHT 2
#define ROWS       (FIELD / ROW_HEIGHT)
#define SHIFT      3
#define SHIFTS     6
#define URGENT_NS  15000

/* Sends the moves; false, too, if the driver does not copy within a surface. */
static bool move_rows(struct gpu *gpu, struct canvas *field, bool *refused)
{
    struct box rows[ROWS];
    const struct gpu_copy copy = {.to = &field->surface,
                                  .to_box = box_at(SHIFT, 0, FIELD - SHIFT, FIELD),
                                  .from = &field->surface,
                                  .from_box = box_at(0, 0, FIELD - SHIFT, FIELD),
                                  .boxes = rows,
                                  .count = ROWS};

    for (int i = 0; i < ROWS; i++) {
        rows[i] = box_at(0, i * ROW_HEIGHT, FIELD - SHIFT, ROW_HEIGHT);
    }
    for (unsigned i = 0; i < SHIFTS; i++) {
        NTSTATUS status = gpu_try_copy(gpu, &copy);
        *refused = is_refusal(status);
        if (*refused || !gpu_check(gpu, status, "D3DKMTPresent (Blt within a surface)")) {
            return false;
        }
        picture_copy(&field->picture, SHIFT, 0, &field->picture,
                     box_at(0, 0, FIELD - SHIFT, FIELD));
    }
    return true;
}

static bool disturb_rows(struct gpu *urgent, const struct surface *other)
{
    const struct drydock_workload_host *host = urgent->host;

    for (unsigned i = 0; i < 4 * SHIFTS; i++) {
        host->sleep_until(host, host->now_ns(host) + URGENT_NS);
        if (!gpu_fill(urgent, other, box_at(0, 0, 1, 1), i)) {
            return false;
        }
    }
    return gpu_wait_idle(urgent);
}

static bool judge_rows(struct gpu *gpu, const struct canvas *field, bool disturbed)
{
    struct box first = {0};
    uint64_t wrong = canvas_compare(gpu, field, &first);

    if (wrong > 0 && wrong < UINT64_MAX && disturbed) {
        gpu->host->breaks(gpu->host, "SUBMIT-045",
                          "%d presents, each of which moves %d rectangles within a surface by %d "
                          "pixels, with more urgent work between: %llu pixels are wrong, the first "
                          "in rectangle %d; it was moved twice, or not at all, or out of turn",
                          SHIFTS, ROWS, SHIFT, (unsigned long long)wrong,
                          first.top / ROW_HEIGHT + 1);
    } else if (wrong == 0 && disturbed) {
        gpu->host->holds(gpu->host, "SUBMIT-045");
    } else if (wrong > 0 && wrong < UINT64_MAX) {
        gpu->host->fail(gpu->host,
                        "%llu pixels are wrong after %d presents that move %d rectangles within a "
                        "surface; the first at (%d, %d)",
                        (unsigned long long)wrong, SHIFTS, ROWS, first.left, first.top);
    }
    return wrong == 0;
}

/* First undisturbed: what is wrong then, no preemption is to blame for. */
static bool move_twice(struct gpu *gpu, struct gpu *urgent, const struct surface *other)
{
    bool good = true, refused = false;

    for (unsigned disturbed = 0; good && disturbed < 2; disturbed++) {
        struct canvas field = {0};
        good = make_field(gpu, &field) && move_rows(gpu, &field, &refused) &&
               (!disturbed || disturb_rows(urgent, other)) && gpu_wait_idle(gpu) &&
               judge_rows(gpu, &field, disturbed);
        canvas_destroy(gpu, &field);
    }
    return good || refused;
}

bool result_of_moved_rects(struct gpu *gpu)
{
    struct surface other = {0};
    struct gpu urgent;
    bool good = gpu_open(&urgent, gpu->host, 0);

    if (good) {
        const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY priority = {urgent.context, 7};
        good = gpu_check(&urgent, D3DKMTSetContextSchedulingPriority(&priority),
                         "D3DKMTSetContextSchedulingPriority") &&
               gpu_surface_create(&urgent, DRYDOCK_SURFACE_SHADOW, CELL, CELL, D3DDDIFMT_X8R8G8B8,
                                  false, &other) &&
               move_twice(gpu, &urgent, &other);
        gpu_surface_destroy(&urgent, &other);
        gpu_close(&urgent);
    }
    return good;
}

/* ---- Null rendering ------------------------------------------------------------------------ */

#define NULL_ROUNDS   8
#define NULL_BYTES    64
#define NULL_COMMANDS 0x1000u
#define DONE          0x600D0000u
#define NOT_TO_DO     0xBAD00000u

/* Each ends with what is not to be done, and every second one begins with it, too. */
static bool send_round(struct gpu *gpu, const struct surface *buffer, unsigned round)
{
    struct commands commands;
    unsigned last = round % 2;

    for (unsigned i = 0; i < 2 + last; i++) {
        gpu->null_rendering = i % 2 != last;
        commands_begin(&commands, gpu);
        commands_fill(&commands, buffer, round * NULL_BYTES, NULL_BYTES,
                      (gpu->null_rendering ? NOT_TO_DO : DONE) + i);
        if (!commands_end(&commands)) {
            return false;
        }
    }
    gpu->null_rendering = false;
    return gpu_wait_idle(gpu);
}

static bool judge_bytes(const struct drydock_workload_host *host, const uint8_t *bytes,
                        const char *how)
{
    bool good = true, ran = false;

    for (unsigned round = 0; good && round < NULL_ROUNDS; round++) {
        uint32_t seen, wanted = DONE + round % 2;
        memcpy(&seen, bytes + (size_t)round * NULL_BYTES, sizeof seen);
        ran |= (seen & 0xFFFF0000u) == NOT_TO_DO;
        good = seen == wanted || (seen & 0xFFFF0000u) == NOT_TO_DO;
        if (!good) {
            host->fail(host,
                       "the GPU's result is wrong: a fill beside one with NullRendering left "
                       "0x%08X, expected 0x%08X",
                       seen, wanted);
        }
    }
    if (ran) {
        host->breaks(host, "SUBMIT-038",
                     "the commands of a buffer that was submitted with NullRendering%s ran: a fill "
                     "has left its pattern",
                     how);
    } else if (good) {
        host->holds(host, "SUBMIT-038");
    }
    return good;
}

static bool judge_rounds(struct gpu *gpu, const struct surface *buffer)
{
    const uint8_t *bytes = gpu_lock(gpu, buffer, true);
    bool good = bytes && judge_bytes(gpu->host, bytes, "");

    if (bytes) {
        gpu_unlock(gpu, buffer);
    }
    return good;
}

bool result_of_null_rendering(const struct drydock_workload_host *host)
{
    struct surface buffer = {0};
    struct gpu gpu;
    bool good;

    if (!gpu_open(&gpu, host, softgpu_copy_node(host))) {
        return false;
    }
    good = softgpu_buffer(&gpu, NULL_ROUNDS * NULL_BYTES, 0, &buffer);
    for (unsigned round = 0; good && round < NULL_ROUNDS; round++) {
        good = send_round(&gpu, &buffer, round);
    }
    good = good && judge_rounds(&gpu, &buffer);
    gpu_surface_destroy(&gpu, &buffer);
    gpu_close(&gpu);
    return good;
}

/* As send_round. */
static bool send_by_address(struct addressed *client, const struct memory_block *commands,
                            const struct memory_block *block, unsigned round)
{
    struct command_writer writer;
    unsigned last = round % 2;

    for (unsigned i = 0; i < 2 + last; i++) {
        client->null_rendering = i % 2 != last;
        writer_begin(&writer, client, commands);
        writer_fill(&writer, block->address + (uint64_t)round * NULL_BYTES, NULL_BYTES,
                    (client->null_rendering ? NOT_TO_DO : DONE) + i);
        if (!writer_end(&writer) || !addressed_wait(client)) {
            return false;
        }
    }
    client->null_rendering = false;
    return true;
}

bool result_of_virtual_null_rendering(const struct drydock_workload_host *host, unsigned node)
{
    struct memory_block commands, block;
    struct addressed client;
    bool there;

    if (!addressed_open(&client, host, node, &there)) {
        return !there;
    }
    bool good = addressed_block(&client, NULL_COMMANDS,
                                SOFTGPU_UMD_VIRTUAL_ONLY | SOFTGPU_UMD_APERTURE_ONLY, &commands) &&
                addressed_block(&client, NULL_COMMANDS, SOFTGPU_UMD_VIRTUAL_ONLY, &block);
    for (unsigned round = 0; good && round < NULL_ROUNDS; round++) {
        client.sends_no_data = round % 4 >= 2;
        good = send_by_address(&client, &commands, &block, round);
    }
    const uint8_t *bytes = good ? addressed_lock(&client, &block) : NULL;
    good = bytes && judge_bytes(host, bytes, ", by SubmitCommandVirtual,");
    if (bytes) {
        addressed_unlock(&client, &block);
    }
    addressed_close(&client);
    return good;
}

/* gdi: what Windows' own display driver has a GPU draw for GDI, where the driver offers it
 * (PresentationCaps.SupportKernelModeCommandBuffer): each operation, with one rectangle and with
 * many, by lists and by GPU virtual addresses, and each picture looked at pixel by pixel.
 *
 *   ground (CPU) ─copy─> target ─the operation, of the source─> target ─copy─> back (CPU): judged
 *
 * All of that is one call: a driver that reads commands of one length loses its way. */
#include "workloads.h"

#include <d3dkmddi.h>
#include <stdlib.h>
#include <string.h>

#include "gdi_pixels.h"
#include "gpu.h"

#define WIDTH      96
#define HEIGHT     64
#define PIECE_WIDTH  48 /* of a surface that is smaller than what is drawn on */
#define PIECE_HEIGHT 28
#define CHAIN        20u
#define COVERAGE   4u /* of text: one pixel in so many has none, one all */
#define DENSE_MAX  1600u
#define FEW        5
#define TEXT       0xFF2050C0u
#define TEXT_PLAIN 0xFF3060D0u

struct stage {
    struct gpu gpu;
    struct surface ground, from, target, source, back, table, piece_from, piece;
    struct picture ground_picture, source_picture, piece_picture;
    uint8_t table_bytes[GDI_TABLE_PIXELS];
    bool has_table;
    RECT dense[DENSE_MAX];
    UINT caps;
    uint64_t drawn, left_out;
};

/* ---- Pictures -------------------------------------------------------------------------------- */

static uint32_t scrambled(uint32_t value)
{
    value = (value ^ value >> 16) * 0x45D9F3Bu;
    value = (value ^ value >> 15) * 0x2C1B3C6Du;
    return value ^ value >> 13;
}

/* Of the source alpha is multiplied in, as blends want it; a part of it is of one colour, which is
 * what transparent copies leave out, and its coverage is none or all in places. */
static uint32_t source_pixel(unsigned at)
{
    uint32_t pixel = scrambled(at + 0x51), alpha = pixel >> 24;
    uint32_t result = alpha << 24;

    if (at % COVERAGE == 0) {
        return at / COVERAGE % 2 ? 0xFFFFFFFFu : 0x00000000u;
    }
    for (unsigned i = 0; i < 3; i++) {
        result |= ((pixel >> (8 * i)) & 0xFF) * alpha / 255 << (8 * i);
    }
    return result;
}

static bool make_pictures(struct stage *stage)
{
    if (!picture_create(WIDTH, HEIGHT, &stage->ground_picture) ||
        !picture_create(WIDTH, HEIGHT, &stage->source_picture) ||
        !picture_create(PIECE_WIDTH, PIECE_HEIGHT, &stage->piece_picture)) {
        stage->gpu.host->fail(stage->gpu.host, "no memory");
        return false;
    }
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
        stage->ground_picture.pixels[i] = scrambled(i);
        stage->source_picture.pixels[i] = source_pixel(i);
    }
    for (unsigned i = 0; i < PIECE_WIDTH * PIECE_HEIGHT; i++) {
        stage->piece_picture.pixels[i] = source_pixel(i + WIDTH);
    }
    for (unsigned i = 0; i < GDI_TABLE_PIXELS; i++) {
        unsigned row = i / GDI_TABLE_ROW, value = i % GDI_TABLE_ROW % 256;
        unsigned bent = value * value / 255;
        bool undoes = i % GDI_TABLE_ROW >= GDI_TABLE_ROW / 2;
        unsigned other = 255 - (255 - value) * (255 - value) / 255;
        stage->table_bytes[i] =
            (uint8_t)(((undoes ? other : bent) * row + value * (GDI_TABLE_ROWS - row)) /
                      GDI_TABLE_ROWS);
    }
    for (unsigned i = 0; i < DENSE_MAX; i++) {
        LONG x = (LONG)(i % (WIDTH / 2) * 2), y = (LONG)(i / (WIDTH / 2));
        stage->dense[i] = (RECT){x, y, x + 1, y + 1};
    }
    return true;
}

/* ---- Blame ----------------------------------------------------------------------------------- */

static const char *operation_name(enum drydock_gdi_operation operation)
{
    static const char *const names[] = {
        [DRYDOCK_GDI_BITBLT] = "BITBLT",
        [DRYDOCK_GDI_COLORFILL] = "COLORFILL",
        [DRYDOCK_GDI_ALPHABLEND] = "ALPHABLEND",
        [DRYDOCK_GDI_STRETCHBLT] = "STRETCHBLT",
        [DRYDOCK_GDI_ESCAPE] = "ESCAPE",
        [DRYDOCK_GDI_TRANSPARENTBLT] = "TRANSPARENTBLT",
        [DRYDOCK_GDI_CLEARTYPEBLEND] = "CLEARTYPEBLEND",
    };
    return names[operation];
}

static const char *rule_of(enum drydock_gdi_operation operation)
{
    switch (operation) {
    case DRYDOCK_GDI_BITBLT:
    case DRYDOCK_GDI_COLORFILL:
        return "GDI-004";
    case DRYDOCK_GDI_CLEARTYPEBLEND:
        return "GDI-006";
    default:
        return "GDI-005";
    }
}

/* Was done, or went with the device; all else is the driver's refusal. */
static bool is_taken(struct stage *stage, const struct drydock_gdi_command *command,
                     const char *what, NTSTATUS status)
{
    const struct drydock_workload_host *host = stage->gpu.host;

    if (status >= 0 || status == STATUS_DEVICE_REMOVED) {
        return gpu_check(&stage->gpu, status, "drydock_draw_gdi");
    }
    host->breaks(host, rule_of(command->operation),
                 "%s (%s), which PresentationCaps offers, was refused: %s%s",
                 operation_name(command->operation), what, host->status_name(host, status),
                 status == STATUS_INVALID_USER_BUFFER
                     ? "; a command is as long as its CommandSize, and no longer"
                     : "");
    return false;
}

/* ---- Surfaces -------------------------------------------------------------------------------- */

static bool try_piece(struct stage *stage, enum drydock_surface_kind kind, struct surface *out)
{
    struct drydock_standard_allocation standard = {
        .kind = kind, .width = PIECE_WIDTH, .height = PIECE_HEIGHT, .format = D3DDDIFMT_A8R8G8B8};

    return gpu_surface_try_create(&stage->gpu, &standard, out) >= 0;
}

static bool try_surface(struct stage *stage, enum drydock_surface_kind kind, struct surface *out)
{
    struct drydock_standard_allocation standard = {
        .kind = kind,
        .width = kind == DRYDOCK_SURFACE_GDI_TABLE ? GDI_TABLE_ROW : WIDTH,
        .height = kind == DRYDOCK_SURFACE_GDI_TABLE ? GDI_TABLE_ROWS : HEIGHT,
        .format = kind == DRYDOCK_SURFACE_GDI_TABLE ? D3DDDIFMT_A8 : D3DDDIFMT_A8R8G8B8,
    };

    return gpu_surface_try_create(&stage->gpu, &standard, out) >= 0;
}

static bool draw(struct stage *stage, const struct drydock_gdi_command *commands, unsigned count,
                 NTSTATUS *status)
{
    const struct drydock_gdi_work work = {stage->gpu.context, count, commands};

    *status = drydock_draw_gdi(&work);
    return *status >= 0;
}

static struct drydock_gdi_command copy_of(const struct surface *to, const struct surface *from,
                                          LONG width, LONG height)
{
    return (struct drydock_gdi_command){
        .operation = DRYDOCK_GDI_BITBLT,
        .hDestination = to->allocation,
        .hSource = from->allocation,
        .to = {0, 0, width, height},
        .from = {0, 0, width, height},
        .rop = DXGK_GDIROP_SRCCOPY,
        .gamma = DRYDOCK_GDI_NO_GAMMA,
    };
}

static bool write_table(struct stage *stage, const struct surface *to)
{
    D3DDDICB_LOCKFLAGS flags = {.Value = 0};
    D3DKMT_LOCK lock = {
        .hDevice = stage->gpu.device, .hAllocation = to->allocation, .Flags = flags};
    unsigned pitch = to->pitch >= GDI_TABLE_ROW ? to->pitch : GDI_TABLE_ROW;

    if (D3DKMTLock(&lock) < 0) {
        return false;
    }
    for (unsigned row = 0; row < GDI_TABLE_ROWS; row++) {
        memcpy((uint8_t *)lock.pData + (size_t)row * pitch,
               stage->table_bytes + (size_t)row * GDI_TABLE_ROW, GDI_TABLE_ROW);
    }
    const D3DKMT_UNLOCK unlock = {stage->gpu.device, 1, &to->allocation};
    return gpu_check(&stage->gpu, D3DKMTUnlock(&unlock), "D3DKMTUnlock");
}

/* From a surface that the CPU sees; by the CPU itself where the driver makes no such one. */
static bool fill_table(struct stage *stage)
{
    struct drydock_standard_allocation standard = {.kind = DRYDOCK_SURFACE_GDI_STAGING,
                                                   .width = GDI_TABLE_ROW,
                                                   .height = GDI_TABLE_ROWS,
                                                   .format = D3DDDIFMT_A8};
    struct surface bytes;
    NTSTATUS status = STATUS_SUCCESS;

    if (gpu_surface_try_create(&stage->gpu, &standard, &bytes) < 0) {
        return write_table(stage, &stage->table);
    }
    const struct drydock_gdi_command copy =
        copy_of(&stage->table, &bytes, GDI_TABLE_ROW, GDI_TABLE_ROWS);
    bool good =
        write_table(stage, &bytes) && draw(stage, &copy, 1, &status) && gpu_wait_idle(&stage->gpu);
    gpu_surface_destroy(&stage->gpu, &bytes);
    return good;
}

static bool make_surfaces(struct stage *stage)
{
    struct gpu *gpu = &stage->gpu;
    NTSTATUS status = STATUS_SUCCESS;
    bool there = try_surface(stage, DRYDOCK_SURFACE_GDI_STAGING, &stage->ground) &&
                 try_surface(stage, DRYDOCK_SURFACE_GDI_STAGING, &stage->from) &&
                 try_surface(stage, DRYDOCK_SURFACE_GDI_STAGING, &stage->back) &&
                 try_piece(stage, DRYDOCK_SURFACE_GDI_STAGING, &stage->piece_from) &&
                 try_piece(stage, DRYDOCK_SURFACE_GDI_TEXTURE, &stage->piece) &&
                 try_surface(stage, DRYDOCK_SURFACE_GDI_TEXTURE, &stage->target) &&
                 try_surface(stage, DRYDOCK_SURFACE_GDI_TEXTURE, &stage->source);

    if (!there) {
        gpu->host->note(gpu->host, "left out: the driver makes no surfaces of GDI");
        return false;
    }
    if (!gpu_upload(gpu, &stage->ground, &stage->ground_picture) ||
        !gpu_upload(gpu, &stage->from, &stage->source_picture) ||
        !gpu_upload(gpu, &stage->piece_from, &stage->piece_picture)) {
        return false;
    }
    const struct drydock_gdi_command copies[] = {
        copy_of(&stage->source, &stage->from, WIDTH, HEIGHT),
        copy_of(&stage->piece, &stage->piece_from, PIECE_WIDTH, PIECE_HEIGHT),
    };
    (void)draw(stage, copies, 2, &status);
    if (status == STATUS_NOT_SUPPORTED) {
        gpu->host->note(gpu->host, "left out: such contexts have no room for what GDI names");
        return false;
    }
    if (!is_taken(stage, &copies[0], "SRCCOPY of all", status)) {
        return false;
    }
    stage->has_table =
        try_surface(stage, DRYDOCK_SURFACE_GDI_TABLE, &stage->table) && fill_table(stage);
    return true;
}

static void free_surfaces(struct stage *stage)
{
    struct surface *all[] = {&stage->ground, &stage->from,  &stage->back,       &stage->target,
                             &stage->source, &stage->table, &stage->piece_from, &stage->piece};

    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i]->allocation) {
            gpu_surface_destroy(&stage->gpu, all[i]);
        }
    }
}

/* ---- One operation --------------------------------------------------------------------------- */

static bool judge(struct stage *stage, const struct drydock_gdi_command *command, const char *what)
{
    bool of_piece = command->hSource == stage->piece.allocation;
    const struct gdi_pictures pictures = {&stage->ground_picture,
                                          of_piece ? &stage->piece_picture : &stage->source_picture,
                                          stage->table_bytes};
    const struct drydock_workload_host *host = stage->gpu.host;
    uint32_t *result = malloc((size_t)WIDTH * HEIGHT * sizeof *result), expected;
    struct box first;
    const uint8_t *pixels = result ? gpu_lock(&stage->gpu, &stage->back, true) : NULL;

    if (!pixels) {
        free(result);
        return false;
    }
    for (unsigned y = 0; y < HEIGHT; y++) {
        memcpy(result + (size_t)y * WIDTH, pixels + (size_t)y * stage->back.pitch,
               WIDTH * sizeof *result);
    }
    gpu_unlock(&stage->gpu, &stage->back);
    uint64_t wrong =
        gdi_pixels_wrong(&pictures, command, command->rects, result, &first, &expected);
    if (wrong > 0) {
        host->frame(host, "gdi", result, WIDTH, HEIGHT, WIDTH * sizeof *result);
        host->breaks(host, rule_of(command->operation),
                     "%s (%s) from (%d, %d)-(%d, %d) to (%d, %d)-(%d, %d), %u sub-rectangles: %llu "
                     "pixels are wrong, the first at (%d, %d): 0x%08X, where 0x%08X would be right",
                     operation_name(command->operation), what, command->from.left,
                     command->from.top, command->from.right, command->from.bottom, command->to.left,
                     command->to.top, command->to.right, command->to.bottom, command->rect_count,
                     (unsigned long long)wrong, first.left, first.top,
                     result[first.top * WIDTH + first.left], expected);
    } else {
        host->holds(host, rule_of(command->operation));
    }
    free(result);
    return wrong == 0;
}

/* The ground comes to the target, the command draws, and the target comes back. */
static bool try_command(struct stage *stage, struct drydock_gdi_command command, const char *what)
{
    struct gpu *gpu = &stage->gpu;
    const struct drydock_gdi_command commands[] = {
        copy_of(&stage->target, &stage->ground, WIDTH, HEIGHT),
        {.operation = DRYDOCK_GDI_ESCAPE, .gamma = DRYDOCK_GDI_NO_GAMMA},
        command,
        copy_of(&stage->back, &stage->target, WIDTH, HEIGHT),
    };
    NTSTATUS status;

    (void)draw(stage, commands, sizeof commands / sizeof *commands, &status);
    if (status == STATUS_NOT_SUPPORTED) {
        stage->left_out++;
        return true; /* the caps leave it out */
    }
    stage->drawn++;
    return is_taken(stage, &command, what, status) && gpu_wait_idle(gpu) &&
           judge(stage, &command, what);
}

/* ---- Operations ------------------------------------------------------------------------------ */

static const RECT few[FEW] = {
    {4, 3, 20, 9}, {21, 3, 22, 30}, {24, 10, 60, 11}, {62, 5, 80, 40}, {0, 44, 33, 60}};
static const RECT all = {0, 0, WIDTH, HEIGHT}, shrunk = {10, 6, 52, 35}, over = {-7, -5, 120, 90},
                  part = {8, 4, 56, 36}, inner = {16, 12, 48, 44};

static struct drydock_gdi_command command_of(const struct stage *stage,
                                             enum drydock_gdi_operation operation)
{
    return (struct drydock_gdi_command){
        .operation = operation,
        .hDestination = stage->target.allocation,
        .hSource = operation == DRYDOCK_GDI_COLORFILL ? 0 : stage->source.allocation,
        .to = all,
        .from = all,
        .gamma = DRYDOCK_GDI_NO_GAMMA,
        .rect_count = FEW,
        .rects = few,
    };
}

static const UINT codes[] = {0x00, 0x11, 0x33, 0x44, 0xB8, 0xC0, 0xE2, 0xF0, 0xFB, 0xFF};

/* Of a source that is smaller, whose rectangle leaves it, and so does the destination's: what is
 * drawn are the sub-rectangles, which leave neither. */
static bool beyond(struct stage *stage, struct drydock_gdi_command command, const char *what)
{
    static const RECT inside[] = {{0, 0, 30, 10}, {2, 12, 31, 20}};

    command.hSource = stage->piece.allocation;
    command.to = (RECT){-12, -9, 70, 50};
    command.from = (RECT){4, -1, 86, 58};
    command.offset_x = 16;
    command.offset_y = 8;
    command.rects = inside;
    command.rect_count = sizeof inside / sizeof *inside;
    return try_command(stage, command, what);
}

/* From one to the next, all in a call: a list that is longer than those of a few pictures. */
static bool hand_on(struct stage *stage, const struct surface *many)
{
    struct drydock_gdi_command commands[CHAIN + 3];
    struct drydock_gdi_command last =
        copy_of(&stage->target, &many[CHAIN - 1], PIECE_WIDTH, PIECE_HEIGHT);
    const struct surface *from = &stage->piece;
    unsigned count = 0;
    NTSTATUS status;

    commands[count++] = copy_of(&stage->target, &stage->ground, WIDTH, HEIGHT);
    for (unsigned i = 0; i < CHAIN; i++) {
        commands[count++] = copy_of(&many[i], from, PIECE_WIDTH, PIECE_HEIGHT);
        from = &many[i];
    }
    commands[count++] = last;
    commands[count++] = copy_of(&stage->back, &stage->target, WIDTH, HEIGHT);
    (void)draw(stage, commands, count, &status);
    last.hSource = stage->piece.allocation; /* what the last one shows by then */
    stage->drawn++;
    return is_taken(stage, &last, "SRCCOPY of what many surfaces handed on", status) &&
           gpu_wait_idle(&stage->gpu) &&
           judge(stage, &last, "SRCCOPY of what many surfaces handed on");
}

static bool chain(struct stage *stage)
{
    struct surface many[CHAIN] = {0};
    bool good = true, there = true;

    for (unsigned i = 0; i < CHAIN && there; i++) {
        there = try_piece(stage, DRYDOCK_SURFACE_GDI_TEXTURE, &many[i]);
    }
    good = !there || hand_on(stage, many);
    for (unsigned i = 0; i < CHAIN; i++) {
        if (many[i].allocation) {
            gpu_surface_destroy(&stage->gpu, &many[i]);
        }
    }
    return good;
}

static bool copies(struct stage *stage)
{
    struct drydock_gdi_command command = command_of(stage, DRYDOCK_GDI_BITBLT);
    bool good = true;

    for (UINT rop = DXGK_GDIROP_SRCCOPY; rop <= DXGK_GDIROP_SRCOR && good; rop++) {
        command.rop = rop;
        command.hSource = rop % 2 ? stage->source.allocation : stage->from.allocation;
        good = try_command(stage, command,
                           rop == DXGK_GDIROP_SRCCOPY     ? "SRCCOPY"
                           : rop == DXGK_GDIROP_SRCINVERT ? "SRCINVERT"
                           : rop == DXGK_GDIROP_SRCAND    ? "SRCAND"
                                                          : "SRCOR");
    }
    command.rop = DXGK_GDIROP_ROP3;
    for (unsigned i = 0; i < sizeof codes / sizeof *codes && good; i++) {
        command.rop3 = codes[i] >> 4 == (codes[i] & 0xF) ? codes[i] : codes[i] & 0xCC;
        command.rop3 = (command.rop3 & 0xF) * 0x11; /* without the pattern, which it has none of */
        good = try_command(stage, command, "ROP3");
    }
    command.rop = DXGK_GDIROP_SRCCOPY;
    command.rop3 = 0;
    command.from = part;
    command.to = (RECT){50, 30, 98, 62}; /* over the edge */
    command.rect_count = 0;
    good = good && try_command(stage, command, "SRCCOPY over an edge");
    good = good && beyond(stage, command, "SRCCOPY of a source that is smaller than its rectangle");
    command.rop = DXGK_GDIROP_SRCINVERT;
    good =
        good && beyond(stage, command, "SRCINVERT of a source that is smaller than its rectangle");
    command.rop = DXGK_GDIROP_SRCCOPY;
    command.hSource = command.hDestination;
    command.from = part;
    command.to = (RECT){11, 6, 59, 38};
    good = good && try_command(stage, command, "SRCCOPY within a surface, down and right");
    command.from = (RECT){11, 6, 59, 38};
    command.to = part;
    good = good && try_command(stage, command, "SRCCOPY within a surface, up and left");
    return good && chain(stage);
}

static bool fills(struct stage *stage)
{
    struct drydock_gdi_command command = command_of(stage, DRYDOCK_GDI_COLORFILL);
    bool good = true;

    command.color = 0xFF91C4E2;
    for (UINT rop = DXGK_GDIROPCF_PATCOPY; rop <= DXGK_GDIROPCF_PATOR && good; rop++) {
        static const char *const names[] = {"PATCOPY",   "PATINVERT", "PDXN",
                                            "DSTINVERT", "PATAND",    "PATOR"};
        command.rop = rop;
        good = try_command(stage, command, names[rop - DXGK_GDIROPCF_PATCOPY]);
    }
    command.rop = DXGK_GDIROPCF_ROP3;
    for (unsigned i = 0; i < sizeof codes / sizeof *codes && good; i++) {
        /* Without a source. */
        command.rop3 = (codes[i] & 0x33) | (codes[i] & 0x33) << 2;
        good = try_command(stage, command, "ROP3");
    }
    command.rop = DXGK_GDIROPCF_PATCOPY;
    command.rop3 = 0;
    command.rects = stage->dense;
    command.rect_count = DENSE_MAX;
    good = good && try_command(stage, command, "PATCOPY, pixel by pixel");
    command.rect_count = 0;
    command.to = over;
    return good && try_command(stage, command, "PATCOPY over all edges");
}

/* Larger, smaller, of one size, and over the edges. */
static bool scales(struct stage *stage, struct drydock_gdi_command command, const char *what)
{
    const RECT places[][2] = {{part, all}, {all, shrunk}, {part, part}, {inner, over}};
    bool good = true;

    for (unsigned i = 0; i < sizeof places / sizeof *places && good; i++) {
        command.from = places[i][0];
        command.to = places[i][1];
        command.rect_count = i % 2 ? 0 : FEW;
        good = try_command(stage, command, what);
    }
    return good;
}

static bool stretches(struct stage *stage)
{
    struct drydock_gdi_command command = command_of(stage, DRYDOCK_GDI_STRETCHBLT);
    bool good = scales(stage, command, "COLORONCOLOR");

    command.hSource = stage->from.allocation;
    for (unsigned i = 1; i < 4 && good; i++) {
        command.mirror_x = i & 1;
        command.mirror_y = i >> 1;
        good = scales(stage, command, i == 1 ? "MirrorX" : i == 2 ? "MirrorY" : "both mirrors");
    }
    return good;
}

static bool transparents(struct stage *stage)
{
    struct drydock_gdi_command command = command_of(stage, DRYDOCK_GDI_TRANSPARENTBLT);

    command.color = 0xFFFFFFFF;
    if (!scales(stage, command, "without alpha")) {
        return false;
    }
    command.has_alpha = TRUE;
    return scales(stage, command, "HonorAlpha");
}

static bool blends(struct stage *stage)
{
    static const UINT alphas[] = {0, 1, 100, 255};
    struct drydock_gdi_command command = command_of(stage, DRYDOCK_GDI_ALPHABLEND);
    bool good = true;

    for (unsigned i = 0; i < sizeof alphas / sizeof *alphas && good; i++) {
        command.alpha = alphas[i];
        command.has_alpha = FALSE;
        good = scales(stage, command, "SourceConstantAlpha");
        command.has_alpha = TRUE;
        good = good && scales(stage, command, "SourceHasAlpha");
    }
    return good;
}

static bool texts(struct stage *stage)
{
    static const UINT gammas[] = {DRYDOCK_GDI_NO_GAMMA, 0, 7, 15};
    struct drydock_gdi_command command = command_of(stage, DRYDOCK_GDI_CLEARTYPEBLEND);
    bool good = true;

    command.hScratch = stage->back.allocation;
    command.from = (RECT){0};
    command.color = TEXT;
    command.color2 = TEXT_PLAIN;
    for (unsigned i = 0; i < sizeof gammas / sizeof *gammas && good; i++) {
        command.gamma = gammas[i];
        command.hTable = stage->has_table ? stage->table.allocation : 0;
        command.offset_x = (INT)i * 3 - 4;
        command.offset_y = (INT)i - 2;
        command.to = (RECT){5, 4, 90, 60};
        command.rect_count = i % 2 ? 0 : FEW;
        if (gammas[i] == DRYDOCK_GDI_NO_GAMMA || stage->has_table) {
            good = try_command(stage, command,
                               gammas[i] == DRYDOCK_GDI_NO_GAMMA ? "without gamma" : "with gamma");
        }
    }
    command.gamma = DRYDOCK_GDI_NO_GAMMA;
    command.hTable = 0;
    command.rop = 0;
    return good && beyond(stage, command, "from a surface that is smaller than its rectangle");
}

/* ---- The whole ------------------------------------------------------------------------------- */

static bool draw_all(struct stage *stage)
{
    static bool (*const steps[])(struct stage *) = {copies,       fills,  stretches,
                                                    transparents, blends, texts};
    const struct drydock_workload_host *host = stage->gpu.host;
    bool good = true;

    for (unsigned i = 0; i < sizeof steps / sizeof *steps && good; i++) {
        good = steps[i](stage);
        host->progress(host, i + 1, sizeof steps / sizeof *steps);
    }
    host->count(host, "gdi.drawn", stage->drawn);
    if (stage->left_out > 0) {
        host->note(host, "%llu operations are not asked of the driver: PresentationCaps is 0x%X",
                   (unsigned long long)stage->left_out, stage->caps);
    }
    if (!stage->has_table) {
        host->note(host, "left out: text by a table of gammas, for nobody could fill one");
    }
    return good;
}

static void run_in(struct stage *stage, bool *there)
{
    if (make_pictures(stage) && make_surfaces(stage)) {
        *there = true;
        (void)draw_all(stage);
    }
    free_surfaces(stage);
    picture_destroy(&stage->ground_picture);
    picture_destroy(&stage->source_picture);
    picture_destroy(&stage->piece_picture);
}

/* False: the driver draws nothing for GDI so. */
static bool run_with(const struct drydock_workload_host *host, D3DKMT_HANDLE adapter,
                     bool virtual_addresses, bool *there)
{
    struct drydock_gdi_context create = {.hAdapter = adapter,
                                         .virtual_addresses = virtual_addresses};
    struct stage *stage = calloc(1, sizeof *stage);
    NTSTATUS status = stage ? drydock_create_gdi_context(&create) : STATUS_NO_MEMORY;

    if (status < 0) {
        if (status != STATUS_NOT_SUPPORTED && status != STATUS_DEVICE_REMOVED) {
            host->fail(host, "a context for GDI failed with %s", host->status_name(host, status));
        }
        free(stage);
        return false;
    }
    stage->gpu = (struct gpu){.host = host, .device = create.hDevice, .context = create.hContext};
    stage->caps = create.caps;
    run_in(stage, there);
    gpu_close(&stage->gpu);
    free(stage);
    return true;
}

static void run(const struct drydock_workload_host *host)
{
    D3DKMT_OPENADAPTERFROMLUID adapter = {
        .AdapterLuid = {host->adapter_luid_low, host->adapter_luid_high}};
    bool there = false, offered = false;

    if (D3DKMTOpenAdapterFromLuid(&adapter) < 0) {
        host->fail(host, "D3DKMTOpenAdapterFromLuid failed");
        return;
    }
    for (int i = 0; i < 2 && !host->failed(host); i++) {
        offered |= run_with(host, adapter.hAdapter, i == 1, &there);
    }
    if (!offered && !host->failed(host)) {
        host->note(host, "left out: the driver draws nothing for GDI "
                         "(SupportKernelModeCommandBuffer)");
    }
    const D3DKMT_CLOSEADAPTER close = {adapter.hAdapter};
    (void)D3DKMTCloseAdapter(&close);
}

const struct drydock_workload workload_gdi = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "gdi",
    .description = "pictures of GDI, where the driver draws them",
    .run = run,
};

/* The pointer when a source is seen for the first time, of a driver that has a display and nothing
 * else with its first frame: a shape of each kind that the caps have is shown, moved beyond edges,
 * and hidden again [SHOW-002]. It is higher than wide: the masks of Monochrome lie one below the
 * other.
 *
 *   Color        opaque or transparent: by the alpha of its pixels, of which both ends are used
 *   Monochrome   (screen AND first mask) XOR second mask
 *   MaskedColor  alpha 0: the pixel instead of the screen's; 0xFF: XOR with it
 *
 * Where no cap says so the system draws it into its frames, and the driver hears nothing of it. */
#include <stdlib.h>
#include <string.h>

#include "dxgk/display_composed.h"
#include "dxgk/work.h"

#define SIDE        16u /* pixels of a row */
#define ROWS        24u
#define COLOUR_MASK 0xFFFFFFu
#define OPAQUE      0xFF000000u

enum kind {
    KIND_COLOR,
    KIND_MONOCHROME,
    KIND_MASKED_COLOR,
    KIND_COUNT,
};

static const char *const kind_names[KIND_COUNT] = {"Color", "Monochrome", "MaskedColor"};

struct exam {
    struct dxgk_source *source;
    const struct dxgk_pointer_look *look;
    enum kind kind;
    uint8_t *shape;
    uint32_t *expected; /* the screen with the pointer */
};

/* ---- Shapes -------------------------------------------------------------------------------- */

/* One of four, in squares: each kind has two or four things that its pixels do. */
static unsigned way_of(unsigned x, unsigned y)
{
    return (x / 4 + 2 * (y / 4)) % 4;
}

static uint32_t colour_of(unsigned x, unsigned y)
{
    return (0x40u + x * 8) << 16 | (0x30u + y * 8) << 8 | 0x99u;
}

static uint32_t combined(enum kind kind, unsigned x, unsigned y, uint32_t beneath)
{
    unsigned way = way_of(x, y);

    switch (kind) {
    case KIND_COLOR:
        return way & 1 ? colour_of(x, y) : beneath;
    case KIND_MASKED_COLOR:
        return way & 1 ? colour_of(x, y) : beneath ^ colour_of(x, y);
    default:
        return (way & 1 ? beneath : 0) ^ (way & 2 ? COLOUR_MASK : 0);
    }
}

static void put_pixel(const struct exam *exam, unsigned x, unsigned y)
{
    uint32_t *pixel = (uint32_t *)(void *)exam->shape + (size_t)y * SIDE + x;
    uint8_t bit = (uint8_t)(0x80u >> x % 8);
    unsigned way = way_of(x, y);

    switch (exam->kind) {
    case KIND_COLOR:
        *pixel = way & 1 ? OPAQUE | colour_of(x, y) : 0;
        break;
    case KIND_MASKED_COLOR:
        *pixel = (way & 1 ? 0 : OPAQUE) | colour_of(x, y);
        break;
    default:
        exam->shape[y * (SIDE / 8) + x / 8] |= way & 1 ? bit : 0;
        exam->shape[(ROWS + y) * (SIDE / 8) + x / 8] |= way & 2 ? bit : 0;
    }
}

static bool give_shape(const struct exam *exam)
{
    struct dxgk_pointer_shape shape = {.width = SIDE,
                                       .height = ROWS,
                                       .pitch = exam->kind == KIND_MONOCHROME ? SIDE / 8 : SIDE * 4,
                                       .pixels = exam->shape};

    memset(exam->shape, 0, SIDE * ROWS * 4);
    for (unsigned i = 0; i < SIDE * ROWS; i++) {
        put_pixel(exam, i % SIDE, i / SIDE);
    }
    shape.flags.Color = exam->kind == KIND_COLOR;
    shape.flags.Monochrome = exam->kind == KIND_MONOCHROME;
    shape.flags.MaskedColor = exam->kind == KIND_MASKED_COLOR;
    return dxgk_pointer_give(exam->source, &shape);
}

/* ---- Positions ----------------------------------------------------------------------------- */

static void draw(const struct exam *exam, POINT at, bool visible)
{
    const struct dxgk_mode *mode = &exam->source->mode;

    memcpy(exam->expected, exam->look->beneath, (size_t)mode->width * mode->height * 4);
    for (unsigned i = 0; visible && i < SIDE * ROWS; i++) {
        LONG x = at.x + (LONG)(i % SIDE), y = at.y + (LONG)(i / SIDE);
        if (x >= 0 && y >= 0 && x < (LONG)mode->width && y < (LONG)mode->height) {
            uint32_t *pixel = &exam->expected[(size_t)y * mode->width + (size_t)x];
            *pixel = combined(exam->kind, i % SIDE, i / SIDE, *pixel & COLOUR_MASK);
        }
    }
}

/* Nobody has drawn beneath it since. */
static bool still_holds(const struct exam *exam)
{
    const struct dxgk_allocation *shown = exam->source->shown;

    return !exam->look->uses || (shown && shown->packet_count == 0 &&
                                 shown->memory.lock_count == 0 && shown->uses == *exam->look->uses);
}

/* True: all that is known of it is right. */
static bool judge(const struct exam *exam, POINT at, bool visible)
{
    const struct dxgk_source *source = exam->source;
    struct dxgk_screen_wrong wrong;
    char said[DXGK_SAID_MAX];

    draw(exam, at, visible);
    if (!dxgk_screen_settled(source, exam->expected, &wrong) ||
        dxgk_adapter_is_missing(source->adapter) || !still_holds(exam)) {
        return false;
    }
    contract_count(RULE_SHOW_002);
    if (wrong.count) {
        dxgk_device_word(source, said);
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_002)},
            "the pointer's shape at its position, and nothing else changed",
            "after SetPointerPosition(%d, %d) with Visible %u, of a shape with Flags.%s, "
            "pixel (%u, %u) of target %u is 0x%06X, expected 0x%06X%s",
            (int)at.x, (int)at.y, visible, kind_names[exam->kind], wrong.x, wrong.y, source->target,
            wrong.seen,
            exam->expected[(size_t)wrong.y * source->mode.width + wrong.x] & COLOUR_MASK, said);
    }
    return wrong.count == 0;
}

static bool move(const struct exam *exam, LONG x, LONG y, bool visible)
{
    struct dxgk_adapter *adapter = exam->source->adapter;
    const DXGKARG_SETPOINTERPOSITION position = {
        .VidPnSourceId = exam->source->index, .X = x, .Y = y, .Flags.Visible = visible};

    return NT_SUCCESS(ddi_set_pointer_position(&adapter->ddi, adapter->ddi.miniport_context,
                                               &position, 0)) &&
           judge(exam, (POINT){x, y}, visible);
}

/* False: something else is seen where it was, maybe. */
static bool move_about(const struct exam *exam)
{
    LONG right = (LONG)exam->source->mode.width, bottom = (LONG)exam->source->mode.height;

    if (give_shape(exam) && move(exam, 37, 21, true) && move(exam, 43, 26, true) &&
        move(exam, -5, -3, true)) {
        move(exam, right - 7, bottom - 9, true);
    }
    return move(exam, 0, 0, false);
}

/* ---- All of it ----------------------------------------------------------------------------- */

static bool has_kind(const DXGK_POINTERFLAGS *caps, enum kind kind)
{
    return kind == KIND_COLOR        ? caps->Color
           : kind == KIND_MONOCHROME ? caps->Monochrome
                                     : caps->MaskedColor;
}

bool dxgk_pointer_exam(struct dxgk_source *source, const struct dxgk_pointer_look *look)
{
    const DXGK_DRIVERCAPS *caps = &source->adapter->caps;
    size_t size = (size_t)source->mode.width * source->mode.height * 4;
    bool gone = true;

    if (dxgk_is_stretched(source->mode.scaling)) {
        return dxgk_pointer_exam_scaled(source, look->uses);
    }
    if (source->rotation != D3DDDI_ROTATION_IDENTITY ||
        !ddi_has(&source->adapter->ddi, POINT_SetPointerShape) ||
        !ddi_has(&source->adapter->ddi, POINT_SetPointerPosition) || caps->MaxPointerWidth < SIDE ||
        caps->MaxPointerHeight < ROWS) {
        return true;
    }
    struct exam exam = {.source = source,
                        .look = look,
                        .shape = nt_memory_alloc(SIDE * ROWS * 4, 0),
                        .expected = malloc(size)};
    for (unsigned kind = look->color ? KIND_COLOR : KIND_MONOCHROME;
         exam.shape && exam.expected && kind < KIND_COUNT; kind++) {
        exam.kind = (enum kind)kind;
        if (has_kind(&caps->PointerCaps, exam.kind)) {
            gone = move_about(&exam) && gone;
        }
    }
    nt_memory_free(exam.shape);
    free(exam.expected);
    return gone;
}

void dxgk_composed_exam_pointer(struct dxgk_source *source)
{
    if (!source->composed->examined && source->rotation == D3DDDI_ROTATION_IDENTITY) {
        source->composed->examined = true;
        if (!dxgk_pointer_exam(source, &(struct dxgk_pointer_look){
                                           .beneath = source->composed->expected,
                                           .color = true,
                                       })) {
            source->composed->stale = true; /* what is left of it the next frame covers */
        }
    }
}

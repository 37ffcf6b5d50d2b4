/* The pointer when a source is seen for the first time, of a driver that has a display and nothing
 * else with its first frame: a shape of each kind that the caps have is shown, moved beyond edges,
 * and hidden again [SHOW-002]. It is higher than wide: the masks of Monochrome lie one below the
 * other. What pixels do: pointer_kinds.h.
 *
 * Where no cap says so the system draws it into its frames, and the driver hears nothing of it. */
#include <stdlib.h>
#include <string.h>

#include "dxgk/display_composed.h"
#include "dxgk/pointer_kinds.h"
#include "dxgk/restored.h"
#include "dxgk/work.h"

#define SIDE        16u /* pixels of a row */
#define ROWS        24u
#define COLOUR_MASK 0xFFFFFFu

struct exam {
    struct dxgk_source *source;
    const struct dxgk_pointer_look *look;
    enum dxgk_pointer_kind kind;
    uint8_t *shape;
    uint32_t *expected; /* the screen with the pointer */
    bool hidden;        /* it was seen to be; the next shape comes */
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

static const struct dxgk_pointer_sketch sketch = {SIDE, ROWS, way_of, colour_of};

/* ---- Positions ----------------------------------------------------------------------------- */

static void draw(const struct exam *exam, POINT at, bool visible)
{
    const struct dxgk_mode *mode = &exam->source->mode;

    memcpy(exam->expected, exam->look->beneath, (size_t)mode->width * mode->height * 4);
    for (unsigned i = 0; visible && i < SIDE * ROWS; i++) {
        LONG x = at.x + (LONG)(i % SIDE), y = at.y + (LONG)(i / SIDE);
        if (x >= 0 && y >= 0 && x < (LONG)mode->width && y < (LONG)mode->height) {
            uint32_t *pixel = &exam->expected[(size_t)y * mode->width + (size_t)x];
            *pixel = dxgk_pointer_makes(exam->kind, way_of(i % SIDE, i / SIDE),
                                        colour_of(i % SIDE, i / SIDE), *pixel & COLOUR_MASK);
        }
    }
}

/* Beside a shape that is smaller than the caps allow. A public driver, whose author says that
 * Windows always gives the largest, reads one that is smaller beyond its end: advice. */
static bool is_beyond_shape(const struct exam *exam, POINT at,
                            const struct dxgk_screen_wrong *wrong)
{
    const DXGK_DRIVERCAPS *caps = &exam->source->adapter->caps;
    LONG x = (LONG)wrong->x - at.x, y = (LONG)wrong->y - at.y;

    return x >= 0 && y >= 0 && (x >= (LONG)SIDE || y >= (LONG)ROWS) &&
           x < (LONG)caps->MaxPointerWidth && y < (LONG)caps->MaxPointerHeight;
}

/* True: all that is known of it is right. */
static bool judge(const struct exam *exam, POINT at, bool visible)
{
    const struct dxgk_source *source = exam->source;
    struct dxgk_screen_wrong wrong;
    char said[DXGK_SAID_MAX], lost[DXGK_LOST_MAX];

    draw(exam, at, visible);
    if (!dxgk_screen_settled(source, exam->expected, &wrong) ||
        dxgk_adapter_is_missing(source->adapter) ||
        (exam->look->since && !dxgk_source_is_untouched(source, exam->look->since))) {
        return false;
    }
    contract_count(RULE_SHOW_002);
    if (wrong.count) {
        dxgk_device_word(source, said);
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_002),
                                       .advice = exam->hidden ||
                                                 (visible && is_beyond_shape(exam, at, &wrong))},
            "the pointer's shape at its position, and nothing else changed",
            "after SetPointerPosition(%d, %d) with Visible %u, %s a shape with Flags.%s, "
            "pixel (%u, %u) of target %u is 0x%06X, expected 0x%06X%s%s%s",
            (int)at.x, (int)at.y, visible, exam->hidden ? "and SetPointerShape behind it of" : "of",
            dxgk_pointer_kind_name(exam->kind), wrong.x, wrong.y, source->target, wrong.seen,
            exam->expected[(size_t)wrong.y * source->mode.width + wrong.x] & COLOUR_MASK,
            exam->look->behind ? exam->look->behind : "", said,
            dxgk_lost_word(source->adapter, lost));
    }
    return wrong.count == 0;
}

static bool move(const struct exam *exam, LONG x, LONG y, bool visible)
{
    return dxgk_pointer_set(exam->source, x, y, visible) && judge(exam, (POINT){x, y}, visible);
}

/* No page says that a shape shows nothing, and public drivers' do: advice. */
static bool give_shape(struct exam *exam)
{
    bool given = dxgk_pointer_give_sketch(exam->source, exam->kind, &sketch, exam->shape);

    if (given && exam->hidden) {
        (void)judge(exam, (POINT){0, 0}, false);
    }
    exam->hidden = false;
    return given;
}

/* False: something else is seen where it was, maybe. */
static bool move_about(struct exam *exam)
{
    LONG right = (LONG)exam->source->mode.width, bottom = (LONG)exam->source->mode.height;

    if (give_shape(exam) && move(exam, 37, 21, true) && move(exam, 43, 26, true) &&
        move(exam, -5, -3, true)) {
        move(exam, right - 7, bottom - 9, true);
    }
    exam->hidden = move(exam, 0, 0, false);
    return exam->hidden;
}

/* ---- All of it ----------------------------------------------------------------------------- */

bool dxgk_pointer_exam(struct dxgk_source *source, const struct dxgk_pointer_look *look)
{
    size_t size = (size_t)source->mode.width * source->mode.height * 4;
    bool gone = true;

    if (dxgk_is_stretched(source->mode.scaling)) {
        return dxgk_pointer_exam_scaled(source, look->since);
    }
    struct exam exam = {.source = source,
                        .look = look,
                        .shape = nt_memory_alloc(SIDE * ROWS * 4, 0),
                        .expected = malloc(size)};
    for (unsigned kind = look->color ? DXGK_POINTER_COLOR : DXGK_POINTER_MONOCHROME;
         exam.shape && exam.expected && kind < DXGK_POINTER_KINDS; kind++) {
        exam.kind = (enum dxgk_pointer_kind)kind;
        if (dxgk_pointer_can_be(source, exam.kind, &sketch)) {
            gone = move_about(&exam) && gone;
        }
    }
    nt_memory_free(exam.shape);
    free(exam.expected);
    return gone;
}

/* The surface is as it was, and of the mode's size; masks of colours compare where pixels have no
 * fewer bits. */
static bool can_be_woken(const struct dxgk_source *source)
{
    return !source->composed && !source->woken && !source->changing &&
           source->rotation == D3DDDI_ROTATION_IDENTITY &&
           source->mode.scaling == D3DKMDT_VPPS_IDENTITY && !source->mode.palette &&
           source->mode.format != D3DDDIFMT_R5G6B5 &&
           ddi_has(&source->adapter->ddi, POINT_SetPointerShape) &&
           ddi_has(&source->adapter->ddi, POINT_SetPointerPosition);
}

static void give_before_sleep(struct dxgk_source *source)
{
    uint8_t *shape = nt_memory_alloc(SIDE * ROWS * 4, 0);

    dxgk_source_begin_change(source);
    if (shape && source->visible && source->shown &&
        dxgk_pointer_can_be(source, DXGK_POINTER_COLOR, &sketch)) {
        (void)dxgk_pointer_give_sketch(source, DXGK_POINTER_COLOR, &sketch, shape);
        (void)dxgk_pointer_set(source, 0, 0, false); /* public drivers show it with the shape */
    }
    dxgk_source_end_change(source);
    nt_memory_free(shape);
}

void dxgk_pointers_before_sleep(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        if (source->examined && can_be_woken(source) && dxgk_adapter_has_hardware(adapter)) {
            give_before_sleep(source);
        }
    }
}

static bool give_at_last(struct dxgk_source *source, void *shape)
{
    bool given = false;

    dxgk_source_begin_change(source);
    if (source->active && dxgk_pointer_can_be(source, DXGK_POINTER_COLOR, &sketch)) {
        given = dxgk_pointer_give_sketch(source, DXGK_POINTER_COLOR, &sketch, shape);
        (void)dxgk_pointer_set(source, 0, 0, false);
    }
    dxgk_source_end_change(source);
    return given;
}

/* Pointers are the system's until the display ends: who holds a part of his for one that is given
 * has been told by then that parts rest no more [POWER-012]. No source need be visible any more; a
 * start that failed has no paths. */
bool dxgk_pointers_at_last(struct dxgk_adapter *adapter)
{
    uint8_t *shape = nt_memory_alloc(SIDE * ROWS * 4, 0);
    bool given = false;

    for (unsigned i = 0; shape && adapter->active_vidpn && i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        if (source->active && ddi_has(&adapter->ddi, POINT_SetPointerShape) &&
            ddi_has(&adapter->ddi, POINT_SetPointerPosition)) {
            given = give_at_last(source, shape) || given;
        }
    }
    nt_memory_free(shape);
    return given;
}

void dxgk_pointer_exam_woken(struct dxgk_source *source, const char *behind)
{
    if (!can_be_woken(source)) {
        return;
    }
    dxgk_source_begin_change(source);
    if (source->visible && source->shown) {
        const struct dxgk_untouched since = dxgk_source_touch(source);
        uint32_t *pixels = dxgk_screen_sent(source);
        if (pixels && source->target_width == source->mode.width &&
            source->target_lines == source->mode.height) {
            source->woken = true;
            (void)dxgk_pointer_exam(
                source, &(struct dxgk_pointer_look){
                            .beneath = pixels, .color = true, .since = &since, .behind = behind});
        }
        free(pixels);
    }
    dxgk_source_end_change(source);
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

/* The pointer on a path that is scaled [SHOW-002]: a shape of each kind that the caps have is
 * shown, moved beyond edges, and hidden again. X and Y are pixels of the source; whether its shape
 * is scaled with the picture, or lies over it as it is, no page says: either may be.
 *
 * Shapes have four parts of one colour each, and the middle of each is looked at, which no filter
 * reaches from elsewhere; farther away everything is as it was before. */
#include <stdlib.h>
#include <string.h>

#include "dxgk/pointer_kinds.h"
#include "dxgk/restored.h"
#include "dxgk/work.h"

#define PART        16 /* pixels, of the four parts of a shape */
#define SIDE        (2 * PART)
#define REACH       8 /* source pixels that a filter goes beyond the shape */
#define BEYOND      4 /* ... and of the target, for places that are rounded */
#define TOLERANCE   2 /* of a channel */

static const uint32_t colours[4] = {0x30D0B0, 0xC04020, 0xE08848, 0x2060E0};

struct exam {
    struct dxgk_source *source;
    const struct dxgk_untouched *since;
    enum dxgk_pointer_kind kind;
    bool placed; /* where the picture is is known: fit */
    struct dxgk_fit fit;
    uint8_t *shape;
    uint32_t *before, *now; /* what is sent */
};

/* ---- Shapes -------------------------------------------------------------------------------- */

static unsigned way_of(unsigned x, unsigned y)
{
    return x / PART + 2 * (y / PART);
}

static uint32_t colour_of(unsigned x, unsigned y)
{
    return colours[way_of(x, y)];
}

static const struct dxgk_pointer_sketch sketch = {SIDE, SIDE, way_of, colour_of};

/* ---- Places -------------------------------------------------------------------------------- */

/* Of the target; corners lie between pixels. */
struct place {
    LONG x, y;
};

/* `at` is the shape's corner, (dx, dy) a place in it. */
static struct place place_of(const struct exam *exam, struct place at, bool scaled, LONG d[2])
{
    const struct dxgk_mode *mode = &exam->source->mode;
    LONG within_x = scaled ? at.x + d[0] : at.x, within_y = scaled ? at.y + d[1] : at.y;
    LONG left = (LONG)((int64_t)within_x * exam->fit.width / (LONG)mode->width);
    LONG top = (LONG)((int64_t)within_y * exam->fit.height / (LONG)mode->height);

    return (struct place){(LONG)exam->fit.left + left + (scaled ? 0 : d[0]),
                          (LONG)exam->fit.top + top + (scaled ? 0 : d[1])};
}

static LONG ratio(unsigned to, unsigned from)
{
    return (LONG)((to + from - 1) / from);
}

/* Target pixels that something a source pixel away may change. */
static LONG reach_of(const struct exam *exam)
{
    LONG wide = ratio(exam->fit.width, exam->source->mode.width);
    LONG high = ratio(exam->fit.height, exam->source->mode.height);

    return REACH * (wide > high ? wide : high) + BEYOND;
}

/* Where the shape may be seen, of either way. */
static RECT area_of(const struct exam *exam, struct place at)
{
    LONG none[2] = {0, 0}, all[2] = {SIDE, SIDE}, reach = reach_of(exam);
    struct place corner = place_of(exam, at, true, none), end = place_of(exam, at, true, all);
    LONG right = end.x > corner.x + SIDE ? end.x : corner.x + SIDE;
    LONG bottom = end.y > corner.y + SIDE ? end.y : corner.y + SIDE;

    return (RECT){corner.x - reach, corner.y - reach, right + reach, bottom + reach};
}

static uint32_t pixel_at(const struct exam *exam, const uint32_t *pixels, struct place at)
{
    return pixels[(size_t)at.y * exam->source->target_width + (size_t)at.x];
}

/* Far enough from where the picture ends for what is there to be no part of a filter's border. */
static bool is_inside(const struct exam *exam, struct place at)
{
    const struct dxgk_fit *fit = &exam->fit;

    return at.x >= (LONG)(fit->left + BEYOND) && at.y >= (LONG)(fit->top + BEYOND) &&
           at.x + BEYOND < (LONG)(fit->left + fit->width) &&
           at.y + BEYOND < (LONG)(fit->top + fit->height);
}

/* ---- What is seen there --------------------------------------------------------------------- */

static bool is_near(uint32_t one, uint32_t other)
{
    for (unsigned shift = 0; shift < 24; shift += 8) {
        int apart = (int)(one >> shift & 0xFF) - (int)(other >> shift & 0xFF);
        if (apart > TOLERANCE || apart < -TOLERANCE) {
            return false;
        }
    }
    return true;
}

/* What a mask does to colours that a filter mixes is another thing than what it does to each. */
static bool is_plain(const struct exam *exam, struct place at)
{
    LONG reach = reach_of(exam);

    for (LONG y = at.y - reach; y <= at.y + reach; y++) {
        for (LONG x = at.x - reach; x <= at.x + reach; x++) {
            bool on = x >= 0 && y >= 0 && x < (LONG)exam->source->target_width &&
                      y < (LONG)exam->source->target_lines;
            if (on && pixel_at(exam, exam->before, (struct place){x, y}) !=
                          pixel_at(exam, exam->before, at)) {
                return false;
            }
        }
    }
    return true;
}

static bool hangs_on_beneath(enum dxgk_pointer_kind kind, unsigned way)
{
    return kind == DXGK_POINTER_MONOCHROME ? way & 1 : !(way & 1);
}

struct wrong {
    struct place at;
    uint32_t expected;
};

/* The middles of its parts that are within the picture. */
static bool is_shown(const struct exam *exam, struct place at, bool scaled, struct wrong *out)
{
    for (unsigned way = 0; way < 4; way++) {
        LONG middle[2] = {(LONG)(way % 2 * PART + PART / 2), (LONG)(way / 2 * PART + PART / 2)};
        struct place place = place_of(exam, at, scaled, middle);
        if (!is_inside(exam, place) ||
            (hangs_on_beneath(exam->kind, way) && !is_plain(exam, place))) {
            continue;
        }
        uint32_t expected =
            dxgk_pointer_makes(exam->kind, way, colours[way], pixel_at(exam, exam->before, place));
        if (!is_near(pixel_at(exam, exam->now, place), expected)) {
            *out = (struct wrong){place, expected};
            return false;
        }
    }
    return true;
}

static bool is_as_before(const struct exam *exam, const RECT *except, struct wrong *out)
{
    const size_t width = exam->source->target_width;

    for (LONG y = 0; y < (LONG)exam->source->target_lines; y++) {
        size_t row = (size_t)y * width;
        bool same = memcmp(exam->now + row, exam->before + row, width * sizeof *exam->now) == 0;
        for (LONG x = 0; !same && x < (LONG)width; x++) {
            bool inside =
                x >= except->left && x < except->right && y >= except->top && y < except->bottom;
            struct place at = {x, y};
            if (!inside && pixel_at(exam, exam->now, at) != pixel_at(exam, exam->before, at)) {
                *out = (struct wrong){at, pixel_at(exam, exam->before, at)};
                return false;
            }
        }
    }
    return true;
}

/* ---- Positions ----------------------------------------------------------------------------- */

static bool still_holds(const struct exam *exam)
{
    return exam->since ? dxgk_source_is_untouched(exam->source, exam->since)
                       : dxgk_adapter_has_hardware(exam->source->adapter);
}

static void say(const struct exam *exam, struct place at, bool visible, const struct wrong *wrong)
{
    const struct dxgk_source *source = exam->source;
    char lost[DXGK_LOST_MAX];

    contract_breach(
        &(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_002)},
        "the pointer's shape at its position, scaled with the picture or as it is, and "
        "nothing else changed",
        "after SetPointerPosition(%d, %d) with Visible %u, of a shape with Flags.%s, on "
        "a path with %s from %u x %u to %u x %u pixels, pixel (%d, %d) of target %u is "
        "0x%06X, expected 0x%06X%s",
        (int)at.x, (int)at.y, visible, dxgk_pointer_kind_name(exam->kind),
        dxgk_scaling_name(source->mode.scaling), source->mode.width, source->mode.height,
        source->target_width, source->target_lines, (int)wrong->at.x, (int)wrong->at.y,
        source->target, pixel_at(exam, exam->now, wrong->at), wrong->expected,
        dxgk_lost_word(source->adapter, lost));
}

static bool judge(struct exam *exam, struct place at, bool visible)
{
    const RECT none = {0, 0, 0, 0};
    struct wrong wrong, other;

    free(exam->now);
    exam->now = dxgk_screen_sent(exam->source);
    if (!exam->now || !still_holds(exam)) {
        return false;
    }
    if (visible && !exam->placed) {
        return true; /* wherever */
    }
    RECT area = visible ? area_of(exam, at) : none;
    contract_count(RULE_SHOW_002);
    bool right =
        is_as_before(exam, &area, &wrong) &&
        (!visible || is_shown(exam, at, true, &wrong) || is_shown(exam, at, false, &other));
    if (!right) {
        say(exam, at, visible, &wrong);
    }
    return right;
}

/* A device may show it from its next picture on; without vertical syncs that takes its time. */
static void settle(struct dxgk_source *source)
{
    if (source->composed) {
        task_block(machine_now_ns() + DXGK_LONGEST_FRAME_NS);
    } else {
        (void)dxgk_screen_settle(source);
    }
}

static bool move(struct exam *exam, LONG x, LONG y, bool visible)
{
    if (!dxgk_pointer_set(exam->source, x, y, visible)) {
        return false;
    }
    settle(exam->source);
    return judge(exam, (struct place){x, y}, visible);
}

/* False: something else is seen where it was, maybe. */
static bool move_about(struct exam *exam)
{
    LONG right = (LONG)exam->source->mode.width, bottom = (LONG)exam->source->mode.height;

    if (dxgk_pointer_give_sketch(exam->source, exam->kind, &sketch, exam->shape) &&
        move(exam, 37, 21, true) && move(exam, 43, 26, true) && move(exam, -12, -10, true)) {
        move(exam, right - 20, bottom - 18, true);
    }
    return move(exam, 0, 0, false);
}

/* ---- All of it ----------------------------------------------------------------------------- */

/* Parts that are a few pixels wide have no middle. */
static bool shrinks(const struct exam *exam)
{
    return exam->placed && (exam->fit.width < exam->source->mode.width ||
                            exam->fit.height < exam->source->mode.height);
}

bool dxgk_pointer_exam_scaled(struct dxgk_source *source, const struct dxgk_untouched *since)
{
    struct exam exam = {.source = source, .since = since};
    bool gone = true;

    exam.placed = dxgk_screen_fit(source, &exam.fit);
    if (shrinks(&exam)) {
        return true;
    }
    exam.shape = nt_memory_alloc((size_t)SIDE * SIDE * 4, 0);
    exam.before = dxgk_screen_sent(source);
    for (unsigned kind = DXGK_POINTER_COLOR; exam.shape && exam.before && kind < DXGK_POINTER_KINDS;
         kind++) {
        exam.kind = (enum dxgk_pointer_kind)kind;
        if (dxgk_pointer_can_be(source, exam.kind, &sketch)) {
            gone = move_about(&exam) && gone;
        }
    }
    nt_memory_free(exam.shape);
    free(exam.before);
    free(exam.now);
    return gone;
}

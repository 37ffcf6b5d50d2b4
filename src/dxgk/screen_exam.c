/* Looks at a source when it is shown for the first time: is the picture gone while it is hidden, is
 * the pointer where it was set, does the scan line run, is the surface described as it was made?
 *
 * What a monitor shows tells the device model, if it can; it belongs to no driver, so that any is
 * judged by it. Whoever calls has the change of the source in hand: nothing else is shown
 * meanwhile. */
#include <stdlib.h>
#include <string.h>

#include "dxgk/planes_parts.h"
#include "dxgk/work.h"

#define POINTER_SIDE  16u
#define POINTER_GAP   4u /* pixels behind each row, where rows have gaps */
#define GAP_PIXEL     0xFFFFFFFFu
#define VSYNC_WAIT_NS (500 * NS_PER_MS)
#define COLOUR_MASK   0xFFFFFFu

/* ---- What the monitor shows ----------------------------------------------------------------- */

struct screen {
    unsigned width, height;
    uint32_t *pixels; /* without alpha */
    struct dxgk_untouched since;
};

static bool look(const struct dxgk_source *source, struct screen *out)
{
    struct pci_picture picture;

    if (!dxgk_screen_picture(source, &picture)) {
        return false;
    }
    *out = (struct screen){picture.width, picture.height,
                           malloc((size_t)picture.width * picture.height * 4),
                           dxgk_source_touch(source)};
    for (unsigned y = 0; out->pixels && y < picture.height; y++) {
        const uint32_t *row =
            (const void *)((const char *)picture.pixels + (size_t)y * picture.stride_bytes);
        dxgk_colours_take(out->pixels + (size_t)y * picture.width, row, picture.width);
    }
    return out->pixels != NULL;
}

static bool is_black(const struct screen *screen)
{
    for (size_t i = 0; i < (size_t)screen->width * screen->height; i++) {
        if (screen->pixels[i]) {
            return false;
        }
    }
    return true;
}

/* It may be so from the next vertical sync on. */
bool dxgk_screen_settle(struct dxgk_source *source)
{
    for (unsigned i = 0; i < 2; i++) {
        if (!present_wait_vsync(&source->present, machine_now_ns() + VSYNC_WAIT_NS)) {
            return false;
        }
    }
    return true;
}

/* ---- The rate ------------------------------------------------------------------------------- */

/* False: there is no vertical sync. */
static bool settle_and_look_at_rate(struct dxgk_source *source)
{
    if (!present_wait_vsync(&source->present, machine_now_ns() + VSYNC_WAIT_NS)) {
        return false;
    }
    uint64_t first_ns = machine_now_ns();
    if (!present_wait_vsync(&source->present, machine_now_ns() + VSYNC_WAIT_NS)) {
        return false;
    }
    dxgk_screen_judge_rate(source, machine_now_ns() - first_ns);
    return true;
}

/* ---- Visibility ----------------------------------------------------------------------------- */

static void judge_visibility(const struct dxgk_source *source, const struct screen *seen,
                             bool visible, bool same)
{
    bool recalled = source->layers && source->layers->recalled;

    contract_count(RULE_SHOW_001);
    if (visible != same) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_001)},
                        "a primary scanned while its source is visible, and only then",
                        visible ? "source %u is visible again, and target %u does not show its "
                                  "surface of %u x %u pixels%s"
                                : "source %u is not visible, and target %u still shows its "
                                  "surface of %u x %u pixels%s",
                        source->index, source->target, seen->width, seen->height,
                        recalled ? ": that of the last flip that was shown, for those behind it "
                                   "were taken back"
                                 : "");
    }
}

/* Black or not, vertical syncs stay enabled. No page says that the timing goes on: advice. */
static void judge_hidden_vsyncs(const struct dxgk_source *source, bool came)
{
    contract_count(RULE_SHOW_007);
    if (!came) {
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_007), .advice = true},
            "vertical syncs while they are enabled, also of a source that is hidden: "
            "its timing left on, its picture blank",
            "source %u was hidden by SetVidPnSourceVisibility, and no vertical sync of "
            "target %u was told for %u ms; they came before, and when it was shown "
            "again",
            source->index, source->target, (unsigned)(VSYNC_WAIT_NS / NS_PER_MS));
    }
}

/* A black surface does not tell. False: the picture did not come back, or is drawn on. */
static bool hide_and_show(struct dxgk_source *source, const struct screen *seen)
{
    struct dxgk_screen_wrong other;
    bool back = true, came[2] = {false, false};

    for (unsigned visible = 0; visible < 2 && !is_black(seen); visible++) {
        if (!NT_SUCCESS(dxgk_source_set_visible(source, visible))) {
            return source->visible;
        }
        came[visible] = dxgk_screen_settle(source);
        bool same =
            came[visible] && dxgk_screen_compare(source, seen->pixels, &other) && other.count == 0;
        bool tells = dxgk_source_is_untouched(source, &seen->since);
        if (tells) {
            judge_visibility(source, seen, visible, same);
        }
        back = tells && (!visible || same);
    }
    if (came[true] && back && source->mode.refresh_millihertz != 0) {
        judge_hidden_vsyncs(source, came[false]);
    }
    return back;
}

/* ---- Planes ---------------------------------------------------------------------------------- */

static bool shows_others(const struct dxgk_source *source)
{
    const struct dxgk_layer *layers = source->layers->layers;
    bool others = false;

    for (unsigned i = 1; i < DXGK_PLANES_MAX; i++) {
        others |= layers[i].on;
    }
    return others && layers[0].on;
}

/* Nobody says whether it comes back where it was, with black around it, or over the whole mode. */
static bool is_black_around(const struct screen *screen, const RECT *rect)
{
    for (LONG y = 0; y < (LONG)screen->height; y++) {
        for (LONG x = 0; x < (LONG)screen->width; x++) {
            bool inside = x >= rect->left && x < rect->right && y >= rect->top && y < rect->bottom;
            if (!inside && screen->pixels[(size_t)y * screen->width + (size_t)x]) {
                return false;
            }
        }
    }
    return true;
}

static bool turn(struct dxgk_source *source, bool visible)
{
    return NT_SUCCESS(dxgk_source_set_visible(source, visible)) && dxgk_screen_settle(source);
}

/* Whatever comes of it, a mode change follows, which shows the primary alone. */
static void hide_planes(struct dxgk_source *source)
{
    const RECT primary = source->layers->layers[0].attributes.DstRect;
    struct dxgk_screen_wrong wrong;
    struct screen alone;

    if (!turn(source, false)) {
        return;
    }
    dxgk_planes_drop(source);
    if (!turn(source, true) || !look(source, &alone)) {
        return;
    }
    if (NT_SUCCESS(dxgk_source_set_mode_address(source, source->shown)) &&
        dxgk_screen_settle(source) && dxgk_screen_compare(source, alone.pixels, &wrong) &&
        dxgk_source_is_untouched(source, &alone.since)) {
        contract_count(RULE_MPO_016);
        if (wrong.count > 0 && !is_black_around(&alone, &primary)) {
            contract_breach(
                &(struct contract_finding){.rule = CONTRACT_JUDGES(MPO_016),
                                           .ddi = "DxgkDdiSetVidPnSourceVisibility"},
                "the primary plane alone on a source that is visible again",
                "source %u showed several planes, was hidden and shown again, and target %u did "
                "not show the primary alone: pixel (%u, %u) was 0x%06X, and with the address told "
                "anew it is 0x%06X",
                source->index, source->target, wrong.x, wrong.y,
                alone.pixels[(size_t)wrong.y * alone.width + wrong.x], wrong.seen);
        }
    }
    free(alone.pixels);
}

void dxgk_screen_exam_planes(struct dxgk_source *source)
{
    struct dxgk_layers *layers = source->layers;
    struct screen seen;

    CHECK_THAT(source->changing);
    if (!layers || !source->visible || !source->shown || !vidmm_pin_holds(&source->pin) ||
        !dxgk_adapter_has_hardware(source->adapter)) {
        return;
    }
    if (shows_others(source) && !layers->examined) {
        layers->examined = true;
        hide_planes(source);
    } else if (layers->recalled && !shows_others(source) && !layers->recall_examined &&
               look(source, &seen)) {
        layers->recall_examined = true;
        (void)hide_and_show(source, &seen);
        free(seen.pixels);
    }
    layers->recalled = false;
}

/* ---- The pointer ---------------------------------------------------------------------------- */

/* Opaque on its left and upper edge and in a checker board, transparent elsewhere. */
static uint32_t shape_pixel(unsigned x, unsigned y)
{
    bool opaque = x == 0 || y == 0 || ((x / 4 + y / 4) & 1);

    return opaque ? 0xFF000000u | (0x40u + x * 8) << 16 | (0x30u + y * 8) << 8 | 0x99u : 0;
}

/* In these colours, or in others. */
static bool set_shape(struct dxgk_source *source, uint32_t others)
{
    /* In pixels; what is behind a row is none of the shape's. */
    unsigned pitch = POINTER_SIDE + (vary_happens(VARY_WIDE_ROWS, 1) ? POINTER_GAP : 0);
    uint32_t *pixels = nt_memory_alloc((size_t)POINTER_SIDE * pitch * 4, 0);

    for (unsigned i = 0; pixels && i < POINTER_SIDE * pitch; i++) {
        bool inside = i % pitch < POINTER_SIDE;
        pixels[i] = inside ? shape_pixel(i % pitch, i / pitch) : GAP_PIXEL;
        pixels[i] ^= pixels[i] ? others : 0;
    }
    bool set =
        pixels && dxgk_pointer_give(source, &(struct dxgk_pointer_shape){.flags.Color = 1,
                                                                         .width = POINTER_SIDE,
                                                                         .height = POINTER_SIDE,
                                                                         .pitch = pitch * 4,
                                                                         .pixels = pixels});
    nt_memory_free(pixels);
    return set;
}

/* A square of pixels that the pointer covers. */
struct covered {
    uint32_t pixels[POINTER_SIDE][POINTER_SIDE];
    uint32_t others; /* the shape is in other colours, see set_shape() */
};

/* NULL: outside of the screen. */
static uint32_t *pixel_at(const struct screen *screen, int x, int y)
{
    bool inside = x >= 0 && y >= 0 && x < (int)screen->width && y < (int)screen->height;

    return inside ? &screen->pixels[(size_t)y * screen->width + (size_t)x] : NULL;
}

/* What is seen with the pointer's corner at (x, y). */
static void draw_pointer(struct screen *screen, int x, int y, struct covered *covered)
{
    for (int row = 0; row < (int)POINTER_SIDE; row++) {
        for (int column = 0; column < (int)POINTER_SIDE; column++) {
            uint32_t *to = pixel_at(screen, x + column, y + row);
            uint32_t pixel = shape_pixel((unsigned)column, (unsigned)row);
            covered->pixels[row][column] = to ? *to : 0;
            if (to && pixel) {
                *to = (pixel ^ covered->others) & COLOUR_MASK;
            }
        }
    }
}

static void undraw_pointer(struct screen *screen, int x, int y, const struct covered *covered)
{
    for (int row = 0; row < (int)POINTER_SIDE; row++) {
        for (int column = 0; column < (int)POINTER_SIDE; column++) {
            uint32_t *to = pixel_at(screen, x + column, y + row);
            if (to) {
                *to = covered->pixels[row][column];
            }
        }
    }
}

static bool judge_pointer(const struct dxgk_source *source, const struct screen *expected,
                          const DXGKARG_SETPOINTERPOSITION *position)
{
    struct dxgk_screen_wrong wrong;

    if (!dxgk_screen_compare(source, expected->pixels, &wrong) ||
        !dxgk_source_is_untouched(source, &expected->since)) {
        return false;
    }
    contract_count(RULE_SHOW_002);
    bool right = wrong.count == 0;
    if (!right) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_002)},
                        "the pointer's shape at its position, and nothing else changed",
                        "after SetPointerPosition(%d, %d) with Visible %u pixel (%u, %u) of target "
                        "%u is 0x%06X, expected 0x%06X",
                        position->X, position->Y, position->Flags.Visible, wrong.x, wrong.y,
                        source->target, wrong.seen,
                        expected->pixels[(size_t)wrong.y * expected->width + wrong.x]);
    }
    return right;
}

/* Shows it there, or hides it, and looks; `screen` is as without it, and is so again. */
static bool move_pointer(struct dxgk_source *source, struct screen *screen, int x, int y,
                         bool visible) /* where to, and whether it is seen */
{
    struct dxgk_adapter *adapter = source->adapter;
    const DXGKARG_SETPOINTERPOSITION position = {
        .VidPnSourceId = source->index, .X = x, .Y = y, .Flags.Visible = visible};
    struct covered covered = {.others = 0};

    if (visible) {
        draw_pointer(screen, x, y, &covered);
    }
    bool right = NT_SUCCESS(ddi_set_pointer_position(&adapter->ddi, adapter->ddi.miniport_context,
                                                     &position, 0)) &&
                 dxgk_screen_settle(source) && judge_pointer(source, screen, &position);
    if (visible) {
        undraw_pointer(screen, x, y, &covered);
    }
    return right;
}

/* Some drivers show the pointer with each shape. */
static void hide_pointer(struct dxgk_source *source)
{
    const DXGKARG_SETPOINTERPOSITION hidden = {.VidPnSourceId = source->index};
    struct ddi_adapter *ddi = &source->adapter->ddi;

    (void)ddi_set_pointer_position(ddi, ddi->miniport_context, &hidden, 0);
}

/* The other sources that are shown get a shape in other colours, which nobody sees there: what is
 * seen on this one, at (x, y), is its own. */
static void look_beside(struct dxgk_source *source, struct screen *screen, int x, int y)
{
    struct dxgk_adapter *adapter = source->adapter;
    struct dxgk_screen_wrong wrong;
    struct covered covered = {.others = 0};
    bool is_set = false;

    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *other = &adapter->sources[i];
        if (other != source && other->shown && set_shape(other, COLOUR_MASK)) {
            is_set = true;
            hide_pointer(other);
        }
    }
    draw_pointer(screen, x, y, &covered);
    if (is_set && dxgk_screen_settle(source) &&
        dxgk_screen_compare(source, screen->pixels, &wrong) &&
        dxgk_source_is_untouched(source, &screen->since)) {
        contract_count(RULE_SHOW_002);
        if (wrong.count > 0) {
            contract_breach(
                &(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_002),
                                           .ddi = "DxgkDdiSetPointerShape"},
                "a pointer of its own for each source: VidPnSourceId says whose shape it is",
                "when other sources were given another shape, pixel (%u, %u) of target "
                "%u, where source %u shows its own pointer, became 0x%06X, expected "
                "0x%06X",
                wrong.x, wrong.y, source->target, source->index, wrong.seen,
                screen->pixels[(size_t)wrong.y * screen->width + wrong.x]);
        }
    }
    undraw_pointer(screen, x, y, &covered);
    if (is_set) {
        dxgk_screen_exam_beside(source, x, y);
    }
}

/* As over a text: the pointer that is seen at (x, y) gets another shape, and does not move. */
static void change_shape(struct dxgk_source *source, struct screen *screen, int x, int y)
{
    struct covered covered = {.others = COLOUR_MASK};
    struct dxgk_screen_wrong wrong;

    draw_pointer(screen, x, y, &covered);
    if (set_shape(source, covered.others) && dxgk_screen_settle(source) &&
        dxgk_screen_compare(source, screen->pixels, &wrong) &&
        dxgk_source_is_untouched(source, &screen->since)) {
        contract_count(RULE_SHOW_002);
        if (wrong.count > 0) {
            contract_breach(
                &(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_002),
                                           .ddi = "DxgkDdiSetPointerShape"},
                "the shape of the last SetPointerShape, where the pointer is",
                "when the pointer that is shown at (%d, %d) was given another shape, and no new "
                "position, pixel (%u, %u) of target %u became 0x%06X, expected 0x%06X",
                x, y, wrong.x, wrong.y, source->target, wrong.seen,
                screen->pixels[(size_t)wrong.y * screen->width + wrong.x]);
        }
    }
    undraw_pointer(screen, x, y, &covered);
    (void)set_shape(source, 0);
}

/* Advice: that a new shape leaves a hidden pointer hidden stands on no page. */
static void change_hidden(struct dxgk_source *source, const struct screen *screen)
{
    struct dxgk_screen_wrong wrong;

    if (!source->adapter->caps.PointerCaps.Color || !set_shape(source, COLOUR_MASK)) {
        return;
    }
    bool seen = dxgk_screen_settle(source) && dxgk_screen_compare(source, screen->pixels, &wrong) &&
                dxgk_source_is_untouched(source, &screen->since);
    if (seen) {
        contract_count(RULE_SHOW_002);
    }
    if (seen && wrong.count > 0) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_002),
                                                   .ddi = "DxgkDdiSetPointerShape",
                                                   .advice = true},
                        "a pointer that SetPointerPosition has hidden is not seen, whatever shape "
                        "it gets",
                        "when the hidden pointer of source %u was given another shape, pixel (%u, "
                        "%u) of target %u became 0x%06X, expected 0x%06X",
                        source->index, wrong.x, wrong.y, source->target, wrong.seen,
                        screen->pixels[(size_t)wrong.y * screen->width + wrong.x]);
    }
    (void)set_shape(source, 0);
    hide_pointer(source);
}

static void move_about(struct dxgk_source *source, struct screen *seen)
{
    const DXGK_DRIVERCAPS *caps = &source->adapter->caps;
    bool fits = caps->MaxPointerWidth >= POINTER_SIDE && caps->MaxPointerHeight >= POINTER_SIDE;

    if (fits) {
        dxgk_pointer_try_shapes(source, POINTER_SIDE);
    }
    if (fits && caps->PointerCaps.Color && set_shape(source, 0) &&
        move_pointer(source, seen, 37, 21, true) && move_pointer(source, seen, -5, -3, true)) {
        look_beside(source, seen, -5, -3);
        change_shape(source, seen, -5, -3);
        move_pointer(source, seen, (int)seen->width - 7, (int)seen->height - 9, true);
    }
    if (fits && source->mode.format != D3DDDIFMT_R5G6B5 && !source->mode.palette &&
        seen->width == source->mode.width && seen->height == source->mode.height) {
        /* masks of colours compare where pixels have no fewer bits */
        (void)dxgk_pointer_exam(
            source, &(struct dxgk_pointer_look){.beneath = seen->pixels, .since = &seen->since});
    }
    if (move_pointer(source, seen, 0, 0, false) && fits) {
        change_hidden(source, seen);
    }
}

/* ---- All of it ------------------------------------------------------------------------------ */

void dxgk_screen_exam(struct dxgk_source *source)
{
    struct screen seen;

    CHECK_THAT(source->changing && source->visible && source->shown);
    dxgk_screen_exam_described(source);
    if (!settle_and_look_at_rate(source)) {
        return; /* no vertical sync: whoever waits for a flip says so */
    }
    if (ddi_has(&source->adapter->ddi, POINT_GetScanLine)) {
        dxgk_screen_exam_lines(source);
    }
    if (look(source, &seen)) {
        if (hide_and_show(source, &seen) && ddi_has(&source->adapter->ddi, POINT_SetPointerShape)) {
            move_about(source, &seen);
        }
        free(seen.pixels);
    }
}

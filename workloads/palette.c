/* A screen in a mode with a palette: pixels are indices, and what is seen are their colours.
 *
 *   the mode ─ all colours ─ fills with indices, seen in them ─ some of the colours,
 *   from one in the middle on ─ a flip, and copies of indices
 *
 * It takes standard primaries and nothing of a driver's own. After each step the monitor is looked
 * at, where the device can tell what it shows. */
#include "palette.h"

#include <stdio.h>

#define MODES_MAX 64
#define COLOURS   256
#define BOXES     6
#define PATCH     40 /* of the entries that are set alone */
#define PATCH_N   9
#define STRETCHED 99u /* an index */

struct palette {
    struct gpu *gpu;
    struct surface primaries[2];
    struct drydock_colour colours[COLOURS];
    struct picture indices; /* what the surface that is shown holds */
    struct picture colour;  /* and what is seen of it */
};

/* What was done last, and the rule that a wrong picture breaks. */
struct step {
    const char *done, *rule;
};

/* ---- Looking --------------------------------------------------------------------------------- */

static void colour_in(struct palette *palette)
{
    const struct picture *from = &palette->indices;

    uint32_t *to = palette->colour.pixels, colours[COLOURS];

    for (unsigned i = 0; i < COLOURS; i++) {
        const struct drydock_colour *colour = &palette->colours[i];
        colours[i] = (uint32_t)colour->red << 16 | (uint32_t)colour->green << 8 | colour->blue;
    }
    for (size_t i = 0, count = (size_t)from->width * from->height; i < count; i++) {
        to[i] = colours[from->pixels[i] % COLOURS];
    }
}

/* Whatever the indices are: what is seen are colours of entries. */
static bool is_colour_of_any(const struct palette *palette, uint32_t seen)
{
    bool any = false;

    for (unsigned i = 0; i < COLOURS && !any; i++) {
        const struct drydock_colour *colour = &palette->colours[i];
        any = seen == ((uint32_t)colour->red << 16 | (uint32_t)colour->green << 8 | colour->blue);
    }
    return any;
}

static bool look(struct palette *palette, const struct step *step)
{
    const struct drydock_workload_host *host = palette->gpu->host;
    const struct picture *expected = &palette->colour;
    unsigned width, height, stride;
    const void *pixels;
    struct box first;

    colour_in(palette);
    gpu_let_latch(palette->gpu, 0, expected);
    if (host->failed(host) || !host->scanout(host, 0, &pixels, &width, &height, &stride)) {
        return !host->failed(host); /* the device cannot tell */
    }
    if (width != expected->width || height != expected->height) {
        return true; /* the screen is another's meanwhile: what it shows there is judged there */
    }
    uint64_t wrong = picture_compare(expected, pixels, stride, &first);
    host->count(host, "present.scanouts_checked", 1);
    if (wrong) {
        const uint32_t *row = (const void *)((const uint8_t *)pixels + (size_t)first.top * stride);
        uint32_t seen = row[first.left] & 0xFFFFFF;
        bool known = is_colour_of_any(palette, seen);
        host->frame(host, "palette-expected", expected->pixels, expected->width, expected->height,
                    expected->width * 4);
        host->count(host, "present.wrong_pixels", wrong);
        host->breaks(host, known ? step->rule : "SHOW-010",
                     "after %s %llu pixels of the scan-out are wrong; the first at (%d, %d), of "
                     "index %u: 0x%06X, expected 0x%06X%s",
                     step->done, (unsigned long long)wrong, first.left, first.top,
                     *picture_at(&palette->indices, first.left, first.top) % COLOURS, seen,
                     *picture_at(expected, first.left, first.top),
                     known ? "" : "; no entry has that colour: it is not the index that is wrong");
    } else {
        host->holds(host, step->rule);
    }
    return wrong == 0;
}

/* ---- Colours --------------------------------------------------------------------------------- */

static bool set_colours(struct palette *palette, unsigned first, unsigned count)
{
    const struct drydock_palette set = {.hAdapter = palette->gpu->adapter,
                                        .first = first,
                                        .count = count,
                                        .entries = palette->colours + first};

    return gpu_check(palette->gpu, drydock_set_palette(&set), "drydock_set_palette");
}

static bool set_all(struct palette *palette)
{
    for (unsigned i = 0; i < COLOURS; i++) {
        palette->colours[i] = (struct drydock_colour){
            .red = (UCHAR)(i * 5 + 16), .green = (UCHAR)(255 - i), .blue = (UCHAR)(i * 3)};
    }
    return set_colours(palette, 0, COLOURS);
}

static bool set_some(struct palette *palette)
{
    for (unsigned i = 0; i < PATCH_N; i++) {
        palette->colours[PATCH + i] = (struct drydock_colour){
            .red = (UCHAR)(20 * i), .green = (UCHAR)(10 * i), .blue = (UCHAR)(250 - i)};
    }
    return set_colours(palette, PATCH, PATCH_N);
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* Color is an index here, and no more than that. */
static bool fill(struct palette *palette, const struct surface *to, struct box box, unsigned index)
{
    D3DKMT_PRESENT present = {
        .hContext = palette->gpu->context,
        .hDestination = to->allocation,
        .DstRect = {box.left, box.top, box.right, box.bottom},
        .Color = index,
        .Flags = {.ColorFill = 1, .DstRectValid = 1},
    };

    return gpu_check(palette->gpu, D3DKMTPresent(&present), "D3DKMTPresent (ColorFill, an index)");
}

/* One index, and bars of others, of which some are among those that change alone. */
static bool paint(struct palette *palette, const struct surface *to, unsigned index)
{
    struct picture *indices = &palette->indices;
    unsigned width = to->width / (BOXES + 2);
    bool good = true;

    picture_fill(indices, picture_box(indices), index);
    good = fill(palette, to, picture_box(indices), index);
    for (unsigned i = 0; i < BOXES && good; i++) {
        const struct box bar = {(int)(width * (i + 1)) + 3, 16 + (int)i, (int)(width * (i + 2)) - 2,
                                (int)to->height - 9};
        unsigned other = i % 2 ? PATCH + i : (index + 37 * i) % COLOURS;
        picture_fill(indices, bar, other);
        good = fill(palette, to, bar, other);
    }
    return good && gpu_wait_idle(palette->gpu);
}

/* Between surfaces of indices a copy takes them as they are; none leads to colours and back. */
static bool copy_indices(struct palette *palette)
{
    const struct box part = {8, 8, 200, 120};
    NTSTATUS status =
        gpu_try_blt(palette->gpu, &palette->primaries[1], part, &palette->primaries[0], part, NULL);

    if (status == STATUS_GRAPHICS_CANNOTCOLORCONVERT || status == STATUS_NOT_SUPPORTED) {
        return true;
    }
    if (!gpu_check(palette->gpu, status, "D3DKMTPresent (Blt of D3DDDIFMT_P8)") ||
        !gpu_wait_idle(palette->gpu)) {
        return false;
    }
    struct picture shown = palette->indices;
    bool good = picture_create(shown.width, shown.height, &palette->indices);
    /* What the first primary held is made again. */
    good = good && paint(palette, &palette->primaries[0], 7);
    for (int y = part.top; good && y < part.bottom; y++) {
        for (int x = part.left; x < part.right; x++) {
            *picture_at(&shown, x, y) = *picture_at(&palette->indices, x, y);
        }
    }
    picture_destroy(&palette->indices);
    palette->indices = shown;
    return good &&
           look(palette, &(struct step){"a Blt between surfaces of D3DDDIFMT_P8", "PRES-033"});
}

/* Whatever a filter makes of indices, of one alone it makes that one. */
static bool stretch_index(struct palette *palette)
{
    const struct box one = {8, 8, 72, 72}, from = {24, 24, 56, 56}, to = {8, 8, 200, 120};

    if (!fill(palette, &palette->primaries[0], one, STRETCHED)) {
        return false;
    }
    NTSTATUS status =
        gpu_try_blt(palette->gpu, &palette->primaries[1], to, &palette->primaries[0], from, NULL);
    if (status == STATUS_GRAPHICS_CANNOTCOLORCONVERT || status == STATUS_NOT_SUPPORTED) {
        return true;
    }
    picture_fill(&palette->indices, to, STRETCHED);
    return gpu_check(palette->gpu, status, "D3DKMTPresent (Blt of D3DDDIFMT_P8, stretched)") &&
           gpu_wait_idle(palette->gpu) &&
           look(palette, &(struct step){"a stretched Blt between surfaces of D3DDDIFMT_P8",
                                        "PRES-033"});
}

static bool show(const struct palette *palette)
{
    const D3DKMT_SETDISPLAYMODE mode = {
        .hDevice = palette->gpu->device,
        .hPrimaryAllocation = palette->primaries[0].allocation,
        .ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE,
        .DisplayOrientation = D3DDDI_ROTATION_IDENTITY,
    };

    return gpu_check_mode(palette->gpu, D3DKMTSetDisplayMode(&mode),
                          "D3DKMTSetDisplayMode of a primary with D3DDDIFMT_P8");
}

static bool draw(struct palette *palette)
{
    const struct surface *second = &palette->primaries[1];

    return show(palette) && set_all(palette) && paint(palette, &palette->primaries[0], 7) &&
           look(palette, &(struct step){"SetPalette of all entries, and ColorFill with indices in "
                                        "Color",
                                        "PRES-025"}) &&
           set_some(palette) &&
           look(palette, &(struct step){"SetPalette of some entries, FirstEntry 40", "SHOW-010"}) &&
           paint(palette, second, 201) &&
           gpu_flip(palette->gpu, second, 0, D3DDDI_FLIPINTERVAL_ONE) &&
           gpu_wait_idle(palette->gpu) &&
           look(palette, &(struct step){"a flip between surfaces of D3DDDIFMT_P8", "FLIP-008"}) &&
           copy_indices(palette) && stretch_index(palette) &&
           (palette->gpu->host->count(palette->gpu->host, "modes.palettes", 1), true);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static bool has_mode(struct gpu *gpu, const D3DKMT_DISPLAYMODE *size)
{
    static D3DKMT_DISPLAYMODE modes[MODES_MAX];
    D3DKMT_GETDISPLAYMODELIST list = {
        .hAdapter = gpu->adapter, .pModeList = modes, .ModeCount = MODES_MAX};

    if (D3DKMTGetDisplayModeList(&list) < 0) {
        return false;
    }
    for (unsigned i = 0; i < list.ModeCount; i++) {
        if (modes[i].Format == D3DDDIFMT_P8 && modes[i].Width == size->Width &&
            modes[i].Height == size->Height) {
            return true;
        }
    }
    return false;
}

bool palette_show(struct gpu *gpu, const D3DKMT_DISPLAYMODE *size)
{
    struct palette palette = {.gpu = gpu};
    bool good = true;

    if (!has_mode(gpu, size)) {
        return true;
    }
    for (unsigned i = 0; i < 2 && good; i++) {
        good = gpu_surface_create(gpu, DRYDOCK_SURFACE_PRIMARY, size->Width, size->Height,
                                  D3DDDIFMT_P8, false, &palette.primaries[i]);
    }
    good = good && picture_create(size->Width, size->Height, &palette.indices) &&
           picture_create(size->Width, size->Height, &palette.colour) && draw(&palette);
    gpu_surface_destroy(gpu, &palette.primaries[0]);
    gpu_surface_destroy(gpu, &palette.primaries[1]);
    picture_destroy(&palette.indices);
    picture_destroy(&palette.colour);
    return good;
}

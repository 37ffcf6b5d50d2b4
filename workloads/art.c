/* Pictures made by arithmetic; see art.h. */
#include "art.h"

#include <math.h>
#include <string.h>

/* ---- Tools --------------------------------------------------------------------------------- */

static uint32_t clamp_channel(double value)
{
    return value <= 0 ? 0 : value >= 255 ? 255 : (uint32_t)(value + 0.5);
}

static uint32_t channel(uint32_t colour, unsigned shift)
{
    return colour >> shift & 0xFF;
}

#define HALVES UINT64_C(0x0000800000008000)

/* Blue in the lower half, red in the upper one, sixteen bits up. */
static uint64_t red_and_blue(uint32_t colour)
{
    return (uint64_t)(colour & 0xFF0000) << 16 | (colour & 0xFF);
}

uint32_t art_mix(uint32_t a, uint32_t b, double share)
{
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    /* Whole numbers, two channels at once: it runs for every pixel. */
    uint32_t weight = (uint32_t)(share * 65536), rest = 65536 - weight;
    uint64_t outer = red_and_blue(a) * rest + red_and_blue(b) * weight + HALVES;
    uint32_t green = channel(a, 8) * rest + channel(b, 8) * weight + 0x8000;

    return 0xFF000000 | (uint32_t)(outer >> 32 & 0xFF0000) | (green >> 8 & 0xFF00) |
           (uint32_t)(outer >> 16 & 0xFF);
}

/* A parabola corrected to within a thousandth; libraries differ in the last digit of sin(). */
double art_sine(double turns)
{
    double part = turns - (double)(long long)turns;

    part = part < 0 ? part + 1 : part;
    double x = part < 0.5 ? part * 2 : part * 2 - 2; /* -1 ... 1 stands for half a turn each */
    double wave = 4 * x * (1 - (x < 0 ? -x : x));
    return 0.225 * (wave * (wave < 0 ? -wave : wave) - wave) + wave;
}

static uint32_t hash(uint32_t x, uint32_t y, uint32_t seed)
{
    uint32_t h = seed * 0x9E3779B1u ^ x * 0x85EBCA77u ^ y * 0xC2B2AE3Du;

    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    h = (h ^ h >> 12) * 0x297A2D39u;
    return h ^ h >> 15;
}

static double lattice(int x, int y, uint32_t seed)
{
    return (double)hash((uint32_t)x, (uint32_t)y, seed) / 2147483647.5 - 1;
}

double art_noise(double x, double y, uint32_t seed)
{
    int left = (int)x, top = (int)y; /* floor() is a call, and this is the inner loop */

    left -= left > x;
    top -= top > y;
    double u = x - left, v = y - top;

    u = u * u * (3 - 2 * u);
    v = v * v * (3 - 2 * v);
    double upper = lattice(left, top, seed) * (1 - u) + lattice(left + 1, top, seed) * u;
    double lower = lattice(left, top + 1, seed) * (1 - u) + lattice(left + 1, top + 1, seed) * u;
    return upper * (1 - v) + lower * v;
}

static double layered_noise(double x, double y, unsigned layers, uint32_t seed)
{
    double sum = 0, weight = 0.5;

    for (unsigned i = 0; i < layers; i++) {
        sum += weight * art_noise(x, y, seed + i);
        x *= 2.03;
        y *= 2.03;
        weight *= 0.5;
    }
    return sum;
}

/* A colour on the way through a list of them. */
static uint32_t ramp(const uint32_t *colours, unsigned count, double at)
{
    at = at < 0 ? 0 : at > 1 ? 1 : at;
    double place = at * (count - 1);
    unsigned index = (unsigned)place;

    return index + 1 < count ? art_mix(colours[index], colours[index + 1], place - index)
                             : colours[count - 1];
}

/* A hair of noise keeps wide gradients from showing steps. */
static uint32_t dither(uint32_t colour, unsigned x, unsigned y)
{
    double grain = lattice((int)x, (int)y, 77) * 1.2;
    uint32_t result = 0xFF000000;

    for (unsigned shift = 0; shift < 24; shift += 8) {
        result |= clamp_channel(channel(colour, shift) + grain) << shift;
    }
    return result;
}

/* How much of a pixel lies inside of a shape, by its distance to the edge (inside is negative). */
static double coverage(double distance)
{
    return distance < -0.5 ? 1 : distance > 0.5 ? 0 : 0.5 - distance;
}

static void cover(uint32_t *pixel, uint32_t colour, double share)
{
    if (share > 0) {
        *pixel = art_mix(*pixel, colour, share);
    }
}

static double length_of(double x, double y)
{
    return sqrt(x * x + y * y);
}

static double rounded_box(double x, double y, double half_width, double half_height, double radius)
{
    double dx = (x < 0 ? -x : x) - half_width + radius,
           dy = (y < 0 ? -y : y) - half_height + radius;
    double outside = length_of(dx > 0 ? dx : 0, dy > 0 ? dy : 0);
    double inside = dx > dy ? dx : dy;

    return outside + (inside < 0 ? inside : 0) - radius;
}

/* Distance to the line from (ax, ay) to (bx, by). */
static double segment(double x, double y, double ax, double ay, double bx, double by)
{
    double px = x - ax, py = y - ay, dx = bx - ax, dy = by - ay;
    double along = (px * dx + py * dy) / (dx * dx + dy * dy + 1e-9);

    along = along < 0 ? 0 : along > 1 ? 1 : along;
    return length_of(px - dx * along, py - dy * along);
}

/* ---- Wallpaper and photographs ------------------------------------------------------------- */

static const uint32_t sky[] = {0x16243F, 0x2B3F6B, 0x62588C, 0xC07A86, 0xF3B184, 0xFBD9A5};

static uint32_t sky_at(double x, double y, double cloud)
{
    uint32_t colour = ramp(sky, 6, y * 1.45);
    double sun = length_of((x - 0.68) * 1.7, y - 0.52);

    if (cloud > 0) {
        colour = art_mix(colour, ramp(sky, 6, y * 1.45 + 0.28), cloud * 2.2);
    }
    colour = art_mix(colour, 0xFFE9BE, 0.34 / (1 + sun * sun * 70));
    return art_mix(colour, 0xFFF3D6, coverage((sun - 0.055) * 500));
}

/* Clouds are wide and flat: every so many columns one is computed, what is between is between. */
enum { CLOUD_COLUMNS = 8, CLOUD_ROWS_MAX = 4096 };

struct clouds {
    double left[CLOUD_ROWS_MAX], right[CLOUD_ROWS_MAX];
};

static void cloud_column(double *column, const struct picture *picture, unsigned px, uint32_t seed)
{
    double x = px / (double)picture->width, height = picture->height;

    for (unsigned py = 0; py < picture->height && py < CLOUD_ROWS_MAX; py++) {
        column[py] = layered_noise(x * 4, py / height * 15, 5, seed + 40) - 0.06;
    }
}

static void clouds_reach(struct clouds *clouds, const struct picture *picture, unsigned px,
                         uint32_t seed)
{
    if (px % CLOUD_COLUMNS == 0) {
        if (px == 0) {
            cloud_column(clouds->right, picture, 0, seed);
        }
        memcpy(clouds->left, clouds->right, sizeof clouds->left);
        cloud_column(clouds->right, picture, px + CLOUD_COLUMNS, seed);
    }
}

static double cloud_at(const struct clouds *clouds, unsigned px, unsigned py)
{
    double share = px % CLOUD_COLUMNS / (double)CLOUD_COLUMNS;

    py = py < CLOUD_ROWS_MAX ? py : CLOUD_ROWS_MAX - 1;
    return clouds->left[py] * (1 - share) + clouds->right[py] * share;
}

void art_wallpaper(struct picture *picture, uint32_t seed)
{
    enum { LAYERS = 6 };
    static struct clouds clouds;
    static const uint32_t near_colour = 0x0E1A2B, far_colour = 0xA8758A;
    double width = picture->width, height = picture->height;

    for (unsigned px = 0; px < picture->width; px++) {
        double x = px / width, ridge[LAYERS];
        for (unsigned i = 0; i < LAYERS; i++) {
            double depth = (i + 1.0) / LAYERS;
            ridge[i] =
                0.50 + depth * 0.42 -
                0.20 * layered_noise(x * (2.2 + 2.2 * depth) + i * 7.3, i * 3.1, 6, seed + i);
        }
        clouds_reach(&clouds, picture, px, seed);
        for (unsigned py = 0; py < picture->height; py++) {
            double y = py / height;
            uint32_t colour = sky_at(x, y, cloud_at(&clouds, px, py));
            for (unsigned i = 0; i < LAYERS; i++) {
                double depth = (i + 1.0) / LAYERS, below = y - ridge[i];
                if (below * height < -0.5) {
                    continue;
                }
                uint32_t hill = art_mix(far_colour, near_colour, depth * 1.02);
                /* Mist lies at the foot of the hills further away. */
                hill = art_mix(hill, 0xD79E93, (1 - depth) * below * 2.6);
                cover(&colour, hill, coverage(-below * height));
            }
            *picture_at(picture, (int)px, (int)py) = dither(colour, px, py);
        }
    }
}

static const uint32_t palettes[ART_PHOTO_COUNT][5] = {
    {0x0B1026, 0x27306B, 0x8B3F8F, 0xE8745B, 0xFFE3A3}, /* nebula */
    {0x04282E, 0x0C6170, 0x2FA6A0, 0x9FE0C2, 0xF7F6D2}, /* lagoon */
    {0x2A1A12, 0x6B3A1E, 0xB9752F, 0xE7B866, 0xFBEFD0}, /* sandstone */
    {0x10231A, 0x23523A, 0x5B8F4C, 0xA9C66C, 0xF4F1C4}, /* moss */
};

/* Where in its palette the photograph is at a pixel. */
static double photo_place(unsigned px, unsigned py, uint32_t seed)
{
    double x = px / 110.0, y = py / 110.0;
    double bend_x = layered_noise(x, y, 4, seed + 11);
    double bend_y = layered_noise(x + 5.2, y + 1.3, 4, seed + 23);
    double value = layered_noise(x + 2.4 * bend_x, y + 2.4 * bend_y, 5, seed + 37);
    double ridge = 1 - 2.2 * (value < 0 ? -value : value);

    return 0.5 + 0.75 * value + 0.18 * ridge * bend_x;
}

/* One place is computed for four pixels; dithering hides that. */
void art_photo(struct picture *picture, unsigned kind, uint32_t seed)
{
    const uint32_t *palette = palettes[kind % ART_PHOTO_COUNT];

    for (unsigned top = 0; top < picture->height; top += 2) {
        for (unsigned left = 0; left < picture->width; left += 2) {
            uint32_t colour = ramp(palette, 5, photo_place(left, top, seed));
            for (unsigned i = 0; i < 4; i++) {
                unsigned px = left + i % 2, py = top + i / 2;
                if (px < picture->width && py < picture->height) {
                    *picture_at(picture, (int)px, (int)py) = dither(colour, px, py);
                }
            }
        }
    }
}

void art_pattern(struct picture *picture, uint32_t seed)
{
    for (unsigned y = 0; y < picture->height; y++) {
        for (unsigned x = 0; x < picture->width; x++) {
            *picture_at(picture, (int)x, (int)y) = 0xFF000000 | (hash(x, y, seed) & 0xFFFFFF);
        }
    }
}

#define TILE 48u

void art_tiles(struct picture *picture, uint32_t seed)
{
    for (unsigned y = 0; y < picture->height; y++) {
        for (unsigned x = 0; x < picture->width; x++) {
            *picture_at(picture, (int)x, (int)y) =
                0xFF000000 | (hash(x / TILE, y / TILE, seed) & 0xFFFFFF);
        }
    }
}

/* ---- Things of a desktop ------------------------------------------------------------------- */

static void icon_sign(uint32_t *pixel, unsigned kind, double x, double y)
{
    const uint32_t white = 0xF7F9FC;

    switch (kind) {
    case 0: /* a folder */
        cover(pixel, white, coverage(rounded_box(x, y - 2, 15, 10, 2)));
        cover(pixel, white, coverage(rounded_box(x + 8, y + 8, 7, 5, 2)));
        break;
    case 1: /* a globe */
        cover(pixel, white, coverage(fabs(length_of(x, y) - 14) - 1.3));
        cover(pixel, white, coverage(fabs(length_of(x * 2.2, y) - 14) - 2.0));
        cover(pixel, white, fabs(x) < 14 ? coverage(fabs(y) - 1.1) : 0);
        break;
    case 2: /* bars */
        for (int i = 0; i < 4; i++) {
            double height = 5 + 3.5 * i;
            cover(pixel, white,
                  coverage(rounded_box(x + 12 - 8 * i, y - 13 + height, 2.6, height, 1)));
        }
        break;
    case 3: /* a gear */
        cover(pixel, white, coverage(fabs(length_of(x, y) - 9) - 4));
        for (int i = 0; i < 8; i++) {
            double dx = art_sine(i / 8.0 + 0.25) * 14, dy = art_sine(i / 8.0) * 14;
            cover(pixel, white, coverage(length_of(x - dx, y - dy) - 3));
        }
        break;
    case 4: /* a prompt */
        cover(pixel, white, coverage(segment(x, y, -11, -8, -3, 0) - 1.8));
        cover(pixel, white, coverage(segment(x, y, -3, 0, -11, 8) - 1.8));
        cover(pixel, white, coverage(segment(x, y, 1, 9, 11, 9) - 1.8));
        break;
    default: /* hills and a sun */
        cover(pixel, white, coverage(length_of(x + 6, y + 7) - 4));
        cover(pixel, white, y < 12 ? coverage(4 - y - 0.9 * (12 - fabs(x - 5)) + 2) : 0);
        break;
    }
}

void art_icon(struct picture *picture, unsigned kind)
{
    static const uint32_t colours[ART_ICON_COUNT][2] = {
        {0x5AA9E6, 0x2563A8}, {0x59C9A5, 0x1F7A63}, {0xF2A65A, 0xC25B22},
        {0x9AA5B8, 0x4A566B}, {0x4B5673, 0x171D2E}, {0xE06C9F, 0x8A2D63},
    };
    double half = picture->width / 2.0;

    kind %= ART_ICON_COUNT;
    for (unsigned py = 0; py < picture->height; py++) {
        for (unsigned px = 0; px < picture->width; px++) {
            double x = px + 0.5 - half, y = py + 0.5 - half;
            uint32_t *pixel = picture_at(picture, (int)px, (int)py);
            *pixel = 0xFF000000 | ART_KEY;
            if (rounded_box(x, y, half - 1, half - 1, 13) < 0) {
                *pixel = art_mix(colours[kind][0], colours[kind][1], py / (double)picture->height);
                cover(pixel, 0xFFFFFF,
                      0.25 * coverage(fabs(rounded_box(x, y, half - 2, half - 2, 12)) - 0.6));
                icon_sign(pixel, kind, x, y);
            }
        }
    }
}

void art_cursor(struct picture *picture)
{
    static const char *const rows[ART_CURSOR_HEIGHT] = {
        "#              ", "##             ", "#o#            ", "#oo#           ",
        "#ooo#          ", "#oooo#         ", "#ooooo#        ", "#oooooo#       ",
        "#ooooooo#      ", "#oooooooo#     ", "#ooooooooo#    ", "#oooooooooo#   ",
        "#ooooooooooo#  ", "#oooooooooooo# ", "#ooooooo#######", "#oooo#ooo#     ",
        "#ooo# #ooo#    ", "#oo#  #ooo#    ", "#o#    #ooo#   ", "##     #ooo#   ",
        "#       #oo#   ", "        #oo#   ", "         ##    ",
    };

    picture_fill(picture, picture_box(picture), ART_KEY);
    for (int y = 0; y < ART_CURSOR_HEIGHT && y < (int)picture->height; y++) {
        for (int x = 0; x < ART_CURSOR_WIDTH && x < (int)picture->width; x++) {
            if (rows[y][x] != ' ') {
                *picture_at(picture, x, y) = rows[y][x] == '#' ? 0xFF10151F : 0xFFFDFDFD;
            }
        }
    }
}

void art_title_bar(struct picture *picture, uint32_t colour)
{
    static const uint32_t buttons[3] = {0xF0625D, 0xF5BE4F, 0x62C655};
    double width = picture->width, height = picture->height, radius = 9;

    for (unsigned py = 0; py < picture->height; py++) {
        for (unsigned px = 0; px < picture->width; px++) {
            double x = px + 0.5, y = py + 0.5;
            uint32_t *pixel = picture_at(picture, (int)px, (int)py);
            double edge = rounded_box(x - width / 2, y - height, width / 2, height, radius);
            *pixel = 0xFF000000 | ART_KEY;
            if (edge >= 0) {
                continue;
            }
            *pixel = art_mix(art_mix(colour, 0xFFFFFF, 0.30), colour, y / height);
            cover(pixel, 0xFFFFFF, 0.35 * coverage(fabs(edge + 1) - 0.5));
            for (int i = 0; i < 3; i++) {
                cover(pixel, buttons[i],
                      coverage(length_of(x - 18 - 19 * i, y - height / 2) - 5.5));
            }
            /* In place of a title: a few strokes. */
            for (int i = 0; i < 5; i++) {
                double stroke = 7 + 5 * ((i * 7 + (int)(colour >> 4 & 7)) % 4);
                cover(pixel, 0xFFFFFF,
                      0.75 * coverage(rounded_box(x - width / 2 + 70 - 34 * i, y - height / 2,
                                                  stroke / 1.6, 2.6, 2.5)));
            }
        }
    }
}

void art_shadow(struct picture *picture, int margin)
{
    static const uint8_t order[4][4] = {
        {0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    double half_width = picture->width / 2.0, half_height = picture->height / 2.0;

    for (unsigned py = 0; py < picture->height; py++) {
        for (unsigned px = 0; px < picture->width; px++) {
            double distance = rounded_box(px + 0.5 - half_width, py + 0.5 - half_height,
                                          half_width - margin, half_height - margin, margin);
            double density = distance <= 0 ? 0.62 : 0.62 * (1 - distance / margin);
            bool dot = density * 16 > order[py % 4][px % 4] + 0.5;
            *picture_at(picture, (int)px, (int)py) = 0xFF000000 | (dot ? 0x080C14 : ART_KEY);
        }
    }
}

#define TICKS       12
#define HAND_MARGIN 6 /* pixels: half of what is thickest, and the edge of it */

/* From where to where the strokes of a dial go. */
struct stroke {
    double from_x, from_y, to_x, to_y;
};

static void lay_out_ticks(struct stroke ticks[TICKS], double radius)
{
    for (int i = 0; i < TICKS; i++) {
        double dx = art_sine(i / 12.0), dy = art_sine(i / 12.0 + 0.25);
        ticks[i] = (struct stroke){dx * radius * 0.84, dy * radius * 0.84, dx * radius * 0.91,
                                   dy * radius * 0.91};
    }
}

static void draw_stroke(uint32_t *pixel, uint32_t colour, double x, double y,
                        const struct stroke *stroke, double half_width)
{
    double distance = segment(x, y, stroke->from_x, stroke->from_y, stroke->to_x, stroke->to_y);

    cover(pixel, colour, coverage(distance - half_width));
}

static void draw_ticks(uint32_t *pixel, double x, double y, const struct stroke ticks[TICKS])
{
    for (int i = 0; i < TICKS; i++) {
        draw_stroke(pixel, 0xC9D4E8, x, y, &ticks[i], i % 3 ? 0.8 : 1.8);
    }
}

static double dial_radius(const struct picture *picture)
{
    unsigned side = picture->width < picture->height ? picture->width : picture->height;

    return side / 2.0 - 8;
}

void art_dial(struct picture *picture, uint32_t colour)
{
    double centre_x = picture->width / 2.0, centre_y = picture->height / 2.0;
    double radius = dial_radius(picture);
    struct stroke ticks[TICKS];

    lay_out_ticks(ticks, radius);
    for (unsigned py = 0; py < picture->height; py++) {
        double down = py / (double)picture->height;
        uint32_t ground = art_mix(0x202A3C, 0x121926, down);
        uint32_t face = art_mix(0x2B3850, 0x1A2233, down);
        for (unsigned px = 0; px < picture->width; px++) {
            double x = px + 0.5 - centre_x, y = py + 0.5 - centre_y, distance = length_of(x, y);
            uint32_t pixel = ground;
            cover(&pixel, face, coverage(distance - radius));
            cover(&pixel, colour, coverage(fabs(distance - radius) - 2));
            if (distance > radius * 0.8 && distance < radius * 0.94) {
                draw_ticks(&pixel, x, y, ticks);
            }
            *picture_at(picture, (int)px, (int)py) = pixel;
        }
    }
}

/* The pixels that a hand may touch: from the centre to where it points, and its width around. */
static struct box around_hand(const struct picture *dial, const struct stroke *hand)
{
    int x = (int)(dial->width / 2.0 + hand->to_x), y = (int)(dial->height / 2.0 + hand->to_y);
    int from_x = (int)dial->width / 2, from_y = (int)dial->height / 2;
    struct box box = {x < from_x ? x : from_x, y < from_y ? y : from_y, x > from_x ? x : from_x,
                      y > from_y ? y : from_y};

    box.left -= HAND_MARGIN;
    box.top -= HAND_MARGIN;
    box.right += HAND_MARGIN + 1;
    box.bottom += HAND_MARGIN + 1;
    return box_intersect(box, picture_box(dial));
}

static void draw_hand(struct picture *dial, uint32_t colour, const struct stroke *hand,
                      double half_width)
{
    double centre_x = dial->width / 2.0, centre_y = dial->height / 2.0;
    struct box box = around_hand(dial, hand);

    for (int y = box.top; y < box.bottom; y++) {
        for (int x = box.left; x < box.right; x++) {
            draw_stroke(picture_at(dial, x, y), colour, x + 0.5 - centre_x, y + 0.5 - centre_y,
                        hand, half_width);
        }
    }
}

void art_hands(struct picture *dial, double turns, double slow_turns)
{
    double radius = dial_radius(dial);
    const struct stroke hand = {0, 0, art_sine(turns) * radius * 0.78,
                                -art_sine(turns + 0.25) * radius * 0.78};
    const struct stroke slow = {0, 0, art_sine(slow_turns) * radius * 0.5,
                                -art_sine(slow_turns + 0.25) * radius * 0.5};
    const struct stroke axle = {0, 0, 0, 0};

    draw_hand(dial, 0xC9D4E8, &slow, 2.6);
    draw_hand(dial, 0xFF6B5E, &hand, 1.4);
    draw_hand(dial, 0xF7F9FC, &axle, 4);
}

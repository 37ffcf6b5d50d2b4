/* Wrong pictures of a driver with a display alone in words: what the monitor shows instead.
 *
 *     another source's picture        a start address, or a head
 *     memory at a part of its place   a start address of which a register is missing
 *     rows from elsewhere, evenly     a pitch, or a start address that is off
 *     each channel by a rule          red and blue, a palette or gamma, a format
 *
 * It is said what was seen, where nearly all of the picture says so. */
#include <stdio.h>
#include <string.h>

#include "base/part.h"
#include "dxgk/display_composed.h"
#include "dxgk/work.h"

#define COLOUR_MASK   0xFFFFFFu
#define SAMPLES       32u /* each way */
#define PROBE_PIXELS  32u
#define PROBE_COLOURS 4u /* at least so many in a probe, or it tells nothing */
#define MANY          8u /* one pixel of so many is wrong */

/* What is seen beside what was to be; both of the size of the source's mode. */
struct seen {
    const struct dxgk_source *source;
    struct pci_picture picture;
    unsigned width, height;
};

static uint32_t pixel_of(const struct seen *seen, unsigned x, unsigned y)
{
    const char *row = (const char *)seen->picture.pixels + (size_t)y * seen->picture.stride_bytes;

    return ((const uint32_t *)(const void *)row)[x] & COLOUR_MASK;
}

static uint32_t expected_of(const struct seen *seen, unsigned x, unsigned y)
{
    return seen->source->composed->expected[(size_t)y * seen->width + x] & COLOUR_MASK;
}

/* ---- Another source's ------------------------------------------------------------------------ */

static bool is_of(const struct seen *seen, const struct dxgk_source *other)
{
    unsigned width = other->mode.width < seen->width ? other->mode.width : seen->width;
    unsigned height = other->mode.height < seen->height ? other->mode.height : seen->height;
    unsigned same = 0, telling = 0;

    if (other == seen->source || !other->composed || !other->composed->expected ||
        other->composed->stale) {
        return false;
    }
    for (unsigned i = 0; i < SAMPLES * SAMPLES; i++) {
        unsigned x = i % SAMPLES * width / SAMPLES, y = i / SAMPLES * height / SAMPLES;
        uint32_t is = other->composed->expected[(size_t)y * other->mode.width + x] & COLOUR_MASK;
        telling += is != expected_of(seen, x, y);
        same += is == pixel_of(seen, x, y);
    }
    return telling > SAMPLES * SAMPLES / 2 && same > SAMPLES * SAMPLES * 15 / 16;
}

static bool say_other(const struct seen *seen, char *text, size_t size)
{
    const struct dxgk_adapter *adapter = seen->source->adapter;

    for (unsigned i = 0; i < adapter->source_count; i++) {
        if (is_of(seen, &adapter->sources[i])) {
            snprintf(text, size, "; what is seen is the picture of source %u", i);
            return true;
        }
    }
    return false;
}

/* ---- A part of an address -------------------------------------------------------------------- */

#define ROW_PIXELS   16u
#define PARTS_FIRST  31u /* bits of the address that are there: so many, or fewer ... */
#define PARTS_LAST   8u
#define MEMORY_MAX   (UINT64_C(256) << 20) /* ... and so much of a BAR is looked at ... */
#define PLACES_MAX   (1u << 18)            /* ... at so many places, for each wrong picture */
#define LOOKED_AT(i) ((i)*3u)              /* rows */

/* The rows of the picture lie at that place of the device's memory. */
static bool lies_at(const struct seen *seen, uint64_t physical)
{
    for (unsigned i = 0; i < SAMPLES && LOOKED_AT(i) < seen->height; i++) {
        uint64_t row = physical + (uint64_t)LOOKED_AT(i) * seen->picture.stride_bytes;
        const uint8_t *bytes = bus_memory_at(row, ROW_PIXELS * sizeof(uint32_t));
        for (unsigned x = 0; bytes && x < ROW_PIXELS; x++) {
            uint32_t pixel;
            memcpy(&pixel, bytes + x * sizeof pixel, sizeof pixel);
            if ((pixel & COLOUR_MASK) != expected_of(seen, x, LOOKED_AT(i))) {
                return false;
            }
        }
        if (!bytes) {
            return false;
        }
    }
    return true;
}

/* One colour lies in many places. */
static bool is_telling(const struct seen *seen)
{
    unsigned changes = 0;

    for (unsigned i = 0; i < SAMPLES && LOOKED_AT(i) < seen->height; i++) {
        for (unsigned x = 1; x < ROW_PIXELS; x++) {
            changes += expected_of(seen, x, LOOKED_AT(i)) != expected_of(seen, x - 1, LOOKED_AT(i));
        }
    }
    return changes >= SAMPLES;
}

/* In a BAR: what is seen, counted from its begin. */
struct place {
    uint64_t base, bytes, is;
};

/* Further on in the BAR, where all bits are there that the place of what is seen has. */
static bool find_picture(const struct seen *seen, const struct place *place, uint64_t *at)
{
    unsigned left = PLACES_MAX;

    for (unsigned bits = PARTS_FIRST; bits >= PARTS_LAST && place->is < UINT64_C(1) << bits;
         bits--) {
        uint64_t step = UINT64_C(1) << bits;
        for (*at = place->is + step; *at < place->bytes && left > 0; *at += step, left--) {
            if (lies_at(seen, place->base + *at)) {
                return true;
            }
        }
    }
    return false;
}

/* What is seen is memory behind a BAR at a part of the picture's place: nobody wrote the others. A
 * device model that sends a copy does not tell the place. */
static bool say_part(const struct seen *seen, char *text, size_t size)
{
    const struct pci_resources *resources = pci_resources(seen->source->adapter->ddi.slot);
    char part[PART_TEXT_MAX];
    uint64_t physical, at;

    if (!is_telling(seen) || !ram_physical_of(seen->picture.pixels, &physical)) {
        return false;
    }
    for (unsigned i = 0; i < DEVICE_BAR_COUNT; i++) {
        uint64_t base = resources->bars[i].base, bytes = resources->bars[i].size;
        const struct place place = {base, bytes < MEMORY_MAX ? bytes : MEMORY_MAX, physical - base};
        if (physical < base || place.is >= place.bytes || !find_picture(seen, &place, &at)) {
            continue;
        }
        (void)part_of(place.is, at, part);
        snprintf(text, size,
                 "; what is seen lies in BAR %u at 0x%llX%s%s, and the picture at 0x%llX", i,
                 (unsigned long long)place.is, part[0] ? ", " : "", part, (unsigned long long)at);
        return true;
    }
    return false;
}

/* ---- Rows from elsewhere --------------------------------------------------------------------- */

static bool is_probe(const struct seen *seen, unsigned y)
{
    uint32_t colours[PROBE_COLOURS];
    unsigned count = 0;

    for (unsigned x = 0; x < PROBE_PIXELS && count < PROBE_COLOURS; x++) {
        uint32_t colour = pixel_of(seen, x, y);
        bool known = false;
        for (unsigned i = 0; i < count; i++) {
            known |= colours[i] == colour;
        }
        if (!known) {
            colours[count++] = colour;
        }
    }
    return count == PROBE_COLOURS;
}

static bool is_at(const struct seen *seen, unsigned y, size_t at)
{
    const uint32_t *expected = seen->source->composed->expected;

    for (unsigned x = 0; x < PROBE_PIXELS; x++) {
        if ((expected[at + x] & COLOUR_MASK) != pixel_of(seen, x, y)) {
            return false;
        }
    }
    return true;
}

/* How many pixels of the picture lie before what is seen at the begin of row y; one place alone. */
static bool find_row(const struct seen *seen, unsigned y, size_t *at)
{
    size_t end = (size_t)seen->width * seen->height - PROBE_PIXELS;
    unsigned found = 0;

    if (!is_probe(seen, y)) {
        return false;
    }
    for (size_t i = 0; i <= end && found < 2; i++) {
        if (is_at(seen, y, i)) {
            *at = i;
            found++;
        }
    }
    return found == 1;
}

/* Two rows tell how far rows are apart, a third one has to agree. */
static bool say_rows(const struct seen *seen, char *text, size_t size)
{
    const unsigned rows[] = {0, 8, 24};
    size_t at[3];

    for (unsigned i = 0; i < 3; i++) {
        if (rows[i] >= seen->height || !find_row(seen, rows[i], &at[i])) {
            return false;
        }
    }
    if (at[1] <= at[0] || (at[1] - at[0]) % 8 != 0 || at[2] - at[0] != (at[1] - at[0]) * 3) {
        return false;
    }
    size_t pitch = (at[1] - at[0]) / 8;
    if (pitch != seen->width) {
        snprintf(text, size,
                 "; each row that is seen begins %zu pixels of the picture behind the one before, "
                 "whose rows have %u",
                 pitch, seen->width);
    } else {
        snprintf(text, size, "; what is seen begins at (%zu, %zu) of the picture",
                 at[0] % seen->width, at[0] / seen->width);
    }
    return true;
}

/* ---- Colours --------------------------------------------------------------------------------- */

static uint32_t exchange(uint32_t colour)
{
    return (colour & 0xFF) << 16 | (colour & 0xFF00) | colour >> 16;
}

/* Is each value of each channel seen as one value always? And what a value is seen as that is
 * another: *from, *to. */
static bool maps(const struct seen *seen, uint32_t *from, uint32_t *to)
{
    static const unsigned step = 3;
    int map[3][256];
    unsigned values = 0;

    memset(map, -1, sizeof map);
    *from = *to = 0;
    for (unsigned y = 0; y < seen->height; y += step) {
        for (unsigned x = 0; x < seen->width; x += step) {
            uint32_t was = expected_of(seen, x, y), is = pixel_of(seen, x, y);
            for (unsigned i = 0; i < 3; i++) {
                int *place = &map[i][was >> 8 * i & 0xFF], value = (int)(is >> 8 * i & 0xFF);
                values += *place < 0;
                if (*place >= 0 && *place != value) {
                    return false;
                }
                *place = value;
            }
            if (was != is) {
                *from = was;
                *to = is;
            }
        }
    }
    return values > 64; /* fewer are no rule */
}

static bool say_colours(const struct seen *seen, char *text, size_t size)
{
    unsigned exchanged = 0, black = 0;
    uint32_t from, to;

    for (unsigned i = 0; i < SAMPLES * SAMPLES; i++) {
        unsigned x = i % SAMPLES * seen->width / SAMPLES, y = i / SAMPLES * seen->height / SAMPLES;
        exchanged += pixel_of(seen, x, y) == exchange(expected_of(seen, x, y));
        black += pixel_of(seen, x, y) == 0;
    }
    if (black == SAMPLES * SAMPLES) {
        snprintf(text, size, "; all that is seen is black");
    } else if (exchanged == SAMPLES * SAMPLES) {
        snprintf(text, size, "; red and blue are exchanged");
    } else if (maps(seen, &from, &to)) {
        snprintf(text, size,
                 "; the picture is in its place, and each value of a colour is seen as another, "
                 "0x%06X as 0x%06X: a gamma ramp, a palette or a format",
                 from, to);
    } else {
        return false;
    }
    return true;
}

bool dxgk_composed_say_seen(const struct dxgk_source *source, const struct dxgk_screen_wrong *wrong,
                            char *text, size_t size)
{
    struct seen seen = {source, {0}, source->mode.width, source->mode.height};

    text[0] = '\0';
    return wrong->count > seen.width * seen.height / MANY && seen.width > PROBE_PIXELS &&
           dxgk_screen_picture(source, &seen.picture) && seen.picture.width == seen.width &&
           seen.picture.height == seen.height &&
           (say_other(&seen, text, size) || say_part(&seen, text, size) ||
            say_colours(&seen, text, size) || say_rows(&seen, text, size));
}

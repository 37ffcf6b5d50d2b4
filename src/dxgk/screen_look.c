/* What a monitor shows, as the device model tells it, and how it is compared. Whole pictures are,
 * at each start and in many variations: so many pixels at a time. */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "dxgk/internal.h"

#define COLOUR_MASK UINT32_C(0xFFFFFF)
#define PART        512u

/* Some pixels at once: what every processor has a register for. */
typedef uint32_t block __attribute__((vector_size(16), aligned(4), may_alias));

#define BLOCK ((unsigned)(sizeof(block) / sizeof(uint32_t)))

unsigned dxgk_adapter_output(struct dxgk_adapter *adapter, unsigned source)
{
    dxgk_wait_screens(adapter);
    return source < adapter->source_count && adapter->sources[source].active
               ? dxgk_output_of(adapter, adapter->sources[source].target)
               : source;
}

/* Of a screen with a centered picture that picture alone: what is around is the driver's
 * [D3DKMDT_VPPS_CENTERED says nothing of it]. */
static void cut_out(const struct dxgk_source *source, struct pci_picture *picture)
{
    unsigned width = source->mode.width, height = source->mode.height;

    if (source->mode.scaling == D3DKMDT_VPPS_CENTERED && picture->width >= width &&
        picture->height >= height) {
        size_t left = (picture->width - width) / 2, top = (picture->height - height) / 2;
        picture->pixels =
            (const char *)picture->pixels + top * picture->stride_bytes + left * sizeof(uint32_t);
        picture->width = width;
        picture->height = height;
    }
}

bool dxgk_screen_picture(const struct dxgk_source *source, struct pci_picture *picture)
{
    const struct dxgk_adapter *adapter = source->adapter;

    if (dxgk_is_stretched(source->mode.scaling) ||
        !pci_scanout(adapter->ddi.slot, dxgk_output_of(adapter, source->target), picture)) {
        return false;
    }
    cut_out(source, picture);
    return picture->width == source->mode.width && picture->height == source->mode.height;
}

static const uint32_t *row_of(const struct pci_picture *picture, unsigned y)
{
    return (const void *)((const char *)picture->pixels + (size_t)y * picture->stride_bytes);
}

void dxgk_colours_take(uint32_t *to, const uint32_t *from, size_t count)
{
    const size_t step = sizeof(block) / sizeof(*to);
    size_t i = 0;

    for (; i + step <= count; i += step) {
        *(block *)(void *)(to + i) = *(const block *)(const void *)(from + i) & COLOUR_MASK;
    }
    for (; i < count; i++) {
        to[i] = from[i] & COLOUR_MASK;
    }
}

uint32_t *dxgk_screen_sent(const struct dxgk_source *source)
{
    unsigned output = dxgk_output_of(source->adapter, source->target);
    struct pci_picture picture;

    if (!pci_scanout(source->adapter->ddi.slot, output, &picture) ||
        picture.width != source->target_width || picture.height != source->target_lines) {
        return NULL;
    }
    uint32_t *pixels = malloc((size_t)picture.width * picture.height * sizeof *pixels);
    for (unsigned y = 0; pixels && y < picture.height; y++) {
        dxgk_colours_take(pixels + (size_t)y * picture.width, row_of(&picture, y), picture.width);
    }
    return pixels;
}

bool dxgk_screen_hash(const struct dxgk_source *source, uint64_t *hash)
{
    return dxgk_target_hash(source->adapter, source->target, hash);
}

static const block *block_at(const uint32_t *pixels)
{
    return (const void *)pixels;
}

/* Bits of colours that some pixels of the row have, or in which they are not those `expected`. */
static uint32_t row_bits(const uint32_t *row, const uint32_t *expected, unsigned width)
{
    block even = {0}, odd = {0};
    unsigned x = 0;

    for (; x + 2 * BLOCK <= width && expected; x += 2 * BLOCK) {
        even |= *block_at(row + x) ^ *block_at(expected + x);
        odd |= *block_at(row + x + BLOCK) ^ *block_at(expected + x + BLOCK);
    }
    for (; x + BLOCK <= width && !expected; x += BLOCK) {
        even |= *block_at(row + x);
    }
    even |= odd;
    uint32_t any = even[0] | even[1] | even[2] | even[3];
    for (; x < width; x++) {
        any |= expected ? row[x] ^ expected[x] : row[x];
    }
    return any & COLOUR_MASK;
}

static void take_colours(uint32_t *to, const uint32_t *from, unsigned count)
{
    unsigned i = 0;

    for (; i + BLOCK <= count; i += BLOCK) {
        block *place = (void *)(to + i);
        *place = *block_at(from + i) & COLOUR_MASK;
    }
    for (; i < count; i++) {
        to[i] = from[i] & COLOUR_MASK;
    }
}

/* Of what is seen: a device may send a surface as it lies in memory, with anything where no colour
 * is. */
static uint64_t hash_of(const struct pci_picture *picture)
{
    uint64_t hash = picture->width ^ (uint64_t)picture->height << 32;
    uint32_t part[PART];

    for (unsigned y = 0; y < picture->height; y++) {
        const uint32_t *row = row_of(picture, y);
        for (unsigned x = 0; x < picture->width; x += PART) {
            unsigned count = picture->width - x < PART ? picture->width - x : PART;
            take_colours(part, row + x, count);
            hash = XXH3_64bits_withSeed(part, count * sizeof *part, hash);
        }
    }
    return hash;
}

bool dxgk_target_hash(const struct dxgk_adapter *adapter, UINT target, uint64_t *hash)
{
    struct pci_picture picture;
    bool shown = pci_scanout(adapter->ddi.slot, dxgk_output_of(adapter, target), &picture);

    *hash = shown ? hash_of(&picture) : 0;
    return shown;
}

bool dxgk_target_eye_hash(const struct dxgk_adapter *adapter, UINT target, bool right,
                          uint64_t *hash)
{
    struct pci_picture picture;
    bool shown =
        pci_scanout_eye(adapter->ddi.slot, dxgk_output_of(adapter, target), right, &picture);

    *hash = shown ? hash_of(&picture) : 0;
    return shown;
}

static bool is_black(const struct pci_picture *picture)
{
    uint32_t any = 0;

    for (unsigned y = 0; y < picture->height && any == 0; y++) {
        any = row_bits(row_of(picture, y), NULL, picture->width);
    }
    return any == 0;
}

bool dxgk_screen_is_black(const struct dxgk_source *source)
{
    struct pci_picture picture;

    return !dxgk_screen_picture(source, &picture) || is_black(&picture);
}

bool dxgk_target_is_black(const struct dxgk_adapter *adapter, UINT target)
{
    struct pci_picture picture;

    return !pci_scanout(adapter->ddi.slot, dxgk_output_of(adapter, target), &picture) ||
           is_black(&picture);
}

bool dxgk_screen_compare(const struct dxgk_source *source, const uint32_t *expected,
                         struct dxgk_screen_wrong *out)
{
    struct pci_picture picture;

    if (dxgk_is_stretched(source->mode.scaling)) {
        return dxgk_screen_compare_stretched(source, expected, NULL, out);
    }
    if (!dxgk_screen_picture(source, &picture)) {
        return false;
    }
    *out = (struct dxgk_screen_wrong){0};
    for (unsigned y = 0; y < picture.height; y++, expected += picture.width) {
        const uint32_t *row = row_of(&picture, y);
        bool same = row_bits(row, expected, picture.width) == 0;
        for (unsigned x = 0; x < picture.width && !same; x++) {
            if ((row[x] ^ expected[x]) & COLOUR_MASK && out->count++ == 0) {
                out->x = x;
                out->y = y;
                out->seen = row[x] & COLOUR_MASK;
            }
        }
    }
    return true;
}

/* Private data as a client sends it that is broken, or wants to break something: it is the client's
 * word to its driver, and no kernel looks into it [ALLOC-002]. */
#include "dxgk/spoil.h"

#include <string.h>

#define SPARE_BYTES 16 /* what comes behind good data */
#define NOISE_BYTES 32 /* at most, where there is none */

enum way {
    WAY_NOTHING,
    WAY_CUT,
    WAY_LONGER,
    WAY_NOISE,
    WAY_ONE_BYTE, /* of it is another */
    WAY_COUNT,
};

static uint8_t noise(void)
{
    return (uint8_t)vary_below(VARY_BAD_PRIVATE_DATA, 256);
}

static UINT spoiled_size(enum way way, UINT size)
{
    if (size == 0) { /* noise, of any size: structures of the driver's are cut by it */
        return (UINT)vary_below(VARY_BAD_PRIVATE_DATA, NOISE_BYTES + 1);
    }
    switch (way) {
    case WAY_NOTHING:
        return 0;
    case WAY_CUT:
        return (UINT)vary_below(VARY_BAD_PRIVATE_DATA, (uint64_t)size + 1);
    case WAY_LONGER:
        return size + SPARE_BYTES;
    default:
        return size;
    }
}

void *dxgk_halved(const void *data, UINT *size)
{
    uint8_t *bytes = nt_memory_hand(*size / 2, "a client's private data");

    *size = bytes ? *size / 2 : 0;
    if (bytes) {
        memcpy(bytes, data, *size);
    }
    return bytes;
}

/* Sizes, pitches and counts are words, and what is made of them wraps at the ends. */
void *dxgk_word_changed(const void *data, UINT *size)
{
    static const uint32_t values[] = {0, 1, 1u << 16, INT32_MAX, 1u << 31, UINT32_MAX};
    UINT words = *size / (UINT)sizeof values[0];
    uint8_t *bytes = words ? nt_memory_hand(*size, "a client's private data") : NULL;

    if (!bytes) {
        *size = 0;
        return NULL;
    }
    uint64_t at = vary_below(VARY_BAD_PRIVATE_DATA, words);
    uint64_t which = vary_below(VARY_BAD_PRIVATE_DATA, sizeof values / sizeof values[0]);
    memcpy(bytes, data, *size);
    memcpy(bytes + at * sizeof values[0], &values[which], sizeof values[0]);
    return bytes;
}

void *dxgk_spoiled(const void *data, UINT *size)
{
    enum way way = (enum way)vary_below(VARY_BAD_PRIVATE_DATA, WAY_COUNT);
    UINT good = *size;

    *size = spoiled_size(way, good);
    uint8_t *bytes = *size ? nt_memory_hand(*size, "a client's private data") : NULL;
    if (!bytes) {
        *size = 0;
        return NULL;
    }
    for (UINT i = 0; i < *size; i++) {
        bytes[i] = way != WAY_NOISE && i < good ? ((const uint8_t *)data)[i] : noise();
    }
    if (way == WAY_ONE_BYTE) {
        bytes[vary_below(VARY_BAD_PRIVATE_DATA, *size)] ^= noise();
    }
    return bytes;
}

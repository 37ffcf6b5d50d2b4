/* What wrong bytes look like: those of another place, or those that were there before.
 *
 * A mistake in addresses, offsets or page lists leaves right bytes at wrong places. A window of
 * many different bytes is looked for in what should have come; where it belongs tells how far all
 * are off. Bytes that repeat themselves tell nothing and are left alone. */
#include <string.h>

#include "base/check.h"
#include "vidmm/operation.h"

#define WINDOW_BYTES VIDMM_WINDOW_BYTES
#define WINDOWS_MAX  2048 /* that are looked at for a telling one */
#define DIFFERENT    12   /* byte values that a telling window has at least */
#define PLACES_MAX   4    /* where one window is found, at most */
#define RUN_BYTES    256  /* that agree before a place is believed, or half of what is wrong */

static unsigned different_values(const uint8_t *bytes)
{
    uint64_t seen[4] = {0};
    unsigned count = 0;

    for (unsigned i = 0; i < WINDOW_BYTES; i++) {
        seen[bytes[i] / 64] |= UINT64_C(1) << bytes[i] % 64;
    }
    for (unsigned i = 0; i < 4; i++) {
        count += (unsigned)__builtin_popcountll(seen[i]);
    }
    return count;
}

const uint8_t *vidmm_telling_window(const uint8_t *bytes, uint64_t size_bytes, uint64_t from)
{
    for (unsigned i = 0; i < WINDOWS_MAX; i++) {
        uint64_t at = from + (uint64_t)i * WINDOW_BYTES;
        if (at > size_bytes || size_bytes - at < WINDOW_BYTES) {
            break;
        }
        if (different_values(bytes + at) >= DIFFERENT) {
            return bytes + at;
        }
    }
    return NULL;
}

/* Bytes from the first wrong one on that are all those that belong `shift` further. */
static uint64_t run_of(const struct vidmm_mismatch *mismatch, int64_t shift)
{
    uint64_t at = mismatch->first;

    while (at < mismatch->size_bytes && at + (uint64_t)shift < mismatch->size_bytes &&
           mismatch->actual_bytes[at] == mismatch->expected_bytes[at + (uint64_t)shift]) {
        at++;
    }
    return at - mismatch->first;
}

static bool is_believed(const struct vidmm_mismatch *mismatch, uint64_t run)
{
    return run >= RUN_BYTES || run >= mismatch->wrong_bytes / 2 + WINDOW_BYTES;
}

/* Where among the right bytes those stand that came from the first wrong place on. */
static bool find_shift(const struct vidmm_mismatch *mismatch, struct vidmm_wrong *wrong)
{
    const uint8_t *actual = mismatch->actual_bytes, *expected = mismatch->expected_bytes;
    const uint8_t *end = expected + mismatch->size_bytes;
    const uint8_t *window = vidmm_telling_window(actual, mismatch->size_bytes, mismatch->first);
    const uint8_t *found = expected;

    for (unsigned i = 0; window && i < PLACES_MAX; i++, found++) {
        found = memmem(found, (size_t)(end - found), window, WINDOW_BYTES);
        if (!found) {
            break;
        }
        int64_t shift = (found - expected) - (window - actual);
        uint64_t run = shift != 0 ? run_of(mismatch, shift) : 0;
        if (is_believed(mismatch, run)) {
            *wrong = (struct vidmm_wrong){VIDMM_WRONG_SHIFTED, .shift = shift, .bytes = run};
            return true;
        }
    }
    return false;
}

static uint64_t first_eight(const uint8_t *bytes)
{
    uint64_t value;

    memcpy(&value, bytes, sizeof value);
    return value;
}

/* Pages that should have changed; are all that are wrong as they were? */
static bool find_untouched(const struct vidmm_mismatch *mismatch, struct vidmm_wrong *wrong)
{
    uint64_t same = 0;

    for (uint64_t at = 0, page = 0;
         mismatch->before && at + VIDMM_PAGE_BYTES <= mismatch->size_bytes;
         at += VIDMM_PAGE_BYTES, page++) {
        uint64_t is = first_eight(mismatch->actual_bytes + at);
        uint64_t should_be = first_eight(mismatch->expected_bytes + at);
        if (is != should_be && is != mismatch->before[page]) {
            return false;
        }
        same += is != should_be;
    }
    *wrong = (struct vidmm_wrong){VIDMM_WRONG_UNTOUCHED, .bytes = same * VIDMM_PAGE_BYTES};
    return same > 0;
}

struct vidmm_wrong vidmm_mismatch_look(const struct vidmm_mismatch *mismatch)
{
    struct vidmm_wrong wrong = {VIDMM_WRONG_OTHERWISE, 0, 0};

    CHECK_THAT(!mismatch->at_rest && mismatch->first < mismatch->size_bytes);
    if (!find_untouched(mismatch, &wrong) && !find_shift(mismatch, &wrong)) {
        wrong = (struct vidmm_wrong){VIDMM_WRONG_OTHERWISE, 0, 0};
    }
    return wrong;
}

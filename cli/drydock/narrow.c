/* Narrowing a set of variations; see narrow.h.
 *
 *     needed so far │ may be needed, in order
 *     e1 e2         │ a b c d e f g h
 *                     ──── low        seen with none of these prefixes
 *                     ─────────── high    seen with this one, and so h is not needed
 *
 * The last of the shortest prefix with which it is seen is needed beside those that were found
 * before; then the search goes on among the ones before it. If more variations can hide what fewer
 * show, the result is still a set that was seen to suffice. */
#include "narrow.h"

struct search {
    struct vary_set needed;
    unsigned order[VARY_COUNT], high; /* seen with `needed` and the first `high` of the order */
};

static struct vary_set with_prefix(const struct search *search, unsigned length)
{
    struct vary_set set = search->needed;

    for (unsigned i = 0; i < length; i++) {
        set.on[search->order[i]] = true;
    }
    return set;
}

/* Lengths to try next, between low and high. Low -1: nothing was tried yet, and none at all is the
 * likeliest. */
static unsigned next_lengths(int low, unsigned high, unsigned lengths[NARROW_AT_ONCE])
{
    unsigned gap = (unsigned)((int)high - low);

    if (low < 0) {
        lengths[0] = 0;
        lengths[1] = high / 2;
        return lengths[1] > 0 ? 2 : 1;
    }
    lengths[0] = (unsigned)low + (gap / 3 > 0 ? gap / 3 : 1);
    lengths[1] = (unsigned)low + (gap * 2 / 3 > 1 ? gap * 2 / 3 : 1);
    return lengths[1] > lengths[0] ? 2 : 1;
}

/* Brings `high` down to the shortest prefix. False: the trials ended before. */
static bool find_shortest(const struct narrowing *narrowing, struct search *search)
{
    int low = -1;

    while (low + 1 < (int)search->high) {
        unsigned lengths[NARROW_AT_ONCE];
        unsigned count = next_lengths(low, search->high, lengths);
        struct vary_set sets[NARROW_AT_ONCE];
        bool seen[NARROW_AT_ONCE] = {false};

        for (unsigned i = 0; i < count; i++) {
            sets[i] = with_prefix(search, lengths[i]);
        }
        count = narrowing->try_sets(narrowing->context, sets, count, seen);
        if (count == 0) {
            return false;
        }
        for (unsigned i = 0; i < count; i++) {
            if (seen[i]) {
                search->high = lengths[i];
                break;
            }
            low = (int)lengths[i];
        }
    }
    return true;
}

bool narrow(const struct narrowing *narrowing, struct vary_set *set)
{
    struct search search = {.high = 0};
    bool finished;

    for (unsigned i = 0; i < VARY_COUNT; i++) {
        if (set->on[i]) {
            search.order[search.high++] = i;
        }
    }
    while ((finished = find_shortest(narrowing, &search)) && search.high > 0) {
        search.high--;
        search.needed.on[search.order[search.high]] = true;
    }
    *set = with_prefix(&search, search.high);
    return finished;
}

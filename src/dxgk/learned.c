/* A driver's own format, as far as it compares what it is given: nobody else knows it.
 *
 *     bytes of which no two words are alike ──> the driver refuses them: the last thing that it
 *        ^                                      compared some of them with is what it wanted
 *        └── that word is as it wants it ───────────┘
 *
 * After some rounds a mark, a version and a length are right, and what is behind them is reached:
 * where a client's indexes, offsets and counts are looked at, or are not. */
#include "dxgk/learned.h"

#include <string.h>

#include "dxgk/asked.h"
#include "dxgk/dxgk.h"
#include "dxgk/echo.h"
#include "dxgk/spoil.h"

#define ROUNDS_MAX   24
#define FREE_SMALL   16u /* words that nobody compared: indexes and counts are small numbers */
#define CHANGED      3u  /* so many of the values, on average */
#define SIZES_ONE_IN 6
#define ESCAPES      16
#define ESCAPES_SMALL 12 /* of them, first: a number may be how long it waits */

static void *hand(const void *bytes, UINT size, const char *what)
{
    void *copy = size > 0 ? nt_memory_hand(size, what) : NULL;

    if (copy) {
        memcpy(copy, bytes, size);
    }
    return copy;
}

/* ---- Learning -------------------------------------------------------------------------------- */

static void keep_value(struct dxgk_learned *learned, const struct compared *compared)
{
    for (UINT i = 0; i < learned->value_count; i++) {
        const struct compared *one = &learned->values[i];
        if (one->at == compared->at && one->size == compared->size && one->with == compared->with) {
            return;
        }
    }
    if (learned->value_count < LEARNED_VALUES) {
        learned->values[learned->value_count++] = *compared;
    }
}

static bool is_free(const struct dxgk_learned *learned, const struct compared *compared)
{
    for (UINT i = 0; i < compared->size; i++) {
        if (learned->known[compared->at + i]) {
            return false;
        }
    }
    return true;
}

/* A length is known once, too: one of many that it is compared with. */
static bool take_length(struct dxgk_learned *learned, const struct compared *compared)
{
    if (learned->size != LEARNED_BYTES || compared->with == 0 || compared->with > LEARNED_MAX) {
        return false;
    }
    if (compared->with > learned->size) {
        uint8_t all[LEARNED_MAX];
        compared_fill(all, sizeof all);
        memcpy(learned->bytes + learned->size, all + learned->size, compared->with - learned->size);
    }
    learned->size = (UINT)compared->with;
    return true;
}

static bool take(struct dxgk_learned *learned, const struct compared *compared)
{
    if (compared->at == COMPARED_LENGTH) {
        return take_length(learned, compared);
    }
    if (!range_fits(compared->at, compared->size, learned->size) || !is_free(learned, compared)) {
        return false;
    }
    memcpy(learned->bytes + compared->at, &compared->with, compared->size);
    memset(learned->known + compared->at, true, compared->size);
    return true;
}

/* The latest comparison is the one that had the bytes refused, or at least none that was needed. */
static bool take_latest(struct dxgk_learned *learned, const struct compared *seen, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        keep_value(learned, &seen[i]);
    }
    while (count > 0) {
        if (take(learned, &seen[--count])) {
            learned->count++;
            return true;
        }
    }
    return false;
}

static struct dxgk_learned of_escapes;
static bool busy; /* the call may switch, and may never return */

void dxgk_learn_reset(void)
{
    busy = false;
    of_escapes.tried = false;
    dxgk_echo_forget();
    dxgk_contexts_forget();
}

void dxgk_learn(struct dxgk_learned *learned, const struct dxgk_learner *learner)
{
    struct compared seen[COMPARED_MAX];
    bool goes_on = !learned->tried && !busy;

    if (!goes_on) {
        return;
    }
    *learned = (struct dxgk_learned){.tried = true, .size = LEARNED_BYTES};
    compared_fill(learned->bytes, learned->size);
    busy = true;
    for (unsigned round = 0; round < ROUNDS_MAX && goes_on; round++) {
        void *bytes = hand(learned->bytes, learned->size, learner->what);
        if (!bytes) {
            break;
        }
        ddi_compares_begin(learner->point, bytes, learned->size, learned->known);
        bool taken = learner->ask(learner->context, bytes, learned->size);
        unsigned count = ddi_compares_end(seen);
        nt_memory_free(bytes);
        goes_on = !taken && take_latest(learned, seen, count);
    }
    busy = false;
}

/* ---- What is made of it ---------------------------------------------------------------------- */

static uint32_t free_word(enum variation variation, unsigned kind)
{
    return kind == 0   ? 0
           : kind == 1 ? (uint32_t)vary_below(variation, FREE_SMALL)
                       : (uint32_t)vary_below(variation, UINT64_C(1) << 32);
}

static void fill_free(const struct dxgk_learned *learned, enum variation variation, uint8_t *bytes,
                      UINT size)
{
    unsigned kind = (unsigned)vary_below(variation, learned->small ? 2 : 3);
    uint32_t word = 0;

    for (UINT at = 0; at < size; at++) {
        if (at % sizeof word == 0) {
            word = free_word(variation, kind);
        }
        bytes[at] = learned->known[at] ? learned->bytes[at] : (uint8_t)(word >> at % 4 * 8);
    }
}

/* Others of the values that it knows, or ones beside. */
static void change_some(const struct dxgk_learned *learned, enum variation variation,
                        uint8_t *bytes, UINT size)
{
    for (UINT i = 0; i < learned->value_count; i++) {
        const struct compared *one = &learned->values[i];
        uint64_t beside = vary_below(variation, 8), value = one->with;
        if (vary_below(variation, learned->value_count) < CHANGED && one->at != COMPARED_LENGTH &&
            range_fits(one->at, one->size, size)) {
            value += beside == 0 ? 1 : 0;
            value -= beside == 1 ? 1 : 0;
            memcpy(bytes + one->at, &value, one->size);
        }
    }
}

/* Mostly the one that was taken; else another that it was compared with, one that is cut, or the
 * first. */
static UINT choose_size(const struct dxgk_learned *learned, enum variation variation)
{
    uint64_t which = vary_below(variation, SIZES_ONE_IN);
    UINT size = learned->size, count = 0;

    for (UINT i = 0; which == 0 && i < learned->value_count; i++) {
        const struct compared *one = &learned->values[i];
        if (one->at == COMPARED_LENGTH && one->with > 0 && one->with <= LEARNED_MAX &&
            vary_below(variation, ++count) == 0) {
            size = (UINT)one->with;
        }
    }
    return which == 1 ? (UINT)vary_below(variation, size) + 1 : which == 2 ? LEARNED_BYTES : size;
}

void *dxgk_learned_made(const struct dxgk_learned *learned, const char *what,
                        enum variation variation, UINT *size)
{
    uint8_t bytes[LEARNED_MAX];

    *size = 0;
    if (learned->count == 0) {
        return NULL;
    }
    UINT chosen = choose_size(learned, variation);
    fill_free(learned, variation, bytes, chosen);
    if (vary_below(variation, 2) == 0) {
        change_some(learned, variation, bytes, chosen);
    }
    void *made = hand(bytes, chosen, what);
    *size = made ? chosen : 0;
    return made;
}

/* ---- Escapes --------------------------------------------------------------------------------- */

static const char of_escape[] = "a client's Escape";

struct escaping {
    struct dxgk_adapter *adapter;
    uint64_t *count;
};

static bool escape(void *context, void *bytes, UINT size)
{
    const struct escaping *escaping = context;
    const struct dxgk_escape_request request = {.private_data = bytes, .private_size = size};

    NTSTATUS status = dxgk_escape(escaping->adapter, &request);
    ++*escaping->count;
    return NT_SUCCESS(status);
}

bool dxgk_escape_learned(struct dxgk_adapter *adapter, enum variation variation, uint64_t *count)
{
    struct escaping escaping = {adapter, count};
    UINT size;

    if (!ddi_has(&adapter->ddi, POINT_Escape)) {
        return false;
    }
    dxgk_learn(&of_escapes, &(struct dxgk_learner){
                                .point = POINT_Escape,
                                .what = of_escape,
                                .ask = escape,
                                .context = &escaping,
                            });
    record_count("learned.escape", of_escapes.count);
    for (unsigned i = 0; i < ESCAPES && of_escapes.count > 0; i++) {
        of_escapes.small = i < ESCAPES_SMALL;
        void *bytes = dxgk_learned_made(&of_escapes, of_escape, variation, &size);
        if (bytes) {
            (void)escape(&escaping, bytes, size);
            nt_memory_free(bytes);
        }
    }
    return of_escapes.count > 0;
}

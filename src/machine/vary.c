/* The registry of variations, and their chances. */
#include "machine/vary.h"

#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include "machine/internal.h"

/* Sites of randomness: a block that plug-ins cannot reach (they begin at 1000 and count up). */
#define SITE_VARY 0x80000000u

static const struct {
    struct vary_info info;
    const char *counter;
} rows[VARY_COUNT] = {
#define VARIATION(id, name, share, sentence) \
    [VARY_##id] = {{name, sentence, share}, "variations." name},
#include "machine/variations.def"
#undef VARIATION
};

struct vary_set vary_in_force;

const struct vary_info *vary_info(enum variation variation)
{
    return &rows[variation].info;
}

/* ---- Sets ------------------------------------------------------------------------------------ */

static bool set_word(const char *word, size_t length, struct vary_set *set)
{
    for (unsigned i = 0; i < VARY_COUNT; i++) {
        const char *name = rows[i].info.name;
        if (strlen(name) == length && memcmp(name, word, length) == 0) {
            return set->on[i] = true;
        }
    }
    return false;
}

bool vary_set_read(const char *list, struct vary_set *set, const char **wrong, size_t *wrong_length)
{
    *set = (struct vary_set){0};
    if (strcmp(list, "none") == 0) {
        return true;
    }
    if (strcmp(list, "all") == 0) {
        memset(set->on, true, sizeof set->on);
        return true;
    }
    for (;;) {
        size_t length = strcspn(list, ",");
        if (!set_word(list, length, set)) {
            *wrong = list;
            *wrong_length = length;
            return false;
        }
        if (list[length] == '\0') {
            return true;
        }
        list += length + 1;
    }
}

void vary_set_write(const struct vary_set *set, char *list, size_t size)
{
    size_t used = 0;

    snprintf(list, size, "none");
    for (unsigned i = 0; i < VARY_COUNT && used < size; i++) {
        if (set->on[i]) {
            used += (size_t)snprintf(list + used, size - used, "%s%s", used ? "," : "",
                                     rows[i].info.name);
        }
    }
}

#define NEXT_PARTS UINT64_C(0x9E3779B97F4A7C15)

/* One part of a pair has it, in every second pair: so of four parts, one. */
static bool every_second_pair(enum variation variation, uint64_t seed, unsigned index)
{
    const char *name = rows[variation].info.name;
    uint64_t four = seed + index / 4 * NEXT_PARTS;

    return ((XXH3_64bits_withSeed(name, strlen(name), four) ^ index / 2) & 1) != 0;
}

void vary_set_choose(uint64_t seed, unsigned index, bool ours, struct vary_set *set)
{
    uint64_t pair = seed + index / 2 * NEXT_PARTS;

    for (unsigned i = 0; i < VARY_COUNT; i++) {
        const char *name = rows[i].info.name;
        unsigned share = rows[i].info.share ? rows[i].info.share : ours ? 50 : 0;
        unsigned draw = (unsigned)(XXH3_64bits_withSeed(name, strlen(name), pair) % 100);
        if (index % 2 == 1) {
            draw = 99 - draw;
        }
        set->on[i] = draw < share;
    }
    set->on[VARY_GPU_ADDRESSES] = index < 2 && !set->on[VARY_OTHER_SETTINGS];
    /* A stop of the system comes without Unload, when what failed starts left behind shows: of a
     * pair the one part has the one, and the other the other. */
    set->on[VARY_STOP_SCREEN] =
        !set->on[VARY_FAILED_STARTS] && every_second_pair(VARY_STOP_SCREEN, seed, index);
    /* What is built while others run cannot be looked at as closely. */
    set->on[VARY_PAGING_OVERLAPS] =
        set->on[VARY_PAGING_RESTS] && every_second_pair(VARY_PAGING_OVERLAPS, seed, index);
    /* What is used after it was freed shows where memory is not given again at once. */
    set->on[VARY_REUSED_MEMORY] =
        !set->on[VARY_SPECIAL_POOL] && every_second_pair(VARY_REUSED_MEMORY, seed, index);
}

/* ---- Chances --------------------------------------------------------------------------------- */

static uint32_t site_of(enum variation variation)
{
    const char *name = rows[variation].info.name;

    return SITE_VARY | (uint32_t)XXH3_64bits(name, strlen(name));
}

void vary_happened(enum variation variation)
{
    record_count(rows[variation].counter, 1);
    record_event(EVENT_VARIATION, 0, record_text(rows[variation].info.name), 0);
}

uint64_t vary_below(enum variation variation, uint64_t bound)
{
    return machine_random_below(site_of(variation), bound);
}

bool vary_draw(enum variation variation, unsigned one_in)
{
    if (one_in > 1 && vary_below(variation, one_in) != 0) {
        return false;
    }
    vary_happened(variation);
    return true;
}

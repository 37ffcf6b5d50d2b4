/* Random work on GPU virtual addresses; see space_world.h. */
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "vidmm/space_world.h"

#define STEPS 1500

static void play(const struct space_variant *variant, uint64_t seed)
{
    struct world *world = world_new(variant, seed);

    for (unsigned i = 0; i < STEPS; i++) {
        world_step(world);
        if (i % 25 == 24) {
            world_check(world);
        }
    }
    world_check(world);
    world_tell(world, seed);
    world_end(world);
}

static void every_address_shows_what_was_asked_for(void **state)
{
    const char *one = getenv("SPACE_SEED");

    for (size_t i = 0; i < SPACE_VARIANT_COUNT; i++) {
        uint64_t first = one ? strtoull(one, NULL, 10) : 1, count = one ? 1 : 3;
        for (uint64_t seed = first; seed < first + count; seed++) {
            play(&space_variants[i], seed);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_address_shows_what_was_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Random work on GPU virtual addresses; see space_world.h. */
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "vidmm/space_model.h"
#include "vidmm/space_world.h"

#define STEPS 1500

/* How often the paging space moved its own tables. */
static unsigned play(const struct space_variant *variant, uint64_t seed)
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
    unsigned paging_moves = world->paging_moves;
    world_end(world);
    return paging_moves;
}

static void every_address_shows_what_was_asked_for(void **state)
{
    const char *one = getenv("SPACE_SEED");
    unsigned paging_moves = 0;

    for (size_t i = 0; i < SPACE_VARIANT_COUNT; i++) {
        uint64_t first = one ? strtoull(one, NULL, 10) : 1, count = one ? 1 : 3;
        for (uint64_t seed = first; seed < first + count; seed++) {
            paging_moves += play(&space_variants[i], seed);
        }
    }
    assert_true(one || paging_moves > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_address_shows_what_was_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Fuzzes GPU virtual addresses and residency: the input chooses a kind of MMU and what clients ask,
 * well or badly; a model knows what every page must show (tests/vidmm/space_world.c).
 * fuzz/run_space_fuzz builds and runs it. */
#include <stddef.h>
#include <stdint.h>

#include "vidmm/space_world.h"

#define STEPS_MAX    600
#define CHECKED_EACH 25

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    struct world *world = world_new(&space_variants[data[0] % SPACE_VARIANT_COUNT], 1);

    world_choices(world, data + 1, size - 1);
    for (unsigned i = 0; i < STEPS_MAX && !world_is_over(world); i++) {
        world_step(world);
        if (i % CHECKED_EACH == CHECKED_EACH - 1) {
            world_check(world);
        }
    }
    world_check(world);
    world_end(world);
    return 0;
}

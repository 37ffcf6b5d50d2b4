/* Two processes' worth of work on GPU virtual addresses, against a model of what each page must
 * show: space_world.c. For the model test, which draws it by chance, and for fuzz/space_fuzz.c. */
#ifndef TESTS_VIDMM_SPACE_WORLD_H
#define TESTS_VIDMM_SPACE_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vidmm/vidmm.h"

struct world;

/* A kind of MMU. */
struct space_variant {
    const char *name;
    unsigned levels[4]; /* index bits from the leaf on; 0 ends */
    unsigned segment;   /* of tables; 0: system memory */
    enum vidmm_update_mode mode;
    uint32_t flags;
    bool leaf_64k, paging, resets;
};

enum { SPACE_VARIANT_COUNT = 10 };
extern const struct space_variant space_variants[SPACE_VARIANT_COUNT];

struct world *world_new(const struct space_variant *variant, uint64_t seed);
/* From now on these bytes, which stay the caller's, take the place of chance. */
void world_choices(struct world *world, const uint8_t *bytes, size_t count);
bool world_is_over(const struct world *world); /* no bytes are left */
void world_step(struct world *world);
/* Runs all paging, and asserts that walks, the TLB and bytes are what the model says. */
void world_check(struct world *world);
/* Prints what was done; asserts that it was something. */
void world_tell(const struct world *world, uint64_t seed);
/* Asserts that nothing is left. */
void world_end(struct world *world);

#endif

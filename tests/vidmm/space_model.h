/* What the files of the world (space_world.c, space_any.c, space_clients.c) know of it:
 * allocations, areas, and what each page of each space must show. */
#ifndef TESTS_VIDMM_SPACE_MODEL_H
#define TESTS_VIDMM_SPACE_MODEL_H

#include "vidmm/mock_mmu.h"
#include "vidmm/space_world.h"

enum {
    PAGE = 4096,
    ITEM_MAX = 24,
    AREA_MAX = 24,
    SPACE_COUNT = 2,
    MODEL_PAGES = 4096, /* of a space, from its first on */
};

struct item {
    struct vidmm_allocation base;
    bool live, stamped;
    uint32_t id;
    uint32_t listed[SPACE_COUNT]; /* on the residency lists */
    uint64_t *memory;             /* pages of the client's own that it is made of; or NULL */
    uint64_t memory_pages;
};

struct shown {
    struct item *item; /* NULL: nothing, or zeros */
    uint32_t page;
    bool zero, read_only;
};

struct area {
    uint64_t address, size_bytes;
    bool reserved;
};

struct world {
    struct mock_gpu gpu;
    struct vidmm_mmu_options mmu;
    struct vidmm_account account;
    struct vidmm_space paging, spaces[SPACE_COUNT];
    struct vidmm_residency lists[SPACE_COUNT];
    struct vidmm_queue queue;
    struct vidmm_use use;
    bool has_paging, running;
    struct item items[ITEM_MAX];
    struct area areas[SPACE_COUNT][AREA_MAX];
    struct shown model[SPACE_COUNT][MODEL_PAGES];
    const struct space_variant *variant;
    uint64_t random;
    const uint8_t *choices; /* of a fuzzer: bytes that take the place of chance; or NULL */
    size_t choice_count;
    uint64_t restored; /* paging sequence: before, nothing runs after a reset */
    uint32_t next_id;
    struct vidmm_pressure pressure; /* as it was last */
    unsigned maps, denied, residents, trims, runs, resets, updates, checks, large, tables_away,
        paging_moves;
    unsigned runner; /* whose list it is that runs */
    bool was_away
        [SPACE_COUNT]; /* its tables were evicted, and contexts did not hear of the root since */
    unsigned offers, discards;
};

uint64_t below(struct world *world, uint64_t bound);
struct item *any_item(struct world *world); /* or NULL */
/* From this page on so many show something else: the item's pages from the first's on. */
void show(struct world *world, unsigned s, uint64_t page, const struct shown *first,
          uint64_t count);
void forget_area(struct world *world, unsigned s, const struct area *area); /* its pages */
uint64_t item_stamp(const struct item *item, uint64_t page); /* begins and ends each page of it */

/* space_any.c: a request whose numbers may be any. */
void step_anything(struct world *world, unsigned s);

/* space_clients.c. */
/* Now and then the pages that a new item is made of, with its bytes; else NULL. */
const uint64_t *client_memory(struct world *world, struct item *item, uint64_t page_count);
void client_memory_end(struct item *item);
/* Offers, reclaims, reservations of shares, trimming. */
void step_client(struct world *world, unsigned s);

#endif

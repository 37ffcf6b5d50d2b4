/* A paging space and a process's space on a mock GPU with three segments, for tests that go one
 * call at a time. */
#ifndef VIDMM_SPACE_FIXTURE_H
#define VIDMM_SPACE_FIXTURE_H

#include "vidmm/mock_mmu.h"

enum { PAGE = 4096, ITEM_MAX = 8, LEAF_PAGES = 32 };

struct fixture {
    struct mock_gpu gpu;
    struct vidmm_mmu_options mmu;
    struct vidmm_account account;
    struct vidmm_space paging, space;
    struct vidmm_residency list, other_list;
    struct vidmm_queue queue;
    struct vidmm_use use;
    struct vidmm_allocation items[ITEM_MAX];
    unsigned count;
};

/* With VIDMM_MMU_DUAL segment 2 has pages of 64 KiB. */
struct fixture *make_fixture(enum vidmm_update_mode mode, uint32_t flags, unsigned segment,
                             bool two_levels);
/* For cmocka: tables that the GPU writes by physical address, in segment 1. */
int set_up(void **state);
int tear_down(void **state);

void begin(struct fixture *fixture, struct vidmm_space *space,
           const struct vidmm_space_options *options);
void end(struct fixture *fixture, struct vidmm_space *space);

/* All that is queued. */
void run(struct fixture *fixture);
/* One more allocation; `set`: the segments that it may be in. */
struct vidmm_allocation *make(struct fixture *fixture, unsigned pages, uint32_t set,
                              uint32_t flags);
/* All of it, anywhere. */
uint64_t map(struct fixture *fixture, struct vidmm_allocation *item);
/* Made resident for the fixture's first list. */
NTSTATUS list_one(struct fixture *fixture, struct vidmm_allocation *item, uint32_t flags,
                  struct vidmm_make_result *result);

#define SPACE_TEST(name)       cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define SPACE_TEST_OF(name, f) cmocka_unit_test_setup_teardown(name, f, tear_down)

#endif

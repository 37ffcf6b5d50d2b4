/* The MMU of the GPU for the tests of vidmm: page tables are bytes in its memory, in a format of
 * its own; walks read them; a TLB keeps what it saw, valid or not, until it is told to forget. */
#ifndef TESTS_VIDMM_MOCK_MMU_H
#define TESTS_VIDMM_MOCK_MMU_H

#include <stdbool.h>
#include <stdint.h>

#include "vidmm/mock_gpu.h"

enum { MOCK_SPACE_MAX = 8, MOCK_TLB_SIZE = 8192 };

struct mock_entry {
    bool valid, zero, read_only, no_execute, leaf_64k;
    unsigned segment;
    uint64_t offset;
};

struct mock_root {
    const struct vidmm_space *space;
    struct vidmm_root root;
};

struct mock_cached {
    const struct vidmm_space *space;
    uint64_t page;
    struct mock_entry entry;
};

struct mock_mmu {
    struct vidmm_mmu_options options;
    struct mock_root roots[MOCK_SPACE_MAX];
    const struct vidmm_space *paging;
    struct mock_cached tlb[MOCK_TLB_SIZE];
    uint64_t updates, flushes, roots_set, moves, copies;
    uint64_t written; /* entries */
};

void mock_mmu_init(struct mock_gpu *gpu, const struct vidmm_mmu_options *options);
/* As SetRootPageTable does; asks vidmm. Nothing is under way. */
void mock_mmu_set_root(struct mock_gpu *gpu, struct vidmm_space *space);
void mock_mmu_forget(struct mock_gpu *gpu, const struct vidmm_space *space);
/* By the tables alone, or as the TLB has it, which may learn it. */
struct mock_entry mock_mmu_walk(struct mock_gpu *gpu, const struct vidmm_space *space,
                                uint64_t page);
struct mock_entry mock_mmu_look(struct mock_gpu *gpu, const struct vidmm_space *space,
                                uint64_t page);
/* One of the operations by virtual address. */
void mock_mmu_run(struct mock_gpu *gpu, struct vidmm_op *op);

#endif

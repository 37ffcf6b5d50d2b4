/* Spaces on a mock GPU: see space_fixture.h. */
#include "vidmm/space_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Segment 1: tables. Segment 2: memory of clients. Segment 3: system memory. */
static const struct vidmm_segment_options segments[] = {
    {.flags = VIDMM_SEGMENT_CPU_VISIBLE, .base_address = 0x100000, .size_bytes = 64 * PAGE},
    {.base_address = 0x200000, .size_bytes = 16 * PAGE},
    {.flags = VIDMM_SEGMENT_APERTURE,
     .base_address = 0x300000,
     .size_bytes = 32 * PAGE,
     .group = VIDMM_GROUP_NON_LOCAL},
};

void run(struct fixture *fixture)
{
    fixture->gpu.log_count = 0;
    mock_gpu_run_all(&fixture->gpu);
}

void begin(struct fixture *fixture, struct vidmm_space *space,
           const struct vidmm_space_options *options)
{
    struct vidmm_wait wait;

    assert_int_equal(vidmm_space_init(space, fixture->gpu.vidmm, options), STATUS_SUCCESS);
    assert_int_equal(vidmm_space_start(space, &wait), STATUS_SUCCESS);
    run(fixture);
    mock_mmu_set_root(&fixture->gpu, space);
}

struct fixture *make_fixture(enum vidmm_update_mode mode, uint32_t flags, unsigned segment,
                             bool two_levels)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct vidmm_mmu_options *mmu = &fixture->mmu;

    *mmu =
        (struct vidmm_mmu_options){.level_count = two_levels ? 2 : 3, .mode = mode, .flags = flags};
    for (unsigned i = 0; i < mmu->level_count; i++) {
        mmu->levels[i] = (struct vidmm_level_options){.index_bits = 5,
                                                      .segment = segment,
                                                      .paging_segment = 1,
                                                      .size_bytes = PAGE,
                                                      .alignment_bytes = PAGE};
    }
    struct vidmm_segment_options own[3];
    memcpy(own, segments, sizeof own);
    if (flags & VIDMM_MMU_DUAL) {
        mmu->leaf_64k_bytes = PAGE;
        own[1].flags = VIDMM_SEGMENT_PAGES_64K;
        own[1].size_bytes *= 2;
    }
    struct vidmm_config config = {
        .segments = own, .segment_count = 3, .mmu = mmu, .fill_pattern = 0x11223344};
    mock_gpu_init(&fixture->gpu, &config, 16 << 20);
    mock_mmu_init(&fixture->gpu, mmu);
    vidmm_account_init(&fixture->account, fixture->gpu.vidmm);
    begin(fixture, &fixture->paging,
          &(struct vidmm_space_options){.kind = VIDMM_SPACE_PAGING, .scratch_bytes = 32 * PAGE});
    begin(fixture, &fixture->space, &(struct vidmm_space_options){.account = &fixture->account});
    vidmm_residency_init(&fixture->list, fixture->gpu.vidmm, &fixture->account);
    vidmm_residency_init(&fixture->other_list, fixture->gpu.vidmm, NULL);
    vidmm_queue_init(&fixture->queue, fixture->gpu.vidmm, 0);
    vidmm_use_init(&fixture->use, fixture->gpu.vidmm);
    return fixture;
}

void end(struct fixture *fixture, struct vidmm_space *space)
{
    struct vidmm_wait wait;

    do {
        assert_int_equal(vidmm_space_retire(space, &wait), STATUS_SUCCESS);
        mock_gpu_run_all(&fixture->gpu);
    } while (wait.paging_sequence != 0);
    mock_mmu_forget(&fixture->gpu, space);
    vidmm_space_fini(space);
}

static void free_fixture(struct fixture *fixture)
{
    struct vidmm_wait wait;

    vidmm_use_fini(&fixture->use);
    vidmm_queue_fini(&fixture->queue);
    vidmm_residency_fini(&fixture->list);
    vidmm_residency_fini(&fixture->other_list);
    for (unsigned i = 0; i < fixture->count; i++) {
        do {
            assert_int_equal(vidmm_allocation_retire(&fixture->items[i], &wait), STATUS_SUCCESS);
            mock_gpu_run_all(&fixture->gpu);
        } while (wait.paging_sequence != 0);
        vidmm_allocation_fini(&fixture->items[i]);
    }
    end(fixture, &fixture->space);
    end(fixture, &fixture->paging);
    vidmm_account_fini(&fixture->account);
    mock_gpu_fini(&fixture->gpu);
    free(fixture);
}

int set_up(void **state)
{
    *state =
        make_fixture(VIDMM_UPDATE_GPU_PHYSICAL, VIDMM_MMU_READ_ONLY | VIDMM_MMU_ZERO, 1, false);
    return 0;
}

int tear_down(void **state)
{
    free_fixture(*state);
    return 0;
}

struct vidmm_allocation *make(struct fixture *fixture, unsigned pages, uint32_t set, uint32_t flags)
{
    struct vidmm_allocation *item = &fixture->items[fixture->count++];
    const struct vidmm_allocation_options options = {
        .size_bytes = pages * PAGE,
        .read_segments = set,
        .write_segments = set,
        .flags = flags | VIDMM_ALLOCATION_VIRTUAL,
        .account = &fixture->account,
    };

    assert_int_equal(vidmm_allocation_init(item, fixture->gpu.vidmm, &options), STATUS_SUCCESS);
    return item;
}

uint64_t map(struct fixture *fixture, struct vidmm_allocation *item)
{
    const struct vidmm_map_request request = {.allocation = item,
                                              .page_count = item->size_bytes / PAGE,
                                              .protection = VIDMM_PROTECT_WRITE};
    struct vidmm_wait wait;
    uint64_t address;

    assert_int_equal(vidmm_space_map(&fixture->space, &request, &address, &wait), STATUS_SUCCESS);
    return address;
}

NTSTATUS list_one(struct fixture *fixture, struct vidmm_allocation *item, uint32_t flags,
                  struct vidmm_make_result *result)
{
    const struct vidmm_make_request request = {.allocations = &item, .count = 1, .flags = flags};

    return vidmm_make_resident(&fixture->queue, &fixture->list, &request, result);
}

/* GPU virtual addresses one call at a time: which operations are queued in which order, with which
 * arguments; what is refused. */
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vidmm/space_fixture.h"

static int set_up_idle(void **state)
{
    *state = make_fixture(VIDMM_UPDATE_GPU_PHYSICAL,
                          VIDMM_MMU_IDLE_UPDATES | VIDMM_MMU_INVALID_NOT_CACHED, 1, false);
    return 0;
}

static int set_up_by_address(void **state)
{
    *state = make_fixture(VIDMM_UPDATE_GPU_VIRTUAL, 0, 1, false);
    return 0;
}

static int set_up_cpu(void **state)
{
    *state = make_fixture(VIDMM_UPDATE_CPU, 0, 0, false);
    return 0;
}

static int set_up_cpu_in_segment(void **state)
{
    *state = make_fixture(VIDMM_UPDATE_CPU, 0, 1, false);
    return 0;
}

static int set_up_two_levels(void **state)
{
    *state = make_fixture(VIDMM_UPDATE_GPU_PHYSICAL, 0, 1, true);
    return 0;
}

static int set_up_blocks(void **state)
{
    *state = make_fixture(VIDMM_UPDATE_GPU_PHYSICAL, VIDMM_MMU_DUAL | VIDMM_MMU_TABLES_IN_TRANSFER,
                          1, false);
    return 0;
}

static void expect(const struct fixture *fixture, const enum vidmm_op_kind *kinds, size_t count)
{
    for (size_t i = 0; i < count && i < fixture->gpu.log_count; i++) {
        assert_string_equal(vidmm_op_name(fixture->gpu.log[i].op.kind), vidmm_op_name(kinds[i]));
    }
    assert_int_equal(fixture->gpu.log_count, count);
}

static const struct vidmm_op *log_at(const struct fixture *fixture, size_t index)
{
    assert_true(index < fixture->gpu.log_count);
    return &fixture->gpu.log[index].op;
}

#define EXPECT(fixture, ...)                                       \
    do {                                                           \
        const enum vidmm_op_kind kinds_[] = {__VA_ARGS__};         \
        expect(fixture, kinds_, sizeof kinds_ / sizeof kinds_[0]); \
    } while (0)

/* Two levels of tables are missing; nothing is resident, so no leaf entry is written. */
static void tables_are_made_with_the_first_mapping(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, 2, 0);
    uint64_t address = map(fixture, item);

    run(fixture);
    EXPECT(fixture, VIDMM_OP_UPDATE_TABLE, VIDMM_OP_UPDATE_TABLE, VIDMM_OP_UPDATE_TABLE,
           VIDMM_OP_UPDATE_TABLE);
    for (unsigned i = 0; i < 4; i += 2) {
        const struct vidmm_update *made = &log_at(fixture, i)->update;
        const struct vidmm_update *shown = &log_at(fixture, i + 1)->update;
        assert_true(made->initial && made->repeat && made->first == 0 && made->count == 32);
        assert_int_equal(made->level, i == 0 ? 1 : 0);
        assert_false(shown->initial);
        assert_int_equal(shown->level, made->level + 1);
        assert_int_equal(shown->count, 1);
        struct vidmm_pte pte;
        vidmm_op_entries(log_at(fixture, i + 1), 0, 1, false, &pte);
        assert_int_equal(pte.flags, VIDMM_PTE_VALID);
        assert_int_equal(pte.segment, made->place.segment);
        assert_int_equal(pte.offset, made->place.offset);
    }
    assert_int_equal(log_at(fixture, 3)->update.address, address);
    /* The first entry of the root is never used [PT-014]. */
    assert_true(address >= 32 * 32 * PAGE);
}

static void memory_comes_through_scratch_and_entries_behind_it(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, 2, VIDMM_ALLOCATION_NOTIFY);
    struct vidmm_make_result result;
    uint64_t address = map(fixture, item);

    run(fixture);
    assert_int_equal(list_one(fixture, item, 0, &result), STATUS_PENDING);
    assert_int_equal(result.fence_value, 1);
    assert_int_equal(fixture->queue.signalled, 0);
    run(fixture);
    EXPECT(fixture, VIDMM_OP_UPDATE_TABLE, VIDMM_OP_FLUSH_TLB, VIDMM_OP_VIRTUAL_FILL,
           VIDMM_OP_UPDATE_TABLE, VIDMM_OP_FLUSH_TLB, VIDMM_OP_NOTIFY_RESIDENCY,
           VIDMM_OP_UPDATE_TABLE, VIDMM_OP_FLUSH_TLB);
    const struct vidmm_op *fill = log_at(fixture, 2), *entries = log_at(fixture, 6);
    assert_ptr_equal(log_at(fixture, 0)->space, &fixture->paging);
    assert_int_equal(fill->fill.destination_address, log_at(fixture, 0)->update.address);
    assert_int_equal(fill->fill.size_bytes, 3 * PAGE);
    assert_true(log_at(fixture, 3)->update.repeat);
    assert_true(log_at(fixture, 5)->notice.resident);
    assert_int_equal(log_at(fixture, 5)->notice.place.segment, 2);
    assert_ptr_equal(entries->space, &fixture->space);
    assert_ptr_equal(entries->allocation, item);
    assert_int_equal(entries->update.address, address);
    assert_int_equal(entries->update.count, 3);
    assert_int_equal(entries->update.allocation_offset, 0);
    assert_int_equal(log_at(fixture, 7)->flush.start, address);
    assert_int_equal(log_at(fixture, 7)->flush.end, address + 3 * PAGE);
    assert_int_equal(fixture->queue.signalled, 1);
    assert_int_equal(list_one(fixture, item, 0, &result), STATUS_SUCCESS);
    assert_int_equal(result.fence_value, 0);
}

static void memory_goes_after_its_entries_were_flushed(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, 2, VIDMM_ALLOCATION_NOTIFY);
    struct vidmm_make_result result;
    struct vidmm_wait wait;

    (void)map(fixture, item);
    assert_int_equal(list_one(fixture, item, 0, &result), STATUS_PENDING);
    run(fixture);
    assert_int_equal(vidmm_evict(item, &wait), STATUS_SUCCESS);
    run(fixture);
    EXPECT(fixture, VIDMM_OP_NOTIFY_RESIDENCY, VIDMM_OP_UPDATE_TABLE, VIDMM_OP_FLUSH_TLB,
           VIDMM_OP_UPDATE_TABLE, VIDMM_OP_UPDATE_TABLE, VIDMM_OP_FLUSH_TLB,
           VIDMM_OP_VIRTUAL_TRANSFER, VIDMM_OP_UPDATE_TABLE, VIDMM_OP_FLUSH_TLB);
    assert_false(log_at(fixture, 0)->notice.resident);
    assert_int_equal(log_at(fixture, 0)->notice.place.segment, 0);
    assert_ptr_equal(log_at(fixture, 1)->space, &fixture->space);
    assert_true(log_at(fixture, 1)->update.repeat);
    assert_int_equal(log_at(fixture, 1)->update.entries, VIDMM_ENTRIES_INVALID);
    const struct vidmm_move *move = &log_at(fixture, 6)->move;
    assert_true(move->start && move->end && move->size_bytes == 3 * PAGE);
    assert_int_equal(move->source.segment, 2);
    assert_int_equal(move->destination.segment, 0);
    assert_int_equal(log_at(fixture, 3)->update.address, move->source_address);
    assert_int_equal(log_at(fixture, 4)->update.address, move->destination_address);
    struct vidmm_pte pte[3];
    vidmm_op_entries(log_at(fixture, 4), 0, 3, false, pte);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(pte[i].segment, 0);
        assert_int_equal(pte[i].offset, item->frames[i] * PAGE);
    }
    vidmm_op_entries(log_at(fixture, 3), 1, 1, false, pte);
    assert_int_equal(pte[0].flags, VIDMM_PTE_VALID | VIDMM_PTE_READ_ONLY);
}

/* Whole blocks of memory in such pages; what is left over by pages of 4 KiB, and so is the other
 * side. Both leaves are named, by where the paging space shows them. */
static void blocks_leave_by_leaves_of_64k(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 20, 2, 0);
    struct vidmm_make_result result;
    const struct vidmm_op *moves[2];
    struct vidmm_wait wait;
    unsigned count = 0;

    assert_int_equal(list_one(fixture, item, 0, &result), STATUS_PENDING);
    run(fixture);
    assert_int_equal(vidmm_evict(item, &wait), STATUS_SUCCESS);
    run(fixture);
    for (size_t i = 0; i < fixture->gpu.log_count; i++) {
        if (log_at(fixture, i)->kind == VIDMM_OP_VIRTUAL_TRANSFER) {
            assert_true(count < 2);
            moves[count++] = log_at(fixture, i);
        }
    }
    assert_int_equal(count, 2);
    for (unsigned i = 0; i < count; i++) {
        const struct vidmm_move *move = &moves[i]->move;
        assert_int_equal(move->size_bytes, i == 0 ? 16 * PAGE : 4 * PAGE);
        assert_int_equal(move->offset, i == 0 ? 0 : 16 * PAGE);
        assert_int_equal(move->source_64k, i == 0);
        assert_false(move->destination_64k);
        uint64_t leaves[] = {move->source_table, move->destination_table};
        for (unsigned side = 0; side < 2; side++) {
            struct mock_entry entry =
                mock_mmu_walk(&fixture->gpu, &fixture->paging, leaves[side] / PAGE);
            assert_true(entry.valid && entry.segment == 1); /* where tables are */
        }
        assert_int_equal(leaves[0] == leaves[1], i == 1);
    }
}

/* Every table is told to leave, leaves before what is above them; what was mapped and came
 * meanwhile shows when they are back, and nothing of it is written before. */
static void tables_leave_memory_and_come_back(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, 2, 0), *late = make(fixture, 2, 2, 0);
    struct vidmm_make_result result;
    struct vidmm_wait wait;
    uint64_t page = map(fixture, item) / PAGE, other = map(fixture, late) / PAGE;

    assert_int_equal(list_one(fixture, item, 0, &result), STATUS_PENDING);
    run(fixture);
    uint32_t count = fixture->space.table_count;
    assert_int_equal(vidmm_space_evict_tables(&fixture->space), STATUS_SUCCESS);
    assert_int_equal(fixture->space.table_count, 0);
    run(fixture);
    assert_int_equal(fixture->gpu.log_count, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct vidmm_update *update = &log_at(fixture, i)->update;
        assert_true(update->eviction && update->away && update->repeat);
        assert_int_equal(update->entries, VIDMM_ENTRIES_INVALID);
        assert_true(i == 0 || update->level >= log_at(fixture, i - 1)->update.level);
    }
    assert_int_equal(log_at(fixture, count)->kind, VIDMM_OP_FLUSH_TLB);
    assert_int_equal(list_one(fixture, late, 0, &result), STATUS_PENDING);
    run(fixture);
    for (size_t i = 0; i < fixture->gpu.log_count; i++) {
        assert_ptr_not_equal(log_at(fixture, i)->space, &fixture->space);
    }
    assert_int_equal(vidmm_space_keep_tables(&fixture->space, &wait), STATUS_SUCCESS);
    assert_true(wait.paging_sequence != 0);
    run(fixture);
    assert_int_equal(fixture->space.table_count, count);
    assert_true(mock_mmu_walk(&fixture->gpu, &fixture->space, page + 2).valid);
    assert_true(mock_mmu_walk(&fixture->gpu, &fixture->space, other + 1).valid);
    assert_int_equal(vidmm_space_keep_tables(&fixture->space, &wait), STATUS_SUCCESS);
    assert_int_equal(wait.paging_sequence, 0);
    vidmm_space_let_tables_go(&fixture->space);
    vidmm_space_let_tables_go(&fixture->space);
}

/* What is left of segment 1 beside the tables of the paging space. */
static unsigned pages_beside_paging(const struct fixture *fixture)
{
    return 64 - fixture->paging.table_count;
}

/* They go when all else would not be enough, and not before; while somebody keeps them they stay.
 */
static void tables_leave_when_nothing_else_gives_the_room(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, 2, 0);
    struct vidmm_allocation *small = make(fixture, 8, 1, 0), *other = make(fixture, 40, 1, 0);
    struct vidmm_allocation *large = make(fixture, pages_beside_paging(fixture), 1, 0);
    struct vidmm_prepare_result result;
    struct vidmm_pin pin = {0};
    struct vidmm_wait wait;
    uint64_t page = map(fixture, item) / PAGE;

    for (unsigned i = 0; i < 2; i++) {
        vidmm_pin(&pin, i == 0 ? small : other, &result);
        assert_int_equal(result.outcome, VIDMM_READY);
        vidmm_unpin(&pin);
    }
    assert_int_equal(vidmm_space_keep_tables(&fixture->space, &wait), STATUS_SUCCESS);
    vidmm_pin(&pin, large, &result);
    assert_int_equal(result.outcome, VIDMM_FAILED);
    assert_true(fixture->space.root && small->segment == 1);
    vidmm_space_let_tables_go(&fixture->space);
    vidmm_pin(&pin, large, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    assert_null(fixture->space.root);
    assert_int_equal(small->segment, 0);
    run(fixture);
    assert_int_equal(vidmm_space_keep_tables(&fixture->space, &wait),
                     STATUS_GRAPHICS_NO_VIDEO_MEMORY);
    vidmm_unpin(&pin);
    assert_int_equal(vidmm_space_keep_tables(&fixture->space, &wait), STATUS_SUCCESS);
    vidmm_space_let_tables_go(&fixture->space);
    run(fixture);
    assert_int_equal(large->segment, 0);
    assert_false(mock_mmu_walk(&fixture->gpu, &fixture->space, page + 1).valid);
}

/* A use that runs in the space holds them, and brings them back. */
static void tables_are_there_for_what_runs(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, 2, 0);
    struct vidmm_make_result made;
    struct vidmm_prepare_result result;
    uint64_t page = map(fixture, item) / PAGE;

    vidmm_residency_sees(&fixture->list, &fixture->space);
    assert_int_equal(list_one(fixture, item, 0, &made), STATUS_PENDING);
    run(fixture);
    assert_int_equal(vidmm_space_evict_tables(&fixture->space), STATUS_SUCCESS);
    vidmm_prepare_list(&fixture->use, &fixture->list, &result);
    assert_int_equal(result.outcome, VIDMM_READY);
    assert_true(result.paging_sequence != 0);
    assert_int_equal(vidmm_space_evict_tables(&fixture->space), STATUS_DEVICE_BUSY);
    run(fixture);
    assert_true(mock_mmu_walk(&fixture->gpu, &fixture->space, page + 2).valid);
    vidmm_use_retire(&fixture->use);
    assert_int_equal(vidmm_space_evict_tables(&fixture->space), STATUS_SUCCESS);
}

/* All at once and by the CPU: what is written before the root is told, and nothing of the old ones
 * is invalid before the paging engine has forgotten them. Moves go on through the new ones. */
static void the_paging_space_moves_its_own_tables(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, 2, 0);
    struct vidmm_make_result result;
    struct vidmm_wait wait;
    uint32_t count = fixture->paging.table_count;
    size_t told = 0, flushed = 0, left = 0;

    (void)map(fixture, item);
    run(fixture);
    struct vidmm_root before, after;
    vidmm_space_root(&fixture->paging, &before);
    assert_int_equal(vidmm_space_move_tables(&fixture->paging, &wait), STATUS_SUCCESS);
    run(fixture);
    for (size_t i = 0; i < fixture->gpu.log_count; i++) {
        const struct vidmm_op *op = log_at(fixture, i);
        assert_ptr_equal(op->space, &fixture->paging);
        told = op->kind == VIDMM_OP_SET_ROOT ? i : told;
        flushed = op->kind == VIDMM_OP_FLUSH_TLB ? i : flushed;
        if (op->kind == VIDMM_OP_UPDATE_TABLE) {
            assert_int_equal(op->update.mode, VIDMM_UPDATE_CPU);
            assert_int_equal(op->update.eviction, told != 0);
            assert_true(!op->update.eviction || flushed > told);
            left += op->update.eviction;
        }
    }
    assert_int_equal(left, count);
    assert_int_equal(fixture->paging.table_count, count);
    vidmm_space_root(&fixture->paging, &after);
    assert_int_not_equal(before.place.offset, after.place.offset);
    assert_int_equal(list_one(fixture, item, 0, &result), STATUS_PENDING);
    run(fixture); /* the mock looks where each of them leads */
    assert_int_equal(item->segment, 2);
}

/* An allocation may end while they are away, and so may the space. */
static void what_is_mapped_may_end_while_tables_are_away(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, 2, 0);
    struct vidmm_wait wait;

    (void)map(fixture, item);
    run(fixture);
    assert_int_equal(vidmm_space_evict_tables(&fixture->space), STATUS_SUCCESS);
    run(fixture);
    assert_int_equal(vidmm_allocation_retire(item, &wait), STATUS_SUCCESS);
    run(fixture);
    assert_int_equal(fixture->gpu.log_count, 0);
}

static void system_memory_is_plain_pages(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, 4, 0);
    struct vidmm_make_result result;
    uint64_t page = map(fixture, item) / PAGE;

    assert_int_equal(list_one(fixture, item, 0, &result), STATUS_PENDING);
    run(fixture);
    assert_int_equal(item->segment, 3);
    assert_int_equal(fixture->gpu.log_count, 4 + 2); /* tables; entries and flush, no MAP */
    for (unsigned i = 0; i < 3; i++) {
        struct mock_entry entry = mock_mmu_walk(&fixture->gpu, &fixture->space, page + i);
        assert_true(entry.valid && entry.segment == 0);
        assert_int_equal(entry.offset, item->frames[i] * PAGE);
    }
}

/* What leaves system memory is shown to the driver before, in pieces that scratch has room for. */
static void leaving_system_memory_is_announced(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 30, 4, VIDMM_ALLOCATION_NOTIFY_EVICTION);
    struct vidmm_make_result result;
    struct vidmm_wait wait;

    assert_int_equal(list_one(fixture, item, 0, &result), STATUS_SUCCESS); /* no GPU needed */
    assert_int_equal(vidmm_evict(item, &wait), STATUS_SUCCESS);
    run(fixture);
    EXPECT(fixture, VIDMM_OP_UPDATE_TABLE, VIDMM_OP_FLUSH_TLB, VIDMM_OP_NOTIFY_EVICTION,
           VIDMM_OP_UPDATE_TABLE, VIDMM_OP_FLUSH_TLB);
    assert_int_equal(log_at(fixture, 2)->notice.address, log_at(fixture, 0)->update.address);
    assert_int_equal(log_at(fixture, 2)->notice.size_bytes, 30 * PAGE);
    assert_int_equal(log_at(fixture, 2)->notice.offset, 0);
    struct vidmm_pte pte;
    vidmm_op_entries(log_at(fixture, 0), 29, 1, false, &pte);
    assert_int_equal(pte.offset, item->frames[29] * PAGE);
}

/* Of pages that the space is to show no more the owner hears first, whoever takes them away. */
static void what_is_shown_no_more_is_announced(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, 4, VIDMM_ALLOCATION_NOTIFY_UNMAP);
    struct vidmm_make_result result;
    struct vidmm_wait wait;
    uint64_t address = map(fixture, item);

    assert_true(NT_SUCCESS(list_one(fixture, item, 0, &result)));
    run(fixture);
    assert_int_equal(vidmm_evict(item, &wait), STATUS_SUCCESS);
    run(fixture);
    EXPECT(fixture, VIDMM_OP_NOTIFY_UNMAP, VIDMM_OP_UPDATE_TABLE, VIDMM_OP_FLUSH_TLB);
    assert_ptr_equal(log_at(fixture, 0)->space, &fixture->space);
    assert_ptr_equal(log_at(fixture, 0)->allocation, item);
    assert_int_equal(log_at(fixture, 0)->notice.address, address);
    assert_int_equal(log_at(fixture, 0)->notice.offset, 0);
    assert_int_equal(log_at(fixture, 0)->notice.size_bytes, 3 * PAGE);
    assert_true(NT_SUCCESS(list_one(fixture, item, 0, &result)));
    run(fixture);
    assert_int_equal(vidmm_space_free(&fixture->space, address, 3 * PAGE, &wait), STATUS_SUCCESS);
    run(fixture);
    assert_int_equal(log_at(fixture, 0)->kind, VIDMM_OP_NOTIFY_UNMAP);
    assert_int_equal(log_at(fixture, 1)->kind, VIDMM_OP_UPDATE_TABLE);
    assert_int_equal(log_at(fixture, 1)->update.entries, VIDMM_ENTRIES_INVALID);
}

static void a_context_is_updated_through_scratch(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 2, 2, 0), *large = make(fixture, 33, 3, 0);
    struct vidmm_make_result result;
    const char words[] = "what the driver asked for";
    uint64_t sequence;

    assert_int_equal(vidmm_update_context(item, words, sizeof words, &sequence),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(list_one(fixture, large, 0, &result), STATUS_PENDING);
    assert_int_equal(vidmm_update_context(large, words, sizeof words, &sequence),
                     STATUS_NOT_SUPPORTED);
    assert_int_equal(list_one(fixture, item, 0, &result), STATUS_PENDING);
    run(fixture);
    assert_int_equal(vidmm_update_context(item, words, sizeof words, &sequence), STATUS_SUCCESS);
    run(fixture);
    EXPECT(fixture, VIDMM_OP_UPDATE_TABLE, VIDMM_OP_FLUSH_TLB, VIDMM_OP_UPDATE_CONTEXT,
           VIDMM_OP_UPDATE_TABLE, VIDMM_OP_FLUSH_TLB);
    const struct vidmm_context_work *work = &log_at(fixture, 2)->context;
    assert_int_equal(work->address, log_at(fixture, 0)->update.address);
    assert_int_equal(work->size_bytes, 2 * PAGE);
    assert_ptr_equal(work->private_data, words);
    assert_true(vidmm_paging_reached(fixture->gpu.vidmm, sequence));
}

/* The flush covers what the tables covered, and their memory is free at once. */
static void the_last_mapping_takes_its_tables_along(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, 2, 0);
    struct vidmm_wait wait;
    uint64_t address = map(fixture, item);

    assert_int_equal(fixture->space.table_count, 3);
    run(fixture);
    assert_int_equal(vidmm_space_free(&fixture->space, address, PAGE, &wait),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(vidmm_space_free(&fixture->space, address, 3 * PAGE, &wait), STATUS_SUCCESS);
    assert_int_equal(fixture->space.table_count, 1);
    assert_int_equal(fixture->space.dead_count, 2);
    run(fixture);
    EXPECT(fixture, VIDMM_OP_UPDATE_TABLE, VIDMM_OP_UPDATE_TABLE, VIDMM_OP_FLUSH_TLB);
    assert_int_equal(log_at(fixture, 0)->update.level, 1);
    assert_int_equal(log_at(fixture, 1)->update.level, 2);
    assert_int_equal(log_at(fixture, 2)->flush.start, address);
    assert_int_equal(log_at(fixture, 2)->flush.end, address + 32ull * 32 * PAGE);
    assert_int_equal(fixture->space.dead_count, 0);
    assert_int_equal(vidmm_space_free(&fixture->space, address, 3 * PAGE, &wait),
                     STATUS_INVALID_PARAMETER);
}

/* Walks of the GPU do not stand in the queue: system memory goes back when they cannot come. */
static void tables_in_system_memory_are_freed_behind_the_flush(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, 2, 0);
    struct vidmm_wait wait;
    uint64_t before = ram_free_bytes();
    uint64_t address = map(fixture, item);

    assert_int_equal(ram_free_bytes(), before - 2 * PAGE);
    run(fixture);
    assert_int_equal(vidmm_space_free(&fixture->space, address, 3 * PAGE, &wait), STATUS_SUCCESS);
    for (unsigned i = 0; i < 2; i++) { /* no entry shows them any more, but a TLB may */
        struct vidmm_op *op = vidmm_paging_next(fixture->gpu.vidmm);
        assert_int_equal(op->kind, VIDMM_OP_UPDATE_TABLE);
        mock_mmu_run(&fixture->gpu, op);
        vidmm_paging_done(op, STATUS_SUCCESS);
        assert_int_equal(ram_free_bytes(), before - 2 * PAGE);
    }
    run(fixture);
    assert_int_equal(ram_free_bytes(), before);
}

enum { SHOWN_BUFFERS = 2, SHOWN_PAGES = 3 };

/* Page by page, and the one behind each is nobody's. */
static void assert_shown(struct fixture *fixture, const struct vidmm_space *space,
                         struct vidmm_dma_buffer **buffers)
{
    for (unsigned i = 0; i < SHOWN_BUFFERS; i++) {
        uint64_t first = buffers[i]->virtual_address / PAGE;
        for (unsigned page = 0; page < SHOWN_PAGES; page++) {
            struct mock_entry entry = mock_mmu_walk(&fixture->gpu, space, first + page);
            assert_true(entry.valid);
            assert_int_equal(entry.segment, 0);
            assert_int_equal(entry.offset, buffers[i]->physical_address + page * PAGE);
        }
        assert_false(mock_mmu_walk(&fixture->gpu, space, first + SHOWN_PAGES).valid);
    }
}

/* They are seen before anything can run from them, and again before anything after a reset. */
static void paging_buffers_have_addresses(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_space *space = &fixture->paging;
    struct vidmm_dma_buffer *buffers[SHOWN_BUFFERS];
    struct vidmm_dma_pool pool;
    struct vidmm_wait wait;

    end(fixture, &fixture->space);
    end(fixture, space);
    begin(fixture, space,
          &(struct vidmm_space_options){.kind = VIDMM_SPACE_PAGING,
                                        .scratch_bytes = 32 * PAGE,
                                        .buffer_bytes = SHOWN_BUFFERS * (SHOWN_PAGES + 1) * PAGE});
    begin(fixture, &fixture->space, &(struct vidmm_space_options){.account = &fixture->account});
    const struct vidmm_dma_pool_options options = {
        .size_bytes = SHOWN_PAGES * PAGE, .paging = true, .space = space};
    assert_int_equal(vidmm_dma_pool_init(&pool, fixture->gpu.vidmm, &options), STATUS_SUCCESS);
    for (unsigned i = 0; i < SHOWN_BUFFERS; i++) {
        assert_int_equal(vidmm_dma_acquire(&pool, &buffers[i]), STATUS_SUCCESS);
        assert_true(buffers[i]->paging_sequence != 0);
    }
    for (struct vidmm_op *op; (op = vidmm_paging_next(fixture->gpu.vidmm)) != NULL;) {
        assert_true(vidmm_op_is_immediate(op)); /* there is no command that could do it */
        mock_mmu_run(&fixture->gpu, op);
        vidmm_paging_done(op, STATUS_SUCCESS);
    }
    assert_shown(fixture, space, buffers);
    vidmm_reset(fixture->gpu.vidmm);
    run(fixture);
    assert_shown(fixture, space, buffers);
    for (unsigned i = 0; i < SHOWN_BUFFERS; i++) {
        vidmm_dma_release(buffers[i]);
    }
    run(fixture);
    assert_int_equal(vidmm_dma_pool_retire(&pool, &wait), STATUS_SUCCESS);
    vidmm_dma_pool_fini(&pool);
}

static void what_the_cpu_writes_waits_for_all_before(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, 2, 0);
    struct vidmm_make_result result;

    (void)map(fixture, item);
    run(fixture);
    assert_int_equal(list_one(fixture, item, 0, &result), STATUS_PENDING);
    struct vidmm_op *first = vidmm_paging_next(fixture->gpu.vidmm);
    assert_int_equal(first->kind, VIDMM_OP_UPDATE_TABLE);
    assert_true(vidmm_op_is_immediate(first));
    mock_mmu_run(&fixture->gpu, first);
    vidmm_paging_done(first, STATUS_SUCCESS);
    struct vidmm_op *flush = vidmm_paging_next(fixture->gpu.vidmm);
    struct vidmm_op *fill = vidmm_paging_next(fixture->gpu.vidmm);
    assert_int_equal(flush->kind, VIDMM_OP_FLUSH_TLB);
    assert_int_equal(fill->kind, VIDMM_OP_VIRTUAL_FILL);
    assert_null(vidmm_paging_next(fixture->gpu.vidmm)); /* the scratch is still in use */
    mock_mmu_run(&fixture->gpu, flush);
    vidmm_paging_done(flush, STATUS_SUCCESS);
    assert_null(vidmm_paging_next(fixture->gpu.vidmm));
    mock_mmu_run(&fixture->gpu, fill);
    vidmm_paging_done(fill, STATUS_SUCCESS);
    run(fixture);
    assert_int_equal(fixture->queue.signalled, 1);
}

static void updates_suspend_where_the_driver_asks(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, 2, 0);
    struct vidmm_make_result result;

    (void)map(fixture, item);
    assert_int_equal(list_one(fixture, item, 0, &result), STATUS_PENDING);
    run(fixture);
    for (size_t i = 0; i < fixture->gpu.log_count; i++) {
        const struct vidmm_op *op = log_at(fixture, i);
        assert_int_equal(op->suspend, op->space == &fixture->space);
        /* Nothing that was invalid is flushed [TLB-004]: only what scratch showed. */
        assert_true(op->kind != VIDMM_OP_FLUSH_TLB || op->space == &fixture->paging);
    }
}

static void a_root_of_two_levels_grows(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_root before, after;
    struct vidmm_wait wait;
    uint64_t address;
    struct vidmm_allocation *item = make(fixture, 3, 2, 0);

    vidmm_space_root(&fixture->space, &before);
    assert_int_equal(before.entry_count, 4);
    address = map(fixture, item);
    assert_int_equal(address, LEAF_PAGES * PAGE);
    run(fixture);
    const struct vidmm_reserve_request reserve = {.base = 9 * LEAF_PAGES * PAGE,
                                                  .size_bytes = VIDMM_AREA_BYTES};
    assert_int_equal(vidmm_space_reserve(&fixture->space, &reserve, &address, &wait),
                     STATUS_SUCCESS);
    run(fixture);
    assert_int_equal(fixture->gpu.log_count, 0); /* nothing is there yet */
    const struct vidmm_map_request request = {.allocation = item, .page_count = 2, .base = address};
    assert_int_equal(vidmm_space_map(&fixture->space, &request, &address, &wait), STATUS_SUCCESS);
    vidmm_space_root(&fixture->space, &after);
    assert_int_equal(after.entry_count, 12);
    assert_int_not_equal(after.place.offset, before.place.offset);
    run(fixture);
    /* All invalid, the old entry, the contexts are told, nothing of the old one is left. */
    EXPECT(fixture, VIDMM_OP_UPDATE_TABLE, VIDMM_OP_UPDATE_TABLE, VIDMM_OP_SET_ROOT,
           VIDMM_OP_FLUSH_TLB, VIDMM_OP_UPDATE_TABLE, VIDMM_OP_UPDATE_TABLE);
    assert_true(log_at(fixture, 0)->update.initial);
    assert_int_equal(log_at(fixture, 1)->update.first, 1);
    assert_true(log_at(fixture, 2)->suspend);
    assert_int_equal(log_at(fixture, 2)->root.root.entry_count, 12);
    const struct vidmm_reserve_request too_far = {.base = 33ull * LEAF_PAGES * PAGE,
                                                  .size_bytes = VIDMM_AREA_BYTES};
    assert_int_equal(vidmm_space_reserve(&fixture->space, &too_far, &address, &wait),
                     STATUS_NO_MEMORY);
}

static void requests_that_make_no_sense_are_refused(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 3, 2, 0);
    uint64_t first = fixture->space.page_start * PAGE, address;
    struct vidmm_wait wait;
    const struct {
        struct vidmm_map_request request;
        NTSTATUS status;
    } rows[] = {
        {{.allocation = item}, STATUS_INVALID_PARAMETER},
        {{.allocation = item, .page_count = 4}, STATUS_INVALID_PARAMETER},
        {{.allocation = item, .page_first = 3, .page_count = 1}, STATUS_INVALID_PARAMETER},
        {{.allocation = item, .page_first = UINT64_MAX, .page_count = 2}, STATUS_INVALID_PARAMETER},
        {{.allocation = item, .page_count = 1, .base = first + 1}, STATUS_INVALID_PARAMETER},
        {{.allocation = item, .page_count = 1, .base = PAGE}, STATUS_NO_MEMORY},
        {{.allocation = item, .page_count = 1, .base = ~UINT64_C(0xFFF)}, STATUS_NO_MEMORY},
        {{.allocation = item, .page_count = 1, .minimum = 9, .maximum = 9},
         STATUS_INVALID_PARAMETER},
        {{.allocation = item, .page_count = 3, .minimum = first, .maximum = first + PAGE},
         STATUS_NO_MEMORY},
        {{.page_count = UINT64_MAX, .protection = VIDMM_PROTECT_ZERO}, STATUS_INVALID_PARAMETER},
        {{.page_count = UINT64_C(1) << 36, .protection = VIDMM_PROTECT_ZERO}, STATUS_NO_MEMORY},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(vidmm_space_map(&fixture->space, &rows[i].request, &address, &wait),
                         rows[i].status);
    }
    assert_int_equal(fixture->space.table_count, 1);
    address = map(fixture, item);
    const struct vidmm_map_request again = {.allocation = item, .page_count = 1, .base = address};
    assert_int_equal(vidmm_space_map(&fixture->space, &again, &address, &wait),
                     STATUS_INVALID_PARAMETER);
    const struct vidmm_change nowhere = {
        .kind = VIDMM_CHANGE_UNMAP, .address = address + VIDMM_AREA_BYTES, .size_bytes = PAGE};
    size_t done;
    assert_int_equal(vidmm_space_update(&fixture->space, &nowhere, 1, &done, &wait),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(done, 0);
}

/* Millions of leaves would cover it; there are none, and nobody looks at each. */
static void a_large_reservation_costs_nothing(void **state)
{
    struct fixture *fixture = *state;
    const struct vidmm_reserve_request all = {.size_bytes = 31ull * 1024 * PAGE};
    struct vidmm_allocation *item = make(fixture, 3, 2, 0);
    struct vidmm_wait wait;
    uint64_t address;
    size_t done;

    assert_int_equal(vidmm_space_reserve(&fixture->space, &all, &address, &wait), STATUS_SUCCESS);
    assert_int_equal(fixture->space.table_count, 1);
    const struct vidmm_change changes[] = {
        {.kind = VIDMM_CHANGE_MAP,
         .address = address + 5 * PAGE,
         .size_bytes = 3 * PAGE,
         .allocation = item},
        {.kind = VIDMM_CHANGE_COPY,
         .address = address + all.size_bytes - 3 * PAGE,
         .size_bytes = 3 * PAGE,
         .source_address = address + 5 * PAGE},
    };
    assert_int_equal(vidmm_space_update(&fixture->space, changes, 2, &done, &wait), STATUS_SUCCESS);
    assert_int_equal(done, 2);
    assert_int_equal(fixture->space.table_count, 1 + 2 + 2);
    struct vidmm_translation shown;
    vidmm_space_translate(&fixture->space, address + all.size_bytes - PAGE + 7, &shown);
    assert_ptr_equal(shown.allocation, item);
    assert_int_equal(shown.allocation_offset, 2 * PAGE + 7);
    assert_int_equal(vidmm_space_free(&fixture->space, address, all.size_bytes, &wait),
                     STATUS_SUCCESS);
    assert_int_equal(fixture->space.table_count, 1);
}

/* The CPU writes more tables than it can see at a time. */
static void tables_take_turns_at_being_seen(void **state)
{
    struct fixture *fixture = *state;
    struct vidmm_allocation *item = make(fixture, 4 * LEAF_PAGES, 2, 0);

    fixture->gpu.view_max = 2;
    (void)map(fixture, item);
    run(fixture);
    assert_true(fixture->space.table_count > 4);
    assert_int_equal(fixture->gpu.views, 2);
}

/* Tables and all: what cannot be had changes nothing. */
static void a_mapping_without_room_for_tables_changes_nothing(void **state)
{
    struct fixture *fixture = *state;
    const struct vidmm_reserve_request request = {.size_bytes = 90ull * LEAF_PAGES * PAGE,
                                                  .protection = VIDMM_PROTECT_ZERO};
    struct vidmm_wait wait;
    uint64_t address;

    assert_int_equal(vidmm_space_reserve(&fixture->space, &request, &address, &wait),
                     STATUS_GRAPHICS_NO_VIDEO_MEMORY);
    assert_int_equal(fixture->space.table_count, 1);
    assert_false(vidmm_paging_waiting(fixture->gpu.vidmm));
    struct vidmm_allocation *item = make(fixture, 3, 2, 0);
    assert_int_equal(map(fixture, item), fixture->space.page_start * PAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SPACE_TEST(tables_are_made_with_the_first_mapping),
        SPACE_TEST(memory_comes_through_scratch_and_entries_behind_it),
        SPACE_TEST(tables_leave_memory_and_come_back),
        SPACE_TEST(tables_leave_when_nothing_else_gives_the_room),
        SPACE_TEST(tables_are_there_for_what_runs),
        SPACE_TEST(the_paging_space_moves_its_own_tables),
        SPACE_TEST_OF(the_paging_space_moves_its_own_tables, set_up_by_address),
        SPACE_TEST(what_is_mapped_may_end_while_tables_are_away),
        SPACE_TEST_OF(blocks_leave_by_leaves_of_64k, set_up_blocks),
        SPACE_TEST(memory_goes_after_its_entries_were_flushed),
        SPACE_TEST(system_memory_is_plain_pages),
        SPACE_TEST(leaving_system_memory_is_announced),
        SPACE_TEST(what_is_shown_no_more_is_announced),
        SPACE_TEST(a_context_is_updated_through_scratch),
        SPACE_TEST(the_last_mapping_takes_its_tables_along),
        SPACE_TEST_OF(tables_in_system_memory_are_freed_behind_the_flush, set_up_cpu),
        SPACE_TEST(paging_buffers_have_addresses),
        SPACE_TEST_OF(paging_buffers_have_addresses, set_up_cpu),
        SPACE_TEST_OF(tables_take_turns_at_being_seen, set_up_cpu_in_segment),
        SPACE_TEST_OF(what_the_cpu_writes_waits_for_all_before, set_up_cpu),
        SPACE_TEST_OF(updates_suspend_where_the_driver_asks, set_up_idle),
        SPACE_TEST_OF(a_root_of_two_levels_grows, set_up_two_levels),
        SPACE_TEST(requests_that_make_no_sense_are_refused),
        SPACE_TEST(a_large_reservation_costs_nothing),
        SPACE_TEST(a_mapping_without_room_for_tables_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

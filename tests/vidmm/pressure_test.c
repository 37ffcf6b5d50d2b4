/* Random work on three times more allocations than fit, by two processes and two nodes, with paging
 * that lags behind. Every page of every allocation carries who it is and which version; the GPU
 * checks that whenever it runs, at the address that prepare promised. */
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vidmm/mock_gpu.h"

enum {
    ALLOCATION_COUNT = 96,
    PACKET_COUNT = 24,
    REFERENCE_MAX = 8,
    NODE_COUNT = 2,
};

struct item {
    struct vidmm_allocation base;
    bool live, retiring, offered, locked;
    uint32_t id, version; /* version 0: the fill pattern */
    uint32_t packets;     /* that are not retired */
    uint8_t *view;
};

enum packet_state { PACKET_FREE, PACKET_WANTS, PACKET_READY, PACKET_RAN };

struct packet {
    struct vidmm_use use;
    enum packet_state state;
    struct item *items[REFERENCE_MAX];
    struct vidmm_reference references[REFERENCE_MAX];
    struct vidmm_location places[REFERENCE_MAX];
    size_t count, first, end;
    uint64_t paging_sequence, order;
    unsigned node;
};

struct variant {
    uint64_t seed, ram_bytes, transfer_bytes_max;
    bool clean_discard, evict_before_spill, shadow, resets;
    const struct vidmm_policy *policy;
    bool hard;         /* resets come with work in flight */
    unsigned reset_at; /* one comes at this step; 0: none */
};

struct world {
    struct mock_gpu gpu;
    struct vidmm_account accounts[2];
    struct item items[ALLOCATION_COUNT];
    struct packet packets[PACKET_COUNT];
    uint64_t random, next_order, ran, splits, waits, failures, no_memory, resets;
    uint32_t next_id;
    uint32_t fill_pattern;
    bool shadow;
};

/* ---- Content --------------------------------------------------------------------------------- */

static uint64_t page_word(const struct item *item, uint64_t page)
{
    return item->version == 0
               ? 0
               : (uint64_t)item->id << 40 ^ (uint64_t)item->version << 16 ^ page << 1 ^ 1;
}

static uint64_t expected_word(const struct world *world, const struct item *item, uint64_t page)
{
    uint64_t pattern = world->fill_pattern | (uint64_t)world->fill_pattern << 32;

    return item->version == 0 ? pattern : page_word(item, page);
}

static void check_page(const struct world *world, const struct item *item, uint64_t page,
                       const uint8_t *bytes)
{
    uint64_t first, last, expected = expected_word(world, item, page);

    memcpy(&first, bytes, 8);
    memcpy(&last, bytes + VIDMM_PAGE_BYTES - 8, 8);
    assert_int_equal(first, expected);
    assert_int_equal(last, expected);
}

static void write_page(const struct item *item, uint64_t page, uint8_t *bytes)
{
    uint64_t word = page_word(item, page);

    memcpy(bytes, &word, 8);
    memcpy(bytes + VIDMM_PAGE_BYTES - 8, &word, 8);
}

static uint64_t pages_of(const struct item *item)
{
    return item->base.size_bytes / VIDMM_PAGE_BYTES;
}

/* ---- Allocations ----------------------------------------------------------------------------- */

static void create_item(struct world *world, struct item *item)
{
    uint64_t *random = &world->random;
    uint32_t memory = VIDMM_SEGMENT_BIT(1) | VIDMM_SEGMENT_BIT(2), aperture = VIDMM_SEGMENT_BIT(3);
    static const uint32_t sets[] = {1, 2, 3, 4, 5, 6, 7};
    uint32_t set = sets[mock_below(random, 7)];
    struct vidmm_allocation_options options = {
        .size_bytes = (1 + mock_below(random, mock_below(random, 4) ? 12 : 90)) * 4096 - 100,
        .alignment_bytes = mock_below(random, 4) ? 0 : 4096u << mock_below(random, 5),
        .read_segments = set,
        .write_segments = set,
        .priority = mock_below(random, 5) ? 100 : 50,
        .account = &world->accounts[mock_below(random, 2)],
        .flags = mock_below(random, 3) ? VIDMM_ALLOCATION_CPU_VISIBLE : 0,
        .object = world->next_id + 1,
    };
    if (mock_below(random, 4) == 0) {
        options.flags |= VIDMM_ALLOCATION_SWIZZLED;
    }
    if (mock_below(random, 3) == 0 && (set & memory)) {
        options.eviction_segments = aperture;
    }
    if (mock_below(random, 2)) {
        options.preferences[0].segment = (unsigned)__builtin_ctz(set) + 1;
        options.preferences[0].from_end = mock_below(random, 2);
    }
    *item = (struct item){.id = ++world->next_id, .live = true};
    NTSTATUS status = vidmm_allocation_init(&item->base, world->gpu.vidmm, &options);
    assert_int_equal(status, STATUS_SUCCESS);
}

/* Goes a step towards the end of the allocation. */
static void destroy_step(struct world *world, struct item *item)
{
    struct vidmm_wait wait;

    if (item->locked || item->packets > 0) {
        return;
    }
    NTSTATUS status = vidmm_allocation_retire(&item->base, &wait);
    item->retiring = true;
    if (status == STATUS_PENDING) { /* operations of before a reset are still in somebody's hand */
        assert_int_equal(wait.kind, VIDMM_WAIT_OWNER);
        assert_true(world->gpu.held_count > 0);
        return;
    }
    assert_int_equal(status, STATUS_SUCCESS);
    if (wait.paging_sequence == 0) {
        vidmm_allocation_fini(&item->base);
        item->live = false;
    }
}

static void check_item(struct world *world, struct item *item)
{
    uint8_t *bytes = malloc(item->base.size_bytes);

    mock_gpu_read(&world->gpu, &item->base, 0, bytes, item->base.size_bytes);
    for (uint64_t page = 0; page < pages_of(item); page++) {
        check_page(world, item, page, bytes + page * VIDMM_PAGE_BYTES);
    }
    free(bytes);
}

/* ---- Packets --------------------------------------------------------------------------------- */

static void try_prepare(struct world *world, struct packet *packet)
{
    const struct vidmm_prepare_request request = {.references = packet->references,
                                                  .count = packet->count,
                                                  .first = packet->first,
                                                  .may_split = packet->node == 0};
    struct vidmm_prepare_result result;

    vidmm_prepare(&packet->use, &request, &result);
    switch (result.outcome) {
    case VIDMM_READY:
    case VIDMM_SPLIT:
        world->splits += result.outcome == VIDMM_SPLIT;
        assert_true(result.outcome == VIDMM_SPLIT || result.end == packet->count);
        assert_true(result.end > packet->first);
        packet->end = result.end;
        packet->paging_sequence = result.paging_sequence;
        for (size_t i = packet->first; i < packet->end; i++) {
            vidmm_allocation_location(&packet->items[i]->base, &packet->places[i]);
            assert_int_not_equal(packet->places[i].segment, 0);
        }
        packet->state = PACKET_READY;
        packet->order = ++world->next_order;
        break;
    case VIDMM_WAIT:
        assert_int_not_equal(result.wait.kind, VIDMM_WAIT_NONE);
        world->waits++;
        break;
    case VIDMM_FAILED:
        world->failures++;
        world->no_memory += result.status == STATUS_NO_MEMORY;
        for (size_t i = 0; i < packet->count; i++) {
            packet->items[i]->packets--;
        }
        packet->state = PACKET_FREE;
        break;
    }
}

static bool usable(const struct item *item)
{
    return item->live && !item->retiring && !item->offered && !item->locked;
}

static void new_packet(struct world *world, struct packet *packet)
{
    uint64_t *random = &world->random;
    size_t wanted = 1 + mock_below(random, REFERENCE_MAX);

    packet->count = packet->first = 0;
    for (size_t i = 0; i < wanted; i++) {
        struct item *item = &world->items[mock_below(random, ALLOCATION_COUNT)];
        if (!usable(item)) {
            continue;
        }
        item->packets++;
        packet->items[packet->count] = item;
        packet->references[packet->count++] = (struct vidmm_reference){
            .allocation = &item->base, .write = mock_below(random, 3) == 0, .slot = (uint32_t)i};
    }
    if (packet->count > 0) {
        packet->node = (unsigned)mock_below(random, NODE_COUNT);
        packet->state = PACKET_WANTS;
        try_prepare(world, packet);
    }
}

static void gpu_access(struct world *world, struct item *item, const struct vidmm_location *place,
                       bool write)
{
    for (uint64_t page = 0; page < pages_of(item); page++) {
        check_page(world, item, page,
                   mock_gpu_at(&world->gpu, place->segment, place->offset + page * 4096));
    }
    if (!write) {
        return;
    }
    item->version++;
    for (uint64_t page = 0; page < pages_of(item); page++) {
        write_page(item, page,
                   mock_gpu_at(&world->gpu, place->segment, place->offset + page * 4096));
    }
}

/* The oldest ready packet of a node runs, if its paging is over. */
static void run_packet(struct world *world, unsigned node)
{
    struct packet *oldest = NULL;

    for (unsigned i = 0; i < PACKET_COUNT; i++) {
        struct packet *packet = &world->packets[i];
        if (packet->state == PACKET_READY && packet->node == node &&
            (!oldest || packet->order < oldest->order)) {
            oldest = packet;
        }
    }
    if (!oldest || !vidmm_paging_reached(world->gpu.vidmm, oldest->paging_sequence)) {
        return;
    }
    vidmm_use_submitted(&oldest->use, node, oldest->order);
    for (size_t i = oldest->first; i < oldest->end; i++) {
        struct vidmm_location now;
        vidmm_allocation_location(&oldest->items[i]->base, &now);
        assert_int_equal(now.segment, oldest->places[i].segment);
        assert_int_equal(now.offset, oldest->places[i].offset);
        gpu_access(world, oldest->items[i], &oldest->places[i], oldest->references[i].write);
    }
    world->ran++;
    oldest->state = PACKET_RAN;
}

static void retire_packet(struct world *world, struct packet *packet)
{
    vidmm_use_retire(&packet->use);
    if (packet->end < packet->count) { /* the rest after a split */
        packet->first = packet->end;
        packet->state = PACKET_WANTS;
        try_prepare(world, packet);
        return;
    }
    for (size_t i = 0; i < packet->count; i++) {
        packet->items[i]->packets--;
    }
    packet->state = PACKET_FREE;
}

/* ---- The CPU, offers, resets ----------------------------------------------------------------- */

static void lock_step(struct world *world, struct item *item)
{
    struct vidmm_wait wait;
    void *view;
    bool write = mock_below(&world->random, 2);

    if (item->locked) {
        for (uint64_t page = 0; page < pages_of(item); page++) {
            check_page(world, item, page, item->view + page * 4096);
        }
        assert_int_equal(vidmm_unlock(&item->base), STATUS_SUCCESS);
        item->locked = false;
        return;
    }
    if (!usable(item) || item->packets > 0) {
        return;
    }
    NTSTATUS status = vidmm_lock(&item->base, write ? 0 : VIDMM_LOCK_READ_ONLY, &view, &wait);
    if (status != STATUS_SUCCESS) {
        assert_true(status == STATUS_PENDING || status == STATUS_NO_MEMORY ||
                    status == STATUS_INVALID_PARAMETER);
        return;
    }
    item->view = view;
    item->locked = true;
    for (uint64_t page = 0; page < pages_of(item); page++) {
        check_page(world, item, page, item->view + page * 4096);
    }
    if (write) {
        item->version++;
        for (uint64_t page = 0; page < pages_of(item); page++) {
            write_page(item, page, item->view + page * 4096);
        }
    }
}

static void offer_step(struct item *item)
{
    struct vidmm_wait wait;
    bool discarded;

    if (item->offered) {
        vidmm_reclaim(&item->base, &discarded);
        item->offered = false;
        item->version = discarded ? 0 : item->version;
    } else if (usable(item) && item->packets == 0) {
        item->offered = vidmm_offer(&item->base, &wait) == STATUS_SUCCESS;
    }
}

/* Nobody has anything in place, and nothing is known to be. */
static void check_empty(struct world *world)
{
    for (unsigned i = 0; i < PACKET_COUNT; i++) {
        assert_int_equal(world->packets[i].use.pinned_count, 0);
    }
    for (unsigned i = 0; i < ALLOCATION_COUNT; i++) {
        const struct item *item = &world->items[i];
        if (item->live) {
            assert_int_equal(item->base.segment, 0);
            assert_int_equal(item->base.use_count, 0);
            assert_int_equal(item->base.known_segment, 0);
        }
    }
    for (uint64_t page = 0; page < world->gpu.size_bytes[2] / 4096; page++) {
        assert_false(world->gpu.mapped[2][page]);
    }
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(world->accounts[i].usage_bytes[VIDMM_GROUP_LOCAL], 0);
        assert_int_equal(world->accounts[i].usage_bytes[VIDMM_GROUP_NON_LOCAL], 0);
    }
}

static void note_losses(struct world *world)
{
    for (unsigned i = 0; i < ALLOCATION_COUNT; i++) {
        struct item *item = &world->items[i];
        if (item->live && item->base.lost) {
            item->version = 0;
        }
    }
}

/* An owner that puts his things in order before. */
static void tidy_reset(struct world *world)
{
    for (unsigned i = 0; i < PACKET_COUNT; i++) {
        struct packet *packet = &world->packets[i];
        if (packet->state != PACKET_FREE) {
            packet->end = packet->count;
            retire_packet(world, packet);
        }
    }
    for (unsigned i = 0; i < ALLOCATION_COUNT; i++) {
        if (world->items[i].live && world->items[i].locked) {
            lock_step(world, &world->items[i]);
        }
    }
    mock_gpu_reset(&world->gpu, false);
    for (unsigned i = 0; i < ALLOCATION_COUNT; i++) {
        if (world->items[i].live && world->items[i].retiring) {
            destroy_step(world, &world->items[i]);
        }
    }
    mock_gpu_run_all(&world->gpu);
}

/* With work in flight: packets that pin, operations in hand, locks. */
static void hard_reset(struct world *world)
{
    mock_gpu_reset(&world->gpu, true);
    for (unsigned i = 0; i < PACKET_COUNT; i++) {
        struct packet *packet = &world->packets[i];
        bool pinned = packet->state == PACKET_READY || packet->state == PACKET_RAN;
        assert_true(!pinned || vidmm_use_revoked(&packet->use));
        if (packet->state == PACKET_READY) {
            packet->state = PACKET_WANTS; /* it never ran: from the start */
        }
    }
    for (unsigned i = 0; i < ALLOCATION_COUNT; i++) {
        struct item *item = &world->items[i];
        if (item->live && item->locked && item->base.view_is_segment) {
            assert_int_equal(vidmm_unlock(&item->base), STATUS_SUCCESS); /* shows garbage */
            item->locked = false;
        }
    }
}

static void reset(struct world *world, bool hard)
{
    if (hard) {
        hard_reset(world);
    } else {
        tidy_reset(world);
    }
    note_losses(world);
    check_empty(world);
    world->resets++;
}

/* ---- The test -------------------------------------------------------------------------------- */

static void step(struct world *world, const struct variant *variant)
{
    uint64_t *random = &world->random;
    struct item *item = &world->items[mock_below(random, ALLOCATION_COUNT)];
    struct packet *packet = &world->packets[mock_below(random, PACKET_COUNT)];
    struct vidmm_wait wait;

    switch (mock_below(random, variant->resets ? 1000 : 999)) {
    case 0 ... 199:
        mock_gpu_pull(&world->gpu);
        break;
    case 200 ... 449:
        for (uint64_t i = mock_below(random, 24); i > 0 && mock_gpu_run_one(&world->gpu); i--) {
            if (world->shadow) { /* they come one at a time */
                mock_gpu_pull(&world->gpu);
            }
        }
        break;
    case 450 ... 599:
        run_packet(world, (unsigned)mock_below(random, NODE_COUNT));
        break;
    case 600 ... 899:
        if (packet->state == PACKET_FREE) {
            new_packet(world, packet);
        } else if (packet->state == PACKET_WANTS) {
            try_prepare(world, packet);
        } else if (packet->state == PACKET_RAN) {
            retire_packet(world, packet);
        }
        break;
    case 900 ... 929:
        if (item->live) {
            lock_step(world, item);
        }
        break;
    case 930 ... 949:
        if (item->live && !item->retiring) {
            offer_step(item);
        }
        break;
    case 950 ... 969:
        if (item->live) {
            destroy_step(world, item);
        } else {
            create_item(world, item);
        }
        break;
    case 970 ... 984:
        if (usable(item)) {
            NTSTATUS status = vidmm_evict(&item->base, &wait);
            assert_true(NT_SUCCESS(status) || status == STATUS_NO_MEMORY);
        }
        break;
    case 985 ... 998:
        if (item->live) {
            vidmm_allocation_set_priority(&item->base, (uint32_t)mock_below(random, 200));
        }
        break;
    default:
        reset(world, variant->hard);
    }
    if (world->gpu.held_count > 0 && mock_below(random, 8) == 0) {
        mock_gpu_let_go(&world->gpu);
    }
}

static void finish(struct world *world)
{
    while (world->gpu.held_count > 0) {
        mock_gpu_let_go(&world->gpu);
    }
    for (bool busy = true; busy;) {
        busy = false;
        mock_gpu_run_all(&world->gpu);
        for (unsigned i = 0; i < ALLOCATION_COUNT; i++) { /* locks may be in the way */
            if (world->items[i].live && world->items[i].locked) {
                lock_step(world, &world->items[i]);
            }
        }
        for (unsigned i = 0; i < PACKET_COUNT; i++) {
            struct packet *packet = &world->packets[i];
            busy |= packet->state != PACKET_FREE;
            if (packet->state == PACKET_WANTS) {
                try_prepare(world, packet);
            } else if (packet->state == PACKET_READY) {
                run_packet(world, packet->node);
            } else if (packet->state == PACKET_RAN) {
                retire_packet(world, packet);
            }
        }
    }
    mock_gpu_run_all(&world->gpu);
    for (unsigned i = 0; i < ALLOCATION_COUNT; i++) {
        struct item *item = &world->items[i];
        if (item->live && item->offered) {
            offer_step(item);
        }
        if (item->live && !item->retiring) {
            check_item(world, item);
        }
        while (item->live) {
            destroy_step(world, item);
            mock_gpu_run_all(&world->gpu);
        }
    }
    for (unsigned i = 0; i < PACKET_COUNT; i++) {
        vidmm_use_fini(&world->packets[i].use);
    }
    vidmm_account_fini(&world->accounts[0]);
    vidmm_account_fini(&world->accounts[1]);
}

static uint64_t seed_offset; /* the first argument of the program */

/* What must be the same when the same seed runs again. */
struct outcome {
    struct vidmm_statistics statistics;
    uint64_t ran, splits, waits, failures, resets;
};

static void run_variant(const struct variant *variant, unsigned steps, struct outcome *out)
{
    const struct vidmm_segment_options segments[] = {
        {.flags = VIDMM_SEGMENT_CPU_VISIBLE, .base_address = 0x10000000, .size_bytes = 1 << 20},
        {.base_address = 0x20000000, .size_bytes = 512 << 10},
        {.flags = VIDMM_SEGMENT_APERTURE | VIDMM_SEGMENT_CACHE_COHERENT,
         .base_address = 0x40000000,
         .size_bytes = 512 << 10,
         .commit_limit_bytes = 450 << 10,
         .group = VIDMM_GROUP_NON_LOCAL},
    };
    struct world *world = calloc(1, sizeof(*world));
    struct vidmm_config config = {
        .segments = segments,
        .segment_count = 3,
        .transfer_bytes_max = variant->transfer_bytes_max,
        .evict_clean_by_discard = variant->clean_discard,
        .evict_before_spill = variant->evict_before_spill,
        .policy = variant->policy,
        .fill_pattern = 0x5A17C0DE,
    };

    world->random = variant->seed + seed_offset;
    world->fill_pattern = config.fill_pattern;
    world->shadow = variant->shadow;
    mock_gpu_init(&world->gpu, &config, variant->ram_bytes);
    vidmm_shadow_enable(world->gpu.vidmm, variant->shadow);
    for (unsigned i = 0; i < 2; i++) {
        vidmm_account_init(&world->accounts[i], world->gpu.vidmm);
    }
    for (unsigned i = 0; i < PACKET_COUNT; i++) {
        vidmm_use_init(&world->packets[i].use, world->gpu.vidmm);
    }
    for (unsigned i = 0; i < ALLOCATION_COUNT; i++) {
        create_item(world, &world->items[i]);
    }
    world->gpu.slow_build = variant->hard;
    for (unsigned i = 1; i <= steps; i++) {
        step(world, variant);
        if (i == variant->reset_at) {
            reset(world, true);
        }
    }
    world->gpu.slow_build = false;
    finish(world);
    vidmm_statistics(world->gpu.vidmm, &out->statistics);
    out->ran = world->ran;
    out->splits = world->splits;
    out->waits = world->waits;
    out->failures = world->failures;
    assert_int_equal(world->gpu.mismatch_count, 0);
    mock_gpu_fini(&world->gpu);
    out->resets = world->resets;
    free(world);
}

static const struct variant variants[] = {
    {1, 64 << 20, 0, false, false, false, false, &vidmm_policy_etr},
    {2, 64 << 20, 4096, true, false, false, false, &vidmm_policy_lru},
    {3, 64 << 20, 65536, false, true, false, true, &vidmm_policy_etr},
    {4, 64 << 20, 0, true, true, false, true, &vidmm_policy_mru},
    {5, 64 << 20, 16384, true, false, true, false, &vidmm_policy_etr},
    {26, 4 << 20, 0, false, false, false, false,
     &vidmm_policy_etr}, /* too little RAM for the backing stores */
    {7, 4 << 20, 8192, true, true, true, true, &vidmm_policy_lru},
    {8, 64 << 20, 8192, false, false, false, true, &vidmm_policy_etr, .hard = true},
    {9, 4 << 20, 0, true, true, false, true, &vidmm_policy_etr, .hard = true},
    {10, 64 << 20, 16384, true, false, true, true, &vidmm_policy_lru, .hard = true},
};

static void no_byte_is_lost_under_pressure(void **state)
{
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
        struct outcome outcome;
        print_message("seed %llu\n", (unsigned long long)(variants[i].seed + seed_offset));
        run_variant(&variants[i], 12000, &outcome);
        assert_true(outcome.ran > 120);
        assert_true(!variants[i].hard || outcome.resets > 3);
        assert_true(outcome.statistics.paged_in_bytes > 0 &&
                    outcome.statistics.paged_out_bytes > 0);
        assert_true(outcome.statistics.operations[VIDMM_OP_UNMAP_APERTURE] > 0);
        assert_true(outcome.waits > 0 && (outcome.splits > 0 || seed_offset != 0));
        print_message("ran %llu splits %llu waits %llu failures %llu in %llu out %llu MiB\n",
                      (unsigned long long)outcome.ran, (unsigned long long)outcome.splits,
                      (unsigned long long)outcome.waits, (unsigned long long)outcome.failures,
                      (unsigned long long)outcome.statistics.paged_in_bytes >> 20,
                      (unsigned long long)outcome.statistics.paged_out_bytes >> 20);
    }
}

/* The same steps again and again, with one reset behind each of them in turn. */
static void a_reset_at_any_step_loses_nothing_but_what_it_must(void **state)
{
    enum { STEPS = 150 };
    struct variant variant = {11,    64 << 20,          8192,        false, false, false,
                              false, &vidmm_policy_etr, .hard = true};
    struct outcome outcome;
    uint64_t lost_bytes = 0;

    for (variant.reset_at = 1; variant.reset_at <= STEPS; variant.reset_at++) {
        run_variant(&variant, STEPS, &outcome);
        assert_int_equal(outcome.resets, 1);
        lost_bytes += outcome.statistics.lost_bytes;
    }
    assert_true(lost_bytes > 0);
}

static void the_same_seed_gives_the_same_run(void **state)
{
    struct outcome first, second;

    memset(&first, 0, sizeof(first));
    memset(&second, 0, sizeof(second));
    run_variant(&variants[2], 4000, &first);
    void *shift = malloc(12345); /* other addresses than before */
    run_variant(&variants[2], 4000, &second);
    free(shift);
    assert_memory_equal(&first, &second, sizeof(first));
}

int main(int argc, char **argv)
{
    seed_offset = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_byte_is_lost_under_pressure),
        cmocka_unit_test(a_reset_at_any_step_loses_nothing_but_what_it_must),
        cmocka_unit_test(the_same_seed_gives_the_same_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What clients do with memory beside making it resident: they bring their own, offer what they do
 * not need just now, want it again, reserve a share, and let go when they are told to trim. */
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vidmm/space_model.h"

/* ---- Memory of the client's own -------------------------------------------------------------- */

const uint64_t *client_memory(struct world *world, struct item *item, uint64_t page_count)
{
    const struct ram_request request = {.page_count = page_count};

    if (below(world, 5) != 0) {
        return NULL;
    }
    item->memory = calloc(page_count, sizeof *item->memory);
    assert_non_null(item->memory);
    if (ram_alloc_frames(&request, item->memory) != STATUS_SUCCESS) {
        free(item->memory);
        return item->memory = NULL;
    }
    item->memory_pages = page_count;
    for (uint64_t page = 0; page < page_count; page++) {
        uint64_t word = item_stamp(item, page);
        uint8_t *bytes = ram_at(item->memory[page] * PAGE, PAGE);
        memcpy(bytes, &word, sizeof word);
        memcpy(bytes + PAGE - sizeof word, &word, sizeof word);
    }
    item->stamped = true;
    return item->memory;
}

void client_memory_end(struct item *item)
{
    if (item->memory) {
        ram_free_frames(item->memory, item->memory_pages);
        free(item->memory);
        item->memory = NULL;
    }
}

/* ---- Offers ---------------------------------------------------------------------------------- */

static void step_offer(struct world *world)
{
    struct item *item = any_item(world);
    struct vidmm_wait wait;

    if (item) {
        NTSTATUS status = vidmm_offer(&item->base, &wait);
        assert_true(status == STATUS_SUCCESS || status == STATUS_PENDING);
        world->offers += status == STATUS_SUCCESS;
    }
}

/* What was thrown away comes back as what nobody wrote to; until then its bytes are nobody's. */
static void step_reclaim(struct world *world, unsigned s)
{
    struct item *item = any_item(world);
    bool discarded = false;
    uint64_t value;

    if (!item) {
        return;
    }
    struct vidmm_allocation *one = &item->base;
    const struct vidmm_reclaim_request request = {
        .allocations = &one, .count = 1, .discarded = &discarded};
    NTSTATUS status = vidmm_reclaim_list(&world->queue, &world->lists[s], &request, &value);
    assert_true(status == STATUS_SUCCESS || status == STATUS_PENDING || status == STATUS_NO_MEMORY);
    if (status == STATUS_NO_MEMORY) {
        return;
    }
    assert_int_equal(status == STATUS_PENDING, value != 0);
    assert_false(item->base.offered);
    if (discarded) {
        item->stamped = false;
        item->base.lost = false;
        world->discards++;
    }
}

/* ---- Shares ---------------------------------------------------------------------------------- */

static void step_reserve_share(struct world *world)
{
    enum vidmm_group group = (enum vidmm_group)below(world, VIDMM_GROUP_COUNT);
    uint64_t bytes = below(world, 4) ? below(world, 256) * PAGE : below(world, UINT64_MAX);
    struct vidmm_account_info before, after;

    vidmm_account_info(&world->account, group, &before);
    NTSTATUS status = vidmm_account_reserve(&world->account, group, bytes);
    vidmm_account_info(&world->account, group, &after);
    assert_int_equal(status,
                     bytes > before.reservable_bytes ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS);
    assert_int_equal(after.reservation_bytes,
                     status == STATUS_SUCCESS ? bytes : before.reservation_bytes);
}

/* A notice says by how much the process is over its share; the client lets go of what it offered,
 * and of what is listed. */
static void step_trim(struct world *world, unsigned s)
{
    const struct vidmm_trim trim = {.wanted_bytes =
                                        below(world, 2) ? UINT64_MAX : below(world, 64) * PAGE,
                                    .only_out = below(world, 2)};
    struct vidmm_pressure pressure;
    uint64_t over = vidmm_account_over(&world->account), left = 0;

    vidmm_pressure(world->gpu.vidmm, &pressure);
    assert_true(pressure.evictions >= world->pressure.evictions &&
                pressure.share_changes >= world->pressure.share_changes);
    world->pressure = pressure;
    (void)vidmm_account_trim(&world->account, &trim);
    for (unsigned i = 0; over > 0 && i < ITEM_MAX; i++) {
        struct item *item = &world->items[i];
        struct vidmm_allocation *one = &item->base;
        while (item->live && item->listed[s] > 0 && left < over) {
            assert_int_equal(vidmm_evict_list(&world->lists[s], &one, 1, &left), STATUS_SUCCESS);
            left = left == 0 ? over : 0; /* until the list is within its share */
            item->listed[s]--;
        }
    }
}

void step_client(struct world *world, unsigned s)
{
    switch (below(world, 6)) {
    case 0:
    case 1:
        step_offer(world);
        break;
    case 2:
    case 3:
        step_reclaim(world, s);
        break;
    case 4:
        step_reserve_share(world);
        break;
    default:
        step_trim(world, s);
        break;
    }
}

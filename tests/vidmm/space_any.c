/* Requests for addresses as a hostile client may make them: of any address, size and offset. What
 * succeeds has to be right, and the model learns it or it is taken back. */
#include <assert.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vidmm/space_model.h"

/* Numbers at which arithmetic goes wrong, and some that are right. */
static uint64_t any_number(struct world *world, unsigned s)
{
    const struct area *area = &world->areas[s][below(world, AREA_MAX)];

    switch (below(world, 10)) {
    case 0:
        return 0;
    case 1:
        return below(world, 256) * PAGE;
    case 2:
        return UINT64_MAX - below(world, 65536);
    case 3:
        return UINT64_C(1) << below(world, 64);
    case 4:
        return area->address + below(world, 3) * PAGE;
    case 5:
        return area->size_bytes;
    case 6:
        return (world->spaces[s].page_start + below(world, MODEL_PAGES)) * PAGE;
    case 7:
        return (UINT64_C(1) << 48) - below(world, 256) * PAGE;
    case 8:
        return below(world, 256);
    default:
        return below(world, UINT64_MAX);
    }
}

static struct area *area_around(struct world *world, unsigned s, uint64_t address, uint64_t bytes)
{
    for (unsigned i = 0; i < AREA_MAX; i++) {
        struct area *area = &world->areas[s][i];
        uint64_t given = (area->size_bytes + VIDMM_AREA_BYTES - 1) / VIDMM_AREA_BYTES;
        if (address >= area->address && address - area->address < given * VIDMM_AREA_BYTES &&
            bytes <= given * VIDMM_AREA_BYTES - (address - area->address)) {
            return area;
        }
    }
    return NULL;
}

/* Nobody keeps it. */
static void free_at_once(struct world *world, unsigned s, uint64_t address, uint64_t bytes)
{
    struct vidmm_wait wait;
    NTSTATUS status;

    while ((status = vidmm_space_free(&world->spaces[s], address, bytes, &wait)) ==
           STATUS_PENDING) {
        mock_gpu_run_all(&world->gpu);
        vidmm_use_retire(&world->use);
        world->running = false;
    }
    assert_int_equal(status, STATUS_SUCCESS);
}

static void any_map(struct world *world, unsigned s)
{
    struct item *item = any_item(world);
    struct vidmm_wait wait;
    uint64_t address;
    bool zero = !item && below(world, 2);
    const struct vidmm_map_request request = {
        .allocation = item ? &item->base : NULL,
        .base = any_number(world, s),
        .minimum = any_number(world, s),
        .maximum = any_number(world, s),
        .page_first = any_number(world, s),
        .page_count = any_number(world, s),
        .protection = item   ? VIDMM_PROTECT_WRITE
                      : zero ? VIDMM_PROTECT_ZERO
                             : VIDMM_PROTECT_NO_ACCESS,
    };

    if (vidmm_space_map(&world->spaces[s], &request, &address, &wait) != STATUS_SUCCESS) {
        return;
    }
    assert_true(request.base == 0 || address == request.base);
    uint64_t bytes = request.page_count * PAGE;
    struct area *around = area_around(world, s, address, bytes);
    if (around) {
        const struct shown shown = {
            .item = item, .page = (uint32_t)request.page_first, .zero = zero};
        show(world, s, address / PAGE, &shown, request.page_count);
    } else {
        free_at_once(world, s, address, bytes);
    }
}

static void any_reserve(struct world *world, unsigned s)
{
    struct vidmm_wait wait;
    uint64_t address;
    const struct vidmm_reserve_request request = {
        .base = any_number(world, s),
        .minimum = any_number(world, s),
        .maximum = any_number(world, s),
        .size_bytes = any_number(world, s),
        .protection = below(world, 3) ? VIDMM_PROTECT_NO_ACCESS : VIDMM_PROTECT_ZERO,
    };

    if (vidmm_space_reserve(&world->spaces[s], &request, &address, &wait) == STATUS_SUCCESS) {
        assert_true(request.base == 0 || address == request.base);
        free_at_once(world, s, address, request.size_bytes);
    }
}

static void any_free(struct world *world, unsigned s)
{
    uint64_t address = any_number(world, s), bytes = any_number(world, s);
    struct vidmm_wait wait;

    if (vidmm_space_free(&world->spaces[s], address, bytes, &wait) != STATUS_SUCCESS) {
        return;
    }
    for (unsigned i = 0; i < AREA_MAX; i++) {
        struct area *area = &world->areas[s][i];
        if (area->address == address && area->size_bytes == bytes) {
            forget_area(world, s, area);
            *area = (struct area){0};
            return;
        }
    }
    fail_msg("0x%" PRIX64 " bytes at 0x%" PRIX64 " were freed, and never given", bytes, address);
}

static void model_change(struct world *world, unsigned s, const struct vidmm_change *change)
{
    uint64_t page = change->address / PAGE, count = change->size_bytes / PAGE;
    uint64_t window = change->allocation_size ? change->allocation_size / PAGE : count;
    struct item *item =
        change->allocation ? container_of(change->allocation, struct item, base) : NULL;

    assert_true(count > 0 && page >= world->spaces[s].page_start &&
                page - world->spaces[s].page_start <= MODEL_PAGES - count);
    for (uint64_t i = 0; i < count; i++) {
        struct shown shown = {0};
        if (change->kind == VIDMM_CHANGE_MAP) {
            shown.item = item;
            shown.page = (uint32_t)(change->allocation_offset / PAGE + i % window);
        } else if (change->kind == VIDMM_CHANGE_COPY) {
            shown =
                world->model[s][change->source_address / PAGE + i - world->spaces[s].page_start];
        }
        show(world, s, page + i, &shown, 1);
    }
}

static void any_change(struct world *world, unsigned s)
{
    struct item *item = any_item(world);
    struct vidmm_wait wait;
    size_t done;
    struct vidmm_change change = {
        .kind = (enum vidmm_change_kind)below(world, 3),
        .address = any_number(world, s),
        .size_bytes = any_number(world, s),
        .allocation_offset = any_number(world, s),
        .allocation_size = any_number(world, s),
        .source_address = any_number(world, s),
    };

    change.protection =
        change.kind == VIDMM_CHANGE_MAP ? VIDMM_PROTECT_WRITE : VIDMM_PROTECT_NO_ACCESS;
    change.allocation = change.kind == VIDMM_CHANGE_MAP && item ? &item->base : NULL;
    NTSTATUS status = vidmm_space_update(&world->spaces[s], &change, 1, &done, &wait);
    for (unsigned i = 0; status == STATUS_PENDING; i++) {
        assert_true(i < 100);
        mock_gpu_run_all(&world->gpu);
        vidmm_use_retire(&world->use);
        world->running = false;
        status = vidmm_space_update(&world->spaces[s], &change, 1, &done, &wait);
    }
    assert_true(status == STATUS_SUCCESS || status == STATUS_INVALID_PARAMETER ||
                status == STATUS_NO_MEMORY || status == STATUS_GRAPHICS_NO_VIDEO_MEMORY);
    if (status == STATUS_SUCCESS) {
        model_change(world, s, &change);
    }
}

void step_anything(struct world *world, unsigned s)
{
    static void (*const steps[])(struct world *, unsigned) = {any_map, any_reserve, any_free,
                                                              any_change};

    steps[below(world, sizeof steps / sizeof *steps)](world, s);
}

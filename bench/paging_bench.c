/* What it costs to move video memory: Transfer and Fill all the way from VidMm's operation through
 * DxgkDdiBuildPagingBuffer, the paging packet and the copy engine to the fence, in real bytes a
 * second, against memcpy and memset of as many bytes.
 *
 *   paging_bench [options] DRIVER
 *
 * System memory is scattered, as it is for drivers: a transfer gathers pages of an MDL. The peer
 * for that is memcpy page by page over shuffled pages. A copy inside video memory, a client's
 * command on the same engine, shows the contiguous case.
 *
 * Hot: one allocation, again and again. Cold: allocations of 64 MiB altogether, one after the
 * other, so that caches hold none of it when its turn comes; that is how paging is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../drivers/softgpu/softgpu_umd.h"
#include "bench.h"
#include "dxgk/work.h"
#include "house.h"
#include "softgpu/softgpu_regs.h"

#define TOTAL_BYTES (64u << 20)
#define COUNT_MAX   1024
#define DEADLINE_NS (3600 * NS_PER_S)

/* One size's work: `count` pieces of `bytes`, all one way, then all back. */
struct move {
    size_t bytes;
    unsigned count;
    uint8_t *to, *from; /* all pieces */
    uint32_t *order;    /* of the pages of `from` */
    struct dxgk_opening *openings[COUNT_MAX], *others[COUNT_MAX];
};

static struct dxgk_adapter *adapter;
static struct dxgk_device *device;
static struct dxgk_context *context;

/* ---- The limits -------------------------------------------------------------------------- */

static void copy_all(uint8_t *to, const uint8_t *from, const struct move *move)
{
    for (unsigned i = 0; i < move->count; i++) {
        memcpy(to + i * move->bytes, from + i * move->bytes, move->bytes);
    }
}

static void run_memcpy(void *argument, unsigned repeat)
{
    const struct move *move = argument;

    for (unsigned i = 0; i < repeat; i++) {
        copy_all(move->to, move->from, move);
        copy_all(move->from, move->to, move);
    }
}

static void run_memcpy_pages(void *argument, unsigned repeat)
{
    const struct move *move = argument;
    size_t count = move->count * move->bytes / MACHINE_PAGE_SIZE;

    for (unsigned i = 0; i < repeat; i++) {
        for (size_t page = 0; page < count; page++) {
            memcpy(move->to + page * MACHINE_PAGE_SIZE,
                   move->from + (size_t)move->order[page] * MACHINE_PAGE_SIZE, MACHINE_PAGE_SIZE);
        }
        for (size_t page = 0; page < count; page++) {
            memcpy(move->from + (size_t)move->order[page] * MACHINE_PAGE_SIZE,
                   move->to + page * MACHINE_PAGE_SIZE, MACHINE_PAGE_SIZE);
        }
    }
}

static void run_memset(void *argument, unsigned repeat)
{
    const struct move *move = argument;

    for (unsigned i = 0; i < repeat; i++) {
        for (unsigned k = 0; k < move->count; k++) {
            memset(move->to + k * move->bytes, (int)i, move->bytes);
        }
    }
}

/* ---- The house --------------------------------------------------------------------------- */

static void page_in(struct vidmm_allocation *memory)
{
    struct vidmm_prepare_result result;
    struct vidmm_pin pin = {0};

    vidmm_pin(&pin, memory, &result);
    if (result.outcome != VIDMM_READY) {
        house_need(STATUS_GRAPHICS_NO_VIDEO_MEMORY, "make an allocation resident");
    }
    house_need(dxgk_wait_paging(adapter, result.paging_sequence, DEADLINE_NS), "page in");
    vidmm_unpin(&pin);
}

static void page_out(struct vidmm_allocation *memory)
{
    struct vidmm_wait wait;

    house_need(vidmm_evict(memory, &wait), "evict");
    house_need(dxgk_wait_paging(adapter, wait.paging_sequence, DEADLINE_NS), "page out");
}

static struct vidmm_allocation *memory_of(const struct move *move, unsigned index)
{
    return &move->openings[index]->allocation->memory;
}

static void run_transfer(void *argument, unsigned repeat)
{
    const struct move *move = argument;

    for (unsigned i = 0; i < repeat; i++) {
        for (unsigned k = 0; k < move->count; k++) {
            page_in(memory_of(move, k));
        }
        for (unsigned k = 0; k < move->count; k++) {
            page_out(memory_of(move, k));
        }
    }
}

/* An offered allocation loses its content when it is evicted, so the next placing fills it. */
static void forget(struct vidmm_allocation *memory)
{
    struct vidmm_wait wait;
    bool discarded;

    house_need(vidmm_offer(memory, &wait), "offer");
    page_out(memory);
    vidmm_reclaim(memory, &discarded);
}

static void run_fill(void *argument, unsigned repeat)
{
    const struct move *move = argument;

    for (unsigned i = 0; i < repeat; i++) {
        for (unsigned k = 0; k < move->count; k++) {
            page_in(memory_of(move, k));
        }
        for (unsigned k = 0; k < move->count; k++) {
            forget(memory_of(move, k));
        }
    }
}

static void write_copy(uint32_t *words, uint32_t to, uint32_t from, size_t bytes)
{
    const struct softgpu_command_copy copy = {
        .header = SOFTGPU_COMMAND(SOFTGPU_OP_COPY, SOFTGPU_COMMAND_WORDS_OF(copy)),
        .destination = {.low = 0, .high = to},
        .source = {.low = 0, .high = from},
        .size_low = (uint32_t)bytes,
    };

    memcpy(words, &copy, sizeof(copy));
}

/* One copy inside video memory, there or back. */
static void copy(const struct move *move, unsigned index, bool back)
{
    const struct dxgk_render_request request = {
        .command_bytes = sizeof(struct softgpu_command_copy), .allocation_count = 2};
    struct dxgk_command_space space;

    dxgk_context_command_space(context, &space);
    space.allocations[0] = (D3DDDI_ALLOCATIONLIST){
        .hAllocation = dxgk_opening_handle(move->openings[index]), .WriteOperation = 1};
    space.allocations[1] = (D3DDDI_ALLOCATIONLIST){
        .hAllocation = dxgk_opening_handle(move->others[index]), .WriteOperation = 1};
    write_copy(space.commands, back, !back, move->bytes);
    house_need(dxgk_render(context, &request), "render");
    house_need(dxgk_context_wait_idle(context, DEADLINE_NS), "wait for the copy");
}

static void run_copy(void *argument, unsigned repeat)
{
    const struct move *move = argument;

    for (unsigned i = 0; i < repeat; i++) {
        for (unsigned k = 0; k < 2 * move->count; k++) {
            copy(move, k % move->count, k >= move->count);
        }
    }
}

/* ---- The tables -------------------------------------------------------------------------- */

static struct dxgk_opening *create(size_t bytes)
{
    struct softgpu_umd_allocation description = {
        .magic = SOFTGPU_UMD_ALLOCATION_MAGIC,
        .version = SOFTGPU_UMD_VERSION,
        .flags = SOFTGPU_UMD_VRAM_ONLY,
        .size_bytes = (uint32_t)bytes,
    };
    struct dxgk_allocation_request request = {.private_data = &description,
                                              .private_size = sizeof(description)};
    struct dxgk_holding *holding = NULL;

    house_need(
        dxgk_allocations_create(
            device, &(struct dxgk_allocations_request){.elements = &request, .count = 1}, &holding),
        "allocation");
    return request.opening;
}

static void destroy(struct dxgk_opening *opening)
{
    const struct dxgk_destruction how = {.openings = &opening, .count = 1};

    house_need(dxgk_allocations_destroy(device, &how), "destroy an allocation");
}

static void *memory(size_t bytes)
{
    void *place = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (place == MAP_FAILED) {
        house_need(STATUS_NO_MEMORY, "memory");
    }
    (void)madvise(place, bytes, MADV_HUGEPAGE);
    memset(place, 1, bytes);
    return place;
}

static void shuffle(uint32_t *order, size_t count)
{
    uint64_t random = 1;

    for (uint32_t i = 0; i < count; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        uint32_t other = (uint32_t)((random >> 33) % (i + 1));
        order[i] = order[other];
        order[other] = i;
    }
}

static void create_all(struct move *move)
{
    for (unsigned i = 0; i < move->count; i++) {
        move->openings[i] = create(move->bytes);
        move->others[i] = create(move->bytes);
    }
}

static void destroy_all(struct move *move)
{
    for (unsigned i = 0; i < move->count; i++) {
        destroy(move->openings[i]);
        destroy(move->others[i]);
    }
}

static bool begin_table(const struct move *move, const char *what)
{
    size_t bytes = move->bytes;
    char title[64];

    snprintf(title, sizeof(title), "%s, %zu %s, %s", what,
             bytes >= 1u << 20 ? bytes >> 20 : bytes >> 10, bytes >= 1u << 20 ? "MiB" : "KiB",
             move->count * bytes < TOTAL_BYTES ? "hot" : "cold");
    return bench_table(title);
}

static void add_row(struct move *move, const char *name, bench_function *run, unsigned times)
{
    bench_row(
        &(struct bench_work){name, run, move, .bytes = times * move->bytes, .items = move->count});
}

static void measure_transfer(struct move *move)
{
    if (!begin_table(move, "transfer")) {
        return;
    }
    create_all(move);
    add_row(move, "limit: memcpy, contiguous", run_memcpy, 2);
    add_row(move, "peer: memcpy, shuffled pages", run_memcpy_pages, 2);
    add_row(move, "house: page in and out, scattered", run_transfer, 2);
    add_row(move, "house: copies in video memory", run_copy, 2);
    bench_run();
    destroy_all(move);
}

/* Of memory that nobody wrote to. */
static void measure_fill(struct move *move)
{
    if (!begin_table(move, "fill")) {
        return;
    }
    create_all(move);
    add_row(move, "limit: memset", run_memset, 1);
    add_row(move, "house: fill", run_fill, 1);
    bench_run();
    destroy_all(move);
}

static void work(struct house *house)
{
    static const struct {
        size_t bytes;
        bool hot;
    } sizes[] = {{4u << 10, true},  {64u << 10, true},  {64u << 10, false},
                 {1u << 20, false}, {16u << 20, false}, {64u << 20, false}};
    static struct move move;

    move.to = memory(TOTAL_BYTES);
    move.from = memory(TOTAL_BYTES);
    move.order = memory(TOTAL_BYTES / MACHINE_PAGE_SIZE * sizeof(*move.order));
    adapter = house->adapter;
    house_need(dxgk_device_create(adapter, house->process, &device), "device");
    house_need(dxgk_context_create(device, &(struct dxgk_context_request){0}, &context), "context");
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        move.bytes = sizes[i].bytes;
        move.count = sizes[i].hot ? 1 : (unsigned)(TOTAL_BYTES / sizes[i].bytes);
        shuffle(move.order, move.count * move.bytes / MACHINE_PAGE_SIZE);
        measure_transfer(&move);
        measure_fill(&move);
    }
}

int main(int argc, char **argv)
{
    if (!bench_options(&argc, argv) || argc != 2) {
        fprintf(
            stderr,
            "usage: paging_bench [--rounds N] [--quick] [--times N] [--table PART] [--only PART] "
            "[--json] DRIVER\n");
        return 2;
    }
    return house_run(&(struct house_options){.driver = argv[1], .device_options = "vram_mb=256"},
                     work);
}

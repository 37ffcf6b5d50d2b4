/* What it costs to move video memory: Transfer and Fill all the way from VidMm's operation through
 * DxgkDdiBuildPagingBuffer, the paging packet and the copy engine to the fence, in real bytes a
 * second, against memcpy and memset of as many bytes.
 *
 *   paging_bench [options] DRIVER
 *
 * System memory is scattered, as it is for drivers: a transfer gathers pages of an MDL. The peer
 * for that is memcpy page by page over shuffled pages. A copy inside video memory, a client's
 * command on the same engine, shows the contiguous case. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench.h"
#include "dxgk/internal.h"
#include "house.h"
#include "softgpu/softgpu_regs.h"
#include "../drivers/softgpu/softgpu_umd.h"

#define SIZE_MAX_BYTES (64u << 20)
#define DEADLINE_NS    (3600 * NS_PER_S)

/* One size's work. */
struct move {
    size_t bytes;
    uint8_t *to, *from;
    uint32_t *order; /* of the pages of `from` */
    struct dxgk_opening *one, *other;
};

static struct dxgk_adapter *adapter;
static struct dxgk_device *device;
static struct dxgk_context *context;

/* ---- The limits -------------------------------------------------------------------------- */

static void run_memcpy(void *argument, unsigned repeat)
{
    const struct move *move = argument;

    for (unsigned i = 0; i < repeat; i++) {
        memcpy(move->to, move->from, move->bytes);
        memcpy(move->from, move->to, move->bytes);
    }
}

static void run_memcpy_pages(void *argument, unsigned repeat)
{
    const struct move *move = argument;
    size_t count = move->bytes / MACHINE_PAGE_SIZE;

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
        memset(move->to, (int)i, move->bytes);
    }
}

/* ---- The house --------------------------------------------------------------------------- */

static void page_in(struct vidmm_allocation *memory)
{
    struct vidmm_prepare_result result;

    vidmm_pin(memory, 0, &result);
    if (result.outcome != VIDMM_READY) {
        house_need(STATUS_GRAPHICS_NO_VIDEO_MEMORY, "make an allocation resident");
    }
    house_need(dxgk_wait_paging(adapter, result.paging_sequence, DEADLINE_NS), "page in");
    vidmm_unpin(memory);
}

static void page_out(struct vidmm_allocation *memory)
{
    struct vidmm_wait wait;

    house_need(vidmm_evict(memory, &wait), "evict");
    house_need(dxgk_wait_paging(adapter, wait.paging_sequence, DEADLINE_NS), "page out");
}

static void run_transfer(void *argument, unsigned repeat)
{
    struct vidmm_allocation *memory = &((struct move *)argument)->one->allocation->memory;

    for (unsigned i = 0; i < repeat; i++) {
        page_in(memory);
        page_out(memory);
    }
}

/* An offered allocation loses its content when it is evicted, so the next placing fills it. */
static void run_fill(void *argument, unsigned repeat)
{
    struct vidmm_allocation *memory = &((struct move *)argument)->one->allocation->memory;
    struct vidmm_wait wait;
    bool discarded;

    for (unsigned i = 0; i < repeat; i++) {
        page_in(memory);
        house_need(vidmm_offer(memory, &wait), "offer");
        page_out(memory);
        vidmm_reclaim(memory, &discarded);
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

/* There and back inside video memory. */
static void run_copy(void *argument, unsigned repeat)
{
    const struct dxgk_render_request request = {
        .command_bytes = 2 * sizeof(struct softgpu_command_copy), .allocation_count = 2};
    const struct move *move = argument;
    struct dxgk_command_space space;

    dxgk_context_command_space(context, &space);
    space.allocations[0] = (D3DDDI_ALLOCATIONLIST){
        .hAllocation = dxgk_opening_handle(move->one), .WriteOperation = 1};
    space.allocations[1] = (D3DDDI_ALLOCATIONLIST){
        .hAllocation = dxgk_opening_handle(move->other), .WriteOperation = 1};
    uint32_t *words = space.commands;
    write_copy(words, 0, 1, move->bytes);
    write_copy(words + SOFTGPU_COMMAND_WORDS_OF(struct softgpu_command_copy), 1, 0, move->bytes);
    for (unsigned i = 0; i < repeat; i++) {
        house_need(dxgk_render(context, &request), "render");
        house_need(dxgk_context_wait_idle(context, DEADLINE_NS), "wait for the copy");
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
    struct dxgk_resource *resource = NULL;

    house_need(dxgk_allocations_create(device, NULL, 0, false, &request, 1, &resource),
               "allocation");
    return request.opening;
}

static void destroy(struct dxgk_opening *opening)
{
    house_need(dxgk_allocations_destroy(device, NULL, &opening, 1), "destroy an allocation");
}

static void *memory(size_t bytes)
{
    void *place =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

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

static void size_name(char *text, size_t size, const char *what, size_t bytes)
{
    snprintf(text, size, "%s, %zu %s", what, bytes >= 1u << 20 ? bytes >> 20 : bytes >> 10,
             bytes >= 1u << 20 ? "MiB" : "KiB");
}

static void measure(struct move *move)
{
    char title[64];

    move->one = create(move->bytes);
    move->other = create(move->bytes);
    shuffle(move->order, move->bytes / MACHINE_PAGE_SIZE);

    size_name(title, sizeof(title), "transfer", move->bytes);
    const struct bench_work transfer[] = {
        {"limit: memcpy, contiguous", run_memcpy, move, .bytes = 2 * move->bytes},
        {"peer: memcpy, shuffled pages", run_memcpy_pages, move, .bytes = 2 * move->bytes},
        {"house: page in and out, scattered", run_transfer, move, .bytes = 2 * move->bytes},
        {"house: copies in video memory", run_copy, move, .bytes = 2 * move->bytes},
    };
    bench_table(title);
    for (unsigned i = 0; i < sizeof(transfer) / sizeof(transfer[0]); i++) {
        bench_row(&transfer[i]);
    }
    bench_run();

    size_name(title, sizeof(title), "fill", move->bytes);
    destroy(move->one);
    move->one = create(move->bytes);
    bench_table(title);
    bench_row(&(struct bench_work){"limit: memset", run_memset, move, .bytes = move->bytes});
    bench_row(&(struct bench_work){"house: fill", run_fill, move, .bytes = move->bytes});
    bench_run();
    destroy(move->one);
    destroy(move->other);
}

static void work(struct house *house)
{
    static const size_t sizes[] = {4u << 10, 64u << 10, 1u << 20, 16u << 20, 64u << 20};
    struct move move = {.to = memory(SIZE_MAX_BYTES), .from = memory(SIZE_MAX_BYTES)};

    move.order = memory(SIZE_MAX_BYTES / MACHINE_PAGE_SIZE * sizeof(*move.order));
    adapter = house->adapter;
    house_need(dxgk_device_create(adapter, house->process, &device), "device");
    house_need(dxgk_context_create(device, 0, 0, (D3DDDI_CREATECONTEXTFLAGS){0}, NULL, 0, &context),
               "context");
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        move.bytes = sizes[i];
        measure(&move);
    }
}

int main(int argc, char **argv)
{
    if (!bench_options(&argc, argv) || argc != 2) {
        fprintf(stderr, "usage: paging_bench [--rounds N] [--quick] [--only PART] [--json] DRIVER\n");
        return 2;
    }
    return house_run(
        &(struct house_options){.driver = argv[1], .device_options = "vram_mb=256"}, work);
}

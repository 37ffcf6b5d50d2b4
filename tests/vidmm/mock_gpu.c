/* A GPU for the tests of vidmm. */
#include "vidmm/mock_gpu.h"
#include "vidmm/mock_mmu.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The smallest machine has more RAM than some tests want to leave. */
static struct {
    uint64_t *frames;
    size_t count;
} ballast;
static uint64_t free_bytes_at_start;

static struct mock_gpu *the_gpu; /* one at a time */

static struct mock_gpu *gpu_of(struct vidmm *vidmm)
{
    assert(the_gpu->vidmm == vidmm);
    return the_gpu;
}

static bool is_aperture(const struct mock_gpu *gpu, unsigned segment)
{
    return gpu->apertures[segment - 1] != NULL;
}

uint8_t *mock_gpu_at(struct mock_gpu *gpu, unsigned segment, uint64_t offset)
{
    assert(segment >= 1 && segment <= gpu->segment_count);
    assert(offset < gpu->size_bytes[segment - 1]);
    if (!is_aperture(gpu, segment)) {
        return gpu->memory[segment - 1] + offset;
    }
    uint64_t page = offset / VIDMM_PAGE_BYTES;
    assert(gpu->mapped[segment - 1][page]);
    uint64_t address = gpu->apertures[segment - 1][page] * VIDMM_PAGE_BYTES;
    uint8_t *bytes = ram_at(address + offset % VIDMM_PAGE_BYTES, 1);
    assert(bytes);
    return bytes;
}

/* ---- The backend -------------------------------------------------------------------------------
 */

static void *map_segment(struct vidmm *vidmm, const struct vidmm_allocation *allocation,
                         const struct vidmm_location *place, size_t size_bytes)
{
    struct mock_gpu *gpu = gpu_of(vidmm);

    if (gpu->no_map || (!allocation && gpu->view_max && gpu->views >= gpu->view_max)) {
        return NULL;
    }
    gpu->views++;
    return mock_gpu_at(gpu, place->segment, place->offset);
}

static void unmap_segment(struct vidmm *vidmm, const struct vidmm_location *place, void *view,
                          size_t size_bytes)
{
    struct mock_gpu *gpu = gpu_of(vidmm);

    assert(view == mock_gpu_at(gpu, place->segment, place->offset) && gpu->views > 0);
    gpu->views--;
}

static const uint8_t *segment_bytes(struct vidmm *vidmm, unsigned segment, uint64_t offset,
                                    size_t size_bytes)
{
    const struct mock_gpu *gpu = gpu_of(vidmm);
    bool is_seen = (gpu->run_bytes == 0 || size_bytes <= gpu->run_bytes) &&
                   (gpu->seen_end == 0 || offset + size_bytes <= gpu->seen_end);

    return is_seen ? mock_gpu_at(gpu_of(vidmm), segment, offset) : NULL;
}

static void shadow_match(struct vidmm *vidmm, const struct vidmm_op *op)
{
    (void)op;
    gpu_of(vidmm)->match_count++;
}

static void shadow_mismatch(struct vidmm *vidmm, const struct vidmm_mismatch *mismatch)
{
    struct mock_gpu *gpu = gpu_of(vidmm);

    gpu->mismatch_count++;
    gpu->mismatch = *mismatch;
}

static void signal_queue(struct vidmm *vidmm, struct vidmm_queue *queue, uint64_t value)
{
    struct mock_gpu *gpu = gpu_of(vidmm);

    assert(value == queue->signalled && value <= queue->value);
    gpu->signalled++;
}

static uint64_t root_bytes(struct vidmm *vidmm, uint32_t *entry_count)
{
    *entry_count = (*entry_count + 3) / 4 * 4;
    return (*entry_count * 16ull + VIDMM_PAGE_BYTES - 1) / VIDMM_PAGE_BYTES * VIDMM_PAGE_BYTES;
}

const struct vidmm_backend mock_backend = {
    .root_bytes = root_bytes,
    .signal_queue = signal_queue,
    .map_segment = map_segment,
    .unmap_segment = unmap_segment,
    .segment_bytes = segment_bytes,
    .shadow_match = shadow_match,
    .shadow_mismatch = shadow_mismatch,
};

/* ---- Life ------------------------------------------------------------------------------------ */

static void take_ballast(uint64_t free_bytes_wanted)
{
    ballast.count = 0;
    if (ram_free_bytes() <= free_bytes_wanted) {
        return;
    }
    ballast.count = (ram_free_bytes() - free_bytes_wanted) / VIDMM_PAGE_BYTES;
    ballast.frames = malloc(ballast.count * sizeof(*ballast.frames));
    const struct ram_request request = {.page_count = ballast.count};
    NTSTATUS status = ram_alloc_frames(&request, ballast.frames);
    assert(NT_SUCCESS(status));
    (void)status;
}

void mock_gpu_init(struct mock_gpu *gpu, struct vidmm_config *config, uint64_t free_bytes_wanted)
{
    const struct machine_config machine = {.seed = 1, .ram_bytes = 64 << 20};

    *gpu = (struct mock_gpu){.segment_count = config->segment_count,
                             .fill_pattern = config->fill_pattern};
    assert(config->segment_count <= MOCK_SEGMENT_MAX);
    NTSTATUS status = machine_create(&machine);
    assert(NT_SUCCESS(status));
    take_ballast(free_bytes_wanted);
    free_bytes_at_start = ram_free_bytes();
    config->backend = &mock_backend;
    the_gpu = gpu;
    for (unsigned i = 0; i < config->segment_count; i++) {
        uint64_t size = config->segments[i].size_bytes, pages = size / VIDMM_PAGE_BYTES;
        gpu->size_bytes[i] = size;
        if (config->segments[i].flags & VIDMM_SEGMENT_APERTURE) {
            gpu->apertures[i] = calloc(pages, sizeof(uint64_t));
            gpu->mapped[i] = calloc(pages, sizeof(bool));
        } else {
            gpu->memory[i] = malloc(size);
            memset(gpu->memory[i], 0xEE, size);
        }
    }
    status = vidmm_create(config, &gpu->vidmm);
    assert(NT_SUCCESS(status));
    (void)status;
}

void mock_gpu_fini(struct mock_gpu *gpu)
{
    while (gpu->held_count > 0) {
        mock_gpu_let_go(gpu);
    }
    mock_gpu_run_all(gpu);
    assert(vidmm_dummy_intact(gpu->vidmm));
    vidmm_destroy(gpu->vidmm);
    for (unsigned i = 0; i < gpu->segment_count; i++) {
        free(gpu->memory[i]);
        free(gpu->apertures[i]);
        free(gpu->mapped[i]);
    }
    free(gpu->mmu);
    assert(ram_free_bytes() == free_bytes_at_start);
    if (ballast.count > 0) {
        ram_free_frames(ballast.frames, ballast.count);
        free(ballast.frames);
        ballast.count = 0;
    }
    machine_destroy();
}

/* ---- Operations ------------------------------------------------------------------------------ */

/* Like a driver that programs its aperture with the CPU: at once, while older work still runs. */
static void map_now(struct mock_gpu *gpu, const struct vidmm_op *op)
{
    bool map = op->kind == VIDMM_OP_MAP_APERTURE;

    assert(is_aperture(gpu, op->aperture.segment));
    assert((op->aperture.page_first + op->aperture.page_count) * VIDMM_PAGE_BYTES <=
           gpu->size_bytes[op->aperture.segment - 1]);
    assert(op->frame_first == 0 && op->aperture.page_count == op->frame_count);
    for (size_t i = 0; i < op->aperture.page_count; i++) {
        bool *mapped = &gpu->mapped[op->aperture.segment - 1][op->aperture.page_first + i];
        assert(*mapped != map); /* [MAPAP-006] [UNMAPAP-002] */
        *mapped = map;
        gpu->apertures[op->aperture.segment - 1][op->aperture.page_first + i] =
            map ? op->frames[i] : op->aperture.dummy_frame;
    }
}

static uint8_t *side_at(struct mock_gpu *gpu, const struct vidmm_op *op,
                        const struct vidmm_side *side, uint64_t at)
{
    if (side->segment != 0) {
        return mock_gpu_at(gpu, side->segment, side->offset + op->move.offset + at);
    }
    uint64_t page = op->frame_first + at / VIDMM_PAGE_BYTES;
    assert(page < op->frame_count);
    return ram_at(op->frames[page] * VIDMM_PAGE_BYTES + at % VIDMM_PAGE_BYTES, 1);
}

static void transfer(struct mock_gpu *gpu, const struct vidmm_op *op)
{
    assert(op->move.source.segment != op->move.destination.segment);
    assert(op->move.offset % VIDMM_PAGE_BYTES == 0 && op->move.size_bytes % VIDMM_PAGE_BYTES == 0);
    assert(op->move.start == (op->move.offset == 0));
    assert(op->move.end == (op->move.offset + op->move.size_bytes == op->allocation->size_bytes));
    for (uint64_t at = 0; at < op->move.size_bytes; at += VIDMM_PAGE_BYTES) {
        memcpy(side_at(gpu, op, &op->move.destination, at), side_at(gpu, op, &op->move.source, at),
               VIDMM_PAGE_BYTES);
    }
    if (gpu->corrupt_next) {
        *side_at(gpu, op, &op->move.destination, 5) ^= 0x40;
        gpu->corrupt_next = false;
    }
}

/* At the place of the segment, mapped, or in the page behind it. */
static void touch_op(struct mock_gpu *gpu, const struct vidmm_op *op)
{
    uint64_t base = vidmm_segment(gpu->vidmm, op->touch.segment)->base_address;
    uint64_t offset = op->touch.address - base, size = gpu->size_bytes[op->touch.segment - 1];

    assert(op->touch.address % VIDMM_TOUCH_BYTES == 0);
    if (op->kind == VIDMM_OP_WRITE_PHYSICAL) {
        assert(offset >= size && offset < size + VIDMM_PAGE_BYTES);
        return;
    }
    assert(offset < size && gpu->mapped[op->touch.segment - 1][offset / VIDMM_PAGE_BYTES]);
}

static void fill(struct mock_gpu *gpu, const struct vidmm_op *op)
{
    assert(!is_aperture(gpu, op->fill.destination.segment)); /* [FILL-004] */
    uint8_t *bytes = mock_gpu_at(gpu, op->fill.destination.segment, op->fill.destination.offset);
    for (uint64_t i = 0; i < op->fill.size_bytes; i += 4) {
        memcpy(bytes + i, &op->fill.pattern, 4);
    }
}

/* The driver hears of the operation. */
static void build(struct mock_gpu *gpu, struct vidmm_op *op)
{
    if (op->kind == VIDMM_OP_MAP_APERTURE || op->kind == VIDMM_OP_UNMAP_APERTURE) {
        map_now(gpu, op);
    }
    vidmm_paging_told(op);
}

static void build_last(struct mock_gpu *gpu)
{
    if (gpu->unbuilt) {
        build(gpu, gpu->unbuilt);
        gpu->unbuilt = NULL;
    }
}

static void log_op(struct mock_gpu *gpu, const struct vidmm_op *op)
{
    if (gpu->log_count < MOCK_LOG_MAX) {
        gpu->log[gpu->log_count++].op = *op;
    }
}

void mock_gpu_pull(struct mock_gpu *gpu)
{
    struct vidmm_op *op;

    build_last(gpu);
    while (gpu->flight_count < MOCK_FLIGHT_MAX && (op = vidmm_paging_next(gpu->vidmm)) != NULL) {
        build_last(gpu);
        log_op(gpu, op);
        if (vidmm_op_is_immediate(op)) {
            assert(gpu->flight_count == 0);
            mock_mmu_run(gpu, op);
            vidmm_paging_done(op, STATUS_SUCCESS);
            continue;
        }
        gpu->unbuilt = op;
        gpu->flight[gpu->flight_count++] = op;
    }
    if (!gpu->slow_build) {
        build_last(gpu);
    }
}

static struct vidmm_op *pop(struct mock_gpu *gpu)
{
    struct vidmm_op *op = gpu->flight[0];

    gpu->flight_count--;
    memmove(gpu->flight, gpu->flight + 1, gpu->flight_count * sizeof(gpu->flight[0]));
    return op;
}

bool mock_gpu_run_one(struct mock_gpu *gpu)
{
    if (gpu->flight_count == 0) {
        return false;
    }
    struct vidmm_op *op = pop(gpu);
    if (op == gpu->unbuilt) {
        build_last(gpu);
    }
    if (op->kind == VIDMM_OP_TRANSFER && op->move.size_bytes > 0) {
        transfer(gpu, op);
    } else if (op->kind == VIDMM_OP_READ_PHYSICAL || op->kind == VIDMM_OP_WRITE_PHYSICAL) {
        touch_op(gpu, op);
    } else if (op->kind == VIDMM_OP_FILL) {
        fill(gpu, op);
    } else if (gpu->mmu) {
        mock_mmu_run(gpu, op);
    }
    op->unseen = gpu->ends_unseen;
    vidmm_paging_done(op, STATUS_SUCCESS);
    return true;
}

void mock_gpu_run_all(struct mock_gpu *gpu)
{
    do {
        mock_gpu_pull(gpu);
    } while (mock_gpu_run_one(gpu));
    assert(!vidmm_paging_waiting(gpu->vidmm));
}

/* What the driver hears between ResetFromTimeout and RestartFromTimeout: at once, all of it. */
static void clean_up(struct mock_gpu *gpu)
{
    struct vidmm_op *op;

    while ((op = vidmm_reset_next(gpu->vidmm)) != NULL) {
        assert(op->reset != 0);
        assert(op->kind == VIDMM_OP_UNMAP_APERTURE ||
               (op->kind == VIDMM_OP_TRANSFER && op->move.size_bytes == 0)); /* [TDR-005] */
        log_op(gpu, op);
        build(gpu, op);
        vidmm_paging_done(op, STATUS_SUCCESS);
    }
}

void mock_gpu_reset(struct mock_gpu *gpu, bool hold)
{
    gpu->unbuilt = NULL;
    while (!hold && gpu->flight_count > 0) {
        vidmm_paging_done(pop(gpu), STATUS_CANCELLED);
    }
    for (unsigned i = 0; i < gpu->segment_count; i++) {
        if (gpu->memory[i]) {
            memset(gpu->memory[i], 0xDD, gpu->size_bytes[i]);
        }
    }
    vidmm_reset(gpu->vidmm);
    while (gpu->flight_count > 0) {
        assert(gpu->held_count < MOCK_HELD_MAX);
        gpu->held[gpu->held_count++] = pop(gpu);
        assert(gpu->held[gpu->held_count - 1]->revoked);
    }
    clean_up(gpu);
}

void mock_gpu_let_go(struct mock_gpu *gpu)
{
    assert(gpu->held_count > 0);
    struct vidmm_op *op = gpu->held[0];
    gpu->held_count--;
    memmove(gpu->held, gpu->held + 1, gpu->held_count * sizeof(gpu->held[0]));
    vidmm_paging_done(op, STATUS_CANCELLED);
}

static uint8_t byte_of(struct mock_gpu *gpu, const struct vidmm_allocation *allocation,
                       uint64_t offset)
{
    if (allocation->segment != 0) {
        return *mock_gpu_at(gpu, allocation->segment, allocation->offset + offset);
    }
    if (allocation->content == VIDMM_CONTENT_NONE) {
        return (uint8_t)(gpu->fill_pattern >> offset % 4 * 8);
    }
    uint64_t frame = allocation->frames[offset / VIDMM_PAGE_BYTES];
    return *(uint8_t *)ram_at(frame * VIDMM_PAGE_BYTES + offset % VIDMM_PAGE_BYTES, 1);
}

void mock_gpu_read(struct mock_gpu *gpu, const struct vidmm_allocation *allocation, uint64_t offset,
                   void *bytes, size_t size_bytes)
{
    assert(vidmm_paging_reached(gpu->vidmm, allocation->paging_sequence));
    assert(offset + size_bytes <= allocation->size_bytes);
    for (size_t i = 0; i < size_bytes; i++) {
        ((uint8_t *)bytes)[i] = byte_of(gpu, allocation, offset + i);
    }
}

uint64_t mock_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

uint64_t mock_below(uint64_t *state, uint64_t bound)
{
    return mock_random(state) % bound;
}

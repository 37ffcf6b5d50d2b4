/* raster_bench.c: the software GPU's pixel and byte loops against the limits of this machine.
 *
 * Each row is measured in rounds; in a round every competitor runs once, in turn, and what is
 * printed is the median over the rounds of its speed relative to the first, the limit. So a machine
 * that is slow for a while slows all of them; and time is the thread's, so that other work on the
 * machine shows in the caches alone. Usage: raster_bench [ROUNDS [ROW]], ROW a part of their names.
 *
 *   memory   transfer, fill and scattered transfer against memcpy and memset
 *   raster   blits against memcpy, memset or a read-read-write stream, and against pixman
 *   compare  what was drawn with what is expected, against memcmp */
#include <pixman.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "../workloads/picture.h"
#include "softgpu/memory_copy.h"
#include "softgpu/raster.h"

#define ROUNDS_MAX      101
#define COMPETITORS_MAX 4
#define MIB             (1u << 20)

static unsigned rounds = 15;
static const char *wanted_row = "";
static uint8_t *to_memory, *from_memory; /* MEMORY_SIZE each */
#define MEMORY_SIZE (1024ull * MIB)

/* What a competitor works on; each uses what it needs. */
struct work {
    size_t size;
    uint8_t *to;
    const uint8_t *from;
    struct memory_piece *pieces;
    size_t piece_count;
    struct raster_block block;
    struct raster_stretch stretch;
    pixman_image_t *pixman_to, *pixman_from;
    pixman_op_t pixman_op;
    unsigned turns;
};

struct competitor {
    const char *name;
    void (*run)(const struct work *work);
};

/* ---- Measuring ---- */

static double now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, unsigned count)
{
    qsort(values, count, sizeof(*values), compare);
    return values[count / 2];
}

/* Nanoseconds a run. With `place` each run works on other memory and is timed alone; without, the
 * runs follow each other on the same memory, and as many go before untimed: it takes a processor
 * some hundred microseconds to give wide vectors their full speed. */
static double time_runs(const struct competitor *competitor, struct work *work,
                        void (*place)(struct work *work), unsigned repeat)
{
    for (unsigned i = 0; i < repeat && !place; i++)
        competitor->run(work);
    double spent = 0, begin = now_ns();
    for (unsigned i = 0; i < repeat; i++) {
        if (place) {
            place(work);
            begin = now_ns();
        }
        competitor->run(work);
        if (place)
            spent += now_ns() - begin;
    }
    return (place ? spent : now_ns() - begin) / repeat;
}

static void measure(const char *row, const struct competitor *competitors, unsigned count,
                    struct work *work, void (*place)(struct work *work), size_t bytes)
{
    static double times[COMPETITORS_MAX][ROUNDS_MAX], ratios[ROUNDS_MAX];
    unsigned repeat = bytes < 8u * MIB ? (unsigned)(8u * MIB / bytes) : 1;
    if (!strstr(row, wanted_row))
        return;
    for (unsigned round = 0; round < rounds + 1; round++) {
        for (unsigned c = 0; c < count; c++) {
            double ns = time_runs(&competitors[c], work, place, repeat);
            if (round) /* the first only warms up */
                times[c][round - 1] = ns;
        }
    }
    printf("%-26s", row);
    for (unsigned c = 1; c < count; c++) {
        for (unsigned round = 0; round < rounds; round++)
            ratios[round] = times[0][round] / times[c][round];
        printf("  %s %.2f", competitors[c].name, median(ratios, rounds));
    }
    printf("   (%s %.1f GB/s)\n", competitors[0].name, (double)bytes / median(times[0], rounds));
}

/* ---- Memory ---- */

static void run_memcpy(const struct work *work)
{
    memcpy(work->to, work->from, work->size);
}

/* As the copy engine does it: in slices. */
static void run_transfer(const struct work *work)
{
    for (size_t done = 0; done < work->size; done += MIB) {
        size_t slice = work->size - done < MIB ? work->size - done : MIB;
        if (work->size >= MEMORY_STREAM_COPY_MIN)
            memory_copy_streaming(work->to + done, work->from + done, slice);
        else
            memory_copy(work->to + done, work->from + done, slice);
    }
}

static void run_memset(const struct work *work)
{
    memset(work->to, 0x5A, work->size);
}

static void fill_slices(const struct work *work, uint32_t pattern)
{
    static struct memory_late late;
    bool streams = memory_fill_streams(&late, (uintptr_t)work->to, work->size);
    for (size_t done = 0; done < work->size; done += MIB) {
        size_t slice = work->size - done < MIB ? work->size - done : MIB;
        if (streams)
            memory_fill_streaming(work->to + done, pattern, slice);
        else
            memory_fill(work->to + done, pattern, slice);
    }
}

static void run_memory_fill(const struct work *work)
{
    fill_slices(work, 0x5A5A5A5A);
}

static void run_memory_fill_pattern(const struct work *work)
{
    fill_slices(work, 0x12345678);
}

static void run_pieces(const struct work *work)
{
    memory_copy_pieces(work->pieces, work->piece_count, true);
}

static void run_memcpy_pieces(const struct work *work)
{
    for (size_t i = 0; i < work->piece_count; i++)
        memcpy(work->pieces[i].to, work->pieces[i].from, work->pieces[i].size);
}

static uint64_t random_state = 1;

static size_t random_place(size_t size)
{
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
    return (size_t)(random_state >> 20) % ((MEMORY_SIZE - size) / 4096 + 1) * 4096;
}

static void place_anywhere(struct work *work)
{
    work->to = to_memory + random_place(work->size);
    work->from = from_memory + random_place(work->size);
}

static void place_pieces(struct work *work)
{
    place_anywhere(work);
    for (size_t i = 0; i < work->piece_count; i++)
        work->pieces[i] =
            (struct memory_piece){work->to + i * 4096, from_memory + random_place(4096), 4096};
}

static void bench_memory(void)
{
    static const struct competitor copies[] = {{"memcpy", run_memcpy}, {"transfer", run_transfer}};
    static const struct competitor fills[] = {
        {"memset", run_memset}, {"fill", run_memory_fill}, {"pattern", run_memory_fill_pattern}};
    static const struct competitor scattered[] = {
        {"memcpy", run_memcpy}, {"per-page memcpy", run_memcpy_pieces}, {"scattered", run_pieces}};
    static const struct {
        const char *copy, *fill;
        size_t size;
        bool cold;
    } sizes[] = {
        {"transfer 64 KiB hot", "fill 64 KiB hot", 64u << 10, false},
        {"transfer 1 MiB hot", "fill 1 MiB hot", MIB, false},
        {"transfer 1 MiB cold", "fill 1 MiB cold", MIB, true},
        {"transfer 16 MiB cold", "fill 16 MiB cold", 16u * MIB, true},
        {"transfer 256 MiB", "fill 256 MiB", 256u * MIB, false},
    };
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct work work = {.size = sizes[i].size, .to = to_memory, .from = from_memory};
        void (*place)(struct work *) = sizes[i].cold ? place_anywhere : NULL;
        measure(sizes[i].copy, copies, 2, &work, place, work.size);
        measure(sizes[i].fill, fills, 3, &work, place, work.size);
    }
    static struct memory_piece pieces[4096];
    for (size_t size = 64u << 10; size <= 16u * MIB; size *= 16) {
        char row[64];
        struct work work = {.size = size, .pieces = pieces, .piece_count = size / 4096};
        snprintf(row, sizeof(row), "4 KiB pages, %zu KiB cold", size >> 10);
        measure(row, scattered, 3, &work, place_pieces, size);
    }
}

/* ---- Comparing ---- */

/* Keeps what is computed for nobody. */
static volatile uint64_t differences;

static void run_memcmp(const struct work *work)
{
    differences += (uint64_t)memcmp(work->to, work->from, work->size);
}

static void run_compare(const struct work *work)
{
    const struct picture expected = {work->block.width, work->block.height, (void *)work->to};
    struct box first;
    differences += picture_compare(&expected, work->from, work->block.from_pitch, &first);
}

static void bench_compare(uint32_t width, uint32_t height)
{
    static const struct competitor compares[] = {{"memcmp", run_memcmp}, {"own", run_compare}};
    size_t size = width * height * 4ull;
    struct work work = {.size = size,
                        .to = to_memory,
                        .from = to_memory + 2 * size,
                        .block = {.from_pitch = width * 4ull, .width = width, .height = height}};
    printf("\ncompare %u x %u\n", width, height);
    memcpy(to_memory + 2 * size, to_memory, size);
    measure("compare, the same", compares, 2, &work, NULL, size);
    if (differences)
        printf("the same pictures are said to differ\n");
}

/* ---- Raster ---- */

static void run_block_memcpy(const struct work *work)
{
    memcpy(work->block.to, work->block.from, work->size);
}

static void run_block_memset(const struct work *work)
{
    memset(work->block.to, 0x5A, work->size);
}

/* The least that OVER must do with memory: read both, write one. */
typedef uint64_t line __attribute__((vector_size(64), aligned(1), may_alias));

__attribute__((target_clones("avx512f", "avx2", "default"))) static void
run_stream(const struct work *work)
{
    line *to = (void *)work->block.to;
    const line *from = (const void *)work->block.from;
    for (size_t i = 0; i < work->size / sizeof(line); i++)
        to[i] ^= from[i];
}

static void run_fill(const struct work *work)
{
    raster_fill(&work->block, 4, 0x12345678);
}

static void run_copy(const struct work *work)
{
    raster_copy(&work->block, 4);
}

static void run_keyed(const struct work *work)
{
    raster_copy_keyed(&work->block, 0x00FF00FF, 0x00FFFFFF, 0);
}

static void run_over(const struct work *work)
{
    raster_over(&work->block, 255, 0);
}

static void run_stretch(const struct work *work)
{
    raster_stretch(&work->stretch);
}

static void run_rotate(const struct work *work)
{
    raster_rotate(&work->block, work->turns);
}

static void run_pixman(const struct work *work)
{
    pixman_image_composite32(work->pixman_op, work->pixman_from, NULL, work->pixman_to, 0, 0, 0, 0,
                             0, 0, (int)work->block.width, (int)work->block.height);
}

static void run_pixman_fill(const struct work *work)
{
    pixman_fill((void *)work->block.to, (int)work->block.to_pitch / 4, 32, 0, 0,
                (int)work->block.width, (int)work->block.height, 0x12345678);
}

static void bench_rows(struct work *work, uint32_t width, uint32_t height)
{
    static const struct competitor fill[] = {
        {"memset", run_block_memset}, {"pixman", run_pixman_fill}, {"own", run_fill}};
    static const struct competitor copy[] = {
        {"memcpy", run_block_memcpy}, {"pixman", run_pixman}, {"own", run_copy}};
    static const struct competitor keyed[] = {{"memcpy", run_block_memcpy}, {"own", run_keyed}};
    static const struct competitor over[] = {
        {"stream", run_stream}, {"pixman", run_pixman}, {"own", run_over}};
    work->pixman_to = pixman_image_create_bits(PIXMAN_a8r8g8b8, (int)width, (int)height,
                                               (void *)work->block.to, (int)width * 4);
    work->pixman_from = pixman_image_create_bits(PIXMAN_a8r8g8b8, (int)width, (int)height,
                                                 (void *)from_memory, (int)width * 4);
    measure("fill", fill, 3, work, NULL, work->size);
    work->pixman_op = PIXMAN_OP_SRC;
    measure("copy", copy, 3, work, NULL, work->size);
    measure("colour key", keyed, 2, work, NULL, work->size);
    work->pixman_op = PIXMAN_OP_OVER;
    measure("over", over, 3, work, NULL, work->size);
    pixman_image_unref(work->pixman_from);
    work->pixman_op = PIXMAN_OP_SRC;
}

/* From a picture of from_width x from_height to the whole block. */
static void bench_stretch(struct work *work, const char *row, uint32_t from_width,
                          uint32_t from_height, bool bilinear)
{
    static const struct competitor stretch[] = {
        {"memcpy", run_block_memcpy}, {"pixman", run_pixman}, {"own", run_stretch}};
    const struct raster_block *block = &work->block;
    work->stretch = (struct raster_stretch){
        .to = block->to,
        .to_pitch = block->to_pitch,
        .from = from_memory,
        .from_pitch = from_width * 4ull,
        .from_width = from_width,
        .from_height = from_height,
        .to_width = block->width,
        .to_height = block->height,
        .clip_width = block->width,
        .clip_height = block->height,
        .bilinear = bilinear,
    };
    pixman_transform_t transform;
    pixman_transform_init_scale(&transform, (pixman_fixed_t)((from_width << 16) / block->width),
                                (pixman_fixed_t)((from_height << 16) / block->height));
    work->pixman_from = pixman_image_create_bits(PIXMAN_a8r8g8b8, (int)from_width, (int)from_height,
                                                 (void *)from_memory, (int)from_width * 4);
    pixman_image_set_transform(work->pixman_from, &transform);
    pixman_image_set_filter(work->pixman_from,
                            bilinear ? PIXMAN_FILTER_BILINEAR : PIXMAN_FILTER_NEAREST, NULL, 0);
    pixman_image_set_repeat(work->pixman_from, PIXMAN_REPEAT_PAD);
    measure(row, stretch, 3, work, NULL, work->size);
    pixman_image_unref(work->pixman_from);
}

static void bench_rotate(struct work *work, uint32_t width, uint32_t height)
{
    static const struct competitor rotate[] = {
        {"memcpy", run_block_memcpy}, {"pixman", run_pixman}, {"own", run_rotate}};
    pixman_transform_t transform;
    pixman_transform_init_rotate(&transform, 0, -pixman_fixed_1);
    pixman_transform_translate(&transform, NULL, 0, pixman_int_to_fixed((int)width));
    work->pixman_from = pixman_image_create_bits(PIXMAN_a8r8g8b8, (int)height, (int)width,
                                                 (void *)from_memory, (int)height * 4);
    pixman_image_set_transform(work->pixman_from, &transform);
    work->block.from_pitch = height * 4ull;
    work->turns = 1;
    measure("rotate 90", rotate, 3, work, NULL, work->size);
    work->turns = 3;
    measure("rotate 270", rotate, 3, work, NULL, work->size);
    pixman_image_unref(work->pixman_from);
}

static void bench_raster(uint32_t width, uint32_t height)
{
    struct work work = {
        .size = width * height * 4ull,
        .block = {to_memory, width * 4ull, from_memory, width * 4ull, width, height},
    };
    printf("\nraster %u x %u\n", width, height);
    bench_rows(&work, width, height);
    bench_stretch(&work, "nearest 2x", width / 2, height / 2, false);
    bench_stretch(&work, "nearest 0.7x", width * 10 / 7, height * 10 / 7, false);
    bench_stretch(&work, "bilinear 2x", width / 2, height / 2, true);
    bench_stretch(&work, "bilinear 0.7x", width * 10 / 7, height * 10 / 7, true);
    bench_rotate(&work, width, height);
    pixman_image_unref(work.pixman_to);
}

/* Premultiplied pixels, a quarter of them clear and a third opaque. */
static void make_pixels(uint32_t *pixels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
        uint32_t value = (uint32_t)(random_state >> 32), alpha = value >> 24;
        alpha = alpha < 64 ? 0 : alpha > 160 ? 255 : alpha;
        uint32_t pixel = alpha << 24;
        for (unsigned channel = 0; channel < 24; channel += 8)
            pixel |= (value >> channel & 0xFF) * alpha / 255 << channel;
        pixels[i] = pixel;
    }
}

static uint8_t *allocate(void)
{
    void *memory =
        mmap(NULL, MEMORY_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("raster_bench: memory");
        exit(3);
    }
    madvise(memory, MEMORY_SIZE, MADV_HUGEPAGE);
    memset(memory, 0x33, MEMORY_SIZE);
    return memory;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        rounds = (unsigned)strtoul(argv[1], NULL, 10);
    if (argc > 2)
        wanted_row = argv[2];
    if (rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "raster_bench: between 1 and %d rounds\n", ROUNDS_MAX);
        return 2;
    }
    to_memory = allocate();
    from_memory = allocate();
    make_pixels((void *)from_memory, 16u * MIB);
    printf("speed relative to the limit, median of %u rounds\n\nmemory\n", rounds);
    bench_memory();
    bench_compare(1920, 1080);
    bench_raster(1920, 1080);
    bench_raster(256, 256);
    return 0;
}

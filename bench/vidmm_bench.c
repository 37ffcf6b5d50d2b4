/* What vidmm costs: the range allocator in nanoseconds, policies of eviction in bytes paged in.
 *
 *     vidmm_bench allocator   ns per operation at 85-95 % occupancy, the harness's own cost off
 *     vidmm_bench policies    bytes paged in by synthetic traces, beside the least there can be
 *     vidmm_bench prepare     ns per prepare when everything is resident
 *
 * Everything but the clock is seeded: the byte counts are the same on every machine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/check.h"
#include "vidmm/internal.h"

static double now_ns(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static double next_unit(uint64_t *state)
{
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

/* Pareto, a = 0.6, cut to [low, high]; in 64 KiB steps from 64 KiB on, as video memory is asked
 * for. */
static uint32_t next_pages(uint64_t *state, double low_pages, double high_pages)
{
    const double a = 0.6;
    double ratio = pow(low_pages / high_pages, a), u = next_unit(state);
    uint32_t pages = (uint32_t)(low_pages / pow(1 - u * (1 - ratio), 1 / a));

    return pages < 16 ? pages : (pages + 15) / 16 * 16;
}

/* ---- The allocator --------------------------------------------------------------------------- */

enum { LIVE_MAX = 1 << 20, SIZE_COUNT = 1 << 16 };

struct churn {
    struct range_allocator ranges;
    uint64_t page_count, used_pages;
    uint32_t *live, *live_pages, live_count;
    uint32_t sizes[SIZE_COUNT];
    uint64_t random, size_index, failed, allocations;
    double target;
    bool null; /* only the harness */
};

static void churn_step(struct churn *churn)
{
    uint64_t random = next_random(&churn->random);
    double occupancy = (double)churn->used_pages / (double)churn->page_count;

    if ((random & 0xFFF) == 0) {
        churn->target = 0.85 + 0.10 * next_unit(&churn->random);
    }
    if (occupancy < churn->target) {
        uint32_t pages = churn->sizes[churn->size_index++ % SIZE_COUNT];
        uint32_t node =
            churn->null ? churn->live_count : range_alloc(&churn->ranges, pages, 1, false, NULL);
        churn->allocations++;
        if (node == RANGE_NONE || churn->live_count == LIVE_MAX) {
            churn->failed++;
            churn->target = 0.85; /* free some first */
            return;
        }
        churn->live[churn->live_count] = node;
        churn->live_pages[churn->live_count++] = pages;
        churn->used_pages += pages;
    } else if (churn->live_count > 0) {
        uint32_t victim = (uint32_t)((random >> 20) % churn->live_count);
        churn->used_pages -= churn->live_pages[victim];
        if (!churn->null) {
            range_free(&churn->ranges, churn->live[victim]);
        }
        churn->live[victim] = churn->live[--churn->live_count];
        churn->live_pages[victim] = churn->live_pages[churn->live_count];
    }
}

static double run_churn(struct churn *churn, uint64_t bytes, bool null, unsigned steps)
{
    churn->page_count = bytes / VIDMM_PAGE_BYTES;
    churn->used_pages = churn->live_count = 0;
    churn->random = 42;
    churn->size_index = churn->failed = churn->allocations = 0;
    churn->target = 0.9;
    churn->null = null;
    if (!NT_SUCCESS(range_init(&churn->ranges, churn->page_count))) {
        return 0;
    }
    while ((double)churn->used_pages < 0.9 * (double)churn->page_count) {
        churn_step(churn);
    }
    for (unsigned i = 0; i < steps / 2; i++) {
        churn_step(churn);
    }
    churn->failed = churn->allocations = 0;
    double begin = now_ns();
    for (unsigned i = 0; i < steps; i++) {
        churn_step(churn);
    }
    return (now_ns() - begin) / steps;
}

static int bench_allocator(void)
{
    struct churn *churn = calloc(1, sizeof(*churn));

    if (!churn || !(churn->live = malloc(LIVE_MAX * sizeof(*churn->live))) ||
        !(churn->live_pages = malloc(LIVE_MAX * sizeof(*churn->live_pages)))) {
        return EXIT_FAILURE;
    }
    uint64_t random = 7;
    for (unsigned i = 0; i < SIZE_COUNT; i++) {
        churn->sizes[i] = next_pages(&random, 1, 16384);
    }
    printf("heap_gib\tgross_ns\tharness_ns\tnet_ns\tfailed_percent\tlargest_of_free\n");
    for (uint64_t gib = 4; gib <= 64; gib *= 16) {
        double best = INFINITY, harness = INFINITY;
        for (unsigned repeat = 0; repeat < 3; repeat++) {
            harness = fmin(harness, run_churn(churn, gib << 30, true, 400000));
            range_fini(&churn->ranges);
            best = fmin(best, run_churn(churn, gib << 30, false, 400000));
            if (repeat < 2) {
                range_fini(&churn->ranges);
            }
        }
        printf("%llu\t%.1f\t%.1f\t%.1f\t%.3f\t%.3f\n", (unsigned long long)gib, best, harness,
               best - harness, 100.0 * (double)churn->failed / (double)churn->allocations,
               (double)range_largest_free(&churn->ranges) / (double)churn->ranges.free_pages);
        range_fini(&churn->ranges);
    }
    free(churn->live);
    free(churn->live_pages);
    free(churn);
    return EXIT_SUCCESS;
}

/* ---- Policies -------------------------------------------------------------------------------- */

enum { ITEM_MAX = 4096, BATCH_MAX = 12, TRACE_STEPS = 6000 };
#define VRAM_BYTES (UINT64_C(256) << 20)
#define MIB        1048576.0

/* A trace gives, step by step, the items that one submission uses. */
struct trace {
    const char *name;
    double overcommit;
    unsigned (*next)(struct trace *trace, unsigned *items);
    double skew;
    unsigned item_count, position, direction;
    uint64_t random;
    double *cumulative; /* zipf */
};

static unsigned next_loop(struct trace *trace, unsigned *items)
{
    for (unsigned i = 0; i < 4; i++) {
        items[i] = trace->position++ % trace->item_count;
    }
    return 4;
}

static unsigned next_noisy_loop(struct trace *trace, unsigned *items)
{
    unsigned count = 0;

    for (unsigned i = 0; i < 6; i++) {
        unsigned item = trace->position++ % trace->item_count;
        if (next_random(&trace->random) % 100 >= 15) {
            items[count++] = item;
        }
    }
    return count;
}

static unsigned zipf(struct trace *trace)
{
    double u = next_unit(&trace->random) * trace->cumulative[trace->item_count - 1];
    unsigned low = 0, high = trace->item_count - 1;

    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (trace->cumulative[middle] < u) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (low * 2654435761u) % trace->item_count; /* popular ones anywhere */
}

static unsigned next_zipf(struct trace *trace, unsigned *items)
{
    for (unsigned i = 0; i < 4; i++) {
        items[i] = zipf(trace);
    }
    return 4;
}

static unsigned next_zipf_scan(struct trace *trace, unsigned *items)
{
    return trace->position++ % 400 < 60 ? (trace->position += 3, next_loop(trace, items))
                                        : next_zipf(trace, items);
}

static unsigned next_phases(struct trace *trace, unsigned *items)
{
    unsigned phase = trace->position / 3000, window = trace->item_count / 3;
    for (unsigned i = 0; i < 4; i++) {
        items[i] = (phase * (window / 2) + trace->position++ % window) % trace->item_count;
    }
    return 4;
}

/* Two processes take turns, each going through its own frame. */
static unsigned next_two(struct trace *trace, unsigned *items)
{
    unsigned half = trace->item_count / 2, turn = trace->position / half % 2;
    for (unsigned i = 0; i < 4; i++) {
        items[i] = turn * half + trace->position % half;
        trace->position++;
    }
    return 4;
}

/* A foreground loop that fits, and a background that reads everything once. */
static unsigned next_scan(struct trace *trace, unsigned *items)
{
    unsigned foreground = trace->item_count / 4;
    for (unsigned i = 0; i < 4; i++) {
        items[i] = trace->position++ % foreground;
    }
    items[4] = foreground + trace->direction++ % (trace->item_count - foreground);
    return 5;
}

static unsigned next_there_and_back(struct trace *trace, unsigned *items)
{
    for (unsigned i = 0; i < 4; i++) {
        unsigned at = trace->position++ % (2 * trace->item_count);
        items[i] = at < trace->item_count ? at : 2 * trace->item_count - 1 - at;
    }
    return 4;
}

static struct trace traces[] = {
    {.name = "loop_1.1", .overcommit = 1.1, .next = next_loop},
    {.name = "loop_1.5", .overcommit = 1.5, .next = next_loop},
    {.name = "loop_3", .overcommit = 3, .next = next_loop},
    {.name = "noisy_loop", .overcommit = 1.3, .next = next_noisy_loop},
    {.name = "zipf_0.8", .overcommit = 3, .next = next_zipf, .skew = 0.8},
    {.name = "zipf_1.1", .overcommit = 3, .next = next_zipf, .skew = 1.1},
    {.name = "phases", .overcommit = 3, .next = next_phases},
    {.name = "two_processes", .overcommit = 1.35, .next = next_two},
    {.name = "foreground_scan", .overcommit = 3, .next = next_scan},
    {.name = "there_and_back", .overcommit = 1.5, .next = next_there_and_back},
    {.name = "zipf_scan", .overcommit = 3, .next = next_zipf_scan, .skew = 1.0},
};

static const struct vidmm_backend no_backend;

static void run_operations(struct vidmm *vidmm)
{
    struct vidmm_op *op;

    while ((op = vidmm_paging_next(vidmm)) != NULL) {
        vidmm_paging_done(op, STATUS_SUCCESS);
    }
}

static bool make_zipf(struct trace *trace)
{
    double sum = 0;

    trace->cumulative = malloc(trace->item_count * sizeof(*trace->cumulative));
    for (unsigned i = 0; trace->cumulative && i < trace->item_count; i++) {
        sum += pow(i + 1.0, -trace->skew);
        trace->cumulative[i] = sum;
    }
    return trace->cumulative != NULL;
}

struct population {
    struct vidmm *vidmm;
    struct vidmm_allocation *items;
    unsigned count;
};

static struct vidmm *make_vidmm(const struct vidmm_policy *policy)
{
    const struct vidmm_segment_options segment = {.size_bytes = VRAM_BYTES};
    const struct vidmm_config config = {.backend = &no_backend,
                                        .segments = &segment,
                                        .segment_count = 1,
                                        .policy = policy,
                                        .evict_clean_by_discard = true};
    struct vidmm *vidmm;

    return NT_SUCCESS(vidmm_create(&config, &vidmm)) ? vidmm : NULL;
}

static bool populate(struct population *population, double overcommit)
{
    uint64_t bytes = 0, random = 99;

    population->items = calloc(ITEM_MAX, sizeof(*population->items));
    population->count = 0;
    while (population->items && (double)bytes < overcommit * (double)VRAM_BYTES &&
           population->count < ITEM_MAX) {
        const struct vidmm_allocation_options options = {
            .size_bytes = next_pages(&random, 16, 4096) * VIDMM_PAGE_BYTES,
            .read_segments = 1,
            .write_segments = 1};
        NTSTATUS status = vidmm_allocation_init(&population->items[population->count++],
                                                population->vidmm, &options);
        if (!NT_SUCCESS(status)) {
            return false;
        }
        bytes += options.size_bytes;
    }
    return population->items != NULL;
}

static void depopulate(struct population *population)
{
    struct vidmm_wait wait;

    for (unsigned i = 0; i < population->count; i++) {
        NTSTATUS status = vidmm_allocation_retire(&population->items[i], &wait);
        CHECK_THAT(status == STATUS_SUCCESS);
        vidmm_allocation_fini(&population->items[i]);
    }
    free(population->items);
}

/* One submission, from prepare to retire. Reads only: what comes in is what is counted. */
static void submit(struct population *population, struct vidmm_use *use, const unsigned *items,
                   unsigned count)
{
    struct vidmm_reference references[BATCH_MAX];
    struct vidmm_prepare_result result;

    for (unsigned i = 0; i < count; i++) {
        references[i] = (struct vidmm_reference){.allocation = &population->items[items[i]],
                                                 .slot = VIDMM_NO_SLOT};
    }
    const struct vidmm_prepare_request request = {.references = references, .count = count};
    vidmm_prepare(use, &request, &result);
    CHECK_THAT(result.outcome == VIDMM_READY);
    run_operations(population->vidmm);
    vidmm_use_retire(use);
}

/* The same trace for everybody. */
static bool begin_trace(struct trace *trace, const struct population *population)
{
    trace->random = 12345;
    trace->item_count = population->count;
    return trace->skew == 0 || make_zipf(trace);
}

static bool run_trace(struct trace trace, const struct vidmm_policy *policy, uint64_t *bytes)
{
    struct population population = {.vidmm = make_vidmm(policy)};
    struct vidmm_use use;
    struct vidmm_statistics statistics;
    unsigned items[BATCH_MAX];

    if (!population.vidmm || !populate(&population, trace.overcommit) ||
        !begin_trace(&trace, &population)) {
        return false;
    }
    vidmm_use_init(&use, population.vidmm);
    for (unsigned step = 0; step < TRACE_STEPS; step++) {
        unsigned count = trace.next(&trace, items);
        submit(&population, &use, items, count);
    }
    vidmm_statistics(population.vidmm, &statistics);
    *bytes = statistics.paged_in_bytes + statistics.filled_bytes;
    vidmm_use_fini(&use);
    free(trace.cumulative);
    depopulate(&population);
    vidmm_destroy(population.vidmm);
    return true;
}

/* The least that anybody can page in: who knows the future, and evicts from what is used last, byte
 * by byte. Since a byte costs the same wherever it is, nobody does better, nor with whole
 * allocations. */
struct oracle {
    unsigned items[TRACE_STEPS][BATCH_MAX], counts[TRACE_STEPS];
    unsigned next[TRACE_STEPS][BATCH_MAX]; /* the step of each item's next use */
    uint64_t resident[ITEM_MAX], used, paged_in;
    unsigned next_use[ITEM_MAX];
};

static void look_ahead(struct oracle *oracle, struct trace *trace)
{
    for (unsigned step = 0; step < TRACE_STEPS; step++) {
        oracle->counts[step] = trace->next(trace, oracle->items[step]);
    }
    for (unsigned i = 0; i < ITEM_MAX; i++) {
        oracle->next_use[i] = TRACE_STEPS;
    }
    for (unsigned step = TRACE_STEPS; step-- > 0;) {
        for (unsigned i = 0; i < oracle->counts[step]; i++) {
            oracle->next[step][i] = oracle->next_use[oracle->items[step][i]];
        }
        for (unsigned i = 0; i < oracle->counts[step]; i++) {
            oracle->next_use[oracle->items[step][i]] = step;
        }
    }
}

static void evict_last_used(struct oracle *oracle, unsigned count, unsigned step)
{
    while (oracle->used > VRAM_BYTES) {
        unsigned victim = ITEM_MAX;
        for (unsigned i = 0; i < count; i++) {
            if (oracle->resident[i] && oracle->next_use[i] > step &&
                (victim == ITEM_MAX || oracle->next_use[i] > oracle->next_use[victim])) {
                victim = i;
            }
        }
        uint64_t over = oracle->used - VRAM_BYTES;
        uint64_t bytes = over < oracle->resident[victim] ? over : oracle->resident[victim];
        oracle->resident[victim] -= bytes;
        oracle->used -= bytes;
    }
}

static bool run_oracle(struct trace trace, uint64_t *bytes)
{
    struct population population = {.vidmm = make_vidmm(NULL)};
    struct oracle *oracle = calloc(1, sizeof(*oracle));

    if (!oracle || !population.vidmm || !populate(&population, trace.overcommit) ||
        !begin_trace(&trace, &population)) {
        return false;
    }
    look_ahead(oracle, &trace);
    for (unsigned step = 0; step < TRACE_STEPS; step++) {
        for (unsigned i = 0; i < oracle->counts[step]; i++) {
            unsigned item = oracle->items[step][i];
            uint64_t missing = population.items[item].size_bytes - oracle->resident[item];
            oracle->resident[item] += missing;
            oracle->used += missing;
            oracle->paged_in += missing;
            oracle->next_use[item] = step;
        }
        evict_last_used(oracle, population.count, step);
        for (unsigned i = 0; i < oracle->counts[step]; i++) {
            oracle->next_use[oracle->items[step][i]] = oracle->next[step][i];
        }
    }
    *bytes = oracle->paged_in;
    free(oracle);
    free(trace.cumulative);
    depopulate(&population);
    vidmm_destroy(population.vidmm);
    return true;
}

static int bench_policies(void)
{
    static const struct vidmm_policy *const policies[] = {&vidmm_policy_lru, &vidmm_policy_etr,
                                                          &vidmm_policy_mru};
    double of_lru = 1, of_bound = 1, mru_of_lru = 1;
    size_t trace_count = sizeof(traces) / sizeof(traces[0]);

    printf("trace\tbound_mib\tlru_mib\tetr_mib\tmru_mib\tetr_of_lru\tmru_of_lru\tetr_of_bound\n");
    for (size_t i = 0; i < trace_count; i++) {
        uint64_t bytes[3], bound;
        for (unsigned j = 0; j < 3; j++) {
            if (!run_trace(traces[i], policies[j], &bytes[j])) {
                return EXIT_FAILURE;
            }
        }
        if (!run_oracle(traces[i], &bound)) {
            return EXIT_FAILURE;
        }
        double lru = (double)bytes[0], etr = (double)bytes[1], mru = (double)bytes[2];
        of_lru *= etr / lru;
        mru_of_lru *= mru / lru;
        of_bound *= etr / (double)bound;
        printf("%s\t%llu\t%.0f\t%.0f\t%.0f\t%.3f\t%.3f\t%.3f\n", traces[i].name,
               (unsigned long long)bound >> 20, lru / MIB, etr / MIB, mru / MIB, etr / lru,
               mru / lru, etr / (double)bound);
    }
    printf("geometric_mean\t\t\t\t\t%.3f\t%.3f\t%.3f\n", pow(of_lru, 1.0 / (double)trace_count),
           pow(mru_of_lru, 1.0 / (double)trace_count), pow(of_bound, 1.0 / (double)trace_count));
    return EXIT_SUCCESS;
}

/* ---- Prepare --------------------------------------------------------------------------------- */

static int bench_prepare(void)
{
    struct population population = {.vidmm = make_vidmm(NULL)};
    struct vidmm_use use;
    unsigned items[BATCH_MAX];
    uint64_t random = 5;
    enum { STEPS = 200000 };

    if (!population.vidmm || !populate(&population, 0.5)) {
        return EXIT_FAILURE;
    }
    vidmm_use_init(&use, population.vidmm);
    double begin = 0;
    for (unsigned step = 0; step < 2 * STEPS; step++) {
        if (step == STEPS) {
            begin = now_ns();
        }
        for (unsigned i = 0; i < 8; i++) {
            items[i] = (unsigned)(next_random(&random) % population.count);
        }
        submit(&population, &use, items, 8);
    }
    printf("prepare_and_retire_of_8_ns\t%.1f\n", (now_ns() - begin) / STEPS);
    vidmm_use_fini(&use);
    depopulate(&population);
    vidmm_destroy(population.vidmm);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    const struct machine_config machine = {.seed = 1};
    const char *what = argc > 1 ? argv[1] : "";
    int result = EXIT_FAILURE;

    if (!NT_SUCCESS(machine_create(&machine))) {
        return EXIT_FAILURE;
    }
    if (strcmp(what, "allocator") == 0) {
        result = bench_allocator();
    } else if (strcmp(what, "policies") == 0) {
        result = bench_policies();
    } else if (strcmp(what, "prepare") == 0) {
        result = bench_prepare();
    } else {
        fprintf(stderr, "usage: vidmm_bench allocator | policies | prepare\n");
    }
    machine_destroy();
    return result;
}

/* pressure: several processes whose surfaces are three times as large as video memory.
 *
 * Each surface holds a pattern of its own. In seeded order each is used by a present, so that it
 * must come into memory that the GPU reaches and others must leave, and then every byte is looked
 * at. Primaries (video memory only) are filled and read through presents; shadow and staging
 * surfaces by the CPU, and a piece of them through a present as well. What paging loses, doubles or
 * mixes up shows as bytes that are wrong.
 *
 * It needs no knowledge of a driver's commands. */
#include "gpu.h"
#include "large.h"
#include "workloads.h"

#include <stdlib.h>
#include <string.h>

#define TIMES_VIDEO_MEMORY 3
#define TOTAL_BYTES_MAX    (UINT64_C(640) << 20) /* what the simulated computer has room for */
#define PRIMARY_SHARE      60                    /* of all bytes, in hundredths */
#define PIECE              64                    /* pixels either way, through presents */
#define PROCESSES_MIN      2
#define PROCESSES_MAX      8
#define SURFACES_MAX       512                /* of a process */
#define PACE_NS            UINT64_C(24000000) /* from one visit of a process to the next */
#define SITE_SIZE          0                  /* plus the process */
#define SITE_ORDER         20
#define SITE_REWRITE       40

struct held {
    struct surface surface;
    bool primary;
    uint32_t key; /* of its pattern */
};

struct pressure {
    const struct drydock_workload_host *host;
    unsigned width, height; /* of primaries */
    D3DDDIFORMAT format;
    uint64_t bytes_per_process;
    uint64_t start_ns;
    unsigned process_count, filled_count;
    struct drydock_event *filled; /* a process has all its surfaces */
    struct drydock_event *go[PROCESSES_MAX];
};

struct member {
    struct pressure *pressure;
    unsigned index;
    struct gpu gpu;
    struct held *held;
    unsigned count;
    uint64_t bytes;
    struct surface transfer; /* as large as a primary: how patterns get in and out */
    struct surface piece;
};

/* ---- Patterns ------------------------------------------------------------------------------ */

#define PATTERN_STEP 0x9E3779B1u

static uint32_t pattern(uint32_t key, uint32_t index)
{
    uint32_t value = (index + key) * PATTERN_STEP;

    return value ^ value >> 15 ^ key;
}

/* The same of four pixels in a row; PATTERN_STEP times as far is the next pixel's value. */
typedef uint32_t four __attribute__((vector_size(16), aligned(4), may_alias));
#define FOUR 4u

static four values_at(uint32_t key, uint32_t index)
{
    const four steps = {0, PATTERN_STEP, 2 * PATTERN_STEP, 3 * PATTERN_STEP};

    return steps + (index + key) * PATTERN_STEP;
}

static void write_row(uint32_t *row, unsigned width, uint32_t key, uint32_t index)
{
    four values = values_at(key, index);
    unsigned x = 0;

    for (; x + FOUR <= width; x += FOUR, values += FOUR * PATTERN_STEP) {
        *(four *)(void *)(row + x) = values ^ values >> 15 ^ key;
    }
    for (; x < width; x++) {
        row[x] = pattern(key, index + x);
    }
}

/* The bits in which any pixel differs. */
static uint32_t difference(const uint32_t *row, unsigned width, uint32_t key, uint32_t index)
{
    four values = values_at(key, index), others = {0};
    uint32_t other = 0;
    unsigned x = 0;

    for (; x + FOUR <= width; x += FOUR, values += FOUR * PATTERN_STEP) {
        others |= *(const four *)(const void *)(row + x) ^ values ^ values >> 15 ^ key;
    }
    for (; x < width; x++) {
        other |= row[x] ^ pattern(key, index + x);
    }
    return other | others[0] | others[1] | others[2] | others[3];
}

static uint32_t new_key(struct member *member)
{
    const struct drydock_workload_host *host = member->pressure->host;

    return (uint32_t)host->random(host, SITE_REWRITE + member->index);
}

static void write_pattern(void *bytes, const struct surface *surface, uint32_t key)
{
    for (unsigned y = 0; y < surface->height; y++) {
        uint32_t *row = (void *)((uint8_t *)bytes + (size_t)y * surface->pitch);
        write_row(row, surface->width, key, y * surface->width);
    }
}

/* Bytes of the surface that are wrong. width: pixels in a row of the pattern. */
static uint64_t wrong_bytes(const void *bytes, const struct surface *surface, uint32_t key,
                            unsigned width, uint32_t mask)
{
    uint64_t wrong = 0;

    for (unsigned y = 0; y < surface->height; y++) {
        const uint32_t *row = (const void *)((const uint8_t *)bytes + (size_t)y * surface->pitch);
        uint32_t differing = difference(row, surface->width, key, y * width);
        for (unsigned x = 0; (differing & mask) && x < surface->width; x++) {
            uint32_t bits = (row[x] ^ pattern(key, y * width + x)) & mask;
            for (; bits; bits >>= 8) {
                wrong += (bits & 0xFF) != 0;
            }
        }
    }
    return wrong;
}

static bool judge(struct member *member, const struct held *held, uint64_t wrong, const char *how)
{
    const struct drydock_workload_host *host = member->pressure->host;

    if (wrong) {
        host->count(host, "pressure.bytes_wrong", wrong);
        host->fail(host, "process %u: %llu bytes of a %s of %u x %u are wrong (%s)", member->index,
                   (unsigned long long)wrong, held->primary ? "primary" : "surface",
                   held->surface.width, held->surface.height, how);
    }
    return wrong == 0;
}

/* ---- Filling and looking ------------------------------------------------------------------- */

static bool fill_by_cpu(struct member *member, const struct surface *surface, uint32_t key)
{
    void *bytes = gpu_lock(&member->gpu, surface, false);

    if (!bytes) {
        return false;
    }
    write_pattern(bytes, surface, key);
    gpu_unlock(&member->gpu, surface);
    return true;
}

static bool fill(struct member *member, struct held *held)
{
    held->key = new_key(member);
    if (!held->primary) {
        return fill_by_cpu(member, &held->surface, held->key);
    }
    return fill_by_cpu(member, &member->transfer, held->key) &&
           gpu_blt(&member->gpu, &held->surface, 0, 0, &member->transfer,
                   box_at(0, 0, (int)held->surface.width, (int)held->surface.height));
}

/* A copy of a surface's upper left corner must have that corner's pattern. The driver may set the
 * bits that a format without alpha does not use. */
static bool check_through(struct member *member, const struct held *held,
                          const struct surface *copy)
{
    struct gpu *gpu = &member->gpu;

    if (!gpu_blt(gpu, copy, 0, 0, &held->surface,
                 box_at(0, 0, (int)copy->width, (int)copy->height))) {
        return false;
    }
    const void *bytes = gpu_lock(gpu, copy, true);
    if (!bytes) {
        return false;
    }
    uint64_t wrong = wrong_bytes(bytes, copy, held->key, held->surface.width, 0xFFFFFF);
    gpu_unlock(gpu, copy);
    return judge(member, held, wrong, "read through a present");
}

static bool check_by_cpu(struct member *member, const struct held *held)
{
    const void *bytes = gpu_lock(&member->gpu, &held->surface, true);

    if (!bytes) {
        return false;
    }
    uint64_t wrong = wrong_bytes(bytes, &held->surface, held->key, held->surface.width, UINT32_MAX);
    gpu_unlock(&member->gpu, &held->surface);
    return judge(member, held, wrong, "read by the CPU");
}

static bool check(struct member *member, const struct held *held)
{
    const struct drydock_workload_host *host = member->pressure->host;

    host->count(host, "pressure.bytes_checked", held->surface.size_bytes);
    if (held->primary) {
        return check_through(member, held, &member->transfer);
    }
    return check_through(member, held, &member->piece) && check_by_cpu(member, held);
}

/* ---- Making -------------------------------------------------------------------------------- */

static bool add(struct member *member, struct held *held)
{
    struct pressure *pressure = member->pressure;
    const struct drydock_workload_host *host = pressure->host;
    uint32_t chance = (uint32_t)host->random(host, SITE_SIZE + member->index);

    held->primary = pressure->width && chance % 100 < PRIMARY_SHARE;
    if (held->primary) {
        return gpu_surface_create(&member->gpu, DRYDOCK_SURFACE_PRIMARY, pressure->width,
                                  pressure->height, pressure->format, false, &held->surface);
    }
    unsigned width = PIECE + (chance >> 8) % 1200, height = PIECE + (chance >> 20) % 900;
    return gpu_surface_create(&member->gpu,
                              chance & 0x80 ? DRYDOCK_SURFACE_STAGING : DRYDOCK_SURFACE_SHADOW,
                              width, height, D3DDDIFMT_A8R8G8B8, false, &held->surface);
}

static bool make_all(struct member *member)
{
    struct pressure *pressure = member->pressure;
    struct gpu *gpu = &member->gpu;
    unsigned width = pressure->width ? pressure->width : PIECE;
    unsigned height = pressure->height ? pressure->height : PIECE;
    bool good = gpu_surface_create(gpu, DRYDOCK_SURFACE_SHADOW, width, height, D3DDDIFMT_A8R8G8B8,
                                   false, &member->transfer) &&
                gpu_surface_create(gpu, DRYDOCK_SURFACE_SHADOW, PIECE, PIECE, D3DDDIFMT_A8R8G8B8,
                                   false, &member->piece);

    while (good && member->bytes < pressure->bytes_per_process && member->count < SURFACES_MAX) {
        struct held *held = &member->held[member->count];
        good = add(member, held);
        if (good) {
            member->count++;
            member->bytes += held->surface.size_bytes;
            good = fill(member, held);
        }
    }
    pressure->host->count(pressure->host, "pressure.allocations", member->count);
    pressure->host->count(pressure->host, "pressure.bytes_total", member->bytes);
    return good;
}

static void destroy_all(struct member *member)
{
    for (unsigned i = 0; i < member->count; i++) {
        gpu_surface_destroy(&member->gpu, &member->held[i].surface);
    }
    gpu_surface_destroy(&member->gpu, &member->transfer);
    gpu_surface_destroy(&member->gpu, &member->piece);
}

/* ---- Rounds -------------------------------------------------------------------------------- */

static void shuffle(struct member *member)
{
    const struct drydock_workload_host *host = member->pressure->host;

    for (unsigned i = member->count; i > 1; i--) {
        unsigned other = (unsigned)(host->random(host, SITE_ORDER + member->index) % i);
        struct held held = member->held[i - 1];
        member->held[i - 1] = member->held[other];
        member->held[other] = held;
    }
}

/* Offers the content and takes it back: what is still there must be right, what was thrown away
 * without a copy is written anew. */
static bool offer(struct member *member, struct held *held, bool evict)
{
    const struct drydock_workload_host *host = member->pressure->host;
    struct gpu *gpu = &member->gpu;
    bool discarded;

    if (!gpu_offer(gpu, &held->surface) || (evict && !gpu_evict(gpu, &held->surface))) {
        return false;
    }
    host->sleep_until(host, host->now_ns(host) + PACE_NS); /* others may take its room */
    if (!gpu_reclaim(gpu, &held->surface, &discarded)) {
        return false;
    }
    host->count(host, discarded ? "pressure.offers_discarded" : "pressure.offers_kept", 1);
    return discarded ? fill(member, held) : check(member, held);
}

/* Looks at one; now and then sends it away first, or gives it a new pattern after. */
static bool visit(struct member *member, struct held *held)
{
    struct gpu *gpu = &member->gpu;
    uint32_t chance = new_key(member);

    /* What lives in video memory has the most to lose. */
    if (chance % 8 == 2 || (held->primary && chance % 4 == 3)) {
        return offer(member, held, held->primary || (chance & 0x100));
    }
    if (chance % 8 == 0 && !gpu_evict(gpu, &held->surface)) {
        return false;
    }
    return check(member, held) && (chance % 5 != 1 || fill(member, held));
}

static bool is_over(struct member *member, uint64_t *elapsed)
{
    const struct drydock_workload_host *host = member->pressure->host;

    *elapsed = host->now_ns(host) - member->pressure->start_ns;
    return *elapsed >= host->duration_ns || host->failed(host);
}

/* The first visits are sure to see what is thrown away without a copy. */
static bool visit_first(struct member *member)
{
    for (unsigned i = 0; i < member->count; i++) {
        if (member->held[i].primary) {
            return offer(member, &member->held[i], true);
        }
    }
    return true;
}

/* At least one whole round; then on, visit by visit, until the time is over. */
static void run_rounds(struct member *member)
{
    struct pressure *pressure = member->pressure;
    const struct drydock_workload_host *host = pressure->host;
    uint64_t elapsed = 0;

    if (!visit_first(member)) {
        return;
    }
    for (unsigned round = 0; round == 0 || !is_over(member, &elapsed); round++) {
        shuffle(member);
        for (unsigned i = 0; i < member->count; i++) {
            if (host->failed(host) || (is_over(member, &elapsed) && round > 0)) {
                return;
            }
            if (member->index == 0) {
                uint64_t at = elapsed < host->duration_ns ? elapsed : host->duration_ns;
                host->progress(host, at, host->duration_ns);
            }
            uint64_t next = host->now_ns(host) + PACE_NS;
            if (!visit(member, &member->held[i])) {
                return;
            }
            host->sleep_until(host, next);
        }
        host->count(host, "pressure.rounds", 1);
    }
}

static void member_run(void *argument)
{
    struct member *member = argument;
    struct pressure *pressure = member->pressure;
    const struct drydock_workload_host *host = pressure->host;
    bool good = gpu_open(&member->gpu, host, 0);

    good = good && make_all(member);
    pressure->filled_count++;
    host->event_signal(host, pressure->filled);
    host->event_wait(host, pressure->go[member->index], DRYDOCK_NEVER);
    if (good && !host->failed(host)) {
        run_rounds(member);
    }
    if (member->gpu.device) {
        destroy_all(member);
        gpu_close(&member->gpu);
    }
}

/* ---- The whole ----------------------------------------------------------------------------- */

static bool query(struct gpu *gpu, KMTQUERYADAPTERINFOTYPE type, void *answer, unsigned size)
{
    const D3DKMT_QUERYADAPTERINFO arguments = {.hAdapter = gpu->adapter,
                                               .Type = type,
                                               .pPrivateDriverData = answer,
                                               .PrivateDriverDataSize = size};

    return D3DKMTQueryAdapterInfo(&arguments) >= 0;
}

/* False if there is nothing to do here. */
static bool look_around(struct pressure *pressure)
{
    const struct drydock_workload_host *host = pressure->host;
    D3DKMT_SEGMENTSIZEINFO sizes = {0};
    D3DKMT_CURRENTDISPLAYMODE mode = {.VidPnSourceId = 0};
    struct gpu gpu;

    if (!gpu_open(&gpu, host, 0)) {
        return false;
    }
    bool shown = query(&gpu, KMTQAITYPE_CURRENTDISPLAYMODE, &mode, sizeof mode);
    bool sized = gpu_check(&gpu,
                           query(&gpu, KMTQAITYPE_GETSEGMENTSIZE, &sizes, sizeof sizes)
                               ? STATUS_SUCCESS
                               : STATUS_NOT_SUPPORTED,
                           "D3DKMTQueryAdapterInfo (GETSEGMENTSIZE)");
    gpu_close(&gpu);
    if (!sized) {
        return false;
    }
    if (!shown) {
        host->note(host, "left out: nothing is shown; the workload memory does without");
        return false;
    }
    uint64_t memory = sizes.DedicatedVideoMemorySize ? sizes.DedicatedVideoMemorySize
                                                     : sizes.SharedSystemMemorySize;
    uint64_t total = memory > TOTAL_BYTES_MAX / TIMES_VIDEO_MEMORY ? TOTAL_BYTES_MAX
                                                                   : memory * TIMES_VIDEO_MEMORY;
    if (total < memory * TIMES_VIDEO_MEMORY) {
        host->note(host, "%llu MB in use, less than three times the video memory of %llu MB",
                   (unsigned long long)(total >> 20), (unsigned long long)(memory >> 20));
    }
    pressure->bytes_per_process = total / pressure->process_count;
    if (mode.DisplayMode.Format == D3DDDIFMT_X8R8G8B8 ||
        mode.DisplayMode.Format == D3DDDIFMT_A8R8G8B8) {
        pressure->width = mode.DisplayMode.Width;
        pressure->height = mode.DisplayMode.Height;
        pressure->format = mode.DisplayMode.Format;
    }
    large_moves(host, &mode.DisplayMode, sizes.DedicatedVideoMemorySize);
    return !host->failed(host);
}

static void run_members(struct pressure *pressure, struct member *members)
{
    const struct drydock_workload_host *host = pressure->host;
    struct drydock_process *processes[PROCESSES_MAX];
    unsigned started = 0;

    for (; started < pressure->process_count; started++) {
        members[started].pressure = pressure;
        members[started].index = started;
        processes[started] =
            host->start_process(host, "pressure-client", member_run, &members[started]);
        if (!processes[started]) {
            host->fail(host, "a client process cannot be started");
            break;
        }
    }
    while (pressure->filled_count < started) {
        host->event_wait(host, pressure->filled, DRYDOCK_NEVER);
    }
    pressure->start_ns = host->now_ns(host);
    for (unsigned i = 0; i < started; i++) {
        host->event_signal(host, pressure->go[i]);
    }
    for (unsigned i = 0; i < started; i++) {
        host->join(host, processes[i]);
    }
}

static bool create_all(struct pressure *pressure, struct member *members)
{
    const struct drydock_workload_host *host = pressure->host;
    bool good = (pressure->filled = host->event_create(host)) != NULL;

    for (unsigned i = 0; i < pressure->process_count && good; i++) {
        members[i].held = calloc(SURFACES_MAX, sizeof *members[i].held);
        pressure->go[i] = host->event_create(host);
        good = members[i].held && pressure->go[i];
    }
    return good;
}

static void free_all(struct pressure *pressure, struct member *members)
{
    const struct drydock_workload_host *host = pressure->host;

    for (unsigned i = 0; i < pressure->process_count; i++) {
        free(members[i].held);
        if (pressure->go[i]) {
            host->event_destroy(host, pressure->go[i]);
        }
    }
    if (pressure->filled) {
        host->event_destroy(host, pressure->filled);
    }
}

static void run(const struct drydock_workload_host *host)
{
    struct pressure pressure = {.host = host, .process_count = host->process_count};
    struct member *members = calloc(PROCESSES_MAX, sizeof *members);

    pressure.process_count = pressure.process_count < PROCESSES_MIN   ? PROCESSES_MIN
                             : pressure.process_count > PROCESSES_MAX ? PROCESSES_MAX
                                                                      : pressure.process_count;
    if (members && look_around(&pressure)) {
        if (create_all(&pressure, members)) {
            run_members(&pressure, members);
        } else {
            host->fail(host, "no memory");
        }
        free_all(&pressure, members);
        host->count(host, "pressure.bytes_wrong", 0);
    }
    free(members);
}

const struct drydock_workload workload_pressure = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "pressure",
    .description = "surfaces of several processes, three times video memory, every byte checked",
    .run = run,
};

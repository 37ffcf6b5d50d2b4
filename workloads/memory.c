/* memory: allocations that move, for drivers that present nothing: render-only and compute-only
 * ones. More of them than video memory holds are written by the CPU, paged in, evicted and looked
 * at, and one is shared. Before that, for all that have memory: several in one call.
 *
 * They are what the driver describes without knowledge of its clients (shadow and staging
 * surfaces), or what the user says it would take: --allocation-data. What the CPU may not see is
 * moved all the same; the kernel follows its bytes. */
#include "gpu.h"
#include "several.h"
#include "workloads.h"

#include <stdlib.h>
#include <string.h>

#define HELD_MAX    256
#define BYTES_MAX   (UINT64_C(192) << 20)
#define OVER_MEMORY 3 / 2 /* of video memory */
#define SIDE        640
#define ROUNDS      3
#define OFFERED     8 /* one of so many visits */
#define JOINS       4 /* every so many-th of those in resources comes to another one's */
#define UNWRITTEN   8 /* every so many-th comes to the GPU before anybody wrote to it: filled */
#define SITE_ORDER  0
#define SITE_KEY    1

struct held {
    struct surface surface;
    bool visible; /* the CPU may look */
    uint32_t key;
};

struct memory {
    const struct drydock_workload_host *host;
    struct gpu gpu;
    struct held held[HELD_MAX];
    unsigned count;
    uint64_t bytes;
    D3DKMT_HANDLE base; /* a resource that others may come to; 0: none */
};

/* ---- Allocations ----------------------------------------------------------------------------- */

static NTSTATUS make_standard(struct gpu *gpu, unsigned number, struct surface *out)
{
    struct drydock_standard_allocation standard = {
        .hDevice = gpu->device,
        .kind = number % 2 ? DRYDOCK_SURFACE_STAGING : DRYDOCK_SURFACE_SHADOW,
        .width = SIDE,
        .height = SIDE,
        .format = D3DDDIFMT_A8R8G8B8,
    };
    NTSTATUS status = drydock_create_standard_allocation(&standard);

    if (status < 0 && standard.kind == DRYDOCK_SURFACE_STAGING) {
        standard.kind = DRYDOCK_SURFACE_SHADOW;
        status = drydock_create_standard_allocation(&standard);
    }
    *out = (struct surface){.allocation = standard.hAllocation, .resource = standard.hResource};
    return status;
}

/* Every so many-th comes to a resource that is there; a driver may want each by itself. */
static NTSTATUS make_joined(struct memory *memory, const struct drydock_allocation_data *data,
                            struct surface *out)
{
    NTSTATUS status = gpu_surface_describe(&memory->gpu, data, memory->base, out);

    memory->host->count(memory->host,
                        status >= 0 ? "memory_work.joined" : "memory_work.joins_refused", 1);
    return status;
}

static NTSTATUS make(struct memory *memory, unsigned number, struct surface *out)
{
    const struct drydock_workload_host *host = memory->host;

    if (host->allocation_data_count > 0) {
        const struct drydock_allocation_data *data =
            &host->allocation_data[number % host->allocation_data_count];
        if (memory->base && number % JOINS == 1 && make_joined(memory, data, out) >= 0) {
            return STATUS_SUCCESS;
        }
        return gpu_surface_describe(&memory->gpu, data, 0, out);
    }
    return make_standard(&memory->gpu, number, out);
}

static bool measure(struct memory *memory, struct surface *surface)
{
    struct drydock_allocation_size size = {.hDevice = memory->gpu.device,
                                           .hAllocation = surface->allocation};
    bool good = gpu_check(&memory->gpu, drydock_query_allocation_size(&size),
                          "drydock_query_allocation_size");

    surface->size_bytes = size.size_bytes;
    return good;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static uint32_t word_at(uint32_t key, uint32_t index)
{
    uint32_t value = (index + key) * 0x9E3779B1u;

    return value ^ value >> 15 ^ key;
}

/* False only on failure; a driver may keep an allocation from the CPU. */
static bool write_bytes(struct memory *memory, struct held *held)
{
    D3DKMT_LOCK lock = {.hDevice = memory->gpu.device,
                        .hAllocation = held->surface.allocation,
                        .Flags.LockEntire = 1};
    NTSTATUS status = D3DKMTLock(&lock);

    held->visible = status >= 0;
    if (!held->visible) {
        return status == STATUS_DEVICE_REMOVED ? gpu_check(&memory->gpu, status, "D3DKMTLock")
                                               : true;
    }
    held->key = (uint32_t)memory->host->random(memory->host, SITE_KEY);
    uint32_t *words = lock.pData;
    for (uint64_t i = 0; i < held->surface.size_bytes / 4; i++) {
        words[i] = word_at(held->key, (uint32_t)i);
    }
    gpu_unlock(&memory->gpu, &held->surface);
    return true;
}

static bool look_at(struct memory *memory, const struct held *held)
{
    const struct drydock_workload_host *host = memory->host;
    const uint32_t *words = held->visible ? gpu_lock(&memory->gpu, &held->surface, true) : NULL;
    uint64_t wrong = 0, first = 0;

    for (uint64_t i = 0; words && i < held->surface.size_bytes / 4; i++) {
        if (words[i] != word_at(held->key, (uint32_t)i)) {
            first = wrong++ ? first : i * 4;
        }
    }
    if (words) {
        gpu_unlock(&memory->gpu, &held->surface);
        host->count(host, "memory_work.bytes_checked", held->surface.size_bytes);
    }
    if (wrong) {
        host->fail(host,
                   "an allocation of %llu bytes came back with %llu words wrong, the first at "
                   "offset 0x%llX",
                   (unsigned long long)held->surface.size_bytes, (unsigned long long)wrong,
                   (unsigned long long)first);
    }
    return wrong == 0 && (words || !held->visible);
}

/* ---- Moving ---------------------------------------------------------------------------------- */

static bool page_in(struct memory *memory, const struct held *held)
{
    const struct drydock_page_in page_in = {memory->gpu.device, held->surface.allocation};

    return gpu_check(&memory->gpu, drydock_page_in(&page_in), "drydock_page_in");
}

/* Nobody needs its bytes for a while: they may be thrown away without a copy, and are when it has
 * to leave video memory. What was is written anew. */
static bool offer(struct memory *memory, struct held *held)
{
    struct gpu *gpu = &memory->gpu;
    bool discarded;

    if (!gpu_offer(gpu, &held->surface) || !gpu_evict(gpu, &held->surface) ||
        !gpu_reclaim(gpu, &held->surface, &discarded)) {
        return false;
    }
    memory->host->count(memory->host,
                        discarded ? "memory_work.offers_discarded" : "memory_work.offers_kept", 1);
    return !discarded || write_bytes(memory, held);
}

/* Standard ones are in resources, too; their data is the driver's. */
static bool host_describes(const struct memory *memory)
{
    return memory->host->allocation_data_count > 0;
}

static bool fill_memory(struct memory *memory, uint64_t bytes_wanted)
{
    bool good = true;

    while (good && memory->count < HELD_MAX && memory->bytes < bytes_wanted) {
        struct held *held = &memory->held[memory->count];
        good = gpu_check(&memory->gpu, make(memory, memory->count, &held->surface),
                         "making an allocation");
        if (good) {
            memory->count++;
            memory->base = host_describes(memory) && held->surface.resource ? held->surface.resource
                                                                            : memory->base;
            good = (memory->count % UNWRITTEN != 1 || page_in(memory, held)) &&
                   measure(memory, &held->surface) && write_bytes(memory, held) &&
                   page_in(memory, held);
            memory->bytes += held->surface.size_bytes;
        }
    }
    memory->host->count(memory->host, "memory_work.allocations", memory->count);
    return good;
}

static bool move_about(struct memory *memory)
{
    const struct drydock_workload_host *host = memory->host;
    bool good = true;

    for (unsigned i = 0; good && i < ROUNDS * memory->count && !host->failed(host); i++) {
        uint64_t chance = host->random(host, SITE_ORDER);
        struct held *held = &memory->held[chance % memory->count];
        good = (chance >> 32) % 3 != 0 || gpu_evict(&memory->gpu, &held->surface);
        if (good && (i == 0 || (chance >> 48) % OFFERED == 0)) {
            good = page_in(memory, held) && offer(memory, held);
        }
        good = good && ((chance >> 40) % 2 != 0 || page_in(memory, held)) && look_at(memory, held);
        host->progress(host, i, ROUNDS * memory->count);
    }
    return good && !host->failed(host);
}

/* ---- Shared ---------------------------------------------------------------------------------- */

/* What one device made and another opened stays when the maker goes. */
static void share(struct memory *memory)
{
    struct surface made, opened = {0};
    struct gpu maker;

    if (memory->host->allocation_data_count > 0) {
        return; /* who may open those, only their clients know */
    }
    if (!gpu_open(&maker, memory->host, 0)) {
        return;
    }
    bool good = gpu_surface_create(&maker, DRYDOCK_SURFACE_SHADOW, SIDE, SIDE / 8,
                                   D3DDDIFMT_A8R8G8B8, true, &made) &&
                gpu_surface_open(&memory->gpu, &made, &opened);
    struct held held = {.surface = opened};
    good = good && measure(memory, &held.surface) && write_bytes(memory, &held);
    gpu_surface_destroy(&maker, &made);
    gpu_close(&maker);
    if (good && page_in(memory, &held)) {
        look_at(memory, &held);
    }
    gpu_surface_destroy(&memory->gpu, &held.surface);
}

/* ---- For another adapter --------------------------------------------------------------------- */

#define ODD_WIDTH  75 /* rows and their number are aligned for the other one */
#define ODD_HEIGHT 42 /* with rows of 384 bytes two more begin another page: none hides them */

/* What the CPU writes is there when it has been paged in, and when it has left. */
static void reach_others(struct memory *memory)
{
    struct drydock_standard_allocation standard = {
        .hDevice = memory->gpu.device,
        .kind = DRYDOCK_SURFACE_CROSS_ADAPTER,
        .width = ODD_WIDTH,
        .height = ODD_HEIGHT,
        .format = D3DDDIFMT_A8R8G8B8,
    };
    struct held held = {0};

    if (drydock_create_standard_allocation(&standard) < 0) {
        return; /* the driver has none */
    }
    held.surface =
        (struct surface){.allocation = standard.hAllocation, .resource = standard.hResource};
    if (measure(memory, &held.surface) && write_bytes(memory, &held) && page_in(memory, &held) &&
        look_at(memory, &held) && gpu_evict(&memory->gpu, &held.surface) &&
        look_at(memory, &held)) {
        memory->host->count(memory->host, "memory_work.cross_adapter", 1);
    }
    gpu_surface_destroy(&memory->gpu, &held.surface);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static bool query(const struct gpu *gpu, KMTQUERYADAPTERINFOTYPE type, void *answer, unsigned size)
{
    const D3DKMT_QUERYADAPTERINFO arguments = {.hAdapter = gpu->adapter,
                                               .Type = type,
                                               .pPrivateDriverData = answer,
                                               .PrivateDriverDataSize = size};

    return D3DKMTQueryAdapterInfo(&arguments) >= 0;
}

/* Of a driver with a display the workload pressure sees more. */
static bool is_wanted(const struct memory *memory)
{
    D3DKMT_CURRENTDISPLAYMODE mode = {.VidPnSourceId = 0};

    return memory->host->allocation_data_count > 0 ||
           !query(&memory->gpu, KMTQAITYPE_CURRENTDISPLAYMODE, &mode, sizeof mode);
}

static void work(struct memory *memory)
{
    const struct drydock_workload_host *host = memory->host;
    D3DKMT_SEGMENTSIZEINFO sizes = {0};
    struct surface first;
    NTSTATUS status = make(memory, 0, &first);

    if (status < 0) {
        host->note(host,
                   "left out: the driver makes no allocation of %s (%s); --allocation-data FILE "
                   "gives it private data of its own",
                   host->allocation_data_count > 0 ? "the data that was given" : "a standard kind",
                   host->status_name(host, status));
        return;
    }
    gpu_surface_destroy(&memory->gpu, &first);
    query(&memory->gpu, KMTQAITYPE_GETSEGMENTSIZE, &sizes, sizeof sizes);
    uint64_t room = sizes.DedicatedVideoMemorySize ? sizes.DedicatedVideoMemorySize
                                                   : sizes.SharedSystemMemorySize;
    uint64_t wanted = room > BYTES_MAX ? BYTES_MAX : room * OVER_MEMORY;
    if (fill_memory(memory, wanted < BYTES_MAX ? wanted : BYTES_MAX) && move_about(memory)) {
        share(memory);
    }
    for (unsigned i = memory->count; i-- > 0;) { /* those that came to a resource before it */
        gpu_surface_destroy(&memory->gpu, &memory->held[i].surface);
    }
    host->note(host, "memory was moved and checked, without a command, for nobody here knows them: "
                     "what the driver makes of commands a workload of yours tries, --workload "
                     "FILE.so");
}

static void run(const struct drydock_workload_host *host)
{
    struct memory *memory = calloc(1, sizeof *memory);

    if (!memory) {
        host->fail(host, "no memory");
        return;
    }
    memory->host = host;
    if (gpu_open(&memory->gpu, host, 0)) {
        several_at_once(host);
        reach_others(memory);
        if (is_wanted(memory)) {
            work(memory);
        }
        gpu_close(&memory->gpu);
    }
    free(memory);
}

const struct drydock_workload workload_memory = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "memory",
    .description = "allocations that move, for drivers that present nothing, every byte checked",
    .run = run,
};

/* The CPU looks through swizzling ranges: what it writes there is what everybody finds, and an
 * address that is its own goes on showing the bytes when the allocation is evicted under the lock
 * and comes back later. Drivers without ranges are left alone. */
#include "results.h"

#define SIDE      160 /* larger than the smallest piece of a transfer that is split */
#define SITE_DATA 911

static const struct look {
    UINT data;
    bool alternate, evict;
} looks[] = {{0x11, false, false}, {0x11, true, true}, {0x22, true, false}, {0x22, true, true}};

static uint32_t word_at(uint32_t key, uint32_t index)
{
    return (index * 0x9E3779B1u) ^ key;
}

static void write_words(uint32_t *words, uint32_t count, uint32_t key)
{
    for (uint32_t i = 0; i < count; i++) {
        words[i] = word_at(key, i);
    }
}

static bool check_words(struct gpu *gpu, const uint32_t *words, uint32_t count, uint32_t key,
                        const char *when)
{
    for (uint32_t i = 0; i < count; i++) {
        if (words[i] != word_at(key, i)) {
            gpu->host->fail(
                gpu->host,
                "an allocation that was written through a swizzling range has 0x%08X at "
                "offset 0x%X, not 0x%08X, %s",
                words[i], i * 4, word_at(key, i), when);
            return false;
        }
    }
    return true;
}

/* False: the driver has none, or something is wrong, which the host was told. */
static bool lock(struct gpu *gpu, const struct surface *surface, const struct look *look,
                 uint32_t **words)
{
    D3DKMT_LOCK lock = {.hDevice = gpu->device,
                        .hAllocation = surface->allocation,
                        .PrivateDriverData = look->data,
                        .Flags.LockEntire = 1};

    lock.Flags.AcquireAperture = 1;
    lock.Flags.UseAlternateVA = look->alternate;
    NTSTATUS status = D3DKMTLock(&lock);
    *words = lock.pData;
    return status != STATUS_NOT_SUPPORTED && gpu_check(gpu, status, "D3DKMTLock (AcquireAperture)");
}

static bool evict(struct gpu *gpu, const struct surface *surface)
{
    D3DKMT_EVICT evict = {
        .hDevice = gpu->device, .NumAllocations = 1, .AllocationList = &surface->allocation};

    return gpu_check(gpu, D3DKMTEvict(&evict), "D3DKMTEvict");
}

static bool page_in(struct gpu *gpu, const struct surface *surface)
{
    const struct drydock_page_in page_in = {gpu->device, surface->allocation};

    return gpu_check(gpu, drydock_page_in(&page_in), "drydock_page_in");
}

static bool look_through(struct gpu *gpu, const struct surface *surface, const struct look *look)
{
    uint32_t count = (uint32_t)(surface->size_bytes / 4), *words;
    uint32_t key = (uint32_t)gpu->host->random(gpu->host, SITE_DATA);

    if (!lock(gpu, surface, look, &words)) {
        return false;
    }
    write_words(words, count, key);
    bool good = !look->evict || evict(gpu, surface);
    good = good && check_words(gpu, words, count, key, "where it was written");
    if (good && look->evict) {
        key = ~key;
        write_words(words, count, key);
    }
    gpu_unlock(gpu, surface);
    good = good && page_in(gpu, surface);
    const uint32_t *seen = good ? gpu_lock(gpu, surface, true) : NULL;
    if (seen) {
        good = check_words(gpu, seen, count, key, "by an ordinary lock afterwards");
        gpu_unlock(gpu, surface);
        gpu->host->count(gpu->host, "ranges.looked_through", 1);
    }
    return good && seen;
}

/* The same through a further range, while the first one shows another surface. */
static void look_beside(struct gpu *gpu, const struct surface *surface, const struct surface *other)
{
    uint32_t *words;

    if (lock(gpu, other, &(struct look){0x33, true, false}, &words)) {
        look_through(gpu, surface, &(struct look){0x44, true, true});
        gpu_unlock(gpu, other);
    }
}

bool result_of_ranges(struct gpu *gpu)
{
    struct drydock_standard_allocation description = {.kind = DRYDOCK_SURFACE_SHADOW,
                                                      .width = SIDE,
                                                      .height = SIDE,
                                                      .format = D3DDDIFMT_X8R8G8B8};
    struct surface surface = {0}, other = {0};

    if (gpu_surface_try_create(gpu, &description, &surface) < 0) {
        return true;
    }
    /* One more, so that the driver hears of more than one range. */
    bool good = gpu_surface_try_create(gpu, &description, &other) >= 0 &&
                look_through(gpu, &other, &(struct look){0x33, true, false});
    for (unsigned i = 0; good && i < sizeof looks / sizeof *looks; i++) {
        good = look_through(gpu, &surface, &looks[i]);
    }
    if (good) {
        look_beside(gpu, &surface, &other);
    }
    gpu_surface_destroy(gpu, &other);
    gpu_surface_destroy(gpu, &surface);
    return !gpu->host->failed(gpu->host) && !gpu->lost;
}

/* Several allocations in one call, for drivers whose private data nobody knows: what a standard
 * allocation was made with anybody can read who opens it, and a client may hand it in again, more
 * than once.
 *
 *   standard, shared ─> opened: its private data ─> a resource of three with these data, or three
 *   that are in none ─> each written by the CPU, paged in, looked at ─> the resource opened by
 *   another device, which sees the same bytes ─> closed and destroyed, all in one call each */
#include "several.h"

#include <stdlib.h>
#include <string.h>

#include "gpu.h"

#define COUNT  3
#define ROUNDS 2 /* where memory is short each fails elsewhere */
#define WIDTH  200
#define HEIGHT 33

struct data {
    void *allocation, *resource;
    UINT allocation_bytes, resource_bytes;
};

struct several {
    struct gpu gpu;
    D3DKMT_HANDLE resource, share; /* 0: in none */
    D3DKMT_HANDLE allocations[COUNT];
};

/* ---- What a standard allocation was made with ------------------------------------------------ */

static void *copy_of(const void *bytes, UINT size)
{
    void *copy = malloc(size + 1);

    if (copy && size > 0) {
        memcpy(copy, bytes, size);
    }
    return copy;
}

/* Of what `share` names, opened by the device: its data, and how many allocations there are. The
 * resource is in `opened`. */
static NTSTATUS open_shared(struct several *opened, D3DKMT_HANDLE share, struct data *out)
{
    D3DKMT_QUERYRESOURCEINFO query = {.hDevice = opened->gpu.device, .hGlobalShare = share};
    D3DDDI_OPENALLOCATIONINFO allocations[COUNT] = {0};
    NTSTATUS status = D3DKMTQueryResourceInfo(&query);

    if (status < 0 || query.NumAllocations == 0 || query.NumAllocations > COUNT) {
        return status < 0 ? status : STATUS_NOT_SUPPORTED;
    }
    void *total = calloc(1, query.TotalPrivateDriverDataSize + 1);
    void *resource = calloc(1, query.ResourcePrivateDriverDataSize + 1);
    D3DKMT_OPENRESOURCE open = {
        .hDevice = opened->gpu.device,
        .hGlobalShare = share,
        .NumAllocations = query.NumAllocations,
        .pOpenAllocationInfo = allocations,
        .pResourcePrivateDriverData = resource,
        .ResourcePrivateDriverDataSize = query.ResourcePrivateDriverDataSize,
        .pTotalPrivateDriverDataBuffer = total,
        .TotalPrivateDriverDataBufferSize = query.TotalPrivateDriverDataSize,
    };
    status = total && resource ? D3DKMTOpenResource(&open) : STATUS_NO_MEMORY;
    if (status >= 0) {
        opened->resource = open.hResource;
        for (UINT i = 0; i < query.NumAllocations; i++) {
            opened->allocations[i] = allocations[i].hAllocation;
        }
    }
    if (status >= 0 && out) {
        out->allocation_bytes = allocations[0].PrivateDriverDataSize;
        out->resource_bytes = query.ResourcePrivateDriverDataSize;
        out->allocation = copy_of((const void *)allocations[0].pPrivateDriverData,
                                  allocations[0].PrivateDriverDataSize);
        out->resource = copy_of(resource, query.ResourcePrivateDriverDataSize);
    }
    free(total);
    free(resource);
    return status;
}

static void destroy_resource(struct several *several)
{
    const D3DKMT_DESTROYALLOCATION destroy = {
        .hDevice = several->gpu.device,
        .hResource = several->resource,
        .phAllocationList = several->resource ? NULL : several->allocations,
        .AllocationCount = several->resource ? 0 : COUNT,
    };

    if (several->allocations[0]) {
        gpu_check(&several->gpu, D3DKMTDestroyAllocation(&destroy), "D3DKMTDestroyAllocation");
    }
    memset(several->allocations, 0, sizeof several->allocations);
    several->resource = several->share = 0;
}

/* False: there is none that can be shared, or no memory. */
static bool learn(const struct drydock_workload_host *host, struct data *out)
{
    struct drydock_standard_allocation standard = {.kind = DRYDOCK_SURFACE_SHADOW,
                                                   .width = WIDTH,
                                                   .height = HEIGHT,
                                                   .format = D3DDDIFMT_A8R8G8B8,
                                                   .shared = true};
    struct several reader = {0};
    struct surface made = {0};

    if (!gpu_open(&reader.gpu, host, 0)) {
        return false;
    }
    NTSTATUS status = gpu_surface_try_create(&reader.gpu, &standard, &made);
    if (status >= 0 && made.share) {
        status = open_shared(&reader, made.share, out);
        destroy_resource(&reader);
    }
    gpu_surface_destroy(&reader.gpu, &made);
    gpu_close(&reader.gpu);
    return status >= 0 && out->allocation && out->resource;
}

/* ---- Several --------------------------------------------------------------------------------- */

static NTSTATUS make(struct several *several, const struct data *data, bool in_resource)
{
    D3DDDI_ALLOCATIONINFO infos[COUNT] = {0};
    D3DKMT_CREATEALLOCATION create = {
        .hDevice = several->gpu.device,
        .NumAllocations = COUNT,
        .pAllocationInfo = infos,
        .pPrivateDriverData = in_resource && data->resource_bytes > 0 ? data->resource : NULL,
        .PrivateDriverDataSize = in_resource ? data->resource_bytes : 0,
        .Flags.CreateResource = in_resource,
        .Flags.CreateShared = in_resource,
    };
    NTSTATUS status = STATUS_SUCCESS;

    for (unsigned i = 0; i < COUNT; i++) { /* the driver may write its choices into each */
        infos[i].pPrivateDriverData = copy_of(data->allocation, data->allocation_bytes);
        infos[i].PrivateDriverDataSize = data->allocation_bytes;
        status = infos[i].pPrivateDriverData ? status : STATUS_NO_MEMORY;
    }
    status = status >= 0 ? D3DKMTCreateAllocation(&create) : status;
    for (unsigned i = 0; i < COUNT; i++) {
        several->allocations[i] = status >= 0 ? infos[i].hAllocation : 0;
        free((void *)infos[i].pPrivateDriverData);
    }
    several->resource = status >= 0 && in_resource ? create.hResource : 0;
    several->share = status >= 0 && in_resource ? create.hGlobalShare : 0;
    several->gpu.host->count(several->gpu.host, status >= 0 ? "several.made" : "several.refused",
                             1);
    return status;
}

static uint32_t word_at(unsigned number, uint64_t index)
{
    return (uint32_t)(index * 0x9E3779B1u) ^ (number + 1) * 0x01010101u;
}

/* NULL: the driver keeps it from the CPU. */
static uint32_t *lock(const struct several *several, unsigned number, uint64_t *words)
{
    struct drydock_allocation_size size = {.hDevice = several->gpu.device,
                                           .hAllocation = several->allocations[number]};
    D3DKMT_LOCK lock = {.hDevice = several->gpu.device,
                        .hAllocation = several->allocations[number],
                        .Flags.LockEntire = 1};

    if (drydock_query_allocation_size(&size) < 0 || D3DKMTLock(&lock) < 0) {
        return NULL;
    }
    *words = size.size_bytes / 4;
    return lock.pData;
}

static void unlock(const struct several *several, unsigned number)
{
    const D3DKMT_UNLOCK unlock = {.hDevice = several->gpu.device,
                                  .NumAllocations = 1,
                                  .phAllocations = &several->allocations[number]};

    (void)D3DKMTUnlock(&unlock);
}

static void write_each(const struct several *several)
{
    for (unsigned i = 0; i < COUNT; i++) {
        uint64_t count = 0;
        uint32_t *words = lock(several, i, &count);
        for (uint64_t j = 0; words && j < count; j++) {
            words[j] = word_at(i, j);
        }
        if (words) {
            unlock(several, i);
        }
    }
}

static void page_in_each(const struct several *several)
{
    for (unsigned i = 0; i < COUNT; i++) {
        const struct drydock_page_in page_in = {several->gpu.device, several->allocations[i]};
        (void)drydock_page_in(&page_in); /* not every one comes to a segment */
    }
}

/* `whose`: for the end of a sentence. */
static bool look_at_each(const struct several *several, const char *whose)
{
    const struct drydock_workload_host *host = several->gpu.host;

    for (unsigned i = 0; i < COUNT; i++) {
        uint64_t count = 0, wrong = 0;
        uint32_t *words = lock(several, i, &count);
        for (uint64_t j = 0; words && j < count; j++) {
            wrong += words[j] != word_at(i, j);
        }
        if (words) {
            unlock(several, i);
        }
        if (wrong > 0) {
            host->fail(host,
                       "of %u allocations that were made in one call number %u has %llu of %llu "
                       "words wrong, %s",
                       COUNT, i, (unsigned long long)wrong, (unsigned long long)count, whose);
            return false;
        }
    }
    return true;
}

static void open_elsewhere(const struct several *made)
{
    struct several other = {0};

    if (!gpu_open(&other.gpu, made->gpu.host, 0)) {
        return;
    }
    if (open_shared(&other, made->share, NULL) >= 0) {
        look_at_each(&other, "as another device sees it that has opened their resource");
        destroy_resource(&other);
    }
    gpu_close(&other.gpu);
}

static void use(const struct drydock_workload_host *host, const struct data *data, bool in_resource)
{
    struct several several = {0};

    if (!gpu_open(&several.gpu, host, 0)) {
        return;
    }
    if (make(&several, data, in_resource) >= 0) {
        write_each(&several);
        page_in_each(&several);
        if (look_at_each(&several, "when it had been paged in") && several.share) {
            open_elsewhere(&several);
        }
        destroy_resource(&several);
    }
    gpu_close(&several.gpu);
}

void several_at_once(const struct drydock_workload_host *host)
{
    struct data data = {0};

    if (!(host->capabilities & DRYDOCK_DRIVER_IS_DISPLAY_ONLY) && learn(host, &data)) {
        for (unsigned i = 0; i < ROUNDS; i++) {
            use(host, &data, true);
            use(host, &data, false);
        }
    }
    free(data.allocation);
    free(data.resource);
}

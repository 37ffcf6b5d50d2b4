/* A client that gives the GPU memory of its own: by address, by section, as a heap; and what is
 * none. And one that makes allocations for a resource that it has. See existing_client.h. */
#include "existing_client.h"

#include <string.h>

#include "addressed.h"
#include "gpu.h"
#include "hostile_support.h"

#define PAGE    4096u
#define PAGES   16u
#define BYTES   (PAGES * PAGE)
#define KINDS   (SOFTGPU_UMD_EXISTING_SYSMEM | SOFTGPU_UMD_APERTURE_ONLY | SOFTGPU_UMD_CPU_VISIBLE)
#define PATTERN 0x600DF00Du
#define NOWHERE ((void *)PAGE)

static struct gpu gpu;
static struct drydock_memory memory;

static void expect_that(bool holds, const char *what, int line)
{
    if (!holds) {
        host->fail(host, "existing_client.c:%d: %s does not hold", line, what);
    }
}
#define HOLDS_TRUE(condition) expect_that(condition, #condition, __LINE__)

static uint32_t *words(void)
{
    return memory.address;
}

/* What a client says of one allocation. */
struct wish {
    const void *address; /* of its memory; NULL: all of the section */
    unsigned pages, kinds;
    bool flag; /* it says so in the call's flags, too */
};

static NTSTATUS try_make(const struct wish *wish, D3DKMT_HANDLE *out)
{
    struct softgpu_umd_allocation data = {.magic = SOFTGPU_UMD_ALLOCATION_MAGIC,
                                          .version = SOFTGPU_UMD_VERSION,
                                          .flags = wish->kinds,
                                          .size_bytes = wish->pages * PAGE};
    D3DDDI_ALLOCATIONINFO2 info = {.pPrivateDriverData = &data,
                                   .PrivateDriverDataSize = sizeof data};
    D3DKMT_CREATEALLOCATION create = {.hDevice = gpu.device,
                                      .NumAllocations = 1,
                                      .pAllocationInfo2 = &info,
                                      .Flags.ExistingSysMem = wish->address && wish->flag,
                                      .Flags.ExistingSection = !wish->address};

    info.hSection = wish->address ? (HANDLE)(uintptr_t)wish->address : memory.hSection;
    NTSTATUS status = D3DKMTCreateAllocation2(&create);
    *out = info.hAllocation;
    return status;
}

static D3DKMT_HANDLE make(const struct wish *wish)
{
    D3DKMT_HANDLE handle;

    EXPECT(STATUS_SUCCESS, try_make(wish, &handle));
    return handle;
}

static void destroy(D3DKMT_HANDLE handle)
{
    EXPECT(STATUS_SUCCESS,
           D3DKMTDestroyAllocation2(&(D3DKMT_DESTROYALLOCATION2){
               .hDevice = gpu.device, .phAllocationList = &handle, .AllocationCount = 1}));
}

static void get_memory(void)
{
    memory = (struct drydock_memory){.size_bytes = BYTES - 1};
    EXPECT(STATUS_SUCCESS, drydock_allocate_memory(&memory));
    for (unsigned i = 0; i < BYTES / 4; i++) {
        HOLDS_TRUE(words()[i] == 0);
    }
}

static void free_memory(void)
{
    EXPECT(STATUS_SUCCESS, drydock_free_memory(&memory));
    EXPECT(STATUS_INVALID_PARAMETER, drydock_free_memory(&memory));
}

/* ---- What is none ---------------------------------------------------------------------------- */

static void refuse_memory(void)
{
    struct drydock_memory bad = {0};

    EXPECT(STATUS_INVALID_PARAMETER, drydock_allocate_memory(&bad));
    bad.size_bytes = UINT64_MAX;
    EXPECT(STATUS_INVALID_PARAMETER, drydock_allocate_memory(&bad));
    bad.size_bytes = UINT64_C(1) << 40;
    EXPECT(STATUS_INVALID_PARAMETER, drydock_allocate_memory(&bad));
    EXPECT(STATUS_INVALID_PARAMETER, drydock_allocate_memory(NULL));
    EXPECT(STATUS_INVALID_PARAMETER, drydock_free_memory(NULL));
    bad.hSection = (HANDLE)(uintptr_t)gpu.device;
    EXPECT(STATUS_INVALID_PARAMETER, drydock_free_memory(&bad));
    bad.hSection = (HANDLE)((uintptr_t)memory.hSection | (uintptr_t)1 << 32);
    EXPECT(STATUS_INVALID_PARAMETER, drydock_free_memory(&bad));
}

static _Alignas(PAGE) uint8_t nobodys[PAGE];

static void refuse_allocations(void)
{
    const uint8_t *base = memory.address;
    const struct wish bad[] = {
        {base, PAGES, SOFTGPU_UMD_APERTURE_ONLY}, /* the driver does not say that it takes it */
        {base, PAGES + 1, KINDS},                 /* there is not so much */
        {base + PAGE, PAGES, KINDS},
        {base + 4, 1, KINDS},
        {NULL, PAGES + 1, KINDS},
    };
    D3DKMT_HANDLE handle;

    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        EXPECT(STATUS_INVALID_PARAMETER, try_make(&bad[i], &handle));
    }
    EXPECT(STATUS_ACCESS_VIOLATION, try_make(&(struct wish){NOWHERE, 1, KINDS}, &handle));
    EXPECT(STATUS_NOT_SUPPORTED, try_make(&(struct wish){nobodys, 1, KINDS, true}, &handle));
    struct drydock_memory kept = memory;
    memory.hSection = (HANDLE)(uintptr_t)gpu.device;
    EXPECT(STATUS_INVALID_PARAMETER, try_make(&(struct wish){NULL, 1, KINDS}, &handle));
    memory = kept;
}

static void refuse_flags(void)
{
    D3DDDI_ALLOCATIONINFO2 info = {.pSystemMem = memory.address, .Flags.Primary = 1};
    D3DKMT_CREATEALLOCATION create = {
        .hDevice = gpu.device, .NumAllocations = 1, .pAllocationInfo2 = &info};

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateAllocation2(&create));
    info.Flags.Primary = 0;
    create.Flags.ExistingSysMem = create.Flags.ExistingSection = 1;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateAllocation2(&create));
    create.Flags.ExistingSection = 0;
    info.pSystemMem = NULL;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateAllocation2(&create));
}

/* ---- The same bytes -------------------------------------------------------------------------- */

static void offer(D3DKMT_HANDLE handle, NTSTATUS wanted)
{
    EXPECT(wanted, D3DKMTOfferAllocations(
                       &(D3DKMT_OFFERALLOCATIONS){.hDevice = gpu.device,
                                                  .HandleList = &handle,
                                                  .NumAllocations = 1,
                                                  .Priority = D3DKMT_OFFER_PRIORITY_LOW}));
}

static void look_from_both_sides(const struct wish *wish, uint32_t *own)
{
    D3DKMT_HANDLE handle = make(wish);
    D3DKMT_LOCK2 lock = {.hDevice = gpu.device, .hAllocation = handle};

    own[0] = PATTERN;
    own[wish->pages * PAGE / 4 - 1] = ~PATTERN;
    EXPECT(STATUS_SUCCESS, D3DKMTLock2(&lock));
    uint32_t *seen = lock.pData;
    HOLDS_TRUE(seen[0] == PATTERN && seen[wish->pages * PAGE / 4 - 1] == ~PATTERN);
    seen[1] = PATTERN + 1;
    HOLDS_TRUE(own[1] == PATTERN + 1);
    EXPECT(STATUS_SUCCESS, D3DKMTUnlock2(&(D3DKMT_UNLOCK2){gpu.device, handle}));
    offer(handle, STATUS_INVALID_PARAMETER);
    destroy(handle);
    HOLDS_TRUE(own[0] == PATTERN && own[1] == PATTERN + 1);
}

/* ---- Heaps ----------------------------------------------------------------------------------- */

static NTSTATUS try_heap(const D3DKMT_CREATESTANDARDALLOCATION *heap, UINT size, bool by_section,
                         struct surface *out)
{
    D3DDDI_ALLOCATIONINFO2 info = {.pSystemMem = memory.address};
    D3DKMT_CREATEALLOCATION create = {
        .hDevice = gpu.device,
        .NumAllocations = 1,
        .pAllocationInfo2 = &info,
        .pPrivateDriverData = heap,
        .PrivateDriverDataSize = size,
        .Flags = {.StandardAllocation = 1, .ExistingSysMem = !by_section, .CreateResource = 1},
    };

    create.Flags.ExistingSection = by_section;
    if (by_section) {
        info.hSection = memory.hSection;
    }
    NTSTATUS status = D3DKMTCreateAllocation2(&create);
    *out = (struct surface){.allocation = info.hAllocation,
                            .resource = create.hResource,
                            .width = PAGE / 4,
                            .height = PAGES,
                            .pitch = PAGE};
    return status;
}

static void refuse_heaps(const D3DKMT_CREATESTANDARDALLOCATION *good)
{
    D3DKMT_CREATESTANDARDALLOCATION bad[6];
    struct surface surface;

    for (unsigned i = 0; i < 6; i++) {
        bad[i] = *good;
    }
    bad[0].Type = 0;
    bad[1].ExistingHeapData.Size = 0;
    bad[2].ExistingHeapData.Size = 100;
    bad[3].ExistingHeapData.Size = UINT64_MAX - PAGE + 1;
    bad[4].ExistingHeapData.Size = BYTES + PAGE;
    bad[5].Flags.Value = 1;
    for (unsigned i = 0; i < 6; i++) {
        EXPECT(STATUS_INVALID_PARAMETER, try_heap(&bad[i], 0, i % 2, &surface));
    }
    EXPECT(STATUS_INVALID_PARAMETER, try_heap(good, sizeof *good, false, &surface));
    EXPECT(STATUS_INVALID_PARAMETER, try_heap(NULL, 0, false, &surface));
    EXPECT(STATUS_ACCESS_VIOLATION, try_heap(NOWHERE, 0, false, &surface));
}

/* The GPU writes there, and the client finds it where it always was. */
static void draw_in_heaps(void)
{
    D3DKMT_CREATESTANDARDALLOCATION heap = {.Type = D3DKMT_STANDARDALLOCATIONTYPE_EXISTINGHEAP,
                                            .ExistingHeapData.Size = BYTES};
    struct surface surface;

    refuse_heaps(&heap);
    for (uint32_t i = 0; i < 2; i++) {
        const struct box all = box_at(0, 0, PAGE / 4, PAGES);
        EXPECT(STATUS_SUCCESS, try_heap(&heap, 0, i, &surface));
        HOLDS_TRUE(gpu_fill(&gpu, &surface, all, 0x123456 + i) && gpu_wait_idle(&gpu));
        for (unsigned k = 0; k < BYTES / 4; k++) {
            HOLDS_TRUE((words()[k] & 0xFFFFFF) == 0x123456 + i);
        }
        HOLDS_TRUE(gpu_evict(&gpu, &surface));
        words()[0] = PATTERN;
        HOLDS_TRUE(gpu_fill(&gpu, &surface, box_at(1, 0, 1, 1), 0x654321) && gpu_wait_idle(&gpu));
        HOLDS_TRUE(words()[0] == PATTERN && (words()[1] & 0xFFFFFF) == 0x654321);
        gpu_surface_destroy(&gpu, &surface);
    }
}

/* ---- Others ---------------------------------------------------------------------------------- */

/* Another process finds none of it by address or handle; what it leaves open goes with it. */
static void stranger(void *argument)
{
    const struct drydock_memory theirs = memory;
    struct gpu first = gpu;
    D3DKMT_HANDLE handle;

    HOLDS_TRUE(gpu_open(&gpu, host, 0));
    EXPECT(STATUS_NOT_SUPPORTED,
           try_make(&(struct wish){theirs.address, PAGES, KINDS, true}, &handle));
    EXPECT(STATUS_INVALID_PARAMETER, try_make(&(struct wish){NULL, PAGES, KINDS}, &handle));
    EXPECT(STATUS_INVALID_PARAMETER, drydock_free_memory(&theirs));
    get_memory();
    make(&(struct wish){memory.address, PAGES, KINDS});
    memory = theirs;
    gpu = first;
}

/* It keeps its pages, though the client cannot see them any more. */
static void outlive_memory(void)
{
    D3DKMT_HANDLE handle = make(&(struct wish){memory.address, PAGES, KINDS});
    D3DKMT_LOCK2 lock = {.hDevice = gpu.device, .hAllocation = handle};

    words()[5] = PATTERN;
    free_memory();
    get_memory();
    HOLDS_TRUE(words()[5] == 0);
    EXPECT(STATUS_SUCCESS, D3DKMTLock2(&lock));
    HOLDS_TRUE(((uint32_t *)lock.pData)[5] == PATTERN);
    EXPECT(STATUS_SUCCESS, D3DKMTUnlock2(&(D3DKMT_UNLOCK2){gpu.device, handle}));
    destroy(handle);
}

/* ---- A resource that is there ---------------------------------------------------------------- */

#define MANY 200u
#define MOST 256u /* of a resource */

static struct {
    struct softgpu_umd_allocation data[MOST];
    D3DDDI_ALLOCATIONINFO2 infos[MOST];
} many;

/* So many at once; of a resource, unless there is none to come to and none is made. */
static NTSTATUS try_join(D3DKMT_HANDLE *resource, unsigned count,
                         D3DKMT_CREATEALLOCATIONFLAGS flags)
{
    for (unsigned i = 0; i < count && i < MOST; i++) {
        many.data[i] = (struct softgpu_umd_allocation){.magic = SOFTGPU_UMD_ALLOCATION_MAGIC,
                                                       .version = SOFTGPU_UMD_VERSION,
                                                       .size_bytes = PAGE};
        many.infos[i] = (D3DDDI_ALLOCATIONINFO2){.pPrivateDriverData = &many.data[i],
                                                 .PrivateDriverDataSize = sizeof many.data[i]};
    }
    D3DKMT_CREATEALLOCATION create = {.hDevice = gpu.device,
                                      .hResource = *resource,
                                      .NumAllocations = count,
                                      .pAllocationInfo2 = many.infos,
                                      .Flags = flags};
    NTSTATUS status = D3DKMTCreateAllocation2(&create);
    *resource = create.hResource;
    return status;
}

static D3DKMT_HANDLE make_resource(unsigned count)
{
    D3DKMT_HANDLE resource = 0;

    EXPECT(STATUS_SUCCESS,
           try_join(&resource, count, (D3DKMT_CREATEALLOCATIONFLAGS){.CreateResource = 1}));
    return resource;
}

/* The last of those that came. */
static D3DKMT_HANDLE join(D3DKMT_HANDLE resource, unsigned count)
{
    D3DKMT_HANDLE same = resource;

    EXPECT(STATUS_SUCCESS, try_join(&same, count, (D3DKMT_CREATEALLOCATIONFLAGS){0}));
    HOLDS_TRUE(same == resource && many.infos[count - 1].hAllocation != 0);
    return many.infos[count - 1].hAllocation;
}

static NTSTATUS destroy_resource(D3DKMT_HANDLE resource)
{
    return D3DKMTDestroyAllocation2(
        &(D3DKMT_DESTROYALLOCATION2){.hDevice = gpu.device, .hResource = resource});
}

static void come_to_a_resource(void)
{
    D3DKMT_HANDLE resource = make_resource(1), first = many.infos[0].hAllocation;
    D3DKMT_HANDLE second = join(resource, 2), third = join(resource, 1);

    destroy(first);
    destroy(third);
    third = join(resource, 1);
    EXPECT(STATUS_SUCCESS, destroy_resource(resource));
    EXPECT(STATUS_INVALID_PARAMETER, destroy_resource(resource));
    offer(second, STATUS_INVALID_PARAMETER);
    offer(third, STATUS_INVALID_PARAMETER);

    resource = make_resource(MANY);
    EXPECT(STATUS_INVALID_PARAMETER,
           try_join(&resource, MOST - MANY + 1, (D3DKMT_CREATEALLOCATIONFLAGS){0}));
    third = join(resource, MOST - MANY);
    EXPECT(STATUS_INVALID_PARAMETER, try_join(&resource, 1, (D3DKMT_CREATEALLOCATIONFLAGS){0}));
    destroy(third);
    third = join(resource, 1);
    EXPECT(STATUS_SUCCESS, destroy_resource(resource));
}

static void refuse_to_join(void)
{
    D3DKMT_HANDLE resource = make_resource(1), shared = 0, kept = resource;
    struct gpu first = gpu;

    EXPECT(STATUS_INVALID_PARAMETER,
           try_join(&kept, 1, (D3DKMT_CREATEALLOCATIONFLAGS){.CreateResource = 1}));
    EXPECT(STATUS_SUCCESS,
           try_join(&shared, 1,
                    (D3DKMT_CREATEALLOCATIONFLAGS){.CreateResource = 1, .CreateShared = 1}));
    kept = shared;
    EXPECT(STATUS_INVALID_PARAMETER, try_join(&kept, 1, (D3DKMT_CREATEALLOCATIONFLAGS){0}));
    EXPECT(STATUS_SUCCESS, destroy_resource(shared));
    kept = gpu.device;
    EXPECT(STATUS_INVALID_HANDLE, try_join(&kept, 1, (D3DKMT_CREATEALLOCATIONFLAGS){0}));
    HOLDS_TRUE(gpu_open(&gpu, host, 0));
    kept = resource;
    EXPECT(STATUS_INVALID_HANDLE, try_join(&kept, 1, (D3DKMT_CREATEALLOCATIONFLAGS){0}));
    gpu_close(&gpu);
    gpu = first;

    /* The driver refuses the last: none is there. */
    D3DDDI_ALLOCATIONINFO2 infos[2] = {
        many.infos[0], {.pPrivateDriverData = &resource, .PrivateDriverDataSize = 4}};
    D3DKMT_CREATEALLOCATION create = {.hDevice = gpu.device,
                                      .hResource = resource,
                                      .NumAllocations = 2,
                                      .pAllocationInfo2 = infos};
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateAllocation2(&create));
    join(resource, 1);
    EXPECT(STATUS_SUCCESS, destroy_resource(resource));
}

/* ---- Numbers --------------------------------------------------------------------------------- */

#define ONE_HANDLE 64u

static void make_some(void *made)
{
    struct gpu first = gpu;

    HOLDS_TRUE(gpu_open(&gpu, host, 0)); /* an adapter, a device, a context */
    *(D3DKMT_HANDLE *)made = gpu.device;
    gpu_close(&gpu);
    gpu = first;
}

/* What others make leaves no gaps in one's own numbers, and who comes next does not have those of
 * who is gone: a driver may have kept one. */
static void make_beside_another(void)
{
    D3DKMT_CREATEDEVICE devices[2] = {{.hAdapter = gpu.adapter}, {.hAdapter = gpu.adapter}};
    D3DKMT_HANDLE others[2] = {0, 0};

    EXPECT(STATUS_SUCCESS, D3DKMTCreateDevice(&devices[0]));
    host->join(host, host->start_process(host, "beside", make_some, &others[0]));
    host->join(host, host->start_process(host, "beside", make_some, &others[1]));
    HOLDS_TRUE(others[0] && others[1] && others[0] != others[1]);
    EXPECT(STATUS_SUCCESS, D3DKMTCreateDevice(&devices[1]));
    HOLDS_TRUE(devices[1].hDevice == devices[0].hDevice + ONE_HANDLE);
    for (unsigned i = 0; i < 2; i++) {
        EXPECT(STATUS_SUCCESS, D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){devices[i].hDevice}));
    }
}

static void run(const struct drydock_workload_host *given)
{
    hostile_host = given;
    if (!gpu_open(&gpu, given, 0)) {
        return;
    }
    get_memory();
    make_beside_another();
    refuse_memory();
    refuse_allocations();
    refuse_flags();
    look_from_both_sides(&(struct wish){words(), PAGES, KINDS}, words());
    look_from_both_sides(&(struct wish){words() + PAGE / 2, 3, KINDS, true}, words() + PAGE / 2);
    look_from_both_sides(&(struct wish){NULL, 2, KINDS | SOFTGPU_UMD_CACHED}, words());
    draw_in_heaps();
    host->join(host, host->start_process(host, "stranger", stranger, NULL));
    outlive_memory();
    free_memory();
    come_to_a_resource();
    refuse_to_join();
    gpu_close(&gpu);
}

const struct drydock_workload existing_client = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                 .name = "existing client",
                                                 .description = "memory that a client has",
                                                 .run = run};

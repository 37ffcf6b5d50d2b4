/* Clients whose memory is not what they say: addresses where nothing is, and lists and sizes that
 * another thread changes while a call is at work. See hostile_client.h. */
#include "hostile_client.h"

#include <string.h>
#include <sys/mman.h>

#include "../../drivers/softgpu/softgpu_umd.h"
#include "hostile_support.h"

#define PAGE 4096u

static struct softgpu_umd_allocation plain(void)
{
    return (struct softgpu_umd_allocation){
        .magic = SOFTGPU_UMD_ALLOCATION_MAGIC, .version = SOFTGPU_UMD_VERSION, .size_bytes = PAGE};
}

/* ---- Addresses ------------------------------------------------------------------------------- */

/* Two pages and a hole; the second page can be read only. */
struct landscape {
    uint8_t *good, *read_only, *hole;
};

static struct landscape make_landscape(void)
{
    uint8_t *base =
        mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (base == MAP_FAILED || mprotect(base + PAGE, PAGE, PROT_READ) != 0 ||
        munmap(base + 2 * PAGE, PAGE) != 0) {
        host->fail(host, "no memory for the test");
    }
    return (struct landscape){base, base + PAGE, base + 2 * PAGE};
}

static void free_landscape(const struct landscape *place)
{
    munmap(place->good, 2 * PAGE);
}

/* The arguments themselves. */
static void bad_arguments(const struct hostile *client, const struct landscape *place)
{
    void *const wild[] = {place->hole, (void *)8, (void *)(UINTPTR_MAX - 7),
                          (void *)((uintptr_t)1 << 62), place->hole - 1};
    const D3DKMT_WAITFORIDLE idle = {client->device};
    D3DKMT_CREATEDEVICE device = {.hAdapter = client->adapter};

    for (unsigned i = 0; i < sizeof wild / sizeof *wild; i++) {
        EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTWaitForIdle(wild[i]));
        EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTCreateDevice(wild[i]));
        EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTPresent(wild[i]));
        EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTRender(wild[i]));
        EXPECT(STATUS_ACCESS_VIOLATION, drydock_create_standard_allocation(wild[i]));
    }
    /* What only goes in may be where nobody writes; what comes back may not. */
    memcpy(place->good, &idle, sizeof idle);
    memcpy(place->good + 64, &device, sizeof device);
    EXPECT(STATUS_SUCCESS, D3DKMTWaitForIdle((void *)place->good));
    mprotect(place->good, PAGE, PROT_READ);
    EXPECT(STATUS_SUCCESS, D3DKMTWaitForIdle((void *)place->good));
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTCreateDevice((void *)(place->good + 64)));
    mprotect(place->good, PAGE, PROT_READ | PROT_WRITE);
}

/* What the arguments point to. */
static void bad_lists(const struct hostile *client, const struct landscape *place)
{
    struct softgpu_umd_allocation data = plain();
    D3DDDI_ALLOCATIONINFO info = {.pPrivateDriverData = place->hole,
                                  .PrivateDriverDataSize = sizeof data};
    D3DKMT_CREATEALLOCATION create = {
        .hDevice = client->device, .NumAllocations = 1, .pAllocationInfo = &info};
    D3DKMT_EVICT evict = {.hDevice = client->device,
                          .NumAllocations = 2,
                          .AllocationList = (void *)(place->hole - sizeof(D3DKMT_HANDLE))};
    D3DKMT_PRESENT present = {.hContext = client->context,
                              .Flags.Blt = 1,
                              .SubRectCnt = 3,
                              .pSrcSubRects = (void *)place->hole};
    D3DKMT_QUERYADAPTERINFO query = {client->adapter, KMTQAITYPE_ADAPTERTYPE, place->hole, 4};
    D3DKMT_ENUMADAPTERS2 adapters = {.NumAdapters = 1, .pAdapters = (void *)place->hole};
    D3DKMT_ESCAPE escape = {
        .hAdapter = client->adapter, .pPrivateDriverData = place->hole, .PrivateDriverDataSize = 8};

    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTCreateAllocation(&create));
    info.pPrivateDriverData = place->read_only; /* the driver's choices come back there */
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTCreateAllocation(&create));
    create.pAllocationInfo = (void *)place->read_only;
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTCreateAllocation(&create)); /* and the handle there */
    create.pAllocationInfo = (void *)place->hole;
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTCreateAllocation(&create));
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTEvict(&evict));
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTQueryAdapterInfo(&query));
    query.pPrivateDriverData = place->read_only;
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTQueryAdapterInfo(&query));
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTEnumAdapters2(&adapters));
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTEscape(&escape));

    struct drydock_standard_allocation surface = {.hDevice = client->device,
                                                  .kind = DRYDOCK_SURFACE_SHADOW,
                                                  .width = 64,
                                                  .height = 32,
                                                  .format = D3DDDIFMT_X8R8G8B8};
    EXPECT(STATUS_SUCCESS, drydock_create_standard_allocation(&surface));
    present.hSource = present.hDestination = surface.hAllocation;
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTPresent(&present));
    const UINT *priorities = (const UINT *)(void *)place->hole;
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTSetAllocationPriority(&(D3DKMT_SETALLOCATIONPRIORITY){
                                        .hDevice = client->device,
                                        .phAllocationList = &surface.hAllocation,
                                        .AllocationCount = 1,
                                        .pPriorities = priorities}));
}

static void run_pointers(const struct drydock_workload_host *given)
{
    host = given;
    struct hostile client = hostile_open();
    struct landscape place = make_landscape();

    bad_arguments(&client, &place);
    bad_lists(&client, &place);
    free_landscape(&place);
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){client.device}));
}

const struct drydock_workload hostile_pointers = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                  .name = "pointers",
                                                  .description = "addresses where nothing is",
                                                  .run = run_pointers};

/* ---- Changes --------------------------------------------------------------------------------- */

#define SHARED_COUNT 3u
#define GUARD        0xA7u

/* All that a call is told, and what lies behind the private data: the other thread changes the
 * first and looks at the second. */
static struct {
    struct hostile client;
    D3DKMT_CREATEALLOCATION create;
    D3DDDI_ALLOCATIONINFO infos[SHARED_COUNT];
    struct softgpu_umd_allocation data[SHARED_COUNT];
    uint8_t guard[PAGE];
    D3DKMT_HANDLE handles[SHARED_COUNT];
    D3DKMT_DESTROYALLOCATION destroy;
    bool over;
    unsigned changes;
} shared;

static void set_all(void)
{
    for (unsigned i = 0; i < SHARED_COUNT; i++) {
        shared.data[i] = plain();
        shared.infos[i] = (D3DDDI_ALLOCATIONINFO){.pPrivateDriverData = &shared.data[i],
                                                  .PrivateDriverDataSize = sizeof shared.data[i]};
    }
    shared.create = (D3DKMT_CREATEALLOCATION){
        .hDevice = shared.client.device, .NumAllocations = 1, .pAllocationInfo = shared.infos};
    memset(shared.guard, GUARD, sizeof shared.guard);
}

static void change(void *argument)
{
    while (!shared.over) {
        unsigned round = shared.changes++;

        shared.create.NumAllocations = round % 2 ? 1 : 200;
        shared.infos[0].PrivateDriverDataSize =
            round % 2 ? (UINT)sizeof shared.data[0] : sizeof shared.data + sizeof shared.guard / 2;
        shared.infos[0].pPrivateDriverData = round % 2 ? (void *)&shared.data[0] : (void *)8;
        shared.destroy.AllocationCount = round % 2 ? 1 : 4000;
        host->yield(host);
    }
}

/* Each call does what it was told when it began, or refuses what it was told; never a mixture. */
static void run_changes(const struct drydock_workload_host *given)
{
    unsigned made = 0, refused = 0;

    host = given;
    memset(&shared, 0, sizeof shared);
    shared.client = hostile_open();
    set_all();
    struct drydock_process *thread = host->start_thread(host, "changer", change, NULL);
    for (unsigned i = 0; i < 400; i++) {
        if (i % 2) {
            set_all(); /* this one begins right, whatever comes while it is at work */
        }
        NTSTATUS status = D3DKMTCreateAllocation(&shared.create);
        if (status == STATUS_SUCCESS) {
            shared.handles[0] = shared.infos[0].hAllocation;
            shared.destroy = (D3DKMT_DESTROYALLOCATION){.hDevice = shared.client.device,
                                                        .phAllocationList = shared.handles,
                                                        .AllocationCount = 1};
            EXPECT(STATUS_SUCCESS, D3DKMTDestroyAllocation(&shared.destroy));
            made++;
        } else if (status == STATUS_ACCESS_VIOLATION || status == STATUS_INVALID_PARAMETER) {
            refused++;
        } else {
            host->fail(host, "a changing call gave 0x%08X", (unsigned)status);
        }
        for (unsigned k = 0; k < sizeof shared.guard; k++) {
            if (shared.guard[k] != GUARD) {
                host->fail(host, "byte %u behind the private data was written", k);
                break;
            }
        }
    }
    shared.over = true;
    host->join(host, thread);
    host->count(host, "test.made", made);
    host->count(host, "test.refused", refused);
    host->count(host, "test.changes", shared.changes);
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){shared.client.device}));
}

const struct drydock_workload hostile_changes = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                 .name = "changes",
                                                 .description = "memory changed during the call",
                                                 .run = run_changes};

/* mapped: memory at GPU virtual addresses, for any driver that has them, without a command of its
 * own: contexts on each node of several processes, allocations of standard kinds, or of private
 * data that the user gave, that show at addresses, wholly and in part, writable and not, first one
 * and then another at the same place, that are made resident and let go. What the CPU wrote into
 * them is still there, also after more contexts have come and gone than ten bits count, and after a
 * client has submitted an address where nothing is.
 *
 * The page tables and what of them a GPU remembers the kernel judges, by what becomes of its own
 * paging through them. */
#include "addressed.h"
#include "workloads.h"

#include <stdio.h>
#include <stdlib.h>

#define PROCESSES_MAX   2
#define BLOCKS          3
#define NODES_MAX       8
#define ROUNDS          3
#define TURNS           3
#define PAGE_BYTES      UINT64_C(4096)
#define RANGE_BYTES     UINT64_C(0x10000) /* ranges have so many, or a multiple */
#define SIDE            192
#define STRAY_BYTES     64
#define STRAY_ABOVE     UINT64_C(0x123450000) /* no 32 bits hold its address */
#define BLOCK_BYTES_MAX (UINT64_C(1) << 20)
#define CROWD           1100u
#define SITE_BLOCK      0
#define SITE_KEY        1
#define SITE_EVICT      2

struct shown {
    struct memory_block block;
    struct surface surface;
    uint32_t key;
    bool visible; /* the CPU may look */
};

struct mapped {
    const struct drydock_workload_host *host;
    struct addressed client;
    struct shown shown[BLOCKS];
    unsigned count;
    struct surface canvas; /* to draw on, if the driver takes presents here */
    bool draws;
};

static bool check(struct mapped *mapped, NTSTATUS status, const char *what)
{
    return gpu_check(&mapped->client.gpu, status, what);
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static uint32_t word_at(const struct shown *shown, uint32_t index)
{
    return (index * 0x9E3779B1u) ^ shown->key;
}

static uint32_t *lock(struct mapped *mapped, const struct shown *shown, NTSTATUS *status)
{
    D3DKMT_LOCK2 lock = {.hDevice = mapped->client.gpu.device,
                         .hAllocation = shown->block.allocation};

    *status = D3DKMTLock2(&lock);
    return *status >= 0 ? lock.pData : NULL;
}

/* A driver may keep an allocation from the CPU. */
static bool write_bytes(struct mapped *mapped, struct shown *shown)
{
    NTSTATUS status;
    uint32_t *words = lock(mapped, shown, &status);

    shown->visible = words != NULL;
    if (!words) {
        return status != STATUS_DEVICE_REMOVED || check(mapped, status, "D3DKMTLock2");
    }
    shown->key = (uint32_t)mapped->host->random(mapped->host, SITE_KEY);
    for (uint32_t i = 0; i < shown->block.size_bytes / 4; i++) {
        words[i] = word_at(shown, i);
    }
    addressed_unlock(&mapped->client, &shown->block);
    return true;
}

static bool look_at(struct mapped *mapped, const struct shown *shown)
{
    const struct drydock_workload_host *host = mapped->host;
    const uint32_t *words = shown->visible ? addressed_lock(&mapped->client, &shown->block) : NULL;
    uint32_t wrong = 0, first = 0;

    for (uint32_t i = 0; words && i < shown->block.size_bytes / 4; i++) {
        if (words[i] != word_at(shown, i)) {
            first = wrong++ ? first : i * 4;
        }
    }
    if (words) {
        addressed_unlock(&mapped->client, &shown->block);
        host->count(host, "mapped.bytes_checked", shown->block.size_bytes);
    }
    if (wrong) {
        host->fail(host,
                   "an allocation of %llu bytes at a GPU virtual address came back with %u words "
                   "wrong, the first at offset 0x%X",
                   (unsigned long long)shown->block.size_bytes, wrong, first);
    }
    return wrong == 0 && (words || !shown->visible);
}

/* ---- Beginning ------------------------------------------------------------------------------- */

/* Its commands a driver may want to know of, and refuses a context then. */
static bool make_contexts(struct mapped *mapped)
{
    unsigned nodes = gpu_node_count(mapped->host), made = 0;

    for (unsigned node = 0; node < nodes && node < NODES_MAX; node++) {
        D3DKMT_CREATECONTEXTVIRTUAL create = {
            .hDevice = mapped->client.gpu.device, .NodeOrdinal = node, .EngineAffinity = 1};
        NTSTATUS status = D3DKMTCreateContextVirtual(&create);
        if (status >= 0) {
            mapped->client.context = made++ ? mapped->client.context : create.hContext;
        } else if (status != STATUS_DEVICE_REMOVED) {
            mapped->host->note(mapped->host,
                               "no context by virtual address without private data on node %u: "
                               "0x%08X; what comes in order there is left out",
                               node, (unsigned)status);
        }
    }
    mapped->host->count(mapped->host, "mapped.contexts", made);
    return made > 0;
}

static bool open_queue(struct mapped *mapped)
{
    D3DKMT_CREATEPAGINGQUEUE create = {.hDevice = mapped->client.gpu.device};

    if (!check(mapped, D3DKMTCreatePagingQueue(&create), "D3DKMTCreatePagingQueue")) {
        return false;
    }
    mapped->client.queue = create.hPagingQueue;
    mapped->client.queue_fence = create.hSyncObject;
    mapped->client.queue_value = create.FenceValueCPUVirtualAddress;
    return true;
}

static bool make_fence(struct mapped *mapped)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {.hDevice = mapped->client.gpu.device,
                                                  .Info.Type = D3DDDI_MONITORED_FENCE};

    if (!check(mapped, D3DKMTCreateSynchronizationObject2(&create),
               "D3DKMTCreateSynchronizationObject2 of a monitored fence")) {
        return false;
    }
    mapped->client.fence = create.hSyncObject;
    mapped->client.fence_value = create.Info.MonitoredFence.FenceValueCPUVirtualAddress;
    return true;
}

static bool open_device(struct mapped *mapped)
{
    D3DKMT_OPENADAPTERFROMLUID adapter = {
        .AdapterLuid = {mapped->host->adapter_luid_low, mapped->host->adapter_luid_high}};
    D3DKMT_CREATEDEVICE device = {0};

    mapped->client = (struct addressed){.gpu.host = mapped->host};
    if (!check(mapped, D3DKMTOpenAdapterFromLuid(&adapter), "D3DKMTOpenAdapterFromLuid")) {
        return false;
    }
    mapped->client.gpu.adapter = device.hAdapter = adapter.hAdapter;
    if (check(mapped, D3DKMTCreateDevice(&device), "D3DKMTCreateDevice")) {
        mapped->client.gpu.device = device.hDevice;
        return true;
    }
    D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){adapter.hAdapter});
    return false;
}

/* Of what the user says that the driver takes: compute-only ones describe no standard kinds. What
 * is too small to be shown in parts, or large, is left out. */
static bool make_described(struct mapped *mapped, struct surface *surface)
{
    const struct drydock_workload_host *host = mapped->host;
    struct gpu *gpu = &mapped->client.gpu;

    for (size_t i = 0; i < host->allocation_data_count; i++) {
        size_t which = (mapped->count + i) % host->allocation_data_count;
        if (gpu_surface_describe(gpu, &host->allocation_data[which], 0, surface) < 0) {
            continue;
        }
        struct drydock_allocation_size size = {.hDevice = gpu->device,
                                               .hAllocation = surface->allocation};
        if (drydock_query_allocation_size(&size) >= 0 &&
            size.size_bytes >= (TURNS + 1) * PAGE_BYTES && size.size_bytes <= BLOCK_BYTES_MAX) {
            surface->size_bytes = size.size_bytes;
            return true;
        }
        gpu_surface_destroy(gpu, surface);
    }
    return false;
}

static bool make_standard(struct mapped *mapped, struct surface *surface)
{
    struct drydock_standard_allocation standard = {
        .kind = mapped->count % 2 ? DRYDOCK_SURFACE_STAGING : DRYDOCK_SURFACE_SHADOW,
        .width = SIDE,
        .height = SIDE,
        .format = D3DDDIFMT_A8R8G8B8,
    };

    return gpu_surface_try_create(&mapped->client.gpu, &standard, surface) >= 0;
}

/* False: the driver describes none, or not now. */
static bool make_block(struct mapped *mapped, struct shown *shown)
{
    if (!(mapped->host->allocation_data_count > 0 ? make_described(mapped, &shown->surface)
                                                  : make_standard(mapped, &shown->surface))) {
        return false;
    }
    shown->block = (struct memory_block){
        .allocation = shown->surface.allocation,
        .size_bytes = shown->surface.size_bytes / PAGE_BYTES * PAGE_BYTES,
    };
    mapped->count++;
    return true;
}

/* ---- Addresses ------------------------------------------------------------------------------- */

static const struct shown *any(const struct mapped *mapped)
{
    return &mapped->shown[mapped->host->random(mapped->host, SITE_BLOCK) % mapped->count];
}

static bool reside(struct mapped *mapped, const struct shown *shown)
{
    bool resident;
    uint64_t trim_bytes;

    return addressed_try_reside(&mapped->client, &shown->block, &resident, &trim_bytes);
}

/* The whole of one shows where it may be written, and where it may not. */
static bool show_twice(struct mapped *mapped, const struct shown *shown, uint64_t addresses[2])
{
    const uint64_t pages = shown->block.size_bytes / PAGE_BYTES;
    const struct mapping_request writable = {&shown->block, 0, 0, pages, true};
    const struct mapping_request read_only = {&shown->block, 0, 0, pages, false};

    return addressed_map(&mapped->client, &writable, &addresses[0]) &&
           addressed_map(&mapped->client, &read_only, &addresses[1]);
}

/* Some pages of a range show others, behind the work of the context; then they are waited for. */
static bool show_others(struct mapped *mapped, const struct shown *shown, uint64_t range)
{
    static const unsigned pages[] = {2, 0, 1, 2};

    return addressed_update(&mapped->client, &shown->block, range, pages,
                            sizeof pages / sizeof *pages) &&
           addressed_wait(&mapped->client);
}

/* A range shows a part of one, then a part of another one, and is free again: the next one is
 * mostly at the same addresses, and shows something else there. They may be of different sizes. */
static bool show_in_turn(struct mapped *mapped, uint64_t range_bytes)
{
    bool good = true;

    for (unsigned i = 0; i < TURNS && good; i++) {
        const struct shown *shown = any(mapped);
        const uint64_t size_bytes =
            shown->block.size_bytes < range_bytes ? shown->block.size_bytes : range_bytes;
        const uint64_t pages = size_bytes / PAGE_BYTES;
        uint64_t range, address;
        if (!addressed_reserve(&mapped->client, range_bytes, &range)) {
            return false;
        }
        const struct mapping_request part = {&shown->block, range + PAGE_BYTES, i, pages - TURNS,
                                             i % 2 == 0};
        good = addressed_map(&mapped->client, &part, &address) && reside(mapped, shown) &&
               show_others(mapped, any(mapped), range);
        good = addressed_free(&mapped->client, range, range_bytes) && good;
    }
    return good;
}

static bool show_zeros(struct mapped *mapped)
{
    uint64_t address;
    bool there;

    return addressed_reserve_zeros(&mapped->client, RANGE_BYTES, &address, &there) &&
           (!there || addressed_free(&mapped->client, address, RANGE_BYTES));
}

static bool come_and_go(struct mapped *mapped, const struct shown *shown)
{
    if (mapped->host->random(mapped->host, SITE_EVICT) % 2 != 0) {
        return look_at(mapped, shown);
    }
    return addressed_evict(&mapped->client, &shown->block, 1) && look_at(mapped, shown) &&
           reside(mapped, shown) && look_at(mapped, shown);
}

/* Work of the process: a GPU that is given its root table with each piece of work has it now. */
static bool draw(struct mapped *mapped)
{
    D3DKMT_PRESENT present = {
        .hContext = mapped->client.context,
        .hDestination = mapped->canvas.allocation,
        .DstRect = {0, 0, 1, 1},
        .Flags.ColorFill = 1,
        .Flags.DstRectValid = 1,
    };

    mapped->draws = mapped->draws && D3DKMTPresent(&present) >= 0;
    return !mapped->draws || gpu_wait_idle(&mapped->client.gpu);
}

static bool go_round(struct mapped *mapped)
{
    const struct shown *shown = any(mapped);
    uint64_t size_bytes = shown->block.size_bytes, addresses[2];
    uint64_t range_bytes = (size_bytes + RANGE_BYTES - 1) / RANGE_BYTES * RANGE_BYTES;

    if (!show_twice(mapped, shown, addresses) || !reside(mapped, shown)) {
        return false;
    }
    bool good = draw(mapped) && show_in_turn(mapped, range_bytes) && show_zeros(mapped) &&
                come_and_go(mapped, shown);
    return addressed_free(&mapped->client, addresses[0], size_bytes) &&
           addressed_free(&mapped->client, addresses[1], size_bytes) && good;
}

static void work(struct mapped *mapped)
{
    const struct drydock_workload_host *host = mapped->host;
    bool good = true;

    while (mapped->count < BLOCKS && make_block(mapped, &mapped->shown[mapped->count])) {
    }
    /* Allocations of the user's data may be no surfaces, and standard ones need not exist then. */
    mapped->draws = mapped->count > 0 && host->allocation_data_count == 0 &&
                    make_standard(mapped, &mapped->canvas);
    for (unsigned i = 0; i < mapped->count && good; i++) {
        good = write_bytes(mapped, &mapped->shown[i]);
    }
    for (unsigned i = 0; i < ROUNDS && mapped->count > 0 && good && !host->failed(host); i++) {
        good = go_round(mapped);
        host->progress(host, i, ROUNDS);
    }
    for (unsigned i = 0; i < mapped->count; i++) {
        gpu_surface_destroy(&mapped->client.gpu, &mapped->shown[i].surface);
    }
    if (mapped->canvas.allocation) {
        gpu_surface_destroy(&mapped->client.gpu, &mapped->canvas);
    }
}

static void process(void *argument)
{
    struct mapped *mapped = argument;

    if (!open_device(mapped)) {
        return;
    }
    if (make_contexts(mapped) && open_queue(mapped) && make_fence(mapped)) {
        work(mapped);
    }
    addressed_close(&mapped->client);
}

/* Where nothing shows, and as far up as no 32 bits reach, if the driver's addresses go there. */
static bool find_nowhere(struct mapped *mapped, uint64_t *range)
{
    D3DDDI_RESERVEGPUVIRTUALADDRESS high = {
        .hPagingQueue = mapped->client.queue, .Size = RANGE_BYTES, .MinimumAddress = STRAY_ABOVE};
    NTSTATUS status = D3DKMTReserveGpuVirtualAddress(&high);

    *range = high.VirtualAddress;
    return status < 0 ? addressed_reserve(&mapped->client, RANGE_BYTES, range)
                      : addressed_wait_paging(&mapped->client, status, high.PagingFenceValue,
                                              "D3DKMTReserveGpuVirtualAddress");
}

/* What its client is told of the fault: the range is all that its commands name. */
static void judge_notice(struct mapped *mapped, uint64_t range)
{
    const struct drydock_workload_host *host = mapped->host;
    D3DKMT_GETDEVICESTATE get = {.hDevice = mapped->client.gpu.device,
                                 .StateType = D3DKMT_DEVICESTATE_PAGE_FAULT};

    if (gpu_state(&mapped->client.gpu) != D3DKMT_DEVICEEXECUTION_ERROR_DMAPAGEFAULT ||
        D3DKMTGetDeviceState(&get) < 0) {
        return;
    }
    uint64_t address = get.PageFaultState.FaultedVirtualAddress;
    if (address != 0 && (address < range || address - range >= RANGE_BYTES)) {
        host->breaks(host, "INT-016",
                     "a client submitted commands at 0x%llX, where nothing shows, and the driver "
                     "told of a fault at 0x%llX%s",
                     (unsigned long long)range, (unsigned long long)address,
                     address == (uint32_t)range ? ", which is the lower half of that" : "");
    }
}

/* Both are on the hardware when the first faults, where a node takes two: the address of the fault
 * says which it was. */
static bool submit_strays(struct mapped *mapped, uint64_t range)
{
    D3DKMT_SUBMITCOMMAND submit = {.Commands = range,
                                   .CommandLength = STRAY_BYTES,
                                   .BroadcastContextCount = 1,
                                   .BroadcastContext = {mapped->client.context}};
    const uint64_t value = 1;
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU signal = {.hContext = mapped->client.context,
                                                              .ObjectCount = 1,
                                                              .ObjectHandleArray =
                                                                  &mapped->client.fence,
                                                              .MonitoredFenceValueArray = &value};

    if (D3DKMTSubmitCommand(&submit) < 0) {
        return false;
    }
    submit.Commands += RANGE_BYTES / 2;
    (void)D3DKMTSubmitCommand(&submit); /* the device may be lost by now */
    return D3DKMTSignalSynchronizationObjectFromGpu(&signal) >= 0;
}

/* A client's mistake: commands where nothing shows. The GPU faults, or stands until it is reset; a
 * driver may refuse them, too. Its device is lost, mostly, and nobody else's work is wrong. */
static void stray(void *argument)
{
    struct mapped *mapped = argument;
    uint64_t range, value = 1;

    if (!open_device(mapped)) {
        return;
    }
    mapped->client.gpu.may_be_lost = true;
    if (make_contexts(mapped) && open_queue(mapped) && make_fence(mapped) &&
        find_nowhere(mapped, &range)) {
        const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait = {
            .hDevice = mapped->client.gpu.device,
            .ObjectCount = 1,
            .ObjectHandleArray = &mapped->client.fence,
            .FenceValueArray = &value};
        if (submit_strays(mapped, range)) {
            (void)D3DKMTWaitForSynchronizationObjectFromCpu(&wait);
            mapped->host->count(mapped->host, "mapped.strays", 1);
            judge_notice(mapped, range);
        }
    }
    addressed_close(&mapped->client);
}

/* Contexts come and go, more of them than ten bits count: what the driver or its device keeps for
 * each has room for the next one when the last was given back [CTX-002]. */
static void crowd(void *argument)
{
    struct mapped *mapped = argument;
    NTSTATUS status = STATUS_SUCCESS;
    unsigned i = 0;
    char what[128];

    if (!open_device(mapped)) {
        return;
    }
    for (; i < CROWD && status >= 0; i += status >= 0) {
        D3DKMT_CREATECONTEXTVIRTUAL create = {.hDevice = mapped->client.gpu.device,
                                              .EngineAffinity = 1};
        status = D3DKMTCreateContextVirtual(&create);
        if (status >= 0) {
            status = D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){create.hContext});
        }
    }
    if (i > 0) { /* it may want data that nobody here knows */
        snprintf(what, sizeof what,
                 "a client's D3DKMTCreateContextVirtual, when %u contexts had come and gone,", i);
        (void)check(mapped, status, what);
    }
    addressed_close(&mapped->client);
}

static bool has_addresses(const struct drydock_workload_host *host)
{
    struct mapped probe = {.host = host};
    D3DDDI_RESERVEGPUVIRTUALADDRESS range = {.Size = RANGE_BYTES};
    bool there = false;

    if (open_device(&probe)) {
        D3DKMT_CREATEPAGINGQUEUE create = {.hDevice = probe.client.gpu.device};
        if (D3DKMTCreatePagingQueue(&create) >= 0) {
            range.hPagingQueue = create.hPagingQueue;
            there = D3DKMTReserveGpuVirtualAddress(&range) >= 0;
        }
        addressed_close(&probe.client);
    }
    return there;
}

/* Some of them at once, in processes of their own. */
static void run_together(struct mapped *all, unsigned count, drydock_process_entry *entry)
{
    struct drydock_process *processes[PROCESSES_MAX] = {0};
    const struct drydock_workload_host *host = all->host;

    for (unsigned i = 0; i < count; i++) {
        all[i] = (struct mapped){.host = host};
        processes[i] = host->start_process(host, "mapped", entry, &all[i]);
    }
    for (unsigned i = 0; i < count; i++) {
        if (processes[i]) {
            host->join(host, processes[i]);
        }
    }
}

static void run(const struct drydock_workload_host *host)
{
    struct mapped *all;

    if (host->capabilities & DRYDOCK_DRIVER_IS_DISPLAY_ONLY || !has_addresses(host)) {
        return;
    }
    all = calloc(PROCESSES_MAX, sizeof *all);
    if (all) {
        all->host = host;
        run_together(all, PROCESSES_MAX, process);
        if (!host->failed(host)) {
            run_together(all, 1, crowd);
            run_together(all, 1, stray);
            run_together(all, 1, process);
        }
    }
    free(all);
}

const struct drydock_workload workload_mapped = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "mapped",
    .description = "memory at GPU virtual addresses that come and go, without a command",
    .run = run,
};

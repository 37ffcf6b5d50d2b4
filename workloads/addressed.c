/* Memory, commands and fences of a client of GPU virtual addresses; see addressed.h. */
#include "addressed.h"

#include <string.h>

#define PAGE_BYTES 4096u
#define BLOCKS_MAX 64
#define SITE_HALF  82

static bool check(struct addressed *client, NTSTATUS status, const char *what)
{
    return gpu_check(&client->gpu, status, what);
}

/* ---- Devices ------------------------------------------------------------------------------- */

static bool make_fence(struct addressed *client)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {.hDevice = client->gpu.device,
                                                  .Info.Type = D3DDDI_MONITORED_FENCE};

    if (!check(client, D3DKMTCreateSynchronizationObject2(&create),
               "D3DKMTCreateSynchronizationObject2 of a monitored fence")) {
        return false;
    }
    client->fence = create.hSyncObject;
    client->fence_value = create.Info.MonitoredFence.FenceValueCPUVirtualAddress;
    client->writes_fences = create.Info.MonitoredFence.FenceValueGPUVirtualAddress != 0;
    return true;
}

static bool make_queue(struct addressed *client)
{
    D3DKMT_CREATEPAGINGQUEUE create = {.hDevice = client->gpu.device};

    if (!check(client, D3DKMTCreatePagingQueue(&create), "D3DKMTCreatePagingQueue")) {
        return false;
    }
    client->queue = create.hPagingQueue;
    client->queue_fence = create.hSyncObject;
    client->queue_value = create.FenceValueCPUVirtualAddress;
    return true;
}

static bool make_context(struct addressed *client, unsigned node, bool *there)
{
    D3DKMT_CREATECONTEXTVIRTUAL create = {
        .hDevice = client->gpu.device, .NodeOrdinal = node, .EngineAffinity = 1};
    NTSTATUS status = D3DKMTCreateContextVirtual(&create);

    *there = status != STATUS_NOT_SUPPORTED;
    client->context = create.hContext;
    client->node = node;
    return *there && check(client, status, "D3DKMTCreateContextVirtual");
}

/* With IoMmu a client has the addresses of its own process, and asks for none. */
static bool gives_no_addresses(const struct addressed *client)
{
    D3DDDI_RESERVEGPUVIRTUALADDRESS range = {.hPagingQueue = client->queue, .Size = 0x10000};
    NTSTATUS status = D3DKMTReserveGpuVirtualAddress(&range);

    if (NT_SUCCESS(status)) {
        D3DKMTFreeGpuVirtualAddress(&(D3DKMT_FREEGPUVIRTUALADDRESS){
            .hAdapter = client->gpu.adapter, .BaseAddress = range.VirtualAddress, .Size = 0x10000});
    }
    return status == STATUS_NOT_SUPPORTED;
}

bool addressed_open(struct addressed *client, const struct drydock_workload_host *host,
                    unsigned node, bool *there)
{
    D3DKMT_OPENADAPTERFROMLUID adapter = {
        .AdapterLuid = {host->adapter_luid_low, host->adapter_luid_high}};
    D3DKMT_CREATEDEVICE device = {0};

    *client = (struct addressed){.gpu.host = host};
    *there = true;
    if (!check(client, D3DKMTOpenAdapterFromLuid(&adapter), "D3DKMTOpenAdapterFromLuid")) {
        return false;
    }
    client->gpu.adapter = device.hAdapter = adapter.hAdapter;
    if (!check(client, D3DKMTCreateDevice(&device), "D3DKMTCreateDevice")) {
        D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){adapter.hAdapter});
        return false;
    }
    client->gpu.device = device.hDevice;
    if (make_context(client, node, there) && make_queue(client) && make_fence(client)) {
        client->shared = gives_no_addresses(client);
        return true;
    }
    addressed_close(client);
    return false;
}

void addressed_close(struct addressed *client)
{
    D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){client->gpu.device});
    D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){client->gpu.adapter});
    *client = (struct addressed){.gpu.host = client->gpu.host};
}

bool addressed_also_begin(struct addressed *client)
{
    D3DKMT_CREATECONTEXTVIRTUAL create = {
        .hDevice = client->gpu.device, .NodeOrdinal = client->node, .EngineAffinity = 1};
    bool good = check(client, D3DKMTCreateContextVirtual(&create), "D3DKMTCreateContextVirtual");

    client->also = create.hContext;
    return good;
}

void addressed_also_end(struct addressed *client)
{
    if (client->also) {
        check(client, D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){client->also}),
              "D3DKMTDestroyContext");
        client->also = 0;
    }
}

/* ---- Memory -------------------------------------------------------------------------------- */

static bool wait_for(struct addressed *client, D3DKMT_HANDLE fence, uint64_t value)
{
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU wait = {.hDevice = client->gpu.device,
                                                             .ObjectCount = 1,
                                                             .ObjectHandleArray = &fence,
                                                             .FenceValueArray = &value};

    return check(client, D3DKMTWaitForSynchronizationObjectFromCpu(&wait),
                 "D3DKMTWaitForSynchronizationObjectFromCpu");
}

bool addressed_wait_paging(struct addressed *client, NTSTATUS status, uint64_t value,
                           const char *what)
{
    if (!check(client, status, what)) {
        return false;
    }
    if ((status == STATUS_PENDING) != (value != 0)) {
        client->gpu.host->fail(client->gpu.host, "%s gave the status 0x%X and the fence value %llu",
                               what, (unsigned)status, (unsigned long long)value);
        return false;
    }
    if (value == 0 || *client->queue_value >= value) {
        return true;
    }
    return wait_for(client, client->queue_fence, value) && *client->queue_value >= value;
}

bool addressed_make(struct addressed *client, uint64_t size_bytes, unsigned flags,
                    struct memory_block *out)
{
    struct softgpu_umd_allocation data = {
        .magic = SOFTGPU_UMD_ALLOCATION_MAGIC,
        .version = SOFTGPU_UMD_VERSION,
        .flags =
            flags & ADDRESSED_UNSEEN ? flags & ~ADDRESSED_UNSEEN : SOFTGPU_UMD_CPU_VISIBLE | flags,
        .size_bytes = (unsigned)size_bytes,
    };
    D3DDDI_ALLOCATIONINFO2 info = {.pPrivateDriverData = &data,
                                   .PrivateDriverDataSize = sizeof data};
    D3DKMT_CREATEALLOCATION create = {
        .hDevice = client->gpu.device, .NumAllocations = 1, .pAllocationInfo2 = &info};

    *out = (struct memory_block){.size_bytes = size_bytes};
    if (!check(client, D3DKMTCreateAllocation2(&create), "D3DKMTCreateAllocation2")) {
        return false;
    }
    out->allocation = info.hAllocation;
    return true;
}

void addressed_destroy(struct addressed *client, struct memory_block *block)
{
    const D3DKMT_DESTROYALLOCATION2 destroy = {.hDevice = client->gpu.device,
                                               .phAllocationList = &block->allocation,
                                               .AllocationCount = 1};

    check(client, D3DKMTDestroyAllocation2(&destroy), "D3DKMTDestroyAllocation2");
    *block = (struct memory_block){0};
}

bool addressed_map(struct addressed *client, const struct mapping_request *request,
                   uint64_t *address)
{
    D3DDDI_MAPGPUVIRTUALADDRESS map = {
        .hPagingQueue = client->queue,
        .BaseAddress = request->base,
        .hAllocation = request->block->allocation,
        .OffsetInPages = request->page_first,
        .SizeInPages = request->page_count,
        .Protection = {.Write = request->write, .Execute = !request->data},
        /* What the driver makes of it is its own affair: the one for the software GPU nothing. */
        .DriverProtection = request->page_count << 32 | request->write,
    };
    NTSTATUS status = D3DKMTMapGpuVirtualAddress(&map);

    *address = map.VirtualAddress;
    return addressed_wait_paging(client, status, map.PagingFenceValue,
                                 "D3DKMTMapGpuVirtualAddress");
}

static void list_of(const struct memory_block *blocks, unsigned count, D3DKMT_HANDLE *handles)
{
    for (unsigned i = 0; i < count; i++) {
        handles[i] = blocks[i].allocation;
    }
}

bool addressed_reside(struct addressed *client, const struct memory_block *blocks, unsigned count)
{
    D3DKMT_HANDLE handles[BLOCKS_MAX];
    D3DDDI_MAKERESIDENT make = {
        .hPagingQueue = client->queue, .NumAllocations = count, .AllocationList = handles};

    list_of(blocks, count, handles);
    NTSTATUS status = D3DKMTMakeResident(&make);
    return addressed_wait_paging(client, status, make.PagingFenceValue, "D3DKMTMakeResident");
}

bool addressed_try_reside(struct addressed *client, const struct memory_block *block,
                          bool *resident, uint64_t *trim_bytes)
{
    D3DDDI_MAKERESIDENT make = {
        .hPagingQueue = client->queue, .NumAllocations = 1, .AllocationList = &block->allocation};
    NTSTATUS status = D3DKMTMakeResident(&make);

    *resident = status != STATUS_NO_MEMORY;
    *trim_bytes = make.NumBytesToTrim;
    return !*resident ||
           addressed_wait_paging(client, status, make.PagingFenceValue, "D3DKMTMakeResident");
}

bool addressed_evict(struct addressed *client, const struct memory_block *blocks, unsigned count)
{
    D3DKMT_HANDLE handles[BLOCKS_MAX];
    D3DKMT_EVICT evict = {
        .hDevice = client->gpu.device, .NumAllocations = count, .AllocationList = handles};

    list_of(blocks, count, handles);
    return check(client, D3DKMTEvict(&evict), "D3DKMTEvict");
}

bool addressed_offer(struct addressed *client, const struct memory_block *block)
{
    const D3DKMT_OFFERALLOCATIONS offer = {.hDevice = client->gpu.device,
                                           .HandleList = &block->allocation,
                                           .NumAllocations = 1,
                                           .Priority = D3DKMT_OFFER_PRIORITY_NORMAL};

    return check(client, D3DKMTOfferAllocations(&offer), "D3DKMTOfferAllocations");
}

bool addressed_reclaim(struct addressed *client, const struct memory_block *block, bool *kept)
{
    D3DDDI_RECLAIM_RESULT result = D3DDDI_RECLAIM_RESULT_NOT_COMMITTED;
    D3DKMT_RECLAIMALLOCATIONS2 reclaim = {.hPagingQueue = client->queue,
                                          .NumAllocations = 1,
                                          .HandleList = &block->allocation,
                                          .pResults = &result};
    NTSTATUS status = D3DKMTReclaimAllocations2(&reclaim);

    *kept = result == D3DDDI_RECLAIM_RESULT_OK;
    return addressed_wait_paging(client, status, reclaim.PagingFenceValue,
                                 "D3DKMTReclaimAllocations2");
}

bool addressed_move(struct addressed *client, const struct memory_block *block, uint32_t segments,
                    bool *there)
{
    D3DDDI_UPDATEALLOCPROPERTY update = {.hPagingQueue = client->queue,
                                         .hAllocation = block->allocation,
                                         .SupportedSegmentSet = segments,
                                         .SetSupportedSegmentSet = 1};
    NTSTATUS status = D3DKMTUpdateAllocationProperty(&update);

    *there = status != STATUS_NOT_SUPPORTED;
    return !*there || addressed_wait_paging(client, status, update.PagingFenceValue,
                                            "D3DKMTUpdateAllocationProperty");
}

bool addressed_segments(struct addressed *client, uint32_t *memory, uint32_t *aperture)
{
    struct softgpu_umd_adapter answer = {0};
    const D3DKMT_QUERYADAPTERINFO query = {.hAdapter = client->gpu.adapter,
                                           .Type = KMTQAITYPE_UMDRIVERPRIVATE,
                                           .pPrivateDriverData = &answer,
                                           .PrivateDriverDataSize = sizeof answer};

    bool good = check(client, D3DKMTQueryAdapterInfo(&query), "D3DKMTQueryAdapterInfo");
    *aperture = 1u << answer.vram_segment_count;
    *memory = *aperture - 1;
    return good;
}

bool addressed_trim(struct addressed *client, uint64_t size_bytes)
{
    D3DKMT_TRIMPROCESSCOMMITMENT trim = {.cbSize = sizeof trim, .DecommitRequested = size_bytes};

    return check(client, D3DKMTTrimProcessCommitment(&trim), "D3DKMTTrimProcessCommitment");
}

/* The GPU finds it where the CPU does, for its life. */
static bool share_address(struct addressed *client, struct memory_block *block)
{
    const void *bytes = addressed_lock(client, block);

    if (bytes) {
        block->address = (uintptr_t)bytes;
        addressed_unlock(client, block);
    }
    return bytes != NULL;
}

bool addressed_block(struct addressed *client, uint64_t size_bytes, unsigned flags,
                     struct memory_block *out)
{
    const struct mapping_request request = {
        .block = out, .page_count = size_bytes / PAGE_BYTES, .write = true};

    if (!addressed_make(client, size_bytes,
                        client->shared ? flags | SOFTGPU_UMD_VIRTUAL_ONLY : flags, out)) {
        return false;
    }
    return (client->shared ? share_address(client, out)
                           : addressed_map(client, &request, &out->address)) &&
           addressed_reside(client, out, 1);
}

static NTSTATUS reserve(struct addressed *client, uint64_t size_bytes,
                        D3DDDIGPUVIRTUALADDRESS_RESERVATION_TYPE type,
                        D3DDDI_RESERVEGPUVIRTUALADDRESS *out)
{
    *out = (D3DDDI_RESERVEGPUVIRTUALADDRESS){
        .hPagingQueue = client->queue, .Size = size_bytes, .ReservationType = type};
    return D3DKMTReserveGpuVirtualAddress(out);
}

bool addressed_reserve(struct addressed *client, uint64_t size_bytes, uint64_t *address)
{
    D3DDDI_RESERVEGPUVIRTUALADDRESS range;
    NTSTATUS status =
        reserve(client, size_bytes, D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_ACCESS, &range);

    *address = range.VirtualAddress;
    return addressed_wait_paging(client, status, range.PagingFenceValue,
                                 "D3DKMTReserveGpuVirtualAddress");
}

bool addressed_reserve_zeros(struct addressed *client, uint64_t size_bytes, uint64_t *address,
                             bool *there)
{
    D3DDDI_RESERVEGPUVIRTUALADDRESS range;
    NTSTATUS status = reserve(client, size_bytes, D3DDDIGPUVIRTUALADDRESS_RESERVE_ZERO, &range);

    *there = status != STATUS_NOT_SUPPORTED;
    *address = range.VirtualAddress;
    return !*there || addressed_wait_paging(client, status, range.PagingFenceValue,
                                            "D3DKMTReserveGpuVirtualAddress of zeros");
}

#define UPDATES_MAX 64

/* Behind what was submitted: it waits for the fence's last value, and signals the next. */
static bool update(struct addressed *client, D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION *operations,
                   unsigned count, const char *what)
{
    const D3DKMT_UPDATEGPUVIRTUALADDRESS update = {
        .hDevice = client->gpu.device,
        .hContext = client->context,
        .hFenceObject = client->fence,
        .NumOperations = count,
        .Operations = operations,
        .FenceValue = client->last_value,
    };

    if (!check(client, D3DKMTUpdateGpuVirtualAddress(&update), what)) {
        return false;
    }
    client->last_value++;
    return true;
}

bool addressed_update(struct addressed *client, const struct memory_block *block, uint64_t range,
                      const unsigned *pages, unsigned count)
{
    D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION operations[UPDATES_MAX] = {0};

    for (unsigned i = 0; i < count && i < UPDATES_MAX; i++) {
        operations[i].OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP;
        operations[i].Map.BaseAddress = range + i * PAGE_BYTES;
        operations[i].Map.SizeInBytes = PAGE_BYTES;
        operations[i].Map.hAllocation = block->allocation;
        operations[i].Map.AllocationOffsetInBytes = (uint64_t)pages[i] * PAGE_BYTES;
    }
    return update(client, operations, count, "D3DKMTUpdateGpuVirtualAddress");
}

bool addressed_show_again(struct addressed *client, uint64_t source, uint64_t range,
                          uint64_t size_bytes)
{
    D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION operation = {
        .OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_COPY,
        .Copy = {.SourceAddress = source, .SizeInBytes = size_bytes, .DestAddress = range},
    };

    return update(client, &operation, 1, "D3DKMTUpdateGpuVirtualAddress of a copy");
}

bool addressed_update_twice(struct addressed *client, const struct twice_request *request)
{
    const uint64_t bytes = request->page_count * PAGE_BYTES;
    D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION operations[2] = {
        {.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP,
         .Map = {.BaseAddress = request->range,
                 .SizeInBytes = bytes,
                 .hAllocation = request->block->allocation,
                 .AllocationOffsetInBytes = request->page_first * PAGE_BYTES}},
        {.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_COPY,
         .Copy = {.SourceAddress = request->range,
                  .SizeInBytes = bytes,
                  .DestAddress = request->range + bytes}},
    };

    return update(client, operations, 2,
                  "D3DKMTUpdateGpuVirtualAddress of pages and a copy of them");
}

bool addressed_free(struct addressed *client, uint64_t address, uint64_t size_bytes)
{
    const D3DKMT_FREEGPUVIRTUALADDRESS arguments = {
        .hAdapter = client->gpu.adapter, .BaseAddress = address, .Size = size_bytes};

    return check(client, D3DKMTFreeGpuVirtualAddress(&arguments), "D3DKMTFreeGpuVirtualAddress");
}

void *addressed_lock(struct addressed *client, const struct memory_block *block)
{
    D3DKMT_LOCK2 lock = {.hDevice = client->gpu.device, .hAllocation = block->allocation};

    return check(client, D3DKMTLock2(&lock), "D3DKMTLock2") ? lock.pData : NULL;
}

void addressed_unlock(struct addressed *client, const struct memory_block *block)
{
    const D3DKMT_UNLOCK2 unlock = {.hDevice = client->gpu.device, .hAllocation = block->allocation};

    check(client, D3DKMTUnlock2(&unlock), "D3DKMTUnlock2");
}

/* ---- Commands ------------------------------------------------------------------------------ */

static struct softgpu_address split(uint64_t address)
{
    return (struct softgpu_address){(softgpu_u32)address, (softgpu_u32)(address >> 32)};
}

void writer_begin(struct command_writer *writer, struct addressed *client,
                  const struct memory_block *block)
{
    *writer = (struct command_writer){
        .client = client, .block = block, .bytes = addressed_lock(client, block)};
}

/* Zeroed, with its header filled in; NULL after a failure. */
static void *add(struct command_writer *writer, unsigned opcode, unsigned size_bytes)
{
    const struct drydock_workload_host *host = writer->client->gpu.host;

    if (writer->bytes && writer->used_bytes + size_bytes > writer->block->size_bytes) {
        host->fail(host, "the workload's commands do not fit into their buffer");
        addressed_unlock(writer->client, writer->block);
        writer->bytes = NULL;
    }
    if (!writer->bytes) {
        return NULL;
    }
    if (writer->client->splits && !writer->half_bytes && host->random(host, SITE_HALF) % 2) {
        writer->half_bytes = writer->used_bytes;
    }
    uint32_t *words = (uint32_t *)(void *)(writer->bytes + writer->used_bytes);
    memset(words, 0, size_bytes);
    words[0] = SOFTGPU_COMMAND(opcode, size_bytes / 4);
    writer->used_bytes += size_bytes;
    return words;
}

void writer_fill(struct command_writer *writer, uint64_t to, uint64_t size_bytes, uint32_t pattern)
{
    struct softgpu_command_fill *fill = add(writer, SOFTGPU_OP_FILL, sizeof *fill);

    if (fill) {
        fill->pattern = pattern;
        fill->address = split(to);
        fill->size_low = (softgpu_u32)size_bytes;
    }
}

void writer_copy(struct command_writer *writer, uint64_t to, uint64_t from, uint64_t size_bytes)
{
    struct softgpu_command_copy *copy = add(writer, SOFTGPU_OP_COPY, sizeof *copy);

    if (copy) {
        copy->destination = split(to);
        copy->source = split(from);
        copy->size_low = (softgpu_u32)size_bytes;
    }
}

void writer_compute(struct command_writer *writer, const struct compute_request *request)
{
    struct softgpu_command_compute *compute = add(writer, SOFTGPU_OP_COMPUTE, sizeof *compute);

    if (compute) {
        compute->kernel = request->kernel;
        compute->count = request->count;
        compute->scalar = request->scalar;
        compute->result = split(request->result);
        compute->source_a = split(request->a);
        compute->source_b = split(request->b);
    }
}

void writer_fence(struct command_writer *writer, uint64_t to, uint64_t value)
{
    struct softgpu_command_fence64 *fence = add(writer, SOFTGPU_OP_FENCE64, sizeof *fence);

    if (fence) {
        fence->address = split(to);
        fence->value_low = (softgpu_u32)value;
        fence->value_high = (softgpu_u32)(value >> 32);
    }
}

void writer_signal(struct command_writer *writer, uint64_t to, uint64_t monitored, uint64_t value)
{
    struct softgpu_command_signal *signal = add(writer, SOFTGPU_OP_SIGNAL, sizeof *signal);

    if (signal) {
        signal->address = split(to);
        signal->monitored = split(monitored);
        signal->value_low = (softgpu_u32)value;
        signal->value_high = (softgpu_u32)(value >> 32);
    }
}

void writer_wait(struct command_writer *writer, uint64_t at, uint64_t value)
{
    struct softgpu_command_wait *wait = add(writer, SOFTGPU_OP_WAIT, sizeof *wait);

    if (wait) {
        wait->address = split(at);
        wait->condition = SOFTGPU_WAIT_AT_LEAST | SOFTGPU_WAIT_64;
        wait->value_low = (softgpu_u32)value;
        wait->value_high = (softgpu_u32)(value >> 32);
    }
}

void writer_stamp(struct command_writer *writer, uint64_t to)
{
    struct softgpu_command_address *stamp = add(writer, SOFTGPU_OP_TIMESTAMP, sizeof *stamp);

    if (stamp) {
        stamp->address = split(to);
    }
}

void writer_delay(struct command_writer *writer, uint32_t ns)
{
    struct softgpu_command_delay *delay = add(writer, SOFTGPU_OP_DELAY, sizeof *delay);

    if (delay) {
        delay->nanoseconds = ns;
    }
}

void writer_hang(struct command_writer *writer)
{
    (void)add(writer, SOFTGPU_OP_HANG, sizeof(uint32_t));
}

bool writer_close(struct command_writer *writer)
{
    bool good = writer->bytes != NULL;

    if (good) {
        addressed_unlock(writer->client, writer->block);
        writer->bytes = NULL;
    }
    return good;
}

static bool signal_behind(struct addressed *client)
{
    uint64_t value = ++client->last_value;
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU signal = {.hContext = client->context,
                                                              .ObjectCount = 1,
                                                              .ObjectHandleArray = &client->fence,
                                                              .MonitoredFenceValueArray = &value};

    return check(client, D3DKMTSignalSynchronizationObjectFromGpu(&signal),
                 "D3DKMTSignalSynchronizationObjectFromGpu");
}

static bool submit_range(const struct command_writer *writer, unsigned begin, unsigned end)
{
    struct addressed *client = writer->client;
    struct softgpu_umd_submit data = {.magic = SOFTGPU_UMD_SUBMIT_MAGIC,
                                      .version = SOFTGPU_UMD_VERSION};
    const D3DKMT_SUBMITCOMMAND submit = {
        .Commands = writer->block->address + begin,
        .CommandLength = end - begin,
        .BroadcastContextCount = client->also ? 2 : 1,
        .BroadcastContext = {client->context, client->also},
        .Flags.NullRendering = client->null_rendering,
        .pPrivateDriverData = client->sends_no_data ? NULL : &data,
        .PrivateDriverDataSize = client->sends_no_data ? 0 : sizeof data,
    };

    return check(client, D3DKMTSubmitCommand(&submit), "D3DKMTSubmitCommand");
}

bool writer_submit(const struct command_writer *writer)
{
    return (!writer->half_bytes || submit_range(writer, 0, writer->half_bytes)) &&
           submit_range(writer, writer->half_bytes, writer->used_bytes);
}

bool writer_again(const struct command_writer *writer)
{
    return writer_submit(writer) && signal_behind(writer->client);
}

bool writer_end(struct command_writer *writer)
{
    return writer_close(writer) && writer_again(writer);
}

bool addressed_wait(struct addressed *client)
{
    return addressed_wait_fence(client, client->fence, client->last_value);
}

bool addressed_wait_fence(struct addressed *client, D3DKMT_HANDLE fence, uint64_t value)
{
    if (!wait_for(client, fence, value)) {
        return false;
    }
    /* A device that was lost has let everybody go. */
    return check(client,
                 gpu_state(&client->gpu) == D3DKMT_DEVICEEXECUTION_ACTIVE ? STATUS_SUCCESS
                                                                          : STATUS_DEVICE_REMOVED,
                 "waiting for submitted commands");
}

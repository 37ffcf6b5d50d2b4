/* Clients whose contexts have GPU virtual addresses. */
#include "virtual_client.h"

#include "addressed.h"
#include "hostile_support.h"
#include "queue_client.h"

static D3DKMT_HANDLE open_device(D3DKMT_HANDLE *adapter)
{
    D3DKMT_OPENADAPTERFROMLUID open = {
        .AdapterLuid = {hostile_host->adapter_luid_low, hostile_host->adapter_luid_high}};
    D3DKMT_CREATEDEVICE device = {0};

    EXPECT(STATUS_SUCCESS, D3DKMTOpenAdapterFromLuid(&open));
    device.hAdapter = *adapter = open.hAdapter;
    EXPECT(STATUS_SUCCESS, D3DKMTCreateDevice(&device));
    return device.hDevice;
}

static void close_device(D3DKMT_HANDLE adapter, D3DKMT_HANDLE device)
{
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){device}));
    EXPECT(STATUS_SUCCESS, D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){adapter}));
}

/* One that is destroyed, and made again, beside one that the device takes along. */
static void run_contexts(const struct drydock_workload_host *given)
{
    hostile_host = given;
    D3DKMT_HANDLE adapter, device = open_device(&adapter);
    D3DKMT_CREATECONTEXTVIRTUAL first = {.hDevice = device, .EngineAffinity = 1}, second = first;
    D3DKMT_CREATECONTEXTVIRTUAL wrong = {.hDevice = device, .EngineAffinity = 1};

    EXPECT(STATUS_SUCCESS, D3DKMTCreateContextVirtual(&first));
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){first.hContext}));
    EXPECT(STATUS_SUCCESS, D3DKMTCreateContextVirtual(&first));
    EXPECT(STATUS_SUCCESS, D3DKMTCreateContextVirtual(&second));
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){second.hContext}));
    wrong.NodeOrdinal = 1000;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateContextVirtual(&wrong));
    close_device(adapter, device);
}

const struct drydock_workload virtual_contexts = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                  .name = "virtual contexts",
                                                  .description = "contexts and their root tables",
                                                  .run = run_contexts};

static void run_none(const struct drydock_workload_host *given)
{
    hostile_host = given;
    D3DKMT_HANDLE adapter, device = open_device(&adapter);
    D3DKMT_CREATECONTEXTVIRTUAL context = {.hDevice = device, .EngineAffinity = 1};

    EXPECT(STATUS_NOT_SUPPORTED, D3DKMTCreateContextVirtual(&context));
    close_device(adapter, device);
}

const struct drydock_workload virtual_where_there_are_none = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "no virtual contexts",
    .description = "a driver of physical addresses refuses them",
    .run = run_none};

#define UNIT_BYTES 0x10000u

static void open_client(struct addressed *client, const struct drydock_workload_host *given,
                        unsigned node)
{
    bool there = false;

    hostile_host = given;
    EXPECT(1, addressed_open(client, given, node, &there) && there);
}

static struct memory_block make_block(struct addressed *client)
{
    struct memory_block block = {0};

    EXPECT(1, addressed_block(client, UNIT_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &block));
    return block;
}

/* ---- Addresses of the kernel's own ----------------------------------------------------------- */

#define FIRST_ADDRESS UINT64_C(0x8000000000)
#define UNITS         24u /* more than the client and the kernel have, from the first one on */
#define PAGES_MAX     16u

static NTSTATUS free_range(const struct addressed *client, uint64_t address, uint64_t size_bytes)
{
    return D3DKMTFreeGpuVirtualAddress(
        &(D3DKMT_FREEGPUVIRTUALADDRESS){client->gpu.adapter, address, size_bytes});
}

/* One of what the kernel gave out lies where the others are looked for. */
static int is_among_them(uint64_t address)
{
    return address >= FIRST_ADDRESS && address < FIRST_ADDRESS + (uint64_t)UNITS * UNIT_BYTES;
}

/* Whatever lies there and is not the block's, if its size can be guessed. */
static unsigned free_others(const struct addressed *client, const struct memory_block *block)
{
    unsigned freed = 0;

    for (unsigned i = 0; i < UNITS; i++) {
        uint64_t address = FIRST_ADDRESS + (uint64_t)i * UNIT_BYTES;
        for (unsigned pages = 1; pages <= PAGES_MAX && address != block->address; pages++) {
            freed += NT_SUCCESS(free_range(client, address, (uint64_t)pages * 4096));
        }
    }
    return freed;
}

static NTSTATUS show_nothing(const struct addressed *client, uint64_t address)
{
    D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION operation = {
        .OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_UNMAP,
        .Unmap = {.BaseAddress = address, .SizeInBytes = 4096, .Protection.NoAccess = 1}};

    return D3DKMTUpdateGpuVirtualAddress(
        &(D3DKMT_UPDATEGPUVIRTUALADDRESS){.hDevice = client->gpu.device,
                                          .hContext = client->context,
                                          .hFenceObject = client->fence,
                                          .NumOperations = 1,
                                          .Operations = &operation,
                                          .FenceValue = client->last_value});
}

/* A page of the block where a fence lies, or beside it in the fence's unit. */
static NTSTATUS map_over(const struct addressed *client, const struct memory_block *block,
                         uint64_t address)
{
    D3DDDI_MAPGPUVIRTUALADDRESS map = {.hPagingQueue = client->queue,
                                       .BaseAddress = address,
                                       .hAllocation = block->allocation,
                                       .SizeInPages = 1};

    return D3DKMTMapGpuVirtualAddress(&map);
}

/* What the kernel shows in a client's space, for fences and for presents, stays until the kernel
 * takes it away, and both work afterwards. */
static void run_kept(const struct drydock_workload_host *given)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence = {.Info.Type = D3DDDI_MONITORED_FENCE};
    struct drydock_standard_allocation from, to;
    struct addressed client;

    open_client(&client, given, 0);
    const struct memory_block block = make_block(&client);
    from = to = hostile_surface(client.gpu.device);
    EXPECT(STATUS_SUCCESS, drydock_create_standard_allocation(&from));
    EXPECT(STATUS_SUCCESS, drydock_create_standard_allocation(&to));
    fence.hDevice = client.gpu.device;
    EXPECT(STATUS_SUCCESS, D3DKMTCreateSynchronizationObject2(&fence));
    D3DKMT_PRESENT present = {.hContext = client.context,
                              .hSource = from.hAllocation,
                              .hDestination = to.hAllocation,
                              .Flags.Blt = 1};
    EXPECT(STATUS_SUCCESS, D3DKMTPresent(&present));
    EXPECT(STATUS_SUCCESS, D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){client.gpu.device}));
    const uint64_t word = fence.Info.MonitoredFence.FenceValueGPUVirtualAddress & ~UINT64_C(4095);
    EXPECT(STATUS_INVALID_PARAMETER, free_range(&client, word, 4096));
    EXPECT(STATUS_INVALID_PARAMETER, map_over(&client, &block, word));
    EXPECT(STATUS_INVALID_PARAMETER, map_over(&client, &block, word + 4096));
    EXPECT(1, is_among_them(word));
    EXPECT(1, is_among_them(block.address));
    EXPECT(0, (NTSTATUS)free_others(&client, &block));
    EXPECT(STATUS_SUCCESS, D3DKMTPresent(&present));
    EXPECT(STATUS_SUCCESS, D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){client.gpu.device}));
    EXPECT(STATUS_SUCCESS, free_range(&client, block.address, UNIT_BYTES));
    EXPECT(D3DKMT_DEVICEEXECUTION_ACTIVE, (NTSTATUS)gpu_state(&client.gpu));
    EXPECT(STATUS_SUCCESS, show_nothing(&client, word)); /* what is wrong with it shows later */
    EXPECT(STATUS_SUCCESS, D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){client.gpu.device}));
    EXPECT(1, gpu_state(&client.gpu) != D3DKMT_DEVICEEXECUTION_ACTIVE);
    addressed_close(&client);
}

const struct drydock_workload virtual_kept = {.abi = DRYDOCK_WORKLOAD_ABI,
                                              .name = "kept",
                                              .description =
                                                  "frees and maps what the kernel shows for itself",
                                              .run = run_kept};

/* ---- What a submission writes ---------------------------------------------------------------- */

/* The back buffers that a submission names are allocations of its device. */
static void run_written(const struct drydock_workload_host *given)
{
    struct command_writer writer;
    struct addressed client;

    open_client(&client, given, 0);
    const struct memory_block commands = make_block(&client), buffer = make_block(&client);
    writer_begin(&writer, &client, &commands);
    writer_fill(&writer, buffer.address, UNIT_BYTES, 0x600D600D);
    EXPECT(1, writer_close(&writer));
    D3DKMT_SUBMITCOMMAND submit = {.Commands = commands.address,
                                   .CommandLength = writer.used_bytes,
                                   .BroadcastContextCount = 1,
                                   .BroadcastContext = {client.context},
                                   .NumPrimaries = 1,
                                   .WrittenPrimaries = {buffer.allocation}};
    EXPECT(STATUS_SUCCESS, D3DKMTSubmitCommand(&submit));
    submit.NumPrimaries = 2;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSubmitCommand(&submit)); /* the second is none */
    submit.WrittenPrimaries[1] = client.context;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSubmitCommand(&submit));
    submit.NumPrimaries = D3DDDI_MAX_WRITTEN_PRIMARIES + 1;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSubmitCommand(&submit));
    submit.NumPrimaries = 0;
    submit.NumHistoryBuffers = 1;
    EXPECT(STATUS_NOT_SUPPORTED, D3DKMTSubmitCommand(&submit));
    EXPECT(STATUS_SUCCESS, D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){client.gpu.device}));
    addressed_close(&client);
}

const struct drydock_workload virtual_written = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                 .name = "written",
                                                 .description =
                                                     "names the back buffers that it writes",
                                                 .run = run_written};

/* A page that nobody may read: memory of the kernel's. */
#define NOBODYS ((const D3DKMT_HANDLE *)UINT64_C(0xFFFFF80000000000))

/* The same of a hardware queue, whose list is memory of the client's. A submission that is refused
 * takes no value of the fence. */
static void run_queue_written(const struct drydock_workload_host *given)
{
    static struct softgpu_umd_submit data = {.magic = SOFTGPU_UMD_SUBMIT_MAGIC,
                                             .version = SOFTGPU_UMD_VERSION};
    struct command_writer writer;
    struct queue_stream stream;
    struct addressed client;

    open_client(&client, given, SOFTGPU_ENGINE_COMPUTE);
    EXPECT(1, stream_open(&stream, &client) && stream.queue && stream.fence_address);
    const struct memory_block commands = make_block(&client), buffer = make_block(&client);
    D3DKMT_HANDLE written[D3DDDI_MAX_WRITTEN_PRIMARIES + 1] = {buffer.allocation, stream.queue};
    writer_begin(&writer, &client, &commands);
    writer_fence(&writer, stream.fence_address, stream_next(&stream, 1));
    EXPECT(1, writer_close(&writer));
    D3DKMT_SUBMITCOMMANDTOHWQUEUE submit = {.hHwQueue = stream.queue,
                                            .HwQueueProgressFenceId = stream.value,
                                            .CommandBuffer = commands.address,
                                            .CommandLength = writer.used_bytes,
                                            .PrivateDriverDataSize = sizeof data,
                                            .pPrivateDriverData = &data,
                                            .NumPrimaries = 2,
                                            .WrittenPrimaries = written};
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSubmitCommandToHwQueue(&submit)); /* one is a queue */
    written[1] = 0;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSubmitCommandToHwQueue(&submit));
    submit.NumPrimaries = D3DDDI_MAX_WRITTEN_PRIMARIES + 1;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSubmitCommandToHwQueue(&submit));
    submit.NumPrimaries = 1;
    submit.WrittenPrimaries = NOBODYS;
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTSubmitCommandToHwQueue(&submit));
    submit.WrittenPrimaries = NULL;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSubmitCommandToHwQueue(&submit));
    submit.WrittenPrimaries = written;
    EXPECT(STATUS_SUCCESS, D3DKMTSubmitCommandToHwQueue(&submit));
    stream_close(&stream);
    addressed_close(&client);
}

const struct drydock_workload virtual_queue_written = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "queue written",
    .description = "names the back buffers that it writes by a hardware queue",
    .run = run_queue_written};

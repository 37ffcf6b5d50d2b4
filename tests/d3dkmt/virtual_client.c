/* Clients whose contexts have GPU virtual addresses. */
#include "virtual_client.h"

#include "addressed.h"
#include "hostile_support.h"

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

/* ---- Addresses of the kernel's own ----------------------------------------------------------- */

#define FIRST_ADDRESS UINT64_C(0x8000000000)
#define UNIT_BYTES    0x10000u
#define UNITS         24u /* more than the client and the kernel have, from the first one on */
#define PAGES_MAX     16u

static NTSTATUS free_range(const struct addressed *client, uint64_t address, uint64_t size_bytes)
{
    return D3DKMTFreeGpuVirtualAddress(
        &(D3DKMT_FREEGPUVIRTUALADDRESS){client->gpu.adapter, address, size_bytes});
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
    struct memory_block block;
    struct addressed client;
    bool there;

    hostile_host = given;
    if (!addressed_open(&client, given, 0, &there) || !there ||
        !addressed_block(&client, UNIT_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &block)) {
        return;
    }
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
    struct memory_block commands, buffer;
    struct command_writer writer;
    struct addressed client;
    bool there;

    hostile_host = given;
    if (!addressed_open(&client, given, 0, &there) || !there ||
        !addressed_block(&client, UNIT_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &commands) ||
        !addressed_block(&client, UNIT_BYTES, SOFTGPU_UMD_VIRTUAL_ONLY, &buffer)) {
        return;
    }
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

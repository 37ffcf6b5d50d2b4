/* A client whose calls name flags, sources, values and lists that are no client's to name, or
 * another's; see refused_client.h. Each is refused as a whole. */
#include "refused_client.h"

#include <string.h>

#include "addressed.h"
#include "hostile_support.h"
#include "softgpu_client.h"

#define PRESENTS 6

/* ---- Flags ----------------------------------------------------------------------------------- */

static NTSTATUS make_device(const struct hostile *client, D3DKMT_CREATEDEVICEFLAGS flags)
{
    D3DKMT_CREATEDEVICE create = {.hAdapter = client->adapter, .Flags = flags};
    NTSTATUS status = D3DKMTCreateDevice(&create);

    if (status == STATUS_SUCCESS) {
        EXPECT(STATUS_SUCCESS, D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){create.hDevice}));
    }
    return status;
}

static NTSTATUS make_context(const struct hostile *client, D3DDDI_CREATECONTEXTFLAGS flags)
{
    D3DKMT_CREATECONTEXT create = {.hDevice = client->device, .EngineAffinity = 1, .Flags = flags};
    NTSTATUS status = D3DKMTCreateContext(&create);

    if (status == STATUS_SUCCESS) {
        EXPECT(STATUS_SUCCESS, D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){create.hContext}));
    }
    return status;
}

static void name_flags_of_objects(const struct hostile *client)
{
    EXPECT(STATUS_SUCCESS, make_device(client, (D3DKMT_CREATEDEVICEFLAGS){.LegacyMode = 1}));
    EXPECT(STATUS_NOT_SUPPORTED,
           make_device(client, (D3DKMT_CREATEDEVICEFLAGS){.RequestVSync = 1}));
    EXPECT(STATUS_NOT_SUPPORTED,
           make_device(client, (D3DKMT_CREATEDEVICEFLAGS){.DisableGpuTimeout = 1}));
    EXPECT(STATUS_INVALID_PARAMETER,
           make_device(client, (D3DKMT_CREATEDEVICEFLAGS){.Reserved = 1}));
    EXPECT(STATUS_SUCCESS, make_context(client, (D3DDDI_CREATECONTEXTFLAGS){.NullRendering = 1}));
    EXPECT(STATUS_NOT_SUPPORTED,
           make_context(client, (D3DDDI_CREATECONTEXTFLAGS){.DisableGpuTimeout = 1}));
    EXPECT(STATUS_NOT_SUPPORTED,
           make_context(client, (D3DDDI_CREATECONTEXTFLAGS){.SynchronizationOnly = 1}));
    EXPECT(STATUS_INVALID_PARAMETER,
           make_context(client, (D3DDDI_CREATECONTEXTFLAGS){.Reserved = 1}));
}

#define FILLED 0x600D600Du
#define BEFORE 0x0BEF03E0u

/* What a fill by the GPU leaves of four bytes. */
static uint32_t fill(struct gpu *gpu, const struct surface *buffer)
{
    struct commands commands;
    uint32_t seen = BEFORE;
    void *bytes = gpu_lock(gpu, buffer, false);

    if (bytes) {
        memcpy(bytes, &seen, sizeof seen);
        gpu_unlock(gpu, buffer);
    }
    commands_begin(&commands, gpu);
    commands_fill(&commands, buffer, 0, 64, FILLED);
    EXPECT(1, commands_end(&commands) && gpu_wait_idle(gpu));
    bytes = gpu_lock(gpu, buffer, true);
    if (bytes) {
        memcpy(&seen, bytes, sizeof seen);
        gpu_unlock(gpu, buffer);
    }
    return seen;
}

/* Nothing of what such a context sends runs, and its fences are told as ever. */
static void render_nothing(void)
{
    D3DKMT_CREATECONTEXT create = {.Flags.NullRendering = 1, .EngineAffinity = 1};
    struct surface buffer = {0};
    struct gpu gpu;

    if (!gpu_open(&gpu, host, softgpu_copy_node(host)) || !softgpu_buffer(&gpu, 4096, 0, &buffer)) {
        return;
    }
    EXPECT(FILLED, fill(&gpu, &buffer));
    const D3DKMT_HANDLE usual = gpu.context;
    create.hDevice = gpu.device;
    create.NodeOrdinal = softgpu_copy_node(host);
    EXPECT(STATUS_SUCCESS, D3DKMTCreateContext(&create));
    gpu.context = create.hContext;
    gpu.commands = create.pCommandBuffer;
    gpu.command_bytes = create.CommandBufferSize;
    gpu.allocations = create.pAllocationList;
    gpu.allocation_count = create.AllocationListSize;
    EXPECT(BEFORE, fill(&gpu, &buffer));
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){create.hContext}));
    gpu.context = usual;
    gpu_surface_destroy(&gpu, &buffer);
    gpu_close(&gpu);
}

/* ---- Escapes --------------------------------------------------------------------------------- */

static NTSTATUS escape(const struct hostile *client, D3DDDI_ESCAPEFLAGS flags)
{
    struct softgpu_umd_escape data = {.magic = SOFTGPU_UMD_ADAPTER_MAGIC,
                                      .code = SOFTGPU_ESCAPE_COUNTERS};

    return D3DKMTEscape(&(D3DKMT_ESCAPE){.hAdapter = client->adapter,
                                         .Flags = flags,
                                         .pPrivateDriverData = &data,
                                         .PrivateDriverDataSize = sizeof data});
}

/* How long the device still works when the Escape is back. */
static uint64_t left_behind(const struct hostile *client, D3DDDI_ESCAPEFLAGS flags)
{
    D3DKMT_PRESENT present = hostile_blt(client);

    for (unsigned i = 0; i < PRESENTS; i++) {
        EXPECT(STATUS_SUCCESS, D3DKMTPresent(&present));
    }
    EXPECT(STATUS_SUCCESS, escape(client, flags));
    uint64_t begin_ns = host->now_ns(host);
    EXPECT(STATUS_SUCCESS, D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){client->device}));
    return host->now_ns(host) - begin_ns;
}

static void name_flags_of_escapes(const struct hostile *client)
{
    UINT presents = 3 * PRESENTS;
    D3DKMT_SETQUEUEDLIMIT limit = {.hDevice = client->device,
                                   .Type = D3DKMT_SET_QUEUEDLIMIT_PRESENT,
                                   .QueuedPresentLimit = presents};

    EXPECT(STATUS_INVALID_PARAMETER, escape(client, (D3DDDI_ESCAPEFLAGS){.Value = 1u << 30}));
    EXPECT(STATUS_INVALID_PARAMETER, escape(client, (D3DDDI_ESCAPEFLAGS){.VirtualMachineData = 1}));
    EXPECT(STATUS_INVALID_PARAMETER, escape(client, (D3DDDI_ESCAPEFLAGS){.DeviceStatusQuery = 1}));
    EXPECT(STATUS_INVALID_PARAMETER,
           escape(client, (D3DDDI_ESCAPEFLAGS){.HardwareAccess = 1, .ChangeFrameLatency = 1}));
    EXPECT(STATUS_SUCCESS, D3DKMTSetQueuedLimit(&limit));
    left_behind(client, (D3DDDI_ESCAPEFLAGS){.Value = 0}); /* brings all into memory */
    EXPECT(1, left_behind(client, (D3DDDI_ESCAPEFLAGS){.Value = 0}) > 0);
    EXPECT(0, (NTSTATUS)left_behind(client, (D3DDDI_ESCAPEFLAGS){.HardwareAccess = 1}));
}

/* ---- Lists ----------------------------------------------------------------------------------- */

/* The first is locked, the second not: it stays locked. */
static void unlock_in_part(const struct hostile *client)
{
    const D3DKMT_HANDLE both[2] = {client->surface.hAllocation, client->other.hAllocation};
    const D3DKMT_HANDLE twice[2] = {both[0], both[0]};
    D3DKMT_LOCK lock = {.hDevice = client->device, .hAllocation = both[0]};
    D3DKMT_UNLOCK unlock = {client->device, 2, both};

    EXPECT(STATUS_SUCCESS, D3DKMTLock(&lock));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTUnlock(&unlock));
    unlock.phAllocations = twice;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTUnlock(&unlock));
    unlock.NumAllocations = 1;
    EXPECT(STATUS_SUCCESS, D3DKMTUnlock(&unlock));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTUnlock(&unlock));
}

static void offer_and_evict(const struct hostile *client)
{
    const D3DKMT_HANDLE handle = client->surface.hAllocation;
    D3DKMT_OFFERALLOCATIONS offer = {
        .hDevice = client->device, .HandleList = &handle, .NumAllocations = 1};
    D3DKMT_EVICT evict = {
        .hDevice = client->device, .NumAllocations = 1, .AllocationList = &handle};
    BOOL discarded = FALSE;

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOfferAllocations(&offer)); /* of no priority */
    offer.Priority = (D3DKMT_OFFER_PRIORITY)5;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOfferAllocations(&offer));
    offer.Priority = D3DKMT_OFFER_PRIORITY_AUTO;
    offer.Flags.Reserved = 1;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOfferAllocations(&offer));
    offer.Flags.Reserved = 0;
    EXPECT(STATUS_SUCCESS, D3DKMTOfferAllocations(&offer));
    EXPECT(STATUS_SUCCESS,
           D3DKMTReclaimAllocations(&(D3DKMT_RECLAIMALLOCATIONS){.hDevice = client->device,
                                                                 .HandleList = &handle,
                                                                 .pDiscarded = &discarded,
                                                                 .NumAllocations = 1}));
    evict.Flags.Reserved = 1;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTEvict(&evict));
}

/* A resource, and beside it a list: both go. */
static void destroy_both(const struct hostile *client)
{
    struct drydock_standard_allocation first = hostile_surface(client->device), second = first;
    const D3DKMT_HANDLE bad = 0x1EADBEED;

    EXPECT(STATUS_SUCCESS, drydock_create_standard_allocation(&first));
    EXPECT(STATUS_SUCCESS, drydock_create_standard_allocation(&second));
    const D3DKMT_HANDLE list[2] = {first.hAllocation, second.hAllocation};
    D3DKMT_DESTROYALLOCATION2 both = {.hDevice = client->device,
                                      .hResource = first.hResource,
                                      .phAllocationList = &bad,
                                      .AllocationCount = 1};
    D3DKMT_DESTROYALLOCATION2 again = {
        .hDevice = client->device, .phAllocationList = &list[1], .AllocationCount = 1};

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTDestroyAllocation2(&both));
    both.phAllocationList = list;
    both.AllocationCount = 2;
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyAllocation2(&both));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTDestroyAllocation2(&again));
    EXPECT(STATUS_SUCCESS, drydock_create_standard_allocation(&first));
    both.hResource = first.hResource; /* a count without a list says nothing */
    both.phAllocationList = NULL;
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyAllocation2(&both));
}

/* ---- Fences ---------------------------------------------------------------------------------- */

static D3DKMT_HANDLE make_fence(const struct hostile *client, bool deaf)
{
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 create = {.hDevice = client->device,
                                                  .Info.Type = D3DDDI_MONITORED_FENCE};

    create.Info.Flags.NoSignal = deaf;
    EXPECT(STATUS_SUCCESS, D3DKMTCreateSynchronizationObject2(&create));
    return create.hSyncObject;
}

static NTSTATUS signal_gpu(const struct hostile *client, const D3DKMT_HANDLE *fences)
{
    const UINT64 values[2] = {1, 1};

    return D3DKMTSignalSynchronizationObjectFromGpu(
        &(D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU){.hContext = client->context,
                                                     .ObjectCount = 2,
                                                     .ObjectHandleArray = fences,
                                                     .MonitoredFenceValueArray = values});
}

static NTSTATUS signal_cpu(const struct hostile *client, const D3DKMT_HANDLE *fences)
{
    const UINT64 values[2] = {1, 1};

    return D3DKMTSignalSynchronizationObjectFromCpu(
        &(D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU){.hDevice = client->device,
                                                     .ObjectCount = 2,
                                                     .ObjectHandleArray = fences,
                                                     .FenceValueArray = values});
}

static bool has_value(const struct hostile *client, D3DKMT_HANDLE fence)
{
    const UINT64 value = 1;
    struct drydock_client_event event = {.automatic = TRUE};

    EXPECT(STATUS_SUCCESS, D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){client->device}));
    EXPECT(STATUS_SUCCESS, drydock_create_event(&event));
    EXPECT(STATUS_SUCCESS,
           D3DKMTWaitForSynchronizationObjectFromCpu(
               &(D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU){.hDevice = client->device,
                                                             .ObjectCount = 1,
                                                             .ObjectHandleArray = &fence,
                                                             .FenceValueArray = &value,
                                                             .hAsyncEvent = event.hEvent}));
    return drydock_wait_event(&(struct drydock_event_wait){event.hEvent, 0}) == STATUS_SUCCESS;
}

/* The second is not the client's to signal, or is none: neither is signalled. */
static void signal_in_part(const struct hostile *client)
{
    const D3DKMT_HANDLE fences[2] = {make_fence(client, false), make_fence(client, true)};
    const D3DKMT_HANDLE with_none[2] = {fences[0], 0x1EADBEED};

    EXPECT(STATUS_ACCESS_DENIED, signal_gpu(client, fences));
    EXPECT(STATUS_ACCESS_DENIED, signal_cpu(client, fences));
    EXPECT(STATUS_INVALID_PARAMETER, signal_gpu(client, with_none));
    EXPECT(STATUS_INVALID_PARAMETER, signal_cpu(client, with_none));
    EXPECT(0, has_value(client, fences[0]));
    const D3DKMT_HANDLE twice[2] = {fences[0], fences[0]};
    EXPECT(STATUS_SUCCESS, signal_gpu(client, twice));
    EXPECT(1, has_value(client, fences[0]));
}

static void run_flags(const struct drydock_workload_host *given)
{
    host = given;
    struct hostile client = hostile_open();

    name_flags_of_objects(&client);
    name_flags_of_escapes(&client);
    unlock_in_part(&client);
    offer_and_evict(&client);
    destroy_both(&client);
    signal_in_part(&client);
    hostile_close(&client);
    render_nothing();
}

const struct drydock_workload refused_flags = {.abi = DRYDOCK_WORKLOAD_ABI,
                                               .name = "flags",
                                               .description = "names what is no client's",
                                               .run = run_flags};

/* ---- Updates of addresses -------------------------------------------------------------------- */

static NTSTATUS update(const struct addressed *client, const struct memory_block *block,
                       D3DKMT_HANDLE fence, UINT64 value)
{
    D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION operation = {
        .OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_UNMAP,
        .Unmap = {.BaseAddress = block->address, .SizeInBytes = 4096, .Protection.NoAccess = 1}};

    return D3DKMTUpdateGpuVirtualAddress(
        &(D3DKMT_UPDATEGPUVIRTUALADDRESS){.hDevice = client->gpu.device,
                                          .hContext = client->context,
                                          .hFenceObject = fence,
                                          .NumOperations = 1,
                                          .Operations = &operation,
                                          .FenceValue = value,
                                          .Flags.DoNotWait = 1});
}

/* A client of the compute engine, and two pages that it may change the addresses of. */
static bool open_with_block(const struct drydock_workload_host *given, struct addressed *client,
                            struct memory_block *block)
{
    bool there;

    host = given;
    memset(client, 0, sizeof *client);
    if (!addressed_open(client, host, SOFTGPU_ENGINE_COMPUTE, &there) || !there ||
        !addressed_block(client, 8192, SOFTGPU_UMD_CPU_VISIBLE, block)) {
        host->fail(host, "there are no addresses");
        return false;
    }
    return true;
}

/* The fence must be the client's to signal, and have a value behind the one that is waited for. */
static void run_updates(const struct drydock_workload_host *given)
{
    struct addressed client;
    struct memory_block block;

    if (!open_with_block(given, &client, &block)) {
        return;
    }
    const struct hostile same = {.device = client.gpu.device};
    D3DKMT_HANDLE deaf = make_fence(&same, true);
    EXPECT(STATUS_ACCESS_DENIED, update(&client, &block, deaf, 1));
    EXPECT(STATUS_INVALID_PARAMETER, update(&client, &block, client.fence, UINT64_MAX));
    addressed_destroy(&client, &block);
    addressed_close(&client);
}

const struct drydock_workload refused_updates = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                 .name = "updates",
                                                 .description = "signals what is not its to signal",
                                                 .run = run_updates};

static NTSTATUS repeat_page(const struct addressed *client, const struct memory_block *block,
                            UINT64 address, UINT64 size, UINT64 value)
{
    D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION operation = {.OperationType =
                                                              D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP,
                                                          .Map = {.BaseAddress = address,
                                                                  .SizeInBytes = size,
                                                                  .hAllocation = block->allocation,
                                                                  .AllocationSizeInBytes = 4096}};

    return D3DKMTUpdateGpuVirtualAddress(
        &(D3DKMT_UPDATEGPUVIRTUALADDRESS){.hDevice = client->gpu.device,
                                          .hContext = client->context,
                                          .hFenceObject = client->fence,
                                          .NumOperations = 1,
                                          .Operations = &operation,
                                          .FenceValue = value,
                                          .Flags.DoNotWait = 1});
}

static int is_lost(const struct addressed *client)
{
    D3DKMT_GETDEVICESTATE state = {.hDevice = client->gpu.device,
                                   .StateType = D3DKMT_DEVICESTATE_EXECUTION};

    (void)D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){client->gpu.device});
    EXPECT(STATUS_SUCCESS, D3DKMTGetDeviceState(&state));
    return state.ExecutionState == D3DKMT_DEVICEEXECUTION_ERROR_OUTOFMEMORY;
}

/* Each repetition takes memory: there are so many in one change, and its client has no other way to
 * hear of more than to lose his device. */
static void run_pieces(const struct drydock_workload_host *given)
{
    D3DDDI_RESERVEGPUVIRTUALADDRESS reserve = {.Size = UINT64_C(512) << 20};
    struct addressed client;
    struct memory_block block;

    if (!open_with_block(given, &client, &block)) {
        return;
    }
    reserve.hPagingQueue = client.queue;
    EXPECT(STATUS_SUCCESS, D3DKMTReserveGpuVirtualAddress(&reserve));
    EXPECT(STATUS_SUCCESS,
           repeat_page(&client, &block, reserve.VirtualAddress, UINT64_C(1) << 20, 1));
    EXPECT(0, is_lost(&client));
    EXPECT(STATUS_SUCCESS, repeat_page(&client, &block, reserve.VirtualAddress, reserve.Size, 2));
    EXPECT(1, is_lost(&client));
}

/* Four times 65536 pieces are one too many beside what else the client has. What is replaced comes
 * back, when what replaces it is there. */
static void run_mappings(const struct drydock_workload_host *given)
{
    const UINT64 piece = UINT64_C(256) << 20;
    D3DDDI_RESERVEGPUVIRTUALADDRESS reserve = {.Size = 4 * piece};
    struct addressed client;
    struct memory_block block;

    if (!open_with_block(given, &client, &block)) {
        return;
    }
    reserve.hPagingQueue = client.queue;
    EXPECT(STATUS_SUCCESS, D3DKMTReserveGpuVirtualAddress(&reserve));
    for (UINT64 i = 0; i < 7; i++) { /* two places again and again, and a third */
        UINT64 place = i < 6 ? i % 2 : 2;

        EXPECT(STATUS_SUCCESS,
               repeat_page(&client, &block, reserve.VirtualAddress + place * piece, piece, i + 1));
        EXPECT(0, is_lost(&client));
    }
    EXPECT(STATUS_SUCCESS,
           repeat_page(&client, &block, reserve.VirtualAddress + 3 * piece, piece, 8));
    EXPECT(1, is_lost(&client));
}

const struct drydock_workload refused_mappings = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                  .name = "mappings",
                                                  .description = "one page everywhere",
                                                  .run = run_mappings};

const struct drydock_workload refused_pieces = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                .name = "pieces",
                                                .description = "one page over and over",
                                                .run = run_pieces};

/* ---- Sources --------------------------------------------------------------------------------- */

static struct drydock_standard_allocation make_primary(const struct hostile *client)
{
    D3DKMT_CURRENTDISPLAYMODE mode = {.VidPnSourceId = 0};
    D3DKMT_QUERYADAPTERINFO query = {client->adapter, KMTQAITYPE_CURRENTDISPLAYMODE, &mode,
                                     sizeof mode};
    struct drydock_standard_allocation primary = hostile_surface(client->device);

    EXPECT(STATUS_SUCCESS, D3DKMTQueryAdapterInfo(&query));
    primary.kind = DRYDOCK_SURFACE_PRIMARY;
    primary.width = mode.DisplayMode.Width;
    primary.height = mode.DisplayMode.Height;
    primary.format = mode.DisplayMode.Format;
    EXPECT(STATUS_SUCCESS, drydock_create_standard_allocation(&primary));
    return primary;
}

static NTSTATUS flip(const struct hostile *client, D3DKMT_HANDLE primary, D3DKMT_PRESENTFLAGS flags)
{
    D3DKMT_PRESENT present = {.hContext = client->context,
                              .hSource = primary,
                              .Flags = flags,
                              .DstRect = {0, 0, 8, 8},
                              .SrcRect = {0, 0, 8, 8},
                              .FlipInterval = D3DDDI_FLIPINTERVAL_ONE};

    present.Flags.Flip = 1;
    return D3DKMTPresent(&present);
}

static NTSTATUS own(D3DKMT_HANDLE device, D3DKMT_VIDPNSOURCEOWNER_TYPE type)
{
    const D3DDDI_VIDEO_PRESENT_SOURCE_ID source = 0;

    return D3DKMTSetVidPnSourceOwner(&(D3DKMT_SETVIDPNSOURCEOWNER){device, &type, &source, 1});
}

static void flip_wrongly(const struct hostile *client, D3DKMT_HANDLE primary)
{
    const D3DKMT_PRESENTFLAGS none = {.Value = 0};
    D3DKMT_SETDISPLAYMODE mode = {.hDevice = client->device, .hPrimaryAllocation = primary};

    EXPECT(STATUS_INVALID_PARAMETER, flip(client, primary, none)); /* before SetDisplayMode */
    mode.ScanLineOrdering = D3DDDI_VSSLO_INTERLACED_UPPERFIELDFIRST;
    EXPECT(STATUS_NOT_SUPPORTED, D3DKMTSetDisplayMode(&mode));
    mode.ScanLineOrdering = (D3DDDI_VIDEO_SIGNAL_SCANLINE_ORDERING)77;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSetDisplayMode(&mode));
    mode.ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE;
    mode.Flags.Reserved = 1;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSetDisplayMode(&mode));
    mode.Flags.Reserved = 0;
    EXPECT(STATUS_SUCCESS, D3DKMTSetDisplayMode(&mode));
    EXPECT(STATUS_INVALID_PARAMETER,
           flip(client, primary, (D3DKMT_PRESENTFLAGS){.SrcRectValid = 1}));
    EXPECT(STATUS_INVALID_PARAMETER,
           flip(client, primary, (D3DKMT_PRESENTFLAGS){.DstRectValid = 1}));
    EXPECT(STATUS_INVALID_PARAMETER, flip(client, primary, (D3DKMT_PRESENTFLAGS){.Rotate = 1}));
    EXPECT(STATUS_INVALID_PARAMETER,
           flip(client, primary, (D3DKMT_PRESENTFLAGS){.RestrictVidPnSource = 1}));
    EXPECT(STATUS_SUCCESS, flip(client, primary, none));
}

/* In each form: nobody looks at the planes. */
static void flip_planes_of_taken(const struct hostile *client)
{
    D3DKMT_MULTIPLANE_OVERLAY first = {.LayerIndex = 0};
    D3DKMT_MULTIPLANE_OVERLAY2 second = {.LayerIndex = 0};
    D3DKMT_MULTIPLANE_OVERLAY3 third = {.LayerIndex = 0}, *list[] = {&third};
    D3DKMT_HANDLE contexts[] = {client->context};
    D3DKMT_PRESENT_MULTIPLANE_OVERLAY by_first = {.hContext = client->context,
                                                  .Flags.Flip = 1,
                                                  .FlipInterval = D3DDDI_FLIPINTERVAL_ONE,
                                                  .PresentPlaneCount = 1,
                                                  .pPresentPlanes = &first};
    D3DKMT_PRESENT_MULTIPLANE_OVERLAY2 by_second = {.hAdapter = client->adapter,
                                                    .hContext = client->context,
                                                    .Flags.Flip = 1,
                                                    .FlipInterval = D3DDDI_FLIPINTERVAL_ONE,
                                                    .PresentPlaneCount = 1,
                                                    .pPresentPlanes = &second};
    D3DKMT_PRESENT_MULTIPLANE_OVERLAY3 by_third = {.hAdapter = client->adapter,
                                                   .ContextCount = 1,
                                                   .pContextList = contexts,
                                                   .PresentPlaneCount = 1,
                                                   .ppPresentPlanes = list};

    EXPECT(STATUS_GRAPHICS_PRESENT_OCCLUDED, D3DKMTPresentMultiPlaneOverlay(&by_first));
    EXPECT(STATUS_GRAPHICS_PRESENT_OCCLUDED, D3DKMTPresentMultiPlaneOverlay2(&by_second));
    EXPECT(STATUS_GRAPHICS_PRESENT_OCCLUDED, D3DKMTPresentMultiPlaneOverlay3(&by_third));
}

/* What is the one's alone the other does not change. */
static void use_what_is_taken(const struct hostile *client, D3DKMT_HANDLE primary,
                              const struct hostile *other)
{
    D3DDDI_GAMMA_RAMP_RGB256x3x16 ramp;
    D3DKMT_SETGAMMARAMP gamma = {.hDevice = client->device, .Type = D3DDDI_GAMMARAMP_RGB256x3x16};

    memset(&ramp, 0, sizeof ramp);
    gamma.Size = sizeof ramp;
    gamma.pGammaRampRgb256x3x16 = &ramp;
    EXPECT(STATUS_SUCCESS, own(other->device, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE));
    EXPECT(STATUS_GRAPHICS_PRESENT_OCCLUDED,
           flip(client, primary, (D3DKMT_PRESENTFLAGS){.Value = 0}));
    EXPECT(STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE, D3DKMTSetGammaRamp(&gamma));
    flip_planes_of_taken(client);
    EXPECT(STATUS_SUCCESS, own(other->device, D3DKMT_VIDPNSOURCEOWNER_UNOWNED));
    EXPECT(STATUS_SUCCESS, flip(client, primary, (D3DKMT_PRESENTFLAGS){.Value = 0}));
}

static NTSTATUS check_taken(const struct hostile *client)
{
    return D3DKMTCheckVidPnExclusiveOwnership(
        &(D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP){client->adapter, 0});
}

/* Handles come again; ownership does not. */
static void own_and_go(const struct hostile *client)
{
    D3DKMT_CREATEDEVICE create = {.hAdapter = client->adapter};
    D3DKMT_HANDLE first;
    unsigned made = 0;

    EXPECT(STATUS_SUCCESS, D3DKMTCreateDevice(&create));
    first = create.hDevice;
    EXPECT(STATUS_SUCCESS, own(first, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE));
    EXPECT(STATUS_GRAPHICS_PRESENT_OCCLUDED, check_taken(client));
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){first}));
    do {
        create.hDevice = 0;
        EXPECT(STATUS_SUCCESS, D3DKMTCreateDevice(&create));
        EXPECT(STATUS_SUCCESS, check_taken(client));
        EXPECT(STATUS_SUCCESS, D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){create.hDevice}));
    } while (create.hDevice != first && ++made < 4000 && !host->failed(host));
    EXPECT(1, create.hDevice == first);
}

static void lose_and_own(const struct hostile *client)
{
    D3DKMT_CREATEDEVICE create = {.hAdapter = client->adapter};

    EXPECT(STATUS_SUCCESS, D3DKMTCreateDevice(&create));
    D3DKMT_MARKDEVICEASERROR mark = {create.hDevice, D3DKMT_DEVICE_ERROR_REASON_GENERIC};
    EXPECT(STATUS_SUCCESS, D3DKMTMarkDeviceAsError(&mark));
    EXPECT(STATUS_DEVICE_REMOVED, own(create.hDevice, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE));
    EXPECT(STATUS_SUCCESS,
           D3DKMTSetVidPnSourceOwner(&(D3DKMT_SETVIDPNSOURCEOWNER){.hDevice = create.hDevice}));
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){create.hDevice}));
}

static void list_modes(const struct hostile *client)
{
    static D3DKMT_DISPLAYMODE modes[256];
    D3DKMT_GETDISPLAYMODELIST count = {.hAdapter = client->adapter};
    D3DKMT_ADAPTERTYPE type = {{{0}}};
    D3DKMT_QUERYADAPTERINFO query = {client->adapter, KMTQAITYPE_ADAPTERTYPE, &type, sizeof type};

    EXPECT(STATUS_SUCCESS, D3DKMTGetDisplayModeList(&count));
    D3DKMT_GETDISPLAYMODELIST list = {
        .hAdapter = client->adapter, .pModeList = modes, .ModeCount = 1};
    EXPECT(STATUS_BUFFER_TOO_SMALL, D3DKMTGetDisplayModeList(&list));
    EXPECT((NTSTATUS)count.ModeCount, (NTSTATUS)list.ModeCount);
    EXPECT(STATUS_SUCCESS, D3DKMTGetDisplayModeList(&list));
    list.VidPnSourceId = 99;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetDisplayModeList(&list));
    EXPECT(STATUS_SUCCESS, D3DKMTQueryAdapterInfo(&query));
    EXPECT(1, type.RenderSupported && type.DisplaySupported);
}

static NTSTATUS ask_for_plane(const struct hostile *client, D3DKMT_HANDLE resource,
                              D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3 attributes)
{
    D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3 plane = {.hResource = resource,
                                                    .pPlaneAttributes = &attributes};
    D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3 *list[] = {&plane};
    D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3 check = {.hAdapter = client->adapter,
                                                   .hDevice = client->device,
                                                   .PlaneCount = 1,
                                                   .ppOverlayPlanes = list};

    attributes.Rotation = D3DDDI_ROTATION_IDENTITY;
    return D3DKMTCheckMultiPlaneOverlaySupport3(&check);
}

/* A driver is not asked about what no enumerator has. */
static void ask_for_planes(const struct hostile *client, D3DKMT_HANDLE resource)
{
    EXPECT(STATUS_INVALID_PARAMETER,
           ask_for_plane(client, resource,
                         (D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3){.ClipRect = {8, 0, 0, 8}}));
    EXPECT(STATUS_INVALID_PARAMETER, ask_for_plane(client, resource,
                                                   (D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3){
                                                       .ColorSpace = D3DDDI_COLOR_SPACE_RESERVED}));
    EXPECT(STATUS_INVALID_PARAMETER, ask_for_plane(client, resource,
                                                   (D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3){
                                                       .ColorSpace = (D3DDDI_COLOR_SPACE_TYPE)77}));
    EXPECT(STATUS_INVALID_PARAMETER,
           ask_for_plane(client, resource,
                         (D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3){
                             .StretchQuality = (DXGKMT_MULTIPLANE_OVERLAY_STRETCH_QUALITY)3}));
}

static void run_sources(const struct drydock_workload_host *given)
{
    host = given;
    struct hostile client = hostile_open(), other = hostile_open();
    struct drydock_standard_allocation primary = make_primary(&client);

    flip_wrongly(&client, primary.hAllocation);
    use_what_is_taken(&client, primary.hAllocation, &other);
    list_modes(&client);
    ask_for_planes(&client, primary.hResource);
    own_and_go(&client);
    lose_and_own(&client);
    hostile_close(&other);
    hostile_close(&client);
}

const struct drydock_workload refused_sources = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                 .name = "sources",
                                                 .description = "uses what is another's",
                                                 .run = run_sources};

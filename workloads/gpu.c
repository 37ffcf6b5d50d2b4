/* D3DKMT as the workloads use it; see gpu.h. */
#include "gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wrong.h"

#define LONGEST_FRAME_NS UINT64_C(42000000) /* of 24 Hz */

static D3DKMT_DEVICEEXECUTION_STATE execution_state(struct gpu *gpu)
{
    D3DKMT_GETDEVICESTATE state = {.hDevice = gpu->device,
                                   .StateType = D3DKMT_DEVICESTATE_EXECUTION};

    return D3DKMTGetDeviceState(&state) >= 0 ? state.ExecutionState : D3DKMT_DEVICEEXECUTION_ACTIVE;
}

/* The device was lost because its surfaces do not fit into video memory all at once: nobody did
 * anything wrong, the work is too large for the card. */
static bool ran_out_of_memory(struct gpu *gpu)
{
    return execution_state(gpu) == D3DKMT_DEVICEEXECUTION_ERROR_OUTOFMEMORY;
}

static bool was_reset(struct gpu *gpu)
{
    D3DKMT_DEVICEEXECUTION_STATE state = execution_state(gpu);

    return state == D3DKMT_DEVICEEXECUTION_RESET || state == D3DKMT_DEVICEEXECUTION_HUNG;
}

bool gpu_check(struct gpu *gpu, NTSTATUS status, const char *what)
{
    if (status >= 0) {
        return true;
    }
    if (status == STATUS_DEVICE_REMOVED && !gpu->lost) {
        gpu->lost = true;
        gpu->too_small = !gpu->may_be_lost && ran_out_of_memory(gpu);
        if (gpu->too_small) {
            gpu->host->note(gpu->host, "ended early: video memory is too small for it");
        }
    }
    if (gpu->too_small && status == STATUS_DEVICE_REMOVED) {
        return false;
    }
    if (!gpu->may_be_lost && status == STATUS_DEVICE_REMOVED && was_reset(gpu)) {
        gpu->host->lost(gpu->host, "%s failed, for its device was lost", what);
    } else if (!gpu->may_be_lost || status != STATUS_DEVICE_REMOVED) {
        gpu->host->fail(gpu->host, "%s failed with %s", what,
                        gpu->host->status_name(gpu->host, status));
    }
    return false;
}

bool gpu_check_mode(struct gpu *gpu, NTSTATUS status, const char *what)
{
    if (status == STATUS_GRAPHICS_NO_VIDEO_MEMORY) {
        gpu->host->note(gpu->host, "ended early: no segment has room for what is shown");
        return false;
    }
    return gpu_check(gpu, status, what);
}

/* ---- Devices ------------------------------------------------------------------------------- */

/* Where addresses are the CPU's, nobody gives any to surfaces that are shown; and where the kernel
 * has none for fences, it has none for what it presents with. */
static bool gives_addresses(const struct gpu *gpu)
{
    D3DDDI_RESERVEGPUVIRTUALADDRESS range = {.hAdapter = gpu->adapter, .Size = 0x10000};

    if (D3DKMTReserveGpuVirtualAddress(&range) < 0) {
        return false;
    }
    const D3DKMT_FREEGPUVIRTUALADDRESS given = {
        .hAdapter = gpu->adapter, .BaseAddress = range.VirtualAddress, .Size = range.Size};
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 fence = {.hDevice = gpu->device,
                                                 .Info.Type = D3DDDI_MONITORED_FENCE};
    if (D3DKMTFreeGpuVirtualAddress(&given) < 0 || D3DKMTCreateSynchronizationObject2(&fence) < 0) {
        return false;
    }
    const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT ended = {fence.hSyncObject};
    return D3DKMTDestroySynchronizationObject(&ended) >= 0 &&
           fence.Info.MonitoredFence.FenceValueGPUVirtualAddress != 0;
}

/* A driver may take work by GPU virtual address alone: then its presents go that way, and nobody
 * has a command buffer. */
static NTSTATUS create_virtual(struct gpu *gpu, unsigned node)
{
    D3DKMT_CREATECONTEXTVIRTUAL create = {
        .hDevice = gpu->device, .NodeOrdinal = node, .EngineAffinity = 1};
    NTSTATUS status =
        gives_addresses(gpu) ? D3DKMTCreateContextVirtual(&create) : STATUS_NOT_SUPPORTED;

    if (status >= 0) {
        gpu->context = create.hContext;
        gpu->commands = NULL;
        gpu->allocations = NULL;
        gpu->command_bytes = gpu->allocation_count = 0;
        gpu->host->count(gpu->host, "presents.by_address", 1);
    }
    return status;
}

/* A client that writes commands has nothing to do without a buffer for them. */
bool gpu_refuses_lists(const struct drydock_workload_host *host, NTSTATUS status)
{
    return !(host->capabilities & DRYDOCK_DRIVER_IS_SOFTGPU) &&
           (status == STATUS_NOT_SUPPORTED /* the kernel's */ ||
            status == STATUS_INVALID_PARAMETER /* DRIVER_MISMATCH of the driver's [CTX-002] */);
}

static bool create_context(struct gpu *gpu, unsigned node, const void *private_data,
                           unsigned private_bytes)
{
    D3DKMT_CREATECONTEXT context = {
        .hDevice = gpu->device,
        .NodeOrdinal = node,
        .EngineAffinity = 1,
        .pPrivateDriverData = (void *)private_data,
        .PrivateDriverDataSize = private_bytes,
    };

    NTSTATUS status = D3DKMTCreateContext(&context);
    if (gpu_refuses_lists(gpu->host, status) && !private_data) {
        status = create_virtual(gpu, node);
        if (!gpu_refuses_lists(gpu->host, status)) {
            return gpu_check(gpu, status, "D3DKMTCreateContextVirtual");
        }
        /* Its own clients may say more, or a node may be for paging alone. */
        gpu->host->note(gpu->host,
                        "left out: the driver makes no context on node %u for a client without "
                        "private data: %s",
                        node, gpu->host->status_name(gpu->host, status));
        return false;
    }
    if (!gpu_check(gpu, status, "D3DKMTCreateContext")) {
        return false;
    }
    if (!private_data && !context.PatchLocationListSize &&
        !(gpu->host->capabilities & DRYDOCK_DRIVER_IS_SOFTGPU) && create_virtual(gpu, node) >= 0) {
        return gpu_check(gpu, D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){context.hContext}),
                         "D3DKMTDestroyContext");
    }
    gpu->context = context.hContext;
    gpu->commands = context.pCommandBuffer;
    gpu->command_bytes = context.CommandBufferSize;
    gpu->allocations = context.pAllocationList;
    gpu->allocation_count = context.AllocationListSize;
    return true;
}

bool gpu_open_with(struct gpu *gpu, const struct drydock_workload_host *host, unsigned node,
                   const void *private_data, unsigned private_bytes)
{
    D3DKMT_OPENADAPTERFROMLUID adapter = {
        .AdapterLuid = {host->adapter_luid_low, host->adapter_luid_high}};
    D3DKMT_CREATEDEVICE device = {0};

    *gpu = (struct gpu){.host = host};
    if (host->capabilities & DRYDOCK_DRIVER_IS_DISPLAY_ONLY) {
        host->note(host, "left out: the driver has a display and nothing else");
        return false;
    }
    if (!gpu_check(gpu, D3DKMTOpenAdapterFromLuid(&adapter), "D3DKMTOpenAdapterFromLuid")) {
        return false;
    }
    gpu->adapter = adapter.hAdapter;
    device.hAdapter = adapter.hAdapter;
    if (gpu_check(gpu, D3DKMTCreateDevice(&device), "D3DKMTCreateDevice")) {
        gpu->device = device.hDevice;
        if (create_context(gpu, node, private_data, private_bytes)) {
            return true;
        }
    }
    gpu_close(gpu);
    return false;
}

bool gpu_present_by_address(struct gpu *gpu, unsigned node, bool *there)
{
    const D3DKMT_DESTROYCONTEXT before = {.hContext = gpu->context};
    NTSTATUS status = gpu->commands ? create_virtual(gpu, node) : STATUS_SUCCESS;

    *there = status != STATUS_NOT_SUPPORTED;
    if (!*there || gpu->context == before.hContext) {
        return !*there || gpu_check(gpu, status, "D3DKMTCreateContextVirtual");
    }
    return gpu_check(gpu, D3DKMTDestroyContext(&before), "D3DKMTDestroyContext");
}

/* Of the same kind as its first: without buffers where the driver takes addresses alone. */
bool gpu_second_context(struct gpu *gpu, D3DKMT_HANDLE *out)
{
    D3DKMT_CREATECONTEXT create = {.hDevice = gpu->device, .EngineAffinity = 1};
    D3DKMT_CREATECONTEXTVIRTUAL addressed = {.hDevice = gpu->device, .EngineAffinity = 1};
    bool good = gpu->commands ? gpu_check(gpu, D3DKMTCreateContext(&create), "D3DKMTCreateContext")
                              : gpu_check(gpu, D3DKMTCreateContextVirtual(&addressed),
                                          "D3DKMTCreateContextVirtual");

    *out = gpu->commands ? create.hContext : addressed.hContext;
    return good;
}

bool gpu_open(struct gpu *gpu, const struct drydock_workload_host *host, unsigned node)
{
    return gpu_open_with(gpu, host, node, NULL, 0);
}

void gpu_close(struct gpu *gpu)
{
    if (gpu->context) {
        const D3DKMT_DESTROYCONTEXT context = {.hContext = gpu->context};
        gpu_check(gpu, D3DKMTDestroyContext(&context), "D3DKMTDestroyContext");
    }
    if (gpu->device) {
        const D3DKMT_DESTROYDEVICE device = {.hDevice = gpu->device};
        gpu_check(gpu, D3DKMTDestroyDevice(&device), "D3DKMTDestroyDevice");
    }
    if (gpu->adapter) {
        const D3DKMT_CLOSEADAPTER adapter = {.hAdapter = gpu->adapter};
        gpu_check(gpu, D3DKMTCloseAdapter(&adapter), "D3DKMTCloseAdapter");
    }
    wrong_forget(gpu);
    gpu->context = gpu->device = gpu->adapter = 0;
}

bool gpu_display_mode(D3DKMT_HANDLE adapter, unsigned source, D3DKMT_DISPLAYMODE *mode)
{
    D3DKMT_CURRENTDISPLAYMODE current = {.VidPnSourceId = source};
    const D3DKMT_QUERYADAPTERINFO query = {
        .hAdapter = adapter,
        .Type = KMTQAITYPE_CURRENTDISPLAYMODE,
        .pPrivateDriverData = &current,
        .PrivateDriverDataSize = sizeof current,
    };

    if (D3DKMTQueryAdapterInfo(&query) < 0) {
        return false;
    }
    *mode = current.DisplayMode;
    return true;
}

bool gpu_is_32_bit(D3DDDIFORMAT format)
{
    return format == D3DDDIFMT_X8R8G8B8 || format == D3DDDIFMT_A8R8G8B8;
}

bool gpu_wait_idle(struct gpu *gpu)
{
    const D3DKMT_WAITFORIDLE wait = {.hDevice = gpu->device};
    NTSTATUS status = D3DKMTWaitForIdle(&wait);

    /* Work that found no room was dropped: what it was to write is not there. */
    if (status >= 0 && ran_out_of_memory(gpu)) {
        status = STATUS_DEVICE_REMOVED;
    }
    return gpu_check(gpu, status, "D3DKMTWaitForIdle");
}

void gpu_let_latch(const struct gpu *gpu, unsigned source, const struct picture *expected)
{
    const struct drydock_workload_host *host = gpu->host;
    unsigned width, height, stride;
    const void *pixels;
    struct box first;

    if (host->scanout(host, source, &pixels, &width, &height, &stride) &&
        (width != expected->width || height != expected->height ||
         picture_compare(expected, pixels, stride, &first))) {
        host->sleep_until(host, host->now_ns(host) + LONGEST_FRAME_NS);
    }
}

D3DKMT_DEVICEEXECUTION_STATE gpu_state(struct gpu *gpu)
{
    D3DKMT_GETDEVICESTATE state = {.hDevice = gpu->device,
                                   .StateType = D3DKMT_DEVICESTATE_EXECUTION};

    return gpu_check(gpu, D3DKMTGetDeviceState(&state), "D3DKMTGetDeviceState")
               ? state.ExecutionState
               : D3DKMT_DEVICEEXECUTION_STOPPED;
}

const char *gpu_state_name(D3DKMT_DEVICEEXECUTION_STATE state)
{
    static char number[48]; /* of who asked last */

    switch (state) {
    case D3DKMT_DEVICEEXECUTION_ACTIVE:
        return "ACTIVE";
    case D3DKMT_DEVICEEXECUTION_RESET:
        return "RESET";
    case D3DKMT_DEVICEEXECUTION_HUNG:
        return "HUNG";
    case D3DKMT_DEVICEEXECUTION_STOPPED:
        return "STOPPED";
    case D3DKMT_DEVICEEXECUTION_ERROR_OUTOFMEMORY:
        return "ERROR_OUTOFMEMORY";
    case D3DKMT_DEVICEEXECUTION_ERROR_DMAFAULT:
        return "ERROR_DMAFAULT";
    case D3DKMT_DEVICEEXECUTION_ERROR_DMAPAGEFAULT:
        return "ERROR_DMAPAGEFAULT";
    default:
        snprintf(number, sizeof number, "%d, which is none of the header's", (int)state);
        return number;
    }
}

unsigned gpu_node_count(const struct drydock_workload_host *host)
{
    D3DKMT_OPENADAPTERFROMLUID adapter = {
        .AdapterLuid = {host->adapter_luid_low, host->adapter_luid_high}};
    D3DKMT_NODEMETADATA node = {0};
    unsigned count = 0;

    if (D3DKMTOpenAdapterFromLuid(&adapter) < 0) {
        return 0;
    }
    const D3DKMT_QUERYADAPTERINFO query = {
        .hAdapter = adapter.hAdapter,
        .Type = KMTQAITYPE_NODEMETADATA,
        .pPrivateDriverData = &node,
        .PrivateDriverDataSize = sizeof node,
    };
    const D3DKMT_CLOSEADAPTER close = {adapter.hAdapter};
    while (node.NodeOrdinalAndAdapterIndex = count, D3DKMTQueryAdapterInfo(&query) >= 0) {
        count++;
    }
    return D3DKMTCloseAdapter(&close) >= 0 ? count : 0;
}

/* ---- Surfaces ------------------------------------------------------------------------------ */

NTSTATUS gpu_surface_try_create(struct gpu *gpu, struct drydock_standard_allocation *standard,
                                struct surface *out)
{
    standard->hDevice = gpu->device;
    NTSTATUS status = drydock_create_standard_allocation(standard);

    *out = (struct surface){0};
    if (status >= 0) {
        *out = (struct surface){
            .allocation = standard->hAllocation,
            .resource = standard->hResource,
            .share = standard->hGlobalShare,
            .width = standard->width,
            .height = standard->height,
            .pitch = standard->pitch,
            .size_bytes = standard->size_bytes,
        };
    }
    return status;
}

bool gpu_surface_create(struct gpu *gpu, enum drydock_surface_kind kind, unsigned width,
                        unsigned height, D3DDDIFORMAT format, bool shared, struct surface *out)
{
    struct drydock_standard_allocation standard = {
        .kind = kind,
        .width = width,
        .height = height,
        .format = format,
        .shared = shared,
    };

    return gpu_check(gpu, gpu_surface_try_create(gpu, &standard, out),
                     "drydock_create_standard_allocation");
}

bool gpu_surface_open(struct gpu *gpu, const struct surface *shared, struct surface *out)
{
    D3DKMT_QUERYRESOURCEINFO query = {.hDevice = gpu->device, .hGlobalShare = shared->share};
    D3DDDI_OPENALLOCATIONINFO allocation = {0};

    *out = (struct surface){0};
    if (!gpu_check(gpu, D3DKMTQueryResourceInfo(&query), "D3DKMTQueryResourceInfo")) {
        return false;
    }
    void *resource_data = malloc(query.ResourcePrivateDriverDataSize + 1);
    void *total_data = malloc(query.TotalPrivateDriverDataSize + 1);
    D3DKMT_OPENRESOURCE open = {
        .hDevice = gpu->device,
        .hGlobalShare = shared->share,
        .NumAllocations = query.NumAllocations,
        .pOpenAllocationInfo = &allocation,
        .pResourcePrivateDriverData = resource_data,
        .ResourcePrivateDriverDataSize = query.ResourcePrivateDriverDataSize,
        .pTotalPrivateDriverDataBuffer = total_data,
        .TotalPrivateDriverDataBufferSize = query.TotalPrivateDriverDataSize,
    };
    bool opened = resource_data && total_data && query.NumAllocations == 1 &&
                  gpu_check(gpu, D3DKMTOpenResource(&open), "D3DKMTOpenResource");
    if (opened) {
        *out = *shared;
        out->allocation = allocation.hAllocation;
        out->resource = open.hResource;
    }
    free(resource_data);
    free(total_data);
    return opened;
}

NTSTATUS gpu_surface_describe(struct gpu *gpu, const struct drydock_allocation_data *data,
                              D3DKMT_HANDLE base, struct surface *out)
{
    void *bytes = malloc(data->size); /* the driver may write its choices into it */
    D3DDDI_ALLOCATIONINFO info = {.pPrivateDriverData = bytes,
                                  .PrivateDriverDataSize = (UINT)data->size};
    D3DKMT_CREATEALLOCATION create = {
        .hDevice = gpu->device,
        .hResource = base,
        .NumAllocations = 1,
        .pAllocationInfo = &info,
        .pPrivateDriverData = data->resource_bytes,
        .PrivateDriverDataSize = (UINT)data->resource_size,
        .Flags.CreateResource = data->resource_size > 0 && !base,
    };

    if (!bytes) {
        return STATUS_NO_MEMORY;
    }
    memcpy(bytes, data->bytes, data->size);
    NTSTATUS status = D3DKMTCreateAllocation(&create);
    free(bytes);
    *out =
        (struct surface){.allocation = info.hAllocation, .resource = base ? 0 : create.hResource};
    return status;
}

void gpu_surface_destroy(struct gpu *gpu, struct surface *surface)
{
    const D3DKMT_DESTROYALLOCATION destroy = {
        .hDevice = gpu->device,
        .hResource = surface->resource,
        .phAllocationList = surface->resource ? NULL : &surface->allocation,
        .AllocationCount = surface->resource ? 0 : 1,
    };

    if (surface->allocation) {
        gpu_check(gpu, D3DKMTDestroyAllocation(&destroy), "D3DKMTDestroyAllocation");
    }
    *surface = (struct surface){0};
}

void *gpu_lock(struct gpu *gpu, const struct surface *surface, bool read_only)
{
    D3DKMT_LOCK lock = {
        .hDevice = gpu->device,
        .hAllocation = surface->allocation,
        .Flags.ReadOnly = read_only,
        .Flags.LockEntire = 1,
    };

    return gpu_check(gpu, D3DKMTLock(&lock), "D3DKMTLock") ? lock.pData : NULL;
}

void gpu_unlock(struct gpu *gpu, const struct surface *surface)
{
    const D3DKMT_UNLOCK unlock = {
        .hDevice = gpu->device, .NumAllocations = 1, .phAllocations = &surface->allocation};

    gpu_check(gpu, D3DKMTUnlock(&unlock), "D3DKMTUnlock");
}

bool gpu_offer(struct gpu *gpu, const struct surface *surface)
{
    const D3DKMT_OFFERALLOCATIONS offered = {.hDevice = gpu->device,
                                             .HandleList = &surface->allocation,
                                             .NumAllocations = 1,
                                             .Priority = D3DKMT_OFFER_PRIORITY_NORMAL};

    return gpu_check(gpu, D3DKMTOfferAllocations(&offered), "D3DKMTOfferAllocations");
}

bool gpu_reclaim(struct gpu *gpu, const struct surface *surface, bool *discarded)
{
    BOOL answer = FALSE;
    const D3DKMT_RECLAIMALLOCATIONS reclaimed = {.hDevice = gpu->device,
                                                 .HandleList = &surface->allocation,
                                                 .pDiscarded = &answer,
                                                 .NumAllocations = 1};
    bool good = gpu_check(gpu, D3DKMTReclaimAllocations(&reclaimed), "D3DKMTReclaimAllocations");

    *discarded = answer;
    return good;
}

bool gpu_evict(struct gpu *gpu, const struct surface *surface)
{
    D3DKMT_EVICT evict = {
        .hDevice = gpu->device, .NumAllocations = 1, .AllocationList = &surface->allocation};

    return gpu_check(gpu, D3DKMTEvict(&evict), "D3DKMTEvict");
}

bool gpu_upload(struct gpu *gpu, const struct surface *to, const struct picture *from)
{
    uint8_t *bytes = gpu_lock(gpu, to, false);

    if (!bytes) {
        return false;
    }
    for (unsigned y = 0; y < from->height && y < to->height; y++) {
        memcpy(bytes + (size_t)y * to->pitch, picture_at(from, 0, (int)y), from->width * 4u);
    }
    gpu_unlock(gpu, to);
    return true;
}

uint64_t gpu_compare(struct gpu *gpu, const struct surface *surface, const struct picture *expected,
                     struct box *first)
{
    const void *bytes = gpu_lock(gpu, surface, true);

    if (!bytes) {
        return UINT64_MAX;
    }
    uint64_t wrong = picture_compare(expected, bytes, surface->pitch, first);
    gpu_unlock(gpu, surface);
    return wrong;
}

/* ---- Presents ------------------------------------------------------------------------------ */

static RECT rect_of(struct box box)
{
    return (RECT){box.left, box.top, box.right, box.bottom};
}

static NTSTATUS present_and_note(struct gpu *gpu, const D3DKMT_PRESENT *present)
{
    D3DKMT_PRESENT given = *present;
    NTSTATUS status = D3DKMTPresent(&given);

    if (status >= 0) {
        wrong_note_present(gpu, present);
    }
    return status;
}

static NTSTATUS present_boxes(struct gpu *gpu, D3DKMT_PRESENT *present, const struct box *boxes,
                              unsigned count)
{
    RECT *rects = malloc(count * sizeof *rects);
    NTSTATUS status = STATUS_NO_MEMORY;

    if (rects) {
        for (unsigned i = 0; i < count; i++) {
            rects[i] = rect_of(boxes[i]);
        }
        present->SubRectCnt = count;
        present->pSrcSubRects = rects;
        status = present_and_note(gpu, present);
    }
    free(rects);
    return status;
}

NTSTATUS gpu_try_copy(struct gpu *gpu, const struct gpu_copy *copy)
{
    const uint32_t *key = copy->source_key ? copy->source_key : copy->destination_key;
    D3DKMT_PRESENT present = {
        .hContext = gpu->context,
        .hSource = copy->from->allocation,
        .hDestination = copy->to->allocation,
        .Color = key ? *key : 0,
        .Flags.Blt = 1,
        .Flags.DstRectValid = !copy->list_alone,
        .Flags.SrcRectValid = !copy->list_alone,
        .Flags.SrcColorKey = copy->source_key != NULL,
        .Flags.DstColorKey = copy->destination_key != NULL,
    };

    if (!copy->list_alone) {
        present.DstRect = rect_of(copy->to_box);
        present.SrcRect = rect_of(copy->from_box);
    }
    return copy->count ? present_boxes(gpu, &present, copy->boxes, copy->count)
                       : present_and_note(gpu, &present);
}

NTSTATUS gpu_try_blt(struct gpu *gpu, const struct surface *to, struct box to_box,
                     const struct surface *from, struct box from_box, const uint32_t *key)
{
    const struct gpu_copy copy = {
        .to = to, .to_box = to_box, .from = from, .from_box = from_box, .source_key = key};

    return gpu_try_copy(gpu, &copy);
}

bool gpu_blt(struct gpu *gpu, const struct surface *to, int x, int y, const struct surface *from,
             struct box box)
{
    struct box target = box_at(x, y, box_width(box), box_height(box));

    return gpu_check(gpu, gpu_try_blt(gpu, to, target, from, box, NULL), "D3DKMTPresent (Blt)");
}

bool gpu_blt_boxes(struct gpu *gpu, const struct surface *to, const struct surface *from,
                   const struct box *boxes, unsigned count)
{
    D3DKMT_PRESENT present = {
        .hContext = gpu->context,
        .hSource = from->allocation,
        .hDestination = to->allocation,
        .Flags.Blt = 1,
    };

    return gpu_check(gpu, present_boxes(gpu, &present, boxes, count),
                     "D3DKMTPresent (Blt, sub-rectangles)");
}

bool gpu_fill_boxes(struct gpu *gpu, const struct surface *to, uint32_t colour,
                    const struct box *boxes, unsigned count)
{
    D3DKMT_PRESENT present = {
        .hContext = gpu->context,
        .hDestination = to->allocation,
        .Color = colour | 0xFF000000,
        .Flags.ColorFill = 1,
    };

    return gpu_check(gpu, present_boxes(gpu, &present, boxes, count),
                     "D3DKMTPresent (ColorFill, sub-rectangles)");
}

bool gpu_fill(struct gpu *gpu, const struct surface *to, struct box box, uint32_t colour)
{
    D3DKMT_PRESENT present = {
        .hContext = gpu->context,
        .hDestination = to->allocation,
        .DstRect = rect_of(box),
        .Color = colour | 0xFF000000,
        .Flags.ColorFill = 1,
        .Flags.DstRectValid = 1,
    };

    return gpu_check(gpu, present_and_note(gpu, &present), "D3DKMTPresent (ColorFill)");
}

bool gpu_own(struct gpu *gpu)
{
    const D3DKMT_VIDPNSOURCEOWNER_TYPE type = D3DKMT_VIDPNSOURCEOWNER_SHARED;
    const D3DDDI_VIDEO_PRESENT_SOURCE_ID source = 0;
    const D3DKMT_SETVIDPNSOURCEOWNER owner = {
        .hDevice = gpu->device, .pType = &type, .pVidPnSourceId = &source, .VidPnSourceCount = 1};

    return gpu_check(gpu, D3DKMTSetVidPnSourceOwner(&owner), "D3DKMTSetVidPnSourceOwner");
}

bool gpu_flip(struct gpu *gpu, const struct surface *primary, unsigned source,
              D3DDDI_FLIPINTERVAL_TYPE interval)
{
    D3DKMT_PRESENT present = {
        .hContext = gpu->context,
        .hSource = primary->allocation,
        .VidPnSourceId = source,
        .FlipInterval = interval,
        .Flags.Flip = 1,
    };

    NTSTATUS status = D3DKMTPresent(&present);

    return status == STATUS_NOT_SUPPORTED && interval > D3DDDI_FLIPINTERVAL_ONE /* by these caps */
               ? gpu_flip(gpu, primary, source, D3DDDI_FLIPINTERVAL_ONE)
               : gpu_check(gpu, status, "D3DKMTPresent (Flip)");
}

bool gpu_flip_without_wait(struct gpu *gpu, const struct surface *primary, unsigned source)
{
    D3DKMT_PRESENT present = {
        .hContext = gpu->context,
        .hSource = primary->allocation,
        .VidPnSourceId = source,
        .FlipInterval = D3DDDI_FLIPINTERVAL_ONE,
        .Flags.Flip = 1,
        .Flags.FlipDoNotWait = 1,
    };
    NTSTATUS status = D3DKMTPresent(&present);

    return status == STATUS_NOT_SUPPORTED /* by these caps */
               ? gpu_flip(gpu, primary, source, D3DDDI_FLIPINTERVAL_ONE)
               : gpu_check(gpu, status, "D3DKMTPresent (FlipDoNotWait)");
}

/* ---- Command buffers ----------------------------------------------------------------------- */

NTSTATUS gpu_try_render(struct gpu *gpu, unsigned command_bytes, unsigned allocation_count)
{
    D3DKMT_RENDER render = {
        .hContext = gpu->context,
        .CommandLength = command_bytes,
        .AllocationCount = allocation_count,
        .Flags.NullRendering = gpu->null_rendering,
        .Flags.PresentRedirected = gpu->redirected,
    };
    NTSTATUS status = D3DKMTRender(&render);

    if (status >= 0) {
        gpu->commands = render.pNewCommandBuffer;
        gpu->command_bytes = render.NewCommandBufferSize;
        gpu->allocations = render.pNewAllocationList;
        gpu->allocation_count = render.NewAllocationListSize;
    }
    return status;
}

bool gpu_render(struct gpu *gpu, unsigned command_bytes, unsigned allocation_count)
{
    return gpu_check(gpu, gpu_try_render(gpu, command_bytes, allocation_count), "D3DKMTRender");
}

NTSTATUS gpu_force_reset(const struct gpu *gpu)
{
    D3DKMT_TDRDBGCTRL_ESCAPE control = {.TdrControl = D3DKMT_TDRDBGCTRLTYPE_FORCETDR};
    const D3DKMT_ESCAPE escape = {
        .hAdapter = gpu->adapter,
        .Type = D3DKMT_ESCAPE_TDRDBGCTRL,
        .pPrivateDriverData = &control,
        .PrivateDriverDataSize = sizeof control,
    };

    return D3DKMTEscape(&escape);
}

/* Hardware contexts and hardware queues: made and ended; see hwqueue.h.
 *
 *   hardware context:  CreateHwContext ─> SetRootPageTable ─> ... ─> its queues end ─>
 *                      DestroyHwContext
 *   hardware queue:    a page of system memory, mapped in the process's space ─> CreateHwQueue with
 *                      its CPU and GPU addresses ─> ... ─> DestroyHwQueue ─> the page goes */
#include "dxgk/hwqueue_parts.h"
#include "dxgk/present_virtual.h"
#include "dxgk/schedule_log.h"
#include "dxgk/spoil.h"
#include "dxgk/stream.h"
#include "dxgk/work.h"

#include <stdlib.h>
#include <string.h>

/* Of a queue on the hardware: where the driver sets no limit, and where it sets one; ours. */
#define IN_FLIGHT_UNSAID 32
#define IN_FLIGHT_MAX    1024

/* ---- Hardware contexts ----------------------------------------------------------------------- */

/* For paging: paging_queue.c. */
static bool is_systems(const struct dxgk_context *context)
{
    return context->device == context->device->adapter->system_device;
}

/* One of its queues that lives; NULL: none. No reference. */
static struct dxgk_context *living_queue(const struct dxgk_hwcontext *context)
{
    list_for_each (link, &context->base.device->contexts) {
        struct dxgk_context *stream = container_of(link, struct dxgk_context, life.link);
        if (stream->life.kind == DXGK_KIND_HW_QUEUE && stream->life.state == LIFE_LIVING &&
            dxgk_hwqueue_of(stream)->owner == context) {
            return stream;
        }
    }
    return NULL;
}

static struct dxgk_space *space_of(const struct dxgk_context *context)
{
    const struct dxgk_device *device = context->device;

    return device->process ? &device->process->space : &device->adapter->system_space;
}

static void dismantle_context(struct dxgk_context *base)
{
    struct dxgk_hwcontext *context = dxgk_hwcontext_of(base);
    struct dxgk_adapter *adapter = base->device->adapter;
    struct dxgk_context *stream;

    while ((stream = living_queue(context)) != NULL) {
        (void)dxgk_context_destroy(stream);
    }
    while (context->queue_count > 0) { /* those that others end */
        wait_queue_wait(&base->changed, MACHINE_NEVER);
    }
    if (base->owns_handle) {
        dxgk_log_ends(context);
    }
    if (dxgk_context_disowns(base)) {
        ddi_destroy_hw_context(&adapter->ddi, base->driver_handle, base->object);
    }
    if (context->keeps_tables) {
        vidmm_space_let_tables_go(&space_of(base)->memory);
        context->keeps_tables = false;
    }
    dxgk_context_forget(base);
}

static const struct dxgk_context_kind context_kind = {
    .handle = DXGK_KIND_HW_CONTEXT,
    .size_bytes = sizeof(struct dxgk_hwcontext),
    .dismantle = dismantle_context,
};

static NTSTATUS create_driver_context(struct dxgk_context *context,
                                      const struct dxgk_hwcontext_request *request)
{
    struct dxgk_adapter *adapter = context->device->adapter;
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    DXGKARG_CREATEHWCONTEXT arguments;
    NTSTATUS status;

    do {
        arguments = (DXGKARG_CREATEHWCONTEXT){
            .hHwContext = (HANDLE)(uintptr_t)context->life.handle,
            .NodeOrdinal = context->node,
            .EngineAffinity = request->engine_affinity ? request->engine_affinity : 1,
            .PrivateDriverDataSize = request->private_size,
            .pPrivateDriverData = request->private_data,
        };
        status = ddi_create_hw_context(&adapter->ddi, context->device->driver_handle, &arguments,
                                       context->object);
    } while (dxgk_tries_again(status, &attempt));
    context->owns_handle = NT_SUCCESS(status) && arguments.hHwContext;
    context->driver_handle = context->owns_handle ? arguments.hHwContext : NULL;
    return NT_SUCCESS(status) && !context->owns_handle ? STATUS_INVALID_HANDLE : status;
}

/* For its life: its work is not prepared each time that the hardware turns to it. */
static NTSTATUS keep_tables(struct dxgk_context *context)
{
    struct dxgk_space *space = space_of(context);
    NTSTATUS status = dxgk_space_need_root(space);

    if (NT_SUCCESS(status)) {
        status = dxgk_space_keep_tables(space);
        dxgk_hwcontext_of(context)->keeps_tables = NT_SUCCESS(status);
    }
    return status;
}

static NTSTATUS furnish_context(struct dxgk_context *context,
                                const struct dxgk_hwcontext_request *request)
{
    context->virtual_addresses = true;
    context->life.handle =
        dxgk_handle_new(DXGK_KIND_HW_CONTEXT, &context->life, context->device->process);
    NTSTATUS status = context->life.handle ? STATUS_SUCCESS : STATUS_NO_MEMORY;
    if (NT_SUCCESS(status)) {
        status = create_driver_context(context, request);
    }
    if (NT_SUCCESS(status)) {
        status = dxgk_context_schedule(context, is_systems(context), 0);
    }
    if (NT_SUCCESS(status)) {
        status = dxgk_hwcontext_place(context);
    }
    if (NT_SUCCESS(status)) {
        status = keep_tables(context);
    }
    return NT_SUCCESS(status) ? dxgk_space_give_root(context) : status;
}

/* The caller is inside the device. */
static NTSTATUS make_context(struct dxgk_device *device,
                             const struct dxgk_hwcontext_request *request,
                             struct dxgk_hwcontext **out)
{
    struct dxgk_context *context = dxgk_context_new(device, &context_kind, request->node);

    if (!context) {
        return STATUS_NO_MEMORY;
    }
    NTSTATUS status = furnish_context(context, request);
    if (!NT_SUCCESS(status)) {
        dismantle_context(context);
        return status;
    }
    dxgk_context_begin(context);
    dxgk_handle_show(context->life.handle);
    *out = dxgk_hwcontext_of(context);
    return STATUS_SUCCESS;
}

/* Before what a client asks for: the same with private data that is spoiled, and nothing stays. */
static void make_spoiled_context(struct dxgk_device *device,
                                 const struct dxgk_hwcontext_request *request)
{
    struct dxgk_hwcontext_request spoiled = *request;
    struct dxgk_hwcontext *context;
    void *data = dxgk_spoiled(request->private_data, &spoiled.private_size);

    spoiled.private_data = data;
    if (NT_SUCCESS(make_context(device, &spoiled, &context))) {
        NTSTATUS status = dxgk_hwcontext_destroy(context);
        CHECK_THAT(NT_SUCCESS(status)); /* nobody else knows of it */
    }
    nt_memory_free(data);
}

NTSTATUS dxgk_hwcontext_create(struct dxgk_device *device,
                               const struct dxgk_hwcontext_request *request,
                               struct dxgk_hwcontext **out)
{
    struct dxgk_adapter *adapter = device->adapter;

    dxgk_wait_awake();
    if (request->node >= adapter->node_count || request->engine_affinity > 1) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!adapter->engines[request->node].scheduled) {
        return STATUS_NOT_SUPPORTED;
    }
    if (device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    if (!life_enter(&device->life)) {
        return STATUS_INVALID_HANDLE;
    }
    if (device != adapter->system_device && vary_happens(VARY_BAD_PRIVATE_DATA, 2)) {
        make_spoiled_context(device, request);
    }
    NTSTATUS status = make_context(device, request, out);
    life_leave(&device->life);
    return status;
}

NTSTATUS dxgk_hwcontext_destroy(struct dxgk_hwcontext *context)
{
    return dxgk_context_destroy(&context->base);
}

D3DKMT_HANDLE dxgk_hwcontext_handle(const struct dxgk_hwcontext *context)
{
    return context->base.life.handle;
}

/* ---- The progress fence ---------------------------------------------------------------------- */

/* Of a client's. */
/* A page that nobody else has, in the kernel's own view and at an address of the process. */
static NTSTATUS make_page(struct dxgk_hwqueue *queue)
{
    struct dxgk_fence_page *page = &queue->page;
    NTSTATUS status =
        dxgk_word_make(&page->word, queue->base.device->adapter, queue->base.object, 0);

    if (NT_SUCCESS(status)) {
        page->view = page->word.view;
        page->shown = ram_map_frames(&page->word.frame, 1, false);
        status = page->shown ? STATUS_SUCCESS : STATUS_NO_MEMORY;
    }
    if (NT_SUCCESS(status)) {
        status = dxgk_word_map(&page->word, space_of(&queue->base), true, &page->address);
        page->mapped = NT_SUCCESS(status);
    }
    return status;
}

/* A monitored fence whose value is in that page. */
static NTSTATUS make_fence(struct dxgk_hwqueue *queue)
{
    const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info = {.Type = D3DDDI_MONITORED_FENCE};
    struct dxgk_adapter *adapter = queue->base.device->adapter;
    NTSTATUS status =
        is_systems(&queue->base) ? dxgk_paging_page_make(adapter, &queue->page) : make_page(queue);

    if (NT_SUCCESS(status)) {
        status = dxgk_sync_create(queue->base.device, &info, &queue->fence);
    }
    if (NT_SUCCESS(status)) {
        struct dxgk_sync_core *core = queue->fence->core;
        queue->fence->kernels_own = true;
        life_get(&queue->fence->life);
        sync_fence_attach(&core->object, (uint64_t *)queue->page.view);
        nt_memory_free(core->memory);
        core->memory = (uint64_t *)queue->page.shown;
    }
    return status;
}

/* Whoever waits for it is let go; its value stays with it. */
static void end_fence(struct dxgk_hwqueue *queue)
{
    if (queue->fence) {
        struct dxgk_sync_core *core = queue->fence->core;
        sync_fence_attach(&core->object, NULL);
        core->memory = NULL;
        (void)dxgk_sync_destroy(queue->fence); /* the device may have ended it before */
        life_put(&queue->fence->life);
        queue->fence = NULL;
    }
}

static void end_page(struct dxgk_hwqueue *queue)
{
    struct dxgk_fence_page *page = &queue->page;
    struct dxgk_adapter *adapter = queue->base.device->adapter;
    struct vidmm_wait wait = {0};

    if (is_systems(&queue->base)) {
        dxgk_paging_page_end(adapter, page);
        return;
    }
    while (page->mapped && vidmm_space_free_systems(&space_of(&queue->base)->memory, page->address,
                                                    MACHINE_PAGE_SIZE, &wait) == STATUS_PENDING) {
        dxgk_wait_memory(adapter, &wait, MACHINE_NEVER);
    }
    if (page->mapped) {
        dxgk_paging_kick(adapter);
    }
    if (page->word.has_memory) {
        dxgk_retire_memory(adapter, &page->word.memory);
    }
    if (page->shown) {
        ram_unmap_frames(page->shown, 1);
    }
    dxgk_word_free(&page->word);
    *page = (struct dxgk_fence_page){0};
}

/* ---- Hardware queues ------------------------------------------------------------------------- */

static void dismantle_queue(struct dxgk_context *stream)
{
    struct dxgk_hwqueue *queue = dxgk_hwqueue_of(stream);
    struct dxgk_hwcontext *owner = queue->owner;

    dxgk_presents_end(stream);
    dxgk_doorbell_end(queue);
    if (queue->driver_knows) {
        ddi_destroy_hw_queue(&stream->device->adapter->ddi, stream->driver_handle, stream->object);
    }
    end_fence(queue);
    end_page(queue);
    owner->queue_count--;
    wait_queue_wake(&owner->base.changed, UINT_MAX);
    dxgk_context_forget(stream);
    life_put(&owner->base.life);
}

static const struct dxgk_context_kind queue_kind = {
    .handle = DXGK_KIND_HW_QUEUE,
    .size_bytes = sizeof(struct dxgk_hwqueue),
    .dismantle = dismantle_queue,
};

static NTSTATUS create_driver_queue(struct dxgk_hwqueue *queue,
                                    const struct dxgk_hwqueue_request *request)
{
    struct dxgk_context *stream = &queue->base;
    struct dxgk_adapter *adapter = stream->device->adapter;
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    DXGKARG_CREATEHWQUEUE arguments;
    NTSTATUS status;

    do {
        arguments = (DXGKARG_CREATEHWQUEUE){
            .hHwQueue = (HANDLE)(uintptr_t)stream->life.handle,
            .Flags = request->flags,
            .PrivateDriverDataSize = request->private_size,
            .pPrivateDriverData = request->private_data,
            .hHwQueueProgressFence = queue->fence->life.handle,
            .HwQueueProgressFenceCPUVirtualAddress = queue->page.view,
            .HwQueueProgressFenceGPUVirtualAddress = queue->page.address,
        };
        status = ddi_create_hw_queue(&adapter->ddi, queue->owner->base.driver_handle, &arguments,
                                     stream->object);
    } while (dxgk_tries_again(status, &attempt));
    queue->driver_knows = NT_SUCCESS(status) && arguments.hHwQueue;
    stream->driver_handle = queue->driver_knows ? arguments.hHwQueue : NULL;
    return NT_SUCCESS(status) && !queue->driver_knows ? STATUS_INVALID_HANDLE : status;
}

static unsigned in_flight_max(const struct dxgk_context *stream)
{
    unsigned max = stream->device->adapter->engines[stream->node].in_flight_max;

    return max == 0 ? IN_FLIGHT_UNSAID : max > IN_FLIGHT_MAX ? IN_FLIGHT_MAX : max;
}

static NTSTATUS furnish_queue(struct dxgk_hwqueue *queue,
                              const struct dxgk_hwqueue_request *request)
{
    struct dxgk_context *stream = &queue->base;

    stream->virtual_addresses = true;
    if (!is_systems(stream)) { /* for presents */
        stream->info.DmaBufferSize = stream->device->adapter->paging_buffer_size;
        stream->info.DmaBufferPrivateDataSize = stream->device->adapter->paging_private_size;
    }
    stream->life.handle =
        dxgk_handle_new(DXGK_KIND_HW_QUEUE, &stream->life, stream->device->process);
    NTSTATUS status = stream->life.handle ? STATUS_SUCCESS : STATUS_NO_MEMORY;
    if (NT_SUCCESS(status)) {
        status = dxgk_context_schedule(stream, is_systems(stream), in_flight_max(stream));
    }
    if (NT_SUCCESS(status)) {
        status = make_fence(queue);
    }
    return NT_SUCCESS(status) ? create_driver_queue(queue, request) : status;
}

/* The caller is inside the context. */
static NTSTATUS make_queue(struct dxgk_hwcontext *owner, const struct dxgk_hwqueue_request *request,
                           struct dxgk_hwqueue **out)
{
    struct dxgk_context *stream =
        dxgk_context_new(owner->base.device, &queue_kind, owner->base.node);

    if (!stream) {
        return STATUS_NO_MEMORY;
    }
    struct dxgk_hwqueue *queue = dxgk_hwqueue_of(stream);
    queue->owner = owner;
    queue->users = request->flags.UserModeSubmission;
    life_get(&owner->base.life);
    owner->queue_count++;
    NTSTATUS status = furnish_queue(queue, request);
    if (!NT_SUCCESS(status)) {
        dismantle_queue(stream);
        return status;
    }
    dxgk_context_begin(stream);
    dxgk_handle_show(stream->life.handle);
    *out = queue;
    return STATUS_SUCCESS;
}

static void make_spoiled_queue(struct dxgk_hwcontext *context,
                               const struct dxgk_hwqueue_request *request)
{
    struct dxgk_hwqueue_request spoiled = *request;
    struct dxgk_hwqueue *queue;
    void *data = dxgk_spoiled(request->private_data, &spoiled.private_size);

    spoiled.private_data = data;
    if (NT_SUCCESS(make_queue(context, &spoiled, &queue))) {
        NTSTATUS status = dxgk_hwqueue_destroy(queue);
        CHECK_THAT(NT_SUCCESS(status)); /* nobody else knows of it */
    }
    nt_memory_free(data);
}

NTSTATUS dxgk_hwqueue_create(struct dxgk_hwcontext *context,
                             const struct dxgk_hwqueue_request *request, struct dxgk_hwqueue **out)
{
    D3DDDI_CREATEHWQUEUEFLAGS known = {.Value = 0};

    known.NoBroadcastSignal = known.NoBroadcastWait = 1; /* there are no linked adapters */
    known.UserModeSubmission =
        context->base.device->adapter->engines[context->base.node].user_submission;
    dxgk_wait_awake();
    if (request->flags.Value & ~known.Value) {
        return STATUS_NOT_SUPPORTED;
    }
    if (context->base.device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    if (!life_enter(&context->base.life)) {
        return STATUS_INVALID_HANDLE;
    }
    if (!is_systems(&context->base) && vary_happens(VARY_BAD_PRIVATE_DATA, 2)) {
        make_spoiled_queue(context, request);
    }
    NTSTATUS status = make_queue(context, request, out);
    life_leave(&context->base.life);
    return status;
}

NTSTATUS dxgk_hwqueue_destroy(struct dxgk_hwqueue *queue)
{
    return dxgk_context_destroy(&queue->base);
}

D3DKMT_HANDLE dxgk_hwqueue_handle(const struct dxgk_hwqueue *queue)
{
    return queue->base.life.handle;
}

struct dxgk_context *dxgk_hwqueue_stream(struct dxgk_hwqueue *queue)
{
    return &queue->base;
}

struct dxgk_sync *dxgk_hwqueue_fence(const struct dxgk_hwqueue *queue)
{
    return queue->fence;
}

D3DGPU_VIRTUAL_ADDRESS dxgk_hwqueue_fence_address(const struct dxgk_hwqueue *queue)
{
    return queue->page.address;
}

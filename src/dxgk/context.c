/* Contexts: a device's streams of work, each to one node, with the memory that its client and its
 * driver write commands into. */
#include "dxgk/companion.h"
#include "dxgk/context_memory.h"
#include "dxgk/hwqueue_parts.h"
#include "dxgk/present_virtual.h"
#include "dxgk/spoil.h"
#include "dxgk/stream.h"
#include "dxgk/submission.h"
#include "dxgk/work.h"

#include <stdlib.h>

/* Work that waits for what never comes would keep its context for ever: after this time it is
 * cancelled. Longer than a reset takes. The documents do not say what Windows does. */
#define DESTROY_WAIT_NS (10 * NS_PER_S)

#define NO_PATCHING_ALLOCATIONS 16 /* named for the primaries that are written [CTX-014] */

#define PRIVATE_DATA_BYTES_MAX (16u << 20)

static NTSTATUS create_driver_context(struct dxgk_context *context,
                                      const struct dxgk_context_request *request, bool system)
{
    struct dxgk_device *device = context->device;
    struct dxgk_adapter *adapter = device->adapter;

    if (!adapter->contexts) {
        /* Drivers without contexts: the device is the context, with the sizes it gave. */
        context->driver_handle = device->driver_handle;
        context->info = (DXGK_CONTEXTINFO){
            .DmaBufferSize = device->info.DmaBufferSize,
            .DmaBufferSegmentSet = device->info.DmaBufferSegmentSet,
            .DmaBufferPrivateDataSize = device->info.DmaBufferPrivateDataSize,
            .AllocationListSize = device->info.AllocationListSize,
            .PatchLocationListSize = device->info.PatchLocationListSize,
        };
        return STATUS_SUCCESS;
    }
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    DXGKARG_CREATECONTEXT arguments;
    NTSTATUS status;
    DXGK_CREATECONTEXTFLAGS flags = {{{0}}};
    flags.SystemContext = system;
    flags.VirtualAddressing = request->virtual_addresses;
    flags.GdiContext = request->gdi;
    const DXGKARG_CREATECONTEXT asked = {
        .hContext = (HANDLE)(uintptr_t)context->life.handle,
        .NodeOrdinal = context->node,
        .EngineAffinity = request->engine_affinity ? request->engine_affinity : 1,
        .Flags = flags,
        .pPrivateDriverData = (void *)request->private_data,
        .PrivateDriverDataSize = request->private_size,
    };
    KERNEL_DUTY(CTX_005,
                !system || request->companion_of != 0 || context->node == adapter->paging_node);
    do {
        arguments = asked;
        status =
            ddi_create_context(&adapter->ddi, device->driver_handle, &arguments, context->object);
        if (!NT_SUCCESS(status)) { /* nobody destroys what was not made */
            dxgk_context_memory_judge_left(&context->memories, "DxgkDdiCreateContext", true);
            dxgk_context_memory_drop(&context->memories);
        }
    } while (dxgk_tries_again(status, &attempt));
    if (NT_SUCCESS(status) && !arguments.hContext) {
        return STATUS_INVALID_HANDLE; /* [CTX-003] */
    }
    if (NT_SUCCESS(status)) {
        context->driver_handle = arguments.hContext;
        context->info = arguments.ContextInfo;
        context->owns_handle = true;
    }
    if (NT_SUCCESS(status) && context->info.Caps.NoPatchingRequired) {
        /* Whatever it asked for [CTX-010, CTX-014]. */
        context->info.PatchLocationListSize = 0;
        context->info.AllocationListSize = NO_PATCHING_ALLOCATIONS;
    }
    return status;
}

static bool sizes_make_sense(const struct dxgk_context *context)
{
    const DXGK_CONTEXTINFO *info = &context->info;
    unsigned segments = context->device->adapter->segment_count;

    for (unsigned id = 1; id <= 32; id++) {
        if (info->DmaBufferSegmentSet & VIDMM_SEGMENT_BIT(id) &&
            (id > segments ||
             !(context->device->adapter->segments[id - 1].flags & VIDMM_SEGMENT_APERTURE))) {
            return false; /* [CTX-012] */
        }
    }
    return info->DmaBufferSize > 0 && info->DmaBufferSize <= 64u << 20 &&
           info->DmaBufferPrivateDataSize <= PRIVATE_DATA_BYTES_MAX &&
           info->AllocationListSize <= 1u << 16 && info->PatchLocationListSize <= 1u << 20;
}

static void free_space(struct dxgk_context *context)
{
    nt_memory_free(context->space.commands);
    nt_memory_free(context->space.allocations);
    nt_memory_free(context->space.patches);
    nt_memory_free(context->allocation_list);
    nt_memory_free(context->allocation_given);
    nt_memory_free(context->patch_in);
    nt_memory_free(context->patch_given);
    nt_memory_free(context->patch_out);
    free(context->allocation_openings);
}

/* The client's memory, and ours that Render gets: all at addresses that replay. */
static bool make_space(struct dxgk_context *context)
{
    UINT allocations = context->info.AllocationListSize;
    UINT patches = context->info.PatchLocationListSize;
    UINT list =
        allocations < DXGK_PRESENT_ALLOCATION_COUNT ? DXGK_PRESENT_ALLOCATION_COUNT : allocations;

    context->space = (struct dxgk_command_space){
        .commands =
            nt_memory_client_paged(context->info.DmaBufferSize, "a client's command buffer"),
        .command_bytes = context->info.DmaBufferSize,
        .allocations = nt_memory_client(allocations * sizeof(D3DDDI_ALLOCATIONLIST),
                                        "a client's allocation list"),
        .allocation_count = allocations,
        .patches = nt_memory_client(patches * sizeof(D3DDDI_PATCHLOCATIONLIST),
                                    "a client's patch location list"),
        .patch_count = patches,
    };
    context->list_room = list;
    context->patch_in_room = patches;
    context->allocation_list = nt_memory_alloc(list * sizeof(DXGK_ALLOCATIONLIST), 0);
    context->allocation_given =
        nt_memory_hand(list * sizeof(DXGK_ALLOCATIONLIST), "the allocation list");
    context->patch_in = nt_memory_alloc((patches + 1) * sizeof(D3DDDI_PATCHLOCATIONLIST), 0);
    context->patch_given =
        nt_memory_hand(patches * sizeof(D3DDDI_PATCHLOCATIONLIST), "pPatchLocationListIn");
    context->patch_out = nt_memory_hand(
        dxgk_dma_patch_room(context) * sizeof(D3DDDI_PATCHLOCATIONLIST), "pPatchLocationListOut");
    context->allocation_openings = calloc(list, sizeof(struct dxgk_opening *));
    return context->space.commands && context->space.allocations && context->space.patches &&
           context->allocation_list && context->allocation_given && context->patch_in &&
           context->patch_given && context->patch_out && context->allocation_openings;
}

static NTSTATUS make_pool(struct dxgk_context *context)
{
    const size_t growth = vary_on(VARY_LARGER_BUFFERS) ? DXGK_BUFFER_GROWTH_MAX : 0;
    const struct vidmm_dma_pool_options options = {
        .size_bytes = align_up(context->info.DmaBufferSize + growth, MACHINE_PAGE_SIZE),
        .segments = context->info.DmaBufferSegmentSet,
        .private_bytes = context->info.DmaBufferPrivateDataSize,
        .buffer_count_max = 32,
    };

    return vidmm_dma_pool_init(&context->pool, context->device->adapter->vidmm, &options);
}

NTSTATUS dxgk_context_schedule(struct dxgk_context *context, bool system, unsigned in_flight_max)
{
    struct dxgk_device *device = context->device;
    const struct vidsch_context_config config = {
        .node_index = context->node,
        .priority = system ? VIDSCH_PRIORITY_SYSTEM : dxgk_context_level(context),
        .process = device->process,
        .parent = context->object,
        .system = system,
        .in_flight_max = in_flight_max,
    };
    NTSTATUS status = vidsch_context_init(&context->vidsch, &device->adapter->vidsch, &config);

    context->vidsch_ready = NT_SUCCESS(status);
    return status;
}

/* Frees the DMA buffers with what hangs on them; all are idle. */
static void drop_pool(struct dxgk_context *context)
{
    struct vidmm_wait wait;

    list_for_each (link, &context->pool.idle) {
        struct vidmm_dma_buffer *buffer = container_of(link, struct vidmm_dma_buffer, link);
        dxgk_dma_free(buffer->owner_data);
        buffer->owner_data = NULL;
    }
    while (vidmm_dma_pool_retire(&context->pool, &wait) == STATUS_PENDING) {
        dxgk_wait_memory(context->device->adapter, &wait, MACHINE_NEVER);
    }
    vidmm_dma_pool_fini(&context->pool);
}

static void free_context(struct dxgk_life *life)
{
    struct dxgk_context *context = container_of(life, struct dxgk_context, life);

    if (context->vidsch_ready) {
        vidsch_context_fini(&context->vidsch);
    }
    free_space(context);
    record_object_dead(context->object, OBJECT_CONTEXT);
    life_put(&context->device->life);
    free(context);
}

void dxgk_context_forget(struct dxgk_context *context)
{
    struct dxgk_device *device = context->device;

    life_unlink(&context->life);
    dxgk_device_child_gone(device);
    life_put(&context->life);
}

bool dxgk_context_disowns(struct dxgk_context *context)
{
    bool owned = context->owns_handle;

    context->owns_handle = false; /* nobody gives it a root any more */
    while (context->rooting) {
        wait_queue_wait(&context->changed, MACHINE_NEVER);
    }
    return owned;
}

/* The driver forgets it, and nobody finds it any more; whoever has a reference keeps the rest.
 * Nothing of it is under way. May switch. */
static void dismantle(struct dxgk_context *context)
{
    struct dxgk_device *device = context->device;
    struct dxgk_adapter *adapter = device->adapter;

    if (context->pool_ready) {
        drop_pool(context);
        context->pool_ready = false;
    }
    dxgk_presents_end(context);
    dxgk_blocks_free(context);
    dxgk_companion_end(context);
    dxgk_context_leave(context);
    if (dxgk_context_disowns(context)) {
        ddi_destroy_context(&adapter->ddi, context->driver_handle, context->object);
        dxgk_context_memory_judge_left(&context->memories, "DxgkDdiDestroyContext", false);
    }
    dxgk_context_memory_drop(&context->memories);
    dxgk_context_forget(context);
}

struct dxgk_context *dxgk_context_new(struct dxgk_device *device,
                                      const struct dxgk_context_kind *kind, unsigned node)
{
    struct dxgk_context *context = calloc(1, kind->size_bytes);

    if (context) {
        life_init(&context->life, kind->handle, free_context);
        life_get(&device->life);
        context->dismantle = kind->dismantle;
        context->device = device;
        context->node = node;
        wait_queue_init(&context->changed);
        list_init(&context->blocks.free);
        list_init(&context->memories);
        context->object = record_object_new(OBJECT_CONTEXT, device->object);
    }
    return context;
}

static const struct dxgk_context_kind kind = {
    .handle = DXGK_KIND_CONTEXT,
    .size_bytes = sizeof(struct dxgk_context),
    .dismantle = dismantle,
};

/* What the driver and the engines need of it. */
static NTSTATUS furnish(struct dxgk_context *context, const struct dxgk_context_request *request,
                        bool system)
{
    struct dxgk_device *device = context->device;
    NTSTATUS status;

    context->life.handle = dxgk_handle_new(DXGK_KIND_CONTEXT, &context->life, device->process);
    status =
        context->life.handle ? create_driver_context(context, request, system) : STATUS_NO_MEMORY;
    context->virtual_addresses = request->virtual_addresses;
    context->null_rendering = request->null_rendering;
    context->gdi = request->gdi;
    context->companion.of = request->companion_of;
    bool renders = !system && !context->virtual_addresses;
    if (NT_SUCCESS(status) && renders && !sizes_make_sense(context)) {
        status = STATUS_INVALID_PARAMETER;
    }
    if (context->virtual_addresses &&
        context->info.DmaBufferPrivateDataSize > PRIVATE_DATA_BYTES_MAX) {
        status = STATUS_INVALID_PARAMETER;
    }
    if (NT_SUCCESS(status) && renders) {
        status = make_space(context) ? make_pool(context) : STATUS_NO_MEMORY;
        context->pool_ready = NT_SUCCESS(status);
    }
    if (NT_SUCCESS(status)) {
        status = dxgk_context_schedule(context, system, 0);
    }
    if (system && !context->companion.of) {
        device->adapter->system_context = context; /* who writes its root table names it */
    }
    if (NT_SUCCESS(status) && context->virtual_addresses) {
        status = dxgk_space_give_root(context);
    }
    return status;
}

void dxgk_context_begin(struct dxgk_context *context)
{
    if (context->device->lost) {
        vidsch_context_lose(&context->vidsch); /* while it was made, and it was on no list */
    }
    life_link(&context->device->contexts, &context->life);
    life_begin(&context->life);
}

NTSTATUS dxgk_context_make(struct dxgk_device *device, const struct dxgk_context_request *request,
                           bool system, struct dxgk_context **out)
{
    struct dxgk_context *context = dxgk_context_new(device, &kind, request->node);

    if (!context) {
        return STATUS_NO_MEMORY;
    }
    NTSTATUS status = furnish(context, request, system);
    if (!NT_SUCCESS(status)) {
        dismantle(context);
        return status;
    }
    dxgk_context_begin(context);
    *out = context;
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_context_make_null(struct dxgk_device *system, unsigned node,
                                struct dxgk_context **out)
{
    struct dxgk_context *context = dxgk_context_new(system, &kind, node);

    if (!context) {
        return STATUS_NO_MEMORY;
    }
    NTSTATUS status = dxgk_context_schedule(context, true, 0);
    if (!NT_SUCCESS(status)) {
        dismantle(context);
        return status;
    }
    life_link(&system->contexts, &context->life);
    life_begin(&context->life);
    *out = context;
    return STATUS_SUCCESS;
}

/* A driver with GPU virtual addresses may have left out the calls for the other way: nobody would
 * take its commands, or write the places of memory into them. */
static bool takes_patch_lists(const struct dxgk_adapter *adapter)
{
    return ddi_has(&adapter->ddi, POINT_SubmitCommand) &&
           (ddi_has(&adapter->ddi, POINT_Patch) || !adapter->mmu.present);
}

NTSTATUS dxgk_context_create(struct dxgk_device *device, const struct dxgk_context_request *request,
                             struct dxgk_context **out)
{
    if (request->node >= device->adapter->node_count || request->engine_affinity > 1 ||
        request->gdi != device->gdi) {
        return STATUS_INVALID_PARAMETER;
    }
    if (request->virtual_addresses &&
        !(device->adapter->mmu.present && device->adapter->mmu.nodes >> request->node & 1)) {
        return STATUS_NOT_SUPPORTED;
    }
    if (!request->virtual_addresses && !takes_patch_lists(device->adapter)) {
        return STATUS_NOT_SUPPORTED;
    }
    if (device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    if (!life_enter(&device->life)) {
        return STATUS_INVALID_HANDLE;
    }
    dxgk_context_spoiled(device, request);
    NTSTATUS status = dxgk_context_make(device, request, false, out);
    if (NT_SUCCESS(status)) {
        dxgk_sent_made(*out, request);
        dxgk_handle_show((*out)->life.handle);
    }
    life_leave(&device->life);
    return status;
}

/* Everything it was given is done, or given up. May switch. */
static void quiet(struct dxgk_context *context)
{
    if (!vidsch_context_wait_idle(&context->vidsch, machine_now_ns() + DESTROY_WAIT_NS)) {
        vidsch_context_lose(&context->vidsch);
        dxgk_memory_changed(context->device->adapter); /* those that wait in our hands */
        vidsch_context_wait_idle(&context->vidsch, MACHINE_NEVER);
    }
}

NTSTATUS dxgk_context_destroy(struct dxgk_context *context)
{
    if (!life_end(&context->life)) {
        return STATUS_INVALID_HANDLE;
    }
    dxgk_flips_take_back(context);
    if (context->life.kind == DXGK_KIND_HW_QUEUE) {
        dxgk_doorbell_close(dxgk_hwqueue_of(context));
    }
    quiet(context); /* those inside may wait for that */
    life_wait_unused(&context->life);
    quiet(context);
    CHECK_THAT(!context->rendering);
    dxgk_history_format(context);
    context->dismantle(context);
    return STATUS_SUCCESS;
}

void dxgk_context_command_space(struct dxgk_context *context, struct dxgk_command_space *out)
{
    *out = context->space;
}

NTSTATUS dxgk_context_wait_idle(struct dxgk_context *context, uint64_t deadline_ns)
{
    if (context->life.kind == DXGK_KIND_HW_QUEUE && dxgk_hwqueue_of(context)->users) {
        return dxgk_doorbell_wait_idle(dxgk_hwqueue_of(context), deadline_ns) ? STATUS_SUCCESS
                                                                              : STATUS_TIMEOUT;
    }
    return vidsch_context_wait_idle(&context->vidsch, deadline_ns) ? STATUS_SUCCESS
                                                                   : STATUS_TIMEOUT;
}

/* Resources, and the end of allocations: an allocation goes when nobody has it open any more, and
 * the last one takes its resource along. */
#include "dxgk/resource.h"
#include "dxgk/overlay.h"
#include "dxgk/ranges.h"
#include "dxgk/share.h"
#include "dxgk/work.h"

#include <stdlib.h>
#include <string.h>

/* ---- Resources ------------------------------------------------------------------------------- */

static void free_data(struct dxgk_resource *resource)
{
    nt_memory_free(resource->private_data);
    free(resource->runtime_data);
    resource->private_data = resource->runtime_data = NULL;
    resource->private_size = resource->runtime_size = 0;
}

static void free_resource(struct dxgk_life *life)
{
    struct dxgk_resource *resource = container_of(life, struct dxgk_resource, life);

    CHECK_THAT(resource->shared_handle == 0 && resource->leaving_count == 0);
    free(resource->allocations);
    free_data(resource);
    free(resource);
}

NTSTATUS dxgk_resource_new(struct dxgk_adapter *adapter,
                           const struct dxgk_allocations_request *request,
                           struct dxgk_resource **out)
{
    struct dxgk_resource *resource = calloc(1, sizeof *resource);

    *out = resource;
    if (!resource) {
        return STATUS_NO_MEMORY;
    }
    life_init(&resource->life, DXGK_KIND_RESOURCE, free_resource);
    wait_queue_init(&resource->left);
    resource->adapter = adapter;
    resource->nt_security = request->nt_security;
    resource->private_size = request->private_size;
    resource->private_data =
        nt_memory_hand(request->private_size, "the private data of a resource");
    resource->runtime_size = request->runtime_size;
    resource->runtime_data = malloc(request->runtime_size + 1);
    resource->allocations = calloc(request->count, sizeof(struct dxgk_allocation *));
    if (!resource->private_data || !resource->runtime_data || !resource->allocations) {
        return STATUS_NO_MEMORY;
    }
    if (request->runtime_size > 0) {
        memcpy(resource->runtime_data, request->runtime_data, request->runtime_size);
    }
    memcpy(resource->private_data, request->private_data ? request->private_data : "",
           request->private_size);
    return STATUS_SUCCESS;
}

/* The driver knows it no more, or never did; holdings that are left want nothing of its data. */
void dxgk_resource_drop(struct dxgk_resource *resource)
{
    life_unlink(&resource->life);
    if (resource->shared_handle) {
        dxgk_handle_free(resource->shared_handle);
        resource->shared_handle = 0;
    }
    free_data(resource);
    life_put(&resource->life);
}

void dxgk_resource_begin(struct dxgk_resource *resource, struct dxgk_allocation *const *allocations,
                         UINT count)
{
    memcpy(resource->allocations, allocations, count * sizeof(struct dxgk_allocation *));
    resource->allocation_count = count;
    life_begin(&resource->life);
}

NTSTATUS dxgk_resource_expect(struct dxgk_resource *resource, UINT count)
{
    UINT all = resource->allocation_count + resource->expected_count + count;

    if (all > DXGK_ALLOCATIONS_PER_CALL_MAX || resource->shared_handle || resource->nt_security) {
        return STATUS_INVALID_PARAMETER;
    }
    struct dxgk_allocation **grown =
        realloc(resource->allocations, all * sizeof(struct dxgk_allocation *));
    if (!grown) {
        return STATUS_NO_MEMORY;
    }
    resource->allocations = grown;
    resource->expected_count += count;
    return STATUS_SUCCESS;
}

void dxgk_resource_add(struct dxgk_resource *resource, struct dxgk_allocation *const *allocations,
                       UINT count)
{
    CHECK_THAT(resource->expected_count >= count);
    resource->expected_count -= count;
    for (UINT i = 0; allocations && i < count; i++) {
        resource->allocations[resource->allocation_count++] = allocations[i];
    }
}

/* Nobody adds to it any more: who opens it opens all of it. */
static bool is_whole(const struct dxgk_resource *resource)
{
    return resource->life.state == LIFE_LIVING && resource->expected_count == 0;
}

D3DKMT_HANDLE dxgk_resource_share(struct dxgk_resource *resource)
{
    if (!resource->shared_handle && is_whole(resource)) {
        resource->shared_handle = dxgk_handle_new(DXGK_KIND_SHARED, &resource->life, NULL);
        if (resource->shared_handle) {
            dxgk_handle_show(resource->shared_handle);
        }
    }
    return resource->shared_handle;
}

bool dxgk_resource_is_shared(const struct dxgk_resource *resource)
{
    return resource->shared_handle != 0;
}

bool dxgk_resource_has_nt_security(const struct dxgk_resource *resource)
{
    return resource->nt_security;
}

bool dxgk_resource_hold(struct dxgk_resource *resource)
{
    bool whole = is_whole(resource);

    resource->share_count += whole;
    return whole;
}

void dxgk_resource_info(const struct dxgk_resource *resource, struct dxgk_resource_info *info)
{
    *info = (struct dxgk_resource_info){
        .allocation_count = resource->allocation_count,
        .private_size = resource->private_size,
        .private_data = resource->private_data,
        .runtime_size = resource->runtime_size,
        .runtime_data = resource->runtime_data,
    };
    for (unsigned i = 0; i < resource->allocation_count; i++) {
        info->total_private_size += resource->allocations[i]->private_size;
    }
}

/* ---- The end of allocations ------------------------------------------------------------------ */

/* What video is captured into is about to lose its place [CAPTURE-001]. Where nobody captures any
 * more, the driver has nothing to do. */
static void stop_capture(const struct dxgk_allocation *allocation)
{
    struct dxgk_adapter *adapter = allocation->adapter;
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    const DXGKARG_STOPCAPTURE arguments = {.hAllocation = allocation->driver_handle};
    bool wanted = allocation->info.Flags.Capture && ddi_has(&adapter->ddi, POINT_StopCapture);
    NTSTATUS status;

    do {
        if (!wanted || !dxgk_adapter_has_hardware(adapter)) {
            return;
        }
        status = ddi_stop_capture(&adapter->ddi, adapter->ddi.miniport_context, &arguments,
                                  allocation->object);
    } while (dxgk_tries_again(status, &attempt));
}

/* No longer on screen, in no segment, in no operation. May switch. */
static void withdraw(struct dxgk_allocation *allocation)
{
    struct dxgk_adapter *adapter = allocation->adapter;

    CHECK_THAT(allocation->packet_count == 0);
    dxgk_overlays_forget(allocation);
    for (unsigned i = 0; i < adapter->source_count; i++) {
        dxgk_source_forget(&adapter->sources[i], allocation);
    }
    stop_capture(allocation);
    dxgk_iommu_unshare(allocation);
    dxgk_retire_memory(adapter, &allocation->memory);
    dxgk_ranges_forget(allocation);
}

/* Destroys allocations that are withdrawn, in one call; with their resource, if it is given. */
static void call_destroy(struct dxgk_allocation *const *allocations, UINT count,
                         const struct dxgk_resource *resource)
{
    struct dxgk_adapter *adapter = allocations[0]->adapter;
    HANDLE handles[DXGK_ALLOCATIONS_PER_CALL_MAX];
    const DXGKARG_DESTROYALLOCATION arguments = {
        .NumAllocations = count,
        .pAllocationList = handles,
        .hResource = resource ? resource->driver_handle : NULL,
        .Flags.DestroyResource = resource != NULL,
    };

    for (UINT i = 0; i < count; i++) {
        KERNEL_DUTY(ALLOC_021, allocations[i]->opening_count == 0);
        handles[i] = allocations[i]->driver_handle;
    }
    ddi_destroy_allocation(&adapter->ddi, adapter->ddi.miniport_context, &arguments,
                           allocations[0]->object);
}

static void leave_resource(struct dxgk_resource *resource, const struct dxgk_allocation *allocation)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < resource->allocation_count; i++) {
        if (resource->allocations[i] != allocation) {
            resource->allocations[kept++] = resource->allocations[i];
        }
    }
    CHECK_THAT(kept + 1 == resource->allocation_count);
    resource->allocation_count = kept;
    resource->leaving_count++;
}

/* The ones of `targets` that nobody has open any more come first; from here on nobody finds them,
 * nor the resource if they were its last. Returns how many they are. */
static UINT end_unused(struct dxgk_allocation **targets, UINT count, struct dxgk_resource *resource)
{
    UINT unused = 0;

    for (UINT i = 0; i < count; i++) {
        struct dxgk_allocation *allocation = targets[i];
        bool held = resource && resource->share_count > 0;
        if (allocation->opening_count == 0 && !held && life_end(&allocation->life)) {
            targets[i] = targets[unused];
            targets[unused++] = allocation;
            if (resource) {
                leave_resource(resource, allocation);
            }
        }
    }
    if (unused > 0 && resource && resource->allocation_count == 0) {
        CHECK_THAT(life_end(&resource->life));
        if (resource->shared_handle) {
            dxgk_handle_hide(resource->shared_handle);
        }
    }
    return unused;
}

void dxgk_allocations_drop(struct dxgk_allocation **targets, UINT count,
                           struct dxgk_resource *resource)
{
    UINT unused = end_unused(targets, count, resource);
    bool last = unused > 0 && resource && resource->allocation_count == 0;

    if (unused == 0) {
        return;
    }
    for (UINT i = 0; i < unused; i++) {
        life_wait_unused(&targets[i]->life);
        withdraw(targets[i]);
    }
    while (last && resource->leaving_count > unused) {
        wait_queue_wait(&resource->left, MACHINE_NEVER); /* the resource goes with its last */
    }
    call_destroy(targets, unused, last ? resource : NULL);
    for (UINT i = 0; i < unused; i++) {
        list_remove(&targets[i]->owner_link);
        dxgk_aperture_view_end(targets[i]);
        vidmm_allocation_fini(&targets[i]->memory);
        life_put(&targets[i]->life);
    }
    if (resource) {
        resource->leaving_count -= unused;
        wait_queue_wake(&resource->left, UINT_MAX);
    }
    if (last) {
        dxgk_resource_drop(resource);
    }
}

void dxgk_resource_let_go(struct dxgk_resource *resource)
{
    struct dxgk_allocation *targets[DXGK_ALLOCATIONS_PER_CALL_MAX];
    UINT count = 0;

    CHECK_THAT(resource->share_count > 0);
    if (--resource->share_count > 0) {
        return;
    }
    for (; count < resource->allocation_count; count++) {
        targets[count] = resource->allocations[count];
        life_get(&targets[count]->life);
    }
    dxgk_allocations_drop(targets, count, resource);
    for (UINT i = 0; i < count; i++) {
        life_put(&targets[i]->life);
    }
}

/* Allocations, resources and openings: created by the driver, opened by devices, placed by vidmm.
 */
#include "dxgk/internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- What the driver answers, in vidmm's words ----------------------------------------------- */

static uint32_t allocation_flags(const DXGK_ALLOCATIONINFO *info, bool primary)
{
    return (primary ? VIDMM_ALLOCATION_PRIMARY : 0) |
           (info->Flags.CpuVisible ? VIDMM_ALLOCATION_CPU_VISIBLE : 0) |
           (info->Flags.Cached ? VIDMM_ALLOCATION_CACHED : 0) |
           (info->Flags.PermanentSysMem ? VIDMM_ALLOCATION_PERMANENT_SYSMEM : 0) |
           (info->Flags.Swizzled ? VIDMM_ALLOCATION_SWIZZLED : 0) |
           (info->Flags.Overlay ? VIDMM_ALLOCATION_OVERLAY : 0) |
           (info->Flags.SynchronousPaging ? VIDMM_ALLOCATION_SYNCHRONOUS_PAGING : 0);
}

static void fill_preferences(const DXGK_ALLOCATIONINFO *info, struct vidmm_preference *preferences)
{
    DXGK_SEGMENTPREFERENCE preferred = info->PreferredSegment;

    preferences[0] = (struct vidmm_preference){preferred.SegmentId0, preferred.Direction0};
    preferences[1] = (struct vidmm_preference){preferred.SegmentId1, preferred.Direction1};
    preferences[2] = (struct vidmm_preference){preferred.SegmentId2, preferred.Direction2};
    preferences[3] = (struct vidmm_preference){preferred.SegmentId3, preferred.Direction3};
    preferences[4] = (struct vidmm_preference){preferred.SegmentId4, preferred.Direction4};
    if (preferred.SegmentId0 == 0 && info->Flags.FromEndOfSegment) {
        for (unsigned id = 1; id <= 32; id++) {
            if (info->SupportedWriteSegmentSet & VIDMM_SEGMENT_BIT(id)) {
                preferences[0] = (struct vidmm_preference){id, true};
                break;
            }
        }
    }
}

static NTSTATUS place_under_vidmm(struct dxgk_allocation *allocation, struct dxgk_device *device)
{
    struct dxgk_adapter *adapter = device->adapter;
    const DXGK_ALLOCATIONINFO *info = &allocation->info;
    struct vidmm_allocation_options options = {
        .size_bytes = info->Size,
        .alignment_bytes = info->Alignment,
        .read_segments = adapter->features.wddm2 ? info->SupportedWriteSegmentSet
                                                 : info->SupportedReadSegmentSet,
        .write_segments = info->SupportedWriteSegmentSet,
        .eviction_segments = info->EvictionSegmentSet,
        .flags = allocation_flags(info, allocation->primary),
        .priority = info->AllocationPriority ? info->AllocationPriority : VIDMM_PRIORITY_NORMAL,
        .process = device->process ? &device->process->memory : NULL,
        .object = allocation->object,
    };

    fill_preferences(info, options.preferences);
    return vidmm_allocation_init(&allocation->memory, adapter->vidmm, &options);
}

/* ---- Creating -------------------------------------------------------------------------------- */

/* Everything of one call, so that a failure undoes all [ALLOC-002]. */
struct creation {
    struct dxgk_device *device;
    struct dxgk_allocation_request *requests;
    UINT count;
    DXGK_ALLOCATIONINFO *infos;
    struct dxgk_allocation **allocations;
    struct dxgk_resource *resource;
    void **copies; /* room for the private data, for those who open the allocations later */
    UINT placed;
};

static void free_creation(struct creation *creation)
{
    for (UINT i = 0; creation->copies && i < creation->count; i++) {
        nt_memory_free(creation->copies[i]);
    }
    free(creation->copies);
    nt_memory_free(creation->infos);
    free(creation->allocations);
}

static struct dxgk_resource *make_resource(struct dxgk_device *device)
{
    struct dxgk_resource *resource = calloc(1, sizeof *resource);

    if (resource) {
        resource->creator = device;
        resource->adapter = device->adapter;
        resource->handle = dxgk_handle_new(DXGK_KIND_RESOURCE, resource, device->process);
    }
    return resource;
}

static void free_resource(struct dxgk_resource *resource)
{
    if (resource) {
        dxgk_handle_free(resource->handle);
        if (resource->shared_handle) {
            dxgk_handle_free(resource->shared_handle);
        }
        free(resource->allocations);
        free(resource->private_data);
        free(resource);
    }
}

static NTSTATUS prepare_creation(struct creation *creation, const void *private_data,
                                 UINT private_size, bool want_resource)
{
    creation->infos = nt_memory_alloc(creation->count * sizeof *creation->infos, 0);
    creation->allocations = calloc(creation->count, sizeof *creation->allocations);
    creation->copies = calloc(creation->count, sizeof *creation->copies);
    if (!creation->infos || !creation->allocations || !creation->copies) {
        return STATUS_NO_MEMORY;
    }
    for (UINT i = 0; i < creation->count; i++) {
        creation->infos[i].pPrivateDriverData = creation->requests[i].private_data;
        creation->infos[i].PrivateDriverDataSize = creation->requests[i].private_size;
        creation->allocations[i] = calloc(1, sizeof **creation->allocations);
        creation->copies[i] = nt_memory_alloc(creation->requests[i].private_size + 1, 0);
        if (!creation->allocations[i] || !creation->copies[i]) {
            return STATUS_NO_MEMORY;
        }
    }
    if (want_resource && !(creation->resource = make_resource(creation->device))) {
        return STATUS_NO_MEMORY;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS call_create(struct creation *creation, const void *private_data, UINT private_size)
{
    struct dxgk_adapter *adapter = creation->device->adapter;
    DXGKARG_CREATEALLOCATION arguments = {
        .pPrivateDriverData = private_data,
        .PrivateDriverDataSize = private_size,
        .NumAllocations = creation->count,
        .pAllocationInfo = creation->infos,
        .hResource = creation->resource ? creation->resource->driver_handle : NULL,
        .Flags.Resource = creation->resource != NULL,
    };

    NTSTATUS status = ddi_create_allocation(&adapter->ddi, adapter->ddi.miniport_context,
                                            &arguments, creation->device->object);
    if (NT_SUCCESS(status) && creation->resource) {
        creation->resource->driver_handle = arguments.hResource; /* may be changed [ALLOC-015] */
    }
    return status;
}

/* These bits mean something else, or nothing, in the flags of WDDM 2.0. */
static void forget_old_flags(DXGK_ALLOCATIONINFOFLAGS *flags)
{
    flags->Swizzled = 0;
    flags->UseAlternateVA = 0;
    flags->SynchronousPaging = 0;
    flags->LinkMirrored = 0;
    flags->LinkInstanced = 0;
}

static bool handles_are_there(const struct creation *creation)
{
    for (UINT i = 0; i < creation->count; i++) {
        if (!creation->infos[i].hAllocation) {
            return false; /* [ALLOC-003] */
        }
    }
    return true;
}

static void fill_allocation(struct creation *creation, UINT i)
{
    struct dxgk_allocation *allocation = creation->allocations[i];
    const struct dxgk_allocation_request *request = &creation->requests[i];

    allocation->adapter = creation->device->adapter;
    allocation->owner = creation->device;
    allocation->resource = creation->resource;
    allocation->info = creation->infos[i];
    if (allocation->adapter->features.wddm2) {
        forget_old_flags(&allocation->info.Flags);
    }
    allocation->driver_handle = creation->infos[i].hAllocation;
    allocation->primary = request->primary;
    allocation->source = request->source;
    wait_queue_init(&allocation->idle);
    allocation->object = record_object_new(OBJECT_ALLOCATION, creation->device->object);
    allocation->private_data = creation->copies[i];
    allocation->private_size = request->private_size;
    creation->copies[i] = NULL;
}

static void drop_unused(struct dxgk_allocation **targets, UINT count,
                        struct dxgk_resource *resource);

/* All openings got a handle [ALLOC-017]; otherwise those that did are closed again. */
static bool openings_are_there(struct dxgk_device *device, const DXGK_OPENALLOCATIONINFO *infos,
                               UINT count)
{
    HANDLE handles[DXGK_ALLOCATIONS_PER_CALL_MAX];
    DXGKARG_CLOSEALLOCATION close = {.pOpenHandleList = handles};

    for (UINT i = 0; i < count; i++) {
        if (infos[i].hDeviceSpecificAllocation) {
            handles[close.NumAllocations++] = infos[i].hDeviceSpecificAllocation;
        }
    }
    if (close.NumAllocations < count && close.NumAllocations > 0) {
        ddi_close_allocation(&device->adapter->ddi, device->driver_handle, &close, device->object);
    }
    return close.NumAllocations == count;
}

/* Opens the allocations in a device: handles first, for the driver asks for their data. */
static NTSTATUS open_in_device(struct dxgk_device *device, struct dxgk_resource *resource,
                               struct dxgk_allocation *const *allocations, UINT count, bool create,
                               const void *private_data, UINT private_size,
                               struct dxgk_allocation_request *requests,
                               struct dxgk_opening **openings)
{
    struct dxgk_adapter *adapter = device->adapter;
    DXGK_OPENALLOCATIONINFO *infos = nt_memory_alloc(count * sizeof *infos, 0);
    NTSTATUS status = infos ? STATUS_SUCCESS : STATUS_NO_MEMORY;
    UINT made = 0;

    for (; NT_SUCCESS(status) && made < count; made++) {
        struct dxgk_opening *opening = calloc(1, sizeof *opening);
        if (!opening ||
            !(opening->handle = dxgk_handle_new(DXGK_KIND_OPENING, opening, device->process))) {
            free(opening);
            status = STATUS_NO_MEMORY;
            break;
        }
        opening->device = device;
        opening->allocation = allocations[made];
        opening->resource = resource;
        opening->allocation->opening_count++; /* it stays while the driver is at work */
        openings[made] = opening;
        infos[made].hAllocation = opening->handle;
        infos[made].pPrivateDriverData =
            requests ? requests[made].private_data : allocations[made]->private_data;
        infos[made].PrivateDriverDataSize =
            requests ? requests[made].private_size : allocations[made]->private_size;
    }
    if (NT_SUCCESS(status)) {
        const DXGKARG_OPENALLOCATION arguments = {
            .NumAllocations = count,
            .pOpenAllocation = infos,
            .pPrivateDriverData = (void *)private_data,
            .PrivateDriverSize = private_size,
            .Flags.Create = create,
        };
        status =
            ddi_open_allocation(&adapter->ddi, device->driver_handle, &arguments, device->object);
    }
    if (NT_SUCCESS(status) && !openings_are_there(device, infos, count)) {
        status = STATUS_INVALID_HANDLE;
    }
    for (UINT i = 0; i < made; i++) {
        if (NT_SUCCESS(status)) {
            openings[i]->driver_handle = infos[i].hDeviceSpecificAllocation;
            contract_opening_of(&adapter->ddi.shadow, openings[i]->driver_handle,
                                openings[i]->allocation->driver_handle);
            list_push_back(&device->openings, &openings[i]->link);
        } else {
            struct dxgk_allocation *allocation = openings[i]->allocation;
            dxgk_handle_free(openings[i]->handle);
            free(openings[i]);
            if (--allocation->opening_count == 0 && !create) {
                drop_unused(&allocation, 1, resource);
            }
        }
    }
    nt_memory_free(infos);
    return status;
}

static void call_destroy(struct dxgk_adapter *adapter, const HANDLE *handles, UINT count,
                         struct dxgk_resource *resource, uint32_t object)
{
    const DXGKARG_DESTROYALLOCATION arguments = {
        .NumAllocations = count,
        .pAllocationList = handles,
        .hResource = resource ? resource->driver_handle : NULL,
        .Flags.DestroyResource = resource != NULL,
    };

    ddi_destroy_allocation(&adapter->ddi, adapter->ddi.miniport_context, &arguments, object);
}

static void undo_creation(struct creation *creation, bool driver_has_them)
{
    struct dxgk_adapter *adapter = creation->device->adapter;

    if (driver_has_them) {
        for (UINT i = 0; i < creation->count; i++) {
            HANDLE handle = creation->infos[i].hAllocation;
            if (handle) {
                call_destroy(adapter, &handle, 1,
                             i + 1 == creation->count ? creation->resource : NULL, 0);
            }
        }
    }
    for (UINT i = 0; creation->allocations && i < creation->count; i++) {
        if (creation->allocations[i] && i < creation->placed) {
            vidmm_allocation_fini(&creation->allocations[i]->memory);
        }
        if (creation->allocations[i]) {
            nt_memory_free(creation->allocations[i]->private_data);
        }
        free(creation->allocations[i]);
    }
    free_resource(creation->resource);
    free_creation(creation);
}

static NTSTATUS keep_resource(struct creation *creation, const void *private_data,
                              UINT private_size)
{
    struct dxgk_resource *resource = creation->resource;

    if (!resource) {
        return STATUS_SUCCESS;
    }
    resource->allocations = calloc(creation->count, sizeof(struct dxgk_allocation *));
    resource->private_data = malloc(private_size ? private_size : 1);
    if (!resource->allocations || !resource->private_data) {
        return STATUS_NO_MEMORY;
    }
    memcpy(resource->allocations, creation->allocations,
           creation->count * sizeof(struct dxgk_allocation *));
    memcpy(resource->private_data, private_data ? private_data : "", private_size);
    resource->allocation_count = creation->count;
    resource->private_size = private_size;
    resource->reference_count = 1;
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_allocations_create(struct dxgk_device *device, const void *private_data,
                                 UINT private_size, bool want_resource,
                                 struct dxgk_allocation_request *requests, UINT count,
                                 struct dxgk_resource **resource)
{
    struct creation creation = {.device = device, .requests = requests, .count = count};
    struct dxgk_opening *openings[DXGK_ALLOCATIONS_PER_CALL_MAX];
    NTSTATUS status;

    if (count == 0 || count > DXGK_ALLOCATIONS_PER_CALL_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    if (device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    status = prepare_creation(&creation, private_data, private_size, want_resource);
    if (NT_SUCCESS(status)) {
        status = call_create(&creation, private_data, private_size);
    }
    if (!NT_SUCCESS(status)) {
        undo_creation(&creation, false);
        return status;
    }
    if (!handles_are_there(&creation)) {
        undo_creation(&creation, true);
        return STATUS_INVALID_HANDLE;
    }
    for (; NT_SUCCESS(status) && creation.placed < count; creation.placed += NT_SUCCESS(status)) {
        fill_allocation(&creation, creation.placed);
        status = place_under_vidmm(creation.allocations[creation.placed], device);
    }
    if (NT_SUCCESS(status)) {
        status = keep_resource(&creation, private_data, private_size);
    }
    if (NT_SUCCESS(status)) {
        status = open_in_device(device, creation.resource, creation.allocations, count, true,
                                private_data, private_size, requests, openings);
    }
    if (!NT_SUCCESS(status)) {
        undo_creation(&creation, true);
        return status;
    }
    for (UINT i = 0; i < count; i++) {
        requests[i].opening = openings[i];
        memcpy(openings[i]->allocation->private_data,
               requests[i].private_data ? requests[i].private_data : "", requests[i].private_size);
    }
    *resource = creation.resource;
    free_creation(&creation);
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_resource_open(struct dxgk_device *device, struct dxgk_resource *resource,
                            struct dxgk_opening **openings, UINT *count)
{
    if (*count < resource->allocation_count) {
        *count = resource->allocation_count;
        return STATUS_BUFFER_TOO_SMALL;
    }
    NTSTATUS status =
        open_in_device(device, resource, resource->allocations, resource->allocation_count, false,
                       resource->private_data, resource->private_size, NULL, openings);
    if (NT_SUCCESS(status)) {
        resource->reference_count++;
        *count = resource->allocation_count;
    }
    return status;
}

/* ---- Destroying ------------------------------------------------------------------------------ */

static void wait_gpu(struct dxgk_allocation *allocation)
{
    while (allocation->packet_count > 0) {
        wait_queue_wait(&allocation->idle, MACHINE_NEVER);
    }
}

void dxgk_allocation_packet(struct dxgk_allocation *allocation, int step, bool write)
{
    allocation->packet_count += (unsigned)step;
    allocation->write_count += write ? (unsigned)step : 0;
    if (allocation->packet_count == 0) {
        wait_queue_wake(&allocation->idle, UINT_MAX);
    }
}

/* Closes openings of one device in one call; all of a resource come together [ALLOC-021]. The
 * allocations are left in `targets`. */
static void close_openings(struct dxgk_opening *const *openings, UINT count,
                           struct dxgk_allocation **targets)
{
    struct dxgk_device *device = openings[0]->device;
    HANDLE handles[DXGK_ALLOCATIONS_PER_CALL_MAX];

    for (UINT i = 0; i < count; i++) {
        wait_gpu(openings[i]->allocation);
        while (openings[i]->lock_count > 0) {
            dxgk_unlock(openings[i]);
        }
        handles[i] = openings[i]->driver_handle;
        targets[i] = openings[i]->allocation;
    }
    const DXGKARG_CLOSEALLOCATION arguments = {.NumAllocations = count, .pOpenHandleList = handles};
    ddi_close_allocation(&device->adapter->ddi, device->driver_handle, &arguments,
                         targets[0]->object);
    for (UINT i = 0; i < count; i++) {
        list_remove(&openings[i]->link);
        dxgk_handle_free(openings[i]->handle);
        targets[i]->opening_count--;
        free(openings[i]);
    }
}

/* No longer on screen, in no segment, in no operation. */
static void withdraw(struct dxgk_allocation *allocation)
{
    struct dxgk_adapter *adapter = allocation->adapter;
    struct vidmm_wait wait = {0};

    for (unsigned i = 0; i < adapter->source_count; i++) {
        dxgk_source_forget(&adapter->sources[i], allocation);
    }
    for (;;) {
        NTSTATUS status = vidmm_allocation_retire(&allocation->memory, &wait);
        if (status == STATUS_PENDING) {
            dxgk_wait_memory(adapter, &wait, MACHINE_NEVER);
        } else if (wait.paging_sequence == 0) {
            return;
        } else {
            dxgk_wait_paging(adapter, wait.paging_sequence, MACHINE_NEVER);
        }
    }
}

/* Destroys allocations that nobody has open, in one call; with their resource, if it is given. */
static void destroy_allocations(struct dxgk_allocation *const *allocations, UINT count,
                                struct dxgk_resource *resource)
{
    struct dxgk_adapter *adapter = allocations[0]->adapter;
    HANDLE handles[DXGK_ALLOCATIONS_PER_CALL_MAX];

    for (UINT i = 0; i < count; i++) {
        withdraw(allocations[i]);
        KERNEL_DUTY(ALLOC_021, allocations[i]->opening_count == 0);
        handles[i] = allocations[i]->driver_handle;
    }
    call_destroy(adapter, handles, count, resource, allocations[0]->object);
    for (UINT i = 0; i < count; i++) {
        vidmm_allocation_fini(&allocations[i]->memory);
        record_object_dead(allocations[i]->object, OBJECT_ALLOCATION);
        nt_memory_free(allocations[i]->private_data);
        free(allocations[i]);
    }
}

static void leave_resource(struct dxgk_resource *resource, const struct dxgk_allocation *allocation)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < resource->allocation_count; i++) {
        if (resource->allocations[i] != allocation) {
            resource->allocations[kept++] = resource->allocations[i];
        }
    }
    resource->allocation_count = kept;
}

/* Destroys those that nobody has open any more; the last one takes the resource with it. */
static void drop_unused(struct dxgk_allocation **targets, UINT count,
                        struct dxgk_resource *resource)
{
    UINT unused = 0;

    for (UINT i = 0; i < count; i++) {
        if (targets[i]->opening_count == 0) {
            if (resource) {
                leave_resource(resource, targets[i]);
            }
            targets[unused++] = targets[i];
        }
    }
    if (unused == 0) {
        return;
    }
    bool last = resource && resource->allocation_count == 0;
    if (last && resource->shared_handle) {
        dxgk_handle_free(resource->shared_handle); /* nobody opens it from here on */
        resource->shared_handle = 0;
    }
    destroy_allocations(targets, unused, last ? resource : NULL);
    if (last) {
        free_resource(resource);
    }
}

/* Ends openings of one device that share a resource, or have none. */
static void end_openings(struct dxgk_opening *const *openings, UINT count)
{
    struct dxgk_resource *resource = openings[0]->resource;
    struct dxgk_allocation *targets[DXGK_ALLOCATIONS_PER_CALL_MAX] = {NULL};

    close_openings(openings, count, targets);
    drop_unused(targets, count, resource);
}

/* The device's openings of a resource; none has more than one call can make. */
static UINT openings_of(struct dxgk_device *device, const struct dxgk_resource *resource,
                        struct dxgk_opening **openings)
{
    UINT count = 0;

    list_for_each (link, &device->openings) {
        struct dxgk_opening *opening = container_of(link, struct dxgk_opening, link);
        if (opening->resource == resource && count < DXGK_ALLOCATIONS_PER_CALL_MAX) {
            openings[count++] = opening;
        }
    }
    return count;
}

NTSTATUS dxgk_allocations_destroy(struct dxgk_device *device, struct dxgk_resource *resource,
                                  struct dxgk_opening *const *openings, UINT count)
{
    struct dxgk_opening *own[DXGK_ALLOCATIONS_PER_CALL_MAX];

    if (resource) {
        UINT own_count = openings_of(device, resource, own);
        if (own_count > 0) {
            end_openings(own, own_count);
        }
        return STATUS_SUCCESS;
    }
    for (UINT i = 0; i < count; i++) {
        if (openings[i]->device != device) {
            return STATUS_INVALID_PARAMETER;
        }
    }
    for (UINT i = 0; i < count; i++) {
        end_openings(&openings[i], 1);
    }
    return STATUS_SUCCESS;
}

void dxgk_openings_close_all(struct dxgk_device *device)
{
    struct dxgk_opening *own[DXGK_ALLOCATIONS_PER_CALL_MAX];

    while (!list_empty(&device->openings)) {
        own[0] = container_of(device->openings.next, struct dxgk_opening, link);
        UINT count = own[0]->resource ? openings_of(device, own[0]->resource, own) : 1;
        end_openings(own, count);
    }
    /* Allocations that others still have open outlive the device that made them [ALLOC-016]. */
    list_for_each (link, &device->adapter->devices) {
        struct dxgk_device *other = container_of(link, struct dxgk_device, link);
        list_for_each (opening_link, &other->openings) {
            struct dxgk_opening *opening = container_of(opening_link, struct dxgk_opening, link);
            if (opening->allocation->owner == device) {
                opening->allocation->owner = NULL;
            }
            if (opening->resource && opening->resource->creator == device) {
                opening->resource->creator = NULL;
            }
        }
    }
}

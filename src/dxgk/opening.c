/* Openings: the devices' uses of allocations. The driver makes them in OpenAllocation and ends them
 * in CloseAllocation; while an opening is on its way, its allocation stays.
 *
 *     dxgk_openings_make ─> on the device's list, the driver opens ─> dxgk_openings_begin
 *     dxgk_allocations_destroy, dxgk_openings_close_all
 *         ─> life_end ─> nobody inside, nothing locked ─> the driver closes ─> off the list
 *         ─> allocations that nobody has open go (resource.c) */
#include "dxgk/present_virtual.h"
#include "dxgk/resource.h"

#include <stdlib.h>
#include <string.h>

/* ---- Opening --------------------------------------------------------------------------------- */

static void free_opening(struct dxgk_life *life)
{
    struct dxgk_opening *opening = container_of(life, struct dxgk_opening, life);

    CHECK_THAT(opening->lock_count == 0);
    life_put(&opening->allocation->life);
    if (opening->holding) {
        life_put(&opening->holding->life);
    }
    life_put(&opening->device->life);
    free(opening);
}

/* Its handle first, for the driver asks for its data. */
static struct dxgk_opening *new_opening(const struct dxgk_opening_request *request,
                                        struct dxgk_holding *holding, UINT i)
{
    struct dxgk_opening *opening = calloc(1, sizeof *opening);

    if (!opening) {
        return NULL;
    }
    life_init(&opening->life, DXGK_KIND_OPENING, free_opening);
    opening->device = request->device;
    opening->allocation = request->allocations[i];
    opening->holding = holding;
    life_get(&opening->device->life);
    life_get(&opening->allocation->life);
    if (holding) {
        life_get(&holding->life);
    }
    opening->life.handle =
        dxgk_handle_new(DXGK_KIND_OPENING, &opening->life, request->device->process);
    if (!opening->life.handle) {
        life_put(&opening->life);
        return NULL;
    }
    opening->allocation->opening_count++;
    if (holding) {
        holding->opening_count++;
    }
    life_link(&request->device->openings, &opening->life);
    return opening;
}

/* The driver has closed it, or never opened it. The allocations are for dxgk_allocations_drop(). */
static void remove_opening(struct dxgk_opening *opening)
{
    struct dxgk_device *device = opening->device;
    struct dxgk_holding *holding = opening->holding;

    CHECK_THAT(opening->allocation->opening_count > 0 && opening->life.use_count == 0);
    opening->allocation->opening_count--;
    life_unlink(&opening->life);
    CHECK_THAT(!holding || holding->opening_count > 0);
    if (holding && --holding->opening_count == 0) {
        dxgk_holding_empty(holding);
    }
    dxgk_device_child_gone(device);
    life_put(&opening->life);
}

static void remove_openings(struct dxgk_opening *const *openings, UINT count)
{
    for (UINT i = 0; i < count; i++) {
        remove_opening(openings[i]);
    }
}

static void call_close(struct dxgk_device *device, const DXGKARG_CLOSEALLOCATION *arguments,
                       uint32_t object)
{
    ddi_close_allocation(&device->adapter->ddi, device->driver_handle, arguments, object);
}

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
        call_close(device, &close, device->object);
    }
    return close.NumAllocations == count;
}

static void fill_info(const struct dxgk_opening_request *request, UINT i,
                      const struct dxgk_opening *opening, DXGK_OPENALLOCATIONINFO *info)
{
    const struct dxgk_allocation *allocation = opening->allocation;
    const struct dxgk_allocation_request *element =
        request->elements ? &request->elements[i] : NULL;

    info->hAllocation = opening->life.handle;
    info->pPrivateDriverData = element ? element->private_data : allocation->private_data;
    info->PrivateDriverDataSize = element ? element->private_size : allocation->private_size;
}

static NTSTATUS call_open(const struct dxgk_opening_request *request,
                          DXGK_OPENALLOCATIONINFO *infos)
{
    struct dxgk_device *device = request->device;
    const DXGKARG_OPENALLOCATION arguments = {
        .NumAllocations = request->count,
        .pOpenAllocation = infos,
        .pPrivateDriverData = (void *)request->private_data,
        .PrivateDriverSize = request->private_size,
        .Flags.Create = request->elements != NULL,
    };
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    NTSTATUS status;

    do {
        for (UINT i = 0; i < request->count; i++) {
            infos[i].hDeviceSpecificAllocation = NULL;
        }
        status = ddi_open_allocation(&device->adapter->ddi, device->driver_handle, &arguments,
                                     device->object);
    } while (dxgk_tries_again(status, &attempt));
    return NT_SUCCESS(status) && !openings_are_there(device, infos, request->count)
               ? STATUS_INVALID_HANDLE
               : status;
}

NTSTATUS dxgk_openings_make(const struct dxgk_opening_request *request,
                            struct dxgk_opening **openings)
{
    DXGK_OPENALLOCATIONINFO *infos =
        nt_memory_hand(request->count * sizeof *infos, "pOpenAllocation");
    struct dxgk_holding *holding = request->holding;
    bool joins = holding != NULL;
    if (request->resource && !joins) {
        holding = dxgk_holding_new(request->device, request->resource);
    }
    bool has_room = infos && (holding || !request->resource);
    NTSTATUS status = has_room ? STATUS_SUCCESS : STATUS_NO_MEMORY;
    UINT made = 0;

    CHECK_THAT(request->count > 0 && request->count <= DXGK_ALLOCATIONS_PER_CALL_MAX);
    for (; NT_SUCCESS(status) && made < request->count; made++) {
        openings[made] = new_opening(request, holding, made);
        if (!openings[made]) {
            status = STATUS_NO_MEMORY;
            break;
        }
        fill_info(request, made, openings[made], &infos[made]);
    }
    if (NT_SUCCESS(status)) {
        status = call_open(request, infos);
    }
    for (UINT i = 0; NT_SUCCESS(status) && i < made; i++) {
        openings[i]->driver_handle = infos[i].hDeviceSpecificAllocation;
    }
    if (!NT_SUCCESS(status)) {
        if (holding && !joins && made == 0) {
            dxgk_holding_empty(holding);
        }
        remove_openings(openings, made); /* the last one takes the holding along */
    }
    nt_memory_free(infos);
    return status;
}

void dxgk_openings_begin(struct dxgk_opening *const *openings, UINT count)
{
    struct dxgk_holding *holding = openings[0]->holding;

    if (holding && holding->life.state == LIFE_MADE) {
        life_begin(&holding->life);
        dxgk_handle_show(holding->life.handle);
    }
    for (UINT i = 0; i < count; i++) {
        life_begin(&openings[i]->life);
        dxgk_handle_show(openings[i]->life.handle);
    }
}

/* The resource's allocations as of now stay until they are opened: each has an opening more. */
static NTSTATUS open_inside(struct dxgk_device *device, struct dxgk_resource *resource,
                            struct dxgk_opening **openings, UINT *count)
{
    struct dxgk_allocation *allocations[DXGK_ALLOCATIONS_PER_CALL_MAX];
    const struct dxgk_opening_request request = {
        .device = device,
        .resource = resource,
        .allocations = allocations,
        .count = resource->allocation_count,
        .private_data = resource->private_data,
        .private_size = resource->private_size,
    };

    CHECK_THAT(request.count > 0 && request.count <= DXGK_ALLOCATIONS_PER_CALL_MAX);
    for (UINT i = 0; i < request.count; i++) {
        allocations[i] = resource->allocations[i];
        life_get(&allocations[i]->life);
    }
    NTSTATUS status = dxgk_openings_make(&request, openings);
    if (NT_SUCCESS(status)) {
        dxgk_openings_begin(openings, request.count);
        *count = request.count;
    } else {
        /* Others may have closed them meanwhile. */
        dxgk_allocations_drop(allocations, request.count, resource);
    }
    for (UINT i = 0; i < request.count; i++) {
        life_put(&allocations[i]->life);
    }
    return status;
}

NTSTATUS dxgk_resource_open(struct dxgk_device *device, struct dxgk_resource *resource,
                            struct dxgk_opening **openings, UINT *count)
{
    if (resource->life.state != LIFE_LIVING) {
        return STATUS_INVALID_HANDLE;
    }
    if (*count < resource->allocation_count) {
        *count = resource->allocation_count;
        return STATUS_BUFFER_TOO_SMALL;
    }
    if (!life_enter(&device->life)) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = open_inside(device, resource, openings, count);
    life_leave(&device->life);
    return status;
}

/* ---- Closing --------------------------------------------------------------------------------- */

static void unlock_all(struct dxgk_opening *opening)
{
    while (opening->lock_count > 0) {
        dxgk_opening_unlock(opening);
    }
}

/* Closes openings of one device, ended by the caller, that share a holding or have none, in one
 * call [ALLOC-021]; allocations that nobody has open any more go. May switch. */
static void close_openings(struct dxgk_opening *const *openings, UINT count)
{
    struct dxgk_allocation *targets[DXGK_ALLOCATIONS_PER_CALL_MAX];
    HANDLE handles[DXGK_ALLOCATIONS_PER_CALL_MAX];
    struct dxgk_device *device = openings[0]->device;
    struct dxgk_holding *holding = openings[0]->holding;
    struct dxgk_resource *resource = holding ? holding->resource : NULL;

    CHECK_THAT(count > 0 && count <= DXGK_ALLOCATIONS_PER_CALL_MAX);
    for (UINT i = 0; i < count; i++) {
        unlock_all(openings[i]); /* a packet or a call inside may wait for that */
    }
    for (UINT i = 0; i < count; i++) {
        CHECK_THAT(openings[i]->device == device && openings[i]->holding == holding);
        life_wait_unused(&openings[i]->life);
        unlock_all(openings[i]);
        dxgk_opening_drop_address(openings[i]);
        handles[i] = openings[i]->driver_handle;
        targets[i] = openings[i]->allocation;
        life_get(&targets[i]->life);
    }
    if (resource) {
        life_get(&resource->life);
    }
    const DXGKARG_CLOSEALLOCATION arguments = {.NumAllocations = count, .pOpenHandleList = handles};
    call_close(device, &arguments, targets[0]->object);
    remove_openings(openings, count);
    dxgk_allocations_drop(targets, count, resource);
    for (UINT i = 0; i < count; i++) {
        life_put(&targets[i]->life);
    }
    if (resource) {
        life_put(&resource->life);
    }
}

/* Ends the holding with those of its openings that live; it has no more than one call can make. */
static UINT end_openings_of(struct dxgk_holding *holding, struct dxgk_opening **openings)
{
    UINT count = dxgk_holding_openings(holding, openings, DXGK_ALLOCATIONS_PER_CALL_MAX);

    for (UINT i = 0; i < count; i++) {
        CHECK_THAT(life_end(&openings[i]->life));
    }
    dxgk_holding_end(holding);
    return count;
}

/* ---- Behind work that may use them ----------------------------------------------------------- */

/* Ended openings of one device that are closed when its submissions up to a number are done: which
 * allocations they use nobody knows [RES-006]. */
struct closing {
    struct dxgk_device *device; /* a reference */
    uint64_t behind;
    bool together; /* in one call of the driver: what is left of a holding */
    UINT count;
    struct dxgk_opening *openings[];
};

static void close_all_of(struct dxgk_opening *const *openings, UINT count, bool together)
{
    for (UINT i = 0; i < count; i += together ? count : 1) {
        close_openings(&openings[i], together ? count : 1);
    }
}

static void close_behind(void *argument)
{
    struct closing *closing = argument;

    dxgk_wait_submissions(closing->device, closing->behind);
    close_all_of(closing->openings, closing->count, closing->together);
    life_put(&closing->device->life);
    free(closing);
}

/* False: without memory. They stay on the device's list until then, and so does the device. */
static bool close_later(struct dxgk_opening *const *openings, UINT count, bool together)
{
    const struct task_options options = {.name = "destruction behind work"};
    struct dxgk_device *device = openings[0]->device;
    struct closing *closing = malloc(sizeof *closing + count * sizeof(struct dxgk_opening *));
    struct task *task;

    if (!closing) {
        return false;
    }
    *closing = (struct closing){.device = device,
                                .behind = device->residency.last_number,
                                .together = together,
                                .count = count};
    memcpy(closing->openings, openings, count * sizeof(struct dxgk_opening *));
    if (!NT_SUCCESS(task_create(&options, close_behind, closing, &task))) {
        free(closing);
        return false;
    }
    life_get(&device->life);
    task_put(task);
    return true;
}

/* Ended by the caller; none may be there. */
static void close_ended(struct dxgk_opening *const *openings, UINT count, bool together,
                        const struct dxgk_destruction *how)
{
    struct dxgk_device *device = count > 0 ? openings[0]->device : NULL;
    uint64_t behind = device ? device->residency.last_number : 0;

    if (device && !how->at_once && !dxgk_submissions_done(device, behind)) {
        if (!how->waits && close_later(openings, count, together)) {
            return;
        }
        dxgk_wait_submissions(device, behind);
    }
    close_all_of(openings, count, together);
}

static NTSTATUS may_end(const struct dxgk_device *device, struct dxgk_opening *const *openings,
                        UINT count)
{
    for (UINT i = 0; i < count; i++) {
        if (openings[i]->device != device || openings[i]->life.state != LIFE_LIVING) {
            return openings[i]->device != device ? STATUS_INVALID_PARAMETER : STATUS_INVALID_HANDLE;
        }
    }
    return dxgk_doorbells_hold(openings, count) ? STATUS_GRAPHICS_ALLOCATION_BUSY : STATUS_SUCCESS;
}

/* All are ended at once, or none. */
static NTSTATUS destroy_inside(const struct dxgk_device *device, const struct dxgk_destruction *how)
{
    struct dxgk_opening *own[DXGK_ALLOCATIONS_PER_CALL_MAX];
    UINT count = 0;
    NTSTATUS status = may_end(device, how->openings, how->count);

    if (NT_SUCCESS(status) && how->holding && how->holding->device != device) {
        return STATUS_INVALID_PARAMETER; /* a left one has no openings that tell */
    }
    if (NT_SUCCESS(status) && how->holding) {
        count = dxgk_holding_openings(how->holding, own, DXGK_ALLOCATIONS_PER_CALL_MAX);
        status = how->holding->life.state == LIFE_LIVING ? may_end(device, own, count)
                                                         : STATUS_INVALID_HANDLE;
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    for (UINT i = 0; i < how->count; i++) {
        CHECK_THAT(life_end(&how->openings[i]->life)); /* the list names none twice */
    }
    if (how->holding && !dxgk_holding_drop_left(how->holding)) {
        count = end_openings_of(how->holding, own);
    }
    close_ended(how->openings, how->count, false, how);
    close_ended(own, count, true, how);
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_allocations_destroy(struct dxgk_device *device, const struct dxgk_destruction *how)
{
    if (!life_enter(&device->life)) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = destroy_inside(device, how);

    life_leave(&device->life);
    return status;
}

void dxgk_openings_close_all(struct dxgk_device *device)
{
    struct dxgk_opening *own[DXGK_ALLOCATIONS_PER_CALL_MAX];
    struct dxgk_life *life;

    while ((life = life_living(&device->openings)) != NULL) {
        own[0] = container_of(life, struct dxgk_opening, life);
        UINT count = own[0]->holding ? end_openings_of(own[0]->holding, own) : (UINT)life_end(life);
        CHECK_THAT(count > 0);
        close_openings(own, count);
    }
}

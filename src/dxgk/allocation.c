/* Making allocations: the driver creates them, vidmm places them, and their device opens them. What
 * one call makes is there as a whole or not at all [ALLOC-002]. */
#include "dxgk/resource.h"
#include "dxgk/spoil.h"
#include "dxgk/work.h"

#include <stdlib.h>
#include <string.h>

#define WORDS_CHANGED 3 /* of private data, one after the other, where it is spoiled */

/* A packet that names it begins or ends. */
void dxgk_allocation_packet(struct dxgk_allocation *allocation, int step, bool write)
{
    CHECK_THAT(step > 0 || allocation->packet_count > 0);
    allocation->packet_count += (unsigned)step;
    allocation->uses += step > 0;
    allocation->write_count += write ? (unsigned)step : 0;
    CHECK_THAT(allocation->write_count <= allocation->packet_count);
    if (allocation->packet_count == 0) {
        wait_queue_wake(&allocation->idle, UINT_MAX);
    }
}

/* ---- Creating -------------------------------------------------------------------------------- */

struct creation {
    struct dxgk_device *device;
    const struct dxgk_allocations_request *request;
    DXGK_ALLOCATIONINFO *infos;
    struct dxgk_allocation **allocations;
    struct dxgk_resource *resource; /* a new one, or NULL */
    struct dxgk_holding *holding;   /* of the resource, once that is opened; or of an older one */
    struct dxgk_opening *pin;       /* of that: while the call is inside it stays */
};

/* What the allocations belong to, or NULL. */
static struct dxgk_resource *resource_of(const struct creation *creation)
{
    return creation->pin ? creation->holding->resource : creation->resource;
}

static void free_creation(struct creation *creation)
{
    nt_memory_free(creation->infos);
    free(creation->allocations);
}

static void free_allocation(struct dxgk_life *life)
{
    struct dxgk_allocation *allocation = container_of(life, struct dxgk_allocation, life);

    CHECK_THAT(allocation->opening_count == 0 && allocation->packet_count == 0);
    vidmm_allocation_fini(&allocation->memory);
    dxgk_memory_changed(allocation->adapter);
    if (allocation->section) {
        dxgk_section_put(allocation->section);
    }
    nt_memory_free(allocation->private_data);
    if (allocation->object) {
        record_object_dead(allocation->object, OBJECT_ALLOCATION);
    }
    free(allocation);
}

/* With room for the private data, for those who open it later. */
static struct dxgk_allocation *new_allocation(struct dxgk_device *device, UINT private_size)
{
    struct dxgk_allocation *allocation = calloc(1, sizeof *allocation);

    if (!allocation) {
        return NULL;
    }
    life_init(&allocation->life, DXGK_KIND_ALLOCATION, free_allocation);
    allocation->adapter = device->adapter;
    list_init(&allocation->owner_link);
    wait_queue_init(&allocation->idle);
    allocation->private_size = private_size;
    allocation->private_data = nt_memory_hand(private_size, "the private data of an allocation");
    if (!allocation->private_data) {
        life_put(&allocation->life);
        return NULL;
    }
    return allocation;
}

static NTSTATUS prepare_creation(struct creation *creation)
{
    const struct dxgk_allocations_request *request = creation->request;

    creation->infos = nt_memory_hand(request->count * sizeof *creation->infos, "pAllocationInfo");
    creation->allocations = calloc(request->count, sizeof *creation->allocations);
    if (!creation->infos || !creation->allocations) {
        return STATUS_NO_MEMORY;
    }
    for (UINT i = 0; i < request->count; i++) {
        const struct dxgk_allocation_request *element = &request->elements[i];
        creation->infos[i].pPrivateDriverData = element->private_data;
        creation->infos[i].PrivateDriverDataSize = element->private_size;
        creation->allocations[i] = new_allocation(creation->device, element->private_size);
        if (!creation->allocations[i]) {
            return STATUS_NO_MEMORY;
        }
    }
    return request->make_resource
               ? dxgk_resource_new(creation->device->adapter, request, &creation->resource)
               : STATUS_SUCCESS;
}

/* What a driver may change before it fails, one behind the other: the infos, their private data. */
static size_t copy_changeable(struct creation *creation, uint8_t *copy, bool back)
{
    size_t used = creation->request->count * sizeof *creation->infos;

    if (copy) {
        memcpy(back ? (void *)creation->infos : copy, back ? copy : (void *)creation->infos, used);
    }
    for (UINT i = 0; i < creation->request->count; i++) {
        const struct dxgk_allocation_request *element = &creation->request->elements[i];
        if (copy && element->private_size > 0) {
            memcpy(back ? element->private_data : copy + used,
                   back ? copy + used : element->private_data, element->private_size);
        }
        used += element->private_size;
    }
    return used;
}

/* Asked again, the driver finds what it found at first. */
static NTSTATUS ask_until_enough_memory(struct creation *creation,
                                        DXGKARG_CREATEALLOCATION *arguments)
{
    struct dxgk_adapter *adapter = creation->device->adapter;
    const DXGKARG_CREATEALLOCATION asked = *arguments;
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    uint8_t *copy = NULL;
    NTSTATUS status;

    if (vary_on(VARY_SHORT_MEMORY) &&
        (copy = malloc(copy_changeable(creation, NULL, false))) != NULL) {
        copy_changeable(creation, copy, false);
    }
    while (status = ddi_create_allocation(&adapter->ddi, adapter->ddi.miniport_context, arguments,
                                          creation->device->object),
           copy && dxgk_tries_again(status, &attempt)) {
        *arguments = asked;
        copy_changeable(creation, copy, true);
    }
    free(copy);
    return status;
}

/* Those that come to a resource belong to it as those that came with it. */
static NTSTATUS call_create(struct creation *creation)
{
    struct dxgk_resource *resource = resource_of(creation);
    DXGKARG_CREATEALLOCATION arguments = {
        .pPrivateDriverData = creation->request->private_data,
        .PrivateDriverDataSize = creation->request->private_size,
        .NumAllocations = creation->request->count,
        .pAllocationInfo = creation->infos,
        .hResource = resource ? resource->driver_handle : NULL,
        .Flags.Resource = resource != NULL,
    };

    NTSTATUS status = ask_until_enough_memory(creation, &arguments);
    if (NT_SUCCESS(status) && resource) {
        resource->driver_handle = arguments.hResource; /* may be changed [ALLOC-015] */
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
    for (UINT i = 0; i < creation->request->count; i++) {
        if (!creation->infos[i].hAllocation) {
            return false; /* [ALLOC-003] */
        }
    }
    return true;
}

static void fill_allocation(struct creation *creation, UINT i)
{
    struct dxgk_allocation *allocation = creation->allocations[i];
    const struct dxgk_allocation_request *request = &creation->request->elements[i];

    allocation->info = creation->infos[i];
    if (allocation->adapter->features.wddm2) {
        allocation->wants_view = allocation->adapter->features.aperture_views &&
                                 allocation->info.FlagsWddm2.MapApertureCpuVisible;
        forget_old_flags(&allocation->info.Flags);
    }
    allocation->driver_handle = creation->infos[i].hAllocation;
    allocation->primary = request->primary;
    allocation->standard = request->standard;
    allocation->stereo = request->stereo;
    allocation->source = request->source;
    allocation->object = record_object_new(OBJECT_ALLOCATION, creation->device->object);
}

static void call_destroy(struct creation *creation, UINT i, struct dxgk_resource *resource)
{
    struct dxgk_adapter *adapter = creation->device->adapter;
    const HANDLE handle = creation->infos[i].hAllocation;
    const DXGKARG_DESTROYALLOCATION arguments = {
        .NumAllocations = 1,
        .pAllocationList = &handle,
        .hResource = resource ? resource->driver_handle : NULL,
        .Flags.DestroyResource = resource != NULL,
    };

    ddi_destroy_allocation(&adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
}

static void undo_creation(struct creation *creation, bool driver_has_them)
{
    UINT count = creation->request->count;

    for (UINT i = 0; driver_has_them && i < count; i++) {
        if (creation->infos[i].hAllocation) {
            call_destroy(creation, i, i + 1 == count ? creation->resource : NULL);
        }
    }
    for (UINT i = 0; creation->allocations && i < count; i++) {
        if (creation->allocations[i]) {
            life_put(&creation->allocations[i]->life);
        }
    }
    if (creation->resource) {
        dxgk_resource_drop(creation->resource);
    }
    free_creation(creation);
}

static NTSTATUS place_all(struct creation *creation)
{
    NTSTATUS status = STATUS_SUCCESS;

    for (UINT i = 0; NT_SUCCESS(status) && i < creation->request->count; i++) {
        fill_allocation(creation, i);
        status = dxgk_allocation_place(creation->allocations[i], creation->device,
                                       &creation->request->elements[i]);
    }
    return status;
}

/* From here on clients find them, and their device owns them. Cannot fail. */
static void commit_creation(struct creation *creation, struct dxgk_opening *const *openings)
{
    const struct dxgk_allocations_request *request = creation->request;
    struct dxgk_device *device = creation->device;

    for (UINT i = 0; i < request->count; i++) {
        struct dxgk_allocation *allocation = creation->allocations[i];
        const void *data = request->elements[i].private_data;
        memcpy(allocation->private_data, data ? data : "", request->elements[i].private_size);
        if (allocation->primary) {
            dxgk_primary_judge(allocation);
        }
        allocation->owner = device;
        list_push_back(&device->allocations, &allocation->owner_link);
        life_begin(&allocation->life);
        request->elements[i].opening = openings[i];
    }
    if (creation->resource) {
        dxgk_resource_begin(creation->resource, creation->allocations, request->count);
    } else if (creation->pin) {
        dxgk_resource_add(resource_of(creation), creation->allocations, request->count);
    }
    dxgk_openings_begin(openings, request->count);
    creation->holding = dxgk_opening_holding(openings[0]);
}

static NTSTATUS create_inside(struct creation *creation)
{
    const struct dxgk_allocations_request *request = creation->request;
    struct dxgk_opening *openings[DXGK_ALLOCATIONS_PER_CALL_MAX];
    NTSTATUS status = prepare_creation(creation);

    if (NT_SUCCESS(status)) {
        status = call_create(creation);
    }
    if (!NT_SUCCESS(status)) {
        undo_creation(creation, false);
        return status;
    }
    status = handles_are_there(creation) ? place_all(creation) : STATUS_INVALID_HANDLE;
    if (NT_SUCCESS(status)) {
        const struct dxgk_opening_request opening = {
            .device = creation->device,
            .resource = resource_of(creation),
            .holding = creation->pin ? creation->holding : NULL,
            .allocations = creation->allocations,
            .count = request->count,
            .elements = request->elements,
            .private_data = request->private_data,
            .private_size = request->private_size,
        };
        status = dxgk_openings_make(&opening, openings);
    }
    if (!NT_SUCCESS(status)) {
        undo_creation(creation, true);
        return status;
    }
    commit_creation(creation, openings);
    free_creation(creation);
    return STATUS_SUCCESS;
}

/* Before what a client asks for: its first, together with one whose private data is spoiled. A
 * driver may take them or not; nothing of them stays [ALLOC-002]. */
static void create_spoiled(struct dxgk_device *device,
                           const struct dxgk_allocations_request *request,
                           void *(*spoil)(const void *data, UINT *size))
{
    struct dxgk_allocation_request elements[] = {request->elements[0], request->elements[0]};
    struct dxgk_allocations_request spoiled = *request;
    struct creation creation = {.device = device, .request = &spoiled};
    UINT size = elements[0].private_size;
    void *copy = nt_memory_hand(size, "a client's private data");

    if (!copy) {
        return;
    }
    memcpy(copy, size ? elements[0].private_data : "", size);
    elements[0].private_data = copy;
    elements[1].private_data = spoil(copy, &elements[1].private_size);
    spoiled.elements = elements;
    spoiled.count = 2;
    NTSTATUS status = prepare_creation(&creation);
    if (NT_SUCCESS(status)) {
        status = call_create(&creation);
    }
    undo_creation(&creation, NT_SUCCESS(status));
    nt_memory_free(elements[1].private_data);
    nt_memory_free(copy);
}

/* A client that has memory and a context may send anything; that of a driver whose commands nobody
 * here knows sends nothing else. */
static void send_noise(struct dxgk_device *device)
{
    struct dxgk_context *context = device->process ? dxgk_device_first_context(device) : NULL;

    if (context && vary_happens(VARY_BAD_COMMANDS, 3)) {
        life_get(&context->life);
        dxgk_render_noise(context);
        dxgk_context_beside(context);
        life_put(&context->life);
    }
}

/* One that lives keeps the holding and its resource while the call is inside: who destroys them
 * waits, and what comes after that stays on its own. NULL: there is none. */
static struct dxgk_opening *pin_holding(const struct dxgk_holding *holding)
{
    struct dxgk_opening *opening;

    return dxgk_holding_openings(holding, &opening, 1) == 1 && life_enter(&opening->life) ? opening
                                                                                          : NULL;
}

static NTSTATUS create_for_holding(struct creation *creation)
{
    struct dxgk_resource *resource = creation->request->holding->resource;
    UINT count = creation->request->count;
    bool is_left = creation->request->holding->opening_count == 0;
    NTSTATUS status = is_left ? STATUS_INVALID_PARAMETER : dxgk_resource_expect(resource, count);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    creation->holding = creation->request->holding;
    creation->pin = pin_holding(creation->holding);
    status = creation->pin ? create_inside(creation) : STATUS_INVALID_HANDLE;
    if (!NT_SUCCESS(status)) {
        dxgk_resource_add(resource, NULL, count);
    }
    if (creation->pin) {
        life_leave(&creation->pin->life);
    }
    return status;
}

/* A holding that the call made goes along: no client was told of it. */
static void end_made(struct dxgk_device *device, const struct dxgk_allocations_request *request,
                     struct dxgk_holding *made)
{
    if (made && made->life.state == LIFE_LIVING) {
        dxgk_holding_end(made);
        (void)dxgk_holding_drop_left(made); /* or it goes with its last opening */
    }
    for (UINT i = 0; i < request->count; i++) {
        struct dxgk_opening *opening = request->elements[i].opening;
        if (opening->life.state == LIFE_LIVING) {
            (void)dxgk_allocations_destroy(
                device, &(struct dxgk_destruction){.openings = &opening, .count = 1});
        }
    }
}

/* With addresses that are the CPU's. Where there is no memory for that they are there without. */
static void share_addresses(struct dxgk_device *device,
                            const struct dxgk_allocations_request *request)
{
    for (UINT i = 0; device->adapter->mmu.shared && device->process && i < request->count; i++) {
        struct dxgk_opening *opening = request->elements[i].opening;
        if (!life_enter(&opening->life)) {
            continue; /* somebody guessed its handle */
        }
        if (!NT_SUCCESS(dxgk_iommu_share(opening->allocation, &device->process->space))) {
            record_count("memory.not_shared", 1);
        }
        life_leave(&opening->life);
    }
}

/* What comes behind the creation may switch, and another thread that guesses a handle destroy what
 * was made: then nothing of it stays. The caller, who does not switch, finds all of it living. */
static NTSTATUS follow_up(struct dxgk_device *device,
                          const struct dxgk_allocations_request *request, struct dxgk_holding *made)
{
    bool living = true;

    if (made) {
        life_get(&made->life);
    }
    for (UINT i = 0; i < request->count; i++) {
        life_get(&request->elements[i].opening->life);
    }
    share_addresses(device, request);
    send_noise(device);
    for (UINT i = 0; i < request->count; i++) {
        living = living && request->elements[i].opening->life.state == LIFE_LIVING;
    }
    if (!living) {
        end_made(device, request, made);
    }
    for (UINT i = 0; i < request->count; i++) {
        life_put(&request->elements[i].opening->life);
    }
    if (made) {
        life_put(&made->life);
    }
    return living ? STATUS_SUCCESS : STATUS_INVALID_HANDLE;
}

NTSTATUS dxgk_allocations_create(struct dxgk_device *device,
                                 const struct dxgk_allocations_request *request,
                                 struct dxgk_holding **holding)
{
    struct creation creation = {.device = device, .request = request};

    *holding = NULL;
    if (request->count == 0 || request->count > DXGK_ALLOCATIONS_PER_CALL_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    if (device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    if (!life_enter(&device->life)) {
        return STATUS_INVALID_HANDLE;
    }
    if (vary_happens(VARY_BAD_PRIVATE_DATA, 4)) {
        create_spoiled(device, request, dxgk_spoiled);
        for (unsigned i = 0; i < WORDS_CHANGED; i++) {
            create_spoiled(device, request, dxgk_word_changed);
        }
    }
    NTSTATUS status = request->holding ? create_for_holding(&creation) : create_inside(&creation);
    if (NT_SUCCESS(status)) {
        status = follow_up(device, request, request->holding ? NULL : creation.holding);
    }
    *holding = NT_SUCCESS(status) ? creation.holding : NULL;
    life_leave(&device->life);
    return status;
}

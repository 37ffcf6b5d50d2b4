/* Devices, contexts, allocations, openings and resources, by the handles that the driver chose. */
#include "contract/tracker.h"

#include <stdlib.h>

#include "base/check.h"
#include "contract/internal.h"
#include "machine/machine.h"

/* No list is longer than what a driver can be given. */
#define LISTED_MAX              65536
#define LISTED_WITHOUT_PATCHING 16

static void free_object(struct contract_object *object)
{
    free(object->listed);
    free(object->validated);
    free(object);
}

void track_objects_fini(struct contract_tracker *tracker)
{
    struct contract_object *object, *next;
    struct contract_name *name, *next_name;

    HASH_ITER(hh, tracker->objects, object, next)
    {
        HASH_DEL(tracker->objects, object);
        free_object(object);
    }
    HASH_ITER(hh, tracker->names, name, next_name)
    {
        HASH_DEL(tracker->names, name);
        free(name);
    }
}

/* A call looks the same few objects up for many of its rows. */
static struct contract_found *found_of(struct contract_tracker *tracker,
                                       enum contract_object_kind kind, HANDLE handle)
{
    uintptr_t number = (uintptr_t)handle;

    return &tracker
                ->found[(number >> 4 ^ number >> 8 ^ number >> 12 ^ kind) % CONTRACT_FOUND_COUNT];
}

/* The key has another object now, or none. */
static void forget_found(struct contract_tracker *tracker, const struct contract_object *object)
{
    *found_of(tracker, (enum contract_object_kind)object->key.kind, object->key.handle) =
        (struct contract_found){0};
}

static __attribute__((noinline)) void look_up(struct contract_tracker *tracker,
                                              struct contract_found *found,
                                              enum contract_object_kind kind, HANDLE handle)
{
    const struct contract_object_key key = {handle, kind};

    *found = (struct contract_found){handle, kind + UINT64_C(1), NULL};
    HASH_FIND(hh, tracker->objects, &key, sizeof key, found->object);
}

struct contract_object *contract_object_find(struct contract_tracker *tracker,
                                             enum contract_object_kind kind, HANDLE handle)
{
    struct contract_found *found = found_of(tracker, kind, handle);

    if (__builtin_expect(found->handle != handle || found->kind_and_one != kind + UINT64_C(1), 0)) {
        look_up(tracker, found, kind, handle);
    }
    tracker->met_mixed_up |= found->object && found->object->mixed_up;
    return found->object;
}

struct contract_object *contract_context_find(struct contract_tracker *tracker, HANDLE handle)
{
    struct contract_object *context = contract_object_find(tracker, TRACKED_CONTEXT, handle);

    return context ? context : contract_object_find(tracker, TRACKED_DEVICE, handle);
}

/* A second object of that handle, of a device that may be another one: whose child goes with the
 * handle is not known any more. */
static void mix_up(struct contract_tracker *tracker, struct contract_object *object,
                   struct contract_object *device)
{
    struct contract_object *first = contract_object_find(tracker, TRACKED_DEVICE, object->parent);

    object->mixed_up = true;
    if (first && device && first != device) {
        first->mixed_up = device->mixed_up = true;
    }
}

/* The kernel ends a device's children before it ends the device. What has no handle is never
 * destroyed [CTX-003, ALLOC-017], nor what a driver registered nothing to destroy with. */
static bool is_ended_by_the_driver(const struct contract_tracker *tracker,
                                   enum contract_object_kind kind)
{
    return tracker->has[kind == TRACKED_CONTEXT      ? POINT_DestroyContext
                        : kind == TRACKED_HW_CONTEXT ? POINT_DestroyHwContext
                                                     : POINT_CloseAllocation];
}

struct contract_object *contract_object_add(struct contract_tracker *tracker,
                                            enum contract_object_kind kind, HANDLE handle,
                                            HANDLE parent)
{
    struct contract_object *object = contract_object_find(tracker, kind, handle);
    struct contract_object *device =
        parent ? contract_object_find(tracker, TRACKED_DEVICE, parent) : NULL;

    if (!object) {
        object = calloc(1, sizeof *object);
        CHECK_THAT(object);
        object->key = (struct contract_object_key){handle, kind};
        object->parent = parent;
        HASH_ADD(hh, tracker->objects, key, sizeof object->key, object);
        forget_found(tracker, object);
    }
    object->count++;
    if (object->count > 1 && handle && kind != TRACKED_RESOURCE) {
        mix_up(tracker, object, device);
    }
    if (device && handle && is_ended_by_the_driver(tracker, kind)) {
        device->child_count++;
    }
    return object;
}

void contract_object_drop(struct contract_tracker *tracker, enum contract_object_kind kind,
                          HANDLE handle)
{
    struct contract_object *object = contract_object_find(tracker, kind, handle);

    if (!object) {
        return; /* the rows of the DDI say so */
    }
    struct contract_object *device = contract_object_find(tracker, TRACKED_DEVICE, object->parent);
    if (device && handle && device->child_count > 0) {
        device->child_count--;
    }
    if (--object->count == 0) {
        forget_found(tracker, object);
        HASH_DEL(tracker->objects, object);
        free_object(object);
    }
}

/* ---- Processes ------------------------------------------------------------------------------- */

void track_create_process(struct contract_call *call)
{
    const DXGKARG_CREATEPROCESS *arguments = call->arguments, *before = call->before;
    struct contract_object *process =
        contract_object_add(call->tracker, TRACKED_PROCESS, arguments->hKmdProcess, NULL);

    process->named = before->hDxgkProcess;
    process->system |= before->Flags.SystemProcess;
    process->pasid = before->NumPasid > 0 && before->pPasid ? before->pPasid[0] : 0;
    if (before->Flags.SystemProcess) {
        call->tracker->system_process = arguments->hKmdProcess;
    }
}

void track_destroy_process(struct contract_call *call)
{
    contract_object_drop(call->tracker, TRACKED_PROCESS, call->first);
    track_end_tables(call->tracker, call->first);
}

static void count_device(struct contract_tracker *tracker, HANDLE process, int step)
{
    struct contract_object *object = contract_object_find(tracker, TRACKED_PROCESS, process);

    if (object && (step > 0 || object->child_count > 0)) {
        object->child_count += (unsigned)step;
    }
}

/* ---- Devices and contexts ---------------------------------------------------------------------
 */

/* Room for the lists that the driver asked for, so that rendering allocates nothing. */
static void take_info(struct contract_object *context, const DXGK_CONTEXTINFO *info)
{
    UINT count;

    free(context->listed);
    context->info = *info;
    if (info->Caps.NoPatchingRequired) { /* whatever it asked for [CTX-010, CTX-014] */
        context->info.PatchLocationListSize = 0;
        context->info.AllocationListSize = LISTED_WITHOUT_PATCHING;
    }
    count = context->info.AllocationListSize < LISTED_MAX ? context->info.AllocationListSize
                                                          : LISTED_MAX;
    context->listed = calloc(count ? count : 1, sizeof *context->listed);
    CHECK_THAT(context->listed);
    context->listed_max = count;
    context->listed_count = 0;
}

HANDLE contract_listed(const struct contract_call *call, UINT index)
{
    const struct contract_object *context = contract_context_find(call->tracker, call->first);

    return context && index < context->listed_count ? context->listed[index] : NULL;
}

void track_create_device(struct contract_call *call)
{
    const DXGKARG_CREATEDEVICE *arguments = call->arguments, *before = call->before;
    struct contract_object *device =
        contract_object_add(call->tracker, TRACKED_DEVICE, arguments->hDevice, NULL);

    if (call->tracker->has[POINT_CreateProcess]) {
        device->process = before->hKmdProcess;
        count_device(call->tracker, device->process, 1);
    }
    if (!call->tracker->caps.SchedulingCaps.MultiEngineAware && before->pInfo) {
        const DXGK_DEVICEINFO *info = before->pInfo;
        const DXGK_CONTEXTINFO as_context = {
            .DmaBufferSize = info->DmaBufferSize,
            .DmaBufferSegmentSet = info->DmaBufferSegmentSet,
            .DmaBufferPrivateDataSize = info->DmaBufferPrivateDataSize,
            .AllocationListSize = info->AllocationListSize,
            .PatchLocationListSize = info->PatchLocationListSize,
        };
        take_info(device, &as_context);
        device->guaranteed = info->Flags.GuaranteedDmaBufferContract;
    }
}

void track_destroy_device(struct contract_call *call)
{
    const struct contract_object *device =
        contract_object_find(call->tracker, TRACKED_DEVICE, call->first);

    if (device && call->tracker->has[POINT_CreateProcess]) {
        count_device(call->tracker, device->process, -1);
    }
    contract_object_drop(call->tracker, TRACKED_DEVICE, call->first);
}

void track_create_context(struct contract_call *call)
{
    const DXGKARG_CREATECONTEXT *arguments = call->arguments, *before = call->before;
    struct contract_object *context =
        contract_object_add(call->tracker, TRACKED_CONTEXT, arguments->hContext, call->first);

    context->node = before->NodeOrdinal;
    context->system = before->Flags.SystemContext;
    context->virtual_addresses = before->Flags.VirtualAddressing;
    context->has_root = false;
    take_info(context, &arguments->ContextInfo);
    if (contract_is_wddm2(call->tracker) && !context->system &&
        arguments->ContextInfo.PagingCompanionNodeId < 64) {
        call->tracker->companion_nodes |= UINT64_C(1)
                                          << arguments->ContextInfo.PagingCompanionNodeId;
    }
}

/* Its root table, from now on. */
void track_set_root(struct contract_call *call)
{
    const DXGKARG_SETROOTPAGETABLE *root = call->arguments;
    struct contract_object *context = contract_rooted_find(call->tracker, root->hContext);

    if (context) {
        context->has_root = true;
        context->root = root->Address;
    }
}

void track_destroy_context(struct contract_call *call)
{
    contract_object_drop(call->tracker, TRACKED_CONTEXT, call->first);
    track_forget_presents(call->tracker, call->first);
}

/* ---- Allocations ----------------------------------------------------------------------------- */

void track_create_allocation(struct contract_call *call)
{
    const DXGKARG_CREATEALLOCATION *arguments = call->arguments;
    const DXGKARG_CREATEALLOCATION *before = call->before;

    for (UINT i = 0; i < before->NumAllocations; i++) {
        const DXGK_ALLOCATIONINFO *info = &before->pAllocationInfo[i];
        struct contract_object *allocation =
            contract_object_add(call->tracker, TRACKED_ALLOCATION, info->hAllocation, NULL);
        allocation->size = info->Size;
        allocation->alignment = info->Alignment;
        allocation->captures = info->Flags.Capture;
        allocation->aperture_view =
            call->tracker->features.address_lists && info->FlagsWddm2.MapApertureCpuVisible;
        allocation->wants_residency = call->tracker->features.residency_flags &&
                                      info->FlagsWddm2.ExplicitResidencyNotification &&
                                      info->FlagsWddm2.AccessedPhysically;
        allocation->wants_eviction =
            call->tracker->features.eviction_notices && info->Flags2.NotifyEviction;
        allocation->wants_unmap =
            call->tracker->features.iommu_addresses && info->Flags2.NotifyIoMmuUnmap;
    }
    if (before->Flags.Resource && !before->hResource) {
        contract_object_add(call->tracker, TRACKED_RESOURCE, arguments->hResource, NULL);
    } else if (before->Flags.Resource && arguments->hResource != before->hResource) {
        contract_object_drop(call->tracker, TRACKED_RESOURCE,
                             before->hResource); /* it may be changed */
        contract_object_add(call->tracker, TRACKED_RESOURCE, arguments->hResource, NULL);
    }
}

void track_destroy_allocation(struct contract_call *call)
{
    const DXGKARG_DESTROYALLOCATION *arguments = call->arguments;

    for (UINT i = 0; i < arguments->NumAllocations; i++) {
        contract_object_drop(call->tracker, TRACKED_ALLOCATION, arguments->pAllocationList[i]);
    }
    if (arguments->Flags.DestroyResource) {
        contract_object_drop(call->tracker, TRACKED_RESOURCE, arguments->hResource);
    }
}

/* Apertures alone, CpuVisible and Protected: the CPU sees it [INITCTX-005]. */
static bool is_seen_by_cpu(const struct contract_tracker *tracker,
                           const DXGKARGCB_CREATECONTEXTALLOCATION *request)
{
    for (UINT i = 1; i <= tracker->segment_count; i++) {
        if (request->SupportedSegmentSet >> (i - 1) & 1 &&
            !contract_is_aperture(&tracker->segments[i])) {
            return false;
        }
    }
    return request->Flags.CpuVisible && request->Flags.Protected;
}

/* Paging operations name it by hDriverAllocation, as they do other allocations. */
void track_create_context_allocation(struct contract_call *call)
{
    const DXGKARGCB_CREATECONTEXTALLOCATION *request = call->arguments;
    struct contract_object *allocation =
        contract_object_add(call->tracker, TRACKED_ALLOCATION, request->hDriverAllocation, NULL);

    allocation->size = request->Size;
    allocation->alignment = request->Alignment;
    allocation->kernel_handle = request->hAllocation;
    allocation->initialised = false;
    allocation->seen_by_cpu = is_seen_by_cpu(call->tracker, request);
}

void track_destroy_context_allocation(struct contract_call *call)
{
    const HANDLE *handle = call->arguments;
    struct contract_object *object, *next;

    HASH_ITER(hh, call->tracker->objects, object, next)
    {
        if (object->key.kind == TRACKED_ALLOCATION && object->kernel_handle == *handle) {
            contract_object_drop(call->tracker, TRACKED_ALLOCATION, object->key.handle);
            return;
        }
    }
}

/* Before the kernel sees it: the operation comes while the callback lasts. */
void track_update_context_allocation(struct contract_call *call)
{
    const DXGKARGCB_UPDATECONTEXTALLOCATION *request = call->arguments;
    struct contract_tracker *tracker = call->tracker;
    struct contract_object *object, *next, *memory = NULL;

    HASH_ITER(hh, tracker->objects, object, next)
    {
        if (object->key.kind == TRACKED_ALLOCATION && object->kernel_handle &&
            object->kernel_handle == request->hAllocation) {
            memory = object;
        }
    }
    tracker->updates_lost |= !memory; /* two may have one name, or none: which it is nobody knows */
    if (!memory || request->PrivateDriverDataSize > CONTRACT_UPDATE_BYTES_MAX ||
        (request->PrivateDriverDataSize > 0 && !request->pPrivateDriverData)) {
        return;
    }
    struct contract_update *update =
        &tracker->updates[tracker->update_count % CONTRACT_UPDATES_MAX];
    tracker->updates_lost |= tracker->update_count >= CONTRACT_UPDATES_MAX && !update->told;
    tracker->update_count++;
    *update = (struct contract_update){
        .hash = contract_hash_on(0, request->pPrivateDriverData, request->PrivateDriverDataSize),
        .size = align_up(memory->size, MACHINE_PAGE_SIZE),
        .bytes = request->PrivateDriverDataSize,
    };
}

struct contract_found_update
contract_find_update(struct contract_tracker *tracker,
                     const DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION *operation)
{
    unsigned first = tracker->update_count > CONTRACT_UPDATES_MAX
                         ? tracker->update_count - CONTRACT_UPDATES_MAX
                         : 0;
    uint64_t hash =
        operation->pDriverPrivateData
            ? contract_hash_on(0, operation->pDriverPrivateData, operation->DriverPrivateDataSize)
            : 0;
    struct contract_found_update found = {0};

    for (unsigned i = first; i < tracker->update_count && !found.same_size; i++) {
        struct contract_update *update = &tracker->updates[i % CONTRACT_UPDATES_MAX];
        bool same_data = update->bytes == operation->DriverPrivateDataSize &&
                         (update->bytes == 0 || update->hash == hash);
        bool same_size = same_data && update->size == operation->ContextAllocationSize;
        if (!update->told && (!found.update || (same_data && !found.same_data) || same_size)) {
            found = (struct contract_found_update){update, same_data, same_size};
        }
    }
    return found;
}

void track_context_update(struct contract_tracker *tracker,
                          const DXGKARG_BUILDPAGINGBUFFER *operation)
{
    if (operation->Operation == DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION) {
        struct contract_found_update found =
            contract_find_update(tracker, &operation->UpdateContextAllocation);
        if (found.same_data) {
            found.update->told = true;
        }
    }
}

/* What they were given may be lost: it may come again. */
void track_reset_context_allocations(struct contract_tracker *tracker)
{
    struct contract_object *object, *next;

    HASH_ITER(hh, tracker->objects, object, next)
    {
        object->initialised = object->told_resident = false;
        object->notice_next = object->part_next = object->mmu_pages = 0;
    }
}

static struct contract_name *name_find(const struct contract_tracker *tracker, D3DKMT_HANDLE handle)
{
    struct contract_name *name = NULL;

    HASH_FIND(hh, tracker->names, &handle, sizeof handle, name);
    return name;
}

HANDLE contract_asked_for(const struct contract_tracker *tracker, D3DKMT_HANDLE handle)
{
    const struct contract_name *name = name_find(tracker, handle);

    return name ? name->allocation : NULL;
}

/* Which allocation an opening is of shows only in what the driver is told when it asks. */
void track_begin_open(struct contract_call *call)
{
    const DXGKARG_OPENALLOCATION *open = call->arguments;
    struct contract_tracker *tracker = call->tracker;

    call->kept.hashes.request = contract_hash_private_places(open);
    for (UINT i = 0; i < open->NumAllocations; i++) {
        D3DKMT_HANDLE handle = open->pOpenAllocation[i].hAllocation;
        struct contract_name *name = name_find(tracker, handle);
        if (!name) {
            name = calloc(1, sizeof *name);
            CHECK_THAT(name);
            name->kernel_handle = handle;
            HASH_ADD(hh, tracker->names, kernel_handle, sizeof name->kernel_handle, name);
        }
        name->allocation = NULL;
    }
}

void track_handle_data(struct contract_call *call)
{
    const DXGKARGCB_GETHANDLEDATA *asked = call->arguments;
    void *const *answer = call->extra;
    struct contract_name *name = name_find(call->tracker, asked->hObject);

    if (name && asked->Type == DXGK_HANDLE_ALLOCATION && !asked->Flags.DeviceSpecific) {
        name->allocation = *answer;
    }
}

uint64_t contract_hash_private_places(const DXGKARG_OPENALLOCATION *open)
{
    uint64_t hash = open->NumAllocations;

    for (UINT i = 0; i < open->NumAllocations; i++) {
        const DXGK_OPENALLOCATIONINFO *info = &open->pOpenAllocation[i];
        hash = contract_hash_on(hash, &info->pPrivateDriverData, sizeof info->pPrivateDriverData);
        hash = contract_hash_on(hash, &info->PrivateDriverDataSize,
                                sizeof info->PrivateDriverDataSize);
    }
    return hash;
}

void track_end_open(struct contract_call *call)
{
    const DXGKARG_OPENALLOCATION *before = call->before;
    struct contract_tracker *tracker = call->tracker;

    for (UINT i = 0; i < before->NumAllocations; i++) {
        const DXGK_OPENALLOCATIONINFO *info = &before->pOpenAllocation[i];
        struct contract_name *name = name_find(tracker, info->hAllocation);
        if (has_succeeded(call)) {
            struct contract_object *opening = contract_object_add(
                tracker, TRACKED_OPENING, info->hDeviceSpecificAllocation, call->first);
            opening->target = name ? name->allocation : NULL;
        }
        if (name) {
            HASH_DEL(tracker->names, name);
            free(name);
        }
    }
}

void track_close_allocation(struct contract_call *call)
{
    const DXGKARG_CLOSEALLOCATION *arguments = call->arguments;

    for (UINT i = 0; i < arguments->NumAllocations; i++) {
        contract_object_drop(call->tracker, TRACKED_OPENING, arguments->pOpenHandleList[i]);
    }
}

/* What the CPU and its client do with an allocation that lives: locks, priorities, eviction,
 * offers, other properties. */
#include "dxgk/ranges.h"
#include "dxgk/resource.h"
#include "dxgk/work.h"

/* ---- The CPU's access ------------------------------------------------------------------------ */

uint32_t dxgk_lock_flags(D3DDDICB_LOCKFLAGS flags)
{
    return (flags.ReadOnly ? VIDMM_LOCK_READ_ONLY : 0) | (flags.Discard ? VIDMM_LOCK_DISCARD : 0) |
           (flags.DonotWait ? VIDMM_LOCK_DO_NOT_WAIT : 0) |
           (flags.IgnoreSync ? VIDMM_LOCK_IGNORE_SYNC : 0) |
           (flags.DonotEvict ? VIDMM_LOCK_DO_NOT_EVICT : 0);
}

static void note_lock(struct dxgk_opening *opening)
{
    struct dxgk_allocation *allocation = opening->allocation;

    opening->lock_count++;
    allocation->uses++;
    allocation->locker = task_object(task_self());
    dxgk_written_read(allocation);
}

static NTSTATUS lock_inside(struct dxgk_opening *opening, D3DDDICB_LOCKFLAGS flags, void **pointer)
{
    struct dxgk_allocation *allocation = opening->allocation;
    struct vidmm_wait wait = {0};
    NTSTATUS status;

    if (flags.DonotWait && !flags.IgnoreSync && allocation->packet_count > 0) {
        return STATUS_GRAPHICS_ALLOCATION_BUSY;
    }
    while (!flags.IgnoreSync && allocation->packet_count > 0) {
        wait_queue_wait(&allocation->idle, MACHINE_NEVER);
    }
    if (dxgk_device_is_lost(opening->device)) {
        return STATUS_DEVICE_REMOVED; /* what it waited for may have had no memory */
    }
    while ((status = vidmm_lock(&allocation->memory, dxgk_lock_flags(flags), pointer, &wait)) ==
           STATUS_PENDING) {
        dxgk_wait_memory(allocation->adapter, &wait, MACHINE_NEVER);
    }
    dxgk_paging_kick(allocation->adapter);
    if (allocation->adapter->host_aperture) {
        dxgk_memory_changed(allocation->adapter); /* another lock may have waited for the view */
    }
    if (NT_SUCCESS(status)) {
        note_lock(opening);
    } else if (status == STATUS_INVALID_PARAMETER) {
        dxgk_clue_lock_fails(allocation);
    }
    return status;
}

/* Nobody else would unlock it. */
bool dxgk_waits_for_caller(const struct dxgk_allocation *allocation, const struct vidmm_wait *wait)
{
    return wait->kind == VIDMM_WAIT_LOCK && wait->allocation == &allocation->memory &&
           allocation->locker == task_object(task_self());
}

NTSTATUS dxgk_lock(struct dxgk_opening *opening, D3DDDICB_LOCKFLAGS flags, void **pointer)
{
    dxgk_wait_awake();
    if (dxgk_device_is_lost(opening->device)) {
        return STATUS_DEVICE_REMOVED;
    }
    if (!life_enter(&opening->life)) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = lock_inside(opening, flags, pointer);
    life_leave(&opening->life);
    return status;
}

static NTSTATUS lock_through(struct dxgk_opening *opening, const struct dxgk_lock_request *request,
                             void **pointer)
{
    struct dxgk_allocation *allocation = opening->allocation;

    if (request->flags.UseAlternateVA && allocation->opening_count > 1) {
        return STATUS_INVALID_PARAMETER; /* it would not know where the others look */
    }
    while (allocation->packet_count > 0) {
        wait_queue_wait(&allocation->idle, MACHINE_NEVER);
    }
    if (dxgk_device_is_lost(opening->device)) {
        return STATUS_DEVICE_REMOVED;
    }
    NTSTATUS status = dxgk_ranges_lock(opening, request, pointer);
    dxgk_paging_kick(allocation->adapter);
    if (NT_SUCCESS(status)) {
        note_lock(opening);
    } else if (status == STATUS_NOT_SUPPORTED && !request->flags.UseAlternateVA) {
        status = lock_inside(opening, request->flags, pointer); /* where everybody can look */
    }
    return status;
}

NTSTATUS dxgk_lock_through(struct dxgk_opening *opening, const struct dxgk_lock_request *request,
                           void **pointer)
{
    dxgk_wait_awake();
    if (dxgk_device_is_lost(opening->device)) {
        return STATUS_DEVICE_REMOVED;
    }
    if (!dxgk_ranges_exist(opening->allocation->adapter)) {
        return STATUS_NOT_SUPPORTED;
    }
    if (!life_enter(&opening->life)) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = lock_through(opening, request, pointer);
    life_leave(&opening->life);
    return status;
}

void dxgk_opening_unlock(struct dxgk_opening *opening)
{
    CHECK_THAT(opening->lock_count > 0);
    opening->lock_count--;
    CHECK_THAT(NT_SUCCESS(vidmm_unlock(&opening->allocation->memory)));
    dxgk_ranges_unlocked(opening->allocation);
    dxgk_memory_changed(opening->allocation->adapter);
}

/* How often the list up to that place names the opening there. */
static unsigned times_named(struct dxgk_opening *const *openings, UINT last)
{
    unsigned times = 0;

    for (UINT i = 0; i <= last; i++) {
        times += openings[i] == openings[last];
    }
    return times;
}

NTSTATUS dxgk_unlock_all(struct dxgk_opening *const *openings, UINT count)
{
    for (UINT i = 0; i < count; i++) {
        if (openings[i]->life.state != LIFE_LIVING) {
            return STATUS_INVALID_HANDLE;
        }
        if (openings[i]->lock_count < times_named(openings, i)) {
            return STATUS_INVALID_PARAMETER;
        }
    }
    for (UINT i = 0; i < count; i++) {
        dxgk_opening_unlock(openings[i]);
    }
    return STATUS_SUCCESS;
}

NTSTATUS dxgk_unlock(struct dxgk_opening *opening)
{
    return dxgk_unlock_all(&opening, 1);
}

uint64_t dxgk_opening_size(const struct dxgk_opening *opening)
{
    return opening->allocation->info.Size;
}

NTSTATUS dxgk_opening_set_priority(struct dxgk_opening *opening, UINT priority)
{
    if (opening->life.state != LIFE_LIVING) {
        return STATUS_INVALID_HANDLE;
    }
    vidmm_allocation_set_priority(&opening->allocation->memory, priority);
    return STATUS_SUCCESS;
}

UINT dxgk_opening_priority(const struct dxgk_opening *opening)
{
    return opening->allocation->memory.priority;
}

NTSTATUS dxgk_evict(struct dxgk_opening *opening)
{
    struct dxgk_allocation *allocation = opening->allocation;
    struct vidmm_wait wait = {0};
    NTSTATUS status;

    if (!life_enter(&opening->life)) {
        return STATUS_INVALID_HANDLE;
    }
    while ((status = vidmm_evict(&allocation->memory, &wait)) == STATUS_PENDING) {
        if (dxgk_waits_for_caller(allocation, &wait)) {
            status = STATUS_INVALID_PARAMETER;
            break;
        }
        dxgk_wait_memory(allocation->adapter, &wait, MACHINE_NEVER);
    }
    dxgk_paging_kick(allocation->adapter);
    if (NT_SUCCESS(status) && allocation->memory.lock_count > 0) {
        /* Whoever looks on finds it in its new place when this returns. */
        status = dxgk_wait_paging(allocation->adapter, wait.paging_sequence, MACHINE_NEVER);
    }
    life_leave(&opening->life);
    return status;
}

NTSTATUS dxgk_page_in(struct dxgk_opening *opening)
{
    struct dxgk_allocation *allocation = opening->allocation;
    struct vidmm_pin pin = {0};

    if (dxgk_device_is_lost(opening->device)) {
        return STATUS_DEVICE_REMOVED;
    }
    if (!life_enter(&opening->life)) {
        return STATUS_INVALID_HANDLE;
    }
    bool away = allocation->memory.segment == 0;
    NTSTATUS status = dxgk_surface_pin(allocation, &pin);
    bool there = NT_SUCCESS(status) && vidmm_pin_holds(&pin);
    dxgk_surface_unpin(allocation->adapter, &pin);
    if (there && away) {
        allocation->adapter->totals.work++; /* that it is there is what the client wanted */
    }
    life_leave(&opening->life);
    return status;
}

enum dxgk_residence dxgk_opening_residence(const struct dxgk_opening *opening)
{
    const struct dxgk_allocation *allocation = opening->allocation;
    struct vidmm *vidmm = allocation->adapter->vidmm;
    unsigned segment = opening->life.state == LIFE_LIVING ? allocation->memory.segment : 0;

    if (segment == 0) {
        return DXGK_NOT_RESIDENT;
    }
    return vidmm_segment(vidmm, segment)->flags & VIDMM_SEGMENT_APERTURE ? DXGK_IN_APERTURE
                                                                         : DXGK_IN_MEMORY;
}

NTSTATUS dxgk_may_offer(const struct dxgk_opening *opening)
{
    const struct dxgk_allocation *allocation = opening->allocation;

    if (allocation->section) {
        return STATUS_INVALID_PARAMETER; /* a client keeps what it has in memory of its own */
    }
    return allocation->memory.flags & VIDMM_ALLOCATION_SHARED_VIEW
               ? STATUS_NOT_SUPPORTED /* its address shows its memory for its life */
               : STATUS_SUCCESS;
}

NTSTATUS dxgk_offer(struct dxgk_opening *opening)
{
    struct dxgk_allocation *allocation = opening->allocation;
    struct vidmm_wait wait = {0};
    NTSTATUS status = dxgk_may_offer(opening);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (!life_enter(&opening->life)) {
        return STATUS_INVALID_HANDLE;
    }
    while ((status = vidmm_offer(&allocation->memory, &wait)) == STATUS_PENDING) {
        if (dxgk_waits_for_caller(allocation, &wait)) {
            status = STATUS_INVALID_PARAMETER;
            break;
        }
        dxgk_wait_memory(allocation->adapter, &wait, MACHINE_NEVER);
    }
    life_leave(&opening->life);
    return status;
}

bool dxgk_reclaim(struct dxgk_opening *opening)
{
    bool discarded = true; /* with the allocation, if that is gone */

    if (opening->life.state == LIFE_LIVING) {
        vidmm_reclaim(&opening->allocation->memory, &discarded);
    }
    return discarded;
}

/* ---- Other properties ------------------------------------------------------------------------ */

static struct vidmm_properties properties_of(const struct dxgk_property_request *request)
{
    struct vidmm_properties properties = {.set_segments = request->set_segments,
                                          .set_preferences = request->set_preference,
                                          .set_virtual = request->set_physical,
                                          .segments = request->segments,
                                          .is_virtual = !request->physical};

    dxgk_fill_preferences(request->preference, properties.preferences);
    return properties;
}

/* What it would be, is something that it can be, whatever the driver says. */
static bool makes_sense(const struct dxgk_property_request *request)
{
    const struct dxgk_allocation *allocation = request->opening->allocation;
    const struct dxgk_adapter *adapter = allocation->adapter;
    uint32_t set = request->set_segments ? request->segments : allocation->memory.read_segments;
    bool physical = request->set_physical ? request->physical
                                          : !(allocation->memory.flags & VIDMM_ALLOCATION_VIRTUAL);
    uint32_t behind = adapter->segment_count < VIDMM_SEGMENT_COUNT_MAX
                          ? VIDMM_SEGMENT_BIT(adapter->segment_count + 1)
                          : 0;
    struct vidmm_preference wanted[VIDMM_PREFERENCE_COUNT];

    dxgk_fill_preferences(request->preference, wanted);
    for (unsigned i = 0; request->set_preference && i < VIDMM_PREFERENCE_COUNT; i++) {
        if (wanted[i].segment && !(set & VIDMM_SEGMENT_BIT(wanted[i].segment))) {
            return false; /* [ALLOC-007] */
        }
    }
    for (unsigned id = 1; id <= adapter->segment_count; id++) {
        bool large = (vidmm_segment(adapter->vidmm, id)->flags & VIDMM_SEGMENT_PAGES_64K) != 0;
        if (allocation->section && (set & VIDMM_SEGMENT_BIT(id)) &&
            !(vidmm_segment(adapter->vidmm, id)->flags & VIDMM_SEGMENT_APERTURE)) {
            return false; /* it is the client's memory wherever it is seen */
        }
        if (large && (set & VIDMM_SEGMENT_BIT(id)) && allocation->info.Alignment % 0x10000 != 0) {
            return false; /* [ALLOC-005] */
        }
    }
    return (physical || !allocation->primary) && !(physical && (set & behind) != 0) &&
           (uint64_t)set >> (adapter->segment_count + (behind != 0)) == 0 && set != 0;
}

static NTSTATUS ask_driver(const struct dxgk_property_request *request)
{
    struct dxgk_allocation *allocation = request->opening->allocation;
    struct dxgk_adapter *adapter = allocation->adapter;
    DXGKARG_VALIDATEUPDATEALLOCPROPERTY arguments = {
        .hAllocation = allocation->driver_handle,
        .SetAccessedPhysically = request->set_physical,
        .SetSupportedSegmentSet = request->set_segments,
        .SetPreferredSegment = request->set_preference,
        .Flags.AccessedPhysically = request->physical,
        .SupportedSegmentSet = request->segments,
        .PreferredSegment = request->preference,
    };
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    NTSTATUS status;

    do {
        status = ddi_validate_update_allocation_property(
            &adapter->ddi, adapter->ddi.miniport_context, &arguments, allocation->object);
    } while (dxgk_tries_again(status, &attempt));
    return status;
}

/* Work by patch lists was promised how it finds it. */
static NTSTATUS update_inside(struct dxgk_paging_queue *queue,
                              struct dxgk_property_request *request)
{
    struct dxgk_allocation *allocation = request->opening->allocation;
    const struct vidmm_properties properties = properties_of(request);
    struct vidmm_update_result result;
    NTSTATUS status;

    for (;;) {
        while (request->set_physical && allocation->packet_count > 0) {
            wait_queue_wait(&allocation->idle, MACHINE_NEVER);
        }
        status = makes_sense(request)
                     ? vidmm_update_allocation(&queue->queue, &queue->device->residency.list,
                                               &allocation->memory, &properties, &result)
                     : STATUS_INVALID_PARAMETER;
        if (status != STATUS_PENDING || result.fence_value != 0) {
            break;
        }
        if (dxgk_waits_for_caller(allocation, &result.wait)) {
            return STATUS_INVALID_PARAMETER;
        }
        dxgk_wait_memory(allocation->adapter, &result.wait, MACHINE_NEVER);
    }
    request->fence_value = status == STATUS_PENDING ? result.fence_value : 0;
    dxgk_paging_kick(allocation->adapter);
    return status;
}

NTSTATUS dxgk_update_property(struct dxgk_paging_queue *queue,
                              struct dxgk_property_request *request)
{
    struct dxgk_opening *opening = request->opening;
    NTSTATUS status = STATUS_INVALID_HANDLE;

    dxgk_wait_awake();
    if (queue->device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    if (!ddi_has(&queue->device->adapter->ddi, POINT_ValidateUpdateAllocationProperty)) {
        return STATUS_NOT_SUPPORTED;
    }
    if (!life_enter(&queue->life)) {
        return STATUS_INVALID_HANDLE;
    }
    if (life_enter(&opening->life)) {
        status = makes_sense(request) ? ask_driver(request) : STATUS_INVALID_PARAMETER;
        if (NT_SUCCESS(status)) {
            status = update_inside(queue, request);
        }
        life_leave(&opening->life);
    }
    life_leave(&queue->life);
    return status;
}

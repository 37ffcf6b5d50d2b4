/* What the CPU and its client do with an allocation that lives: locks, priorities, eviction,
 * offers. */
#include "dxgk/ranges.h"
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
    while ((status = vidmm_lock(&allocation->memory, dxgk_lock_flags(flags), pointer, &wait)) ==
           STATUS_PENDING) {
        dxgk_wait_memory(allocation->adapter, &wait, MACHINE_NEVER);
    }
    dxgk_paging_kick(allocation->adapter);
    if (NT_SUCCESS(status)) {
        note_lock(opening);
    } else if (status == STATUS_INVALID_PARAMETER) {
        dxgk_clue_lock_fails(allocation);
    }
    return status;
}

/* Nobody else would unlock it. */
static bool waits_for_caller(const struct dxgk_allocation *allocation,
                             const struct vidmm_wait *wait)
{
    return wait->kind == VIDMM_WAIT_LOCK && wait->allocation == &allocation->memory &&
           allocation->locker == task_object(task_self());
}

NTSTATUS dxgk_lock(struct dxgk_opening *opening, D3DDDICB_LOCKFLAGS flags, void **pointer)
{
    dxgk_wait_awake();
    if (opening->device->lost) {
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
    if (opening->device->lost) {
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

NTSTATUS dxgk_unlock(struct dxgk_opening *opening)
{
    if (!life_enter(&opening->life)) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = opening->lock_count > 0 ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
    if (NT_SUCCESS(status)) {
        dxgk_opening_unlock(opening);
    }
    life_leave(&opening->life);
    return status;
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

NTSTATUS dxgk_evict(struct dxgk_opening *opening)
{
    struct dxgk_allocation *allocation = opening->allocation;
    struct vidmm_wait wait = {0};
    NTSTATUS status;

    if (!life_enter(&opening->life)) {
        return STATUS_INVALID_HANDLE;
    }
    while ((status = vidmm_evict(&allocation->memory, &wait)) == STATUS_PENDING) {
        if (waits_for_caller(allocation, &wait)) {
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

    if (opening->device->lost) {
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

NTSTATUS dxgk_offer(struct dxgk_opening *opening)
{
    struct dxgk_allocation *allocation = opening->allocation;
    struct vidmm_wait wait = {0};
    NTSTATUS status;

    if (!life_enter(&opening->life)) {
        return STATUS_INVALID_HANDLE;
    }
    while ((status = vidmm_offer(&allocation->memory, &wait)) == STATUS_PENDING) {
        if (waits_for_caller(allocation, &wait)) {
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

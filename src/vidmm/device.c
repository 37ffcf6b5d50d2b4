/* Residency lists of devices: what WDDM 2 has in place of allocation lists. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "vidmm/internal.h"

void vidmm_device_init(struct vidmm_device *device, struct vidmm *vidmm)
{
    *device = (struct vidmm_device){.vidmm = vidmm};
}

void vidmm_device_fini(struct vidmm_device *device)
{
    for (size_t i = 0; i < device->entry_count; i++) {
        device->entries[i].allocation->resident_count--;
    }
    free(device->entries);
    *device = (struct vidmm_device){0};
}

/* Where the allocation is in the list, or where it would be. */
static size_t find_place(const struct vidmm_device *device,
                         const struct vidmm_allocation *allocation)
{
    size_t low = 0, high = device->entry_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (device->entries[middle].allocation->number < allocation->number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct vidmm_residency *find_entry(struct vidmm_device *device,
                                          const struct vidmm_allocation *allocation)
{
    size_t place = find_place(device, allocation);

    return place < device->entry_count && device->entries[place].allocation == allocation
               ? &device->entries[place]
               : NULL;
}

static bool reserve_entries(struct vidmm_device *device, size_t more)
{
    size_t needed = device->entry_count + more;

    if (needed <= device->entry_capacity) {
        return true;
    }
    size_t capacity = device->entry_capacity ? device->entry_capacity : 16;
    while (capacity < needed) {
        capacity *= 2;
    }
    struct vidmm_residency *entries = realloc(device->entries, capacity * sizeof(*entries));
    if (!entries) {
        return false;
    }
    device->entries = entries;
    device->entry_capacity = capacity;
    return true;
}

static void count_up_locked(struct vidmm_device *device, struct vidmm_allocation *allocation)
{
    size_t place = find_place(device, allocation);
    struct vidmm_residency *entry = &device->entries[place];

    if (place == device->entry_count || entry->allocation != allocation) {
        memmove(entry + 1, entry, (device->entry_count - place) * sizeof(*entry));
        *entry = (struct vidmm_residency){.allocation = allocation};
        device->entry_count++;
        allocation->resident_count++;
    }
    entry->count++;
}

static void count_down_locked(struct vidmm_device *device, struct vidmm_allocation *allocation)
{
    struct vidmm_residency *entry = find_entry(device, allocation);

    if (--entry->count == 0) {
        size_t place = (size_t)(entry - device->entries);
        memmove(entry, entry + 1, (device->entry_count - place - 1) * sizeof(*entry));
        device->entry_count--;
        allocation->resident_count--;
    }
}

NTSTATUS vidmm_device_add(struct vidmm_device *device, struct vidmm_allocation *const *allocations,
                          size_t count)
{
    struct vidmm *vidmm = device->vidmm;
    NTSTATUS status = STATUS_NO_MEMORY;

    mutex_lock(&vidmm->lock);
    if (reserve_entries(device, count)) {
        for (size_t i = 0; i < count; i++) {
            count_up_locked(device, allocations[i]);
        }
        status = STATUS_SUCCESS;
    }
    mutex_unlock(&vidmm->lock);
    return status;
}

NTSTATUS vidmm_device_remove(struct vidmm_device *device,
                             struct vidmm_allocation *const *allocations, size_t count)
{
    struct vidmm *vidmm = device->vidmm;
    NTSTATUS status = STATUS_SUCCESS;
    size_t done = 0;

    mutex_lock(&vidmm->lock);
    while (done < count && find_entry(device, allocations[done])) {
        count_down_locked(device, allocations[done++]);
    }
    if (done < count) {
        status = STATUS_INVALID_PARAMETER;
        while (done-- > 0) {
            count_up_locked(device, allocations[done]); /* the room is still there */
        }
    }
    mutex_unlock(&vidmm->lock);
    return status;
}

uint32_t vidmm_device_count(struct vidmm_device *device, const struct vidmm_allocation *allocation)
{
    struct vidmm *vidmm = device->vidmm;

    mutex_lock(&vidmm->lock);
    const struct vidmm_residency *entry = find_entry(device, allocation);
    uint32_t count = entry ? entry->count : 0;
    mutex_unlock(&vidmm->lock);
    return count;
}

void vidmm_device_prepare(struct vidmm_device *device, struct vidmm_use *use,
                          struct vidmm_prepare_result *result)
{
    struct vidmm_reference *references = calloc(device->entry_count + 1, sizeof(*references));

    *result = (struct vidmm_prepare_result){.outcome = VIDMM_FAILED, .status = STATUS_NO_MEMORY};
    if (!references) {
        return;
    }
    for (size_t i = 0; i < device->entry_count; i++) {
        /* Nobody says what is written, so everything may be. */
        references[i] = (struct vidmm_reference){
            .allocation = device->entries[i].allocation, .write = true, .slot = VIDMM_NO_SLOT};
    }
    const struct vidmm_prepare_request request = {.references = references,
                                                  .count = device->entry_count};
    vidmm_prepare(use, &request, result);
    free(references);
}

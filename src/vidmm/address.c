/* What clients ask of addresses: to reserve, map, update and free them. */
#include <stdlib.h>

#include "base/check.h"
#include "base/record.h"
#include "vidmm/internal.h"

/* Of a process, and of one change of it: each is a piece of memory and operations; ours. */
#define MAPPINGS_MAX UINT32_C(262144)
#define PIECES_MAX   UINT32_C(65536)

/* A piece may cut the one that is there in two. */
static bool has_room(const struct vidmm_space *space, uint64_t pieces)
{
    bool full = space->kind == VIDMM_SPACE_PROCESS &&
                (pieces > PIECES_MAX || space->mapping_count + pieces + 1 > MAPPINGS_MAX);

    if (full) {
        record_count("client.bounds", 1);
    }
    return !full;
}

/* How long until an edit is seen: what was queued since, and the bytes that it shows. */
static void say_sequence_locked(struct vidmm *vidmm, const struct vidmm_allocation *allocation,
                                uint64_t queued_before, struct vidmm_wait *wait) HOLDS(vidmm->lock)
{
    uint64_t sequence = vidmm->sequence_queued > queued_before ? vidmm->sequence_queued : 0;

    if (allocation && allocation->segment != 0 && allocation->paging_sequence > sequence) {
        sequence = allocation->paging_sequence;
    }
    wait->paging_sequence = sequence > vidmm->sequence_completed ? sequence : 0;
}

static bool bounds_valid(uint64_t base, uint64_t minimum, uint64_t maximum)
{
    return base % VIDMM_PAGE_BYTES == 0 && (maximum == 0 || minimum < maximum);
}

/* The area for a request: one that is there, if it names an address inside one, or a new one. */
static NTSTATUS find_area_locked(struct vidmm *vidmm, struct vidmm_space *space,
                                 const struct area_request *request, struct vidmm_area **out,
                                 bool *made) HOLDS(vidmm->lock)
{
    struct vidmm_area *area = request->page_first != 0 && !request->reserved
                                  ? area_find(space, request->page_first)
                                  : NULL;

    *made = !area;
    if (!area) {
        return area_make_locked(vidmm, space, request, out);
    }
    *out = area;
    if (area == space->scratch || area->busy || (area->systems && !request->systems) ||
        !range_fits(request->page_first - area->page_first, request->page_count,
                    area->page_count)) {
        return STATUS_INVALID_PARAMETER;
    }
    struct vidmm_mapping *mapping = mapping_from(space, request->page_first);
    for (; mapping && mapping->page_first < request->page_first + request->page_count;
         mapping = mapping_next(space, mapping)) {
        if (mapping->allocation) {
            return STATUS_INVALID_PARAMETER;
        }
    }
    return STATUS_SUCCESS;
}

/* Gives an area, and shows in it what is wanted, if anything. */
static NTSTATUS give_area(struct vidmm_space *space, const struct area_request *request,
                          struct vidmm_mapping *wanted, uint64_t *address, struct vidmm_wait *wait)
{
    struct vidmm *vidmm = space->vidmm;
    struct vidmm_area *area;
    bool made;

    *wait = (struct vidmm_wait){0};
    mutex_lock(&vidmm->lock);
    uint64_t before = vidmm->sequence_queued;
    NTSTATUS status = find_area_locked(vidmm, space, request, &area, &made);
    if (!NT_SUCCESS(status)) {
        goto out;
    }
    uint64_t page = request->page_first ? request->page_first : area->page_first;
    if (wanted->allocation || (wanted->protection & VIDMM_PROTECT_ZERO) != 0) {
        area->busy = true; /* while the driver is asked for a larger root */
        mutex_unlock(&vidmm->lock);
        status = space_reach(space, page + request->page_count, wait);
        mutex_lock(&vidmm->lock);
        area->busy = false;
    }
    if (status == STATUS_SUCCESS) {
        wanted->page_first = page;
        wanted->page_count = request->page_count;
        status = has_room(space, 1) ? mapping_replace_locked(vidmm, space, wanted, wait)
                                    : STATUS_NO_MEMORY;
    }
    if (status == STATUS_SUCCESS) {
        *address = page * VIDMM_PAGE_BYTES;
        say_sequence_locked(vidmm, wanted->allocation, before, wait);
    } else if (made) {
        area_drop_locked(vidmm, space, area);
    }
out:
    mutex_unlock(&vidmm->lock);
    return status;
}

/* The books alone. */
static NTSTATUS reserve_early(struct vidmm_space *space, const struct area_request *request,
                              uint64_t *address)
{
    struct vidmm *vidmm = space->vidmm;
    struct vidmm_area *area;

    mutex_lock(&vidmm->lock);
    NTSTATUS status = area_make_locked(vidmm, space, request, &area);
    if (NT_SUCCESS(status)) {
        *address = area->page_first * VIDMM_PAGE_BYTES;
    }
    mutex_unlock(&vidmm->lock);
    return status;
}

/* The first whole page from there on. */
static uint64_t pages_up(uint64_t address)
{
    return address / VIDMM_PAGE_BYTES + (address % VIDMM_PAGE_BYTES != 0);
}

/* The tables are kept, here and below. */
static NTSTATUS reserve(struct vidmm_space *space, const struct vidmm_reserve_request *request,
                        uint64_t *address, struct vidmm_wait *wait)
{
    uint64_t alignment = request->alignment_bytes ? request->alignment_bytes : VIDMM_AREA_BYTES;
    const struct area_request area = {
        .page_first = request->base / VIDMM_PAGE_BYTES,
        .page_minimum = pages_up(request->minimum),
        .page_maximum = request->maximum / VIDMM_PAGE_BYTES,
        .page_count = request->size_bytes / VIDMM_PAGE_BYTES,
        .alignment_pages = alignment / VIDMM_PAGE_BYTES,
        .reserved = true,
    };
    struct vidmm_mapping wanted = {.protection = request->protection,
                                   .driver_protection = request->driver_protection};

    if (!bounds_valid(request->base, request->minimum, request->maximum) ||
        request->size_bytes == 0 || request->size_bytes % VIDMM_AREA_BYTES != 0 ||
        request->base % alignment != 0 || (alignment & (alignment - 1)) != 0 ||
        alignment < VIDMM_AREA_BYTES ||
        (request->protection & ~(uint32_t)(VIDMM_PROTECT_ZERO | VIDMM_PROTECT_NO_ACCESS)) != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    if ((request->protection & VIDMM_PROTECT_ZERO) != 0 && !mmu_has(space->vidmm, VIDMM_MMU_ZERO)) {
        return STATUS_NOT_SUPPORTED;
    }
    if (!space->root) { /* the driver reserves before there are tables */
        return reserve_early(space, &area, address);
    }
    return give_area(space, &area, &wanted, address, wait);
}

NTSTATUS vidmm_space_reserve(struct vidmm_space *space, const struct vidmm_reserve_request *request,
                             uint64_t *address, struct vidmm_wait *wait)
{
    NTSTATUS status = vidmm_space_keep_tables(space, wait);

    if (status == STATUS_SUCCESS) {
        status = reserve(space, request, address, wait);
        vidmm_space_let_tables_go(space);
    }
    return status;
}

static bool pages_valid(const struct vidmm_space *space, const struct vidmm_allocation *allocation,
                        uint64_t page_first, uint64_t page_count)
{
    return allocation->vidmm == space->vidmm && !allocation->dying && page_count > 0 &&
           range_fits(page_first, page_count, allocation->size_bytes / VIDMM_PAGE_BYTES);
}

static NTSTATUS map(struct vidmm_space *space, const struct vidmm_map_request *request,
                    uint64_t *address, struct vidmm_wait *wait)
{
    const struct area_request area = {
        .page_first = request->base / VIDMM_PAGE_BYTES,
        .page_minimum = pages_up(request->minimum),
        .page_maximum = request->maximum / VIDMM_PAGE_BYTES,
        .page_count = request->page_count,
        .systems = request->systems,
    };
    struct vidmm_mapping wanted = {
        .allocation = request->allocation,
        .allocation_page = request->page_first,
        .protection = request->protection,
        .driver_protection = request->driver_protection,
    };

    if (!bounds_valid(request->base, request->minimum, request->maximum) || !space->root ||
        request->page_count == 0 || request->page_count > UINT64_C(1) << 36) {
        return STATUS_INVALID_PARAMETER;
    }
    if (request->allocation
            ? !pages_valid(space, request->allocation, request->page_first, request->page_count)
            : request->page_first != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    if ((request->protection & VIDMM_PROTECT_ZERO) != 0 && !mmu_has(space->vidmm, VIDMM_MMU_ZERO)) {
        return STATUS_NOT_SUPPORTED;
    }
    return give_area(space, &area, &wanted, address, wait);
}

NTSTATUS vidmm_space_map(struct vidmm_space *space, const struct vidmm_map_request *request,
                         uint64_t *address, struct vidmm_wait *wait)
{
    NTSTATUS status = vidmm_space_keep_tables(space, wait);

    if (status == STATUS_SUCCESS) {
        status = map(space, request, address, wait);
        vidmm_space_let_tables_go(space);
    }
    return status;
}

/* Are all pages in areas that clients were given? */
static bool given(struct vidmm_space *space, uint64_t first, uint64_t count)
{
    uint64_t end;

    if (count == 0 || add_overflows_u64(first, count, &end)) {
        return false;
    }
    for (uint64_t page = first; page < end;) {
        struct vidmm_area *area = area_find(space, page);
        if (!area || area == space->scratch || area->busy || area->systems) {
            return false;
        }
        page = area->page_first + area->page_count;
    }
    return true;
}

/* The allocation again and again, if it is the shorter one. */
static NTSTATUS change_map_locked(struct vidmm *vidmm, struct vidmm_space *space,
                                  const struct vidmm_change *change, struct vidmm_wait *wait)
    HOLDS(vidmm->lock)
{
    uint64_t count = change->size_bytes / VIDMM_PAGE_BYTES;
    uint64_t size = change->allocation_size ? change->allocation_size : change->size_bytes;
    uint64_t pages = size / VIDMM_PAGE_BYTES;
    uint64_t from = change->allocation_offset / VIDMM_PAGE_BYTES;
    NTSTATUS status = STATUS_SUCCESS;

    if (size % VIDMM_PAGE_BYTES != 0 || change->allocation_offset % VIDMM_PAGE_BYTES != 0 ||
        !pages_valid(space, change->allocation, from, pages)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!has_room(space, (count - 1) / pages + 1)) {
        return STATUS_NO_MEMORY;
    }
    for (uint64_t at = 0; at < count && status == STATUS_SUCCESS; at += pages) {
        const struct vidmm_mapping wanted = {
            .allocation = change->allocation,
            .allocation_page = from,
            .page_first = change->address / VIDMM_PAGE_BYTES + at,
            .page_count = count - at < pages ? count - at : pages,
            .protection = change->protection,
            .driver_protection = change->driver_protection,
        };
        status = mapping_replace_locked(vidmm, space, &wanted, wait);
    }
    return status;
}

/* What the source shows, piece by piece; what it does not show is taken away. */
static NTSTATUS change_copy_locked(struct vidmm *vidmm, struct vidmm_space *space,
                                   const struct vidmm_change *change, struct vidmm_wait *wait)
    HOLDS(vidmm->lock)
{
    uint64_t source = change->source_address / VIDMM_PAGE_BYTES;
    uint64_t destination = change->address / VIDMM_PAGE_BYTES;
    uint64_t count = change->size_bytes / VIDMM_PAGE_BYTES;
    NTSTATUS status = STATUS_SUCCESS;

    if (change->source_address % VIDMM_PAGE_BYTES != 0 || !given(space, source, count) ||
        (source < destination + count && destination < source + count)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!has_room(space, mappings_in(space, source, source + count))) {
        return STATUS_NO_MEMORY;
    }
    space->copies_for = change->owner;
    for (uint64_t at = 0; at < count && status == STATUS_SUCCESS;) {
        const struct vidmm_mapping *mapping = mapping_from(space, source + at);
        struct vidmm_mapping wanted = {.page_first = destination + at, .page_count = count - at};
        if (mapping && mapping->page_first > source + at) {
            uint64_t gap = mapping->page_first - (source + at);
            wanted.page_count = gap < count - at ? gap : count - at;
        } else if (mapping) {
            uint64_t left = mapping_end(mapping) - (source + at);
            wanted.allocation = mapping->allocation;
            wanted.allocation_page = mapping->allocation_page + (source + at - mapping->page_first);
            wanted.page_count = left < count - at ? left : count - at;
            wanted.protection = mapping->protection;
            wanted.driver_protection = mapping->driver_protection;
            wanted.copied_from = source + at;
        }
        status = mapping_replace_locked(vidmm, space, &wanted, wait);
        at += wanted.page_count;
    }
    space->copies_for = 0;
    return status;
}

/* Does the change leave a part of what is mapped there? */
static bool cuts(struct vidmm_space *space, const struct vidmm_mapping *wanted)
{
    const struct vidmm_mapping *first = mapping_from(space, wanted->page_first);
    const struct vidmm_mapping *last = mapping_from(space, mapping_end(wanted) - 1);

    return (first && first->page_first < wanted->page_first) ||
           (last && last->page_first < mapping_end(wanted) &&
            mapping_end(last) > mapping_end(wanted));
}

/* What is taken away makes pieces, too, where it is a part. */
static NTSTATUS change_unmap_locked(struct vidmm *vidmm, struct vidmm_space *space,
                                    const struct vidmm_mapping *wanted, struct vidmm_wait *wait)
    HOLDS(vidmm->lock)
{
    bool zero = (wanted->protection & VIDMM_PROTECT_ZERO) != 0;

    if (zero && !mmu_has(vidmm, VIDMM_MMU_ZERO)) {
        return STATUS_NOT_SUPPORTED;
    }
    return (zero || cuts(space, wanted)) && !has_room(space, 1)
               ? STATUS_NO_MEMORY
               : mapping_replace_locked(vidmm, space, wanted, wait);
}

static NTSTATUS change_locked(struct vidmm *vidmm, struct vidmm_space *space,
                              const struct vidmm_change *change, struct vidmm_wait *wait)
    HOLDS(vidmm->lock)
{
    const struct vidmm_mapping wanted = {
        .page_first = change->address / VIDMM_PAGE_BYTES,
        .page_count = change->size_bytes / VIDMM_PAGE_BYTES,
        .protection = change->protection,
        .driver_protection = change->driver_protection,
    };

    if (change->address % VIDMM_PAGE_BYTES != 0 || change->size_bytes % VIDMM_PAGE_BYTES != 0 ||
        !given(space, wanted.page_first, wanted.page_count)) {
        return STATUS_INVALID_PARAMETER;
    }
    switch (change->kind) {
    case VIDMM_CHANGE_MAP:
        return change->allocation ? change_map_locked(vidmm, space, change, wait)
                                  : STATUS_INVALID_PARAMETER;
    case VIDMM_CHANGE_UNMAP:
        return change_unmap_locked(vidmm, space, &wanted, wait);
    case VIDMM_CHANGE_COPY:
        return change_copy_locked(vidmm, space, change, wait);
    }
    return STATUS_INVALID_PARAMETER;
}

static bool is_given(struct vidmm_space *space, const struct vidmm_change *change)
{
    mutex_lock(&space->vidmm->lock);
    bool is =
        given(space, change->address / VIDMM_PAGE_BYTES, change->size_bytes / VIDMM_PAGE_BYTES);
    mutex_unlock(&space->vidmm->lock);
    return is;
}

static bool shows_something(const struct vidmm_change *change)
{
    return change->kind != VIDMM_CHANGE_UNMAP || (change->protection & VIDMM_PROTECT_ZERO) != 0;
}

static NTSTATUS update(struct vidmm_space *space, const struct vidmm_change *changes, size_t count,
                       size_t *done, struct vidmm_wait *wait)
{
    struct vidmm *vidmm = space->vidmm;
    NTSTATUS status = STATUS_SUCCESS;

    for (; *done < count && status == STATUS_SUCCESS; *done += status == STATUS_SUCCESS) {
        uint64_t end;
        if (add_overflows_u64(changes[*done].address, changes[*done].size_bytes, &end)) {
            return STATUS_INVALID_PARAMETER;
        }
        if (!space->root || !is_given(space, &changes[*done])) {
            return STATUS_INVALID_PARAMETER; /* before the driver is asked for a larger root */
        }
        if (shows_something(&changes[*done])) {
            status = space_reach(space, (end - 1) / VIDMM_PAGE_BYTES + 1, wait);
        }
        mutex_lock(&vidmm->lock);
        if (status == STATUS_SUCCESS) {
            status = change_locked(vidmm, space, &changes[*done], wait);
            wait->paging_sequence =
                space->paging_sequence > vidmm->sequence_completed ? space->paging_sequence : 0;
        }
        mutex_unlock(&vidmm->lock);
    }
    return status;
}

NTSTATUS vidmm_space_update(struct vidmm_space *space, const struct vidmm_change *changes,
                            size_t count, size_t *done, struct vidmm_wait *wait)
{
    NTSTATUS status = vidmm_space_keep_tables(space, wait);

    *done = 0;
    if (status == STATUS_SUCCESS) {
        status = update(space, changes, count, done, wait);
        vidmm_space_let_tables_go(space);
    }
    return status;
}

static NTSTATUS free_area(struct vidmm_space *space, bool systems, uint64_t address,
                          uint64_t size_bytes, struct vidmm_wait *wait)
{
    struct vidmm *vidmm = space->vidmm;
    NTSTATUS status = STATUS_INVALID_PARAMETER;

    mutex_lock(&vidmm->lock);
    struct vidmm_area *area = area_find(space, address / VIDMM_PAGE_BYTES);
    if (!area || area == space->scratch || area->busy || area->systems != systems ||
        area->asked_first * VIDMM_PAGE_BYTES != address || size_bytes % VIDMM_PAGE_BYTES != 0 ||
        area->asked_count != size_bytes / VIDMM_PAGE_BYTES) {
        goto out;
    }
    uint64_t before = vidmm->sequence_queued, end = area->page_first + area->page_count;
    const struct vidmm_mapping nothing = {
        .page_first = systems ? area->asked_first : area->page_first,
        .page_count = systems ? area->asked_count : area->page_count};
    status = space->root ? mapping_replace_locked(vidmm, space, &nothing, wait) : STATUS_SUCCESS;
    if (status == STATUS_SUCCESS) {
        /* Beside what the kernel shows a driver may show context memory: the last of it goes with
         * the area. */
        if (!systems || mappings_in(space, area->page_first, end) == 0) {
            area_drop_locked(vidmm, space, area);
        }
        say_sequence_locked(vidmm, NULL, before, wait);
    }
out:
    mutex_unlock(&vidmm->lock);
    return status;
}

static NTSTATUS free_range(struct vidmm_space *space, bool systems, uint64_t address,
                           uint64_t size_bytes, struct vidmm_wait *wait)
{
    NTSTATUS status = vidmm_space_keep_tables(space, wait);

    if (status == STATUS_SUCCESS) {
        status = free_area(space, systems, address, size_bytes, wait);
        vidmm_space_let_tables_go(space);
    }
    return status;
}

NTSTATUS vidmm_space_free(struct vidmm_space *space, uint64_t address, uint64_t size_bytes,
                          struct vidmm_wait *wait)
{
    return free_range(space, false, address, size_bytes, wait);
}

NTSTATUS vidmm_space_free_systems(struct vidmm_space *space, uint64_t address, uint64_t size_bytes,
                                  struct vidmm_wait *wait)
{
    return free_range(space, true, address, size_bytes, wait);
}

/* ---- Who shows it there ---------------------------------------------------------------------- */

bool vidmm_allocation_protection(struct vidmm_allocation *allocation, uint64_t address,
                                 uint32_t *protection)
{
    struct vidmm *vidmm = allocation->vidmm;
    bool found = false;

    mutex_lock(&vidmm->lock);
    list_for_each (link, &allocation->mappings) {
        const struct vidmm_mapping *mapping = container_of(link, struct vidmm_mapping, link);
        if (address / VIDMM_PAGE_BYTES - mapping->page_first < mapping->page_count) {
            *protection = mapping->protection;
            found = true;
        }
    }
    mutex_unlock(&vidmm->lock);
    return found;
}

/* Swizzling ranges: who has which, and the calls that set them up. */
#include "dxgk/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "dxgk/work.h"

bool dxgk_ranges_exist(const struct dxgk_adapter *adapter)
{
    return !adapter->features.wddm2 && adapter->caps.NumberOfSwizzlingRanges > 0 &&
           ddi_has(&adapter->ddi, POINT_AcquireSwizzlingRange) &&
           ddi_has(&adapter->ddi, POINT_ReleaseSwizzlingRange);
}

static unsigned range_count(const struct dxgk_adapter *adapter)
{
    UINT count = adapter->caps.NumberOfSwizzlingRanges;

    return !adapter->ranges ? 0 : count < DXGK_RANGES_MAX ? count : DXGK_RANGES_MAX;
}

bool dxgk_ranges_start(struct dxgk_adapter *adapter)
{
    if (dxgk_ranges_exist(adapter)) {
        adapter->ranges = calloc(1, sizeof *adapter->ranges);
    }
    if (adapter->ranges) {
        list_init(&adapter->ranges->looks);
    }
    return adapter->ranges || !dxgk_ranges_exist(adapter);
}

void dxgk_ranges_stop(struct dxgk_adapter *adapter)
{
    free(adapter->ranges);
    adapter->ranges = NULL;
}

/* ---- Looking --------------------------------------------------------------------------------- */

/* What the CPU sees at addresses of the bus. Pages of a BAR that show others are no piece of
 * memory, and get a view of their own. */
struct look {
    struct list link; /* while locked */
    const struct dxgk_allocation *allocation;
    void *bytes; /* NULL: no memory is there */
    void *view;  /* or NULL */
    size_t view_pages;
};

static void look_begin(struct look *look, uint64_t physical, uint64_t size_bytes)
{
    uint64_t page = physical >> MACHINE_PAGE_SHIFT;

    *look = (struct look){.bytes = bus_memory_at(physical, size_bytes)};
    if (look->bytes || physical % MACHINE_PAGE_SIZE != 0 || !pci_is_memory(physical, size_bytes)) {
        return;
    }
    look->view_pages = (size_bytes + MACHINE_PAGE_SIZE - 1) / MACHINE_PAGE_SIZE;
    uint64_t *frames = malloc(look->view_pages * sizeof *frames);
    for (size_t i = 0; frames && i < look->view_pages; i++) {
        frames[i] = page + i;
    }
    look->bytes = look->view = frames ? ram_map_frames(frames, look->view_pages, true) : NULL;
    free(frames);
}

static void look_end(struct look *look)
{
    if (look->view) {
        ram_unmap_frames(look->view, look->view_pages);
    }
}

/* Until the allocation is unlocked. */
static void *look_on(const struct dxgk_allocation *allocation, const struct dxgk_range *range)
{
    struct look *look = malloc(sizeof *look);

    if (!look) {
        return NULL;
    }
    look_begin(look, range->physical, allocation->memory.size_bytes);
    void *bytes = look->bytes;
    look->allocation = allocation;
    if (look->view) {
        list_push_back(&allocation->adapter->ranges->looks, &look->link);
    } else {
        free(look);
    }
    return bytes;
}

static void look_away(const struct dxgk_allocation *allocation)
{
    list_for_each_safe (link, &allocation->adapter->ranges->looks) {
        struct look *look = container_of(link, struct look, link);
        if (look->allocation == allocation) {
            list_remove(&look->link);
            look_end(look);
            free(look);
        }
    }
}

/* ---- Releasing ------------------------------------------------------------------------------- */

/* The driver's, until it was told. Nobody else has this range meanwhile. */
static void release(struct dxgk_adapter *adapter, struct dxgk_range *range)
{
    const DXGKARG_RELEASESWIZZLINGRANGE arguments = {
        .hAllocation = range->allocation->driver_handle,
        .PrivateDriverData = range->data,
        .RangeId = (UINT)(range - adapter->ranges->list),
    };

    range->changing = true;
    if (!range->locked) {
        vidmm_alternate_drop(&range->allocation->memory);
    }
    (void)ddi_release_swizzling_range(&adapter->ddi, adapter->ddi.miniport_context, &arguments,
                                      range->allocation->object); /* it is free all the same */
    *range = (struct dxgk_range){0};
    wait_queue_wake(&adapter->idle_changed, UINT_MAX); /* dxgk_ranges_forget() may wait */
}

void dxgk_ranges_work(struct dxgk_adapter *adapter, bool all)
{
    for (unsigned i = 0; i < range_count(adapter); i++) {
        struct dxgk_range *range = &adapter->ranges->list[i];
        if (range->allocation && !range->changing && (all || range->leaves)) {
            release(adapter, range);
        }
    }
}

void dxgk_ranges_forget(struct dxgk_allocation *allocation)
{
    struct dxgk_adapter *adapter = allocation->adapter;

    for (unsigned i = 0; i < range_count(adapter); i++) {
        struct dxgk_range *range = &adapter->ranges->list[i];
        while (range->allocation == allocation && range->changing) {
            wait_queue_wait(&adapter->idle_changed, MACHINE_NEVER);
        }
        if (range->allocation == allocation) {
            release(adapter, range);
        }
    }
}

static bool leaves_segment(const struct vidmm_op *op)
{
    switch (op->kind) {
    case VIDMM_OP_TRANSFER:
    case VIDMM_OP_SPECIAL_LOCK:
        return op->move.source.segment != 0 && op->move.end;
    case VIDMM_OP_DISCARD:
        return true;
    default:
        return false;
    }
}

void dxgk_ranges_after(struct dxgk_adapter *adapter, const struct vidmm_op *op)
{
    const struct dxgk_allocation *allocation = dxgk_paging_allocation(op);

    for (unsigned i = 0; allocation && leaves_segment(op) && i < range_count(adapter); i++) {
        struct dxgk_range *range = &adapter->ranges->list[i];
        if (range->allocation == allocation && !range->leaves) {
            range->leaves = true;
            range->locked = false;
            dxgk_worker_kick(adapter);
        }
    }
}

static struct dxgk_range *range_of(const struct dxgk_allocation *allocation)
{
    struct dxgk_adapter *adapter = allocation->adapter;

    for (unsigned i = 0; i < range_count(adapter); i++) {
        struct dxgk_range *range = &adapter->ranges->list[i];
        if (range->allocation == allocation && !range->leaves && range->locked) {
            return range;
        }
    }
    return NULL;
}

UINT dxgk_range_of(const struct dxgk_allocation *allocation, UINT *data)
{
    const struct dxgk_range *range = range_of(allocation);

    *data = range ? range->data : 0;
    return range ? (UINT)(range - allocation->adapter->ranges->list) : 0;
}

void dxgk_ranges_unlocked(const struct dxgk_allocation *allocation)
{
    struct dxgk_range *range = range_of(allocation);

    if (range) {
        range->locked = false;
    }
    if (allocation->adapter->ranges) {
        look_away(allocation);
    }
}

/* ---- Acquiring ------------------------------------------------------------------------------- */

/* One that the allocation has already, or else a free one; NULL: all are taken. */
static struct dxgk_range *find(struct dxgk_adapter *adapter,
                               const struct dxgk_allocation *allocation, UINT data)
{
    struct dxgk_range *empty = NULL;

    for (unsigned i = 0; i < range_count(adapter); i++) {
        struct dxgk_range *range = &adapter->ranges->list[i];
        if (range->allocation == allocation && range->data == data && !range->leaves &&
            !range->changing) {
            return range;
        }
        if (!range->allocation && !empty) {
            empty = range;
        }
    }
    return empty;
}

/* The one that was used longest ago, of those that nobody looks through. */
static bool release_another(struct dxgk_adapter *adapter)
{
    struct dxgk_range *oldest = NULL;

    for (unsigned i = 0; i < range_count(adapter); i++) {
        struct dxgk_range *range = &adapter->ranges->list[i];
        if (range->allocation && !range->locked && !range->changing &&
            (!oldest || range->used < oldest->used)) {
            oldest = range;
        }
    }
    if (oldest) {
        release(adapter, oldest);
    }
    return oldest != NULL;
}

/* What the range shows is what the CPU sees in the segment itself, where it sees that and the
 * layout is the linear one; of another the bytes that were swizzled, if they are known. */
static bool shows_bytes(const struct dxgk_allocation *allocation, const void *seen)
{
    const struct vidmm_allocation *memory = &allocation->memory;
    uint64_t linear;
    const struct vidmm_segment_options *segment =
        vidmm_segment(allocation->adapter->vidmm, memory->view_segment);
    const void *place = NULL;

    if (vidmm_linear_hash(memory, &linear)) {
        return XXH3_64bits(seen, memory->size_bytes) == linear;
    }
    if (segment && segment->flags & VIDMM_SEGMENT_CPU_VISIBLE &&
        !(memory->flags & VIDMM_ALLOCATION_SWIZZLED)) {
        place = bus_memory_at(segment->cpu_base_address + memory->view_offset, memory->size_bytes);
    }
    return !place || memcmp(seen, place, memory->size_bytes) == 0;
}

/* The driver says where the CPU finds the bytes; how many they are it may change for an alternate
 * address alone. */
static void judge_answer(const struct dxgk_allocation *allocation,
                         const DXGKARG_ACQUIRESWIZZLINGRANGE *answer, bool alternate)
{
    uint64_t size = allocation->memory.size_bytes;
    uint64_t physical = (uint64_t)answer->CPUTranslatedAddress.QuadPart;
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(SWZ_003),
                                             .object = allocation->object};
    struct look look;

    look_begin(&look, physical, answer->RangeSize);
    contract_count(RULE_SWZ_003);
    if (answer->RangeSize < size || (answer->RangeSize != size && !alternate)) {
        contract_breach(&finding, "RangeSize as it was given, or more with UseAlternateVA",
                        "AcquireSwizzlingRange made %llu bytes of %llu%s",
                        (unsigned long long)answer->RangeSize, (unsigned long long)size,
                        alternate ? "" : ", and the lock has no UseAlternateVA");
    } else if (physical == 0 || !look.bytes) {
        contract_breach(&finding, "CPUTranslatedAddress where the CPU finds the allocation's bytes",
                        "AcquireSwizzlingRange left 0x%llX there, for %llu bytes: no memory of the "
                        "bus is there",
                        (unsigned long long)physical, (unsigned long long)answer->RangeSize);
    } else if (!shows_bytes(allocation, look.bytes)) {
        contract_breach(&finding, "CPUTranslatedAddress where the CPU finds the allocation's bytes",
                        "AcquireSwizzlingRange said 0x%llX: other bytes are there than the "
                        "allocation has in its segment",
                        (unsigned long long)physical);
    }
    look_end(&look);
}

static NTSTATUS call_driver(struct dxgk_adapter *adapter, struct dxgk_range *range, bool alternate)
{
    struct dxgk_allocation *allocation = range->allocation;
    DXGKARG_ACQUIRESWIZZLINGRANGE arguments = {
        .hAllocation = allocation->driver_handle,
        .PrivateDriverData = range->data,
        .RangeId = (UINT)(range - adapter->ranges->list),
        .SegmentId = allocation->memory.segment,
        .RangeSize = allocation->memory.size_bytes,
    };
    NTSTATUS status = ddi_acquire_swizzling_range(&adapter->ddi, adapter->ddi.miniport_context,
                                                  &arguments, allocation->object);

    if (status == STATUS_SUCCESS) {
        judge_answer(allocation, &arguments, alternate);
    }
    range->physical = (uint64_t)arguments.CPUTranslatedAddress.QuadPart;
    range->size_bytes = arguments.RangeSize;
    return status;
}

static bool is_memory(uint64_t physical, uint64_t size_bytes)
{
    return ram_at(physical, size_bytes) || pci_is_memory(physical, size_bytes);
}

/* NULL: none can be had. */
static struct dxgk_range *acquire(struct dxgk_allocation *allocation,
                                  const struct dxgk_lock_request *request)
{
    struct dxgk_adapter *adapter = allocation->adapter;
    struct dxgk_range *range;
    NTSTATUS status;

    for (;;) {
        while (!(range = find(adapter, allocation, request->private_data))) {
            if (!release_another(adapter)) {
                return NULL;
            }
        }
        range->used = ++adapter->ranges->uses;
        if (range->allocation) {
            return range;
        }
        *range = (struct dxgk_range){.allocation = allocation,
                                     .data = request->private_data,
                                     .used = range->used,
                                     .changing = true};
        status = call_driver(adapter, range, request->flags.UseAlternateVA);
        range->changing = false;
        wait_queue_wake(&adapter->idle_changed, UINT_MAX);
        if (status == STATUS_SUCCESS) {
            if (range->physical != 0 && is_memory(range->physical, range->size_bytes)) {
                return range;
            }
            release(adapter, range); /* nobody can look there */
            return NULL;
        }
        *range = (struct dxgk_range){0};
        if (status != STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNAVAILABLE ||
            !release_another(adapter)) {
            return NULL;
        }
    }
}

/* ---- Locking --------------------------------------------------------------------------------- */

/* Locked in its segment: what the client sees. */
static NTSTATUS look_through(struct dxgk_allocation *allocation,
                             const struct dxgk_lock_request *request, void **pointer)
{
    struct vidmm_allocation *memory = &allocation->memory;
    struct dxgk_range *range = acquire(allocation, request);
    NTSTATUS status = STATUS_NOT_SUPPORTED;

    *pointer = NULL;
    if (range && request->flags.UseAlternateVA) {
        *pointer = vidmm_alternate_again(memory);
        status = *pointer
                     ? STATUS_SUCCESS
                     : vidmm_show_alternate(memory, range->physical, range->size_bytes, pointer);
    } else if (range) {
        *pointer = look_on(allocation, range);
        status = *pointer ? STATUS_SUCCESS : STATUS_NOT_SUPPORTED;
    }
    if (NT_SUCCESS(status)) {
        range->locked = true;
    } else {
        CHECK_THAT(NT_SUCCESS(vidmm_unlock(memory)));
    }
    return status;
}

/* In a memory segment, and kept there until it is locked. */
static NTSTATUS pin(struct dxgk_allocation *allocation, struct vidmm_pin *pin)
{
    struct vidmm_prepare_result result;

    for (;;) {
        vidmm_pin_in_memory(pin, &allocation->memory, &result);
        dxgk_paging_kick(allocation->adapter);
        if (result.outcome == VIDMM_FAILED) {
            return result.status;
        }
        if (result.outcome != VIDMM_WAIT) {
            return dxgk_wait_paging(allocation->adapter, result.paging_sequence, MACHINE_NEVER);
        }
        dxgk_wait_memory(allocation->adapter, &result.wait, MACHINE_NEVER);
    }
}

/* Evicted and unswizzled: whoever locks it gets the memory that it is in, without further ado. */
static bool rests_linear(const struct vidmm_allocation *memory)
{
    return (memory->flags & VIDMM_ALLOCATION_SWIZZLED) != 0 && memory->segment == 0 &&
           memory->linear && memory->content != VIDMM_CONTENT_NONE;
}

NTSTATUS dxgk_ranges_lock(struct dxgk_opening *opening, const struct dxgk_lock_request *request,
                          void **pointer)
{
    struct dxgk_allocation *allocation = opening->allocation;
    struct vidmm_wait wait = {0};
    struct vidmm_pin held = {0};
    NTSTATUS status;

    if (!dxgk_ranges_exist(allocation->adapter) ||
        (rests_linear(&allocation->memory) && !request->flags.UseAlternateVA)) {
        return STATUS_NOT_SUPPORTED;
    }
    if (!allocation->memory.alternate.holds) {
        status = pin(allocation, &held);
        if (!NT_SUCCESS(status)) {
            return status;
        }
    }
    while ((status = vidmm_lock_in_place(&allocation->memory, dxgk_lock_flags(request->flags),
                                         pointer, &wait)) == STATUS_PENDING) {
        dxgk_wait_memory(allocation->adapter, &wait, MACHINE_NEVER);
    }
    if (status == STATUS_SUCCESS && !*pointer) {
        status = look_through(allocation, request, pointer);
    }
    dxgk_surface_unpin(allocation->adapter, &held);
    return status;
}

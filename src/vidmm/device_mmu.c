/* MMUs of the device that are nobody's address space: each has a range of addresses of its own, at
 * which the pages of allocations are shown while those have a place. Entries come behind the bytes
 * of an allocation, and go before they leave. A reset takes all of them away. */
#include <stdlib.h>

#include "base/check.h"
#include "vidmm/internal.h"

struct device_mmu {
    struct range_allocator ranges;
};

/* Where an allocation is shown. */
struct device_mapping {
    unsigned mmu;
    uint32_t node;
};

NTSTATUS device_mmus_init(struct vidmm *vidmm, const struct vidmm_config *config)
{
    NTSTATUS status = STATUS_SUCCESS;

    if (config->device_mmu_count == 0) {
        return STATUS_SUCCESS;
    }
    if (config->device_mmu_count > VIDMM_DEVICE_MMU_COUNT_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    vidmm->device_mmus = calloc(config->device_mmu_count, sizeof *vidmm->device_mmus);
    if (!vidmm->device_mmus) {
        return STATUS_NO_MEMORY;
    }
    for (unsigned i = 0; i < config->device_mmu_count && NT_SUCCESS(status); i++) {
        status = range_init(&vidmm->device_mmus[i].ranges,
                            config->device_mmu_bytes[i] / VIDMM_PAGE_BYTES);
        vidmm->device_mmu_count++;
    }
    return status;
}

void device_mmus_fini(struct vidmm *vidmm)
{
    for (unsigned i = 0; i < vidmm->device_mmu_count; i++) {
        range_fini(&vidmm->device_mmus[i].ranges);
    }
    free(vidmm->device_mmus);
}

/* ---- Addresses ------------------------------------------------------------------------------- */

bool device_mmu_fits(const struct vidmm *vidmm, uint32_t set)
{
    return (uint64_t)set >> vidmm->device_mmu_count == 0;
}

static void release_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
    HOLDS(vidmm->lock)
{
    for (unsigned i = 0; i < allocation->device_mapping_count; i++) {
        const struct device_mapping *mapping = &allocation->device_mappings[i];
        range_free(&vidmm->device_mmus[mapping->mmu].ranges, mapping->node);
    }
    free(allocation->device_mappings);
    allocation->device_mappings = NULL;
    allocation->device_mapping_count = 0;
}

bool device_mmu_take_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
{
    uint32_t pages = (uint32_t)(allocation->size_bytes / VIDMM_PAGE_BYTES);
    uint32_t set = allocation->device_mmus, node = 0;

    CHECK_THAT(allocation->device_mapping_count == 0);
    if (set == 0) {
        return true;
    }
    allocation->device_mappings =
        calloc(vidmm->device_mmu_count, sizeof *allocation->device_mappings);
    if (!allocation->device_mappings) {
        return false;
    }
    for (unsigned i = 0; i < vidmm->device_mmu_count && node != RANGE_NONE; i++) {
        if ((set >> i & 1) == 0) {
            continue;
        }
        node = range_alloc(&vidmm->device_mmus[i].ranges, pages, 1, false, allocation);
        if (node != RANGE_NONE) {
            allocation->device_mappings[allocation->device_mapping_count++] =
                (struct device_mapping){i, node};
        }
    }
    if (node == RANGE_NONE) {
        release_locked(vidmm, allocation);
    }
    return node != RANGE_NONE;
}

void device_mmu_forget_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
{
    release_locked(vidmm, allocation);
}

/* ---- Entries --------------------------------------------------------------------------------- */

size_t device_mmu_operations(const struct vidmm *vidmm, const struct vidmm_allocation *allocation)
{
    size_t count = 0;

    for (uint32_t set = allocation->device_mmus; set != 0; set &= set - 1) {
        count++;
    }
    return count * paging_part_count(vidmm, allocation);
}

static void queue_part_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                              const struct device_mapping *mapping, enum vidmm_op_kind kind,
                              const struct paging_part *part) HOLDS(vidmm->lock)
{
    uint64_t after = allocation->paging_sequence;
    uint64_t first = range_page(&vidmm->device_mmus[mapping->mmu].ranges, mapping->node);
    struct vidmm_op *op = paging_queue_locked(vidmm, kind, VIDMM_REASON_PLACE, allocation);
    bool is_local = !segment_is_aperture(segment_of(vidmm, allocation->segment));

    op->frame_first = part->first;
    op->device = (struct vidmm_device_range){
        .mmu = mapping->mmu,
        .address = (first + part->first) * VIDMM_PAGE_BYTES,
        .page_first = part->first,
        .page_count = part->count,
        .segment = is_local ? allocation->segment : 0,
        .offset = is_local ? allocation->offset + part->first * VIDMM_PAGE_BYTES : 0,
    };
    if (kind == VIDMM_OP_UNMAP_MMU) {
        op->after = after; /* a driver may do it with the CPU, while it builds */
    }
}

static void queue_all_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                             enum vidmm_op_kind kind) HOLDS(vidmm->lock)
{
    struct paging_part part;

    for (unsigned i = 0; i < allocation->device_mapping_count; i++) {
        for (part = paging_first_part(vidmm, allocation); part.count > 0;
             part = paging_next_part(vidmm, allocation, &part)) {
            queue_part_locked(vidmm, allocation, &allocation->device_mappings[i], kind, &part);
        }
    }
}

void device_mmu_show_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
{
    queue_all_locked(vidmm, allocation, VIDMM_OP_MAP_MMU);
}

/* The addresses are free again at once: who gets them maps them behind our UNMAP. */
void device_mmu_hide_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
{
    queue_all_locked(vidmm, allocation, VIDMM_OP_UNMAP_MMU);
    release_locked(vidmm, allocation);
}

/* What the driver says of its page tables, in vidmm's words; and which of it this kernel cannot
 * work with yet.
 *
 * Follows ns-d3dkmddi-_dxgk_gpummucaps and ns-d3dkmddi-_dxgk_page_table_level_desc. */
#include "dxgk/internal.h"

#include <stdio.h>
#include <string.h>

#define INDEX_BITS_MAX 20 /* a table of more entries would not fit anywhere */

static const struct {
    unsigned bit; /* of DXGK_GPUMMUCAPS */
    uint32_t flag;
} flags[] = {
    {0, VIDMM_MMU_READ_ONLY},      {1, VIDMM_MMU_NO_EXECUTE},
    {2, VIDMM_MMU_ZERO},           {3, VIDMM_MMU_EXPLICIT_INVALIDATION},
    {4, VIDMM_MMU_CACHE_COHERENT}, {5, VIDMM_MMU_IDLE_UPDATES},
    {7, VIDMM_MMU_DUAL},           {10, VIDMM_MMU_INVALID_NOT_CACHED},
};

static NTSTATUS ask_caps(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    struct vidmm_mmu_options *options = &adapter->mmu.options;
    const DXGK_QUERYGPUMMUCAPSIN input = {.PhysicalAdapterIndex = 0};
    DXGK_GPUMMUCAPS caps;

    memset(&caps, 0, sizeof caps);
    NTSTATUS status = dxgk_query_adapter(adapter, DXGKQAITYPE_GPUMMUCAPS, &input, sizeof input,
                                         &caps, sizeof caps);
    if (!NT_SUCCESS(status)) {
        snprintf(failure->text, sizeof failure->text, "QueryAdapterInfo(GPUMMUCAPS) failed with %s",
                 status_name(status));
        return status;
    }
    if (caps.PageTableLevelCount < 2 || caps.PageTableLevelCount > VIDMM_LEVEL_COUNT_MAX ||
        caps.PageTableUpdateMode > DXGK_PAGETABLEUPDATE_GPU_PHYSICAL) {
        snprintf(failure->text, sizeof failure->text,
                 "DXGK_GPUMMUCAPS has %u levels of page tables and update mode %u",
                 caps.PageTableLevelCount, caps.PageTableUpdateMode);
        return STATUS_INVALID_PARAMETER;
    }
    options->level_count = caps.PageTableLevelCount;
    options->mode = (enum vidmm_update_mode)caps.PageTableUpdateMode; /* they count alike */
    options->leaf_64k_bytes = caps.LeafPageTableSizeFor64KPagesInBytes;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        options->flags |= caps.Value >> flags[i].bit & 1 ? flags[i].flag : 0;
    }
    return STATUS_SUCCESS;
}
_Static_assert((int)VIDMM_UPDATE_CPU == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL &&
                   (int)VIDMM_UPDATE_GPU_VIRTUAL == DXGK_PAGETABLEUPDATE_GPU_VIRTUAL &&
                   (int)VIDMM_UPDATE_GPU_PHYSICAL == DXGK_PAGETABLEUPDATE_GPU_PHYSICAL,
               "both count the modes alike");

/* A public driver calls system memory by the number behind the last segment. */
static unsigned segment_of(const struct dxgk_adapter *adapter, UINT id)
{
    return id == adapter->segment_count + 1 ? 0 : id;
}

static NTSTATUS ask_level(struct dxgk_adapter *adapter, WORD index, struct dxgk_failure *failure)
{
    const DXGK_QUERYPAGETABLELEVELDESCIN input = {.LevelIndex = index};
    DXGK_PAGE_TABLE_LEVEL_DESC level = {0};
    NTSTATUS status = dxgk_query_adapter(adapter, DXGKQAITYPE_PAGETABLELEVELDESC, &input,
                                         sizeof input, &level, sizeof level);

    if (!NT_SUCCESS(status)) {
        snprintf(failure->text, sizeof failure->text,
                 "QueryAdapterInfo(PAGETABLELEVELDESC) failed with %s for level %u",
                 status_name(status), index);
        return status;
    }
    const struct vidmm_level_options options = {
        .index_bits = level.PageTableIndexBitCount,
        .segment = segment_of(adapter, level.PageTableSegmentId),
        .paging_segment = segment_of(adapter, level.PagingProcessPageTableSegmentId),
        .size_bytes = level.PageTableSizeInBytes,
        .alignment_bytes = level.PageTableAlignmentInBytes,
    };
    if (options.index_bits == 0 || options.index_bits > INDEX_BITS_MAX ||
        options.segment > adapter->segment_count ||
        options.paging_segment > adapter->segment_count) {
        snprintf(failure->text, sizeof failure->text,
                 "page tables of level %u have %u index bits, and are in segments %u and %u of %u",
                 index, options.index_bits, level.PageTableSegmentId,
                 level.PagingProcessPageTableSegmentId, adapter->segment_count);
        return STATUS_INVALID_PARAMETER;
    }
    adapter->mmu.options.levels[index] = options;
    return STATUS_SUCCESS;
}

static const char *what_is_missing(const struct dxgk_adapter *adapter)
{
    const struct dxgk_mmu *mmu = &adapter->mmu;

    if (!adapter->caps.MemoryManagementCaps.GpuMmuSupported) {
        return "addresses of the CPU's page tables (IoMmuSupported)";
    }
    if (mmu->nodes >> adapter->paging_node & 1) {
        return "a paging node that works with GPU virtual addresses";
    }
    if (mmu->options.flags & VIDMM_MMU_IDLE_UPDATES) {
        return "PageTableUpdateRequireAddressSpaceIdle";
    }
    return mmu->options.mode != VIDMM_UPDATE_GPU_PHYSICAL
               ? "page tables that are written otherwise than by DXGK_PAGETABLEUPDATE_GPU_PHYSICAL"
               : NULL;
}

NTSTATUS dxgk_mmu_query(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    NTSTATUS status = STATUS_SUCCESS;

    if (!adapter->features.virtual_addressing) {
        return STATUS_SUCCESS;
    }
    if (adapter->caps.MemoryManagementCaps.GpuMmuSupported) {
        status = ask_caps(adapter, failure);
        for (WORD i = 0; NT_SUCCESS(status) && i < adapter->mmu.options.level_count; i++) {
            status = ask_level(adapter, i, failure);
        }
    }
    const char *missing = NT_SUCCESS(status) ? what_is_missing(adapter) : NULL;
    if (missing) {
        failure->ours = true;
        snprintf(failure->text, sizeof failure->text,
                 "the driver asks for GPU virtual addresses (MemoryManagementCaps 0x%X), and "
                 "Drydock does not have yet: %s",
                 adapter->caps.MemoryManagementCaps.Value, missing);
        return STATUS_NOT_SUPPORTED;
    }
    adapter->mmu.present = NT_SUCCESS(status);
    return status;
}

uint64_t dxgk_mmu_root_bytes(struct vidmm *vidmm, uint32_t *entry_count)
{
    struct dxgk_adapter *adapter = dxgk_adapter_of_memory(vidmm);
    DXGKARG_GETROOTPAGETABLESIZE arguments = {.NumberOfPte = *entry_count};
    SIZE_T bytes = ddi_get_root_page_table_size(&adapter->ddi, &arguments);

    *entry_count = arguments.NumberOfPte > *entry_count ? arguments.NumberOfPte : *entry_count;
    return bytes;
}

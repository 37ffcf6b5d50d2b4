/* What the driver says of its page tables, in vidmm's words; and which of it this kernel cannot
 * work with yet.
 *
 * Follows ns-d3dkmddi-_dxgk_gpummucaps and ns-d3dkmddi-_dxgk_page_table_level_desc. */
#include "dxgk/internal.h"

#include <stdio.h>
#include <string.h>

#define ADDRESS_BITS_OF_PAGE 12
#define INDEX_BITS_MAX       20 /* a table of more entries would not fit anywhere */
#define PAGING_BYTES_MAX     (UINT64_C(1) << 30) /* of the paging space */

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
    options->flags |= caps.LegacyBehaviors.SourcePageTableVaInTransfer
                          ? (uint32_t)VIDMM_MMU_TABLES_IN_TRANSFER
                          : 0;
    adapter->mmu.address_bits = caps.VirtualAddressBitCount;
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
    bool grows = adapter->mmu.options.level_count == 2 && index == 1;
    if ((options.index_bits == 0 && !grows) || options.index_bits > INDEX_BITS_MAX ||
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

/* A root of two levels grows: the level says how long it is at first, the caps what it may reach
 * [PT-009]. */
static void let_root_grow(struct dxgk_mmu *mmu)
{
    struct vidmm_level_options *root = &mmu->options.levels[1];
    unsigned below = ADDRESS_BITS_OF_PAGE + mmu->options.levels[0].index_bits;

    if (mmu->options.level_count == 2 && mmu->address_bits > below + root->index_bits) {
        unsigned bits = mmu->address_bits - below;
        root->index_bits = bits < INDEX_BITS_MAX ? bits : INDEX_BITS_MAX;
    }
}

/* What the driver wants; or a quarter of its largest memory. The pages say so, and an older one a
 * gigabyte: more than that nobody gets. */
static uint64_t paging_bytes(struct dxgk_adapter *adapter)
{
    uint64_t largest = 0;
    UINT physical_adapter = 0, megabytes = 0;

    if (adapter->features.paging_space_size &&
        NT_SUCCESS(dxgk_query_adapter(adapter, DXGKQAITYPE_PAGINGPROCESSGPUVASIZE,
                                      &physical_adapter, sizeof physical_adapter, &megabytes,
                                      sizeof megabytes)) &&
        megabytes > 0) {
        largest = (uint64_t)megabytes << 20;
        return largest < PAGING_BYTES_MAX ? largest : PAGING_BYTES_MAX;
    }
    for (unsigned i = 0; i < adapter->segment_count; i++) {
        const struct vidmm_segment_options *segment = &adapter->segments[i];
        if (!(segment->flags & VIDMM_SEGMENT_APERTURE) && segment->size_bytes > largest) {
            largest = segment->size_bytes;
        }
    }
    return largest / 4 < PAGING_BYTES_MAX ? largest / 4 : PAGING_BYTES_MAX;
}

static bool seen_by_cpu(const struct dxgk_adapter *adapter, unsigned segment)
{
    return segment == 0 || (adapter->segments[segment - 1].flags & VIDMM_SEGMENT_SEEN);
}

/* The CPU writes all tables, or those of the paging process, which no command can write before. */
static bool cpu_sees_tables(const struct dxgk_adapter *adapter)
{
    const struct vidmm_mmu_options *options = &adapter->mmu.options;
    bool all = options->mode == VIDMM_UPDATE_CPU;

    for (unsigned i = 0; i < options->level_count; i++) {
        if ((all && !seen_by_cpu(adapter, options->levels[i].segment)) ||
            (adapter->mmu.pages && !seen_by_cpu(adapter, options->levels[i].paging_segment))) {
            return false;
        }
    }
    return true;
}

/* A context of GPU virtual addresses does nothing without its root table, and a root that grows is
 * asked for its size first [PT-001, PT-007]. */
static NTSTATUS look_for_ddis(const struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    static const enum contract_point needed[] = {POINT_SetRootPageTable, POINT_SubmitCommandVirtual,
                                                 POINT_GetRootPageTableSize};
    size_t count = sizeof needed / sizeof *needed;

    if (adapter->mmu.options.level_count > 2) {
        count--;
    }
    for (size_t i = 0; i < count && !adapter->mmu.shared; i++) {
        if (!ddi_has(&adapter->ddi, needed[i])) {
            snprintf(failure->text, sizeof failure->text,
                     "MemoryManagementCaps.GpuMmuSupported is set, and %s is not registered",
                     contract_point_info(needed[i])->name);
            return STATUS_INVALID_PARAMETER;
        }
    }
    return STATUS_SUCCESS;
}

static const char *what_is_missing(const struct dxgk_adapter *adapter)
{
    const struct dxgk_mmu *mmu = &adapter->mmu;

    if (!adapter->caps.MemoryManagementCaps.GpuMmuSupported && !mmu->shared) {
        return "VirtualAddressingSupported with neither GpuMmuSupported nor IoMmuSupported";
    }
    if (mmu->shared && mmu->global) {
        return "one address space of all processes, in the IOMMU (GpuVaIommuGlobalRequired)";
    }
    if (!cpu_sees_tables(adapter)) {
        return "page tables that the CPU writes through a CPU host aperture";
    }
    if (mmu->options.mode == VIDMM_UPDATE_GPU_VIRTUAL && !mmu->pages) {
        return "DXGK_PAGETABLEUPDATE_GPU_VIRTUAL with a paging node that has no virtual addresses";
    }
    return NULL;
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
        status = NT_SUCCESS(status) ? look_for_ddis(adapter, failure) : status;
        let_root_grow(&adapter->mmu);
    } else if (adapter->caps.MemoryManagementCaps.IoMmuSupported) {
        dxgk_iommu_describe(&adapter->mmu);
    }
    adapter->mmu.gives &= adapter->mmu.shared;
    adapter->mmu.present = NT_SUCCESS(status);
    adapter->mmu.pages = adapter->mmu.present && adapter->contexts && !adapter->mmu.shared &&
                         (adapter->mmu.nodes >> adapter->paging_node & 1);
    const char *missing = adapter->mmu.present ? what_is_missing(adapter) : NULL;
    if (missing) {
        failure->ours = true;
        snprintf(failure->text, sizeof failure->text,
                 "the driver asks for GPU virtual addresses (MemoryManagementCaps 0x%X), and "
                 "Drydock does not have yet: %s",
                 adapter->caps.MemoryManagementCaps.Value, missing);
        return STATUS_NOT_SUPPORTED;
    }
    if (adapter->mmu.pages) {
        adapter->mmu.paging_bytes = paging_bytes(adapter);
    }
    return status;
}

uint64_t dxgk_mmu_root_bytes(struct vidmm *vidmm, uint32_t *entry_count)
{
    struct dxgk_adapter *adapter = vidmm_owner(vidmm);
    DXGKARG_GETROOTPAGETABLESIZE arguments = {.NumberOfPte = *entry_count};
    SIZE_T bytes = ddi_get_root_page_table_size(&adapter->ddi, &arguments);

    *entry_count = arguments.NumberOfPte > *entry_count ? arguments.NumberOfPte : *entry_count;
    return bytes;
}

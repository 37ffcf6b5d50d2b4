/* process.c: processes, address spaces, and what dxgkrnl is told of page tables.
 *
 * With GpuMmu VidMm owns the page tables of each process; the driver says what they look like, and
 * where they may lie. What there is of it in the device:
 *
 *   process   a tag, under which the TLBs keep what they know: FLUSH_TLB names a process
 *   context   an address space: the root table that SetRootPageTable named. While a table moves,
 *             contexts of one process may have different ones
 *
 * Tables, with their levels counted from the leaves:
 *
 *   levels   index bits     with pairs in system memory
 *   2        9, 15          the root grows: 4 KiB for each 512 (256) entries
 *   3        9, 9, 9        9, 8, 9
 *   4        9, 9, 9, 9     9, 8, 9, 9
 *   5        9, 9, 6, 6, 6  9, 8, 6, 6, 6
 *   6        9, 9, 6, 5, 5, 5 ...
 *
 * With IoMmu there are no tables of ours: the process's tag is its PASID, and the device asks the
 * IOMMU for each access of a context's space. Where dxgkrnl gives addresses out, by
 * GpuVaIommuRequired, the TLBs remember what the IOMMU said, until an allocation is about to leave
 * it (NOTIFY_ALLOC).
 *
 * In system memory no table is larger than 4 KiB (PT-009): a root of two levels has 9 (8) bits. */
#include "softgpu.h"

#define TABLE_BYTES_MIN 4096u
#define ENTRY_BYTES     8u
#define PAIR_BYTES      16u
#define LEAF_BITS       9u
#define PAGES_64K_SHIFT 4u /* 16 small pages */
#define ROOT_BITS_MAX   15u

#define CPU_ADDRESS_BITS 48u

/* ---- The arrangement ------------------------------------------------------------------------- */

static ULONG index_bits(const struct softgpu_settings *settings, ULONG level)
{
    static const UCHAR upper[SOFTGPU_LEVEL_MAX + 1][SOFTGPU_LEVEL_MAX] = {
        [2] = {LEAF_BITS, ROOT_BITS_MAX}, [3] = {LEAF_BITS, 9, 9},
        [4] = {LEAF_BITS, 9, 9, 9},       [5] = {LEAF_BITS, 9, 6, 6, 6},
        [6] = {LEAF_BITS, 9, 6, 5, 5, 5},
    };
    ULONG bits = upper[settings->table_levels][level];

    if (level == 1 && !settings->table_in_vram) {
        return settings->dual_pte ? 8 : 9;
    }
    return bits;
}

static ULONG address_bits(const struct softgpu_settings *settings)
{
    ULONG level, bits = SOFTGPU_PAGE_SHIFT;

    for (level = 0; level < settings->table_levels; level++) {
        bits += index_bits(settings, level);
    }
    return bits;
}

ULONGLONG softgpu_address_end(const struct softgpu_settings *settings)
{
    return 1ull << (settings->io_mmu ? CPU_ADDRESS_BITS : address_bits(settings));
}

static ULONG entry_bytes(const struct softgpu_settings *settings, ULONG level)
{
    return level == 1 && settings->dual_pte ? PAIR_BYTES : ENTRY_BYTES;
}

static ULONG table_bytes(const struct softgpu_settings *settings, ULONG level, ULONG entries)
{
    ULONG bytes = entries * entry_bytes(settings, level);

    return (bytes + TABLE_BYTES_MIN - 1) & ~(TABLE_BYTES_MIN - 1);
}

void softgpu_mmu_setup(const struct softgpu_adapter *adapter)
{
    const struct softgpu_settings *settings = &adapter->settings;
    ULONGLONG bits = 0;
    ULONG level, i;

    for (level = 0; level < settings->table_levels; level++) {
        bits |= (ULONGLONG)index_bits(settings, level) << (level * 8);
    }
    softgpu_write_pair(adapter, SOFTGPU_REG_MMU_INDEX_BITS, bits);
    softgpu_write(adapter, SOFTGPU_REG_MMU_CONTROL,
                  SOFTGPU_MMU_ENABLE | (settings->dual_pte ? SOFTGPU_MMU_DUAL : 0) |
                      settings->table_levels << SOFTGPU_MMU_LEVELS_SHIFT);
    if (settings->io_mmu) { /* the IOMMU has the tables, and each space's tag is a PASID */
        softgpu_write(adapter, SOFTGPU_REG_MMU_CONTROL,
                      SOFTGPU_MMU_ENABLE | SOFTGPU_MMU_PASID |
                          (settings->io_mmu == SOFTGPU_IOMMU_GPU_VA ? SOFTGPU_MMU_REMEMBERS : 0));
    }
    softgpu_write(adapter, SOFTGPU_REG_MMU_FLUSH, ~0u);
    for (i = 1; i < SOFTGPU_SPACE_COUNT; i++) {
        const struct softgpu_space *space = &adapter->spaces[i];

        if (space->used) {
            softgpu_write(adapter, SOFTGPU_SPACE_REG(i, SOFTGPU_SPACE_TAG), space->tag);
            softgpu_write_pair(adapter, SOFTGPU_SPACE_REG(i, SOFTGPU_SPACE_ROOT), space->root);
            softgpu_write(adapter, SOFTGPU_SPACE_REG(i, SOFTGPU_SPACE_ENTRIES), space->entries);
        }
    }
}

/* ---- What dxgkrnl asks ----------------------------------------------------------------------- */

NTSTATUS softgpu_query_mmu_caps(const struct softgpu_adapter *adapter,
                                const DXGKARG_QUERYADAPTERINFO *query)
{
    const struct softgpu_settings *settings = &adapter->settings;
    DXGK_GPUMMUCAPS *caps = query->pOutputData;

    if (!settings->gpu_mmu || query->OutputDataSize < sizeof(*caps)) {
        return STATUS_INVALID_PARAMETER;
    }
    RtlZeroMemory(caps, sizeof(*caps));
    caps->ReadOnlyMemorySupported = 1;
    caps->NoExecuteMemorySupported = 1;
    caps->ZeroInPteSupported = 1;
    caps->ExplicitPageTableInvalidation = settings->table_explicit != 0;
    caps->CacheCoherentMemorySupported = 1;
    caps->PageTableUpdateRequireAddressSpaceIdle = settings->table_idle_updates != 0;
    caps->LargePageSupported = 0; /* the device has them; nothing is gained by them here */
    caps->DualPteSupported = settings->dual_pte != 0;
    if (settings->wddm_version >= 0x2600) {
        caps->InvalidTlbEntriesNotCached = 1;
    }
    caps->LegacyBehaviors.SourcePageTableVaInTransfer = settings->tables_in_transfer != 0;
    caps->PageTableUpdateMode = (DXGK_PAGETABLEUPDATEMODE)settings->table_update_mode;
    caps->VirtualAddressBitCount = address_bits(settings);
    caps->LeafPageTableSizeFor64KPagesInBytes =
        table_bytes(settings, 0, 1u << (LEAF_BITS - PAGES_64K_SHIFT));
    caps->PageTableLevelCount = settings->table_levels;
    return STATUS_SUCCESS;
}

/* One question for each level. A root that can grow begins with one page. */
NTSTATUS softgpu_query_table_level(const struct softgpu_adapter *adapter,
                                   const DXGKARG_QUERYADAPTERINFO *query)
{
    const struct softgpu_settings *settings = &adapter->settings;
    const DXGK_QUERYPAGETABLELEVELDESCIN *in = query->pInputData;
    DXGK_PAGE_TABLE_LEVEL_DESC *out = query->pOutputData;
    ULONG bits;

    if (!settings->gpu_mmu || in == NULL || query->InputDataSize < sizeof(*in) ||
        query->OutputDataSize < sizeof(*out) || in->LevelIndex >= settings->table_levels ||
        in->PhysicalAdapterIndex != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    bits = index_bits(settings, in->LevelIndex);
    if (settings->table_levels == 2 && in->LevelIndex == 1) {
        bits = settings->dual_pte ? 8 : 9;
    }
    out->PageTableIndexBitCount = bits;
    out->PageTableSegmentId = settings->table_in_vram ? 1 : 0;
    out->PagingProcessPageTableSegmentId = out->PageTableSegmentId;
    out->PageTableSizeInBytes = table_bytes(settings, in->LevelIndex, 1u << bits);
    out->PageTableAlignmentInBytes = TABLE_BYTES_MIN;
    return STATUS_SUCCESS;
}

/* Whole pages of entries, at least as many as asked for (PT-007). */
SIZE_T NTAPI softgpu_get_root_page_table_size(const HANDLE adapter_handle,
                                              DXGKARG_GETROOTPAGETABLESIZE *arguments)
{
    const struct softgpu_adapter *adapter = adapter_handle;
    const struct softgpu_settings *settings = &adapter->settings;
    ULONG root = settings->table_levels - 1;
    ULONG most = 1u << index_bits(settings, root);
    ULONG bytes, entries = arguments->NumberOfPte;

    PAGED_CODE();

    entries = entries == 0 ? 1 : entries;
    entries = entries > most ? most : entries;
    bytes = table_bytes(settings, root, entries);
    if (settings->table_in_vram && settings->vram_64k) { /* pages of the table's segment */
        bytes = (bytes + 0xFFFF) & ~0xFFFFu;
    }
    entries = bytes / entry_bytes(settings, root);
    if (entries > arguments->NumberOfPte) {
        arguments->NumberOfPte = entries > most ? most : entries;
    }
    return bytes;
}

/* ---- Processes ------------------------------------------------------------------------------- */

NTSTATUS NTAPI softgpu_create_process(const HANDLE adapter_handle, DXGKARG_CREATEPROCESS *create)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct softgpu_process *process;

    PAGED_CODE();

    process = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(*process), SOFTGPU_TAG_PROCESS);
    if (process == NULL) {
        return STATUS_NO_MEMORY;
    }
    process->adapter = adapter;
    process->kernel_handle = create->hDxgkProcess;
    if (adapter->settings.io_mmu) {
        process->tag = create->NumPasid > 0 ? create->pPasid[0] : 0; /* the system's has none */
        create->hKmdProcess = process;
        return STATUS_SUCCESS;
    }
    do {
        process->tag = (ULONG)InterlockedIncrement(&adapter->next_process_tag);
    } while (process->tag == 0 || process->tag == ~0u);
    create->hKmdProcess = process;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI softgpu_destroy_process(const HANDLE adapter_handle, HANDLE process_handle)
{
    UNREFERENCED_PARAMETER(adapter_handle);
    PAGED_CODE();

    /* What the TLBs still know under its tag no context has a use for. */
    ExFreePoolWithTag(process_handle, SOFTGPU_TAG_PROCESS);
    return STATUS_SUCCESS;
}

/* ---- Address spaces -------------------------------------------------------------------------- */

BOOLEAN softgpu_space_open(struct softgpu_adapter *adapter, struct softgpu_context *context)
{
    const struct softgpu_process *process = context->device->process;
    ULONG i;

    for (i = 1; i < SOFTGPU_SPACE_COUNT; i++) {
        struct softgpu_space *space = &adapter->spaces[i];

        if (InterlockedCompareExchange(&space->used, 1, 0) != 0) {
            continue;
        }
        space->tag = process->tag;
        space->process = process->kernel_handle;
        space->root = 0;
        space->entries = 0; /* every access faults until SetRootPageTable (PT-001) */
        softgpu_write(adapter, SOFTGPU_SPACE_REG(i, SOFTGPU_SPACE_TAG), space->tag);
        if (adapter->settings.io_mmu) {
            space->entries = 1; /* there is no root table to wait for */
            softgpu_write(adapter, SOFTGPU_SPACE_REG(i, SOFTGPU_SPACE_ENTRIES), space->entries);
        }
        context->space = i;
        return TRUE;
    }
    return FALSE;
}

void softgpu_space_close(struct softgpu_adapter *adapter, struct softgpu_context *context)
{
    if (context->space == 0) {
        return;
    }
    (void)InterlockedCompareExchange(&adapter->system_space, 0, (LONG)context->space);
    softgpu_write(adapter, SOFTGPU_SPACE_REG(context->space, SOFTGPU_SPACE_ENTRIES), 0);
    adapter->spaces[context->space].process = NULL;
    adapter->spaces[context->space].entries = 0;
    InterlockedExchange(&adapter->spaces[context->space].used, 0);
}

/* The context does not run now. What the TLBs know stays true: the new root leads where the old one
 * led. */
void NTAPI softgpu_set_root_page_table(const HANDLE adapter_handle,
                                       const DXGKARG_SETROOTPAGETABLE *arguments)
{
    struct softgpu_adapter *adapter = adapter_handle;
    const struct softgpu_context *context = arguments->hContext;
    struct softgpu_space *space;

    if (context == NULL || context->space == 0) {
        return; /* it works with physical addresses */
    }
    space = &adapter->spaces[context->space];
    space->root = softgpu_segment_address(adapter, arguments->Address.SegmentId,
                                          arguments->Address.SegmentOffset);
    space->entries = arguments->NumEntries;
    softgpu_write_pair(adapter, SOFTGPU_SPACE_REG(context->space, SOFTGPU_SPACE_ROOT), space->root);
    softgpu_write(adapter, SOFTGPU_SPACE_REG(context->space, SOFTGPU_SPACE_ENTRIES),
                  space->entries);
    softgpu_state_new_root(adapter, context, space->root);
}

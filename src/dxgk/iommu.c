/* IoMmu: GPU virtual addresses are the CPU's, or the kernel gives them out, and in either case the
 * computer's IOMMU translates.
 *
 *     a process's space ── PASID ──> the IOMMU's tables, which vidmm keeps as those of a driver's
 *     MMU: in system memory, written here; the driver hears of the PASID alone
 *
 * What is used by address gets one when it is made, for its life: the kernel's own lock of its
 * backing store, which every lock of its clients is given, too. Tables show it there while it is
 * resident. Follows the pages iommu-model and ns-d3dkmddi-_dxgkarg_createprocess.
 *
 * With GpuVaIommuRequired (a guess, but for the notices) clients are given addresses as they are by
 * a driver with page tables. Before an allocation leaves the IOMMU the driver hears of it, if it
 * asked for that:
 *
 *     NOTIFY_ALLOC (IoMmuUnmap, process, address) ─> all paging ends ─> the entries are cleared
 *
 * Follows the page allocation-notification. */
#include "dxgk/work.h"

#include <inttypes.h>

#define TABLE_BYTES 4096u
#define SPACES_MAX  1024u /* of a device that never ends */
#define ANSWERS_MAX 65536u

void dxgk_iommu_describe(struct dxgk_mmu *mmu)
{
    mmu->shared = true;
    mmu->options = (struct vidmm_mmu_options){
        .level_count = IOMMU_LEVELS,
        .mode = VIDMM_UPDATE_CPU,
        .flags = VIDMM_MMU_READ_ONLY | VIDMM_MMU_NO_EXECUTE | VIDMM_MMU_TABLES_STAY |
                 (mmu->gives ? 0u : VIDMM_MMU_ALL_ADDRESSES),
    };
    for (unsigned i = 0; i < IOMMU_LEVELS; i++) {
        mmu->options.levels[i] = (struct vidmm_level_options){.index_bits = IOMMU_INDEX_BITS,
                                                              .size_bytes = TABLE_BYTES,
                                                              .alignment_bytes = TABLE_BYTES};
    }
}

NTSTATUS dxgk_iommu_begin(struct dxgk_space *space)
{
    if (!space->adapter->mmu.shared || !space->has_addresses) {
        return STATUS_SUCCESS;
    }
    space->pasid = iommu_pasid_new();
    return space->pasid ? STATUS_SUCCESS : STATUS_NO_MEMORY;
}

NTSTATUS dxgk_iommu_bind(struct dxgk_space *space)
{
    struct vidmm_root root;

    vidmm_space_root(&space->memory, &root);
    NTSTATUS status = dxgk_wait_paging(space->adapter, root.paging_sequence, MACHINE_NEVER);
    if (NT_SUCCESS(status)) {
        CHECK_THAT(root.place.segment == 0);
        iommu_bind(space->pasid, root.place.offset);
    }
    return status;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

bool dxgk_iommu_does(const struct dxgk_adapter *adapter, const struct vidmm_op *op)
{
    return adapter->mmu.shared &&
           (op->kind == VIDMM_OP_UPDATE_TABLE || op->kind == VIDMM_OP_FLUSH_TLB);
}

static uint64_t entry_of(const struct vidmm_pte *pte)
{
    if (!(pte->flags & VIDMM_PTE_VALID)) {
        return 0;
    }
    CHECK_THAT(pte->segment == 0);
    return (pte->offset & IOMMU_ADDRESS_MASK) | IOMMU_PRESENT |
           (pte->flags & VIDMM_PTE_READ_ONLY ? 0 : IOMMU_WRITABLE) |
           (pte->flags & VIDMM_PTE_NO_EXECUTE ? IOMMU_NO_EXECUTE : 0);
}

/* What an engine remembers is where it goes; the entries that are cleared now are asked about. */
static void look_at_remembered(const struct dxgk_adapter *adapter, const struct vidmm_op *op)
{
    const struct dxgk_space *space = container_of(op->space, struct dxgk_space, memory);
    uint64_t first = op->update.address, bytes = op->update.count * UINT64_C(4096);
    struct device_address_space found;
    struct device_remembered known;

    contract_count(RULE_NALLOC_007);
    for (unsigned number = 0, asked = 0;
         asked < SPACES_MAX && pci_address_space(adapter->ddi.slot, &number, &found);
         number++, asked++) {
        uint64_t cursor = 0;
        for (unsigned i = 0; found.pasid == space->pasid && i < ANSWERS_MAX &&
                             pci_remembered(adapter->ddi.slot, number, &cursor, &known);
             i++) {
            if (known.address - first < bytes) {
                contract_breach(
                    &(struct contract_finding){.rule = CONTRACT_JUDGES(NALLOC_007),
                                               .object = op->allocation->object},
                    "no engine goes by an address of the allocation behind NOTIFY_ALLOC with "
                    "IoMmuUnmap",
                    "the notice of the allocation named PASID %u, 0x%" PRIX64 " bytes at "
                    "0x%" PRIX64 ", and its commands have ended; engine %u still remembers where "
                    "0x%" PRIX64 " led",
                    space->pasid, bytes, first, known.engine, known.address);
                return;
            }
        }
    }
}

/* All of paging that came before has ended, the notice too. */
static void leave(const struct dxgk_adapter *adapter, const struct vidmm_op *op)
{
    bool noticed = op->allocation && op->update.entries == VIDMM_ENTRIES_INVALID &&
                   (op->allocation->flags & VIDMM_ALLOCATION_NOTIFY_UNMAP);

    if (noticed) {
        KERNEL_DUTY(NALLOC_006, vidmm_paging_reached(adapter->vidmm, op->sequence - 1));
        if (dxgk_adapter_has_hardware(adapter)) {
            look_at_remembered(adapter, op);
        }
    }
}

/* A flush finds nothing: the IOMMU remembers no entries. */
NTSTATUS dxgk_iommu_do(const struct dxgk_adapter *adapter, struct vidmm_op *op)
{
    if (op->kind == VIDMM_OP_UPDATE_TABLE) {
        leave(adapter, op);
        uint64_t *table = vidmm_op_table_view(op);
        struct vidmm_pte pte;
        for (uint32_t i = 0; i < op->update.count; i++) {
            vidmm_op_entries(op, op->update.repeat ? 0 : i, 1, false, &pte);
            table[op->update.first + i] = entry_of(&pte);
        }
    }
    return STATUS_SUCCESS;
}

/* ---- Allocations ----------------------------------------------------------------------------- */

static NTSTATUS map(struct dxgk_allocation *allocation, struct dxgk_space *space, uint64_t address)
{
    const struct vidmm_map_request request = {
        .allocation = &allocation->memory,
        .base = address,
        .page_count = allocation->memory.size_bytes / VIDMM_PAGE_BYTES,
        .protection = VIDMM_PROTECT_WRITE | VIDMM_PROTECT_EXECUTE,
    };
    struct vidmm_wait wait;
    uint64_t given;
    NTSTATUS status;

    while ((status = vidmm_space_map(&space->memory, &request, &given, &wait)) == STATUS_PENDING) {
        dxgk_wait_memory(space->adapter, &wait, MACHINE_NEVER);
    }
    dxgk_paging_kick(space->adapter);
    CHECK_THAT(!NT_SUCCESS(status) || given == address);
    return status;
}

NTSTATUS dxgk_iommu_share(struct dxgk_allocation *allocation, struct dxgk_space *space)
{
    const uint32_t wanted = VIDMM_ALLOCATION_SHARED_VIEW | VIDMM_ALLOCATION_CPU_VISIBLE;
    struct vidmm_wait wait;
    void *pointer;

    if (space->pasid == 0 || (allocation->memory.flags & wanted) != wanted) {
        return STATUS_SUCCESS;
    }
    NTSTATUS status = dxgk_space_need_root(space);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    while ((status = vidmm_lock(&allocation->memory, 0, &pointer, &wait)) == STATUS_PENDING) {
        dxgk_wait_memory(space->adapter, &wait, MACHINE_NEVER);
    }
    return NT_SUCCESS(status) ? map(allocation, space, (uintptr_t)pointer) : status;
}

void dxgk_iommu_unshare(struct dxgk_allocation *allocation)
{
    if (allocation->memory.flags & VIDMM_ALLOCATION_SHARED_VIEW &&
        allocation->memory.lock_count > 0) {
        CHECK_THAT(NT_SUCCESS(vidmm_unlock(&allocation->memory)));
    }
}

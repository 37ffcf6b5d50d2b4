/* The chipset's aperture: mapped by the kernel, touched by the GPU so that the CPU may look. */
#include "dxgk/gart.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SCRATCH_PAGE (DXGK_GART_USABLE_BYTES >> MACHINE_PAGE_SHIFT)
#define NOTHING_BYTE 0xA5u

struct dxgk_gart {
    uint64_t scratch; /* the frame */
    /* The operation that is looked at; operations run one at a time for that. */
    const struct vidmm_op *watched;
    uint8_t before[MACHINE_PAGE_SIZE]; /* the page in which its address is */
};

/* A device that cannot reach it has none; nor has a driver of the second model, which is not told.
 */
DXGK_QUERYSEGMENTIN dxgk_gart_described(const struct dxgk_adapter *adapter)
{
    DXGK_QUERYSEGMENTIN described = {0};
    uint64_t highest = (uint64_t)adapter->caps.HighestAcceptableAddress.QuadPart;

    if (gart_bytes() == 0 || adapter->features.wddm2 || highest < GART_BASE + GART_BYTES - 1) {
        return described;
    }
    vary_happened(VARY_AGP_APERTURE);
    described.AgpApertureBase.QuadPart = (LONGLONG)GART_BASE;
    described.AgpApertureSize.QuadPart = (LONGLONG)gart_bytes();
    described.AgpFlags.Agp = 1;
    return described;
}

/* ---- The page for nothing -------------------------------------------------------------------- */

static bool has_segment(const struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->segment_count; i++) {
        if (adapter->segments[i].flags & VIDMM_SEGMENT_CHIPSET) {
            return true;
        }
    }
    return false;
}

NTSTATUS dxgk_gart_start(struct dxgk_adapter *adapter)
{
    struct dxgk_gart *gart;
    NTSTATUS status;

    if (!has_segment(adapter)) {
        return STATUS_SUCCESS;
    }
    gart = calloc(1, sizeof *gart);
    if (!gart) {
        return STATUS_NO_MEMORY;
    }
    status = ram_alloc_frames(&(struct ram_request){.page_count = 1}, &gart->scratch);
    if (NT_SUCCESS(status) && !gart_map(SCRATCH_PAGE, &gart->scratch, 1)) {
        ram_free_frames(&gart->scratch, 1);
        status = STATUS_NO_MEMORY;
    }
    if (!NT_SUCCESS(status)) {
        free(gart);
        return status;
    }
    memset(ram_at(gart->scratch << MACHINE_PAGE_SHIFT, MACHINE_PAGE_SIZE), NOTHING_BYTE,
           MACHINE_PAGE_SIZE);
    adapter->gart = gart;
    return STATUS_SUCCESS;
}

void dxgk_gart_stop(struct dxgk_adapter *adapter)
{
    if (adapter->gart) {
        gart_unmap(SCRATCH_PAGE, 1);
        ram_free_frames(&adapter->gart->scratch, 1);
        free(adapter->gart);
        adapter->gart = NULL;
    }
}

/* ---- Operations ------------------------------------------------------------------------------ */

bool dxgk_gart_maps(const struct dxgk_adapter *adapter, const struct vidmm_op *op)
{
    return (op->kind == VIDMM_OP_MAP_APERTURE || op->kind == VIDMM_OP_UNMAP_APERTURE) &&
           adapter->segments[op->aperture.segment - 1].flags & VIDMM_SEGMENT_CHIPSET;
}

NTSTATUS dxgk_gart_do(const struct vidmm_op *op)
{
    if (op->kind == VIDMM_OP_UNMAP_APERTURE) {
        gart_unmap(op->aperture.page_first, op->aperture.page_count);
        return STATUS_SUCCESS;
    }
    return gart_map(op->aperture.page_first, op->frames + op->frame_first, op->aperture.page_count)
               ? STATUS_SUCCESS
               : STATUS_NO_MEMORY;
}

static bool is_touch(const struct vidmm_op *op)
{
    return op->kind == VIDMM_OP_READ_PHYSICAL || op->kind == VIDMM_OP_WRITE_PHYSICAL;
}

bool dxgk_gart_fill(const struct paging_operation *operation, DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    const struct vidmm_op *op = operation->op;

    if (op->kind == VIDMM_OP_READ_PHYSICAL) {
        arguments->Operation = DXGK_OPERATION_READ_PHYSICAL;
        arguments->ReadPhysical.SegmentId = op->touch.segment;
        arguments->ReadPhysical.PhysicalAddress.QuadPart = (LONGLONG)op->touch.address;
    } else if (op->kind == VIDMM_OP_WRITE_PHYSICAL) {
        KERNEL_DUTY(WRPHYS_002, range_fits(op->touch.address - GART_BASE - DXGK_GART_USABLE_BYTES,
                                           VIDMM_TOUCH_BYTES, MACHINE_PAGE_SIZE));
        arguments->Operation = DXGK_OPERATION_WRITE_PHYSICAL;
        arguments->WritePhysical.SegmentId = op->touch.segment;
        arguments->WritePhysical.PhysicalAddress.QuadPart = (LONGLONG)op->touch.address;
    }
    return is_touch(op);
}

/* ---- What the device did --------------------------------------------------------------------- */

/* The page of memory that the address leads to; nobody but the device writes there meanwhile: the
 * allocation's users wait for its paging. NULL: a client has it before his eyes. */
static const uint8_t *page_of(const struct vidmm_op *op)
{
    const uint64_t page = op->touch.address / MACHINE_PAGE_SIZE * MACHINE_PAGE_SIZE;
    const bool looked_at = op->kind == VIDMM_OP_READ_PHYSICAL &&
                           (op->allocation->lock_count > 0 || op->allocation->frames_borrowed);

    return looked_at ? NULL : gart_at(page, MACHINE_PAGE_SIZE, GART_LOOK);
}

void dxgk_gart_before(struct dxgk_adapter *adapter, const struct vidmm_op *op)
{
    if (!is_touch(op) || !adapter->options.shadow_content ||
        adapter->state != DXGK_ADAPTER_RUNNING) {
        return;
    }
    const uint8_t *page = page_of(op);
    if (page) {
        memcpy(adapter->gart->before, page, MACHINE_PAGE_SIZE);
        adapter->gart->watched = op;
        gart_watch(op->touch.address, VIDMM_TOUCH_BYTES);
    }
}

/* The first byte of the page that changed, and may not have: MACHINE_PAGE_SIZE, if none. */
static size_t changed_byte(const struct vidmm_op *op, const uint8_t *before, const uint8_t *now)
{
    size_t place = op->touch.address % MACHINE_PAGE_SIZE;

    for (size_t i = 0; i < MACHINE_PAGE_SIZE; i++) {
        bool may =
            op->kind == VIDMM_OP_WRITE_PHYSICAL && i >= place && i - place < VIDMM_TOUCH_BYTES;
        if (!may && before[i] != now[i]) {
            return i;
        }
    }
    return MACHINE_PAGE_SIZE;
}

static void judge(const struct vidmm_op *op, const uint8_t *before, const uint8_t *now,
                  struct gart_touched touched)
{
    bool reads = op->kind == VIDMM_OP_READ_PHYSICAL;
    const struct contract_finding finding = {.rule = reads ? CONTRACT_JUDGES(RDPHYS_001)
                                                           : CONTRACT_JUDGES(WRPHYS_001),
                                             .object = op->allocation->object};
    const char *expected = reads ? "the GPU reads 1 to 8 bytes at PhysicalAddress"
                                 : "the GPU writes 1 to 8 bytes at PhysicalAddress";
    size_t changed = changed_byte(op, before, now);

    contract_count(finding.rule);
    if (changed < MACHINE_PAGE_SIZE) {
        contract_breach(&finding, expected,
                        "after %s at 0x%" PRIX64 " the byte at 0x%" PRIX64
                        " of the same page is 0x%02X, and was 0x%02X before",
                        vidmm_op_name(op->kind), op->touch.address,
                        op->touch.address / MACHINE_PAGE_SIZE * MACHINE_PAGE_SIZE + changed,
                        now[changed], before[changed]);
    } else if (reads ? !touched.read : !touched.written) {
        contract_breach(&finding, expected,
                        "%s at 0x%" PRIX64 " is done, and the device has not %s there",
                        vidmm_op_name(op->kind), op->touch.address, reads ? "read" : "written");
    }
}

void dxgk_gart_look(struct dxgk_adapter *adapter, const struct paging_operation *operation)
{
    const struct vidmm_op *op = operation->op;

    if (!adapter->gart || adapter->gart->watched != op) {
        return;
    }
    struct gart_touched touched = gart_watch_end();
    bool went =
        op->revoked || adapter->presence != DXGK_THERE; /* or nothing comes of it any more */
    const uint8_t *page = went ? NULL : page_of(op);
    adapter->gart->watched = NULL;
    if (page && operation->status == STATUS_SUCCESS && adapter->state == DXGK_ADAPTER_RUNNING) {
        judge(op, adapter->gart->before, page, touched);
    }
}

/* ---- Tables of the computer's ---------------------------------------------------------------- */

bool dxgk_computer_is_alone(const struct dxgk_adapter *adapter)
{
    return adapter->presence >= DXGK_TOLD || !dxgk_adapter_has_hardware(adapter);
}

bool dxgk_computer_does(const struct dxgk_adapter *adapter, const struct vidmm_op *op)
{
    return dxgk_gart_maps(adapter, op) || dxgk_iommu_does(adapter, op);
}

/* It was told of all that the operation takes out. */
static bool was_told(const struct vidmm_op *op)
{
    uint64_t offset = op->aperture.page_first * MACHINE_PAGE_SIZE;

    if (op->dma_buffer) {
        return op->dma_buffer->known_segment == op->aperture.segment &&
               op->dma_buffer->known_offset == offset;
    }
    return op->allocation && op->allocation->known_segment == op->aperture.segment &&
           op->allocation->known_offset == offset &&
           op->allocation->known_pages == op->aperture.page_count;
}

NTSTATUS dxgk_computer_do(const struct dxgk_adapter *adapter, struct vidmm_op *op)
{
    bool of_iommu = dxgk_iommu_does(adapter, op);

    if (!of_iommu && dxgk_computer_is_alone(adapter) &&
        !(op->kind == VIDMM_OP_UNMAP_APERTURE && was_told(op))) {
        return STATUS_DEVICE_REMOVED;
    }
    NTSTATUS status = of_iommu ? dxgk_iommu_do(adapter, op) : dxgk_gart_do(op);
    if (NT_SUCCESS(status)) {
        vidmm_paging_told(op); /* for a reset: it has to be undone */
    }
    return status;
}

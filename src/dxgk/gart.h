/* The chipset's aperture, and an AGP-type segment of a driver's in it.
 *
 *     MAP, UNMAP of that segment ── dxgk_gart_do ──> the chipset's table; the driver is not asked
 *     READ, WRITE_PHYSICAL ──> the driver ──> the GPU touches the bytes ── dxgk_gart_look
 *
 * The last page of the aperture is the adapter's own, to be written to for nothing [WRPHYS-002]: a
 * page of memory that is there from the start of the adapter until its memory has ended. */
#ifndef DXGK_GART_H
#define DXGK_GART_H

#include "dxgk/work.h"

/* What the driver is told of it in the questions for its segments. */
DXGK_QUERYSEGMENTIN dxgk_gart_described(const struct dxgk_adapter *adapter);
/* What it may use of that. */
#define DXGK_GART_USABLE_BYTES (GART_BYTES - MACHINE_PAGE_SIZE)

/* Nothing, without such a segment. */
NTSTATUS MUST_CHECK dxgk_gart_start(struct dxgk_adapter *adapter);
void dxgk_gart_stop(struct dxgk_adapter *adapter);
/* Is it the chipset that maps? */
bool dxgk_gart_maps(const struct dxgk_adapter *adapter, const struct vidmm_op *op);
NTSTATUS dxgk_gart_do(const struct vidmm_op *op);
/* False: the operation is another. */
bool dxgk_gart_fill(const struct paging_operation *operation, DXGKARG_BUILDPAGINGBUFFER *arguments);
/* What the device did at the address, from before the driver is asked until the operation is done.
 */
void dxgk_gart_before(struct dxgk_adapter *adapter, const struct vidmm_op *op);
void dxgk_gart_look(struct dxgk_adapter *adapter, const struct paging_operation *operation);

/* ---- Tables of the computer: of the chipset and the IOMMU; no driver writes them ------------- */

/* There is no device any more, and the driver hears of nothing. */
bool dxgk_computer_is_alone(const struct dxgk_adapter *adapter);
bool dxgk_computer_does(const struct dxgk_adapter *adapter, const struct vidmm_op *op);
/* Here and now: what went through a range that ends has ended. Without a device nothing new is
 * mapped in the chipset's table, as nothing is by the driver: who is in two places would be told of
 * the second alone. */
NTSTATUS dxgk_computer_do(const struct dxgk_adapter *adapter, struct vidmm_op *op);

#endif

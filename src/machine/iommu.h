/* The IOMMU: by it a device reaches memory at a process's own addresses.
 *
 *     device: (PASID, address) ──> root of the PASID ──> page tables in memory ──> frame, or fault
 *
 * A process that devices may serve so has a PASID, a number that goes with each of their accesses.
 * Tables have the form of the processor's: four levels of 512 entries of 8 bytes, in pages of
 * memory that whoever binds them owns and writes. Nothing is cached here: what stands in a table
 * counts at once. */
#ifndef MACHINE_IOMMU_H
#define MACHINE_IOMMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IOMMU_LEVELS     4u
#define IOMMU_INDEX_BITS 9u

/* Entries; above the leaves only PRESENT and the address count. */
#define IOMMU_PRESENT      UINT64_C(0x1)
#define IOMMU_WRITABLE     UINT64_C(0x2)
#define IOMMU_NO_EXECUTE   UINT64_C(0x8000000000000000)
#define IOMMU_ADDRESS_MASK UINT64_C(0x000FFFFFFFFFF000)

enum iommu_access { IOMMU_READ, IOMMU_WRITE, IOMMU_EXECUTE };
/* A bit for each access that a page permits. */
#define IOMMU_BIT(access) (1u << (access))

/* Never 0; 0: there is none left. */
uint32_t iommu_pasid_new(void);
void iommu_pasid_free(uint32_t pasid); /* 0 is fine */
/* The physical address of its root table; 0: every access faults. */
void iommu_bind(uint32_t pasid, uint64_t root);
/* What an access finds: a view of *mapped_bytes of it, as long as they lie in one piece. NULL: it
 * faults. */
void *iommu_at(uint32_t pasid, uint64_t address, size_t size, enum iommu_access access,
               size_t *mapped_bytes);
/* The page of an address, for a device that remembers it: its physical address, and a bit for each
 * access that it permits. False: a fault. */
bool iommu_translate(uint32_t pasid, uint64_t address, uint64_t *physical, unsigned *permitted);
void iommu_reset(void); /* no PASID is used; with the machine */

#endif

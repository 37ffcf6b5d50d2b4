/* The IOMMU: PASID and address to memory; see iommu.h. */
#include "machine/iommu.h"

#include <string.h>

#include "machine/internal.h"

#define PASID_COUNT 1024u
#define ENTRY_BYTES sizeof(uint64_t)

static struct {
    bool used;
    uint64_t root;
} pasids[PASID_COUNT];
static uint32_t last;

void iommu_reset(void)
{
    memset(pasids, 0, sizeof pasids);
    last = 0;
}

/* One after the other, so that a number that is over is not met again soon. */
uint32_t iommu_pasid_new(void)
{
    for (uint32_t i = 1; i < PASID_COUNT; i++) {
        last = last % (PASID_COUNT - 1) + 1;
        if (!pasids[last].used) {
            pasids[last].used = true;
            return last;
        }
    }
    return 0;
}

void iommu_pasid_free(uint32_t pasid)
{
    if (pasid != 0) {
        CHECK_THAT(pasid < PASID_COUNT && pasids[pasid].used);
        pasids[pasid].used = false;
        pasids[pasid].root = 0;
    }
}

void iommu_bind(uint32_t pasid, uint64_t root)
{
    CHECK_THAT(pasid > 0 && pasid < PASID_COUNT && pasids[pasid].used &&
               root % MACHINE_PAGE_SIZE == 0);
    pasids[pasid].root = root;
}

static bool permits(uint64_t entry, enum iommu_access access)
{
    return (access != IOMMU_WRITE || (entry & IOMMU_WRITABLE)) &&
           (access != IOMMU_EXECUTE || !(entry & IOMMU_NO_EXECUTE));
}

/* The entry of a page; 0: there is none. */
static uint64_t find(uint64_t root, uint64_t address)
{
    unsigned bits = MACHINE_PAGE_SHIFT + IOMMU_LEVELS * IOMMU_INDEX_BITS;
    uint64_t table = root, entry = 0;

    if (root == 0 || address >> bits != 0) {
        return 0;
    }
    for (unsigned level = IOMMU_LEVELS; level-- > 0;) {
        bits -= IOMMU_INDEX_BITS;
        uint64_t index = address >> bits & ((1u << IOMMU_INDEX_BITS) - 1);
        const void *place = ram_at(table + index * ENTRY_BYTES, ENTRY_BYTES);
        if (!place) {
            return 0;
        }
        memcpy(&entry, place, ENTRY_BYTES);
        if (!(entry & IOMMU_PRESENT)) {
            return 0;
        }
        table = entry & IOMMU_ADDRESS_MASK;
    }
    return entry;
}

/* False: the access faults. */
static bool walk(uint64_t root, uint64_t address, enum iommu_access access, uint64_t *physical)
{
    uint64_t entry = find(root, address);

    *physical = (entry & IOMMU_ADDRESS_MASK) | address % MACHINE_PAGE_SIZE;
    return entry != 0 && permits(entry, access);
}

static uint64_t root_of(uint32_t pasid)
{
    return pasid < PASID_COUNT && pasids[pasid].used ? pasids[pasid].root : 0;
}

void *iommu_at(uint32_t pasid, uint64_t address, size_t size, enum iommu_access access,
               size_t *mapped_bytes)
{
    size_t run = MACHINE_PAGE_SIZE - address % MACHINE_PAGE_SIZE;
    uint64_t root = root_of(pasid), first, next;

    if (size == 0 || !walk(root, address, access, &first)) {
        return NULL;
    }
    while (run < size && walk(root, address + run, access, &next) && next == first + run) {
        run += MACHINE_PAGE_SIZE;
    }
    *mapped_bytes = run < size ? run : size;
    return ram_at(first, *mapped_bytes);
}

bool iommu_translate(uint32_t pasid, uint64_t address, uint64_t *physical, unsigned *permitted)
{
    uint64_t entry = find(root_of(pasid), address);

    *physical = entry & IOMMU_ADDRESS_MASK;
    *permitted = 0;
    for (enum iommu_access access = IOMMU_READ; entry != 0 && access <= IOMMU_EXECUTE; access++) {
        *permitted |= permits(entry, access) ? IOMMU_BIT(access) : 0;
    }
    return entry != 0;
}

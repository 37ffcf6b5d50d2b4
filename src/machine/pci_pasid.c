/* What a device reaches by the PASID of a process: the IOMMU says where. */
#include "machine/internal.h"
#include "machine/iommu.h"

void *pci_pasid_map(struct device_bus *bus, uint32_t pasid, uint64_t address, size_t size,
                    enum device_pasid_access access, size_t *mapped_size)
{
    static const enum iommu_access accesses[] = {[DEVICE_PASID_READ] = IOMMU_READ,
                                                 [DEVICE_PASID_WRITE] = IOMMU_WRITE,
                                                 [DEVICE_PASID_EXECUTE] = IOMMU_EXECUTE};
    struct pci_slot *slot = container_of(bus, struct pci_slot, bus);

    if (!pci_may_master(slot) || (unsigned)access > DEVICE_PASID_EXECUTE) {
        return NULL;
    }
    slot->activity++;
    return iommu_at(pasid, address, size, accesses[access], mapped_size);
}

bool pci_pasid_translate(struct device_bus *bus, uint32_t pasid, uint64_t address,
                         struct device_pasid_page *page)
{
    struct pci_slot *slot = container_of(bus, struct pci_slot, bus);
    uint64_t physical;
    unsigned permitted;

    *page = (struct device_pasid_page){0};
    if (!pci_may_master(slot)) {
        return false;
    }
    slot->activity++;
    if (!iommu_translate(pasid, address, &physical, &permitted)) {
        return false;
    }
    *page = (struct device_pasid_page){.physical = physical,
                                       .read_only = !(permitted & IOMMU_BIT(IOMMU_WRITE)),
                                       .no_execute = !(permitted & IOMMU_BIT(IOMMU_EXECUTE))};
    return true;
}

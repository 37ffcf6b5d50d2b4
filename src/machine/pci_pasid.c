/* What a device reaches by the PASID of a process: the IOMMU says where. */
#include "machine/internal.h"
#include "machine/iommu.h"

static void note_failure(struct pci_slot *slot, uint32_t pasid, uint64_t address)
{
    slot->failures[slot->failure_count++ % PCI_PASID_FAILURES] =
        (struct pci_pasid_failure){.address = address, .pasid = pasid};
}

/* Counted from the newest; NULL: there were no more, or they are forgotten. */
static const struct pci_pasid_failure *failure_at(const struct pci_slot *slot, unsigned number)
{
    return number < PCI_PASID_FAILURES && number < slot->failure_count
               ? &slot->failures[(slot->failure_count - 1 - number) % PCI_PASID_FAILURES]
               : NULL;
}

bool pci_pasid_failed(const struct pci_slot *slot, unsigned number, struct pci_pasid_failure *out)
{
    const struct pci_pasid_failure *failure = failure_at(slot, number);

    if (failure) {
        *out = *failure;
    }
    return failure != NULL;
}

void pci_pasid_tell(struct pci_slot *slot, unsigned number)
{
    const struct pci_pasid_failure *failure = failure_at(slot, number);

    CHECK_THAT(failure);
    slot->failures[failure - slot->failures].told = true;
}

unsigned pci_pasid_news(struct pci_slot *slot, bool *knows_all)
{
    unsigned news = slot->failure_count - slot->failures_asked;

    slot->failures_asked = slot->failure_count;
    *knows_all = news <= PCI_PASID_FAILURES / 2 && !slot->remembers;
    return news < PCI_PASID_FAILURES ? news : PCI_PASID_FAILURES;
}

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
    void *bytes = iommu_at(pasid, address, size, accesses[access], mapped_size);
    uint64_t end = bytes ? address + *mapped_size : address;
    size_t more;
    if (size > 0 && end < address + size && !iommu_at(pasid, end, 1, accesses[access], &more)) {
        note_failure(slot, pasid, end);
    }
    return bytes;
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
    slot->remembers = true;
    if (!iommu_translate(pasid, address, &physical, &permitted)) {
        note_failure(slot, pasid, address);
        return false;
    }
    *page = (struct device_pasid_page){.physical = physical,
                                       .read_only = !(permitted & IOMMU_BIT(IOMMU_WRITE)),
                                       .no_execute = !(permitted & IOMMU_BIT(IOMMU_EXECUTE))};
    return true;
}

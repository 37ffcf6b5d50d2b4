/* The IOMMU: devices see memory at a process's addresses, as its tables say. */
#include <string.h>

#include "machine/support.h"

#include "machine/fake_device.h"

#define ADDRESS (UINT64_C(5) << 39 | UINT64_C(6) << 30 | UINT64_C(7) << 21 | UINT64_C(8) << 12)

/* Frames: four tables, and two pages that lie together, a third that does not. */
enum { ROOT = 16, SECOND, THIRD, LEAF, PAGE, NEXT, FAR = 40 };

static struct pci_slot *slot;
static struct fake_device *fake;
static uint32_t pasid;

static uint64_t *table(uint64_t frame)
{
    return ram_at(frame << MACHINE_PAGE_SHIFT, MACHINE_PAGE_SIZE);
}

static uint64_t entry(uint64_t frame, uint64_t flags)
{
    return frame << MACHINE_PAGE_SHIFT | IOMMU_PRESENT | flags;
}

static void start(void)
{
    struct machine_config config = {.seed = 1, .ram_bytes = 64u << 20, .cpu_count = 1};
    struct pci_options options = {0};

    assert_int_equal(machine_create(&config), STATUS_SUCCESS);
    assert_int_equal(pci_plug(&fake_model, NULL, &options, &slot), STATUS_SUCCESS);
    fake = fake_device_of(pci_device(slot));
    for (unsigned i = ROOT; i <= LEAF; i++) {
        memset(table(i), 0, MACHINE_PAGE_SIZE);
    }
    table(ROOT)[5] = entry(SECOND, 0);
    table(SECOND)[6] = entry(THIRD, 0);
    table(THIRD)[7] = entry(LEAF, 0);
    table(LEAF)[8] = entry(PAGE, IOMMU_WRITABLE | IOMMU_NO_EXECUTE);
    table(LEAF)[9] = entry(NEXT, IOMMU_WRITABLE);
    table(LEAF)[10] = entry(FAR, 0);
    pasid = iommu_pasid_new();
    assert_int_not_equal(pasid, 0);
}

static void *look(uint64_t address, size_t size, enum device_pasid_access access, size_t *mapped)
{
    return fake->bus->operations->pasid_map(fake->bus, pasid, address, size, access, mapped);
}

static void an_address_leads_where_the_tables_say(void **state)
{
    size_t mapped = 0;

    start();
    assert_null(look(ADDRESS, 1, DEVICE_PASID_READ, &mapped)); /* no root yet */
    iommu_bind(pasid, ROOT << MACHINE_PAGE_SHIFT);
    assert_ptr_equal(look(ADDRESS + 12, 3 * MACHINE_PAGE_SIZE, DEVICE_PASID_WRITE, &mapped),
                     (uint8_t *)table(PAGE) + 12);
    assert_int_equal(mapped, 2 * MACHINE_PAGE_SIZE - 12); /* the third lies elsewhere */
    assert_ptr_equal(look(ADDRESS + 2 * MACHINE_PAGE_SIZE, 4, DEVICE_PASID_READ, &mapped),
                     table(FAR));
    machine_destroy();
}

static void what_is_not_there_or_not_allowed_faults(void **state)
{
    size_t mapped;

    start();
    iommu_bind(pasid, ROOT << MACHINE_PAGE_SHIFT);
    assert_null(look(ADDRESS + 2 * MACHINE_PAGE_SIZE, 4, DEVICE_PASID_WRITE, &mapped));
    assert_null(look(ADDRESS, 4, DEVICE_PASID_EXECUTE, &mapped));
    assert_non_null(look(ADDRESS + MACHINE_PAGE_SIZE, 4, DEVICE_PASID_EXECUTE, &mapped));
    assert_null(look(ADDRESS + 3 * MACHINE_PAGE_SIZE, 4, DEVICE_PASID_READ, &mapped));
    assert_null(look(ADDRESS | UINT64_C(1) << 48, 4, DEVICE_PASID_READ, &mapped));
    table(LEAF)[8] = 0; /* nothing is remembered */
    assert_null(look(ADDRESS, 4, DEVICE_PASID_READ, &mapped));
    machine_destroy();
}

static void a_pasid_that_is_over_leads_nowhere(void **state)
{
    size_t mapped;

    start();
    iommu_bind(pasid, ROOT << MACHINE_PAGE_SHIFT);
    assert_non_null(look(ADDRESS, 4, DEVICE_PASID_READ, &mapped));
    iommu_pasid_free(pasid);
    assert_null(look(ADDRESS, 4, DEVICE_PASID_READ, &mapped));
    assert_int_not_equal(iommu_pasid_new(), pasid);
    machine_destroy();
}

/* What a device is told to remember: the page, and what it permits. */
static void a_page_is_told_with_what_it_permits(void **state)
{
    const struct device_bus_operations *bus;
    struct device_pasid_page page;

    start();
    bus = fake->bus->operations;
    iommu_bind(pasid, ROOT << MACHINE_PAGE_SHIFT);
    assert_true(bus->pasid_translate(fake->bus, pasid, ADDRESS + 12, &page));
    assert_int_equal(page.physical, PAGE << MACHINE_PAGE_SHIFT);
    assert_false(page.read_only);
    assert_true(page.no_execute);
    assert_true(bus->pasid_translate(fake->bus, pasid, ADDRESS + MACHINE_PAGE_SIZE, &page));
    assert_false(page.no_execute);
    assert_false(bus->pasid_translate(fake->bus, pasid, ADDRESS + 3 * MACHINE_PAGE_SIZE, &page));
    iommu_pasid_free(pasid);
    assert_false(bus->pasid_translate(fake->bus, pasid, ADDRESS, &page));
    machine_destroy();
}

/* For whoever is told of a fault. */
static void what_led_nowhere_is_known(void **state)
{
    const uint64_t last = ADDRESS + 2 * MACHINE_PAGE_SIZE, nothing = last + MACHINE_PAGE_SIZE;
    struct pci_pasid_failure failure;
    struct device_pasid_page page;
    size_t mapped;
    bool all;

    start();
    iommu_bind(pasid, ROOT << MACHINE_PAGE_SHIFT);
    assert_non_null(look(ADDRESS, 4, DEVICE_PASID_READ, &mapped));
    assert_false(pci_pasid_failed(slot, 0, &failure));
    assert_null(look(last + 8, 4, DEVICE_PASID_WRITE, &mapped));
    assert_non_null(look(last, 2 * MACHINE_PAGE_SIZE, DEVICE_PASID_READ, &mapped));
    assert_true(pci_pasid_failed(slot, 0, &failure));
    assert_int_equal(failure.address, nothing);
    assert_int_equal(failure.pasid, pasid);
    assert_true(pci_pasid_failed(slot, 1, &failure));
    assert_int_equal(failure.address, last + 8);
    assert_false(pci_pasid_failed(slot, 2, &failure));
    pci_pasid_tell(slot, 1);
    assert_true(pci_pasid_failed(slot, 1, &failure) && failure.told);
    assert_true(pci_pasid_failed(slot, 0, &failure) && !failure.told);
    assert_int_equal(pci_pasid_news(slot, &all), 2);
    assert_true(all);
    for (unsigned i = 0; i < PCI_PASID_FAILURES; i++) {
        assert_null(look(nothing, 4, DEVICE_PASID_READ, &mapped));
    }
    assert_false(pci_pasid_failed(slot, PCI_PASID_FAILURES, &failure));
    assert_true(pci_pasid_failed(slot, PCI_PASID_FAILURES - 1, &failure) && !failure.told);
    assert_int_equal(pci_pasid_news(slot, &all), PCI_PASID_FAILURES);
    assert_false(all); /* some may be forgotten */
    assert_int_equal(pci_pasid_news(slot, &all), 0);
    assert_true(all);
    assert_true(fake->bus->operations->pasid_translate(fake->bus, pasid, ADDRESS, &page));
    assert_int_equal(pci_pasid_news(slot, &all), 0);
    assert_false(all); /* what it remembers may be read-only */
    machine_destroy();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_leads_where_the_tables_say),
        cmocka_unit_test(what_is_not_there_or_not_allowed_faults),
        cmocka_unit_test(a_pasid_that_is_over_leads_nowhere),
        cmocka_unit_test(a_page_is_told_with_what_it_permits),
        cmocka_unit_test(what_led_nowhere_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

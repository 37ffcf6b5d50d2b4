/* The chipset's aperture: devices see scattered pages in a row, and what they touch is known. */
#include <string.h>

#include "machine/support.h"

#include "machine/fake_device.h"

#define PAGES 3

static struct pci_slot *slot;
static struct fake_device *fake;
static const struct device_bus_operations *bus;
static const uint64_t frames[PAGES] = {9, 4, 5};
static unsigned faults;

static void count_fault(void *context, struct pci_slot *where, uint64_t physical, size_t size,
                        bool write)
{
    faults++;
}

static void start(bool aperture)
{
    struct machine_config config = {.seed = 1, .ram_bytes = 64u << 20, .cpu_count = 1};
    struct pci_options options = {0};

    config.variations.on[VARY_AGP_APERTURE] = aperture;
    assert_int_equal(machine_create(&config), STATUS_SUCCESS);
    assert_int_equal(pci_plug(&fake_model, NULL, &options, &slot), STATUS_SUCCESS);
    fake = fake_device_of(pci_device(slot));
    bus = fake->bus->operations;
    faults = 0;
    pci_set_fault_hook(count_fault, NULL);
}

static void stop(void)
{
    pci_set_fault_hook(NULL, NULL);
    machine_destroy();
}

static void a_computer_has_it_by_a_variation_alone(void **state)
{
    uint8_t byte = 1;

    start(false);
    assert_int_equal(gart_bytes(), 0);
    assert_false(bus->dma_write(fake->bus, GART_BASE, &byte, 1));
    assert_int_equal(faults, 1);
    stop();
    start(true);
    assert_int_equal(gart_bytes(), GART_BYTES);
    stop();
}

static void scattered_pages_lie_in_a_row(void **state)
{
    uint8_t bytes[PAGES * MACHINE_PAGE_SIZE], seen[sizeof bytes];
    uint64_t at = GART_BASE + 7 * MACHINE_PAGE_SIZE;

    start(true);
    assert_true(gart_map(7, frames, PAGES));
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 7 + i / MACHINE_PAGE_SIZE);
    }
    assert_true(bus->dma_write(fake->bus, at, bytes, sizeof bytes));
    for (size_t i = 0; i < PAGES; i++) {
        const void *page = ram_at(frames[i] << MACHINE_PAGE_SHIFT, MACHINE_PAGE_SIZE);
        assert_memory_equal(page, bytes + i * MACHINE_PAGE_SIZE, MACHINE_PAGE_SIZE);
    }
    assert_true(bus->dma_read(fake->bus, at + 5, seen, sizeof seen - 5));
    assert_memory_equal(seen, bytes + 5, sizeof seen - 5);
    /* One piece is what lies together in memory. */
    assert_null(bus->dma_map(fake->bus, at, sizeof bytes));
    assert_ptr_equal(bus->dma_map(fake->bus, at + MACHINE_PAGE_SIZE + 8, MACHINE_PAGE_SIZE),
                     ram_at((frames[1] << MACHINE_PAGE_SHIFT) + 8, MACHINE_PAGE_SIZE));
    assert_int_equal(faults, 0);
    stop();
}

static void what_leads_nowhere_is_a_fault_of_the_bus(void **state)
{
    uint8_t bytes[MACHINE_PAGE_SIZE + 1] = {0};

    start(true);
    assert_true(gart_map(0, frames, 1));
    assert_false(bus->dma_read(fake->bus, GART_BASE, bytes, sizeof bytes));
    assert_int_equal(faults, 1);
    gart_unmap(0, 1);
    assert_false(bus->dma_read(fake->bus, GART_BASE, bytes, 1));
    assert_int_equal(faults, 2);
    assert_null(bus->dma_map(fake->bus, GART_BASE + GART_BYTES - 1, 2));
    assert_true(gart_map(0, frames + 1, 1)); /* again, to another page */
    assert_true(bus->dma_read(fake->bus, GART_BASE, bytes, 1));
    stop();
}

static void a_watched_place_says_what_was_done_there(void **state)
{
    uint8_t bytes[16] = {0};
    struct gart_touched touched;

    start(true);
    assert_true(gart_map(0, frames, PAGES));
    gart_watch(GART_BASE + 64, 8);
    assert_true(bus->dma_read(fake->bus, GART_BASE + 48, bytes, 16));
    assert_true(bus->dma_write(fake->bus, GART_BASE + 72, bytes, 16));
    touched = gart_watch_end();
    assert_false(touched.read || touched.written);
    gart_watch(GART_BASE + 64, 8);
    assert_true(bus->dma_read(fake->bus, GART_BASE + 56, bytes, 9));
    touched = gart_watch_end();
    assert_true(touched.read && !touched.written);
    gart_watch(GART_BASE + 64, 8);
    assert_true(bus->dma_write(fake->bus, GART_BASE + 71, bytes, 1));
    touched = gart_watch_end();
    assert_true(touched.written && !touched.read);
    gart_watch(GART_BASE + 64, 8);
    assert_non_null(bus->dma_map(fake->bus, GART_BASE, MACHINE_PAGE_SIZE));
    touched = gart_watch_end();
    assert_true(touched.read && touched.written);
    assert_non_null(bus->dma_map(fake->bus, GART_BASE, MACHINE_PAGE_SIZE));
    touched = gart_watch_end();
    assert_false(touched.read || touched.written); /* nobody watches */
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_computer_has_it_by_a_variation_alone),
        cmocka_unit_test(scattered_pages_lie_in_a_row),
        cmocka_unit_test(what_leads_nowhere_is_a_fault_of_the_bus),
        cmocka_unit_test(a_watched_place_says_what_was_done_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Pages of a memory BAR that show other pages of the memory behind it, in every view. */
#include <string.h>

#include "machine/support.h"

#include "machine/fake_device.h"

#define PAGE  MACHINE_PAGE_SIZE
#define PAGES 8

static struct pci_slot *slot;
static struct fake_device *fake;
static uint8_t *memory; /* as the device sees it: each page has its number in it */
static uint64_t base;

static void start(void)
{
    struct machine_config config = {.seed = 1, .ram_bytes = 64u << 20, .cpu_count = 1};
    struct pci_options options = {0};

    assert_int_equal(machine_create(&config), STATUS_SUCCESS);
    assert_int_equal(pci_plug(&fake_model, NULL, &options, &slot), STATUS_SUCCESS);
    fake = fake_device_of(pci_device(slot));
    memory = fake->bus->operations->bar_memory(fake->bus, FAKE_MEMORY_BAR);
    base = pci_resources(slot)->bars[FAKE_MEMORY_BAR].base;
    for (unsigned i = 0; i < PAGES; i++) {
        memory[i * PAGE] = (uint8_t)(i + 1);
    }
}

static bool show(uint64_t page, uint64_t count, uint64_t from)
{
    return fake->bus->operations->bar_show(fake->bus, FAKE_MEMORY_BAR, page * PAGE, count * PAGE,
                                           from);
}

static void every_view_follows(void **state)
{
    start();
    uint64_t frames[] = {(base >> MACHINE_PAGE_SHIFT) + 3, (base >> MACHINE_PAGE_SHIFT) + 2};
    volatile uint8_t *mapped = io_map(base, PAGES * PAGE);
    volatile uint8_t *view = ram_map_frames(frames, 2, true);
    assert_int_equal(mapped[2 * PAGE], 3);
    assert_int_equal(view[0], 4);
    assert_true(show(2, 2, 5 * PAGE));
    assert_int_equal(mapped[2 * PAGE], 6);
    assert_int_equal(mapped[3 * PAGE], 7);
    assert_int_equal(mapped[4 * PAGE], 5);
    assert_int_equal(view[0], 7);
    assert_int_equal(view[PAGE], 6);
    view[PAGE] = 60;
    assert_int_equal(memory[5 * PAGE], 60);
    assert_int_equal(memory[2 * PAGE], 3);
    assert_true(show(2, 2, 2 * PAGE));
    assert_int_equal(mapped[2 * PAGE], 3);
    assert_int_equal(view[0], 4);
    ram_unmap_frames((void *)(uintptr_t)view, 2);
    assert_true(io_unmap((void *)(uintptr_t)mapped, PAGES * PAGE));
    machine_destroy();
}

static void what_a_page_shows_is_known(void **state)
{
    uint64_t offset;

    start();
    assert_true(pci_bar_shows(base + PAGE + 4, &offset) && offset == PAGE + 4);
    assert_true(show(1, 1, 7 * PAGE));
    assert_true(pci_bar_shows(base + PAGE + 4, &offset) && offset == 7 * PAGE + 4);
    assert_ptr_equal(bus_memory_at(base + PAGE, PAGE), memory + 7 * PAGE);
    assert_null(bus_memory_at(base + PAGE, 2 * PAGE)); /* not in one piece */
    assert_true(bus_has_memory_at(base + PAGE, PAGE));
    assert_false(bus_has_memory_at(base + PAGE, 2 * PAGE));
    assert_ptr_equal(pci_bar_behind(base + PAGE, 3 * PAGE, PAGE), memory + 3 * PAGE);
    machine_destroy();
}

static void a_page_may_show_nothing(void **state)
{
    uint64_t offset;

    start();
    volatile uint8_t *mapped = io_map(base, PAGES * PAGE);
    assert_true(show(4, 2, DEVICE_BAR_NOTHING));
    assert_false(pci_bar_shows(base + 4 * PAGE, &offset));
    assert_null(bus_memory_at(base + 4 * PAGE, 1));
    assert_false(bus_has_memory_at(base + 4 * PAGE, 1));
    mapped[4 * PAGE] = 99; /* is lost */
    assert_int_equal(memory[4 * PAGE], 5);
    assert_int_equal(memory[5 * PAGE], 6);
    assert_true(pci_is_memory(base + 4 * PAGE, PAGE));
    assert_true(io_unmap((void *)(uintptr_t)mapped, PAGES * PAGE));
    machine_destroy();
}

static void what_is_out_of_the_bar_is_refused(void **state)
{
    start();
    assert_false(show(0, 1, UINT64_C(1) << 20));
    assert_false(show(256, 1, 0));
    assert_false(fake->bus->operations->bar_show(fake->bus, FAKE_MEMORY_BAR, 1, PAGE, 0));
    assert_false(fake->bus->operations->bar_show(fake->bus, FAKE_REGISTER_BAR, 0, PAGE, 0));
    machine_destroy();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_view_follows),
        cmocka_unit_test(what_a_page_shows_is_known),
        cmocka_unit_test(a_page_may_show_nothing),
        cmocka_unit_test(what_is_out_of_the_bar_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

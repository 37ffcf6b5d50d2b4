/* PCI: configuration space, sizing of BARs, DMA, reset and removal. */
#include <string.h>

#include "machine/support.h"

#include "machine/fake_device.h"

static struct pci_slot *slot;
static struct fake_device *fake;

static void start(bool messages)
{
    struct pci_options options = {.messages = messages};

    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    assert_int_equal(pci_plug(&fake_model, NULL, &options, &slot), STATUS_SUCCESS);
    fake = fake_device_of(pci_device(slot));
}

static uint32_t config_dword(unsigned offset)
{
    uint32_t value;

    pci_config_read(slot, offset, &value, 4);
    return value;
}

static void the_header_describes_the_device(void **state)
{
    uint8_t bytes[7];

    start(false);
    assert_int_equal(config_dword(0), 0x10FF1AF4);
    assert_int_equal(config_dword(8) >> 8, 0x030000);
    assert_int_equal(config_dword(4) & 6, 6);
    pci_config_read(slot, 1, bytes, 7); /* any alignment */
    assert_int_equal(bytes[0], 0x1A);
    assert_int_equal(bytes[1], 0xFF);
    assert_int_equal(bytes[3] & 6, 6);
    pci_config_read(slot, 4093, bytes, 7); /* over the end */
    assert_int_equal(bytes[0], 0);
    assert_int_equal(bytes[3], 0xFF);
    assert_int_equal(bytes[6], 0xFF);
    pci_config_read(slot, UINT32_MAX, bytes, 2);
    assert_int_equal(bytes[0], 0xFF);
    machine_destroy();
}

static void bars_are_sized_by_writing_ones(void **state)
{
    uint32_t ones = UINT32_MAX;
    uint32_t low, high;

    start(false);
    low = config_dword(0x10);
    assert_true(low == pci_resources(slot)->bars[0].base);
    pci_config_write(slot, 0x10, &ones, 4);
    assert_int_equal(config_dword(0x10), 0xFFFFF000);
    pci_config_write(slot, 0x10, &low, 4);
    assert_int_equal(config_dword(0x10), low);
    /* 64 bits, prefetchable, at the place of BAR 2 and 3. */
    low = config_dword(0x18);
    high = config_dword(0x1C);
    assert_true(((uint64_t)high << 32 | (low & ~15u)) == pci_resources(slot)->bars[2].base);
    assert_int_equal(low & 15, 12);
    pci_config_write(slot, 0x18, &ones, 4);
    pci_config_write(slot, 0x1C, &ones, 4);
    assert_int_equal(config_dword(0x18), 0xFFF0000C);
    assert_int_equal(config_dword(0x1C), UINT32_MAX);
    /* No BAR there. */
    pci_config_write(slot, 0x14, &ones, 4);
    assert_int_equal(config_dword(0x14), 0);
    machine_destroy();
}

static unsigned capability(uint8_t id)
{
    unsigned offset = config_dword(0x34) & 0xFF;

    while (offset && (config_dword(offset) & 0xFF) != id) {
        offset = config_dword(offset) >> 8 & 0xFF;
    }
    return offset;
}

static void capabilities_can_be_walked(void **state)
{
    for (int messages = 0; messages < 2; messages++) {
        start(messages);
        assert_int_not_equal(capability(0x10), 0);
        assert_int_not_equal(capability(0x01), 0);
        assert_int_not_equal(capability(0x05), 0);
        assert_int_equal(config_dword(capability(0x05)) >> 16 & 1, messages);
        assert_int_equal(capability(0x33), 0);
        machine_destroy();
    }
}

static unsigned faults;

static void count_fault(void *context, struct pci_slot *who, uint64_t physical, size_t size,
                        bool write)
{
    assert_ptr_equal(who, slot);
    faults++;
}

static void dma_reaches_memory_alone(void **state)
{
    const struct device_bus_operations *operations;
    char bytes[16] = "hello";
    uint16_t command = 2;

    start(false);
    faults = 0;
    pci_set_fault_hook(count_fault, NULL);
    operations = fake->bus->operations;
    assert_true(operations->dma_write(fake->bus, 0x4000, bytes, 6));
    assert_string_equal(ram_at(0x4000, 6), "hello");
    memset(bytes, 0, sizeof(bytes));
    assert_true(operations->dma_read(fake->bus, 0x4000, bytes, 6));
    assert_string_equal(bytes, "hello");
    assert_ptr_equal(operations->dma_map(fake->bus, 0x4000, 6), ram_at(0x4000, 6));
    assert_false(operations->dma_write(fake->bus, 64u << 20, bytes, 1));
    assert_false(operations->dma_read(fake->bus, UINT64_MAX - 3, bytes, 16));
    assert_int_equal(faults, 2);
    /* Bus mastering off. */
    pci_config_write(slot, 4, &command, 2);
    assert_false(operations->dma_write(fake->bus, 0x4000, bytes, 6));
    assert_int_equal(faults, 3);
    machine_destroy();
}

static void reset_loses_memory_and_pending_times(void **state)
{
    char *memory;

    start(false);
    memory = fake->bus->operations->bar_memory(fake->bus, FAKE_MEMORY_BAR);
    assert_non_null(memory);
    assert_null(fake->bus->operations->bar_memory(fake->bus, FAKE_REGISTER_BAR));
    memory[100] = 5;
    assert_ptr_equal(bus_memory_at(pci_resources(slot)->bars[2].base + 100, 1), memory + 100);
    fake->bus->operations->call_at(fake->bus, 0, 7);
    pci_reset(slot);
    assert_int_equal(memory[100], 0);
    assert_int_equal(fake->resets, 1);
    machine_destroy();
}

static void a_removed_device_answers_ones(void **state)
{
    char *view;

    start(false);
    view = io_map(pci_resources(slot)->bars[2].base, 1 << 20);
    assert_non_null(view);
    view[5] = 1;
    pci_surprise_remove(slot);
    assert_int_equal(config_dword(0), UINT32_MAX);
    assert_int_equal((uint8_t)view[5], 0xFF);
    assert_int_equal((uint8_t)view[(1 << 20) - 1], 0xFF);
    view[5] = 1;
    machine_destroy();
}

static void two_devices_get_different_places(void **state)
{
    struct pci_slot *other;

    start(true);
    assert_int_equal(pci_plug(&fake_model, NULL, NULL, &other), STATUS_SUCCESS);
    assert_int_not_equal(pci_resources(slot)->bars[0].base, pci_resources(other)->bars[0].base);
    assert_int_not_equal(pci_resources(slot)->interrupt_line, pci_resources(other)->interrupt_line);
    assert_int_equal(pci_resources(other)->message_count, 0);
    pci_unplug(slot);
    pci_unplug(other);
    machine_destroy();
}

static void who_is_moved_lies_elsewhere(void **state)
{
    char *memory;

    start(false);
    memory = fake->bus->operations->bar_memory(fake->bus, FAKE_MEMORY_BAR);
    memory[100] = 5;
    uint64_t registers = pci_resources(slot)->bars[0].base;
    uint64_t before = pci_resources(slot)->bars[2].base;
    pci_move(slot);
    assert_int_not_equal(pci_resources(slot)->bars[0].base, registers);
    assert_int_not_equal(pci_resources(slot)->bars[2].base, before);
    assert_null(bus_memory_at(before + 100, 1));
    assert_ptr_equal(bus_memory_at(pci_resources(slot)->bars[2].base + 100, 1), memory + 100);
    assert_int_equal(config_dword(0x10) & ~15u, (uint32_t)pci_resources(slot)->bars[0].base);
    machine_destroy();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_describes_the_device),
        cmocka_unit_test(bars_are_sized_by_writing_ones),
        cmocka_unit_test(capabilities_can_be_walked),
        cmocka_unit_test(dma_reaches_memory_alone),
        cmocka_unit_test(reset_loses_memory_and_pending_times),
        cmocka_unit_test(a_removed_device_answers_ones),
        cmocka_unit_test(two_devices_get_different_places),
        cmocka_unit_test(who_is_moved_lies_elsewhere),
    };
    return cmocka_run_group_tests_name("pci", tests, NULL, NULL);
}

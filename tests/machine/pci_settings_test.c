/* Settings: what the start of a driver wrote, the device lost, and nobody wrote again. */
#include <string.h>

#include "machine/support.h"

#include "machine/fake_device.h"

#define GIVES_UP 12 /* a register of which the model has nothing to say */

static struct pci_slot *slot;
static struct fake_device *fake;
static bool is_strict;

static uint64_t strict_read(struct device *device, unsigned bar, uint64_t offset, unsigned size)
{
    struct fake_device *at = fake_device_of(device);

    if (is_strict && offset == 4 * GIVES_UP) {
        at->bus->operations->give_up(at->bus, "nobody reads that");
    }
    return offset == 4 * FAKE_PLAIN ? 0 : fake_read(device, bar, offset, size); /* a command */
}

static void forget(struct device *device)
{
    memset(fake_device_of(device)->registers, 0, sizeof fake->registers);
    fake_device_of(device)->registers[9] = 0x99;
    fake_reset(device);
}

static struct device *strict_create(struct device_bus *bus, const struct drydock_value *values)
{
    struct device *device = fake_create(bus, values);
    static struct device_operations operations;

    operations = *device->operations;
    operations.mmio_read = strict_read;
    operations.reset = forget;
    device->operations = &operations;
    return device;
}

static const struct device_model strict_model = {
    .abi = DRYDOCK_DEVICE_ABI,
    .size_bytes = sizeof strict_model,
    .name = "strict",
    .create = strict_create,
};

static unsigned model_faults;

static void count_fault(void *context, struct pci_slot *who, const char *text)
{
    model_faults++;
}

static void start(void)
{
    machine_start(1, MACHINE_POLICY_RANDOM, 2);
    assert_int_equal(pci_plug(&strict_model, NULL, NULL, &slot), STATUS_SUCCESS);
    fake = fake_device_of(pci_device(slot));
    is_strict = false;
    model_faults = 0;
    pci_set_model_hook(count_fault, NULL);
}

static void set(unsigned index, uint32_t value)
{
    uint64_t at = pci_resources(slot)->bars[FAKE_REGISTER_BAR].base + index * 4u;
    void *view = io_map(at, 4);

    assert_non_null(view);
    assert_true(mmio_write(view, 4, value));
    assert_true(io_unmap(view, 4));
}

static void lose_power(void)
{
    pci_settings_note(slot);
    pci_power_down(slot, false);
    pci_power_down(slot, true);
    pci_reset(slot);
}

static void expect_lost(unsigned index, uint64_t value, unsigned *cursor)
{
    struct pci_setting lost;

    assert_true(pci_settings_lost(slot, cursor, &lost));
    assert_int_equal(lost.bar, FAKE_REGISTER_BAR);
    assert_int_equal(lost.offset, index * 4);
    assert_int_equal(lost.size, 4);
    assert_int_equal(lost.value, value);
    assert_int_equal(lost.power_on, 0);
}

static void set_all(void)
{
    pci_settings_begin(slot);
    set(FAKE_PLAIN, 1); /* reads as 0 */
    set(9, 0x99);       /* as at power-on */
    set(10, 7);
    set(11, 8);
    set(GIVES_UP, 9);
    set(13, 10);
    pci_settings_started(slot);
    set(13, 11); /* whoever needs it sets it */
    set(14, 12);
}

static void what_is_not_set_again_is_told(void **state)
{
    struct pci_setting lost;
    unsigned cursor = 0;

    start();
    set_all();
    assert_false(pci_settings_lost(slot, &cursor, &lost)); /* nothing was lost */
    lose_power();
    set(11, 0); /* another value is the driver's affair */
    expect_lost(10, 7, &cursor);
    expect_lost(GIVES_UP, 9, &cursor);
    assert_false(pci_settings_lost(slot, &cursor, &lost));
    cursor = 0; /* once */
    assert_false(pci_settings_lost(slot, &cursor, &lost));
    assert_int_equal(fake->resets, 2); /* what a reading does is taken back */
    machine_destroy();
}

/* As drivers do that stop what the register names before the power goes. */
static void what_was_cleared_on_the_way_down_is_told(void **state)
{
    struct pci_setting lost;
    unsigned cursor = 0;

    start();
    set_all();
    pci_settings_note(slot);
    set(10, 0);
    set(11, 0);
    pci_power_down(slot, false);
    pci_power_down(slot, true);
    pci_reset(slot);
    set(11, 8);
    assert_true(pci_settings_lost_yet(slot, &lost)); /* its own doing is no cause */
    assert_int_not_equal(lost.value, 7);
    expect_lost(10, 7, &cursor);
    expect_lost(GIVES_UP, 9, &cursor);
    assert_false(pci_settings_lost(slot, &cursor, &lost));
    machine_destroy();
}

static void it_is_told_of_one_sleep(void **state)
{
    struct pci_setting lost;
    unsigned cursor = 0;

    start();
    set_all();
    lose_power();
    lose_power(); /* they are as at power-on already */
    assert_false(pci_settings_lost(slot, &cursor, &lost));
    machine_destroy();
}

static void a_model_that_gives_up_says_nothing(void **state)
{
    struct pci_setting lost;
    unsigned cursor = 0;

    start();
    set_all();
    is_strict = true;
    lose_power();
    assert_false(pci_settings_lost(slot, &cursor, &lost));
    assert_int_equal(model_faults, 0);
    pci_settings_begin(slot); /* a reset that nobody asks about is one */
    pci_reset(slot);
    assert_int_equal(fake->resets, 3);
    machine_destroy();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_set_again_is_told),
        cmocka_unit_test(what_was_cleared_on_the_way_down_is_told),
        cmocka_unit_test(it_is_told_of_one_sleep),
        cmocka_unit_test(a_model_that_gives_up_says_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

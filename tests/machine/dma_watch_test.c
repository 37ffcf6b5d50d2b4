/* What a device has read of what it was given. */
#include "machine/support.h"

#include "machine/fake_device.h"

#include "machine/dma_watch.h"

#define PLACE UINT64_C(0x40000)
#define SIZE  256

static struct pci_slot *slot;
static struct fake_device *fake;

static void start(void)
{
    struct machine_config config = {.seed = 1, .ram_bytes = 64u << 20, .cpu_count = 1};
    struct pci_options options = {0};

    assert_int_equal(machine_create(&config), STATUS_SUCCESS);
    assert_int_equal(pci_plug(&fake_model, NULL, &options, &slot), STATUS_SUCCESS);
    fake = fake_device_of(pci_device(slot));
}

static void reads(uint64_t address, size_t size)
{
    uint8_t bytes[SIZE];

    assert_true(fake->bus->operations->dma_read(fake->bus, address, bytes, size));
}

static void what_is_read_beside_a_range_is_not_of_it(void **state)
{
    int first, second;

    start();
    dma_watch(&first, PLACE, SIZE);
    dma_watch(&second, PLACE + SIZE, SIZE);
    reads(PLACE - 4, 4);
    reads(PLACE + SIZE, 1);
    assert_int_equal(dma_watch_end(&first), DMA_WATCHED_UNREAD);
    assert_int_equal(dma_watch_end(&second), DMA_WATCHED_READ);
    assert_int_equal(dma_watch_end(&second), DMA_WATCHED_NOT);
    machine_destroy();
}

static void what_was_read_before_a_range_moves_stays_read(void **state)
{
    int owner;

    start();
    dma_watch(&owner, PLACE, SIZE);
    reads(PLACE + SIZE - 1, 2);
    dma_watch(&owner, PLACE + 2 * SIZE, SIZE);
    assert_int_equal(dma_watch_end(&owner), DMA_WATCHED_READ);
    dma_watch(&owner, PLACE, SIZE); /* another one begins unread */
    assert_int_equal(dma_watch_end(&owner), DMA_WATCHED_UNREAD);
    machine_destroy();
}

static void what_a_device_maps_it_may_have_read(void **state)
{
    int owner;

    start();
    dma_watch(&owner, PLACE, SIZE);
    assert_non_null(fake->bus->operations->dma_map(fake->bus, PLACE, 4));
    assert_int_equal(dma_watch_end(&owner), DMA_WATCHED_READ);
    machine_destroy();
}

static void a_range_can_be_watched_anew_for_another_owner(void **state)
{
    int owner, other, nobody;

    start();
    dma_watch(&owner, PLACE, SIZE);
    reads(PLACE, 1);
    assert_false(dma_watch_like(&other, &nobody));
    assert_true(dma_watch_like(&other, &owner));
    assert_int_equal(dma_watch_end(&other), DMA_WATCHED_UNREAD);
    assert_true(dma_watch_like(&other, &owner));
    uint64_t before = pci_dma_count(slot);
    reads(PLACE + SIZE - 1, 1);
    assert_true(pci_dma_count(slot) > before);
    assert_int_equal(dma_watch_end(&other), DMA_WATCHED_READ);
    assert_int_equal(dma_watch_end(&owner), DMA_WATCHED_READ);
    machine_destroy();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_beside_a_range_is_not_of_it),
        cmocka_unit_test(what_was_read_before_a_range_moves_stays_read),
        cmocka_unit_test(what_a_device_maps_it_may_have_read),
        cmocka_unit_test(a_range_can_be_watched_anew_for_another_owner),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

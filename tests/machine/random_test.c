/* Randomness depends on seed, site and count alone. */
#include "machine/support.h"

static void sites_do_not_disturb_each_other(void **state)
{
    uint64_t first[10];

    machine_start(42, MACHINE_POLICY_RANDOM, 1);
    for (unsigned i = 0; i < 10; i++) {
        first[i] = machine_random(RANDOM_SITE_WORKLOAD);
    }
    machine_destroy();
    machine_start(42, MACHINE_POLICY_RANDOM, 1);
    for (unsigned i = 0; i < 10; i++) {
        for (uint32_t site = 5000; site < 5300; site++) {
            machine_random(site);
        }
        assert_true(machine_random(RANDOM_SITE_WORKLOAD) == first[i]);
    }
    machine_destroy();
    machine_start(43, MACHINE_POLICY_RANDOM, 1);
    assert_true(machine_random(RANDOM_SITE_WORKLOAD) != first[0]);
    machine_destroy();
}

/* Philox4x32-10 with key and counter zero begins with these two words. */
static void numbers_are_those_of_philox(void **state)
{
    machine_start(0, MACHINE_POLICY_RANDOM, 1);
    assert_true(machine_random(0) == UINT64_C(0xe169c58d6627e8d5));
    assert_true(machine_random(0) == UINT64_C(0x9b00dbd8bc57ac4c));
    machine_destroy();
}

static void below_stays_below_and_reaches_all(void **state)
{
    unsigned seen[7] = {0};

    machine_start(1, MACHINE_POLICY_RANDOM, 1);
    for (unsigned i = 0; i < 7000; i++) {
        uint64_t value = machine_random_below(RANDOM_SITE_WORKLOAD, 7);
        assert_true(value < 7);
        seen[value]++;
    }
    for (unsigned i = 0; i < 7; i++) {
        assert_in_range(seen[i], 800, 1200);
    }
    machine_destroy();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sites_do_not_disturb_each_other),
        cmocka_unit_test(numbers_are_those_of_philox),
        cmocka_unit_test(below_stays_below_and_reaches_all),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}

/* Objects that another thread destroys while the call that makes them is under way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "race_client.h"
#include "run.h"

static void assert_races(uint64_t seed, bool old)
{
    const struct test_run run = {.workloads = {old ? &old_races : &races},
                                 .device_options = "vram_mb=64",
                                 .wddm_version = old ? 0x1300 : 0x2600,
                                 .seed = seed,
                                 .process_count = 1,
                                 .vary = "bad-commands"};
    struct record *record = test_run(&run);

    test_run_assert_pass(record);
    assert_true(test_run_counter(record, "test.made") > (old ? 100 : 500));
    assert_true(test_run_counter(record, "test.destroyed") > 10);
    record_destroy(record);
}

/* What a client may send behind the creation gives the other thread its turn. */
static void what_is_made_may_be_destroyed_meanwhile(void **state)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        assert_races(seed, false);
    }
    assert_races(5, true);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_made_may_be_destroyed_meanwhile),
    };

    test_run_set_driver(argc > 1 ? argv[1] : "");
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Places that are lent: they end where they should, and cost nothing the second time. */
#include "machine/support.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fill.h"

/* In a child: the write ends it. */
static bool can_write(void *address)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* cmocka would go on with its tests */
        *(volatile char *)address = 1;
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status);
}

static void a_place_ends_where_nobody_can_write(void **state)
{
    static const size_t sizes[] = {4, 8, 36, 112, 4096};
    struct ram_thing thing;

    machine_start(1, MACHINE_POLICY_RANDOM, 1);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        unsigned char *place = lent_take(sizes[i], "a structure");
        assert_non_null(place);
        memset(place, 1, sizes[i]);
        assert_true(can_write(place + sizes[i] - 1));
        assert_false(can_write(place + sizes[i]));
        assert_int_equal(place[sizes[i]], FILL_REDZONE);
        assert_true(lent_holds(place) && !lent_near(place, &thing));
        assert_true(lent_near(place + sizes[i] + 3, &thing));
        assert_string_equal(thing.what, "a structure");
        assert_int_equal(thing.size, sizes[i]);
        assert_int_equal(thing.offset, sizes[i] + 3);
        lent_give_back(place);
    }
    assert_null(lent_take(MACHINE_PAGE_SIZE + 1, "too long"));
    machine_destroy();
}

/* Also behind a place that is lent meanwhile, and one that is made for the first time then. */
static void behind_a_place_are_zeros_where_that_is_wanted(void **state)
{
    machine_start(1, MACHINE_POLICY_RANDOM, 1);
    unsigned char *before = lent_take(64, "before");
    lent_set_behind(true);
    unsigned char *place = lent_take(64, "a structure");
    for (unsigned i = 64; i < 64 + MACHINE_PAGE_SIZE; i += 8) {
        assert_int_equal(before[i] | place[i], 0);
    }
    assert_false(can_write(place + 64));
    lent_set_behind(false);
    assert_int_equal(before[64], FILL_REDZONE);
    assert_int_equal(place[64 + MACHINE_PAGE_SIZE - 1], FILL_REDZONE);
    lent_give_back(place);
    lent_give_back(before);
    machine_destroy();
}

static void a_place_is_used_again_and_holds_nothing_of_before(void **state)
{
    machine_start(1, MACHINE_POLICY_RANDOM, 1);
    unsigned char *first = lent_take(64, "first"), *inner = lent_take(64, "inner");
    assert_true(first != inner);
    memset(inner, 1, 64);
    lent_give_back(inner);
    assert_ptr_equal(lent_take(64, "again"), inner);
    assert_int_equal(inner[0], FILL_FREED);
    /* Given back in any order: threads come and go. */
    lent_give_back(first);
    lent_give_back(inner);
    assert_ptr_equal(lent_take(64, "again"), inner);
    assert_ptr_equal(lent_take(64, "again"), first);
    machine_destroy();
}

/* As many as threads could ever be in a driver at once; then there is none, and no harm. */
static void places_come_to_an_end(void **state)
{
    static void *places[1 << 16];
    size_t count = 0;

    machine_start(1, MACHINE_POLICY_RANDOM, 1);
    while ((places[count] = lent_take(16, "one of many")) != NULL) {
        count++;
        assert_true(count < sizeof places / sizeof places[0]);
    }
    assert_true(count >= 256);
    while (count > 0) {
        lent_give_back(places[--count]);
    }
    assert_non_null(lent_take(16, "one more"));
    machine_destroy();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_ends_where_nobody_can_write),
        cmocka_unit_test(behind_a_place_are_zeros_where_that_is_wanted),
        cmocka_unit_test(a_place_is_used_again_and_holds_nothing_of_before),
        cmocka_unit_test(places_come_to_an_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

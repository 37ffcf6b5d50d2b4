/* Two clients change what the screen shows, one at every point that may switch of the other's call:
 * afterwards it shows what the kernel thinks it does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "run.h"
#include "screen_client.h"

static void run_changes(enum screen_call caller, enum screen_call visitor)
{
    const struct test_run run = {.workloads = {&screen_client},
                                 .device_options = "vram_mb=32,aperture_mb=8,outputs=1",
                                 .seed = 1,
                                 .time_limit_ns = UINT64_C(1) << 60,
                                 .process_count = 1};

    screen_caller = caller;
    screen_visitor = visitor;
    struct record *record = test_run(&run);
    test_run_assert_pass(record);
    assert_true(test_run_counter(record, "screen.points") > 5);
    record_destroy(record);
}

static void a_flip_may_come_at_any_point_of_a_mode_change(void **state)
{
    run_changes(SCREEN_SHOW, SCREEN_FLIP);
}

static void a_mode_change_may_come_at_any_point_of_another(void **state)
{
    run_changes(SCREEN_SHOW, SCREEN_SHOW);
}

/* Who hides it does not make another's surface dark. */
static void a_mode_change_may_come_while_the_surface_before_is_destroyed(void **state)
{
    run_changes(SCREEN_DESTROY, SCREEN_SHOW);
}

static void the_surface_before_may_be_destroyed_at_any_point_of_a_mode_change(void **state)
{
    run_changes(SCREEN_SHOW, SCREEN_DESTROY);
}

static void another_mode_may_come_at_any_point_of_a_mode_change(void **state)
{
    run_changes(SCREEN_SHOW, SCREEN_SMALLER);
}

static void a_mode_change_may_come_at_any_point_of_another_mode(void **state)
{
    run_changes(SCREEN_SMALLER, SCREEN_SHOW);
}

static void a_surface_may_be_destroyed_while_its_mode_goes(void **state)
{
    run_changes(SCREEN_SMALLER, SCREEN_DESTROY);
}

static void the_screen_may_be_turned_while_its_mode_goes(void **state)
{
    run_changes(SCREEN_SMALLER, SCREEN_TURN);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flip_may_come_at_any_point_of_a_mode_change),
        cmocka_unit_test(a_mode_change_may_come_at_any_point_of_another),
        cmocka_unit_test(a_mode_change_may_come_while_the_surface_before_is_destroyed),
        cmocka_unit_test(the_surface_before_may_be_destroyed_at_any_point_of_a_mode_change),
        cmocka_unit_test(another_mode_may_come_at_any_point_of_a_mode_change),
        cmocka_unit_test(a_mode_change_may_come_at_any_point_of_another_mode),
        cmocka_unit_test(a_surface_may_be_destroyed_while_its_mode_goes),
        cmocka_unit_test(the_screen_may_be_turned_while_its_mode_goes),
    };

    test_run_set_driver(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests_name("screen", tests, NULL, NULL);
}

/* Runs each case of seh_matrix_driver.c in each .sys given: the same trails at every level of
 * optimisation, in C and in C++. A case that nobody handles is a wrong answer, not the end. */
#include "loader/loader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const *driver_paths;
static jmp_buf after_fault;
static char fault_summary[LOADER_ERROR_MAX];

/* Name, and the trail: see the function's own digits. */
static const struct {
    const char *name;
    uint64_t trail;
} cases[] = {
    {"finally_under_except_fault", 1234},
    {"finally_under_except_raise", 123},
    {"finally_under_except_callee", 12},
    {"finally_counts", 11},
    {"finally_under_except_right_behind", 12},
    {"finally_counts_right_behind", 11},
    {"finally_under_except_null", 11},
    {"finally_under_except_quietly", 123},
    {"three_finallys_under_except", 1234},
    {"except_within_finally", 123},
    {"empty_except_within_finally", 12},
    {"except_within_finally_within_except", 12},
    {"finally_within_two_excepts", 12},
    {"finally_except_finally_except", 1234},
    {"search_comes_before_unwind", 1234},
    {"one_after_the_other", 1234},
    {"in_a_loop", 12112},
    {"leaves_from_inside", 123},
    {"returns_from_inside", 125},
    {"raises_in_except", 12},
    {"tries_in_except", 1234},
    {"tries_in_finally", 1234},
    {"finally_raises_under_except", 12},
    {"except_ends_with_a_raise", 123},
    {"finally_faults_under_except", 12},
    {"finally_raises_under_finally_under_except", 123},
    {"both_finallys_raise", 123},
    {"finally_raises_for_the_nearer_handler", 123},
    {"filter_raises_under_finally", 1123},
    {"filter_unwinds_for_itself", 1234},
    {"continues_under_finally", 345},
    {"locals_are_seen", 64},
    {"over_frames", 12345},
    {"collided_for_a_nearer_frame", 1234567},
    {"collided_for_a_farther_frame", 1234},
    {"unwind_within_finally", 12345},
    {"the_right_frame_of_a_recursion", 101237453},
    {"three_exceptions_in_one_another", 12345},
};

static void unhandled(void *ctx, const struct loader_fault *fault)
{
    (void)ctx;
    snprintf(fault_summary, sizeof(fault_summary), "%s", fault->summary);
    longjmp(after_fault, 1);
}

/* One case; says what is wrong. */
static bool trail_is_right(const struct loader_image *driver, size_t index)
{
    const struct loader_host host = {.unhandled = unhandled};
    LOADER_MS_ABI uint64_t (*routine)(void) = loader_export_find(driver, cases[index].name);
    volatile uint64_t trail = 0;

    assert_non_null(routine);
    loader_init(&host);
    if (setjmp(after_fault) == 0) {
        trail = routine();
    } else {
        print_error("%s: %s: %s\n", driver->name, cases[index].name, fault_summary);
        return false;
    }
    if (trail != cases[index].trail) {
        print_error("%s: %s: %llu, not %llu\n", driver->name, cases[index].name,
                    (unsigned long long)trail, (unsigned long long)cases[index].trail);
    }
    return trail == cases[index].trail;
}

static void every_nesting_leaves_its_trail(void **state)
{
    unsigned wrong = 0;

    (void)state;
    for (const char *const *path = driver_paths; *path; path++) {
        struct loader_image *driver = NULL;
        struct loader_error error;

        if (!loader_load_file(*path, &driver, &error)) {
            fail_msg("%s: %s", *path, error.text);
        }
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            wrong += !trail_is_right(driver, i);
        }
        loader_unload(driver);
    }
    assert_int_equal(wrong, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_nesting_leaves_its_trail),
    };

    if (argc < 2) {
        fprintf(stderr, "usage: seh_matrix_test DRIVER.sys...\n");
        return 2;
    }
    driver_paths = (const char *const *)argv + 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

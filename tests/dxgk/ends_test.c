/* What waits for something that its client alone could give ends when the client destroys it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ends_client.h"
#include "run.h"

static void run_client(const struct drydock_workload *client)
{
    const struct test_run run = {.workloads = {client}, .seed = 1, .process_count = 1};
    struct record *record = test_run(&run);

    test_run_assert_pass(record);
    record_destroy(record);
}

static void a_locked_allocation_goes_with_work_that_waits_for_its_lock(void **state)
{
    run_client(&ends_allocation_client);
}

static void a_context_goes_with_work_that_waits_for_a_lock(void **state)
{
    run_client(&ends_context_client);
}

static void a_locked_allocation_goes_while_another_thread_evicts_it(void **state)
{
    run_client(&ends_evicting_client);
}

static void a_thread_does_not_wait_for_its_own_lock(void **state)
{
    run_client(&ends_own_lock_client);
}

static void a_context_goes_with_a_flip_that_is_never_shown(void **state)
{
    run_client(&ends_flip_client);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_locked_allocation_goes_with_work_that_waits_for_its_lock),
        cmocka_unit_test(a_context_goes_with_work_that_waits_for_a_lock),
        cmocka_unit_test(a_locked_allocation_goes_while_another_thread_evicts_it),
        cmocka_unit_test(a_thread_does_not_wait_for_its_own_lock),
        cmocka_unit_test(a_context_goes_with_a_flip_that_is_never_shown),
    };

    test_run_set_driver(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests_name("ends", tests, NULL, NULL);
}

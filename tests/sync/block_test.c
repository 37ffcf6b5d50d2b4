/* Tasks that block on objects, on the simulated executor. */
/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "sync/sync.h"

static struct sync_domain domain;
static struct sync_object fences[2];
static NTSTATUS results[3];
static unsigned index_seen;
static uint64_t ended_ns[3];

static void wait_for_second(void *argument)
{
    struct sync_item items[2] = {{.object = &fences[0], .value = 1},
                                 {.object = &fences[1], .value = 5}};

    results[0] = sync_wait_block(items, 2, true, MACHINE_NEVER, &index_seen);
    ended_ns[0] = machine_now_ns();
}

static void wait_too_long(void *argument)
{
    struct sync_item item = {.object = &fences[0], .value = 1};

    results[1] = sync_wait_block(&item, 1, false, machine_now_ns() + 500, NULL);
    ended_ns[1] = machine_now_ns();
}

static void wait_for_nothing(void *argument)
{
    struct sync_item item = {.object = &fences[0], .value = 0};

    results[2] = sync_wait_block(&item, 1, false, 0, NULL);
}

static void signal_later(void *argument)
{
    machine_spend(2000);
    sync_signal(&fences[1], 5);
}

static void start(const char *name, task_entry *entry)
{
    struct task *task;

    assert_int_equal(task_create(&(struct task_options){.name = name}, entry, NULL, &task), 0);
    task_put(task);
}

static void tasks_block_wake_and_give_up(void **state)
{
    assert_int_equal(machine_create(&(struct machine_config){.seed = 7, .ram_bytes = 16 << 20}), 0);
    sync_domain_init(&domain);
    sync_fence_init(&fences[0], &domain, 0);
    sync_fence_init(&fences[1], &domain, 0);
    results[0] = results[1] = results[2] = STATUS_PENDING;
    start("second", wait_for_second);
    start("too long", wait_too_long);
    start("nothing", wait_for_nothing);
    start("signal", signal_later);
    assert_int_equal(machine_run(MACHINE_NEVER), MACHINE_STOP_DONE);
    assert_int_equal(results[0], STATUS_SUCCESS);
    assert_int_equal(index_seen, 1);
    assert_true(ended_ns[0] >= 2000);
    assert_int_equal(results[1], STATUS_TIMEOUT);
    assert_true(ended_ns[1] >= 500);
    assert_int_equal(results[2], STATUS_SUCCESS);
    sync_object_fini(&fences[0], STATUS_CANCELLED);
    sync_object_fini(&fences[1], STATUS_CANCELLED);
    sync_domain_fini(&domain);
    machine_destroy();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_block_wake_and_give_up),
    };

    return cmocka_run_group_tests_name("sync/block", tests, NULL, NULL);
}

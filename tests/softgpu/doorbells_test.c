/* Doorbells, and queues whose rings are clients'. What such a ring has in it the workload doorbells
 * looks at, with page tables. */
#include "mock.h"

#include <stdlib.h>

#include "softgpu/softgpu_queues.h"

#define ENGINE 2u

static int setup(void **state)
{
    struct mock *mock = calloc(1, sizeof(*mock));
    mock_init(mock, "vram_mb=4,outputs=0");
    *state = mock;
    return 0;
}

static int teardown(void **state)
{
    mock_fini(*state);
    free(*state);
    return 0;
}

/* A doorbell rings for the queue that it is bound to, and for a client's alone. */
static void doorbells_ring_for_queues_of_clients(void **state)
{
    struct mock *mock = *state;
    mock_start_engine(mock, ENGINE, SOFTGPU_CONTROL_GRANULARITY_COMMAND);
    mock_write(mock, SOFTGPU_HWCONTEXT_REG(0, SOFTGPU_HWCONTEXT_CONTROL),
               SOFTGPU_HWCONTEXT_OF_ENGINE(ENGINE));
    mock_write(mock, SOFTGPU_HWQUEUE_REG(0, SOFTGPU_HWQUEUE_RING_SIZE), 16);
    mock_write(mock, SOFTGPU_HWQUEUE_REG(0, SOFTGPU_HWQUEUE_CONTROL),
               SOFTGPU_HWQUEUE_OF_CONTEXT(0));
    mock_write(mock, SOFTGPU_REG_DOORBELL(1), 0 + 1);
    assert_int_equal(mock_read(mock, SOFTGPU_REG_DOORBELL(1)), 1);
    mock_write(mock, SOFTGPU_DOORBELL(1), 3);
    assert_int_equal(mock_read(mock, SOFTGPU_HWQUEUE_REG(0, SOFTGPU_HWQUEUE_TAIL)), 0);
    mock_write(mock, SOFTGPU_HWQUEUE_REG(0, SOFTGPU_HWQUEUE_CONTROL), 0);
    assert_int_equal(mock_read(mock, SOFTGPU_REG_DOORBELL(1)), 0);
    mock_write(mock, SOFTGPU_HWQUEUE_REG(0, SOFTGPU_HWQUEUE_FIRST), 5);
    mock_write(mock, SOFTGPU_HWQUEUE_REG(0, SOFTGPU_HWQUEUE_CONTROL),
               SOFTGPU_HWQUEUE_OF_CONTEXT(0) | SOFTGPU_HWQUEUE_CLIENT);
    assert_int_equal(mock_read(mock, SOFTGPU_HWQUEUE_REG(0, SOFTGPU_HWQUEUE_HEAD)), 5);
    mock_write(mock, SOFTGPU_HWCONTEXT_REG(0, SOFTGPU_HWCONTEXT_COMMAND),
               SOFTGPU_HWCONTEXT_SUSPEND);
    mock_write(mock, SOFTGPU_DOORBELL(1), 6); /* bound to none */
    assert_int_equal(mock_read(mock, SOFTGPU_HWQUEUE_REG(0, SOFTGPU_HWQUEUE_TAIL)), 5);
    mock_write(mock, SOFTGPU_REG_DOORBELL(1), 0 + 1);
    mock_write(mock, SOFTGPU_DOORBELL(1) + 4, 7);
    mock_write(mock, SOFTGPU_DOORBELL(2), 7);
    assert_int_equal(mock_read(mock, SOFTGPU_HWQUEUE_REG(0, SOFTGPU_HWQUEUE_TAIL)), 5);
    mock_write(mock, SOFTGPU_DOORBELL(1), 6);
    assert_int_equal(mock_read(mock, SOFTGPU_HWQUEUE_REG(0, SOFTGPU_HWQUEUE_TAIL)), 6);
    assert_int_equal(mock_read(mock, SOFTGPU_DOORBELL(1)), 0);
    mock_write(mock, SOFTGPU_REG_DOORBELL(1), SOFTGPU_HWQUEUE_COUNT + 1);
    assert_int_equal(mock_read(mock, SOFTGPU_REG_DOORBELL(1)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(doorbells_ring_for_queues_of_clients, setup, teardown),
    };
    return cmocka_run_group_tests_name("doorbells", tests, NULL, NULL);
}

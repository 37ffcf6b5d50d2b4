/* The scheduler on the executor: a worker that steps, completion in a DPC, tasks that wait. */
#include "mock.h"

#include <string.h>

static struct mock mock;
static struct vidsch_backend backend;
static struct vidsch_context context;
static struct mock_packet packets[32];
static struct wait_queue worker_queue;
static bool wanted, stopping, ticking, hang;
static uint64_t idle_ns;
static struct machine_timer alarm_timer;
static struct machine_timer engine_timer;
static struct dpc engine_dpc;
static uint32_t engine_done, engine_given;

/* Hardware: one packet each microsecond; its interrupt is a DPC here. */
static void engine_fires(struct machine_timer *timer)
{
    if (!hang && engine_done != engine_given) {
        engine_done++;
        dpc_queue(&engine_dpc);
    }
    if (engine_done != engine_given) {
        machine_timer_set(timer, machine_now_ns() + 1000);
    }
}

static void engine_reports(struct dpc *dpc)
{
    assert_int_equal(irql_current(), MACHINE_IRQL_DISPATCH);
    vidsch_retire(&mock.vidsch, 0, engine_done);
}

static enum vidsch_submit engine_submit(struct vidsch *vidsch, struct vidsch_packet *packet,
                                        NTSTATUS *status)
{
    assert_int_equal(irql_current(), MACHINE_IRQL_PASSIVE);
    machine_yield();
    engine_given = packet->fence_id;
    machine_timer_set(&engine_timer, machine_now_ns() + 1000);
    machine_yield();
    return VIDSCH_SUBMIT_DONE;
}

static void wake_worker(struct vidsch *vidsch, unsigned node_index)
{
    wanted = true;
    wait_queue_wake(&worker_queue, 1);
}

static void alarm_rings(struct machine_timer *timer)
{
    ticking = true;
    wait_queue_wake(&worker_queue, 1);
}

static void arm_alarm(struct vidsch *vidsch, uint64_t when_ns)
{
    machine_timer_set(&alarm_timer, when_ns);
}

static void worker(void *argument)
{
    while (!stopping) {
        if (!wanted && !ticking) {
            wait_queue_wait(&worker_queue, MACHINE_NEVER);
        }
        wanted = false;
        if (ticking) {
            ticking = false;
            vidsch_tick(&mock.vidsch);
        }
        vidsch_run_all(&mock.vidsch);
    }
}

static void client(void *argument)
{
    for (unsigned i = 0; i < 32; i++) {
        mock_push(&mock, &context, &packets[i], i, VIDSCH_PACKET_RENDER);
        vidsch_run(&mock.vidsch, 0);
        machine_yield();
    }
    assert_true(vidsch_context_wait_idle(&context, MACHINE_NEVER));
    assert_true(vidsch_wait_idle(&mock.vidsch, machine_now_ns()));
    assert_true(vidsch_node_wait_quiet(&mock.vidsch, 0, MACHINE_NEVER));
    idle_ns = machine_now_ns();
    stopping = true;
    wait_queue_wake(&worker_queue, 1);
}

static void impatient_client(void *argument)
{
    hang = true;
    mock.reset_inside = true;
    mock_push(&mock, &context, &packets[0], 0, VIDSCH_PACKET_RENDER);
    mock_push(&mock, &context, &packets[1], 1, VIDSCH_PACKET_RENDER);
    mock_push(&mock, &context, &packets[2], 2, VIDSCH_PACKET_RENDER);
    vidsch_run(&mock.vidsch, 0);
    assert_false(vidsch_context_wait_idle(&context, machine_now_ns() + NS_PER_S));
    assert_true(vidsch_context_wait_idle(&context, MACHINE_NEVER));
    idle_ns = machine_now_ns();
    stopping = true;
    wait_queue_wake(&worker_queue, 1);
}

static void start(const char *name, task_entry *entry)
{
    struct task *task;

    assert_int_equal(task_create(&(struct task_options){.name = name}, entry, NULL, &task), 0);
    task_put(task);
}

static void play(uint64_t seed, task_entry *entry)
{
    wanted = stopping = ticking = hang = false;
    engine_done = engine_given = 0;
    assert_int_equal(machine_create(&(struct machine_config){.seed = seed, .ram_bytes = 16 << 20}),
                     0);
    backend = mock_backend;
    backend.submit = engine_submit;
    backend.kick = wake_worker;
    backend.arm = arm_alarm;
    backend.can_step = NULL; /* at PASSIVE_LEVEL */
    backend.now_ns = NULL;
    backend.preempt = NULL;
    wait_queue_init(&worker_queue);
    machine_timer_init(&alarm_timer, alarm_rings, NULL);
    machine_timer_init(&engine_timer, engine_fires, NULL);
    dpc_init(&engine_dpc, engine_reports, NULL);
    mock_init_with(&mock, &backend, &(struct vidsch_config){.node_count = 1});
    mock_context(&mock, &context, 0, VIDSCH_PRIORITY_NORMAL);
    start("worker", worker);
    start("client", entry);
    assert_int_equal(machine_run(MACHINE_NEVER), MACHINE_STOP_DONE);
    vidsch_context_fini(&context);
    mock_fini(&mock);
    machine_destroy();
}

static void work_flows_from_client_to_hardware_to_client(void **state)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        play(seed, client);
        assert_int_equal(mock.done_count, 32);
        for (unsigned i = 0; i < 32; i++) {
            assert_int_equal(mock.done[i], i);
        }
        assert_true(idle_ns < NS_PER_S); /* nobody waited for a deadline */
    }
}

static void a_hung_engine_releases_its_waiters(void **state)
{
    play(3, impatient_client);
    assert_int_equal(mock.timed_out_count, 1);
    assert_true(idle_ns >= 2 * NS_PER_S);
    assert_int_equal(packets[0].status, VIDSCH_STATUS_LOST);
    assert_int_equal(packets[1].status, VIDSCH_STATUS_LOST);
    assert_int_equal(packets[2].status, VIDSCH_STATUS_CANCELLED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_flows_from_client_to_hardware_to_client),
        cmocka_unit_test(a_hung_engine_releases_its_waiters),
    };

    return cmocka_run_group_tests_name("vidsch/wait", tests, NULL, NULL);
}

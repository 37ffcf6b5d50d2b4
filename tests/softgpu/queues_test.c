/* Hardware queues: which runs when, what is kept of one that is left, suspending, the log, and
 * registers and entries that no good driver writes. */
#include "mock.h"

#include <stdio.h>
#include <stdlib.h>

#include "softgpu/softgpu_queues.h"

#define ENGINE       2u
#define RING_ENTRIES 16u
#define QUEUE_MAX    4u
#define RING_PLACE   (MOCK_RAM_BASE + 0x200000)
#define BUFFERS      (MOCK_RAM_BASE + 0x300000)
#define LOG_PLACE    (MOCK_RAM_BASE + 0x800000)
#define RESULTS      0x10000u  /* in video memory: 8 bytes each */
#define ROOT         0x180000u /* a root table, there, too */
#define PRIVILEGED   SOFTGPU_ENTRY_PRIVILEGED
#define SHORT_NS     1000u
#define LONG_NS      1000000u

static uint64_t seed = 20250101;

struct queue_state {
    uint32_t tail;
    uint64_t fence;
};

static struct queue_state queues[QUEUE_MAX];
static uint64_t buffer_next;
static uint64_t buffers_at; /* their address, as entries name them */

static int setup(void **state)
{
    struct mock *mock = calloc(1, sizeof(*mock));
    mock_init(mock, "vram_mb=4,outputs=0");
    mock_start_engine(mock, ENGINE, SOFTGPU_CONTROL_GRANULARITY_COMMAND);
    mock_write(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_SCHEDULE), SOFTGPU_SCHEDULE_ENABLE);
    memset(queues, 0, sizeof(queues));
    buffer_next = BUFFERS;
    buffers_at = SOFTGPU_SYSTEM_BASE + BUFFERS;
    *state = mock;
    return 0;
}

static int teardown(void **state)
{
    mock_fini(*state);
    free(*state);
    return 0;
}

/* ---- A driver ---- */

static void context_set(struct mock *mock, uint32_t context, uint32_t reg, uint32_t value)
{
    mock_write(mock, SOFTGPU_HWCONTEXT_REG(context, reg), value);
}

static uint32_t context_get(struct mock *mock, uint32_t context, uint32_t reg)
{
    return mock_read(mock, SOFTGPU_HWCONTEXT_REG(context, reg));
}

static uint32_t queue_get(struct mock *mock, uint32_t queue, uint32_t reg)
{
    return mock_read(mock, SOFTGPU_HWQUEUE_REG(queue, reg));
}

/* Contexts use GPU addresses, unless a test gives them a space. */
static void make_context(struct mock *mock, uint32_t context, uint32_t band, int32_t priority)
{
    context_set(mock, context, SOFTGPU_HWCONTEXT_CONTROL, SOFTGPU_HWCONTEXT_OF_ENGINE(ENGINE));
    context_set(mock, context, SOFTGPU_HWCONTEXT_BAND, band);
    context_set(mock, context, SOFTGPU_HWCONTEXT_PRIORITY, (uint32_t)priority);
    context_set(mock, context, SOFTGPU_HWCONTEXT_ID, 100 + context);
}

static void make_queue(struct mock *mock, uint32_t queue, uint32_t context)
{
    mock_write64(mock, SOFTGPU_HWQUEUE_REG(queue, SOFTGPU_HWQUEUE_RING_BASE),
                 SOFTGPU_SYSTEM_BASE + RING_PLACE + queue * 0x1000ull);
    mock_write(mock, SOFTGPU_HWQUEUE_REG(queue, SOFTGPU_HWQUEUE_RING_SIZE), RING_ENTRIES);
    mock_write(mock, SOFTGPU_HWQUEUE_REG(queue, SOFTGPU_HWQUEUE_CONTROL),
               SOFTGPU_HWQUEUE_OF_CONTEXT(context));
}

static void make_pair(struct mock *mock, uint32_t number, uint32_t band, int32_t priority)
{
    make_context(mock, number, band, priority);
    make_queue(mock, number, number);
}

static void put_entry(struct mock *mock, uint32_t queue, const struct softgpu_hwqueue_entry *entry)
{
    uint8_t *ring = mock_ram(mock, RING_PLACE + queue * 0x1000ull);
    memcpy(ring + queues[queue].tail * sizeof(*entry), entry, sizeof(*entry));
    queues[queue].tail = (queues[queue].tail + 1) % RING_ENTRIES;
    mock_write(mock, SOFTGPU_HWQUEUE_REG(queue, SOFTGPU_HWQUEUE_TAIL), queues[queue].tail);
}

static uint64_t result_place(uint32_t number)
{
    return RESULTS + number * 8ull;
}

static uint64_t result_of(struct mock *mock, uint32_t number)
{
    uint64_t value;
    memcpy(&value, mock->vram + result_place(number), sizeof(value));
    return value;
}

static uint64_t fence_place(uint32_t queue)
{
    return result_place(1000 + queue);
}

static uint64_t fence_of(struct mock *mock, uint32_t queue)
{
    return result_of(mock, 1000 + queue);
}

/* What was written with mock_command() goes to the queue. */
static void submit(struct mock *mock, uint32_t queue, uint32_t flags)
{
    uint32_t bytes = mock->command_words * 4;
    uint64_t address = buffers_at + (buffer_next - BUFFERS), fence = ++queues[queue].fence;
    memcpy(mock_ram(mock, buffer_next), mock->commands, bytes);
    mock->command_words = mock->command_begin = 0;
    buffer_next += (bytes + 63) & ~63u;
    put_entry(mock, queue,
              &(struct softgpu_hwqueue_entry){
                  .flags = flags | SOFTGPU_ENTRY_FENCE | SOFTGPU_ENTRY_INTERRUPT,
                  .size_bytes = bytes,
                  .address_low = (uint32_t)address,
                  .address_high = (uint32_t)(address >> 32),
                  .fence_address_low = (uint32_t)fence_place(queue),
                  .fence_low = (uint32_t)fence,
              });
}

static void put_delay(struct mock *mock, uint32_t ns)
{
    struct softgpu_command_delay delay = {HEADER(SOFTGPU_OP_DELAY, delay), ns};
    mock_command(mock, &delay, sizeof(delay));
}

static void put_stamp(struct mock *mock, uint32_t number)
{
    struct softgpu_command_address stamp = {HEADER(SOFTGPU_OP_TIMESTAMP, stamp),
                                            gpu_address(result_place(number))};
    mock_command(mock, &stamp, sizeof(stamp));
}

static void put_wait(struct mock *mock, uint32_t number, uint32_t value)
{
    struct softgpu_command_wait wait = {.header = HEADER(SOFTGPU_OP_WAIT, wait),
                                        .condition = SOFTGPU_WAIT_AT_LEAST | SOFTGPU_WAIT_64,
                                        .address = gpu_address(result_place(number)),
                                        .value_low = value};
    mock_command(mock, &wait, sizeof(wait));
}

static void put_hang(struct mock *mock)
{
    uint32_t hang = SOFTGPU_COMMAND(SOFTGPU_OP_HANG, 1);
    mock_command(mock, &hang, sizeof(hang));
}

/* `count` pieces of `ns` each, a time stamp in `number` behind them. */
static void put_work(struct mock *mock, uint32_t number, uint32_t count, uint32_t ns)
{
    for (uint32_t i = 0; i < count; i++)
        put_delay(mock, ns);
    put_stamp(mock, number);
}

/* Spaces 1 and 2, of two processes: video memory at its own addresses, and behind it the buffers.
 */
static void make_processes(struct mock *mock)
{
    const uint64_t entries[] = {SOFTGPU_PTE_VALID | SOFTGPU_PTE_LARGE,
                                (SOFTGPU_SYSTEM_BASE + BUFFERS) | SOFTGPU_PTE_VALID |
                                    SOFTGPU_PTE_LARGE};
    memcpy(mock->vram + ROOT, entries, sizeof(entries));
    mock_write64(mock, SOFTGPU_REG_MMU_INDEX_BITS, 0x0909);
    mock_write(mock, SOFTGPU_REG_MMU_CONTROL, SOFTGPU_MMU_ENABLE | 2u << SOFTGPU_MMU_LEVELS_SHIFT);
    for (uint32_t i = 1; i <= 2; i++) {
        mock_write64(mock, SOFTGPU_SPACE_REG(i, SOFTGPU_SPACE_ROOT), ROOT);
        mock_write(mock, SOFTGPU_SPACE_REG(i, SOFTGPU_SPACE_ENTRIES), 2);
        mock_write(mock, SOFTGPU_SPACE_REG(i, SOFTGPU_SPACE_TAG), i);
    }
    buffers_at = 0x200000;
}

static void suspend(struct mock *mock, uint32_t context, uint32_t fence)
{
    mock_write64(mock, SOFTGPU_HWCONTEXT_REG(context, SOFTGPU_HWCONTEXT_SUSPEND_FENCE), fence);
    context_set(mock, context, SOFTGPU_HWCONTEXT_COMMAND, SOFTGPU_HWCONTEXT_SUSPEND);
}

static bool take_interrupt(struct mock *mock, uint32_t bit)
{
    bool there = mock_read(mock, SOFTGPU_REG_INTERRUPT_STATUS) & bit;
    mock_write(mock, SOFTGPU_REG_INTERRUPT_STATUS, bit);
    return there;
}

static uint32_t fault_reason(struct mock *mock)
{
    return mock_read(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_FAULT_REASON));
}

/* ---- Running ---- */

static void entries_run_in_order_and_note_their_progress(void **state)
{
    struct mock *mock = *state;
    make_pair(mock, 0, SOFTGPU_BAND_NORMAL, 0);
    for (uint32_t i = 0; i < 3; i++) {
        put_work(mock, i, 1, SHORT_NS);
        submit(mock, 0, PRIVILEGED);
    }
    mock_settle(mock);
    assert_int_equal(fault_reason(mock), SOFTGPU_FAULT_NONE);
    assert_true(result_of(mock, 0) > 0 && result_of(mock, 0) < result_of(mock, 1) &&
                result_of(mock, 1) < result_of(mock, 2));
    assert_int_equal(fence_of(mock, 0), 3);
    assert_int_equal(queue_get(mock, 0, SOFTGPU_HWQUEUE_HEAD), 3);
    assert_true(take_interrupt(mock, SOFTGPU_INTERRUPT_USER(ENGINE)));
    assert_int_equal(mock->trace_depth, 0);
}

static void a_ring_of_entries_wraps(void **state)
{
    struct mock *mock = *state;
    make_pair(mock, 0, SOFTGPU_BAND_NORMAL, 0);
    for (uint32_t i = 1; i <= 2 * RING_ENTRIES + 3; i++) {
        put_stamp(mock, 0);
        submit(mock, 0, PRIVILEGED);
        mock_settle(mock);
        assert_int_equal(fence_of(mock, 0), i);
    }
}

static void nothing_runs_before_the_scheduler_is_enabled(void **state)
{
    struct mock *mock = *state;
    mock_write(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_SCHEDULE), 0);
    make_pair(mock, 0, SOFTGPU_BAND_NORMAL, 0);
    put_stamp(mock, 0);
    submit(mock, 0, PRIVILEGED);
    mock_settle(mock);
    assert_int_equal(fence_of(mock, 0), 0);
    mock_write(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_SCHEDULE), SOFTGPU_SCHEDULE_ENABLE);
    mock_settle(mock);
    assert_int_equal(fence_of(mock, 0), 1);
}

/* The lower one goes on where it was. */
static void a_higher_band_interrupts_a_lower_one_between_commands(void **state)
{
    struct mock *mock = *state;
    make_pair(mock, 0, SOFTGPU_BAND_NORMAL, 0);
    make_pair(mock, 1, SOFTGPU_BAND_REALTIME, 0);
    put_work(mock, 0, 10, 10000);
    submit(mock, 0, PRIVILEGED);
    mock_run(mock, 25000);
    put_work(mock, 1, 1, SHORT_NS);
    submit(mock, 1, PRIVILEGED);
    mock_settle(mock);
    assert_in_range(result_of(mock, 1), 25000, 40000);
    assert_in_range(result_of(mock, 0), 101000, 106000); /* nothing was done twice */
    assert_int_equal(fence_of(mock, 0), 1);
    assert_int_equal(mock->trace_depth, 0);
}

static void a_grace_period_lets_the_lower_one_finish(void **state)
{
    struct mock *mock = *state;
    mock_write(mock, SOFTGPU_BAND_REG(SOFTGPU_BAND_FOCUS, SOFTGPU_BAND_GRACE), 50000);
    make_pair(mock, 0, SOFTGPU_BAND_NORMAL, 0);
    make_pair(mock, 1, SOFTGPU_BAND_FOCUS, 0);
    put_work(mock, 0, 5, 10000);
    submit(mock, 0, PRIVILEGED);
    mock_run(mock, 15000);
    put_stamp(mock, 1);
    submit(mock, 1, PRIVILEGED);
    mock_settle(mock);
    assert_true(result_of(mock, 0) < result_of(mock, 1));
}

/* Two of one process and priority. */
static void equals_take_turns_by_quantum(void **state)
{
    struct mock *mock = *state;
    for (uint32_t i = 0; i < 2; i++) {
        make_pair(mock, i, SOFTGPU_BAND_NORMAL, 0);
        context_set(mock, i, SOFTGPU_HWCONTEXT_QUANTUM, 20000);
    }
    for (uint32_t i = 0; i < 2; i++) {
        put_work(mock, 10 + i, 5, 10000);
        put_work(mock, i, 5, 10000);
        submit(mock, i, PRIVILEGED);
    }
    mock_settle(mock);
    assert_true(result_of(mock, 10) < result_of(mock, 1));
    assert_true(result_of(mock, 11) < result_of(mock, 0));
}

/* By process, of which one has two contexts with work: it gets no more of the time for that. */
static void processes_take_turns_by_quantum(void **state)
{
    struct mock *mock = *state;
    make_processes(mock);
    mock_write(mock, SOFTGPU_BAND_REG(SOFTGPU_BAND_NORMAL, SOFTGPU_BAND_PROCESS_QUANTUM), 20000);
    for (uint32_t i = 0; i < 3; i++) {
        make_pair(mock, i, SOFTGPU_BAND_NORMAL, 0);
        context_set(mock, i, SOFTGPU_HWCONTEXT_SPACE, i < 2 ? 1 : 2);
        put_work(mock, i, 10, 10000);
        submit(mock, i, 0);
    }
    mock_settle(mock);
    assert_int_equal(fault_reason(mock), SOFTGPU_FAULT_NONE);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(fence_of(mock, i), 1);
    assert_in_range(result_of(mock, 2), 180000, 230000); /* half of the time until then */
}

static void a_priority_counts_within_the_process(void **state)
{
    struct mock *mock = *state;
    make_pair(mock, 0, SOFTGPU_BAND_NORMAL, -7);
    make_pair(mock, 1, SOFTGPU_BAND_NORMAL, 7);
    put_work(mock, 0, 10, 10000);
    submit(mock, 0, PRIVILEGED);
    mock_run(mock, 5000);
    put_work(mock, 1, 5, 10000);
    submit(mock, 1, PRIVILEGED);
    mock_settle(mock);
    assert_true(result_of(mock, 1) < result_of(mock, 0));
}

static void the_focus_leaves_normal_work_its_share(void **state)
{
    struct mock *mock = *state;
    mock_write(mock, SOFTGPU_REG_NORMAL_SHARE, 20);
    mock_write(mock, SOFTGPU_BAND_REG(SOFTGPU_BAND_NORMAL, SOFTGPU_BAND_PROCESS_QUANTUM), 50000);
    make_pair(mock, 0, SOFTGPU_BAND_NORMAL, 0);
    make_pair(mock, 1, SOFTGPU_BAND_FOCUS, 0);
    put_work(mock, 0, 9, 10000);
    submit(mock, 0, PRIVILEGED);
    for (uint32_t i = 0; i < 10; i++) {
        put_work(mock, 1, 10, 10000);
        submit(mock, 1, PRIVILEGED);
    }
    mock_settle(mock);
    assert_true(result_of(mock, 0) < result_of(mock, 1));
    assert_in_range(result_of(mock, 0), 400000, 600000); /* a fifth of the time */
}

/* A wait for what another queue does. */
static void who_waits_lets_others_run(void **state)
{
    struct mock *mock = *state;
    make_pair(mock, 0, SOFTGPU_BAND_REALTIME, 0);
    make_pair(mock, 1, SOFTGPU_BAND_IDLE, 0);
    put_wait(mock, 5, 1);
    put_stamp(mock, 0);
    submit(mock, 0, PRIVILEGED);
    mock_run(mock, LONG_NS);
    assert_int_equal(fence_of(mock, 0), 0);
    put_work(mock, 5, 1, 10000);
    submit(mock, 1, PRIVILEGED);
    mock_settle(mock);
    assert_int_equal(fence_of(mock, 0), 1);
    assert_true(result_of(mock, 5) < result_of(mock, 0));
}

static void packets_of_the_ring_go_first_and_are_not_left(void **state)
{
    struct mock *mock = *state;
    make_pair(mock, 0, SOFTGPU_BAND_REALTIME, 31);
    put_work(mock, 0, 10, 10000);
    submit(mock, 0, PRIVILEGED);
    mock_run(mock, 15000);
    put_work(mock, 1, 2, 10000);
    mock_submit(mock, ENGINE, SOFTGPU_PACKET_FLAG_PRIVILEGED, 1);
    mock_settle(mock);
    assert_true(result_of(mock, 1) < result_of(mock, 0));
    assert_int_equal(mock_fence(mock, ENGINE), 1);
    assert_int_equal(fence_of(mock, 0), 1);
}

static void preempting_the_ring_leaves_queues_alone(void **state)
{
    struct mock *mock = *state;
    make_pair(mock, 0, SOFTGPU_BAND_NORMAL, 0);
    put_work(mock, 0, 10, 10000);
    submit(mock, 0, PRIVILEGED);
    mock_run(mock, 15000);
    mock_write(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_PREEMPT), 77);
    mock_settle(mock);
    assert_int_equal(mock_read(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_PREEMPT_DONE)), 77);
    assert_int_equal(mock_read(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_PREEMPT_STATE)),
                     SOFTGPU_PREEMPT_IDLE);
    assert_int_equal(fence_of(mock, 0), 1);
}

/* ---- Suspending ---- */

static void an_idle_context_is_suspended_at_once(void **state)
{
    struct mock *mock = *state;
    make_pair(mock, 0, SOFTGPU_BAND_NORMAL, 0);
    suspend(mock, 0, 7);
    assert_true(take_interrupt(mock, SOFTGPU_INTERRUPT_SUSPENDED(ENGINE)));
    assert_int_equal(context_get(mock, 0, SOFTGPU_HWCONTEXT_SUSPENDED), 7);
    put_stamp(mock, 0);
    submit(mock, 0, PRIVILEGED);
    mock_settle(mock);
    assert_int_equal(fence_of(mock, 0), 0);
    context_set(mock, 0, SOFTGPU_HWCONTEXT_COMMAND, SOFTGPU_HWCONTEXT_RESUME);
    mock_settle(mock);
    assert_int_equal(fence_of(mock, 0), 1);
}

static void a_running_context_is_suspended_between_commands(void **state)
{
    struct mock *mock = *state;
    make_pair(mock, 0, SOFTGPU_BAND_NORMAL, 0);
    put_work(mock, 0, 4, 100000);
    submit(mock, 0, PRIVILEGED);
    mock_run(mock, 150000);
    suspend(mock, 0, 1);
    assert_false(take_interrupt(mock, SOFTGPU_INTERRUPT_SUSPENDED(ENGINE)));
    assert_int_equal(context_get(mock, 0, SOFTGPU_HWCONTEXT_STATUS), SOFTGPU_HWCONTEXT_IS_RUNNING);
    mock_settle(mock);
    assert_true(take_interrupt(mock, SOFTGPU_INTERRUPT_SUSPENDED(ENGINE)));
    assert_int_equal(context_get(mock, 0, SOFTGPU_HWCONTEXT_STATUS),
                     SOFTGPU_HWCONTEXT_IS_SUSPENDED);
    assert_int_equal(fence_of(mock, 0), 0);
    uint64_t resumed = mock->now_ns;
    context_set(mock, 0, SOFTGPU_HWCONTEXT_COMMAND, SOFTGPU_HWCONTEXT_RESUME);
    mock_settle(mock);
    assert_in_range(result_of(mock, 0) - resumed, 190000, 210000); /* two of four were left */
}

static void a_waiting_context_is_suspended(void **state)
{
    struct mock *mock = *state;
    make_pair(mock, 0, SOFTGPU_BAND_NORMAL, 0);
    put_wait(mock, 5, 1);
    submit(mock, 0, PRIVILEGED);
    mock_run(mock, LONG_NS);
    suspend(mock, 0, 1);
    mock_settle(mock);
    assert_true(take_interrupt(mock, SOFTGPU_INTERRUPT_SUSPENDED(ENGINE)));
    mock->vram[result_place(5)] = 1;
    context_set(mock, 0, SOFTGPU_HWCONTEXT_COMMAND, SOFTGPU_HWCONTEXT_RESUME);
    mock_settle(mock);
    assert_int_equal(fence_of(mock, 0), 1);
}

static void what_hangs_is_never_suspended(void **state)
{
    struct mock *mock = *state;
    make_pair(mock, 0, SOFTGPU_BAND_NORMAL, 0);
    put_hang(mock);
    submit(mock, 0, PRIVILEGED);
    mock_settle(mock);
    suspend(mock, 0, 1);
    mock_settle(mock);
    assert_false(take_interrupt(mock, SOFTGPU_INTERRUPT_SUSPENDED(ENGINE)));
}

/* ---- Faults and resets ---- */

static void a_hung_context_is_lost_by_a_reset_and_others_go_on(void **state)
{
    struct mock *mock = *state;
    make_pair(mock, 0, SOFTGPU_BAND_NORMAL, 0);
    make_pair(mock, 1, SOFTGPU_BAND_NORMAL, 0);
    put_hang(mock);
    submit(mock, 0, PRIVILEGED);
    mock_settle(mock);
    put_stamp(mock, 1);
    submit(mock, 1, PRIVILEGED);
    mock_settle(mock);
    assert_int_equal(fence_of(mock, 1), 0);
    assert_int_equal(mock_read(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_SCHEDULED_CONTEXT)), 1);
    mock_write(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_RESET), SOFTGPU_RESET_KEY);
    mock_settle(mock);
    assert_int_equal(context_get(mock, 0, SOFTGPU_HWCONTEXT_STATUS), SOFTGPU_HWCONTEXT_IS_LOST);
    assert_int_equal(fence_of(mock, 1), 0);
    mock_start_engine(mock, ENGINE, 0);
    mock_write(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_SCHEDULE), SOFTGPU_SCHEDULE_ENABLE);
    mock_settle(mock);
    assert_int_equal(fence_of(mock, 1), 1);
    assert_int_equal(fence_of(mock, 0), 0);
}

static void a_fault_names_its_queue(void **state)
{
    struct mock *mock = *state;
    make_pair(mock, 3, SOFTGPU_BAND_NORMAL, 0);
    put_entry(mock, 3,
              &(struct softgpu_hwqueue_entry){
                  .size_bytes = 64, .address_high = 0x7FFFFFFF, .fence_low = 9});
    mock_settle(mock);
    assert_int_equal(fault_reason(mock), SOFTGPU_FAULT_ADDRESS);
    assert_int_equal(mock_read(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_FAULT_QUEUE)), 4);
    assert_int_equal(mock_read(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_FAULT_FENCE)), 9);
    assert_true(take_interrupt(mock, SOFTGPU_INTERRUPT_FAULT(ENGINE)));
}

static void entries_of_clients_have_no_privilege(void **state)
{
    struct mock *mock = *state;
    struct softgpu_command_fill fill = {.header = HEADER(SOFTGPU_OP_FILL, fill),
                                        .address = gpu_address(SOFTGPU_SYSTEM_BASE + RING_PLACE),
                                        .size_low = 8};
    make_pair(mock, 0, SOFTGPU_BAND_NORMAL, 0);
    mock_command(mock, &fill, sizeof(fill));
    submit(mock, 0, 0);
    mock_settle(mock);
    assert_int_equal(fault_reason(mock), SOFTGPU_FAULT_PRIVILEGE);
}

static void a_queue_that_is_switched_off_lets_the_engine_go(void **state)
{
    struct mock *mock = *state;
    make_pair(mock, 0, SOFTGPU_BAND_NORMAL, 0);
    make_pair(mock, 1, SOFTGPU_BAND_NORMAL, 0);
    put_wait(mock, 5, 1);
    submit(mock, 0, PRIVILEGED);
    mock_run(mock, 5000);
    context_set(mock, 0, SOFTGPU_HWCONTEXT_CONTROL, 0);
    assert_int_equal(queue_get(mock, 0, SOFTGPU_HWQUEUE_CONTROL), 0);
    put_stamp(mock, 1);
    submit(mock, 1, PRIVILEGED);
    mock_settle(mock);
    assert_int_equal(fence_of(mock, 0), 0);
    assert_int_equal(fence_of(mock, 1), 1);
    assert_int_equal(mock->trace_depth, 0);
}

/* ---- The log ---- */

static void begin_log(struct mock *mock, uint32_t entries, uint32_t interrupt_entry)
{
    memset(mock_ram(mock, LOG_PLACE), 0xEE, 4096);
    memset(mock_ram(mock, LOG_PLACE), 0, sizeof(struct softgpu_log_header));
    mock_write64(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_LOG_ADDRESS),
                 SOFTGPU_SYSTEM_BASE + LOG_PLACE);
    mock_write(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_LOG_ENTRIES), entries);
    mock_write(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_LOG_INTERRUPT), interrupt_entry);
    mock_write(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_LOG_CONTROL), SOFTGPU_LOG_ENABLE);
}

static const struct softgpu_log_entry *log_entry(struct mock *mock, uint32_t index)
{
    const struct softgpu_log_header *header = mock_ram(mock, LOG_PLACE);
    return (const struct softgpu_log_entry *)(const void *)(header + 1) + index;
}

static void the_log_has_each_change_of_a_context(void **state)
{
    struct mock *mock = *state;
    const struct softgpu_log_header *header = mock_ram(mock, LOG_PLACE);
    static const struct {
        uint32_t context, state;
    } expected[] = {
        {0, SOFTGPU_LOG_READY},   {0, SOFTGPU_LOG_RUNNING}, {1, SOFTGPU_LOG_READY},
        {0, SOFTGPU_LOG_READY},   {1, SOFTGPU_LOG_RUNNING}, {1, SOFTGPU_LOG_IDLE},
        {0, SOFTGPU_LOG_RUNNING}, {0, SOFTGPU_LOG_IDLE},
    };
    begin_log(mock, 64, 4);
    make_pair(mock, 0, SOFTGPU_BAND_NORMAL, 0);
    make_pair(mock, 1, SOFTGPU_BAND_REALTIME, 0);
    put_work(mock, 0, 4, 10000);
    submit(mock, 0, PRIVILEGED);
    mock_run(mock, 15000);
    assert_false(take_interrupt(mock, SOFTGPU_INTERRUPT_LOG(ENGINE)));
    put_stamp(mock, 1);
    submit(mock, 1, PRIVILEGED);
    mock_settle(mock);
    assert_true(take_interrupt(mock, SOFTGPU_INTERRUPT_LOG(ENGINE)));
    assert_int_equal(header->next_entry, sizeof(expected) / sizeof(expected[0]));
    for (uint32_t i = 0; i < header->next_entry; i++) {
        assert_int_equal(log_entry(mock, i)->context_low, 100 + expected[i].context);
        assert_int_equal(log_entry(mock, i)->state, expected[i].state);
        assert_int_equal(log_entry(mock, i)->operation, 0);
        assert_true(i == 0 || log_entry(mock, i)->time_low >= log_entry(mock, i - 1)->time_low);
    }
    assert_int_equal(log_entry(mock, header->next_entry)->state, 0xEEEEEEEE);
}

static void the_log_wraps(void **state)
{
    struct mock *mock = *state;
    struct softgpu_log_header *header = mock_ram(mock, LOG_PLACE);
    begin_log(mock, 5, 100);
    header->next_entry = 2; /* read with the first entry: page tables may come behind the switch */
    make_pair(mock, 0, SOFTGPU_BAND_NORMAL, 0);
    for (uint32_t i = 0; i < 4; i++) { /* three entries each: ready, running, idle */
        put_stamp(mock, 0);
        submit(mock, 0, PRIVILEGED);
        mock_settle(mock);
    }
    assert_int_equal(header->next_entry, (2 + 12) % 5);
    assert_int_equal(header->wraparounds, (2 + 12) / 5);
    assert_int_equal(log_entry(mock, 5)->state, 0xEEEEEEEE);
}

static void a_log_that_cannot_be_written_ends(void **state)
{
    struct mock *mock = *state;
    begin_log(mock, 64, 0);
    mock_write64(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_LOG_ADDRESS), SOFTGPU_SYSTEM_BASE);
    make_pair(mock, 0, SOFTGPU_BAND_NORMAL, 0);
    put_stamp(mock, 0);
    submit(mock, 0, PRIVILEGED);
    mock_settle(mock);
    assert_int_equal(fence_of(mock, 0), 1);
    assert_int_equal(mock_read(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_LOG_CONTROL)), 0);
}

/* ---- What no good driver does ---- */

static void registers_take_nothing_that_makes_no_sense(void **state)
{
    struct mock *mock = *state;
    context_set(mock, 0, SOFTGPU_HWCONTEXT_CONTROL, SOFTGPU_HWCONTEXT_OF_ENGINE(7u));
    assert_int_equal(context_get(mock, 0, SOFTGPU_HWCONTEXT_CONTROL), 0);
    make_queue(mock, 0, 0); /* of a context that is none */
    assert_int_equal(queue_get(mock, 0, SOFTGPU_HWQUEUE_CONTROL), 0);
    make_queue(mock, 0, SOFTGPU_HWCONTEXT_COUNT);
    assert_int_equal(queue_get(mock, 0, SOFTGPU_HWQUEUE_CONTROL), 0);
    mock_write(mock, SOFTGPU_HWQUEUE_REG(0, SOFTGPU_HWQUEUE_RING_SIZE), 100);
    assert_int_equal(queue_get(mock, 0, SOFTGPU_HWQUEUE_RING_SIZE), RING_ENTRIES);
    context_set(mock, 0, SOFTGPU_HWCONTEXT_BAND, 9);
    assert_int_equal(context_get(mock, 0, SOFTGPU_HWCONTEXT_BAND), SOFTGPU_BAND_IDLE);
    mock_write(mock, SOFTGPU_REG_NORMAL_SHARE, 100);
    assert_int_equal(mock_read(mock, SOFTGPU_REG_NORMAL_SHARE), 50);
    make_pair(mock, 0, SOFTGPU_BAND_NORMAL, 0);
    mock_write(mock, SOFTGPU_HWQUEUE_REG(0, SOFTGPU_HWQUEUE_RING_SIZE), 32); /* it is in use */
    assert_int_equal(queue_get(mock, 0, SOFTGPU_HWQUEUE_RING_SIZE), RING_ENTRIES);
}

static void a_bad_entry_stops_the_engine(void **state)
{
    static const struct softgpu_hwqueue_entry entries[] = {
        {.flags = 0x80},
        {.size_bytes = 3},
        {.address_low = 2},
        {.flags = SOFTGPU_ENTRY_FENCE, .fence_address_low = 4},
    };
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        struct mock *mock;
        setup(state);
        mock = *state;
        make_pair(mock, 0, SOFTGPU_BAND_NORMAL, 0);
        put_entry(mock, 0, &entries[i]);
        mock_settle(mock);
        assert_int_equal(fault_reason(mock), SOFTGPU_FAULT_PACKET);
        if (i + 1 < sizeof(entries) / sizeof(entries[0]))
            teardown(state);
    }
}

static void a_tail_outside_of_the_ring_stops_the_engine(void **state)
{
    struct mock *mock = *state;
    make_pair(mock, 0, SOFTGPU_BAND_NORMAL, 0);
    mock_write(mock, SOFTGPU_HWQUEUE_REG(0, SOFTGPU_HWQUEUE_TAIL), RING_ENTRIES);
    mock_settle(mock);
    assert_int_equal(fault_reason(mock), SOFTGPU_FAULT_RING);
    assert_int_equal(mock_read(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_FAULT_QUEUE)), 1);
}

static void an_address_space_that_is_none_stops_the_engine(void **state)
{
    struct mock *mock = *state;
    make_pair(mock, 0, SOFTGPU_BAND_NORMAL, 0);
    context_set(mock, 0, SOFTGPU_HWCONTEXT_SPACE, 0xFFFFFFFF);
    put_stamp(mock, 0);
    submit(mock, 0, PRIVILEGED);
    mock_settle(mock);
    assert_int_equal(fault_reason(mock), SOFTGPU_FAULT_PACKET);
}

static uint32_t any_register(uint64_t *random)
{
    switch (next_random(random) % 5) {
    case 0:
        return SOFTGPU_HWQUEUE_REG(next_random(random) % QUEUE_MAX, next_random(random) % 16 * 4);
    case 1:
    case 2:
        return SOFTGPU_HWCONTEXT_REG(next_random(random) % 5, next_random(random) % 16 * 4);
    case 3:
        return engine_reg(ENGINE, 0xA0 + next_random(random) % 8 * 4);
    default:
        return SOFTGPU_HWQUEUE_REG(0, next_random(random) % 0x7000 / 4 * 4);
    }
}

static uint32_t any_value(uint64_t *random)
{
    static const uint32_t values[] = {0, 1, 2, 3, 16, 0x101, 0x201, 0x301, 0xFFFFFFFF, 0x80000000};
    return next_random(random) % 4 ? values[next_random(random) % 10] : next_random(random);
}

/* Whatever is written between pieces of real work: nothing but a fault comes of it. */
static void random_registers_harm_nobody_else(void **state)
{
    struct mock *mock = *state;
    uint64_t random = seed;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (unsigned round = 0; round < 300; round++) {
        uint32_t number = next_random(&random) % QUEUE_MAX;
        mock_start_engine(mock, ENGINE, next_random(&random) % 3 << 4);
        mock_write(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_SCHEDULE), SOFTGPU_SCHEDULE_ENABLE);
        make_pair(mock, number, next_random(&random) % 4, (int32_t)(next_random(&random) % 15) - 7);
        queues[number] = (struct queue_state){0};
        buffer_next = BUFFERS;
        for (unsigned i = 0; i < 4; i++) {
            put_work(mock, i, next_random(&random) % 5, next_random(&random) % 30000);
            if (next_random(&random) % 8 == 0)
                put_wait(mock, 50, 1);
            submit(mock, number, PRIVILEGED);
        }
        for (unsigned i = 0; i < 20; i++) {
            mock_write(mock, any_register(&random), any_value(&random));
            mock_read(mock, any_register(&random));
            mock_run(mock, next_random(&random) % 20000);
        }
        if (next_random(&random) % 3 == 0)
            mock_write(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_RESET), SOFTGPU_RESET_KEY);
        if (next_random(&random) % 10 == 0) {
            mock_write(mock, SOFTGPU_REG_RESET, SOFTGPU_RESET_KEY);
            mock_settle(mock);
            assert_int_equal(mock->trace_depth, 0);
        }
    }
    mock_write(mock, SOFTGPU_REG_RESET, SOFTGPU_RESET_KEY);
    mock_settle(mock);
    assert_int_equal(mock->trace_depth, 0);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        seed = strtoull(argv[1], NULL, 0);
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(entries_run_in_order_and_note_their_progress),
        CASE(a_ring_of_entries_wraps),
        CASE(nothing_runs_before_the_scheduler_is_enabled),
        CASE(a_higher_band_interrupts_a_lower_one_between_commands),
        CASE(a_grace_period_lets_the_lower_one_finish),
        CASE(equals_take_turns_by_quantum),
        CASE(processes_take_turns_by_quantum),
        CASE(a_priority_counts_within_the_process),
        CASE(the_focus_leaves_normal_work_its_share),
        CASE(who_waits_lets_others_run),
        CASE(packets_of_the_ring_go_first_and_are_not_left),
        CASE(preempting_the_ring_leaves_queues_alone),
        CASE(an_idle_context_is_suspended_at_once),
        CASE(a_running_context_is_suspended_between_commands),
        CASE(a_waiting_context_is_suspended),
        CASE(what_hangs_is_never_suspended),
        CASE(a_hung_context_is_lost_by_a_reset_and_others_go_on),
        CASE(a_fault_names_its_queue),
        CASE(entries_of_clients_have_no_privilege),
        CASE(a_queue_that_is_switched_off_lets_the_engine_go),
        CASE(the_log_has_each_change_of_a_context),
        CASE(the_log_wraps),
        CASE(a_log_that_cannot_be_written_ends),
        CASE(registers_take_nothing_that_makes_no_sense),
        CASE(a_bad_entry_stops_the_engine),
        CASE(a_tail_outside_of_the_ring_stops_the_engine),
        CASE(an_address_space_that_is_none_stops_the_engine),
        CASE(random_registers_harm_nobody_else),
    };

    return cmocka_run_group_tests_name("queues", tests, NULL, NULL);
}

/* What a submission costs: an empty command from the client to the driver, to the engine, to the
 * interrupt, to the fence, to the client awake again; alone and in batches.
 *
 *   submit_bench [options] DRIVER
 *
 * The limits beside it: a function that is called and stores a fence (nobody else has to run), and
 * two threads that hand a word to and fro, spinning or asleep in a futex. The house runs on one
 * thread, so the first of them is its limit; the others are what it saves. */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/record.h"
#include "bench.h"
#include "contract/contract.h"
#include "house.h"
#include "softgpu/softgpu_regs.h"

#define BATCH     2000
#define WAIT_NS   (60 * NS_PER_S)
#define NOP_WORDS 1

/* ---- The limits -------------------------------------------------------------------------- */

struct fence {
    uint64_t submitted, completed;
};

static __attribute__((noinline)) void execute(struct fence *fence)
{
    __atomic_store_n(&fence->completed, fence->submitted, __ATOMIC_RELEASE);
}

static void run_bare_call(void *context, unsigned repeat)
{
    static struct fence fence;

    while (repeat-- > 0) {
        fence.submitted++;
        execute(&fence);
        while (__atomic_load_n(&fence.completed, __ATOMIC_ACQUIRE) != fence.submitted) {
        }
    }
}

/* Two threads, one word each way. */
struct pair {
    _Alignas(64) uint32_t ping;
    _Alignas(64) uint32_t pong;
    bool asleep; /* wait in the kernel */
    unsigned rounds;
};

static void word_wait(struct pair *pair, uint32_t *word, uint32_t value)
{
    uint32_t seen;

    while ((seen = __atomic_load_n(word, __ATOMIC_ACQUIRE)) != value) {
        if (pair->asleep) {
            syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
        } else {
            __builtin_ia32_pause();
        }
    }
}

static void word_set(struct pair *pair, uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    if (pair->asleep) {
        syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

static void pin(unsigned cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    (void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static void *answer(void *context)
{
    struct pair *pair = context;

    pin(1);
    for (uint32_t i = 1; i <= pair->rounds; i++) {
        word_wait(pair, &pair->ping, i);
        word_set(pair, &pair->pong, i);
    }
    return NULL;
}

/* The thread is made once for many rounds, so that its making hardly counts. */
static void hand_over(bool asleep, unsigned repeat)
{
    struct pair pair = {.asleep = asleep, .rounds = repeat};
    pthread_t thread;

    if (pthread_create(&thread, NULL, answer, &pair) != 0) {
        exit(3);
    }
    for (uint32_t i = 1; i <= repeat; i++) {
        word_set(&pair, &pair.ping, i);
        word_wait(&pair, &pair.pong, i);
    }
    pthread_join(thread, NULL);
}

static void run_spin(void *context, unsigned repeat)
{
    hand_over(false, repeat);
}

static void run_futex(void *context, unsigned repeat)
{
    hand_over(true, repeat);
}

/* ---- The house --------------------------------------------------------------------------- */

static struct dxgk_device *device;
static struct dxgk_context *context;

static void submit_empty(void)
{
    const struct dxgk_render_request request = {.command_bytes = NOP_WORDS * 4};

    house_need(dxgk_render(context, &request), "render");
}

static void wait_idle(void)
{
    house_need(dxgk_context_wait_idle(context, machine_now_ns() + WAIT_NS), "wait for the context");
}

static void run_one(void *unused, unsigned repeat)
{
    while (repeat-- > 0) {
        submit_empty();
        wait_idle();
    }
}

static void run_batch(void *unused, unsigned repeat)
{
    while (repeat-- > 0) {
        for (unsigned i = 0; i < BATCH; i++) {
            submit_empty();
        }
        wait_idle();
    }
}

/* The difference is what judging costs; what the driver is told is followed in either case. */
static void run_one_unjudged(void *unused, unsigned repeat)
{
    contract_set_judging(false);
    run_one(NULL, repeat);
    contract_set_judging(true);
}

static void run_batch_unjudged(void *unused, unsigned repeat)
{
    contract_set_judging(false);
    run_batch(NULL, repeat);
    contract_set_judging(true);
}

/* A value that only the scheduler carries: no driver, no device. */
static struct dxgk_sync *monitored;
static UINT64 monitored_value;

static void run_signal(void *unused, unsigned repeat)
{
    while (repeat-- > 0) {
        house_need(dxgk_sync_signal_gpu(context, &monitored, 1, ++monitored_value), "signal");
        house_need(dxgk_sync_wait_cpu(monitored, monitored_value, machine_now_ns() + WAIT_NS),
                   "wait for the signal");
    }
}

static void run_yield(void *unused, unsigned repeat)
{
    while (repeat-- > 0) {
        machine_yield();
    }
}

/* ---- The switch from one task to another and back ------------------------------------------ */

static struct wait_queue here, there;
static uint32_t ball;
static bool game_over;

static void return_ball(void *unused)
{
    while (!game_over) {
        while (!game_over && (ball & 1) == 0) {
            wait_queue_wait(&there, MACHINE_NEVER);
        }
        ball++;
        wait_queue_wake(&here, 1);
    }
}

static void run_tasks(void *unused, unsigned repeat)
{
    while (repeat-- > 0) {
        ball++;
        wait_queue_wake(&there, 1);
        while ((ball & 1) != 0) {
            wait_queue_wait(&here, MACHINE_NEVER);
        }
    }
}

static struct task *start_partner(void)
{
    const struct task_options options = {.name = "partner"};
    struct task *task;

    wait_queue_init(&here);
    wait_queue_init(&there);
    house_need(task_create(&options, return_ball, NULL, &task), "task");
    return task;
}

static void stop_partner(struct task *task)
{
    game_over = true;
    wait_queue_wake(&there, 1);
    task_put(task);
}

/* ---- The tables -------------------------------------------------------------------------- */

static void prepare(struct house *house)
{
    const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 info = {.Type = D3DDDI_FENCE};
    struct dxgk_command_space space;

    house_need(dxgk_device_create(house->adapter, house->process, &device), "device");
    house_need(dxgk_context_create(device, &(struct dxgk_context_request){0}, &context), "context");
    dxgk_context_command_space(context, &space);
    const uint32_t nop = SOFTGPU_COMMAND(SOFTGPU_OP_NOP, NOP_WORDS);
    memcpy(space.commands, &nop, sizeof(nop));
    house_need(dxgk_sync_create(device, &info, &monitored), "fence");
}

static void print_rate(struct house *house)
{
    struct dxgk_totals before, after;
    double begin = bench_now_ns();
    uint64_t begin_virtual = machine_now_ns();

    dxgk_adapter_totals(house->adapter, &before);
    run_batch(NULL, bench_is_quick() ? 1 : 10);
    dxgk_adapter_totals(house->adapter, &after);
    double real = bench_now_ns() - begin;
    double done = (double)(after.completed - before.completed);
    printf("simulated submissions: %.0f a second of real time, %.0f a second of the machine's\n\n",
           done / real * 1e9, done / (double)(machine_now_ns() - begin_virtual) * 1e9);
}

static void work(struct house *house)
{
    prepare(house);
    struct task *partner = start_partner();

    (void)bench_table("one empty submission, done and waited for");
    bench_row(&(struct bench_work){.name = "limit: bare call and fence", .run = run_bare_call});
    bench_row(
        &(struct bench_work){.name = "two threads, spinning", .run = run_spin, .target_ns = 5e6});
    bench_row(
        &(struct bench_work){.name = "two threads, futex", .run = run_futex, .target_ns = 20e6});
    bench_row(&(struct bench_work){.name = "house: a point that may switch", .run = run_yield});
    bench_row(&(struct bench_work){.name = "house: to another task and back", .run = run_tasks});
    bench_row(&(struct bench_work){.name = "house: fence signal, no driver", .run = run_signal});
    bench_row(&(struct bench_work){
        .name = "house: render to fence to waiter", .run = run_one, .target_ns = 10e6});
    bench_row(&(struct bench_work){.name = "house: its rules not looked at (alone)",
                                   .run = run_one_unjudged,
                                   .target_ns = 10e6});
    bench_row(&(struct bench_work){
        .name = "house: the same, 2000 in a row, each", .run = run_batch, .items = BATCH});
    bench_row(&(struct bench_work){.name = "house: its rules not looked at (in a row)",
                                   .run = run_batch_unjudged,
                                   .items = BATCH});
    bench_run();
    print_rate(house);
    stop_partner(partner);
}

int main(int argc, char **argv)
{
    if (!bench_options(&argc, argv) || argc != 2) {
        fprintf(
            stderr,
            "usage: submit_bench [--rounds N] [--quick] [--times N] [--table PART] [--only PART] "
            "[--json] DRIVER\n");
        return 2;
    }
    pin(0);
    return house_run(&(struct house_options){.driver = argv[1]}, work);
}

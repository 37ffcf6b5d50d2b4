/* Preemption at random moments: whatever is stopped and submitted again, every command is done
 * once. The commands move a row of bytes one place on, so that one too many or too few shows. */
#include "kernel.h"

#define PLACE        0x200000ull
#define PACKET_COUNT 40
#define IN_FLIGHT    4
#define STEPS_MAX    3

struct packet {
    struct kernel_dma dma;
    ULONG fence;
    unsigned steps;
};

struct run {
    HANDLE device, context;
    struct kernel_allocation allocation;
    struct packet packets[PACKET_COUNT];
    unsigned done, submitted; /* packets before these indexes */
    ULONG request;
    uint64_t random;
    bool large;
};

struct commands {
    struct {
        struct softgpu_command_copy copy;
        struct softgpu_command_delay delay;
    } steps[STEPS_MAX];
};

static void render(struct run *run, struct packet *packet)
{
    struct commands commands;
    packet->steps = 1 + next_random(&run->random) % STEPS_MAX;
    for (unsigned i = 0; i < packet->steps; i++) {
        commands.steps[i].copy = (struct softgpu_command_copy){
            .header = HEADER(SOFTGPU_OP_COPY, struct softgpu_command_copy),
            .destination = {1, 0},
            .source = {0, 0},
            .size_low = run->large ? 0x60000 : 256,
        };
        commands.steps[i].delay = (struct softgpu_command_delay){
            .header = HEADER(SOFTGPU_OP_DELAY, struct softgpu_command_delay),
            .nanoseconds = next_random(&run->random) % 30000,
        };
    }
    kernel_dma_init(&packet->dma, 4096, 64);
    kernel_dma_add(&packet->dma, &run->allocation, TRUE, FALSE);
    assert_int_equal(kernel_render(run->context, &packet->dma, &commands,
                                   packet->steps * (ULONG)sizeof(commands.steps[0]), NULL),
                     STATUS_SUCCESS);
}

static void submit(struct run *run, struct packet *packet)
{
    packet->fence = kernel_submit(run->context, &packet->dma);
}

/* Takes note of what the driver reported. */
static void retire(struct run *run)
{
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *notice = kernel_last(DXGK_INTERRUPT_DMA_COMPLETED);
    while (notice && run->done < run->submitted &&
           (LONG)(notice->DmaCompleted.SubmissionFenceId - run->packets[run->done].fence) >= 0)
        run->done++;
}

/* As the scheduler does it: ask, wait for the answer, submit what is left under new ids. */
static void preempt(struct run *run)
{
    DXGKARG_PREEMPTCOMMAND arguments = {.PreemptionFenceId = ++run->request};
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *notice;
    kernel.irql = DISPATCH_LEVEL;
    assert_int_equal(kernel.table.DxgkDdiPreemptCommand(kernel.adapter, &arguments),
                     STATUS_SUCCESS);
    kernel.irql = PASSIVE_LEVEL;
    do {
        kernel_run(500);
        notice = kernel_last(DXGK_INTERRUPT_DMA_PREEMPTED);
    } while (!notice || notice->DmaPreempted.PreemptionFenceId != run->request);
    /* What is complete was reported as such before. */
    retire(run);
    if (run->done > 0 && run->packets[run->done - 1].fence)
        assert_true((LONG)(notice->DmaPreempted.LastCompletedFenceId -
                           run->packets[run->done - 1].fence) >= 0);
    for (unsigned i = run->done; i < run->submitted; i++)
        submit(run, &run->packets[i]);
}

static void check(ULONG granularity, uint64_t seed)
{
    const struct kernel_setting settings[] = {{"PreemptionGranularity", granularity}, {NULL, 0}};
    struct softgpu_umd_allocation umd = {.magic = SOFTGPU_UMD_ALLOCATION_MAGIC,
                                         .version = SOFTGPU_UMD_VERSION,
                                         .size_bytes = 0x100000};
    static struct run run;
    unsigned steps = 0, preemptions = 0;
    memset(&run, 0, sizeof(run));
    run.random = seed;
    run.large = granularity == 2;
    run.request = 0x40000000;
    kernel_start(settings, NULL);
    run.device = kernel_create_device();
    run.context = kernel_create_context(run.device, SOFTGPU_ENGINE_3D);
    assert_int_equal(kernel_create_allocation(run.device, &umd, PLACE, &run.allocation),
                     STATUS_SUCCESS);
    *kernel_vram(PLACE) = 7;
    while (run.done < PACKET_COUNT) {
        if (run.submitted < PACKET_COUNT && run.submitted - run.done < IN_FLIGHT) {
            render(&run, &run.packets[run.submitted]);
            steps += run.packets[run.submitted].steps;
            submit(&run, &run.packets[run.submitted++]);
        }
        kernel_run(next_random(&run.random) % 20000);
        retire(&run);
        if (next_random(&run.random) % 3 == 0) {
            preempt(&run);
            preemptions++;
        }
        if (kernel.notice_count > KERNEL_NOTICES_MAX - 64) { /* keep the newest of each kind */
            DXGKARGCB_NOTIFY_INTERRUPT_DATA last[2];
            unsigned count = 0;
            if (kernel_last(DXGK_INTERRUPT_DMA_COMPLETED))
                last[count++] = *kernel_last(DXGK_INTERRUPT_DMA_COMPLETED);
            if (kernel_last(DXGK_INTERRUPT_DMA_PREEMPTED))
                last[count++] = *kernel_last(DXGK_INTERRUPT_DMA_PREEMPTED);
            memcpy(kernel.notices, last, sizeof(last));
            kernel.notice_count = count;
        }
    }
    assert_true(preemptions > 5);
    for (unsigned i = 0; i <= steps; i++)
        assert_int_equal(*kernel_vram(PLACE + i), 7);
    assert_int_equal(*kernel_vram(PLACE + steps + 1), 0);
    kernel_destroy_allocation(run.device, &run.allocation);
    kernel.table.DxgkDdiDestroyContext(run.context);
    kernel.table.DxgkDdiDestroyDevice(run.device);
    kernel_stop();
}

static void between_packets(void **state)
{
    for (uint64_t seed = 1; seed <= 4; seed++)
        check(0, seed);
}

static void between_commands(void **state)
{
    for (uint64_t seed = 1; seed <= 8; seed++)
        check(1, seed);
}

static void inside_of_commands(void **state)
{
    for (uint64_t seed = 1; seed <= 3; seed++)
        check(2, seed);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(between_packets),
        cmocka_unit_test(between_commands),
        cmocka_unit_test(inside_of_commands),
    };
    kernel_choose_driver(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

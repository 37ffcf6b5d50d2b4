/* queues_test.c: hardware contexts and queues of the driver: what is submitted there runs, is told
 * of, refused, suspended, lost by a fault, and goes on after a reset and a sleep. */
#include "kernel_virtual.h"

#define FENCE_VA 0x600000ull
#define NOWHERE  0x7000000ull
#define QUEUED   SETTINGS({"HardwareScheduling", 1}, {"RingBufferFenceRelease", 1}, )

/* Two hardware contexts with a queue each; their progress fences lie in one page. */
struct stream {
    HANDLE context, queue;
    volatile uint64_t *progress;
    uint64_t address, id;
};

static struct stream streams[2];

static HANDLE kernels_context(unsigned index)
{
    return (HANDLE)(uintptr_t)(0x100 + index);
}

static HANDLE kernels_queue(unsigned index)
{
    return (HANDLE)(uintptr_t)(0x200 + index);
}

static void make_stream(unsigned index)
{
    struct stream *stream = &streams[index];
    DXGKARG_CREATEHWCONTEXT context = {.hHwContext = kernels_context(index),
                                       .NodeOrdinal = SOFTGPU_ENGINE_COMPUTE,
                                       .EngineAffinity = 1};
    *stream = (struct stream){.progress = (volatile uint64_t *)(void *)space_local(PLACES) + index,
                              .address = FENCE_VA + index * sizeof(uint64_t)};
    *stream->progress = 0;
    assert_int_equal(kernel.table.DxgkDdiCreateHwContext(space.device, &context), STATUS_SUCCESS);
    stream->context = context.hHwContext;
    space_set_root(stream->context, space.root_entries);
    DXGKARG_CREATEHWQUEUE queue = {.hHwQueue = kernels_queue(index),
                                   .HwQueueProgressFenceCPUVirtualAddress =
                                       (void *)(uintptr_t)stream->progress,
                                   .HwQueueProgressFenceGPUVirtualAddress = stream->address};
    assert_int_equal(kernel.table.DxgkDdiCreateHwQueue(stream->context, &queue), STATUS_SUCCESS);
    assert_ptr_not_equal(queue.hHwQueue, kernels_queue(index));
    stream->queue = queue.hHwQueue;
}

static int setup(void **state)
{
    space_begin(QUEUED);
    space_map(FENCE_VA, LOCAL, PLACES);
    space_map(WORK_VA, LOCAL, PLACES + 4096);
    for (unsigned i = 0; i < 2; i++)
        make_stream(i);
    return 0;
}

static int teardown(void **state)
{
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(kernel.table.DxgkDdiDestroyHwQueue(streams[i].queue), STATUS_SUCCESS);
        assert_int_equal(kernel.table.DxgkDdiDestroyHwContext(streams[i].context), STATUS_SUCCESS);
    }
    space_end();
    return 0;
}

/* The buffer goes to the queue, with the next value of its fence. */
static void submit(unsigned index, const struct buffer *buffer)
{
    const DXGKARG_SUBMITCOMMANDTOHWQUEUE submit = {.hHwQueue = streams[index].queue,
                                                   .HwQueueProgressFenceId = ++streams[index].id,
                                                   .DmaBufferVirtualAddress = BUFFER_VA,
                                                   .DmaBufferSize = buffer->used,
                                                   .HwQueueProgressFenceGpuVa =
                                                       streams[index].address};
    assert_int_equal(kernel.table.DxgkDdiSubmitCommandToHwQueue(kernel.adapter, &submit),
                     STATUS_SUCCESS);
}

static struct buffer fill_with(uint32_t pattern)
{
    struct buffer buffer = buffer_begin();
    buffer_fill(&buffer, WORK_VA, pattern, 64);
    return buffer;
}

static uint32_t filled_with(void)
{
    uint32_t word;
    memcpy(&word, space_local(PLACES + 4096), sizeof(word));
    return word;
}

static void what_is_submitted_runs_and_is_told_of(void **state)
{
    struct buffer buffer = fill_with(0x11223344);
    submit(0, &buffer);
    kernel_run(1000000);
    assert_int_equal(filled_with(), 0x11223344);
    assert_int_equal(*streams[0].progress, 1);
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *notice =
        kernel_last(DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED);
    assert_non_null(notice);
    assert_int_equal(notice->MonitoredFenceSignaled.NodeOrdinal, SOFTGPU_ENGINE_COMPUTE);
}

static void a_buffer_that_was_executed_is_refused(void **state)
{
    DXGKARG_VALIDATESUBMITCOMMAND validate = {.Commands = BUFFER_VA,
                                              .CommandLength = 64,
                                              .Flags.HardwareQueueSubmission = 1,
                                              .ContextCount = 1,
                                              .Context = {streams[0].queue},
                                              .HwQueueProgressFenceId = 1};
    struct buffer buffer = fill_with(1);
    assert_int_equal(kernel.table.DxgkDdiValidateSubmitCommand(kernel.adapter, &validate),
                     STATUS_SUCCESS);
    submit(0, &buffer);
    kernel_run(1000000);
    assert_int_equal(kernel.table.DxgkDdiValidateSubmitCommand(kernel.adapter, &validate),
                     STATUS_INVALID_PARAMETER); /* VALID-020 */
    validate.HwQueueProgressFenceId = 2;
    validate.CommandLength = 63;
    assert_int_equal(kernel.table.DxgkDdiValidateSubmitCommand(kernel.adapter, &validate),
                     STATUS_INVALID_USER_BUFFER);
}

static NTSTATUS suspend(unsigned index, uint64_t fence)
{
    const DXGKARG_SUSPENDCONTEXT suspend = {streams[index].context, fence};
    return kernel.table.DxgkDdiSuspendContext(kernel.adapter, &suspend);
}

static void resume(unsigned index)
{
    const DXGKARG_RESUMECONTEXT resume = {streams[index].context};
    assert_int_equal(kernel.table.DxgkDdiResumeContext(kernel.adapter, &resume), STATUS_SUCCESS);
    kernel_run(1000000);
}

static void a_suspended_context_waits_until_it_is_resumed(void **state)
{
    struct buffer buffer = fill_with(2);
    assert_int_equal(suspend(0, 7), STATUS_PENDING);
    kernel_run(1000000);
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *notice =
        kernel_last(DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED);
    assert_non_null(notice);
    assert_ptr_equal(notice->SuspendContextCompleted.hContext, kernels_context(0));
    assert_int_equal(notice->SuspendContextCompleted.ContextSuspendFence, 7);
    assert_int_equal(suspend(0, 8), STATUS_SUCCESS); /* it is already */
    submit(0, &buffer);
    kernel_run(1000000);
    assert_int_equal(*streams[0].progress, 0);
    resume(0);
    assert_int_equal(*streams[0].progress, 1);
    assert_int_equal(suspend(0, 9), STATUS_PENDING);
    resume(0);
}

/* The device forgets everything when it sleeps. */
static void queues_work_after_a_sleep(void **state)
{
    struct buffer buffer = fill_with(3);
    assert_int_equal(suspend(1, 1), STATUS_PENDING);
    kernel_run(1000000);
    kernel.table.DxgkDdiSetPowerState(kernel.adapter, DISPLAY_ADAPTER_HW_ID, PowerDeviceD3,
                                      PowerActionSleep);
    kernel.table.DxgkDdiSetPowerState(kernel.adapter, DISPLAY_ADAPTER_HW_ID, PowerDeviceD0,
                                      PowerActionSleep);
    submit(0, &buffer);
    submit(1, &buffer);
    kernel_run(1000000);
    assert_int_equal(*streams[0].progress, 1);
    assert_int_equal(*streams[1].progress, 0); /* suspended before, and so it is now */
    resume(1);
    assert_int_equal(*streams[1].progress, 1);
}

static void a_fault_names_its_queue_and_costs_no_other(void **state)
{
    DXGKARG_RESETHWENGINE reset = {.NodeOrdinal = SOFTGPU_ENGINE_COMPUTE};
    DXGKARG_RESUMEHWENGINE go_on = {.NodeOrdinal = SOFTGPU_ENGINE_COMPUTE};
    struct buffer buffer = buffer_begin();
    buffer_fill(&buffer, NOWHERE, 0, 64);
    submit(0, &buffer);
    kernel_run(1000000);
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *notice =
        kernel_last(DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED);
    assert_non_null(notice);
    assert_ptr_equal(notice->HwQueuePageFaulted.FaultedHwQueue, kernels_queue(0));
    assert_int_equal(notice->HwQueuePageFaulted.FaultedFenceId, 1);
    assert_int_equal(notice->HwQueuePageFaulted.FaultedVirtualAddress, NOWHERE);
    assert_int_equal(notice->HwQueuePageFaulted.PageFaultFlags,
                     DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED | DXGK_PAGE_FAULT_WRITE);
    buffer = fill_with(4);
    submit(1, &buffer);
    assert_int_equal(kernel.table.DxgkDdiResetHwEngine(kernel.adapter, &reset), STATUS_SUCCESS);
    kernel_run(1000000);
    assert_int_equal(*streams[1].progress, 0); /* HWQ-022 */
    assert_int_equal(kernel.table.DxgkDdiResumeHwEngine(kernel.adapter, &go_on), STATUS_SUCCESS);
    kernel_run(1000000);
    assert_int_equal(*streams[1].progress, 1);
    assert_int_equal(*streams[0].progress, 0);
}

static void nodes_say_whether_they_have_queues(void **state)
{
    for (UINT node = 0; node < SOFTGPU_ENGINE_COUNT; node++) {
        DXGKARG_GETNODEMETADATA metadata;
        memset(&metadata, 0, sizeof(metadata));
        assert_int_equal(kernel.table.DxgkDdiGetNodeMetadata(kernel.adapter, node, &metadata),
                         STATUS_SUCCESS);
        assert_int_equal(metadata.Flags.ContextSchedulingSupported, node == SOFTGPU_ENGINE_COMPUTE);
        assert_int_equal(metadata.Flags.RingBufferFenceRelease, node == SOFTGPU_ENGINE_COMPUTE);
    }
}

int main(int argc, char **argv)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(what_is_submitted_runs_and_is_told_of),
        CASE(a_buffer_that_was_executed_is_refused),
        CASE(a_suspended_context_waits_until_it_is_resumed),
        CASE(queues_work_after_a_sleep),
        CASE(a_fault_names_its_queue_and_costs_no_other),
        CASE(nodes_say_whether_they_have_queues),
    };

    kernel_choose_driver(argc, argv);
    return cmocka_run_group_tests_name("queues", tests, NULL, NULL);
}

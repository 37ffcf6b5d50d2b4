/* Render, Patch, SubmitCommand, preemption, lost interrupts and resets. */
#include "kernel.h"

#define PLACE_A 0x200000ull
#define PLACE_B 0x400000ull

static struct softgpu_umd_allocation buffer_of(ULONG bytes)
{
    return (struct softgpu_umd_allocation){.magic = SOFTGPU_UMD_ALLOCATION_MAGIC,
                                           .version = SOFTGPU_UMD_VERSION,
                                           .flags = SOFTGPU_UMD_CPU_VISIBLE,
                                           .size_bytes = bytes};
}

static struct softgpu_command_fill fill_of(ULONG allocation, ULONG offset, ULONG bytes,
                                           ULONG pattern)
{
    return (struct softgpu_command_fill){
        .header = HEADER(SOFTGPU_OP_FILL, struct softgpu_command_fill),
        .pattern = pattern,
        .address = {offset, allocation},
        .size_low = bytes,
    };
}

static struct softgpu_command_copy copy_of(ULONG to, ULONG to_offset, ULONG from, ULONG from_offset,
                                           ULONG bytes)
{
    return (struct softgpu_command_copy){
        .header = HEADER(SOFTGPU_OP_COPY, struct softgpu_command_copy),
        .destination = {to_offset, to},
        .source = {from_offset, from},
        .size_low = bytes,
    };
}

struct scene {
    HANDLE device, context;
    struct kernel_allocation a, b;
    struct kernel_dma dma;
};

static void begin(struct scene *scene, const struct kernel_setting *settings, BOOLEAN resident)
{
    struct softgpu_umd_allocation umd = buffer_of(0x100000);
    kernel_start(settings, NULL);
    scene->device = kernel_create_device();
    scene->context = kernel_create_context(scene->device, SOFTGPU_ENGINE_3D);
    assert_int_equal(kernel_create_allocation(scene->device, &umd, PLACE_A, &scene->a),
                     STATUS_SUCCESS);
    assert_int_equal(kernel_create_allocation(scene->device, &umd, PLACE_B, &scene->b),
                     STATUS_SUCCESS);
    kernel_dma_init(&scene->dma, KERNEL_DMA_BYTES, 64);
    kernel_dma_add(&scene->dma, &scene->a, TRUE, resident);
    kernel_dma_add(&scene->dma, &scene->b, TRUE, resident);
}

static void end(struct scene *scene)
{
    kernel_destroy_allocation(scene->device, &scene->a);
    kernel_destroy_allocation(scene->device, &scene->b);
    assert_int_equal(kernel.table.DxgkDdiDestroyContext(scene->context), STATUS_SUCCESS);
    assert_int_equal(kernel.table.DxgkDdiDestroyDevice(scene->device), STATUS_SUCCESS);
    kernel_stop();
}

static uint32_t word_at(uint64_t place)
{
    uint32_t value;
    memcpy(&value, kernel_vram(place), 4);
    return value;
}

static void a_command_buffer_does_what_it_says(void **state)
{
    struct {
        struct softgpu_command_fill fill;
        struct softgpu_command_copy copy;
    } commands = {fill_of(0, 64, 4096, 0xABCD1234), copy_of(1, 128, 0, 64, 4096)};
    for (BOOLEAN resident = FALSE; resident <= TRUE; resident++) {
        struct scene scene;
        begin(&scene, NULL, resident);
        assert_int_equal(
            kernel_render(scene.context, &scene.dma, &commands, sizeof(commands), NULL),
            STATUS_SUCCESS);
        assert_int_equal(scene.dma.patch_count, 3);
        for (unsigned i = 1; i < 3; i++)
            assert_true(scene.dma.patches[i].SplitOffset >= scene.dma.patches[i - 1].SplitOffset);
        kernel_wait_fence(0, kernel_submit(scene.context, &scene.dma));
        assert_int_equal(word_at(PLACE_A + 60), 0);
        assert_int_equal(word_at(PLACE_A + 64), 0xABCD1234);
        assert_int_equal(word_at(PLACE_B + 128), 0xABCD1234);
        assert_int_equal(word_at(PLACE_B + 128 + 4092), 0xABCD1234);
        assert_int_equal(word_at(PLACE_B + 128 + 4096), 0);
        assert_true(kernel.dpc_count > 0);
        end(&scene);
    }
}

/* Small buffers: the client's commands are done in several passes, none lost, none twice. */
static void a_full_buffer_is_continued(void **state)
{
    struct softgpu_command_fill fills[40];
    struct scene scene;
    UINT offset = 0;
    unsigned passes = 0;
    NTSTATUS status;
    begin(&scene, NULL, FALSE);
    for (unsigned i = 0; i < 40; i++)
        fills[i] = fill_of(0, i * 16, 16, i + 1);
    kernel_dma_init(&scene.dma, 256, 4);
    kernel_dma_add(&scene.dma, &scene.a, TRUE, FALSE);
    do {
        status = kernel_render(scene.context, &scene.dma, fills, sizeof(fills), &offset);
        assert_true(status == STATUS_SUCCESS || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
        assert_true(scene.dma.used > 0);
        kernel_wait_fence(0, kernel_submit(scene.context, &scene.dma));
        passes++;
    } while (status != STATUS_SUCCESS);
    assert_true(passes > 10);
    for (unsigned i = 0; i < 40; i++)
        assert_int_equal(word_at(PLACE_A + i * 16 + 12), i + 1);
    end(&scene);
}

static NTSTATUS try_render(struct scene *scene, const void *commands, ULONG bytes)
{
    return kernel_render(scene->context, &scene->dma, commands, bytes, NULL);
}

static void bad_commands_are_refused(void **state)
{
    struct scene scene;
    begin(&scene, NULL, TRUE);
    scene.dma.allocations[1].WriteOperation = 0;

    struct softgpu_command_fill fill = fill_of(0, 0xFFFFC, 8, 0); /* past the end */
    assert_int_equal(try_render(&scene, &fill, sizeof(fill)), STATUS_INVALID_PARAMETER);
    fill = fill_of(0, 0, 8, 0);
    fill.size_high = 1;
    assert_int_equal(try_render(&scene, &fill, sizeof(fill)), STATUS_INVALID_PARAMETER);
    fill = fill_of(2, 0, 8, 0);
    assert_int_equal(try_render(&scene, &fill, sizeof(fill)), STATUS_INVALID_HANDLE);
    fill = fill_of(1, 0, 8, 0); /* not announced as written */
    assert_int_equal(try_render(&scene, &fill, sizeof(fill)), STATUS_INVALID_PARAMETER);
    fill = fill_of(0, 0, 8, 0);
    assert_int_equal(try_render(&scene, &fill, sizeof(fill) - 4), STATUS_INVALID_PARAMETER);
    assert_int_equal(try_render(&scene, NULL, 64), STATUS_INVALID_USER_BUFFER);

    uint32_t word = SOFTGPU_COMMAND(SOFTGPU_OP_INTERRUPT, 1);
    assert_int_equal(try_render(&scene, &word, 4), STATUS_PRIVILEGED_INSTRUCTION);
    word = SOFTGPU_COMMAND(0x77, 1);
    assert_int_equal(try_render(&scene, &word, 4), STATUS_ILLEGAL_INSTRUCTION);
    word = SOFTGPU_COMMAND(SOFTGPU_OP_NOP, 0);
    assert_int_equal(try_render(&scene, &word, 4), STATUS_INVALID_PARAMETER);
    struct softgpu_command_compute compute = {
        .header = HEADER(SOFTGPU_OP_COMPUTE, struct softgpu_command_compute)};
    assert_int_equal(try_render(&scene, &compute, sizeof(compute)), STATUS_ILLEGAL_INSTRUCTION);
    end(&scene);
}

/* A client's buffer may lie nowhere, or end too early: only the .sys can survive that. */
static void a_bad_address_is_refused(void **state)
{
    struct scene scene;
    begin(&scene, NULL, TRUE);
    if (kernel_has_sys()) {
        assert_int_equal(try_render(&scene, (const void *)0x1000, 64), STATUS_INVALID_USER_BUFFER);
        assert_int_equal(try_render(&scene, (const void *)~0x1000ull, 64),
                         STATUS_INVALID_USER_BUFFER);
    }
    end(&scene);
}

/* Whatever the words are: no fault of the device, no write outside of what the kernel gave. */
static void random_commands_never_fault_the_device(void **state)
{
    static const uint32_t opcodes[] = {SOFTGPU_OP_WRITE,     SOFTGPU_OP_FILL, SOFTGPU_OP_COPY,
                                       SOFTGPU_OP_FILL_RECT, SOFTGPU_OP_BLT,  SOFTGPU_OP_STRETCH,
                                       SOFTGPU_OP_ROTATE,    SOFTGPU_OP_OVER, SOFTGPU_OP_TIMESTAMP,
                                       SOFTGPU_OP_TRIANGLES};
    static const uint32_t lengths[] = {6, 6, 8, 12, 19, 26, 18, 18, 3, 22};
    uint64_t random = 42;
    unsigned accepted = 0;
    struct scene scene;
    begin(&scene, NULL, FALSE);
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t words[32], kind = next_random(&random) % 10;
        for (unsigned j = 0; j < 32; j++) {
            uint32_t value = next_random(&random);
            words[j] = value % 4 == 0 ? value >> 16 : value % 4 == 1 ? value % 64 : value % 3;
        }
        words[0] = SOFTGPU_COMMAND(opcodes[kind], lengths[kind]);
        if (try_render(&scene, words, lengths[kind] * 4) != STATUS_SUCCESS)
            continue;
        accepted++;
        kernel_submit(scene.context, &scene.dma);
        mock_settle(&kernel.mock);
        kernel_serve();
        kernel.notice_count = 0;
        assert_int_equal(mock_read(&kernel.mock, SOFTGPU_ENGINE_REG(0, SOFTGPU_ENGINE_STATUS)) &
                             SOFTGPU_STATUS_FAULTED,
                         0);
    }
    assert_true(accepted > 100);
    end(&scene);
}

/* ---- Preemption ---- */

static void preempt(ULONG node, ULONG request)
{
    DXGKARG_PREEMPTCOMMAND arguments = {.PreemptionFenceId = request, .NodeOrdinal = node};
    kernel.irql = DISPATCH_LEVEL;
    assert_int_equal(kernel.table.DxgkDdiPreemptCommand(kernel.adapter, &arguments),
                     STATUS_SUCCESS);
    kernel.irql = PASSIVE_LEVEL;
    kernel_serve();
}

static void an_idle_node_is_answered_at_once(void **state)
{
    struct scene scene;
    begin(&scene, NULL, TRUE);
    preempt(SOFTGPU_ENGINE_COMPUTE, 900);
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *notice = kernel_last(DXGK_INTERRUPT_DMA_PREEMPTED);
    assert_non_null(notice);
    assert_int_equal(notice->DmaPreempted.PreemptionFenceId, 900);
    assert_int_equal(notice->DmaPreempted.NodeOrdinal, SOFTGPU_ENGINE_COMPUTE);
    assert_int_equal(kernel.dpc_count, 1);
    end(&scene);
}

/* A packet that was stopped in its middle goes on there, and does nothing twice. */
static void a_preempted_packet_goes_on_where_it_was(void **state)
{
    struct {
        struct softgpu_command_copy add_one[8];
        struct softgpu_command_delay delay;
        struct softgpu_command_copy more[4];
    } commands;
    struct scene scene;
    begin(&scene, NULL, FALSE);
    /* Each copy moves the row of bytes one place on: done twice, it would move it further. */
    for (unsigned i = 0; i < 8; i++)
        commands.add_one[i] = copy_of(0, 1, 0, 0, 256);
    commands.delay = (struct softgpu_command_delay){
        .header = HEADER(SOFTGPU_OP_DELAY, struct softgpu_command_delay), .nanoseconds = 5000000};
    for (unsigned i = 0; i < 4; i++)
        commands.more[i] = copy_of(0, 1, 0, 0, 256);
    *kernel_vram(PLACE_A) = 7;

    assert_int_equal(try_render(&scene, &commands, sizeof(commands)), STATUS_SUCCESS);
    ULONG first = kernel_submit(scene.context, &scene.dma);
    kernel_run(1000000);
    preempt(0, 901);
    kernel_run(10000000);
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *notice = kernel_last(DXGK_INTERRUPT_DMA_PREEMPTED);
    assert_non_null(notice);
    assert_int_equal(notice->DmaPreempted.PreemptionFenceId, 901);
    assert_int_equal(notice->DmaPreempted.LastCompletedFenceId, first - 1);
    assert_null(kernel_last(DXGK_INTERRUPT_DMA_COMPLETED));
    assert_int_equal(*kernel_vram(PLACE_A + 8), 7);
    assert_int_equal(*kernel_vram(PLACE_A + 9), 0);

    /* With a new fence id and a new Patch, as dxgkrnl submits it again. */
    kernel_wait_fence(0, kernel_submit(scene.context, &scene.dma));
    assert_int_equal(*kernel_vram(PLACE_A + 12), 7);
    assert_int_equal(*kernel_vram(PLACE_A + 13), 0);
    end(&scene);
}

/* ---- Fences ---- */

static void a_lost_interrupt_is_made_up_for(void **state)
{
    struct softgpu_command_fill fill = fill_of(0, 0, 64, 1);
    DXGKARG_QUERYCURRENTFENCE query = {.NodeOrdinal = 0};
    struct scene scene;
    begin(&scene, NULL, TRUE);
    mock_write(&kernel.mock, SOFTGPU_TEST_KEY, SOFTGPU_TEST_KEY_VALUE);
    mock_write(&kernel.mock, SOFTGPU_TEST_LOSE_INTERRUPTS, 1);
    assert_int_equal(try_render(&scene, &fill, sizeof(fill)), STATUS_SUCCESS);
    ULONG fence = kernel_submit(scene.context, &scene.dma);
    kernel_run(1000000);
    assert_int_equal(kernel.notice_count, 0);

    assert_int_equal(kernel.table.DxgkDdiQueryCurrentFence(kernel.adapter, &query), STATUS_SUCCESS);
    assert_int_equal(query.CurrentFence, fence);
    assert_int_equal(kernel.notice_count, 1);
    assert_int_equal(kernel.notices[0].DmaCompleted.SubmissionFenceId, fence);
    assert_true(kernel.dpc_queued);
    /* Asked again, it says the same and reports nothing. */
    assert_int_equal(kernel.table.DxgkDdiQueryCurrentFence(kernel.adapter, &query), STATUS_SUCCESS);
    assert_int_equal(kernel.notice_count, 1);
    end(&scene);
}

static void fence_ids_may_wrap(void **state)
{
    struct softgpu_command_fill fill = fill_of(0, 0, 64, 1);
    struct scene scene;
    begin(&scene, NULL, TRUE);
    kernel.fence = 0xFFFFFFFC;
    assert_int_equal(try_render(&scene, &fill, sizeof(fill)), STATUS_SUCCESS);
    for (unsigned i = 0; i < 8; i++)
        kernel_wait_fence(0, kernel_submit(scene.context, &scene.dma));
    assert_int_equal(kernel.notice_count, 8);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(kernel.notices[i].DmaCompleted.SubmissionFenceId, 0xFFFFFFFDu + i);
    end(&scene);
}

/* ---- Resets ---- */

static ULONG hang(struct scene *scene)
{
    uint32_t word = SOFTGPU_COMMAND(SOFTGPU_OP_HANG, 1);
    assert_int_equal(try_render(scene, &word, sizeof(word)), STATUS_SUCCESS);
    return kernel_submit(scene->context, &scene->dma);
}

static void the_adapter_comes_back_after_a_reset(void **state)
{
    struct softgpu_command_fill fill = fill_of(0, 0, 64, 0x55);
    DXGKARG_QUERYCURRENTFENCE query = {.NodeOrdinal = 0};
    struct scene scene;
    begin(&scene, NULL, TRUE);
    ULONG fence = hang(&scene);
    kernel_run(100000); /* now it hangs, and does not answer */
    preempt(0, 902);
    kernel_run(1000000);
    assert_int_equal(kernel.notice_count, 0);

    assert_int_equal(kernel.table.DxgkDdiResetFromTimeout(kernel.adapter), STATUS_SUCCESS);
    assert_int_equal(kernel.table.DxgkDdiQueryCurrentFence(kernel.adapter, &query), STATUS_SUCCESS);
    assert_int_equal(query.CurrentFence, fence);
    assert_int_equal(kernel.table.DxgkDdiRestartFromTimeout(kernel.adapter), STATUS_SUCCESS);
    assert_int_equal(kernel.notice_count, 0); /* nothing of before is reported */

    assert_int_equal(try_render(&scene, &fill, sizeof(fill)), STATUS_SUCCESS);
    kernel_wait_fence(0, kernel_submit(scene.context, &scene.dma));
    assert_int_equal(word_at(PLACE_A), 0x55);
    end(&scene);
}

static void one_engine_is_reset_alone(void **state)
{
    static const struct kernel_setting settings[] = {{"PerEngineTdr", 1}, {NULL, 0}};
    struct softgpu_command_fill fill = fill_of(0, 0, 64, 0x77);
    DXGKARG_RESETENGINE reset = {.NodeOrdinal = 0};
    DXGKARG_QUERYENGINESTATUS status = {.NodeOrdinal = 0};
    DXGKARG_QUERYDEPENDENTENGINEGROUP group = {.NodeOrdinal = 0};
    struct scene scene;
    begin(&scene, settings, TRUE);
    assert_int_equal(try_render(&scene, &fill, sizeof(fill)), STATUS_SUCCESS);
    kernel_wait_fence(0, kernel_submit(scene.context, &scene.dma));
    ULONG hung = hang(&scene);
    kernel_submit(scene.context, &scene.dma); /* queued behind it */
    kernel_run(100000);

    kernel.table.DxgkDdiQueryDependentEngineGroup(kernel.adapter, &group);
    assert_int_equal(group.DependentNodeOrdinalMask, 1);
    kernel.table.DxgkDdiQueryEngineStatus(kernel.adapter, &status);
    kernel.table.DxgkDdiQueryEngineStatus(kernel.adapter, &status);
    assert_int_equal(status.EngineStatus.Responsive, 0);
    unsigned notices = kernel.notice_count;
    assert_int_equal(kernel.table.DxgkDdiResetEngine(kernel.adapter, &reset), STATUS_SUCCESS);
    assert_int_equal(reset.LastAbortedFenceId, hung);
    kernel_run(100000);
    assert_int_equal(kernel.notice_count, notices);

    assert_int_equal(try_render(&scene, &fill, sizeof(fill)), STATUS_SUCCESS);
    kernel_wait_fence(0, kernel_submit(scene.context, &scene.dma));
    end(&scene);
}

/* ---- What is not run ---- */

static void null_rendering_completes_and_does_nothing(void **state)
{
    struct softgpu_command_fill fill = fill_of(0, 0, 64, 1);
    struct scene scene;
    begin(&scene, NULL, TRUE);
    assert_int_equal(try_render(&scene, &fill, sizeof(fill)), STATUS_SUCCESS);
    DXGKARG_SUBMITCOMMAND submit = {.hContext = scene.context};
    submit.DmaBufferPhysicalAddress.QuadPart = (LONGLONG)scene.dma.physical;
    submit.DmaBufferSize = scene.dma.size;
    submit.DmaBufferSubmissionEndOffset = scene.dma.used;
    submit.SubmissionFenceId = ++kernel.fence;
    submit.Flags.NullRendering = 1;
    kernel.irql = DISPATCH_LEVEL;
    assert_int_equal(kernel.table.DxgkDdiSubmitCommand(kernel.adapter, &submit), STATUS_SUCCESS);
    kernel.irql = PASSIVE_LEVEL;
    kernel_wait_fence(0, kernel.fence);
    assert_int_equal(word_at(PLACE_A), 0);
    end(&scene);
}

static void after_surprise_removal_no_register_is_touched(void **state)
{
    struct softgpu_command_fill fill = fill_of(0, 0, 64, 1);
    struct scene scene;
    begin(&scene, NULL, TRUE);
    assert_int_equal(
        kernel.table.DxgkDdiNotifySurpriseRemoval(kernel.adapter, DxgkRemovalPnPNotify),
        STATUS_SUCCESS);
    /* The scratch register tells nothing; the tail would. */
    uint32_t tail = mock_read(&kernel.mock, SOFTGPU_ENGINE_REG(0, SOFTGPU_ENGINE_RING_TAIL));
    assert_int_equal(try_render(&scene, &fill, sizeof(fill)), STATUS_SUCCESS);
    kernel_submit(scene.context, &scene.dma);
    assert_int_equal(mock_read(&kernel.mock, SOFTGPU_ENGINE_REG(0, SOFTGPU_ENGINE_RING_TAIL)),
                     tail);
    end(&scene);
}

/* A driver that is not MultiEngineAware gets device handles in the place of context handles. */
static void without_contexts_devices_take_their_place(void **state)
{
    static const struct kernel_setting settings[] = {{"MultiEngineAware", 0}, {NULL, 0}};
    struct softgpu_umd_allocation umd = buffer_of(0x1000);
    struct softgpu_command_fill fill = fill_of(0, 0, 64, 0x99);
    struct kernel_allocation allocation;
    struct kernel_dma dma;
    DXGK_DEVICEINFO info;
    DXGKARG_CREATEDEVICE create = {.hDevice = &kernel, .pInfo = &info};
    kernel_start(settings, NULL);
    assert_int_equal(kernel.table.DxgkDdiCreateDevice(kernel.adapter, &create), STATUS_SUCCESS);
    assert_int_equal(info.DmaBufferSize, KERNEL_DMA_BYTES);
    assert_int_equal(info.DmaBufferSegmentSet, 0);
    assert_int_equal(kernel_create_allocation(create.hDevice, &umd, PLACE_A, &allocation),
                     STATUS_SUCCESS);
    kernel_dma_init(&dma, KERNEL_DMA_BYTES, 64);
    kernel_dma_add(&dma, &allocation, TRUE, FALSE);
    assert_int_equal(kernel_render(create.hDevice, &dma, &fill, sizeof(fill), NULL),
                     STATUS_SUCCESS);
    kernel_wait_fence(0, kernel_submit(create.hDevice, &dma));
    assert_int_equal(word_at(PLACE_A), 0x99);
    kernel_destroy_allocation(create.hDevice, &allocation);
    kernel.table.DxgkDdiDestroyDevice(create.hDevice);
    kernel_stop();
}

/* DMA buffers in the aperture: mapped without an allocation (MAPAP-004), run by their address. */
static void dma_buffers_may_lie_in_the_aperture(void **state)
{
    static const struct kernel_setting settings[] = {{"DmaBufferSegment", 1}, {NULL, 0}};
    struct softgpu_command_fill fill = fill_of(0, 0, 64, 0x31);
    struct scene scene;
    begin(&scene, settings, TRUE);
    MDL *mdl = calloc(1, sizeof(*mdl) + 16 * sizeof(PFN_NUMBER));
    for (unsigned i = 0; i < 16; i++)
        MmGetMdlPfnArray(mdl)[i] = (PFN_NUMBER)((scene.dma.physical >> 12) + i);
    DXGKARG_BUILDPAGINGBUFFER map = {.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT};
    map.MapApertureSegment.SegmentId = 2;
    map.MapApertureSegment.OffsetInPages = 32;
    map.MapApertureSegment.NumberOfPages = 16;
    map.MapApertureSegment.pMdl = mdl;
    kernel_page(&map, 4096);
    free(mdl);

    assert_int_equal(try_render(&scene, &fill, sizeof(fill)), STATUS_SUCCESS);
    DXGKARG_SUBMITCOMMAND submit = {.hContext = scene.context, .DmaBufferSegmentId = 2};
    submit.DmaBufferPhysicalAddress.QuadPart = (LONGLONG)(SOFTGPU_APERTURE_BASE + 32 * 4096);
    submit.DmaBufferSize = scene.dma.size;
    submit.DmaBufferSubmissionEndOffset = scene.dma.used;
    submit.pDmaBufferPrivateData = scene.dma.private_data;
    submit.DmaBufferPrivateDataSize = scene.dma.private_size;
    submit.SubmissionFenceId = ++kernel.fence;
    kernel.irql = DISPATCH_LEVEL;
    assert_int_equal(kernel.table.DxgkDdiSubmitCommand(kernel.adapter, &submit), STATUS_SUCCESS);
    kernel.irql = PASSIVE_LEVEL;
    kernel_wait_fence(0, kernel.fence);
    assert_int_equal(word_at(PLACE_A), 0x31);
    end(&scene);
}

/* Slices of one buffer are packets of their own; each runs its part and nothing else. */
static void slices_of_a_buffer_run_alone(void **state)
{
    struct softgpu_command_fill fills[3] = {fill_of(0, 0, 16, 1), fill_of(0, 16, 16, 2),
                                            fill_of(0, 32, 16, 3)};
    struct scene scene;
    begin(&scene, NULL, TRUE);
    assert_int_equal(try_render(&scene, fills, sizeof(fills)), STATUS_SUCCESS);
    ULONG cut = scene.dma.patches[1].SplitOffset;
    assert_int_equal(cut, sizeof(fills[0]));
    kernel_wait_fence(0, kernel_submit_range(scene.context, &scene.dma, 0, cut, ++kernel.fence));
    assert_int_equal(word_at(PLACE_A), 1);
    assert_int_equal(word_at(PLACE_A + 16), 0);
    kernel_wait_fence(
        0, kernel_submit_range(scene.context, &scene.dma, cut, scene.dma.used, ++kernel.fence));
    assert_int_equal(word_at(PLACE_A + 16), 2);
    assert_int_equal(word_at(PLACE_A + 32), 3);
    end(&scene);
}

/* After CancelCommand the private data tells that the packet is void; nothing else changes. */
static void a_cancelled_packet_leaves_its_buffer_alone(void **state)
{
    struct softgpu_command_fill fill = fill_of(0, 0, 64, 5);
    struct scene scene;
    UCHAR before[64];
    begin(&scene, NULL, TRUE);
    assert_int_equal(try_render(&scene, &fill, sizeof(fill)), STATUS_SUCCESS);
    memcpy(before, kernel_ram(scene.dma.physical), sizeof(before));
    DXGKARG_CANCELCOMMAND cancel = {.hContext = scene.context,
                                    .pDmaBuffer = kernel_ram(scene.dma.physical),
                                    .DmaBufferSize = scene.dma.size,
                                    .DmaBufferSubmissionEndOffset = scene.dma.used,
                                    .pDmaBufferPrivateData = scene.dma.private_data,
                                    .DmaBufferPrivateDataSize = scene.dma.private_size};
    assert_int_equal(kernel.table.DxgkDdiCancelCommand(kernel.adapter, &cancel), STATUS_SUCCESS);
    assert_memory_equal(kernel_ram(scene.dma.physical), before, sizeof(before));
    assert_int_equal(kernel.notice_count, 0);
    memset(&cancel, 0, sizeof(cancel)); /* a packet without private data */
    assert_int_equal(kernel.table.DxgkDdiCancelCommand(kernel.adapter, &cancel), STATUS_SUCCESS);
    end(&scene);
}

static void bad_private_data_creates_nothing(void **state)
{
    struct kernel_allocation allocation;
    struct scene scene;
    begin(&scene, NULL, TRUE);
    struct softgpu_umd_allocation umd = buffer_of(0);
    assert_int_equal(kernel_create_allocation(scene.device, &umd, 0, &allocation),
                     STATUS_INVALID_PARAMETER);
    umd = buffer_of(4096);
    umd.magic++;
    assert_int_equal(kernel_create_allocation(scene.device, &umd, 0, &allocation),
                     STATUS_INVALID_PARAMETER);
    umd = buffer_of(100);
    umd.format = SOFTGPU_FORMAT_BGRA8;
    umd.width = umd.height = 16;
    assert_int_equal(kernel_create_allocation(scene.device, &umd, 0, &allocation),
                     STATUS_INVALID_PARAMETER);
    umd.size_bytes = 0;
    assert_int_equal(kernel_create_allocation(scene.device, &umd, 0, &allocation), STATUS_SUCCESS);
    assert_int_equal(allocation.umd.pitch_bytes, 64);
    assert_int_equal(allocation.info.Size, 1024);
    assert_true(allocation.info.AllocationPriority != 0);
    kernel_destroy_allocation(scene.device, &allocation);
    end(&scene);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_buffer_does_what_it_says),
        cmocka_unit_test(a_full_buffer_is_continued),
        cmocka_unit_test(bad_commands_are_refused),
        cmocka_unit_test(a_bad_address_is_refused),
        cmocka_unit_test(random_commands_never_fault_the_device),
        cmocka_unit_test(an_idle_node_is_answered_at_once),
        cmocka_unit_test(a_preempted_packet_goes_on_where_it_was),
        cmocka_unit_test(a_lost_interrupt_is_made_up_for),
        cmocka_unit_test(fence_ids_may_wrap),
        cmocka_unit_test(the_adapter_comes_back_after_a_reset),
        cmocka_unit_test(one_engine_is_reset_alone),
        cmocka_unit_test(null_rendering_completes_and_does_nothing),
        cmocka_unit_test(after_surprise_removal_no_register_is_touched),
        cmocka_unit_test(without_contexts_devices_take_their_place),
        cmocka_unit_test(dma_buffers_may_lie_in_the_aperture),
        cmocka_unit_test(slices_of_a_buffer_run_alone),
        cmocka_unit_test(a_cancelled_packet_leaves_its_buffer_alone),
        cmocka_unit_test(bad_private_data_creates_nothing),
    };
    kernel_choose_driver(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* duty_queues.h: what a kernel that mistook its own hardware queues, or the signals at the end of
 * paging buffers, would have handed to the driver. A part of duty_test.c, whose words it uses. */
#ifndef TESTS_CONTRACT_DUTY_QUEUES_H
#define TESTS_CONTRACT_DUTY_QUEUES_H

#define QUEUED(name, condition, change) \
    SPOIL(name, DXGKARG_SUBMITCOMMANDTOHWQUEUE, condition, change)
#define SIGNAL (&a->SignalMonitoredFence)
#define SIGNALLED(name, change)                                                                   \
    PAGING(name, a->Operation == DXGK_OPERATION_SIGNAL_MONITORED_FENCE && tracker->signalled > 1, \
           change)
#define QUEUE_OF(a) contract_object_find(tracker, TRACKED_HW_QUEUE, (a)->hHwQueue)

QUEUED(queue_of_nobody, true, a->hHwQueue = NOBODY)
QUEUED(queue_at_device_level, true, call->irql = MACHINE_IRQL_DISPATCH + 1)
QUEUED(queue_goes_back, QUEUE_OF(a) && QUEUE_OF(a)->last_progress,
       a->HwQueueProgressFenceId = QUEUE_OF(a)->last_progress)
QUEUED(queue_of_nothing, true, a->DmaBufferSize = 0)
QUEUED(queue_of_an_unbuilt_part, a->Flags.Paging, a->DmaBufferVirtualAddress += 4)
QUEUED(queue_of_no_paging, a->Flags.Paging, a->Flags.Paging = 0)
QUEUED(queue_of_a_present, !a->Flags.Paging, a->Flags.Present = 1)
QUEUED(queue_of_no_present, a->Flags.Present, a->Flags.Present = 0)
QUEUED(queue_of_half_a_present, a->Flags.Present, a->DmaBufferSize = 4)
QUEUED(queue_of_another_fence, true, a->HwQueueProgressFenceGpuVa += 8)

SIGNALLED(signal_of_before, SIGNAL->MonitoredFenceValue = tracker->signalled)
SIGNALLED(signal_nowhere, SIGNAL->MonitoredFenceGpuVa = 0)
SIGNALLED(signal_from_the_start, (a->DmaBufferGpuVirtualAddress = 0))

SPOIL(queue_without_fence, DXGKARG_CREATEHWQUEUE, true, a->hHwQueueProgressFence = 0)
SPOIL(queue_without_view, DXGKARG_CREATEHWQUEUE, true,
      a->HwQueueProgressFenceCPUVirtualAddress = NULL)
SPOIL(queue_without_address, DXGKARG_CREATEHWQUEUE, true,
      a->HwQueueProgressFenceGPUVirtualAddress = 0)
SPOIL(hw_context_unnamed, DXGKARG_CREATEHWCONTEXT, true, a->hHwContext = NULL)
SPOIL(hw_handle_of_nobody, void, true, call->first = NOBODY)
SPOIL(properties_of_nobody, DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES, true, a->hContext = NOBODY)

#define QUEUE_PRESENT(name, condition, change) SPOIL(name, DXGKARG_PRESENT, condition, change)
QUEUE_PRESENT(queue_present_nowhere, a->pDmaBuffer, a->DmaBufferGpuVirtualAddress = 0)
QUEUE_PRESENT(queue_present_begins_again, a->MultipassOffset, a->MultipassOffset = 0)
QUEUE_PRESENT(queue_present_of_both, true, a->Flags.ColorFill = a->Flags.Blt = 1)

SPOIL(resume_of_another_engine, DXGKARG_RESUMEHWENGINE, true, a->NodeOrdinal ^= 1)
QUEUED(queue_of_a_reset_engine, QUEUE_OF(a),
       precede(call, POINT_ResetHwEngine,
               &(DXGKARG_RESETHWENGINE){.NodeOrdinal = QUEUE_OF(a)->node},
               sizeof(DXGKARG_RESETHWENGINE)))

/* A DPC was queued when the engine could still be heard, and has not run. */
SPOIL(reset_engine_early, DXGKARG_RESETENGINE, true,
      (precede(call, POINT_CbQueueDpc, NULL, 0),
       precede(call, POINT_QueryDependentEngineGroup,
               &(DXGKARG_QUERYDEPENDENTENGINEGROUP){.DependentNodeOrdinalMask = 1},
               sizeof(DXGKARG_QUERYDEPENDENTENGINEGROUP))))

#define QUEUE_ROWS                                                                                \
    TESTS_RULE(ENGRST_002, ResetEngine, reset_engine_early, SCENE_ENGINES | SCENE_HANG),          \
        TESTS_RULE(HWQ_003, SubmitCommandToHwQueue, queue_of_nobody, SCENE_QUEUES),               \
        TESTS_RULE(HWQ_001, SubmitCommandToHwQueue, queue_at_device_level, SCENE_QUEUES),         \
        TESTS_RULE(HWQ_004, SubmitCommandToHwQueue, queue_goes_back, SCENE_QUEUES),               \
        TESTS_RULE(HWQ_005, SubmitCommandToHwQueue, queue_of_nothing, SCENE_QUEUES),              \
        TESTS_RULE(HWQ_005, SubmitCommandToHwQueue, queue_of_an_unbuilt_part, SCENE_QUEUES),      \
        TESTS_RULE(HWQ_007, SubmitCommandToHwQueue, queue_of_no_paging, SCENE_QUEUES),            \
        TESTS_RULE(HWQ_007, SubmitCommandToHwQueue, queue_of_a_present, SCENE_QUEUES),            \
        TESTS_RULE(HWQ_007, SubmitCommandToHwQueue, queue_of_no_present, SCENE_SIGNALS),          \
        TESTS_RULE(HWQ_005, SubmitCommandToHwQueue, queue_of_half_a_present, SCENE_SIGNALS),      \
        TESTS_RULE(HWQ_012, PresentToHwQueue, hw_handle_of_nobody, SCENE_SIGNALS),                \
        TESTS_RULE(PRES_050, PresentToHwQueue, queue_present_nowhere, SCENE_SIGNALS),             \
        TESTS_RULE(PRES_024, PresentToHwQueue, queue_present_begins_again, SCENE_SIGNALS),        \
        TESTS_RULE(PRES_032, PresentToHwQueue, queue_present_of_both, SCENE_SIGNALS),             \
        TESTS_RULE(HWQ_008, SubmitCommandToHwQueue, queue_of_another_fence, SCENE_QUEUES),        \
        TESTS_RULE(SMF_002, BuildPagingBuffer, signal_of_before, SCENE_QUEUES),                   \
        TESTS_RULE(SMF_002, BuildPagingBuffer, signal_nowhere, SCENE_QUEUES),                     \
        TESTS_RULE(PAGE_024, BuildPagingBuffer, signal_from_the_start, SCENE_QUEUES),             \
        TESTS_RULE(HWQ_010, CreateHwQueue, queue_without_fence, SCENE_QUEUES),                    \
        TESTS_RULE(HWQ_010, CreateHwQueue, queue_without_view, SCENE_QUEUES),                     \
        TESTS_RULE(HWQ_010, CreateHwQueue, queue_without_address, SCENE_QUEUES),                  \
        TESTS_RULE(HWQ_010, DestroyHwQueue, hw_handle_of_nobody, SCENE_QUEUES),                   \
        TESTS_RULE(HWQ_011, CreateHwContext, hw_context_unnamed, SCENE_QUEUES),                   \
        TESTS_RULE(HWQ_011, DestroyHwContext, hw_handle_of_nobody, SCENE_QUEUES),                 \
        TESTS_RULE(HWQ_011, SignalMonitoredFence, hw_handle_of_nobody, SCENE_SIGNALS),            \
        TESTS_RULE(HWQ_023, ResumeHwEngine, resume_of_another_engine, SCENE_QUEUES | SCENE_HANG), \
        TESTS_RULE(HWQ_023, SubmitCommandToHwQueue, queue_of_a_reset_engine, SCENE_QUEUES),       \
        TESTS_RULE(HWQ_018, SetContextSchedulingProperties, properties_of_nobody, SCENE_QUEUES)

#endif

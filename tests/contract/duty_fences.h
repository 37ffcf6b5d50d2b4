/* Rows of duty_test.c: native fences, what paging says of them, notifications of frames. */
#ifndef CONTRACT_DUTY_FENCES_H
#define CONTRACT_DUTY_FENCES_H

#define TELLS_PLACES (a->Operation == DXGK_OPERATION_NOTIFY_FENCE_RESIDENCY)

SPOIL(places_of_nothing, DXGKARG_BUILDPAGINGBUFFER, TELLS_PLACES,
      a->NotifyFenceResidency.NumFences = 0)
SPOIL(places_of_nobody, DXGKARG_BUILDPAGINGBUFFER, TELLS_PLACES,
      a->NotifyFenceResidency.FenceResidencyInfo[0].hGlobalNativeFence = NOBODY)
SPOIL(places_nowhere, DXGKARG_BUILDPAGINGBUFFER, TELLS_PLACES,
      a->NotifyFenceResidency.FenceResidencyInfo[0].CurrentValueKernelCpuVa = NULL)
SPOIL(places_reserved, DXGKARG_BUILDPAGINGBUFFER, TELLS_PLACES,
      a->NotifyFenceResidency.Flags.Reserved = 1)
SPOIL(opens_nobody, DXGKARG_OPENNATIVEFENCE, true, a->hGlobalNativeFence = NOBODY)
SPOIL(closes_nobody, DXGKARG_CLOSENATIVEFENCE, true, a->hLocalNativeFence = NOBODY)
SPOIL(frames_of_nothing, DXGKARG_CREATEPERIODICFRAMENOTIFICATION, true, a->VidPnTargetId = 63)
/* The driver has one of that number, by a handle of its own. */
SPOIL(frames_by_one_number, DXGKARG_CREATEPERIODICFRAMENOTIFICATION, true,
      (a->hNotification = NOBODY, precede_copy(call, STATUS_SUCCESS)))
SPOIL(frames_behind, DXGKARG_CREATEPERIODICFRAMENOTIFICATION, true, a->Time = 0)
SPOIL(frames_in_ns, DXGKARG_CREATEPERIODICFRAMENOTIFICATION, true, a->Time *= 1000000)
SPOIL(frames_of_nobody, DXGKARG_DESTROYPERIODICFRAMENOTIFICATION, true, a->hNotification = NOBODY)
SPOIL(frames_end_twice, DXGKARG_DESTROYPERIODICFRAMENOTIFICATION, true,
      precede_copy(call, STATUS_SUCCESS))
SPOIL(ends_no_fence, DXGKARG_DESTROYNATIVEFENCE, true, a->hGlobalNativeFence = NOBODY)

#define NOTIFIES(rule, call, spoil) \
    TESTS_RULE(rule, call##PeriodicFrameNotification, spoil, SCENE_VIRTUAL)
#define FENCE_ROWS                                                                             \
    TESTS_RULE(NFENCE_001, BuildPagingBuffer, places_of_nothing, SCENE_VIRTUAL),               \
        TESTS_RULE(NFENCE_001, BuildPagingBuffer, places_of_nobody, SCENE_VIRTUAL),            \
        TESTS_RULE(NFENCE_001, BuildPagingBuffer, places_nowhere, SCENE_VIRTUAL),              \
        TESTS_RULE(NFENCE_002, BuildPagingBuffer, places_reserved, SCENE_VIRTUAL),             \
        TESTS_RULE(FENCE_009, OpenNativeFence, opens_nobody, SCENE_VIRTUAL),                   \
        TESTS_RULE(FENCE_009, CloseNativeFence, closes_nobody, SCENE_VIRTUAL),                 \
        NOTIFIES(FENCE_021, Create, frames_of_nothing),                                        \
        NOTIFIES(FENCE_021, Create, frames_by_one_number),                                     \
        NOTIFIES(FENCE_021, Create, frames_behind), NOTIFIES(FENCE_021, Create, frames_in_ns), \
        NOTIFIES(FENCE_024, Destroy, frames_of_nobody),                                        \
        NOTIFIES(FENCE_024, Destroy, frames_end_twice),                                        \
        TESTS_RULE(FENCE_009, DestroyNativeFence, ends_no_fence, SCENE_VIRTUAL)

#endif

/* Rows of duty_test.c: native fences, and what paging says of them. */
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
SPOIL(ends_no_fence, DXGKARG_DESTROYNATIVEFENCE, true, a->hGlobalNativeFence = NOBODY)

#define FENCE_ROWS                                                                  \
    TESTS_RULE(NFENCE_001, BuildPagingBuffer, places_of_nothing, SCENE_VIRTUAL),    \
        TESTS_RULE(NFENCE_001, BuildPagingBuffer, places_of_nobody, SCENE_VIRTUAL), \
        TESTS_RULE(NFENCE_001, BuildPagingBuffer, places_nowhere, SCENE_VIRTUAL),   \
        TESTS_RULE(NFENCE_002, BuildPagingBuffer, places_reserved, SCENE_VIRTUAL),  \
        TESTS_RULE(FENCE_009, OpenNativeFence, opens_nobody, SCENE_VIRTUAL),        \
        TESTS_RULE(FENCE_009, CloseNativeFence, closes_nobody, SCENE_VIRTUAL),      \
        TESTS_RULE(FENCE_009, DestroyNativeFence, ends_no_fence, SCENE_VIRTUAL)

#endif

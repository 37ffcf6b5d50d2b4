/* queues.c: hardware contexts and queues, and the signals at the end of paging buffers, done wrong.
 */
#include "misbehave.h"

/* ---- The operation --------------------------------------------------------------------------- */

/* Ids are small numbers in its author's runs. */
static NTSTATUS NTAPI signal_is_half(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->Operation == DXGK_OPERATION_SIGNAL_MONITORED_FENCE) {
        paging->SignalMonitoredFence.MonitoredFenceValue &= 0xFFFFFFFFu;
    }
    return misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* "The hardware does it." */
static NTSTATUS NTAPI signal_is_a_stub(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return paging->Operation == DXGK_OPERATION_SIGNAL_MONITORED_FENCE
               ? STATUS_SUCCESS
               : misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

static NTSTATUS NTAPI signal_is_unknown(const HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return paging->Operation == DXGK_OPERATION_SIGNAL_MONITORED_FENCE
               ? STATUS_NOT_SUPPORTED
               : misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* It wants a buffer of its own. */
static NTSTATUS NTAPI signal_wants_more_room(const HANDLE adapter,
                                             DXGKARG_BUILDPAGINGBUFFER *paging)
{
    return paging->Operation == DXGK_OPERATION_SIGNAL_MONITORED_FENCE
               ? STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER
               : misbehave_driver.DxgkDdiBuildPagingBuffer(adapter, paging);
}

/* ---- The DDI --------------------------------------------------------------------------------- */

static NTSTATUS NTAPI fence_is_half(const HANDLE context, DXGKARG_SIGNALMONITOREDFENCE *signal)
{
    signal->MonitoredFenceValue &= 0xFFFFFFFFu;
    return misbehave_driver.DxgkDdiSignalMonitoredFence(context, signal);
}

/* By the CPU, at the time when the buffer is built. */
static NTSTATUS NTAPI fence_is_early(const HANDLE context, DXGKARG_SIGNALMONITOREDFENCE *signal)
{
    *(volatile UINT64 *)signal->MonitoredFenceCpuVa = signal->MonitoredFenceValue;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI fence_pointer_is_left(const HANDLE context,
                                            DXGKARG_SIGNALMONITOREDFENCE *signal)
{
    void *start = signal->pDmaBuffer;
    NTSTATUS status = misbehave_driver.DxgkDdiSignalMonitoredFence(context, signal);

    signal->pDmaBuffer = start;
    return status;
}

static NTSTATUS NTAPI fence_is_refused(const HANDLE context, DXGKARG_SIGNALMONITOREDFENCE *signal)
{
    return misbehave_once() ? STATUS_NOT_SUPPORTED
                            : misbehave_driver.DxgkDdiSignalMonitoredFence(context, signal);
}

static NTSTATUS NTAPI fence_is_behind(const HANDLE context, DXGKARG_SIGNALMONITOREDFENCE *signal)
{
    NTSTATUS status = misbehave_driver.DxgkDdiSignalMonitoredFence(context, signal);

    signal->pDmaBuffer = (UCHAR *)signal->pDmaBuffer + signal->DmaSize + 64;
    return status;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(SMF_001, IN_DDI(BuildPagingBuffer), signal_is_half,
                SCENE_QUEUES | SCENE_MORE_RULES),
    BREAKS_RULE(SMF_001, IN_DDI(BuildPagingBuffer), signal_is_a_stub,
                SCENE_QUEUES | SCENE_MORE_RULES),
    BREAKS_RULE(PAGE_020, IN_DDI(BuildPagingBuffer), signal_is_unknown,
                SCENE_QUEUES | SCENE_MORE_RULES),
    BREAKS_RULE(SMF_001, IN_DDI(BuildPagingBuffer), signal_wants_more_room,
                SCENE_QUEUES | SCENE_MORE_RULES),
    BREAKS_RULE(HWQ_013, IN_DDI(SignalMonitoredFence), fence_is_half,
                SCENE_SIGNALS | SCENE_MORE_RULES),
    BREAKS_RULE(HWQ_013, IN_DDI(SignalMonitoredFence), fence_is_early, SCENE_SIGNALS),
    BREAKS_RULE(HWQ_013, IN_DDI(SignalMonitoredFence), fence_pointer_is_left,
                SCENE_SIGNALS | SCENE_MORE_RULES),
    BREAKS_RULE(HWQ_013, IN_DDI(SignalMonitoredFence), fence_is_refused, SCENE_SIGNALS),
    BREAKS_RULE(HWQ_013, IN_DDI(SignalMonitoredFence), fence_is_behind,
                SCENE_SIGNALS | SCENE_MORE_RULES),
};

MISBEHAVIOURS(queues);

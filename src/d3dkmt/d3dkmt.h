/* d3dkmt: the face towards clients. The D3DKMT functions of d3dkmthk.h and those of
 * drydock/client.h.
 *
 * Functions of the header that are not there yet are in lacking.c.
 *
 *     client task ── D3DKMTxxx(arguments)
 *         ──> copy the arguments ─> handles to objects, with references ──────> dxgk
 *         <── record the call  <─ drop those  <─ answer in the arguments  <──────┘
 *
 * A *client* is a task whose process was set by dxgk_process_set_current(); from any other caller
 * each function answers STATUS_ACCESS_DENIED.
 *
 * Trust: nothing a client says is believed. Each call copies its arguments once, before anything
 * else, and works on the copy; what they point to is copied once, too, with a probe that turns a
 * bad address into STATUS_ACCESS_VIOLATION (internal.h: client_read and its kind). The pointers of
 * a client are marked in the headers, so that code here cannot follow one: clang refuses it. Memory
 * for results is probed before anything is done. Handles die in the first lines of each function,
 * and counts and sizes are checked before they are multiplied.
 *
 * Lives: what a handle named stays in memory until the call ends (struct client_call); what a call
 * does with an object that another thread destroys meanwhile fails with STATUS_INVALID_HANDLE, or
 * is over before the object is. A handle that names nothing is STATUS_INVALID_PARAMETER, as Windows
 * is recorded to answer. */
#ifndef D3DKMT_D3DKMT_H
#define D3DKMT_D3DKMT_H

#include <stdint.h>

/* The calls, in the order of their numbers in the record (EVENT_CLIENT_CALL). New ones go to the
 * end. */
#define D3DKMT_CALLS(X)                         \
    X(OpenAdapterFromLuid)                      \
    X(EnumAdapters)                             \
    X(EnumAdapters2)                            \
    X(CloseAdapter)                             \
    X(QueryAdapterInfo)                         \
    X(CreateDevice)                             \
    X(DestroyDevice)                            \
    X(GetDeviceState)                           \
    X(CreateContext)                            \
    X(CreateContextVirtual)                     \
    X(DestroyContext)                           \
    X(SetContextSchedulingPriority)             \
    X(GetContextSchedulingPriority)             \
    X(CreateAllocation)                         \
    X(CreateAllocation2)                        \
    X(DestroyAllocation)                        \
    X(DestroyAllocation2)                       \
    X(QueryResourceInfo)                        \
    X(OpenResource)                             \
    X(OpenResource2)                            \
    X(Lock)                                     \
    X(Unlock)                                   \
    X(Lock2)                                    \
    X(Unlock2)                                  \
    X(SetAllocationPriority)                    \
    X(Evict)                                    \
    X(Render)                                   \
    X(Present)                                  \
    X(WaitForIdle)                              \
    X(Escape)                                   \
    X(CreateSynchronizationObject)              \
    X(CreateSynchronizationObject2)             \
    X(DestroySynchronizationObject)             \
    X(WaitForSynchronizationObject)             \
    X(WaitForSynchronizationObject2)            \
    X(SignalSynchronizationObject)              \
    X(SignalSynchronizationObject2)             \
    X(WaitForSynchronizationObjectFromCpu)      \
    X(SignalSynchronizationObjectFromCpu)       \
    X(SetVidPnSourceOwner)                      \
    X(CheckVidPnExclusiveOwnership)             \
    X(SetDisplayMode)                           \
    X(GetDisplayModeList)                       \
    X(WaitForVerticalBlankEvent)                \
    X(GetScanLine)                              \
    X(CreateStandardAllocation)                 \
    X(OfferAllocations)                         \
    X(ReclaimAllocations)                       \
    X(QueryAllocationSize)                      \
    X(PageInAllocation)                         \
    X(PresentFrame)                             \
    X(ArrangeScreen)                            \
    X(SetPalette)                               \
    X(CreateGdiContext)                         \
    X(DrawGdi)                                  \
    X(CreatePagingQueue)                        \
    X(DestroyPagingQueue)                       \
    X(MakeResident)                             \
    X(MapGpuVirtualAddress)                     \
    X(ReserveGpuVirtualAddress)                 \
    X(FreeGpuVirtualAddress)                    \
    X(SubmitCommand)                            \
    X(WaitForSynchronizationObjectFromGpu)      \
    X(SignalSynchronizationObjectFromGpu)       \
    X(SignalSynchronizationObjectFromGpu2)      \
    X(UpdateGpuVirtualAddress)                  \
    X(ReclaimAllocations2)                      \
    X(QueryAllocationResidency)                 \
    X(QueryVideoMemoryInfo)                     \
    X(ChangeVideoMemoryReservation)             \
    X(TrimProcessCommitment)                    \
    X(InvalidateCache)                          \
    X(ShareObjects)                             \
    X(QueryResourceInfoFromNtHandle)            \
    X(OpenResourceFromNtHandle)                 \
    X(OpenSynchronizationObject)                \
    X(OpenSyncObjectFromNtHandle)               \
    X(OpenSyncObjectFromNtHandle2)              \
    X(CloseHandle)                              \
    X(RegisterTrimNotification)                 \
    X(UnregisterTrimNotification)               \
    X(UpdateAllocationProperty)                 \
    X(AllocateMemory)                           \
    X(FreeMemory)                               \
    X(GetContextInProcessSchedulingPriority)    \
    X(SetContextInProcessSchedulingPriority)    \
    X(SetProcessSchedulingPriorityClass)        \
    X(GetProcessSchedulingPriorityClass)        \
    X(MarkDeviceAsError)                        \
    X(EnumAdapters3)                            \
    X(OpenAdapterFromGdiDisplayName)            \
    X(OpenAdapterFromHdc)                       \
    X(CreateDCFromMemory)                       \
    X(DestroyDCFromMemory)                      \
    X(SetVidPnSourceOwner1)                     \
    X(SetVidPnSourceOwner2)                     \
    X(CheckExclusiveOwnership)                  \
    X(QueryVidPnExclusiveOwnership)             \
    X(ReleaseProcessVidPnSourceOwners)          \
    X(CheckOcclusion)                           \
    X(CheckMonitorPowerState)                   \
    X(PollDisplayChildren)                      \
    X(InvalidateActiveVidPn)                    \
    X(SetGammaRamp)                             \
    X(AdjustFullscreenGamma)                    \
    X(GetMultisampleMethodList)                 \
    X(WaitForVerticalBlankEvent2)               \
    X(GetPresentHistory)                        \
    X(QueryClockCalibration)                    \
    X(CreateEvent)                              \
    X(SetEvent)                                 \
    X(WaitEvent)                                \
    X(CreateHwContext)                          \
    X(DestroyHwContext)                         \
    X(CreateHwQueue)                            \
    X(DestroyHwQueue)                           \
    X(SubmitCommandToHwQueue)                   \
    X(SubmitWaitForSyncObjectsToHwQueue)        \
    X(SubmitSignalSyncObjectsToHwQueue)         \
    X(SubmitPresentBltToHwQueue)                \
    X(SubmitPresentToHwQueue)                   \
    X(CheckMultiPlaneOverlaySupport)            \
    X(PresentMultiPlaneOverlay)                 \
    X(CheckMultiPlaneOverlaySupport2)           \
    X(PresentMultiPlaneOverlay2)                \
    X(CheckMultiPlaneOverlaySupport3)           \
    X(PresentMultiPlaneOverlay3)                \
    X(GetMultiPlaneOverlayCaps)                 \
    X(GetPostCompositionCaps)                   \
    X(GetAllocationPriority)                    \
    X(CreateNativeFence)                        \
    X(OpenNativeFenceFromNtHandle)              \
    X(CreateKeyedMutex)                         \
    X(CreateKeyedMutex2)                        \
    X(OpenKeyedMutex)                           \
    X(OpenKeyedMutex2)                          \
    X(OpenKeyedMutexFromNtHandle)               \
    X(DestroyKeyedMutex)                        \
    X(AcquireKeyedMutex)                        \
    X(AcquireKeyedMutex2)                       \
    X(ReleaseKeyedMutex)                        \
    X(ReleaseKeyedMutex2)                       \
    X(QueryStatistics)                          \
    X(SetStablePowerState)                      \
    X(GetSharedResourceAdapterLuid)             \
    X(OpenNtHandleFromName)                     \
    X(OpenSyncObjectNtHandleFromName)           \
    X(IsFeatureEnabled)                         \
    X(GetProcessDeviceRemovalSupport)           \
    X(SetQueuedLimit)                           \
    X(GetSharedPrimaryHandle)                   \
    X(SharedPrimaryLockNotification)            \
    X(SharedPrimaryUnLockNotification)          \
    X(GetRuntimeData)                           \
    X(OpenAdapterFromDeviceName)                \
    X(CheckSharedResourceAccess)                \
    X(SetDisplayPrivateDriverFormat)            \
    X(CreateOverlay)                            \
    X(UpdateOverlay)                            \
    X(FlipOverlay)                              \
    X(DestroyOverlay)                           \
    X(GetOverlayState)                          \
    X(CreateDoorbell)                           \
    X(ConnectDoorbell)                          \
    X(DestroyDoorbell)                          \
    X(NotifyWorkSubmission)                     \
    X(CreateOutputDupl)                         \
    X(DestroyOutputDupl)                        \
    X(OutputDuplGetFrameInfo)                   \
    X(OutputDuplGetMetaData)                    \
    X(OutputDuplGetPointerShapeData)            \
    X(OutputDuplReleaseFrame)                   \
    X(OutputDuplPresent)                        \
    X(OutputDuplPresentToHwQueue)               \
    X(GetDWMVerticalBlankEvent)                 \
    X(CreateSyncFile)                           \
    X(WaitSyncFile)                             \
    X(OpenSyncObjectFromSyncFile)               \
    X(FlushHeapTransitions)                     \
    X(GetPresentQueueEvent)                     \
    X(QueryRemoteVidPnSourceFromGdiDisplayName) \
    X(RegisterVailProcess)                      \
    X(QueryProcessOfferInfo)

enum d3dkmt_call {
#define X(name) D3DKMT_CALL_##name,
    D3DKMT_CALLS(X)
#undef X
        D3DKMT_CALL_COUNT
};

/* "D3DKMTLock"; "?" for a number that is none. */
const char *d3dkmt_call_name(unsigned call);

/* A client calls a function that Drydock does not have: notes it, and says STATUS_NOT_SUPPORTED, or
 * STATUS_ACCESS_DENIED to who is no client. */
int32_t d3dkmt_lacks(const char *name);

#endif

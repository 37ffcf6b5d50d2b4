/* The functions of d3dkmthk.h that Drydock does not have: a client that names them can be loaded,
 * and one that calls them is told STATUS_NOT_SUPPORTED, as the run is told which it was. What fails
 * in the client behind that is nothing about the driver.
 *
 * The header is not opened here: none of their arguments is looked at. */
#include "d3dkmt/d3dkmt.h"

#define LACKING(X)                              \
    X(CancelPresents)                           \
    X(ChangeSurfacePointer)                     \
    X(CloseDxCoreDevice)                        \
    X(ConfigureSharedResource)                  \
    X(CreateOutputDupl)                         \
    X(CreateProtectedSession)                   \
    X(CreateSyncFile)                           \
    X(DestroyOutputDupl)                        \
    X(DestroyProtectedSession)                  \
    X(FlushHeapTransitions)                     \
    X(GetDWMVerticalBlankEvent)                 \
    X(GetNativeFenceLogDetail)                  \
    X(GetPresentQueueEvent)                     \
    X(GetResourcePresentPrivateDriverData)      \
    X(OpenProtectedSessionFromNtHandle)         \
    X(OpenSyncObjectFromSyncFile)               \
    X(OutputDuplGetFrameInfo)                   \
    X(OutputDuplGetMetaData)                    \
    X(OutputDuplGetPointerShapeData)            \
    X(OutputDuplPresent)                        \
    X(OutputDuplPresentToHwQueue)               \
    X(OutputDuplReleaseFrame)                   \
    X(PresentRedirected)                        \
    X(QueryFSEBlock)                            \
    X(QueryProcessOfferInfo)                    \
    X(QueryProtectedSessionInfoFromNtHandle)    \
    X(QueryProtectedSessionStatus)              \
    X(QueryRemoteVidPnSourceFromGdiDisplayName) \
    X(RegisterVailProcess)                      \
    X(SetFSEBlock)                              \
    X(SetHwProtectionTeardownRecovery)          \
    X(SetMonitorColorSpaceTransform)            \
    X(SetSyncRefreshCountWaitTarget)            \
    X(SetVidPnSourceHwProtection)               \
    X(ShareObjectWithHost)                      \
    X(WaitSyncFile)

#define X(name)                              \
    int32_t D3DKMT##name(void);              \
    int32_t D3DKMT##name(void)               \
    {                                        \
        return d3dkmt_lacks("D3DKMT" #name); \
    }
LACKING(X)
#undef X

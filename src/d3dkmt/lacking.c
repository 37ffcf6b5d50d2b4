/* The functions of d3dkmthk.h that Drydock does not have: a client that names them can be loaded,
 * and one that calls them is told STATUS_NOT_SUPPORTED, as the run is told which it was. What fails
 * in the client behind that is nothing about the driver.
 *
 * The header is not opened here: none of their arguments is looked at. */
#include "d3dkmt/d3dkmt.h"

/* Why not:
 *
 *     for system use   the pages say so, or only a name: nobody outside knows what they do
 *     composition      tokens of redirected presents, which nobody here presents or composes
 *     protection       content that the hardware guards: sessions, sources, recovery
 *     machines         a host that a virtual machine shares objects with
 *     access           handles of other processes, of which clients here have none
 *     logs             of native fences, which are not kept (docs/limits.md)
 *     colours          a transform of a monitor; ramps alone are set (D3DKMTSetGammaRamp) */
#define LACKING(X)                                             \
    X(CancelPresents)                        /* composition */ \
    X(ChangeSurfacePointer)                  /* system use */  \
    X(CloseDxCoreDevice)                     /* system use */  \
    X(ConfigureSharedResource)               /* access */      \
    X(CreateProtectedSession)                /* protection */  \
    X(DestroyProtectedSession)               /* protection */  \
    X(GetNativeFenceLogDetail)               /* logs */        \
    X(GetResourcePresentPrivateDriverData)   /* composition */ \
    X(OpenProtectedSessionFromNtHandle)      /* protection */  \
    X(PresentRedirected)                     /* composition */ \
    X(QueryFSEBlock)                         /* system use */  \
    X(QueryProcessOfferInfo)                 /* system use */  \
    X(QueryProtectedSessionInfoFromNtHandle) /* protection */  \
    X(QueryProtectedSessionStatus)           /* protection */  \
    X(SetFSEBlock)                           /* system use */  \
    X(SetHwProtectionTeardownRecovery)       /* protection */  \
    X(SetMonitorColorSpaceTransform)         /* colours */     \
    X(SetSyncRefreshCountWaitTarget)         /* system use */  \
    X(SetVidPnSourceHwProtection)            /* protection */  \
    X(ShareObjectWithHost)                   /* machines */

#define X(name)                              \
    int32_t D3DKMT##name(void);              \
    int32_t D3DKMT##name(void)               \
    {                                        \
        return d3dkmt_lacks("D3DKMT" #name); \
    }
LACKING(X)
#undef X

/* interrupt.c: wrong notices, and wrong behaviour at device level. */
#include "misbehave.h"

/* The handle is the driver's own context instead of the kernel's. */
static VOID NTAPI notify_dpc_with_own_handle(const HANDLE device)
{
    misbehave_kernel.DxgkCbNotifyDpc(device);
    if (misbehave_once()) {
        misbehave_kernel.DxgkCbNotifyDpc((HANDLE)&misbehave_driver);
    }
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(PNP_002, IN_CALLBACK(NotifyDpc), notify_dpc_with_own_handle, SCENE_PLAIN),
};

MISBEHAVIOURS(interrupt);

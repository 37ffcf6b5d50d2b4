/* mandatory.h: what a driver's caps have to say since WDDM 1.2 and 1.3 [CAPS-002, -014, -015]. */
#ifndef TESTS_CONTRACT_MANDATORY_H
#define TESTS_CONTRACT_MANDATORY_H

#include <d3dkmddi.h>

static inline void say_mandatory_caps(DXGK_DRIVERCAPS *caps)
{
    caps->FlipCaps.FlipOnVSyncMmIo = 1;
    caps->FlipCaps.FlipIndependent = 1;
    caps->SupportNonVGA = caps->SupportSmoothRotation = caps->SupportDirectFlip = TRUE;
    caps->PreemptionCaps.GraphicsPreemptionGranularity =
        D3DKMDT_GRAPHICS_PREEMPTION_DMA_BUFFER_BOUNDARY;
    caps->PreemptionCaps.ComputePreemptionGranularity =
        D3DKMDT_COMPUTE_PREEMPTION_DMA_BUFFER_BOUNDARY;
}

#endif

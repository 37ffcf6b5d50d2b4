/* wdm/pofx.h: the power framework: components of a device, their conditions and idle states. */

#ifndef _WDM_POFX_H_
#define _WDM_POFX_H_

#include <wdm/io.h>

typedef struct POHANDLE__ *POHANDLE;

#define PO_FX_VERSION_V1 1
#define PO_FX_VERSION_V2 2
#define PO_FX_VERSION    PO_FX_VERSION_V1

#define PO_FX_FLAG_BLOCKING   0x1
#define PO_FX_FLAG_ASYNC_ONLY 0x2

#define PO_FX_COMPONENT_FLAG_F0_ON_DX 0x1
#define PO_FX_UNKNOWN_POWER           0xFFFFFFFF
#define PO_FX_UNKNOWN_TIME            0xFFFFFFFFFFFFFFFFULL

typedef VOID NTAPI PO_FX_COMPONENT_ACTIVE_CONDITION_CALLBACK(PVOID Context, ULONG Component);
typedef PO_FX_COMPONENT_ACTIVE_CONDITION_CALLBACK *PPO_FX_COMPONENT_ACTIVE_CONDITION_CALLBACK;
typedef VOID NTAPI PO_FX_COMPONENT_IDLE_CONDITION_CALLBACK(PVOID Context, ULONG Component);
typedef PO_FX_COMPONENT_IDLE_CONDITION_CALLBACK *PPO_FX_COMPONENT_IDLE_CONDITION_CALLBACK;
typedef VOID NTAPI PO_FX_COMPONENT_IDLE_STATE_CALLBACK(PVOID Context, ULONG Component, ULONG State);
typedef PO_FX_COMPONENT_IDLE_STATE_CALLBACK *PPO_FX_COMPONENT_IDLE_STATE_CALLBACK;
typedef VOID NTAPI PO_FX_DEVICE_POWER_REQUIRED_CALLBACK(PVOID Context);
typedef PO_FX_DEVICE_POWER_REQUIRED_CALLBACK *PPO_FX_DEVICE_POWER_REQUIRED_CALLBACK;
typedef VOID NTAPI PO_FX_DEVICE_POWER_NOT_REQUIRED_CALLBACK(PVOID Context);
typedef PO_FX_DEVICE_POWER_NOT_REQUIRED_CALLBACK *PPO_FX_DEVICE_POWER_NOT_REQUIRED_CALLBACK;
typedef NTSTATUS NTAPI PO_FX_POWER_CONTROL_CALLBACK(PVOID DeviceContext,
                                                    const GUID *PowerControlCode, PVOID InBuffer,
                                                    SIZE_T InBufferSize, PVOID OutBuffer,
                                                    SIZE_T OutBufferSize, SIZE_T *BytesReturned);
typedef PO_FX_POWER_CONTROL_CALLBACK *PPO_FX_POWER_CONTROL_CALLBACK;

typedef struct _PO_FX_COMPONENT_IDLE_STATE {
    ULONGLONG TransitionLatency;
    ULONGLONG ResidencyRequirement;
    ULONG NominalPower;
} PO_FX_COMPONENT_IDLE_STATE, *PPO_FX_COMPONENT_IDLE_STATE;

typedef struct _PO_FX_COMPONENT_V1 {
    GUID Id;
    ULONG IdleStateCount;
    ULONG DeepestWakeableIdleState;
    PPO_FX_COMPONENT_IDLE_STATE IdleStates;
} PO_FX_COMPONENT_V1, *PPO_FX_COMPONENT_V1;

typedef struct _PO_FX_COMPONENT_V2 {
    GUID Id;
    ULONGLONG Flags;
    ULONG DeepestWakeableIdleState;
    ULONG IdleStateCount;
    PPO_FX_COMPONENT_IDLE_STATE IdleStates;
    ULONG ProviderCount;
    PULONG Providers;
} PO_FX_COMPONENT_V2, *PPO_FX_COMPONENT_V2;

typedef struct _PO_FX_DEVICE_V1 {
    ULONG Version;
    ULONG ComponentCount;
    PPO_FX_COMPONENT_ACTIVE_CONDITION_CALLBACK ComponentActiveConditionCallback;
    PPO_FX_COMPONENT_IDLE_CONDITION_CALLBACK ComponentIdleConditionCallback;
    PPO_FX_COMPONENT_IDLE_STATE_CALLBACK ComponentIdleStateCallback;
    PPO_FX_DEVICE_POWER_REQUIRED_CALLBACK DevicePowerRequiredCallback;
    PPO_FX_DEVICE_POWER_NOT_REQUIRED_CALLBACK DevicePowerNotRequiredCallback;
    PPO_FX_POWER_CONTROL_CALLBACK PowerControlCallback;
    PVOID DeviceContext;
    PO_FX_COMPONENT_V1 Components[1];
} PO_FX_DEVICE_V1, *PPO_FX_DEVICE_V1;

typedef struct _PO_FX_DEVICE_V2 {
    ULONG Version;
    ULONGLONG Flags;
    PPO_FX_COMPONENT_ACTIVE_CONDITION_CALLBACK ComponentActiveConditionCallback;
    PPO_FX_COMPONENT_IDLE_CONDITION_CALLBACK ComponentIdleConditionCallback;
    PPO_FX_COMPONENT_IDLE_STATE_CALLBACK ComponentIdleStateCallback;
    PPO_FX_DEVICE_POWER_REQUIRED_CALLBACK DevicePowerRequiredCallback;
    PPO_FX_DEVICE_POWER_NOT_REQUIRED_CALLBACK DevicePowerNotRequiredCallback;
    PPO_FX_POWER_CONTROL_CALLBACK PowerControlCallback;
    PVOID DeviceContext;
    ULONG ComponentCount;
    PO_FX_COMPONENT_V2 Components[1];
} PO_FX_DEVICE_V2, *PPO_FX_DEVICE_V2;

typedef PO_FX_DEVICE_V1 PO_FX_DEVICE, *PPO_FX_DEVICE;
typedef PO_FX_COMPONENT_V1 PO_FX_COMPONENT, *PPO_FX_COMPONENT;

NTKERNELAPI NTSTATUS NTAPI PoFxRegisterDevice(PDEVICE_OBJECT Pdo, PPO_FX_DEVICE Device,
                                              POHANDLE *Handle);
NTKERNELAPI VOID NTAPI PoFxUnregisterDevice(POHANDLE Handle);
NTKERNELAPI VOID NTAPI PoFxStartDevicePowerManagement(POHANDLE Handle);
NTKERNELAPI VOID NTAPI PoFxActivateComponent(POHANDLE Handle, ULONG Component, ULONG Flags);
NTKERNELAPI VOID NTAPI PoFxIdleComponent(POHANDLE Handle, ULONG Component, ULONG Flags);
NTKERNELAPI VOID NTAPI PoFxCompleteIdleCondition(POHANDLE Handle, ULONG Component);
NTKERNELAPI VOID NTAPI PoFxCompleteIdleState(POHANDLE Handle, ULONG Component);
NTKERNELAPI VOID NTAPI PoFxCompleteDevicePowerNotRequired(POHANDLE Handle);
NTKERNELAPI VOID NTAPI PoFxReportDevicePoweredOn(POHANDLE Handle);
NTKERNELAPI VOID NTAPI PoFxSetComponentWake(POHANDLE Handle, ULONG Component, BOOLEAN WakeHint);
NTKERNELAPI VOID NTAPI PoFxSetComponentLatency(POHANDLE Handle, ULONG Component, ULONGLONG Latency);
NTKERNELAPI VOID NTAPI PoFxSetComponentResidency(POHANDLE Handle, ULONG Component,
                                                 ULONGLONG Residency);
NTKERNELAPI VOID NTAPI PoFxSetDeviceIdleTimeout(POHANDLE Handle, ULONGLONG IdleTimeout);

#endif /* _WDM_POFX_H_ */

/*
 * video.h: the video port of before WDDM. Today's miniports meet a few of its types in dispmprt.h;
 * three of its functions are still called by drivers that serve both worlds.
 */

#ifndef __VIDEO_H__
#define __VIDEO_H__

#include <dderror.h>
#include <ntddvdeo.h>
#include <wdm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The adapter itself, where a child could be named. */
#define DISPLAY_ADAPTER_HW_ID  0xFFFFFFFF
#define VIDEO_INVALID_CHILD_ID 0xFFFFFFFF

typedef LONG VP_STATUS, *PVP_STATUS;

typedef enum _VIDEO_DEBUG_LEVEL {
    Error = 0,
    Warn,
    Trace,
    Info
} VIDEO_DEBUG_LEVEL,
    *PVIDEO_DEBUG_LEVEL;

typedef enum _VP_POOL_TYPE {
    VpNonPagedPool = 0,
    VpPagedPool,
    VpNonPagedPoolCacheAligned = 4,
    VpPagedPoolCacheAligned
} VP_POOL_TYPE,
    *PVP_POOL_TYPE;

typedef enum _VP_LOCK_OPERATION {
    VpReadAccess = 0,
    VpWriteAccess,
    VpModifyAccess
} VP_LOCK_OPERATION;

typedef enum VIDEO_SYNCHRONIZE_PRIORITY {
    VpLowPriority,
    VpMediumPriority,
    VpHighPriority
} VIDEO_SYNCHRONIZE_PRIORITY;

typedef enum {
    VideoPortServicesAGP = 1,
    VideoPortServicesI2C,
    VideoPortServicesHeadless,
    VideoPortServicesInt10
} VIDEO_PORT_SERVICES;

typedef struct _VIDEO_ACCESS_RANGE {
    PHYSICAL_ADDRESS RangeStart;
    ULONG RangeLength;
    UCHAR RangeInIoSpace;
    UCHAR RangeVisible;
    UCHAR RangeShareable;
    UCHAR RangePassive;
} VIDEO_ACCESS_RANGE, *PVIDEO_ACCESS_RANGE;

typedef struct _VPOSVERSIONINFO {
    ULONG Size;
    ULONG MajorVersion;
    ULONG MinorVersion;
    ULONG BuildNumber;
    USHORT ServicePackMajor;
    USHORT ServicePackMinor;
} VPOSVERSIONINFO, *PVPOSVERSIONINFO;

typedef struct __DMA_PARAMETERS *PDMA_PARAMETERS;
typedef struct _VP_DMA_ADAPTER *PVP_DMA_ADAPTER;
typedef struct _VIDEO_PORT_EVENT *PEVENT;

typedef struct _VP_DEVICE_DESCRIPTION {
    BOOLEAN ScatterGather;
    BOOLEAN Dma32BitAddresses;
    BOOLEAN Dma64BitAddresses;
    ULONG MaximumLength;
} VP_DEVICE_DESCRIPTION, *PVP_DEVICE_DESCRIPTION;

typedef struct _QUERY_INTERFACE {
    CONST GUID *InterfaceType;
    USHORT Size;
    USHORT Version;
    PINTERFACE Interface;
    PVOID InterfaceSpecificData;
    ULONG DeviceUid;
} QUERY_INTERFACE, *PQUERY_INTERFACE;

typedef VP_STATUS NTAPI MINIPORT_GET_REGISTRY_ROUTINE(PVOID HwDeviceExtension, PVOID Context,
                                                      PWSTR ValueName, PVOID ValueData,
                                                      ULONG ValueLength);
typedef MINIPORT_GET_REGISTRY_ROUTINE *PMINIPORT_GET_REGISTRY_ROUTINE;
typedef BOOLEAN NTAPI MINIPORT_SYNCHRONIZE_ROUTINE(PVOID Context);
typedef MINIPORT_SYNCHRONIZE_ROUTINE *PMINIPORT_SYNCHRONIZE_ROUTINE;

NTKERNELAPI VP_STATUS NTAPI VideoPortMapMemory(PVOID HwDeviceExtension,
                                               PHYSICAL_ADDRESS PhysicalAddress, PULONG Length,
                                               PULONG InIoSpace, PVOID *VirtualAddress);
NTKERNELAPI VP_STATUS NTAPI VideoPortUnmapMemory(PVOID HwDeviceExtension, PVOID VirtualAddress,
                                                 HANDLE ProcessHandle);
NTKERNELAPI BOOLEAN NTAPI
VideoPortSynchronizeExecution(PVOID HwDeviceExtension, VIDEO_SYNCHRONIZE_PRIORITY Priority,
                              PMINIPORT_SYNCHRONIZE_ROUTINE SynchronizeRoutine, PVOID Context);

#ifdef __cplusplus
}
#endif

#endif /* __VIDEO_H__ */

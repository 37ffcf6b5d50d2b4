/*
 * d3dukmdt.h: types that user-mode and kernel-mode graphics code share: interface versions,
 * formats, allocations, GPU virtual addresses, synchronization objects.
 */

#ifndef _D3DUKMDT_H_
#define _D3DUKMDT_H_

#include <ntdef.h>
#include <windef.h>
#include <guiddef.h>
#include <dxgiformat.h>

#ifdef __cplusplus
extern "C" {
#endif
/* ----------------------------------------------------------------------------------------------
 * Interface versions
 *
 * A driver is compiled for DXGKDDI_INTERFACE_VERSION, the newest if it says nothing. Structures
 * end and tables grow with it: whatever stands under a later version does not exist for an earlier
 * driver.
 */

#define DXGKDDI_INTERFACE_VERSION_VISTA                             0x1052
#define DXGKDDI_INTERFACE_VERSION_VISTA_SP1                         0x1053
#define DXGKDDI_INTERFACE_VERSION_WIN7                              0x2005
#define DXGKDDI_INTERFACE_VERSION_WIN8                              0x300E
#define DXGKDDI_INTERFACE_VERSION_WDDM1_3                           0x4002
#define DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION 0x4003
#define DXGKDDI_INTERFACE_VERSION_WDDM2_0                           0x5023
#define DXGKDDI_INTERFACE_VERSION_WDDM2_1                           0x6003
#define DXGKDDI_INTERFACE_VERSION_WDDM2_1_5                         0x6010
#define DXGKDDI_INTERFACE_VERSION_WDDM2_1_6                         0x6011
#define DXGKDDI_INTERFACE_VERSION_WDDM2_2                           0x700A
#define DXGKDDI_INTERFACE_VERSION_WDDM2_3                           0x8001
#define DXGKDDI_INTERFACE_VERSION_WDDM2_4                           0x9006
#define DXGKDDI_INTERFACE_VERSION_WDDM2_5                           0xA00B
#define DXGKDDI_INTERFACE_VERSION_WDDM2_6                           0xB004
#define DXGKDDI_INTERFACE_VERSION_WDDM2_7                           0xC004
#define DXGKDDI_INTERFACE_VERSION_WDDM2_8                           0xD001
#define DXGKDDI_INTERFACE_VERSION_WDDM2_9                           0xE003
#define DXGKDDI_INTERFACE_VERSION_WDDM3_0                           0xF003
#define DXGKDDI_INTERFACE_VERSION_WDDM3_1                           0x10004
#define DXGKDDI_INTERFACE_VERSION_WDDM3_2                           0x11007

/* ----------------------------------------------------------------------------------------------
 * User-mode interface versions
 */

#define D3D_UMD_INTERFACE_VERSION_VISTA        12
#define D3D_UMD_INTERFACE_VERSION_WIN7         0x2003
#define D3D_UMD_INTERFACE_VERSION_WIN8_M3      0x3001
#define D3D_UMD_INTERFACE_VERSION_WIN8_CP      0x3002
#define D3D_UMD_INTERFACE_VERSION_WIN8_RC      0x3003
#define D3D_UMD_INTERFACE_VERSION_WIN8         0x3004
#define D3D_UMD_INTERFACE_VERSION_WDDM1_3      0x4002
#define D3D_UMD_INTERFACE_VERSION_WDDM2_0_M1   0x5000
#define D3D_UMD_INTERFACE_VERSION_WDDM2_0_M1_3 0x5001
#define D3D_UMD_INTERFACE_VERSION_WDDM2_0_M2_2 0x5002
#define D3D_UMD_INTERFACE_VERSION_WDDM2_0      0x5002
#define D3D_UMD_INTERFACE_VERSION_WDDM2_1_1    0x6000
#define D3D_UMD_INTERFACE_VERSION_WDDM2_1_2    0x6001
#define D3D_UMD_INTERFACE_VERSION_WDDM2_1_3    0x6002
#define D3D_UMD_INTERFACE_VERSION_WDDM2_1_4    0x6003
#define D3D_UMD_INTERFACE_VERSION_WDDM2_1      0x6003
#define D3D_UMD_INTERFACE_VERSION_WDDM2_2_1    0x7000
#define D3D_UMD_INTERFACE_VERSION_WDDM2_2_2    0x7001
#define D3D_UMD_INTERFACE_VERSION_WDDM2_2      0x7001
#define D3D_UMD_INTERFACE_VERSION_WDDM2_3_1    0x8000
#define D3D_UMD_INTERFACE_VERSION_WDDM2_3_2    0x8001
#define D3D_UMD_INTERFACE_VERSION_WDDM2_3      0x8001
#define D3D_UMD_INTERFACE_VERSION_WDDM2_4_1    0x9000
#define D3D_UMD_INTERFACE_VERSION_WDDM2_4_2    0x9001
#define D3D_UMD_INTERFACE_VERSION_WDDM2_4      0x9001
#define D3D_UMD_INTERFACE_VERSION_WDDM2_5_1    0xA000
#define D3D_UMD_INTERFACE_VERSION_WDDM2_5_2    0xA001
#define D3D_UMD_INTERFACE_VERSION_WDDM2_5_3    0xA002
#define D3D_UMD_INTERFACE_VERSION_WDDM2_5      0xA002
#define D3D_UMD_INTERFACE_VERSION_WDDM2_6_1    0xB000
#define D3D_UMD_INTERFACE_VERSION_WDDM2_6_2    0xB001
#define D3D_UMD_INTERFACE_VERSION_WDDM2_6_3    0xB002
#define D3D_UMD_INTERFACE_VERSION_WDDM2_6_4    0xB003
#define D3D_UMD_INTERFACE_VERSION_WDDM2_6      0xB003
#define D3D_UMD_INTERFACE_VERSION_WDDM2_7_1    0xC000
#define D3D_UMD_INTERFACE_VERSION_WDDM2_7_2    0xC001
#define D3D_UMD_INTERFACE_VERSION_WDDM2_7      0xC001
#define D3D_UMD_INTERFACE_VERSION_WDDM2_8_1    0xD000
#define D3D_UMD_INTERFACE_VERSION_WDDM2_8      0xD000
#define D3D_UMD_INTERFACE_VERSION_WDDM2_9_1    0xE000
#define D3D_UMD_INTERFACE_VERSION_WDDM2_9      0xE000
#define D3D_UMD_INTERFACE_VERSION_WDDM3_0_1    0xF000
#define D3D_UMD_INTERFACE_VERSION_WDDM3_0      0xF000
#define D3D_UMD_INTERFACE_VERSION_WDDM3_1_1    0x10000
#define D3D_UMD_INTERFACE_VERSION_WDDM3_1      0x10000
#define D3D_UMD_INTERFACE_VERSION_WDDM3_2_1    0x11000
#define D3D_UMD_INTERFACE_VERSION_WDDM3_2      0x11000

/* ----------------------------------------------------------------------------------------------
 * Constants
 */

#define D3DGPU_UNIQUE_DRIVER_PROTECTION                0x8000000000000000ULL
#define DXGK_MAX_PAGE_TABLE_LEVEL_COUNT                6
#define DXGK_MIN_PAGE_TABLE_LEVEL_COUNT                2
#define DXGK_MAX_GPU_VA_BIT_COUNT                      63
#define IOCTL_GPUP_DRIVER_ESCAPE                       0x226460
#define D3DGPU_NULL                                    0
#define D3DDDI_MAX_WRITTEN_PRIMARIES                   16
#define D3DDDI_MAX_MPO_PRESENT_DIRTY_RECTS             4095
#define D3DDDI_ID_UNINITIALIZED                        0xFFFFFFFFU
#define D3DDDI_ID_NOTAPPLICABLE                        0
#define D3DDDI_ID_ANY                                  0xFFFFFFFEU
#define D3DDDI_ID_ALL                                  0xFFFFFFFDU
#define D3DKMDT_MAX_VIDPN_SOURCES_BITCOUNT             4
#define D3DKMDT_MAX_VIDPN_SOURCES                      16
#define D3DDDI_MAX_OBJECT_WAITED_ON                    32
#define D3DDDI_MAX_OBJECT_SIGNALED                     32
#define D3DDDI_SYNC_OBJECT_WAIT                        1
#define D3DDDI_SYNC_OBJECT_SIGNAL                      2
#define D3DDDI_SYNC_OBJECT_ALL_ACCESS                  0x1F0003
#define D3DDDI_NATIVE_FENCE_PDD_SIZE                   64
#define D3DDDI_DOORBELL_PRIVATEDATA_MAX_BYTES_WDDM3_1  16
#define D3DDDI_MAX_BROADCAST_CONTEXT                   64
#define D3DDDI_ALLOCATIONPRIORITY_MINIMUM              0x28000000
#define D3DDDI_ALLOCATIONPRIORITY_LOW                  0x50000000
#define D3DDDI_ALLOCATIONPRIORITY_NORMAL               0x78000000
#define D3DDDI_ALLOCATIONPRIORITY_HIGH                 0xA0000000U
#define D3DDDI_ALLOCATIONPRIORITY_MAXIMUM              0xC8000000U
#define D3DKMT_CROSS_ADAPTER_RESOURCE_PITCH_ALIGNMENT  0x80
#define D3DKMT_CROSS_ADAPTER_RESOURCE_HEIGHT_ALIGNMENT 4
#define DXGK_FEATURE_ID_CATEGORY_BITS                  4
#define DXGK_FEATURE_ID_FEATURE_BITS                   28
#define DXGK_FEATURE_ID_CATEGORY_SHIFT                 28
#define DXGK_FEATURE_ID_MASK                           0xFFFFFFF
#define DXGK_FEATURE_MAX                               47
#define D3DDDI_MAXTESTBUFFERSIZE                       4096
#define D3DDDI_MAXTESTBUFFERPRIVATEDRIVERDATASIZE      1024

#ifndef DXGKDDI_INTERFACE_VERSION
#define DXGKDDI_INTERFACE_VERSION DXGKDDI_INTERFACE_VERSION_WDDM3_2
#endif
#ifndef D3D_UMD_INTERFACE_VERSION
#define D3D_UMD_INTERFACE_VERSION D3D_UMD_INTERFACE_VERSION_WDDM3_2
#endif

/* Stands at every pointer by which a client tells of its own memory. A kernel that serves such clients defines it as an
 * attribute with which its compiler refuses to follow the pointer; to everybody else it is nothing. */
#ifndef D3DKMT_CLIENT
#define D3DKMT_CLIENT
#endif

/* A version between two of the list is a preview that no system accepts. */
#define IS_OFFICIAL_DDI_INTERFACE_VERSION(version)                                                   \
    (((version) == DXGKDDI_INTERFACE_VERSION_VISTA) ||                                               \
     ((version) == DXGKDDI_INTERFACE_VERSION_VISTA_SP1) ||                                           \
     ((version) == DXGKDDI_INTERFACE_VERSION_WIN7) ||                                                \
     ((version) == DXGKDDI_INTERFACE_VERSION_WIN8) ||                                                \
     ((version) == DXGKDDI_INTERFACE_VERSION_WDDM1_3) ||                                             \
     ((version) == DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION) ||                   \
     ((version) == DXGKDDI_INTERFACE_VERSION_WDDM2_0) ||                                             \
     ((version) == DXGKDDI_INTERFACE_VERSION_WDDM2_1) ||                                             \
     ((version) == DXGKDDI_INTERFACE_VERSION_WDDM2_1_5) ||                                           \
     ((version) == DXGKDDI_INTERFACE_VERSION_WDDM2_1_6) ||                                           \
     ((version) == DXGKDDI_INTERFACE_VERSION_WDDM2_2) ||                                             \
     ((version) == DXGKDDI_INTERFACE_VERSION_WDDM2_3) ||                                             \
     ((version) == DXGKDDI_INTERFACE_VERSION_WDDM2_4) ||                                             \
     ((version) == DXGKDDI_INTERFACE_VERSION_WDDM2_5) ||                                             \
     ((version) == DXGKDDI_INTERFACE_VERSION_WDDM2_6) ||                                             \
     ((version) == DXGKDDI_INTERFACE_VERSION_WDDM2_7) ||                                             \
     ((version) == DXGKDDI_INTERFACE_VERSION_WDDM2_8) ||                                             \
     ((version) == DXGKDDI_INTERFACE_VERSION_WDDM2_9) ||                                             \
     ((version) == DXGKDDI_INTERFACE_VERSION_WDDM3_0) ||                                             \
     ((version) == DXGKDDI_INTERFACE_VERSION_WDDM3_1) ||                                             \
     ((version) == DXGKDDI_INTERFACE_VERSION_WDDM3_2))

#ifndef MAKEFOURCC
#define MAKEFOURCC(first, second, third, fourth) \
    ((ULONG)(UCHAR)(first) | (ULONG)(UCHAR)(second) << 8 | (ULONG)(UCHAR)(third) << 16 | \
     (ULONG)(UCHAR)(fourth) << 24)
#endif

/* ----------------------------------------------------------------------------------------------
 * Virtual GPU escapes
 *
 * Requests of a virtual machine to the host, carried by D3DKMTEscape.
 */

typedef enum _DXGKVGPU_ESCAPE_TYPE {
    DXGKVGPU_ESCAPE_TYPE_READ_PCI_CONFIG         = 0,
    DXGKVGPU_ESCAPE_TYPE_WRITE_PCI_CONFIG        = 1,
    DXGKVGPU_ESCAPE_TYPE_INITIALIZE              = 2,
    DXGKVGPU_ESCAPE_TYPE_RELEASE                 = 3,
    DXGKVGPU_ESCAPE_TYPE_GET_VGPU_TYPE           = 4,
    DXGKVGPU_ESCAPE_TYPE_POWERTRANSITIONCOMPLETE = 5,
    DXGKVGPU_ESCAPE_TYPE_PAUSE                   = 6,
    DXGKVGPU_ESCAPE_TYPE_RESUME                  = 7,
} DXGKVGPU_ESCAPE_TYPE;

typedef struct _GPUP_DRIVER_ESCAPE_INPUT {
    LUID vfLUID;
} GPUP_DRIVER_ESCAPE_INPUT, *PGPUP_DRIVER_ESCAPE_INPUT;

typedef struct _DXGKVGPU_ESCAPE_HEAD {
    GPUP_DRIVER_ESCAPE_INPUT Luid;
    DXGKVGPU_ESCAPE_TYPE     Type;
} DXGKVGPU_ESCAPE_HEAD;

typedef struct _DXGKVGPU_ESCAPE_READ_PCI_CONFIG {
    DXGKVGPU_ESCAPE_HEAD Header;
    UINT                 Offset;
    UINT                 Size;
} DXGKVGPU_ESCAPE_READ_PCI_CONFIG;

typedef struct _DXGKVGPU_ESCAPE_WRITE_PCI_CONFIG {
    DXGKVGPU_ESCAPE_HEAD Header;
    UINT                 Offset;
    UINT                 Size;
} DXGKVGPU_ESCAPE_WRITE_PCI_CONFIG;

typedef struct _DXGKVGPU_ESCAPE_READ_VGPU_TYPE {
    DXGKVGPU_ESCAPE_HEAD Header;
} DXGKVGPU_ESCAPE_READ_VGPU_TYPE;

typedef struct _DXGKVGPU_ESCAPE_POWERTRANSITIONCOMPLETE {
    DXGKVGPU_ESCAPE_HEAD Header;
    UINT                 PowerState;
} DXGKVGPU_ESCAPE_POWERTRANSITIONCOMPLETE;

typedef struct _DXGKVGPU_ESCAPE_INITIALIZE {
    DXGKVGPU_ESCAPE_HEAD Header;
    GUID                 VmGuid;
} DXGKVGPU_ESCAPE_INITIALIZE;

typedef struct _DXGKVGPU_ESCAPE_RELEASE {
    DXGKVGPU_ESCAPE_HEAD Header;
} DXGKVGPU_ESCAPE_RELEASE;

typedef struct _DXGKVGPU_ESCAPE_PAUSE {
    DXGKVGPU_ESCAPE_HEAD Header;
    LUID                 DeviceLuid;
    union {
        struct {
            UINT GuestVmRunning : 1;
        };
        UINT Flags;
    };
} DXGKVGPU_ESCAPE_PAUSE;

typedef struct _DXGKVGPU_ESCAPE_RESUME {
    DXGKVGPU_ESCAPE_HEAD Header;
    LUID                 DeviceLuid;
    UINT                 Flags;
} DXGKVGPU_ESCAPE_RESUME;

/* ----------------------------------------------------------------------------------------------
 * Numbers and handles
 */

typedef struct _D3DGPU_PHYSICAL_ADDRESS {
    UINT   SegmentId;
    UINT   Padding;
    UINT64 SegmentOffset;
} D3DGPU_PHYSICAL_ADDRESS;

typedef struct _D3DDDI_RATIONAL {
    UINT Numerator;
    UINT Denominator;
} D3DDDI_RATIONAL;

typedef struct _D3DDDIRECT {
    LONG left;
    LONG top;
    LONG right;
    LONG bottom;
} D3DDDIRECT;

typedef SIZE_T D3DKMT_SIZE_T;

typedef UINT_PTR D3DKMT_UINT_PTR;

typedef ULONG_PTR D3DKMT_ULONG_PTR;

typedef HANDLE D3DKMT_PTR_TYPE;

typedef ULONGLONG D3DGPU_VIRTUAL_ADDRESS;

typedef ULONGLONG D3DGPU_SIZE_T;

typedef UINT D3DDDI_VIDEO_PRESENT_SOURCE_ID;

typedef UINT D3DDDI_VIDEO_PRESENT_TARGET_ID;

typedef UINT D3DKMT_HANDLE;

/* ----------------------------------------------------------------------------------------------
 * Allocations, patch locations, locks
 *
 * What a client hands down with a command buffer: allocations by handle, and where in the buffer
 * their addresses belong.
 */

typedef enum _D3DDDI_OFFER_PRIORITY {
    D3DDDI_OFFER_PRIORITY_NONE   = 0,
    D3DDDI_OFFER_PRIORITY_LOW    = 1,
    D3DDDI_OFFER_PRIORITY_NORMAL = 2,
    D3DDDI_OFFER_PRIORITY_HIGH   = 3,
    D3DDDI_OFFER_PRIORITY_AUTO   = 4,
} D3DDDI_OFFER_PRIORITY;

typedef struct _D3DDDI_ALLOCATIONINFO {
    D3DKMT_HANDLE                  hAllocation;
    const void D3DKMT_CLIENT       *pSystemMem;
    void D3DKMT_CLIENT             *pPrivateDriverData;
    UINT                           PrivateDriverDataSize;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    union {
        struct {
            UINT Primary : 1;
            UINT Stereo : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    } Flags;
} D3DDDI_ALLOCATIONINFO;

typedef struct _D3DDDI_ALLOCATIONINFO2 {
    D3DKMT_HANDLE                  hAllocation;
    union {
        HANDLE                   hSection;
        const void D3DKMT_CLIENT *pSystemMem;
    };
    void D3DKMT_CLIENT             *pPrivateDriverData;
    UINT                           PrivateDriverDataSize;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    union {
        struct {
            UINT Primary : 1;
            UINT Stereo : 1;
            UINT OverridePriority : 1;
            UINT Reserved : 29;
        };
        UINT Value;
    } Flags;
    D3DGPU_VIRTUAL_ADDRESS         GpuVirtualAddress;
    union {
        UINT      Priority;
        ULONG_PTR Unused;
    };
    ULONG_PTR                      Reserved[5];
} D3DDDI_ALLOCATIONINFO2;

typedef struct _D3DDDI_OPENALLOCATIONINFO {
    D3DKMT_HANDLE            hAllocation;
    const void D3DKMT_CLIENT *pPrivateDriverData;
    UINT                     PrivateDriverDataSize;
} D3DDDI_OPENALLOCATIONINFO;

typedef struct _D3DDDI_OPENALLOCATIONINFO2 {
    D3DKMT_HANDLE            hAllocation;
    const void D3DKMT_CLIENT *pPrivateDriverData;
    UINT                     PrivateDriverDataSize;
    D3DGPU_VIRTUAL_ADDRESS   GpuVirtualAddress;
    ULONG_PTR                Reserved[6];
} D3DDDI_OPENALLOCATIONINFO2;

typedef struct _D3DDDI_ALLOCATIONLIST {
    D3DKMT_HANDLE hAllocation;
    union {
        struct {
            UINT WriteOperation : 1;
            UINT DoNotRetireInstance : 1;
            UINT OfferPriority : 3;
            UINT Reserved : 27;
        };
        UINT Value;
    };
} D3DDDI_ALLOCATIONLIST;

typedef struct _D3DDDI_PATCHLOCATIONLIST {
    UINT AllocationIndex;
    union {
        struct {
            UINT SlotId : 24;
            UINT Reserved : 8;
        };
        UINT Value;
    };
    UINT DriverId;
    UINT AllocationOffset;
    UINT PatchOffset;
    UINT SplitOffset;
} D3DDDI_PATCHLOCATIONLIST;

typedef struct _D3DDDICB_LOCKFLAGS {
    union {
        struct {
            UINT ReadOnly : 1;
            UINT WriteOnly : 1;
            UINT DonotWait : 1;
            UINT IgnoreSync : 1;
            UINT LockEntire : 1;
            UINT DonotEvict : 1;
            UINT AcquireAperture : 1;
            UINT Discard : 1;
            UINT NoExistingReference : 1;
            UINT UseAlternateVA : 1;
            UINT IgnoreReadSync : 1;
            UINT Reserved : 21;
        };
        UINT Value;
    };
} D3DDDICB_LOCKFLAGS;

typedef struct _D3DDDICB_LOCK2FLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} D3DDDICB_LOCK2FLAGS;

typedef struct _D3DDDICB_DESTROYALLOCATION2FLAGS {
    union {
        struct {
            UINT AssumeNotInUse : 1;
            UINT SynchronousDestroy : 1;
            UINT Reserved : 29;
            UINT SystemUseOnly : 1;
        };
        UINT Value;
    };
} D3DDDICB_DESTROYALLOCATION2FLAGS;

typedef struct _D3DDDI_SEGMENTPREFERENCE {
    union {
        struct {
            UINT SegmentId0 : 5;
            UINT Direction0 : 1;
            UINT SegmentId1 : 5;
            UINT Direction1 : 1;
            UINT SegmentId2 : 5;
            UINT Direction2 : 1;
            UINT SegmentId3 : 5;
            UINT Direction3 : 1;
            UINT SegmentId4 : 5;
            UINT Direction4 : 1;
            UINT Reserved : 2;
        };
        UINT Value;
    };
} D3DDDI_SEGMENTPREFERENCE;

typedef struct D3DDDI_OFFER_FLAGS {
    union {
        struct {
            UINT AllowDecommit : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} D3DDDI_OFFER_FLAGS;

/* ----------------------------------------------------------------------------------------------
 * Contexts and escapes
 */

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)

typedef enum _D3DDDI_DRIVERESCAPETYPE {
    D3DDDI_DRIVERESCAPETYPE_TRANSLATEALLOCATIONHANDLE = 0,
    D3DDDI_DRIVERESCAPETYPE_TRANSLATERESOURCEHANDLE   = 1,
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)
    D3DDDI_DRIVERESCAPETYPE_CPUEVENTUSAGE             = 2,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
    D3DDDI_DRIVERESCAPETYPE_BUILDTESTCOMMANDBUFFER    = 3,
#endif
    D3DDDI_DRIVERESCAPETYPE_MAX                       = 4,
} D3DDDI_DRIVERESCAPETYPE;

#endif

typedef struct _D3DDDI_ESCAPEFLAGS {
    union {
        struct {
            UINT HardwareAccess : 1;
            UINT DeviceStatusQuery : 1;
            UINT ChangeFrameLatency : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
            UINT Reserved : 29;
#else
            UINT NoAdapterSynchronization : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_2)
            UINT Reserved : 28;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)
            UINT Reserved : 1;
            UINT VirtualMachineData : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_5)
            UINT Reserved2 : 26;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)
            UINT DriverKnownEscape : 1;
            UINT DriverCommonEscape : 1;
            UINT Reserved2 : 24;
#endif
        };
        UINT Value;
    };
} D3DDDI_ESCAPEFLAGS;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)

typedef struct _D3DDDI_DRIVERESCAPE_TRANSLATEALLOCATIONEHANDLE {
    D3DDDI_DRIVERESCAPETYPE EscapeType;
    D3DKMT_HANDLE           hAllocation;
} D3DDDI_DRIVERESCAPE_TRANSLATEALLOCATIONEHANDLE;

typedef struct _D3DDDI_DRIVERESCAPE_TRANSLATERESOURCEHANDLE {
    D3DDDI_DRIVERESCAPETYPE EscapeType;
    D3DKMT_HANDLE           hResource;
} D3DDDI_DRIVERESCAPE_TRANSLATERESOURCEHANDLE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)

typedef struct _D3DDDI_DRIVERESCAPE_CPUEVENTUSAGE {
    D3DDDI_DRIVERESCAPETYPE EscapeType;
    D3DKMT_HANDLE           hSyncObject;
    UINT64                  hKmdCpuEvent;
    UINT                    Usage[8];
} D3DDDI_DRIVERESCAPE_CPUEVENTUSAGE;

#endif

typedef struct _D3DDDI_CREATECONTEXTFLAGS {
    union {
        struct {
            UINT NullRendering : 1;
            UINT InitialData : 1;
            UINT DisableGpuTimeout : 1;
            UINT SynchronizationOnly : 1;
            UINT HwQueueSupported : 1;
            UINT NoKmdAccess : 1;
            UINT TestContext : 1;
            UINT Reserved : 25;
        };
        UINT Value;
    };
} D3DDDI_CREATECONTEXTFLAGS;

typedef struct _D3DDDI_CREATEHWCONTEXTFLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} D3DDDI_CREATEHWCONTEXTFLAGS;

typedef struct _D3DDDI_CREATEHWQUEUEFLAGS {
    union {
        struct {
            UINT DisableGpuTimeout : 1;
            UINT NoBroadcastSignal : 1;
            UINT NoBroadcastWait : 1;
            UINT NoKmdAccess : 1;
            UINT UserModeSubmission : 1;
            UINT NativeProgressFence : 1;
            UINT TestQueue : 1;
            UINT Reserved : 25;
        };
        UINT Value;
    };
} D3DDDI_CREATEHWQUEUEFLAGS;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef struct _D3DDDI_BUILDTESTCOMMANDBUFFERFLAGS {
    union {
        struct {
            UINT HardwareQueue : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} D3DDDI_BUILDTESTCOMMANDBUFFERFLAGS;

typedef struct _D3DDDI_TESTCOMMANDBUFFER_COPY {
    D3DGPU_VIRTUAL_ADDRESS SrcAddress;
    D3DGPU_VIRTUAL_ADDRESS DstAddress;
    UINT                   NumBytes;
} D3DDDI_TESTCOMMANDBUFFER_COPY;

typedef struct _D3DDDI_TESTCOMMANDBUFFER_FILL {
    D3DGPU_VIRTUAL_ADDRESS DstAddress;
    UINT                   NumBytes;
    UINT                   Pattern;
} D3DDDI_TESTCOMMANDBUFFER_FILL;

typedef enum _D3DDDI_TESTCOMMANDBUFFEROP {
    D3DDDI_TESTCOMMANDBUFFEROP_INVALID                   = 0,
    D3DDDI_TESTCOMMANDBUFFEROP_COPY                      = 1,
    D3DDDI_TESTCOMMANDBUFFEROP_FILL                      = 2,
    D3DDDI_TESTCOMMANDBUFFEROP_INFINITE_LOOP             = 3,
    D3DDDI_TESTCOMMANDBUFFEROP_INFINITE_PREEMPTABLE_LOOP = 4,
    D3DDDI_TESTCOMMANDBUFFEROP_MAX                       = 5,
} D3DDDI_TESTCOMMANDBUFFEROP;

typedef struct _D3DDDI_TESTCOMMANDBUFFER {
    union {
        D3DDDI_TESTCOMMANDBUFFER_COPY Copy;
        D3DDDI_TESTCOMMANDBUFFER_FILL Fill;
        char                          Reserved[64];
    };
    D3DDDI_TESTCOMMANDBUFFEROP Operation;
    UINT                       Reserved1;
} D3DDDI_TESTCOMMANDBUFFER;

typedef struct _D3DDDI_DRIVERESCAPE_BUILDTESTCOMMANDBUFFER {
    D3DDDI_DRIVERESCAPETYPE            EscapeType;
    D3DKMT_HANDLE                      hDevice;
    D3DKMT_HANDLE                      hContext;
    D3DDDI_BUILDTESTCOMMANDBUFFERFLAGS Flags;
    D3DDDI_TESTCOMMANDBUFFER           Command;
    PVOID                              pDmaBuffer;
    PVOID                              pDmaBufferPrivateData;
    UINT                               DmaBufferSize;
    UINT                               DmaBufferPrivateDataSize;
} D3DDDI_DRIVERESCAPE_BUILDTESTCOMMANDBUFFER;

#endif

/* ----------------------------------------------------------------------------------------------
 * Surfaces, formats, resources
 */

typedef enum _D3DDDIFORMAT {
    D3DDDIFMT_UNKNOWN                 = 0,
    D3DDDIFMT_R8G8B8                  = 20,
    D3DDDIFMT_A8R8G8B8                = 21,
    D3DDDIFMT_X8R8G8B8                = 22,
    D3DDDIFMT_R5G6B5                  = 23,
    D3DDDIFMT_X1R5G5B5                = 24,
    D3DDDIFMT_A1R5G5B5                = 25,
    D3DDDIFMT_A4R4G4B4                = 26,
    D3DDDIFMT_R3G3B2                  = 27,
    D3DDDIFMT_A8                      = 28,
    D3DDDIFMT_A8R3G3B2                = 29,
    D3DDDIFMT_X4R4G4B4                = 30,
    D3DDDIFMT_A2B10G10R10             = 31,
    D3DDDIFMT_A8B8G8R8                = 32,
    D3DDDIFMT_X8B8G8R8                = 33,
    D3DDDIFMT_G16R16                  = 34,
    D3DDDIFMT_A2R10G10B10             = 35,
    D3DDDIFMT_A16B16G16R16            = 36,
    D3DDDIFMT_A8P8                    = 40,
    D3DDDIFMT_P8                      = 41,
    D3DDDIFMT_L8                      = 50,
    D3DDDIFMT_A8L8                    = 51,
    D3DDDIFMT_A4L4                    = 52,
    D3DDDIFMT_V8U8                    = 60,
    D3DDDIFMT_L6V5U5                  = 61,
    D3DDDIFMT_X8L8V8U8                = 62,
    D3DDDIFMT_Q8W8V8U8                = 63,
    D3DDDIFMT_V16U16                  = 64,
    D3DDDIFMT_W11V11U10               = 65,
    D3DDDIFMT_A2W10V10U10             = 67,
    D3DDDIFMT_UYVY                    = 0x59565955,
    D3DDDIFMT_R8G8_B8G8               = 0x47424752,
    D3DDDIFMT_YUY2                    = 0x32595559,
    D3DDDIFMT_G8R8_G8B8               = 0x42475247,
    D3DDDIFMT_DXT1                    = 0x31545844,
    D3DDDIFMT_DXT2                    = 0x32545844,
    D3DDDIFMT_DXT3                    = 0x33545844,
    D3DDDIFMT_DXT4                    = 0x34545844,
    D3DDDIFMT_DXT5                    = 0x35545844,
    D3DDDIFMT_D16_LOCKABLE            = 70,
    D3DDDIFMT_D32                     = 71,
    D3DDDIFMT_D15S1                   = 73,
    D3DDDIFMT_D24S8                   = 75,
    D3DDDIFMT_D24X8                   = 77,
    D3DDDIFMT_D24X4S4                 = 79,
    D3DDDIFMT_D16                     = 80,
    D3DDDIFMT_D32F_LOCKABLE           = 82,
    D3DDDIFMT_D24FS8                  = 83,
    D3DDDIFMT_D32_LOCKABLE            = 84,
    D3DDDIFMT_S8_LOCKABLE             = 85,
    D3DDDIFMT_S1D15                   = 72,
    D3DDDIFMT_S8D24                   = 74,
    D3DDDIFMT_X8D24                   = 76,
    D3DDDIFMT_X4S4D24                 = 78,
    D3DDDIFMT_L16                     = 81,
    D3DDDIFMT_G8R8                    = 91,
    D3DDDIFMT_R8                      = 92,
    D3DDDIFMT_VERTEXDATA              = 100,
    D3DDDIFMT_INDEX16                 = 101,
    D3DDDIFMT_INDEX32                 = 102,
    D3DDDIFMT_Q16W16V16U16            = 110,
    D3DDDIFMT_MULTI2_ARGB8            = 0x3154454D,
    D3DDDIFMT_R16F                    = 111,
    D3DDDIFMT_G16R16F                 = 112,
    D3DDDIFMT_A16B16G16R16F           = 113,
    D3DDDIFMT_R32F                    = 114,
    D3DDDIFMT_G32R32F                 = 115,
    D3DDDIFMT_A32B32G32R32F           = 116,
    D3DDDIFMT_CxV8U8                  = 117,
    D3DDDIFMT_A1                      = 118,
    D3DDDIFMT_A2B10G10R10_XR_BIAS     = 119,
    D3DDDIFMT_DXVACOMPBUFFER_BASE     = 150,
    D3DDDIFMT_PICTUREPARAMSDATA       = 150,
    D3DDDIFMT_MACROBLOCKDATA          = 151,
    D3DDDIFMT_RESIDUALDIFFERENCEDATA  = 152,
    D3DDDIFMT_DEBLOCKINGDATA          = 153,
    D3DDDIFMT_INVERSEQUANTIZATIONDATA = 154,
    D3DDDIFMT_SLICECONTROLDATA        = 155,
    D3DDDIFMT_BITSTREAMDATA           = 156,
    D3DDDIFMT_MOTIONVECTORBUFFER      = 157,
    D3DDDIFMT_FILMGRAINBUFFER         = 158,
    D3DDDIFMT_DXVA_RESERVED9          = 159,
    D3DDDIFMT_DXVA_RESERVED10         = 160,
    D3DDDIFMT_DXVA_RESERVED11         = 161,
    D3DDDIFMT_DXVA_RESERVED12         = 162,
    D3DDDIFMT_DXVA_RESERVED13         = 163,
    D3DDDIFMT_DXVA_RESERVED14         = 164,
    D3DDDIFMT_DXVA_RESERVED15         = 165,
    D3DDDIFMT_DXVA_RESERVED16         = 166,
    D3DDDIFMT_DXVA_RESERVED17         = 167,
    D3DDDIFMT_DXVA_RESERVED18         = 168,
    D3DDDIFMT_DXVA_RESERVED19         = 169,
    D3DDDIFMT_DXVA_RESERVED20         = 170,
    D3DDDIFMT_DXVA_RESERVED21         = 171,
    D3DDDIFMT_DXVA_RESERVED22         = 172,
    D3DDDIFMT_DXVA_RESERVED23         = 173,
    D3DDDIFMT_DXVA_RESERVED24         = 174,
    D3DDDIFMT_DXVA_RESERVED25         = 175,
    D3DDDIFMT_DXVA_RESERVED26         = 176,
    D3DDDIFMT_DXVA_RESERVED27         = 177,
    D3DDDIFMT_DXVA_RESERVED28         = 178,
    D3DDDIFMT_DXVA_RESERVED29         = 179,
    D3DDDIFMT_DXVA_RESERVED30         = 180,
    D3DDDIFMT_DXVA_RESERVED31         = 181,
    D3DDDIFMT_DXVACOMPBUFFER_MAX      = 181,
    D3DDDIFMT_BINARYBUFFER            = 199,
    D3DDDIFMT_FORCE_UINT              = 0x7FFFFFFF,
} D3DDDIFORMAT;

typedef enum _D3DDDI_POOL {
    D3DDDIPOOL_SYSTEMMEM      = 1,
    D3DDDIPOOL_VIDEOMEMORY    = 2,
    D3DDDIPOOL_LOCALVIDMEM    = 3,
    D3DDDIPOOL_NONLOCALVIDMEM = 4,
    D3DDDIPOOL_STAGINGMEM     = 5,
} D3DDDI_POOL;

typedef enum _D3DDDIMULTISAMPLE_TYPE {
    D3DDDIMULTISAMPLE_NONE        = 0,
    D3DDDIMULTISAMPLE_NONMASKABLE = 1,
    D3DDDIMULTISAMPLE_2_SAMPLES   = 2,
    D3DDDIMULTISAMPLE_3_SAMPLES   = 3,
    D3DDDIMULTISAMPLE_4_SAMPLES   = 4,
    D3DDDIMULTISAMPLE_5_SAMPLES   = 5,
    D3DDDIMULTISAMPLE_6_SAMPLES   = 6,
    D3DDDIMULTISAMPLE_7_SAMPLES   = 7,
    D3DDDIMULTISAMPLE_8_SAMPLES   = 8,
    D3DDDIMULTISAMPLE_9_SAMPLES   = 9,
    D3DDDIMULTISAMPLE_10_SAMPLES  = 10,
    D3DDDIMULTISAMPLE_11_SAMPLES  = 11,
    D3DDDIMULTISAMPLE_12_SAMPLES  = 12,
    D3DDDIMULTISAMPLE_13_SAMPLES  = 13,
    D3DDDIMULTISAMPLE_14_SAMPLES  = 14,
    D3DDDIMULTISAMPLE_15_SAMPLES  = 15,
    D3DDDIMULTISAMPLE_16_SAMPLES  = 16,
    D3DDDIMULTISAMPLE_FORCE_UINT  = 0x7FFFFFFF,
} D3DDDIMULTISAMPLE_TYPE;

typedef struct _D3DDDI_KERNELOVERLAYINFO {
    D3DKMT_HANDLE      hAllocation;
    D3DDDIRECT         DstRect;
    D3DDDIRECT         SrcRect;
    void D3DKMT_CLIENT *pPrivateDriverData;
    UINT               PrivateDriverDataSize;
} D3DDDI_KERNELOVERLAYINFO;

typedef struct _D3DDDI_MULTISAMPLINGMETHOD {
    UINT NumSamples;
    UINT NumQualityLevels;
} D3DDDI_MULTISAMPLINGMETHOD;

typedef struct _D3DDDI_RESOURCEFLAGS {
    union {
        struct {
            UINT RenderTarget : 1;
            UINT ZBuffer : 1;
            UINT Dynamic : 1;
            UINT HintStatic : 1;
            UINT AutogenMipmap : 1;
            UINT DMap : 1;
            UINT WriteOnly : 1;
            UINT NotLockable : 1;
            UINT Points : 1;
            UINT RtPatches : 1;
            UINT NPatches : 1;
            UINT SharedResource : 1;
            UINT DiscardRenderTarget : 1;
            UINT Video : 1;
            UINT CaptureBuffer : 1;
            UINT Primary : 1;
            UINT Texture : 1;
            UINT CubeMap : 1;
            UINT Volume : 1;
            UINT VertexBuffer : 1;
            UINT IndexBuffer : 1;
            UINT DecodeRenderTarget : 1;
            UINT DecodeCompressedBuffer : 1;
            UINT VideoProcessRenderTarget : 1;
            UINT CpuOptimized : 1;
            UINT MightDrawFromLocked : 1;
            UINT Overlay : 1;
            UINT MatchGdiPrimary : 1;
            UINT InterlacedRefresh : 1;
            UINT TextApi : 1;
            UINT RestrictedContent : 1;
            UINT RestrictSharedAccess : 1;
        };
        UINT Value;
    };
} D3DDDI_RESOURCEFLAGS;

typedef struct _D3DDDI_SURFACEINFO {
    UINT                     Width;
    UINT                     Height;
    UINT                     Depth;
    const void D3DKMT_CLIENT *pSysMem;
    UINT                     SysMemPitch;
    UINT                     SysMemSlicePitch;
} D3DDDI_SURFACEINFO;

typedef enum _D3DDDI_ROTATION {
    D3DDDI_ROTATION_IDENTITY = 1,
    D3DDDI_ROTATION_90       = 2,
    D3DDDI_ROTATION_180      = 3,
    D3DDDI_ROTATION_270      = 4,
} D3DDDI_ROTATION;

typedef struct _D3DDDIARG_CREATERESOURCE {
    D3DDDIFORMAT                           Format;
    D3DDDI_POOL                            Pool;
    D3DDDIMULTISAMPLE_TYPE                 MultisampleType;
    UINT                                   MultisampleQuality;
    const D3DDDI_SURFACEINFO D3DKMT_CLIENT *pSurfList;
    UINT                                   SurfCount;
    UINT                                   MipLevels;
    UINT                                   Fvf;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID         VidPnSourceId;
    D3DDDI_RATIONAL                        RefreshRate;
    HANDLE                                 hResource;
    D3DDDI_RESOURCEFLAGS                   Flags;
    D3DDDI_ROTATION                        Rotation;
} D3DDDIARG_CREATERESOURCE;

typedef struct _D3DDDI_RESOURCEFLAGS2 {
    union {
        struct {
            UINT VideoEncoder : 1;
            UINT UserMemory : 1;
            UINT CrossAdapter : 1;
            UINT IsDisplayable : 1;
            UINT Reserved : 28;
        };
        UINT Value;
    };
} D3DDDI_RESOURCEFLAGS2;

typedef struct _D3DDDIARG_CREATERESOURCE2 {
    D3DDDIFORMAT                           Format;
    D3DDDI_POOL                            Pool;
    D3DDDIMULTISAMPLE_TYPE                 MultisampleType;
    UINT                                   MultisampleQuality;
    const D3DDDI_SURFACEINFO D3DKMT_CLIENT *pSurfList;
    UINT                                   SurfCount;
    UINT                                   MipLevels;
    UINT                                   Fvf;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID         VidPnSourceId;
    D3DDDI_RATIONAL                        RefreshRate;
    HANDLE                                 hResource;
    D3DDDI_RESOURCEFLAGS                   Flags;
    D3DDDI_ROTATION                        Rotation;
    D3DDDI_RESOURCEFLAGS2                  Flags2;
} D3DDDIARG_CREATERESOURCE2;

typedef struct _D3DDDI_GETRESOURCEPRESENTPRIVATEDRIVERDATA {
    D3DKMT_HANDLE hResource;
    UINT          PrivateDriverDataSize;
    PVOID         pPrivateDriverData;
} D3DDDI_GETRESOURCEPRESENTPRIVATEDRIVERDATA;

/* ----------------------------------------------------------------------------------------------
 * Gamma, colour, HDR
 */

typedef enum D3DDDI_COLOR_SPACE_TYPE {
    D3DDDI_COLOR_SPACE_RGB_FULL_G22_NONE_P709           = 0,
    D3DDDI_COLOR_SPACE_RGB_FULL_G10_NONE_P709           = 1,
    D3DDDI_COLOR_SPACE_RGB_STUDIO_G22_NONE_P709         = 2,
    D3DDDI_COLOR_SPACE_RGB_STUDIO_G22_NONE_P2020        = 3,
    D3DDDI_COLOR_SPACE_RESERVED                         = 4,
    D3DDDI_COLOR_SPACE_YCBCR_FULL_G22_NONE_P709_X601    = 5,
    D3DDDI_COLOR_SPACE_YCBCR_STUDIO_G22_LEFT_P601       = 6,
    D3DDDI_COLOR_SPACE_YCBCR_FULL_G22_LEFT_P601         = 7,
    D3DDDI_COLOR_SPACE_YCBCR_STUDIO_G22_LEFT_P709       = 8,
    D3DDDI_COLOR_SPACE_YCBCR_FULL_G22_LEFT_P709         = 9,
    D3DDDI_COLOR_SPACE_YCBCR_STUDIO_G22_LEFT_P2020      = 10,
    D3DDDI_COLOR_SPACE_YCBCR_FULL_G22_LEFT_P2020        = 11,
    D3DDDI_COLOR_SPACE_RGB_FULL_G2084_NONE_P2020        = 12,
    D3DDDI_COLOR_SPACE_YCBCR_STUDIO_G2084_LEFT_P2020    = 13,
    D3DDDI_COLOR_SPACE_RGB_STUDIO_G2084_NONE_P2020      = 14,
    D3DDDI_COLOR_SPACE_YCBCR_STUDIO_G22_TOPLEFT_P2020   = 15,
    D3DDDI_COLOR_SPACE_YCBCR_STUDIO_G2084_TOPLEFT_P2020 = 16,
    D3DDDI_COLOR_SPACE_RGB_FULL_G22_NONE_P2020          = 17,
    D3DDDI_COLOR_SPACE_YCBCR_STUDIO_GHLG_TOPLEFT_P2020  = 18,
    D3DDDI_COLOR_SPACE_YCBCR_FULL_GHLG_TOPLEFT_P2020    = 19,
    D3DDDI_COLOR_SPACE_RGB_STUDIO_G24_NONE_P709         = 20,
    D3DDDI_COLOR_SPACE_RGB_STUDIO_G24_NONE_P2020        = 21,
    D3DDDI_COLOR_SPACE_YCBCR_STUDIO_G24_LEFT_P709       = 22,
    D3DDDI_COLOR_SPACE_YCBCR_STUDIO_G24_LEFT_P2020      = 23,
    D3DDDI_COLOR_SPACE_YCBCR_STUDIO_G24_TOPLEFT_P2020   = 24,
    D3DDDI_COLOR_SPACE_CUSTOM                           = -1,
} D3DDDI_COLOR_SPACE_TYPE;

typedef enum _D3DDDI_OUTPUT_WIRE_COLOR_SPACE_TYPE {
    D3DDDI_OUTPUT_WIRE_COLOR_SPACE_G22_P709              = 0,
    D3DDDI_OUTPUT_WIRE_COLOR_SPACE_RESERVED              = 4,
    D3DDDI_OUTPUT_WIRE_COLOR_SPACE_G2084_P2020           = 12,
    D3DDDI_OUTPUT_WIRE_COLOR_SPACE_G22_P709_WCG          = 30,
    D3DDDI_OUTPUT_WIRE_COLOR_SPACE_G22_P2020             = 31,
    D3DDDI_OUTPUT_WIRE_COLOR_SPACE_G2084_P2020_HDR10PLUS = 32,
    D3DDDI_OUTPUT_WIRE_COLOR_SPACE_G2084_P2020_DVLL      = 33,
} D3DDDI_OUTPUT_WIRE_COLOR_SPACE_TYPE;

typedef enum _D3DDDI_GAMMARAMP_TYPE {
    D3DDDI_GAMMARAMP_UNINITIALIZED = 0,
    D3DDDI_GAMMARAMP_DEFAULT       = 1,
    D3DDDI_GAMMARAMP_RGB256x3x16   = 2,
    D3DDDI_GAMMARAMP_DXGI_1        = 3,
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)
    D3DDDI_GAMMARAMP_MATRIX_3x4    = 4,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)
    D3DDDI_GAMMARAMP_MATRIX_V2     = 5,
#endif
} D3DDDI_GAMMARAMP_TYPE;

typedef enum _D3DKMDT_COLORSPACE_TRANSFORM_STAGE_CONTROL {
    D3DKMDT_COLORSPACE_TRANSFORM_STAGE_CONTROL_NO_CHANGE = 0,
    D3DKMDT_COLORSPACE_TRANSFORM_STAGE_CONTROL_ENABLE    = 1,
    D3DKMDT_COLORSPACE_TRANSFORM_STAGE_CONTROL_BYPASS    = 2,
} D3DKMDT_COLORSPACE_TRANSFORM_STAGE_CONTROL, *PD3DKMDT_COLORSPACE_TRANSFORM_STAGE_CONTROL;

typedef enum _D3DDDI_HDR_METADATA_TYPE {
    D3DDDI_HDR_METADATA_TYPE_NONE      = 0,
    D3DDDI_HDR_METADATA_TYPE_HDR10     = 1,
    D3DDDI_HDR_METADATA_TYPE_HDR10PLUS = 2,
} D3DDDI_HDR_METADATA_TYPE;

typedef struct _D3DDDI_GAMMA_RAMP_RGB256x3x16 {
    USHORT Red[256];
    USHORT Green[256];
    USHORT Blue[256];
} D3DDDI_GAMMA_RAMP_RGB256x3x16;

typedef struct D3DDDI_DXGI_RGB {
    float Red;
    float Green;
    float Blue;
} D3DDDI_DXGI_RGB;

typedef struct _D3DDDI_GAMMA_RAMP_DXGI_1 {
    D3DDDI_DXGI_RGB Scale;
    D3DDDI_DXGI_RGB Offset;
    D3DDDI_DXGI_RGB GammaCurve[1025];
} D3DDDI_GAMMA_RAMP_DXGI_1;

typedef struct _D3DKMDT_3X4_COLORSPACE_TRANSFORM {
    float           ColorMatrix3x4[4][3];
    float           ScalarMultiplier;
    D3DDDI_DXGI_RGB LookupTable1D[4096];
} D3DKMDT_3x4_COLORSPACE_TRANSFORM, *PD3DDDI_3x4_COLORSPACE_TRANSFORM;

typedef struct _D3DKMDT_COLORSPACE_TRANSFORM_MATRIX_V2 {
    D3DKMDT_COLORSPACE_TRANSFORM_STAGE_CONTROL StageControlLookupTable1DDegamma;
    D3DDDI_DXGI_RGB                            LookupTable1DDegamma[4096];
    D3DKMDT_COLORSPACE_TRANSFORM_STAGE_CONTROL StageControlColorMatrix3x3;
    float                                      ColorMatrix3x3[3][3];
    D3DKMDT_COLORSPACE_TRANSFORM_STAGE_CONTROL StageControlLookupTable1DRegamma;
    D3DDDI_DXGI_RGB                            LookupTable1DRegamma[4096];
} D3DKMDT_COLORSPACE_TRANSFORM_MATRIX_V2, *PD3DKMDT_COLORSPACE_TRANSFORM_MATRIX_V2;

typedef struct _D3DDDI_HDR_METADATA_HDR10 {
    UINT16 RedPrimary[2];
    UINT16 GreenPrimary[2];
    UINT16 BluePrimary[2];
    UINT16 WhitePoint[2];
    UINT   MaxMasteringLuminance;
    UINT   MinMasteringLuminance;
    UINT16 MaxContentLightLevel;
    UINT16 MaxFrameAverageLightLevel;
} D3DDDI_HDR_METADATA_HDR10;

typedef struct D3DDDI_HDR_METADATA_HDR10PLUS {
    BYTE Data[72];
} D3DDDI_HDR_METADATA_HDR10PLUS;

/* ----------------------------------------------------------------------------------------------
 * GPU virtual addresses and residency
 *
 * Page-table entries, mappings, and the calls that make allocations resident.
 */

typedef enum _DXGK_PTE_PAGE_SIZE {
    DXGK_PTE_PAGE_TABLE_PAGE_4KB  = 0,
    DXGK_PTE_PAGE_TABLE_PAGE_64KB = 1,
} DXGK_PTE_PAGE_SIZE;

typedef enum D3DDDI_PAGINGQUEUE_PRIORITY {
    D3DDDI_PAGINGQUEUE_PRIORITY_BELOW_NORMAL = -1,
    D3DDDI_PAGINGQUEUE_PRIORITY_NORMAL       = 0,
    D3DDDI_PAGINGQUEUE_PRIORITY_ABOVE_NORMAL = 1,
} D3DDDI_PAGINGQUEUE_PRIORITY;

typedef enum _D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION_TYPE {
    D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP         = 0,
    D3DDDI_UPDATEGPUVIRTUALADDRESS_UNMAP       = 1,
    D3DDDI_UPDATEGPUVIRTUALADDRESS_COPY        = 2,
    D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP_PROTECT = 3,
} D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION_TYPE;

typedef enum _D3DDDIGPUVIRTUALADDRESS_RESERVATION_TYPE {
    D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_ACCESS = 0,
    D3DDDIGPUVIRTUALADDRESS_RESERVE_ZERO      = 1,
    D3DDDIGPUVIRTUALADDRESS_RESERVE_NO_COMMIT = 2,
} D3DDDIGPUVIRTUALADDRESS_RESERVATION_TYPE;

typedef struct _DXGK_PTE {
    union {
        struct {
            ULONGLONG Valid : 1;
            ULONGLONG Zero : 1;
            ULONGLONG CacheCoherent : 1;
            ULONGLONG ReadOnly : 1;
            ULONGLONG NoExecute : 1;
            ULONGLONG Segment : 5;
            ULONGLONG LargePage : 1;
            ULONGLONG PhysicalAdapterIndex : 6;
            ULONGLONG PageTablePageSize : 2;
            ULONGLONG SystemReserved0 : 1;
            ULONGLONG Reserved : 44;
        };
        ULONGLONG Flags;
    };
    union {
        ULONGLONG PageAddress;
        ULONGLONG PageTableAddress;
    };
} DXGK_PTE;

typedef struct D3DDDI_MAKERESIDENT_FLAGS {
    union {
        struct {
            UINT CantTrimFurther : 1;
            UINT MustSucceed : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} D3DDDI_MAKERESIDENT_FLAGS;

typedef struct D3DDDI_MAKERESIDENT {
    D3DKMT_HANDLE                     hPagingQueue;
    UINT                              NumAllocations;
    const D3DKMT_HANDLE D3DKMT_CLIENT *AllocationList;
    const UINT D3DKMT_CLIENT          *PriorityList;
    D3DDDI_MAKERESIDENT_FLAGS         Flags;
    UINT64                            PagingFenceValue;
    UINT64                            NumBytesToTrim;
} D3DDDI_MAKERESIDENT;

typedef struct D3DDDI_EVICT_FLAGS {
    union {
        struct {
            UINT EvictOnlyIfNecessary : 1;
            UINT NotWrittenTo : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} D3DDDI_EVICT_FLAGS;

typedef struct D3DDDI_TRIMRESIDENCYSET_FLAGS {
    union {
        struct {
            UINT PeriodicTrim : 1;
            UINT RestartPeriodicTrim : 1;
            UINT TrimToBudget : 1;
            UINT Reserved : 29;
        };
        UINT Value;
    };
} D3DDDI_TRIMRESIDENCYSET_FLAGS;

typedef struct _D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE {
    union {
        struct {
            UINT64 Write : 1;
            UINT64 Execute : 1;
            UINT64 Zero : 1;
            UINT64 NoAccess : 1;
            UINT64 SystemUseOnly : 1;
            UINT64 Reserved : 59;
        };
        UINT64 Value;
    };
} D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE;

typedef struct _D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION {
    D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION_TYPE OperationType;
    union {
        struct {
            D3DGPU_VIRTUAL_ADDRESS BaseAddress;
            D3DGPU_SIZE_T          SizeInBytes;
            D3DKMT_HANDLE          hAllocation;
            D3DGPU_SIZE_T          AllocationOffsetInBytes;
            D3DGPU_SIZE_T          AllocationSizeInBytes;
        } Map;
        struct {
            D3DGPU_VIRTUAL_ADDRESS                  BaseAddress;
            D3DGPU_SIZE_T                           SizeInBytes;
            D3DKMT_HANDLE                           hAllocation;
            D3DGPU_SIZE_T                           AllocationOffsetInBytes;
            D3DGPU_SIZE_T                           AllocationSizeInBytes;
            D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE Protection;
            UINT64                                  DriverProtection;
        } MapProtect;
        struct {
            D3DGPU_VIRTUAL_ADDRESS                  BaseAddress;
            D3DGPU_SIZE_T                           SizeInBytes;
            D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE Protection;
        } Unmap;
        struct {
            D3DGPU_VIRTUAL_ADDRESS SourceAddress;
            D3DGPU_SIZE_T          SizeInBytes;
            D3DGPU_VIRTUAL_ADDRESS DestAddress;
        } Copy;
    };
} D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION;

typedef struct D3DDDI_MAPGPUVIRTUALADDRESS {
    D3DKMT_HANDLE                           hPagingQueue;
    D3DGPU_VIRTUAL_ADDRESS                  BaseAddress;
    D3DGPU_VIRTUAL_ADDRESS                  MinimumAddress;
    D3DGPU_VIRTUAL_ADDRESS                  MaximumAddress;
    D3DKMT_HANDLE                           hAllocation;
    D3DGPU_SIZE_T                           OffsetInPages;
    D3DGPU_SIZE_T                           SizeInPages;
    D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE Protection;
    UINT64                                  DriverProtection;
    UINT                                    Reserved0;
    UINT64                                  Reserved1;
    D3DGPU_VIRTUAL_ADDRESS                  VirtualAddress;
    UINT64                                  PagingFenceValue;
} D3DDDI_MAPGPUVIRTUALADDRESS;

typedef struct D3DDDI_RESERVEGPUVIRTUALADDRESS {
    union {
        D3DKMT_HANDLE hPagingQueue;
        D3DKMT_HANDLE hAdapter;
    };
    D3DGPU_VIRTUAL_ADDRESS BaseAddress;
    D3DGPU_VIRTUAL_ADDRESS MinimumAddress;
    D3DGPU_VIRTUAL_ADDRESS MaximumAddress;
    D3DGPU_SIZE_T          Size;
    union {
        D3DDDIGPUVIRTUALADDRESS_RESERVATION_TYPE ReservationType;
        UINT                                     Reserved0;
    };
    union {
        UINT64 DriverProtection;
        UINT64 Reserved1;
    };
    D3DGPU_VIRTUAL_ADDRESS VirtualAddress;
    union {
        UINT64 PagingFenceValue;
        UINT64 Reserved2;
    };
} D3DDDI_RESERVEGPUVIRTUALADDRESS;

typedef struct D3DDDI_DESTROYPAGINGQUEUE {
    D3DKMT_HANDLE hPagingQueue;
} D3DDDI_DESTROYPAGINGQUEUE;

typedef struct D3DDDI_UPDATEALLOCPROPERTY_FLAGS {
    union {
        struct {
            UINT AccessedPhysically : 1;
            UINT Unmoveable : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} D3DDDI_UPDATEALLOCPROPERTY_FLAGS;

typedef struct D3DDDI_UPDATEALLOCPROPERTY {
    D3DKMT_HANDLE                    hPagingQueue;
    D3DKMT_HANDLE                    hAllocation;
    UINT                             SupportedSegmentSet;
    D3DDDI_SEGMENTPREFERENCE         PreferredSegment;
    D3DDDI_UPDATEALLOCPROPERTY_FLAGS Flags;
    UINT64                           PagingFenceValue;
    union {
        struct {
            UINT SetAccessedPhysically : 1;
            UINT SetSupportedSegmentSet : 1;
            UINT SetPreferredSegment : 1;
            UINT SetUnmoveable : 1;
            UINT Reserved : 28;
        };
        UINT PropertyMaskValue;
    };
} D3DDDI_UPDATEALLOCPROPERTY;

/* ----------------------------------------------------------------------------------------------
 * Synchronization objects
 */

typedef enum _D3DDDI_VIDEO_SIGNAL_SCANLINE_ORDERING {
    D3DDDI_VSSLO_UNINITIALIZED              = 0,
    D3DDDI_VSSLO_PROGRESSIVE                = 1,
    D3DDDI_VSSLO_INTERLACED_UPPERFIELDFIRST = 2,
    D3DDDI_VSSLO_INTERLACED_LOWERFIELDFIRST = 3,
    D3DDDI_VSSLO_OTHER                      = 255,
} D3DDDI_VIDEO_SIGNAL_SCANLINE_ORDERING;

typedef enum _D3DDDI_SYNCHRONIZATIONOBJECT_TYPE {
    D3DDDI_SYNCHRONIZATION_MUTEX      = 1,
    D3DDDI_SEMAPHORE                  = 2,
    D3DDDI_FENCE                      = 3,
    D3DDDI_CPU_NOTIFICATION           = 4,
    D3DDDI_MONITORED_FENCE            = 5,
    D3DDDI_PERIODIC_MONITORED_FENCE   = 6,
    D3DDDI_NATIVE_FENCE               = 7,
    D3DDDI_SYNCHRONIZATION_TYPE_LIMIT = 8,
} D3DDDI_SYNCHRONIZATIONOBJECT_TYPE;

typedef enum _D3DDDI_NATIVEFENCE_TYPE {
    D3DDDI_NATIVEFENCE_TYPE_DEFAULT   = 0,
    D3DDDI_NATIVEFENCE_TYPE_INTRA_GPU = 1,
} D3DDDI_NATIVEFENCE_TYPE;

typedef enum _DXGK_NATIVE_FENCE_LOG_TYPE {
    DXGK_NATIVE_FENCE_LOG_TYPE_WAITS   = 1,
    DXGK_NATIVE_FENCE_LOG_TYPE_SIGNALS = 2,
} DXGK_NATIVE_FENCE_LOG_TYPE;

typedef enum _DXGK_NATIVE_FENCE_LOG_OPERATION {
    DXGK_NATIVE_FENCE_LOG_OPERATION_SIGNAL_EXECUTED = 0,
    DXGK_NATIVE_FENCE_LOG_OPERATION_WAIT_UNBLOCKED  = 1,
} DXGK_NATIVE_FENCE_LOG_OPERATION;

typedef enum _D3DDDI_DOORBELLSTATUS {
    D3DDDI_DOORBELLSTATUS_CONNECTED            = 0,
    D3DDDI_DOORBELLSTATUS_CONNECTED_NOTIFY_KMD = 1,
    D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY   = 2,
    D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT   = 3,
} D3DDDI_DOORBELLSTATUS;

typedef struct _D3DDDICB_SIGNALFLAGS {
    union {
        struct {
            UINT SignalAtSubmission : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WIN8)
            UINT Reserved : 31;
#else
            UINT EnqueueCpuEvent : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
            UINT Reserved : 30;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
            UINT AllowFenceRewind : 1;
            UINT Reserved : 28;
            UINT DXGK_SIGNAL_FLAG_INTERNAL0 : 1;
#endif
        };
        UINT Value;
    };
} D3DDDICB_SIGNALFLAGS;

typedef struct _D3DDDI_SYNCHRONIZATIONOBJECTINFO {
    D3DDDI_SYNCHRONIZATIONOBJECT_TYPE Type;
    union {
        struct {
            BOOL InitialState;
        } SynchronizationMutex;
        struct {
            UINT MaxCount;
            UINT InitialCount;
        } Semaphore;
        struct {
            UINT Reserved[16];
        } Reserved;
    };
} D3DDDI_SYNCHRONIZATIONOBJECTINFO;

typedef struct _D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS {
    union {
        struct {
            UINT Shared : 1;
            UINT NtSecuritySharing : 1;
            UINT CrossAdapter : 1;
            UINT TopOfPipeline : 1;
            UINT NoSignal : 1;
            UINT NoWait : 1;
            UINT NoSignalMaxValueOnTdr : 1;
            UINT NoGPUAccess : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_0)
            UINT Reserved : 23;
#else
            UINT SignalByKmd : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_1)
            UINT Reserved : 22;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)
            UINT Unused : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_2)
            UINT Reserved : 21;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
            UINT UnwaitCpuWaitersOnlyOnDestroy : 1;
            UINT Reserved : 20;
#endif
            UINT Reserved0 : 1;
        };
        UINT Value;
    };
} D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS;

typedef struct _D3DDDI_SYNCHRONIZATIONOBJECTINFO2 {
    D3DDDI_SYNCHRONIZATIONOBJECT_TYPE  Type;
    D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS Flags;
    union {
        struct {
            BOOL InitialState;
        } SynchronizationMutex;
        struct {
            UINT MaxCount;
            UINT InitialCount;
        } Semaphore;
        struct {
            UINT64 FenceValue;
        } Fence;
        struct {
            HANDLE Event;
        } CPUNotification;
        struct {
            UINT64                 InitialFenceValue;
            void D3DKMT_CLIENT     *FenceValueCPUVirtualAddress;
            D3DGPU_VIRTUAL_ADDRESS FenceValueGPUVirtualAddress;
            UINT                   EngineAffinity;
            UINT                   Padding;
        } MonitoredFence;
        struct {
            D3DKMT_HANDLE                  hAdapter;
            D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
            UINT64                         Time;
            void D3DKMT_CLIENT             *FenceValueCPUVirtualAddress;
            D3DGPU_VIRTUAL_ADDRESS         FenceValueGPUVirtualAddress;
            UINT                           EngineAffinity;
            UINT                           Padding;
        } PeriodicMonitoredFence;
        struct {
            UINT64 Reserved[8];
        } Reserved;
    };
    D3DKMT_HANDLE                      SharedHandle;
} D3DDDI_SYNCHRONIZATIONOBJECTINFO2;

typedef struct _D3DDDI_NATIVEFENCEMAPPING {
    void D3DKMT_CLIENT     *CurrentValueCpuVa;
    D3DGPU_VIRTUAL_ADDRESS CurrentValueGpuVa;
    D3DGPU_VIRTUAL_ADDRESS MonitoredValueGpuVa;
    BYTE                   Reserved[32];
} D3DDDI_NATIVEFENCEMAPPING;

typedef struct _D3DDDI_NATIVEFENCEINFO {
    UINT64                             InitialFenceValue;
    UINT                               EngineAffinity;
    D3DDDI_NATIVEFENCE_TYPE            Type;
    D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS Flags;
    D3DDDI_NATIVEFENCEMAPPING          NativeFenceMapping;
    BYTE                               Reserved[28];
} D3DDDI_NATIVEFENCEINFO;

typedef struct _DXGK_NATIVE_FENCE_LOG_HEADER {
    union {
        struct {
            UINT32 FirstFreeEntryIndex;
            UINT32 WraparoundCount;
        };
        ULARGE_INTEGER AtomicWraparoundAndEntryIndex;
    };
    DXGK_NATIVE_FENCE_LOG_TYPE Type;
    UINT64                     NumberOfEntries;
    UINT64                     Reserved[2];
} DXGK_NATIVE_FENCE_LOG_HEADER;

typedef struct _DXGK_NATIVE_FENCE_LOG_ENTRY {
    UINT64        FenceValue;
    D3DKMT_HANDLE hNativeFence;
    UINT          OperationType;
    UINT64        Reserved0;
    UINT64        FenceObservedGpuTimestamp;
    UINT64        Reserved1;
    UINT64        FenceEndGpuTimestamp;
} DXGK_NATIVE_FENCE_LOG_ENTRY;

typedef struct _DXGK_NATIVE_FENCE_LOG_BUFFER {
    DXGK_NATIVE_FENCE_LOG_HEADER Header;
    DXGK_NATIVE_FENCE_LOG_ENTRY  Entries[1];
} DXGK_NATIVE_FENCE_LOG_BUFFER;

typedef struct _D3DDDI_WAITFORSYNCHRONIZATIONOBJECTFROMCPU_FLAGS {
    union {
        struct {
            UINT WaitAny : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} D3DDDI_WAITFORSYNCHRONIZATIONOBJECTFROMCPU_FLAGS;

/* ----------------------------------------------------------------------------------------------
 * Features
 *
 * Optional abilities that driver and system agree on by number and version.
 */

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)

typedef enum _DXGK_FEATURE_CATEGORY {
    DXGK_FEATURE_CATEGORY_DRIVER     = 0,
    DXGK_FEATURE_CATEGORY_OS         = 1,
    DXGK_FEATURE_CATEGORY_BUGFIX     = 2,
    DXGK_FEATURE_CATEGORY_TEST       = 3,
    DXGK_FEATURE_CATEGORY_RESERVED4  = 4,
    DXGK_FEATURE_CATEGORY_RESERVED5  = 5,
    DXGK_FEATURE_CATEGORY_RESERVED6  = 6,
    DXGK_FEATURE_CATEGORY_RESERVED7  = 7,
    DXGK_FEATURE_CATEGORY_RESERVED8  = 8,
    DXGK_FEATURE_CATEGORY_RESERVED9  = 9,
    DXGK_FEATURE_CATEGORY_RESERVED10 = 10,
    DXGK_FEATURE_CATEGORY_RESERVED11 = 11,
    DXGK_FEATURE_CATEGORY_RESERVED12 = 12,
    DXGK_FEATURE_CATEGORY_RESERVED13 = 13,
    DXGK_FEATURE_CATEGORY_RESERVED14 = 14,
    DXGK_FEATURE_CATEGORY_RESERVED15 = 15,
    DXGK_FEATURE_CATEGORY_MAX        = 16,
} DXGK_FEATURE_CATEGORY;

typedef enum _DXGK_DRIVER_FEATURE {
    DXGK_DRIVER_FEATURE_HWSCH                        = 0,
    DXGK_DRIVER_FEATURE_HWFLIPQUEUE                  = 1,
    DXGK_DRIVER_FEATURE_LDA_GPUPV                    = 2,
    DXGK_DRIVER_FEATURE_KMD_SIGNAL_CPU_EVENT         = 3,
    DXGK_DRIVER_FEATURE_USER_MODE_SUBMISSION         = 4,
    DXGK_DRIVER_FEATURE_SHARE_BACKING_STORE_WITH_KMD = 5,
    DXGK_DRIVER_FEATURE_RESERVED_1                   = 6,
    DXGK_DRIVER_FEATURE_RESERVED_2                   = 7,
    DXGK_DRIVER_FEATURE_RESERVED_3                   = 8,
    DXGK_DRIVER_FEATURE_RESERVED_4                   = 9,
    DXGK_DRIVER_FEATURE_RESERVED_5                   = 10,
    DXGK_DRIVER_FEATURE_RESERVED_6                   = 11,
    DXGK_DRIVER_FEATURE_RESERVED_7                   = 12,
    DXGK_DRIVER_FEATURE_RESERVED_8                   = 13,
    DXGK_DRIVER_FEATURE_RESERVED_9                   = 14,
    DXGK_DRIVER_FEATURE_RESERVED_10                  = 15,
    DXGK_DRIVER_FEATURE_RESERVED_11                  = 16,
    DXGK_DRIVER_FEATURE_RESERVED_12                  = 17,
    DXGK_DRIVER_FEATURE_RESERVED_13                  = 18,
    DXGK_DRIVER_FEATURE_RESERVED_14                  = 19,
    DXGK_DRIVER_FEATURE_RESERVED_15                  = 20,
    DXGK_DRIVER_FEATURE_RESERVED_16                  = 21,
    DXGK_DRIVER_FEATURE_RESERVED_17                  = 22,
    DXGK_DRIVER_FEATURE_RESERVED_18                  = 23,
    DXGK_DRIVER_FEATURE_RESERVED_19                  = 24,
    DXGK_DRIVER_FEATURE_RESERVED_20                  = 25,
    DXGK_DRIVER_FEATURE_RESERVED_21                  = 26,
    DXGK_DRIVER_FEATURE_RESERVED_22                  = 27,
    DXGK_DRIVER_FEATURE_RESERVED_23                  = 28,
    DXGK_DRIVER_FEATURE_RESERVED_24                  = 29,
    DXGK_DRIVER_FEATURE_RESERVED_25                  = 30,
    DXGK_DRIVER_FEATURE_SAMPLE                       = 31,
    DXGK_DRIVER_FEATURE_PAGE_BASED_MEMORY_MANAGER    = 32,
    DXGK_DRIVER_FEATURE_KERNEL_MODE_TESTING          = 33,
    DXGK_DRIVER_FEATURE_64K_PT_DEMOTION_FIX          = 34,
    DXGK_DRIVER_FEATURE_GPUPV_PRESENT_HWQUEUE        = 35,
    DXGK_DRIVER_FEATURE_GPUVAIOMMU                   = 36,
    DXGK_DRIVER_FEATURE_NATIVE_FENCE                 = 37,
    DXGK_DRIVER_FEATURE_EXTENDED_SEGMENT_FLAGS       = 38,
    DXGK_DRIVER_FEATURE_FAULT_AND_STALL              = 39,
    DXGK_DRIVER_FEATURE_SINGLE_ADAPTER_HYBRID_MODE   = 40,
    DXGK_DRIVER_FEATURE_SYNC_PRESENT_RENDER_HWQ_ONLY = 41,
    DXGK_DRIVER_FEATURE_PANEL_BUFFER_CONTROL         = 46,
    DXGK_DRIVER_FEATURE_MAX                          = 47,
} DXGK_DRIVER_FEATURE;

typedef enum _DXGK_OS_FEATURE {
    DXGK_OS_FEATURE_QUERYSTATISTICS_EXTENSIONS      = 0,
    DXGK_OS_FEATURE_RESERVE_GPUVA_ZERO_BASE_ADDRESS = 1,
    DXGK_OS_FEATURE_PER_PTE_PAGE_SIZE               = 2,
    DXGK_OS_FEATURE_FENCE_SIGNAL_FROM_SWS_NODE      = 3,
    DXGK_OS_FEATURE_SUPPRESSVSYNC_INTERRUPTS        = 4,
    DXGK_OS_FEATURE_FEATURE_INTERFACE_EXTENSIONS    = 5,
    DXGK_OS_FEATURE_READONLY_EXISTINGSYSMEM         = 6,
    DXGK_OS_FEATURE_MAX                             = 7,
} DXGK_OS_FEATURE;

typedef enum _DXGK_FEATURE_ID {
    DXGK_FEATURE_HWSCH                           = 0,
    DXGK_FEATURE_HWFLIPQUEUE                     = 1,
    DXGK_FEATURE_LDA_GPUPV                       = 2,
    DXGK_FEATURE_KMD_SIGNAL_CPU_EVENT            = 3,
    DXGK_FEATURE_USER_MODE_SUBMISSION            = 4,
    DXGK_FEATURE_SHARE_BACKING_STORE_WITH_KMD    = 5,
    DXGK_FEATURE_SAMPLE                          = 31,
    DXGK_FEATURE_PAGE_BASED_MEMORY_MANAGER       = 32,
    DXGK_FEATURE_KERNEL_MODE_TESTING             = 33,
    DXGK_FEATURE_64K_PT_DEMOTION_FIX             = 34,
    DXGK_FEATURE_GPUPV_PRESENT_HWQUEUE           = 35,
    DXGK_FEATURE_GPUVAIOMMU                      = 36,
    DXGK_FEATURE_NATIVE_FENCE                    = 37,
    DXGK_FEATURE_SYNC_PRESENT_RENDER_HWQ_ONLY    = 41,
    DXGK_FEATURE_PANEL_BUFFER_CONTROL            = 46,
    DXGK_FEATURE_QUERYSTATISTICS_EXTENSIONS      = 0x10000000,
    DXGK_FEATURE_RESERVE_GPUVA_ZERO_BASE_ADDRESS = 0x10000001,
    DXGK_FEATURE_PER_PTE_PAGE_SIZE               = 0x10000002,
    DXGK_FEATURE_FENCE_SIGNAL_FROM_SWS_NODE      = 0x10000003,
    DXGK_FEATURE_SUPPRESSVSYNC_INTERRUPTS        = 0x10000004,
    DXGK_FEATURE_FEATURE_INTERFACE_EXTENSIONS    = 0x10000005,
    DXGK_FEATURE_READONLY_EXISTINGSYSMEM         = 0x10000006,
} DXGK_FEATURE_ID;

#endif

typedef UINT16 DXGK_FEATURE_VERSION;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef struct _DXGK_ISFEATUREENABLED_RESULT {
    UINT16 Version;
    union {
        struct {
            UINT16 Enabled : 1;
            UINT16 KnownFeature : 1;
            UINT16 SupportedByDriver : 1;
            UINT16 SupportedOnCurrentConfig : 1;
            UINT16 Reserved : 12;
        };
        DXGK_FEATURE_VERSION Value;
    };
} DXGK_ISFEATUREENABLED_RESULT;

#endif

/* ----------------------------------------------------------------------------------------------
 * Everything else
 */

typedef enum D3DDDI_FLIPINTERVAL_TYPE {
    D3DDDI_FLIPINTERVAL_IMMEDIATE               = 0,
    D3DDDI_FLIPINTERVAL_ONE                     = 1,
    D3DDDI_FLIPINTERVAL_TWO                     = 2,
    D3DDDI_FLIPINTERVAL_THREE                   = 3,
    D3DDDI_FLIPINTERVAL_FOUR                    = 4,
    D3DDDI_FLIPINTERVAL_IMMEDIATE_ALLOW_TEARING = 5,
} D3DDDI_FLIPINTERVAL_TYPE;

typedef enum D3DDDI_SCANLINEORDERING {
    D3DDDI_SCANLINEORDERING_UNKNOWN     = 0,
    D3DDDI_SCANLINEORDERING_PROGRESSIVE = 1,
    D3DDDI_SCANLINEORDERING_INTERLACED  = 2,
} D3DDDI_SCANLINEORDERING;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)

typedef enum _DXGK_MIRACAST_CHUNK_TYPE {
    DXGK_MIRACAST_CHUNK_TYPE_UNKNOWN                 = 0,
    DXGK_MIRACAST_CHUNK_TYPE_COLOR_CONVERT_COMPLETE  = 1,
    DXGK_MIRACAST_CHUNK_TYPE_ENCODE_COMPLETE         = 2,
    DXGK_MIRACAST_CHUNK_TYPE_FRAME_START             = 3,
    DXGK_MIRACAST_CHUNK_TYPE_FRAME_DROPPED           = 4,
    DXGK_MIRACAST_CHUNK_TYPE_ENCODE_DRIVER_DEFINED_1 = (int)0x80000000,
    DXGK_MIRACAST_CHUNK_TYPE_ENCODE_DRIVER_DEFINED_2 = (int)0x80000001,
} DXGK_MIRACAST_CHUNK_TYPE;

#endif

typedef enum _D3DDDI_RECLAIM_RESULT {
    D3DDDI_RECLAIM_RESULT_OK            = 0,
    D3DDDI_RECLAIM_RESULT_DISCARDED     = 1,
    D3DDDI_RECLAIM_RESULT_NOT_COMMITTED = 2,
} D3DDDI_RECLAIM_RESULT;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef enum _D3DDDI_QUERYREGISTRY_TYPE {
    D3DDDI_QUERYREGISTRY_SERVICEKEY      = 0,
    D3DDDI_QUERYREGISTRY_ADAPTERKEY      = 1,
    D3DDDI_QUERYREGISTRY_DRIVERSTOREPATH = 2,
    D3DDDI_QUERYREGISTRY_DRIVERIMAGEPATH = 3,
    D3DDDI_QUERYREGISTRY_MAX             = 4,
} D3DDDI_QUERYREGISTRY_TYPE;

typedef enum _D3DDDI_QUERYREGISTRY_STATUS {
    D3DDDI_QUERYREGISTRY_STATUS_SUCCESS         = 0,
    D3DDDI_QUERYREGISTRY_STATUS_BUFFER_OVERFLOW = 1,
    D3DDDI_QUERYREGISTRY_STATUS_FAIL            = 2,
    D3DDDI_QUERYREGISTRY_STATUS_MAX             = 3,
} D3DDDI_QUERYREGISTRY_STATUS;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)

typedef union _DXGK_MIRACAST_CHUNK_ID {
    struct {
        UINT64 FrameNumber : 40;
        UINT64 PartNumber : 24;
    };
    UINT64 Value;
} DXGK_MIRACAST_CHUNK_ID;

typedef struct _DXGK_MIRACAST_CHUNK_INFO {
    DXGK_MIRACAST_CHUNK_TYPE ChunkType;
    DXGK_MIRACAST_CHUNK_ID   ChunkId;
    UINT                     ProcessingTime;
    UINT                     EncodeRate;
} DXGK_MIRACAST_CHUNK_INFO;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef struct _D3DDDI_QUERYREGISTRY_FLAGS {
    union {
        struct {
            UINT TranslatePath : 1;
            UINT MutableValue : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} D3DDDI_QUERYREGISTRY_FLAGS;

typedef struct _D3DDDI_QUERYREGISTRY_INFO {
    D3DDDI_QUERYREGISTRY_TYPE   QueryType;
    D3DDDI_QUERYREGISTRY_FLAGS  QueryFlags;
    WCHAR                       ValueName[260];
    ULONG                       ValueType;
    ULONG                       PhysicalAdapterIndex;
    ULONG                       OutputValueSize;
    D3DDDI_QUERYREGISTRY_STATUS Status;
    union {
        DWORD  OutputDword;
        UINT64 OutputQword;
        WCHAR  OutputString[1];
        BYTE   OutputBinary[1];
    };
} D3DDDI_QUERYREGISTRY_INFO;

#endif


#ifdef __cplusplus
}
#endif

#endif /* _D3DUKMDT_H_ */

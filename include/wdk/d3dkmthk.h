/*
 * d3dkmthk.h: the D3DKMT functions, by which clients reach the graphics kernel, and their
 * arguments. Handles are 32-bit numbers of the calling process.
 */

#ifndef _D3DKMTHK_H_
#define _D3DKMTHK_H_

#include <d3dkmdt.h>
#include <wdm/power.h>

#ifdef __cplusplus
extern "C" {
#endif
/* ----------------------------------------------------------------------------------------------
 * Constants
 */

#define DXGK_MAX_GPUVERSION_NAME_LENGTH                          32
#define D3DKMT_MAX_PRESENT_HISTORY_RECTS                         16
#define D3DKMT_MAX_PRESENT_HISTORY_SCATTERBLTS                   12
#define FLIPEX_TIMEOUT_USER                                      2000
#define FLIPEX_TIMEOUT_KERNEL                                    0x1312D00
#define D3DKMT_PRESENTHISTORYTOKEN_SIZE                          1080
#define D3DKMT_MAX_MULTIPLANE_OVERLAY_PLANES                     8
#define D3DKMT_MAX_MULTIPLANE_OVERLAY_ALLOCATIONS_PER_PLANE      256
#define SHARED_ALLOCATION_WRITE                                  1
#define SHARED_ALLOCATION_ALL_ACCESS                             0xF0001
#define D3DKMT_COMPONENTIZED_INDICATOR                           35
#define MAX_ENUM_ADAPTERS                                        16
#define D3DKMT_GET_PTE_MAX                                       64
#define D3DKMT_MAX_SEGMENT_COUNT                                 32
#define DXGK_DIAG_PROCESS_NAME_LENGTH                            16
#define D3DKMT_QUERYRESULT_PREEMPTION_ATTEMPT_RESULT_MAX         16
#define D3DKMT_QUERYSTATISTICS_DMA_PACKET_TYPE_MAX               4
#define D3DKMT_QUERYSTATISTICS_QUEUE_PACKET_TYPE_MAX             8
#define D3DKMT_QUERYSTATISTICS_ALLOCATION_PRIORITY_CLASS_MAX     5
#define D3DKMT_QUERYSTATISTICS_SEGMENT_PREFERENCE_MAX            5
#define D3DKMT_QUERYSTATISTICS_PROCESS_INTERFERENCE_BUCKET_COUNT 9
#define D3DKMT_GETPRESENTHISTORY_MAXTOKENS                       2048
#define D3DKMT_MAX_WAITFORVERTICALBLANK_OBJECTS                  8
#define D3DKMT_SETCONTEXTSCHEDULINGPRIORITY_ABSOLUTE             0x40000000
#define OUTPUTDUPL_CREATE_MAX_KEYEDMUTXES                        3
#define D3DKMT_MAX_OBJECTS_PER_HANDLE                            3
#define D3DKMT_MAX_BUNDLE_OBJECTS_PER_HANDLE                     16
#define D3DKMT_GDI_STYLE_HANDLE_DECORATION                       2
#define IOCTL_INTERNAL_GRAPHICSPOWER_REGISTER                    0x232807
#define DXGK_GRAPHICSPOWER_VERSION_1_0                           0x1000
#define DXGK_GRAPHICSPOWER_VERSION_1_1                           0x1001
#define DXGK_GRAPHICSPOWER_VERSION_1_2                           0x1002
#define DXGK_GRAPHICSPOWER_VERSION                               0x1002

/* ----------------------------------------------------------------------------------------------
 * Identifiers
 */

DEFINE_GUID(GUID_DEVINTERFACE_GRAPHICSPOWER,
            0xea5c6870, 0xe93c, 0x4588, 0xbe, 0xf1, 0xfe, 0xc4, 0x2f, 0xc9, 0x42, 0x9a);

/* ----------------------------------------------------------------------------------------------
 * Adapters
 *
 * Enumeration, opening, and what an adapter says of itself.
 */

typedef enum _QAI_DRIVERVERSION {
    KMT_DRIVERVERSION_WDDM_1_0            = 1000,
    KMT_DRIVERVERSION_WDDM_1_1_PRERELEASE = 1102,
    KMT_DRIVERVERSION_WDDM_1_1            = 1105,
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    KMT_DRIVERVERSION_WDDM_1_2            = 1200,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    KMT_DRIVERVERSION_WDDM_1_3            = 1300,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    KMT_DRIVERVERSION_WDDM_2_0            = 2000,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
    KMT_DRIVERVERSION_WDDM_2_1            = 2100,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)
    KMT_DRIVERVERSION_WDDM_2_2            = 2200,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)
    KMT_DRIVERVERSION_WDDM_2_3            = 2300,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)
    KMT_DRIVERVERSION_WDDM_2_4            = 2400,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)
    KMT_DRIVERVERSION_WDDM_2_5            = 2500,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)
    KMT_DRIVERVERSION_WDDM_2_6            = 2600,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7)
    KMT_DRIVERVERSION_WDDM_2_7            = 2700,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_8)
    KMT_DRIVERVERSION_WDDM_2_8            = 2800,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
    KMT_DRIVERVERSION_WDDM_2_9            = 2900,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)
    KMT_DRIVERVERSION_WDDM_3_0            = 3000,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)
    KMT_DRIVERVERSION_WDDM_3_1            = 3100,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
    KMT_DRIVERVERSION_WDDM_3_2            = 3200,
#endif
} D3DKMT_DRIVERVERSION;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)

typedef enum _D3DKMT_CROSSADAPTERRESOURCE_SUPPORT_TIER {
    D3DKMT_CROSSADAPTERRESOURCE_SUPPORT_TIER_NONE    = 0,
    D3DKMT_CROSSADAPTERRESOURCE_SUPPORT_TIER_COPY    = 1,
    D3DKMT_CROSSADAPTERRESOURCE_SUPPORT_TIER_TEXTURE = 2,
    D3DKMT_CROSSADAPTERRESOURCE_SUPPORT_TIER_SCANOUT = 3,
} D3DKMT_CROSSADAPTERRESOURCE_SUPPORT_TIER;

#endif

typedef enum _KMTQUERYADAPTERINFOTYPE {
    KMTQAITYPE_UMDRIVERPRIVATE                          = 0,
    KMTQAITYPE_UMDRIVERNAME                             = 1,
    KMTQAITYPE_UMOPENGLINFO                             = 2,
    KMTQAITYPE_GETSEGMENTSIZE                           = 3,
    KMTQAITYPE_ADAPTERGUID                              = 4,
    KMTQAITYPE_FLIPQUEUEINFO                            = 5,
    KMTQAITYPE_ADAPTERADDRESS                           = 6,
    KMTQAITYPE_SETWORKINGSETINFO                        = 7,
    KMTQAITYPE_ADAPTERREGISTRYINFO                      = 8,
    KMTQAITYPE_CURRENTDISPLAYMODE                       = 9,
    KMTQAITYPE_MODELIST                                 = 10,
    KMTQAITYPE_CHECKDRIVERUPDATESTATUS                  = 11,
    KMTQAITYPE_VIRTUALADDRESSINFO                       = 12,
    KMTQAITYPE_DRIVERVERSION                            = 13,
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    KMTQAITYPE_ADAPTERTYPE                              = 15,
    KMTQAITYPE_OUTPUTDUPLCONTEXTSCOUNT                  = 16,
    KMTQAITYPE_WDDM_1_2_CAPS                            = 17,
    KMTQAITYPE_UMD_DRIVER_VERSION                       = 18,
    KMTQAITYPE_DIRECTFLIP_SUPPORT                       = 19,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    KMTQAITYPE_MULTIPLANEOVERLAY_SUPPORT                = 20,
    KMTQAITYPE_DLIST_DRIVER_NAME                        = 21,
    KMTQAITYPE_WDDM_1_3_CAPS                            = 22,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION)
    KMTQAITYPE_MULTIPLANEOVERLAY_HUD_SUPPORT            = 23,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    KMTQAITYPE_WDDM_2_0_CAPS                            = 24,
    KMTQAITYPE_NODEMETADATA                             = 25,
    KMTQAITYPE_CPDRIVERNAME                             = 26,
    KMTQAITYPE_XBOX                                     = 27,
    KMTQAITYPE_INDEPENDENTFLIP_SUPPORT                  = 28,
    KMTQAITYPE_MIRACASTCOMPANIONDRIVERNAME              = 29,
    KMTQAITYPE_PHYSICALADAPTERCOUNT                     = 30,
    KMTQAITYPE_PHYSICALADAPTERDEVICEIDS                 = 31,
    KMTQAITYPE_DRIVERCAPS_EXT                           = 32,
    KMTQAITYPE_QUERY_MIRACAST_DRIVER_TYPE               = 33,
    KMTQAITYPE_QUERY_GPUMMU_CAPS                        = 34,
    KMTQAITYPE_QUERY_MULTIPLANEOVERLAY_DECODE_SUPPORT   = 35,
    KMTQAITYPE_QUERY_HW_PROTECTION_TEARDOWN_COUNT       = 36,
    KMTQAITYPE_QUERY_ISBADDRIVERFORHWPROTECTIONDISABLED = 37,
    KMTQAITYPE_MULTIPLANEOVERLAY_SECONDARY_SUPPORT      = 38,
    KMTQAITYPE_INDEPENDENTFLIP_SECONDARY_SUPPORT        = 39,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
    KMTQAITYPE_PANELFITTER_SUPPORT                      = 40,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)
    KMTQAITYPE_PHYSICALADAPTERPNPKEY                    = 41,
    KMTQAITYPE_GETSEGMENTGROUPSIZE                      = 42,
    KMTQAITYPE_MPO3DDI_SUPPORT                          = 43,
    KMTQAITYPE_HWDRM_SUPPORT                            = 44,
    KMTQAITYPE_MPOKERNELCAPS_SUPPORT                    = 45,
    KMTQAITYPE_MULTIPLANEOVERLAY_STRETCH_SUPPORT        = 46,
    KMTQAITYPE_GET_DEVICE_VIDPN_OWNERSHIP_INFO          = 47,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)
    KMTQAITYPE_QUERYREGISTRY                            = 48,
    KMTQAITYPE_KMD_DRIVER_VERSION                       = 49,
    KMTQAITYPE_BLOCKLIST_KERNEL                         = 50,
    KMTQAITYPE_BLOCKLIST_RUNTIME                        = 51,
    KMTQAITYPE_ADAPTERGUID_RENDER                       = 52,
    KMTQAITYPE_ADAPTERADDRESS_RENDER                    = 53,
    KMTQAITYPE_ADAPTERREGISTRYINFO_RENDER               = 54,
    KMTQAITYPE_CHECKDRIVERUPDATESTATUS_RENDER           = 55,
    KMTQAITYPE_DRIVERVERSION_RENDER                     = 56,
    KMTQAITYPE_ADAPTERTYPE_RENDER                       = 57,
    KMTQAITYPE_WDDM_1_2_CAPS_RENDER                     = 58,
    KMTQAITYPE_WDDM_1_3_CAPS_RENDER                     = 59,
    KMTQAITYPE_QUERY_ADAPTER_UNIQUE_GUID                = 60,
    KMTQAITYPE_NODEPERFDATA                             = 61,
    KMTQAITYPE_ADAPTERPERFDATA                          = 62,
    KMTQAITYPE_ADAPTERPERFDATA_CAPS                     = 63,
    KMTQUITYPE_GPUVERSION                               = 64,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)
    KMTQAITYPE_DRIVER_DESCRIPTION                       = 65,
    KMTQAITYPE_DRIVER_DESCRIPTION_RENDER                = 66,
    KMTQAITYPE_SCANOUT_CAPS                             = 67,
    KMTQAITYPE_DISPLAY_UMDRIVERNAME                     = 71,
    KMTQAITYPE_PARAVIRTUALIZATION_RENDER                = 68,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7)
    KMTQAITYPE_SERVICENAME                              = 69,
    KMTQAITYPE_WDDM_2_7_CAPS                            = 70,
    KMTQAITYPE_TRACKEDWORKLOAD_SUPPORT                  = 72,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_8)
    KMTQAITYPE_HYBRID_DLIST_DLL_SUPPORT                 = 73,
    KMTQAITYPE_DISPLAY_CAPS                             = 74,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
    KMTQAITYPE_WDDM_2_9_CAPS                            = 75,
    KMTQAITYPE_CROSSADAPTERRESOURCE_SUPPORT             = 76,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)
    KMTQAITYPE_WDDM_3_0_CAPS                            = 77,
    KMTQAITYPE_WSAUMDIMAGENAME                          = 78,
    KMTQAITYPE_VGPUINTERFACEID                          = 79,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)
    KMTQAITYPE_WDDM_3_1_CAPS                            = 80,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
    KMTQAITYPE_HYBRID_DLIST_DLL_MUX_SUPPORT             = 81,
#endif
} KMTQUERYADAPTERINFOTYPE;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef enum _D3DKMT_ADAPTER_VERIFIER_OPTION_TYPE {
    D3DKMT_ADAPTER_VERIFIER_OPTION_VIDMM_FLAGS         = 1000,
    D3DKMT_ADAPTER_VERIFIER_OPTION_VIDMM_TRIM_INTERVAL = 1001,
} D3DKMT_ADAPTER_VERIFIER_OPTION_TYPE;

#endif

typedef enum _KMTUMDVERSION {
    KMTUMDVERSION_DX9        = 0,
    KMTUMDVERSION_DX10       = 1,
    KMTUMDVERSION_DX11       = 2,
    KMTUMDVERSION_DX12       = 3,
    KMTUMDVERSION_DX12_WSA32 = 4,
    KMTUMDVERSION_DX12_WSA64 = 5,
    NUM_KMTUMDVERSIONS       = 6,
} KMTUMDVERSION;

typedef struct _D3DKMT_UMDFILENAMEINFO {
    KMTUMDVERSION Version;
    WCHAR         UmdFileName[260];
} D3DKMT_UMDFILENAMEINFO;

typedef struct _D3DKMT_OPENGLINFO {
    WCHAR UmdOpenGlIcdFileName[260];
    ULONG Version;
    ULONG Flags;
} D3DKMT_OPENGLINFO;

typedef struct _D3DKMT_SEGMENTSIZEINFO {
    ULONGLONG DedicatedVideoMemorySize;
    ULONGLONG DedicatedSystemMemorySize;
    ULONGLONG SharedSystemMemorySize;
} D3DKMT_SEGMENTSIZEINFO;

typedef struct _D3DKMT_SEGMENTGROUPSIZEINFO {
    UINT32                 PhysicalAdapterIndex;
    D3DKMT_SEGMENTSIZEINFO LegacyInfo;
    ULONGLONG              LocalMemory;
    ULONGLONG              NonLocalMemory;
    ULONGLONG              NonBudgetMemory;
} D3DKMT_SEGMENTGROUPSIZEINFO;

typedef struct _D3DKMT_FLIPINFOFLAGS {
    UINT FlipInterval : 1;
    UINT Reserved : 31;
} D3DKMT_FLIPINFOFLAGS;

typedef struct _D3DKMT_FLIPQUEUEINFO {
    UINT                 MaxHardwareFlipQueueLength;
    UINT                 MaxSoftwareFlipQueueLength;
    D3DKMT_FLIPINFOFLAGS FlipFlags;
} D3DKMT_FLIPQUEUEINFO;

typedef struct _D3DKMT_ADAPTERADDRESS {
    UINT BusNumber;
    UINT DeviceNumber;
    UINT FunctionNumber;
} D3DKMT_ADAPTERADDRESS;

typedef struct _D3DKMT_ADAPTERREGISTRYINFO {
    WCHAR AdapterString[260];
    WCHAR BiosString[260];
    WCHAR DacType[260];
    WCHAR ChipType[260];
} D3DKMT_ADAPTERREGISTRYINFO;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _D3DKMT_ADAPTERTYPE {
    union {
        struct {
            UINT RenderSupported : 1;
            UINT DisplaySupported : 1;
            UINT SoftwareDevice : 1;
            UINT PostDevice : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM1_3)
            UINT Reserved : 28;
#else
            UINT HybridDiscrete : 1;
            UINT HybridIntegrated : 1;
            UINT IndirectDisplayDevice : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_3)
            UINT Reserved : 25;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)
            UINT Paravirtualized : 1;
            UINT ACGSupported : 1;
            UINT SupportSetTimingsFromVidPn : 1;
            UINT Detachable : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_6)
            UINT Reserved : 21;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)
            UINT ComputeOnly : 1;
            UINT Prototype : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_9)
            UINT Reserved : 19;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
            UINT RuntimePowerManagement : 1;
            UINT Reserved : 18;
#endif
        };
        UINT Value;
    };
} D3DKMT_ADAPTERTYPE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)

typedef struct _D3DKMT_CPDRIVERNAME {
    WCHAR ContentProtectionFileName[260];
} D3DKMT_CPDRIVERNAME;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_PANELFITTER_SUPPORT {
    BOOL Supported;
} D3DKMT_PANELFITTER_SUPPORT;

typedef struct _D3DKMT_PHYSICAL_ADAPTER_COUNT {
    UINT Count;
} D3DKMT_PHYSICAL_ADAPTER_COUNT;

typedef enum _D3DKMT_PNP_KEY_TYPE {
    D3DKMT_PNP_KEY_HARDWARE = 1,
    D3DKMT_PNP_KEY_SOFTWARE = 2,
} D3DKMT_PNP_KEY_TYPE;

typedef struct _D3DKMT_QUERY_PHYSICAL_ADAPTER_PNP_KEY {
    UINT                PhysicalAdapterIndex;
    D3DKMT_PNP_KEY_TYPE PnPKeyType;
    WCHAR D3DKMT_CLIENT *pDest;
    UINT D3DKMT_CLIENT  *pCchDest;
} D3DKMT_QUERY_PHYSICAL_ADAPTER_PNP_KEY;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef struct _D3DKMT_QUERY_ADAPTER_UNIQUE_GUID {
    WCHAR AdapterUniqueGUID[40];
} D3DKMT_QUERY_ADAPTER_UNIQUE_GUID;

typedef struct _D3DKMT_NODE_PERFDATA {
    UINT32    NodeOrdinal;
    UINT32    PhysicalAdapterIndex;
    ULONGLONG Frequency;
    ULONGLONG MaxFrequency;
    ULONGLONG MaxFrequencyOC;
    ULONG     Voltage;
    ULONG     VoltageMax;
    ULONG     VoltageMaxOC;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_5)
    ULONGLONG Reserved;
#else
    ULONGLONG MaxTransitionLatency;
#endif
} D3DKMT_NODE_PERFDATA;

typedef struct _D3DKMT_ADAPTER_PERFDATA {
    UINT32    PhysicalAdapterIndex;
    ULONGLONG MemoryFrequency;
    ULONGLONG MaxMemoryFrequency;
    ULONGLONG MaxMemoryFrequencyOC;
    ULONGLONG MemoryBandwidth;
    ULONGLONG PCIEBandwidth;
    ULONG     FanRPM;
    ULONG     Power;
    ULONG     Temperature;
    UCHAR     PowerStateOverride;
} D3DKMT_ADAPTER_PERFDATA;

typedef struct _D3DKMT_ADAPTER_PERFDATACAPS {
    UINT32    PhysicalAdapterIndex;
    ULONGLONG MaxMemoryBandwidth;
    ULONGLONG MaxPCIEBandwidth;
    ULONG     MaxFanRPM;
    ULONG     TemperatureMax;
    ULONG     TemperatureWarning;
} D3DKMT_ADAPTER_PERFDATACAPS;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)

typedef struct _D3DKMT_CROSSADAPTERRESOURCE_SUPPORT {
    D3DKMT_CROSSADAPTERRESOURCE_SUPPORT_TIER SupportTier;
} D3DKMT_CROSSADAPTERRESOURCE_SUPPORT;

#endif

typedef struct _D3DKMT_QUERYADAPTERINFO {
    D3DKMT_HANDLE           hAdapter;
    KMTQUERYADAPTERINFOTYPE Type;
    void D3DKMT_CLIENT      *pPrivateDriverData;
    UINT                    PrivateDriverDataSize;
} D3DKMT_QUERYADAPTERINFO;

typedef NTSTATUS (APIENTRY *PFND3DKMT_QUERYADAPTERINFO)(const D3DKMT_QUERYADAPTERINFO *);

typedef struct _D3DKMT_OPENADAPTERFROMHDC {
    HDC                            hDc;
    D3DKMT_HANDLE                  hAdapter;
    LUID                           AdapterLuid;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
} D3DKMT_OPENADAPTERFROMHDC;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OPENADAPTERFROMHDC)(D3DKMT_OPENADAPTERFROMHDC *);

typedef struct _D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME {
    WCHAR                          DeviceName[32];
    D3DKMT_HANDLE                  hAdapter;
    LUID                           AdapterLuid;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
} D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OPENADAPTERFROMGDIDISPLAYNAME)(
    D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME *);

typedef struct _D3DKMT_OPENADAPTERFROMDEVICENAME {
    PCWSTR        pDeviceName;
    D3DKMT_HANDLE hAdapter;
    LUID          AdapterLuid;
} D3DKMT_OPENADAPTERFROMDEVICENAME;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OPENADAPTERFROMDEVICENAME)(
    D3DKMT_OPENADAPTERFROMDEVICENAME *);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _D3DKMT_ADAPTERINFO {
    D3DKMT_HANDLE hAdapter;
    LUID          AdapterLuid;
    ULONG         NumOfSources;
    BOOL          bPrecisePresentRegionsPreferred;
} D3DKMT_ADAPTERINFO;

typedef struct _D3DKMT_ENUMADAPTERS {
    ULONG              NumAdapters;
    D3DKMT_ADAPTERINFO Adapters[16];
} D3DKMT_ENUMADAPTERS;

typedef NTSTATUS (APIENTRY *PFND3DKMT_ENUMADAPTERS)(const D3DKMT_ENUMADAPTERS *);

typedef struct _D3DKMT_ENUMADAPTERS2 {
    ULONG                            NumAdapters;
    D3DKMT_ADAPTERINFO D3DKMT_CLIENT *pAdapters;
} D3DKMT_ENUMADAPTERS2;

typedef NTSTATUS (APIENTRY *PFND3DKMT_ENUMADAPTERS2)(const D3DKMT_ENUMADAPTERS2 *);

typedef struct _D3DKMT_OPENADAPTERFROMLUID {
    LUID          AdapterLuid;
    D3DKMT_HANDLE hAdapter;
} D3DKMT_OPENADAPTERFROMLUID;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OPENADAPTERFROMLUID)(D3DKMT_OPENADAPTERFROMLUID *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7)

typedef union _D3DKMT_ENUMADAPTERS_FILTER {
    struct {
        ULONGLONG IncludeComputeOnly : 1;
        ULONGLONG IncludeDisplayOnly : 1;
        ULONGLONG IncludeVirtualGpuOnly : 1;
        ULONGLONG Reserved : 61;
    };
    ULONGLONG Value;
} D3DKMT_ENUMADAPTERS_FILTER;

typedef struct _D3DKMT_ENUMADAPTERS3 {
    D3DKMT_ENUMADAPTERS_FILTER       Filter;
    ULONG                            NumAdapters;
    D3DKMT_ADAPTERINFO D3DKMT_CLIENT *pAdapters;
} D3DKMT_ENUMADAPTERS3;

typedef NTSTATUS (APIENTRY *PFND3DKMT_ENUMADAPTERS3)(D3DKMT_ENUMADAPTERS3 *);

#endif

typedef struct _D3DKMT_CLOSEADAPTER {
    D3DKMT_HANDLE hAdapter;
} D3DKMT_CLOSEADAPTER;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CLOSEADAPTER)(const D3DKMT_CLOSEADAPTER *);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef union _D3DKMT_ADAPTER_VERIFIER_VIDMM_FLAGS {
    struct {
        UINT AlwaysRepatch : 1;
        UINT FailSharedPrimary : 1;
        UINT FailProbeAndLock : 1;
        UINT AlwaysDiscardOffer : 1;
        UINT NeverDiscardOffer : 1;
        UINT ForceComplexLock : 1;
        UINT NeverPrepatch : 1;
        UINT ExpectPreparationFailure : 1;
        UINT TakeSplitPoint : 1;
        UINT FailAcquireSwizzlingRange : 1;
        UINT PagingPathLockSubrange : 1;
        UINT PagingPathLockMinrange : 1;
        UINT FailVaRotation : 1;
        UINT NoDemotion : 1;
        UINT FailDefragPass : 1;
        UINT AlwaysProcessOfferList : 1;
        UINT AlwaysDecommitOffer : 1;
        UINT NeverMoveDefrag : 1;
        UINT AlwaysRelocateDisplayableResources : 1;
        UINT AlwaysFailGrowVPRMoves : 1;
        UINT NeverFlushTemporaryResources : 1;
        UINT AllocateTemporaryResourcesInAperture : 1;
        UINT Reserved : 10;
    };
    UINT32 Value;
} D3DKMT_ADAPTER_VERIFIER_VIDMM_FLAGS;

typedef struct _D3DKMT_ADAPTER_VERIFIER_VIDMM_TRIM_INTERVAL {
    UINT64 MinimumTrimInterval;
    UINT64 MaximumTrimInterval;
    UINT64 IdleTrimInterval;
} D3DKMT_ADAPTER_VERIFIER_VIDMM_TRIM_INTERVAL;

typedef union _D3DKMT_ADAPTER_VERIFIER_OPTION_DATA {
    D3DKMT_ADAPTER_VERIFIER_VIDMM_FLAGS         VidMmFlags;
    D3DKMT_ADAPTER_VERIFIER_VIDMM_TRIM_INTERVAL VidMmTrimInterval;
} D3DKMT_ADAPTER_VERIFIER_OPTION_DATA;

typedef enum _D3DKMT_VERIFIER_OPTION_MODE {
    D3DKMT_VERIFIER_OPTION_QUERY = 0,
    D3DKMT_VERIFIER_OPTION_SET   = 1,
} D3DKMT_VERIFIER_OPTION_MODE;

typedef struct _D3DKMT_ADAPTER_VERIFIER_OPTION {
    D3DKMT_ADAPTER_VERIFIER_OPTION_TYPE Type;
    D3DKMT_VERIFIER_OPTION_MODE         Mode;
    D3DKMT_ADAPTER_VERIFIER_OPTION_DATA Data;
} D3DKMT_ADAPTER_VERIFIER_OPTION;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)

typedef struct _D3DKMT_QUERYSTATISTICS_ADAPTER_INFORMATION_FLAGS {
    union {
        struct {
            UINT64 NumberOfMemoryGroups : 2;
            UINT64 SupportsDemotion : 1;
            UINT64 Reserved : 61;
        };
        UINT64 Value;
    };
} D3DKMT_QUERYSTATISTICS_ADAPTER_INFORMATION_FLAGS;

#endif

typedef struct _D3DKMT_QUERYSTATSTICS_REFERENCE_DMA_BUFFER {
    ULONG NbCall;
    ULONG NbAllocationsReferenced;
    ULONG MaxNbAllocationsReferenced;
    ULONG NbNULLReference;
    ULONG NbWriteReference;
    ULONG NbRenamedAllocationsReferenced;
    ULONG NbIterationSearchingRenamedAllocation;
    ULONG NbLockedAllocationReferenced;
    ULONG NbAllocationWithValidPrepatchingInfoReferenced;
    ULONG NbAllocationWithInvalidPrepatchingInfoReferenced;
    ULONG NbDMABufferSuccessfullyPrePatched;
    ULONG NbPrimariesReferencesOverflow;
    ULONG NbAllocationWithNonPreferredResources;
    ULONG NbAllocationInsertedInMigrationTable;
} D3DKMT_QUERYSTATSTICS_REFERENCE_DMA_BUFFER;

typedef struct _D3DKMT_QUERYSTATSTICS_RENAMING {
    ULONG NbAllocationsRenamed;
    ULONG NbAllocationsShrinked;
    ULONG NbRenamedBuffer;
    ULONG MaxRenamingListLength;
    ULONG NbFailuresDueToRenamingLimit;
    ULONG NbFailuresDueToCreateAllocation;
    ULONG NbFailuresDueToOpenAllocation;
    ULONG NbFailuresDueToLowResource;
    ULONG NbFailuresDueToNonRetiredLimit;
} D3DKMT_QUERYSTATSTICS_RENAMING;

typedef struct _D3DKMT_QUERYSTATISTICS_COUNTER {
    ULONG     Count;
    ULONGLONG Bytes;
} D3DKMT_QUERYSTATISTICS_COUNTER;

typedef struct _D3DKMT_QUERYSTATSTICS_PREPRATION {
    ULONG                          BroadcastStall;
    ULONG                          NbDMAPrepared;
    ULONG                          NbDMAPreparedLongPath;
    ULONG                          ImmediateHighestPreparationPass;
    D3DKMT_QUERYSTATISTICS_COUNTER AllocationsTrimmed;
} D3DKMT_QUERYSTATSTICS_PREPRATION;

typedef struct _D3DKMT_QUERYSTATSTICS_PAGING_FAULT {
    D3DKMT_QUERYSTATISTICS_COUNTER Faults;
    D3DKMT_QUERYSTATISTICS_COUNTER FaultsFirstTimeAccess;
    D3DKMT_QUERYSTATISTICS_COUNTER FaultsReclaimed;
    D3DKMT_QUERYSTATISTICS_COUNTER FaultsMigration;
    D3DKMT_QUERYSTATISTICS_COUNTER FaultsIncorrectResource;
    D3DKMT_QUERYSTATISTICS_COUNTER FaultsLostContent;
    D3DKMT_QUERYSTATISTICS_COUNTER FaultsEvicted;
    D3DKMT_QUERYSTATISTICS_COUNTER AllocationsMEM_RESET;
    D3DKMT_QUERYSTATISTICS_COUNTER AllocationsUnresetSuccess;
    D3DKMT_QUERYSTATISTICS_COUNTER AllocationsUnresetFail;
    ULONG                          AllocationsUnresetSuccessRead;
    ULONG                          AllocationsUnresetFailRead;
    D3DKMT_QUERYSTATISTICS_COUNTER Evictions;
    D3DKMT_QUERYSTATISTICS_COUNTER EvictionsDueToPreparation;
    D3DKMT_QUERYSTATISTICS_COUNTER EvictionsDueToLock;
    D3DKMT_QUERYSTATISTICS_COUNTER EvictionsDueToClose;
    D3DKMT_QUERYSTATISTICS_COUNTER EvictionsDueToPurge;
    D3DKMT_QUERYSTATISTICS_COUNTER EvictionsDueToSuspendCPUAccess;
} D3DKMT_QUERYSTATSTICS_PAGING_FAULT;

typedef struct _D3DKMT_QUERYSTATSTICS_PAGING_TRANSFER {
    ULONGLONG BytesFilled;
    ULONGLONG BytesDiscarded;
    ULONGLONG BytesMappedIntoAperture;
    ULONGLONG BytesUnmappedFromAperture;
    ULONGLONG BytesTransferredFromMdlToMemory;
    ULONGLONG BytesTransferredFromMemoryToMdl;
    ULONGLONG BytesTransferredFromApertureToMemory;
    ULONGLONG BytesTransferredFromMemoryToAperture;
} D3DKMT_QUERYSTATSTICS_PAGING_TRANSFER;

typedef struct _D3DKMT_QUERYSTATSTICS_SWIZZLING_RANGE {
    ULONG NbRangesAcquired;
    ULONG NbRangesReleased;
} D3DKMT_QUERYSTATSTICS_SWIZZLING_RANGE;

typedef struct _D3DKMT_QUERYSTATSTICS_LOCKS {
    ULONG NbLocks;
    ULONG NbLocksWaitFlag;
    ULONG NbLocksDiscardFlag;
    ULONG NbLocksNoOverwrite;
    ULONG NbLocksNoReadSync;
    ULONG NbLocksLinearization;
    ULONG NbComplexLocks;
} D3DKMT_QUERYSTATSTICS_LOCKS;

typedef struct _D3DKMT_QUERYSTATSTICS_ALLOCATIONS {
    D3DKMT_QUERYSTATISTICS_COUNTER Created;
    D3DKMT_QUERYSTATISTICS_COUNTER Destroyed;
    D3DKMT_QUERYSTATISTICS_COUNTER Opened;
    D3DKMT_QUERYSTATISTICS_COUNTER Closed;
    D3DKMT_QUERYSTATISTICS_COUNTER MigratedSuccess;
    D3DKMT_QUERYSTATISTICS_COUNTER MigratedFail;
    D3DKMT_QUERYSTATISTICS_COUNTER MigratedAbandoned;
} D3DKMT_QUERYSTATSTICS_ALLOCATIONS;

typedef struct _D3DKMT_QUERYSTATSTICS_TERMINATIONS {
    D3DKMT_QUERYSTATISTICS_COUNTER TerminatedShared;
    D3DKMT_QUERYSTATISTICS_COUNTER TerminatedNonShared;
    D3DKMT_QUERYSTATISTICS_COUNTER DestroyedShared;
    D3DKMT_QUERYSTATISTICS_COUNTER DestroyedNonShared;
} D3DKMT_QUERYSTATSTICS_TERMINATIONS;

typedef struct _D3DKMT_QUERYSTATISTICS_ADAPTER_INFORMATION {
    ULONG                                        NbSegments;
    ULONG                                        NodeCount;
    ULONG                                        VidPnSourceCount;
    ULONG                                        VSyncEnabled;
    ULONG                                        TdrDetectedCount;
    LONGLONG                                     ZeroLengthDmaBuffers;
    ULONGLONG                                    RestartedPeriod;
    D3DKMT_QUERYSTATSTICS_REFERENCE_DMA_BUFFER   ReferenceDmaBuffer;
    D3DKMT_QUERYSTATSTICS_RENAMING               Renaming;
    D3DKMT_QUERYSTATSTICS_PREPRATION             Preparation;
    D3DKMT_QUERYSTATSTICS_PAGING_FAULT           PagingFault;
    D3DKMT_QUERYSTATSTICS_PAGING_TRANSFER        PagingTransfer;
    D3DKMT_QUERYSTATSTICS_SWIZZLING_RANGE        SwizzlingRange;
    D3DKMT_QUERYSTATSTICS_LOCKS                  Locks;
    D3DKMT_QUERYSTATSTICS_ALLOCATIONS            Allocations;
    D3DKMT_QUERYSTATSTICS_TERMINATIONS           Terminations;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_2)
    UINT64                                       Reserved[8];
#else
    D3DKMT_QUERYSTATISTICS_ADAPTER_INFORMATION_FLAGS Flags;
    UINT64                                       Reserved[7];
#endif
} D3DKMT_QUERYSTATISTICS_ADAPTER_INFORMATION;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef struct _D3DKMT_GPUVERSION {
    UINT32 PhysicalAdapterIndex;
    WCHAR  BiosVersion[32];
    WCHAR  GpuArchitecture[32];
} D3DKMT_GPUVERSION;

typedef struct _D3DKMT_QUERYSTATISTICS_PHYSICAL_ADAPTER_INFORMATION {
    D3DKMT_ADAPTER_PERFDATA     AdapterPerfData;
    D3DKMT_ADAPTER_PERFDATACAPS AdapterPerfDataCaps;
    D3DKMT_GPUVERSION           GpuVersion;
} D3DKMT_QUERYSTATISTICS_PHYSICAL_ADAPTER_INFORMATION;

#endif

typedef struct _D3DKMT_QUERYSTATISTICS_DMA_BUFFER {
    D3DKMT_QUERYSTATISTICS_COUNTER Size;
    ULONG                          AllocationListBytes;
    ULONG                          PatchLocationListBytes;
} D3DKMT_QUERYSTATISTICS_DMA_BUFFER;

typedef struct _D3DKMT_QUERYSTATISTICS_COMMITMENT_DATA {
    UINT64 TotalBytesEvictedFromProcess;
    UINT64 BytesBySegmentPreference[5];
} D3DKMT_QUERYSTATISTICS_COMMITMENT_DATA;

typedef struct _D3DKMT_QUERYSTATISTICS_POLICY {
    ULONGLONG PreferApertureForRead[5];
    ULONGLONG PreferAperture[5];
    ULONGLONG MemResetOnPaging;
    ULONGLONG RemovePagesFromWorkingSetOnPaging;
    ULONGLONG MigrationEnabled;
} D3DKMT_QUERYSTATISTICS_POLICY;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)

typedef struct _D3DKMT_QUERYSTATISTICS_PROCESS_INTERFERENCE_COUNTERS {
    UINT64 InterferenceCount[9];
} D3DKMT_QUERYSTATISTICS_PROCESS_INTERFERENCE_COUNTERS;

#endif

typedef enum _D3DKMT_CLIENTHINT {
    D3DKMT_CLIENTHINT_UNKNOWN        = 0,
    D3DKMT_CLIENTHINT_OPENGL         = 1,
    D3DKMT_CLIENTHINT_CDD            = 2,
    D3DKMT_CLIENTHINT_OPENCL         = 3,
    D3DKMT_CLIENTHINT_VULKAN         = 4,
    D3DKMT_CLIENTHINT_CUDA           = 5,
    D3DKMT_CLIENTHINT_RESERVED       = 6,
    D3DKMT_CLIENTHINT_DX7            = 7,
    D3DKMT_CLIENTHINT_DX8            = 8,
    D3DKMT_CLIENTHINT_DX9            = 9,
    D3DKMT_CLIENTHINT_DX10           = 10,
    D3DKMT_CLIENTHINT_DX11           = 11,
    D3DKMT_CLIENTHINT_DX12           = 12,
    D3DKMT_CLIENTHINT_9ON12          = 13,
    D3DKMT_CLIENTHINT_11ON12         = 14,
    D3DKMT_CLIENTHINT_MFT_ENCODE     = 15,
    D3DKMT_CLIENTHINT_GLON12         = 16,
    D3DKMT_CLIENTHINT_CLON12         = 17,
    D3DKMT_CLIENTHINT_DML_TENSORFLOW = 18,
    D3DKMT_CLIENTHINT_ONEAPI_LEVEL0  = 19,
    D3DKMT_CLIENTHINT_DML_PYTORCH    = 20,
    D3DKMT_CLIENTHINT_VKON12         = 21,
    D3DKMT_CLIENTHINT_FASTRPC        = 22,
    D3DKMT_CLIENTHINT_SNPE           = 23,
    D3DKMT_CLIENTHINT_QNN            = 24,
    D3DKMT_CLIENTHINT_VITIS          = 25,
    D3DKMT_CLIENTHINT_FFMPEG         = 26,
    D3DKMT_CLIENTHINT_OPEN_VINO      = 27,
    D3DKMT_CLIENTHINT_MAX            = 28,
} D3DKMT_CLIENTHINT;

typedef struct _D3DKMT_QUERYSTATISTICS_PROCESS_ADAPTER_INFORMATION {
    ULONG                                        NbSegments;
    ULONG                                        NodeCount;
    ULONG                                        VidPnSourceCount;
    ULONG                                        VirtualMemoryUsage;
    D3DKMT_QUERYSTATISTICS_DMA_BUFFER            DmaBuffer;
    D3DKMT_QUERYSTATISTICS_COMMITMENT_DATA       CommitmentData;
    D3DKMT_QUERYSTATISTICS_POLICY                _Policy;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_1)
    ULONGLONG                                    Reserved[9];
#else
    D3DKMT_QUERYSTATISTICS_PROCESS_INTERFERENCE_COUNTERS ProcessInterferenceCounters;
#endif
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_9)
    ULONGLONG                                    Reserve;
#else
    D3DKMT_CLIENTHINT                            ClientHint;
#endif
} D3DKMT_QUERYSTATISTICS_PROCESS_ADAPTER_INFORMATION;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef struct _D3DKMT_QUERYSTATISTICS_QUERY_PHYSICAL_ADAPTER {
    ULONG PhysicalAdapterIndex;
} D3DKMT_QUERYSTATISTICS_QUERY_PHYSICAL_ADAPTER;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)

typedef struct _D3DKMT_QUERYSTATISTICS_QUERY_ADAPTER2 {
    UINT16 PhysicalAdapterIndex;
} D3DKMT_QUERYSTATISTICS_QUERY_ADAPTER2;

typedef struct _D3DKMT_QUERYSTATISTICS_QUERY_ADAPTER_INFORMATION2 {
    UINT16 PhysicalAdapterIndex;
} D3DKMT_QUERYSTATISTICS_QUERY_ADAPTER_INFORMATION2;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _D3DKMT_GETSHAREDRESOURCEADAPTERLUID {
    D3DKMT_HANDLE hGlobalShare;
    HANDLE        hNtHandle;
    LUID          AdapterLuid;
} D3DKMT_GETSHAREDRESOURCEADAPTERLUID;

typedef NTSTATUS (APIENTRY *PFND3DKMT_GETSHAREDRESOURCEADAPTERLUID)(
    D3DKMT_GETSHAREDRESOURCEADAPTERLUID *);

#endif

/* ----------------------------------------------------------------------------------------------
 * Devices and contexts
 */

typedef enum _D3DKMT_DEVICEESCAPE_TYPE {
    D3DKMT_DEVICEESCAPE_VIDPNFROMALLOCATION = 0,
    D3DKMT_DEVICEESCAPE_RESTOREGAMMA        = 1,
} D3DKMT_DEVICEESCAPE_TYPE;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef enum _OUTPUTDUPL_CONTEXT_DEBUG_STATUS {
    OUTPUTDUPL_CONTEXT_DEBUG_STATUS_INACTIVE        = 0,
    OUTPUTDUPL_CONTEXT_DEBUG_STATUS_ACTIVE          = 1,
    OUTPUTDUPL_CONTEXT_DEBUG_STATUS_PENDING_DESTROY = 2,
    OUTPUTDUPL_CONTEXT_DEBUG_STATUS_FORCE_UINT32    = -1,
} OUTPUTDUPL_CONTEXT_DEBUG_STATUS;

#endif

typedef enum _D3DKMT_DEVICEEXECUTION_STATE {
    D3DKMT_DEVICEEXECUTION_ACTIVE             = 1,
    D3DKMT_DEVICEEXECUTION_RESET              = 2,
    D3DKMT_DEVICEEXECUTION_HUNG               = 3,
    D3DKMT_DEVICEEXECUTION_STOPPED            = 4,
    D3DKMT_DEVICEEXECUTION_ERROR_OUTOFMEMORY  = 5,
    D3DKMT_DEVICEEXECUTION_ERROR_DMAFAULT     = 6,
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    D3DKMT_DEVICEEXECUTION_ERROR_DMAPAGEFAULT = 7,
#endif
} D3DKMT_DEVICEEXECUTION_STATE;

typedef enum _D3DKMT_DEVICESTATE_TYPE {
    D3DKMT_DEVICESTATE_EXECUTION     = 1,
    D3DKMT_DEVICESTATE_PRESENT       = 2,
    D3DKMT_DEVICESTATE_RESET         = 3,
    D3DKMT_DEVICESTATE_PRESENT_DWM   = 4,
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    D3DKMT_DEVICESTATE_PAGE_FAULT    = 5,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
    D3DKMT_DEVICESTATE_PRESENT_QUEUE = 6,
#endif
} D3DKMT_DEVICESTATE_TYPE;

typedef enum _D3DKMT_SCHEDULINGPRIORITYCLASS {
    D3DKMT_SCHEDULINGPRIORITYCLASS_IDLE         = 0,
    D3DKMT_SCHEDULINGPRIORITYCLASS_BELOW_NORMAL = 1,
    D3DKMT_SCHEDULINGPRIORITYCLASS_NORMAL       = 2,
    D3DKMT_SCHEDULINGPRIORITYCLASS_ABOVE_NORMAL = 3,
    D3DKMT_SCHEDULINGPRIORITYCLASS_HIGH         = 4,
    D3DKMT_SCHEDULINGPRIORITYCLASS_REALTIME     = 5,
} D3DKMT_SCHEDULINGPRIORITYCLASS;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)

typedef enum _D3DKMT_MIRACAST_DISPLAY_DEVICE_STATE {
    MiracastStopped      = 0,
    MiracastStartPending = 1,
    MiracastStarted      = 2,
    MiracastStopPending  = 3,
} D3DKMT_MIRACAST_DISPLAY_DEVICE_STATE;

typedef enum _D3DKMT_MIRACAST_DEVICE_STATUS {
    D3DKMT_MIRACAST_DEVICE_STATUS_SUCCESS                = 0,
    D3DKMT_MIRACAST_DEVICE_STATUS_SUCCESS_NO_MONITOR     = 1,
    D3DKMT_MIRACAST_DEVICE_STATUS_PENDING                = 2,
    D3DKMT_MIRACAST_DEVICE_STATUS_UNKOWN_ERROR           = (int)0x80000001,
    D3DKMT_MIRACAST_DEVICE_STATUS_GPU_RESOURCE_IN_USE    = (int)0x80000002,
    D3DKMT_MIRACAST_DEVICE_STATUS_DEVICE_ERROR           = (int)0x80000003,
    D3DKMT_MIRACAST_DEVICE_STATUS_UNKOWN_PAIRING         = (int)0x80000004,
    D3DKMT_MIRACAST_DEVICE_STATUS_REMOTE_SESSION         = (int)0x80000005,
    D3DKMT_MIRACAST_DEVICE_STATUS_DEVICE_NOT_FOUND       = (int)0x80000006,
    D3DKMT_MIRACAST_DEVICE_STATUS_DEVICE_NOT_STARTED     = (int)0x80000007,
    D3DKMT_MIRACAST_DEVICE_STATUS_INVALID_PARAMETER      = (int)0x80000008,
    D3DKMT_MIRACAST_DEVICE_STATUS_INSUFFICIENT_BANDWIDTH = (int)0x80000009,
    D3DKMT_MIRACAST_DEVICE_STATUS_INSUFFICIENT_MEMORY    = (int)0x8000000A,
    D3DKMT_MIRACAST_DEVICE_STATUS_CANCELLED              = (int)0x8000000B,
} D3DKMT_MIRACAST_DEVICE_STATUS;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef enum _D3DKMT_DEVICE_ERROR_REASON {
    D3DKMT_DEVICE_ERROR_REASON_GENERIC      = (int)0x80000000,
    D3DKMT_DEVICE_ERROR_REASON_DRIVER_ERROR = (int)0x80000006,
} D3DKMT_DEVICE_ERROR_REASON;

#endif

typedef struct _D3DKMT_CREATEDEVICEFLAGS {
    UINT LegacyMode : 1;
    UINT RequestVSync : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WIN8)
    UINT Reserved : 30;
#else
    UINT DisableGpuTimeout : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_1)
    UINT Reserved : 29;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)
    UINT TestDevice : 1;
    UINT Reserved : 28;
#endif
} D3DKMT_CREATEDEVICEFLAGS;

typedef struct _D3DKMT_CREATEDEVICE {
    union {
        D3DKMT_HANDLE      hAdapter;
        void D3DKMT_CLIENT *pAdapter;
    };
    D3DKMT_CREATEDEVICEFLAGS               Flags;
    D3DKMT_HANDLE                          hDevice;
    void D3DKMT_CLIENT                     *pCommandBuffer;
    UINT                                   CommandBufferSize;
    D3DDDI_ALLOCATIONLIST D3DKMT_CLIENT    *pAllocationList;
    UINT                                   AllocationListSize;
    D3DDDI_PATCHLOCATIONLIST D3DKMT_CLIENT *pPatchLocationList;
    UINT                                   PatchLocationListSize;
} D3DKMT_CREATEDEVICE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CREATEDEVICE)(D3DKMT_CREATEDEVICE *);

typedef struct _D3DKMT_DESTROYDEVICE {
    D3DKMT_HANDLE hDevice;
} D3DKMT_DESTROYDEVICE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_DESTROYDEVICE)(const D3DKMT_DESTROYDEVICE *);

typedef struct _D3DKMT_CREATECONTEXT {
    D3DKMT_HANDLE                          hDevice;
    UINT                                   NodeOrdinal;
    UINT                                   EngineAffinity;
    D3DDDI_CREATECONTEXTFLAGS              Flags;
    void D3DKMT_CLIENT                     *pPrivateDriverData;
    UINT                                   PrivateDriverDataSize;
    D3DKMT_CLIENTHINT                      ClientHint;
    D3DKMT_HANDLE                          hContext;
    void D3DKMT_CLIENT                     *pCommandBuffer;
    UINT                                   CommandBufferSize;
    D3DDDI_ALLOCATIONLIST D3DKMT_CLIENT    *pAllocationList;
    UINT                                   AllocationListSize;
    D3DDDI_PATCHLOCATIONLIST D3DKMT_CLIENT *pPatchLocationList;
    UINT                                   PatchLocationListSize;
    D3DGPU_VIRTUAL_ADDRESS                 CommandBuffer;
} D3DKMT_CREATECONTEXT;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CREATECONTEXT)(D3DKMT_CREATECONTEXT *);

typedef struct _D3DKMT_DESTROYCONTEXT {
    D3DKMT_HANDLE hContext;
} D3DKMT_DESTROYCONTEXT;

typedef NTSTATUS (APIENTRY *PFND3DKMT_DESTROYCONTEXT)(const D3DKMT_DESTROYCONTEXT *);

typedef struct _D3DKMT_PRESENTFLAGS {
    union {
        struct {
            UINT Blt : 1;
            UINT ColorFill : 1;
            UINT Flip : 1;
            UINT FlipDoNotFlip : 1;
            UINT FlipDoNotWait : 1;
            UINT FlipRestart : 1;
            UINT DstRectValid : 1;
            UINT SrcRectValid : 1;
            UINT RestrictVidPnSource : 1;
            UINT SrcColorKey : 1;
            UINT DstColorKey : 1;
            UINT LinearToSrgb : 1;
            UINT PresentCountValid : 1;
            UINT Rotate : 1;
            UINT PresentToBitmap : 1;
            UINT RedirectedFlip : 1;
            UINT RedirectedBlt : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WIN8)
            UINT Reserved : 15;
#else
            UINT FlipStereo : 1;
            UINT FlipStereoTemporaryMono : 1;
            UINT FlipStereoPreferRight : 1;
            UINT BltStereoUseRight : 1;
            UINT PresentHistoryTokenOnly : 1;
            UINT PresentRegionsValid : 1;
            UINT PresentDDA : 1;
            UINT ProtectedContentBlankedOut : 1;
            UINT RemoteSession : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM1_3)
            UINT Reserved : 6;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
            UINT CrossAdapter : 1;
            UINT DurationValid : 1;
            UINT PresentIndirect : 1;
            UINT PresentHMD : 1;
            UINT Reserved : 2;
#endif
        };
        UINT Value;
    };
} D3DKMT_PRESENTFLAGS;

typedef enum _D3DKMT_PRESENT_MODEL {
    D3DKMT_PM_UNINITIALIZED          = 0,
    D3DKMT_PM_REDIRECTED_GDI         = 1,
    D3DKMT_PM_REDIRECTED_FLIP        = 2,
    D3DKMT_PM_REDIRECTED_BLT         = 3,
    D3DKMT_PM_REDIRECTED_VISTABLT    = 4,
    D3DKMT_PM_SCREENCAPTUREFENCE     = 5,
    D3DKMT_PM_REDIRECTED_GDI_SYSMEM  = 6,
    D3DKMT_PM_REDIRECTED_COMPOSITION = 7,
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
    D3DKMT_PM_SURFACECOMPLETE        = 8,
#endif
    D3DKMT_PM_FLIPMANAGER            = 9,
} D3DKMT_PRESENT_MODEL;

typedef enum _D3DKMT_FLIPMODEL_INDEPENDENT_FLIP_STAGE {
    D3DKMT_FLIPMODEL_INDEPENDENT_FLIP_STAGE_FLIP_SUBMITTED = 0,
    D3DKMT_FLIPMODEL_INDEPENDENT_FLIP_STAGE_FLIP_COMPLETE  = 1,
} D3DKMT_FLIPMODEL_INDEPENDENT_FLIP_STAGE;

typedef struct _D3DKMT_FLIPMODEL_PRESENTHISTORYTOKENFLAGS {
    union {
        struct {
            UINT                                    Video : 1;
            UINT                                    RestrictedContent : 1;
            UINT                                    ClipToView : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WIN8)
            UINT                                    Reserved : 29;
#else
            UINT                                    StereoPreferRight : 1;
            UINT                                    TemporaryMono : 1;
            UINT                                    FlipRestart : 1;
            UINT                                    HDRMetaDataChanged : 1;
            UINT                                    AlphaMode : 2;
            UINT                                    SignalLimitOnTokenCompletion : 1;
            UINT                                    YCbCrFlags : 3;
            UINT                                    IndependentFlip : 1;
            D3DKMT_FLIPMODEL_INDEPENDENT_FLIP_STAGE IndependentFlipStage : 2;
            UINT                                    IndependentFlipReleaseCount : 2;
            UINT                                    IndependentFlipForceNotifyDwm : 1;
            UINT                                    UseCustomDuration : 1;
            UINT                                    IndependentFlipRequestDwmConfirm : 1;
            UINT                                    IndependentFlipCandidate : 1;
            UINT                                    IndependentFlipCheckNeeded : 1;
            UINT                                    IndependentFlipTrueImmediate : 1;
            UINT                                    IndependentFlipRequestDwmExit : 1;
            UINT                                    CompSurfaceNotifiedEarly : 1;
            UINT                                    IndependentFlipDoNotFlip : 1;
            UINT                                    RequirePairedToken : 1;
            UINT                                    VariableRefreshOverrideEligible : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_2)
            UINT                                    Reserved : 3;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
            UINT                                    VailToken : 1;
            UINT                                    Reserved : 2;
#endif
        };
        UINT Value;
    };
} D3DKMT_FLIPMODEL_PRESENTHISTORYTOKENFLAGS;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _D3DKMT_SCATTERBLT {
    ULONG64 hLogicalSurfaceDestination;
    LONG64  hDestinationCompSurfDWM;
    UINT64  DestinationCompositionBindingId;
    RECT    SourceRect;
    POINT   DestinationOffset;
} D3DKMT_SCATTERBLT;

typedef struct _D3DKMT_SCATTERBLTS {
    UINT              NumBlts;
    D3DKMT_SCATTERBLT Blts[12];
} D3DKMT_SCATTERBLTS;

#endif

typedef struct _D3DKMT_DIRTYREGIONS {
    UINT NumRects;
    RECT Rects[16];
} D3DKMT_DIRTYREGIONS;

typedef struct _D3DKMT_FLIPMODEL_PRESENTHISTORYTOKEN {
    UINT64                                    FenceValue;
    ULONG64                                   hLogicalSurface;
    D3DKMT_UINT_PTR                           dxgContext;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID            VidPnSourceId;
    UINT                                      SwapChainIndex;
    UINT64                                    PresentLimitSemaphoreId;
    D3DDDI_FLIPINTERVAL_TYPE                  FlipInterval;
    D3DKMT_FLIPMODEL_PRESENTHISTORYTOKENFLAGS Flags;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    LONG64                                    hCompSurf;
    LUID                                      compSurfLuid;
    UINT64                                    confirmationCookie;
    UINT64                                    CompositionSyncKey;
    RECT                                      ScrollRect;
    POINT                                     ScrollOffset;
    UINT                                      PresentCount;
    FLOAT                                     RevealColor[4];
    D3DDDI_ROTATION                           Rotation;
    union {
        D3DKMT_SCATTERBLTS ScatterBlts;
        struct {
            HANDLE                   hSyncObject;
            D3DDDI_HDR_METADATA_TYPE HDRMetaDataType;
            union {
                D3DDDI_HDR_METADATA_HDR10     HDRMetaDataHDR10;
                D3DDDI_HDR_METADATA_HDR10PLUS HDRMetaDataHDR10Plus;
            };
        };
    };
    UINT                                      InkCookie;
    RECT                                      SourceRect;
    UINT                                      DestWidth;
    UINT                                      DestHeight;
    RECT                                      TargetRect;
    FLOAT                                     Transform[6];
    UINT                                      CustomDuration;
    D3DDDI_FLIPINTERVAL_TYPE                  CustomDurationFlipInterval;
    UINT                                      PlaneIndex;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    D3DDDI_COLOR_SPACE_TYPE                   ColorSpace;
#endif
    D3DKMT_DIRTYREGIONS                       DirtyRegions;
} D3DKMT_FLIPMODEL_PRESENTHISTORYTOKEN;

typedef struct _D3DKMT_BLTMODEL_PRESENTHISTORYTOKEN {
    ULONG64             hLogicalSurface;
    ULONG64             hPhysicalSurface;
    ULONG64             EventId;
    D3DKMT_DIRTYREGIONS DirtyRegions;
} D3DKMT_BLTMODEL_PRESENTHISTORYTOKEN;

typedef ULONGLONG D3DKMT_VISTABLTMODEL_PRESENTHISTORYTOKEN;

typedef struct _D3DKMT_GDIMODEL_PRESENTHISTORYTOKEN {
    ULONG64             hLogicalSurface;
    ULONG64             hPhysicalSurface;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    RECT                ScrollRect;
    POINT               ScrollOffset;
#endif
    D3DKMT_DIRTYREGIONS DirtyRegions;
} D3DKMT_GDIMODEL_PRESENTHISTORYTOKEN;

typedef struct _D3DKMT_FENCE_PRESENTHISTORYTOKEN {
    UINT64 Key;
} D3DKMT_FENCE_PRESENTHISTORYTOKEN;

typedef struct _D3DKMT_GDIMODEL_SYSMEM_PRESENTHISTORYTOKEN {
    ULONG64 hlsurf;
    DWORD   dwDirtyFlags;
    UINT64  uiCookie;
} D3DKMT_GDIMODEL_SYSMEM_PRESENTHISTORYTOKEN;

typedef struct _D3DKMT_COMPOSITION_PRESENTHISTORYTOKEN {
    ULONG64 hPrivateData;
} D3DKMT_COMPOSITION_PRESENTHISTORYTOKEN;

typedef struct _D3DKMT_FLIPMANAGER_PRESENTHISTORYTOKEN {
    ULONG64   hPrivateData;
    ULONGLONG PresentAtQpc;
    union {
        struct {
            UINT Discard : 1;
            UINT PresentAt : 1;
            UINT hPrivateDataIsPointer : 1;
            UINT Reserved : 29;
        };
        UINT Value;
    } Flags;
} D3DKMT_FLIPMANAGER_PRESENTHISTORYTOKEN;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)

typedef struct _D3DKMT_SURFACECOMPLETE_PRESENTHISTORYTOKEN {
    ULONG64 hLogicalSurface;
} D3DKMT_SURFACECOMPLETE_PRESENTHISTORYTOKEN;

#endif

typedef struct _D3DKMT_PRESENTHISTORYTOKEN {
    D3DKMT_PRESENT_MODEL Model;
    UINT                 TokenSize;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    UINT64               CompositionBindingId;
#endif
    union {
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
        BYTE                                       MaxSize[1064];
#endif
        D3DKMT_FLIPMODEL_PRESENTHISTORYTOKEN       Flip;
        D3DKMT_BLTMODEL_PRESENTHISTORYTOKEN        Blt;
        D3DKMT_VISTABLTMODEL_PRESENTHISTORYTOKEN   VistaBlt;
        D3DKMT_GDIMODEL_PRESENTHISTORYTOKEN        Gdi;
        D3DKMT_FENCE_PRESENTHISTORYTOKEN           Fence;
        D3DKMT_GDIMODEL_SYSMEM_PRESENTHISTORYTOKEN GdiSysMem;
        D3DKMT_COMPOSITION_PRESENTHISTORYTOKEN     Composition;
        D3DKMT_FLIPMANAGER_PRESENTHISTORYTOKEN     FlipManager;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
        D3DKMT_SURFACECOMPLETE_PRESENTHISTORYTOKEN SurfaceComplete;
#endif
    } Token;
} D3DKMT_PRESENTHISTORYTOKEN;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _D3DKMT_PRESENT_RGNS {
    UINT                                 DirtyRectCount;
    const RECT D3DKMT_CLIENT             *pDirtyRects;
    UINT                                 MoveRectCount;
    const D3DKMT_MOVE_RECT D3DKMT_CLIENT *pMoveRects;
} D3DKMT_PRESENT_RGNS;

#endif

typedef struct _D3DKMT_PRESENT {
    union {
        D3DKMT_HANDLE hDevice;
        D3DKMT_HANDLE hContext;
    };
    HWND                              hWindow;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID    VidPnSourceId;
    D3DKMT_HANDLE                     hSource;
    D3DKMT_HANDLE                     hDestination;
    UINT                              Color;
    RECT                              DstRect;
    RECT                              SrcRect;
    UINT                              SubRectCnt;
    const RECT D3DKMT_CLIENT          *pSrcSubRects;
    UINT                              PresentCount;
    D3DDDI_FLIPINTERVAL_TYPE          FlipInterval;
    D3DKMT_PRESENTFLAGS               Flags;
    ULONG                             BroadcastContextCount;
    D3DKMT_HANDLE                     BroadcastContext[64];
    HANDLE                            PresentLimitSemaphore;
    D3DKMT_PRESENTHISTORYTOKEN        PresentHistoryToken;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    D3DKMT_PRESENT_RGNS D3DKMT_CLIENT *pPresentRegions;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    union {
        D3DKMT_HANDLE hAdapter;
        D3DKMT_HANDLE hIndirectContext;
    };
    UINT                              Duration;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    D3DKMT_HANDLE D3DKMT_CLIENT       *BroadcastSrcAllocation;
    D3DKMT_HANDLE D3DKMT_CLIENT       *BroadcastDstAllocation;
    UINT                              PrivateDriverDataSize;
    PVOID                             pPrivateDriverData;
    BOOLEAN                           bOptimizeForComposition;
#endif
} D3DKMT_PRESENT;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef struct _D3DKMT_SUBMITPRESENTBLTTOHWQUEUE {
    D3DKMT_HANDLE  hHwQueue;
    UINT64         HwQueueProgressFenceId;
    D3DKMT_PRESENT PrivatePresentData;
} D3DKMT_SUBMITPRESENTBLTTOHWQUEUE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_SUBMITPRESENTBLTTOHWQUEUE)(
    const D3DKMT_SUBMITPRESENTBLTTOHWQUEUE *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)

typedef struct _D3DKMT_SUBMITPRESENTTOHWQUEUE {
    D3DKMT_HANDLE D3DKMT_CLIENT *hHwQueues;
    D3DKMT_PRESENT              PrivatePresentData;
} D3DKMT_SUBMITPRESENTTOHWQUEUE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_SUBMITPRESENTTOHWQUEUE)(D3DKMT_SUBMITPRESENTTOHWQUEUE *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _D3DKMT_OUTPUTDUPLPRESENTFLAGS {
    union {
        struct {
            UINT ProtectedContentBlankedOut : 1;
            UINT RemoteSession : 1;
            UINT FullScreenPresent : 1;
            UINT PresentIndirect : 1;
            UINT Reserved : 28;
        };
        UINT Value;
    };
} D3DKMT_OUTPUTDUPLPRESENTFLAGS;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)

typedef struct _D3DKMT_OUTPUTDUPLPRESENTTOHWQUEUE {
    D3DKMT_HANDLE                  hSource;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    ULONG                          BroadcastHwQueueCount;
    D3DKMT_HANDLE D3DKMT_CLIENT    *hHwQueues;
    D3DKMT_PRESENT_RGNS            PresentRegions;
    D3DKMT_OUTPUTDUPLPRESENTFLAGS  Flags;
    D3DKMT_HANDLE                  hIndirectHwQueue;
} D3DKMT_OUTPUTDUPLPRESENTTOHWQUEUE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OUTPUTDUPLPRESENTTOHWQUEUE)(
    const D3DKMT_OUTPUTDUPLPRESENTTOHWQUEUE *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _D3DKMT_OUTPUTDUPLCONTEXTSCOUNT {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT                           OutputDuplicationCount;
} D3DKMT_OUTPUTDUPLCONTEXTSCOUNT;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_DEVICE_IDS {
    UINT VendorID;
    UINT DeviceID;
    UINT SubVendorID;
    UINT SubSystemID;
    UINT RevisionID;
    UINT BusType;
} D3DKMT_DEVICE_IDS;

typedef struct _D3DKMT_QUERY_DEVICE_IDS {
    UINT              PhysicalAdapterIndex;
    D3DKMT_DEVICE_IDS DeviceIds;
} D3DKMT_QUERY_DEVICE_IDS;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _D3DKMT_GET_DEVICE_VIDPN_OWNERSHIP_INFO {
    D3DKMT_HANDLE hDevice;
    BOOLEAN       bFailedDwmAcquireVidPn;
} D3DKMT_GET_DEVICE_VIDPN_OWNERSHIP_INFO;

#endif

typedef struct _D3DKMT_DEVICE_ESCAPE {
    D3DKMT_DEVICEESCAPE_TYPE Type;
    union {
        struct {
            D3DKMT_HANDLE                  hPrimaryAllocation;
            D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
        } VidPnFromAllocation;
    };
} D3DKMT_DEVICE_ESCAPE;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _OUTPUTDUPL_CONTEXT_DEBUG_INFO {
    OUTPUTDUPL_CONTEXT_DEBUG_STATUS Status;
    HANDLE                          ProcessID;
    UINT32                          AccumulatedPresents;
    LARGE_INTEGER                   LastPresentTime;
    LARGE_INTEGER                   LastMouseTime;
    CHAR                            ProcessName[16];
} OUTPUTDUPL_CONTEXT_DEBUG_INFO;

#endif

typedef struct _D3DKMT_DEVICERESET_STATE {
    union {
        struct {
            UINT DesktopSwitched : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} D3DKMT_DEVICERESET_STATE;

typedef struct _D3DKMT_PRESENT_STATS {
    UINT          PresentCount;
    UINT          PresentRefreshCount;
    UINT          SyncRefreshCount;
    LARGE_INTEGER SyncQPCTime;
    LARGE_INTEGER SyncGPUTime;
} D3DKMT_PRESENT_STATS;

typedef struct _D3DKMT_DEVICEPRESENT_STATE {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DKMT_PRESENT_STATS           PresentStats;
} D3DKMT_DEVICEPRESENT_STATE;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_DEVICEPAGEFAULT_STATE {
    UINT64                     FaultedPrimitiveAPISequenceNumber;
    DXGK_RENDER_PIPELINE_STAGE FaultedPipelineStage;
    UINT                       FaultedBindTableEntry;
    DXGK_PAGE_FAULT_FLAGS      PageFaultFlags;
    DXGK_FAULT_ERROR_CODE      FaultErrorCode;
    D3DGPU_VIRTUAL_ADDRESS     FaultedVirtualAddress;
} D3DKMT_DEVICEPAGEFAULT_STATE;

#endif

typedef struct _D3DKMT_PRESENT_STATS_DWM {
    UINT          PresentCount;
    UINT          PresentRefreshCount;
    LARGE_INTEGER PresentQPCTime;
    UINT          SyncRefreshCount;
    LARGE_INTEGER SyncQPCTime;
    UINT          CustomPresentDuration;
} D3DKMT_PRESENT_STATS_DWM;

typedef struct _D3DKMT_DEVICEPRESENT_STATE_DWM {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DKMT_PRESENT_STATS_DWM       PresentStatsDWM;
} D3DKMT_DEVICEPRESENT_STATE_DWM;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)

typedef struct _D3DKMT_DEVICEPRESENT_QUEUE_STATE {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    BOOLEAN                        bQueuedPresentLimitReached;
} D3DKMT_DEVICEPRESENT_QUEUE_STATE;

#endif

typedef struct _D3DKMT_GETDEVICESTATE {
    D3DKMT_HANDLE           hDevice;
    D3DKMT_DEVICESTATE_TYPE StateType;
    union {
        D3DKMT_DEVICEEXECUTION_STATE     ExecutionState;
        D3DKMT_DEVICEPRESENT_STATE       PresentState;
        D3DKMT_DEVICERESET_STATE         ResetState;
        D3DKMT_DEVICEPRESENT_STATE_DWM   PresentStateDWM;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        D3DKMT_DEVICEPAGEFAULT_STATE     PageFaultState;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
        D3DKMT_DEVICEPRESENT_QUEUE_STATE PresentQueueState;
#endif
    };
} D3DKMT_GETDEVICESTATE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_GETDEVICESTATE)(D3DKMT_GETDEVICESTATE *);

typedef struct _D3DKMT_SETCONTEXTSCHEDULINGPRIORITY {
    D3DKMT_HANDLE hContext;
    INT           Priority;
} D3DKMT_SETCONTEXTSCHEDULINGPRIORITY;

typedef NTSTATUS (APIENTRY *PFND3DKMT_SETCONTEXTSCHEDULINGPRIORITY)(
    const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY *);

typedef struct _D3DKMT_SETCONTEXTINPROCESSSCHEDULINGPRIORITY {
    D3DKMT_HANDLE hContext;
    INT           Priority;
} D3DKMT_SETCONTEXTINPROCESSSCHEDULINGPRIORITY;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef NTSTATUS (APIENTRY *PFND3DKMT_SETCONTEXTINPROCESSSCHEDULINGPRIORITY)(
    const D3DKMT_SETCONTEXTINPROCESSSCHEDULINGPRIORITY *);

#endif

typedef struct _D3DKMT_GETCONTEXTSCHEDULINGPRIORITY {
    D3DKMT_HANDLE hContext;
    INT           Priority;
} D3DKMT_GETCONTEXTSCHEDULINGPRIORITY;

typedef NTSTATUS (APIENTRY *PFND3DKMT_GETCONTEXTSCHEDULINGPRIORITY)(
    D3DKMT_GETCONTEXTSCHEDULINGPRIORITY *);

typedef struct _D3DKMT_GETCONTEXTINPROCESSSCHEDULINGPRIORITY {
    D3DKMT_HANDLE hContext;
    INT           Priority;
} D3DKMT_GETCONTEXTINPROCESSSCHEDULINGPRIORITY;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef NTSTATUS (APIENTRY *PFND3DKMT_GETCONTEXTINPROCESSSCHEDULINGPRIORITY)(
    D3DKMT_GETCONTEXTINPROCESSSCHEDULINGPRIORITY *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)

typedef struct _D3DKMT_MIRACAST_DISPLAY_DEVICE_STATUS {
    D3DKMT_MIRACAST_DISPLAY_DEVICE_STATE State;
} D3DKMT_MIRACAST_DISPLAY_DEVICE_STATUS, *PD3DKMT_MIRACAST_DISPLAY_DEVICE_STATUS;

typedef struct _D3DKMT_MIRACAST_DISPLAY_DEVICE_CAPS {
    BOOLEAN HdcpSupported;
    ULONG   DefaultControlPort;
    BOOLEAN UsesIhvSolution;
} D3DKMT_MIRACAST_DISPLAY_DEVICE_CAPS, *PD3DKMT_MIRACAST_DISPLAY_DEVICE_CAPS;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_CREATECONTEXTVIRTUAL {
    D3DKMT_HANDLE             hDevice;
    UINT                      NodeOrdinal;
    UINT                      EngineAffinity;
    D3DDDI_CREATECONTEXTFLAGS Flags;
    void D3DKMT_CLIENT        *pPrivateDriverData;
    UINT                      PrivateDriverDataSize;
    D3DKMT_CLIENTHINT         ClientHint;
    D3DKMT_HANDLE             hContext;
} D3DKMT_CREATECONTEXTVIRTUAL;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CREATECONTEXTVIRTUAL)(D3DKMT_CREATECONTEXTVIRTUAL *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _D3DKMT_SUBMITCOMMANDTOHWQUEUE {
    D3DKMT_HANDLE                     hHwQueue;
    UINT64                            HwQueueProgressFenceId;
    D3DGPU_VIRTUAL_ADDRESS            CommandBuffer;
    UINT                              CommandLength;
    UINT                              PrivateDriverDataSize;
    void D3DKMT_CLIENT                *pPrivateDriverData;
    UINT                              NumPrimaries;
    const D3DKMT_HANDLE D3DKMT_CLIENT *WrittenPrimaries;
} D3DKMT_SUBMITCOMMANDTOHWQUEUE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef NTSTATUS (APIENTRY *PFND3DKMT_SUBMITCOMMANDTOHWQUEUE)(
    const D3DKMT_SUBMITCOMMANDTOHWQUEUE *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE {
    D3DKMT_HANDLE                     hHwQueue;
    UINT                              ObjectCount;
    const D3DKMT_HANDLE D3DKMT_CLIENT *ObjectHandleArray;
    const UINT64 D3DKMT_CLIENT        *FenceValueArray;
} D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef NTSTATUS (APIENTRY *PFND3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE)(
    const D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE {
    D3DDDICB_SIGNALFLAGS              Flags;
    ULONG                             BroadcastHwQueueCount;
    const D3DKMT_HANDLE D3DKMT_CLIENT *BroadcastHwQueueArray;
    UINT                              ObjectCount;
    const D3DKMT_HANDLE D3DKMT_CLIENT *ObjectHandleArray;
    const UINT64 D3DKMT_CLIENT        *FenceValueArray;
} D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef NTSTATUS (APIENTRY *PFND3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE)(
    const D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_MARKDEVICEASERROR {
    D3DKMT_HANDLE              hDevice;
    D3DKMT_DEVICE_ERROR_REASON Reason;
} D3DKMT_MARKDEVICEASERROR;

typedef NTSTATUS (APIENTRY *PFND3DKMT_MARKDEVICEASERROR)(D3DKMT_MARKDEVICEASERROR *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _D3DKMT_CREATEHWCONTEXT {
    D3DKMT_HANDLE               hDevice;
    UINT                        NodeOrdinal;
    UINT                        EngineAffinity;
    D3DDDI_CREATEHWCONTEXTFLAGS Flags;
    UINT                        PrivateDriverDataSize;
    void D3DKMT_CLIENT          *pPrivateDriverData;
    D3DKMT_HANDLE               hHwContext;
} D3DKMT_CREATEHWCONTEXT;

typedef struct _D3DKMT_DESTROYHWCONTEXT {
    D3DKMT_HANDLE hHwContext;
} D3DKMT_DESTROYHWCONTEXT;

typedef struct _D3DKMT_CREATEHWQUEUE {
    D3DKMT_HANDLE             hHwContext;
    D3DDDI_CREATEHWQUEUEFLAGS Flags;
    UINT                      PrivateDriverDataSize;
    void D3DKMT_CLIENT        *pPrivateDriverData;
    D3DKMT_HANDLE             hHwQueue;
    D3DKMT_HANDLE             hHwQueueProgressFence;
    void D3DKMT_CLIENT        *HwQueueProgressFenceCPUVirtualAddress;
    D3DGPU_VIRTUAL_ADDRESS    HwQueueProgressFenceGPUVirtualAddress;
} D3DKMT_CREATEHWQUEUE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef NTSTATUS (APIENTRY *PFND3DKMT_CREATEHWQUEUE)(D3DKMT_CREATEHWQUEUE *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _D3DKMT_DESTROYHWQUEUE {
    D3DKMT_HANDLE hHwQueue;
} D3DKMT_DESTROYHWQUEUE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef NTSTATUS (APIENTRY *PFND3DKMT_DESTROYHWQUEUE)(const D3DKMT_DESTROYHWQUEUE *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)

typedef struct _D3DKMT_GETPROCESSDEVICEREMOVALSUPPORT {
    HANDLE  hProcess;
    LUID    AdapterLuid;
    BOOLEAN Support;
} D3DKMT_GETPROCESSDEVICEREMOVALSUPPORT;

typedef NTSTATUS (APIENTRY *PFND3DKMT_GETPROCESSDEVICEREMOVALSUPPORT)(
    D3DKMT_GETPROCESSDEVICEREMOVALSUPPORT *);

#endif

typedef NTSTATUS (APIENTRY *PFND3DKMT_SETPROCESSSCHEDULINGPRIORITYCLASS)(
    HANDLE,
    D3DKMT_SCHEDULINGPRIORITYCLASS);

typedef NTSTATUS (APIENTRY *PFND3DKMT_GETPROCESSSCHEDULINGPRIORITYCLASS)(
    HANDLE,
    D3DKMT_SCHEDULINGPRIORITYCLASS *);

/* ----------------------------------------------------------------------------------------------
 * Allocations and sharing
 */

typedef enum _D3DKMT_STANDARDALLOCATIONTYPE {
    D3DKMT_STANDARDALLOCATIONTYPE_EXISTINGHEAP         = 1,
    D3DKMT_STANDARDALLOCATIONTYPE_INTERNALBACKINGSTORE = 2,
    D3DKMT_STANDARDALLOCATIONTYPE_MAX                  = 3,
} D3DKMT_STANDARDALLOCATIONTYPE;

typedef enum _D3DKMT_ALLOCATIONRESIDENCYSTATUS {
    D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINGPUMEMORY    = 1,
    D3DKMT_ALLOCATIONRESIDENCYSTATUS_RESIDENTINSHAREDMEMORY = 2,
    D3DKMT_ALLOCATIONRESIDENCYSTATUS_NOTRESIDENT            = 3,
} D3DKMT_ALLOCATIONRESIDENCYSTATUS;

typedef enum _D3DKMT_QUERYSTATISTICS_ALLOCATION_PRIORITY_CLASS {
    D3DKMT_AllocationPriorityClassMinimum = 0,
    D3DKMT_AllocationPriorityClassLow     = 1,
    D3DKMT_AllocationPriorityClassNormal  = 2,
    D3DKMT_AllocationPriorityClassHigh    = 3,
    D3DKMT_AllocationPriorityClassMaximum = 4,
    D3DKMT_MaxAllocationPriorityClass     = 5,
} D3DKMT_QUERYSTATISTICS_ALLOCATION_PRIORITY_CLASS;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef enum _D3DKMT_OFFER_PRIORITY {
    D3DKMT_OFFER_PRIORITY_LOW    = 1,
    D3DKMT_OFFER_PRIORITY_NORMAL = 2,
    D3DKMT_OFFER_PRIORITY_HIGH   = 3,
    D3DKMT_OFFER_PRIORITY_AUTO   = 4,
} D3DKMT_OFFER_PRIORITY;

#endif

typedef struct _D3DKMT_LOCK {
    D3DKMT_HANDLE            hDevice;
    D3DKMT_HANDLE            hAllocation;
    UINT                     PrivateDriverData;
    UINT                     NumPages;
    const UINT D3DKMT_CLIENT *pPages;
    void D3DKMT_CLIENT       *pData;
    D3DDDICB_LOCKFLAGS       Flags;
    D3DGPU_VIRTUAL_ADDRESS   GpuVirtualAddress;
} D3DKMT_LOCK;

typedef NTSTATUS (APIENTRY *PFND3DKMT_LOCK)(D3DKMT_LOCK *);

typedef struct _D3DKMT_UNLOCK {
    D3DKMT_HANDLE                     hDevice;
    UINT                              NumAllocations;
    const D3DKMT_HANDLE D3DKMT_CLIENT *phAllocations;
} D3DKMT_UNLOCK;

typedef NTSTATUS (APIENTRY *PFND3DKMT_UNLOCK)(const D3DKMT_UNLOCK *);

typedef struct _D3DKMT_STANDARDALLOCATION_EXISTINGHEAP {
    D3DKMT_SIZE_T Size;
} D3DKMT_STANDARDALLOCATION_EXISTINGHEAP;

typedef struct _D3DKMT_CREATESTANDARDALLOCATIONFLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} D3DKMT_CREATESTANDARDALLOCATIONFLAGS;

typedef struct _D3DKMT_CREATESTANDARDALLOCATION {
    D3DKMT_STANDARDALLOCATIONTYPE        Type;
    union {
        D3DKMT_STANDARDALLOCATION_EXISTINGHEAP ExistingHeapData;
    };
    D3DKMT_CREATESTANDARDALLOCATIONFLAGS Flags;
} D3DKMT_CREATESTANDARDALLOCATION;

typedef struct _D3DKMT_CREATEALLOCATIONFLAGS {
    UINT CreateResource : 1;
    UINT CreateShared : 1;
    UINT NonSecure : 1;
    UINT CreateProtected : 1;
    UINT RestrictSharedAccess : 1;
    UINT ExistingSysMem : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WIN8)
    UINT Reserved : 26;
#else
    UINT NtSecuritySharing : 1;
    UINT ReadOnly : 1;
    UINT CreateWriteCombined : 1;
    UINT CreateCached : 1;
    UINT SwapChainBackBuffer : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    UINT Reserved : 21;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    UINT CrossAdapter : 1;
    UINT OpenCrossAdapter : 1;
    UINT PartialSharedCreation : 1;
    UINT Zeroed : 1;
    UINT WriteWatch : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_3)
    UINT Reserved : 16;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)
    UINT StandardAllocation : 1;
    UINT ExistingSection : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_6)
    UINT Reserved : 14;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)
    UINT AllowNotZeroed : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_7)
    UINT Reserved : 13;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7)
    UINT PhysicallyContiguous : 1;
    UINT NoKmdAccess : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_0)
    UINT Reserved : 11;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)
    UINT SharedDisplayable : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_2)
    UINT Reserved : 10;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
    UINT NoImplicitSynchronization : 1;
    UINT Reserved : 9;
#endif
} D3DKMT_CREATEALLOCATIONFLAGS;

typedef struct _D3DKMT_CREATEALLOCATION {
    D3DKMT_HANDLE                hDevice;
    D3DKMT_HANDLE                hResource;
    D3DKMT_HANDLE                hGlobalShare;
    const void D3DKMT_CLIENT     *pPrivateRuntimeData;
    UINT                         PrivateRuntimeDataSize;
    union {
        D3DKMT_CREATESTANDARDALLOCATION D3DKMT_CLIENT *pStandardAllocation;
        const void D3DKMT_CLIENT                     *pPrivateDriverData;
    };
    UINT                         PrivateDriverDataSize;
    UINT                         NumAllocations;
    union {
        D3DDDI_ALLOCATIONINFO D3DKMT_CLIENT  *pAllocationInfo;
        D3DDDI_ALLOCATIONINFO2 D3DKMT_CLIENT *pAllocationInfo2;
    };
    D3DKMT_CREATEALLOCATIONFLAGS Flags;
    HANDLE                       hPrivateRuntimeResourceHandle;
} D3DKMT_CREATEALLOCATION;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CREATEALLOCATION)(D3DKMT_CREATEALLOCATION *);

typedef NTSTATUS (APIENTRY *PFND3DKMT_CREATEALLOCATION2)(D3DKMT_CREATEALLOCATION *);

typedef struct _D3DKMT_OPENRESOURCE {
    D3DKMT_HANDLE      hDevice;
    D3DKMT_HANDLE      hGlobalShare;
    UINT               NumAllocations;
    union {
        D3DDDI_OPENALLOCATIONINFO D3DKMT_CLIENT  *pOpenAllocationInfo;
        D3DDDI_OPENALLOCATIONINFO2 D3DKMT_CLIENT *pOpenAllocationInfo2;
    };
    void D3DKMT_CLIENT *pPrivateRuntimeData;
    UINT               PrivateRuntimeDataSize;
    void D3DKMT_CLIENT *pResourcePrivateDriverData;
    UINT               ResourcePrivateDriverDataSize;
    void D3DKMT_CLIENT *pTotalPrivateDriverDataBuffer;
    UINT               TotalPrivateDriverDataBufferSize;
    D3DKMT_HANDLE      hResource;
} D3DKMT_OPENRESOURCE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OPENRESOURCE)(D3DKMT_OPENRESOURCE *);

typedef NTSTATUS (APIENTRY *PFND3DKMT_OPENRESOURCE2)(D3DKMT_OPENRESOURCE *);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _D3DKMT_OPENRESOURCEFROMNTHANDLE {
    D3DKMT_HANDLE                            hDevice;
    HANDLE                                   hNtHandle;
    UINT                                     NumAllocations;
    D3DDDI_OPENALLOCATIONINFO2 D3DKMT_CLIENT *pOpenAllocationInfo2;
    UINT                                     PrivateRuntimeDataSize;
    void D3DKMT_CLIENT                       *pPrivateRuntimeData;
    UINT                                     ResourcePrivateDriverDataSize;
    void D3DKMT_CLIENT                       *pResourcePrivateDriverData;
    UINT                                     TotalPrivateDriverDataBufferSize;
    void D3DKMT_CLIENT                       *pTotalPrivateDriverDataBuffer;
    D3DKMT_HANDLE                            hResource;
    D3DKMT_HANDLE                            hKeyedMutex;
    void D3DKMT_CLIENT                       *pKeyedMutexPrivateRuntimeData;
    UINT                                     KeyedMutexPrivateRuntimeDataSize;
    D3DKMT_HANDLE                            hSyncObject;
} D3DKMT_OPENRESOURCEFROMNTHANDLE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OPENRESOURCEFROMNTHANDLE)(D3DKMT_OPENRESOURCEFROMNTHANDLE *);

typedef struct _D3DKMT_OPENNTHANDLEFROMNAME {
    DWORD                           dwDesiredAccess;
    OBJECT_ATTRIBUTES D3DKMT_CLIENT *pObjAttrib;
    HANDLE                          hNtHandle;
} D3DKMT_OPENNTHANDLEFROMNAME;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OPENNTHANDLEFROMNAME)(D3DKMT_OPENNTHANDLEFROMNAME *);

typedef struct _D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE {
    D3DKMT_HANDLE      hDevice;
    HANDLE             hNtHandle;
    void D3DKMT_CLIENT *pPrivateRuntimeData;
    UINT               PrivateRuntimeDataSize;
    UINT               TotalPrivateDriverDataSize;
    UINT               ResourcePrivateDriverDataSize;
    UINT               NumAllocations;
} D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_QUERYRESOURCEINFOFROMNTHANDLE)(
    D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE *);

#endif

typedef struct _D3DKMT_QUERYRESOURCEINFO {
    D3DKMT_HANDLE      hDevice;
    D3DKMT_HANDLE      hGlobalShare;
    void D3DKMT_CLIENT *pPrivateRuntimeData;
    UINT               PrivateRuntimeDataSize;
    UINT               TotalPrivateDriverDataSize;
    UINT               ResourcePrivateDriverDataSize;
    UINT               NumAllocations;
} D3DKMT_QUERYRESOURCEINFO;

typedef NTSTATUS (APIENTRY *PFND3DKMT_QUERYRESOURCEINFO)(D3DKMT_QUERYRESOURCEINFO *);

typedef struct _D3DKMT_DESTROYALLOCATION {
    D3DKMT_HANDLE                     hDevice;
    D3DKMT_HANDLE                     hResource;
    const D3DKMT_HANDLE D3DKMT_CLIENT *phAllocationList;
    UINT                              AllocationCount;
} D3DKMT_DESTROYALLOCATION;

typedef NTSTATUS (APIENTRY *PFND3DKMT_DESTROYALLOCATION)(const D3DKMT_DESTROYALLOCATION *);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_DESTROYALLOCATION2 {
    D3DKMT_HANDLE                     hDevice;
    D3DKMT_HANDLE                     hResource;
    const D3DKMT_HANDLE D3DKMT_CLIENT *phAllocationList;
    UINT                              AllocationCount;
    D3DDDICB_DESTROYALLOCATION2FLAGS  Flags;
} D3DKMT_DESTROYALLOCATION2;

typedef NTSTATUS (APIENTRY *PFND3DKMT_DESTROYALLOCATION2)(const D3DKMT_DESTROYALLOCATION2 *);

#endif

typedef struct _D3DKMT_SETALLOCATIONPRIORITY {
    D3DKMT_HANDLE                     hDevice;
    D3DKMT_HANDLE                     hResource;
    const D3DKMT_HANDLE D3DKMT_CLIENT *phAllocationList;
    UINT                              AllocationCount;
    const UINT D3DKMT_CLIENT          *pPriorities;
} D3DKMT_SETALLOCATIONPRIORITY;

typedef NTSTATUS (APIENTRY *PFND3DKMT_SETALLOCATIONPRIORITY)(const D3DKMT_SETALLOCATIONPRIORITY *);

typedef struct _D3DKMT_QUERYALLOCATIONRESIDENCY {
    D3DKMT_HANDLE                                hDevice;
    D3DKMT_HANDLE                                hResource;
    const D3DKMT_HANDLE D3DKMT_CLIENT            *phAllocationList;
    UINT                                         AllocationCount;
    D3DKMT_ALLOCATIONRESIDENCYSTATUS D3DKMT_CLIENT *pResidencyStatus;
} D3DKMT_QUERYALLOCATIONRESIDENCY;

typedef NTSTATUS (APIENTRY *PFND3DKMT_QUERYALLOCATIONRESIDENCY)(
    const D3DKMT_QUERYALLOCATIONRESIDENCY *);

typedef struct _D3DKMT_SHAREDPRIMARYUNLOCKNOTIFICATION {
    LUID                           AdapterLuid;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
} D3DKMT_SHAREDPRIMARYUNLOCKNOTIFICATION;

typedef NTSTATUS (APIENTRY *PFND3DKMT_SHAREDPRIMARYUNLOCKNOTIFICATION)(
    const D3DKMT_SHAREDPRIMARYUNLOCKNOTIFICATION *);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _D3DKMT_PINDIRECTFLIPRESOURCES {
    D3DKMT_HANDLE               hDevice;
    UINT                        ResourceCount;
    D3DKMT_HANDLE D3DKMT_CLIENT *pResourceList;
} D3DKMT_PINDIRECTFLIPRESOURCES;

typedef NTSTATUS (APIENTRY *PFND3DKMT_PINDIRECTFLIPRESOURCES)(
    const D3DKMT_PINDIRECTFLIPRESOURCES *);

typedef struct _D3DKMT_UNPINDIRECTFLIPRESOURCES {
    D3DKMT_HANDLE               hDevice;
    UINT                        ResourceCount;
    D3DKMT_HANDLE D3DKMT_CLIENT *pResourceList;
} D3DKMT_UNPINDIRECTFLIPRESOURCES;

typedef NTSTATUS (APIENTRY *PFND3DKMT_UNPINDIRECTFLIPRESOURCES)(
    const D3DKMT_UNPINDIRECTFLIPRESOURCES *);

#endif

typedef struct _D3DKMT_CONFIGURESHAREDRESOURCE {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hResource;
    BOOLEAN       IsDwm;
    HANDLE        hProcess;
    BOOLEAN       AllowAccess;
} D3DKMT_CONFIGURESHAREDRESOURCE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CONFIGURESHAREDRESOURCE)(
    const D3DKMT_CONFIGURESHAREDRESOURCE *);

typedef struct _D3DKMT_CHECKSHAREDRESOURCEACCESS {
    D3DKMT_HANDLE hResource;
    UINT          ClientPid;
} D3DKMT_CHECKSHAREDRESOURCEACCESS;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CHECKSHAREDRESOURCEACCESS)(
    const D3DKMT_CHECKSHAREDRESOURCEACCESS *);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_OFFER_FLAGS {
    union {
        struct {
            UINT OfferImmediately : 1;
            UINT AllowDecommit : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} D3DKMT_OFFER_FLAGS;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _D3DKMT_OFFERALLOCATIONS {
    D3DKMT_HANDLE                     hDevice;
    D3DKMT_HANDLE D3DKMT_CLIENT       *pResources;
    const D3DKMT_HANDLE D3DKMT_CLIENT *HandleList;
    UINT                              NumAllocations;
    D3DKMT_OFFER_PRIORITY             Priority;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    D3DKMT_OFFER_FLAGS                Flags;
#endif
} D3DKMT_OFFERALLOCATIONS;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OFFERALLOCATIONS)(const D3DKMT_OFFERALLOCATIONS *);

typedef struct _D3DKMT_RECLAIMALLOCATIONS {
    D3DKMT_HANDLE                     hDevice;
    D3DKMT_HANDLE D3DKMT_CLIENT       *pResources;
    const D3DKMT_HANDLE D3DKMT_CLIENT *HandleList;
    BOOL D3DKMT_CLIENT                *pDiscarded;
    UINT                              NumAllocations;
} D3DKMT_RECLAIMALLOCATIONS;

typedef NTSTATUS (APIENTRY *PFND3DKMT_RECLAIMALLOCATIONS)(const D3DKMT_RECLAIMALLOCATIONS *);

typedef struct _D3DKMT_RECLAIMALLOCATIONS2 {
    D3DKMT_HANDLE                     hPagingQueue;
    UINT                              NumAllocations;
    D3DKMT_HANDLE D3DKMT_CLIENT       *pResources;
    const D3DKMT_HANDLE D3DKMT_CLIENT *HandleList;
    union {
        BOOL D3DKMT_CLIENT                  *pDiscarded;
        D3DDDI_RECLAIM_RESULT D3DKMT_CLIENT *pResults;
    };
    UINT64                            PagingFenceValue;
} D3DKMT_RECLAIMALLOCATIONS2;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef NTSTATUS (APIENTRY *PFND3DKMT_RECLAIMALLOCATIONS2)(D3DKMT_RECLAIMALLOCATIONS2 *);

typedef struct _D3DKMT_LOCK2 {
    D3DKMT_HANDLE       hDevice;
    D3DKMT_HANDLE       hAllocation;
    D3DDDICB_LOCK2FLAGS Flags;
    PVOID               pData;
} D3DKMT_LOCK2;

typedef NTSTATUS (APIENTRY *PFND3DKMT_LOCK2)(D3DKMT_LOCK2 *);

typedef struct _D3DKMT_UNLOCK2 {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hAllocation;
} D3DKMT_UNLOCK2;

typedef NTSTATUS (APIENTRY *PFND3DKMT_UNLOCK2)(const D3DKMT_UNLOCK2 *);

typedef struct _D3DKMT_SHAREOBJECTWITHHOST {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hObject;
    UINT64        Reserved;
    UINT64        hVailProcessNtHandle;
} D3DKMT_SHAREOBJECTWITHHOST;

typedef struct _D3DKMT_QUERYPROCESSOFFERINFO {
    ULONG  cbSize;
    HANDLE hProcess;
    UINT64 DecommitUniqueness;
    UINT64 DecommittableBytes;
} D3DKMT_QUERYPROCESSOFFERINFO;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)

typedef NTSTATUS (APIENTRY *PFND3DKMT_QUERYPROCESSOFFERINFO)(D3DKMT_QUERYPROCESSOFFERINFO *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _D3DKMT_GETALLOCATIONPRIORITY {
    D3DKMT_HANDLE                     hDevice;
    D3DKMT_HANDLE                     hResource;
    const D3DKMT_HANDLE D3DKMT_CLIENT *phAllocationList;
    UINT                              AllocationCount;
    UINT D3DKMT_CLIENT                *pPriorities;
} D3DKMT_GETALLOCATIONPRIORITY;

typedef NTSTATUS (APIENTRY *PFND3DKMT_GETALLOCATIONPRIORITY)(const D3DKMT_GETALLOCATIONPRIORITY *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)

typedef union _D3DKMT_SETFSEBLOCKFLAGS {
    struct {
        UINT Block : 1;
        UINT Reserved : 31;
    };
    UINT Value;
} D3DKMT_SETFSEBLOCKFLAGS;

typedef struct _D3DKMT_SETFSEBLOCK {
    LUID                           AdapterLuid;
    D3DKMT_HANDLE                  hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DKMT_SETFSEBLOCKFLAGS        Flags;
} D3DKMT_SETFSEBLOCK;

typedef NTSTATUS (APIENTRY *PFND3DKMT_SETFSEBLOCK)(const D3DKMT_SETFSEBLOCK *);

typedef union _D3DKMT_QUERYFSEFLAGS {
    struct {
        UINT Blocked : 1;
        UINT Reserved : 31;
    };
    UINT Value;
} D3DKMT_QUERYFSEBLOCKFLAGS;

typedef struct _D3DKMT_QUERYFSEBLOCK {
    LUID                           AdapterLuid;
    D3DKMT_HANDLE                  hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DKMT_QUERYFSEBLOCKFLAGS      Flags;
} D3DKMT_QUERYFSEBLOCK;

typedef NTSTATUS (APIENTRY *PFND3DKMT_QUERYFSEBLOCK)(D3DKMT_QUERYFSEBLOCK *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef NTSTATUS (APIENTRY *PFND3DKMT_SHAREOBJECTS)(
    UINT cObjects,
    const D3DKMT_HANDLE *hObjects,
    POBJECT_ATTRIBUTES pObjectAttributes,
    DWORD dwDesiredAccess,
    HANDLE *phSharedNtHandle);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef NTSTATUS (APIENTRY *PFND3DKMT_MAKERESIDENT)(D3DDDI_MAKERESIDENT *);

typedef NTSTATUS (APIENTRY *PFND3DKMT_GETRESOURCEPRESENTPRIVATEDRIVERDATA)(
    D3DDDI_GETRESOURCEPRESENTPRIVATEDRIVERDATA *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)

typedef NTSTATUS (APIENTRY *PFND3DKMT_UPDATEALLOCATIONPROPERTY)(D3DDDI_UPDATEALLOCPROPERTY *);

#endif

/* ----------------------------------------------------------------------------------------------
 * GPU virtual addresses and budgets
 */

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_GPUMMU_CAPS {
    union {
        struct {
            UINT ReadOnlyMemorySupported : 1;
            UINT NoExecuteMemorySupported : 1;
            UINT CacheCoherentMemorySupported : 1;
            UINT Reserved : 29;
        };
        UINT Value;
    } Flags;
    UINT VirtualAddressBitCount;
} D3DKMT_GPUMMU_CAPS;

typedef struct _D3DKMT_QUERY_GPUMMU_CAPS {
    UINT               PhysicalAdapterIndex;
    D3DKMT_GPUMMU_CAPS Caps;
} D3DKMT_QUERY_GPUMMU_CAPS;

#endif

typedef struct _D3DKMT_EVICTION_CRITERIA {
    UINT64 MinimumSize;
    UINT64 MaximumSize;
    struct {
        union {
            struct {
                UINT Primary : 1;
                UINT Reserved : 31;
            } Flags;
            UINT Value;
        };
    };
} D3DKMT_EVICTION_CRITERIA;

typedef struct _D3DKMT_PAGE_TABLE_LEVEL_DESC {
    UINT   IndexBitCount;
    UINT64 IndexMask;
    UINT64 IndexShift;
    UINT64 LowerLevelsMask;
    UINT64 EntryCoverageInPages;
} D3DKMT_PAGE_TABLE_LEVEL_DESC;

typedef struct _DXGK_ESCAPE_GPUMMUCAPS {
    BOOLEAN                      ReadOnlyMemorySupported;
    BOOLEAN                      NoExecuteMemorySupported;
    BOOLEAN                      ZeroInPteSupported;
    BOOLEAN                      CacheCoherentMemorySupported;
    BOOLEAN                      LargePageSupported;
    BOOLEAN                      DualPteSupported;
    BOOLEAN                      AllowNonAlignedLargePageAddress;
    BOOLEAN                      PageTable64KSupported : 1;
    BOOLEAN                      Reserved : 7;
    UINT                         VirtualAddressBitCount;
    UINT                         PageTableLevelCount;
    D3DKMT_PAGE_TABLE_LEVEL_DESC PageTableLevelDesk[6];
} DXGK_ESCAPE_GPUMMUCAPS;

typedef struct _D3DKMT_GET_GPUMMU_CAPS {
    UINT                   PhysicalAdapterIndex;
    DXGK_ESCAPE_GPUMMUCAPS GpuMmuCaps;
} D3DKMT_GET_GPUMMU_CAPS;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_PROCESS_VERIFIER_VIDMM_RESTRICT_BUDGET {
    UINT64 LocalBudget;
    UINT64 NonLocalBudget;
} D3DKMT_PROCESS_VERIFIER_VIDMM_RESTRICT_BUDGET;

typedef struct _D3DKMT_CREATEPAGINGQUEUE {
    D3DKMT_HANDLE               hDevice;
    D3DDDI_PAGINGQUEUE_PRIORITY Priority;
    D3DKMT_HANDLE               hPagingQueue;
    D3DKMT_HANDLE               hSyncObject;
    void D3DKMT_CLIENT          *FenceValueCPUVirtualAddress;
    UINT                        PhysicalAdapterIndex;
} D3DKMT_CREATEPAGINGQUEUE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CREATEPAGINGQUEUE)(D3DKMT_CREATEPAGINGQUEUE *);

typedef struct _D3DKMT_EVICT {
    D3DKMT_HANDLE                     hDevice;
    UINT                              NumAllocations;
    const D3DKMT_HANDLE D3DKMT_CLIENT *AllocationList;
    D3DDDI_EVICT_FLAGS                Flags;
    UINT64                            NumBytesToTrim;
} D3DKMT_EVICT;

typedef NTSTATUS (APIENTRY *PFND3DKMT_EVICT)(D3DKMT_EVICT *);

typedef struct _D3DKMT_FREEGPUVIRTUALADDRESS {
    D3DKMT_HANDLE          hAdapter;
    D3DGPU_VIRTUAL_ADDRESS BaseAddress;
    D3DGPU_SIZE_T          Size;
} D3DKMT_FREEGPUVIRTUALADDRESS;

typedef NTSTATUS (APIENTRY *PFND3DKMT_FREEGPUVIRTUALADDRESS)(const D3DKMT_FREEGPUVIRTUALADDRESS *);

typedef struct _D3DKMT_UPDATEGPUVIRTUALADDRESS {
    D3DKMT_HANDLE                                hDevice;
    D3DKMT_HANDLE                                hContext;
    D3DKMT_HANDLE                                hFenceObject;
    UINT                                         NumOperations;
    D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION D3DKMT_CLIENT *Operations;
    D3DKMT_SIZE_T                                Reserved0;
    UINT64                                       Reserved1;
    UINT64                                       FenceValue;
    union {
        struct {
            UINT DoNotWait : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    } Flags;
} D3DKMT_UPDATEGPUVIRTUALADDRESS;

typedef NTSTATUS (APIENTRY *PFND3DKMT_UPDATEGPUVIRTUALADDRESS)(
    const D3DKMT_UPDATEGPUVIRTUALADDRESS *);

#endif

typedef enum _D3DKMT_MEMORY_SEGMENT_GROUP {
    D3DKMT_MEMORY_SEGMENT_GROUP_LOCAL     = 0,
    D3DKMT_MEMORY_SEGMENT_GROUP_NON_LOCAL = 1,
} D3DKMT_MEMORY_SEGMENT_GROUP;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_QUERYVIDEOMEMORYINFO {
    HANDLE                      hProcess;
    D3DKMT_HANDLE               hAdapter;
    D3DKMT_MEMORY_SEGMENT_GROUP MemorySegmentGroup;
    UINT64                      Budget;
    UINT64                      CurrentUsage;
    UINT64                      CurrentReservation;
    UINT64                      AvailableForReservation;
    UINT                        PhysicalAdapterIndex;
} D3DKMT_QUERYVIDEOMEMORYINFO;

typedef NTSTATUS (APIENTRY *PFND3DKMT_QUERYVIDEOMEMORYINFO)(D3DKMT_QUERYVIDEOMEMORYINFO *);

typedef struct _D3DKMT_CHANGEVIDEOMMEMORYRESERVATION {
    HANDLE                      hProcess;
    D3DKMT_HANDLE               hAdapter;
    D3DKMT_MEMORY_SEGMENT_GROUP MemorySegmentGroup;
    UINT64                      Reservation;
    UINT                        PhysicalAdapterIndex;
} D3DKMT_CHANGEVIDEOMEMORYRESERVATION;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CHANGEVIDEOMEMORYRESERVATION)(
    const D3DKMT_CHANGEVIDEOMEMORYRESERVATION *);

typedef struct _D3DKMT_TRIMNOTIFICATION {
    void D3DKMT_CLIENT            *Context;
    D3DDDI_TRIMRESIDENCYSET_FLAGS Flags;
    UINT64                        NumBytesToTrim;
} D3DKMT_TRIMNOTIFICATION;

typedef void (APIENTRY *PFND3DKMT_TRIMNOTIFICATIONCALLBACK)(D3DKMT_TRIMNOTIFICATION *);

typedef struct _D3DKMT_REGISTERTRIMNOTIFICATION {
    LUID                               AdapterLuid;
    D3DKMT_HANDLE                      hDevice;
    PFND3DKMT_TRIMNOTIFICATIONCALLBACK Callback;
    void D3DKMT_CLIENT                 *Context;
    void D3DKMT_CLIENT                 *Handle;
} D3DKMT_REGISTERTRIMNOTIFICATION;

typedef NTSTATUS (APIENTRY *PFND3DKMT_REGISTERTRIMNOTIFICATION)(D3DKMT_REGISTERTRIMNOTIFICATION *);

typedef struct _D3DKMT_UNREGISTERTRIMNOTIFICATION {
    void D3DKMT_CLIENT                 *Handle;
    PFND3DKMT_TRIMNOTIFICATIONCALLBACK Callback;
} D3DKMT_UNREGISTERTRIMNOTIFICATION;

typedef NTSTATUS (APIENTRY *PFND3DKMT_UNREGISTERTRIMNOTIFICATION)(
    D3DKMT_UNREGISTERTRIMNOTIFICATION *);

typedef struct _D3DKMT_BUDGETCHANGENOTIFICATION {
    void D3DKMT_CLIENT *Context;
    UINT64             Budget;
} D3DKMT_BUDGETCHANGENOTIFICATION;

typedef void (APIENTRY *PFND3DKMT_BUDGETCHANGENOTIFICATIONCALLBACK)(
    D3DKMT_BUDGETCHANGENOTIFICATION *);

typedef struct _D3DKMT_REGISTERBUDGETCHANGENOTIFICATION {
    D3DKMT_HANDLE                              hDevice;
    PFND3DKMT_BUDGETCHANGENOTIFICATIONCALLBACK Callback;
    void D3DKMT_CLIENT                         *Context;
    void D3DKMT_CLIENT                         *Handle;
} D3DKMT_REGISTERBUDGETCHANGENOTIFICATION;

typedef NTSTATUS (APIENTRY *PFND3DKMT_REGISTERBUDGETCHANGENOTIFICATION)(
    D3DKMT_REGISTERBUDGETCHANGENOTIFICATION *);

typedef struct _D3DKMT_UNREGISTERBUDGETCHANGENOTIFICATION {
    void D3DKMT_CLIENT *Handle;
} D3DKMT_UNREGISTERBUDGETCHANGENOTIFICATION;

typedef NTSTATUS (APIENTRY *PFND3DKMT_UNREGISTERBUDGETCHANGENOTIFICATION)(
    D3DKMT_UNREGISTERBUDGETCHANGENOTIFICATION *);

typedef union _D3DKMT_TRIMPROCESSCOMMITMENT_FLAGS {
    struct {
        UINT Lazy : 1;
        UINT OnlyRepurposed : 1;
        UINT Reserved : 30;
    };
    UINT Value;
} D3DKMT_TRIMPROCESSCOMMITMENT_FLAGS;

typedef struct _D3DKMT_TRIMPROCESSCOMMITMENT {
    ULONG                              cbSize;
    HANDLE                             hProcess;
    D3DKMT_TRIMPROCESSCOMMITMENT_FLAGS Flags;
    UINT64                             DecommitRequested;
    UINT64                             NumBytesDecommitted;
} D3DKMT_TRIMPROCESSCOMMITMENT;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)

typedef NTSTATUS (APIENTRY *PFND3DKMT_TRIMPROCESSCOMMITMENT)(D3DKMT_TRIMPROCESSCOMMITMENT *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef NTSTATUS (APIENTRY *PFND3DKMT_DESTROYPAGINGQUEUE)(D3DDDI_DESTROYPAGINGQUEUE *);

typedef NTSTATUS (APIENTRY *PFND3DKMT_RESERVEGPUVIRTUALADDRESS)(D3DDDI_RESERVEGPUVIRTUALADDRESS *);

typedef NTSTATUS (APIENTRY *PFND3DKMT_MAPGPUVIRTUALADDRESS)(D3DDDI_MAPGPUVIRTUALADDRESS *);

#endif

/* ----------------------------------------------------------------------------------------------
 * Synchronization
 */

typedef struct _D3DKMT_CREATESYNCHRONIZATIONOBJECT {
    D3DKMT_HANDLE                    hDevice;
    D3DDDI_SYNCHRONIZATIONOBJECTINFO Info;
    D3DKMT_HANDLE                    hSyncObject;
} D3DKMT_CREATESYNCHRONIZATIONOBJECT;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CREATESYNCHRONIZATIONOBJECT)(
    D3DKMT_CREATESYNCHRONIZATIONOBJECT *);

typedef struct _D3DKMT_CREATESYNCHRONIZATIONOBJECT2 {
    D3DKMT_HANDLE                     hDevice;
    D3DDDI_SYNCHRONIZATIONOBJECTINFO2 Info;
    D3DKMT_HANDLE                     hSyncObject;
} D3DKMT_CREATESYNCHRONIZATIONOBJECT2;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CREATESYNCHRONIZATIONOBJECT2)(
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 *);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)

typedef struct _D3DKMT_CREATENATIVEFENCE_FLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} D3DKMT_CREATENATIVEFENCE_FLAGS;

typedef struct _D3DKMT_CREATENATIVEFENCE {
    D3DKMT_HANDLE                  hDevice;
    D3DKMT_HANDLE                  hSyncObject;
    BYTE                           PrivateDriverData[64];
    D3DDDI_NATIVEFENCEINFO         Info;
    D3DKMT_CREATENATIVEFENCE_FLAGS Flags;
    BYTE                           Reserved[28];
} D3DKMT_CREATENATIVEFENCE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CREATENATIVEFENCE)(D3DKMT_CREATENATIVEFENCE *);

typedef struct _D3DKMT_GETNATIVEFENCELOGDETAIL_FLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} D3DKMT_GETNATIVEFENCELOGDETAIL_FLAGS;

typedef struct _D3DKMT_GETNATIVEFENCELOGDETAIL {
    D3DKMT_HANDLE                        hHwQueue;
    D3DKMT_GETNATIVEFENCELOGDETAIL_FLAGS Flags;
    UINT32                               WaitLogNumberOfEntries;
    UINT32                               SignalLogNumberOfEntries;
    D3DGPU_VIRTUAL_ADDRESS               WaitLogGpuBaseAddress;
    D3DGPU_VIRTUAL_ADDRESS               SignalLogGpuBaseAddress;
    BYTE                                 Reserved[64];
} D3DKMT_GETNATIVEFENCELOGDETAIL;

typedef NTSTATUS (APIENTRY *PFND3DKMT_GETNATIVEFENCELOGDETAIL)(D3DKMT_GETNATIVEFENCELOGDETAIL *);

#endif

typedef struct _D3DKMT_DESTROYSYNCHRONIZATIONOBJECT {
    D3DKMT_HANDLE hSyncObject;
} D3DKMT_DESTROYSYNCHRONIZATIONOBJECT;

typedef NTSTATUS (APIENTRY *PFND3DKMT_DESTROYSYNCHRONIZATIONOBJECT)(
    const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT *);

typedef struct _D3DKMT_OPENSYNCHRONIZATIONOBJECT {
    D3DKMT_HANDLE hSharedHandle;
    D3DKMT_HANDLE hSyncObject;
    UINT64        Reserved[8];
} D3DKMT_OPENSYNCHRONIZATIONOBJECT;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OPENSYNCHRONIZATIONOBJECT)(
    D3DKMT_OPENSYNCHRONIZATIONOBJECT *);

typedef struct _D3DKMT_WAITFORSYNCHRONIZATIONOBJECT {
    D3DKMT_HANDLE hContext;
    UINT          ObjectCount;
    D3DKMT_HANDLE ObjectHandleArray[32];
} D3DKMT_WAITFORSYNCHRONIZATIONOBJECT;

typedef NTSTATUS (APIENTRY *PFND3DKMT_WAITFORSYNCHRONIZATIONOBJECT)(
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT *);

typedef struct _D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2 {
    D3DKMT_HANDLE hContext;
    UINT          ObjectCount;
    D3DKMT_HANDLE ObjectHandleArray[32];
    union {
        struct {
            UINT64 FenceValue;
        } Fence;
        UINT64 Reserved[8];
    };
} D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2;

typedef NTSTATUS (APIENTRY *PFND3DKMT_WAITFORSYNCHRONIZATIONOBJECT2)(
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2 *);

typedef struct _D3DKMT_SIGNALSYNCHRONIZATIONOBJECT {
    D3DKMT_HANDLE        hContext;
    UINT                 ObjectCount;
    D3DKMT_HANDLE        ObjectHandleArray[32];
    D3DDDICB_SIGNALFLAGS Flags;
} D3DKMT_SIGNALSYNCHRONIZATIONOBJECT;

typedef NTSTATUS (APIENTRY *PFND3DKMT_SIGNALSYNCHRONIZATIONOBJECT)(
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT *);

typedef struct _D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 {
    D3DKMT_HANDLE        hContext;
    UINT                 ObjectCount;
    D3DKMT_HANDLE        ObjectHandleArray[32];
    D3DDDICB_SIGNALFLAGS Flags;
    ULONG                BroadcastContextCount;
    D3DKMT_HANDLE        BroadcastContext[64];
    union {
        struct {
            UINT64 FenceValue;
        } Fence;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
        HANDLE CpuEventHandle;
#endif
        UINT64 Reserved[8];
    };
} D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2;

typedef NTSTATUS (APIENTRY *PFND3DKMT_SIGNALSYNCHRONIZATIONOBJECT2)(
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 *);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)

typedef struct _D3DKMT_CREATE_DOORBELL_FLAGS {
    union {
        struct {
            UINT RequireSecondaryCpuVA : 1;
            UINT ResizeRingBufferOperation : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} D3DKMT_CREATE_DOORBELL_FLAGS;

typedef struct _D3DKMT_CREATE_DOORBELL {
    D3DKMT_HANDLE                hHwQueue;
    D3DKMT_HANDLE                hRingBuffer;
    D3DKMT_HANDLE                hRingBufferControl;
    D3DKMT_CREATE_DOORBELL_FLAGS Flags;
    UINT                         PrivateDriverDataSize;
    void D3DKMT_CLIENT           *PrivateDriverData;
    void D3DKMT_CLIENT           *DoorbellCPUVirtualAddress;
    void D3DKMT_CLIENT           *DoorbellSecondaryCPUVirtualAddress;
    void D3DKMT_CLIENT           *DoorbellStatusCPUVirtualAddress;
    void D3DKMT_CLIENT           *HwQueueProgressFenceLastQueuedValueCPUVirtualAddress;
    D3DKMT_HANDLE                hDoorbell;
} D3DKMT_CREATE_DOORBELL;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CREATEDOORBELL)(D3DKMT_CREATE_DOORBELL *);

typedef struct _D3DKMT_CONNECT_DOORBELL_FLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} D3DKMT_CONNECT_DOORBELL_FLAGS;

typedef struct _D3DKMT_CONNECT_DOORBELL {
    D3DKMT_HANDLE                 hDoorbell;
    D3DKMT_CONNECT_DOORBELL_FLAGS Flags;
} D3DKMT_CONNECT_DOORBELL;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CONNECTDOORBELL)(D3DKMT_CONNECT_DOORBELL *);

typedef struct _D3DKMT_DESTROY_DOORBELL {
    D3DKMT_HANDLE hDoorbell;
} D3DKMT_DESTROY_DOORBELL;

typedef NTSTATUS (APIENTRY *PFND3DKMT_DESTROYDOORBELL)(D3DKMT_DESTROY_DOORBELL *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _D3DKMT_OPENSYNCOBJECTFROMNTHANDLE {
    HANDLE        hNtHandle;
    D3DKMT_HANDLE hSyncObject;
} D3DKMT_OPENSYNCOBJECTFROMNTHANDLE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OPENSYNCOBJECTFROMNTHANDLE)(
    D3DKMT_OPENSYNCOBJECTFROMNTHANDLE *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 {
    HANDLE                             hNtHandle;
    D3DKMT_HANDLE                      hDevice;
    D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS Flags;
    D3DKMT_HANDLE                      hSyncObject;
    union {
        struct {
            void D3DKMT_CLIENT     *FenceValueCPUVirtualAddress;
            D3DGPU_VIRTUAL_ADDRESS FenceValueGPUVirtualAddress;
            UINT                   EngineAffinity;
        } MonitoredFence;
        UINT64 Reserved[8];
    };
} D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OPENSYNCOBJECTFROMNTHANDLE2)(
    D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)

typedef struct _D3DKMT_OPENNATIVEFENCEFROMNTHANDLE {
    HANDLE                             hNtHandle;
    D3DKMT_HANDLE                      hDevice;
    UINT                               EngineAffinity;
    D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS Flags;
    D3DKMT_HANDLE                      hSyncObject;
    D3DDDI_NATIVEFENCEMAPPING          NativeFenceMapping;
    BYTE                               PrivateDriverData[64];
    BYTE                               Reserved[32];
} D3DKMT_OPENNATIVEFENCEFROMNTHANDLE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OPENNATIVEFENCEFROMNTHANDLE)(
    D3DKMT_OPENNATIVEFENCEFROMNTHANDLE *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME {
    DWORD                           dwDesiredAccess;
    OBJECT_ATTRIBUTES D3DKMT_CLIENT *pObjAttrib;
    HANDLE                          hNtHandle;
} D3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME)(
    D3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME *);

#endif

typedef struct _D3DKMT_WAITFORVERTICALBLANKEVENT {
    D3DKMT_HANDLE                  hAdapter;
    D3DKMT_HANDLE                  hDevice;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
} D3DKMT_WAITFORVERTICALBLANKEVENT;

typedef NTSTATUS (APIENTRY *PFND3DKMT_WAITFORVERTICALBLANKEVENT)(
    const D3DKMT_WAITFORVERTICALBLANKEVENT *);

typedef struct _D3DKMT_WAITFORVERTICALBLANKEVENT2 {
    D3DKMT_HANDLE                  hAdapter;
    D3DKMT_HANDLE                  hDevice;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT                           NumObjects;
    D3DKMT_PTR_TYPE                ObjectHandleArray[8];
} D3DKMT_WAITFORVERTICALBLANKEVENT2;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef NTSTATUS (APIENTRY *PFND3DKMT_WAITFORVERTICALBLANKEVENT2)(
    const D3DKMT_WAITFORVERTICALBLANKEVENT2 *);

#endif

typedef struct _D3DKMT_SETSYNCREFRESHCOUNTWAITTARGET {
    D3DKMT_HANDLE                  hAdapter;
    D3DKMT_HANDLE                  hDevice;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT                           TargetSyncRefreshCount;
} D3DKMT_SETSYNCREFRESHCOUNTWAITTARGET;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef NTSTATUS (APIENTRY *PFND3DKMT_SETSYNCREFRESHCOUNTWAITTARGET)(
    const D3DKMT_SETSYNCREFRESHCOUNTWAITTARGET *);

#endif

typedef struct _D3DKMT_WAITFORIDLE {
    D3DKMT_HANDLE hDevice;
} D3DKMT_WAITFORIDLE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_WAITFORIDLE)(const D3DKMT_WAITFORIDLE *);

typedef struct _D3DKMT_CREATEKEYEDMUTEX {
    UINT64        InitialValue;
    D3DKMT_HANDLE hSharedHandle;
    D3DKMT_HANDLE hKeyedMutex;
} D3DKMT_CREATEKEYEDMUTEX;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CREATEKEYEDMUTEX)(D3DKMT_CREATEKEYEDMUTEX *);

typedef struct _D3DKMT_OPENKEYEDMUTEX {
    D3DKMT_HANDLE hSharedHandle;
    D3DKMT_HANDLE hKeyedMutex;
} D3DKMT_OPENKEYEDMUTEX;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OPENKEYEDMUTEX)(D3DKMT_OPENKEYEDMUTEX *);

typedef struct _D3DKMT_DESTROYKEYEDMUTEX {
    D3DKMT_HANDLE hKeyedMutex;
} D3DKMT_DESTROYKEYEDMUTEX;

typedef NTSTATUS (APIENTRY *PFND3DKMT_DESTROYKEYEDMUTEX)(const D3DKMT_DESTROYKEYEDMUTEX *);

typedef struct _D3DKMT_ACQUIREKEYEDMUTEX {
    D3DKMT_HANDLE  hKeyedMutex;
    UINT64         Key;
    PLARGE_INTEGER pTimeout;
    UINT64         FenceValue;
} D3DKMT_ACQUIREKEYEDMUTEX;

typedef NTSTATUS (APIENTRY *PFND3DKMT_ACQUIREKEYEDMUTEX)(D3DKMT_ACQUIREKEYEDMUTEX *);

typedef struct _D3DKMT_RELEASEKEYEDMUTEX {
    D3DKMT_HANDLE hKeyedMutex;
    UINT64        Key;
    UINT64        FenceValue;
} D3DKMT_RELEASEKEYEDMUTEX;

typedef NTSTATUS (APIENTRY *PFND3DKMT_RELEASEKEYEDMUTEX)(D3DKMT_RELEASEKEYEDMUTEX *);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _D3DKMT_CREATEKEYEDMUTEX2_FLAGS {
    union {
        struct {
            UINT NtSecuritySharing : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} D3DKMT_CREATEKEYEDMUTEX2_FLAGS;

typedef struct _D3DKMT_CREATEKEYEDMUTEX2 {
    UINT64                         InitialValue;
    D3DKMT_HANDLE                  hSharedHandle;
    D3DKMT_HANDLE                  hKeyedMutex;
    void D3DKMT_CLIENT             *pPrivateRuntimeData;
    UINT                           PrivateRuntimeDataSize;
    D3DKMT_CREATEKEYEDMUTEX2_FLAGS Flags;
} D3DKMT_CREATEKEYEDMUTEX2;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CREATEKEYEDMUTEX2)(D3DKMT_CREATEKEYEDMUTEX2 *);

typedef struct _D3DKMT_OPENKEYEDMUTEX2 {
    D3DKMT_HANDLE      hSharedHandle;
    D3DKMT_HANDLE      hKeyedMutex;
    void D3DKMT_CLIENT *pPrivateRuntimeData;
    UINT               PrivateRuntimeDataSize;
} D3DKMT_OPENKEYEDMUTEX2;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OPENKEYEDMUTEX2)(D3DKMT_OPENKEYEDMUTEX2 *);

typedef struct _D3DKMT_OPENKEYEDMUTEXFROMNTHANDLE {
    HANDLE             hNtHandle;
    D3DKMT_HANDLE      hKeyedMutex;
    void D3DKMT_CLIENT *pPrivateRuntimeData;
    UINT               PrivateRuntimeDataSize;
} D3DKMT_OPENKEYEDMUTEXFROMNTHANDLE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)

typedef NTSTATUS (APIENTRY *PFND3DKMT_OPENKEYEDMUTEXFROMNTHANDLE)(
    D3DKMT_OPENKEYEDMUTEXFROMNTHANDLE *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _D3DKMT_ACQUIREKEYEDMUTEX2 {
    D3DKMT_HANDLE      hKeyedMutex;
    UINT64             Key;
    PLARGE_INTEGER     pTimeout;
    UINT64             FenceValue;
    void D3DKMT_CLIENT *pPrivateRuntimeData;
    UINT               PrivateRuntimeDataSize;
} D3DKMT_ACQUIREKEYEDMUTEX2;

typedef NTSTATUS (APIENTRY *PFND3DKMT_ACQUIREKEYEDMUTEX2)(D3DKMT_ACQUIREKEYEDMUTEX2 *);

typedef struct _D3DKMT_RELEASEKEYEDMUTEX2 {
    D3DKMT_HANDLE      hKeyedMutex;
    UINT64             Key;
    UINT64             FenceValue;
    void D3DKMT_CLIENT *pPrivateRuntimeData;
    UINT               PrivateRuntimeDataSize;
} D3DKMT_RELEASEKEYEDMUTEX2;

typedef NTSTATUS (APIENTRY *PFND3DKMT_RELEASEKEYEDMUTEX2)(D3DKMT_RELEASEKEYEDMUTEX2 *);

typedef struct _D3DKMT_OUTPUTDUPL_KEYEDMUTEX {
    HANDLE hSharedSurfaceNt;
} D3DKMT_OUTPUTDUPL_KEYEDMUTEX;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU {
    D3DKMT_HANDLE                                hDevice;
    UINT                                         ObjectCount;
    const D3DKMT_HANDLE D3DKMT_CLIENT            *ObjectHandleArray;
    const UINT64 D3DKMT_CLIENT                   *FenceValueArray;
    HANDLE                                       hAsyncEvent;
    D3DDDI_WAITFORSYNCHRONIZATIONOBJECTFROMCPU_FLAGS Flags;
} D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU;

typedef NTSTATUS (APIENTRY *PFND3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU)(
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU *);

typedef struct _D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU {
    D3DKMT_HANDLE                     hDevice;
    UINT                              ObjectCount;
    const D3DKMT_HANDLE D3DKMT_CLIENT *ObjectHandleArray;
    const UINT64 D3DKMT_CLIENT        *FenceValueArray;
    D3DDDICB_SIGNALFLAGS              Flags;
} D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU;

typedef NTSTATUS (APIENTRY *PFND3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU)(
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU *);

typedef struct _D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU {
    D3DKMT_HANDLE                     hContext;
    UINT                              ObjectCount;
    const D3DKMT_HANDLE D3DKMT_CLIENT *ObjectHandleArray;
    union {
        const UINT64 D3DKMT_CLIENT *MonitoredFenceValueArray;
        UINT64                     FenceValue;
        UINT64                     Reserved[8];
    };
} D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU;

typedef NTSTATUS (APIENTRY *PFND3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU)(
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU *);

typedef struct _D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU {
    D3DKMT_HANDLE                     hContext;
    UINT                              ObjectCount;
    const D3DKMT_HANDLE D3DKMT_CLIENT *ObjectHandleArray;
    union {
        const UINT64 D3DKMT_CLIENT *MonitoredFenceValueArray;
        UINT64                     Reserved[8];
    };
} D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU;

typedef NTSTATUS (APIENTRY *PFND3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU)(
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU *);

typedef struct _D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2 {
    UINT                              ObjectCount;
    const D3DKMT_HANDLE D3DKMT_CLIENT *ObjectHandleArray;
    D3DDDICB_SIGNALFLAGS              Flags;
    ULONG                             BroadcastContextCount;
    const D3DKMT_HANDLE D3DKMT_CLIENT *BroadcastContextArray;
    union {
        UINT64                     FenceValue;
        HANDLE                     CpuEventHandle;
        const UINT64 D3DKMT_CLIENT *MonitoredFenceValueArray;
        UINT64                     Reserved[8];
    };
} D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2;

typedef NTSTATUS (APIENTRY *PFND3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2)(
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2 *);

typedef struct _D3DKMT_CREATESYNCFILE {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hMonitoredFence;
    UINT64        FenceValue;
    UINT64        hSyncFile;
} D3DKMT_CREATESYNCFILE;

typedef struct _D3DKMT_WAITSYNCFILE {
    UINT64        hSyncFile;
    D3DKMT_HANDLE hContext;
    UINT          Reserved;
} D3DKMT_WAITSYNCFILE;

typedef struct _D3DKMT_OPENSYNCOBJECTFROMSYNCFILE {
    UINT64                 hSyncFile;
    D3DKMT_HANDLE          hDevice;
    D3DKMT_HANDLE          hSyncObject;
    UINT64                 FenceValue;
    void D3DKMT_CLIENT     *FenceValueCPUVirtualAddress;
    D3DGPU_VIRTUAL_ADDRESS FenceValueGPUVirtualAddress;
} D3DKMT_OPENSYNCOBJECTFROMSYNCFILE;

#endif

/* ----------------------------------------------------------------------------------------------
 * Submission
 */

typedef struct _D3DKMT_RENDERFLAGS {
    UINT ResizeCommandBuffer : 1;
    UINT ResizeAllocationList : 1;
    UINT ResizePatchLocationList : 1;
    UINT NullRendering : 1;
    UINT PresentRedirected : 1;
    UINT RenderKm : 1;
    UINT RenderKmReadback : 1;
    UINT Reserved : 25;
} D3DKMT_RENDERFLAGS;

typedef struct _D3DKMT_RENDER {
    union {
        D3DKMT_HANDLE hDevice;
        D3DKMT_HANDLE hContext;
    };
    UINT                                   CommandOffset;
    UINT                                   CommandLength;
    UINT                                   AllocationCount;
    UINT                                   PatchLocationCount;
    void D3DKMT_CLIENT                     *pNewCommandBuffer;
    UINT                                   NewCommandBufferSize;
    D3DDDI_ALLOCATIONLIST D3DKMT_CLIENT    *pNewAllocationList;
    UINT                                   NewAllocationListSize;
    D3DDDI_PATCHLOCATIONLIST D3DKMT_CLIENT *pNewPatchLocationList;
    UINT                                   NewPatchLocationListSize;
    D3DKMT_RENDERFLAGS                     Flags;
    ULONGLONG                              PresentHistoryToken;
    ULONG                                  BroadcastContextCount;
    D3DKMT_HANDLE                          BroadcastContext[64];
    ULONG                                  QueuedBufferCount;
    D3DGPU_VIRTUAL_ADDRESS                 NewCommandBuffer;
    void D3DKMT_CLIENT                     *pPrivateDriverData;
    UINT                                   PrivateDriverDataSize;
} D3DKMT_RENDER;

typedef NTSTATUS (APIENTRY *PFND3DKMT_RENDER)(D3DKMT_RENDER *);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_SUBMITCOMMANDFLAGS {
    UINT NullRendering : 1;
    UINT PresentRedirected : 1;
    UINT NoKmdAccess : 1;
    UINT Reserved : 29;
} D3DKMT_SUBMITCOMMANDFLAGS;

typedef struct _D3DKMT_SUBMITCOMMAND {
    D3DGPU_VIRTUAL_ADDRESS      Commands;
    UINT                        CommandLength;
    D3DKMT_SUBMITCOMMANDFLAGS   Flags;
    ULONGLONG                   PresentHistoryToken;
    UINT                        BroadcastContextCount;
    D3DKMT_HANDLE               BroadcastContext[64];
    void D3DKMT_CLIENT          *pPrivateDriverData;
    UINT                        PrivateDriverDataSize;
    UINT                        NumPrimaries;
    D3DKMT_HANDLE               WrittenPrimaries[16];
    UINT                        NumHistoryBuffers;
    D3DKMT_HANDLE D3DKMT_CLIENT *HistoryBufferArray;
} D3DKMT_SUBMITCOMMAND;

typedef NTSTATUS (APIENTRY *PFND3DKMT_SUBMITCOMMAND)(const D3DKMT_SUBMITCOMMAND *);

typedef struct _D3DKMT_FLUSHHEAPTRANSITIONS {
    D3DKMT_HANDLE hAdapter;
} D3DKMT_FLUSHHEAPTRANSITIONS;

typedef NTSTATUS (APIENTRY *PFND3DKMT_FLUSHHEAPTRANSITIONS)(D3DKMT_FLUSHHEAPTRANSITIONS *);

#endif

/* ----------------------------------------------------------------------------------------------
 * Presenting and its history
 */

typedef enum _D3DKMT_AUXILIARYPRESENTINFO_TYPE {
    D3DKMT_AUXILIARYPRESENTINFO_TYPE_FLIPMANAGER = 0,
} D3DKMT_AUXILIARYPRESENTINFO_TYPE;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)

typedef enum D3DKMT_CANCEL_PRESENTS_OPERATION {
    D3DKMT_CANCEL_PRESENTS_OPERATION_CANCEL_FROM              = 0,
    D3DKMT_CANCEL_PRESENTS_OPERATION_REPROGRAM_INTERRUPT      = 1,
    D3DKMT_CANCEL_PRESENTS_OPERATION_FLUSH_COMPLETED_PRESENTS = 2,
} D3DKMT_CANCEL_PRESENTS_OPERATION;

#endif

typedef enum _DXGKMT_MULTIPLANE_OVERLAY_STEREO_FLIP_MODE {
    DXGKMT_MULTIPLANE_OVERLAY_STEREO_FLIP_NONE   = 0,
    DXGKMT_MULTIPLANE_OVERLAY_STEREO_FLIP_FRAME0 = 1,
    DXGKMT_MULTIPLANE_OVERLAY_STEREO_FLIP_FRAME1 = 2,
} DXGKMT_MULTIPLANE_OVERLAY_STEREO_FLIP_MODE;

typedef struct _D3DKMT_AUXILIARYPRESENTINFO {
    UINT                             size;
    D3DKMT_AUXILIARYPRESENTINFO_TYPE type;
} D3DKMT_AUXILIARYPRESENTINFO;

typedef struct _D3DKMT_FLIPMANAGER_AUXILIARYPRESENTINFO {
    D3DKMT_AUXILIARYPRESENTINFO             auxiliaryPresentInfo;
    UINT                                    flipManagerTracingId;
    BOOL                                    customDurationChanged;
    void D3DKMT_CLIENT                      *pFlipManagerProcessedEvent;
    LUID                                    FlipAdapterLuid;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID          VidPnSourceId;
    D3DKMT_FLIPMODEL_INDEPENDENT_FLIP_STAGE independentFlipStage;
    ULONGLONG                               FlipCompletedQpc;
    UINT                                    HwPresentDurationQpc;
    BOOL                                    WasCanceled;
    BOOL                                    ConvertedToNonIFlip;
} D3DKMT_FLIPMANAGER_AUXILIARYPRESENTINFO;

typedef NTSTATUS (APIENTRY *PFND3DKMT_PRESENT)(D3DKMT_PRESENT *);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)

typedef struct _D3DKMT_PRESENT_REDIRECTEDS_FLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} D3DKMT_PRESENT_REDIRECTED_FLAGS;

typedef struct _D3DKMT_PRESENT_REDIRECTED {
    D3DKMT_HANDLE                   hSyncObj;
    D3DKMT_HANDLE                   hDevice;
    ULONGLONG                       WaitedFenceValue;
    D3DKMT_PRESENTHISTORYTOKEN      PresentHistoryToken;
    D3DKMT_PRESENT_REDIRECTED_FLAGS Flags;
    D3DKMT_HANDLE                   hSource;
    UINT                            PrivateDriverDataSize;
    PVOID                           pPrivateDriverData;
} D3DKMT_PRESENT_REDIRECTED;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)

typedef struct _D3DKMT_CANCEL_PRESENTS_FLAGS {
    union {
        struct {
            UINT NewVSyncInterruptState : 1;
            UINT Reserved : 31;
        } ReprogramInterrupt;
        UINT Value;
    };
} D3DKMT_CANCEL_PRESENTS_FLAGS;

typedef struct _D3DKMT_CANCEL_PRESENTS {
    UINT                             cbSize;
    D3DKMT_HANDLE                    hDevice;
    D3DKMT_CANCEL_PRESENTS_FLAGS     Flags;
    D3DKMT_CANCEL_PRESENTS_OPERATION Operation;
    UINT64                           CancelFromPresentId;
    LUID                             CompSurfaceLuid;
    UINT64                           BindId;
    HANDLE                           hFlipManagerProcessedEvent;
} D3DKMT_CANCEL_PRESENTS;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CANCELPRESENTS)(D3DKMT_CANCEL_PRESENTS *);

#endif

typedef enum D3DKMT_MULTIPLANE_OVERLAY_BLEND {
    D3DKMT_MULTIPLANE_OVERLAY_BLEND_OPAQUE     = 0,
    D3DKMT_MULTIPLANE_OVERLAY_BLEND_ALPHABLEND = 1,
} D3DKMT_MULTIPLANE_OVERLAY_BLEND;

typedef enum D3DKMT_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT {
    D3DKMT_MULIIPLANE_OVERLAY_VIDEO_FRAME_FORMAT_PROGRESSIVE                   = 0,
    D3DKMT_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT_INTERLACED_TOP_FIELD_FIRST    = 1,
    D3DKMT_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT_INTERLACED_BOTTOM_FIELD_FIRST = 2,
} D3DKMT_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT;

typedef enum D3DKMT_MULTIPLANE_OVERLAY_STEREO_FORMAT {
    DXGKMT_MULTIPLANE_OVERLAY_STEREO_FORMAT_MONO               = 0,
    D3DKMT_MULTIPLANE_OVERLAY_STEREO_FORMAT_HORIZONTAL         = 1,
    D3DKMT_MULTIPLANE_OVERLAY_STEREO_FORMAT_VERTICAL           = 2,
    DXGKMT_MULTIPLANE_OVERLAY_STEREO_FORMAT_SEPARATE           = 3,
    DXGKMT_MULTIPLANE_OVERLAY_STEREO_FORMAT_MONO_OFFSET        = 4,
    DXGKMT_MULTIPLANE_OVERLAY_STEREO_FORMAT_ROW_INTERLEAVED    = 5,
    DXGKMT_MULTIPLANE_OVERLAY_STEREO_FORMAT_COLUMN_INTERLEAVED = 6,
    DXGKMT_MULTIPLANE_OVERLAY_STEREO_FORMAT_CHECKERBOARD       = 7,
} D3DKMT_MULTIPLANE_OVERLAY_STEREO_FORMAT;

typedef enum _DXGKMT_MULTIPLANE_OVERLAY_STRETCH_QUALITY {
    DXGKMT_MULTIPLANE_OVERLAY_STRETCH_QUALITY_BILINEAR = 1,
    DXGKMT_MULTIPLANE_OVERLAY_STRETCH_QUALITY_HIGH     = 2,
} DXGKMT_MULTIPLANE_OVERLAY_STRETCH_QUALITY;

typedef struct _D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES2 {
    UINT                                         Flags;
    RECT                                         SrcRect;
    RECT                                         DstRect;
    RECT                                         ClipRect;
    D3DDDI_ROTATION                              Rotation;
    D3DKMT_MULTIPLANE_OVERLAY_BLEND              Blend;
    UINT                                         DirtyRectCount;
    RECT D3DKMT_CLIENT                           *pDirtyRects;
    D3DKMT_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT VideoFrameFormat;
    D3DDDI_COLOR_SPACE_TYPE                      ColorSpace;
    D3DKMT_MULTIPLANE_OVERLAY_STEREO_FORMAT      StereoFormat;
    BOOL                                         StereoLeftViewFrame0;
    BOOL                                         StereoBaseViewFrame0;
    DXGKMT_MULTIPLANE_OVERLAY_STEREO_FLIP_MODE   StereoFlipMode;
    DXGKMT_MULTIPLANE_OVERLAY_STRETCH_QUALITY    StretchQuality;
    UINT                                         Reserved1;
} D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES2;

typedef struct _D3DKMT_MULTIPLANE_OVERLAY2 {
    UINT                                  LayerIndex;
    BOOL                                  Enabled;
    D3DKMT_HANDLE                         hAllocation;
    D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES2 PlaneAttributes;
} D3DKMT_MULTIPLANE_OVERLAY2;

typedef struct _D3DKMT_PRESENT_MULTIPLANE_OVERLAY2 {
    D3DKMT_HANDLE                            hAdapter;
    union {
        D3DKMT_HANDLE hDevice;
        D3DKMT_HANDLE hContext;
    };
    ULONG                                    BroadcastContextCount;
    D3DKMT_HANDLE                            BroadcastContext[64];
    D3DDDI_VIDEO_PRESENT_SOURCE_ID           VidPnSourceId;
    UINT                                     PresentCount;
    D3DDDI_FLIPINTERVAL_TYPE                 FlipInterval;
    D3DKMT_PRESENTFLAGS                      Flags;
    UINT                                     PresentPlaneCount;
    D3DKMT_MULTIPLANE_OVERLAY2 D3DKMT_CLIENT *pPresentPlanes;
    UINT                                     Duration;
} D3DKMT_PRESENT_MULTIPLANE_OVERLAY2;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef NTSTATUS (APIENTRY *PFND3DKMT_PRESENTMULTIPLANEOVERLAY2)(
    const D3DKMT_PRESENT_MULTIPLANE_OVERLAY2 *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)

typedef struct _D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION_FLAGS {
    union {
        struct {
            UINT VerticalFlip : 1;
            UINT HorizontalFlip : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION_FLAGS;

typedef struct _D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION {
    D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION_FLAGS Flags;
    RECT                                         SrcRect;
    RECT                                         DstRect;
    D3DDDI_ROTATION                              Rotation;
} D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION;

typedef struct _D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION_WITH_SOURCE {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID             VidPnSourceId;
    D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION PostComposition;
} D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION_WITH_SOURCE;

typedef struct _D3DKMT_PRESENT_MULTIPLANE_OVERLAY_FLAGS {
    union {
        struct {
            UINT FlipStereo : 1;
            UINT FlipStereoTemporaryMono : 1;
            UINT FlipStereoPreferRight : 1;
            UINT FlipDoNotWait : 1;
            UINT FlipDoNotFlip : 1;
            UINT FlipRestart : 1;
            UINT DurationValid : 1;
            UINT HDRMetaDataValid : 1;
            UINT HMD : 1;
            UINT TrueImmediate : 1;
            UINT FromDDisplay : 1;
            UINT IndirectDisplay : 1;
            UINT Reserved : 20;
        };
        UINT Value;
    };
} D3DKMT_PRESENT_MULTIPLANE_OVERLAY_FLAGS;

typedef struct _D3DKMT_PLANE_SPECIFIC_INPUT_FLAGS {
    union {
        struct {
            UINT Enabled : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} D3DKMT_PLANE_SPECIFIC_INPUT_FLAGS;

typedef struct _D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3 {
    UINT                                      Flags;
    RECT                                      SrcRect;
    RECT                                      DstRect;
    RECT                                      ClipRect;
    D3DDDI_ROTATION                           Rotation;
    D3DKMT_MULTIPLANE_OVERLAY_BLEND           Blend;
    UINT                                      DirtyRectCount;
    RECT D3DKMT_CLIENT                        *pDirtyRects;
    D3DDDI_COLOR_SPACE_TYPE                   ColorSpace;
    DXGKMT_MULTIPLANE_OVERLAY_STRETCH_QUALITY StretchQuality;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)
    UINT                                      SDRWhiteLevel;
#endif
} D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3;

typedef struct _D3DKMT_MULTIPLANE_OVERLAY3 {
    UINT                                         LayerIndex;
    D3DKMT_PLANE_SPECIFIC_INPUT_FLAGS            InputFlags;
    D3DDDI_FLIPINTERVAL_TYPE                     FlipInterval;
    UINT                                         MaxImmediateFlipLine;
    UINT                                         AllocationCount;
    D3DKMT_HANDLE D3DKMT_CLIENT                  *pAllocationList;
    UINT                                         DriverPrivateDataSize;
    void D3DKMT_CLIENT                           *pDriverPrivateData;
    const D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3 D3DKMT_CLIENT *pPlaneAttributes;
    D3DKMT_HANDLE                                hFlipToFence;
    D3DKMT_HANDLE                                hFlipAwayFence;
    UINT64                                       FlipToFenceValue;
    UINT64                                       FlipAwayFenceValue;
} D3DKMT_MULTIPLANE_OVERLAY3;

typedef struct _D3DKMT_PRESENT_MULTIPLANE_OVERLAY3 {
    D3DKMT_HANDLE                                hAdapter;
    UINT                                         ContextCount;
    D3DKMT_HANDLE D3DKMT_CLIENT                  *pContextList;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID               VidPnSourceId;
    UINT                                         PresentCount;
    D3DKMT_PRESENT_MULTIPLANE_OVERLAY_FLAGS      Flags;
    UINT                                         PresentPlaneCount;
    D3DKMT_MULTIPLANE_OVERLAY3                   **ppPresentPlanes;
    D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION D3DKMT_CLIENT *pPostComposition;
    UINT                                         Duration;
    D3DDDI_HDR_METADATA_TYPE                     HDRMetaDataType;
    UINT                                         HDRMetaDataSize;
    const void D3DKMT_CLIENT                     *pHDRMetaData;
    UINT                                         BoostRefreshRateMultiplier;
} D3DKMT_PRESENT_MULTIPLANE_OVERLAY3;

typedef NTSTATUS (APIENTRY *PFND3DKMT_PRESENTMULTIPLANEOVERLAY3)(
    const D3DKMT_PRESENT_MULTIPLANE_OVERLAY3 *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _D3DKMT_GET_POST_COMPOSITION_CAPS {
    D3DKMT_HANDLE                  hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    float                          MaxStretchFactor;
    float                          MaxShrinkFactor;
} D3DKMT_GET_POST_COMPOSITION_CAPS;

typedef NTSTATUS (APIENTRY *PFND3DKMT_GETPOSTCOMPOSITIONCAPS)(D3DKMT_GET_POST_COMPOSITION_CAPS *);

#endif

typedef struct D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES {
    UINT                                         Flags;
    RECT                                         SrcRect;
    RECT                                         DstRect;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    RECT                                         ClipRect;
#endif
    D3DDDI_ROTATION                              Rotation;
    D3DKMT_MULTIPLANE_OVERLAY_BLEND              Blend;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    UINT                                         NumFilters;
    void D3DKMT_CLIENT                           *pFilters;
#else
    UINT                                         DirtyRectCount;
    RECT D3DKMT_CLIENT                           *pDirtyRects;
#endif
    D3DKMT_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT VideoFrameFormat;
    UINT                                         YCbCrFlags;
    D3DKMT_MULTIPLANE_OVERLAY_STEREO_FORMAT      StereoFormat;
    BOOL                                         StereoLeftViewFrame0;
    BOOL                                         StereoBaseViewFrame0;
    DXGKMT_MULTIPLANE_OVERLAY_STEREO_FLIP_MODE   StereoFlipMode;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    DXGKMT_MULTIPLANE_OVERLAY_STRETCH_QUALITY    StretchQuality;
#endif
} D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES;

typedef struct D3DKMT_MULTIPLANE_OVERLAY {
    UINT                                 LayerIndex;
    BOOL                                 Enabled;
    D3DKMT_HANDLE                        hAllocation;
    D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES PlaneAttributes;
} D3DKMT_MULTIPLANE_OVERLAY;

typedef struct D3DKMT_PRESENT_MULTIPLANE_OVERLAY {
    union {
        D3DKMT_HANDLE hDevice;
        D3DKMT_HANDLE hContext;
    };
    ULONG                                   BroadcastContextCount;
    D3DKMT_HANDLE                           BroadcastContext[64];
    D3DDDI_VIDEO_PRESENT_SOURCE_ID          VidPnSourceId;
    UINT                                    PresentCount;
    D3DDDI_FLIPINTERVAL_TYPE                FlipInterval;
    D3DKMT_PRESENTFLAGS                     Flags;
    UINT                                    PresentPlaneCount;
    D3DKMT_MULTIPLANE_OVERLAY D3DKMT_CLIENT *pPresentPlanes;
    UINT                                    Duration;
} D3DKMT_PRESENT_MULTIPLANE_OVERLAY;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef NTSTATUS (APIENTRY *PFND3DKMT_PRESENTMULTIPLANEOVERLAY)(
    const D3DKMT_PRESENT_MULTIPLANE_OVERLAY *);

typedef struct _D3DKMT_OUTPUTDUPLPRESENT {
    D3DKMT_HANDLE                  hContext;
    D3DKMT_HANDLE                  hSource;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    ULONG                          BroadcastContextCount;
    D3DKMT_HANDLE                  BroadcastContext[64];
    D3DKMT_PRESENT_RGNS            PresentRegions;
    D3DKMT_OUTPUTDUPLPRESENTFLAGS  Flags;
    D3DKMT_HANDLE                  hIndirectContext;
} D3DKMT_OUTPUTDUPLPRESENT;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OUTPUTDUPLPRESENT)(const D3DKMT_OUTPUTDUPLPRESENT *);

typedef struct _D3DKMT_DIRECTFLIP_SUPPORT {
    BOOL Supported;
} D3DKMT_DIRECTFLIP_SUPPORT;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_INDEPENDENTFLIP_SUPPORT {
    BOOL Supported;
} D3DKMT_INDEPENDENTFLIP_SUPPORT;

typedef struct _D3DKMT_INDEPENDENTFLIP_SECONDARY_SUPPORT {
    BOOL Supported;
} D3DKMT_INDEPENDENTFLIP_SECONDARY_SUPPORT;

#endif

typedef struct _D3DKMT_PRESENT_STATS_DWM2 {
    ULONG         cbSize;
    UINT          PresentCount;
    UINT          PresentRefreshCount;
    LARGE_INTEGER PresentQPCTime;
    UINT          SyncRefreshCount;
    LARGE_INTEGER SyncQPCTime;
    UINT          CustomPresentDuration;
    UINT          VirtualSyncRefreshCount;
    LARGE_INTEGER VirtualSyncQPCTime;
    LARGE_INTEGER VSyncDurationQPCTime;
    UINT          VSyncMultiplier;
    UINT          VirtualPresentRefreshCount;
    LARGE_INTEGER VirtualPresentQPCTime;
} D3DKMT_PRESENT_STATS_DWM2;

typedef struct _D3DKMT_GETPRESENTHISTORY {
    D3DKMT_HANDLE                            hAdapter;
    UINT                                     ProvidedSize;
    UINT                                     WrittenSize;
    D3DKMT_PRESENTHISTORYTOKEN D3DKMT_CLIENT *pTokens;
    UINT                                     NumTokens;
} D3DKMT_GETPRESENTHISTORY;

typedef NTSTATUS (APIENTRY *PFND3DKMT_GETPRESENTHISTORY)(D3DKMT_GETPRESENTHISTORY *);

typedef struct _D3DKMT_FLIPOVERLAY {
    D3DKMT_HANDLE      hDevice;
    D3DKMT_HANDLE      hOverlay;
    D3DKMT_HANDLE      hSource;
    void D3DKMT_CLIENT *pPrivateDriverData;
    UINT               PrivateDriverDataSize;
} D3DKMT_FLIPOVERLAY;

typedef NTSTATUS (APIENTRY *PFND3DKMT_FLIPOVERLAY)(const D3DKMT_FLIPOVERLAY *);

typedef struct _D3DKMT_GETVERTICALBLANKEVENT {
    D3DKMT_HANDLE                  hAdapter;
    D3DKMT_HANDLE                  hDevice;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DKMT_PTR_TYPE D3DKMT_CLIENT  *phEvent;
} D3DKMT_GETVERTICALBLANKEVENT;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef NTSTATUS (APIENTRY *PFND3DKMT_GETDWMVERTICALBLANKEVENT)(
    const D3DKMT_GETVERTICALBLANKEVENT *);

#endif

/* ----------------------------------------------------------------------------------------------
 * Planes and overlays
 */

typedef enum D3DKMT_MULTIPLANE_OVERLAY_FLAGS {
    D3DKMT_MULTIPLANE_OVERLAY_FLAG_VERTICAL_FLIP   = 1,
    D3DKMT_MULTIPLANE_OVERLAY_FLAG_HORIZONTAL_FLIP = 2,
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)
    D3DKMT_MULTIPLANE_OVERLAY_FLAG_STATIC_CHECK    = 4,
#endif
} D3DKMT_MULTIPLANE_OVERLAY_FLAGS;

typedef enum D3DKMT_MULTIPLANE_OVERLAY_YCbCr_FLAGS {
    D3DKMT_MULTIPLANE_OVERLAY_YCbCr_FLAG_NOMINAL_RANGE = 1,
    D3DKMT_MULTIPLANE_OVERLAY_YCbCr_FLAG_BT709         = 2,
    D3DKMT_MULTIPLANE_OVERLAY_YCbCr_FLAG_xvYCC         = 4,
} D3DKMT_MULTIPLANE_OVERLAY_YCbCr_FLAGS;

typedef struct D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE {
    D3DKMT_HANDLE                        hResource;
    LUID                                 CompSurfaceLuid;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID       VidPnSourceId;
    D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES PlaneAttributes;
} D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE;

typedef struct D3DKMT_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO {
    union {
        struct {
            UINT FailingPlane : 4;
            UINT TryAgain : 1;
            UINT Reserved : 27;
        };
        UINT Value;
    };
} D3DKMT_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO;

typedef struct _D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT {
    D3DKMT_HANDLE                                hDevice;
    UINT                                         PlaneCount;
    D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE D3DKMT_CLIENT *pOverlayPlanes;
    BOOL                                         Supported;
    D3DKMT_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO ReturnInfo;
} D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)

typedef NTSTATUS (APIENTRY *PFND3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT)(
    D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT *);

#endif

typedef struct _D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE2 {
    UINT                                  LayerIndex;
    D3DKMT_HANDLE                         hResource;
    LUID                                  CompSurfaceLuid;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID        VidPnSourceId;
    D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES2 PlaneAttributes;
} D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE2;

typedef struct _D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT2 {
    D3DKMT_HANDLE                                hAdapter;
    D3DKMT_HANDLE                                hDevice;
    UINT                                         PlaneCount;
    D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE2 D3DKMT_CLIENT *pOverlayPlanes;
    BOOL                                         Supported;
    D3DKMT_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO ReturnInfo;
} D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT2;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef NTSTATUS (APIENTRY *PFND3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT2)(
    D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT2 *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)

typedef struct _D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3 {
    UINT                                         LayerIndex;
    D3DKMT_HANDLE                                hResource;
    LUID                                         CompSurfaceLuid;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID               VidPnSourceId;
    D3DKMT_MULTIPLANE_OVERLAY_ATTRIBUTES3 D3DKMT_CLIENT *pPlaneAttributes;
} D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3;

typedef struct _D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3 {
    D3DKMT_HANDLE                                hAdapter;
    D3DKMT_HANDLE                                hDevice;
    UINT                                         PlaneCount;
    D3DKMT_CHECK_MULTIPLANE_OVERLAY_PLANE3       **ppOverlayPlanes;
    UINT                                         PostCompositionCount;
    D3DKMT_MULTIPLANE_OVERLAY_POST_COMPOSITION_WITH_SOURCE **ppPostComposition;
    BOOL                                         Supported;
    D3DKMT_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO ReturnInfo;
} D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3)(
    D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3 *);

typedef struct _D3DKMT_PLANE_SPECIFIC_OUTPUT_FLAGS {
    union {
        struct {
            UINT FlipConvertedToImmediate : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} D3DKMT_PLANE_SPECIFIC_OUTPUT_FLAGS;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _D3DKMT_MULTIPLANE_OVERLAY_CAPS {
    union {
        struct {
            UINT Rotation : 1;
            UINT RotationWithoutIndependentFlip : 1;
            UINT VerticalFlip : 1;
            UINT HorizontalFlip : 1;
            UINT StretchRGB : 1;
            UINT StretchYUV : 1;
            UINT BilinearFilter : 1;
            UINT HighFilter : 1;
            UINT Shared : 1;
            UINT Immediate : 1;
            UINT Plane0ForVirtualModeOnly : 1;
            UINT Version3DDISupport : 1;
            UINT Reserved : 20;
        };
        UINT Value;
    };
} D3DKMT_MULTIPLANE_OVERLAY_CAPS;

typedef struct _D3DKMT_GET_MULTIPLANE_OVERLAY_CAPS {
    D3DKMT_HANDLE                  hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT                           MaxPlanes;
    UINT                           MaxRGBPlanes;
    UINT                           MaxYUVPlanes;
    D3DKMT_MULTIPLANE_OVERLAY_CAPS OverlayCaps;
    float                          MaxStretchFactor;
    float                          MaxShrinkFactor;
} D3DKMT_GET_MULTIPLANE_OVERLAY_CAPS;

typedef NTSTATUS (APIENTRY *PFND3DKMT_GETMULTIPLANEOVERLAYCAPS)(
    D3DKMT_GET_MULTIPLANE_OVERLAY_CAPS *);

typedef struct _D3DKMT_MULTIPLANEOVERLAY_STRETCH_SUPPORT {
    UINT VidPnSourceId;
    BOOL Update;
    BOOL Supported;
} D3DKMT_MULTIPLANEOVERLAY_STRETCH_SUPPORT;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _D3DKMT_MULTIPLANEOVERLAY_SUPPORT {
    BOOL Supported;
} D3DKMT_MULTIPLANEOVERLAY_SUPPORT;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION)

typedef struct _D3DKMT_MULTIPLANEOVERLAY_HUD_SUPPORT {
    UINT VidPnSourceId;
    BOOL Update;
    BOOL KernelSupported;
    BOOL HudSupported;
} D3DKMT_MULTIPLANEOVERLAY_HUD_SUPPORT;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_MULTIPLANEOVERLAY_DECODE_SUPPORT {
    BOOL Supported;
} D3DKMT_MULTIPLANEOVERLAY_DECODE_SUPPORT;

typedef struct _D3DKMT_MULTIPLANEOVERLAY_SECONDARY_SUPPORT {
    BOOL Supported;
} D3DKMT_MULTIPLANEOVERLAY_SECONDARY_SUPPORT;

#endif

typedef struct _D3DKMT_CREATEOVERLAY {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DKMT_HANDLE                  hDevice;
    D3DDDI_KERNELOVERLAYINFO       OverlayInfo;
    D3DKMT_HANDLE                  hOverlay;
} D3DKMT_CREATEOVERLAY;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CREATEOVERLAY)(D3DKMT_CREATEOVERLAY *);

typedef struct _D3DKMT_UPDATEOVERLAY {
    D3DKMT_HANDLE            hDevice;
    D3DKMT_HANDLE            hOverlay;
    D3DDDI_KERNELOVERLAYINFO OverlayInfo;
} D3DKMT_UPDATEOVERLAY;

typedef NTSTATUS (APIENTRY *PFND3DKMT_UPDATEOVERLAY)(const D3DKMT_UPDATEOVERLAY *);

typedef struct _D3DKMT_GETOVERLAYSTATE {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hOverlay;
    BOOLEAN       OverlayEnabled;
} D3DKMT_GETOVERLAYSTATE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_GETOVERLAYSTATE)(D3DKMT_GETOVERLAYSTATE *);

typedef struct _D3DKMT_DESTROYOVERLAY {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hOverlay;
} D3DKMT_DESTROYOVERLAY;

typedef NTSTATUS (APIENTRY *PFND3DKMT_DESTROYOVERLAY)(const D3DKMT_DESTROYOVERLAY *);

/* ----------------------------------------------------------------------------------------------
 * Display ownership and modes
 */

typedef enum _D3DKMDT_MODE_PRUNING_REASON {
    D3DKMDT_MPR_UNINITIALIZED                               = 0,
    D3DKMDT_MPR_ALLCAPS                                     = 1,
    D3DKMDT_MPR_DESCRIPTOR_MONITOR_SOURCE_MODE              = 2,
    D3DKMDT_MPR_DESCRIPTOR_MONITOR_FREQUENCY_RANGE          = 3,
    D3DKMDT_MPR_DESCRIPTOR_OVERRIDE_MONITOR_SOURCE_MODE     = 4,
    D3DKMDT_MPR_DESCRIPTOR_OVERRIDE_MONITOR_FREQUENCY_RANGE = 5,
    D3DKMDT_MPR_DEFAULT_PROFILE_MONITOR_SOURCE_MODE         = 6,
    D3DKMDT_MPR_DRIVER_RECOMMENDED_MONITOR_SOURCE_MODE      = 7,
    D3DKMDT_MPR_MONITOR_FREQUENCY_RANGE_OVERRIDE            = 8,
    D3DKMDT_MPR_CLONE_PATH_PRUNED                           = 9,
    D3DKMDT_MPR_MAXVALID                                    = 10,
} D3DKMDT_MODE_PRUNING_REASON;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef enum _D3DKMT_MIRACAST_DRIVER_TYPE {
    D3DKMT_MIRACAST_DRIVER_NOT_SUPPORTED = 0,
    D3DKMT_MIRACAST_DRIVER_IHV           = 1,
    D3DKMT_MIRACAST_DRIVER_MS            = 2,
} D3DKMT_MIRACAST_DRIVER_TYPE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)

typedef enum _KMT_DISPLAY_UMD_VERSION {
    KMT_DISPLAY_UMDVERSION_1    = 0,
    NUM_KMT_DISPLAY_UMDVERSIONS = 1,
} KMT_DISPLAY_UMD_VERSION;

#endif

typedef enum _D3DKMT_VIDPNSOURCEOWNER_TYPE {
    D3DKMT_VIDPNSOURCEOWNER_UNOWNED      = 0,
    D3DKMT_VIDPNSOURCEOWNER_SHARED       = 1,
    D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE    = 2,
    D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVEGDI = 3,
    D3DKMT_VIDPNSOURCEOWNER_EMULATED     = 4,
} D3DKMT_VIDPNSOURCEOWNER_TYPE;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef enum _D3DKMT_OUTPUTDUPL_METADATATYPE {
    D3DKMT_OUTPUTDUPL_METADATATYPE_DIRTY_RECTS = 0,
    D3DKMT_OUTPUTDUPL_METADATATYPE_MOVE_RECTS  = 1,
} D3DKMT_OUTPUTDUPL_METADATATYPE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)

typedef enum _D3DKMT_PROTECTED_SESSION_STATUS {
    D3DKMT_PROTECTED_SESSION_STATUS_OK      = 0,
    D3DKMT_PROTECTED_SESSION_STATUS_INVALID = 1,
} D3DKMT_PROTECTED_SESSION_STATUS;

#endif

typedef struct _D3DKMDT_DISPLAYMODE_FLAGS {
    UINT                        ValidatedAgainstMonitorCaps : 1;
    UINT                        RoundedFakeMode : 1;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    UINT                        : 0;
#endif
    D3DKMDT_MODE_PRUNING_REASON ModePruningReason : 4;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WIN8)
    UINT                        Reserved : 28;
#else
    UINT                        Stereo : 1;
    UINT                        AdvancedScanCapable : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    UINT                        Reserved : 26;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    UINT                        PreferredTiming : 1;
    UINT                        PhysicalModeSupported : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_9)
    UINT                        Reserved : 24;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
    UINT                        VirtualRefreshRate : 1;
    UINT                        Reserved : 23;
#endif
} D3DKMDT_DISPLAYMODE_FLAGS;

typedef struct _D3DKMT_DISPLAYMODE {
    UINT                                  Width;
    UINT                                  Height;
    D3DDDIFORMAT                          Format;
    UINT                                  IntegerRefreshRate;
    D3DDDI_RATIONAL                       RefreshRate;
    D3DDDI_VIDEO_SIGNAL_SCANLINE_ORDERING ScanLineOrdering;
    D3DDDI_ROTATION                       DisplayOrientation;
    UINT                                  DisplayFixedOutput;
    D3DKMDT_DISPLAYMODE_FLAGS             Flags;
} D3DKMT_DISPLAYMODE;

typedef struct _D3DKMT_GETDISPLAYMODELIST {
    D3DKMT_HANDLE                    hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID   VidPnSourceId;
    D3DKMT_DISPLAYMODE D3DKMT_CLIENT *pModeList;
    UINT                             ModeCount;
} D3DKMT_GETDISPLAYMODELIST;

typedef NTSTATUS (APIENTRY *PFND3DKMT_GETDISPLAYMODELIST)(D3DKMT_GETDISPLAYMODELIST *);

typedef struct _D3DKMT_DISPLAYMODELIST {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT                           ModeCount;
    D3DKMT_DISPLAYMODE             pModeList[0];
} D3DKMT_DISPLAYMODELIST;

typedef struct _D3DKMT_SETDISPLAYMODE_FLAGS {
    BOOLEAN PreserveVidPn : 1;
    UINT    Reserved : 31;
} D3DKMT_SETDISPLAYMODE_FLAGS;

typedef struct _D3DKMT_SETDISPLAYMODE {
    D3DKMT_HANDLE                         hDevice;
    D3DKMT_HANDLE                         hPrimaryAllocation;
    D3DDDI_VIDEO_SIGNAL_SCANLINE_ORDERING ScanLineOrdering;
    D3DDDI_ROTATION                       DisplayOrientation;
    UINT                                  PrivateDriverFormatAttribute;
    D3DKMT_SETDISPLAYMODE_FLAGS           Flags;
} D3DKMT_SETDISPLAYMODE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_SETDISPLAYMODE)(const D3DKMT_SETDISPLAYMODE *);

typedef struct _D3DKMT_CURRENTDISPLAYMODE {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DKMT_DISPLAYMODE             DisplayMode;
} D3DKMT_CURRENTDISPLAYMODE;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)

typedef struct _D3DKMT_MIRACASTCOMPANIONDRIVERNAME {
    WCHAR MiracastCompanionDriverName[260];
} D3DKMT_MIRACASTCOMPANIONDRIVERNAME;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_QUERY_MIRACAST_DRIVER_TYPE {
    D3DKMT_MIRACAST_DRIVER_TYPE MiracastDriverType;
} D3DKMT_QUERY_MIRACAST_DRIVER_TYPE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)

typedef struct _D3DKMT_QUERY_SCANOUT_CAPS {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT                           Caps;
} D3DKMT_QUERY_SCANOUT_CAPS;

typedef struct _D3DKMT_DISPLAY_UMD_FILENAMEINFO {
    KMT_DISPLAY_UMD_VERSION Version;
    WCHAR                   UmdFileName[260];
} D3DKMT_DISPLAY_UMD_FILENAMEINFO;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _D3DKMT_QUERYREMOTEVIDPNSOURCEFROMGDIDISPLAYNAME {
    WCHAR                          DeviceName[32];
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
} D3DKMT_QUERYREMOTEVIDPNSOURCEFROMGDIDISPLAYNAME;

typedef NTSTATUS (APIENTRY *PFND3DKMT_QUERYREMOTEVIDPNSOURCEFROMGDIDISPLAYNAME)(
    D3DKMT_QUERYREMOTEVIDPNSOURCEFROMGDIDISPLAYNAME *);

#endif

typedef struct _D3DKMT_DOD_SET_DIRTYRECT_MODE {
    BOOL bForceFullScreenDirty;
} D3DKMT_DOD_SET_DIRTYRECT_MODE;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _D3DKMT_OUTPUTDUPL_SNAPSHOT {
    UINT                          Size;
    UINT                          SessionProcessCount;
    UINT                          SessionActiveConnectionsCount;
    UINT                          NumVidPnSources;
    UINT                          NumOutputDuplContexts;
    UINT                          Padding;
    OUTPUTDUPL_CONTEXT_DEBUG_INFO OutputDuplDebugInfos[0];
} D3DKMT_OUTPUTDUPL_SNAPSHOT;

#endif

typedef struct _D3DKMT_QUERYSTATISTICS_PROCESS_VIDPNSOURCE_INFORMATION {
    ULONG  Frame;
    ULONG  CancelledFrame;
    ULONG  QueuedPresent;
    UINT   Padding;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_7)
    UINT64 Reserved[8];
#else
    UINT64 IsVSyncEnabled;
    UINT64 VSyncOnTotalTimeMs;
    UINT64 VSyncOffKeepPhaseTotalTimeMs;
    UINT64 VSyncOffNoPhaseTotalTimeMs;
    UINT64 Reserved[4];
#endif
} D3DKMT_QUERYSTATISTICS_PROCESS_VIDPNSOURCE_INFORMATION;

typedef struct _D3DKMT_QUERYSTATISTICS_VIDPNSOURCE_INFORMATION {
    D3DKMT_QUERYSTATISTICS_PROCESS_VIDPNSOURCE_INFORMATION GlobalInformation;
    D3DKMT_QUERYSTATISTICS_PROCESS_VIDPNSOURCE_INFORMATION SystemInformation;
    UINT64                                       Reserved[8];
} D3DKMT_QUERYSTATISTICS_VIDPNSOURCE_INFORMATION;

typedef struct _D3DKMT_QUERYSTATISTICS_QUERY_VIDPNSOURCE {
    ULONG VidPnSourceId;
} D3DKMT_QUERYSTATISTICS_QUERY_VIDPNSOURCE;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _D3DKMT_VIDPNSOURCEOWNER_FLAGS {
    union {
        struct {
            UINT AllowOutputDuplication : 1;
            UINT DisableDWMVirtualMode : 1;
            UINT UseNtHandles : 1;
            UINT Reserved : 29;
        };
        UINT Value;
    };
} D3DKMT_VIDPNSOURCEOWNER_FLAGS;

#endif

typedef struct _D3DKMT_SETVIDPNSOURCEOWNER {
    D3DKMT_HANDLE                                hDevice;
    const D3DKMT_VIDPNSOURCEOWNER_TYPE D3DKMT_CLIENT *pType;
    const D3DDDI_VIDEO_PRESENT_SOURCE_ID D3DKMT_CLIENT *pVidPnSourceId;
    UINT                                         VidPnSourceCount;
} D3DKMT_SETVIDPNSOURCEOWNER;

typedef NTSTATUS (APIENTRY *PFND3DKMT_SETVIDPNSOURCEOWNER)(const D3DKMT_SETVIDPNSOURCEOWNER *);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _D3DKMT_SETVIDPNSOURCEOWNER1 {
    D3DKMT_SETVIDPNSOURCEOWNER    Version0;
    D3DKMT_VIDPNSOURCEOWNER_FLAGS Flags;
} D3DKMT_SETVIDPNSOURCEOWNER1;

typedef NTSTATUS (APIENTRY *PFND3DKMT_SETVIDPNSOURCEOWNER1)(const D3DKMT_SETVIDPNSOURCEOWNER1 *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)

typedef struct _D3DKMT_SETVIDPNSOURCEOWNER2 {
    D3DKMT_SETVIDPNSOURCEOWNER1         Version1;
    const D3DKMT_PTR_TYPE D3DKMT_CLIENT *pVidPnSourceNtHandles;
} D3DKMT_SETVIDPNSOURCEOWNER2;

typedef NTSTATUS (APIENTRY *PFND3DKMT_SETVIDPNSOURCEOWNER2)(const D3DKMT_SETVIDPNSOURCEOWNER2 *);

#endif

typedef struct _D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP {
    D3DKMT_HANDLE                  hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
} D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP)(
    const D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP *);

typedef struct _D3DKMT_SETGAMMARAMP {
    D3DKMT_HANDLE                  hDevice;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DDDI_GAMMARAMP_TYPE          Type;
    union {
        D3DDDI_GAMMA_RAMP_RGB256x3x16 D3DKMT_CLIENT *pGammaRampRgb256x3x16;
        D3DDDI_GAMMA_RAMP_DXGI_1 D3DKMT_CLIENT      *pGammaRampDXGI1;
    };
    UINT                           Size;
} D3DKMT_SETGAMMARAMP;

typedef NTSTATUS (APIENTRY *PFND3DKMT_SETGAMMARAMP)(const D3DKMT_SETGAMMARAMP *);

typedef struct _D3DKMT_ADJUSTFULLSCREENGAMMA {
    D3DKMT_HANDLE                  hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DDDI_DXGI_RGB                Scale;
    D3DDDI_DXGI_RGB                Offset;
} D3DKMT_ADJUSTFULLSCREENGAMMA;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef NTSTATUS (APIENTRY *PFND3DKMT_ADJUSTFULLSCREENGAMMA)(D3DKMT_ADJUSTFULLSCREENGAMMA *);

#endif

typedef struct _D3DKMT_SETVIDPNSOURCEHWPROTECTION {
    D3DKMT_HANDLE                  hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    BOOL                           HwProtected;
} D3DKMT_SETVIDPNSOURCEHWPROTECTION;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef NTSTATUS (APIENTRY *PFND3DKMT_SETVIDPNSOURCEHWPROTECTION)(
    D3DKMT_SETVIDPNSOURCEHWPROTECTION *);

#endif

typedef struct _D3DKMT_GETSCANLINE {
    D3DKMT_HANDLE                  hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    BOOLEAN                        InVerticalBlank;
    UINT                           ScanLine;
} D3DKMT_GETSCANLINE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_GETSCANLINE)(D3DKMT_GETSCANLINE *);

typedef struct _D3DKMT_POLLDISPLAYCHILDREN {
    D3DKMT_HANDLE hAdapter;
    UINT          NonDestructiveOnly : 1;
    UINT          SynchronousPolling : 1;
    UINT          DisableModeReset : 1;
    UINT          PollAllAdapters : 1;
    UINT          PollInterruptible : 1;
    UINT          Reserved : 27;
} D3DKMT_POLLDISPLAYCHILDREN;

typedef NTSTATUS (APIENTRY *PFND3DKMT_POLLDISPLAYCHILDREN)(const D3DKMT_POLLDISPLAYCHILDREN *);

typedef struct _D3DKMT_INVALIDATEACTIVEVIDPN {
    D3DKMT_HANDLE      hAdapter;
    void D3DKMT_CLIENT *pPrivateDriverData;
    UINT               PrivateDriverDataSize;
} D3DKMT_INVALIDATEACTIVEVIDPN;

typedef NTSTATUS (APIENTRY *PFND3DKMT_INVALIDATEACTIVEVIDPN)(const D3DKMT_INVALIDATEACTIVEVIDPN *);

typedef struct _D3DKMT_CHECKMONITORPOWERSTATE {
    D3DKMT_HANDLE                  hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
} D3DKMT_CHECKMONITORPOWERSTATE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CHECKMONITORPOWERSTATE)(
    const D3DKMT_CHECKMONITORPOWERSTATE *);

typedef struct _D3DKMT_SETDISPLAYPRIVATEDRIVERFORMAT {
    D3DKMT_HANDLE                  hDevice;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT                           PrivateDriverFormatAttribute;
} D3DKMT_SETDISPLAYPRIVATEDRIVERFORMAT;

typedef NTSTATUS (APIENTRY *PFND3DKMT_SETDISPLAYPRIVATEDRIVERFORMAT)(
    const D3DKMT_SETDISPLAYPRIVATEDRIVERFORMAT *);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _D3DKMT_OUTPUTDUPLCREATIONFLAGS {
    union {
        struct {
            UINT CompositionUiCaptureOnly : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} D3DKMT_OUTPUTDUPLCREATIONFLAGS;

typedef struct _D3DKMT_CREATE_OUTPUTDUPL {
    D3DKMT_HANDLE                  hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT                           KeyedMutexCount;
    UINT                           RequiredKeyedMutexCount;
    D3DKMT_OUTPUTDUPL_KEYEDMUTEX   KeyedMutexs[3];
    D3DKMT_OUTPUTDUPLCREATIONFLAGS Flags;
} D3DKMT_CREATE_OUTPUTDUPL;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CREATEOUTPUTDUPL)(const D3DKMT_CREATE_OUTPUTDUPL *);

typedef struct _D3DKMT_DESTROY_OUTPUTDUPL {
    D3DKMT_HANDLE                  hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    BOOL                           bDestroyAllContexts;
} D3DKMT_DESTROY_OUTPUTDUPL;

typedef NTSTATUS (APIENTRY *PFND3DKMT_DESTROYOUTPUTDUPL)(const D3DKMT_DESTROY_OUTPUTDUPL *);

typedef struct _D3DKMT_OUTPUTDUPL_POINTER_POSITION {
    POINT Position;
    BOOL  Visible;
} D3DKMT_OUTPUTDUPL_POINTER_POSITION;

typedef struct _D3DKMT_OUTPUTDUPL_FRAMEINFO {
    LARGE_INTEGER                      LastPresentTime;
    LARGE_INTEGER                      LastMouseUpdateTime;
    UINT                               AccumulatedFrames;
    BOOL                               RectsCoalesced;
    BOOL                               ProtectedContentMaskedOut;
    D3DKMT_OUTPUTDUPL_POINTER_POSITION PointerPosition;
    UINT                               TotalMetadataBufferSize;
    UINT                               PointerShapeBufferSize;
} D3DKMT_OUTPUTDUPL_FRAMEINFO;

typedef struct _D3DKMT_OUTPUTDUPL_GET_FRAMEINFO {
    D3DKMT_HANDLE                  hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DKMT_OUTPUTDUPL_FRAMEINFO    FrameInfo;
} D3DKMT_OUTPUTDUPL_GET_FRAMEINFO;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OUTPUTDUPLGETFRAMEINFO)(D3DKMT_OUTPUTDUPL_GET_FRAMEINFO *);

typedef struct _D3DKMT_OUTPUTDUPL_METADATA {
    D3DKMT_HANDLE                  hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DKMT_OUTPUTDUPL_METADATATYPE Type;
    UINT                           BufferSizeSupplied;
    PVOID                          pBuffer;
    UINT                           BufferSizeRequired;
} D3DKMT_OUTPUTDUPL_METADATA;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OUTPUTDUPLGETMETADATA)(D3DKMT_OUTPUTDUPL_METADATA *);

typedef enum _D3DKMT_OUTDUPL_POINTER_SHAPE_TYPE {
    D3DKMT_OUTDUPL_POINTER_SHAPE_TYPE_MONOCHROME   = 1,
    D3DKMT_OUTDUPL_POINTER_SHAPE_TYPE_COLOR        = 2,
    D3DKMT_OUTDUPL_POINTER_SHAPE_TYPE_MASKED_COLOR = 4,
} D3DKMT_OUTDUPL_POINTER_SHAPE_TYPE;

typedef struct _D3DKMT_OUTDUPL_POINTER_SHAPE_INFO {
    D3DKMT_OUTDUPL_POINTER_SHAPE_TYPE Type;
    UINT                              Width;
    UINT                              Height;
    UINT                              Pitch;
    POINT                             HotSpot;
} D3DKMT_OUTDUPL_POINTER_SHAPE_INFO;

typedef struct _D3DKMT_OUTPUTDUPL_GET_POINTER_SHAPE_DATA {
    D3DKMT_HANDLE                     hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID    VidPnSourceId;
    UINT                              BufferSizeSupplied;
    PVOID                             pShapeBuffer;
    UINT                              BufferSizeRequired;
    D3DKMT_OUTDUPL_POINTER_SHAPE_INFO ShapeInfo;
} D3DKMT_OUTPUTDUPL_GET_POINTER_SHAPE_DATA;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OUTPUTDUPLGETPOINTERSHAPEDATA)(
    D3DKMT_OUTPUTDUPL_GET_POINTER_SHAPE_DATA *);

typedef struct _D3DKMT_OUTPUTDUPL_RELEASE_FRAME {
    D3DKMT_HANDLE                  hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT                           NextKeyMutexIdx;
} D3DKMT_OUTPUTDUPL_RELEASE_FRAME;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OUTPUTDUPLRELEASEFRAME)(D3DKMT_OUTPUTDUPL_RELEASE_FRAME *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)

typedef struct _D3DKMT_MIRACAST_CHUNK_DATA {
    DXGK_MIRACAST_CHUNK_INFO ChunkInfo;
    UINT                     PrivateDriverDataSize;
    BYTE                     PrivateDriverData[1];
} D3DKMT_MIRACAST_CHUNK_DATA;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_MIRACAST_DISPLAY_STOP_SESSIONS {
    LUID                           AdapterLuid;
    D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId;
    UINT                           StopReason;
} D3DKMT_MIRACAST_DISPLAY_STOP_SESSIONS, *PD3DKMT_MIRACAST_DISPLAY_STOP_SESSIONS;

typedef struct _D3DKMT_QUERYVIDPNEXCLUSIVEOWNERSHIP {
    HANDLE                         hProcess;
    HWND                           hWindow;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    LUID                           AdapterLuid;
    D3DKMT_VIDPNSOURCEOWNER_TYPE   OwnerType;
} D3DKMT_QUERYVIDPNEXCLUSIVEOWNERSHIP;

typedef NTSTATUS (APIENTRY *PFND3DKMT_QUERYVIDPNEXCLUSIVEOWNERSHIP)(
    D3DKMT_QUERYVIDPNEXCLUSIVEOWNERSHIP *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)

typedef struct _D3DKMT_CREATEPROTECTEDSESSION {
    D3DKMT_HANDLE            hDevice;
    D3DKMT_HANDLE            hSyncObject;
    const void D3DKMT_CLIENT *pPrivateDriverData;
    UINT                     PrivateDriverDataSize;
    const void D3DKMT_CLIENT *pPrivateRuntimeData;
    UINT                     PrivateRuntimeDataSize;
    D3DKMT_HANDLE            hHandle;
} D3DKMT_CREATEPROTECTEDSESSION;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CREATEPROTECTEDSESSION)(D3DKMT_CREATEPROTECTEDSESSION *);

typedef struct _D3DKMT_DESTROYPROTECTEDSESSION {
    D3DKMT_HANDLE hHandle;
} D3DKMT_DESTROYPROTECTEDSESSION;

typedef NTSTATUS (APIENTRY *PFND3DKMT_DESTROYPROTECTEDSESSION)(D3DKMT_DESTROYPROTECTEDSESSION *);

typedef struct _D3DKMT_QUERYPROTECTEDSESSIONSTATUS {
    D3DKMT_HANDLE                   hHandle;
    D3DKMT_PROTECTED_SESSION_STATUS Status;
} D3DKMT_QUERYPROTECTEDSESSIONSTATUS;

typedef NTSTATUS (APIENTRY *PFND3DKMT_QUERYPROTECTEDSESSIONSTATUS)(
    D3DKMT_QUERYPROTECTEDSESSIONSTATUS *);

typedef struct _D3DKMT_QUERYPROTECTEDSESSIONINFOFROMNTHANDLE {
    HANDLE                   hNtHandle;
    const void D3DKMT_CLIENT *pPrivateDriverData;
    UINT                     PrivateDriverDataSize;
    const void D3DKMT_CLIENT *pPrivateRuntimeData;
    UINT                     PrivateRuntimeDataSize;
} D3DKMT_QUERYPROTECTEDSESSIONINFOFROMNTHANDLE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_QUERYPROTECTEDSESSIONINFOFROMNTHANDLE)(
    D3DKMT_QUERYPROTECTEDSESSIONINFOFROMNTHANDLE *);

typedef struct _D3DKMT_OPENPROTECTEDSESSIONFROMNTHANDLE {
    HANDLE        hNtHandle;
    D3DKMT_HANDLE hHandle;
} D3DKMT_OPENPROTECTEDSESSIONFROMNTHANDLE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_OPENPROTECTEDSESSIONFROMNTHANDLE)(
    D3DKMT_OPENPROTECTEDSESSIONFROMNTHANDLE *);

#endif

typedef NTSTATUS (APIENTRY *PFND3DKMT_RELEASEPROCESSVIDPNSOURCEOWNERS)(HANDLE);

/* ----------------------------------------------------------------------------------------------
 * Escapes
 */

typedef enum _D3DKMT_ESCAPETYPE {
    D3DKMT_ESCAPE_DRIVERPRIVATE                     = 0,
    D3DKMT_ESCAPE_VIDMM                             = 1,
    D3DKMT_ESCAPE_TDRDBGCTRL                        = 2,
    D3DKMT_ESCAPE_VIDSCH                            = 3,
    D3DKMT_ESCAPE_DEVICE                            = 4,
    D3DKMT_ESCAPE_DMM                               = 5,
    D3DKMT_ESCAPE_DEBUG_SNAPSHOT                    = 6,
    D3DKMT_ESCAPE_DRT_TEST                          = 8,
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    D3DKMT_ESCAPE_DIAGNOSTICS                       = 9,
    D3DKMT_ESCAPE_OUTPUTDUPL_SNAPSHOT               = 10,
    D3DKMT_ESCAPE_OUTPUTDUPL_DIAGNOSTICS            = 11,
    D3DKMT_ESCAPE_BDD_PNP                           = 12,
    D3DKMT_ESCAPE_BDD_FALLBACK                      = 13,
    D3DKMT_ESCAPE_ACTIVATE_SPECIFIC_DIAG            = 14,
    D3DKMT_ESCAPE_MODES_PRUNED_OUT                  = 15,
    D3DKMT_ESCAPE_WHQL_INFO                         = 16,
    D3DKMT_ESCAPE_BRIGHTNESS                        = 17,
    D3DKMT_ESCAPE_EDID_CACHE                        = 18,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    D3DKMT_ESCAPE_MIRACAST_DISPLAY_REQUEST          = 20,
    D3DKMT_ESCAPE_HISTORY_BUFFER_STATUS             = 21,
    D3DKMT_ESCAPE_MIRACAST_ADAPTER_DIAG_INFO        = 23,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    D3DKMT_ESCAPE_FORCE_BDDFALLBACK_HEADLESS        = 24,
    D3DKMT_ESCAPE_REQUEST_MACHINE_CRASH             = 25,
    D3DKMT_ESCAPE_SOFTGPU_ENABLE_DISABLE_HMD        = 27,
    D3DKMT_ESCAPE_PROCESS_VERIFIER_OPTION           = 28,
    D3DKMT_ESCAPE_ADAPTER_VERIFIER_OPTION           = 29,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
    D3DKMT_ESCAPE_IDD_REQUEST                       = 30,
    D3DKMT_ESCAPE_DOD_SET_DIRTYRECT_MODE            = 31,
    D3DKMT_ESCAPE_LOG_CODEPOINT_PACKET              = 32,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)
    D3DKMT_ESCAPE_LOG_USERMODE_DAIG_PACKET          = 33,
    D3DKMT_ESCAPE_GET_EXTERNAL_DIAGNOSTICS          = 34,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)
    D3DKMT_ESCAPE_GET_DISPLAY_CONFIGURATIONS        = 36,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)
    D3DKMT_ESCAPE_QUERY_IOMMU_STATUS                = 37,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)
    D3DKMT_ESCAPE_CCD_DATABASE                      = 38,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)
    D3DKMT_ESCAPE_QUERY_DMA_REMAPPING_STATUS        = 39,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    D3DKMT_ESCAPE_WIN32K_START                      = 1024,
    D3DKMT_ESCAPE_WIN32K_HIP_DEVICE_INFO            = 1024,
    D3DKMT_ESCAPE_WIN32K_QUERY_CD_ROTATION_BLOCK    = 1025,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    D3DKMT_ESCAPE_WIN32K_DPI_INFO                   = 1026,
    D3DKMT_ESCAPE_WIN32K_PRESENTER_VIEW_INFO        = 1027,
    D3DKMT_ESCAPE_WIN32K_SYSTEM_DPI                 = 1028,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    D3DKMT_ESCAPE_WIN32K_BDD_FALLBACK               = 1029,
    D3DKMT_ESCAPE_WIN32K_DDA_TEST_CTL               = 1030,
    D3DKMT_ESCAPE_WIN32K_USER_DETECTED_BLACK_SCREEN = 1031,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)
    D3DKMT_ESCAPE_WIN32K_DISPBROKER_TEST            = 1035,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)
    D3DKMT_ESCAPE_WIN32K_COLOR_PROFILE_INFO         = 1036,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7)
    D3DKMT_ESCAPE_WIN32K_SET_DIMMED_STATE           = 1037,
    D3DKMT_ESCAPE_WIN32K_SPECIALIZED_DISPLAY_TEST   = 1038,
#endif
} D3DKMT_ESCAPETYPE;

typedef enum _D3DKMT_VIDMMESCAPETYPE {
    D3DKMT_VIDMMESCAPETYPE_SETFAULT                     = 0,
    D3DKMT_VIDMMESCAPETYPE_RUN_COHERENCY_TEST           = 1,
    D3DKMT_VIDMMESCAPETYPE_RUN_UNMAP_TO_DUMMY_PAGE_TEST = 2,
    D3DKMT_VIDMMESCAPETYPE_APERTURE_CORRUPTION_CHECK    = 3,
    D3DKMT_VIDMMESCAPETYPE_SUSPEND_CPU_ACCESS_TEST      = 4,
    D3DKMT_VIDMMESCAPETYPE_EVICT                        = 5,
    D3DKMT_VIDMMESCAPETYPE_EVICT_BY_NT_HANDLE           = 6,
    D3DKMT_VIDMMESCAPETYPE_GET_VAD_INFO                 = 7,
    D3DKMT_VIDMMESCAPETYPE_SET_BUDGET                   = 8,
    D3DKMT_VIDMMESCAPETYPE_SUSPEND_PROCESS              = 9,
    D3DKMT_VIDMMESCAPETYPE_RESUME_PROCESS               = 10,
    D3DKMT_VIDMMESCAPETYPE_GET_BUDGET                   = 11,
    D3DKMT_VIDMMESCAPETYPE_SET_TRIM_INTERVALS           = 12,
    D3DKMT_VIDMMESCAPETYPE_EVICT_BY_CRITERIA            = 13,
    D3DKMT_VIDMMESCAPETYPE_WAKE                         = 14,
    D3DKMT_VIDMMESCAPETYPE_DEFRAG                       = 15,
    D3DKMT_VIDMMESCAPETYPE_DELAYEXECUTION               = 16,
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7)
    D3DKMT_VIDMMESCAPETYPE_VALIDATE_INTEGRITY           = 17,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
    D3DKMT_VIDMMESCAPETYPE_SET_EVICTION_CONFIG          = 18,
#endif
} D3DKMT_VIDMMESCAPETYPE;

typedef enum _D3DKMT_VIDSCHESCAPETYPE {
    D3DKMT_VIDSCHESCAPETYPE_PREEMPTIONCONTROL    = 0,
    D3DKMT_VIDSCHESCAPETYPE_SUSPENDSCHEDULER     = 1,
    D3DKMT_VIDSCHESCAPETYPE_TDRCONTROL           = 2,
    D3DKMT_VIDSCHESCAPETYPE_SUSPENDRESUME        = 3,
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    D3DKMT_VIDSCHESCAPETYPE_ENABLECONTEXTDELAY   = 4,
#endif
    D3DKMT_VIDSCHESCAPETYPE_CONFIGURE_TDR_LIMIT  = 5,
    D3DKMT_VIDSCHESCAPETYPE_VGPU_RESET           = 6,
    D3DKMT_VIDSCHESCAPETYPE_PFN_CONTROL          = 7,
    D3DKMT_VIDSCHESCAPETYPE_VIRTUAL_REFRESH_RATE = 8,
} D3DKMT_VIDSCHESCAPETYPE;

typedef enum _D3DKMT_DMMESCAPETYPE {
    D3DKMT_DMMESCAPETYPE_UNINITIALIZED                       = 0,
    D3DKMT_DMMESCAPETYPE_GET_SUMMARY_INFO                    = 1,
    D3DKMT_DMMESCAPETYPE_GET_VIDEO_PRESENT_SOURCES_INFO      = 2,
    D3DKMT_DMMESCAPETYPE_GET_VIDEO_PRESENT_TARGETS_INFO      = 3,
    D3DKMT_DMMESCAPETYPE_GET_ACTIVEVIDPN_INFO                = 4,
    D3DKMT_DMMESCAPETYPE_GET_MONITORS_INFO                   = 5,
    D3DKMT_DMMESCAPETYPE_RECENTLY_COMMITTED_VIDPNS_INFO      = 6,
    D3DKMT_DMMESCAPETYPE_RECENT_MODECHANGE_REQUESTS_INFO     = 7,
    D3DKMT_DMMESCAPETYPE_RECENTLY_RECOMMENDED_VIDPNS_INFO    = 8,
    D3DKMT_DMMESCAPETYPE_RECENT_MONITOR_PRESENCE_EVENTS_INFO = 9,
    D3DKMT_DMMESCAPETYPE_ACTIVEVIDPN_SOURCEMODESET_INFO      = 10,
    D3DKMT_DMMESCAPETYPE_ACTIVEVIDPN_COFUNCPATHMODALITY_INFO = 11,
    D3DKMT_DMMESCAPETYPE_GET_LASTCLIENTCOMMITTEDVIDPN_INFO   = 12,
    D3DKMT_DMMESCAPETYPE_GET_VERSION_INFO                    = 13,
    D3DKMT_DMMESCAPETYPE_VIDPN_MGR_DIAGNOSTICS               = 14,
} D3DKMT_DMMESCAPETYPE;

typedef enum _D3DKMT_VAD_ESCAPE_COMMAND {
    D3DKMT_VAD_ESCAPE_GETNUMVADS       = 0,
    D3DKMT_VAD_ESCAPE_GETVAD           = 1,
    D3DKMT_VAD_ESCAPE_GETVADRANGE      = 2,
    D3DKMT_VAD_ESCAPE_GET_PTE          = 3,
    D3DKMT_VAD_ESCAPE_GET_GPUMMU_CAPS  = 4,
    D3DKMT_VAD_ESCAPE_GET_SEGMENT_CAPS = 5,
    D3DKMT_VAD_ESCAPE_GET_PTE_DATA     = 6,
} D3DKMT_VAD_ESCAPE_COMMAND;

typedef enum _D3DKMT_DEFRAG_ESCAPE_OPERATION {
    D3DKMT_DEFRAG_ESCAPE_GET_FRAGMENTATION_STATS = 0,
    D3DKMT_DEFRAG_ESCAPE_DEFRAG_UPWARD           = 1,
    D3DKMT_DEFRAG_ESCAPE_DEFRAG_DOWNWARD         = 2,
    D3DKMT_DEFRAG_ESCAPE_DEFRAG_PASS             = 3,
    D3DKMT_DEFRAG_ESCAPE_VERIFY_TRANSFER         = 4,
} D3DKMT_DEFRAG_ESCAPE_OPERATION;

typedef enum _D3DKMT_ESCAPE_PFN_CONTROL_COMMAND {
    D3DKMT_ESCAPE_PFN_CONTROL_DEFAULT   = 0,
    D3DKMT_ESCAPE_PFN_CONTROL_FORCE_CPU = 1,
    D3DKMT_ESCAPE_PFN_CONTROL_FORCE_GPU = 2,
} D3DKMT_ESCAPE_PFN_CONTROL_COMMAND;

typedef enum _D3DKMT_ESCAPE_VIRTUAL_REFRESH_RATE_TYPE {
    D3DKMT_ESCAPE_VIRTUAL_REFRESH_RATE_TYPE_SET_BASE_DESKTOP_DURATION  = 0,
    D3DKMT_ESCAPE_VIRTUAL_REFRESH_RATE_TYPE_SET_VSYNC_MULTIPLIER       = 1,
    D3DKMT_ESCAPE_VIRTUAL_REFRESH_RATE_TYPE_SET_PROCESS_BOOST_ELIGIBLE = 2,
} D3DKMT_ESCAPE_VIRTUAL_REFRESH_RATE_TYPE;

enum {
    D3DKMT_MAX_DMM_ESCAPE_DATASIZE = 0x19000,
};

typedef enum _D3DKMT_BRIGHTNESS_INFO_TYPE {
    D3DKMT_BRIGHTNESS_INFO_GET_POSSIBLE_LEVELS = 1,
    D3DKMT_BRIGHTNESS_INFO_GET                 = 2,
    D3DKMT_BRIGHTNESS_INFO_SET                 = 3,
    D3DKMT_BRIGHTNESS_INFO_GET_CAPS            = 4,
    D3DKMT_BRIGHTNESS_INFO_SET_STATE           = 5,
    D3DKMT_BRIGHTNESS_INFO_SET_OPTIMIZATION    = 6,
    D3DKMT_BRIGHTNESS_INFO_GET_REDUCTION       = 7,
    D3DKMT_BRIGHTNESS_INFO_BEGIN_MANUAL_MODE   = 8,
    D3DKMT_BRIGHTNESS_INFO_END_MANUAL_MODE     = 9,
    D3DKMT_BRIGHTNESS_INFO_TOGGLE_LOGGING      = 10,
    D3DKMT_BRIGHTNESS_INFO_GET_NIT_RANGES      = 11,
    D3DKMT_BRIGHTNESS_INFO_SUPPORTED_INTERFACE = 12,
} D3DKMT_BRIGHTNESS_INFO_TYPE;

typedef enum _D3DKMT_BRIGHTNESS_INTERFACE_VERSION {
    D3DKMT_BRIGHTNESS_INTERFACE_VERSION_UNINITIALIZED = 0,
    D3DKMT_BRIGHTNESS_INTERFACE_VERSION_1             = 1,
    D3DKMT_BRIGHTNESS_INTERFACE_VERSION_2             = 2,
    D3DKMT_BRIGHTNESS_INTERFACE_VERSION_3             = 3,
} D3DKMT_BRIGHTNESS_INTERFACE_VERSION;

typedef enum _D3DKMT_QUERYSTATISTICS_SEGMENT_TYPE {
    D3DKMT_QUERYSTATISTICS_SEGMENT_TYPE_APERTURE = 0,
    D3DKMT_QUERYSTATISTICS_SEGMENT_TYPE_MEMORY   = 1,
    D3DKMT_QUERYSTATISTICS_SEGMENT_TYPE_SYSMEM   = 2,
} D3DKMT_QUERYSTATISTICS_SEGMENT_TYPE;

typedef struct _D3DKMT_VAD_DESC {
    UINT   VadIndex;
    UINT64 VadAddress;
    UINT   NumMappedRanges;
    UINT   VadType;
    UINT64 StartAddress;
    UINT64 EndAddress;
} D3DKMT_VAD_DESC;

typedef struct _D3DKMT_VA_RANGE_DESC {
    UINT64 VadAddress;
    UINT   VaRangeIndex;
    UINT   PhysicalAdapterIndex;
    UINT64 StartAddress;
    UINT64 EndAddress;
    UINT64 DriverProtection;
    UINT   OwnerType;
    UINT64 pOwner;
    UINT64 OwnerOffset;
    UINT   Protection;
} D3DKMT_VA_RANGE_DESC;

typedef struct _D3DKMT_GET_PTE {
    UINT     PhysicalAdapterIndex;
    UINT     PageTableLevel;
    UINT     PageTableIndex[6];
    BOOLEAN  b64KBPte;
    UINT     NumPtes;
    DXGK_PTE Pte[64];
    UINT     NumValidEntries;
} D3DKMT_GET_PTE;

typedef struct _D3DKMT_GET_PTE_EXT {
    UINT64 DriverProtection[64];
    UINT64 AllocationData[64];
} D3DKMT_GET_PTE_EXT;

typedef struct _D3DKMT_SEGMENT_CAPS {
    UINT64                      Size;
    UINT                        PageSize;
    ULONG                       SegmentId;
    BOOLEAN                     bAperture;
    BOOLEAN                     bReservedSysMem;
    D3DKMT_MEMORY_SEGMENT_GROUP BudgetGroup;
} D3DKMT_SEGMENT_CAPS;

typedef struct _D3DKMT_GET_SEGMENT_CAPS {
    UINT                PhysicalAdapterIndex;
    UINT                NumSegments;
    D3DKMT_SEGMENT_CAPS SegmentCaps[32];
} D3DKMT_GET_SEGMENT_CAPS;

typedef struct _D3DKMT_ESCAPE_VIRTUAL_REFRESH_RATE {
    D3DKMT_ESCAPE_VIRTUAL_REFRESH_RATE_TYPE Type;
    UINT                                    VidPnSourceId;
    BOOLEAN                                 ProcessBoostEligible;
    UINT                                    VSyncMultiplier;
    UINT                                    BaseDesktopDuration;
    UCHAR                                   Reserved[16];
} D3DKMT_ESCAPE_VIRTUAL_REFRESH_RATE;

typedef struct _D3DKMT_VIDMM_ESCAPE {
    D3DKMT_VIDMMESCAPETYPE Type;
    union {
        struct {
            union {
                struct {
                    ULONG ProbeAndLock : 1;
                    ULONG SplitPoint : 1;
                    ULONG NoDemotion : 1;
                    ULONG SwizzlingAperture : 1;
                    ULONG PagingPathLockSubRange : 1;
                    ULONG PagingPathLockMinRange : 1;
                    ULONG ComplexLock : 1;
                    ULONG FailVARotation : 1;
                    ULONG NoWriteCombined : 1;
                    ULONG NoPrePatching : 1;
                    ULONG AlwaysRepatch : 1;
                    ULONG ExpectPreparationFailure : 1;
                    ULONG FailUserModeVAMapping : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WIN8)
                    ULONG Reserved : 19;
#else
                    ULONG NeverDiscardOfferedAllocation : 1;
                    ULONG AlwaysDiscardOfferedAllocation : 1;
                    ULONG Reserved : 17;
#endif
                };
                ULONG Value;
            };
        } SetFault;
        struct {
            D3DKMT_HANDLE ResourceHandle;
            D3DKMT_HANDLE AllocationHandle;
            HANDLE        hProcess;
        } Evict;
        struct {
            UINT64 NtHandle;
        } EvictByNtHandle;
        struct {
            union {
                struct {
                    UINT NumVads;
                } GetNumVads;
                D3DKMT_VAD_DESC         GetVad;
                D3DKMT_VA_RANGE_DESC    GetVadRange;
                D3DKMT_GET_GPUMMU_CAPS  GetGpuMmuCaps;
                D3DKMT_GET_PTE          GetPte;
                D3DKMT_GET_SEGMENT_CAPS GetSegmentCaps;
            };
            D3DKMT_VAD_ESCAPE_COMMAND Command;
            NTSTATUS                  Status;
            union {
                D3DKMT_GET_PTE_EXT GetPteExt;
            };
        } GetVads;
        struct {
            ULONGLONG LocalMemoryBudget;
            ULONGLONG SystemMemoryBudget;
        } SetBudget;
        struct {
            HANDLE hProcess;
            BOOL   bAllowWakeOnSubmission;
        } SuspendProcess;
        struct {
            HANDLE hProcess;
        } ResumeProcess;
        struct {
            UINT64 NumBytesToTrim;
        } GetBudget;
        struct {
            ULONG MinTrimInterval;
            ULONG MaxTrimInterval;
            ULONG IdleTrimInterval;
        } SetTrimIntervals;
        D3DKMT_EVICTION_CRITERIA EvictByCriteria;
        struct {
            BOOL bFlush;
        } Wake;
        struct {
            D3DKMT_DEFRAG_ESCAPE_OPERATION Operation;
            UINT                           SegmentId;
            ULONGLONG                      TotalCommitted;
            ULONGLONG                      TotalFree;
            ULONGLONG                      LargestGapBefore;
            ULONGLONG                      LargestGapAfter;
        } Defrag;
        struct {
            D3DKMT_HANDLE hPagingQueue;
            UINT          PhysicalAdapterIndex;
            ULONG         Milliseconds;
            ULONGLONG     PagingFenceValue;
        } DelayExecution;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7)
        struct {
            UINT16 PhysicalAdapterIndex;
            UINT16 SegmentId;
        } VerifyIntegrity;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
        struct {
            LONGLONG TimerValue;
        } DelayedEvictionConfig;
#endif
    };
} D3DKMT_VIDMM_ESCAPE;

typedef struct _D3DKMT_VIDSCH_ESCAPE {
    D3DKMT_VIDSCHESCAPETYPE            Type;
    union {
        BOOL                              PreemptionControl;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
        BOOL                              EnableContextDelay;
        struct {
            ULONG TdrControl;
            union {
                ULONG NodeOrdinal;
            };
        } TdrControl2;
#endif
        BOOL                              SuspendScheduler;
        ULONG                             TdrControl;
        ULONG                             SuspendTime;
        struct {
            UINT Count;
            UINT Time;
        } TdrLimit;
        D3DKMT_ESCAPE_PFN_CONTROL_COMMAND PfnControl;
    };
    D3DKMT_ESCAPE_VIRTUAL_REFRESH_RATE VirtualRefreshRateControl;
} D3DKMT_VIDSCH_ESCAPE;

typedef enum _D3DKMT_TDRDBGCTRLTYPE {
    D3DKMT_TDRDBGCTRLTYPE_FORCETDR         = 0,
    D3DKMT_TDRDBGCTRLTYPE_DISABLEBREAK     = 1,
    D3DKMT_TDRDBGCTRLTYPE_ENABLEBREAK      = 2,
    D3DKMT_TDRDBGCTRLTYPE_UNCONDITIONAL    = 3,
    D3DKMT_TDRDBGCTRLTYPE_VSYNCTDR         = 4,
    D3DKMT_TDRDBGCTRLTYPE_GPUTDR           = 5,
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    D3DKMT_TDRDBGCTRLTYPE_FORCEDODTDR      = 6,
    D3DKMT_TDRDBGCTRLTYPE_FORCEDODVSYNCTDR = 7,
    D3DKMT_TDRDBGCTRLTYPE_ENGINETDR        = 8,
#endif
} D3DKMT_TDRDBGCTRLTYPE;

typedef struct _D3DKMT_TDRDBGCTRL_ESCAPE {
    D3DKMT_TDRDBGCTRLTYPE TdrControl;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    union {
        ULONG NodeOrdinal;
    };
#endif
} D3DKMT_TDRDBGCTRL_ESCAPE;

typedef struct _D3DKMT_DMM_ESCAPE {
    D3DKMT_DMMESCAPETYPE Type;
    D3DKMT_SIZE_T        ProvidedBufferSize;
    D3DKMT_SIZE_T        MinRequiredBufferSize;
    UCHAR                Data[1];
} D3DKMT_DMM_ESCAPE;

typedef struct _D3DKMT_BRIGHTNESS_POSSIBLE_LEVELS {
    UCHAR LevelCount;
    UCHAR BrightnessLevels[256];
} D3DKMT_BRIGHTNESS_POSSIBLE_LEVELS;

typedef struct _D3DKMT_BRIGHTNESS_INFO {
    D3DKMT_BRIGHTNESS_INFO_TYPE Type;
    ULONG                       ChildUid;
    union {
        D3DKMT_BRIGHTNESS_POSSIBLE_LEVELS   PossibleLevels;
        UCHAR                               Brightness;
        DXGK_BRIGHTNESS_CAPS                BrightnessCaps;
        DXGK_BRIGHTNESS_STATE               BrightnessState;
        DXGK_BACKLIGHT_OPTIMIZATION_LEVEL   OptimizationLevel;
        DXGK_BACKLIGHT_INFO                 ReductionInfo;
        BOOLEAN                             VerboseLogging;
        DXGK_BRIGHTNESS_GET_NIT_RANGES_OUT  NitRanges;
        DXGK_BRIGHTNESS_GET_OUT             GetBrightnessMillinits;
        DXGK_BRIGHTNESS_SET_IN              SetBrightnessMillinits;
        D3DKMT_BRIGHTNESS_INTERFACE_VERSION BrightnessInterfaceSupported;
    };
} D3DKMT_BRIGHTNESS_INFO;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_REQUEST_MACHINE_CRASH_ESCAPE {
    D3DKMT_ULONG_PTR Param1;
    D3DKMT_ULONG_PTR Param2;
    D3DKMT_ULONG_PTR Param3;
} D3DKMT_REQUEST_MACHINE_CRASH_ESCAPE;

typedef union _D3DKMT_PROCESS_VERIFIER_VIDMM_FLAGS {
    struct {
        UINT ForceSynchronousEvict : 1;
        UINT NeverDeferEvictions : 1;
        UINT AlwaysFailCommitOnReclaim : 1;
        UINT AlwaysPlaceInDemotedLocation : 1;
        UINT IgnoreBudgetCap : 1;
        UINT Reserved : 27;
    };
    UINT32 Value;
} D3DKMT_PROCESS_VERIFIER_VIDMM_FLAGS;

#endif

typedef struct _D3DKMT_DEBUG_SNAPSHOT_ESCAPE {
    ULONG Length;
    BYTE  Buffer[1];
} D3DKMT_DEBUG_SNAPSHOT_ESCAPE;

typedef enum _D3DKMT_ACTIVATE_SPECIFIC_DIAG_TYPE {
    D3DKMT_ACTIVATE_SPECIFIC_DIAG_TYPE_EXTRA_CCD_DATABASE_INFO = 0,
    D3DKMT_ACTIVATE_SPECIFIC_DIAG_TYPE_MODES_PRUNED            = 15,
} D3DKMT_ACTIVATE_SPECIFIC_DIAG_TYPE;

typedef struct _D3DKMT_ACTIVATE_SPECIFIC_DIAG_ESCAPE {
    D3DKMT_ACTIVATE_SPECIFIC_DIAG_TYPE Type;
    BOOL                               Activate;
} D3DKMT_ACTIVATE_SPECIFIC_DIAG_ESCAPE;

typedef struct _D3DKMT_ESCAPE {
    D3DKMT_HANDLE      hAdapter;
    D3DKMT_HANDLE      hDevice;
    D3DKMT_ESCAPETYPE  Type;
    D3DDDI_ESCAPEFLAGS Flags;
    void D3DKMT_CLIENT *pPrivateDriverData;
    UINT               PrivateDriverDataSize;
    D3DKMT_HANDLE      hContext;
} D3DKMT_ESCAPE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_ESCAPE)(const D3DKMT_ESCAPE *);

typedef struct _D3DKMT_QUERYSTATISTICS_MEMORY {
    ULONGLONG TotalBytesEvicted;
    ULONG     AllocsCommitted;
    ULONG     AllocsResident;
} D3DKMT_QUERYSTATISTICS_MEMORY;

typedef struct _D3DKMT_QUERYSTATISTICS_SEGMENT_INFORMATION {
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WIN8)
    ULONG                         CommitLimit;
    ULONG                         BytesCommitted;
    ULONG                         BytesResident;
#else
    ULONGLONG                     CommitLimit;
    ULONGLONG                     BytesCommitted;
    ULONGLONG                     BytesResident;
#endif
    D3DKMT_QUERYSTATISTICS_MEMORY Memory;
    ULONG                         Aperture;
    ULONGLONG                     TotalBytesEvictedByPriority[5];
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WIN8)
    UINT64                        Reserved[8];
#else
    UINT64                        SystemMemoryEndAddress;
    struct {
        UINT64 PreservedDuringStandby : 1;
        UINT64 PreservedDuringHibernate : 1;
        UINT64 PartiallyPreservedDuringHibernate : 1;
        UINT64 Reserved : 61;
    } PowerFlags;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_9)
    UINT64                        Reserved[6];
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
    struct {
        UINT64 SystemMemory : 1;
        UINT64 PopulatedByReservedDDRByFirmware : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_1)
        UINT64 Reserved : 62;
#else
        UINT64 SegmentType : 4;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_2)
        UINT64 Reserved : 58;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
        UINT64 SegmentGroup : 2;
        UINT64 FullyCPUVisible : 1;
        UINT64 Reserved : 55;
#endif
    } SegmentProperties;
    UINT64                        Reserved[5];
#endif
} D3DKMT_QUERYSTATISTICS_SEGMENT_INFORMATION;

typedef struct _D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_POLICY {
    ULONGLONG UseMRU;
} D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_POLICY;

typedef struct _D3DKMT_QUERYSTATISTICS_VIDEO_MEMORY {
    ULONG                          AllocsCommitted;
    D3DKMT_QUERYSTATISTICS_COUNTER AllocsResidentInP[5];
    D3DKMT_QUERYSTATISTICS_COUNTER AllocsResidentInNonPreferred;
    ULONGLONG                      TotalBytesEvictedDueToPreparation;
} D3DKMT_QUERYSTATISTICS_VIDEO_MEMORY;

typedef struct _D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_INFORMATION {
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WIN8)
    ULONG                                        BytesCommitted;
#else
    ULONGLONG                                    BytesCommitted;
    ULONGLONG                                    MaximumWorkingSet;
    ULONGLONG                                    MinimumWorkingSet;
#endif
    ULONG                                        NbReferencedAllocationEvictedInPeriod;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WIN8)
    ULONG                                        MaximumWorkingSet;
    ULONG                                        MinimumWorkingSet;
#else
    UINT                                         Padding;
#endif
    D3DKMT_QUERYSTATISTICS_VIDEO_MEMORY          VideoMemory;
    D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_POLICY _Policy;
    UINT64                                       Reserved[8];
} D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_INFORMATION;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)

typedef struct _D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_GROUP_INFORMATION {
    UINT64 Budget;
    UINT64 Requested;
    UINT64 Usage;
    UINT64 Demoted[5];
} D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_GROUP_INFORMATION;

#endif

typedef struct _D3DKMT_QUERYSTATISTICS_QUERY_SEGMENT {
    ULONG SegmentId;
} D3DKMT_QUERYSTATISTICS_QUERY_SEGMENT;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)

typedef struct _D3DKMT_QUERYSTATISTICS_QUERY_SEGMENT2 {
    UINT16 PhysicalAdapterIndex;
    UINT16 SegmentId;
} D3DKMT_QUERYSTATISTICS_QUERY_SEGMENT2;

typedef struct _D3DKMT_QUERYSTATISTICS_QUERY_SEGMENT_USAGE {
    UINT16 PhysicalAdapterIndex;
    UINT16 SegmentId;
} D3DKMT_QUERYSTATISTICS_QUERY_SEGMENT_USAGE;

typedef struct _D3DKMT_QUERYSTATISTICS_QUERY_SEGMENT_GROUP_USAGE {
    UINT16 PhysicalAdapterIndex;
    UINT16 SegmentGroup;
} D3DKMT_QUERYSTATISTICS_QUERY_SEGMENT_GROUP_USAGE;

typedef struct _D3DKMT_QUERYSTATISTICS_QUERY_PROCESS_SEGMENT_GROUP2 {
    UINT16 PhysicalAdapterIndex;
    UINT16 SegmentGroup;
} D3DKMT_QUERYSTATISTICS_QUERY_PROCESS_SEGMENT_GROUP2;

#endif

/* ----------------------------------------------------------------------------------------------
 * Statistics
 */

typedef enum _D3DKMT_QUERYRESULT_PREEMPTION_ATTEMPT_RESULT {
    D3DKMT_PreemptionAttempt                               = 0,
    D3DKMT_PreemptionAttemptSuccess                        = 1,
    D3DKMT_PreemptionAttemptMissNoCommand                  = 2,
    D3DKMT_PreemptionAttemptMissNotEnabled                 = 3,
    D3DKMT_PreemptionAttemptMissNextFence                  = 4,
    D3DKMT_PreemptionAttemptMissPagingCommand              = 5,
    D3DKMT_PreemptionAttemptMissSplittedCommand            = 6,
    D3DKMT_PreemptionAttemptMissFenceCommand               = 7,
    D3DKMT_PreemptionAttemptMissRenderPendingFlip          = 8,
    D3DKMT_PreemptionAttemptMissNotMakingProgress          = 9,
    D3DKMT_PreemptionAttemptMissLessPriority               = 10,
    D3DKMT_PreemptionAttemptMissRemainingQuantum           = 11,
    D3DKMT_PreemptionAttemptMissRemainingPreemptionQuantum = 12,
    D3DKMT_PreemptionAttemptMissAlreadyPreempting          = 13,
    D3DKMT_PreemptionAttemptMissGlobalBlock                = 14,
    D3DKMT_PreemptionAttemptMissAlreadyRunning             = 15,
    D3DKMT_PreemptionAttemptStatisticsMax                  = 16,
} D3DKMT_QUERYRESULT_PREEMPTION_ATTEMPT_RESULT;

typedef enum _D3DKMT_QUERYSTATISTICS_DMA_PACKET_TYPE {
    D3DKMT_ClientRenderBuffer     = 0,
    D3DKMT_ClientPagingBuffer     = 1,
    D3DKMT_SystemPagingBuffer     = 2,
    D3DKMT_SystemPreemptionBuffer = 3,
    D3DKMT_DmaPacketTypeMax       = 4,
} D3DKMT_QUERYSTATISTICS_DMA_PACKET_TYPE;

typedef enum _D3DKMT_QUERYSTATISTICS_QUEUE_PACKET_TYPE {
    D3DKMT_RenderCommandBuffer   = 0,
    D3DKMT_DeferredCommandBuffer = 1,
    D3DKMT_SystemCommandBuffer   = 2,
    D3DKMT_MmIoFlipCommandBuffer = 3,
    D3DKMT_WaitCommandBuffer     = 4,
    D3DKMT_SignalCommandBuffer   = 5,
    D3DKMT_DeviceCommandBuffer   = 6,
    D3DKMT_SoftwareCommandBuffer = 7,
    D3DKMT_QueuePacketTypeMax    = 8,
} D3DKMT_QUERYSTATISTICS_QUEUE_PACKET_TYPE;

typedef enum _D3DKMT_QUERYSTATISTICS_TYPE {
    D3DKMT_QUERYSTATISTICS_ADAPTER                = 0,
    D3DKMT_QUERYSTATISTICS_PROCESS                = 1,
    D3DKMT_QUERYSTATISTICS_PROCESS_ADAPTER        = 2,
    D3DKMT_QUERYSTATISTICS_SEGMENT                = 3,
    D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT        = 4,
    D3DKMT_QUERYSTATISTICS_NODE                   = 5,
    D3DKMT_QUERYSTATISTICS_PROCESS_NODE           = 6,
    D3DKMT_QUERYSTATISTICS_VIDPNSOURCE            = 7,
    D3DKMT_QUERYSTATISTICS_PROCESS_VIDPNSOURCE    = 8,
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
    D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_GROUP  = 9,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)
    D3DKMT_QUERYSTATISTICS_PHYSICAL_ADAPTER       = 10,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)
    D3DKMT_QUERYSTATISTICS_ADAPTER2               = 11,
    D3DKMT_QUERYSTATISTICS_SEGMENT2               = 12,
    D3DKMT_QUERYSTATISTICS_PROCESS_ADAPTER2       = 13,
    D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT2       = 14,
    D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_GROUP2 = 15,
    D3DKMT_QUERYSTATISTICS_SEGMENT_USAGE          = 16,
    D3DKMT_QUERYSTATISTICS_SEGMENT_GROUP_USAGE    = 17,
    D3DKMT_QUERYSTATISTICS_NODE2                  = 18,
    D3DKMT_QUERYSTATISTICS_PROCESS_NODE2          = 19,
#endif
} D3DKMT_QUERYSTATISTICS_TYPE;

typedef struct _D3DKMT_QUERYSTATISTICS_DMA_PACKET_TYPE_INFORMATION {
    ULONG PacketSubmited;
    ULONG PacketCompleted;
    ULONG PacketPreempted;
    ULONG PacketFaulted;
} D3DKMT_QUERYSTATISTICS_DMA_PACKET_TYPE_INFORMATION;

typedef struct _D3DKMT_QUERYSTATISTICS_QUEUE_PACKET_TYPE_INFORMATION {
    ULONG PacketSubmited;
    ULONG PacketCompleted;
} D3DKMT_QUERYSTATISTICS_QUEUE_PACKET_TYPE_INFORMATION;

typedef struct _D3DKMT_QUERYSTATISTICS_PACKET_INFORMATION {
    D3DKMT_QUERYSTATISTICS_QUEUE_PACKET_TYPE_INFORMATION QueuePacket[8];
    D3DKMT_QUERYSTATISTICS_DMA_PACKET_TYPE_INFORMATION DmaPacket[4];
} D3DKMT_QUERYSTATISTICS_PACKET_INFORMATION;

typedef struct _D3DKMT_QUERYSTATISTICS_PREEMPTION_INFORMATION {
    ULONG PreemptionCounter[16];
} D3DKMT_QUERYSTATISTICS_PREEMPTION_INFORMATION;

typedef struct _D3DKMT_QUERYSTATISTICS_PROCESS_NODE_INFORMATION {
    LARGE_INTEGER                                RunningTime;
    ULONG                                        ContextSwitch;
    D3DKMT_QUERYSTATISTICS_PREEMPTION_INFORMATION PreemptionStatistics;
    D3DKMT_QUERYSTATISTICS_PACKET_INFORMATION    PacketStatistics;
    UINT64                                       Reserved[8];
} D3DKMT_QUERYSTATISTICS_PROCESS_NODE_INFORMATION;

typedef struct _D3DKMT_QUERYSTATISTICS_NODE_INFORMATION {
    D3DKMT_QUERYSTATISTICS_PROCESS_NODE_INFORMATION GlobalInformation;
    D3DKMT_QUERYSTATISTICS_PROCESS_NODE_INFORMATION SystemInformation;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_4)
    UINT32                                       Reserved[16];
#else
    D3DKMT_NODE_PERFDATA                         NodePerfData;
    UINT32                                       Reserved[3];
#endif
} D3DKMT_QUERYSTATISTICS_NODE_INFORMATION;

typedef struct _D3DKMT_QUERYSTATISTICS_SYSTEM_MEMORY {
    ULONGLONG BytesAllocated;
    ULONGLONG BytesReserved;
    ULONG     SmallAllocationBlocks;
    ULONG     LargeAllocationBlocks;
    ULONGLONG WriteCombinedBytesAllocated;
    ULONGLONG WriteCombinedBytesReserved;
    ULONGLONG CachedBytesAllocated;
    ULONGLONG CachedBytesReserved;
    ULONGLONG SectionBytesAllocated;
    ULONGLONG SectionBytesReserved;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_4)
    ULONGLONG Reserved;
#else
    ULONGLONG BytesZeroed;
#endif
} D3DKMT_QUERYSTATISTICS_SYSTEM_MEMORY;

typedef struct _D3DKMT_QUERYSTATISTICS_PROCESS_INFORMATION {
    ULONG                                NodeCount;
    ULONG                                VidPnSourceCount;
    D3DKMT_QUERYSTATISTICS_SYSTEM_MEMORY SystemMemory;
    UINT64                               Reserved[7];
} D3DKMT_QUERYSTATISTICS_PROCESS_INFORMATION;

typedef struct _D3DKMT_QUERYSTATISTICS_QUERY_NODE {
    ULONG NodeId;
} D3DKMT_QUERYSTATISTICS_QUERY_NODE;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)

typedef struct _D3DKMT_QUERYSTATISTICS_MEMORY_USAGE {
    UINT64 AllocatedBytes;
    UINT64 FreeBytes;
    UINT64 ZeroBytes;
    UINT64 ModifiedBytes;
    UINT64 StandbyBytes;
} D3DKMT_QUERYSTATISTICS_MEMORY_USAGE;

typedef struct _D3DKMT_QUERYSTATISTICS_QUERY_NODE2 {
    UINT16 PhysicalAdapterIndex;
    UINT16 NodeOrdinal;
} D3DKMT_QUERYSTATISTICS_QUERY_NODE2;

#endif

typedef union _D3DKMT_QUERYSTATISTICS_RESULT {
    D3DKMT_QUERYSTATISTICS_ADAPTER_INFORMATION   AdapterInformation;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)
    D3DKMT_QUERYSTATISTICS_PHYSICAL_ADAPTER_INFORMATION PhysAdapterInformation;
#endif
    D3DKMT_QUERYSTATISTICS_SEGMENT_INFORMATION   SegmentInformation;
    D3DKMT_QUERYSTATISTICS_NODE_INFORMATION      NodeInformation;
    D3DKMT_QUERYSTATISTICS_VIDPNSOURCE_INFORMATION VidPnSourceInformation;
    D3DKMT_QUERYSTATISTICS_PROCESS_INFORMATION   ProcessInformation;
    D3DKMT_QUERYSTATISTICS_PROCESS_ADAPTER_INFORMATION ProcessAdapterInformation;
    D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_INFORMATION ProcessSegmentInformation;
    D3DKMT_QUERYSTATISTICS_PROCESS_NODE_INFORMATION ProcessNodeInformation;
    D3DKMT_QUERYSTATISTICS_PROCESS_VIDPNSOURCE_INFORMATION ProcessVidPnSourceInformation;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
    D3DKMT_QUERYSTATISTICS_PROCESS_SEGMENT_GROUP_INFORMATION ProcessSegmentGroupInformation;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)
    D3DKMT_QUERYSTATISTICS_MEMORY_USAGE          SegmentUsageInformation;
    D3DKMT_QUERYSTATISTICS_MEMORY_USAGE          SegmentGroupUsageInformation;
#endif
} D3DKMT_QUERYSTATISTICS_RESULT;

typedef struct _D3DKMT_QUERYSTATISTICS {
    D3DKMT_QUERYSTATISTICS_TYPE   Type;
    LUID                          AdapterLuid;
    HANDLE                        hProcess;
    D3DKMT_QUERYSTATISTICS_RESULT QueryResult;
    union {
        D3DKMT_QUERYSTATISTICS_QUERY_SEGMENT         QuerySegment;
        D3DKMT_QUERYSTATISTICS_QUERY_SEGMENT         QueryProcessSegment;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
        D3DKMT_MEMORY_SEGMENT_GROUP                  QueryProcessSegmentGroup;
#endif
        D3DKMT_QUERYSTATISTICS_QUERY_NODE            QueryNode;
        D3DKMT_QUERYSTATISTICS_QUERY_NODE            QueryProcessNode;
        D3DKMT_QUERYSTATISTICS_QUERY_VIDPNSOURCE     QueryVidPnSource;
        D3DKMT_QUERYSTATISTICS_QUERY_VIDPNSOURCE     QueryProcessVidPnSource;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)
        D3DKMT_QUERYSTATISTICS_QUERY_PHYSICAL_ADAPTER QueryPhysAdapter;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)
        D3DKMT_QUERYSTATISTICS_QUERY_ADAPTER2        QueryAdapter2;
        D3DKMT_QUERYSTATISTICS_QUERY_SEGMENT2        QuerySegment2;
        D3DKMT_QUERYSTATISTICS_QUERY_ADAPTER2        QueryProcessAdapter2;
        D3DKMT_QUERYSTATISTICS_QUERY_SEGMENT2        QueryProcessSegment2;
        D3DKMT_QUERYSTATISTICS_QUERY_PROCESS_SEGMENT_GROUP2 QueryProcessSegmentGroup2;
        D3DKMT_QUERYSTATISTICS_QUERY_SEGMENT_USAGE   QuerySegmentUsage;
        D3DKMT_QUERYSTATISTICS_QUERY_SEGMENT_GROUP_USAGE QuerySegmentGroupUsage;
        D3DKMT_QUERYSTATISTICS_QUERY_NODE2           QueryNode2;
        D3DKMT_QUERYSTATISTICS_QUERY_NODE2           QueryProcessNode2;
#endif
    };
} D3DKMT_QUERYSTATISTICS;

typedef NTSTATUS (APIENTRY *PFND3DKMT_QUERYSTATISTICS)(const D3DKMT_QUERYSTATISTICS *);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef NTSTATUS (APIENTRY *PFND3DKMT_QUERYCLOCKCALIBRATION)(D3DKMT_QUERYCLOCKCALIBRATION *);

#endif

/* ----------------------------------------------------------------------------------------------
 * Everything else
 */

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef enum _D3DKMT_PROCESS_VERIFIER_OPTION_TYPE {
    D3DKMT_PROCESS_VERIFIER_OPTION_VIDMM_FLAGS           = 1000,
    D3DKMT_PROCESS_VERIFIER_OPTION_VIDMM_RESTRICT_BUDGET = 1001,
} D3DKMT_PROCESS_VERIFIER_OPTION_TYPE;

#endif

typedef enum _D3DKMT_QUEUEDLIMIT_TYPE {
    D3DKMT_SET_QUEUEDLIMIT_PRESENT = 1,
    D3DKMT_GET_QUEUEDLIMIT_PRESENT = 2,
} D3DKMT_QUEUEDLIMIT_TYPE;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef enum _D3DKMT_GPU_PREFERENCE_QUERY_STATE {
    D3DKMT_GPU_PREFERENCE_STATE_UNINITIALIZED      = 0,
    D3DKMT_GPU_PREFERENCE_STATE_HIGH_PERFORMANCE   = 1,
    D3DKMT_GPU_PREFERENCE_STATE_MINIMUM_POWER      = 2,
    D3DKMT_GPU_PREFERENCE_STATE_UNSPECIFIED        = 3,
    D3DKMT_GPU_PREFERENCE_STATE_NOT_FOUND          = 4,
    D3DKMT_GPU_PREFERENCE_STATE_USER_SPECIFIED_GPU = 5,
} D3DKMT_GPU_PREFERENCE_QUERY_STATE;

typedef enum _D3DKMT_GPU_PREFERENCE_QUERY_TYPE {
    D3DKMT_GPU_PREFERENCE_TYPE_IHV_DLIST       = 0,
    D3DKMT_GPU_PREFERENCE_TYPE_DX_DATABASE     = 1,
    D3DKMT_GPU_PREFERENCE_TYPE_USER_PREFERENCE = 2,
} D3DKMT_GPU_PREFERENCE_QUERY_TYPE;

#endif

typedef enum _DXGKMT_POWER_SHARED_TYPE {
    DXGKMT_POWER_SHARED_TYPE_AUDIO = 0,
} DXGKMT_POWER_SHARED_TYPE;

typedef struct _D3DKMT_MULTISAMPLEMETHOD {
    UINT NumSamples;
    UINT NumQualityLevels;
    UINT Reserved;
} D3DKMT_MULTISAMPLEMETHOD;

typedef struct _D3DKMT_GETMULTISAMPLEMETHODLIST {
    D3DKMT_HANDLE                          hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID         VidPnSourceId;
    UINT                                   Width;
    UINT                                   Height;
    D3DDDIFORMAT                           Format;
    D3DKMT_MULTISAMPLEMETHOD D3DKMT_CLIENT *pMethodList;
    UINT                                   MethodCount;
} D3DKMT_GETMULTISAMPLEMETHODLIST;

typedef NTSTATUS (APIENTRY *PFND3DKMT_GETMULTISAMPLEMETHODLIST)(D3DKMT_GETMULTISAMPLEMETHODLIST *);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)

typedef struct _D3DKMT_NOTIFY_WORK_SUBMISSION_FLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} D3DKMT_NOTIFY_WORK_SUBMISSION_FLAGS;

typedef struct _D3DKMT_NOTIFY_WORK_SUBMISSION {
    D3DKMT_HANDLE                       hDoorbell;
    D3DKMT_NOTIFY_WORK_SUBMISSION_FLAGS Flags;
} D3DKMT_NOTIFY_WORK_SUBMISSION;

typedef NTSTATUS (APIENTRY *PFND3DKMT_NOTIFYWORKSUBMISSION)(D3DKMT_NOTIFY_WORK_SUBMISSION *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef struct _D3DKMT_ISFEATUREENABLED {
    D3DKMT_HANDLE                hAdapter;
    DXGK_FEATURE_ID              FeatureId;
    DXGK_ISFEATUREENABLED_RESULT Result;
} D3DKMT_ISFEATUREENABLED;

typedef NTSTATUS (APIENTRY *PFND3DKMT_ISFEATUREENABLED)(D3DKMT_ISFEATUREENABLED *);

#endif

typedef struct _D3DKMT_GETRUNTIMEDATA {
    D3DKMT_HANDLE      hAdapter;
    D3DKMT_HANDLE      hGlobalShare;
    void D3DKMT_CLIENT *pRuntimeData;
    UINT               RuntimeDataSize;
} D3DKMT_GETRUNTIMEDATA;

typedef NTSTATUS (APIENTRY *PFND3DKMT_GETRUNTIMEDATA)(const D3DKMT_GETRUNTIMEDATA *);

typedef struct _D3DKMT_WORKINGSETFLAGS {
    UINT UseDefault : 1;
    UINT Reserved : 31;
} D3DKMT_WORKINGSETFLAGS;

typedef struct _D3DKMT_WORKINGSETINFO {
    D3DKMT_WORKINGSETFLAGS Flags;
    ULONG                  MinimumWorkingSetPercentile;
    ULONG                  MaximumWorkingSetPercentile;
} D3DKMT_WORKINGSETINFO;

typedef struct _D3DKMT_VIRTUALADDRESSFLAGS {
    UINT VirtualAddressSupported : 1;
    UINT Reserved : 31;
} D3DKMT_VIRTUALADDRESSFLAGS;

typedef struct _D3DKMT_VIRTUALADDRESSINFO {
    D3DKMT_VIRTUALADDRESSFLAGS VirtualAddressFlags;
} D3DKMT_VIRTUALADDRESSINFO;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _D3DKMT_UMD_DRIVER_VERSION {
    LARGE_INTEGER DriverVersion;
} D3DKMT_UMD_DRIVER_VERSION;

typedef struct _D3DKMT_KMD_DRIVER_VERSION {
    LARGE_INTEGER DriverVersion;
} D3DKMT_KMD_DRIVER_VERSION;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)

typedef struct _D3DKMT_DLIST_DRIVER_NAME {
    WCHAR DListFileName[260];
} D3DKMT_DLIST_DRIVER_NAME;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_XBOX {
    BOOL IsXBOX;
} D3DKMT_XBOX;

typedef struct _D3DKMT_ISBADDRIVERFORHWPROTECTIONDISABLED {
    BOOL Disabled;
} D3DKMT_ISBADDRIVERFORHWPROTECTIONDISABLED;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _D3DKMT_MPO3DDI_SUPPORT {
    BOOL Supported;
} D3DKMT_MPO3DDI_SUPPORT;

typedef struct _D3DKMT_HWDRM_SUPPORT {
    BOOLEAN Supported;
} D3DKMT_HWDRM_SUPPORT;

typedef struct _D3DKMT_MPOKERNELCAPS_SUPPORT {
    BOOL Supported;
} D3DKMT_MPOKERNELCAPS_SUPPORT;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef struct _D3DKMT_BLOCKLIST_INFO {
    UINT  Size;
    WCHAR BlockList[1];
} D3DKMT_BLOCKLIST_INFO;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)

typedef struct _D3DKMT_DRIVER_DESCRIPTION {
    WCHAR DriverDescription[4096];
} D3DKMT_DRIVER_DESCRIPTION;

typedef struct _D3DKMT_WSAUMDIMAGENAME {
    WCHAR WsaUmdImageName[260];
} D3DKMT_WSAUMDIMAGENAME;

typedef struct _D3DKMT_VGPUINTERFACEID {
    WCHAR VirtualGpuIntefaceId[260];
} D3DKMT_VGPUINTERFACEID;

typedef struct _D3DKMT_PARAVIRTUALIZATION {
    BOOLEAN SecureContainer;
} D3DKMT_PARAVIRTUALIZATION;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_8)

typedef struct _D3DKMT_HYBRID_DLIST_DLL_SUPPORT {
    BOOL Supported;
} D3DKMT_HYBRID_DLIST_DLL_SUPPORT;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef struct _D3DKMT_HYBRID_DLIST_DLL_MUX_SUPPORT {
    BOOL Supported;
} D3DKMT_HYBRID_DLIST_DLL_MUX_SUPPORT;

#endif

typedef struct _D3DKMT_GETSHAREDPRIMARYHANDLE {
    D3DKMT_HANDLE                  hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DKMT_HANDLE                  hSharedPrimary;
} D3DKMT_GETSHAREDPRIMARYHANDLE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_GETSHAREDPRIMARYHANDLE)(D3DKMT_GETSHAREDPRIMARYHANDLE *);

typedef struct _D3DKMT_SHAREDPRIMARYLOCKNOTIFICATION {
    LUID                           AdapterLuid;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    RECTL                          LockRect;
} D3DKMT_SHAREDPRIMARYLOCKNOTIFICATION;

typedef NTSTATUS (APIENTRY *PFND3DKMT_SHAREDPRIMARYLOCKNOTIFICATION)(
    const D3DKMT_SHAREDPRIMARYLOCKNOTIFICATION *);

typedef struct _D3DKMT_HISTORY_BUFFER_STATUS {
    BOOLEAN Enabled;
    UINT    Reserved;
} D3DKMT_HISTORY_BUFFER_STATUS;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_BDDFALLBACK_CTL {
    BOOLEAN ForceBddHeadlessNextFallback;
} D3DKMT_BDDFALLBACK_CTL;

typedef union _D3DKMT_PROCESS_VERIFIER_OPTION_DATA {
    D3DKMT_PROCESS_VERIFIER_VIDMM_FLAGS          VidMmFlags;
    D3DKMT_PROCESS_VERIFIER_VIDMM_RESTRICT_BUDGET VidMmRestrictBudget;
} D3DKMT_PROCESS_VERIFIER_OPTION_DATA;

typedef struct _D3DKMT_PROCESS_VERIFIER_OPTION {
    HANDLE                              hProcess;
    D3DKMT_PROCESS_VERIFIER_OPTION_TYPE Type;
    D3DKMT_VERIFIER_OPTION_MODE         Mode;
    D3DKMT_PROCESS_VERIFIER_OPTION_DATA Data;
} D3DKMT_PROCESS_VERIFIER_OPTION;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)

typedef struct _D3DKMT_SET_COLORSPACE_TRANSFORM {
    LUID                           AdapterLuid;
    D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
    D3DDDI_GAMMARAMP_TYPE          Type;
    UINT                           Size;
    union {
        D3DKMDT_3x4_COLORSPACE_TRANSFORM D3DKMT_CLIENT *pColorSpaceTransform;
    };
} D3DKMT_SET_COLORSPACE_TRANSFORM;

#endif

typedef struct _D3DKMT_SETHWPROTECTIONTEARDOWNRECOVERY {
    D3DKMT_HANDLE hAdapter;
    BOOL          Recovered;
} D3DKMT_SETHWPROTECTIONTEARDOWNRECOVERY;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef NTSTATUS (APIENTRY *PFND3DKMT_SETHWPROTECTIONTEARDOWNRECOVERY)(
    D3DKMT_SETHWPROTECTIONTEARDOWNRECOVERY *);

#endif

typedef struct _D3DKMT_CREATEDCFROMMEMORY {
    void D3DKMT_CLIENT         *pMemory;
    D3DDDIFORMAT               Format;
    UINT                       Width;
    UINT                       Height;
    UINT                       Pitch;
    HDC                        hDeviceDc;
    PALETTEENTRY D3DKMT_CLIENT *pColorTable;
    HDC                        hDc;
    HANDLE                     hBitmap;
} D3DKMT_CREATEDCFROMMEMORY;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CREATEDCFROMMEMORY)(D3DKMT_CREATEDCFROMMEMORY *);

typedef struct _D3DKMT_DESTROYDCFROMMEMORY {
    HDC    hDc;
    HANDLE hBitmap;
} D3DKMT_DESTROYDCFROMMEMORY;

typedef NTSTATUS (APIENTRY *PFND3DKMT_DESTROYDCFROMMEMORY)(const D3DKMT_DESTROYDCFROMMEMORY *);

typedef struct _D3DKMT_CHANGESURFACEPOINTER {
    HDC    hDC;
    HANDLE hBitmap;
    LPVOID pSurfacePointer;
    UINT   Width;
    UINT   Height;
    UINT   Pitch;
} D3DKMT_CHANGESURFACEPOINTER;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CHANGESURFACEPOINTER)(const D3DKMT_CHANGESURFACEPOINTER *);

typedef struct _D3DKMT_SETQUEUEDLIMIT {
    D3DKMT_HANDLE           hDevice;
    D3DKMT_QUEUEDLIMIT_TYPE Type;
    union {
        UINT QueuedPresentLimit;
        struct {
            D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
            UINT                           QueuedPendingFlipLimit;
        };
    };
} D3DKMT_SETQUEUEDLIMIT;

typedef NTSTATUS (APIENTRY *PFND3DKMT_SETQUEUEDLIMIT)(const D3DKMT_SETQUEUEDLIMIT *);

typedef struct _D3DKMT_CHECKOCCLUSION {
    HWND hWindow;
} D3DKMT_CHECKOCCLUSION;

typedef NTSTATUS (APIENTRY *PFND3DKMT_CHECKOCCLUSION)(const D3DKMT_CHECKOCCLUSION *);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _D3DKMT_HYBRID_LIST {
    D3DKMT_GPU_PREFERENCE_QUERY_STATE State;
    LUID                              AdapterLuid;
    BOOL                              bUserPreferenceQuery;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)
    D3DKMT_GPU_PREFERENCE_QUERY_TYPE  QueryType;
#endif
} D3DKMT_HYBRID_LIST;

typedef NTSTATUS (APIENTRY *PFND3DKMT_QUERYHYBRIDLISTVALUE)(D3DKMT_HYBRID_LIST *);

typedef NTSTATUS (APIENTRY *PFND3DKMT_SETHYBRIDLISTVVALUE)(D3DKMT_HYBRID_LIST *);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _D3DKMT_INVALIDATECACHE {
    D3DKMT_HANDLE hDevice;
    D3DKMT_HANDLE hAllocation;
    D3DKMT_SIZE_T Offset;
    D3DKMT_SIZE_T Length;
} D3DKMT_INVALIDATECACHE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_INVALIDATECACHE)(const D3DKMT_INVALIDATECACHE *);

typedef struct _D3DKMT_SETSTABLEPOWERSTATE {
    D3DKMT_HANDLE hAdapter;
    BOOL          Enabled;
} D3DKMT_SETSTABLEPOWERSTATE;

typedef NTSTATUS (APIENTRY *PFND3DKMT_SETSTABLEPOWERSTATE)(const D3DKMT_SETSTABLEPOWERSTATE *);

#endif

typedef void (APIENTRY *PDXGK_POWER_NOTIFICATION)(
    PVOID GraphicsDeviceHandle,
    DEVICE_POWER_STATE NewGrfxPowerState,
    BOOLEAN PreNotification,
    PVOID PrivateHandle);

typedef void (APIENTRY *PDXGK_REMOVAL_NOTIFICATION)(
    PVOID GraphicsDeviceHandle,
    PVOID PrivateHandle);

typedef void (APIENTRY *PDXGK_FSTATE_NOTIFICATION)(
    PVOID GraphicsDeviceHandle,
    ULONG ComponentIndex,
    UINT NewFState,
    BOOLEAN PreNotification,
    PVOID PrivateHandle);

typedef void (APIENTRY *PDXGK_INITIAL_COMPONENT_STATE)(
    PVOID GraphicsDeviceHandle,
    PVOID PrivateHandle,
    ULONG ComponentIndex,
    BOOLEAN IsBlockingType,
    UINT InitialFState,
    GUID ComponentGuid,
    UINT PowerComponentMappingFlag);

typedef struct _DXGK_GRAPHICSPOWER_REGISTER_INPUT_V_1_2 {
    ULONG                         Version;
    PVOID                         PrivateHandle;
    PDXGK_POWER_NOTIFICATION      PowerNotificationCb;
    PDXGK_REMOVAL_NOTIFICATION    RemovalNotificationCb;
    PDXGK_FSTATE_NOTIFICATION     FStateNotificationCb;
    PDXGK_INITIAL_COMPONENT_STATE InitialComponentStateCb;
} DXGK_GRAPHICSPOWER_REGISTER_INPUT_V_1_2, *PDXGK_GRAPHICSPOWER_REGISTER_INPUT_V_1_2;

typedef NTSTATUS (APIENTRY *PDXGK_SET_SHARED_POWER_COMPONENT_STATE)(
    PVOID DeviceHandle,
    PVOID PrivateHandle,
    ULONG ComponentIndex,
    BOOLEAN Active);

typedef NTSTATUS (APIENTRY *PDXGK_GRAPHICSPOWER_UNREGISTER)(
    PVOID DeviceHandle,
    PVOID PrivateHandle);

typedef struct _DXGK_GRAPHICSPOWER_REGISTER_OUTPUT {
    PVOID                                  DeviceHandle;
    DEVICE_POWER_STATE                     InitialGrfxPowerState;
    PDXGK_SET_SHARED_POWER_COMPONENT_STATE SetSharedPowerComponentStateCb;
    PDXGK_GRAPHICSPOWER_UNREGISTER         UnregisterCb;
} DXGK_GRAPHICSPOWER_REGISTER_OUTPUT, *PDXGK_GRAPHICSPOWER_REGISTER_OUTPUT;

typedef DXGK_GRAPHICSPOWER_REGISTER_INPUT_V_1_2 DXGK_GRAPHICSPOWER_REGISTER_INPUT;

typedef DXGK_GRAPHICSPOWER_REGISTER_INPUT *PDXGK_GRAPHICSPOWER_REGISTER_INPUT;

typedef BOOLEAN (APIENTRY *PFND3DKMT_CHECKEXCLUSIVEOWNERSHIP)(void);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef NTSTATUS (APIENTRY *PFND3DKMT_SETSTEREOENABLED)(BOOL);

#endif

/* ----------------------------------------------------------------------------------------------
 * Functions
 *
 * Clients call these with the calling convention of their platform.
 */

_Check_return_ NTSTATUS APIENTRY D3DKMTCreateAllocation(D3DKMT_CREATEALLOCATION *);
_Check_return_ NTSTATUS APIENTRY D3DKMTCreateAllocation2(D3DKMT_CREATEALLOCATION *);
_Check_return_ NTSTATUS APIENTRY D3DKMTQueryResourceInfo(D3DKMT_QUERYRESOURCEINFO *);
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
_Check_return_ NTSTATUS APIENTRY D3DKMTQueryResourceInfoFromNtHandle(
    D3DKMT_QUERYRESOURCEINFOFROMNTHANDLE *);
#endif
_Check_return_ NTSTATUS APIENTRY D3DKMTShareObjects(
    UINT cObjects,
    const D3DKMT_HANDLE *hObjects,
    POBJECT_ATTRIBUTES pObjectAttributes,
    DWORD dwDesiredAccess,
    HANDLE *phSharedNtHandle);
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
_Check_return_ NTSTATUS APIENTRY D3DKMTOpenNtHandleFromName(D3DKMT_OPENNTHANDLEFROMNAME *);
_Check_return_ NTSTATUS APIENTRY D3DKMTOpenResourceFromNtHandle(D3DKMT_OPENRESOURCEFROMNTHANDLE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTOpenSyncObjectFromNtHandle(
    D3DKMT_OPENSYNCOBJECTFROMNTHANDLE *);
#endif
_Check_return_ NTSTATUS APIENTRY D3DKMTOpenResource(D3DKMT_OPENRESOURCE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTOpenResource2(D3DKMT_OPENRESOURCE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTDestroyAllocation(const D3DKMT_DESTROYALLOCATION *);
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
_Check_return_ NTSTATUS APIENTRY D3DKMTDestroyAllocation2(const D3DKMT_DESTROYALLOCATION2 *);
#endif
_Check_return_ NTSTATUS APIENTRY D3DKMTSetAllocationPriority(const D3DKMT_SETALLOCATIONPRIORITY *);
_Check_return_ NTSTATUS APIENTRY D3DKMTQueryAllocationResidency(
    const D3DKMT_QUERYALLOCATIONRESIDENCY *);
_Check_return_ NTSTATUS APIENTRY D3DKMTCreateDevice(D3DKMT_CREATEDEVICE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTDestroyDevice(const D3DKMT_DESTROYDEVICE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTCreateContext(D3DKMT_CREATECONTEXT *);
_Check_return_ NTSTATUS APIENTRY D3DKMTDestroyContext(const D3DKMT_DESTROYCONTEXT *);
_Check_return_ NTSTATUS APIENTRY D3DKMTCreateSynchronizationObject(
    D3DKMT_CREATESYNCHRONIZATIONOBJECT *);
_Check_return_ NTSTATUS APIENTRY D3DKMTCreateSynchronizationObject2(
    D3DKMT_CREATESYNCHRONIZATIONOBJECT2 *);
_Check_return_ NTSTATUS APIENTRY D3DKMTOpenSynchronizationObject(
    D3DKMT_OPENSYNCHRONIZATIONOBJECT *);
_Check_return_ NTSTATUS APIENTRY D3DKMTDestroySynchronizationObject(
    const D3DKMT_DESTROYSYNCHRONIZATIONOBJECT *);
_Check_return_ NTSTATUS APIENTRY D3DKMTWaitForSynchronizationObject(
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT *);
_Check_return_ NTSTATUS APIENTRY D3DKMTWaitForSynchronizationObject2(
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECT2 *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSignalSynchronizationObject(
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSignalSynchronizationObject2(
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECT2 *);
_Check_return_ NTSTATUS APIENTRY D3DKMTLock(D3DKMT_LOCK *);
_Check_return_ NTSTATUS APIENTRY D3DKMTUnlock(const D3DKMT_UNLOCK *);
_Check_return_ NTSTATUS APIENTRY D3DKMTGetDisplayModeList(D3DKMT_GETDISPLAYMODELIST *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSetDisplayMode(const D3DKMT_SETDISPLAYMODE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTGetMultisampleMethodList(D3DKMT_GETMULTISAMPLEMETHODLIST *);
_Check_return_ NTSTATUS APIENTRY D3DKMTPresent(D3DKMT_PRESENT *);
_Check_return_ NTSTATUS APIENTRY D3DKMTRender(D3DKMT_RENDER *);
_Check_return_ NTSTATUS APIENTRY D3DKMTGetRuntimeData(const D3DKMT_GETRUNTIMEDATA *);
_Check_return_ NTSTATUS APIENTRY D3DKMTQueryAdapterInfo(const D3DKMT_QUERYADAPTERINFO *);
_Check_return_ NTSTATUS APIENTRY D3DKMTOpenAdapterFromHdc(D3DKMT_OPENADAPTERFROMHDC *);
_Check_return_ NTSTATUS APIENTRY D3DKMTOpenAdapterFromGdiDisplayName(
    D3DKMT_OPENADAPTERFROMGDIDISPLAYNAME *);
_Check_return_ NTSTATUS APIENTRY D3DKMTOpenAdapterFromDeviceName(
    D3DKMT_OPENADAPTERFROMDEVICENAME *);
_Check_return_ NTSTATUS APIENTRY D3DKMTCloseAdapter(const D3DKMT_CLOSEADAPTER *);
_Check_return_ NTSTATUS APIENTRY D3DKMTGetSharedPrimaryHandle(D3DKMT_GETSHAREDPRIMARYHANDLE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTEscape(const D3DKMT_ESCAPE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTQueryStatistics(const D3DKMT_QUERYSTATISTICS *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSetVidPnSourceOwner(const D3DKMT_SETVIDPNSOURCEOWNER *);
_Check_return_ NTSTATUS APIENTRY D3DKMTGetPresentHistory(D3DKMT_GETPRESENTHISTORY *);
_Check_return_ NTSTATUS APIENTRY D3DKMTGetPresentQueueEvent(D3DKMT_HANDLE hAdapter, HANDLE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTCreateOverlay(D3DKMT_CREATEOVERLAY *);
_Check_return_ NTSTATUS APIENTRY D3DKMTUpdateOverlay(const D3DKMT_UPDATEOVERLAY *);
_Check_return_ NTSTATUS APIENTRY D3DKMTFlipOverlay(const D3DKMT_FLIPOVERLAY *);
_Check_return_ NTSTATUS APIENTRY D3DKMTDestroyOverlay(const D3DKMT_DESTROYOVERLAY *);
_Check_return_ NTSTATUS APIENTRY D3DKMTWaitForVerticalBlankEvent(
    const D3DKMT_WAITFORVERTICALBLANKEVENT *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSetGammaRamp(const D3DKMT_SETGAMMARAMP *);
_Check_return_ NTSTATUS APIENTRY D3DKMTGetDeviceState(D3DKMT_GETDEVICESTATE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTCreateDCFromMemory(D3DKMT_CREATEDCFROMMEMORY *);
_Check_return_ NTSTATUS APIENTRY D3DKMTDestroyDCFromMemory(const D3DKMT_DESTROYDCFROMMEMORY *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSetContextSchedulingPriority(
    const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY *);
_Check_return_ NTSTATUS APIENTRY D3DKMTGetContextSchedulingPriority(
    D3DKMT_GETCONTEXTSCHEDULINGPRIORITY *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSetProcessSchedulingPriorityClass(
    HANDLE,
    D3DKMT_SCHEDULINGPRIORITYCLASS);
_Check_return_ NTSTATUS APIENTRY D3DKMTGetProcessSchedulingPriorityClass(
    HANDLE,
    D3DKMT_SCHEDULINGPRIORITYCLASS *);
_Check_return_ NTSTATUS APIENTRY D3DKMTReleaseProcessVidPnSourceOwners(HANDLE);
_Check_return_ NTSTATUS APIENTRY D3DKMTGetScanLine(D3DKMT_GETSCANLINE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTChangeSurfacePointer(const D3DKMT_CHANGESURFACEPOINTER *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSetQueuedLimit(const D3DKMT_SETQUEUEDLIMIT *);
_Check_return_ NTSTATUS APIENTRY D3DKMTPollDisplayChildren(const D3DKMT_POLLDISPLAYCHILDREN *);
_Check_return_ NTSTATUS APIENTRY D3DKMTInvalidateActiveVidPn(const D3DKMT_INVALIDATEACTIVEVIDPN *);
_Check_return_ NTSTATUS APIENTRY D3DKMTCheckOcclusion(const D3DKMT_CHECKOCCLUSION *);
_Check_return_ NTSTATUS APIENTRY D3DKMTWaitForIdle(const D3DKMT_WAITFORIDLE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTCheckMonitorPowerState(
    const D3DKMT_CHECKMONITORPOWERSTATE *);
BOOLEAN APIENTRY D3DKMTCheckExclusiveOwnership(void);
_Check_return_ NTSTATUS APIENTRY D3DKMTCheckVidPnExclusiveOwnership(
    const D3DKMT_CHECKVIDPNEXCLUSIVEOWNERSHIP *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSetDisplayPrivateDriverFormat(
    const D3DKMT_SETDISPLAYPRIVATEDRIVERFORMAT *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSharedPrimaryLockNotification(
    const D3DKMT_SHAREDPRIMARYLOCKNOTIFICATION *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSharedPrimaryUnLockNotification(
    const D3DKMT_SHAREDPRIMARYUNLOCKNOTIFICATION *);
_Check_return_ NTSTATUS APIENTRY D3DKMTCreateKeyedMutex(D3DKMT_CREATEKEYEDMUTEX *);
_Check_return_ NTSTATUS APIENTRY D3DKMTOpenKeyedMutex(D3DKMT_OPENKEYEDMUTEX *);
_Check_return_ NTSTATUS APIENTRY D3DKMTDestroyKeyedMutex(const D3DKMT_DESTROYKEYEDMUTEX *);
_Check_return_ NTSTATUS APIENTRY D3DKMTAcquireKeyedMutex(D3DKMT_ACQUIREKEYEDMUTEX *);
_Check_return_ NTSTATUS APIENTRY D3DKMTReleaseKeyedMutex(D3DKMT_RELEASEKEYEDMUTEX *);
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
_Check_return_ NTSTATUS APIENTRY D3DKMTCreateKeyedMutex2(D3DKMT_CREATEKEYEDMUTEX2 *);
_Check_return_ NTSTATUS APIENTRY D3DKMTOpenKeyedMutex2(D3DKMT_OPENKEYEDMUTEX2 *);
_Check_return_ NTSTATUS APIENTRY D3DKMTAcquireKeyedMutex2(D3DKMT_ACQUIREKEYEDMUTEX2 *);
_Check_return_ NTSTATUS APIENTRY D3DKMTReleaseKeyedMutex2(D3DKMT_RELEASEKEYEDMUTEX2 *);
#endif
_Check_return_ NTSTATUS APIENTRY D3DKMTConfigureSharedResource(
    const D3DKMT_CONFIGURESHAREDRESOURCE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTGetOverlayState(D3DKMT_GETOVERLAYSTATE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTCheckSharedResourceAccess(
    const D3DKMT_CHECKSHAREDRESOURCEACCESS *);
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
_Check_return_ NTSTATUS APIENTRY D3DKMTOfferAllocations(const D3DKMT_OFFERALLOCATIONS *);
_Check_return_ NTSTATUS APIENTRY D3DKMTReclaimAllocations(const D3DKMT_RECLAIMALLOCATIONS *);
_Check_return_ NTSTATUS APIENTRY D3DKMTCreateOutputDupl(const D3DKMT_CREATE_OUTPUTDUPL *);
_Check_return_ NTSTATUS APIENTRY D3DKMTDestroyOutputDupl(const D3DKMT_DESTROY_OUTPUTDUPL *);
_Check_return_ NTSTATUS APIENTRY D3DKMTOutputDuplGetFrameInfo(D3DKMT_OUTPUTDUPL_GET_FRAMEINFO *);
_Check_return_ NTSTATUS APIENTRY D3DKMTOutputDuplGetMetaData(D3DKMT_OUTPUTDUPL_METADATA *);
_Check_return_ NTSTATUS APIENTRY D3DKMTOutputDuplGetPointerShapeData(
    D3DKMT_OUTPUTDUPL_GET_POINTER_SHAPE_DATA *);
_Check_return_ NTSTATUS APIENTRY D3DKMTOutputDuplReleaseFrame(D3DKMT_OUTPUTDUPL_RELEASE_FRAME *);
_Check_return_ NTSTATUS APIENTRY D3DKMTOutputDuplPresent(const D3DKMT_OUTPUTDUPLPRESENT *);
_Check_return_ NTSTATUS APIENTRY D3DKMTEnumAdapters(const D3DKMT_ENUMADAPTERS *);
_Check_return_ NTSTATUS APIENTRY D3DKMTEnumAdapters2(const D3DKMT_ENUMADAPTERS2 *);
_Check_return_ NTSTATUS APIENTRY D3DKMTOpenAdapterFromLuid(const D3DKMT_OPENADAPTERFROMLUID *);
_Check_return_ NTSTATUS APIENTRY D3DKMTQueryRemoteVidPnSourceFromGdiDisplayName(
    D3DKMT_QUERYREMOTEVIDPNSOURCEFROMGDIDISPLAYNAME *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSetVidPnSourceOwner1(const D3DKMT_SETVIDPNSOURCEOWNER1 *);
#endif
_Check_return_ NTSTATUS APIENTRY D3DKMTWaitForVerticalBlankEvent2(
    const D3DKMT_WAITFORVERTICALBLANKEVENT2 *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSetSyncRefreshCountWaitTarget(
    const D3DKMT_SETSYNCREFRESHCOUNTWAITTARGET *);
_Check_return_ NTSTATUS APIENTRY D3DKMTGetDWMVerticalBlankEvent(
    const D3DKMT_GETVERTICALBLANKEVENT *);
_Check_return_ NTSTATUS APIENTRY D3DKMTPresentMultiPlaneOverlay(
    const D3DKMT_PRESENT_MULTIPLANE_OVERLAY *);
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
_Check_return_ NTSTATUS APIENTRY D3DKMTGetSharedResourceAdapterLuid(
    D3DKMT_GETSHAREDRESOURCEADAPTERLUID *);
#endif
_Check_return_ NTSTATUS APIENTRY D3DKMTCheckMultiPlaneOverlaySupport(
    D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSetContextInProcessSchedulingPriority(
    const D3DKMT_SETCONTEXTINPROCESSSCHEDULINGPRIORITY *);
_Check_return_ NTSTATUS APIENTRY D3DKMTGetContextInProcessSchedulingPriority(
    D3DKMT_GETCONTEXTINPROCESSSCHEDULINGPRIORITY *);
_Check_return_ NTSTATUS APIENTRY D3DKMTMakeResident(D3DDDI_MAKERESIDENT *);
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
_Check_return_ NTSTATUS APIENTRY D3DKMTEvict(D3DKMT_EVICT *);
_Check_return_ NTSTATUS APIENTRY D3DKMTWaitForSynchronizationObjectFromCpu(
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMCPU *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSignalSynchronizationObjectFromCpu(
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU *);
_Check_return_ NTSTATUS APIENTRY D3DKMTWaitForSynchronizationObjectFromGpu(
    const D3DKMT_WAITFORSYNCHRONIZATIONOBJECTFROMGPU *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSignalSynchronizationObjectFromGpu(
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSignalSynchronizationObjectFromGpu2(
    const D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMGPU2 *);
_Check_return_ NTSTATUS APIENTRY D3DKMTCreatePagingQueue(D3DKMT_CREATEPAGINGQUEUE *);
#endif
_Check_return_ NTSTATUS APIENTRY D3DKMTDestroyPagingQueue(D3DDDI_DESTROYPAGINGQUEUE *);
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
_Check_return_ NTSTATUS APIENTRY D3DKMTLock2(D3DKMT_LOCK2 *);
_Check_return_ NTSTATUS APIENTRY D3DKMTUnlock2(const D3DKMT_UNLOCK2 *);
_Check_return_ NTSTATUS APIENTRY D3DKMTInvalidateCache(const D3DKMT_INVALIDATECACHE *);
#endif
_Check_return_ NTSTATUS APIENTRY D3DKMTMapGpuVirtualAddress(D3DDDI_MAPGPUVIRTUALADDRESS *);
_Check_return_ NTSTATUS APIENTRY D3DKMTReserveGpuVirtualAddress(D3DDDI_RESERVEGPUVIRTUALADDRESS *);
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
_Check_return_ NTSTATUS APIENTRY D3DKMTFreeGpuVirtualAddress(const D3DKMT_FREEGPUVIRTUALADDRESS *);
_Check_return_ NTSTATUS APIENTRY D3DKMTUpdateGpuVirtualAddress(
    const D3DKMT_UPDATEGPUVIRTUALADDRESS *);
#endif
_Check_return_ NTSTATUS APIENTRY D3DKMTGetResourcePresentPrivateDriverData(
    D3DDDI_GETRESOURCEPRESENTPRIVATEDRIVERDATA *);
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
_Check_return_ NTSTATUS APIENTRY D3DKMTCreateContextVirtual(D3DKMT_CREATECONTEXTVIRTUAL *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSubmitCommand(const D3DKMT_SUBMITCOMMAND *);
_Check_return_ NTSTATUS APIENTRY D3DKMTOpenSyncObjectFromNtHandle2(
    D3DKMT_OPENSYNCOBJECTFROMNTHANDLE2 *);
_Check_return_ NTSTATUS APIENTRY D3DKMTOpenSyncObjectNtHandleFromName(
    D3DKMT_OPENSYNCOBJECTNTHANDLEFROMNAME *);
_Check_return_ NTSTATUS APIENTRY D3DKMTQueryVideoMemoryInfo(D3DKMT_QUERYVIDEOMEMORYINFO *);
_Check_return_ NTSTATUS APIENTRY D3DKMTChangeVideoMemoryReservation(
    const D3DKMT_CHANGEVIDEOMEMORYRESERVATION *);
_Check_return_ NTSTATUS APIENTRY D3DKMTRegisterTrimNotification(D3DKMT_REGISTERTRIMNOTIFICATION *);
_Check_return_ NTSTATUS APIENTRY D3DKMTUnregisterTrimNotification(
    D3DKMT_UNREGISTERTRIMNOTIFICATION *);
#endif
_Check_return_ NTSTATUS APIENTRY D3DKMTCheckMultiPlaneOverlaySupport2(
    D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT2 *);
_Check_return_ NTSTATUS APIENTRY D3DKMTPresentMultiPlaneOverlay2(
    const D3DKMT_PRESENT_MULTIPLANE_OVERLAY2 *);
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
_Check_return_ NTSTATUS APIENTRY D3DKMTReclaimAllocations2(D3DKMT_RECLAIMALLOCATIONS2 *);
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
_Check_return_ NTSTATUS APIENTRY D3DKMTSetStablePowerState(const D3DKMT_SETSTABLEPOWERSTATE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTQueryClockCalibration(D3DKMT_QUERYCLOCKCALIBRATION *);
_Check_return_ NTSTATUS APIENTRY D3DKMTQueryVidPnExclusiveOwnership(
    D3DKMT_QUERYVIDPNEXCLUSIVEOWNERSHIP *);
#endif
_Check_return_ NTSTATUS APIENTRY D3DKMTAdjustFullscreenGamma(D3DKMT_ADJUSTFULLSCREENGAMMA *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSetVidPnSourceHwProtection(
    D3DKMT_SETVIDPNSOURCEHWPROTECTION *);
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
_Check_return_ NTSTATUS APIENTRY D3DKMTMarkDeviceAsError(D3DKMT_MARKDEVICEASERROR *);
_Check_return_ NTSTATUS APIENTRY D3DKMTFlushHeapTransitions(D3DKMT_FLUSHHEAPTRANSITIONS *);
#endif
_Check_return_ NTSTATUS APIENTRY D3DKMTSetHwProtectionTeardownRecovery(
    D3DKMT_SETHWPROTECTIONTEARDOWNRECOVERY *);
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
_Check_return_ NTSTATUS APIENTRY D3DKMTQueryProcessOfferInfo(D3DKMT_QUERYPROCESSOFFERINFO *);
_Check_return_ NTSTATUS APIENTRY D3DKMTTrimProcessCommitment(D3DKMT_TRIMPROCESSCOMMITMENT *);
#endif
_Check_return_ NTSTATUS APIENTRY D3DKMTUpdateAllocationProperty(D3DDDI_UPDATEALLOCPROPERTY *);
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
_Check_return_ NTSTATUS APIENTRY D3DKMTCheckMultiPlaneOverlaySupport3(
    D3DKMT_CHECKMULTIPLANEOVERLAYSUPPORT3 *);
_Check_return_ NTSTATUS APIENTRY D3DKMTPresentMultiPlaneOverlay3(
    const D3DKMT_PRESENT_MULTIPLANE_OVERLAY3 *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSetFSEBlock(const D3DKMT_SETFSEBLOCK *);
_Check_return_ NTSTATUS APIENTRY D3DKMTQueryFSEBlock(D3DKMT_QUERYFSEBLOCK *);
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)
_Check_return_ NTSTATUS APIENTRY D3DKMTCreateHwContext(D3DKMT_CREATEHWCONTEXT *);
_Check_return_ NTSTATUS APIENTRY D3DKMTDestroyHwContext(const D3DKMT_DESTROYHWCONTEXT *);
_Check_return_ NTSTATUS APIENTRY D3DKMTCreateHwQueue(D3DKMT_CREATEHWQUEUE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTDestroyHwQueue(const D3DKMT_DESTROYHWQUEUE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSubmitCommandToHwQueue(
    const D3DKMT_SUBMITCOMMANDTOHWQUEUE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSubmitWaitForSyncObjectsToHwQueue(
    const D3DKMT_SUBMITWAITFORSYNCOBJECTSTOHWQUEUE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSubmitSignalSyncObjectsToHwQueue(
    const D3DKMT_SUBMITSIGNALSYNCOBJECTSTOHWQUEUE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTGetAllocationPriority(const D3DKMT_GETALLOCATIONPRIORITY *);
_Check_return_ NTSTATUS APIENTRY D3DKMTGetMultiPlaneOverlayCaps(
    D3DKMT_GET_MULTIPLANE_OVERLAY_CAPS *);
_Check_return_ NTSTATUS APIENTRY D3DKMTGetPostCompositionCaps(D3DKMT_GET_POST_COMPOSITION_CAPS *);
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)
_Check_return_ NTSTATUS APIENTRY D3DKMTPresentRedirected(D3DKMT_PRESENT_REDIRECTED *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSetVidPnSourceOwner2(const D3DKMT_SETVIDPNSOURCEOWNER2 *);
_Check_return_ NTSTATUS APIENTRY D3DKMTSetMonitorColorSpaceTransform(
    D3DKMT_SET_COLORSPACE_TRANSFORM *);
_Check_return_ NTSTATUS APIENTRY D3DKMTCreateProtectedSession(D3DKMT_CREATEPROTECTEDSESSION *);
_Check_return_ NTSTATUS APIENTRY D3DKMTDestroyProtectedSession(D3DKMT_DESTROYPROTECTEDSESSION *);
_Check_return_ NTSTATUS APIENTRY D3DKMTQueryProtectedSessionStatus(
    D3DKMT_QUERYPROTECTEDSESSIONSTATUS *);
_Check_return_ NTSTATUS APIENTRY D3DKMTQueryProtectedSessionInfoFromNtHandle(
    D3DKMT_QUERYPROTECTEDSESSIONINFOFROMNTHANDLE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTOpenProtectedSessionFromNtHandle(
    D3DKMT_OPENPROTECTEDSESSIONFROMNTHANDLE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTGetProcessDeviceRemovalSupport(
    D3DKMT_GETPROCESSDEVICEREMOVALSUPPORT *);
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
_Check_return_ NTSTATUS APIENTRY D3DKMTOpenKeyedMutexFromNtHandle(
    D3DKMT_OPENKEYEDMUTEXFROMNTHANDLE *);
#endif
_Check_return_ NTSTATUS APIENTRY D3DKMTRegisterVailProcess(GUID *);
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)
_Check_return_ NTSTATUS APIENTRY D3DKMTSubmitPresentBltToHwQueue(
    const D3DKMT_SUBMITPRESENTBLTTOHWQUEUE *);
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)
_Check_return_ NTSTATUS APIENTRY D3DKMTSubmitPresentToHwQueue(D3DKMT_SUBMITPRESENTTOHWQUEUE *);
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)
_Check_return_ NTSTATUS APIENTRY D3DKMTOutputDuplPresentToHwQueue(
    const D3DKMT_OUTPUTDUPLPRESENTTOHWQUEUE *);
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7)
_Check_return_ NTSTATUS APIENTRY D3DKMTEnumAdapters3(D3DKMT_ENUMADAPTERS3 *);
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)
_Check_return_ NTSTATUS APIENTRY D3DKMTCancelPresents(D3DKMT_CANCEL_PRESENTS *);
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
_Check_return_ NTSTATUS APIENTRY D3DKMTShareObjectWithHost(D3DKMT_SHAREOBJECTWITHHOST *);
_Check_return_ NTSTATUS APIENTRY D3DKMTCreateSyncFile(D3DKMT_CREATESYNCFILE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTWaitSyncFile(const D3DKMT_WAITSYNCFILE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTOpenSyncObjectFromSyncFile(
    D3DKMT_OPENSYNCOBJECTFROMSYNCFILE *);
#endif
void APIENTRY D3DKMTCloseDxCoreDevice(void);
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)
_Check_return_ NTSTATUS APIENTRY D3DKMTCreateNativeFence(D3DKMT_CREATENATIVEFENCE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTOpenNativeFenceFromNtHandle(
    D3DKMT_OPENNATIVEFENCEFROMNTHANDLE *);
_Check_return_ NTSTATUS APIENTRY D3DKMTGetNativeFenceLogDetail(D3DKMT_GETNATIVEFENCELOGDETAIL *);
_Check_return_ NTSTATUS APIENTRY D3DKMTCreateDoorbell(D3DKMT_CREATE_DOORBELL *);
_Check_return_ NTSTATUS APIENTRY D3DKMTConnectDoorbell(D3DKMT_CONNECT_DOORBELL *);
_Check_return_ NTSTATUS APIENTRY D3DKMTDestroyDoorbell(D3DKMT_DESTROY_DOORBELL *);
_Check_return_ NTSTATUS APIENTRY D3DKMTNotifyWorkSubmission(D3DKMT_NOTIFY_WORK_SUBMISSION *);
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
_Check_return_ NTSTATUS APIENTRY D3DKMTIsFeatureEnabled(D3DKMT_ISFEATUREENABLED *);
#endif

#ifdef __cplusplus
}
#endif

#endif /* _D3DKMTHK_H_ */

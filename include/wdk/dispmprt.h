/*
 * dispmprt.h: the display port: how a miniport driver starts, and what the port offers it.
 *
 * DriverEntry fills a DRIVER_INITIALIZATION_DATA with its functions and calls DxgkInitialize;
 * DxgkDdiStartDevice then receives a DXGKRNL_INTERFACE with those of the kernel. Both tables grow
 * at their end with the interface version.
 *
 * Written by tools/abi/wdkgen.py from abi/; do not edit.
 */

#ifndef _DISPMPRT_H_
#define _DISPMPRT_H_

#include <wdm.h>
#include <ntddvdeo.h>
#include <video.h>
#include <acpiioct.h>
#include <d3dkmddi.h>
#include <d3dkmthk.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Opaque here: no public description gives its members. */
typedef struct _DXGK_MONITOR_DESCRIPTOR DXGK_MONITOR_DESCRIPTOR, *PDXGK_MONITOR_DESCRIPTOR;

/* ----------------------------------------------------------------------------------------------
 * ACPI
 *
 * Events, arguments, and names of methods as four characters.
 */

#define ACPI_NOTIFY_DOCK_EVENT               119
#define ACPI_NOTIFY_PANEL_SWITCH             0x80
#define ACPI_NOTIFY_DEVICE_HOTPLUG           129
#define ACPI_NOTIFY_CYCLE_DISPLAY_HOTKEY     130
#define ACPI_NOTIFY_NEXT_DISPLAY_HOTKEY      131
#define ACPI_NOTIFY_PREV_DISPLAY_HOTKEY      132
#define ACPI_NOTIFY_CYCLE_BRIGHTNESS_HOTKEY  133
#define ACPI_NOTIFY_INC_BRIGHTNESS_HOTKEY    134
#define ACPI_NOTIFY_DEC_BRIGHTNESS_HOTKEY    135
#define ACPI_NOTIFY_ZERO_BRIGHTNESS_HOTKEY   136
#define ACPI_NOTIFY_VIDEO_WAKEUP             144
#define ACPI_ARG_ENABLE_SWITCH_EVENT         0
#define ACPI_ARG_ENABLE_AUTO_SWITCH          1
#define ACPI_ARG_DISABLE_SWITCH_EVENT        2
#define ACPI_ARG_ENABLE_AUTO_LCD_BRIGHTNESS  0
#define ACPI_ARG_DISABLE_AUTO_LCD_BRIGHTNESS 4
#define ACPI_METHOD_DISPLAY_DOS              0x534F445F  /* '_DOS' */
#define ACPI_METHOD_DISPLAY_DOD              0x444F445F  /* '_DOD' */
#define ACPI_METHOD_DISPLAY_ROM              0x4D4F525F  /* '_ROM' */
#define ACPI_METHOD_DISPLAY_GPD              0x4450475F  /* '_GPD' */
#define ACPI_METHOD_DISPLAY_SPD              0x4450535F  /* '_SPD' */
#define ACPI_METHOD_DISPLAY_VPO              0x4F50565F  /* '_VPO' */
#define ACPI_METHOD_HARDWARE_ID              0x4449485F  /* '_HID' */
#define ACPI_METHOD_SUBSYSTEM_ID             0x4255535F  /* '_SUB' */
#define ACPI_METHOD_REVISION_ID              0x5652485F  /* '_HRV' */
#define ACPI_METHOD_OUTPUT_ADR               0x5244415F  /* '_ADR' */
#define ACPI_METHOD_OUTPUT_BCL               0x4C43425F  /* '_BCL' */
#define ACPI_METHOD_OUTPUT_BCM               0x4D43425F  /* '_BCM' */
#define ACPI_METHOD_OUTPUT_DDC               0x4344445F  /* '_DDC' */
#define ACPI_METHOD_OUTPUT_DCS               0x5343445F  /* '_DCS' */
#define ACPI_METHOD_OUTPUT_DGS               0x5347445F  /* '_DGS' */
#define ACPI_METHOD_OUTPUT_DSS               0x5353445F  /* '_DSS' */
#define DXGK_ACPI_POLL_DISPLAY_CHILDREN      1
#define DXGK_ACPI_CHANGE_DISPLAY_MODE        2
#define DXGK_ACPI_CHANGE_DISPLAY_TOPOLOGY    4
#define DXGK_ACPI_CHAIN_NOT_HANDLED          8
#define DXGK_ACPI_PASS_ARGS_TO_CHILDREN      0x61726150
#define DXGK_ACPI_USE_ACPI_UID               0x20646955
#define DXGK_ACPI_USE_EVAL_EX                0x78457645

/* ----------------------------------------------------------------------------------------------
 * Interface versions
 */

#define DXGK_I2C_INTERFACE_VERSION_1                  1
#define DXGK_OPM_INTERFACE_VERSION_1                  1
#define DXGK_OPM_INTERFACE_VERSION_2_JTP              2
#define DXGK_OPM_INTERFACE_VERSION_2                  3
#define DXGK_OPM_INTERFACE_VERSION_3                  4
#define DXGK_BRIGHTNESS_INTERFACE_VERSION_1           1
#define DXGK_BRIGHTNESS_INTERFACE_VERSION_2           2
#define DXGK_BRIGHTNESS_INTERFACE_VERSION_3           3
#define DXGK_MIRACAST_DISPLAY_INTERFACE_VERSION_1     1
#define DXGK_AGP_INTERFACE_VERSION_1                  1
#define DXGK_DEBUG_REPORT_INTERFACE_VERSION_1         1
#define DXGK_TIMED_OPERATION_INTERFACE_VERSION_1      1
#define DXGK_SPB_INTERFACE_VERSION_1                  1
#define DXGK_FIRMWARE_TABLE_INTERFACE_VERSION_1       1
#define DXGK_DISPLAYMUX_INTERFACE_VERSION_1           1
#define DXGK_DISPLAYMUX_INTERFACE_VERSION_2           2
#define DXGK_FEATURE_INTERFACE_VERSION_1              1
#define DXGKDDI_FEATURE_INTERFACE_VERSION_1           1
#define DXGKDDI_FEATURE_INTERFACE_VERSION_2           2
#define DXGK_DISPLAY_CORE_INTERFACE_VERSION_1         1
#define DXGK_WAITWAKE_INTERFACE_VERSION_1             1
#define DXGK_PANEL_BUFFER_CONTROL_INTERFACE_VERSION_1 1
#define DXGKDDI_GPU_PARTITION_INTERFACE_VERSION       1
#define DXGKDDI_SRIOV_INTERFACE_VERSION               1
#define DXGKDDI_MITIGABLE_DEVICE_INTERFACE_VERSION    1
#define DXGKDDI_FLEXIOV_DEVICE_INTERFACE_VERSION      1
#define DXGK_MIPI_DSI_INTERFACE_VERSION_1             1
#define DXGK_DISPLAY_DIAGNOSTICS_INTERFACE_VERSION_1  1
#define DXGK_DP_INTERFACE_VERSION_1                   1

/* ----------------------------------------------------------------------------------------------
 * Constants
 */

#define DXGK_EXCLUDE_EVICT_ALL                           1
#define DXGK_EXCLUDE_CALL_SYNCHRONOUS                    2
#define DXGK_EXCLUDE_BRIDGE_ACCESS                       4
#define DXGK_EXCLUDE_EVICT_STANDBY                       8
#define DXGK_EXCLUDE_EVICT_HIBERNATE                     0x10
#define DXGK_EXCLUDE_EVICT_SHUTDOWN                      0x20
#define DXGK_EXCLUDE_D3_STATE_TRANSITION                 0x40
#define DXGK_EXCLUDE_EVICT_DFX_STANDBY                   0x80
#define DXGK_MAX_STRING_LEN                              50
#define DXGK_MAX_REG_SZ_LEN                              51
#define DXGK_WHICHSPACE_CONFIG                           0
#define DXGK_WHICHSPACE_ROM                              0x52696350
#define DXGK_WHICHSPACE_MCH                              0x80000000U
#define DXGK_WHICHSPACE_BRIDGE                           0x80000001U
#define DXGK_AGPCOMMAND_AGP1X                            1
#define DXGK_AGPCOMMAND_AGP2X                            2
#define DXGK_AGPCOMMAND_AGP4X                            4
#define DXGK_AGPCOMMAND_AGP8X                            8
#define DXGK_AGPCOMMAND_DISABLE_SBA                      0x10000
#define DXGK_AGPCOMMAND_DISABLE_FW                       0x20000
#define DXGK_DEBUG_REPORT_MAX_SIZE                       63488
#define DXGK_TIMED_OPERATION_TIMEOUT_MAX_SECONDS         5
#define DISPLAYMUX_SWITCH_PRIVATE_DATA_MAX               1048576
#define DXGK_DIAGCAT_NOTIFICATIONS_BIT                   0
#define DXGK_DIAGCAT_NOTIFICATIONS_MASK                  1
#define DXGK_DIAGCAT_PROGRESSIONS_BIT                    1
#define DXGK_DIAGCAT_PROGRESSIONS_MASK                   2
#define DXGK_DIAGCAT_BITCOUNT                            2
#define DXGK_DIAG_NOTIFICATIONS_PSR_SW_BIT               0
#define DXGK_DIAG_NOTIFICATIONS_PSR_SW_MASK              1
#define DXGK_DIAG_NOTIFICATIONS_PSR_HW_BIT               1
#define DXGK_DIAG_NOTIFICATIONS_PSR_HW_MASK              2
#define DXGK_DIAG_NOTIFICATIONS_BITCOUNT                 2
#define DXGK_DIAG_PROGRESSIONS_SYNCLOCK_ENABLE_SYNC_BIT  0
#define DXGK_DIAG_PROGRESSIONS_SYNCLOCK_ENABLE_SYNC_MASK 1
#define DXGK_DIAG_PROGRESSIONS_BITCOUNT                  1
#define DXGK_DUMP_BUCKETING_BUFFER_SIZE                  64
#define DXGK_DUMP_DESCRIPTION_BUFFER_SIZE                128
#define DXGK_VIRTUALIZED_ACS_CAPABLE                     0x80
#define DXGK_VIRTUALIZED_UNIQUE_RID                      0x100
#define DXGK_VIRTUALIZED_PARAVIRTUALIZED                 0x400
#define DXGK_VIRTUALIZED_HOST_VIRTUAL_DEVICE             0x800
#define DXGK_MAX_VIRTUAL_GPU_ALLOCATIONS                 32
#define DXGK_MAX_NUM_PCI_BARS                            6
#define DXGKDDI_MAX_FLEXIOV_RESOURCES                    32
#define DXGK_MMIO_RANGES_EMULATED_PAGE                   0xFFFFFFFFFFFFFFFFULL
#define DXGK_DSI_PACKET_EMBEDDED_PAYLOAD_SIZE            8
#define DXGK_MAX_PACKET_COUNT                            128
#define DXGK_DSI_INVALID_PACKET_INDEX                    255
#define DXGK_DSI_SOT_ERROR                               1
#define DXGK_DSI_SOT_SYNC_ERROR                          2
#define DXGK_DSI_EOT_SYNC_ERROR                          4
#define DXGK_DSI_ESCAPE_MODE_ENTRY_COMMAND_ERROR         8
#define DXGK_DSI_LOW_POWER_TRANSMIT_SYNC_ERROR           0x10
#define DXGK_DSI_PERIPHERAL_TIMEOUT_ERROR                0x20
#define DXGK_DSI_FALSE_CONTROL_ERROR                     0x40
#define DXGK_DSI_CONTENTION_DETECTED                     0x80
#define DXGK_DSI_CHECKSUM_ERROR_CORRECTED                0x100
#define DXGK_DSI_CHECKSUM_ERROR_NOT_CORRECTED            0x200
#define DXGK_DSI_LONG_PACKET_PAYLOAD_CHECKSUM_ERROR      0x400
#define DXGK_DSI_DSI_DATA_TYPE_NOT_RECOGNIZED            0x800
#define DXGK_DSI_DSI_VC_ID_INVALID                       0x1000
#define DXGK_DSI_INVALID_TRANSMISSION_LENGTH             8192
#define DXGK_DSI_DSI_PROTOCOL_VIOLATION                  0x8000
#define DXGK_HOST_DSI_DEVICE_NOT_READY                   1
#define DXGK_HOST_DSI_INTERFACE_RESET                    2
#define DXGK_HOST_DSI_DEVICE_RESET                       4
#define DXGK_HOST_DSI_TRANSMISSION_CANCELLED             0x10
#define DXGK_HOST_DSI_TRANSMISSION_DROPPED               0x20
#define DXGK_HOST_DSI_TRANSMISSION_TIMEOUT               0x40
#define DXGK_HOST_DSI_INVALID_TRANSMISSION               0x100
#define DXGK_HOST_DSI_OS_REJECTED_PACKET                 0x200
#define DXGK_HOST_DSI_DRIVER_REJECTED_PACKET             0x400
#define DXGK_HOST_DSI_BAD_TRANSMISSION_MODE              0x1000
#define MAX_NUM_OF_GAMMA_SAMPLES_FOR_DIAGNOSTICS         16
#define MAX_DP_ADDRESS_SIZE                              15
#define MAX_DP_NATIVE_AUX_IO_SIZE                        16

/* ----------------------------------------------------------------------------------------------
 * Identifiers
 */

DEFINE_GUID(GUID_DEVINTERFACE_I2C,
            0x2564aa4f, 0xdddb, 0x4495, 0xb4, 0x97, 0x6a, 0xd4, 0xa8, 0x41, 0x63, 0xd7);
DEFINE_GUID(GUID_DEVINTERFACE_OPM,
            0xbf4672de, 0x6b4e, 0x4be4, 0xa3, 0x25, 0x68, 0xa9, 0x1e, 0xa4, 0x9c, 0x09);
DEFINE_GUID(GUID_DEVINTERFACE_OPM_2_JTP,
            0xe929eea4, 0xb9f1, 0x407b, 0xaa, 0xb9, 0xab, 0x08, 0xbb, 0x44, 0xfb, 0xf4);
DEFINE_GUID(GUID_DEVINTERFACE_OPM_2,
            0x7f098726, 0x2ebb, 0x4ff3, 0xa2, 0x7f, 0x10, 0x46, 0xb9, 0x5d, 0xc5, 0x17);
DEFINE_GUID(GUID_DEVINTERFACE_OPM_3,
            0x693a2cb1, 0x8c8d, 0x4ab6, 0x95, 0x55, 0x4b, 0x85, 0xef, 0x2c, 0x7c, 0x6b);
DEFINE_GUID(GUID_DEVINTERFACE_BRIGHTNESS,
            0xfde5bba4, 0xb3f9, 0x46fb, 0xbd, 0xaa, 0x07, 0x28, 0xce, 0x31, 0x00, 0xb4);
DEFINE_GUID(GUID_DEVINTERFACE_BRIGHTNESS_2,
            0x148a3c98, 0x0ecd, 0x465a, 0xb6, 0x34, 0xb0, 0x5f, 0x19, 0x5f, 0x77, 0x39);
DEFINE_GUID(GUID_DEVINTERFACE_MIRACAST_DISPLAY,
            0xaf03f190, 0x22af, 0x48cb, 0x94, 0xbb, 0xb7, 0x8e, 0x76, 0xa2, 0x51, 0x07);
DEFINE_GUID(GUID_DEVINTERFACE_BRIGHTNESS_3,
            0x197a4a6e, 0x0391, 0x4322, 0x96, 0xea, 0xc2, 0x76, 0x0f, 0x88, 0x1d, 0x3a);
DEFINE_GUID(GUID_WDDM_INTERFACE_DISPLAYMUX,
            0x086467fb, 0xdddf, 0x4c19, 0x97, 0xd5, 0xc4, 0x1d, 0x76, 0x72, 0x21, 0xc7);
DEFINE_GUID(GUID_WDDM_INTERFACE_DISPLAYMUX_2,
            0x086467fb, 0xdddf, 0x4c19, 0x97, 0xd5, 0xc4, 0x1d, 0x76, 0x72, 0x21, 0xc8);
DEFINE_GUID(GUID_WDDM_INTERFACE_DISPLAY_CORE,
            0x4f4e3abc, 0xee6b, 0x4098, 0xb3, 0x1a, 0xb9, 0x19, 0xb0, 0xca, 0xe5, 0x5f);
DEFINE_GUID(GUID_WDDM_INTERFACE_FEATURE,
            0x94bb3993, 0xc6c3, 0x4da7, 0x89, 0x49, 0xa1, 0x13, 0x82, 0x32, 0xe7, 0x59);
DEFINE_GUID(GUID_WDDM_INTERFACE_WAITWAKE,
            0xd3a8ec81, 0xbdef, 0x43d6, 0x94, 0x71, 0x22, 0x38, 0x14, 0x60, 0x5e, 0x38);
DEFINE_GUID(GUID_WDDM_INTERFACE_PANEL_BUFFER_CONTROL,
            0x7d1788d3, 0x92db, 0x4e8b, 0x8e, 0x85, 0x6c, 0xc5, 0x6d, 0x87, 0xf1, 0xcc);
DEFINE_GUID(GUID_DXGKDDI_GPU_PARTITION_INTERFACE,
            0x462bc153, 0x40eb, 0x484a, 0x81, 0x68, 0x99, 0x72, 0xe3, 0xcd, 0x5a, 0xef);
DEFINE_GUID(GUID_DXGKDDI_SRIOV_INTERFACE,
            0xd7172248, 0xf296, 0x4c50, 0xa6, 0xf5, 0xd2, 0x5d, 0x80, 0x73, 0x06, 0x3a);
DEFINE_GUID(GUID_DXGKDDI_MITIGABLE_DEVICE_INTERFACE,
            0x1387f270, 0x121a, 0x4a4a, 0xb2, 0x5e, 0x3b, 0x15, 0x89, 0x97, 0x6c, 0x61);
DEFINE_GUID(GUID_DXGKDDI_FLEXIOV_DEVICE_INTERFACE,
            0x7b73a997, 0x48e8, 0x4cab, 0x9f, 0xab, 0xe0, 0x77, 0x4b, 0x44, 0xf5, 0x99);
DEFINE_GUID(GUID_DXGK_MIPI_DSI_INTERFACE,
            0x14f9db8b, 0x85e1, 0x4aa5, 0x8d, 0xaf, 0xff, 0x4a, 0x78, 0x06, 0xd5, 0xe9);
DEFINE_GUID(GUID_DXGK_DISPLAY_DIAGNOSTICS_INTERFACE,
            0x962639f3, 0xe9dc, 0x42ab, 0x94, 0xeb, 0x06, 0x51, 0x6d, 0xec, 0xa1, 0x26);
DEFINE_GUID(GUID_DXGK_DP_INTERFACE,
            0x2d09818e, 0xdfeb, 0x4173, 0xb5, 0xe9, 0xae, 0xfd, 0x66, 0xb2, 0x02, 0xf3);

/* ----------------------------------------------------------------------------------------------
 * Children of an adapter
 *
 * Outputs and other devices that the driver reports to plug and play.
 */

typedef enum _DXGK_CHILD_DEVICE_TYPE {
    TypeUninitialized     = 0,
    TypeVideoOutput       = 1,
    TypeOther             = 2,
    TypeIntegratedDisplay = 3,
    TypeLogicalGpu        = 4,
} DXGK_CHILD_DEVICE_TYPE, *PDXGK_CHILD_DEVICE_TYPE;

typedef enum _DXGK_CHILD_STATUS_TYPE {
    StatusUninitialized      = 0,
    StatusConnection         = 1,
    StatusRotation           = 2,
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    StatusMiracastConnection = 3,
#endif
} DXGK_CHILD_STATUS_TYPE, *PDXGK_CHILD_STATUS_TYPE;

typedef struct _LINKED_DEVICE {
    ULONG   ChainUid;
    ULONG   NumberOfLinksInChain;
    BOOLEAN LeadLink;
} LINKED_DEVICE, *PLINKED_DEVICE;

typedef _In_ const PDEVICE_OBJECT IN_CONST_PDEVICE_OBJECT;

typedef _In_ const PVOID IN_CONST_PVOID;

typedef _Inout_ PLINKED_DEVICE INOUT_PLINKED_DEVICE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_LINK_DEVICE(
    IN_CONST_PDEVICE_OBJECT PhysicalDeviceObject,
    IN_CONST_PVOID MiniportDeviceContext,
    INOUT_PLINKED_DEVICE LinkedDevice);

typedef DXGKDDI_LINK_DEVICE *PDXGKDDI_LINK_DEVICE;

typedef struct _DXGK_VIDEO_OUTPUT_CAPABILITIES {
    D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY       InterfaceTechnology;
    D3DKMDT_MONITOR_ORIENTATION_AWARENESS MonitorOrientationAwareness;
    BOOLEAN                               SupportsSdtvModes;
} DXGK_VIDEO_OUTPUT_CAPABILITIES, *PDXGK_VIDEO_OUTPUT_CAPABILITIES;

typedef struct _DXGK_INTEGRATED_DISPLAY_CHILD {
    D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY InterfaceTechnology;
    USHORT                          DescriptorLength;
} DXGK_INTEGRATED_DISPLAY_CHILD, *PDXGK_INTEGRATED_DISPLAY_CHILD;

typedef struct _DXGK_CHILD_CAPABILITIES {
    union {
        DXGK_VIDEO_OUTPUT_CAPABILITIES VideoOutput;
        struct {
            UINT MustBeZero;
        } Other;
        DXGK_INTEGRATED_DISPLAY_CHILD  IntegratedDisplayChild;
    } Type;
    DXGK_CHILD_DEVICE_HPD_AWARENESS HpdAwareness;
} DXGK_CHILD_CAPABILITIES, *PDXGK_CHILD_CAPABILITIES;

typedef struct _DXGK_CHILD_DESCRIPTOR {
    DXGK_CHILD_DEVICE_TYPE  ChildDeviceType;
    DXGK_CHILD_CAPABILITIES ChildCapabilities;
    ULONG                   AcpiUid;
    ULONG                   ChildUid;
} DXGK_CHILD_DESCRIPTOR, *PDXGK_CHILD_DESCRIPTOR;

typedef _Inout_ DXGK_CHILD_DESCRIPTOR *INOUT_PDXGK_CHILD_DESCRIPTOR;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_QUERY_CHILD_RELATIONS(
    IN_CONST_PVOID MiniportDeviceContext,
    PDXGK_CHILD_DESCRIPTOR ChildRelations,
    ULONG ChildRelationsSize);

typedef DXGKDDI_QUERY_CHILD_RELATIONS *PDXGKDDI_QUERY_CHILD_RELATIONS;

typedef struct _DXGK_DEVICE_DESCRIPTOR {
    ULONG DescriptorOffset;
    ULONG DescriptorLength;
    PVOID DescriptorBuffer;
} DXGK_DEVICE_DESCRIPTOR, *PDXGK_DEVICE_DESCRIPTOR;

typedef _In_ ULONG IN_ULONG;

typedef _Inout_ PDXGK_DEVICE_DESCRIPTOR INOUT_PDXGK_DEVICE_DESCRIPTOR;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_QUERY_DEVICE_DESCRIPTOR(
    IN_CONST_PVOID MiniportDeviceContext,
    IN_ULONG ChildUid,
    INOUT_PDXGK_DEVICE_DESCRIPTOR DeviceDescriptor);

typedef DXGKDDI_QUERY_DEVICE_DESCRIPTOR *PDXGKDDI_QUERY_DEVICE_DESCRIPTOR;

typedef struct _DXGK_GENERIC_DESCRIPTOR {
    WCHAR HardwareId[51];
    WCHAR InstanceId[51];
    WCHAR CompatibleId[51];
    WCHAR DeviceText[51];
} DXGK_GENERIC_DESCRIPTOR, *PDXGK_GENERIC_DESCRIPTOR;

typedef struct _DXGK_CHILD_STATUS {
    DXGK_CHILD_STATUS_TYPE Type;
    ULONG                  ChildUid;
    union {
        struct {
            BOOLEAN Connected;
        } HotPlug;
        struct {
            UCHAR Angle;
        } Rotation;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
        struct {
            BOOLEAN                         Connected;
            D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY MiracastMonitorType;
        } Miracast;
#endif
    };
} DXGK_CHILD_STATUS, *PDXGK_CHILD_STATUS;

typedef _In_ DXGK_CHILD_STATUS *IN_PDXGK_CHILD_STATUS;

typedef _In_ const DXGK_CHILD_STATUS *IN_CONST_PDXGK_CHILD_STATUS;

typedef _IRQL_requires_max_(DISPATCH_LEVEL) NTSTATUS (NTAPI *DXGKCB_INDICATE_CHILD_STATUS)(
    HANDLE DeviceHandle,
    PDXGK_CHILD_STATUS ChildStatus);

typedef _Inout_ PDXGK_CHILD_STATUS INOUT_PDXGK_CHILD_STATUS;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_QUERY_CHILD_STATUS(
    IN_CONST_PVOID MiniportDeviceContext,
    INOUT_PDXGK_CHILD_STATUS ChildStatus,
    IN_BOOLEAN NonDestructiveOnly);

typedef DXGKDDI_QUERY_CHILD_STATUS *PDXGKDDI_QUERY_CHILD_STATUS;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _DXGK_CHILD_CONTAINER_ID {
    GUID ContainerId;
    struct {
        ULONG64 PortId;
        USHORT  ManufacturerName;
        USHORT  ProductCode;
    } EldInfo;
} DXGK_CHILD_CONTAINER_ID, *PDXGK_CHILD_CONTAINER_ID;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_GET_CHILD_CONTAINER_ID(
    PVOID MiniportDeviceContext,
    ULONG ChildUid,
    PDXGK_CHILD_CONTAINER_ID ContainerId);

typedef DXGKDDI_GET_CHILD_CONTAINER_ID *PDXGKDDI_GET_CHILD_CONTAINER_ID;

#endif

/* ----------------------------------------------------------------------------------------------
 * Starting and stopping
 */

typedef enum _DOCKING_STATE {
    DockStateUnsupported = 0,
    DockStateUnDocked    = 1,
    DockStateDocked      = 2,
    DockStateUnknown     = 3,
} DOCKING_STATE;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef enum _DXGK_FRAMEBUFFER_STATE {
    FrameBufferStateUnknown               = 0,
    FrameBufferStateInitializedByFirmware = 1,
    FrameBufferStateInitializedByDriver   = 2,
} DXGK_FRAMEBUFFER_STATE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef enum _DXGK_SURPRISE_REMOVAL_TYPE {
    DxgkRemovalHibernation = 0,
    DxgkRemovalPnPNotify   = 1,
} DXGK_SURPRISE_REMOVAL_TYPE;

#endif

typedef struct _DXGK_DEVICE_INFO {
    PVOID             MiniportDeviceContext;
    PDEVICE_OBJECT    PhysicalDeviceObject;
    UNICODE_STRING    DeviceRegistryPath;
    PCM_RESOURCE_LIST TranslatedResourceList;
    LARGE_INTEGER     SystemMemorySize;
    PHYSICAL_ADDRESS  HighestPhysicalAddress;
    PHYSICAL_ADDRESS  AgpApertureBase;
    SIZE_T            AgpApertureSize;
    DOCKING_STATE     DockingState;
} DXGK_DEVICE_INFO, *PDXGK_DEVICE_INFO;

typedef _Out_ DXGK_DEVICE_INFO *OUT_PDXGK_DEVICE_INFO;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_GET_DEVICE_INFORMATION)(
    HANDLE DeviceHandle,
    PDXGK_DEVICE_INFO DeviceInfo);

typedef struct _DXGK_START_INFO {
    ULONG RequiredDmaQueueEntry;
    GUID  AdapterGuid;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    LUID  AdapterLuid;
#endif
} DXGK_START_INFO, *PDXGK_START_INFO;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _DXGK_DISPLAY_OWNERSHIP_FLAGS {
    union {
        struct {
            DXGK_FRAMEBUFFER_STATE FrameBufferState : 4;
        };
        UINT Value;
    };
} DXGK_DISPLAY_OWNERSHIP_FLAGS, *PDXGK_DISPLAY_OWNERSHIP_FLAGS;

typedef NTSTATUS (NTAPI *DXGKCB_ACQUIRE_POST_DISPLAY_OWNERSHIP2)(
    HANDLE DeviceHandle,
    PDXGK_DISPLAY_INFORMATION DisplayInfo,
    PDXGK_DISPLAY_OWNERSHIP_FLAGS Flags);

typedef struct _DXGK_PRE_START_INFO {
    union {
        struct {
            UINT ReservedIn;
        };
        UINT Input;
    };
    union {
        struct {
            UINT SupportPreserveBootDisplay : 1;
            UINT IsUEFIFrameBufferCpuAccessibleDuringStartup : 1;
            UINT ReservedOut : 30;
        };
        UINT Output;
    };
} DXGK_PRE_START_INFO, *PDXGK_PRE_START_INFO;

typedef _Inout_ PDXGK_PRE_START_INFO IN_OUT_PDXGK_PRE_START_INFO;

typedef NTSTATUS NTAPI DXGKDDI_EXCHANGEPRESTARTINFO(
    IN_CONST_HANDLE hAdapter,
    IN_OUT_PDXGK_PRE_START_INFO pPreStartInfo);

typedef DXGKDDI_EXCHANGEPRESTARTINFO *PDXGKDDI_EXCHANGEPRESTARTINFO;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _DXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS, *PDXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS;

typedef NTSTATUS NTAPI DXGKDDI_SYSTEM_DISPLAY_ENABLE(
    PVOID MiniportDeviceContext,
    D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId,
    PDXGKARG_SYSTEM_DISPLAY_ENABLE_FLAGS Flags,
    UINT *Width,
    UINT *Height,
    D3DDDIFORMAT *ColorFormat);

typedef DXGKDDI_SYSTEM_DISPLAY_ENABLE *PDXGKDDI_SYSTEM_DISPLAY_ENABLE;

typedef _IRQL_requires_max_(APC_LEVEL) NTSTATUS (NTAPI *DXGKCB_ACQUIRE_POST_DISPLAY_OWNERSHIP)(
    HANDLE DeviceHandle,
    PDXGK_DISPLAY_INFORMATION DisplayInfo);

#endif

typedef _Out_ PVOID *OUT_PPVOID;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_ADD_DEVICE(
    IN_CONST_PDEVICE_OBJECT PhysicalDeviceObject,
    OUT_PPVOID MiniportDeviceContext);

typedef _In_ PDXGK_START_INFO IN_PDXGK_START_INFO;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_EVAL_ACPI_METHOD)(
    HANDLE DeviceHandle,
    ULONG DeviceUid,
    PACPI_EVAL_INPUT_BUFFER_COMPLEX AcpiInputBuffer,
    ULONG AcpiInputSize,
    PACPI_EVAL_OUTPUT_BUFFER AcpiOutputBuffer,
    ULONG AcpiOutputSize);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_MAP_MEMORY)(
    HANDLE DeviceHandle,
    PHYSICAL_ADDRESS TranslatedAddress,
    ULONG Length,
    BOOLEAN InIoSpace,
    BOOLEAN MapToUserMode,
    MEMORY_CACHING_TYPE CacheType,
    PVOID *VirtualAddress);

typedef BOOLEAN (NTAPI *DXGKCB_QUEUE_DPC)(HANDLE DeviceHandle);

typedef enum _DXGK_SERVICES {
    DxgkServicesAgp            = 0,
    DxgkServicesDebugReport    = 1,
    DxgkServicesTimedOperation = 2,
    DxgkServicesSPB            = 3,
    DxgkServicesBDD            = 4,
    DxgkServicesFirmwareTable  = 5,
    DxgkServicesIDD            = 6,
    DxgkServicesFeature        = 7,
} DXGK_SERVICES;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_QUERY_SERVICES)(
    HANDLE DeviceHandle,
    DXGK_SERVICES ServicesType,
    PINTERFACE Interface);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_READ_DEVICE_SPACE)(
    HANDLE DeviceHandle,
    ULONG DataType,
    PVOID Buffer,
    ULONG Offset,
    ULONG Length,
    PULONG BytesRead);

typedef _IRQL_requires_max_(DISPATCH_LEVEL) NTSTATUS (NTAPI *DXGKCB_SYNCHRONIZE_EXECUTION)(
    HANDLE DeviceHandle,
    PKSYNCHRONIZE_ROUTINE SynchronizeRoutine,
    PVOID Context,
    ULONG MessageNumber,
    PBOOLEAN ReturnValue);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_UNMAP_MEMORY)(
    HANDLE DeviceHandle,
    PVOID VirtualAddress);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_WRITE_DEVICE_SPACE)(
    HANDLE DeviceHandle,
    ULONG DataType,
    PVOID Buffer,
    ULONG Offset,
    ULONG Length,
    PULONG BytesWritten);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_IS_DEVICE_PRESENT)(
    HANDLE DeviceHandle,
    PPCI_DEVICE_PRESENCE_PARAMETERS DevicePresenceParameters,
    PBOOLEAN DevicePresent);

typedef void (NTAPI *DXGKCB_LOG_ETW_EVENT)(
    const LPCGUID EventGuid,
    UCHAR Type,
    USHORT EventBufferSize,
    PVOID EventBuffer);

typedef _IRQL_requires_(PASSIVE_LEVEL) void (NTAPI *DXGKDDI_PROTECTED_CALLBACK)(
    IN_CONST_PVOID MiniportDeviceContext,
    PVOID ProtectedCallbackContext,
    NTSTATUS ProtectionStatus);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_EXCLUDE_ADAPTER_ACCESS)(
    HANDLE DeviceHandle,
    ULONG Attributes,
    DXGKDDI_PROTECTED_CALLBACK DxgkProtectedCallback,
    PVOID ProtectedCallbackContext);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef struct _DXGK_DIAGNOSTIC_CATEGORIES {
    union {
        struct {
            UINT Notifications : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_5)
            UINT Reserved : 31;
#else
            UINT Progressions : 1;
            UINT Reserved : 30;
#endif
        };
        UINT Value;
    };
} DXGK_DIAGNOSTIC_CATEGORIES;

typedef struct _DXGK_DIAGTYPE_NOTIFICATIONS {
    union {
        struct {
            UINT PanelSelfRefreshSoftware : 1;
            UINT PanelSelfRefreshHardware : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} DXGK_DIAGTYPE_NOTIFICATIONS;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)

typedef struct _DXGK_DIAGTYPE_PROGRESSIONS {
    union {
        struct {
            UINT SyncLockEnableSync : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_DIAGTYPE_PROGRESSIONS;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef struct _DXGK_DIAGNOSTIC_TYPES {
    union {
        DXGK_DIAGTYPE_NOTIFICATIONS Notifications;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)
        DXGK_DIAGTYPE_PROGRESSIONS  Progressions;
#endif
        UINT                        Value;
    };
} DXGK_DIAGNOSTIC_TYPES;

typedef struct _DXGK_DIAGNOSTIC_HEADER {
    DXGK_DIAGNOSTIC_CATEGORIES Category;
    DXGK_DIAGNOSTIC_TYPES      Type;
    union {
        struct {
            UINT Size : 16;
            UINT Reserved : 16;
        };
        UINT Value;
    };
    UINT                       SequenceNumber;
    union {
        D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId;
        D3DDDI_VIDEO_PRESENT_SOURCE_ID SourceId;
        UINT                           Id;
    };
} DXGK_DIAGNOSTIC_HEADER;

typedef _In_ DXGK_DIAGNOSTIC_HEADER *IN_PDXGK_DIAGNOSTIC_HEADER;

typedef NTSTATUS (NTAPI *DXGKCB_REPORT_DIAGNOSTIC)(
    HANDLE DeviceHandle,
    IN_PDXGK_DIAGNOSTIC_HEADER pDiagnostic);

#endif

typedef struct _DXGKRNL_INTERFACE {
    ULONG                                    Size;
    ULONG                                    Version;
    HANDLE                                   DeviceHandle;
    DXGKCB_EVAL_ACPI_METHOD                  DxgkCbEvalAcpiMethod;
    DXGKCB_GET_DEVICE_INFORMATION            DxgkCbGetDeviceInformation;
    DXGKCB_INDICATE_CHILD_STATUS             DxgkCbIndicateChildStatus;
    DXGKCB_MAP_MEMORY                        DxgkCbMapMemory;
    DXGKCB_QUEUE_DPC                         DxgkCbQueueDpc;
    DXGKCB_QUERY_SERVICES                    DxgkCbQueryServices;
    DXGKCB_READ_DEVICE_SPACE                 DxgkCbReadDeviceSpace;
    DXGKCB_SYNCHRONIZE_EXECUTION             DxgkCbSynchronizeExecution;
    DXGKCB_UNMAP_MEMORY                      DxgkCbUnmapMemory;
    DXGKCB_WRITE_DEVICE_SPACE                DxgkCbWriteDeviceSpace;
    DXGKCB_IS_DEVICE_PRESENT                 DxgkCbIsDevicePresent;
    DXGKCB_GETHANDLEDATA                     DxgkCbGetHandleData;
    DXGKCB_GETHANDLEPARENT                   DxgkCbGetHandleParent;
    DXGKCB_ENUMHANDLECHILDREN                DxgkCbEnumHandleChildren;
    DXGKCB_NOTIFY_INTERRUPT                  DxgkCbNotifyInterrupt;
    DXGKCB_NOTIFY_DPC                        DxgkCbNotifyDpc;
    DXGKCB_QUERYVIDPNINTERFACE               DxgkCbQueryVidPnInterface;
    DXGKCB_QUERYMONITORINTERFACE             DxgkCbQueryMonitorInterface;
    DXGKCB_GETCAPTUREADDRESS                 DxgkCbGetCaptureAddress;
    DXGKCB_LOG_ETW_EVENT                     DxgkCbLogEtwEvent;
    DXGKCB_EXCLUDE_ADAPTER_ACCESS            DxgkCbExcludeAdapterAccess;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    DXGKCB_CREATECONTEXTALLOCATION           DxgkCbCreateContextAllocation;
    DXGKCB_DESTROYCONTEXTALLOCATION          DxgkCbDestroyContextAllocation;
    DXGKCB_SETPOWERCOMPONENTACTIVE           DxgkCbSetPowerComponentActive;
    DXGKCB_SETPOWERCOMPONENTIDLE             DxgkCbSetPowerComponentIdle;
    DXGKCB_ACQUIRE_POST_DISPLAY_OWNERSHIP    DxgkCbAcquirePostDisplayOwnership;
    DXGKCB_POWERRUNTIMECONTROLREQUEST        DxgkCbPowerRuntimeControlRequest;
    DXGKCB_SETPOWERCOMPONENTLATENCY          DxgkCbSetPowerComponentLatency;
    DXGKCB_SETPOWERCOMPONENTRESIDENCY        DxgkCbSetPowerComponentResidency;
    DXGKCB_COMPLETEFSTATETRANSITION          DxgkCbCompleteFStateTransition;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    DXGKCB_COMPLETEPSTATETRANSITION          DxgkCbCompletePStateTransition;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    DXGKCB_MAPCONTEXTALLOCATION              DxgkCbMapContextAllocation;
    DXGKCB_UPDATECONTEXTALLOCATION           DxgkCbUpdateContextAllocation;
    DXGKCB_RESERVEGPUVIRTUALADDRESSRANGE     DxgkCbReserveGpuVirtualAddressRange;
    DXGKCB_ACQUIREHANDLEDATA                 DxgkCbAcquireHandleData;
    DXGKCB_RELEASEHANDLEDATA                 DxgkCbReleaseHandleData;
    DXGKCB_HARDWARECONTENTPROTECTIONTEARDOWN DxgkCbHardwareContentProtectionTeardown;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
    DXGKCB_MULTIPLANEOVERLAYDISABLED         DxgkCbMultiPlaneOverlayDisabled;
    DXGKCB_DXGKCB_MITIGATEDRANGEUPDATE       DxgkCbMitigatedRangeUpdate;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)
    DXGKCB_INVALIDATEHWCONTEXT               DxgkCbInvalidateHwContext;
    DXGKCB_INDICATE_CONNECTOR_CHANGE         DxgkCbIndicateConnectorChange;
    DXGKCB_UNBLOCKUEFIFRAMEBUFFERRANGES      DxgkCbUnblockUEFIFrameBufferRanges;
    DXGKCB_ACQUIRE_POST_DISPLAY_OWNERSHIP2   DxgkCbAcquirePostDisplayOwnership2;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)
    DXGKCB_SETPROTECTEDSESSIONSTATUS         DxgkCbSetProtectedSessionStatus;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)
    DXGKCB_ALLOCATECONTIGUOUSMEMORY          DxgkCbAllocateContiguousMemory;
    DXGKCB_FREECONTIGUOUSMEMORY              DxgkCbFreeContiguousMemory;
    DXGKCB_ALLOCATEPAGESFORMDL               DxgkCbAllocatePagesForMdl;
    DXGKCB_FREEPAGESFROMMDL                  DxgkCbFreePagesFromMdl;
    DXGKCB_PINFRAMEBUFFERFORSAVE             DxgkCbPinFrameBufferForSave;
    DXGKCB_UNPINFRAMEBUFFERFORSAVE           DxgkCbUnpinFrameBufferForSave;
    DXGKCB_MAPFRAMEBUFFERPOINTER             DxgkCbMapFrameBufferPointer;
    DXGKCB_UNMAPFRAMEBUFFERPOINTER           DxgkCbUnmapFrameBufferPointer;
    DXGKCB_MAPMDLTOIOMMU                     DxgkCbMapMdlToIoMmu;
    DXGKCB_UNMAPMDLFROMIOMMU                 DxgkCbUnmapMdlFromIoMmu;
    DXGKCB_REPORT_DIAGNOSTIC                 DxgkCbReportDiagnostic;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)
    DXGKCB_SIGNALEVENT                       DxgkCbSignalEvent;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)
    DXGKCB_ISFEATUREENABLED                  DxgkCbIsFeatureEnabled;
    DXGKCB_SAVEMEMORYFORHOTUPDATE            DxgkCbSaveMemoryForHotUpdate;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_8)
    DXGKCB_NOTIFYCURSORSUPPORTCHANGE         DxgkCbNotifyCursorSupportChange;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
    DXGKCB_QUERYFEATURESUPPORT               DxgkCbQueryFeatureSupport;
    DXGKCB_CREATEPHYSICALMEMORYOBJECT        DxgkCbCreatePhysicalMemoryObject;
    DXGKCB_DESTROYPHYSICALMEMORYOBJECT       DxgkCbDestroyPhysicalMemoryObject;
    DXGKCB_MAPPHYSICALMEMORY                 DxgkCbMapPhysicalMemory;
    DXGKCB_UNMAPPHYSICALMEMORY               DxgkCbUnmapPhysicalMemory;
    DXGKCB_ALLOCATEADL                       DxgkCbAllocateAdl;
    DXGKCB_FREEADL                           DxgkCbFreeAdl;
    DXGKCB_OPENPHYSICALMEMORYOBJECT          DxgkCbOpenPhysicalMemoryObject;
    DXGKCB_CLOSEPHYSICALMEMORYOBJECT         DxgkCbClosePhysicalMemoryObject;
    DXGKCB_PINFRAMEBUFFERFORSAVE2            DxgkCbPinFrameBufferForSave2;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)
    DXGKCB_DISCONNECTDOORBELL                DxgkCbDisconnectDoorbell;
#endif
} DXGKRNL_INTERFACE, *PDXGKRNL_INTERFACE;

typedef _In_ PDXGKRNL_INTERFACE IN_PDXGKRNL_INTERFACE;

typedef _Out_ PULONG OUT_PULONG;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_START_DEVICE(
    IN_CONST_PVOID MiniportDeviceContext,
    IN_PDXGK_START_INFO DxgkStartInfo,
    IN_PDXGKRNL_INTERFACE DxgkInterface,
    OUT_PULONG NumberOfVideoPresentSources,
    OUT_PULONG NumberOfChildren);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_STOP_DEVICE(
    IN_CONST_PVOID MiniportDeviceContext);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_REMOVE_DEVICE(
    IN_CONST_PVOID MiniportDeviceContext);

typedef _In_ DEVICE_POWER_STATE IN_DEVICE_POWER_STATE;

typedef _In_ POWER_ACTION IN_POWER_ACTION;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_SET_POWER_STATE(
    IN_CONST_PVOID MiniportDeviceContext,
    IN_ULONG DeviceUid,
    IN_DEVICE_POWER_STATE DevicePowerState,
    IN_POWER_ACTION ActionType);

typedef _IRQL_requires_(PASSIVE_LEVEL) void NTAPI DXGKDDI_UNLOAD(void);

typedef DXGKDDI_ADD_DEVICE *PDXGKDDI_ADD_DEVICE;

typedef DXGKDDI_START_DEVICE *PDXGKDDI_START_DEVICE;

typedef DXGKDDI_STOP_DEVICE *PDXGKDDI_STOP_DEVICE;

typedef DXGKDDI_REMOVE_DEVICE *PDXGKDDI_REMOVE_DEVICE;

typedef DXGKDDI_SET_POWER_STATE *PDXGKDDI_SET_POWER_STATE;

typedef DXGKDDI_UNLOAD *PDXGKDDI_UNLOAD;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_STOP_DEVICE_AND_RELEASE_POST_DISPLAY_OWNERSHIP(
    PVOID MiniportDeviceContext,
    D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId,
    PDXGK_DISPLAY_INFORMATION DisplayInfo);

typedef void NTAPI DXGKDDI_SYSTEM_DISPLAY_WRITE(
    PVOID MiniportDeviceContext,
    PVOID Source,
    UINT SourceWidth,
    UINT SourceHeight,
    UINT SourceStride,
    UINT PositionX,
    UINT PositionY);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_NOTIFY_SURPRISE_REMOVAL(
    PVOID MiniportDeviceContext,
    DXGK_SURPRISE_REMOVAL_TYPE RemovalType);

typedef DXGKDDI_STOP_DEVICE_AND_RELEASE_POST_DISPLAY_OWNERSHIP *PDXGKDDI_STOP_DEVICE_AND_RELEASE_POST_DISPLAY_OWNERSHIP;

typedef DXGKDDI_SYSTEM_DISPLAY_WRITE *PDXGKDDI_SYSTEM_DISPLAY_WRITE;

typedef DXGKDDI_NOTIFY_SURPRISE_REMOVAL *PDXGKDDI_NOTIFY_SURPRISE_REMOVAL;

#endif

/* ----------------------------------------------------------------------------------------------
 * Interfaces that a driver offers
 *
 * DxgkDdiQueryInterface hands these out: each is a table of functions.
 */

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef enum _DXGK_PANEL_BUFFER_CONTROL_CAPABILITY_FLAG {
    DXGK_PANEL_BUFFER_CONTROL_CAPABILITY_FLAG_NONE                       = 0,
    DXGK_PANEL_BUFFER_CONTROL_CAPABILITY_FLAG_FULLSCREEN_UDPATES         = 0x1,
    DXGK_PANEL_BUFFER_CONTROL_CAPABILITY_FLAG_PARTIAL_UPDATES            = 0x2,
    DXGK_PANEL_BUFFER_CONTROL_CAPABILITY_FLAG_ACROSS_PIXEL_CLOCK_CHANGE  = 0x4,
    DXGK_PANEL_BUFFER_CONTROL_CAPABILITY_FLAG_ACROSS_RESOLUTION_CHANGE   = 0x8,
    DXGK_PANEL_BUFFER_CONTROL_CAPABILITY_FLAG_ACROSS_COLOR_FORMAT_CHANGE = 0x10,
    DXGK_PANEL_BUFFER_CONTROL_CAPABILITY_FLAG_DISPLAYPORT_PSR            = 0x10000,
    DXGK_PANEL_BUFFER_CONTROL_CAPABILITY_FLAG_DISPLAYPORT_REPLAY         = 0x20000,
    DXGK_PANEL_BUFFER_CONTROL_CAPABILITY_FLAG_MIPI_COMMAND_MODE          = 0x40000,
} DXGK_PANEL_BUFFER_CONTROL_CAPABILITY_FLAG, *PDXGK_PANEL_BUFFER_CONTROL_CAPABILITY_FLAG;

typedef enum _DXGK_PANEL_BUFFER_CONTROL_OVERRIDE_STATE {
    DXGK_PANEL_BUFFER_CONTROL_OVERRIDE_STATE_NONE                       = 0,
    DXGK_PANEL_BUFFER_CONTROL_OVERRIDE_STATE_HOLD_FRAME                 = 1,
    DXGK_PANEL_BUFFER_CONTROL_OVERRIDE_STATE_HOLD_FRAME_FOR_MODE_CHANGE = 2,
} DXGK_PANEL_BUFFER_CONTROL_OVERRIDE_STATE, *PDXGK_PANEL_BUFFER_CONTROL_OVERRIDE_STATE;

typedef enum _DXGK_PANEL_BUFFER_CONTROL_AUTOMATIC_POLICY {
    DXGK_PANEL_BUFFER_CONTROL_AUTOMATIC_POLICY_DEFAULT         = 0,
    DXGK_PANEL_BUFFER_CONTROL_AUTOMATIC_POLICY_FULLSCREEN_ONLY = 1,
    DXGK_PANEL_BUFFER_CONTROL_AUTOMATIC_POLICY_NEVER           = 2,
} DXGK_PANEL_BUFFER_CONTROL_AUTOMATIC_POLICY, *PDXGK_PANEL_BUFFER_CONTROL_AUTOMATIC_POLICY;

#endif

typedef enum _DXGK_I2C_ADDRESS_TYPE {
    DXGK_I2C_ADDRESS_EDDC_SEGMENT_POINT = 96,
    DXGK_I2C_ADDRESS_MCCS               = 110,
    DXGK_I2C_ADDRESS_DDC                = 160,
    DXGK_I2C_ADDRESS_MAX                = 127,
} DXGK_I2C_ADDRESS_TYPE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_I2C_TRANSMIT_DATA_TO_DISPLAY)(
    PVOID MiniportDeviceContext,
    D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    ULONG SevenBitI2CAddress,
    ULONG DataLength,
    const void *Data);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_I2C_RECEIVE_DATA_FROM_DISPLAY)(
    PVOID MiniportDeviceContext,
    D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    ULONG SevenBitI2CAddress,
    ULONG Flags,
    ULONG DataLength,
    PVOID Data);

typedef struct _DXGK_I2C_INTERFACE {
    USHORT                                Size;
    USHORT                                Version;
    PVOID                                 Context;
    PINTERFACE_REFERENCE                  InterfaceReference;
    PINTERFACE_DEREFERENCE                InterfaceDereference;
    DXGKDDI_I2C_TRANSMIT_DATA_TO_DISPLAY  DxgkDdiI2CTransmitDataToDisplay;
    DXGKDDI_I2C_RECEIVE_DATA_FROM_DISPLAY DxgkDdiI2CReceiveDataFromDisplay;
} DXGK_I2C_INTERFACE, *PDXGK_I2C_INTERFACE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_OPM_GET_CERTIFICATE_SIZE)(
    PVOID MiniportDeviceContext,
    DXGKMDT_CERTIFICATE_TYPE CertificateType,
    PULONG CertificateSize);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_OPM_GET_CERTIFICATE)(
    PVOID MiniportDeviceContext,
    DXGKMDT_CERTIFICATE_TYPE CertificateType,
    ULONG CertificateSize,
    PVOID CertificateBuffer);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT)(
    PVOID MiniportDeviceContext,
    D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    DXGKMDT_OPM_VIDEO_OUTPUT_SEMANTICS NewVideoOutputSemantics,
    PHANDLE NewProtectedOutputHandle);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_OPM_GET_RANDOM_NUMBER)(
    PVOID MiniportDeviceContext,
    HANDLE ProtectedOutputHandle,
    PDXGKMDT_OPM_RANDOM_NUMBER RandomNumber);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_OPM_SET_SIGNING_KEY_AND_SEQUENCE_NUMBERS)(
    PVOID MiniportDeviceContext,
    HANDLE ProtectedOutputHandle,
    const DXGKMDT_OPM_ENCRYPTED_PARAMETERS *EncryptedParameters);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_OPM_GET_INFORMATION)(
    PVOID MiniportDeviceContext,
    HANDLE ProtectedOutputHandle,
    const DXGKMDT_OPM_GET_INFO_PARAMETERS *Parameters,
    PDXGKMDT_OPM_REQUESTED_INFORMATION RequestedInformation);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_OPM_GET_COPP_COMPATIBLE_INFORMATION)(
    PVOID MiniportDeviceContext,
    HANDLE ProtectedOutputHandle,
    const DXGKMDT_OPM_COPP_COMPATIBLE_GET_INFO_PARAMETERS *Parameters,
    PDXGKMDT_OPM_REQUESTED_INFORMATION RequestedInformation);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_OPM_CONFIGURE_PROTECTED_OUTPUT)(
    PVOID MiniportDeviceContext,
    HANDLE ProtectedOutputHandle,
    const DXGKMDT_OPM_CONFIGURE_PARAMETERS *Parameters,
    ULONG AdditionalParametersSize,
    const void *AdditionalParameters);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_OPM_DESTROY_PROTECTED_OUTPUT)(
    PVOID MiniportDeviceContext,
    HANDLE ProtectedOutputHandle);

typedef struct _DXGK_OPM_INTERFACE {
    USHORT                                       Size;
    USHORT                                       Version;
    PVOID                                        Context;
    PINTERFACE_REFERENCE                         InterfaceReference;
    PINTERFACE_DEREFERENCE                       InterfaceDereference;
    DXGKDDI_OPM_GET_CERTIFICATE_SIZE             DxgkDdiOPMGetCertificateSize;
    DXGKDDI_OPM_GET_CERTIFICATE                  DxgkDdiOPMGetCertificate;
    DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT          DxgkDdiOPMCreateProtectedOutput;
    DXGKDDI_OPM_GET_RANDOM_NUMBER                DxgkDdiOPMGetRandomNumber;
    DXGKDDI_OPM_SET_SIGNING_KEY_AND_SEQUENCE_NUMBERS DxgkDdiOPMSetSigningKeyAndSequenceNumbers;
    DXGKDDI_OPM_GET_INFORMATION                  DxgkDdiOPMGetInformation;
    DXGKDDI_OPM_GET_COPP_COMPATIBLE_INFORMATION  DxgkDdiOPMGetCOPPCompatibleInformation;
    DXGKDDI_OPM_CONFIGURE_PROTECTED_OUTPUT       DxgkDdiOPMConfigureProtectedOutput;
    DXGKDDI_OPM_DESTROY_PROTECTED_OUTPUT         DxgkDdiOPMDestroyProtectedOutput;
} DXGK_OPM_INTERFACE, *PDXGK_OPM_INTERFACE;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef NTSTATUS (NTAPI *DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT_VIRTUAL_MODE_JTP)(
    PVOID MiniportDeviceContext,
    D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    DXGKMDT_OPM_VIDEO_OUTPUT_SEMANTICS NewVideoOutputSemantics,
    DXGKMDT_OPM_ACTUAL_OUTPUT_FORMAT *pActualOutputFormat,
    PHANDLE NewProtectedOutputHandle);

typedef NTSTATUS (NTAPI *DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT_NONLOCAL_DISPLAY_JTP)(
    PVOID MiniportDeviceContext,
    DXGKMDT_OPM_VIDEO_OUTPUT_SEMANTICS NewVideoOutputSemantics,
    ULONG64 OPMEncoderContext,
    DXGKMDT_OPM_ACTUAL_OUTPUT_FORMAT *pActualOutputFormat,
    D3DDDI_VIDEO_PRESENT_TARGET_ID NonLocalOutputId,
    PHANDLE NewProtectedOutputHandle);

typedef struct _DXGK_OPM_INTERFACE_2_JTP {
    USHORT                                       Size;
    USHORT                                       Version;
    PVOID                                        Context;
    PINTERFACE_REFERENCE                         InterfaceReference;
    PINTERFACE_DEREFERENCE                       InterfaceDereference;
    DXGKDDI_OPM_GET_CERTIFICATE_SIZE             DxgkDdiOPMGetCertificateSize;
    DXGKDDI_OPM_GET_CERTIFICATE                  DxgkDdiOPMGetCertificate;
    DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT          DxgkDdiOPMCreateProtectedOutput;
    DXGKDDI_OPM_GET_RANDOM_NUMBER                DxgkDdiOPMGetRandomNumber;
    DXGKDDI_OPM_SET_SIGNING_KEY_AND_SEQUENCE_NUMBERS DxgkDdiOPMSetSigningKeyAndSequenceNumbers;
    DXGKDDI_OPM_GET_INFORMATION                  DxgkDdiOPMGetInformation;
    DXGKDDI_OPM_GET_COPP_COMPATIBLE_INFORMATION  DxgkDdiOPMGetCOPPCompatibleInformation;
    DXGKDDI_OPM_CONFIGURE_PROTECTED_OUTPUT       DxgkDdiOPMConfigureProtectedOutput;
    DXGKDDI_OPM_DESTROY_PROTECTED_OUTPUT         DxgkDdiOPMDestroyProtectedOutput;
    DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT_VIRTUAL_MODE_JTP DxgkDdiOPMCreateProtectedOutputVirtualMode;
    DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT_NONLOCAL_DISPLAY_JTP DxgkDdiOPMCreateProtectedOutputNonLocalDisplay;
} DXGK_OPM_INTERFACE_2_JTP, *PDXGK_OPM_INTERFACE_2_JTP;

typedef NTSTATUS (NTAPI *DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT_NONLOCAL_DISPLAY)(
    PVOID MiniportDeviceContext,
    DXGKMDT_OPM_VIDEO_OUTPUT_SEMANTICS NewVideoOutputSemantics,
    UINT64 OPMEncoderContext,
    DXGKMDT_OPM_ACTUAL_OUTPUT_FORMAT *pActualOutputFormat,
    UINT64 NonLocalOutputId,
    DXGKMDT_OPM_CONNECTOR_TYPE NonLocalConnectorType,
    PHANDLE NewProtectedOutputHandle);

typedef struct _DXGK_OPM_INTERFACE_2 {
    USHORT                                       Size;
    USHORT                                       Version;
    PVOID                                        Context;
    PINTERFACE_REFERENCE                         InterfaceReference;
    PINTERFACE_DEREFERENCE                       InterfaceDereference;
    DXGKDDI_OPM_GET_CERTIFICATE_SIZE             DxgkDdiOPMGetCertificateSize;
    DXGKDDI_OPM_GET_CERTIFICATE                  DxgkDdiOPMGetCertificate;
    DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT          DxgkDdiOPMCreateProtectedOutput;
    DXGKDDI_OPM_GET_RANDOM_NUMBER                DxgkDdiOPMGetRandomNumber;
    DXGKDDI_OPM_SET_SIGNING_KEY_AND_SEQUENCE_NUMBERS DxgkDdiOPMSetSigningKeyAndSequenceNumbers;
    DXGKDDI_OPM_GET_INFORMATION                  DxgkDdiOPMGetInformation;
    DXGKDDI_OPM_GET_COPP_COMPATIBLE_INFORMATION  DxgkDdiOPMGetCOPPCompatibleInformation;
    DXGKDDI_OPM_CONFIGURE_PROTECTED_OUTPUT       DxgkDdiOPMConfigureProtectedOutput;
    DXGKDDI_OPM_DESTROY_PROTECTED_OUTPUT         DxgkDdiOPMDestroyProtectedOutput;
    DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT_NONLOCAL_DISPLAY DxgkDdiOPMCreateProtectedOutputNonLocalDisplay;
} DXGK_OPM_INTERFACE_2, *PDXGK_OPM_INTERFACE_2;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)

typedef NTSTATUS (NTAPI *DXGKDDI_OPM_SET_SRM_LIST)(
    PVOID MiniportDeviceContext,
    ULONG SrmListSize,
    PVOID SrmListBuffer);

typedef NTSTATUS (NTAPI *DXGKDDI_OPM_GET_SRM_LIST_VERSION)(
    PVOID MiniportDeviceContext,
    PULONG SrmListVersionSize,
    PVOID SrmListVersionBuffer);

typedef struct _DXGK_OPM_INTERFACE_3 {
    USHORT                                       Size;
    USHORT                                       Version;
    PVOID                                        Context;
    PINTERFACE_REFERENCE                         InterfaceReference;
    PINTERFACE_DEREFERENCE                       InterfaceDereference;
    DXGKDDI_OPM_GET_CERTIFICATE_SIZE             DxgkDdiOPMGetCertificateSize;
    DXGKDDI_OPM_GET_CERTIFICATE                  DxgkDdiOPMGetCertificate;
    DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT          DxgkDdiOPMCreateProtectedOutput;
    DXGKDDI_OPM_GET_RANDOM_NUMBER                DxgkDdiOPMGetRandomNumber;
    DXGKDDI_OPM_SET_SIGNING_KEY_AND_SEQUENCE_NUMBERS DxgkDdiOPMSetSigningKeyAndSequenceNumbers;
    DXGKDDI_OPM_GET_INFORMATION                  DxgkDdiOPMGetInformation;
    DXGKDDI_OPM_GET_COPP_COMPATIBLE_INFORMATION  DxgkDdiOPMGetCOPPCompatibleInformation;
    DXGKDDI_OPM_CONFIGURE_PROTECTED_OUTPUT       DxgkDdiOPMConfigureProtectedOutput;
    DXGKDDI_OPM_DESTROY_PROTECTED_OUTPUT         DxgkDdiOPMDestroyProtectedOutput;
    DXGKDDI_OPM_CREATE_PROTECTED_OUTPUT_NONLOCAL_DISPLAY DxgkDdiOPMCreateProtectedOutputNonLocalDisplay;
    DXGKDDI_OPM_SET_SRM_LIST                     DxgkDdiOPMSetSrmList;
    DXGKDDI_OPM_GET_SRM_LIST_VERSION             DxgkDdiOPMGetSrmListVersion;
} DXGK_OPM_INTERFACE_3, *PDXGK_OPM_INTERFACE_3;

#endif

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGK_BRIGHTNESS_GET_POSSIBLE)(
    PVOID Context,
    ULONG BufferSize,
    PUCHAR LevelCount,
    PUCHAR BrightnessLevels);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGK_BRIGHTNESS_SET)(
    PVOID Context,
    UCHAR Brightness);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGK_BRIGHTNESS_GET)(
    PVOID Context,
    PUCHAR Brightness);

typedef struct _DXGK_BRIGHTNESS_INTERFACE {
    USHORT                       Size;
    USHORT                       Version;
    PVOID                        Context;
    PINTERFACE_REFERENCE         InterfaceReference;
    PINTERFACE_DEREFERENCE       InterfaceDereference;
    DXGK_BRIGHTNESS_GET_POSSIBLE GetPossibleBrightness;
    DXGK_BRIGHTNESS_SET          SetBrightness;
    DXGK_BRIGHTNESS_GET          GetBrightness;
} DXGK_BRIGHTNESS_INTERFACE, *PDXGK_BRIGHTNESS_INTERFACE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGK_BRIGHTNESS_GET_CAPS)(
    PVOID Context,
    DXGK_BRIGHTNESS_CAPS *BrightnessCaps);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGK_BRIGHTNESS_SET_STATE)(
    PVOID Context,
    DXGK_BRIGHTNESS_STATE *BrightnessState);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGK_BRIGHTNESS_SET_BACKLIGHT_OPTIMIZATION)(
    PVOID Context,
    DXGK_BACKLIGHT_OPTIMIZATION_LEVEL OptimizationLevel);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGK_BRIGHTNESS_GET_BACKLIGHT_REDUCTION)(
    PVOID Context,
    DXGK_BACKLIGHT_INFO *BacklightInfo);

typedef struct _DXGK_BRIGHTNESS_INTERFACE_2 {
    USHORT                                     Size;
    USHORT                                     Version;
    PVOID                                      Context;
    PINTERFACE_REFERENCE                       InterfaceReference;
    PINTERFACE_DEREFERENCE                     InterfaceDereference;
    DXGK_BRIGHTNESS_GET_POSSIBLE               GetPossibleBrightness;
    DXGK_BRIGHTNESS_SET                        SetBrightness;
    DXGK_BRIGHTNESS_GET                        GetBrightness;
    DXGK_BRIGHTNESS_GET_CAPS                   GetBrightnessCaps;
    DXGK_BRIGHTNESS_SET_STATE                  SetBrightnessState;
    DXGK_BRIGHTNESS_SET_BACKLIGHT_OPTIMIZATION SetBacklightOptimization;
    DXGK_BRIGHTNESS_GET_BACKLIGHT_REDUCTION    GetBacklightReduction;
} DXGK_BRIGHTNESS_INTERFACE_2, *PDXGK_BRIGHTNESS_INTERFACE_2;

typedef NTSTATUS (NTAPI *DXGK_BRIGHTNESS_SET_3)(
    PVOID Context,
    ULONG ChildUid,
    PDXGK_BRIGHTNESS_SET_IN pIn);

typedef NTSTATUS (NTAPI *DXGK_BRIGHTNESS_GET_3)(
    PVOID Context,
    ULONG ChildUid,
    PDXGK_BRIGHTNESS_GET_OUT pOut);

typedef NTSTATUS (NTAPI *DXGK_BRIGHTNESS_GET_CAPS_3)(
    PVOID Context,
    ULONG ChildUid,
    DXGK_BRIGHTNESS_CAPS *pBrightnessCaps);

typedef NTSTATUS (NTAPI *DXGK_BRIGHTNESS_GET_NIT_RANGES)(
    PVOID Context,
    ULONG ChildUid,
    PDXGK_BRIGHTNESS_GET_NIT_RANGES_OUT pOut);

typedef NTSTATUS (NTAPI *DXGK_BRIGHTNESS_SET_BACKLIGHT_OPTIMIZATION_3)(
    PVOID Context,
    ULONG ChildUid,
    DXGK_BACKLIGHT_OPTIMIZATION_LEVEL OptimizationLevel);

typedef struct _DXGK_BRIGHTNESS_INTERFACE_3 {
    USHORT                                       Size;
    USHORT                                       Version;
    PVOID                                        Context;
    PINTERFACE_REFERENCE                         InterfaceReference;
    PINTERFACE_DEREFERENCE                       InterfaceDereference;
    DXGK_BRIGHTNESS_SET_3                        SetBrightness;
    DXGK_BRIGHTNESS_GET_3                        GetBrightness;
    DXGK_BRIGHTNESS_GET_CAPS_3                   GetBrightnessCaps;
    DXGK_BRIGHTNESS_GET_NIT_RANGES               GetNitRanges;
    DXGK_BRIGHTNESS_SET_BACKLIGHT_OPTIMIZATION_3 SetBacklightOptimization;
} DXGK_BRIGHTNESS_INTERFACE_3, *PDXGK_BRIGHTNESS_INTERFACE_3;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)

typedef struct _DXGK_MIRACAST_CAPS {
    ULONG MaxChunkPrivateDriverDataSize;
    union {
        struct {
            UINT HdcpSupport : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    } Flags;
} DXGK_MIRACAST_CAPS, *PDXGK_MIRACAST_CAPS;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MIRACAST_QUERY_CAPS)(
    PVOID DriverContext,
    ULONG MiracastCapsSize,
    DXGK_MIRACAST_CAPS *MiracastCaps);

typedef _IRQL_requires_(PASSIVE_LEVEL) void (NTAPI *DXGKCB_MIRACAST_SEND_MESSAGE_CALLBACK)(
    PVOID CallbackContext,
    PIO_STATUS_BLOCK pIoStatusBlock);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_MIRACAST_SEND_MESSAGE)(
    HANDLE MiracastHandle,
    ULONG InputBufferSize,
    void *pInputBuffer,
    ULONG OutputBufferSize,
    void *pOutputBuffer,
    DXGKCB_MIRACAST_SEND_MESSAGE_CALLBACK pCallback,
    PVOID pCallbackContext);

typedef NTSTATUS (NTAPI *DXGKCB_MIRACAST_REPORT_CHUNK_INFO)(
    HANDLE MiracastHandle,
    DXGK_MIRACAST_CHUNK_INFO *pChunkInfo,
    PVOID pPrivateDriverData,
    UINT PrivateDataDriverSize);

typedef struct _DXGK_MIRACAST_DISPLAY_CALLBACKS {
    HANDLE                            MiracastHandle;
    DXGKCB_MIRACAST_SEND_MESSAGE      DxgkCbMiracastSendMessage;
    DXGKCB_MIRACAST_REPORT_CHUNK_INFO DxgkCbReportChunkInfo;
} DXGK_MIRACAST_DISPLAY_CALLBACKS, *PDXGK_MIRACAST_DISPLAY_CALLBACKS;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MIRACAST_CREATE_CONTEXT)(
    PVOID DriverContext,
    DXGK_MIRACAST_DISPLAY_CALLBACKS *MiracastCallbacks,
    PVOID *MiracastContext,
    ULONG *TargetId);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MIRACAST_HANDLE_IO_CONTROL)(
    PVOID DriverContext,
    PVOID MiracastContext,
    ULONG InputBufferSize,
    void *pInputBuffer,
    ULONG OutputBufferSize,
    void *pOutputBuffer,
    ULONG *BytesReturned);

typedef _IRQL_requires_(PASSIVE_LEVEL) void (NTAPI *DXGKDDI_MIRACAST_DESTROY_CONTEXT)(
    PVOID DriverContext,
    PVOID MiracastContext);

typedef struct _DXGK_MIRACAST_INTERFACE {
    USHORT                             Size;
    USHORT                             Version;
    PVOID                              Context;
    PINTERFACE_REFERENCE               InterfaceReference;
    PINTERFACE_DEREFERENCE             InterfaceDereference;
    DXGKDDI_MIRACAST_QUERY_CAPS        DxgkDdiMiracastQueryCaps;
    DXGKDDI_MIRACAST_CREATE_CONTEXT    DxgkDdiMiracastCreateContext;
    DXGKDDI_MIRACAST_HANDLE_IO_CONTROL DxgkDdiMiracastIoControl;
    DXGKDDI_MIRACAST_DESTROY_CONTEXT   DxgkDdiMiracastDestroyContext;
} DXGK_MIRACAST_DISPLAY_INTERFACE, *PDXGK_MIRACAST_DISPLAY_INTERFACE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef NTSTATUS (NTAPI *DXGKDDI_DISPLAYMUX_GET_DRIVER_SUPPORT_LEVEL)(
    PVOID DriverContext,
    PDXGK_DISPLAYMUX_SUPPORT_LEVEL pDriverSupportLevel);

typedef NTSTATUS (NTAPI *DXGKDDI_DISPLAYMUX_GET_RUNTIME_STATUS)(
    PVOID DriverContext,
    PDXGK_DISPLAYMUX_RUNTIME_STATUS pRuntimeStatus);

typedef NTSTATUS (NTAPI *DXGKDDI_DISPLAYMUX_PRE_SWITCH_AWAY)(
    PVOID DriverContext,
    ULONG VidPnTargetId,
    PULONG pSwitchPrivateDataSize);

typedef NTSTATUS (NTAPI *DXGKDDI_DISPLAYMUX_PRE_SWITCH_AWAY_GET_PRIVATE_DATA)(
    PVOID DriverContext,
    ULONG VidPnTargetId,
    ULONG SwitchPrivateDataSize,
    PVOID pSwitchPrivateDataBuffer,
    GUID *pSwitchPrivateDataGUID);

typedef NTSTATUS (NTAPI *DXGKDDI_DISPLAYMUX_PRE_SWITCH_TO)(
    PVOID DriverContext,
    ULONG VidPnTargetId,
    ULONG CurrentBrightnessLevel);

typedef NTSTATUS (NTAPI *DXGKDDI_DISPLAYMUX_SWITCH_CANCELED)(
    PVOID DriverContext,
    ULONG VidPnTargetId,
    BOOLEAN MuxSwitchedToTarget);

typedef NTSTATUS (NTAPI *DXGKDDI_DISPLAYMUX_POST_SWITCH_AWAY)(
    PVOID DriverContext,
    ULONG VidPnTargetId);

typedef NTSTATUS (NTAPI *DXGKDDI_DISPLAYMUX_POST_SWITCH_TO_PHASE1)(
    PVOID DriverContext,
    ULONG VidPnTargetId,
    ULONG SwitchPrivateDataSize,
    PVOID pSwitchPrivateDataBuffer,
    GUID *pSwitchPrivateDataGUID);

typedef NTSTATUS (NTAPI *DXGKDDI_DISPLAYMUX_POST_SWITCH_TO_PHASE2)(
    PVOID DriverContext,
    ULONG VidPnTargetId,
    BOOLEAN *pWasPanelInPSR);

typedef void (NTAPI *DXGKDDI_DISPLAYMUX_UPDATE_STATE)(
    PVOID DriverContext,
    ULONG VidPnTargetId,
    BOOLEAN MuxSwitchedToTarget);

typedef void (NTAPI *DXGKDDI_DISPLAYMUX_REPORT_PRESENCE)(PVOID DriverContext, BOOLEAN SystemHasMux);

typedef struct _DXGK_DISPLAYMUX_INTERFACE {
    USHORT                                       Size;
    USHORT                                       Version;
    PVOID                                        Context;
    PINTERFACE_REFERENCE                         InterfaceReference;
    PINTERFACE_DEREFERENCE                       InterfaceDereference;
    DXGKDDI_DISPLAYMUX_GET_DRIVER_SUPPORT_LEVEL  DxgkDdiDisplayMuxGetDriverSupportLevel;
    DXGKDDI_DISPLAYMUX_GET_RUNTIME_STATUS        DxgkDdiDisplayMuxGetRuntimeStatus;
    DXGKDDI_DISPLAYMUX_PRE_SWITCH_AWAY           DxgkDdiDisplayMuxPreSwitchAway;
    DXGKDDI_DISPLAYMUX_PRE_SWITCH_AWAY_GET_PRIVATE_DATA DxgkDdiDisplayMuxPreSwitchAwayGetPrivateData;
    DXGKDDI_DISPLAYMUX_PRE_SWITCH_TO             DxgkDdiDisplayMuxPreSwitchTo;
    DXGKDDI_DISPLAYMUX_SWITCH_CANCELED           DxgkDdiDisplayMuxSwitchCanceled;
    DXGKDDI_DISPLAYMUX_POST_SWITCH_AWAY          DxgkDdiDisplayMuxPostSwitchAway;
    DXGKDDI_DISPLAYMUX_POST_SWITCH_TO_PHASE1     DxgkDdiDisplayMuxPostSwitchToPhase1;
    DXGKDDI_DISPLAYMUX_POST_SWITCH_TO_PHASE2     DxgkDdiDisplayMuxPostSwitchToPhase2;
    DXGKDDI_DISPLAYMUX_UPDATE_STATE              DxgkDdiDisplayMuxUpdateState;
    DXGKDDI_DISPLAYMUX_REPORT_PRESENCE           DxgkDdiDisplayMuxReportPresence;
} DXGK_DISPLAYMUX_INTERFACE, *PDXGK_DISPLAYMUX_INTERFACE;

typedef NTSTATUS (NTAPI *DXGKDDI_DISPLAYMUX_SET_INTERNAL_PANEL_INFO)(
    PVOID DriverContext,
    ULONG VidPnTargetId,
    PDXGK_DISPLAYMUX_SET_INTERNAL_PANEL_INFO pInternalPanelInfo);

typedef struct _DXGK_DISPLAYMUX_INTERFACE_2 {
    USHORT                                       Size;
    USHORT                                       Version;
    PVOID                                        Context;
    PINTERFACE_REFERENCE                         InterfaceReference;
    PINTERFACE_DEREFERENCE                       InterfaceDereference;
    DXGKDDI_DISPLAYMUX_GET_DRIVER_SUPPORT_LEVEL  DxgkDdiDisplayMuxGetDriverSupportLevel;
    DXGKDDI_DISPLAYMUX_GET_RUNTIME_STATUS        DxgkDdiDisplayMuxGetRuntimeStatus;
    DXGKDDI_DISPLAYMUX_PRE_SWITCH_AWAY           DxgkDdiDisplayMuxPreSwitchAway;
    DXGKDDI_DISPLAYMUX_PRE_SWITCH_AWAY_GET_PRIVATE_DATA DxgkDdiDisplayMuxPreSwitchAwayGetPrivateData;
    DXGKDDI_DISPLAYMUX_PRE_SWITCH_TO             DxgkDdiDisplayMuxPreSwitchTo;
    DXGKDDI_DISPLAYMUX_SWITCH_CANCELED           DxgkDdiDisplayMuxSwitchCanceled;
    DXGKDDI_DISPLAYMUX_POST_SWITCH_AWAY          DxgkDdiDisplayMuxPostSwitchAway;
    DXGKDDI_DISPLAYMUX_POST_SWITCH_TO_PHASE1     DxgkDdiDisplayMuxPostSwitchToPhase1;
    DXGKDDI_DISPLAYMUX_POST_SWITCH_TO_PHASE2     DxgkDdiDisplayMuxPostSwitchToPhase2;
    DXGKDDI_DISPLAYMUX_UPDATE_STATE              DxgkDdiDisplayMuxUpdateState;
    DXGKDDI_DISPLAYMUX_REPORT_PRESENCE           DxgkDdiDisplayMuxReportPresence;
    DXGKDDI_DISPLAYMUX_SET_INTERNAL_PANEL_INFO   DxgkDdiDisplayMuxSetInternalPanelInfo;
} DXGK_DISPLAYMUX_INTERFACE_2, *PDXGK_DISPLAYMUX_INTERFACE_2;

typedef NTSTATUS (NTAPI *DXGKDDI_PANEL_BUFFER_CONTROL_GET_CAPABILITIES)(
    PVOID MiniportDeviceContext,
    D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    PDXGK_PANEL_BUFFER_CONTROL_CAPABILITY_FLAG pCapabilities);

typedef NTSTATUS (NTAPI *DXGKDDI_PANEL_BUFFER_CONTROL_SET_OVERRIDE_STATE)(
    PVOID MiniportDeviceContext,
    D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    DXGK_PANEL_BUFFER_CONTROL_OVERRIDE_STATE OverrideState,
    PKEVENT CompletedEvent);

typedef NTSTATUS (NTAPI *DXGKDDI_PANEL_BUFFER_CONTROL_GET_OVERRIDE_RESULT)(
    PVOID MiniportDeviceContext,
    D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    NTSTATUS *SetOverrideStateStatus,
    DXGK_PANEL_BUFFER_CONTROL_OVERRIDE_STATE *CurrentOverrideState);

typedef NTSTATUS (NTAPI *DXGKDDI_PANEL_BUFFER_CONTROL_SET_AUTOMATIC_POLICY)(
    PVOID MiniportDeviceContext,
    D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    DXGK_PANEL_BUFFER_CONTROL_AUTOMATIC_POLICY Policy);

typedef struct _DXGK_PANEL_BUFFER_CONTROL_INTERFACE_1 {
    USHORT                                       Size;
    USHORT                                       Version;
    PVOID                                        Context;
    PINTERFACE_REFERENCE                         InterfaceReference;
    PINTERFACE_DEREFERENCE                       InterfaceDereference;
    DXGKDDI_PANEL_BUFFER_CONTROL_GET_CAPABILITIES DxgkDdiGetCapabilities;
    DXGKDDI_PANEL_BUFFER_CONTROL_SET_OVERRIDE_STATE DxgkDdiSetOverrideState;
    DXGKDDI_PANEL_BUFFER_CONTROL_GET_OVERRIDE_RESULT DxgkDdiGetOverrideResult;
    DXGKDDI_PANEL_BUFFER_CONTROL_SET_AUTOMATIC_POLICY DxgkDdiSetAutomaticPolicy;
} DXGK_PANEL_BUFFER_CONTROL_INTERFACE_1;

#endif

typedef struct _DXGKARG_DPI2CIOTRANSMISSION {
    struct {
        UINT Read : 1;
        UINT Write : 1;
        UINT EDDCMode : 1;
        UINT OffsetSizeInBytes : 3;
        UINT CanUseCachedData : 1;
        UINT Reserved : 25;
    };
    UINT RootPortIndex;
    UINT I2CAddress;
    union {
        struct {
            UINT WordOffset : 8;
            UINT SegmentPointer : 7;
            UINT Reserved1 : 17;
        };
        UINT Offset;
    };
    UINT BufferSizeSupplied;
    UINT BytesToWrite;
    UINT BytesToRead;
    UINT DPNativeError;
    UINT BytesWritten;
    UINT BytesRead;
    BYTE Data[1];
} DXGKARG_DPI2CIOTRANSMISSION, *PDXGKARG_DPI2CIOTRANSMISSION;

typedef NTSTATUS NTAPI DXGKDDI_DPI2CIOTRANSMISSION(
    HANDLE Context,
    PDXGKARG_DPI2CIOTRANSMISSION pArgs);

typedef DXGKDDI_DPI2CIOTRANSMISSION *PDXGKDDI_DPI2CIOTRANSMISSION;

/* ----------------------------------------------------------------------------------------------
 * Interfaces that the port offers
 *
 * DxgkCbQueryServices hands these out.
 */

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_AGP_ALLOCATE_POOL)(
    HANDLE Context,
    ULONG AllocationSize,
    MEMORY_CACHING_TYPE CacheType,
    PPHYSICAL_ADDRESS PhysicalAddress,
    PVOID *VirtualAddress);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_AGP_FREE_POOL)(
    HANDLE Context,
    PVOID VirtualAddress);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_AGP_SET_COMMAND)(
    HANDLE Context,
    ULONG Command);

typedef struct _DXGK_AGP_INTERFACE {
    USHORT                   Size;
    USHORT                   Version;
    PVOID                    Context;
    PINTERFACE_REFERENCE     InterfaceReference;
    PINTERFACE_DEREFERENCE   InterfaceDereference;
    DXGKCB_AGP_ALLOCATE_POOL AgpAllocatePool;
    DXGKCB_AGP_FREE_POOL     AgpFreePool;
    DXGKCB_AGP_SET_COMMAND   AgpSetCommand;
} DXGK_AGP_INTERFACE, *PDXGK_AGP_INTERFACE;

struct DXGK_DEBUG_REPORT_HANDLE__ {
    int unused;
};
typedef struct DXGK_DEBUG_REPORT_HANDLE__ *DXGK_DEBUG_REPORT_HANDLE;

typedef struct _DXGK_DEBUG_REPORT_INTERFACE {
    USHORT                   Size;
    USHORT                   Version;
    PVOID                    Context;
    PINTERFACE_REFERENCE     InterfaceReference;
    PINTERFACE_DEREFERENCE   InterfaceDereference;
    DXGK_DEBUG_REPORT_HANDLE (NTAPI *DbgReportCreate)(HANDLE, ULONG, ULONG_PTR, ULONG_PTR, ULONG_PTR, ULONG_PTR);
    BOOLEAN                  (NTAPI *DbgReportSecondaryData)(DXGK_DEBUG_REPORT_HANDLE, PVOID, ULONG);
    void                     (NTAPI *DbgReportComplete)(DXGK_DEBUG_REPORT_HANDLE);
} DXGK_DEBUG_REPORT_INTERFACE, *PDXGK_DEBUG_REPORT_INTERFACE;

typedef struct _DXGK_TIMED_OPERATION {
    USHORT        Size;
    ULONG_PTR     OwnerTag;
    BOOLEAN       OsHandled;
    BOOLEAN       TimeoutTriggered;
    LARGE_INTEGER Timeout;
    LARGE_INTEGER StartTick;
} DXGK_TIMED_OPERATION, *PDXGK_TIMED_OPERATION;

typedef struct _DXGK_TIMED_OPERATION_INTERFACE {
    USHORT                 Size;
    USHORT                 Version;
    PVOID                  Context;
    PINTERFACE_REFERENCE   InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
    NTSTATUS               (NTAPI *TimedOperationStart)(DXGK_TIMED_OPERATION *, const LARGE_INTEGER *, BOOLEAN);
    NTSTATUS               (NTAPI *TimedOperationDelay)(DXGK_TIMED_OPERATION *, KPROCESSOR_MODE, BOOLEAN, const LARGE_INTEGER *);
    NTSTATUS               (NTAPI *TimedOperationWaitForSingleObject)(DXGK_TIMED_OPERATION *, PVOID, KWAIT_REASON, KPROCESSOR_MODE, BOOLEAN, const LARGE_INTEGER *);
} DXGK_TIMED_OPERATION_INTERFACE, *PDXGK_TIMED_OPERATION_INTERFACE;

typedef struct _DXGK_SPB_INTERFACE {
    USHORT                 Size;
    USHORT                 Version;
    PVOID                  Context;
    PINTERFACE_REFERENCE   InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
    NTSTATUS               (NTAPI *OpenSpbResource)(HANDLE, LARGE_INTEGER, UNICODE_STRING *, ACCESS_MASK, ULONG, ULONG, void **);
    NTSTATUS               (NTAPI *CloseSpbResource)(HANDLE, void *);
    NTSTATUS               (NTAPI *ReadSpbResource)(HANDLE, void *, ULONG, void *, LARGE_INTEGER *, HANDLE, IO_STATUS_BLOCK *);
    NTSTATUS               (NTAPI *WriteSpbResource)(HANDLE, void *, ULONG, void *, LARGE_INTEGER *, HANDLE, IO_STATUS_BLOCK *);
    NTSTATUS               (NTAPI *SpbResourceIoControl)(HANDLE, void *, ULONG, ULONG, void *, ULONG, void *, HANDLE, IO_STATUS_BLOCK *);
} DXGK_SPB_INTERFACE, *PDXGK_SPB_INTERFACE;

typedef struct _DXGK_FIRMWARE_TABLE_INTERFACE {
    USHORT                 Size;
    USHORT                 Version;
    PVOID                  Context;
    PINTERFACE_REFERENCE   InterfaceReference;
    PINTERFACE_DEREFERENCE InterfaceDereference;
    NTSTATUS               (NTAPI *EnumSystemFirmwareTables)(void *, ULONG, ULONG, void *, ULONG *);
    NTSTATUS               (NTAPI *ReadSystemFirmwareTable)(void *, ULONG, ULONG, ULONG, void *, ULONG *);
} DXGK_FIRMWARE_TABLE_INTERFACE, *PDXGK_FIRMWARE_TABLE_INTERFACE;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef struct _DXGK_FEATURE_INTERFACE {
    USHORT                       Size;
    USHORT                       Version;
    PVOID                        Context;
    PINTERFACE_REFERENCE         InterfaceReference;
    PINTERFACE_DEREFERENCE       InterfaceDereference;
    DXGKCB_ISFEATUREENABLED2     IsFeatureEnabled;
    DXGKCB_QUERYFEATUREINTERFACE QueryFeatureInterface;
} DXGK_FEATURE_INTERFACE, *PDXGK_FEATURE_INTERFACE;

typedef struct _DXGKDDI_FEATURE_INTERFACE {
    USHORT                         Size;
    USHORT                         Version;
    PVOID                          Context;
    PINTERFACE_REFERENCE           InterfaceReference;
    PINTERFACE_DEREFERENCE         InterfaceDereference;
    PDXGKDDI_QUERYFEATURESUPPORT   QueryFeatureSupport;
    PDXGKDDI_QUERYFEATUREINTERFACE QueryFeatureInterface;
} DXGKDDI_FEATURE_INTERFACE, *PDXGKDDI_FEATURE_INTERFACE;

typedef struct _DXGKDDI_FEATURE_INTERFACE_2 {
    USHORT                         Size;
    USHORT                         Version;
    PVOID                          Context;
    PINTERFACE_REFERENCE           InterfaceReference;
    PINTERFACE_DEREFERENCE         InterfaceDereference;
    PDXGKDDI_QUERYFEATURESUPPORT   QueryFeatureSupport;
    PDXGKDDI_QUERYFEATUREINTERFACE QueryFeatureInterface;
    PVOID                          QueryFeatureSupport2;
} DXGKDDI_FEATURE_INTERFACE_2, *PDXGKDDI_FEATURE_INTERFACE_2;

#endif

typedef _Inout_ DXGK_MONITOR_DESCRIPTOR *INOUT_DXGK_MONITOR_DESCRIPTOR;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef NTSTATUS NTAPI DXGKDDI_QUERY_MONITOR_DESCRIPTOR(
    IN_CONST_PVOID MiniportDeviceContext,
    IN_CONST_D3DDDI_VIDEO_PRESENT_TARGET_ID VideoPresentTargetId,
    INOUT_DXGK_MONITOR_DESCRIPTOR MonitorDescriptor);

typedef DXGKDDI_QUERY_MONITOR_DESCRIPTOR *PDXGKDDI_QUERY_MONITOR_DESCRIPTOR;

typedef struct _DXGK_DISPLAY_CORE_INTERFACE {
    USHORT                            Size;
    USHORT                            Version;
    PVOID                             Context;
    PINTERFACE_REFERENCE              InterfaceReference;
    PINTERFACE_DEREFERENCE            InterfaceDereference;
    PDXGKDDI_QUERY_MONITOR_DESCRIPTOR DxgkDdiQueryMonitorDescriptor;
} DXGK_DISPLAY_CORE_INTERFACE, *PDXGK_DISPLAY_CORE_INTERFACE;

typedef NTSTATUS (NTAPI *DXGKDDI_WAITWAKE_ARMING)(PVOID DriverContext);

typedef void (NTAPI *DXGKDDI_WAITWAKE_DISARMING)(PVOID DriverContext);

typedef struct _DXGK_WAITWAKE_INTERFACE {
    USHORT                     Size;
    USHORT                     Version;
    PVOID                      Context;
    PINTERFACE_REFERENCE       InterfaceReference;
    PINTERFACE_DEREFERENCE     InterfaceDereference;
    DXGKDDI_WAITWAKE_ARMING    DxgkDdiWaitWakeArming;
    DXGKDDI_WAITWAKE_DISARMING DxgkDdiWaitWakeDisarming;
} DXGK_WAITWAKE_INTERFACE, *PDXGK_WAITWAKE_INTERFACE;

#endif

/* ----------------------------------------------------------------------------------------------
 * Diagnostics
 */

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)

typedef enum _DXGK_DIAGNOSTICINFO_TYPE {
    DXGK_DI_ADDDEVICE   = 1,
    DXGK_DI_STARTDEVICE = 2,
    DXGK_DI_BLACKSCREEN = 3,
} DXGK_DIAGNOSTICINFO_TYPE;

#endif

typedef enum _DXGK_DIAG_DISPLAY_CONNECTIVITY {
    DXGK_DIAG_DISPLAY_CONNECTIVITY_UNINITIALIZED = 0,
    DXGK_DIAG_DISPLAY_NOT_CONNECTED              = 1,
    DXGK_DIAG_DISPLAY_CONNECTED                  = 2,
} DXGK_DIAG_DISPLAY_CONNECTIVITY;

typedef enum _DXGK_DIAG_BASIC_DISPLAY_TOPOLOGY {
    DXGK_DIAG_BASIC_DISPLAY_TOPOLOGY_UNINITIALIZED   = 0,
    DXGK_DIAG_DISPLAY_CONNECTED_DIRECTLY             = 1,
    DXGK_DIAG_DISPLAY_CONNECTED_INDIRECTLY_CONVERTOR = 2,
    DXGK_DIAG_DISPLAY_CONNECTED_INDIRECTLY_HUB       = 3,
    DXGK_DIAG_DISPLAY_CONNECTED_INDIRECTLY           = 4,
    DXGK_DIAG_DISPLAY_CONNECTED_UNKNOWN              = 5,
} DXGK_DIAG_BASIC_DISPLAY_TOPOLOGY;

typedef enum _DXGK_DIAG_DISPLAY_LINK_STATE {
    DXGK_DIAG_DISPLAY_LINK_STATE_UNINITIALIZED              = 0,
    DXGK_DIAG_DISPLAY_LINK_STATE_NOTAPPLICABLE              = 1,
    DXGK_DIAG_DISPLAY_LINK_STATE_STABLE                     = 2,
    DXGK_DIAG_DISPLAY_LINK_STATE_FAILED                     = 3,
    DXGK_DIAG_DISPLAY_LINK_STATE_CONTINUOUS_TRAINING        = 4,
    DXGK_DIAG_DISPLAY_LINK_STATE_CONTINUOUS_TRAINING_STABLE = 5,
    DXGK_DIAG_DISPLAY_LINK_STATE_CONTINUOUS_TRAINING_FAILED = 6,
} DXGK_DIAG_DISPLAY_LINK_STATE;

typedef enum _DXGK_DIAG_DISPLAY_MODE_SET {
    DXGK_DIAG_DISPLAY_MODE_SET_UNINITIALIZED = 0,
    DXGK_DIAG_DISPLAY_MODE_SET_NO            = 1,
    DXGK_DIAG_DISPLAY_MODE_SET_YES           = 2,
} DXGK_DIAG_DISPLAY_MODE_SET;

typedef enum _DXGK_DIAG_DISPLAY_LID_STATE {
    DXGK_DIAG_DISPLAY_LID_STATE_UNINITIALIZED = 0,
    DXGK_DIAG_DISPLAY_LID_STATE_NOTAPPLICABLE = 1,
    DXGK_DIAG_DISPLAY_LID_STATE_OPEN          = 2,
    DXGK_DIAG_DISPLAY_LID_STATE_CLOSE         = 3,
    DXGK_DIAG_DISPLAY_LID_STATE_UNKNOWN       = 4,
} DXGK_DIAG_DISPLAY_LID_STATE;

typedef enum _DXGK_DIAG_GETDISPLAYSTATE_SUBSTATUS_FLAGS {
    DXGK_DIAG_GETDISPLAYSTATE_SUCCESS                 = 0,
    DXGK_DIAG_GETDISPLAYSTATE_CAUSED_GLITCH           = 0x1,
    DXGK_DIAG_GETDISPLAYSTATE_CHANGED_DISPLAY_STATE   = 0x2,
    DXGK_DIAG_GETDISPLAYSTATE_MONITOR_NOT_CONNECTED   = 0x4,
    DXGK_DIAG_GETDISPLAYSTATE_TIMEOUT                 = 0x8,
    DXGK_DIAG_GETDISPLAYSTATE_ERROR_HARDWARE          = 0x10,
    DXGK_DIAG_GETDISPLAYSTATE_ERROR_DRIVER            = 0x20,
    DXGK_DIAG_GETDISPLAYSTATE_VIDPNTARGETID_NOT_FOUND = 0x40,
} DXGK_DIAG_GETDISPLAYSTATE_SUBSTATUS_FLAGS;

typedef enum _DXGK_DIAG_MONITOR_STATE {
    DXGK_DIAG_MONITOR_STATE_UNINITIALIZED = 0,
    DXGK_DIAG_MONITOR_READY               = 1,
    DXGK_DIAG_MONITOR_NOT_READY           = 2,
    DXGK_DIAG_MONITOR_READY_NOTAPPLICABLE = 3,
} DXGK_DIAG_MONITOR_STATE;

typedef enum _DXGK_DIAG_DISPLAY_SCANOUT_STATE {
    DXGK_DIAG_DISPLAY_SCANOUT_STATE_UNINITIALIZED = 0,
    DXGK_DIAG_DISPLAY_SCANOUT_DISABLED            = 1,
    DXGK_DIAG_DISPLAY_SCANOUT_ACTIVE              = 2,
    DXGK_DIAG_DISPLAY_SCANOUT_ACTIVE_BLACK        = 3,
} DXGK_DIAG_DISPLAY_SCANOUT_STATE;

typedef enum _DXGK_DIAG_DISPLAY_SCANOUT_BUFFER_CRC {
    DXGK_DIAG_DISPLAY_SCANOUT_BUFFER_CRC_UNINITIALIZED = 0,
    DXGK_DIAG_DISPLAY_SCANOUT_BUFFER_CRC_BLACK         = 1,
    DXGK_DIAG_DISPLAY_SCANOUT_BUFFER_CRC_NON_BLACK     = 2,
    DXGK_DIAG_DISPLAY_SCANOUT_BUFFER_CRC_ERROR         = 3,
    DXGK_DIAG_DISPLAY_SCANOUT_BUFFER_CRC_UNKNOWN       = 4,
} DXGK_DIAG_DISPLAY_SCANOUT_BUFFER_CRC;

typedef enum _DXGK_DIAG_DISPLAY_HARDWARE_ERROR_STATE {
    DXGK_DIAG_DISPLAY_HARDWARE_ERROR_STATE_UNINITIALIZED = 0,
    DXGK_DIAG_DISPLAY_HARDWARE_ERROR_NONE                = 1,
    DXGK_DIAG_DISPLAY_HARDWARE_ERROR_SCANOUT_UNDERFLOW   = 2,
    DXGK_DIAG_DISPLAY_HARDWARE_ERROR_TDRNORECOVERY       = 3,
    DXGK_DIAG_DISPLAY_HARDWARE_ERROR_UNSPECIFIED         = 4,
} DXGK_DIAG_DISPLAY_HARDWARE_ERROR_STATE;

typedef enum _DXGK_DIAG_DISPLAY_HARDWARE_BANDWIDTH {
    DXGK_DIAG_DISPLAY_HARDWARE_BANDWIDTH_UNINITIALIZED = 0,
    DXGK_DIAG_DISPLAY_HARDWARE_BANDWIDTH_SUFFICIENT    = 1,
    DXGK_DIAG_DISPLAY_HARDWARE_LINK_BANDWIDTH_LIMITED  = 2,
    DXGK_DIAG_DISPLAY_HARDWARE_SOC_BANDWIDTH_LIMITED   = 3,
    DXGK_DIAG_DISPLAY_HARDWARE_BANDWIDTH_ERROR         = 4,
    DXGK_DIAG_DISPLAY_HARDWARE_BANDWIDTH_UNKNOWN       = 5,
} DXGK_DIAG_DISPLAY_HARDWARE_BANDWIDTH;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef union _DXGK_DIAGNOSTIC_PSR_REFRESH_REASON {
    struct {
        UINT Present : 1;
        UINT CursorUpdate : 1;
        UINT VSyncEnabled : 1;
        UINT ColorTransformationChange : 1;
        UINT BrightnessChange : 1;
        UINT SinkRequest : 1;
        UINT Other : 1;
        UINT Reserved : 25;
    };
    UINT Value;
} DXGK_DIAGNOSTIC_PSR_REFRESH_REASON;

typedef struct _DXGK_DIAGNOSTIC_PSR {
    DXGK_DIAGNOSTIC_HEADER Header;
    union {
        DXGK_DIAGNOSTIC_PSR_REFRESH_REASON RefreshReason;
        UINT                               Value;
    };
} DXGK_DIAGNOSTIC_PSR;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)

typedef struct _DXGK_DIAGNOSTIC_SYNCLOCK_ENABLESYNC {
    DXGK_DIAGNOSTIC_HEADER Header;
    union {
        struct {
            UINT DuringSetTiming : 1;
            UINT EnableSyncStart : 1;
            UINT EnableSyncEnd : 1;
            UINT Reserved : 29;
        } SyncLockEnableSync;
        UINT Value;
    };
} DXGK_DIAGNOSTIC_SYNCLOCK_ENABLESYNC;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef struct _DXGKARG_QUERYDIAGNOSTICTYPESSUPPORT {
    DXGK_DIAGNOSTIC_CATEGORIES DiagnosticCategory;
    DXGK_DIAGNOSTIC_TYPES      NoninvasiveTypes;
    DXGK_DIAGNOSTIC_TYPES      InvasiveTypes;
} DXGKARG_QUERYDIAGNOSTICTYPESSUPPORT, *PDXGKARG_QUERYDIAGNOSTICTYPESSUPPORT;

typedef _Inout_ PDXGKARG_QUERYDIAGNOSTICTYPESSUPPORT INOUT_PDXGKARG_QUERYDIAGNOSTICTYPESSUPPORT;

typedef NTSTATUS NTAPI DXGKDDI_QUERYDIAGNOSTICTYPESSUPPORT(
    IN_CONST_PVOID MiniportDeviceContext,
    INOUT_PDXGKARG_QUERYDIAGNOSTICTYPESSUPPORT pArgQueryDiagnosticTypesSupport);

typedef DXGKDDI_QUERYDIAGNOSTICTYPESSUPPORT *PDXGKDDI_QUERYDIAGNOSTICTYPESSUPPORT;

typedef struct _DXGKARG_CONTROLDIAGNOSTICREPORTING {
    DXGK_DIAGNOSTIC_CATEGORIES DiagnosticCategory;
    DXGK_DIAGNOSTIC_TYPES      RequestedDiagnostics;
} DXGKARG_CONTROLDIAGNOSTICREPORTING, *PDXGKARG_CONTROLDIAGNOSTICREPORTING;

typedef _In_ PDXGKARG_CONTROLDIAGNOSTICREPORTING IN_PDXGKARG_CONTROLDIAGNOSTICREPORTING;

typedef NTSTATUS NTAPI DXGKDDI_CONTROLDIAGNOSTICREPORTING(
    IN_CONST_PVOID MiniportDeviceContext,
    IN_PDXGKARG_CONTROLDIAGNOSTICREPORTING pArgControlDiagnosticReporting);

typedef DXGKDDI_CONTROLDIAGNOSTICREPORTING *PDXGKDDI_CONTROLDIAGNOSTICREPORTING;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)

typedef struct _DXGKARG_COLLECTDIAGNOSTICINFO {
    HANDLE                   hAdapter;
    DXGK_DIAGNOSTICINFO_TYPE Type;
    CHAR                     BucketingString[64];
    CHAR                     DescriptionString[128];
    union {
        PVOID pReserved;
    };
    UINT                     BufferSizeIn;
    UINT                     BufferSizeOut;
    PVOID                    pBuffer;
} DXGKARG_COLLECTDIAGNOSTICINFO;

typedef _Inout_ DXGKARG_COLLECTDIAGNOSTICINFO *INOUT_PDXGKARG_COLLECTDIAGNOSTICINFO;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_COLLECTDIAGNOSTICINFO(
    IN_CONST_PDEVICE_OBJECT PhysicalDeviceObject,
    INOUT_PDXGKARG_COLLECTDIAGNOSTICINFO pCollectDiagnosticInfo);

typedef DXGKDDI_COLLECTDIAGNOSTICINFO *PDXGKDDI_COLLECTDIAGNOSTICINFO;

#endif

typedef struct _DXGK_DISPLAYSTATE_NONINTRUSIVE {
    D3DDDI_VIDEO_PRESENT_TARGET_ID   VidPnTargetId;
    DXGK_DIAG_DISPLAY_CONNECTIVITY   DisplayConnectivity;
    DXGK_DIAG_DISPLAY_LID_STATE      DisplayLidState;
    DXGK_DIAG_BASIC_DISPLAY_TOPOLOGY DisplayTopology;
    DXGK_DIAG_DISPLAY_LINK_STATE     DisplayLinkState;
    DXGK_DIAG_DISPLAY_MODE_SET       DisplayModeSet;
    UINT                             ReturnSubStatus;
} DXGK_DISPLAYSTATE_NONINTRUSIVE;

typedef struct _DXGKARG_GETDISPLAYSTATE_NONINTRUSIVE {
    UINT                           NumOfTargets;
    UINT                           SizeOfDisplayStateNonIntrusiveElement;
    DXGK_DISPLAYSTATE_NONINTRUSIVE **ppDisplayStateNonIntrusive;
} DXGKARG_GETDISPLAYSTATENONINTRUSIVE, *PDXGKARG_GETDISPLAYSTATENONINTRUSIVE;

typedef NTSTATUS (NTAPI *DXGKDDI_GETDISPLAYSTATENONINTRUSIVE)(
    HANDLE Context,
    PDXGKARG_GETDISPLAYSTATENONINTRUSIVE pArgs);

typedef struct _DXGK_DIAG_DISPLAY_SAMPLED_GAMMA {
    float Red[16];
    float Green[16];
    float Blue[16];
    float ColorMatrix[3][3];
} DXGK_DIAG_DISPLAY_SAMPLED_GAMMA;

typedef struct _DXGK_DIAG_DISPLAY_SCANOUT_BUFFER_HISTOGRAM {
    INT MinPixelValue;
    INT MaxPixelValue;
} DXGK_DIAG_DISPLAY_SCANOUT_BUFFER_HISTOGRAM;

typedef struct _DXGK_DIAG_SCANOUT_BUFFER_CONTENT {
    DXGK_DIAG_DISPLAY_SCANOUT_BUFFER_CRC       ScanoutBufferCrc;
    DXGK_DIAG_DISPLAY_SCANOUT_BUFFER_HISTOGRAM ScanoutBufferHistogram;
} DXGK_DIAG_SCANOUT_BUFFER_CONTENT;

typedef struct _DXGKARG_DISPLAYSTATE_INTRUSIVE {
    D3DDDI_VIDEO_PRESENT_TARGET_ID         VidPnTargetId;
    DXGK_DIAG_MONITOR_STATE                MonitorState;
    DXGK_DIAG_DISPLAY_SCANOUT_STATE        DisplayScanoutState;
    DXGK_DIAG_DISPLAY_SAMPLED_GAMMA        DisplaySampledGamma;
    DXGK_DIAG_SCANOUT_BUFFER_CONTENT       DisplayBufferContent;
    DXGK_DIAG_DISPLAY_HARDWARE_ERROR_STATE DisplayErrorState;
    DXGK_DIAG_DISPLAY_HARDWARE_BANDWIDTH   DisplayBandwidth;
    UINT                                   ReturnSubStatus;
} DXGK_DISPLAYSTATE_INTRUSIVE;

typedef struct _DXGKARG_GETDISPLAYSTATE_INTRUSIVE {
    UINT                        NumOfTargets;
    UINT                        SizeOfDisplayStateIntrusiveElement;
    DXGK_DISPLAYSTATE_INTRUSIVE **ppDisplayStateIntrusive;
} DXGKARG_GETDISPLAYSTATEINTRUSIVE, *PDXGKARG_GETDISPLAYSTATEINTRUSIVE;

typedef NTSTATUS (NTAPI *DXGKDDI_GETDISPLAYSTATEINTRUSIVE)(
    HANDLE Context,
    PDXGKARG_GETDISPLAYSTATEINTRUSIVE pArgs);

typedef struct _DXGK_DISPLAY_DIAGNOSTICS_INTERFACE {
    USHORT                              Size;
    USHORT                              Version;
    PVOID                               Context;
    PINTERFACE_REFERENCE                InterfaceReference;
    PINTERFACE_DEREFERENCE              InterfaceDereference;
    DXGKDDI_GETDISPLAYSTATENONINTRUSIVE DxgkDdiGetDisplayStateNonIntrusive;
    DXGKDDI_GETDISPLAYSTATEINTRUSIVE    DxgkDdiGetDisplayStateIntrusive;
} DXGK_DISPLAY_DIAGNOSTICS_INTERFACE, *PDXGK_DISPLAY_DIAGNOSTICS_INTERFACE;

/* ----------------------------------------------------------------------------------------------
 * Display links
 */

typedef enum _DXGK_DSI_CONTROL_TRANSMISSION_MODE {
    DXGK_DCT_DEFAULT          = 0,
    DXGK_DCT_FORCE_LOW_POWER  = 1,
    DXGK_DCT_FORCE_HIGH_SPEED = 2,
} DXGK_DSI_CONTROL_TRANSMISSION_MODE;

typedef struct _DXGK_DSI_CAPS {
    BYTE DSITypeMajor;
    BYTE DSITypeMinor;
    BYTE SpecVersionMajor;
    BYTE SpecVersionMinor;
    BYTE SpecVersionPatch;
    WORD TargetMaximumReturnPacketSize;
    BYTE ResultCodeFlags;
    BYTE ResultCodeStatus;
    BYTE Revision;
    BYTE Level;
    BYTE DeviceClassHi;
    BYTE DeviceClassLo;
    BYTE ManufacturerHi;
    BYTE ManufacturerLo;
    BYTE ProductHi;
    BYTE ProductLo;
    BYTE LengthHi;
    BYTE LengthLo;
} DXGK_DSI_CAPS, *PDXGK_DSI_CAPS;

typedef NTSTATUS NTAPI DXGKDDI_DSICAPS(
    HANDLE Context,
    D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId,
    PDXGK_DSI_CAPS pArgs);

typedef DXGKDDI_DSICAPS *PDXGKDDI_DSICAPS;

typedef struct _DXGK_DSI_PACKET {
    union {
        BYTE DataId;
        struct {
            BYTE DataType : 6;
            BYTE VirtualChannel : 2;
        };
    };
    union {
        struct {
            BYTE Data0;
            BYTE Data1;
        };
        WORD LongWriteWordCount;
    };
    BYTE EccFiller;
    BYTE Payload[8];
} DXGK_DSI_PACKET, *PDXGK_DSI_PACKET;

typedef struct _DXGK_DSI_TRANSMISSION {
    UINT            TotalBufferSize;
    BYTE            PacketCount;
    BYTE            FailedPacket;
    struct {
        WORD TransmissionMode : 2;
        WORD ReportMipiErrors : 1;
        WORD ClearMipiErrors : 1;
        WORD SecondaryPort : 1;
        WORD ManufacturingMode : 1;
        WORD Reserved : 10;
    };
    WORD            ReadWordCount;
    WORD            FinalCommandExtraPayload;
    WORD            MipiErrors;
    WORD            HostErrors;
    DXGK_DSI_PACKET Packets[1];
} DXGK_DSI_TRANSMISSION, *PDXGK_DSI_TRANSMISSION;

typedef NTSTATUS NTAPI DXGKDDI_DSITRANSMISSION(
    HANDLE Context,
    D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId,
    PDXGK_DSI_TRANSMISSION pArgs);

typedef DXGKDDI_DSITRANSMISSION *PDXGKDDI_DSITRANSMISSION;

typedef struct _DXGK_DSI_RESET {
    UINT Flags;
    union {
        struct {
            UINT MipiErrors : 16;
            UINT ResetFailed : 1;
            UINT NeedModeSet : 1;
        };
        UINT Results;
    };
} DXGK_DSI_RESET, *PDXGK_DSI_RESET;

typedef NTSTATUS NTAPI DXGKDDI_DSIRESET(
    HANDLE Context,
    D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId,
    PDXGK_DSI_RESET pArgs);

typedef DXGKDDI_DSIRESET *PDXGKDDI_DSIRESET;

typedef struct _DXGK_MIPI_DSI_INTERFACE {
    USHORT                   Size;
    USHORT                   Version;
    PVOID                    Context;
    PINTERFACE_REFERENCE     InterfaceReference;
    PINTERFACE_DEREFERENCE   InterfaceDereference;
    PDXGKDDI_DSICAPS         DxgkDdiDsiCaps;
    PDXGKDDI_DSITRANSMISSION DxgkDdiDsiTransmission;
    PDXGKDDI_DSIRESET        DxgkDdiDsiReset;
} DXGK_MIPI_DSI_INTERFACE, *PDXGK_MIPI_DSI_INTERFACE;

typedef struct _DXGKARG_QUERYDPCAPS {
    UINT NumRootPorts;
    BYTE DPVersionMajor;
    BYTE DPVersionMinor;
} DXGKARG_QUERYDPCAPS, *PDXGKARG_QUERYDPCAPS;

typedef NTSTATUS NTAPI DXGKDDI_QUERYDPCAPS(HANDLE Context, PDXGKARG_QUERYDPCAPS pArgs);

typedef DXGKDDI_QUERYDPCAPS *PDXGKDDI_QUERYDPCAPS;

typedef struct _DXGKARG_GETDPADDRESS {
    D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId;
    UINT                           DPNativeError;
    UINT                           RootPortIndex;
    BYTE                           NumLinks;
    BYTE                           RelAddress[15];
} DXGKARG_GETDPADDRESS, *PDXGKARG_GETDPADDRESS;

typedef NTSTATUS NTAPI DXGKDDI_GETDPADDRESS(HANDLE Context, PDXGKARG_GETDPADDRESS pArgs);

typedef DXGKDDI_GETDPADDRESS *PDXGKDDI_GETDPADDRESS;

typedef struct _DXGKARG_DPAUXIOTRANSMISSION {
    struct {
        UINT Write : 1;
        UINT CanUseCachedData : 1;
        UINT Reserved : 30;
    };
    UINT RootPortIndex;
    UINT DPCDAddress;
    BYTE NumBytesRequested;
    UINT DPNativeError;
    BYTE NumBytesDone;
    BYTE Data[16];
} DXGKARG_DPAUXIOTRANSMISSION, *PDXGKARG_DPAUXIOTRANSMISSION;

typedef NTSTATUS NTAPI DXGKDDI_DPAUXIOTRANSMISSION(
    HANDLE Context,
    PDXGKARG_DPAUXIOTRANSMISSION pArgs);

typedef DXGKDDI_DPAUXIOTRANSMISSION *PDXGKDDI_DPAUXIOTRANSMISSION;

typedef struct _DXGKARG_DPSBMTRANSMISSION {
    struct {
        UINT CanUseCachedData : 1;
        UINT Reserved : 31;
    };
    UINT RootPortIndex;
    UINT BufferSizeSupplied;
    UINT RequestLength;
    UINT MaxReplyLength;
    UINT DPNativeError;
    UINT ActualReplyLength;
    BYTE Data[1];
} DXGKARG_DPSBMTRANSMISSION, *PDXGKARG_DPSBMTRANSMISSION;

typedef NTSTATUS NTAPI DXGKDDI_DPSBMTRANSMISSION(HANDLE Context, PDXGKARG_DPSBMTRANSMISSION pArgs);

typedef DXGKDDI_DPSBMTRANSMISSION *PDXGKDDI_DPSBMTRANSMISSION;

typedef struct _DXGK_DP_INTERFACE {
    USHORT                       Size;
    USHORT                       Version;
    PVOID                        Context;
    PINTERFACE_REFERENCE         InterfaceReference;
    PINTERFACE_DEREFERENCE       InterfaceDereference;
    PDXGKDDI_QUERYDPCAPS         DxgkDdiQueryDPCaps;
    PDXGKDDI_GETDPADDRESS        DxgkDdiGetDPAddress;
    PDXGKDDI_DPAUXIOTRANSMISSION DxgkDdiDPAuxIoTransmission;
    PDXGKDDI_DPI2CIOTRANSMISSION DxgkDdiDPI2CIoTransmission;
    PDXGKDDI_DPSBMTRANSMISSION   DxgkDdiDPSBMTransmission;
} DXGK_DP_INTERFACE, *PDXGK_DP_INTERFACE;

typedef _IRQL_requires_(DISPATCH_LEVEL) void NTAPI DXGKDDI_DPC_ROUTINE(
    IN_CONST_PVOID MiniportDeviceContext);

typedef DXGKDDI_DPC_ROUTINE *PDXGKDDI_DPC_ROUTINE;

/* ----------------------------------------------------------------------------------------------
 * Virtual GPUs
 *
 * Partitioning of an adapter among virtual machines.
 */

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)

typedef enum _DXGK_VGPU_CAPABILITY_TYPE {
    DXGK_VGPU_CAPABILITY_MEMORY  = 0,
    DXGK_VGPU_CAPABILITY_ENCODE  = 1,
    DXGK_VGPU_CAPABILITY_DECODE  = 2,
    DXGK_VGPU_CAPABILITY_COMPUTE = 3,
    DXGK_VGPU_CAPABILITY_MAX     = 4,
} DXGK_VGPU_CAPABILITY_TYPE;

typedef struct _DXGKARG_GETGPUPARTITIONINFO {
    ULONG  NumGpuPartitionOptions;
    USHORT *pGpuPartitionOptions;
    USHORT CurrentGpuPartitionCount;
} DXGKARG_GETGPUPARTITIONINFO, *PDXGKARG_GETGPUPARTITIONINFO;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_GETGPUPARTITIONINFO(
    HANDLE Context,
    DXGKARG_GETGPUPARTITIONINFO *pArgs);

typedef DXGKDDI_GETGPUPARTITIONINFO *PDXGKDDI_GETGPUPARTITIONINFO;

typedef struct _DXGK_VGPU_PROFILE_CAPABILITY {
    UINT64 TotalValue;
    UINT64 AvailableValue;
    UINT64 MinPartitionValue;
    UINT64 MaxPartitionValue;
    UINT64 OptimalPartitionValue;
} DXGK_VGPU_PROFILE_CAPABILITY, *PDXGK_VGPU_PROFILE_CAPABILITY;

typedef struct _DXGKARG_GETVIRTUALGPUPROFILE {
    ULONG                        PartitionCount;
    ULONG                        VirtualizationFlags;
    DXGK_VGPU_PROFILE_CAPABILITY ProfileCapability[4];
} DXGKARG_GETVIRTUALGPUPROFILE, *PDXGKARG_GETVIRTUALGPUPROFILE;

typedef NTSTATUS NTAPI DXGKDDI_GETVIRTUALGPUPROFILE(
    HANDLE Context,
    DXGKARG_GETVIRTUALGPUPROFILE *pArgs);

typedef DXGKDDI_GETVIRTUALGPUPROFILE *PDXGKDDI_GETVIRTUALGPUPROFILE;

typedef struct _DXGK_GPUENGINE {
    DXGK_ENGINE_TYPE EngineType;
    WCHAR            Name[32];
    ULONG            NumPartitionUnits;
} DXGK_GPUENGINE, *PDXGK_GPUENGINE;

typedef struct _DXGKARG_GETGPUENGINES {
    ULONG          NumEngines;
    DXGK_GPUENGINE EngineInfo[1];
} DXGKARG_GETGPUENGINES, *PDXGKARG_GETGPUENGINES;

typedef NTSTATUS NTAPI DXGKDDI_GETGPUENGINES(HANDLE Context, DXGKARG_GETGPUENGINES *pArgs);

typedef DXGKDDI_GETGPUENGINES *PDXGKDDI_GETGPUENGINES;

typedef struct _DXGKARG_SETGPUPARTITIONCOUNT {
    ULONG PartitionCount;
} DXGKARG_SETGPUPARTITIONCOUNT, *PDXGKARG_SETGPUPARTITIONCOUNT;

typedef NTSTATUS NTAPI DXGKDDI_SETGPUPARTITIONCOUNT(
    HANDLE Context,
    DXGKARG_SETGPUPARTITIONCOUNT *pArgs);

typedef DXGKDDI_SETGPUPARTITIONCOUNT *PDXGKDDI_SETGPUPARTITIONCOUNT;

typedef struct _DXGK_VIRTUALGPUCAPABILITY {
    UINT64 MinValue;
    UINT64 MaxValue;
    UINT64 OptimalValue;
} DXGK_VIRTUALGPUCAPABILITY, *PDXGK_VIRTUALGPUCAPABILITY;

typedef struct _DXGK_VIRTUALGPUPROFILE {
    DXGK_VIRTUALGPUCAPABILITY Capability[4];
} DXGK_VIRTUALGPUPROFILE, *PDXGK_VIRTUALGPUPROFILE;

typedef struct _DXGK_VIRTUALGPUENGINEINFO {
    ULONG MinPartitionUnits;
    ULONG MaxPartitionUnits;
    ULONG EngineId;
} DXGK_VIRTUALGPUENGINEINFO, *PDXGK_VIRTUALGPUENGINEINFO;

typedef struct _DXGK_VIRTUALGPUSEGMENTINFO {
    ULONG  DriverSegmentId;
    UINT64 Size;
    UINT   Alignment;
    UINT64 MinSegmentOffset;
    UINT64 MaxSegmentOffset;
    UINT   PrivateDriverData;
} DXGK_VIRTUALGPUSEGMENTINFO, *PDXGK_VIRTUALGPUSEGMENTINFO;

typedef struct _DXGKARG_CREATEVIRTUALGPU {
    ULONG                      PartitionId;
    DXGK_VIRTUALGPUPROFILE     Profile;
    CLSID                      UserModeVirtualDeviceProvider;
    LUID                       VirtualGpuLuid;
    ULONG                      NumMemorySegments;
    DXGK_VIRTUALGPUSEGMENTINFO SegmentInfo[32];
    ULONG                      NumEngines;
    DXGK_VIRTUALGPUENGINEINFO  EngineInfo[64];
} DXGKARG_CREATEVIRTUALGPU, *PDXGKARG_CREATEVIRTUALGPU;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_CREATEVIRTUALGPU(
    HANDLE Context,
    DXGKARG_CREATEVIRTUALGPU *pArgs);

typedef DXGKDDI_CREATEVIRTUALGPU *PDXGKDDI_CREATEVIRTUALGPU;

typedef struct _DXGK_VGPU_CAPABILITY {
    UINT64 MinValue;
    UINT64 MaxValue;
    UINT64 CurrentValue;
} DXGK_VGPU_CAPABILITY, *PDXGK_VGPU_CAPABILITY;

typedef struct _DXGKARG_GETVIRTUALGPUINFO {
    ULONG                PartitionId;
    DXGK_VGPU_CAPABILITY Capability[4];
} DXGKARG_GETVIRTUALGPUINFO, *PDXGKARG_GETVIRTUALGPUINFO;

typedef NTSTATUS NTAPI DXGKDDI_GETVIRTUALGPUINFO(HANDLE Context, DXGKARG_GETVIRTUALGPUINFO *pArgs);

typedef DXGKDDI_GETVIRTUALGPUINFO *PDXGKDDI_GETVIRTUALGPUINFO;

typedef struct _DXGKARG_SETVIRTUALGPUVMBUS {
    ULONG  VirtualGpuIndex;
    HANDLE VmBusHandle;
} DXGKARG_SETVIRTUALGPUVMBUS, *PDXGKARG_SETVIRTUALGPUVMBUS;

typedef NTSTATUS NTAPI DXGKDDI_SETVIRTUALGPUVMBUS(
    HANDLE Context,
    DXGKARG_SETVIRTUALGPUVMBUS *pArgs);

typedef DXGKDDI_SETVIRTUALGPUVMBUS *PDXGKDDI_SETVIRTUALGPUVMBUS;

typedef struct _DXGK_GPU_PHYSICAL_ADDRESS {
    ULONG  MemorySegmentId;
    UINT64 MemorySegmentOffset;
} DXGK_GPU_PHYSICAL_ADDRESS, *PDXGK_GPU_PHYSICAL_ADDRESS;

typedef struct _DXGK_VIRTUALGPUMEMORYRESOURCE {
    HANDLE                    DriverAllocationHandle;
    DXGK_GPU_PHYSICAL_ADDRESS AllocationAddress;
    UINT64                    AllocationSize;
} DXGK_VIRTUALGPUMEMORYRESOURCE, *PDXGK_VIRTUALGPUMEMORYRESOURCE;

typedef struct _DXGKARG_SETVIRTUALGPURESOURCES {
    ULONG                         PartitionId;
    ULONG                         NumMemoryAllocations;
    DXGK_VIRTUALGPUMEMORYRESOURCE MemoryInfo[1];
} DXGKARG_SETVIRTUALGPURESOURCES, *PDXGKARG_SETVIRTUALGPURESOURCES;

typedef NTSTATUS NTAPI DXGKDDI_SETVIRTUALGPURESOURCES(
    HANDLE Context,
    DXGKARG_SETVIRTUALGPURESOURCES *pArgs);

typedef DXGKDDI_SETVIRTUALGPURESOURCES *PDXGKDDI_SETVIRTUALGPURESOURCES;

typedef struct _DXGKARG_DESTROYVIRTUALGPU {
    ULONG PartitionId;
} DXGKARG_DESTROYVIRTUALGPU, *PDXGKARG_DESTROYVIRTUALGPU;

typedef NTSTATUS NTAPI DXGKDDI_DESTROYVIRTUALGPU(HANDLE Context, DXGKARG_DESTROYVIRTUALGPU *pArgs);

typedef DXGKDDI_DESTROYVIRTUALGPU *PDXGKDDI_DESTROYVIRTUALGPU;

typedef struct _DXGKARG_SUSPENDVIRTUALGPU {
    ULONG PartitionId;
} DXGKARG_SUSPENDVIRTUALGPU, *PDXGKARG_SUSPENDVIRTUALGPU;

typedef NTSTATUS NTAPI DXGKDDI_SUSPENDVIRTUALGPU(HANDLE Context, DXGKARG_SUSPENDVIRTUALGPU *pArgs);

typedef DXGKDDI_SUSPENDVIRTUALGPU *PDXGKDDI_SUSPENDVIRTUALGPU;

typedef struct _DXGKARG_RESUMEVIRTUALGPU {
    ULONG PartitionId;
} DXGKARG_RESUMEVIRTUALGPU, *PDXGKARG_RESUMEVIRTUALGPU;

typedef NTSTATUS NTAPI DXGKDDI_RESUMEVIRTUALGPU(HANDLE Context, DXGKARG_RESUMEVIRTUALGPU *pArgs);

typedef DXGKDDI_RESUMEVIRTUALGPU *PDXGKDDI_RESUMEVIRTUALGPU;

typedef struct _DXGK_VIRTUALGPUDRIVERESCAPE {
    ULONG PartitionId;
    ULONG InputBufferSize;
    ULONG OutputBufferSize;
    PVOID pInputBuffer;
    PVOID pOutputBuffer;
} DXGK_VIRTUALGPUDRIVERESCAPE, *PDXGK_VIRTUALGPUDRIVERESCAPE;

typedef NTSTATUS NTAPI DXGKDDI_VIRTUALGPUDRIVERESCAPE(
    HANDLE Context,
    PDXGK_VIRTUALGPUDRIVERESCAPE pArgs);

typedef DXGKDDI_VIRTUALGPUDRIVERESCAPE *PDXGKDDI_VIRTUALGPUDRIVERESCAPE;

typedef struct _DXGKDDI_GPU_PARTITION_INTERFACE {
    USHORT                          Size;
    USHORT                          Version;
    PVOID                           Context;
    PINTERFACE_REFERENCE            InterfaceReference;
    PINTERFACE_DEREFERENCE          InterfaceDereference;
    PDXGKDDI_GETGPUPARTITIONINFO    DxgkDdiGetGpuPartitionInfo;
    PDXGKDDI_SETGPUPARTITIONCOUNT   DxgkDdiSetGpuPartitionCount;
    PDXGKDDI_GETGPUENGINES          DxgkDdiGetGpuEngines;
    PDXGKDDI_GETVIRTUALGPUPROFILE   DxgkDdiGetVirtualGpuProfile;
    PDXGKDDI_CREATEVIRTUALGPU       DxgkDdiCreateVirtualGpu;
    PDXGKDDI_GETVIRTUALGPUINFO      DxgkDdiGetVirtualGpuInfo;
    PDXGKDDI_SETVIRTUALGPURESOURCES DxgkDdiSetVirtualGpuResources;
    PDXGKDDI_DESTROYVIRTUALGPU      DxgkDdiDestroyVirtualGpu;
    PDXGKDDI_SUSPENDVIRTUALGPU      DxgkDdiSuspendVirtualGpu;
    PDXGKDDI_RESUMEVIRTUALGPU       DxgkDdiResumeVirtualGpu;
    PDXGKDDI_VIRTUALGPUDRIVERESCAPE DxgkDdiVirtualGpuDriverEscape;
    PDXGKDDI_SETVIRTUALGPUVMBUS     DxgkDdiSetVirtualGpuVmBus;
} DXGKDDI_GPU_PARTITION_INTERFACE, *PDXGKDDI_GPU_PARTITION_INTERFACE;

typedef struct _DXGKARG_READVIRTUALFUNCTIONCONFIG {
    PVOID Data;
    ULONG VirtualFunctionIndex;
    ULONG Offset;
    ULONG Length;
} DXGKARG_READVIRTUALFUNCTIONCONFIG, *PDXGKARG_READVIRTUALFUNCTIONCONFIG;

typedef NTSTATUS NTAPI DXGKDDI_READVIRTUALFUNCTIONCONFIG(
    HANDLE Context,
    DXGKARG_READVIRTUALFUNCTIONCONFIG *pArgs);

typedef DXGKDDI_READVIRTUALFUNCTIONCONFIG *PDXGKDDI_READVIRTUALFUNCTIONCONFIG;

typedef struct _DXGKARG_WRITEVIRTUALFUNCTIONCONFIG {
    PVOID Data;
    ULONG VirtualFunctionIndex;
    ULONG Offset;
    ULONG Length;
} DXGKARG_WRITEVIRTUALFUNCTIONCONFIG, *PDXGKARG_WRITEVIRTUALFUNCTIONCONFIG;

typedef NTSTATUS NTAPI DXGKDDI_WRITEVIRTUALFUNCTIONCONFIG(
    HANDLE Context,
    DXGKARG_WRITEVIRTUALFUNCTIONCONFIG *pArgs);

typedef DXGKDDI_WRITEVIRTUALFUNCTIONCONFIG *PDXGKDDI_WRITEVIRTUALFUNCTIONCONFIG;

typedef struct _DXGKARG_READVIRTUALFUNCTIONCONFIGBLOCK {
    PVOID Data;
    ULONG VirtualFunctionIndex;
    ULONG BlockId;
    ULONG Length;
} DXGKARG_READVIRTUALFUNCTIONCONFIGBLOCK, *PDXGKARG_READVIRTUALFUNCTIONCONFIGBLOCK;

typedef NTSTATUS NTAPI DXGKDDI_READVIRTUALFUNCTIONCONFIGBLOCK(
    HANDLE Context,
    DXGKARG_READVIRTUALFUNCTIONCONFIGBLOCK *pArgs);

typedef DXGKDDI_READVIRTUALFUNCTIONCONFIGBLOCK *PDXGKDDI_READVIRTUALFUNCTIONCONFIGBLOCK;

typedef struct _DXGKARG_WRITEVIRTUALFUNCTIONCONFIGBLOCK {
    PVOID Data;
    ULONG VirtualFunctionIndex;
    ULONG BlockId;
    ULONG Length;
} DXGKARG_WRITEVIRTUALFUNCTIONCONFIGBLOCK, *PDXGKARG_WRITEVIRTUALFUNCTIONCONFIGBLOCK;

typedef NTSTATUS NTAPI DXGKDDI_WRITEVIRTUALFUNCTIONCONFIGBLOCK(
    HANDLE Context,
    DXGKARG_WRITEVIRTUALFUNCTIONCONFIGBLOCK *pArgs);

typedef DXGKDDI_WRITEVIRTUALFUNCTIONCONFIGBLOCK *PDXGKDDI_WRITEVIRTUALFUNCTIONCONFIGBLOCK;

typedef struct _DXGKARG_QUERYPROBEDBARS {
    ULONG  VirtualFunctionIndex;
    PULONG BaseRegisterValues;
} DXGKARG_QUERYPROBEDBARS, *PDXGKARG_QUERYPROBEDBARS;

typedef void NTAPI DXGKDDI_QUERYPROBEDBARS(HANDLE Context, DXGKARG_QUERYPROBEDBARS *pArgs);

typedef DXGKDDI_QUERYPROBEDBARS *PDXGKDDI_QUERYPROBEDBARS;

typedef struct _DXGKARG_QUERYVIRTUALFUNCTIONLUID {
    ULONG VirtualFunctionIndex;
    PLUID pLuid;
} DXGKARG_QUERYVIRTUALFUNCTIONLUID, *PDXGKARG_QUERYVIRTUALFUNCTIONLUID;

typedef _IRQL_requires_(PASSIVE_LEVEL) void NTAPI DXGKDDI_QUERYVIRTUALFUNCTIONLUID(
    HANDLE Context,
    DXGKARG_QUERYVIRTUALFUNCTIONLUID *pArgs);

typedef DXGKDDI_QUERYVIRTUALFUNCTIONLUID *PDXGKDDI_QUERYVIRTUALFUNCTIONLUID;

typedef struct _DXGKARG_GETVENDORANDDEVICE {
    ULONG  VirtualFunctionIndex;
    USHORT VendorId;
    USHORT DeviceId;
} DXGKARG_GETVENDORANDDEVICE, *PDXGKARG_GETVENDORANDDEVICE;

typedef void NTAPI DXGKDDI_GETVENDORANDDEVICE(HANDLE Context, DXGKARG_GETVENDORANDDEVICE *pArgs);

typedef DXGKDDI_GETVENDORANDDEVICE *PDXGKDDI_GETVENDORANDDEVICE;

typedef struct _DXGKARG_GETDEVICELOCATION {
    ULONG VirtualFunctionIndex;
    ULONG SegmentNumber;
    ULONG BusNumber;
    ULONG FunctionNumber;
} DXGKARG_GETDEVICELOCATION, *PDXGKARG_GETDEVICELOCATION;

typedef _IRQL_requires_(PASSIVE_LEVEL) void NTAPI DXGKDDI_GETDEVICELOCATION(
    HANDLE Context,
    DXGKARG_GETDEVICELOCATION *pArgs);

typedef DXGKDDI_GETDEVICELOCATION *PDXGKDDI_GETDEVICELOCATION;

typedef struct _DXGKARG_RESETVIRTUALFUNCTION {
    ULONG VirtualFunctionIndex;
} DXGKARG_RESETVIRTUALFUNCTION, *PDXGKARG_RESETVIRTUALFUNCTION;

typedef NTSTATUS NTAPI DXGKDDI_RESETVIRTUALFUNCTION(
    HANDLE Context,
    DXGKARG_RESETVIRTUALFUNCTION *pArgs);

typedef DXGKDDI_RESETVIRTUALFUNCTION *PDXGKDDI_RESETVIRTUALFUNCTION;

typedef struct _DXGKARG_SETVIRTUALFUNCTIONPOWERSTATE {
    ULONG              VirtualFunctionIndex;
    DEVICE_POWER_STATE PowerState;
    BOOLEAN            Wake;
} DXGKARG_SETVIRTUALFUNCTIONPOWERSTATE, *PDXGKARG_SETVIRTUALFUNCTIONPOWERSTATE;

typedef NTSTATUS NTAPI DXGKDDI_SETVIRTUALFUNCTIONPOWERSTATE(
    HANDLE Context,
    DXGKARG_SETVIRTUALFUNCTIONPOWERSTATE *pArgs);

typedef DXGKDDI_SETVIRTUALFUNCTIONPOWERSTATE *PDXGKDDI_SETVIRTUALFUNCTIONPOWERSTATE;

typedef struct _DXGKARG_GETRESOURCEFORBAR {
    ULONG                           VirtualFunctionIndex;
    ULONG                           BarIndex;
    PCM_PARTIAL_RESOURCE_DESCRIPTOR pResource;
} DXGKARG_GETRESOURCEFORBAR, *PDXGKARG_GETRESOURCEFORBAR;

typedef NTSTATUS NTAPI DXGKDDI_GETRESOURCEFORBAR(HANDLE Context, DXGKARG_GETRESOURCEFORBAR *pArgs);

typedef DXGKDDI_GETRESOURCEFORBAR *PDXGKDDI_GETRESOURCEFORBAR;

typedef struct _DXGKDDI_SRIOV_INTERFACE {
    USHORT                                   Size;
    USHORT                                   Version;
    PVOID                                    Context;
    PINTERFACE_REFERENCE                     InterfaceReference;
    PINTERFACE_DEREFERENCE                   InterfaceDereference;
    PDXGKDDI_READVIRTUALFUNCTIONCONFIG       DxgkDdiReadVirtualFunctionConfig;
    PDXGKDDI_WRITEVIRTUALFUNCTIONCONFIG      DxgkDdiWriteVirtualFunctionConfig;
    PDXGKDDI_READVIRTUALFUNCTIONCONFIGBLOCK  DxgkDdiReadVirtualFunctionConfigBlock;
    PDXGKDDI_WRITEVIRTUALFUNCTIONCONFIGBLOCK DxgkDdiWriteVirtualFunctionConfigBlock;
    PDXGKDDI_QUERYPROBEDBARS                 DxgkDdiQueryProbedBars;
    PDXGKDDI_GETVENDORANDDEVICE              DxgkDdiGetVendorAndDevice;
    PDXGKDDI_GETDEVICELOCATION               DxgkDdiGetDeviceLocation;
    PDXGKDDI_RESETVIRTUALFUNCTION            DxgkDdiResetVirtualFunction;
    PDXGKDDI_SETVIRTUALFUNCTIONPOWERSTATE    DxgkDdiSetVirtualFunctionPowerState;
    PDXGKDDI_GETRESOURCEFORBAR               DxgkDdiGetResourceForBar;
    PDXGKDDI_QUERYVIRTUALFUNCTIONLUID        DxgkDdiQueryVirtualFunctionLuid;
} DXGKDDI_SRIOV_INTERFACE, *PDXGKDDI_SRIOV_INTERFACE;

typedef struct _DXGKARG_QUERYMITIGATEDRANGECOUNT {
    ULONG VirtualFunctionIndex;
    ULONG RangeCount[6];
} DXGKARG_QUERYMITIGATEDRANGECOUNT, *PDXGKARG_QUERYMITIGATEDRANGECOUNT;

typedef void NTAPI DXGKDDI_QUERYMITIGATEDRANGECOUNT(
    HANDLE Context,
    DXGKARG_QUERYMITIGATEDRANGECOUNT *pArgs);

typedef DXGKDDI_QUERYMITIGATEDRANGECOUNT *PDXGKDDI_QUERYMITIGATEDRANGECOUNT;

typedef struct _DXGK_MITIGATEDRANGEINFO {
    ULONG64 BasePageNumber;
    ULONG   PageCount;
    BOOLEAN InterceptReads;
    BOOLEAN InterceptWrites;
} DXGK_MITIGATEDRANGEINFO, *PDXGK_MITIGATEDRANGEINFO;

typedef struct _DXGKARG_QUERYMITIGATEDRANGES {
    ULONG                    VirtualFunctionIndex;
    ULONG                    BarIndex;
    ULONG                    NumRanges;
    PDXGK_MITIGATEDRANGEINFO pMitigatedRange;
} DXGKARG_QUERYMITIGATEDRANGES, *PDXGKARG_QUERYMITIGATEDRANGES;

typedef NTSTATUS NTAPI DXGKDDI_QUERYMITIGATEDRANGES(
    HANDLE Context,
    DXGKARG_QUERYMITIGATEDRANGES *pArgs);

typedef DXGKDDI_QUERYMITIGATEDRANGES *PDXGKDDI_QUERYMITIGATEDRANGES;

typedef struct _DXGKDDI_MITIGABLE_DEVICE_INTERFACE {
    USHORT                            Size;
    USHORT                            Version;
    PVOID                             Context;
    PINTERFACE_REFERENCE              InterfaceReference;
    PINTERFACE_DEREFERENCE            InterfaceDereference;
    PDXGKDDI_QUERYMITIGATEDRANGECOUNT DxgkDdiQueryMitigatedRangeCount;
    PDXGKDDI_QUERYMITIGATEDRANGES     DxgkDdiQueryMitigatedRanges;
} DXGKDDI_MITIGABLE_DEVICE_INTERFACE, *PDXGKDDI_MITIGABLE_DEVICE_INTERFACE;

typedef struct _DXGKARG_GETBACKINGRESOURCE {
    ULONG                           VirtualFunctionIndex;
    USHORT                          ResourceIndex;
    PCM_PARTIAL_RESOURCE_DESCRIPTOR Resource;
    PMDL                            pMdl;
} DXGKARG_GETBACKINGRESOURCE, *PDXGKARG_GETBACKINGRESOURCE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_GETBACKINGRESOURCE(
    HANDLE Context,
    DXGKARG_GETBACKINGRESOURCE *pArgs);

typedef DXGKDDI_GETBACKINGRESOURCE *PDXGKDDI_GETBACKINGRESOURCE;

typedef struct _DXGKARG_GETMMIORANGECOUNT {
    ULONG VirtualFunctionIndex;
    ULONG RangeCount[6];
} DXGKARG_GETMMIORANGECOUNT, *PDXGKARG_GETMMIORANGECOUNT;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_GETMMIORANGECOUNT(
    HANDLE Context,
    DXGKARG_GETMMIORANGECOUNT *pArgs);

typedef DXGKDDI_GETMMIORANGECOUNT *PDXGKDDI_GETMMIORANGECOUNT;

typedef struct _DXGK_MMIORANGEINFO {
    ULONG64 BasePageNumber;
    ULONG64 BasePhysicalPageNumber;
    UCHAR   BasePhysicalResourceNumber;
    BOOLEAN InterceptReads;
    BOOLEAN InterceptWrites;
    ULONG   PageCount;
} DXGK_MMIORANGEINFO, *PDXGK_MMIORANGEINFO;

typedef struct _DXGKARG_GETMMIORANGES {
    ULONG              VirtualFunctionIndex;
    ULONG              BarIndex;
    ULONG              NumRanges;
    DXGK_MMIORANGEINFO *pMmioRanges;
} DXGKARG_GETMMIORANGES, *PDXGKARG_GETMMIORANGES;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_GETMMIORANGES(
    HANDLE Context,
    PDXGKARG_GETMMIORANGES pArgs);

typedef DXGKDDI_GETMMIORANGES *PDXGKDDI_GETMMIORANGES;

typedef struct _DXGKDDI_FLEXIOV_DEVICE_INTERFACE {
    USHORT                      Size;
    USHORT                      Version;
    PVOID                       Context;
    PINTERFACE_REFERENCE        InterfaceReference;
    PINTERFACE_DEREFERENCE      InterfaceDereference;
    PDXGKDDI_GETBACKINGRESOURCE DxgkDdiGetBackingResource;
    PDXGKDDI_GETMMIORANGECOUNT  DxgkDdiGetMmioRangeCount;
    PDXGKDDI_GETMMIORANGES      DxgkDdiGetMmioRanges;
} DXGKDDI_FLEXIOV_DEVICE_INTERFACE, *PDXGKDDI_FLEXIOV_DEVICE_INTERFACE;

#endif

/* ----------------------------------------------------------------------------------------------
 * The tables
 *
 * What a driver registers, and what it is given.
 */

typedef _In_ PVIDEO_REQUEST_PACKET IN_PVIDEO_REQUEST_PACKET;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_DISPATCH_IO_REQUEST(
    IN_CONST_PVOID MiniportDeviceContext,
    IN_ULONG VidPnSourceId,
    IN_PVIDEO_REQUEST_PACKET VideoRequestPacket);

typedef DXGKDDI_DISPATCH_IO_REQUEST *PDXGKDDI_DISPATCH_IO_REQUEST;

typedef BOOLEAN NTAPI DXGKDDI_INTERRUPT_ROUTINE(
    IN_CONST_PVOID MiniportDeviceContext,
    IN_ULONG MessageNumber);

typedef DXGKDDI_INTERRUPT_ROUTINE *PDXGKDDI_INTERRUPT_ROUTINE;

typedef enum _DXGK_EVENT_TYPE {
    DxgkUndefinedEvent   = 0,
    DxgkAcpiEvent        = 1,
    DxgkPowerStateEvent  = 2,
    DxgkDockingEvent     = 3,
    DxgkChainedAcpiEvent = 4,
} DXGK_EVENT_TYPE, *PDXGK_EVENT_TYPE;

typedef _In_ DXGK_EVENT_TYPE IN_DXGK_EVENT_TYPE;

typedef _In_ PVOID IN_PVOID;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_NOTIFY_ACPI_EVENT(
    IN_CONST_PVOID MiniportDeviceContext,
    IN_DXGK_EVENT_TYPE EventType,
    IN_ULONG Event,
    IN_PVOID Argument,
    OUT_PULONG AcpiFlags);

typedef DXGKDDI_NOTIFY_ACPI_EVENT *PDXGKDDI_NOTIFY_ACPI_EVENT;

typedef void NTAPI DXGKDDI_RESET_DEVICE(IN_CONST_PVOID MiniportDeviceContext);

typedef DXGKDDI_RESET_DEVICE *PDXGKDDI_RESET_DEVICE;

typedef _In_ PQUERY_INTERFACE IN_PQUERY_INTERFACE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_QUERY_INTERFACE(
    IN_CONST_PVOID MiniportDeviceContext,
    IN_PQUERY_INTERFACE QueryInterface);

typedef DXGKDDI_QUERY_INTERFACE *PDXGKDDI_QUERY_INTERFACE;

typedef _In_ UCHAR IN_UCHAR;

typedef _IRQL_requires_(PASSIVE_LEVEL) void NTAPI DXGKDDI_CONTROL_ETW_LOGGING(
    IN_BOOLEAN Enable,
    IN_ULONG Flags,
    IN_UCHAR Level);

typedef DXGKDDI_CONTROL_ETW_LOGGING *PDXGKDDI_CONTROL_ETW_LOGGING;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef NTSTATUS NTAPI DXGKDDI_SETTARGETADJUSTEDCOLORIMETRY(
    IN_CONST_HANDLE hAdapter,
    D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId,
    DXGK_COLORIMETRY AdjustedColorimetry);

typedef DXGKDDI_SETTARGETADJUSTEDCOLORIMETRY *PDXGKDDI_SETTARGETADJUSTEDCOLORIMETRY;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)

typedef struct _DXGKARG_SETTARGETADJUSTEDCOLORIMETRY2 {
    D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId;
    DXGK_COLORIMETRY               AdjustedColorimetry;
    UINT                           SdrWhiteLevel;
} DXGKARG_SETTARGETADJUSTEDCOLORIMETRY2, *PDXGKARG_SETTARGETADJUSTEDCOLORIMETRY2;

typedef _In_ PDXGKARG_SETTARGETADJUSTEDCOLORIMETRY2 IN_PDXGKARG_SETTARGETADJUSTEDCOLORIMETRY2;

typedef NTSTATUS NTAPI DXGKDDI_SETTARGETADJUSTEDCOLORIMETRY2(
    IN_CONST_HANDLE hAdapter,
    IN_PDXGKARG_SETTARGETADJUSTEDCOLORIMETRY2 pArgSetTargetAdjustedColorimetry);

typedef DXGKDDI_SETTARGETADJUSTEDCOLORIMETRY2 *PDXGKDDI_SETTARGETADJUSTEDCOLORIMETRY2;

#endif

typedef struct _DRIVER_INITIALIZATION_DATA {
    ULONG                                        Version;
    PDXGKDDI_ADD_DEVICE                          DxgkDdiAddDevice;
    PDXGKDDI_START_DEVICE                        DxgkDdiStartDevice;
    PDXGKDDI_STOP_DEVICE                         DxgkDdiStopDevice;
    PDXGKDDI_REMOVE_DEVICE                       DxgkDdiRemoveDevice;
    PDXGKDDI_DISPATCH_IO_REQUEST                 DxgkDdiDispatchIoRequest;
    PDXGKDDI_INTERRUPT_ROUTINE                   DxgkDdiInterruptRoutine;
    PDXGKDDI_DPC_ROUTINE                         DxgkDdiDpcRoutine;
    PDXGKDDI_QUERY_CHILD_RELATIONS               DxgkDdiQueryChildRelations;
    PDXGKDDI_QUERY_CHILD_STATUS                  DxgkDdiQueryChildStatus;
    PDXGKDDI_QUERY_DEVICE_DESCRIPTOR             DxgkDdiQueryDeviceDescriptor;
    PDXGKDDI_SET_POWER_STATE                     DxgkDdiSetPowerState;
    PDXGKDDI_NOTIFY_ACPI_EVENT                   DxgkDdiNotifyAcpiEvent;
    PDXGKDDI_RESET_DEVICE                        DxgkDdiResetDevice;
    PDXGKDDI_UNLOAD                              DxgkDdiUnload;
    PDXGKDDI_QUERY_INTERFACE                     DxgkDdiQueryInterface;
    PDXGKDDI_CONTROL_ETW_LOGGING                 DxgkDdiControlEtwLogging;
    PDXGKDDI_QUERYADAPTERINFO                    DxgkDdiQueryAdapterInfo;
    PDXGKDDI_CREATEDEVICE                        DxgkDdiCreateDevice;
    PDXGKDDI_CREATEALLOCATION                    DxgkDdiCreateAllocation;
    PDXGKDDI_DESTROYALLOCATION                   DxgkDdiDestroyAllocation;
    PDXGKDDI_DESCRIBEALLOCATION                  DxgkDdiDescribeAllocation;
    PDXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA     DxgkDdiGetStandardAllocationDriverData;
    PDXGKDDI_ACQUIRESWIZZLINGRANGE               DxgkDdiAcquireSwizzlingRange;
    PDXGKDDI_RELEASESWIZZLINGRANGE               DxgkDdiReleaseSwizzlingRange;
    PDXGKDDI_PATCH                               DxgkDdiPatch;
    PDXGKDDI_SUBMITCOMMAND                       DxgkDdiSubmitCommand;
    PDXGKDDI_PREEMPTCOMMAND                      DxgkDdiPreemptCommand;
    PDXGKDDI_BUILDPAGINGBUFFER                   DxgkDdiBuildPagingBuffer;
    PDXGKDDI_SETPALETTE                          DxgkDdiSetPalette;
    PDXGKDDI_SETPOINTERPOSITION                  DxgkDdiSetPointerPosition;
    PDXGKDDI_SETPOINTERSHAPE                     DxgkDdiSetPointerShape;
    PDXGKDDI_RESETFROMTIMEOUT                    DxgkDdiResetFromTimeout;
    PDXGKDDI_RESTARTFROMTIMEOUT                  DxgkDdiRestartFromTimeout;
    PDXGKDDI_ESCAPE                              DxgkDdiEscape;
    PDXGKDDI_COLLECTDBGINFO                      DxgkDdiCollectDbgInfo;
    PDXGKDDI_QUERYCURRENTFENCE                   DxgkDdiQueryCurrentFence;
    PDXGKDDI_ISSUPPORTEDVIDPN                    DxgkDdiIsSupportedVidPn;
    PDXGKDDI_RECOMMENDFUNCTIONALVIDPN            DxgkDdiRecommendFunctionalVidPn;
    PDXGKDDI_ENUMVIDPNCOFUNCMODALITY             DxgkDdiEnumVidPnCofuncModality;
    PDXGKDDI_SETVIDPNSOURCEADDRESS               DxgkDdiSetVidPnSourceAddress;
    PDXGKDDI_SETVIDPNSOURCEVISIBILITY            DxgkDdiSetVidPnSourceVisibility;
    PDXGKDDI_COMMITVIDPN                         DxgkDdiCommitVidPn;
    PDXGKDDI_UPDATEACTIVEVIDPNPRESENTPATH        DxgkDdiUpdateActiveVidPnPresentPath;
    PDXGKDDI_RECOMMENDMONITORMODES               DxgkDdiRecommendMonitorModes;
    PDXGKDDI_RECOMMENDVIDPNTOPOLOGY              DxgkDdiRecommendVidPnTopology;
    PDXGKDDI_GETSCANLINE                         DxgkDdiGetScanLine;
    PDXGKDDI_STOPCAPTURE                         DxgkDdiStopCapture;
    PDXGKDDI_CONTROLINTERRUPT                    DxgkDdiControlInterrupt;
    PDXGKDDI_CREATEOVERLAY                       DxgkDdiCreateOverlay;
    PDXGKDDI_DESTROYDEVICE                       DxgkDdiDestroyDevice;
    PDXGKDDI_OPENALLOCATIONINFO                  DxgkDdiOpenAllocation;
    PDXGKDDI_CLOSEALLOCATION                     DxgkDdiCloseAllocation;
    PDXGKDDI_RENDER                              DxgkDdiRender;
    PDXGKDDI_PRESENT                             DxgkDdiPresent;
    PDXGKDDI_UPDATEOVERLAY                       DxgkDdiUpdateOverlay;
    PDXGKDDI_FLIPOVERLAY                         DxgkDdiFlipOverlay;
    PDXGKDDI_DESTROYOVERLAY                      DxgkDdiDestroyOverlay;
    PDXGKDDI_CREATECONTEXT                       DxgkDdiCreateContext;
    PDXGKDDI_DESTROYCONTEXT                      DxgkDdiDestroyContext;
    PDXGKDDI_LINK_DEVICE                         DxgkDdiLinkDevice;
    PDXGKDDI_SETDISPLAYPRIVATEDRIVERFORMAT       DxgkDdiSetDisplayPrivateDriverFormat;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN7)
    PVOID                                        DxgkDdiDescribePageTable;
    PVOID                                        DxgkDdiUpdatePageTable;
    PVOID                                        DxgkDdiUpdatePageDirectory;
    PVOID                                        DxgkDdiMovePageDirectory;
    PVOID                                        DxgkDdiSubmitRender;
    PVOID                                        DxgkDdiCreateAllocation2;
    PDXGKDDI_RENDER                              DxgkDdiRenderKm;
    void                                         *Reserved;
    PDXGKDDI_QUERYVIDPNHWCAPABILITY              DxgkDdiQueryVidPnHWCapability;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    PDXGKDDISETPOWERCOMPONENTFSTATE              DxgkDdiSetPowerComponentFState;
    PDXGKDDI_QUERYDEPENDENTENGINEGROUP           DxgkDdiQueryDependentEngineGroup;
    PDXGKDDI_QUERYENGINESTATUS                   DxgkDdiQueryEngineStatus;
    PDXGKDDI_RESETENGINE                         DxgkDdiResetEngine;
    PDXGKDDI_STOP_DEVICE_AND_RELEASE_POST_DISPLAY_OWNERSHIP DxgkDdiStopDeviceAndReleasePostDisplayOwnership;
    PDXGKDDI_SYSTEM_DISPLAY_ENABLE               DxgkDdiSystemDisplayEnable;
    PDXGKDDI_SYSTEM_DISPLAY_WRITE                DxgkDdiSystemDisplayWrite;
    PDXGKDDI_CANCELCOMMAND                       DxgkDdiCancelCommand;
    PDXGKDDI_GET_CHILD_CONTAINER_ID              DxgkDdiGetChildContainerId;
    PDXGKDDIPOWERRUNTIMECONTROLREQUEST           DxgkDdiPowerRuntimeControlRequest;
    PDXGKDDI_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay;
    PDXGKDDI_NOTIFY_SURPRISE_REMOVAL             DxgkDdiNotifySurpriseRemoval;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    PDXGKDDI_GETNODEMETADATA                     DxgkDdiGetNodeMetadata;
    PDXGKDDISETPOWERPSTATE                       DxgkDdiSetPowerPState;
    PDXGKDDI_CONTROLINTERRUPT2                   DxgkDdiControlInterrupt2;
    PDXGKDDI_CHECKMULTIPLANEOVERLAYSUPPORT       DxgkDdiCheckMultiPlaneOverlaySupport;
    PDXGKDDI_CALIBRATEGPUCLOCK                   DxgkDdiCalibrateGpuClock;
    PDXGKDDI_FORMATHISTORYBUFFER                 DxgkDdiFormatHistoryBuffer;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    PDXGKDDI_RENDERGDI                           DxgkDdiRenderGdi;
    PDXGKDDI_SUBMITCOMMANDVIRTUAL                DxgkDdiSubmitCommandVirtual;
    PDXGKDDI_SETROOTPAGETABLE                    DxgkDdiSetRootPageTable;
    PDXGKDDI_GETROOTPAGETABLESIZE                DxgkDdiGetRootPageTableSize;
    PDXGKDDI_MAPCPUHOSTAPERTURE                  DxgkDdiMapCpuHostAperture;
    PDXGKDDI_UNMAPCPUHOSTAPERTURE                DxgkDdiUnmapCpuHostAperture;
    PDXGKDDI_CHECKMULTIPLANEOVERLAYSUPPORT2      DxgkDdiCheckMultiPlaneOverlaySupport2;
    PDXGKDDI_CREATEPROCESS                       DxgkDdiCreateProcess;
    PDXGKDDI_DESTROYPROCESS                      DxgkDdiDestroyProcess;
    PDXGKDDI_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY2 DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay2;
    void                                         *Reserved1;
    void                                         *Reserved2;
    PDXGKDDI_POWERRUNTIMESETDEVICEHANDLE         DxgkDdiPowerRuntimeSetDeviceHandle;
    PDXGKDDI_SETSTABLEPOWERSTATE                 DxgkDdiSetStablePowerState;
    PDXGKDDI_SETVIDEOPROTECTEDREGION             DxgkDdiSetVideoProtectedRegion;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
    PDXGKDDI_CHECKMULTIPLANEOVERLAYSUPPORT3      DxgkDdiCheckMultiPlaneOverlaySupport3;
    PDXGKDDI_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3 DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3;
    PDXGKDDI_POSTMULTIPLANEOVERLAYPRESENT        DxgkDdiPostMultiPlaneOverlayPresent;
    PDXGKDDI_VALIDATEUPDATEALLOCATIONPROPERTY    DxgkDdiValidateUpdateAllocationProperty;
    PDXGKDDI_CONTROLMODEBEHAVIOR                 DxgkDdiControlModeBehavior;
    PDXGKDDI_UPDATEMONITORLINKINFO               DxgkDdiUpdateMonitorLinkInfo;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)
    PDXGKDDI_CREATEHWCONTEXT                     DxgkDdiCreateHwContext;
    PDXGKDDI_DESTROYHWCONTEXT                    DxgkDdiDestroyHwContext;
    PDXGKDDI_CREATEHWQUEUE                       DxgkDdiCreateHwQueue;
    PDXGKDDI_DESTROYHWQUEUE                      DxgkDdiDestroyHwQueue;
    PDXGKDDI_SUBMITCOMMANDTOHWQUEUE              DxgkDdiSubmitCommandToHwQueue;
    PDXGKDDI_SWITCHTOHWCONTEXTLIST               DxgkDdiSwitchToHwContextList;
    PDXGKDDI_RESETHWENGINE                       DxgkDdiResetHwEngine;
    PDXGKDDI_CREATEPERIODICFRAMENOTIFICATION     DxgkDdiCreatePeriodicFrameNotification;
    PDXGKDDI_DESTROYPERIODICFRAMENOTIFICATION    DxgkDdiDestroyPeriodicFrameNotification;
    PDXGKDDI_SETTIMINGSFROMVIDPN                 DxgkDdiSetTimingsFromVidPn;
    PDXGKDDI_SETTARGETGAMMA                      DxgkDdiSetTargetGamma;
    PDXGKDDI_SETTARGETCONTENTTYPE                DxgkDdiSetTargetContentType;
    PDXGKDDI_SETTARGETANALOGCOPYPROTECTION       DxgkDdiSetTargetAnalogCopyProtection;
    PDXGKDDI_SETTARGETADJUSTEDCOLORIMETRY        DxgkDdiSetTargetAdjustedColorimetry;
    PDXGKDDI_DISPLAYDETECTCONTROL                DxgkDdiDisplayDetectControl;
    PDXGKDDI_QUERYCONNECTIONCHANGE               DxgkDdiQueryConnectionChange;
    PDXGKDDI_EXCHANGEPRESTARTINFO                DxgkDdiExchangePreStartInfo;
    PDXGKDDI_GETMULTIPLANEOVERLAYCAPS            DxgkDdiGetMultiPlaneOverlayCaps;
    PDXGKDDI_GETPOSTCOMPOSITIONCAPS              DxgkDdiGetPostCompositionCaps;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)
    PDXGKDDI_UPDATEHWCONTEXTSTATE                DxgkDdiUpdateHwContextState;
    PDXGKDDI_CREATEPROTECTEDSESSION              DxgkDdiCreateProtectedSession;
    PDXGKDDI_DESTROYPROTECTEDSESSION             DxgkDdiDestroyProtectedSession;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)
    PDXGKDDI_SETSCHEDULINGLOGBUFFER              DxgkDdiSetSchedulingLogBuffer;
    PDXGKDDI_SETUPPRIORITYBANDS                  DxgkDdiSetupPriorityBands;
    PDXGKDDI_NOTIFYFOCUSPRESENT                  DxgkDdiNotifyFocusPresent;
    PDXGKDDI_SETCONTEXTSCHEDULINGPROPERTIES      DxgkDdiSetContextSchedulingProperties;
    PDXGKDDI_SUSPENDCONTEXT                      DxgkDdiSuspendContext;
    PDXGKDDI_RESUMECONTEXT                       DxgkDdiResumeContext;
    PDXGKDDI_SETVIRTUALMACHINEDATA               DxgkDdiSetVirtualMachineData;
    PDXGKDDI_BEGINEXCLUSIVEACCESS                DxgkDdiBeginExclusiveAccess;
    PDXGKDDI_ENDEXCLUSIVEACCESS                  DxgkDdiEndExclusiveAccess;
    PDXGKDDI_QUERYDIAGNOSTICTYPESSUPPORT         DxgkDdiQueryDiagnosticTypesSupport;
    PDXGKDDI_CONTROLDIAGNOSTICREPORTING          DxgkDdiControlDiagnosticReporting;
    PDXGKDDI_RESUMEHWENGINE                      DxgkDdiResumeHwEngine;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)
    PDXGKDDI_SIGNALMONITOREDFENCE                DxgkDdiSignalMonitoredFence;
    PDXGKDDI_PRESENTTOHWQUEUE                    DxgkDdiPresentToHwQueue;
    PDXGKDDI_VALIDATESUBMITCOMMAND               DxgkDdiValidateSubmitCommand;
    PDXGKDDI_SETTARGETADJUSTEDCOLORIMETRY2       DxgkDdiSetTargetAdjustedColorimetry2;
    PDXGKDDI_SETTRACKEDWORKLOADPOWERLEVEL        DxgkDdiSetTrackedWorkloadPowerLevel;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)
    PDXGKDDI_SAVEMEMORYFORHOTUPDATE              DxgkDdiSaveMemoryForHotUpdate;
    PDXGKDDI_RESTOREMEMORYFORHOTUPDATE           DxgkDdiRestoreMemoryForHotUpdate;
    PDXGKDDI_COLLECTDIAGNOSTICINFO               DxgkDdiCollectDiagnosticInfo;
    void                                         *Reserved3;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7)
    PDXGKDDI_CONTROLINTERRUPT3                   DxgkDdiControlInterrupt3;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
    PDXGKDDI_SETFLIPQUEUELOGBUFFER               DxgkDdiSetFlipQueueLogBuffer;
    PDXGKDDI_UPDATEFLIPQUEUELOG                  DxgkDdiUpdateFlipQueueLog;
    PDXGKDDI_CANCELQUEUEDFLIPS                   DxgkDdiCancelQueuedFlips;
    PDXGKDDI_SETINTERRUPTTARGETPRESENTID         DxgkDdiSetInterruptTargetPresentId;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)
    PDXGKDDI_SETALLOCATIONBACKINGSTORE           DxgkDdiSetAllocationBackingStore;
    PDXGKDDI_CREATECPUEVENT                      DxgkDdiCreateCpuEvent;
    PDXGKDDI_DESTROYCPUEVENT                     DxgkDdiDestroyCpuEvent;
    PDXGKDDI_CANCELFLIPS                         DxgkDdiCancelFlips;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)
    PDXGKDDI_CREATENATIVEFENCE                   DxgkDdiCreateNativeFence;
    PDXGKDDI_DESTROYNATIVEFENCE                  DxgkDdiDestroyNativeFence;
    PDXGKDDI_UPDATEMONITOREDVALUES               DxgkDdiUpdateMonitoredValues;
    PDXGKDDI_UPDATECURRENTVALUESFROMCPU          DxgkDdiUpdateCurrentValuesFromCpu;
    PDXGKDDI_CREATEDOORBELL                      DxgkDdiCreateDoorbell;
    PDXGKDDI_CONNECTDOORBELL                     DxgkDdiConnectDoorbell;
    PDXGKDDI_DISCONNECTDOORBELL                  DxgkDdiDisconnectDoorbell;
    PDXGKDDI_DESTROYDOORBELL                     DxgkDdiDestroyDoorbell;
    PDXGKDDI_NOTIFYWORKSUBMISSION                DxgkDdiNotifyWorkSubmission;
    void                                         *Reserved4;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
    PDXGKDDI_CREATEMEMORYBASIS                   DxgkDdiCreateMemoryBasis;
    PDXGKDDI_DESTROYMEMORYBASIS                  DxgkDdiDestroyMemoryBasis;
    PDXGKDDI_STARTDIRTYTRACKING                  DxgkDdiStartDirtyTracking;
    PDXGKDDI_STOPDIRTYTRACKING                   DxgkDdiStopDirtyTracking;
    PDXGKDDI_QUERYDIRTYBITDATA                   DxgkDdiQueryDirtyBitData;
    PDXGKDDI_PREPARELIVEMIGRATION                DxgkDdiPrepareLiveMigration;
    PDXGKDDI_SAVEIMMUTABLEMIGRATIONDATA          DxgkDdiSaveImmutableMigrationData;
    PDXGKDDI_SAVEMUTABLEMIGRATIONDATA            DxgkDdiSaveMutableMigrationData;
    PDXGKDDI_ENDLIVEMIGRATION                    DxgkDdiEndLiveMigration;
    PDXGKDDI_RESTOREIMMUTABLEMIGRATIONDATA       DxgkDdiRestoreImmutableMigrationData;
    PDXGKDDI_RESTOREMUTABLEMIGRATIONDATA         DxgkDdiRestoreMutableMigrationData;
    PDXGKDDI_WRITEVIRTUALIZEDINTERRUPT           DxgkDdiWriteVirtualizedInterrupt;
    PDXGKDDI_SETVIRTUALGPURESOURCES2             DxgkDdiSetVirtualGpuResources2;
    PDXGKDDI_SETVIRTUALFUNCTIONPAUSESTATE        DxgkDdiSetVirtualFunctionPauseState;
    PDXGKDDI_OPENNATIVEFENCE                     DxgkDdiOpenNativeFence;
    PDXGKDDI_CLOSENATIVEFENCE                    DxgkDdiCloseNativeFence;
    PDXGKDDI_SETNATIVEFENCELOGBUFFER             DxgkDdiSetNativeFenceLogBuffer;
    PDXGKDDI_UPDATENATIVEFENCELOGS               DxgkDdiUpdateNativeFenceLogs;
    PDXGKDDI_COLLECTDBGINFO2                     DxgkDdiCollectDbgInfo2;
    PDXGKDDI_NOTIFYCONTEXTPRIORITYCHANGE         DxgkDdiNotifyContextPriorityChange;
    PDXGKDDI_RESETDISPLAYENGINE                  DxgkDdiResetDisplayEngine;
#endif
} DRIVER_INITIALIZATION_DATA, *PDRIVER_INITIALIZATION_DATA;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _KMDDOD_INITIALIZATION_DATA {
    ULONG                                        Version;
    PDXGKDDI_ADD_DEVICE                          DxgkDdiAddDevice;
    PDXGKDDI_START_DEVICE                        DxgkDdiStartDevice;
    PDXGKDDI_STOP_DEVICE                         DxgkDdiStopDevice;
    PDXGKDDI_REMOVE_DEVICE                       DxgkDdiRemoveDevice;
    PDXGKDDI_DISPATCH_IO_REQUEST                 DxgkDdiDispatchIoRequest;
    PDXGKDDI_INTERRUPT_ROUTINE                   DxgkDdiInterruptRoutine;
    PDXGKDDI_DPC_ROUTINE                         DxgkDdiDpcRoutine;
    PDXGKDDI_QUERY_CHILD_RELATIONS               DxgkDdiQueryChildRelations;
    PDXGKDDI_QUERY_CHILD_STATUS                  DxgkDdiQueryChildStatus;
    PDXGKDDI_QUERY_DEVICE_DESCRIPTOR             DxgkDdiQueryDeviceDescriptor;
    PDXGKDDI_SET_POWER_STATE                     DxgkDdiSetPowerState;
    PDXGKDDI_NOTIFY_ACPI_EVENT                   DxgkDdiNotifyAcpiEvent;
    PDXGKDDI_RESET_DEVICE                        DxgkDdiResetDevice;
    PDXGKDDI_UNLOAD                              DxgkDdiUnload;
    PDXGKDDI_QUERY_INTERFACE                     DxgkDdiQueryInterface;
    PDXGKDDI_CONTROL_ETW_LOGGING                 DxgkDdiControlEtwLogging;
    PDXGKDDI_QUERYADAPTERINFO                    DxgkDdiQueryAdapterInfo;
    PDXGKDDI_SETPALETTE                          DxgkDdiSetPalette;
    PDXGKDDI_SETPOINTERPOSITION                  DxgkDdiSetPointerPosition;
    PDXGKDDI_SETPOINTERSHAPE                     DxgkDdiSetPointerShape;
    PDXGKDDI_ESCAPE                              DxgkDdiEscape;
    PDXGKDDI_COLLECTDBGINFO                      DxgkDdiCollectDbgInfo;
    PDXGKDDI_ISSUPPORTEDVIDPN                    DxgkDdiIsSupportedVidPn;
    PDXGKDDI_RECOMMENDFUNCTIONALVIDPN            DxgkDdiRecommendFunctionalVidPn;
    PDXGKDDI_ENUMVIDPNCOFUNCMODALITY             DxgkDdiEnumVidPnCofuncModality;
    PDXGKDDI_SETVIDPNSOURCEVISIBILITY            DxgkDdiSetVidPnSourceVisibility;
    PDXGKDDI_COMMITVIDPN                         DxgkDdiCommitVidPn;
    PDXGKDDI_UPDATEACTIVEVIDPNPRESENTPATH        DxgkDdiUpdateActiveVidPnPresentPath;
    PDXGKDDI_RECOMMENDMONITORMODES               DxgkDdiRecommendMonitorModes;
    PDXGKDDI_GETSCANLINE                         DxgkDdiGetScanLine;
    PDXGKDDI_QUERYVIDPNHWCAPABILITY              DxgkDdiQueryVidPnHWCapability;
    PDXGKDDI_PRESENTDISPLAYONLY                  DxgkDdiPresentDisplayOnly;
    PDXGKDDI_STOP_DEVICE_AND_RELEASE_POST_DISPLAY_OWNERSHIP DxgkDdiStopDeviceAndReleasePostDisplayOwnership;
    PDXGKDDI_SYSTEM_DISPLAY_ENABLE               DxgkDdiSystemDisplayEnable;
    PDXGKDDI_SYSTEM_DISPLAY_WRITE                DxgkDdiSystemDisplayWrite;
    PDXGKDDI_GET_CHILD_CONTAINER_ID              DxgkDdiGetChildContainerId;
    PDXGKDDI_CONTROLINTERRUPT                    DxgkDdiControlInterrupt;
    PDXGKDDISETPOWERCOMPONENTFSTATE              DxgkDdiSetPowerComponentFState;
    PDXGKDDIPOWERRUNTIMECONTROLREQUEST           DxgkDdiPowerRuntimeControlRequest;
    PDXGKDDI_NOTIFY_SURPRISE_REMOVAL             DxgkDdiNotifySurpriseRemoval;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    PDXGKDDI_POWERRUNTIMESETDEVICEHANDLE         DxgkDdiPowerRuntimeSetDeviceHandle;
#endif
} KMDDOD_INITIALIZATION_DATA, *PKMDDOD_INITIALIZATION_DATA;

#endif

/* ----------------------------------------------------------------------------------------------
 * Everything else
 */

typedef enum _EMULATOR_PORT_ACCESS_TYPE {
    Uchar  = 0,
    Ushort = 1,
    Ulong  = 2,
} EMULATOR_PORT_ACCESS_TYPE, *PEMULATOR_PORT_ACCESS_TYPE;

typedef enum _DEBUG_LEVEL {
    DlDebugError   = 0,
    DlDebugWarning = 1,
    DlDebugTrace   = 2,
    DlDebugInfo    = 3,
} DEBUG_LEVEL;

typedef struct _EMULATOR_ACCESS_ENTRY {
    ULONG                     BasePort;
    ULONG                     NumConsecutivePorts;
    EMULATOR_PORT_ACCESS_TYPE AccessType;
    UCHAR                     AccessMode;
    UCHAR                     StringSupport;
    PVOID                     Routine;
} EMULATOR_ACCESS_ENTRY, *PEMULATOR_ACCESS_ENTRY;

typedef void (NTAPI *PBANKED_SECTION_ROUTINE)(ULONG ReadBank, ULONG WriteBank, PVOID Context);

/* ----------------------------------------------------------------------------------------------
 * Functions
 *
 * DxgkInitialize and its kin, and the Dl functions of the display library.
 */

_Check_return_ NTSTATUS NTAPI DxgkInitialize(
    PDRIVER_OBJECT DriverObject,
    PUNICODE_STRING RegistryPath,
    PDRIVER_INITIALIZATION_DATA DriverInitializationData);
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
_Check_return_ NTSTATUS NTAPI DxgkInitializeDisplayOnlyDriver(
    PDRIVER_OBJECT DriverObject,
    PUNICODE_STRING RegistryPath,
    PKMDDOD_INITIALIZATION_DATA KmdDodInitializationData);
#endif
_Check_return_ NTSTATUS NTAPI DxgkUnInitialize(PDRIVER_OBJECT DriverObject);
PVOID NTAPI DlAllocateCommonBuffer(
    PVOID DeviceHandle,
    PVP_DMA_ADAPTER DlpDmaAdapter,
    ULONG DesiredLength,
    PPHYSICAL_ADDRESS LogicalAddress,
    BOOLEAN CacheEnabled,
    PVOID Reserved);
PVOID NTAPI DlAllocatePool(
    PVOID DeviceHandle,
    VP_POOL_TYPE PoolType,
    SIZE_T NumberOfBytes,
    ULONG Tag);
void NTAPI DlClearEvent(PVOID DeviceHandle, PEVENT pEvent);
VP_STATUS NTAPI DlCreateEvent(PVOID DeviceHandle, ULONG EventFlag, PVOID Unused, PEVENT *ppEvent);
void NTAPI DlDebugPrint(DEBUG_LEVEL DebugPrintLevel, PSTR DebugMessage, ...);
VP_STATUS NTAPI DlDeleteEvent(PVOID DeviceHandle, PEVENT pEvent);
VP_STATUS NTAPI DlEnumerateChildren(PVOID DeviceHandle, PVOID Reserved);
void NTAPI DlFreeDeviceBase(PVOID DeviceHandle, PVOID MappedAddress);
void NTAPI DlFreePool(PVOID DeviceHandle, PVOID Ptr);
_Check_return_ NTSTATUS NTAPI DlGetAccessRanges(
    PVOID DeviceHandle,
    ULONG NumRequestedResources,
    PIO_RESOURCE_DESCRIPTOR RequestedResources,
    ULONG NumAccessRanges,
    PVIDEO_ACCESS_RANGE AccessRanges,
    PVOID VendorId,
    PVOID DeviceId,
    PULONG Slot);
PVOID NTAPI DlGetAssociatedDeviceExtension(PVOID DeviceObject);
PVOID NTAPI DlGetDeviceBase(
    PVOID DeviceHandle,
    PHYSICAL_ADDRESS IoAddress,
    ULONG NumberOfUchars,
    UCHAR InIoSpace);
PVP_DMA_ADAPTER NTAPI DlGetDmaAdapter(
    PVOID DeviceHandle,
    PVP_DEVICE_DESCRIPTION DlpDeviceDescription);
VP_STATUS NTAPI DlGetRegistryParameters(
    PVOID DeviceHandle,
    PWSTR ParameterName,
    UCHAR IsParameterFileName,
    PMINIPORT_GET_REGISTRY_ROUTINE CallbackRoutine,
    PVOID Context);
PVOID NTAPI DlGetRomImage(PVOID DeviceHandle, PVOID Unused1, ULONG Unused2, ULONG Length);
VP_STATUS NTAPI DlGetVersion(PVOID DeviceHandle, PVPOSVERSIONINFO pDlpOsVersionInfo);
PVOID NTAPI DlLockBuffer(
    PVOID DeviceHandle,
    PVOID BaseAddress,
    ULONG Length,
    VP_LOCK_OPERATION Operation);
void NTAPI DlLogError(
    PVOID DeviceHandle,
    PVIDEO_REQUEST_PACKET Vrp,
    VP_STATUS ErrorCode,
    ULONG UniqueId);
VP_STATUS NTAPI DlMapMemory(
    PVOID DeviceHandle,
    PHYSICAL_ADDRESS TranslatedAddress,
    PULONG Length,
    PULONG InIoSpace,
    PVOID *VirtualAddress);
LONGLONG NTAPI DlQueryPerformanceCounter(PVOID pDeviceHandle, PLONGLONG pllPerformanceFrequency);
void NTAPI DlReleaseCommonBuffer(
    PVOID DeviceHandle,
    PVP_DMA_ADAPTER DlpDmaAdapter,
    ULONG Length,
    PHYSICAL_ADDRESS LogicalAddress,
    PVOID VirtualAddress,
    BOOLEAN CacheEnabled);
BOOLEAN NTAPI DlScanRom(PVOID DeviceHandle, PUCHAR RomBase, ULONG RomLength, PUCHAR String);
LONG NTAPI DlSetEvent(PVOID DeviceHandle, PEVENT pEvent);
VP_STATUS NTAPI DlSetRegistryParameters(
    PVOID DeviceHandle,
    PWSTR ValueName,
    PVOID ValueData,
    ULONG ValueLength);
VP_STATUS NTAPI DlSetTrappedEmulatorPorts(
    PVOID DeviceHandle,
    ULONG NumAccessRanges,
    PVIDEO_ACCESS_RANGE AccessRange);
void NTAPI DlStopTimer(PVOID DeviceHandle);
void NTAPI DlUnlockBuffer(PVOID DeviceHandle, PVOID Mdl);
VP_STATUS NTAPI DlVerifyAccessRanges(
    PVOID DeviceHandle,
    ULONG NumAccessRanges,
    PVIDEO_ACCESS_RANGE AccessRanges);
VP_STATUS NTAPI DlWaitForSingleObject(PVOID DeviceHandle, PVOID pEvent, PLARGE_INTEGER Timeout);
VP_STATUS NTAPI DlDisableInterrupt(PVOID DeviceHandle);
VP_STATUS NTAPI DlEnableInterrupt(PVOID DeviceHandle);
_Check_return_ NTSTATUS NTAPI DlEvalAcpiMethod(
    HANDLE DeviceHandle,
    ULONG DeviceUid,
    PACPI_EVAL_INPUT_BUFFER_COMPLEX AcpiInputBuffer,
    ULONG AcpiInputSize,
    PACPI_EVAL_OUTPUT_BUFFER AcpiOutputBuffer,
    ULONG AcpiOutputSize);
_Check_return_ NTSTATUS NTAPI DlGetDeviceInformation(
    PVOID DeviceHandle,
    PDXGK_DEVICE_INFO DeviceInfo);
_Check_return_ NTSTATUS NTAPI DlIndicateChildStatus(
    PVOID DeviceHandle,
    PDXGK_CHILD_STATUS ChildStatus);
_Check_return_ NTSTATUS NTAPI DlMapMemoryEx(
    PVOID DeviceHandle,
    PHYSICAL_ADDRESS TranslatedAddress,
    PULONG Length,
    PULONG InIoSpace,
    HANDLE ProcessHandle,
    PVOID *VirtualAddress,
    BOOLEAN MapToUserMode);
_Check_return_ NTSTATUS NTAPI DlQueryServices(
    PVOID DeviceHandle,
    VIDEO_PORT_SERVICES ServicesType,
    PINTERFACE Interface);
BOOLEAN NTAPI DlQueueDpc(PVOID DeviceHandle);
ULONG NTAPI DlReadDeviceSpace(
    PVOID DeviceHandle,
    ULONG DataType,
    ULONG SlotNumber,
    PVOID Buffer,
    ULONG Offset,
    ULONG Length);
ULONG NTAPI DlSetBusData(
    PVOID DeviceHandle,
    ULONG BusDataType,
    ULONG SlotNumber,
    PVOID Buffer,
    ULONG Offset,
    ULONG Length);
BOOLEAN NTAPI DlSynchronizeExecution(
    PVOID DeviceHandle,
    VIDEO_SYNCHRONIZE_PRIORITY Priority,
    PMINIPORT_SYNCHRONIZE_ROUTINE SynchronizeRoutine,
    PVOID Context,
    ULONG MessageNumber);
_Check_return_ NTSTATUS NTAPI DlUnmapMemory(
    PVOID DeviceHandle,
    PVOID VirtualAddress,
    HANDLE ProcessHandle);

#ifdef __cplusplus
}
#endif

#endif /* _DISPMPRT_H_ */

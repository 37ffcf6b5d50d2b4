/* wdm/resource.h: what a device is given (memory, ports, interrupts), and PCI configuration space.
 */

#ifndef _WDM_RESOURCE_H_
#define _WDM_RESOURCE_H_

#include <wdm/io_types.h>

typedef enum _INTERFACE_TYPE {
    InterfaceTypeUndefined = -1,
    Internal,
    Isa,
    Eisa,
    MicroChannel,
    TurboChannel,
    PCIBus,
    VMEBus,
    NuBus,
    PCMCIABus,
    CBus,
    MPIBus,
    MPSABus,
    ProcessorInternal,
    InternalPowerBus,
    PNPISABus,
    PNPBus,
    Vmcs,
    ACPIBus,
    MaximumInterfaceType
} INTERFACE_TYPE,
    *PINTERFACE_TYPE;

typedef enum _BUS_DATA_TYPE {
    ConfigurationSpaceUndefined = -1,
    Cmos,
    EisaConfiguration,
    Pos,
    CbusConfiguration,
    PCIConfiguration,
    VMEConfiguration,
    NuBusConfiguration,
    PCMCIAConfiguration,
    MPIConfiguration,
    MPSAConfiguration,
    PNPISAConfiguration,
    SgiInternalConfiguration,
    MaximumBusDataType
} BUS_DATA_TYPE,
    *PBUS_DATA_TYPE;

typedef enum _CM_SHARE_DISPOSITION {
    CmResourceShareUndetermined = 0,
    CmResourceShareDeviceExclusive,
    CmResourceShareDriverExclusive,
    CmResourceShareShared
} CM_SHARE_DISPOSITION;

typedef int CM_RESOURCE_TYPE;
#define CmResourceTypeNull           0
#define CmResourceTypePort           1
#define CmResourceTypeInterrupt      2
#define CmResourceTypeMemory         3
#define CmResourceTypeDma            4
#define CmResourceTypeDeviceSpecific 5
#define CmResourceTypeBusNumber      6
#define CmResourceTypeMemoryLarge    7
#define CmResourceTypeMaximum        8
#define CmResourceTypeNonArbitrated  128
#define CmResourceTypeConfigData     128
#define CmResourceTypeConnection     132
#define CmResourceTypeDevicePrivate  129

#define CM_RESOURCE_INTERRUPT_LEVEL_SENSITIVE        0
#define CM_RESOURCE_INTERRUPT_LATCHED                1
#define CM_RESOURCE_INTERRUPT_MESSAGE                2
#define CM_RESOURCE_INTERRUPT_MESSAGE_TOKEN          ((ULONG) - 2)
#define CM_RESOURCE_MEMORY_READ_WRITE                0x0000
#define CM_RESOURCE_MEMORY_READ_ONLY                 0x0001
#define CM_RESOURCE_MEMORY_WRITE_ONLY                0x0002
#define CM_RESOURCE_MEMORY_PREFETCHABLE              0x0004
#define CM_RESOURCE_MEMORY_COMBINEDWRITE             0x0008
#define CM_RESOURCE_MEMORY_BAR                       0x0080
#define CM_RESOURCE_MEMORY_LARGE                     0x0E00
#define CM_RESOURCE_MEMORY_LARGE_40                  0x0200
#define CM_RESOURCE_MEMORY_LARGE_48                  0x0400
#define CM_RESOURCE_MEMORY_LARGE_64                  0x0800
#define CM_RESOURCE_CONNECTION_CLASS_GPIO            0x01
#define CM_RESOURCE_CONNECTION_CLASS_SERIAL          0x02
#define CM_RESOURCE_CONNECTION_CLASS_FUNCTION_CONFIG 0x03
#define CM_RESOURCE_CONNECTION_TYPE_SERIAL_I2C       0x01
#define CM_RESOURCE_CONNECTION_TYPE_SERIAL_SPI       0x02
#define CM_RESOURCE_CONNECTION_TYPE_SERIAL_UART      0x03
#define CM_RESOURCE_PORT_MEMORY                      0x0000
#define CM_RESOURCE_PORT_IO                          0x0001
#define CM_RESOURCE_PORT_BAR                         0x0100

#pragma pack(push, 4)
typedef struct _CM_PARTIAL_RESOURCE_DESCRIPTOR {
    UCHAR Type;
    UCHAR ShareDisposition;
    USHORT Flags;
    union {
        struct {
            PHYSICAL_ADDRESS Start;
            ULONG Length;
        } Generic;
        struct {
            PHYSICAL_ADDRESS Start;
            ULONG Length;
        } Port;
        struct {
            USHORT Level;
            USHORT Group;
            ULONG Vector;
            KAFFINITY Affinity;
        } Interrupt;
        struct {
            union {
                struct {
                    USHORT Group;
                    USHORT MessageCount;
                    ULONG Vector;
                    KAFFINITY Affinity;
                } Raw;
                struct {
                    USHORT Level;
                    USHORT Group;
                    ULONG Vector;
                    KAFFINITY Affinity;
                } Translated;
            };
        } MessageInterrupt;
        struct {
            PHYSICAL_ADDRESS Start;
            ULONG Length;
        } Memory;
        struct {
            ULONG Channel;
            ULONG Port;
            ULONG Reserved1;
        } Dma;
        struct {
            ULONG Data[3];
        } DevicePrivate;
        struct {
            ULONG Start;
            ULONG Length;
            ULONG Reserved;
        } BusNumber;
        struct {
            ULONG DataSize;
            ULONG Reserved1;
            ULONG Reserved2;
        } DeviceSpecificData;
        struct {
            PHYSICAL_ADDRESS Start;
            ULONG Length40;
        } Memory40;
        struct {
            PHYSICAL_ADDRESS Start;
            ULONG Length48;
        } Memory48;
        struct {
            PHYSICAL_ADDRESS Start;
            ULONG Length64;
        } Memory64;
        struct {
            UCHAR Class;
            UCHAR Type;
            UCHAR Reserved1;
            UCHAR Reserved2;
            ULONG IdLowPart;
            ULONG IdHighPart;
        } Connection;
    } u;
} CM_PARTIAL_RESOURCE_DESCRIPTOR, *PCM_PARTIAL_RESOURCE_DESCRIPTOR;
#pragma pack(pop)

typedef struct _CM_PARTIAL_RESOURCE_LIST {
    USHORT Version;
    USHORT Revision;
    ULONG Count;
    CM_PARTIAL_RESOURCE_DESCRIPTOR PartialDescriptors[1];
} CM_PARTIAL_RESOURCE_LIST, *PCM_PARTIAL_RESOURCE_LIST;

typedef struct _CM_FULL_RESOURCE_DESCRIPTOR {
    INTERFACE_TYPE InterfaceType;
    ULONG BusNumber;
    CM_PARTIAL_RESOURCE_LIST PartialResourceList;
} CM_FULL_RESOURCE_DESCRIPTOR, *PCM_FULL_RESOURCE_DESCRIPTOR;

typedef struct _CM_RESOURCE_LIST {
    ULONG Count;
    CM_FULL_RESOURCE_DESCRIPTOR List[1];
} CM_RESOURCE_LIST, *PCM_RESOURCE_LIST;

/* What a device could use, as its bus reports it. */
typedef struct _IO_RESOURCE_DESCRIPTOR {
    UCHAR Option;
    UCHAR Type;
    UCHAR ShareDisposition;
    UCHAR Spare1;
    USHORT Flags;
    USHORT Spare2;
    union {
        struct {
            ULONG Length;
            ULONG Alignment;
            PHYSICAL_ADDRESS MinimumAddress;
            PHYSICAL_ADDRESS MaximumAddress;
        } Port, Memory, Generic;
        struct {
            ULONG MinimumVector;
            ULONG MaximumVector;
        } Interrupt;
        struct {
            ULONG Data[3];
        } DevicePrivate;
    } u;
} IO_RESOURCE_DESCRIPTOR, *PIO_RESOURCE_DESCRIPTOR;

NTKERNELAPI ULONGLONG NTAPI RtlCmDecodeMemIoResource(PCM_PARTIAL_RESOURCE_DESCRIPTOR Descriptor,
                                                     PULONGLONG Start);
NTKERNELAPI NTSTATUS NTAPI RtlCmEncodeMemIoResource(PCM_PARTIAL_RESOURCE_DESCRIPTOR Descriptor,
                                                    UCHAR Type, ULONGLONG Length, ULONGLONG Start);

/* ---- PCI ---- */

#define PCI_TYPE0_ADDRESSES                6
#define PCI_TYPE1_ADDRESSES                2
#define PCI_TYPE2_ADDRESSES                5
#define PCI_INVALID_VENDORID               0xFFFF
#define PCI_DEVICE_TYPE                    0x00
#define PCI_BRIDGE_TYPE                    0x01
#define PCI_CARDBUS_BRIDGE_TYPE            0x02
#define PCI_MULTIFUNCTION                  0x80
#define PCI_COMMON_HDR_LENGTH              64
#define PCI_ENABLE_IO_SPACE                0x0001
#define PCI_ENABLE_MEMORY_SPACE            0x0002
#define PCI_ENABLE_BUS_MASTER              0x0004
#define PCI_DISABLE_LEVEL_INTERRUPT        0x0400
#define PCI_STATUS_CAPABILITIES_LIST       0x0010
#define PCI_ADDRESS_IO_SPACE               0x00000001
#define PCI_ADDRESS_MEMORY_TYPE_MASK       0x00000006
#define PCI_TYPE_32BIT                     0
#define PCI_TYPE_20BIT                     2
#define PCI_TYPE_64BIT                     4
#define PCI_ADDRESS_MEMORY_PREFETCHABLE    0x00000008
#define PCI_ADDRESS_IO_ADDRESS_MASK        0xfffffffc
#define PCI_ADDRESS_MEMORY_ADDRESS_MASK    0xfffffff0
#define PCI_ADDRESS_ROM_ADDRESS_MASK       0xfffff800
#define PCI_ROMADDRESS_ENABLED             0x00000001
#define PCI_CAPABILITY_ID_POWER_MANAGEMENT 0x01
#define PCI_CAPABILITY_ID_MSI              0x05
#define PCI_CAPABILITY_ID_VENDOR_SPECIFIC  0x09
#define PCI_CAPABILITY_ID_PCI_EXPRESS      0x10
#define PCI_CAPABILITY_ID_MSIX             0x11
#define PCI_WHICHSPACE_CONFIG              0x0
#define PCI_WHICHSPACE_ROM                 0x52696350
#define PCI_CLASS_DISPLAY_CTLR             0x03
#define PCI_SUBCLASS_VID_VGA_CTLR          0x00
#define PCI_SUBCLASS_VID_OTHER             0x80

typedef struct _PCI_SLOT_NUMBER {
    union {
        struct {
            ULONG DeviceNumber : 5;
            ULONG FunctionNumber : 3;
            ULONG Reserved : 24;
        } bits;
        ULONG AsULONG;
    } u;
} PCI_SLOT_NUMBER, *PPCI_SLOT_NUMBER;

struct _PCI_HEADER_TYPE_0 {
    ULONG BaseAddresses[PCI_TYPE0_ADDRESSES];
    ULONG CIS;
    USHORT SubVendorID;
    USHORT SubSystemID;
    ULONG ROMBaseAddress;
    UCHAR CapabilitiesPtr;
    UCHAR Reserved1[3];
    ULONG Reserved2;
    UCHAR InterruptLine;
    UCHAR InterruptPin;
    UCHAR MinimumGrant;
    UCHAR MaximumLatency;
};

struct _PCI_HEADER_TYPE_1 {
    ULONG BaseAddresses[PCI_TYPE1_ADDRESSES];
    UCHAR PrimaryBus;
    UCHAR SecondaryBus;
    UCHAR SubordinateBus;
    UCHAR SecondaryLatency;
    UCHAR IOBase;
    UCHAR IOLimit;
    USHORT SecondaryStatus;
    USHORT MemoryBase;
    USHORT MemoryLimit;
    USHORT PrefetchBase;
    USHORT PrefetchLimit;
    ULONG PrefetchBaseUpper32;
    ULONG PrefetchLimitUpper32;
    USHORT IOBaseUpper16;
    USHORT IOLimitUpper16;
    UCHAR CapabilitiesPtr;
    UCHAR Reserved1[3];
    ULONG ROMBaseAddress;
    UCHAR InterruptLine;
    UCHAR InterruptPin;
    USHORT BridgeControl;
};

struct _PCI_HEADER_TYPE_2 {
    ULONG SocketRegistersBaseAddress;
    UCHAR CapabilitiesPtr;
    UCHAR Reserved;
    USHORT SecondaryStatus;
    UCHAR PrimaryBus;
    UCHAR SecondaryBus;
    UCHAR SubordinateBus;
    UCHAR SecondaryLatency;
    struct {
        ULONG Base;
        ULONG Limit;
    } Range[PCI_TYPE2_ADDRESSES - 1];
    UCHAR InterruptLine;
    UCHAR InterruptPin;
    USHORT BridgeControl;
};

typedef struct _PCI_COMMON_HEADER {
    USHORT VendorID;
    USHORT DeviceID;
    USHORT Command;
    USHORT Status;
    UCHAR RevisionID;
    UCHAR ProgIf;
    UCHAR SubClass;
    UCHAR BaseClass;
    UCHAR CacheLineSize;
    UCHAR LatencyTimer;
    UCHAR HeaderType;
    UCHAR BIST;
    union {
        struct _PCI_HEADER_TYPE_0 type0;
        struct _PCI_HEADER_TYPE_1 type1;
        struct _PCI_HEADER_TYPE_2 type2;
    } u;
} PCI_COMMON_HEADER, *PPCI_COMMON_HEADER;

/* Configuration space of 256 bytes: the header, then what the device adds. */
typedef struct _PCI_COMMON_CONFIG {
    USHORT VendorID;
    USHORT DeviceID;
    USHORT Command;
    USHORT Status;
    UCHAR RevisionID;
    UCHAR ProgIf;
    UCHAR SubClass;
    UCHAR BaseClass;
    UCHAR CacheLineSize;
    UCHAR LatencyTimer;
    UCHAR HeaderType;
    UCHAR BIST;
    union {
        struct _PCI_HEADER_TYPE_0 type0;
        struct _PCI_HEADER_TYPE_1 type1;
        struct _PCI_HEADER_TYPE_2 type2;
    } u;
    UCHAR DeviceSpecific[192];
} PCI_COMMON_CONFIG, *PPCI_COMMON_CONFIG;

typedef struct _PCI_CAPABILITIES_HEADER {
    UCHAR CapabilityID;
    UCHAR Next;
} PCI_CAPABILITIES_HEADER, *PPCI_CAPABILITIES_HEADER;

#define PCI_USE_SUBSYSTEM_IDS  0x00000001
#define PCI_USE_REVISION       0x00000002
#define PCI_USE_VENDEV_IDS     0x00000004
#define PCI_USE_CLASS_SUBCLASS 0x00000008
#define PCI_USE_PROGIF         0x00000010
#define PCI_USE_LOCAL_BUS      0x00000020
#define PCI_USE_LOCAL_DEVICE   0x00000040

typedef struct _PCI_DEVICE_PRESENCE_PARAMETERS {
    ULONG Size;
    ULONG Flags;
    USHORT VendorID;
    USHORT DeviceID;
    UCHAR RevisionID;
    USHORT SubVendorID;
    USHORT SubSystemID;
    UCHAR BaseClass;
    UCHAR SubClass;
    UCHAR ProgIf;
} PCI_DEVICE_PRESENCE_PARAMETERS, *PPCI_DEVICE_PRESENCE_PARAMETERS;

#endif /* _WDM_RESOURCE_H_ */

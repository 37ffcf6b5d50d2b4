/*
 * wdm/hal.h: registers, ports, buses and DMA adapters.
 *
 * On Windows the register functions are inline loads and stores. Here they are imports: a register
 * lives in a simulated device, and only a call can reach it.
 */

#ifndef _WDM_HAL_H_
#define _WDM_HAL_H_

#include <wdm/io.h>

#define __WDM_REGISTER(name, type)                                                             \
    NTKERNELAPI type NTAPI READ_REGISTER_##name(volatile type *Register);                      \
    NTKERNELAPI VOID NTAPI WRITE_REGISTER_##name(volatile type *Register, type Value);         \
    NTKERNELAPI VOID NTAPI READ_REGISTER_BUFFER_##name(volatile type *Register, type *Buffer,  \
                                                       ULONG Count);                           \
    NTKERNELAPI VOID NTAPI WRITE_REGISTER_BUFFER_##name(volatile type *Register, type *Buffer, \
                                                        ULONG Count);                          \
    NTKERNELAPI type NTAPI READ_REGISTER_NOFENCE_##name(volatile type *Register);              \
    NTKERNELAPI VOID NTAPI WRITE_REGISTER_NOFENCE_##name(volatile type *Register, type Value); \
    NTKERNELAPI VOID NTAPI READ_REGISTER_NOFENCE_BUFFER_##name(volatile type *Register,        \
                                                               type *Buffer, ULONG Count);     \
    NTKERNELAPI VOID NTAPI WRITE_REGISTER_NOFENCE_BUFFER_##name(volatile type *Register,       \
                                                                type *Buffer, ULONG Count);
__WDM_REGISTER(UCHAR, UCHAR)
__WDM_REGISTER(USHORT, USHORT)
__WDM_REGISTER(ULONG, ULONG)
__WDM_REGISTER(ULONG64, ULONG64)
#undef __WDM_REGISTER

#define __WDM_PORT(type)                                                                   \
    NTKERNELAPI type NTAPI READ_PORT_##type(type *Port);                                   \
    NTKERNELAPI VOID NTAPI WRITE_PORT_##type(type *Port, type Value);                      \
    NTKERNELAPI VOID NTAPI READ_PORT_BUFFER_##type(type *Port, type *Buffer, ULONG Count); \
    NTKERNELAPI VOID NTAPI WRITE_PORT_BUFFER_##type(type *Port, type *Buffer, ULONG Count);
__WDM_PORT(UCHAR)
__WDM_PORT(USHORT)
__WDM_PORT(ULONG)
#undef __WDM_PORT

NTHALAPI ULONG NTAPI HalGetBusData(BUS_DATA_TYPE BusDataType, ULONG BusNumber, ULONG SlotNumber,
                                   PVOID Buffer, ULONG Length);
NTHALAPI ULONG NTAPI HalGetBusDataByOffset(BUS_DATA_TYPE BusDataType, ULONG BusNumber,
                                           ULONG SlotNumber, PVOID Buffer, ULONG Offset,
                                           ULONG Length);
NTHALAPI ULONG NTAPI HalSetBusDataByOffset(BUS_DATA_TYPE BusDataType, ULONG BusNumber,
                                           ULONG SlotNumber, PVOID Buffer, ULONG Offset,
                                           ULONG Length);
NTHALAPI BOOLEAN NTAPI HalTranslateBusAddress(INTERFACE_TYPE InterfaceType, ULONG BusNumber,
                                              PHYSICAL_ADDRESS BusAddress, PULONG AddressSpace,
                                              PPHYSICAL_ADDRESS TranslatedAddress);

NTKERNELAPI VOID NTAPI KeFlushIoBuffers(PMDL Mdl, BOOLEAN ReadOperation, BOOLEAN DmaOperation);

/* ---- DMA adapters ---- */

typedef enum _DMA_WIDTH {
    Width8Bits,
    Width16Bits,
    Width32Bits,
    Width64Bits,
    WidthNoWrap,
    MaximumDmaWidth
} DMA_WIDTH;
typedef enum _DMA_SPEED { Compatible, TypeA, TypeB, TypeC, TypeF, MaximumDmaSpeed } DMA_SPEED;

#define DEVICE_DESCRIPTION_VERSION  0
#define DEVICE_DESCRIPTION_VERSION1 1
#define DEVICE_DESCRIPTION_VERSION2 2
#define DEVICE_DESCRIPTION_VERSION3 3

typedef struct _DEVICE_DESCRIPTION {
    ULONG Version;
    BOOLEAN Master;
    BOOLEAN ScatterGather;
    BOOLEAN DemandMode;
    BOOLEAN AutoInitialize;
    BOOLEAN Dma32BitAddresses;
    BOOLEAN IgnoreCount;
    BOOLEAN Reserved1;
    BOOLEAN Dma64BitAddresses;
    ULONG BusNumber;
    ULONG DmaChannel;
    INTERFACE_TYPE InterfaceType;
    DMA_WIDTH DmaWidth;
    DMA_SPEED DmaSpeed;
    ULONG MaximumLength;
    ULONG DmaPort;
    ULONG DmaAddressWidth;
    ULONG DmaControllerInstance;
    ULONG DmaRequestLine;
    PHYSICAL_ADDRESS DeviceAddress;
} DEVICE_DESCRIPTION, *PDEVICE_DESCRIPTION;

typedef struct _SCATTER_GATHER_ELEMENT {
    PHYSICAL_ADDRESS Address;
    ULONG Length;
    ULONG_PTR Reserved;
} SCATTER_GATHER_ELEMENT, *PSCATTER_GATHER_ELEMENT;

typedef struct _SCATTER_GATHER_LIST {
    ULONG NumberOfElements;
    ULONG_PTR Reserved;
    SCATTER_GATHER_ELEMENT Elements[];
} SCATTER_GATHER_LIST, *PSCATTER_GATHER_LIST;

struct _DMA_ADAPTER;
typedef VOID NTAPI PUT_DMA_ADAPTER(struct _DMA_ADAPTER *DmaAdapter);
typedef PVOID NTAPI ALLOCATE_COMMON_BUFFER(struct _DMA_ADAPTER *DmaAdapter, ULONG Length,
                                           PPHYSICAL_ADDRESS LogicalAddress, BOOLEAN CacheEnabled);
typedef VOID NTAPI FREE_COMMON_BUFFER(struct _DMA_ADAPTER *DmaAdapter, ULONG Length,
                                      PHYSICAL_ADDRESS LogicalAddress, PVOID VirtualAddress,
                                      BOOLEAN CacheEnabled);

/* The table begins with the three operations that display drivers use; what follows is reached
 * through later versions. */
typedef struct _DMA_OPERATIONS {
    ULONG Size;
    PUT_DMA_ADAPTER *PutDmaAdapter;
    ALLOCATE_COMMON_BUFFER *AllocateCommonBuffer;
    FREE_COMMON_BUFFER *FreeCommonBuffer;
    PVOID AllocateAdapterChannel;
    PVOID FlushAdapterBuffers;
    PVOID FreeAdapterChannel;
    PVOID FreeMapRegisters;
    PVOID MapTransfer;
    PVOID GetDmaAlignment;
    PVOID ReadDmaCounter;
    PVOID GetScatterGatherList;
    PVOID PutScatterGatherList;
    PVOID CalculateScatterGatherList;
    PVOID BuildScatterGatherList;
    PVOID BuildMdlFromScatterGatherList;
} DMA_OPERATIONS, *PDMA_OPERATIONS;

typedef struct _DMA_ADAPTER {
    USHORT Version;
    USHORT Size;
    PDMA_OPERATIONS DmaOperations;
} DMA_ADAPTER, *PDMA_ADAPTER;

NTKERNELAPI PDMA_ADAPTER NTAPI IoGetDmaAdapter(PDEVICE_OBJECT PhysicalDeviceObject,
                                               PDEVICE_DESCRIPTION DeviceDescription,
                                               PULONG NumberOfMapRegisters);

#endif /* _WDM_HAL_H_ */

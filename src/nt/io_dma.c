/* nt/io_dma.c: DMA adapters. Common buffers are contiguous memory, bus addresses are physical.
 *
 * The tables of all three versions are whole. What is not served says so, for it is no fault of the
 * driver that calls it. */
#include "nt/internal.h"

#include <stddef.h>

#define VERSION_1_BYTES offsetof(DMA_OPERATIONS, CalculateScatterGatherList)

struct operations {
    DMA_OPERATIONS old;
#define DMA_OLD(name)
#define DMA_BEFORE(name) PVOID name;
#define DMA_BEHIND(name)
#include "nt/dma.def"
    PVOID(NTAPI *AllocateCommonBufferEx)
    (struct _DMA_ADAPTER *adapter, PPHYSICAL_ADDRESS maximum, ULONG length,
     PPHYSICAL_ADDRESS logical, BOOLEAN cached, ULONG node);
#define DMA_OLD(name)
#define DMA_BEFORE(name)
#define DMA_BEHIND(name) PVOID name;
#include "nt/dma.def"
};

struct dma {
    DMA_ADAPTER adapter; /* first */
    struct operations operations;
    LONGLONG highest; /* address that the device reaches */
};

static NTSTATUS lacks(const char *name, const void *caller)
{
    if (nt_hooks.lacks) {
        nt_hooks.lacks(nt_hooks.ctx, name, caller);
    }
    return STATUS_NOT_IMPLEMENTED;
}

#define STUB(name)                                                          \
    static NTSTATUS NTAPI unserved_##name(void)                             \
    {                                                                       \
        return lacks("DmaOperations->" #name, __builtin_return_address(0)); \
    }
#define DMA_OLD    STUB
#define DMA_BEFORE STUB
#define DMA_BEHIND STUB
#include "nt/dma.def"
#undef STUB

static VOID NTAPI dma_put(struct _DMA_ADAPTER *adapter)
{
    const struct export_call call = {EXPORT_ID_IoGetDmaAdapter, __builtin_return_address(0)};

    if (!pool_free_internal(adapter)) {
        misuse(NT_MISUSE_OBJECT, &call, "PutDmaAdapter: that is no DMA adapter");
    }
}

static PVOID allocate_below(LONGLONG highest, ULONG length, PPHYSICAL_ADDRESS logical)
{
    void *memory = MmAllocateContiguousMemory(length, (PHYSICAL_ADDRESS){.QuadPart = highest});

    if (memory) {
        *logical = MmGetPhysicalAddress(memory);
    }
    return memory;
}

static PVOID NTAPI dma_allocate(struct _DMA_ADAPTER *adapter, ULONG length,
                                PPHYSICAL_ADDRESS logical, BOOLEAN cached)
{
    return allocate_below(((struct dma *)adapter)->highest, length, logical);
}

static PVOID NTAPI dma_allocate_ex(struct _DMA_ADAPTER *adapter, PPHYSICAL_ADDRESS maximum,
                                   ULONG length, PPHYSICAL_ADDRESS logical, BOOLEAN cached,
                                   ULONG node)
{
    LONGLONG highest = ((struct dma *)adapter)->highest;

    if (maximum && maximum->QuadPart < highest) {
        highest = maximum->QuadPart;
    }
    return allocate_below(highest, length, logical);
}

static VOID NTAPI dma_free(struct _DMA_ADAPTER *adapter, ULONG length, PHYSICAL_ADDRESS logical,
                           PVOID address, BOOLEAN cached)
{
    MmFreeContiguousMemory(address);
}

static ULONG NTAPI dma_alignment(struct _DMA_ADAPTER *adapter)
{
    return 1;
}

static LONGLONG highest_of(const DEVICE_DESCRIPTION *device)
{
    if (device->Version >= DEVICE_DESCRIPTION_VERSION3 && device->DmaAddressWidth > 0 &&
        device->DmaAddressWidth < 63) {
        return (INT64_C(1) << device->DmaAddressWidth) - 1;
    }
    return device->Dma64BitAddresses || device->Version >= DEVICE_DESCRIPTION_VERSION3 ? INT64_MAX
                                                                                       : UINT32_MAX;
}

static void fill(struct operations *operations, ULONG version)
{
    *operations = (struct operations){
        .old.Size = version >= DEVICE_DESCRIPTION_VERSION3   ? sizeof(*operations)
                    : version == DEVICE_DESCRIPTION_VERSION2 ? sizeof(DMA_OPERATIONS)
                                                             : VERSION_1_BYTES,
        .old.PutDmaAdapter = dma_put,
        .old.AllocateCommonBuffer = dma_allocate,
        .old.FreeCommonBuffer = dma_free,
        .old.GetDmaAlignment = (void *)(uintptr_t)dma_alignment,
        .AllocateCommonBufferEx = dma_allocate_ex,
#define DMA_OLD(name)    .old.name = (void *)(uintptr_t)unserved_##name,
#define DMA_BEFORE(name) .name = (void *)(uintptr_t)unserved_##name,
#define DMA_BEHIND(name) .name = (void *)(uintptr_t)unserved_##name,
#include "nt/dma.def"
    };
}

PDMA_ADAPTER NTAPI IoGetDmaAdapter(PDEVICE_OBJECT PhysicalDeviceObject,
                                   PDEVICE_DESCRIPTION DeviceDescription,
                                   PULONG NumberOfMapRegisters)
{
    struct dma *dma;

    NT_EXPORT_ENTER(IoGetDmaAdapter);
    if (DeviceDescription->Version > DEVICE_DESCRIPTION_VERSION3) {
        return NULL; /* so the caller is to see that it is not there */
    }
    dma = nt_memory_alloc(sizeof(*dma), POOL_TAG('D', 'm', 'a', ' '));
    if (!dma) {
        return NULL;
    }
    dma->adapter.Version = 1; /* whatever was asked for */
    dma->adapter.Size = sizeof(dma->adapter);
    dma->adapter.DmaOperations = &dma->operations.old;
    dma->highest = highest_of(DeviceDescription);
    fill(&dma->operations, DeviceDescription->Version);
    *NumberOfMapRegisters = DeviceDescription->MaximumLength / PAGE_SIZE + 1;
    return &dma->adapter;
}

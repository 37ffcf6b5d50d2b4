/* A driver with GPU virtual addresses that nobody can tell of a root table. */
#define DXGKDDI_INTERFACE_VERSION 0xB004 /* WDDM 2.6 */

#include "table.h"

#define LEVELS      3
#define LEVEL_BITS  9
#define TABLE_BYTES 4096
#define MEMORY      0x1000000

DRIVER_INITIALIZE DriverEntry;

static UCHAR context_of_the_device;

static NTSTATUS NTAPI add_device(const PDEVICE_OBJECT device, PVOID *context)
{
    *context = &context_of_the_device;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI start_device(const PVOID context, PDXGK_START_INFO info,
                                   PDXGKRNL_INTERFACE kernel, PULONG sources, PULONG children)
{
    *sources = *children = 0;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI succeeds(const PVOID context)
{
    return STATUS_SUCCESS;
}

static void NTAPI unload(void)
{
}

static void describe_memory(DXGK_QUERYSEGMENTOUT4 *out)
{
    DXGK_SEGMENTDESCRIPTOR4 *memory = (DXGK_SEGMENTDESCRIPTOR4 *)(PVOID)out->pSegmentDescriptor;

    out->NbSegment = 1;
    if (memory) {
        RtlZeroMemory(memory, sizeof(*memory));
        memory->Size = memory->CommitLimit = MEMORY;
        out->PagingBufferSize = TABLE_BYTES;
    }
}

static NTSTATUS NTAPI query(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *asked)
{
    DXGK_DRIVERCAPS *caps = asked->pOutputData;
    DXGK_GPUMMUCAPS *mmu = asked->pOutputData;
    DXGK_PAGE_TABLE_LEVEL_DESC *level = asked->pOutputData;

    switch (asked->Type) {
    case DXGKQAITYPE_DRIVERCAPS:
        caps->HighestAcceptableAddress.QuadPart = -1;
        caps->WDDMVersion = (DXGK_WDDMVERSION)0x2600;
        caps->GpuEngineTopology.NbAsymetricProcessingNodes = 1;
        caps->MemoryManagementCaps.VirtualAddressingSupported = 1;
        caps->MemoryManagementCaps.GpuMmuSupported = 1;
        caps->MiscCaps.ComputeOnly = 1;
        return STATUS_SUCCESS;
    case DXGKQAITYPE_QUERYSEGMENT4:
        describe_memory(asked->pOutputData);
        return STATUS_SUCCESS;
    case DXGKQAITYPE_GPUMMUCAPS:
        mmu->PageTableUpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
        mmu->VirtualAddressBitCount = 12 + LEVELS * LEVEL_BITS;
        mmu->PageTableLevelCount = LEVELS;
        return STATUS_SUCCESS;
    case DXGKQAITYPE_PAGETABLELEVELDESC:
        level->PageTableIndexBitCount = LEVEL_BITS;
        level->PageTableSegmentId = level->PagingProcessPageTableSegmentId = 1;
        level->PageTableSizeInBytes = level->PageTableAlignmentInBytes = TABLE_BYTES;
        return STATUS_SUCCESS;
    default:
        return STATUS_NOT_SUPPORTED;
    }
}

static NTSTATUS NTAPI describe_node(const HANDLE adapter, UINT node, DXGKARG_GETNODEMETADATA *out)
{
    out->EngineType = DXGK_ENGINE_TYPE_COPY;
    out->GpuMmuSupported = TRUE;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    DRIVER_INITIALIZATION_DATA table;

    fill_table(&table);
    table.Version = DXGKDDI_INTERFACE_VERSION;
    table.DxgkDdiAddDevice = add_device;
    table.DxgkDdiStartDevice = start_device;
    table.DxgkDdiStopDevice = succeeds;
    table.DxgkDdiRemoveDevice = succeeds;
    table.DxgkDdiUnload = unload;
    table.DxgkDdiQueryAdapterInfo = query;
    table.DxgkDdiGetNodeMetadata = describe_node;
    table.DxgkDdiSubmitCommandVirtual = (PDXGKDDI_SUBMITCOMMANDVIRTUAL)(ULONG_PTR)never_called;
    return DxgkInitialize(driver_object, registry_path, &table);
}

/* The driver of spaces_test.c: what it says is right, until a case spoils it. */
#ifndef TESTS_CONTRACT_SPACES_DRIVER_H
#define TESTS_CONTRACT_SPACES_DRIVER_H

#include "machine/support.h"

#include <string.h>

#include "contract/internal.h"
#include "ddi/internal.h"
#include "mandatory.h"

#define MEBIBYTE 1048576u
#define ADAPTER  ((HANDLE)(uintptr_t)0x1000)
#define DEVICE   ((HANDLE)(uintptr_t)0x2000)
#define CONTEXT  ((HANDLE)(uintptr_t)0x3000)
#define PROCESS  ((HANDLE)(uintptr_t)0x4000)
#define ANOTHER  ((HANDLE)(uintptr_t)0x5000) /* nobody's */
#define LEVELS   2

#define PRIVATE_BYTES 32 /* of a submission; */
#define CLIENT_BYTES  16 /* the client's are at their begin */

static struct record *record;
static struct ddi_driver driver;
static struct ddi_adapter adapter;

static struct {
    DXGK_DRIVERCAPS caps;
    DXGK_GPUMMUCAPS mmu;
    DXGK_PAGE_TABLE_LEVEL_DESC levels[6];
    DXGK_SEGMENTDESCRIPTOR4 segments[2];
    SIZE_T root_bytes;
    UINT root_entries; /* what NumberOfPte becomes; 0: it stays */
    NTSTATUS of_submission, of_host_aperture, of_validation;
    DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE range;
    bool reserves;  /* in CreateProcess */
    HANDLE context; /* what CreateContext gives; NULL: CONTEXT */
    UINT fence;     /* the newest that is complete */
} says;

static NTSTATUS NTAPI add_device(const PDEVICE_OBJECT device, PVOID *context)
{
    *context = ADAPTER;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI start_device(const PVOID context, PDXGK_START_INFO info,
                                   PDXGKRNL_INTERFACE interface, PULONG sources, PULONG children)
{
    *sources = *children = 1;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI plain(const PVOID context)
{
    return STATUS_SUCCESS;
}

static VOID NTAPI unload(VOID)
{
}

static NTSTATUS NTAPI query(const HANDLE handle, const DXGKARG_QUERYADAPTERINFO *asked)
{
    const DXGK_QUERYPAGETABLELEVELDESCIN *level = asked->pInputData;
    DXGK_QUERYSEGMENTOUT4 *segments = asked->pOutputData;

    switch (asked->Type) {
    case DXGKQAITYPE_DRIVERCAPS:
        memcpy(asked->pOutputData, &says.caps, asked->OutputDataSize);
        return STATUS_SUCCESS;
    case DXGKQAITYPE_GPUMMUCAPS:
        memcpy(asked->pOutputData, &says.mmu, sizeof says.mmu);
        return STATUS_SUCCESS;
    case DXGKQAITYPE_PAGETABLELEVELDESC:
        memcpy(asked->pOutputData, &says.levels[level->LevelIndex], sizeof says.levels[0]);
        return STATUS_SUCCESS;
    case DXGKQAITYPE_QUERYSEGMENT4:
        segments->NbSegment = 2;
        segments->PagingBufferSize = 4096;
        if (segments->pSegmentDescriptor) {
            memcpy(segments->pSegmentDescriptor, says.segments, sizeof says.segments);
        }
        return STATUS_SUCCESS;
    default:
        return STATUS_NOT_SUPPORTED;
    }
}

static NTSTATUS reserve(void)
{
    DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE range = says.range;

    return adapter.interface.DxgkCbReserveGpuVirtualAddressRange(adapter.interface.DeviceHandle,
                                                                 &range);
}

static NTSTATUS NTAPI create_process(const HANDLE handle, DXGKARG_CREATEPROCESS *arguments)
{
    if (says.reserves) {
        assert_int_equal(reserve(), STATUS_SUCCESS);
    }
    arguments->hKmdProcess = PROCESS;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI destroy_process(const HANDLE handle, const HANDLE process)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI create_device(const HANDLE handle, DXGKARG_CREATEDEVICE *arguments)
{
    arguments->hDevice = DEVICE;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI create_context(const HANDLE device, DXGKARG_CREATECONTEXT *arguments)
{
    arguments->hContext = says.context ? says.context : CONTEXT;
    arguments->ContextInfo.DmaBufferPrivateDataSize = PRIVATE_BYTES;
    arguments->ContextInfo.PagingCompanionNodeId = 0;
    return STATUS_SUCCESS;
}

static SIZE_T NTAPI root_size(const HANDLE handle, DXGKARG_GETROOTPAGETABLESIZE *arguments)
{
    arguments->NumberOfPte = says.root_entries ? says.root_entries : arguments->NumberOfPte;
    return says.root_bytes;
}

static void NTAPI set_root(const HANDLE handle, const DXGKARG_SETROOTPAGETABLE *arguments)
{
}

static NTSTATUS NTAPI submit(const HANDLE handle, const DXGKARG_SUBMITCOMMANDVIRTUAL *arguments)
{
    return says.of_submission;
}

/* It keeps something behind the client's bytes, and what it does to the structure matters to
 * nobody. */
static NTSTATUS NTAPI validate(const HANDLE handle, DXGKARG_VALIDATESUBMITCOMMAND *arguments)
{
    UCHAR *bytes = arguments->pPrivateDriverData;

    if (bytes && arguments->PrivateDriverDataSize > arguments->UmdPrivateDataSize) {
        bytes[arguments->UmdPrivateDataSize] = 0x5A;
    }
    arguments->CommandLength = 0;
    return says.of_validation;
}

static NTSTATUS NTAPI query_fence(const HANDLE handle, DXGKARG_QUERYCURRENTFENCE *arguments)
{
    arguments->CurrentFence = says.fence;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI map_host(const HANDLE handle, const DXGKARG_MAPCPUHOSTAPERTURE *arguments)
{
    return says.of_host_aperture;
}

static NTSTATUS NTAPI unmap_host(const HANDLE handle, const DXGKARG_UNMAPCPUHOSTAPERTURE *arguments)
{
    return says.of_host_aperture;
}

static NTSTATUS NTAPI node_metadata(const HANDLE handle, UINT node,
                                    DXGKARG_GETNODEMETADATA *metadata)
{
    return STATUS_SUCCESS;
}

/* Nobody calls these here, and no driver comes without them. */
static NTSTATUS NTAPI create_allocation(const HANDLE handle, DXGKARG_CREATEALLOCATION *arguments)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI destroy_allocation(const HANDLE handle,
                                         const DXGKARG_DESTROYALLOCATION *arguments)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI build(const HANDLE handle, DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI entry(PDRIVER_OBJECT object, PUNICODE_STRING path)
{
    DRIVER_INITIALIZATION_DATA data = {
        .Version = DXGKDDI_INTERFACE_VERSION_WDDM2_6,
        .DxgkDdiAddDevice = add_device,
        .DxgkDdiStartDevice = start_device,
        .DxgkDdiStopDevice = plain,
        .DxgkDdiRemoveDevice = plain,
        .DxgkDdiUnload = unload,
        .DxgkDdiQueryAdapterInfo = query,
        .DxgkDdiGetNodeMetadata = node_metadata,
        .DxgkDdiCreateProcess = create_process,
        .DxgkDdiDestroyProcess = destroy_process,
        .DxgkDdiCreateDevice = create_device,
        .DxgkDdiDestroyDevice = plain,
        .DxgkDdiCreateContext = create_context,
        .DxgkDdiDestroyContext = plain,
        .DxgkDdiCreateAllocation = create_allocation,
        .DxgkDdiDestroyAllocation = destroy_allocation,
        .DxgkDdiBuildPagingBuffer = build,
        .DxgkDdiGetRootPageTableSize = root_size,
        .DxgkDdiSetRootPageTable = set_root,
        .DxgkDdiSubmitCommandVirtual = submit,
        .DxgkDdiValidateSubmitCommand = validate,
        .DxgkDdiResetFromTimeout = plain,
        .DxgkDdiRestartFromTimeout = plain,
        .DxgkDdiQueryCurrentFence = query_fence,
        .DxgkDdiMapCpuHostAperture = map_host,
        .DxgkDdiUnmapCpuHostAperture = unmap_host,
    };
    NTSTATUS(NTAPI * initialize)(PDRIVER_OBJECT, PUNICODE_STRING, PDRIVER_INITIALIZATION_DATA);
    size_t count;

    initialize = (__typeof__(initialize))ddi_exports(&count)[0].address;
    return initialize(object, path, &data);
}

#endif

/* Standard allocations: surfaces that the kernel itself asks the driver to describe.
 *
 * GetStandardAllocationDriverData is called twice [ALLOC-023]: for the sizes of the private data,
 * then for the data, which CreateAllocation gets as any client's. */
#include "dxgk/internal.h"
#include "dxgk/resource.h"

#include <stdlib.h>
#include <string.h>

#define PRIVATE_BYTES_MAX (1u << 20)

union description {
    D3DKMDT_SHAREDPRIMARYSURFACEDATA primary;
    D3DKMDT_SHADOWSURFACEDATA shadow;
    D3DKMDT_STAGINGSURFACEDATA staging;
    D3DKMDT_GDISURFACEDATA gdi;
};

/* 0: no such kind of surface; otherwise the size of its description. */
static size_t describe(const struct dxgk_standard_request *request, union description *description)
{
    switch (request->type) {
    case D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE:
        description->primary = (D3DKMDT_SHAREDPRIMARYSURFACEDATA){
            .Width = request->width,
            .Height = request->height,
            .Format = request->format,
            .RefreshRate = {60, 1},
            .VidPnSourceId = request->source,
        };
        return sizeof description->primary;
    case D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE:
        description->shadow = (D3DKMDT_SHADOWSURFACEDATA){
            .Width = request->width, .Height = request->height, .Format = request->format};
        return sizeof description->shadow;
    case D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE:
        description->staging =
            (D3DKMDT_STAGINGSURFACEDATA){.Width = request->width, .Height = request->height};
        return sizeof description->staging;
    case D3DKMDT_STANDARDALLOCATION_GDISURFACE:
        description->gdi = (D3DKMDT_GDISURFACEDATA){.Width = request->width,
                                                    .Height = request->height,
                                                    .Format = request->format,
                                                    .Type = request->gdi_type};
        return sizeof description->gdi;
    default:
        return 0;
    }
}

static void take_pitch(struct dxgk_standard_request *request, const union description *description)
{
    if (request->type == D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE) {
        request->pitch = description->shadow.Pitch;
    } else if (request->type == D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE) {
        request->pitch = description->staging.Pitch;
    } else if (request->type == D3DKMDT_STANDARDALLOCATION_GDISURFACE) {
        request->pitch = description->gdi.Pitch;
    }
}

static NTSTATUS query(struct dxgk_adapter *adapter,
                      DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *arguments)
{
    const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA asked = *arguments;
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    NTSTATUS status;

    do {
        *arguments = asked;
        status = ddi_get_standard_allocation_driver_data(
            &adapter->ddi, adapter->ddi.miniport_context, arguments, 0);
    } while (dxgk_tries_again(status, &attempt));
    return status;
}

/* What the driver says it wrote is in what it was given. */
static bool fits(const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *given,
                 const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *answered)
{
    return answered->pAllocationPrivateDriverData == given->pAllocationPrivateDriverData &&
           answered->pResourcePrivateDriverData == given->pResourcePrivateDriverData &&
           answered->AllocationPrivateDriverDataSize <= given->AllocationPrivateDriverDataSize &&
           answered->ResourcePrivateDriverDataSize <= given->ResourcePrivateDriverDataSize;
}

static unsigned bytes_per_pixel(const struct dxgk_standard_request *request)
{
    if (request->type == D3DKMDT_STANDARDALLOCATION_STAGINGSURFACE) {
        return 4;
    }
    switch (request->format) {
    case D3DDDIFMT_A8R8G8B8:
    case D3DDDIFMT_X8R8G8B8:
    case D3DDDIFMT_A8B8G8R8:
    case D3DDDIFMT_X8B8G8R8:
        return 4;
    case D3DDDIFMT_R5G6B5:
        return 2;
    default:
        return 1; /* at least */
    }
}

/* Clients draw in what the driver described: its last row must be inside [ALLOC-004]. */
static bool covers_picture(const struct dxgk_allocation *made,
                           const struct dxgk_standard_request *request)
{
    uint64_t row = (uint64_t)request->width * bytes_per_pixel(request);
    uint64_t pitch = request->pitch > row ? request->pitch : row;
    uint64_t needed = pitch * (request->height - 1) + row;

    if (made->info.Size >= needed) {
        return true;
    }
    contract_breach(
        &(struct contract_finding){.rule = CONTRACT_JUDGES(ALLOC_004), .object = made->object},
        "a size that covers the surface the driver was asked for",
        "Size %llu; %u x %u pixels with a pitch of %u bytes end at %llu",
        (unsigned long long)made->info.Size, request->width, request->height, request->pitch,
        (unsigned long long)needed);
    return false;
}

/* ---- What another adapter reaches ------------------------------------------------------------ */

static bool is_cross_adapter(const struct dxgk_standard_request *request)
{
    return request->type == D3DKMDT_STANDARDALLOCATION_GDISURFACE &&
           request->gdi_type == D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER;
}

/* Of the set, segments of memory of a GPU's own. What is the computer's all the same another
 * adapter reaches, too. */
static UINT own_memory(struct dxgk_adapter *adapter, UINT set)
{
    struct dxgk_adapter_info info;
    UINT own = 0;

    dxgk_adapter_info(adapter, &info);
    for (unsigned i = 0; i < info.segment_count && i < 32; i++) {
        DXGK_SEGMENTFLAGS flags = info.segments[i].flags;
        if (!flags.Aperture && !flags.PopulatedFromSystemMemory) {
            own |= set & UINT32_C(1) << i;
        }
    }
    return own;
}

static void judge_cross_adapter(struct dxgk_adapter *adapter, const struct dxgk_allocation *made,
                                const struct dxgk_standard_request *request)
{
    const uint64_t step = D3DKMT_CROSS_ADAPTER_RESOURCE_HEIGHT_ALIGNMENT;
    uint64_t rows = (request->height + step - 1) / step * step;
    /* The member is another one where it does not count. */
    UINT read = adapter->features.read_segment_sets ? made->info.SupportedReadSegmentSet : 0;
    UINT own = own_memory(adapter, read | made->info.SupportedWriteSegmentSet);

    contract_count(RULE_ALLOC_028);
    if (own) {
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(ALLOC_028), .object = made->object},
            "a cross-adapter surface in aperture segments alone",
            "SupportedWriteSegmentSet is 0x%X, and what may be read from 0x%X; of these segments "
            "0x%X are memory that no other adapter reaches",
            made->info.SupportedWriteSegmentSet, read, own);
    }
    if (made->info.Size < rows * request->pitch) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(ALLOC_028),
                                                   .object = made->object,
                                                   .advice = true},
                        "a cross-adapter surface whose height is aligned to 4 rows",
                        "Size %llu; %u rows with a pitch of %u bytes, aligned to %llu rows, have "
                        "%llu bytes",
                        (unsigned long long)made->info.Size, request->height, request->pitch,
                        (unsigned long long)rows, (unsigned long long)(rows * request->pitch));
    }
}

/* ---- The allocation -------------------------------------------------------------------------- */

/* Of a client's own the driver knows from its private data alone, which nobody else understands. */
void dxgk_primary_judge(const struct dxgk_allocation *made)
{
    DXGK_ALLOCATIONINFOFLAGS flags = made->info.Flags;
    bool advice = !made->standard;

    contract_count(RULE_ALLOC_010);
    if (flags.Cached || flags.PermanentSysMem || flags.Protected || flags.ExistingSysMem ||
        flags.ExistingKernelSysMem) {
        contract_breach(
            &(struct contract_finding){
                .rule = CONTRACT_JUDGES(ALLOC_010), .object = made->object, .advice = advice},
            "a primary without Cached, PermanentSysMem, Protected and existing memory",
            "pAllocationInfo->Flags of %s primary of source %u is 0x%X:%s%s%s%s%s",
            advice ? "a client's" : "the shared", made->source, flags.Value,
            flags.Cached ? " Cached" : "", flags.PermanentSysMem ? " PermanentSysMem" : "",
            flags.Protected ? " Protected" : "", flags.ExistingSysMem ? " ExistingSysMem" : "",
            flags.ExistingKernelSysMem ? " ExistingKernelSysMem" : "");
    }
}

static NTSTATUS create(struct dxgk_device *device, struct dxgk_standard_request *request,
                       const DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *data,
                       struct dxgk_opening **out)
{
    struct dxgk_allocation_request allocation = {
        .private_data = data->pAllocationPrivateDriverData,
        .private_size = data->AllocationPrivateDriverDataSize,
        .primary = request->type == D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE,
        .standard = true,
        .source = request->source,
        .section = request->section,
        .section_page = request->section_page,
    };
    const struct dxgk_allocations_request creation = {
        .private_data = data->pResourcePrivateDriverData,
        .private_size = data->ResourcePrivateDriverDataSize,
        .runtime_data = request->runtime_data,
        .runtime_size = request->runtime_size,
        .make_resource = !request->alone,
        .nt_security = request->nt_security,
        .elements = &allocation,
        .count = 1,
    };
    struct dxgk_holding *holding;

    NTSTATUS status = dxgk_allocations_create(device, &creation, &holding);
    if (NT_SUCCESS(status) && !covers_picture(allocation.opening->allocation, request)) {
        struct dxgk_opening *made = allocation.opening;
        dxgk_allocations_destroy(device, &(struct dxgk_destruction){.holding = holding,
                                                                    .openings = &made,
                                                                    .count = holding ? 0 : 1});
        return STATUS_INVALID_PARAMETER;
    }
    if (NT_SUCCESS(status)) {
        struct dxgk_allocation *made = allocation.opening->allocation;
        made->width = request->width;
        made->height = request->height;
        made->format = request->format;
        made->pitch = request->pitch;
        made->gdi_type = request->gdi_type;
        if (is_cross_adapter(request)) {
            judge_cross_adapter(device->adapter, made, request);
        }
        *out = allocation.opening;
    }
    return status;
}

/* Blocks of private data; of what the driver has none the member is NULL. Who has none at all was
 * told so, and gets a block of no bytes, by which the call is not the first again. False: there is
 * no memory. */
static bool hand_blocks(DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *arguments)
{
    UINT own = arguments->AllocationPrivateDriverDataSize;
    UINT resources = arguments->ResourcePrivateDriverDataSize;
    bool has_own = own > 0 || resources == 0;

    arguments->pAllocationPrivateDriverData =
        has_own ? nt_memory_hand(own, "pAllocationPrivateDriverData") : NULL;
    arguments->pResourcePrivateDriverData =
        resources > 0 ? nt_memory_hand(resources, "pResourcePrivateDriverData") : NULL;
    return (!has_own || arguments->pAllocationPrivateDriverData) &&
           (resources == 0 || arguments->pResourcePrivateDriverData);
}

/* The driver's two answers. What was given stays in *given, whoever overwrites it. */
static NTSTATUS ask_driver(struct dxgk_adapter *adapter,
                           DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *arguments,
                           DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *given)
{
    NTSTATUS status = query(adapter, arguments);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (arguments->AllocationPrivateDriverDataSize > PRIVATE_BYTES_MAX ||
        arguments->ResourcePrivateDriverDataSize > PRIVATE_BYTES_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    arguments->pCreateSharedPrimarySurfaceData = given->pCreateSharedPrimarySurfaceData;
    bool there = hand_blocks(arguments);
    *given = *arguments;
    status = there ? query(adapter, arguments) : STATUS_NO_MEMORY;
    return NT_SUCCESS(status) && !fits(given, arguments) ? STATUS_INVALID_PARAMETER : status;
}

static bool knows_kind(const struct dxgk_adapter *adapter,
                       const struct dxgk_standard_request *request)
{
    return request->type != D3DKMDT_STANDARDALLOCATION_GDISURFACE ||
           (adapter->features.gdi_surfaces &&
            (!is_cross_adapter(request) || adapter->features.cross_adapter));
}

NTSTATUS dxgk_standard_create(struct dxgk_device *device, struct dxgk_standard_request *request,
                              struct dxgk_opening **out)
{
    DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA arguments = {.StandardAllocationType = request->type};
    union description description;
    size_t size = describe(request, &description);

    if (!knows_kind(device->adapter, request)) {
        return STATUS_NOT_SUPPORTED;
    }
    if (size == 0 || request->width == 0 || request->height == 0 || request->width > 16384 ||
        request->height > 16384) {
        return STATUS_INVALID_PARAMETER;
    }
    void *handed = nt_memory_hand(size, "the description of a standard allocation");
    if (!handed) {
        return STATUS_NO_MEMORY;
    }
    memcpy(handed, &description, size);
    arguments.pCreateSharedPrimarySurfaceData = handed; /* of any kind: the members share a place */
    DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA given = arguments;
    NTSTATUS status = ask_driver(device->adapter, &arguments, &given);
    if (NT_SUCCESS(status)) {
        memcpy(&description, handed, size);
        take_pitch(request, &description);
        status = create(device, request, &arguments, out);
    }
    nt_memory_free(given.pAllocationPrivateDriverData);
    nt_memory_free(given.pResourcePrivateDriverData);
    nt_memory_free(handed);
    return status;
}

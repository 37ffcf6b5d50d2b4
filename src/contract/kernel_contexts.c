/* The kernel's own duties: memory that the driver made for contexts. */
#include "contract/paging_call.h"

#include "machine/machine.h"

/* NULL: the driver gave no handle of its own. */
static const struct contract_object *memory_of(const struct contract_call *call)
{
    HANDLE handle = paging_of(call)->InitContextResource.hAllocation;

    return handle ? contract_object_find(call->tracker, TRACKED_ALLOCATION, handle) : NULL;
}

static bool names_context_memory(struct contract_call *call)
{
    HANDLE handle = paging_of(call)->InitContextResource.hAllocation;
    const struct contract_object *memory = memory_of(call);

    return KERNEL_KEEPS(call, !handle || (memory && memory->kernel_handle),
                        "memory that the driver made by DxgkCbCreateContextAllocation", "%s",
                        memory ? "an allocation of a client" : "a handle that is none");
}

static bool comes_once(struct contract_call *call)
{
    const struct contract_object *memory = memory_of(call);

    return KERNEL_KEEPS(call, !memory || !memory->initialised || paging_comes_again(call),
                        "once, until its content is lost", "once more");
}

static bool says_where(struct contract_call *call)
{
    const struct contract_object *memory = memory_of(call);
    UINT segment = paging_of(call)->InitContextResource.Destination.SegmentId;
    uint64_t address =
        (uint64_t)paging_of(call)->InitContextResource.Destination.SegmentAddress.QuadPart;
    bool lies = segment != 0 && segment <= call->tracker->segment_count &&
                contract_in_segment(call->tracker, segment, address, memory ? memory->size : 1);
    bool listed = segment == 0 && paging_of(call)->InitContextResource.Destination.pMdl;

    return KERNEL_KEEPS(call, lies || listed, "a place in a segment, or an MDL",
                        "segment %u, 0x%llX", segment, (unsigned long long)address);
}

static bool gives_address(struct contract_call *call)
{
    const struct contract_object *memory = memory_of(call);

    return KERNEL_KEEPS(call,
                        !memory || !memory->seen_by_cpu ||
                            paging_of(call)->InitContextResource.Destination.VirtualAddress,
                        "an address of the CPU's where it was asked for", "NULL");
}

/* An address where paging has such, that shows it in the paging process; else none. */
static bool gives_gpu_address(struct contract_call *call)
{
    const struct contract_object *memory = memory_of(call);
    uint64_t address = paging_of(call)->InitContextResource.Destination.GpuVirtualAddress;
    uint64_t size = memory ? memory->size : 1;
    struct contract_page page;

    if (!contract_pages_virtually(call->tracker)) {
        return KERNEL_KEEPS(call, address == 0, "no GPU virtual address where paging has none",
                            "0x%llX", (unsigned long long)address);
    }
    for (uint64_t at = 0; at < size; at += MACHINE_PAGE_SIZE) {
        contract_paging_page(call->tracker, address + at, &page);
        if (!page.valid || page.read_only) {
            return contract_say(call, "an address in the paging process that shows all of it",
                                "0x%llX shows nothing", (unsigned long long)(address + at));
        }
    }
    return true;
}

/* ---- UpdateContextAllocation ----------------------------------------------------------------- */

static const DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION *
update_of(const struct contract_call *call)
{
    return &paging_of(call)->UpdateContextAllocation;
}

static bool is_first_time(const struct contract_call *call)
{
    return !paging_comes_again(call);
}

static bool is_known_update(const struct contract_call *call)
{
    return is_first_time(call) && !call->tracker->updates_lost;
}

static bool is_asked_for(const struct contract_call *call)
{
    return is_known_update(call) &&
           contract_find_update(call->tracker, update_of(call)).update != NULL;
}

static bool has_asked_data(const struct contract_call *call)
{
    return is_asked_for(call) && contract_find_update(call->tracker, update_of(call)).same_data;
}

static bool shows_all_of_it(struct contract_call *call)
{
    const DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION *update = update_of(call);
    struct contract_page page;

    for (uint64_t at = 0; at < update->ContextAllocationSize; at += MACHINE_PAGE_SIZE) {
        contract_paging_page(call->tracker, update->ContextAllocation + at, &page);
        if (!page.valid || page.read_only) {
            return contract_say(call, "addresses that are mapped in the paging process",
                                "0x%llX shows nothing",
                                (unsigned long long)(update->ContextAllocation + at));
        }
    }
    return true;
}

static bool comes_of_a_request(struct contract_call *call)
{
    return KERNEL_KEEPS(call, contract_find_update(call->tracker, update_of(call)).update != NULL,
                        "a call of DxgkCbUpdateContextAllocation before it", "none is open");
}

static bool has_data_of_request(struct contract_call *call)
{
    return KERNEL_KEEPS(call, contract_find_update(call->tracker, update_of(call)).same_data,
                        "the data of a call of DxgkCbUpdateContextAllocation", "%u others",
                        update_of(call)->DriverPrivateDataSize);
}

static bool has_size_of_memory(struct contract_call *call)
{
    return KERNEL_KEEPS(call, contract_find_update(call->tracker, update_of(call)).same_size,
                        "the size of the context allocation that the call named", "0x%llX",
                        (unsigned long long)update_of(call)->ContextAllocationSize);
}

/* ---- What the callbacks answer --------------------------------------------------------------- */

/* Seen before the tracker knows the new one. */
static bool handle_is_new(struct contract_call *call)
{
    const DXGKARGCB_CREATECONTEXTALLOCATION *request = call->arguments;
    struct contract_object *object, *next;
    unsigned count = 0;

    HASH_ITER(hh, call->tracker->objects, object, next)
    {
        count += object->key.kind == TRACKED_ALLOCATION && object->kernel_handle &&
                 object->kernel_handle == request->hAllocation;
    }
    return KERNEL_KEEPS(call, request->hAllocation && count == 0, "a handle of its own",
                        "hAllocation %p, of %u", request->hAllocation, count);
}

static bool is_made(const struct contract_call *call)
{
    return call->status == STATUS_SUCCESS;
}

static bool lies_where_it_should(struct contract_call *call)
{
    const DXGKARGCB_MAPCONTEXTALLOCATION *request = call->arguments;
    const D3DGPU_VIRTUAL_ADDRESS *answer = call->extra;
    uint64_t address = answer ? *answer : 0, size = request->SizeInPages * MACHINE_PAGE_SIZE;
    bool fixed = request->BaseAddress != 0;
    bool inside = address >= request->MinimumAddress &&
                  (request->MaximumAddress == 0 ||
                   range_fits(address - request->MinimumAddress, size,
                              request->MaximumAddress - request->MinimumAddress));

    return KERNEL_KEEPS(call, fixed ? address == request->BaseAddress : inside,
                        "BaseAddress, or a place between MinimumAddress and MaximumAddress",
                        "0x%llX", (unsigned long long)address);
}

static const struct contract_row rows[] = {
    KERNEL(UCA_004, BuildPagingBuffer, comes_of_a_request, OPERATION(UPDATE_CONTEXT_ALLOCATION),
           WHEN(is_known_update), LEAVES_OUT("that the callback returns behind it")),
    KERNEL(UCA_001, BuildPagingBuffer, shows_all_of_it, OPERATION(UPDATE_CONTEXT_ALLOCATION),
           WHEN(is_first_time), LEAVES_OUT("that it is the allocation's memory, and stays so")),
    KERNEL(UCA_002, BuildPagingBuffer, has_size_of_memory, OPERATION(UPDATE_CONTEXT_ALLOCATION),
           WHEN(has_asked_data)),
    KERNEL(UCA_003, BuildPagingBuffer, has_data_of_request, OPERATION(UPDATE_CONTEXT_ALLOCATION),
           WHEN(is_asked_for)),
    KERNEL_AFTER(CCA_004, CbCreateContextAllocation, handle_is_new, WHEN(is_made)),
    KERNEL_AFTER(CCA_007, CbMapContextAllocation, lies_where_it_should, WHEN(is_made)),
    KERNEL(INITCTX_007, BuildPagingBuffer, gives_gpu_address, OPERATION(INIT_CONTEXT_RESOURCE)),
    KERNEL(INITCTX_001, BuildPagingBuffer, names_context_memory, OPERATION(INIT_CONTEXT_RESOURCE)),
    KERNEL(INITCTX_002, BuildPagingBuffer, comes_once, OPERATION(INIT_CONTEXT_RESOURCE),
           LEAVES_OUT("that it comes before the first packet: CCA-003 is judged there")),
    KERNEL(INITCTX_004, BuildPagingBuffer, says_where, OPERATION(INIT_CONTEXT_RESOURCE)),
    KERNEL(INITCTX_005, BuildPagingBuffer, gives_address, OPERATION(INIT_CONTEXT_RESOURCE)),
};

const struct contract_family contract_family_kernel_contexts = FAMILY_OF(rows);

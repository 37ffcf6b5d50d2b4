/* The kernel's own duties: memory that the driver made for contexts. */
#include "contract/paging_call.h"

#include "machine/machine.h"

static bool is_init(const struct contract_call *call)
{
    return paging_is(call, DXGK_OPERATION_INIT_CONTEXT_RESOURCE);
}

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

static const struct contract_row rows[] = {
    KERNEL(INITCTX_001, BuildPagingBuffer, names_context_memory, WHEN(is_init)),
    KERNEL(INITCTX_002, BuildPagingBuffer, comes_once, WHEN(is_init),
           LEAVES_OUT("that it comes before the first packet: CCA-003 is judged there")),
    KERNEL(INITCTX_004, BuildPagingBuffer, says_where, WHEN(is_init)),
    KERNEL(INITCTX_005, BuildPagingBuffer, gives_address, WHEN(is_init)),
};

const struct contract_family contract_family_kernel_contexts = FAMILY_OF(rows);

/* The kernel's own duties: Render. */
#include "contract/internal.h"

#include "base/fill.h"
#include "machine/machine.h"
#include "nt/nt.h"

static const DXGKARG_RENDER *render_of(const struct contract_call *call)
{
    return call->arguments;
}

static const struct contract_object *context_of(const struct contract_call *call)
{
    return contract_context_find(call->tracker, call->first);
}

static bool by_the_client(struct contract_call *call)
{
    bool client = !task_self() || !nt_exists() || nt_process_current() != NULL;

    return KERNEL_KEEPS(call, call->irql < MACHINE_IRQL_DISPATCH && client,
                        "PASSIVE_LEVEL, in the client's process", "IRQL %u, %s", call->irql,
                        client ? "a client's process" : "the system process");
}

static bool repeats_the_same(struct contract_call *call)
{
    const struct contract_object *context = context_of(call);

    return KERNEL_KEEPS(call,
                        !context || !context->render.wanted ||
                            context->render.request_hash == contract_hash_request(render_of(call)),
                        "the same commands again after INSUFFICIENT_DMA_BUFFER",
                        "%u bytes of commands", render_of(call)->CommandLength);
}

static bool commands(struct contract_call *call)
{
    const DXGKARG_RENDER *render = render_of(call);

    return KERNEL_KEEPS(call, render->pCommand || render->CommandLength == 0,
                        "the client's commands", "pCommand %p, %u bytes", render->pCommand,
                        render->CommandLength);
}

static bool dma_buffer(struct contract_call *call)
{
    const DXGKARG_RENDER *render = render_of(call);
    const struct contract_object *context = context_of(call);

    return KERNEL_KEEPS(call,
                        render->pDmaBuffer &&
                            (uintptr_t)render->pDmaBuffer % MACHINE_PAGE_SIZE == 0 &&
                            (!context || render->DmaSize >= context->info.DmaBufferSize),
                        "a buffer of at least the context's size, 4 KB aligned", "%p, %u bytes",
                        render->pDmaBuffer, render->DmaSize);
}

static bool private_data(struct contract_call *call)
{
    const DXGKARG_RENDER *render = render_of(call);
    const struct contract_object *context = context_of(call);
    UINT wanted = context ? context->info.DmaBufferPrivateDataSize : 0;

    return KERNEL_KEEPS(call,
                        !context || (render->DmaBufferPrivateDataSize == wanted &&
                                     (render->pDmaBufferPrivateData || wanted == 0)),
                        "private data of the context's size", "%p, %u bytes of %u",
                        render->pDmaBufferPrivateData, render->DmaBufferPrivateDataSize, wanted);
}

static bool private_zero(struct contract_call *call)
{
    const DXGKARG_RENDER *render = render_of(call);
    const unsigned char *bytes = render->pDmaBufferPrivateData;

    if (vary_on(VARY_OLD_PRIVATE_DATA)) {
        return true; /* which buffers are new the call does not say */
    }
    UINT size = bytes ? render->DmaBufferPrivateDataSize : 0;
    size_t at = fill_first_other(bytes, 0, size);

    return at == size ||
           contract_say(call, "private data of zeros", "byte %zu is 0x%02X", at, bytes[at]);
}

static bool list_sizes(struct contract_call *call)
{
    const DXGKARG_RENDER *render = render_of(call);
    const struct contract_object *context = context_of(call);

    return KERNEL_KEEPS(
        call,
        !context || (render->DmaSize >= context->info.DmaBufferSize &&
                     render->PatchLocationListOutSize >= context->info.PatchLocationListSize),
        "as much room as the context asked for", "%u bytes, %u patch locations", render->DmaSize,
        render->PatchLocationListOutSize);
}

static bool is_without_patching(const struct contract_call *call)
{
    const struct contract_object *context = context_of(call);

    return context && context->info.Caps.NoPatchingRequired;
}

static bool lists_without_patching(struct contract_call *call)
{
    const DXGKARG_RENDER *render = render_of(call);
    UINT most = context_of(call)->info.AllocationListSize;

    return KERNEL_KEEPS(
        call, render->PatchLocationListOutSize == 0 && render->AllocationListSize <= most,
        "no patch list and a short allocation list", "%u patch locations, %u allocations of %u",
        render->PatchLocationListOutSize, render->AllocationListSize, most);
}

static bool allocation_list(struct contract_call *call)
{
    const DXGKARG_RENDER *render = render_of(call);
    struct contract_tracker *tracker = call->tracker;

    for (UINT i = 0; i < render->AllocationListSize; i++) {
        const DXGK_ALLOCATIONLIST *element = &render->pAllocationList[i];
        HANDLE handle = element->hDeviceSpecificAllocation;
        uint64_t address = (uint64_t)element->PhysicalAddress.QuadPart;
        const struct contract_object *context = context_of(call);
        const struct contract_object *opening =
            handle ? contract_object_find(tracker, TRACKED_OPENING, handle) : NULL;
        if (handle && (!opening || (context && opening->count == 1 &&
                                    opening->parent != (context->key.kind == TRACKED_CONTEXT
                                                            ? context->parent
                                                            : context->key.handle)))) {
            return contract_say(call, "handles that the device has open, or NULL", "[%u] is %p", i,
                                handle);
        }
        if (element->SegmentId ? !contract_in_place(tracker, handle, element->SegmentId, address)
                               : address != 0) {
            return contract_say(call, "a placement that the allocation may have, or 0",
                                "[%u]: segment %u, 0x%llX", i, element->SegmentId,
                                (unsigned long long)address);
        }
    }
    return true;
}

static bool multipass_kept(struct contract_call *call)
{
    const struct contract_object *context = context_of(call);
    UINT wanted = context && context->render.wanted ? context->render.multipass : 0;

    return KERNEL_KEEPS(call, !context || render_of(call)->MultipassOffset == wanted,
                        "0 for new commands, what the driver left for a repeat", "%u, not %u",
                        render_of(call)->MultipassOffset, wanted);
}

static bool dma_place(struct contract_call *call)
{
    const DXGKARG_RENDER *render = render_of(call);
    uint64_t address = (uint64_t)render->DmaBufferPhysicalAddress.QuadPart;

    return KERNEL_KEEPS(call,
                        address == 0 ||
                            contract_in_segment(call->tracker, render->DmaBufferSegmentId, address,
                                                render->DmaSize),
                        "where the buffer is, or 0", "segment %u, 0x%llX",
                        render->DmaBufferSegmentId, (unsigned long long)address);
}

static bool list_reserved(struct contract_call *call)
{
    const DXGKARG_RENDER *render = render_of(call);

    for (UINT i = 0; i < render->AllocationListSize; i++) {
        if (render->pAllocationList[i].Reserved != 0) {
            return contract_say(call, "reserved bits 0", "element %u has 0x%X", i,
                                render->pAllocationList[i].Reserved);
        }
    }
    return true;
}

/* Of Render, and of RenderKm, whose commands are the kernel's own. */
#define KERNEL_ROWS(point)                                                                        \
    KERNEL(RENDER_001, point, by_the_client), KERNEL(GEN_005, point, HANDLE_LIVES(ANY_CONTEXT)),  \
        KERNEL(RENDER_007, point, repeats_the_same), KERNEL(RENDER_008, point, commands),         \
        KERNEL(RENDER_009, point, dma_buffer), KERNEL(RENDER_010, point, private_data),           \
        KERNEL(SUBMIT_023, point, private_zero,                                                   \
               LEAVES_OUT("that the memory is nonpaged; buffers that come back are zeroed, too, " \
                          "but under old-private-data, where none is looked at")),                \
        KERNEL(CTX_010, point, list_sizes,                                                        \
               LEAVES_OUT("buffers of Present, which its own rules judge")),                      \
        KERNEL(CTX_014, point, lists_without_patching, WHEN(is_without_patching),                 \
               LEAVES_OUT("references to primaries that are not resident")),                      \
        KERNEL(RENDER_011, point, allocation_list), KERNEL(GEN_006, point, list_reserved),        \
        KERNEL(RENDER_019, point, multipass_kept), KERNEL(RENDER_020, point, dma_place)

static const struct contract_row rows[] = {
    KERNEL_ROWS(Render),
    KERNEL_ROWS(RenderKm),
};

const struct contract_family contract_family_kernel_render = FAMILY_OF(rows);

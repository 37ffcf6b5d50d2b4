/* Present: by copy, as commands that the driver writes, or by a flip, which it only validates. */
#include "dxgk/hwqueue_present.h"
#include "dxgk/present_virtual.h"
#include "dxgk/spoil.h"
#include "dxgk/work.h"

#include <string.h>

/* The present list has fixed places: 1 source, 2 destination. */
static NTSTATUS place_present_list(struct dxgk_context *context,
                                   const struct dxgk_present_request *request)
{
    bool flip = request->flags.Flip || request->flags.FlipWithNoWait; /* has no destination */
    struct dxgk_opening *openings[DXGK_PRESENT_ALLOCATION_COUNT] = {
        NULL, request->source, flip ? NULL : request->destination};

    for (UINT i = 0; i < DXGK_PRESENT_ALLOCATION_COUNT; i++) {
        DXGK_ALLOCATIONLIST *element = &context->allocation_list[i];
        *element = (DXGK_ALLOCATIONLIST){0};
        CHECK_THAT(!context->allocation_openings[i]); /* the call before has left them */
        if (openings[i]) {
            if (openings[i]->device != context->device || !life_enter(&openings[i]->life)) {
                return STATUS_INVALID_HANDLE;
            }
            context->allocation_openings[i] = openings[i];
            element->hDeviceSpecificAllocation = openings[i]->driver_handle;
            element->WriteOperation = i == DXGK_PRESENT_DESTINATION_INDEX;
            if (context->virtual_addresses) {
                NTSTATUS status = dxgk_opening_need_address(openings[i]);
                if (!NT_SUCCESS(status)) {
                    return status;
                }
            } else {
                dxgk_allocation_list_place(element, openings[i]->allocation);
            }
        }
    }
    return STATUS_SUCCESS;
}

struct present_passes {
    struct dxgk_passes base;
    const struct dxgk_present_request *request;
    const RECT *sub_rects; /* clipped */
    UINT sub_rect_count;
    const void *private_data; /* the client's */
    UINT private_size;
};

static void fill_present(const struct present_passes *passes, DXGKARG_PRESENT *arguments)
{
    struct dxgk_context *context = passes->base.context;
    const struct dxgk_present_request *request = passes->request;
    const DXGK_FLIPCAPS *flips = &context->device->adapter->caps.FlipCaps;

    *arguments = (DXGKARG_PRESENT){
        .Color = request->color,
        .DstRect = request->destination_rect,
        .SrcRect = request->source_rect,
        .SubRectCnt = passes->sub_rect_count,
        .pDstSubRects = passes->sub_rects,
        .FlipInterval = request->interval,
        .Flags = request->flags,
    };
    if (context->virtual_addresses) { /* [PRES-013] */
        arguments->pAllocationInfo = dxgk_presents_list(context);
    } else {
        arguments->pAllocationList = dxgk_passes_list(context, DXGK_PRESENT_ALLOCATION_COUNT);
    }
    /* The flip queue counts longer intervals itself [PRES-031], and waits anyway [PRES-037]. */
    if (request->interval > 1 && !flips->FlipInterval) {
        arguments->FlipInterval = (D3DDDI_FLIPINTERVAL_TYPE)1;
    }
    if (request->flags.FlipWithNoWait && !flips->FlipOnVSyncWithNoWait) {
        arguments->Flags.FlipWithNoWait = 0;
        arguments->Flags.Flip = 1;
    }
    /* WDDM 2.0 counts the allocations of each side. */
    if (context->device->adapter->features.wddm2) {
        arguments->NumSrcAllocations = request->source != NULL;
        arguments->NumDstAllocations = request->destination != NULL;
        arguments->PrivateDriverDataSize = passes->private_size;
        arguments->pPrivateDriverData = (void *)passes->private_data;
    }
}

static void fill_buffer(const struct present_passes *passes, const struct dxgk_dma *dma,
                        DXGKARG_PRESENT *arguments)
{
    struct dxgk_context *context = passes->base.context;
    struct vidmm_dma_buffer *buffer = dma->buffer;

    arguments->pDmaBuffer = buffer->bytes;
    arguments->DmaSize = dma->size;
    arguments->pDmaBufferPrivateData = buffer->private_data;
    arguments->DmaBufferPrivateDataSize = dma->private_size;
    arguments->pPatchLocationListOut = dxgk_dma_patch_out(context, dma);
    arguments->PatchLocationListOutSize = dma->patch_size;
    arguments->DmaBufferSegmentId = buffer->segment;
    arguments->DmaBufferPhysicalAddress.QuadPart =
        (LONGLONG)(buffer->segment ? buffer->address : buffer->physical_address);
    arguments->DmaBufferGpuVirtualAddress = buffer->virtual_address; /* [PRES-050] */
}

/* A context's driver is asked by its handle, a hardware queue's by that of the queue [HWQ-012]. */
static NTSTATUS ask_once(struct dxgk_context *context, DXGKARG_PRESENT *arguments)
{
    struct ddi_adapter *ddi = &context->device->adapter->ddi;

    return dxgk_is_hwqueue(context)
               ? ddi_present_to_hw_queue(ddi, context->driver_handle, arguments, context->object)
               : ddi_present(ddi, context->driver_handle, arguments, context->object);
}

static bool is_turned_down(NTSTATUS status)
{
    return status == STATUS_INVALID_PARAMETER || status == STATUS_INVALID_USER_BUFFER ||
           status == STATUS_ILLEGAL_INSTRUCTION || status == STATUS_PRIVILEGED_INSTRUCTION;
}

/* What may be asked again. */
struct asked {
    const struct dxgk_dma *dma; /* NULL: a flip that it only validates */
    const DXGKARG_PRESENT first;
    const struct dxgk_attempt *attempt;
};

/* Once more, with zeros behind its structure or what lay there at first. */
static NTSTATUS ask_again(struct dxgk_context *context, const struct asked *asked, bool zeros)
{
    DXGKARG_PRESENT arguments = asked->first;

    if (asked->dma) {
        dxgk_dma_begin(asked->dma);
    }
    lent_set_behind(zeros);
    NTSTATUS status = ask_once(context, &arguments);
    lent_set_behind(false);
    return status;
}

/* Who was built for newer headers may read behind the structure of his version, and copy what he
 * reads. What he refuses because of it he takes where something else lies there, and refuses again
 * where it does not: what comes of time, or for want of memory, is none of that [GEN-012]. */
static void judge_refusal(struct dxgk_context *context, const struct asked *asked, NTSTATUS status)
{
    const struct dxgk_adapter *adapter = context->device->adapter;
    size_t size = abi_size(ABI_SIZE_OF_DXGKARG_PRESENT, adapter->features.version);

    if (!is_turned_down(status) || size == 0 || size >= sizeof asked->first ||
        !dxgk_attempt_is_calm(asked->attempt)) {
        return;
    }
    NTSTATUS with_zeros = ask_again(context, asked, true);
    bool depends = NT_SUCCESS(with_zeros) && ask_again(context, asked, false) == status;

    if (!dxgk_attempt_is_calm(asked->attempt)) {
        return;
    }
    contract_count(RULE_GEN_012);
    if (depends) {
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(GEN_012), .object = context->object},
            "an answer that depends on members of its version alone",
            "DXGKARG_PRESENT has %zu bytes in %s; where others than zeros lay behind them Present "
            "answered %s, where zeros did %s, and then the first again: it reads members that "
            "came later",
            size, abi_version_info(adapter->features.version)->name, status_name(status),
            status_name(with_zeros));
    }
}

static D3DDDIFORMAT format_of(const struct dxgk_opening *opening)
{
    return opening && opening->allocation->standard ? opening->allocation->format
                                                    : D3DDDIFMT_UNKNOWN;
}

/* For whoever has to say what the device made of it. */
static void note_request(const struct dxgk_present_request *request, struct dxgk_dma *dma)
{
    const RECT *from = &request->source_rect, *to = &request->destination_rect;

    dma->presented.flags = request->flags;
    dma->presented.from = format_of(request->source);
    dma->presented.to = format_of(request->destination);
    dma->presented.stretched =
        request->flags.Blt && (from->right - from->left != to->right - to->left ||
                               from->bottom - from->top != to->bottom - to->top);
}

static NTSTATUS call_present(struct dxgk_passes *base, struct dxgk_dma *dma, struct dxgk_pass *pass)
{
    struct present_passes *passes = container_of(base, struct present_passes, base);
    struct dxgk_context *context = base->context;
    DXGKARG_PRESENT arguments;

    struct dxgk_attempt attempt = dxgk_first_attempt(pass->multipass > 0);
    NTSTATUS status;

    note_request(passes->request, dma);
    do {
        dxgk_dma_begin(dma);
        fill_present(passes, &arguments);
        fill_buffer(passes, dma, &arguments);
        arguments.MultipassOffset = pass->multipass;
        const struct asked asked = {dma, arguments, &attempt};
        status = ask_once(context, &arguments);
        judge_refusal(context, &asked, status);
    } while (dxgk_tries_again(status, &attempt));
    *pass = (struct dxgk_pass){
        .end = arguments.pDmaBuffer,
        .private_end = arguments.pDmaBufferPrivateData,
        .patch_end = arguments.pPatchLocationListOut,
        .multipass = arguments.MultipassOffset,
    };
    return status;
}

/* The driver writes commands that flip; the packet waits its turn at the source [PRES-035]. */
static NTSTATUS present_flip_command(struct dxgk_context *context,
                                     const struct dxgk_present_request *request)
{
    bool waits =
        request->flags.Flip || !context->device->adapter->caps.FlipCaps.FlipOnVSyncWithNoWait;
    struct present_passes passes = {
        .base = {.call = call_present,
                 .context = context,
                 .road = &dxgk_road_flip_command,
                 .flags = {.Present = 1, .Flip = waits, .FlipWithNoWait = !waits}, /* [PRES-055] */
                 .allocation_count = DXGK_PRESENT_ALLOCATION_COUNT,
                 .is_work = true,
                 .going_on = CONTRACT_JUDGES(PRES_024)},
        .request = request,
    };
    NTSTATUS status = dxgk_flip_command_begin(context, request, &passes.base.flip);

    if (NT_SUCCESS(status)) {
        status = dxgk_passes_run(&passes.base);
        dxgk_flip_command_put(passes.base.flip);
    }
    return status;
}

/* With MMIO flips the driver only validates; the flip itself waits its turn [PRES-010]. */
static NTSTATUS present_flip(struct dxgk_context *context,
                             const struct dxgk_present_request *request)
{
    const struct present_passes passes = {.base.context = context,
                                          .request = request,
                                          .private_data = request->private_data,
                                          .private_size = request->private_size};
    DXGKARG_PRESENT arguments;

    if (!context->device->adapter->caps.FlipCaps.FlipOnVSyncMmIo) {
        if (context->virtual_addresses) {
            return STATUS_NOT_SUPPORTED; /* flips by register came long before addresses */
        }
        return present_flip_command(context, request);
    }
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    NTSTATUS status;

    do {
        fill_present(&passes, &arguments);
        const struct asked asked = {NULL, arguments, &attempt};
        status = ask_once(context, &arguments);
        judge_refusal(context, &asked, status);
    } while (dxgk_tries_again(status, &attempt));
    return NT_SUCCESS(status) ? dxgk_flip_queue(context, request) : status;
}

static LONG at_least(LONG value, LONG limit)
{
    return value < limit ? limit : value;
}

static LONG at_most(LONG value, LONG limit)
{
    return value > limit ? limit : value;
}

/* Drivers do not clip: rectangles are inside DstRect, and none is empty [PRES-027]. Returns how
 * many are left. */
static UINT clip_sub_rects(const struct dxgk_present_request *request, RECT *out)
{
    const RECT *outer = &request->destination_rect;
    const RECT *in = request->sub_rect_count ? request->sub_rects : outer;
    UINT count = request->sub_rect_count ? request->sub_rect_count : 1, kept = 0;

    for (UINT i = 0; i < count; i++) {
        const RECT clipped = {at_least(in[i].left, outer->left), at_least(in[i].top, outer->top),
                              at_most(in[i].right, outer->right),
                              at_most(in[i].bottom, outer->bottom)};
        if (clipped.left < clipped.right && clipped.top < clipped.bottom) {
            out[kept++] = clipped;
        }
    }
    return kept;
}

/* The same before, with private data that no user-mode driver sends; nothing of it stays. */
static void present_spoiled(const struct present_passes *good)
{
    struct present_passes passes = *good;

    if (!good->base.context->device->adapter->features.wddm2 ||
        !vary_happens(VARY_BAD_PRIVATE_DATA, 16)) {
        return;
    }
    void *spoiled = dxgk_spoiled(good->private_data, &passes.private_size);
    passes.private_data = spoiled;
    passes.base.dropped = true;
    dxgk_passes_run(&passes.base);
    nt_memory_free(spoiled);
}

static NTSTATUS present_one(struct dxgk_context *context,
                            const struct dxgk_present_request *request)
{
    UINT count = request->sub_rect_count ? request->sub_rect_count : 1;
    /* The driver reads the rectangles through every pass: they are ours, at a replaying address. */
    RECT *sub_rects = nt_memory_hand(count * sizeof *sub_rects, "pDstSubRects");
    struct present_passes passes = {
        .base = {.call = call_present,
                 .context = context,
                 .road = dxgk_is_hwqueue(context)     ? &dxgk_road_hwqueue_present
                         : context->virtual_addresses ? &dxgk_road_present_virtual
                                                      : &dxgk_road_present,
                 .flags.Present = 1, /* [PRES-055] */
                 .allocation_count = DXGK_PRESENT_ALLOCATION_COUNT,
                 .is_work = true,
                 .progress_id = request->progress_id,
                 .going_on = CONTRACT_JUDGES(PRES_024)},
        .request = request,
        .private_data = request->private_data,
        .private_size = request->private_size,
    };
    NTSTATUS status = STATUS_SUCCESS;

    if (!sub_rects) {
        return STATUS_NO_MEMORY;
    }
    UINT kept = passes.sub_rect_count = clip_sub_rects(request, sub_rects);
    passes.sub_rects = memmove(sub_rects + count - kept, sub_rects, kept * sizeof *sub_rects);
    if (passes.sub_rect_count > 0) {
        present_spoiled(&passes);
        status = dxgk_passes_run(&passes.base);
    }
    nt_memory_free(sub_rects);
    return status;
}

static bool can_scan_left_alone(const struct dxgk_adapter *adapter, UINT source)
{
    return source < adapter->source_count &&
           adapter->sources[source].mode.type == D3DKMDT_RMT_GRAPHICS_STEREO_ADVANCED_SCAN;
}

/* A primary with two images shows both, or the left one twice, and what has one has no choice; the
 * page says of the modifiers which go together [PRES-044]. */
static NTSTATUS check_stereo(const struct dxgk_context *context,
                             const struct dxgk_present_request *request)
{
    const struct dxgk_adapter *adapter = context->device->adapter;
    DXGK_PRESENTFLAGS flags = request->flags;
    bool flips = flags.Flip || flags.FlipWithNoWait;
    bool source = request->source && request->source->allocation->stereo;
    bool destination = request->destination && request->destination->allocation->stereo;
    UINT asked = flags.FlipStereo + flags.FlipStereoTemporaryMono;

    if (asked + flags.FlipStereoPreferRight + flags.BltStereoUseRight > 0 &&
        !adapter->features.flips_by_register) {
        return STATUS_NOT_SUPPORTED; /* they came with flips that are required to go by register */
    }
    if (asked != (flips && source) || flags.FlipStereoPreferRight > flags.FlipStereo ||
        (flags.FlipStereoTemporaryMono && !can_scan_left_alone(adapter, request->vidpn_source)) ||
        (flags.BltStereoUseRight && (!flags.Blt || !source || destination))) {
        return STATUS_INVALID_PARAMETER;
    }
    return STATUS_SUCCESS;
}

/* Lists without addresses name nothing that is seen by virtual address alone. */
static bool may_be_listed(const struct dxgk_opening *opening)
{
    bool may = !opening || dxgk_opening_is_listed(opening);

    if (!may) {
        dxgk_clue_not_listed(opening->allocation);
    }
    return may;
}

static NTSTATUS present(struct dxgk_context *context, const struct dxgk_present_request *request)
{
    DXGK_PRESENTFLAGS flags = request->flags;
    NTSTATUS status;

    if (context->device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    if (context->gdi) {
        return STATUS_INVALID_PARAMETER; /* the driver was told what it is for */
    }
    if (!context->virtual_addresses &&
        (!may_be_listed(request->source) || !may_be_listed(request->destination))) {
        return STATUS_INVALID_PARAMETER;
    }
    if (flags.Blt + flags.ColorFill + flags.Flip + flags.FlipWithNoWait != 1 ||
        flags.ColorFill + flags.SrcColorKey + flags.DstColorKey > 1 || flags.Reserved ||
        flags.FlipWithMultiPlaneOverlay || request->sub_rect_count > 1u << 16 ||
        (flags.ColorFill && request->source) || (!flags.ColorFill && !request->source) ||
        ((flags.Blt || flags.ColorFill) && !request->destination)) {
        return STATUS_INVALID_PARAMETER;
    }
    status = check_stereo(context, request);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (vary_happens(VARY_BAD_COMMANDS, 16)) {
        dxgk_render_noise(context);
    }
    if (!dxgk_passes_begin(context)) {
        return STATUS_INVALID_HANDLE;
    }
    dxgk_queued_enter(context);
    status = context->virtual_addresses ? dxgk_presents_begin(context) : STATUS_SUCCESS;
    if (NT_SUCCESS(status)) {
        status = place_present_list(context, request);
    }
    if (NT_SUCCESS(status)) {
        record_event(EVENT_PRESENT, context->object, flags.Value, 0);
        status = flags.Flip || flags.FlipWithNoWait ? present_flip(context, request)
                                                    : present_one(context, request);
    }
    dxgk_queued_leave(context);
    dxgk_passes_end(context, context->allocation_openings ? DXGK_PRESENT_ALLOCATION_COUNT : 0);
    return status;
}

NTSTATUS dxgk_present(struct dxgk_context *context, const struct dxgk_present_request *request)
{
    dxgk_queued_begin(context->device);
    dxgk_wait_awake();
    struct dxgk_source *screen =
        dxgk_screen_begin_present(context->device->adapter, request); /* [PRES-054] */
    NTSTATUS status = present(context, request);
    dxgk_screen_end_present(screen);
    dxgk_queued_end(context->device);
    return status;
}

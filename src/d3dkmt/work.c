/* Work for the GPU: Render, Present, waiting for the end, Escape. */
#include "d3dkmt/duplication.h"
#include "d3dkmt/internal.h"

#include <string.h>

/* ---- Render -------------------------------------------------------------------------------- */

/* The context has one set of memory; the driver has read it when the call returns. */
static void answer_render(struct dxgk_context *context, D3DKMT_RENDER *arguments)
{
    struct dxgk_command_space space;

    dxgk_context_command_space(context, &space);
    arguments->pNewCommandBuffer = space.commands;
    arguments->NewCommandBufferSize = space.command_bytes;
    arguments->pNewAllocationList = space.allocations;
    arguments->NewAllocationListSize = space.allocation_count;
    arguments->pNewPatchLocationList = space.patches;
    arguments->NewPatchLocationListSize = space.patch_count;
    arguments->QueuedBufferCount = 0;
    arguments->NewCommandBuffer = 0;
}

static NTSTATUS render(struct client_call *call, D3DKMT_RENDER *arguments)
{
    struct dxgk_context *context = context_of(call, arguments->hContext);

    if (!context) {
        return NO_SUCH_OBJECT;
    }
    if (arguments->BroadcastContextCount) {
        return STATUS_NOT_SUPPORTED; /* linked adapters */
    }
    if (arguments->Flags.RenderKm || arguments->Flags.RenderKmReadback ||
        arguments->Flags.Reserved) {
        return STATUS_NOT_SUPPORTED;
    }
    const struct dxgk_render_request request = {
        .command_offset = arguments->CommandOffset,
        .command_bytes = arguments->CommandLength,
        .allocation_count = arguments->AllocationCount,
        .patch_count = arguments->PatchLocationCount,
        .null_rendering = arguments->Flags.NullRendering,
        .redirected = arguments->Flags.PresentRedirected,
    };
    NTSTATUS status = dxgk_render(context, &request);
    if (NT_SUCCESS(status)) {
        answer_render(context, arguments);
    }
    return status;
}
CLIENT_CALL(Render, render, D3DKMT_RENDER)

/* ---- Present ------------------------------------------------------------------------------- */

static bool is_empty(const RECT *rect)
{
    return rect->left >= rect->right || rect->top >= rect->bottom;
}

static RECT intersect(const RECT *a, const RECT *b)
{
    return (RECT){
        .left = a->left > b->left ? a->left : b->left,
        .top = a->top > b->top ? a->top : b->top,
        .right = a->right < b->right ? a->right : b->right,
        .bottom = a->bottom < b->bottom ? a->bottom : b->bottom,
    };
}

/* Both corners moved; false if that leaves the range of coordinates. */
static bool move(const RECT *rect, int64_t dx, int64_t dy, RECT *out)
{
    return !__builtin_add_overflow(rect->left, dx, &out->left) &&
           !__builtin_add_overflow(rect->right, dx, &out->right) &&
           !__builtin_add_overflow(rect->top, dy, &out->top) &&
           !__builtin_add_overflow(rect->bottom, dy, &out->bottom);
}

static NTSTATUS whole_of(struct dxgk_opening *opening, bool turned, RECT *out)
{
    UINT width, height;
    NTSTATUS status = dxgk_opening_extent(opening, turned, &width, &height);

    if (NT_SUCCESS(status)) {
        *out = (RECT){0, 0, (LONG)width, (LONG)height};
    }
    return status;
}

/* What of the present is decided before its rectangles are looked at. */
struct plan {
    struct dxgk_present_request request;
    RECT source_whole, destination_whole;
    RECT clip; /* what may be written */
    bool stretched;
    struct dxgk_hwqueue *queue; /* by which it goes; NULL: by the context */
};

static bool are_flags_known(D3DKMT_PRESENTFLAGS flags)
{
    D3DKMT_PRESENTFLAGS known = {.Value = 0};

    known.Blt = known.ColorFill = known.Flip = 1;
    known.FlipDoNotWait = known.DstRectValid = known.SrcRectValid = 1;
    known.SrcColorKey = known.DstColorKey = known.LinearToSrgb = known.Rotate = 1;
    known.RestrictVidPnSource = known.PresentCountValid = 1;
    known.FlipStereo = known.FlipStereoTemporaryMono = known.FlipStereoPreferRight = 1;
    known.BltStereoUseRight = 1;
    return (flags.Value & ~known.Value) == 0;
}

static NTSTATUS decode_flags(struct dxgk_context *context, const D3DKMT_PRESENT *arguments,
                             struct dxgk_present_request *request)
{
    D3DKMT_PRESENTFLAGS flags = arguments->Flags;
    struct dxgk_adapter_info info;

    if (!are_flags_known(flags) || arguments->BroadcastContextCount) {
        return STATUS_NOT_SUPPORTED;
    }
    if (flags.Blt + flags.ColorFill + flags.Flip != 1 || /* [PRES-032] */
        flags.ColorFill + flags.SrcColorKey + flags.DstColorKey > 1 ||
        (flags.Flip &&
         (flags.SrcColorKey || flags.DstColorKey || flags.LinearToSrgb || flags.SrcRectValid ||
          flags.DstRectValid || flags.Rotate || flags.RestrictVidPnSource)) ||
        (unsigned)arguments->FlipInterval > D3DDDI_FLIPINTERVAL_FOUR) {
        return STATUS_INVALID_PARAMETER;
    }
    const struct dxgk_device *device = dxgk_context_device(context);
    if (flags.Flip && (arguments->VidPnSourceId >= D3DKMDT_MAX_VIDPN_SOURCES ||
                       !dxgk_source_shows(dxgk_device_adapter(device), arguments->VidPnSourceId))) {
        return STATUS_INVALID_PARAMETER; /* there is nothing in the place of which it could come */
    }
    if (flags.Flip &&
        client_source_is_taken(arguments->VidPnSourceId, dxgk_device_handle(device))) {
        return STATUS_GRAPHICS_PRESENT_OCCLUDED;
    }
    dxgk_adapter_info(dxgk_device_adapter(device), &info);
    /* Of a flip by register the kernel counts the vertical syncs itself [PRES-031]. */
    if (flags.Flip && ((arguments->FlipInterval > D3DDDI_FLIPINTERVAL_ONE &&
                        !info.caps.FlipCaps.FlipInterval && !info.caps.FlipCaps.FlipOnVSyncMmIo) ||
                       (flags.FlipDoNotWait && !info.caps.FlipCaps.FlipOnVSyncWithNoWait))) {
        return STATUS_NOT_SUPPORTED; /* [PRES-037] */
    }
    request->flags.Blt = flags.Blt;
    request->flags.ColorFill = flags.ColorFill;
    request->flags.Flip = flags.Flip && !flags.FlipDoNotWait;
    request->flags.FlipWithNoWait = flags.Flip && flags.FlipDoNotWait;
    request->flags.SrcColorKey = flags.SrcColorKey;
    request->flags.DstColorKey = flags.DstColorKey;
    request->flags.LinearToSrgb = flags.LinearToSrgb;
    request->flags.Rotate = flags.Rotate;
    request->flags.FlipStereo = flags.FlipStereo;
    request->flags.FlipStereoTemporaryMono = flags.FlipStereoTemporaryMono;
    request->flags.FlipStereoPreferRight = flags.FlipStereoPreferRight;
    request->flags.BltStereoUseRight = flags.BltStereoUseRight;
    request->color = arguments->Color;
    request->interval = flags.Flip ? arguments->FlipInterval : D3DDDI_FLIPINTERVAL_IMMEDIATE;
    request->vidpn_source = arguments->VidPnSourceId;
    return STATUS_SUCCESS;
}

/* Which sides a present has is fixed by its kind [PRES-014]. */
static NTSTATUS decode_sides(struct client_call *call, struct dxgk_context *context,
                             const D3DKMT_PRESENT *arguments, struct plan *plan)
{
    struct dxgk_device *device = dxgk_context_device(context);
    bool wants_source = !arguments->Flags.ColorFill, wants_destination = !arguments->Flags.Flip;
    NTSTATUS status = STATUS_SUCCESS;
    UINT primary_of;

    if (wants_source) {
        plan->request.source = opening_of(call, device, arguments->hSource);
        if (!plan->request.source) {
            return NO_SUCH_OBJECT;
        }
        if (arguments->Flags.Flip && (!dxgk_opening_source(plan->request.source, &primary_of) ||
                                      primary_of != arguments->VidPnSourceId)) {
            return STATUS_INVALID_PARAMETER; /* no primary of that source */
        }
        status = whole_of(plan->request.source, false, &plan->source_whole);
    }
    if (wants_destination && NT_SUCCESS(status)) {
        plan->request.destination = opening_of(call, device, arguments->hDestination);
        if (!plan->request.destination) {
            return NO_SUCH_OBJECT;
        }
        status =
            whole_of(plan->request.destination, arguments->Flags.Rotate, &plan->destination_whole);
    }
    return status;
}

/* No desktop reaches further; the corners of a stretch are not cut, so they must be in it. */
static const RECT screens = {-32767, -32767, 32767, 32767};

/* Of an unstretched copy only what both surfaces have is copied. */
static NTSTATUS decode_rects(const D3DKMT_PRESENT *arguments, struct plan *plan)
{
    struct dxgk_present_request *request = &plan->request;

    if (arguments->Flags.Flip) {
        request->source_rect = plan->source_whole;
        request->destination_rect = plan->source_whole;
        return STATUS_SUCCESS;
    }
    request->destination_rect =
        arguments->Flags.DstRectValid ? arguments->DstRect : plan->destination_whole;
    request->source_rect = arguments->Flags.SrcRectValid ? arguments->SrcRect : plan->source_whole;
    if (arguments->Flags.ColorFill) {
        request->source_rect = request->destination_rect;
    }
    const RECT *to = &request->destination_rect, *from = &request->source_rect;
    if (is_empty(to) || is_empty(from)) {
        return STATUS_INVALID_PARAMETER;
    }
    int64_t dx = (int64_t)to->left - from->left, dy = (int64_t)to->top - from->top;
    plan->stretched =
        (int64_t)to->right - from->right != dx || (int64_t)to->bottom - from->bottom != dy;
    plan->clip = intersect(to, &plan->destination_whole);
    if (arguments->Flags.ColorFill) {
        return STATUS_SUCCESS;
    }
    if (plan->stretched) {
        RECT inside = intersect(from, &plan->source_whole);
        RECT sane = intersect(to, &screens);
        return memcmp(&inside, from, sizeof inside) == 0 && memcmp(&sane, to, sizeof sane) == 0
                   ? STATUS_SUCCESS
                   : STATUS_INVALID_PARAMETER;
    }
    RECT source_there;
    if (!move(&plan->source_whole, dx, dy, &source_there)) {
        return STATUS_INVALID_PARAMETER;
    }
    plan->clip = intersect(&plan->clip, &source_there);
    return STATUS_SUCCESS;
}

/* `value`, counted from the begin of a side of `from` pixels, in one of `to` pixels. */
static LONG scale(int64_t value, int64_t from, int64_t to, bool up)
{
    return (LONG)((value * to + (up ? from - 1 : 0)) / from);
}

/* The pixels of the destination that show any of `rect`, which is cut to the source first: then
 * neither side is longer than `screens` or a surface, and no product too large. */
static RECT stretch(const struct plan *plan, const RECT *rect)
{
    const RECT *to = &plan->request.destination_rect, *from = &plan->request.source_rect;
    RECT inside = intersect(rect, from);
    LONG width = from->right - from->left, height = from->bottom - from->top;
    LONG wide = to->right - to->left, high = to->bottom - to->top;

    if (is_empty(&inside)) {
        return (RECT){0};
    }
    return (RECT){
        .left = to->left + scale(inside.left - from->left, width, wide, false),
        .top = to->top + scale(inside.top - from->top, height, high, false),
        .right = to->left + scale(inside.right - from->left, width, wide, true),
        .bottom = to->top + scale(inside.bottom - from->top, height, high, true),
    };
}

/* Sub-rectangles come in the source's coordinates and go to the driver in the destination's, cut to
 * what may be written [PRES-027]. That they are the source's is what the member's name says; the
 * documents do not. Those that are left stay in `rects`. */
static NTSTATUS decode_sub_rects(const struct plan *plan, RECT *rects, UINT *count)
{
    const RECT *to = &plan->request.destination_rect, *from = &plan->request.source_rect;
    int64_t dx = (int64_t)to->left - from->left, dy = (int64_t)to->top - from->top;
    UINT kept = 0;

    for (UINT i = 0; i < *count; i++) {
        RECT rect;
        if (plan->stretched) {
            rect = stretch(plan, &rects[i]);
        } else if (!move(&rects[i], dx, dy, &rect)) {
            return STATUS_INVALID_PARAMETER;
        }
        rect = intersect(&rect, &plan->clip);
        if (!is_empty(&rect)) {
            rects[kept++] = rect;
        }
    }
    *count = kept;
    return STATUS_SUCCESS;
}

/* What the user-mode driver tells the driver of the present. */
static NTSTATUS decode_private(struct client_call *call, const D3DKMT_PRESENT *arguments,
                               struct plan *plan)
{
    struct dxgk_present_request *request = &plan->request;
    void *copy;
    NTSTATUS status = client_capture_private(call, arguments->pPrivateDriverData,
                                             arguments->PrivateDriverDataSize, &copy);

    request->private_data = copy;
    request->private_size = arguments->PrivateDriverDataSize;
    return status;
}

/* Within one surface a driver may be unable to copy, or to copy to where it reads [PRES-015]. */
static NTSTATUS check_same_surface(struct dxgk_context *context, const struct plan *plan)
{
    const struct dxgk_present_request *request = &plan->request;
    struct dxgk_adapter_info info;

    if (!request->flags.Blt || request->source != request->destination) {
        return STATUS_SUCCESS;
    }
    dxgk_adapter_info(dxgk_device_adapter(dxgk_context_device(context)), &info);
    RECT common = intersect(&request->source_rect, &request->destination_rect);
    return info.caps.PresentationCaps.NoScreenToScreenBlt ||
                   (info.caps.PresentationCaps.NoOverlapScreenBlt && !is_empty(&common))
               ? STATUS_NOT_SUPPORTED
               : STATUS_SUCCESS;
}

/* Corners that lie outside of the surfaces tell the driver nothing but a stretch factor; without a
 * stretch it gets those of what is copied. */
static void cut_corners(struct plan *plan)
{
    struct dxgk_present_request *request = &plan->request;
    int64_t dx = (int64_t)request->source_rect.left - request->destination_rect.left;
    int64_t dy = (int64_t)request->source_rect.top - request->destination_rect.top;

    if (!plan->stretched && move(&plan->clip, dx, dy, &request->source_rect)) {
        request->destination_rect = plan->clip;
    }
}

static NTSTATUS hand_on(struct dxgk_context *context, const struct plan *plan)
{
    return plan->queue ? dxgk_hwqueue_present(plan->queue, &plan->request)
                       : dxgk_present(context, &plan->request);
}

/* Who waits for a queue's fence is not left waiting. */
static NTSTATUS hand_on_nothing(const struct plan *plan)
{
    return plan->queue ? dxgk_hwqueue_pass(plan->queue, plan->request.progress_id) : STATUS_SUCCESS;
}

static NTSTATUS present_rects(struct client_call *call, struct dxgk_context *context,
                              const D3DKMT_PRESENT *arguments, struct plan *plan)
{
    UINT count = arguments->SubRectCnt;
    void *rects;

    if (arguments->Flags.Flip) {
        return hand_on(context, plan);
    }
    if (count == 0) {
        if (is_empty(&plan->clip)) {
            return hand_on_nothing(plan);
        }
        cut_corners(plan);
        plan->request.sub_rect_count = 1;
        plan->request.sub_rects = &plan->clip;
        return hand_on(context, plan);
    }
    if (count > SUB_RECTS_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = client_capture(call, arguments->pSrcSubRects, count, sizeof(RECT), &rects);
    if (NT_SUCCESS(status)) {
        status = decode_sub_rects(plan, rects, &count);
    }
    if (NT_SUCCESS(status) && count > 0) {
        cut_corners(plan);
        plan->request.sub_rect_count = count;
        plan->request.sub_rects = rects;
        return hand_on(context, plan);
    }
    return NT_SUCCESS(status) ? hand_on_nothing(plan) : status;
}

/* By the context, or the plan's queue, whose time line the context is. */
static NTSTATUS present_by(struct client_call *call, struct dxgk_context *context,
                           const D3DKMT_PRESENT *arguments, struct plan *plan)
{
    NTSTATUS status = decode_flags(context, arguments, &plan->request);

    if (NT_SUCCESS(status)) {
        status = decode_sides(call, context, arguments, plan);
    }
    if (NT_SUCCESS(status)) {
        status = decode_rects(arguments, plan);
    }
    if (NT_SUCCESS(status)) {
        status = check_same_surface(context, plan);
    }
    if (NT_SUCCESS(status)) {
        status = decode_private(call, arguments, plan);
    }
    return NT_SUCCESS(status) ? present_rects(call, context, arguments, plan) : status;
}

static NTSTATUS present(struct client_call *call, D3DKMT_PRESENT *arguments)
{
    struct dxgk_context *context = context_of(call, arguments->hContext);
    struct plan plan = {0};

    return context ? present_by(call, context, arguments, &plan) : NO_SUCH_OBJECT;
}
CLIENT_CALL(Present, present, D3DKMT_PRESENT)

NTSTATUS client_present_copy(struct client_call *call, const struct client_copier *copier)
{
    const D3DKMT_PRESENT arguments = {
        .hSource = copier->source, .hDestination = copier->destination, .Flags.Blt = 1};
    struct plan plan = {.queue = copier->queue};

    return present_by(call, copier->context, &arguments, &plan);
}

/* A copy that leaves its id in the queue's fence. */
static NTSTATUS present_blt(struct client_call *call,
                            const D3DKMT_SUBMITPRESENTBLTTOHWQUEUE *arguments)
{
    struct dxgk_hwqueue *queue = hwqueue_of(call, arguments->hHwQueue);
    struct plan plan = {.queue = queue, .request.progress_id = arguments->HwQueueProgressFenceId};

    if (!queue) {
        return NO_SUCH_OBJECT;
    }
    if (arguments->HwQueueProgressFenceId == 0 || arguments->PrivatePresentData.Flags.Flip) {
        return STATUS_INVALID_PARAMETER;
    }
    return present_by(call, dxgk_hwqueue_stream(queue), &arguments->PrivatePresentData, &plan);
}
CLIENT_CALL_IN(SubmitPresentBltToHwQueue, present_blt, D3DKMT_SUBMITPRESENTBLTTOHWQUEUE)

/* One without an id: a flip behind the queue's work, or a copy with the next one. The queues are
 * those of linked adapters, of which there is one. */
static NTSTATUS present_to_queue(struct client_call *call, D3DKMT_SUBMITPRESENTTOHWQUEUE *arguments)
{
    void *queues;
    NTSTATUS status = client_capture(call, arguments->hHwQueues, 1, sizeof(D3DKMT_HANDLE), &queues);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    struct plan plan = {.queue = hwqueue_of(call, *(const D3DKMT_HANDLE *)queues)};
    return plan.queue ? present_by(call, dxgk_hwqueue_stream(plan.queue),
                                   &arguments->PrivatePresentData, &plan)
                      : NO_SUCH_OBJECT;
}
CLIENT_CALL(SubmitPresentToHwQueue, present_to_queue, D3DKMT_SUBMITPRESENTTOHWQUEUE)

/* ---- Waiting, Escape ----------------------------------------------------------------------- */

static NTSTATUS wait_idle(struct client_call *call, const D3DKMT_WAITFORIDLE *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);

    return device ? dxgk_device_wait_idle(device, MACHINE_NEVER) : NO_SUCH_OBJECT;
}
CLIENT_CALL_IN(WaitForIdle, wait_idle, D3DKMT_WAITFORIDLE)

/* What an Escape names, if it does: the device is the adapter's, the context the device's. */
static bool decode_escape(struct client_call *call, const D3DKMT_ESCAPE *arguments,
                          struct dxgk_escape_request *request)
{
    const struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);
    struct dxgk_device *device = arguments->hDevice ? device_of(call, arguments->hDevice) : NULL;
    struct dxgk_context *context =
        arguments->hContext ? exact_context_of(call, arguments->hContext) : NULL;
    const struct dxgk_device *owner = context ? dxgk_context_device(context) : device;

    request->device = device;
    request->context = context;
    return adapter && !device == !arguments->hDevice && !context == !arguments->hContext &&
           (!device || device == owner) && (!owner || dxgk_device_adapter(owner) == adapter);
}

/* What is asked of the kernel, to test how a driver comes out of a time-out. */
static NTSTATUS control_resets(struct client_call *call, struct dxgk_adapter *adapter,
                               const D3DKMT_ESCAPE *arguments)
{
    D3DKMT_TDRDBGCTRLTYPE *control;
    void *copy;

    if (arguments->PrivateDriverDataSize < sizeof *control) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status =
        client_capture(call, arguments->pPrivateDriverData, 1, sizeof *control, &copy);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    control = copy;
    return *control == D3DKMT_TDRDBGCTRLTYPE_FORCETDR ? dxgk_adapter_force_reset(adapter)
                                                      : STATUS_NOT_SUPPORTED;
}

static NTSTATUS escape(struct client_call *call, const D3DKMT_ESCAPE *arguments)
{
    struct dxgk_escape_request request = {.flags = arguments->Flags};
    UINT size = arguments->PrivateDriverDataSize;
    void *copy;

    if (!decode_escape(call, arguments, &request)) {
        return NO_SUCH_OBJECT;
    }
    if (arguments->Type == D3DKMT_ESCAPE_TDRDBGCTRL) {
        return control_resets(call, adapter_of(call, arguments->hAdapter), arguments);
    }
    if (arguments->Type != D3DKMT_ESCAPE_DRIVERPRIVATE) {
        return STATUS_NOT_SUPPORTED;
    }
    NTSTATUS status = client_capture_private(call, arguments->pPrivateDriverData, size, &copy);
    if (NT_SUCCESS(status)) {
        status = client_probe_write(arguments->pPrivateDriverData, size);
    }
    if (NT_SUCCESS(status)) {
        request.private_data = copy;
        request.private_size = size;
        status = dxgk_escape(adapter_of(call, arguments->hAdapter), &request);
    }
    return NT_SUCCESS(status) ? client_write(arguments->pPrivateDriverData, copy, size) : status;
}
CLIENT_CALL_IN(Escape, escape, D3DKMT_ESCAPE)

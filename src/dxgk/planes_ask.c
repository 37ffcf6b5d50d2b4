/* Overlay planes: what clients ask for is checked, the driver is asked whether it can show it,
 * and a flip is queued (planes.c). */
#include "dxgk/overlay.h"
#include "dxgk/planes_parts.h"
#include "dxgk/work.h"

enum dxgk_planes_form dxgk_adapter_planes_form(const struct dxgk_adapter *adapter)
{
    const struct ddi_adapter *ddi = &adapter->ddi;

    if (!adapter->caps.SupportMultiPlaneOverlay || adapter->caps.MaxOverlayPlanes == 0) {
        return DXGK_PLANES_NONE;
    }
    if (ddi_has(ddi, POINT_CheckMultiPlaneOverlaySupport3) &&
        ddi_has(ddi, POINT_SetVidPnSourceAddressWithMultiPlaneOverlay3)) {
        return DXGK_PLANES_THIRD;
    }
    if (ddi_has(ddi, POINT_CheckMultiPlaneOverlaySupport2) &&
        ddi_has(ddi, POINT_SetVidPnSourceAddressWithMultiPlaneOverlay2)) {
        return DXGK_PLANES_SECOND;
    }
    return ddi_has(ddi, POINT_CheckMultiPlaneOverlaySupport) &&
                   ddi_has(ddi, POINT_SetVidPnSourceAddressWithMultiPlaneOverlay)
               ? DXGK_PLANES_FIRST
               : DXGK_PLANES_NONE;
}

bool dxgk_adapter_has_planes(const struct dxgk_adapter *adapter)
{
    return dxgk_adapter_planes_form(adapter) != DXGK_PLANES_NONE;
}

/* Who says so without the DDIs has planes that nobody can show. */
void dxgk_planes_judge_caps(const struct dxgk_adapter *adapter)
{
    if (!adapter->caps.SupportMultiPlaneOverlay || adapter->caps.MaxOverlayPlanes == 0 ||
        adapter->source_count == 0) {
        return;
    }
    contract_count(RULE_MPO_022);
    if (dxgk_adapter_planes_form(adapter) == DXGK_PLANES_NONE) {
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(MPO_022), .object = adapter->object},
            "DxgkDdiCheckMultiPlaneOverlaySupport and "
            "DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay, or both with 2, or "
            "both with 3",
            "SupportMultiPlaneOverlay is set, MaxOverlayPlanes is %u, and the table of "
            "DDIs has no such pair",
            adapter->caps.MaxOverlayPlanes);
    }
}

static UINT planes_max(const struct dxgk_adapter *adapter)
{
    UINT said = adapter->caps.MaxOverlayPlanes;

    return said < DXGK_PLANES_MAX ? said : DXGK_PLANES_MAX;
}

/* ---- The question ---------------------------------------------------------------------------- */

/* What the driver is asked about: arrays of its own, which it may not write behind. */
struct question {
    enum dxgk_planes_form form;
    DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2 *planes, **list;
    void *older; /* the array of the older forms */
    UINT count;
};

static void question_end(struct question *question)
{
    nt_memory_free(question->planes);
    nt_memory_free(question->list);
    nt_memory_free(question->older);
}

static NTSTATUS question_begin(struct question *question, enum dxgk_planes_form form, UINT most)
{
    *question = (struct question){.form = form};
    question->planes = nt_memory_hand(most * sizeof *question->planes, "ppPlanes[]");
    question->list = nt_memory_hand(most * sizeof(void *), "ppPlanes");
    if (!question->planes || !question->list) {
        question_end(question);
        return STATUS_NO_MEMORY;
    }
    return STATUS_SUCCESS;
}

/* One that would be on; of the source and layer that are filled in. */
static void question_add(struct question *question,
                         const DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2 *plane)
{
    question->planes[question->count] = *plane;
    question->list[question->count] = &question->planes[question->count];
    question->count++;
}

static NTSTATUS ask_third(struct dxgk_adapter *adapter, struct question *question,
                          struct dxgk_planes_answer *answer)
{
    DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3 arguments = {
        .PlaneCount = question->count,
        .ppPlanes = question->list,
    };
    NTSTATUS status = ddi_check_multi_plane_overlay_support3(
        &adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);

    answer->supported = NT_SUCCESS(status) && arguments.Supported;
    answer->info = arguments.ReturnInfo;
    return status;
}

static NTSTATUS ask_second(struct dxgk_adapter *adapter, struct question *question,
                           struct dxgk_planes_answer *answer)
{
    DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE *planes =
        nt_memory_hand(question->count * sizeof *planes, "pPlanes");
    DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT2 arguments = {.PlaneCount = question->count,
                                                        .pPlanes = planes};

    question->older = planes;
    if (!planes) {
        return STATUS_NO_MEMORY;
    }
    for (UINT i = 0; i < question->count; i++) {
        const DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2 *plane = &question->planes[i];
        planes[i] = (DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE){
            .hAllocation = plane->hAllocation,
            .VidPnSourceId = plane->VidPnSourceId,
            .LayerIndex = plane->LayerIndex,
            .PlaneAttributes = dxgk_plane_second(&plane->PlaneAttributes),
        };
    }
    NTSTATUS status = ddi_check_multi_plane_overlay_support2(
        &adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
    answer->supported = NT_SUCCESS(status) && arguments.Supported;
    answer->info = arguments.ReturnInfo;
    return status;
}

/* Which layer a plane is in this form cannot say: they stand from the top down. */
static NTSTATUS ask_first(struct dxgk_adapter *adapter, struct question *question,
                          struct dxgk_planes_answer *answer)
{
    DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_PLANE *planes =
        nt_memory_hand(question->count * sizeof *planes, "pPlanes");
    DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT arguments = {.PlaneCount = question->count,
                                                       .pPlanes = planes};

    question->older = planes;
    if (!planes) {
        return STATUS_NO_MEMORY;
    }
    for (UINT i = 0; i < question->count; i++) {
        const DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2 *plane = &question->planes[i];
        planes[i] = (DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_PLANE){
            .hAllocation = plane->hAllocation,
            .VidPnSourceId = plane->VidPnSourceId,
            .PlaneAttributes = dxgk_plane_first(&plane->PlaneAttributes),
        };
    }
    NTSTATUS status = ddi_check_multi_plane_overlay_support(
        &adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
    answer->supported = NT_SUCCESS(status) && arguments.Supported;
    answer->info = arguments.ReturnInfo;
    return status;
}

static NTSTATUS ask(struct dxgk_adapter *adapter, struct question *question,
                    struct dxgk_planes_answer *answer)
{
    switch (question->form) {
    case DXGK_PLANES_FIRST:
        return ask_first(adapter, question, answer);
    case DXGK_PLANES_SECOND:
        return ask_second(adapter, question, answer);
    default:
        return ask_third(adapter, question, answer);
    }
}

static const struct dxgk_plane_request *find(const struct dxgk_planes_request *request, UINT layer)
{
    for (UINT i = 0; i < request->count; i++) {
        if (request->planes[i].layer == layer) {
            return &request->planes[i];
        }
    }
    return NULL;
}

/* Those that would be on: of the request and, `with_shown`, those that stay. */
static NTSTATUS ask_about(struct dxgk_adapter *adapter, const struct dxgk_planes_request *request,
                          bool with_shown, struct dxgk_planes_answer *answer)
{
    const struct dxgk_source *source = &adapter->sources[request->vidpn_source];
    struct question question;
    NTSTATUS status = question_begin(&question, dxgk_adapter_planes_form(adapter), DXGK_PLANES_MAX);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    for (UINT layer = 0; layer < DXGK_PLANES_MAX; layer++) {
        const struct dxgk_plane_request *plane = find(request, layer);
        DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2 asked = {.VidPnSourceId = request->vidpn_source,
                                                            .LayerIndex = layer};
        struct dxgk_allocation *allocation =
            dxgk_plane_shown(source, layer, &asked.PlaneAttributes);
        if (plane) {
            allocation = plane->enabled ? plane->opening->allocation : NULL;
            asked.PlaneAttributes = plane->attributes;
        }
        if (allocation && (plane || with_shown)) {
            asked.hAllocation = allocation->driver_handle;
            question_add(&question, &asked);
        }
    }
    status = ask(adapter, &question, answer);
    question_end(&question);
    return status;
}

static bool is_rect(const RECT *rect)
{
    return rect->left < rect->right && rect->top < rect->bottom;
}

/* A picture is as large as the allocation says of itself, and the source rectangle within it. */
static NTSTATUS check_plane(const struct dxgk_adapter *adapter,
                            const struct dxgk_plane_request *plane)
{
    const RECT *from = &plane->attributes.SrcRect;
    UINT width, height;

    if (plane->layer >= planes_max(adapter)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!plane->enabled) {
        return STATUS_SUCCESS;
    }
    if (!plane->opening->allocation->primary || !dxgk_opening_is_listed(plane->opening)) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = dxgk_opening_extent(plane->opening, false, &width, &height);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    bool fits = is_rect(from) && is_rect(&plane->attributes.DstRect) && from->left >= 0 &&
                from->top >= 0 && (UINT)from->right <= width && (UINT)from->bottom <= height;
    return fits ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

static NTSTATUS check_request(const struct dxgk_adapter *adapter,
                              const struct dxgk_planes_request *request)
{
    NTSTATUS status = STATUS_SUCCESS;

    if (!dxgk_adapter_has_planes(adapter)) {
        return STATUS_NOT_SUPPORTED;
    }
    if (request->vidpn_source >= adapter->source_count ||
        !adapter->sources[request->vidpn_source].active || request->count == 0 ||
        request->count > planes_max(adapter)) {
        return STATUS_INVALID_PARAMETER;
    }
    for (UINT i = 0; i < request->count && NT_SUCCESS(status); i++) {
        status = i > 0 && request->planes[i - 1].layer >= request->planes[i].layer /* [MPO-005] */
                     ? STATUS_INVALID_PARAMETER
                     : check_plane(adapter, &request->planes[i]);
    }
    return status;
}

static void leave_all(const struct dxgk_planes_request *request, UINT count)
{
    for (UINT i = 0; i < count; i++) {
        if (request->planes[i].enabled) {
            life_leave(&request->planes[i].opening->life);
        }
    }
}

/* Nobody closes what the driver is asked about. */
static bool enter_all(const struct dxgk_planes_request *request)
{
    for (UINT i = 0; i < request->count; i++) {
        if (request->planes[i].enabled && !life_enter(&request->planes[i].opening->life)) {
            leave_all(request, i);
            return false;
        }
    }
    return true;
}

NTSTATUS dxgk_planes_check(struct dxgk_adapter *adapter, const struct dxgk_planes_request *request,
                           struct dxgk_planes_answer *answer)
{
    NTSTATUS status = check_request(adapter, request);

    dxgk_wait_awake();
    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (!enter_all(request)) {
        return STATUS_INVALID_HANDLE;
    }
    status = ask_about(adapter, request, false, answer);
    leave_all(request, request->count);
    return status;
}

NTSTATUS dxgk_planes_caps(struct dxgk_adapter *adapter, DXGKARG_GETMULTIPLANEOVERLAYCAPS *caps)
{
    if (!dxgk_adapter_has_planes(adapter) ||
        !ddi_has(&adapter->ddi, POINT_GetMultiPlaneOverlayCaps)) {
        return STATUS_NOT_SUPPORTED;
    }
    if (caps->VidPnSourceId >= adapter->source_count) {
        return STATUS_INVALID_PARAMETER;
    }
    dxgk_wait_awake();
    return ddi_get_multi_plane_overlay_caps(&adapter->ddi, adapter->ddi.miniport_context, caps, 0);
}

/* Of the step behind all planes; a driver may have it without any. */
NTSTATUS dxgk_post_composition_caps(struct dxgk_adapter *adapter,
                                    DXGKARG_GETPOSTCOMPOSITIONCAPS *caps)
{
    if (!ddi_has(&adapter->ddi, POINT_GetPostCompositionCaps)) {
        return STATUS_NOT_SUPPORTED;
    }
    if (caps->VidPnSourceId >= adapter->source_count) {
        return STATUS_INVALID_PARAMETER;
    }
    dxgk_wait_awake();
    return ddi_get_post_composition_caps(&adapter->ddi, adapter->ddi.miniport_context, caps, 0);
}

/* ---- Present --------------------------------------------------------------------------------- */

/* The driver looks at them first [PRES-045]. */
static NTSTATUS validate(struct dxgk_context *context, const struct dxgk_planes_request *request)
{
    struct dxgk_adapter *adapter = context->device->adapter;
    DXGK_PRESENTMULTIPLANEOVERLAYLIST *list =
        nt_memory_hand(request->count * sizeof *list, "pPlaneList");
    DXGK_PRESENTMULTIPLANEOVERLAYINFO info = {.VidPnSourceId = request->vidpn_source,
                                              .PlaneListCount = request->count,
                                              .pPlaneList = list};

    if (!list) {
        return STATUS_NO_MEMORY;
    }
    for (UINT i = 0; i < request->count; i++) {
        const struct dxgk_plane_request *plane = &request->planes[i];
        struct vidmm_location location = {0};
        if (plane->enabled) {
            vidmm_allocation_location(&plane->opening->allocation->memory, &location);
        }
        list[i] = (DXGK_PRESENTMULTIPLANEOVERLAYLIST){
            .LayerIndex = plane->layer,
            .Enabled = plane->enabled,
            .hDeviceSpecificAllocation = plane->enabled ? plane->opening->driver_handle : NULL,
            .SegmentId = location.segment & 0x1F,
            .PhysicalAddress.QuadPart = location.segment ? (LONGLONG)location.address : 0,
        };
    }
    bool counts = request->interval < 2 || adapter->caps.FlipCaps.FlipInterval;
    DXGKARG_PRESENT arguments = {
        .pPresentMultiPlaneOverlayInfo = &info,
        /* As of plain flips: else the flip queue counts [PRES-031]. */
        .FlipInterval = counts ? request->interval : D3DDDI_FLIPINTERVAL_ONE,
        .Flags.FlipWithMultiPlaneOverlay = 1,
    };
    NTSTATUS status =
        ddi_present(&adapter->ddi, context->driver_handle, &arguments, context->object);
    nt_memory_free(list);
    return status;
}

/* Inside the openings and the context. */
static NTSTATUS queue(struct dxgk_context *context, const struct dxgk_planes_request *request)
{
    struct dxgk_planes *planes;
    NTSTATUS status = validate(context, request);

    if (NT_SUCCESS(status)) {
        status = dxgk_planes_make(context->device->adapter, request, &planes);
    }
    if (NT_SUCCESS(status)) {
        record_event(EVENT_PRESENT, context->object, 0, request->count);
        status = dxgk_flip_queue_planes(context, request, planes);
    }
    return status;
}

static bool are_of_device(const struct dxgk_planes_request *request,
                          const struct dxgk_device *device)
{
    bool all = true;

    for (UINT i = 0; i < request->count; i++) {
        all &= !request->planes[i].enabled || request->planes[i].opening->device == device;
    }
    return all;
}

static NTSTATUS present(struct dxgk_context *context, const struct dxgk_planes_request *request)
{
    struct dxgk_device *device = context->device;
    struct dxgk_planes_answer answer;
    NTSTATUS status = check_request(device->adapter, request);

    if (device->lost) {
        return STATUS_DEVICE_REMOVED;
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (dxgk_overlays_lie_over(&device->adapter->sources[request->vidpn_source])) {
        return STATUS_NOT_SUPPORTED; /* how the two lie over each other no page says */
    }
    if (!are_of_device(request, device) || !enter_all(request)) {
        return STATUS_INVALID_HANDLE;
    }
    status = ask_about(device->adapter, request, true, &answer);
    if (NT_SUCCESS(status) && !answer.supported) {
        status = STATUS_NOT_SUPPORTED;
    }
    if (NT_SUCCESS(status) && !dxgk_passes_begin(context)) {
        status = STATUS_INVALID_HANDLE;
    } else if (NT_SUCCESS(status)) {
        dxgk_queued_enter(context);
        status = queue(context, request);
        dxgk_queued_leave(context);
        dxgk_passes_end(context, 0);
    }
    leave_all(request, request->count);
    return status;
}

NTSTATUS dxgk_planes_present(struct dxgk_context *context,
                             const struct dxgk_planes_request *request)
{
    dxgk_queued_begin(context->device);
    dxgk_wait_awake();
    NTSTATUS status = present(context, request);
    dxgk_queued_end(context->device);
    return status;
}

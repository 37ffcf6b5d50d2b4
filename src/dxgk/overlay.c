/* Overlays of WDDM 1.x: made, changed and ended; see the header. */
#include "dxgk/overlay.h"
#include "dxgk/work.h"

#include <stdlib.h>

struct dxgk_overlay {
    struct dxgk_life life;      /* linked in its device's */
    struct dxgk_device *device; /* outlives it */
    struct dxgk_source *source;
    struct list source_link; /* while the driver has it, or is being asked to */
    bool on;
    HANDLE driver_handle;               /* as what follows: while it is on */
    struct dxgk_allocation *allocation; /* with a reference */
    struct vidmm_pin pin;
};
ASSERT_BEGINS_WITH_LIFE(dxgk_overlay);

bool dxgk_adapter_has_overlays(const struct dxgk_adapter *adapter)
{
    return adapter->caps.MaxOverlays > 0 && ddi_has(&adapter->ddi, POINT_CreateOverlay) &&
           ddi_has(&adapter->ddi, POINT_DestroyOverlay);
}

bool dxgk_overlays_lie_over(const struct dxgk_source *source)
{
    return !list_empty(&source->overlays);
}

/* Also those that are being made. */
static unsigned overlay_count(const struct dxgk_adapter *adapter)
{
    unsigned count = 0;

    for (unsigned i = 0; i < adapter->source_count; i++) {
        list_for_each (link, &adapter->sources[i].overlays) {
            count++;
        }
    }
    return count;
}

/* ---- Going off ------------------------------------------------------------------------------- */

/* Whoever looks at pictures of the source sees that something else is shown. */
static void note_change(struct dxgk_source *source)
{
    if (source->shown) {
        source->shown->uses++;
    }
}

/* The driver was told, or never had it: the surface is nobody's. */
static void let_go(struct dxgk_adapter *adapter, struct dxgk_allocation *allocation,
                   struct vidmm_pin *pin)
{
    dxgk_surface_unpin(adapter, pin);
    if (allocation) {
        life_put(&allocation->life);
    }
}

/* It is off before the driver is called: while that waits at the gates a reset comes by. */
static NTSTATUS put_off(struct dxgk_overlay *overlay)
{
    struct dxgk_adapter *adapter = overlay->source->adapter;
    struct dxgk_allocation *allocation = overlay->allocation;
    struct vidmm_pin pin = overlay->pin;

    CHECK_THAT(overlay->on);
    overlay->on = false;
    overlay->allocation = NULL;
    overlay->pin = (struct vidmm_pin){0};
    NTSTATUS status =
        ddi_destroy_overlay(&adapter->ddi, overlay->driver_handle, overlay->device->object);
    list_remove(&overlay->source_link); /* the driver has it until now */
    overlay->driver_handle = NULL;
    note_change(overlay->source);
    let_go(adapter, allocation, &pin);
    return status;
}

/* The first that is on, and shows the allocation (NULL: whatever). */
static struct dxgk_overlay *find_on(const struct dxgk_source *source,
                                    const struct dxgk_allocation *allocation)
{
    list_for_each (link, &source->overlays) {
        struct dxgk_overlay *overlay = container_of(link, struct dxgk_overlay, source_link);
        if (overlay->on && (!allocation || overlay->allocation == allocation)) {
            return overlay;
        }
    }
    return NULL;
}

static void end_those_on(struct dxgk_source *source, const struct dxgk_allocation *allocation)
{
    struct dxgk_overlay *overlay;

    while ((overlay = find_on(source, allocation)) != NULL) {
        life_get(&overlay->life); /* its client may end it meanwhile */
        (void)put_off(overlay);
        life_put(&overlay->life);
    }
}

void dxgk_overlays_end(struct dxgk_source *source)
{
    CHECK_THAT(source->changing);
    end_those_on(source, NULL);
}

void dxgk_overlays_reset(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        end_those_on(&adapter->sources[i], NULL);
    }
}

void dxgk_overlays_forget(struct dxgk_allocation *allocation)
{
    struct dxgk_adapter *adapter = allocation->adapter;

    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        if (find_on(source, allocation)) {
            dxgk_source_begin_change(source);
            end_those_on(source, allocation);
            dxgk_source_end_change(source);
        }
    }
}

/* ---- Being changed --------------------------------------------------------------------------- */

/* One call of the driver, and the surface that is to be shown by it. */
struct change {
    struct dxgk_overlay *overlay;
    const struct dxgk_overlay_request *request;
    struct vidmm_pin pin;
    DXGKARG_CREATEOVERLAY create;
    DXGKARG_UPDATEOVERLAY update;
    DXGKARG_FLIPOVERLAY flip;
};

typedef NTSTATUS change_fn(struct change *change, const struct ddi_late *late);

/* Behind the gates, where no reset takes the surface from its place any more. */
static bool fill_in(void *context)
{
    struct change *change = context;
    const struct dxgk_overlay_request *request = change->request;
    struct dxgk_allocation *allocation = request->opening->allocation;
    struct vidmm_location place;

    if (!vidmm_pin_holds(&change->pin)) {
        return false;
    }
    vidmm_allocation_location(&allocation->memory, &place);
    const DXGK_OVERLAYINFO info = {
        .hAllocation = allocation->driver_handle,
        .PhysicalAddress.QuadPart = (LONGLONG)place.address,
        .SegmentId = place.segment,
        .DstRect = request->to,
        .SrcRect = request->from,
        .pPrivateDriverData = request->private_data,
        .PrivateDriverDataSize = request->private_size,
    };
    change->create = (DXGKARG_CREATEOVERLAY){.VidPnSourceId = change->overlay->source->index,
                                             .OverlayInfo = info};
    change->update = (DXGKARG_UPDATEOVERLAY){.OverlayInfo = info};
    change->flip = (DXGKARG_FLIPOVERLAY){.hSource = info.hAllocation,
                                         .SrcPhysicalAddress = info.PhysicalAddress,
                                         .SrcSegmentId = info.SegmentId,
                                         .pPrivateDriverData = info.pPrivateDriverData,
                                         .PrivateDriverDataSize = info.PrivateDriverDataSize};
    return true;
}

static struct ddi_adapter *door_of(const struct change *change)
{
    return &change->overlay->source->adapter->ddi;
}

static NTSTATUS call_create(struct change *change, const struct ddi_late *late)
{
    struct ddi_adapter *ddi = door_of(change);
    struct dxgk_overlay *overlay = change->overlay;
    NTSTATUS status = ddi_create_overlay(ddi, ddi->miniport_context, &change->create, late,
                                         overlay->device->object);

    if (NT_SUCCESS(status)) {
        overlay->driver_handle = change->create.hOverlay;
        overlay->on = overlay->driver_handle != NULL;
        status = overlay->on ? status : STATUS_INVALID_HANDLE; /* [OVL-002] */
    }
    return status;
}

static NTSTATUS call_update(struct change *change, const struct ddi_late *late)
{
    return ddi_update_overlay(door_of(change), change->overlay->driver_handle, &change->update,
                              late, change->overlay->device->object);
}

static NTSTATUS call_flip(struct change *change, const struct ddi_late *late)
{
    return ddi_flip_overlay(door_of(change), change->overlay->driver_handle, &change->flip, late,
                            change->overlay->device->object);
}

/* Another VidPN than that for which the client made it would show it elsewhere. */
static bool can_lie_over(const struct dxgk_source *source)
{
    return source->visible && source->rotation == D3DDDI_ROTATION_IDENTITY &&
           source->mode.format != D3DDDIFMT_P8 && !dxgk_planes_shown(source) &&
           !dxgk_planes_going(source);
}

/* With the change in hand. Of what was shown until now the pin comes back in the change's. */
static NTSTATUS call_driver(struct change *change, change_fn *call, struct dxgk_allocation **before)
{
    struct dxgk_overlay *overlay = change->overlay;
    const struct ddi_late late = {fill_in, change};
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    NTSTATUS status;

    do {
        status = call(change, &late);
    } while (dxgk_tries_again(status, &attempt));
    *before = NULL;
    if (!NT_SUCCESS(status) || !overlay->on) {
        return NT_SUCCESS(status) ? STATUS_DEVICE_REMOVED : status; /* a reset put it off */
    }
    struct vidmm_pin pin_before = overlay->pin;
    *before = overlay->allocation;
    overlay->allocation = change->request->opening->allocation;
    life_get(&overlay->allocation->life);
    overlay->pin = change->pin;
    change->pin = pin_before;
    note_change(overlay->source);
    if (!vidmm_pin_holds(&overlay->pin)) {
        (void)put_off(overlay); /* a reset came behind the call, and did not know of it */
        return STATUS_DEVICE_REMOVED;
    }
    return status;
}

/* Bandwidth may be a reason, so that it is advice. */
static void judge_refusal(const struct dxgk_adapter *adapter, NTSTATUS status)
{
    unsigned live = overlay_count(adapter);

    contract_count(RULE_OVL_001);
    if (status == STATUS_INSUFFICIENT_RESOURCES && live > 0 && live < adapter->caps.MaxOverlays) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(OVL_001),
                                                   .ddi = "DxgkDdiCreateOverlay",
                                                   .advice = true},
                        "as many overlays at a time as MaxOverlays says",
                        "one more overlay refused with STATUS_INSUFFICIENT_RESOURCES while %u "
                        "lived; DXGK_DRIVERCAPS.MaxOverlays is %u",
                        live, (unsigned)adapter->caps.MaxOverlays);
    }
}

static NTSTATUS change_pinned(struct change *change, change_fn *call)
{
    struct dxgk_overlay *overlay = change->overlay;
    struct dxgk_source *source = overlay->source;
    struct dxgk_allocation *before = NULL;
    NTSTATUS status = STATUS_INVALID_PARAMETER;

    dxgk_source_begin_change(source);
    if (call == call_create &&
        overlay_count(source->adapter) >= source->adapter->caps.MaxOverlays) {
        status = STATUS_INSUFFICIENT_RESOURCES;
    } else if (call == call_create && can_lie_over(source)) {
        list_push_back(&source->overlays, &overlay->source_link);
        status = call_driver(change, call, &before);
        if (!overlay->on) {
            list_remove(&overlay->source_link);
            judge_refusal(source->adapter, status);
        }
    } else if (overlay->on) {
        status = call_driver(change, call, &before);
    }
    dxgk_source_end_change(source);
    if (vidmm_pin_holds(&change->pin) && before && source->visible &&
        dxgk_adapter_has_hardware(source->adapter)) {
        (void)dxgk_screen_settle(source); /* until then it may be seen */
        note_change(source);
    }
    let_go(source->adapter, before, &change->pin);
    return status;
}

/* The surface has one place, and the GPU's addresses of it are physical. */
static NTSTATUS change_overlay(struct dxgk_overlay *overlay,
                               const struct dxgk_overlay_request *request, change_fn *call)
{
    struct change change = {.overlay = overlay, .request = request};
    struct dxgk_allocation *allocation = request->opening->allocation;

    if (dxgk_device_is_lost(overlay->device) ||
        !dxgk_adapter_has_hardware(overlay->source->adapter)) {
        return STATUS_DEVICE_REMOVED;
    }
    if (allocation->memory.flags & VIDMM_ALLOCATION_VIRTUAL) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!life_enter(&request->opening->life)) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = dxgk_surface_pin(allocation, &change.pin);
    if (NT_SUCCESS(status)) {
        status = change_pinned(&change, call);
    }
    life_leave(&request->opening->life);
    return status;
}

static NTSTATUS change_living(struct dxgk_overlay *overlay,
                              const struct dxgk_overlay_request *request, change_fn *call)
{
    dxgk_wait_awake();
    if (!life_enter(&overlay->life)) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = change_overlay(overlay, request, call);
    life_leave(&overlay->life);
    return status;
}

NTSTATUS dxgk_overlay_update(struct dxgk_overlay *overlay,
                             const struct dxgk_overlay_request *request)
{
    return change_living(overlay, request, call_update);
}

NTSTATUS dxgk_overlay_flip(struct dxgk_overlay *overlay, const struct dxgk_overlay_request *request)
{
    return change_living(overlay, request, call_flip);
}

/* ---- Life ------------------------------------------------------------------------------------ */

static void free_overlay(struct dxgk_life *life)
{
    struct dxgk_overlay *overlay = container_of(life, struct dxgk_overlay, life);

    CHECK_THAT(!overlay->on);
    life_put(&overlay->device->life);
    free(overlay);
}

static struct dxgk_overlay *new_overlay(struct dxgk_device *device, struct dxgk_source *source)
{
    struct dxgk_overlay *overlay = calloc(1, sizeof *overlay);

    if (!overlay) {
        return NULL;
    }
    life_init(&overlay->life, DXGK_KIND_OVERLAY, free_overlay);
    list_init(&overlay->source_link);
    overlay->device = device;
    life_get(&device->life);
    overlay->source = source;
    overlay->life.handle = dxgk_handle_new(DXGK_KIND_OVERLAY, &overlay->life, device->process);
    if (!overlay->life.handle) {
        life_put(&overlay->life);
        return NULL;
    }
    return overlay;
}

/* Inside the device, which waits for who makes something in it. */
static NTSTATUS make(struct dxgk_device *device, struct dxgk_source *source,
                     const struct dxgk_overlay_request *request, struct dxgk_overlay **out)
{
    struct dxgk_overlay *overlay = new_overlay(device, source);

    if (!overlay) {
        return STATUS_NO_MEMORY;
    }
    NTSTATUS status = change_overlay(overlay, request, call_create);
    if (!NT_SUCCESS(status)) {
        life_unlink(&overlay->life);
        life_put(&overlay->life);
        return status;
    }
    list_push_back(&device->overlays, &overlay->life.link);
    life_begin(&overlay->life);
    dxgk_handle_show(overlay->life.handle);
    record_count("overlays.created", 1);
    *out = overlay;
    return status;
}

NTSTATUS dxgk_overlay_create(struct dxgk_device *device, UINT index,
                             const struct dxgk_overlay_request *request, struct dxgk_overlay **out)
{
    struct dxgk_adapter *adapter = device->adapter;

    dxgk_wait_awake();
    if (!dxgk_adapter_has_overlays(adapter)) {
        return STATUS_NOT_SUPPORTED;
    }
    if (index >= adapter->source_count || !adapter->sources[index].active) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!life_enter(&device->life)) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = make(device, &adapter->sources[index], request, out);
    life_leave(&device->life);
    return status;
}

NTSTATUS dxgk_overlay_destroy(struct dxgk_overlay *overlay)
{
    struct dxgk_device *device = overlay->device;
    NTSTATUS status = STATUS_SUCCESS;

    if (!life_end(&overlay->life)) {
        return STATUS_INVALID_HANDLE;
    }
    life_wait_unused(&overlay->life);
    dxgk_source_begin_change(overlay->source);
    if (overlay->on) {
        status = put_off(overlay);
    }
    dxgk_source_end_change(overlay->source);
    life_unlink(&overlay->life);
    dxgk_device_child_gone(device);
    life_put(&overlay->life);
    return status;
}

void dxgk_overlays_close(struct dxgk_device *device)
{
    for (struct dxgk_life *life; (life = life_living(&device->overlays)) != NULL;) {
        (void)dxgk_overlay_destroy(container_of(life, struct dxgk_overlay, life));
    }
}

bool dxgk_overlay_is_on(const struct dxgk_overlay *overlay)
{
    return overlay->on;
}

D3DKMT_HANDLE dxgk_overlay_handle(const struct dxgk_overlay *overlay)
{
    return overlay->life.handle;
}

struct dxgk_device *dxgk_overlay_device(const struct dxgk_overlay *overlay)
{
    return overlay->device;
}

/* flips.c: flips of planes that the device shows by itself when their time has come.
 *
 *   CbQueryFeatureSupport          may it be used? only then the caps say so (MPO-027)
 *   SetFlipQueueLogBuffer          where dxgkrnl reads what became of each flip (MPO-015)
 *   CancelFlips, or                takes back what the device has not begun to show (MPO-014)
 *   CancelQueuedFlips
 *   SetInterruptTargetPresentId    from which flip on vsyncs interrupt (MPO-025)
 *   UpdateFlipQueueLog, vsync      the device's log goes into dxgkrnl's (MPO-023, MPO-029)
 *
 * The device has one queue for all planes of an output, and takes another arrangement of them only
 * when that is empty. */
#include "softgpu.h"

#define NS_PER_SECOND 1000000000u

void softgpu_flips_ask(struct softgpu_adapter *adapter)
{
    DXGKARGCB_QUERYFEATURESUPPORT asked;

    if (!adapter->settings.flip_queue) {
        return;
    }
    RtlZeroMemory(&asked, sizeof(asked));
    asked.DeviceHandle = adapter->dxgk.DeviceHandle;
    asked.FeatureId = DXGK_FEATURE_HWFLIPQUEUE;
    asked.DriverSupportState = DXGK_FEATURE_SUPPORT_STABLE;
    if (!(softgpu_read(adapter, SOFTGPU_REG_FEATURES) & SOFTGPU_FEATURE_FLIPS) ||
        adapter->dxgk.DxgkCbQueryFeatureSupport == NULL ||
        !NT_SUCCESS(adapter->dxgk.DxgkCbQueryFeatureSupport(&asked)) || !asked.Enabled) {
        adapter->settings.flip_queue = 0;
    }
}

/* ---- Time ------------------------------------------------------------------------------------ */

ULONGLONG softgpu_flip_time(struct softgpu_adapter *adapter, ULONGLONG target)
{
    LARGE_INTEGER frequency;
    ULONGLONG now = (ULONGLONG)KeQueryPerformanceCounter(&frequency).QuadPart;

    if (target <= now) {
        return 0; /* it has come */
    }
    return softgpu_read_pair(adapter, SOFTGPU_REG_TIME) +
           (target - now) * NS_PER_SECOND / (ULONGLONG)frequency.QuadPart;
}

/* By dxgkrnl's clock. */
static ULONGLONG stamp_of(struct softgpu_adapter *adapter, ULONGLONG device_ns)
{
    LARGE_INTEGER frequency;
    ULONGLONG device_now = softgpu_read_pair(adapter, SOFTGPU_REG_TIME);
    ULONGLONG now = (ULONGLONG)KeQueryPerformanceCounter(&frequency).QuadPart;

    return now - (device_now - device_ns) * (ULONGLONG)frequency.QuadPart / NS_PER_SECOND;
}

/* ---- Queueing -------------------------------------------------------------------------------- */

/* The outputs of a source show the same; the log of the first counts. SOFTGPU_OUTPUT_MAX: none. */
static ULONG first_output(const struct softgpu_adapter *adapter, ULONG source)
{
    ULONG output = 0;

    while (output < adapter->output_count && adapter->output[output].source != source) {
        output++;
    }
    return output < adapter->output_count ? output : SOFTGPU_OUTPUT_MAX;
}

/* Ones: the device was pulled out, of which dxgkrnl is yet to hear. It has nothing. */
static ULONG read_count(const struct softgpu_adapter *adapter, ULONG reg, ULONG most)
{
    ULONG count = softgpu_read(adapter, reg);

    return count <= most ? count : 0;
}

static ULONG queue_length(struct softgpu_adapter *adapter, ULONG source)
{
    ULONG output = first_output(adapter, source);

    return output == SOFTGPU_OUTPUT_MAX
               ? 0
               : read_count(adapter, SOFTGPU_OUTPUT_REG(output, SOFTGPU_OUTPUT_QUEUE_LENGTH),
                            SOFTGPU_FLIP_QUEUE_MAX);
}

static const struct softgpu_flip_given *last_given(const struct softgpu_flip_plane *plane)
{
    static const struct softgpu_flip_given none;

    return plane->given_count == 0 ? &none
                                   : &plane->given[(plane->given_count - 1) % SOFTGPU_FLIPS_KEPT];
}

static BOOLEAN is_same_rect(const RECT *a, const RECT *b)
{
    return a->left == b->left && a->top == b->top && a->right == b->right && a->bottom == b->bottom;
}

static BOOLEAN only_the_address_changes(const struct softgpu_flip_given *before,
                                        const struct softgpu_plane *plane)
{
    if (before->on != plane->on) {
        return FALSE;
    }
    return !plane->on || (is_same_rect(&before->from, &plane->attributes->SrcRect) &&
                          is_same_rect(&before->to, &plane->attributes->DstRect) &&
                          is_same_rect(&before->clip, &plane->attributes->ClipRect) &&
                          before->control == softgpu_plane_control(plane->attributes));
}

BOOLEAN softgpu_flips_may_queue(const struct softgpu_planes *planes)
{
    struct softgpu_flips *flips = &planes->adapter->source[planes->source].flips;
    ULONG length = queue_length(planes->adapter, planes->source);
    BOOLEAN simple = length < planes->adapter->settings.flip_queue;
    ULONG i;

    for (i = 0; i < planes->count; i++) {
        simple =
            simple && only_the_address_changes(last_given(&flips->plane[planes->plane[i].layer]),
                                               &planes->plane[i]);
    }
    return simple || length == 0;
}

void softgpu_flips_given(struct softgpu_source *source, const struct softgpu_planes *planes)
{
    ULONG i;

    for (i = 0; i < planes->count; i++) {
        const struct softgpu_plane *plane = &planes->plane[i];
        struct softgpu_flip_plane *of = &source->flips.plane[plane->layer];
        struct softgpu_flip_given *given = &of->given[of->given_count % SOFTGPU_FLIPS_KEPT];

        if (of->given_count == 0 && plane->layer == 0) { /* the primary, which may come back */
            given->on = TRUE;
            given->tag = 0;
            given->address = source->address;
            given->pitch_bytes = source->pitch_bytes;
            given->format = source->format;
            given->right_offset = source->right_offset;
            given = &of->given[++of->given_count];
        }
        RtlZeroMemory(given, sizeof(*given));
        given->tag = plane->tag;
        given->on = plane->on;
        if (plane->on) {
            given->address = plane->address;
            given->pitch_bytes = plane->allocation->info.pitch_bytes;
            given->format = plane->allocation->info.format;
            given->right_offset = plane->right_offset;
            given->from = plane->attributes->SrcRect;
            given->to = plane->attributes->DstRect;
            given->clip = plane->attributes->ClipRect;
            given->control = softgpu_plane_control(plane->attributes);
        }
        of->given_count++;
        of->gone = 0;
    }
}

void softgpu_flips_forget(struct softgpu_source *source)
{
    ULONG i;

    for (i = 0; i < SOFTGPU_PLANE_MAX; i++) {
        source->flips.plane[i].given_count = 0;
        source->flips.plane[i].gone = 0;
    }
}

/* ---- Log ------------------------------------------------------------------------------------- */

static void write_entry(struct softgpu_adapter *adapter, struct softgpu_flip_plane *plane,
                        ULONGLONG tag, ULONGLONG device_ns)
{
    DXGK_FLIPQUEUE_LOG_ENTRY *entry;

    if (plane->log == NULL) {
        return;
    }
    entry = &plane->log[plane->log_next];
    entry->PresentId = tag;
    entry->PresentTimestamp =
        device_ns == 0 ? DXGK_HWFLIPQUEUE_TIMESTAMP_CANCELLED : stamp_of(adapter, device_ns);
    plane->log_next = (plane->log_next + 1) % plane->log_entries;
}

/* Of an output whose source has another before it, what it tells is known already (isr). */
static void take_log(struct softgpu_adapter *adapter, ULONG output, ULONG source)
{
    ULONG base = SOFTGPU_OUTPUT_REG(output, 0);
    BOOLEAN counts = first_output(adapter, source) == output;
    ULONG count = read_count(adapter, base + SOFTGPU_OUTPUT_QUEUE_LOG_COUNT, SOFTGPU_FLIP_LOG_MAX);

    while (count-- > 0) {
        ULONG layer = softgpu_read(adapter, base + SOFTGPU_OUTPUT_QUEUE_LOG_PLANE);
        ULONGLONG tag = softgpu_read_pair(adapter, base + SOFTGPU_OUTPUT_QUEUE_LOG_TAG);
        ULONGLONG time = softgpu_read_pair(adapter, base + SOFTGPU_OUTPUT_QUEUE_LOG_TIME);

        softgpu_write(adapter, base + SOFTGPU_OUTPUT_QUEUE_LOG_COUNT, 1);
        if (counts && layer < SOFTGPU_PLANE_MAX) {
            write_entry(adapter, &adapter->source[source].flips.plane[layer], tag, time);
        }
    }
}

void softgpu_report_flips(struct softgpu_adapter *adapter, ULONG output, ULONG source)
{
    struct softgpu_flips *flips = &adapter->source[source].flips;
    DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO3 planes[SOFTGPU_PLANE_MAX];
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;
    ULONG i, count = 0;

    take_log(adapter, output, source);
    for (i = 0; i < adapter->settings.overlay_planes; i++) {
        if (flips->plane[i].log != NULL) {
            planes[count].LayerIndex = i;
            planes[count++].FirstFreeFlipQueueLogEntryIndex = flips->plane[i].log_next;
        }
    }
    RtlZeroMemory(&data, sizeof(data));
    data.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3;
    data.CrtcVsyncWithMultiPlaneOverlay3.VidPnTargetId = output;
    data.CrtcVsyncWithMultiPlaneOverlay3.MultiPlaneOverlayVsyncInfoCount = count;
    data.CrtcVsyncWithMultiPlaneOverlay3.pMultiPlaneOverlayVsyncInfo = planes;
    softgpu_notify(adapter, &data);
}

struct new_log {
    struct softgpu_adapter *adapter;
    const DXGKARG_SETFLIPQUEUELOGBUFFER *arguments;
};

static BOOLEAN NTAPI set_log(PVOID argument)
{
    const struct new_log *new_log = argument;
    const DXGKARG_SETFLIPQUEUELOGBUFFER *arguments = new_log->arguments;
    struct softgpu_flip_plane *plane =
        &new_log->adapter->source[arguments->VidPnSourceId].flips.plane[arguments->LayerIndex];

    plane->log = arguments->NumberOfEntries == 0 ? NULL : arguments->LogBufferAddress;
    plane->log_entries = arguments->NumberOfEntries;
    plane->log_next = 0;
    return TRUE;
}

static BOOLEAN is_plane(const struct softgpu_adapter *adapter, ULONG source, ULONG layer)
{
    return source < adapter->settings.sources && layer < adapter->settings.overlay_planes;
}

NTSTATUS NTAPI softgpu_set_flip_log(const HANDLE adapter_handle,
                                    const DXGKARG_SETFLIPQUEUELOGBUFFER *arguments)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct new_log new_log = {adapter, arguments};

    PAGED_CODE();

    if (is_plane(adapter, arguments->VidPnSourceId, arguments->LayerIndex)) {
        softgpu_synchronize(adapter, set_log, &new_log);
    }
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI softgpu_update_flip_log(const HANDLE adapter_handle,
                                       DXGKARG_UPDATEFLIPQUEUELOG *update)
{
    struct softgpu_adapter *adapter = adapter_handle;
    ULONG output = first_output(adapter, update->VidPnSourceId);

    if (!is_plane(adapter, update->VidPnSourceId, update->LayerIndex)) {
        return STATUS_SUCCESS;
    }
    if (output != SOFTGPU_OUTPUT_MAX) {
        take_log(adapter, output, update->VidPnSourceId);
    }
    update->FirstFreeFlipQueueLogEntryIndex =
        adapter->source[update->VidPnSourceId].flips.plane[update->LayerIndex].log_next;
    return STATUS_SUCCESS;
}

/* ---- Cancelling ------------------------------------------------------------------------------ */

/* What the plane was given last before that tag is what it shows from here on (isr). */
static void take_back(struct softgpu_source *source, ULONG layer, ULONGLONG first_tag)
{
    struct softgpu_flip_plane *plane = &source->flips.plane[layer];
    const struct softgpu_flip_given *given;

    while (plane->given_count > 0 && last_given(plane)->tag >= first_tag) {
        plane->given_count--;
    }
    given = last_given(plane);
    source->planes = given->on ? source->planes | 1u << layer : source->planes & ~(1u << layer);
    if (layer == 0 && given->on) {
        source->address = given->address;
        source->pitch_bytes = given->pitch_bytes;
        source->format = given->format;
        source->right_offset = given->right_offset;
    }
}

/* The first flip of the plane from that tag on, or 0. */
static ULONGLONG first_from(const struct softgpu_flip_plane *plane, ULONGLONG tag)
{
    ULONGLONG first = 0;
    ULONG i;

    for (i = 0; i < plane->given_count && i < SOFTGPU_FLIPS_KEPT; i++) {
        ULONGLONG given = plane->given[(plane->given_count - 1 - i) % SOFTGPU_FLIPS_KEPT].tag;

        if (given < tag) {
            break;
        }
        first = given;
    }
    return first;
}

/* The least tag that the device took out; 0: it shows all, or is about to. */
static ULONGLONG cancel_from(struct softgpu_adapter *adapter, ULONG source, ULONGLONG tag)
{
    ULONGLONG cancelled = 0;
    ULONG output;

    for (output = 0; output < adapter->output_count; output++) {
        ULONG base = SOFTGPU_OUTPUT_REG(output, 0);

        if (adapter->output[output].source != source) {
            continue;
        }
        softgpu_write_pair(adapter, base + SOFTGPU_OUTPUT_QUEUE_CANCEL, tag);
        if (first_output(adapter, source) == output) {
            cancelled = softgpu_read_pair(adapter, base + SOFTGPU_OUTPUT_QUEUE_CANCELLED);
        }
    }
    return cancelled;
}

/* The device's queue is one for all planes: flips of the others from that tag on go, too, which
 * dxgkrnl has taken back by then, as it begins with the newest. */
NTSTATUS NTAPI softgpu_cancel_flips(const HANDLE adapter_handle, DXGKARG_CANCELFLIPS *cancel)
{
    struct softgpu_adapter *adapter = adapter_handle;
    ULONGLONG from = ~0ull, cancelled;
    UINT i;

    if (adapter->settings.flip_cancel == SOFTGPU_CANCEL_SECOND) {
        return STATUS_NOT_IMPLEMENTED;
    }
    if (cancel->VidPnSourceId >= adapter->settings.sources) {
        return STATUS_SUCCESS;
    }
    for (i = 0; i < cancel->PlaneCount; i++) {
        if (cancel->ppPlanes[i]->PresentIdCancelRequested < from) {
            from = cancel->ppPlanes[i]->PresentIdCancelRequested;
        }
    }
    cancelled = cancel_from(adapter, cancel->VidPnSourceId, from);
    for (i = 0; i < cancel->PlaneCount; i++) {
        DXGK_CANCELFLIPS_PLANE *plane = cancel->ppPlanes[i];
        struct softgpu_source *source = &adapter->source[cancel->VidPnSourceId];

        plane->PresentIdCancelled = 0;
        if (cancelled != 0 && plane->LayerIndex < adapter->settings.overlay_planes) {
            plane->PresentIdCancelled =
                first_from(&source->flips.plane[plane->LayerIndex], cancelled);
            take_back(source, plane->LayerIndex, cancelled);
        }
    }
    return STATUS_SUCCESS;
}

/* With the plane's flips those of the others go; they are told when dxgkrnl asks for theirs. */
NTSTATUS NTAPI softgpu_cancel_queued_flips(const HANDLE adapter_handle,
                                           DXGKARG_CANCELQUEUEDFLIPS *cancel)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct softgpu_source *source;
    struct softgpu_flip_plane *plane;
    ULONGLONG cancelled;
    ULONG i;

    cancel->PresentIdCancelled = 0;
    if (!is_plane(adapter, cancel->VidPnSourceId, cancel->LayerIndex)) {
        return STATUS_SUCCESS;
    }
    source = &adapter->source[cancel->VidPnSourceId];
    cancelled = cancel_from(adapter, cancel->VidPnSourceId, cancel->PresentIdCancelRequested);
    for (i = 0; cancelled != 0 && i < adapter->settings.overlay_planes; i++) {
        source->flips.plane[i].gone = first_from(&source->flips.plane[i], cancelled);
        take_back(source, i, cancelled);
    }
    plane = &source->flips.plane[cancel->LayerIndex];
    cancel->PresentIdCancelled = plane->gone;
    plane->gone = 0;
    return STATUS_SUCCESS;
}

/* ---- Interrupts ------------------------------------------------------------------------------ */

static void program_interrupts(struct softgpu_adapter *adapter, ULONG output, ULONG source)
{
    const struct softgpu_flips *flips = &adapter->source[source].flips;
    ULONG i;

    for (i = 0; i < SOFTGPU_PLANE_MAX; i++) {
        ULONGLONG from =
            i < adapter->settings.overlay_planes ? flips->plane[i].interrupt_from : ~0ull;

        softgpu_write_pair(adapter, SOFTGPU_OUTPUT_REG(output, SOFTGPU_OUTPUT_QUEUE_INTERRUPT(i)),
                           from);
    }
}

NTSTATUS NTAPI softgpu_set_flip_interrupt(const HANDLE adapter_handle,
                                          const DXGKARG_SETINTERRUPTTARGETPRESENTID *target)
{
    struct softgpu_adapter *adapter = adapter_handle;
    ULONG output;

    if (!is_plane(adapter, target->VidPnSourceId, target->LayerIndex)) {
        return STATUS_SUCCESS;
    }
    adapter->source[target->VidPnSourceId].flips.plane[target->LayerIndex].interrupt_from =
        target->InterruptTargetPresentId;
    for (output = 0; output < adapter->output_count; output++) {
        if (adapter->output[output].source == target->VidPnSourceId) {
            program_interrupts(adapter, output, target->VidPnSourceId);
        }
    }
    return STATUS_SUCCESS;
}

void softgpu_flips_resume(struct softgpu_adapter *adapter, ULONG output)
{
    ULONG source = adapter->output[output].source;

    if (adapter->settings.flip_queue && source < adapter->settings.sources) {
        program_interrupts(adapter, output, source);
    }
}

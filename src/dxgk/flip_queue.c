/* The hardware's flip queue: what the driver is given, asked and told; see the header. */
#include "dxgk/flip_queue.h"
#include "dxgk/planes_parts.h"
#include "dxgk/work.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

unsigned dxgk_flip_queue_length(const struct dxgk_adapter *adapter)
{
    UINT said = adapter->caps.MaxHwQueuedFlips;

    if (!adapter->ddi.flip_queue_allowed || said <= 1 ||
        dxgk_adapter_planes_form(adapter) != DXGK_PLANES_THIRD) {
        return 0;
    }
    return said < DXGK_QUEUED_MAX ? said : DXGK_QUEUED_MAX;
}

bool dxgk_adapter_queues_flips(const struct dxgk_adapter *adapter)
{
    return dxgk_flip_queue_length(adapter) > 0;
}

void dxgk_flip_queue_judge_caps(const struct dxgk_adapter *adapter)
{
    if (adapter->caps.MaxHwQueuedFlips <= 1 || adapter->source_count == 0) {
        return;
    }
    contract_count(RULE_MPO_027);
    if (!adapter->ddi.flip_queue_allowed) {
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(MPO_027), .object = adapter->object},
            "MaxHwQueuedFlips above 1 from a driver alone whose DxgkCbQueryFeatureSupport for "
            "DXGK_FEATURE_HWFLIPQUEUE was answered with Enabled TRUE, in DxgkDdiStartDevice, or "
            "whose DxgkDdiQueryFeatureSupport supports it",
            "MaxHwQueuedFlips is %u, and the driver did not ask, or was told FALSE: it lacks "
            "DxgkDdiSetFlipQueueLogBuffer or others of the queue, or has no hardware scheduling",
            adapter->caps.MaxHwQueuedFlips);
    }
}

struct dxgk_flip_queue *dxgk_flip_queue_of(const struct dxgk_source *source)
{
    return source->layers ? source->layers->queue : NULL;
}

static void look_again(struct machine_timer *timer)
{
    const struct dxgk_flip_queue *queue = timer->context;

    dxgk_worker_kick(queue->adapter);
}

NTSTATUS dxgk_flip_queue_start(struct dxgk_source *source)
{
    UINT said = source->adapter->caps.MaxOverlayPlanes;

    if (!source->layers || !dxgk_adapter_queues_flips(source->adapter)) {
        return STATUS_SUCCESS;
    }
    source->layers->queue = calloc(1, sizeof *source->layers->queue);
    if (!source->layers->queue) {
        return STATUS_NO_MEMORY;
    }
    source->layers->queue->plane_count = said < DXGK_PLANES_MAX ? said : DXGK_PLANES_MAX;
    source->layers->queue->adapter = source->adapter;
    machine_timer_init(&source->layers->queue->timer, look_again, source->layers->queue);
    return STATUS_SUCCESS;
}

/* At device level, between two interrupts. */
void dxgk_flip_queue_synchronize(struct dxgk_source *source, bool (*function)(void *),
                                 void *context)
{
    if (source->adapter->ddi.interrupt) {
        interrupt_synchronize(source->adapter->ddi.interrupt, function, context);
    } else {
        function(context);
    }
}

/* ---- Logs ------------------------------------------------------------------------------------ */

static NTSTATUS give_log(struct dxgk_source *source, UINT layer, DXGK_FLIPQUEUE_LOG_ENTRY *log)
{
    struct dxgk_adapter *adapter = source->adapter;
    const DXGKARG_SETFLIPQUEUELOGBUFFER arguments = {.VidPnSourceId = source->index,
                                                     .LayerIndex = layer,
                                                     .NumberOfEntries = log ? DXGK_LOG_ENTRIES : 0,
                                                     .LogBufferAddress = log};

    return ddi_set_flip_queue_log_buffer(&adapter->ddi, adapter->ddi.miniport_context, &arguments,
                                         adapter->object);
}

/* The driver lets go of it first; NULL is always taken [MPO-026]. */
static void take_log_back(struct dxgk_source *source, UINT layer)
{
    struct dxgk_queue_plane *plane = &dxgk_flip_queue_of(source)->planes[layer];
    DXGK_FLIPQUEUE_LOG_ENTRY *log = plane->log;

    if (!log) {
        return;
    }
    if (dxgk_adapter_has_hardware(source->adapter)) {
        KERNEL_DUTY(MPO_028, plane->pending_count == 0);
        (void)give_log(source, layer, NULL);
    }
    plane->log = NULL;
    nt_memory_free(log);
}

static bool has_log(struct dxgk_source *source, UINT layer)
{
    struct dxgk_queue_plane *plane = &dxgk_flip_queue_of(source)->planes[layer];

    if (plane->log && !plane->anew) {
        return true;
    }
    take_log_back(source, layer);
    DXGK_FLIPQUEUE_LOG_ENTRY *log =
        nt_memory_hand(DXGK_LOG_ENTRIES * sizeof *log, "LogBufferAddress");
    if (!log) {
        return false;
    }
    memset(log, 0xA5, DXGK_LOG_ENTRIES * sizeof *log); /* no entry is there before it is written */
    plane->anew = plane->interrupt_known = false;
    plane->next = 0;
    plane->target = plane->stamp = 0;
    plane->log = log;
    if (!NT_SUCCESS(give_log(source, layer, log))) {
        plane->log = NULL;
        nt_memory_free(log);
        return false;
    }
    return true;
}

void dxgk_flip_queue_rest(struct dxgk_source *source)
{
    struct dxgk_flip_queue *queue = dxgk_flip_queue_of(source);

    for (UINT i = 0; queue && i < queue->plane_count; i++) {
        take_log_back(source, i);
    }
}

void dxgk_flip_queue_stop(struct dxgk_source *source)
{
    struct dxgk_flip_queue *queue = dxgk_flip_queue_of(source);

    if (queue) {
        machine_timer_cancel(&queue->timer);
        dxgk_flip_queue_rest(source);
        source->layers->queue = NULL;
        free(queue);
    }
}

static bool forget(void *context)
{
    struct dxgk_source *source = context;
    struct dxgk_flip_queue *queue = dxgk_flip_queue_of(source);

    for (UINT i = 0; i < queue->plane_count; i++) {
        struct dxgk_queue_plane *plane = &queue->planes[i];
        plane->anew = plane->log != NULL;
        plane->given_up = plane->last_id;
        plane->pending_count = plane->told_count = 0;
        plane->beyond = 0;
        plane->told_id = plane->last_id;
        plane->interrupt_known = false;
    }
    queue->wants_worker = true; /* who waits for vertical syncs is to hear of them */
    return true;
}

void dxgk_flip_queue_forget(struct dxgk_source *source)
{
    if (dxgk_flip_queue_of(source)) {
        dxgk_flip_queue_synchronize(source, forget, source);
    }
}

bool dxgk_flip_queue_ready(struct dxgk_flip *flip)
{
    struct dxgk_planes *planes = flip->planes;
    bool all = true;

    for (UINT i = 0; i < planes->count; i++) {
        all = has_log(flip->source, planes->planes[i].layer) && all;
    }
    return all;
}

/* ---- Flips ----------------------------------------------------------------------------------- */

static void fill_plain(const struct dxgk_source *source, const struct dxgk_present_request *request,
                       struct dxgk_planes_request *out)
{
    const RECT whole = {0, 0, (LONG)source->mode.width, (LONG)source->mode.height};

    *out = (struct dxgk_planes_request){
        .vidpn_source = source->index,
        .count = 1,
        .interval = request->interval,
        .stereo = dxgk_flip_stereo(request->flags),
        .planes[0] = {.enabled = true, .opening = request->source, .immediate_line = UINT_MAX}};
    out->planes[0].attributes =
        (DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3){.SrcRect = whole,
                                              .DstRect = whole,
                                              .ClipRect = whole,
                                              .Rotation = D3DDDI_ROTATION_IDENTITY};
    /* The others go off with it, as by SetVidPnSourceAddress [FLIP-013]. */
    for (UINT i = 1; i < dxgk_flip_queue_of(source)->plane_count; i++) {
        if (source->layers->given[i].on) {
            out->planes[out->count++] =
                (struct dxgk_plane_request){.layer = i, .immediate_line = UINT_MAX};
        }
    }
}

NTSTATUS dxgk_flip_queue_plain(struct dxgk_context *context,
                               const struct dxgk_present_request *request)
{
    struct dxgk_adapter *adapter = context->device->adapter;
    struct dxgk_planes_request planes_request;
    struct dxgk_planes *planes;

    fill_plain(&adapter->sources[request->vidpn_source], request, &planes_request);
    NTSTATUS status = dxgk_planes_make(adapter, &planes_request, &planes);
    return NT_SUCCESS(status) ? dxgk_flip_queue_planes(context, &planes_request, planes) : status;
}

/* An interval counts from the flip before: where that is on the screen already, half a frame before
 * the vertical sync that is meant; where it waits, from its own time on. */
static uint64_t after_the_last(const struct dxgk_source *source,
                               const struct dxgk_queue_plane *plane, unsigned interval)
{
    uint64_t frame = dxgk_frame_ticks(source), later = interval * frame;

    if (plane->pending_count > 0) {
        return plane->target + later;
    }
    return plane->stamp && interval > 0 ? plane->stamp + later - frame / 2 : 0;
}

static void choose_target(struct dxgk_flip *flip)
{
    struct dxgk_flip_queue *queue = dxgk_flip_queue_of(flip->source);
    struct dxgk_planes *planes = flip->planes;
    uint64_t target = planes->target ? planes->target : nt_performance_counter();

    for (UINT i = 0; i < planes->count; i++) {
        const struct dxgk_queue_plane *plane = &queue->planes[planes->planes[i].layer];
        uint64_t after = planes->target ? 0 : after_the_last(flip->source, plane, planes->interval);
        target = after > target ? after : target;
        target = plane->target > target ? plane->target : target; /* never back [MPO-012] */
    }
    planes->target = target;
}

/* With one that waits for its time at once is with that. */
static void choose_moment(struct dxgk_flip *flip)
{
    const struct dxgk_planes *planes = flip->planes;

    for (UINT i = 0; i < planes->count; i++) {
        if (dxgk_flip_queue_of(flip->source)->planes[planes->planes[i].layer].pending_count > 0) {
            flip->flags.FlipImmediate = 0;
            flip->flags.FlipOnNextVSync = 1;
        }
    }
}

static bool give(void *context)
{
    struct dxgk_flip *flip = context;
    struct dxgk_flip_queue *queue = dxgk_flip_queue_of(flip->source);
    const struct dxgk_planes *planes = flip->planes;
    uint32_t together = 0;

    if (planes->target == 0) {
        choose_moment(flip);
    }
    choose_target(flip);
    for (UINT i = 0; i < planes->count; i++) {
        together |= UINT32_C(1) << planes->planes[i].layer;
    }
    for (UINT i = 0; i < planes->count; i++) {
        struct dxgk_queue_plane *plane = &queue->planes[planes->planes[i].layer];
        CHECK_THAT(plane->pending_count < DXGK_QUEUED_MAX);
        plane->target = planes->target;
        plane->last_id = planes->present_id;
        plane->pending[plane->pending_count++] =
            (struct dxgk_queued){.id = planes->present_id,
                                 .target = planes->target,
                                 .given = nt_performance_counter(),
                                 .waits = flip->flags.FlipOnNextVSync,
                                 .planes = together};
    }
    return true;
}

/* It is the newest of its planes, unless it was told of. */
static bool refuse(void *context)
{
    const struct dxgk_flip *flip = context;
    struct dxgk_flip_queue *queue = dxgk_flip_queue_of(flip->source);
    const struct dxgk_planes *planes = flip->planes;

    for (UINT i = 0; i < planes->count; i++) {
        struct dxgk_queue_plane *plane = &queue->planes[planes->planes[i].layer];
        if (plane->pending_count > 0 &&
            plane->pending[plane->pending_count - 1].id == planes->present_id) {
            plane->pending_count--;
        }
    }
    return true;
}

static void at_device_level(const struct dxgk_flip *flip, bool (*function)(void *))
{
    if (irql_current() >= MACHINE_IRQL_DEVICE_FIRST) {
        function((void *)flip);
    } else {
        dxgk_flip_queue_synchronize(flip->source, function, (void *)flip);
    }
}

void dxgk_flip_queue_give(struct dxgk_flip *flip)
{
    at_device_level(flip, give);
}

void dxgk_flip_queue_refused(const struct dxgk_flip *flip)
{
    at_device_level(flip, refuse);
}

void dxgk_flip_queue_take_interval(struct dxgk_flip *flip)
{
    flip->planes->interval = flip->base.interval;
    if (flip->source->layers->queue && flip->base.interval > 1) {
        flip->base.interval = 1; /* its time says the rest */
    }
}

bool dxgk_flip_queue_waits(const struct dxgk_flip *flip, bool of_all)
{
    const struct dxgk_adapter *adapter = flip->source->adapter;
    bool any = false;

    for (unsigned i = 0; i < adapter->source_count; i++) {
        const struct dxgk_flip_queue *queue = dxgk_flip_queue_of(&adapter->sources[i]);
        bool counts = &adapter->sources[i] == flip->source || of_all;
        for (UINT k = 0; queue && counts && k < queue->plane_count; k++) {
            any |= queue->planes[k].pending_count > 0;
        }
    }
    return any;
}

/* "Once the target time is reached", too. */
bool dxgk_flip_queue_is_drained(const struct dxgk_flip *flip)
{
    return flip->planes->target <= nt_performance_counter() &&
           !dxgk_flip_queue_waits(flip, flip->planes->drains_all);
}

/* ---- What is told ---------------------------------------------------------------------------- */

unsigned dxgk_queue_plane_find(const struct dxgk_queue_plane *plane, uint64_t id)
{
    unsigned i = 0;

    while (i < plane->pending_count && plane->pending[i].id != id) {
        i++;
    }
    return i;
}

static void drop_pending(struct dxgk_queue_plane *plane, unsigned count)
{
    plane->pending_count -= count;
    memmove(plane->pending, plane->pending + count,
            plane->pending_count * sizeof plane->pending[0]);
}

static void note_entry(struct dxgk_queue_plane *plane, const DXGK_FLIPQUEUE_LOG_ENTRY *entry)
{
    unsigned index = dxgk_queue_plane_find(plane, entry->PresentId);

    if (plane->told_count == DXGK_TOLD_MAX) {
        return; /* a driver that writes so much is told of it; what is left out stays pending */
    }
    struct dxgk_flip_told told = {.id = entry->PresentId,
                                  .stamp = entry->PresentTimestamp,
                                  .at = nt_performance_counter(),
                                  .known = index < plane->pending_count};

    if (told.known) {
        told.flip = plane->pending[index];
        told.skipped = index;
        told.next_due = UINT64_MAX;
        if (index + 1 < plane->pending_count) {
            const struct dxgk_queued *next = &plane->pending[index + 1];
            told.next_due = next->target > next->given ? next->target : next->given;
        }
        drop_pending(plane, index + 1);
    } else if (entry->PresentId != 0 && entry->PresentId <= plane->given_up) {
        return; /* it was found missing, or a reset ended it */
    } else {
        told.cancelled =
            entry->PresentId >= plane->cancelled_first && entry->PresentId <= plane->cancelled_last;
    }
    plane->told[plane->told_count++] = told;
}

/* At most a round of the log, whatever the driver says. */
static void read_log(struct dxgk_queue_plane *plane, ULONG first_free)
{
    if (!plane->log || plane->anew) {
        return;
    }
    if (first_free >= DXGK_LOG_ENTRIES) {
        plane->beyond = first_free;
        return;
    }
    while (plane->next != first_free) {
        DXGK_FLIPQUEUE_LOG_ENTRY entry;
        memcpy(&entry, &plane->log[plane->next], sizeof entry);
        plane->next = (plane->next + 1) % DXGK_LOG_ENTRIES;
        note_entry(plane, &entry);
    }
}

/* Whatever it has told by now: does any plane want to hear of a vertical sync? */
static bool is_wanted(const struct dxgk_flip_queue *queue)
{
    bool any = false;

    for (UINT i = 0; i < queue->plane_count; i++) {
        const struct dxgk_queue_plane *plane = &queue->planes[i];
        bool reached = plane->interrupt_from != DXGK_NO_SYNC &&
                       (plane->pending_count == 0 || plane->pending[0].id > plane->interrupt_from);
        any |= !plane->interrupt_known || plane->interrupt_from == DXGK_EVERY_SYNC || reached;
    }
    return any;
}

void dxgk_flip_queue_take(struct dxgk_source *source, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    struct dxgk_flip_queue *queue = dxgk_flip_queue_of(source);
    UINT count = data->CrtcVsyncWithMultiPlaneOverlay3.MultiPlaneOverlayVsyncInfoCount;

    if (!queue) {
        return;
    }
    for (UINT k = 0; k < count && count <= queue->plane_count; k++) {
        const DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO3 *info =
            &data->CrtcVsyncWithMultiPlaneOverlay3.pMultiPlaneOverlayVsyncInfo[k];
        if (info->LayerIndex < queue->plane_count) {
            read_log(&queue->planes[info->LayerIndex], info->FirstFreeFlipQueueLogEntryIndex);
        }
    }
    queue->older = 0;
    queue->unwanted = is_wanted(queue) ? 0 : queue->unwanted + 1;
}

void dxgk_flip_queue_ask(struct dxgk_source *source)
{
    struct dxgk_adapter *adapter = source->adapter;
    struct dxgk_flip_queue *queue = dxgk_flip_queue_of(source);

    for (UINT i = 0; i < queue->plane_count; i++) {
        DXGKARG_UPDATEFLIPQUEUELOG update = {.VidPnSourceId = source->index,
                                             .LayerIndex = i,
                                             .FirstFreeFlipQueueLogEntryIndex =
                                                 queue->planes[i].next};
        if (queue->planes[i].log && !queue->planes[i].anew &&
            NT_SUCCESS(ddi_update_flip_queue_log(&adapter->ddi, adapter->ddi.miniport_context,
                                                 &update, adapter->object))) {
            read_log(&queue->planes[i], update.FirstFreeFlipQueueLogEntryIndex);
        }
    }
}

bool dxgk_flip_queue_told(const struct dxgk_layers *layers, UINT layer, uint64_t id)
{
    return layers->queue->planes[layer].told_id >= id;
}

/* The hardware's flip queue: is what the driver tells of its flips so? In the DPC, behind the log;
 * and by the worker, if nothing is told any more. */
#include "dxgk/flip_queue.h"
#include "dxgk/planes_parts.h"
#include "dxgk/work.h"

#include <string.h>

#define UNWANTED_MAX 3u
#define OLDER_MAX    8u
#define FRAMES_LATE  4u /* behind its time; then a flip is lost */

#define FINDING(source, id) \
    (&(struct contract_finding){.rule = CONTRACT_JUDGES(id), .object = (source)->adapter->object})

/* Where in the flip queue it is. */
#define OF_PLANE "of plane %u of source %u"

/* ---- An entry -------------------------------------------------------------------------------- */

static bool is_known(const struct dxgk_source *source, UINT layer,
                     const struct dxgk_flip_told *told)
{
    contract_count(RULE_MPO_023);
    if (told->known) {
        return true;
    }
    if (told->cancelled && told->stamp != DXGK_HWFLIPQUEUE_TIMESTAMP_CANCELLED) {
        const struct dxgk_queue_plane *plane = &dxgk_flip_queue_of(source)->planes[layer];
        contract_breach(
            FINDING(source, MPO_014), "a flip that the driver reported as cancelled never shown",
            "%s answered PresentIdCancelled %llu, with %llu as the newest of the "
            "plane: PresentId %llu " OF_PLANE " is among them, and the log says that "
            "it was shown at %llu",
            plane->cancelled_one_by_one ? "DxgkDdiCancelQueuedFlips" : "DxgkDdiCancelFlips",
            (unsigned long long)plane->cancelled_first, (unsigned long long)plane->cancelled_last,
            (unsigned long long)told->id, layer, source->index, (unsigned long long)told->stamp);
    } else if (!told->cancelled) {
        contract_breach(FINDING(source, MPO_023),
                        "in each new entry of the log, up to FirstFreeFlipQueueLogEntryIndex, the "
                        "PresentId of a flip that the plane was given, each once",
                        "an entry " OF_PLANE " has PresentId %llu, PresentTimestamp %llu: no such "
                        "flip was under way",
                        layer, source->index, (unsigned long long)told->id,
                        (unsigned long long)told->stamp);
    }
    return false;
}

static void judge_cancelled(const struct dxgk_source *source, UINT layer,
                            const struct dxgk_flip_told *told)
{
    contract_count(RULE_MPO_013);
    if (told->next_due > told->at) {
        contract_breach(FINDING(source, MPO_013),
                        "DXGK_HWFLIPQUEUE_TIMESTAMP_CANCELLED only for a flip behind which another "
                        "of the plane had its TargetFlipTime reached, too",
                        "the log says so of PresentId %llu " OF_PLANE ", and no flip behind it was "
                        "due",
                        (unsigned long long)told->id, layer, source->index);
    }
}

/* Half a frame lies between the time of a flip and the vertical sync it is meant for: clocks that
 * are converted may be wrong by a quarter. */
static void judge_time(const struct dxgk_source *source, UINT layer,
                       const struct dxgk_flip_told *told)
{
    uint64_t grace = dxgk_frame_ticks(source) / 4;

    contract_count(RULE_MPO_024);
    if (told->stamp + grace < told->flip.target) {
        contract_breach(FINDING(source, MPO_024), "no flip shown before its TargetFlipTime",
                        "PresentId %llu " OF_PLANE " was shown at %llu, %llu ticks of "
                        "KeQueryPerformanceCounter before its TargetFlipTime %llu",
                        (unsigned long long)told->id, layer, source->index,
                        (unsigned long long)told->stamp,
                        (unsigned long long)(told->flip.target - told->stamp),
                        (unsigned long long)told->flip.target);
    } else if (told->stamp > told->at + grace || told->stamp + grace < told->flip.given) {
        contract_breach(FINDING(source, MPO_024),
                        "in PresentTimestamp when the flip began to be sent, by "
                        "KeQueryPerformanceCounter",
                        "PresentTimestamp of PresentId %llu " OF_PLANE " is %llu; it was given at "
                        "%llu, and this was read at %llu",
                        (unsigned long long)told->id, layer, source->index,
                        (unsigned long long)told->stamp, (unsigned long long)told->flip.given,
                        (unsigned long long)told->at);
    }
}

/* Two of one plane cannot begin with one vertical sync; nor does one that is overtaken. */
static void judge_order(const struct dxgk_source *source, UINT layer,
                        const struct dxgk_queue_plane *plane, const struct dxgk_flip_told *told)
{
    uint64_t frame = dxgk_frame_ticks(source);
    bool together = plane->stamp != 0 && plane->stamp_waited && told->flip.waits &&
                    told->stamp < plane->stamp + frame / 2;

    contract_count(RULE_MPO_013);
    if (together) {
        contract_breach(FINDING(source, MPO_013),
                        "of flips whose TargetFlipTime was reached at one vertical sync the newest "
                        "shown, and the others logged with DXGK_HWFLIPQUEUE_TIMESTAMP_CANCELLED",
                        "PresentId %llu " OF_PLANE " was shown at %llu, and the one before it at "
                        "%llu",
                        (unsigned long long)told->id, layer, source->index,
                        (unsigned long long)told->stamp, (unsigned long long)plane->stamp);
    } else if (told->flip.waits && told->next_due != UINT64_MAX &&
               told->next_due + frame < told->stamp) {
        contract_breach(FINDING(source, MPO_013),
                        "the newest shown of flips whose TargetFlipTime was reached",
                        "PresentId %llu " OF_PLANE " was shown at %llu, and the next had been due "
                        "since %llu",
                        (unsigned long long)told->id, layer, source->index,
                        (unsigned long long)told->stamp, (unsigned long long)told->next_due);
    }
}

static void judge_skipped(const struct dxgk_source *source, UINT layer,
                          const struct dxgk_flip_told *told)
{
    contract_count(RULE_MPO_029);
    if (told->skipped > 0) {
        contract_breach(FINDING(source, MPO_029),
                        "an entry in the log for each flip, whether it was shown or cancelled",
                        "the log " OF_PLANE " has PresentId %llu, and nothing of %u flips that "
                        "were queued before it",
                        layer, source->index, (unsigned long long)told->id, told->skipped);
    }
}

static bool is_early(const struct dxgk_source *source, const struct dxgk_flip_told *told)
{
    return told->known && told->stamp != DXGK_HWFLIPQUEUE_TIMESTAMP_CANCELLED &&
           told->stamp + dxgk_frame_ticks(source) / 4 < told->flip.target;
}

/* `more`: what was told behind it. One that was shown too early overtakes others too early, and is
 * judged for the one. */
static void judge_told(struct dxgk_source *source, UINT layer, const struct dxgk_flip_told *told,
                       unsigned more)
{
    struct dxgk_queue_plane *plane = &source->layers->queue->planes[layer];
    unsigned i = 1;

    if (!is_known(source, layer, told)) {
        return;
    }
    judge_skipped(source, layer, told);
    while (i <= more && told[i].stamp == DXGK_HWFLIPQUEUE_TIMESTAMP_CANCELLED) {
        i++;
    }
    if (told->stamp == DXGK_HWFLIPQUEUE_TIMESTAMP_CANCELLED && i <= more &&
        is_early(source, &told[i])) {
        record_count("present.flips_overtaken", 1);
    } else if (told->stamp == DXGK_HWFLIPQUEUE_TIMESTAMP_CANCELLED) {
        judge_cancelled(source, layer, told);
        record_count("present.flips_overtaken", 1);
    } else {
        judge_time(source, layer, told);
        judge_order(source, layer, plane, told);
        plane->stamp = told->stamp;
        plane->stamp_waited = told->flip.waits;
        record_count("present.flips_logged", 1);
    }
    plane->told_id = told->id;
}

/* ---- In the DPC ------------------------------------------------------------------------------ */

struct taking {
    struct dxgk_queue_plane *plane;
    struct dxgk_flip_told told[DXGK_TOLD_MAX];
    unsigned count;
    ULONG beyond;
};

static bool take_told(void *context)
{
    struct taking *taking = context;
    struct dxgk_queue_plane *plane = taking->plane;

    taking->count = plane->told_count;
    taking->beyond = plane->beyond;
    for (unsigned i = 0; i < plane->told_count; i++) {
        taking->told[i] = plane->told[i];
    }
    plane->told_count = 0;
    plane->beyond = 0;
    return true;
}

static void serve_plane(struct dxgk_source *source, UINT layer, struct taking *taking)
{
    taking->plane = &source->layers->queue->planes[layer];
    dxgk_flip_queue_synchronize(source, take_told, taking);
    if (taking->beyond) {
        contract_breach(FINDING(source, MPO_023),
                        "FirstFreeFlipQueueLogEntryIndex below NumberOfEntries: the log begins "
                        "anew behind its last entry",
                        "it is %u " OF_PLANE ", and NumberOfEntries %u", taking->beyond, layer,
                        source->index, DXGK_LOG_ENTRIES);
    }
    for (unsigned i = 0; i < taking->count; i++) {
        judge_told(source, layer, &taking->told[i], taking->count - 1 - i);
    }
}

static void judge_unwanted(struct dxgk_source *source)
{
    struct dxgk_flip_queue *queue = source->layers->queue;

    contract_count(RULE_MPO_025);
    if (queue->unwanted < UNWANTED_MAX) {
        return;
    }
    queue->unwanted = 0;
    contract_breach(FINDING(source, MPO_025),
                    "vertical syncs told when a plane shows a flip with its "
                    "InterruptTargetPresentId or a later one, or that is 0",
                    "%u notices in a row of target %u, while the flips of source %u that were to "
                    "be told still waited",
                    UNWANTED_MAX, source->target, source->index);
}

static bool is_past(const struct dxgk_source *source, const struct dxgk_queued *flip,
                    unsigned frames)
{
    uint64_t now = nt_performance_counter(), grace = frames * dxgk_frame_ticks(source);

    return now > grace && now - grace > flip->target && now - grace > flip->given;
}

/* The oldest flip of a plane whose time is long past; NULL: none. */
static const struct dxgk_queued *overdue(const struct dxgk_source *source, UINT *layer,
                                         unsigned frames)
{
    const struct dxgk_flip_queue *queue = source->layers->queue;

    for (*layer = 0; *layer < queue->plane_count; (*layer)++) {
        const struct dxgk_queue_plane *plane = &queue->planes[*layer];
        if (plane->pending_count > 0 && is_past(source, &plane->pending[0], frames)) {
            return &plane->pending[0];
        }
    }
    return NULL;
}

static bool is_at_work(const struct dxgk_source *source)
{
    const struct dxgk_adapter *adapter = source->adapter;

    return adapter->state == DXGK_ADAPTER_RUNNING && !adapter->asleep && source->active &&
           source->visible && !dxgk_adapter_stands_still(adapter);
}

/* Written, and not told: ids of flips that are pending stand nowhere else in the log. */
static bool has_untold_entry(const struct dxgk_queue_plane *plane, uint64_t id)
{
    DXGK_FLIPQUEUE_LOG_ENTRY entry = {0};

    if (plane->log && !plane->anew) {
        memcpy(&entry, &plane->log[plane->next], sizeof entry);
    }
    return entry.PresentId == id;
}

static void judge_overdue(struct dxgk_source *source, unsigned frames)
{
    UINT layer;
    const struct dxgk_queued *flip = is_at_work(source) ? overdue(source, &layer, frames) : NULL;

    contract_count(RULE_MPO_029);
    if (!flip) {
        return;
    }
    contract_breach(FINDING(source, MPO_029),
                    "each flip in the log, shown at the first vertical sync after its "
                    "TargetFlipTime",
                    "of PresentId %llu " OF_PLANE ", whose TargetFlipTime was %llu ticks of "
                    "KeQueryPerformanceCounter ago, the log says nothing%s",
                    (unsigned long long)flip->id, layer, source->index,
                    (unsigned long long)(nt_performance_counter() - flip->target),
                    has_untold_entry(&source->layers->queue->planes[layer], flip->id)
                        ? " up to the index that was told last; its entry stands behind that"
                        : "");
    dxgk_flip_queue_forget(source);
    present_source_cancel(&source->present, VIDSCH_STATUS_CANCELLED);
}

static void serve_planes(struct dxgk_source *source)
{
    struct taking taking;

    for (UINT i = 0; i < source->layers->queue->plane_count; i++) {
        serve_plane(source, i, &taking);
    }
}

static bool ask(void *context)
{
    dxgk_flip_queue_ask(context);
    return true;
}

/* Was a vertical sync to tell of the flip by now? It was if that has been so for some frames. */
static bool was_to_be_told(const struct dxgk_source *source, UINT layer, uint64_t id,
                           unsigned frames)
{
    const struct dxgk_queue_plane *plane = &source->layers->queue->planes[layer];

    return plane->interrupt_known && id >= plane->interrupt_from &&
           nt_performance_counter() - plane->interrupt_since > frames * dxgk_frame_ticks(source);
}

/* Of a flip that needs no interrupt the log need say nothing before somebody asks. */
static void ask_if_untold(struct dxgk_source *source)
{
    UINT layer;
    const struct dxgk_queued *flip =
        is_at_work(source) ? overdue(source, &layer, FRAMES_LATE) : NULL;

    if (flip && !was_to_be_told(source, layer, flip->id, FRAMES_LATE)) {
        dxgk_flip_queue_synchronize(source, ask, source);
        serve_planes(source);
    }
}

void dxgk_flip_queue_serve(struct dxgk_source *source)
{
    serve_planes(source);
    judge_unwanted(source);
    ask_if_untold(source);
    judge_overdue(source, FRAMES_LATE);
}

void dxgk_flip_queue_judge_older(struct dxgk_source *source)
{
    struct dxgk_flip_queue *queue = source->layers->queue;

    contract_count(RULE_MPO_023);
    if (++queue->older < OLDER_MAX) {
        return;
    }
    queue->older = 0;
    contract_breach(FINDING(source, MPO_023),
                    "DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3 from a driver that queues "
                    "flips, from the first of them on",
                    "%u notices of target %u of another kind, while flips of source %u waited",
                    OLDER_MAX, source->target, source->index);
    dxgk_flip_queue_forget(source);
    present_source_cancel(&source->present, VIDSCH_STATUS_CANCELLED);
}

/* ---- By the worker --------------------------------------------------------------------------- */

/* A flip whose time is long past, and that a vertical sync was to tell; NULL: none. */
static const struct dxgk_queued *untold(const struct dxgk_source *source, UINT *layer)
{
    const struct dxgk_flip_queue *queue = source->layers->queue;

    for (*layer = 0; *layer < queue->plane_count; (*layer)++) {
        const struct dxgk_queue_plane *plane = &queue->planes[*layer];
        for (unsigned i = 0; i < plane->pending_count; i++) {
            const struct dxgk_queued *flip = &plane->pending[i];
            if (is_past(source, flip, DXGK_FRAMES_SILENT) &&
                was_to_be_told(source, *layer, flip->id, DXGK_FRAMES_SILENT)) {
                return flip;
            }
        }
    }
    return NULL;
}

/* No interrupt came for what was to be told: the driver is asked. */
static void look(struct dxgk_source *source)
{
    struct dxgk_flip_queue *queue = source->layers->queue;
    UINT layer;

    if (!overdue(source, &layer, DXGK_FRAMES_SILENT)) {
        return;
    }
    const struct dxgk_queued *flip = untold(source, &layer);
    uint64_t id = flip ? flip->id : 0;
    dxgk_flip_queue_synchronize(source, ask, source);
    contract_count(RULE_MPO_025);
    if (flip &&
        dxgk_queue_plane_find(&queue->planes[layer], id) == queue->planes[layer].pending_count) {
        contract_breach(FINDING(source, MPO_025),
                        "a vertical sync told by "
                        "DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3 when the flip of "
                        "InterruptTargetPresentId is shown, or a later one",
                        "PresentId %llu " OF_PLANE " is in the log when "
                        "DxgkDdiUpdateFlipQueueLog asks, and %u frames after its time no notice "
                        "had come",
                        (unsigned long long)id, layer, source->index, DXGK_FRAMES_SILENT);
    }
    source->layers->told_any = true;
    dxgk_planes_serve(source); /* judges it if it is not */
}

void dxgk_flip_queue_work(struct dxgk_source *source)
{
    struct dxgk_flip_queue *queue = source->layers->queue;

    if (!queue || !is_at_work(source)) {
        return;
    }
    if (queue->wants_worker) {
        queue->wants_worker = false;
        dxgk_flip_queue_set_interrupts(source);
    }
    look(source);
}

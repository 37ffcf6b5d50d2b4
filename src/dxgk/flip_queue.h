/* The hardware's flip queue, since WDDM 3.0: flips of planes that are given to the driver ahead,
 * each with a time before which it is not shown.
 *
 *   worker ── log buffer, then Set...Overlay3(TargetFlipTime) ──> pending of its planes
 *                                                                     │
 *   DPC: judged; flips end <── told <── at device level: the log <────┘
 *                                       (vertical sync, or UpdateFlipQueueLog)
 *
 * A source has a queue if the driver asked for the feature, was allowed it, and its caps say so;
 * then all of its flips are of planes. What the log says is the driver's: each word is read once,
 * and nothing in it is believed. Times are of KeQueryPerformanceCounter. */
#ifndef DXGK_FLIP_QUEUE_H
#define DXGK_FLIP_QUEUE_H

#include "dxgk/internal.h"
#include "dxgk/planes.h"
#include "dxgk/screens.h"

#define DXGK_LOG_ENTRIES 24u /* no page says how many (guess): few, so that it soon begins anew */
#define DXGK_QUEUED_MAX  16u /* of a plane */
#define DXGK_TOLD_MAX    32u
#define DXGK_TICK_NS     100u /* of KeQueryPerformanceCounter */

#define DXGK_EVERY_SYNC UINT64_C(0) /* values of InterruptTargetPresentId */
#define DXGK_NO_SYNC    UINT64_MAX

#define DXGK_FRAMES_SILENT 8u /* behind the time of a flip that is not told */

/* A flip that the driver has and has not told of. */
struct dxgk_queued {
    uint64_t id, target, given; /* times */
    bool waits;                 /* for a vertical sync; else at once */
    uint32_t planes;            /* that are flipped with it, this one among them */
};

/* What the log says of one, with what was known by then. */
struct dxgk_flip_told {
    uint64_t id, stamp;
    uint64_t at; /* when it was read */
    bool known;  /* it was pending: then */
    struct dxgk_queued flip;
    unsigned skipped;  /* older ones that were, and that no entry has */
    uint64_t next_due; /* when the next of the plane could be shown: its target, or when it came */
    bool cancelled;    /* instead: the driver had said that it took it back */
};

struct dxgk_queue_plane {
    DXGK_FLIPQUEUE_LOG_ENTRY *log; /* NULL: the driver has none */
    bool anew;                     /* it was set up anew since, and is to be given one again */
    uint64_t target, stamp;        /* of the last flip given; of the last shown, as told */
    bool stamp_waited;             /* that one waited for a vertical sync */
    uint64_t last_id;              /* given */
    uint64_t told_id;              /* the newest whose end is known */
    /* From here on at device level. */
    unsigned next; /* the log is read up to here */
    ULONG beyond;  /* an index behind its end was told; 0: none was */
    struct dxgk_flip_told told[DXGK_TOLD_MAX];
    unsigned told_count;
    struct dxgk_queued pending[DXGK_QUEUED_MAX]; /* oldest first */
    unsigned pending_count;
    uint64_t given_up; /* up to this id nobody waits for anything to be told */
    uint64_t cancelled_first, cancelled_last; /* the last that it took back */
    bool cancelled_one_by_one;                /* by DxgkDdiCancelQueuedFlips */
    uint64_t interrupt_from;                  /* InterruptTargetPresentId */
    uint64_t interrupt_since;                 /* when it was said */
    bool interrupt_known;
};

struct dxgk_flip_queue {
    struct dxgk_queue_plane planes[DXGK_PLANES_MAX];
    unsigned plane_count;
    unsigned unwanted, older; /* notices in a row that nobody wanted; or of an older form */
    bool silent;              /* vertical syncs are not told before the last of those that wait */
    bool wants_worker;        /* the driver was set up anew: what interrupts is said again */
    struct dxgk_adapter *adapter;
    struct machine_timer timer; /* silent: when all must be over */
};

/* ---- flip_queue.c ---------------------------------------------------------------------------- */

/* How many of a plane the hardware may have at once; 0: it has no queue. */
unsigned dxgk_flip_queue_length(const struct dxgk_adapter *adapter);
/* Of the caps, once [MPO-027]. */
void dxgk_flip_queue_judge_caps(const struct dxgk_adapter *adapter);
NTSTATUS MUST_CHECK dxgk_flip_queue_start(struct dxgk_source *source);
/* Takes the logs back; may switch. Nothing is pending, or the device is gone. */
void dxgk_flip_queue_rest(struct dxgk_source *source);
void dxgk_flip_queue_stop(struct dxgk_source *source);
/* The device was set up anew: what was pending is over, and the logs begin anew. */
void dxgk_flip_queue_forget(struct dxgk_source *source);
/* A flip of the primary alone, as one of planes. */
NTSTATUS dxgk_flip_queue_plain(struct dxgk_context *context,
                               const struct dxgk_present_request *request);
/* What its time will be made of. */
void dxgk_flip_queue_take_interval(struct dxgk_flip *flip);
/* Before a flip, at PASSIVE_LEVEL: its planes have logs [MPO-015]. */
bool dxgk_flip_queue_ready(struct dxgk_flip *flip);
/* The driver is about to be given it: its TargetFlipTime is known then [MPO-012]; and did not take
 * it. */
void dxgk_flip_queue_give(struct dxgk_flip *flip);
void dxgk_flip_queue_refused(const struct dxgk_flip *flip);
/* Is any flip in the queue that it has to wait for; or in that of any source? May it be told again?
 */
bool dxgk_flip_queue_waits(const struct dxgk_flip *flip, bool of_all);
bool dxgk_flip_queue_is_drained(const struct dxgk_flip *flip);
/* What a vertical sync tells, at device level. */
void dxgk_flip_queue_take(struct dxgk_source *source, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data);
/* Asks the driver what became of the flips, at device level. */
void dxgk_flip_queue_ask(struct dxgk_source *source);
bool dxgk_flip_queue_told(const struct dxgk_layers *layers, UINT layer, uint64_t id);

/* What the other files need of it. */
struct dxgk_flip_queue *dxgk_flip_queue_of(const struct dxgk_source *source); /* or NULL */
void dxgk_flip_queue_synchronize(struct dxgk_source *source, bool (*function)(void *),
                                 void *context); /* between two interrupts */
/* Its place among those that are pending; their number: none has that id. */
unsigned dxgk_queue_plane_find(const struct dxgk_queue_plane *plane, uint64_t id);

/* ---- flip_queue_cancel.c --------------------------------------------------------------------- */

/* Takes back all that wait. PASSIVE_LEVEL. */
void dxgk_flip_queue_cancel(struct dxgk_source *source);
/* From which flip on vertical syncs are to be told, as it is now. */
void dxgk_flip_queue_set_interrupts(struct dxgk_source *source);

/* ---- flip_queue_judge.c ---------------------------------------------------------------------- */

/* In the DPC: looks at what was told. */
void dxgk_flip_queue_serve(struct dxgk_source *source);
/* A notice that tells nothing of logs came, though flips wait. */
void dxgk_flip_queue_judge_older(struct dxgk_source *source);
/* The worker's part: is a flip overdue? */
void dxgk_flip_queue_work(struct dxgk_source *source);
static inline uint64_t dxgk_frame_ticks(const struct dxgk_source *source)
{
    return dxgk_frame_ns(source) / DXGK_TICK_NS;
}

#endif

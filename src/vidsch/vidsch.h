/* vidsch: the GPU scheduler of an adapter.
 *
 * Terms. A *node* is a hardware engine with a hardware queue of limited depth. A *context* is a
 * stream of packets in order, bound to one node. A *packet* is one piece of work: a struct that the
 * owner embeds in his own and fills in. A *fence id* is the 32-bit number under which the hardware
 * reports a packet; a node counts them up, together with the ids of preemption requests, and wraps.
 *
 *   vidsch_push                                    vidsch_retire, vidsch_preempted (in a DPC)
 *       │                                                              │
 *       v          waits met,     policy picks,                        v
 *   [queued] ──> [at the head] ──> [preparing] ──submit──> [running] ──────> done(status)
 *       │          │      ^         │      ^                  │
 *       │          │      │  PENDING│      │vidsch_prepared   │ preempted: paging first, in order,
 *       │          │      │         v      │                  │ same ids; the others at the front
 *       │          │      │       [pending] ──── READY        │ of their contexts, with new ids
 *       │          │      └───────────────────────────────────┘
 *       └──────────┴── context lost: backend.cancel(packet), done(STATUS_CANCELLED)
 *
 * A packet belongs to the owner until vidsch_push(), and to the scheduler from then until done(),
 * which is called once for every packet pushed. done() may free it.
 *
 * A node has no thread. vidsch_step() does one thing on whoever calls it; vidsch_run() steps until
 * there is nothing to do. Retiring, met waits and the end of a suspension run the node by
 * themselves; push() does not, its caller does: push all, then run. Steps happen only where
 * backend.can_step() says yes (physical-mode drivers need PASSIVE_LEVEL for Patch); elsewhere
 * backend.kick() asks for somebody who may: typically it wakes a worker that calls
 * vidsch_run_all().
 *
 * Locking: a node's lock (rank VIDSCH) guards the node and its contexts. Policies run under it.
 * Backend calls and done() run without it, and may call back into vidsch, except where stated.
 * prepare and submit of a node never run twice at a time. Whoever calls a function that may run the
 * node holds no lock that his backend or done() take.
 *
 * A packet that its node submits is not retired before backend.submit has returned, even if its
 * fence is reported meanwhile: the backend may use it until then.
 *
 * A *hardware queue* is a context whose packets the hardware schedules by itself. They are prepared
 * in order like all others and handed over as soon as the queue has room; each has a *progress id*,
 * which grows along the queue, and is done when the queue's progress (a word in memory) has reached
 * it:
 *
 *   [at the head] ──prepare──> submit ──> [in flight] ── vidsch_progress(id or more) ──> done
 *
 * They have no part in the node's running list, its fence ids and its preemption. A node none of
 * whose hardware queues gets any further is a time-out.
 *
 * A *session* is a packet of a hardware queue that stands for all that its owner's client gives the
 * hardware by itself, while it is in flight. It ends when the owner says so. Whether such a queue
 * has work is asked by backend.look(), which says it by vidsch_queue_set_idle(): a node all of
 * whose queues are idle is looked at again and again, and is never late. */
#ifndef VIDSCH_VIDSCH_H
#define VIDSCH_VIDSCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/status.h"
#include "machine/machine.h"
#include "sync/sync.h"

enum {
    VIDSCH_PRIORITY_COUNT = 32, /* 0 lowest; VIDSCH_PRIORITY_SYSTEM for paging */
    VIDSCH_PRIORITY_NORMAL = 16,
    VIDSCH_PRIORITY_SYSTEM = 31,
    VIDSCH_NODE_COUNT_MAX = 64,
};

/* How packets end that did not run to their end. */
#define VIDSCH_STATUS_LOST      STATUS_DEVICE_REMOVED /* was on the hardware, the rest is lost */
#define VIDSCH_STATUS_CANCELLED STATUS_CANCELLED      /* never reached the hardware */

/* The progress id of a session, which no progress reaches. */
#define VIDSCH_SESSION_ID (UINT64_MAX - 1)

struct vidsch;
struct vidsch_node;
struct vidsch_context;
struct vidsch_packet;
struct vidsch_policy;

/* ---- Packets ----------------------------------------------------------------------------- */

enum vidsch_packet_kind {
    VIDSCH_PACKET_RENDER,
    VIDSCH_PACKET_PRESENT,
    VIDSCH_PACKET_PAGING,         /* resubmitted first, in order, with its own fence id */
    VIDSCH_PACKET_CONTEXT_SWITCH, /* zero length: leaves the hardware on the null context */
    VIDSCH_PACKET_HW_QUEUE,       /* of a hardware queue, see below: no fence id, no preemption */
    /* From here on nothing goes to the hardware queue; no fence id, no prepare, no cancel. */
    VIDSCH_PACKET_SOFTWARE, /* backend.execute() once all earlier work of the context completed;
                             * ends by vidsch_complete(), later packets do not wait for that */
    VIDSCH_PACKET_WAIT,     /* ends when its waits are met */
    VIDSCH_PACKET_SIGNAL, /* ends when all earlier work of the context completed; done() signals */
    VIDSCH_PACKET_KIND_COUNT
};

static inline bool vidsch_kind_is_hardware(enum vidsch_packet_kind kind)
{
    return kind < VIDSCH_PACKET_SOFTWARE;
}

enum vidsch_packet_state {
    VIDSCH_STATE_NEW, /* the owner's: not pushed yet, or done */
    VIDSCH_STATE_QUEUED,
    VIDSCH_STATE_WAITING, /* at its context's head, for its sync objects */
    VIDSCH_STATE_READY,
    VIDSCH_STATE_PREPARING, /* inside backend.prepare() */
    VIDSCH_STATE_PENDING,   /* until vidsch_prepared() */
    VIDSCH_STATE_SUBMITTING,
    VIDSCH_STATE_RUNNING,
    VIDSCH_STATE_EXECUTING, /* SOFTWARE, until vidsch_complete() */
    VIDSCH_STATE_ENDED,     /* done() is about to be called */
};

/* Zeroed, then filled in by the owner down to `done`; the rest is the scheduler's, to be read only.
 */
struct vidsch_packet {
    enum vidsch_packet_kind kind;
    struct sync_item *waits; /* must be met before the packet may go; the owner's memory */
    unsigned wait_count;
    bool wait_any;
    void (*done)(struct vidsch_packet *packet, NTSTATUS status);

    uint32_t object;             /* in the record */
    uint32_t fence_id;           /* valid in backend.submit() and while running */
    unsigned resubmission_count; /* how often it was submitted after a preemption */
    uint64_t progress_id;        /* HW_QUEUE: the owner's, larger than that of the one before */
    struct vidsch_context *context;
    uint64_t sequence; /* order of pushing along the node */
    enum vidsch_packet_state state;
    bool submitted;      /* has been on the hardware at least once: never cancelled after that */
    bool rejected;       /* submit() refused it: ends in order with status, no report needed */
    bool doomed;         /* ends cancelled as soon as whoever has it gives it back */
    bool cancel;         /* ended, and backend.cancel() is due */
    bool counted;        /* in context->hardware_count */
    bool in_backend;     /* inside prepare() or execute() */
    bool answered_early; /* vidsch_prepared(), vidsch_complete() came before that returned */
    bool endless;        /* asked to stop again and again, and no nearer to its end */
    NTSTATUS status;
    uint64_t start_ns; /* when it became the oldest on the hardware */
    uint64_t first_ns; /* the same for the first time; 0: never yet */
    uint64_t ran_ns;   /* time as the oldest, over all submissions */
    uint64_t ready_ns; /* when it was at the head, and its waits were met */
    struct list link;  /* in its context (queued, in flight), or its node's running, resubmit or
                        * ended list */
    struct sync_wait wait; /* of those that have waits: the others do not touch its cache line */
};

/* ---- Contexts ---------------------------------------------------------------------------- */

/* A hardware queue whose memory is to be moved is given nothing, and the hardware is asked to leave
 * what it has of it alone; the owner asks, and says when it was answered. */
enum vidsch_queue_stop {
    VIDSCH_QUEUE_GOES,
    VIDSCH_QUEUE_ASKED,   /* no answer in tdr_delay is a time-out of the node */
    VIDSCH_QUEUE_STOPPED, /* what it has in flight is not late */
};

struct vidsch_context_config {
    unsigned node_index;
    unsigned priority;       /* below VIDSCH_PRIORITY_COUNT */
    int in_process_priority; /* orders the contexts of one process at the same priority */
    const void *process;     /* compared for equality only */
    uint64_t quantum_ns;     /* 0: the adapter's */
    uint32_t parent;         /* object number of its device; 0: none */
    bool system;             /* paging: not lost by a reset, never causes preemption */
    unsigned in_flight_max;  /* a hardware queue, of so many packets at once; 0: it is none */
};

struct vidsch_context {
    struct vidsch *vidsch; /* fixed at init */
    struct vidsch_node *node;
    const void *process;
    uint64_t quantum_ns;
    uint32_t object; /* in the record */
    bool system;

    /* The rest: node->lock. */
    unsigned priority;
    int in_process_priority;
    bool lost;
    bool hit;                  /* had work on the hardware when it was reset */
    bool ready;                /* the policy has it: its head may go to the hardware */
    bool software_ready;       /* its head ends or executes without the hardware */
    unsigned hardware_count;   /* its packets on the hardware or waiting for resubmission */
    unsigned pending_count;    /* pushed and not done */
    struct list queued;        /* the first is the head */
    struct list link;          /* in node->contexts */
    struct list software_link; /* in node->software */
    struct wait_queue idle_waiters;

    /* Of a hardware queue. */
    unsigned in_flight_max; /* fixed at init */
    unsigned in_flight_count;
    struct list in_flight; /* oldest first */
    uint64_t progress;     /* the largest value seen */
    bool idle;             /* its session has nothing to do */
    enum vidsch_queue_stop stop;
    uint64_t stop_since_ns; /* ASKED */
    bool queue_ready;       /* its head may go, and has room */
    struct list queue_link;

    struct list policy_link; /* the policy's */
    uint64_t policy_words[2];

    /* What it got of the node, of what it wanted: the time in which any of its packets that
     * completed was ready, or on the hardware. */
    uint64_t ran_ns, wanted_ns;
    uint64_t served_until_ns; /* up to here wanted_ns is counted */
};

/* ---- What the scheduler needs of the world ------------------------------------------------ */

enum vidsch_prepare {
    VIDSCH_PREPARE_READY,   /* everything is in place: submit follows */
    VIDSCH_PREPARE_PENDING, /* paging goes ahead; vidsch_prepared() says when to ask again */
    VIDSCH_PREPARE_FAILED,  /* the packet ends with *status */
};

enum vidsch_submit {
    VIDSCH_SUBMIT_DONE,  /* the hardware has it */
    VIDSCH_SUBMIT_LATER, /* nothing happened: not at this IRQL, say. kick() follows; the same packet
                          * is prepared again */
    VIDSCH_SUBMIT_REJECTED, /* the hardware does not have it; ends with *status once all before it
                               ended */
};

enum vidsch_preempt_reason {
    VIDSCH_PREEMPT_PRIORITY,
    VIDSCH_PREEMPT_QUANTUM,
    VIDSCH_PREEMPT_EXPLICIT, /* vidsch_preempt(), vidsch_suspend() */
    VIDSCH_PREEMPT_TIMEOUT,
};

struct vidsch_backend {
    /* Makes the packet ready for the hardware. May call vidsch_push() on other contexts and
     * vidsch_push_after() on this packet; may block. The context's order stands still meanwhile. */
    enum vidsch_prepare (*prepare)(struct vidsch *vidsch, struct vidsch_packet *packet,
                                   NTSTATUS *status);
    /* Hands the packet with its fence id and resubmission count to the hardware. */
    enum vidsch_submit (*submit)(struct vidsch *vidsch, struct vidsch_packet *packet,
                                 NTSTATUS *status);
    /* SOFTWARE: does it. vidsch_complete() ends it, at once or later. NULL: no such packets. */
    void (*execute)(struct vidsch *vidsch, struct vidsch_packet *packet);
    /* Tells the driver that a hardware packet that was never submitted never will be. NULL: nobody
     * to tell. */
    void (*cancel)(struct vidsch *vidsch, struct vidsch_packet *packet);
    /* Asks the node to stop; vidsch_preempted() answers. NULL: the hardware cannot. */
    void (*preempt)(struct vidsch *vidsch, unsigned node_index, uint32_t preemption_id,
                    enum vidsch_preempt_reason reason);
    /* The newest completed fence id, for a node that has been silent for long; false: not known.
     * NULL: cannot ask. */
    bool (*query_fence)(struct vidsch *vidsch, unsigned node_index, uint32_t *fence_id);
    /* Hardware queues of the node have been silent for long: looks at their progress, and says it
     * by vidsch_progress(). NULL: nobody can look. */
    void (*look)(struct vidsch *vidsch, unsigned node_index);
    /* Does this packet's work end for certain? Then one that was submitted again and again and ran
     * for several limits is a time-out, too: packet->endless. NULL: nobody knows of any. Looks, and
     * calls nobody. */
    bool (*is_finite)(struct vidsch *vidsch, const struct vidsch_packet *packet);
    /* The oldest packet overstayed and the node did not answer a preemption; or no hardware queue
     * got any further, or one that was asked to stop did not. Called once; the node
     * gets no more work until vidsch_reset_end(). May carry the whole reset out. The packet is for
     * the record: it may end as soon as a late report comes. NULL: all packets completed, but a
     * preemption, or a request to a hardware queue, was never answered. */
    void (*timed_out)(struct vidsch *vidsch, unsigned node_index, struct vidsch_packet *packet);
    /* During vidsch_reset_answer() and vidsch_engine_reset(): the context had work on the hardware
     * and is lost. The owner loses what belongs with it, by vidsch_context_lose(). NULL: nothing
     * else. */
    void (*context_hit)(struct vidsch *vidsch, struct vidsch_context *context);
    /* May prepare, submit, preempt and cancel be called here and now? NULL: at PASSIVE_LEVEL. Asked
     * with the node's lock held: looks, and calls nobody. */
    bool (*can_step)(struct vidsch *vidsch);
    /* Somebody who may step is needed for vidsch_run(node). Any context; may be called often. */
    void (*kick)(struct vidsch *vidsch, unsigned node_index);
    /* vidsch_tick() is wanted at this time, which is before any other that is outstanding. Any
     * context. */
    void (*arm)(struct vidsch *vidsch, uint64_t when_ns);
    /* NULL: machine_now_ns(). Asked with the node's lock held. */
    uint64_t (*now_ns)(struct vidsch *vidsch);
};

/* ---- The scheduler ----------------------------------------------------------------------- */

struct vidsch_config {
    unsigned node_count;
    unsigned hw_queue_depth;            /* 0: 2 */
    const struct vidsch_policy *policy; /* NULL: vidsch_policy_priority */
    uint64_t quantum_ns;                /* 0: 10 ms */
    uint64_t packet_limit_ns;           /* the oldest is asked to stop then; 0: tdr_delay_ns */
    uint64_t tdr_delay_ns;              /* from the request to time-out; 0: 2 s */
    unsigned reset_limit;     /* more resets than this within the window are too many; 0: 5 */
    uint64_t reset_window_ns; /* 0: 60 s */
    uint32_t first_fence_id;  /* 0: 1. Tests begin near the wrap */
    uint32_t wrap_after;      /* ids leap until so many are left before they wrap; 0: they count */
    uint32_t parent;          /* object number of the adapter */
};

struct vidsch_node {
    struct vidsch *vidsch; /* fixed at init */
    unsigned index;
    uint32_t object;
    const struct vidsch_policy *policy;
    void *policy_state;

    struct mutex lock;
    /* The rest: lock. */
    struct list contexts;
    struct list software; /* contexts whose head executes without the hardware */
    struct list running;  /* packets on the hardware, oldest first */
    struct list resubmit; /* preempted paging packets, in order */
    struct list ended;    /* for done(), in order */
    unsigned running_count;
    unsigned pending_count; /* pushed and not done */
    uint64_t next_sequence;

    uint32_t next_id;        /* for submissions and preemptions */
    unsigned leaps;          /* of the ids, that are to come */
    uint32_t last_submitted; /* newest id on the hardware; later ids are not reported */
    uint32_t last_completed;
    uint32_t reported; /* newest report; ahead of last_completed while its packet is in submit() */

    bool stepping;   /* somebody has left the lock with a packet or a request in his hands */
    bool delivering; /* somebody is calling done() */
    bool timed_out;
    struct vidsch_packet *submitting; /* inside backend.submit() */
    unsigned suspend_all, suspend_contexts, frozen;

    struct list queue_ready;  /* hardware queues whose head may go, in that order */
    unsigned in_flight_count; /* packets of all hardware queues */
    int asked_count;          /* hardware queues that are ASKED */
    uint64_t progress_ns;     /* since when none of them got any further */
    bool looked;              /* backend.look() was called since then */

    uint64_t ran_ns, system_ran_ns; /* of packets that completed, the system's among them */

    bool preempt_wanted;
    bool preempting; /* requested and not answered */
    enum vidsch_preempt_reason preempt_reason;
    uint32_t preemption_id;
    uint64_t preempt_since_ns;

    struct vidsch_context *slice_context; /* of the oldest packet on the hardware */
    uint64_t slice_since_ns;              /* since when its packets are the oldest */
    uint64_t look_again_ns;               /* the policy wants to be asked again */
    uint64_t stop_at_ns;                  /* a variation asks the oldest to stop then */
    uint64_t deadline_ns;                 /* when vidsch_tick() has something to do here */
    bool has_completed;                   /* a packet, since the node was made or reset */
    /* Where the driver stood when it had reset its engine, and the adapter was reset all the same:
     * it may stand there still. 0: nowhere. */
    uint32_t aborted;
    bool was_given;  /* a packet, since the node was made or all nodes were reset */
    bool begun_anew; /* it had work and was reset, and was not asked to stop since */
    bool refused;    /* a packet was, and it was not asked to stop since */
    bool wrap_asked; /* to stop while ids before and behind the wrap were on the hardware */
    bool polled;     /* the fence was asked for during this oldest packet */

    struct wait_queue waiters; /* for any change that idle and quiet waits look at */
};

struct vidsch {
    const struct vidsch_backend *backend; /* fixed at init */
    struct vidsch_config config;          /* with the defaults filled in */
    struct vidsch_node *nodes;
    struct mutex arm_lock;
    uint64_t armed_ns GUARDED_BY(arm_lock);
    uint64_t *reset_times_ns; /* ring of the newest reset_limit + 1 */
    unsigned reset_count;
};

NTSTATUS MUST_CHECK vidsch_init(struct vidsch *vidsch, const struct vidsch_backend *backend,
                                const struct vidsch_config *config);
/* No contexts are left. Accepts a zeroed struct. */
void vidsch_fini(struct vidsch *vidsch);

/* How long packets that completed were the oldest on the node, and the system's among them. */
void vidsch_node_ran(struct vidsch *vidsch, unsigned node, uint64_t *ran_ns,
                     uint64_t *system_ran_ns);

/* Fails for a node or priority that does not exist. */
NTSTATUS MUST_CHECK vidsch_context_init(struct vidsch_context *context, struct vidsch *vidsch,
                                        const struct vidsch_context_config *config);
/* Nothing of it is pending: vidsch_context_wait_idle() first. Accepts a zeroed struct. */
void vidsch_context_fini(struct vidsch_context *context);
void vidsch_context_set_priority(struct vidsch_context *context, unsigned priority,
                                 int in_process_priority);

/* Appends the packet to its context. Cannot fail. On a lost context it ends cancelled, at the next
 * vidsch_run(). Any context; calls nobody back. */
void vidsch_push(struct vidsch_context *context, struct vidsch_packet *packet);
/* From inside prepare(packet): rest goes right behind packet in the same context. For DMA buffers
 * that must be split. */
void vidsch_push_after(struct vidsch_packet *packet, struct vidsch_packet *rest);
/* Answers VIDSCH_PREPARE_PENDING, also from inside prepare(). Success: prepare() is called again;
 * an error ends the packet with it. Must come even if the context was lost meanwhile; the packet is
 * cancelled then. */
void vidsch_prepared(struct vidsch_packet *packet, NTSTATUS status);
/* Everything pushed to its context before it has left the queue for the hardware, or is done. */
bool vidsch_packet_is_head(const struct vidsch_packet *packet);
/* Ends an SOFTWARE packet, also from inside execute(). */
void vidsch_complete(struct vidsch_packet *packet, NTSTATUS status);

enum vidsch_step {
    VIDSCH_STEP_IDLE,   /* nothing that could go now */
    VIDSCH_STEP_DONE,   /* did one thing; there may be more */
    VIDSCH_STEP_BUSY,   /* somebody else is at it and will look again */
    VIDSCH_STEP_KICKED, /* not here; kick() was called */
};
enum vidsch_step vidsch_step(struct vidsch *vidsch, unsigned node_index);
/* Steps until nothing can go. */
void vidsch_run(struct vidsch *vidsch, unsigned node_index);
void vidsch_run_all(struct vidsch *vidsch);
/* Looks at every deadline; where steps are allowed, and at the latest at the time given to arm().
 * Early is harmless. */
void vidsch_tick(struct vidsch *vidsch);

/* ---- Reports of the hardware -------------------------------------------------------------- */

enum vidsch_report {
    VIDSCH_REPORT_OK,
    VIDSCH_REPORT_NO_PACKET, /* in range, but no packet has this id; all before it were retired */
    VIDSCH_REPORT_OLD,       /* older than the previous report: ignored [INT-005] */
    VIDSCH_REPORT_BEYOND,    /* newer than the last submission: ignored [INT-005] */
    VIDSCH_REPORT_UNASKED,   /* a preemption that was not requested: ignored [INT-008] */
};

/* What the report would come to; changes nothing. For the moment of the interrupt. */
enum vidsch_report vidsch_report_check(struct vidsch *vidsch, unsigned node_index,
                                       uint32_t fence_id);
/* Every packet of the node up to fence_id completed, in order, oldest first. DISPATCH_LEVEL or
 * below. */
enum vidsch_report vidsch_retire(struct vidsch *vidsch, unsigned node_index, uint32_t fence_id);
/* Answers backend.preempt(): everything up to last_completed_id completed, the rest was thrown out.
 */
enum vidsch_report vidsch_preempted(struct vidsch *vidsch, unsigned node_index,
                                    uint32_t preemption_id, uint32_t last_completed_id);

/* The word in memory of a hardware queue says this: its packets up to that id completed, in order.
 * A value that is not larger than one before says nothing. True: it got further. DISPATCH_LEVEL or
 * below. */
bool vidsch_progress(struct vidsch_context *context, uint64_t value);

/* Of a hardware queue; any order. GOES: its clock begins anew, and it runs. */
void vidsch_queue_set_stop(struct vidsch_context *context, enum vidsch_queue_stop stop);
/* After a reset of its node alone: what it has in flight is lost, and so is the queue; its owner
 * knows. Not from inside done(). */
void vidsch_queue_lose(struct vidsch_context *context);

/* Of a hardware queue with a session: it has nothing to do, or it has, and its clock begins anew.
 * DISPATCH_LEVEL or below, as the next. */
void vidsch_queue_set_idle(struct vidsch_context *context, bool idle);
/* Its session is over, as soon as it is submitted. One that was ended before stays so. */
void vidsch_session_end(struct vidsch_packet *packet);

/* a is later than b, with wrap-around. */
static inline bool vidsch_fence_after(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) > 0;
}

uint32_t vidsch_last_submitted(struct vidsch *vidsch, unsigned node_index);
uint32_t vidsch_last_completed(struct vidsch *vidsch, unsigned node_index);
uint32_t vidsch_last_reported(struct vidsch *vidsch, unsigned node_index); /* by the hardware */
/* The oldest packet on the hardware; false: there is none. */
bool vidsch_oldest_fence(struct vidsch *vidsch, unsigned node_index, uint32_t *fence_id);
/* Is anything on the hardware? Without a lock: in any context. */
bool vidsch_has_running(const struct vidsch *vidsch);
/* The request to stop that the node has not answered; false: none. */
bool vidsch_is_asked(struct vidsch *vidsch, unsigned node_index, uint32_t *preemption_id);
/* Since when; MACHINE_NEVER: it is not. */
uint64_t vidsch_asked_since(struct vidsch *vidsch, unsigned node_index);

/* ---- Preemption and suspension on request ------------------------------------------------- */

/* Asks the node to give its packets back, as soon as it can be asked. False: nothing runs, or the
 * hardware cannot. They are submitted again at once unless the node is suspended. */
bool vidsch_preempt(struct vidsch *vidsch, unsigned node_index);

enum vidsch_suspend {
    VIDSCH_SUSPEND_ALL,      /* nothing is submitted: power, exclusive access */
    VIDSCH_SUSPEND_CONTEXTS, /* only system contexts go on: memory is being moved */
};
/* Counted; resume with the same kind. What is on the hardware stays there; see vidsch_preempt(). */
void vidsch_suspend(struct vidsch *vidsch, unsigned node_index, enum vidsch_suspend kind);
void vidsch_resume(struct vidsch *vidsch, unsigned node_index, enum vidsch_suspend kind);

/* ---- Waiting: PASSIVE_LEVEL, in a task; false when the deadline comes first ---------------- */

/* Every packet of the context, the node, the adapter is done. */
bool vidsch_context_wait_idle(struct vidsch_context *context, uint64_t deadline_ns);
bool vidsch_node_wait_idle(struct vidsch *vidsch, unsigned node_index, uint64_t deadline_ns);
bool vidsch_is_idle(struct vidsch *vidsch);
bool vidsch_wait_idle(struct vidsch *vidsch, uint64_t deadline_ns);
/* The hardware queue is empty and nobody is handing it a packet: after vidsch_suspend(). */
bool vidsch_node_wait_quiet(struct vidsch *vidsch, unsigned node_index, uint64_t deadline_ns);
bool vidsch_context_is_idle(struct vidsch_context *context);
/* Nothing is on the node's hardware, on its way there or asked for, and it has no hardware queues:
 * until it is given something nobody needs its engine. */
bool vidsch_node_rests(struct vidsch *vidsch, unsigned node_index);
/* Nothing is left but what sync objects hold up: no node has work or owes an answer, and the head
 * of each context that has some waits for its objects. */
bool vidsch_only_waits(struct vidsch *vidsch);

/* ---- Errors ------------------------------------------------------------------------------ */

/* The context gets no more work done. Queued packets go through backend.cancel() and end cancelled
 * before this returns if steps are allowed here; except one that is being prepared, which ends when
 * its preparation does. What is on the hardware stays there until it completes (STATUS_SUCCESS), or
 * is preempted or reset (VIDSCH_STATUS_LOST). */
void vidsch_context_lose(struct vidsch_context *context);
bool vidsch_context_is_lost(struct vidsch_context *context);
/* The same for what is queued, but the context stays alive: paging work that a reset made
 * pointless. */
void vidsch_context_cancel(struct vidsch_context *context);

/* The way through an adapter's reset, from timed_out() or any task that is not inside prepare(),
 * submit() or done():
 *
 *   reset_begin    no node submits, prepares or preempts any more; waits until nobody is at it.
 *                  STATUS_TIMEOUT: somebody is still in the backend at the deadline; the nodes
 *                  are frozen all the same.
 *   (the owner resets the hardware)
 *   reset_answer   last completed = last submitted on every node [TDR-004]; contexts with work on
 *                  the hardware are lost, except system ones: context_hit(). Their packets end:
 *                  VIDSCH_STATUS_LOST on the hardware, cancelled in the queues.
 *   (the owner cleans up and restarts the hardware)
 *   reset_end      queued packets of the other contexts go on. */
NTSTATUS MUST_CHECK vidsch_reset_begin(struct vidsch *vidsch, uint64_t deadline_ns);
/* Behind a reset_begin that timed out: once more, up to another deadline. */
NTSTATUS MUST_CHECK vidsch_reset_wait(struct vidsch *vidsch, uint64_t deadline_ns);
void vidsch_reset_answer(struct vidsch *vidsch);
void vidsch_reset_end(struct vidsch *vidsch);
/* After reset_begin, once for each reset that counts: notes it. True: it is one too many, for more
 * than reset_limit of them fell within the window. */
bool vidsch_reset_counts(struct vidsch *vidsch);
/* Inside a reset: another limit of packets, and another delay behind it. */
void vidsch_take_delay(struct vidsch *vidsch, uint64_t tdr_delay_ns);

/* The node is given up as for a time-out, for its hardware has said that it stands still. Until
 * vidsch_engine_reset(), vidsch_go_on() or a reset it is given nothing. */
void vidsch_stand_still(struct vidsch *vidsch, unsigned node_index);
/* Somebody may be on his way to the hardware with a packet or a request: he comes there first.
 * False: he is still at it at the deadline. */
bool vidsch_node_wait_step(struct vidsch *vidsch, unsigned node_index, uint64_t deadline_ns);
/* Inside backend.timed_out(): does the node still owe what it was given up for? */
bool vidsch_is_overdue(struct vidsch *vidsch, unsigned node_index);
/* It does not: it goes on as if there had been no time-out, and its hardware queues have all their
 * time again. */
void vidsch_go_on(struct vidsch *vidsch, unsigned node_index);
/* After the hardware reset one node and says which packet it was at [ENGRST-005]: those before it
 * completed, its context is lost, those after it are submitted again as after a preemption. */
enum vidsch_engine_reset {
    VIDSCH_ENGINE_RESET_OK,
    VIDSCH_ENGINE_RESET_BAD_ID, /* not in [completed, submitted]; nothing changed */
    VIDSCH_ENGINE_RESET_PAGING, /* a paging packet was hit: reset the adapter [ENGRST-008] */
};
enum vidsch_engine_reset vidsch_engine_reset(struct vidsch *vidsch, unsigned node_index,
                                             uint32_t aborted_id);

/* ---- Policies ---------------------------------------------------------------------------- */

/* Decides who is next. One state per node, zeroed before init(). Everything runs under the node's
 * lock and may not call vidsch. A context is *ready* while its oldest packet could go to the
 * hardware; the policy keeps the ready ones (context->policy_link, policy_words are its own). */
struct vidsch_policy {
    const char *name;
    size_t state_size;
    void (*init)(void *state, const struct vidsch_node *node);
    void (*fini)(void *state); /* no context is left. NULL: the state holds nothing */
    void (*on_push)(void *state, struct vidsch_packet *packet); /* NULL: no interest */
    void (*on_ready)(void *state, struct vidsch_context *context);
    void (*on_unready)(void *state, struct vidsch_context *context);
    /* The ready context whose packet goes next, or NULL for none now; it stays ready. With
     * system_only, system contexts alone. */
    struct vidsch_context *(*pick)(void *state, bool system_only);
    /* When should the node be asked to stop for the sake of candidate, which pick() named? now_ns
     * or before: now; later: ask again then; MACHINE_NEVER: not at all. `oldest` runs on the
     * hardware and has been followed by packets of its own context since slice_since_ns. NULL:
     * never. */
    uint64_t (*should_preempt)(void *state, const struct vidsch_packet *oldest,
                               uint64_t slice_since_ns, const struct vidsch_context *candidate,
                               uint64_t now_ns);
    /* The packet left the hardware after ran_ns as the oldest, completed or preempted. NULL: no
     * interest. */
    void (*on_done)(void *state, struct vidsch_packet *packet, uint64_t ran_ns);
};

/* Strict priority; round robin by quantum within one; contexts of a process by their in-process
 * priority. */
extern const struct vidsch_policy vidsch_policy_priority;
/* In order of becoming ready; never preempts. */
extern const struct vidsch_policy vidsch_policy_fifo;

#endif

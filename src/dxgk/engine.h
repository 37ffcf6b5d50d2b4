/* engine.h: what the adapter keeps for the reset of one engine, and for a device that stands still.
 */
#ifndef DXGK_ENGINE_H
#define DXGK_ENGINE_H

#include "dxgk/presence.h"
#include <stdbool.h>
#include <stdint.h>

#include "machine/machine.h"

struct dxgk_context;

/* What an interrupt left for the DPC: one word per node and event [INT-006]. */
struct node_notice {
    bool completed, preempted, faulted;
    bool signalled; /* some progress fence */
    bool logged;    /* the scheduling log has come to its entry */
    uint32_t completed_fence;
    uint32_t preemption_id, preempted_last;
    uint32_t faulted_fence;
};

#define DXGK_SUSPENSIONS_MAX 16

/* Hardware contexts that are suspended, as interrupts told it, for the DPC; more are lost. */
struct dxgk_suspensions {
    unsigned count;
    struct {
        void *context; /* the handle */
        uint64_t fence;
    } told[DXGK_SUSPENSIONS_MAX];
};

/* The last page fault of a node, as its interrupt told it: page_fault.c. */
struct dxgk_fault {
    uint64_t address;       /* GPU virtual; 0: none was told */
    uint32_t fence;         /* of a hardware queue the lower half of the progress id */
    bool has_fence, write;  /* no fence: FENCE_INVALID */
    const void *queue;      /* the handle of a hardware queue; NULL: it was of a packet */
    uint64_t device;        /* life number of the client's whose submission it was; 0: not known */
    unsigned resubmissions; /* of that one */
    uint32_t pasid, used;   /* of its process, and by which the device had looked; 0: not known */
    uint64_t halved;        /* where its commands are, if the fault is at the lower half of that */
    bool nowhere;           /* where its client said that its commands are was nothing */
    /* As a client is told of it (D3DKMTGetDeviceState). */
    uint64_t sequence;
    int stage;
    uint32_t bind_entry, flags, error; /* DXGK_PAGE_FAULT_FLAGS, DXGK_FAULT_ERROR_CODE */
    bool error_is_devices;             /* IsDeviceSpecificCode: no address is to blame */
};

/* What QueryCurrentFence said of a node while an interrupt was on its way, in lost.c. */
struct dxgk_answer {
    bool open; /* nothing was reported since */
    uint32_t fence;
    uint64_t steps; /* pci_steps() when it was asked */
};

/* Submissions of a node that ended, by whether the device had read something of their commands. */
struct dxgk_fetches {
    unsigned read, unread;
};

/* A node, in engine_reset.c. */
struct dxgk_engine {
    bool scheduled; /* it has hardware contexts; fixed after start */
    bool user_submission; /* and clients may give them work by themselves; fixed after start */
    struct dxgk_fetches fetches;
    unsigned in_flight_max;    /* of a hardware queue; fixed after start */
    bool fence_release;        /* it writes progress fences by itself; fixed after start */
    bool resumed;              /* by ResumeHwEngine, and nothing at all completed since */
    bool names_some;           /* ResetHwEngine has named some context as hurt */
    bool queues_begun_anew;    /* reset alone by ResetHwEngine, and nothing was done since */
    unsigned signals_not_told; /* of progress fences, but found when somebody looked */
    uint64_t claimed_at_signal; /* interrupts that the driver had claimed at its last such notice */
    struct dxgk_answer answer;
    struct dxgk_fault fault;
    unsigned nameless_packets, nameless_queues; /* faults told with FENCE_INVALID, the latest */
    uint64_t nameless_ns;                       /* then; forgotten as resets are [TDR-007] */
    uint64_t hurt;    /* device of the client's fault that the latest reset was for, of it alone */
    bool any_refused; /* by SubmitCommandVirtual */
    uint32_t refused; /* the fence of the last one */
    /* null_context.c: submissions are counted. */
    struct dxgk_context *null;   /* of no driver's object; NULL: none was needed yet */
    uint64_t entries, forgotten; /* those up to the second are no longer on the GPU */
    struct {
        uint64_t entry, context; /* the newest that is done, and its context's life number */
    } done;
    bool leaving;      /* its null context is on the way */
    bool muted;        /* being reset: what it tells is not heard */
    bool begun_anew;   /* reset alone, and nothing completed since */
    const char *begun_by; /* the call that set it up, and nothing completed since; or NULL */
    bool by_preemption; /* LastCompletedFenceId of a DMA_PREEMPTED tells what ends now */
    bool to_ask;       /* for its fence: a preemption told of one that nothing else told of */
    uint64_t asked_ns; /* for its status, the last time */
    struct {           /* an answer to a request to stop that nothing could be made of */
        bool told;
        uint32_t request, last_completed, expected;
    } odd;
};

/* The adapter's device, in still.c. */
struct dxgk_still {
    bool armed, allowed, on;
    bool starves;  /* it is the driver's threads that stand, and not the device */
    bool answered; /* a reset is under way that it is the cause of */
    unsigned count, attempts;
    unsigned losses;           /* of devices, by such resets */
    uint64_t submissions_left; /* until it is tried; 0: not */
    uint64_t since_ns, ended_ns;
    uint64_t activity; /* of the device, when its clock stopped */
    struct machine_timer timer;
};

/* What the device model said last, and when. */
struct dxgk_said {
    char text[PCI_SAID_MAX];
    uint64_t ns;
    bool fresh; /* no description of a reset has it yet */
};

struct dxgk_adapter;
/* timeout.c: keeps what the device said since it was heard last, if anything. */
void dxgk_hear_device(struct dxgk_adapter *adapter);

#endif

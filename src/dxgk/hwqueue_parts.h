/* What hwqueue.c and hwqueue_make.c share: hardware contexts and queues. */
#ifndef DXGK_HWQUEUE_PARTS_H
#define DXGK_HWQUEUE_PARTS_H

#include "dxgk/bands.h"
#include "dxgk/doorbell.h"
#include "dxgk/fence_memory.h"
#include "dxgk/internal.h"
#include "dxgk/schedule_judge.h"

struct dxgk_hwcontext {
    struct dxgk_context base; /* with the driver's handle and the root table; no packets */
    unsigned queue_count;     /* that the driver may know */
    bool keeps_tables;        /* of its space */
    /* hwqueue_rest.c */
    enum vidsch_queue_stop stop;
    bool given_up;            /* it does not go on any more */
    uint64_t suspend_fence;   /* of the last SuspendContext */
    uint64_t asked_ns;        /* when SuspendContext came last */
    uint64_t told_fence;      /* that a notice has named since; 0: none */
    bool paused, hasty;       /* for nothing: dxgk_hwcontexts_pause(); nobody waits for an answer */
    bool invalid, collateral; /* DxgkCbInvalidateHwContext in the reset that is under way */
    bool named;               /* by the driver, in it */
    struct dxgk_place place;
    struct dxgk_logged logged; /* schedule_judge.c */
};

/* The word that the GPU writes: a page of the queue's own, mapped in its process's space. */
struct dxgk_fence_page {
    void *view;       /* the kernel's, for the queue's life; the value is its first word */
    void *shown;      /* the client's, which reads there what the GPU wrote; of the system's NULL */
    uint64_t address; /* GPU virtual */
    struct dxgk_word word;
    bool mapped;
    /* Of the system's queue these two instead. */
    struct vidmm_dma_pool pool;
    struct vidmm_dma_buffer *buffer;
};

struct dxgk_hwqueue {
    struct dxgk_context base;     /* the time line: packets, waits and signals */
    struct dxgk_hwcontext *owner; /* a reference, and counted there */
    bool driver_knows;            /* CreateHwQueue made it */
    struct dxgk_fence_page page;
    struct dxgk_sync *fence; /* a reference */
    uint64_t last_id;        /* given to a submission */
    uint64_t given_id;       /* the newest that the driver was given */
    unsigned pending_count;  /* submissions that are not done */
    bool sending;            /* one of a client's: the driver is asked what it thinks of it */
    bool users;              /* its client submits by itself: doorbell.h */
    struct dxgk_doorbell *doorbell; /* NULL: there is none */
    bool ending; /* a Present has the last id, and its buffer is being ended: it comes first */
};

static inline struct dxgk_hwcontext *dxgk_hwcontext_of(struct dxgk_context *context)
{
    CHECK_THAT(context->life.kind == DXGK_KIND_HW_CONTEXT);
    return container_of(context, struct dxgk_hwcontext, base);
}

/* hwqueue_rest.c: by the driver's handle, or the kernel's; NULL: none. No reference. */
struct dxgk_hwcontext *dxgk_hwcontext_named(struct dxgk_adapter *adapter, const void *handle);

/* One of the node's that has not answered SuspendContext; NULL: none. What is said of it. */
struct dxgk_hwcontext *dxgk_hwcontext_asked(struct dxgk_adapter *adapter, unsigned node);
void dxgk_hwcontext_say_asked(const struct dxgk_hwcontext *context, char *text, size_t size);

/* Of a device that is lost: it is suspended for good, and what it has on the hardware lost. May
 * switch. */
void dxgk_hwcontext_give_up(struct dxgk_hwcontext *context);

/* hwqueue.c: for one more packet, and behind a Present that is being ended. False: the device was
 * lost meanwhile. */
bool dxgk_hwqueue_wait_for_room(struct dxgk_hwqueue *queue, uint64_t private_bytes);
/* Stations, of a Present's packet, too. */
void dxgk_hwqueue_hand_over(struct dxgk_packet *packet);
void dxgk_hwqueue_done(struct dxgk_packet *packet, NTSTATUS status);

/* paging_queue.c: of the system's queue. The first may switch. */
NTSTATUS MUST_CHECK dxgk_paging_page_make(struct dxgk_adapter *adapter,
                                          struct dxgk_fence_page *page);
void dxgk_paging_page_end(struct dxgk_adapter *adapter, struct dxgk_fence_page *page);

static inline struct dxgk_hwqueue *dxgk_hwqueue_of(struct dxgk_context *stream)
{
    CHECK_THAT(stream->life.kind == DXGK_KIND_HW_QUEUE);
    return container_of(stream, struct dxgk_hwqueue, base);
}

#endif

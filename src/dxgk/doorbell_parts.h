/* What doorbell.c and doorbell_session.c share. */
#ifndef DXGK_DOORBELL_PARTS_H
#define DXGK_DOORBELL_PARTS_H

#include "dxgk/hwqueue_parts.h"
#include "dxgk/work.h"

struct dxgk_doorbell {
    struct dxgk_life life;
    struct dxgk_hwqueue *queue;          /* a reference, and it knows of this one alone */
    struct dxgk_opening *ring, *control; /* references, and they count it; control may be NULL */
    HANDLE driver_handle;
    bool created; /* the driver knows it */
    bool resizes;
    struct dxgk_doorbell_words words;

    bool connected; /* the client's address leads to a doorbell */
    bool attached;  /* for all that the driver knows it is connected */
    bool aborted;
    bool calling;        /* a call of the driver about it is under way */
    struct task *caller; /* and whose that is */
    unsigned told;       /* so often the driver said that it is disconnected */
    void *leads_to;      /* what ConnectDoorbell gave, the last time */
    uint64_t apart_ns;   /* when it was disconnected last */
    bool by_driver;      /* he said so */
    uint64_t owed;       /* last queued value when it was disconnected */
    uint64_t reached;    /* of the fence, when the device was lost */
    bool idle_before;    /* nothing to do when the node was looked at last */

    struct dxgk_packet *session; /* NULL: there is none */
    bool open;                   /* it is on the hardware */
    bool leaving;                /* it is to end, and nobody connects until then */
    bool stays;                  /* the same, but for what its client had queued and not rung */
    struct wait_queue changed;
};
ASSERT_BEGINS_WITH_LIFE(dxgk_doorbell);

/* doorbell_session.c */
/* The client's address leads nowhere from now on, and the status says why. */
void dxgk_doorbell_let_go(struct dxgk_doorbell *doorbell, D3DDDI_DOORBELLSTATUS status);
/* Around a call of the driver. The first waits for another one; false: not here (the worker). */
void dxgk_doorbell_begin_call(struct dxgk_doorbell *doorbell);
void dxgk_doorbell_end_call(struct dxgk_doorbell *doorbell);
/* Tells the driver, if it does not know yet. May switch. */
void dxgk_doorbell_detach(struct dxgk_doorbell *doorbell);
/* How far the queue's fence is, and whether that is as far as its client has queued. */
uint64_t dxgk_doorbell_reached(const struct dxgk_doorbell *doorbell);
bool dxgk_doorbell_is_done(const struct dxgk_doorbell *doorbell);
/* Ends its session, if nothing is left to be done. DISPATCH_LEVEL or below. */
void dxgk_doorbell_settle(struct dxgk_doorbell *doorbell);

#endif

/* Doorbells: hardware queues that clients give work to by themselves (WDDM 3.1).
 *
 * The client writes its commands into a *ring buffer* of its own and rings: it writes to an address
 * that leads to a doorbell of the device, if the driver has connected one, and nowhere if not. A
 * word beside it, the *status*, says which. Another one, the *last queued value*, is the client's:
 * the value that the queue's progress fence will have when all that it gave is done.
 *
 *              D3DKMTConnectDoorbell: ConnectDoorbell
 *     APART ────────────────────────────────────────────> CONNECTED    the client rings
 *       ^                                                     │
 *       └── the driver: DxgkCbDisconnectDoorbell, or the ─────┘        RETRY: it connects anew
 *           kernel: DisconnectDoorbell                                 ABORT: it never will
 *
 * From before it is connected until what the client gave is done, a queue has a *session*: a packet
 * in the scheduler that keeps in place what the device's submissions need, and has the engine on.
 * Whoever needs memory, a rest or quiet has it end: doorbells are disconnected, and the packet is
 * done when the fence has come to the value that the client had queued by then. */
#ifndef DXGK_DOORBELL_H
#define DXGK_DOORBELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <d3dkmddi.h>

#include "base/status.h"

struct ddi_adapter;
struct dxgk_adapter;
struct dxgk_device;
struct dxgk_doorbell;
struct dxgk_hwqueue;
struct dxgk_opening;
struct dxgk_packet;
struct dxgk_road;
struct vidmm_use;

/* ---- For the client face --------------------------------------------------------------------- */

struct dxgk_doorbell_request {
    struct dxgk_opening *ring, *control; /* control NULL: there is none */
    bool second;                         /* it wants a second address */
    bool resizes;
    void *private_data; /* the driver may change it */
    UINT private_size;
};

/* What a client has of it: addresses of its own. */
struct dxgk_doorbell_words {
    void *bell, *second;
    uint64_t *status, *last_queued;
};

/* INVALID_PARAMETER: the queue is none of this kind, or has a doorbell. May switch, as all here. */
NTSTATUS MUST_CHECK dxgk_doorbell_create(struct dxgk_hwqueue *queue,
                                         const struct dxgk_doorbell_request *request,
                                         struct dxgk_doorbell **out);
NTSTATUS dxgk_doorbell_destroy(struct dxgk_doorbell *doorbell);
NTSTATUS MUST_CHECK dxgk_doorbell_connect(struct dxgk_doorbell *doorbell);
NTSTATUS MUST_CHECK dxgk_doorbell_notify(struct dxgk_doorbell *doorbell);
D3DKMT_HANDLE dxgk_doorbell_handle(const struct dxgk_doorbell *doorbell);
struct dxgk_doorbell_words dxgk_doorbell_words(const struct dxgk_doorbell *doorbell);

/* ---- Inside ---------------------------------------------------------------------------------- */

extern const struct dxgk_road dxgk_road_session;

#define DXGK_ANY_NODE UINT_MAX

/* Of an adapter. */
struct dxgk_doorbells {
    UINT size, second_size; /* of one, in bytes; 0: there are none. Fixed after start */
    bool wanted;            /* the worker is to look at them */
    uint64_t rest_nodes;    /* the driver told that these are to rest; at interrupt level */
};

/* Asks for the caps, if some node has such queues. */
void dxgk_doorbells_ask(struct dxgk_adapter *adapter);
/* The driver has all DDIs without which no doorbell can be used. */
bool dxgk_has_doorbells(const struct dxgk_adapter *adapter);
/* The worker's: disconnects those that are to be, ends sessions that are over. */
void dxgk_doorbells_work(struct dxgk_adapter *adapter);
/* Sessions of the node, or of any, are to end: somebody needs what they keep. Any context. */
void dxgk_doorbells_leave(struct dxgk_adapter *adapter, unsigned node);
/* The one whose session keeps this, if there is one. */
void dxgk_doorbells_leave_use(struct dxgk_adapter *adapter, const struct vidmm_use *use);
/* All of one device. */
void dxgk_device_doorbells_leave(struct dxgk_device *device);
/* Has the queue's client given anything that is not done? DISPATCH_LEVEL or below. */
void dxgk_doorbell_look(struct dxgk_hwqueue *queue);
/* The same of all. */
void dxgk_doorbells_look(struct dxgk_adapter *adapter);
/* The node has been silent for long: those that had nothing to do all the while leave. */
void dxgk_doorbells_look_late(struct dxgk_adapter *adapter, unsigned node);
/* The device is lost: no doorbell of it leads anywhere any more. */
void dxgk_device_doorbells_abort(struct dxgk_device *device);
/* The queue ends: nobody connects it any more, and the driver disconnects it. What is in work ends
 * by itself. Then, when nothing is: the driver forgets it. */
void dxgk_doorbell_close(struct dxgk_hwqueue *queue);
void dxgk_doorbell_end(struct dxgk_hwqueue *queue);
/* Until nothing of a queue is in work, whether or not it is connected. */
bool dxgk_doorbell_wait_idle(struct dxgk_hwqueue *queue, uint64_t deadline_ns);
/* Does a doorbell live that needs one of them? */
bool dxgk_doorbells_hold(struct dxgk_opening *const *openings, UINT count);
/* The value that a session's queue is to come to. */
uint64_t dxgk_doorbell_owed(const struct dxgk_packet *packet);
/* Where its client rang, and when nobody was to hear it any more: for who looks why it was not. */
void dxgk_doorbell_state(const struct dxgk_packet *packet, char *text, size_t size);
/* DXGK_INTERRUPT_GPU_ENGINE_STATE_CHANGE, at device level. */
void dxgk_engine_state_notice(struct dxgk_adapter *adapter,
                              const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data);
/* DxgkCbDisconnectDoorbell. */
bool dxgk_has_hwqueue(const struct ddi_adapter *ddi, HANDLE queue);
NTSTATUS dxgk_doorbell_disconnected(struct ddi_adapter *ddi,
                                    const DXGKARGCB_DISCONNECTDOORBELL *request);

#endif

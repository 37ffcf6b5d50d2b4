/* Hardware queues, for the client face and inside; opened by dxgk.h.
 *
 * A *hardware context* is a context that the GPU schedules by itself, on a node that says so
 * (ContextSchedulingSupported). Work comes to it by its *hardware queues*, of which it may have
 * several. Each has a *progress fence*, a monitored fence whose value the GPU writes: a submission
 * is done when the fence has the id that it was submitted with.
 *
 *     hardware context ─> hardware queue ─> dxgk_hwqueue_submit(id) ... ─> progress fence >= id
 *
 * Inside, each is a struct dxgk_context, for lists, lives and losses are the same: that of a
 * hardware context has the driver's handle and the root table and never any packets; that of a
 * queue has the packets. */
#ifndef DXGK_HWQUEUE_H
#define DXGK_HWQUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include <d3dkmddi.h>

#include "base/status.h"
#include "dxgk/doorbell.h"

struct dxgk_adapter;
struct dxgk_context;
struct dxgk_device;
struct dxgk_hwcontext;
struct dxgk_hwqueue;
struct dxgk_packet;
struct dxgk_road;
struct dxgk_space;
struct dxgk_sync;
struct vidmm_prepare_result;
struct vidmm_use;

/* ---- For the client face --------------------------------------------------------------------- */

struct dxgk_hwcontext_request {
    unsigned node, engine_affinity;
    void *private_data; /* the driver may change it */
    UINT private_size;
};
/* NOT_SUPPORTED: the node is scheduled by the kernel. May switch, as all here. */
NTSTATUS MUST_CHECK dxgk_hwcontext_create(struct dxgk_device *device,
                                          const struct dxgk_hwcontext_request *request,
                                          struct dxgk_hwcontext **out);
/* With its queues; waits for their work. */
NTSTATUS dxgk_hwcontext_destroy(struct dxgk_hwcontext *context);
D3DKMT_HANDLE dxgk_hwcontext_handle(const struct dxgk_hwcontext *context);

struct dxgk_hwqueue_request {
    D3DDDI_CREATEHWQUEUEFLAGS flags;
    void *private_data; /* the driver may change it */
    UINT private_size;
};
NTSTATUS MUST_CHECK dxgk_hwqueue_create(struct dxgk_hwcontext *context,
                                        const struct dxgk_hwqueue_request *request,
                                        struct dxgk_hwqueue **out);
NTSTATUS dxgk_hwqueue_destroy(struct dxgk_hwqueue *queue);
D3DKMT_HANDLE dxgk_hwqueue_handle(const struct dxgk_hwqueue *queue);
/* Its time line, for waits and signals. */
struct dxgk_context *dxgk_hwqueue_stream(struct dxgk_hwqueue *queue);
/* Lives as long as the queue; nobody else signals it. */
struct dxgk_sync *dxgk_hwqueue_fence(const struct dxgk_hwqueue *queue);
D3DGPU_VIRTUAL_ADDRESS dxgk_hwqueue_fence_address(const struct dxgk_hwqueue *queue);

/* By the driver's handle or the kernel's, which drivers mix up; NULL: there is none. */
struct dxgk_hwqueue *dxgk_hwqueue_named(struct dxgk_adapter *adapter, const void *handle);

/* Its client submits by itself: nothing can be queued there by calls. */
bool dxgk_hwqueue_is_users(const struct dxgk_hwqueue *queue);

struct dxgk_hwqueue_submission {
    UINT64 progress_id; /* larger than of the one before */
    D3DGPU_VIRTUAL_ADDRESS commands;
    UINT size_bytes;
    const void *private_data; /* the client's, for the driver */
    UINT private_size;
};
/* What the driver's ValidateSubmitCommand answers, if it fails; the device is unharmed then. */
NTSTATUS MUST_CHECK dxgk_hwqueue_submit(struct dxgk_hwqueue *queue,
                                        const struct dxgk_hwqueue_submission *submission);
/* Present by the queue: hwqueue_present.c. NOT_SUPPORTED: the driver has no part in it. A copy
 * leaves request->progress_id in the fence, whatever comes of it if the call succeeds. */
struct dxgk_present_request;
NTSTATUS MUST_CHECK dxgk_hwqueue_present(struct dxgk_hwqueue *queue,
                                         const struct dxgk_present_request *request);
/* Of a copy of which nothing is left to be done: the same; 0: no fence is asked for. */
NTSTATUS MUST_CHECK dxgk_hwqueue_pass(struct dxgk_hwqueue *queue, uint64_t progress_id);

/* ---- Inside ---------------------------------------------------------------------------------- */

extern const struct dxgk_road dxgk_road_hwqueue;

/* The driver has all DDIs without which no hardware queue can be used. */
bool dxgk_has_hwqueues(const struct dxgk_adapter *adapter);

/* At the adapter's start: the driver hears how its nodes are to share their time. May switch. */
void dxgk_hwqueues_start(struct dxgk_adapter *adapter);
/* A node's progress fences are looked at: the driver said that one was signalled, or there is
 * reason to ask. True: some queue got further. DISPATCH_LEVEL or below. */
bool dxgk_hwqueues_look(struct dxgk_adapter *adapter, unsigned node);
/* The same when the node has been silent for long: what is found then nobody told. */
void dxgk_hwqueues_look_late(struct dxgk_adapter *adapter, unsigned node);
/* Contexts of the space that rest: rest.c. The worker's: they are asked to stop, and those that
 * need not any more go on. May switch. */
void dxgk_hwcontexts_suspend(const struct dxgk_space *space);
void dxgk_hwcontexts_resume(struct dxgk_adapter *adapter);
/* Now and then one is asked to stop for nothing [VARY_SUSPENDED_CONTEXTS]. The worker's; may
 * switch. */
void dxgk_hwcontexts_pause(struct dxgk_adapter *adapter);
void dxgk_pauses_init(struct dxgk_adapter *adapter);
void dxgk_pauses_fini(struct dxgk_adapter *adapter);
/* A reset of the node (behind the last: of all) is an answer, too: nothing of it runs. */
void dxgk_hwcontexts_were_reset(struct dxgk_adapter *adapter, unsigned node);
/* For a time-out: where the queue's progress fence is, and a suspension that is not answered. */
void dxgk_hwqueue_state(const struct dxgk_packet *packet, char *text, size_t size);
/* It waits for the end of a suspension, and a notice has come, of another one. */
bool dxgk_hwqueue_told_another_fence(const struct dxgk_packet *packet);
/* A time-out of the node, and nothing that it was given is late: is a suspension? */
void dxgk_suspension_judge(struct dxgk_adapter *adapter, unsigned node);
/* Has a context of this kind anything that the GPU may look at? */
bool dxgk_hwqueue_runs(const struct dxgk_context *stream);
/* DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED: at device level, and in the DPC. */
void dxgk_suspension_notice(struct dxgk_adapter *adapter,
                            const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data);
void dxgk_suspension_dpc(struct dxgk_adapter *adapter);
/* DxgkCbInvalidateHwContext. */
struct ddi_adapter;
NTSTATUS dxgk_hwcontext_invalidate(struct ddi_adapter *ddi,
                                   const DXGKARGCB_INVALIDATEHWCONTEXT *request);
/* A time-out of the node with this packet, or none, is its hardware queues' affair. */
bool dxgk_hwqueues_are_late(struct dxgk_adapter *adapter, unsigned node,
                            const struct dxgk_packet *packet);
/* The worker's: the node is reset alone. False: the adapter is to be reset. May switch. */
bool dxgk_hw_engine_reset(struct dxgk_adapter *adapter, unsigned node,
                          const struct dxgk_packet *packet);
/* The page of the fence is in place for a packet of the queue, and what a Present names. */
void dxgk_hwqueue_prepare(struct dxgk_packet *packet, struct vidmm_prepare_result *result);

#endif

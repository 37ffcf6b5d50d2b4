/* Paging by a hardware queue: where the paging node schedules hardware contexts by itself, the
 * system has one there, with one queue, and paging buffers go to it.
 *
 *   BuildPagingBuffer ... ─> the part's end: SignalMonitoredFence, or the operation of that name ─>
 *   SubmitCommandToHwQueue ─> the fence in memory has the part's id ─> done
 *
 * A node with RingBufferFenceRelease writes the fence behind each buffer by itself. */
#ifndef DXGK_PAGING_QUEUE_H
#define DXGK_PAGING_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include <d3dkmddi.h>

#include "base/status.h"

struct dxgk_adapter;
struct dxgk_block;
struct dxgk_context;
struct dxgk_packet;
struct dxgk_road;
struct paging_buffer;

/* Behind PagingBufferSize, in each paging buffer: room for the signal alone. */
#define DXGK_SIGNAL_BYTES 1024u

/* After the paging buffers are there. Does nothing where the kernel schedules the node. May switch.
 */
NTSTATUS MUST_CHECK dxgk_paging_queue_begin(struct dxgk_adapter *adapter);
/* Before the buffers go; nothing is under way, nor will be. */
void dxgk_paging_queue_end(struct dxgk_adapter *adapter);

/* What paging packets are pushed to, and by which road. */
struct dxgk_context *dxgk_paging_stream(const struct dxgk_adapter *adapter);
const struct dxgk_road *dxgk_paging_road(const struct dxgk_adapter *adapter); /* paging_road.c */
/* Of the packets of that road: paging.c. */
void dxgk_paging_part_done(struct dxgk_packet *packet, NTSTATUS status);

struct dxgk_paging_signal {
    const struct paging_buffer *buffer;
    UINT at, private_at;  /* where the part ends; in and out */
    uint64_t progress_id; /* out: what it signals */
    uint32_t object;
};
/* The driver ends a part of a buffer. If it does not, the end of a later one tells of this one,
 * too, or nothing does, and it is late. The worker's. */
void dxgk_paging_queue_signal(struct dxgk_adapter *adapter, struct dxgk_paging_signal *signal);
/* `block`: the driver's private data of the packet; the caller's. */
NTSTATUS dxgk_paging_queue_submit(struct dxgk_packet *packet, const struct dxgk_block *block);
/* Has the queue's fence a value that was not written to it by any signal as it should be? */
bool dxgk_paging_queue_is_wrong(const struct dxgk_adapter *adapter,
                                const struct dxgk_packet *packet);
/* A packet of the queue is late: says what its fence has, and which rule that breaks. False: it is
 * of another queue. */
bool dxgk_paging_queue_judge(struct dxgk_adapter *adapter, const struct dxgk_packet *packet);

#endif

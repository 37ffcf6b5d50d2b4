/* doorbell_client.h: streams of work that a client submits by itself, by doorbells.
 *
 * Functions that return bool have told the host of a failure when they return false. */
#ifndef WORKLOADS_DOORBELL_CLIENT_H
#define WORKLOADS_DOORBELL_CLIENT_H

#include "addressed.h"

struct bell_stream {
    struct addressed *client;
    D3DKMT_HANDLE context, queue, fence, doorbell;
    uint64_t fence_address;
    struct memory_block ring, control;
    unsigned entries, tail;  /* of the ring */
    volatile uint32_t *bell; /* where it rings */
    const volatile uint64_t *status;
    volatile uint64_t *last_queued;
    uint64_t value; /* of the last submission */
};

/* On the client's node. *there: the node has such queues, and the driver a doorbell. */
bool bell_open(struct bell_stream *stream, struct addressed *client, unsigned entries, bool *there);
/* Waits for its work; the client's end does the same for streams that are left. */
void bell_close(struct bell_stream *stream);
/* The doorbell ends, and the queue gets another, with a ring of so many entries. */
bool bell_resize(struct bell_stream *stream, unsigned entries);
/* Commands whose last one writes the stream's value, which is one more than the last. It connects
 * as often as it takes. */
bool bell_submit(struct bell_stream *stream, uint64_t commands, unsigned size_bytes);
/* All that it gave is done: its ring holds these commands from then on, in each entry, so that one
 * that is done again is seen. */
bool bell_spoil(struct bell_stream *stream, uint64_t commands, unsigned size_bytes);
/* What may not be done with such a queue is refused, and harms nothing. */
bool bell_refuses(struct bell_stream *stream, uint64_t commands, unsigned size_bytes);

/* doorbells.c: as the workload doorbells, but one process hangs and loses its device; the others'
 * results are right, as long as they have theirs. Nothing, where the node has no such queues. */
void hang_by_doorbell(const struct drydock_workload_host *host);

/* A driver whose commands nobody knows: doorbells of several queues are made, connected and ended,
 * with an allocation that is nobody's ring in fact. *there: the driver has made one. */
bool bells_come_and_go(struct addressed *client, unsigned node, bool *there);

#endif

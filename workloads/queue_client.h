/* queue_client.h: streams of work by GPU virtual addresses: hardware queues where the node has
 * them, contexts where not. A stream has a fence that gets a value with each submission.
 *
 * Functions that return bool have told the host of a failure when they return false. */
#ifndef WORKLOADS_QUEUE_CLIENT_H
#define WORKLOADS_QUEUE_CLIENT_H

#include "addressed.h"

struct queue_stream {
    struct addressed *client;
    D3DKMT_HANDLE context; /* a hardware context, if there is a queue */
    D3DKMT_HANDLE queue;   /* 0: it is a context */
    D3DKMT_HANDLE fence;
    uint64_t fence_address; /* where the last command of a buffer writes the value; 0: none does */
    uint64_t value;         /* of the last submission */
};

/* On the client's node. */
bool stream_open(struct queue_stream *stream, struct addressed *client);
/* Right behind it: a second queue of the context is the stream's, if there can be one. The first
 * stays empty, and goes with the context: what queues and contexts are numbered by differs. */
void stream_goes_over(struct queue_stream *stream);
/* Waits for its work; the client's end does the same for streams that are left. */
void stream_close(struct queue_stream *stream);
/* The value of the next submission, by so much more than the last. */
uint64_t stream_next(struct queue_stream *stream, uint64_t step);
/* Commands whose last one writes the stream's value, if it has an address for it. */
bool stream_submit(struct queue_stream *stream, uint64_t commands, unsigned size_bytes);
/* The same of a hardware queue, whatever comes of it. */
NTSTATUS stream_try_submit(const struct queue_stream *stream, uint64_t commands,
                           unsigned size_bytes);
/* What comes behind on the stream waits for a fence; signals one when it gets there. */
bool stream_wait(struct queue_stream *stream, D3DKMT_HANDLE fence, uint64_t value);
bool stream_signal(struct queue_stream *stream, D3DKMT_HANDLE fence, uint64_t value);
/* A submission with a value that is no larger than the last is refused, and harms nothing. */
bool stream_refuses(struct queue_stream *stream, uint64_t commands, unsigned size_bytes);
/* Makes contexts and queues, and ends them; no commands are needed. *there: the node has some. */
bool streams_come_and_go(struct addressed *client, unsigned node, bool *there);
/* The same again and again, one at a time: what a driver has places for is free again. */
bool streams_leave_nothing(struct addressed *client, unsigned node);

#endif

/* Passes: how commands that Render or Present write become packets; passes.c. Opened by work.h. */
#ifndef DXGK_PASSES_H
#define DXGK_PASSES_H

#include "dxgk/internal.h"

struct dxgk_collected;
struct dxgk_dma;
struct dxgk_passes;
struct dxgk_road;

/* One call of Render or Present: where the driver stopped writing, and how the next one goes on. */
struct dxgk_pass {
    void *end, *private_end;
    D3DDDI_PATCHLOCATIONLIST *patch_end;
    UINT multipass; /* in and out */
};
struct dxgk_passes {
    NTSTATUS (*call)(struct dxgk_passes *passes, struct dxgk_dma *dma, struct dxgk_pass *pass);
    struct dxgk_context *context;
    const struct dxgk_road *road;
    DXGK_SUBMITCOMMANDFLAGS flags;
    struct dxgk_flip *flip;           /* that the commands ask for, or NULL */
    UINT allocation_count;            /* of context->allocation_list */
    bool is_work;                     /* the call asks for something to be done */
    UINT command_bytes;               /* of a client's commands */
    bool dropped;                     /* what comes of it is cancelled at once */
    uint64_t produced;                /* of dropped work: a hash of commands and patch lists */
    struct dxgk_collected *collected; /* or all of it; may be NULL */
    enum contract_rule going_on;      /* what a driver breaks that gets no further */
    uint64_t progress_id; /* of a hardware queue: what the last buffer signals; 0: the next id */
    uint64_t private_before; /* a hash of the private data that the call was given */
    bool more;            /* the buffer that was written is not the last */
    /* How many fresh buffers in a row were left with so many bytes, and the same offset. */
    unsigned standing_count;
    UINT standing_bytes;
};
/* Between these two the context's lists are the caller's, who is inside the context. Begin may
 * wait; false: the context is being destroyed. The end leaves the first openings of
 * context->allocation_openings, which the caller entered. */
bool dxgk_passes_begin(struct dxgk_context *context);
void dxgk_passes_end(struct dxgk_context *context, UINT allocation_count);
/* A copy of the context's first allocations, for the driver: what it does to it stays there. */
DXGK_ALLOCATIONLIST *dxgk_passes_list(struct dxgk_context *context, UINT count);
/* Calls until the driver is done; each produced buffer is a packet. */
NTSTATUS dxgk_passes_run(struct dxgk_passes *passes);

#endif

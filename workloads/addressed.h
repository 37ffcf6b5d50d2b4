/* addressed.h: what a user-mode driver of GPU virtual addresses would do for the software GPU:
 * memory that is mapped and resident, commands that name it by address, fences.
 *
 * Functions that return bool have told the host of a failure when they return false. */
#ifndef WORKLOADS_ADDRESSED_H
#define WORKLOADS_ADDRESSED_H

#include "gpu.h"

#include "../drivers/softgpu/softgpu_umd.h"

struct addressed {
    struct gpu gpu; /* host, adapter and device; no context for Render */
    D3DKMT_HANDLE context, queue, queue_fence;
    unsigned node;
    D3DKMT_HANDLE also; /* a second context, which gets the same commands; 0: none */
    const volatile uint64_t *queue_value; /* of the paging queue's fence */
    D3DKMT_HANDLE fence;                  /* of the context's work */
    const volatile uint64_t *fence_value;
    uint64_t last_value; /* that was asked for */
    bool shared;         /* addresses are the CPU's: nobody maps or reserves any */
    bool writes_fences;  /* its commands may: fences have addresses */
    bool sends_no_data;  /* its submissions have no private data */
    bool null_rendering; /* nothing of them is to run */
    bool splits;         /* some go as two, one right behind the other */
};

struct memory_block {
    D3DKMT_HANDLE allocation;
    uint64_t address; /* 0: not mapped */
    uint64_t size_bytes;
};

/* *there: the driver has GPU virtual addresses; nothing is open if not. */
bool addressed_open(struct addressed *client, const struct drydock_workload_host *host,
                    unsigned node, bool *there);
void addressed_close(struct addressed *client);

/* A second context on the client's node, for what is submitted until it ends; that waits for its
 * work. */
bool addressed_also_begin(struct addressed *client);
void addressed_also_end(struct addressed *client);

/* An allocation without an address. flags: SOFTGPU_UMD_...; ADDRESSED_UNSEEN: the CPU does not look
 * at it, which else it may. */
#define ADDRESSED_UNSEEN (1u << 31)
bool addressed_make(struct addressed *client, uint64_t size_bytes, unsigned flags,
                    struct memory_block *out);
void addressed_destroy(struct addressed *client, struct memory_block *block);
/* Waits until the paging queue has come so far; 0: at once. */
bool addressed_wait_paging(struct addressed *client, NTSTATUS status, uint64_t value,
                           const char *what);
/* Pages [page_first, page_first + page_count) of the block show at the address (0: anywhere);
 * `write`: the GPU may write there; `data`: no commands are there. */
struct mapping_request {
    const struct memory_block *block;
    uint64_t base, page_first, page_count;
    bool write, data;
};
bool addressed_map(struct addressed *client, const struct mapping_request *request,
                   uint64_t *address);
bool addressed_reside(struct addressed *client, const struct memory_block *blocks, unsigned count);
/* The same of one block; NO_MEMORY is no failure, and *trim_bytes says what should go first. */
bool addressed_try_reside(struct addressed *client, const struct memory_block *block,
                          bool *resident, uint64_t *trim_bytes);
bool addressed_evict(struct addressed *client, const struct memory_block *blocks, unsigned count);
/* Its content may be thrown away until it is reclaimed. */
bool addressed_offer(struct addressed *client, const struct memory_block *block);
/* *kept: the content is as it was. */
bool addressed_reclaim(struct addressed *client, const struct memory_block *block, bool *kept);
/* From now on it may lie in these segments alone, and is there. *there: the driver can do that. */
bool addressed_move(struct addressed *client, const struct memory_block *block, uint32_t segments,
                    bool *there);
/* Sets for that, all in all: video memory, and the aperture. */
bool addressed_segments(struct addressed *client, uint32_t *memory, uint32_t *aperture);
/* The process gives up so much of what it has offered, as far as it goes. */
bool addressed_trim(struct addressed *client, uint64_t size_bytes);
/* Made, resident and mapped as a whole. */
bool addressed_block(struct addressed *client, uint64_t size_bytes, unsigned flags,
                     struct memory_block *out);
bool addressed_reserve(struct addressed *client, uint64_t size_bytes, uint64_t *address);
/* Where reads give zeros. *there: the MMU can do that. */
bool addressed_reserve_zeros(struct addressed *client, uint64_t size_bytes, uint64_t *address,
                             bool *there);
/* Pages of a range show other pages, behind what was submitted; [0, count): pages of the block
 * from the given ones on, in the order of the range. */
bool addressed_update(struct addressed *client, const struct memory_block *block, uint64_t range,
                      const unsigned *pages, unsigned count);
/* A range shows what another one shows, behind what was submitted. */
bool addressed_show_again(struct addressed *client, uint64_t source, uint64_t range,
                          uint64_t size_bytes);
/* Both in one call: pages of the block from this one on, and behind them what those show then. */
struct twice_request {
    const struct memory_block *block;
    uint64_t range, page_first, page_count;
};
bool addressed_update_twice(struct addressed *client, const struct twice_request *request);
bool addressed_free(struct addressed *client, uint64_t address, uint64_t size_bytes);

void *addressed_lock(struct addressed *client, const struct memory_block *block);
void addressed_unlock(struct addressed *client, const struct memory_block *block);

/* Commands, written into a block by the CPU. */
struct command_writer {
    struct addressed *client;
    const struct memory_block *block;
    uint8_t *bytes; /* NULL: failed */
    unsigned used_bytes;
    unsigned half_bytes; /* where the second submission begins; 0: there is one */
};

void writer_begin(struct command_writer *writer, struct addressed *client,
                  const struct memory_block *block);
void writer_fill(struct command_writer *writer, uint64_t to, uint64_t size_bytes, uint32_t pattern);
void writer_copy(struct command_writer *writer, uint64_t to, uint64_t from, uint64_t size_bytes);
/* Kernels of the device: SOFTGPU_KERNEL_... */
struct compute_request {
    unsigned kernel, count;
    uint32_t scalar;
    uint64_t result, a, b;
};
void writer_compute(struct command_writer *writer, const struct compute_request *request);
/* Stores a value when everything before it is done, and the device's time. */
void writer_fence(struct command_writer *writer, uint64_t to, uint64_t value);
void writer_stamp(struct command_writer *writer, uint64_t to);
/* The same of a native fence, whose monitored value says whether anybody is to be told; and the
 * engine waits until a value is reached. */
void writer_signal(struct command_writer *writer, uint64_t to, uint64_t monitored, uint64_t value);
void writer_wait(struct command_writer *writer, uint64_t at, uint64_t value);
void writer_delay(struct command_writer *writer, uint32_t ns); /* lasts so long */
void writer_hang(struct command_writer *writer);               /* never ends */
/* Ends without a submission; false: something did not fit. */
bool writer_close(struct command_writer *writer);
/* Submits what was written, and a signal of the context's fence behind it. */
bool writer_end(struct command_writer *writer);
/* Submits what was closed, and nothing behind it. */
bool writer_submit(const struct command_writer *writer);
/* Once more what was ended: nothing of it is written anew. */
bool writer_again(const struct command_writer *writer);
/* A fence has a value, and the device was not lost meanwhile. */
bool addressed_wait_fence(struct addressed *client, D3DKMT_HANDLE fence, uint64_t value);
/* Everything that was submitted is done. */
bool addressed_wait(struct addressed *client);

#endif

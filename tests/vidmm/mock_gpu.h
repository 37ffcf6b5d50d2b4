/* A GPU for the tests of vidmm: memory segments are arrays, apertures are tables of frames, paging
 * operations wait in order until the test lets them run. Checks what a driver could check. */
#ifndef TESTS_VIDMM_MOCK_GPU_H
#define TESTS_VIDMM_MOCK_GPU_H

#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"
#include "vidmm/vidmm.h"

enum { MOCK_SEGMENT_MAX = 4, MOCK_FLIGHT_MAX = 4096, MOCK_LOG_MAX = 256, MOCK_HELD_MAX = 8192 };

/* An operation as it was handed out; for tests that look at order and arguments. */
struct mock_log_entry {
    struct vidmm_op op; /* a copy */
};

struct mock_mmu; /* mock_mmu.h */

struct mock_gpu {
    struct vidmm *vidmm;
    struct mock_mmu *mmu; /* of spaces, or NULL; freed at the end */
    unsigned segment_count;
    uint32_t fill_pattern;
    uint8_t *memory[MOCK_SEGMENT_MAX];     /* of memory segments */
    uint64_t *apertures[MOCK_SEGMENT_MAX]; /* a frame for each page; 0: never mapped */
    bool *mapped[MOCK_SEGMENT_MAX];
    uint64_t size_bytes[MOCK_SEGMENT_MAX];
    struct vidmm_op *flight[MOCK_FLIGHT_MAX]; /* handed out, oldest first */
    size_t flight_count;
    struct vidmm_op *unbuilt; /* the youngest in flight, if the driver does not know of it yet */
    struct vidmm_op *held[MOCK_HELD_MAX]; /* revoked by a crash, not given back yet */
    size_t held_count;
    struct mock_log_entry log[MOCK_LOG_MAX];
    size_t log_count;
    unsigned match_count, mismatch_count;
    struct vidmm_mismatch mismatch;
    bool corrupt_next; /* the next transfer writes one wrong byte */
    bool ends_unseen;  /* what ends is heard of behind a reset */
    bool no_map;       /* the BAR is not there */
    size_t run_bytes;  /* what the BAR shows of a piece in one run, 0: everything */
    uint64_t seen_end; /* of a segment, in bytes; 0: everything */
    unsigned view_max; /* of tables at a time, 0: any number */
    unsigned views;
    uint64_t signalled; /* by paging queues */
    bool slow_build;    /* the youngest operation in flight stays unbuilt until something is done */
};

extern const struct vidmm_backend mock_backend;

/* Segments as in config; starts the machine and leaves that much RAM free, or less. */
void mock_gpu_init(struct mock_gpu *gpu, struct vidmm_config *config, uint64_t free_bytes);
/* Runs everything, checks that no frame is lost but `kept`, and stops the machine. */
void mock_gpu_fini(struct mock_gpu *gpu);

/* Pulls what may be started. */
void mock_gpu_pull(struct mock_gpu *gpu);
/* Runs the oldest operation in flight; false if there is none. */
bool mock_gpu_run_one(struct mock_gpu *gpu);
/* Pulls and runs until nothing is left. */
void mock_gpu_run_all(struct mock_gpu *gpu);
/* A reset: nothing in flight runs any more, memory segments get garbage, the driver forgets. All in
 * flight is given back before; or else held, until the test lets go of it. */
void mock_gpu_reset(struct mock_gpu *gpu, bool hold);
/* Gives back the oldest operation that is held. */
void mock_gpu_let_go(struct mock_gpu *gpu);

/* The byte behind an address as the GPU sees it; asserts that something is there. */
uint8_t *mock_gpu_at(struct mock_gpu *gpu, unsigned segment, uint64_t offset);

/* Bytes of the allocation, wherever they are; no paging is under way. */
void mock_gpu_read(struct mock_gpu *gpu, const struct vidmm_allocation *allocation, uint64_t offset,
                   void *bytes, size_t size_bytes);

/* xorshift64*; tests print their seed. */
uint64_t mock_random(uint64_t *state);
uint64_t mock_below(uint64_t *state, uint64_t bound);

#endif

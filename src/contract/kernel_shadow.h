/* kernel_shadow: what the kernel gave the driver so far, kept to judge the kernel itself.
 *
 * Everything here comes from calls that passed the door, so that the rows of kernel_*.c compare
 * what the kernel does now with what it did before and with what the driver answered, without
 * asking the parts that they judge. Handles of drivers that break their own rules (null, twice the
 * same) are counted, so that no breach of a driver looks like one of ours. */
#ifndef CONTRACT_KERNEL_SHADOW_H
#define CONTRACT_KERNEL_SHADOW_H

#include "contract/contract.h"

struct nt_process;
struct task;

enum kernel_handle_kind {
    KERNEL_DEVICE = 1,
    KERNEL_CONTEXT,
    KERNEL_ALLOCATION,
    KERNEL_OPENING,
    KERNEL_RESOURCE,
};

struct kernel_handle_key {
    HANDLE handle;
    uint64_t kind;
};

/* Render and Present come back with this before the kernel may do anything else on the context. */
struct kernel_repeat {
    bool wanted;
    UINT multipass;
    UINT count;            /* of rectangles */
    uint64_t request_hash; /* of what must be the same again */
};

/* A handle that the driver gave and the kernel did not destroy. */
struct kernel_handle {
    struct kernel_handle_key key;
    unsigned count;       /* how often the driver gave it */
    HANDLE parent;        /* of a context or opening: the device */
    unsigned child_count; /* of a device: contexts and openings */
    unsigned node;
    bool system;
    DXGK_CONTEXTINFO info; /* of contexts; of devices of drivers without contexts */
    bool used_node;        /* a packet of it went to the node, last_fence */
    uint32_t last_fence;
    struct kernel_repeat render, present;
    /* Of allocations. */
    uint64_t size, alignment;
    UINT segment; /* where paging put it; 0: not in a memory segment */
    uint64_t address;
    UT_hash_handle hh;
};

/* A DMA buffer as Render or Present left it. */
struct kernel_dma {
    const void *bytes;
    HANDLE context;
    bool present;
    UINT size, used, private_size, private_used;
    const void *private_data;
    UINT segment;
    uint64_t address;
    UINT allocation_count, patch_count;
    uint64_t handles_hash, patches_hash;
    UT_hash_handle hh;
};

/* A part of a paging buffer that was built and not submitted yet. */
#define KERNEL_PARTS_MAX 256
struct kernel_part {
    UINT start, end;
    unsigned epoch;
};

#define KERNEL_RECENT_MAX 64
struct kernel_node {
    bool patch_valid;
    DXGKARG_PATCH patch; /* the last one of the node */
    struct {
        uint32_t fence;
        bool paging;
    } recent[KERNEL_RECENT_MAX]; /* a ring of submissions */
    unsigned recent_count;
    bool retired_any;
    uint32_t retired;
    bool any_id;
    uint32_t last_id; /* newest id, of a submission or a preemption request */
};

struct kernel_aperture {
    uint64_t *mapped; /* a bit for each page */
    uint64_t page_count, mapped_count;
};

/* A thread in the driver by way of a DDI at low IRQL. A DDI that the same thread calls from inside
 * a callback belongs to the outer one. */
#define KERNEL_INSIDE_MAX 64
struct kernel_inside {
    const struct task *task;
    const struct nt_process *process;
    enum contract_point point;
    enum contract_level level;
    unsigned depth;
};

struct kernel_shadow {
    struct kernel_handle *handles;
    struct kernel_dma *dmas;
    struct kernel_node nodes[CONTRACT_NODES_MAX];
    unsigned epoch; /* resets so far */

    struct {
        bool open; /* a paging buffer has room that the next operation continues in */
        const unsigned char *next, *private_next;
        const unsigned char *base;
        UINT left, private_left;
        bool repeat, busy;              /* the last answer was INSUFFICIENT or BUSY */
        DXGKARG_BUILDPAGINGBUFFER last; /* what was asked */
        UINT multipass;                 /* what the driver left */
        bool transferring;
        HANDLE transfer_allocation;
        uint64_t transfer_next;
        struct kernel_part parts[KERNEL_PARTS_MAX];
        unsigned part_first, part_count;
        bool parts_lost; /* more than fit: not followed any more */
    } paging;
    struct kernel_aperture apertures[CONTRACT_SEGMENTS_MAX + 1];

    struct kernel_inside inside[KERNEL_INSIDE_MAX]; /* threads in the driver; task NULL: free */
    unsigned inside_end;                            /* behind the last one in use */
    unsigned dpc_inside;

    bool collected; /* CollectDbgInfo came since the last reset */
    bool segments_counted[64];
    bool released; /* StopDeviceAndReleasePostDisplayOwnership succeeded */
    bool committed[CONTRACT_SOURCES_MAX];
};

void kernel_shadow_init(struct contract_shadow *shadow);
void kernel_shadow_fini(struct contract_shadow *shadow);

struct kernel_handle *kernel_handle_find(const struct kernel_shadow *kernel,
                                         enum kernel_handle_kind kind, HANDLE handle);
struct kernel_dma *kernel_dma_find(const struct kernel_shadow *kernel, const void *bytes);
/* The context a handle stands for: of drivers without contexts the device is one. */
struct kernel_handle *kernel_context_find(const struct kernel_shadow *kernel, HANDLE handle);

/* Is [address, address + size) in the segment? Segment 0 is system memory. */
bool kernel_in_segment(const struct contract_shadow *shadow, UINT segment, uint64_t address,
                       uint64_t size);
uint64_t kernel_hash(uint64_t seed, const void *bytes, size_t size);
uint64_t kernel_hash_handles(const DXGK_ALLOCATIONLIST *list, UINT count);
uint64_t kernel_hash_request(const DXGKARG_RENDER *render);
uint64_t kernel_hash_rectangles(const DXGKARG_PRESENT *present);
bool kernel_pages_mapped(const struct kernel_aperture *aperture, uint64_t first, uint64_t count,
                         bool wanted);
static inline bool kernel_is_wddm2(const struct contract_shadow *shadow)
{
    return shadow->caps.WDDMVersion >= 0x2000;
}

/* Is the call one of those that kernel->inside shows while they last? */
bool kernel_counts_inside(const struct contract_call *call);

/* The end of a check: keeps, or says what is wrong. */
#define KERNEL_KEEPS(call, condition, expected, ...) \
    ((condition) || contract_say((call), (expected), __VA_ARGS__))

#endif

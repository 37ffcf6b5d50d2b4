/* What a driver knows of a process on its adapter, and the process's GPU virtual addresses. */
#ifndef DXGK_SPACE_H
#define DXGK_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include <d3dkmddi.h>

#include "base/status.h"
#include "dxgk/life.h"
#include "machine/machine.h"
#include "vidmm/vidmm.h"

struct ddi_adapter;
struct dxgk_adapter;
struct dxgk_context;
struct dxgk_device;
struct dxgk_failure;
struct dxgk_process;
struct dxgk_road;
struct dxgk_sync;
struct paging_operation;

/* ---- The driver's page tables: mmu.c --------------------------------------------------------- */

/* Of leads.c: pages that operations changed since the device was asked. */
#define DXGK_TOUCHED_MAX 16
struct dxgk_leads {
    struct dxgk_touched {
        struct dxgk_space *space;
        uint64_t first, count; /* pages; none: of a flush, or not known */
        bool remembered;       /* what engines remember is looked at, too */
    } touched[DXGK_TOUCHED_MAX];
    unsigned count;
    uint32_t proven; /* segments whose addresses were seen to be the device's own: a bit for each */
    bool shows_roots; /* a root table that was named was seen in the device */
    bool said;        /* something is wrong: one mistake shows in many places */
};

struct dxgk_mmu {
    bool present;                     /* contexts may have virtual addresses */
    unsigned address_bits;            /* as the caps say; of interest with two levels */
    struct vidmm_mmu_options options; /* as the driver described them */
    uint64_t nodes;                   /* that work with virtual addresses: a bit for each */
    bool pages;                       /* the paging node does: it has a space of its own */
    uint64_t paging_bytes;            /* of that, to move through */
    struct dxgk_space *resting;       /* its contexts rest between two operations; or NULL */
    bool shared;                      /* IoMmu: tables are the IOMMU's, which the kernel writes */
    bool gives;  /* then: the kernel gives addresses out (GpuVaIommuRequired); or the CPU's */
    bool global; /* GpuVaIommuGlobalRequired */
    struct dxgk_leads leads;
};

/* MMUs that are nobody's address space: device_mmu.h. */
struct dxgk_device_mmus {
    unsigned count;
    uint64_t bytes[VIDMM_DEVICE_MMU_COUNT_MAX];
    bool notices_in_parts; /* NOTIFY_RESIDENCY2 for NOTIFY_RESIDENCY */
};

/* Asks, if the caps speak of virtual addresses. NOT_SUPPORTED: in a way that is not there yet. */
NTSTATUS dxgk_mmu_query(struct dxgk_adapter *adapter, struct dxgk_failure *failure);
uint64_t dxgk_mmu_root_bytes(struct vidmm *vidmm, uint32_t *entry_count); /* for vidmm */

/* ---- Spaces: process.c ----------------------------------------------------------------------- */

/* One for each process that has a device, one for the system.
 *
 *     begin ─> CreateProcess, in which the driver may reserve addresses
 *        root ─> with the first context that has virtual addresses: its root table is written
 *     end   ─> tables go, DestroyProcess */
struct dxgk_space {
    struct dxgk_adapter *adapter; /* NULL: none yet */
    bool created;                 /* by CreateProcess */
    bool creating;                /* inside it */
    HANDLE driver_handle;         /* NULL: the driver has no objects for processes */
    uint32_t object;              /* in the record: the process; of the system's the adapter */
    struct vidmm_space memory;
    bool has_addresses;     /* memory is there */
    bool has_root, rooting; /* its root table is, or is being written */
    bool bound;             /* with an IOMMU: that has the root table */
    struct wait_queue rooted;
    unsigned hold_count; /* operations for which its contexts rest */
    struct machine_timer owed; /* tables_away.c: until then somebody waits for its tables */
    uint32_t pasid;            /* by which devices name the process, with an IOMMU; or 0 */
    uint64_t looked_at;  /* leads.c: the page that is next */
    struct list fences;  /* fence_memory.h: views */
    unsigned fence_lookers;
    bool unseen;    /* leads.c: the device did not have its root, so that nobody looked */
    bool root_told; /* leads.c: by SetRootPageTable, and nobody has looked since */
};

/* Tells the driver; nothing, if it has no objects for processes. May switch. */
NTSTATUS dxgk_space_begin(struct dxgk_space *space, struct dxgk_adapter *adapter, uint32_t object);
/* Its devices are gone. Accepts a zeroed one. May switch. */
void dxgk_space_end(struct dxgk_space *space);
/* Writes the root table, if there is none yet. May switch. */
NTSTATUS dxgk_space_need_root(struct dxgk_space *space);
/* Has the driver know the root table of a context that is made, of a device of the space. May
 * switch. */
NTSTATUS dxgk_space_give_root(const struct dxgk_context *context);
/* Addresses that paging buffers take in the paging space. */
uint64_t dxgk_paging_buffer_addresses(const struct dxgk_adapter *adapter);
/* Is the task that asks inside SetRootPageTable? */
bool dxgk_space_tells_root(void);
/* The worker's: the root moved. */
void dxgk_space_tell_root(struct dxgk_adapter *adapter, const struct vidmm_op *op);

/* Before each device of the process; the first has the driver told. May switch. */
NTSTATUS dxgk_process_enter(struct dxgk_process *process, struct dxgk_adapter *adapter);

NTSTATUS dxgk_reserve_gpu_virtual_address_range(struct ddi_adapter *ddi,
                                                DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *range);

/* ---- Tables that leave memory: tables_away.c ------------------------------------------------- */

/* Brings them back, if they are away; they stay until vidmm_space_let_tables_go(). May switch. */
NTSTATUS dxgk_space_keep_tables(struct dxgk_space *space);
/* Of a process: begins with it. */
void dxgk_space_owed_init(struct dxgk_space *space);
/* The tables of the packet's process made way, and others have their memory now. Does it wait for
 * them still? It is asked again when memory comes free, and when its time is up. */
bool dxgk_tables_are_owed(struct dxgk_packet *packet);
/* Of one with gives_up_ns: it is asked by then. */
void dxgk_tables_watch(struct dxgk_packet *packet);
/* It waits for them no longer than since then. */
bool dxgk_tables_are_due(const struct dxgk_packet *packet);

/* ---- Addresses that devices share with the CPU: iommu.c -------------------------------------- */

/* The IOMMU's tables, in vidmm's words. */
void dxgk_iommu_describe(struct dxgk_mmu *mmu);
/* A PASID, for a process's space where the adapter goes through the IOMMU. */
NTSTATUS dxgk_iommu_begin(struct dxgk_space *space);
/* Is the operation one on the IOMMU's tables? Then it is done here, and no driver hears of it. */
bool dxgk_iommu_does(const struct dxgk_adapter *adapter, const struct vidmm_op *op);
NTSTATUS dxgk_iommu_do(const struct dxgk_adapter *adapter, struct vidmm_op *op);
/* Are addresses the CPU's? Then nobody gives any out. */
static inline bool dxgk_mmu_is_the_cpus(const struct dxgk_mmu *mmu)
{
    return mmu->shared && !mmu->gives;
}
/* The root table is written: the PASID leads there. May switch. */
NTSTATUS dxgk_iommu_bind(struct dxgk_space *space);
/* Of what is used by address alone: it gets an address for its life, the CPU's and the devices'.
 * May switch. */
struct dxgk_allocation;
NTSTATUS dxgk_iommu_share(struct dxgk_allocation *allocation, struct dxgk_space *space);
/* Before its memory ends. */
void dxgk_iommu_unshare(struct dxgk_allocation *allocation);

/* ---- Contexts that rest while tables change: rest.c ------------------------------------------ */

/* The worker's. Contexts of the operation's space are given nothing from now on (hold_count), if
 * vidmm says that they must rest for it. True: they have nothing on the hardware either. Asked
 * again until then. May switch. */
bool dxgk_space_rests(struct paging_operation *operation);
/* Something has left the hardware. Any context. */
void dxgk_space_may_rest(struct dxgk_adapter *adapter);
/* The operation has ended. Any context. */
void dxgk_space_goes_on(struct paging_operation *operation);
/* What would have followed does not come any more. Any context. */
void dxgk_spaces_go_on(struct dxgk_adapter *adapter);

/* ---- Paging queues and residency: residency.c ------------------------------------------------ */

/* Of a device. */
struct dxgk_residency {
    struct vidmm_residency list; /* made where clients have virtual addresses */
    struct list queues;          /* lives */
    struct list submissions;     /* packets by virtual address that are not done, in order */
    uint64_t last_number;        /* of these */
    struct dxgk_sent *sent;      /* spoil_submission.c; NULL: nothing */
};

void dxgk_residency_begin(struct dxgk_device *device);
/* Ends the queues that live; nothing runs any more when the list goes. May switch. */
void dxgk_residency_end_queues(struct dxgk_device *device);
void dxgk_residency_end(struct dxgk_device *device);
/* The worker's: requests that wait for room are tried, if something has come free. */
void dxgk_residency_work(struct dxgk_adapter *adapter);
void dxgk_signal_queue(struct vidmm *vidmm, struct vidmm_queue *queue, uint64_t value);

/* Of a process: the task that tells its routines to trim. Made with the first of them. */
struct dxgk_trimmer {
    struct list all; /* struct dxgk_trimming, lives; of all its devices */
    struct task *task;
    bool wanted, stop, ended; /* something may have to be told; it ends when it is idle */
    uint64_t evictions;       /* under pressure, when it was told of them last */
    uint64_t periodic_ns;     /* and when that was; 0: never */
    struct wait_queue end;
};
/* Of an adapter. */
struct dxgk_trims {
    unsigned count;
    struct vidmm_pressure pressure; /* when it was looked at last */
};
void dxgk_trimmer_init(struct dxgk_trimmer *trimmer);
/* Nobody is told anything any more. May switch. */
void dxgk_trimmer_end(struct dxgk_process *process);
/* What is registered for the device is not any more. May switch. */
void dxgk_trims_end(struct dxgk_device *device);
/* The worker's: if shares have changed, or somebody had to make room, those who are to be told. */
void dxgk_trims_work(struct dxgk_adapter *adapter);
/* The number of processes changes. */
void dxgk_trims_wanted(struct dxgk_adapter *adapter);

struct dxgk_paging_queue {
    struct dxgk_life life; /* linked in the device's queues */
    struct dxgk_device *device;
    struct vidmm_queue queue;
    struct dxgk_sync *fence; /* a reference */
};

/* ---- Contexts that copy entries of tables for others: companion.c ---------------------------- */

/* Of a context. */
struct dxgk_companionship {
    uint64_t of; /* it is one: the number of whose; or 0 */
    enum { DXGK_COMPANION_NONE, DXGK_COMPANION_MAKING, DXGK_COMPANION_MADE } state; /* its own */
    struct dxgk_context *made; /* or NULL: the system's context copies for it */
};

/* ---- Addresses: addresses.c ------------------------------------------------------------------ */

/* May lists of allocations name it? Not what is seen by virtual address alone. */
bool dxgk_opening_is_listed(const struct dxgk_opening *opening);
uint32_t dxgk_protection(D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE protection); /* for vidmm */

/* ---- Submissions: submission.c --------------------------------------------------------------- */

/* Private data of submissions by virtual address: blocks of the context's size, made when they are
 * first needed. */
struct dxgk_private {
    void *bytes; /* NULL: none */
    UINT size;
};
struct dxgk_blocks {
    struct list free; /* struct dxgk_block */
    unsigned count;
    struct dxgk_private made_with; /* CreateContext's, kept for spoil_submission.c */
};

/* Submissions of the device up to this number (last_number) are done. Waiting for that may
 * switch. */
bool dxgk_submissions_done(const struct dxgk_device *device, uint64_t number);
void dxgk_wait_submissions(struct dxgk_device *device, uint64_t number);
/* With the context; none is used. */
void dxgk_blocks_free(struct dxgk_context *context);
extern const struct dxgk_road dxgk_road_virtual;

#endif

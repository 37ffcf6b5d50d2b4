/* tracker: what the driver was told and what it answered, kept from the calls that pass the door.
 *
 * Private to contract/ (and to its tests): nobody else writes here, so that what a driver or
 * Drydock's own kernel is judged by does not come from those who are judged. Rows compare a call
 * with it; the track_*.c files follow the calls, each its own subject. One tracker an adapter; it
 * lives as long as the door's adapter.
 *
 * Handles of drivers that break their own rules (null, twice the same) are counted, so that no
 * breach of a driver looks like one of ours. Once two objects of a kind had one handle at a time,
 * nobody can tell which of them a call is about: the breach was reported, and what the kernel owes
 * is not judged where a row has to look up one of them. All else is. */
#ifndef CONTRACT_TRACKER_H
#define CONTRACT_TRACKER_H

#include "base/list.h"
#include "contract/components.h"
#include "contract/contract.h"
#include "contract/hash.h"
#include "contract/negotiation.h"
#include "contract/planes.h"

#include <string.h>

struct nt_process;
struct task;

#define CONTRACT_QUESTIONS_MAX   64
#define CONTRACT_REFUSAL_MAX     240
#define CONTRACT_OUTSTANDING_MAX 64
#define CONTRACT_ADDRESSES_MAX   8
#define CONTRACT_PENDING_MAX     16
#define CONTRACT_LATE_VSYNCS     2 /* notices that may still tell what was shown before */
#define CONTRACT_RECENT_MAX      64
#define CONTRACT_FOUND_COUNT     16 /* a power of two */
#define CONTRACT_PARTS_MAX       4096
#define CONTRACT_INSIDE_MAX      64
#define CONTRACT_CHILDREN_MAX    32
#define CONTRACT_TABLE_LEVELS    6 /* of page tables, at most */

/* ---- Objects: track_objects.c ------------------------------------------------------------ */

enum contract_object_kind {
    TRACKED_DEVICE = 1,
    TRACKED_CONTEXT,
    TRACKED_ALLOCATION,
    TRACKED_OPENING, /* a device's view of an allocation */
    TRACKED_RESOURCE,
    TRACKED_PROCESS,
    TRACKED_HW_CONTEXT,
    TRACKED_HW_QUEUE,
    TRACKED_NATIVE_FENCE, /* for all processes */
    TRACKED_LOCAL_FENCE,  /* a process's view of one */
    TRACKED_NOTIFICATION, /* before each vertical sync of a target */
    TRACKED_DOORBELL,
    TRACKED_OVERLAY,
};

/* Handles of a driver are unique in their kind. */
struct contract_object_key {
    HANDLE handle;
    uint64_t kind;
};

/* What was found of a key, or that nothing was. */
struct contract_found {
    HANDLE handle;
    uint64_t kind_and_one; /* 0: nothing was looked up */
    struct contract_object *object;
};

/* Render and Present come back with this before the kernel may do anything else on the context. */
struct contract_repeat {
    bool wanted;
    UINT multipass;
    UINT count;            /* of rectangles */
    uint64_t request_hash; /* of what must be the same again */
};

/* A handle that the driver gave and the kernel did not destroy. */
/* A submission that ValidateSubmitCommand took; hashes are of the private data as it left them. */
struct contract_validated {
    D3DGPU_VIRTUAL_ADDRESS commands;
    UINT length, client_bytes, data_bytes; /* data: in all */
    uint64_t client_hash, rest_hash;
    UINT64 progress; /* of a hardware queue; else 0 */
};

struct contract_object {
    struct contract_object_key key;
    UT_hash_handle hh;    /* beside the key: looked up cold, an object costs few lines */
    unsigned count;       /* how often the driver gave it */
    bool mixed_up;        /* two objects lived with it, or share a child's handle; stays */
    HANDLE parent;        /* of a context or opening: the device */
    HANDLE target; /* of an opening: the allocation; of a queue: its context; of a doorbell */
    unsigned child_count; /* what is made of it and lives, in each kind that is counted */
    HANDLE process;       /* of a device: what it was made for, or NULL */
    HANDLE named;         /* of a process: hDxgkProcess that CreateProcess was given */
    UINT number;          /* of a notification: NotificationID */
    /* Of contexts. */
    unsigned node;
    bool system;            /* also of processes */
    bool virtual_addresses; /* it was created for them */
    UINT pasid;             /* of a process, with an IOMMU; or 0 */
    bool has_root;          /* SetRootPageTable named its root table */
    D3DGPU_PHYSICAL_ADDRESS root;
    DXGK_CONTEXTINFO info;  /* also of devices of drivers without contexts */
    bool guaranteed;        /* of those: every command buffer fits its DMA buffer */
    bool used_node;         /* a packet of it went to the node, last_fence */
    uint32_t last_fence;
    uint64_t last_position; /* as of a node */
    bool used_earlier;      /* the same before the latest one */
    uint32_t earlier_fence;
    uint64_t earlier_position;
    struct contract_repeat render, present;
    HANDLE *listed; /* the handles of the last list given to Render, as many as info allows */
    UINT listed_max, listed_count;
    struct contract_validated *validated; /* oldest first */
    unsigned validated_count;
    bool validated_lost; /* more than fit: not followed any more */
    /* Of hardware queues. */
    const void *fence_cpu; /* the kernel's address of its progress fence */
    D3DGPU_VIRTUAL_ADDRESS fence_gpu;
    unsigned submitting;  /* calls of SubmitCommandToHwQueue that have not returned */
    UINT64 last_progress; /* id submitted last */
    UINT64 owed_progress; /* that its fence will have; 0: nothing, as after a reset */
    UINT64 stood_at;      /* its fence when its context was suspended */
    UINT64 rested_at;     /* and when the driver was asked to wake the device, or put it to rest */
    bool users, connected, ever_connected; /* the others: of doorbells */
    /* Of hardware contexts. */
    bool has_properties;       /* SetContextSchedulingProperties has come */
    bool asked_to_suspend, suspended; /* since SuspendContext; and it was answered */
    bool was_suspended;        /* the same when the last SuspendContext came */
    UINT64 last_suspend_fence; /* 0: none yet */
    /* Of allocations. */
    uint64_t size, alignment;
    UINT segment;       /* where paging put it; 0: not in a memory segment */
    bool captures;      /* Capture */
    bool aperture_view; /* MapApertureCpuVisible */
    bool wants_residency, wants_eviction, wants_unmap; /* it asked for notices of these */
    bool told_resident;                 /* by the last NOTIFY_RESIDENCY, since the last reset */
    D3DGPU_PHYSICAL_ADDRESS told_place; /* the same; of what is resident */
    uint64_t part_next;   /* where the next NOTIFY_RESIDENCY2 goes on; 0: at the start */
    uint64_t mmu_pages;   /* that MMUs of the device show, of all of them */
    uint64_t notice_next; /* where the next NOTIFY_ALLOC goes on; 0: at the start */
    /* Of those that the driver made for contexts. */
    HANDLE kernel_handle;
    bool left_under_lock; /* SPECIAL_LOCK_TRANSFER took it out of its segment last */
    bool initialised;     /* INIT_CONTEXT_RESOURCE came, and no reset since */
    bool seen_by_cpu;     /* it asked for an address */
    uint64_t address;
};

/* An allocation that is being opened, by the kernel's handle; the driver asks for its own. */
struct contract_name {
    D3DKMT_HANDLE kernel_handle;
    HANDLE allocation; /* what DxgkCbGetHandleData answered; NULL: not asked yet */
    UT_hash_handle hh;
};

/* ---- Nodes: track_nodes.c ---------------------------------------------------------------- */

/* A packet on the hardware, or taken off it by a preemption. */
struct contract_packet {
    uint32_t fence;
    bool paging;
    bool refused; /* it counts as complete as soon as those before it are */
};

/* What one GPU node was told and has answered. Ids compare by signed difference [GEN-008]. */
struct contract_node {
    bool submitted_any, reported_any;
    uint32_t last_submitted, last_reported;
    uint32_t report_count, cancels; /* the second: CancelCommand since last_submitted */
    bool preempt_pending;
    uint32_t preempt_id;
    /* Oldest first; more than fit are not followed (no scheduler sends so many). */
    unsigned outstanding_count, preempted_count;
    struct contract_packet outstanding[CONTRACT_OUTSTANDING_MAX];
    struct contract_packet preempted[CONTRACT_OUTSTANDING_MAX];

    /* A ring of submissions; ids by themselves, since each submission is looked for in all. */
    uint32_t recent_fence[CONTRACT_RECENT_MAX];
    bool recent_paging[CONTRACT_RECENT_MAX];
    unsigned recent_count;
    bool patch_valid;
    DXGKARG_PATCH patch;   /* the last one of the node */
    uint64_t flip_address; /* of a Present: where the source is */
    uint32_t retired;
    bool any_id;
    uint32_t last_id; /* newest id, of a submission or a preemption request */
    /* How far it is and how far all is answered for, in ids since the first, so that what was long
     * ago stays long ago; 0: nothing yet. */
    uint64_t last_position, retired_position;
    uint32_t newest_submitted; /* preempted or not */
    uint32_t aborted;          /* by the last reset: the newest of them */
    uint32_t faulted;          /* told as such, and complete with that, if any_faulted */
    uint32_t refused;          /* the last one that was, if any_refused */
    uint32_t claimed;          /* by a DMA_PREEMPTED alone to be complete, if has_claimed */
    uint64_t changed_ns;       /* of the last refusal or report */
    uint64_t preempt_ns;       /* of the last request */
    bool any_refused, any_faulted, any_aborted;
    bool has_claimed, any_claimed; /* no newer report; QueryCurrentFence was not asked since */
    bool answered, slept; /* QueryCurrentFence succeeded; no report since the power changed */
    bool rests;            /* its engine was reset alone, and it was given nothing since */
    bool waits_for_resume; /* between ResetHwEngine and ResumeHwEngine */
    unsigned hurt, named;  /* hardware contexts with work at ResetHwEngine; named since then */
    bool stands;           /* the same, until ResumeHwEngine succeeds, or all is reset */
};

/* Something was refused, and nothing before it was left for so long that also hardware that has to
 * come to it has told the driver, at the time given [SUBV-003]. */
bool contract_refusal_is_due(const struct contract_node *node, uint64_t at_ns);

/* ---- Buffers: track_buffers.c ------------------------------------------------------------ */

/* A DMA buffer as Render or Present left it. */
struct contract_buffer {
    const void *bytes;
    HANDLE context;
    bool present, flips;
    UINT size, used, private_size, private_used;
    const void *private_data;
    UINT segment;
    uint64_t address, virtual_address; /* the second of Present by such */
    UINT allocation_count, patch_count;
    uint64_t handles_hash, patches_hash;
    UT_hash_handle hh;
};

/* ---- Memory: track_memory.c -------------------------------------------------------------- */

struct contract_segment {
    DXGK_SEGMENTFLAGS flags;
    uint64_t base, size;   /* of an AGP-type one: of the chipset's aperture */
    uint64_t commit_limit; /* of memory that was given none: the size */
    UINT host_pages;       /* of its CPU host aperture; 0: it has none */
    uint64_t cpu_base;     /* physical, where the CPU sees all of it */
};

/* Of the device or of the chipset. */
static inline bool contract_is_aperture(const struct contract_segment *segment)
{
    return segment->flags.Aperture || segment->flags.Agp;
}
/* Has the driver an AGP-type segment? */
bool contract_has_chipset_segment(const struct contract_tracker *tracker);

/* An answer to one of the questions about segments, whichever form it has. */
struct contract_segments_answer {
    bool has_descriptors; /* the second of the two calls */
    UINT count;
    UINT paging_segment, paging_buffer_size, paging_private_size;
    struct contract_segment segments[CONTRACT_SEGMENTS_MAX];
};

/* A part of a paging buffer that was built and not submitted yet. */
struct contract_part {
    UINT start, end, private_start, private_end;
    uint64_t address; /* of the buffer, where it has one */
    unsigned epoch;
};

/* What the driver said of its page tables. */
struct contract_mmu {
    bool known; /* GPUMMUCAPS were answered */
    DXGK_GPUMMUCAPS caps;
    uint32_t levels_known;                                    /* a bit for each */
    DXGK_PAGE_TABLE_LEVEL_DESC levels[CONTRACT_TABLE_LEVELS]; /* from the leaves */
    UINT root_entries; /* most that GetRootPageTableSize answered */
    DXGK_BUILDPAGINGBUFFER_FLUSHTLB flushed; /* the last one, if nothing changed since */
};

/* MMUs that are nobody's address space. */
struct contract_device_mmus {
    bool asked;              /* the kernel issues operations that documents leave open */
    unsigned counted, count; /* by the first question; described by the second */
    uint64_t bytes[DXGK_MAX_MMUS];
};

/* What the driver passed to DxgkCbUpdateContextAllocation, and for memory of which size. */
struct contract_update {
    uint64_t hash, size;
    UINT bytes;
    bool told; /* UPDATE_CONTEXT_ALLOCATION with it has come */
};
#define CONTRACT_UPDATES_MAX 32

/* An entry of a page table; above the leaves of a pair the half that is valid. */
/* The operation that wrote an entry: UpdatePageTable, or a range of CopyPageTableEntries. */
struct contract_writer {
    UINT first, count;
    uint8_t mode; /* DXGK_PAGETABLEUPDATEMODE */
    bool repeat, copied;
    bool small; /* of a pair: it leads to a table of 4 KiB pages */
};

struct contract_entry {
    DXGK_PTE now, before; /* before: the last valid one that was not the same; or zeros */
    DXGK_PTE half;        /* of a pair: that of 64 KiB pages; or zeros */
    struct contract_writer by;
    bool known; /* written since its table is there */
    bool stale; /* a TLB may still know what was before */
};

#define CONTRACT_BY_CPU UINT32_MAX

struct contract_table_key {
    HANDLE process;
    uint64_t page; /* the first that it translates */
    UINT level, leaf_64k;
};

struct contract_table {
    struct contract_table_key key;
    /* Where it is, and where the one was that it stands in for; of what the CPU writes segment is
     * CONTRACT_BY_CPU, and offset the pointer. */
    bool placed, replaced, succeeds, unannounced, left_valid; /* tables.h */
    uint64_t placed_number;                                   /* in order of first updates */
    D3DGPU_PHYSICAL_ADDRESS place, replaced_place;
    UINT count, known_count, stale_count; /* entries */
    struct contract_entry *entries;
    struct list stale_link; /* in tracker->stale_tables, while any is */
    UT_hash_handle hh;
};

/* What a page shows, by the leaves of its process. */
struct contract_translation {
    DXGK_PTE now, before;
    bool stale, is_64k;
};

struct contract_pages {
    uint64_t first, end;
};

struct contract_aperture {
    uint64_t *mapped; /* a bit for each page */
    uint64_t page_count, mapped_count;
};

struct contract_paging {
    bool open; /* a paging buffer has room that the next operation continues in */
    const unsigned char *next, *private_next;
    const unsigned char *base;
    uint64_t address; /* GPU virtual, of the buffer; 0: it has none */
    UINT left, private_left;
    bool repeat, busy;              /* the last answer was INSUFFICIENT or BUSY */
    DXGKARG_BUILDPAGINGBUFFER last; /* what was asked */
    UINT multipass;                 /* what the driver left */
    bool transferring;
    HANDLE transfer_allocation;
    uint64_t transfer_next;
    struct contract_part parts[CONTRACT_PARTS_MAX]; /* a ring */
    unsigned part_first, part_count;
    bool parts_lost; /* more than fit: not followed any more */
};

/* ---- Display: track_display.c ------------------------------------------------------------ */

struct contract_source {
    struct contract_plane planes[CONTRACT_PLANES_MAX];
    bool retry_wanted; /* its planes are to be set once more, at PASSIVE_LEVEL */
    bool committed, renewed; /* a VidPN was; and no address given since, or since a sleep */
    /* Addresses of flips that no vertical sync showed yet, oldest first. */
    unsigned pending_count;
    uint64_t pending[CONTRACT_PENDING_MAX]; /* more than fit: the oldest are forgotten */
    /* Vertical syncs of one target that showed the old surface since the oldest of them is the
     * oldest. */
    UINT waited_target;
    unsigned waited;
    bool commanded; /* the newest of them is a command's: it takes as long as the engine needs */
    /* In force since the last vertical sync, or at once; what was before it may be told for some
     * more notices. Not known: nothing was given since a reset, a refusal, a new VidPN. */
    bool shown_known;
    uint64_t shown, shown_before;
    unsigned before_left;
    unsigned unsure_left;   /* notices that may tell any address that was given */
    unsigned address_count; /* of the newest addresses given, in a ring */
    uint64_t addresses[CONTRACT_ADDRESSES_MAX];
};

/* ---- Children: track_children.c ---------------------------------------------------------- */

struct contract_child {
    ULONG uid;
    bool is_output, has_connector, always_connected; /* as QueryChildRelations says */
    bool can_be_asked, pulled_out; /* for its connection; contract_monitor_pulled_out() */
    bool told_given;               /* a vertical sync of it told an address that was given */
    /* Of a monitor, as whole blocks were answered; 0 bytes: not asked yet. */
    unsigned descriptor_known, descriptor_bytes;
    uint8_t descriptor[256];
    /* What GetChildContainerId gave for the monitor with this descriptor; 0: nothing yet. */
    uint64_t contained_hash;
    GUID container;
};

/* What CalibrateGpuClock told last of a node; not known after what may have set it back. */
struct contract_clock {
    bool known;
    uint64_t gpu, cpu, frequency;
    uint64_t began_ns, ended_ns; /* the call */
};

/* ---- The adapter: track_adapter.c -------------------------------------------------------- */

enum contract_device_state {
    CONTRACT_DEVICE_ABSENT,
    CONTRACT_DEVICE_ADDED,
    CONTRACT_DEVICE_STARTED,
    CONTRACT_DEVICE_STOPPED,
};

/* A thread in the driver by way of a DDI at low IRQL. A DDI that the same thread calls from inside
 * a callback belongs to the outer one. */
struct contract_inside {
    const struct task *task;
    const struct nt_process *process;
    enum contract_point point;
    enum contract_level level;
    unsigned depth;
};

#define CONTRACT_RANGES_MAX 64 /* that are followed */

/* A swizzling range, and for whom it was acquired. */
struct contract_range {
    HANDLE allocation; /* NULL: it is free */
    UINT data;
};

struct contract_tracker {
    bool has_bands; /* SetupPriorityBands has come */
    /* Fixed. */
    uint32_t adapter_object;
    unsigned interface_version;
    const bool *has; /* the DDIs that the driver filled in, by point */

    enum contract_device_state state;
    PVOID miniport_context;
    unsigned source_count, child_count;
    bool released; /* StopDeviceAndReleasePostDisplayOwnership succeeded */
    bool missing;  /* it was pulled out, or is about to be; nobody need know of it */
    bool removing; /* NotifySurpriseRemoval was called */
    bool removed;  /* and succeeded */
    uint64_t removed_ns;
    uint64_t mmio_count_at_removal; /* when what was inside then had returned, or StopDevice */
    bool touched_when_gone;         /* until StopDevice returned, which was told */
    bool in_reset;                  /* between ResetFromTimeout and RestartFromTimeout */
    unsigned epoch;                 /* resets so far */

    bool have_caps;
    DXGK_DRIVERCAPS caps;         /* zero beyond what the registered version has */
    struct abi_features features; /* by the version alone until there are caps */
    unsigned paging_node;
    uint64_t companion_nodes; /* that contexts named for their paging companions */
    bool gives_iommu_addresses, user_submission;   /* GpuVaIommuRequired; of some node */
    uint64_t mmu_nodes, late_fence_nodes; /* with GPU virtual addresses; RingBufferFenceRelease */
    UINT segments_counted[CONTRACT_QUESTIONS_MAX]; /* by question, of the first answer */
    char refusal[CONTRACT_REFUSAL_MAX];            /* why the start must fail; empty: it need not */

    DXGK_QUERYSEGMENTIN chipset; /* the aperture that the driver was told of */
    unsigned segment_count;
    struct contract_segment segments[CONTRACT_SEGMENTS_MAX + 1]; /* by id, 1-based */
    unsigned paging_segment, paging_buffer_size, paging_private_size;
    struct contract_aperture apertures[CONTRACT_SEGMENTS_MAX + 1];
    struct contract_aperture host_apertures[CONTRACT_SEGMENTS_MAX + 1]; /* the CPU's */
    struct contract_range ranges[CONTRACT_RANGES_MAX];
    struct contract_paging paging;
    UINT64 signalled; /* by the end of the last part of a paging buffer; 0: nothing yet */
    struct contract_mmu mmu;
    struct contract_device_mmus device_mmus;
    struct contract_components components;
    struct contract_negotiation negotiation;
    struct contract_update updates[CONTRACT_UPDATES_MAX]; /* a ring */
    unsigned update_count;                                /* ever */
    bool updates_lost;                                    /* some that were not told yet */

    unsigned node_count;
    struct contract_node nodes[CONTRACT_NODES_MAX];
    struct contract_clock clocks[CONTRACT_NODES_MAX];
    struct contract_source sources[CONTRACT_SOURCES_MAX];
    struct contract_planes planes;
    unsigned listed_children;
    struct contract_child children[CONTRACT_CHILDREN_MAX];

    /* The routine at device level that is running now (service or synchronised). */
    struct {
        unsigned service_depth, synchronised_depth, notice_depth;
        bool notified, crtc_notified, queued_dpc; /* in this run of the service routine */
        bool served_when_gone;        /* it began after the device was removed */
        bool wants_dpc;               /* a notice came after the last QueueDpc */
        bool dpc_is_queued;           /* and has not begun */
        uint64_t dpcs, dpcs_owed;     /* that began; before an engine is reset, so many do */
        uint64_t silent_since_ns;     /* a DPC ended without telling of notices before it; 0: no */
    } interrupt;
    uint64_t notices_without_dpc; /* NotifyInterrupt since the last NotifyDpc */
    /* Inside DpcRoutine, and inside CancelCommand. */
    unsigned dpc_depth, cancel_depth;
    struct contract_inside inside[CONTRACT_INSIDE_MAX]; /* threads in the driver; task NULL: free */
    unsigned inside_end;                                /* behind the last one in use */

    struct {                /* AcpiFlags of NotifyAcpiEvent that succeeded */
        bool written, left; /* for some event */
        ULONG left_event;   /* the first that was left */
    } acpi;
    bool met_mixed_up; /* an object was looked up that is mixed up with another; rows clear it */

    /* Hashes; iterated only where the order of what is found cannot show. */
    struct contract_object *objects;
    struct contract_found found[CONTRACT_FOUND_COUNT]; /* looked up lately, by a part of the key */
    struct contract_name *names;
    struct contract_buffer *buffers;
    struct contract_table *tables;
    uint64_t tables_placed;

    HANDLE system_process;    /* the driver's; NULL: none, or it has no processes */
    bool flush_written;       /* FlushTlb has written a command, once or more */
    bool flush_left_out;      /* it was asked for one, and wrote none */
    struct list stale_tables; /* with entries that a TLB may know as they were */
};

/* ---- Asking ------------------------------------------------------------------------------ */

/* Notes if what was found is mixed up with another. */
struct contract_object *contract_object_find(struct contract_tracker *tracker,
                                             enum contract_object_kind kind, HANDLE handle);
/* Element `index` of the list that Render of the context got, from before the call; NULL: none. */
HANDLE contract_listed(const struct contract_call *call, UINT index);
/* Of an allocation that is being opened, by the kernel's handle: the driver's, or NULL if it did
 * not ask for it. */
HANDLE contract_asked_for(const struct contract_tracker *tracker, D3DKMT_HANDLE handle);
/* The context a handle stands for: of drivers without contexts the device is one. */
struct contract_object *contract_context_find(struct contract_tracker *tracker, HANDLE handle);
struct contract_buffer *contract_buffer_find(const struct contract_tracker *tracker,
                                             const void *bytes);

/* Is [address, address + size) in the segment? Segment 0 is system memory. */
bool contract_in_segment(const struct contract_tracker *tracker, UINT segment, uint64_t address,
                         uint64_t size);
/* The same of an address that is told for an opening's allocation: where it may be placed. */
bool contract_in_place(struct contract_tracker *tracker, HANDLE opening, UINT segment,
                       uint64_t address);
/* Is it what the source shows, as far as that is known, or what waits to be shown? */
bool contract_shows_or_waits(const struct contract_source *source, uint64_t address);
/* Is one committed anew, so that vertical syncs may tell what was shown before? */
bool contract_any_is_renewed(const struct contract_tracker *tracker);
/* A child that QueryChildRelations listed, or NULL. */
struct contract_child *contract_child_find(struct contract_tracker *tracker, ULONG uid);
/* A number for the monitor at it, made of its descriptor; 0: not asked for yet. */
uint64_t contract_monitor_hash(const struct contract_child *child);
/* May a vertical sync say that the source shows this? */
bool contract_may_show(const struct contract_source *source, uint64_t address);
bool contract_pages_mapped(const struct contract_aperture *aperture, uint64_t first, uint64_t count,
                           bool wanted);
/* Does paging work by GPU virtual addresses? It has a context of such then. */
static inline bool contract_pages_virtually(const struct contract_tracker *tracker)
{
    return tracker->features.virtual_addressing && tracker->paging_node < 64 &&
           (tracker->mmu_nodes >> tracker->paging_node & 1);
}
/* IoMmu: there are no page tables of the driver's, and GPU virtual addresses are the CPU's, or
 * (gives_iommu_addresses) those that the kernel gave out. */
static inline bool contract_shares_addresses(const struct contract_tracker *tracker)
{
    return tracker->features.virtual_addressing &&
           tracker->caps.MemoryManagementCaps.IoMmuSupported &&
           !tracker->caps.MemoryManagementCaps.GpuMmuSupported;
}
static inline bool contract_is_wddm2(const struct contract_tracker *tracker)
{
    return tracker->features.wddm2;
}
/* Full graphics: it renders, and has outputs. */
static inline bool contract_is_full_graphics(const struct contract_tracker *tracker)
{
    return tracker->source_count > 0 && tracker->has[POINT_CreateDevice];
}
/* The driver's answer about its caps, its segments; NULL or false: the call is none. */
bool contract_caps_answered(const struct contract_call *call, DXGK_DRIVERCAPS *caps);
bool contract_segments_answered(const struct contract_call *call,
                                struct contract_segments_answer *answer);
bool contract_mmu_answered(const struct contract_call *call, DXGK_GPUMMUCAPS *caps);
/* About one level of page tables: call->kept.level. */
bool contract_level_answered(const struct contract_call *call, DXGK_PAGE_TABLE_LEVEL_DESC *level);
/* A segment that tables are in, as it is meant: 0 is system memory, and so is, as a public driver
 * has it, the number behind the last segment. */
UINT contract_table_segment(const struct contract_tracker *tracker, UINT segment);
/* ---- Page tables: track_tables.c ---- */

/* log2 of the pages that an entry of the level translates; of one of a leaf of 64 KiB pages. */
unsigned contract_table_shift(const struct contract_tracker *tracker, UINT level, bool leaf_64k);
/* Entries of a table of that kind. */
UINT contract_table_length(const struct contract_tracker *tracker, UINT level, bool leaf_64k);
bool contract_is_leaf_64k(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update);
/* Which table it is about, by the address that its first entry translates. False: there is none
 * that has it there. */
bool contract_table_key(const struct contract_tracker *tracker,
                        const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update,
                        struct contract_table_key *key);
/* NULL: nobody wrote to it. */
struct contract_table *contract_table_find(const struct contract_tracker *tracker,
                                           const struct contract_table_key *key);
/* The request that UPDATE_CONTEXT_ALLOCATION comes of, of those that are open: the oldest one with
 * the same data, of memory of that size if there is one; or one with other data. NULL: none. */
struct contract_found_update {
    struct contract_update *update;
    bool same_data, same_size;
} contract_find_update(struct contract_tracker *tracker,
                       const DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION *operation);
/* The one that an entry leads to. */
struct contract_table *contract_table_below(const struct contract_tracker *tracker,
                                            const struct contract_table_key *parent, UINT index,
                                            bool leaf_64k);
/* Where the table lies; false: at an address that shows nothing. */
bool contract_table_place(const struct contract_tracker *tracker,
                          const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *update,
                          D3DGPU_PHYSICAL_ADDRESS *place);
/* Was it said to lie elsewhere, by the same kind of address? */
bool contract_table_lies_elsewhere(const struct contract_table *table,
                                   const D3DGPU_PHYSICAL_ADDRESS *place);
/* The entry for a page in its process's table of a level; NULL: there is no such table. */
struct contract_table_kind {
    UINT level;
    bool leaf_64k;
};
struct contract_entry *contract_entry_at(const struct contract_tracker *tracker, HANDLE process,
                                         uint64_t page, const struct contract_table_kind *level);
/* False: the page shows nothing. By the leaves alone. */
bool contract_translate(const struct contract_tracker *tracker, HANDLE process, uint64_t page,
                        struct contract_translation *out);

/* Is the task that runs inside this DDI? */
bool contract_is_inside(const struct contract_tracker *tracker, enum contract_point point);
/* Does the GPU reach all of the computer's memory, as far as the driver said? */
bool contract_reaches_memory(const struct contract_tracker *tracker);

/* Is the call one of those that tracker->inside shows while they last? call->counts_inside has it.
 */
bool contract_counts_inside(const struct contract_call *call);

uint64_t contract_hash_handles(const DXGK_ALLOCATIONLIST *list, UINT count);
uint64_t contract_hash_request(const DXGKARG_RENDER *render);
uint64_t contract_hash_rectangles(const DXGKARG_PRESENT *present);
/* Where the private data of allocations lie that are being opened, not what they hold. */
uint64_t contract_hash_private_places(const DXGKARG_OPENALLOCATION *open);
uint64_t contract_hash_on(uint64_t seed, const void *bytes, size_t size);

/* ---- Following: what the parts of the tracker do about a call ---------------------------- */

typedef void track_fn(struct contract_call *call);

track_fn track_add_device, track_start_device, track_stop_device, track_remove_device;
track_fn track_release, track_removal;
/* A call comes back; what one touched that had begun before the removal is no offence. */
track_fn track_removing;
track_fn track_leaving_removed;
track_fn track_question, track_answer, track_node_metadata;
track_fn track_create_process, track_destroy_process;
track_fn track_create_device, track_create_context, track_create_allocation;
track_fn track_begin_open, track_end_open, track_handle_data;
track_fn track_destroy_device, track_destroy_context, track_destroy_allocation,
    track_close_allocation;
/* A context, or a hardware context, that is given a root table by this handle; NULL: neither, or
 * both. */
struct contract_object *contract_rooted_find(struct contract_tracker *tracker, HANDLE handle);
/* Has every queue of the hardware context got to the end of what it was given? */
bool contract_queues_rest(struct contract_tracker *tracker, HANDLE context);
UINT64 contract_queue_fence(const struct contract_object *queue); /* its progress fence */
/* One whose fence is less than when the call came, in which nothing runs; NULL: none. */
const struct contract_object *contract_queue_went_back(struct contract_tracker *tracker);
/* By the driver's handle or the kernel's; any one of the node. */
const struct contract_object *contract_hw_queue_named(struct contract_tracker *tracker,
                                                      HANDLE handle);
const struct contract_object *contract_queue_of_node(struct contract_tracker *tracker,
                                                     unsigned node);
bool contract_node_has_queued(struct contract_tracker *tracker, unsigned node); /* under way */
/* The only queue of the node with work that is not done; NULL: none has, or several have. */
const struct contract_object *contract_queue_alone(struct contract_tracker *tracker, unsigned node);
/* One of them that got further since the context was suspended, and where it is; NULL: none did. */
const struct contract_object *contract_queue_went_on(struct contract_tracker *tracker,
                                                     HANDLE context, UINT64 *fence);
/* For track_*.c: an object of the kind lives from now on, or not any more. */
struct contract_object *contract_object_add(struct contract_tracker *tracker,
                                            enum contract_object_kind kind, HANDLE handle,
                                            HANDLE device);
void contract_object_drop(struct contract_tracker *tracker, enum contract_object_kind kind,
                          HANDLE handle);
/* ---- track_queues.c -------------------------------------------------------------------------- */
/* track_fences.c: the fence of a notice, by the driver's handle or the kernel's; NULL: none. */
track_fn track_create_fence, track_destroy_fence, track_open_fence, track_close_fence;
track_fn track_create_notification, track_destroy_notification;
struct contract_object *contract_fence_named(struct contract_tracker *tracker, HANDLE handle);
track_fn track_create_hw_context, track_destroy_hw_context, track_create_hw_queue,
    track_destroy_hw_queue, track_queues_at_rest, track_queues_woken, track_submit_to_queue,
    track_end_submit_to_queue, track_set_properties, track_suspend, track_end_suspend,
    track_suspended, track_resume, track_bands, track_begin_reset_hw_engine, track_invalidate,
    track_reset_hw_engine, track_resume_hw_engine, track_end_resume_hw_engine;
/* What queues of the node, or with CONTRACT_NODES_MAX all, had under way is over. */
void track_reset_queues(struct contract_tracker *tracker, unsigned node);
void track_forget_presents(struct contract_tracker *tracker, HANDLE presenter);
/* By the driver's handle, or the kernel's. */
struct contract_object *contract_hw_context_named(struct contract_tracker *tracker, HANDLE handle);
/* One of the process's that the GPU may run; NULL: none. */
const struct contract_object *contract_hw_context_running(struct contract_tracker *tracker,
                                                          HANDLE process);
/* ---- track_validated.c ----------------------------------------------------------------------- */

enum { /* in what two of them are alike */
       CONTRACT_ALIKE_ADDRESS = 1,
       CONTRACT_ALIKE_LENGTH = 2,
       CONTRACT_ALIKE_CLIENT = 4,
       CONTRACT_ALIKE_REST = 8,
       CONTRACT_ALIKE_ALL = 15,
};

/* The oldest of the context's that is like it in these; NULL: none. */
const struct contract_validated *contract_validated_find(const struct contract_object *context,
                                                         const struct contract_validated *wanted,
                                                         unsigned in);
/* Of the bytes whose counts stand in it. */
void contract_validated_hash(struct contract_validated *out, const void *data);
/* It went to the hardware, or never will; with its private data, of which hashes are made, or
 * NULL. */
void contract_validated_forget(struct contract_object *context, struct contract_validated *wanted,
                               const void *data);

track_fn track_validate, track_submit, track_submit_virtual, track_end_submit_virtual,
    track_set_root, track_patch, track_preempt, track_notify_nodes, track_query_fence,
    track_engine_group, track_reset_engine;
track_fn track_begin_render, track_render, track_begin_present, track_present;
/* The context of a Present, or the hardware queue; NULL: the driver was given none of these. */
struct contract_object *contract_presenter(const struct contract_call *call);
bool contract_presents_by_address(const struct contract_call *call);
track_fn track_paging, track_signal_fence, track_acquire_range, track_release_range, track_map_host,
    track_unmap_host;
track_fn track_source_address, track_source_answer, track_visibility, track_commit_vidpn;
track_fn track_power;
/* track_power.c */
/* The number in it of what the component is. */
UINT contract_component_mapped(const DXGK_POWER_COMPONENT_MAPPING *mapping);
void track_components_counted(struct contract_tracker *tracker, UINT count);
void track_component_described(struct contract_tracker *tracker, UINT index,
                               const DXGK_POWER_RUNTIME_COMPONENT *answer);
track_fn track_component_asked, track_component_answered, track_component_completed;
track_fn track_component_active, track_component_idle, track_runtime_begins, track_runtime_told;
track_fn track_feature_declared, track_feature_support, track_interface, track_interface_given_back;
track_fn track_children, track_descriptor, track_child_status, track_child_asked, track_container;
void track_clock(struct contract_call *call);
void track_forget_clocks(struct contract_tracker *tracker);
/* Is the node's counter one that may stand, or begin anew, for what gives it power rests? */
bool track_clock_rests(const struct contract_tracker *tracker, UINT node);
void track_notify_display(struct contract_call *call);
void track_reset_display(struct contract_tracker *tracker);
void track_flip_command(struct contract_source *source, const uint64_t *address);
void track_reset_nodes(struct contract_tracker *tracker);
void track_reset_memory(struct contract_tracker *tracker);
track_fn track_create_context_allocation, track_destroy_context_allocation;
track_fn track_update_context_allocation;
/* The operation came to its end: what was asked for is done. */
void track_context_update(struct contract_tracker *tracker,
                          const DXGKARG_BUILDPAGINGBUFFER *operation);
void track_reset_context_allocations(struct contract_tracker *tracker);
/* The first reason counts. */
void track_refusal(struct contract_tracker *tracker, enum contract_rule rule, const char *reason);
/* A duty: the oldest part that BuildPagingBuffer made; those before a reset may be lost. */
bool contract_part_was_built(struct contract_call *call, D3DGPU_VIRTUAL_ADDRESS address, UINT size);
bool contract_hw_context_is_systems(struct contract_tracker *tracker, HANDLE context);
/* The oldest part of a paging buffer that waits goes to the hardware. */
void track_take_part(struct contract_tracker *tracker);
void track_objects_fini(struct contract_tracker *tracker);
void track_buffers_fini(struct contract_tracker *tracker);
void track_memory_fini(struct contract_tracker *tracker);
/* The operation was carried out. */
void track_tables(struct contract_tracker *tracker, const DXGKARG_BUILDPAGINGBUFFER *operation);
void track_reset_tables(struct contract_tracker *tracker);
void track_end_tables(struct contract_tracker *tracker, HANDLE process);
void track_tables_fini(struct contract_tracker *tracker);
track_fn track_root_size;

/* The end of a check: keeps, or says what is wrong. */
#define KERNEL_KEEPS(call, condition, expected, ...) \
    ((condition) || contract_say((call), (expected), __VA_ARGS__))

#endif

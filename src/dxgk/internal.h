/* What the files of dxgk/ share: the objects behind dxgk.h. */
#ifndef DXGK_INTERNAL_H
#define DXGK_INTERNAL_H

#include <limits.h>

#include "base/check.h"
#include "base/list.h"
#include "base/record.h"
#include "dxgk/dxgk.h"
#include "dxgk/engine.h"
#include "dxgk/life.h"
#include "dxgk/queued.h"
#include "dxgk/space.h"
#include "dxgk/syncobj.h"
#include "nt/nt.h"
#include "present/present.h"
#include "sync/sync.h"
#include "vidmm/vidmm.h"
#include "vidsch/vidsch.h"

#define DXGK_PRESENT_ALLOCATION_COUNT 3    /* index 0 unused, source 1, destination 2 */
#define DXGK_BUFFER_GROWTH_MAX        2048 /* bytes more than asked for in a DMA buffer */
#define DXGK_VSYNCS_KEPT              4

/* Of dxgk/work.h. */
struct dxgk_dma;
struct dxgk_packet;
struct paging_buffer;

/* ---- Adapter ----------------------------------------------------------------------------- */

/* A child device of the adapter: an output or something else. */
struct dxgk_child {
    DXGK_CHILD_DESCRIPTOR descriptor;
    bool connected, said_connected, said_empty; /* now; by the driver, ever and in any way */
    bool told, flickers, waits; /* plug.c: it was told; changes in the telling, or with a notice */
    unsigned descriptor_size;   /* of the EDID */
    uint8_t edid[256], is_read; /* is_read: the driver handed on what the monitor says, ever */
};

/* After a reset the worker shows again what was shown: */
enum dxgk_reshow {
    DXGK_RESHOW_DONE,
    DXGK_RESHOW_WANTED, /* the surface lost its place and its pin */
    DXGK_RESHOW_PAGING, /* pinned, its bytes are on their way */
};

struct dxgk_source {
    struct present_source present;
    struct dxgk_adapter *adapter;
    unsigned index;
    bool active, visible, vsyncs_on, ramped, examined, stereo_examined, woken; /* looked at once */
    unsigned flips_looked_at, flips_at_once;
    unsigned flips_commanded; /* from Present until they are over: flip_command.c */
    unsigned flips_stalled, immediate_stalled;    /* ... with FlipWithNoWait, IMMEDIATE; in a row */
    unsigned immediate_looked_at, immediate_late; /* of FlipImmediate */
    struct dxgk_mode mode;
    D3DDDI_ROTATION rotation;               /* of its path */
    struct dxgk_scaled scaled;
    struct dxgk_mode modes[DXGK_MODES_MAX]; /* that can be had */
    unsigned mode_count, stereo_flags;      /* stereo_flags: of the flip that is shown */
    UINT target, target_lines, target_width; /* of the picture that is sent to the monitor */
    struct dxgk_allocation *shown;          /* the primary that was last asked for */
    struct vidmm_pin pin;                   /* of it; a reset ends it */
    bool changing;             /* somebody shows or hides; all others wait, the worker leaves */
    unsigned presents_begun;   /* calls of Present that draw on its primaries */
    struct wait_queue changed; /* he is done, or they are */
    enum dxgk_reshow reshow;
    bool set_mode, path_off;     /* after a sleep: with its mode; the driver was told it is off */
    uint64_t reshow_sequence;    /* of its paging */
    struct list flips, overlays; /* dxgk_flip, executed but not programmed yet; overlay.h */
    DXGKARG_SETVIDPNSOURCEADDRESS *flip_arguments; /* of the one that is being programmed */
    D3DKMDT_PALETTEDATA *palette;                  /* what was set last; NULL: none was */
    struct dxgk_layers *layers;                    /* planes.c; NULL: the driver has no planes */
    struct dxgk_composed *composed; /* display_only.c; NULL: the driver presents otherwise */
    /* Vertical syncs of the interrupt, for the DPC. */
    unsigned vsyncs_told, vsyncs_of_others /* in a row */, vsyncs_elsewhere;
    uint64_t vsync_addresses[DXGK_VSYNCS_KEPT], mode_ns; /* a ring; its mode's address was set */
};

/* The life of an adapter; each arrow is an enter of state.c:
 *
 *     STARTING ──engines run──> RUNNING ──time-out, fault──> RESETTING ──hardware was reset──┐
 *        │                       │ ^                            │                           v
 *        │ refused               │ └─────restarted─────── CLEANING <────────────────────────┘
 *        │                       │                            │
 *        │                       └──removed──> LOST <──removed, or beyond repair (from all three)
 *        v                       v              v
 *     STOPPED <───stop──────────────────────────┘
 *
 * RESETTING: the nodes are frozen, nothing is built; the driver hears of the reset alone. CLEANING:
 * it hears what it must forget [TDR-005]; no GPU work comes of that. LOST: there is no hardware;
 * what is queued ends, memory is book-keeping. A sleep (power.c) is no state of its own: all
 * is at rest then. */
enum dxgk_adapter_state {
    DXGK_ADAPTER_STARTING,
    DXGK_ADAPTER_RUNNING,
    DXGK_ADAPTER_RESETTING,
    DXGK_ADAPTER_CLEANING,
    DXGK_ADAPTER_LOST,
    DXGK_ADAPTER_STOPPED,
    DXGK_ADAPTER_STATE_COUNT
};

/* Code between two points that may switch is atomic; what is said here is who may write. */
struct dxgk_adapter {
    struct dxgk_life life; /* linked in the list of those started */
    struct ddi_adapter ddi;

    /* Fixed when it was made. */
    struct dxgk_adapter_options options;
    struct _DEVICE_OBJECT *physical_device;
    UNICODE_STRING registry_path;
    LUID luid;
    uint32_t object;

    /* Fixed after start: what the driver said of itself. */
    DXGK_DRIVERCAPS caps;
    struct abi_features features; /* what follows from caps and version; fixed with the caps */
    bool contexts;                /* MultiEngineAware: contexts exist */
    bool full_graphics, display_only;
    bool missed_firmware_picture; /* asked for it, and there is none */
    unsigned node_count, paging_node;
    struct {
        uint64_t formatted; /* nodes whose time stamps go through FormatHistoryBuffer */
        uint64_t asked;     /* of these; whoever ends a context */
    } history;
    struct dxgk_adapter_info info;
    unsigned segment_count;
    struct vidmm_segment_options segments[VIDMM_SEGMENT_COUNT_MAX];
    unsigned paging_segment, paging_buffer_size, paging_private_size;
    ULONG source_count, child_count;
    struct dxgk_child *children;
    CM_RESOURCE_LIST *resource_list; /* for GetDeviceInformation */
    struct dxgk_device *system_device;
    struct dxgk_context *system_context; /* on the paging node */
    struct dxgk_space system_space;      /* theirs */
    struct dxgk_mmu mmu;
    struct dxgk_device_mmus device_mmus;
    struct dxgk_components *components; /* components.c; NULL: the driver has none */

    /* The engines guard themselves. */
    struct vidsch vidsch;
    struct vidmm *vidmm;
    struct sync_domain sync_domain;

    /* Interrupt level writes, the DPC takes. */
    struct node_notice notices[VIDSCH_NODE_COUNT_MAX];
    uint64_t notice_mask; /* nodes that have one */
    uint64_t told_of_nodes;
    struct dxgk_suspensions suspensions;
    struct dxgk_doorbells doorbells;
    struct dxgk_logs *logs; /* schedule_log.h; NULL: there are none */
    struct dxgk_engine engines[VIDSCH_NODE_COUNT_MAX];
    uint32_t vsync_mask;    /* sources the interrupt told of */
    uint64_t present_id;    /* the last that a flip of planes was given */
    uint32_t composed_mask; /* likewise: dxgk_composed_notice() */

    /* Wishes to the worker: any context makes them, the worker takes them. */
    bool worker_wanted, worker_stop; /* the first: something is to do */
    bool tick_wanted, losses_wanted; /* the second: some device has loss_wanted */
    enum dxgk_presence presence;     /* whoever goes on; ANSWERED is the worker's */
    uint64_t fault_mask;             /* nodes that faulted */
    unsigned leaves_at;              /* in StopDevice, at that access of its; 0: it stays */
    bool reset_forced, clients_work_ends; /* the next one, by a client or the host; dxgk.h */
    unsigned forced_by, lost_by; /* authors of clients: that did; whose reset is under way; or 0 */
    bool runtime_power;     /* the driver was told that it began, and is to be told of its end */

    /* The worker alone. */
    enum dxgk_adapter_state state;  /* from RUNNING on; read by anybody */
    bool asleep;                    /* the door is closed by power.c: the worker's resets wait */
    bool emptying;                  /* everything is evicted, for the device will lose its power */
    bool serves_faults;             /* a reset for them is under way */
    DXGKARG_COMMITVIDPN_FLAGS path_power;    /* of commits now: monitors go off, or on: power.c */
    bool worker_ended, reshowing, vsyncs_on; /* some source->reshow is not done; it was said */
    char timeout[DXGK_TIMEOUT_MAX]; /* dxgk_adapter_timeout(); the worker's */
    bool timeout_is_late;           /* it hung on a delay: not forced, and no page fault */
    struct dxgk_said said;          /* by the device, before that */
    struct {
        char text[DXGK_CLUE_MAX];  /* dxgk_adapter_clue() */
        uint64_t wide, narrow;     /* addresses that Patch put in place: of 64 bits, of 32 */
        bool of_results, produced; /* it explains no call that failed; Patch has not seen it */
    } clue;
    const char *begun_by, *set_by; /* dxgk_begins_anew(), dxgk_interrupts_set(); NULL: the start */
    uint64_t completed_before, claimed_before; /* packets, by then; interrupts, by set_by */
    const char *dead_after;    /* such a call that the first time-out came after, or NULL */
    unsigned ends_not_told, work_not_told; /* but when QueryCurrentFence asked; of commands */
    uint64_t guilty_device;    /* life number of the device whose work caused the reset */
    struct {
        struct paging_buffer *current;    /* being filled */
        struct paging_operation *in_hand; /* could not be built to its end yet */
        uint64_t no_progress, last_content; /* INSUFFICIENT in a row for a fresh one; its hash */
        unsigned filled_up, tables_up, flushes_up, flushed_before, scanty[VIDMM_OP_KIND_COUNT];
        UINT usual[VIDMM_OP_KIND_COUNT], unit; /* what one was written in last; of all a divisor */
        bool shows_aperture;              /* the device model, at the driver's addresses */
        unsigned buffer_count, buffer_max;
        struct vidmm_dma_pool pool;
        struct list free, running;  /* paging_buffer; paging_operation: ended by DPCs, too */
        unsigned of_companions;     /* of those that run */
        struct dxgk_hwqueue *queue; /* paging_queue.h; NULL: paging goes to the node's own */
    } paging;

    /* DISPATCH_LEVEL or below. */
    struct list packets;         /* all there are; by live_link */
    struct list waiting_packets; /* by wait_link: see dxgk_packet_wait() */
    unsigned paging_queue_count;
    uint64_t paging_queue_releases; /* vidmm_releases() when their requests were tried last */
    struct dxgk_trims trims;
    struct list free_packets; /* by wait_link */
    struct dxgk_natives natives;
    struct dxgk_periodics periodics;
    struct list old_fences; /* fence_memory.h: memory that nobody has any more */
    struct dxgk_totals totals;
    uint64_t dma_order; /* of the newest buffer that Render or Present was given */
    struct dxgk_host_aperture *host_aperture; /* NULL: no segment has one */
    struct dxgk_gart *gart;     /* gart.h; NULL: no segment in the chipset's aperture */
    struct dxgk_ranges *ranges; /* ranges.h; NULL: the driver has none */
    struct machine_timer tick_timer, pause_end; /* of a context: hwqueue_rest.c */
    struct dxgk_still still;
    struct { /* dxgk_adapter_wake_at() */
        unsigned submissions_left;
        struct task *waiter;
    } awaited;
    struct wait_queue idle_changed; /* work, memory, or the worker's state */
    struct task *worker;

    /* PASSIVE_LEVEL. */
    struct list devices;                              /* lives */
    struct dxgk_vidpn *active_vidpn;                  /* committed */
    struct dxgk_source sources[CONTRACT_SOURCES_MAX]; /* each says who writes what of it */
};

/* ---- Clients' objects -------------------------------------------------------------------- */

/* A client. Made and ended by its host, when none of its threads is left. */
struct dxgk_process {
    struct dxgk_life life;
    struct list devices;                         /* by process_link */
    struct list syncs, shares, sections, events; /* without a device; in the files of that name */
    struct list keyeds, event_waits;             /* keyed.c, sync_wait.c */
    struct nt_process *nt;
    struct vidmm_account account; /* of the one adapter in use */
    struct dxgk_space space;      /* likewise */
    bool memory_ready, entering;  /* both are; a thread is in dxgk_process_enter() */
    struct wait_queue entered;
    struct dxgk_trimmer trimmer;
    struct dxgk_answers answers;
    int class_offset; /* of its priority class to the normal one */
    uint32_t object, object_count, worker_count, pending_steps; /* handles; handle.c, remap.c */
    uint32_t event_wait_count, packet_count, handle_range, author; /* sync_wait.c to handle.c */
    char name[32];
};

/* Owned by its process. Ends by its client or with the process; before that it ends what is on its
 * lists, whose lives keep its memory. */
struct dxgk_device {
    struct dxgk_life life; /* linked in the adapter's devices */
    struct dxgk_adapter *adapter;
    struct dxgk_process *process; /* NULL: the system device */
    struct list process_link;
    HANDLE driver_handle;
    uint32_t object;
    DXGK_DEVICEINFO info;                            /* of drivers without contexts */
    struct list contexts, openings, syncs, overlays, left; /* lives; the last: holding.c */
    struct dxgk_residency residency;
    struct wait_queue child_gone; /* one left a list, or the last call named it */
    unsigned paging_calls; /* BuildPagingBuffer with its handle; at its end it waits for them */
    struct list allocations, memories; /* that it made and that live, and may outlive it; its own */
    bool lost, ends, bystander, gdi, marked, misled; /* ends: by a thread; timeout.c; its client */
    D3DKMT_DEVICEEXECUTION_STATE state, loss_wanted; /* the worker loses it for this one; or 0 */
    struct dxgk_present_limit queued;
    struct dxgk_fault fault; /* that it was lost for, if it was */
};

/* Also a hardware context or a hardware queue: hwqueue.c, and the kind of its life says so. */
struct dxgk_context {
    struct dxgk_life life;                           /* linked in the device's contexts */
    void (*dismantle)(struct dxgk_context *context); /* when all is done: the driver forgets it */
    struct dxgk_device *device;
    HANDLE driver_handle; /* the device's for drivers without contexts */
    bool owns_handle, virtual_addresses, null_rendering, gdi; /* CreateContext made it; as wanted */
    uint32_t object;
    unsigned node;
    int priority, in_process; /* -7 .. 7 */
    DXGK_CONTEXTINFO info;
    struct dxgk_companionship companion;
    struct vidsch_context vidsch;
    struct vidmm_dma_pool pool;
    bool vidsch_ready, pool_ready;
    struct list memories; /* context_memory.h */
    uint64_t entry;       /* its last submission, counted by its node: null_context.c */
    uint64_t present;     /* the call of Present that is inside: queued.h; or 0 */
    struct dxgk_command_space space;
    /* What Render and Present get; ours, copied from the client, one call at a time. */
    DXGK_ALLOCATIONLIST *allocation_list;
    DXGK_ALLOCATIONLIST *allocation_given; /* its copy, which the driver gets and may spoil */
    D3DDDI_PATCHLOCATIONLIST *patch_in, *patch_given, *patch_out;
    /* Their room: the driver is handed the last elements of each, and faults behind them. */
    UINT list_room, patch_in_room;
    struct dxgk_opening **allocation_openings; /* the call is inside them */
    bool rendering;                            /* a call is using them */
    unsigned rooting; /* calls that give its handle are under way, as SetRootPageTable */
    struct dxgk_presents *presents; /* of one with virtual addresses; NULL: it never presented */
    struct dxgk_blocks blocks;
    struct wait_queue changed; /* a packet was done, or rendering ended */
};

/* A group of allocations that the driver made together. It lives as long as one of them is open
 * somewhere, and its driver's object goes with the last. */
struct dxgk_resource {
    struct dxgk_life life; /* without a handle: clients name a holding */
    struct dxgk_adapter *adapter;
    HANDLE driver_handle;
    D3DKMT_HANDLE shared_handle;               /* 0: none */
    unsigned allocation_count, expected_count; /* open or being opened; that may still come */
    struct dxgk_allocation **allocations;
    unsigned leaving_count; /* that nobody has open any more and the driver still knows */
    struct wait_queue left; /* one of those is gone */
    void *private_data, *runtime_data; /* the driver's; its clients' */
    UINT private_size, runtime_size;
    unsigned share_count; /* handles of the system that stand for it: its allocations stay */
    bool nt_security;
};

/* One per driver allocation; shared by all openings, the last of which takes it along. */
struct dxgk_allocation {
    struct dxgk_life life; /* references: the openings', the screen's, and its own */
    struct vidmm_allocation memory;
    struct dxgk_adapter *adapter;
    struct dxgk_device *owner;    /* that created it; NULL once that is gone */
    struct list owner_link;       /* in its allocations */
    struct dxgk_section *section; /* that it is made of, or NULL */
    HANDLE driver_handle;
    uint32_t object;
    void *aperture_view; /* of the driver's CPU, if it wants one; or NULL */
    DXGK_ALLOCATIONINFO info;
    bool primary, stereo, standard, wants_view; /* MapApertureCpuVisible */
    D3DDDI_VIDEO_PRESENT_SOURCE_ID source;
    struct dxgk_written written; /* by the GPU's newest work on it */
    unsigned opening_count;
    unsigned packet_count; /* packets that name it and are not done */
    unsigned write_count;  /* of those, the ones that write */
    uint64_t uses;         /* packets that named it, and locks, since it was made */
    struct wait_queue idle;
    uint32_t locker; /* the task that locked it last, as in the record; others may have, too */
    void *private_data;
    UINT private_size;
    UINT width, height, pitch; /* standard allocations: what was asked for */
    D3DDDIFORMAT format;
    D3DKMDT_GDISURFACETYPE gdi_type; /* INVALID: no surface of GDI's */
};

/* What a device has of a resource by one call that made or opened it: what a resource handle names.
 * A device may open a resource again and has another holding then; holding.c. */
struct dxgk_holding {
    struct dxgk_life life;
    struct dxgk_device *device;
    struct dxgk_resource *resource;
    unsigned opening_count; /* on the device's list */
};

/* A device's use of an allocation: what an allocation handle names. On the device's list from
 * before the driver knows it until the driver has forgotten it. */
struct dxgk_opening {
    struct dxgk_life life; /* inside: calls, and packets that name it */
    struct dxgk_allocation *allocation;
    struct dxgk_device *device;
    struct dxgk_holding *holding; /* that it is one of, or NULL */
    HANDLE driver_handle;         /* hDeviceSpecificAllocation */
    uint64_t address; /* where its process sees all of it, for presents; 0: nowhere yet */
    unsigned lock_count, doorbell_count; /* the second: that live with it as ring, or control */
};
#define ASSERT_BEGINS_WITH_LIFE(type) \
    _Static_assert(offsetof(struct type, life) == 0, "its life is the object's address")
ASSERT_BEGINS_WITH_LIFE(dxgk_adapter);
ASSERT_BEGINS_WITH_LIFE(dxgk_process);
ASSERT_BEGINS_WITH_LIFE(dxgk_device);
ASSERT_BEGINS_WITH_LIFE(dxgk_context);
ASSERT_BEGINS_WITH_LIFE(dxgk_resource);
ASSERT_BEGINS_WITH_LIFE(dxgk_holding);
ASSERT_BEGINS_WITH_LIFE(dxgk_allocation);
ASSERT_BEGINS_WITH_LIFE(dxgk_opening);
ASSERT_BEGINS_WITH_LIFE(dxgk_sync);
ASSERT_BEGINS_WITH_LIFE(dxgk_sync_core);
ASSERT_BEGINS_WITH_LIFE(dxgk_paging_queue);

/* ---- Across files ------------------------------------------------------------------------ */

/* explain.c: what of a failed start is no fault of the driver. */
void dxgk_explain_no_context(struct dxgk_adapter *adapter, struct dxgk_failure *failure);
void dxgk_explain_start(struct dxgk_adapter *adapter, NTSTATUS status,
                        struct dxgk_failure *failure);

/* state.c */
/* One of the arrows. From RUNNING to STOPPED the worker alone. */
void dxgk_adapter_enter(struct dxgk_adapter *adapter, enum dxgk_adapter_state state);
/* history.c: before the driver forgets the context. May switch. */
void dxgk_history_format(struct dxgk_context *context);
static inline bool dxgk_adapter_has_hardware(const struct dxgk_adapter *adapter)
{
    return adapter->state != DXGK_ADAPTER_LOST && adapter->presence < DXGK_KNOWN;
}

/* state.c. Around a call of the driver that may fail for want of memory, which a variation takes
 * away:
 *
 *     struct dxgk_attempt attempt = dxgk_first_attempt(false);
 *     do {
 *         status = ddi_...();
 *     } while (dxgk_tries_again(status, &attempt));
 *
 * One that failed so is asked again, once, and nothing is taken away meanwhile; nor in the first
 * attempt, if that is to be spared. */
struct dxgk_attempt {
    uint64_t failures, resets, repeats; /* repeats: so often in a row the same was refused */
    bool spared;
};
struct dxgk_attempt dxgk_first_attempt(bool spared);
bool dxgk_tries_again(NTSTATUS status, struct dxgk_attempt *attempt);
/* Nothing was refused, reset or pulled out since it began, which an answer might be for. */
bool dxgk_attempt_is_calm(const struct dxgk_attempt *attempt);
/* paging_buffers.c: at the adapter's end: what paging did, into the record. */
void dxgk_adapter_count_memory(struct dxgk_adapter *adapter);

/* adapter.c, caps.c */
NTSTATUS dxgk_caps_query(struct dxgk_adapter *adapter, struct dxgk_failure *failure);
NTSTATUS dxgk_query_adapter(struct dxgk_adapter *adapter, DXGK_QUERYADAPTERINFOTYPE type,
                            const void *input, UINT input_size, void *output, UINT output_size);
static inline struct dxgk_adapter *dxgk_adapter_of(struct ddi_adapter *ddi)
{
    return container_of(ddi, struct dxgk_adapter, ddi);
}

/* questions.c */
/* What the system asks once a driver has started: events.c. */
void dxgk_system_asks(struct dxgk_adapter *adapter);
NTSTATUS dxgk_ask_the_rest(struct dxgk_adapter *adapter, struct dxgk_failure *failure);
void dxgk_runtime_power_ends(struct dxgk_adapter *adapter); /* its components are on */

/* context.c */
/* The system's too; the handle is not shown yet. Inside the device, or at its making. */
NTSTATUS dxgk_context_make(struct dxgk_device *device, const struct dxgk_context_request *request,
                           bool system, struct dxgk_context **out);

/* device.c */
NTSTATUS dxgk_system_context_create(struct dxgk_adapter *adapter, struct dxgk_failure *failure);
void dxgk_system_context_destroy(struct dxgk_adapter *adapter);
/* May switch. The first looks whether it comes of a reset that the device's author asked for. */
void dxgk_device_judge_loss(struct dxgk_device *device);
void dxgk_device_lose(struct dxgk_device *device, D3DKMT_DEVICEEXECUTION_STATE state);
/* A context, opening or sync object left its list. */
void dxgk_device_child_gone(struct dxgk_device *device);
/* Has the worker do so, from anywhere: work of the device cannot be carried out any more. */
void dxgk_device_lose_soon(struct dxgk_device *device, D3DKMT_DEVICEEXECUTION_STATE state);
bool dxgk_device_is_lost(const struct dxgk_device *device); /* or will be by the worker */

/* allocation.c */
void dxgk_allocation_packet(struct dxgk_allocation *allocation, int step, bool write);

/* opening.c */
/* Openings of some allocations in a device that the caller is inside. */
struct dxgk_opening_request {
    struct dxgk_device *device;
    struct dxgk_resource *resource;             /* or NULL */
    struct dxgk_holding *holding;               /* of it, which they join; NULL: a new one */
    struct dxgk_allocation *const *allocations; /* the caller has references */
    UINT count;
    const struct dxgk_allocation_request *elements; /* by who makes them; NULL: they are there */
    const void *private_data;                       /* of the resource */
    UINT private_size;
};
/* All or nothing; nobody finds them yet, nor their holding. */
NTSTATUS dxgk_openings_make(const struct dxgk_opening_request *request,
                            struct dxgk_opening **openings);
void dxgk_openings_begin(struct dxgk_opening *const *openings, UINT count);
/* Ends those of the device that live. May switch. */
void dxgk_openings_close_all(struct dxgk_device *device);

/* access.c: one lock less; it has one. May switch. */
void dxgk_opening_unlock(struct dxgk_opening *opening);

#include "dxgk/components.h"
#include "dxgk/screens.h"

#endif

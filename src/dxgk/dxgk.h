/* dxgk: the translator. Adapters, devices, contexts, allocations; it speaks the WDK's tongue
 * towards drivers (through ddi/) and the engines' tongue towards vidsch, vidmm and present.
 *
 *     client ── d3dkmt ──> dxgk ──┬─> vidsch   packets in order, fences
 *                                 ├─> vidmm    where allocations live, paging work
 *                                 ├─> present  flips and vertical syncs
 *                                 └─> ddi ──> driver
 *
 * Terms. A *process* is a client. A *device* is a process's use of an adapter; a *context* is a
 * device's stream of work to one node. An *allocation* belongs to the adapter; an *opening* is a
 * device's use of it and what a D3DKMT allocation handle names. A *resource* groups allocations.
 * A *packet* is one DMA buffer (or a part of one) on its way through the scheduler.
 *
 * Objects have numbers in the record and handles for clients; below d3dkmt/ there are pointers.
 * What keeps them alive is in docs/architecture.md, "Lives".
 * Client entry points run in the client's task at PASSIVE_LEVEL and follow decode, prepare, commit:
 * a call that fails changed nothing.
 *
 * A worker task per adapter does what may not be done where the need for it arises (in a DPC, in
 * hardware context): it runs nodes, builds paging buffers, looks at deadlines, resets. */
#ifndef DXGK_DXGK_H
#define DXGK_DXGK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <d3dkmddi.h>
#include <d3dkmthk.h>
#include <dispmprt.h>
#include <ntddk.h>

#include "ddi/ddi.h"
#include "dxgk/asked.h"
#include "dxgk/exclusive.h"
#include "dxgk/fences.h"
#include "dxgk/frames.h"
#include "dxgk/gdi.h"
#include "dxgk/handle.h"
#include "dxgk/hwqueue.h"
#include "dxgk/keyed.h"
#include "dxgk/last_screen.h"
#include "dxgk/planes.h"
#include "dxgk/refusal.h"
#include "dxgk/share.h"
#include "dxgk/standard.h"
#include "dxgk/virtual.h"
#include "machine/machine.h"

struct dxgk_adapter;
struct dxgk_process;
struct dxgk_device;
struct dxgk_context;
struct dxgk_opening;
struct dxgk_resource;
struct dxgk_holding;
struct dxgk_section;
struct dxgk_sync;

/* ==== For the host: adapters and client processes from their first to their last day ==== */

/* ---- Adapters ------------------------------------------------------------------------- */

struct dxgk_adapter_options {
    const struct vidsch_policy *policy; /* who is next on a node; NULL: vidsch_policy_priority */
    struct ddi_driver *driver;
    struct pci_slot *slot;
    struct _DEVICE_OBJECT *physical_device;
    uint64_t tdr_delay_ns;     /* 0: 2 s */
    uint32_t first_fence_id;   /* 0: 1 */
    uint32_t fence_wrap_after; /* ids leap until so many are left before they wrap; 0: they count */
    bool shadow_content;       /* follow every byte through paging */
    bool patch_paging;         /* call Patch for paging buffers too (documents disagree) */
    bool undocumented_paging;  /* operations that documents leave open; device_mmu.h */
    bool keep_views;           /* of what clients unlock; vidmm.h */
    /* Longer transfers go in pieces; 0: none does. Whether SegmentAddress of a later piece includes
     * TransferOffset documents do not say [XFER-009]: here it does not. */
    uint64_t transfer_bytes_max;
    struct dxgk_adapter_info *learned; /* what was learned of one that does not start; or NULL */
    void *added; /* of dxgk_adapter_stop_only(): AddDevice is not called; or NULL */
};

struct dxgk_failure {
    char text[240]; /* what was refused, and which rule and value */
    bool ours;      /* nothing is wrong with the driver: this kernel cannot serve it */
};

/* From AddDevice to the display. On failure all is undone and failure->text says why. */
NTSTATUS MUST_CHECK dxgk_adapter_start(const struct dxgk_adapter_options *options,
                                       struct dxgk_adapter **out, struct dxgk_failure *failure);
/* The reverse; every process of a client has ended. */
void dxgk_adapter_stop(struct dxgk_adapter *adapter);
void *dxgk_adapter_stop_only(struct dxgk_adapter *adapter); /* not removed: `added` of a start */
/* The device is pulled out: NotifySurpriseRemoval, then clients see their devices lost. Stop
 * follows as usual. Does the driver say that it stands this while the device runs, and did it
 * happen? */
NTSTATUS dxgk_adapter_surprise_remove(struct dxgk_adapter *adapter);
/* It is missed after a hibernation; false: nothing happened, for dxgk_adapter_sleep()'s reasons. */
bool dxgk_adapter_remove_asleep(struct dxgk_adapter *adapter, uint64_t deadline_ns);
/* It is pulled out in the last stop, and nobody tells the driver: so many accesses are answered. */
void dxgk_adapter_leave_at_stop(struct dxgk_adapter *adapter, unsigned accesses);
bool dxgk_adapter_stands_removal(const struct dxgk_adapter *adapter);
bool dxgk_adapter_is_removed(const struct dxgk_adapter *adapter);
/* The same, or it is gone and the driver is not told yet: nothing of it means anything. */
bool dxgk_adapter_is_missing(const struct dxgk_adapter *adapter);
/* Just now nobody is in the driver, nor will be at once for an interrupt. */
bool dxgk_adapter_is_left_alone(const struct dxgk_adapter *adapter);
/* The device's output that shows the source (of one that is not shown, the source's number), when
 * all that a reset or a sleep took from the screens is shown again. May switch. */
unsigned dxgk_adapter_output(struct dxgk_adapter *adapter, unsigned source);
/* Nothing is seen of the source on its monitor: judges whether it ought to be. That it never was
 * may be the device model's fault: advice. May switch. */
void dxgk_screen_judge_lost(struct dxgk_adapter *adapter, unsigned source, bool was_seen);
/* Wakes the running task when so many submissions from now are made; 0: does not any more. Does it
 * still wait? */
void dxgk_adapter_wake_at(struct dxgk_adapter *adapter, unsigned submission);
bool dxgk_adapter_awaits(const struct dxgk_adapter *adapter);
/* As a debugger forces one (D3DKMT_TDRDBGCTRLTYPE_FORCETDR): the worker resets it. Any context.
 * NOT_SUPPORTED: the driver has not got what it takes. */
NTSTATUS dxgk_adapter_force_reset(struct dxgk_adapter *adapter);
/* Whether what clients have the driver run from now on ends in time, so that a time-out is the
 * driver's or its device's. At first nobody knows: false. */
void dxgk_adapter_say_work_ends(struct dxgk_adapter *adapter, bool ends);
/* Asks the driver what it always can answer: the fences of its nodes, the lines of its screens. */
void dxgk_adapter_ask(struct dxgk_adapter *adapter);
/* As a profiler that goes on: the clocks of all nodes, asked last long ago. May switch. */
void dxgk_adapter_ask_clocks(struct dxgk_adapter *adapter);
/* Tells it of what happens to a laptop, and does what it wants done for that: events.c. */
void dxgk_adapter_tell_events(struct dxgk_adapter *adapter);
struct dxgk_adapter *dxgk_adapter_first(void); /* of those started, or NULL */

/* Fences and memory for the report. Work: of what was completed, that which clients asked for. */
struct dxgk_totals {
    uint64_t submitted, completed, lost, cancelled, preempted, resets, engine_resets, work;
};
void dxgk_adapter_totals(struct dxgk_adapter *adapter, struct dxgk_totals *totals);
/* The newest reset in words, or NULL. *late, if not NULL: it hung on the time-out's delay. */
#define DXGK_TIMEOUT_MAX   320
#define DXGK_CLUE_MAX      184
#define DXGK_EXPLAINED_MAX 420
const char *dxgk_adapter_timeout(const struct dxgk_adapter *adapter, bool *late);
bool dxgk_adapter_timed_out(const struct dxgk_adapter *adapter); /* that was one of the driver's */
/* What looked odd last in the commands of the driver, and may explain a wrong result, or a call
 * that failed; NULL: nothing. */
const char *dxgk_adapter_clue(const struct dxgk_adapter *adapter, bool call_failed);
/* The computer sleeps and wakes: to D3 and D0, when all work is done and memory is empty. False:
 * the driver does not know of power, or something did not come to rest until the deadline; nothing
 * happened then. *activity: what the device did of itself in D3. May switch. */
bool dxgk_adapter_sleep(struct dxgk_adapter *adapter, uint64_t deadline_ns, uint64_t *activity);
/* The computer is switched off or started anew: to D3, when all work is done. False: as above. What
 * holds of the driver then holds for good: the run ends with it. May switch. */
bool dxgk_adapter_shut_down(struct dxgk_adapter *adapter, uint64_t deadline_ns, uint64_t *activity);
/* The monitors go to D3 and back, when all work is done; the adapter stays in D0 and moves in the
 * meantime what was shown. False: nothing happened, for the same reasons. May switch. */
bool dxgk_adapter_rest_monitors(struct dxgk_adapter *adapter, uint64_t deadline_ns);
/* The monitor of one of the outputs (`which`, modulo their number) is pulled out and plugged in
 * again, when all work is done; what it showed is shown again. False: there is none, the device
 * model knows nothing of that, or work did not end until the deadline. May switch. */
bool dxgk_adapter_replug(struct dxgk_adapter *adapter, unsigned which, uint64_t deadline_ns);
/* For some moments a source is shown on a second monitor, too, where the driver can (clone.c).
 * False: nothing happened. May switch. */
struct dxgk_clone_wish {
    unsigned which;
    bool flips;     /* only with another picture to flip to */
    bool scaled;    /* to the mode that the second monitor likes best, if it can be */
    bool of_scaled; /* only one whose own path is scaled; without one nobody has to wait */
};
bool dxgk_adapter_clone(struct dxgk_adapter *adapter, const struct dxgk_clone_wish *wish,
                        uint64_t deadline_ns);
/* Beside a source that shows something the mode of another one is set anew (beside.c). False:
 * nothing happened, for there is none. May switch. */
bool dxgk_adapter_commit_beside(struct dxgk_adapter *adapter, unsigned which, uint64_t deadline_ns);
bool dxgk_adapter_pull_monitor(struct dxgk_adapter *adapter); /* right before it is stopped */
void dxgk_moment(void); /* the driver has waited for its DPCs; may switch */
/* Returns when the computer is awake: for who begins something. */
void dxgk_wait_awake(void);
/* Under the variation still-device: may the device's clock stop now? Clients that work meanwhile
 * stand it when they lose their devices. How many were lost by it so far? Does it stand now, or
 * is a reset for it under way? */
void dxgk_adapter_may_stand_still(struct dxgk_adapter *adapter, bool may);
unsigned dxgk_adapter_still_losses(const struct dxgk_adapter *adapter);
/* At the time limit: who waits for a flip that nobody shows? */
void dxgk_adapter_judge_flips(struct dxgk_adapter *adapter);
/* When everything waits, and nothing will ever happen: are there vertical syncs that should? */
void dxgk_adapter_judge_silence(struct dxgk_adapter *adapter);
bool dxgk_adapter_stands_still(const struct dxgk_adapter *adapter);
/* Waits until all work of all clients is done; false at the deadline. */
bool dxgk_adapter_wait_idle(struct dxgk_adapter *adapter, uint64_t deadline_ns);
/* Neither the driver nor the graphics kernel has anything left to do: what work there is waits for
 * sync objects that only clients signal. */
bool dxgk_adapter_waits_for_clients(struct dxgk_adapter *adapter);
/* Then: which context waits for what, and who would end that; a cycle, if there is one. False:
 * none waits. */
bool dxgk_adapter_explain_waits(const struct dxgk_adapter *adapter, char *text, size_t size);
/* For when everything waits: the driver has no work, and the worker rests though there is some. */
bool dxgk_adapter_forgot_work(struct dxgk_adapter *adapter);

/* ---- Client processes ----------------------------------------------------------------- */

NTSTATUS MUST_CHECK dxgk_process_create(const char *name, struct dxgk_process **out);
/* Destroys what the client left open, in the right order; none of its threads is in a call. */
void dxgk_process_destroy(struct dxgk_process *process);
struct dxgk_process *dxgk_process_current(void); /* of the running task, or NULL */
void dxgk_process_set_current(struct dxgk_process *process);
/* Whose code runs in it, as the record is told from now on: TASK_SLOT_AUTHOR of its tasks. */
void dxgk_process_set_author(struct dxgk_process *process, unsigned author);
/* In the record; 0: NULL, the system. */
uint32_t dxgk_process_number(const struct dxgk_process *process);

/* ==== For both: what an adapter is ==== */

/* What the driver said of itself, for `drydock info` and for clients. */
#define DXGK_INFO_CHILDREN_MAX 32

struct dxgk_adapter_info {
    unsigned interface_version, wddm_version;
    DXGK_DRIVERCAPS caps;
    unsigned flip_queue_length; /* of the hardware; 0: flips wait in our hands */
    unsigned segment_count, node_count, source_count, child_count;
    struct {
        DXGK_SEGMENTFLAGS flags;
        uint64_t base, size, commit_limit;
        unsigned host_pages; /* of its CPU host aperture; 0: it has none */
    } segments[CONTRACT_SEGMENTS_MAX];
    struct {
        unsigned engine_type; /* DXGK_ENGINE_TYPE */
        char name[64];
    } nodes[CONTRACT_NODES_MAX];
    unsigned paging_node;
    unsigned paging_segment, paging_buffer_size, paging_private_size;
    bool has_caps; /* the driver answered */
    bool hardware_scheduling, native_fences;
    struct {
        bool there, read_only, no_execute, cache_coherent;
        unsigned address_bits;
    } gpu_mmu;
    unsigned listed_children;
    struct {
        unsigned uid, type, hpd_awareness; /* DXGK_CHILD_DEVICE_TYPE, ..._HPD_AWARENESS */
        bool connected;
        unsigned descriptor_bytes; /* of its monitor */
    } children[DXGK_INFO_CHILDREN_MAX];
    struct {
        bool active;
        unsigned target, width, height, refresh_millihertz, format; /* D3DDDIFORMAT */
    } modes[CONTRACT_SOURCES_MAX];
};
void dxgk_adapter_info(struct dxgk_adapter *adapter, struct dxgk_adapter_info *info);
/* Do all of them run, with their devices there? How often were they, or their engines, reset? */
bool dxgk_all_run(uint64_t *resets);
struct dxgk_adapter *dxgk_adapter_by_luid(LUID luid);
LUID dxgk_adapter_luid(const struct dxgk_adapter *adapter);
struct pci_slot *dxgk_adapter_slot(const struct dxgk_adapter *adapter);
/* DXGKQAITYPE_UMDRIVERPRIVATE; the buffer goes to the driver and back. */
NTSTATUS dxgk_adapter_query_private(struct dxgk_adapter *adapter, void *private_data,
                                    UINT private_size);

/* ==== For the client face, d3dkmt/ ==== */

/* ---- Devices and contexts ------------------------------------------------------------- */

NTSTATUS MUST_CHECK dxgk_device_create(struct dxgk_adapter *adapter, struct dxgk_process *process,
                                       struct dxgk_device **out);
/* First what it has; waits for calls on it. */
NTSTATUS dxgk_device_destroy(struct dxgk_device *device);
/* For clients; may switch: during a reset it waits until it is known whose memory is lost. */
D3DKMT_DEVICEEXECUTION_STATE dxgk_device_state(const struct dxgk_device *device);
/* The fault that it was lost for; zeros, if it was lost for none. */
void dxgk_device_page_fault(const struct dxgk_device *device, D3DKMT_DEVICEPAGEFAULT_STATE *out);
struct dxgk_adapter *dxgk_device_adapter(const struct dxgk_device *device);
struct dxgk_process *dxgk_device_process(const struct dxgk_device *device);
D3DKMT_HANDLE dxgk_device_handle(const struct dxgk_device *device);

struct dxgk_context_request {
    unsigned node, engine_affinity;
    const void *private_data; /* the driver's and its client's */
    UINT private_size;
    bool virtual_addresses; /* its work names GPU virtual addresses: no Render, no lists */
    bool null_rendering;    /* none of its commands is to run */
    bool gdi;               /* it draws for GDI: gdi.h */
    uint64_t companion_of;  /* ours: a paging companion of that context */
};
NTSTATUS MUST_CHECK dxgk_context_create(struct dxgk_device *device,
                                        const struct dxgk_context_request *request,
                                        struct dxgk_context **out);
NTSTATUS dxgk_context_destroy(struct dxgk_context *context);
NTSTATUS dxgk_context_set_priority(struct dxgk_context *context, int priority); /* -7 .. 7 */
int dxgk_context_priority(const struct dxgk_context *context);
/* The memory in which a client writes its commands and lists; ours, one set a context. */
struct dxgk_command_space {
    void *commands;
    UINT command_bytes;
    D3DDDI_ALLOCATIONLIST *allocations;
    UINT allocation_count;
    D3DDDI_PATCHLOCATIONLIST *patches;
    UINT patch_count;
};
void dxgk_context_command_space(struct dxgk_context *context, struct dxgk_command_space *out);
struct dxgk_device *dxgk_context_device(const struct dxgk_context *context);
D3DKMT_HANDLE dxgk_context_handle(const struct dxgk_context *context);
/* First context of the device, or NULL: for calls that name a device where a context is meant. */
struct dxgk_context *dxgk_device_first_context(const struct dxgk_device *device);

/* ---- Allocations, resources, openings ------------------------------------------------- */

#define DXGK_ALLOCATIONS_PER_CALL_MAX 256

struct dxgk_allocation_request {
    void *private_data; /* the driver may change it */
    UINT private_size;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID source;
    bool primary, stereo, standard; /* ... with an image for each eye; that the kernel asked for */
    struct dxgk_section *section;   /* the client's memory, from a page on; or NULL */
    uint64_t section_page;
    struct dxgk_opening *opening; /* out */
};

struct dxgk_allocations_request {
    const void *private_data, *runtime_data; /* of the resource: the driver's; its clients' */
    UINT private_size, runtime_size;
    bool make_resource, nt_security; /* it is shared by handles of the system */
    struct dxgk_holding *holding;    /* of the device: they come to its resource; or NULL */
    struct dxgk_allocation_request *elements;
    UINT count;
};
/* All or nothing. *holding, of the resource: NULL if there is none. */
NTSTATUS MUST_CHECK dxgk_allocations_create(struct dxgk_device *device,
                                            const struct dxgk_allocations_request *request,
                                            struct dxgk_holding **holding);
/* What is left of a holding of the device, or a list of openings of the device that names none
 * twice and none of the holding, or both. */
struct dxgk_destruction {
    struct dxgk_holding *holding;
    struct dxgk_opening *const *openings;
    UINT count;
    bool at_once; /* no submission by virtual address uses them */
    bool waits;   /* for such, which else go on by themselves when the call has returned */
};
/* Waits for calls and packets that name them. */
NTSTATUS dxgk_allocations_destroy(struct dxgk_device *device, const struct dxgk_destruction *how);
/* Opens a shared resource in a device, which may have it open already: the openings are others, and
 * so is their holding. */
NTSTATUS MUST_CHECK dxgk_resource_open(struct dxgk_device *device, struct dxgk_resource *resource,
                                       struct dxgk_opening **openings, UINT *count);

struct dxgk_device *dxgk_opening_device(const struct dxgk_opening *opening);
struct dxgk_holding *dxgk_opening_holding(const struct dxgk_opening *opening); /* or NULL */
D3DKMT_HANDLE dxgk_opening_handle(const struct dxgk_opening *opening);
uint64_t dxgk_opening_size(const struct dxgk_opening *opening);
/* What the client gave the driver with the allocation, as the driver left it. */
const void *dxgk_opening_private(const struct dxgk_opening *opening, UINT *size);
/* Of a picture: as asked for, or as DescribeAllocation tells; turned: as those see it who look. */
NTSTATUS dxgk_opening_extent(struct dxgk_opening *opening, bool turned, UINT *width, UINT *height);
/* The source that a primary belongs to; false for other allocations. */
bool dxgk_opening_source(const struct dxgk_opening *opening, UINT *source);

struct dxgk_resource_info {
    UINT allocation_count;
    UINT private_size, runtime_size; /* of the resource */
    const void *private_data, *runtime_data;
    UINT total_private_size; /* of all its allocations */
};
void dxgk_resource_info(const struct dxgk_resource *resource, struct dxgk_resource_info *info);
/* The holding's openings that live, in order; how many there are. */
UINT dxgk_holding_openings(const struct dxgk_holding *holding, struct dxgk_opening **openings,
                           UINT count_max);
D3DKMT_HANDLE dxgk_holding_handle(const struct dxgk_holding *holding);
struct dxgk_device *dxgk_holding_device(const struct dxgk_holding *holding);
struct dxgk_resource *dxgk_holding_resource(const struct dxgk_holding *holding);

/* ---- The CPU's access ----------------------------------------------------------------- */

/* A CPU pointer to its bytes; waits for the GPU unless flags.DonotWait. */
/* Through a swizzling range, with AcquireAperture. NOT_SUPPORTED: there is none, or it is in no
 * memory that the driver can show; nothing is locked then. */
struct dxgk_lock_request {
    D3DDDICB_LOCKFLAGS flags;
    UINT private_data; /* the driver's */
};
NTSTATUS MUST_CHECK dxgk_lock_through(struct dxgk_opening *opening,
                                      const struct dxgk_lock_request *request, void **pointer);
NTSTATUS MUST_CHECK dxgk_lock(struct dxgk_opening *opening, D3DDDICB_LOCKFLAGS flags,
                              void **pointer);
NTSTATUS dxgk_unlock(struct dxgk_opening *opening);
/* All, or where one is not locked as often as it is named, none. */
NTSTATUS dxgk_unlock_all(struct dxgk_opening *const *openings, UINT count);
NTSTATUS dxgk_opening_set_priority(struct dxgk_opening *opening, UINT priority);
UINT dxgk_opening_priority(const struct dxgk_opening *opening);
/* Both wait until nothing uses it, and refuse to wait for a lock of the caller's own. */
NTSTATUS dxgk_evict(struct dxgk_opening *opening);
/* Brings it to where the GPU reaches it, as work that names it would. */
NTSTATUS MUST_CHECK dxgk_page_in(struct dxgk_opening *opening);
enum dxgk_residence { DXGK_IN_MEMORY, DXGK_IN_APERTURE, DXGK_NOT_RESIDENT };
/* Where the GPU sees it, after all paging that is queued. */
enum dxgk_residence dxgk_opening_residence(const struct dxgk_opening *opening);
/* Its content may be thrown away, without being copied out [DISC-001], until it is reclaimed. */
NTSTATUS dxgk_offer(struct dxgk_opening *opening);
NTSTATUS dxgk_may_offer(const struct dxgk_opening *opening); /* but for what is in its way */
/* True: the content is gone. */
bool dxgk_reclaim(struct dxgk_opening *opening);

/* ---- Work ----------------------------------------------------------------------------- */

struct dxgk_render_request {
    UINT command_offset, command_bytes; /* in the command space */
    UINT allocation_count, patch_count;
    bool null_rendering, redirected; /* to a surface that the compositor has */
};
NTSTATUS dxgk_render(struct dxgk_context *context, const struct dxgk_render_request *request);

struct dxgk_present_request {
    struct dxgk_opening *source, *destination; /* either may be NULL, as the kind says */
    RECT source_rect, destination_rect;
    UINT sub_rect_count; /* 0: the destination rectangle */
    const RECT *sub_rects;
    UINT color;
    D3DDDI_FLIPINTERVAL_TYPE interval;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID vidpn_source;
    DXGK_PRESENTFLAGS flags;
    const void *private_data; /* the client's, for drivers of WDDM 2.0; kernel memory */
    UINT private_size;
    uint64_t progress_id; /* of a copy by a hardware queue; 0: the next one */
};
NTSTATUS dxgk_present(struct dxgk_context *context, const struct dxgk_present_request *request);

/* Everything the context (device) was given so far is done. STATUS_TIMEOUT at the deadline. */
NTSTATUS dxgk_context_wait_idle(struct dxgk_context *context, uint64_t deadline_ns);
NTSTATUS dxgk_device_wait_idle(struct dxgk_device *device, uint64_t deadline_ns);
struct dxgk_escape_request {
    struct dxgk_device *device;   /* or NULL */
    struct dxgk_context *context; /* or NULL */
    D3DDDI_ESCAPEFLAGS flags;
    void *private_data;
    UINT private_size;
};
NTSTATUS dxgk_escape(struct dxgk_adapter *adapter, const struct dxgk_escape_request *request);

/* ---- Synchronisation objects ---------------------------------------------------------- */

/* Synchronisation objects that contexts wait for and signal on the GPU's time line. */
NTSTATUS MUST_CHECK dxgk_sync_create(struct dxgk_device *device,
                                     const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 *info,
                                     struct dxgk_sync **out);
/* When nobody else has it open, who waits for it is let go. */
NTSTATUS dxgk_sync_destroy(struct dxgk_sync *sync);
NTSTATUS dxgk_sync_wait_gpu(struct dxgk_context *context, struct dxgk_sync *const *objects,
                            UINT count, UINT64 fence_value);
NTSTATUS dxgk_sync_signal_gpu(struct dxgk_context *context, struct dxgk_sync *const *objects,
                              UINT count, UINT64 fence_value);
/* Each with its value: all of them, or where one may not be, none. */
struct dxgk_sync_batch {
    struct dxgk_sync *const *objects;
    const UINT64 *values;
    UINT count;
    bool signal;
};
NTSTATUS dxgk_sync_queue_each(struct dxgk_context *context, const struct dxgk_sync_batch *batch);
NTSTATUS dxgk_sync_signal_cpu(const struct dxgk_sync_batch *batch);
/* Is the task in that call, without a deadline, and not woken? */
bool dxgk_sync_task_waits(const struct task *task);
/* Where the value of a monitored fence is, or NULL; as long as the object lives. */
UINT64 *dxgk_sync_memory(const struct dxgk_sync *sync);
struct dxgk_adapter *dxgk_sync_adapter(const struct dxgk_sync *sync);
D3DKMT_HANDLE dxgk_sync_handle(const struct dxgk_sync *sync);

/* ---- Display -------------------------------------------------------------------------- */

struct dxgk_mode {
    UINT width, height;
    UINT refresh_millihertz;
    D3DDDIFORMAT format;
    D3DKMDT_VIDPN_SOURCE_MODE_TYPE type;        /* GRAPHICS, or one of those for stereo */
    bool palette;                               /* pixels are indices whose colours can be set */
    D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling; /* how it becomes the target's mode */
};
/* The mode the source shows; false if it has none. */
bool dxgk_source_mode(struct dxgk_adapter *adapter, unsigned source, struct dxgk_mode *mode);
/* The modes that its path can have, as the driver offered them. */
#define DXGK_MODES_MAX 64
unsigned dxgk_source_modes(struct dxgk_adapter *adapter, unsigned source,
                           struct dxgk_mode modes[DXGK_MODES_MAX]);
/* Shows the opening on the source: a mode change if needed (the mode is that of the opening, as far
 * as it is known), source address, visibility. */
NTSTATUS dxgk_source_show(struct dxgk_adapter *adapter, unsigned source,
                          struct dxgk_opening *primary, D3DDDI_ROTATION rotation);
struct dxgk_colours { /* of a mode with a palette */
    UINT first, count;
    const D3DKMDT_PALETTEDATA *entries;
};
NTSTATUS dxgk_source_set_palette(struct dxgk_adapter *adapter, unsigned source,
                                 const struct dxgk_colours *colours);
/* Has somebody something shown there? */
bool dxgk_source_shows(const struct dxgk_adapter *adapter, unsigned source);
NTSTATUS dxgk_source_wait_vsync(struct dxgk_adapter *adapter, unsigned source,
                                uint64_t deadline_ns);
bool dxgk_source_wait_flips(struct dxgk_adapter *adapter, unsigned source, uint64_t deadline_ns);
NTSTATUS dxgk_source_scan_line(struct dxgk_adapter *adapter, unsigned source, UINT *line,
                               bool *in_vblank);

#endif

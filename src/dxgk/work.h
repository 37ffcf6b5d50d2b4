/* Work on its way: roads, packets, DMA buffers, passes, paging, resets. What is called for whom is
 * in docs/architecture.md, "The way of a command". */
#ifndef DXGK_WORK_H
#define DXGK_WORK_H

#include "dxgk/clue.h"
#include "dxgk/echo.h"
#include "dxgk/engine_reset.h"
#include "dxgk/internal.h"
#include "dxgk/passes.h"

/* ---- Roads and packets ------------------------------------------------------------------- */

struct dxgk_packet;

/* How one kind of work gets from its context's queue to its end: what is called at each station.
 *
 *     push ──> prepare ──READY──> submit ──> (the hardware, or whoever ends it) ──> done
 *              │  │  ^               │ it waits (SOFTWARE)                           ^
 *              │  │  │ prepared      v                                               │
 *              │  │  └────────── progress ── complete, or failed ───────────────────┤
 *              │  └─ PENDING ──────^                                                 │
 *              └─ failed ───────────────────────────────────────────────────────────┤
 *              cancel: it was never submitted and never will be ────────────────────┘
 *
 * The scheduler (backend.c) leads packets from station to station; a road never looks at another
 * kind's packets. A new kind of work is a new table and its part of the union below.
 *
 * The hardware is given nothing but what the driver wrote, or a client in its own addresses: a
 * packet of a hardware kind is a part of a buffer of Render or Present (dxgk_passes, and Patch
 * before SubmitCommand) or of BuildPagingBuffer, or a submission by virtual address. The one
 * exception has no commands at all: CONTEXT_SWITCH. Other work of the kernel's own is of the other
 * kinds. */
struct dxgk_road {
    const char *name;
    enum vidsch_packet_kind kind;
    const char *writer; /* the DDI that writes its commands; NULL: none, or the client does */
    /* PASSIVE_LEVEL. NULL: always ready. PENDING: it waits, by dxgk_packet_wait() or otherwise. */
    enum vidsch_prepare (*prepare)(struct dxgk_packet *packet, NTSTATUS *status);
    /* Gives it to the hardware, or begins to execute it. May switch. NULL: the scheduler alone. */
    void (*submit)(struct dxgk_packet *packet);
    /* It waits in our hands and something changed that it may wait for: memory, the hardware, an
     * earlier packet. On the worker. Ends the wait by taking wait_link out of the list, and tells
     * the scheduler by vidsch_prepared() or, of SOFTWARE, vidsch_complete(); also when there is no
     * hardware any more, or its context is lost. NULL: never waits so. */
    void (*progress)(struct dxgk_packet *packet);
    /* Tells the driver that it never will be submitted; done() follows. NULL: there is nothing to
     * tell. */
    void (*cancel)(struct dxgk_packet *packet);
    /* A reset takes the memory of a packet that the hardware does not have: what the packet holds
     * there is let go, and prepared again. NULL: holds nothing but its use. */
    void (*recall)(struct dxgk_packet *packet);
    /* It is over, one way or another; what it holds is let go, but for its use, which packet.c has
     * retired before. DISPATCH_LEVEL or below. */
    void (*done)(struct dxgk_packet *packet, NTSTATUS status);
};

extern const struct dxgk_road dxgk_road_render, dxgk_road_present, dxgk_road_signal;

/* The scheduler's from push to done(); kept for reuse by the adapter then. */
struct dxgk_packet {
    struct vidsch_packet vidsch;
    const struct dxgk_road *road;
    struct dxgk_adapter *adapter;
    struct dxgk_context *context; /* a reference */
    struct list live_link;        /* in adapter->packets */
    struct list wait_link;        /* in adapter->waiting_packets, or adapter->free_packets */
    uint64_t releases;            /* vidmm_releases() before it was told to wait for room */

    /* Work that is bytes in a DMA buffer: this submission's part of it. */
    UINT start, end;
    UINT private_start, private_end;
    DXGK_SUBMITCOMMANDFLAGS flags;
    struct dxgk_dma *dma;       /* shared by the parts of a split one; NULL for paging */
    struct vidmm_use use;       /* what it keeps in place */
    NTSTATUS refusal;           /* submit() says so: the driver does not take it */
    struct vidmm_use state_use; /* as use, for its context's memory, if it has_state */
    bool has_state, wants_unlock; /* the second: waits for a CPU's lock to end */
    uint64_t state_sequence;    /* of paging that has_state waits for */
    struct vidmm_use fence_use; /* likewise, for fences that its process's work may write */
    bool has_fences;
    uint64_t fence_sequence;
    uint64_t gives_up_ns;  /* others have what its process's tables had: when it waits no longer */
    uint64_t submitted_ns; /* the last time */
    uint64_t silent_before; /* silent_interrupts of the driver, when it was submitted first */
    uint64_t told_before;   /* told_of_nodes of the adapter, likewise */
    uint64_t entry;        /* the same, counted by its node: null_context.c */
    uint64_t present;      /* the Present that it is of: queued.h; or 0 */
    struct dxgk_beside beside; /* a node that was reset alone */
    struct { /* an address that Patch left otherwise than its element says: see clue.c */
        bool seen;
        bool elsewhere; /* Render or Present left another address than the list says */
        UINT offset;
        size_t bytes; /* of `is`, if elsewhere */
        uint64_t is, wanted;
    } odd;

    union { /* by road */
        struct {
            size_t patch_first, patch_count; /* elements of this part */
            bool resident;                   /* use is prepared; its paging may be on its way */
            bool bindings_stay;              /* of the parts before it */
            uint64_t paging_sequence;
        } patched;
        struct {
            struct list link; /* of the device's */
            uint64_t number;
            struct dxgk_block *block;
            D3DGPU_VIRTUAL_ADDRESS address;
            UINT size, client_bytes; /* of the private data, the client's */
            bool resident, spoiled;  /* as of patched work; as of dxgk_virtual_request */
            bool nowhere;            /* dxgk_submission_is_nowhere() */
            uint64_t paging_sequence;
        } submission;
        struct {
            struct paging_operation *operation;
            struct paging_buffer *buffer;
        } paging;
        struct dxgk_flip *flip;
        struct dxgk_remap *remap;
        bool leaves_virtual; /* ContextSwitch: of a context with virtual addresses */
        struct {
            struct dxgk_sync *object; /* a reference */
            struct sync_item item;    /* of a wait */
            UINT64 value;
        } sync;
        struct _KEVENT *event; /* a reference */
    };
};

/* One DMA buffer with its lists; freed with its last packet. */
struct dxgk_dma {
    unsigned packet_count; /* who puts it: packets, or who fills it for the first of them */
    struct vidmm_dma_buffer *buffer;
    UINT size, used, private_size, private_used;
    UINT patch_size; /* elements that its patch list is said to have room for */
    DXGK_ALLOCATIONLIST *allocations;
    struct dxgk_opening **openings; /* as many; NULL where unused; inside while it is in use */
    struct dxgk_allocation **targets;
    bool *writes; /* as many; ours, for the driver has the list of allocations */
    UINT allocation_count;
    D3DDDI_PATCHLOCATIONLIST *patches;
    UINT patch_count;
    /* Copies of both lists: what the driver is given. It may not write there, and may yet. They end
     * where the room for them ends, at a page without access. */
    DXGK_ALLOCATIONLIST *given_allocations, *allocation_room;
    D3DDDI_PATCHLOCATIONLIST *given_patches, *patch_room;
    UINT allocation_max, patch_max;
    struct vidmm_reference *references; /* one for each patch, or each allocation */
    UINT reference_count;
    bool by_patch;          /* references follow the patch list */
    uint64_t order;         /* later ones have larger ones, in the adapter */
    struct dxgk_flip *flip; /* that its commands ask for: flip_command.c; NULL: none */
    struct {                /* of a Present by commands: what was asked for */
        DXGK_PRESENTFLAGS flags;
        bool stretched;
        D3DDDIFORMAT from, to; /* 0: its driver knows alone */
    } presented;
    /* Of a hardware queue: what its end signals, and its private data until they are handed on. */
    uint64_t progress_id;
    struct dxgk_block *block;
};

/* ---- Paging ------------------------------------------------------------------------------ */

#define DXGK_PAGING_BUFFERS_MAX      16
#define DXGK_PAGING_BUFFERS_CLEANING 256 /* after a reset, when none comes back */
#define DXGK_PAGING_BUFFERS_MAPPED   4   /* in an aperture */
/* A paging buffer that operations are packed into; freed when its last packet is done. */
struct paging_buffer {
    struct list link; /* in the adapter's list while free */
    struct vidmm_dma_buffer *dma;
    UINT used, private_used; /* bytes given away from the start */
    unsigned packet_count;   /* submissions of it that are not done */
    bool closed;             /* takes no further operation */
    bool fresh;              /* nothing was built into it yet */
};

/* An operation of vidmm between BuildPagingBuffer and the end of its last packet. Ends in order. */
struct paging_operation {
    struct list link; /* in adapter->paging.running */
    struct vidmm_op *op;
    struct _MDL *mdl;                /* of its system memory side */
    UINT_PTR *pages;                 /* the same, for a driver that maps by address lists */
    DXGK_PTE *entries, *entries_64k; /* of an update of a page table */
    DXGK_BUILDPAGINGBUFFER_COPY_RANGE *ranges;
    struct dxgk_copied *copied; /* copied.c: NULL: nobody looks */
    struct dxgk_context *companion; /* that runs it, inside; NULL: the system's context does */
    unsigned packet_count;
    const struct paging_buffer *filled_up; /* the same is asked for until it is full */
    UINT rest;                             /* of flushes: so much is left */
    const struct paging_buffer *scanty;    /* in this one it has little room: `rest` */
    bool looked;                           /* whether that is to be */
    bool leaves_rest;                      /* not quite: what comes next finds little room */
    bool built;                            /* no further packet will come */
    bool holds;                            /* contexts rest for it */
    bool overlapped;                       /* others were built before it had ended */
    NTSTATUS status;
    struct aperture_place { /* where the first page of a range led before, if that is known */
        bool known, leads;
        uint64_t physical;
    } before;
};

/* ---- Across files ------------------------------------------------------------------------ */

/* packet.c */
/* NULL: no memory. */
struct dxgk_packet *dxgk_packet_new(struct dxgk_context *context, const struct dxgk_road *road);
void dxgk_packet_free(struct dxgk_packet *packet); /* one that was not pushed */
/* Has the context room for so many waits, signals and updates more? Submissions wait for theirs. */
bool dxgk_packet_has_room(const struct dxgk_context *context, unsigned count);
void dxgk_packet_push(struct dxgk_packet *packet); /* and runs the node */
/* The one on the hardware with this fence, or NULL. */
const struct dxgk_packet *dxgk_packet_running(const struct dxgk_adapter *adapter, unsigned node,
                                              uint32_t fence);
/* A part of a buffer that has no commands: it ends as soon as it is submitted. False for what is
 * no part of a buffer. */
bool dxgk_packet_is_empty(const struct dxgk_packet *packet);
/* From now on road->progress() is called at every change, until it takes the packet out. Answers
 * what prepare() does then: PENDING. */
enum vidsch_prepare dxgk_packet_wait(struct dxgk_packet *packet);
/* Paging that was queued since is to be built. */
void dxgk_paging_kick_new(struct dxgk_adapter *adapter, uint64_t queued_before);
bool dxgk_is_clients_lock(const struct dxgk_adapter *adapter, const struct vidmm_wait *wait);
/* What the driver has of its context comes first: nothing else is held while that is waited for. */
enum vidsch_prepare dxgk_packet_prepare_state(struct dxgk_packet *packet, NTSTATUS *status);
/* No room for the rest: what it holds goes, and it waits. */
enum vidsch_prepare dxgk_packet_let_go(struct dxgk_packet *packet);
/* What it keeps in place may go. */
void dxgk_packet_release(struct dxgk_packet *packet);
/* For one that waits for room: before memory is asked for, and whether to ask again. */
void dxgk_packet_asks(struct dxgk_packet *packet);
bool dxgk_packet_asks_again(const struct dxgk_packet *packet);
/* The worker's part: asks those that wait. */
void dxgk_packets_progress(struct dxgk_adapter *adapter);
/* A reset takes all memory: every packet lets go of what it holds there. */
void dxgk_packets_recall(struct dxgk_adapter *adapter);
/* Something changed that packets and tasks may wait for: a packet ended, memory came free. Any
 * context. */
void dxgk_memory_changed(struct dxgk_adapter *adapter);

/* backend.c */
const struct vidsch_backend *dxgk_vidsch_backend(void);
/* What both say of the packet's part of the buffer; sizes, lists and further flags are the
 * caller's. */
void dxgk_patch_fill(const struct dxgk_packet *packet, const struct vidmm_dma_buffer *buffer,
                     DXGKARG_PATCH *arguments);
void dxgk_submit_fill(const struct dxgk_packet *packet, const struct vidmm_dma_buffer *buffer,
                      DXGKARG_SUBMITCOMMAND *arguments);
void dxgk_submit_command(struct dxgk_packet *packet, DXGKARG_SUBMITCOMMAND *arguments);

/* notice.c */
/* Acts on what a node has told. A task. */
void dxgk_notice_serve(struct dxgk_adapter *adapter, unsigned node);
void dxgk_notify_interrupt(struct ddi_adapter *adapter,
                           const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data);
void dxgk_notify_dpc(struct ddi_adapter *adapter);

/* worker.c */
/* The scheduler and the worker task. */
NTSTATUS dxgk_worker_start(struct dxgk_adapter *adapter);
void dxgk_worker_stop(struct dxgk_adapter *adapter);
void dxgk_worker_wait_resets(struct dxgk_adapter *adapter); /* for faults; may switch */
/* Something is to do. Any context. */
void dxgk_worker_kick(struct dxgk_adapter *adapter);
/* vidsch_tick() then; MACHINE_NEVER: not any more. */
void dxgk_worker_tick_at(struct dxgk_adapter *adapter, uint64_t when_ns);

/* patched.c */
/* As if memory had ended in it: what comes behind, with the buffer's other part; NULL: it is whole.
 * Of a packet that nobody else knows. */
struct dxgk_packet *dxgk_patched_cut_early(struct dxgk_packet *packet);

/* render.c */
struct dxgk_commands {
    const void *bytes; /* the client's memory, or GDI's commands in the kernel's */
    UINT size, allocation_count, patch_count; /* of the context's allocation_list and patch_in */
    bool null_rendering, redirected, is_work;
    bool of_gdi; /* through RenderKm, which has no patch list to read */
};
NTSTATUS dxgk_render_run(struct dxgk_context *context, const struct dxgk_commands *commands);
/* Drops what comes of it; *produced tells one outcome from another. */
NTSTATUS dxgk_render_try(struct dxgk_context *context, const struct dxgk_commands *commands,
                         uint64_t *produced);

/* Keeps all that comes of it instead. */
NTSTATUS dxgk_render_collect(struct dxgk_context *context, const struct dxgk_commands *commands,
                             struct dxgk_collected *collected);

/* spoil_commands.c: the driver is given such commands; nothing of them stays. */
/* Before those of a client, between begin and end of its passes. */
void dxgk_render_spoiled(struct dxgk_context *context, const struct dxgk_commands *good);
/* Of a client that knows nothing of the driver's commands. */
void dxgk_render_noise(struct dxgk_context *context);

/* written.c */
void dxgk_written_note(const struct dxgk_packet *packet); /* of a client, when it is submitted */
/* For sentences: the DDIs behind the one that wrote the commands, and which fence ends them. */
const char *dxgk_packet_given(const struct dxgk_packet *packet);
uint64_t dxgk_packet_fence(const struct dxgk_packet *packet);
void dxgk_written_read(const struct dxgk_allocation *allocation); /* by the running client */

/* misplaced.c: what the wrong bytes of a mismatch look like, as the rest of a sentence; not for one
 * at rest. */
void dxgk_explain_bytes(const struct vidmm_mismatch *mismatch, char *text, size_t size);

/* Do the right bytes of a move stand elsewhere, or those of elsewhere in their place? */
bool dxgk_explain_elsewhere(const struct vidmm_mismatch *mismatch);

/* paging_judge.c: paging by GPU virtual address that went wrong. */
/* A page fault of a node, if a paging packet is the cause: the system stops. The worker's. */
void dxgk_paging_judge_fault(struct dxgk_adapter *adapter, unsigned node);
/* Which rule wrong bytes of a VirtualTransfer or VirtualFill break; *expected changes where it is
 * not that the bytes are there. */
enum contract_rule dxgk_paging_judge_bytes(struct dxgk_adapter *adapter,
                                           const struct vidmm_mismatch *mismatch,
                                           const char **expected);
/* What else may lead to the mistake; "": nothing. */
const char *dxgk_paging_judge_clue(struct dxgk_adapter *adapter,
                                   const struct vidmm_mismatch *mismatch);

/* dma.c */
/* A buffer of the context's pool with copies of its lists; waits while all are busy. The caller has
 * it until dxgk_dma_put(), or hands that on to a packet, whose road's done() puts it. */
NTSTATUS dxgk_dma_acquire(struct dxgk_context *context, struct dxgk_dma **out);
/* Takes the lists as the driver left them: patches [patch_count), openings by index. */
struct dxgk_dma_lists {
    const DXGK_ALLOCATIONLIST *allocations;
    struct dxgk_opening *const *openings; /* as many; the caller is inside */
    UINT allocation_count;
    const D3DDDI_PATCHLOCATIONLIST *patches;
    UINT patch_count;
};
void dxgk_dma_set_lists(struct dxgk_dma *dma, const struct dxgk_dma_lists *lists);
void dxgk_dma_put(struct dxgk_dma *dma);
/* The copies of its lists become as the lists are. */
void dxgk_dma_give_lists(struct dxgk_dma *dma);
void dxgk_dma_free(struct dxgk_dma *dma); /* with its buffer's pool */
/* Elements that a patch list of the context may have: what the driver asked for, or up to twice as
 * many [CTX-010]. */
UINT dxgk_dma_patch_room(const struct dxgk_context *context);
/* Where the driver writes the patch list of a buffer: the end of the context's. */
D3DDDI_PATCHLOCATIONLIST *dxgk_dma_patch_out(const struct dxgk_context *context,
                                             const struct dxgk_dma *dma);
/* Before the driver is asked, perhaps once more: what it left in the private data is nothing. */
void dxgk_dma_begin(const struct dxgk_dma *dma);
/* The page that unmapped parts of apertures show is nobody's to write [UNMAPAP-004]. */
void dxgk_watch_dummy(struct dxgk_adapter *adapter);
/* aperture.c: what the device shows in an aperture when a mapping, or its end, is done. */
void dxgk_aperture_before(struct dxgk_adapter *adapter, struct paging_operation *operation);
void dxgk_aperture_look(struct dxgk_adapter *adapter, const struct paging_operation *operation);
/* copied.c: what page tables hold when entries were copied. */
void dxgk_copied_before(struct dxgk_adapter *adapter, struct paging_operation *operation);
void dxgk_copied_look(struct dxgk_adapter *adapter, struct paging_operation *operation);
void dxgk_copied_free(struct paging_operation *operation);
/* Segment and address of an opening's allocation as of now, into a list element. */
void dxgk_allocation_list_place(DXGK_ALLOCATIONLIST *element, struct dxgk_allocation *allocation);

/* paging_arguments.c */
extern const struct vidmm_backend dxgk_vidmm_backend;
/* Calls BuildPagingBuffer: says the operation in the WDK's words, behind what the caller filled in
 * of the buffer. May switch. */
NTSTATUS dxgk_paging_tell(struct dxgk_adapter *adapter, const struct paging_operation *operation,
                          DXGKARG_BUILDPAGINGBUFFER *arguments);
/* The driver's view of what is to be mapped, if it asked for one, and its end. False: no room. */
bool dxgk_aperture_view(const struct paging_operation *operation);
void dxgk_aperture_view_end(struct dxgk_allocation *allocation);
/* What the operation moves; NULL for a DMA buffer. */
struct dxgk_allocation *dxgk_paging_allocation(const struct vidmm_op *op);
HANDLE dxgk_paging_handle(const struct vidmm_op *op); /* the driver's */

/* context_memory.c: what lies where the driver is to make first content, and whether it did. */
void dxgk_context_memory_spoil(const struct dxgk_adapter *adapter, const struct vidmm_op *op);
void dxgk_context_memory_look(const struct dxgk_adapter *adapter,
                              const struct paging_operation *operation);

/* pagetable.c */
/* What stays through all calls for the operation. False: no memory. */
bool dxgk_pagetable_prepare(const struct dxgk_adapter *adapter, struct paging_operation *operation);
/* That, its MDL, and the contexts that rest for it. */
void dxgk_paging_release(struct paging_operation *operation);
/* By the CPU, at once: there is nothing to submit. May switch. */
NTSTATUS dxgk_pagetable_do(struct dxgk_adapter *adapter, struct paging_operation *operation);
/* False: it is none of page tables. */
bool dxgk_pagetable_fill(const struct paging_operation *operation,
                         DXGKARG_BUILDPAGINGBUFFER *arguments);

/* lost.c */
/* False: the driver has no answer. May switch. */
bool dxgk_ask_fence(struct dxgk_adapter *adapter, unsigned node, uint32_t *fence);
/* questions.c: sometimes, when its engine has just been brought on. */
void dxgk_ask_who_woke(struct dxgk_adapter *adapter, unsigned node);
/* A preemption told of the fence. At device level. */
void dxgk_ask_behind_preemption(struct dxgk_adapter *adapter, unsigned node, uint32_t told);
/* The driver reports a fence: is the last answer true? At device level. */
void dxgk_judge_answer(struct dxgk_adapter *adapter, unsigned node, uint32_t reported);
/* The device raised an interrupt that stays away. In hardware context. */
void dxgk_interrupt_lost(struct ddi_adapter *ddi);
/* The worker asks for the fences of nodes that work, if an end may have been missed
 * (lost-interrupts), or as if (odd-questions). May switch. */
void dxgk_ask_busy_nodes(struct dxgk_adapter *adapter);

/* paging_buffers.c */
NTSTATUS dxgk_paging_init(struct dxgk_adapter *adapter);
void dxgk_paging_fini(struct dxgk_adapter *adapter);
/* The buffer that is being filled, or a free one. False: none, for now. */
bool dxgk_paging_have_buffer(struct dxgk_adapter *adapter);
/* Nothing more is built into the one that is being filled. */
void dxgk_paging_close_buffer(struct dxgk_adapter *adapter);
/* A packet of it is done. */
void dxgk_paging_give_buffer_back(struct dxgk_adapter *adapter, struct paging_buffer *buffer);

/* paging.c */
/* vidmm may have queued operations. Any context. */
void dxgk_paging_kick(struct dxgk_adapter *adapter);
/* The worker's part: builds what vidmm has queued, as far as buffers are free. Whoever calls runs
 * the paging node afterwards. */
void dxgk_paging_build(struct dxgk_adapter *adapter);
/* In a reset: everything handed out ends lost. False: a packet does not come back from the driver.
 */
bool dxgk_paging_abandon(struct dxgk_adapter *adapter, uint64_t deadline_ns);
/* Builds what the driver must forget, and nothing else. */
void dxgk_paging_clean_up(struct dxgk_adapter *adapter);
/* Waits for what vidmm said; in a task at PASSIVE_LEVEL that is not the worker. */
NTSTATUS dxgk_wait_memory(struct dxgk_adapter *adapter, const struct vidmm_wait *wait,
                          uint64_t deadline_ns);
NTSTATUS dxgk_wait_paging(struct dxgk_adapter *adapter, uint64_t sequence, uint64_t deadline_ns);
/* Waits, likewise, until nothing of it is in a segment: packets that need it, and operations on it,
 * end first. */
void dxgk_retire_memory(struct dxgk_adapter *adapter, struct vidmm_allocation *memory);

/* power.c */
/* Clients wait at the door of each call, and all work is done; false: it did not end in time, or
 * somebody holds them already. */
bool dxgk_hold_clients(struct dxgk_adapter *adapter, uint64_t deadline_ns);
void dxgk_let_clients_go(void);
bool dxgk_clients_are_held(void);
/* Waits while the computer sleeps, for what closes the door, too. */
void dxgk_wait_power(struct dxgk_adapter *adapter);

/* reset.c */
/* The hardware was set up anew by this call: a time-out before anything was completed says so. */
void dxgk_begins_anew(struct dxgk_adapter *adapter, const char *call);
void dxgk_interrupts_set(struct dxgk_adapter *adapter, const char *call);
/* reset_stop.c: waits until nobody is in the driver or on his way to it; the door is closed then.
 * False: somebody who has to leave it was there for longer than that. Who that is, in words. */
bool dxgk_reset_stop(struct dxgk_adapter *adapter, uint64_t delay_ns);
void dxgk_reset_stuck(const struct dxgk_adapter *adapter, char *text, size_t size);
/* The worker's: */
/* node: which timed out or faulted; packet: what it was at, if that is known. */
void dxgk_reset(struct dxgk_adapter *adapter, unsigned node, struct dxgk_packet *packet);
/* The same for a node that the scheduler gave up: of its engine alone where that can be. */
void dxgk_timed_out(struct dxgk_adapter *adapter, unsigned node, struct dxgk_packet *packet);
/* timeout.c: the text of dxgk_adapter_timeout(), and whose fault it is. packet: the oldest, or
 * NULL. */
void dxgk_timeout_describe(struct dxgk_adapter *adapter, unsigned node,
                           const struct dxgk_packet *packet);
void dxgk_timeout_judge(struct dxgk_adapter *adapter, unsigned node,
                        const struct dxgk_packet *packet);
/* The node's latest page fault was a client's, by a virtual address. It may write any: such resets
 * say nothing about the driver, however many they are. */
bool dxgk_timeout_is_clients(const struct dxgk_adapter *adapter, unsigned node);
/* A device is lost, or is to be: by a reset for the fault of another client's work? */
void dxgk_bystander_note(struct dxgk_device *device, D3DKMT_DEVICEEXECUTION_STATE state);
/* complaint.c: false if the device has said nothing since it was given the packet. */
bool dxgk_device_complains(struct dxgk_adapter *adapter, const struct dxgk_packet *packet);

enum { DXGK_BUGCHECK_ADAPTER_TIMEOUT = 0x117, DXGK_BUGCHECK_ENGINE_TIMEOUT = 0x141 };
void dxgk_collect_debug_information(struct dxgk_adapter *adapter, ULONG reason);

/* removal.c: one that is pulled out while it works. */
void dxgk_removal_submits(struct dxgk_adapter *adapter); /* may switch */
NTSTATUS dxgk_removal_is_told(struct dxgk_adapter *adapter, DXGK_SURPRISE_REMOVAL_TYPE type);
void dxgk_removal_submitted(struct dxgk_adapter *adapter);

/* still.c: a device whose clock stops while it works. */
void dxgk_still_init(struct dxgk_adapter *adapter);
void dxgk_still_fini(struct dxgk_adapter *adapter);
void dxgk_still_submitted(struct dxgk_adapter *adapter);
/* A reset begins: its driver may wait for the device. */
void dxgk_still_ends_soon(struct dxgk_adapter *adapter);
void dxgk_still_end(struct dxgk_adapter *adapter);
/* Since when the clock stands and the device did nothing; MACHINE_NEVER if that is not so. */
uint64_t dxgk_still_since(const struct dxgk_adapter *adapter);
/* A time-out of the node, with this packet or with none, that may come of it. */
bool dxgk_still_excuses(struct dxgk_adapter *adapter, unsigned node,
                        const struct vidsch_packet *packet);
/* Devices that are lost meanwhile are lost by it, if it excuses the time-out. */
void dxgk_still_reset_begins(struct dxgk_adapter *adapter, unsigned node,
                             const struct vidsch_packet *packet);
void dxgk_still_reset_ends(struct dxgk_adapter *adapter);
void dxgk_still_lost(struct dxgk_adapter *adapter);
/* The hardware is gone: ends whatever it had, without a word to the driver; loses every device. */
void dxgk_answer_removal(struct dxgk_adapter *adapter);
/* The worker's part of dxgk_device_lose_soon(). */
void dxgk_lose_doomed(struct dxgk_adapter *adapter);

#endif

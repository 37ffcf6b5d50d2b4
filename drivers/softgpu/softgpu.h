/* softgpu.h: the miniport driver of the software GPU.
 *
 * A WDDM display miniport is a set of routines (DDIs) that dxgkrnl calls, and state behind them.
 * This is the state; each file is one subject of the DDIs:
 *   driver.c     DriverEntry: the table of DDIs          settings.c   registry
 *   device.c     add, start, stop, remove, power         hardware.c   registers, rings, engines
 *   caps.c       what the adapter can do                 child.c      monitors
 *   memory.c     allocations                             context.c    devices and contexts
 *   render.c     command buffer -> DMA buffer            command.c    checks of one command
 *   present.c    blt, fill, flip                         rects.c      their geometry
 *   paging.c     BuildPagingBuffer                       aperture.c   its page table
 *   range.c      swizzling ranges                        swizzle.c  what they show in order
 *   state.c      memory for the state of contexts        notices.c    before each vsync
 *   process.c    processes, address spaces               pagetable.c  their tables
 *   submit.c     Patch, SubmitCommand, PreemptCommand    interrupt.c  ISR, DPC, fences
 *   validate.c   what clients submit by virtual address
 *   queue.c      hardware contexts and queues            schedule.c   what the GPU schedules by
 *   queue_event.c  what it tells of them                   fence.c    native fences
 *   doorbell.c   queues that clients submit to by themselves    gdi.c    RenderKm, RenderGdi
 *   reset.c      timeouts                                debug.c      escape, dumps, clock
 *   display.c    flips, vsync, pointer                   vidpn.c, modes.c  which modes, and commit
 *
 * The objects:
 *   adapter (AddDevice)
 *     +-- engines, outputs, sources      fixed arrays, set up by StartDevice
 *     +-- device (CreateDevice)          one for each D3DKMT device
 *     |     +-- context (CreateContext)  work for one engine
 *     |     +-- open allocation          a device's view of an allocation (OpenAllocation)
 *     +-- allocation (CreateAllocation)  belongs to the adapter, not to a device
 *
 * Who may touch what. dxgkrnl keeps the callers apart ("threading levels"), so that there are few
 * locks. Below, (gsc) is state of the GPU Scheduler class: SubmitCommand, PreemptCommand, Patch,
 * BuildPagingBuffer, ResetEngine; one thread at a time among all of them. (isr) is state shared
 * with the interrupt routine; others touch it in a routine run by DxgkCbSynchronizeExecution. */
#ifndef SOFTGPU_H
#define SOFTGPU_H

#include <dispmprt.h>
#include <ntddk.h>
#include <windef.h>

#include "../../devices/softgpu/softgpu_queues.h"
#include "softgpu_notices.h"
#include "softgpu_umd.h"

/* Pool tags read 'SgpX' in a dump; X tells what it is. */
#define SOFTGPU_TAG(letter)  ((ULONG)('S' | 'g' << 8 | 'p' << 16 | (letter) << 24))
#define SOFTGPU_TAG_ADAPTER  SOFTGPU_TAG('A')
#define SOFTGPU_TAG_CONTEXT  SOFTGPU_TAG('C')
#define SOFTGPU_TAG_DEVICE   SOFTGPU_TAG('D')
#define SOFTGPU_TAG_MEMORY   SOFTGPU_TAG('M')
#define SOFTGPU_TAG_OPEN     SOFTGPU_TAG('O')
#define SOFTGPU_TAG_PROCESS  SOFTGPU_TAG('P')
#define SOFTGPU_TAG_SETTINGS SOFTGPU_TAG('R')
#define SOFTGPU_TAG_TEMP     SOFTGPU_TAG('T')
#define SOFTGPU_TAG_QUEUE    SOFTGPU_TAG('Q')
#define SOFTGPU_TAG_FENCE    SOFTGPU_TAG('F')

#define SOFTGPU_RING_PACKETS         256u /* of one engine; 8 KiB */
#define SOFTGPU_VRAM_SEGMENT_MAX     4u
#define SOFTGPU_CURSOR_BYTES         (SOFTGPU_CURSOR_SIZE_MAX * SOFTGPU_CURSOR_SIZE_MAX * 4u)
#define SOFTGPU_RANGE_MAX            16u
#define SOFTGPU_INFINITE_TARGET      0xFFFFFFFFu
#define SOFTGPU_PATCH_LIST_SIZE      1024u
#define SOFTGPU_ALLOCATION_LIST_SIZE 256u

/* Slots of the patch location list: what a command reads and what it writes. */
enum softgpu_slot {
    SOFTGPU_SLOT_DESTINATION,
    SOFTGPU_SLOT_SOURCE,
    SOFTGPU_SLOT_SOURCE_B,
    SOFTGPU_SLOT_COUNT
};

/* ---- Settings: values of the service's registry key, read once in DriverEntry ---------------- */

struct softgpu_settings {
    ULONG wddm_version;           /* WddmVersion: a DXGK_WDDMVERSION, 0x1300 for 1.3 */
    ULONG interface_version;      /* the DXGKDDI_INTERFACE_VERSION that belongs to it */
    ULONG vram_segments;          /* VramSegments: 1 ... 4 */
    ULONG sources;                /* VideoSources: 1 ... 2 */
    ULONG private_data;           /* PrivateData: DMA buffers of contexts have some */
    ULONG mmio_flip;              /* MmioFlip: flips by register, not by command */
    ULONG flip_at_once;           /* by register, if the device can */
    ULONG multi_engine_aware;     /* MultiEngineAware: contexts, and more than one node */
    ULONG preemption_aware;       /* PreemptionAware */
    ULONG preemption_granularity; /* PreemptionGranularity: 0 packet, 1 command, 2 inside one */
    ULONG cancel_command_aware;   /* CancelCommandAware */
    ULONG dma_in_aperture;        /* DmaBufferSegment: 0 contiguous system memory, 1 aperture */
    ULONG hw_queue_depth;   /* HwQueueDepth: packets in the ring at once; 0 dxgkrnl's choice */
    ULONG per_engine_tdr;   /* PerEngineTdr */
    ULONG container_ids;    /* ContainerIds: monitors have some */
    ULONG power_components; /* PowerComponents: 1 engines, 2 what shows pointers, too */
    ULONG paging_node;      /* PagingNode: the engine that pages */
    ULONG aperture_queued;  /* ApertureQueued: map by commands; 0 if they lie there */
    ULONG ranges;           /* SwizzlingRanges: through which the CPU sees allocations; 0: none */
    ULONG swizzled;         /* SwizzledSurfaces: pictures that no output shows have that layout */
    ULONG host_aperture;    /* CpuHostAperture: the CPU sees video memory through a part of BAR 0 */
    ULONG map_aperture2;    /* MapAperture2: pages come as address lists, not as MDLs */
    ULONG overlay_planes;   /* OverlayPlanes: a source's; 0: none, since WDDM 1.3; see planes.c */
    ULONG overlays;         /* Overlays: over primaries, of all sources; see overlay.c */
    ULONG flip_queue;       /* FlipQueue: flips that wait in the device; 0: none; see flips.c */
    ULONG flip_cancel;      /* FlipCancel: an enum softgpu_flip_cancel, of flips.h */
    ULONG stereo;           /* Stereo: modes with an image for each eye; 2: or the left for both */
    ULONG scaling;          /* Scaling: what paths support besides identity; see scale.h */
    ULONG palette;          /* Palette: modes with 256 colours that SetPalette sets */
    ULONG agp_segment;      /* AgpSegment: a segment in the chipset's aperture, if it has one */
    ULONG context_state;    /* ContextState: memory for contexts; 1 in VRAM, 2 in the aperture */
    ULONG dma_buffer_bytes; /* DmaBufferSize */
    ULONG paging_buffer_bytes; /* PagingBufferSize */
    /* GPU virtual addresses, since WDDM 2.0; see process.c. */
    ULONG gpu_mmu;            /* GpuMmu */
    ULONG io_mmu;             /* IoMmu: the IOMMU has the tables; all memory is system memory */
    ULONG paging_virtual;     /* PagingVirtual: the paging node works with virtual addresses, too */
    ULONG table_levels;       /* PageTableLevels: 2 ... 6 */
    ULONG table_update_mode;  /* PageTableUpdateMode: a DXGK_PAGETABLEUPDATEMODE */
    ULONG table_in_vram;      /* PageTableSegment: 0 system memory, 1 video memory */
    ULONG dual_pte;           /* DualPte */
    ULONG vram_64k;           /* VramPages64K: video memory in pages of 64 KiB */
    ULONG table_idle_updates; /* PageTableIdleUpdates: only while nobody uses the tables */
    ULONG table_explicit;     /* PageTableInvalidation: entries end invalid before tables go */
    ULONG tables_in_transfer; /* PageTablesInTransfer: evictions name the tables of both sides */
    ULONG companion_node;     /* CompanionNode: of paging companions, and 1; 0: the paging node */
    ULONG paging_space_mb;    /* PagingSpaceSize: of the paging process; 0 dxgkrnl's choice */
    ULONG system_segment;     /* SystemSegment: virtual memory is in it, not in the aperture */
    ULONG device_mmus;        /* DeviceMmus: the windows, as MMUs of the device; see window.c */
    ULONG gdi;                /* GdiAcceleration: pictures of GDI, since WDDM 1.1 */
    ULONG notices;            /* Notices: all allocations want those of residency and eviction */
    ULONG validates;          /* ValidateSubmissions: before they are queued, since WDDM 2.5 */
    ULONG hw_scheduling;   /* HardwareScheduling: on the compute node (1), the paging one too (2) */
    ULONG low_preempt;     /* LowIrqlPreempt: DxgkDdiPreemptCommand is pageable, since 2.0 */
    ULONG signal_fence;    /* DxgkDdiSignalMonitoredFence is there, since 2.5 */
    ULONG native_fences;   /* NativeFences: since 3.2; 2: dxgkrnl shows them to the system, too */
    ULONG user_submission; /* UserModeSubmission: since 3.1; an enum softgpu_users of queues.h */
    ULONG fence_release; /* RingBufferFenceRelease: the device writes progress fences, since 2.5 */
};

enum { SOFTGPU_IOMMU_SHARED = 1, SOFTGPU_IOMMU_GPU_VA }; /* IoMmu */

extern struct softgpu_settings softgpu_settings;
/* Contexts may have virtual addresses, by page tables or those of the CPU. */
static inline BOOLEAN softgpu_has_addresses(const struct softgpu_settings *settings)
{
    return settings->gpu_mmu || settings->io_mmu;
}

void softgpu_settings_read(PUNICODE_STRING registry_path, struct softgpu_settings *settings);

/* ---- Devices and contexts ----------------------------------------------------------------------
 */

struct softgpu_adapter;
struct softgpu_device;

/* A client's process, which owns an address space. Every context of it has an address space of the
 * device; their translations are one: they have the process's tag. */
struct softgpu_process {
    struct softgpu_adapter *adapter;
    HANDLE kernel_handle;
    ULONG tag; /* never 0, never used again; its PASID, with IoMmu */
};

/* Memory that dxgkrnl keeps for a context, and the engine its state in; see state.c. */
struct softgpu_context_memory {
    ULONG magic; /* SOFTGPU_STATE_MAGIC; an allocation of a client begins otherwise */
    ULONG context_id;
    BOOLEAN seen_by_cpu;
    BOOLEAN kept;              /* by the engine, until dxgkrnl has it leave (SUBMIT-042) */
    HANDLE kernel_handle;      /* NULL: there is none */
    ULONGLONG address;         /* (gsc) a GPU address; 0: it is not in video memory */
    ULONGLONG virtual_address; /* in its process, for as long as it lives; 0: it has none */
};

struct softgpu_context {
    struct softgpu_device *device;
    struct softgpu_context_memory memory;
    HANDLE kernel_handle;
    ULONG node;
    ULONG id; /* what the device's CONTEXT register shows; never 0 */
    BOOLEAN system;
    ULONG space; /* its number of an address space; 0: physical addresses */
};

/* Any number of threads may use one device at once (SUBMIT-013): nothing here changes after
 * creation. */
struct softgpu_device {
    struct softgpu_adapter *adapter;
    HANDLE kernel_handle;
    struct softgpu_process *process; /* NULL: none was named */
    struct softgpu_context context;  /* stands in for contexts in a driver that has none */
};

/* ---- Hardware queues: queue.c, schedule.c -------------------------------------------------------
 */

#define SOFTGPU_QUEUE_ENTRIES 256u /* of one ring; 8 KiB */

/* What the GPU goes by when it chooses a context; times in ns. */
struct softgpu_context_schedule {
    ULONG band, quantum, grace_same, grace_lower;
    LONG priority;
};

/* A context that the GPU schedules by itself. SetRootPageTable is given one as it is given others:
 * so it begins as they do. */
struct softgpu_hw_context {
    struct softgpu_context base;
    ULONG slot; /* its number in the device */
    struct softgpu_context_schedule schedule;
    ULONGLONG suspend_fence;  /* (isr) asked for last */
    ULONGLONG reported_fence; /* (isr) */
    BOOLEAN suspended, lost;  /* (isr) the device said so, and nobody resumed it, or reset all */
};

#include "queues.h"

/* The scheduling log of a node, as dxgkrnl gave it. */
struct softgpu_log {
    ULONGLONG address; /* in the address space of the system's process; 0: there is none */
    ULONG entries, interrupt_entry;
};

/* What the device is told again after a reset. Nonpaged. */
struct softgpu_hw {
    struct softgpu_hw_context *volatile contexts[SOFTGPU_HWCONTEXT_COUNT];
    struct softgpu_hw_queue *volatile queues[SOFTGPU_HWQUEUE_COUNT];
    struct {
        ULONG grace, process_quantum, process_grace; /* ns */
    } bands[SOFTGPU_BAND_COUNT];
    ULONG normal_share; /* percent */
    struct softgpu_log logs[SOFTGPU_ENGINE_COUNT];
    struct softgpu_bells bells;
};

/* ---- Native fences: fence.c ---------------------------------------------------------------------
 */

#define SOFTGPU_FENCES_TOLD 32u /* in one notice; more of them: all are looked at */

/* For all processes. */
struct softgpu_fence {
    LIST_ENTRY link; /* (isr) in the adapter's */
    struct softgpu_adapter *adapter;
    HANDLE kernel_handle;
    /* (isr) Where dxgkrnl sees the values, as paging said last; NULL: it has not said. */
    const volatile ULONGLONG *current, *monitored;
};

/* A process's view of one. */
struct softgpu_local_fence {
    struct softgpu_fence *fence;
};

/* ---- Allocations -------------------------------------------------------------------------------
 */

/* The device's MMUs, if they are used: each shows other allocations to the engines. */
#define SOFTGPU_MMU_PLAIN        0u
#define SOFTGPU_MMU_PRIMARIES    1u
#define SOFTGPU_DEVICE_MMU_COUNT 2u

/* Where an allocation is seen through its MMU. */
struct softgpu_window {
    volatile LONG64 address;   /* (gsc) of its first byte, a GPU address; 0: nowhere */
    volatile LONG64 forgotten; /* as that of the adapter was: what is older counts no more */
};

/* Belongs to the adapter: knows nothing of the device that created it (ALLOC-016). */
struct softgpu_allocation {
    struct softgpu_umd_allocation info; /* checked; sizes filled in */
    ULONG bank_pages;                   /* of a swizzled surface, which has four banks; 0: linear */
    /* (gsc) What residency notices said last; 0: not resident, or never told. */
    ULONGLONG resident_address;
    struct softgpu_window window;
    /* (gsc) Where the CPU sees it while the aperture shows it, for dumps; or NULL (MAPAP2-009). */
    const void *aperture_view;
    /* A GPU address in video memory, as paging said last; 0: it is not there. Paging writes it,
     * AcquireSwizzlingRange reads it, each at the time of its choice. */
    volatile LONG64 place;
};

struct softgpu_open_allocation {
    struct softgpu_device *device;
    struct softgpu_allocation *allocation;
};

/* ---- DMA buffers --------------------------------------------------------------------------------
 */

/* The private data of a DMA buffer: written by Render, Present and BuildPagingBuffer, seen again
 * by Patch and SubmitCommand. dxgkrnl keeps it in nonpaged memory until the packet has ended. */
struct softgpu_dma_private {
    ULONG magic; /* SOFTGPU_DMA_MAGIC, or SOFTGPU_DMA_CANCELLED */
    ULONG flags; /* SOFTGPU_DMA_... */
    /* Where the device stopped when it was preempted inside of this buffer (isr). */
    ULONG resume_valid;
    ULONG resume_offset;
    ULONG resume_progress;
    /* What a flip by command shows: Present says all but the address, which Patch says. */
    struct softgpu_address flip_address;
    ULONG flip_pitch_bytes, flip_format;
};

static inline ULONG softgpu_private_bytes(const struct softgpu_settings *settings)
{
    return settings->private_data ? (ULONG)sizeof(struct softgpu_dma_private) : 0;
}

#define SOFTGPU_PAGING_PRIVATE_BYTES ((ULONG)(16 * sizeof(struct softgpu_dma_private)))

/* Of a context with virtual addresses: what the client passes in comes first, ours follows. */
#define SOFTGPU_PRIVATE_BYTES_VIRTUAL \
    ((ULONG)(sizeof(struct softgpu_umd_submit) + sizeof(struct softgpu_dma_private)))

#define SOFTGPU_DMA_MAGIC      0x44504753u /* "SGPD" */
#define SOFTGPU_DMA_CANCELLED  0x78504753u /* "SGPx" */
#define SOFTGPU_DMA_PRIVILEGED 0x1u        /* holds commands that only the driver may write */
#define SOFTGPU_DMA_VALIDATED  0x2u        /* ValidateSubmitCommand took it */

/* Writes commands and their patch locations; the same for Render and Present. `buffer` points at
 * byte 0 of the DMA buffer, all offsets count from there. */
struct softgpu_emitter {
    UCHAR *buffer;
    ULONG used_bytes, size_bytes;
    D3DDDI_PATCHLOCATIONLIST *patches;
    ULONG patch_count, patch_capacity;
    const DXGK_ALLOCATIONLIST *allocations;
    ULONG allocation_count;
    /* Instead of both lists, where a context has virtual addresses: these are final. */
    const DXGK_PRESENTALLOCATIONINFO *placed;
};

/* An address inside a command that names an allocation. */
struct softgpu_reference {
    ULONG offset; /* of the struct softgpu_address in the command */
    ULONG allocation_index;
    ULONG allocation_offset;
    enum softgpu_slot slot;
    BOOLEAN is_surface; /* of a struct softgpu_surface, which is told its allocation's layout */
};

BOOLEAN softgpu_emitter_has_room(const struct softgpu_emitter *emitter, ULONG command_bytes,
                                 ULONG reference_count);
void softgpu_emit(struct softgpu_emitter *emitter, ULONG command_bytes,
                  const struct softgpu_reference *references, ULONG reference_count);
struct softgpu_address softgpu_address_of(ULONGLONG address);

#define SOFTGPU_REFERENCE_MAX 3u /* of a command */

/* Checks a client's command and finds its references. The words lie in memory that the client
 * cannot change. */
NTSTATUS softgpu_command_check(const void *command, ULONG word_count, ULONG node,
                               const DXGK_ALLOCATIONLIST *allocations, ULONG allocation_count,
                               struct softgpu_reference references[SOFTGPU_REFERENCE_MAX],
                               ULONG *reference_count);

ULONG softgpu_format_bytes(ULONG format);           /* of a pixel; 0: no such format */
ULONG softgpu_format_from_d3d(D3DDDIFORMAT format); /* 0: not supported */
D3DDDIFORMAT softgpu_format_to_d3d(ULONG format);

/* Copies from an address that a client gave. FALSE: the address is bad. */
BOOLEAN softgpu_copy_from_user(void *destination, const void *source, SIZE_T bytes);

/* ---- Geometry of a present ----------------------------------------------------------------------
 */

RECT softgpu_rect_offset(const RECT *rect, LONG x, LONG y);
BOOLEAN softgpu_rect_intersect(const RECT *a, const RECT *b, RECT *out); /* FALSE: empty */
BOOLEAN softgpu_rect_is_empty(const RECT *rect);
/* From client space to the rows of a primary that is shown turned; quarter turns clockwise. */
RECT softgpu_rect_turn(const RECT *rect, ULONG quarter_turns, LONG width, LONG height);
/* The order in which rectangles of one surface can be moved by (dx, dy) so that none is
 * overwritten before it is read. NULL if there is no memory; freed with ExFreePoolWithTag. */
ULONG *softgpu_rects_order(const RECT *rects, ULONG count, LONG dx, LONG dy);

/* ---- The adapter --------------------------------------------------------------------------------
 */

struct softgpu_engine {
    struct softgpu_packet *ring; /* contiguous system memory; SOFTGPU_RING_PACKETS entries */
    ULONGLONG ring_address;

    ULONG power;          /* F-state; whoever calls SetPowerComponentFState */
    ULONG tail;           /* (gsc) */
    ULONG context_id;     /* (gsc) of the last packet put in the ring */
    ULONG status_head;    /* (gsc) what QueryEngineStatus saw last time */
    ULONG status_fence;   /* (gsc) */
    BOOLEAN status_valid; /* (gsc) */

    /* What stands in each place of the ring (gsc writes, isr reads). */
    struct {
        struct softgpu_dma_private *private_data; /* NULL: nothing to remember there */
        ULONG fence;
    } slots[SOFTGPU_RING_PACKETS];

    BOOLEAN used;         /* (isr) something was submitted since start */
    ULONG last_submitted; /* (isr) fence ids; they wrap, so compare them by difference */
    ULONG last_completed; /* (isr) */
    ULONG last_reported;  /* (isr) */
};

/* What the device writes: fences and preemption blocks. One page of contiguous system memory. */
struct softgpu_event_page {
    volatile ULONGLONG fence[SOFTGPU_ENGINE_COUNT];
    ULONGLONG unused[8 - SOFTGPU_ENGINE_COUNT];
    volatile struct softgpu_preempt_block preempt[SOFTGPU_ENGINE_COUNT];
};

#include "modes.h"
#include "planes.h"
#include "scale.h"

/* A video present source: a picture to be shown on the outputs that a VidPN connects to it. */
struct softgpu_source {
    struct softgpu_planes_given given; /* to its planes */
    struct softgpu_flips flips;        /* that wait in the device */
    BOOLEAN layered; /* planes are shown, the top one is the primary; its flip turns them off */
    ULONG planes;    /* a mask of those that are on */
    BOOLEAN tidy;    /* some went off: PostMultiPlaneOverlayPresent is wanted */
    BOOLEAN stereo, prefer_right; /* its mode is; one picture alone is of the right eye's */
    ULONG right_offset;           /* of that image in the primary; 0: the left one is for both */
    BOOLEAN visible;
    ULONG quarter_turns; /* clockwise, that a present with Rotate makes */
    ULONG width, height, pitch_bytes, format;
    ULONGLONG address; /* of the primary; 0: none yet */
};

struct softgpu_output {
    BOOLEAN stereo, tagged; /* the monitor is sent both images; or was a right one alone */
    ULONG source;           /* index; SOFTGPU_INFINITE_TARGET: dark */
    ULONG width, height;
    ULONG period_ns;
    ULONG total_width, total_height;
    struct softgpu_scaler scaler;
    ULONGLONG cursor_offset; /* of its cursor picture in video memory */
    LONG cursor_width, cursor_height;
    BOOLEAN cursor_visible;
};

/* An address space of the device, as it was told to it: what a reset forgets is told again. */
struct softgpu_space {
    volatile LONG used; /* by a context */
    ULONG tag, entries;
    ULONGLONG root;
    HANDLE process; /* dxgkrnl's */
};

/* A swizzling range that shows a swizzled surface: pages of the table. */
struct softgpu_range {
    ULONG first_page, page_count; /* 0: it shows none */
};

struct softgpu_adapter {
    PDEVICE_OBJECT physical_device;
    struct softgpu_settings settings;

    /* From StartDevice to StopDevice. */
    DXGKRNL_INTERFACE dxgk;
    BOOLEAN started;
    volatile UCHAR *registers;
    UCHAR *vram; /* all of BAR 0, write combined */
    PHYSICAL_ADDRESS vram_physical;
    ULONG vram_bytes;
    ULONG reserved_bytes; /* at its start: aperture table, cursors, a scratch page */
    ULONGLONG scratch_address;
    struct softgpu_space *spaces; /* SOFTGPU_SPACE_COUNT, nonpaged; NULL without GpuMmu */
    volatile LONG next_process_tag;
    volatile LONG system_space; /* that of the system's process, where logs are; 0: it has none */
    struct softgpu_hw *hw;      /* hardware contexts and queues; NULL: there are none */
    BOOLEAN native_fences;      /* the system has them, too */
    PVOID sample_value;         /* of dxgkrnl; see feature.c */
    LONG feature_references;
    LIST_ENTRY fences;                       /* (isr) */
    HANDLE fences_told[SOFTGPU_FENCES_TOLD]; /* (isr) */
    volatile ULONGLONG *aperture_table;
    ULONG aperture_pages;
    /* The CPU host aperture, see host.c: what its pages show, and where the device's table is. */
    ULONGLONG *host_table; /* nonpaged; NULL: there is none */
    ULONG host_pages, host_table_offset;
    /* By the same table, instead: pages through which swizzled surfaces are seen; see range.c. */
    ULONG range_bytes; /* at the end of BAR 0, and of no segment; 0: there are none */
    struct softgpu_range ranges[SOFTGPU_RANGE_MAX]; /* AcquireSwizzlingRange, one at a time */
    volatile ULONGLONG *window_table;
    ULONG window_offset;               /* of the table in video memory */
    volatile LONG64 windows_forgotten; /* how often the device lost the entries */
    volatile LONG mmus_asked;          /* dxgkrnl knows of the device's MMUs */
    ULONGLONG agp_base, agp_bytes;     /* the chipset's aperture on the bus; 0 bytes: not used */
    volatile LONG agp_turn;
    ULONG output_count;
    struct softgpu_event_page *events;
    ULONGLONG events_address;
    struct softgpu_engine *engines; /* SOFTGPU_ENGINE_COUNT, nonpaged */
    volatile LONG next_context_id;

    BOOLEAN parts_rest;    /* runtime power is on, as dxgkrnl told */
    volatile LONG gone;    /* surprise removal: no register may be touched any more */
    volatile LONG hotplug; /* the interrupt routine tells the DPC */
    BOOLEAN in_reset;      /* between ResetFromTimeout and RestartFromTimeout */

    ULONG interrupt_enable;                           /* (isr) */
    BOOLEAN vsync_wanted;                             /* (isr) dxgkrnl asked for vsync notices */
    struct softgpu_source source[SOFTGPU_OUTPUT_MAX]; /* (isr) */
    struct softgpu_output output[SOFTGPU_OUTPUT_MAX]; /* (isr) */
    struct softgpu_notices notices;                   /* (isr) */
    struct softgpu_overlay overlay[SOFTGPU_OVERLAY_MAX];
    ULONG palette[SOFTGPU_OUTPUT_MAX][SOFTGPU_PALETTE_SIZE]; /* of each source; 0x00RRGGBB */
};

/* ---- hardware.c ------------------------------------------------------------------------------ */

ULONG softgpu_read(const struct softgpu_adapter *adapter, ULONG offset);
void softgpu_write(const struct softgpu_adapter *adapter, ULONG offset, ULONG value);
void softgpu_write_pair(const struct softgpu_adapter *adapter, ULONG offset, ULONGLONG value);
ULONGLONG softgpu_read_pair(const struct softgpu_adapter *adapter, ULONG offset);

NTSTATUS softgpu_hardware_start(struct softgpu_adapter *adapter);
/* With keep_picture the outputs go on showing what they show. */
void softgpu_hardware_stop(struct softgpu_adapter *adapter, BOOLEAN keep_picture);
void softgpu_engine_setup(struct softgpu_adapter *adapter, ULONG node);
void softgpu_hardware_resume(struct softgpu_adapter *adapter); /* after a reset or low power */
void softgpu_hardware_quiet(struct softgpu_adapter *adapter); /* no DMA and no interrupt after it */

/* Runs a routine that may touch (isr) state. */
void softgpu_synchronize(struct softgpu_adapter *adapter, PKSYNCHRONIZE_ROUTINE routine,
                         void *argument);

/* ---- interrupt.c (these run at device IRQL) -------------------------------------------------- */

/* DxgkCbNotifyInterrupt, and the DPC that belongs to it. */
void softgpu_notify(struct softgpu_adapter *adapter, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data);
void softgpu_report_progress(struct softgpu_adapter *adapter, ULONG node);
void softgpu_report_preempted(struct softgpu_adapter *adapter, ULONG node, ULONG request);
void softgpu_set_interrupts(struct softgpu_adapter *adapter, ULONG set, ULONG clear);
/* Is fence id a newer than b? Ids wrap around (GEN-008). */
BOOLEAN softgpu_fence_newer(ULONG a, ULONG b);

/* ---- display.c, modes.c ---------------------------------------------------------------------- */

void softgpu_output_program(struct softgpu_adapter *adapter, ULONG output);
void softgpu_output_control(struct softgpu_adapter *adapter, ULONG output); /* (isr) */

static inline void softgpu_planes_off(struct softgpu_source *source)
{
    source->layered = FALSE;
    source->planes = 0;
    softgpu_flips_forget(source);
}

/* ---- Small helpers --------------------------------------------------------------------------- */

/* How many VRAM segments, and the id of the aperture segment after them. */
ULONG softgpu_aperture_segment(const struct softgpu_adapter *adapter);
/* That of the AGP segment behind it; 0: there is none. And how many segments there are. */
ULONG softgpu_agp_segment(const struct softgpu_adapter *adapter);
ULONG softgpu_segment_count(const struct softgpu_adapter *adapter);
/* The bounds of VRAM segment 1 ... n, as GPU addresses. */
void softgpu_vram_segment(const struct softgpu_adapter *adapter, ULONG segment, ULONGLONG *base,
                          ULONGLONG *size);
ULONG softgpu_node_count(const struct softgpu_adapter *adapter);
/* The GPU address of an offset in a segment; segment 0 is system memory. */
ULONGLONG softgpu_segment_address(const struct softgpu_adapter *adapter, ULONG segment,
                                  ULONGLONG offset);
/* The context that a handle of Render, Present, Patch or SubmitCommand means. */
struct softgpu_context *softgpu_context_of(const struct softgpu_adapter *adapter, HANDLE handle);

/* ---- The DDIs -------------------------------------------------------------------------------- */

DXGKDDI_ADD_DEVICE softgpu_add_device;
DXGKDDI_START_DEVICE softgpu_start_device;
DXGKDDI_STOP_DEVICE softgpu_stop_device;
DXGKDDI_REMOVE_DEVICE softgpu_remove_device;
DXGKDDI_RESET_DEVICE softgpu_reset_device;
DXGKDDI_SET_POWER_STATE softgpu_set_power_state;
DXGKDDI_DISPATCH_IO_REQUEST softgpu_dispatch_io_request;
DXGKDDI_QUERY_INTERFACE softgpu_query_interface;
DXGKDDI_CONTROL_ETW_LOGGING softgpu_control_etw_logging;
DXGKDDI_GET_CHILD_CONTAINER_ID softgpu_get_child_container_id;
DXGKDDI_NOTIFY_ACPI_EVENT softgpu_notify_acpi_event;
DXGKDDI_NOTIFY_SURPRISE_REMOVAL softgpu_notify_surprise_removal;
DXGKDDI_STOP_DEVICE_AND_RELEASE_POST_DISPLAY_OWNERSHIP softgpu_stop_device_and_release_display;
DXGKDDI_SYSTEM_DISPLAY_ENABLE softgpu_system_display_enable;
DXGKDDI_SYSTEM_DISPLAY_WRITE softgpu_system_display_write;

DXGKDDI_QUERYADAPTERINFO softgpu_query_adapter_info;
DXGKDDI_GETNODEMETADATA softgpu_get_node_metadata;

DXGKDDI_QUERY_CHILD_RELATIONS softgpu_query_child_relations;
DXGKDDI_QUERY_CHILD_STATUS softgpu_query_child_status;
DXGKDDI_QUERY_DEVICE_DESCRIPTOR softgpu_query_device_descriptor;

DXGKDDI_CREATEDEVICE softgpu_create_device;
DXGKDDI_DESTROYDEVICE softgpu_destroy_device;
DXGKDDI_CREATECONTEXT softgpu_create_context;
DXGKDDI_DESTROYCONTEXT softgpu_destroy_context;

DXGKDDI_CREATEALLOCATION softgpu_create_allocation;
DXGKDDI_DESTROYALLOCATION softgpu_destroy_allocation;
DXGKDDI_OPENALLOCATIONINFO softgpu_open_allocations;
DXGKDDI_CLOSEALLOCATION softgpu_close_allocations;
DXGKDDI_DESCRIBEALLOCATION softgpu_describe_allocation;
DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA softgpu_get_standard_allocation_data;
DXGKDDI_VALIDATEUPDATEALLOCATIONPROPERTY softgpu_validate_update_property;

DXGKDDI_VALIDATESUBMITCOMMAND softgpu_validate_submit_command;
BOOLEAN softgpu_is_command_range(const struct softgpu_settings *settings,
                                 D3DGPU_VIRTUAL_ADDRESS address, ULONG size_bytes);
BOOLEAN softgpu_is_client_data(const void *private_data, ULONG size_bytes);
struct softgpu_dma_private *softgpu_begin_private_data(void *private_data);
/* Of GPU virtual addresses. */
ULONGLONG softgpu_address_end(const struct softgpu_settings *settings);

/* ---- queue.c, schedule.c, queue_event.c ------------------------------------------------------ */

DXGKDDI_CREATEHWCONTEXT softgpu_create_hw_context;
DXGKDDI_DESTROYHWCONTEXT softgpu_destroy_hw_context;
DXGKDDI_CREATEHWQUEUE softgpu_create_hw_queue;
DXGKDDI_DESTROYHWQUEUE softgpu_destroy_hw_queue;
DXGKDDI_SUBMITCOMMANDTOHWQUEUE softgpu_submit_command_to_hw_queue;
NTSTATUS softgpu_validate_for_queues(const struct softgpu_adapter *adapter,
                                     const DXGKARG_VALIDATESUBMITCOMMAND *arguments);
DXGKDDI_SIGNALMONITOREDFENCE softgpu_signal_fence;

DXGKDDI_SETUPPRIORITYBANDS softgpu_setup_priority_bands;
DXGKDDI_SETCONTEXTSCHEDULINGPROPERTIES softgpu_set_context_scheduling_properties;
DXGKDDI_SETSCHEDULINGLOGBUFFER softgpu_set_scheduling_log_buffer;
DXGKDDI_SUSPENDCONTEXT softgpu_suspend_context;
DXGKDDI_RESUMECONTEXT softgpu_resume_context;
DXGKDDI_RESETHWENGINE softgpu_reset_hw_engine;
DXGKDDI_RESUMEHWENGINE softgpu_resume_hw_engine;

/* Does the GPU schedule hardware contexts on this node? */
BOOLEAN softgpu_node_has_queues(const struct softgpu_adapter *adapter, ULONG node);
/* An engine that was set up anew schedules, and writes its log. */
void softgpu_queues_begin(const struct softgpu_adapter *adapter, ULONG node);
/* A device that forgot everything is told of all contexts and queues. */
void softgpu_queues_resume(const struct softgpu_adapter *adapter);
void softgpu_context_program(const struct softgpu_adapter *adapter,
                             struct softgpu_hw_context *context);
void softgpu_queue_program(const struct softgpu_adapter *adapter, struct softgpu_hw_queue *queue);

/* At device IRQL: which of these there are, and what they say. */
ULONG softgpu_queue_interrupts(const struct softgpu_adapter *adapter);
void softgpu_report_queues(struct softgpu_adapter *adapter, ULONG status);
void softgpu_report_queue_fault(struct softgpu_adapter *adapter, ULONG node);
/* ---- fence.c --------------------------------------------------------------------------------- */

void softgpu_fences_start(struct softgpu_adapter *adapter); /* does the system have them? */
NTSTATUS softgpu_query_fence_caps(const struct softgpu_adapter *adapter,
                                  const DXGKARG_QUERYADAPTERINFO *query);
DXGKDDI_CREATENATIVEFENCE softgpu_create_native_fence;
DXGKDDI_DESTROYNATIVEFENCE softgpu_destroy_native_fence;
DXGKDDI_OPENNATIVEFENCE softgpu_open_native_fence;
DXGKDDI_CLOSENATIVEFENCE softgpu_close_native_fence;
DXGKDDI_UPDATEMONITOREDVALUES softgpu_update_monitored_values;
DXGKDDI_UPDATECURRENTVALUESFROMCPU softgpu_update_current_values;
NTSTATUS softgpu_notify_fence_residency(struct softgpu_adapter *adapter,
                                        const DXGKARG_BUILDPAGINGBUFFER *paging);
/* At device IRQL. */
ULONG softgpu_fence_interrupts(const struct softgpu_adapter *adapter);
void softgpu_report_fences(struct softgpu_adapter *adapter, ULONG status);

/* Is it a fault of an address, and not of a command? */
BOOLEAN softgpu_is_address_fault(ULONG reason);

DXGKDDI_RENDER softgpu_render;
DXGKDDI_PRESENT softgpu_present;
DXGKDDI_PRESENTTOHWQUEUE softgpu_present_to_hw_queue;
DXGKDDI_BUILDPAGINGBUFFER softgpu_build_paging_buffer;
NTSTATUS softgpu_map_aperture(struct softgpu_adapter *adapter, DXGKARG_BUILDPAGINGBUFFER *paging);
NTSTATUS softgpu_map_aperture2(struct softgpu_adapter *adapter, DXGKARG_BUILDPAGINGBUFFER *paging);
NTSTATUS softgpu_unmap_aperture(struct softgpu_adapter *adapter, DXGKARG_BUILDPAGINGBUFFER *paging);

DXGKDDI_MAPCPUHOSTAPERTURE softgpu_map_host_aperture;
DXGKDDI_UNMAPCPUHOSTAPERTURE softgpu_unmap_host_aperture;
/* Where a segment's begins in BAR 0, and its pages, of the segment's size. */
ULONGLONG softgpu_host_aperture_of(const struct softgpu_adapter *adapter, ULONG segment,
                                   ULONG *pages);
/* Pages [first, first + count) of the table show these pages of video memory; NULL: nothing. With
 * the device in reset it hears of it afterwards. */
void softgpu_host_aperture_show(const struct softgpu_adapter *adapter, ULONG first, ULONG count,
                                const ULONGLONG *addresses);
/* All that was mapped is mapped again; or BAR 0 shows video memory as it is. */
void softgpu_host_aperture_resume(const struct softgpu_adapter *adapter);
void softgpu_host_aperture_off(const struct softgpu_adapter *adapter);

/* ---- window.c -------------------------------------------------------------------------------- */

ULONG softgpu_window_pages(const struct softgpu_adapter *adapter); /* of the table; 0: none */
void softgpu_windows_setup(struct softgpu_adapter *adapter);       /* with an empty table */
NTSTATUS softgpu_query_mmu_count(const struct softgpu_adapter *adapter,
                                 const DXGKARG_QUERYADAPTERINFO *query);
NTSTATUS softgpu_query_mmus(struct softgpu_adapter *adapter, const DXGKARG_QUERYADAPTERINFO *query);
void softgpu_choose_mmus(const struct softgpu_umd_allocation *info, DXGK_ALLOCATIONINFO *out);
NTSTATUS softgpu_map_window(struct softgpu_adapter *adapter,
                            const DXGKARG_BUILDPAGINGBUFFER *paging);
NTSTATUS softgpu_unmap_window(struct softgpu_adapter *adapter,
                              const DXGKARG_BUILDPAGINGBUFFER *paging);
/* By which address engines name what the list says: a window's, or the place in its segment. */
ULONGLONG softgpu_engine_address(const struct softgpu_adapter *adapter,
                                 const DXGK_ALLOCATIONLIST *entry);

DXGKDDI_ACQUIRESWIZZLINGRANGE softgpu_acquire_range;
DXGKDDI_RELEASESWIZZLINGRANGE softgpu_release_range;
/* Transfers that change the layout of a swizzled surface. */
NTSTATUS softgpu_convert_transfer(DXGKARG_BUILDPAGINGBUFFER *paging);
NTSTATUS softgpu_convert_special_lock_transfer(DXGKARG_BUILDPAGINGBUFFER *paging);
/* What paging names. NULL: it is memory of a context, or none of ours. */
struct softgpu_allocation *softgpu_allocation_of(HANDLE handle);
/* A paging operation says where an allocation is from now on. */
void softgpu_range_moved(const struct softgpu_adapter *adapter,
                         const DXGKARG_BUILDPAGINGBUFFER *paging);

/* Makes the memory for a context's state, from WDDM 1.2 on; the system's contexts have none. */
NTSTATUS softgpu_state_create(struct softgpu_adapter *adapter, struct softgpu_context *context);
void softgpu_state_destroy(const struct softgpu_adapter *adapter, struct softgpu_context *context);
/* By which the engine sees the state; 0: the context has none, or it is nowhere. */
ULONGLONG softgpu_state_address(const struct softgpu_context *context);
void softgpu_state_new_root(const struct softgpu_adapter *adapter,
                            const struct softgpu_context *context, ULONGLONG root);
NTSTATUS softgpu_state_init(DXGKARG_BUILDPAGINGBUFFER *paging);
NTSTATUS softgpu_state_update(DXGKARG_BUILDPAGINGBUFFER *paging);
/* A transfer, a mapping or the end of one says where it is from now on. */
void softgpu_state_moved(const struct softgpu_adapter *adapter,
                         const DXGKARG_BUILDPAGINGBUFFER *paging);

DXGKDDI_CREATEPROCESS softgpu_create_process;
DXGKDDI_DESTROYPROCESS softgpu_destroy_process;
DXGKDDI_GETROOTPAGETABLESIZE softgpu_get_root_page_table_size;
DXGKDDI_SETROOTPAGETABLE softgpu_set_root_page_table;
NTSTATUS softgpu_query_mmu_caps(const struct softgpu_adapter *adapter,
                                const DXGKARG_QUERYADAPTERINFO *query);
NTSTATUS softgpu_query_table_level(const struct softgpu_adapter *adapter,
                                   const DXGKARG_QUERYADAPTERINFO *query);
/* Gives a context an address space of the device, without tables. FALSE: there is none left. */
BOOLEAN softgpu_space_open(struct softgpu_adapter *adapter, struct softgpu_context *context);
void softgpu_space_close(struct softgpu_adapter *adapter, struct softgpu_context *context);
/* Tells the device the arrangement of tables, and all address spaces. */
void softgpu_mmu_setup(const struct softgpu_adapter *adapter);

/* Operations of BuildPagingBuffer on page tables, and by virtual addresses. */
NTSTATUS softgpu_update_page_table(struct softgpu_adapter *adapter,
                                   DXGKARG_BUILDPAGINGBUFFER *paging);
NTSTATUS softgpu_flush_tlb(struct softgpu_adapter *adapter, DXGKARG_BUILDPAGINGBUFFER *paging);
NTSTATUS softgpu_copy_page_table_entries(DXGKARG_BUILDPAGINGBUFFER *paging);
NTSTATUS softgpu_virtual_transfer(DXGKARG_BUILDPAGINGBUFFER *paging);
NTSTATUS softgpu_virtual_fill(DXGKARG_BUILDPAGINGBUFFER *paging);
NTSTATUS softgpu_signal_monitored_fence(DXGKARG_BUILDPAGINGBUFFER *paging);
NTSTATUS softgpu_notify_residency(const struct softgpu_adapter *adapter,
                                  const DXGKARG_BUILDPAGINGBUFFER *paging);
NTSTATUS softgpu_notify_residency2(const struct softgpu_adapter *adapter,
                                   const DXGKARG_BUILDPAGINGBUFFER *paging);
NTSTATUS softgpu_notify_allocation(DXGKARG_BUILDPAGINGBUFFER *paging);

DXGKDDI_PATCH softgpu_patch;
DXGKDDI_SUBMITCOMMAND softgpu_submit_command;
DXGKDDI_SUBMITCOMMANDVIRTUAL softgpu_submit_command_virtual;
DXGKDDI_CANCELCOMMAND softgpu_cancel_command;
DXGKDDI_PREEMPTCOMMAND softgpu_preempt_command;
DXGKDDI_QUERYCURRENTFENCE softgpu_query_current_fence;
DXGKDDI_INTERRUPT_ROUTINE softgpu_interrupt_routine;
DXGKDDI_DPC_ROUTINE softgpu_dpc_routine;
DXGKDDI_CONTROLINTERRUPT softgpu_control_interrupt;

DXGKDDI_RESETFROMTIMEOUT softgpu_reset_from_timeout;
DXGKDDI_RESTARTFROMTIMEOUT softgpu_restart_from_timeout;
DXGKDDI_QUERYDEPENDENTENGINEGROUP softgpu_query_dependent_engine_group;
DXGKDDI_QUERYENGINESTATUS softgpu_query_engine_status;
DXGKDDI_RESETENGINE softgpu_reset_engine;

DXGKDDI_ESCAPE softgpu_escape;
DXGKDDI_COLLECTDBGINFO softgpu_collect_dbg_info;
DXGKDDI_CALIBRATEGPUCLOCK softgpu_calibrate_gpu_clock;
DXGKDDI_SETSTABLEPOWERSTATE softgpu_set_stable_power_state;
DXGKDDI_FORMATHISTORYBUFFER softgpu_format_history_buffer;

#include "component.h"

DXGKDDI_SETVIDPNSOURCEADDRESS softgpu_set_vidpn_source_address;
DXGKDDI_SETVIDPNSOURCEVISIBILITY softgpu_set_vidpn_source_visibility;
DXGKDDI_GETSCANLINE softgpu_get_scan_line;
DXGKDDI_SETPALETTE softgpu_set_palette;
DXGKDDI_SETDISPLAYPRIVATEDRIVERFORMAT softgpu_set_format;
DXGKDDI_SETPOINTERPOSITION softgpu_set_pointer_position;
DXGKDDI_SETPOINTERSHAPE softgpu_set_pointer_shape;
DXGKDDI_STOPCAPTURE softgpu_stop_capture;

DXGKDDI_ISSUPPORTEDVIDPN softgpu_is_supported_vidpn;
DXGKDDI_RECOMMENDFUNCTIONALVIDPN softgpu_recommend_functional_vidpn;
DXGKDDI_RECOMMENDVIDPNTOPOLOGY softgpu_recommend_vidpn_topology;
DXGKDDI_RECOMMENDMONITORMODES softgpu_recommend_monitor_modes;
DXGKDDI_ENUMVIDPNCOFUNCMODALITY softgpu_enum_vidpn_cofunc_modality;
DXGKDDI_COMMITVIDPN softgpu_commit_vidpn;
DXGKDDI_UPDATEACTIVEVIDPNPRESENTPATH softgpu_update_active_vidpn_present_path;
DXGKDDI_QUERYVIDPNHWCAPABILITY softgpu_query_vidpn_hw_capability;

#endif

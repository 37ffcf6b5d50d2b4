/* softgpu_regs.h: what the software GPU and its drivers agree on.
 *
 * Registers, rings, packets and commands of the device. The device model and every driver for it
 * include this file and nothing else of each other (but softgpu_queues.h, _overlays.h, _scaler.h
 * and _combine.h, if they have those), so it stands alone: it includes nothing and builds for
 * Windows and for Linux. commands.md tells the same as a text.
 *
 *   driver                                    device
 *     writes commands to a buffer               │
 *     puts a packet in the ring                 │
 *     writes RING_TAIL  ───────────doorbell───> fetches packets up to the tail, in order
 *                                               executes the buffer a packet points at
 *     reads the fence  <───memory + interrupt── writes the packet's fence
 *
 * One 64-bit address space is seen by rings, commands and planes ("GPU address"):
 *
 *   SOFTGPU_VRAM_BASE      video memory, byte for byte what BAR 0 shows, but for the host aperture
 *   SOFTGPU_APERTURE_BASE  the aperture: 4 KiB pages that the table at APERTURE_TABLE maps to
 *                          system memory
 *   SOFTGPU_SYSTEM_BASE    system memory by physical address; only registers, packets and
 *                          privileged buffers may use it
 *   SOFTGPU_WINDOW_BASE    the windows: 4 KiB pages that the table at WINDOW_TABLE maps to video
 *                          memory or to system memory
 *   AGP_BASE               where the bus has the chipset's aperture: the same addresses, which the
 *                          chipset leads to memory; between the two above, if anywhere
 *
 * A packet that names an address space (vmid) means virtual addresses instead, in its buffer and in
 * all of its commands: the MMU translates them by page tables to the GPU addresses above.
 *
 * All values are little endian. Registers are 32 bits wide and aligned; 64-bit values are a pair,
 * low half first. Reserved fields are written as zero. */
#ifndef SOFTGPU_REGS_H
#define SOFTGPU_REGS_H

typedef unsigned int softgpu_u32;

/* ---- Identity ------------------------------------------------------------------------------ */

/* A vendor number of our own choosing; nobody has been assigned it. */
#define SOFTGPU_VENDOR_ID    0xDD0C
#define SOFTGPU_DEVICE_ID    0x0001
#define SOFTGPU_SUBSYSTEM_ID 0x0001
#define SOFTGPU_REVISION     0x01

#define SOFTGPU_BAR_VRAM       0 /* 64-bit prefetchable memory, takes BAR 1 as well */
#define SOFTGPU_BAR_REGISTERS  2
#define SOFTGPU_REGISTERS_SIZE 0x20000 /* the upper half: doorbells, of softgpu_queues.h */
#define SOFTGPU_MESSAGE_COUNT  4       /* MSI messages offered; see INTERRUPT_MESSAGES */

/* ---- GPU addresses -------------------------------------------------------------------------- */

#define SOFTGPU_PAGE_SHIFT    12
#define SOFTGPU_PAGE_SIZE     4096u
#define SOFTGPU_VRAM_BASE     0x0000000000000000ull
#define SOFTGPU_APERTURE_BASE 0x0000000100000000ull
#define SOFTGPU_WINDOW_BASE   0x0000008000000000ull
#define SOFTGPU_SYSTEM_BASE   0x0000010000000000ull
#define SOFTGPU_SYSTEM_SIZE   0x0000010000000000ull

/* An entry of the aperture table: 64 bits, the page's physical address and flags. An entry that
 * is not valid leads to APERTURE_DUMMY if that is set, and is a page fault if it is zero. */
#define SOFTGPU_PTE_VALID        0x1ull
#define SOFTGPU_PTE_READ_ONLY    0x2ull
#define SOFTGPU_PTE_ADDRESS_MASK 0x000000FFFFFFF000ull

/* ---- The MMU: see commands.md ---------------------------------------------------------------- */

/* An entry of a page table: 64 bits, flags and a GPU address, of a page or of the next table. The
 * first two flags are those above; ZERO counts whether VALID is set or not. */
#define SOFTGPU_PTE_ZERO       0x04ull /* reads as zeros, writes are dropped */
#define SOFTGPU_PTE_COHERENT   0x08ull /* of system memory: CPUs' caches are asked for it, too */
#define SOFTGPU_PTE_NO_EXECUTE 0x10ull /* no commands are fetched from there */
#define SOFTGPU_PTE_LARGE      0x20ull /* above level 0: a page as large as what the entry covers */
#define SOFTGPU_PTE_LEAF_64K   0x40ull /* level 1, single: the table below has 64 KiB pages */
#define SOFTGPU_PTE_GPU_MASK   0x0000FFFFFFFFF000ull

#define SOFTGPU_LARGE_PAGE_SHIFT 16 /* of the pages of a 64 KiB leaf table */
#define SOFTGPU_LEVEL_MIN        2u
#define SOFTGPU_LEVEL_MAX        6u
#define SOFTGPU_INDEX_BITS_MAX   16u /* of a level; level 0 has at least 4 */
#define SOFTGPU_ADDRESS_BITS_MAX 57u
#define SOFTGPU_SPACE_COUNT      1024u /* address spaces; number 0 means no translation */

/* ---- Engines -------------------------------------------------------------------------------- */

#define SOFTGPU_ENGINE_3D      0 /* everything but compute */
#define SOFTGPU_ENGINE_COPY    1 /* linear, page list, aperture and synchronisation commands */
#define SOFTGPU_ENGINE_COMPUTE 2 /* linear, compute and synchronisation commands */
#define SOFTGPU_ENGINE_COUNT   3
#define SOFTGPU_OUTPUT_MAX     2

/* ---- Global registers ----------------------------------------------------------------------- */

#define SOFTGPU_REG_ID                 0x0000 /* RO: SOFTGPU_ID_VALUE */
#define SOFTGPU_REG_REVISION           0x0004 /* RO */
#define SOFTGPU_REG_VRAM_SIZE          0x0008 /* RO: bytes, pair */
#define SOFTGPU_REG_APERTURE_SIZE      0x0010 /* RO: bytes, pair */
#define SOFTGPU_REG_ENGINE_COUNT       0x0018 /* RO */
#define SOFTGPU_REG_OUTPUT_COUNT       0x001C /* RO */
#define SOFTGPU_REG_RESET              0x0020 /* WO: SOFTGPU_RESET_KEY resets the whole GPU */
#define SOFTGPU_REG_TIME               0x0024 /* RO: nanoseconds, pair; low half latches the high */
#define SOFTGPU_REG_SCRATCH            0x002C /* RW: keeps what it is given, for self-tests */
#define SOFTGPU_REG_INTERRUPT_STATUS   0x0030 /* RO; what has happened; writing ones clears them */
#define SOFTGPU_REG_INTERRUPT_ENABLE   0x0034 /* RW: which status bits raise an interrupt */
#define SOFTGPU_REG_INTERRUPT_MESSAGES 0x0038 /* RW: see SOFTGPU_MESSAGES_... */
#define SOFTGPU_REG_APERTURE_TABLE     0x0040 /* RW: VRAM offset of the table, page aligned, pair */
#define SOFTGPU_REG_APERTURE_DUMMY     0x0048 /* RW: physical address of the dummy page, pair */
#define SOFTGPU_REG_APERTURE_CONTROL   0x0050 /* RW: SOFTGPU_APERTURE_ENABLE */

#define SOFTGPU_REG_FEATURES       0x0058 /* RO: SOFTGPU_FEATURE_... */
#define SOFTGPU_REG_MMU_CONTROL    0x0060 /* RW: SOFTGPU_MMU_... */
#define SOFTGPU_REG_MMU_FLUSH      0x0064 /* WO: every TLB forgets this tag; ~0: all tags */
#define SOFTGPU_REG_MMU_INDEX_BITS 0x0068 /* RW: byte n: index bits of level n, pair */

#define SOFTGPU_REG_AGP_BASE 0x0070 /* RW: GPU and bus address of the chipset's aperture, pair */
#define SOFTGPU_REG_AGP_SIZE 0x0078 /* RW: its bytes; 0: there is none, pair */

/* The host aperture: pages of BAR 0 that show the CPU other pages of video memory, by a table of
 * 64-bit entries: VALID and the VRAM address of the page; what is not valid shows nothing. */
#define SOFTGPU_REG_HOST_BASE    0x0080 /* RW: where it begins in BAR 0, page aligned, pair */
#define SOFTGPU_REG_HOST_SIZE    0x0088 /* RW: its bytes, whole pages, pair */
#define SOFTGPU_REG_HOST_TABLE   0x0090 /* RW: VRAM offset of the table, page aligned, pair */
#define SOFTGPU_REG_HOST_CONTROL 0x0098 /* RW: SOFTGPU_HOST_ENABLE: reads the table; 0: all as is */
#define SOFTGPU_REG_HOST_UPDATE  0x009C /* WO: SOFTGPU_HOST_PAGES that are read again */

#define SOFTGPU_HOST_ENABLE              0x1u
#define SOFTGPU_HOST_COUNT_MAX           4096u
#define SOFTGPU_HOST_PAGES(first, count) ((first) | ((count)-1) << 20)

#define SOFTGPU_REG_WINDOW_TABLE 0x00A0 /* RW: VRAM offset of the table, page aligned, pair */
#define SOFTGPU_REG_WINDOW_PAGES 0x00A8 /* RW: its entries, at most SOFTGPU_WINDOW_PAGES_MAX */

#define SOFTGPU_WINDOW_PAGES_MAX 0x100000u
#define SOFTGPU_FEATURE_MMU    0x1u
#define SOFTGPU_FEATURE_HOST   0x2u
#define SOFTGPU_FEATURE_PASID  0x4u
#define SOFTGPU_FEATURE_QUEUES 0x8u
#define SOFTGPU_FEATURE_FLIPS  0x10u /* queues of flips */
#define SOFTGPU_FEATURE_BELLS  0x20u /* queues of clients, and doorbells */
#define SOFTGPU_FEATURE_NOW    0x40u /* a display that is on can be flipped at once */

#define SOFTGPU_MMU_ENABLE       0x1u
#define SOFTGPU_MMU_DUAL         0x2u /* an entry of level 1 is a pair: 4 KiB table, 64 KiB table */
#define SOFTGPU_MMU_PASID        0x4u /* no tables: SPACE_TAG is the PASID that the IOMMU knows */
#define SOFTGPU_MMU_REMEMBERS    0x8u /* with PASID: TLBs know what the IOMMU said until a flush */
#define SOFTGPU_MMU_LEVELS_SHIFT 4
#define SOFTGPU_MMU_LEVELS_MASK  0x70u /* number of levels, 2 ... 6 */

#define SOFTGPU_ID_VALUE        0x55504753u /* "SGPU" */
#define SOFTGPU_RESET_KEY       0x54455352u /* "RSET" */
#define SOFTGPU_APERTURE_ENABLE 0x1u

/* Messages: all events on message 0 (or the line), or engine n on message n and the rest on 3. */
#define SOFTGPU_MESSAGES_ONE 0u
#define SOFTGPU_MESSAGES_ALL 4u

/* Counters since power-on or whole-GPU reset; RO, pairs. */
#define SOFTGPU_REG_COUNT_BYTES_READ    0x0100
#define SOFTGPU_REG_COUNT_BYTES_WRITTEN 0x0108
#define SOFTGPU_REG_COUNT_PIXELS        0x0110
#define SOFTGPU_REG_COUNT_COMMANDS      0x0118
#define SOFTGPU_REG_COUNT_PACKETS       0x0120
#define SOFTGPU_REG_COUNT_INTERRUPTS    0x0128

/* Interrupt bits. Four for each engine, four for each output. */
#define SOFTGPU_INTERRUPT_FENCE(engine)     (0x1u << ((engine)*4))
#define SOFTGPU_INTERRUPT_PREEMPTED(engine) (0x2u << ((engine)*4))
#define SOFTGPU_INTERRUPT_FAULT(engine)     (0x4u << ((engine)*4))
#define SOFTGPU_INTERRUPT_USER(engine)      (0x8u << ((engine)*4))
#define SOFTGPU_INTERRUPT_SUSPENDED(engine) (0x1000u << (engine)) /* hardware contexts of it */
#define SOFTGPU_INTERRUPT_VSYNC(output)     (0x10000u << ((output)*4))
#define SOFTGPU_INTERRUPT_FLIP(output)      (0x20000u << ((output)*4)) /* a flip was latched */
#define SOFTGPU_INTERRUPT_NOTICE(output)    (0x40000u << ((output)*4)) /* in NOTICES_DUE */
#define SOFTGPU_INTERRUPT_HOTPLUG           0x01000000u
#define SOFTGPU_INTERRUPT_LOG(engine)       (0x02000000u << (engine)) /* its entry was reached */
#define SOFTGPU_INTERRUPT_SIGNAL(engine)    (0x10000000u << (engine)) /* watched SIGNAL */

/* ---- Engine registers: SOFTGPU_ENGINE_REG(engine, SOFTGPU_ENGINE_...) ------------------------ */

#define SOFTGPU_ENGINE_REG(engine, reg) (0x1000 + (engine)*0x100 + (reg))

#define SOFTGPU_ENGINE_CONTROL       0x00 /* RW: SOFTGPU_CONTROL_... */
#define SOFTGPU_ENGINE_STATUS        0x04 /* RO: SOFTGPU_STATUS_... */
#define SOFTGPU_ENGINE_RING_BASE     0x08 /* RW while disabled: GPU address, 4 KiB aligned, pair */
#define SOFTGPU_ENGINE_RING_SIZE     0x10 /* RW while disabled: packets, a power of two <= 65536 */
#define SOFTGPU_ENGINE_RING_HEAD     0x14 /* RO: index of the packet being executed, or next */
#define SOFTGPU_ENGINE_RING_TAIL     0x18 /* RW: index after the last packet: the doorbell */
#define SOFTGPU_ENGINE_FENCE_ADDRESS 0x20 /* RW: where fences go (8 bytes); 0: register only */
#define SOFTGPU_ENGINE_FENCE         0x28 /* RO: the last fence written, pair */
#define SOFTGPU_ENGINE_CONTEXT       0x30 /* RO: the value of the last CONTEXT packet */
#define SOFTGPU_ENGINE_RESET         0x34 /* WO: SOFTGPU_RESET_KEY resets this engine */

/* Writing an id to PREEMPT stops the engine at the next place that CONTROL's granularity allows.
 * It then empties the ring (head becomes tail), fills in PREEMPT_STATE (and the block in memory at
 * PREEMPT_ADDRESS, a struct softgpu_preempt_block), and sets PREEMPTED. */
#define SOFTGPU_ENGINE_PREEMPT          0x40 /* WO: the request's id */
#define SOFTGPU_ENGINE_PREEMPT_DONE     0x44 /* RO: id of the last request that was honoured */
#define SOFTGPU_ENGINE_PREEMPT_STATE    0x48 /* RO: SOFTGPU_PREEMPT_... */
#define SOFTGPU_ENGINE_PREEMPT_HEAD     0x4C /* RO: ring index of the first unfinished packet */
#define SOFTGPU_ENGINE_PREEMPT_OFFSET   0x50 /* RO: byte offset of the command stopped at */
#define SOFTGPU_ENGINE_PREEMPT_PROGRESS 0x54 /* RO: what of that command is already done */
#define SOFTGPU_ENGINE_PREEMPT_FENCE    0x58 /* RO: last fence before it, pair */
#define SOFTGPU_ENGINE_PREEMPT_ADDRESS  0x60 /* RW: GPU address of the block, or 0, pair */

/* Valid while STATUS has FAULTED. A faulted engine does nothing until it is reset. */
#define SOFTGPU_ENGINE_FAULT_REASON  0x70 /* RO: SOFTGPU_FAULT_... */
#define SOFTGPU_ENGINE_FAULT_OFFSET  0x74 /* RO: byte offset of the command in its buffer */
#define SOFTGPU_ENGINE_FAULT_ADDRESS 0x78 /* RO: GPU address concerned, or 0, pair */
#define SOFTGPU_ENGINE_FAULT_COMMAND 0x80 /* RO: the command's header word */
#define SOFTGPU_ENGINE_FAULT_FENCE   0x88 /* RO: fence of the packet, pair */

/* How an address was used, when the packet names an address space; 0 otherwise. */
#define SOFTGPU_ENGINE_FAULT_ACCESS 0x90 /* RO: SOFTGPU_ACCESS_..., level << 8, space << 16 */

#define SOFTGPU_ACCESS_READ    1u
#define SOFTGPU_ACCESS_WRITE   2u
#define SOFTGPU_ACCESS_EXECUTE 3u
#define SOFTGPU_ACCESS_KIND    0xFFu

/* Hardware queues of the engine; see softgpu_queues.h. */
#define SOFTGPU_ENGINE_FAULT_QUEUE       0x94 /* RO: queue + 1; 0: it was a packet of the ring */
#define SOFTGPU_ENGINE_SCHEDULE          0xA0 /* RW: SOFTGPU_SCHEDULE_ENABLE: queues run */
#define SOFTGPU_ENGINE_SCHEDULED_CONTEXT 0xA4 /* RO: hardware context in work + 1, or 0 */
#define SOFTGPU_ENGINE_LOG_ADDRESS       0xA8 /* RW: of struct softgpu_log_header, pair */
#define SOFTGPU_ENGINE_LOG_SPACE         0xB0 /* RW: the address space of that; 0: GPU addresses */
#define SOFTGPU_ENGINE_LOG_ENTRIES       0xB4 /* RW: that have room behind the header */
#define SOFTGPU_ENGINE_LOG_INTERRUPT     0xB8 /* RW: the entry whose writing sets LOG */
#define SOFTGPU_ENGINE_LOG_CONTROL       0xBC /* RW: _LOG_ENABLE: as the header says; 0: no log */

/* An engine without work may rest. What is written to its other registers then is lost. */
#define SOFTGPU_ENGINE_POWER 0xC0 /* RW: SOFTGPU_POWER_... */

#define SOFTGPU_POWER_ON      0u
#define SOFTGPU_POWER_STANDBY 1u /* keeps its registers */
#define SOFTGPU_POWER_OFF     2u /* has forgotten them, and reads as ones: as after ENGINE_RESET */

#define SOFTGPU_SCHEDULE_ENABLE 0x1u
#define SOFTGPU_LOG_ENABLE      0x1u

#define SOFTGPU_CONTROL_ENABLE              0x1u
#define SOFTGPU_CONTROL_GRANULARITY_MASK    0x30u /* where a preemption may stop: */
#define SOFTGPU_CONTROL_GRANULARITY_SLICE   0x00u /* inside long commands */
#define SOFTGPU_CONTROL_GRANULARITY_COMMAND 0x10u /* between commands */
#define SOFTGPU_CONTROL_GRANULARITY_PACKET  0x20u /* between packets */

#define SOFTGPU_STATUS_BUSY       0x1u
#define SOFTGPU_STATUS_FAULTED    0x2u
#define SOFTGPU_STATUS_PREEMPTING 0x4u
#define SOFTGPU_STATUS_WAITING    0x8u /* in a WAIT command whose condition does not hold */

#define SOFTGPU_PREEMPT_IDLE   0u /* the ring was empty */
#define SOFTGPU_PREEMPT_QUEUED 1u /* packets were dropped, none of them had begun */
/* The first packet at PREEMPT_HEAD was stopped in its middle: put it in the ring again with `start`
 * and `progress` from PREEMPT_OFFSET and PREEMPT_PROGRESS. */
#define SOFTGPU_PREEMPT_BROKEN 2u

/* Why an engine faulted. */
#define SOFTGPU_FAULT_NONE      0u
#define SOFTGPU_FAULT_BUS       1u  /* no system memory there */
#define SOFTGPU_FAULT_ADDRESS   2u  /* outside of video memory and aperture */
#define SOFTGPU_FAULT_PAGE      3u  /* no valid entry in a page table or the aperture's table */
#define SOFTGPU_FAULT_PRIVILEGE 4u  /* needs a privileged buffer */
#define SOFTGPU_FAULT_OPCODE    5u  /* no such command on this engine */
#define SOFTGPU_FAULT_LENGTH    6u  /* word count wrong for the command, or past the buffer */
#define SOFTGPU_FAULT_OPERAND   7u  /* a field has a value that is not allowed */
#define SOFTGPU_FAULT_PACKET    8u  /* packet type unknown or its fields not allowed */
#define SOFTGPU_FAULT_RING      9u  /* tail outside of the ring, or ring not set up */
#define SOFTGPU_FAULT_READ_ONLY 10u /* write to a page mapped read only */
#define SOFTGPU_FAULT_INJECTED  11u /* asked for by the test registers */
/* Those of the MMU. FAULT_ADDRESS is a virtual address then, as with any fault of a packet that
 * names an address space. */
#define SOFTGPU_FAULT_NO_EXECUTE 12u /* commands in a page that is not for them */
#define SOFTGPU_FAULT_RANGE      13u /* more address bits than the tables, or root, have */
#define SOFTGPU_FAULT_TABLE      14u /* a page table lies where no memory is */
#define SOFTGPU_FAULT_STATE      15u /* not the state that a CONTEXT packet names */
#define SOFTGPU_FAULT_LEFT       16u /* state that an engine keeps was moved before it left it */
#define SOFTGPU_FAULT_CONTEXT    17u /* _FLAG_OF_CONTEXT names another than the engine is in */

/* What a context keeps in memory of the driver's choice, 8 byte aligned. */
struct softgpu_context_state {
    softgpu_u32 magic;                     /* SOFTGPU_STATE_MAGIC */
    softgpu_u32 context;                   /* as in its CONTEXT packets */
    softgpu_u32 entered_low, entered_high; /* how often an engine came to it */
    softgpu_u32 root_low, root_high;       /* of its address space's root table; 0: not said */
    softgpu_u32 left_low, left_high;       /* FLAG_KEEP: how often it left it */
    softgpu_u32 epoch, reserved;           /* FLAG_KEEP: the engine's own */
};

#define SOFTGPU_STATE_MAGIC 0x53504753u /* "SGPS" */

/* What the device writes at PREEMPT_ADDRESS; the same values as in the registers. */
struct softgpu_preempt_block {
    softgpu_u32 done;
    softgpu_u32 state;
    softgpu_u32 head;
    softgpu_u32 offset;
    softgpu_u32 progress;
    softgpu_u32 reserved;
    softgpu_u32 fence_low, fence_high;
};

/* ---- Address spaces: SOFTGPU_SPACE_REG(space, SOFTGPU_SPACE_...) ------------------------------
 * Translations are kept under the space's tag: spaces with one tag share them, and the tag 0 keeps
 * none. Nothing written here makes a TLB forget anything. */

#define SOFTGPU_SPACE_REG(space, reg) (0x4000 + (space)*0x10 + (reg))

#define SOFTGPU_SPACE_ROOT    0x0 /* RW: GPU address of the root table, pair */
#define SOFTGPU_SPACE_ENTRIES 0x8 /* RW: entries of the root table; 0: everything faults */
#define SOFTGPU_SPACE_TAG     0xC /* RW */

/* ---- Display registers: SOFTGPU_OUTPUT_REG(output, SOFTGPU_OUTPUT_...) ----------------------- */

#define SOFTGPU_OUTPUT_REG(output, reg) (0x2000 + (output)*0x400 + (reg))

#define SOFTGPU_OUTPUT_CONTROL         0x00 /* RW: SOFTGPU_OUTPUT_ENABLE... */
#define SOFTGPU_OUTPUT_STATUS          0x04 /* RO: SOFTGPU_OUTPUT_CONNECTED... */
#define SOFTGPU_OUTPUT_SIZE            0x08 /* RW: width | height << 16 */
#define SOFTGPU_OUTPUT_PERIOD          0x0C /* RW: nanoseconds between vsyncs; 0 is 60 Hz */
#define SOFTGPU_OUTPUT_SURFACE         0x10 /* RW: GPU address to show next, pair */
#define SOFTGPU_OUTPUT_PITCH           0x18 /* RW: bytes from row to row */
#define SOFTGPU_OUTPUT_FORMAT          0x1C /* RW: SOFTGPU_FORMAT_... */
#define SOFTGPU_OUTPUT_FLIP            0x20 /* WO: take over surfaces, PITCH, FORMAT: when */
#define SOFTGPU_OUTPUT_CURRENT         0x28 /* RO: GPU address shown now, pair */
#define SOFTGPU_OUTPUT_SCANLINE        0x30 /* RO: the row being sent; >= height in the blank */
#define SOFTGPU_OUTPUT_VSYNC_COUNT     0x34 /* RO */
#define SOFTGPU_OUTPUT_VSYNC_TIME      0x38 /* RO: time of the last vsync, pair */
#define SOFTGPU_OUTPUT_FLIP_TAG        0x40 /* RW: taken over with the flip */
#define SOFTGPU_OUTPUT_CURRENT_TAG     0x44 /* RO: the tag of what is shown */
#define SOFTGPU_OUTPUT_SURFACE_RIGHT   0x48 /* RW: the right eye's, while STEREO is on, pair */
#define SOFTGPU_OUTPUT_CURSOR_CONTROL  0x50 /* RW: SOFTGPU_CURSOR_ENABLE */
#define SOFTGPU_OUTPUT_CURSOR_POSITION 0x54 /* RW: signed 16-bit x | signed 16-bit y << 16 */
#define SOFTGPU_OUTPUT_CURSOR_SIZE     0x58 /* RW: width | height << 16, at most 256 x 256 */
#define SOFTGPU_OUTPUT_CURSOR_PITCH    0x5C /* RW */
#define SOFTGPU_OUTPUT_CURSOR_ADDRESS  0x60 /* RW: premultiplied BGRA8, pair */
#define SOFTGPU_OUTPUT_PLANES_COMMIT   0x70 /* WO: SOFTGPU_PLANES(mask, when) */
/* Once in each frame, so many ns before its vsync; 0: never. */
#define SOFTGPU_OUTPUT_NOTICE(slot) (0x74 + (slot)*4) /* RW */
#define SOFTGPU_NOTICE_COUNT        4u
#define SOFTGPU_OUTPUT_NOTICES_DUE  0x84  /* RW: bits of slots; writing ones clears */
#define SOFTGPU_OUTPUT_EDID         0x100 /* RO: 128 bytes; zeros when nothing is connected */

/* Colours of FORMAT_P8: DATA, 0x00RRGGBB, goes to entry INDEX, which then counts up to 255. */
#define SOFTGPU_OUTPUT_PALETTE_INDEX 0x180 /* RW */
#define SOFTGPU_OUTPUT_PALETTE_DATA  0x184 /* RW */
#define SOFTGPU_PALETTE_SIZE         256u

#define SOFTGPU_OUTPUT_ENABLE 0x1u
#define SOFTGPU_OUTPUT_BLANK  0x2u /* timing runs, the picture is black */
/* The eyes are sent in turn, for monitors whose first timing in the EDID says field sequential
 * stereo. A flip for a vsync is the left eye's at that one and the right eye's at the next. */
#define SOFTGPU_OUTPUT_STEREO       0x4u
#define SOFTGPU_OUTPUT_CONNECTED    0x1u
#define SOFTGPU_OUTPUT_FLIP_PENDING 0x2u
#define SOFTGPU_OUTPUT_IN_VBLANK    0x4u
#define SOFTGPU_OUTPUT_SCAN_FAULT   0x8u /* the picture could not be read at the last scanout */
#define SOFTGPU_FLIP_VSYNC          1u
#define SOFTGPU_FLIP_IMMEDIATE      2u
#define SOFTGPU_CURSOR_ENABLE       0x1u
#define SOFTGPU_CURSOR_SIZE_MAX     256u
#define SOFTGPU_EDID_SIZE           128u
#define SOFTGPU_OUTPUT_WIDTH_MAX    8192u
#define SOFTGPU_OUTPUT_HEIGHT_MAX   8192u

/* Planes of an output: SOFTGPU_PLANE_REG(output, plane, SOFTGPU_PLANE_...). What is written here is
 * staged; PLANES_COMMIT takes over the planes of its mask, all at once, at the next vsync or
 * immediately, and the other planes stay as they are. From then on the output shows planes: 0 is on
 * top, beneath the last is black. A FLIP of the output shows its surface alone again, and turns the
 * planes off. Positions are signed. A plane's picture is: the source rectangle, mirrored, turned,
 * and scaled to the target rectangle, of which the screen and the clip rectangle leave a part. */
#define SOFTGPU_PLANE_MAX 4u
#define SOFTGPU_PLANE_REG(output, plane, reg) \
    SOFTGPU_OUTPUT_REG(output, 0x200 + (plane)*0x40 + (reg))
#define SOFTGPU_PLANES(mask, when) ((mask) | (when) << 8) /* when: SOFTGPU_FLIP_... */

#define SOFTGPU_PLANE_SURFACE         0x00 /* RW: GPU address, pair */
#define SOFTGPU_PLANE_PITCH           0x08 /* RW */
#define SOFTGPU_PLANE_FORMAT          0x0C /* RW: SOFTGPU_FORMAT_... */
#define SOFTGPU_PLANE_SOURCE_POSITION 0x10 /* RW: x | y << 16, as the next five */
#define SOFTGPU_PLANE_SOURCE_SIZE     0x14 /* RW */
#define SOFTGPU_PLANE_TARGET_POSITION 0x18 /* RW */
#define SOFTGPU_PLANE_TARGET_SIZE     0x1C /* RW */
#define SOFTGPU_PLANE_CLIP_POSITION   0x20 /* RW: on the screen */
#define SOFTGPU_PLANE_CLIP_SIZE       0x24 /* RW */
#define SOFTGPU_PLANE_CONTROL         0x28 /* RW: SOFTGPU_PLANE_ENABLE... */
#define SOFTGPU_PLANE_RIGHT_OFFSET    0x2C /* RW: bytes to what the right eye sees, in stereo */
#define SOFTGPU_PLANE_TAG             0x30 /* RW: taken over with the rest, pair */
#define SOFTGPU_PLANE_CURRENT_TAG     0x38 /* RO: of what is shown; 0: nothing yet, pair */

/* The flip queue of an output's planes. QUEUE_COMMIT puts what is staged behind those in it. At
 * each vsync those whose TIME has come leave it: a plane shows what the last of them has for it,
 * what the others had was never seen. One for IMMEDIATE leaves at its TIME, with those before it.
 * What has left is in the log, a line for each of its planes, until that is taken; of more than
 * LOG_MAX the oldest are forgotten. CANCEL takes out all that have a tag from its value on, and
 * acts when its high half is written. A FLIP of the output, and PLANES_COMMIT, empty the queue. */
#define SOFTGPU_FLIP_QUEUE_MAX 16u
#define SOFTGPU_FLIP_LOG_MAX   64u

#define SOFTGPU_OUTPUT_QUEUE_TIME      0x300 /* RW: by REG_TIME, of the next; pair */
#define SOFTGPU_OUTPUT_QUEUE_COMMIT    0x308 /* WO: SOFTGPU_PLANES(mask, when) */
#define SOFTGPU_OUTPUT_QUEUE_LENGTH    0x30C /* RO: that wait */
#define SOFTGPU_OUTPUT_QUEUE_CANCEL    0x310 /* WO: pair */
#define SOFTGPU_OUTPUT_QUEUE_CANCELLED 0x318 /* RO: the least tag of those; 0: none, pair */
#define SOFTGPU_OUTPUT_QUEUE_LOG_TAG   0x320 /* RO: of the oldest line, pair */
#define SOFTGPU_OUTPUT_QUEUE_LOG_TIME  0x328 /* RO: since when it was sent; 0: never, pair */
#define SOFTGPU_OUTPUT_QUEUE_LOG_PLANE 0x330 /* RO */
#define SOFTGPU_OUTPUT_QUEUE_LOG_COUNT 0x334 /* RO: lines; writing anything takes the oldest */
/* Vsync interrupts come while any plane wants them: 0: always, ~0: never, else while the tag of
 * what it shows is at least this. */
#define SOFTGPU_OUTPUT_QUEUE_INTERRUPT(plane) (0x340 + (plane)*8) /* RW: pair */

#define SOFTGPU_PLANE_ENABLE   0x1u
#define SOFTGPU_PLANE_BLEND    0x2u /* premultiplied, over what is beneath; else it hides that */
#define SOFTGPU_PLANE_MIRROR_X 0x4u
#define SOFTGPU_PLANE_MIRROR_Y 0x8u
#define SOFTGPU_PLANE_TURN(n)  ((n) << 4) /* by n times 90 degrees, clockwise */

/* ---- Test registers --------------------------------------------------------------------------
 * They make the device misbehave on purpose, and act only while TEST_KEY holds its value. No
 * driver writes them. A whole-GPU reset leaves the TEST registers alone. */

#define SOFTGPU_TEST_KEY              0xF000 /* RW: SOFTGPU_TEST_KEY_VALUE */
#define SOFTGPU_TEST_LOSE_INTERRUPTS  0xF004 /* RW: the next n fence interrupts never happen */
#define SOFTGPU_TEST_DELAY_INTERRUPT  0xF008 /* RW: the next interrupt comes so many ns late */
#define SOFTGPU_TEST_SPURIOUS         0xF00C /* WO: raise the line with no status bit set */
#define SOFTGPU_TEST_STUCK_LINE       0xF010 /* RW: 1 keeps the line up whatever is acknowledged */
#define SOFTGPU_TEST_CONNECT          0xF014 /* RW: bit n: monitor on output n; hot-plug event */
#define SOFTGPU_TEST_LATE_WRITE       0xF018 /* RW: address written after each reset, or 0; pair */
#define SOFTGPU_TEST_LATE_WRITE_DELAY 0xF020 /* RW: how many ns after the reset */

/* Those of an engine. */
#define SOFTGPU_TEST_ENGINE_REG(engine, reg) (0xF100 + (engine)*0x40 + (reg))

#define SOFTGPU_TEST_HANG_AFTER     0x00 /* RW: hangs at the n-th next command */
#define SOFTGPU_TEST_FAULT_AFTER    0x04 /* RW: faults at the n-th next command */
#define SOFTGPU_TEST_FENCE_OFFSET   0x08 /* RW: signed; added to the next fence written */
#define SOFTGPU_TEST_IGNORE_PREEMPT 0x0C /* RW: the next n requests are ignored */
#define SOFTGPU_TEST_SLOW_DOWN      0x10 /* RW: n > 1: commands take n times as long */

#define SOFTGPU_TEST_KEY_VALUE   0x54534554u /* "TEST" */
#define SOFTGPU_LATE_WRITE_VALUE 0xDEADBEEFDEADBEEFull

/* ---- Rings ---------------------------------------------------------------------------------- */

/* 32 bytes, executed one after the other. The fence is written, and FENCE set in INTERRUPT_STATUS,
 * as the flags say: for EXECUTE when its buffer has ended, for FENCE at once. */
struct softgpu_packet {
    softgpu_u32 type_flags;                /* SOFTGPU_PACKET_... | _FLAG_... | space << 16 */
    softgpu_u32 progress;                  /* EXECUTE: what of the command at start is done */
    softgpu_u32 address_low, address_high; /* EXECUTE: the buffer, 4 byte aligned; CONTEXT: state */
    softgpu_u32 size_bytes;                /* EXECUTE: where the buffer ends; multiple of 4 */
    softgpu_u32 start;                     /* EXECUTE: byte offset of the first command to do */
    softgpu_u32 fence_low, fence_high;     /* CONTEXT: the low half goes to the CONTEXT register */
};

#define SOFTGPU_PACKET_SIZE      32u
#define SOFTGPU_PACKET_TYPE_MASK 0xFFu
#define SOFTGPU_PACKET_NOP       0u
#define SOFTGPU_PACKET_EXECUTE   1u
#define SOFTGPU_PACKET_FENCE     2u
#define SOFTGPU_PACKET_CONTEXT   3u

#define SOFTGPU_PACKET_FLAG_FENCE      0x0100u /* write the fence */
#define SOFTGPU_PACKET_FLAG_INTERRUPT  0x0200u /* set FENCE in INTERRUPT_STATUS */
#define SOFTGPU_PACKET_FLAG_PRIVILEGED 0x0400u /* the buffer was written by the driver itself */
#define SOFTGPU_PACKET_FLAG_ATOMIC     0x0800u /* never preempted in its middle */
#define SOFTGPU_PACKET_FLAGS           0x0F00u
/* CONTEXT alone: the address is that of its struct softgpu_context_state, in the address space that
 * the packet names, if it names one. The engine checks it and counts it up: who runs with another's
 * state, or with none, or with that of another root table, faults. With _KEEP it has the state
 * until a CONTEXT packet makes it leave, and writes it back where it found it: memory that moved
 * meanwhile misses that, and who enters such a state faults. A reset forgets what is kept. */
#define SOFTGPU_PACKET_FLAG_STATE 0x1000u
#define SOFTGPU_PACKET_FLAG_KEEP  0x2000u
/* EXECUTE alone, with GPU addresses: the place of the address space has the low half of the number
 * of the context that the buffer belongs to, 0 for none. In another one the engine faults. */
#define SOFTGPU_PACKET_FLAG_OF_CONTEXT 0x4000u
#define SOFTGPU_PACKET_VMID_SHIFT \
    16 /* EXECUTE, _FLAG_STATE: the address space; 0: GPU
                                      addresses */

/* ---- Commands -------------------------------------------------------------------------------
 * A command is a header word and its operands, all 32-bit words. Buffers hold whole commands. */

#define SOFTGPU_COMMAND(opcode, word_count) \
    ((softgpu_u32)(opcode) << 16 | (softgpu_u32)(word_count))
#define SOFTGPU_COMMAND_OPCODE(header) ((softgpu_u32)(header) >> 16)
#define SOFTGPU_COMMAND_WORDS(header)  ((softgpu_u32)(header)&0xFFFFu) /* with the header */
#define SOFTGPU_COMMAND_WORDS_OF(type) (sizeof(type) / 4)

/* Synchronisation: every engine. (P): privileged buffers only. */
#define SOFTGPU_OP_NOP       0x00 /* any number of words */
#define SOFTGPU_OP_WRITE     0x01 /* struct softgpu_command_write */
#define SOFTGPU_OP_WAIT      0x02 /* struct softgpu_command_wait */
#define SOFTGPU_OP_TIMESTAMP 0x03 /* struct softgpu_command_address: writes 64-bit nanoseconds */
#define SOFTGPU_OP_FENCE     0x04 /* struct softgpu_command_fence (P) */
#define SOFTGPU_OP_INTERRUPT 0x05 /* no operands: sets USER in INTERRUPT_STATUS (P) */
#define SOFTGPU_OP_DELAY     0x06 /* struct softgpu_command_delay */
#define SOFTGPU_OP_HANG      0x07 /* no operands: the engine spins until it is reset */
#define SOFTGPU_OP_FENCE64   0x08 /* struct softgpu_command_fence64 */
#define SOFTGPU_OP_SIGNAL    0x09 /* struct softgpu_command_signal */

/* Linear memory: every engine. */
#define SOFTGPU_OP_FILL         0x10 /* struct softgpu_command_fill */
#define SOFTGPU_OP_COPY         0x11 /* struct softgpu_command_copy; the ranges may overlap */
#define SOFTGPU_OP_COPY_PAGES   0x12 /* struct softgpu_command_copy_pages, then the list (P) */
#define SOFTGPU_OP_MAP_APERTURE 0x13 /* struct softgpu_command_map_aperture, then the list (P) */
#define SOFTGPU_OP_WRITE_PTE    0x14 /* struct softgpu_command_write_pte, then the entries (P) */
#define SOFTGPU_OP_COPY_PTE     0x15 /* struct softgpu_command_copy_pte (P) */
#define SOFTGPU_OP_FLUSH_TLB    0x16 /* struct softgpu_command_flush_tlb (P) */

/* Pictures: the 3D engine; the first four the compute engine, too. */
#define SOFTGPU_OP_FILL_RECT 0x20 /* struct softgpu_command_fill_rect */
#define SOFTGPU_OP_BLT       0x21 /* struct softgpu_command_blt; within one surface too */
#define SOFTGPU_OP_STRETCH   0x22 /* struct softgpu_command_stretch */
#define SOFTGPU_OP_ROTATE    0x23 /* struct softgpu_command_rotate */
#define SOFTGPU_OP_OVER      0x24 /* struct softgpu_command_over */
#define SOFTGPU_OP_TRIANGLES 0x25 /* struct softgpu_command_triangles, then the vertices */
#define SOFTGPU_OP_FLIP      0x26 /* struct softgpu_command_flip (P) */
#define SOFTGPU_OP_COMBINE   0x27 /* softgpu_combine.h; the compute engine, too */
/* Compute engine. */
#define SOFTGPU_OP_COMPUTE 0x30 /* struct softgpu_command_compute */

#define SOFTGPU_FORMAT_BGRX8  1u /* 32 bits 0xXXRRGGBB; XX is written as FF, but copied by BLT */
#define SOFTGPU_FORMAT_BGRA8  2u /* 32 bits 0xAARRGGBB, premultiplied where that matters */
#define SOFTGPU_FORMAT_RGB565 3u /* 16 bits */
#define SOFTGPU_FORMAT_RGBA8  4u /* 32 bits 0xAABBGGRR */
#define SOFTGPU_FORMAT_P8     5u /* 8 bits: an index, copied to its like alone; OUTPUT_PALETTE */

/* The layout of a surface. Linear: byte n of its rows, one behind the other, is at address + n. Or
 * swizzled: these bytes are cut into pages of 4 KiB, which are dealt out to four banks in turn, the
 * last bank first, so that neighbours come from different ones. Of eight pages:
 *
 *     place   0 1 | 2 3 | 4 5 | 6 7
 *     page    3 7 | 2 6 | 1 5 | 0 4
 *
 * A surface of a command says it in its format, by the pages of a bank; its address is that of
 * place 0 then, a multiple of 4 KiB, and its rows fit in the banks. No other command knows more
 * than bytes: whoever copies pages to and from a swizzled surface gives them in the order of their
 * places. No plane shows one. */
#define SOFTGPU_FORMAT_MASK       0xFFu
#define SOFTGPU_FORMAT_BANK_SHIFT 8 /* 0 pages: linear */
#define SOFTGPU_BANK_COUNT        4u
#define SOFTGPU_BANK_PAGES_MAX    0xFFFFFFu
#define SOFTGPU_BANK_PLACE(page, bank_pages)                                 \
    ((SOFTGPU_BANK_COUNT - 1 - (page) % SOFTGPU_BANK_COUNT) * (bank_pages) + \
     (page) / SOFTGPU_BANK_COUNT)

#define SOFTGPU_SURFACE_SIZE_MAX 16384u /* pixels, either way */

struct softgpu_address {
    softgpu_u32 low, high;
};

struct softgpu_surface {
    struct softgpu_address address; /* of the top left pixel; aligned to the pixel size */
    softgpu_u32 pitch_bytes;        /* a multiple of the pixel size, >= width * pixel size */
    softgpu_u32 format;             /* SOFTGPU_FORMAT_..., pages of a bank above */
    softgpu_u32 width, height;      /* 1 ... SOFTGPU_SURFACE_SIZE_MAX */
};

/* Right and bottom are outside. */
struct softgpu_rect {
    int left, top, right, bottom;
};

struct softgpu_command_address {
    softgpu_u32 header;
    struct softgpu_address address; /* 8 byte aligned */
};

struct softgpu_command_write {
    softgpu_u32 header;
    softgpu_u32 flags;              /* SOFTGPU_WRITE_64 */
    struct softgpu_address address; /* aligned to its size */
    softgpu_u32 value_low, value_high;
};
#define SOFTGPU_WRITE_64 0x1u

/* The engine looks at memory again and again until the condition holds. A waiting engine can be
 * preempted. Values are unsigned. */
struct softgpu_command_wait {
    softgpu_u32 header;
    softgpu_u32 condition;          /* SOFTGPU_WAIT_..., | SOFTGPU_WAIT_64 */
    struct softgpu_address address; /* aligned to its size */
    softgpu_u32 value_low, value_high;
};
#define SOFTGPU_WAIT_EQUAL      0u
#define SOFTGPU_WAIT_AT_LEAST   1u
#define SOFTGPU_WAIT_NOT_EQUAL  2u
#define SOFTGPU_WAIT_CONDITIONS 0x3u
#define SOFTGPU_WAIT_64         0x4u

struct softgpu_command_fence {
    softgpu_u32 header;
    softgpu_u32 flags; /* SOFTGPU_FENCE_INTERRUPT */
    softgpu_u32 fence_low, fence_high;
};
#define SOFTGPU_FENCE_INTERRUPT 0x1u

/* Stores a value when everything before it in the engine is done and can be seen. */
struct softgpu_command_fence64 {
    softgpu_u32 header;
    softgpu_u32 flags;              /* SOFTGPU_FENCE_INTERRUPT: sets USER after that */
    struct softgpu_address address; /* 8 byte aligned */
    softgpu_u32 value_low, value_high;
};

/* The same; then the engine reads the 64 bits at `monitored`, and sets SIGNAL if the value is
 * larger than those. */
struct softgpu_command_signal {
    softgpu_u32 header;
    softgpu_u32 flags;                         /* 0 */
    struct softgpu_address address, monitored; /* 8 byte aligned */
    softgpu_u32 value_low, value_high;
};

struct softgpu_command_delay {
    softgpu_u32 header;
    softgpu_u32 nanoseconds;
};

/* Addresses and sizes need no alignment; byte n is set to byte n % 4 of the pattern. */
struct softgpu_command_fill {
    softgpu_u32 header;
    softgpu_u32 pattern;
    struct softgpu_address address;
    softgpu_u32 size_low, size_high;
};

struct softgpu_command_copy {
    softgpu_u32 header;
    softgpu_u32 flags; /* 0 */
    struct softgpu_address destination;
    struct softgpu_address source;
    softgpu_u32 size_low, size_high;
};

/* Between GPU addresses and a list of system pages, as a memory descriptor list has it. The list
 * is 64-bit page frame numbers; the data begins first_byte bytes into the first page. It follows
 * the command, or lies at list_address if flags has SOFTGPU_PAGES_INDIRECT. */
struct softgpu_command_copy_pages {
    softgpu_u32 header;
    softgpu_u32 flags;              /* SOFTGPU_PAGES_... */
    struct softgpu_address address; /* the side that is not in the list */
    softgpu_u32 size_low, size_high;
    softgpu_u32 first_byte;              /* < 4096 */
    softgpu_u32 page_count;              /* entries of the list; enough for the size */
    struct softgpu_address list_address; /* 8 byte aligned, or 0 */
};
#define SOFTGPU_PAGES_TO_LIST  0x1u /* else from the list to `address` */
#define SOFTGPU_PAGES_INDIRECT 0x2u

/* Writes page_count entries of the aperture's table from first_page on. */
struct softgpu_command_map_aperture {
    softgpu_u32 header;
    softgpu_u32 flags;      /* SOFTGPU_MAP_... */
    softgpu_u32 first_page; /* index into the table */
    softgpu_u32 page_count;
    struct softgpu_address list_address; /* as in COPY_PAGES; with SOFTGPU_MAP_REPEAT the one
                                            physical address for all; with SOFTGPU_MAP_INVALID 0 */
};
#define SOFTGPU_MAP_INDIRECT  0x1u /* the list lies at list_address */
#define SOFTGPU_MAP_REPEAT    0x2u /* no list: all entries to one page, e.g. a dummy page */
#define SOFTGPU_MAP_INVALID   0x4u /* no list: entries become invalid */
#define SOFTGPU_MAP_READ_ONLY 0x8u

/* Writes entry_count entries of a page table, each at once and whole, `stride_bytes` apart. They
 * follow the command, 64 bits each; with SOFTGPU_PTES_REPEAT there is one for all. */
struct softgpu_command_write_pte {
    softgpu_u32 header;
    softgpu_u32 flags;              /* SOFTGPU_PTES_... */
    struct softgpu_address address; /* of the first entry, 8 byte aligned */
    softgpu_u32 stride_bytes;       /* 8, or 16 for one half of pairs */
    softgpu_u32 entry_count;
};
#define SOFTGPU_PTES_PHYSICAL 0x1u /* table addresses are GPU addresses in any address space */
#define SOFTGPU_PTES_REPEAT   0x2u

/* Copies entries from table to table when the engine gets there. The ranges do not overlap. */
struct softgpu_command_copy_pte {
    softgpu_u32 header;
    softgpu_u32 flags; /* SOFTGPU_PTES_PHYSICAL */
    struct softgpu_address destination;
    struct softgpu_address source;
    softgpu_u32 entry_count;
};

/* The TLBs of all engines forget the addresses [start, end) under a tag; with both 0 all of them.
 */
struct softgpu_command_flush_tlb {
    softgpu_u32 header;
    softgpu_u32 flags; /* SOFTGPU_FLUSH_EVERY_TAG */
    softgpu_u32 tag;
    struct softgpu_address start, end;
};
#define SOFTGPU_FLUSH_EVERY_TAG 0x1u

/* Colours are given in the destination's format. Rectangles that leave a surface are faults, but
 * for `clip`, which is cut to the destination; an empty clip is allowed and draws nothing. */
struct softgpu_command_fill_rect {
    softgpu_u32 header;
    softgpu_u32 colour;
    struct softgpu_surface destination;
    struct softgpu_rect rect;
};

struct softgpu_command_blt {
    softgpu_u32 header;
    softgpu_u32 flags; /* SOFTGPU_BLT_... */
    softgpu_u32 key;   /* in the format of the surface it is compared with, without alpha */
    struct softgpu_surface destination;
    struct softgpu_surface source;
    int x, y; /* top left corner in the destination */
    struct softgpu_rect source_rect;
};
#define SOFTGPU_BLT_SOURCE_KEY      0x1u /* source pixels equal to the key are left out */
#define SOFTGPU_BLT_DESTINATION_KEY 0x2u /* only destination pixels equal to the key change */
#define SOFTGPU_BLT_LINEAR_TO_SRGB  0x4u /* the source counts light; keys are compared before */

struct softgpu_command_stretch {
    softgpu_u32 header;
    softgpu_u32 flags; /* SOFTGPU_STRETCH_... */
    struct softgpu_surface destination;
    struct softgpu_surface source;
    struct softgpu_rect destination_rect; /* may leave the destination: clip decides */
    struct softgpu_rect source_rect;
    struct softgpu_rect clip;
};
#define SOFTGPU_STRETCH_BILINEAR 0x1u /* else nearest */

/* Clockwise; 90 and 270 exchange width and height. */
struct softgpu_command_rotate {
    softgpu_u32 header;
    softgpu_u32 quarter_turns; /* 0 ... 3 */
    struct softgpu_surface destination;
    struct softgpu_surface source;
    int x, y; /* top left corner in the destination */
    struct softgpu_rect source_rect;
};

/* destination = source * opacity / 255 + destination * (1 - alpha of that); source BGRA8
 * premultiplied, destination BGRA8 or BGRX8. Exactly Porter-Duff OVER with rounding as pixman. */
struct softgpu_command_over {
    softgpu_u32 header;
    softgpu_u32 opacity; /* 0 ... 255 */
    struct softgpu_surface destination;
    struct softgpu_surface source;
    int x, y;
    struct softgpu_rect source_rect;
};

/* A pixel is covered if its centre is inside of all three edges; a centre on an edge belongs to
 * top and left edges. Three vertices a triangle; either winding. Opaque, or OVER if flagged. */
struct softgpu_vertex {
    int x, y;           /* pixels * 16; |value| <= 16384 * 16 */
    softgpu_u32 colour; /* 0xAARRGGBB premultiplied */
};
struct softgpu_command_triangles {
    softgpu_u32 header;
    softgpu_u32 flags;                  /* SOFTGPU_TRIANGLES_... */
    struct softgpu_surface destination; /* 32-bit BGRA8 or BGRX8 */
    struct softgpu_rect clip;
    softgpu_u32 triangle_count; /* then 3 * triangle_count struct softgpu_vertex */
};
#define SOFTGPU_TRIANGLES_GOURAUD 0x1u /* else the first vertex' colour */
#define SOFTGPU_TRIANGLES_BLEND   0x2u

/* As writing the output's registers, in order with the engine's work. With SOFTGPU_FLIP_WAIT the
 * engine goes on only when the flip has been latched. */
struct softgpu_command_flip {
    softgpu_u32 header;
    softgpu_u32 flags; /* SOFTGPU_FLIP_VSYNC or _IMMEDIATE, | SOFTGPU_FLIP_WAIT */
    softgpu_u32 output;
    struct softgpu_address address;
    softgpu_u32 pitch_bytes;
    softgpu_u32 format;
    softgpu_u32 tag;
};
#define SOFTGPU_FLIP_WAIT 0x4u

/* 32-bit elements, wrapping arithmetic; addresses 4 byte aligned. HASH with scalar 0 begins with
 * FNV's usual 0x811C9DC5. */
struct softgpu_command_compute {
    softgpu_u32 header;
    softgpu_u32 kernel; /* SOFTGPU_KERNEL_... */
    softgpu_u32 count;  /* elements of the sources */
    softgpu_u32 scalar;
    struct softgpu_address result;
    struct softgpu_address source_a;
    struct softgpu_address source_b; /* 0 if the kernel has one source */
};
#define SOFTGPU_KERNEL_ADD   0u /* result[i] = a[i] + b[i] */
#define SOFTGPU_KERNEL_MAD   1u /* result[i] = a[i] * scalar + b[i] */
#define SOFTGPU_KERNEL_SUM   2u /* result[0] = sum of a[i] + scalar */
#define SOFTGPU_KERNEL_HASH  3u /* result[0] = FNV-1a of the bytes of a, begun with scalar */
#define SOFTGPU_KERNEL_IOTA  4u /* result[i] = scalar + i; no source, count is that of result */
#define SOFTGPU_KERNEL_COUNT 5u

#endif

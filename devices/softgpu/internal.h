/* internal.h: the parts of the software GPU, as its files see each other.
 *
 *   softgpu.c    life, options, the register map's global part
 *   interrupt.c  status bits, line and messages, and the test registers that spoil them
 *   engine.c     rings, time, packets; preempt.c: stopping an engine and putting it back
 *   schedule.h   hardware queues: queues.c, schedule.c, log.c
 *   command.c    fetching and checking commands; commands_*.c: doing them
 *   surface.c    rows of pixels at GPU addresses
 *   address.c    from GPU addresses to host memory; mmu.c: from virtual to GPU addresses
 *   host.c       the host aperture: what BAR 0 shows the CPU
 *   display.c    surfaces, vsync, scan-out; planes.c, overlays.c; edid.c: the monitors
 *   raster*.c, memory_copy.c: pixels and bytes, knowing nothing of the GPU
 *
 * Everything runs on the machine's one thread, in a callback of the device. Nothing here trusts
 * what it reads from rings, buffers or registers. */
#ifndef SOFTGPU_INTERNAL_H
#define SOFTGPU_INTERNAL_H

#include <drydock/device.h>

#include "memory_copy.h"
#include "schedule.h"
#include "softgpu_overlays.h"
#include "softgpu_regs.h"
#include "softgpu_scaler.h"

struct softgpu;

/* ---- address.c ---- */

struct fault {
    uint32_t reason; /* SOFTGPU_FAULT_... */
    uint64_t address;
    uint32_t access, level; /* in an address space: SOFTGPU_ACCESS_..., and of the page table */
};

/* Who asks for memory, and what went wrong if it failed. */
struct access {
    struct softgpu *gpu;
    bool privileged; /* may use system memory by physical address */
    bool only_asks;  /* a bus fault is an answer, nothing to report */
    bool executes;   /* what it reads are commands */
    /* Addresses are virtual: of this space, by the TLB of this engine. 0: GPU addresses. */
    uint32_t space;
    struct engine *engine;
    struct fault fault;
};

enum access_kind { ACCESS_READ, ACCESS_WRITE };

/* Is [address, +size) within one of the three windows? Sets the fault if not. */
bool address_check(struct access *access, uint64_t address, uint64_t size);

/* Host memory for the beginning of [address, +size); *mapped_size says for how much of it, at
 * least one byte. NULL: the fault is set. The view holds until the callback returns. */
uint8_t *address_map(struct access *access, uint64_t address, uint64_t size, enum access_kind kind,
                     uint64_t *mapped_size);

/* The whole range as one piece, or NULL without a fault if it is not one. */
uint8_t *address_map_whole(struct access *access, uint64_t address, uint64_t size,
                           enum access_kind kind);

bool address_read(struct access *access, uint64_t address, void *bytes, uint64_t size);
bool address_write(struct access *access, uint64_t address, const void *bytes, uint64_t size);

/* One entry of the aperture's table. False: no such entry. */
bool address_set_aperture(struct softgpu *gpu, uint64_t page, uint64_t entry);
/* Where in system memory an address of the aperture leads. */
bool address_look_up(struct softgpu *gpu, uint64_t address, uint64_t *physical);

/* Do these addresses, by no table, lead to the computer's memory within [physical, +size)? */
bool address_meets(uint64_t address, uint64_t length, uint64_t physical, uint64_t size);

/* Does it lie in video memory? */
bool address_is_local(struct access *access, uint64_t address);

/* ---- host.c: what BAR 0 shows the CPU ---- */

struct host_aperture {
    uint64_t base, size, table;
    bool enabled;
};

bool host_exists(const struct softgpu *gpu);
uint32_t host_read(const struct softgpu *gpu, uint32_t reg);
void host_write(struct softgpu *gpu, uint32_t reg, uint32_t value);
/* BAR 0 shows video memory as it is. */
void host_reset(struct softgpu *gpu);

/* ---- mmu.c ---- */

#define TLB_ENTRIES 1024u

/* A translation of 4 KiB; tag 0: none. */
struct tlb_entry {
    uint64_t page;  /* virtual address / 4 KiB */
    uint64_t entry; /* flags of the page's entry, and its GPU address */
    uint32_t tag;
};

/* A leaf table that was found; tag 0: none. */
struct tlb_leaf {
    uint64_t first; /* virtual address / what the table covers */
    uint64_t table;
    uint32_t tag;
    bool is_64k;
};

struct tlb {
    bool used;
    struct tlb_leaf leaf;
    struct tlb_entry entries[TLB_ENTRIES];
};

struct mmu_space {
    uint64_t root;
    uint32_t entry_count, tag;
};

struct mmu {
    /* Registers. */
    uint32_t control;
    uint64_t index_bits;
    bool spaces_used;
    struct mmu_space spaces[SOFTGPU_SPACE_COUNT];

    /* What they mean. */
    bool enabled;
    bool shared;    /* the IOMMU translates, by PASIDs */
    bool remembers; /* and TLBs know what it said */
    unsigned levels, address_bits;
    unsigned shift[SOFTGPU_LEVEL_MAX]; /* of a level's index in an address */

    uint8_t zeros[SOFTGPU_PAGE_SIZE];   /* what a page that is zero reads as */
    uint8_t dropped[SOFTGPU_PAGE_SIZE]; /* what is written to it; nobody reads that */
};

/* Does the computer's IOMMU know PASIDs? */
bool mmu_has_pasids(const struct softgpu *gpu);
/* And does it tell who remembers? */
bool mmu_may_remember(const struct softgpu *gpu);
/* May a packet name this space? */
bool mmu_has_space(const struct softgpu *gpu, uint32_t space);

/* As the functions of address.c, for an access with a space. */
bool mmu_check(struct access *access, uint64_t address, uint64_t size);
uint8_t *mmu_map(struct access *access, uint64_t address, uint64_t size, enum access_kind kind,
                 uint64_t *mapped_size);
/* False: no memory is there. */
bool mmu_locate(struct access *access, uint64_t address, uint64_t *gpu_address);
/* Is this host memory of a page that is zero? Then what is written there cannot be read. */
bool mmu_is_nothing(const struct softgpu *gpu, const uint8_t *bytes);

/* For the judge of the driver's tables, who asks as device.h says. */
bool mmu_next_space(const struct softgpu *gpu, unsigned *space, struct device_address_space *found);
void mmu_look_up(struct softgpu *gpu, unsigned space, uint64_t address,
                 struct device_translation *translation);
bool mmu_next_remembered(const struct softgpu *gpu, unsigned space, uint64_t *cursor,
                         struct device_remembered *found);

/* All engines forget [start, end) under the tag, or with 0, 0 all under the tag. */
void mmu_flush(struct softgpu *gpu, uint32_t tag, uint64_t start, uint64_t end);
void mmu_flush_everything(struct softgpu *gpu);
void mmu_forget_all(struct tlb *tlb);
void mmu_reset(struct softgpu *gpu);

uint32_t mmu_read(const struct softgpu *gpu, uint32_t reg);
void mmu_write(struct softgpu *gpu, uint32_t reg, uint32_t value);
uint32_t mmu_space_read(const struct softgpu *gpu, uint32_t space, uint32_t reg);
void mmu_space_write(struct softgpu *gpu, uint32_t space, uint32_t reg, uint32_t value);

/* ---- engine.c, preempt.c ---- */

enum engine_phase {
    ENGINE_IDLE,   /* nothing in the ring */
    ENGINE_BUFFER, /* at `offset` of the current packet's buffer */
    ENGINE_ENDING, /* the buffer has ended, the fence is still to be written */
};

struct engine {
    /* Fixed at creation. */
    struct softgpu *gpu;
    unsigned index;

    /* Set by the driver. */
    uint32_t control;
    uint64_t ring_base;
    uint32_t ring_size, head, tail;
    uint64_t fence_address;
    uint64_t preempt_address;
    uint32_t power; /* SOFTGPU_POWER_... */

    /* Where it is. */
    enum engine_phase phase;
    bool busy; /* a tick is outstanding, or it hangs, or it waits for a flip */
    bool waiting;
    bool in_packet;  /* traced as begun */
    bool started;    /* the current packet has executed something */
    int wait_output; /* the output whose flip it waits for, or -1 */
    uint32_t backoff_ns;
    uint64_t generation; /* of the outstanding tick */
    struct softgpu_packet packet;
    uint32_t offset, progress;
    uint64_t fence;
    uint32_t context;
    struct {
        uint64_t place; /* 0: it keeps none */
        uint32_t space, context;
    } kept;         /* the state of its context, until it leaves it */
    uint32_t epoch; /* since which reset, of all engines' */

    struct engine_schedule schedule;

    /* Preemption. */
    bool preempt_requested;
    uint32_t preempt_id;
    struct softgpu_preempt_block preempted;

    /* Fault. */
    bool faulted;
    struct fault fault;
    uint32_t fault_command;

    uint32_t *fetch_buffer; /* a command that lies in scattered pages is gathered here */
    uint8_t *scratch;       /* and rows of pixels here; SCRATCH_BYTES */
    struct tlb tlb;

    /* Test registers. */
    uint32_t test_hang_after, test_fault_after, test_fence_offset, test_ignore_preempt;
    uint32_t test_slow_down;
};

bool engine_init(struct softgpu *gpu, unsigned index);
/* context.c: a CONTEXT packet. False: the engine faulted. */
bool engine_change_context(struct engine *engine);
/* A reset: it is in no context, and what it kept of one is lost. */
void engine_forget_context(struct engine *engine);
void engine_fini(struct engine *engine);
void engine_reset(struct engine *engine);
void engine_tick(struct engine *engine, uint64_t generation);
void engine_doorbell(struct engine *engine, uint32_t tail);
uint32_t engine_read(struct engine *engine, uint32_t reg);
void engine_write(struct engine *engine, uint32_t reg, uint32_t value);
/* As goes_to() of device.h. */
bool engine_goes_to(const struct engine *engine, uint64_t physical, uint64_t size, char *text,
                    size_t text_size);
void engine_schedule(struct engine *engine, uint64_t delay_ns);
void engine_fail(struct engine *engine, const struct fault *fault, uint32_t command);
/* While it read or wrote the state of a context. */
void engine_fail_in_state(struct engine *engine, const struct fault *fault, uint32_t context,
                          uint32_t space);
bool engine_write_fence(struct engine *engine, uint64_t value, struct fault *fault);
void engine_flip_latched(struct softgpu *gpu, unsigned output);

void preempt_request(struct engine *engine, uint32_t id);
/* Is the engine where CONTROL's granularity lets it leave what it has in work? */
bool preempt_is_place(const struct engine *engine);
/* May the engine stop where it is? */
bool preempt_possible(const struct engine *engine);
void preempt_complete(struct engine *engine);

/* ---- command.c, commands_*.c ---- */

enum command_result {
    COMMAND_DONE,
    COMMAND_CONTINUE,  /* a slice is done; progress says how far */
    COMMAND_WAIT,      /* nothing to do until cost_ns has passed, then again */
    COMMAND_WAIT_FLIP, /* nothing to do until engine->wait_output has flipped */
    COMMAND_HANG,
    COMMAND_FAULT,
};

/* One command on its way. It is fetched anew for each slice. */
struct command {
    struct engine *engine;
    struct access access;
    const uint32_t *words;
    uint32_t word_count;
    uint32_t progress; /* in and out; never trusted */
    uint64_t cost_ns;  /* out */
};

typedef enum command_result command_fn(struct command *command);

/* Executes a slice of the command at engine->offset. spent_ns is what this tick has used so far: a
 * command that must happen at its exact time answers COMMAND_WAIT if that is not zero. */
enum command_result command_step(struct engine *engine, struct command *command, uint64_t spent_ns);

enum command_result command_fault(struct command *command, uint32_t reason, uint64_t address);

command_fn command_nop, command_write, command_wait, command_timestamp, command_fence,
    command_interrupt, command_delay, command_hang, command_fence64, command_signal;
command_fn command_fill, command_copy, command_copy_pages, command_map_aperture;
command_fn command_write_pte, command_copy_pte, command_flush_tlb;
command_fn command_fill_rect, command_blt, command_stretch, command_rotate, command_over,
    command_triangles, command_flip, command_combine;
command_fn command_compute;

/* Rates of the hardware, in bytes or pixels per nanosecond, and what each command costs. */
#define COST_COMMAND_NS     20
#define RATE_FILL           32
#define RATE_COPY_LOCAL     16
#define RATE_COPY_SYSTEM    8
#define RATE_PIXELS         4
#define RATE_PIXELS_SAMPLED 2
#define RATE_COMPUTE        4
#define SLICE_BYTES         0x100000u
#define SLICE_PIXELS        0x40000u

/* Scratch memory of an engine: four rows of the widest surface, then two slices of pixels. */
#define SCRATCH_ROW_BYTES (SOFTGPU_SURFACE_SIZE_MAX * 4u)
#define SCRATCH_BYTES     (4 * SCRATCH_ROW_BYTES + 2 * SLICE_PIXELS * 4u)

static inline uint64_t address_of(struct softgpu_address address)
{
    return (uint64_t)address.high << 32 | address.low;
}

static inline uint64_t pair(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

/* ---- surface.c ---- */

/* A surface as a command named it, checked. */
struct surface {
    uint64_t address;
    uint32_t pitch, format, pixel_size, width, height;
    uint32_t bank_pages; /* 0: linear */
    uint8_t *base;       /* host view of the whole surface, or NULL if it is scattered */
    enum access_kind kind;
    uint8_t *page; /* of those that a row ended in the latest, and where it is; NULL: none */
    uint64_t page_place;
};

/* Checks the description and finds the memory. */
bool surface_open(struct command *command, const struct softgpu_surface *description,
                  enum access_kind kind, struct surface *surface);
/* False: a pixel is an index, which tells no colour by itself. */
bool surface_has_colours(uint32_t format);
uint32_t surface_pixel_size(uint32_t format);
bool surface_contains(const struct surface *surface, const struct softgpu_rect *rect);
/* How many bytes from its address on are its own. 0: they do not hold its rows. */
uint64_t surface_extent(const struct surface *surface);

/* Pixels [x, x + count) of row y: either where they are, or gathered into `scratch`. */
uint8_t *surface_row(struct command *command, const struct surface *surface, uint32_t x, uint32_t y,
                     uint32_t count, uint8_t *scratch);
/* Part of a row that lies in one piece of memory. */
struct surface_piece {
    uint8_t *bytes;
    uint32_t pixels;
};

#define SURFACE_PIECES_MAX (SCRATCH_ROW_BYTES / SOFTGPU_PAGE_SIZE + 1)

/* The same where they are, of as many pieces as that takes. 0: some of it is not there. */
unsigned surface_row_pieces(struct command *command, struct surface *surface, uint32_t x,
                            uint32_t y, uint32_t count, struct surface_piece pieces[]);
/* Puts a row back that surface_row had gathered; nothing to do if it was in place. */
bool surface_row_put(struct command *command, const struct surface *surface, uint32_t x, uint32_t y,
                     uint32_t count, const uint8_t *row);

/* ---- display.c, edid.c ---- */

struct plane {
    uint64_t address, right; /* right: of the right eye */
    uint32_t pitch, format, tag;
};

/* What a plane shows, and where. */
struct layer {
    struct plane surface; /* its tag is not used */
    uint32_t source_position, source_size, target_position, target_size, clip_position, clip_size;
    uint32_t control, key; /* key: of an overlay */
    uint32_t right_offset; /* of the right eye's image, behind the surface's address */
    uint64_t tag;
};

/* Flips of planes that wait for their time, oldest first; and what became of those before. */
struct queued_flip {
    struct layer layers[SOFTGPU_PLANE_MAX];
    uint32_t mask;
    uint64_t not_before_ns;
    bool at_once;
};

struct flip_line {
    uint64_t tag, time_ns;
    unsigned plane;
};

struct flip_queue {
    struct queued_flip waiting[SOFTGPU_FLIP_QUEUE_MAX];
    unsigned length;
    uint64_t next_ns, cancel, cancelled;
    struct flip_line log[SOFTGPU_FLIP_LOG_MAX]; /* a ring */
    unsigned log_first, log_count;
    uint64_t interrupt[SOFTGPU_PLANE_MAX];
    uint64_t generation; /* of the tick for one that is shown at once */
};

/* The same of an overlay: what the registers say, what the next vsync takes over, what is seen. */
struct overlay {
    struct layer staged, waiting, shown;
    bool waits;
};

/* What its EDID says is its best mode: 1920 x 1080, 1280 x 1024, 1366 x 768, 800 x 600. */
enum edid_kind { EDID_ONE, EDID_TWO, EDID_ODD, EDID_SMALL };

struct monitor {
    enum edid_kind kind;
    unsigned number; /* of those that are plugged in there one after the other */
};

struct output {
    struct softgpu *gpu;
    unsigned index;

    /* staged: what the registers say; waiting: those of waiting_mask, until the next vsync. */
    struct layer staged[SOFTGPU_PLANE_MAX], waiting[SOFTGPU_PLANE_MAX], layers[SOFTGPU_PLANE_MAX];
    uint32_t waiting_mask;
    struct flip_queue flips; /* flips.c */
    struct overlay overlays[SOFTGPU_OVERLAY_MAX];
    bool layered; /* the planes are shown, not `shown` */

    uint32_t control, width, height, period_ns;
    struct plane next, shown; /* next: what the registers say; shown: what is scanned out */
    struct plane pending;     /* between a flip and its vsync */
    bool right_scanned;       /* while its picture is made */
    struct plane shown_right; /* what the right eye is sent from; its own address is not used */
    bool right_due;           /* the vsync that comes makes it what is shown */
    bool flip_pending, has_picture, connected, scan_fault;
    struct monitor monitor;
    uint32_t cursor_control, cursor_position, cursor_size, cursor_pitch;
    uint64_t cursor_address;
    uint32_t palette[SOFTGPU_PALETTE_SIZE], palette_index;

    /* Vsync n happens at epoch_ns + n * period. A tick is asked for only while somebody waits. */
    uint64_t epoch_ns, generation;
    bool tick_outstanding;
    /* notices.c */
    uint32_t notices[SOFTGPU_NOTICE_COUNT], notices_due;
    uint64_t notice_ns, notice_generation;

    uint32_t *frame; /* composed picture */
    size_t frame_pixels;
    /* scaler.c */
    uint32_t source_size, window_position, window_size;
    uint32_t *sent; /* the frame in its window */
    size_t sent_pixels;
};

void display_init(struct softgpu *gpu, unsigned index);
void display_fini(struct output *output);
void display_reset(struct output *output);
uint32_t display_read(struct output *output, uint32_t reg);
void display_write(struct output *output, uint32_t reg, uint32_t value);
void display_tick(struct output *output, uint64_t generation);
/* Somebody may have become interested in vsync. */
void display_update(struct output *output);
void display_connect(struct output *output, bool connected);
uint32_t display_period(const struct output *output); /* ns */
/* notices.c: something changed of the output's time. */
void notices_update(struct output *output);
void notices_tick(struct output *output, uint64_t generation);
void notices_write(struct output *output, uint32_t reg, uint32_t value);
uint32_t notices_read(const struct output *output, uint32_t reg);
void notices_reset(struct output *output);
/* False if the output is disabled: the plane is shown at once then. */
bool display_flip(struct output *output, const struct plane *plane, uint32_t when);
/* The state in which firmware leaves the board's first output; false: it has no monitor. */
bool display_light_up(struct output *output, const struct device_firmware_picture *picture);
/* The picture that a monitor shows; of one eye, while it is in stereo. */
struct scanned {
    const void **pixels;
    unsigned *width, *height, *stride_bytes;
};
bool display_scanout(struct output *output, const struct scanned *out);
/* False: it is not in stereo. */
bool display_scanout_eye(struct output *output, bool right, const struct scanned *out);

/* ---- planes.c ---- */

/* Of a register behind SOFTGPU_PLANE_REG(output, 0, 0), as an offset from there. */
uint32_t planes_read(const struct output *output, uint32_t reg);
void planes_write(struct output *output, uint32_t reg, uint32_t value);
void planes_commit(struct output *output, uint32_t value);
/* Those that wait are shown; false: none waited. */
bool planes_latch(struct output *output);
void planes_hide(struct output *output);   /* those that are shown */
void planes_forget(struct output *output); /* those that wait, in the queue, too */

/* Registers from SOFTGPU_PLANE_SURFACE to SOFTGPU_PLANE_TAG. */
uint32_t layer_read(const struct layer *layer, uint32_t reg);
void layer_write(struct layer *layer, uint32_t reg, uint32_t value);
/* Over what is in the frame; false: its surface could not be read. */
bool layer_compose(struct output *output, const struct layer *layer);

/* ---- overlays.c ---- */

/* Of a register behind SOFTGPU_OVERLAY_REG(output, 0, 0), as an offset from there. */
uint32_t overlays_read(const struct output *output, uint32_t reg);
void overlays_write(struct output *output, uint32_t reg, uint32_t value);
bool overlays_wait(const struct output *output); /* any of them, for a vsync */
void overlays_latch(struct output *output);
void overlays_reset(struct output *output);
bool overlays_shown(const struct output *output); /* any of them */
/* Over what is in the frame; false: a surface could not be read. */
bool overlays_compose(struct output *output);

/* ---- scaler.c ---- */

uint32_t scaler_read(const struct output *output, uint32_t reg);
void scaler_write(struct output *output, uint32_t reg, uint32_t value);
bool scaler_on(const struct output *output);
/* Of the picture that is composed: that of the mode, where nothing is scaled. */
uint32_t scaler_width(const struct output *output);
uint32_t scaler_height(const struct output *output);
bool scaler_send(struct output *output); /* the frame; false: no memory */

/* ---- flips.c ---- */

/* Of a register from SOFTGPU_OUTPUT_QUEUE_TIME on. */
uint32_t flips_read(const struct output *output, uint32_t reg);
void flips_write(struct output *output, uint32_t reg, uint32_t value);
/* A vsync comes: those whose time has come are shown; false: none. */
bool flips_latch(struct output *output, uint64_t vsync_ns);
void flips_latch_all(struct output *output); /* nobody would any more */
void flips_tick(struct output *output, uint64_t generation);
void flips_empty(struct output *output);
/* Does any plane want the interrupt of this vsync, which has shown what it shows? */
bool flips_interrupt(const struct output *output);
void flips_reset(struct output *output);
/* Into a frame of black; false: a surface could not be read. */
bool planes_compose(struct output *output);

void edid_make(const struct monitor *monitor, uint8_t edid[SOFTGPU_EDID_SIZE]);

/* ---- interrupt.c ---- */

struct interrupts {
    uint32_t status, enable, messages;
    bool line[SOFTGPU_MESSAGE_COUNT];

    /* Test registers. */
    uint32_t test_lose, test_delay_ns, test_stuck;
    uint32_t delayed_bits; /* to be set when the outstanding delay ends */
    uint64_t delay_generation;
};

void interrupt_raise(struct softgpu *gpu, uint32_t bits);
void interrupt_acknowledge(struct softgpu *gpu, uint32_t bits);
/* What they told of is gone; the line goes down with the last. */
void interrupt_forget(struct softgpu *gpu, uint32_t bits);
void interrupt_set_enable(struct softgpu *gpu, uint32_t enable);
void interrupt_set_messages(struct softgpu *gpu, uint32_t messages);
void interrupt_reset(struct softgpu *gpu);
void interrupt_delayed_tick(struct softgpu *gpu, uint64_t generation);
/* The test registers of the whole device, 0xF000 ... 0xF0FF. */
uint32_t test_read(struct softgpu *gpu, uint32_t reg);
void test_write(struct softgpu *gpu, uint32_t reg, uint32_t value);
void test_after_reset(struct softgpu *gpu);
void test_late_write_tick(struct softgpu *gpu, uint64_t generation);

/* ---- softgpu.c ---- */

struct counters {
    uint64_t bytes_read, bytes_written, pixels, commands, packets, interrupts;
};

/* What a tick is for; the cookie is kind << 56 | index << 48 | generation. */
enum tick_kind {
    TICK_ENGINE,
    TICK_VSYNC,
    TICK_DELAYED_INTERRUPT,
    TICK_LATE_WRITE,
    TICK_NOTICE,
    TICK_FLIPS,
};

/* What softgpu_model and the plug-in share. */
extern const struct drydock_option softgpu_options[];
struct device *softgpu_create(struct device_bus *bus, const struct drydock_value *values);

struct softgpu {
    struct device device;

    /* Fixed at creation. */
    struct device_bus *bus;
    uint64_t vram_size, aperture_size;
    unsigned output_count;
    enum edid_kind first_monitor;
    unsigned firmware; /* which size its picture has */
    bool vram_lost, one_clock, latch;

    uint8_t *vram;

    uint64_t aperture_table, aperture_dummy;
    uint32_t aperture_control;
    uint64_t agp_base, agp_size;
    struct host_aperture host;
    uint64_t window_table;
    uint32_t window_pages;
    uint32_t scratch;
    uint32_t time_high; /* latched by reading the low half */
    struct mmu mmu;
    struct interrupts interrupts;
    struct counters counters;
    struct memory_late late_fills, late_copies; /* the ways they take depend on it alone */
    struct engine engines[SOFTGPU_ENGINE_COUNT];
    uint32_t epochs; /* resets of engines */
    struct hw_queues hw;
    struct output outputs[SOFTGPU_OUTPUT_MAX];

    bool test_unlocked;
    uint64_t test_late_write;
    uint32_t test_late_write_delay;
    uint64_t test_late_write_generation;
};

uint64_t softgpu_now(const struct softgpu *gpu);
void softgpu_call_at(struct softgpu *gpu, uint64_t time_ns, enum tick_kind kind, unsigned index,
                     uint64_t generation);
void softgpu_log(struct softgpu *gpu, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define TICK_GENERATION_MASK 0xFFFFFFFFFFFFull

#endif

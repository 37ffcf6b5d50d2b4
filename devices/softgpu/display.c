/* display.c: surfaces, vsync, scan-out, cursor.
 *
 *   registers ──FLIP──> pending ──vsync──> shown ──> monitor
 *                 └──────immediate──────────┘
 *
 * Time of an output is arithmetic: vsync n is at epoch + n * period, and the row being sent follows
 * from the clock. A tick is asked for only while a flip is pending or vsync interrupts are enabled,
 * so a machine on which nobody looks at the screen comes to rest. A vsync that nobody waits for
 * does not set its status bit. */
#include "internal.h"

#include "raster.h"

#include <stdlib.h>
#include <string.h>

#define PERIOD_DEFAULT_NS 16666667u
#define PERIOD_MIN_NS     100000u
#define PLANES_FIRST      (SOFTGPU_PLANE_REG(0, 0, 0) - SOFTGPU_OUTPUT_REG(0, 0))
#define PLANES_END        (SOFTGPU_PLANE_REG(0, SOFTGPU_PLANE_MAX, 0) - SOFTGPU_OUTPUT_REG(0, 0))
#define OVERLAYS_FIRST    (SOFTGPU_OVERLAY_REG(0, 0, 0) - SOFTGPU_OUTPUT_REG(0, 0))
#define OVERLAYS_END      (OVERLAYS_FIRST + SOFTGPU_OVERLAY_MAX * 0x40)
#define QUEUE_FIRST       SOFTGPU_OUTPUT_QUEUE_TIME
#define QUEUE_END         SOFTGPU_OUTPUT_QUEUE_INTERRUPT(SOFTGPU_PLANE_MAX)
#define BLANK_PART        20 /* the blank is a 20th of the height, and a row */

void display_init(struct softgpu *gpu, unsigned index)
{
    struct output *output = &gpu->outputs[index];
    output->gpu = gpu;
    output->index = index;
    output->connected = index < gpu->output_count;
    output->monitor.kind = index == 0 ? gpu->first_monitor : EDID_TWO;
}

void display_fini(struct output *output)
{
    free(output->frame);
    free(output->sent);
    output->frame = output->sent = NULL;
}

/* ---- Time ---- */

uint32_t display_period(const struct output *output)
{
    if (!output->period_ns)
        return PERIOD_DEFAULT_NS;
    return output->period_ns < PERIOD_MIN_NS ? PERIOD_MIN_NS : output->period_ns;
}

static bool is_enabled(const struct output *output)
{
    return output->control & SOFTGPU_OUTPUT_ENABLE;
}

static void begin_frames(struct output *output)
{
    uint64_t now_ns = softgpu_now(output->gpu);

    output->epoch_ns = output->gpu->one_clock ? now_ns - now_ns % display_period(output) : now_ns;
}

/* Vsyncs since the output was enabled. */
static uint64_t vsync_count(const struct output *output)
{
    if (!is_enabled(output))
        return 0;
    return (softgpu_now(output->gpu) - output->epoch_ns) / display_period(output);
}

/* Of the last one. */
static uint64_t vsync_time(const struct output *output)
{
    uint64_t count = vsync_count(output);
    return count ? output->epoch_ns + count * display_period(output) : 0;
}

/* The blank comes first after a vsync: then rows 0 ... height - 1 are sent. */
static uint32_t scanline(const struct output *output)
{
    if (!is_enabled(output))
        return 0;
    uint32_t blank = output->height / BLANK_PART + 1, total = output->height + blank;
    uint64_t in_frame = (softgpu_now(output->gpu) - output->epoch_ns) % display_period(output);
    uint32_t line = (uint32_t)(in_frame * total / display_period(output));
    return line < blank ? output->height + line : line - blank;
}

static bool wants_tick(const struct output *output)
{
    uint32_t vsync = SOFTGPU_INTERRUPT_VSYNC(output->index);
    return is_enabled(output) &&
           (output->flip_pending || output->right_due || output->waiting_mask ||
            output->flips.length || overlays_wait(output) ||
            (output->gpu->interrupts.enable & vsync));
}

void display_update(struct output *output)
{
    if (output->tick_outstanding || !wants_tick(output))
        return;
    output->tick_outstanding = true;
    output->generation = (output->generation + 1) & TICK_GENERATION_MASK;
    softgpu_call_at(output->gpu,
                    output->epoch_ns + (vsync_count(output) + 1) * display_period(output),
                    TICK_VSYNC, output->index, output->generation);
}

static void forget_tick(struct output *output)
{
    output->tick_outstanding = false;
    output->generation = (output->generation + 1) & TICK_GENERATION_MASK;
}

/* ---- Flips ---- */

static bool is_stereo(const struct output *output)
{
    return output->control & SOFTGPU_OUTPUT_STEREO;
}

/* At once both eyes change; at a vsync the left one does, which is sent first. */
static void show(struct output *output, const struct plane *plane, bool at_once)
{
    output->shown = *plane;
    output->right_due = is_stereo(output) && !at_once;
    if (!output->right_due)
        output->shown_right = *plane;
    output->has_picture = true;
    output->flip_pending = false;
    planes_hide(output);
    engine_flip_latched(output->gpu, output->index);
}

bool display_flip(struct output *output, const struct plane *plane, uint32_t when)
{
    if ((when == SOFTGPU_FLIP_VSYNC || output->gpu->latch) && is_enabled(output)) {
        output->pending = *plane;
        output->flip_pending = true;
        planes_forget(output); /* it came later, and turns them off */
        display_update(output);
        return true;
    }
    planes_forget(output);
    show(output, plane, true);
    if (is_enabled(output))
        interrupt_raise(output->gpu, SOFTGPU_INTERRUPT_FLIP(output->index));
    return is_enabled(output);
}

void display_tick(struct output *output, uint64_t generation)
{
    if (generation != output->generation || !output->tick_outstanding)
        return;
    uint32_t bits = SOFTGPU_INTERRUPT_VSYNC(output->index);
    output->tick_outstanding = false;
    if (!is_enabled(output))
        return;
    if (output->right_due) {
        output->shown_right = output->shown;
        output->right_due = false;
    }
    if (output->flip_pending) {
        struct plane plane = output->pending;
        show(output, &plane, false);
        bits |= SOFTGPU_INTERRUPT_FLIP(output->index);
    }
    if (planes_latch(output) || flips_latch(output, vsync_time(output)))
        bits |= SOFTGPU_INTERRUPT_FLIP(output->index);
    overlays_latch(output);
    if (!flips_interrupt(output))
        bits &= ~SOFTGPU_INTERRUPT_VSYNC(output->index);
    display_update(output);
    interrupt_raise(output->gpu, bits);
}

/* ---- Registers ---- */

static void write_control(struct output *output, uint32_t value)
{
    bool was_enabled = is_enabled(output);
    output->control =
        value & (SOFTGPU_OUTPUT_ENABLE | SOFTGPU_OUTPUT_BLANK | SOFTGPU_OUTPUT_STEREO);
    if (is_enabled(output) == was_enabled)
        return;
    forget_tick(output);
    if (was_enabled && output->right_due) {
        output->shown_right = output->shown;
        output->right_due = false;
    }
    if (was_enabled && output->flip_pending) {
        struct plane plane = output->pending; /* nobody would latch it any more */
        show(output, &plane, true);
    }
    if (was_enabled) {
        planes_latch(output);
        flips_latch_all(output);
        overlays_latch(output);
    }
    begin_frames(output);
    display_update(output);
    notices_update(output);
}

static void write_period(struct output *output, uint32_t value)
{
    output->period_ns = value;
    begin_frames(output);
    forget_tick(output);
    display_update(output);
    notices_update(output);
}

static void write_size(struct output *output, uint32_t value)
{
    uint32_t width = value & 0xFFFF, height = value >> 16;
    if (width > SOFTGPU_OUTPUT_WIDTH_MAX || height > SOFTGPU_OUTPUT_HEIGHT_MAX)
        return;
    output->width = width;
    output->height = height;
}

/* Palette and cursor: what is seen changes at once. */
static void write_drawn(struct output *output, uint32_t reg, uint32_t value)
{
    switch (reg) {
    case SOFTGPU_OUTPUT_PALETTE_INDEX:
        output->palette_index = value % SOFTGPU_PALETTE_SIZE;
        break;
    case SOFTGPU_OUTPUT_PALETTE_DATA:
        output->palette[output->palette_index] = value & 0xFFFFFF;
        if (output->palette_index + 1 < SOFTGPU_PALETTE_SIZE)
            output->palette_index++;
        break;
    case SOFTGPU_OUTPUT_CURSOR_CONTROL:
        output->cursor_control = value & SOFTGPU_CURSOR_ENABLE;
        break;
    case SOFTGPU_OUTPUT_CURSOR_POSITION:
        output->cursor_position = value;
        break;
    case SOFTGPU_OUTPUT_CURSOR_SIZE:
        if ((value & 0xFFFF) <= SOFTGPU_CURSOR_SIZE_MAX && value >> 16 <= SOFTGPU_CURSOR_SIZE_MAX)
            output->cursor_size = value;
        break;
    case SOFTGPU_OUTPUT_CURSOR_PITCH:
        output->cursor_pitch = value;
        break;
    case SOFTGPU_OUTPUT_CURSOR_ADDRESS:
        output->cursor_address = (output->cursor_address & ~0xFFFFFFFFull) | value;
        break;
    case SOFTGPU_OUTPUT_CURSOR_ADDRESS + 4:
        output->cursor_address = (uint32_t)output->cursor_address | (uint64_t)value << 32;
        break;
    default:
        break;
    }
}

void display_write(struct output *output, uint32_t reg, uint32_t value)
{
    if (reg >= PLANES_FIRST && reg < PLANES_END) {
        planes_write(output, reg - PLANES_FIRST, value);
        return;
    }
    if (reg >= SOFTGPU_OUTPUT_NOTICE(0) && reg <= SOFTGPU_OUTPUT_NOTICES_DUE) {
        notices_write(output, reg, value);
        return;
    }
    if (reg >= QUEUE_FIRST && reg < QUEUE_END) {
        flips_write(output, reg, value);
        return;
    }
    if (reg >= OVERLAYS_FIRST && reg < OVERLAYS_END) {
        overlays_write(output, reg - OVERLAYS_FIRST, value);
        return;
    }
    if (reg >= SOFTGPU_OUTPUT_SOURCE_SIZE && reg <= SOFTGPU_OUTPUT_WINDOW_SIZE) {
        scaler_write(output, reg, value);
        return;
    }
    switch (reg) {
    case SOFTGPU_OUTPUT_CONTROL:
        write_control(output, value);
        break;
    case SOFTGPU_OUTPUT_SIZE:
        write_size(output, value);
        break;
    case SOFTGPU_OUTPUT_PERIOD:
        write_period(output, value);
        break;
    case SOFTGPU_OUTPUT_SURFACE:
        output->next.address = (output->next.address & ~0xFFFFFFFFull) | value;
        break;
    case SOFTGPU_OUTPUT_SURFACE + 4:
        output->next.address = (uint32_t)output->next.address | (uint64_t)value << 32;
        break;
    case SOFTGPU_OUTPUT_SURFACE_RIGHT:
        output->next.right = (output->next.right & ~0xFFFFFFFFull) | value;
        break;
    case SOFTGPU_OUTPUT_SURFACE_RIGHT + 4:
        output->next.right = (uint32_t)output->next.right | (uint64_t)value << 32;
        break;
    case SOFTGPU_OUTPUT_PITCH:
        output->next.pitch = value;
        break;
    case SOFTGPU_OUTPUT_FORMAT:
        output->next.format = value;
        break;
    case SOFTGPU_OUTPUT_FLIP_TAG:
        output->next.tag = value;
        break;
    case SOFTGPU_OUTPUT_FLIP:
        if (value == SOFTGPU_FLIP_VSYNC || value == SOFTGPU_FLIP_IMMEDIATE)
            display_flip(output, &output->next, value);
        break;
    case SOFTGPU_OUTPUT_PLANES_COMMIT:
        planes_commit(output, value);
        break;
    default:
        write_drawn(output, reg, value);
        break;
    }
}

static uint32_t status(const struct output *output)
{
    uint32_t bits = 0;
    if (output->connected)
        bits |= SOFTGPU_OUTPUT_CONNECTED;
    if (output->flip_pending || output->waiting_mask)
        bits |= SOFTGPU_OUTPUT_FLIP_PENDING;
    if (is_enabled(output) && scanline(output) >= output->height)
        bits |= SOFTGPU_OUTPUT_IN_VBLANK;
    if (output->scan_fault)
        bits |= SOFTGPU_OUTPUT_SCAN_FAULT;
    return bits;
}

static uint32_t edid_read(const struct output *output, uint32_t offset)
{
    uint8_t edid[SOFTGPU_EDID_SIZE];
    uint32_t value = 0;
    if (!output->connected)
        return 0;
    edid_make(&output->monitor, edid);
    memcpy(&value, edid + offset, sizeof(value));
    return value;
}

uint32_t display_read(struct output *output, uint32_t reg)
{
    if (reg >= SOFTGPU_OUTPUT_EDID && reg < SOFTGPU_OUTPUT_EDID + SOFTGPU_EDID_SIZE)
        return edid_read(output, reg - SOFTGPU_OUTPUT_EDID);
    if (reg >= PLANES_FIRST && reg < PLANES_END)
        return planes_read(output, reg - PLANES_FIRST);
    if (reg >= SOFTGPU_OUTPUT_NOTICE(0) && reg <= SOFTGPU_OUTPUT_NOTICES_DUE)
        return notices_read(output, reg);
    if (reg >= QUEUE_FIRST && reg < QUEUE_END)
        return flips_read(output, reg);
    if (reg >= OVERLAYS_FIRST && reg < OVERLAYS_END)
        return overlays_read(output, reg - OVERLAYS_FIRST);
    if (reg >= SOFTGPU_OUTPUT_SOURCE_SIZE && reg <= SOFTGPU_OUTPUT_WINDOW_SIZE)
        return scaler_read(output, reg);
    switch (reg) {
    case SOFTGPU_OUTPUT_CONTROL:
        return output->control;
    case SOFTGPU_OUTPUT_STATUS:
        return status(output);
    case SOFTGPU_OUTPUT_SIZE:
        return output->width | output->height << 16;
    case SOFTGPU_OUTPUT_PERIOD:
        return display_period(output);
    case SOFTGPU_OUTPUT_SURFACE:
        return (uint32_t)output->next.address;
    case SOFTGPU_OUTPUT_SURFACE + 4:
        return (uint32_t)(output->next.address >> 32);
    case SOFTGPU_OUTPUT_SURFACE_RIGHT:
        return (uint32_t)output->next.right;
    case SOFTGPU_OUTPUT_SURFACE_RIGHT + 4:
        return (uint32_t)(output->next.right >> 32);
    case SOFTGPU_OUTPUT_PITCH:
        return output->next.pitch;
    case SOFTGPU_OUTPUT_FORMAT:
        return output->next.format;
    case SOFTGPU_OUTPUT_FLIP_TAG:
        return output->next.tag;
    case SOFTGPU_OUTPUT_CURRENT:
        return (uint32_t)output->shown.address;
    case SOFTGPU_OUTPUT_CURRENT + 4:
        return (uint32_t)(output->shown.address >> 32);
    case SOFTGPU_OUTPUT_CURRENT_TAG:
        return output->shown.tag;
    case SOFTGPU_OUTPUT_SCANLINE:
        return scanline(output);
    case SOFTGPU_OUTPUT_VSYNC_COUNT:
        return (uint32_t)vsync_count(output);
    case SOFTGPU_OUTPUT_VSYNC_TIME:
        return (uint32_t)vsync_time(output);
    case SOFTGPU_OUTPUT_VSYNC_TIME + 4:
        return (uint32_t)(vsync_time(output) >> 32);
    case SOFTGPU_OUTPUT_PALETTE_INDEX:
        return output->palette_index;
    case SOFTGPU_OUTPUT_PALETTE_DATA:
        return output->palette[output->palette_index];
    case SOFTGPU_OUTPUT_CURSOR_CONTROL:
        return output->cursor_control;
    case SOFTGPU_OUTPUT_CURSOR_POSITION:
        return output->cursor_position;
    case SOFTGPU_OUTPUT_CURSOR_SIZE:
        return output->cursor_size;
    case SOFTGPU_OUTPUT_CURSOR_PITCH:
        return output->cursor_pitch;
    case SOFTGPU_OUTPUT_CURSOR_ADDRESS:
        return (uint32_t)output->cursor_address;
    case SOFTGPU_OUTPUT_CURSOR_ADDRESS + 4:
        return (uint32_t)(output->cursor_address >> 32);
    default:
        return 0;
    }
}

void display_connect(struct output *output, bool connected)
{
    output->connected = connected;
}

void display_reset(struct output *output)
{
    forget_tick(output);
    output->control = 0;
    output->width = output->height = output->period_ns = 0;
    output->source_size = output->window_position = output->window_size = 0;
    memset(&output->next, 0, sizeof(output->next));
    memset(&output->shown, 0, sizeof(output->shown));
    memset(&output->pending, 0, sizeof(output->pending));
    memset(&output->shown_right, 0, sizeof(output->shown_right));
    memset(output->palette, 0, sizeof(output->palette));
    output->palette_index = 0;
    output->right_due = false;
    memset(output->staged, 0, sizeof(output->staged));
    planes_hide(output);
    planes_forget(output);
    flips_reset(output);
    overlays_reset(output);
    output->flip_pending = output->has_picture = output->scan_fault = false;
    output->cursor_control = output->cursor_position = 0;
    output->cursor_size = output->cursor_pitch = 0;
    output->cursor_address = 0;
    notices_reset(output);
}

/* As the firmware of a board sets its registers: black, at 60 Hz. */
bool display_light_up(struct output *output, const struct device_firmware_picture *picture)
{
    uint32_t pitch = picture->stride_bytes;
    if (!output->connected || (uint64_t)pitch * picture->height > output->gpu->vram_size)
        return false;
    display_write(output, SOFTGPU_OUTPUT_SIZE, picture->width | picture->height << 16);
    display_write(output, SOFTGPU_OUTPUT_SURFACE, (uint32_t)SOFTGPU_VRAM_BASE);
    display_write(output, SOFTGPU_OUTPUT_SURFACE + 4, SOFTGPU_VRAM_BASE >> 32);
    display_write(output, SOFTGPU_OUTPUT_PITCH, pitch);
    display_write(output, SOFTGPU_OUTPUT_FORMAT, SOFTGPU_FORMAT_BGRX8);
    display_write(output, SOFTGPU_OUTPUT_FLIP, SOFTGPU_FLIP_IMMEDIATE);
    display_write(output, SOFTGPU_OUTPUT_CONTROL, SOFTGPU_OUTPUT_ENABLE);
    return true;
}

/* ---- Scan-out ---- */

/* Pixels that are sent as they are, with nothing of them left transparent. */
static bool take_row(struct access *access, uint64_t address, uint32_t *to, uint32_t width)
{
    uint64_t left = (uint64_t)width * 4, mapped_size;

    for (; left; left -= mapped_size, address += mapped_size, to += mapped_size / 4) {
        const uint8_t *from = address_map(access, address, left, ACCESS_READ, &mapped_size);
        if (!from)
            return false;
        raster_copy_or(&(struct raster_block){.to = (uint8_t *)to,
                                              .from = from,
                                              .width = (uint32_t)(mapped_size / 4),
                                              .height = 1},
                       0xFF000000u);
    }
    return true;
}

static bool read_row(struct output *output, const struct plane *plane, uint32_t y, uint32_t *to)
{
    struct access access = {.gpu = output->gpu};
    uint32_t pixel_size = surface_pixel_size(plane->format);
    uint64_t address = plane->address + (uint64_t)y * plane->pitch;
    uint32_t width = scaler_width(output);
    uint8_t row[SOFTGPU_OUTPUT_WIDTH_MAX * 4];
    bool as_shown = plane->format == SOFTGPU_FORMAT_BGRA8 || plane->format == SOFTGPU_FORMAT_BGRX8;
    if (as_shown && address % 4 == 0)
        return take_row(&access, address, to, width);
    if (!pixel_size || !address_read(&access, address, row, (uint64_t)width * pixel_size))
        return false;
    for (uint32_t x = 0; x < width; x++)
        to[x] = 0xFF000000u | (plane->format == SOFTGPU_FORMAT_P8
                                   ? output->palette[row[x]]
                                   : raster_unpack(plane->format, row + (size_t)x * pixel_size));
    return true;
}

/* The part of the cursor's row that is on the screen. */
static void compose_cursor_row(struct output *output, int y, uint32_t row)
{
    struct access access = {.gpu = output->gpu};
    uint32_t shape[SOFTGPU_CURSOR_SIZE_MAX];
    int x = (int16_t)(output->cursor_position & 0xFFFF);
    int width = (int)(output->cursor_size & 0xFFFF);
    int skip = x < 0 ? -x : 0, end = width;
    if (x + end > (int)scaler_width(output))
        end = (int)scaler_width(output) - x;
    if (skip >= end)
        return;
    uint64_t address = output->cursor_address + (uint64_t)row * output->cursor_pitch;
    if (!address_read(&access, address, shape, (uint64_t)width * 4)) {
        output->scan_fault = true;
        return;
    }
    uint32_t *to = output->frame + (size_t)y * scaler_width(output) + x + skip;
    struct raster_block block = {.to = (uint8_t *)to,
                                 .from = (const uint8_t *)(shape + skip),
                                 .width = (uint32_t)(end - skip),
                                 .height = 1};
    raster_over(&block, 255, 0xFF000000u);
}

static void compose_cursor(struct output *output)
{
    int top = (int16_t)(output->cursor_position >> 16);
    int height = (int)(output->cursor_size >> 16);
    for (int row = 0; row < height; row++) {
        int y = top + row;
        if (y >= 0 && y < (int)scaler_height(output))
            compose_cursor_row(output, y, (uint32_t)row);
    }
}

static bool make_room(struct output *output)
{
    size_t pixels = (size_t)scaler_width(output) * scaler_height(output);
    if (output->frame_pixels >= pixels)
        return true;
    uint32_t *frame = realloc(output->frame, pixels * 4);
    if (!frame)
        return false;
    output->frame = frame;
    output->frame_pixels = pixels;
    return true;
}

/* A surface in video memory that is sent as it lies there; NULL: the picture has to be composed. A
 * copy would read and write every pixel for whoever reads them once. */
static const uint8_t *as_it_lies(const struct output *output, const struct plane *plane)
{
    const struct softgpu *gpu = output->gpu;
    uint64_t size = (uint64_t)plane->pitch * (output->height - 1) + (uint64_t)output->width * 4;
    bool sent = plane->format == SOFTGPU_FORMAT_BGRA8 || plane->format == SOFTGPU_FORMAT_BGRX8;
    bool covered = output->layered || overlays_shown(output) || scaler_on(output) ||
                   (output->cursor_control & SOFTGPU_CURSOR_ENABLE);
    bool apart =
        plane->pitch % 4 == 0 && plane->address % 4 == 0 && plane->pitch >= output->width * 4;
    if (!sent || covered || !apart || size > gpu->vram_size ||
        plane->address > gpu->vram_size - size)
        return NULL;
    return gpu->vram + plane->address;
}

/* Into the frame: what is sent, but for its scaling. */
static void compose(struct output *output, const struct plane *plane, bool dark)
{
    uint32_t width = scaler_width(output);

    for (uint32_t y = 0; y < scaler_height(output); y++) {
        uint32_t *row = output->frame + (size_t)y * width;
        if (!dark && !output->layered && read_row(output, plane, y, row))
            continue;
        output->scan_fault |= !dark && !output->layered;
        for (uint32_t x = 0; x < width; x++)
            row[x] = 0xFF000000u;
    }
    if (!dark && output->layered && !planes_compose(output))
        output->scan_fault = true;
    if (!dark && !overlays_compose(output))
        output->scan_fault = true;
    if (!dark && (output->cursor_control & SOFTGPU_CURSOR_ENABLE))
        compose_cursor(output);
}

static bool scan_out(struct output *output, const struct plane *plane, const struct scanned *out)
{
    if (!is_enabled(output) || !output->connected || !output->width || !output->height)
        return false;
    output->scan_fault = false;
    bool dark = (output->control & SOFTGPU_OUTPUT_BLANK) || !output->has_picture;
    *out->width = output->width;
    *out->height = output->height;
    *out->pixels = dark ? NULL : as_it_lies(output, plane);
    *out->stride_bytes = plane->pitch;
    if (*out->pixels)
        return true;
    if (!make_room(output))
        return false;
    compose(output, plane, dark);
    if (scaler_on(output) && !scaler_send(output))
        return false;
    *out->pixels = scaler_on(output) ? output->sent : output->frame;
    *out->stride_bytes = output->width * 4;
    return true;
}

bool display_scanout(struct output *output, const struct scanned *out)
{
    return scan_out(output, &output->shown, out);
}

bool display_scanout_eye(struct output *output, bool right, const struct scanned *out)
{
    struct plane plane = output->shown;
    if (!is_stereo(output))
        return false;
    if (right) {
        plane = output->shown_right;
        plane.address = plane.right;
    }
    output->right_scanned = right;
    bool scanned = scan_out(output, &plane, out);
    output->right_scanned = false;
    return scanned;
}

/* The last screen: what a driver leaves to those who draw after it.
 *
 *   the system stops   CollectDbgInfo, SystemDisplayEnable, SystemDisplayWrite, ResetDevice, at the
 *                      highest level
 *   the driver stops   StopDeviceAndReleasePostDisplayOwnership: a frame buffer for the next one
 *
 * Both say what can be drawn on; here something is drawn, and the monitor looked at. */
#include "dxgk/work.h"

#include <string.h>

#define BUGCHECK_VIDEO_SCHEDULER 0x119u /* of those that stop the system, one */

#define BLOCK_WIDTH   96u
#define BLOCK_HEIGHT  48u
#define BLOCK_STRIDE  (BLOCK_WIDTH * 4 + 64) /* rows do not follow each other at once */
#define BLOCK_X       136u
#define BLOCK_Y       57u
#define POINTER_SIDE  16u
#define POINTER_AT    8u          /* of the block's corner */
#define POINTER_PIXEL 0xFFFE01FDu /* a colour that the block has not */
#define WIDTH_MIN     640u
#define HEIGHT_MIN    480u
#define COLOUR_MASK   0xFFFFFFu

static uint32_t colour_at(unsigned x, unsigned y)
{
    return 0x010203u + (x * 2 << 16) + (y * 5 << 8) + ((x ^ y) & 0x7F);
}

/* The target of a source that has one: `skipped` of those come before it. */
static bool find_target(const struct dxgk_adapter *adapter, uint64_t skipped, UINT *target)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        if (adapter->sources[i].active && skipped-- == 0) {
            *target = adapter->sources[i].target;
            return true;
        }
    }
    return false;
}

/* Any of them: which one the firmware used no driver knows. Seldom the first. */
static bool draw_target(const struct dxgk_adapter *adapter, UINT *target)
{
    uint64_t count = 0;

    while (find_target(adapter, count, target)) {
        count++;
    }
    uint64_t drawn = count > 1 ? 1 + vary_below(VARY_RELEASE_DISPLAY, 2 * count - 1) : 0;
    return count > 0 && find_target(adapter, drawn % count, target);
}

static bool look(const struct dxgk_adapter *adapter, UINT target, struct pci_picture *picture)
{
    return pci_scanout(adapter->ddi.slot, dxgk_output_of(adapter, target), picture);
}

static uint32_t pixel_of(const struct pci_picture *picture, unsigned x, unsigned y)
{
    const char *row = (const char *)picture->pixels + (size_t)y * picture->stride_bytes;

    return ((const uint32_t *)(const void *)row)[x] & COLOUR_MASK;
}

/* ---- The system stops ------------------------------------------------------------------------ */

/* At the highest level nobody can wait; but the device's time goes on, and hardware may take what
 * it was told at the next vertical sync. */
static void let_frame_pass(void)
{
    machine_spend(DXGK_LONGEST_FRAME_NS);
}

static bool shows_mode(const struct dxgk_adapter *adapter, UINT target,
                       const struct ddi_system_display *display)
{
    struct pci_picture picture;

    return look(adapter, target, &picture) && picture.width == display->width &&
           picture.height == display->height;
}

static void judge_enabled(const struct dxgk_adapter *adapter, UINT target,
                          const struct ddi_system_display *display)
{
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(SHOW_004)};
    struct pci_picture picture;

    contract_count(RULE_SHOW_004);
    if (!shows_mode(adapter, target, display)) {
        let_frame_pass();
    }
    if (display->width < WIDTH_MIN || display->height < HEIGHT_MIN) {
        contract_breach(&finding, "a mode of at least 640 x 480 pixels",
                        "SystemDisplayEnable told %u x %u pixels of target %u", display->width,
                        display->height, target);
    } else if (!look(adapter, target, &picture)) {
        contract_breach(&finding, "the display of the target powered on and visible",
                        "after SystemDisplayEnable succeeded target %u is dark", target);
    } else if (picture.width != display->width || picture.height != display->height) {
        contract_breach(&finding, "the mode of the target",
                        "SystemDisplayEnable told %u x %u pixels of target %u, which shows %u x %u",
                        display->width, display->height, target, picture.width, picture.height);
    }
}

/* A pixel of the block that is another on the monitor. */
struct unwritten {
    unsigned x, y;
    uint32_t is;
};

static bool covers(const struct pci_picture *picture, const struct ddi_system_picture *block)
{
    return picture->width >= block->x + BLOCK_WIDTH && picture->height >= block->y + BLOCK_HEIGHT;
}

/* The first one, or false. */
static bool find_unwritten(const struct dxgk_adapter *adapter, UINT target,
                           const struct ddi_system_picture *block, struct unwritten *out)
{
    struct pci_picture picture;
    bool seen = look(adapter, target, &picture) && covers(&picture, block);

    for (unsigned i = 0; seen && i < BLOCK_WIDTH * BLOCK_HEIGHT; i++) {
        unsigned x = i % BLOCK_WIDTH, y = i / BLOCK_WIDTH;
        *out = (struct unwritten){x, y, pixel_of(&picture, block->x + x, block->y + y)};
        if (out->is != colour_at(x, y)) {
            return true;
        }
    }
    return false;
}

static void judge_written(const struct dxgk_adapter *adapter, UINT target,
                          const struct ddi_system_picture *block)
{
    struct pci_picture picture;
    struct unwritten wrong;

    if (!look(adapter, target, &picture) || !covers(&picture, block)) {
        return; /* said above */
    }
    contract_count(RULE_SHOW_005);
    if (find_unwritten(adapter, target, block, &wrong)) {
        let_frame_pass();
    }
    if (find_unwritten(adapter, target, block, &wrong)) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_005)},
                        "the picture at PositionX, PositionY of the screen",
                        "after SystemDisplayWrite of %u x %u pixels, %u bytes from row to row, to "
                        "(%u, %u) pixel (%u, %u) of target %u is 0x%06X, expected 0x%06X",
                        BLOCK_WIDTH, BLOCK_HEIGHT, BLOCK_STRIDE, block->x, block->y,
                        block->x + wrong.x, block->y + wrong.y, target, wrong.is,
                        colour_at(wrong.x, wrong.y));
    }
}

/* For the reader: a picture beside the report. */
static void keep_screen(const struct dxgk_adapter *adapter, UINT target)
{
    struct pci_picture picture;

    if (!look(adapter, target, &picture)) {
        return;
    }
    const struct record_blob blob = {.kind = RECORD_BLOB_SCREEN,
                                     .number = record_blobs_of(RECORD_BLOB_SCREEN) + 1,
                                     .size = (uint64_t)picture.stride_bytes * (picture.height - 1) +
                                             picture.width * 4ull,
                                     .width = picture.width,
                                     .height = picture.height,
                                     .stride = picture.stride_bytes,
                                     .time_ns = machine_now_ns()};
    record_add_blob(&blob, picture.pixels);
}

static void write_block(struct dxgk_adapter *adapter, UINT target, POINT at)
{
    uint8_t *bytes = nt_memory_alloc(BLOCK_STRIDE * BLOCK_HEIGHT, 0);
    const struct ddi_system_picture block = {bytes,        BLOCK_WIDTH, BLOCK_HEIGHT,
                                             BLOCK_STRIDE, (UINT)at.x,  (UINT)at.y};

    if (!bytes) {
        return;
    }
    for (unsigned y = 0; y < BLOCK_HEIGHT; y++) {
        uint32_t *row = (void *)(bytes + (size_t)y * BLOCK_STRIDE);
        for (unsigned x = 0; x < BLOCK_WIDTH; x++) {
            row[x] = colour_at(x, y);
        }
    }
    if (ddi_system_display_write(&adapter->ddi, &block)) {
        judge_written(adapter, target, &block);
    }
    nt_memory_free(bytes);
}

static bool can_be_drawn(const struct dxgk_adapter *adapter, UINT *target)
{
    return adapter->presence < DXGK_TOLD && find_target(adapter, 0, target);
}

/* At the highest level. False: the driver draws none. */
static bool draw_screen(struct dxgk_adapter *adapter, UINT target)
{
    struct ddi_system_display display = {0};

    if (!NT_SUCCESS(ddi_system_display_enable(&adapter->ddi, target, &display))) {
        return false;
    }
    judge_enabled(adapter, target, &display);
    write_block(adapter, target, (POINT){BLOCK_X, BLOCK_Y});
    if (display.width >= WIDTH_MIN && display.height >= HEIGHT_MIN) {
        write_block(
            adapter, target, /* whose last pixel is the screen's */
            (POINT){(LONG)(display.width - BLOCK_WIDTH), (LONG)(display.height - BLOCK_HEIGHT)});
    }
    keep_screen(adapter, target);
    return true;
}

bool dxgk_adapter_stop_screen(struct dxgk_adapter *adapter)
{
    UINT target = D3DDDI_ID_UNINITIALIZED;

    if (!can_be_drawn(adapter, &target) || (!ddi_has(&adapter->ddi, POINT_SystemDisplayEnable) &&
                                            !ddi_has(&adapter->ddi, POINT_ResetDevice))) {
        return false;
    }
    dxgk_adapter_count_memory(adapter);
    irql_raise(MACHINE_IRQL_HIGH); /* for good: no interrupt is served any more */
    machine_stop_others();
    dxgk_collect_debug_information(adapter, BUGCHECK_VIDEO_SCHEDULER);
    (void)draw_screen(adapter, target);
    ddi_reset_device(&adapter->ddi);
    return true;
}

bool dxgk_adapter_draw_stop_screen(struct dxgk_adapter *adapter)
{
    UINT target;

    if (adapter->state != DXGK_ADAPTER_RUNNING || adapter->asleep ||
        !can_be_drawn(adapter, &target) || !ddi_has(&adapter->ddi, POINT_SystemDisplayEnable)) {
        return false;
    }
    irql_raise(MACHINE_IRQL_HIGH); /* for good */
    return draw_screen(adapter, target);
}

/* ---- The driver stops ------------------------------------------------------------------------ */

/* What the structure holds before: nobody clears what a driver is to write. A target is none. */
static void make_old(DXGK_DISPLAY_INFORMATION *display)
{
    memset(display, FILL_UNINITIALIZED, sizeof *display);
    display->TargetId = D3DDDI_ID_UNINITIALIZED;
}

/* What is wrong with the numbers, or NULL. */
static const char *fault_of(const DXGK_DISPLAY_INFORMATION *display, const void *pixels)
{
    DXGK_DISPLAY_INFORMATION old;

    make_old(&old);
    if (display->Width == old.Width && display->Height == old.Height) {
        return "the driver wrote nothing there";
    }
    if (display->ColorFormat != D3DDDIFMT_X8R8G8B8 && display->ColorFormat != D3DDDIFMT_A8R8G8B8) {
        return "ColorFormat is none with 32 bits a pixel";
    }
    if (display->Pitch < (uint64_t)display->Width * 4) {
        return "Pitch is less than a row of Width";
    }
    return pixels ? NULL : "PhysicAddress is no memory of that size on the bus";
}

struct remains {
    unsigned x, y;
    uint32_t colour; /* 0: none */
};

/* The first pixel that is not black. */
static struct remains find_remains(const DXGK_DISPLAY_INFORMATION *display, const void *pixels)
{
    for (unsigned y = 0; y < display->Height; y++) {
        const char *row = (const char *)pixels + (size_t)y * display->Pitch; /* of any alignment */
        for (unsigned x = 0; x < display->Width; x++) {
            uint32_t pixel;
            memcpy(&pixel, row + (size_t)x * 4, sizeof pixel);
            if (pixel & COLOUR_MASK) {
                return (struct remains){x, y, pixel & COLOUR_MASK};
            }
        }
    }
    return (struct remains){0};
}

/* What was shown is not handed on. */
static void judge_cleared(const DXGK_DISPLAY_INFORMATION *display, const struct remains *remains)
{
    contract_count(RULE_SHOW_009);
    if (remains->colour) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_009)},
                        "the frame buffer cleared: black",
                        "the frame buffer at PhysicAddress 0x%llX still has a picture: pixel (%u, "
                        "%u) is 0x%06X",
                        (unsigned long long)display->PhysicAddress.QuadPart, remains->x, remains->y,
                        remains->colour);
    }
}

/* On a computer that is at work the pointer is seen when its driver has to go. Its corner in the
 * block that is drawn behind. */
static void show_pointer(struct dxgk_adapter *adapter, UINT target)
{
    struct dxgk_source *source = NULL;

    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *each = &adapter->sources[i];
        source = each->active && each->target == target ? each : source;
    }
    const DXGKARG_SETPOINTERPOSITION position = {
        .VidPnSourceId = source ? source->index : 0,
        .X = BLOCK_X + POINTER_AT,
        .Y = BLOCK_Y + POINTER_AT,
        .Flags.Visible = 1,
    };
    uint32_t *pixels = nt_memory_alloc(POINTER_SIDE * POINTER_SIDE * 4, 0);
    bool shown = pixels && source && adapter->caps.PointerCaps.Color &&
                 adapter->caps.MaxPointerWidth >= POINTER_SIDE &&
                 adapter->caps.MaxPointerHeight >= POINTER_SIDE &&
                 ddi_has(&adapter->ddi, POINT_SetPointerShape) &&
                 ddi_has(&adapter->ddi, POINT_SetPointerPosition);

    for (unsigned i = 0; pixels && i < POINTER_SIDE * POINTER_SIDE; i++) {
        pixels[i] = POINTER_PIXEL;
    }
    if (shown && dxgk_pointer_give(source, &(struct dxgk_pointer_shape){.flags.Color = 1,
                                                                        .width = POINTER_SIDE,
                                                                        .height = POINTER_SIDE,
                                                                        .pitch = POINTER_SIDE * 4,
                                                                        .pixels = pixels})) {
        (void)ddi_set_pointer_position(&adapter->ddi, adapter->ddi.miniport_context, &position, 0);
    }
    nt_memory_free(pixels);
}

static bool is_under_pointer(unsigned x, unsigned y)
{
    return x >= POINTER_AT && x < POINTER_AT + POINTER_SIDE && y >= POINTER_AT &&
           y < POINTER_AT + POINTER_SIDE;
}

static void draw_block(const DXGK_DISPLAY_INFORMATION *display, void *pixels)
{
    for (unsigned y = 0; y < BLOCK_HEIGHT; y++) {
        char *row = (char *)pixels + (size_t)(BLOCK_Y + y) * display->Pitch; /* of any alignment */
        for (unsigned x = 0; x < BLOCK_WIDTH; x++) {
            uint32_t colour = 0xFF000000u | colour_at(x, y);
            memcpy(row + (size_t)(BLOCK_X + x) * 4, &colour, sizeof colour);
        }
    }
}

static bool is_seen(const struct dxgk_adapter *adapter, const DXGK_DISPLAY_INFORMATION *display,
                    bool *covered)
{
    struct pci_picture picture;

    *covered = false;
    bool same = look(adapter, display->TargetId, &picture) && picture.width == display->Width &&
                picture.height == display->Height;
    for (unsigned i = 0; same && i < BLOCK_WIDTH * BLOCK_HEIGHT; i++) {
        unsigned x = i % BLOCK_WIDTH, y = i / BLOCK_WIDTH;
        uint32_t is = pixel_of(&picture, BLOCK_X + x, BLOCK_Y + y);
        bool pointer = is_under_pointer(x, y) && is == (POINTER_PIXEL & COLOUR_MASK);
        same = pointer || is == colour_at(x, y);
        *covered |= pointer;
    }
    *covered &= same;
    return same;
}

/* As the next driver does: draws there, and looks, if need be once more, for hardware may take an
 * address at the next vertical sync. NULL: it is seen. */
static const char *what_is_seen(const struct dxgk_adapter *adapter,
                                const DXGK_DISPLAY_INFORMATION *display, void *pixels,
                                bool *covered)
{
    draw_block(display, pixels);
    bool same = is_seen(adapter, display, covered);
    if (!same) {
        task_block(machine_now_ns() + DXGK_LONGEST_FRAME_NS);
        same = is_seen(adapter, display, covered);
    }
    return !same      ? "dark, or scanned from another place"
           : *covered ? "the pointer that was shown when it was called is still over it"
                      : NULL;
}

/* `asked`: the target of the call. */
static void judge_released(const struct dxgk_adapter *adapter,
                           const DXGK_DISPLAY_INFORMATION *display, UINT asked)
{
    char format[CONTRACT_FORMAT_MAX];
    struct contract_finding finding = {.rule = CONTRACT_JUDGES(SHOW_006)};
    uint64_t size = (uint64_t)display->Pitch * display->Height;
    void *pixels = size && size <= SIZE_MAX / 2
                       ? bus_memory_at((uint64_t)display->PhysicAddress.QuadPart, (size_t)size)
                       : NULL;

    if (display->Width < BLOCK_X + BLOCK_WIDTH || display->Height < BLOCK_Y + BLOCK_HEIGHT) {
        return; /* nothing is handed over */
    }
    contract_count(RULE_SHOW_006);
    const char *fault = fault_of(display, pixels);
    if (fault) {
        contract_breach(&finding, "a linear frame buffer of 32 bits a pixel that the CPU reaches",
                        "DXGK_DISPLAY_INFORMATION of %u x %u pixels, pitch %u, %s at "
                        "PhysicAddress 0x%llX: %s",
                        display->Width, display->Height, display->Pitch,
                        contract_format_text(display->ColorFormat, format),
                        (unsigned long long)display->PhysicAddress.QuadPart, fault);
        return;
    }
    const struct remains remains = find_remains(display, pixels);
    bool covered;
    const char *seen = what_is_seen(adapter, display, pixels, &covered);
    if (seen) {
        finding.advice = covered; /* no page says that a pointer goes */
        contract_breach(
            &finding, "a display that stays on and shows the frame buffer at PhysicAddress",
            "what is drawn at PhysicAddress 0x%llX, pitch %u, is not seen on target %u%s; %s",
            (unsigned long long)display->PhysicAddress.QuadPart, display->Pitch, display->TargetId,
            display->TargetId != asked ? ", which TargetId names, and the call named another" : "",
            seen);
        return;
    }
    judge_cleared(display, &remains);
}

bool dxgk_adapter_may_release(const struct dxgk_adapter *adapter)
{
    return adapter->presence < DXGK_TOLD && adapter->caps.SupportNonVGA &&
           ddi_has(&adapter->ddi, POINT_StopDeviceAndReleasePostDisplayOwnership) &&
           vary_on(VARY_RELEASE_DISPLAY);
}

bool dxgk_releases_seen(const struct dxgk_adapter *adapter)
{
    return adapter->display_only && dxgk_adapter_may_release(adapter) &&
           vary_below(VARY_RELEASE_DISPLAY, 2) == 0;
}

bool dxgk_release_display(struct dxgk_adapter *adapter)
{
    DXGK_DISPLAY_INFORMATION display;
    UINT target;

    if (!dxgk_adapter_may_release(adapter) || !draw_target(adapter, &target) ||
        !vary_happens(VARY_RELEASE_DISPLAY, 1)) {
        return false;
    }
    show_pointer(adapter, target);
    make_old(&display);
    if (!NT_SUCCESS(ddi_stop_device_and_release(&adapter->ddi, target, &display))) {
        return false; /* StopDevice follows */
    }
    /* A public driver hands on what firmware left there, which names no target. */
    if (display.TargetId == D3DDDI_ID_UNINITIALIZED) {
        display.TargetId = target;
    }
    judge_released(adapter, &display, target);
    return true;
}

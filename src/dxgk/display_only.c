/* Frames for a driver that has a display and nothing else: the system draws by the CPU and hands
 * pictures down, with the parts that moved and those that changed. Where the path is turned, the
 * driver turns them (Flags.Rotate), or they are turned already.
 *
 *   dxgk_source_compose ─> DxgkDdiPresentDisplayOnly ── STATUS_SUCCESS ──────────────┐
 *                                    └─ STATUS_PENDING ─> notice ─> DPC ─> progress ─┴─> look
 *
 * Follows nc-d3dkmddi-dxgkddi_presentdisplayonly. The picture given is the whole new frame, so that
 * a driver may copy a moved part from it as well as on the screen: both are the same. What the
 * monitor shows then, if the device model can tell, is compared with the same steps done here
 * [DOD-002]. When the driver has said that a present is done the picture is the kernel's again, who
 * writes something else there: a driver that copies later shows that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dxgk/display_composed.h"
#include "dxgk/display_only.h"
#include "dxgk/work.h"

#define PRESENT_DELAY_NS (2 * NS_PER_S) /* TdrDodPresentDelay */
#define GAP_UNIT         16u            /* pixels: rows begin at cache lines */
#define GAP_UNITS_MAX    64u
#define TURNED_EVERY     4u /* so many presents to a turned path are one turned by us */

/* ---- Life ---------------------------------------------------------------------------------- */

/* The rows of a picture follow each other, or something lies between them. */
static unsigned choose_gap(void)
{
    if (!vary_on(VARY_WIDE_ROWS)) {
        return 0;
    }
    vary_happened(VARY_WIDE_ROWS);
    return GAP_UNIT * (1 + (unsigned)vary_below(VARY_WIDE_ROWS, GAP_UNITS_MAX));
}

NTSTATUS dxgk_composed_start(struct dxgk_source *source)
{
    const struct dxgk_mode *mode = &source->mode;
    size_t size = (size_t)mode->width * mode->height * 4;
    struct dxgk_composed *composed = calloc(1, sizeof *composed);

    source->composed = composed;
    if (!composed) {
        return STATUS_NO_MEMORY;
    }
    wait_queue_init(&composed->changed);
    composed->stale = true;
    if (!source->active) {
        return STATUS_SUCCESS; /* no monitor */
    }
    composed->gap = choose_gap();
    composed->pixels = nt_memory_alloc(dxgk_composed_room(mode, composed->gap), 0);
    composed->expected = calloc(1, size);
    composed->moves = nt_memory_alloc(DXGK_FRAME_RECTS_MAX * sizeof *composed->moves, 0);
    composed->dirty = nt_memory_alloc(DXGK_FRAME_RECTS_MAX * sizeof *composed->dirty, 0);
    return composed->pixels && composed->expected && composed->moves && composed->dirty
               ? STATUS_SUCCESS
               : STATUS_NO_MEMORY;
}

void dxgk_composed_stop(struct dxgk_source *source)
{
    struct dxgk_composed *composed = source->composed;

    source->composed = NULL;
    if (composed) {
        nt_memory_free(composed->pixels);
        free(composed->expected);
        nt_memory_free(composed->moves);
        nt_memory_free(composed->dirty);
        free(composed);
    }
}

/* ---- Progress ------------------------------------------------------------------------------ */

void dxgk_composed_notice(struct dxgk_adapter *adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    UINT source = data->DisplayOnlyPresentProgress.VidPnSourceId;

    if (source < adapter->source_count && adapter->sources[source].composed) {
        struct dxgk_composed *composed = adapter->sources[source].composed;
        composed->told = true;
        composed->stray |= !composed->under_way;
        composed->pends &= composed->under_way;
        composed->progress = data->DisplayOnlyPresentProgress.ProgressId;
        adapter->composed_mask |= 1u << source;
    }
}

void dxgk_composed_dpc(struct dxgk_adapter *adapter)
{
    while (adapter->composed_mask) {
        unsigned source = (unsigned)__builtin_ctz(adapter->composed_mask);
        struct dxgk_composed *composed = adapter->sources[source].composed;
        adapter->composed_mask &= ~(1u << source);
        if (composed) {
            composed->ended = composed->told;
            dxgk_composed_lend_no_longer(&adapter->sources[source]);
            wait_queue_wake(&composed->changed, UINT_MAX);
        }
    }
}

static void say_late(const struct dxgk_source *source)
{
    char said[DXGK_SAID_MAX];

    dxgk_composed_say_why(source, said);
    contract_breach(
        &(struct contract_finding){.rule = CONTRACT_JUDGES(DOD_001), .advice = !source->visible},
        "a notice of DXGK_INTERRUPT_DISPLAYONLY_PRESENT_PROGRESS, and DxgkCbNotifyDpc after it",
        source->composed->told
            ? "DxgkDdiPresentDisplayOnly said STATUS_PENDING for source %u, and 2 s later its "
              "notice was not followed by DxgkCbNotifyDpc%s"
            : "DxgkDdiPresentDisplayOnly said STATUS_PENDING for source %u, and no notice came "
              "in 2 s%s",
        source->index, said);
}

/* The driver said STATUS_PENDING. */
static NTSTATUS wait_for_progress(struct dxgk_source *source)
{
    struct dxgk_composed *composed = source->composed;
    uint64_t deadline_ns = machine_now_ns() + PRESENT_DELAY_NS;

    while (!composed->ended && wait_queue_wait(&composed->changed, deadline_ns) != WAIT_TIMED_OUT) {
    }
    if (!composed->ended && !dxgk_adapter_has_hardware(source->adapter)) {
        return STATUS_DEVICE_REMOVED; /* pulled out meanwhile: nobody could tell */
    }
    contract_count(RULE_DOD_001);
    if (!composed->ended) {
        say_late(source);
        return STATUS_TIMEOUT; /* said already; the next one may fare better */
    }
    return composed->progress == DXGK_PRESENT_DISPLAYONLY_PROGRESS_ID_COMPLETE
               ? STATUS_SUCCESS
               : STATUS_UNSUCCESSFUL;
}

static NTSTATUS present(struct dxgk_source *source, const struct dxgk_frame *frame)
{
    struct dxgk_composed *composed = source->composed;
    struct dxgk_adapter *adapter = source->adapter;
    DXGKARG_PRESENT_DISPLAYONLY arguments = {
        .VidPnSourceId = source->index,
        .pSource = composed->pixels,
        .BytesPerPixel = 4,
        .Pitch = (LONG)(composed->pitch * 4),
        .Flags.Rotate = composed->rotates,
        .NumMoves = frame->move_count,
        .pMoves = frame->move_count ? composed->moves : NULL,
        .NumDirtyRects = frame->dirty_count,
        .pDirtyRect = frame->dirty_count ? composed->dirty : NULL,
    };

    composed->told = composed->ended = false;
    composed->under_way = true;
    for (unsigned i = 0; i < adapter->source_count; i++) {
        if (adapter->sources[i].composed) {
            adapter->sources[i].composed->stray = false;
        }
    }
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    NTSTATUS status;

    do {
        char earlier[DXGK_SAID_MAX];
        dxgk_device_word(source, earlier); /* what it said by now is not of this present */
        dxgk_removal_submits(adapter);
        composed->inside = true;
        status = dxgk_adapter_has_hardware(adapter)
                     ? ddi_present_display_only(&adapter->ddi, &arguments)
                     : STATUS_DEVICE_REMOVED;
        dxgk_composed_bring_back(source);
        dxgk_removal_submitted(adapter);
    } while (dxgk_tries_again(status, &attempt));
    composed->pends = status == STATUS_PENDING;
    status = composed->pends ? wait_for_progress(source) : status;
    composed->under_way = false;
    return status;
}

/* ---- The same steps, here ------------------------------------------------------------------ */

static bool in_picture(struct dxgk_size size, const RECT *rect)
{
    return rect->left >= 0 && rect->top >= 0 && rect->left < rect->right &&
           rect->top < rect->bottom && (UINT)rect->right <= size.width &&
           (UINT)rect->bottom <= size.height;
}

static bool is_sound(struct dxgk_size size, const struct dxgk_frame *frame)
{
    bool sound = frame->move_count <= DXGK_FRAME_RECTS_MAX &&
                 frame->dirty_count <= DXGK_FRAME_RECTS_MAX && frame->width == size.width &&
                 frame->height == size.height && frame->stride_bytes >= size.width * 4;

    for (unsigned i = 0; sound && i < frame->move_count; i++) {
        const D3DKMT_MOVE_RECT *move = &frame->moves[i];
        const RECT *to = &move->DestRect;
        sound = in_picture(size, to) && move->SourcePoint.x >= 0 && move->SourcePoint.y >= 0 &&
                (UINT)move->SourcePoint.x <= size.width - (UINT)(to->right - to->left) &&
                (UINT)move->SourcePoint.y <= size.height - (UINT)(to->bottom - to->top);
    }
    for (unsigned i = 0; sound && i < frame->dirty_count; i++) {
        sound = in_picture(size, &frame->dirty[i]);
    }
    return sound;
}

/* As if all was read before anything is written. */
static void apply_move(uint32_t *picture, unsigned width, const D3DKMT_MOVE_RECT *move)
{
    const RECT *to = &move->DestRect;
    unsigned rows = (unsigned)(to->bottom - to->top);
    size_t row_bytes = (size_t)(to->right - to->left) * 4;
    bool down = to->top > move->SourcePoint.y;

    for (unsigned i = 0; i < rows; i++) {
        unsigned row = down ? rows - 1 - i : i;
        memmove(picture + (size_t)((unsigned)to->top + row) * width + to->left,
                picture + (size_t)((unsigned)move->SourcePoint.y + row) * width +
                    move->SourcePoint.x,
                row_bytes);
    }
}

/* Where a rectangle of the driver's lists is on the screen. */
RECT dxgk_composed_on_screen(const struct dxgk_source *source, const RECT *rect)
{
    return source->composed->rotates ? dxgk_turn_rect(source, rect) : *rect;
}

static D3DKMT_MOVE_RECT move_on_screen(const struct dxgk_source *source,
                                       const D3DKMT_MOVE_RECT *move)
{
    return source->composed->rotates ? dxgk_turn_move(source, move) : *move;
}

static void turn_dirty(struct dxgk_source *source, const RECT *rect)
{
    const struct dxgk_composed *composed = source->composed;

    for (LONG y = rect->top; y < rect->bottom; y++) {
        for (LONG x = rect->left; x < rect->right; x++) {
            POINT to = dxgk_turn_point(source, (POINT){x, y});
            composed->expected[(size_t)to.y * source->mode.width + (size_t)to.x] =
                composed->pixels[(size_t)y * composed->pitch + (size_t)x];
        }
    }
}

static void apply_dirty(struct dxgk_source *source, const RECT *rect)
{
    const struct dxgk_composed *composed = source->composed;

    if (composed->rotates) {
        turn_dirty(source, rect);
        return;
    }
    for (LONG row = rect->top; row < rect->bottom; row++) {
        memcpy(composed->expected + (size_t)row * source->mode.width + rect->left,
               composed->pixels + (size_t)row * composed->pitch + rect->left,
               (size_t)(rect->right - rect->left) * 4);
    }
}

static void apply(struct dxgk_source *source, const struct dxgk_frame *frame)
{
    struct dxgk_composed *composed = source->composed;

    for (unsigned i = 0; i < frame->move_count; i++) {
        D3DKMT_MOVE_RECT move = move_on_screen(source, &composed->moves[i]);
        apply_move(composed->expected, source->mode.width, &move);
    }
    for (unsigned i = 0; i < frame->dirty_count; i++) {
        apply_dirty(source, &composed->dirty[i]);
    }
}

/* ---- Composing ----------------------------------------------------------------------------- */

/* Who turns a picture is the kernel's choice: a driver rotates where Flags.Rotate says so. */
static void choose_way(struct dxgk_source *source)
{
    struct dxgk_composed *composed = source->composed;
    struct dxgk_size size = {source->mode.width, source->mode.height};

    composed->rotates =
        source->rotation != D3DDDI_ROTATION_IDENTITY && ++composed->turned % TURNED_EVERY != 0;
    if (composed->rotates) {
        size = dxgk_upright_size(source);
    }
    composed->pitch = size.width + composed->gap;
}

static void take_pixels(struct dxgk_source *source, const struct dxgk_frame *frame)
{
    const struct dxgk_composed *composed = source->composed;
    struct dxgk_size size = dxgk_upright_size(source);
    bool turns = source->rotation != D3DDDI_ROTATION_IDENTITY && !composed->rotates;

    for (unsigned y = 0; y < size.height; y++) {
        const uint32_t *row =
            (const void *)((const char *)frame->pixels + (size_t)y * frame->stride_bytes);
        if (!turns) {
            memcpy(composed->pixels + (size_t)y * composed->pitch, row, (size_t)size.width * 4);
            continue;
        }
        for (unsigned x = 0; x < size.width; x++) {
            POINT to = dxgk_turn_point(source, (POINT){(LONG)x, (LONG)y});
            composed->pixels[(size_t)to.y * composed->pitch + (size_t)to.x] = row[x];
        }
    }
}

static void take_whole(struct dxgk_source *source, struct dxgk_frame *frame)
{
    struct dxgk_size size = source->composed->rotates
                                ? dxgk_upright_size(source)
                                : (struct dxgk_size){source->mode.width, source->mode.height};

    frame->move_count = 0;
    frame->dirty_count = 1;
    source->composed->dirty[0] = (RECT){0, 0, (LONG)size.width, (LONG)size.height};
}

static void turn_lists(struct dxgk_source *source, const struct dxgk_frame *frame)
{
    struct dxgk_composed *composed = source->composed;

    for (unsigned i = 0; i < frame->move_count; i++) {
        composed->moves[i] = dxgk_turn_move(source, &composed->moves[i]);
    }
    for (unsigned i = 0; i < frame->dirty_count; i++) {
        composed->dirty[i] = dxgk_turn_rect(source, &composed->dirty[i]);
    }
}

static void take_lists(struct dxgk_source *source, struct dxgk_frame *frame)
{
    struct dxgk_composed *composed = source->composed;

    if (composed->stale) {
        take_whole(source, frame);
        return;
    }
    if (frame->move_count > 0) {
        memcpy(composed->moves, frame->moves, frame->move_count * sizeof *composed->moves);
    }
    if (frame->dirty_count > 0) {
        memcpy(composed->dirty, frame->dirty, frame->dirty_count * sizeof *composed->dirty);
    }
    if (!composed->rotates) {
        turn_lists(source, frame);
    }
}

static NTSTATUS present_and_look(struct dxgk_source *source, struct dxgk_frame *frame)
{
    take_lists(source, frame);
    apply(source, frame);
    NTSTATUS status = present(source, frame);
    dxgk_composed_use_again(source);
    if (NT_SUCCESS(status) && status != STATUS_TIMEOUT) {
        source->composed->stale = false;
        source->adapter->totals.work++;
        dxgk_composed_judge(source, frame);
    } else {
        source->composed->stale = true; /* nobody knows what is on the screen */
    }
    return status;
}

/* Its driver knows that nobody sees it: done or refused, but a present that is pending ends. That
 * the system calls so is a guess, and who does not end it is advised. */
static void present_unseen(struct dxgk_source *source, const struct dxgk_frame *frame)
{
    struct dxgk_frame taken = *frame;

    choose_way(source);
    take_pixels(source, frame);
    take_whole(source, &taken);
    (void)present(source, &taken);
    dxgk_composed_use_again(source);
}

/* A source that is shown begins with a whole frame: what it had before is not told. */
static NTSTATUS make_visible(struct dxgk_source *source)
{
    NTSTATUS status = STATUS_SUCCESS;

    if (ddi_has(&source->adapter->ddi, POINT_ControlInterrupt)) {
        status = dxgk_source_enable_vsync(source);
    }
    source->composed->stale = true;
    return NT_SUCCESS(status) ? dxgk_source_set_visible(source, true) : status;
}

NTSTATUS dxgk_source_compose(struct dxgk_adapter *adapter, unsigned index,
                             const struct dxgk_frame *frame)
{
    struct dxgk_frame taken = *frame;
    NTSTATUS status = STATUS_SUCCESS;

    if (index >= adapter->source_count) {
        return STATUS_INVALID_PARAMETER;
    }
    struct dxgk_source *source = &adapter->sources[index];
    if (!source->composed || !source->active || !is_sound(dxgk_upright_size(source), frame)) {
        return STATUS_INVALID_PARAMETER;
    }
    dxgk_wait_awake();
    dxgk_source_begin_change(source);
    if (!dxgk_adapter_has_hardware(adapter)) {
        status = STATUS_DEVICE_REMOVED;
    } else if (!is_sound(dxgk_upright_size(source), frame)) {
        status = STATUS_INVALID_PARAMETER; /* somebody changed the mode meanwhile */
    } else if (!source->visible) {
        if (vary_happens(VARY_SLOW_MODES, 2)) {
            present_unseen(source, frame);
        }
        status = make_visible(source);
    }
    if (NT_SUCCESS(status)) {
        choose_way(source);
        take_pixels(source, frame);
        status = present_and_look(source, &taken);
        if (!source->composed->stale) {
            dxgk_composed_exam_pointer(source);
            dxgk_composed_exam_gamma(source);
        }
    }
    dxgk_source_end_change(source);
    return status;
}

void dxgk_composed_forget(struct dxgk_source *source)
{
    source->composed->stale = true;
}

/* As it was scanned out last: nobody turns it. */
static void take_expected(struct dxgk_source *source)
{
    struct dxgk_composed *composed = source->composed;

    composed->rotates = false;
    composed->pitch = source->mode.width + composed->gap;
    for (unsigned y = 0; y < source->mode.height; y++) {
        memcpy(composed->pixels + (size_t)y * composed->pitch,
               composed->expected + (size_t)y * source->mode.width, (size_t)source->mode.width * 4);
    }
}

void dxgk_composed_show(struct dxgk_source *source)
{
    struct dxgk_frame frame = {0};

    if (dxgk_adapter_has_hardware(source->adapter) && NT_SUCCESS(make_visible(source))) {
        take_expected(source);
        (void)present_and_look(source, &frame);
    }
}

void dxgk_composed_light(struct dxgk_source *source)
{
    struct dxgk_adapter *adapter = source->adapter;

    if (source->visible && dxgk_adapter_has_hardware(adapter)) {
        dxgk_vidpn_commit(adapter, source->index, NULL);
        dxgk_composed_show(source);
        source->composed->examined &= source->woken; /* its pointer, once more behind a sleep */
        source->woken = true;
    }
}

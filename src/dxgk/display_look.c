/* What the monitor shows of a frame that a driver with a display and nothing else was given. */
#include <stdio.h>

#include "dxgk/display_composed.h"
#include "dxgk/work.h"

#define LATCH_NS    (50 * NS_PER_MS)
#define COLOUR_MASK 0xFFFFFFu

static bool holds(const struct dxgk_source *source, const RECT *of_driver, unsigned x, unsigned y)
{
    RECT turned = dxgk_composed_on_screen(source, of_driver), *rect = &turned;

    return x >= (unsigned)rect->left && x < (unsigned)rect->right && y >= (unsigned)rect->top &&
           y < (unsigned)rect->bottom;
}

/* Which rectangle the first wrong pixel lies in. Five parameters: the text is one with its size. */
static void say_place(const struct dxgk_source *source, const struct dxgk_frame *frame,
                      const struct dxgk_screen_wrong *wrong, char *text, size_t size)
{
    const struct dxgk_composed *composed = source->composed;

    for (unsigned i = frame->dirty_count; i-- > 0;) {
        const RECT *rect = &composed->dirty[i];
        if (holds(source, rect, wrong->x, wrong->y)) {
            snprintf(text, size, "in dirty rectangle %u of %u (%d, %d, %d, %d)%s", i,
                     frame->dirty_count, (int)rect->left, (int)rect->top, (int)rect->right,
                     (int)rect->bottom, frame->move_count ? ", after the moves" : "");
            return;
        }
    }
    for (unsigned i = frame->move_count; i-- > 0;) {
        const D3DKMT_MOVE_RECT *move = &composed->moves[i];
        const RECT *rect = &move->DestRect;
        if (holds(source, rect, wrong->x, wrong->y)) {
            snprintf(text, size, "in move %u of %u from (%d, %d) to (%d, %d, %d, %d)", i,
                     frame->move_count, (int)move->SourcePoint.x, (int)move->SourcePoint.y,
                     (int)rect->left, (int)rect->top, (int)rect->right, (int)rect->bottom);
            return;
        }
    }
    snprintf(text, size, "outside of all %u moves and %u dirty rectangles", frame->move_count,
             frame->dirty_count);
}

/* How the path is turned. */
static size_t say_turn(const struct dxgk_source *source, char *text, size_t size)
{
    unsigned degrees = 90u * (unsigned)(source->rotation - D3DDDI_ROTATION_IDENTITY);
    int length = 0;

    if (degrees) {
        length = snprintf(
            text, size, "; the path is turned by %u degrees and Flags.Rotate is %s", degrees,
            source->composed->rotates ? "1: the driver turns picture and rectangles"
                                      : "0: picture and rectangles are turned already");
    }
    return (size_t)length;
}

/* What of the frame its author may not have thought of. */
static void say_way(const struct dxgk_source *source, const struct dxgk_screen_wrong *wrong,
                    char *text, size_t size)
{
    D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling = source->mode.scaling;

    text[0] = '\0';
    if (wrong->seen == (USED_PIXEL & COLOUR_MASK)) {
        snprintf(text, size,
                 "; that is what pSource holds since the driver said that the present was over: it "
                 "was read later");
        return;
    }
    size_t used = say_turn(source, text, size);
    if (!dxgk_is_scaled(scaling)) {
        (void)dxgk_composed_say_seen(source, wrong, text + used, size - used);
        return;
    }
    if (dxgk_is_stretched(scaling)) {
        snprintf(text + used, size - used,
                 "; the path is %s (%s): the picture of %u x %u pixels %s; the place is in it",
                 scaling == D3DKMDT_VPPS_STRETCHED ? "stretched" : "scaled",
                 dxgk_scaling_name(scaling), source->mode.width, source->mode.height,
                 scaling == D3DKMDT_VPPS_STRETCHED ? "fills the target's mode"
                 : scaling == D3DKMDT_VPPS_CUSTOM
                     ? "is seen as the driver likes, and nothing is"
                     : "fills as much of it as its shape allows, in the middle");
    } else if (scaling == D3DKMDT_VPPS_CENTERED) {
        snprintf(text + used, size - used,
                 "; the path is centered (D3DKMDT_VPPS_CENTERED): the picture of %u x %u pixels "
                 "lies in the middle of the target's mode",
                 source->mode.width, source->mode.height);
    }
}

void dxgk_device_word(const struct dxgk_source *source, char text[DXGK_SAID_MAX])
{
    char said[PCI_SAID_MAX];
    uint64_t when_ns;

    text[0] = '\0';
    if (pci_take_said(source->adapter->ddi.slot, said, &when_ns)) {
        snprintf(text, DXGK_SAID_MAX, "; meanwhile the device said: %s", said);
    }
}

/* What the device complained of meanwhile is mostly why, or a notice that names another source. */
void dxgk_composed_say_why(const struct dxgk_source *source, char said[DXGK_SAID_MAX])
{
    const struct dxgk_adapter *adapter = source->adapter;

    dxgk_device_word(source, said);
    for (unsigned i = 0; i < adapter->source_count && !said[0]; i++) {
        if (i != source->index && adapter->sources[i].composed &&
            adapter->sources[i].composed->stray) {
            snprintf(said, DXGK_SAID_MAX,
                     "; meanwhile one came for source %u, which had no present under way", i);
        }
    }
}

void dxgk_adapter_frame_said(struct dxgk_adapter *adapter, char text[DXGK_FRAME_SAID_MAX])
{
    char said[DXGK_SAID_MAX] = "";

    if (adapter->display_only) {
        dxgk_device_word(&adapter->sources[0], said);
    }
    snprintf(text, DXGK_FRAME_SAID_MAX, "%s", said);
}

/* A device may show it from its next picture on, and be dark until it set the mode. */
bool dxgk_screen_settled(const struct dxgk_source *source, const uint32_t *expected,
                         struct dxgk_screen_wrong *out)
{
    if (dxgk_screen_compare(source, expected, out) && out->count == 0) {
        return true;
    }
    task_block(machine_now_ns() + LATCH_NS);
    return dxgk_screen_compare(source, expected, out);
}

/* ---- Nothing of its mode --------------------------------------------------------------------- */

/* Nobody pulls monitors out or sends them to sleep here. */
static bool monitors_stay(void)
{
    static const enum variation others[] = {
        VARY_SLEEP,      VARY_MONITOR_SLEEP, VARY_HOT_PLUG, VARY_SECOND_MONITOR,
        VARY_PULLED_OUT, VARY_SHUT_DOWN,     VARY_LAPTOP,   VARY_CLONED,
    };
    bool stay = true;

    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        stay &= !vary_on(others[i]);
    }
    return stay;
}

/* A monitor that never was on may wait for SetPowerState to D0, which no page says comes. */
static void say_dark(struct dxgk_source *source)
{
    char said[DXGK_SAID_MAX];

    dxgk_device_word(source, said);
    contract_count(RULE_SHOW_001);
    contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_001),
                                               .ddi = "DxgkDdiPresentDisplayOnly",
                                               .advice = !source->composed->was_lit},
                    "a source that is visible scanned",
                    "the monitor at target %u is dark after SetVidPnSourceVisibility showed source "
                    "%u, of %u x %u pixels, and PresentDisplayOnly drew all of it%s",
                    source->target, source->index, source->mode.width, source->mode.height, said);
}

static void say_other_size(struct dxgk_source *source, const struct pci_picture *picture)
{
    char said[DXGK_SAID_MAX];

    dxgk_device_word(source, said);
    contract_count(RULE_SHOW_001);
    contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_001),
                                               .ddi = "DxgkDdiPresentDisplayOnly"},
                    "the mode that CommitVidPn set on the monitor",
                    "the monitor at target %u shows %u x %u pixels, and source %u has %u x %u, "
                    "with D3DKMDT_VPPS_IDENTITY%s",
                    source->target, picture->width, picture->height, source->index,
                    source->mode.width, source->mode.height, said);
}

static bool is_connected(const struct dxgk_source *source)
{
    const struct dxgk_adapter *adapter = source->adapter;

    for (ULONG i = 0; i < adapter->child_count; i++) {
        if (adapter->children[i].descriptor.ChildUid == source->target) {
            return adapter->children[i].connected;
        }
    }
    return false;
}

/* Nothing of the size of its mode is seen. */
static void judge_unseen(struct dxgk_source *source)
{
    struct dxgk_composed *composed = source->composed;
    const struct dxgk_adapter *adapter = source->adapter;
    struct pci_picture picture;

    if (composed->was_dark || !monitors_stay() || !is_connected(source) ||
        source->mode.scaling != D3DKMDT_VPPS_IDENTITY || !pci_has_scanout(adapter->ddi.slot) ||
        !dxgk_adapter_has_hardware(source->adapter)) {
        return;
    }
    bool lit = pci_scanout(adapter->ddi.slot, dxgk_output_of(adapter, source->target), &picture);
    if (lit && picture.width == source->target_width && picture.height == source->target_lines) {
        return; /* its mode has another size than the source, which is another matter */
    }
    composed->was_dark = true;
    if (lit) {
        say_other_size(source, &picture);
    } else {
        say_dark(source);
    }
}

void dxgk_composed_judge(struct dxgk_source *source, const struct dxgk_frame *frame)
{
    struct dxgk_composed *composed = source->composed;
    struct dxgk_screen_wrong wrong;
    char place[128], way[400], said[DXGK_SAID_MAX];
    bool seen = dxgk_screen_settled(source, source->composed->expected, &wrong);

    if (dxgk_adapter_is_missing(source->adapter) || /* pulled out since the present was over */
        composed->ramped) {
        return;
    }
    if (!seen) {
        judge_unseen(source);
        return;
    }
    composed->was_lit = true;
    composed->was_dark = false;
    contract_count(RULE_DOD_002);
    record_count("present.scanouts_checked", 1);
    if (wrong.count) {
        say_place(source, frame, &wrong, place, sizeof place);
        say_way(source, &wrong, way, sizeof way);
        dxgk_device_word(source, said);
        record_count("present.wrong_pixels", wrong.count);
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(DOD_002)},
            "all moves done, then all dirty rectangles copied, each before the next; nothing else "
            "changed",
            "after DxgkDdiPresentDisplayOnly target %u shows %u wrong pixels; the first at (%u, "
            "%u), %s: 0x%06X, expected 0x%06X%s%s",
            source->target, wrong.count, wrong.x, wrong.y, place, wrong.seen,
            composed->expected[(size_t)wrong.y * source->mode.width + wrong.x] & COLOUR_MASK, way,
            said);
        composed->stale = true;
    }
}

/* ---- Hidden -------------------------------------------------------------------------------- */

static bool tells(const struct dxgk_source *source)
{
    const struct dxgk_composed *composed = source->composed;
    size_t count = (size_t)source->mode.width * source->mode.height;
    uint32_t any = 0;

    if (!composed->expected || composed->stale || dxgk_adapter_is_missing(source->adapter)) {
        return false;
    }
    for (size_t i = 0; i < count && any == 0; i++) {
        any |= composed->expected[i] & COLOUR_MASK;
    }
    return any != 0; /* black is what hidden sources may show */
}

static bool is_seen(const struct dxgk_source *source)
{
    struct dxgk_screen_wrong wrong;

    return dxgk_screen_compare(source, source->composed->expected, &wrong) && wrong.count == 0;
}

/* Whatever the monitor shows instead; of a picture that is scaled nobody can tell. */
void dxgk_composed_judge_hidden(struct dxgk_source *source)
{
    struct pci_picture picture;

    if (!source->composed || dxgk_is_stretched(source->mode.scaling) || !tells(source)) {
        return;
    }
    if (is_seen(source)) {
        task_block(machine_now_ns() + LATCH_NS);
    }
    contract_count(RULE_SHOW_001);
    if (!dxgk_adapter_is_missing(source->adapter) && dxgk_screen_picture(source, &picture) &&
        is_seen(source)) {
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_001)},
            "a source that is not visible not seen on the monitor, which is dark or black",
            "after SetVidPnSourceVisibility with Visible FALSE target %u still shows the "
            "last frame of source %u, of %u x %u pixels",
            source->target, source->index, source->mode.width, source->mode.height);
    }
}

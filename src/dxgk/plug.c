/* Monitors: one is pulled out and plugged in again while its source is shown.
 *
 *   clients wait outside, all work is done ─> the monitor goes ─> the driver indicates it ─> the
 *   source is hidden, a VidPN without the path committed ─> the plug slips: the monitor comes, and
 *   goes while that is indicated ─> the monitor comes ─> indicated, asked for, its descriptor read
 *   ─> modes agreed on anew, committed ─> address, visibility ─> the same picture
 *
 * A driver that tells nothing is asked nothing: what is shown stays as it is, as on Windows. */
#include "dxgk/display_only.h"
#include "dxgk/vidpn.h"
#include "dxgk/work.h"

#include <stdio.h>
#include <string.h>

#define HEAD_START_NS UINT64_C(10000)   /* in which an interrupt and its DPC have run */
#define TOLD_NS       (2 * NS_PER_S)    /* a driver that waits until contacts rest takes less */
#define QUIET_NS      (200 * NS_PER_MS) /* an interrupt and its DPC take less */
#define DARK_NS       (50 * NS_PER_MS)  /* three pictures */
#define NOTICE_NS     (40 * NS_PER_MS)  /* two vertical syncs */

struct plug {
    struct dxgk_adapter *adapter;
    struct dxgk_child *child;
    struct dxgk_source *source;    /* the one that it shows; NULL: none */
    bool was_visible;              /* the source */
    bool exchanged;                /* another monitor is plugged in */
    struct dxgk_screens_kept kept; /* what the monitors showed before */
};

/* ---- What is shown -------------------------------------------------------------------------- */

/* Everybody's change is in hand: what is seen changes by what is done here alone. */
static void take_screens(struct plug *plug)
{
    dxgk_display_begin_changes(plug->adapter);
    dxgk_screens_keep(plug->adapter, NULL, &plug->kept);
}

/* The others keep their pictures. */
static void judge_others(const struct plug *plug, const char *what)
{
    char text[64];

    snprintf(text, sizeof text, "%s target %u", what, plug->child->descriptor.ChildUid);
    dxgk_screens_judge_others(&plug->kept, plug->source, text);
}

static void judge_return(struct plug *plug, const char *after)
{
    struct dxgk_source *source = plug->source;

    bool settled = dxgk_screen_settle(source);
    if (!dxgk_screen_tells(&plug->kept, source)) {
        return;
    }
    contract_count(RULE_SHOW_001);
    if (!settled || !dxgk_screen_is_kept(&plug->kept, source)) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_001)},
                        "a primary scanned while its source is visible",
                        "%s, with CommitVidPn, SetVidPnSourceAddress and "
                        "SetVidPnSourceVisibility after it, target %u does not show the surface "
                        "of source %u as before",
                        after, source->target, source->index);
    }
}

/* A reset took the surface's place meanwhile: then the worker shows it again. */
static void show_again(struct plug *plug, const char *after)
{
    struct dxgk_source *source = plug->source;

    if (!plug->was_visible || !(source->shown || source->composed)) {
        return;
    }
    if (source->composed) {
        dxgk_composed_show(source);
    } else if (!vidmm_pin_holds(&source->pin)) {
        source->set_mode = true;
    } else if (NT_SUCCESS(dxgk_source_light(source))) {
        judge_return(plug, after);
    }
}

/* ---- What the driver tells ------------------------------------------------------------------ */

static const char *plugged_or_pulled(bool connected)
{
    return connected ? "plugged in" : "pulled out";
}

static bool is_interruptible(const struct plug *plug)
{
    return plug->child->descriptor.ChildCapabilities.HpdAwareness == HpdAwarenessInterruptible;
}

static unsigned output_of(const struct plug *plug)
{
    return dxgk_output_of(plug->adapter, plug->child->descriptor.ChildUid);
}

/* Whose InterruptRoutine never had an interrupt of its own drives another device than this one. Who
 * says the same for ever drives an output that cannot tell, and has to call it interruptible. */
static void judge_indication(const struct plug *plug, bool connected)
{
    const struct dxgk_child *child = plug->child;
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(CHILD_006),
                                             .advice = !dxgk_child_is_detected(child)};
    const char *expected = "each change of a connection told, as it is";

    if (!is_interruptible(plug) || !plug->adapter->ddi.claimed_interrupts ||
        dxgk_screens_disturbed(&plug->kept)) {
        return;
    }
    contract_count(RULE_CHILD_006);
    if (!child->told) {
        contract_breach(
            &finding, expected,
            "no DxgkCbIndicateChildStatus for ChildUid 0x%X within %u ms of its monitor "
            "being %s, at output %u of the device%s",
            child->descriptor.ChildUid, (unsigned)(TOLD_NS / NS_PER_MS),
            plugged_or_pulled(connected), output_of(plug),
            finding.advice ? "; QueryChildStatus has never told another state either: right where "
                             "the hardware cannot detect a monitor"
            : dpc_hold_was_seen()
                ? "; between the interrupt and its DPC InterruptRoutine was called "
                  "for another one: what it had noted for the DPC stays noted"
                : "");
    } else if (child->connected != connected) {
        contract_breach(&finding, expected,
                        "DxgkCbIndicateChildStatus told HotPlug.Connected %u of ChildUid 0x%X, "
                        "whose monitor was %s, at output %u of the device",
                        child->connected, child->descriptor.ChildUid, plugged_or_pulled(connected),
                        output_of(plug));
    }
}

/* False: there is nothing to judge. */
static bool ask(const struct plug *plug, DXGK_CHILD_STATUS *status)
{
    struct dxgk_child *child = plug->child;

    *status = (DXGK_CHILD_STATUS){.Type = StatusConnection, .ChildUid = child->descriptor.ChildUid};
    if (!NT_SUCCESS(ddi_query_child_status(&plug->adapter->ddi, status, true))) {
        return false; /* a row of its own */
    }
    dxgk_child_says(child, status);
    if (!is_interruptible(plug)) {
        child->connected = status->HotPlug.Connected;
        child->told = true;
    }
    return plug->adapter->ddi.claimed_interrupts && !dxgk_screens_disturbed(&plug->kept);
}

static bool set_monitor(struct dxgk_adapter *adapter, const struct dxgk_child *child,
                        bool connected)
{
    return pci_set_monitor(adapter->ddi.slot, dxgk_output_of(adapter, child->descriptor.ChildUid),
                           connected);
}

/* The interrupt routine tells the DPC of the plug; until that runs it is called once more, by a
 * vertical sync. `claimed`: how many calls that makes from now on. */
static void hold_dpc(unsigned claimed)
{
    if (vary_happens(VARY_LATE_DPCS, 1)) { /* as often as there is something to hold */
        dpc_hold_for_interrupts(claimed);
    }
}

void dxgk_plug_with_notice(struct dxgk_adapter *adapter)
{
    for (ULONG i = 0; adapter->children && i < adapter->child_count; i++) {
        struct dxgk_child *child = &adapter->children[i];
        if (child->waits && set_monitor(adapter, child, !child->connected)) {
            child->waits = false;
            hold_dpc(3); /* the routine that gives the notice has not returned */
        }
    }
}

/* At once or, mostly, while the driver gives a notice of something else, so that one DPC has to
 * tell of both. A vertical sync is one, so that none is waited for long.
 * False: as set_monitor(). */
static bool set_monitor_somewhen(const struct plug *plug, bool connected)
{
    struct dxgk_child *child = plug->child;
    uint64_t deadline_ns = machine_now_ns() + NOTICE_NS;

    child->waits = is_interruptible(plug) && child->connected != connected &&
                   vary_below(VARY_HOT_PLUG, 4) != 0;
    if (!child->waits) {
        hold_dpc(2);
        return set_monitor(plug->adapter, child, connected);
    }
    while (child->waits && machine_now_ns() < deadline_ns) {
        task_block(machine_now_ns() + NS_PER_MS);
    }
    bool nobody_came = child->waits;
    child->waits = false;
    return !nobody_came || set_monitor(plug->adapter, child, connected);
}

/* False: the device model knows nothing of monitors. */
static bool change_monitor(struct plug *plug, bool connected)
{
    struct dxgk_child *child = plug->child;
    DXGK_CHILD_STATUS status;

    child->told = false;
    (void)dpc_hold_was_seen(); /* of an earlier one */
    if (!set_monitor_somewhen(plug, connected)) {
        return false;
    }
    dxgk_child_bounce(plug->adapter, child, connected);
    if (!connected && vary_below(VARY_HOT_PLUG, 2) == 0) {
        dxgk_child_ask_descriptor(plug->adapter, child);
    }
    uint64_t until_ns = is_interruptible(plug) ? machine_now_ns() + TOLD_NS : 0;
    dxgk_child_wait_told(child, connected, until_ns);
    bool asked = ask(plug, &status);
    dxgk_child_wait_told(child, connected, until_ns); /* it may have begun to tell of a bounce */
    judge_indication(plug, connected);
    if (asked) {
        dxgk_child_judge_answer(plug->adapter, child, &status, connected);
    }
    return true;
}

static void judge_slip(const struct plug *plug)
{
    const struct dxgk_child *child = plug->child;
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(CHILD_006)};

    if (!plug->adapter->ddi.claimed_interrupts || dxgk_screens_disturbed(&plug->kept)) {
        return;
    }
    contract_count(RULE_CHILD_006);
    if (child->connected) {
        contract_breach(&finding, "each change of a connection told, as it is",
                        "no DxgkCbIndicateChildStatus within %u ms that ChildUid 0x%X is without "
                        "its monitor again, which was pulled out while DxgkCbIndicateChildStatus "
                        "told that it had been plugged in",
                        (unsigned)(TOLD_NS / NS_PER_MS), child->descriptor.ChildUid);
    }
}

/* Contacts bounce: a driver that was telling of one change has another to tell of. */
static void let_slip(struct plug *plug)
{
    struct dxgk_child *child = plug->child;
    uint64_t deadline_ns = machine_now_ns() + TOLD_NS;

    if (!is_interruptible(plug)) {
        return;
    }
    child->flickers = true;
    set_monitor(plug->adapter, child, true);
    while ((child->flickers || child->connected) && machine_now_ns() < deadline_ns) {
        bool flickers = child->flickers;
        task_block(machine_now_ns() + NS_PER_MS);
        deadline_ns += flickers && !child->flickers ? TOLD_NS : 0; /* that it is gone again */
    }
    if (child->flickers) { /* he told nothing, of which the next change is judged */
        child->flickers = false;
        set_monitor(plug->adapter, child, false);
        task_block(machine_now_ns() + QUIET_NS);
    } else {
        judge_slip(plug);
    }
}

/* ---- Pulling out and plugging in ------------------------------------------------------------ */

/* True: the path is gone. */
static bool drop_path(struct plug *plug)
{
    struct dxgk_source *source = plug->source;

    if (!source || !plug->child->told || plug->child->connected) {
        return false;
    }
    dxgk_source_hide(source);
    bool dropped = NT_SUCCESS(dxgk_vidpn_drop_path(plug->adapter, source->index, source->target));
    if (dropped) {
        judge_others(plug, "without a path to");
    }
    return dropped;
}

static void judge_agreement(const struct plug *plug, NTSTATUS status,
                            const struct dxgk_failure *failure)
{
    if (dxgk_screens_disturbed(&plug->kept)) {
        return;
    }
    contract_count(RULE_VIDPN_012);
    if (!NT_SUCCESS(status)) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_012)},
                        "the VidPN of before, when the monitor of before is plugged in again",
                        "no VidPN with target %u any more: %s", plug->source->target,
                        failure->text);
    }
}

/* Another monitor of the same timings has another serial number. */
static void read_descriptor(struct plug *plug)
{
    struct dxgk_child *child = plug->child;
    uint8_t before[sizeof child->edid];
    UINT size = child->descriptor_size;

    memcpy(before, child->edid, sizeof before);
    dxgk_child_read_descriptor(plug->adapter, child);
    if (!plug->exchanged || size == 0 || dxgk_screens_disturbed(&plug->kept)) {
        return;
    }
    contract_count(RULE_CHILD_004);
    if (size == child->descriptor_size && memcmp(before, child->edid, size) == 0) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(CHILD_004),
                                                   .ddi = "DxgkDdiQueryDeviceDescriptor"},
                        "the descriptor of the monitor that is connected now",
                        "the %u bytes that QueryDeviceDescriptor tells of ChildUid 0x%X are those "
                        "of the monitor that was pulled out; the one that was plugged in then is "
                        "another, with another serial number",
                        size, child->descriptor.ChildUid);
    }
}

static void restore_path(struct plug *plug, bool dropped)
{
    struct dxgk_source *source = plug->source;
    struct dxgk_failure failure = {.ours = false};

    if (plug->child->connected) {
        read_descriptor(plug);
    }
    if (dropped) {
        NTSTATUS status = dxgk_vidpn_restore_path(source, &failure);
        judge_agreement(plug, status, &failure);
        if (!NT_SUCCESS(status)) {
            return;
        }
        judge_others(plug, "with a path to");
        if (plug->was_visible && !source->visible) {
            dxgk_source_judge_dark(source);
        }
    }
    if (source && !source->visible) {
        show_again(plug, "after its monitor was pulled out and plugged in again");
    }
}

/* Its monitor can be pulled out as well, whatever the driver says: then he has only to be quiet. */
static bool is_said_to_stay(const struct dxgk_child *child)
{
    return child->descriptor.ChildDeviceType == TypeVideoOutput &&
           child->descriptor.ChildCapabilities.HpdAwareness == HpdAwarenessAlwaysConnected;
}

/* What he tells all the same the door hears [CHILD-011]. */
static bool replug_unasked(struct plug *plug)
{
    bool changed = set_monitor(plug->adapter, plug->child, false);

    if (changed) {
        task_block(machine_now_ns() + QUIET_NS);
        set_monitor(plug->adapter, plug->child, true);
        task_block(machine_now_ns() + QUIET_NS);
        plug->child->connected = true;
    }
    return changed;
}

static bool replug(struct plug *plug)
{
    if (is_said_to_stay(plug->child)) {
        return replug_unasked(plug);
    }
    if (!change_monitor(plug, false)) {
        return false;
    }
    bool dropped = drop_path(plug);
    task_block(machine_now_ns() + DARK_NS);
    /* A driver that did not tell of the one does not look for another. */
    plug->exchanged =
        !plug->child->connected && pci_exchange_monitor(plug->adapter->ddi.slot, output_of(plug));
    let_slip(plug);
    change_monitor(plug, true);
    restore_path(plug, dropped);
    return true;
}

/* ---- Which one ------------------------------------------------------------------------------ */

static bool can_change(const struct dxgk_child *child)
{
    DXGK_CHILD_DEVICE_HPD_AWARENESS awareness = child->descriptor.ChildCapabilities.HpdAwareness;

    return child->descriptor.ChildDeviceType == TypeVideoOutput &&
           (awareness == HpdAwarenessInterruptible || awareness == HpdAwarenessPolled);
}

static bool can_be_pulled(const struct dxgk_child *child)
{
    return child->connected && (can_change(child) || is_said_to_stay(child));
}

static bool is_any_connected(const struct dxgk_adapter *adapter)
{
    for (ULONG i = 0; adapter->children && i < adapter->child_count; i++) {
        if (adapter->children[i].connected) {
            return true;
        }
    }
    return false;
}

/* No monitor is connected to anything, as the driver says. One is plugged in, unless it was all the
 * time, and pulled out again. */
static bool plug_in_first(struct plug *plug)
{
    struct dxgk_adapter *adapter = plug->adapter;

    for (ULONG i = 0; adapter->children && i < adapter->child_count && !plug->child; i++) {
        plug->child = can_change(&adapter->children[i]) ? &adapter->children[i] : NULL;
    }
    if (!plug->child || !set_monitor(adapter, plug->child, true)) {
        return false;
    }
    DXGK_CHILD_STATUS with, without;
    task_block(machine_now_ns() + TOLD_NS);
    bool asked = ask(plug, &with);
    set_monitor(adapter, plug->child, false);
    task_block(machine_now_ns() + TOLD_NS);
    if (ask(plug, &without) && asked) {
        dxgk_child_judge_answer(adapter, plug->child, &with, true); /* now that both are known */
        dxgk_child_judge_answer(adapter, plug->child, &without, false);
    }
    return true;
}

static bool choose(struct plug *plug, unsigned which)
{
    struct dxgk_adapter *adapter = plug->adapter;
    unsigned count = 0;

    for (ULONG i = 0; adapter->children && i < adapter->child_count; i++) {
        count += can_be_pulled(&adapter->children[i]);
    }
    which = count ? which % count : 0;
    for (ULONG i = 0; count && !plug->child; i++) {
        if (can_be_pulled(&adapter->children[i]) && which-- == 0) {
            plug->child = &adapter->children[i];
        }
    }
    for (unsigned i = 0; plug->child && i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        if (source->active && source->target == plug->child->descriptor.ChildUid) {
            plug->source = source;
            plug->was_visible = source->visible;
        }
    }
    return plug->child != NULL;
}

/* Nobody waits for what the driver does about it: StopDevice comes next, before the interrupt, or
 * when the DPC has left a work item behind. */
bool dxgk_adapter_pull_monitor(struct dxgk_adapter *adapter)
{
    struct plug plug = {.adapter = adapter};

    if (adapter->presence >= DXGK_TOLD || adapter->state != DXGK_ADAPTER_RUNNING ||
        !choose(&plug, 0) || !is_interruptible(&plug) || !set_monitor(adapter, plug.child, false)) {
        return false;
    }
    uint64_t head_start_ns = vary_below(VARY_HOT_PLUG, 4) * HEAD_START_NS;
    if (head_start_ns > 0) {
        task_block(machine_now_ns() + head_start_ns);
    }
    return true;
}

bool dxgk_adapter_replug(struct dxgk_adapter *adapter, unsigned which, uint64_t deadline_ns)
{
    struct plug plug = {.adapter = adapter};

    if (!dxgk_hold_clients(adapter, deadline_ns)) {
        return false;
    }
    take_screens(&plug);
    bool happened =
        adapter->state == DXGK_ADAPTER_RUNNING && adapter->presence < DXGK_TOLD &&
        !adapter->reshowing &&
        (is_any_connected(adapter) ? adapter->active_vidpn && choose(&plug, which) && replug(&plug)
                                   : plug_in_first(&plug));
    dxgk_display_end_changes(adapter);
    dxgk_let_clients_go();
    return happened;
}

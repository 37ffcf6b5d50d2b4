/* vsync_switch.c: vertical syncs are asked for and dismissed, in the form that the driver has.
 *
 *   ControlInterrupt3   where there is it, and no other then: of one source, if
 *                       IndependentVidPnVSyncControl says so, else of all
 *   ControlInterrupt    of all sources
 *   ControlInterrupt2   likewise, of a driver that has it alone
 *
 * Where each source goes on its own, those of the others are seen to go on. */
#include "dxgk/planes_parts.h"
#include "dxgk/screens.h"
#include "dxgk/work.h"

#define VSYNCS   2 /* one may be on its way */
#define VSYNC_NS (500 * NS_PER_MS)

static bool has_third_form(const struct dxgk_adapter *adapter)
{
    return ddi_has(&adapter->ddi, POINT_ControlInterrupt3);
}

/* Each source on its own. */
static bool goes_by_source(const struct dxgk_adapter *adapter)
{
    return has_third_form(adapter) && adapter->caps.MiscCaps.IndependentVidPnVSyncControl;
}

static bool has_phases(const struct dxgk_adapter *adapter)
{
    return has_third_form(adapter) || (ddi_has(&adapter->ddi, POINT_ControlInterrupt2) &&
                                       !ddi_has(&adapter->ddi, POINT_ControlInterrupt));
}

static NTSTATUS control(struct dxgk_adapter *adapter, UINT source, bool enable)
{
    /* The phase may be worth something to somebody who has them on again soon. */
    DXGK_CRTC_VSYNC_STATE state = enable ? DXGK_VSYNC_ENABLE
                                  : has_phases(adapter) && vary_happens(VARY_SLOW_MODES, 2)
                                      ? DXGK_VSYNC_DISABLE_KEEP_PHASE
                                      : DXGK_VSYNC_DISABLE_NO_PHASE;
    const char *form;
    NTSTATUS status;

    if (has_third_form(adapter)) {
        const DXGKARG_CONTROLINTERRUPT3 third = {.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC,
                                                 .CrtcVsyncState = state,
                                                 .VidPnSourceId = source};
        form = "DxgkDdiControlInterrupt3";
        status = ddi_control_interrupt3(&adapter->ddi, &third);
    } else if (ddi_has(&adapter->ddi, POINT_ControlInterrupt) ||
               !ddi_has(&adapter->ddi, POINT_ControlInterrupt2)) {
        form = "DxgkDdiControlInterrupt";
        status = ddi_control_interrupt(&adapter->ddi, DXGK_INTERRUPT_CRTC_VSYNC, enable);
    } else {
        const DXGKARG_CONTROLINTERRUPT2 second = {.InterruptType = DXGK_INTERRUPT_CRTC_VSYNC,
                                                  .CrtcVsyncState = state};
        form = "DxgkDdiControlInterrupt2";
        status = ddi_control_interrupt2(&adapter->ddi, &second);
    }
    dxgk_interrupts_set(adapter, form);
    return status;
}

bool dxgk_source_has_vsyncs_on(const struct dxgk_source *source)
{
    return source->adapter->vsyncs_on && (source->vsyncs_on || !goes_by_source(source->adapter));
}

bool dxgk_source_tells_vsyncs(const struct dxgk_source *source)
{
    return dxgk_source_has_vsyncs_on(source) && source->adapter->ddi.claimed_interrupts &&
           source->mode.refresh_millihertz > 0 && !(source->layers && source->layers->queue);
}

void dxgk_source_lose_vsyncs(struct dxgk_source *source)
{
    source->vsyncs_on = false;
    if (!goes_by_source(source->adapter)) {
        source->adapter->vsyncs_on = false;
    }
}

NTSTATUS dxgk_source_enable_vsync(struct dxgk_source *source)
{
    struct dxgk_adapter *adapter = source->adapter;

    if (dxgk_source_has_vsyncs_on(source) && vary_happens(VARY_SLOW_MODES, 1)) {
        return STATUS_SUCCESS; /* it was said [INT-024] */
    }
    for (unsigned i = 0; i < adapter->source_count && !adapter->vsyncs_on; i++) {
        adapter->sources[i].vsyncs_on = false; /* what was said before does not count any more */
    }
    NTSTATUS status =
        control(adapter, goes_by_source(adapter) ? source->index : D3DDDI_ID_ALL, true);
    source->vsyncs_on = NT_SUCCESS(status);
    adapter->vsyncs_on = NT_SUCCESS(status) || (goes_by_source(adapter) && adapter->vsyncs_on);
    return status;
}

static bool is_connected(const struct dxgk_adapter *adapter, UINT target)
{
    for (ULONG i = 0; adapter->children && i < adapter->child_count; i++) {
        if (adapter->children[i].descriptor.ChildUid == target) {
            return adapter->children[i].connected;
        }
    }
    return false;
}

bool dxgk_source_owes_vsyncs(const struct dxgk_source *source)
{
    return source->active && source->visible && source->shown && dxgk_source_tells_vsyncs(source) &&
           is_connected(source->adapter, source->target);
}

/* Of a source that was not named. */
static void judge_goes_on(struct dxgk_source *source, const struct dxgk_source *ended)
{
    struct dxgk_adapter *adapter = source->adapter;
    const struct dxgk_screens_kept kept = {.adapter = adapter, .resets = adapter->totals.resets};
    bool came = true, changing = source->changing; /* then the change is the caller's */

    if (!dxgk_source_owes_vsyncs(source)) {
        return;
    }
    for (unsigned i = 0; came && i < VSYNCS; i++) {
        came = present_wait_vsync(&source->present, machine_now_ns() + VSYNC_NS);
    }
    if (dxgk_screens_disturbed(&kept) || adapter->still.on || source->changing != changing ||
        !dxgk_source_owes_vsyncs(source)) {
        return;
    }
    contract_count(RULE_INT_024);
    if (!came) {
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(INT_024),
                                       .ddi = "DxgkDdiControlInterrupt3"},
            "vertical syncs switched off of the source in VidPnSourceId alone",
            "vertical syncs of source %u were switched off, and for %u ms none was told of target "
            "%u, which shows source %u, of which they are on",
            ended->index, (unsigned)(VSYNC_NS / NS_PER_MS), source->target, source->index);
    }
}

/* The worker waits for nobody. */
static void judge_others(const struct dxgk_source *ended)
{
    struct dxgk_adapter *adapter = ended->adapter;

    for (unsigned i = 0; i < adapter->source_count && task_self() != adapter->worker; i++) {
        if (&adapter->sources[i] != ended) {
            judge_goes_on(&adapter->sources[i], ended);
        }
    }
}

void dxgk_source_end_vsync(struct dxgk_source *source)
{
    struct dxgk_adapter *adapter = source->adapter;
    bool any = false;

    for (unsigned i = 0; i < adapter->source_count; i++) {
        any |= adapter->sources[i].visible;
    }
    /* Those of hidden sources come as long as they are wanted. Where there is a phase to keep, they
     * end now and then. */
    unsigned one_in = has_phases(adapter) ? 2 : 1;
    if ((any && !goes_by_source(adapter)) || vary_happens(VARY_SLOW_MODES, one_in)) {
        return;
    }
    NTSTATUS status = control(adapter, any ? source->index : D3DDDI_ID_ALL, false);
    source->vsyncs_on = false;
    adapter->vsyncs_on = adapter->vsyncs_on && any;
    if (any && NT_SUCCESS(status)) {
        judge_others(source);
    }
}

void dxgk_ask_other_interrupt(struct dxgk_adapter *adapter)
{
    const DXGKARG_CONTROLINTERRUPT3 third = {.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED,
                                             .InterruptState = DXGK_INTERRUPT_ENABLE,
                                             .VidPnSourceId = D3DDDI_ID_ALL};

    if (has_third_form(adapter)) {
        (void)ddi_control_interrupt3(&adapter->ddi, &third);
    } else {
        (void)ddi_control_interrupt(&adapter->ddi, DXGK_INTERRUPT_DMA_COMPLETED, true);
    }
}

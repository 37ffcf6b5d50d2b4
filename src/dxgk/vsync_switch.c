/* vsync_switch.c: vertical syncs are asked for and dismissed, in the form that the driver has.
 *
 *   ControlInterrupt3   where there is it, and no other then: of one source, if
 *                       IndependentVidPnVSyncControl says so, else of all
 *   ControlInterrupt    of all sources
 *   ControlInterrupt2   likewise, of a driver that has it alone */
#include "dxgk/planes_parts.h"
#include "dxgk/screens.h"
#include "dxgk/work.h"

static bool has_third_form(const struct dxgk_adapter *adapter)
{
    return ddi_has(&adapter->ddi, POINT_ControlInterrupt3);
}

/* Each source on its own. */
static bool goes_by_source(const struct dxgk_adapter *adapter)
{
    return has_third_form(adapter) && adapter->caps.MiscCaps.IndependentVidPnVSyncControl;
}

static NTSTATUS control(struct dxgk_adapter *adapter, UINT source, bool enable)
{
    DXGK_CRTC_VSYNC_STATE state = enable ? DXGK_VSYNC_ENABLE : DXGK_VSYNC_DISABLE_NO_PHASE;
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

void dxgk_source_end_vsync(struct dxgk_source *source)
{
    struct dxgk_adapter *adapter = source->adapter;
    bool any = false;

    for (unsigned i = 0; i < adapter->source_count; i++) {
        any |= adapter->sources[i].visible;
    }
    /* Those of hidden sources come as long as they are wanted. */
    if ((any && !goes_by_source(adapter)) || vary_happens(VARY_SLOW_MODES, 1)) {
        return;
    }
    (void)control(adapter, any ? source->index : D3DDDI_ID_ALL, false);
    source->vsyncs_on = false;
    adapter->vsyncs_on = adapter->vsyncs_on && any;
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

/* Screens: their monitors and colours, their vertical syncs beside other events, and what else is
 * asked about an adapter. */
#include "d3dkmt/internal.h"

#include <math.h>

#define VSYNC_WAIT_NS NS_PER_S
#define VSYNC_LOOK_NS (50 * NS_PER_US) /* between two looks at events */

/* ---- Monitors -------------------------------------------------------------------------------- */

/* While monitors sleep clients wait outside: one that asks finds its monitor on. */
static NTSTATUS check_power(struct client_call *call,
                            const D3DKMT_CHECKMONITORPOWERSTATE *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);
    struct dxgk_mode mode;

    if (!adapter) {
        return NO_SUCH_OBJECT;
    }
    return dxgk_source_mode(adapter, arguments->VidPnSourceId, &mode) ? STATUS_SUCCESS
                                                                      : STATUS_INVALID_PARAMETER;
}
CLIENT_CALL_IN(CheckMonitorPowerState, check_power, D3DKMT_CHECKMONITORPOWERSTATE)

/* All adapters are the one there is; the answers are there when the call returns, and what the
 * driver makes of them is not held back. */
static NTSTATUS poll(struct client_call *call, const D3DKMT_POLLDISPLAYCHILDREN *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);

    if (!adapter) {
        return NO_SUCH_OBJECT;
    }
    if (arguments->Reserved || (arguments->DisableModeReset && !arguments->SynchronousPolling)) {
        return STATUS_INVALID_PARAMETER;
    }
    return dxgk_adapter_poll(adapter, arguments->PollInterruptible, !arguments->NonDestructiveOnly);
}
CLIENT_CALL_IN(PollDisplayChildren, poll, D3DKMT_POLLDISPLAYCHILDREN)

/* For drivers of Windows Vista, which are asked for another VidPN; from Windows 7 on there is no
 * such call any more, and those of before are not asked either: docs/choices.md. */
static NTSTATUS invalidate(struct client_call *call, const D3DKMT_INVALIDATEACTIVEVIDPN *arguments)
{
    void *data;

    if (!adapter_of(call, arguments->hAdapter)) {
        return STATUS_GRAPHICS_INVALID_DISPLAY_ADAPTER;
    }
    NTSTATUS status = client_capture_private(call, arguments->pPrivateDriverData,
                                             arguments->PrivateDriverDataSize, &data);
    return NT_SUCCESS(status) ? STATUS_NOT_SUPPORTED : status;
}
CLIENT_CALL_IN(InvalidateActiveVidPn, invalidate, D3DKMT_INVALIDATEACTIVEVIDPN)

/* ---- Colours --------------------------------------------------------------------------------- */

/* The ramp lies where the driver may be given it, until the call ends. */
static NTSTATUS decode_ramp(struct client_call *call, const D3DKMT_SETGAMMARAMP *arguments,
                            D3DKMDT_GAMMA_RAMP *ramp)
{
    *ramp = (D3DKMDT_GAMMA_RAMP){.Type = arguments->Type};
    switch (arguments->Type) {
    case D3DDDI_GAMMARAMP_DEFAULT:
        return STATUS_SUCCESS;
    case D3DDDI_GAMMARAMP_RGB256x3x16:
        ramp->DataSize = sizeof(D3DDDI_GAMMA_RAMP_RGB256x3x16);
        break;
    case D3DDDI_GAMMARAMP_DXGI_1:
        ramp->DataSize = sizeof(D3DDDI_GAMMA_RAMP_DXGI_1);
        break;
    default:
        return STATUS_INVALID_PARAMETER;
    }
    return arguments->Size == ramp->DataSize
               ? client_capture_private(call, arguments->pGammaRampRgb256x3x16, arguments->Size,
                                        &ramp->Data.pRaw)
               : STATUS_INVALID_PARAMETER;
}

static NTSTATUS set_gamma(struct client_call *call, const D3DKMT_SETGAMMARAMP *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);
    D3DKMDT_GAMMA_RAMP ramp;

    if (!device) {
        return NO_SUCH_OBJECT;
    }
    if (client_source_is_taken(arguments->VidPnSourceId, arguments->hDevice)) {
        return STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE;
    }
    NTSTATUS status = decode_ramp(call, arguments, &ramp);
    return NT_SUCCESS(status)
               ? dxgk_source_set_gamma(dxgk_device_adapter(device), arguments->VidPnSourceId, &ramp)
               : status;
}
CLIENT_CALL_IN(SetGammaRamp, set_gamma, D3DKMT_SETGAMMARAMP)

static float line(float scale, float offset, float at)
{
    float value = scale * at + offset;

    return value < 0 ? 0 : value > 1 ? 1 : value;
}

static bool is_sane(const D3DDDI_DXGI_RGB *rgb)
{
    return isfinite(rgb->Red) && isfinite(rgb->Green) && isfinite(rgb->Blue);
}

/* A ramp that is a straight line for each colour. */
static NTSTATUS adjust_gamma(struct client_call *call,
                             const D3DKMT_ADJUSTFULLSCREENGAMMA *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);
    const D3DDDI_DXGI_RGB *scale = &arguments->Scale, *offset = &arguments->Offset;
    D3DDDI_GAMMA_RAMP_RGB256x3x16 *lines;
    void *room;

    if (!adapter) {
        return NO_SUCH_OBJECT;
    }
    if (!is_sane(scale) || !is_sane(offset)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (client_source_is_others(call, arguments->VidPnSourceId)) {
        return STATUS_GRAPHICS_VIDPN_SOURCE_IN_USE;
    }
    NTSTATUS status = client_room(call, sizeof *lines, &room);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    lines = room;
    for (unsigned i = 0; i < 256; i++) {
        float at = (float)i / 255;
        lines->Red[i] = (USHORT)(line(scale->Red, offset->Red, at) * 65535);
        lines->Green[i] = (USHORT)(line(scale->Green, offset->Green, at) * 65535);
        lines->Blue[i] = (USHORT)(line(scale->Blue, offset->Blue, at) * 65535);
    }
    const D3DKMDT_GAMMA_RAMP ramp = {.Type = D3DDDI_GAMMARAMP_RGB256x3x16,
                                     .DataSize = sizeof *lines,
                                     .Data.pRgb256x3x16 = lines};
    return dxgk_source_set_gamma(adapter, arguments->VidPnSourceId, &ramp);
}
CLIENT_ENTRY(D3DKMTAdjustFullscreenGamma, AdjustFullscreenGamma, adjust_gamma,
             D3DKMT_ADJUSTFULLSCREENGAMMA, D3DKMT_ADJUSTFULLSCREENGAMMA, false)

/* Primaries of this kernel have one sample for each pixel: docs/choices.md. */
static NTSTATUS list_methods(struct client_call *call, D3DKMT_GETMULTISAMPLEMETHODLIST *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);
    struct dxgk_mode mode;

    if (!adapter) {
        return NO_SUCH_OBJECT;
    }
    if (!dxgk_source_mode(adapter, arguments->VidPnSourceId, &mode) || arguments->Width == 0 ||
        arguments->Height == 0) {
        return STATUS_INVALID_PARAMETER;
    }
    arguments->MethodCount = 0;
    return STATUS_SUCCESS;
}
CLIENT_CALL(GetMultisampleMethodList, list_methods, D3DKMT_GETMULTISAMPLEMETHODLIST)

/* ---- Vertical syncs beside events ---------------------------------------------------------- */

/* Which event is set, and takes it; `count`: none. */
static UINT set_event(struct _KEVENT *const *events, UINT count)
{
    for (UINT i = 0; i < count; i++) {
        if (nt_event_take(events[i])) {
            return i;
        }
    }
    return count;
}

static NTSTATUS wait_beside(const D3DKMT_WAITFORVERTICALBLANKEVENT2 *arguments,
                            struct dxgk_adapter *adapter, struct _KEVENT *const *events)
{
    uint64_t end_ns = machine_now_ns() + VSYNC_WAIT_NS;
    UINT count = arguments->NumObjects;

    for (;;) {
        UINT index = set_event(events, count);
        if (index < count) {
            return STATUS_WAIT_1 + (NTSTATUS)index;
        }
        uint64_t now_ns = machine_now_ns();
        uint64_t look_ns =
            count > 0 && now_ns + VSYNC_LOOK_NS < end_ns ? now_ns + VSYNC_LOOK_NS : end_ns;
        NTSTATUS status = dxgk_source_wait_vsync(adapter, arguments->VidPnSourceId, look_ns);
        if (status != STATUS_TIMEOUT || look_ns == end_ns) {
            return status;
        }
    }
}

static NTSTATUS wait_vsync2(struct client_call *call,
                            const D3DKMT_WAITFORVERTICALBLANKEVENT2 *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);
    struct _KEVENT *events[8];
    UINT count = 0;

    if (!adapter || (arguments->hDevice && !device_of(call, arguments->hDevice))) {
        return NO_SUCH_OBJECT;
    }
    if (arguments->NumObjects > sizeof events / sizeof *events) {
        return STATUS_INVALID_PARAMETER;
    }
    while (count < arguments->NumObjects &&
           dxgk_event_find(call->process, arguments->ObjectHandleArray[count], &events[count])) {
        count++;
    }
    const struct client_watch watch = client_watch_begin(adapter, arguments->VidPnSourceId);
    NTSTATUS status = count == arguments->NumObjects ? wait_beside(arguments, adapter, events)
                                                     : STATUS_INVALID_HANDLE;
    while (count > 0) {
        nt_object_put(events[--count]);
    }
    call->in_vain = status == STATUS_TIMEOUT &&
                    client_watched_nothing(adapter, arguments->VidPnSourceId, &watch);
    return status;
}
CLIENT_CALL_IN(WaitForVerticalBlankEvent2, wait_vsync2, D3DKMT_WAITFORVERTICALBLANKEVENT2)

/* ---- What was presented, clocks -------------------------------------------------------------- */

/* Tokens are for whoever composes what others present redirected; nobody here presents so. */
static NTSTATUS present_history(struct client_call *call, D3DKMT_GETPRESENTHISTORY *arguments)
{
    if (!adapter_of(call, arguments->hAdapter)) {
        return NO_SUCH_OBJECT;
    }
    if (arguments->ProvidedSize > 0 && !arguments->pTokens) {
        return STATUS_INVALID_PARAMETER;
    }
    arguments->NumTokens = 0;
    arguments->WrittenSize = 0;
    return STATUS_SUCCESS;
}
CLIENT_CALL(GetPresentHistory, present_history, D3DKMT_GETPRESENTHISTORY)

static NTSTATUS calibrate(struct client_call *call, D3DKMT_QUERYCLOCKCALIBRATION *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);
    DXGKARG_CALIBRATEGPUCLOCK clock = {0};

    if (!adapter) {
        return NO_SUCH_OBJECT;
    }
    if (arguments->PhysicalAdapterIndex != 0) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = dxgk_adapter_calibrate(adapter, arguments->NodeOrdinal, &clock);
    arguments->ClockData = (DXGK_GPUCLOCKDATA){.GpuFrequency = clock.GpuFrequency,
                                               .GpuClockCounter = clock.GpuClockCounter,
                                               .CpuClockCounter = clock.CpuClockCounter};
    return status;
}
CLIENT_CALL(QueryClockCalibration, calibrate, D3DKMT_QUERYCLOCKCALIBRATION)

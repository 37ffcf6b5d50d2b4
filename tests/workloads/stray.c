/* stray: the reference driver, and somebody in it writes a pixel of a surface that he was not asked
 * to touch. The value Misbehave of the service key names the row. */
#include "../drivers/misbehave/misbehave.h"

#define FLIP      6u /* that it happens at: nothing is drawn whole any more */
#define LEFT_OUT  50 /* of so many presents one; those of before are read */
#define STRAY_X   5u
#define STRAY_Y   5u /* of the wallpaper, which nothing moves over */
#define STRIDE(w) ((w)*4u)

static volatile LONG flips;
static volatile LONG64 address_before;

static void write_pixel(const HANDLE adapter, LONGLONG surface)
{
    const struct softgpu_adapter *gpu = adapter;
    ULONG volatile *pixel = (PVOID)(gpu->vram + surface + STRAY_Y * STRIDE(1920) + STRAY_X * 4);

    *pixel ^= 0x00FFFFFF;
}

/* TRUE at the flip of that number; *before: what was shown. */
static BOOLEAN is_time(const DXGKARG_SETVIDPNSOURCEADDRESS *flip, LONGLONG *before)
{
    *before = InterlockedExchange64(&address_before, flip->PrimaryAddress.QuadPart);
    return flip->VidPnSourceId == 0 && InterlockedIncrement(&flips) == FLIP;
}

/* What is shown from now on. */
static NTSTATUS NTAPI writes_what_is_shown(const HANDLE adapter,
                                           const DXGKARG_SETVIDPNSOURCEADDRESS *flip)
{
    LONGLONG before;

    if (is_time(flip, &before)) {
        write_pixel(adapter, flip->PrimaryAddress.QuadPart);
    }
    return misbehave_driver.DxgkDdiSetVidPnSourceAddress(adapter, flip);
}

/* What was shown, and will be again when the others were. */
static NTSTATUS NTAPI writes_what_was_shown(const HANDLE adapter,
                                            const DXGKARG_SETVIDPNSOURCEADDRESS *flip)
{
    LONGLONG before;

    if (is_time(flip, &before) && before != flip->PrimaryAddress.QuadPart) {
        write_pixel(adapter, before);
    }
    return misbehave_driver.DxgkDdiSetVidPnSourceAddress(adapter, flip);
}

/* ---- Gamma ramps, in the picture itself: the device has none --------------------------------- */

#define WIDTH  1920u
#define HEIGHT 1080u

static ULONG before_ramp[WIDTH * HEIGHT];
static BOOLEAN is_ramped;

static ULONG *shown(const HANDLE adapter)
{
    const struct softgpu_adapter *gpu = adapter;

    return (PVOID)(gpu->vram + address_before);
}

static NTSTATUS NTAPI knows_what_is_shown(const HANDLE adapter,
                                          const DXGKARG_SETVIDPNSOURCEADDRESS *flip)
{
    if (flip->VidPnSourceId == 0) {
        InterlockedExchange64(&address_before, flip->PrimaryAddress.QuadPart);
    }
    return misbehave_driver.DxgkDdiSetVidPnSourceAddress(adapter, flip);
}

static NTSTATUS NTAPI says_that_it_has_ramps(const HANDLE adapter,
                                             const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);

    if (query->Type == DXGKQAITYPE_DRIVERCAPS && NT_SUCCESS(status)) {
        ((DXGK_DRIVERCAPS *)query->pOutputData)->GammaRampCaps.Gamma_Rgb256x3x16 = 1;
    }
    return status;
}

static void apply(const HANDLE adapter, const USHORT *red, const USHORT *green, const USHORT *blue)
{
    ULONG *pixels = shown(adapter), i;

    for (i = 0; i < WIDTH * HEIGHT; i++) {
        ULONG is = before_ramp[i] = pixels[i];
        pixels[i] = (ULONG)(red[is >> 16 & 0xFF] >> 8) << 16 |
                    (ULONG)(green[is >> 8 & 0xFF] >> 8) << 8 | blue[is & 0xFF] >> 8;
    }
    is_ramped = TRUE;
}

static void restore(const HANDLE adapter)
{
    if (is_ramped) {
        RtlCopyMemory(shown(adapter), before_ramp, sizeof(before_ramp));
    }
    is_ramped = FALSE;
}

static NTSTATUS NTAPI ramps_as_told(const HANDLE adapter,
                                    const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH *update)
{
    const D3DKMDT_GAMMA_RAMP *ramp = &update->VidPnPresentPathInfo.GammaRamp;
    const D3DDDI_GAMMA_RAMP_RGB256x3x16 *table = ramp->Data.pRgb256x3x16;

    if (ramp->Type == D3DDDI_GAMMARAMP_RGB256x3x16) {
        apply(adapter, table->Red, table->Green, table->Blue);
        return STATUS_SUCCESS;
    }
    restore(adapter);
    return misbehave_driver.DxgkDdiUpdateActiveVidPnPresentPath(adapter, update);
}

static NTSTATUS NTAPI ramps_from_blue_to_red(const HANDLE adapter,
                                             const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH *update)
{
    const D3DKMDT_GAMMA_RAMP *ramp = &update->VidPnPresentPathInfo.GammaRamp;
    const D3DDDI_GAMMA_RAMP_RGB256x3x16 *table = ramp->Data.pRgb256x3x16;

    if (ramp->Type == D3DDDI_GAMMARAMP_RGB256x3x16) {
        apply(adapter, table->Blue, table->Green, table->Red);
        return STATUS_SUCCESS;
    }
    restore(adapter);
    return misbehave_driver.DxgkDdiUpdateActiveVidPnPresentPath(adapter, update);
}

static NTSTATUS NTAPI ramps_for_good(const HANDLE adapter,
                                     const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH *update)
{
    return update->VidPnPresentPathInfo.GammaRamp.Type == D3DDDI_GAMMARAMP_RGB256x3x16
               ? ramps_as_told(adapter, update)
               : misbehave_driver.DxgkDdiUpdateActiveVidPnPresentPath(adapter, update);
}

static void beside_ramps(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiQueryAdapterInfo = says_that_it_has_ramps;
    table->DxgkDdiSetVidPnSourceAddress = knows_what_is_shown;
}

/* A good one that copies between two surfaces alone. */
static NTSTATUS NTAPI copies_from_elsewhere(const HANDLE adapter,
                                            const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);

    if (query->Type == DXGKQAITYPE_DRIVERCAPS && NT_SUCCESS(status)) {
        ((DXGK_DRIVERCAPS *)query->pOutputData)->PresentationCaps.NoScreenToScreenBlt = 1;
    }
    return status;
}

/* "One that was cancelled": the device is given none of its commands, and tells its fence. */
static NTSTATUS NTAPI leaves_commands_out(const HANDLE adapter, const DXGKARG_SUBMITCOMMAND *submit)
{
    static volatile LONG presents;
    DXGKARG_SUBMITCOMMAND given = *submit;

    if (given.Flags.Present && InterlockedIncrement(&presents) % LEFT_OUT == 0) {
        given.DmaBufferSubmissionEndOffset = given.DmaBufferSubmissionStartOffset;
    }
    return misbehave_driver.DxgkDdiSubmitCommand(adapter, &given);
}

#define OF_RAMPS(rule, function)                                                          \
    BREAKS_RULE_BESIDE(rule, IN_DDI(UpdateActiveVidPnPresentPath), function, SCENE_FLIPS, \
                       beside_ramps)

static const struct misbehaviour rows[] = {
    IS_FOUND("workload", IN_DDI(SetVidPnSourceAddress), writes_what_is_shown, SCENE_FLIPS),
    IS_FOUND("workload", IN_DDI(SetVidPnSourceAddress), writes_what_was_shown, SCENE_FLIPS),
    BREAKS_NO_RULE_BESIDE(IN_DDI(UpdateActiveVidPnPresentPath), ramps_as_told, SCENE_FLIPS,
                          beside_ramps),
    OF_RAMPS(VIDPN_016, ramps_from_blue_to_red),
    OF_RAMPS(VIDPN_016, ramps_for_good),
    BREAKS_NO_RULE(IN_DDI(QueryAdapterInfo), copies_from_elsewhere, SCENE_PLAIN),
    IS_FOUND("workload", IN_DDI(SubmitCommand), leaves_commands_out, SCENE_PLAIN),
};

MISBEHAVIOURS(stray);

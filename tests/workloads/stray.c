/* stray: the reference driver, and somebody in it writes a pixel of a surface that he was not asked
 * to touch. The value Misbehave of the service key names the row. */
#include "../drivers/misbehave/misbehave.h"

#define FLIP      6u /* that it happens at: nothing is drawn whole any more */
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

static const struct misbehaviour rows[] = {
    IS_FOUND("workload", IN_DDI(SetVidPnSourceAddress), writes_what_is_shown, SCENE_FLIPS),
    IS_FOUND("workload", IN_DDI(SetVidPnSourceAddress), writes_what_was_shown, SCENE_FLIPS),
};

MISBEHAVIOURS(stray);

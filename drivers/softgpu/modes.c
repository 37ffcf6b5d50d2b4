/* modes.c: the modes that an output can show, which of them its monitor likes, and what is
 * recommended of them: nothing. Size and timing; the picture can have any of the formats of
 * primary_formats in vidpn.c. */
#include "softgpu.h"

const struct softgpu_mode softgpu_modes[] = {
    {640, 480, 800, 525, 60},     {800, 600, 1056, 628, 60},  {1024, 768, 1344, 806, 60},
    {1280, 720, 1650, 750, 60},   {1366, 768, 1792, 798, 60}, {1280, 1024, 1688, 1066, 60},
    {1920, 1080, 2200, 1125, 60},
};

const ULONG softgpu_mode_count = RTL_NUMBER_OF(softgpu_modes);

/* The first detailed timing of the monitor's EDID is the one it likes best. */
BOOLEAN softgpu_is_native(const struct softgpu_adapter *adapter, ULONG target,
                          const struct softgpu_mode *mode)
{
    ULONG edid = SOFTGPU_OUTPUT_REG(target, SOFTGPU_OUTPUT_EDID);
    ULONG low = softgpu_read(adapter, edid + 56);  /* bytes 56 ... 59 */
    ULONG high = softgpu_read(adapter, edid + 60); /* bytes 60 ... 63 */
    ULONG width = (low & 0xFF) | (low >> 16 & 0xF0) << 4;
    ULONG height = low >> 24 | (high >> 8 & 0xF0) << 4;

    return width == mode->width && height == mode->height;
}

/* The first detailed timing says whether the monitor takes the images of two eyes in turn. */
BOOLEAN softgpu_monitor_has_stereo(const struct softgpu_adapter *adapter, ULONG target)
{
    ULONG bytes = softgpu_read(adapter, SOFTGPU_OUTPUT_REG(target, SOFTGPU_OUTPUT_EDID) + 68);

    return (bytes >> 24 & 0x60) != 0; /* bytes 68 ... 71: its flags are the last */
}

/* ---- Recommendations: dxgkrnl does as well without ------------------------------------------- */

NTSTATUS NTAPI softgpu_recommend_functional_vidpn(
    const HANDLE adapter_handle, const DXGKARG_RECOMMENDFUNCTIONALVIDPN *const arguments)
{
    UNREFERENCED_PARAMETER(adapter_handle);
    UNREFERENCED_PARAMETER(arguments);
    PAGED_CODE();

    return STATUS_GRAPHICS_NO_RECOMMENDED_FUNCTIONAL_VIDPN;
}

NTSTATUS NTAPI softgpu_recommend_vidpn_topology(
    const HANDLE adapter_handle, const DXGKARG_RECOMMENDVIDPNTOPOLOGY *const arguments)
{
    UNREFERENCED_PARAMETER(adapter_handle);
    UNREFERENCED_PARAMETER(arguments);
    PAGED_CODE();

    return STATUS_GRAPHICS_NO_RECOMMENDED_VIDPN_TOPOLOGY;
}

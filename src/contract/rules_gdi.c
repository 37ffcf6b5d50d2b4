/* Rules of what the GPU draws for GDI: who offers it, and what RenderGdi wrote. RenderKm's lists
 * are Render's, and so are their rules. */
#include "contract/internal.h"

static bool offers(const struct contract_call *call)
{
    DXGK_DRIVERCAPS caps;

    return contract_caps_answered(call, &caps) &&
           caps.PresentationCaps.SupportKernelModeCommandBuffer;
}

static bool can_be_called(struct contract_call *call)
{
    return call->tracker->has[POINT_RenderKm] || call->tracker->has[POINT_RenderGdi] ||
           contract_say(call, "DxgkDdiRenderKm of a driver with SupportKernelModeCommandBuffer",
                        "DRIVER_INITIALIZATION_DATA has neither DxgkDdiRenderKm nor "
                        "DxgkDdiRenderGdi");
}

static bool produced(const struct contract_call *call)
{
    return has_succeeded(call) || call->status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

static const struct contract_row rows[] = {
    AFTER(GDI_001, QueryAdapterInfo, can_be_called, WHEN(offers)),
    AFTER(SUBV_010, RenderGdi, STATUS_IN(STATUS_SUCCESS, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER),
          WHEN(has_device), STOPS(0x113, 0),
          LEAVES_OUT("which bug check it is: no page names one, and 0x113 (of Dxgkrnl) is a guess; "
                     "INSUFFICIENT_DMA_BUFFER is what MultipassOffset is for")),
    AFTER(RENDER_009, RenderGdi, POINTER_WITHIN(DXGKARG_RENDERGDI, pDmaBuffer, DmaSize, 1),
          WHEN(produced), STOPS(0x10E, 0x12)),
    AFTER(RENDER_009, RenderGdi, UNTOUCHED_BEHIND(DXGKARG_RENDERGDI, pDmaBuffer, DmaSize, 1),
          STOPS(0x10E, 0x12)),
    AFTER(RENDER_010, RenderGdi,
          POINTER_WITHIN(DXGKARG_RENDERGDI, pDmaBufferPrivateData, DmaBufferPrivateDataSize, 1),
          WHEN(produced), STOPS(0x10E, 0x13)),
    AFTER(RENDER_010, RenderGdi,
          UNTOUCHED_BEHIND(DXGKARG_RENDERGDI, pDmaBufferPrivateData, DmaBufferPrivateDataSize, 1),
          STOPS(0x10E, 0x13)),
};

const struct contract_family contract_family_gdi = FAMILY_OF(rows);

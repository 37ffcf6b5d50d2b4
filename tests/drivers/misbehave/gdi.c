/* gdi.c: RenderKm and RenderGdi done wrong. */
#include "misbehave.h"

/* ---- Another reading of the commands --------------------------------------------------------- */

typedef void misread_fn(DXGK_RENDERKM_COMMAND *command);

/* The real RenderKm gets a copy of the commands, each of them misread. */
static NTSTATUS render_misread(const HANDLE context, DXGKARG_RENDER *render, misread_fn *misread)
{
    const VOID *given = render->pCommand;
    UCHAR *copy = ExAllocatePoolWithTag(NonPagedPoolNx, render->CommandLength, SOFTGPU_TAG_TEMP);
    DXGK_RENDERKM_COMMAND *command;
    NTSTATUS status;
    UINT at;

    if (copy == NULL) {
        return STATUS_NO_MEMORY;
    }
    RtlCopyMemory(copy, given, render->CommandLength);
    for (at = 0; at < render->CommandLength; at += command->CommandSize) {
        command = (DXGK_RENDERKM_COMMAND *)(void *)(copy + at);
        misread(command);
    }
    render->pCommand = copy;
    status = misbehave_driver.DxgkDdiRenderKm(context, render);
    render->pCommand = given;
    ExFreePoolWithTag(copy, SOFTGPU_TAG_TEMP);
    return status;
}

#define MISREADS(function, op_code, change)                                      \
    static void function##_of(DXGK_RENDERKM_COMMAND *command)                    \
    {                                                                            \
        if (command->OpCode == (op_code)) {                                      \
            change;                                                              \
        }                                                                        \
    }                                                                            \
    static NTSTATUS NTAPI function(const HANDLE context, DXGKARG_RENDER *render) \
    {                                                                            \
        return render_misread(context, render, function##_of);                   \
    }

static WORD exchanged(WORD rop)
{
    return rop == DXGK_GDIROP_SRCAND  ? DXGK_GDIROP_SRCOR
           : rop == DXGK_GDIROP_SRCOR ? DXGK_GDIROP_SRCAND
                                      : rop;
}

/* "One rectangle is as good as many." */
static void keep_one(UINT *count)
{
    *count = *count > 1 ? 1 : *count;
}

static void begin_at_the_corner(RECT *source)
{
    source->right -= source->left;
    source->bottom -= source->top;
    source->left = source->top = 0;
}

/* What lies left of the surface is cut off on one side, and as much of the other on the right. */
static void cut_on_the_left(DXGK_GDIARG_BITBLT *blt)
{
    if (blt->DstRect.left < 0) {
        blt->SrcRect.right += blt->DstRect.left;
        blt->DstRect.left = 0;
    }
}

/* "The surface that says where text is begins where its rectangle does." */
static void begin_with_the_text(DXGK_GDIARG_CLEARTYPEBLEND *text)
{
    if (text->DstRect.left < 0) {
        text->DstToAlphaOffsetX = -text->DstRect.left;
    }
}

MISREADS(blt_cut_on_the_left, DXGK_GDIOP_BITBLT, cut_on_the_left(&command->Command.BitBlt))
MISREADS(text_begins_with_its_rectangle, DXGK_GDIOP_CLEARTYPEBLEND,
         begin_with_the_text(&command->Command.ClearTypeBlend))
MISREADS(and_is_or, DXGK_GDIOP_BITBLT,
         command->Command.BitBlt.Rop = exchanged(command->Command.BitBlt.Rop))
MISREADS(fill_of_one_rect, DXGK_GDIOP_COLORFILL, keep_one(&command->Command.ColorFill.NumSubRects))
MISREADS(stretch_from_the_corner, DXGK_GDIOP_STRETCHBLT,
         begin_at_the_corner(&command->Command.StretchBlt.SrcRect))
MISREADS(transparent_without_alpha, DXGK_GDIOP_TRANSPARENTBLT,
         command->Command.TransparentBlt.Flags.HonorAlpha = 0)
MISREADS(blend_of_opaque_pixels, DXGK_GDIOP_ALPHABLEND,
         command->Command.AlphaBlend.SourceHasAlpha = FALSE)
MISREADS(text_from_the_other_side, DXGK_GDIOP_CLEARTYPEBLEND,
         command->Command.ClearTypeBlend.DstToAlphaOffsetX =
             -command->Command.ClearTypeBlend.DstToAlphaOffsetX)
MISREADS(text_of_one_colour, DXGK_GDIOP_CLEARTYPEBLEND,
         command->Command.ClearTypeBlend.Color2 = ~command->Command.ClearTypeBlend.Color)

/* ---- Answers --------------------------------------------------------------------------------- */

static NTSTATUS NTAPI km_fails_oddly(const HANDLE context, DXGKARG_RENDER *render)
{
    NTSTATUS status = misbehave_driver.DxgkDdiRenderKm(context, render);

    return NT_SUCCESS(status) && misbehave_once() ? STATUS_UNSUCCESSFUL : status;
}

/* "The buffer is too small", of whatever size it is. */
static NTSTATUS NTAPI km_never_fits(const HANDLE context, DXGKARG_RENDER *render)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(render);

    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

static NTSTATUS NTAPI km_pointer_forgotten(const HANDLE context, DXGKARG_RENDER *render)
{
    DXGKARG_RENDER before = *render;
    NTSTATUS status = misbehave_driver.DxgkDdiRenderKm(context, render);

    if (NT_SUCCESS(status) && render->pPatchLocationListOut != before.pPatchLocationListOut &&
        misbehave_once()) {
        render->pDmaBuffer = before.pDmaBuffer;
        render->pPatchLocationListOut = before.pPatchLocationListOut;
    }
    return status;
}

static NTSTATUS NTAPI km_pointer_too_far(const HANDLE context, DXGKARG_RENDER *render)
{
    DXGKARG_RENDER before = *render;
    NTSTATUS status = misbehave_driver.DxgkDdiRenderKm(context, render);

    if (NT_SUCCESS(status) && misbehave_once()) {
        render->pDmaBuffer = (UCHAR *)before.pDmaBuffer + before.DmaSize + 1;
    }
    return status;
}

static NTSTATUS NTAPI gdi_refuses(const HANDLE context, DXGKARG_RENDERGDI *render)
{
    NTSTATUS status = misbehave_driver.DxgkDdiRenderGdi(context, render);

    return NT_SUCCESS(status) && misbehave_once() ? STATUS_INVALID_PARAMETER : status;
}

static NTSTATUS NTAPI gdi_pointer_too_far(const HANDLE context, DXGKARG_RENDERGDI *render)
{
    DXGKARG_RENDERGDI before = *render;
    NTSTATUS status = misbehave_driver.DxgkDdiRenderGdi(context, render);

    if (NT_SUCCESS(status) && misbehave_once()) {
        render->pDmaBuffer = (UCHAR *)before.pDmaBuffer + before.DmaSize + 1;
    }
    return status;
}

static NTSTATUS NTAPI gdi_writes_too_far(const HANDLE context, DXGKARG_RENDERGDI *render)
{
    DXGKARG_RENDERGDI before = *render;
    NTSTATUS status = misbehave_driver.DxgkDdiRenderGdi(context, render);

    if (NT_SUCCESS(status) && misbehave_once()) {
        ((UCHAR *)before.pDmaBuffer)[before.DmaSize] = 0;
    }
    return status;
}

static NTSTATUS NTAPI gdi_private_too_far(const HANDLE context, DXGKARG_RENDERGDI *render)
{
    DXGKARG_RENDERGDI before = *render;
    NTSTATUS status = misbehave_driver.DxgkDdiRenderGdi(context, render);

    if (NT_SUCCESS(status) && misbehave_once()) {
        render->pDmaBufferPrivateData =
            (UCHAR *)before.pDmaBufferPrivateData + before.DmaBufferPrivateDataSize + 1;
    }
    return status;
}

static NTSTATUS NTAPI gdi_private_written_too_far(const HANDLE context, DXGKARG_RENDERGDI *render)
{
    DXGKARG_RENDERGDI before = *render;
    NTSTATUS status = misbehave_driver.DxgkDdiRenderGdi(context, render);

    if (NT_SUCCESS(status) && misbehave_once()) {
        ((UCHAR *)before.pDmaBufferPrivateData)[before.DmaBufferPrivateDataSize] = 0;
    }
    return status;
}

/* "A list as long as of any other context." */
static NTSTATUS NTAPI gdi_list_of_its_own(const HANDLE device, DXGKARG_CREATECONTEXT *create)
{
    NTSTATUS status = misbehave_driver.DxgkDdiCreateContext(device, create);

    if (NT_SUCCESS(status) && create->Flags.GdiContext) {
        create->ContextInfo.AllocationListSize = 64;
    }
    return status;
}

/* One command for each call, and offsets of its own numbering, which fall. */
static NTSTATUS NTAPI km_step_by_step(const HANDLE context, DXGKARG_RENDER *render)
{
    const UINT reached = render->MultipassOffset == 0 ? 0 : ~render->MultipassOffset;
    const VOID *commands = render->pCommand;
    const UINT bytes = render->CommandLength;
    const DXGK_RENDERKM_COMMAND *command = commands;
    UINT at = 0, number, step = reached >> 16;
    NTSTATUS status;

    for (number = 0; number < step; number++) {
        at += command->CommandSize;
        command = (const void *)((const UCHAR *)commands + at);
    }
    render->pCommand = command;
    render->CommandLength = command->CommandSize;
    render->MultipassOffset = reached & 0xFFFF;
    status = misbehave_driver.DxgkDdiRenderKm(context, render);
    if (NT_SUCCESS(status) && at + command->CommandSize < bytes) {
        status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
        step++;
        render->MultipassOffset = 0;
    }
    render->pCommand = commands;
    render->CommandLength = bytes;
    render->MultipassOffset = ~(step << 16 | render->MultipassOffset);
    return status;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(GDI_001, IN_DDI(RenderKm), km_never_fits, SCENE_GDI | SCENE_LEFT_OUT),
    BREAKS_RULE(GDI_002, IN_DDI(RenderKm), km_fails_oddly, SCENE_GDI | SCENE_MORE_RULES),
    BREAKS_RULE(GDI_003, IN_DDI(RenderKm), km_never_fits, SCENE_GDI | SCENE_MORE_RULES),
    BREAKS_RULE(GDI_004, IN_DDI(RenderKm), and_is_or, SCENE_GDI),
    BREAKS_RULE(GDI_004, IN_DDI(RenderKm), fill_of_one_rect, SCENE_GDI),
    BREAKS_RULE(GDI_004, IN_DDI(RenderKm), blt_cut_on_the_left, SCENE_GDI),
    BREAKS_RULE(GDI_006, IN_DDI(RenderKm), text_begins_with_its_rectangle, SCENE_GDI),
    BREAKS_RULE(GDI_005, IN_DDI(RenderKm), stretch_from_the_corner, SCENE_GDI),
    BREAKS_RULE(GDI_005, IN_DDI(RenderKm), transparent_without_alpha, SCENE_GDI),
    BREAKS_RULE(GDI_005, IN_DDI(RenderKm), blend_of_opaque_pixels, SCENE_GDI),
    BREAKS_RULE(GDI_006, IN_DDI(RenderKm), text_from_the_other_side, SCENE_GDI),
    BREAKS_RULE(GDI_006, IN_DDI(RenderKm), text_of_one_colour, SCENE_GDI),
    BREAKS_RULE(RENDER_009, IN_DDI(RenderKm), km_pointer_forgotten, SCENE_GDI | SCENE_MORE_RULES),
    BREAKS_RULE(RENDER_009, IN_DDI(RenderKm), km_pointer_too_far, SCENE_GDI),
    BREAKS_RULE(CTX_007, IN_DDI(CreateContext), gdi_list_of_its_own, SCENE_GDI),
    BREAKS_RULE(SUBV_010, IN_DDI(RenderGdi), gdi_refuses, SCENE_GDI_VIRTUAL | SCENE_MORE_RULES),
    BREAKS_RULE(RENDER_009, IN_DDI(RenderGdi), gdi_pointer_too_far, SCENE_GDI_VIRTUAL),
    BREAKS_RULE(RENDER_009, IN_DDI(RenderGdi), gdi_writes_too_far, SCENE_GDI_VIRTUAL),
    BREAKS_RULE(RENDER_010, IN_DDI(RenderGdi), gdi_private_too_far, SCENE_GDI_VIRTUAL),
    BREAKS_RULE(RENDER_010, IN_DDI(RenderGdi), gdi_private_written_too_far, SCENE_GDI_VIRTUAL),
    BREAKS_NO_RULE(IN_DDI(RenderKm), km_step_by_step, SCENE_GDI),
};

MISBEHAVIOURS(gdi);

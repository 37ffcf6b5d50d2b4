/* duty_gdi.h: what a kernel that mistook the commands it makes for GDI would have handed to the
 * driver. A part of duty_test.c, whose words it uses. */
#ifndef TESTS_CONTRACT_DUTY_GDI_H
#define TESTS_CONTRACT_DUTY_GDI_H

static DXGK_RENDERKM_COMMAND *gdi_at(const void *commands, UINT bytes,
                                     DXGK_RENDERKM_OPERATION operation)
{
    const DXGK_RENDERKM_COMMAND *command;

    for (UINT at = 0; at < bytes; at += command->CommandSize) {
        command = (const void *)((const char *)commands + at);
        if (command->OpCode == operation) {
            return (DXGK_RENDERKM_COMMAND *)(uintptr_t)command;
        }
    }
    return NULL;
}

#define GDI_FOUND(operation) gdi_at(a->pCommand, a->CommandLength, DXGK_GDIOP_##operation)
#define GDI_BLT              (GDI_FOUND(BITBLT)->Command.BitBlt)
#define GDI_FILL             (GDI_FOUND(COLORFILL)->Command.ColorFill)
#define GDI_TEXT             (GDI_FOUND(CLEARTYPEBLEND)->Command.ClearTypeBlend)
/* Both ways. */
#define GDI_SPOIL(name, condition, change)                  \
    SPOIL(gdi_km_##name, DXGKARG_RENDER, condition, change) \
    SPOIL(gdi_virtual_##name, DXGKARG_RENDERGDI, condition, change)

GDI_SPOIL(too_long, true, GDI_FOUND(BITBLT)->CommandSize += a->CommandLength)
GDI_SPOIL(of_no_size, GDI_FOUND(ESCAPE), GDI_FOUND(ESCAPE)->CommandSize = 0)
GDI_SPOIL(of_no_kind, GDI_FOUND(ESCAPE), GDI_FOUND(ESCAPE)->OpCode = (DXGK_RENDERKM_OPERATION)77)
GDI_SPOIL(more_rects, GDI_FOUND(COLORFILL), GDI_FILL.NumSubRects += 2)
GDI_SPOIL(no_rects, GDI_FOUND(COLORFILL), GDI_FILL.NumSubRects = 0)
GDI_SPOIL(rects_elsewhere, GDI_FOUND(COLORFILL), GDI_FILL.pSubRects++)
GDI_SPOIL(rect_outside, GDI_FOUND(COLORFILL),
          GDI_FILL.pSubRects[0].right = GDI_FILL.DstRect.right + 1)
GDI_SPOIL(unlisted, true, GDI_BLT.SrcAllocationIndex = a->AllocationListSize)
GDI_SPOIL(scratch_unlisted, GDI_FOUND(CLEARTYPEBLEND), GDI_TEXT.TmpSurfAllocationIndex = 99)
GDI_SPOIL(without_rops, true, SAY_CAPS(caps->PresentationCaps.SupportAllBltRops = 0))
GDI_SPOIL(without_mirrors, true, SAY_CAPS(caps->PresentationCaps.SupportMirrorStretchBlt = 0))
GDI_SPOIL(within_itself, GDI_FOUND(BITBLT), GDI_BLT.SrcAllocationIndex = GDI_BLT.DstAllocationIndex;
          SAY_CAPS(caps->PresentationCaps.NoSameBitmapBitBlt = 1))
GDI_SPOIL(on_itself, GDI_FOUND(BITBLT), GDI_BLT.SrcAllocationIndex = GDI_BLT.DstAllocationIndex;
          GDI_BLT.SrcRect = GDI_BLT.DstRect;
          SAY_CAPS(caps->PresentationCaps.NoSameBitmapOverlappedBitBlt = 1))
GDI_SPOIL(of_nobody, true, call->first = NOBODY)

#define GDI_TESTS(rule, name)                             \
    TESTS_RULE(rule, RenderKm, gdi_km_##name, SCENE_GDI), \
        TESTS_RULE(rule, RenderGdi, gdi_virtual_##name, SCENE_GDI_VIRTUAL)

#define GDI_ROWS                                                                                  \
    GDI_TESTS(GDI_007, too_long), GDI_TESTS(GDI_007, of_no_size), GDI_TESTS(GDI_007, of_no_kind), \
        GDI_TESTS(GDI_007, more_rects), GDI_TESTS(GDI_007, no_rects),                             \
        GDI_TESTS(GDI_007, rects_elsewhere), GDI_TESTS(GDI_007, rect_outside),                    \
        GDI_TESTS(GDI_007, unlisted), GDI_TESTS(GDI_007, scratch_unlisted),                       \
        GDI_TESTS(GDI_008, without_rops), GDI_TESTS(GDI_008, without_mirrors),                    \
        GDI_TESTS(GDI_008, within_itself), GDI_TESTS(GDI_008, on_itself),                         \
        GDI_TESTS(GEN_005, of_nobody)

#endif

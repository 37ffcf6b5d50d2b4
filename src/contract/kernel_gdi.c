/* The kernel's own duties: the commands of RenderKm and RenderGdi, byte by byte. */
#include "contract/internal.h"

struct command_buffer {
    const uint8_t *bytes;
    UINT size, allocation_count;
};

static struct command_buffer buffer_of(const struct contract_call *call)
{
    const DXGKARG_RENDER *km = call->arguments;
    const DXGKARG_RENDERGDI *gdi = call->arguments;

    return call->point == POINT_RenderKm
               ? (struct command_buffer){km->pCommand, km->CommandLength, km->AllocationListSize}
               : (struct command_buffer){gdi->pCommand, gdi->CommandLength,
                                         gdi->AllocationListSize};
}

/* What is common to all commands that draw. */
struct common {
    size_t argument_bytes;
    RECT to;
    UINT rect_count, indexes[4];
    const RECT *rects;
};

#define NO_INDEX UINT32_MAX

#define COMMON(type, member, first, second, third)                           \
    {                                                                        \
        const type *it = &command->Command.member;                           \
        *common = (struct common){                                           \
            sizeof *it,      it->DstRect,                                    \
            it->NumSubRects, {it->DstAllocationIndex, first, second, third}, \
            it->pSubRects,                                                   \
        };                                                                   \
        return true;                                                         \
    }

static bool read_common(const DXGK_RENDERKM_COMMAND *command, struct common *common)
{
    switch (command->OpCode) {
    case DXGK_GDIOP_BITBLT:
        COMMON(DXGK_GDIARG_BITBLT, BitBlt, it->SrcAllocationIndex, NO_INDEX, NO_INDEX)
    case DXGK_GDIOP_COLORFILL:
        COMMON(DXGK_GDIARG_COLORFILL, ColorFill, NO_INDEX, NO_INDEX, NO_INDEX)
    case DXGK_GDIOP_ALPHABLEND:
        COMMON(DXGK_GDIARG_ALPHABLEND, AlphaBlend, it->SrcAllocationIndex, NO_INDEX, NO_INDEX)
    case DXGK_GDIOP_STRETCHBLT:
        COMMON(DXGK_GDIARG_STRETCHBLT, StretchBlt, it->SrcAllocationIndex, NO_INDEX, NO_INDEX)
    case DXGK_GDIOP_TRANSPARENTBLT:
        COMMON(DXGK_GDIARG_TRANSPARENTBLT, TransparentBlt, it->SrcAllocationIndex, NO_INDEX,
               NO_INDEX)
    case DXGK_GDIOP_CLEARTYPEBLEND:
        COMMON(DXGK_GDIARG_CLEARTYPEBLEND, ClearTypeBlend, it->AlphaSurfAllocationIndex,
               it->GammaSurfAllocationIndex, it->TmpSurfAllocationIndex)
    default:
        return false;
    }
}

static bool has_its_rects(const uint8_t *command, UINT size, const struct common *common)
{
    size_t head = offsetof(DXGK_RENDERKM_COMMAND, Command) + common->argument_bytes;

    return common->rect_count > 0 && size >= head &&
           common->rect_count <= (size - head) / sizeof(RECT) &&
           (const uint8_t *)common->rects == command + head;
}

static bool are_inside(const struct common *common)
{
    for (UINT i = 0; i < common->rect_count; i++) {
        const RECT *rect = &common->rects[i];
        if (rect->left < common->to.left || rect->top < common->to.top ||
            rect->right > common->to.right || rect->bottom > common->to.bottom ||
            rect->left >= rect->right || rect->top >= rect->bottom) {
            return false;
        }
    }
    return true;
}

static bool are_listed(const struct common *common, UINT allocation_count)
{
    for (unsigned i = 0; i < sizeof common->indexes / sizeof *common->indexes; i++) {
        if (common->indexes[i] != NO_INDEX && common->indexes[i] >= allocation_count) {
            return false;
        }
    }
    return true;
}

/* The members behind the command's own are not there: nothing but those is read. */
static bool commands_are_whole(struct contract_call *call)
{
    struct command_buffer buffer = buffer_of(call);
    const size_t head = offsetof(DXGK_RENDERKM_COMMAND, Command);
    struct common common;
    UINT size = 0;

    for (UINT at = 0; at < buffer.size; at += size) {
        const DXGK_RENDERKM_COMMAND *command = (const void *)(buffer.bytes + at);
        size = buffer.size - at >= head ? command->CommandSize : 0;
        bool sound = size >= head && size <= buffer.size - at && size % sizeof(UINT) == 0;
        if (sound && command->OpCode != DXGK_GDIOP_ESCAPE) {
            sound = read_common(command, &common) &&
                    has_its_rects((const uint8_t *)command, size, &common) && are_inside(&common) &&
                    are_listed(&common, buffer.allocation_count);
        }
        if (!sound) {
            return contract_say(call,
                                "commands that fill the buffer, each as long as CommandSize says, "
                                "with rectangles of its own and indexes of the list",
                                "the one at byte %u of %u", at, buffer.size);
        }
    }
    return true;
}

static bool overlap(const RECT *a, const RECT *b)
{
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

/* From and to one entry of the list; what stands there twice is not looked at. */
#define IN_ITSELF(command) ((command).SrcAllocationIndex == (command).DstAllocationIndex)
#define ON_ITSELF(command) (IN_ITSELF(command) && overlap(&(command).SrcRect, &(command).DstRect))

static bool is_offered_within(const DXGK_PRESENTATIONCAPS *caps,
                              const DXGK_RENDERKM_COMMAND *command)
{
    switch (command->OpCode) {
    case DXGK_GDIOP_BITBLT:
        return !(IN_ITSELF(command->Command.BitBlt) && caps->NoSameBitmapBitBlt) &&
               !(ON_ITSELF(command->Command.BitBlt) && caps->NoSameBitmapOverlappedBitBlt);
    case DXGK_GDIOP_STRETCHBLT:
        return !(IN_ITSELF(command->Command.StretchBlt) && caps->NoSameBitmapStretchBlt) &&
               !(ON_ITSELF(command->Command.StretchBlt) && caps->NoSameBitmapOverlappedStretchBlt);
    case DXGK_GDIOP_ALPHABLEND:
        return !(IN_ITSELF(command->Command.AlphaBlend) && caps->NoSameBitmapAlphaBlend) &&
               !(ON_ITSELF(command->Command.AlphaBlend) && caps->NoSameBitmapOverlappedAlphaBlend);
    case DXGK_GDIOP_TRANSPARENTBLT:
        return !(IN_ITSELF(command->Command.TransparentBlt) && caps->NoSameBitmapTransparentBlt) &&
               !ON_ITSELF(command->Command.TransparentBlt);
    default:
        return true;
    }
}

static bool is_offered(const DXGK_PRESENTATIONCAPS *caps, const DXGK_RENDERKM_COMMAND *command)
{
    switch (command->OpCode) {
    case DXGK_GDIOP_BITBLT:
        return command->Command.BitBlt.Rop != DXGK_GDIROP_ROP3 || caps->SupportAllBltRops;
    case DXGK_GDIOP_COLORFILL:
        return command->Command.ColorFill.Rop != DXGK_GDIROPCF_ROP3 || caps->SupportAllBltRops;
    case DXGK_GDIOP_STRETCHBLT:
        return (!command->Command.StretchBlt.MirrorX && !command->Command.StretchBlt.MirrorY) ||
               caps->SupportMirrorStretchBlt;
    default:
        return true;
    }
}

static bool operations_are_offered(struct contract_call *call)
{
    struct command_buffer buffer = buffer_of(call);

    for (UINT at = 0; at < buffer.size;) {
        const DXGK_RENDERKM_COMMAND *command = (const void *)(buffer.bytes + at);
        const DXGK_PRESENTATIONCAPS *caps = &call->tracker->caps.PresentationCaps;
        if (!is_offered(caps, command) || !is_offered_within(caps, command)) {
            return contract_say(call, "operations that PresentationCaps offers", "OpCode %u%s",
                                command->OpCode,
                                is_offered(caps, command) ? " within one surface" : "");
        }
        if (command->CommandSize == 0 || command->CommandSize > buffer.size - at) {
            break; /* GDI-007 has told it */
        }
        at += command->CommandSize;
    }
    return true;
}

static const struct contract_row rows[] = {
    KERNEL(GEN_005, RenderGdi, HANDLE_LIVES(ANY_CONTEXT)),
    KERNEL(GDI_007, RenderKm, commands_are_whole, LEAVES_OUT("pitches")),
    KERNEL(GDI_007, RenderGdi, commands_are_whole, LEAVES_OUT("pitches")),
    KERNEL(GDI_008, RenderKm, operations_are_offered,
           LEAVES_OUT("one surface that the list has twice")),
    KERNEL(GDI_008, RenderGdi, operations_are_offered,
           LEAVES_OUT("one surface that the list has twice")),
};

const struct contract_family contract_family_kernel_gdi = FAMILY_OF(rows);

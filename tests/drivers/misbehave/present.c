/* present.c: Present and flips done wrong. */
#include "misbehave.h"

struct answer {
    DXGKARG_PRESENT before;
    NTSTATUS status;
};

/* The real Present was called and filled a buffer. */
static BOOLEAN presented(const HANDLE context, DXGKARG_PRESENT *present, struct answer *answer)
{
    answer->before = *present;
    answer->status = misbehave_driver.DxgkDdiPresent(context, present);
    return NT_SUCCESS(answer->status) && answer->before.pDmaBuffer != NULL && misbehave_once();
}

/* All of the target instead of the listed parts. */
static NTSTATUS NTAPI present_draws_the_whole(const HANDLE context, DXGKARG_PRESENT *present)
{
    const RECT *list = present->pDstSubRects;
    UINT count = present->SubRectCnt;
    RECT whole = present->DstRect;

    if (present->Flags.Blt && count > 1) {
        present->pDstSubRects = &whole;
        present->SubRectCnt = 1;
    }
    NTSTATUS status = misbehave_driver.DxgkDdiPresent(context, present);
    present->pDstSubRects = list;
    present->SubRectCnt = count;
    return status;
}

/* The last of the listed parts is forgotten. */
static NTSTATUS NTAPI present_forgets_a_part(const HANDLE context, DXGKARG_PRESENT *present)
{
    UINT count = present->SubRectCnt;

    present->SubRectCnt = count > 1 ? count - 1 : count;
    NTSTATUS status = misbehave_driver.DxgkDdiPresent(context, present);
    present->SubRectCnt = count;
    return status;
}

/* The version's structure ends before these. */
static NTSTATUS NTAPI present_reads_behind(const HANDLE context, DXGKARG_PRESENT *present)
{
    return present->PrivateDriverDataSize != 0 ? STATUS_ILLEGAL_INSTRUCTION
                                               : misbehave_driver.DxgkDdiPresent(context, present);
}

/* "Too early": what a driver knows a moment later. */
static NTSTATUS NTAPI present_refuses_once(const HANDLE context, DXGKARG_PRESENT *present)
{
    return misbehave_once() ? STATUS_ILLEGAL_INSTRUCTION
                            : misbehave_driver.DxgkDdiPresent(context, present);
}

/* "There is none such." */
static NTSTATUS NTAPI present_refuses_copies(const HANDLE context, DXGKARG_PRESENT *present)
{
    return present->Flags.Blt ? STATUS_ILLEGAL_INSTRUCTION
                              : misbehave_driver.DxgkDdiPresent(context, present);
}

/* Each pass from the first rectangle. */
static NTSTATUS NTAPI present_begins_again(const HANDLE context, DXGKARG_PRESENT *present)
{
    BOOLEAN many = present->pDmaBuffer != NULL && present->SubRectCnt > 1;
    NTSTATUS status = misbehave_driver.DxgkDdiPresent(context, present);

    if (many && NT_SUCCESS(status)) {
        present->MultipassOffset = 0;
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    return status;
}

/* The commands are there, and do nothing. */
static NTSTATUS NTAPI flip_command_is_nothing(const HANDLE context, DXGKARG_PRESENT *present)
{
    ULONG *words = present->pDmaBuffer;
    NTSTATUS status = misbehave_driver.DxgkDdiPresent(context, present);

    while (NT_SUCCESS(status) && present->Flags.Flip && words != present->pDmaBuffer) {
        ULONG count = SOFTGPU_COMMAND_WORDS(words[0]);

        words[0] = SOFTGPU_COMMAND(SOFTGPU_OP_NOP, count);
        words += count;
    }
    return status;
}

/* It waits as every flip does. */
static NTSTATUS NTAPI flip_command_waits(const HANDLE context, DXGKARG_PRESENT *present)
{
    DXGK_PRESENTFLAGS flags = present->Flags;

    if (flags.FlipWithNoWait) {
        present->Flags.FlipWithNoWait = 0;
        present->Flags.Flip = 1;
    }
    NTSTATUS status = misbehave_driver.DxgkDdiPresent(context, present);
    present->Flags = flags;
    return status;
}

/* Also what shall be seen at once. */
static NTSTATUS NTAPI flip_command_is_never_immediate(const HANDLE context,
                                                      DXGKARG_PRESENT *present)
{
    D3DDDI_FLIPINTERVAL_TYPE interval = present->FlipInterval;

    if (present->Flags.Flip) {
        present->FlipInterval = D3DDDI_FLIPINTERVAL_ONE;
    }
    NTSTATUS status = misbehave_driver.DxgkDdiPresent(context, present);
    present->FlipInterval = interval;
    return status;
}

static NTSTATUS NTAPI present_fails_oddly(const HANDLE context, DXGKARG_PRESENT *present)
{
    struct answer answer;

    return presented(context, present, &answer) ? STATUS_UNSUCCESSFUL : answer.status;
}

static NTSTATUS NTAPI present_pointer_too_far(const HANDLE context, DXGKARG_PRESENT *present)
{
    struct answer answer;

    if (presented(context, present, &answer)) {
        present->pDmaBuffer = (UCHAR *)answer.before.pDmaBuffer + answer.before.DmaSize + 1;
    }
    return answer.status;
}

static NTSTATUS NTAPI present_writes_too_far(const HANDLE context, DXGKARG_PRESENT *present)
{
    struct answer answer;

    if (presented(context, present, &answer)) {
        ((UCHAR *)answer.before.pDmaBuffer)[answer.before.DmaSize] = 0;
    }
    return answer.status;
}

/* Moves a pointer that it was not given. */
static NTSTATUS NTAPI flip_makes_a_buffer(const HANDLE context, DXGKARG_PRESENT *present)
{
    static UCHAR own[16];
    NTSTATUS status = misbehave_driver.DxgkDdiPresent(context, present);

    if (present->pDmaBuffer == NULL && misbehave_once()) {
        present->pDmaBuffer = own;
    }
    return status;
}

static NTSTATUS NTAPI present_private_too_far(const HANDLE context, DXGKARG_PRESENT *present)
{
    struct answer answer;

    if (presented(context, present, &answer)) {
        present->pDmaBufferPrivateData = (UCHAR *)answer.before.pDmaBufferPrivateData +
                                         answer.before.DmaBufferPrivateDataSize + 1;
    }
    return answer.status;
}

static NTSTATUS NTAPI present_refers_to_nothing(const HANDLE context, DXGKARG_PRESENT *present)
{
    struct answer answer;

    if (presented(context, present, &answer)) {
        answer.before.pPatchLocationListOut[0].AllocationIndex = 7;
    }
    return answer.status;
}

/* No bit field: some compilers read what lies beside one before they write it. */
static NTSTATUS NTAPI present_list_written_too_far(const HANDLE context, DXGKARG_PRESENT *present)
{
    struct answer answer;

    if (presented(context, present, &answer)) {
        answer.before.pPatchLocationListOut[answer.before.PatchLocationListOutSize].DriverId = 0;
    }
    return answer.status;
}

static NTSTATUS NTAPI one_rectangle_is_too_much(const HANDLE context, DXGKARG_PRESENT *present)
{
    if (present->pDmaBuffer != NULL && present->SubRectCnt == 1 && misbehave_once()) {
        return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    return misbehave_driver.DxgkDdiPresent(context, present);
}

static NTSTATUS NTAPI rectangles_are_changed(const HANDLE context, DXGKARG_PRESENT *present)
{
    struct answer answer;

    if (presented(context, present, &answer)) {
        ((RECT *)(ULONG_PTR)answer.before.pDstSubRects)[0].right -= 1;
    }
    return answer.status;
}

/* ---- What the pixels show -------------------------------------------------------------------- */

/* The call with other flags, another colour, or from another place. */
static NTSTATUS present_as(const HANDLE context, DXGKARG_PRESENT *present,
                           const DXGKARG_PRESENT *other)
{
    DXGKARG_PRESENT before = *present;
    NTSTATUS status;

    present->Flags = other->Flags;
    present->Color = other->Color;
    present->SrcRect = other->SrcRect;
    status = misbehave_driver.DxgkDdiPresent(context, present);
    present->Flags = before.Flags;
    present->Color = before.Color;
    present->SrcRect = before.SrcRect;
    return status;
}

/* Red and blue the other way round. */
static NTSTATUS NTAPI fill_colour_is_abgr(const HANDLE context, DXGKARG_PRESENT *present)
{
    DXGKARG_PRESENT other = *present;

    if (present->Flags.ColorFill) {
        other.Color = (present->Color & 0xFF00FF00) | (present->Color >> 16 & 0xFF) |
                      (present->Color & 0xFF) << 16;
    }
    return present_as(context, present, &other);
}

static NTSTATUS NTAPI fill_does_nothing(const HANDLE context, DXGKARG_PRESENT *present)
{
    return present->Flags.ColorFill ? STATUS_SUCCESS
                                    : misbehave_driver.DxgkDdiPresent(context, present);
}

static BOOLEAN is_primary(const DXGK_ALLOCATIONLIST *entry)
{
    const struct softgpu_open_allocation *open = entry->hDeviceSpecificAllocation;

    return open != NULL && (open->allocation->info.flags & SOFTGPU_UMD_PRIMARY) != 0;
}

/* From the screen and to the screen alone. */
static NTSTATUS NTAPI copies_no_shadows(const HANDLE context, DXGKARG_PRESENT *present)
{
    return present->Flags.Blt &&
                   !is_primary(&present->pAllocationList[DXGK_PRESENT_SOURCE_INDEX]) &&
                   !is_primary(&present->pAllocationList[DXGK_PRESENT_DESTINATION_INDEX])
               ? STATUS_SUCCESS
               : misbehave_driver.DxgkDdiPresent(context, present);
}

static BOOLEAN is_plain_copy(const DXGKARG_PRESENT *present)
{
    const RECT *from = &present->SrcRect, *to = &present->DstRect;

    return present->Flags.Blt && !present->Flags.SrcColorKey && !present->Flags.DstColorKey &&
           !present->Flags.LinearToSrgb && from->right - from->left == to->right - to->left &&
           from->bottom - from->top == to->bottom - to->top && from->left > 0;
}

static NTSTATUS copy_from_beside(const HANDLE context, DXGKARG_PRESENT *present, BOOLEAN wrong)
{
    DXGKARG_PRESENT other = *present;

    if (wrong && is_plain_copy(present)) {
        other.SrcRect.left -= 1;
        other.SrcRect.right -= 1;
    }
    return present_as(context, present, &other);
}

/* Of lists alone, which are counted from the wrong corner. */
static NTSTATUS NTAPI list_from_beside(const HANDLE context, DXGKARG_PRESENT *present)
{
    return copy_from_beside(context, present, present->SubRectCnt > 1);
}

static NTSTATUS NTAPI all_from_beside(const HANDLE context, DXGKARG_PRESENT *present)
{
    return copy_from_beside(context, present, TRUE);
}

static NTSTATUS NTAPI source_key_is_ignored(const HANDLE context, DXGKARG_PRESENT *present)
{
    DXGKARG_PRESENT other = *present;

    other.Flags.SrcColorKey = 0;
    return present_as(context, present, &other);
}

static NTSTATUS NTAPI destination_key_is_ignored(const HANDLE context, DXGKARG_PRESENT *present)
{
    DXGKARG_PRESENT other = *present;

    other.Flags.DstColorKey = 0;
    return present_as(context, present, &other);
}

static NTSTATUS NTAPI curve_is_ignored(const HANDLE context, DXGKARG_PRESENT *present)
{
    DXGKARG_PRESENT other = *present;

    other.Flags.LinearToSrgb = 0;
    return present_as(context, present, &other);
}

static NTSTATUS NTAPI rotate_is_ignored(const HANDLE context, DXGKARG_PRESENT *present)
{
    DXGK_PRESENTFLAGS flags = present->Flags;
    NTSTATUS status;

    present->Flags.Rotate = 0;
    status = misbehave_driver.DxgkDdiPresent(context, present);
    present->Flags = flags;
    return status;
}

/* On a path that is turned everything is. */
static NTSTATUS NTAPI turned_unasked(const HANDLE context, DXGKARG_PRESENT *present)
{
    DXGK_PRESENTFLAGS flags = present->Flags;
    NTSTATUS status;

    present->Flags.Rotate = present->Flags.Blt;
    status = misbehave_driver.DxgkDdiPresent(context, present);
    present->Flags = flags;
    return status;
}

/* A flip of interval one is every driver's. */
static NTSTATUS NTAPI flip_of_one_is_illegal(const HANDLE context, DXGKARG_PRESENT *present)
{
    NTSTATUS status = misbehave_driver.DxgkDdiPresent(context, present);
    BOOLEAN plain = present->Flags.Flip && present->FlipInterval == D3DDDI_FLIPINTERVAL_ONE;

    return plain && misbehave_once() ? STATUS_ILLEGAL_INSTRUCTION : status;
}

/* ---- Flips ------------------------------------------------------------------------------------
 */

static NTSTATUS NTAPI address_fails(const HANDLE adapter,
                                    const DXGKARG_SETVIDPNSOURCEADDRESS *address)
{
    NTSTATUS status = misbehave_driver.DxgkDdiSetVidPnSourceAddress(adapter, address);

    return misbehave_at(2) ? STATUS_UNSUCCESSFUL : status;
}

static NTSTATUS NTAPI flip_uses_the_registry(const HANDLE adapter,
                                             const DXGKARG_SETVIDPNSOURCEADDRESS *address)
{
    if (!address->Flags.ModeChange && misbehave_once()) {
        (void)RtlCheckRegistryKey(RTL_REGISTRY_SERVICES, (PWSTR)(ULONG_PTR)L"misbehave");
    }
    return misbehave_driver.DxgkDdiSetVidPnSourceAddress(adapter, address);
}

/* The rows are as long as those of the surface that the mode was set with. */
static NTSTATUS NTAPI flip_keeps_the_pitch(const HANDLE adapter,
                                           const DXGKARG_SETVIDPNSOURCEADDRESS *address)
{
    static ULONG of_the_mode;
    struct softgpu_allocation *allocation = address->hAllocation;
    ULONG pitch = allocation->info.pitch_bytes;
    NTSTATUS status;

    if (address->Flags.ModeChange) {
        of_the_mode = pitch;
    }
    allocation->info.pitch_bytes = of_the_mode;
    status = misbehave_driver.DxgkDdiSetVidPnSourceAddress(adapter, address);
    allocation->info.pitch_bytes = pitch;
    return status;
}

/* The flip's modifiers are lost on the way to the registers. */
static NTSTATUS flip_without(const HANDLE adapter, const DXGKARG_SETVIDPNSOURCEADDRESS *address,
                             DXGK_SETVIDPNSOURCEADDRESS_FLAGS lost)
{
    DXGKARG_SETVIDPNSOURCEADDRESS *changed = (DXGKARG_SETVIDPNSOURCEADDRESS *)address;
    DXGK_SETVIDPNSOURCEADDRESS_FLAGS flags = address->Flags;
    NTSTATUS status;

    changed->Flags.Value &= ~lost.Value;
    status = misbehave_driver.DxgkDdiSetVidPnSourceAddress(adapter, address);
    changed->Flags = flags;
    return status;
}

static NTSTATUS NTAPI temporary_mono_is_ignored(const HANDLE adapter,
                                                const DXGKARG_SETVIDPNSOURCEADDRESS *address)
{
    const DXGK_SETVIDPNSOURCEADDRESS_FLAGS lost = {.FlipStereoTemporaryMono = 1};

    return flip_without(adapter, address, lost);
}

/* A clone without stereo shows the left image, whatever is preferred. */
static NTSTATUS NTAPI preferred_eye_is_ignored(const HANDLE adapter,
                                               const DXGKARG_SETVIDPNSOURCEADDRESS *address)
{
    const DXGK_SETVIDPNSOURCEADDRESS_FLAGS lost = {.FlipStereoPreferRight = 1};

    return flip_without(adapter, address, lost);
}

static void write_register(struct softgpu_adapter *adapter, ULONG offset, ULONG value)
{
    WRITE_REGISTER_ULONG((volatile ULONG *)(volatile void *)(adapter->registers + offset), value);
}

/* The right eye goes on seeing what it saw. */
static NTSTATUS NTAPI flip_of_the_left_eye(const HANDLE handle,
                                           const DXGKARG_SETVIDPNSOURCEADDRESS *address)
{
    struct softgpu_adapter *adapter = handle;
    const struct softgpu_source *source = &adapter->source[address->VidPnSourceId];
    ULONGLONG before = source->address + source->right_offset;
    NTSTATUS status = misbehave_driver.DxgkDdiSetVidPnSourceAddress(handle, address);
    ULONG i;

    for (i = 0; address->Flags.FlipStereo && i < adapter->output_count; i++) {
        if (adapter->output[i].source == address->VidPnSourceId && adapter->output[i].stereo) {
            ULONG right = SOFTGPU_OUTPUT_REG(i, SOFTGPU_OUTPUT_SURFACE_RIGHT);

            write_register(adapter, right, (ULONG)before);
            write_register(adapter, right + 4, (ULONG)(before >> 32));
            write_register(adapter, SOFTGPU_OUTPUT_REG(i, SOFTGPU_OUTPUT_FLIP), SOFTGPU_FLIP_VSYNC);
        }
    }
    return status;
}

static NTSTATUS NTAPI copy_is_of_the_left_eye(const HANDLE context, DXGKARG_PRESENT *present)
{
    DXGK_PRESENTFLAGS flags = present->Flags;
    NTSTATUS status;

    present->Flags.BltStereoUseRight = 0;
    status = misbehave_driver.DxgkDdiPresent(context, present);
    present->Flags = flags;
    return status;
}

/* The index is taken for a grey. */
static NTSTATUS NTAPI index_is_a_colour(const HANDLE context, DXGKARG_PRESENT *present)
{
    const struct softgpu_open_allocation *open =
        present->Flags.ColorFill
            ? present->pAllocationList[DXGK_PRESENT_DESTINATION_INDEX].hDeviceSpecificAllocation
            : NULL;
    UINT colour = present->Color;
    NTSTATUS status;

    if (open != NULL && open->allocation->info.format == SOFTGPU_FORMAT_P8) {
        present->Color = (colour >> 16 & 0xFF) + (colour >> 8 & 0xFF) + (colour & 0xFF) / 3;
    }
    status = misbehave_driver.DxgkDdiPresent(context, present);
    present->Color = colour;
    return status;
}

/* Into the first entries, whichever they are meant for. */
static NTSTATUS NTAPI palette_from_the_first(const HANDLE adapter,
                                             const DXGKARG_SETPALETTE *palette)
{
    DXGKARG_SETPALETTE changed = *palette;

    changed.FirstEntry = 0;
    return misbehave_driver.DxgkDdiSetPalette(adapter, &changed);
}

/* As of arguments that are wrong, which a format of somebody else's is not. */
static NTSTATUS NTAPI format_is_invalid(const HANDLE adapter,
                                        DXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT *format)
{
    return misbehave_driver.DxgkDdiSetDisplayPrivateDriverFormat(adapter, format) == STATUS_SUCCESS
               ? STATUS_SUCCESS
               : STATUS_INVALID_PARAMETER;
}

/* As a data sheet has it: what is seen are colours that nobody gave. */
static NTSTATUS NTAPI palette_has_blue_first(const HANDLE adapter,
                                             const DXGKARG_SETPALETTE *arguments)
{
    static D3DKMDT_PALETTEDATA colours[256];
    DXGKARG_SETPALETTE changed = *arguments;
    UINT i;

    for (i = 0; i < arguments->NumEntries && i < 256; i++) {
        colours[i] = arguments->pLookupTable[i];
        colours[i].Red = arguments->pLookupTable[i].Blue;
        colours[i].Blue = arguments->pLookupTable[i].Red;
    }
    changed.pLookupTable = colours;
    return misbehave_driver.DxgkDdiSetPalette(adapter, &changed);
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(SHOW_011, IN_DDI(SetDisplayPrivateDriverFormat), format_is_invalid, SCENE_PLAIN),
    BREAKS_RULE(GEN_012, IN_DDI(Present), present_reads_behind, SCENE_PLAIN),
    BREAKS_NO_RULE(IN_DDI(Present), present_refuses_once, SCENE_LOST),
    BREAKS_NO_RULE(IN_DDI(Present), present_refuses_copies, SCENE_LOST),
    BREAKS_RULE(PRES_024, IN_DDI(Present), present_begins_again, SCENE_PLAIN),
    BREAKS_RULE(PRES_028, IN_DDI(Present), present_draws_the_whole, SCENE_RESULTS),
    BREAKS_RULE(PRES_028, IN_DDI(Present), present_forgets_a_part, SCENE_RESULTS),
    BREAKS_RULE(PRES_025, IN_DDI(Present), fill_colour_is_abgr, SCENE_RESULTS),
    BREAKS_RULE(PRES_026, IN_DDI(Present), list_from_beside, SCENE_RESULTS),
    BREAKS_RULE(PRES_033, IN_DDI(Present), all_from_beside, SCENE_RESULTS),
    BREAKS_NO_RULE(IN_DDI(Present), copies_no_shadows, SCENE_PLAIN),
    BREAKS_RULE(PRES_034, IN_DDI(Present), fill_does_nothing, SCENE_RESULTS | SCENE_ADVICE),
    BREAKS_RULE(PRES_038, IN_DDI(Present), source_key_is_ignored, SCENE_RESULTS | SCENE_ADVICE),
    BREAKS_RULE(PRES_039, IN_DDI(Present), destination_key_is_ignored,
                SCENE_RESULTS | SCENE_ADVICE),
    BREAKS_RULE(PRES_040, IN_DDI(Present), curve_is_ignored, SCENE_RESULTS),
    BREAKS_RULE(PRES_041, IN_DDI(Present), rotate_is_ignored, SCENE_MODES),
    BREAKS_RULE(PRES_041, IN_DDI(Present), turned_unasked, SCENE_MODES),
    BREAKS_RULE(PRES_044, IN_DDI(Present), copy_is_of_the_left_eye, SCENE_MODES),
    BREAKS_RULE(PRES_044, IN_DDI(SetVidPnSourceAddress), flip_of_the_left_eye, SCENE_MODES),
    BREAKS_RULE(PRES_044, IN_DDI(SetVidPnSourceAddress), temporary_mono_is_ignored, SCENE_MODES),
    BREAKS_RULE(PRES_044, IN_DDI(SetVidPnSourceAddress), preferred_eye_is_ignored, SCENE_MODES),
    BREAKS_RULE(PRES_025, IN_DDI(Present), index_is_a_colour, SCENE_MODES),
    BREAKS_RULE(SHOW_010, IN_DDI(SetPalette), palette_from_the_first, SCENE_MODES),
    BREAKS_RULE(SHOW_010, IN_DDI(SetPalette), palette_has_blue_first, SCENE_MODES),
    BREAKS_RULE(PRES_002, IN_DDI(Present), present_fails_oddly, SCENE_PLAIN),
    BREAKS_RULE(PRES_009, IN_DDI(Present), present_pointer_too_far, SCENE_PLAIN),
    BREAKS_RULE(PRES_009, IN_DDI(Present), present_writes_too_far, SCENE_PLAIN),
    BREAKS_RULE(PRES_010, IN_DDI(Present), flip_makes_a_buffer, SCENE_PLAIN),
    BREAKS_RULE(PRES_035, IN_DDI(Present), flip_command_is_nothing, SCENE_VISTA),
    BREAKS_RULE(PRES_030, IN_DDI(Present), flip_command_is_never_immediate,
                SCENE_VISTA | SCENE_FLIPS),
    BREAKS_RULE(SUBMIT_040, IN_DDI(Present), flip_command_waits, SCENE_VISTA | SCENE_FLIPS),
    BREAKS_RULE(PRES_012, IN_DDI(Present), present_private_too_far, SCENE_PLAIN),
    BREAKS_RULE(PRES_022, IN_DDI(Present), present_refers_to_nothing, SCENE_MORE_RULES),
    BREAKS_RULE(PRES_023, IN_DDI(Present), present_list_written_too_far, SCENE_MORE_RULES),
    BREAKS_RULE(PRES_053, IN_DDI(Present), one_rectangle_is_too_much, SCENE_PLAIN),
    BREAKS_RULE(GEN_009, IN_DDI(Present), rectangles_are_changed, SCENE_PLAIN),
    BREAKS_RULE(CAPS_003, IN_DDI(Present), flip_of_one_is_illegal, SCENE_PLAIN),
    BREAKS_RULE(FLIP_002, IN_DDI(SetVidPnSourceAddress), flip_uses_the_registry, SCENE_PLAIN),
    BREAKS_RULE(FLIP_008, IN_DDI(SetVidPnSourceAddress), flip_keeps_the_pitch, SCENE_MODES),
    BREAKS_RULE(FLIP_003, IN_DDI(SetVidPnSourceAddress), address_fails, SCENE_PLAIN),
};

MISBEHAVIOURS(present);

/* careless: the display-only driver with one thing wrong; the registry value "Mistake" says which.
 */
#include "plugs.h"
#include "pointer.h"
#include "scan.h"

#define CONTROL_INTERRUPT 9
#define STAYS_SEEN        13
#define HANDS_PICTURE_ON  14
#define MAPS_THE_WIDTH    16
#define ENDS_A_ROW_EARLY  17
#define TELLS_FREQUENCIES 23
#define CONTROLS_SYNCS    24

#define DRAWS_IN_THE_CORNER       25
#define CENTERS_WHAT_IS_STRETCHED 26
#define LOSES_THE_SHAPE           27
#define NARROWER_TARGET           28
#define DARK_WHEN_CUSTOM          31
#define UNSEEN_NEVER_ENDS         32
#define TURNS_WHOLE_SCREENS       33
#define DRAWS_INTO_THE_MIDDLE     34
#define SCALED_IS_UPRIGHT         44
#define TELLS_FIRST               45
#define TELLS_OF_ALL              46 /* the good one, and notices of whatever the device has done */

static PDXGKDDI_PRESENTDISPLAYONLY present;
static KMDDOD_INITIALIZATION_DATA good;

#undef DxgkInitializeDisplayOnlyDriver
NTSTATUS NTAPI DxgkInitializeDisplayOnlyDriver(PDRIVER_OBJECT, PUNICODE_STRING,
                                               PKMDDOD_INITIALIZATION_DATA);
NTSTATUS NTAPI careless_register(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path,
                                 PKMDDOD_INITIALIZATION_DATA table);

/* ---- Pictures -------------------------------------------------------------------------------- */

static NTSTATUS NTAPI copies_before_it_moves(const HANDLE adapter,
                                             const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    DXGKARG_PRESENT_DISPLAYONLY part = *arguments;
    ULONG presents = ((struct framebuffer *)adapter)->presents;

    part.NumMoves = 0;
    ((struct framebuffer *)adapter)->presents = 0;
    (void)present(adapter, &part);
    part.NumMoves = arguments->NumMoves;
    part.NumDirtyRects = 0;
    ((struct framebuffer *)adapter)->presents = presents;
    return present(adapter, &part);
}

static NTSTATUS NTAPI forgets_the_last(const HANDLE adapter,
                                       const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    DXGKARG_PRESENT_DISPLAYONLY part = *arguments;

    if (part.NumDirtyRects > 1) {
        part.NumDirtyRects--;
    }
    return present(adapter, &part);
}

static NTSTATUS NTAPI moves_backwards(const HANDLE adapter,
                                      const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    DXGKARG_PRESENT_DISPLAYONLY part = *arguments;
    D3DKMT_MOVE_RECT moves[16];
    ULONG i;

    for (i = 0; i < part.NumMoves && i < RTL_NUMBER_OF(moves); i++) {
        moves[i] = arguments->pMoves[part.NumMoves - 1 - i];
    }
    part.pMoves = moves;
    return present(adapter, &part);
}

static NTSTATUS NTAPI draws_elsewhere(const HANDLE adapter,
                                      const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    const struct framebuffer *of = (const struct framebuffer *)adapter;
    NTSTATUS status = present(adapter, arguments);

    if (arguments->NumDirtyRects > 1) {
        RtlFillMemory(of->memory + (SIZE_T)(of->screen.Height - 20) * of->screen.Pitch, 4, 0x5A);
    }
    return status;
}

/* "A picture has as many bytes in a row as its width." */
static NTSTATUS NTAPI takes_width_for_pitch(const HANDLE adapter,
                                            const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    DXGKARG_PRESENT_DISPLAYONLY part = *arguments;

    part.Pitch = (LONG)(((struct framebuffer *)adapter)->screen.Width * 4);
    return present(adapter, &part);
}

/* The picture of a client is mapped; its width times its height is what is locked. */
static NTSTATUS NTAPI maps_width_for_pitch(const HANDLE adapter,
                                           const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    const struct framebuffer *of = (const struct framebuffer *)adapter;
    DXGKARG_PRESENT_DISPLAYONLY mapped = *arguments;
    ULONG size = of->screen.Width * of->screen.Height * arguments->BytesPerPixel;
    PMDL mdl = IoAllocateMdl(arguments->pSource, size, FALSE, FALSE, NULL);
    NTSTATUS status = STATUS_NO_MEMORY;

    if (mdl == NULL) {
        return status;
    }
    MmProbeAndLockPages(mdl, KernelMode, IoReadAccess);
    mapped.pSource = MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority);
    if (mapped.pSource != NULL) {
        status = present(adapter, &mapped);
    }
    MmUnlockPages(mdl);
    IoFreeMdl(mdl);
    return status;
}

/* "The screen is turned, so the picture has to be." */
static NTSTATUS NTAPI turns_always(const HANDLE adapter,
                                   const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    DXGKARG_PRESENT_DISPLAYONLY part = *arguments;

    part.Flags.Rotate = 1;
    return present(adapter, &part);
}

static NTSTATUS NTAPI turns_the_other_way(const HANDLE adapter,
                                          const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    struct framebuffer *of = (struct framebuffer *)adapter;
    D3DKMDT_VIDPN_PRESENT_PATH_ROTATION is = of->rotation;
    NTSTATUS status;

    if (is == D3DKMDT_VPPR_ROTATE90 || is == D3DKMDT_VPPR_ROTATE270) {
        of->rotation = is == D3DKMDT_VPPR_ROTATE90 ? D3DKMDT_VPPR_ROTATE270 : D3DKMDT_VPPR_ROTATE90;
    }
    status = present(adapter, arguments);
    of->rotation = is;
    return status;
}

/* "What is smaller than the screen begins where the screen does." */
static NTSTATUS NTAPI draws_in_the_corner(const HANDLE adapter,
                                          const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    struct framebuffer *of = (struct framebuffer *)adapter;
    D3DKMDT_2DREGION shown = of->shown;
    NTSTATUS status;

    if (framebuffer_scales(of)) {
        return present(adapter, arguments);
    }
    of->shown.cx = of->screen.Width;
    of->shown.cy = of->screen.Height;
    status = present(adapter, arguments);
    of->shown = shown;
    return status;
}

/* Presents as if the path's scaling were `to` where it is `from`. */
static NTSTATUS present_scaled(const HANDLE adapter, const DXGKARG_PRESENT_DISPLAYONLY *arguments,
                               D3DKMDT_VIDPN_PRESENT_PATH_SCALING from,
                               D3DKMDT_VIDPN_PRESENT_PATH_SCALING to)
{
    struct framebuffer *of = (struct framebuffer *)adapter;
    D3DKMDT_VIDPN_PRESENT_PATH_SCALING is = of->scaling;
    NTSTATUS status;

    of->scaling = is == from ? to : is;
    status = present(adapter, arguments);
    of->scaling = is;
    return status;
}

/* "Whatever the path's scaling is, what is smaller lies in the middle." */
static NTSTATUS NTAPI centers_what_is_stretched(const HANDLE adapter,
                                                const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    return present_scaled(adapter, arguments, D3DKMDT_VPPS_STRETCHED, D3DKMDT_VPPS_CENTERED);
}

/* "There is one way to scale." */
static NTSTATUS NTAPI loses_the_shape(const HANDLE adapter,
                                      const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    return present_scaled(adapter, arguments, D3DKMDT_VPPS_ASPECTRATIOCENTEREDMAX,
                          D3DKMDT_VPPS_STRETCHED);
}

/* "Nobody asks for that." */
static NTSTATUS NTAPI dark_when_custom(const HANDLE adapter,
                                       const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    const struct framebuffer *of = (const struct framebuffer *)adapter;

    return of->scaling == D3DKMDT_VPPS_CUSTOM ? STATUS_SUCCESS : present(adapter, arguments);
}

/* "What is scaled is never turned." */
static NTSTATUS NTAPI scaled_is_upright(const HANDLE adapter,
                                        const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    DXGKARG_PRESENT_DISPLAYONLY as_it_is = *arguments;

    if (framebuffer_scales((const struct framebuffer *)adapter)) {
        as_it_is.Flags.Rotate = 0;
    }
    return present(adapter, &as_it_is);
}

static struct {
    const struct framebuffer *of;
    const UCHAR *source;
    LONG pitch;
    RECT part;
    KTIMER timer;
    KDPC dpc;
} late;

static void NTAPI copy_late(PKDPC dpc, PVOID context, PVOID first, PVOID second)
{
    LONG row;

    UNREFERENCED_PARAMETER(dpc);
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(first);
    UNREFERENCED_PARAMETER(second);
    for (row = late.part.top; row < late.part.bottom; row++) {
        RtlCopyMemory(late.of->memory + (SIZE_T)row * late.of->screen.Pitch +
                          (SIZE_T)late.part.left * 4,
                      late.source + (SSIZE_T)row * late.pitch + (SSIZE_T)late.part.left * 4,
                      (SIZE_T)(late.part.right - late.part.left) * 4);
    }
}

/* The first of what is dirty is left to a DPC, and the present said to be over. */
static NTSTATUS NTAPI copies_later(const HANDLE adapter,
                                   const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    DXGKARG_PRESENT_DISPLAYONLY part = *arguments;
    LARGE_INTEGER soon;

    if (arguments->NumDirtyRects > 1) {
        late.of = (const struct framebuffer *)adapter;
        late.source = arguments->pSource;
        late.pitch = arguments->Pitch;
        late.part = arguments->pDirtyRect[0];
        part.pDirtyRect++;
        part.NumDirtyRects--;
        soon.QuadPart = -10000; /* a millisecond */
        KeInitializeDpc(&late.dpc, copy_late, NULL);
        KeInitializeTimer(&late.timer);
        (void)KeSetTimer(&late.timer, soon, &late.dpc);
    }
    return present(adapter, &part);
}

/* "In a moment it is." The first has nothing to copy, and ends by a notice. */
static NTSTATUS NTAPI tells_first(const HANDLE adapter,
                                  const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    struct framebuffer *of = (struct framebuffer *)adapter;
    DXGKARG_PRESENT_DISPLAYONLY nothing = *arguments;
    NTSTATUS status;

    nothing.NumMoves = 0;
    nothing.NumDirtyRects = 0;
    of->presents = 1;
    status = present(adapter, &nothing);
    of->presents = 0;
    (void)present(adapter, arguments);
    return status;
}

/* The device is done with the one before; this one is over when the call returns. */
static NTSTATUS NTAPI tells_of_all(const HANDLE adapter,
                                   const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    NTSTATUS status = tells_first(adapter, arguments);

    return NT_SUCCESS(status) ? STATUS_SUCCESS : status;
}

static NTSTATUS NTAPI wants_dirty_ones(const HANDLE adapter,
                                       const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    return arguments->NumDirtyRects == 0 ? STATUS_INVALID_PARAMETER : present(adapter, arguments);
}

/* "It ends when it is seen." */
static NTSTATUS NTAPI unseen_never_ends(const HANDLE adapter,
                                        const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    return ((const struct framebuffer *)adapter)->visible ? present(adapter, arguments)
                                                          : STATUS_PENDING;
}

/* "What lies in the middle is upright." */
static NTSTATUS NTAPI turns_whole_screens(const HANDLE adapter,
                                          const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    struct framebuffer *of = (struct framebuffer *)adapter;
    DXGKARG_PRESENT_DISPLAYONLY part = *arguments;

    part.Flags.Rotate = arguments->Flags.Rotate && of->shown.cx == of->screen.Width;
    return present(adapter, &part);
}

/* ---- The screen ------------------------------------------------------------------------------ */

/* "Nothing is presented then." */
static NTSTATUS NTAPI stays_seen(const HANDLE adapter,
                                 const DXGKARG_SETVIDPNSOURCEVISIBILITY *arguments)
{
    if (arguments->Visible) {
        return good.DxgkDdiSetVidPnSourceVisibility(adapter, arguments);
    }
    ((struct framebuffer *)adapter)->visible = FALSE;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI hands_picture_on(PVOID context, D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                       PDXGK_DISPLAY_INFORMATION information)
{
    *information = ((struct framebuffer *)context)->screen;
    information->TargetId = target;
    return good.DxgkDdiStopDevice(context);
}

/* Rows follow each other in the firmware's picture as well. */
static NTSTATUS NTAPI maps_the_width(const PVOID context, PDXGK_START_INFO start_info,
                                     PDXGKRNL_INTERFACE interface, PULONG source_count,
                                     PULONG child_count)
{
    struct framebuffer *of = context;
    NTSTATUS status =
        good.DxgkDdiStartDevice(context, start_info, interface, source_count, child_count);

    if (NT_SUCCESS(status)) {
        MmUnmapIoSpace(of->memory, (SIZE_T)of->screen.Pitch * of->screen.Height);
        of->memory =
            MmMapIoSpace(of->screen.PhysicAddress, (SIZE_T)of->screen.Width * of->screen.Height * 4,
                         MmWriteCombined);
    }
    return status;
}

static void NTAPI ends_a_row_early(PVOID context, PVOID source, UINT width, UINT height,
                                   UINT stride, UINT x, UINT y)
{
    const struct framebuffer *of = context;

    if (y + height >= of->screen.Height) {
        height = of->screen.Height - 1 - y;
    }
    good.DxgkDdiSystemDisplayWrite(context, source, width, height, stride, x, y);
}

/* Where the picture lies that was shown last. */
static void NTAPI draws_into_the_middle(PVOID context, PVOID source, UINT width, UINT height,
                                        UINT stride, UINT x, UINT y)
{
    const struct framebuffer *of = context;

    good.DxgkDdiSystemDisplayWrite(context, source, width, height, stride,
                                   x + (of->screen.Width - of->shown.cx) / 2,
                                   y + (of->screen.Height - of->shown.cy) / 2);
}

/* ---- Progress -------------------------------------------------------------------------------- */

static NTSTATUS NTAPI tells_nobody(const HANDLE adapter,
                                   const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    ((struct framebuffer *)adapter)->presents = 0;
    (void)present(adapter, arguments);
    return STATUS_PENDING;
}

static BOOLEAN NTAPI queues_no_dpc(HANDLE device)
{
    UNREFERENCED_PARAMETER(device);
    return TRUE;
}

static NTSTATUS NTAPI tells_without_dpc(const HANDLE adapter,
                                        const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    ((struct framebuffer *)adapter)->dxgk.DxgkCbQueueDpc = queues_no_dpc;
    return present(adapter, arguments);
}

/* The one target mode is a pixel narrower than the picture. */
static NTSTATUS replace_by_narrower(const DXGK_VIDPN_INTERFACE *vidpn, D3DKMDT_HVIDPN handle,
                                    const D3DKMDT_VIDEO_SIGNAL_INFO *signal)
{
    const DXGK_VIDPNTARGETMODESET_INTERFACE *interface;
    D3DKMDT_HVIDPNTARGETMODESET set;
    D3DKMDT_VIDPN_TARGET_MODE *mode;
    NTSTATUS status =
        vidpn->pfnCreateNewTargetModeSet(handle, FRAMEBUFFER_TARGET, &set, &interface);

    if (NT_SUCCESS(status)) {
        status = interface->pfnCreateNewModeInfo(set, &mode);
    }
    if (NT_SUCCESS(status)) {
        mode->VideoSignalInfo = *signal;
        mode->VideoSignalInfo.ActiveSize.cx--;
        mode->Preference = D3DKMDT_MP_PREFERRED;
        status = interface->pfnAddMode(set, mode);
    }
    return NT_SUCCESS(status) ? vidpn->pfnAssignTargetModeSet(handle, FRAMEBUFFER_TARGET, set)
                              : status;
}

static NTSTATUS NTAPI narrower_target(const HANDLE adapter,
                                      const DXGKARG_ENUMVIDPNCOFUNCMODALITY *arguments)
{
    const struct framebuffer *of = adapter;
    const DXGK_VIDPNTARGETMODESET_INTERFACE *interface;
    const D3DKMDT_VIDPN_TARGET_MODE *pinned = NULL, *first = NULL;
    D3DKMDT_VIDEO_SIGNAL_INFO signal;
    const DXGK_VIDPN_INTERFACE *vidpn;
    D3DKMDT_HVIDPNTARGETMODESET set;
    D3DKMDT_HVIDPN handle = arguments->hConstrainingVidPn;
    NTSTATUS status = good.DxgkDdiEnumVidPnCofuncModality(adapter, arguments);

    if (!NT_SUCCESS(status) || arguments->EnumPivotType == D3DKMDT_EPT_VIDPNTARGET ||
        !NT_SUCCESS(
            of->dxgk.DxgkCbQueryVidPnInterface(handle, DXGK_VIDPN_INTERFACE_VERSION_V1, &vidpn)) ||
        vidpn->pfnAcquireTargetModeSet(handle, FRAMEBUFFER_TARGET, &set, &interface) !=
            STATUS_SUCCESS) {
        return status;
    }
    if (interface->pfnAcquirePinnedModeInfo(set, &pinned) == STATUS_SUCCESS && pinned != NULL) {
        (void)interface->pfnReleaseModeInfo(set, pinned);
    } else if (interface->pfnAcquireFirstModeInfo(set, &first) == STATUS_SUCCESS) {
        signal = first->VideoSignalInfo;
        (void)interface->pfnReleaseModeInfo(set, first);
    }
    (void)vidpn->pfnReleaseTargetModeSet(handle, set);
    return first != NULL ? replace_by_narrower(vidpn, handle, &signal) : status;
}

/* ---- Registration ---------------------------------------------------------------------------- */

static NTSTATUS NTAPI control_interrupt(const HANDLE adapter, const DXGK_INTERRUPT_TYPE type,
                                        BOOLEAN enable)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(enable);
    return type == DXGK_INTERRUPT_CRTC_VSYNC ? STATUS_SUCCESS : STATUS_NOT_IMPLEMENTED;
}

static NTSTATUS NTAPI get_scan_line(const HANDLE adapter, DXGKARG_GETSCANLINE *arguments)
{
    UNREFERENCED_PARAMETER(adapter);
    arguments->InVerticalBlank = FALSE;
    arguments->ScanLine = 0;
    return STATUS_SUCCESS;
}

/* One mode more, which says how often it comes. */
static void add_with_frequency(const DXGK_VIDPNTARGETMODESET_INTERFACE *interface,
                               D3DKMDT_HVIDPNTARGETMODESET set)
{
    const D3DKMDT_VIDPN_TARGET_MODE *first;
    D3DKMDT_VIDPN_TARGET_MODE *mode;

    if (interface->pfnAcquireFirstModeInfo(set, &first) != STATUS_SUCCESS) {
        return;
    }
    if (NT_SUCCESS(interface->pfnCreateNewModeInfo(set, &mode))) {
        mode->VideoSignalInfo = first->VideoSignalInfo;
        mode->VideoSignalInfo.VSyncFreq.Numerator = 60;
        mode->VideoSignalInfo.VSyncFreq.Denominator = 1;
        mode->Preference = D3DKMDT_MP_NOTPREFERRED;
        if (!NT_SUCCESS(interface->pfnAddMode(set, mode))) {
            (void)interface->pfnReleaseModeInfo(set, mode);
        }
    }
    (void)interface->pfnReleaseModeInfo(set, first);
}

static NTSTATUS NTAPI tells_frequencies(const HANDLE adapter,
                                        const DXGKARG_ENUMVIDPNCOFUNCMODALITY *const arguments)
{
    const struct framebuffer *framebuffer = adapter;
    NTSTATUS status = good.DxgkDdiEnumVidPnCofuncModality(adapter, arguments);
    const DXGK_VIDPNTARGETMODESET_INTERFACE *modes;
    const DXGK_VIDPN_INTERFACE *interface;
    D3DKMDT_HVIDPNTARGETMODESET set;

    if (NT_SUCCESS(framebuffer->dxgk.DxgkCbQueryVidPnInterface(
            arguments->hConstrainingVidPn, DXGK_VIDPN_INTERFACE_VERSION_V1, &interface)) &&
        interface->pfnAcquireTargetModeSet(arguments->hConstrainingVidPn, 0, &set, &modes) ==
            STATUS_SUCCESS) {
        add_with_frequency(modes, set);
        (void)interface->pfnReleaseTargetModeSet(arguments->hConstrainingVidPn, set);
    }
    return status;
}

static ULONG read_mistake(PUNICODE_STRING registry_path)
{
    union {
        KEY_VALUE_PARTIAL_INFORMATION header;
        UCHAR bytes[sizeof(KEY_VALUE_PARTIAL_INFORMATION) + 16];
    } information;
    OBJECT_ATTRIBUTES attributes;
    UNICODE_STRING name;
    ULONG length, number = 0;
    HANDLE key;

    InitializeObjectAttributes(&attributes, registry_path, OBJ_KERNEL_HANDLE | OBJ_CASE_INSENSITIVE,
                               NULL, NULL);
    if (!NT_SUCCESS(ZwOpenKey(&key, KEY_READ, &attributes))) {
        return 0;
    }
    RtlInitUnicodeString(&name, L"Mistake");
    if (NT_SUCCESS(ZwQueryValueKey(key, &name, KeyValuePartialInformation, &information,
                                   sizeof(information), &length)) &&
        information.header.Type == REG_DWORD) {
        RtlCopyMemory(&number, information.header.Data, sizeof(number));
    }
    ZwClose(key);
    return number;
}

static BOOLEAN has_pointer(ULONG mistake)
{
    return (mistake >= POINTER_RIGHT && mistake <= POINTER_EDGE_UNEVEN) ||
           mistake == POINTER_SHAPE_SHOWS || mistake == POINTER_PLACE_UNSCALED ||
           mistake == POINTER_NO_XOR_SCALED;
}

static const PDXGKDDI_PRESENTDISPLAYONLY mistakes[] = {
    NULL,
    copies_before_it_moves,
    forgets_the_last,
    moves_backwards,
    draws_elsewhere,
    tells_nobody,
    tells_without_dpc,
    takes_width_for_pitch,
    maps_width_for_pitch,
    [10] = turns_always,
    turns_the_other_way,
    copies_later,
    [15] = wants_dirty_ones,
    [DRAWS_IN_THE_CORNER] = draws_in_the_corner,
    [CENTERS_WHAT_IS_STRETCHED] = centers_what_is_stretched,
    [LOSES_THE_SHAPE] = loses_the_shape,
    [DARK_WHEN_CUSTOM] = dark_when_custom,
    [UNSEEN_NEVER_ENDS] = unseen_never_ends,
    [TURNS_WHOLE_SCREENS] = turns_whole_screens,
    [SCALED_IS_UPRIGHT] = scaled_is_upright,
    [TELLS_FIRST] = tells_first,
    [TELLS_OF_ALL] = tells_of_all,
};

NTSTATUS NTAPI careless_register(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path,
                                 PKMDDOD_INITIALIZATION_DATA table)
{
    ULONG mistake = read_mistake(registry_path);

    good = *table;
    present = table->DxgkDdiPresentDisplayOnly;
    switch (mistake) {
    case CONTROL_INTERRUPT:
        table->DxgkDdiControlInterrupt = control_interrupt; /* and no GetScanLine */
        break;
    case CONTROLS_SYNCS: /* and its modes have no frequency */
        table->DxgkDdiControlInterrupt = control_interrupt;
        table->DxgkDdiGetScanLine = get_scan_line;
        break;
    case TELLS_FREQUENCIES:
        table->DxgkDdiEnumVidPnCofuncModality = tells_frequencies;
        break;
    case NARROWER_TARGET:
        table->DxgkDdiEnumVidPnCofuncModality = narrower_target;
        break;
    case STAYS_SEEN:
        table->DxgkDdiSetVidPnSourceVisibility = stays_seen;
        break;
    case HANDS_PICTURE_ON:
        table->DxgkDdiStopDeviceAndReleasePostDisplayOwnership = hands_picture_on;
        break;
    case MAPS_THE_WIDTH:
        table->DxgkDdiStartDevice = maps_the_width;
        break;
    case ENDS_A_ROW_EARLY:
        table->DxgkDdiSystemDisplayWrite = ends_a_row_early;
        break;
    case DRAWS_INTO_THE_MIDDLE:
        table->DxgkDdiSystemDisplayWrite = draws_into_the_middle;
        break;
    case PLUGS_RIGHT ... PLUGS_TOUCH_GONE:
        plugs_register(table, mistake);
        break;
    case SCAN_DARK ... SCAN_RAMP_KEPT:
    case SCAN_RAMP_REFUSED ... SCAN_PART:
        scan_register(table, mistake);
        break;
    default:
        if (has_pointer(mistake)) {
            pointer_register(table, mistake);
        } else if (mistake < RTL_NUMBER_OF(mistakes) && mistakes[mistake] != NULL) {
            table->DxgkDdiPresentDisplayOnly = mistakes[mistake];
        }
    }
    return DxgkInitializeDisplayOnlyDriver(driver_object, registry_path, table);
}

/* The display-only driver, and what is scanned out of the picture. See scan.h. */
#include "scan.h"

#include "registers.h"

#define DARK_FROM    9u
#define FURTHER_ROWS 16u
#define PLACE        0x1030000u /* of the picture, where it is the driver's to choose */

static KMDDOD_INITIALIZATION_DATA good;
static ULONG mistake, presents;
static ULONG *picture; /* without the ramp; NULL: there is none */

/* ---- Plug and Play --------------------------------------------------------------------------- */

/* Draws elsewhere than firmware did. */
static NTSTATUS move_picture(struct framebuffer *of)
{
    SIZE_T size = (SIZE_T)of->screen.Pitch * of->screen.Height;
    PHYSICAL_ADDRESS place = of->screen.PhysicAddress;

    place.QuadPart += PLACE;
    MmUnmapIoSpace(of->memory, size);
    of->memory = MmMapIoSpace(place, size, MmWriteCombined);
    return of->memory != NULL ? STATUS_SUCCESS : STATUS_INSUFFICIENT_RESOURCES;
}

static NTSTATUS NTAPI start(const PVOID context, PDXGK_START_INFO start_info,
                            PDXGKRNL_INTERFACE interface, PULONG source_count, PULONG child_count)
{
    NTSTATUS status =
        good.DxgkDdiStartDevice(context, start_info, interface, source_count, child_count);

    if (NT_SUCCESS(status)) {
        presents = 0;
        status = map_registers(context);
        if (NT_SUCCESS(status) && mistake == SCAN_PART) {
            status = move_picture(context);
        }
        if (!NT_SUCCESS(status)) {
            (void)good.DxgkDdiStopDevice(context);
        }
    }
    return status;
}

static NTSTATUS NTAPI stop(const PVOID context)
{
    const struct framebuffer *of = context;

    unmap_registers(of);
    return good.DxgkDdiStopDevice(context);
}

/* ---- Registers ------------------------------------------------------------------------------- */

static void spoil_registers(const struct framebuffer *of)
{
    ULONG surface = read_register(SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_SURFACE));

    if (mistake == SCAN_DARK && presents == DARK_FROM) {
        write_register(SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_CONTROL), 0);
    } else if (mistake == SCAN_PITCH && presents == 1) {
        write_register(SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_PITCH), of->screen.Pitch * 2);
        write_register(SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_FLIP), SOFTGPU_FLIP_IMMEDIATE);
    } else if (mistake == SCAN_BEGINS_FURTHER && presents == 1) {
        write_register(SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_SURFACE),
                       surface + of->screen.Pitch * FURTHER_ROWS);
        write_register(SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_FLIP), SOFTGPU_FLIP_IMMEDIATE);
    } else if (mistake == SCAN_PART && presents == 1) {
        write_register(SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_SURFACE), PLACE & 0xFFFFFFu);
        write_register(SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_FLIP), SOFTGPU_FLIP_IMMEDIATE);
    } else if (mistake == SCAN_SIZE && presents == 1) {
        write_register(SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_SIZE), 600 | 400 << 16);
    }
}

/* ---- Colours --------------------------------------------------------------------------------- */

static ULONG darker(ULONG value)
{
    return value * value / 255;
}

static ULONG spoiled(ULONG colour)
{
    ULONG red = colour >> 16 & 0xFF, green = colour >> 8 & 0xFF, blue = colour & 0xFF;

    return mistake == SCAN_RED_IS_BLUE ? blue << 16 | green << 8 | red
                                       : darker(red) << 16 | darker(green) << 8 | darker(blue);
}

/* The picture as it comes is the kernel's: a copy. */
static NTSTATUS draw_spoiled(const HANDLE adapter, const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    const struct framebuffer *of = (const struct framebuffer *)adapter;
    ULONG rows = of->screen.Height;
    DXGKARG_PRESENT_DISPLAYONLY changed = *arguments;
    NTSTATUS status;
    ULONG i, *copy;

    if (arguments->Flags.Rotate || of->shown.cx != of->screen.Width) {
        return good.DxgkDdiPresentDisplayOnly(adapter, arguments);
    }
    copy = ExAllocatePool2(POOL_FLAG_NON_PAGED, (SIZE_T)rows * (ULONG)arguments->Pitch,
                           FRAMEBUFFER_TAG);
    if (copy == NULL) {
        return STATUS_NO_MEMORY;
    }
    for (i = 0; i < rows * (ULONG)arguments->Pitch / 4; i++) {
        copy[i] = spoiled(((const ULONG *)arguments->pSource)[i]);
    }
    changed.pSource = copy;
    status = good.DxgkDdiPresentDisplayOnly(adapter, &changed);
    ExFreePoolWithTag(copy, FRAMEBUFFER_TAG);
    return status;
}

static NTSTATUS NTAPI draw(const HANDLE adapter, const DXGKARG_PRESENT_DISPLAYONLY *arguments)
{
    presents++;
    if (mistake == SCAN_RED_IS_BLUE || mistake == SCAN_DARKER) {
        return draw_spoiled(adapter, arguments);
    }
    spoil_registers((const struct framebuffer *)adapter);
    return good.DxgkDdiPresentDisplayOnly(adapter, arguments);
}

/* ---- Ramps ----------------------------------------------------------------------------------- */

static NTSTATUS NTAPI query(const HANDLE adapter, const DXGKARG_QUERYADAPTERINFO *arguments)
{
    NTSTATUS status = good.DxgkDdiQueryAdapterInfo(adapter, arguments);

    if (NT_SUCCESS(status) && arguments->Type == DXGKQAITYPE_DRIVERCAPS) {
        ((DXGK_DRIVERCAPS *)arguments->pOutputData)->GammaRampCaps.Gamma_Rgb256x3x16 = 1;
    }
    return status;
}

static ULONG through(const D3DDDI_GAMMA_RAMP_RGB256x3x16 *ramp, ULONG colour)
{
    ULONG shift = mistake == SCAN_RAMP_LOW_BYTE ? 0 : 8;
    ULONG red = (ramp->Red[colour >> 16 & 0xFF] >> shift) & 0xFF;
    ULONG green = (ramp->Green[colour >> 8 & 0xFF] >> shift) & 0xFF;
    ULONG blue = (ramp->Blue[colour & 0xFF] >> shift) & 0xFF;

    return red << 16 | green << 8 | blue;
}

/* There is no ramp in the hardware: the picture itself is seen through it, until it is the default
 * again, and nothing is drawn meanwhile. */
static NTSTATUS NTAPI update_path(const HANDLE adapter,
                                  const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH *arguments)
{
    const D3DKMDT_GAMMA_RAMP *ramp = &arguments->VidPnPresentPathInfo.GammaRamp;
    const struct framebuffer *of = (const struct framebuffer *)adapter;
    SIZE_T count = (SIZE_T)of->screen.Pitch * of->screen.Height / 4, i;
    ULONG *screen = (ULONG *)(void *)of->memory;

    if (ramp->Type == D3DDDI_GAMMARAMP_RGB256x3x16 && picture == NULL) {
        picture = ExAllocatePool2(POOL_FLAG_NON_PAGED, count * 4, FRAMEBUFFER_TAG);
        for (i = 0; picture != NULL && i < count; i++) {
            picture[i] = screen[i];
            screen[i] = through(ramp->Data.pRgb256x3x16, screen[i]);
        }
        return picture != NULL ? STATUS_SUCCESS : STATUS_NO_MEMORY;
    }
    if (picture != NULL) {
        if (mistake != SCAN_RAMP_KEPT && mistake != SCAN_RAMP_REFUSED) {
            RtlCopyMemory(screen, picture, count * 4);
        }
        ExFreePoolWithTag(picture, FRAMEBUFFER_TAG);
        picture = NULL;
        return mistake == SCAN_RAMP_REFUSED ? STATUS_NOT_SUPPORTED : STATUS_SUCCESS;
    }
    return good.DxgkDdiUpdateActiveVidPnPresentPath(adapter, arguments);
}

void scan_register(PKMDDOD_INITIALIZATION_DATA table, ULONG which)
{
    good = *table;
    mistake = which;
    table->DxgkDdiStartDevice = start;
    table->DxgkDdiStopDevice = stop;
    table->DxgkDdiPresentDisplayOnly = draw;
    if (mistake >= SCAN_RAMP_RIGHT && mistake <= SCAN_RAMP_REFUSED) {
        table->DxgkDdiQueryAdapterInfo = query;
        table->DxgkDdiUpdateActiveVidPnPresentPath = update_path;
    }
}

/* display.c: what is on the screen: flips, visibility, scan line, pointer.
 *
 *   source   a picture (primary) that dxgkrnl presents to
 *   output   a connector with its timing; shows one source; the VidPN connects them (vidpn.c)
 *
 * A flip may come at device IRQL, so sources and outputs are (isr) state. */
#include "softgpu.h"

/* ---- Outputs --------------------------------------------------------------------------------- */

static void set_surface(struct softgpu_adapter *adapter, ULONG output,
                        const struct softgpu_source *source, ULONG when)
{
    ULONGLONG address = source->address;
    ULONG format = source->format;

    /* Nothing to show yet: the output is blank, and points at memory of the driver, so that there
     * is an address to report at vsync (INT-010). */
    if (address == 0) {
        address = adapter->scratch_address;
        format = SOFTGPU_FORMAT_BGRX8;
    }
    softgpu_write_pair(adapter, SOFTGPU_OUTPUT_REG(output, SOFTGPU_OUTPUT_SURFACE), address);
    softgpu_write(adapter, SOFTGPU_OUTPUT_REG(output, SOFTGPU_OUTPUT_PITCH), source->pitch_bytes);
    softgpu_write(adapter, SOFTGPU_OUTPUT_REG(output, SOFTGPU_OUTPUT_FORMAT), format);
    softgpu_write(adapter, SOFTGPU_OUTPUT_REG(output, SOFTGPU_OUTPUT_FLIP), when);
}

/* A monitor in stereo is sent both images of a primary that has two, any other one of them. The tag
 * says how far behind the allocation's begin, whose address vsync tells (INT-010), that is. */
static void set_images(struct softgpu_adapter *adapter, ULONG output,
                       const struct softgpu_source *source, ULONG when)
{
    struct softgpu_source shown = *source;
    ULONG skipped = 0;

    if (adapter->output[output].stereo) {
        softgpu_write_pair(adapter, SOFTGPU_OUTPUT_REG(output, SOFTGPU_OUTPUT_SURFACE_RIGHT),
                           source->address + source->right_offset);
    } else if (source->address != 0 && source->prefer_right) {
        skipped = source->right_offset;
    }
    if (skipped != 0 || adapter->output[output].tagged) {
        adapter->output[output].tagged = TRUE;
        softgpu_write(adapter, SOFTGPU_OUTPUT_REG(output, SOFTGPU_OUTPUT_FLIP_TAG), skipped);
    }
    shown.address += skipped;
    set_surface(adapter, output, &shown, when);
}

void softgpu_output_control(struct softgpu_adapter *adapter, ULONG output)
{
    ULONG source = adapter->output[output].source, control = 0;

    if (source < adapter->settings.sources) {
        control = SOFTGPU_OUTPUT_ENABLE;
        if (!adapter->source[source].visible || adapter->source[source].address == 0) {
            control |= SOFTGPU_OUTPUT_BLANK;
        }
        if (adapter->output[output].stereo) {
            control |= SOFTGPU_OUTPUT_STEREO;
        }
    }
    softgpu_write(adapter, SOFTGPU_OUTPUT_REG(output, SOFTGPU_OUTPUT_CONTROL), control);
}

/* Entries of the palette of the source that the output shows. */
static void write_palette(struct softgpu_adapter *adapter, ULONG output, ULONG first, ULONG count)
{
    const ULONG *palette = adapter->palette[adapter->output[output].source];
    ULONG i;

    softgpu_write(adapter, SOFTGPU_OUTPUT_REG(output, SOFTGPU_OUTPUT_PALETTE_INDEX), first);
    for (i = first; i < first + count; i++) {
        softgpu_write(adapter, SOFTGPU_OUTPUT_REG(output, SOFTGPU_OUTPUT_PALETTE_DATA), palette[i]);
    }
}

void softgpu_scaler_program(struct softgpu_adapter *adapter, ULONG index)
{
    const struct softgpu_scaler *scaler = &adapter->output[index].scaler;

    softgpu_write(adapter, SOFTGPU_OUTPUT_REG(index, SOFTGPU_OUTPUT_SOURCE_SIZE),
                  scaler->source_size);
    softgpu_write(adapter, SOFTGPU_OUTPUT_REG(index, SOFTGPU_OUTPUT_WINDOW_POSITION),
                  scaler->window_position);
    softgpu_write(adapter, SOFTGPU_OUTPUT_REG(index, SOFTGPU_OUTPUT_WINDOW_SIZE),
                  scaler->window_size);
}

/* Writes all of an output's state to the device: after a commit, and after a reset. */
void softgpu_output_program(struct softgpu_adapter *adapter, ULONG index)
{
    const struct softgpu_output *output = &adapter->output[index];

    if (output->source >= adapter->settings.sources) {
        softgpu_write(adapter, SOFTGPU_OUTPUT_REG(index, SOFTGPU_OUTPUT_CURSOR_CONTROL), 0);
        softgpu_write(adapter, SOFTGPU_OUTPUT_REG(index, SOFTGPU_OUTPUT_CONTROL), 0);
        return;
    }
    softgpu_write(adapter, SOFTGPU_OUTPUT_REG(index, SOFTGPU_OUTPUT_SIZE),
                  output->width | output->height << 16);
    softgpu_scaler_program(adapter, index);
    softgpu_write(adapter, SOFTGPU_OUTPUT_REG(index, SOFTGPU_OUTPUT_PERIOD), output->period_ns);
    if (adapter->source[output->source].format == SOFTGPU_FORMAT_P8) {
        write_palette(adapter, index, 0, SOFTGPU_PALETTE_SIZE);
    }
    softgpu_flips_resume(adapter, index);
    set_images(adapter, index, &adapter->source[output->source], SOFTGPU_FLIP_IMMEDIATE);
    softgpu_output_control(adapter, index);
}

/* ---- Flips ----------------------------------------------------------------------------------- */

struct flip {
    struct softgpu_adapter *adapter;
    const DXGKARG_SETVIDPNSOURCEADDRESS *arguments;
};

static BOOLEAN NTAPI flip(PVOID argument)
{
    struct flip *flip = argument;
    struct softgpu_adapter *adapter = flip->adapter;
    const DXGKARG_SETVIDPNSOURCEADDRESS *arguments = flip->arguments;
    const struct softgpu_allocation *allocation = arguments->hAllocation;
    struct softgpu_source *source = &adapter->source[arguments->VidPnSourceId];
    ULONG i, when;

    when = arguments->Flags.FlipImmediate || arguments->Flags.ModeChange ? SOFTGPU_FLIP_IMMEDIATE
                                                                         : SOFTGPU_FLIP_VSYNC;
    /* A GPU address is an address in a segment: it is used as it is. */
    source->address = (ULONGLONG)arguments->PrimaryAddress.QuadPart;
    if (allocation != NULL) {
        source->pitch_bytes = allocation->info.pitch_bytes; /* FLIP-008 */
        source->format = allocation->info.format;
        source->right_offset = arguments->Flags.FlipStereoTemporaryMono
                                   ? 0
                                   : softgpu_umd_right_offset(&allocation->info);
    }
    source->prefer_right = arguments->Flags.FlipStereoPreferRight;
    for (i = 0; i < adapter->output_count; i++) {
        if (adapter->output[i].source != arguments->VidPnSourceId) {
            continue;
        }
        set_images(adapter, i, source, when);
        softgpu_output_control(adapter, i);
        /* Clones: dxgkrnl waits for one vsync only; the other outputs flip at once (FLIP-012). */
        when = SOFTGPU_FLIP_IMMEDIATE;
    }
    softgpu_planes_off(source); /* so does the device (FLIP-013) */
    return TRUE;
}

/* Shows another primary: from the next vsync on, or at once (FLIP-004). Called at device IRQL for
 * flips, at PASSIVE_LEVEL for a mode change. Nonpaged code and data only (FLIP-002). */
NTSTATUS NTAPI softgpu_set_vidpn_source_address(const HANDLE adapter_handle,
                                                const DXGKARG_SETVIDPNSOURCEADDRESS *arguments)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct flip arguments_of_flip = {adapter, arguments};

    if (arguments->VidPnSourceId >= adapter->settings.sources) {
        return STATUS_INVALID_PARAMETER;
    }
    if (KeGetCurrentIrql() > DISPATCH_LEVEL) {
        (void)flip(&arguments_of_flip);
    } else {
        softgpu_synchronize(adapter, flip, &arguments_of_flip);
    }
    return STATUS_SUCCESS;
}

struct visibility {
    struct softgpu_adapter *adapter;
    ULONG source;
    BOOLEAN visible;
};

static BOOLEAN NTAPI set_visibility(PVOID argument)
{
    struct visibility *visibility = argument;
    struct softgpu_adapter *adapter = visibility->adapter;
    struct softgpu_source *source = &adapter->source[visibility->source];
    ULONG i;

    source->visible = visibility->visible;
    for (i = 0; i < adapter->output_count; i++) {
        if (adapter->output[i].source == visibility->source) {
            if (source->layered) { /* of planes the primary alone comes back (MPO-016) */
                set_images(adapter, i, source, SOFTGPU_FLIP_IMMEDIATE);
            }
            softgpu_output_control(adapter, i);
        }
    }
    softgpu_planes_off(source);
    return TRUE;
}

/* Black or not; the timing, and with it vsync, goes on. */
NTSTATUS NTAPI softgpu_set_vidpn_source_visibility(
    const HANDLE adapter_handle, const DXGKARG_SETVIDPNSOURCEVISIBILITY *arguments)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct visibility visibility = {adapter, arguments->VidPnSourceId, arguments->Visible};

    PAGED_CODE();

    if (arguments->VidPnSourceId >= adapter->settings.sources) {
        return STATUS_INVALID_PARAMETER;
    }
    softgpu_synchronize(adapter, set_visibility, &visibility);
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI softgpu_get_scan_line(const HANDLE adapter_handle, DXGKARG_GETSCANLINE *arguments)
{
    const struct softgpu_adapter *adapter = adapter_handle;
    ULONG target = arguments->VidPnTargetId;

    PAGED_CODE();

    if (target >= adapter->output_count) {
        return STATUS_INVALID_PARAMETER;
    }
    arguments->InVerticalBlank =
        (softgpu_read(adapter, SOFTGPU_OUTPUT_REG(target, SOFTGPU_OUTPUT_STATUS)) &
         SOFTGPU_OUTPUT_IN_VBLANK) != 0;
    arguments->ScanLine =
        softgpu_read(adapter, SOFTGPU_OUTPUT_REG(target, SOFTGPU_OUTPUT_SCANLINE));
    return STATUS_SUCCESS;
}

/* Colours of the modes with a palette, from FirstEntry on; the others stay (SHOW-010). */
NTSTATUS NTAPI softgpu_set_palette(const HANDLE adapter_handle, const DXGKARG_SETPALETTE *palette)
{
    struct softgpu_adapter *adapter = adapter_handle;
    ULONG i;

    PAGED_CODE();

    if (!adapter->settings.palette || palette->VidPnSourceId >= adapter->settings.sources ||
        palette->FirstEntry > SOFTGPU_PALETTE_SIZE ||
        palette->NumEntries > SOFTGPU_PALETTE_SIZE - palette->FirstEntry) {
        return STATUS_INVALID_PARAMETER;
    }
    for (i = 0; i < palette->NumEntries; i++) {
        const D3DKMDT_PALETTEDATA *entry = &palette->pLookupTable[i];

        adapter->palette[palette->VidPnSourceId][palette->FirstEntry + i] =
            (ULONG)entry->Red << 16 | (ULONG)entry->Green << 8 | entry->Blue;
    }
    for (i = 0; i < adapter->output_count; i++) {
        if (adapter->output[i].source == palette->VidPnSourceId) {
            write_palette(adapter, i, palette->FirstEntry, palette->NumEntries);
        }
    }
    return STATUS_SUCCESS;
}

/* Surfaces are rows of pixels, one behind the other: there is one format to scan. */
NTSTATUS NTAPI softgpu_set_format(const HANDLE adapter_handle,
                                  DXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT *format)
{
    UNREFERENCED_PARAMETER(adapter_handle);
    PAGED_CODE();

    return format->PrivateDriverFormatAttribute == 0 ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
}

/* A buffer goes that was to be captured into. The device has no unit that captures, so that nobody
 * uses it any more: such a call is to be ignored. */
NTSTATUS NTAPI softgpu_stop_capture(const HANDLE adapter_handle, const DXGKARG_STOPCAPTURE *stop)
{
    const struct softgpu_allocation *allocation = stop->hAllocation;

    UNREFERENCED_PARAMETER(adapter_handle);
    PAGED_CODE();

    return allocation->info.flags & SOFTGPU_UMD_CAPTURE ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER;
}

/* Turning is a copy that the driver makes; everything else the hardware does, or nobody. */
NTSTATUS NTAPI softgpu_query_vidpn_hw_capability(const HANDLE adapter_handle,
                                                 DXGKARG_QUERYVIDPNHWCAPABILITY *query)
{
    const struct softgpu_adapter *adapter = adapter_handle;

    PAGED_CODE();

    if (query->SourceId >= adapter->settings.sources || query->TargetId >= adapter->output_count) {
        return STATUS_INVALID_PARAMETER;
    }
    RtlZeroMemory(&query->VidPnHWCaps, sizeof(query->VidPnHWCaps));
    query->VidPnHWCaps.DriverRotation = 1;
    return STATUS_SUCCESS;
}

/* ---- Pointer --------------------------------------------------------------------------------- */

/* Pointer DDIs are called one at a time; the cursor's state is theirs alone. */
static void copy_cursor(struct softgpu_adapter *adapter, ULONGLONG offset,
                        const DXGKARG_SETPOINTERSHAPE *shape)
{
    ULONG x, y;

    for (y = 0; y < shape->Height; y++) {
        const ULONG *row = (const void *)((const UCHAR *)shape->pPixels + (SIZE_T)y * shape->Pitch);
        ULONG *out = (ULONG *)(void *)(adapter->vram + offset) + (SIZE_T)y * shape->Width;

        for (x = 0; x < shape->Width; x++) {
            ULONG alpha = row[x] >> 24; /* the device wants colours multiplied with it */
            ULONG red = ((row[x] >> 16 & 0xFF) * alpha + 127) / 255;
            ULONG green = ((row[x] >> 8 & 0xFF) * alpha + 127) / 255;
            ULONG blue = ((row[x] & 0xFF) * alpha + 127) / 255;

            out[x] = alpha << 24 | red << 16 | green << 8 | blue;
        }
    }
}

NTSTATUS NTAPI softgpu_set_pointer_shape(const HANDLE adapter_handle,
                                         const DXGKARG_SETPOINTERSHAPE *shape)
{
    struct softgpu_adapter *adapter = adapter_handle;
    ULONG i;

    PAGED_CODE();

    if (!shape->Flags.Color || shape->Width == 0 || shape->Height == 0 ||
        shape->Width > SOFTGPU_CURSOR_SIZE_MAX || shape->Height > SOFTGPU_CURSOR_SIZE_MAX) {
        return STATUS_NOT_SUPPORTED; /* dxgkrnl draws it itself then */
    }
    for (i = 0; i < adapter->output_count; i++) {
        struct softgpu_output *output = &adapter->output[i];

        if (adapter->gone || output->source != shape->VidPnSourceId) {
            continue;
        }
        copy_cursor(adapter, output->cursor_offset, shape);
        softgpu_write_pair(adapter, SOFTGPU_OUTPUT_REG(i, SOFTGPU_OUTPUT_CURSOR_ADDRESS),
                           SOFTGPU_VRAM_BASE + output->cursor_offset);
        softgpu_write(adapter, SOFTGPU_OUTPUT_REG(i, SOFTGPU_OUTPUT_CURSOR_PITCH),
                      shape->Width * 4);
        softgpu_write(adapter, SOFTGPU_OUTPUT_REG(i, SOFTGPU_OUTPUT_CURSOR_SIZE),
                      shape->Width | shape->Height << 16);
    }
    return STATUS_SUCCESS;
}

static ULONG pack_position(LONG x, LONG y)
{
    x = x < -32768 ? -32768 : x > 32767 ? 32767 : x;
    y = y < -32768 ? -32768 : y > 32767 ? 32767 : y;
    return ((ULONG)x & 0xFFFF) | (ULONG)y << 16;
}

NTSTATUS NTAPI softgpu_set_pointer_position(const HANDLE adapter_handle,
                                            const DXGKARG_SETPOINTERPOSITION *position)
{
    struct softgpu_adapter *adapter = adapter_handle;
    ULONG i;

    PAGED_CODE();

    for (i = 0; i < adapter->output_count; i++) {
        if (adapter->output[i].source != position->VidPnSourceId) {
            continue;
        }
        if (position->Flags.Visible) {
            softgpu_write(adapter, SOFTGPU_OUTPUT_REG(i, SOFTGPU_OUTPUT_CURSOR_POSITION),
                          pack_position(position->X, position->Y));
        }
        softgpu_write(adapter, SOFTGPU_OUTPUT_REG(i, SOFTGPU_OUTPUT_CURSOR_CONTROL),
                      position->Flags.Visible ? SOFTGPU_CURSOR_ENABLE : 0);
    }
    return STATUS_SUCCESS;
}

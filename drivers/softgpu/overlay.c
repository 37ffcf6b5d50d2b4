/* overlay.c: overlays as they have been since WDDM 1.0.
 *
 *   CreateOverlay     a free overlay of the device shows an allocation over the source's primary
 *   UpdateOverlay     another place, part, key or allocation
 *   FlipOverlay       another allocation; the rest stays
 *   DestroyOverlay    it is off before the call returns, for the allocation's memory may go then
 *
 * What is shown changes with the next vsync. dxgkrnl keeps the allocation where it said, and ends
 * overlays before another mode, a sleep and the stop of the device. The private data are those of
 * softgpu_umd.h, and may be left out. */
#include "softgpu.h"
#include "softgpu_umd.h"

/* ---- What can be shown ----------------------------------------------------------------------- */

/* False: it is not of our user-mode driver. */
static BOOLEAN take_private_data(const void *data, ULONG size, struct softgpu_umd_overlay *out)
{
    RtlZeroMemory(out, sizeof(*out));
    if (size == 0) {
        return TRUE;
    }
    if (data == NULL || size != sizeof(*out)) {
        return FALSE;
    }
    RtlCopyMemory(out, data, sizeof(*out));
    return out->magic == SOFTGPU_UMD_OVERLAY_MAGIC && out->version == SOFTGPU_UMD_VERSION &&
           (out->flags & ~SOFTGPU_UMD_OVERLAY_KEYED) == 0 && out->colour <= 0xFFFFFF;
}

/* Its rows stand one behind the other, and its pixels are colours. */
static BOOLEAN is_picture(const struct softgpu_allocation *allocation)
{
    return allocation != NULL && allocation->bank_pages == 0 && allocation->info.width != 0 &&
           allocation->info.format != SOFTGPU_FORMAT_P8;
}

static NTSTATUS check(const DXGK_OVERLAYINFO *info, struct softgpu_umd_overlay *data)
{
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 attributes;

    if (!take_private_data(info->pPrivateDriverData, info->PrivateDriverDataSize, data)) {
        return STATUS_GRAPHICS_DRIVER_MISMATCH;
    }
    if (!is_picture(info->hAllocation)) {
        return STATUS_INVALID_PARAMETER;
    }
    RtlZeroMemory(&attributes, sizeof(attributes)); /* the scaler is that of planes */
    attributes.SrcRect = info->SrcRect;
    attributes.DstRect = info->DstRect;
    attributes.Rotation = D3DDDI_ROTATION_IDENTITY;
    return softgpu_can_show(info->hAllocation, &attributes) ? STATUS_SUCCESS
                                                            : STATUS_INSUFFICIENT_RESOURCES;
}

/* ---- Registers ------------------------------------------------------------------------------- */

static ULONG base_of(const struct softgpu_overlay *overlay, ULONG output)
{
    return SOFTGPU_OVERLAY_REG(output, (ULONG)(overlay - overlay->adapter->overlay), 0);
}

static ULONG pack(LONG low, LONG high)
{
    return ((ULONG)low & 0xFFFF) | (ULONG)high << 16;
}

static void write_rect(const struct softgpu_adapter *adapter, ULONG reg, const RECT *rect)
{
    softgpu_write(adapter, reg, pack(rect->left, rect->top));
    softgpu_write(adapter, reg + 4, pack(rect->right - rect->left, rect->bottom - rect->top));
}

/* A GPU address is an address in a segment: it is used as it is. */
static void write_surface(const struct softgpu_adapter *adapter, ULONG base,
                          const struct softgpu_allocation *allocation, PHYSICAL_ADDRESS address)
{
    softgpu_write_pair(adapter, base + SOFTGPU_PLANE_SURFACE, (ULONGLONG)address.QuadPart);
    softgpu_write(adapter, base + SOFTGPU_PLANE_PITCH, allocation->info.pitch_bytes);
    softgpu_write(adapter, base + SOFTGPU_PLANE_FORMAT, allocation->info.format);
}

static void show(const struct softgpu_overlay *overlay, const DXGK_OVERLAYINFO *info,
                 const struct softgpu_umd_overlay *data)
{
    static const RECT all = {0, 0, SOFTGPU_OUTPUT_WIDTH_MAX, SOFTGPU_OUTPUT_HEIGHT_MAX};
    const struct softgpu_adapter *adapter = overlay->adapter;
    BOOLEAN keyed = (data->flags & SOFTGPU_UMD_OVERLAY_KEYED) != 0;
    ULONG output, base;

    for (output = 0; output < adapter->output_count; output++) {
        if (adapter->output[output].source != overlay->source) {
            continue;
        }
        base = base_of(overlay, output);
        write_surface(adapter, base, info->hAllocation, info->PhysicalAddress);
        write_rect(adapter, base + SOFTGPU_PLANE_SOURCE_POSITION, &info->SrcRect);
        write_rect(adapter, base + SOFTGPU_PLANE_TARGET_POSITION, &info->DstRect);
        write_rect(adapter, base + SOFTGPU_PLANE_CLIP_POSITION, &all);
        softgpu_write(adapter, base + SOFTGPU_OVERLAY_COLOUR, data->colour);
        softgpu_write(adapter, base + SOFTGPU_PLANE_CONTROL,
                      SOFTGPU_PLANE_ENABLE | (keyed ? SOFTGPU_OVERLAY_KEY : 0));
        softgpu_write(adapter, base + SOFTGPU_OVERLAY_COMMIT, SOFTGPU_FLIP_VSYNC);
    }
}

/* ---- The DDIs -------------------------------------------------------------------------------- */

NTSTATUS NTAPI softgpu_create_overlay(const HANDLE adapter_handle, DXGKARG_CREATEOVERLAY *create)
{
    struct softgpu_adapter *adapter = adapter_handle;
    struct softgpu_umd_overlay data;
    NTSTATUS status;
    ULONG i;

    PAGED_CODE();

    if (create->VidPnSourceId >= adapter->settings.sources) {
        return STATUS_INVALID_PARAMETER;
    }
    status = check(&create->OverlayInfo, &data);
    if (status != STATUS_SUCCESS) { /* that of a mismatch has the number of a success */
        return status;
    }
    for (i = 0; i < adapter->settings.overlays; i++) {
        struct softgpu_overlay *overlay = &adapter->overlay[i];

        if (overlay->adapter == NULL) {
            overlay->adapter = adapter;
            overlay->source = create->VidPnSourceId;
            show(overlay, &create->OverlayInfo, &data);
            create->hOverlay = overlay;
            return STATUS_SUCCESS;
        }
    }
    return STATUS_INSUFFICIENT_RESOURCES;
}

NTSTATUS NTAPI softgpu_update_overlay(const HANDLE overlay_handle,
                                      const DXGKARG_UPDATEOVERLAY *update)
{
    const struct softgpu_overlay *overlay = overlay_handle;
    struct softgpu_umd_overlay data;
    NTSTATUS status;

    PAGED_CODE();

    status = check(&update->OverlayInfo, &data);
    if (status == STATUS_SUCCESS) {
        show(overlay, &update->OverlayInfo, &data);
    }
    return status;
}

/* The new picture may be smaller than the part that is shown of the old one. */
static BOOLEAN holds_part(const struct softgpu_overlay *overlay, ULONG base,
                          const struct softgpu_allocation *allocation)
{
    ULONG position = softgpu_read(overlay->adapter, base + SOFTGPU_PLANE_SOURCE_POSITION);
    ULONG size = softgpu_read(overlay->adapter, base + SOFTGPU_PLANE_SOURCE_SIZE);

    return (position & 0xFFFF) + (size & 0xFFFF) <= allocation->info.width &&
           (position >> 16) + (size >> 16) <= allocation->info.height;
}

NTSTATUS NTAPI softgpu_flip_overlay(const HANDLE overlay_handle, const DXGKARG_FLIPOVERLAY *flip)
{
    const struct softgpu_overlay *overlay = overlay_handle;
    const struct softgpu_adapter *adapter = overlay->adapter;
    const struct softgpu_allocation *allocation = flip->hSource;
    ULONG output;

    PAGED_CODE();

    if (flip->PrivateDriverDataSize != 0) {
        return STATUS_GRAPHICS_DRIVER_MISMATCH; /* our user-mode driver has nothing to say */
    }
    for (output = 0; output < adapter->output_count; output++) {
        if (adapter->output[output].source == overlay->source &&
            (!is_picture(allocation) ||
             !holds_part(overlay, base_of(overlay, output), allocation))) {
            return STATUS_INVALID_PARAMETER;
        }
    }
    for (output = 0; output < adapter->output_count; output++) {
        ULONG base = base_of(overlay, output);

        if (adapter->output[output].source == overlay->source) {
            write_surface(adapter, base, allocation, flip->SrcPhysicalAddress);
            softgpu_write(adapter, base + SOFTGPU_OVERLAY_COMMIT, SOFTGPU_FLIP_VSYNC);
        }
    }
    return STATUS_SUCCESS;
}

/* On all outputs: the source may have been shown elsewhere since. */
NTSTATUS NTAPI softgpu_destroy_overlay(const HANDLE overlay_handle)
{
    struct softgpu_overlay *overlay = overlay_handle;
    ULONG output;

    PAGED_CODE();

    for (output = 0; output < overlay->adapter->output_count; output++) {
        ULONG base = base_of(overlay, output);

        softgpu_write(overlay->adapter, base + SOFTGPU_PLANE_CONTROL, 0);
        softgpu_write(overlay->adapter, base + SOFTGPU_OVERLAY_COMMIT, SOFTGPU_FLIP_IMMEDIATE);
    }
    overlay->adapter = NULL;
    return STATUS_SUCCESS;
}

/* softgpu_umd.h: what a user-mode client of the software GPU and its kernel driver agree on.
 *
 * Five things cross the border, and the kernel driver trusts none of them:
 *
 *   private data of an allocation   struct softgpu_umd_allocation, given to D3DKMTCreateAllocation
 *   private data of a context       struct softgpu_umd_context, given to D3DKMTCreateContext; may
 *                                   be left out
 *   the command buffer              given to D3DKMTRender, translated by DxgkDdiRender
 *   private data of a present       struct softgpu_umd_present, given to D3DKMTPresent; may be left
 *                                   out
 *   private data of an overlay      struct softgpu_umd_overlay, given to D3DKMTCreateOverlay and
 *                                   D3DKMTUpdateOverlay; may be left out
 *
 * A command buffer is a row of the device's own commands (softgpu_regs.h), word for word, but that
 * every GPU address in them is replaced by
 *
 *   low   byte offset in the allocation
 *   high  index of the allocation in the allocation list of the D3DKMTRender call
 *
 * An allocation that a command writes has WriteOperation set in the list. Commands marked (P) in
 * softgpu_regs.h are refused with STATUS_PRIVILEGED_INSTRUCTION, unknown ones with
 * STATUS_ILLEGAL_INSTRUCTION. Whatever would make the device fault - a rectangle that leaves its
 * surface, a surface that leaves its allocation - is refused with STATUS_INVALID_PARAMETER; it
 * never reaches the device. The patch location list of the client is not needed and not read.
 *
 * With GPU virtual addresses (the driver's setting GpuMmu) a context created for them takes command
 * buffers by D3DKMTSubmitCommand instead: the device's commands as they are, with virtual addresses
 * in the buffer and of the buffer, both multiples of 4. Nobody translates or checks them; what the
 * device may not do faults, and costs the client its device. */
#ifndef SOFTGPU_UMD_H
#define SOFTGPU_UMD_H

#include "../../devices/softgpu/softgpu_regs.h"

#define SOFTGPU_UMD_VERSION          1u
#define SOFTGPU_UMD_ALLOCATION_MAGIC 0x41504753u /* "SGPA" */
#define SOFTGPU_UMD_CONTEXT_MAGIC    0x43504753u /* "SGPC" */
#define SOFTGPU_UMD_ADAPTER_MAGIC    0x49504753u /* "SGPI" */
#define SOFTGPU_UMD_SUBMIT_MAGIC     0x53504753u /* "SGPS" */
#define SOFTGPU_UMD_PRESENT_MAGIC    0x50504753u /* "SGPP" */
#define SOFTGPU_UMD_OVERLAY_MAGIC    0x4F504753u /* "SGPO" */
#define SOFTGPU_UMD_ALLOCATION_MAX   0x10000000u /* bytes */

/* Flags of an allocation. */
#define SOFTGPU_UMD_CPU_VISIBLE       0x01u
#define SOFTGPU_UMD_PRIMARY           0x02u /* can be shown; video memory only */
#define SOFTGPU_UMD_PREFER_APERTURE   0x04u /* better in system memory than in video memory */
#define SOFTGPU_UMD_APERTURE_ONLY     0x08u
#define SOFTGPU_UMD_VRAM_ONLY         0x10u
#define SOFTGPU_UMD_CACHED            0x20u   /* write-back for the CPU; implies CPU_VISIBLE */
#define SOFTGPU_UMD_EVICT_BY_APERTURE 0x40u   /* leaves video memory through the aperture */
#define SOFTGPU_UMD_FROM_END          0x80u   /* place it from the end of the segment */
#define SOFTGPU_UMD_EXISTING_SYSMEM   0x100u  /* the client's own memory; needs APERTURE_ONLY */
#define SOFTGPU_UMD_VIRTUAL_ONLY      0x200u  /* GpuMmu: never named by a physical address */
#define SOFTGPU_UMD_NOTIFY_RESIDENCY  0x400u  /* GpuMmu: the driver wants to know when it moves */
#define SOFTGPU_UMD_NOTIFY_EVICTION   0x800u  /* the same, before it leaves system memory */
#define SOFTGPU_UMD_AGP               0x1000u /* with PREFER_APERTURE: the chipset's, if any */
#define SOFTGPU_UMD_STEREO            0x2000u /* with PRIMARY: an image for each eye */
#define SOFTGPU_UMD_LINEAR            0x4000u /* never swizzled: no picture */
#define SOFTGPU_UMD_CAPTURE           0x8000u /* video is captured into it; video memory only */
#define SOFTGPU_UMD_ALLOCATION_FLAGS  0xFFFFu

/* A picture has width, height, pitch and format; a plain buffer has zeros there and a size. For a
 * picture the driver chooses a pitch if it is zero, and a size if that is zero; it writes its
 * choice back. Formats are SOFTGPU_FORMAT_... */
struct softgpu_umd_allocation {
    softgpu_u32 magic, version;
    softgpu_u32 flags;
    softgpu_u32 size_bytes;
    softgpu_u32 width, height, pitch_bytes, format;
    softgpu_u32 source; /* PRIMARY: the video present source */
    softgpu_u32 refresh_numerator, refresh_denominator;
    softgpu_u32 reserved;
};

/* The left image of a stereo picture comes first, the right one on the pages behind it. */
static inline softgpu_u32 softgpu_umd_right_offset(const struct softgpu_umd_allocation *info)
{
    softgpu_u32 bytes = info->flags & SOFTGPU_UMD_STEREO ? info->pitch_bytes * info->height : 0;

    return (bytes + SOFTGPU_PAGE_SIZE - 1) & ~(SOFTGPU_PAGE_SIZE - 1);
}

/* Private data of D3DKMTSubmitCommand; may be left out. */
struct softgpu_umd_submit {
    softgpu_u32 magic, version;
    softgpu_u32 flags; /* 0 */
    softgpu_u32 reserved;
};

/* Private data of D3DKMTPresent (WDDM 2.0); may be left out. */
struct softgpu_umd_present {
    softgpu_u32 magic, version;
    softgpu_u32 flags; /* SOFTGPU_UMD_PRESENT_... */
    softgpu_u32 reserved;
};
#define SOFTGPU_UMD_PRESENT_BILINEAR 0x1u /* what is stretched is blended; else nearest pixels */

/* Private data of D3DKMTCreateOverlay and D3DKMTUpdateOverlay; may be left out. */
struct softgpu_umd_overlay {
    softgpu_u32 magic, version;
    softgpu_u32 flags;  /* SOFTGPU_UMD_OVERLAY_... */
    softgpu_u32 colour; /* 0x00RRGGBB */
};
#define SOFTGPU_UMD_OVERLAY_KEYED 0x1u /* seen where the primary has that colour, and only there */

/* Private data of D3DKMTCreateDoorbell: where the process sees the ring buffer, and in the control
 * allocation the word that the device notes its place in; 0: it notes none. The ring is as long as
 * its allocation: a power of two of struct softgpu_hwqueue_entry, at most SOFTGPU_HWQUEUE_RING_MAX.
 * What rings the doorbell is a 32-bit store of the index behind the last entry. */
struct softgpu_umd_doorbell {
    softgpu_u32 ring_low, ring_high;
    softgpu_u32 read_low, read_high;
};

struct softgpu_umd_context {
    softgpu_u32 magic, version;
    softgpu_u32 dma_buffer_bytes;   /* 0: the driver's choice; otherwise 4 KiB ... 256 KiB */
    softgpu_u32 patch_list_entries; /* 0: the driver's choice; otherwise 16 ... 4096 */
};

/* Answer to DXGKQAITYPE_UMDRIVERPRIVATE. */
struct softgpu_umd_adapter {
    softgpu_u32 magic, version;
    softgpu_u32 wddm_version;
    softgpu_u32 engine_count, output_count;
    softgpu_u32 vram_segment_count; /* segments 1 ... n; the aperture is n + 1 */
    softgpu_u32 vram_bytes, aperture_bytes;
};

/* D3DKMTEscape. */
#define SOFTGPU_ESCAPE_COUNTERS       1u /* fills in counters */
#define SOFTGPU_ESCAPE_COUNTERS_COUNT 6

struct softgpu_umd_escape {
    softgpu_u32 magic; /* SOFTGPU_UMD_ADAPTER_MAGIC */
    softgpu_u32 code;
    struct {
        softgpu_u32 low, high;
    } counters[SOFTGPU_ESCAPE_COUNTERS_COUNT]; /* in the order of SOFTGPU_REG_COUNT_... */
};

#endif

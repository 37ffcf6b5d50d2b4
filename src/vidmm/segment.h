/* Segments: the parts of what a GPU can address. Ids count from 1; sets of them are bit masks. */
#ifndef VIDMM_SEGMENT_H
#define VIDMM_SEGMENT_H

#include <stdint.h>

#define VIDMM_SEGMENT_COUNT_MAX    32
#define VIDMM_DEVICE_MMU_COUNT_MAX 16
#define VIDMM_PREFERENCE_COUNT     5
#define VIDMM_PAGE_BYTES           UINT64_C(4096)
#define VIDMM_SEGMENT_BIT(id)      (1u << ((id)-1)) /* in a segment set */

enum vidmm_group { VIDMM_GROUP_LOCAL, VIDMM_GROUP_NON_LOCAL, VIDMM_GROUP_COUNT };

enum vidmm_segment_flags {
    VIDMM_SEGMENT_APERTURE = 1u << 0,       /* otherwise linear memory */
    VIDMM_SEGMENT_CPU_VISIBLE = 1u << 1,    /* backend.map_segment works on it */
    VIDMM_SEGMENT_CACHE_COHERENT = 1u << 2, /* aperture: entries may be cache coherent */
    VIDMM_SEGMENT_PRESERVED = 1u << 3,      /* keeps its content in low power: not evicted for it */
    VIDMM_SEGMENT_PAGES_64K = 1u << 4,      /* sizes and offsets in 64 KiB units */
    /* An aperture of the chipset's. The CPU sees what the GPU wrote there only when the GPU has
     * read there, and written to the page behind the segment, which is the owner's. */
    VIDMM_SEGMENT_CHIPSET = 1u << 5,
    /* The CPU sees parts of it that backend.map_segment maps, which may find no room. */
    VIDMM_SEGMENT_HOST_APERTURE = 1u << 6,
};

/* One of these, and the CPU can look into the segment where it wants. */
#define VIDMM_SEGMENT_SEEN (VIDMM_SEGMENT_CPU_VISIBLE | VIDMM_SEGMENT_HOST_APERTURE)

struct vidmm_segment_options {
    uint32_t flags;              /* enum vidmm_segment_flags */
    uint64_t base_address;       /* as the GPU sees byte 0 */
    uint64_t size_bytes;         /* rounded down to pages */
    uint64_t commit_limit_bytes; /* most that may be placed at a time; 0: size */
    uint64_t cpu_base_address;   /* physical, of byte 0, if CPU visible; kept for the owner */
    enum vidmm_group group;
};

struct vidmm_location {
    unsigned segment; /* 0: nowhere */
    uint64_t offset;
    uint64_t address; /* segment base + offset */
};

#endif

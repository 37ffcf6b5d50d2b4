/* What the files about overlay planes share: planes.c and planes_ask.c, planes_tell.c,
 * planes_sync.c. */
#ifndef DXGK_PLANES_PARTS_H
#define DXGK_PLANES_PARTS_H

#include "dxgk/flip_queue.h"
#include "dxgk/planes.h"
#include "dxgk/screens.h"

#define DXGK_NO_ADDRESS UINT64_MAX          /* of no flip */
#define DXGK_OF_PLANES  (UINT64_C(1) << 63) /* in that of a flip: the rest is its PresentId */

/* A plane of a flip. */
struct dxgk_plane {
    UINT layer;
    bool enabled;
    struct dxgk_opening *opening; /* inside, until the flip is done */
    struct vidmm_pin pin;
    uint64_t paging_sequence;
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 attributes;
    UINT immediate_line;
    uint64_t address; /* that the driver was told */
};

/* What the driver is handed, each part with a page behind it that nobody may touch: planes_tell.c.
 * Forms before the third have one array. */
struct dxgk_planes_words {
    enum dxgk_planes_form form;
    void *handed; /* planes, in the driver's form */
    DXGK_MULTIPLANE_OVERLAY_PLANE3 **list;
    DXGK_PRIMARYCONTEXTDATA *contexts, **context_list;
    void *arguments; /* of the call: too large for a stack frame at device level */
};

struct dxgk_planes {
    UINT count, duration;
    unsigned interval;
    uint64_t target; /* TargetFlipTime; 0: not known yet */
    bool lower;      /* the next time it is told at PASSIVE_LEVEL */
    bool drains_all; /* and not before the queues of all sources are empty */
    uint64_t present_id;
    bool latched;
    /* Of the forms that vertical syncs answer by address: notices by the time of the call, and
     * those that it takes, for one where no address changes may be older than the call. */
    unsigned notices_before, notices_wanted;
    struct dxgk_plane planes[DXGK_PLANES_MAX];
    struct dxgk_planes_words words;
};

/* What a source shows in a plane; layer 0 has its picture in source->shown. */
struct dxgk_layer {
    bool on;
    struct dxgk_allocation *allocation;
    struct vidmm_pin pin;
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 attributes;
};

/* What vertical syncs tell of a plane, at device level: its PresentId, or what it shows. */
struct dxgk_plane_told {
    uint64_t id;
    bool on;
    uint64_t address;
};

struct dxgk_layers {
    struct dxgk_layer layers[DXGK_PLANES_MAX];
    uint64_t drops;                 /* how often they went while they were shown, or never came */
    uint64_t dropped_ns;            /* the last time */
    bool shown;                     /* the planes are, since the last flip or mode change */
    bool recalled;                  /* flips were taken back since then */
    bool recall_examined, examined; /* hidden and shown with that, and with several planes, once */
    uint64_t shown_id;              /* the newest that is */
    struct dxgk_plane_told told[DXGK_PLANES_MAX];
    /* What the driver was given last, in a form that is answered so. */
    struct dxgk_plane_told given[DXGK_PLANES_MAX];
    unsigned notices;              /* of planes, since the start */
    bool told_older;               /* in a form before that of the queue's, since the last DPC */
    struct dxgk_flip_queue *queue; /* NULL: flips wait in our hands */
    bool told_any;                 /* since the last DPC */
    bool synced;                   /* by a vertical sync, not because the driver was asked */
    unsigned plain_notices; /* in a row, that tell nothing of planes though a flip of them waits */
    uint32_t posts;         /* planes that want PostMultiPlaneOverlayPresent ... */
    uint64_t post_ids[DXGK_PLANES_MAX]; /* ... for this flip, on that target */
    D3DDDI_VIDEO_PRESENT_TARGET_ID post_targets[DXGK_PLANES_MAX];
};

/* The layer is one that there can be. */
static inline void dxgk_planes_want_post(struct dxgk_source *source, UINT layer, uint64_t id)
{
    source->layers->posts |= 1u << layer;
    source->layers->post_ids[layer] = id;
    source->layers->post_targets[layer] = source->target;
}

static inline struct dxgk_allocation *dxgk_plane_allocation(const struct dxgk_plane *plane)
{
    return plane->opening ? plane->opening->allocation : NULL;
}

/* In the form of WDDM 2.0, and of 1.3: what those have besides is as for a plain picture. */
DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES2
dxgk_plane_second(const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 *attributes);
DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES
dxgk_plane_first(const DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 *attributes);

/* False: no memory, and there is nothing to end. */
bool dxgk_planes_words_init(struct dxgk_planes_words *words, enum dxgk_planes_form form,
                            UINT count);
void dxgk_planes_words_fini(struct dxgk_planes_words *words); /* accepts zeros */

#endif

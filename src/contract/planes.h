/* Overlay planes: what the tracker keeps of them, and the calls of all their forms in one:
 * track_planes.c; and overlays. tracker.h opens this. */
#ifndef CONTRACT_PLANES_H
#define CONTRACT_PLANES_H

#include "contract/contract.h"

#define CONTRACT_PLANES_MAX       8
#define CONTRACT_PLANE_PLACES_MAX 8u
#define CONTRACT_PLANE_IDS_MAX    32u
#define CONTRACT_POSTS_MAX        32u

struct contract_source;

/* A plane of a source. */
struct contract_plane {
    uint64_t asked; /* the PresentId of the last call; in an older form 1, since there was one */
    unsigned id_count;
    uint64_t ids[CONTRACT_PLANE_IDS_MAX]; /* PresentIds of the newest calls, in a ring */
    bool on;                              /* as the last call has it */
    bool awaited;                         /* a vertical sync is to tell it */
    unsigned waited;                      /* notices of planes since then, none of which did */
    const DXGK_FLIPQUEUE_LOG_ENTRY *log;  /* of a driver that queues flips; NULL: none */
    UINT log_count;                       /* of its entries */
    uint64_t target;                      /* TargetFlipTime of the last flip since it has that */
    uint64_t queued; /* its PresentId, until somebody asks the driver to take it back; 0: none */
    /* Of the older forms: the newest addresses it was given, in a ring. */
    unsigned place_count;
    uint64_t places[CONTRACT_PLANE_PLACES_MAX];
};

/* A PostMultiPlaneOverlayPresent that the driver asked for. */
struct contract_post {
    bool wanted;
    UINT layer;
    uint64_t present_id;
    bool target_known; /* by a vertical sync */
    UINT target;
};

struct contract_planes {
    bool supported; /* the last answer of CheckMultiPlaneOverlaySupport */
    unsigned post_count;
    struct contract_post posts[CONTRACT_POSTS_MAX]; /* the newest, in a ring */
    /* What the call in hand was given, for after it: of the form of WDDM 2.1. */
    const DXGK_MULTIPLANE_OVERLAY_PLANE3 *given[CONTRACT_PLANES_MAX];
    /* ... and of CancelFlips, whose elements the driver writes to. */
    const DXGK_CANCELFLIPS_PLANE *cancelled[CONTRACT_PLANES_MAX];
    UINT cancel_layers[CONTRACT_PLANES_MAX];
    uint64_t cancel_first[CONTRACT_PLANES_MAX];
};

/* A call of SetVidPnSourceAddressWithMultiPlaneOverlay, whatever its form. */
struct contract_planes_call {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID source;
    UINT count;
    bool third; /* of the form of WDDM 2.1 */
};

/* One plane in it. */
struct contract_plane_given {
    UINT layer;
    bool on;
    uint64_t present_id; /* third form */
    HANDLE allocation;
    UINT segment;
    uint64_t address;
};

/* One that a vertical sync tells of. */
struct contract_plane_told {
    UINT layer;
    bool on; /* older forms, as the address is */
    uint64_t address;
    uint64_t present_id; /* third form */
    bool wants_post;
};

struct contract_planes_call contract_planes_of(const struct contract_call *call);
struct contract_plane_given contract_plane_given(const struct contract_call *call, UINT i);

/* Of a CbNotifyInterrupt: is it a vertical sync of planes, in the form of WDDM 2.1 or in the one
 * before? */
bool contract_tells_planes(const struct contract_call *call);
bool contract_tells_old_planes(const struct contract_call *call);
/* Is it one of a driver that queues flips? It tells where their logs end. */
bool contract_tells_flip_queue(const struct contract_call *call);
/* As many as the driver says, and those of them that may be looked at: none, if it cannot be so
 * many. */
UINT contract_planes_said(const struct contract_call *call);
UINT contract_planes_told(const struct contract_call *call);
struct contract_plane_told contract_plane_told(const struct contract_call *call, UINT i);

void track_planes(struct contract_call *call);
void track_planes_answer(struct contract_call *call);
void track_planes_asked(struct contract_call *call);
void track_planes_posted(struct contract_call *call);
void track_notify_planes(struct contract_call *call);
void track_flip_log(struct contract_call *call);
void track_cancel_flips(struct contract_call *call);
void track_cancel_queued_flips(struct contract_call *call);
bool contract_queues_flips(const struct contract_call *call);
/* Was it given the PresentId; and could it have been, as far as is remembered? */
bool contract_plane_has_id(const struct contract_plane *plane, uint64_t id);
bool contract_plane_was_asked(const struct contract_plane *plane, uint64_t id);
/* NULL: the driver did not ask for it, or got it. */
struct contract_post *contract_post_wanted(struct contract_tracker *tracker,
                                           const DXGKARG_POSTMULTIPLANEOVERLAYPRESENT *asked);
/* No flip of its planes is awaited any more. */
void track_forget_planes(struct contract_source *source);

/* Overlays of WDDM 1.x: track_overlays.c. */
void track_create_overlay(struct contract_call *call);
void track_destroy_overlay(struct contract_call *call);
unsigned contract_overlay_count(const struct contract_tracker *tracker); /* that live */

#endif

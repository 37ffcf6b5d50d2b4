/* clone_parts.h: what clone.c, clone_scaled.c and clone_stereo.c share. */
#ifndef DXGK_CLONE_PARTS_H
#define DXGK_CLONE_PARTS_H

#include "dxgk/internal.h"

/* Of who has the changes of all sources in hand, for as long as it lasts. */
struct cloning {
    struct dxgk_adapter *adapter;
    struct dxgk_source *source;    /* it gets a second target */
    struct dxgk_source *other;     /* the one that is shown there now; NULL: none */
    UINT first, second;            /* targets */
    bool other_was_visible;        /* and is again */
    bool scaled;                   /* wanted, and then what was agreed on */
    uint64_t second_seen;          /* on the second target, beside `kept` */
    bool second_known;             /* and it was right, and not black */
    struct dxgk_screens_kept kept; /* what the monitors showed before */
    /* Another primary of its size, to flip to; NULL: none. */
    struct dxgk_allocation *next;
    struct dxgk_context *context; /* of its owner, held by a reference */
    struct vidmm_pin pin;
};

/* A reset, or the end of the device, came since the screens were kept. */
bool dxgk_clone_is_disturbed(const struct cloning *cloning);
/* Returns when a vertical sync said that it is shown, or after some time. */
void dxgk_clone_flip_to(struct cloning *cloning, struct dxgk_allocation *allocation,
                        const struct vidmm_pin *pin, DXGK_SETVIDPNSOURCEADDRESS_FLAGS flags);

/* clone_scaled.c: of two paths of which one is scaled. Does its target show the picture of the
 * other one [SHOW-013]; and is that of the second gone while it is hidden? The last may switch. */
bool dxgk_clone_differs(const struct cloning *cloning);
bool dxgk_clone_shows(struct dxgk_source *source, UINT second, struct dxgk_screen_wrong *wrong);
bool dxgk_clone_judge_scaled(struct dxgk_source *source, UINT second);
void dxgk_clone_exam_scaled(const struct cloning *cloning);

/* clone_stereo.c; may switch. */
void dxgk_clone_examine_stereo(struct cloning *cloning);

#endif

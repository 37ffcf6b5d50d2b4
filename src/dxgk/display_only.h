/* display_only.h: frames that the kernel composed, for a driver that has a display and nothing
 * else. See display_only.c. */
#ifndef DXGK_DISPLAY_ONLY_H
#define DXGK_DISPLAY_ONLY_H

#include "dxgk/internal.h"

NTSTATUS dxgk_composed_start(struct dxgk_source *source);
void dxgk_composed_stop(struct dxgk_source *source);
void dxgk_composed_forget(struct dxgk_source *source); /* the next frame is presented whole */
void dxgk_composed_light(struct dxgk_source *source);  /* after a sleep; the change is in hand */
void dxgk_composed_show(struct dxgk_source *source);   /* the same where the mode is set already */
/* The driver was told that the source is not seen any more: is its frame? May switch. */
void dxgk_composed_judge_hidden(struct dxgk_source *source);
/* At device level, and in the DPC that follows. */
void dxgk_composed_notice(struct dxgk_adapter *adapter,
                          const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data);
void dxgk_composed_dpc(struct dxgk_adapter *adapter);

/* display_turn.c: a turned path has the picture of the mode, who looks at it another: upright for
 * him, of this size. */
struct dxgk_size {
    unsigned width, height;
};
struct dxgk_size dxgk_upright_size(const struct dxgk_source *source);
/* From there to what is scanned out. */
POINT dxgk_turn_point(const struct dxgk_source *source, POINT upright);
RECT dxgk_turn_rect(const struct dxgk_source *source, const RECT *upright);
D3DKMT_MOVE_RECT dxgk_turn_move(const struct dxgk_source *source, const D3DKMT_MOVE_RECT *upright);

#endif

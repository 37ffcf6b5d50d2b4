/* echo.c: commands that a driver wrote for a Present, as a client's. */
#ifndef DXGK_ECHO_H
#define DXGK_ECHO_H

#include "dxgk/internal.h"

struct dxgk_commands;
struct dxgk_dma;

/* What a call made, with zeros for addresses and offsets from the first pass's begin. */
struct dxgk_collected {
    uint8_t *bytes;
    D3DDDI_PATCHLOCATIONLIST *patches;
    size_t size, room, patch_count, patch_room;
    unsigned passes;
    bool full; /* there was more */
};
void dxgk_echo_init(void);
void dxgk_echo_forget(void); /* what was learned in a run before */
void dxgk_echo_keep(const struct dxgk_dma *dma);
UINT dxgk_echo_take(uint8_t *bytes, UINT room); /* their size; 0: there are none that fit */
void dxgk_collect(struct dxgk_collected *collected, const struct dxgk_dma *dma);
/* Commands as the driver of the context expects them, as far as that shows; for nt_memory_free().
 * Between begin and end of passes. NULL: none. */
void *dxgk_echo_learned(struct dxgk_context *context, UINT listed, UINT *size);
/* Good commands, more of them than a DMA buffer holds; between begin and end of passes. */
void dxgk_render_repeated(struct dxgk_context *context, const struct dxgk_commands *good);
void dxgk_echo_repeat_again(void); /* of a run's few times one more, in a smaller context */

#endif

/* Room in paging buffers: how much operations take, and what leaves them less (full-paging);
 * paging_buffers.c, paging_fill.c. */
#ifndef DXGK_PAGING_ROOM_H
#define DXGK_PAGING_ROOM_H

#include "dxgk/work.h"

/* What a call that built an operation as a whole wrote, without errors. */
void dxgk_paging_note_size(struct dxgk_adapter *adapter, const struct paging_operation *operation,
                           NTSTATUS status, UINT bytes);
/* A part of so many bytes is in the buffer. */
void dxgk_paging_note_part(struct dxgk_adapter *adapter, UINT bytes);
/* Is the operation asked for once more, in the same buffer? The last time there is no room for it,
 * or for a part alone; or it is left to the next operation to find so little room. */
bool dxgk_paging_fills_up(struct dxgk_adapter *adapter, struct paging_operation *operation,
                          UINT bytes);
/* Before an operation is built: true, if something goes before it, up to there, so that it has less
 * room than it is usually written in. */
bool dxgk_paging_leave_little(struct dxgk_adapter *adapter, struct paging_operation *operation,
                              UINT *end, UINT *private_end);
/* Room that some operation finds too little. */
UINT dxgk_paging_little_rest(const struct dxgk_adapter *adapter);

#endif

/* Looks at what the driver made, and keeps what is odd for dxgk_adapter_clue(). */
#ifndef DXGK_CLUE_H
#define DXGK_CLUE_H

#include "dxgk/internal.h"

struct dxgk_packet;

void dxgk_clue_produced(struct dxgk_packet *packet); /* by Render or Present */
void dxgk_clue_patched(struct dxgk_packet *packet);
void dxgk_clue_refused(struct dxgk_adapter *adapter, const DXGK_ALLOCATIONINFO *info);
/* The same, of one that a client has memory for. */
void dxgk_clue_existing(struct dxgk_adapter *adapter, const DXGK_ALLOCATIONINFO *info);
void dxgk_clue_lock_fails(const struct dxgk_allocation *allocation);
void dxgk_clue_not_listed(const struct dxgk_allocation *allocation);
void dxgk_clue_not_in_list(const struct dxgk_allocation *allocation, UINT element);
void dxgk_clue_preempted(const struct dxgk_packet *packet); /* often, and it is complete */
/* Its commands, which the device is given now; and whether it read them, when it is over. */
void dxgk_clue_given(const struct dxgk_packet *packet, const DXGKARG_SUBMITCOMMAND *arguments);
void dxgk_clue_ended(const struct dxgk_packet *packet, bool complete);
/* A page fault in memory that the driver made for a context. */
void dxgk_clue_context_memory(struct dxgk_adapter *adapter, const struct dxgk_fault *fault,
                              bool writable);
/* Of a node that has done nothing since it was set up: by which call; else nothing. */
void dxgk_clue_of_begin(const struct dxgk_adapter *adapter, unsigned node, char *text, size_t size);
void dxgk_clue_nothing(struct dxgk_adapter *adapter, bool present); /* was produced */

#endif

/* page_fault.h: what drivers tell of page faults, of packets and of hardware queues. */
#ifndef DXGK_PAGE_FAULT_H
#define DXGK_PAGE_FAULT_H

#include "dxgk/internal.h"

/* At device level, of a node that is heard: what was told is kept, and the node noted. */
void dxgk_fault_of_packet(struct dxgk_adapter *adapter,
                          const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data);
void dxgk_fault_of_queue(struct dxgk_adapter *adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data);
/* In the DPC: whose it was. False: nothing is done about it until the node is late, for it is of
 * nobody's queue, or of the system's and without an address, which is of commands that the device
 * cannot do. */
bool dxgk_fault_note(struct dxgk_adapter *adapter, unsigned node);
/* On the worker: a node whose fault was of a client's is reset alone. False: it was another, its
 * driver asks for more, or that cannot be. */
bool dxgk_fault_reset_alone(struct dxgk_adapter *adapter, unsigned node);
/* The node's latest fault was of a client's packet, and of the one with this fence. */
bool dxgk_fault_is_at(const struct dxgk_adapter *adapter, unsigned node, uint32_t fence);
/* On the worker, before its reset: what the driver counts as complete now [INT-015]. */
void dxgk_fault_ask(struct dxgk_adapter *adapter, unsigned node);
/* Of a node that told again and again of faults of nobody's, this one before others: no device is
 * lost for them, and whose they are submits again. Or "". */
void dxgk_nameless_text(const struct dxgk_adapter *adapter, unsigned node, char *text, size_t size);
/* engine_reset.c: as dxgk_engine_reset(), of an engine that stands still since. */
bool dxgk_engine_reset_faulted(struct dxgk_adapter *adapter, unsigned node);

#endif

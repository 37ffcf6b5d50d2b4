/* The driver's power components: part of internal.h, which includes this. */
#ifndef DXGK_COMPONENTS_H
#define DXGK_COMPONENTS_H

#include "dxgk/internal.h"

/* components.c. Those that may switch are for PASSIVE_LEVEL. */
/* The second: TransitionTo_F0_OnDx. */
enum dxgk_component_set { DXGK_COMPONENTS_ALL, DXGK_COMPONENTS_ON_DX, DXGK_COMPONENTS_SCREENS };
NTSTATUS dxgk_components_ask(struct dxgk_adapter *adapter, struct dxgk_failure *failure);
void dxgk_components_free(struct dxgk_adapter *adapter);
/* The node's engine is on from here until it is given back, or the node has work. May switch. */
void dxgk_components_take(struct dxgk_adapter *adapter, unsigned node);
void dxgk_components_give(struct dxgk_adapter *adapter, unsigned node);
/* keep: until they are let go. May switch. */
void dxgk_components_bring_on(struct dxgk_adapter *adapter, enum dxgk_component_set set, bool keep);
void dxgk_components_let_go(struct dxgk_adapter *adapter, enum dxgk_component_set set);
/* The monitors are at rest, or about to be seen: all of theirs are on then. May switch. */
void dxgk_components_dark(struct dxgk_adapter *adapter, bool dark);
/* All are on, and stay so; no thread is left in the driver or on its way there. May switch. */
void dxgk_components_end(struct dxgk_adapter *adapter);
/* A packet of the node completed; something is not needed any more. Any context. */
void dxgk_components_work_ended(struct dxgk_adapter *adapter, unsigned node);
void dxgk_components_rest_soon(struct dxgk_adapter *adapter);
/* "; it is the first since ..." of work that fails; or nothing. */
void dxgk_components_clue(const struct dxgk_adapter *adapter, unsigned node, char *clue,
                          size_t size);
void dxgk_components_work(struct dxgk_adapter *adapter); /* on the worker. May switch. */
void dxgk_component_active(struct ddi_adapter *ddi, UINT index, bool inside);
void dxgk_component_idle(struct ddi_adapter *ddi, UINT index);
void dxgk_component_completed(struct ddi_adapter *ddi, UINT index);

#endif

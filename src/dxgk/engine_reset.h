/* Nodes that are reset alone. */
#ifndef DXGK_ENGINE_RESET_H
#define DXGK_ENGINE_RESET_H

#include <stdbool.h>
#include <stdint.h>

struct dxgk_adapter;
struct dxgk_packet;

/* What a packet was beside, on the hardware, when another node was reset alone. */
struct dxgk_beside {
    unsigned reset_of; /* from 1; 0: nothing of the kind */
    uint64_t when_ns;
    uint64_t
        submitted_ns; /* that it was on the hardware since: of another submission it says nothing */
    bool taken_back_late; /* when its time was over, and asked to stop, not ended by a reset */
};

/* engine_reset.c: the worker's. */
bool dxgk_engines_can_be_reset(const struct dxgk_adapter *adapter);
/* False: the adapter is to be reset. */
bool dxgk_engine_reset(struct dxgk_adapter *adapter, unsigned node);
/* Asks how the node gets on, if the driver can tell. */
void dxgk_engine_ask(struct dxgk_adapter *adapter, unsigned node);
/* A time-out of it that is nobody else's: has it done anything since it was reset? True: that was
 * told. */
bool dxgk_engine_judge_start(struct dxgk_adapter *adapter, unsigned node);
/* The node's packets are asked to stop since their time is over. */
void dxgk_engine_late(struct dxgk_adapter *adapter, unsigned node);
/* One is given to the hardware, or given again. */
void dxgk_engine_submits(struct dxgk_packet *packet);
/* The whole adapter begins anew: what is given again now, that took back. */
void dxgk_engine_forget_neighbours(struct dxgk_adapter *adapter);
/* One has completed: had it been lost when another node was reset? */
void dxgk_engine_judge_neighbour(const struct dxgk_packet *packet);

#endif

/* All doorbells of an adapter: who has to leave, and the worker that brings it about; see
 * doorbell.h. */
#include "dxgk/doorbell_parts.h"

static struct dxgk_doorbell *doorbell_of(struct dxgk_life *life)
{
    return life->kind == DXGK_KIND_HW_QUEUE
               ? dxgk_hwqueue_of(container_of(life, struct dxgk_context, life))->doorbell
               : NULL;
}

/* Answers whether it is one that is to leave. */
typedef bool chooses_fn(struct dxgk_doorbell *doorbell, const void *argument);

static void leave_chosen(struct dxgk_adapter *adapter, chooses_fn *chooses, const void *argument)
{
    bool any = false;

    list_for_each (outer, &adapter->devices) {
        struct dxgk_device *device = container_of(outer, struct dxgk_device, life.link);
        list_for_each (link, &device->contexts) {
            struct dxgk_doorbell *doorbell =
                doorbell_of(container_of(link, struct dxgk_life, link));
            if (doorbell && doorbell->session && chooses(doorbell, argument)) {
                doorbell->leaving = any = true;
            }
        }
    }
    if (any) {
        adapter->doorbells.wanted = true;
        dxgk_worker_kick(adapter);
    }
}

static bool is_of_node(struct dxgk_doorbell *doorbell, const void *node)
{
    return *(const unsigned *)node == DXGK_ANY_NODE ||
           *(const unsigned *)node == doorbell->queue->base.node;
}

static bool is_of_device(struct dxgk_doorbell *doorbell, const void *device)
{
    return doorbell->queue->base.device == device;
}

static bool keeps(struct dxgk_doorbell *doorbell, const void *use)
{
    return use == &doorbell->session->use || use == &doorbell->session->state_use ||
           use == &doorbell->session->fence_use;
}

/* Has had nothing to do since the node was looked at before. */
static bool has_idled(struct dxgk_doorbell *doorbell, const void *node)
{
    bool of_node = is_of_node(doorbell, node), idled = of_node && doorbell->idle_before;

    if (of_node) {
        doorbell->idle_before = dxgk_doorbell_is_done(doorbell);
    }
    return idled && doorbell->idle_before;
}

void dxgk_doorbells_leave(struct dxgk_adapter *adapter, unsigned node)
{
    if (adapter->doorbells.size > 0) {
        leave_chosen(adapter, is_of_node, &node);
    }
}

void dxgk_device_doorbells_leave(struct dxgk_device *device)
{
    leave_chosen(device->adapter, is_of_device, device);
}

void dxgk_doorbells_leave_use(struct dxgk_adapter *adapter, const struct vidmm_use *use)
{
    if (adapter->doorbells.size > 0 && use) {
        leave_chosen(adapter, keeps, use);
    }
}

void dxgk_device_doorbells_abort(struct dxgk_device *device)
{
    list_for_each (link, &device->contexts) {
        struct dxgk_doorbell *doorbell = doorbell_of(container_of(link, struct dxgk_life, link));
        if (doorbell) {
            doorbell->reached =
                dxgk_doorbell_reached(doorbell); /* before the fence is overwritten */
            dxgk_doorbell_let_go(doorbell, D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT);
            device->adapter->doorbells.wanted = true;
        }
    }
    if (device->adapter->doorbells.wanted) {
        dxgk_worker_kick(device->adapter);
    }
}

void dxgk_doorbells_look(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; adapter->doorbells.size > 0 && i < adapter->node_count; i++) {
        (void)dxgk_hwqueues_look(adapter, i);
    }
}

void dxgk_doorbells_look_late(struct dxgk_adapter *adapter, unsigned node)
{
    if (adapter->doorbells.size > 0) {
        leave_chosen(adapter, has_idled, &node);
    }
}

/* Not while a call is under way: who ends it asks again. */
static void work_on(struct dxgk_doorbell *doorbell)
{
    struct dxgk_adapter *adapter = doorbell->queue->base.device->adapter;
    bool leaves = doorbell->leaving || doorbell->aborted;

    if (doorbell->calling || !doorbell->created) {
        return;
    }
    if (leaves && (doorbell->attached || doorbell->connected) &&
        adapter->state == DXGK_ADAPTER_RUNNING) {
        life_get(&doorbell->life);
        dxgk_doorbell_detach(doorbell);
        life_put(&doorbell->life);
        return;
    }
    if (leaves && !dxgk_adapter_has_hardware(adapter)) {
        doorbell->attached = false;
    }
    dxgk_doorbell_settle(doorbell);
}

static void rest_nodes(struct dxgk_adapter *adapter)
{
    uint64_t nodes = adapter->doorbells.rest_nodes;

    adapter->doorbells.rest_nodes = 0;
    for (unsigned i = 0; i < adapter->node_count; i++) {
        if (nodes >> i & 1) {
            dxgk_doorbells_leave(adapter, i);
        }
    }
}

void dxgk_doorbells_work(struct dxgk_adapter *adapter)
{
    rest_nodes(adapter);
    if (!adapter->doorbells.wanted) {
        return;
    }
    adapter->doorbells.wanted = false;
    for_each_life(outer, &adapter->devices)
    {
        struct dxgk_device *device = container_of(outer, struct dxgk_device, life);
        for_each_life(life, &device->contexts)
        {
            struct dxgk_doorbell *doorbell = doorbell_of(life);
            if (doorbell) {
                work_on(doorbell);
            }
        }
    }
}

/* A rest is the kernel's to arrange; that an engine hangs its time limit tells, too. */
void dxgk_engine_state_notice(struct dxgk_adapter *adapter,
                              const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    unsigned node = data->EngineStateChange.NodeOrdinal;

    if (adapter->state != DXGK_ADAPTER_STOPPED && node < adapter->node_count &&
        data->EngineStateChange.NewState == DXGK_ENGINE_STATE_TRANSITION_TO_F1) {
        adapter->doorbells.rest_nodes |= UINT64_C(1) << node;
        dxgk_worker_kick(adapter);
    }
}

/* Plugs that move right before SetPowerState to D3, or StopDevice, and at a moment in the middle of
 * them: the driver has waited until no DPC is queued, and somebody moves a plug before it goes on.
 * Who has shut the device's interrupts before it waited hears nothing of that; who has not has
 * another DPC to wait for. */
#include "dxgk/work.h"
#include "machine/held.h"

#define SERVED_NS        (300 * NS_PER_US) /* until an interrupt was served, also a late one */
#define INTERRUPTS_NEVER 1000u             /* that many do not come */

/* Of the one call in which the device is put to rest; one at a time is. */
static struct {
    struct dxgk_adapter *adapter; /* NULL: none */
    const struct task *task;
    bool holds; /* the DPC that comes of it is late */
} moment;

void dxgk_plug_move(struct dxgk_adapter *adapter)
{
    if (pci_set_monitor(adapter->ddi.slot, 0, false)) {
        pci_set_monitor(adapter->ddi.slot, 0, true);
    }
}

/* The interrupt is served, and the DPC is late. */
void dxgk_plug_move_at_last(struct dxgk_adapter *adapter)
{
    dpc_hold_for_interrupts(INTERRUPTS_NEVER);
    dxgk_plug_move(adapter);
    task_block(machine_now_ns() + SERVED_NS);
    dpc_hold_forget();
}

void dxgk_moment_begin(struct dxgk_adapter *adapter, bool holds)
{
    moment.adapter = adapter;
    moment.task = task_self();
    moment.holds = holds;
}

void dxgk_moment_end(void)
{
    moment.adapter = NULL;
}

void dxgk_moment(void)
{
    struct dxgk_adapter *adapter = moment.adapter;

    if (!adapter || moment.task != task_self() || adapter->presence != DXGK_THERE) {
        return;
    }
    moment.adapter = NULL;
    if (moment.holds) {
        dxgk_plug_move_at_last(adapter);
    } else {
        dxgk_plug_move(adapter);
        task_block(machine_now_ns() + SERVED_NS);
    }
}

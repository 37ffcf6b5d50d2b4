/* A device that is pulled out while clients work with it.
 *
 *   the host waits for the n-th submission, which may wait for it ──> the device is gone: reads
 *   give ones, writes are lost, nothing comes of it ─> NotifySurpriseRemoval, at once ─> others
 *   submit until its thread is back [PNP-009: level zero] ─> the worker waits for who is inside,
 *   answers what was queued, loses the devices (dxgk_answer_removal) ─> clients clean up, and the
 *   host stops the adapter as ever, and starts it anew */
#include "dxgk/dark.h"
#include "dxgk/work.h"

#define RETURN_NS    (2 * NS_PER_MS) /* until the thread that told the driver is back */
#define LATE_NS      (1 * NS_PER_MS) /* that a submission waits at most */
#define LATE_STEP_NS 5000

/* The cap of the removal while a device runs came with WDDM 2.0; before, and by the page of the DDI
 * still, one cap speaks of both kinds. */
bool dxgk_adapter_stands_removal(const struct dxgk_adapter *adapter)
{
    bool says =
        adapter->caps.SupportSurpriseRemoval ||
        (adapter->features.one_removal_cap && adapter->caps.SupportSurpriseRemovalInHibernation);

    return says && ddi_has(&adapter->ddi, POINT_NotifySurpriseRemoval);
}

bool dxgk_adapter_is_removed(const struct dxgk_adapter *adapter)
{
    return adapter->presence >= DXGK_TOLD;
}

bool dxgk_adapter_is_missing(const struct dxgk_adapter *adapter)
{
    return adapter->presence != DXGK_THERE;
}

void dxgk_adapter_wake_at(struct dxgk_adapter *adapter, unsigned submission)
{
    adapter->awaited.waiter = submission ? task_self() : NULL;
    adapter->awaited.submissions_left = submission;
}

/* Its thread comes to the driver when the other one has told of the removal, and goes on: nobody
 * knows of it who is not in the driver. */
void dxgk_removal_submits(struct dxgk_adapter *adapter)
{
    uint64_t until_ns = machine_now_ns() + LATE_NS;

    if (adapter->awaited.submissions_left != 1 || vary_below(VARY_PULLED_OUT, 3) == 0) {
        return;
    }
    adapter->awaited.submissions_left = 0;
    task_wake(adapter->awaited.waiter);
    while (adapter->presence < DXGK_TOLD && machine_now_ns() < until_ns) {
        task_block(machine_now_ns() + LATE_STEP_NS);
    }
}

void dxgk_removal_submitted(struct dxgk_adapter *adapter)
{
    if (adapter->awaited.submissions_left && --adapter->awaited.submissions_left == 0) {
        task_wake(adapter->awaited.waiter);
    }
}

bool dxgk_adapter_awaits(const struct dxgk_adapter *adapter)
{
    return adapter->awaited.submissions_left > 0;
}

bool dxgk_adapter_is_left_alone(const struct dxgk_adapter *adapter)
{
    return adapter->ddi.threads_inside == 0 && cpu_all_calm();
}

void dxgk_leaves_at(struct dxgk_adapter *adapter, unsigned access)
{
    contract_device_goes_missing(adapter->ddi.tracker);
    pci_leave_at(adapter->ddi.slot, access);
}

void dxgk_is_gone(struct dxgk_adapter *adapter)
{
    pci_leave_at(adapter->ddi.slot, 0);
    adapter->presence = DXGK_MISSING;
    pci_surprise_remove(adapter->ddi.slot);
}

/* The device is gone. A driver that does not say that it can is not told [PNP-009]. */
NTSTATUS dxgk_removal_is_told(struct dxgk_adapter *adapter, DXGK_SURPRISE_REMOVAL_TYPE type)
{
    NTSTATUS status = STATUS_NOT_SUPPORTED;

    if (adapter->caps.SupportSurpriseRemovalInHibernation || adapter->caps.SupportSurpriseRemoval) {
        status = ddi_notify_surprise_removal(&adapter->ddi, type);
    }
    adapter->presence = DXGK_TOLD;
    interrupt_vary_shared(1); /* the line may be another device's, too, which is there still */
    if (vary_on(VARY_PULLED_OUT)) {
        task_block(machine_now_ns() + vary_below(VARY_PULLED_OUT, RETURN_NS));
    }
    adapter->presence = DXGK_KNOWN;
    dxgk_worker_kick(adapter);
    while (adapter->presence != DXGK_ANSWERED) {
        wait_queue_wait(&adapter->idle_changed, MACHINE_NEVER);
    }
    return status;
}

NTSTATUS dxgk_adapter_surprise_remove(struct dxgk_adapter *adapter)
{
    dxgk_wait_power(adapter);
    dxgk_still_end(adapter);
    dxgk_leaves_at(adapter, 0);
    dxgk_is_gone(adapter);
    NTSTATUS status = dxgk_removal_is_told(adapter, DxgkRemovalPnPNotify);
    if (NT_SUCCESS(status)) {
        dxgk_monitors_go_dark(adapter); /* [PNP-007] */
        if (vary_on(VARY_PULLED_OUT)) {
            dxgk_power_removed(adapter);
        }
    }
    return status;
}

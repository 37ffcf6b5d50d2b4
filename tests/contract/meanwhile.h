/* meanwhile.h: the IOMMU's domain is exchanged, and what happens beside it. */
#ifndef CONTRACT_MEANWHILE_H
#define CONTRACT_MEANWHILE_H

#include "dxgk/dxgk.h"
#include "machine/machine.h"

static inline void meanwhile_reset(struct machine_timer *timer)
{
    dxgk_adapter_force_reset(timer->context);
}

/* A reset that is asked for while the driver has exclusive access comes when it has no more. */
static inline NTSTATUS meanwhile_exchange(struct dxgk_adapter *adapter, bool with_reset,
                                          uint64_t patience_ns)
{
    uint64_t deadline_ns = machine_now_ns() + patience_ns;
    struct dxgk_totals before, after;
    struct machine_timer timer;

    if (!with_reset) {
        (void)dxgk_adapter_exchange_domain(adapter, deadline_ns);
        return STATUS_SUCCESS;
    }
    dxgk_adapter_totals(adapter, &before);
    (void)dxgk_adapter_wait_idle(adapter, deadline_ns);
    machine_timer_init(&timer, meanwhile_reset, adapter);
    machine_timer_set(&timer, machine_now_ns() + NS_PER_MS);
    bool exchanged = dxgk_adapter_exchange_domain(adapter, deadline_ns);
    dxgk_adapter_totals(adapter, &after);
    bool waited = after.resets == before.resets;
    while (after.resets == before.resets && machine_now_ns() < deadline_ns) {
        task_block(machine_now_ns() + NS_PER_MS);
        dxgk_adapter_totals(adapter, &after);
    }
    (void)machine_timer_cancel(&timer);
    return exchanged && waited && after.resets > before.resets ? STATUS_SUCCESS
                                                               : STATUS_UNSUCCESSFUL;
}

#endif

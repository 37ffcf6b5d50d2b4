/* The device gets another domain of the IOMMU, with the same mappings. While it does, what goes
 * over the bus may be translated wrongly: the driver keeps its device silent between
 * DxgkDdiBeginExclusiveAccess and DxgkDdiEndExclusiveAccess, and nobody asks it for anything. */
#include "dxgk/alone.h"
#include "dxgk/work.h"

#define EXCHANGE_NS (3 * NS_PER_MS) /* what goes on by itself shows in it */
#define POLL_NS     (NS_PER_MS / 10)

static bool takes_part(const struct dxgk_adapter *adapter)
{
    return adapter->caps.MemoryManagementCaps.IoMmuSecureModeSupported &&
           ddi_has(&adapter->ddi, POINT_BeginExclusiveAccess) &&
           ddi_has(&adapter->ddi, POINT_EndExclusiveAccess);
}

/* A preemption may be answered behind the last packet's end, and a fault comes before its reset. */
static bool is_quiet(struct dxgk_adapter *adapter)
{
    return dxgk_has_done_all(adapter) && !adapter->serves_faults;
}

static bool come_to_rest(struct dxgk_adapter *adapter, uint64_t deadline_ns)
{
    while (!is_quiet(adapter) && machine_now_ns() < deadline_ns) {
        task_block(machine_now_ns() + POLL_NS);
    }
    return is_quiet(adapter);
}

static void judge_silence(const struct dxgk_adapter *adapter, uint64_t before)
{
    uint64_t accesses = pci_dma_count(adapter->ddi.slot) - before;

    contract_count(RULE_PNP_011);
    if (accesses > 0) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(PNP_011),
                                                   .ddi = "DxgkDdiBeginExclusiveAccess",
                                                   .object = adapter->object},
                        "a device that neither reads nor writes system memory from the end of "
                        "BeginExclusiveAccess to EndExclusiveAccess",
                        "it went there %llu times in 3 ms, with nothing to do for anybody: what "
                        "it does by itself, as a log, a ring that it polls or a status that it "
                        "writes, was not stopped",
                        (unsigned long long)accesses);
    }
}

/* The door is closed to all others. */
static void exchange(struct dxgk_adapter *adapter)
{
    KERNEL_DUTY(PNP_010, adapter->ddi.threads_inside == 0 && is_quiet(adapter));
    if (!NT_SUCCESS(ddi_begin_exclusive_access(&adapter->ddi))) {
        return; /* the domain stays as it is */
    }
    uint64_t before = pci_dma_count(adapter->ddi.slot);
    task_block(machine_now_ns() + EXCHANGE_NS);
    if (adapter->presence < DXGK_TOLD) {
        judge_silence(adapter, before);
    }
    (void)ddi_end_exclusive_access(&adapter->ddi);
    record_count("iommu.domains_exchanged", 1);
}

bool dxgk_adapter_exchange_domain(struct dxgk_adapter *adapter, uint64_t deadline_ns)
{
    bool happened = false;

    if (!takes_part(adapter) || !dxgk_hold_clients(adapter, deadline_ns)) {
        return false;
    }
    if (come_to_rest(adapter, deadline_ns)) {
        /* Who was inside a call until then may have begun something. */
        happened = dxgk_close_door(adapter, deadline_ns) && is_quiet(adapter);
        if (happened) {
            exchange(adapter);
        }
        dxgk_open_door(adapter);
    }
    dxgk_let_clients_go();
    return happened;
}

/* Timeout detection and recovery of a whole adapter [contract/lifecycle (f)].
 *
 *   CollectDbgInfo(0x117) ─> freeze the scheduler ─> wait for threads to leave the driver
 *   ─> ResetFromTimeout ─> answer every packet on the hardware, lose their devices
 *   ─> clean-up paging calls (size-0 transfers, unmaps) ─> RestartFromTimeout ─> go on
 *
 * Runs on the worker. Packets of lost devices that never reached the hardware go through
 * CancelCommand [CANCEL-002]; everybody else's queued work goes on afterwards. */
#include "dxgk/internal.h"

#include <stdlib.h>
#include <string.h>

#define TDR_DDI_DELAY_NS (5 * NS_PER_S)
#define DEBUG_INFO_BYTES (64u << 10)

enum { BUGCHECK_VIDEO_TDR_FAILURE = 0x116, BUGCHECK_VIDEO_TDR_TIMEOUT = 0x117 };

static void collect_debug_information(struct dxgk_adapter *adapter)
{
    uint8_t *bytes = nt_memory_alloc(DEBUG_INFO_BYTES + CONTRACT_CANARY_BYTES, 0);
    const DXGKARG_COLLECTDBGINFO arguments = {
        .Reason = BUGCHECK_VIDEO_TDR_TIMEOUT, .pBuffer = bytes, .BufferSize = DEBUG_INFO_BYTES};

    if (bytes && ddi_has(&adapter->ddi, POINT_CollectDbgInfo)) {
        memset(bytes + DEBUG_INFO_BYTES, CONTRACT_CANARY, CONTRACT_CANARY_BYTES);
        ddi_collect_dbg_info(&adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
    }
    nt_memory_free(bytes);
}

/* What Windows answers with bug check 0x116. */
static void give_up(struct dxgk_adapter *adapter, enum contract_rule rule, const char *expected,
                    const char *actual)
{
    contract_breach(&(struct contract_finding){.rule = rule,
                                               .object = adapter->object,
                                               .bugcheck = BUGCHECK_VIDEO_TDR_FAILURE},
                    expected, "%s", actual);
}

/* Notices that came before the reset are answered by it. */
static void drop_notices(struct dxgk_adapter *adapter)
{
    adapter->notice_mask = adapter->fault_mask = 0;
    memset(adapter->notices, 0, sizeof adapter->notices);
}

/* Devices that used memory whose only copy was on the adapter cannot go on as if it were there. */
static void lose_emptied_devices(struct dxgk_adapter *adapter)
{
    for_each_life(life, &adapter->devices)
    {
        struct dxgk_device *device = container_of(life, struct dxgk_device, life);
        bool emptied = false;
        list_for_each (opening_link, &device->openings) {
            emptied |=
                container_of(opening_link, struct dxgk_opening, life.link)->allocation->memory.lost;
        }
        if (emptied) {
            dxgk_device_lose(device, D3DKMT_DEVICEEXECUTION_RESET);
        }
    }
}

/* The driver hears what it must forget: no GPU work comes of these calls [TDR-005, TDR-006]. */
static void clean_up(struct dxgk_adapter *adapter)
{
    dxgk_paging_reset(adapter);
    lose_emptied_devices(adapter);
}

static bool reset_hardware(struct dxgk_adapter *adapter)
{
    dpc_flush_all();
    NTSTATUS status = ddi_reset_from_timeout(&adapter->ddi, adapter->ddi.miniport_context, 0);
    return NT_SUCCESS(status);
}

void dxgk_reset(struct dxgk_adapter *adapter, unsigned node, struct dxgk_packet *packet)
{
    if (adapter->lost) {
        dxgk_answer_removed(adapter);
        return;
    }
    record_event(EVENT_RESET, adapter->object, 0, node);
    adapter->totals.resets++;
    adapter->resetting = true;
    adapter->guilty = packet ? packet->context->device : NULL;
    collect_debug_information(adapter);
    if (vidsch_reset_begin(&adapter->vidsch, machine_now_ns() + TDR_DDI_DELAY_NS) !=
            STATUS_SUCCESS ||
        !dxgk_paging_wait_outside(adapter, machine_now_ns() + TDR_DDI_DELAY_NS) ||
        !ddi_wait_drained(&adapter->ddi, machine_now_ns() + TDR_DDI_DELAY_NS)) {
        give_up(adapter, CONTRACT_JUDGES(TDR_008),
                "every thread leaves the driver within TdrDdiDelay",
                "a thread is still in the driver after 5 s");
        adapter->lost = true;
    } else if (!adapter->lost && vidsch_reset_is_one_too_many(&adapter->vidsch)) {
        give_up(adapter, CONTRACT_JUDGES(TDR_007), "at most 5 resets within 60 s", "one more");
        adapter->lost = true;
    }
    contract_count(RULE_TDR_008);
    contract_count(RULE_TDR_007);
    dxgk_display_end_flips(adapter);
    if (!adapter->lost && !reset_hardware(adapter)) {
        adapter->lost = true; /* the rules of the point ended the run [TDR-002] */
    }
    drop_notices(adapter);
    vidsch_reset_answer(&adapter->vidsch);
    clean_up(adapter);
    if (!adapter->lost &&
        !NT_SUCCESS(ddi_restart_from_timeout(&adapter->ddi, adapter->ddi.miniport_context, 0))) {
        adapter->lost = true;
    }
    adapter->resetting = false;
    vidsch_reset_end(&adapter->vidsch);
    dxgk_display_lose(adapter);
    record_event(EVENT_RESET, adapter->object, 1, node);
    dxgk_worker_kick(adapter);
}

void dxgk_answer_removed(struct dxgk_adapter *adapter)
{
    adapter->resetting = true;
    /* Nobody comes back late from a driver that was told: the deadline is for its threads. */
    if (vidsch_reset_begin(&adapter->vidsch, machine_now_ns() + TDR_DDI_DELAY_NS) !=
        STATUS_SUCCESS) {
        record_count("adapter.removal_with_threads", 1);
    }
    drop_notices(adapter);
    dxgk_display_end_flips(adapter);
    vidsch_reset_answer(&adapter->vidsch);
    clean_up(adapter);
    adapter->resetting = false;
    vidsch_reset_end(&adapter->vidsch);
    dxgk_display_lose(adapter);
}

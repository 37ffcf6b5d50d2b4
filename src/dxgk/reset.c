/* Timeout detection and recovery of a whole adapter [contract/lifecycle (f)], and its removal.
 *
 *   RESETTING  CollectDbgInfo(0x117) ─> freeze the scheduler
 *              ─> wait for threads to leave the driver ─> ResetFromTimeout
 *              ─> answer every packet on the hardware, lose their devices
 *              ─> every operation ends, every packet lets go of its memory, memory forgets
 *   CLEANING   clean-up paging calls (size-0 transfers, unmaps) ─> RestartFromTimeout
 *   RUNNING    go on; what was shown is shown again
 *
 * Runs on the worker, which is also the only one that builds paging buffers, pins for flips and
 * asks waiting packets: nothing of that is half done here. Packets of lost devices that never
 * reached the hardware go through CancelCommand [CANCEL-002]; everybody else's queued work is
 * prepared anew and goes on afterwards. */
#include "dxgk/context_memory.h"
#include "dxgk/host_aperture.h"
#include "dxgk/overlay.h"
#include "dxgk/page_fault.h"
#include "dxgk/ranges.h"
#include "dxgk/restored.h"
#include "dxgk/schedule_log.h"
#include "dxgk/submission.h"
#include "dxgk/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TDR_DDI_DELAY_NS  (5 * NS_PER_S)
#define DEBUG_INFO_BYTES  (64u << 10)
#define RESETS_HOPELESS   256
#define TDR_DELAY_LAST_NS (2 * NS_PER_S) /* the system's */
#define DEBUG_INFO_KEPT   16u
#define DEBUG_INFO_SIZES  10 /* smaller ones: 8 bytes, 16, 32 ... */

enum { BUGCHECK_VIDEO_TDR_FAILURE = 0x116 };

/* ---- Devices that are lost by it ----------------------------------------------------------- */

void dxgk_device_judge_loss(struct dxgk_device *device)
{
    unsigned author = device->process ? device->process->author : 0;

    device->marked |= device->misled || (author != 0 && author == device->adapter->lost_by);
}

void dxgk_device_lose_soon(struct dxgk_device *device, D3DKMT_DEVICEEXECUTION_STATE state)
{
    if (!device->loss_wanted) {
        dxgk_bystander_note(device, state);
        device->loss_wanted = state;
        dxgk_device_judge_loss(device);
        device->adapter->losses_wanted = true;
        dxgk_worker_kick(device->adapter);
    }
}

bool dxgk_device_is_lost(const struct dxgk_device *device)
{
    return device->lost || device->loss_wanted;
}

static struct dxgk_device *first_doomed(struct dxgk_adapter *adapter)
{
    list_for_each (link, &adapter->devices) {
        struct dxgk_device *device = container_of(link, struct dxgk_device, life.link);
        if (device->loss_wanted && !device->lost && device->process) {
            return device;
        }
    }
    return NULL;
}

/* Losing one may switch: each time the list is looked at anew. */
void dxgk_lose_doomed(struct dxgk_adapter *adapter)
{
    struct dxgk_device *device;

    while (adapter->losses_wanted) {
        adapter->losses_wanted = false;
        while ((device = first_doomed(adapter))) {
            life_get(&device->life);
            dxgk_device_lose(device, device->loss_wanted);
            life_put(&device->life);
        }
    }
}

/* Devices that used memory whose only copy was on the adapter cannot go on as if it were there. */
static void doom_emptied_devices(struct dxgk_adapter *adapter)
{
    list_for_each (link, &adapter->devices) {
        struct dxgk_device *device = container_of(link, struct dxgk_device, life.link);
        list_for_each (opening_link, &device->openings) {
            if (container_of(opening_link, struct dxgk_opening, life.link)
                    ->allocation->memory.lost) {
                dxgk_device_lose_soon(device, D3DKMT_DEVICEEXECUTION_RESET);
            }
        }
    }
}

/* ---- The steps ----------------------------------------------------------------------------- */

/* No page says how much there is for the driver: as much as BufferSize [TDR-010]. */
static SIZE_T debug_information_bytes(void)
{
    return vary_happens(VARY_ODD_QUESTIONS, 1)
               ? (SIZE_T)8 << vary_below(VARY_ODD_QUESTIONS, DEBUG_INFO_SIZES)
               : DEBUG_INFO_BYTES;
}

/* For the reader: files beside the report. */
static void keep_debug_information(const DXGKARG_COLLECTDBGINFO *collected)
{
    uint32_t kept = record_blobs_of(RECORD_BLOB_DEBUG);
    struct record_blob blob = {.kind = RECORD_BLOB_DEBUG,
                               .number = kept + 1,
                               .size = collected->BufferSize,
                               .reason = collected->Reason,
                               .bucket = collected->pExtension->BucketingKey,
                               .time_ns = machine_now_ns()};

    while (blob.size > 0 && ((const uint8_t *)collected->pBuffer)[blob.size - 1] == 0) {
        blob.size--;
    }
    if (kept < DEBUG_INFO_KEPT) {
        record_add_blob(&blob, collected->pBuffer);
    }
}

void dxgk_collect_debug_information(struct dxgk_adapter *adapter, ULONG reason)
{
    SIZE_T size = debug_information_bytes();
    uint8_t *bytes = nt_memory_hand(size, "pBuffer of CollectDbgInfo");
    DXGKARG_COLLECTDBGINFO_EXT *extension =
        nt_memory_hand(sizeof *extension, "pExtension of CollectDbgInfo");
    const DXGKARG_COLLECTDBGINFO arguments = {
        .Reason = reason, .pBuffer = bytes, .BufferSize = size, .pExtension = extension};

    if (bytes && extension && ddi_has(&adapter->ddi, POINT_CollectDbgInfo)) {
        contract_canary_write(bytes + size);
        ddi_collect_dbg_info(&adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
        keep_debug_information(&arguments);
    }
    nt_memory_free(extension);
    nt_memory_free(bytes);
}

/* A number of resets says nothing of the driver where a delay is as short as honest work takes. */
#define TDR_DELAY_WORK_NS (50 * NS_PER_MS)

static bool counts_resets(const struct dxgk_adapter *adapter)
{
    return !adapter->options.tdr_delay_ns || adapter->options.tdr_delay_ns >= TDR_DELAY_WORK_NS;
}

/* With a time-out that is too short for a packet nothing would ever end: from then on it is the
 * system's. */
static void stretch_time_out(struct dxgk_adapter *adapter)
{
    char note[160];

    if (counts_resets(adapter) || adapter->vidsch.reset_count != RESETS_HOPELESS) {
        return;
    }
    vidsch_take_delay(&adapter->vidsch, TDR_DELAY_LAST_NS);
    snprintf(note, sizeof note,
             "after %u resets a time-out of %llu us was given up: from there on it was 2 s",
             RESETS_HOPELESS, (unsigned long long)(adapter->options.tdr_delay_ns / 1000));
    record_note(note);
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

static void give_up_resets(struct dxgk_adapter *adapter, unsigned node)
{
    char actual[DXGK_TIMEOUT_MAX + 512], nameless[256];

    dxgk_nameless_text(adapter, node, nameless, sizeof nameless);
    snprintf(actual, sizeof actual, "one more, %s%s%s%s", adapter->timeout,
             adapter->dead_after ? "; earlier nothing at all was completed after " : "",
             adapter->dead_after ? adapter->dead_after : "", nameless);
    give_up(adapter, CONTRACT_JUDGES(TDR_007), "at most 5 resets within 60 s", actual);
}

/* A GPU that hangs, and a driver that cannot bring it back. */
static bool can_be_reset(struct dxgk_adapter *adapter)
{
    if (!ddi_has(&adapter->ddi, POINT_ResetFromTimeout)) {
        give_up(adapter, CONTRACT_JUDGES(TDR_002), "a GPU that hangs is reset",
                "DxgkDdiResetFromTimeout is not registered");
        return false;
    }
    if (!ddi_has(&adapter->ddi, POINT_RestartFromTimeout)) {
        give_up(adapter, CONTRACT_JUDGES(TDR_009), "a GPU that was reset is started again",
                "DxgkDdiRestartFromTimeout is not registered");
        return false;
    }
    return true;
}

static void give_up_stuck(struct dxgk_adapter *adapter)
{
    char actual[160];

    dxgk_reset_stuck(adapter, actual, sizeof actual);
    give_up(adapter, CONTRACT_JUDGES(TDR_008), "every thread leaves the driver within TdrDdiDelay",
            actual);
}

/* False: it is beyond repair, or gone. counts: it is one of those that may not be too many. */
static bool reset_hardware(struct dxgk_adapter *adapter, unsigned node, bool counts)
{
    bool stopped = dxgk_reset_stop(adapter, TDR_DDI_DELAY_NS);
    bool too_often = counts && vidsch_reset_counts(&adapter->vidsch) && counts_resets(adapter);

    contract_count(RULE_TDR_008);
    contract_count(RULE_TDR_007);
    if (adapter->presence != DXGK_THERE) {
        return false;
    }
    if (!stopped) {
        give_up_stuck(adapter);
    } else if (too_often) {
        give_up_resets(adapter, node);
    }
    if (!stopped || too_often || !can_be_reset(adapter)) {
        return false;
    }
    stretch_time_out(adapter);
    dxgk_display_end_flips(adapter);
    dxgk_still_ends_soon(adapter);
    dxgk_components_bring_on(adapter, DXGK_COMPONENTS_ALL, false);
    /* If it fails, the rules of the point end the run [TDR-002]. */
    NTSTATUS status = ddi_reset_from_timeout(&adapter->ddi, adapter->ddi.miniport_context, 0);
    dxgk_still_end(adapter);
    return NT_SUCCESS(status);
}

/* Also if its work was stopped, too, and is not on the hardware any more [INT-015]. */
static void lose_faulted(struct dxgk_adapter *adapter, uint64_t number)
{
    list_for_each (link, &adapter->devices) {
        struct dxgk_device *device = container_of(link, struct dxgk_device, life.link);
        if (number != 0 && device->life.number == number) {
            device->misled |= device->fault.nowhere;
            dxgk_device_lose_soon(device, D3DKMT_DEVICEEXECUTION_ERROR_DMAPAGEFAULT);
        }
    }
}

/* Notices that came before the reset are answered by it; other nodes may have faulted as well. */
static void drop_notices(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->node_count; i++) {
        bool faulted = adapter->notices[i].faulted && dxgk_fault_note(adapter, i);
        if (faulted || adapter->fault_mask & UINT64_C(1) << i) {
            lose_faulted(adapter, adapter->engines[i].fault.device);
        }
    }
    adapter->notice_mask = adapter->fault_mask = 0;
    memset(adapter->notices, 0, sizeof adapter->notices);
}

/* Which devices it took is known: what is lost later is lost for another reason. */
static void end_judgement(struct dxgk_adapter *adapter)
{
    list_for_each (link, &adapter->devices) {
        container_of(link, struct dxgk_device, life.link)->misled = false;
    }
    dxgk_still_reset_ends(adapter);
}

/* Everything that was on its way ends or goes back to where it can begin anew. Between the last
 * packet's end and the memory's nothing switches, so that nobody prepares in between. */
static void answer(struct dxgk_adapter *adapter)
{
    dxgk_display_end_flips(adapter);
    drop_notices(adapter);
    vidsch_reset_answer(&adapter->vidsch);
    dxgk_hwcontexts_were_reset(adapter, adapter->node_count);
    if (dxgk_paging_abandon(adapter, machine_now_ns() + TDR_DDI_DELAY_NS)) {
        dxgk_packets_recall(adapter);
        vidmm_reset(adapter->vidmm);
        doom_emptied_devices(adapter);
    }
    dxgk_lose_doomed(adapter);
}

/* The driver hears what it must forget: no GPU work comes of these calls [TDR-005, TDR-006]. */
static bool clean_up_and_restart(struct dxgk_adapter *adapter)
{
    dxgk_adapter_enter(adapter, DXGK_ADAPTER_CLEANING);
    dxgk_paging_clean_up(adapter);
    dxgk_ranges_work(adapter, true);
    dxgk_overlays_reset(adapter);
    return adapter->presence == DXGK_THERE &&
           NT_SUCCESS(ddi_restart_from_timeout(&adapter->ddi, adapter->ddi.miniport_context, 0));
}

/* If none came since the last call of that kind, that one may be where they were switched off. */
void dxgk_interrupts_set(struct dxgk_adapter *adapter, const char *call)
{
    if (!adapter->set_by || adapter->ddi.claimed_interrupts != adapter->claimed_before) {
        adapter->set_by = call;
        adapter->claimed_before = adapter->ddi.claimed_interrupts;
    }
}

void dxgk_begins_anew(struct dxgk_adapter *adapter, const char *call)
{
    adapter->begun_by = call;
    dxgk_engine_forget_neighbours(adapter);
    for (unsigned i = 0; i < adapter->node_count; i++) {
        adapter->engines[i].begun_by = call;
    }
    adapter->vsyncs_on = false; /* whether it still knows of them no page says */
    adapter->completed_before = adapter->totals.completed;
    adapter->set_by = NULL;
    dxgk_interrupts_set(adapter, call);
    dxgk_periodics_begin_anew(adapter, call);
}

void dxgk_adapter_say_work_ends(struct dxgk_adapter *adapter, bool ends)
{
    adapter->clients_work_ends = ends;
}

/* ---- The whole ----------------------------------------------------------------------------- */

static void end(struct dxgk_adapter *adapter)
{
    ddi_open(&adapter->ddi);
    vidsch_reset_end(&adapter->vidsch);
    dxgk_display_reshow(adapter);
    dxgk_worker_kick(adapter);
}

/* The hardware takes nothing any more: what it had ends, memory is book-keeping. */
static void lose_adapter(struct dxgk_adapter *adapter)
{
    dxgk_adapter_enter(adapter, DXGK_ADAPTER_LOST);
    answer(adapter);
    dxgk_paging_clean_up(adapter);
    dxgk_overlays_reset(adapter);
    end(adapter);
}

/* False: there is no hardware any more. */
static bool begin(struct dxgk_adapter *adapter, unsigned node, struct dxgk_packet *packet)
{
    dxgk_wait_power(adapter);
    if (adapter->presence != DXGK_THERE || !dxgk_adapter_has_hardware(adapter)) {
        return false; /* the worker has answered its removal, or is about to */
    }
    record_event(EVENT_RESET, adapter->object, 0, node);
    adapter->totals.resets++;
    for (unsigned i = 0; i < adapter->node_count; i++) {
        adapter->engines[i].hurt = 0;
    }
    dxgk_timeout_describe(adapter, node, packet);
    dxgk_still_reset_begins(adapter, node, packet ? &packet->vidsch : NULL);
    if (!adapter->reset_forced) { /* nothing was late then */
        dxgk_restored_judge(adapter);
        dxgk_timeout_judge(adapter, node, packet);
    }
    if (packet || adapter->reset_forced) {
        adapter->engines[node].fault.device = 0; /* of an earlier one */
    }
    adapter->reset_forced = false;
    lose_faulted(adapter, adapter->engines[node].fault.device);
    if (packet) {
        packet->context->device->misled |= dxgk_submission_is_nowhere(packet);
    }
    adapter->guilty_device = packet ? packet->context->device->life.number : 0;
    return true;
}

/* All that was submitted counts as complete now, and was told [TDR-004, QFENCE-002]. */
static void ask_for_fences(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->node_count; i++) {
        uint32_t fence;
        (void)dxgk_ask_fence(adapter, i, &fence);
    }
}

static void reset_adapter(struct dxgk_adapter *adapter, unsigned node, bool counts)
{
    dxgk_adapter_enter(adapter, DXGK_ADAPTER_RESETTING);
    dxgk_collect_debug_information(adapter, DXGK_BUGCHECK_ADAPTER_TIMEOUT);
    if (!reset_hardware(adapter, node, counts)) {
        lose_adapter(adapter);
        return;
    }
    answer(adapter);
    if (!clean_up_and_restart(adapter)) {
        lose_adapter(adapter);
        return;
    }
    dxgk_adapter_enter(adapter, DXGK_ADAPTER_RUNNING);
    for (unsigned i = 0; i < adapter->node_count; i++) {
        adapter->engines[i].begun_anew = adapter->engines[i].resumed = false;
        adapter->engines[i].fault.device = 0; /* whoever faulted meanwhile is answered, too */
    }
    dxgk_entries_forget(adapter);
    dxgk_begins_anew(adapter, "DxgkDdiRestartFromTimeout");
    dxgk_host_aperture_look_again(adapter, "DxgkDdiRestartFromTimeout");
    dxgk_logs_begin_anew(adapter, "DxgkDdiRestartFromTimeout");
    ask_for_fences(adapter);
    end(adapter);
    record_event(EVENT_RESET, adapter->object, 1, node);
}

void dxgk_reset(struct dxgk_adapter *adapter, unsigned node, struct dxgk_packet *packet)
{
    bool counts = !adapter->reset_forced && !dxgk_timeout_is_clients(adapter, node);

    adapter->lost_by = adapter->reset_forced ? adapter->forced_by : 0;
    if (begin(adapter, node, packet)) {
        if (!packet && dxgk_fault_reset_alone(adapter, node)) {
            dxgk_worker_kick(adapter);
            record_event(EVENT_RESET, adapter->object, 1, node);
            adapter->engines[node].hurt = adapter->engines[node].fault.device;
        } else {
            dxgk_wait_power(adapter); /* a sleep may have begun while the engine was reset */
            if (adapter->presence == DXGK_THERE) {
                reset_adapter(adapter, node, counts);
            }
        }
        adapter->engines[node].fault.device = 0; /* it is answered */
        end_judgement(adapter);
    }
    adapter->lost_by = 0;
}

void dxgk_timed_out(struct dxgk_adapter *adapter, unsigned node, struct dxgk_packet *packet)
{
    if (!begin(adapter, node, packet)) {
        return;
    }
    /* An engine that did nothing since it was reset is not saved by another reset of it. */
    bool queues = dxgk_hwqueues_are_late(adapter, node, packet);
    bool alone =
        !queues && dxgk_engines_can_be_reset(adapter) && !adapter->engines[node].begun_anew;
    if (queues ? dxgk_hw_engine_reset(adapter, node, packet)
               : alone && dxgk_engine_reset(adapter, node)) {
        dxgk_worker_kick(adapter);
        record_event(EVENT_RESET, adapter->object, 1, node);
    } else {
        dxgk_wait_power(adapter); /* a sleep may have begun while the engine was reset */
        if (adapter->presence == DXGK_THERE) {
            reset_adapter(adapter, node, true);
        }
    }
    end_judgement(adapter);
}

NTSTATUS dxgk_adapter_force_reset(struct dxgk_adapter *adapter)
{
    if (!ddi_has(&adapter->ddi, POINT_ResetFromTimeout) ||
        !ddi_has(&adapter->ddi, POINT_RestartFromTimeout)) {
        return STATUS_NOT_SUPPORTED;
    }
    adapter->forced_by = dxgk_process_current() ? dxgk_process_current()->author : 0;
    adapter->reset_forced = true;
    adapter->fault_mask |= 1; /* as if node 0 had faulted */
    dxgk_worker_kick(adapter);
    return STATUS_SUCCESS;
}

void dxgk_answer_removal(struct dxgk_adapter *adapter)
{
    dxgk_wait_power(adapter);
    if (adapter->state == DXGK_ADAPTER_RUNNING) {
        /* Nobody comes back late from a driver that was told: the deadline is for its threads. */
        if (!dxgk_reset_stop(adapter, TDR_DDI_DELAY_NS)) {
            record_count("adapter.removal_with_threads", 1);
        }
        lose_adapter(adapter);
    }
    list_for_each (link, &adapter->devices) {
        dxgk_device_lose_soon(container_of(link, struct dxgk_device, life.link),
                              D3DKMT_DEVICEEXECUTION_STOPPED);
    }
    dxgk_lose_doomed(adapter);
}

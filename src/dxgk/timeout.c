/* Time-outs: what is said of one, and who is to blame for it. */
#include "dxgk/hwqueue_present.h"
#include "dxgk/paging_queue.h"
#include "dxgk/restored.h"
#include "dxgk/work.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The call that set the hardware up, if nothing was completed since; or NULL. */
static const char *nothing_since(struct dxgk_adapter *adapter, unsigned node)
{
    if (adapter->engines[node].resumed) {
        return "DxgkDdiResumeHwEngine";
    }
    bool nothing = adapter->begun_by && adapter->totals.completed == adapter->completed_before;

    if (nothing && !adapter->dead_after) {
        adapter->dead_after = adapter->begun_by;
    }
    return nothing ? adapter->begun_by : NULL;
}

#define TIMEOUT_PART_MAX 320
#define QUEUE_STATE_MAX  200
#define CLUE_MAX         240

static void describe_packet(const struct dxgk_packet *packet, char *text)
{
    const struct vidsch_packet *base = &packet->vidsch;
    char again[64] = "";

    if (packet->road == &dxgk_road_session) {
        char state[QUEUE_STATE_MAX];
        dxgk_doorbell_state(packet, state, sizeof state);
        snprintf(text, TIMEOUT_PART_MAX,
                 "progress id %llu, which a client queued by itself, not reached, nor anything of "
                 "another hardware queue%s",
                 (unsigned long long)dxgk_doorbell_owed(packet), state);
        return;
    }
    if (base->kind == VIDSCH_PACKET_HW_QUEUE) {
        char state[QUEUE_STATE_MAX];
        dxgk_hwqueue_state(packet, state, sizeof state);
        snprintf(text, TIMEOUT_PART_MAX,
                 "progress id %llu of a hardware queue not reached%s, nor anything of another one",
                 (unsigned long long)base->progress_id, state);
        return;
    }
    if (base->resubmission_count > 0) {
        snprintf(again, sizeof again, ", though submitted %u times", base->resubmission_count + 1);
    }
    snprintf(text, TIMEOUT_PART_MAX, "fence %u (%s%s) not completed%s", base->fence_id,
             packet->road->name, dxgk_packet_is_empty(packet) ? ", without commands" : "", again);
}

bool dxgk_timeout_is_clients(const struct dxgk_adapter *adapter, unsigned node)
{
    return adapter->engines[node].fault.device != 0;
}

static void describe_request(const struct dxgk_engine *engine, uint32_t request, char *text,
                             size_t size)
{
    if (engine->odd.told && engine->odd.request == request) {
        snprintf(text, size,
                 ", and request %u to stop acknowledged with LastCompletedFenceId %u, which cannot "
                 "be: the last that is complete was %u [INT-008, ENGRST-006]",
                 request, engine->odd.last_completed, engine->odd.expected);
    } else {
        snprintf(text, size, ", and request %u of PreemptCommand to stop never acknowledged",
                 request);
    }
}

/* Interrupts came, and the driver saw in none that work had ended: it may look elsewhere. Of one
 * that told of any work meanwhile, from its DPC maybe, they may have been that work's. */
static void describe_silence(const struct dxgk_packet *packet, char *text, size_t size)
{
    uint64_t silent = packet ? packet->adapter->ddi.silent_interrupts - packet->silent_before : 0;

    text[0] = '\0';
    if (silent > 0 && packet->adapter->told_of_nodes == packet->told_before) {
        snprintf(text, size,
                 "; DxgkDdiInterruptRoutine claimed %llu interrupt%s since it was submitted first, "
                 "and called DxgkCbNotifyInterrupt in none",
                 (unsigned long long)silent, silent > 1 ? "s" : "");
    }
}

void dxgk_hear_device(struct dxgk_adapter *adapter)
{
    char text[PCI_SAID_MAX];
    uint64_t ns;

    if (pci_take_said(adapter->ddi.slot, text, &ns)) {
        adapter->said = (struct dxgk_said){.ns = ns, .fresh = true};
        memcpy(adapter->said.text, text, sizeof text);
    }
}

/* Findings that follow from a reset name its cause. */
void dxgk_timeout_describe(struct dxgk_adapter *adapter, unsigned node,
                           const struct dxgk_packet *packet)
{
    const char *said = adapter->said.text;
    char what[TIMEOUT_PART_MAX] = "nothing was completed", asked[160] = "", lost[DXGK_LOST_MAX];
    uint32_t request;

    dxgk_hear_device(adapter);
    bool has_said = adapter->said.fresh;
    adapter->said.fresh = false;
    if (!has_said) {
        adapter->said.text[0] = '\0'; /* it was about something else */
    }

    if (packet) {
        describe_packet(packet, what);
    }
    if (vidsch_is_asked(&adapter->vidsch, node, &request)) {
        describe_request(&adapter->engines[node], request, asked, sizeof asked);
    }
    adapter->timeout_is_late = false;
    if (adapter->reset_forced) {
        snprintf(adapter->timeout, sizeof adapter->timeout, "reset that was forced%s%s",
                 has_said ? "; the device: " : "", has_said ? said : "");
    } else if (!packet && dxgk_timeout_is_clients(adapter, node)) {
        const struct dxgk_fault *fault = &adapter->engines[node].fault;
        char again[80] = "", other[120] = "";
        if (fault->used != 0 && fault->used != fault->pasid) {
            snprintf(other, sizeof other,
                     ", where the device looked by PASID %u, and that of the fence's process is %u",
                     fault->used, fault->pasid);
        } else if (fault->halved != 0) {
            snprintf(other, sizeof other,
                     ", which is the lower half of where its commands are, 0x%" PRIX64,
                     fault->halved);
        }
        if (fault->resubmissions > 0) {
            snprintf(again, sizeof again, ", which was stopped and submitted %u times",
                     fault->resubmissions + 1);
        }
        snprintf(adapter->timeout, sizeof adapter->timeout,
                 "page fault of node %u, a %s at 0x%" PRIX64 " by fence %u of a client%s%s%s%s",
                 node, fault->write ? "write" : "read", fault->address, fault->fence, again, other,
                 has_said ? "; the device: " : "", has_said ? said : "");
    } else {
        const char *since = nothing_since(adapter, node);
        char silent[160];
        describe_silence(has_said ? NULL : packet, silent, sizeof silent); /* it said why */
        adapter->timeout_is_late = true;
        snprintf(adapter->timeout, sizeof adapter->timeout, "time-out of node %u, %s%s%s%s%s%s%s%s",
                 node, what, asked, since ? ", nor anything since " : "", since ? since : "",
                 silent, has_said ? "; the device: " : "", has_said ? said : "",
                 dxgk_lost_word(adapter, lost));
    }
}

/* That nothing was completed since a call is said of all nodes before. */
static void clue_of_node(struct dxgk_adapter *adapter, unsigned node, const char *since,
                         char clue[CLUE_MAX])
{
    dxgk_components_clue(adapter, node, clue, CLUE_MAX);
    if (clue[0] == '\0' && !since) {
        dxgk_clue_of_begin(adapter, node, clue, CLUE_MAX);
    }
}

/* A time-out that Windows would not have seen says nothing about the driver. */
#define TDR_DELAY_SYSTEM_NS (2 * NS_PER_S)

static bool has_systems_delay(const struct dxgk_adapter *adapter)
{
    return !adapter->options.tdr_delay_ns || adapter->options.tdr_delay_ns >= TDR_DELAY_SYSTEM_NS;
}

/* All that the node had is complete; the request to stop is still open, as long as TdrDelay. Of
 * other nodes, and in a reset that is forced, it may be a moment old. */
static void judge_unanswered(struct dxgk_adapter *adapter, unsigned node)
{
    struct contract_finding finding = {.rule = CONTRACT_JUDGES(PREEMPT_004),
                                       .object = adapter->object};
    uint32_t request;

    contract_count(RULE_PREEMPT_004);
    if (vidsch_is_asked(&adapter->vidsch, node, &request)) {
        contract_breach(&finding, "one DMA_PREEMPTED for each request, also if nothing is left",
                        "%s, though node %u has nothing left", adapter->timeout, node);
    }
}

/* Work ended until the device was set up anew: that is where to look. */
static void report_dead(struct dxgk_adapter *adapter, const struct dxgk_packet *packet,
                        const char *since)
{
    struct record_breach breach = {.rule = "HARDWARE", .count = 1, .object = packet->vidsch.object};

    snprintf(breach.ddi, sizeof breach.ddi, "%.*s", (int)strcspn(since, " "), since);
    snprintf(breach.expected, sizeof breach.expected, "a device that works on after it");
    snprintf(breach.actual, sizeof breach.actual, "%s", adapter->timeout);
    record_event(EVENT_BREACH, packet->vidsch.object, RECORD_RULES_MAX, record_add_breach(&breach));
}

/* A client's commands may be such as never end, and the kernel does not know them; what the device
 * says of them is for who does. It may have told its driver, who told nobody. */
static void note_complaint(const struct dxgk_adapter *adapter, const struct dxgk_packet *packet)
{
    if (packet && has_systems_delay(adapter) && !adapter->still.answered &&
        adapter->said.text[0] != '\0' && adapter->said.ns >= packet->submitted_ns) {
        record_note(adapter->timeout);
    }
}

/* Its commands may be wrong: a device that drops them stops when it is asked to, each time. */
static void judge_endless(struct dxgk_adapter *adapter, const struct dxgk_packet *packet,
                          const char *since)
{
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(SUBMIT_045),
                                             .object = packet->vidsch.object};

    if (!dxgk_device_complains(adapter, packet)) {
        contract_breach(&finding, "a packet that was stopped goes on, and ends",
                        "fence %u (%s%s) was submitted %u times, ran for %llu ms and never "
                        "completed%s%s",
                        packet->vidsch.fence_id, packet->road->name,
                        dxgk_packet_is_empty(packet) ? ", without commands" : "",
                        packet->vidsch.resubmission_count + 1,
                        (unsigned long long)(packet->vidsch.ran_ns / NS_PER_MS),
                        since ? ", nor did anything since " : "", since ? since : "");
    }
}

/* Work that ends in time, a delay as systems have it, and a device that runs: then a time-out is
 * nobody else's. */
void dxgk_timeout_judge(struct dxgk_adapter *adapter, unsigned node,
                        const struct dxgk_packet *packet)
{
    struct vidsch *vidsch = &adapter->vidsch;
    bool judged = has_systems_delay(adapter) && !adapter->still.answered &&
                  (!packet || vidsch->backend->is_finite(vidsch, &packet->vidsch));

    if (!judged) {
        note_complaint(adapter, packet);
        return;
    }
    if (!packet) {
        uint64_t since_ns = vidsch_asked_since(vidsch, node);
        /* The reset for a fault may find a request that is a moment old. */
        if (since_ns != MACHINE_NEVER && machine_now_ns() >= since_ns + TDR_DELAY_SYSTEM_NS) {
            judge_unanswered(adapter, node);
        } else if (!adapter->reset_forced && !dxgk_timeout_is_clients(adapter, node)) {
            dxgk_suspension_judge(adapter, node);
        }
        return;
    }
    if (dxgk_engine_judge_start(adapter, node)) {
        return;
    }
    struct contract_finding finding = {.object = packet->vidsch.object};
    if (packet->flags.ContextSwitch) {
        finding.rule = CONTRACT_JUDGES(SUBMIT_042);
        contract_breach(&finding, "a packet with ContextSwitch, which has no commands, completed",
                        "%s; the newest that the driver told of is fence %u", adapter->timeout,
                        vidsch_last_completed(vidsch, packet->context->node));
        return;
    }
    const char *since = nothing_since(adapter, node);
    bool dead = since && adapter->totals.completed > 0 && !dxgk_packet_is_empty(packet) &&
                !dxgk_paging_queue_is_wrong(adapter, packet);
    /* Our own work has an end; a client's may have none on a device that runs. */
    if (packet->vidsch.endless && !(dead && packet->vidsch.kind == VIDSCH_PACKET_PAGING)) {
        judge_endless(adapter, packet, since);
        return;
    }
    if (dead) {
        report_dead(adapter, packet, since);
        return;
    }
    if (!since && dxgk_device_complains(adapter, packet)) {
        return;
    }
    if (dxgk_paging_queue_judge(adapter, packet)) {
        return;
    }
    if (packet->vidsch.kind == VIDSCH_PACKET_HW_QUEUE) {
        finding.rule = dxgk_hwqueue_present_signals(packet)      ? CONTRACT_JUDGES(HWQ_013)
                       : dxgk_hwqueue_told_another_fence(packet) ? CONTRACT_JUDGES(HWQ_014)
                                                                 : CONTRACT_JUDGES(HWQ_008);
        contract_breach(
            &finding, "a progress fence that reaches the id of each submission",
            "%s; it was submitted %llu ms before", adapter->timeout,
            (unsigned long long)((machine_now_ns() - packet->submitted_ns) / NS_PER_MS));
        return;
    }
    char clue[CLUE_MAX];
    clue_of_node(adapter, packet->context->node, since, clue);
    finding.rule = CONTRACT_JUDGES(PREEMPT_003);
    contract_breach(&finding, "each packet completed in time, or stopped when that is asked for",
                    "%s; the newest that the driver told of is fence %u%s", adapter->timeout,
                    vidsch_last_completed(vidsch, packet->context->node), clue);
}

/* ---- Who was hurt ---------------------------------------------------------------------------- */

/* A device of the same process, whose client knows what it did. */
static bool is_own(const struct dxgk_device *device, uint64_t number)
{
    list_for_each (link, &device->adapter->devices) {
        const struct dxgk_device *other = container_of(link, struct dxgk_device, life.link);
        if (other->life.number == number) {
            return other->process == device->process;
        }
    }
    return false;
}

void dxgk_bystander_note(struct dxgk_device *device, D3DKMT_DEVICEEXECUTION_STATE state)
{
    const struct dxgk_adapter *adapter = device->adapter;
    bool others = false, own = false;

    for (unsigned i = 0; i < adapter->node_count; i++) {
        uint64_t number = adapter->engines[i].fault.device;
        others |= number != 0;
        own |= number != 0 && is_own(device, number);
    }
    device->bystander |= state == D3DKMT_DEVICEEXECUTION_RESET && others && !own;
}

bool dxgk_adapter_took_bystander(const struct dxgk_adapter *adapter)
{
    const struct dxgk_process *process = dxgk_process_current();

    list_for_each (link, &adapter->devices) {
        const struct dxgk_device *device = container_of(link, struct dxgk_device, life.link);
        if (process && device->process == process && device->bystander) {
            return true;
        }
    }
    return false;
}

/* Where one client alone was hurt, the others' failures do not follow from it; but of those who had
 * work on an engine that was reset with his. */
static bool hurt_somebody_else(const struct dxgk_adapter *adapter)
{
    const struct dxgk_process *process = dxgk_process_current();
    uint64_t hurt = 0;

    for (unsigned i = 0; i < adapter->node_count; i++) {
        hurt |= adapter->engines[i].hurt;
    }
    list_for_each (link, &adapter->devices) {
        const struct dxgk_device *device = container_of(link, struct dxgk_device, life.link);
        if (device->process == process && (device->life.number == hurt || device->bystander)) {
            return false;
        }
    }
    return hurt != 0;
}

bool dxgk_adapter_timed_out(const struct dxgk_adapter *adapter)
{
    static const char begin[] = "time-out"; /* no reset that was forced, no page fault */
    const char *newest = dxgk_adapter_timeout(adapter, NULL);

    return newest && strncmp(newest, begin, sizeof begin - 1) == 0;
}

const char *dxgk_adapter_timeout(const struct dxgk_adapter *adapter, bool *late)
{
    if (late) {
        *late = adapter->timeout_is_late;
    }
    return adapter->timeout[0] && !hurt_somebody_else(adapter) ? adapter->timeout : NULL;
}

/* Sleep: the adapter goes to D3 and comes back, with whatever its clients were at.
 *
 *   clients wait outside ─> all work is done ─> screens dark, everything out of memory ─> nobody in
 *   the driver ─> SetPowerState(children, adapter: D3) ─> the device loses power ─>
 *   SetPowerState(adapter, children: D0) ─> screens are set and shown again, clients go on
 *
 * The whole computer sleeps, not an adapter. If something does not come to rest in time, nothing
 * was done and clients go on. Until the door is closed a thread that was inside a call may begin
 * new work; what counts is what is found when it is closed.
 *
 * Monitors alone go to D3 when nobody touches the keyboard: screens are dark then, and the adapter
 * goes on. */
#include "dxgk/alone.h"
#include "dxgk/context_memory.h"
#include "dxgk/dark.h"
#include "dxgk/host_aperture.h"
#include "dxgk/pointer_kinds.h"
#include "dxgk/restored.h"
#include "dxgk/schedule_log.h"
#include "dxgk/work.h"

#define REST_NS      (50 * NS_PER_MS) /* in D3, with power and without; three pictures each */
#define SCREENS_NS   (30 * NS_PER_S)  /* a picture comes in small pieces, on a slow bus */
#define LEAVE_SHIFTS 7                /* accesses of a call, 64 at most, until the device is gone */
#define DOOR_NS      (1 * NS_PER_S)   /* until nobody is in the driver */
#define DARK_NS      (10 * NS_PER_S)  /* for work while monitors are dark: a reset fits in */
#define LIT_NS       (60 * NS_PER_S)  /* until nobody is in the driver, to light them again */

/* Of the computer, not of an adapter. */
static bool falling_asleep;
static struct wait_queue woken = {.waiters = {&woken.waiters, &woken.waiters}};

void dxgk_wait_awake(void)
{
    while (falling_asleep) {
        wait_queue_wait(&woken, MACHINE_NEVER);
    }
}

bool dxgk_hold_clients(struct dxgk_adapter *adapter, uint64_t deadline_ns)
{
    if (falling_asleep) {
        return false;
    }
    falling_asleep = true;
    if (!dxgk_adapter_wait_idle(adapter, deadline_ns)) {
        dxgk_let_clients_go();
        return false;
    }
    dxgk_still_end(adapter); /* all is done: nobody was waiting for its clock */
    return true;
}

void dxgk_let_clients_go(void)
{
    falling_asleep = false;
    wait_queue_wake(&woken, UINT_MAX);
}

bool dxgk_clients_are_held(void)
{
    return falling_asleep;
}

/* ---- Coming to rest ------------------------------------------------------------------------ */

/* The answer of a device that was switched off meanwhile never comes. */
static bool is_asked_to_stop(struct dxgk_adapter *adapter)
{
    uint32_t preemption_id;

    for (unsigned i = 0; i < adapter->node_count; i++) {
        if (vidsch_is_asked(&adapter->vidsch, i, &preemption_id)) {
            return true;
        }
    }
    return false;
}

bool dxgk_has_done_all(struct dxgk_adapter *adapter)
{
    return !is_asked_to_stop(adapter) && adapter->state == DXGK_ADAPTER_RUNNING &&
           adapter->presence < DXGK_TOLD && !adapter->fault_mask && list_empty(&adapter->packets);
}

/* Its work is done, and there is nothing in its memory. */
static bool at_rest(struct dxgk_adapter *adapter)
{
    return dxgk_has_done_all(adapter) && vidmm_is_empty(adapter->vidmm);
}

/* What is evicted may want memory that page tables make way for. */
static bool evict_all(struct dxgk_adapter *adapter, uint64_t deadline_ns)
{
    struct vidmm_wait wait;
    NTSTATUS status;

    while ((status = vidmm_evict_all(adapter->vidmm, &wait)) == STATUS_PENDING) {
        if (!NT_SUCCESS(dxgk_wait_memory(adapter, &wait, deadline_ns))) {
            return false;
        }
    }
    return NT_SUCCESS(status);
}

static bool come_to_rest(struct dxgk_adapter *adapter, uint64_t deadline_ns)
{
    if (!evict_all(adapter, deadline_ns)) {
        return false;
    }
    uint64_t sequence = vidmm_paging_queued(adapter->vidmm);
    return NT_SUCCESS(dxgk_wait_paging(adapter, sequence, deadline_ns)) &&
           dxgk_adapter_wait_idle(adapter, deadline_ns) && at_rest(adapter);
}

/* ---- Power --------------------------------------------------------------------------------- */

/* A failure is a breach [PNP-007]; the power goes all the same. */
static void set_power(struct dxgk_adapter *adapter, ULONG device, DEVICE_POWER_STATE state,
                      POWER_ACTION action)
{
    (void)ddi_set_power_state(&adapter->ddi, device, state, action);
}

/* In no order that a driver may rely on. */
static void set_power_of_some(struct dxgk_adapter *adapter, uint64_t children,
                              DEVICE_POWER_STATE state, POWER_ACTION action)
{
    bool backwards = vary_below(VARY_SLEEP, 2) || vary_below(VARY_MONITOR_SLEEP, 2);

    for (ULONG i = 0; i < adapter->child_count; i++) {
        ULONG child = backwards ? adapter->child_count - 1 - i : i;
        if (children >> child % 64 & 1) {
            set_power(adapter, adapter->children[child].descriptor.ChildUid, state, action);
        }
    }
}

static void set_power_of_children(struct dxgk_adapter *adapter, DEVICE_POWER_STATE state,
                                  POWER_ACTION action)
{
    set_power_of_some(adapter, UINT64_MAX, state, action);
}

/* Nobody may rely on what it says of the way to D0. */
static POWER_ACTION draw_action_of_d0(void)
{
    static const POWER_ACTION any[] = {PowerActionNone, PowerActionSleep, PowerActionHibernate,
                                       PowerActionShutdownOff};

    return any[vary_below(VARY_SLEEP, sizeof any / sizeof any[0])];
}

/* What runs of the driver by itself, a timer, a thread, a work item, has nothing to do with a
 * device at rest. How soon it loses its power then is the bus driver's affair: first it answers as
 * before, then it does not. What the device did of itself meanwhile. */
static uint64_t rest_device(struct dxgk_adapter *adapter)
{
    struct pci_slot *slot = adapter->ddi.slot;
    uint64_t before = pci_activity(slot);

    ddi_dpc_is_late(&adapter->ddi);
    pci_power_down(slot, false);
    dxgk_plug_move(adapter); /* nobody serves what the device would ask for */
    task_block(machine_now_ns() + REST_NS);
    pci_power_down(slot, true);
    task_block(machine_now_ns() + REST_NS);
    dxgk_rest_judge(slot);
    return pci_activity(slot) - before;
}

/* Children first, then the adapter. What the device did of itself then. */
static uint64_t go_down(struct dxgk_adapter *adapter, POWER_ACTION action)
{
    dxgk_components_bring_on(adapter, DXGK_COMPONENTS_ON_DX, true);
    set_power_of_children(adapter, PowerDeviceD3, action);
    if (vary_below(VARY_SLEEP, 2)) {
        dxgk_plug_move_at_last(adapter); /* who does not wait for its DPC finds it at work in D3 */
    }
    if (vary_on(VARY_SLEEP)) {
        dxgk_moment_begin(adapter, true);
    }
    set_power(adapter, DISPLAY_ADAPTER_HW_ID, PowerDeviceD3, action);
    dxgk_moment_end();
    return rest_device(adapter);
}

/* What the device did of itself in D3: in a sleep, or a hibernation. monitors_wait: they stay at
 * rest. */
static uint64_t sleep_and_wake(struct dxgk_adapter *adapter, bool monitors_wait)
{
    POWER_ACTION action = vary_below(VARY_SLEEP, 2) ? PowerActionHibernate : PowerActionSleep;
    uint64_t count = go_down(adapter, action);

    pci_reset(adapter->ddi.slot);
    action = draw_action_of_d0();
    set_power(adapter, DISPLAY_ADAPTER_HW_ID, PowerDeviceD0, action);
    if (!monitors_wait) {
        set_power_of_children(adapter, PowerDeviceD0, action);
    }
    dxgk_components_let_go(adapter, DXGK_COMPONENTS_ON_DX);
    dxgk_begins_anew(adapter, "DxgkDdiSetPowerState to D0");
    dxgk_logs_wake(adapter);
    dxgk_host_aperture_look_again(adapter, "DxgkDdiSetPowerState");
    dxgk_entries_forget(adapter);
    return count;
}

/* The computer is switched off, and when it comes to itself the device is not there; or it is
 * pulled out on the way, at one of the first accesses of who puts it to rest. */
static void hibernate_for_ever(struct dxgk_adapter *adapter)
{
    unsigned last = 1u << vary_below(VARY_PULLED_OUT, LEAVE_SHIFTS);
    unsigned access = 1 + (unsigned)vary_below(VARY_PULLED_OUT, last);

    dxgk_components_bring_on(adapter, DXGK_COMPONENTS_ON_DX, false);
    set_power_of_children(adapter, PowerDeviceD3, PowerActionHibernate);
    dxgk_leaves_at(adapter, vary_on(VARY_PULLED_OUT) ? access : 0);
    set_power(adapter, DISPLAY_ADAPTER_HW_ID, PowerDeviceD3, PowerActionHibernate);
    (void)rest_device(adapter);
    dxgk_is_gone(adapter);
}

bool dxgk_close_door(struct dxgk_adapter *adapter, uint64_t deadline_ns)
{
    while (adapter->state == DXGK_ADAPTER_RESETTING || adapter->state == DXGK_ADAPTER_CLEANING ||
           ddi_is_closed(&adapter->ddi)) {
        task_block(machine_now_ns() + NS_PER_MS);
    }
    adapter->asleep = true;
    return ddi_close(&adapter->ddi, deadline_ns);
}

void dxgk_open_door(struct dxgk_adapter *adapter)
{
    ddi_open(&adapter->ddi);
    adapter->asleep = false;
    adapter->natives.stale = true;
    dxgk_worker_kick(adapter);
    wait_queue_wake(&adapter->idle_changed, UINT_MAX);
}

/* Nobody else is in the driver [GEN-004]. Work goes on, and ends while they are dark. */
static bool set_power_of_monitors(struct dxgk_adapter *adapter, uint64_t children,
                                  DEVICE_POWER_STATE state)
{
    bool alone =
        dxgk_close_door(adapter, machine_now_ns() + DOOR_NS) && adapter->presence < DXGK_TOLD;

    if (alone) {
        set_power_of_some(adapter, children, state, PowerActionSleep);
        dxgk_begins_anew(adapter, state != PowerDeviceD0
                                      ? "DxgkDdiSetPowerState of the monitors to rest"
                                      : "DxgkDdiSetPowerState of the monitors to D0");
    }
    dxgk_open_door(adapter);
    return alone;
}

/* Who stays in the driver for too long is waited for: they would be at rest for ever. Where he does
 * not leave nobody sees a picture any more, and the run ends as one whose time is over: who is in
 * which call is told then. */
static void light_monitors(struct dxgk_adapter *adapter, uint64_t children)
{
    uint64_t deadline_ns = machine_now_ns() + LIT_NS;

    while (dxgk_adapter_has_hardware(adapter) && adapter->presence < DXGK_TOLD &&
           !set_power_of_monitors(adapter, children, PowerDeviceD0)) {
        if (machine_now_ns() >= deadline_ns) {
            record_note("monitors stay dark: somebody does not leave the driver");
            machine_end_by(deadline_ns);
        }
        task_block(machine_now_ns() + NS_PER_MS);
    }
}

/* Monitors go dark with what showed them: their power states were on the way, or come of it. */
void dxgk_monitors_go_dark(struct dxgk_adapter *adapter)
{
    if (!ddi_has(&adapter->ddi, POINT_SetPowerState)) {
        return;
    }
    if (dxgk_close_door(adapter, machine_now_ns() + DOOR_NS)) {
        set_power_of_children(adapter, PowerDeviceD3, PowerActionSleep);
    }
    dxgk_open_door(adapter);
}

/* The computer may go to sleep before the device's software is gone. */
void dxgk_power_removed(struct dxgk_adapter *adapter)
{
    if (!ddi_has(&adapter->ddi, POINT_SetPowerState)) {
        return;
    }
    if (dxgk_close_door(adapter, machine_now_ns() + DOOR_NS)) {
        set_power(adapter, DISPLAY_ADAPTER_HW_ID, PowerDeviceD3, PowerActionSleep);
    }
    dxgk_open_door(adapter);
}

void dxgk_wait_power(struct dxgk_adapter *adapter)
{
    while (adapter->asleep) {
        wait_queue_wait(&adapter->idle_changed, MACHINE_NEVER);
    }
}

void dxgk_wait_screens(struct dxgk_adapter *adapter)
{
    uint64_t deadline_ns = machine_now_ns() + SCREENS_NS;

    while (adapter->reshowing && machine_now_ns() < deadline_ns) {
        task_block(machine_now_ns() + NS_PER_MS / 10);
    }
}

/* `call`: what happened meanwhile; NULL: nothing. */
struct pause {
    bool loses_power; /* and gets it back */
    const char *call;
    struct dxgk_screens_kept kept;
};

/* Clients wait, and screens are dark, until end_pause(). */
static bool begin_pause(struct dxgk_adapter *adapter, uint64_t deadline_ns, struct pause *pause)
{
    CHECK_THAT(task_self() && task_self() != adapter->worker);
    if (!ddi_has(&adapter->ddi, POINT_SetPowerState) || !dxgk_hold_clients(adapter, deadline_ns)) {
        return false;
    }
    if (pause->loses_power) {
        dxgk_pointers_before_sleep(adapter);
    }
    dxgk_screens_keep(adapter, NULL, &pause->kept);
    if (pause->loses_power) {
        dxgk_restored_judge(adapter);
        pci_settings_note(adapter->ddi.slot);
    }
    dxgk_display_darken(adapter);
    return true;
}

/* Hardware may take the address at the next vertical sync. */
static void let_latch(const struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        if (adapter->sources[i].active && adapter->sources[i].visible) {
            task_block(machine_now_ns() + DXGK_LONGEST_FRAME_NS);
            return;
        }
    }
}

static void end_pause(struct dxgk_adapter *adapter, const struct pause *pause)
{
    dxgk_display_light(adapter);
    dxgk_wait_screens(adapter);
    let_latch(adapter);
    if (pause->call) {
        dxgk_screens_judge_woken(&pause->kept, pause->call, pause->loses_power);
    }
    for (unsigned i = 0; i < adapter->source_count; i++) {
        dxgk_screen_judge_lit(&adapter->sources[i]);
    }
    dxgk_let_clients_go();
}

/* All is at rest, and the door closed; a reset of what has nothing to do may come all the same
 * (idle-reset). False: it is open. */
static bool rest_behind_door(struct dxgk_adapter *adapter, uint64_t deadline_ns)
{
    adapter->emptying = true;
    bool rests = come_to_rest(adapter, deadline_ns);
    adapter->emptying = false;
    if (!rests) {
        return false;
    }
    if (dxgk_close_door(adapter, deadline_ns) && at_rest(adapter)) {
        return true;
    }
    dxgk_open_door(adapter);
    return false;
}

/* A computer that wakes for work of its own, and then somebody touches the keyboard. */
static void wake_monitors_late(struct dxgk_adapter *adapter)
{
    task_block(machine_now_ns() + REST_NS);
    light_monitors(adapter, UINT64_MAX);
}

bool dxgk_adapter_sleep(struct dxgk_adapter *adapter, uint64_t deadline_ns, uint64_t *activity)
{
    struct pause pause = {.loses_power = true};

    if (!begin_pause(adapter, deadline_ns, &pause)) {
        return false;
    }
    bool sleeps = rest_behind_door(adapter, deadline_ns);
    if (sleeps) {
        bool monitors_wait = adapter->child_count > 0 && vary_below(VARY_SLEEP, 2);
        *activity = sleep_and_wake(adapter, monitors_wait);
        vidmm_restore_tables(adapter->vidmm); /* before anything that they show */
        dxgk_open_door(adapter);
        if (monitors_wait) {
            wake_monitors_late(adapter);
        }
        pause.call = "DxgkDdiSetPowerState to D0";
    }
    end_pause(adapter, &pause);
    return sleeps;
}

/* Off, or about to start anew, or one of both. The computer does not come back from it. */
bool dxgk_adapter_shut_down(struct dxgk_adapter *adapter, uint64_t deadline_ns, uint64_t *activity)
{
    static const POWER_ACTION actions[] = {PowerActionShutdown, PowerActionShutdownOff,
                                           PowerActionShutdownReset};
    struct pause pause = {.call = NULL};

    if (!begin_pause(adapter, deadline_ns, &pause)) {
        return false;
    }
    bool ends = rest_behind_door(adapter, deadline_ns);
    if (ends) {
        dxgk_adapter_count_memory(adapter);
        *activity = go_down(adapter, actions[vary_below(VARY_SHUT_DOWN, 3)]);
    } else {
        end_pause(adapter, &pause);
    }
    return ends;
}

/* What it showed is lost with it. */
bool dxgk_adapter_remove_asleep(struct dxgk_adapter *adapter, uint64_t deadline_ns)
{
    struct pause pause = {.call = NULL};

    if (!adapter->caps.SupportSurpriseRemovalInHibernation ||
        !begin_pause(adapter, deadline_ns, &pause)) {
        return false;
    }
    bool removed = rest_behind_door(adapter, deadline_ns);
    if (removed) {
        hibernate_for_ever(adapter);
        dxgk_open_door(adapter);
        dxgk_removal_is_told(adapter, DxgkRemovalHibernation);
    }
    end_pause(adapter, &pause);
    return removed;
}

/* Standby, suspended or off: each can be asked for. */
static DEVICE_POWER_STATE draw_rest_of_monitors(void)
{
    static const DEVICE_POWER_STATE states[] = {PowerDeviceD3, PowerDeviceD1, PowerDeviceD2};

    return vary_on(VARY_MONITOR_SLEEP) ? states[vary_below(VARY_MONITOR_SLEEP, 3)] : PowerDeviceD3;
}

/* All of them, or all but one: each has its own power. */
static uint64_t draw_resting(const struct dxgk_adapter *adapter)
{
    bool all = adapter->child_count < 2 || vary_below(VARY_MONITOR_SLEEP, 2) == 0;

    return all ? UINT64_MAX
               : ~(UINT64_C(1) << vary_below(VARY_MONITOR_SLEEP, adapter->child_count) % 64);
}

bool dxgk_adapter_rest_monitors(struct dxgk_adapter *adapter, uint64_t deadline_ns)
{
    struct pause pause = {.call = NULL};
    bool dark = false;
    uint64_t resting = draw_resting(adapter);

    if (adapter->child_count == 0 || !begin_pause(adapter, deadline_ns, &pause)) {
        return false;
    }
    bool running = adapter->state == DXGK_ADAPTER_RUNNING;
    if (running && adapter->active_vidpn && vary_below(VARY_MONITOR_SLEEP, 2)) {
        dxgk_paths_switch_off(adapter, resting);
    }
    if (running && set_power_of_monitors(adapter, resting, draw_rest_of_monitors())) {
        dark = true;
        dxgk_components_dark(adapter, resting == UINT64_MAX);
        (void)come_to_rest(adapter, machine_now_ns() + DARK_NS); /* what was shown is moved */
        task_block(machine_now_ns() + REST_NS);
        dxgk_paths_change_while_off(adapter);
        dxgk_components_dark(adapter, false);
        light_monitors(adapter, resting);
        pause.call = "DxgkDdiSetPowerState of the monitors to D0";
    }
    end_pause(adapter, &pause);
    dxgk_paths_are_on(adapter);
    return dark;
}

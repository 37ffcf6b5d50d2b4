/* A device whose clock stops while it has work, as hardware does that hangs: it is not ticked, its
 * registers answer as they stand, and nothing of it comes by itself. The time-out finds it, and the
 * reset sets it going again.
 *
 *   armed ── n-th submission, and a while ──> still ── a reset, or 6 s ──> over
 *
 * Or it is the driver's threads that stand, on a device that works: who needs them for the end of
 * its work is late, and is reset.
 *
 * Whoever works then may lose his device: the host is told (dxgk_adapter_still_losses). */
#include "dxgk/work.h"

#define STILL_MAX_NS     (6 * NS_PER_S)    /* no reset came: the device did not need its clock */
#define RESET_NS         (100 * NS_PER_US) /* into a reset: its driver may wait for the device */
#define STILL_ATTEMPTS   64                /* to meet it at work */
#define STEP_NS          500
#define SUBMISSION_FIRST 8

/* Where both are on, the device's decides when. */
static enum variation when_variation(void)
{
    return vary_on(VARY_STILL_DEVICE) ? VARY_STILL_DEVICE : VARY_STARVED_THREADS;
}

static void arm(struct dxgk_adapter *adapter)
{
    uint64_t first = SUBMISSION_FIRST;

    if (!vary_on(when_variation()) || adapter->options.tdr_delay_ns ||
        !ddi_has(&adapter->ddi, POINT_ResetFromTimeout) ||
        !ddi_has(&adapter->ddi, POINT_RestartFromTimeout)) {
        return;
    }
    first <<= vary_below(when_variation(), 7);
    adapter->still.submissions_left = 1 + first + vary_below(when_variation(), first);
}

/* False: neither may. */
static bool stop_device_or_threads(struct dxgk_adapter *adapter)
{
    bool device = vary_on(VARY_STILL_DEVICE);
    bool threads = vary_on(VARY_STARVED_THREADS) &&
                   (!device || vary_below(VARY_STARVED_THREADS, 2) == 0) && nt_threads_starve();

    if (threads) {
        vary_happened(VARY_STARVED_THREADS);
    } else if (device) {
        vary_happened(VARY_STILL_DEVICE);
        pci_clock_stop(adapter->ddi.slot);
    }
    adapter->still.starves = threads;
    return threads || device;
}

/* In hardware context. */
static void strike(struct machine_timer *timer)
{
    struct dxgk_adapter *adapter = timer->context;

    if (adapter->still.on) {
        dxgk_still_end(adapter);
    } else if (adapter->still.attempts++ < STILL_ATTEMPTS &&
               (!adapter->still.allowed || adapter->state != DXGK_ADAPTER_RUNNING ||
                dxgk_screens_change(adapter) || !vidsch_has_running(&adapter->vidsch) ||
                !stop_device_or_threads(adapter))) {
        adapter->still.submissions_left = 1;
    } else if (adapter->still.attempts <= STILL_ATTEMPTS) {
        adapter->still.on = true;
        adapter->still.count++;
        adapter->still.since_ns = machine_now_ns();
        adapter->still.activity = pci_activity(adapter->ddi.slot);
        machine_timer_set(&adapter->still.timer, machine_now_ns() + STILL_MAX_NS);
    }
}

void dxgk_still_init(struct dxgk_adapter *adapter)
{
    machine_timer_init(&adapter->still.timer, strike, adapter);
}

void dxgk_still_submitted(struct dxgk_adapter *adapter)
{
    if (adapter->still.submissions_left && --adapter->still.submissions_left == 0) {
        uint64_t scale = STEP_NS << vary_below(when_variation(), 8);
        bool at_once = vary_on(VARY_STILL_DEVICE) && /* which has not looked yet */
                       vary_below(VARY_STILL_DEVICE, 3) == 0;
        machine_timer_set(&adapter->still.timer,
                          machine_now_ns() + (at_once ? 0 : vary_below(when_variation(), scale)));
    }
}

void dxgk_still_ends_soon(struct dxgk_adapter *adapter)
{
    if (adapter->still.on) {
        machine_timer_set(&adapter->still.timer, machine_now_ns() + RESET_NS);
    }
}

void dxgk_still_end(struct dxgk_adapter *adapter)
{
    if (adapter->still.on) {
        adapter->still.on = false;
        adapter->still.ended_ns = machine_now_ns();
        dxgk_periodics_begin_anew(adapter, "the device stood still");
        machine_timer_cancel(&adapter->still.timer);
        if (adapter->still.starves) {
            nt_threads_feed();
        } else {
            pci_clock_start(adapter->ddi.slot);
        }
    }
}

void dxgk_still_fini(struct dxgk_adapter *adapter)
{
    dxgk_still_end(adapter);
    machine_timer_cancel(&adapter->still.timer);
    adapter->still.submissions_left = 0;
}

uint64_t dxgk_still_since(const struct dxgk_adapter *adapter)
{
    bool nothing_ran = adapter->still.on && !adapter->still.starves &&
                       pci_activity(adapter->ddi.slot) == adapter->still.activity;

    return nothing_ran ? adapter->still.since_ns : MACHINE_NEVER;
}

/* Whatever was begun, or asked for, before it was over. Which packet is the oldest may have changed
 * since it was asked for: one that had ended was told when the clock went on. */
bool dxgk_still_excuses(struct dxgk_adapter *adapter, unsigned node,
                        const struct vidsch_packet *packet)
{
    uint64_t begun_ns = vidsch_asked_since(&adapter->vidsch, node);

    if (packet && (packet->endless ? packet->first_ns : packet->start_ns) < begun_ns) {
        begun_ns = packet->endless ? packet->first_ns : packet->start_ns;
    }
    return adapter->still.on || (adapter->still.count && begun_ns < adapter->still.ended_ns);
}

void dxgk_still_reset_begins(struct dxgk_adapter *adapter, unsigned node,
                             const struct vidsch_packet *packet)
{
    adapter->still.answered = dxgk_still_excuses(adapter, node, packet);
    if (adapter->still.starves) {
        dxgk_still_ends_soon(adapter); /* who is inside may wait for a thread */
    }
}

void dxgk_still_reset_ends(struct dxgk_adapter *adapter)
{
    adapter->still.answered = false;
}

void dxgk_still_lost(struct dxgk_adapter *adapter)
{
    adapter->still.losses += adapter->still.answered;
}

/* ---- For the host ---------------------------------------------------------------------------- */

void dxgk_adapter_may_stand_still(struct dxgk_adapter *adapter, bool may)
{
    if (may && !adapter->still.armed) {
        adapter->still.armed = true;
        arm(adapter);
    }
    adapter->still.allowed = may;
}

unsigned dxgk_adapter_still_losses(const struct dxgk_adapter *adapter)
{
    return adapter->still.losses;
}

bool dxgk_adapter_stands_still(const struct dxgk_adapter *adapter)
{
    return adapter->still.on || adapter->still.answered;
}

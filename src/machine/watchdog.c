/* The watchdog: a timer on processor time looks several times per period whether a switching point
 * was passed, and which call of the driver is at work: one that passes such points all the while
 * and comes to no end is stuck, too. Nothing on the way of the tasks but a counter. */
#include "machine/internal.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#define LOOKS_PER_PERIOD 4u
#define PERIODS_OF_CALL  6u   /* what a call may take that passes switching points ... */
#define CALL_PERIOD_MS   500u /* ... each at least so many ms: registers are slow here */
#define WRITES_A_LOOK    500u /* who writes so many registers gets on with what he loads ... */
#define WRITES_MAX       (UINT64_C(1) << 20) /* ... unless it is more than anybody loads */
#define WATCHDOG_SIGNAL  SIGVTALRM

static unsigned period_ms = 10000;
static unsigned call_period_ms = CALL_PERIOD_MS;
static machine_watchdog_hook *hook;
static void *hook_context;

static timer_t timer;
static struct sigaction former;
static bool active;
static uint64_t progress_seen;
static unsigned looks_without_progress;
static bool call_is_endless;

void machine_set_watchdog_ms(unsigned ms)
{
    period_ms = ms;
}

void machine_set_watchdog_call_ms(unsigned ms)
{
    call_period_ms = ms;
}

void machine_set_watchdog_hook(machine_watchdog_hook *new_hook, void *context)
{
    hook = new_hook;
    hook_context = context;
}

bool mmio_call_is_endless(void)
{
    return call_is_endless;
}

/* A write that a device takes in 100 ns costs a fault here: loading is not held against a call. */
static bool loads(struct polls *polls)
{
    uint64_t written = polls->writes - polls->writes_seen;

    polls->writes_seen = polls->writes;
    return written >= WRITES_A_LOOK && polls->writes < WRITES_MAX;
}

/* Processor time is the call's own: not that of a model whose registers it reads, nor what runs
 * while it waits. */
static bool is_endless(void)
{
    struct task *self = machine_here.self;
    uint64_t call_period = period_ms > call_period_ms ? period_ms : call_period_ms;

    return self && self->polls.in_call && !pci_in_model() && !loads(&self->polls) &&
           ++self->polls.looks >= LOOKS_PER_PERIOD * PERIODS_OF_CALL * call_period / period_ms;
}

static void look(int number, siginfo_t *info, void *ucontext)
{
    if (!machine.running || info->si_code != SI_TIMER) {
        return;
    }
    call_is_endless = is_endless();
    if (machine.progress != progress_seen && !machine.speaks_last && !call_is_endless) {
        progress_seen = machine.progress;
        looks_without_progress = 0;
        return;
    }
    call_is_endless = call_is_endless && machine.progress != progress_seen;
    if (++looks_without_progress < LOOKS_PER_PERIOD && !machine.speaks_last && !call_is_endless) {
        return;
    }
    if (hook) {
        hook(hook_context, ucontext);
    }
    /* Out of the handler for good: machine_run() sets the signal mask right. */
    executor_abandon(MACHINE_STOP_WATCHDOG);
}

void watchdog_start(void)
{
    uint64_t look_ns = period_ms * NS_PER_MS / LOOKS_PER_PERIOD;
    struct sigaction action = {.sa_sigaction = look,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = WATCHDOG_SIGNAL};
    struct itimerspec period = {
        .it_interval = {(time_t)(look_ns / NS_PER_S), (long)(look_ns % NS_PER_S)},
        .it_value = {(time_t)(look_ns / NS_PER_S), (long)(look_ns % NS_PER_S)},
    };

    active = false;
    looks_without_progress = 0;
    progress_seen = machine.progress;
    if (period_ms == 0 || sigaction(WATCHDOG_SIGNAL, &action, &former) != 0) {
        return;
    }
    /* Without a timer the run goes on unwatched: the supervisor has a limit of its own. */
    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0) {
        sigaction(WATCHDOG_SIGNAL, &former, NULL);
        return;
    }
    timer_settime(timer, 0, &period, NULL);
    active = true;
}

void watchdog_stop(void)
{
    if (active) {
        timer_delete(timer);
        signal(WATCHDOG_SIGNAL, SIG_IGN); /* drops one that is on its way */
        sigaction(WATCHDOG_SIGNAL, &former, NULL);
        active = false;
    }
}

/* The verdict on a run, given by the side that the driver cannot reach.
 *
 *     said an outcome other than pass ──────────────────────────── it stands
 *     said pass, closed the record, and all of it agrees ───────── pass
 *     said pass, and something does not agree ──────────────────── breach: the record was forged
 *     said nothing, and the record shows findings ──────────────── breach
 *     said nothing, in a plug-in's code, and is dead ────────────── the plug-in's fault
 *     said nothing, in a call of the driver, and is dead ────────── fault
 *     said nothing else ────────────────────────────────────────── by how the process ended
 *
 * A finding outranks what came after it: a limit, or a fault of ours that may follow from it. */
#include "supervise.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define CALLS_LOOKED_AT 4096u

/* The newest call of the driver that has not come back: its point, or -1. */
static int open_call(struct record *record)
{
    uint64_t count = record_header(record)->event_count, index = count;
    uint64_t ended[CALLS_LOOKED_AT];
    unsigned ended_count = 0;

    while (index > 0 && ended_count < CALLS_LOOKED_AT) {
        const struct event *event = record_event_at(record, --index);
        bool done = false;
        if (!event) {
            break;
        }
        if (event->kind == EVENT_DDI_LEAVE) {
            ended[ended_count++] = event->b;
        }
        for (unsigned i = 0; event->kind == EVENT_DDI_ENTER && i < ended_count; i++) {
            done |= ended[i] == event->b;
        }
        if (event->kind == EVENT_DDI_ENTER && !done) {
            return (int)(event->a & 0xFFFF);
        }
    }
    return -1;
}

/* The call of the driver that was open at the end, or what else of it ran, or NULL. */
static const char *last_call(struct record *record)
{
    int point = open_call(record);

    return point >= 0                           ? record_names.point((unsigned)point)
           : record_header(record)->driver_runs ? "a routine of the driver's own"
                                                : NULL;
}

/* What the user plugged in there, which of that kind from 1 on; NULL: it is built in, or there is
 * nothing. A driver can say that a plug-in ran: only where there is one, and it is no pass. */
static const char *plugged_name(const struct host_options *host, enum record_plugged who,
                                uint32_t which)
{
    switch (who) {
    case RECORD_PLUGGED_CLIENT:
        if (which > 0 && which <= host->workload_count) {
            return host->workload_paths[which - 1];
        }
        return NULL;
    case RECORD_PLUGGED_MODEL:
        return which > 0 ? host->device_path : NULL;
    default:
        return which > 0 ? host->policy_path : NULL;
    }
}

static bool is_plugged(const struct host_options *host)
{
    bool plugged = host->device_path || host->policy_path;

    for (unsigned i = 0; i < host->workload_count; i++) {
        plugged |= host->workload_paths[i] != NULL;
    }
    return plugged;
}

/* The plug-in whose code ran at the end, or NULL. A model is called in the midst of the driver's
 * calls, a client's code runs in none. */
static const char *last_plugged(struct record *record, const struct child_end *end,
                                enum record_plugged *who)
{
    static const enum record_plugged order[] = {RECORD_PLUGGED_MODEL, RECORD_PLUGGED_POLICY,
                                                RECORD_PLUGGED_CLIENT};

    for (unsigned i = 0; i < RECORD_PLUGGED_COUNT; i++) {
        *who = order[i];
        const char *name =
            plugged_name(end->host, *who, record_header(record)->plugged_runs[*who]);
        if (name && (*who != RECORD_PLUGGED_CLIENT || !last_call(record))) {
            return name;
        }
    }
    return NULL;
}

static void blame_plugged(struct record *record, const struct child_end *end, const char *how)
{
    static const char *const kinds[] = {"workload", "device model", "policy"};
    enum record_plugged who;
    const char *name = last_plugged(record, end, &who);

    record_set_outcome(who == RECORD_PLUGGED_MODEL ? RUN_OUTCOME_DEVICE_FAULT
                                                   : RUN_OUTCOME_WORKLOAD_FAULT,
                       "%s %s: %s", kinds[who], name, how);
}

static void add_finding(const char *rule, const char *ddi, const char *expected, const char *actual)
{
    struct record_breach breach = {.count = 1, .fatal = true};

    snprintf(breach.rule, sizeof breach.rule, "%s", rule);
    snprintf(breach.ddi, sizeof breach.ddi, "%s", ddi);
    snprintf(breach.expected, sizeof breach.expected, "%s", expected);
    snprintf(breach.actual, sizeof breach.actual, "%s", actual);
    record_add_breach(&breach);
}

/* Only a driver gains by that, and only its code was there to do it. */
static void judge_forgery(struct record *record, const char *what)
{
    const char *name = last_call(record);

    add_finding("RECORD", name ? name : "the driver", "a driver that leaves Drydock's memory alone",
                what);
    record_set_outcome(RUN_OUTCOME_BREACH, "the driver wrote over Drydock's memory: %s", what);
}

/* ---- Without a word -------------------------------------------------------------------------- */

static void judge_death(struct record *record, const struct child_end *end)
{
    int signal_number = WTERMSIG(end->status);
    enum record_plugged who;
    const char *stage = observe_stage_name((enum run_stage)record_header(record)->stage);
    const char *name = last_call(record);
    char text[RECORD_TEXT_MAX];

    /* Of Drydock nobody makes calls of another machine, or has other wishes for such signals. */
    if (!name && !is_plugged(end->host) &&
        (signal_number == SIGSYS || signal_number == SIGVTALRM)) {
        name = "a routine of the driver's own";
    }
    if (signal_number == SIGXCPU) {
        record_set_outcome(RUN_OUTCOME_INCONCLUSIVE, "the processor time of the run was used up");
    } else if (signal_number == SIGTERM) {
        /* No driver can send one: whoever ended all processes of the terminal did. */
        record_set_outcome(RUN_OUTCOME_INCONCLUSIVE, "interrupted");
    } else if (signal_number == SIGVTALRM && !name && !last_plugged(record, end, &who)) {
        record_set_outcome(RUN_OUTCOME_INCONCLUSIVE,
                           "somebody took the watchdog's signal away, stage %s", stage);
    } else if (signal_number == SIGSYS && is_plugged(end->host) &&
               !last_plugged(record, end, &who)) {
        /* Calls of the C library's, too, are forbidden here, and live by a handler. */
        record_set_outcome(RUN_OUTCOME_INCONCLUSIVE,
                           "a forbidden system call ended the process, stage %s (last in %s): the "
                           "driver made it past Drydock, or a plug-in took its signal away",
                           stage, name ? name : "no call of the driver");
    } else if (signal_number == SIGKILL) {
        record_set_outcome(RUN_OUTCOME_INCONCLUSIVE,
                           "the driver's process was killed, stage %s (last in %s)", stage,
                           name ? name : "no call of the driver");
    } else if (last_plugged(record, end, &who)) {
        snprintf(text, sizeof text, "the process died of signal %d (%s) in its code", signal_number,
                 strsignal(signal_number));
        blame_plugged(record, end, text);
    } else if (name) {
        snprintf(text, sizeof text, "the process died of signal %d (%s)", signal_number,
                 strsignal(signal_number));
        add_finding("FAULT", name, "a driver that does not end the process", text);
        record_set_outcome(RUN_OUTCOME_FAULT,
                           "the driver's process died of signal %d (%s) in %s, stage %s",
                           signal_number, strsignal(signal_number), name, stage);
    } else {
        record_set_outcome(
            RUN_OUTCOME_OWN_FAULT,
            "the driver's process died of signal %d (%s) outside the driver, stage %s",
            signal_number, strsignal(signal_number), stage);
    }
}

static void judge_exit(struct record *record, const struct child_end *end)
{
    int status = WEXITSTATUS(end->status);
    const char *name = last_call(record);
    enum record_plugged who;
    char text[RECORD_TEXT_MAX];

    if (last_plugged(record, end, &who)) {
        snprintf(text, sizeof text, "the process ended in its code with exit status %d", status);
        blame_plugged(record, end, text);
        return;
    }
    if (!name) {
        record_set_outcome(RUN_OUTCOME_OWN_FAULT, "the driver's process ended before the run");
        return;
    }
    snprintf(text, sizeof text, "the process ended with exit status %d", status);
    add_finding("EXIT", name, "a driver that returns", text);
    record_set_outcome(RUN_OUTCOME_FAULT, "the driver's process ended in %s, with exit status %d",
                       name, status);
}

static void judge_silence(struct record *record, const struct child_end *end)
{
    const char *name = last_call(record);

    switch (end->reason) {
    case END_STILL:
        record_set_outcome(RUN_OUTCOME_INCONCLUSIVE,
                           "nothing happened for a long time (last in %s)",
                           name ? name : "no call of the driver");
        break;
    case END_TIME:
        record_set_outcome(RUN_OUTCOME_INCONCLUSIVE,
                           "the real time limit of the run was reached (last in %s)",
                           name ? name : "no call of the driver");
        break;
    case END_INTERRUPTED:
        record_set_outcome(RUN_OUTCOME_INCONCLUSIVE, "interrupted");
        break;
    case END_CHILD:
        if (WIFSIGNALED(end->status)) {
            judge_death(record, end);
        } else {
            judge_exit(record, end);
        }
        break;
    }
}

/* ---- Together -------------------------------------------------------------------------------- */

static bool is_outranked(const struct record_header *header)
{
    return header->outcome == RUN_OUTCOME_OWN_FAULT ||
           header->outcome == RUN_OUTCOME_INCONCLUSIVE ||
           header->outcome == RUN_OUTCOME_UNSUPPORTED;
}

/* What was found before stays found. */
static void let_findings_stand(struct record *record, uint32_t breaches)
{
    const struct record_header *header = record_header(record);
    char message[sizeof header->message];

    if (breaches == 0 || !is_outranked(header)) {
        return;
    }
    snprintf(message, sizeof message, "%s", header->message);
    record_take_over(record);
    record_set_outcome(RUN_OUTCOME_BREACH, "%u breach%s of the contract; %s", breaches,
                       breaches == 1 ? "" : "es", message);
}

void judge_end(struct record *record, const struct child_end *end)
{
    const struct record_header *header = record_header(record);
    uint32_t breaches = header->counting_breaches < RECORD_BREACHES_MAX ? header->counting_breaches
                                                                        : RECORD_BREACHES_MAX;
    bool sound = record_is_sound(record), passes = end->said.outcome == RUN_OUTCOME_PASS;
    /* The host ends the process itself only when it has said so. */
    bool silenced = end->reason == END_CHILD && WIFEXITED(end->status) &&
                    end->said.outcome == RUN_OUTCOME_NONE && header->outcome != RUN_OUTCOME_NONE;

    record_take_over(record);
    if (end->forged || !sound || silenced) {
        judge_forgery(record, end->forged ? "words that are not the host's"
                              : sound     ? "the way its words take is closed"
                                          : "the record's frame");
    } else if (end->said.outcome != RUN_OUTCOME_NONE && !passes) {
        record_set_outcome((enum run_outcome)end->said.outcome, "%s", end->said.message);
    } else if (!passes || !end->closed || !WIFEXITED(end->status) || end->reason != END_CHILD) {
        judge_silence(record, end);
    } else if (end->last.outcome != RUN_OUTCOME_PASS || end->last.stage != RUN_STAGE_DONE ||
               end->last.counting_breaches > 0 || end->breaches_seen > 0 ||
               !record_matches(record, &end->last)) {
        judge_forgery(record, "the record is not as it was closed");
    } else {
        record_set_outcome(RUN_OUTCOME_PASS, "%s", end->said.message);
    }
    let_findings_stand(record, breaches);
}

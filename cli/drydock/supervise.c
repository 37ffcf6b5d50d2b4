/* The supervisor: a child runs the driver, the parent waits, shows how far it is, and gives a run
 * that died its verdict.
 *
 *     parent                          child
 *     fork() ─────────────────────── sandbox_enter()
 *     looks at the record's numbers   work() ─ writes the record
 *     the pipe closes  <───────────── _exit(), or death
 *     reads the record
 *
 * While the child lives only plain numbers of the record are looked at. */
#include "drydock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS     100
#define NS_PER_S    UINT64_C(1000000000)
#define STILL_S_MIN 60 /* real time without any event after which a child counts as stuck */

enum end_reason { END_CHILD, END_STILL, END_TIME, END_INTERRUPTED };

struct watch {
    const struct supervision *supervision;
    volatile const struct record_header *header;
    uint64_t began_ns, moved_ns; /* real */
    uint64_t events_seen, time_seen;
    bool line_shown;
};

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    interrupted = number;
}

static uint64_t real_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* ---- The child ------------------------------------------------------------------------------- */

/* Standard output is the parent's alone; what the child says is talk. */
static void arrange_files(int keep)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
    }
    dup2(STDERR_FILENO, STDOUT_FILENO);
    for (int file = STDERR_FILENO + 1; file < keep; file++) {
        close(file);
    }
    closefrom(keep + 1);
}

static _Noreturn void be_child(const struct supervision *supervision, int pipe_end,
                               struct observe_sandbox *sandbox)
{
    const struct options *options = supervision->options;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "drydock-driver");
    signal(SIGINT, SIG_IGN); /* the parent decides */
    signal(SIGTERM, SIG_DFL);
    arrange_files(pipe_end);
    sandbox_enter(options->host.driver_module, options->real_limit_ns, sandbox);
    supervision->work(supervision->argument);
    _exit(0);
}

/* ---- Waiting --------------------------------------------------------------------------------- */

static void show_progress(struct watch *watch)
{
    unsigned thousandths = watch->header->progress;
    const char *stage = observe_stage_name((enum run_stage)watch->header->stage);

    if (thousandths > 1000) {
        thousandths = 1000;
    }
    fprintf(stderr, "\r\033[K%3u%%  %-6s  %" PRIu64 ".%03u s virtual, %" PRIu64 " events",
            thousandths / 10, stage, watch->header->now_ns / NS_PER_S,
            (unsigned)(watch->header->now_ns / 1000000 % 1000), watch->header->event_count);
    fflush(stderr);
    watch->line_shown = true;
}

static bool is_still(struct watch *watch, uint64_t now)
{
    uint64_t watchdog_s = watch->supervision->options->host.watchdog_ms / 1000;
    uint64_t limit_s = STILL_S_MIN > 3 * watchdog_s ? STILL_S_MIN : 3 * watchdog_s;

    if (watch->header->event_count != watch->events_seen ||
        watch->header->now_ns != watch->time_seen) {
        watch->events_seen = watch->header->event_count;
        watch->time_seen = watch->header->now_ns;
        watch->moved_ns = now;
    }
    return now - watch->moved_ns > limit_s * NS_PER_S;
}

static enum end_reason wait_for_end(struct watch *watch, int pipe_end)
{
    struct pollfd end = {.fd = pipe_end, .events = POLLIN};
    uint64_t limit_ns = watch->supervision->options->real_limit_ns;

    for (;;) {
        if (poll(&end, 1, LOOK_MS) > 0) {
            return END_CHILD;
        }
        uint64_t now = real_now_ns();
        if (interrupted) {
            return END_INTERRUPTED;
        }
        if (limit_ns > 0 && now - watch->began_ns > limit_ns) {
            return END_TIME;
        }
        if (is_still(watch, now)) {
            return END_STILL;
        }
        if (watch->supervision->progress) {
            show_progress(watch);
        }
    }
}

/* ---- The verdict of a run that died ---------------------------------------------------------- */

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

static void judge_death(struct record *record, int signal_number)
{
    int point = open_call(record);
    const char *stage = observe_stage_name((enum run_stage)record_header(record)->stage);
    const char *name = point >= 0 ? record_names.point((unsigned)point) : NULL;

    if (signal_number == SIGXCPU) {
        record_set_outcome(RUN_OUTCOME_INCONCLUSIVE, "the processor time of the run was used up");
    } else if (signal_number == SIGKILL) {
        record_set_outcome(RUN_OUTCOME_INCONCLUSIVE,
                           "the driver's process was killed, stage %s (last in %s)", stage,
                           name ? name : "no call of the driver");
    } else if (name) {
        record_set_outcome(RUN_OUTCOME_BREACH,
                           "the driver's process died of signal %d (%s) in %s, stage %s",
                           signal_number, strsignal(signal_number), name, stage);
    } else {
        record_set_outcome(
            RUN_OUTCOME_OWN_FAULT,
            "the driver's process died of signal %d (%s) outside the driver, stage %s",
            signal_number, strsignal(signal_number), stage);
    }
}

/* A finding outranks the time limit that it may well have led to. */
static void judge_findings(const struct record_header *header, const char *afterwards)
{
    if (header->breach_count > 0) {
        record_set_outcome(RUN_OUTCOME_BREACH, "%u breach%s of the contract; %s",
                           header->breach_count, header->breach_count == 1 ? "" : "es", afterwards);
    }
}

static void judge_end(const struct watch *watch, enum end_reason reason, int status)
{
    struct record *record = watch->supervision->record;
    struct record_header *header = record_header(record);
    enum run_outcome outcome = (enum run_outcome)header->outcome;
    int point = open_call(record);
    const char *name = point >= 0 ? record_names.point((unsigned)point) : NULL;

    /* What the child said of itself stands, unless it said that all was well and died then. */
    if (outcome != RUN_OUTCOME_NONE && (outcome != RUN_OUTCOME_PASS || WIFEXITED(status))) {
        return;
    }
    switch (reason) {
    case END_STILL:
        judge_findings(header, "nothing happened for a long time afterwards");
        record_set_outcome(RUN_OUTCOME_INCONCLUSIVE,
                           "nothing happened for a long time (last in %s)",
                           name ? name : "no call of the driver");
        break;
    case END_TIME:
        judge_findings(header, "the real time limit of the run was reached");
        record_set_outcome(RUN_OUTCOME_INCONCLUSIVE,
                           "the real time limit of the run was reached (last in %s)",
                           name ? name : "no call of the driver");
        break;
    case END_INTERRUPTED:
        record_set_outcome(RUN_OUTCOME_INCONCLUSIVE, "interrupted");
        break;
    default:
        if (WIFSIGNALED(status)) {
            judge_death(record, WTERMSIG(status));
        } else if (name) {
            record_set_outcome(RUN_OUTCOME_BREACH,
                               "the driver's process ended in %s, with exit status %d", name,
                               WEXITSTATUS(status));
        } else {
            record_set_outcome(RUN_OUTCOME_OWN_FAULT, "the driver's process ended before the run");
        }
        break;
    }
}

/* ---- Together -------------------------------------------------------------------------------- */

static void catch_interrupts(void)
{
    const struct sigaction action = {.sa_handler = interrupt};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static void follow(struct watch *watch, pid_t child, int pipe_end)
{
    int status = 0;
    enum end_reason reason = wait_for_end(watch, pipe_end);

    if (reason != END_CHILD) {
        kill(child, SIGKILL);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (watch->line_shown) {
        fputs("\r\033[K", stderr);
    }
    judge_end(watch, reason, status);
}

struct observe_sandbox supervise(const struct supervision *supervision)
{
    struct observe_sandbox result = {0};
    /* The child tells through shared memory what it could give up. */
    struct observe_sandbox *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct watch watch = {.supervision = supervision, .header = record_header(supervision->record)};
    int ends[2];

    if (shared == MAP_FAILED || pipe2(ends, O_CLOEXEC) != 0) {
        record_set_outcome(RUN_OUTCOME_OWN_FAULT, "no supervised process: %s", strerror(errno));
        return result;
    }
    fflush(NULL);
    catch_interrupts();
    watch.began_ns = watch.moved_ns = real_now_ns();
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        be_child(supervision, ends[1], shared);
    }
    close(ends[1]);
    if (child < 0) {
        record_set_outcome(RUN_OUTCOME_OWN_FAULT, "no supervised process: %s", strerror(errno));
    } else {
        follow(&watch, child, ends[0]);
    }
    close(ends[0]);
    result = *shared;
    munmap(shared, sizeof *shared);
    return result;
}

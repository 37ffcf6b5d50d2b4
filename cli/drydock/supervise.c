/* The supervisor: children run the driver, the parent waits, shows how far they are, and gives a
 * run that died its verdict.
 *
 *     parent                          child
 *     fork() ─────────────────────── sandbox_enter()
 *     looks at the record's numbers   work() ─ writes its record
 *     the pipe closes  <───────────── _exit(), or death
 *     reads the record
 *
 * While a child lives only plain numbers of its record are looked at. A few children live at once,
 * in the order of their jobs; none reaches the record of another. */
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
#define AT_ONCE_MAX 8

enum end_reason { END_CHILD, END_STILL, END_TIME, END_INTERRUPTED };

/* A child that lives; job NULL: none. */
struct watch {
    struct supervision *job;
    struct observe_sandbox *sandbox; /* shared with the child */
    volatile const struct record_header *header;
    pid_t child;
    int pipe_end;
    uint64_t moved_ns; /* real */
    uint64_t events_seen, time_seen;
};

struct watchers {
    const struct supervisions *all;
    struct watch watches[AT_ONCE_MAX];
    unsigned started, ended;
    uint64_t began_ns;
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

static _Noreturn void be_child(const struct watchers *watchers, const struct watch *watch,
                               int pipe_end)
{
    const struct options *options = watchers->all->options;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "drydock-driver");
    signal(SIGINT, SIG_IGN); /* the parent decides */
    signal(SIGTERM, SIG_DFL);
    arrange_files(pipe_end);
    for (unsigned i = 0; i < watchers->all->count; i++) {
        if (&watchers->all->jobs[i] != watch->job) {
            record_forget(watchers->all->jobs[i].record);
        }
    }
    sandbox_enter(options->host.driver_module, options->real_limit_ns, watch->sandbox);
    watch->job->work(watch->job->argument);
    _exit(0);
}

/* ---- Waiting --------------------------------------------------------------------------------- */

/* Of all jobs; the newest child's stage stands for all. */
static void show_progress(struct watchers *watchers)
{
    uint64_t thousandths = UINT64_C(1000) * watchers->ended, now_ns = 0, events = 0;
    const char *stage = "";

    for (unsigned i = 0; i < watchers->started; i++) {
        const volatile struct record_header *header = record_header(watchers->all->jobs[i].record);
        now_ns += header->now_ns;
        events += header->event_count;
        stage = observe_stage_name((enum run_stage)header->stage);
    }
    for (unsigned i = 0; i < AT_ONCE_MAX; i++) {
        const struct watch *watch = &watchers->watches[i];
        if (watch->job) {
            thousandths += watch->header->progress > 1000 ? 1000 : watch->header->progress;
        }
    }
    fprintf(stderr, "\r\033[K%3u%%  %-6s  %" PRIu64 ".%03u s virtual, %" PRIu64 " events",
            (unsigned)(thousandths / watchers->all->count / 10), stage, now_ns / NS_PER_S,
            (unsigned)(now_ns / 1000000 % 1000), events);
    fflush(stderr);
    watchers->line_shown = true;
}

static bool is_still(const struct options *options, struct watch *watch, uint64_t now)
{
    uint64_t watchdog_s = options->host.watchdog_ms / 1000;
    uint64_t limit_s = STILL_S_MIN > 3 * watchdog_s ? STILL_S_MIN : 3 * watchdog_s;

    if (watch->header->event_count != watch->events_seen ||
        watch->header->now_ns != watch->time_seen) {
        watch->events_seen = watch->header->event_count;
        watch->time_seen = watch->header->now_ns;
        watch->moved_ns = now;
    }
    return now - watch->moved_ns > limit_s * NS_PER_S;
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
    if (header->counting_breaches > 0) {
        record_set_outcome(RUN_OUTCOME_BREACH, "%u breach%s of the contract; %s",
                           header->counting_breaches, header->counting_breaches == 1 ? "" : "es",
                           afterwards);
    }
}

static void judge_end(struct record *record, enum end_reason reason, int status)
{
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

static void give_up(struct watchers *watchers, struct supervision *job)
{
    record_attach(job->record);
    record_set_outcome(RUN_OUTCOME_OWN_FAULT, "no supervised process: %s", strerror(errno));
    watchers->ended++;
}

static void start_child(struct watchers *watchers, struct watch *watch)
{
    struct supervision *job = &watchers->all->jobs[watchers->started++];
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) {
        give_up(watchers, job);
        return;
    }
    *watch = (struct watch){
        .job = job,
        .sandbox = watch->sandbox,
        .header = record_header(job->record),
        .pipe_end = ends[0],
        .moved_ns = real_now_ns(),
    };
    fflush(NULL);
    watch->child = fork();
    if (watch->child == 0) {
        close(ends[0]);
        be_child(watchers, watch, ends[1]);
    }
    close(ends[1]);
    if (watch->child < 0) {
        close(ends[0]);
        give_up(watchers, job);
        watch->job = NULL;
    }
}

static void end_child(struct watchers *watchers, struct watch *watch, enum end_reason reason)
{
    int status = 0;

    if (reason != END_CHILD) {
        kill(watch->child, SIGKILL);
    }
    while (waitpid(watch->child, &status, 0) < 0 && errno == EINTR) {
    }
    close(watch->pipe_end);
    record_attach(watch->job->record);
    judge_end(watch->job->record, reason, status);
    watch->job->sandbox = *watch->sandbox;
    watch->job = NULL;
    watchers->ended++;
}

/* As many as there may be. */
static void start_children(struct watchers *watchers)
{
    unsigned at_once = watchers->all->at_once < AT_ONCE_MAX ? watchers->all->at_once : AT_ONCE_MAX;

    for (unsigned i = 0; i < at_once; i++) {
        while (!watchers->watches[i].job && watchers->started < watchers->all->count) {
            start_child(watchers, &watchers->watches[i]);
        }
    }
}

/* Why this child is at its end, and whether it is. */
static bool is_over(const struct watchers *watchers, struct watch *watch, bool pipe_closed,
                    enum end_reason *reason)
{
    uint64_t now = real_now_ns(), limit_ns = watchers->all->options->real_limit_ns;

    *reason = pipe_closed                                           ? END_CHILD
              : interrupted                                         ? END_INTERRUPTED
              : limit_ns > 0 && now - watchers->began_ns > limit_ns ? END_TIME
                                                                    : END_STILL;
    return *reason != END_STILL || is_still(watchers->all->options, watch, now);
}

static void look(struct watchers *watchers)
{
    struct pollfd ends[AT_ONCE_MAX];
    enum end_reason reason;

    for (unsigned i = 0; i < AT_ONCE_MAX; i++) {
        const struct watch *watch = &watchers->watches[i];
        ends[i] = (struct pollfd){.fd = watch->job ? watch->pipe_end : -1, .events = POLLIN};
    }
    if (poll(ends, AT_ONCE_MAX, LOOK_MS) < 0) {
        memset(ends, 0, sizeof ends);
    }
    for (unsigned i = 0; i < AT_ONCE_MAX; i++) {
        struct watch *watch = &watchers->watches[i];
        if (watch->job && is_over(watchers, watch, ends[i].revents != 0, &reason)) {
            end_child(watchers, watch, reason);
        }
    }
}

void supervise(const struct supervisions *supervisions)
{
    struct watchers watchers = {.all = supervisions, .began_ns = real_now_ns()};
    /* Children tell through shared memory what they could give up. */
    struct observe_sandbox *shared =
        mmap(NULL, sizeof *shared * AT_ONCE_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
             -1, 0);

    if (shared == MAP_FAILED) {
        for (unsigned i = 0; i < supervisions->count; i++) {
            give_up(&watchers, &supervisions->jobs[i]);
        }
        return;
    }
    for (unsigned i = 0; i < AT_ONCE_MAX; i++) {
        watchers.watches[i].sandbox = &shared[i];
    }
    catch_interrupts();
    while (watchers.ended < supervisions->count) {
        start_children(&watchers);
        look(&watchers);
        if (supervisions->progress) {
            show_progress(&watchers);
        }
    }
    if (watchers.line_shown) {
        fputs("\r\033[K", stderr);
    }
    munmap(shared, sizeof *shared * AT_ONCE_MAX);
}

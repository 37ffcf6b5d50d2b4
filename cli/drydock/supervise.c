/* The supervisor: children run the driver, the parent waits, shows how far they are, and listens.
 *
 *     parent                          child
 *     fork() ─────────────────────── sandbox_enter()
 *     looks at the record's numbers   work() ─ writes its record
 *     hears what is said  <────────── outcomes, the end; what it says on standard error
 *     the process ends    <────────── sandbox_leave(), death, or a limit
 *     judge_end()
 *
 * A few children live at once, in the order of their jobs; none reaches the record of another. The
 * driver shares the child's memory, so the parent believes nobody. While a child lives only plain
 * numbers of its record are looked at, to show them. A verdict comes over a pipe, with a
 * number that the driver was not told. The child has no file of ours but these two pipes; it is
 * waited for by its process, not by what it keeps open, and nothing is waited for without limit. */
#include "supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

#define LOOK_MS      100
#define NS_PER_S     UINT64_C(1000000000)
#define STILL_S_MIN  60 /* real time without any event after which a child counts as stuck */
#define DEATH_MS     10000
#define TALK_MAX     (UINT64_C(64) << 20) /* bytes of a child's talk that are passed on */
#define AT_ONCE_MAX  8

/* What the child says, a packet each. */
struct packet {
    uint64_t secret[2];
    uint32_t is_sandbox; /* else a statement */
    struct observe_sandbox sandbox;
    struct record_statement statement;
};

size_t supervise_packet_bytes(void)
{
    return sizeof(struct packet);
}

/* A child that lives; job NULL: none. */
struct watch {
    struct supervision *job;
    volatile const struct record_header *header;
    uint64_t moved_ns; /* real */
    uint64_t cpu_seen; /* of its processor time, when it moved last */
    uint64_t events_seen, time_seen, talked;
    pid_t child;
    int process, talk, words; /* pidfd and the ends of two pipes; -1: none, or closed */
    uint64_t secret[2];
    struct child_end end;
};

struct watchers {
    const struct supervisions *all;
    struct watch watches[AT_ONCE_MAX];
    unsigned started, ended;
    unsigned limit; /* jobs from here on do not count */
    uint64_t began_ns;
    bool line_shown, warned;
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

/* All that this process supervises is one run. */
static uint64_t run_began_ns(void)
{
    static uint64_t began_ns;

    began_ns = began_ns ? began_ns : real_now_ns();
    return began_ns;
}

/* ---- The child ------------------------------------------------------------------------------- */

/* Standard output is the parent's alone; what the child says is talk. */
static void arrange_files(int talk, int words)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
    }
    dup2(talk, STDOUT_FILENO);
    dup2(talk, STDERR_FILENO);
    dup2(words, SUPERVISE_WORDS);
    closefrom(SUPERVISE_WORDS + 1);
}

static void say(struct packet *packet)
{
    ssize_t written;

    do {
        written = write(SUPERVISE_WORDS, packet, sizeof *packet);
    } while (written < 0 && errno == EINTR);
}

static void say_statement(void *ctx, const struct record_statement *statement)
{
    struct packet *packet = ctx;

    packet->is_sandbox = false;
    packet->statement = *statement;
    say(packet);
}

static bool sandbox_is_whole(const struct observe_sandbox *sandbox)
{
    return sandbox->no_new_privileges && sandbox->filesystem && sandbox->system_calls &&
           sandbox->limits;
}

/* A run asks for megabytes and gives them back all the time; the pages stay, since each new one
 * costs a fault. */
static void keep_memory(void)
{
    (void)mallopt(M_MMAP_THRESHOLD, 32 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 256 << 20);
    (void)mallopt(M_TOP_PAD, 4 << 20);
}

static _Noreturn void be_child(const struct watchers *watchers, const struct watch *watch,
                               const int ends[2])
{
    const struct options *options = watchers->all->options;
    static struct packet packet; /* signal handlers speak, too */
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "drydock-driver");
    keep_memory();
    signal(SIGINT, SIG_IGN); /* the parent decides */
    signal(SIGTERM, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL); /* whoever started us may have had other wishes */
    memcpy(packet.secret, watch->secret, sizeof packet.secret);
    arrange_files(ends[0], ends[1]);
    for (unsigned i = 0; i < watchers->all->count; i++) {
        if (&watchers->all->jobs[i] != watch->job) {
            record_forget(watchers->all->jobs[i].record);
        }
    }
    for (unsigned i = 0; watchers->all->over && i < watchers->all->over->count; i++) {
        record_forget(watchers->all->over->all[i].record);
    }
    sandbox_enter(options, &packet.sandbox);
    packet.is_sandbox = true;
    say(&packet);
    record_set_speaker(watch->job->record, say_statement, &packet);
    if (options->require_sandbox && !sandbox_is_whole(&packet.sandbox)) {
        record_attach(watch->job->record);
        record_set_outcome(RUN_OUTCOME_USAGE,
                           "--require-sandbox: this computer cannot keep a driver in");
        record_finish(watch->job->record);
    } else {
        watch->job->work(watch->job->argument);
    }
    sandbox_leave();
}

/* ---- Listening ------------------------------------------------------------------------------- */

static void clear_line(struct watchers *watchers)
{
    if (watchers->line_shown) {
        fputs("\r\033[K", stderr);
        watchers->line_shown = false;
    }
}

/* A driver's words reach a terminal: nothing in them is obeyed. */
static void pass_on(struct watch *watch, char *text, size_t size)
{
    size_t room = TALK_MAX > watch->talked ? (size_t)(TALK_MAX - watch->talked) : 0;

    text_make_plain(text, size);
    fwrite(text, 1, size < room ? size : room, stderr);
    if (room > 0 && size >= room) {
        fputs("\ndrydock: the driver's process says more than anybody reads; left out\n", stderr);
    }
    watch->talked += size;
}

/* False: there is nothing more for now. */
static bool hear_talk(struct watchers *watchers, struct watch *watch)
{
    static char text[65536];
    ssize_t size = watch->talk >= 0 ? read(watch->talk, text, sizeof text) : -1;

    if (size == 0) {
        close(watch->talk);
        watch->talk = -1;
    }
    if (size > 0 && !watchers->all->is_trial) {
        clear_line(watchers);
        pass_on(watch, text, (size_t)size);
    }
    return size > 0;
}

/* Once: it is the same for all. */
static void warn_of_holes(struct watchers *watchers, const struct observe_sandbox *sandbox)
{
    if (!sandbox_is_whole(sandbox) && !watchers->warned && !watchers->all->is_trial) {
        watchers->warned = true;
        clear_line(watchers);
        complain("warning: the driver is not kept in:%s%s%s%s",
                 sandbox->system_calls ? "" : " no seccomp,",
                 sandbox->filesystem ? "" : " no Landlock,",
                 sandbox->limits ? "" : " no limits of memory and files,",
                 " --require-sandbox refuses such a run");
    }
}

static void take_statement(struct child_end *end, const struct record_statement *statement)
{
    if (statement->ends) {
        end->closed = true;
        end->last = *statement;
    } else if (end->said.outcome <= RUN_OUTCOME_PASS) {
        end->said = *statement;
    }
}

static bool hear_words(struct watchers *watchers, struct watch *watch)
{
    struct packet packet;
    ssize_t size = watch->words >= 0 ? read(watch->words, &packet, sizeof packet) : -1;

    if (size == 0) {
        close(watch->words);
        watch->words = -1;
    }
    if (size <= 0) {
        return false;
    }
    if (size != sizeof packet || memcmp(packet.secret, watch->secret, sizeof packet.secret) != 0) {
        watch->end.forged = true;
        return true;
    }
    if (packet.is_sandbox) {
        watch->job->sandbox = packet.sandbox;
        warn_of_holes(watchers, &packet.sandbox);
        return true;
    }
    packet.statement.message[sizeof packet.statement.message - 1] = '\0';
    take_statement(&watch->end, &packet.statement);
    return true;
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
    fprintf(stderr, "\r\033[K%s%3u%%  %-6s  %" PRIu64 ".%03u s virtual, %" PRIu64 " events",
            watchers->all->is_trial ? "what the finding needs: " : "",
            (unsigned)(thousandths / watchers->all->count / 10), stage, now_ns / NS_PER_S,
            (unsigned)(now_ns / 1000000 % 1000), events);
    fflush(stderr);
    watchers->line_shown = true;
}

/* Processor time that the child has had, or 0 if that cannot be known. */
static uint64_t processor_ns(pid_t child)
{
    struct timespec used;
    clockid_t clock;

    if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &used) != 0) {
        return 0;
    }
    return (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
}

/* Is it running, or ready to? Its name is the child's own word, and may look like a state or the
 * end of a line: the state comes behind the last parenthesis. */
static bool is_runnable(pid_t child)
{
    char path[64], text[512];

    snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
    FILE *file = fopen(path, "re");
    if (!file) {
        return false;
    }
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *end = strrchr(text, ')');
    return end && strncmp(end, ") R", 3) == 0;
}

/* Does it wait for a processor, and has had less of one than the limit since something happened?
 * Then it is the computer that is slow. */
static bool is_starved(const struct watch *watch, uint64_t limit_ns)
{
    return processor_ns(watch->child) - watch->cpu_seen <= limit_ns && is_runnable(watch->child);
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
        watch->cpu_seen = processor_ns(watch->child);
    }
    return now - watch->moved_ns > limit_s * NS_PER_S && !is_starved(watch, limit_s * NS_PER_S);
}

/* Has it ended? It is reaped then. */
static bool reap(struct watch *watch)
{
    return waitpid(watch->child, &watch->end.status, WNOHANG) == watch->child;
}

static void add_file(struct pollfd *files, unsigned *count, int file)
{
    if (file >= 0) {
        files[(*count)++] = (struct pollfd){.fd = file, .events = POLLIN};
    }
}

/* Sleeps until there is something to hear or to look at. */
static void wait_a_little(const struct watchers *watchers)
{
    struct pollfd files[AT_ONCE_MAX * 3];
    unsigned count = 0;

    for (unsigned i = 0; i < AT_ONCE_MAX; i++) {
        const struct watch *watch = &watchers->watches[i];
        if (watch->job) {
            add_file(files, &count, watch->process);
            add_file(files, &count, watch->talk);
            add_file(files, &count, watch->words);
        }
    }
    poll(files, count, LOOK_MS);
}

static bool counts(const struct watchers *watchers, const struct supervision *job)
{
    return (unsigned)(job - watchers->all->jobs) < watchers->limit;
}

/* Why this child is at its end, and whether it is. */
static bool is_over(const struct watchers *watchers, struct watch *watch)
{
    uint64_t now = real_now_ns(), limit_ns = watchers->all->options->real_limit_ns;

    watch->end.reason = reap(watch)                                           ? END_CHILD
                        : interrupted                                         ? END_INTERRUPTED
                        : limit_ns > 0 && now - watchers->began_ns > limit_ns ? END_TIME
                                                                              : END_STILL;
    return watch->end.reason != END_STILL || is_still(watchers->all->options, watch, now);
}

/* Whatever the child does with its signals and files. */
static void put_to_death(struct watchers *watchers, struct watch *watch)
{
    uint64_t begin = real_now_ns();

    if (watch->process < 0 || syscall(SYS_pidfd_send_signal, watch->process, SIGKILL, NULL, 0)) {
        kill(watch->child, SIGKILL);
    }
    while (!reap(watch)) {
        struct pollfd process = {.fd = watch->process, .events = POLLIN};
        if (real_now_ns() - begin > DEATH_MS * UINT64_C(1000000)) {
            complain("the driver's process %d does not die", (int)watch->child);
            return;
        }
        poll(&process, watch->process >= 0, LOOK_MS / 10);
        hear_talk(watchers, watch);
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
    job->cut_short = true;
    watchers->ended++;
}

/* The parent's ends are not waited for; packets stay packets. */
static bool make_pipes(int talk[2], int words[2])
{
    if (pipe2(talk, O_CLOEXEC) != 0) {
        return false;
    }
    if (pipe2(words, O_CLOEXEC | O_DIRECT) != 0) {
        close(talk[0]);
        close(talk[1]);
        return false;
    }
    fcntl(talk[0], F_SETFL, O_NONBLOCK);
    fcntl(words[0], F_SETFL, O_NONBLOCK | O_DIRECT);
    return true;
}

static void close_if_open(int file)
{
    if (file >= 0) {
        close(file);
    }
}

static void start_child(struct watchers *watchers, struct watch *watch)
{
    struct supervision *job = &watchers->all->jobs[watchers->started++];
    int talk[2], words[2];

    *watch = (struct watch){.process = -1, .talk = -1, .words = -1};
    if (getrandom(watch->secret, sizeof watch->secret, 0) != sizeof watch->secret ||
        !make_pipes(talk, words)) {
        give_up(watchers, job);
        return;
    }
    watch->job = job;
    watch->header = record_header(job->record);
    watch->moved_ns = real_now_ns();
    fflush(NULL);
    watch->child = fork();
    if (watch->child == 0) {
        be_child(watchers, watch, (const int[]){talk[1], words[1]});
    }
    close(talk[1]);
    close(words[1]);
    watch->talk = talk[0];
    watch->words = words[0];
    if (watch->child < 0) {
        close(watch->talk);
        close(watch->words);
        give_up(watchers, job);
        watch->job = NULL;
        return;
    }
    watch->process = (int)syscall(SYS_pidfd_open, watch->child, 0);
}

static void end_child(struct watchers *watchers, struct watch *watch)
{
    if (watch->end.reason != END_CHILD) {
        put_to_death(watchers, watch);
    }
    while (hear_words(watchers, watch)) {
    }
    for (uint64_t before = watch->talked;
         watch->talked - before < TALK_MAX && hear_talk(watchers, watch);) {
    }
    close_if_open(watch->process);
    close_if_open(watch->talk);
    close_if_open(watch->words);
    record_attach(watch->job->record);
    watch->end.host = watch->job->host;
    judge_end(watch->job->record, &watch->end);
    watch->job->cut_short = watch->end.reason != END_CHILD;
    /* Those before it go on to their ends, whoever is quicker: the same count each time. */
    if (watchers->all->until_finding && counts(watchers, watch->job) &&
        observe_exit_status(watch->job->record) == 1) {
        watchers->limit = (unsigned)(watch->job - watchers->all->jobs) + 1;
    }
    watch->job = NULL;
    watchers->ended++;
}

/* As many as there may be. */
static void start_children(struct watchers *watchers)
{
    unsigned at_once = watchers->all->at_once < AT_ONCE_MAX ? watchers->all->at_once : AT_ONCE_MAX;

    for (unsigned i = 0; i < at_once; i++) {
        while (!watchers->watches[i].job && watchers->started < watchers->limit) {
            start_child(watchers, &watchers->watches[i]);
        }
    }
}

static void look(struct watchers *watchers)
{
    wait_a_little(watchers);
    for (unsigned i = 0; i < AT_ONCE_MAX; i++) {
        struct watch *watch = &watchers->watches[i];
        if (!watch->job) {
            continue;
        }
        hear_talk(watchers, watch);
        hear_words(watchers, watch);
        if (watch->header->counting_breaches > watch->end.breaches_seen) {
            watch->end.breaches_seen = watch->header->counting_breaches;
        }
        if (is_over(watchers, watch) || !counts(watchers, watch->job)) {
            end_child(watchers, watch);
        }
    }
}

unsigned supervise(const struct supervisions *supervisions)
{
    struct watchers watchers = {
        .all = supervisions, .began_ns = run_began_ns(), .limit = supervisions->count};

    catch_interrupts();
    while (watchers.ended < watchers.started || watchers.started < watchers.limit) {
        start_children(&watchers);
        look(&watchers);
        if (supervisions->progress) {
            show_progress(&watchers);
        }
    }
    clear_line(&watchers);
    return watchers.limit;
}

/* What an address of the driver is in its sources, by llvm-symbolizer.
 *
 *     offsets ──> the tool, confined, one for all ──> a line of JSON each
 *
 * The image is the driver's own word, and so are the names in it: the tool that reads it has no
 * rights but to read it and the system's libraries, little time, and a bound on what it may say. */
#include "symbolizer.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "drydock.h"

#define HEARD_BYTES 65536 /* at once; no answer is longer */
#define ASKED_BYTES 4096

static const char *const tools[] = {"/usr/bin/llvm-symbolizer-19",
                                    "/usr/lib/llvm-19/bin/llvm-symbolizer",
                                    "/usr/bin/llvm-symbolizer"};

/* One run of the tool. */
struct conversation {
    const struct symbolizer_questions *questions;
    int to, from;
    size_t asked, answered; /* questions */
    char asking[ASKED_BYTES];
    size_t asking_size, asking_sent;
    char heard[HEARD_BYTES];
    size_t heard_size;
};

static _Noreturn void be_tool(const char *tool, const struct symbolizer_questions *questions,
                              int from, int to)
{
    char object[4096];
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    snprintf(object, sizeof object, "--obj=%s", questions->driver);
    dup2(from, STDIN_FILENO);
    dup2(to, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    closefrom(STDERR_FILENO + 1);
    char *const arguments[] = {(char *)(uintptr_t)tool,
                               object,
                               (char *)(uintptr_t) "--relative-address",
                               (char *)(uintptr_t) "--output-style=JSON",
                               (char *)(uintptr_t) "--no-inlines",
                               (char *)(uintptr_t) "--no-debuginfod",
                               NULL};
    char *const environment[] = {NULL};
    if (sandbox_tool(questions->driver, questions->seconds)) {
        execve(tool, arguments, environment);
    }
    _exit(127);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

/* More of the questions, as many as fit. */
static void write_down(struct conversation *talk)
{
    const struct symbolizer_questions *questions = talk->questions;

    talk->asking_size = talk->asking_sent = 0;
    while (talk->asked < questions->count && talk->asking_size + 32 < ASKED_BYTES) {
        talk->asking_size +=
            (size_t)snprintf(talk->asking + talk->asking_size, 32, "0x%" PRIx64 "\n",
                             questions->offset(questions->context, talk->asked++));
    }
}

/* False: nobody listens any more. */
static bool ask(struct conversation *talk)
{
    if (talk->asking_sent == talk->asking_size) {
        write_down(talk);
    }
    ssize_t sent =
        write(talk->to, talk->asking + talk->asking_sent, talk->asking_size - talk->asking_sent);
    if (sent < 0) {
        return errno == EAGAIN || errno == EINTR;
    }
    talk->asking_sent += (size_t)sent;
    if (talk->asking_sent == talk->asking_size && talk->asked == talk->questions->count) {
        close(talk->to);
        talk->to = -1;
    }
    return true;
}

/* ---- Hearing --------------------------------------------------------------------------------- */

static void keep_printable(char *text)
{
    for (; *text; text++) {
        *text = isprint((unsigned char)*text) ? *text : '?';
    }
}

static void copy_text(char *to, size_t size, const char *from, size_t length)
{
    snprintf(to, size, "%.*s", (int)(length < size ? length : size - 1), from ? from : "");
    keep_printable(to);
}

static uint32_t line_number(json_t *symbol, const char *name)
{
    json_int_t number = json_integer_value(json_object_get(symbol, name));

    return number > 0 && number < INT32_MAX ? (uint32_t)number : 0;
}

static void take_answer(struct conversation *talk, const char *line, size_t length)
{
    const struct symbolizer_questions *questions = talk->questions;
    struct symbolizer_answer answer = {0};
    json_t *value = json_loadb(line, length, 0, NULL);
    json_t *symbol = json_array_get(json_object_get(value, "Symbol"), 0);
    const char *function = json_string_value(json_object_get(symbol, "FunctionName"));
    const char *file = json_string_value(json_object_get(symbol, "FileName"));
    const char *start = json_string_value(json_object_get(symbol, "StartAddress"));

    answer.line = line_number(symbol, "Line");
    answer.function_line = line_number(symbol, "StartLine");
    answer.function_start = start ? strtoull(start, NULL, 16) : 0;
    copy_text(answer.file, sizeof answer.file, file, file ? strlen(file) : 0);
    /* Its arguments say nothing here. */
    copy_text(answer.function, sizeof answer.function, function && function[0] ? function : "?",
              function && function[0] ? strcspn(function, "(") : 1);
    answer.unwinds = function && strstr(function, "dtor$");
    if (answer.file[0] && answer.line) {
        questions->answer(questions->context, talk->answered, &answer);
    }
    talk->answered++;
    json_decref(value);
}

/* False: it says no more, or too much. */
static bool hear(struct conversation *talk)
{
    ssize_t got = read(talk->from, talk->heard + talk->heard_size, HEARD_BYTES - talk->heard_size);
    size_t begin = 0;
    char *end;

    if (got <= 0) {
        return got < 0 && errno == EINTR;
    }
    talk->heard_size += (size_t)got;
    while (talk->answered < talk->questions->count &&
           (end = memchr(talk->heard + begin, '\n', talk->heard_size - begin)) != NULL) {
        take_answer(talk, talk->heard + begin, (size_t)(end - talk->heard) - begin);
        begin = (size_t)(end - talk->heard) + 1;
    }
    memmove(talk->heard, talk->heard + begin, talk->heard_size - begin);
    talk->heard_size -= begin;
    return talk->heard_size < HEARD_BYTES;
}

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Asks and hears by turns, as the tool can. */
static void talk_on(struct conversation *talk)
{
    uint64_t end = now_ms() + UINT64_C(1000) * talk->questions->seconds, now;
    bool fine = true;

    while (fine && talk->answered < talk->questions->count && (now = now_ms()) < end) {
        struct pollfd files[] = {{.fd = talk->from, .events = POLLIN},
                                 {.fd = talk->to, .events = POLLOUT}};
        if (poll(files, 2, (int)(end - now)) < 0 && errno != EINTR) {
            break;
        }
        fine = (files[1].revents == 0 || talk->to < 0 || ask(talk)) &&
               (files[0].revents == 0 || hear(talk));
    }
}

/* ---- A conversation -------------------------------------------------------------------------- */

static void converse(const char *tool, struct conversation *talk)
{
    int questions[2], answers[2];

    if (pipe2(questions, O_CLOEXEC) != 0) {
        return;
    }
    if (pipe2(answers, O_CLOEXEC) == 0) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            be_tool(tool, talk->questions, questions[0], answers[1]);
        }
        close(answers[1]);
        talk->to = questions[1];
        talk->from = answers[0];
        if (child > 0) {
            fcntl(talk->to, F_SETFL, O_NONBLOCK);
            talk_on(talk);
            kill(child, SIGKILL);
            waitpid(child, NULL, 0);
        }
        questions[1] = talk->to;
        close(answers[0]);
    }
    close(questions[0]);
    if (questions[1] >= 0) {
        close(questions[1]);
    }
}

bool symbolizer_ask(const struct symbolizer_questions *questions)
{
    struct conversation *talk = calloc(1, sizeof *talk);
    void (*old_pipe)(int) = signal(SIGPIPE, SIG_IGN);
    bool all = false;

    for (size_t i = 0; talk && questions->count > 0 && i < sizeof tools / sizeof tools[0]; i++) {
        if (access(tools[i], X_OK) == 0) {
            talk->questions = questions;
            converse(tools[i], talk);
            all = talk->answered == questions->count;
            break;
        }
    }
    signal(SIGPIPE, old_pipe);
    free(talk);
    return all;
}

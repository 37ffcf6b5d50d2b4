/* Source places: what "mine.sys+0x746c" of a finding is in the driver's sources, where the image
 * has debug data and llvm-symbolizer is installed.
 *
 *     findings ─ addresses ──> llvm-symbolizer, confined, one for all ──> a line of JSON each
 *
 * The image is the driver's own word, and so are the names in it: the tool that reads it has no
 * rights but to read it and the system's libraries, little time, and a bound on what it may say. */
#include "drydock.h"

#include <ctype.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PLACES_MAX   128
#define PLACE_MAX    96
#define ANSWER_BYTES (UINT64_C(1) << 20)
#define ANSWER_MS    10000

static struct place {
    char place[PLACE_MAX]; /* "mine.sys+0x746c" */
    uint64_t asked;        /* the offset the tool is asked for */
    char text[256];        /* "Function, source.c:12"; empty: nothing is known */
} places[PLACES_MAX];
static unsigned place_count;

static const char *const tools[] = {"/usr/bin/llvm-symbolizer-19",
                                    "/usr/lib/llvm-19/bin/llvm-symbolizer",
                                    "/usr/bin/llvm-symbolizer"};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* ---- Which addresses ------------------------------------------------------------------------- */

static struct place *place_of(const char *text, size_t length)
{
    for (unsigned i = 0; i < place_count; i++) {
        if (strlen(places[i].place) == length && memcmp(places[i].place, text, length) == 0) {
            return &places[i];
        }
    }
    return NULL;
}

/* The next "name+0x1234" of the text; NULL: there is none. */
static const char *next_place(const char *text, const char *name, size_t *length)
{
    size_t name_length = strlen(name);

    for (const char *at = text; (at = strstr(at, name)) != NULL; at++) {
        size_t digits = strncmp(at + name_length, "+0x", 3) == 0
                            ? strspn(at + name_length + 3, "0123456789abcdefABCDEF")
                            : 0;
        if (digits > 0 && digits <= 16) {
            *length = name_length + 3 + digits;
            return at;
        }
    }
    return NULL;
}

/* A fault is at its instruction; everything else was called from before the address. */
static void collect(const char *text, const char *name, bool is_fault)
{
    size_t length;

    for (const char *at = text; (at = next_place(at, name, &length)) != NULL; at += length) {
        if (place_count == PLACES_MAX || length >= PLACE_MAX || place_of(at, length)) {
            continue;
        }
        struct place *place = &places[place_count++];
        memcpy(place->place, at, length);
        place->place[length] = '\0';
        uint64_t offset = strtoull(at + strlen(name) + 3, NULL, 16);
        place->asked = offset - (offset > 0 && !is_fault);
    }
}

static void collect_all(const struct parts *parts, const char *name)
{
    const struct record_breach *breach;

    for (unsigned i = 0; i < parts->count; i++) {
        for (uint32_t k = 0; (breach = record_breach_at(parts->told[i].record, k)) != NULL; k++) {
            collect(breach->actual, name, strcmp(breach->rule, "FAULT") == 0);
        }
    }
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static _Noreturn void be_tool(const char *tool, const char *driver, int questions, int answers)
{
    char object[4096];
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    snprintf(object, sizeof object, "--obj=%s", driver);
    dup2(questions, STDIN_FILENO);
    dup2(answers, STDOUT_FILENO);
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
    if (sandbox_tool(driver, ANSWER_MS / 1000)) {
        execve(tool, arguments, environment);
    }
    _exit(127);
}

static void ask(int questions)
{
    char line[32];

    for (unsigned i = 0; i < place_count; i++) {
        int size = snprintf(line, sizeof line, "0x%llx\n", (unsigned long long)places[i].asked);
        if (write(questions, line, (size_t)size) != size) {
            return;
        }
    }
}

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* All that the tool says, within its bounds; a zero ends it. */
static char *hear(int answers)
{
    char *text = malloc(ANSWER_BYTES + 1);
    uint64_t end = now_ms() + ANSWER_MS, now;
    size_t size = 0;

    while (text && size < ANSWER_BYTES && (now = now_ms()) < end) {
        struct pollfd file = {.fd = answers, .events = POLLIN};
        if (poll(&file, 1, (int)(end - now)) <= 0) {
            break;
        }
        ssize_t got = read(answers, text + size, ANSWER_BYTES - size);
        if (got <= 0) {
            break;
        }
        size += (size_t)got;
    }
    if (text) {
        text[size] = '\0';
    }
    return text;
}

/* ---- Answers --------------------------------------------------------------------------------- */

static void keep_printable(char *text)
{
    for (; *text; text++) {
        *text = isprint((unsigned char)*text) ? *text : '?';
    }
}

static void take_answer(struct place *place, const char *line, size_t length)
{
    json_t *answer = json_loadb(line, length, 0, NULL);
    json_t *symbol = json_array_get(json_object_get(answer, "Symbol"), 0);
    const char *function = json_string_value(json_object_get(symbol, "FunctionName"));
    const char *file = json_string_value(json_object_get(symbol, "FileName"));
    json_int_t number = json_integer_value(json_object_get(symbol, "Line"));

    if (file && file[0] && number > 0) {
        const char *named = function && function[0] ? function : "?";
        size_t name_length = strcspn(named, "("); /* its arguments say nothing here */
        snprintf(place->text, sizeof place->text, "%.*s, %.100s:%lld",
                 (int)(name_length < 120 ? name_length : 120), named, base_name(file),
                 (long long)number);
        keep_printable(place->text);
    }
    json_decref(answer);
}

static void take_answers(const char *text)
{
    for (unsigned i = 0; i < place_count && *text; i++) {
        size_t length = strcspn(text, "\n");
        take_answer(&places[i], text, length);
        text += length + (text[length] == '\n');
    }
}

static void converse(const char *tool, const char *driver)
{
    int questions[2], answers[2];

    if (pipe2(questions, O_CLOEXEC) != 0) {
        return;
    }
    if (pipe2(answers, O_CLOEXEC) == 0) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            be_tool(tool, driver, questions[0], answers[1]);
        }
        close(answers[1]);
        if (child > 0) {
            ask(questions[1]);
            close(questions[1]);
            questions[1] = -1;
            char *text = hear(answers[0]);
            kill(child, SIGKILL);
            waitpid(child, NULL, 0);
            take_answers(text ? text : "");
            free(text);
        }
        close(answers[0]);
    }
    close(questions[0]);
    if (questions[1] >= 0) {
        close(questions[1]);
    }
}

void places_find(const struct options *options, const struct parts *parts)
{
    void (*old_pipe)(int) = signal(SIGPIPE, SIG_IGN);

    place_count = 0;
    if (options->argument) {
        collect_all(parts, base_name(options->argument));
    }
    for (size_t i = 0; place_count > 0 && i < sizeof tools / sizeof tools[0]; i++) {
        if (access(tools[i], X_OK) == 0) {
            converse(tools[i], options->argument);
            break;
        }
    }
    signal(SIGPIPE, old_pipe);
}

const char *places_text(const char *text, const char **rest)
{
    const char *first = NULL;
    const struct place *found = NULL;

    for (unsigned i = 0; i < place_count; i++) {
        const char *at = places[i].text[0] ? strstr(text, places[i].place) : NULL;
        size_t length = strlen(places[i].place);
        if (at && !isxdigit((unsigned char)at[length]) && (!first || at < first)) {
            first = at;
            found = &places[i];
        }
    }
    if (!found) {
        return NULL;
    }
    *rest = first + strlen(found->place);
    return found->text;
}

/* Strings, files, folders and running programs. */
#include "drydock_cc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

_Noreturn void fail(const char *format, ...)
{
    va_list arguments;

    fputs("drydock-cc: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

char *text(const char *format, ...)
{
    va_list arguments;
    char *result;

    va_start(arguments, format);
    if (vasprintf(&result, format, arguments) < 0) {
        fail("out of memory");
    }
    va_end(arguments);
    return result;
}

void words_add(struct words *words, const char *string)
{
    char **strings = realloc(words->strings, (words->count + 2) * sizeof(*strings));

    if (!strings) {
        fail("out of memory");
    }
    words->strings = strings;
    strings[words->count++] = text("%s", string);
    strings[words->count] = NULL;
}

void words_add_all(struct words *words, const struct words *more)
{
    for (size_t i = 0; i < more->count; i++) {
        words_add(words, more->strings[i]);
    }
}

bool words_have(const struct words *words, const char *string)
{
    for (size_t i = 0; i < words->count; i++) {
        if (strcmp(words->strings[i], string) == 0) {
            return true;
        }
    }
    return false;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void words_sort_unique(struct words *words)
{
    size_t kept = 0;

    if (words->count == 0) {
        return;
    }
    qsort(words->strings, words->count, sizeof(*words->strings), compare);
    for (size_t i = 0; i < words->count; i++) {
        if (kept > 0 && strcmp(words->strings[kept - 1], words->strings[i]) == 0) {
            free(words->strings[i]);
        } else {
            words->strings[kept++] = words->strings[i];
        }
    }
    words->count = kept;
    words->strings[kept] = NULL;
}

void words_free(struct words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        free(words->strings[i]);
    }
    free(words->strings);
    *words = (struct words){0};
}

char *file_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "re");
    char *content = NULL;
    size_t capacity = 0, used = 0, got;

    if (!file) {
        return NULL;
    }
    do {
        if (used + 1 >= capacity) {
            capacity = capacity ? capacity * 2 : 16384;
            content = realloc(content, capacity);
            if (!content) {
                fail("out of memory");
            }
        }
        got = fread(content + used, 1, capacity - used - 1, file);
        used += got;
    } while (got > 0);
    content[used] = 0;
    fclose(file);
    if (size) {
        *size = used;
    }
    return content;
}

void file_write(const char *path, const char *content, size_t size)
{
    FILE *file = fopen(path, "we");
    bool ok = file && fwrite(content, 1, size, file) == size;

    if (file && fclose(file) != 0) {
        ok = false;
    }
    if (!ok) {
        fail("cannot write %s: %s", path, strerror(errno));
    }
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

char *path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash) {
        return text(".");
    }
    return slash == path ? text("/") : text("%.*s", (int)(slash - path), path);
}

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

const char *path_extension(const char *path)
{
    const char *dot = strrchr(path_name(path), '.');

    return dot ? dot : "";
}

char *path_absolute(const char *path)
{
    char *here = path[0] == '/' ? text("%s", "") : getcwd(NULL, 0);
    char *whole = text("%s/%s", here ? here : "", path);
    char *result = calloc(1, strlen(whole) + 2);
    size_t used = 0;

    if (!result) {
        fail("out of memory");
    }
    for (char *rest = whole, *part; (part = strsep(&rest, "/")) != NULL;) {
        if (part[0] == 0 || strcmp(part, ".") == 0) {
            continue;
        }
        if (strcmp(part, "..") == 0) {
            while (used > 0 && result[--used] != '/') {
            }
            result[used] = 0;
            continue;
        }
        used += (size_t)sprintf(result + used, "/%s", part);
    }
    if (used == 0) {
        result[0] = '/';
    }
    free(here);
    free(whole);
    return result;
}

static bool runnable(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* Debian's own folder of that version has the names without it. */
static char *tool_in(const char *folder, const char *name, bool plain)
{
    char *tool = text("%s/%.*s", folder, (int)(strlen(name) - (plain ? strlen("-19") : 0)), name);

    if (!runnable(tool)) {
        free(tool);
        tool = NULL;
    }
    return tool;
}

char *tool_find(const char *name, const char *package)
{
    const char *only = getenv("DRYDOCK_LLVM"), *path = getenv("PATH");
    char *folders = text("%s", path ? path : "/usr/bin:/bin");
    char *tool = only ? tool_in(only, name, true) : NULL;

    for (char *rest = folders, *folder; !tool && !only && (folder = strsep(&rest, ":")) != NULL;) {
        tool = tool_in(folder, name, false);
    }
    if (!tool && !only) {
        tool = tool_in("/usr/lib/llvm-19/bin", name, true);
    }
    if (!tool) {
        fail("%s not found: install the Debian package %s", name, package);
    }
    free(folders);
    return tool;
}

static void print_command(const struct words *arguments)
{
    for (size_t i = 0; i < arguments->count; i++) {
        fprintf(stderr, "%s%s", i ? " " : "", arguments->strings[i]);
    }
    fputc('\n', stderr);
}

int program_start(const struct words *arguments, int output, bool with_error, bool verbose)
{
    posix_spawn_file_actions_t actions;
    pid_t pid = -1;
    int error;

    if (verbose) {
        print_command(arguments);
    }
    posix_spawn_file_actions_init(&actions);
    if (output >= 0) {
        posix_spawn_file_actions_adddup2(&actions, output, 1);
        if (with_error) {
            posix_spawn_file_actions_adddup2(&actions, output, 2);
        }
    }
    error = posix_spawn(&pid, arguments->strings[0], &actions, NULL, arguments->strings, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) {
        fail("cannot run %s: %s", arguments->strings[0], strerror(error));
    }
    return pid;
}

int program_wait(int pid)
{
    int status;

    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            fail("waiting for a program: %s", strerror(errno));
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

char *program_output(const struct words *arguments, bool verbose, int *status)
{
    size_t capacity = 65536, used = 0;
    char *content = malloc(capacity);
    int ends[2], pid;
    ssize_t got;

    if (!content || pipe2(ends, O_CLOEXEC) != 0) {
        fail("cannot make a pipe");
    }
    pid = program_start(arguments, ends[1], false, verbose);
    close(ends[1]);
    while ((got = read(ends[0], content + used, capacity - used - 1)) > 0 ||
           (got < 0 && errno == EINTR)) {
        used += got > 0 ? (size_t)got : 0;
        if (used + 1 >= capacity) {
            capacity *= 2;
            content = realloc(content, capacity);
            if (!content) {
                fail("out of memory");
            }
        }
    }
    content[used] = 0;
    close(ends[0]);
    *status = program_wait(pid);
    return content;
}

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

void folder_walk(const char *folder, int depth, void (*visit)(const char *path, void *data),
                 void *data)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, visible, alphasort);

    for (int i = 0; i < count; i++) {
        char *path = text("%s/%s", strcmp(folder, "/") == 0 ? "" : folder, entries[i]->d_name);
        struct stat status;

        if (stat(path, &status) == 0) {
            if (S_ISREG(status.st_mode)) {
                visit(path, data);
            } else if (S_ISDIR(status.st_mode) && depth > 1) {
                folder_walk(path, depth - 1, visit, data);
            }
        }
        free(path);
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}

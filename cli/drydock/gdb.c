/* drydock gdb: the run of a driver under the debugger, which stops in DriverEntry and knows the
 * driver's symbols.
 *
 * An image of Windows lies where the first image always lies; gdb is told how far that is from
 * where the file wants to be. Its memory is there only just before it is entered, so that gdb stops
 * twice: in the host, and in the driver. Exceptions are the driver's own or emulate its registers,
 * and pass. */
#include "drydock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loader/loader.h"

#define WORDS_MAX      512
#define PATH_MAX_BYTES 4096

struct words {
    const char *all[WORDS_MAX];
    unsigned count;
};

static void add(struct words *words, const char *word)
{
    if (words->count < WORDS_MAX - 1) {
        words->all[words->count++] = word;
    }
}

static void add_command(struct words *words, const char *command)
{
    add(words, "-ex");
    add(words, command);
}

/* In the quotes that gdb's commands take. False: it is too long. */
static bool quote(const char *path, char *out, size_t size)
{
    size_t length = 0;

    for (out[length++] = '"'; *path && length + 4 < size; path++) {
        if (*path == '"' || *path == '\\') {
            out[length++] = '\\';
        }
        out[length++] = *path;
    }
    out[length++] = '"';
    out[length] = '\0';
    return *path == '\0';
}

static bool add_image(struct words *words, const char *path, const struct loader_image *image)
{
    static char symbols[PATH_MAX_BYTES], stop[64];
    char quoted[PATH_MAX_BYTES - 128];
    uint64_t moved = LOADER_IMAGE_ADDRESS_FIRST - image->preferred_base;

    if (!quote(path, quoted, sizeof quoted)) {
        return false;
    }
    snprintf(symbols, sizeof symbols, "add-symbol-file %s -o 0x%llx", quoted,
             (unsigned long long)moved);
    snprintf(stop, sizeof stop, "tbreak *0x%llx",
             LOADER_IMAGE_ADDRESS_FIRST +
                 (unsigned long long)((const uint8_t *)image->entry - image->base));
    add_command(words, "tbreak ddi_driver_enter");
    add_command(words, "run");
    add_command(words, symbols);
    add_command(words, stop);
    add_command(words, "continue");
    return true;
}

/* gdb knows modules by itself, once they are loaded. */
static void add_module(struct words *words)
{
    add_command(words, "set breakpoint pending on");
    add_command(words, "tbreak DriverEntry");
    add_command(words, "run");
}

/* The same words, as those of a run in one process. */
static void add_run(struct words *words, const struct options *options)
{
    static char self[PATH_MAX_BYTES];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    bool said = false;

    self[length > 0 ? length : 0] = '\0';
    add(words, "--args");
    add(words, length > 0 ? self : options->argv[0]);
    for (int i = 1; i < options->argc; i++) {
        bool command = !said && strcmp(options->argv[i], "gdb") == 0;
        said |= command;
        add(words, command ? "run" : options->argv[i]);
    }
    add(words, "--in-process");
}

enum exit_status gdb_command(struct options *options)
{
    static struct words words;
    struct loader_image *image;
    struct loader_error error;
    enum exit_status status = EXIT_USAGE;

    if (!loader_inspect_file(options->argument, &image, &error)) {
        complain("%s", error.text);
        return EXIT_USAGE;
    }
    add(&words, "gdb");
    add(&words, "-q");
    add_command(&words, "set confirm off");
    add_command(&words, "handle SIGSEGV SIGBUS SIGILL SIGFPE nostop noprint pass");
    if (image->kind == LOADER_KIND_ELF) {
        add_module(&words);
    } else if (!add_image(&words, options->argument, image)) {
        complain("%s: the name is too long", options->argument);
        goto out;
    }
    add_run(&words, options);
    execvp("gdb", (char *const *)(uintptr_t)words.all);
    complain("gdb: %s", strerror(errno));
out:
    loader_unload(image);
    return status;
}

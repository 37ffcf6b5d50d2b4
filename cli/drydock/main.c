/* drydock: the command. */
#include "drydock.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "base/text.h"

/* Where there is no memory for all of it the begin is told. */
void complain(const char *format, ...)
{
    va_list arguments, again;
    char begin[512], *text = NULL, *said = begin;

    va_start(arguments, format);
    va_copy(again, arguments);
    if (vasprintf(&text, format, arguments) >= 0) {
        said = text;
    } else if (vsnprintf(begin, sizeof begin, format, again) < 0) {
        snprintf(begin, sizeof begin, "%s", format);
    }
    va_end(again);
    va_end(arguments);
    text_make_plain(said, strlen(said)); /* words of files that a user was given */
    fprintf(stderr, "drydock: %s\n", said);
    if (said == text) {
        free(text);
    }
}

bool colours_wanted(void)
{
    const char *no_color = getenv("NO_COLOR");

    return isatty(STDERR_FILENO) && !(no_color && no_color[0]);
}

static enum exit_status command(struct options *options)
{
    switch (options->command) {
    case COMMAND_RUN:
        return run_command(options);
    case COMMAND_INFO:
        return info_command(options);
    case COMMAND_IMPORTS:
        return imports_command(options);
    case COMMAND_GDB:
        return gdb_command(options);
    case COMMAND_DIFF:
        return diff_command(options);
    case COMMAND_VERSIONS:
        return versions_command(options);
    case COMMAND_VARIATIONS:
        return variations_command(options);
    default:
        return rules_command(options);
    }
}

/* A run fills tens of MB with pictures: large pages spare a fault for each 4 KiB of them. What the
 * user says of malloc goes first. */
static void use_large_pages(void)
{
    setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", false);
}

/* Drivers see addresses of the kernel's functions and tables, and may hash or order by them. So
 * that they see the same ones in every run the process starts anew without randomized addresses.
 * Where that is forbidden, runs of drivers that look at no addresses still replay. */
static void fix_addresses(char **argv)
{
    int persona = personality(0xFFFFFFFFul);

    if (persona < 0 || (persona & ADDR_NO_RANDOMIZE) ||
        personality((unsigned long)persona | ADDR_NO_RANDOMIZE) < 0) {
        return;
    }
    use_large_pages();
    execv("/proc/self/exe", argv);
    personality((unsigned long)persona);
}

int main(int argc, char **argv)
{
    static struct options options;
    enum exit_status status;

    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error with a name (ulimit -f) */
    signal(SIGCHLD, SIG_DFL); /* whoever starts us may ignore it: then no end of a child is told */
    if (!options_parse(argc, argv, &options, &status)) {
        return status;
    }
    if (options.command == COMMAND_RUN || options.command == COMMAND_VERSIONS) {
        fix_addresses(argv);
    }
    status = command(&options);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        complain("standard output cannot be written");
        status = EXIT_USAGE;
    }
    plugins_leave(status);
}

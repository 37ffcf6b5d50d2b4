/* drydock-cc: builds a .sys from sources as they are written for the WDK.
 *
 *      sources ──(overlay: any letter case; generated .tmh)──> clang-19 ──> objects
 *      objects ──> undefined symbols ── minus wdkrt's ──> import library of ntoskrnl.exe
 *      objects + wdkrt.lib + imports ──> lld-link-19 ──> foo.sys
 *
 * Every symbol that nothing defines becomes an import, so no list of the kernel's functions is
 * needed here: the loader names those that do not exist, with their callers.
 *
 *      main.c     the command line and the order of things
 *      compile.c  one clang for each source, some at a time
 *      link.c     undefined symbols, the import library, the linker
 *      overlay.c  file names in any letter case
 *      trace.c    .tmh files and the macros of the trace configuration
 *      support.c  strings, files, running programs
 */
#ifndef DRYDOCK_CC_H
#define DRYDOCK_CC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A growing list of strings that it owns; strings[count] is NULL. */
struct words {
    char **strings;
    size_t count;
};

struct source {
    char *path;
    char *object;  /* in the work folder, or what -o says */
    char *depfile; /* NULL: not wanted */
    bool is_cplusplus;
};

struct options {
    const char *output;            /* -o */
    const char *wpp_config;        /* --wpp-config */
    const char *depfile;           /* --depfile */
    const char *entry;             /* --entry */
    const char *interface_version; /* of --wddm, as the macro's value; NULL: the headers' own */
    const char *standard_c, *standard_cplusplus; /* -std=, of its own language alone */
    bool compile_only, verbose, debug, has_optimisation, has_dbg;
    struct words include_folders; /* -I, -isystem, -iquote: for the overlay */
    struct words compiler;        /* passed on to clang, in order */
    struct words linker;          /* passed on to lld-link */
    struct words objects;         /* given .obj and .lib files */
    struct source *sources;
    size_t source_count;
};

struct tools {
    char *clang, *lld_link, *dlltool, *nm;
};

struct build {
    struct options options;
    struct tools tools;
    char *wdk;     /* include/wdk */
    char *wdkrt;   /* wdkrt.lib */
    char *work;    /* folder of this run, removed at its end */
    char *overlay; /* file for -ivfsoverlay */
    char *tmh;     /* folder of generated .tmh files */
};

/* support.c. What fails for want of memory ends the program. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));
void words_add(struct words *words, const char *string);
void words_add_all(struct words *words, const struct words *more);
bool words_have(const struct words *words, const char *string);
void words_sort_unique(struct words *words);
void words_free(struct words *words);
/* The whole file with a zero behind it, or NULL. */
char *file_read(const char *path, size_t *size);
void file_write(const char *path, const char *content, size_t size);
bool file_exists(const char *path);
/* "a/b.c" → "a", "b.c" → "." ; "b.c" ; ".c" in lower case. */
char *path_folder(const char *path);
const char *path_name(const char *path);
const char *path_extension(const char *path);
/* Absolute, without "." and ".."; links are left alone. */
char *path_absolute(const char *path);
/* In PATH or where Debian's LLVM 19 lies, or only in the folder that DRYDOCK_LLVM names; ends the
 * program naming the package if it is missing. */
char *tool_find(const char *name, const char *package);
/* Starts a program; *output, if not -1, becomes its standard output and standard error. */
int program_start(const struct words *arguments, int output, bool with_error, bool verbose);
/* Its exit status; 128 + signal if it died. */
int program_wait(int pid);
/* Runs it and keeps what it prints on standard output. */
char *program_output(const struct words *arguments, bool verbose, int *status);

/* The other files, as above. */
void overlay_write(struct build *build);
void trace_write(struct build *build);
/* How many sources failed. */
size_t compile_all(struct build *build);
bool link_all(struct build *build);

/* Calls visit for each regular file below a folder, in order of names; folders that start with '.'
 * are left out, and so is what lies too deep. */
void folder_walk(const char *folder, int depth, void (*visit)(const char *path, void *data),
                 void *data);

#endif

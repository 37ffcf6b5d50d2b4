/* Links: everything that no object defines is imported from the kernel. */
#include "drydock_cc.h"

#include <stdlib.h>
#include <string.h>

#define IMPORT_PREFIX "__imp_"

/* The symbols of some files, from llvm-nm. */
struct symbols {
    struct words defined, undefined;
};

/* Lines of the portable format: "name type value size"; "file:" lines stand before an archive's
 * members. */
static void read_symbols(struct build *build, const struct words *files, struct symbols *symbols)
{
    struct words command = {0};
    char *listing;
    int status;

    words_add(&command, build->tools.nm);
    words_add(&command, "--format=posix");
    words_add_all(&command, files);
    listing = program_output(&command, build->options.verbose, &status);
    words_free(&command);
    if (status != 0) {
        fail("cannot read the symbols of the objects");
    }
    for (char *rest = listing, *line; (line = strsep(&rest, "\n")) != NULL;) {
        char *name = strsep(&line, " ");
        char type = line ? line[0] : 0;

        if (type == 'U' || type == 'w') {
            words_add(&symbols->undefined, name);
        } else if (type != 0 && strchr("TDRBCVWAi", type)) {
            words_add(&symbols->defined, name);
        }
    }
    free(listing);
    words_sort_unique(&symbols->defined);
    words_sort_unique(&symbols->undefined);
}

/* Names that the linker makes up itself. */
static bool is_linkers(const char *name)
{
    static const char *const names[] = {"__ImageBase", "_tls_index", "_load_config_used"};
    static const char *const prefixes[] = {"__guard_", "__safe_se_", "__volatile_metadata",
                                           "__hybrid_"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (strncmp(prefixes[i], name, strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Sorts the undefined symbols: into imports, and into members of wdkrt that a `__imp_` reference
 * means (an archive is not searched for those). */
static void choose_imports(const struct symbols *objects, const struct symbols *wdkrt,
                           struct words *imports, struct words *includes)
{
    for (size_t i = 0; i < objects->undefined.count; i++) {
        const char *name = objects->undefined.strings[i];
        bool indirect = strncmp(name, IMPORT_PREFIX, strlen(IMPORT_PREFIX)) == 0;
        const char *plain = indirect ? name + strlen(IMPORT_PREFIX) : name;

        if (words_have(&objects->defined, plain) || is_linkers(plain)) {
            continue;
        }
        if (words_have(&wdkrt->defined, plain)) {
            if (indirect) {
                words_add(includes, plain);
            }
        } else if (plain[0] != '?') {
            /* A C++ name is a function of the driver that was forgotten: the linker shall say so.
             */
            words_add(imports, plain);
        }
    }
    for (size_t i = 0; i < wdkrt->undefined.count; i++) {
        const char *name = wdkrt->undefined.strings[i];
        const char *plain = strncmp(name, IMPORT_PREFIX, strlen(IMPORT_PREFIX)) == 0
                                ? name + strlen(IMPORT_PREFIX)
                                : name;

        if (!words_have(&wdkrt->defined, plain)) {
            words_add(imports, plain);
        }
    }
    words_sort_unique(imports);
    words_sort_unique(includes);
}

static char *make_import_library(struct build *build, const struct words *imports)
{
    char *definition = text("%s/imports.def", build->work);
    char *library = text("%s/imports.lib", build->work);
    struct words command = {0};
    FILE *to = fopen(definition, "we");
    int status;

    if (!to) {
        fail("cannot write %s", definition);
    }
    fputs("LIBRARY ntoskrnl.exe\nEXPORTS\n", to);
    for (size_t i = 0; i < imports->count; i++) {
        fprintf(to, "%s\n", imports->strings[i]);
    }
    fclose(to);
    words_add(&command, build->tools.dlltool);
    words_add(&command, "-m");
    words_add(&command, "i386:x86-64");
    words_add(&command, "-d");
    words_add(&command, definition);
    words_add(&command, "-l");
    words_add(&command, library);
    status = program_wait(program_start(&command, -1, false, build->options.verbose));
    if (status != 0) {
        fail("cannot make the import library");
    }
    words_free(&command);
    free(definition);
    return library;
}

static void add_link_options(struct build *build, const struct words *includes,
                             struct words *command)
{
    static const char *const options[] = {
        "/nologo", "/subsystem:native", "/driver", "/section:INIT,erd", "/nodefaultlib",
        "/machine:x64", "/include:_load_config_used", "/timestamp:0", "/ignore:4217", "/opt:ref",
        "/opt:noicf",
        /* Where the loader puts the first image: a debugger then needs no offset. */
        "/base:0x280000000000"};
    char *argument;

    words_add(command, build->tools.lld_link);
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        words_add(command, options[i]);
    }
    argument = text("/entry:%s", build->options.entry);
    words_add(command, argument);
    free(argument);
    if (build->options.debug) {
        words_add(command, "/debug:dwarf");
    }
    for (size_t i = 0; i < includes->count; i++) {
        argument = text("/include:%s", includes->strings[i]);
        words_add(command, argument);
        free(argument);
    }
    argument = text("/out:%s", build->options.output);
    words_add(command, argument);
    free(argument);
    words_add_all(command, &build->options.linker);
}

static bool run_linker(struct build *build, const struct words *files, const struct words *imports,
                       const struct words *includes)
{
    struct words command = {0};
    char *library = make_import_library(build, imports);
    int status;

    add_link_options(build, includes, &command);
    words_add_all(&command, files);
    words_add(&command, build->wdkrt);
    words_add(&command, library);
    status = program_wait(program_start(&command, -1, false, build->options.verbose));
    words_free(&command);
    free(library);
    return status == 0;
}

bool link_all(struct build *build)
{
    struct symbols objects = {{0}, {0}}, wdkrt = {{0}, {0}};
    struct words files = {0}, archive = {0}, imports = {0}, includes = {0};
    bool ok;

    for (size_t i = 0; i < build->options.source_count; i++) {
        words_add(&files, build->options.sources[i].object);
    }
    words_add_all(&files, &build->options.objects);
    words_add(&archive, build->wdkrt);
    read_symbols(build, &files, &objects);
    read_symbols(build, &archive, &wdkrt);
    if (!words_have(&objects.defined, build->options.entry)) {
        fail("no %s: none of the sources defines the entry point%s", build->options.entry,
             " (in C++ it must be extern \"C\")");
    }
    choose_imports(&objects, &wdkrt, &imports, &includes);
    ok = run_linker(build, &files, &imports, &includes);
    words_free(&objects.defined);
    words_free(&objects.undefined);
    words_free(&wdkrt.defined);
    words_free(&wdkrt.undefined);
    words_free(&files);
    words_free(&archive);
    words_free(&imports);
    words_free(&includes);
    return ok;
}

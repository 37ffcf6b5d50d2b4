/* drydock-cc: the command line, and the order of things. */
#include "drydock_cc.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#ifndef DRYDOCK_VERSION
#define DRYDOCK_VERSION "unknown"
#endif
#ifndef DRYDOCK_SOURCE_ROOT
#define DRYDOCK_SOURCE_ROOT ""
#endif

static struct build build; /* one a process; the exit handler wants it */

static const char usage[] =
    "Usage: drydock-cc -o DRIVER.sys SOURCE.c… [options]\n"
    "       drydock-cc -c SOURCE.c [-o SOURCE.obj] [options]\n"
    "Builds a Windows kernel driver from sources as they are written for the WDK.\n"
    "\n"
    "  -o FILE              what to make\n"
    "  -c                   compile only\n"
    "  -I DIR  -D NAME[=V]  -U NAME  -include FILE  -O LEVEL  -std=…  -f…  -m…  -W…\n"
    "                       passed on to clang\n"
    "  -g                   debug information (DWARF); then in gdb:\n"
    "                       add-symbol-file DRIVER.sys\n"
    "  --wddm VERSION       the interface version to build for: 1.0 … 3.2\n"
    "  --wpp-config FILE    declares trace functions (FUNC lines), for sources without\n"
    "                       a begin_wpp block of their own\n"
    "  --entry NAME         the entry point, if it is not DriverEntry\n"
    "  --depfile FILE       writes which files the output depends on, for make and ninja\n"
    "  -Wl,OPTION           passed on to lld-link\n"
    "  -v                   prints the commands\n"
    "  --help  --version\n"
    "\n"
    "File names may be given in any letter case and with backslashes inside #include.\n"
    "Functions that no source defines become imports from the kernel: `drydock imports\n"
    "DRIVER.sys` says which of them exist.\n"
    "\n"
    "The environment variable DRYDOCK_LLVM may name the folder of clang 19 and its tools.\n"
    "\n"
    "Example:\n"
    "  drydock-cc -o foo.sys -Iinc src/*.cpp --wddm 2.0 -g\n";

static const char *version_value(const char *version)
{
    static const char *const values[][2] = {
        {"1.0", "0x1053"},  {"1.1", "0x2005"}, {"1.2", "0x300E"}, {"1.3", "0x4002"},
        {"2.0", "0x5023"},  {"2.1", "0x6003"}, {"2.2", "0x700A"}, {"2.3", "0x8001"},
        {"2.4", "0x9006"},  {"2.5", "0xA00B"}, {"2.6", "0xB004"}, {"2.7", "0xC004"},
        {"2.8", "0xD001"},  {"2.9", "0xE003"}, {"3.0", "0xF003"}, {"3.1", "0x10004"},
        {"3.2", "0x11007"},
    };

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        if (strcmp(values[i][0], version) == 0) {
            return values[i][1];
        }
    }
    fail("--wddm %s: there are 1.0 to 1.3, 2.0 to 2.9 and 3.0 to 3.2", version);
}

/* ---- The command line ------------------------------------------------------------------------ */

struct arguments {
    char **at; /* the next one */
};

static const char *value_of(struct arguments *arguments, const char *option)
{
    if (!*arguments->at) {
        fail("%s needs a value", option);
    }
    return *arguments->at++;
}

/* "--name VALUE" or "--name=VALUE" */
static const char *long_value(struct arguments *arguments, const char *argument, const char *name)
{
    size_t length = strlen(name);

    if (strcmp(argument, name) == 0) {
        return value_of(arguments, name);
    }
    return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                           : NULL;
}

static void add_source(struct options *options, const char *path, bool is_cplusplus)
{
    struct source *sources =
        realloc(options->sources, (options->source_count + 1) * sizeof(*options->sources));

    if (!sources) {
        fail("out of memory");
    }
    if (!file_exists(path)) {
        fail("no file %s", path);
    }
    options->sources = sources;
    sources[options->source_count++] =
        (struct source){.path = text("%s", path), .is_cplusplus = is_cplusplus};
}

static void add_file(struct options *options, const char *path)
{
    static const char *const cplusplus[] = {".cpp", ".cxx", ".cc"};
    const char *extension = path_extension(path);

    for (size_t i = 0; i < sizeof(cplusplus) / sizeof(cplusplus[0]); i++) {
        if (strcasecmp(extension, cplusplus[i]) == 0) {
            add_source(options, path, true);
            return;
        }
    }
    if (strcasecmp(extension, ".c") == 0 || strcasecmp(extension, ".s") == 0) {
        add_source(options, path, false);
    } else if (strcasecmp(extension, ".obj") == 0 || strcasecmp(extension, ".lib") == 0 ||
               strcmp(extension, ".o") == 0 || strcmp(extension, ".a") == 0) {
        words_add(&options->objects, path);
    } else {
        fail("%s: neither a C or C++ source nor an object", path);
    }
}

/* Options that take an include folder, joined or apart; false if it is none of them. */
static bool read_folder_option(struct options *options, const char *argument,
                               struct arguments *arguments)
{
    static const char *const names[] = {"-isystem", "-iquote", "-idirafter", "-I"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t length = strlen(names[i]);

        if (strncmp(argument, names[i], length) == 0) {
            const char *folder =
                argument[length] ? argument + length : value_of(arguments, names[i]);

            words_add(&options->include_folders, folder);
            words_add(&options->compiler, names[i]);
            words_add(&options->compiler, folder);
            return true;
        }
    }
    return false;
}

/* Options with a value that clang gets as they are. */
static bool read_pair_option(struct options *options, const char *argument,
                             struct arguments *arguments)
{
    static const char *const names[] = {"-D", "-U", "-include", "-x", "-Xclang", "-mllvm"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(argument, names[i]) == 0) {
            const char *value = value_of(arguments, names[i]);

            options->has_dbg |= strcmp(value, "DBG") == 0 || strncmp(value, "DBG=", 4) == 0;
            words_add(&options->compiler, argument);
            words_add(&options->compiler, value);
            return true;
        }
    }
    return false;
}

static bool read_own_option(struct options *options, const char *argument,
                            struct arguments *arguments)
{
    const char *value;

    if (strcmp(argument, "-o") == 0) {
        options->output = value_of(arguments, "-o");
    } else if (strcmp(argument, "-c") == 0) {
        options->compile_only = true;
    } else if (strcmp(argument, "-v") == 0) {
        options->verbose = true;
    } else if ((value = long_value(arguments, argument, "--wpp-config")) != NULL) {
        options->wpp_config = value;
    } else if ((value = long_value(arguments, argument, "--wddm")) != NULL) {
        options->interface_version = version_value(value);
    } else if ((value = long_value(arguments, argument, "--entry")) != NULL) {
        options->entry = value;
    } else if ((value = long_value(arguments, argument, "--depfile")) != NULL) {
        options->depfile = value;
    } else if (strcmp(argument, "--help") == 0) {
        fputs(usage, stdout);
        exit(0);
    } else if (strcmp(argument, "--version") == 0) {
        puts("drydock-cc " DRYDOCK_VERSION);
        exit(0);
    } else {
        return false;
    }
    return true;
}

static void read_compiler_option(struct options *options, const char *argument)
{
    if (strncmp(argument, "-Wl,", 4) == 0) {
        char *list = text("%s", argument + 4);

        for (char *rest = list, *one; (one = strsep(&rest, ",")) != NULL;) {
            words_add(&options->linker, one);
        }
        free(list);
        return;
    }
    if (strncmp(argument, "-g", 2) == 0) {
        options->debug = strcmp(argument, "-g0") != 0;
        return;
    }
    if (!strchr("DUOfmWws", argument[1]) || strncmp(argument, "--", 2) == 0) {
        fail("unknown option %s (see drydock-cc --help)", argument);
    }
    options->has_optimisation |= argument[1] == 'O';
    if (strncmp(argument, "-std=", 5) == 0) {
        *(strstr(argument, "++") ? &options->standard_cplusplus : &options->standard_c) = argument;
        return;
    }
    options->has_dbg |= strcmp(argument + 2, "DBG") == 0 || strncmp(argument + 2, "DBG=", 4) == 0;
    words_add(&options->compiler, argument);
}

static void read_arguments(struct options *options, char **argv)
{
    struct arguments arguments = {argv + 1};

    options->entry = "DriverEntry";
    while (*arguments.at) {
        const char *argument = *arguments.at++;

        if (argument[0] != '-' || argument[1] == 0) {
            add_file(options, argument);
        } else if (!read_own_option(options, argument, &arguments) &&
                   !read_folder_option(options, argument, &arguments) &&
                   !read_pair_option(options, argument, &arguments)) {
            read_compiler_option(options, argument);
        }
    }
    if (options->source_count == 0 && options->objects.count == 0) {
        fail("no sources (see drydock-cc --help)");
    }
    if (!options->output && !options->compile_only) {
        fail("say with -o what to make");
    }
    if (options->compile_only && options->output && options->source_count > 1) {
        fail("-c -o: one source makes one object");
    }
}

/* ---- Where things are ------------------------------------------------------------------------ */

/* Headers and runtime lie in the build folder this program was built in, or where it was installed.
 */
static void find_own_files(struct build *to)
{
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *folder;

    if (length <= 0) {
        fail("cannot find myself (/proc/self/exe)");
    }
    self[length] = 0;
    folder = path_folder(self);
    to->wdkrt = text("%s/wdkrt/wdkrt.lib", folder);
    to->wdk = text("%s/include/wdk", DRYDOCK_SOURCE_ROOT);
    if (!file_exists(to->wdkrt) || !file_exists(to->wdk)) {
        to->wdkrt = text("%s/../lib/drydock/wdkrt.lib", folder);
        to->wdk = text("%s/../share/drydock/include/wdk", folder);
    }
    free(folder);
    if (!file_exists(to->wdk)) {
        fail("my headers are missing: no %s", to->wdk);
    }
    if (!to->options.compile_only && !file_exists(to->wdkrt)) {
        fail("my runtime library is missing: no %s", to->wdkrt);
    }
}

static void find_tools(struct build *to)
{
    to->tools.clang = tool_find("clang-19", "clang-19");
    to->tools.lld_link = tool_find("lld-link-19", "lld-19");
    to->tools.dlltool = tool_find("llvm-dlltool-19", "llvm-19");
    to->tools.nm = tool_find("llvm-nm-19", "llvm-19");
}

static void remove_one(const char *path, void *data)
{
    unlink(path);
}

static void remove_work(void)
{
    if (build.work) {
        folder_walk(build.work, 2, remove_one, NULL);
        if (build.tmh) {
            rmdir(build.tmh);
        }
        rmdir(build.work);
    }
}

static void make_work(struct build *to)
{
    const char *temporary = getenv("TMPDIR");
    char *folder = text("%s/drydock-cc-XXXXXX", temporary && *temporary ? temporary : "/tmp");

    if (!mkdtemp(folder)) {
        fail("cannot make a folder %s", folder);
    }
    to->work = folder;
    atexit(remove_work);
}

/* Objects lie in the work folder, numbered, for two sources may have one name. */
static void name_objects(struct build *to)
{
    struct options *options = &to->options;

    for (size_t i = 0; i < options->source_count; i++) {
        struct source *source = &options->sources[i];
        const char *name = path_name(source->path);
        int stem = (int)(path_extension(source->path) - name);

        if (!options->compile_only) {
            source->object = text("%s/%zu-%.*s.obj", to->work, i, stem, name);
        } else {
            source->object =
                options->output ? text("%s", options->output) : text("%.*s.obj", stem, name);
        }
        if (options->depfile) {
            source->depfile = text("%s/%zu.d", to->work, i);
        }
    }
}

/* Clang's files say "object: files"; ours says it of the output. Generated files are left out. */
static void write_depfile(const struct build *from)
{
    FILE *to = fopen(from->options.depfile, "we");

    if (!to) {
        fail("cannot write %s", from->options.depfile);
    }
    fprintf(to, "%s:", from->options.output);
    for (size_t i = 0; i < from->options.source_count; i++) {
        char *content = file_read(from->options.sources[i].depfile, NULL);
        char *rest = content ? strstr(content, ": ") : NULL;

        for (char *word; rest && (word = strsep(&rest, " \\\n")) != NULL;) {
            if (*word && strcmp(word, ":") != 0 &&
                strncmp(word, from->work, strlen(from->work)) != 0) {
                fprintf(to, " \\\n  %s", word);
            }
        }
        free(content);
    }
    fputc('\n', to);
    fclose(to);
}

int main(int argc, char **argv)
{
    size_t failed;

    if (argc < 2) {
        fputs(usage, stderr);
        return 2;
    }
    read_arguments(&build.options, argv);
    find_tools(&build);
    find_own_files(&build);
    make_work(&build);
    name_objects(&build);
    trace_write(&build);
    overlay_write(&build);
    failed = compile_all(&build);
    if (failed) {
        fail("%zu of %zu sources did not compile", failed, build.options.source_count);
    }
    if (build.options.depfile && build.options.output) {
        write_depfile(&build);
    }
    if (!build.options.compile_only && !link_all(&build)) {
        unlink(build.options.output);
        fail("%s was not linked", build.options.output);
    }
    return 0;
}

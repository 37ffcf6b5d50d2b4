/* Compiles each source with clang for the Windows target, as many at a time as there are
 * processors. */
#include "drydock_cc.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    JOB_MAX = 16,
};

struct job {
    int pid; /* 0: none */
    int output;
    char *output_path;
    const struct source *source;
    bool synchronous; /* without -fasync-exceptions */
};

static void add_all(struct words *words, const char *const *strings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        words_add(words, strings[i]);
    }
}
#define ADD(words, ...)                                            \
    do {                                                           \
        static const char *const list_[] = {__VA_ARGS__};          \
        add_all((words), list_, sizeof(list_) / sizeof(list_[0])); \
    } while (0)

static void add_text(struct words *words, char *string)
{
    words_add(words, string);
    free(string);
}

/* The dialect: what Microsoft's compiler does by itself for kernel code. */
static void add_dialect(struct words *words, const struct options *options,
                        const struct source *source)
{
    ADD(words, "--target=x86_64-pc-windows-msvc", "-nostdinc", "-fms-extensions",
        "-fms-compatibility", "-fms-compatibility-version=19.38", "-fasync-exceptions",
        "-fno-exceptions", "-fno-builtin", "-fasynchronous-unwind-tables", "-ffunction-sections",
        "-mno-red-zone", "-mcx16", "-fno-stack-protector", "-fno-strict-aliasing",
        "-fno-delete-null-pointer-checks", "-fwrapv", "-fno-crash-diagnostics");
    /* clang inlines from one section into another, and what holds a lock would run in PAGE where
     * its author put it elsewhere. Functions that are always inline still are. */
    words_add(words, "-fno-inline");
    if (source->is_cplusplus) {
        /* Microsoft's compiler constructs nothing where operator new returned NULL. */
        ADD(words, "-fno-rtti", "-fno-threadsafe-statics", "-fno-sized-deallocation",
            "-fcheck-new");
        words_add(words, options->standard_cplusplus ? options->standard_cplusplus : "-std=c++17");
    } else {
        /* A variable of C that a header leaves without a value is one in all that include it. */
        words_add(words, "-fcommon");
        if (options->standard_c) {
            words_add(words, options->standard_c);
        }
    }
    ADD(words, "-D_AMD64_", "-DAMD64", "-D_WIN64", "-D_KERNEL_MODE=1", "-DWINNT=1", "-DSTD_CALL",
        "-D_WIN32_WINNT=0x0A00", "-DWINVER=0x0A00", "-DPOOL_NX_OPTIN=1");
    if (!options->has_dbg) {
        words_add(words, "-DDBG=1");
    }
    /* Habits of code that Microsoft's compiler accepts. */
    ADD(words, "-Wno-incompatible-function-pointer-types", "-Wno-microsoft", "-Wno-unknown-pragmas",
        "-Wno-ignored-pragmas", "-Wno-ignored-attributes", "-Wno-nonportable-include-path",
        "-Wno-pragma-pack", "-Wno-switch", "-Wno-int-to-void-pointer-cast",
        "-Wno-incompatible-pointer-types-discards-qualifiers", "-Wno-multichar",
        "-Wno-missing-declarations", "-Wno-unused-value", "-Wno-ignored-pragma-intrinsic",
        "-Wno-extra-tokens", "-Wno-writable-strings", "-Wno-bitfield-constant-conversion",
        "-Wno-c++11-narrowing");
}

static void command_for(struct build *build, const struct job *job, struct words *command)
{
    const struct options *options = &build->options;
    const struct source *source = job->source;

    words_add(command, build->tools.clang);
    add_dialect(command, options, source);
    if (job->synchronous) {
        words_add(command, "-fno-async-exceptions");
    }
    if (!options->has_optimisation) {
        words_add(command, "-O1");
    }
    if (options->debug) {
        ADD(command, "-gdwarf", "-fno-omit-frame-pointer");
    }
    if (options->interface_version) {
        add_text(command, text("-DDXGKDDI_INTERFACE_VERSION=%s", options->interface_version));
    }
    if (isatty(2)) {
        words_add(command, "-fcolor-diagnostics");
    }
    words_add(command, "-ivfsoverlay");
    words_add(command, build->overlay);
    words_add_all(command, &options->compiler);
    add_text(command, text("-I%s", build->tmh));
    words_add(command, "-isystem");
    words_add(command, build->wdk);
    add_text(command, text("-isystem%s/crt", build->wdk));
    if (source->depfile) {
        ADD(command, "-MMD", "-MF");
        words_add(command, source->depfile);
    }
    ADD(command, "-c", "-o");
    words_add(command, source->object);
    words_add(command, source->path);
}

static void start(struct build *build, const struct source *source, bool synchronous,
                  struct job *job)
{
    struct words command = {0};

    job->source = source;
    job->synchronous = synchronous;
    job->output_path = text("%s.log", source->object);
    if (build->options.compile_only) {
        free(job->output_path);
        job->output_path = text("%s/compile.log", build->work);
    }
    job->output = open(job->output_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (job->output < 0) {
        fail("cannot write %s", job->output_path);
    }
    command_for(build, job, &command);
    job->pid = program_start(&command, job->output, true, build->options.verbose);
    words_free(&command);
}

/* Waits, and passes on what the compiler said: in the order of the sources, whoever is ready first.
 * clang 19 breaks down over some C++ functions with -fasync-exceptions: those are compiled without.
 */
static bool finish(struct build *build, struct job *job)
{
    int status = program_wait(job->pid);
    bool ok = status == 0;
    size_t size = 0;
    char *said;

    close(job->output);
    if (status >= 128 && !job->synchronous) {
        fprintf(
            stderr,
            "drydock-cc: note: %s: the compiler broke down and is run again without "
            "-fasync-exceptions; a fault in a function with a __try of its own may go past it\n",
            job->source->path);
        free(job->output_path);
        start(build, job->source, true, job);
        return finish(build, job);
    }
    said = file_read(job->output_path, &size);
    if (said) {
        fwrite(said, 1, size, stderr);
    }
    free(said);
    free(job->output_path);
    job->pid = 0;
    return ok;
}

size_t compile_all(struct build *build)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t slots = processors < 1 ? 1 : processors > JOB_MAX ? JOB_MAX : (size_t)processors;
    struct job jobs[JOB_MAX] = {{0}};
    size_t count = build->options.source_count, failed = 0;

    for (size_t i = 0; i < count + slots; i++) {
        struct job *job = &jobs[i % slots];

        if (job->pid) {
            failed += !finish(build, job);
        }
        if (i < count) {
            start(build, &build->options.sources[i], false, job);
        }
    }
    return failed;
}

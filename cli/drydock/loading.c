/* Loading a library of anybody's into the process that watches the runs: a damaged one, or a
 * constructor that ends, hangs or spoils the process, is told as what it is. See loading.h. */
#include "loading.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOADING_S_MAX 60 /* for the constructors of a library */

/* ---- Where they lie -------------------------------------------------------------------------- */

#define MAPPED_MAX (HOST_WORKLOADS_MAX + 2) /* the workloads', a device's and a policy's */

/* Once a file is shorter, the dynamic linker may be unable to say that. */
static struct host_mapped mapped[MAPPED_MAX];
static unsigned mapped_count;

/* For dl_iterate_phdr: the object that holds the begin; its extent. */
static int measure(struct dl_phdr_info *info, size_t size, void *context)
{
    struct host_mapped *of = context;
    uintptr_t begin = UINTPTR_MAX, end = 0;
    bool here = false;

    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + segment->p_vaddr;

        if (segment->p_type == PT_LOAD) {
            begin = from < begin ? from : begin;
            end = from + segment->p_memsz > end ? from + segment->p_memsz : end;
            here |= of->begin - from < segment->p_memsz;
        }
    }
    if (here) {
        of->begin = begin;
        of->end = end;
    }
    return here;
}

static void note_mapped(void *library, const char *path)
{
    static char names[MAPPED_MAX][LOADING_NAME_MAX];
    struct link_map *map;

    if (mapped_count == MAPPED_MAX || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) {
        return;
    }
    struct host_mapped found = {.begin = (uintptr_t)map->l_ld, .name = names[mapped_count]};
    if (dl_iterate_phdr(measure, &found)) {
        snprintf(names[mapped_count], sizeof names[mapped_count], "%s", path);
        mapped[mapped_count++] = found;
    }
}

void loading_tell(struct host_options *host)
{
    host->mapped = mapped;
    host->mapped_count = mapped_count;
}

/* Whose page is gone, or NULL. */
static const char *name_at(const siginfo_t *info)
{
    const struct host_options here = {.mapped = mapped, .mapped_count = mapped_count};

    return info->si_code > 0 ? host_mapped_name(&here, (uintptr_t)info->si_addr) : NULL;
}

/* ---- Loading --------------------------------------------------------------------------------- */

/* The library that is loaded now, or was last; the dynamic linker trusts what it reads, and runs
 * the library's constructors here, as we trust the pointers in its table. */
static char library_name[LOADING_NAME_MAX];
static volatile sig_atomic_t loading, loaded;
static volatile pid_t probe; /* the process that tries it; 0: none */

static _Noreturn void leave(const char *what, const char *name)
{
    const char *const words[] = {"drydock: ", name, what};

    if (probe > 0) {
        kill(probe, SIGKILL);
    }
    for (unsigned i = 0; i < 3; i++) {
        (void)!write(STDERR_FILENO, words[i], strlen(words[i]));
    }
    _exit(EXIT_PLUGIN_FAULT);
}

/* In a signal handler. What is mapped of a file goes with its end, at any later time, too. */
static void loading_failed(int number, siginfo_t *info, void *context)
{
    const char *shorter = number == SIGBUS ? name_at(info) : NULL;

    (void)context;
    if (shorter) {
        leave(": was made shorter while it was in use\n", shorter);
    }
    if (loading) {
        leave(number == SIGALRM ? ": does not come back from being loaded\n"
                                : ": cannot be loaded: it is damaged, or its own code failed\n",
              library_name);
    }
    signal(number, SIG_DFL); /* nobody's but ours */
    raise(number);
}

static void loading_ended(void)
{
    if (loading) {
        leave(": ended the process while it was loaded\n", library_name);
    }
}

static const int loading_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGALRM};
#define LOADING_SIGNALS (sizeof loading_signals / sizeof loading_signals[0])
static struct sigaction loading_before[LOADING_SIGNALS];
static sigset_t loading_mask; /* before; every child would have what a constructor blocks */

void loading_begin(const char *path)
{
    static bool watched;

    const struct sigaction action = {.sa_sigaction = loading_failed, .sa_flags = SA_SIGINFO};

    if (!strchr(path, '/')) {
        return; /* built in */
    }
    snprintf(library_name, sizeof library_name, "%s", path);
    sigprocmask(SIG_SETMASK, NULL, &loading_mask);
    for (size_t i = 0; i < LOADING_SIGNALS; i++) {
        sigaction(loading_signals[i], &action, &loading_before[i]);
    }
    if (!watched) {
        watched = true;
        atexit(loading_ended);
    }
    loading = true;
    alarm(LOADING_S_MAX);
}

void loading_end(void)
{
    if (!loading) {
        return;
    }
    alarm(0);
    loading = false;
    loaded = true;
    for (size_t i = 0; i < LOADING_SIGNALS; i++) {
        if (loading_signals[i] != SIGBUS) {
            sigaction(loading_signals[i], &loading_before[i], NULL);
        }
    }
    /* What constructors leave of these would reach the runs. */
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_SETMASK, &loading_mask, NULL);
}

#define PROBE_FINE 0x2A

/* It may hang, and keep the alarm from itself: it never lives longer than the tool. */
static _Noreturn void try_to_load(const char *path, pid_t parent)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(PROBE_FINE); /* nobody waits */
    }
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    signal(SIGALRM, SIG_DFL);
    alarm(LOADING_S_MAX);
    (void)dlopen(path, RTLD_NOW | RTLD_LOCAL);
    _exit(PROBE_FINE);
}

/* Does a process live on that loads it? The dynamic linker ends one that it cannot help, and so may
 * a constructor. Where that cannot be known it is tried here. */
static bool can_be_loaded(const char *path)
{
    pid_t self = getpid(), ended;
    int status = 0;

    probe = fork();
    if (probe == 0) {
        try_to_load(path, self);
    }
    do {
        ended = probe > 0 ? waitpid(probe, &status, 0) : -1;
    } while (probe > 0 && ended < 0 && errno == EINTR);
    probe = 0;
    return ended < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == PROBE_FINE);
}

const void *loading_symbol(const char *option, const char *path, const char *symbol, char *error,
                           size_t error_size)
{
    if (!can_be_loaded(path)) {
        snprintf(error, error_size,
                 "--%s %s: it is damaged, or its own code fails while it is loaded", option, path);
        return NULL;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library) {
        note_mapped(library, path);
    }
    const void *found = library ? dlsym(library, symbol) : NULL;
    size_t length = strlen(path);
    const char *why;

    if (found) {
        return found;
    }
    why = dlerror();
    if (why && strncmp(why, path, length) == 0 && strncmp(why + length, ": ", 2) == 0) {
        why += length + 2;
    }
    snprintf(error, error_size, "--%s %s: %s", option, path, why ? why : "its symbol is nothing");
    return NULL;
}

_Noreturn void plugins_leave(enum exit_status status)
{
    fflush(NULL);
    if (loaded) {
        _exit(status); /* nothing of them is called here at the end */
    }
    exit(status);
}

/* Plug-ins that the user names: device models, scheduling policies and workloads, built in or
 * libraries of anybody's.
 * A library is loaded here, before the run gives up its rights; its code runs behind them. */
#include "drydock.h"

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

#include "base/option.h"
#include "softgpu/softgpu.h"
#include "vidsch/vidsch.h"
#include "workloads.h"

#define POLICY_STATE_MAX (1u << 20)
#define LOADING_S_MAX    60 /* for the constructors of a library */

/* "./mine.so,lanes=4" in its two parts; options is NULL if there are none. */
struct plugin_word {
    char name[4096];
    const char *options;
};

static bool split(const char *option, const char *word, struct plugin_word *out, char *error,
                  size_t error_size)
{
    const char *comma = strchr(word, ',');
    size_t length = comma ? (size_t)(comma - word) : strlen(word);

    if (length >= sizeof out->name) {
        snprintf(error, error_size, "--%s: the name is too long", option);
        return false;
    }
    memcpy(out->name, word, length);
    out->name[length] = '\0';
    out->options = comma ? comma + 1 : NULL;
    return true;
}

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
    static char names[MAPPED_MAX][sizeof((struct plugin_word *)NULL)->name];
    struct link_map *map;
    struct host_mapped found = {.name = names[mapped_count]};

    if (mapped_count == MAPPED_MAX || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) {
        return;
    }
    found.begin = (uintptr_t)map->l_ld;
    if (dl_iterate_phdr(measure, &found)) {
        snprintf(names[mapped_count], sizeof names[mapped_count], "%s", path);
        mapped[mapped_count++] = found;
    }
}

static void tell_mapped(struct host_options *host)
{
    host->mapped = mapped;
    host->mapped_count = mapped_count;
}

/* Whose page is gone, or NULL. */
static const char *name_at(const siginfo_t *info)
{
    uintptr_t address = (uintptr_t)info->si_addr;

    for (unsigned i = 0; i < mapped_count && info->si_code > 0; i++) {
        if (address - mapped[i].begin < mapped[i].end - mapped[i].begin) {
            return mapped[i].name;
        }
    }
    return NULL;
}

/* ---- Loading --------------------------------------------------------------------------------- */

/* The library that is loaded now, or was last; the dynamic linker trusts what it reads, and runs
 * the library's constructors here, as we trust the pointers in its table. */
static char library_name[4096];
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

/* Until loading_end(): what fails is the library. */
static void loading_begin(const char *path)
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

static void loading_end(void)
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

/* The symbol of a library, or NULL with a sentence in error. */
static const void *load(const char *option, const char *path, const char *symbol, char *error,
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

/* ---- Device models --------------------------------------------------------------------------- */

/* "vram_mb=32" alone is said to the built-in device. */
static bool is_options_alone(const char *word)
{
    size_t plain = strcspn(word, ",=/");

    return word[plain] == '=';
}

bool device_choose(struct options *options, char *error, size_t error_size)
{
    static struct plugin_word word;
    struct host_options *host = &options->host;
    struct option_values values;
    char why[512];

    host->device_model = &softgpu_model;
    if (!options->device) {
        return true;
    }
    if (is_options_alone(options->device)) {
        host->device_options = options->device;
    } else if (!split("device", options->device, &word, error, error_size)) {
        return false;
    } else if (strchr(word.name, '/')) {
        loading_begin(word.name);
        host->device_model = load("device", word.name, DRYDOCK_DEVICE_SYMBOL, error, error_size);
        loading_end();
        tell_mapped(host);
        host->device_path = word.name;
        host->device_options = word.options;
        return host->device_model != NULL;
    } else if (strcmp(word.name, softgpu_model.name) == 0) {
        host->device_options = word.options;
    } else {
        snprintf(error, error_size,
                 "--device %s: no such device; there is softgpu, and a library needs a path",
                 word.name);
        return false;
    }
    if (!option_values_read(&values, softgpu_model.options, host->device_options, why,
                            sizeof why)) {
        snprintf(error, error_size, "--device: %s", why);
        return false;
    }
    return true;
}

/* ---- Scheduling policies --------------------------------------------------------------------- */

static bool take_builtin_policy(struct options *options, char *error, size_t error_size)
{
    static const struct vidsch_policy *const policies[] = {&vidsch_policy_priority,
                                                           &vidsch_policy_fifo};

    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        if (strcmp(options->policy, policies[i]->name) == 0) {
            options->host.policy_builtin = policies[i];
            return true;
        }
    }
    snprintf(error, error_size,
             "--policy %s: no such policy; there are priority and fifo, and a library needs a path",
             options->policy);
    return false;
}

bool policy_choose(struct options *options, char *error, size_t error_size)
{
    const struct drydock_policy *policy;

    if (!options->policy) {
        return true;
    }
    if (!strchr(options->policy, '/')) {
        return take_builtin_policy(options, error, error_size);
    }
    loading_begin(options->policy);
    policy = load("policy", options->policy, DRYDOCK_POLICY_SYMBOL, error, error_size);
    loading_end();
    tell_mapped(&options->host);
    if (!policy) {
        return false;
    }
    if (policy->abi == 0 || policy->abi > DRYDOCK_POLICY_ABI) {
        snprintf(error, error_size,
                 "--policy %s: it is made for version %u of drydock/policy.h, this Drydock has %u",
                 options->policy, policy->abi, DRYDOCK_POLICY_ABI);
        return false;
    }
    if (!policy->name || !policy->pick || policy->state_bytes > POLICY_STATE_MAX) {
        snprintf(error, error_size,
                 "--policy %s: it has no name or no pick(), or wants more than "
                 "%u bytes for a node",
                 options->policy, POLICY_STATE_MAX);
        return false;
    }
    options->host.policy = policy;
    options->host.policy_path = options->policy;
    return true;
}

/* ---- Workloads ------------------------------------------------------------------------------- */

static const struct drydock_workload *find_workload(const char *name, char *error,
                                                    size_t error_size)
{
    const struct drydock_workload *workload;

    if (!strchr(name, '/')) {
        workload = workload_builtin(name);
        if (!workload) {
            snprintf(error, error_size, "--workload %s: no such workload; a library needs a path",
                     name);
        }
        return workload;
    }
    workload = load("workload", name, DRYDOCK_WORKLOAD_SYMBOL, error, error_size);
    if (workload && (workload->abi == 0 || workload->abi > DRYDOCK_WORKLOAD_ABI)) {
        snprintf(error, error_size,
                 "--workload %s: it is made for version %u of drydock/workload.h, this Drydock "
                 "has %u",
                 name, workload->abi, DRYDOCK_WORKLOAD_ABI);
        return NULL;
    }
    /* The name is read to its end: reports do, too. */
    if (workload && (!workload->name || !workload->run || strlen(workload->name) == 0)) {
        snprintf(error, error_size, "--workload %s: it has no name or no run()", name);
        return NULL;
    }
    return workload;
}

static bool take_workload(struct options *options, const char *text, char *error, size_t error_size)
{
    static struct option_values values[HOST_WORKLOADS_MAX];
    static char paths[HOST_WORKLOADS_MAX][sizeof((struct plugin_word *)NULL)->name];
    struct host_options *host = &options->host;
    unsigned place = host->workload_count;
    struct plugin_word word;
    char why[512];

    if (!split("workload", text, &word, error, error_size)) {
        return false;
    }
    loading_begin(word.name);
    const struct drydock_workload *workload = find_workload(word.name, error, error_size);
    bool fine = workload != NULL;
    if (fine && !option_values_read(&values[place], workload->abi >= 2 ? workload->options : NULL,
                                    word.options, why, sizeof why)) {
        snprintf(error, error_size, "--workload %s: %s", word.name, why);
        fine = false;
    }
    loading_end();
    tell_mapped(host);
    if (!fine) {
        return false;
    }
    host->workloads[place] = workload;
    host->workload_ends[place] = workload_ends(workload);
    if (strchr(word.name, '/')) {
        memcpy(paths[place], word.name, sizeof word.name);
        host->workload_paths[place] = paths[place];
    }
    host->workload_values[place] = values[place].values;
    host->workload_count++;
    return true;
}

static bool has_room(const struct host_options *host, char *error, size_t error_size)
{
    if (host->workload_count == HOST_WORKLOADS_MAX) {
        snprintf(error, error_size, "--workload: more than %u workloads", HOST_WORKLOADS_MAX);
    }
    return host->workload_count < HOST_WORKLOADS_MAX;
}

static bool take_all_workloads(struct options *options, char *error, size_t error_size)
{
    for (unsigned i = 0; workload_builtin_at(i); i++) {
        if (!has_room(&options->host, error, error_size) ||
            !take_workload(options, workload_builtin_at(i)->name, error, error_size)) {
            return false;
        }
    }
    return true;
}

bool workloads_choose(struct options *options, char *error, size_t error_size)
{
    bool fine = options->workload_count > 0 || take_all_workloads(options, error, error_size);

    for (unsigned i = 0; i < options->workload_count && fine; i++) {
        if (strcmp(options->workloads[i], WORKLOADS_ALL) == 0) {
            fine = take_all_workloads(options, error, error_size);
        } else if (strcmp(options->workloads[i], WORKLOADS_NONE) == 0) {
            options->host.workload_count = 0;
        } else {
            fine = has_room(&options->host, error, error_size) &&
                   take_workload(options, options->workloads[i], error, error_size);
        }
    }
    return fine;
}

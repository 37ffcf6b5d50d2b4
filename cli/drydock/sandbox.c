/* The rights a driver's process gives up: capabilities, files, system calls, memory without end.
 *
 * A driver is foreign machine code with the kernel's manners; here it gets what the simulation
 * needs (memory, timers, signals to itself) and nothing else. What the running kernel does not
 * offer is left out, and the report says so.
 *
 * A forbidden system call raises SIGSYS. If a driver's own instruction made it, that is a finding;
 * if a library of ours tried something it can do without, it gets EPERM. */
#include "drydock.h"
#include "seal.h"
#include "supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <linux/capability.h>
#include <linux/landlock.h>
#include <seccomp.h>

#include "machine/machine.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#define MEMORY_BYTES_MAX   (UINT64_C(8) << 30) /* private and writable; of one file in memory */
#define FILES_MAX          64
#define KEYED_BYTES_MAX    (UINT64_C(32) << 20) /* of one block of pageable memory */
#define SANDBOX_END_STATUS 0x5A                 /* with which the process may end */

static struct seal seal;
static bool seal_known;
static int memory_file = -1; /* says how much address space this process has */

#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (UINT64_C(1) << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (UINT64_C(1) << 15)
#endif

/* ---- Files ----------------------------------------------------------------------------------- */

static uint64_t accesses_known(int version)
{
    uint64_t all = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;

    if (version >= 2) {
        all |= LANDLOCK_ACCESS_FS_REFER;
    }
    if (version >= 3) {
        all |= LANDLOCK_ACCESS_FS_TRUNCATE;
    }
    if (version >= 5) {
        all |= LANDLOCK_ACCESS_FS_IOCTL_DEV;
    }
    return all;
}

static void allow_reading(int ruleset, const char *path, bool folder)
{
    struct landlock_path_beneath_attr rule = {
        .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE |
                          (folder ? LANDLOCK_ACCESS_FS_READ_DIR : 0),
        .parent_fd = open(path, O_PATH | O_CLOEXEC),
    };

    if (rule.parent_fd >= 0) {
        syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
        close(rule.parent_fd);
    }
}

/* A module brings its libraries. */
static void allow_module(int ruleset, const char *module)
{
    static const char *const libraries[] = {"/lib", "/lib64", "/usr/lib", "/usr/local/lib"};

    allow_reading(ruleset, module, false);
    allow_reading(ruleset, "/etc/ld.so.cache", false);
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        allow_reading(ruleset, libraries[i], true);
    }
}

static bool lock_files(const char *module)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1) {
        return false;
    }
    struct landlock_ruleset_attr attributes = {.handled_access_fs = accesses_known((int)version)};
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
    if (ruleset < 0) {
        return false;
    }
    if (module) {
        allow_module(ruleset, module);
    }
    bool locked = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
    close(ruleset);
    return locked;
}

/* ---- System calls ---------------------------------------------------------------------------- */

/* The one end of the process that is not told as somebody's. */
_Noreturn void sandbox_leave(void)
{
    for (;;) {
        syscall(SYS_exit_group, SANDBOX_END_STATUS);
    }
}

static void forbidden_call(int number, siginfo_t *info, void *context)
{
    ucontext_t *state = context;

    if (info->si_syscall == SYS_exit || info->si_syscall == SYS_exit_group) {
        host_process_ends("_exit()", context);
        sandbox_leave();
    }
    host_forbidden_system_call(info->si_call_addr, info->si_syscall);
    state->uc_mcontext.gregs[REG_RAX] = -EPERM;
}

static const int allowed_calls[] = {
    SCMP_SYS(brk),
    SCMP_SYS(clock_getres),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(fstat),
    SCMP_SYS(ftruncate),
    SCMP_SYS(futex),
    SCMP_SYS(getpid),
    SCMP_SYS(getrandom),
    SCMP_SYS(gettid),
    SCMP_SYS(lseek),
    SCMP_SYS(madvise),
    SCMP_SYS(memfd_create),
    SCMP_SYS(mincore),
    SCMP_SYS(mmap),
    SCMP_SYS(mprotect),
    SCMP_SYS(mremap),
    SCMP_SYS(munmap),
    SCMP_SYS(pkey_alloc),
    SCMP_SYS(read),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(sched_yield),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(timer_create),
    SCMP_SYS(timer_delete),
    SCMP_SYS(timer_getoverrun),
    SCMP_SYS(timer_gettime),
    SCMP_SYS(timer_settime),
};

/* What else loading a module takes: reading files, which Landlock narrows down. */
static const int module_calls[] = {
    SCMP_SYS(newfstatat),
    SCMP_SYS(pread64),
    SCMP_SYS(readlink),
    SCMP_SYS(statx),
};

static bool allow_all(scmp_filter_ctx filter, const int *calls, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0) != 0) {
            return false;
        }
    }
    return true;
}

/* A C library makes threads with all signals blocked, where SIGSYS would kill: these just fail. */
static bool forbid_threads(scmp_filter_ctx filter)
{
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 0) == 0 &&
           seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone3), 0) == 0;
}

/* Pages of the driver's own memory get the key of pageable memory, and no other rights than they
 * have. */
static bool allow_keys(scmp_filter_ctx filter)
{
    uint64_t window, size;

    pageable_window(&window, &size);
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(pkey_mprotect), 3,
                            SCMP_A0(SCMP_CMP_MASKED_EQ, ~(size - 1), window),
                            SCMP_A1(SCMP_CMP_LE, KEYED_BYTES_MAX),
                            SCMP_A2(SCMP_CMP_EQ, PROT_READ | PROT_WRITE)) == 0;
}

/* Words to the parent are packets of one size, and its way is not closed: who does either by
 * mistake is told EPERM, and who means it needs a secret. */
static bool allow_files(scmp_filter_ctx filter)
{
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(close), 1,
                            SCMP_A0(SCMP_CMP_GT, SUPERVISE_WORDS)) == 0 &&
           seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(write), 1,
                            SCMP_A0(SCMP_CMP_NE, SUPERVISE_WORDS)) == 0 &&
           seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(write), 2,
                            SCMP_A0(SCMP_CMP_EQ, SUPERVISE_WORDS),
                            SCMP_A2(SCMP_CMP_EQ, supervise_packet_bytes())) == 0 &&
           seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(writev), 1,
                            SCMP_A0(SCMP_CMP_NE, SUPERVISE_WORDS)) == 0;
}

static bool build_filter(scmp_filter_ctx filter, bool reads_files)
{
    bool fine = allow_all(filter, allowed_calls, sizeof allowed_calls / sizeof allowed_calls[0]) &&
                allow_files(filter) && forbid_threads(filter) && allow_keys(filter);

    /* abort(), to itself alone. */
    fine = fine && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 2,
                                    SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()),
                                    SCMP_A2(SCMP_CMP_EQ, SIGABRT)) == 0;
    fine = fine && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(exit_group), 1,
                                    SCMP_A0(SCMP_CMP_EQ, SANDBOX_END_STATUS)) == 0;
    /* Asking for limits, and setting the one that sandbox_seal() sets: they only go down. */
    fine = fine && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1,
                                    SCMP_A2(SCMP_CMP_EQ, 0)) == 0;
    fine = fine && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 2,
                                    SCMP_A0(SCMP_CMP_EQ, 0), SCMP_A1(SCMP_CMP_EQ, RLIMIT_AS)) == 0;
    fine = fine && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 2,
                                    SCMP_A0(SCMP_CMP_EQ, PR_SET_SECCOMP),
                                    SCMP_A1(SCMP_CMP_EQ, SECCOMP_MODE_FILTER)) == 0;
    if (reads_files) {
        fine =
            fine && allow_all(filter, module_calls, sizeof module_calls / sizeof module_calls[0]);
        fine = fine && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
                                        SCMP_A2(SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT | O_TRUNC,
                                                O_RDONLY)) == 0;
    }
    return fine;
}

static void catch_forbidden_calls(void)
{
    struct sigaction action = {.sa_sigaction = forbidden_call,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};

    sigaction(SIGSYS, &action, NULL);
}

static bool lock_system_calls(bool reads_files)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_TRAP);

    if (!filter) {
        return false;
    }
    catch_forbidden_calls();
    bool locked = build_filter(filter, reads_files) && seccomp_load(filter) == 0;
    seccomp_release(filter);
    return locked;
}

/* ---- The rest -------------------------------------------------------------------------------- */

static bool limit(int resource, rlim_t value)
{
    struct rlimit now;

    if (getrlimit(resource, &now) != 0) {
        return false;
    }
    if (now.rlim_max != RLIM_INFINITY && now.rlim_max < value) {
        value = now.rlim_max;
    }
    const struct rlimit wanted = {value, value};
    return setrlimit(resource, &wanted) == 0;
}

static bool lock_limits(uint64_t real_limit_ns, uint64_t file_bytes_max)
{
    bool locked = limit(RLIMIT_CORE, 0) && limit(RLIMIT_NOFILE, FILES_MAX);

    /* A sanitizer reserves far more than it uses. */
    if (!SANITIZED) {
        locked = limit(RLIMIT_DATA, MEMORY_BYTES_MAX) && locked;
    }
    locked = limit(RLIMIT_FSIZE, file_bytes_max) && locked;
    if (real_limit_ns > 0) {
        locked = limit(RLIMIT_CPU, (rlim_t)(real_limit_ns / 1000000000 + 10)) && locked;
    }
    return locked;
}

static void drop_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[2] = {{0}};

    for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
        prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
    }
    syscall(SYS_capset, &header, none);
}

void sandbox_enter(const struct options *options, struct observe_sandbox *out)
{
    const char *module = options->host.driver_module;
    uint64_t ram = options->host.ram_bytes;

    out->process = true;
    out->limits =
        lock_limits(options->real_limit_ns, ram > MEMORY_BYTES_MAX ? ram : MEMORY_BYTES_MAX);
    drop_capabilities();
    out->no_new_privileges = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    if (!out->no_new_privileges) {
        return;
    }
    if (!SANITIZED) {
        seal_known = seal_prepare(&seal);
        memory_file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    }
    /* A sanitizer reads /proc when it has something to say. */
    out->filesystem = SANITIZED ? false : lock_files(module);
    out->system_calls = lock_system_calls(module != NULL || SANITIZED);
}

/* No other process, no network: what a reader of files has no use for. */
static bool forbid_the_outside(scmp_filter_ctx filter)
{
    static const int calls[] = {SCMP_SYS(socket),
                                SCMP_SYS(connect),
                                SCMP_SYS(ptrace),
                                SCMP_SYS(kill),
                                SCMP_SYS(tgkill),
                                SCMP_SYS(tkill),
                                SCMP_SYS(fork),
                                SCMP_SYS(vfork),
                                SCMP_SYS(pidfd_open),
                                SCMP_SYS(mount),
                                SCMP_SYS(process_vm_readv),
                                SCMP_SYS(bpf),
                                SCMP_SYS(unshare),
                                SCMP_SYS(process_vm_writev),
                                SCMP_SYS(process_madvise),
                                SCMP_SYS(pidfd_send_signal),
                                SCMP_SYS(rt_sigqueueinfo),
                                SCMP_SYS(rt_tgsigqueueinfo),
                                SCMP_SYS(perf_event_open),
                                SCMP_SYS(shmget),
                                SCMP_SYS(shmat),
                                SCMP_SYS(setns),
                                SCMP_SYS(keyctl),
                                SCMP_SYS(userfaultfd),
                                SCMP_SYS(io_uring_setup)};

    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), calls[i], 0) != 0) {
            return false;
        }
    }
    /* Threads and limits of its own; the newer call cannot be told from one for a process. */
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0 &&
           seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                            SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)) == 0 &&
           seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(prlimit64), 1,
                            SCMP_A0(SCMP_CMP_NE, 0)) == 0;
}

bool sandbox_tool(const char *file, unsigned seconds)
{
    bool fine = limit(RLIMIT_CORE, 0) && limit(RLIMIT_NOFILE, FILES_MAX) &&
                limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_CPU, seconds);

    drop_capabilities();
    fine = fine && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0;
    if (fine) {
        lock_files(file); /* and the libraries; an old kernel has no such lock */
        scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
        fine = filter && forbid_the_outside(filter) && seccomp_load(filter) == 0;
        seccomp_release(filter);
    }
    /* Last: a sanitizer has reserved more already, and what comes now is another program. */
    return limit(RLIMIT_AS, MEMORY_BYTES_MAX) && fine;
}

/* As much more as private memory may be, whatever kind of memory it is: the machine has reserved
 * its windows by now. */
static void limit_addresses(void)
{
    char text[64];
    ssize_t size = read(memory_file, text, sizeof text - 1);

    if (size > 0) {
        text[size] = '\0';
        limit(RLIMIT_AS,
              strtoull(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) + MEMORY_BYTES_MAX);
    }
    close(memory_file);
}

void sandbox_seal(void)
{
    catch_forbidden_calls(); /* a module's constructors may have had other wishes */
    if (SANITIZED) {
        return;
    }
    limit_addresses();
    if (!seal_known || !seal_close(&seal)) {
        record_note("this computer cannot keep a driver from changing Drydock's code");
    }
}

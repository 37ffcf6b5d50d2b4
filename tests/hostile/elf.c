/* An ELF driver module whose constructor, or DriverEntry, does what the C library lets it. The
 * environment says which: HOSTILE_DEED, and HOSTILE_PLACE is "entry" for DriverEntry. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#undef DriverEntry /* the reference driver's, in the others' arguments */
#include <dlfcn.h>

#include "native.h"

static void goes_on(int number, siginfo_t *info, void *context)
{
    _exit(0);
}

static void handles_faults(void)
{
    struct sigaction action = {.sa_sigaction = goes_on, .sa_flags = SA_SIGINFO};

    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGSYS, &action, NULL);
    sigaction(SIGABRT, &action, NULL);
}

static void ignores_signals(void)
{
    for (int i = 1; i < 32; i++) {
        signal(i, SIG_IGN);
    }
}

static void defaults_signals(void)
{
    for (int i = 1; i < 32; i++) {
        signal(i, SIG_DFL);
    }
}

static void blocks_signals(void)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
}

static void loses_signal_stack(void)
{
    stack_t none = {.ss_flags = SS_DISABLE};

    sigaltstack(&none, NULL);
}

static void small_signal_stack(void)
{
    static char small[4096];
    stack_t stack = {.ss_sp = small, .ss_size = sizeof small};

    sigaltstack(&stack, NULL);
}

static void exits(void)
{
    exit(0);
}

static void exits_now(void)
{
    _exit(0);
}

static void exits_raw(void)
{
    syscall(SYS_exit_group, 0);
}

static void exits_as_we(void)
{
    syscall(SYS_exit_group, 0x5A);
}

static void exits_thread(void)
{
    pthread_exit(NULL);
}

static void aborts(void)
{
    abort();
}

static void quits(void)
{
    quick_exit(0);
}

static void spins(void)
{
    for (;;) {
    }
}

static void pauses(void)
{
    pause();
    for (;;) {
        sleep(1000);
    }
}

static void waits_futex(void)
{
    static int word;

    syscall(SYS_futex, &word, 0, 0, NULL, NULL, 0);
}

static void faults(void)
{
    *(volatile int *)8 = 1;
}

static void traps(void)
{
    __builtin_trap();
}

static void forks(void)
{
    if (fork() == 0) {
        _exit(0);
    }
}

static void *thread(void *argument)
{
    for (;;) {
    }
    return NULL;
}

static void makes_threads(void)
{
    pthread_t made;

    for (int i = 0; i < 4; i++) {
        pthread_create(&made, NULL, thread, NULL);
    }
}

static void execs(void)
{
    execl("/bin/true", "true", NULL);
}

static void opens(void)
{
    (void)!open("/etc/passwd", O_RDONLY);
    (void)!open("/tmp/drydock-stolen", O_WRONLY | O_CREAT, 0644);
    (void)!creat("/tmp/drydock-stolen-2", 0644);
}

static void connects(void)
{
    (void)!socket(AF_INET, SOCK_STREAM, 0);
}

static void kills_parent(void)
{
    kill(getppid(), SIGKILL);
}

static void kills_itself(void)
{
    raise(SIGKILL);
    raise(SIGSTOP);
}

static void no_address_space(void)
{
    struct rlimit none = {0, 0};

    setrlimit(RLIMIT_AS, &none);
}

static void no_processor(void)
{
    struct rlimit none = {0, 0};

    setrlimit(RLIMIT_CPU, &none);
}

static void no_data(void)
{
    struct rlimit none = {0, 0};

    setrlimit(RLIMIT_DATA, &none);
    setrlimit(RLIMIT_STACK, &none);
}

static void floods(void)
{
    static char text[65536];

    memset(text, 'x', sizeof text);
    for (int i = 0; i < 4000; i++) {
        (void)!write(2, text, sizeof text);
    }
}

static void floods_for_ever(void)
{
    static char text[65536];

    for (;;) {
        (void)!write(1, text, sizeof text);
    }
}

static void heap_ahead(void)
{
    char *block = malloc(24);

    memset(block, 0x41, 4096);
}

static void heap_top(void)
{
    char *block = malloc(100000);

    memset(block + 100000, 0xFF, 4096);
}

static void heap_behind(void)
{
    char *block = malloc(24);

    memset(block - 4096, 0x41, 4096);
}

static void frees_wild(void)
{
    free((void *)0x41414140);
}

static void frees_twice(void)
{
    char *block = malloc(24);

    free(block);
    free(block);
}

static void frees_middle(void)
{
    char *block = malloc(2400);

    free(block + 64);
}

static void writes_freed(void)
{
    char *blocks[64];

    for (int i = 0; i < 64; i++) {
        blocks[i] = malloc(24 + i * 8);
    }
    for (int i = 0; i < 64; i++) {
        free(blocks[i]);
    }
    for (int i = 0; i < 64; i++) {
        memset(blocks[i], 0x41, 24);
    }
}

static void tunes_heap(void)
{
    mallopt(M_PERTURB, 0x41);
    mallopt(M_MMAP_THRESHOLD, 1);
    malloc_trim(0);
}

static void unmaps_heap(void)
{
    char *block = malloc(64);

    munmap((void *)((uintptr_t)block & ~0xFFFul), 1 << 20);
}

static void shuts_heap(void)
{
    char *block = malloc(64);

    mprotect((void *)((uintptr_t)block & ~0xFFFul), 1 << 20, PROT_NONE);
}

static void breaks(void)
{
    (void)!brk((char *)sbrk(0) - (1 << 20));
}

static void sets_environment(void)
{
    setenv("PATH", "/tmp", 1);
    clearenv();
}

static void leaves_exit_handlers(void)
{
    atexit(spins);
}

static void timer_flood(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGSEGV};
    struct itimerspec soon = {{0, 1000}, {0, 1000}};
    timer_t timer;

    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) {
        timer_settime(timer, 0, &soon, NULL);
    }
}

static void timer_kill(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec soon = {{0, 0}, {0, 1000000}};
    timer_t timer;

    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) {
        timer_settime(timer, 0, &soon, NULL);
    }
}

static void timer_watchdog(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGVTALRM};
    struct itimerspec soon = {{0, 1000}, {0, 1000}};
    timer_t timer;

    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) {
        timer_settime(timer, 0, &soon, NULL);
    }
}

static void timer_xcpu(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGXCPU};
    struct itimerspec soon = {{0, 0}, {0, 1000000}};
    timer_t timer;

    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) {
        timer_settime(timer, 0, &soon, NULL);
    }
}

static void timer_term(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGTERM};
    struct itimerspec soon = {{0, 0}, {0, 1000000}};
    timer_t timer;

    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) {
        timer_settime(timer, 0, &soon, NULL);
    }
}

static void timer_stop(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGSTOP};
    struct itimerspec soon = {{0, 0}, {0, 1000000}};
    timer_t timer;

    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) {
        timer_settime(timer, 0, &soon, NULL);
    }
}

static void takes_memory(void)
{
    for (;;) {
        char *block = malloc(64 << 20);
        if (!block) {
            break;
        }
        memset(block, 1, 64 << 20);
    }
}

static void takes_space(void)
{
    while (mmap(NULL, 1ul << 30, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED) {
    }
}

static void takes_files(void)
{
    while (memfd_create("x", 0) >= 0) {
    }
}

static void loses_thread(void)
{
    __asm__ volatile("wrfsbase %0" : : "r"(0ul));
}

static void jumps(void)
{
    jmp_buf wild;

    memset(&wild, 0x41, sizeof wild);
    longjmp(wild, 1);
}

static void closes_itself(void)
{
    Dl_info info;
    void *self;

    dladdr((void *)closes_itself, &info);
    self = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    dlclose(self);
    dlclose(self);
    dlclose(self);
}

static void smashes(void)
{
    volatile char here[8];

    memset((char *)here, 0x41, 65536);
}

static void divides(void)
{
    volatile int zero = 0;

    zero = 1 / zero;
}

static void damages_streams(void)
{
    memset(stderr, 0x41, sizeof *stderr);
}

static void locks_streams(void)
{
    flockfile(stderr);
    flockfile(stdout);
}

static void writes_host(void)
{
    char *place = dlsym(RTLD_DEFAULT, "record_names");

    if (place) {
        memset(place, 0x41, 64);
    }
}

static void writes_libc_data(void)
{
    extern char **environ;

    environ = (char **)0x41414141;
}

static void stops_timers(void)
{
    for (long i = 0; i < 64; i++) {
        syscall(SYS_timer_delete, i);
    }
}

static const struct native_deed deeds[] = {
    DEED(handles_faults),
    DEED(ignores_signals),
    DEED(defaults_signals),
    DEED(blocks_signals),
    DEED(loses_signal_stack),
    DEED(small_signal_stack),
    DEED(closes_all),
    DEED(writes_words),
    DEED(exits),
    DEED(exits_now),
    DEED(exits_raw),
    DEED(exits_as_we),
    DEED(exits_thread),
    DEED(aborts),
    DEED(quits),
    DEED(spins),
    DEED(pauses),
    DEED(waits_futex),
    DEED(faults),
    DEED(traps),
    DEED(recurses),
    DEED(forks),
    DEED(makes_threads),
    DEED(execs),
    DEED(opens),
    DEED(connects),
    DEED(kills_parent),
    DEED(kills_itself),
    DEED(no_address_space),
    DEED(no_processor),
    DEED(no_data),
    DEED(floods),
    DEED(floods_for_ever),
    DEED(heap_ahead),
    DEED(heap_top),
    DEED(heap_behind),
    DEED(frees_wild),
    DEED(frees_twice),
    DEED(frees_middle),
    DEED(writes_freed),
    DEED(tunes_heap),
    DEED(unmaps_heap),
    DEED(shuts_heap),
    DEED(breaks),
    DEED(sets_environment),
    DEED(leaves_exit_handlers),
    DEED(timer_flood),
    DEED(timer_kill),
    DEED(timer_watchdog),
    DEED(timer_xcpu),
    DEED(timer_term),
    DEED(timer_stop),
    DEED(takes_memory),
    DEED(takes_space),
    DEED(takes_files),
    DEED(loses_thread),
    DEED(jumps),
    DEED(closes_itself),
    DEED(smashes),
    DEED(divides),
    DEED(damages_streams),
    DEED(locks_streams),
    DEED(writes_host),
    DEED(writes_libc_data),
    DEED(stops_timers),
};

static void deed(void)
{
    const char *name = getenv("HOSTILE_DEED");
    const struct native_deed *found =
        name ? native_find(deeds, sizeof deeds / sizeof *deeds, name) : NULL;

    if (found) {
        found->run();
    }
}

static int is_in_entry(void)
{
    const char *place = getenv("HOSTILE_PLACE");

    return place && strcmp(place, "entry") == 0;
}

__attribute__((constructor)) static void begin(void)
{
    if (!is_in_entry()) {
        deed();
    }
}

#define NTAPI __attribute__((ms_abi))
int NTAPI softgpu_DriverEntry(void *driver, void *path);
int NTAPI DriverEntry(void *driver, void *path);
int NTAPI DriverEntry(void *driver, void *path)
{
    if (is_in_entry()) {
        deed();
    }
    return softgpu_DriverEntry(driver, path);
}

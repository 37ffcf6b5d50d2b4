/* Promises that workload.h asks of a client, broken one at a time. */
#include "promises.h"

#include <drydock/client.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "native.h"

static const struct drydock_workload_host *of;
static struct drydock_event *event;
static jmp_buf kept;

static void waits(void *argument)
{
    of->event_wait(of, event, DRYDOCK_NEVER);
}

static void returns(void *argument)
{
}

static void leaves_threads(void)
{
    event = of->event_create(of);
    for (unsigned i = 0; i < 4; i++) {
        of->start_thread(of, "left", waits, NULL);
    }
}

static void leaves_process(void)
{
    event = of->event_create(of);
    of->start_process(of, "left", waits, NULL);
}

static void joins_twice(void)
{
    struct drydock_process *process = of->start_process(of, "once", returns, NULL);

    of->join(of, process);
    of->join(of, process);
}

static void joins_nothing(void)
{
    of->join(of, NULL);
}

static void joins_wild(void)
{
    of->join(of, (struct drydock_process *)0x4141414141414140);
}

static void joins_stack(void)
{
    uint64_t here[64] = {0};

    of->join(of, (struct drydock_process *)here);
}

static void destroys_waited(void)
{
    leaves_process();
    of->sleep_until(of, of->now_ns(of) + 1000);
    of->event_destroy(of, event);
    of->sleep_until(of, of->now_ns(of) + 1000);
}

static void uses_destroyed(void)
{
    event = of->event_create(of);
    of->event_destroy(of, event);
    of->event_signal(of, event);
    of->event_wait(of, event, of->now_ns(of) + 1000);
}

static void starts_nothing(void)
{
    struct drydock_process *process = of->start_process(of, NULL, NULL, NULL);

    of->join(of, process);
}

static void starts_many(void)
{
    event = of->event_create(of);
    for (unsigned i = 0; i < 100000; i++) {
        if (!of->start_thread(of, "many", waits, NULL)) {
            break;
        }
    }
}

static void starts_processes(void)
{
    event = of->event_create(of);
    for (unsigned i = 0; i < 100000; i++) {
        if (!of->start_process(of, "many", waits, NULL)) {
            break;
        }
    }
}

static void makes_events(void)
{
    while (of->event_create(of)) {
    }
}

static void counts_much(void)
{
    static char names[4096][32];

    for (unsigned i = 0; i < 4096; i++) {
        names[i][0] = 'c';
        names[i][1] = (char)('a' + i / 256);
        names[i][2] = (char)i;
        of->count(of, names[i], UINT64_MAX);
    }
    of->count(of, NULL, 1);
}

static void counts_long(void)
{
    static char name[1 << 20];

    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = 0;
    of->count(of, name, 1);
    of->note(of, "%s", name);
    of->breaks(of, name, "%s", name);
}

static void notes_wild(void)
{
    of->note(of, "%s", (const char *)8);
}

static void notes_control(void)
{
    of->note(of, "\033]0;x\007 \xff\xfe %c", 0x9b);
    of->count(of, "\033[2J.\xff", 1);
    of->fail(of, "\033[2J\r\n\xff");
}

static void counts_control(void)
{
    of->count(of, "\033[2J.\xff", 1);
}

static void frames_wild(void)
{
    of->frame(of, "wild", (const void *)8, 640, 480, 2560);
}

static void frames_huge(void)
{
    of->frame(of, "huge", &of, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF);
}

static void frames_overflow(void)
{
    static uint8_t pixels[4096];

    of->frame(of, "wraps", pixels, 0x40000001, 4, 4);
    of->frame(of, "none", pixels, 0, 0, 0);
    of->frame(of, "narrow", pixels, 16, 4, 1);
}

static void frames_names(void)
{
    static uint8_t pixels[4096];

    of->frame(of, "../../../tmp/evil", pixels, 16, 16, 64);
    of->frame(of, "", pixels, 16, 16, 64);
    of->frame(of, "a/b", pixels, 16, 16, 64);
    of->frame(of, NULL, pixels, 16, 16, 64);
}

static void frames_many(void)
{
    static uint8_t pixels[512 * 512 * 4];

    for (unsigned i = 0; i < 5000; i++) {
        of->frame(of, "many", pixels, 512, 512, 2048);
    }
}

static void breaks_wild(void)
{
    of->breaks(of, "NO-SUCH-RULE", "x");
    of->breaks(of, NULL, "x");
}

static void holds_wild(void)
{
    of->holds(of, "NO-SUCH-RULE");
    of->holds(of, NULL);
}

static void progresses_wild(void)
{
    of->progress(of, UINT64_MAX, 0);
    of->progress(of, 0, 0);
    of->progress(of, UINT64_MAX, 1);
}

static void scans_wild(void)
{
    unsigned width, height, stride;
    const void *pixels;

    of->scanout(of, 0xFFFFFFFF, &pixels, &width, &height, &stride);
    of->scanout(of, 0, NULL, NULL, NULL, NULL);
}

static void compares_wild(void)
{
    struct drydock_wrong_pixel wrong;

    of->compare(of, 0, (const uint32_t *)8, NULL, &wrong);
}

static void compares_window(void)
{
    static uint32_t pixels[4096 * 4096];
    struct drydock_window window = {-0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF, -0x7FFFFFFF};
    struct drydock_wrong_pixel wrong;

    of->compare(of, 0, pixels, &window, &wrong);
    of->compare(of, 7, pixels, &window, NULL);
}

static void sleeps_for_ever(void)
{
    of->sleep_until(of, UINT64_MAX);
}

static void yields_for_ever(void)
{
    for (;;) {
        of->yield(of);
    }
}

static void spins(void)
{
    for (;;) {
        __asm__ volatile("pause");
    }
}

static void calls_for_ever(void)
{
    D3DKMT_CLOSEADAPTER close = {0};

    for (;;) {
        (void)D3DKMTCloseAdapter(&close);
    }
}

static void jumps_from_thread(void *argument)
{
    longjmp(kept, 1);
}

static void jumps_to_other(void)
{
    if (setjmp(kept) == 0) {
        of->join(of, of->start_thread(of, "jumps", jumps_from_thread, NULL));
    }
}

static void keeps(void *argument)
{
    if (setjmp(kept) != 0) {
        of->note(of, "alive");
    }
}

static void jumps_dead(void)
{
    of->join(of, of->start_thread(of, "keeps", keeps, NULL));
    longjmp(kept, 1);
}

static void exits(void)
{
    exit(0);
}

static void exits_quickly(void)
{
    _exit(0);
}

static void aborts(void)
{
    abort();
}

static void forks(void)
{
    if (fork() == 0) {
        of->note(of, "forked");
    }
}

static void kills_parent(void)
{
    kill(getppid(), SIGKILL);
}

static void raises(void)
{
    raise(SIGKILL);
}

static void blocks_signals(void)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
}

static void blocks_and_faults(void)
{
    blocks_signals();
    *(volatile int *)8 = 1;
}

static void blocks_and_spins(void)
{
    blocks_signals();
    spins();
}

static void handles_signals(void)
{
    signal(SIGSEGV, SIG_IGN);
    signal(SIGVTALRM, SIG_IGN);
    signal(SIGABRT, SIG_IGN);
    *(volatile int *)8 = 1;
}

static void ignores_abort(void)
{
    signal(SIGABRT, SIG_IGN);
    abort();
}

static void loses_signal_stack(void)
{
    stack_t none = {.ss_flags = SS_DISABLE};

    sigaltstack(&none, NULL);
    *(volatile int *)8 = 1;
}

static void damages_heap(void)
{
    char *block = malloc(24);

    memset(block - 16, 0x41, 4096);
}

static void damages_heap_ahead(void)
{
    char *block = malloc(100);

    memset(block, 0xFF, 1 << 16);
}

static void frees_wild(void)
{
    free((char *)of + 8);
}

static void frees_twice(void)
{
    void *block = malloc(100000);

    free(block);
    free(block);
}

static void writes_host(void)
{
    memset((void *)(uintptr_t)of, 0x41, sizeof *of);
}

static void writes_code(void)
{
    *(volatile char *)(uintptr_t)D3DKMTRender = 0;
}

static void writes_low_stack(void)
{
    volatile char here = 0;

    memset((char *)&here - (256 << 10), 0x41, 200 << 10);
}

static void writes_high_stack(void)
{
    volatile char here = 0;

    memset((char *)&here, 0x41, 64 << 10);
}

static void unmaps(void)
{
    munmap((void *)((uintptr_t)of & ~0xFFFull), 4096);
}

static void unmaps_heap(void)
{
    void *block = malloc(64);

    munmap((void *)((uintptr_t)block & ~0xFFFull), 1 << 20);
}

static void maps_over_heap(void)
{
    void *block = malloc(64);

    mmap((void *)((uintptr_t)block & ~0xFFFull), 1 << 20, PROT_READ,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void divides(void)
{
    volatile int zero = 0, one = 1;

    one = one / zero;
}

static void sets_flags(void)
{
    __asm__ volatile("std");
    of->yield(of);
}

static void sets_mxcsr(void)
{
    unsigned value = 0;

    __asm__ volatile("ldmxcsr %0" : : "m"(value));
    of->sleep_until(of, of->now_ns(of) + 1000000);
}

static void loses_thread(void)
{
    __asm__ volatile("wrfsbase %0" : : "r"(0ull));
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

static void leaves_process_now(void)
{
    __asm__ volatile("ud2");
}

static void takes_objects(void)
{
    D3DKMT_OPENADAPTERFROMLUID open = {
        .AdapterLuid = {of->adapter_luid_low, of->adapter_luid_high}};

    while (D3DKMTOpenAdapterFromLuid(&open) >= 0) {
    }
}

static void takes_devices(void)
{
    D3DKMT_OPENADAPTERFROMLUID open = {
        .AdapterLuid = {of->adapter_luid_low, of->adapter_luid_high}};
    D3DKMT_CREATEDEVICE device = {0};

    (void)D3DKMTOpenAdapterFromLuid(&open);
    device.hAdapter = open.hAdapter;
    while (D3DKMTCreateDevice(&device) >= 0) {
    }
}

static void takes_events(void)
{
    struct drydock_client_event made = {0};

    while (drydock_create_event(&made) >= 0) {
    }
}

static void takes_client_memory(void)
{
    struct drydock_memory memory = {0};

    memcpy(&memory, &(uint64_t[]){1 << 20, 1 << 20, 1 << 20},
           sizeof memory < 24 ? sizeof memory : 24);
    while (drydock_allocate_memory(&memory) >= 0) {
    }
}

static void closes_in_use(void *argument)
{
    D3DKMT_CLOSEADAPTER close = {.hAdapter = *(D3DKMT_HANDLE *)argument};

    (void)D3DKMTCloseAdapter(&close);
}

static void closes_adapter(void)
{
    D3DKMT_OPENADAPTERFROMLUID open = {
        .AdapterLuid = {of->adapter_luid_low, of->adapter_luid_high}};
    D3DKMT_CREATEDEVICE device = {0};

    (void)D3DKMTOpenAdapterFromLuid(&open);
    struct drydock_process *thread = of->start_thread(of, "closes", closes_in_use, &open.hAdapter);
    device.hAdapter = open.hAdapter;
    for (unsigned i = 0; i < 8; i++) {
        (void)D3DKMTCreateDevice(&device);
    }
    of->join(of, thread);
    D3DKMT_DESTROYDEVICE destroy = {device.hDevice};
    (void)D3DKMTDestroyDevice(&destroy);
}

static void waits_in_vblank(void *argument)
{
    D3DKMT_WAITFORVERTICALBLANKEVENT wait = {.hAdapter = *(D3DKMT_HANDLE *)argument};

    for (;;) {
        (void)D3DKMTWaitForVerticalBlankEvent(&wait);
        of->yield(of);
    }
}

/* The others go on in calls while the process's first thread has ended. */
static void leaves_calls(void)
{
    static D3DKMT_OPENADAPTERFROMLUID open;

    open.AdapterLuid.LowPart = of->adapter_luid_low;
    open.AdapterLuid.HighPart = of->adapter_luid_high;
    (void)D3DKMTOpenAdapterFromLuid(&open);
    for (unsigned i = 0; i < 4; i++) {
        of->start_thread(of, "waits", waits_in_vblank, &open.hAdapter);
    }
}

static const struct native_deed deeds[] = {
    DEED(leaves_threads),
    DEED(leaves_process),
    DEED(joins_twice),
    DEED(joins_nothing),
    DEED(joins_wild),
    DEED(joins_stack),
    DEED(destroys_waited),
    DEED(uses_destroyed),
    DEED(starts_nothing),
    DEED(starts_many),
    DEED(starts_processes),
    DEED(makes_events),
    DEED(counts_much),
    DEED(counts_long),
    DEED(counts_control),
    DEED(notes_wild),
    DEED(notes_control),
    DEED(frames_wild),
    DEED(frames_huge),
    DEED(frames_overflow),
    DEED(frames_names),
    DEED(frames_many),
    DEED(breaks_wild),
    DEED(holds_wild),
    DEED(progresses_wild),
    DEED(scans_wild),
    DEED(compares_wild),
    DEED(compares_window),
    DEED(sleeps_for_ever),
    DEED(yields_for_ever),
    DEED(spins),
    DEED(calls_for_ever),
    DEED(recurses),
    DEED(jumps_to_other),
    DEED(jumps_dead),
    DEED(exits),
    DEED(exits_quickly),
    DEED(aborts),
    DEED(forks),
    DEED(kills_parent),
    DEED(raises),
    DEED(blocks_signals),
    DEED(blocks_and_faults),
    DEED(blocks_and_spins),
    DEED(handles_signals),
    DEED(ignores_abort),
    DEED(loses_signal_stack),
    DEED(closes_all),
    DEED(writes_words),
    DEED(damages_heap),
    DEED(damages_heap_ahead),
    DEED(frees_wild),
    DEED(frees_twice),
    DEED(writes_host),
    DEED(writes_code),
    DEED(writes_low_stack),
    DEED(writes_high_stack),
    DEED(unmaps),
    DEED(unmaps_heap),
    DEED(maps_over_heap),
    DEED(divides),
    DEED(sets_flags),
    DEED(sets_mxcsr),
    DEED(loses_thread),
    DEED(takes_memory),
    DEED(leaves_process_now),
    DEED(takes_objects),
    DEED(takes_devices),
    DEED(takes_events),
    DEED(takes_client_memory),
    DEED(closes_adapter),
    DEED(leaves_calls),
};

bool promise_break(const struct drydock_workload_host *host, const char *name)
{
    const struct native_deed *found = native_find(deeds, sizeof deeds / sizeof *deeds, name);

    of = host;
    if (!found) {
        return false;
    }
    host->note(host, "hostile: begins");
    found->run();
    return true;
}

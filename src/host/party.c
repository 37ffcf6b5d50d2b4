/* Whose code runs: decides whom a fault, an endless loop or the end of the process is blamed on.
 *
 *     the device model    while machine is inside a call of it
 *     the policy          while the scheduler is inside a call of it
 *     the driver          while it is loaded, a call of it is open, one of its routines runs, or a
 *                         frame of it is on the stack
 *     a client            in a task of a client that neither calls D3DKMT nor a service of its host
 *     Drydock             otherwise
 *
 * The first that holds is it. */
#include "host/internal.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define FRAMES_MAX 64u

void host_place_text(const void *address, char *text, size_t size)
{
    Dl_info info;

    if (loader_image_at(address)) {
        loader_location_text(address, text, size);
        return;
    }
    if (!dladdr(address, &info) || !info.dli_fname) {
        snprintf(text, size, "%p", address);
        return;
    }
    const char *slash = strrchr(info.dli_fname, '/');
    snprintf(text, size, "%s+0x%llx%s%s%s", slash ? slash + 1 : info.dli_fname,
             (unsigned long long)((uintptr_t)address - (uintptr_t)info.dli_fbase),
             info.dli_sname ? " (" : "", info.dli_sname ? info.dli_sname : "",
             info.dli_sname ? ")" : "");
}

/* The innermost frame of the driver; NULL if there is none. */
static const void *driver_frame(const struct host_frames *frames)
{
    for (unsigned i = 0; i < frames->count; i++) {
        if (loader_image_at(frames->at[i])) {
            return frames->at[i];
        }
    }
    return NULL;
}

enum host_party host_party(const struct host_frames *frames)
{
    if (host_device_runs(NULL)) {
        return HOST_PARTY_DEVICE;
    }
    if (host_policy_runs()) {
        return HOST_PARTY_POLICY;
    }
    if (host.loads || ddi_current_point() < POINT_COUNT || driver_frame(frames) ||
        task_stack_mark()) {
        return HOST_PARTY_DRIVER;
    }
    return host_client_runs() ? HOST_PARTY_CLIENT : HOST_PARTY_DRYDOCK;
}

/* ---- It ends the process --------------------------------------------------------------------- */

static void driver_ends(const struct host_frames *frames, const char *how)
{
    const void *frame = driver_frame(frames);
    char where[LOADER_TEXT_MAX] = "a place without a name";

    if (frame) {
        loader_location_text(frame, where, sizeof where);
    }
    host_finding("EXIT", "a driver that returns", false, 0, NULL, "%s called %s at %s",
                 record_header(host.record)->driver, how, where);
    record_set_outcome(
        RUN_OUTCOME_FAULT, "the driver ended the process in %s by %s, at %s",
        ddi_current_point() < POINT_COUNT ? host_point_name() : "a routine of its own", how, where);
}

/* Native code that is not Drydock's shares the heap: none of them was caught, nor is Drydock. */
static bool shares_heap(char *text, size_t size)
{
    const struct host_options *options = host.options;
    const char *workload = NULL;

    for (unsigned i = 0; i < options->workload_count && !workload; i++) {
        workload = options->workload_paths[i];
    }
    snprintf(text, size, "%s%s%s%s%s%s%s", options->driver_is_given ? "the driver" : "",
             workload ? ", workload " : "", workload ? workload : "",
             options->device_path ? ", device model " : "",
             options->device_path ? options->device_path : "",
             options->policy_path ? ", policy " : "",
             options->policy_path ? options->policy_path : "");
    return text[0] != '\0';
}

/* A check of Drydock's that fails says so before it aborts: whoever aborts without is the C
 * library, which found its heap or a stack damaged. */
static void drydock_ends(const char *how)
{
    char sharers[RECORD_TEXT_MAX];

    if (strcmp(how, "abort()") == 0 && shares_heap(sharers, sizeof sharers)) {
        record_set_outcome(RUN_OUTCOME_INCONCLUSIVE,
                           "the C library found memory of this process damaged; besides Drydock it "
                           "is shared by: %s",
                           sharers[0] == ',' ? sharers + 2 : sharers);
        return;
    }
    record_set_outcome(RUN_OUTCOME_OWN_FAULT, "%s was called outside the driver", how);
}

void host_process_ends(const char *how, const void *ucontext)
{
    const void *at[FRAMES_MAX];
    struct host_frames frames = {.at = at};

    if (host.over || !machine_exists() || record_header(host.record)->outcome != RUN_OUTCOME_NONE) {
        return;
    }
    frames.count = loader_backtrace(ucontext, at, FRAMES_MAX);
    switch (host_party(&frames)) {
    case HOST_PARTY_DEVICE:
        host_device_ends(how);
        break;
    case HOST_PARTY_POLICY:
        host_policy_ends(how);
        break;
    case HOST_PARTY_DRIVER:
        driver_ends(&frames, how);
        break;
    case HOST_PARTY_CLIENT:
        host_client_ends(&frames, how);
        break;
    default:
        drydock_ends(how);
        break;
    }
}

/* Only the code of others calls these during a run. */
static void ends_here(const char *how)
{
    ucontext_t here;

    if (getcontext(&here) == 0) {
        host_process_ends(how, &here);
    }
}

static void at_exit(void)
{
    ends_here("exit()");
}

static void at_quick_end(void)
{
    ends_here("quick_exit()");
}

static void at_abort(int number, siginfo_t *info, void *ucontext)
{
    host_process_ends("abort()", ucontext); /* the process dies of it next */
}

/* ---- It does not return ---------------------------------------------------------------------- */

/* Where an exception is dispatched again and again no frame leads to where it comes from. */
static void driver_hangs(const struct host_frames *frames)
{
    const void *frame = driver_frame(frames), *thrown = frame ? NULL : loader_exception_place();
    char where[LOADER_TEXT_MAX];

    const char *how = thrown ? "ran too long, raising exceptions over and over"
                      : mmio_call_is_endless()
                          ? "ran too long, calling the kernel or its device all the while"
                          : "ran too long without calling the kernel";
    frame = thrown ? thrown : frame ? frame : frames->at[0];
    loader_location_text(frame, where, sizeof where);
    host_finding("HANG", "a driver that returns", false, 0, NULL, "%s %s, at %s", host_point_name(),
                 how, where);
    record_set_outcome(RUN_OUTCOME_FAULT, "the driver never returned: %s %s, at %s",
                       host_point_name(), how, where);
}

/* In a signal handler. */
static void watchdog_fired(void *ctx, void *ucontext)
{
    const void *at[FRAMES_MAX];
    struct host_frames frames = {.at = at};
    char where[LOADER_TEXT_MAX];

    frames.count = loader_backtrace(ucontext, at, FRAMES_MAX);
    switch (host_party(&frames)) {
    case HOST_PARTY_DEVICE:
        host_device_hang(ucontext);
        break;
    case HOST_PARTY_POLICY:
        host_policy_hangs(&frames);
        break;
    case HOST_PARTY_DRIVER:
        driver_hangs(&frames);
        break;
    case HOST_PARTY_CLIENT:
        host_client_hangs(&frames);
        break;
    default:
        host_place_text(at[0], where, sizeof where);
        record_set_outcome(RUN_OUTCOME_OWN_FAULT, "Drydock ran too long without an end, at %s",
                           where);
        break;
    }
}

void host_party_install(void)
{
    static bool exit_watched;
    const struct sigaction action = {.sa_sigaction = at_abort, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    if (!exit_watched) {
        exit_watched = atexit(at_exit) == 0 && at_quick_exit(at_quick_end) == 0;
        CHECK_THAT(exit_watched);
    }
    sigaction(SIGABRT, &action, NULL);
    machine_set_watchdog_hook(watchdog_fired, NULL);
}

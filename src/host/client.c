/* The faults of clients: a workload's own mistakes, told apart from the driver's.
 *
 * A client's code is a task's of a client process that is not being served (TASK_SLOT_SERVED): by a
 * call of D3DKMT, or by a service of its host that may switch. What breaks there is the client's,
 * in its own code or in a library's that it called; unless the driver was found to be wrong before,
 * for a client that was told something wrong may fall over it. */
#include "host/internal.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool host_client_runs(void)
{
    struct task *task = task_self();

    return task && dxgk_process_current() && !task_slot(task, TASK_SLOT_SERVED) &&
           irql_current() == MACHINE_IRQL_PASSIVE && ddi_current_point() == POINT_COUNT;
}

/* ---- The outcome ----------------------------------------------------------------------------- */

static const char *workload_name(unsigned index)
{
    const char *path = host.options->workload_paths[index];

    return path ? path : host.options->workloads[index]->name;
}

static void set_outcome(unsigned index, const char *format, va_list arguments)
{
    char text[RECORD_TEXT_MAX];
    enum run_outcome outcome = RUN_OUTCOME_OWN_FAULT;

    vsnprintf(text, sizeof text, format, arguments);
    if (record_header(host.record)->counting_breaches > 0) {
        outcome = RUN_OUTCOME_BREACH;
    } else if (host.options->workload_paths[index]) {
        outcome = RUN_OUTCOME_WORKLOAD_FAULT;
    }
    record_set_outcome(outcome, "workload %s: %s", workload_name(index), text);
}

void host_client_blame(unsigned index, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    set_outcome(index, format, arguments);
    va_end(arguments);
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* The innermost frame that is the workload's own code; NULL if none is. */
static const void *own_frame(unsigned index, const struct host_frames *frames)
{
    Dl_info client, frame;

    if (!dladdr(host.options->workloads[index], &client)) {
        return NULL;
    }
    for (unsigned i = 0; i < frames->count; i++) {
        if (dladdr(frames->at[i], &frame) && frame.dli_fbase == client.dli_fbase) {
            return frames->at[i];
        }
    }
    return NULL;
}

/* "libc.so.6+0x16d951 (memset), called from mine.so+0x1139". */
static void describe_place(unsigned index, const struct host_frames *frames, char *text,
                           size_t size)
{
    char inner[LOADER_TEXT_MAX], own[LOADER_TEXT_MAX];
    const void *frame = own_frame(index, frames), *innermost = frames->count ? frames->at[0] : NULL;

    host_place_text(innermost, inner, sizeof inner);
    if (!frame || frame == innermost) {
        snprintf(text, size, "%s", inner);
        return;
    }
    host_place_text(frame, own, sizeof own);
    snprintf(text, size, "%s, called from %s", inner, own);
}

/* ---- What it does ---------------------------------------------------------------------------- */

void host_client_fault(const struct loader_fault *fault)
{
    static const char *const verbs[] = {"", " reading", " writing", " executing"};
    const struct host_frames frames = {fault->frames, fault->backtrace_count};
    unsigned index = host_client_workload();
    char where[2 * LOADER_TEXT_MAX + 16], access[64] = "";

    describe_place(index, &frames, where, sizeof where);
    if (fault->access != LOADER_ACCESS_NONE && fault->kind != LOADER_FAULT_STACK_OVERFLOW) {
        snprintf(access, sizeof access, "%s 0x%llx", verbs[fault->access],
                 (unsigned long long)fault->access_address);
    }
    host_client_blame(index, "%s (0x%08x)%s at %s", fault->code_name, fault->code, access, where);
    machine_halt();
}

void host_client_hangs(const struct host_frames *frames)
{
    unsigned index = host_client_workload();
    char where[2 * LOADER_TEXT_MAX + 16];

    describe_place(index, frames, where, sizeof where);
    host_client_blame(index, "it ran too long without calling anybody, at %s", where);
}

void host_client_ends(const struct host_frames *frames, const char *how)
{
    unsigned index = host_client_workload();
    const void *frame = own_frame(index, frames);
    char where[LOADER_TEXT_MAX];

    host_place_text(frame ? frame : frames->at[0], where, sizeof where);
    host_client_blame(index, "it called %s at %s", how, where);
}

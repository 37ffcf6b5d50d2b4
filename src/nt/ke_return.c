/* nt/ke_return.c: what a routine of the driver leaves behind when it returns: mutexes and regions
 * in the thread that called it, and objects on its stack, which is somebody else's from then on. */
#include "nt/internal.h"

#include <stdio.h>

enum { TEXT_MAX = 160 };

static void tell(const char *name, const char *text, const void *routine)
{
    if (nt_hooks.misuse) {
        nt_hooks.misuse(nt_hooks.ctx, NT_MISUSE_LOCK_OWNER, name, text, routine);
    }
}

/* ---- The thread ------------------------------------------------------------------------------ */

void nt_thread_check_return(const char *what, const char *name, const void *routine)
{
    struct nt_thread *thread = thread_current();
    char text[TEXT_MAX];

    if (thread->mutex_count) {
        snprintf(text, sizeof(text), "%s ends owning %u mutex(es)", what, thread->mutex_count);
        tell(name, text, routine);
    }
    if (thread->critical_depth || thread->guarded_depth) {
        snprintf(text, sizeof(text), "%s ends inside a critical or guarded region", what);
        tell(name, text, routine);
    }
    /* Told; what runs next in the thread is not to blame. */
    thread->mutex_count = thread->mutex_apc_depth = 0;
    thread->critical_depth = thread->guarded_depth = 0;
    thread->critical_told = thread->guarded_told = 0;
}

static unsigned beyond(unsigned now, unsigned before)
{
    return now > before ? now - before : 0;
}

void nt_regions_now(struct nt_regions *out)
{
    const struct nt_thread *thread = thread_current();

    *out = (struct nt_regions){.mutexes = thread->mutex_count,
                               .mutex_apcs = thread->mutex_apc_depth,
                               .critical = thread->critical_depth,
                               .guarded = thread->guarded_depth};
}

void nt_regions_check(const char *name, const struct nt_regions *before)
{
    struct nt_thread *thread = thread_current();
    unsigned mutexes = beyond(thread->mutex_count, before->mutexes);
    unsigned critical = beyond(thread->critical_depth, before->critical);
    unsigned guarded = beyond(thread->guarded_depth, before->guarded);
    char text[TEXT_MAX];

    if (mutexes) {
        snprintf(text, sizeof(text), "it returned owning %u mutex(es)", mutexes);
        tell(name, text, NULL);
        thread->mutex_count = before->mutexes;
        thread->mutex_apc_depth -= beyond(thread->mutex_apc_depth, before->mutex_apcs);
    }
    if (critical || guarded) {
        tell(name, "it returned inside a critical or guarded region that it entered", NULL);
        thread->critical_depth -= critical;
        thread->guarded_depth -= guarded;
        thread->critical_told += critical;
        thread->guarded_told += guarded;
    }
}

/* ---- Its stack ------------------------------------------------------------------------------- */

static bool is_left(const struct nt_origin *from, const char *what, const char *name)
{
    char where[NT_ORIGIN_MAX], text[TEXT_MAX + NT_ORIGIN_MAX];

    if (from && nt_hooks.misuse) {
        nt_origin_text(from, where, sizeof(where));
        snprintf(text, sizeof(text), "it returned with %s at %s", what, where);
        nt_hooks.misuse(nt_hooks.ctx, NT_MISUSE_STACK_LEFT, name, text, NULL);
    }
    return from != NULL;
}

void nt_stack_check(const char *name)
{
    const void *low, *high;
    uintptr_t mark = task_stack_mark();

    task_stack_bounds(&low, &high);
    if (mark <= (uintptr_t)low || mark > (uintptr_t)high) {
        return;
    }
    size_t size = mark - (uintptr_t)low;
    if (is_left(timer_armed_in(low, size), "an armed timer on its stack, set", name)) {
        timer_forget_in(low, size);
    }
    if (is_left(timer_dpc_in(low, size), "the DPC of an armed timer on its stack, set", name)) {
        timer_forget_dpc_in(low, size);
    }
    if (is_left(dpc_queued_in(low, size), "a queued DPC on its stack, queued", name)) {
        dpc_forget_in(low, size);
    }
    if (is_left(work_queued_in(low, size), "a queued work item on its stack, queued", name)) {
        work_forget_in(low, size);
    }
}

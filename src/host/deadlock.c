/* A deadlock: who waits, in which call of the driver, and from where. Tasks whose stacks hold the
 * driver's code are findings; what else waits is told with them. Where there are none, and the
 * worker rests though it has something to do, the fault is Drydock's own. Where something goes on
 * all the time, vertical syncs for one, the time limit ends the run, and calls that wait for long
 * are told then. */
#include "host/internal.h"

#include <stdio.h>

#define WAITERS_TOLD 16
#define OVERDUE_NS   (5 * NS_PER_S) /* as long as a reset waits for the driver [TDR-008] */

struct told {
    unsigned findings, others;
    char first[RECORD_TEXT_MAX];
};

/* The innermost place in the driver that a stack leads back to, or NULL. A stack holds what a
 * sanitizer forbids to read. */
static __attribute__((no_sanitize("address"))) const void *driver_place(const void *from,
                                                                        const void *to)
{
    bool writable;

    for (const uintptr_t *word = from; word < (const uintptr_t *)to; word++) {
        const void *place = (const void *)*word;
        if (loader_image_at(place) && !loader_data_at(place, &writable)) {
            return place;
        }
    }
    return NULL;
}

static void tell_task(void *ctx, struct task *task, const void *from, const void *to)
{
    const void *place = driver_place(from, to);
    enum contract_point point = ddi_task_point(task);
    char where[96], text[RECORD_TEXT_MAX];
    struct told *told = ctx;

    /* A daemon waits for work, unless it waits in a call of the driver. */
    if (told->findings + told->others == WAITERS_TOLD ||
        (task_is_daemon(task) && point == POINT_COUNT)) {
        return;
    }
    /* A client's task is in the driver within a DDI alone, and that of the run when there is an
     * adapter; what calls that have returned left on its stack leads there, too. */
    if (point == POINT_COUNT &&
        (task_slot(task, TASK_SLOT_CLIENT) || (task == host.main && host.adapter))) {
        place = NULL;
    }
    if (!place) {
        const char *in = host_task_is_in(task);
        told->others++;
        snprintf(text, sizeof text, "deadlock: task %s waits%s%s, outside the driver",
                 task_name(task), in ? " in " : "", in ? in : "");
        record_note(text);
        return;
    }
    struct record_breach breach = {.rule = "DEADLOCK", .count = 1, .fatal = true};
    loader_location_text(place, where, sizeof where);
    snprintf(breach.ddi, sizeof breach.ddi, "%s",
             point < POINT_COUNT ? contract_point_info(point)->name : "the driver");
    snprintf(breach.expected, sizeof breach.expected, "a wait that somebody can end");
    snprintf(breach.actual, sizeof breach.actual, "task %.47s waits in %.62s, at %s",
             task_name(task), breach.ddi, where);
    record_event(EVENT_BREACH, 0, RECORD_RULES_MAX, record_add_breach(&breach));
    if (told->findings++ == 0) {
        snprintf(told->first, sizeof told->first, "%s", breach.actual);
    }
}

void host_deadlock(void)
{
    struct told told = {0};

    if (record_header(host.record)->outcome != RUN_OUTCOME_NONE) {
        return; /* whose it is was told */
    }
    task_each_waiting(tell_task, &told);
    bool ours = told.findings == 0 && host.adapter && dxgk_adapter_forgot_work(host.adapter);
    record_set_outcome(ours ? RUN_OUTCOME_OWN_FAULT : RUN_OUTCOME_FAULT,
                       "deadlock: everything waits and nothing can wake it (%s)",
                       told.findings ? told.first
                       : ours        ? "work of Drydock's own was left undone"
                                     : "last in no call of the driver");
}

/* Threads of the driver's own may wait as long as they like. */
static void tell_overdue(void *ctx, struct task *task, const void *from, const void *to)
{
    const void *place = driver_place(from, to);
    enum contract_point point = ddi_task_point(task);
    uint64_t now_ns = machine_now_ns(), since_ns = ddi_task_since_ns(task);
    char where[LOADER_TEXT_MAX];

    if (!place || point >= POINT_COUNT || now_ns < since_ns || now_ns - since_ns < OVERDUE_NS) {
        return;
    }
    const char *name = contract_point_info(point)->name;
    struct record_breach breach = {.rule = "HANG", .count = 1};
    loader_location_text(place, where, sizeof where);
    snprintf(breach.ddi, sizeof breach.ddi, "%s", name);
    snprintf(breach.expected, sizeof breach.expected, "a DDI that returns");
    snprintf(breach.actual, sizeof breach.actual,
             "%s was called %llu ms before the run's time limit, and still %s at %s", name,
             (unsigned long long)((now_ns - since_ns) / NS_PER_MS),
             task_is_blocked(task) ? "waits" : "is at work", where);
    record_event(EVENT_BREACH, 0, RECORD_RULES_MAX, record_add_breach(&breach));
}

void host_overdue(void)
{
    task_each_waiting(tell_overdue, NULL);
    task_each_busy(tell_overdue, NULL); /* who asks again and again does not wait */
    host_work_overdue();
}

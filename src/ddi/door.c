/* The door: what happens around every call of a driver. */
#include "ddi/internal.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/record.h"
#include "base/status.h"

static uint64_t call_sequence;

struct ddi_call *ddi_call_here(void)
{
    struct task *self = task_self();

    return self ? task_slot(self, TASK_SLOT_DDI) : NULL;
}

static void set_current_call(struct ddi_call *call)
{
    struct task *self = task_self();

    if (self) {
        task_set_slot(self, TASK_SLOT_DDI, call);
    }
}

static const struct task *quiet_task;

void ddi_be_quiet(bool quiet)
{
    CHECK_THAT(!quiet || !quiet_task || quiet_task == task_self());
    quiet_task = quiet ? task_self() : NULL;
}

bool ddi_is_quiet(void)
{
    return __builtin_expect(quiet_task != NULL, 0) && quiet_task == task_self();
}

/* What the kernel refused to the driver inside a call, the newest. */
struct denial {
    uint64_t sequence; /* of the call */
    enum contract_point point;
    const void *caller;
    char answer[DDI_DENIAL_MAX];
};
static struct denial newest_denial;

void ddi_callback_denied(const struct ddi_callback *callback, const char *format, ...)
{
    struct ddi_call *call = ddi_call_here();
    va_list arguments;

    if (!call || call->quiet) {
        return;
    }
    call->denied = true;
    newest_denial.sequence = call->sequence;
    newest_denial.point = callback->contract.point;
    newest_denial.caller = callback->caller;
    va_start(arguments, format);
    vsnprintf(newest_denial.answer, sizeof newest_denial.answer, format, arguments);
    va_end(arguments);
}

/* The newest error of the driver: of one that called it for another's sake, the inner one. */
static struct {
    const struct task *task;
    enum contract_point point;
    NTSTATUS status;
    uint64_t sequence;
    struct denial denial; /* of that call, if its sequence says so */
} failure;

enum contract_point ddi_failed_since(uint64_t calls, NTSTATUS status)
{
    bool is_it = failure.task && failure.task == task_self() && failure.sequence > calls &&
                 failure.status == status;

    return is_it ? failure.point : POINT_COUNT;
}

bool ddi_failure_denial(const char *ddi, NTSTATUS status, char *text, size_t size)
{
    const struct denial *denial = &failure.denial;
    char where[DDI_DENIAL_MAX];

    if (!failure.sequence || failure.status != status || denial->sequence != failure.sequence ||
        strcmp(contract_point_info(failure.point)->name, ddi) != 0) {
        return false;
    }
    nt_symbol_text(denial->caller, where, sizeof where);
    snprintf(text, size, "%s, called at %s, was answered %s",
             contract_point_info(denial->point)->name, where, denial->answer);
    return true;
}

static void note_failure(const struct ddi_call *call, NTSTATUS status)
{
    if (!NT_SUCCESS(status)) {
        failure.task = task_self();
        failure.point = call->contract.point;
        failure.status = status;
        failure.sequence = call->sequence;
        if (newest_denial.sequence == call->sequence) {
            failure.denial = newest_denial;
        }
    }
}

uint64_t ddi_call_count(void)
{
    return call_sequence;
}

uint64_t ddi_task_call_count(void)
{
    const struct task *self = task_self();

    return self ? (uintptr_t)task_slot(self, TASK_SLOT_DDI_CALLS) : 0;
}

static uint64_t judged; /* the call that came back and is judged: nobody switches meanwhile */

uint64_t ddi_current_call(void)
{
    const struct ddi_call *call = ddi_call_here();

    return judged ? judged : call ? call->sequence : 0;
}

enum contract_point ddi_current_point(void)
{
    struct ddi_call *call = ddi_call_here();

    return call ? call->contract.point : POINT_COUNT;
}

void ddi_handed_null(char *text, size_t size)
{
    const struct ddi_call *call = ddi_call_here();
    const DXGK_ALLOCATIONLIST *list = NULL;
    UINT count = 0;

    if (call && call->contract.point == POINT_Render) {
        list = ((const DXGKARG_RENDER *)(const void *)call->before)->pAllocationList;
        count = ((const DXGKARG_RENDER *)(const void *)call->before)->AllocationListSize;
    }
    text[0] = 0;
    for (UINT i = 0; i < count && !text[0]; i++) {
        if (!list[i].hDeviceSpecificAllocation) {
            snprintf(text, size,
                     "; entry %u of pAllocationList has no allocation, as a client may have it: "
                     "its hDeviceSpecificAllocation is NULL",
                     i);
        }
    }
}

/* A DPC of an adapter runs by itself; of what is called at any level nothing keeps others out. */
void ddi_standing(struct nt_standing *out)
{
    const struct ddi_call *call = ddi_call_here();

    while (call && call->outer && call->contract.point != POINT_DpcRoutine &&
           call->contract.point != POINT_InterruptRoutine) {
        call = call->outer;
    }
    if (call) {
        enum contract_point point = call->contract.point;
        out->called = true;
        out->alone = call->exclusive || !call->adapter;
        out->process = call->process_gate;
        out->level = point == POINT_DpcRoutine ? CONTRACT_LEVEL_COUNT
                     : call->class_held        ? contract_point_info(point)->level
                                               : CONTRACT_LEVEL_LEVEL_0;
    }
}

bool ddi_write_behind(const void *address, struct contract_finding *out, const char **member)
{
    const struct ddi_call *call = ddi_call_here();

    return call && contract_write_behind(&call->contract, address, out, member);
}

enum contract_point ddi_task_point(const struct task *task)
{
    const struct ddi_call *call = task_slot(task, TASK_SLOT_DDI);

    return call ? call->contract.point : POINT_COUNT;
}

enum contract_point ddi_task_entry(const struct task *task, const struct ddi_adapter *adapter,
                                   uint64_t *since_ns)
{
    const struct ddi_call *call = task_slot(task, TASK_SLOT_DDI);

    while (call && call->outer) {
        call = call->outer;
    }
    bool there = call && call->adapter == adapter;
    *since_ns = there ? call->since_ns : MACHINE_NEVER;
    return there ? call->contract.point : POINT_COUNT;
}

uint64_t ddi_task_since_ns(const struct task *task)
{
    const struct ddi_call *call = task_slot(task, TASK_SLOT_DDI);

    return call ? call->since_ns : MACHINE_NEVER;
}

struct ddi_adapter *ddi_current_adapter(void)
{
    struct ddi_call *call = ddi_call_here();

    return call ? call->adapter : NULL;
}

/* May this call wait for the gates? Not from a callback, an interrupt or a DPC. */
static bool takes_gates(const struct ddi_call *call, const struct contract_point_info *info)
{
    return call->adapter && !call->outer && task_self() && info->irql != CONTRACT_IRQL_ANY &&
           irql_current() < MACHINE_IRQL_DISPATCH &&
           call->contract.point != POINT_InterruptRoutine &&
           call->contract.point != POINT_DpcRoutine;
}

static void take_gates(struct ddi_call *call, enum contract_level level)
{
    struct ddi_adapter *adapter = call->adapter;
    struct nt_process *process = nt_exists() ? nt_process_current() : NULL;

    CHECK_THAT(!call->shared && !call->exclusive && !call->class_held && !call->process_gate);
    /* No two threads in the driver belong to one process [GEN-001]. */
    if (process) {
        call->process_gate = nt_process_gate(process);
        call->process = nt_process_id(process);
        gate_enter_exclusive(call->process_gate, MACHINE_NEVER);
    }
    if (level == CONTRACT_LEVEL_LEVEL_2 || level == CONTRACT_LEVEL_LEVEL_3) {
        gate_enter_exclusive(&adapter->adapter_gate, MACHINE_NEVER);
        call->exclusive = true;
        KERNEL_DUTY(GEN_003, adapter->threads_inside == 0);
        return;
    }
    if (level != CONTRACT_LEVEL_LEVEL_0) {
        gate_enter_exclusive(&adapter->class_gate[level], MACHINE_NEVER);
        call->class_held = true;
    }
    gate_enter_shared(&adapter->adapter_gate);
    call->shared = true;
}

static void leave_level(struct ddi_call *call, enum contract_level level)
{
    struct ddi_adapter *adapter = call->adapter;

    CHECK_THAT(!call->exclusive || (!call->shared && !call->class_held));
    if (call->exclusive) {
        gate_leave_exclusive(&adapter->adapter_gate);
    }
    if (call->shared) {
        gate_leave_shared(&adapter->adapter_gate);
    }
    if (call->class_held) {
        gate_leave_exclusive(&adapter->class_gate[level]);
    }
    if (call->process_gate) {
        gate_leave_exclusive(call->process_gate);
    }
    call->shared = call->class_held = call->exclusive = false;
    call->process_gate = NULL;
}

static bool is_closed_to(const struct ddi_call *call)
{
    return call->adapter->closed_for && call->adapter->closed_for != task_self() &&
           call->contract.point != POINT_CancelCommand;
}

/* Whoever finds the door closed when it is his turn gives that back, for a reset is to come by. */
static void enter_level(struct ddi_call *call, enum contract_level level)
{
    take_gates(call, level);
    while (is_closed_to(call)) {
        leave_level(call, level);
        wait_queue_wait(&call->adapter->opened, MACHINE_NEVER);
        take_gates(call, level);
    }
    CHECK_THAT(call->shared != call->exclusive); /* one of them stands for being inside */
}

static uint8_t irql_for(const struct ddi_call *call, const struct contract_point_info *info)
{
    uint8_t now = irql_current();

    switch (info->irql) {
    case CONTRACT_IRQL_DISPATCH:
        if (call->contract.point == POINT_PreemptCommand && call->adapter->low_irql_preempt) {
            return now; /* [PREEMPT-001] */
        }
        return now > MACHINE_IRQL_DISPATCH ? now : MACHINE_IRQL_DISPATCH;
    case CONTRACT_IRQL_DIRQL:
        return call->adapter && call->adapter->interrupt ? interrupt_irql(call->adapter->interrupt)
                                                         : MACHINE_IRQL_DEVICE_FIRST;
    default:
        return now;
    }
}

static void count_thread(struct ddi_adapter *adapter, int step)
{
    CHECK_THAT(step > 0 || adapter->threads_inside > 0);
    adapter->threads_inside += (unsigned)step;
    if (adapter->threads_inside == 0) {
        wait_queue_wake(&adapter->drained, UINT_MAX);
    }
}

/* The texts behind are cleared by whoever writes there: they are most of the structure. */
static void begin_contract(struct contract_call *contract, struct ddi_adapter *adapter,
                           enum contract_point point, void *arguments)
{
    memset(contract, 0, offsetof(struct contract_call, expected));
    contract->expected[0] = contract->actual[0] = '\0';
    contract->tracker = adapter ? adapter->tracker : NULL;
    contract->point = point;
    contract->arguments = arguments;
    contract->object = adapter ? adapter->object : 0;
}

/* Why these three take so many parameters, internal.h says. */
void ddi_enter(struct ddi_call *call, struct ddi_adapter *adapter, enum contract_point point,
               void *arguments, size_t size_bytes, uint32_t object)
{
    ddi_enter_with(call, adapter, point, NULL, arguments, size_bytes, object);
}

/* Parameters: see ddi_enter(). */
void ddi_enter_with(struct ddi_call *call, struct ddi_adapter *adapter, enum contract_point point,
                    HANDLE first, void *arguments, size_t size_bytes, uint32_t object)
{
    ddi_approach(call, adapter, point, object);
    ddi_go_in(call, first, arguments, size_bytes);
}

/* Of the task that makes it: an interrupt's are nobody's. */
static void count_for_task(const struct ddi_call *call)
{
    struct task *self = task_self();

    if (self && !call->quiet) {
        uintptr_t count = (uintptr_t)task_slot(self, TASK_SLOT_DDI_CALLS) + 1;
        task_set_slot(self, TASK_SLOT_DDI_CALLS, (void *)count);
    }
    if (!call->outer) {
        mmio_call_begins();
    }
}

static void begin_call(struct ddi_call *call, struct ddi_adapter *adapter,
                       enum contract_point point, uint32_t object)
{
    call->adapter = adapter;
    call->outer = ddi_call_here();
    call->lent.copy = NULL;
    call->shared = call->class_held = call->exclusive = false;
    call->process_gate = NULL;
    call->since_ns = machine_now_ns();
    call->quiet = ddi_is_quiet();
    call->denied = false;
    call->is_stepped = call->is_beside = call->is_compared = false;
    judged = 0; /* of a run that ended there */
    call->sequence = call->quiet ? call_sequence : ++call_sequence;
    count_for_task(call);
    begin_contract(&call->contract, adapter, point, NULL);
    if (object) {
        call->contract.object = object;
    }
}

void ddi_approach(struct ddi_call *call, struct ddi_adapter *adapter, enum contract_point point,
                  uint32_t object)
{
    const struct contract_point_info *info = contract_point_info(point);

    begin_call(call, adapter, point, object);
    if (takes_gates(call, info)) {
        enter_level(call, info->level);
    }
}

void ddi_approach_alone(struct ddi_call *call, struct ddi_adapter *adapter,
                        enum contract_point point)
{
    begin_call(call, adapter, point, 0);
    if (takes_gates(call, contract_point_info(point))) {
        enter_level(call, CONTRACT_LEVEL_LEVEL_2);
    }
}

void ddi_turn_back(struct ddi_call *call)
{
    if (!call->outer) {
        mmio_call_ends();
    }
    if (call->adapter) {
        leave_level(call, contract_point_info(call->contract.point)->level);
    }
}

/* An interrupt is in nobody's thread. */
static bool looks_at_thread(const struct ddi_call *call)
{
    return !call->quiet && call->contract.point != POINT_InterruptRoutine && nt_exists();
}

void ddi_go_in(struct ddi_call *call, HANDLE first, void *arguments, size_t size_bytes)
{
    enum contract_point point = call->contract.point;
    const struct contract_point_info *info = contract_point_info(point);

    CHECK_THAT(arguments || size_bytes == 0);
    /* Of longer structures the rules compare only what comes first. */
    if (size_bytes > sizeof call->before) {
        size_bytes = sizeof call->before;
    }
    call->contract.arguments = arguments;
    call->contract.before = arguments ? call->before : NULL;
    call->contract.size_bytes = size_bytes;
    call->contract.first = first;
    if (info->irql == CONTRACT_IRQL_PASSIVE && task_self()) {
        KERNEL_DUTY(GEN_007, irql_current() <= MACHINE_IRQL_APC);
    }
    call->contract.irql_before = irql_current();
    call->irql = irql_for(call, info);
    if (call->irql > call->contract.irql_before) {
        irql_raise(call->irql);
    }
    call->contract.irql = irql_current();
    call->registers_before = mmio_access_count_of_task();
    call->registers_inside = 0;
    call->writes_before = mmio_write_count_of_task();
    call->writes_inside = 0;
    call->contract.began_ns = machine_now_ns();
    contract_before(&call->contract);
    if (call->shared || call->exclusive) {
        count_thread(call->adapter, 1);
    }
    set_current_call(call);
    call->stack_mark = task_set_stack_mark((uintptr_t)__builtin_frame_address(0));
    if (looks_at_thread(call)) {
        nt_regions_now(&call->regions);
    }
    if (!call->quiet) {
        record_event(EVENT_DDI_ENTER, call->contract.object, point | (uint64_t)call->irql << 16,
                     call->sequence);
    }
}

/* Without a place (there are many) the driver gets the structure itself. Its parameters are all
 * plain facts of a loan, which the wrappers have at hand as those of ddi_enter(). */
void *ddi_lend(struct ddi_loan *loan, void *own, size_t size_bytes, const char *what,
               enum ddi_lend use)
{
    CHECK_THAT(size_bytes > 0);
    loan->copy = lent_take(size_bytes, what);
    if (!loan->copy) {
        return own;
    }
    loan->own = use == DDI_LEND_ANSWERS ? own : NULL;
    loan->size_bytes = size_bytes;
    return memcpy(loan->copy, own, size_bytes);
}

void ddi_take_back(struct ddi_loan *loan)
{
    if (!loan->copy) {
        return;
    }
    if (loan->own) {
        memcpy(loan->own, loan->copy, loan->size_bytes);
    }
    lent_give_back(loan->copy);
    loan->copy = NULL;
}

static void count_call(enum contract_point point, NTSTATUS status)
{
    struct record *record = record_current();

    if (record && point < RECORD_DDI_MAX) {
        record_header(record)->ddi[point].calls++;
        record_header(record)->ddi[point].failures += !NT_SUCCESS(status);
    }
}

/* The driver's accesses in this very call: those of an interrupt that came meanwhile are its own.
 */
static void count_registers(struct ddi_call *call)
{
    uint64_t all = mmio_access_count_of_task() - call->registers_before;
    uint64_t writes = mmio_write_count_of_task() - call->writes_before;

    CHECK_THAT(call->registers_inside <= all);
    call->contract.register_accesses = all - call->registers_inside;
    call->contract.register_writes = writes - call->writes_inside;
    if (call->outer) {
        call->outer->registers_inside += all;
        call->outer->writes_inside += writes;
    }
}

NTSTATUS ddi_leave(struct ddi_call *call, NTSTATUS status)
{
    struct ddi_adapter *adapter = call->adapter;
    enum contract_point point = call->contract.point;

    if (__builtin_expect(ddi_steps, 0)) {
        ddi_step_end(call);
    }
    if (!call->outer) {
        mmio_call_ends();
    }
    /* Calls end as they began, the last first. */
    CHECK_THAT(!task_self() || ddi_call_here() == call);
    ddi_take_back(&call->lent);
    call->contract.status = status;
    call->contract.irql_after = irql_current();
    count_registers(call);
    if (!call->quiet) {
        record_event(EVENT_DDI_LEAVE, call->contract.object,
                     point | (uint64_t)(uint32_t)status << 32, call->sequence);
        count_call(point, status);
        note_failure(call, status);
        ddi_answered(call, status);
    }
    if (looks_at_thread(call)) {
        nt_regions_check(contract_point_info(point)->name, &call->regions);
        nt_stack_check(contract_point_info(point)->name);
    }
    set_current_call(call->outer);
    task_set_stack_mark(call->stack_mark);
    if (call->shared || call->exclusive) {
        count_thread(adapter, -1);
    }
    judged = call->sequence;
    contract_after(&call->contract);
    judged = 0;
    /* Damage is reported near the call that did it; what a rule speaks of, by the rule. */
    if (!call->quiet && call->sequence % 8 == 0 && point != POINT_InterruptRoutine && nt_exists()) {
        nt_pool_check_some();
    }
    /* A driver that left its IRQL behind was reported; the run goes on from the right level. */
    if (irql_current() < call->irql) {
        irql_raise(call->irql);
    }
    if (irql_current() > call->contract.irql_before) {
        irql_lower(call->contract.irql_before);
    }
    CHECK_THAT(irql_current() == call->contract.irql_before);
    if (adapter) {
        leave_level(call, contract_point_info(point)->level);
    }
    /* By its number it tells something, but where drivers may return it, it means no. */
    return status == STATUS_GRAPHICS_DRIVER_MISMATCH ? STATUS_INVALID_PARAMETER : status;
}

/* The ceiling of a callback's page. Three have rules that say more of it. What is called at
 * PASSIVE_LEVEL is not blamed at APC_LEVEL: that is where a fast mutex puts its holder, and what
 * the callback waits for it can wait for there. */
static void look_at_irql(const struct ddi_callback *callback)
{
    enum contract_point point = callback->contract.point;
    const struct contract_point_info *info = contract_point_info(point);

    if (callback->irql > MACHINE_IRQL_APC && point != POINT_CbNotifyInterrupt &&
        point != POINT_CbNotifyDpc && point != POINT_CbGetHandleData) {
        nt_look_at_irql(info->name, info->irql_max, callback->caller);
    }
}

/* Parameters: see internal.h. */
void ddi_callback_begin(struct ddi_callback *callback, struct ddi_adapter *adapter,
                        enum contract_point point, void *arguments, uint64_t plain)
{
    callback->is_stepped = step_pause();
    callback->irql = irql_current();
    begin_contract(&callback->contract, adapter, point, arguments);
    callback->contract.irql_before = callback->contract.irql = callback->irql;
    callback->contract.began_ns = machine_now_ns();
    record_event(EVENT_CALLBACK, callback->contract.object, point, plain);
    if (adapter && point == POINT_CbNotifyInterrupt) {
        adapter->notices++;
    }
    look_at_irql(callback);
    contract_before(&callback->contract);
}

NTSTATUS ddi_callback_leave(struct ddi_callback *callback, NTSTATUS status)
{
    callback->contract.status = status;
    callback->contract.irql_after = irql_current();
    CHECK_THAT(callback->contract.irql_after == callback->irql); /* ours, whatever it called */
    if (!NT_SUCCESS(status)) {
        ddi_callback_denied(callback, "%s", status_name(status));
        ddi_callback_failed(status);
    }
    contract_after(&callback->contract);
    record_event(EVENT_CALLBACK_DONE, callback->contract.object,
                 callback->contract.point | (uint64_t)(uint32_t)status << 32, 0);
    if (callback->is_stepped) {
        step_resume();
    }
    return status;
}

bool ddi_wait_empty(struct ddi_adapter *adapter, uint64_t deadline_ns)
{
    while (adapter->threads_inside != 0) {
        if (wait_queue_wait(&adapter->drained, deadline_ns) == WAIT_TIMED_OUT) {
            return adapter->threads_inside == 0;
        }
    }
    return true;
}

bool ddi_close(struct ddi_adapter *adapter, uint64_t deadline_ns)
{
    CHECK_THAT(!adapter->closed_for && task_self());
    adapter->closed_for = task_self();
    return ddi_wait_empty(adapter, deadline_ns);
}

bool ddi_is_closed(const struct ddi_adapter *adapter)
{
    return adapter->closed_for != NULL;
}

void ddi_repeats_no_more(struct ddi_adapter *adapter, HANDLE context)
{
    contract_repeats_no_more(adapter->tracker, context);
}

void ddi_open(struct ddi_adapter *adapter)
{
    CHECK_THAT(!adapter->closed_for || adapter->closed_for == task_self());
    adapter->closed_for = NULL;
    wait_queue_wake(&adapter->opened, UINT_MAX);
}

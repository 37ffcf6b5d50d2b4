/* nt/ps_process.c: processes, tokens and what else names the caller.
 *
 * A process here is an identity for clients: no address space of its own. Its token is a
 * placeholder: every caller is an administrator with every privilege, for there is nobody to
 * protect from whom. */
#include "nt/internal.h"

#include <stdio.h>
#include <stdlib.h>

#define SYSTEM_PROCESS_ID 4

struct nt_process {
    DISPATCHER_HEADER header; /* first: a driver may wait for a process */
    struct list link;
    uint64_t id;
    char name[16];
    void *token;
    struct gate *gate; /* out of drivers' reach */
};

static void process_destroy(void *body)
{
    struct nt_process *process = body;

    list_remove(&process->link);
    object_put(process->token);
    free(process->gate);
}

struct object_type object_type_process = {.name = "Process", .destroy = process_destroy};

static struct nt_process *system_process;
static struct list processes = {&processes, &processes};

static struct nt_process *process_new(const char *name, uint64_t id)
{
    struct nt_process *process = object_create(&object_type_process, sizeof(*process));

    if (!process) {
        return NULL;
    }
    list_push_back(&processes, &process->link);
    process->token = object_create(&object_type_token, sizeof(void *));
    process->gate = malloc(sizeof *process->gate);
    if (!process->token || !process->gate) {
        object_put(process);
        return NULL;
    }
    gate_init(process->gate);
    dispatcher_init(&process->header, DISPATCHER_PROCESS, sizeof(*process), 0);
    process->id = id;
    snprintf(process->name, sizeof(process->name), "%s", name);
    return process;
}

void process_start(void)
{
    system_process = process_new("System", SYSTEM_PROCESS_ID);
    CHECK_THAT(system_process != NULL);
}

void process_stop(void)
{
    system_process = NULL; /* memory goes with the pool */
    list_init(&processes);
}

struct nt_process *nt_process_create(const char *image_name)
{
    return process_new(image_name, process_next_id());
}

void nt_process_destroy(struct nt_process *process)
{
    if (process) {
        process->header.SignalState = 1;
        dispatcher_signalled(&process->header);
        object_put(process);
    }
}

void nt_process_set_current(struct nt_process *process)
{
    CHECK_THAT(task_self() != NULL);
    task_set_slot(task_self(), TASK_SLOT_PROCESS, process);
}

struct nt_process *nt_process_current(void)
{
    struct task *self = task_self();

    return self ? task_slot(self, TASK_SLOT_PROCESS) : NULL;
}

struct gate *nt_process_gate(struct nt_process *process)
{
    return process->gate;
}

uint64_t nt_process_id(const struct nt_process *process)
{
    return process ? process->id : SYSTEM_PROCESS_ID;
}

bool nt_process_is(uint64_t id)
{
    list_for_each (link, &processes) {
        if (container_of(link, struct nt_process, link)->id == id) {
            return true;
        }
    }
    return false;
}

void *nt_process_object(struct nt_process *process)
{
    return process ? process : system_process;
}

static struct nt_process *current(void)
{
    return nt_process_object(nt_process_current());
}

/* ---- Exports --------------------------------------------------------------------------------- */

PEPROCESS NTAPI IoGetCurrentProcess(VOID)
{
    NT_EXPORT_ENTER(IoGetCurrentProcess);
    return (PEPROCESS)current();
}

PEPROCESS NTAPI PsGetCurrentProcess(VOID)
{
    NT_EXPORT_ENTER(PsGetCurrentProcess);
    return (PEPROCESS)current();
}

HANDLE NTAPI PsGetCurrentProcessId(VOID)
{
    NT_EXPORT_ENTER(PsGetCurrentProcessId);
    return (HANDLE)(uintptr_t)current()->id;
}

HANDLE NTAPI PsGetProcessId(PEPROCESS Process)
{
    NT_EXPORT_ENTER(PsGetProcessId);
    return (HANDLE)(uintptr_t)((struct nt_process *)Process)->id;
}

PCHAR NTAPI PsGetProcessImageFileName(PEPROCESS Process)
{
    NT_EXPORT_ENTER(PsGetProcessImageFileName);
    return ((struct nt_process *)Process)->name;
}

NTSTATUS NTAPI PsLookupProcessByProcessId(HANDLE ProcessId, PEPROCESS *Process)
{
    NT_EXPORT_ENTER(PsLookupProcessByProcessId);
    list_for_each (link, &processes) {
        struct nt_process *process = container_of(link, struct nt_process, link);
        if (process->id == (uintptr_t)ProcessId) {
            object_get(process);
            object_give(process, __builtin_return_address(0));
            *Process = (PEPROCESS)process;
            return STATUS_SUCCESS;
        }
    }
    *Process = NULL;
    return STATUS_INVALID_CID;
}

PVOID NTAPI PsGetProcessSectionBaseAddress(PEPROCESS Process)
{
    NT_EXPORT_ENTER(PsGetProcessSectionBaseAddress);
    return NULL; /* clients have no image of their own */
}

/* Clients share one address space: there is nothing to attach to. */
VOID NTAPI KeStackAttachProcess(PRKPROCESS PROCESS, PRKAPC_STATE ApcState)
{
    NT_EXPORT_ENTER(KeStackAttachProcess);
    *ApcState = (KAPC_STATE){.Process = PROCESS};
}

VOID NTAPI KeUnstackDetachProcess(PRKAPC_STATE ApcState)
{
    NT_EXPORT_ENTER(KeUnstackDetachProcess);
}

/* Processes are told to nobody: the routine is never called. */
NTSTATUS NTAPI PsSetCreateProcessNotifyRoutine(PCREATE_PROCESS_NOTIFY_ROUTINE NotifyRoutine,
                                               BOOLEAN Remove)
{
    NT_EXPORT_ENTER(PsSetCreateProcessNotifyRoutine);
    return STATUS_SUCCESS;
}

PVOID NTAPI PsReferencePrimaryToken(PEPROCESS Process)
{
    struct nt_process *process = (struct nt_process *)Process;

    NT_EXPORT_ENTER(PsReferencePrimaryToken);
    object_get(process->token);
    object_give(process->token, __builtin_return_address(0));
    return process->token;
}

VOID NTAPI PsDereferencePrimaryToken(PVOID PrimaryToken)
{
    struct export_call call = NT_EXPORT_CALL(PsDereferencePrimaryToken);

    if (object_type_of(PrimaryToken) != &object_type_token) {
        misuse(NT_MISUSE_OBJECT, &call, "that is no token");
        return;
    }
    object_dereference(PrimaryToken, &call);
}

BOOLEAN NTAPI SeSinglePrivilegeCheck(LUID PrivilegeValue, KPROCESSOR_MODE PreviousMode)
{
    NT_EXPORT_ENTER(SeSinglePrivilegeCheck);
    return TRUE;
}

BOOLEAN NTAPI SeTokenIsAdmin(PVOID Token)
{
    NT_EXPORT_ENTER(SeTokenIsAdmin);
    return TRUE;
}

KPROCESSOR_MODE NTAPI ExGetPreviousMode(VOID)
{
    NT_EXPORT_ENTER(ExGetPreviousMode);
    return nt_process_current() ? UserMode : KernelMode;
}

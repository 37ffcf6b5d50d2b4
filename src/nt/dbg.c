/* nt/dbg.c: debug output, break points and bug checks of drivers.
 *
 * What a driver prints is collected into lines and given to the host's log, whatever its level:
 * there is no filter that could hide the line that explains a failure. */
#include "nt/internal.h"

#include <stdio.h>
#include <string.h>

#define MESSAGE_MAX 512 /* bytes of one DbgPrint, as on Windows */

static struct {
    char text[1024];
    size_t length;
} line;

static void line_flush(void)
{
    line.text[line.length] = 0;
    line.length = 0;
    log_line(line.text);
}

static void print(const char *text)
{
    for (; *text; text++) {
        if (*text == '\n') {
            line_flush();
        } else if (*text != '\r') {
            line.text[line.length++] = *text;
            if (line.length == sizeof(line.text) - 1) {
                line_flush();
            }
        }
    }
}

void dbg_flush(void)
{
    if (line.length) {
        line_flush();
    }
}

/* What follows a '%', up to its type: *modifier is the letter before that, if it says a width. */
static const char *skip_to_type(const char *at, char *modifier)
{
    *modifier = 0;
    at += strspn(at, "-+ #0123456789.*");
    while (*at && strchr("hlwLI", *at)) {
        *modifier = *at++;
        at += *modifier == 'I' ? strspn(at, "3264") : 0;
    }
    return at;
}

/* Texts of 16-bit characters are converted by tables that may be paged out; floating point is not
 * printed at all on Windows. */
static void check_format(const char *format, const struct export_call *call)
{
    bool wide = false, floating = false;
    char modifier;

    for (const char *at = format; (at = strchr(at, '%')) != NULL && *at;) {
        at = skip_to_type(at + 1, &modifier);
        wide = wide || *at == 'S' || *at == 'C' ||
               ((modifier == 'l' || modifier == 'w') && *at && strchr("scZ", *at));
        floating = floating || (*at && strchr("eEfFgGaA", *at));
        at += *at != 0;
    }
    if (wide) {
        export_irql_above(call, PASSIVE_LEVEL);
    }
    if (floating) {
        advise(call, "prints floating point, which the kernel's formats do not have");
    }
}

static ULONG print_formatted(const char *prefix, const char *format, NT_VA_LIST arguments,
                             const struct export_call *call)
{
    char message[MESSAGE_MAX];

    check_format(format, call);
    nt_format(message, sizeof(message), format, arguments);
    print(prefix);
    print(message);
    return STATUS_SUCCESS;
}

ULONG NTAPI DbgPrint(PCSTR Format, ...)
{
    struct export_call call = NT_EXPORT_CALL(DbgPrint);
    NT_VA_LIST arguments;
    ULONG status;

    __builtin_ms_va_start(arguments, Format);
    status = print_formatted("", Format, arguments, &call);
    __builtin_ms_va_end(arguments);
    return status;
}

ULONG NTAPI DbgPrintEx(ULONG ComponentId, ULONG Level, PCSTR Format, ...)
{
    struct export_call call = NT_EXPORT_CALL(DbgPrintEx);
    NT_VA_LIST arguments;
    ULONG status;

    __builtin_ms_va_start(arguments, Format);
    status = print_formatted("", Format, arguments, &call);
    __builtin_ms_va_end(arguments);
    return status;
}

ULONG NTAPI vDbgPrintEx(ULONG ComponentId, ULONG Level, PCSTR Format, NT_VA_LIST arglist)
{
    struct export_call call = NT_EXPORT_CALL(vDbgPrintEx);
    return print_formatted("", Format, arglist, &call);
}

ULONG NTAPI vDbgPrintExWithPrefix(PCSTR Prefix, ULONG ComponentId, ULONG Level, PCSTR Format,
                                  NT_VA_LIST arglist)
{
    struct export_call call = NT_EXPORT_CALL(vDbgPrintExWithPrefix);
    return print_formatted(Prefix, Format, arglist, &call);
}

VOID NTAPI HalDisplayString(PUCHAR String)
{
    NT_EXPORT_ENTER(HalDisplayString);
    print((const char *)String);
}

/* Nobody sits at the keyboard. */
ULONG NTAPI DbgPrompt(PCSTR Prompt, PSTR Response, ULONG Length)
{
    NT_EXPORT_ENTER(DbgPrompt);
    print(Prompt);
    dbg_flush();
    if (Length) {
        Response[0] = 0;
    }
    return 0;
}

static void log_stop(const char *what, const void *caller)
{
    char where[128], text[192];

    dbg_flush();
    nt_symbol_text(caller, where, sizeof(where));
    snprintf(text, sizeof(text), "%s at %s", what, where);
    log_line(text);
}

VOID NTAPI DbgBreakPoint(VOID)
{
    struct export_call call = NT_EXPORT_CALL(DbgBreakPoint);
    log_stop("break point", call.caller);
}

VOID NTAPI DbgBreakPointWithStatus(ULONG Status)
{
    struct export_call call = NT_EXPORT_CALL(DbgBreakPointWithStatus);
    log_stop("break point", call.caller);
}

NTSTATUS NTAPI DbgQueryDebugFilterState(ULONG ComponentId, ULONG Level)
{
    NT_EXPORT_ENTER(DbgQueryDebugFilterState);
    return TRUE;
}

NTSTATUS NTAPI DbgSetDebugFilterState(ULONG ComponentId, ULONG Level, BOOLEAN State)
{
    NT_EXPORT_ENTER(DbgSetDebugFilterState);
    return STATUS_SUCCESS;
}

/* A failed assertion of the driver's own: without a debugger Windows goes on after the message. */
VOID NTAPI RtlAssert(PVOID FailedAssertion, PVOID FileName, ULONG LineNumber, PSTR Message)
{
    char text[512];

    NT_EXPORT_ENTER(RtlAssert);
    dbg_flush();
    snprintf(text, sizeof(text), "%s(%u): assertion failed: %s%s%s", (const char *)FileName,
             LineNumber, (const char *)FailedAssertion, Message ? ": " : "",
             Message ? Message : "");
    log_line(text);
    record_count("driver.assertions_failed", 1);
}

/* ---- The debugger: there is none ------------------------------------------------------------- */

static ULONG build_number = 0xF0000000u | 26100; /* a free build, as NtBuildNumber says it */
static BOOLEAN debugger_not_present = TRUE, debugger_enabled = FALSE;
ULONG *NtBuildNumber = &build_number;
BOOLEAN *KdDebuggerNotPresent = &debugger_not_present;
BOOLEAN *KdDebuggerEnabled = &debugger_enabled;

BOOLEAN NTAPI KdRefreshDebuggerNotPresent(VOID)
{
    NT_EXPORT_ENTER(KdRefreshDebuggerNotPresent);
    return TRUE;
}

NTSTATUS NTAPI KdDisableDebugger(VOID)
{
    NT_EXPORT_ENTER(KdDisableDebugger);
    return STATUS_DEBUGGER_INACTIVE;
}

NTSTATUS NTAPI KdEnableDebugger(VOID)
{
    NT_EXPORT_ENTER(KdEnableDebugger);
    return STATUS_DEBUGGER_INACTIVE;
}

/* ---- Bug checks ------------------------------------------------------------------------------ */

DECLSPEC_NORETURN VOID NTAPI KeBugCheck(ULONG BugCheckCode)
{
    struct export_call call = NT_EXPORT_CALL(KeBugCheck);

    dbg_flush();
    stop_system(&(struct nt_stop){.code = BugCheckCode, .caller = call.caller, .asked = true});
}

DECLSPEC_NORETURN VOID NTAPI KeBugCheckEx(ULONG BugCheckCode, ULONG_PTR BugCheckParameter1,
                                          ULONG_PTR BugCheckParameter2,
                                          ULONG_PTR BugCheckParameter3,
                                          ULONG_PTR BugCheckParameter4)
{
    struct export_call call = NT_EXPORT_CALL(KeBugCheckEx);

    dbg_flush();
    stop_system(&(struct nt_stop){
        .code = BugCheckCode,
        .arguments = {BugCheckParameter1, BugCheckParameter2, BugCheckParameter3,
                      BugCheckParameter4},
        .caller = call.caller,
        .asked = true,
    });
}

/* Callbacks at a bug check are registered and not called: the run's report takes their place. */
BOOLEAN NTAPI KeRegisterBugCheckCallback(PKBUGCHECK_CALLBACK_RECORD CallbackRecord,
                                         PKBUGCHECK_CALLBACK_ROUTINE CallbackRoutine, PVOID Buffer,
                                         ULONG Length, PUCHAR Component)
{
    NT_EXPORT_ENTER(KeRegisterBugCheckCallback);
    if (CallbackRecord->State != BufferEmpty) {
        return FALSE;
    }
    CallbackRecord->CallbackRoutine = CallbackRoutine;
    CallbackRecord->Buffer = Buffer;
    CallbackRecord->Length = Length;
    CallbackRecord->Component = Component;
    CallbackRecord->State = BufferInserted;
    return TRUE;
}

BOOLEAN NTAPI KeDeregisterBugCheckCallback(PKBUGCHECK_CALLBACK_RECORD CallbackRecord)
{
    NT_EXPORT_ENTER(KeDeregisterBugCheckCallback);
    if (CallbackRecord->State != BufferInserted) {
        return FALSE;
    }
    CallbackRecord->State = BufferEmpty;
    return TRUE;
}

BOOLEAN NTAPI KeRegisterBugCheckReasonCallback(PKBUGCHECK_REASON_CALLBACK_RECORD CallbackRecord,
                                               PKBUGCHECK_REASON_CALLBACK_ROUTINE CallbackRoutine,
                                               KBUGCHECK_CALLBACK_REASON Reason, PUCHAR Component)
{
    NT_EXPORT_ENTER(KeRegisterBugCheckReasonCallback);
    if (CallbackRecord->State != BufferEmpty) {
        return FALSE;
    }
    CallbackRecord->CallbackRoutine = CallbackRoutine;
    CallbackRecord->Reason = Reason;
    CallbackRecord->Component = Component;
    CallbackRecord->State = BufferInserted;
    return TRUE;
}

BOOLEAN NTAPI KeDeregisterBugCheckReasonCallback(PKBUGCHECK_REASON_CALLBACK_RECORD CallbackRecord)
{
    NT_EXPORT_ENTER(KeDeregisterBugCheckReasonCallback);
    if (CallbackRecord->State != BufferInserted) {
        return FALSE;
    }
    CallbackRecord->State = BufferEmpty;
    return TRUE;
}

/* ---- Raising --------------------------------------------------------------------------------- */

DECLSPEC_NORETURN VOID NTAPI ExRaiseStatus(NTSTATUS Status)
{
    NT_EXPORT_ENTER(ExRaiseStatus);
    raise_status(Status);
}

DECLSPEC_NORETURN VOID NTAPI ExRaiseAccessViolation(VOID)
{
    NT_EXPORT_ENTER(ExRaiseAccessViolation);
    raise_status(STATUS_ACCESS_VIOLATION);
}

DECLSPEC_NORETURN VOID NTAPI ExRaiseDatatypeMisalignment(VOID)
{
    NT_EXPORT_ENTER(ExRaiseDatatypeMisalignment);
    raise_status(STATUS_DATATYPE_MISALIGNMENT);
}

/* The kernel functions that are exception handling itself, served to drivers by this folder. */
#include "loader/internal.h"

uint64_t LOADER_MS_ABI loader_unresolved(const struct loader_import *import, const void *caller);

static const uint32_t status_not_implemented = 0xC0000002u;

/* Jumped to by loader_unresolved_entry. */
uint64_t LOADER_MS_ABI loader_unresolved(const struct loader_import *import, const void *caller)
{
    if (loader_host_now.unresolved) {
        loader_host_now.unresolved(loader_host_now.ctx, import->name, caller);
    }
    return status_not_implemented;
}

static LOADER_MS_ABI void ex_raise_status(uint32_t status)
{
    loader_raise(status);
}

static LOADER_MS_ABI void ex_raise_access_violation(void)
{
    loader_raise(LOADER_ACCESS_VIOLATION);
}

static LOADER_MS_ABI void ex_raise_misalignment(void)
{
    loader_raise(LOADER_DATATYPE_MISALIGNMENT);
}

static LOADER_MS_ABI void rtl_raise_exception(const struct loader_exception *record)
{
    loader_raise_record(record);
}

static const struct builtin {
    const char *name;
    const void *address;
} builtins[] = {
    {"__C_specific_handler", (const void *)loader_c_specific_handler},
    {"ExRaiseStatus", (const void *)ex_raise_status},
    {"RtlRaiseStatus", (const void *)ex_raise_status},
    {"ExRaiseAccessViolation", (const void *)ex_raise_access_violation},
    {"ExRaiseDatatypeMisalignment", (const void *)ex_raise_misalignment},
    {"RtlRaiseException", (const void *)rtl_raise_exception},
    {"RtlCaptureContext", (const void *)loader_capture_for_driver},
    {"_setjmp", (const void *)loader_setjmp_for_driver},
    {"_setjmpex", (const void *)loader_setjmp_for_driver},
    {"longjmp", (const void *)loader_long_jump},
    {"RtlUnwind", (const void *)loader_unwind},
    {"RtlUnwindEx", (const void *)loader_unwind_ex},
};

bool loader_resolve_builtin(const char *name, struct loader_binding *out)
{
    for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++) {
        if (strcmp(builtins[i].name, name) == 0) {
            /* Drivers only call it: const is ours. */
            out->address = (void *)(uintptr_t)builtins[i].address;
            out->is_data = false;
            return true;
        }
    }
    return false;
}

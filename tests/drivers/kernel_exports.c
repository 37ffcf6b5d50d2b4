/* kernel_exports.c: the kernel functions the driver imports, and the choice of driver: the linked
 * one or a file. */
#include "kernel_parts.h"

DRIVER_INITIALIZE DriverEntry;

UCHAR kernel_registers[SOFTGPU_REGISTERS_SIZE];

/* ---- Kernel functions the driver imports ---- */

PVOID NTAPI ExAllocatePool2(POOL_FLAGS flags, SIZE_T bytes, ULONG tag)
{
    assert_true(kernel.irql <= DISPATCH_LEVEL);
    assert_memory_equal(&tag, "Sgp", 3);
    kernel.pool_count++;
    return calloc(1, bytes);
}

VOID NTAPI ExFreePoolWithTag(PVOID memory, ULONG tag)
{
    assert_true(kernel.irql <= DISPATCH_LEVEL);
    assert_non_null(memory);
    kernel.pool_count--;
    free(memory);
}

PVOID NTAPI MmAllocateContiguousMemory(SIZE_T bytes, PHYSICAL_ADDRESS highest)
{
    kernel.contiguous_count++;
    return kernel_ram(kernel_pages((unsigned)((bytes + 4095) / 4096)));
}

VOID NTAPI MmFreeContiguousMemory(PVOID memory)
{
    assert_non_null(memory);
    kernel.contiguous_count--;
}

PHYSICAL_ADDRESS NTAPI MmGetPhysicalAddress(PVOID memory)
{
    PHYSICAL_ADDRESS result;
    result.QuadPart = (LONGLONG)((UCHAR *)memory - kernel.mock.ram) + (LONGLONG)MOCK_RAM_BASE;
    return result;
}

KIRQL NTAPI KeGetCurrentIrql(VOID)
{
    return kernel.irql;
}

/* One thread: a mutex is free, or its own. */
VOID NTAPI KeInitializeMutex(PRKMUTEX mutex, ULONG level)
{
    memset(mutex, 0, sizeof(*mutex));
}

NTSTATUS NTAPI KeWaitForSingleObject(PVOID object, KWAIT_REASON reason, KPROCESSOR_MODE mode,
                                     BOOLEAN alertable, PLARGE_INTEGER timeout)
{
    assert_true(kernel.irql == PASSIVE_LEVEL);
    return STATUS_SUCCESS;
}

LONG NTAPI KeReleaseMutex(PRKMUTEX mutex, BOOLEAN wait)
{
    assert_true(kernel.irql == PASSIVE_LEVEL);
    return 0;
}

/* One that is queued runs when the IRQL falls: there is none to wait for. */
VOID NTAPI KeFlushQueuedDpcs(VOID)
{
}

LARGE_INTEGER NTAPI KeQueryPerformanceCounter(PLARGE_INTEGER frequency)
{
    LARGE_INTEGER result;
    result.QuadPart = (LONGLONG)(kernel.mock.now_ns / 100);
    return result;
}

ULONG NTAPI READ_REGISTER_ULONG(volatile ULONG *address)
{
    return mock_read(&kernel.mock, (uint32_t)((volatile UCHAR *)address - kernel_registers));
}

VOID NTAPI WRITE_REGISTER_ULONG(volatile ULONG *address, ULONG value)
{
    mock_write(&kernel.mock, (uint32_t)((volatile UCHAR *)address - kernel_registers), value);
}

VOID NTAPI RtlInitUnicodeString(PUNICODE_STRING string, PCWSTR text)
{
    USHORT length = 0;
    while (text[length])
        length++;
    string->Buffer = (PWSTR)text;
    string->Length = (USHORT)(length * 2);
    string->MaximumLength = (USHORT)(length * 2 + 2);
}

NTSTATUS NTAPI ZwOpenKey(PHANDLE key, ACCESS_MASK access, POBJECT_ATTRIBUTES attributes)
{
    *key = (HANDLE)(ULONG_PTR)4;
    return kernel.settings ? STATUS_SUCCESS : STATUS_OBJECT_NAME_NOT_FOUND;
}

NTSTATUS NTAPI ZwClose(HANDLE key)
{
    return STATUS_SUCCESS;
}

static bool same_name(const UNICODE_STRING *wide, const char *name)
{
    size_t length = strlen(name);
    if (wide->Length != length * 2)
        return false;
    for (size_t i = 0; i < length; i++)
        if (wide->Buffer[i] != (WCHAR)name[i])
            return false;
    return true;
}

NTSTATUS NTAPI ZwQueryValueKey(HANDLE key, PUNICODE_STRING name, KEY_VALUE_INFORMATION_CLASS class,
                               PVOID information, ULONG length, PULONG result)
{
    KEY_VALUE_PARTIAL_INFORMATION *partial = information;
    for (const struct kernel_setting *setting = kernel.settings; setting->name; setting++) {
        if (!same_name(name, setting->name))
            continue;
        partial->Type = REG_DWORD;
        partial->DataLength = sizeof(ULONG);
        memcpy(partial->Data, &setting->value, sizeof(ULONG));
        return STATUS_SUCCESS;
    }
    return STATUS_OBJECT_NAME_NOT_FOUND;
}

NTSTATUS NTAPI DxgkInitialize(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                              PDRIVER_INITIALIZATION_DATA table)
{
    kernel.table = *table;
    return STATUS_SUCCESS;
}

VOID NTAPI RtlAssert(PVOID assertion, PVOID file, ULONG line, PCHAR message)
{
    fail_msg("%s:%u: %s", (char *)file, line, (char *)assertion);
}

/* ---- The driver as a file ---- */

static const char *driver_path;

void kernel_choose_driver(int argc, char **argv)
{
    driver_path = argc > 1 ? argv[1] : NULL;
}

bool kernel_has_sys(void)
{
    return driver_path != NULL;
}

/* All addresses are a client's here; who follows a bad one meets it under its own __try. */
static void probe(const volatile VOID *address, ULONG alignment)
{
    if ((uintptr_t)address % alignment) {
        loader_raise(LOADER_DATATYPE_MISALIGNMENT);
    }
}

VOID NTAPI ProbeForRead(const volatile VOID *Address, SIZE_T Length, ULONG Alignment)
{
    probe(Address, Alignment);
}

VOID NTAPI ProbeForWrite(volatile VOID *Address, SIZE_T Length, ULONG Alignment)
{
    probe(Address, Alignment);
}

static bool resolve(void *ctx, const char *dll, const char *name, struct loader_binding *out)
{
    static const struct {
        const char *name;
        const void *address;
    } exports[] = {
        {"DxgkInitialize", (const void *)DxgkInitialize},
        {"ExAllocatePool2", (const void *)ExAllocatePool2},
        {"ExFreePoolWithTag", (const void *)ExFreePoolWithTag},
        {"KeGetCurrentIrql", (const void *)KeGetCurrentIrql},
        {"KeFlushQueuedDpcs", (const void *)KeFlushQueuedDpcs},
        {"KeInitializeMutex", (const void *)KeInitializeMutex},
        {"KeReleaseMutex", (const void *)KeReleaseMutex},
        {"KeWaitForSingleObject", (const void *)KeWaitForSingleObject},
        {"KeQueryPerformanceCounter", (const void *)KeQueryPerformanceCounter},
        {"MmAllocateContiguousMemory", (const void *)MmAllocateContiguousMemory},
        {"MmFreeContiguousMemory", (const void *)MmFreeContiguousMemory},
        {"MmGetPhysicalAddress", (const void *)MmGetPhysicalAddress},
        {"ProbeForRead", (const void *)ProbeForRead},
        {"ProbeForWrite", (const void *)ProbeForWrite},
        {"READ_REGISTER_ULONG", (const void *)READ_REGISTER_ULONG},
        {"RtlAssert", (const void *)RtlAssert},
        {"RtlInitUnicodeString", (const void *)RtlInitUnicodeString},
        {"WRITE_REGISTER_ULONG", (const void *)WRITE_REGISTER_ULONG},
        {"ZwClose", (const void *)ZwClose},
        {"ZwOpenKey", (const void *)ZwOpenKey},
        {"ZwQueryValueKey", (const void *)ZwQueryValueKey},
    };
    for (size_t i = 0; i < sizeof(exports) / sizeof(exports[0]); i++) {
        if (strcmp(exports[i].name, name) == 0) {
            *out = (struct loader_binding){.address = (void *)(uintptr_t)exports[i].address};
            return true;
        }
    }
    return loader_resolve_builtin(name, out);
}

PDRIVER_INITIALIZE kernel_load_driver(void)
{
    struct loader_error error;
    if (!driver_path)
        return DriverEntry;
    loader_init(&(struct loader_host){.resolve = resolve});
    if (!loader_load_file(driver_path, &kernel.image, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < kernel.image->import_count; i++)
        if (!kernel.image->imports[i].found)
            fail_msg("import %s is missing", kernel.image->imports[i].name);
    return (PDRIVER_INITIALIZE)(uintptr_t)kernel.image->entry;
}

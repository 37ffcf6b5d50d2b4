/* A driver that is registered for an older version than it was compiled for, and copies the
 * table of the kernel's routines in the size that it knows, not in the size that the table says. */
#include "asking.h"

static DXGKRNL_INTERFACE kernel;
static ULONG wrong;
static volatile UCHAR seen;

static void ask_wrong(PUNICODE_STRING path)
{
    static WCHAR key[256];
    RTL_QUERY_REGISTRY_TABLE table[2] = {
        {.Flags = RTL_QUERY_REGISTRY_DIRECT, .Name = L"Wrong", .EntryContext = &wrong}};

    if (path->Length < sizeof(key)) {
        RtlCopyMemory(key, path->Buffer, path->Length);
        RtlQueryRegistryValues(RTL_REGISTRY_ABSOLUTE, key, table, NULL, NULL);
    }
}

static NTSTATUS NTAPI add_device(const PDEVICE_OBJECT device, PVOID *context)
{
    *context = device;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI start_device(const PVOID context, PDXGK_START_INFO start,
                                   PDXGKRNL_INTERFACE interface, PULONG sources, PULONG children)
{
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(start);
    if (wrong == 1) {
        seen = *(volatile UCHAR *)(interface + 1);
    } else if (wrong == 2) {
        *((volatile UCHAR *)interface + interface->Size) = 1;
    }
    kernel = *interface;
    *sources = *children = 1;
    return STATUS_UNSUCCESSFUL;
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    ask_wrong(registry_path);
    return asking_register(driver_object, registry_path, add_device, start_device);
}

/* A driver that asks DxgkCbQueryServices for what it hands out, and looks whether that keeps the
 * promises of its page. `Wrong` of its key: 1, it leaves a report open and completes another twice.
 */
#include "asking.h"

static DXGKRNL_INTERFACE kernel;
static ULONG wrong_wanted;

static NTSTATUS ask(DXGK_SERVICES service, PVOID interface)
{
    return kernel.DxgkCbQueryServices(kernel.DeviceHandle, service, interface);
}

/* ---- Reports ------------------------------------------------------------------------------- */

static void reports(void)
{
    DXGK_DEBUG_REPORT_INTERFACE debug = {.Size = sizeof(debug), .Version = 7};
    UCHAR data[100] = {1};
    DXGK_DEBUG_REPORT_HANDLE first, second;

    CHECK(!NT_SUCCESS(ask(DxgkServicesDebugReport, &debug))); /* no such version */
    debug.Version = DXGK_DEBUG_REPORT_INTERFACE_VERSION_1;
    CHECK(NT_SUCCESS(ask(DxgkServicesDebugReport, &debug)));
    debug.InterfaceReference(debug.Context);
    first = debug.DbgReportCreate(kernel.DeviceHandle, 0x77, 1, 2, 3, 4);
    second = debug.DbgReportCreate(kernel.DeviceHandle, 0x78, 0, 0, 0, 0);
    CHECK(first != NULL && second != NULL && first != second);
    CHECK(debug.DbgReportSecondaryData(first, data, sizeof(data)));
    CHECK(debug.DbgReportSecondaryData(first, data, 20));
    CHECK(!debug.DbgReportSecondaryData(first, data, DXGK_DEBUG_REPORT_MAX_SIZE)); /* too much */
    debug.DbgReportComplete(first);
    if (wrong_wanted) {
        debug.DbgReportComplete(first);
    } else {
        debug.DbgReportComplete(second);
    }
    debug.InterfaceDereference(debug.Context);
    debug.InterfaceDereference(debug.Context); /* who asks for it has it once already */
}

/* ---- Timed operations ---------------------------------------------------------------------- */

static LONGLONG now(void)
{
    return KeQueryPerformanceCounter(NULL).QuadPart; /* 10 MHz: ticks of 100 ns */
}

static void timed_operations(void)
{
    DXGK_TIMED_OPERATION_INTERFACE timed = {
        .Size = sizeof(timed), .Version = DXGK_TIMED_OPERATION_INTERFACE_VERSION_1};
    DXGK_TIMED_OPERATION operation = {.Size = sizeof(operation)};
    LARGE_INTEGER ten = {.QuadPart = 10 * 10000}, three = {.QuadPart = -3 * 10000}, hour;
    LONGLONG begin;
    KEVENT event;

    KeInitializeEvent(&event, SynchronizationEvent, FALSE);
    hour.QuadPart = 3600ll * 10000000;
    CHECK(NT_SUCCESS(ask(DxgkServicesTimedOperation, &timed)));
    CHECK(!NT_SUCCESS(timed.TimedOperationStart(&operation, &hour, FALSE)));
    CHECK(NT_SUCCESS(timed.TimedOperationStart(&operation, &ten, FALSE)));
    CHECK(!operation.TimeoutTriggered);
    begin = now();
    CHECK(timed.TimedOperationDelay(&operation, KernelMode, FALSE, &three) == STATUS_SUCCESS);
    CHECK(now() - begin >= 3 * 10000 && now() - begin < 10 * 10000);
    KeSetEvent(&event, IO_NO_INCREMENT, FALSE);
    CHECK(timed.TimedOperationWaitForSingleObject(&operation, &event, Executive, KernelMode, FALSE,
                                                  NULL) == STATUS_SUCCESS);
    CHECK(timed.TimedOperationWaitForSingleObject(&operation, &event, Executive, KernelMode, FALSE,
                                                  &three) == STATUS_TIMEOUT);
    CHECK(!operation.TimeoutTriggered); /* the wait's time was over, not the operation's */
    CHECK(timed.TimedOperationWaitForSingleObject(&operation, &event, Executive, KernelMode, FALSE,
                                                  &hour) == STATUS_TIMEOUT);
    CHECK(operation.TimeoutTriggered);
    CHECK(now() - begin >= 9 * 10000 && now() - begin < 20 * 10000);
    CHECK(timed.TimedOperationDelay(&operation, KernelMode, FALSE, &three) == STATUS_TIMEOUT);
    CHECK(NT_SUCCESS(timed.TimedOperationStart(&operation, &ten, TRUE))); /* again */
    CHECK(!operation.TimeoutTriggered);
    timed.InterfaceDereference(timed.Context);
}

/* ---- The rest of a driver -------------------------------------------------------------------- */

static NTSTATUS NTAPI start_device(const PVOID context, PDXGK_START_INFO start,
                                   PDXGKRNL_INTERFACE interface, PULONG sources, PULONG children)
{
    DXGK_AGP_INTERFACE agp = {.Size = sizeof(agp), .Version = DXGK_AGP_INTERFACE_VERSION_1};

    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(start);
    RtlCopyMemory(&kernel, interface, interface->Size);
    *sources = *children = 1;
    reports();
    timed_operations();
    CHECK(ask(DxgkServicesAgp, &agp) == STATUS_NOT_SUPPORTED);
    asking_say();
    return STATUS_UNSUCCESSFUL;
}

static NTSTATUS NTAPI add_device(const PDEVICE_OBJECT device, PVOID *context)
{
    *context = device;
    return STATUS_SUCCESS;
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    RTL_QUERY_REGISTRY_TABLE values[2] = {{.Flags = RTL_QUERY_REGISTRY_DIRECT,
                                           .Name = L"Wrong",
                                           .EntryContext = &wrong_wanted,
                                           .DefaultType = REG_DWORD,
                                           .DefaultData = &wrong_wanted,
                                           .DefaultLength = sizeof(wrong_wanted)}};

    RtlQueryRegistryValues(RTL_REGISTRY_ABSOLUTE, registry_path->Buffer, values, NULL, NULL);
    return asking_register(driver_object, registry_path, add_device, start_device);
}

/* The interfaces that DxgkCbQueryServices hands out: reports that a driver makes of failures it got
 * over, and operations of the hardware that may not take longer than the driver said.
 *
 *     DbgReportCreate ─> DbgReportSecondaryData, any number ─> DbgReportComplete: a note of the run
 *     TimedOperationStart ─> TimedOperationDelay, …WaitForSingleObject: as KeDelayExecutionThread
 *     and KeWaitForSingleObject, and no longer than until the operation's time is over
 *
 * The simulated computer has neither AGP nor a serial bus nor tables of firmware: who asks for
 * those is told that they are not supported. Features are in features.c. */
#include "ddi/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/record.h"

#define NS_PER_TICK  100u
#define TICKS_PER_S  10000000u
#define TIMEOUT_MAX  ((uint64_t)DXGK_TIMED_OPERATION_TIMEOUT_MAX_SECONDS * TICKS_PER_S)
#define REPORTS_MAX  16 /* of an adapter at one time; ours */
#define REPORTS_TOLD 8  /* of a run, as notes */
/* A report's handle: a mark, its number, and what its adapter's has above that one's base. */
#define REPORT_BASE 0xDB00000000000000u
#define REPORT_STEP 1024u

/* ---- Holding them -------------------------------------------------------------------------- */

void NTAPI ddi_service_reference(PVOID context)
{
    struct ddi_adapter *adapter = ddi_adapter_of_handle(context);

    if (adapter) {
        adapter->services_held++;
    }
}

void NTAPI ddi_service_dereference(PVOID context)
{
    struct ddi_adapter *adapter = ddi_adapter_of_handle(context);

    if (adapter) {
        adapter->services_held--;
    }
}

void ddi_judge_services(struct ddi_adapter *adapter)
{
    if (!adapter->services_asked) {
        return;
    }
    contract_count(RULE_QIF_003);
    if (adapter->services_held != 0) {
        contract_breach(
            &(struct contract_finding){.rule = CONTRACT_JUDGES(QIF_003), .object = adapter->object},
            "each interface of DxgkCbQueryServices given back once, by its InterfaceDereference",
            adapter->services_held > 0 ? "%d still held when RemoveDevice returned"
                                       : "%d given back more often than they were held",
            adapter->services_held > 0 ? adapter->services_held : -adapter->services_held);
    }
}

/* ---- Reports ------------------------------------------------------------------------------- */

/* On its adapter's list from DbgReportCreate to DbgReportComplete. */
struct ddi_report {
    struct list link;
    struct ddi_adapter *adapter;
    uint64_t handle;
    ULONG code;
    ULONG_PTR arguments[4];
    ULONG size_bytes; /* of its secondary data */
    const void *caller;
};

/* By its handle, which names the adapter, too. */
static struct ddi_report *report_of(DXGK_DEBUG_REPORT_HANDLE handle, const char *service,
                                    const void *caller)
{
    uint64_t value = (uintptr_t)handle;
    struct ddi_adapter *adapter = ddi_adapter_of_handle(
        (HANDLE)(DDI_DEVICE_HANDLE_BASE + (value - REPORT_BASE) % REPORT_STEP));

    if (adapter) {
        list_for_each (link, &adapter->reports) {
            struct ddi_report *report = container_of(link, struct ddi_report, link);
            if (report->handle == value) {
                return report;
            }
        }
    }
    nt_misuse(NT_MISUSE_HANDLE, service, caller, "%p is no report, or one that was completed",
              (void *)handle);
    return NULL;
}

static void drop_report(struct ddi_report *report)
{
    CHECK_THAT(report->adapter->report_count > 0);
    report->adapter->report_count--;
    list_remove(&report->link);
    free(report);
}

static DXGK_DEBUG_REPORT_HANDLE NTAPI report_create(HANDLE device, ULONG code, ULONG_PTR first,
                                                    ULONG_PTR second, ULONG_PTR third,
                                                    ULONG_PTR fourth)
{
    const void *caller = __builtin_return_address(0);
    struct ddi_adapter *adapter = ddi_adapter_of_handle(device);
    struct ddi_report *report = NULL;

    nt_look_at_irql("DbgReportCreate", MACHINE_IRQL_PASSIVE, caller);
    if (!adapter) {
        nt_misuse(NT_MISUSE_HANDLE, "DbgReportCreate", caller,
                  "%p is not the DeviceHandle of DXGKRNL_INTERFACE", device);
    } else if (adapter->report_count < REPORTS_MAX &&
               !nt_allocation_fails(sizeof *report, caller)) {
        report = calloc(1, sizeof *report);
    }
    if (!report) {
        return NULL;
    }
    *report = (struct ddi_report){
        .adapter = adapter,
        .handle = REPORT_BASE + ++adapter->reports_made * REPORT_STEP +
                  ((uintptr_t)device - DDI_DEVICE_HANDLE_BASE),
        .code = code,
        .arguments = {first, second, third, fourth},
        .caller = caller,
    };
    list_push_back(&adapter->reports, &report->link);
    adapter->report_count++;
    return (DXGK_DEBUG_REPORT_HANDLE)(uintptr_t)report->handle;
}

/* The bytes are the driver's affair; that they can be read is ours. */
static BOOLEAN NTAPI report_add(DXGK_DEBUG_REPORT_HANDLE handle, PVOID data, ULONG size)
{
    const void *caller = __builtin_return_address(0);
    struct ddi_report *report = report_of(handle, "DbgReportSecondaryData", caller);

    nt_look_at_irql("DbgReportSecondaryData", MACHINE_IRQL_PASSIVE, caller);
    if (!report || !data || !range_fits(report->size_bytes, size, DXGK_DEBUG_REPORT_MAX_SIZE)) {
        return FALSE;
    }
    for (ULONG i = 0; i < size; i++) {
        (void)((const volatile UCHAR *)data)[i];
    }
    report->size_bytes += size;
    return TRUE;
}

static void NTAPI report_complete(DXGK_DEBUG_REPORT_HANDLE handle)
{
    const void *caller = __builtin_return_address(0);
    struct ddi_report *report = report_of(handle, "DbgReportComplete", caller);
    char text[RECORD_TEXT_MAX];

    nt_look_at_irql("DbgReportComplete", MACHINE_IRQL_PASSIVE, caller);
    if (!report) {
        return;
    }
    record_count("services.reports", 1);
    snprintf(text, sizeof text,
             "the driver reports that it got over a failure: code 0x%X (0x%llX, 0x%llX, 0x%llX, "
             "0x%llX), %u bytes",
             report->code, (unsigned long long)report->arguments[0],
             (unsigned long long)report->arguments[1], (unsigned long long)report->arguments[2],
             (unsigned long long)report->arguments[3], report->size_bytes);
    if (++report->adapter->reports_told <= REPORTS_TOLD) {
        record_note(text);
    }
    drop_report(report);
}

/* The device is gone: who would complete them? */
void ddi_forget_reports(struct ddi_adapter *adapter)
{
    list_for_each_safe (link, &adapter->reports) {
        struct ddi_report *report = container_of(link, struct ddi_report, link);
        nt_misuse(NT_MISUSE_HANDLE, "DbgReportCreate", report->caller,
                  "report 0x%X was not completed before the device was removed", report->code);
        drop_report(report);
    }
    CHECK_THAT(adapter->report_count == 0);
}

/* ---- Timed operations ---------------------------------------------------------------------- */

/* Of a relative time, in ticks of 100 ns; its sign is ignored. */
static uint64_t length_of(const LARGE_INTEGER *time)
{
    return time->QuadPart < 0 ? 0 - (uint64_t)time->QuadPart : (uint64_t)time->QuadPart;
}

static uint64_t ticks_now(void)
{
    return machine_now_ns() / NS_PER_TICK;
}

/* What is left of it. The members are in the driver's hands. */
static uint64_t time_left(const DXGK_TIMED_OPERATION *operation)
{
    uint64_t spent = ticks_now() - (uint64_t)operation->StartTick.QuadPart;
    uint64_t whole = length_of(&operation->Timeout);

    return spent < whole ? whole - spent : 0;
}

static NTSTATUS NTAPI operation_start(DXGK_TIMED_OPERATION *operation, const LARGE_INTEGER *timeout,
                                      BOOLEAN os_handled)
{
    if (!operation || !timeout || operation->Size != sizeof *operation ||
        length_of(timeout) > TIMEOUT_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    operation->OwnerTag = (ULONG_PTR)__builtin_return_address(0);
    operation->OsHandled = os_handled;
    operation->TimeoutTriggered = FALSE;
    operation->Timeout.QuadPart = (LONGLONG)length_of(timeout);
    operation->StartTick.QuadPart = (LONGLONG)ticks_now();
    return STATUS_SUCCESS;
}

/* How long a wait may take, as a wait takes it: negative. */
static LARGE_INTEGER wait_of(const DXGK_TIMED_OPERATION *operation, const LARGE_INTEGER *wanted)
{
    uint64_t left = time_left(operation);
    uint64_t length = wanted && length_of(wanted) < left ? length_of(wanted) : left;

    return (LARGE_INTEGER){.QuadPart = -(LONGLONG)length};
}

/* The operation's time is over: the driver asked for too much of it, or the hardware took it. */
static NTSTATUS end_wait(DXGK_TIMED_OPERATION *operation, NTSTATUS status)
{
    if (time_left(operation) > 0) {
        return status;
    }
    operation->TimeoutTriggered = TRUE;
    record_count(operation->OsHandled ? "services.timeouts_for_the_system" : "services.timeouts",
                 1);
    return STATUS_TIMEOUT;
}

/* May switch. */
static NTSTATUS NTAPI operation_delay(DXGK_TIMED_OPERATION *operation, KPROCESSOR_MODE mode,
                                      BOOLEAN alertable, const LARGE_INTEGER *interval)
{
    if (!operation || !interval) {
        return STATUS_INVALID_PARAMETER;
    }
    LARGE_INTEGER wait = wait_of(operation, interval);
    return end_wait(operation, KeDelayExecutionThread(mode, alertable, &wait));
}

/* May switch. The parameters are the interface's. */
static NTSTATUS NTAPI operation_wait(DXGK_TIMED_OPERATION *operation, PVOID object,
                                     KWAIT_REASON reason, KPROCESSOR_MODE mode, BOOLEAN alertable,
                                     const LARGE_INTEGER *timeout)
{
    if (!operation || !object) {
        return STATUS_INVALID_PARAMETER;
    }
    LARGE_INTEGER wait = wait_of(operation, timeout);
    NTSTATUS status = KeWaitForSingleObject(object, reason, mode, alertable, &wait);
    return status == STATUS_TIMEOUT ? end_wait(operation, status) : status;
}

/* ---- The question -------------------------------------------------------------------------- */

/* The driver fills in Size and Version, the kernel the rest. */
static NTSTATUS hand_out(struct ddi_adapter *adapter, PINTERFACE to, const INTERFACE *interface)
{
    if (to->Size < interface->Size || to->Version != interface->Version) {
        return STATUS_INVALID_PARAMETER;
    }
    memcpy(to, interface, interface->Size);
    adapter->services_asked = true;
    ddi_service_reference(interface->Context);
    return STATUS_SUCCESS;
}

NTSTATUS ddi_query_service(struct ddi_adapter *adapter, DXGK_SERVICES service, PINTERFACE to)
{
    const DXGK_DEBUG_REPORT_INTERFACE reports = {
        .Size = sizeof reports,
        .Version = DXGK_DEBUG_REPORT_INTERFACE_VERSION_1,
        .Context = adapter->interface.DeviceHandle,
        .InterfaceReference = ddi_service_reference,
        .InterfaceDereference = ddi_service_dereference,
        .DbgReportCreate = report_create,
        .DbgReportSecondaryData = report_add,
        .DbgReportComplete = report_complete,
    };
    const DXGK_TIMED_OPERATION_INTERFACE operations = {
        .Size = sizeof operations,
        .Version = DXGK_TIMED_OPERATION_INTERFACE_VERSION_1,
        .Context = adapter->interface.DeviceHandle,
        .InterfaceReference = ddi_service_reference,
        .InterfaceDereference = ddi_service_dereference,
        .TimedOperationStart = operation_start,
        .TimedOperationDelay = operation_delay,
        .TimedOperationWaitForSingleObject = operation_wait,
    };

    DXGK_FEATURE_INTERFACE features;

    switch (service) {
    case DxgkServicesFeature:
        ddi_fill_features(adapter, &features);
        return hand_out(adapter, to, (const INTERFACE *)(const void *)&features);
    case DxgkServicesDebugReport:
        return hand_out(adapter, to, (const INTERFACE *)(const void *)&reports);
    case DxgkServicesTimedOperation:
        return hand_out(adapter, to, (const INTERFACE *)(const void *)&operations);
    default:
        record_count("callbacks.unserved", 1);
        return STATUS_NOT_SUPPORTED;
    }
}

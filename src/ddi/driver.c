/* Registration: DriverEntry, DxgkInitialize, and what the driver handed over. */
#include "ddi/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/record.h"

const struct ddi_kernel_operations *ddi_kernel;

/* The driver that DriverEntry runs for: DxgkInitialize has no other way to know. */
static struct ddi_driver *registering;
static bool (*registration_refuses)(void);

void ddi_set_registration_refusal(bool (*refuses)(void))
{
    registration_refuses = refuses;
}

void ddi_set_kernel(const struct ddi_kernel_operations *operations)
{
    CHECK_THAT(operations->notify_interrupt && operations->notify_dpc);
    CHECK_THAT(operations->get_device_information && operations->indicate_child_status &&
               operations->acquire_post_display_ownership);
    CHECK_THAT(operations->get_handle_data && operations->get_handle_parent &&
               operations->enum_handle_children);
    CHECK_THAT(operations->query_vidpn_interface && operations->query_monitor_interface);
    CHECK_THAT(operations->reserve_gpu_virtual_address_range &&
               operations->create_context_allocation && operations->invalidate_hw_context &&
               operations->has_hw_queue && operations->disconnect_doorbell &&
               operations->destroy_context_allocation && operations->map_context_allocation &&
               operations->update_context_allocation);
    CHECK_THAT(operations->component_active && operations->component_idle &&
               operations->component_completed);
    ddi_kernel = operations;
}

static NTSTATUS refuse(struct ddi_driver *driver, NTSTATUS status, const char *format,
                       unsigned value)
{
    snprintf(driver->refusal, sizeof driver->refusal, format, value);
    driver->registration_status = status;
    return status;
}

#define TAKE_SLOT(ddi_name, since)                                       \
    if (ABI_##since <= driver->version) {                                \
        driver->table.DxgkDdi##ddi_name = data->DxgkDdi##ddi_name;       \
        driver->has[POINT_##ddi_name] = data->DxgkDdi##ddi_name != NULL; \
    }

/* Copies the slots that the version has; a later slot stays empty whatever lies behind the
 * driver's structure. */
static void take_table(struct ddi_driver *driver, const DRIVER_INITIALIZATION_DATA *data)
{
    driver->table.Version = data->Version;
    ABI_DDI_SLOTS(TAKE_SLOT)
}

/* KMDDOD_INITIALIZATION_DATA has its own order of slots; by name they are the same DDIs. */
static void take_display_only_table(struct ddi_driver *driver,
                                    const KMDDOD_INITIALIZATION_DATA *data)
{
    driver->table.Version = data->Version;
    ABI_DISPLAY_ONLY_SLOTS(TAKE_SLOT)
    driver->present_display_only = data->DxgkDdiPresentDisplayOnly;
    driver->has[POINT_PresentDisplayOnly] = data->DxgkDdiPresentDisplayOnly != NULL;
}

static bool has_all(struct ddi_driver *driver, const enum contract_point *required, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!driver->has[required[i]]) {
            snprintf(driver->refusal, sizeof driver->refusal, "DxgkInitialize: %s is missing",
                     contract_point_info(required[i])->name);
            return false;
        }
    }
    return true;
}

/* Without these nothing can be started, and a driver that is not for a display alone cannot be
 * given memory or work. One that patched all in advance may do without Patch. */
static NTSTATUS check_required(struct ddi_driver *driver)
{
    static const enum contract_point all[] = {
        POINT_AddDevice,    POINT_StartDevice,      POINT_StopDevice,
        POINT_RemoveDevice, POINT_QueryAdapterInfo, POINT_Unload,
    };
    static const enum contract_point work[] = {
        POINT_CreateAllocation,
        POINT_DestroyAllocation,
        POINT_BuildPagingBuffer,
        POINT_SubmitCommand,
    };
    static const enum contract_point screen[] = {POINT_PresentDisplayOnly};
    size_t work_count = sizeof work / sizeof work[0];

    if (driver->has[POINT_SubmitCommandVirtual]) {
        work_count--; /* it may take virtual addresses alone */
    }
    bool complete =
        has_all(driver, all, sizeof all / sizeof all[0]) &&
        (driver->display_only ? has_all(driver, screen, 1) : has_all(driver, work, work_count));
    return complete ? STATUS_SUCCESS : (driver->registration_status = STATUS_INVALID_PARAMETER);
}

static void say_missing(const struct ddi_driver *driver, enum contract_point missing,
                        const char *because)
{
    nt_misuse(NT_MISUSE_REGISTRATION, "DxgkInitialize", driver->registered_from,
              "%s is not registered, and %s", contract_point_info(missing)->name, because);
}

/* Who registers the first needs the second: what one makes the other ends, or they are the two
 * halves of one thing. No page lists them; a kernel that comes to the second has nobody to call.
 * TDR-002 and TDR-009 have the pair of a reset. */
static void check_pairs(const struct ddi_driver *driver)
{
    static const enum contract_point pairs[][2] = {
        {POINT_CreateDevice, POINT_DestroyDevice},
        {POINT_CreateProcess, POINT_DestroyProcess},
        {POINT_CreateContext, POINT_DestroyContext},
        {POINT_OpenAllocation, POINT_CloseAllocation},
        {POINT_CreateAllocation, POINT_OpenAllocation},
        {POINT_CreateOverlay, POINT_DestroyOverlay},
        {POINT_SetPointerShape, POINT_SetPointerPosition},
        {POINT_SetPointerPosition, POINT_SetPointerShape},
        {POINT_CommitVidPn, POINT_EnumVidPnCofuncModality},
        {POINT_CommitVidPn, POINT_IsSupportedVidPn},
        {POINT_CommitVidPn, POINT_SetVidPnSourceVisibility},
        {POINT_InterruptRoutine, POINT_DpcRoutine},
        {POINT_SystemDisplayEnable, POINT_SystemDisplayWrite},
    };
    char because[96];

    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (driver->has[pairs[i][0]] && !driver->has[pairs[i][1]]) {
            snprintf(because, sizeof because, "%s is", contract_point_info(pairs[i][0])->name);
            say_missing(driver, pairs[i][1], because);
        }
    }
}

/* A display-only driver controls vertical syncs with all four, or has neither of the first two
 * [DOD-003]. */
static void check_vsync_control(const struct ddi_driver *driver)
{
    static const enum contract_point all[] = {POINT_ControlInterrupt, POINT_GetScanLine,
                                              POINT_InterruptRoutine, POINT_DpcRoutine};
    bool controls = driver->has[POINT_ControlInterrupt] || driver->has[POINT_GetScanLine];

    for (size_t i = 0; driver->display_only && controls && i < sizeof all / sizeof all[0]; i++) {
        if (!driver->has[all[i]]) {
            say_missing(driver, all[i],
                        "a display-only driver has all or neither of ControlInterrupt and "
                        "GetScanLine, with InterruptRoutine and DpcRoutine [DOD-003]");
        }
    }
}

struct strays {
    unsigned count;
    const char *first;
    const void *address;
};

static void look_at_slot(struct strays *strays, const char *name, const void *address,
                         bool (*is_code)(const void *address))
{
    if (address && !is_code(address) && strays->count++ == 0) {
        strays->first = name;
        strays->address = address;
    }
}

#define LOOK_AT_SLOT(name, since) \
    look_at_slot(&strays, #name, (const void *)(uintptr_t)driver->table.DxgkDdi##name, is_code);

void ddi_check_routines(const struct ddi_driver *driver, bool (*is_code)(const void *address))
{
    struct strays strays = {0};
    char more[48] = "";

    ABI_DDI_SLOTS(LOOK_AT_SLOT)
    if (strays.count > 1) {
        snprintf(more, sizeof more, ", and %u more such members", strays.count - 1);
    }
    if (strays.count > 0) {
        nt_misuse(NT_MISUSE_ARGUMENT, "DxgkInitialize", driver->registered_from,
                  "DxgkDdi%s of the table is %p, where the driver has no code%s: a member that is "
                  "not set has to be NULL",
                  strays.first, strays.address, more);
    }
}

/* In any of its forms. */
static bool controls_interrupts(const struct ddi_driver *driver)
{
    return driver->has[POINT_ControlInterrupt] || driver->has[POINT_ControlInterrupt2] ||
           driver->has[POINT_ControlInterrupt3];
}

void ddi_check_caps(const struct ddi_driver *driver, const DXGK_DRIVERCAPS *caps)
{
    if (caps->SchedulingCaps.CancelCommandAware && !driver->has[POINT_CancelCommand]) {
        say_missing(driver, POINT_CancelCommand,
                    "SchedulingCaps.CancelCommandAware is set [CANCEL-001]");
    }
    if (caps->MiscCaps.IndependentVidPnVSyncControl && !driver->has[POINT_ControlInterrupt3]) {
        say_missing(driver, POINT_ControlInterrupt3,
                    "MiscCaps.IndependentVidPnVSyncControl is set");
    }
    if (driver->has[POINT_SetVidPnSourceAddress] && !controls_interrupts(driver)) {
        say_missing(driver, POINT_ControlInterrupt,
                    "a driver that flips is asked for vsync notices by it [INT-024]");
    }
}

static NTSTATUS begin_registration(PVOID data, ULONG version, const void *caller)
{
    if (!registering || !data) {
        return STATUS_INVALID_PARAMETER;
    }
    registering->registered_from = caller;
    if (registering->registered) {
        return refuse(registering, STATUS_INVALID_PARAMETER,
                      "DxgkInitialize was called a second time (version 0x%X)", version);
    }
    registering->version = abi_version_of(version);
    if (registering->version == ABI_VERSION_COUNT) {
        return refuse(registering, STATUS_REVISION_MISMATCH,
                      "DxgkInitialize: interface version 0x%X is none that exists", version);
    }
    registering->interface_version = version;
    if (registration_refuses && registration_refuses()) {
        return registering->registration_status = STATUS_NO_MEMORY;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS end_registration(void)
{
    NTSTATUS status = check_required(registering);

    if (NT_SUCCESS(status)) {
        registering->registered = true;
        registering->registration_status = STATUS_SUCCESS;
        check_pairs(registering);
        check_vsync_control(registering);
    }
    return status;
}

NTSTATUS NTAPI DxgkInitialize(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path,
                              PDRIVER_INITIALIZATION_DATA data)
{
    NTSTATUS status =
        begin_registration(data, data ? data->Version : 0, __builtin_return_address(0));

    if (NT_SUCCESS(status)) {
        take_table(registering, data);
        status = end_registration();
    }
    record_event(EVENT_CALLBACK, 0, POINT_DxgkInitialize, data ? data->Version : 0);
    return status;
}

NTSTATUS NTAPI DxgkInitializeDisplayOnlyDriver(PDRIVER_OBJECT driver_object,
                                               PUNICODE_STRING registry_path,
                                               PKMDDOD_INITIALIZATION_DATA data)
{
    NTSTATUS status =
        begin_registration(data, data ? data->Version : 0, __builtin_return_address(0));

    if (NT_SUCCESS(status)) {
        registering->display_only = true;
        take_display_only_table(registering, data);
        status = end_registration();
    }
    record_event(EVENT_CALLBACK, 0, POINT_DxgkInitialize, data ? data->Version : 0);
    return status;
}

NTSTATUS NTAPI DxgkUnInitialize(PDRIVER_OBJECT driver_object)
{
    return STATUS_SUCCESS;
}

static const struct nt_export exports[] = {
    {"DxgkInitialize", DxgkInitialize, false, MACHINE_IRQL_PASSIVE},
    {"DxgkInitializeDisplayOnlyDriver", DxgkInitializeDisplayOnlyDriver, false,
     MACHINE_IRQL_PASSIVE},
    {"DxgkUnInitialize", DxgkUnInitialize, false, MACHINE_IRQL_PASSIVE},
};

const struct nt_export *ddi_exports(size_t *count)
{
    *count = sizeof exports / sizeof exports[0];
    return exports;
}

/* What the library that Microsoft's drivers link asks \Device\DxgKrnl for: the function that takes
 * the registration. */
enum {
    CODE_REGISTER = 0x23003F,
    CODE_REGISTER_DISPLAY_ONLY = 0x230043,
};

static NTSTATUS answer_control(uint32_t code, void *output, size_t output_size, size_t *written)
{
    const void *routine = code == CODE_REGISTER ? (const void *)DxgkInitialize
                          : code == CODE_REGISTER_DISPLAY_ONLY
                              ? (const void *)DxgkInitializeDisplayOnlyDriver
                              : NULL;

    if (!routine) {
        return STATUS_INVALID_DEVICE_REQUEST;
    }
    if (!output || output_size < sizeof routine) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    memcpy(output, &routine, sizeof routine);
    *written = sizeof routine;
    return STATUS_SUCCESS;
}

/* The path is the driver's while DriverEntry runs: who needs it later copies it. */
static UNICODE_STRING *lend_path(const UNICODE_STRING *path)
{
    UNICODE_STRING *lent =
        path ? nt_memory_hand(sizeof *lent + path->MaximumLength, "the RegistryPath of DriverEntry")
             : NULL;

    if (!path) {
        return NULL;
    }
    CHECK_THAT(lent);
    *lent = (UNICODE_STRING){path->Length, path->MaximumLength, (WCHAR *)(lent + 1)};
    memcpy(lent->Buffer, path->Buffer, path->MaximumLength);
    return lent;
}

NTSTATUS ddi_driver_enter(struct ddi_driver *driver, DRIVER_INITIALIZE *entry,
                          DRIVER_OBJECT *driver_object, const UNICODE_STRING *registry_path)
{
    UNICODE_STRING *lent = lend_path(registry_path);
    struct ddi_call call;

    CHECK_THAT(!registering); /* one DriverEntry at a time */
    *driver = (struct ddi_driver){.driver_object = driver_object,
                                  .registration_status = STATUS_DEVICE_NOT_READY};
    registering = driver;
    NTSTATUS control = nt_control_device_create("DXGKrnl", "\\Device\\DxgKrnl", answer_control);
    CHECK_THAT(NT_SUCCESS(control));
    ddi_enter(&call, NULL, POINT_DriverEntry, NULL, 0, 0);
    NTSTATUS status = NT_CALL_DRIVER(NULL, entry, (driver_object, lent));
    nt_driver_object_judge(driver_object, "DriverEntry");
    status = ddi_leave(&call, status);
    nt_memory_free(lent);
    registering = NULL;
    return status;
}

void ddi_driver_unload(struct ddi_driver *driver)
{
    struct ddi_call call;

    CHECK_THAT(registering != driver);
    if (driver->table.DxgkDdiUnload) {
        ddi_enter(&call, NULL, POINT_Unload, NULL, 0, 0);
        NT_CALL_DRIVER(NULL, driver->table.DxgkDdiUnload, ());
        ddi_leave(&call, STATUS_SUCCESS);
    }
    driver->registered = false;
}

/* asking.h: what drivers that only ask have in common: they tell what they find wrong, register,
 * and do not start. */
#ifndef TESTS_CLI_ASKING_H
#define TESTS_CLI_ASKING_H

#include <ntddk.h>

#include <dispmprt.h>

DRIVER_INITIALIZE DriverEntry;

static unsigned asking_checks, asking_wrong;

static inline void asking_check(BOOLEAN fine, const char *what)
{
    asking_checks++;
    if (!fine) {
        asking_wrong++;
        DbgPrint("wrong: %s\n", what);
    }
}
#define CHECK(condition) asking_check((condition) != 0, #condition)

static inline void asking_say(void)
{
    DbgPrint("checks %u, wrong %u\n", asking_checks, asking_wrong);
}

static VOID NTAPI asking_unload(void)
{
}

static NTSTATUS NTAPI asking_removed(const PVOID context)
{
    UNREFERENCED_PARAMETER(context);
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI asking_never_called(void)
{
    return STATUS_UNSUCCESSFUL;
}

/* As a driver of Windows Vista, whose StartDevice fails when it has asked. */
static inline NTSTATUS asking_register(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path,
                                       PDXGKDDI_ADD_DEVICE add_device,
                                       PDXGKDDI_START_DEVICE start_device)
{
    static DRIVER_INITIALIZATION_DATA table;
    PVOID *routines = (PVOID *)(PVOID)&table;

    for (ULONG i = 1; i < FIELD_OFFSET(DRIVER_INITIALIZATION_DATA, DxgkDdiLinkDevice) / 8; i++) {
        routines[i] = (PVOID)(ULONG_PTR)asking_never_called;
    }
    table.Version = DXGKDDI_INTERFACE_VERSION_VISTA;
    table.DxgkDdiAddDevice = add_device;
    table.DxgkDdiStartDevice = start_device;
    table.DxgkDdiRemoveDevice = asking_removed;
    table.DxgkDdiUnload = asking_unload;
    return DxgkInitialize(driver_object, registry_path, &table);
}

#endif

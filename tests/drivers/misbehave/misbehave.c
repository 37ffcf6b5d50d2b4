/* misbehave.c: chooses the row, puts its function in front of the reference driver. */
#include "misbehave.h"

/* The reference driver is compiled with other names for these two. */
#undef DxgkInitialize
#undef DriverEntry
DRIVER_INITIALIZE DriverEntry;
NTSTATUS NTAPI softgpu_DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path);
NTSTATUS NTAPI misbehave_DxgkInitialize(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path,
                                        PDRIVER_INITIALIZATION_DATA table);
NTSTATUS NTAPI DxgkInitialize(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path,
                              PDRIVER_INITIALIZATION_DATA table);

DRIVER_INITIALIZATION_DATA misbehave_driver;
DXGKRNL_INTERFACE misbehave_kernel;

static const struct misbehaviour *chosen;
static const struct softgpu_adapter *softgpu;
static volatile LONG calls;

static const struct misbehaviour_family *const families[] = {
#define FAMILY(name) &misbehaviours_##name,
    MISBEHAVIOUR_FAMILIES(FAMILY)
#undef FAMILY
};

BOOLEAN misbehave_at(ULONG number)
{
    return (ULONG)InterlockedIncrement(&calls) == number;
}

BOOLEAN misbehave_once(void)
{
    return misbehave_at(1);
}

const struct misbehaviour *misbehave_row(ULONG number)
{
    ULONG i;

    for (i = 0; i < RTL_NUMBER_OF(families); i++) {
        if (number - 1 < families[i]->count) {
            return &families[i]->rows[number - 1];
        }
        number -= families[i]->count;
    }
    return NULL;
}

/* ---- The choice -------------------------------------------------------------------------------
 */

/* The value's text against a name; in rules '-' and '_' are the same. */
static BOOLEAN is_name(const WCHAR *text, ULONG length, const char *name)
{
    ULONG i;

    for (i = 0; i < length && text[i] != 0 && name[i] != 0; i++) {
        if (text[i] != (WCHAR)name[i] && !(text[i] == '-' && name[i] == '_')) {
            return FALSE;
        }
    }
    return (i == length || text[i] == 0) && name[i] == 0;
}

static const struct misbehaviour *find(const WCHAR *text, ULONG length)
{
    const struct misbehaviour *row;
    ULONG number;

    for (number = 1; (row = misbehave_row(number)) != NULL; number++) {
        if (is_name(text, length, row->rule) || is_name(text, length, row->name)) {
            return row;
        }
    }
    return NULL;
}

static const struct misbehaviour *choose(PUNICODE_STRING registry_path)
{
    union {
        KEY_VALUE_PARTIAL_INFORMATION header;
        UCHAR bytes[sizeof(KEY_VALUE_PARTIAL_INFORMATION) + 128];
    } information;
    const struct misbehaviour *row = NULL;
    OBJECT_ATTRIBUTES attributes;
    UNICODE_STRING name;
    HANDLE key;
    ULONG length, number;

    InitializeObjectAttributes(&attributes, registry_path, OBJ_KERNEL_HANDLE | OBJ_CASE_INSENSITIVE,
                               NULL, NULL);
    if (!NT_SUCCESS(ZwOpenKey(&key, KEY_READ, &attributes))) {
        return NULL;
    }
    RtlInitUnicodeString(&name, L"Misbehave");
    if (NT_SUCCESS(ZwQueryValueKey(key, &name, KeyValuePartialInformation, &information,
                                   sizeof(information), &length))) {
        if (information.header.Type == REG_SZ) {
            row = find((const WCHAR *)(const void *)information.header.Data,
                       information.header.DataLength / (ULONG)sizeof(WCHAR));
        } else if (information.header.Type == REG_DWORD) {
            RtlCopyMemory(&number, information.header.Data, sizeof(number));
            row = number != 0 ? misbehave_row(number) : NULL;
        }
    }
    ZwClose(key);
    return row;
}

/* ---- Notices -----------------------------------------------------------------------------------
 */

void misbehave_repeat_report(ULONG node)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data;

    RtlZeroMemory(&data, sizeof(data));
    data.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    data.DmaCompleted.SubmissionFenceId = softgpu->engines[node].last_reported;
    data.DmaCompleted.NodeOrdinal = node;
    misbehave_kernel.DxgkCbNotifyInterrupt(misbehave_kernel.DeviceHandle, &data);
    (void)misbehave_kernel.DxgkCbQueueDpc(misbehave_kernel.DeviceHandle);
}

static BOOLEAN NTAPI repeat_report(PVOID argument)
{
    misbehave_repeat_report(*(ULONG *)argument);
    return TRUE;
}

void misbehave_repeat_report_synchronised(ULONG node)
{
    BOOLEAN result;

    (void)misbehave_kernel.DxgkCbSynchronizeExecution(misbehave_kernel.DeviceHandle, repeat_report,
                                                      &node, 0, &result);
}

/* ---- The wrapping -----------------------------------------------------------------------------
 */

static NTSTATUS NTAPI start_device(const PVOID context, PDXGK_START_INFO start_info,
                                   PDXGKRNL_INTERFACE interface, PULONG source_count,
                                   PULONG child_count)
{
    static DXGKRNL_INTERFACE given;
    ULONG size = interface->Size < sizeof(given) ? interface->Size : (ULONG)sizeof(given);

    RtlZeroMemory(&misbehave_kernel, sizeof(misbehave_kernel));
    RtlCopyMemory(&misbehave_kernel, interface, size);
    softgpu = context;
    given = misbehave_kernel;
    if (chosen != NULL && chosen->kind == MISBEHAVES_IN_CALLBACK) {
        *(PVOID *)((UCHAR *)&given + chosen->slot) = chosen->hook;
    }
    if (chosen != NULL && chosen->kind == MISBEHAVES_IN_DDI &&
        chosen->slot == FIELD_OFFSET(DRIVER_INITIALIZATION_DATA, DxgkDdiStartDevice)) {
        return ((PDXGKDDI_START_DEVICE)(ULONG_PTR)chosen->hook)(context, start_info, interface,
                                                                source_count, child_count);
    }
    return misbehave_driver.DxgkDdiStartDevice(context, start_info, &given, source_count,
                                               child_count);
}

/* What the reference driver calls instead of DxgkInitialize. */
NTSTATUS NTAPI misbehave_DxgkInitialize(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path,
                                        PDRIVER_INITIALIZATION_DATA table)
{
    misbehave_driver = *table;
    chosen = choose(registry_path);
    if (chosen != NULL && chosen->kind == MISBEHAVES_IN_DDI) {
        *(PVOID *)((UCHAR *)table + chosen->slot) =
            chosen->scene & SCENE_LEFT_OUT ? NULL : chosen->hook;
        if (table->DxgkDdiControlInterrupt2 != NULL) {
            table->DxgkDdiControlInterrupt = NULL; /* who has the newer form may have it alone */
        }
    }
    if (chosen != NULL && chosen->beside != NULL) {
        chosen->beside(table);
    }
    table->DxgkDdiStartDevice = start_device;
    return DxgkInitialize(driver_object, registry_path, table);
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    calls = 0;
    return softgpu_DriverEntry(driver_object, registry_path);
}

/* The power framework, remove locks, properties by key, traces. */
#include "nt/support.h"

#include <initguid.h>

#include <devpkey.h>

#include "machine/fake_device.h"

static DRIVER_OBJECT *driver;
static DEVICE_OBJECT *device;
static POHANDLE handle;
static char story[128];
static bool complete_at_once;

static void tell(const char *word)
{
    size_t length = strlen(story);

    snprintf(story + length, sizeof(story) - length, "%s%s", length ? " " : "", word);
}

static void expect_story(const char *expected)
{
    assert_string_equal(story, expected);
    story[0] = 0;
}

static VOID NTAPI on_active(PVOID context, ULONG component)
{
    tell("active");
}

static VOID NTAPI on_idle(PVOID context, ULONG component)
{
    tell("idle");
    if (complete_at_once) {
        PoFxCompleteIdleCondition(handle, component);
    }
}

static VOID NTAPI on_state(PVOID context, ULONG component, ULONG state)
{
    tell(state == 0 ? "F0" : state == 1 ? "F1" : "F2");
    if (complete_at_once) {
        PoFxCompleteIdleState(handle, component);
    }
}

static VOID NTAPI on_required(PVOID context)
{
    tell("D0");
}

static VOID NTAPI on_not_required(PVOID context)
{
    tell("D3");
    if (complete_at_once) {
        PoFxCompleteDevicePowerNotRequired(handle);
    }
}

static void register_device(void)
{
    static PO_FX_COMPONENT_IDLE_STATE states[3];
    PO_FX_DEVICE registration = {
        .Version = PO_FX_VERSION_V1,
        .ComponentCount = 1,
        .ComponentActiveConditionCallback = on_active,
        .ComponentIdleConditionCallback = on_idle,
        .ComponentIdleStateCallback = on_state,
        .DevicePowerRequiredCallback = on_required,
        .DevicePowerNotRequiredCallback = on_not_required,
        .Components = {{.IdleStateCount = 3, .DeepestWakeableIdleState = 1, .IdleStates = states}},
    };

    story[0] = 0;
    complete_at_once = true;
    assert_int_equal(nt_driver_object_create("powertest", &driver), STATUS_SUCCESS);
    assert_int_equal(IoCreateDevice(driver, 0, NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &device),
                     STATUS_SUCCESS);
    assert_int_equal(PoFxRegisterDevice(device, &registration, &handle), STATUS_SUCCESS);
}

static void unregister_device(void)
{
    assert_true(nt_leak_report(NULL, NULL) > 0);
    PoFxUnregisterDevice(handle);
    IoDeleteDevice(device);
    nt_driver_object_destroy(driver);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
}

KERNEL_TEST(a_component_sleeps_and_wakes_as_it_is_used)
{
    register_device();
    PoFxActivateComponent(handle, 0, 0);
    expect_story("active");
    PoFxActivateComponent(handle, 0, 0); /* a second use changes nothing */
    PoFxStartDevicePowerManagement(handle);
    PoFxIdleComponent(handle, 0, 0);
    expect_story("");
    PoFxIdleComponent(handle, 0, 0);
    expect_story("idle F2 D3");
    PoFxActivateComponent(handle, 0, 0);
    expect_story("D0"); /* nothing wakes before the device has its power */
    PoFxReportDevicePoweredOn(handle);
    expect_story("F0 active");
    PoFxSetComponentWake(handle, 0, TRUE);
    PoFxIdleComponent(handle, 0, 0);
    expect_story("idle F1 D3");
    unregister_device();
    assert_int_equal(misuse_count(), 0);
}

KERNEL_TEST(each_step_waits_for_its_completion)
{
    register_device();
    complete_at_once = false;
    PoFxStartDevicePowerManagement(handle);
    expect_story("F2 D3"); /* nothing is used */
    PoFxActivateComponent(handle, 0, 0);
    expect_story("");
    PoFxCompleteIdleState(handle, 0);
    expect_story("");
    PoFxCompleteDevicePowerNotRequired(handle);
    expect_story("D0");
    PoFxReportDevicePoweredOn(handle);
    expect_story("F0");
    PoFxCompleteIdleState(handle, 0);
    expect_story("active");
    PoFxCompleteIdleState(handle, 0); /* nothing to complete */
    PoFxCompleteIdleCondition(handle, 0);
    PoFxCompleteDevicePowerNotRequired(handle);
    assert_int_equal(seen.misuses[NT_MISUSE_OBJECT], 3);
    unregister_device();
}

static void power_on(void *argument)
{
    PoFxReportDevicePoweredOn(handle);
}

KERNEL_TEST(an_activation_can_wait_and_another_can_leave_it_to_a_thread)
{
    LARGE_INTEGER pause = {.QuadPart = -100000};

    register_device();
    PoFxStartDevicePowerManagement(handle);
    expect_story("F2 D3");
    spawn("power", power_on, NULL);
    PoFxActivateComponent(handle, 0, PO_FX_FLAG_BLOCKING);
    assert_string_equal(story + strlen(story) - 6, "active");
    story[0] = 0;
    PoFxIdleComponent(handle, 0, PO_FX_FLAG_ASYNC_ONLY);
    KeDelayExecutionThread(KernelMode, FALSE, &pause);
    expect_story("idle F2 D3");
    unregister_device();
    assert_int_equal(misuse_count(), 0);
}

KERNEL_TEST(mistakes_of_the_power_framework_are_told)
{
    register_device();
    PoFxIdleComponent(handle, 0, 0);
    assert_int_equal(seen.misuses[NT_MISUSE_LOCK_OWNER], 1);
    PoFxActivateComponent(handle, 1, 0);
    assert_int_equal(seen.misuses[NT_MISUSE_ARGUMENT], 1);
    unregister_device();
    PoFxActivateComponent(handle, 0, 0);
    assert_int_equal(seen.misuses[NT_MISUSE_HANDLE], 1);
}

static IO_REMOVE_LOCK remove_lock;
static bool removed;

static void use_for_a_while(void *argument)
{
    assert_int_equal(IoAcquireRemoveLock(&remove_lock, argument), STATUS_SUCCESS);
    machine_spend(NS_PER_MS);
    assert_false(removed);
    IoReleaseRemoveLock(&remove_lock, argument);
}

KERNEL_TEST(a_device_is_removed_when_the_last_user_is_gone)
{
    LARGE_INTEGER pause = {.QuadPart = -1000};

    removed = false;
    IoInitializeRemoveLock(&remove_lock, TAG, 0, 0);
    spawn("user", use_for_a_while, (void *)1);
    spawn("user", use_for_a_while, (void *)2);
    KeDelayExecutionThread(KernelMode, FALSE, &pause);
    assert_int_equal(IoAcquireRemoveLock(&remove_lock, NULL), STATUS_SUCCESS);
    IoReleaseRemoveLockAndWait(&remove_lock, NULL);
    removed = true;
    assert_true(machine_now_ns() >= NS_PER_MS);
    assert_int_equal(IoAcquireRemoveLock(&remove_lock, NULL), STATUS_DELETE_PENDING);
    assert_int_equal(misuse_count(), 0);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
}

KERNEL_TEST(a_remove_lock_knows_its_holders)
{
    memset(&remove_lock, 0, sizeof(remove_lock));
    assert_int_equal(IoAcquireRemoveLock(&remove_lock, NULL), STATUS_INVALID_PARAMETER);
    assert_int_equal(seen.misuses[NT_MISUSE_OBJECT], 1);
    IoInitializeRemoveLock(&remove_lock, TAG, 0, 0);
    IoAcquireRemoveLock(&remove_lock, (void *)1);
    IoReleaseRemoveLock(&remove_lock, (void *)2);
    assert_int_equal(seen.misuses[NT_MISUSE_LOCK_OWNER], 1);
    assert_int_equal(nt_leak_report(NULL, NULL), 1);
    IoReleaseRemoveLock(&remove_lock, (void *)1);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
}

KERNEL_TEST(properties_are_found_by_key)
{
    struct pci_slot *slot;
    DEVICE_OBJECT *pdo;
    DEVPROPTYPE type;
    WCHAR text[64];
    ULONG number, size;
    DEVPROPKEY odd = DEVPKEY_Device_BusNumber;

    assert_int_equal(pci_plug(&fake_model, NULL, NULL, &slot), STATUS_SUCCESS);
    assert_int_equal(nt_device_create(slot, &pdo), STATUS_SUCCESS);
    assert_int_equal(IoGetDevicePropertyData(pdo, &DEVPKEY_Device_BusNumber, 0, 0, sizeof(number),
                                             &number, &size, &type),
                     STATUS_SUCCESS);
    assert_int_equal(type, DEVPROP_TYPE_UINT32);
    assert_int_equal(number, pci_resources(slot)->bus);
    assert_int_equal(
        IoGetDevicePropertyData(pdo, &DEVPKEY_Device_EnumeratorName, 0, 0, 4, text, &size, &type),
        STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(size, sizeof(L"PCI"));
    assert_int_equal(type, DEVPROP_TYPE_STRING);
    assert_int_equal(
        IoGetDevicePropertyData(pdo, &DEVPKEY_Device_HardwareIds, 0, 0, 0, NULL, &size, &type),
        STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(type, DEVPROP_TYPE_STRING_LIST);
    odd.fmtid.Data1++;
    assert_int_equal(
        IoGetDevicePropertyData(pdo, &odd, 0, 0, sizeof(number), &number, &size, &type),
        STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(misuse_count(), 0);
}

KERNEL_TEST(an_event_with_a_related_activity_needs_a_provider)
{
    static const GUID id = {1};
    EVENT_DESCRIPTOR event = {.Id = 1};
    REGHANDLE provider;

    assert_int_equal(EtwRegister(&id, NULL, NULL, &provider), STATUS_SUCCESS);
    assert_int_equal(EtwWriteTransfer(provider, &event, &id, &id, 0, NULL), STATUS_SUCCESS);
    EtwUnregister(provider);
    assert_int_equal(misuse_count(), 0);
    assert_int_equal(EtwWriteTransfer(provider + 1, &event, &id, &id, 0, NULL),
                     STATUS_INVALID_HANDLE);
    assert_int_equal(seen.misuses[NT_MISUSE_HANDLE], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KERNEL_UNIT_TEST(a_component_sleeps_and_wakes_as_it_is_used),
        KERNEL_UNIT_TEST(each_step_waits_for_its_completion),
        KERNEL_UNIT_TEST(an_activation_can_wait_and_another_can_leave_it_to_a_thread),
        KERNEL_UNIT_TEST(mistakes_of_the_power_framework_are_told),
        KERNEL_UNIT_TEST(a_device_is_removed_when_the_last_user_is_gone),
        KERNEL_UNIT_TEST(a_remove_lock_knows_its_holders),
        KERNEL_UNIT_TEST(properties_are_found_by_key),
        KERNEL_UNIT_TEST(an_event_with_a_related_activity_needs_a_provider),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Handles: what they were opened for, and whose they are. */
#include "nt/support.h"

static NTSTATUS reference(HANDLE handle, ACCESS_MASK access, KPROCESSOR_MODE mode)
{
    PVOID body;
    NTSTATUS status =
        ObReferenceObjectByHandle(handle, access, *ExEventObjectType, mode, &body, NULL);

    if (NT_SUCCESS(status)) {
        ObDereferenceObject(body);
    } else {
        assert_null(body);
    }
    return status;
}

KERNEL_TEST(a_clients_handle_is_good_for_what_it_was_opened_for)
{
    OBJECT_HANDLE_INFORMATION information = {0};
    OBJECT_ATTRIBUTES attributes;
    HANDLE handle, all;
    PVOID body;

    InitializeObjectAttributes(&attributes, NULL, 0, NULL, NULL);
    assert_int_equal(ZwCreateEvent(&handle, SYNCHRONIZE, &attributes, NotificationEvent, FALSE),
                     STATUS_SUCCESS);
    assert_int_equal(ZwCreateEvent(&all, GENERIC_ALL, &attributes, NotificationEvent, FALSE),
                     STATUS_SUCCESS);
    assert_int_equal(reference(handle, SYNCHRONIZE, UserMode), STATUS_SUCCESS);
    assert_int_equal(reference(handle, EVENT_MODIFY_STATE, UserMode), STATUS_ACCESS_DENIED);
    assert_int_equal(reference(handle, EVENT_MODIFY_STATE, KernelMode), STATUS_SUCCESS);
    assert_int_equal(reference(all, EVENT_ALL_ACCESS, UserMode), STATUS_SUCCESS);
    assert_int_equal(ObReferenceObjectByHandle(all, 0, NULL, UserMode, &body, &information),
                     STATUS_SUCCESS);
    assert_int_equal(information.GrantedAccess, EVENT_ALL_ACCESS);
    ObDereferenceObject(body);
    ZwClose(handle);
    ZwClose(all);
    assert_int_equal(misuse_count(), 0);
}

KERNEL_TEST(the_kernels_handles_are_none_of_a_clients)
{
    OBJECT_ATTRIBUTES attributes;
    HANDLE handle;

    InitializeObjectAttributes(&attributes, NULL, OBJ_KERNEL_HANDLE, NULL, NULL);
    assert_int_equal(
        ZwCreateEvent(&handle, EVENT_ALL_ACCESS, &attributes, NotificationEvent, FALSE),
        STATUS_SUCCESS);
    assert_int_equal(reference(handle, SYNCHRONIZE, UserMode), STATUS_INVALID_HANDLE);
    assert_int_equal(ObCloseHandle(handle, UserMode), STATUS_INVALID_HANDLE);
    assert_int_equal(reference(handle, SYNCHRONIZE, KernelMode), STATUS_SUCCESS);
    assert_int_equal(ObCloseHandle(handle, KernelMode), STATUS_SUCCESS);
    assert_int_equal(misuse_count(), 0);
}

KERNEL_TEST(a_bad_handle_of_a_client_is_not_the_drivers_fault)
{
    assert_int_equal(reference((HANDLE)(uintptr_t)0x7778, SYNCHRONIZE, UserMode),
                     STATUS_INVALID_HANDLE);
    assert_int_equal(misuse_count(), 0);
    assert_int_equal(reference((HANDLE)(uintptr_t)0x7778, SYNCHRONIZE, KernelMode),
                     STATUS_INVALID_HANDLE);
    assert_int_equal(seen.misuses[NT_MISUSE_HANDLE], 1);
}

static char told[256];

static void keep_told(void *ctx, const char *kind, const char *text)
{
    snprintf(told, sizeof(told), "%s: %s", kind, text);
}

/* Its object never goes, whoever else is done with it. */
KERNEL_TEST(a_reference_that_is_kept_is_told)
{
    OBJECT_ATTRIBUTES attributes;
    HANDLE handle;
    PVOID body;

    InitializeObjectAttributes(&attributes, NULL, OBJ_KERNEL_HANDLE, NULL, NULL);
    assert_int_equal(
        ZwCreateEvent(&handle, EVENT_ALL_ACCESS, &attributes, NotificationEvent, FALSE),
        STATUS_SUCCESS);
    assert_int_equal(
        ObReferenceObjectByHandle(handle, 0, *ExEventObjectType, KernelMode, &body, NULL),
        STATUS_SUCCESS);
    ObReferenceObject(body);
    ZwClose(handle);
    assert_int_equal(nt_leak_report(keep_told, NULL), 1);
    assert_non_null(strstr(told, "reference: 2 to an object of type Event, the last taken at "));
    ObDereferenceObject(body);
    assert_int_equal(nt_leak_report(NULL, NULL), 1);
    ObDereferenceObject(body);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
    assert_int_equal(misuse_count(), 0);
}

KERNEL_TEST(what_is_written_before_an_object_is_an_underrun_and_no_harm)
{
    OBJECT_ATTRIBUTES attributes;
    HANDLE handle;
    PVOID body;

    InitializeObjectAttributes(&attributes, NULL, OBJ_KERNEL_HANDLE, NULL, NULL);
    assert_int_equal(
        ZwCreateEvent(&handle, EVENT_ALL_ACCESS, &attributes, NotificationEvent, FALSE),
        STATUS_SUCCESS);
    assert_int_equal(ObReferenceObjectByHandle(handle, 0, NULL, KernelMode, &body, NULL),
                     STATUS_SUCCESS);
    memset((uint8_t *)body - 8, 0x41, 8);
    ObDereferenceObject(body);
    ZwClose(handle);
    assert_int_equal(seen.corruptions, 1);
    assert_int_equal(seen.corruption.damage, NT_POOL_UNDERRUN);
    assert_int_equal(seen.corruption.offset, -8);
    assert_int_equal(misuse_count(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KERNEL_UNIT_TEST(a_clients_handle_is_good_for_what_it_was_opened_for),
        KERNEL_UNIT_TEST(the_kernels_handles_are_none_of_a_clients),
        KERNEL_UNIT_TEST(a_bad_handle_of_a_client_is_not_the_drivers_fault),
        KERNEL_UNIT_TEST(a_reference_that_is_kept_is_told),
        KERNEL_UNIT_TEST(what_is_written_before_an_object_is_an_underrun_and_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

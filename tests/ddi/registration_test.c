/* DDIs that go together are registered together: who leaves one half out hears which. */
#include "machine/support.h"

#include <stdio.h>
#include <string.h>

#include "ddi/ddi.h"

/* ---- A driver that fills in every slot, and then forgets some ----------------------------------
 */

static NTSTATUS NTAPI anything(void)
{
    return STATUS_SUCCESS;
}

static size_t forgotten[2];
static unsigned forgotten_count;
static ULONG version;

static NTSTATUS NTAPI entry(PDRIVER_OBJECT driver, PUNICODE_STRING path)
{
    DRIVER_INITIALIZATION_DATA data = {0};
    NTSTATUS(NTAPI * initialize)(PDRIVER_OBJECT, PUNICODE_STRING, PDRIVER_INITIALIZATION_DATA);
    size_t count;

#define FILL(name, since) data.DxgkDdi##name = (__typeof__(data.DxgkDdi##name))(uintptr_t)anything;
    ABI_DDI_SLOTS(FILL)
    data.Version = version;
    for (unsigned i = 0; i < forgotten_count; i++) {
        memset((char *)&data + forgotten[i], 0, sizeof(void *));
    }
    initialize = (__typeof__(initialize))ddi_exports(&count)[0].address;
    return initialize(driver, path, &data);
}

/* ---- What it hears -----------------------------------------------------------------------------
 */

static char heard[1024];
static unsigned heard_count;
static enum nt_misuse heard_kind;

static void hear(void *ctx, enum nt_misuse kind, const char *service, const char *text,
                 const void *caller)
{
    assert_int_equal(kind, heard_kind);
    assert_string_equal(service, "DxgkInitialize");
    assert_non_null(caller);
    heard_count++;
    snprintf(heard + strlen(heard), sizeof heard - strlen(heard), "%s\n", text);
}

static struct ddi_driver driver;

static int set_up(void **state)
{
    machine_start(1, MACHINE_POLICY_RANDOM, 1);
    assert_int_equal(nt_init(&(struct nt_hooks){.misuse = hear}), STATUS_SUCCESS);
    heard[0] = '\0';
    heard_kind = NT_MISUSE_REGISTRATION;
    heard_count = forgotten_count = 0;
    version = DXGKDDI_INTERFACE_VERSION_WDDM2_0;
    return 0;
}

static int tear_down(void **state)
{
    nt_fini();
    machine_destroy();
    return 0;
}

#define FORGET(name) \
    (forgotten[forgotten_count++] = offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdi##name))

static void enter(void)
{
    assert_int_equal(ddi_driver_enter(&driver, entry, NULL, NULL), STATUS_SUCCESS);
    assert_true(driver.registered);
}

static void a_full_table_is_silent(void **state)
{
    const DXGK_DRIVERCAPS caps = {.SchedulingCaps.CancelCommandAware = 1};

    enter();
    ddi_check_caps(&driver, &caps);
    assert_int_equal(heard_count, 0);
}

static void a_forgotten_half_is_named_with_the_other(void **state)
{
    FORGET(CloseAllocation);
    FORGET(DestroyContext);
    enter();
    assert_int_equal(heard_count, 2);
    assert_non_null(strstr(heard, "DxgkDdiCloseAllocation is not registered, and "
                                  "DxgkDdiOpenAllocation is\n"));
    assert_non_null(strstr(heard, "DxgkDdiDestroyContext is not registered, and "
                                  "DxgkDdiCreateContext is\n"));
}

static void who_has_neither_half_needs_none(void **state)
{
    FORGET(SetPointerPosition);
    FORGET(SetPointerShape);
    enter();
    assert_int_equal(heard_count, 0);
}

static void a_capability_needs_its_ddi(void **state)
{
    const DXGK_DRIVERCAPS without = {0}, with = {.SchedulingCaps.CancelCommandAware = 1};

    FORGET(CancelCommand);
    enter();
    ddi_check_caps(&driver, &without);
    assert_int_equal(heard_count, 0);
    ddi_check_caps(&driver, &with);
    assert_int_equal(heard_count, 1);
    assert_non_null(strstr(heard, "DxgkDdiCancelCommand is not registered, and "
                                  "SchedulingCaps.CancelCommandAware is set"));
}

static bool is_anything(const void *address)
{
    return address == (const void *)(uintptr_t)anything;
}

static void a_member_that_nobody_set_is_named(void **state)
{
    enter();
    ddi_check_routines(&driver, is_anything);
    assert_int_equal(heard_count, 0);
    heard_kind = NT_MISUSE_ARGUMENT;
    driver.table.DxgkDdiStopCapture = (PDXGKDDI_STOPCAPTURE)(uintptr_t)0x5A5A5A5A;
    driver.table.DxgkDdiControlInterrupt = (PDXGKDDI_CONTROLINTERRUPT)(uintptr_t)0xA5A5A5A5;
    ddi_check_routines(&driver, is_anything);
    assert_int_equal(heard_count, 1);
    assert_non_null(strstr(heard, " of the table is 0x"));
    assert_non_null(strstr(heard, "and 1 more"));
}

static void a_driver_that_flips_is_asked_for_vsyncs(void **state)
{
    const DXGK_DRIVERCAPS caps = {0};

    FORGET(ControlInterrupt);
    enter();
    ddi_check_caps(&driver, &caps);
    assert_int_equal(heard_count, 0); /* ControlInterrupt2 is there */
    FORGET(ControlInterrupt2);
    enter();
    ddi_check_caps(&driver, &caps);
    assert_int_equal(heard_count, 1);
    assert_non_null(strstr(heard, "DxgkDdiControlInterrupt is not registered"));
}

static void who_switches_each_source_alone_has_the_call_for_it(void **state)
{
    const DXGK_DRIVERCAPS caps = {.MiscCaps.IndependentVidPnVSyncControl = 1};

    version = DXGKDDI_INTERFACE_VERSION_WDDM2_7;
    enter();
    ddi_check_caps(&driver, &caps);
    assert_int_equal(heard_count, 0);
    FORGET(ControlInterrupt3);
    enter();
    ddi_check_caps(&driver, &caps);
    assert_int_equal(heard_count, 1);
    assert_non_null(strstr(heard, "DxgkDdiControlInterrupt3 is not registered"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_full_table_is_silent, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_member_that_nobody_set_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_forgotten_half_is_named_with_the_other, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(who_has_neither_half_needs_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_capability_needs_its_ddi, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_driver_that_flips_is_asked_for_vsyncs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_switches_each_source_alone_has_the_call_for_it, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

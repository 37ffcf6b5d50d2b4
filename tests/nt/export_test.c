/* The table of exports: order, look-up, addresses, counting, ceilings. */
#include "nt/support.h"

static void the_table_is_sorted_and_complete(void **state)
{
    size_t count;
    const struct nt_export *table = nt_exports(&count);

    assert_true(count > 500);
    for (size_t i = 0; i < count; i++) {
        assert_non_null(table[i].address);
        assert_ptr_equal(nt_export_find(table[i].name), &table[i]);
        if (i > 0) {
            assert_true(strcmp(table[i - 1].name, table[i].name) < 0);
        }
    }
    assert_null(nt_export_find("KeNoSuchFunction"));
    assert_null(nt_export_find(""));
}

static void functions_are_found_under_their_names(void **state)
{
    assert_ptr_equal(nt_export_find("KeSetEvent")->address, (void *)KeSetEvent);
    assert_int_equal(nt_export_find("KeSetEvent")->irql_max, DISPATCH_LEVEL);
    assert_int_equal(nt_export_find("ZwClose")->irql_max, PASSIVE_LEVEL);
    /* The host's own memcpy has another convention. */
    assert_ptr_not_equal(nt_export_find("memcpy")->address, (void *)memcpy);
}

static void variables_are_the_kernels_own(void **state)
{
    const struct nt_export *entry = nt_export_find("PsThreadType");

    assert_true(entry->is_data);
    assert_ptr_equal(entry->address, PsThreadType);
    assert_ptr_equal(nt_export_find("NtBuildNumber")->address, NtBuildNumber);
}

KERNEL_TEST(calls_are_counted)
{
    const struct nt_export *entry = nt_export_find("KeGetCurrentIrql");
    uint64_t before = nt_export_calls(entry);

    KeGetCurrentIrql();
    KeGetCurrentIrql();
    assert_int_equal(nt_export_calls(entry), before + 2);
    assert_string_equal(nt_export_last(), "KeGetCurrentIrql");
}

KERNEL_TEST(a_call_above_its_ceiling_is_told)
{
    HANDLE handle = (HANDLE)4;
    KIRQL old = KfRaiseIrql(APC_LEVEL);

    ZwClose(handle);
    assert_int_equal(seen.irql_violations, 1);
    assert_string_equal(seen.violating_export, "ZwClose");
    assert_int_equal(seen.violating_irql, APC_LEVEL);
    assert_int_equal(seen.violated_limit, PASSIVE_LEVEL);
    KeLowerIrql(old);
}

/* Of routines whose pages say more in their remarks than in the table. */
static void ceilings_are_those_of_the_pages(void **state)
{
    static const struct {
        const char *name;
        uint8_t irql_max;
    } rows[] = {
        {"MmAllocatePagesForMdl", DISPATCH_LEVEL}, /* since Windows Server 2008 */
        {"MmAllocatePagesForMdlEx", DISPATCH_LEVEL},
        {"MmFreePagesFromMdl", DISPATCH_LEVEL},
        {"ExAcquireSpinLockExclusiveAtDpcLevel", HIGH_LEVEL}, /* from DISPATCH_LEVEL on */
        {"ExAcquireSpinLockSharedAtDpcLevel", HIGH_LEVEL},
        {"ExReleaseSpinLockExclusiveFromDpcLevel", HIGH_LEVEL},
        {"ExReleaseSpinLockSharedFromDpcLevel", HIGH_LEVEL},
        {"ExConvertExclusiveToSharedLite", APC_LEVEL},
        {"PoFxRegisterDevice", PASSIVE_LEVEL},
        {"PoFxStartDevicePowerManagement", PASSIVE_LEVEL},
        {"PoFxUnregisterDevice", PASSIVE_LEVEL},
        {"RtlRandomEx", APC_LEVEL},
    };

    for (size_t i = 0; i < RTL_NUMBER_OF(rows); i++) {
        assert_true(nt_export_find(rows[i].name)->irql_max >= rows[i].irql_max);
        assert_true(rows[i].irql_max == HIGH_LEVEL ||
                    nt_export_find(rows[i].name)->irql_max == rows[i].irql_max);
    }
}

KERNEL_TEST(irql_moves_one_way_at_a_time)
{
    KIRQL old = KfRaiseIrql(DISPATCH_LEVEL);

    assert_int_equal(old, PASSIVE_LEVEL);
    assert_int_equal(KfRaiseIrql(APC_LEVEL), DISPATCH_LEVEL);
    assert_int_equal(seen.misuses[NT_MISUSE_IRQL_ORDER], 1);
    KeLowerIrql(HIGH_LEVEL);
    assert_int_equal(seen.misuses[NT_MISUSE_IRQL_ORDER], 2);
    assert_int_equal(KeGetCurrentIrql(), DISPATCH_LEVEL);
    KeLowerIrql(old);
    assert_int_equal(KeGetCurrentIrql(), PASSIVE_LEVEL);
}

KERNEL_TEST(system_routines_are_found_by_name)
{
    UNICODE_STRING name;

    RtlInitUnicodeString(&name, L"KeSetEvent");
    assert_ptr_equal(MmGetSystemRoutineAddress(&name), (void *)KeSetEvent);
    RtlInitUnicodeString(&name, L"Nothing");
    assert_null(MmGetSystemRoutineAddress(&name));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_sorted_and_complete),
        cmocka_unit_test(functions_are_found_under_their_names),
        cmocka_unit_test(variables_are_the_kernels_own),
        KERNEL_UNIT_TEST(calls_are_counted),
        KERNEL_UNIT_TEST(a_call_above_its_ceiling_is_told),
        cmocka_unit_test(ceilings_are_those_of_the_pages),
        KERNEL_UNIT_TEST(irql_moves_one_way_at_a_time),
        KERNEL_UNIT_TEST(system_routines_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

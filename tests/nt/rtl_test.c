/* Strings, numbers, GUIDs, bitmaps, calendar, sorting. */
#include "nt/support.h"

static void counted_strings(void **state)
{
    WCHAR buffer[8];
    UNICODE_STRING a, b = {0, sizeof(buffer), buffer};

    RtlInitUnicodeString(&a, L"Abc");
    assert_int_equal(a.Length, 6);
    assert_int_equal(a.MaximumLength, 8);
    RtlCopyUnicodeString(&b, &a);
    assert_int_equal(b.Length, 6);
    assert_int_equal(buffer[3], 0);
    assert_int_equal(RtlAppendUnicodeToString(&b, L"defgh"), STATUS_SUCCESS);
    assert_int_equal(RtlAppendUnicodeToString(&b, L"i"), STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(b.Length, 16);
    assert_true(RtlPrefixUnicodeString(&a, &b, FALSE));
    RtlInitUnicodeString(&b, L"aBC");
    assert_false(RtlEqualUnicodeString(&a, &b, FALSE));
    assert_true(RtlEqualUnicodeString(&a, &b, TRUE));
    assert_true(RtlCompareUnicodeString(&a, &b, FALSE) < 0);
    RtlInitUnicodeString(&b, NULL);
    assert_int_equal(b.MaximumLength, 0);
    assert_int_equal(RtlUpcaseUnicodeChar(0xE4), 0xC4);
    assert_int_equal(RtlDowncaseUnicodeChar(0x410), 0x430);
}

KERNEL_TEST(conversions_allocate_and_are_freed)
{
    ANSI_STRING narrow;
    UNICODE_STRING wide;
    WCHAR small[2];

    RtlInitAnsiString(&narrow, "h\xC3\xA9!");
    assert_int_equal(RtlAnsiStringToUnicodeString(&wide, &narrow, TRUE), STATUS_SUCCESS);
    assert_int_equal(wide.Length, 6);
    assert_memory_equal(wide.Buffer, L"h\u00e9!", 8);
    assert_int_equal(RtlUnicodeStringToAnsiString(&narrow, &wide, TRUE), STATUS_SUCCESS);
    assert_string_equal(narrow.Buffer, "h\xC3\xA9!");
    RtlFreeAnsiString(&narrow);
    RtlFreeUnicodeString(&wide);
    wide = (UNICODE_STRING){0, sizeof(small), small};
    RtlInitAnsiString(&narrow, "abc");
    assert_int_equal(RtlAnsiStringToUnicodeString(&wide, &narrow, FALSE), STATUS_BUFFER_OVERFLOW);
}

static void numbers(void **state)
{
    static const struct {
        const WCHAR *text;
        ULONG base, value;
    } rows[] = {{L"42", 10, 42},  {L"0x2a", 0, 42}, {L"  -1", 0, 0xFFFFFFFF}, {L"0b101", 0, 5},
                {L"ff", 16, 255}, {L"12z", 10, 12}, {L"0o17", 0, 15},         {L"", 10, 0}};
    WCHAR buffer[16];
    UNICODE_STRING string;
    ULONG value;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        RtlInitUnicodeString(&string, rows[i].text);
        assert_int_equal(RtlUnicodeStringToInteger(&string, rows[i].base, &value), STATUS_SUCCESS);
        assert_int_equal(value, rows[i].value);
    }
    assert_int_equal(RtlUnicodeStringToInteger(&string, 7, &value), STATUS_INVALID_PARAMETER);
    string = (UNICODE_STRING){0, sizeof(buffer), buffer};
    assert_int_equal(RtlIntegerToUnicodeString(0xBEEF, 16, &string), STATUS_SUCCESS);
    assert_memory_equal(buffer, L"BEEF", 10);
    string.MaximumLength = 4;
    assert_int_equal(RtlIntegerToUnicodeString(100, 10, &string), STATUS_BUFFER_OVERFLOW);
}

KERNEL_TEST(guids)
{
    GUID guid = {0x01234567, 0x89AB, 0xCDEF, {1, 2, 3, 4, 5, 6, 7, 8}}, back;
    UNICODE_STRING text;

    assert_int_equal(RtlStringFromGUID(&guid, &text), STATUS_SUCCESS);
    assert_memory_equal(text.Buffer, L"{01234567-89AB-CDEF-0102-030405060708}", 78);
    assert_int_equal(RtlGUIDFromString(&text, &back), STATUS_SUCCESS);
    assert_memory_equal(&guid, &back, sizeof(guid));
    text.Buffer[5] = 'x';
    assert_int_equal(RtlGUIDFromString(&text, &back), STATUS_INVALID_PARAMETER);
    RtlFreeUnicodeString(&text);
}

static void bitmaps(void **state)
{
    ULONG bits[4] = {0}, index;
    RTL_BITMAP map;
    RTL_BITMAP_RUN runs[2];

    RtlInitializeBitMap(&map, bits, 100);
    RtlSetBits(&map, 10, 60);
    assert_int_equal(RtlNumberOfSetBits(&map), 60);
    assert_true(RtlAreBitsSet(&map, 10, 60));
    assert_false(RtlAreBitsSet(&map, 9, 2));
    assert_false(RtlAreBitsClear(&map, 95, 6));
    assert_int_equal(RtlFindClearBits(&map, 20, 0), 70);
    assert_int_equal(RtlFindClearBits(&map, 40, 0), (ULONG)-1);
    assert_int_equal(RtlFindClearBitsAndSet(&map, 5, 72), 72);
    assert_int_equal(RtlFindClearBits(&map, 10, 80), 80);
    assert_int_equal(RtlFindClearBits(&map, 10, 95), 0);
    assert_int_equal(RtlFindLongestRunClear(&map, &index), 23);
    assert_int_equal(index, 77);
    assert_int_equal(RtlFindClearRuns(&map, runs, 2, TRUE), 2);
    assert_int_equal(runs[0].StartingIndex, 77);
    assert_int_equal(runs[1].StartingIndex, 0);
    RtlClearAllBits(&map);
    assert_int_equal(RtlNumberOfClearBits(&map), 100);
    assert_int_equal(RtlFindMostSignificantBit(0x8000), 15);
    assert_int_equal(RtlFindLeastSignificantBit(0), -1);
}

static void the_calendar_goes_both_ways(void **state)
{
    static const TIME_FIELDS rows[] = {{1601, 1, 1, 0, 0, 0, 0, 1},
                                       {2000, 2, 29, 23, 59, 59, 999, 2},
                                       {2025, 1, 1, 12, 0, 0, 0, 3},
                                       {2100, 3, 1, 0, 0, 0, 1, 1}};
    TIME_FIELDS fields, bad = {2023, 2, 29, 0, 0, 0, 0, 0};
    LARGE_INTEGER time;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        fields = rows[i];
        assert_true(RtlTimeFieldsToTime(&fields, &time));
        RtlTimeToTimeFields(&time, &fields);
        assert_memory_equal(&fields, &rows[i], sizeof(fields));
    }
    assert_false(RtlTimeFieldsToTime(&bad, &time));
}

static int NTAPI compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void sorting_calls_with_the_drivers_convention(void **state)
{
    void(NTAPI * sort)(void *, SIZE_T, SIZE_T, void *) = nt_export_find("qsort")->address;
    void *(NTAPI * search)(const void *, const void *, SIZE_T, SIZE_T, void *) =
        nt_export_find("bsearch")->address;
    int numbers[100], key = 42;

    for (int i = 0; i < 100; i++) {
        numbers[i] = i * 37 % 100;
    }
    sort(numbers, 100, sizeof(int), (void *)compare);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(numbers[i], i);
    }
    assert_ptr_equal(search(&key, numbers, 100, sizeof(int), (void *)compare), &numbers[42]);
    key = 100;
    assert_null(search(&key, numbers, 100, sizeof(int), (void *)compare));
}

static void versions(void **state)
{
    RTL_OSVERSIONINFOW version = {.dwOSVersionInfoSize = sizeof(version)};
    RTL_OSVERSIONINFOEXW wanted = {.dwMajorVersion = 6, .dwMinorVersion = 1};
    ULONGLONG at_least = 3 << 3 | 3; /* major and minor: greater or equal */

    assert_int_equal(RtlGetVersion(&version), STATUS_SUCCESS);
    assert_int_equal(version.dwMajorVersion, 10);
    assert_int_equal(RtlVerifyVersionInfo(&wanted, 3, at_least), STATUS_SUCCESS);
    wanted.dwMajorVersion = 11;
    assert_int_equal(RtlVerifyVersionInfo(&wanted, 3, at_least), STATUS_REVISION_MISMATCH);
}

static bool says(const char *text, ULONG major, ULONG minor, ULONG build)
{
    RTL_OSVERSIONINFOW version = {.dwOSVersionInfoSize = sizeof(version)};
    struct nt_version asked;
    ULONG parts[3];

    assert_true(nt_version_read(text, &asked));
    nt_set_version(&asked);
    assert_int_equal(RtlGetVersion(&version), STATUS_SUCCESS);
    PsGetVersion(&parts[0], &parts[1], &parts[2], NULL);
    return version.dwMajorVersion == major && parts[0] == major &&
           version.dwMinorVersion == minor && parts[1] == minor && version.dwBuildNumber == build &&
           parts[2] == build;
}

static void the_version_is_what_the_kernel_was_told(void **state)
{
    RTL_OSVERSIONINFOEXW wanted = {.dwMajorVersion = 6, .dwMinorVersion = 2};
    const ULONGLONG at_least = 3 << 3 | 3;
    struct nt_version none;

    assert_true(says("6.1", 6, 1, 7600));
    assert_int_equal(RtlVerifyVersionInfo(&wanted, 3, at_least), STATUS_REVISION_MISMATCH);
    assert_true(RtlIsNtDdiVersionAvailable(0x06010000));
    assert_false(RtlIsNtDdiVersionAvailable(0x06020000));
    assert_true(says("6.0", 6, 0, 6002));
    assert_true(says("10.0.19045", 10, 0, 19045));
    assert_true(RtlIsNtDdiVersionAvailable(0x0A000008));
    assert_false(RtlIsNtDdiVersionAvailable(0x0A00000B));
    assert_false(nt_version_read("5.1", &none) || nt_version_read("6.4", &none) ||
                 nt_version_read("10", &none) || nt_version_read("6.1x", &none) ||
                 nt_version_read("10.0.9000", &none) || nt_version_read("", &none) ||
                 nt_version_read("10.0.-1", &none) || nt_version_read(" 6.1", &none) ||
                 nt_version_read("4294967302.1", &none));
    nt_set_version(&(struct nt_version){0});
    assert_true(says("10.0", 10, 0, 26100));
}

static void utf8_goes_both_ways_and_says_what_it_replaced(void **state)
{
    static const char text[] = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
    static const WCHAR wide[] = {'a', 0xE9, 0x20AC, 0xD83D, 0xDE00};
    static const WCHAR lone[] = {'x', 0xD800, 'y'};
    WCHAR units[16];
    char bytes[16];
    ULONG used = 0;

    assert_int_equal(RtlUTF8ToUnicodeN(units, sizeof(units), &used, text, 10), STATUS_SUCCESS);
    assert_int_equal(used, sizeof(wide));
    assert_memory_equal(units, wide, sizeof(wide));
    assert_int_equal(RtlUTF8ToUnicodeN(NULL, 0, &used, text, 10), STATUS_SUCCESS);
    assert_int_equal(used, sizeof(wide)); /* what it would take */
    assert_int_equal(RtlUTF8ToUnicodeN(units, 8, &used, text, 10), STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(used, 6); /* a character is never cut */
    assert_int_equal(RtlUTF8ToUnicodeN(units, sizeof(units), &used, "a\xFF", 2),
                     STATUS_SOME_NOT_MAPPED);
    assert_int_equal(units[1], 0xFFFD);
    assert_int_equal(RtlUTF8ToUnicodeN(units, sizeof(units), &used, "\xED\xA0\x80", 3),
                     STATUS_SOME_NOT_MAPPED);
    assert_int_equal(RtlUTF8ToUnicodeN(units, sizeof(units), &used, "\xEF\xBF\xBD", 3),
                     STATUS_SUCCESS); /* spelled out */
    assert_int_equal(RtlUnicodeToUTF8N(bytes, sizeof(bytes), &used, wide, sizeof(wide)),
                     STATUS_SUCCESS);
    assert_int_equal(used, 10);
    assert_memory_equal(bytes, text, 10);
    assert_int_equal(RtlUnicodeToUTF8N(bytes, 9, &used, wide, sizeof(wide)),
                     STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(used, 6);
    assert_int_equal(RtlUnicodeToUTF8N(bytes, sizeof(bytes), &used, lone, sizeof(lone)),
                     STATUS_SOME_NOT_MAPPED);
    assert_memory_equal(bytes, "x\xEF\xBF\xBDy", 5);
    assert_int_equal(RtlUnicodeToUTF8N(NULL, 0, &used, NULL, 2), STATUS_INVALID_PARAMETER_4);
    assert_int_equal(RtlUnicodeToUTF8N(NULL, 0, NULL, wide, 2), STATUS_INVALID_PARAMETER);
}

static void memory_descriptors(void **state)
{
    static const struct {
        UCHAR type;
        ULONGLONG length;
        NTSTATUS status;
    } rows[] = {
        {CmResourceTypeMemory, 0xFFFFFFFF, STATUS_SUCCESS},
        {CmResourceTypeMemory, 0x100000000, STATUS_UNSUCCESSFUL},
        {CmResourceTypePort, 0x20, STATUS_SUCCESS},
        {CmResourceTypeMemoryLarge, 0x1234567800, STATUS_SUCCESS},
        {CmResourceTypeMemoryLarge, 0x1234567801, STATUS_UNSUCCESSFUL},
        {CmResourceTypeMemoryLarge, 0x123456780000, STATUS_SUCCESS},
        {CmResourceTypeMemoryLarge, 0x1234567800000000, STATUS_SUCCESS},
        {CmResourceTypeMemoryLarge, 0x1234567880000000, STATUS_UNSUCCESSFUL},
        {CmResourceTypeDma, 0x20, STATUS_INVALID_PARAMETER},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        CM_PARTIAL_RESOURCE_DESCRIPTOR descriptor = {.Flags = CM_RESOURCE_MEMORY_PREFETCHABLE};
        ULONGLONG start = 0;
        assert_int_equal(
            RtlCmEncodeMemIoResource(&descriptor, rows[i].type, rows[i].length, 0x4000000000),
            rows[i].status);
        if (NT_SUCCESS(rows[i].status)) {
            assert_int_equal(RtlCmDecodeMemIoResource(&descriptor, &start), rows[i].length);
            assert_int_equal(start, 0x4000000000);
            assert_true(descriptor.Flags & CM_RESOURCE_MEMORY_PREFETCHABLE);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counted_strings),
        KERNEL_UNIT_TEST(conversions_allocate_and_are_freed),
        cmocka_unit_test(the_version_is_what_the_kernel_was_told),
        cmocka_unit_test(utf8_goes_both_ways_and_says_what_it_replaced),
        cmocka_unit_test(numbers),
        KERNEL_UNIT_TEST(guids),
        cmocka_unit_test(bitmaps),
        cmocka_unit_test(the_calendar_goes_both_ways),
        cmocka_unit_test(sorting_calls_with_the_drivers_convention),
        cmocka_unit_test(versions),
        cmocka_unit_test(memory_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

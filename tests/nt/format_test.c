/* The printf engine, as tables; the string-safe functions and the old ones on top of it. */
#include "nt/support.h"

#include <ntstrsafe.h>

static int NTAPI print(char *out, size_t size, const char *format, ...)
{
    NT_VA_LIST arguments;
    int length;

    __builtin_ms_va_start(arguments, format);
    length = nt_format(out, size, format, arguments);
    __builtin_ms_va_end(arguments);
    return length;
}

#define EXPECT(text, ...)                                                     \
    do {                                                                      \
        char out[128];                                                        \
        assert_int_equal(print(out, sizeof(out), __VA_ARGS__), strlen(text)); \
        assert_string_equal(out, text);                                       \
    } while (0)

static void integers(void **state)
{
    EXPECT("42 -7 0", "%d %i %u", 42, -7, 0u);
    EXPECT("ff FF 0xff 377", "%x %X %#x %o", 255, 255, 255, 255);
    EXPECT("   42|42   |00042|+42| 42", "%5d|%-5d|%05d|%+d|% d", 42, 42, 42, 42, 42);
    EXPECT("00042", "%.5d", 42);
    EXPECT("  042", "%5.3d", 42);
    EXPECT("", "%.0d", 0);
    EXPECT("-2147483648", "%d", (int)0x80000000);
    /* l has 32 bits; the upper half of the slot is not looked at. */
    EXPECT("ffffffff", "%lx", 0x12345678ffffffffull);
    EXPECT("-1", "%ld", 0xffffffffull);
    EXPECT("12345678ffffffff", "%I64x", 0x12345678ffffffffull);
    EXPECT("12345678FFFFFFFF", "%llX", 0x12345678ffffffffull);
    EXPECT("ffffffff", "%I32x", 0x12345678ffffffffull);
    EXPECT("1234567812345678", "%Ix", 0x1234567812345678ull);
    EXPECT("1234567812345678", "%zx", 0x1234567812345678ull);
    EXPECT("65535 255", "%hu %hhu", 0x1ffff, 0x1ff);
    EXPECT("-1", "%hd", 0xffff);
    EXPECT("9223372036854775808", "%I64u", 1ull << 63);
    EXPECT("-9223372036854775808", "%I64d", 1ull << 63);
    EXPECT("   7|7  |", "%*d|%-*d|", 4, 7, 3, 7);
    EXPECT("7   |", "%*d|", -4, 7);
}

static void pointers_have_sixteen_digits(void **state)
{
    EXPECT("FFFF800000001234", "%p", (void *)0xFFFF800000001234);
    EXPECT("0000000000000000", "%p", NULL);
}

static void strings(void **state)
{
    UNICODE_STRING counted = {6, 8, (PWCH)L"abcdef"};
    ANSI_STRING narrow = {2, 3, (PCHAR) "xyz"};

    EXPECT("abc|  abc|abc  |ab", "%s|%5s|%-5s|%.2s", "abc", "abc", "abc", "abc");
    EXPECT("wide wide wide", "%S %ls %ws", L"wide", L"wide", L"wide");
    EXPECT("narrow", "%hs", "narrow");
    EXPECT("abc xy", "%wZ %Z", &counted, &narrow);
    EXPECT("(null) (null)", "%s %wZ", NULL, NULL);
    EXPECT("A B C", "%c %C %lc", 'A', L'B', L'C');
    EXPECT("100%", "100%%");
    EXPECT("\xC3\xA4\xE2\x82\xAC", "%S", L"\u00e4\u20ac");
    EXPECT("1.500000 2.5e+00 0.25", "%f %.1e %g", 1.5, 2.5, 0.25);
    EXPECT("-01.50", "%06.2f", -1.5);
    EXPECT("end", "end%");
}

static void a_short_buffer_is_cut_and_ended(void **state)
{
    char out[4];

    assert_int_equal(print(out, sizeof(out), "%s", "abcdef"), 6);
    assert_string_equal(out, "abc");
    assert_int_equal(print(NULL, 0, "%s", "abcdef"), 6);
}

static void absurd_widths_are_bounded(void **state)
{
    char out[16];

    assert_int_equal(print(out, sizeof(out), "%99999999999d", 1), 4096);
    assert_int_equal(print(out, sizeof(out), "%*d", 0x7fffffff, 1), 4096);
}

static void string_safe_functions_tell_what_they_cut(void **state)
{
    char narrow[8];
    WCHAR wide[8];
    SIZE_T length, left;
    PSTR end;

    assert_int_equal(RtlStringCbPrintfA(narrow, sizeof(narrow), "%d-%s", 12, "ab"), STATUS_SUCCESS);
    assert_string_equal(narrow, "12-ab");
    assert_int_equal(RtlStringCbPrintfA(narrow, sizeof(narrow), "%s", "0123456789"),
                     STATUS_BUFFER_OVERFLOW);
    assert_string_equal(narrow, "0123456");
    assert_int_equal(RtlStringCbPrintfW(wide, sizeof(wide), L"%s %hs", L"ab", "cd"),
                     STATUS_SUCCESS);
    assert_memory_equal(wide, L"ab cd", 12);
    assert_int_equal(RtlStringCchCopyW(wide, 3, L"abc"), STATUS_BUFFER_OVERFLOW);
    assert_memory_equal(wide, L"ab", 6);
    assert_int_equal(RtlStringCbCatA(narrow, sizeof(narrow), "x"), STATUS_BUFFER_OVERFLOW);
    assert_int_equal(RtlStringCbCopyA(narrow, 0, "x"), STATUS_INVALID_PARAMETER);
    assert_int_equal(RtlStringCchLengthA("abc", 4, &length), STATUS_SUCCESS);
    assert_int_equal(length, 3);
    assert_int_equal(RtlStringCchLengthA("abc", 3, &length), STATUS_INVALID_PARAMETER);
    assert_int_equal(RtlStringCbPrintfExA(narrow, sizeof(narrow), &end, &left, 0, "%d", 123),
                     STATUS_SUCCESS);
    assert_ptr_equal(end, narrow + 3);
    assert_int_equal(left, 5);
    assert_int_equal(RtlStringCbPrintfExA(narrow, sizeof(narrow), &end, &left,
                                          STRSAFE_NO_TRUNCATION, "%s", "0123456789"),
                     STATUS_BUFFER_OVERFLOW);
    assert_string_equal(narrow, "");
}

static void unicode_strings_are_printed_without_an_end(void **state)
{
    WCHAR buffer[4];
    UNICODE_STRING string = {0, sizeof(buffer), buffer};

    assert_int_equal(RtlUnicodeStringPrintf(&string, L"%d", 1234), STATUS_SUCCESS);
    assert_int_equal(string.Length, 8);
    assert_memory_equal(buffer, L"1234", 8);
    assert_int_equal(RtlUnicodeStringPrintf(&string, L"%d", 12345), STATUS_BUFFER_OVERFLOW);
}

static void old_functions_give_minus_one(void **state)
{
    int(NTAPI * snprintf_export)(char *, SIZE_T, const char *, ...) =
        nt_export_find("_snprintf")->address;
    int(NTAPI * swprintf_export)(WCHAR *, const WCHAR *, ...) = nt_export_find("swprintf")->address;
    char out[4] = "zzz";
    WCHAR wide[16];

    assert_int_equal(snprintf_export(out, 4, "%s", "abcd"), 4);
    assert_memory_equal(out, "abcd", 4);
    assert_int_equal(snprintf_export(out, 4, "%s", "abcde"), -1);
    assert_int_equal(swprintf_export(wide, L"%s%x", L"v", 255), 3);
    assert_memory_equal(wide, L"vff", 8);
}

KERNEL_TEST(debug_output_comes_in_lines)
{
    DbgPrint("half ");
    assert_int_equal(seen.log_lines, 0);
    DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_INFO_LEVEL, "line %I64u\r\n", 5ull);
    assert_int_equal(seen.log_lines, 1);
    assert_string_equal(seen.log, "half line 5");
    DbgPrint("a\nb\n");
    assert_int_equal(seen.log_lines, 3);
}

KERNEL_TEST(what_the_kernel_cannot_print_everywhere_is_told)
{
    KIRQL old;

    DbgPrint("%ws %d%% %s %Iu\n", L"wide", 5, "text", (SIZE_T)1);
    old = KfRaiseIrql(DISPATCH_LEVEL);
    DbgPrint("%s %c %lx %I64d %-8.3s\n", "text", 'c', 1, (LONGLONG)1, "text");
    assert_int_equal(seen.irql_violations, 0);
    DbgPrint("%5ws\n", L"wide");
    DbgPrintEx(0, 0, "%S\n", L"wide");
    assert_int_equal(seen.irql_violations, 2);
    assert_int_equal(seen.violated_limit, PASSIVE_LEVEL);
    KeLowerIrql(old);
    assert_int_equal(seen.advices, 0);
    DbgPrint("%6.2f\n", 1.0);
    assert_int_equal(seen.advices, 1);
    assert_int_equal(misuse_count(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(pointers_have_sixteen_digits),
        cmocka_unit_test(strings),
        cmocka_unit_test(a_short_buffer_is_cut_and_ended),
        cmocka_unit_test(absurd_widths_are_bounded),
        cmocka_unit_test(string_safe_functions_tell_what_they_cut),
        cmocka_unit_test(unicode_strings_are_printed_without_an_end),
        cmocka_unit_test(old_functions_give_minus_one),
        KERNEL_UNIT_TEST(debug_output_comes_in_lines),
        KERNEL_UNIT_TEST(what_the_kernel_cannot_print_everywhere_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

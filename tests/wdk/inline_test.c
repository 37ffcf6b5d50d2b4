/* What the driver headers define inline does what the same names do on Windows. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ntddk.h>

#include <d3dkmdt.h>
#include <intsafe.h>
#include <ntintsafe.h>

struct item {
    LIST_ENTRY entry;
    int value;
};

static void list_keeps_its_order(void **state)
{
    LIST_ENTRY head;
    struct item items[4];

    InitializeListHead(&head);
    assert_true(IsListEmpty(&head));
    for (int i = 0; i < 4; i++)
        items[i].value = i;
    InsertTailList(&head, &items[1].entry);
    InsertTailList(&head, &items[2].entry);
    InsertHeadList(&head, &items[0].entry);
    InsertTailList(&head, &items[3].entry);
    assert_false(RemoveEntryList(&items[2].entry));
    assert_int_equal(CONTAINING_RECORD(RemoveTailList(&head), struct item, entry)->value, 3);
    assert_int_equal(CONTAINING_RECORD(RemoveHeadList(&head), struct item, entry)->value, 0);
    assert_true(RemoveEntryList(&items[1].entry));
    assert_true(IsListEmpty(&head));
}

static void single_list_is_a_stack(void **state)
{
    SINGLE_LIST_ENTRY head = {NULL}, a, b;

    PushEntryList(&head, &a);
    PushEntryList(&head, &b);
    assert_ptr_equal(PopEntryList(&head), &b);
    assert_ptr_equal(PopEntryList(&head), &a);
    assert_null(PopEntryList(&head));
}

/* Increment, decrement and add give the new value; exchange and the bit operations the old one. */
static void interlocked_operations_return_what_windows_returns(void **state)
{
    LONG value = 5;
    LONG64 wide = INT64_MAX;
    PVOID pointer = &value;

    assert_int_equal(InterlockedIncrement(&value), 6);
    assert_int_equal(InterlockedDecrement(&value), 5);
    assert_int_equal(InterlockedExchangeAdd(&value, 3), 5);
    assert_int_equal(InterlockedExchange(&value, 12), 8);
    assert_int_equal(InterlockedOr(&value, 3), 12);
    assert_int_equal(InterlockedAnd(&value, 6), 15);
    assert_int_equal(InterlockedCompareExchange(&value, 1, 7), 6);
    assert_int_equal(InterlockedCompareExchange(&value, 1, 6), 6);
    assert_int_equal(value, 1);
    assert_true(InterlockedBitTestAndSet(&value, 0));
    assert_false(InterlockedBitTestAndSet(&value, 31));
    assert_int_equal((ULONG)value, 0x80000001u);
    assert_true(InterlockedIncrement64(&wide) == INT64_MIN);
    assert_true(InterlockedAdd64(&wide, -1) == INT64_MAX);
    assert_ptr_equal(InterlockedExchangePointer(&pointer, NULL), &value);
    assert_null(pointer);
}

static void safe_integers_report_overflow(void **state)
{
    ULONG sum;
    SIZE_T size;
    USHORT narrow;

    assert_int_equal(RtlULongAdd(0xFFFFFFF0u, 0xF, &sum), STATUS_SUCCESS);
    assert_int_equal(sum, 0xFFFFFFFFu);
    assert_int_equal(RtlULongAdd(0xFFFFFFF0u, 0x10, &sum), STATUS_INTEGER_OVERFLOW);
    assert_int_equal(sum, 0xFFFFFFFFu);
    assert_int_equal(RtlULongSub(1, 2, &sum), STATUS_INTEGER_OVERFLOW);
    assert_int_equal(RtlSizeTMult(SIZE_MAX / 2, 3, &size), STATUS_INTEGER_OVERFLOW);
    assert_int_equal(RtlSizeTMult(SIZE_MAX / 2, 2, &size), STATUS_SUCCESS);
    assert_int_equal(RtlULongToUShort(0x10000, &narrow), STATUS_INTEGER_OVERFLOW);
    assert_int_equal(RtlULongToUShort(0xFFFF, &narrow), STATUS_SUCCESS);
    assert_int_equal(RtlLongToULong(-1, &sum), STATUS_INTEGER_OVERFLOW);
    assert_int_equal(ULongAdd(0xFFFFFFFFu, 1, &sum), INTSAFE_E_ARITHMETIC_OVERFLOW);
}

/* The table of the reference pages of the three functions: content, offset, both together. */
static void rotations_of_a_path_are_taken_apart(void **state)
{
    static const struct {
        int rotation, part, offset, sum;
    } rows[] = {
        {0, 0, 0, 0},  {1, 1, 1, 1},  {2, 2, 1, 2},         {3, 3, 1, 3},         {4, 4, 1, 4},
        {5, 1, 2, 2},  {6, 2, 2, 3},  {7, 3, 2, 4},         {8, 4, 2, 1},         {9, 1, 3, 3},
        {10, 2, 3, 4}, {11, 3, 3, 1}, {12, 4, 3, 2},        {13, 1, 4, 4},        {14, 2, 4, 1},
        {15, 3, 4, 2}, {16, 4, 4, 3}, {254, 254, 254, 254}, {255, 255, 255, 255},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        D3DKMDT_VIDPN_PRESENT_PATH_ROTATION r =
            (D3DKMDT_VIDPN_PRESENT_PATH_ROTATION)rows[i].rotation;

        assert_int_equal(D3DKMDT_VPPR_GET_CONTENT_ROTATION_PART(r), rows[i].part);
        assert_int_equal(D3DKMDT_VPPR_GET_OFFSET_ROTATION(r), rows[i].offset);
        assert_int_equal(D3DKMDT_VPPR_GET_CONTENT_ROTATION(r), rows[i].sum);
    }
}

static void mdl_macros_count_pages(void **state)
{
    union {
        MDL mdl;
        UCHAR room[sizeof(MDL) + 4 * sizeof(PFN_NUMBER)];
    } m;
    PVOID va = (PVOID)(ULONG_PTR)0x12345FF0;

    MmInitializeMdl(&m.mdl, va, 0x1020);
    assert_int_equal(ADDRESS_AND_SIZE_TO_SPAN_PAGES(va, 0x1020), 3);
    assert_int_equal(m.mdl.Size, sizeof(MDL) + 3 * sizeof(PFN_NUMBER));
    assert_ptr_equal(MmGetMdlVirtualAddress(&m.mdl), va);
    assert_int_equal(MmGetMdlByteOffset(&m.mdl), 0xFF0);
    assert_int_equal(MmGetMdlByteCount(&m.mdl), 0x1020);
    assert_ptr_equal(MmGetMdlPfnArray(&m.mdl), &m.room[sizeof(MDL)]);
    assert_int_equal(BYTES_TO_PAGES(0x1001u), 2);
    assert_int_equal(ROUND_TO_PAGES(0x1001), 0x2000);
}

static void strings_have_sizes_in_bytes(void **state)
{
    static WCHAR text[] = L"abc";
    UNICODE_STRING constant = RTL_CONSTANT_STRING(text);
    UNICODE_STRING empty;

    assert_int_equal(constant.Length, 6);
    assert_int_equal(constant.MaximumLength, 8);
    RtlInitEmptyUnicodeString(&empty, text, sizeof(text));
    assert_int_equal(empty.Length, 0);
    assert_int_equal(empty.MaximumLength, 8);
}

static void official_versions_are_told_from_previews(void **state)
{
    assert_true(IS_OFFICIAL_DDI_INTERFACE_VERSION(DXGKDDI_INTERFACE_VERSION));
    assert_true(IS_OFFICIAL_DDI_INTERFACE_VERSION(DXGKDDI_INTERFACE_VERSION_VISTA));
    assert_false(IS_OFFICIAL_DDI_INTERFACE_VERSION(DXGKDDI_INTERFACE_VERSION_WDDM2_0 - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list_keeps_its_order),
        cmocka_unit_test(single_list_is_a_stack),
        cmocka_unit_test(interlocked_operations_return_what_windows_returns),
        cmocka_unit_test(safe_integers_report_overflow),
        cmocka_unit_test(rotations_of_a_path_are_taken_apart),
        cmocka_unit_test(mdl_macros_count_pages),
        cmocka_unit_test(strings_have_sizes_in_bytes),
        cmocka_unit_test(official_versions_are_told_from_previews),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

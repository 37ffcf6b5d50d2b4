/* Generic tables in balanced trees: order, balance, enumeration. */
#include "nt/support.h"

#define COUNT 500

static RTL_AVL_TABLE table;
static unsigned allocated;

static RTL_GENERIC_COMPARE_RESULTS NTAPI compare(PRTL_AVL_TABLE self, PVOID a, PVOID b)
{
    ULONG first = *(ULONG *)a, second = *(ULONG *)b;

    return first == second ? GenericEqual : first < second ? GenericLessThan : GenericGreaterThan;
}

static PVOID NTAPI allocate(PRTL_AVL_TABLE self, CLONG size)
{
    void *memory = ExAllocatePool2(POOL_FLAG_NON_PAGED, size, TAG);

    allocated += memory != NULL;
    return memory;
}

static VOID NTAPI release(PRTL_AVL_TABLE self, PVOID memory)
{
    allocated--;
    ExFreePoolWithTag(memory, TAG);
}

/* Its height; every balance on the way has to be true. */
static int height_of(const RTL_BALANCED_LINKS *at)
{
    int left, right;

    if (!at) {
        return 0;
    }
    left = height_of(at->LeftChild);
    right = height_of(at->RightChild);
    assert_int_equal(at->Balance, right - left);
    assert_in_range(at->Balance + 1, 0, 2);
    assert_true(!at->LeftChild || at->LeftChild->Parent == at);
    assert_true(!at->RightChild || at->RightChild->Parent == at);
    return 1 + (left > right ? left : right);
}

static void check_order(void)
{
    ULONG *element, last = 0, count = 0;

    for (element = RtlEnumerateGenericTableAvl(&table, TRUE); element;
         element = RtlEnumerateGenericTableAvl(&table, FALSE)) {
        assert_true(count == 0 || *element > last);
        last = *element;
        count++;
    }
    assert_int_equal(count, RtlNumberGenericTableElementsAvl(&table));
    height_of(table.BalancedRoot.RightChild);
}

static void start(void)
{
    allocated = 0;
    RtlInitializeGenericTableAvl(&table, compare, allocate, release, NULL);
    assert_true(RtlIsGenericTableEmptyAvl(&table));
}

KERNEL_TEST(elements_keep_their_order_and_the_tree_its_balance)
{
    BOOLEAN is_new;

    start();
    for (ULONG i = 0; i < COUNT; i++) {
        ULONG value = i * 7919 % COUNT; /* each once, in no order */
        assert_int_equal(
            *(ULONG *)RtlInsertElementGenericTableAvl(&table, &value, sizeof(value), &is_new),
            value);
        assert_true(is_new);
        if (i % 16 == 0) {
            check_order();
        }
    }
    assert_int_equal(allocated, COUNT);
    assert_in_range(height_of(table.BalancedRoot.RightChild), 9, 12);
    for (ULONG i = 0; i < COUNT; i++) {
        assert_int_equal(*(ULONG *)RtlLookupElementGenericTableAvl(&table, &i), i);
    }
    assert_int_equal(*(ULONG *)RtlGetElementGenericTableAvl(&table, 77), 77);
    assert_null(RtlGetElementGenericTableAvl(&table, COUNT));
    for (ULONG i = 0; i < COUNT; i++) {
        ULONG value = i * 6007 % COUNT;
        assert_true(RtlDeleteElementGenericTableAvl(&table, &value));
        assert_false(RtlDeleteElementGenericTableAvl(&table, &value));
        if (i % 16 == 0) {
            check_order();
        }
    }
    assert_int_equal(allocated, 0);
    assert_true(RtlIsGenericTableEmptyAvl(&table));
}

KERNEL_TEST(an_element_is_there_once)
{
    ULONG value = 5, other = 3;
    TABLE_SEARCH_RESULT result;
    void *node, *first;
    BOOLEAN is_new;

    start();
    first = RtlInsertElementGenericTableAvl(&table, &value, sizeof(value), NULL);
    assert_ptr_equal(RtlInsertElementGenericTableAvl(&table, &value, sizeof(value), &is_new),
                     first);
    assert_false(is_new);
    assert_null(RtlLookupElementGenericTableFullAvl(&table, &other, &node, &result));
    assert_int_equal(result, TableInsertAsLeft);
    assert_non_null(
        RtlInsertElementGenericTableFullAvl(&table, &other, sizeof(other), &is_new, node, result));
    assert_true(is_new);
    check_order();
    seen.allocations_until_failure = 1;
    value = 9;
    assert_null(RtlInsertElementGenericTableAvl(&table, &value, sizeof(value), &is_new));
    assert_int_equal(RtlNumberGenericTableElementsAvl(&table), 2);
}

KERNEL_TEST(what_is_enumerated_may_be_deleted)
{
    ULONG *element, left = 50;
    void *key = NULL;

    start();
    for (ULONG i = 0; i < 50; i++) {
        RtlInsertElementGenericTableAvl(&table, &i, sizeof(i), NULL);
    }
    assert_int_equal(*(ULONG *)RtlEnumerateGenericTableWithoutSplayingAvl(&table, &key), 0);
    assert_int_equal(*(ULONG *)RtlEnumerateGenericTableWithoutSplayingAvl(&table, &key), 1);
    for (element = RtlEnumerateGenericTableAvl(&table, TRUE); element;
         element = RtlEnumerateGenericTableAvl(&table, FALSE)) {
        ULONG value = *element;
        assert_int_equal(value, 50 - left);
        assert_true(RtlDeleteElementGenericTableAvl(&table, &value));
        left--;
    }
    assert_int_equal(left, 0);
    assert_int_equal(allocated, 0);
}

KERNEL_TEST(a_table_that_was_never_initialised_is_told)
{
    ULONG value = 1;

    memset(&table, 0, sizeof(table));
    assert_null(RtlInsertElementGenericTableAvl(&table, &value, sizeof(value), NULL));
    assert_int_equal(seen.misuses[NT_MISUSE_OBJECT], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KERNEL_UNIT_TEST(elements_keep_their_order_and_the_tree_its_balance),
        KERNEL_UNIT_TEST(an_element_is_there_once),
        KERNEL_UNIT_TEST(what_is_enumerated_may_be_deleted),
        KERNEL_UNIT_TEST(a_table_that_was_never_initialised_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The intrusive list and the checked arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/check.h"
#include "base/list.h"

struct item {
    struct list link;
    int value;
};

static int take(struct list *head)
{
    struct list *link = list_pop_front(head);

    return link ? container_of(link, struct item, link)->value : -1;
}

static void items_come_out_in_order(void **state)
{
    struct item items[4] = {{.value = 0}, {.value = 1}, {.value = 2}, {.value = 3}};
    struct list head, other;

    list_init(&head);
    list_init(&other);
    assert_true(list_empty(&head));
    list_push_back(&head, &items[1].link);
    list_push_back(&head, &items[2].link);
    list_push_front(&head, &items[0].link);
    list_push_back(&other, &items[3].link);
    list_splice_back(&head, &other);
    assert_true(list_empty(&other));
    list_for_each_safe (link, &head) {
        if (container_of(link, struct item, link)->value == 1) {
            list_remove(link);
        }
    }
    assert_int_equal(take(&head), 0);
    assert_int_equal(take(&head), 2);
    assert_int_equal(take(&head), 3);
    assert_int_equal(take(&head), -1);
}

static void ranges_do_not_overflow(void **state)
{
    uint64_t result;

    assert_true(range_fits(0, 10, 10));
    assert_true(range_fits(10, 0, 10));
    assert_false(range_fits(1, 10, 10));
    assert_false(range_fits(11, 0, 10));
    assert_false(range_fits(5, UINT64_MAX, 10));
    assert_false(range_fits(UINT64_MAX, 2, UINT64_MAX));
    assert_true(add_overflows_u64(UINT64_MAX, 1, &result));
    assert_false(add_overflows_u64(1, 2, &result));
    assert_true(mul_overflows_u64(UINT64_MAX, 2, &result));
    assert_int_equal(align_up(4097, 4096), 8192);
    assert_int_equal(align_down(4097, 4096), 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_out_in_order),
        cmocka_unit_test(ranges_do_not_overflow),
    };
    return cmocka_run_group_tests_name("list", tests, NULL, NULL);
}

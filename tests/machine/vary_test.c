/* Variations: the sets of parts, and chances that do not shift each other. */
#include "machine/support.h"

#include <string.h>

#include "base/record.h"

static void start_with(const char *list)
{
    struct machine_config config = {.seed = 7, .cpu_count = 1};
    const char *wrong;
    size_t length;

    assert_true(vary_set_read(list, &config.variations, &wrong, &length));
    assert_int_equal(machine_create(&config), STATUS_SUCCESS);
}

static unsigned happenings(enum variation variation, unsigned tries)
{
    unsigned count = 0;

    for (unsigned i = 0; i < tries; i++) {
        count += vary_happens(variation, 4);
    }
    return count;
}

static void what_is_off_never_happens(void **state)
{
    start_with("split-transfers");
    assert_false(vary_on(VARY_FENCE_WRAP));
    assert_int_equal(happenings(VARY_FENCE_WRAP, 1000), 0);
    assert_true(happenings(VARY_SPLIT_TRANSFERS, 1000) > 150);
    machine_destroy();
}

static void variations_do_not_shift_each_other(void **state)
{
    bool alone[64];

    start_with("fence-wrap");
    for (unsigned i = 0; i < 64; i++) {
        alone[i] = vary_happens(VARY_FENCE_WRAP, 3);
    }
    machine_destroy();
    start_with("all");
    for (unsigned i = 0; i < 64; i++) {
        happenings(VARY_SPLIT_TRANSFERS, i);
        assert_int_equal(vary_happens(VARY_FENCE_WRAP, 3), alone[i]);
    }
    machine_destroy();
}

/* Two happenings, and nothing of a third that did not come. */
static void what_happens_is_counted_and_recorded(void **state)
{
    struct record *record = record_create(1024, 0);
    unsigned events = 0;

    record_attach(record);
    start_with("fence-wrap");
    vary_happens(VARY_FENCE_WRAP, 1);
    vary_happened(VARY_FENCE_WRAP);
    vary_happens(VARY_SPLIT_TRANSFERS, 1);
    for (uint64_t i = 0; record_event_at(record, i); i++) {
        events += record_event_at(record, i)->kind == EVENT_VARIATION;
    }
    assert_int_equal(events, 2);
    assert_int_equal(record_counter(record, "variations.fence-wrap"), 2);
    assert_int_equal(record_counter(record, "variations.split-transfers"), 0);
    machine_destroy();
    record_destroy(record);
}

static void lists_are_read_as_they_are_written(void **state)
{
    struct vary_set set, again;
    char list[VARY_LIST_MAX];
    const char *wrong;
    size_t length;

    for (unsigned index = 0; index < 20; index++) {
        vary_set_choose(index, index, true, &set);
        vary_set_write(&set, list, sizeof list);
        assert_true(vary_set_read(list, &again, &wrong, &length));
        assert_memory_equal(&set, &again, sizeof set);
    }
    assert_false(vary_set_read("fence-wrap,frob,x", &set, &wrong, &length));
    assert_int_equal(length, 4);
    assert_memory_equal(wrong, "frob", 4);
    assert_false(vary_set_read("", &set, &wrong, &length));
}

/* Of two parts one has it, over many runs either; what rests on a reading is ours alone. */
static void a_pair_of_parts_has_every_variation_once(void **state)
{
    struct vary_set first, second;
    unsigned firsts[VARY_COUNT] = {0};

    for (uint64_t seed = 0; seed < 200; seed++) {
        vary_set_choose(seed, 2, false, &first);
        vary_set_choose(seed, 3, false, &second);
        for (unsigned i = 0; i < VARY_COUNT; i++) {
            unsigned share = vary_info((enum variation)i)->share;
            assert_true(share != 0 || (!first.on[i] && !second.on[i]));
            assert_true(share != 50 || i == VARY_GPU_ADDRESSES || first.on[i] != second.on[i]);
        }
        assert_false(first.on[VARY_GPU_ADDRESSES] || second.on[VARY_GPU_ADDRESSES]);
        assert_false(first.on[VARY_STOP_SCREEN] && first.on[VARY_FAILED_STARTS]);
        assert_false(second.on[VARY_STOP_SCREEN] && second.on[VARY_FAILED_STARTS]);
        for (unsigned i = 0; i < VARY_COUNT; i++) {
            firsts[i] += first.on[i];
        }
        vary_set_choose(seed, 2, true, &first);
        vary_set_choose(seed, 3, true, &second);
        assert_true(first.on[VARY_SPLIT_TRANSFERS] != second.on[VARY_SPLIT_TRANSFERS]);
    }
    firsts[VARY_GPU_ADDRESSES] = 100; /* see below */
    for (unsigned i = 0; i < VARY_COUNT; i++) {
        unsigned share = vary_info((enum variation)i)->share;
        assert_true(firsts[i] >= share && firsts[i] <= share * 3);
    }
}

/* It changes what a part is about: one of the first two has it, the one with the usual settings. */
static void gpu_addresses_are_on_in_one_part(void **state)
{
    struct vary_set first, second;
    unsigned firsts = 0;

    for (uint64_t seed = 0; seed < 200; seed++) {
        vary_set_choose(seed, 0, false, &first);
        vary_set_choose(seed, 1, false, &second);
        assert_true(first.on[VARY_GPU_ADDRESSES] != second.on[VARY_GPU_ADDRESSES]);
        assert_true(first.on[VARY_GPU_ADDRESSES] != first.on[VARY_OTHER_SETTINGS]);
        firsts += first.on[VARY_GPU_ADDRESSES];
    }
    assert_in_range(firsts, 50, 150);
}

/* A report nests counters by their dots, and a record keeps 47 letters of a name. */
static void names_are_words_of_the_command_line(void **state)
{
    for (unsigned i = 0; i < VARY_COUNT; i++) {
        const struct vary_info *info = vary_info((enum variation)i);
        assert_true(strspn(info->name, "abcdefghijklmnopqrstuvwxyz0123456789-") ==
                    strlen(info->name));
        assert_in_range(strlen(info->name), 3, 30);
        assert_in_range(info->share, 0, 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_off_never_happens),
        cmocka_unit_test(variations_do_not_shift_each_other),
        cmocka_unit_test(what_happens_is_counted_and_recorded),
        cmocka_unit_test(lists_are_read_as_they_are_written),
        cmocka_unit_test(a_pair_of_parts_has_every_variation_once),
        cmocka_unit_test(gpu_addresses_are_on_in_one_part),
        cmocka_unit_test(names_are_words_of_the_command_line),
    };
    return cmocka_run_group_tests_name("vary", tests, NULL, NULL);
}

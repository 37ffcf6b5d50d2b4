/* Narrowing: which variations of a set are needed, by a predicate in place of runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "drydock/narrow.h"

/* Seen with all of `needed`. */
struct finding {
    struct vary_set needed;
    unsigned trials, trials_max, calls;
};

static bool shows(const struct finding *finding, const struct vary_set *set)
{
    for (unsigned i = 0; i < VARY_COUNT; i++) {
        if (finding->needed.on[i] && !set->on[i]) {
            return false;
        }
    }
    return true;
}

static unsigned try_sets(void *context, const struct vary_set *sets, unsigned count, bool *seen)
{
    struct finding *finding = context;

    assert_in_range(count, 1, NARROW_AT_ONCE);
    if (count > finding->trials_max - finding->trials) {
        count = finding->trials_max - finding->trials;
    }
    finding->trials += count;
    finding->calls++;
    for (unsigned i = 0; i < count; i++) {
        seen[i] = shows(finding, &sets[i]);
    }
    return count;
}

static struct vary_set every(unsigned step)
{
    struct vary_set set = {0};

    for (unsigned i = 0; i < VARY_COUNT; i += step) {
        set.on[i] = true;
    }
    return set;
}

static bool narrowed(struct finding *finding, struct vary_set *set)
{
    return narrow(&(struct narrowing){.try_sets = try_sets, .context = finding}, set);
}

static void each_one_that_is_needed_is_found(void **state)
{
    (void)state;
    for (unsigned i = 0; i < VARY_COUNT; i++) {
        struct finding finding = {.trials_max = 12};
        struct vary_set set = every(1);
        finding.needed.on[i] = true;
        assert_true(narrowed(&finding, &set));
        assert_memory_equal(&set, &finding.needed, sizeof set);
    }
}

static void each_pair_that_is_needed_is_found(void **state)
{
    (void)state;
    for (unsigned i = 0; i < VARY_COUNT; i++) {
        for (unsigned k = 0; k < i; k++) {
            struct finding finding = {.trials_max = 24};
            struct vary_set set = every(1);
            finding.needed.on[i] = finding.needed.on[k] = true;
            assert_true(narrowed(&finding, &set));
            assert_memory_equal(&set, &finding.needed, sizeof set);
        }
    }
}

static void all_that_are_needed_stay(void **state)
{
    struct finding finding = {.needed = every(5), .trials_max = 1000};
    struct vary_set set = every(5);

    (void)state;
    assert_true(narrowed(&finding, &set));
    assert_memory_equal(&set, &finding.needed, sizeof set);
}

/* One run of trials is enough to know it. */
static void a_finding_that_needs_none_needs_none(void **state)
{
    struct finding finding = {.trials_max = 2};
    struct vary_set set = every(2), none = {0};

    (void)state;
    assert_true(narrowed(&finding, &set));
    assert_memory_equal(&set, &none, sizeof set);
    assert_int_equal(finding.calls, 1);
}

/* However few trials there are: it was seen with what is given back, or nothing was left out. */
static void what_is_left_was_seen_when_trials_end(void **state)
{
    (void)state;
    for (unsigned trials = 0; trials < 20; trials++) {
        struct finding finding = {.trials_max = trials};
        struct vary_set set = every(1), all = every(1);
        finding.needed.on[3] = finding.needed.on[VARY_COUNT - 4] = true;
        bool finished = narrowed(&finding, &set);
        assert_true(finding.trials <= trials);
        assert_true(shows(&finding, &set));
        assert_true(!finished || memcmp(&set, &finding.needed, sizeof set) == 0);
        assert_true(trials > 0 || memcmp(&set, &all, sizeof set) == 0);
    }
}

static unsigned count_of(const struct vary_set *set)
{
    unsigned count = 0;

    for (unsigned i = 0; i < VARY_COUNT; i++) {
        count += set->on[i];
    }
    return count;
}

/* Seen with an odd number of variations, whichever they are: more of them hide what fewer show. */
static unsigned try_odd(void *context, const struct vary_set *sets, unsigned count, bool *seen)
{
    (void)context;
    for (unsigned i = 0; i < count; i++) {
        seen[i] = count_of(&sets[i]) % 2 == 1;
    }
    return count;
}

static void a_search_among_contradictions_ends_with_what_was_seen(void **state)
{
    struct vary_set set = every(1);

    (void)state;
    set.on[0] = VARY_COUNT % 2 == 1;
    assert_true(narrow(&(struct narrowing){.try_sets = try_odd}, &set));
    assert_int_equal(count_of(&set) % 2, 1);
    assert_in_range(count_of(&set), 1, VARY_COUNT / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_one_that_is_needed_is_found),
        cmocka_unit_test(each_pair_that_is_needed_is_found),
        cmocka_unit_test(all_that_are_needed_stay),
        cmocka_unit_test(a_finding_that_needs_none_needs_none),
        cmocka_unit_test(what_is_left_was_seen_when_trials_end),
        cmocka_unit_test(a_search_among_contradictions_ends_with_what_was_seen),
    };
    return cmocka_run_group_tests_name("narrow", tests, NULL, NULL);
}

/* Every misbehaviour gives its rule, and that rule alone; none gives nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../drivers/misbehave/misbehave.h"
#include "row_filter.h"
#include "runner.h"
#include "seen.h"

#define ROWS_MAX 1024

static const char *module_path, *image_path;

struct test_row {
    const struct misbehaviour *row;
    unsigned number;
    char name[96], rule[24];
};

static struct test_row test_rows[ROWS_MAX];

/* How the system stops, for breaches whose bug check has a rule of its own. */
static const struct stop {
    const char *function, *rule;
    uint32_t code;
    uint64_t sub;
    NTSTATUS status;
} stops[] = {
    {"submit_fails", "SUBMIT_004", 0x119, 2, STATUS_INSUFFICIENT_RESOURCES},
    {"cancel_fails", "CANCEL_004", 0x119, 9, STATUS_UNSUCCESSFUL},
};

static void check_stop(const struct misbehaviour *row, const struct runner_result *result)
{
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        if (strcmp(stops[i].function, row->name) == 0) {
            const struct record_breach *breach = &result->breaches[0];
            assert_int_equal(breach->count, 1);
            assert_true(breach->fatal);
            assert_int_equal(breach->bugcheck, stops[i].code);
            assert_int_equal(breach->bugcheck_argument[0], stops[i].sub);
            assert_int_equal(breach->bugcheck_argument[1], (uint32_t)stops[i].status);
            seen_rule(stops[i].rule, CONTRACT_KERNEL);
        }
    }
}

static bool is_advice(const struct test_row *test)
{
    enum contract_rule number = contract_rule_by_id(test->rule);

    return test->row->scene & SCENE_ADVICE ||
           (number < CONTRACT_RULE_COUNT && contract_rule_info(number)->reaction == CONTRACT_NOTE);
}

static bool is_as_expected(const struct test_row *test, const struct runner_result *result)
{
    if (strcmp(test->row->rule, HARMLESS) == 0) {
        return result->outcome == RUN_OUTCOME_PASS && result->breach_count == 0 &&
               (result->failures != 0) == ((test->row->scene & SCENE_LOST) != 0) && !result->died;
    }
    if (is_advice(test)) {
        return result->outcome == RUN_OUTCOME_PASS &&
               (test->row->scene & SCENE_MORE_RULES ? runner_among(result, test->rule)
                                                    : runner_only(result, test->rule)) &&
               result->breaches[0].weight == RECORD_ADVICE;
    }
    if (result->outcome == RUN_OUTCOME_PASS || result->outcome == RUN_OUTCOME_OWN_FAULT) {
        return false;
    }
    return test->row->scene & SCENE_MORE_RULES ? runner_among(result, test->rule)
                                               : runner_only(result, test->rule);
}

/* A module built with sanitizers stops at its own use of freed memory, before the kernel can be
 * judged; the same row in the image, which has none, goes on. */
#if defined(__SANITIZE_ADDRESS__)
#define WITH_SANITIZERS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(undefined_behavior_sanitizer)
#define WITH_SANITIZERS 1
#endif
#endif
#ifndef WITH_SANITIZERS
#define WITH_SANITIZERS 0
#endif

static void misbehaves(void **state)
{
    const struct test_row *test = *state;

    if (WITH_SANITIZERS && !image_path && test->row->scene & SCENE_FREED) {
        skip();
    }
    const struct runner_setup setup = {.module = image_path ? NULL : module_path,
                                       .image = image_path,
                                       .misbehaviour = test->number,
                                       .scene = test->row->scene};
    struct runner_result result;

    runner_run(&setup, &result);
    bool kept = is_as_expected(test, &result);
    if (!kept || getenv("RUNNER_SAYS")) { /* to read what an author of such a driver reads */
        printf("%s:\n", test->name);
        runner_print(&result);
    }
    assert_true(kept);
    seen_rule(test->rule, CONTRACT_DRIVER);
    check_stop(test->row, &result);
}

/* ---- Without a misbehaviour --------------------------------------------------------------------
 */

static const unsigned clean_scenes[] = {
    SCENE_PLAIN,
    SCENE_PREEMPT,
    SCENE_HANG,
    SCENE_REMOVE,
    SCENE_VISTA,
    SCENE_WIN8,
    SCENE_WDDM2,
    SCENE_SMALL_PAGING | SCENE_CONTENT,
    SCENE_COPIES | SCENE_CONTENT,
    SCENE_VIRTUAL | SCENE_STATES | SCENE_WDDM2,
    SCENE_APERTURE_DMA,
    SCENE_SMALL_DMA,
    SCENE_MESSAGES,
    SCENE_RENDER_ONLY,
    SCENE_RESULTS,
    SCENE_REPLUG,
    SCENE_CLONES,
    SCENE_MODES,
    SCENE_FIRST_PLANES,
    SCENE_PLANES,
    SCENE_NEWEST_PLANES,
    SCENE_OVERLAYS,
    SCENE_QUEUED,
    SCENE_QUEUED_PLANES,
    SCENE_QUEUED_MODES,
    SCENE_GDI,
    SCENE_GDI_VIRTUAL,
    SCENE_RELEASE,
    SCENE_STOP_SCREEN,
    SCENE_ENGINES | SCENE_HANG,
    SCENE_RESTS,
    SCENE_VIRTUAL | SCENE_CONTENT,
    SCENE_VIRTUAL | SCENE_RESULTS,
    SCENE_VIRTUAL | SCENE_RESULTS | SCENE_ENGINES,
    SCENE_STATES,
    SCENE_STATES | SCENE_WDDM2,
    SCENE_LISTS | SCENE_CONTENT,
    SCENE_MMUS | SCENE_CONTENT,
    SCENE_QUEUES | SCENE_CONTENT,
    SCENE_SIGNALS | SCENE_CONTENT,
    SCENE_SIGNALS | SCENE_HANG,
    SCENE_RANGES | SCENE_CONTENT,
    SCENE_RANGES | SCENE_HANG,
    SCENE_RANGES | SCENE_VISTA,
    SCENE_SWIZZLED | SCENE_CONTENT,
    SCENE_SWIZZLED | SCENE_HANG,
    SCENE_SWIZZLED | SCENE_SMALL_PAGING,
    SCENE_HOST | SCENE_CONTENT,
    SCENE_HOST | SCENE_HANG,
    SCENE_IOMMU,
    SCENE_IOMMU | SCENE_HANG,
    SCENE_IOMMU | SCENE_RESULTS,
    SCENE_GIVEN,
    SCENE_GIVEN | SCENE_HANG,
    SCENE_CHIPSET,
    SCENE_CHIPSET | SCENE_CONTENT,
    SCENE_CHIPSET | SCENE_HANG,
    SCENE_CHIPSET | SCENE_REMOVE,
};

static void behaves(void **state)
{
    const struct runner_setup setup = {.module = image_path ? NULL : module_path,
                                       .image = image_path,
                                       .scene = *(const unsigned *)*state};
    struct runner_result result;

    runner_run(&setup, &result);
    if (result.outcome != RUN_OUTCOME_PASS || result.failures) {
        printf("scene 0x%X:\n", setup.scene);
        runner_print(&result);
    }
    assert_int_equal(result.outcome, RUN_OUTCOME_PASS);
    assert_int_equal(result.failures, 0);
    assert_int_equal(result.breach_count, 0);
}

/* The reference driver on a device that hangs again and again: the system stops. */
static void stops_after_many_resets(void **state)
{
    const struct runner_setup setup = {
        .module = image_path ? NULL : module_path, .image = image_path, .scene = SCENE_HANGS};
    struct runner_result result;

    runner_run(&setup, &result);
    if (!runner_only(&result, "TDR-007")) {
        printf("TDR-007:\n");
        runner_print(&result);
    }
    assert_true(runner_only(&result, "TDR-007"));
    assert_int_equal(result.breaches[0].bugcheck, 0x116);
    seen_rule("TDR-007", CONTRACT_DRIVER);
}

/* Most hangs begin with something that was done wrong. */
static void a_breach_outranks_the_time_limit(void **state)
{
    unsigned number = 1;

    while (number < ROWS_MAX && strcmp(test_rows[number].row->name, "no_priority") != 0) {
        number++;
    }
    const struct runner_setup setup = {.module = image_path ? NULL : module_path,
                                       .image = image_path,
                                       .misbehaviour = number,
                                       .time_limit_ns = 20 * 1000000};
    struct runner_result result;

    runner_run(&setup, &result);
    assert_int_equal(result.outcome, RUN_OUTCOME_BREACH);
    assert_true(runner_only(&result, "ALLOC-009"));
    assert_string_equal(result.message,
                        "1 breach of the contract; the time limit of the run was reached");
}

static void name_rule(struct test_row *test)
{
    snprintf(test->rule, sizeof test->rule, "%s", test->row->rule);
    for (char *at = test->rule; *at; at++) {
        *at = *at == '_' ? '-' : *at;
    }
    snprintf(test->name, sizeof test->name, "%s %s", test->rule, test->row->name);
}

int main(int argc, char **argv)
{
    static struct CMUnitTest tests[ROWS_MAX + sizeof clean_scenes / sizeof clean_scenes[0] + 3];
    const struct misbehaviour *(*row_of)(ULONG);
    size_t count = 0;

    module_path = argc > 1 ? argv[1] : "misbehave.so";
    void *module = dlopen(module_path, RTLD_LAZY);
    if (!module) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    *(void **)&row_of = dlsym(module, "misbehave_row");
    for (size_t i = 0; i < sizeof clean_scenes / sizeof clean_scenes[0]; i++) {
        tests[count++] = (struct CMUnitTest){"behaves", behaves, NULL, NULL,
                                             (void *)(uintptr_t)&clean_scenes[i]};
    }
    tests[count++] = (struct CMUnitTest){"TDR-007 stops_after_many_resets", stops_after_many_resets,
                                         NULL, NULL, NULL};
    const struct misbehaviour *row;
    for (unsigned number = 1; number < ROWS_MAX && (row = row_of(number)) != NULL; number++) {
        struct test_row *test = &test_rows[number];
        *test = (struct test_row){.row = row, .number = number};
        name_rule(test);
        tests[count++] = (struct CMUnitTest){test->name, misbehaves, NULL, NULL, test};
    }
    tests[count++] = (struct CMUnitTest){"a_breach_outranks_the_time_limit",
                                         a_breach_outranks_the_time_limit, NULL, NULL, NULL};
    tests[count++] = (struct CMUnitTest){"what_was_seen_is_written", seen_is_written, NULL, NULL,
                                         (void *)(uintptr_t) "misbehave"};
    for (int i = 2; i < argc; i++) {
        size_t length = strlen(argv[i]);
        if (length > 4 && strcmp(argv[i] + length - 4, ".sys") == 0) {
            image_path = argv[i]; /* the rows are listed by the module, and run by the image */
        } else if (!row_filter(tests, count, argv[i])) {
            return 2;
        }
    }
    return _cmocka_run_group_tests("misbehave", tests, count, NULL, NULL);
}

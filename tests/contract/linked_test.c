/* A rule is judged if code that judges it is in the binary; it is tested if a test saw it broken.
 * No text that looks so makes it either. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linked_sites.h"
#include "contract/internal.h"
#include "seen.h"

static void linked_places_judge(void **state)
{
    linked_duty(0);
    linked_finding(0);
    assert_int_equal(contract_rule_judged(RULE_SUBMIT_019), CONTRACT_KERNEL);
    assert_int_equal(contract_rule_judged(RULE_SUBMIT_024), CONTRACT_DRIVER);
    assert_int_equal(contract_rule_state(RULE_SUBMIT_024), RULE_ENFORCED);
}

/* Rows need no mark: the tables of the families are linked. */
static void linked_rows_judge(void **state)
{
    assert_int_equal(contract_rule_judged(RULE_SUBMIT_003), CONTRACT_DRIVER);
    assert_int_equal(contract_rule_judged(RULE_SUBMIT_001), CONTRACT_KERNEL);
    /* A breach of the driver in one row, a duty of the kernel in another. */
    assert_int_equal(contract_rule_judged(RULE_ALLOC_005), CONTRACT_BOTH);
}

static void what_is_not_linked_judges_nothing(void **state)
{
    static const enum contract_rule rules[] = {
        RULE_SUBMIT_026, /* the preprocessor leaves it out */
        RULE_SUBMIT_045, /* a comment */
        RULE_SUBMIT_042, /* a string */
        RULE_SUBMIT_040, /* the compiler leaves it out */
        RULE_SUBMIT_032, /* the linker leaves its file out */
    };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        assert_int_equal(contract_rule_judged(rules[i]), 0);
        assert_int_equal(contract_rule_state(rules[i]), RULE_NOT_YET);
    }
}

/* A run ends, and an adapter stays out, only where the catalogue says so: a wrong stop weighs as
 * much as a miss. */
static void rows_react_as_the_catalogue_says(void **state)
{
    const struct contract_row *row;

    for (unsigned i = 0; (row = contract_row_at(i)) != NULL; i++) {
        const struct contract_rule_info *rule = contract_rule_info(row->rule);
        bool stops = row->what.bugcheck != 0;
        if ((stops && rule->reaction != CONTRACT_STOP) ||
            (row->what.ends_start && rule->reaction != CONTRACT_REFUSE)) {
            fail_msg("a row of %s %s, and the catalogue says %s", rule->id,
                     stops ? "stops the run" : "ends the start",
                     contract_reaction_name(rule->reaction));
        }
    }
}

/* And where it says so, something does: what stops nothing is no stop. */
static void what_the_catalogue_stops_for_stops(void **state)
{
    static bool has_row[CONTRACT_RULE_COUNT], stops[CONTRACT_RULE_COUNT];
    const struct contract_row *row;

    for (unsigned i = 0; (row = contract_row_at(i)) != NULL; i++) {
        if (row->judges != CONTRACT_KERNEL) {
            has_row[row->rule] = true;
            stops[row->rule] |= row->what.bugcheck != 0;
        }
    }
    for (unsigned i = 0; i < CONTRACT_RULE_COUNT; i++) {
        const struct contract_rule_info *rule = contract_rule_info((enum contract_rule)i);
        if (rule->reaction == CONTRACT_STOP && has_row[i] && !stops[i]) {
            fail_msg("no row of %s stops the run, and the catalogue says that it does", rule->id);
        }
    }
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A test that is not built or not run says nothing to seen_rule(). */
static void a_claim_that_no_test_saw_is_found(void **state)
{
    char path[] = "/tmp/contract-tested-XXXXXX";

    close(mkstemp(path));
    seen_forget();
    seen_rule("SUBMIT_003", CONTRACT_DRIVER);
    write_text(path, "{\"p\": {\"driver\": [\"SUBMIT-003\"], \"kernel\": []}}");
    assert_null(seen_difference("p", path));
    write_text(path, "{\"p\": {\"driver\": [\"SUBMIT-003\", \"SUBMIT-026\"], \"kernel\": []}}");
    assert_string_equal(seen_difference("p", path),
                        "SUBMIT-026 is written, and no case saw it broken and the driver named");
    write_text(path, "{\"p\": {\"driver\": [\"SUBMIT-003\"], \"kernel\": [\"SUBMIT-003\"]}}");
    assert_string_equal(seen_difference("p", path),
                        "SUBMIT-003 is written, and no case saw it broken and the kernel named");
    write_text(path, "{\"p\": {}}");
    assert_string_equal(seen_difference("p", path),
                        "SUBMIT-003 was broken and the driver named, and it is not written");
    unlink(path);
    assert_non_null(seen_difference("p", path));
}

static void what_is_written_is_what_was_seen(void **state)
{
    char path[] = "/tmp/contract-seen-XXXXXX";

    close(mkstemp(path));
    seen_forget();
    seen_rule("CANCEL-003", CONTRACT_DRIVER);
    seen_rule("CANCEL_001", CONTRACT_KERNEL);
    seen_rule("LEAK", CONTRACT_DRIVER); /* a finding, but no rule */
    assert_true(seen_write("p", path));
    assert_null(seen_difference("p", path));
    assert_non_null(seen_difference("another", path));
    unlink(path);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linked_places_judge),
        cmocka_unit_test(linked_rows_judge),
        cmocka_unit_test(what_is_not_linked_judges_nothing),
        cmocka_unit_test(rows_react_as_the_catalogue_says),
        cmocka_unit_test(what_the_catalogue_stops_for_stops),
        cmocka_unit_test(a_claim_that_no_test_saw_is_found),
        cmocka_unit_test(what_is_written_is_what_was_seen),
    };

    return cmocka_run_group_tests_name("linked", tests, NULL, NULL);
}

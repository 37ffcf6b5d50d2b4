/* What is said beside a finding: how it is mended, and where to read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "contract/contract.h"

static const char *const told[] = {
#define MENDING(name, text) name,
#include "contract/mending.def"
#undef MENDING
};

static void each_sentence_belongs_to_what_a_run_can_name(void **state)
{
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++) {
        if (!contract_other_finding(told[i]) &&
            contract_rule_by_id(told[i]) == CONTRACT_RULE_COUNT) {
            fail_msg("nothing is named %s", told[i]);
        }
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(told[i], told[j]);
        }
    }
    assert_true(sizeof told / sizeof told[0] >= 50);
}

static void findings_that_are_no_rule_have_names(void **state)
{
    assert_true(contract_other_finding("LEAK")->goes_on);
    assert_true(contract_other_finding("DEVICE")->goes_on);
    assert_false(contract_other_finding("FAULT")->goes_on);
    assert_null(contract_other_finding("SUBMIT-031"));
    assert_null(contract_other_finding(""));
}

static void sentences_are_found_by_their_name(void **state)
{
    assert_non_null(strstr(contract_mending("LEAK"), "free"));
    assert_non_null(strstr(contract_mending("SUBMIT-031"), "SubmissionFenceId"));
    assert_null(contract_mending("SUBMIT-999"));
    assert_null(contract_mending(""));
}

static void pages_lie_where_their_kind_says(void **state)
{
    char text[256];

    assert_true(contract_page("SUBMIT-031", NULL, text, sizeof text));
    assert_non_null(strstr(text, "https://learn.microsoft.com/windows-hardware/drivers/"));
    assert_true(contract_page("CTX-018", NULL, text, sizeof text));
    assert_string_equal(text, "https://learn.microsoft.com/windows-hardware/drivers/ddi/d3dkmddi/"
                              "ns-d3dkmddi-_dxgkarg_createdevice");
    assert_false(contract_page("LEAK", NULL, text, sizeof text));
    assert_false(contract_page("CTX-018", NULL, text, 40)); /* half an address is none */
}

/* What every DDI has to do is said on the page of the one that did not. */
static void rules_of_all_have_the_page_of_their_ddi(void **state)
{
    char text[256];

    assert_true(contract_page("GEN-010", "DxgkDdiDescribeAllocation", text, sizeof text));
    assert_non_null(strstr(text, "/ddi/d3dkmddi/nc-d3dkmddi-dxgkddi_describeallocation"));
    assert_true(contract_page("GEN-010", "DxgkDdiQueryChildStatus", text, sizeof text));
    assert_non_null(strstr(text, "/ddi/dispmprt/nc-dispmprt-dxgkddi_query_child_status"));
    assert_false(contract_page("GEN-010", "DxgkCbQueueDpc", text, sizeof text));
    assert_false(contract_page("GEN-010", NULL, text, sizeof text));
    assert_true(contract_page("CTX-018", "DxgkDdiRender", text, sizeof text)); /* it has its own */
    assert_non_null(strstr(text, "createdevice"));
}

static void formats_have_their_names(void **state)
{
    char text[CONTRACT_FORMAT_MAX];

    assert_string_equal(contract_format_text(D3DDDIFMT_X8R8G8B8, text), "D3DDDIFMT_X8R8G8B8");
    assert_string_equal(contract_format_text(D3DDDIFMT_DXT1, text), "D3DDDIFORMAT 827611204");
}

static void almost_every_rule_has_a_page(void **state)
{
    unsigned without = 0;
    char text[256];

    for (unsigned i = 0; i < CONTRACT_RULE_COUNT; i++) {
        const char *id = contract_rule_info((enum contract_rule)i)->id;
        bool has = contract_page(id, NULL, text, sizeof text);
        without += !has;
        assert_false(has && (strpbrk(text, " ;\"()") || strstr(text, ".md")));
    }
    assert_true(without < CONTRACT_RULE_COUNT / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_sentence_belongs_to_what_a_run_can_name),
        cmocka_unit_test(findings_that_are_no_rule_have_names),
        cmocka_unit_test(sentences_are_found_by_their_name),
        cmocka_unit_test(pages_lie_where_their_kind_says),
        cmocka_unit_test(rules_of_all_have_the_page_of_their_ddi),
        cmocka_unit_test(formats_have_their_names),
        cmocka_unit_test(almost_every_rule_has_a_page),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The rules as a table: what is judged in this binary, and what a test was seen to break. */
#include "contract/internal.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/check.h"

static const struct contract_family *const families[] = {
#define FAMILY(name) &contract_family_##name,
    CONTRACT_FAMILIES(FAMILY)
#undef FAMILY
};

#define FAMILY_COUNT (sizeof families / sizeof families[0])

/* The marks of CONTRACT_SITE, as the linker put them together. */
extern const uint16_t __start_contract_sites[] __attribute__((visibility("hidden")));
extern const uint16_t __stop_contract_sites[] __attribute__((visibility("hidden")));

_Static_assert(CONTRACT_RULE_COUNT < 1 << CONTRACT_SITE_DUTY_SHIFT, "a rule fits in a mark");

/* Who is judged by each rule: bits of enum contract_duty. */
static uint8_t judged[CONTRACT_RULE_COUNT];
static bool collected;

const struct contract_row *contract_row_at(unsigned index)
{
    for (size_t i = 0; i < FAMILY_COUNT; i++) {
        if (index < families[i]->count) {
            return &families[i]->rows[index];
        }
        index -= families[i]->count;
    }
    return NULL;
}

static void collect(void)
{
    const uint16_t *site = __start_contract_sites;
    const struct contract_row *row;

    for (unsigned i = 0; (row = contract_row_at(i)) != NULL; i++) {
        judged[row->rule] |= (uint8_t)row->judges;
    }
    for (; site < __stop_contract_sites; site++) {
        unsigned rule = *site & ((1u << CONTRACT_SITE_DUTY_SHIFT) - 1);
        CHECK_THAT(rule < CONTRACT_RULE_COUNT);
        judged[rule] |= (uint8_t)(*site >> CONTRACT_SITE_DUTY_SHIFT);
    }
    collected = true;
}

const struct contract_rule_info *contract_rule_info(enum contract_rule rule)
{
    CHECK_THAT((unsigned)rule < CONTRACT_RULE_COUNT);
    return &contract_rules[rule];
}

enum contract_rule contract_rule_by_id(const char *id)
{
    unsigned rule = 0;

    while (rule < CONTRACT_RULE_COUNT && strcasecmp(contract_rules[rule].id, id) != 0) {
        rule++;
    }
    return (enum contract_rule)rule;
}

const char *contract_duty_name(enum contract_duty duty)
{
    return duty == CONTRACT_BOTH ? "both" : duty == CONTRACT_KERNEL ? "kernel" : "driver";
}

const char *contract_reaction_name(enum contract_reaction reaction)
{
    static const char *const names[] = {[CONTRACT_REPORT] = "report",
                                        [CONTRACT_NOTE] = "note",
                                        [CONTRACT_STOP] = "stop",
                                        [CONTRACT_REFUSE] = "refuse"};

    return names[reaction];
}

const char *contract_format_text(D3DDDIFORMAT format, char text[CONTRACT_FORMAT_MAX])
{
#define FORMAT(name)                         \
    {                                        \
        D3DDDIFMT_##name, "D3DDDIFMT_" #name \
    }
    static const struct {
        D3DDDIFORMAT format;
        const char *name;
    } names[] = {FORMAT(UNKNOWN),  FORMAT(R8G8B8),      FORMAT(A8R8G8B8),      FORMAT(X8R8G8B8),
                 FORMAT(R5G6B5),   FORMAT(X1R5G5B5),    FORMAT(A1R5G5B5),      FORMAT(A8B8G8R8),
                 FORMAT(X8B8G8R8), FORMAT(A2B10G10R10), FORMAT(A16B16G16R16F), FORMAT(P8),
                 FORMAT(YUY2),     FORMAT(UYVY)};
#undef FORMAT

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].format == format) {
            return names[i].name;
        }
    }
    snprintf(text, CONTRACT_FORMAT_MAX, "D3DDDIFORMAT %u", (unsigned)format);
    return text;
}

unsigned contract_rule_judged(enum contract_rule rule)
{
    CHECK_THAT((unsigned)rule < CONTRACT_RULE_COUNT);
    if (!collected) {
        collect();
    }
    return judged[rule];
}

enum contract_rule_state contract_rule_state(enum contract_rule rule)
{
    unsigned who = contract_rule_judged(rule);

    if (who == 0) {
        return RULE_NOT_YET;
    }
    return (who & ~contract_rules[rule].tested) == 0 ? RULE_TESTED : RULE_ENFORCED;
}

/* Of rules that are judged outside the door, and so have no row to say it. */
static const struct {
    enum contract_rule rule;
    const char *text;
} left_out[] = {
    {RULE_SUBMIT_002, "pageable code and data: only services and waits above their IRQL are seen"},
    {RULE_FLIP_002, "pageable code and data: only services and waits above their IRQL are seen"},
    {RULE_SUBMIT_004, "the third and fourth parameter of the bug check"},
};

const char *contract_rule_leaves_out(enum contract_rule rule)
{
    const struct contract_row *row;

    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++) {
        if (left_out[i].rule == rule) {
            return left_out[i].text;
        }
    }
    for (unsigned i = 0; (row = contract_row_at(i)) != NULL; i++) {
        if (row->rule == rule && row->what.leaves_out) {
            return row->what.leaves_out;
        }
    }
    return NULL;
}

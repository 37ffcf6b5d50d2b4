/* drydock rules: the contract, and how far it is enforced. */
#include "drydock.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "contract/contract.h"

static const char *state_name(enum contract_rule_state state)
{
    switch (state) {
    case RULE_ENFORCED:
        return "enforced";
    case RULE_TESTED:
        return "tested";
    default:
        return "not yet";
    }
}

void count_rules(unsigned *enforced, unsigned *tested)
{
    *enforced = *tested = 0;
    for (unsigned i = 0; i < CONTRACT_RULE_COUNT; i++) {
        enum contract_rule_state state = contract_rule_info((enum contract_rule)i)->state;
        *enforced += state != RULE_NOT_YET;
        *tested += state == RULE_TESTED;
    }
}

/* An id, or the family that begins it: "SUBMIT". */
static bool wanted(const struct contract_rule_info *rule, const char *argument)
{
    size_t length = argument ? strlen(argument) : 0;

    return !argument || (strncasecmp(rule->id, argument, length) == 0 &&
                         (rule->id[length] == '\0' || rule->id[length] == '-'));
}

static json_t *rule_value(const struct contract_rule_info *rule)
{
    return json_pack("{s:s, s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:s?, s:s?}", "id", rule->id, "state",
                     state_name(rule->state), "text", rule->text, "ddi", rule->ddi, "member",
                     rule->member, "level", rule->level, "duty", rule->duty, "source", rule->source,
                     "confidence", rule->confidence);
}

static void print_json(const char *argument)
{
    json_t *list = json_array(), *document;
    unsigned enforced, tested;

    for (unsigned i = 0; i < CONTRACT_RULE_COUNT; i++) {
        const struct contract_rule_info *rule = contract_rule_info((enum contract_rule)i);
        if (wanted(rule, argument)) {
            json_array_append_new(list, rule_value(rule));
        }
    }
    count_rules(&enforced, &tested);
    document = json_pack("{s:i, s:i, s:i, s:o}", "count", (int)CONTRACT_RULE_COUNT, "enforced",
                         (int)enforced, "tested", (int)tested, "rules", list);
    json_dumpf(document, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(document);
}

static void print_one(const struct contract_rule_info *rule)
{
    printf("%s  %s\n", rule->id, state_name(rule->state));
    printf("  %s\n", rule->text);
    printf("  call        %s%s%s\n", rule->ddi, rule->member && rule->member[0] ? ", " : "",
           rule->member ? rule->member : "");
    printf("  duty of     %s\n", rule->duty);
    printf("  level       %s\n", rule->level);
    printf("  source      %s\n", rule->source);
    printf("  confidence  %s\n", rule->confidence);
}

static void print_list(const char *argument)
{
    unsigned enforced, tested;

    for (unsigned i = 0; i < CONTRACT_RULE_COUNT; i++) {
        const struct contract_rule_info *rule = contract_rule_info((enum contract_rule)i);
        if (wanted(rule, argument)) {
            printf("%-14s %-9s %s\n", rule->id, state_name(rule->state), rule->text);
        }
    }
    count_rules(&enforced, &tested);
    fprintf(stderr, "%u rules, %u enforced, %u of these tested\n", (unsigned)CONTRACT_RULE_COUNT,
            enforced, tested);
}

static bool any_wanted(const char *argument)
{
    for (unsigned i = 0; i < CONTRACT_RULE_COUNT; i++) {
        if (wanted(contract_rule_info((enum contract_rule)i), argument)) {
            return true;
        }
    }
    return false;
}

enum exit_status rules_command(const struct options *options)
{
    const char *argument = options->argument;
    enum contract_rule rule = argument ? contract_rule_by_id(argument) : CONTRACT_RULE_COUNT;

    if (argument && !any_wanted(argument)) {
        complain("rules %s: there is no such rule or family", argument);
        return EXIT_USAGE;
    }
    if (options->json) {
        print_json(argument);
    } else if (rule < CONTRACT_RULE_COUNT) {
        print_one(contract_rule_info(rule));
    } else {
        print_list(argument);
    }
    return EXIT_CLEAN;
}

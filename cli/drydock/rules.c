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

void count_rules(struct observe_rules by_duty[OBSERVE_DUTY_COUNT])
{
    memset(by_duty, 0, OBSERVE_DUTY_COUNT * sizeof *by_duty);
    for (unsigned i = 0; i < CONTRACT_RULE_COUNT; i++) {
        enum contract_rule_state state = contract_rule_state((enum contract_rule)i);
        struct observe_rules *rules = &by_duty[record_names.duty(i)];
        rules->count++;
        rules->enforced += state != RULE_NOT_YET;
        rules->tested += state == RULE_TESTED;
    }
}

static const char *duty_name(unsigned duty)
{
    static const enum contract_duty duties[] = {CONTRACT_DRIVER, CONTRACT_KERNEL, CONTRACT_BOTH};

    return contract_duty_name(duties[duty]); /* as enum observe_duty counts them */
}

/* An id, or the family that begins it: "SUBMIT". */
static bool wanted(const struct contract_rule_info *rule, const char *argument)
{
    size_t length = argument ? strlen(argument) : 0;

    return !argument || (strncasecmp(rule->id, argument, length) == 0 &&
                         (rule->id[length] == '\0' || rule->id[length] == '-'));
}

/* Who is judged by the rule: less than its duty says where a row of one side is missing. */
static const char *judged_name(enum contract_rule rule)
{
    unsigned judged = contract_rule_judged(rule);

    return judged ? contract_duty_name((enum contract_duty)judged) : "nobody";
}

static json_t *rule_value(enum contract_rule number)
{
    const struct contract_rule_info *rule = contract_rule_info(number);
    const char *leaves_out = contract_rule_leaves_out(number);

    return json_pack(
        "{s:s, s:s, s:s, s:s?, s:s?, s:s?, s:s, s:s, s:s, s:s?, s:s?, s:s?}", "id", rule->id,
        "state", state_name(contract_rule_state(number)), "text", rule->text, "ddi", rule->ddi,
        "member", rule->member, "level", rule->level, "duty", contract_duty_name(rule->duty),
        "reaction", contract_reaction_name(rule->reaction), "judged", judged_name(number),
        "leaves_out", leaves_out, "source", rule->source, "confidence", rule->confidence);
}

static json_t *counts_value(const struct observe_rules *rules)
{
    return json_pack("{s:i, s:i, s:i}", "count", (int)rules->count, "enforced",
                     (int)rules->enforced, "tested", (int)rules->tested);
}

static void print_json(const char *argument)
{
    struct observe_rules by_duty[OBSERVE_DUTY_COUNT], all = {0};
    json_t *list = json_array(), *duties = json_object(), *document;

    for (unsigned i = 0; i < CONTRACT_RULE_COUNT; i++) {
        if (wanted(contract_rule_info((enum contract_rule)i), argument)) {
            json_array_append_new(list, rule_value((enum contract_rule)i));
        }
    }
    count_rules(by_duty);
    for (unsigned i = 0; i < OBSERVE_DUTY_COUNT; i++) {
        all.count += by_duty[i].count;
        all.enforced += by_duty[i].enforced;
        all.tested += by_duty[i].tested;
        json_object_set_new(duties, duty_name(i), counts_value(&by_duty[i]));
    }
    document = counts_value(&all);
    json_object_set_new(document, "by_duty", duties);
    json_object_set_new(document, "rules", list);
    json_dumpf(document, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(document);
}

static void print_one(enum contract_rule number)
{
    static const char *const reactions[] = {
        [CONTRACT_REPORT] = "is reported, and the run goes on",
        [CONTRACT_NOTE] = "is told as advice, and does not count",
        [CONTRACT_STOP] = "is a bug check on Windows: it ends the run",
        [CONTRACT_REFUSE] = "ends the start of the adapter",
    };
    const struct contract_rule_info *rule = contract_rule_info(number);
    const char *leaves_out = contract_rule_leaves_out(number);

    printf("%s  %s\n", rule->id, state_name(contract_rule_state(number)));
    printf("  %s\n", rule->text);
    printf("  call        %s%s%s\n", rule->ddi, rule->member && rule->member[0] ? ", " : "",
           rule->member ? rule->member : "");
    printf("  duty of     %s\n", contract_duty_name(rule->duty));
    if (rule->duty & CONTRACT_DRIVER) {
        printf("  a breach    %s\n", reactions[rule->reaction]);
    }
    printf("  judged      %s\n", judged_name(number));
    if (leaves_out) {
        printf("  left out    %s\n", leaves_out);
    }
    printf("  level       %s\n", rule->level);
    printf("  source      %s\n", rule->source);
    printf("  confidence  %s\n", rule->confidence);
}

static void print_list(const char *argument)
{
    struct observe_rules by_duty[OBSERVE_DUTY_COUNT];

    for (unsigned i = 0; i < CONTRACT_RULE_COUNT; i++) {
        const struct contract_rule_info *rule = contract_rule_info((enum contract_rule)i);
        if (wanted(rule, argument)) {
            printf("%-14s %-7s %-9s %s\n", rule->id, contract_duty_name(rule->duty),
                   state_name(contract_rule_state((enum contract_rule)i)), rule->text);
        }
    }
    count_rules(by_duty);
    for (unsigned i = 0; i < OBSERVE_DUTY_COUNT; i++) {
        fprintf(stderr, "%u rules of %s%s, %u enforced, %u of these tested\n", by_duty[i].count,
                i == OBSERVE_BOTH ? "" : "the ", duty_name(i), by_duty[i].enforced,
                by_duty[i].tested);
    }
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
        print_one(rule);
    } else {
        print_list(argument);
    }
    return EXIT_CLEAN;
}

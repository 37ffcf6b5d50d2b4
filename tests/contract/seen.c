/* What the cases saw, against what is written. */
#include "seen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const enum contract_duty duties[] = {CONTRACT_DRIVER, CONTRACT_KERNEL};

#define DUTY_COUNT (sizeof duties / sizeof duties[0])

static uint8_t seen[CONTRACT_RULE_COUNT], cannot[CONTRACT_RULE_COUNT];

static void note(uint8_t *of_rules, const char *rule, enum contract_duty who)
{
    char id[24];

    snprintf(id, sizeof id, "%s", rule);
    for (char *at = id; *at; at++) {
        *at = *at == '_' ? '-' : *at;
    }
    enum contract_rule number = contract_rule_by_id(id);
    if (number < CONTRACT_RULE_COUNT) {
        of_rules[number] |= (uint8_t)who;
    }
}

void seen_rule(const char *rule, enum contract_duty who)
{
    note(seen, rule, who);
}

void seen_cannot(const char *rule, enum contract_duty who)
{
    note(cannot, rule, who);
}

void seen_forget(void)
{
    memset(seen, 0, sizeof seen);
    memset(cannot, 0, sizeof cannot);
}

static bool is_written(const json_t *part, enum contract_duty who, const char *id)
{
    const json_t *ids = json_object_get(part, contract_duty_name(who));
    const char *text;

    for (size_t i = 0; i < json_array_size(ids); i++) {
        text = json_string_value(json_array_get(ids, i));
        if (text && strcmp(text, id) == 0) {
            return true;
        }
    }
    return false;
}

static const char *differ(const json_t *part, enum contract_duty who)
{
    static char text[160];

    for (unsigned i = 0; i < CONTRACT_RULE_COUNT; i++) {
        const char *id = contract_rule_info((enum contract_rule)i)->id;
        bool was_seen = (seen[i] & who) != 0;
        if (was_seen != is_written(part, who, id) && (was_seen || !(cannot[i] & who))) {
            snprintf(text, sizeof text,
                     was_seen ? "%s was broken and the %s named, and it is not written"
                              : "%s is written, and no case saw it broken and the %s named",
                     id, contract_duty_name(who));
            return text;
        }
    }
    return NULL;
}

const char *seen_difference(const char *program, const char *path)
{
    json_t *file = json_load_file(path, 0, NULL);
    const char *text = file ? NULL : "the file of what is tested cannot be read";

    for (size_t i = 0; i < DUTY_COUNT && !text; i++) {
        text = differ(json_object_get(file, program), duties[i]);
    }
    json_decref(file);
    return text;
}

bool seen_write(const char *program, const char *path)
{
    json_t *part = json_object(), *file = json_object();

    for (size_t i = 0; i < DUTY_COUNT; i++) {
        json_t *ids = json_array();
        for (unsigned k = 0; k < CONTRACT_RULE_COUNT; k++) {
            if (seen[k] & duties[i]) {
                json_array_append_new(ids,
                                      json_string(contract_rule_info((enum contract_rule)k)->id));
            }
        }
        json_object_set_new(part, contract_duty_name(duties[i]), ids);
    }
    json_object_set_new(file, program, part);
    bool written = json_dump_file(file, path, JSON_INDENT(1)) == 0;
    json_decref(file);
    return written;
}

static unsigned count(enum contract_duty who)
{
    unsigned total = 0;

    for (unsigned i = 0; i < CONTRACT_RULE_COUNT; i++) {
        total += (seen[i] & who) != 0;
    }
    return total;
}

void seen_is_written(void **state)
{
    const char *program = *state, *written = getenv("CONTRACT_TESTED");
    const char *write = getenv("CONTRACT_SEEN");

    printf("rules seen broken: %u driver, %u kernel\n", count(CONTRACT_DRIVER),
           count(CONTRACT_KERNEL));
    if (write) {
        assert_true(seen_write(program, write));
    }
    if (!written) {
        skip();
    }
    const char *difference = seen_difference(program, written);
    if (difference) {
        printf("%s: %s; tools/contract/tested.py writes it anew\n", program, difference);
    }
    assert_null(difference);
}

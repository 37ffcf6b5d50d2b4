/* What a run reached, and what it never reached, by name.
 *
 * A driver that is not asked cannot be wrong: so each thing that this driver and version have is
 * told with a count, 0 among them. */
#include "observe/internal.h"

#include <string.h>

/* ---- Things by number ------------------------------------------------------------------------ */

static const char *name_by(const char *(*namer)(unsigned index), unsigned index)
{
    return namer ? namer(index) : NULL;
}

static struct observe_thing of_reach(const struct record_reach *reach, const char *name)
{
    return (struct observe_thing){name, reach->could != 0, reach->count};
}

static struct observe_thing of_rule(const struct observe *observe, unsigned who, unsigned rule)
{
    const struct record_header *header = record_header(observe->join->record);

    return (struct observe_thing){name_by(observe->names->rule, rule),
                                  header->rule_applies[who][rule] != 0,
                                  header->rule_checks[who][rule]};
}

static unsigned at_most(unsigned value, unsigned limit)
{
    return value < limit ? value : limit;
}

static unsigned how_many(const struct observe *observe, enum observe_cover kind)
{
    switch (kind) {
    case OBSERVE_DDIS:
        return at_most(observe->names->ddi_count, RECORD_DDI_MAX);
    case OBSERVE_RULES:
    case OBSERVE_KERNEL_RULES:
        return at_most(observe->run->rule_count, RECORD_RULES_MAX);
    case OBSERVE_MEMBERS:
        return RECORD_MEMBERS_MAX;
    case OBSERVE_PAGING:
        return RECORD_PAGING_MAX;
    case OBSERVE_CALLBACKS:
        return at_most(observe->names->callback_count, RECORD_CALLBACK_MAX);
    default:
        return RECORD_EXPORTS_MAX;
    }
}

bool observe_thing_at(const struct observe *observe, enum observe_cover kind, unsigned index,
                      struct observe_thing *thing)
{
    const struct record_header *header = record_header(observe->join->record);
    const struct observe_names *names = observe->names;

    if (index >= how_many(observe, kind)) {
        return false;
    }
    switch (kind) {
    case OBSERVE_DDIS:
        *thing =
            (struct observe_thing){name_by(names->point, index), header->ddi[index].registered != 0,
                                   header->ddi[index].calls};
        break;
    case OBSERVE_RULES:
        *thing = of_rule(observe, RECORD_DRIVER, index);
        break;
    case OBSERVE_KERNEL_RULES:
        *thing = of_rule(observe, RECORD_KERNEL, index);
        break;
    case OBSERVE_MEMBERS:
        *thing = of_reach(&header->members[index], name_by(names->member, index));
        break;
    case OBSERVE_PAGING:
        *thing = of_reach(&header->paging[index], name_by(names->operation, index));
        break;
    case OBSERVE_CALLBACKS:
        *thing =
            of_reach(&header->callbacks[index], name_by(names->point, names->ddi_count + index));
        break;
    default:
        *thing = of_reach(&header->exports[index], name_by(names->kernel_export, index));
        break;
    }
    return true;
}

struct observe_covered observe_covered(const struct observe *observe, enum observe_cover kind)
{
    struct observe_covered covered = {0};
    struct observe_thing thing;

    for (unsigned i = 0; observe_thing_at(observe, kind, i, &thing); i++) {
        if (thing.could && thing.name) {
            covered.all++;
            covered.reached += thing.count > 0;
        }
    }
    return covered;
}

/* ---- As JSON --------------------------------------------------------------------------------- */

json_t *observe_number(uint64_t value)
{
    /* JSON's integers are signed here; what is larger is as large as it gets. */
    return json_integer(value > INT64_MAX ? INT64_MAX : (json_int_t)value);
}

/* All of a kind with their counts; those never reached go into `never` by name. */
static json_t *things(const struct observe *observe, enum observe_cover kind, json_t *never)
{
    json_t *all = json_object();
    struct observe_thing thing;

    for (unsigned i = 0; observe_thing_at(observe, kind, i, &thing); i++) {
        if (!thing.name || !(thing.could || thing.count)) {
            continue;
        }
        json_object_set_new(all, thing.name, observe_number(thing.count));
        if (thing.count == 0) {
            json_array_append_new(never, json_string(thing.name));
        }
    }
    return all;
}

/* Of a DDI that was not called: why not. */
static json_t *reasons(const struct observe *observe)
{
    json_t *all = json_object();
    struct observe_thing thing;

    for (unsigned i = 0; observe_thing_at(observe, OBSERVE_DDIS, i, &thing); i++) {
        const char *reason = name_by(observe->names->why_not_called, i);
        if (thing.name && thing.could && thing.count == 0) {
            json_object_set_new(all, thing.name, json_string(reason ? reason : ""));
        }
    }
    return all;
}

json_t *observe_variations(const char *list)
{
    json_t *names = json_array();

    while (strcmp(list, "none") != 0 && *list) {
        size_t length = strcspn(list, ",");
        json_array_append_new(names, json_stringn(list, length));
        list += length + (list[length] == ',');
    }
    return names;
}

static uint64_t variation_count(const struct observe *observe, const char *name)
{
    char counter[64];

    snprintf(counter, sizeof counter, "variations.%s", name);
    return record_counter(observe->join->record, counter);
}

/* How often each variation that was on happened. */
static json_t *varied(const struct observe *observe)
{
    json_t *all = json_object();

    for (unsigned i = 0; i < observe->run->part_count; i++) {
        json_t *names = observe_variations(observe->run->parts[i].variations), *name;
        size_t index;
        json_array_foreach(names, index, name)
        {
            const char *text = json_string_value(name);
            json_object_set_new(all, text, observe_number(variation_count(observe, text)));
        }
        json_decref(names);
    }
    return all;
}

/* Of all that there are: those that were off in every part, and those that found no chance. */
static json_t *never_varied(const struct observe *observe)
{
    json_t *never = json_array();
    const char *name;

    for (unsigned i = 0; (name = name_by(observe->names->variation, i)) != NULL; i++) {
        if (variation_count(observe, name) == 0) {
            json_array_append_new(never, json_string(name));
        }
    }
    return never;
}

json_t *observe_coverage(struct observe *observe)
{
    static const struct {
        enum observe_cover kind;
        const char *name;
    } kinds[] = {{OBSERVE_RULES, "rules"},         {OBSERVE_KERNEL_RULES, "kernel_rules"},
                 {OBSERVE_MEMBERS, "members"},     {OBSERVE_PAGING, "paging_operations"},
                 {OBSERVE_CALLBACKS, "callbacks"}, {OBSERVE_EXPORTS, "exports"}};
    json_t *coverage = json_object(), *never = json_object(), *called = json_array();

    json_object_set_new(coverage, "ddis", things(observe, OBSERVE_DDIS, called));
    json_decref(called);
    json_object_set_new(never, "ddis", reasons(observe));
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        json_t *names = json_array();
        json_object_set_new(coverage, kinds[i].name, things(observe, kinds[i].kind, names));
        json_object_set_new(never, kinds[i].name, names);
    }
    json_object_set_new(coverage, "variations", varied(observe));
    json_object_set_new(never, "variations", never_varied(observe));
    json_object_set_new(coverage, "never_reached", never);
    return coverage;
}

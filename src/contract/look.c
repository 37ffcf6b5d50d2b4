/* Rows of data: the look at a member, a status or a pointer, and the sentence of its breach. */
#include "contract/internal.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/fill.h"
#include "machine/machine.h"

#define NUMBER_BYTES 64
#define NAME_BYTES   96

/* ---- Members --------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) uint64_t value_of(const struct contract_field *field,
                                                               const void *structure)
{
    const unsigned char *at = (const unsigned char *)structure + field->offset;
    uint64_t value = 0;

    /* Little-endian, as the driver's. Copies of a size that the compiler knows are one load. */
    switch (field->size) {
    case 8:
        memcpy(&value, at, 8);
        break;
    case 4:
        memcpy(&value, at, 4);
        break;
    default:
        CHECK_THAT(field->size <= sizeof value);
        memcpy(&value, at, field->size);
    }
    return value;
}

static void *pointer_of(const struct contract_field *field, const void *structure)
{
    return (void *)(uintptr_t)value_of(field, structure);
}

/* As a driver's author looks for it: small numbers plain, larger ones in both bases, addresses in
 * hexadecimal only. */
static const char *number_text(const struct contract_field *field, uint64_t value,
                               char text[NUMBER_BYTES])
{
    unsigned long long number = value;
    const char *fill = fill_name(value, (unsigned)field->size);

    if (fill) {
        snprintf(text, NUMBER_BYTES, "0x%llX (%s)", number, fill);
    } else if (field->pointer || value > UINT32_MAX) {
        snprintf(text, NUMBER_BYTES, number ? "0x%llX" : "NULL", number);
    } else if (value < 10) {
        snprintf(text, NUMBER_BYTES, "%llu", number);
    } else {
        snprintf(text, NUMBER_BYTES, "0x%llX (%llu)", number, number);
    }
    return text;
}

/* "PhysicalAddress" of "PhysicalAddress.QuadPart": the union's arm says nothing. */
static const char *name_text(const struct contract_field *field, char text[NAME_BYTES])
{
    static const char *const arms[] = {".QuadPart", ".Value"};
    size_t length = strlen(field->name);

    for (size_t i = 0; i < sizeof arms / sizeof arms[0]; i++) {
        size_t arm = strlen(arms[i]);
        if (length > arm && strcmp(field->name + length - arm, arms[i]) == 0) {
            length -= arm;
        }
    }
    snprintf(text, NAME_BYTES, "%.*s", (int)length, field->name);
    return text;
}

/* One look at one member. */
struct look {
    const struct contract_row *row;
    struct contract_call *call;
    const void *structure; /* that the field is in */
    unsigned element;      /* of row->what.each */
};

/* Sentences are made of breaches alone; a look that finds none touches no text. */
#define SENTENCE static __attribute__((cold, noinline)) bool

/* What was found: "pAllocationInfo[2].Size = 0, in DXGK_ALLOCATIONINFO". */
SENTENCE say(const struct look *look, const char *wanted, const char *wanted_number)
{
    const struct contract_what *what = &look->row->what;
    uint64_t value = value_of(&what->field, look->structure);
    char expected[sizeof look->call->expected], name[NAME_BYTES], number[NUMBER_BYTES], at[80];

    name_text(&what->field, name);
    number_text(&what->field, value, number);
    snprintf(expected, sizeof expected, "%s %s%s%s%s", name, wanted, wanted_number,
             what->expected ? ": " : "", what->expected ? what->expected : "");
    at[0] = '\0';
    if (what->each.elements.name) {
        snprintf(at, sizeof at, "%s[%u].", what->each.elements.name, look->element);
    }
    return contract_say(look->call, expected, "%s%s is %s, in %s", at, name, number,
                        what->structure);
}

/* The same, with the row's number behind what is wanted. */
SENTENCE say_number(const struct look *look, const char *wanted)
{
    const struct contract_what *what = &look->row->what;
    char number[NUMBER_BYTES];

    return say(look, wanted, number_text(&what->field, what->value, number));
}

/* The same of two members. */
SENTENCE say_both(const struct look *look, const char *wanted, const void *other_structure)
{
    const struct contract_what *what = &look->row->what;
    uint64_t value = value_of(&what->field, look->structure);
    uint64_t limit = value_of(&what->other, other_structure);
    char name[NAME_BYTES], other[NAME_BYTES], number[NUMBER_BYTES], other_number[NUMBER_BYTES];
    char expected[sizeof look->call->expected];

    name_text(&what->field, name);
    name_text(&what->other, other);
    snprintf(expected, sizeof expected, "%s %s %s%s%s", name, wanted, other,
             what->expected ? ": " : "", what->expected ? what->expected : "");
    return contract_say(look->call, expected, "%s is %s, %s is %s, in %s", name,
                        number_text(&what->field, value, number), other,
                        number_text(&what->other, limit, other_number), what->structure);
}

static bool look_at_two(const struct look *look)
{
    const struct contract_what *what = &look->row->what;
    const void *told = look->call->tracker;
    uint64_t value = value_of(&what->field, look->structure);

    switch (what->look) {
    case LOOK_AT_MOST_OTHER:
        return value <= value_of(&what->other, look->structure) ||
               say_both(look, "at most", look->structure);
    case LOOK_BELOW_TOLD:
        return value < value_of(&what->other, told) || say_both(look, "below", told);
    default:
        CHECK_THAT(what->look == LOOK_AT_MOST_TOLD);
        return value <= value_of(&what->other, told) || say_both(look, "at most", told);
    }
}

bool contract_are_apertures(const struct contract_tracker *tracker, uint64_t segment_set)
{
    for (unsigned id = 1; id <= CONTRACT_SEGMENTS_MAX; id++) {
        if ((segment_set >> (id - 1) & 1) &&
            (id > tracker->segment_count || !contract_is_aperture(&tracker->segments[id]))) {
            return false;
        }
    }
    return true;
}

static bool handle_is_new(const struct look *look, uint64_t value)
{
    const struct contract_what *what = &look->row->what;
    enum contract_object_kind kind = (enum contract_object_kind)what->value;
    /* Elements are not copied before the call. */
    bool given = !what->each.elements.name && value == value_of(&what->field, look->call->before);

    if (value == 0) {
        return say(look, "not NULL", "");
    }
    return (!given && !contract_object_find(look->call->tracker, kind, (HANDLE)(uintptr_t)value)) ||
           say(look,
               given ? "of the driver's own, not what it was given"
                     : "of its own, that no other object has",
               "");
}

/* ---- Handles and places ---------------------------------------------------------------------- */

static bool lives(const struct contract_call *call, uint64_t kind, HANDLE handle)
{
    return (kind == ANY_CONTEXT
                ? contract_context_find(call->tracker, handle)
                : contract_object_find(call->tracker, (enum contract_object_kind)kind, handle)) !=
           NULL;
}

static bool first_lives(const struct contract_row *row, struct contract_call *call)
{
    return lives(call, row->what.value, call->first) ||
           contract_say(call, "a handle that lives, as the driver gave it", "%p", call->first);
}

static bool handle_lives(const struct look *look, uint64_t value)
{
    const struct contract_what *what = &look->row->what;
    bool nullable = what->look == LOOK_LIVES_OR_NULL;

    return (nullable && value == 0) || lives(look->call, what->value, (HANDLE)(uintptr_t)value) ||
           say(look, nullable ? "of an object that lives, or NULL" : "of an object that lives", "");
}

SENTENCE say_segment(const struct look *look, UINT segment, uint64_t address, uint64_t size)
{
    const struct contract_what *what = &look->row->what;
    char name[NAME_BYTES], expected[sizeof look->call->expected];

    snprintf(expected, sizeof expected, "%s, with %s behind it, inside the segment",
             name_text(&what->field, name), what->other.name);
    return contract_say(look->call, expected, "%s is 0x%llX, %llu bytes, in segment %u, in %s",
                        name, (unsigned long long)address, (unsigned long long)size, segment,
                        what->structure);
}

static bool in_segment(const struct look *look, uint64_t address)
{
    const struct contract_what *what = &look->row->what;
    UINT segment = (UINT)value_of(&what->segment, look->structure);
    uint64_t size = value_of(&what->other, look->structure);

    return contract_in_segment(look->call->tracker, segment, address, size) ||
           say_segment(look, segment, address, size);
}

static bool look_at_member(const struct look *look)
{
    const struct contract_what *what = &look->row->what;
    uint64_t value = value_of(&what->field, look->structure);

    switch (what->look) {
    case LOOK_ZERO:
        return value == 0 || say(look, what->field.pointer ? "NULL" : "0", "");
    case LOOK_NOT_ZERO:
        return value != 0 || say(look, what->field.pointer ? "not NULL" : "not 0", "");
    case LOOK_IS:
        return value == what->value || say_number(look, "");
    case LOOK_ONLY_BITS:
        return (value & ~what->value) == 0 || say_number(look, "with no bit outside of ");
    case LOOK_MULTIPLE_OF:
        return value % what->value == 0 || say_number(look, "a multiple of ");
    case LOOK_POWER_OF_TWO:
        return (value & (value - 1)) == 0 || say(look, "a power of two", "");
    case LOOK_APERTURES:
        return contract_are_apertures(look->call->tracker, value) ||
               say(look, "a set of aperture segments, or 0", "");
    case LOOK_NEW_HANDLE:
        return handle_is_new(look, value);
    case LOOK_LIVES:
    case LOOK_LIVES_OR_NULL:
        return handle_lives(look, value);
    case LOOK_IN_SEGMENT:
        return in_segment(look, value);
    default:
        return look_at_two(look);
    }
}

static bool look_at_each(struct look *look)
{
    const struct contract_array *each = &look->row->what.each;
    const void *arguments = look->call->before; /* the array is where the kernel put it */
    const char *elements = pointer_of(&each->elements, arguments);
    uint64_t count = value_of(&each->count, arguments);

    if (!elements || count == 0) {
        return contract_no_case(look->call);
    }
    for (; look->element < count; look->element++) {
        look->structure = elements + (size_t)look->element * each->element_size;
        if (!look_at_member(look)) {
            return false;
        }
    }
    return true;
}

/* ---- Before and after ------------------------------------------------------------------------ */

static bool unchanged(const struct contract_row *row, struct contract_call *call)
{
    const struct contract_field *field = &row->what.field;
    uint64_t before = value_of(field, call->before), after = value_of(field, call->arguments);
    char name[NAME_BYTES], given[NUMBER_BYTES], found[NUMBER_BYTES], expected[NAME_BYTES + 32];

    if (before == after) {
        return true;
    }
    snprintf(expected, sizeof expected, "%s as it was given", name_text(field, name));
    return contract_say(call, row->what.expected ? row->what.expected : expected,
                        "the driver changed %s from %s to %s, in %s", name,
                        number_text(field, before, given), number_text(field, after, found),
                        row->what.structure);
}

/* ---- What the driver fills in ---------------------------------------------------------------- */

#define UNFILLED UINT64_C(0xA5A5A5A5A5A5A5A5)

static void put_value(const struct contract_field *field, void *structure, uint64_t value)
{
    memcpy((unsigned char *)structure + field->offset, &value, field->size);
}

uint64_t contract_is_filled(const struct contract_call *call)
{
    CHECK_THAT(!call); /* a mark */
    return 0;
}

/* Of each element bits that no answer has are set. Are they there again, or still? */
static bool stray_bits(const struct contract_row *row, const struct contract_call *call, bool sets)
{
    const struct contract_what *what = &row->what;
    char *elements = (char *)(uintptr_t)pointer_of(&what->each.elements, call->before);
    uint64_t count = elements ? value_of(&what->each.count, call->before) : 0;
    bool any = false;

    for (uint64_t i = 0; i < count; i++) {
        void *element = elements + i * what->each.element_size;
        uint64_t value = value_of(&what->field, element);
        any |= (value & what->value) != 0;
        put_value(&what->field, element, sets ? value | what->value : value & ~what->value);
    }
    return any;
}

void contract_unfill(const struct contract_row *row, struct contract_call *call)
{
    if (row->what.blank && !row->what.blank(call)) {
        return;
    }
    if (call->before && row->what.each.elements.name) {
        (void)stray_bits(row, call, true);
    } else if (call->before) {
        put_value(&row->what.field, call->arguments, UNFILLED);
    }
}

bool contract_refill(const struct contract_row *row, struct contract_call *call)
{
    const struct contract_field *field = &row->what.field;

    if (call->before && row->what.each.elements.name) {
        return stray_bits(row, call, false);
    }
    bool left =
        call->before && value_of(field, call->arguments) == UNFILLED >> (64 - 8 * field->size);

    if (left) {
        put_value(field, call->arguments, value_of(field, call->before));
    }
    return left;
}

static bool filled(const struct contract_row *row, struct contract_call *call)
{
    char name[NAME_BYTES], expected[NAME_BYTES + 64];

    if (!call->scratch) {
        return true;
    }
    if (row->what.each.elements.name) {
        return contract_say(call, "the member written, whatever it held before",
                            "bits that stood in %s of %s before the call stand there still: it was "
                            "left as it was, or what the driver says was or-ed into it",
                            row->what.field.name, row->what.structure);
    }
    snprintf(expected, sizeof expected, "%s filled in, where the answer is a success",
             name_text(&row->what.field, name));
    return contract_say(call, expected, "it answered %s and left %s as it was, in %s",
                        status_name(call->status), name, row->what.structure);
}

static bool pointer_within(const struct contract_row *row, struct contract_call *call)
{
    const struct contract_what *what = &row->what;
    const char *from = pointer_of(&what->field, call->before);
    uint64_t moved = contract_moved(from, pointer_of(&what->field, call->arguments));
    uint64_t count = value_of(&what->other, call->before);
    char expected[sizeof call->expected], number[NUMBER_BYTES], unit[32];

    if (moved <= count * what->value && moved % what->value == 0) {
        return true;
    }
    snprintf(unit, sizeof unit, what->value > 1 ? "elements of %llu bytes" : "bytes",
             (unsigned long long)what->value);
    snprintf(expected, sizeof expected, "%s one past the last that was used, at most %s %s on",
             what->field.name, what->other.name, what->value > 1 ? "elements" : "bytes");
    return contract_say(call, expected, "%s moved by %lld bytes; %s is %s %s, in %s",
                        what->field.name, (long long)moved, what->other.name,
                        number_text(&what->other, count, number), unit, what->structure);
}

static bool untouched_behind(const struct contract_row *row, struct contract_call *call)
{
    const struct contract_what *what = &row->what;
    unsigned char *end = pointer_of(&what->field, call->before);
    char expected[sizeof call->expected];

    if (!end) {
        return contract_no_case(call);
    }
    end += value_of(&what->other, call->before) * what->value;
    if (contract_canary_intact(end)) {
        return true;
    }
    size_t at = contract_canary_kept(end);
    call->overwritten = end;
    snprintf(expected, sizeof expected, "writes inside the %s %s of %s", what->other.name,
             what->value > 1 ? "elements" : "bytes", what->field.name);
    return contract_say(call, expected, "byte %zu behind the end of %s was written, in %s", at,
                        what->field.name, what->structure);
}

/* The end of what the row's pointer was given for; NULL: the row is another one, or has no end. */
static const unsigned char *end_given(const struct contract_row *row,
                                      const struct contract_call *call)
{
    const struct contract_what *what = &row->what;

    if (row->point != call->point || row->moment != MOMENT_AFTER ||
        what->look != LOOK_UNTOUCHED_BEHIND || !pointer_of(&what->field, call->before)) {
        return NULL;
    }
    return (const unsigned char *)pointer_of(&what->field, call->before) +
           value_of(&what->other, call->before) * what->value;
}

bool contract_write_behind(const struct contract_call *call, const void *address,
                           struct contract_finding *out, const char **member)
{
    uintptr_t nearest = 2 * MACHINE_PAGE_SIZE; /* the rest of the page, and the one behind it */
    const struct contract_row *row, *found = NULL;

    for (unsigned i = 0; call->before && (row = contract_row_at(i)) != NULL; i++) {
        const unsigned char *end = end_given(row, call);
        if (end && (uintptr_t)address - (uintptr_t)end < nearest) {
            nearest = (uintptr_t)address - (uintptr_t)end;
            found = row;
        }
    }
    if (!found) {
        return false;
    }
    *out = (struct contract_finding){
        .rule = found->rule,
        .object = call->object,
        .ddi = contract_point_info(call->point)->name,
        .bugcheck = found->what.bugcheck,
        .bugcheck_arguments = {found->what.bugcheck_sub, (uintptr_t)address},
        .fatal = true,
    };
    *member = found->what.field.name;
    return true;
}

/* ---- Status and level ------------------------------------------------------------------------ */

/* "STATUS_SUCCESS", or "SUCCESS, NO_MEMORY or INVALID_HANDLE". */
static void name_statuses(const struct contract_what *what, char *text, size_t size)
{
    static const char prefix[] = "STATUS_";
    size_t used = 0;

    if (what->status_count == 1) {
        snprintf(text, size, "%s", status_name(what->statuses[0]));
        return;
    }
    for (unsigned i = 0; i < what->status_count && used < size; i++) {
        const char *name = status_name(what->statuses[i]);
        const char *glue = i == 0 ? "" : i + 1 == what->status_count ? " or " : ", ";
        name += strncmp(name, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
        used += (size_t)snprintf(text + used, size - used, "%s%s", glue, name);
    }
}

SENTENCE say_status(const struct contract_row *row, struct contract_call *call, const char *wanted)
{
    const struct contract_what *what = &row->what;
    bool both = wanted[0] && what->expected;
    char expected[sizeof call->expected], name[NAME_BYTES], number[NUMBER_BYTES];

    snprintf(expected, sizeof expected, "%s%s%s", wanted, both ? ": " : "",
             what->expected ? what->expected : "");
    if (!what->field.name) {
        return contract_say(call, expected, "%s", status_name(call->status));
    }
    uint64_t value = value_of(&what->field, call->before);
    const char *value_name = what->name_of ? what->name_of((unsigned)value) : NULL;
    return contract_say(call, expected, "%s, with %s %s", status_name(call->status),
                        name_text(&what->field, name),
                        value_name ? value_name : number_text(&what->field, value, number));
}

static bool status_is_in(const struct contract_row *row, struct contract_call *call)
{
    char wanted[sizeof call->expected];
    bool listed = false;

    for (unsigned i = 0; i < row->what.status_count; i++) {
        listed |= call->status == row->what.statuses[i];
    }
    if (listed != row->what.statuses_refused) {
        return true;
    }
    name_statuses(&row->what, wanted, sizeof wanted);
    return say_status(row, call, row->what.statuses_refused ? "" : wanted);
}

static const char *level_text(uint64_t level)
{
    static const char *const names[] = {"PASSIVE_LEVEL", "APC_LEVEL", "DISPATCH_LEVEL"};

    return level < sizeof names / sizeof names[0] ? names[level] : "device IRQL";
}

static bool irql_is(const struct contract_row *row, struct contract_call *call)
{
    bool exactly = row->what.look == LOOK_IRQL_IS;
    char expected[48];

    if (exactly ? call->irql == row->what.value : call->irql <= row->what.value) {
        return true;
    }
    snprintf(expected, sizeof expected, "a call at %s%s", level_text(row->what.value),
             exactly || row->what.value == MACHINE_IRQL_PASSIVE ? "" : " or below");
    return contract_say(call, expected, "IRQL %u", call->irql);
}

/* Some rows of data that find nothing. False: it is to be looked at closer. */
static inline bool is_plainly_kept(const struct contract_what *what,
                                   const struct contract_call *call)
{
    if (what->each.elements.name) {
        return false;
    }
    switch (what->look) {
    case LOOK_ZERO:
        return value_of(&what->field, call->arguments) == 0;
    case LOOK_NOT_ZERO:
        return value_of(&what->field, call->arguments) != 0;
    case LOOK_AT_MOST_OTHER:
        return value_of(&what->field, call->arguments) <= value_of(&what->other, call->arguments);
    case LOOK_BELOW_TOLD:
        return value_of(&what->field, call->arguments) < value_of(&what->other, call->tracker);
    default:
        return false;
    }
}

bool contract_look(const struct contract_row *row, struct contract_call *call)
{
    struct look look;

    switch (row->what.look) {
    case LOOK_CHECK:
        return row->what.check(call);
    case LOOK_STATUS:
        return status_is_in(row, call);
    case LOOK_SUCCESS:
        return has_succeeded(call) || say_status(row, call, "STATUS_SUCCESS");
    case LOOK_IRQL_IS:
    case LOOK_IRQL_AT_MOST:
        return irql_is(row, call);
    case LOOK_UNCHANGED:
        return unchanged(row, call);
    case LOOK_FILLED:
        return filled(row, call);
    case LOOK_SAME_VALUE:
        return row->what.remember(call) == call->scratch ||
               contract_say(call, row->what.expected, "%s", row->what.actual);
    case LOOK_POINTER_WITHIN:
        return pointer_within(row, call);
    case LOOK_UNTOUCHED_BEHIND:
        return untouched_behind(row, call);
    case LOOK_NO_REGISTERS:
        return call->register_accesses == 0 ||
               contract_say(call, row->what.expected ? row->what.expected : "no register access",
                            "%llu register accesses in the call",
                            (unsigned long long)call->register_accesses);
    case LOOK_LIVES:
        if (!row->what.field.name) {
            return first_lives(row, call);
        }
        /* fall through */
    default:
        if (is_plainly_kept(&row->what, call)) {
            return true;
        }
        look = (struct look){.row = row, .call = call, .structure = call->arguments};
        return row->what.each.elements.name ? look_at_each(&look) : look_at_member(&look);
    }
}

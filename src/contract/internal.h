/* What the files of contract/ share: the generated table, and the words that rows are written in.
 *
 * A row says where it stands, whom it judges, and what it looks at:
 *
 *     KERNEL(SUBMIT_047, SubmitCommand, FIELD_ZERO(DXGKARG_SUBMITCOMMAND, EngineOrdinal)),
 *     AFTER(SUBMIT_003, SubmitCommand, STATUS_IN(STATUS_SUCCESS), STOPS(0x119, 2)),
 *     AFTER(ALLOC_004, CreateAllocation, EACH_ALLOCATION,
 *           FIELD_NOT_ZERO(DXGK_ALLOCATIONINFO, Size), WHEN(has_succeeded)),
 *     BEFORE(INT_003, CbNotifyInterrupt, dma_notices_first),
 *
 * Facts about one member, a status, a pointer that the driver moves on are data, and look.c makes
 * the sentence of a breach of them. A function (the last row) stands only where there is something
 * to compute. WHEN, OPERATION and FEATURE say which calls the rule speaks of: others are not
 * counted as looks at it. LEAVES_OUT says what of the rule's text the row does not judge. */
#ifndef CONTRACT_INTERNAL_H
#define CONTRACT_INTERNAL_H

#include "contract/contract.h"
#include "contract/tracker.h"

extern const struct contract_rule_info contract_rules[CONTRACT_RULE_COUNT];

/* ---- Rows: where and whom -------------------------------------------------------------------- */

typedef bool contract_check_fn(struct contract_call *call);
typedef bool contract_when_fn(const struct contract_call *call);
typedef uint64_t contract_value_fn(const struct contract_call *call);

#define CONTRACT_NO_FEATURE 0

/* In place of an operation of paging that no page knows. */
#define CONTRACT_OPERATION_OTHER 31

enum contract_moment { MOMENT_BEFORE, MOMENT_AFTER };

enum contract_look {
    LOOK_CHECK, /* asks the row's function */
    LOOK_STATUS,
    LOOK_SUCCESS,
    LOOK_IRQL_IS,
    LOOK_IRQL_AT_MOST,
    LOOK_ZERO,
    LOOK_NOT_ZERO,
    LOOK_IS,
    LOOK_ONLY_BITS,
    LOOK_MULTIPLE_OF,
    LOOK_POWER_OF_TWO,
    LOOK_APERTURES,
    LOOK_NEW_HANDLE,
    LOOK_LIVES,
    LOOK_LIVES_OR_NULL,
    LOOK_IN_SEGMENT,
    LOOK_AT_MOST_OTHER,
    LOOK_AT_MOST_TOLD,
    LOOK_BELOW_TOLD,
    LOOK_UNCHANGED,
    LOOK_FILLED,
    LOOK_SAME_VALUE,
    LOOK_POINTER_WITHIN,
    LOOK_UNTOUCHED_BEHIND,
    LOOK_NO_REGISTERS,
};

/* A member of a structure; of one that is a pointer the address counts. */
struct contract_field {
    const char *name; /* NULL: none */
    uint32_t offset;
    uint8_t size;
    bool pointer;
};

/* An array that hangs off the arguments; the row looks at each of its elements. */
struct contract_array {
    struct contract_field elements, count;
    uint16_t element_size; /* of what is looked at; 0: there is no array */
};

struct contract_row {
    enum contract_rule rule;
    enum contract_point point;
    enum contract_moment moment;
    enum contract_duty judges; /* the kernel: a breach is our own fault */
    struct contract_what {
        contract_check_fn *check; /* first: a row may name it without more words */
        enum contract_look look;
        const char *structure; /* of the field */
        struct contract_field field, other, segment;
        struct contract_array each;
        uint64_t value;
        const NTSTATUS *statuses;
        const char *(*name_of)(unsigned value); /* of what ABOUT names; NULL: its number */
        unsigned status_count;
        bool statuses_refused;
        contract_when_fn *when;      /* NULL: every call */
        contract_when_fn *blank;     /* of FILLED: where the member tells nothing; NULL: always */
        uint32_t operations;         /* of paging that it speaks of, as bits; 0: all */
        uint16_t feature;            /* place in struct abi_features, counted from 1 */
        contract_value_fn *remember; /* asked before the call; the row finds it in call->scratch */
        const char *expected;        /* of a sentence that is made: the meaning, in words */
        const char *actual;          /* of LOOK_SAME_VALUE */
        const char *leaves_out;      /* of the rule's text */
        uint32_t bugcheck;           /* as Windows would show it; 0: none, the run goes on */
        uint64_t bugcheck_sub;       /* its first parameter */
        bool ends_start;             /* an adapter that breaks the rule cannot be started */
        bool advises;                /* this part of the rule is advice */
    } what;
};

/* One family's rows; `rows` of all families make the table. */
struct contract_family {
    const struct contract_row *rows;
    unsigned count;
};

/* Each family's file defines one of these. */
#define CONTRACT_FAMILIES(FAMILY)                               \
    FAMILY(submit)                                              \
    FAMILY(interrupt)                                           \
    FAMILY(vsync)                                               \
    FAMILY(dpc)                                                 \
    FAMILY(paging)                                              \
    FAMILY(render)                                              \
    FAMILY(gdi)                                                 \
    FAMILY(present)                                             \
    FAMILY(objects)                                             \
    FAMILY(caps)                                                \
    FAMILY(compute)                                             \
    FAMILY(spaces)                                              \
    FAMILY(adapter)                                             \
    FAMILY(recovery)                                            \
    FAMILY(display)                                             \
    FAMILY(events)                                              \
    FAMILY(queues)                                              \
    FAMILY(planes)                                              \
    FAMILY(overlays)                                            \
    FAMILY(power)                                               \
    FAMILY(features)                                            \
    FAMILY(fences)                                              \
    FAMILY(doorbells)                                           \
    /* The kernel's own duties: what it hands to the driver. */ \
    FAMILY(kernel_call)                                         \
    FAMILY(kernel_submit)                                       \
    FAMILY(kernel_patch)                                        \
    FAMILY(kernel_paging)                                       \
    FAMILY(kernel_apertures)                                    \
    FAMILY(kernel_host)                                         \
    FAMILY(kernel_contexts)                                     \
    FAMILY(kernel_ranges)                                       \
    FAMILY(kernel_render)                                       \
    FAMILY(kernel_gdi)                                          \
    FAMILY(kernel_present)                                      \
    FAMILY(kernel_objects)                                      \
    FAMILY(kernel_adapter)                                      \
    FAMILY(kernel_spaces)                                       \
    FAMILY(kernel_validate)                                     \
    FAMILY(kernel_tables)                                       \
    FAMILY(kernel_table_places)                                 \
    FAMILY(kernel_notices)                                      \
    FAMILY(kernel_mmus)                                         \
    FAMILY(kernel_queues)                                       \
    FAMILY(kernel_planes)                                       \
    FAMILY(kernel_overlays)                                     \
    FAMILY(kernel_fences)                                       \
    FAMILY(kernel_doorbells)

#define FAMILY(name) extern const struct contract_family contract_family_##name;
CONTRACT_FAMILIES(FAMILY)
#undef FAMILY

#define FAMILY_OF(rows_array)                                    \
    {                                                            \
        rows_array, sizeof(rows_array) / sizeof((rows_array)[0]) \
    }

#define CONTRACT_ROW(rule_name, point_name, row_moment, duty, ...) \
    {                                                              \
        RULE_##rule_name, POINT_##point_name, row_moment, duty,    \
        {                                                          \
            __VA_ARGS__                                            \
        }                                                          \
    }
#define BEFORE(rule_name, point_name, ...) \
    CONTRACT_ROW(rule_name, point_name, MOMENT_BEFORE, CONTRACT_DRIVER, __VA_ARGS__)
#define AFTER(rule_name, point_name, ...) \
    CONTRACT_ROW(rule_name, point_name, MOMENT_AFTER, CONTRACT_DRIVER, __VA_ARGS__)
/* A duty of the kernel, seen in what it gives the driver. */
#define KERNEL(rule_name, point_name, ...) \
    CONTRACT_ROW(rule_name, point_name, MOMENT_BEFORE, CONTRACT_KERNEL, __VA_ARGS__)
#define KERNEL_AFTER(rule_name, point_name, ...) \
    CONTRACT_ROW(rule_name, point_name, MOMENT_AFTER, CONTRACT_KERNEL, __VA_ARGS__)

/* ---- Rows: what they look at ----------------------------------------------------------------- */

#define CONTRACT_POINTER_CLASS 5 /* of __builtin_classify_type */
#define CONTRACT_FIELD(type, member)                                               \
    {                                                                              \
#member, offsetof(type, member), sizeof(((type *)0)->member),              \
            __builtin_classify_type(((type *)0)->member) == CONTRACT_POINTER_CLASS \
    }
#define CONTRACT_LOOK_AT(row_look, type, member) \
    .look = row_look, .structure = #type, .field = CONTRACT_FIELD(type, member)

/* The call's status is one of these. */
#define STATUS_IN(...)                                                \
    .look = LOOK_STATUS, .statuses = (const NTSTATUS[]){__VA_ARGS__}, \
    .status_count = sizeof((const NTSTATUS[]){__VA_ARGS__}) / sizeof(NTSTATUS)
/* The call's status is none of these; SAYS has what is expected. */
#define STATUS_NOT_IN(...) STATUS_IN(__VA_ARGS__), .statuses_refused = true
/* The member that tells calls of the kind apart: "STATUS_NOT_SUPPORTED, with Operation 3". */
#define ABOUT(type, member) .structure = #type, .field = CONTRACT_FIELD(type, member)
/* Its value has a name. */
#define NAMED_BY(function) .name_of = function
/* It did not fail. */
#define SUCCEEDS .look = LOOK_SUCCESS
/* Of a DDI the level the driver is called at, of a callback the level it calls at. */
#define IRQL_IS(level)      .look = LOOK_IRQL_IS, .value = (level)
#define IRQL_AT_MOST(level) .look = LOOK_IRQL_AT_MOST, .value = (level)

#define FIELD_ZERO(type, member)       CONTRACT_LOOK_AT(LOOK_ZERO, type, member)
#define FIELD_NOT_ZERO(type, member)   CONTRACT_LOOK_AT(LOOK_NOT_ZERO, type, member)
#define FIELD_IS(type, member, wanted) CONTRACT_LOOK_AT(LOOK_IS, type, member), .value = (wanted)
#define FIELD_ONLY_BITS(type, member, mask) \
    CONTRACT_LOOK_AT(LOOK_ONLY_BITS, type, member), .value = (mask)
#define FIELD_MULTIPLE_OF(type, member, unit) \
    CONTRACT_LOOK_AT(LOOK_MULTIPLE_OF, type, member), .value = (unit)
#define FIELD_POWER_OF_TWO(type, member) CONTRACT_LOOK_AT(LOOK_POWER_OF_TWO, type, member)
/* A set of segments (bit n - 1: segment n) names apertures only. */
#define FIELD_APERTURES(type, member) CONTRACT_LOOK_AT(LOOK_APERTURES, type, member)
/* A handle that the driver chose: not NULL, not what it was given, not that of another object. */
#define FIELD_NEW_HANDLE(type, member, kind) \
    CONTRACT_LOOK_AT(LOOK_NEW_HANDLE, type, member), .value = (kind)
/* The handle of an object that lives: the driver gave it, and the kernel did not destroy it. */
#define FIELD_LIVES(type, member, kind) CONTRACT_LOOK_AT(LOOK_LIVES, type, member), .value = (kind)
#define FIELD_LIVES_OR_NULL(type, member, kind) \
    CONTRACT_LOOK_AT(LOOK_LIVES_OR_NULL, type, member), .value = (kind)
/* The same of the handle that the DDI takes besides its structure. */
#define HANDLE_LIVES(kind) .look = LOOK_LIVES, .value = (kind)
/* Beside TRACKED_CONTEXT: for drivers without contexts it is the device that has one. */
#define ANY_CONTEXT 0
/* [member, member + size) lies in the segment; in system memory, if that is 0. */
#define FIELD_IN_SEGMENT(type, member, segment_member, size_member) \
    CONTRACT_LOOK_AT(LOOK_IN_SEGMENT, type, member),                \
        .segment = CONTRACT_FIELD(type, segment_member),            \
        .other = CONTRACT_FIELD(type, size_member)
#define FIELD_AT_MOST_OTHER(type, member, other_member) \
    CONTRACT_LOOK_AT(LOOK_AT_MOST_OTHER, type, member), .other = CONTRACT_FIELD(type, other_member)
/* At most what a member of the tracker says. */
#define FIELD_AT_MOST_TOLD(type, member, tracker_member) \
    CONTRACT_LOOK_AT(LOOK_AT_MOST_TOLD, type, member),   \
        .other = CONTRACT_FIELD(struct contract_tracker, tracker_member)
#define FIELD_BELOW_TOLD(type, member, tracker_member) \
    CONTRACT_LOOK_AT(LOOK_BELOW_TOLD, type, member),   \
        .other = CONTRACT_FIELD(struct contract_tracker, tracker_member)
/* The driver leaves it as it was given. */
#define FIELD_UNCHANGED(type, member) CONTRACT_LOOK_AT(LOOK_UNCHANGED, type, member)
/* The driver gives it a value. It holds what nobody would say until then, and what it was given
 * with again where the driver leaves it alone. */
#define FILLED(type, member) \
    CONTRACT_LOOK_AT(LOOK_FILLED, type, member), .remember = contract_is_filled
/* The same of a member that tells the driver something in other calls. */
#define FILLED_WHERE(type, member, function) FILLED(type, member), .blank = (function)
/* The same of each element of an EACH: the bits, which mean nothing there, are set until then, and
 * taken away behind the call. What the driver writes is as it wrote it. */
#define FILLED_OVER(type, member, bits) FILLED(type, member), .value = (bits)
/* The driver moves the pointer on, by at most so many units of so many bytes. */
#define POINTER_WITHIN(type, pointer, count, unit)                                              \
    CONTRACT_LOOK_AT(LOOK_POINTER_WITHIN, type, pointer), .other = CONTRACT_FIELD(type, count), \
                                                          .value = (unit)
/* Nothing is written behind what the pointer was given for. NULL has no end. */
#define UNTOUCHED_BEHIND(type, pointer, count, unit)                                              \
    CONTRACT_LOOK_AT(LOOK_UNTOUCHED_BEHIND, type, pointer), .other = CONTRACT_FIELD(type, count), \
                                                            .value = (unit)
/* What the function computes (a hash of bytes) is the same before and after the call. */
#define SAME_AFTER(function, expected_text, actual_text) \
    .look = LOOK_SAME_VALUE, .remember = function, .expected = expected_text, .actual = actual_text

/* The driver reads and writes no register in the call; interrupts that come meanwhile may. */
#define NO_REGISTERS .look = LOOK_NO_REGISTERS

/* Of an array of the arguments, whose elements the FIELD_ word of the row names. */
#define EACH(type, array, count_member, element) \
    .each = {CONTRACT_FIELD(type, array), CONTRACT_FIELD(type, count_member), sizeof(element)}
/* An element that has no members: a list of handles. */
#define ELEMENT_LIVES(kind)                                                                    \
    .look = LOOK_LIVES, .structure = "the list", .field = {"handle", 0, sizeof(HANDLE), true}, \
    .value = (kind)

/* ---- Rows: when, and what follows ------------------------------------------------------------ */

#define WHEN(function) .when = function
/* The same of BuildPagingBuffer by what it is asked for: others do not come to the row at all. */
#define OPERATION(name)         .operations = CONTRACT_OPERATION(name)
#define OPERATIONS(name, other) .operations = CONTRACT_OPERATION(name) | CONTRACT_OPERATION(other)
/* All but these, and those that nobody knows. */
#define OPERATIONS_BUT(first, second, third) \
    .operations =                            \
        ~(CONTRACT_OPERATION(first) | CONTRACT_OPERATION(second) | CONTRACT_OPERATION(third))
#define CONTRACT_OPERATION(name) (1u << DXGK_OPERATION_##name)
/* Of adapters alone whose version and caps give them this; a bool of struct abi_features. */
#define FEATURE(name)       .feature = offsetof(struct abi_features, name) + 1
#define REMEMBERS(function) .remember = function
/* What the member is, for the sentence. */
#define SAYS(text)       .expected = text
#define LEAVES_OUT(text) .leaves_out = text
/* The breach is a bug check on Windows: it ends the run. */
#define STOPS(code, sub) .bugcheck = code, .bugcheck_sub = sub
/* The start of the adapter fails: contract_refusal() has the sentence. */
#define ENDS_START .ends_start = true
/* Told and not counted, though the rule's other rows are breaches. */
#define ADVISES .advises = true

/* track_caps.c: QueryAdapterInfo answered PHYSICALADAPTERCAPS. */
bool contract_physical_answered(const struct contract_call *call);

/* The adapter's version and caps give it what rows of that FEATURE speak of. */
static inline bool contract_has_feature(const struct contract_tracker *tracker, uint16_t feature)
{
    return feature == CONTRACT_NO_FEATURE || ((const bool *)&tracker->features)[feature - 1];
}

/* look.c, of rows that say FILLED: before the call, right after it (was it left alone?), and the
 * mark by which they are known, which is never asked. */
void contract_unfill(const struct contract_row *row, struct contract_call *call);
bool contract_refill(const struct contract_row *row, struct contract_call *call);
uint64_t contract_is_filled(const struct contract_call *call);

/* A row of data: look.c. The row applies to the call. */
bool contract_look(const struct contract_row *row, struct contract_call *call);

bool contract_are_apertures(const struct contract_tracker *tracker, uint64_t segment_set);

/* All rows, family by family; NULL past the last. */
const struct contract_row *contract_row_at(unsigned index);

/* ---- Common to checks ------------------------------------------------------------------------ */

/* Did the driver do it? One code tells by its number of a success and means a refusal. */
static inline bool has_succeeded(const struct contract_call *call)
{
    return NT_SUCCESS(call->status) && call->status != STATUS_GRAPHICS_DRIVER_MISMATCH;
}

/* What a driver answers that was told that its device is gone is its own matter. */
static inline bool has_device(const struct contract_call *call)
{
    return !call->tracker->removed && !call->tracker->removing;
}

/* Of QueryInterface: is it asked for the interface of features? */
bool contract_is_feature_query(const struct contract_call *call);

/* How far a DDI moved a pointer on; one that went back comes out as more than any buffer holds. */
static inline uint64_t contract_moved(const void *from, const void *to)
{
    return (uint64_t)((uintptr_t)to - (uintptr_t)from);
}

/* What the kernel keeps behind every buffer it hands out: contract_canary_write(). */
bool contract_canary_intact(const void *end);
/* How many bytes of the canary are as they were written: where they were not, the first that is
 * another one. */
size_t contract_canary_kept(const void *end);

uint64_t contract_hash(const void *bytes, size_t size);

/* Keeps the tracker up to date; runs after the rows of a point, at each moment: rows see what was
 * so before the call, and before its answer. */
void contract_follow(struct contract_call *call, enum contract_moment moment);

#endif

/* Counts what a call's arguments reach, and notes what could be reached. See cover.h. */
#include "contract/cover.h"

#include <string.h>

#include "base/check.h"
#include "base/record.h"
#include "contract/internal.h"

_Static_assert(POINT_DDI_COUNT <= RECORD_DDI_MAX, "the record has a place for each DDI");
_Static_assert(POINT_DriverEntry - POINT_FIRST_CALLBACK <= RECORD_CALLBACK_MAX,
               "the record has a place for each callback");
_Static_assert(CONTRACT_OPERATION_COUNT <= RECORD_PAGING_MAX,
               "the record has a place for each operation");

static const struct {
    const char *name;
    enum abi_version since;
} operations[CONTRACT_OPERATION_COUNT] = {
#define X(operation, first) [operation] = {#operation, ABI_##first},
    ABI_PAGING_OPERATIONS(X)
#undef X
};

/* ---- What is reached ------------------------------------------------------------------------- */

static inline void count_rows(struct contract_member_list list, const unsigned char *bytes,
                              struct record_reach *members)
{
    const struct contract_member_row *row = &contract_member_rows[list.first];

    for (const struct contract_member_row *end = row + list.count; row < end; row++) {
        uint64_t value;
        memcpy(&value, bytes + row->offset, sizeof value);
        bool tells = ((value & row->mask) == 0) == row->of_zero;
        if (!tells) {
            row += row->skip;
        } else if (row->skip == 0) {
            members[row->member].count++;
        }
    }
}

static void count_operation(const DXGKARG_BUILDPAGINGBUFFER *paging, struct record_header *header)
{
    unsigned operation = (unsigned)paging->Operation;

    if (operation < CONTRACT_OPERATION_COUNT) {
        header->paging[operation].count++;
        count_rows(contract_operation_lists[operation], (const unsigned char *)paging,
                   header->members);
    }
}

void contract_cover_arguments(const struct contract_call *call)
{
    struct contract_member_list list = contract_member_lists[call->point];
    struct record *record;

    if (list.count == 0 || (record = record_current()) == NULL) {
        return;
    }
    count_rows(list, call->arguments, record_header(record)->members);
    if (call->point == POINT_BuildPagingBuffer) {
        count_operation(call->arguments, record_header(record));
    }
}

void contract_cover_watched(void)
{
    static const struct {
        enum contract_rule rule;
        enum contract_point point;
    } watched[] = {{RULE_SUBMIT_002, POINT_SubmitCommand},
                   {RULE_FLIP_002, POINT_SetVidPnSourceAddress},
                   {RULE_INT_021, POINT_InterruptRoutine}};
    struct record *record = record_current();

    for (size_t i = 0; record && i < sizeof watched / sizeof watched[0]; i++) {
        struct record_header *header = record_header(record);
        header->rule_checks[RECORD_DRIVER][watched[i].rule] += header->ddi[watched[i].point].calls;
    }
}

/* ---- What could be --------------------------------------------------------------------------- */

/* Operations of the second model, and those of features that the driver has to ask for. */
static bool has_operation(const struct contract_tracker *tracker, unsigned operation)
{
    switch (operation) {
    case DXGK_OPERATION_READ_PHYSICAL:
    case DXGK_OPERATION_WRITE_PHYSICAL:
        return contract_has_chipset_segment(tracker);
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
        return !tracker->features.wddm2 && tracker->caps.NumberOfSwizzlingRanges > 0 &&
               tracker->has[POINT_AcquireSwizzlingRange];
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
        return !tracker->features.address_lists;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
        return tracker->features.address_lists;
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
    case DXGK_OPERATION_VIRTUAL_FILL:
        return tracker->features.virtual_addressing && !contract_shares_addresses(tracker);
    case DXGK_OPERATION_MAP_MMU:
    case DXGK_OPERATION_UNMAP_MMU:
        return tracker->device_mmus.count > 0;
    case DXGK_OPERATION_NOTIFY_RESIDENCY2:
        return tracker->device_mmus.asked && tracker->features.virtual_addressing;
    case DXGK_OPERATION_NOTIFY_FENCE_RESIDENCY:
        return tracker->features.native_fences;
    case DXGK_OPERATION_NOTIFY_RESIDENCY:
        return !tracker->device_mmus.asked && tracker->features.wddm2;
    default:
        return abi_features_have(&tracker->features, operations[operation].since);
    }
}

static void note_calls(const struct contract_tracker *tracker, struct record_header *header)
{
    bool pages = tracker->has[POINT_BuildPagingBuffer];

    for (unsigned i = 0; i < POINT_DDI_COUNT; i++) {
        header->ddi[i].registered = tracker->has[i];
    }
    for (unsigned i = POINT_FIRST_CALLBACK; i < POINT_DriverEntry; i++) {
        header->callbacks[i - POINT_FIRST_CALLBACK].could = abi_features_have_slot(
            &tracker->features, contract_point_info((enum contract_point)i)->since);
    }
    for (unsigned i = 0; i < CONTRACT_OPERATION_COUNT; i++) {
        header->paging[i].could = pages && has_operation(tracker, i);
    }
}

static void note_members(const struct contract_tracker *tracker, struct record_header *header)
{
    CHECK_THAT(contract_member_count <= RECORD_MEMBERS_MAX);
    for (unsigned i = 0; i < contract_member_count; i++) {
        const struct contract_member *member = &contract_members[i];
        header->members[i].could =
            tracker->has[member->point] && abi_features_have(&tracker->features, member->since) &&
            (member->operation < 0 || has_operation(tracker, (unsigned)member->operation));
    }
}

static bool has_point(const struct contract_tracker *tracker, enum contract_point point)
{
    if (point < POINT_DDI_COUNT) {
        return tracker->has[point];
    }
    return abi_features_have_slot(&tracker->features, contract_point_info(point)->since);
}

/* Rules that are judged outside the door speak of the call that their text names. */
static bool has_call_of(const struct contract_tracker *tracker, enum contract_rule rule)
{
    for (unsigned i = 0; i < POINT_DDI_COUNT; i++) {
        if (strcmp(contract_point_info((enum contract_point)i)->name, contract_rules[rule].ddi) ==
            0) {
            return tracker->has[i];
        }
    }
    return true;
}

static void note_rules(const struct contract_tracker *tracker, struct record_header *header)
{
    uint8_t with_row[RECORD_JUDGED_COUNT][CONTRACT_RULE_COUNT] = {{0}};
    const struct contract_row *row;

    memset(header->rule_applies, 0, sizeof header->rule_applies);
    for (unsigned i = 0; (row = contract_row_at(i)) != NULL; i++) {
        unsigned who = row->judges == CONTRACT_KERNEL ? RECORD_KERNEL : RECORD_DRIVER;
        with_row[who][row->rule] = true;
        header->rule_applies[who][row->rule] |=
            has_point(tracker, row->point) && contract_has_feature(tracker, row->what.feature);
    }
    for (unsigned i = 0; i < CONTRACT_RULE_COUNT; i++) {
        unsigned judged = contract_rule_judged((enum contract_rule)i);
        bool has = has_call_of(tracker, (enum contract_rule)i);
        for (unsigned who = 0; who < RECORD_JUDGED_COUNT; who++) {
            unsigned duty = who == RECORD_KERNEL ? CONTRACT_KERNEL : CONTRACT_DRIVER;
            header->rule_applies[who][i] |= (judged & duty) && !with_row[who][i] && has;
        }
    }
}

void contract_cover_note(const struct contract_tracker *tracker)
{
    struct record *record = record_current();

    if (record) {
        note_calls(tracker, record_header(record));
        note_members(tracker, record_header(record));
        note_rules(tracker, record_header(record));
    }
}

/* ---- Names ----------------------------------------------------------------------------------- */

const char *contract_member_name(unsigned member)
{
    return member < contract_member_count ? contract_members[member].name : NULL;
}

const char *contract_operation_name(unsigned operation)
{
    return operation < CONTRACT_OPERATION_COUNT
               ? operations[operation].name + strlen("DXGK_OPERATION_")
               : NULL;
}

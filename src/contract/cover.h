/* cover: what a run reached of what a driver and its version have.
 *
 *     contract_member_lists[point] ── rows ── contract_cover_arguments() ── record: members, paging
 *     tracker made, caps answered ─────────── contract_cover_note() ─────── record: what could be
 *
 * A member counts when it had a value that tells something: a flag that is set, an offset that is
 * not 0, a handle that is NULL where a page gives NULL a meaning. The rows are made by
 * tools/contract/members.py: a load, a mask, a compare, an addition each, so that submissions do
 * not feel it. */
#ifndef CONTRACT_COVER_H
#define CONTRACT_COVER_H

#include "contract/contract.h"

/* One row that is counted, by its number in the record. */
struct contract_member {
    const char *name;          /* "SUBMITCOMMAND.Flags.Paging" */
    enum contract_point point; /* whose arguments it stands in */
    int operation;             /* of paging; -1: all */
    enum abi_version since;
};

/* Eight bytes of the arguments and those bits that count. With `skip` it counts nothing: it leaves
 * out so many rows, the flags of a word that is 0. */
struct contract_member_row {
    uint64_t mask;
    uint16_t offset, member;
    uint8_t skip;
    bool of_zero; /* 0 is what tells */
};

struct contract_member_list {
    uint16_t first, count; /* rows */
};

#define CONTRACT_OPERATION_COUNT 23

extern const struct contract_member contract_members[];
extern const unsigned contract_member_count;
extern const struct contract_member_row contract_member_rows[];
extern const struct contract_member_list contract_member_lists[POINT_COUNT];
extern const struct contract_member_list contract_operation_lists[CONTRACT_OPERATION_COUNT];

/* Before the driver runs. */
void contract_cover_arguments(const struct contract_call *call);
/* Says what this driver could reach: by what it registered, and its caps as soon as they are known.
 */
void contract_cover_note(const struct contract_tracker *tracker);

#endif

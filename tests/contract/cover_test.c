/* What coverage counts of a call's arguments, and what it says could be reached. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/record.h"
#include "contract/cover.h"

#define WIN8   0x300E
#define WIN7   0x2005
#define WDDM20 0x5023

static int set_up(void **state)
{
    struct record *record = record_create(1024, 4096);

    assert_non_null(record);
    record_attach(record);
    *state = record;
    return 0;
}

static int tear_down(void **state)
{
    record_destroy(*state);
    return 0;
}

static const struct record_reach *member(struct record *record, const char *name)
{
    const char *found;

    for (unsigned i = 0; (found = contract_member_name(i)) != NULL; i++) {
        if (strcmp(found, name) == 0) {
            return &record_header(record)->members[i];
        }
    }
    fail_msg("there is no member %s", name);
    return NULL;
}

static uint64_t count_of(struct record *record, const char *name)
{
    return member(record, name)->count;
}

static void hand_over(enum contract_point point, void *arguments)
{
    contract_cover_arguments(&(struct contract_call){.point = point, .arguments = arguments});
}

static void a_submission_counts_what_is_not_plain(void **state)
{
    DXGKARG_SUBMITCOMMAND submit = {.DmaBufferSize = 4096, .NodeOrdinal = 1};

    hand_over(POINT_SubmitCommand, &submit);
    submit.hContext = (HANDLE)8;
    submit.DmaBufferSubmissionStartOffset = 64;
    submit.Flags.Resubmission = 1;
    submit.Flags.Paging = 1;
    hand_over(POINT_SubmitCommand, &submit);
    assert_int_equal(count_of(*state, "SUBMITCOMMAND.hContext"), 1);
    assert_int_equal(count_of(*state, "SUBMITCOMMAND.hContext=NULL"), 1);
    assert_int_equal(count_of(*state, "SUBMITCOMMAND.DmaBufferSize"), 2);
    assert_int_equal(count_of(*state, "SUBMITCOMMAND.DmaBufferSubmissionStartOffset"), 1);
    assert_int_equal(count_of(*state, "SUBMITCOMMAND.DmaBufferSubmissionEndOffset"), 0);
    assert_int_equal(count_of(*state, "SUBMITCOMMAND.Flags.Resubmission"), 1);
    assert_int_equal(count_of(*state, "SUBMITCOMMAND.Flags.Paging"), 1);
    assert_int_equal(count_of(*state, "SUBMITCOMMAND.Flags.Present"), 0);
    assert_int_equal(count_of(*state, "SUBMITCOMMAND.NodeOrdinal"), 2); /* the last: no overrun */
}

static void an_operation_counts_its_own_part_of_the_union(void **state)
{
    DXGKARG_BUILDPAGINGBUFFER build = {.Operation = DXGK_OPERATION_FILL};

    build.Fill.FillPattern = 7;
    build.Fill.Destination.SegmentId = 1;
    hand_over(POINT_BuildPagingBuffer, &build);
    assert_int_equal(count_of(*state, "BUILDPAGINGBUFFER.Fill.FillPattern"), 1);
    assert_int_equal(count_of(*state, "BUILDPAGINGBUFFER.Fill.FillPattern=0"), 0);
    assert_int_equal(count_of(*state, "BUILDPAGINGBUFFER.Transfer.Source.SegmentId=0"), 0);
    assert_int_equal(record_header(*state)->paging[DXGK_OPERATION_FILL].count, 1);
    assert_int_equal(record_header(*state)->paging[DXGK_OPERATION_TRANSFER].count, 0);
}

/* Pages and an address share their bytes: the segment says which they are. */
static void a_place_is_pages_or_an_address(void **state)
{
    DXGKARG_BUILDPAGINGBUFFER build = {.Operation = DXGK_OPERATION_TRANSFER};

    build.Transfer.Source.SegmentId = 2;
    build.Transfer.Source.SegmentAddress.QuadPart = 0x1000;
    build.Transfer.Destination.pMdl = (MDL *)&build;
    hand_over(POINT_BuildPagingBuffer, &build);
    assert_int_equal(count_of(*state, "BUILDPAGINGBUFFER.Transfer.Source.SegmentAddress"), 1);
    assert_int_equal(count_of(*state, "BUILDPAGINGBUFFER.Transfer.Source.pMdl"), 0);
    assert_int_equal(count_of(*state, "BUILDPAGINGBUFFER.Transfer.Destination.pMdl"), 1);
    assert_int_equal(count_of(*state, "BUILDPAGINGBUFFER.Transfer.Destination.SegmentAddress"), 0);
}

static void an_operation_that_does_not_exist_is_nobodys(void **state)
{
    DXGKARG_BUILDPAGINGBUFFER build = {
        .Operation = (DXGK_BUILDPAGINGBUFFER_OPERATION)CONTRACT_OPERATION_COUNT};

    hand_over(POINT_BuildPagingBuffer, &build);
    for (unsigned i = 0; i < RECORD_PAGING_MAX; i++) {
        assert_int_equal(record_header(*state)->paging[i].count, 0);
    }
}

static struct contract_tracker *tracker_of(unsigned version, enum contract_point point)
{
    static bool has[POINT_COUNT];

    memset(has, 0, sizeof has);
    has[point] = true;
    return contract_tracker_create(1, version, has);
}

static void what_could_be_follows_version_and_registration(void **state)
{
    struct record_header *header = record_header(*state);
    struct contract_tracker *tracker = tracker_of(WIN7, POINT_SubmitCommand);

    assert_true(member(*state, "SUBMITCOMMAND.DmaBufferSubmissionStartOffset")->could);
    assert_false(member(*state, "SUBMITCOMMAND.NodeOrdinal")->could); /* came later */
    assert_false(member(*state, "PRESENT.Color")->could);             /* not registered */
    assert_true(header->ddi[POINT_SubmitCommand].registered);
    assert_false(header->ddi[POINT_Present].registered);
    assert_false(header->paging[DXGK_OPERATION_TRANSFER].could);
    assert_true(header->rule_applies[RECORD_DRIVER][RULE_SUBMIT_003]);
    assert_false(header->rule_applies[RECORD_DRIVER][RULE_PRES_009]);
    contract_tracker_destroy(tracker);

    tracker = tracker_of(WIN8, POINT_BuildPagingBuffer);
    assert_false(member(*state, "SUBMITCOMMAND.DmaBufferSubmissionStartOffset")->could);
    assert_true(header->paging[DXGK_OPERATION_TRANSFER].could);
    assert_true(header->paging[DXGK_OPERATION_INIT_CONTEXT_RESOURCE].could);
    assert_false(header->paging[DXGK_OPERATION_UPDATE_PAGE_TABLE].could);
    assert_true(header->callbacks[POINT_CbNotifyDpc - POINT_FIRST_CALLBACK].could);
    contract_tracker_destroy(tracker);

    tracker = tracker_of(WDDM20, POINT_BuildPagingBuffer);
    assert_true(header->paging[DXGK_OPERATION_UPDATE_PAGE_TABLE].could);
    contract_tracker_destroy(tracker);
}

int main(void)
{
#define COVER(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        COVER(a_submission_counts_what_is_not_plain),
        COVER(an_operation_counts_its_own_part_of_the_union),
        COVER(a_place_is_pages_or_an_address),
        COVER(an_operation_that_does_not_exist_is_nobodys),
        COVER(what_could_be_follows_version_and_registration),
    };
    return cmocka_run_group_tests_name("cover", tests, NULL, NULL);
}

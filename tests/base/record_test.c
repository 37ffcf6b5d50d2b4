/* The record: ring, digest, texts, counters, breaches, blobs, and a region scribbled over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/check.h"
#include "base/record.h"
#include "base/record_file.h"

static struct record *record;

static int set_up(void **state)
{
    record = record_create(64, 4096);
    record_attach(record);
    record_context = (struct record_context){0};
    return record ? 0 : -1;
}

static int tear_down(void **state)
{
    record_destroy(record);
    assert_null(record_current());
    return 0;
}

static void the_ring_keeps_the_newest(void **state)
{
    for (unsigned i = 0; i < 200; i++) {
        record_context.now_ns = i;
        record_event(EVENT_USER, 1, i, 0);
    }
    assert_int_equal(record_header(record)->event_count, 200);
    assert_null(record_event_at(record, 135));
    assert_non_null(record_event_at(record, 136));
    assert_int_equal(record_event_at(record, 199)->a, 199);
    assert_int_equal(record_event_at(record, 199)->time_ns, 199);
    assert_null(record_event_at(record, 200));
}

static uint64_t digest_of(unsigned count, uint64_t capacity, unsigned odd_one)
{
    struct record *other = record_create(capacity, 0);
    uint64_t digest;

    record_attach(other);
    for (unsigned i = 0; i < count; i++) {
        record_event(EVENT_USER, 1, i == odd_one ? 0 : i + 1, 5);
    }
    digest = record_finish(other);
    record_event(EVENT_USER, 1, 1, 1); /* too late: lost */
    assert_int_equal(record_header(other)->event_count, count);
    assert_true(record_finish(other) == digest);
    record_destroy(other);
    return digest;
}

static void the_digest_covers_every_event(void **state)
{
    uint64_t digest = digest_of(1000, 64, 5000);

    assert_true(digest == digest_of(1000, 64, 5000));
    assert_true(digest == digest_of(1000, 4096, 5000)); /* whatever the ring holds */
    assert_true(digest != digest_of(1000, 64, 3));
    assert_true(digest != digest_of(1000, 64, 999));
    assert_true(digest != digest_of(999, 64, 5000));
}

static void objects_are_numbered(void **state)
{
    assert_int_equal(record_object_new(OBJECT_ADAPTER, 0), 1);
    assert_int_equal(record_object_new(OBJECT_DEVICE, 1), 2);
    record_object_dead(2, OBJECT_DEVICE);
    assert_int_equal(record_event_at(record, 1)->b, 1);
    assert_int_equal(record_event_at(record, 2)->kind, EVENT_OBJECT_DEAD);
}

static void equal_texts_are_stored_once(void **state)
{
    char long_text[5000];
    uint32_t first = record_text("hello");

    assert_int_equal(record_text(""), 0);
    assert_int_not_equal(first, 0);
    assert_int_equal(record_text("hello"), first);
    assert_int_not_equal(record_text("hello2"), first);
    assert_string_equal(record_text_at(record, first), "hello");
    assert_string_equal(record_text_at(record, UINT32_MAX), "");
    memset(long_text, 'x', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';
    assert_int_equal(strlen(record_text_at(record, record_text(long_text))), 4095);
}

static void too_many_texts_are_dropped(void **state)
{
    char text[32];

    for (unsigned i = 0; i < 40000; i++) {
        snprintf(text, sizeof(text), "text number %u", i);
        record_text(text);
    }
    assert_int_equal(record_text("text number 39999"), 0);
    assert_string_equal(record_text_at(record, record_text("text number 7")), "text number 7");
    assert_true(record_counter(record, "record.dropped") > 0);
}

static void what_a_driver_prints_leaves_room(void **state)
{
    char text[4096];

    for (unsigned i = 0; i < 2000; i++) { /* long lines, then short ones */
        memset(text, 'x', sizeof text - 1);
        snprintf(text, sizeof text, "%u", i);
        text[strlen(text)] = ' ';
        text[sizeof text - 1] = '\0';
        record_text_printed(text);
    }
    for (unsigned i = 0; i < 40000; i++) {
        snprintf(text, sizeof text, "print %u", i);
        record_text_printed(text);
    }
    assert_int_equal(record_text_printed("print 39999"), 0);
    record_note("what was left out");
    assert_string_equal(record_note_at(record, 0), "what was left out");
    assert_string_equal(record_text_at(record, record_text("a name")), "a name");
    for (unsigned i = 0; i < 2 * RECORD_NOTES_MAX; i++) { /* notes of their greatest length */
        memset(text, 'a' + (int)(i % 26), sizeof text - 1);
        snprintf(text, 16, "note %u", i);
        record_note(text);
    }
    assert_non_null(record_note_at(record, RECORD_NOTES_MAX - 1));
    assert_true(record_counter(record, "record.dropped") > 0);
}

static void counters_add(void **state)
{
    record_count("a.b", 3);
    record_count("a.b", 4);
    assert_int_equal(record_counter(record, "a.b"), 7);
    assert_int_equal(record_counter(record, "none"), 0);
}

static void a_name_in_reused_memory_is_not_confused(void **state)
{
    char name[16] = "first";

    record_count(name, 1);
    strcpy(name, "second");
    record_count(name, 10);
    assert_int_equal(record_counter(record, "first"), 1);
    assert_int_equal(record_counter(record, "second"), 10);
}

static void too_many_counters_are_dropped(void **state)
{
    char name[32];

    for (unsigned i = 0; i < 300; i++) {
        snprintf(name, sizeof(name), "counter.%u", i);
        record_count(name, i);
    }
    assert_int_equal(record_counter(record, "counter.254"), 254);
    assert_int_equal(record_counter(record, "counter.255"), 0);
    assert_int_equal(record_counter(record, "record.dropped"), 45);
}

static void equal_breaches_are_counted(void **state)
{
    struct record_breach breach = {.rule = "SUBMIT-003", .expected = "one", .actual = "two"};

    assert_int_equal(record_add_breach(&breach), 0);
    strcpy(breach.actual, "three");
    assert_int_equal(record_add_breach(&breach), 0);
    strcpy(breach.expected, "other");
    assert_int_equal(record_add_breach(&breach), 1);
    assert_int_equal(record_breach_at(record, 0)->count, 2);
    assert_string_equal(record_breach_at(record, 0)->actual, "two");
    assert_null(record_breach_at(record, 2));
    for (unsigned i = 0; i < 300; i++) {
        snprintf(breach.expected, sizeof(breach.expected), "number %u", i);
        record_add_breach(&breach);
    }
    assert_int_equal(record_header(record)->breach_count, RECORD_BREACHES_MAX);
    assert_int_equal(record_add_breach(&breach), RECORD_BREACHES_MAX);
    assert_non_null(record_breach_at(record, RECORD_BREACHES_MAX - 1));
    assert_null(record_breach_at(record, RECORD_BREACHES_MAX));
}

static void blobs_are_kept_while_there_is_room(void **state)
{
    struct record_blob blob = {.size = 1000}, read;
    unsigned char bytes[4096];

    memset(bytes, 7, sizeof(bytes));
    assert_true(record_add_blob(&blob, bytes));
    bytes[0] = 8;
    assert_true(record_add_blob(&blob, bytes));
    blob.size = 4096;
    assert_false(record_add_blob(&blob, bytes));
    assert_int_equal(*(const unsigned char *)record_blob_at(record, 0, &read), 7);
    assert_int_equal(*(const unsigned char *)record_blob_at(record, 1, &read), 8);
    assert_int_equal(read.offset, 1024);
    assert_null(record_blob_at(record, 2, &read));
}

static void the_first_failure_stays(void **state)
{
    record_set_outcome(RUN_OUTCOME_PASS, "fine so far");
    record_set_outcome(RUN_OUTCOME_BREACH, "rule %d", 3);
    record_set_outcome(RUN_OUTCOME_OWN_FAULT, "later");
    assert_int_equal(record_header(record)->outcome, RUN_OUTCOME_BREACH);
    assert_string_equal(record_header(record)->message, "rule 3");
}

/* Whatever a driver writes over the region, neither side leaves it. */
static void a_region_scribbled_over_is_harmless(void **state)
{
    struct record_breach breach = {.rule = "X", .expected = "y"};
    struct record_blob blob = {.size = 16}, read;

    record_count("before", 1);
    record_add_breach(&breach);
    record_add_blob(&blob, "0123456789abcdef");
    record_text("text");
    memset(record_header(record), 0xFF, record_header(record)->size_bytes);
    for (unsigned i = 0; i < 100; i++) {
        record_event(EVENT_USER, 1, i, 0);
    }
    record_count("before", 1);
    record_count("after", 1);
    record_add_breach(&breach);
    record_add_blob(&blob, "0123456789abcdef");
    assert_string_equal(record_text_at(record, record_text("new")), "new");
    record_set_stage(RUN_STAGE_WORK);
    memset(record_header(record), 0xFF, sizeof(struct record_header));
    assert_null(record_event_at(record, 5));
    assert_true(strlen(record_breach_at(record, 200)->expected) < RECORD_TEXT_MAX);
    assert_null(record_blob_at(record, 900, &read));
    assert_true(strlen(record_text_at(record, (1u << 20) - 1)) == 0);
    assert_true(strlen(record_header(record)->message) < 1024);
    record_counter(record, "before");
    record_finish(record);
}

static void another_process_reads_what_was_written(void **state)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        record_set_stage(RUN_STAGE_WORK);
        record_event(EVENT_MARK, 0, record_text("from the child"), 0);
        record_set_outcome(RUN_OUTCOME_REFUSED, "no");
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(record_header(record)->stage, RUN_STAGE_WORK);
    assert_string_equal(record_text_at(record, (uint32_t)record_event_at(record, 1)->a),
                        "from the child");
    assert_int_equal(record_header(record)->outcome, RUN_OUTCOME_REFUSED);
}

static void a_failed_check_is_our_own_fault(void **state)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        fclose(stderr);
        CHECK_THAT(child != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(record_header(record)->outcome, RUN_OUTCOME_OWN_FAULT);
    assert_non_null(strstr(record_header(record)->message, "child != 0"));
}

static void nothing_happens_without_a_record(void **state)
{
    uint32_t first;

    record_attach(NULL);
    record_event(EVENT_USER, 1, 2, 3);
    record_count("x", 1);
    record_set_stage(RUN_STAGE_WORK);
    record_set_outcome(RUN_OUTCOME_BREACH, "x");
    assert_int_equal(record_text("x"), 0);
    first = record_object_new(OBJECT_TASK, 0);
    assert_int_equal(record_object_new(OBJECT_TASK, 0), first + 1);
}

static void notes_are_kept_once(void **state)
{
    char text[32];

    record_note("left out");
    record_note("another");
    record_note("left out");
    assert_string_equal(record_note_at(record, 0), "left out");
    assert_string_equal(record_note_at(record, 1), "another");
    assert_null(record_note_at(record, 2));
    for (unsigned i = 0; i < 2 * RECORD_NOTES_MAX; i++) {
        snprintf(text, sizeof text, "note %u", i);
        record_note(text);
    }
    assert_non_null(record_note_at(record, RECORD_NOTES_MAX - 1));
    assert_null(record_note_at(record, RECORD_NOTES_MAX));
    memset(record_header(record)->notes, 0xFF, sizeof record_header(record)->notes);
    assert_string_equal(record_note_at(record, 0), "");
}

static void a_text_is_no_longer_than_it_can_be_written(void **state)
{
    static char text[8000];

    memset(text, 'a', sizeof text - 1);
    uint32_t offset = record_text(text);
    size_t longest = strlen(record_text_at(record, offset));
    assert_in_range(longest, 256, sizeof text / 2 + 256);
    /* Whoever fills the pool has no longer ones, wherever they begin. */
    char *pool = (char *)record_header(record) + record_header(record)->text_offset;
    memset(pool, 'b', record_header(record)->text_size);
    assert_int_equal(strlen(record_text_at(record, 1)), longest);
    assert_int_equal(strlen(record_text_at(record, 100000)), longest);
    uint32_t near_end = (uint32_t)record_header(record)->text_size - 10;
    assert_int_equal(strlen(record_text_at(record, near_end)), 9);
    assert_string_equal(record_text_at(record, UINT32_MAX), "");
}

static void who_takes_over_adds_to_the_counters(void **state)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        record_count("first", 3);
        record_count("second", 4);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    record_take_over(record);
    record_count("second", 1);
    record_count("third", 5);
    assert_int_equal(record_counter(record, "first"), 3);
    assert_int_equal(record_counter(record, "second"), 5);
    assert_int_equal(record_counter(record, "third"), 5);
    /* A lie leaves no room for anything. */
    struct record_header *header = record_header(record);
    header->counter_count = UINT32_MAX;
    for (unsigned i = 0; i < RECORD_COUNTERS_MAX; i++) {
        memset(header->counters[i].name, 'A' + (int)i % 26, sizeof header->counters[i].name);
    }
    record_take_over(record);
    record_count("fourth", 1);
    assert_int_equal(record_counter(record, "fourth"), 0);
}

static void impossible_sizes_are_refused(void **state)
{
    assert_null(record_create(0, 0));
    assert_null(record_create(100, 0));
    assert_null(record_create(64, UINT64_MAX));
    assert_null(record_create(UINT64_C(1) << 63, 0));
}

#define FILE_NAME "record_test.bin"

static struct record *saved_and_loaded(uint64_t bytes_kept)
{
    char error[256] = "";
    FILE *file = fopen(FILE_NAME, "w+b");

    assert_non_null(file);
    assert_true(record_save(record, file));
    fflush(file);
    if (bytes_kept > 0) {
        assert_int_equal(ftruncate(fileno(file), (off_t)bytes_kept), 0);
    }
    fclose(file);
    struct record *loaded = record_load(FILE_NAME, error, sizeof error);
    assert_true(loaded || strstr(error, FILE_NAME ": not the record of a run"));
    unlink(FILE_NAME);
    return loaded;
}

static void a_record_comes_back_from_a_file(void **state)
{
    struct record *loaded;

    record_note("a note");
    for (unsigned count = 1; count <= 200; count += 199) {
        for (unsigned i = 0; i < count; i++) {
            record_event(EVENT_USER, 1, i, count);
        }
        loaded = saved_and_loaded(0);
        assert_non_null(loaded);
        uint64_t end = record_header(record)->event_count;
        assert_int_equal(record_header(loaded)->event_count, end);
        assert_memory_equal(record_event_at(loaded, end - 1), record_event_at(record, end - 1),
                            sizeof(struct event));
        assert_string_equal(record_note_at(loaded, 0), "a note");
        record_destroy(loaded);
    }
}

static void a_file_that_is_cut_off_is_no_more_than_it_holds(void **state)
{
    record_event(EVENT_USER, 1, 1, 1);
    record_event(EVENT_USER, 1, 2, 2);
    uint64_t events = record_header(record)->event_offset;

    struct record *loaded = saved_and_loaded(events + sizeof(struct event) + 5);
    assert_int_equal(record_header(loaded)->event_count, 1);
    record_destroy(loaded);
    assert_null(saved_and_loaded(events - 1));
    assert_null(saved_and_loaded(100));
}

static void a_file_that_claims_absurd_sizes_is_refused(void **state)
{
    struct record_header *header = record_header(record);
    const uint64_t capacities[] = {0, 63, UINT64_C(1) << 40, UINT64_MAX};

    for (size_t i = 0; i < sizeof capacities / sizeof capacities[0]; i++) {
        header->event_capacity = capacities[i];
        assert_null(saved_and_loaded(0));
    }
}

static void kinds_have_names(void **state)
{
    assert_string_equal(record_event_name(EVENT_DDI_ENTER), "ddi_enter");
    assert_string_equal(record_event_name((enum event_kind)31), "unknown");
    assert_string_equal(record_event_name((enum event_kind)60000), "unknown");
    assert_string_equal(record_object_name(OBJECT_FENCE), "fence");
    for (unsigned i = 0; i < OBJECT_KIND_COUNT; i++) {
        assert_non_null(record_object_name((enum object_kind)i));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_ring_keeps_the_newest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_digest_covers_every_event, set_up, tear_down),
        cmocka_unit_test_setup_teardown(objects_are_numbered, set_up, tear_down),
        cmocka_unit_test_setup_teardown(equal_texts_are_stored_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(too_many_texts_are_dropped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_a_driver_prints_leaves_room, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counters_add, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_name_in_reused_memory_is_not_confused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(too_many_counters_are_dropped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(equal_breaches_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(blobs_are_kept_while_there_is_room, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_first_failure_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_region_scribbled_over_is_harmless, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_process_reads_what_was_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_failed_check_is_our_own_fault, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_happens_without_a_record, set_up, tear_down),
        cmocka_unit_test_setup_teardown(notes_are_kept_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_text_is_no_longer_than_it_can_be_written, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(who_takes_over_adds_to_the_counters, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_record_comes_back_from_a_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_is_cut_off_is_no_more_than_it_holds, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_claims_absurd_sizes_is_refused, set_up,
                                        tear_down),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(kinds_have_names),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}

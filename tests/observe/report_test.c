/* The report, the summary and the pictures. */
#include "support.h"

#include <errno.h>
#include <png.h>
#include <sys/stat.h>

static json_t *report_of(struct test_run *test)
{
    struct observe *observe = observe_create(&test->run);
    json_t *report = observe_report(observe);

    assert_non_null(report);
    observe_destroy(observe);
    return report;
}

/* "fences.lost" as a number; fails if there is none. */
static json_int_t number_at(const json_t *report, const char *group, const char *name)
{
    const json_t *value = json_object_get(json_object_get(report, group), name);

    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static const char *text_at(const json_t *report, const char *name)
{
    const char *text = json_string_value(json_object_get(report, name));

    assert_non_null(text);
    return text;
}

static void promised_keys_are_there_without_counters(void **state)
{
    static const char *const keys[][2] = {
        {"fences", "submitted"}, {"fences", "completed"},  {"fences", "lost"},
        {"memory", "paged_in"},  {"memory", "paged_out"},  {"memory", "lost"},
        {"present", "frames"},   {"present", "flips"},     {"present", "wrong_pixels"},
        {"contract", "rules"},   {"contract", "enforced"}, {"contract", "checks"},
    };
    json_t *report = report_of(*state);

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        number_at(report, keys[i][0], keys[i][1]);
    }
    assert_string_equal(text_at(report, "schema"), OBSERVE_SCHEMA);
    assert_true(json_is_object(json_object_get(report, "ddi")));
    assert_true(json_is_object(json_object_get(report, "paging_operations")));
    assert_true(json_is_null(json_object_get(report, "digest")));
    json_decref(report);
}

static void counters_nest_by_their_dots(void **state)
{
    json_t *report;

    record_count("paging.Transfer", 3);
    record_count("fences.lost", 2);
    record_count("desktop.windows.moved", 5);
    report = report_of(*state);
    assert_int_equal(number_at(report, "paging_operations", "Transfer"), 3);
    assert_int_equal(number_at(report, "fences", "lost"), 2);
    const json_t *desktop = json_object_get(json_object_get(report, "counters"), "desktop");
    assert_int_equal(number_at(desktop, "windows", "moved"), 5);
    json_decref(report);
}

static void a_breach_tells_its_story(void **state)
{
    struct test_run *test = *state;
    struct record_breach breach = {.rule = "ONE-001",
                                   .ddi = "DxgkDdiSecond",
                                   .expected = "success",
                                   .actual = "failure \xFF",
                                   .object = test->packets[0],
                                   .bugcheck = 0x119,
                                   .bugcheck_argument = {2}};

    record_add_breach(&breach);
    record_header(test->record)->rule_checks[RECORD_DRIVER][0] = 4;
    record_set_outcome(RUN_OUTCOME_BREACH, "broken");
    json_t *report = report_of(test);
    const json_t *contract = json_object_get(report, "contract");
    const json_t *told = json_array_get(json_object_get(contract, "breaches"), 0);
    const json_t *history = json_object_get(told, "history");

    assert_int_equal(number_at(report, "contract", "checks"), 4);
    const json_t *duties = json_object_get(contract, "by_duty");
    assert_int_equal(number_at(duties, "driver", "judged"), 1);
    assert_int_equal(number_at(duties, "driver", "enforced"), 1);
    assert_int_equal(number_at(duties, "kernel", "judged"), 0);
    assert_int_equal(number_at(duties, "kernel", "rules"), 1);
    assert_string_equal(text_at(report, "outcome"), "breach");
    assert_string_equal(text_at(told, "rule"), "ONE-001");
    assert_string_equal(text_at(told, "actual"), "failure ?");
    assert_string_equal(text_at(told, "object"), "packet 1");
    assert_string_equal(text_at(told, "bugcheck"), "0x119");
    assert_string_equal(text_at(told, "replay"), "drydock run --seed 5");
    assert_int_equal(json_array_size(history), 6); /* made, queued, called, back, sent, done */
    assert_non_null(strstr(json_string_value(json_array_get(history, 4)), "fence 11"));
    assert_int_equal(observe_exit_status(test->record), 1);
    json_decref(report);
}

/* What it was seen with again, and nothing where nobody looked. */
static void a_finding_says_what_it_needs(void **state)
{
    static const char *const texts[] = {"late: the kernel was late", "odd: it was odd"};
    const struct observe_need need = {.part = 0,
                                      .breach = 1,
                                      .variations = "late,odd",
                                      .texts = texts,
                                      .text_count = 2,
                                      .replay = "drydock run --vary late,odd"};
    struct record_breach breach = {.rule = "ONE-001", .ddi = "DxgkDdiFirst"};
    struct test_run *test = *state;

    record_add_breach(&breach);
    strcpy(breach.ddi, "DxgkDdiSecond");
    record_add_breach(&breach);
    test->run.needs = &need;
    test->run.need_count = 1;
    json_t *report = report_of(test);
    const json_t *all = json_object_get(json_object_get(report, "contract"), "breaches");
    const json_t *first = json_array_get(all, 0), *second = json_array_get(all, 1);
    const json_t *names = json_object_get(second, "needs");

    assert_true(json_is_null(json_object_get(first, "needs")));
    assert_int_equal(json_array_size(json_object_get(first, "needs_text")), 0);
    assert_string_equal(text_at(first, "replay"), "drydock run --seed 5");
    assert_int_equal(json_array_size(names), 2);
    assert_string_equal(json_string_value(json_array_get(names, 1)), "odd");
    assert_string_equal(json_string_value(json_array_get(json_object_get(second, "needs_text"), 0)),
                        texts[0]);
    assert_string_equal(text_at(second, "replay"), "drydock run --vary late,odd");
    json_decref(report);
}

static void a_history_is_short(void **state)
{
    struct test_run *test = *state;
    struct record_breach breach = {.rule = "ONE-001", .object = test->packets[0]};

    for (uint64_t i = 0; i < 100; i++) {
        record_event(EVENT_FENCE_SIGNAL, test->packets[0], i, 0);
    }
    record_add_breach(&breach);
    record_event(EVENT_FENCE_SIGNAL, test->packets[0], 12345, 0); /* came after it */
    json_t *report = report_of(test);
    const json_t *contract = json_object_get(report, "contract");
    const json_t *told = json_array_get(json_object_get(contract, "breaches"), 0);
    const json_t *history = json_object_get(told, "history");
    size_t count = json_array_size(history);

    assert_int_equal(count, OBSERVE_HISTORY_MAX);
    assert_non_null(strstr(json_string_value(json_array_get(history, count - 1)), "signalled 99"));
    json_decref(report);
}

/* Advice that came before it does not stand before what ended the run. */
static void what_counts_comes_before_advice(void **state)
{
    static const char *const wanted[] = {"ONE-002", "ONE-004", "ONE-001", "ONE-003"};
    struct test_run *test = *state;
    struct record_breach breach = {.rule = "ONE-001", .expected = "a", .actual = "b"};

    for (unsigned i = 1; i <= 4; i++) {
        snprintf(breach.rule, sizeof breach.rule, "ONE-00%u", i);
        breach.weight = i == 1 ? RECORD_ADVICE : i == 3 ? RECORD_WAIVED : RECORD_COUNTS;
        record_add_breach(&breach);
    }
    json_t *report = report_of(test);
    const json_t *told = json_object_get(json_object_get(report, "contract"), "breaches");
    assert_int_equal(json_array_size(told), 4);
    for (unsigned i = 0; i < 4; i++) {
        const json_t *rule = json_object_get(json_array_get(told, i), "rule");
        assert_string_equal(json_string_value(rule), wanted[i]);
    }
    json_decref(report);
}

static void exit_statuses_follow_outcomes(void **state)
{
    static const struct {
        enum run_outcome outcome;
        enum run_stage stage;
        int status;
    } rows[] = {
        {RUN_OUTCOME_PASS, RUN_STAGE_DONE, 0},         {RUN_OUTCOME_BREACH, RUN_STAGE_WORK, 1},
        {RUN_OUTCOME_REFUSED, RUN_STAGE_CAPS, 1},      {RUN_OUTCOME_REFUSED, RUN_STAGE_LOAD, 2},
        {RUN_OUTCOME_USAGE, RUN_STAGE_NONE, 2},        {RUN_OUTCOME_OWN_FAULT, RUN_STAGE_WORK, 3},
        {RUN_OUTCOME_INCONCLUSIVE, RUN_STAGE_WORK, 4}, {RUN_OUTCOME_NONE, RUN_STAGE_WORK, 3},
        {RUN_OUTCOME_FAULT, RUN_STAGE_WORK, 1},
    };
    struct test_run *test = *state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        record_header(test->record)->outcome = rows[i].outcome;
        record_header(test->record)->stage = rows[i].stage;
        assert_int_equal(observe_exit_status(test->record), rows[i].status);
    }
}

static void the_summary_says_the_verdict(void **state)
{
    struct test_run *test = *state;
    struct record_breach breach = {.rule = "ONE-001",
                                   .ddi = "DxgkDdiSecond",
                                   .expected = "a",
                                   .actual = "b\033[2J",
                                   .bugcheck = 0x119};
    struct observe *observe;
    char *text = NULL;
    size_t size;

    record_add_breach(&breach);
    record_set_outcome(RUN_OUTCOME_BREACH, "broken");
    record_note("left out");
    observe = observe_create(&test->run);
    FILE *to = open_memstream(&text, &size);
    observe_summary(observe, to, false);
    fclose(to);
    assert_non_null(strstr(text, "breach "));
    assert_non_null(strstr(text, "broken"));
    assert_non_null(strstr(text, "ONE-001"));
    assert_non_null(strstr(text, "0x119"));
    assert_non_null(strstr(text, "drydock run --seed 5"));
    assert_non_null(strstr(text, "left out"));
    assert_null(strchr(text, '\033')); /* nothing that a terminal would obey */
    free(text);
    observe_destroy(observe);
}

static void a_time_out_says_what_it_was_and_what_was_answered(void **state)
{
    struct test_run *test = *state;

    at(3000000000, 0);
    record_event(EVENT_PACKET_SUBMIT, test->packets[2], 13, TEST_NODE);
    at(5000000000, 0);
    record_event(EVENT_TIMEOUT, test->packets[2], 0, TEST_NODE);
    json_t *report = report_of(test);
    const json_t *told = json_array_get(json_object_get(report, "timeouts"), 0);
    assert_int_equal(json_array_size(json_object_get(report, "timeouts")), 1);
    assert_string_equal(text_at(told, "packet"), "render");
    assert_string_equal(
        text_at(told, "text"),
        "node 2 at 5000 ms: packet 3 (render), submitted 2000 ms before; no reset followed");
    json_decref(report);
}

/* ---- Pictures ------------------------------------------------------------------------------- */

static const uint32_t pixels[2][4] = {{0x112233, 0x445566, 0, 0}, {0x778899, 0xAABBCC, 0, 0}};

static struct record_blob small_picture(uint32_t workload, uint32_t number)
{
    return (struct record_blob){.size = sizeof pixels,
                                .kind = RECORD_BLOB_FRAME,
                                .workload = workload,
                                .number = number,
                                .width = 2,
                                .height = 2,
                                .stride = 16};
}

static void pictures_become_png_files(void **state)
{
    struct test_run *test = *state;
    struct record_blob blob = small_picture(3, 1);
    char folder[64], path[128];
    const struct observe_folder to = make_folder(folder);
    unsigned char read[2 * 2 * 3];
    png_image png = {.version = PNG_IMAGE_VERSION};

    assert_true(record_add_blob(&blob, pixels));
    struct observe *observe = observe_create(&test->run);
    assert_true(observe_write_pictures(observe, &to));
    snprintf(path, sizeof path, "%s/frame-3-0001.png", folder);
    assert_true(png_image_begin_read_from_file(&png, path));
    assert_int_equal(png.width, 2);
    assert_int_equal(png.height, 2);
    png.format = PNG_FORMAT_RGB;
    assert_true(png_image_finish_read(&png, NULL, read, 0, NULL));
    assert_memory_equal(read, "\x11\x22\x33\x44\x55\x66\x77\x88\x99\xAA\xBB\xCC", sizeof read);
    unlink(path);
    remove_folder(&to, folder);
    observe_destroy(observe);
}

static void pictures_that_overlap_repeat_or_do_not_fit_are_left_out(void **state)
{
    struct test_run *test = *state;
    struct record_header *header = record_header(test->record);
    char folder[64];
    const struct observe_folder to = make_folder(folder);

    for (uint32_t number = 1; number <= 6; number++) {
        struct record_blob blob = small_picture(0, number);
        assert_true(record_add_blob(&blob, pixels));
    }
    header->blobs[1].offset = header->blobs[0].offset; /* one over another */
    header->blobs[2].number = 1;                       /* the same twice */
    header->blobs[3].size = UINT64_MAX;
    header->blobs[4].width = 5;
    header->blobs[5].kind = 77;
    struct observe *observe = observe_create(&test->run);
    json_t *report = observe_report(observe);
    assert_int_equal(json_array_size(json_object_get(report, "frames")), 1);
    assert_true(observe_write_pictures(observe, &to));
    assert_int_equal(unlinkat(to.folder, "frame-0-0001.png", 0), 0);
    remove_folder(&to, folder);
    json_decref(report);
    observe_destroy(observe);
}

static void a_link_is_not_followed_and_a_file_not_replaced(void **state)
{
    struct test_run *test = *state;
    struct record_blob blob = small_picture(0, 1);
    char folder[64];
    const struct observe_folder to = make_folder(folder);

    assert_true(record_add_blob(&blob, pixels));
    struct observe *observe = observe_create(&test->run);
    assert_int_equal(symlinkat("stolen", to.folder, "frame-0-0001.png"), 0);
    assert_false(observe_write_pictures(observe, &to));
    assert_int_equal(errno, EEXIST);
    assert_int_equal(faccessat(to.folder, "stolen", F_OK, 0), -1);
    assert_int_equal(unlinkat(to.folder, "frame-0-0001.png", 0), 0);
    remove_folder(&to, folder);
    observe_destroy(observe);
}

static void pictures_have_a_time(void **state)
{
    struct test_run *test = *state;
    struct record_blob blob = small_picture(0, 1);
    char folder[64];
    struct observe_folder to = make_folder(folder);

    to.deadline_ns = 1; /* long ago */
    assert_true(record_add_blob(&blob, pixels));
    struct observe *observe = observe_create(&test->run);
    assert_false(observe_write_pictures(observe, &to));
    assert_int_equal(errno, ETIME);
    remove_folder(&to, folder); /* half a picture is none */
    observe_destroy(observe);
}

/* A key that JSON refuses was freed, and used. */
static void counters_whose_names_are_no_text_are_told(void **state)
{
    struct test_run *test = *state;

    record_count("good.one", 1);
    record_count("bad.\xFF\xFE.\x80.deep", 7);
    struct observe *observe = observe_create(&test->run);
    json_t *report = observe_report(observe);
    json_t *bad = json_object_get(json_object_get(report, "counters"), "bad");
    json_t *deep = json_object_get(json_object_get(json_object_get(bad, "??"), "?"), "deep");
    assert_int_equal(json_integer_value(deep), 7);
    json_decref(report);
    observe_destroy(observe);
}

/* ---- A record that a driver wrote over ------------------------------------------------------- */

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void scribble(struct test_run *test, uint64_t *random)
{
    unsigned char *region = (unsigned char *)record_header(test->record);
    size_t size = sizeof(struct record_header);
    const size_t events = 1024 * sizeof(struct event);
    unsigned char *ring = (unsigned char *)(uintptr_t)record_event_at(test->record, 0);

    for (unsigned i = 0; i < 200; i++) {
        region[next(random) % size] = (unsigned char)next(random);
        if (ring) {
            ring[next(random) % events] = (unsigned char)next(random);
        }
    }
}

static void a_scribbled_record_is_read_without_harm(void **state)
{
    struct test_run *test = *state;
    uint64_t random = 88172645463325252u;
    char folder[64], command[128];
    const struct observe_folder to = make_folder(folder);

    for (unsigned round = 0; round < 40; round++) {
        scribble(test, &random);
        struct observe *observe = observe_create(&test->run);
        if (observe) {
            json_decref(observe_report(observe));
            observe_write_trace(observe, &to);
            observe_write_pictures(observe, &to);
            unlinkat(to.folder, OBSERVE_TRACE_FILE, 0);
            FILE *nowhere = fopen("/dev/null", "w");
            observe_summary(observe, nowhere, true);
            fclose(nowhere);
        }
        observe_destroy(observe);
        observe_exit_status(test->record);
    }
    close(to.folder);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* Another part of the run, with one finding of its own and one that the first has, too. */
static struct record *second_part(void)
{
    struct record *record = record_create(1024, 4096);

    assert_non_null(record);
    record_attach(record);
    record_set_stage(RUN_STAGE_WORK);
    record_header(record)->ddi[1].calls = 4;
    record_count("fences.lost", 5);
    record_count("variations.late", 3);
    record_note("the same note");
    record_note("another note");
    record_add_breach(&(struct record_breach){.rule = "TEST-001", .ddi = "call", .expected = "x"});
    record_add_breach(&(struct record_breach){.rule = "TEST-002", .ddi = "call", .expected = "y"});
    record_set_outcome(RUN_OUTCOME_BREACH, "2 breaches");
    record_finish(record);
    return record;
}

static void parts_are_summed_and_findings_told_once(void **state)
{
    struct test_run *test = *state;
    struct observe_part parts[2] = {test->part};

    record_header(test->record)->ddi[1].calls = 2;
    record_count("fences.lost", 2);
    record_note("the same note");
    record_add_breach(&(struct record_breach){.rule = "TEST-001", .ddi = "call", .expected = "x"});
    record_set_outcome(RUN_OUTCOME_INCONCLUSIVE, "time is over");
    record_finish(test->record);
    parts[1] = (struct observe_part){.name = "varied-1",
                                     .record = second_part(),
                                     .seed = 9,
                                     .variations = "early,late",
                                     .replay = "again"};
    test->run.parts = parts;
    test->run.part_count = 2;
    json_t *report = report_of(test);
    json_t *breaches = json_object_get(json_object_get(report, "contract"), "breaches");
    json_t *first = json_array_get(breaches, 0), *second = json_array_get(breaches, 1);
    assert_int_equal(json_array_size(breaches), 2);
    assert_int_equal(json_integer_value(json_object_get(first, "count")), 2);
    assert_int_equal(json_array_size(json_object_get(first, "parts")), 2);
    assert_string_equal(text_at(first, "replay"), "drydock run --seed 5");
    assert_int_equal(json_array_size(json_object_get(second, "parts")), 1);
    assert_true(json_is_null(json_object_get(first, "mend")));
    assert_true(json_is_null(json_object_get(first, "page")));
    assert_string_equal(text_at(second, "mend"), "return success");
    assert_string_equal(text_at(second, "page"), "https://example.org/2");
    assert_string_equal(text_at(second, "replay"), "again");
    assert_string_equal(text_at(report, "outcome"), "breach");
    assert_string_equal(text_at(report, "message"), "2 breaches, in part varied-1");
    assert_int_equal(number_at(report, "fences", "lost"), 7);
    assert_int_equal(json_array_size(json_object_get(report, "notes")), 2);
    assert_int_equal(json_array_size(json_object_get(report, "parts")), 2);
    json_t *varied = json_object_get(json_object_get(report, "coverage"), "variations");
    assert_int_equal(json_integer_value(json_object_get(varied, "late")), 3);
    assert_int_equal(json_integer_value(json_object_get(varied, "early")), 0);
    assert_int_equal(json_object_size(varied), 2);
    json_decref(report);
    record_destroy(parts[1].record);
}

/* ---- Coverage -------------------------------------------------------------------------------- */

static json_int_t covered(const json_t *report, const char *kind, const char *name)
{
    const json_t *coverage = json_object_get(report, "coverage");

    return json_integer_value(json_object_get(json_object_get(coverage, kind), name));
}

static const json_t *never(const json_t *report, const char *kind)
{
    const json_t *coverage = json_object_get(report, "coverage");

    return json_object_get(json_object_get(coverage, "never_reached"), kind);
}

/* Two DDIs and members that the driver has, one of each reached; a rule that speaks of it. */
static void reach_something(struct record *record)
{
    struct record_header *header = record_header(record);

    header->ddi[0] = (struct record_ddi_count){.calls = 3, .registered = 1};
    header->ddi[1].registered = 1;
    header->members[0] = (struct record_reach){1, 5};
    header->members[1].could = 1;
    header->rule_applies[RECORD_DRIVER][0] = 1;
    header->rule_checks[RECORD_KERNEL][0] = 9; /* not a look at the driver */
}

static void what_was_never_reached_is_told_by_name(void **state)
{
    struct test_run *test = *state;

    reach_something(test->record);
    json_t *report = report_of(test);
    assert_int_equal(covered(report, "ddis", "DxgkDdiFirst"), 3);
    assert_int_equal(covered(report, "members", "ONE.Flag"), 5);
    assert_int_equal(json_object_size(never(report, "ddis")), 1);
    assert_string_equal(text_at(never(report, "ddis"), "DxgkDdiSecond"), "nobody asks");
    assert_int_equal(json_array_size(never(report, "members")), 1);
    assert_string_equal(json_string_value(json_array_get(never(report, "members"), 0)),
                        "ONE.Offset");
    assert_int_equal(json_array_size(never(report, "rules")), 1);
    assert_int_equal(json_array_size(never(report, "variations")), 3);
    assert_int_equal(json_array_size(never(report, "callbacks")), 0);
    json_decref(report);
}

static void one_line_says_how_much_was_reached(void **state)
{
    struct test_run *test = *state;
    struct observe *observe = observe_create(&test->run);
    char *text = NULL;
    size_t size = 0;

    reach_something(test->record);
    FILE *to = open_memstream(&text, &size);
    observe_summary(observe, to, false);
    fclose(to);
    assert_non_null(strstr(text, "  coverage  1 of 2 DDIs, 0 of 0 paging operations, 1 of 2 "
                                 "members, 0 of 1 rules; never called: Second\n"));
    free(text);
    observe_destroy(observe);
}

static void what_one_part_reached_the_run_reached(void **state)
{
    struct test_run *test = *state;
    struct record *second = record_create(1024, 4096);
    struct observe_part parts[2] = {test->part};

    assert_non_null(second);
    reach_something(test->record);
    record_header(second)->ddi[1] = (struct record_ddi_count){.calls = 2, .registered = 1};
    record_header(second)->members[1] = (struct record_reach){1, 4};
    record_header(second)->rule_applies[RECORD_DRIVER][0] = 1;
    record_header(second)->rule_checks[RECORD_DRIVER][0] = 6;
    parts[1] = (struct observe_part){
        .name = "varied-1", .record = second, .variations = "none", .replay = "again"};
    test->run.parts = parts;
    test->run.part_count = 2;
    json_t *report = report_of(test);
    assert_int_equal(covered(report, "ddis", "DxgkDdiFirst"), 3);
    assert_int_equal(covered(report, "ddis", "DxgkDdiSecond"), 2);
    assert_int_equal(covered(report, "members", "ONE.Offset"), 4);
    assert_int_equal(json_object_size(never(report, "ddis")), 0);
    assert_int_equal(json_array_size(never(report, "rules")), 0);
    json_decref(report);
    record_destroy(second);
}

int main(void)
{
#define RUN(name) cmocka_unit_test_setup_teardown(name, set_up_run, tear_down_run)
    const struct CMUnitTest tests[] = {
        RUN(promised_keys_are_there_without_counters),
        RUN(counters_nest_by_their_dots),
        RUN(a_breach_tells_its_story),
        RUN(a_finding_says_what_it_needs),
        RUN(a_history_is_short),
        RUN(what_counts_comes_before_advice),
        RUN(exit_statuses_follow_outcomes),
        RUN(the_summary_says_the_verdict),
        RUN(a_time_out_says_what_it_was_and_what_was_answered),
        RUN(pictures_become_png_files),
        RUN(parts_are_summed_and_findings_told_once),
        RUN(what_was_never_reached_is_told_by_name),
        RUN(one_line_says_how_much_was_reached),
        RUN(what_one_part_reached_the_run_reached),
        RUN(pictures_that_overlap_repeat_or_do_not_fit_are_left_out),
        RUN(a_link_is_not_followed_and_a_file_not_replaced),
        RUN(pictures_have_a_time),
        RUN(counters_whose_names_are_no_text_are_told),
        RUN(a_scribbled_record_is_read_without_harm),
    };
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}

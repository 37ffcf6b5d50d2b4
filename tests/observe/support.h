/* A small run written by hand, for readers of the record. */
#ifndef TESTS_OBSERVE_SUPPORT_H
#define TESTS_OBSERVE_SUPPORT_H

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "observe/observe.h"

#define TEST_NODE 2

static inline const char *test_point(unsigned point)
{
    static const char *const names[] = {"DxgkDdiFirst", "DxgkDdiSecond", "DxgkCbThird"};

    return point < 3 ? names[point] : NULL;
}

static inline const char *test_rule(unsigned rule)
{
    return rule == 0 ? "ONE-001" : rule == 1 ? "TWO-002" : NULL;
}

static inline enum observe_duty test_duty(unsigned rule)
{
    return rule == 0 ? OBSERVE_DRIVER : OBSERVE_KERNEL;
}

static inline const char *test_packet(unsigned kind)
{
    return kind == 0 ? "render" : kind == 2 ? "paging" : NULL;
}

static inline const char *test_member(unsigned member)
{
    static const char *const names[] = {"ONE.Flag", "ONE.Offset"};

    return member < 2 ? names[member] : NULL;
}

static inline const char *test_variation(unsigned variation)
{
    static const char *const names[] = {"late", "early", "other"};

    return variation < 3 ? names[variation] : NULL;
}

static inline const char *test_reason(unsigned point)
{
    return "nobody asks";
}

static inline const char *test_mending(const char *finding)
{
    return strcmp(finding, "TEST-002") == 0 ? "return success" : NULL;
}

static inline bool test_page(const char *finding, const char *ddi, char *text, size_t size)
{
    return strcmp(finding, "TEST-002") == 0 && snprintf(text, size, "https://example.org/2") > 0;
}

static const struct observe_names test_names = {
    .point = test_point,
    .ddi_count = 2,
    .ddi_prefix = "DxgkDdi",
    .rule = test_rule,
    .duty = test_duty,
    .packet_kind = test_packet,
    .member = test_member,
    .variation = test_variation,
    .why_not_called = test_reason,
    .mending = test_mending,
    .page = test_page,
};

struct test_run {
    struct record *record;
    struct observe_part part;
    struct observe_run run;
    uint32_t task, context, packets[3];
};

static inline void at(uint64_t ns, uint8_t cpu)
{
    record_context.now_ns = ns;
    record_context.cpu = cpu;
}

/* One task calls the driver; three packets overlap in a queue; the second is preempted. */
static inline void write_run(struct test_run *test)
{
    at(100, 0);
    record_set_stage(RUN_STAGE_WORK);
    test->task = record_object_new(OBJECT_TASK, 0);
    record_event(EVENT_TASK_NEW, test->task, record_text("client"), 0);
    record_event(EVENT_TASK_RUN, test->task, 0, 0);
    test->context = record_object_new(OBJECT_CONTEXT, 0);
    for (unsigned i = 0; i < 3; i++) {
        at(200 + i, 0);
        test->packets[i] = record_object_new(OBJECT_PACKET, test->context);
        record_event(EVENT_PACKET_QUEUED, test->packets[i], test->context, TEST_NODE << 8);
    }
    at(300, 0);
    record_event(EVENT_DDI_ENTER, test->packets[0], 1, 7);
    record_event(EVENT_CALLBACK, 0, 2, 0);
    at(310, 0);
    record_event(EVENT_DDI_LEAVE, test->packets[0], 1, 7);
    record_event(EVENT_PACKET_SUBMIT, test->packets[0], 11, TEST_NODE);
    at(320, 0);
    record_event(EVENT_PACKET_SUBMIT, test->packets[1], 12, TEST_NODE);
    record_event(EVENT_GPU_BEGIN, 0, TEST_NODE, 99);
    at(400, 0);
    record_event(EVENT_INTERRUPT, 0, 0, 0);
    record_event(EVENT_DDI_ENTER, 0, 0, 8);
    at(410, 0);
    record_event(EVENT_DDI_LEAVE, 0, 0, 8);
    record_event(EVENT_INTERRUPT_END, 0, 0, 1);
    record_event(EVENT_GPU_END, 0, TEST_NODE, 99);
    record_event(EVENT_PACKET_DONE, test->packets[0], 0, 11);
    record_event(EVENT_PACKET_PREEMPTED, test->packets[1], 12, TEST_NODE);
    at(500, 0);
    record_event(EVENT_RESET, 0, 0, 0);
    at(510, 0);
    record_event(EVENT_RESET, 0, 1, 0);
    record_event(EVENT_PACKET_CANCELLED, test->packets[2], 0, TEST_NODE);
    record_event(EVENT_TASK_END, test->task, 0, 0);
}

static inline int set_up_run(void **state)
{
    struct test_run *test = calloc(1, sizeof *test);

    test->record = record_create(1024, 1 << 20);
    assert_non_null(test->record);
    record_attach(test->record);
    record_context = (struct record_context){0};
    test->part = (struct observe_part){
        .name = "calm",
        .record = test->record,
        .variations = "none",
        .replay = "drydock run --seed 5",
    };
    test->run = (struct observe_run){
        .parts = &test->part,
        .part_count = 1,
        .names = &test_names,
        .version = "test",
        .replay = "drydock run --seed 5",
        .rule_count = 2,
        .rules = {{.count = 1, .enforced = 1}, {.count = 1}},
    };
    write_run(test);
    *state = test;
    return 0;
}

static inline int tear_down_run(void **state)
{
    struct test_run *test = *state;

    record_destroy(test->record);
    free(test);
    return 0;
}

/* The bytes of a file, which is removed; freed by the caller. */
static inline unsigned char *take_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes;

    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    unlink(path);
    return bytes;
}

/* A folder of this test alone. */
static inline struct observe_folder make_folder(char path[64])
{
    strcpy(path, "/tmp/drydock-observe-XXXXXX");
    assert_non_null(mkdtemp(path));
    return (struct observe_folder){.folder = open(path, O_RDONLY | O_DIRECTORY)};
}

/* Fails if anything else came into it. */
static inline void remove_folder(const struct observe_folder *folder, const char *path)
{
    close(folder->folder);
    assert_int_equal(rmdir(path), 0);
}

#endif

/* Fuzzes the readers of the event record: what a driver may have written into the region becomes a
 * report, a summary, pictures and a trace. fuzz/run_record_fuzz builds and runs it.
 *
 * The input is a list of writes: where in the region, what, and how often. */
#include "observe/observe.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EVENTS     256u
#define BLOB_BYTES 65536u
#define WRITES_MAX 64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *some_name(unsigned number)
{
    return number % 3 ? "name" : NULL;
}

static enum observe_duty some_duty(unsigned rule)
{
    return (enum observe_duty)(rule % OBSERVE_DUTY_COUNT);
}

static const struct observe_names names = {
    .point = some_name,
    .ddi_count = 8,
    .rule = some_name,
    .duty = some_duty,
    .kernel_export = some_name,
    .paging_operation = some_name,
    .packet_kind = some_name,
};

/* A small run, so that there is something to spoil. */
static void write_run(void)
{
    static const uint32_t pixels[16];
    struct record_breach breach = {.rule = "ONE-001", .ddi = "call", .expected = "a", .object = 2};
    struct record_blob blob = {
        .size = sizeof pixels, .number = 1, .width = 4, .height = 4, .stride = 16};

    record_set_stage(RUN_STAGE_LOAD);
    for (unsigned i = 0; i < 40; i++) {
        record_object_new((enum object_kind)(i % OBJECT_KIND_COUNT), i / 2);
        record_event((enum event_kind)(i * 5), i, i, i);
    }
    record_count("fences.submitted", 3);
    record_count("a.b.c", 4);
    record_note("a note");
    record_add_breach(&breach);
    record_add_blob(&blob, pixels);
    record_set_outcome(RUN_OUTCOME_BREACH, "broken");
}

static void spoil(struct record *record, const uint8_t *data, size_t size)
{
    unsigned char *region = (unsigned char *)record_header(record);
    const struct record_header was = *record_header(record);
    const uint64_t begins[] = {0,
                               offsetof(struct record_header, event_count),
                               offsetof(struct record_header, counters),
                               offsetof(struct record_header, blobs),
                               was.breach_offset,
                               was.text_offset,
                               was.event_offset,
                               offsetof(struct record_header, object_kinds)};

    for (unsigned i = 0; i < WRITES_MAX && size >= 12; i++, data += 12, size -= 12) {
        uint64_t at = begins[data[0] % 8] + data[1] + data[2] % 16 * 256u;
        for (uint64_t k = 0; k < data[3] + 1u; k++) {
            region[(at + k) % was.size_bytes] = data[4 + k % 8];
        }
    }
}

static void read_all(const struct observe_run *run, int folder)
{
    const struct observe_folder to = {.folder = folder};
    struct observe *observe = observe_create(run);
    FILE *nowhere = fopen("/dev/null", "w");

    if (observe && nowhere) {
        json_t *report = observe_report(observe);
        char *text = json_dumps(report, 0);
        free(text);
        json_decref(report);
        observe_summary(observe, nowhere, true);
        observe_write_pictures(observe, &to);
        observe_write_trace(observe, &to);
    }
    if (nowhere) {
        fclose(nowhere);
    }
    observe_destroy(observe);
}

static void empty(int folder)
{
    char name[64];

    unlinkat(folder, OBSERVE_TRACE_FILE, 0);
    unlinkat(folder, OBSERVE_INFO_FILE, 0);
    for (unsigned i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "frame-%u-0001.png", i);
        unlinkat(folder, name, 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int folder = -1;
    struct record *record = record_create(EVENTS, BLOB_BYTES);
    struct observe_part part = {.name = "part", .variations = "none", .replay = "again"};
    const struct observe_run run = {.parts = &part,
                                    .part_count = 1,
                                    .names = &names,
                                    .version = "fuzz",
                                    .replay = "again",
                                    .rule_count = 8};

    if (folder < 0) {
        mkdir("record-fuzz", 0777);
        folder = open("record-fuzz", O_RDONLY | O_DIRECTORY);
    }
    if (!record || folder < 0) {
        abort();
    }
    part.record = record;
    record_attach(record);
    write_run();
    spoil(record, data, size);
    record_is_sound(record);
    record_matches(record, &(struct record_statement){.event_count = 41});
    record_take_over(record);
    record_add_breach(&(struct record_breach){.rule = "RECORD"});
    record_note("behind it");
    read_all(&run, folder);
    empty(folder);
    record_destroy(record);
    return 0;
}

/* The record's region, its events and their digest, object numbers, stage and outcome. */
#include "base/record.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"
#include "base/internal.h"

struct record_context record_context;

static struct record *current;
/* Where events go: current, or NULL once its digest is closed. */
static struct record *event_writer;

/* ---- The region -------------------------------------------------------------------------- */

static void *map_region(uint64_t size)
{
    void *region;
    int fd = memfd_create("drydock-record", MFD_CLOEXEC);

    if (fd < 0) {
        return NULL;
    }
    if (ftruncate(fd, (off_t)size) != 0) {
        close(fd);
        return NULL;
    }
    region = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return region == MAP_FAILED ? NULL : region;
}

static void describe_region(struct record *record)
{
    struct record_header *header = record->header;

    header->magic = RECORD_MAGIC;
    header->size_bytes = record->size_bytes;
    header->event_capacity = record->event_capacity;
    header->breach_offset = (uint64_t)((char *)record->breaches - (char *)header);
    header->text_offset = (uint64_t)(record->texts - (char *)header);
    header->event_offset = (uint64_t)((char *)record->events - (char *)header);
    header->blob_offset = (uint64_t)((char *)record->blobs - (char *)header);
    header->text_size = RECORD_TEXT_POOL;
    header->blob_size = record->blob_size;
    header->text_used = record->text_used;
}

static bool plan_region(struct record *record, uint64_t event_capacity, uint64_t blob_bytes)
{
    uint64_t breaches = align_up(sizeof(struct record_header), 4096);
    uint64_t texts = breaches + align_up(RECORD_BREACHES_MAX * sizeof(struct record_breach), 4096);
    uint64_t events = texts + RECORD_TEXT_POOL;
    uint64_t blobs, size;

    if (event_capacity < RECORD_BLOCK_EVENTS || event_capacity > UINT64_C(1) << 32 ||
        (event_capacity & (event_capacity - 1)) != 0 || blob_bytes > UINT64_C(1) << 40) {
        return false;
    }
    blobs = events + event_capacity * sizeof(struct event);
    size = blobs + align_up(blob_bytes, 4096);
    record->header = map_region(size);
    if (!record->header) {
        return false;
    }
    record->size_bytes = size;
    record->breaches = (void *)((char *)record->header + breaches);
    record->texts = (char *)record->header + texts;
    record->events = (void *)((char *)record->header + events);
    record->blobs = (unsigned char *)record->header + blobs;
    record->event_capacity = event_capacity;
    record->event_mask = event_capacity - 1;
    record->blob_size = blob_bytes;
    record->text_used = 1; /* offset 0 is the empty text */
    return true;
}

struct record *record_create(uint64_t event_capacity, uint64_t blob_bytes)
{
    struct record *record = calloc(1, sizeof(*record));

    if (!record) {
        return NULL;
    }
    record->digest = XXH3_createState();
    if (!record->digest) {
        goto err_free_record;
    }
    XXH3_64bits_reset(record->digest);
    if (!plan_region(record, event_capacity, blob_bytes)) {
        goto err_free_digest;
    }
    describe_region(record);
    return record;

err_free_digest:
    XXH3_freeState(record->digest);
err_free_record:
    free(record);
    return NULL;
}

void record_destroy(struct record *record)
{
    if (!record) {
        return;
    }
    if (current == record) {
        record_attach(NULL);
    }
    munmap(record->header, record->size_bytes);
    XXH3_freeState(record->digest);
    free(record);
}

void record_forget(struct record *record)
{
    munmap(record->header, record->size_bytes);
}

void record_attach(struct record *record)
{
    current = record;
    event_writer = record && !record->finished ? record : NULL;
}

struct record *record_current(void)
{
    return current;
}

struct record_header *record_header(struct record *record)
{
    struct record_header *header = record->header;

    /* The other side may have written anything: texts end inside their arrays. */
    header->message[sizeof(header->message) - 1] = '\0';
    header->driver[sizeof(header->driver) - 1] = '\0';
    return header;
}

uint64_t *record_rule_checks(void)
{
    return current ? current->header->rule_checks[0] : NULL;
}

/* ---- Statements -------------------------------------------------------------------------- */

void record_set_speaker(struct record *record, record_speaker *speak, void *ctx)
{
    record->speak = speak;
    record->speak_ctx = ctx;
}

/* The message is the only thing that may lie in the region. */
static void record_state(const struct record *record, const char *message, bool ends)
{
    static struct record_statement statement; /* stacks are short */

    if (!record->speak) {
        return;
    }
    statement = (struct record_statement){
        .ends = ends,
        .outcome = record->outcome,
        .stage = record->stage,
        .breach_count = record->breach_count,
        .counting_breaches = record->counting_breaches,
        .blob_count = record->blob_count,
        .note_count = record->note_count,
        .counter_count = record->counter_count,
        .text_used = record->text_used,
        .event_count = record->event_count,
        .object_count = record->object_count,
        .now_ns = record_context.now_ns - record_context.begun_ns,
        .digest = ends ? XXH3_64bits_digest(record->digest) : 0,
    };

    memcpy(statement.message, message, sizeof(statement.message));
    statement.message[sizeof(statement.message) - 1] = '\0';
    record->speak(record->speak_ctx, &statement);
}

static uint64_t at_most(uint64_t value, uint64_t limit)
{
    return value < limit ? value : limit;
}

void record_take_over(struct record *record)
{
    const struct record_header *header = record->header;

    record->speak = NULL;
    record->outcome = RUN_OUTCOME_NONE;
    record->header->outcome = RUN_OUTCOME_NONE;
    record->breach_count = (uint32_t)at_most(header->breach_count, RECORD_BREACHES_MAX);
    record->counting_breaches = (uint32_t)at_most(header->counting_breaches, RECORD_BREACHES_MAX);
    record->blob_count = (uint32_t)at_most(header->blob_count, RECORD_BLOBS_MAX);
    record->blob_used = at_most(header->blob_used, record->blob_size);
    record->note_count = (uint32_t)at_most(header->note_count, RECORD_NOTES_MAX);
    record->counter_count = (uint32_t)at_most(header->counter_count, RECORD_COUNTERS_MAX);
    for (uint32_t i = 0; i < record->counter_count; i++) {
        memcpy(record->counter_names[i], header->counters[i].name,
               sizeof(header->counters[0].name));
        record->counter_names[i][sizeof(record->counter_names[0]) - 1] = '\0';
    }
    memset(record->counter_hints, 0, sizeof(record->counter_hints));
    record->text_used = (uint32_t)at_most(header->text_used, RECORD_TEXT_POOL);
    record->event_count = header->event_count;
    record->object_count = header->object_count;
    record->finished = true; /* the digest is the writer's */
    if (event_writer == record) {
        event_writer = NULL;
    }
}

bool record_is_sound(struct record *record)
{
    const struct record_header *header = record->header;
    const struct event *first = record_event_at(record, 0);

    return header->magic == RECORD_MAGIC && header->size_bytes == record->size_bytes &&
           header->event_capacity == record->event_capacity &&
           header->breach_offset == (uint64_t)((char *)record->breaches - (char *)header) &&
           header->text_offset == (uint64_t)(record->texts - (char *)header) &&
           header->event_offset == (uint64_t)((char *)record->events - (char *)header) &&
           header->blob_size == record->blob_size &&
           (header->event_count > 0 || header->stage <= RUN_STAGE_LOAD) &&
           header->stage <= RUN_STAGE_DONE && header->breach_count <= RECORD_BREACHES_MAX &&
           (!first || (first->kind == EVENT_RUN_STAGE && first->a == RUN_STAGE_LOAD));
}

static bool counts_match(const struct record_header *header, const struct record_statement *end)
{
    return header->stage == end->stage && header->breach_count == end->breach_count &&
           header->counting_breaches == end->counting_breaches &&
           header->blob_count == end->blob_count && header->note_count == end->note_count &&
           header->counter_count == end->counter_count && header->text_used == end->text_used &&
           header->event_count == end->event_count && header->object_count == end->object_count &&
           header->digest == end->digest;
}

bool record_matches(struct record *record, const struct record_statement *end)
{
    if (!record_is_sound(record) || !counts_match(record->header, end)) {
        return false;
    }
    return end->event_count > record->event_capacity ||
           XXH3_64bits(record->events, end->event_count * sizeof(struct event)) == end->digest;
}

#define EVENTS_AHEAD 32 /* whose place is fetched, sixteen cache lines on */

/* ---- Events ------------------------------------------------------------------------------ */

/* Folds the events since the last time into the digest; they lie in one piece of the ring. */
static __attribute__((noinline)) void digest_block(struct record *record)
{
    uint64_t count = record->event_count - record->digested_count;
    const struct event *first = &record->events[record->digested_count & record->event_mask];

    XXH3_64bits_update(record->digest, first, count * sizeof(*first));
    record->digested_count = record->event_count;
}

void record_driver_runs(bool runs)
{
    if (event_writer) {
        event_writer->header->driver_runs = runs;
    }
}

void record_plugged_runs(enum record_plugged who, uint32_t which)
{
    if (event_writer) {
        event_writer->header->plugged_runs[who] = which;
    }
}

void record_event(enum event_kind kind, uint32_t object, uint64_t a, uint64_t b)
{
    struct record *record = event_writer;
    const struct record_context context = record_context;

    if (!record) {
        return;
    }
    struct record_header *header = record->header;
    uint64_t count = record->event_count;
    record->events[count & record->event_mask] = (struct event){
        .time_ns = context.now_ns,
        .kind = (uint16_t)kind,
        .cpu = context.cpu,
        .irql = context.irql,
        .object = object,
        .a = a,
        .b = b,
    };
    /* The ring is larger than caches are. */
    __builtin_prefetch(&record->events[(count + EVENTS_AHEAD) & record->event_mask], 1);
    record->event_count = header->event_count = ++count;
    header->now_ns = context.now_ns - context.begun_ns;
    if (count % RECORD_BLOCK_EVENTS == 0) {
        digest_block(record);
    }
}

const struct event *record_event_at(struct record *record, uint64_t index)
{
    uint64_t count = *(volatile uint64_t *)&record->header->event_count;

    if (index >= count || count - index > record->event_capacity) {
        return NULL;
    }
    return &record->events[index & record->event_mask];
}

uint64_t record_finish(struct record *record)
{
    uint64_t digest;

    if (!record->finished) {
        digest_block(record);
        record->finished = true;
        if (event_writer == record) {
            event_writer = NULL;
        }
        record->header->digest = XXH3_64bits_digest(record->digest);
        record_state(record, record->header->message, true);
    }
    digest = XXH3_64bits_digest(record->digest);
    return digest;
}

/* ---- Objects ----------------------------------------------------------------------------- */

uint32_t record_object_new(enum object_kind kind, uint32_t parent)
{
    /* Numbers are given without a record, too: engines tell their objects apart by them. */
    static uint32_t unrecorded;
    uint32_t object;

    if (!current) {
        return ++unrecorded;
    }
    object = (uint32_t)++current->object_count;
    current->header->object_count = current->object_count;
    if (object < RECORD_OBJECTS_MAX) {
        current->header->object_kinds[object] = (uint8_t)kind;
    }
    record_event(EVENT_OBJECT_NEW, object, kind, parent);
    return object;
}

void record_object_dead(uint32_t object, enum object_kind kind)
{
    record_event(EVENT_OBJECT_DEAD, object, kind, 0);
}

/* ---- Stage and outcome ------------------------------------------------------------------- */

void record_set_stage(enum run_stage stage)
{
    if (current) {
        current->stage = stage;
        current->header->stage = stage;
        record_event(EVENT_RUN_STAGE, 0, stage, 0);
    }
}

void record_set_outcome(enum run_outcome outcome, const char *format, ...)
{
    static char message[sizeof(((struct record_header *)0)->message)]; /* stacks are short */
    va_list arguments;

    if (!current || current->outcome > RUN_OUTCOME_PASS) {
        return;
    }
    current->outcome = outcome;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    memcpy(current->header->message, message, sizeof(message));
    current->header->outcome = outcome; /* last: a reader that sees it sees the message */
    record_state(current, message, false);
}

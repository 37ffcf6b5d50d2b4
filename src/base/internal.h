/* What the files of the record share.
 *
 * The region can be scribbled over by the driver that runs in this process, so nothing read from it
 * decides where the writer writes: counts, offsets and sizes that matter are kept in struct record,
 * which is private memory, and only copied out to the region for readers. The reader of the other
 * process trusts the sizes it knows from record_create() and checks everything else. */
#ifndef BASE_INTERNAL_H
#define BASE_INTERNAL_H

#include "base/hash.h"
#include "base/record.h"

#define RECORD_MAGIC        UINT64_C(0x31305652444b4344) /* "DCKDRV01" */
#define RECORD_BLOCK_EVENTS 64u
#define RECORD_TEXT_POOL    (1u << 20)
#define RECORD_TEXT_LONGEST 4095u
#define RECORD_TEXT_SLOTS   (1u << 15)
/* What the texts of a driver leave to others. */
#define RECORD_TEXT_KEPT     (RECORD_TEXT_POOL / 4)
#define RECORD_SLOTS_KEPT    (RECORD_TEXT_SLOTS / 4)
#define RECORD_COUNTER_HINTS 256u

/* A known text of the pool; offset 0: none. */
struct record_text_slot {
    uint32_t offset, size;
    uint64_t hash;
};

/* A counter's index by the address of the literal that names it. Only a hint: the name decides. */
struct record_counter_hint {
    const char *literal;
    uint32_t index;
};

struct record {
    /* Fixed when made. */
    struct record_header *header; /* start of the region */
    uint64_t size_bytes;
    struct record_breach *breaches;
    char *texts;
    struct event *events;
    unsigned char *blobs;
    uint64_t event_capacity, event_mask, blob_size;

    /* The writer's own truth. */
    uint64_t event_count, digested_count, object_count, blob_used;
    bool sealed; /* no breach is added any more */
    uint32_t breach_count, counting_breaches, blob_count, counter_count, note_count, text_used,
        text_count;
    enum run_outcome outcome;
    enum run_stage stage;
    record_speaker *speak; /* NULL: nobody listens */
    void *speak_ctx;
    XXH3_state_t *digest;
    bool finished;
    char counter_names[RECORD_COUNTERS_MAX][48];
    uint32_t notes[RECORD_NOTES_MAX]; /* text offsets */
    struct record_counter_hint counter_hints[RECORD_COUNTER_HINTS];
    struct record_text_slot text_slots[RECORD_TEXT_SLOTS];
};

/* Something did not fit: counted, never fatal. */
void record_dropped(void);

#endif

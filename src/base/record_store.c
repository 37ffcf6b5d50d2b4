/* What the record keeps besides events: texts, counters, notes, breaches and blobs. */
#include <string.h>

#include "base/check.h"
#include "base/internal.h"
#include "base/record.h"

static const char dropped_name[] = "record.dropped";

/* ---- Texts ------------------------------------------------------------------------------- */

struct text_room {
    uint32_t bytes, slots;
};

/* A table that is never more than three quarters full always ends a search. */
static const struct text_room room_of_all = {RECORD_TEXT_POOL, RECORD_TEXT_SLOTS / 4 * 3};
static const struct text_room room_of_prints = {RECORD_TEXT_POOL - RECORD_TEXT_KEPT,
                                                RECORD_TEXT_SLOTS / 4 * 3 - RECORD_SLOTS_KEPT};

static uint32_t text_append(struct record *record, const struct record_text_slot *text,
                            const char *bytes, const struct text_room *room)
{
    uint32_t offset = record->text_used;

    if (!range_fits(offset, (uint64_t)text->size + 1, room->bytes) ||
        record->text_count >= room->slots) {
        record_dropped();
        return 0;
    }
    memcpy(record->texts + offset, bytes, text->size);
    record->texts[offset + text->size] = '\0';
    record->text_used = offset + text->size + 1;
    record->text_count++;
    record->header->text_used = record->text_used;
    return offset;
}

static uint32_t text_store(const char *text, const struct text_room *room)
{
    struct record *record = record_current();
    struct record_text_slot wanted = {0};

    if (!record || !text || text[0] == '\0') {
        return 0;
    }
    wanted.size = (uint32_t)strnlen(text, RECORD_TEXT_LONGEST);
    wanted.hash = XXH3_64bits(text, wanted.size);
    for (uint64_t probe = wanted.hash;; probe++) {
        struct record_text_slot *slot = &record->text_slots[probe % RECORD_TEXT_SLOTS];
        if (slot->offset == 0) {
            wanted.offset = text_append(record, &wanted, text, room);
            *slot = wanted.offset ? wanted : *slot;
            return wanted.offset;
        }
        if (slot->hash == wanted.hash && slot->size == wanted.size &&
            memcmp(record->texts + slot->offset, text, wanted.size) == 0) {
            return slot->offset;
        }
    }
}

uint32_t record_text(const char *text)
{
    return text_store(text, &room_of_all);
}

uint32_t record_text_printed(const char *text)
{
    return text_store(text, &room_of_prints);
}

const char *record_text_at(struct record *record, uint32_t offset)
{
    uint32_t end = offset + RECORD_TEXT_LONGEST;

    if (offset >= RECORD_TEXT_POOL) {
        return "";
    }
    /* The pool may hold anything by now, but no text in it is longer than it can have been written:
     * whoever repeats one a million times writes what he may. */
    if (end > RECORD_TEXT_POOL - 1) {
        end = RECORD_TEXT_POOL - 1;
    }
    if (!memchr(record->texts + offset, '\0', end - offset)) {
        record->texts[end] = '\0';
    }
    return record->texts + offset;
}

/* ---- Counters ---------------------------------------------------------------------------- */

static uint32_t counter_index(struct record *record, const char *name)
{
    uint32_t index = 0;

    while (index < record->counter_count &&
           strncmp(record->counter_names[index], name, sizeof(record->counter_names[0]) - 1) != 0) {
        index++;
    }
    if (index < record->counter_count) {
        return index;
    }
    /* The last place is kept for the count of what found no place. */
    if (index >= RECORD_COUNTERS_MAX - (name == dropped_name ? 0u : 1u)) {
        return RECORD_COUNTERS_MAX;
    }
    strncpy(record->counter_names[index], name, sizeof(record->counter_names[0]) - 1);
    memcpy(record->header->counters[index].name, record->counter_names[index],
           sizeof(record->counter_names[0]));
    record->header->counters[index].value = 0;
    record->counter_count++;
    record->header->counter_count = record->counter_count;
    return index;
}

/* The value of the named counter in the region, or NULL if it has no room. */
static uint64_t *counter_value(const char *name)
{
    struct record *record = record_current();
    struct record_counter_hint *hint;

    if (!record) {
        return NULL;
    }
    hint = &record->counter_hints[((uintptr_t)name >> 3) % RECORD_COUNTER_HINTS];
    if (hint->literal != name ||
        strncmp(record->counter_names[hint->index], name, sizeof(record->counter_names[0]) - 1)) {
        uint32_t index = counter_index(record, name);
        if (index >= RECORD_COUNTERS_MAX) {
            if (name != dropped_name) { /* of a record that was taken over its place may be gone */
                record_dropped();
            }
            return NULL;
        }
        *hint = (struct record_counter_hint){name, index};
    }
    return &record->header->counters[hint->index].value;
}

void record_dropped(void)
{
    uint64_t *value = counter_value(dropped_name);

    if (value) {
        ++*value;
    }
}

void record_count(const char *name, uint64_t add)
{
    uint64_t *value = counter_value(name);

    if (value) {
        *value += add;
    }
}

uint64_t record_counter(struct record *record, const char *name)
{
    for (size_t i = 0; i < RECORD_COUNTERS_MAX; i++) {
        const struct record_counter *counter = &record->header->counters[i];
        if (counter->name[0] && strncmp(counter->name, name, sizeof(counter->name) - 1) == 0) {
            return counter->value;
        }
    }
    return 0;
}

/* ---- Notes ------------------------------------------------------------------------------- */

void record_note(const char *text)
{
    struct record *record = record_current();
    uint32_t offset = record_text(text);

    if (offset == 0) {
        return;
    }
    for (uint32_t i = 0; i < record->note_count; i++) {
        if (record->notes[i] == offset) {
            return;
        }
    }
    if (record->note_count >= RECORD_NOTES_MAX) {
        record_dropped();
        return;
    }
    record->notes[record->note_count] = offset;
    record->header->notes[record->note_count] = offset;
    record->header->note_count = ++record->note_count;
}

const char *record_note_at(struct record *record, uint32_t index)
{
    uint32_t count = *(volatile uint32_t *)&record->header->note_count;

    if (index >= RECORD_NOTES_MAX || index >= count) {
        return NULL;
    }
    return record_text_at(record, record->header->notes[index]);
}

/* ---- Breaches ---------------------------------------------------------------------------- */

static void end_breach_texts(struct record_breach *breach)
{
    breach->rule[sizeof(breach->rule) - 1] = '\0';
    breach->ddi[sizeof(breach->ddi) - 1] = '\0';
    breach->expected[sizeof(breach->expected) - 1] = '\0';
    breach->actual[sizeof(breach->actual) - 1] = '\0';
}

static bool same_breach(const struct record_breach *a, const struct record_breach *b)
{
    return strncmp(a->rule, b->rule, sizeof(a->rule)) == 0 &&
           strncmp(a->ddi, b->ddi, sizeof(a->ddi)) == 0 &&
           strncmp(a->expected, b->expected, sizeof(a->expected)) == 0;
}

#define WAIVERS_MAX 64

static char waivers[WAIVERS_MAX][sizeof(((struct record_breach *)0)->rule)];
static unsigned waiver_count;

bool record_waive(const char *name)
{
    size_t length = strlen(name);

    if (record_is_waived(name)) {
        return true;
    }
    if (length == 0 || length >= sizeof waivers[0] || waiver_count == WAIVERS_MAX) {
        return false;
    }
    memcpy(waivers[waiver_count++], name, length + 1);
    return true;
}

bool record_is_waived(const char *name)
{
    for (unsigned i = 0; i < waiver_count; i++) {
        if (strcmp(waivers[i], name) == 0) {
            return true;
        }
    }
    return false;
}

void record_seal_breaches(void)
{
    struct record *record = record_current();

    if (record) {
        record->sealed = true;
    }
}

bool record_breaches_are_sealed(void)
{
    const struct record *record = record_current();

    return record && record->sealed;
}

uint32_t record_add_breach(const struct record_breach *breach)
{
    struct record *record = record_current();
    struct record_breach *place;

    if (!record || record->sealed) {
        return RECORD_BREACHES_MAX;
    }
    for (uint32_t i = 0; i < record->breach_count; i++) {
        if (same_breach(&record->breaches[i], breach)) {
            record->breaches[i].count += breach->count ? breach->count : 1;
            record->breaches[i].fatal |= breach->fatal;
            return i;
        }
    }
    if (record->breach_count >= RECORD_BREACHES_MAX) {
        record_dropped();
        return RECORD_BREACHES_MAX;
    }
    place = &record->breaches[record->breach_count];
    *place = *breach;
    place->count = breach->count ? breach->count : 1;
    place->event_index = record->event_count;
    end_breach_texts(place);
    if (record_is_waived(place->rule)) {
        place->weight = RECORD_WAIVED;
        place->fatal = false;
    }
    record->counting_breaches += place->weight == RECORD_COUNTS;
    record->header->counting_breaches = record->counting_breaches;
    record->header->breach_count = record->breach_count + 1;
    return record->breach_count++;
}

struct record_breach *record_breach_at(struct record *record, uint32_t index)
{
    uint32_t count = *(volatile uint32_t *)&record->header->breach_count;

    if (index >= RECORD_BREACHES_MAX || index >= count) {
        return NULL;
    }
    end_breach_texts(&record->breaches[index]);
    return &record->breaches[index];
}

/* ---- Blobs ------------------------------------------------------------------------------- */

bool record_add_blob(const struct record_blob *description, const void *bytes)
{
    struct record *record = record_current();
    struct record_blob blob = *description;

    if (!record) {
        return false;
    }
    if (record->blob_count >= RECORD_BLOBS_MAX ||
        !range_fits(record->blob_used, blob.size, record->blob_size)) {
        record_dropped();
        return false;
    }
    blob.offset = record->blob_used;
    memcpy(record->blobs + blob.offset, bytes, blob.size);
    record->header->blobs[record->blob_count] = blob;
    /* The next one starts aligned, so that pictures can be read in place. */
    record->blob_used = align_up(record->blob_used + blob.size, 64);
    if (record->blob_used > record->blob_size) {
        record->blob_used = record->blob_size;
    }
    record->blob_count++;
    record->header->blob_used = record->blob_used;
    record->header->blob_count = record->blob_count;
    return true;
}

uint32_t record_blobs_of(enum record_blob_kind kind)
{
    const struct record *record = record_current();
    uint32_t count = 0;

    for (uint32_t i = 0; record && i < record->blob_count; i++) {
        count += record->header->blobs[i].kind == (uint32_t)kind;
    }
    return count;
}

const void *record_blob_at(struct record *record, uint32_t index, struct record_blob *out)
{
    uint32_t count = *(volatile uint32_t *)&record->header->blob_count;

    if (index >= RECORD_BLOBS_MAX || index >= count) {
        return NULL;
    }
    *out = *(volatile struct record_blob *)&record->header->blobs[index];
    return range_fits(out->offset, out->size, record->blob_size) ? record->blobs + out->offset
                                                                 : NULL;
}

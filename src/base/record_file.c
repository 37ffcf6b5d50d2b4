/* A record in a file: all of it but the blobs, so that two runs can be compared event by event.
 *
 * The file is the beginning of the region, up to the last event that the ring has. Who reads one
 * believes nothing in it that decides where something is read or written. */
#include "base/record_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/internal.h"

#define EVENTS_MAX (UINT64_C(1) << 24) /* of a file */

static uint64_t begin_of_events(const struct record *record)
{
    return (uint64_t)((const char *)record->events - (const char *)record->header);
}

static uint64_t events_kept(const struct record *record, uint64_t count)
{
    return count < record->event_capacity ? count : record->event_capacity;
}

bool record_save(struct record *record, FILE *file)
{
    uint64_t size = begin_of_events(record) +
                    events_kept(record, record->header->event_count) * sizeof(struct event);

    return fwrite(record->header, 1, size, file) == size;
}

static bool has_shape(const struct record_header *header, uint64_t size)
{
    return size >= sizeof *header && header->magic == RECORD_MAGIC &&
           header->event_capacity <= EVENTS_MAX;
}

struct record *record_load(const char *path, char *error, size_t error_size)
{
    const size_t limit = (size_t)EVENTS_MAX * sizeof(struct event) + (64u << 20);
    struct record *record = NULL;
    size_t size;
    void *bytes;

    if (!file_read(path, limit, &bytes, &size, error, error_size)) {
        return NULL;
    }
    if (has_shape(bytes, size)) {
        record = record_create(((struct record_header *)bytes)->event_capacity, 0);
    }
    if (record && size >= begin_of_events(record)) {
        uint64_t rest = size - begin_of_events(record);
        uint64_t kept = events_kept(record, rest / sizeof(struct event));
        const struct record_header own = *record->header;
        memcpy(record->header, bytes, begin_of_events(record) + kept * sizeof(struct event));
        record->header->size_bytes = own.size_bytes;
        record->header->blob_count = 0;
        record->header->blob_size = own.blob_size;
        if (record->header->event_count < kept || kept < record->event_capacity) {
            record->header->event_count = kept;
        }
    } else {
        snprintf(error, error_size, "%s: not the record of a run", path);
        record_destroy(record);
        record = NULL;
    }
    free(bytes);
    return record;
}

/* The file of --allocation-data: private driver data in hexadecimal, an allocation in a line.
 *
 *     # comment
 *     resource 01000000                 of the resource around the allocations of the next lines
 *     allocation 66a1 0040 00000000     blanks where one likes */
#include "drydock.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

#define FILE_BYTES_MAX (4u << 20)
#define DATA_BYTES_MAX 65536u

static int digit_of(char character)
{
    if (character >= '0' && character <= '9') {
        return character - '0';
    }
    character = (char)tolower((unsigned char)character);
    return character >= 'a' && character <= 'f' ? character - 'a' + 10 : -1;
}

/* The bytes that a line's digits stand for, in memory that stays. False: they are none. */
static bool read_bytes(const char *text, const char *end, void **out, size_t *size)
{
    uint8_t *bytes = malloc((size_t)(end - text) / 2 + 1);
    size_t count = 0;
    bool good = bytes != NULL;

    while (good && text < end) {
        if (isspace((unsigned char)*text)) {
            text++;
            continue;
        }
        int high = digit_of(*text), low = text + 1 < end ? digit_of(text[1]) : -1;
        good = high >= 0 && low >= 0 && count < DATA_BYTES_MAX;
        if (good) {
            bytes[count++] = (uint8_t)(high << 4 | low);
            text += 2;
        }
    }
    if (!good || count == 0) {
        free(bytes);
        return false;
    }
    *out = bytes;
    *size = count;
    return true;
}

static bool starts_with(const char **text, const char *end, const char *word)
{
    size_t length = strlen(word);

    if ((size_t)(end - *text) <= length || memcmp(*text, word, length) != 0 ||
        !isspace((unsigned char)(*text)[length])) {
        return false;
    }
    *text += length;
    return true;
}

/* What the lines so far say. */
struct reading {
    struct drydock_allocation_data *data;
    unsigned count;
    void *resource;
    size_t resource_size;
};

static bool read_line(struct reading *reading, const char *text, const char *end)
{
    void *bytes;
    size_t size;

    while (text < end && isspace((unsigned char)*text)) {
        text++;
    }
    if (text == end || *text == '#') {
        return true;
    }
    if (starts_with(&text, end, "resource")) {
        return read_bytes(text, end, &reading->resource, &reading->resource_size);
    }
    if (reading->count == ALLOCATION_DATA_MAX || !starts_with(&text, end, "allocation") ||
        !read_bytes(text, end, &bytes, &size)) {
        return false;
    }
    reading->data[reading->count++] =
        (struct drydock_allocation_data){.bytes = bytes,
                                         .size = size,
                                         .resource_bytes = reading->resource,
                                         .resource_size = reading->resource_size};
    return true;
}

bool allocation_data_read(const char *path,
                          struct drydock_allocation_data data[ALLOCATION_DATA_MAX], unsigned *count,
                          char *error, size_t error_size)
{
    struct reading reading = {.data = data};
    unsigned line = 0;
    void *bytes;
    size_t size;

    if (!file_read(path, FILE_BYTES_MAX, &bytes, &size, error, error_size)) {
        return false;
    }
    const char *at = bytes, *end = at + size;
    bool good = true;
    for (; good && at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        good = read_line(&reading, at, stop);
        at = stop + 1;
    }
    free(bytes);
    if (!good || reading.count == 0) {
        snprintf(error, error_size,
                 "%s:%u: wanted are lines \"allocation HEX\" or \"resource HEX\", at most %u "
                 "allocations of at most %u bytes each",
                 path, line, ALLOCATION_DATA_MAX, DATA_BYTES_MAX);
        return false;
    }
    *count = reading.count;
    return true;
}

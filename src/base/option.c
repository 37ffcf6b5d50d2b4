/* Options of plug-ins: from a text to one value for each row of a table. */
#include "base/option.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned row_count(const struct drydock_option *table)
{
    unsigned count = 0;

    while (table && count < DRYDOCK_OPTIONS_MAX && table[count].key) {
        count++;
    }
    return count;
}

static bool unknown(const struct drydock_option *table, const char *key, char *error, size_t size)
{
    unsigned count = row_count(table);
    int used = snprintf(error, size, "there is no option \"%s\"; %s", key,
                        count ? "there are" : "there is none");

    for (unsigned i = 0; i < count && used > 0 && (size_t)used < size; i++) {
        used += snprintf(error + used, size - (size_t)used, "%s %s", i ? "," : "", table[i].key);
    }
    return false;
}

static bool read_number(const struct drydock_option *row, const char *text, uint64_t *out)
{
    char *end;

    if (!isdigit((unsigned char)text[0])) {
        return false;
    }
    errno = 0;
    *out = strtoull(text, &end, 0);
    return errno == 0 && *end == '\0' && *out >= row->low && *out <= row->high;
}

/* One "key=value". */
static bool read_one(struct option_values *out, const struct drydock_option *table, char *word,
                     char *error, size_t error_size)
{
    char *equals = strchr(word, '=');
    unsigned count = row_count(table);

    if (!equals || equals == word) {
        snprintf(error, error_size, "\"%s\" is not key=value", word);
        return false;
    }
    *equals = '\0';
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(table[i].key, word) != 0) {
            continue;
        }
        if (table[i].high == 0) {
            out->values[i].text = equals + 1;
            return true;
        }
        if (!read_number(&table[i], equals + 1, &out->values[i].number)) {
            snprintf(error, error_size, "%s=%s: wanted is a number from %" PRIu64 " to %" PRIu64,
                     word, equals + 1, table[i].low, table[i].high);
            return false;
        }
        return true;
    }
    return unknown(table, word, error, error_size);
}

bool option_values_read(struct option_values *out, const struct drydock_option *table,
                        const char *text, char *error, size_t error_size)
{
    unsigned count = row_count(table);
    char *next = out->text;

    memset(out, 0, sizeof(*out));
    for (unsigned i = 0; i < count; i++) {
        out->values[i].number = table[i].initial;
    }
    if (!text || text[0] == '\0') {
        return true;
    }
    if (strlen(text) >= sizeof(out->text)) {
        snprintf(error, error_size, "more than %zu characters of options", sizeof(out->text) - 1);
        return false;
    }
    memcpy(out->text, text, strlen(text) + 1);
    while (next) {
        char *word = strsep(&next, ",");
        if (!read_one(out, table, word, error, error_size)) {
            return false;
        }
    }
    return true;
}

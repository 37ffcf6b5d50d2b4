/* Source places: what "mine.sys+0x746c" of a finding is in the driver's sources, where the image
 * has debug data and llvm-symbolizer is installed. */
#include "drydock.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "symbolizer.h"

#define PLACES_MAX 128
#define PLACE_MAX  96
#define ANSWER_S   10

static struct place {
    char place[PLACE_MAX]; /* "mine.sys+0x746c" */
    uint64_t asked;        /* the offset the tool is asked for */
    char text[256];        /* "Function, source.c:12"; empty: nothing is known */
} places[PLACES_MAX];
static unsigned place_count;

/* ---- Which addresses ------------------------------------------------------------------------- */

static struct place *place_of(const char *text, size_t length)
{
    for (unsigned i = 0; i < place_count; i++) {
        if (strlen(places[i].place) == length && memcmp(places[i].place, text, length) == 0) {
            return &places[i];
        }
    }
    return NULL;
}

/* The next "name+0x1234" of the text; NULL: there is none. */
static const char *next_place(const char *text, const char *name, size_t *length)
{
    size_t name_length = strlen(name);

    for (const char *at = text; (at = strstr(at, name)) != NULL; at++) {
        size_t digits = strncmp(at + name_length, "+0x", 3) == 0
                            ? strspn(at + name_length + 3, "0123456789abcdefABCDEF")
                            : 0;
        if (digits > 0 && digits <= 16) {
            *length = name_length + 3 + digits;
            return at;
        }
    }
    return NULL;
}

static bool is_caller(const char *text, const char *at)
{
    static const char before[] = "from ";
    size_t length = sizeof before - 1;

    return (size_t)(at - text) >= length && memcmp(at - length, before, length) == 0;
}

/* A routine that is named where it begins. */
static bool is_begin(const char *behind)
{
    static const char section[] = ", in the section ";

    return strncmp(behind, section, sizeof section - 1) == 0 &&
           strstr(behind, ", is called at IRQL ");
}

/* A fault is at its instruction; everything else was called from before the address. */
static void collect(const char *text, const char *name, bool is_fault)
{
    size_t length;

    for (const char *at = text; (at = next_place(at, name, &length)) != NULL; at += length) {
        bool exact = (is_fault && !is_caller(text, at)) || is_begin(at + length);
        if (place_count == PLACES_MAX || length >= PLACE_MAX || place_of(at, length)) {
            continue;
        }
        struct place *place = &places[place_count++];
        memcpy(place->place, at, length);
        place->place[length] = '\0';
        uint64_t offset = strtoull(at + strlen(name) + 3, NULL, 16);
        place->asked = offset - (offset > 0 && !exact);
    }
}

static void collect_all(const struct parts *parts, const char *name)
{
    const struct record_breach *breach;

    for (unsigned i = 0; i < parts->count; i++) {
        for (uint32_t k = 0; (breach = record_breach_at(parts->told[i].record, k)) != NULL; k++) {
            collect(breach->actual, name, strcmp(breach->rule, "FAULT") == 0);
        }
    }
}

/* ---- What they are --------------------------------------------------------------------------- */

static uint64_t offset_of(void *context, size_t index)
{
    (void)context;
    return places[index].asked;
}

static void take_answer(void *context, size_t index, const struct symbolizer_answer *answer)
{
    (void)context;
    snprintf(places[index].text, sizeof places[index].text, "%s, %.100s:%u", answer->function,
             file_source_name(answer->file), (unsigned)answer->line);
}

void places_find(const struct options *options, const struct parts *parts)
{
    place_count = 0;
    if (options->argument) {
        collect_all(parts, file_base_name(options->argument));
        symbolizer_ask(&(struct symbolizer_questions){
            .driver = options->argument,
            .seconds = ANSWER_S,
            .count = place_count,
            .offset = offset_of,
            .answer = take_answer,
        });
    }
}

const char *places_text(const char *text, const char **rest)
{
    const char *first = NULL;
    const struct place *found = NULL;

    for (unsigned i = 0; i < place_count; i++) {
        const char *at = places[i].text[0] ? strstr(text, places[i].place) : NULL;
        size_t length = strlen(places[i].place);
        if (at && !isxdigit((unsigned char)at[length]) && (!first || at < first)) {
            first = at;
            found = &places[i];
        }
    }
    if (!found) {
        return NULL;
    }
    *rest = first + strlen(found->place);
    return found->text;
}

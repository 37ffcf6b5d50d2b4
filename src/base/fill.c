/* Numbers that come from memory that nobody wrote, or that was freed. */
#include "base/fill.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A library's memcmp reads short ends with masks that reach into the next page; where that one is
 * shut, the processor takes some hundred cycles to see that the mask forbids it. */
#define LONG_BYTES 256u

typedef uint64_t block __attribute__((vector_size(16)));

size_t fill_first_other(const void *memory, uint8_t expected, size_t size)
{
    const uint64_t wanted = expected * UINT64_C(0x0101010101010101);
    const uint8_t *bytes = memory;
    size_t at = 0;

    if (size >= LONG_BYTES && bytes[0] == expected && memcmp(bytes, bytes + 1, size - 1) == 0) {
        return size; /* all equal to the first one */
    }
    /* Which byte of a block differs is seen below. */
    for (bool same = true; same && size - at >= 2 * sizeof(block);) {
        block first, second;
        memcpy(&first, bytes + at, sizeof first);
        memcpy(&second, bytes + at + sizeof first, sizeof second);
        first = (first ^ wanted) | (second ^ wanted);
        same = (first[0] | first[1]) == 0;
        at += same ? 2 * sizeof(block) : 0;
    }
    for (uint64_t word = wanted; word == wanted && size - at >= sizeof word;) {
        memcpy(&word, bytes + at, sizeof word);
        at += word == wanted ? sizeof word : 0;
    }
    while (at < size && bytes[at] == expected) {
        at++;
    }
    return at;
}

const char *fill_name(uint64_t number, unsigned bytes)
{
    unsigned fill = (unsigned)(number & 0xFF);

    for (unsigned i = 1; i < bytes; i++) {
        if ((number >> 8 * i & 0xFF) != fill) {
            return NULL;
        }
    }
    if (bytes < 2 || (bytes < 8 && number >> 8 * bytes)) {
        return NULL;
    }
    return fill == FILL_UNINITIALIZED ? "memory that nobody initialised"
           : fill == FILL_FREED       ? "memory that was freed"
                                      : NULL;
}

/* A number as it stands in a text. Two bytes alone may be a size, or an offset, by chance. */
static const char *name_of(const char *word, size_t length)
{
    bool hexadecimal = length > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
    bool negative = word[0] == '-';
    char *end;

    errno = 0;
    unsigned long long number = strtoull(word + negative, &end, hexadecimal ? 16 : 10);
    if (errno != 0 || end != word + length) {
        return NULL;
    }
    if (hexadecimal) {
        return length == 10 || length == 18 ? fill_name(number, (unsigned)(length - 2) / 2) : NULL;
    }
    if (negative) {
        number = number <= UINT64_C(1) << 31 ? (uint32_t)(0 - number) : 0 - number;
    }
    return fill_name(number, number <= UINT32_MAX ? 4 : 8);
}

static bool is_part(const char *text, const char *at)
{
    return isalnum((unsigned char)*at) || (*at == '-' && (at == text || at[-1] == ' '));
}

void fill_explain(char *text, size_t size)
{
    const char *at = text;
    size_t used = strlen(text);

    while (*at) {
        const char *word = at;
        while (is_part(text, at)) {
            at++;
        }
        size_t length = (size_t)(at - word);
        const char *name = length > 0 ? name_of(word, length) : NULL;
        if (name) {
            if (!strstr(text, name)) {
                snprintf(text + used, size - used, " (%.*s is %s)", (int)length, word, name);
            }
            return;
        }
        at += length == 0;
    }
}

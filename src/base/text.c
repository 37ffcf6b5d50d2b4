/* Texts that come from anywhere: bytes of a driver, of its image, of a file's name. */
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define DELETE     0x7Fu
#define LENGTH_MAX 4 /* bytes of a character */

/* Bytes of a character that begins so, and the least that needs as many; 0: none begins so. */
static size_t length_of(unsigned char first, uint32_t *bits, uint32_t *least)
{
    static const uint32_t leasts[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = first < 0x80 ? 1 : first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;

    if (first >= 0xF8) {
        return 0;
    }
    *bits = length == 1 ? first : first & (0x7Fu >> length);
    *least = leasts[length];
    return length;
}

/* The control characters, of which there is a second set behind those of ASCII, and what turns the
 * order of a line's letters round or begins another line, as terminals and browsers show it. */
static bool is_control(uint32_t character)
{
    return character < ' ' || (character >= DELETE && character < 0xA0) || character == 0x61C ||
           character == 0x200E || character == 0x200F ||
           (character >= 0x2028 && character <= 0x202E) ||
           (character >= 0x2066 && character <= 0x2069);
}

/* Surrogates are halves of characters, and two more are none: XML has no way to write them. */
static bool is_character(uint32_t character)
{
    return character <= 0x10FFFF && (character < 0xD800 || character > 0xDFFF) &&
           character != 0xFFFE && character != 0xFFFF;
}

size_t text_character(const char *text, size_t size)
{
    uint32_t character, least;
    size_t length = size > 0 ? length_of((unsigned char)text[0], &character, &least) : 0;

    if (length == 0 || length > size) {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        unsigned char next = (unsigned char)text[i];
        if ((next & 0xC0) != 0x80) {
            return 0;
        }
        character = character << 6 | (next & 0x3Fu);
    }
    bool sound = character >= least && is_character(character);
    return sound && !is_control(character) ? length : 0;
}

void text_make_plain(char *text, size_t size)
{
    size_t at = 0;

    while (at < size) {
        size_t length = text_character(text + at, size - at);
        if (length == 0 && text[at] != '\n' && text[at] != '\t') {
            text[at] = '?';
        }
        at += length > 0 ? length : 1;
    }
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* What stands for a letter in XML; NULL: itself. */
static const char *xml_of(char letter)
{
    return letter == '<'   ? "&lt;"
           : letter == '>' ? "&gt;"
           : letter == '&' ? "&amp;"
           : letter == '"' ? "&quot;"
                           : NULL;
}

static void put(FILE *to, const char *text, bool xml)
{
    while (*text) {
        size_t length = text_character(text, strnlen(text, LENGTH_MAX));
        const char *instead = length == 0 ? " " : xml ? xml_of(*text) : NULL;
        if (instead) {
            fputs(instead, to);
        } else {
            fwrite(text, 1, length, to);
        }
        text += length > 0 ? length : 1;
    }
}

void text_put(FILE *to, const char *text)
{
    put(to, text, false);
}

void text_put_xml(FILE *to, const char *text)
{
    put(to, text, true);
}

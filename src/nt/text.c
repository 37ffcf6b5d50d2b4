/* nt/text.c: UTF-8 and UTF-16, as far as kernel strings need them.
 *
 * The "ANSI" code page of this kernel is UTF-8. What is not valid in one form becomes U+FFFD in the
 * other, but for lone surrogates, which pass through as three bytes so that nothing is lost. */
#include "nt/internal.h"

#include <stdlib.h>
#include <string.h>

uint32_t text_next_utf8(const char *text, size_t size, size_t *at)
{
    const uint8_t *bytes = (const uint8_t *)text + *at;
    size_t left = size - *at, length;
    uint32_t c = bytes[0];
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

    if (c < 0x80) {
        *at += 1;
        return c;
    }
    length = c >= 0xF0 && c < 0xF8 ? 4 : c >= 0xE0 ? 3 : c >= 0xC2 ? 2 : 1;
    if (length == 1 || c >= 0xF8 || length > left) {
        *at += 1;
        return 0xFFFD;
    }
    c &= 0x7Fu >> length;
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80) {
            *at += 1;
            return 0xFFFD;
        }
        c = c << 6 | (bytes[i] & 0x3F);
    }
    *at += length;
    return c < least[length] || c > 0x10FFFF ? 0xFFFD : c;
}

uint32_t text_next_utf16(const uint16_t *text, size_t count, size_t *at)
{
    uint32_t c = text[(*at)++];

    if (c >= 0xD800 && c < 0xDC00 && *at < count && text[*at] >= 0xDC00 && text[*at] < 0xE000) {
        c = 0x10000 + ((c - 0xD800) << 10) + (text[(*at)++] - 0xDC00u);
    }
    return c;
}

size_t text_put_utf8(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

size_t text_put_utf16(uint32_t c, uint16_t out[2])
{
    if (c < 0x10000) {
        out[0] = (uint16_t)c;
        return 1;
    }
    out[0] = (uint16_t)(0xD800 + ((c - 0x10000) >> 10));
    out[1] = (uint16_t)(0xDC00 + ((c - 0x10000) & 0x3FF));
    return 2;
}

uint16_t *text_to_wide(const char *text, size_t length, size_t *size_bytes)
{
    uint16_t *wide = malloc((length + 1) * sizeof(*wide));
    size_t at = 0, count = 0;

    if (!wide) {
        return NULL;
    }
    while (at < length) {
        count += text_put_utf16(text_next_utf8(text, length, &at), wide + count);
    }
    wide[count] = 0;
    *size_bytes = count * sizeof(*wide);
    return wide;
}

size_t nt_text_from_wide(const uint16_t *wide, size_t count, char *out, size_t size)
{
    size_t at = 0, used = 0;

    while (at < count) {
        char bytes[4];
        size_t length = text_put_utf8(text_next_utf16(wide, count, &at), bytes);
        if (length >= size - used) {
            break;
        }
        memcpy(out + used, bytes, length);
        used += length;
    }
    if (size > 0) {
        out[used] = 0;
    }
    return used;
}

void nt_text_from_unicode_string(const struct _UNICODE_STRING *string, char *out, size_t size)
{
    if (!string || !string->Buffer) {
        if (size > 0) {
            out[0] = 0;
        }
        return;
    }
    nt_text_from_wide(string->Buffer, string->Length / sizeof(WCHAR), out, size);
}

char *text_from_unicode_string(const struct _UNICODE_STRING *string)
{
    size_t size = string && string->Buffer ? string->Length / sizeof(WCHAR) * 3u + 1 : 1;
    char *out = malloc(size);

    if (out) {
        nt_text_from_unicode_string(string, out, size);
    }
    return out;
}
